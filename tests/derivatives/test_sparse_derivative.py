"""What any derivative stands: threads, copies, arrays that others write, odd bounds."""

from __future__ import annotations

import copy
import pickle
import sys
import threading

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.coloring import Coloring

X = np.array([0.3, -1.2, 2.0, 0.7, -0.4])
METHODS = ["cs", "3-point", "2-point"]


def chain(x):
    return x[1:] ** 2 * x[:-1]


def chain_jacobian(x):
    result = np.zeros((len(x) - 1, len(x)))
    i = np.arange(len(x) - 1)
    result[i, i], result[i, i + 1] = x[1:] ** 2, 2 * x[1:] * x[:-1]
    return result


def terms(x):
    return (x[1:] - x[:-1] ** 2) ** 2


def value(x):
    return terms(x).sum()


def gradient(x):
    rest = x[1:] - x[:-1] ** 2
    result = np.zeros_like(x)
    result[1:] = 2 * rest
    result[:-1] -= 4 * x[:-1] * rest
    return result


def hessian_of_value(x):
    return np.array([gradient(x + 1e-30j * column).imag / 1e-30 for column in np.eye(len(x))])


HESSIANS = {
    "grad": {"grad": gradient},
    "acyclic": {"grad": gradient, "kind": "acyclic"},
    "terms": {"terms": terms},
    "values": {},
}


@pytest.fixture
def fast_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(evaluate, expected, points):
    """What each thread got wrong; each evaluates at points of its own."""
    errors = []

    def work(x):
        for _ in range(6):
            try:
                np.testing.assert_allclose(evaluate(x), expected(x), rtol=1e-3, atol=1e-3)
            except Exception as error:
                errors.append(error)

    threads = [threading.Thread(target=work, args=(x,)) for x in points]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


@pytest.mark.parametrize("method", METHODS)
def test_threads_share_a_jacobian(method, fast_switches):
    jacobian = st.sparse_jacobian(chain, X, method=method)
    points = [np.linspace(1, 2, size) + shift for size in (4, 9) for shift in (0, 3)]
    assert in_threads(lambda x: jacobian(x).toarray(), chain_jacobian, points) == []
    values = [X + shift for shift in range(3)]
    found = in_threads(
        lambda x: jacobian.value_and_jacobian(x)[1].toarray(), chain_jacobian, values
    )
    assert found == []


@pytest.mark.parametrize("given", HESSIANS)
def test_threads_share_a_hessian(given, fast_switches):
    hessian = st.sparse_hessian(value, X, **HESSIANS[given])
    points = [X + shift for shift in range(3)]
    assert in_threads(lambda x: hessian(x).toarray(), hessian_of_value, points) == []


def test_threads_share_a_lagrangian(fast_switches):
    hessian = st.sparse_lagrangian_hessian(value, chain, X, grad=gradient)
    # the weight comes with the point
    evaluate = lambda x: hessian(x, np.zeros(4), x[0]).toarray()  # noqa: E731
    points = [X + shift for shift in range(3)]
    assert in_threads(evaluate, lambda x: x[0] * hessian_of_value(x), points) == []


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda j: pickle.loads(pickle.dumps(j))]
)
def test_a_copy_does_not_share_what_it_works_on(duplicate):
    jacobian = st.sparse_jacobian(np.multiply, X, (np.ones(5),))
    other = duplicate(jacobian)
    np.testing.assert_array_equal(other(X, np.full(5, 3.0)).diagonal(), np.full(5, 3.0))
    np.testing.assert_array_equal(jacobian(X).diagonal(), np.ones(5))
    assert other.nfev != jacobian.nfev


def test_a_copy_calls_the_same_function():
    class Model:
        scale = 2.0

        def __call__(self, x):
            return self.scale * x

    model = Model()
    jacobian = st.sparse_jacobian(model, X)
    other, apart = copy.copy(jacobian), copy.deepcopy(jacobian)
    model.scale = 5.0
    assert other(X).diagonal()[0] == jacobian(X).diagonal()[0] == 5.0
    assert apart(X).diagonal()[0] == 2.0


@pytest.mark.parametrize("given", HESSIANS)
def test_a_copy_of_a_hessian(given):
    hessian = st.sparse_hessian(value, X, **HESSIANS[given])
    other = copy.copy(hessian)
    assert other(np.ones(3)).shape == (3, 3)
    np.testing.assert_allclose(hessian(X).toarray(), hessian_of_value(X), rtol=1e-3, atol=1e-3)


# ------------------------------------------------------------------------- arrays of others
@pytest.mark.parametrize("method", METHODS)
def test_a_value_in_a_buffer_of_the_function(method):
    buffer = np.empty(4, complex)

    def f(x):
        buffer.real, buffer.imag = np.real(chain(x)), np.imag(chain(x))
        return buffer if np.iscomplexobj(x) else buffer.real

    jacobian = st.sparse_jacobian(f, X, method=method, pattern=chain_jacobian(X) != 0)
    for x in (X, 3 * X):
        result, matrix = jacobian.value_and_jacobian(x)
        np.testing.assert_array_equal(result, chain(x))
        np.testing.assert_allclose(matrix.toarray(), chain_jacobian(x), atol=1e-4)


def test_a_nested_value_in_buffers_of_the_function():
    kept = {"a": np.empty(4), "b": [np.empty(1), 0.0]}

    def f(x):
        kept["a"][:], kept["b"][0][:], kept["b"][1] = chain(x), x[0], x[1]
        return kept

    jacobian = st.sparse_jacobian(f, X, method="2-point")
    result, _ = jacobian.value_and_jacobian(X)
    np.testing.assert_array_equal(result["a"], chain(X))
    assert (result["b"][0][0], result["b"][1]) == (X[0], X[1])


def test_rows_and_columns_are_the_users_own():
    jacobian = st.sparse_jacobian(chain, X)
    hessian = st.sparse_hessian(value, X, grad=gradient)
    for derivative, expected in ((jacobian, chain_jacobian(X)), (hessian, hessian_of_value(X))):
        rows, columns = derivative.rows.copy(), derivative.cols.copy()
        for array in (derivative.rows, derivative.cols):
            array[:] = 0
        np.testing.assert_array_equal(derivative.rows, rows)
        np.testing.assert_array_equal(derivative.cols, columns)
        derivative.pattern.indices[:] = 0
        np.testing.assert_allclose(derivative(X).toarray(), expected, atol=1e-12)


@pytest.mark.parametrize("dtype", [int, bool, "S8"])
def test_out_that_cannot_hold_the_values(dtype):
    jacobian = st.sparse_jacobian(chain, X)
    with pytest.raises(st.InputError, match="out"):
        jacobian.data(X, out=np.zeros(8, dtype))
    complex_values = st.sparse_jacobian(lambda x: np.exp(1j * x), X, method="3-point")
    with pytest.raises(st.InputError, match="complex128"):
        complex_values.data(X, out=np.zeros(5))


def test_entries_that_moved_are_refused_after_a_look_at_the_hessian():
    state = {"k": 1}
    f = lambda x: np.sum(x * np.roll(x, state["k"]))  # noqa: E731
    hessian = st.sparse_hessian(f, X)
    assert len(hessian.rows) == len(hessian.data(X))
    state["k"] = 2
    repr(hessian)
    with pytest.raises(st.VerificationError, match="Read rows and cols again"):
        hessian.data(X)
    with pytest.raises(st.VerificationError, match="Read rows and cols again"):
        hessian.data(X)
    assert hessian.rows.shape == hessian.data(X).shape


# ---------------------------------------------------------------------------------- numbers
@pytest.mark.parametrize("method", METHODS)
def test_an_input_with_equal_bounds_has_a_derivative(method):
    lower, upper = X - 1, X + 1
    lower[2] = upper[2] = X[2]
    jacobian = st.sparse_jacobian(chain, X, method=method, bounds=(lower, upper))
    np.testing.assert_allclose(jacobian(X).toarray(), chain_jacobian(X), atol=1e-5)
    assert st.check_derivatives(jacobian, X) < 1e-4


@pytest.mark.parametrize("given", HESSIANS)
@pytest.mark.parametrize("method", ["3-point", "2-point"])
def test_a_hessian_with_equal_bounds(given, method):
    lower, upper = X - 1, X + 1
    lower[2] = upper[2] = X[2]
    options = HESSIANS[given]
    hessian = st.sparse_hessian(value, X, method=method, bounds=(lower, upper), **options)
    np.testing.assert_allclose(hessian(X).toarray(), hessian_of_value(X), atol=1e-2)


@pytest.mark.parametrize("method", ["3-point", "2-point"])
def test_an_infinite_input_is_no_warning(method):
    x = X.copy()
    x[0] = np.inf
    jacobian = st.sparse_jacobian(lambda x: x[1:] + 0.0, X, method=method)
    np.testing.assert_allclose(jacobian(x).toarray(), np.eye(5)[1:], atol=1e-6)


def test_values_that_are_complex_at_real_points_miss_no_entry():
    jacobian = st.sparse_jacobian(np.log, np.abs(X), method="cs")
    with np.errstate(invalid="ignore"):
        diagonal = jacobian(X).diagonal()
    np.testing.assert_allclose(diagonal[X > 0], 1 / X[X > 0])


def test_a_function_that_is_not_analytic_beyond_a_sign_is_found_at_once():
    """NumPy computes such powers of negative complex numbers by logarithms, inexactly."""
    x = np.array([1.1, 1.2, 1.3])
    jacobian = st.sparse_jacobian(lambda x: x**101, x)
    jacobian(x)
    np.testing.assert_allclose(jacobian(-x).diagonal(), 101 * x**100, rtol=1e-4)
    assert jacobian.method == "2-point"


def test_large_derivatives_are_not_checked_each_time():
    jacobian = st.sparse_jacobian(lambda x: 1e15 * x**2, X)
    jacobian(X)
    before = jacobian.nfev
    for _ in range(60):
        np.testing.assert_allclose(jacobian(X).diagonal(), 2e15 * X)
    assert jacobian.nfev - before <= 60 + 8 + 60 // 20


def test_a_gradient_with_errors_is_no_lost_entry():
    def by_differences(x):
        return np.array([(value(x + h) - value(x)) / 1e-8 for h in 1e-8 * np.eye(len(x))])

    hessian = st.sparse_hessian(value, X, grad=by_differences, method="2-point")
    with pytest.warns(
        st.VerificationWarning, match="errors that are large beside the steps"
    ) as all_:
        hessian(X)
    assert {one.filename for one in all_} == {__file__}
    exact = st.sparse_hessian(value, X, method="cs")(X)
    hessian = st.sparse_hessian(value, X, grad=by_differences, method="2-point", rel_step=1e-4)
    np.testing.assert_allclose(hessian(X).toarray(), exact.toarray(), atol=1e-2)


# ------------------------------------------------------------------------- what users give
@pytest.mark.parametrize("step", [0.0, np.nan, np.ones(4), [1e-6, 0.0, 1e-6, 1e-6, 1e-6], "large"])
def test_relative_steps_that_are_none(step):
    with pytest.raises(st.InputError, match="rel_step"):
        st.sparse_jacobian(chain, X, method="2-point", rel_step=step)


def test_relative_steps_of_each_input():
    steps = np.full(5, -1e-6)
    jacobian = st.sparse_jacobian(chain, X, method="2-point", rel_step=steps)
    np.testing.assert_allclose(jacobian(X).toarray(), chain_jacobian(X), atol=1e-4)


@pytest.mark.parametrize("check", [True, False])
def test_a_coloring_that_recovers_nothing(check):
    coloring = Coloring(chain_jacobian(X), "columns", [0] * 5)
    with pytest.raises(
        st.InputError, match=r"coloring=: these colors do not recover entry \(0, 0\)"
    ):
        st.sparse_jacobian(chain, X, coloring=coloring, check=check)


@pytest.mark.parametrize(
    ("x", "args", "argnums"),
    [(2.0, (), 0), (np.ones((2, 2)), (), 0), ({"a": X}, (), 0), (X, (X,), (0, 1))],
    ids=["number", "matrix", "nested", "two arguments"],
)
def test_a_stack_of_what_is_no_vector(x, args, argnums):
    with pytest.raises(st.InputError, match=r"vectorized=True takes one argument of shape \(n,\)"):
        st.sparse_jacobian(lambda *args: args[0], x, args, argnums=argnums, vectorized=True)


def test_a_call_that_fails_leaves_no_arguments_behind():
    def f(x, k):
        if k > 5:
            raise RuntimeError("too many")
        return x * k

    jacobian = st.sparse_jacobian(f, X, (2,))
    for fail in (jacobian, jacobian.data, jacobian.value_and_jacobian):
        with pytest.raises(RuntimeError, match="too many"):
            fail(X[:3], 9)
        np.testing.assert_array_equal(jacobian(X).diagonal(), np.full(5, 2.0))


def test_a_derivative_inside_of_a_trace_is_refused_with_a_way_out():
    jacobian = st.sparse_jacobian(np.sin, X)
    with pytest.raises(st.TracingError, match=r"SparseJacobian[\s\S]*sparsetrace\.opaque"):
        st.jacobian_sparsity(lambda x: jacobian(x) @ x, X)
    pattern = st.jacobian_sparsity(lambda x: jacobian(st.detach(x)) @ x, X, local=True)
    assert pattern.nnz == 5


@pytest.mark.parametrize("method", [None, "2-point", "3-point"])
def test_a_function_that_counts_its_calls_has_no_differences(method):
    calls = []

    def f(x):
        calls.append(None)
        return x * len(calls)

    jacobian = st.sparse_jacobian(f, X, method=method)
    with pytest.raises(st.VerificationError, match="other values when it is called again"):
        jacobian(X)
