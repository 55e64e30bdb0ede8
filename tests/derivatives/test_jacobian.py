"""`sparse_jacobian` against derivatives written by hand, for functions as people write them."""

from __future__ import annotations

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy.optimize import Bounds

from sparsetrace.coloring import color_columns, color_rows
from sparsetrace.derivatives import readings
from sparsetrace.derivatives.jacobian import sparse_jacobian
from sparsetrace.errors import InputError, OutputError, VerificationError

TOLERANCE = {"cs": 1e-14, "3-point": 1e-8, "2-point": 1e-5}
POINT = np.array([0.3, -1.2, 2.0, 0.7, -0.4])


def chain(x):
    return x[1:] ** 2 * x[:-1]


def chain_jacobian(x):
    result = np.zeros((len(x) - 1, len(x)))
    i = np.arange(len(x) - 1)
    result[i, i], result[i, i + 1] = x[1:] ** 2, 2 * x[1:] * x[:-1]
    return result


def brusselator(n):
    def f(y):
        u, v = y.reshape(2, n, n)

        def laplace(a):
            around = np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1)
            return around - 4 * a

        c = 0.02 * (n - 1) ** 2
        return np.stack(
            [1 + u * u * v - 4.4 * u + c * laplace(u), 3.4 * u - u * u * v + c * laplace(v)]
        ).ravel()

    return f


def dense_complex_step(f, x):
    columns = np.eye(len(x))
    return np.stack([f(x + 1e-30j * column).imag / 1e-30 for column in columns], axis=1)


@pytest.mark.parametrize("method", TOLERANCE)
def test_methods(method):
    jacobian = sparse_jacobian(chain, POINT, method=method)
    np.testing.assert_allclose(
        jacobian(POINT).toarray(), chain_jacobian(POINT), atol=TOLERANCE[method]
    )
    assert jacobian.method == method


@pytest.mark.parametrize(
    ("method", "times", "more"), [("cs", 1, 0), ("3-point", 2, 0), ("2-point", 1, 1)]
)
def test_one_call_a_color(method, times, more):
    calls = []

    def f(x):
        calls.append(1)
        return chain(x)

    jacobian = sparse_jacobian(f, POINT, method=method, check=False)
    calls.clear()
    before = jacobian.nfev
    jacobian(POINT)
    assert jacobian.coloring.num_colors == 2
    assert len(calls) == jacobian.nfev - before == 2 * times + more


def test_value_is_not_evaluated_twice():
    jacobian = sparse_jacobian(chain, POINT, method="2-point", check=False)
    value, matrix = jacobian.value_and_jacobian(POINT)
    assert jacobian.nfev == 3
    np.testing.assert_array_equal(value, chain(POINT))
    np.testing.assert_allclose(matrix.toarray(), chain_jacobian(POINT), atol=1e-5)


def test_brusselator_by_twelve_colors_at_most():
    f, y = brusselator(7), np.random.default_rng(0).random(98)
    jacobian = sparse_jacobian(f, y)
    np.testing.assert_allclose(jacobian(y).toarray(), dense_complex_step(f, y), rtol=1e-13)
    assert jacobian.method == "cs"
    assert jacobian.coloring.num_colors <= 12


@pytest.mark.parametrize("method", ["2-point", "3-point"])
@pytest.mark.parametrize(
    "bounds", [(0.0, 1.0), Bounds(0.0, 1.0), (np.zeros(4), np.full(4, 1.0)), (-np.inf, 1.0)]
)
def test_bounds_are_respected(method, bounds):
    x = np.array([0.0, 1.0, 0.5, 1e-9])
    seen = []

    def f(x):
        seen.append(np.array(x))
        return chain(x)

    pattern = np.eye(3, 4) + np.eye(3, 4, 1)
    jacobian = sparse_jacobian(f, x, method=method, bounds=bounds, pattern=pattern)
    np.testing.assert_allclose(jacobian(x).toarray(), chain_jacobian(x), atol=1e-5)
    lower = bounds.lb if isinstance(bounds, Bounds) else bounds[0]
    assert all((point <= 1).all() and (point >= lower).all() for point in seen)


@pytest.mark.parametrize("bounds", [1.0, (1.0, 0.0), (0.0, [1.0, 2.0])])
def test_bounds_that_do_not_fit(bounds):
    with pytest.raises(InputError, match="bound"):
        sparse_jacobian(chain, POINT, method="2-point", bounds=bounds)


def test_relative_step():
    coarse = sparse_jacobian(chain, POINT, method="2-point", rel_step=1e-2)
    error = np.abs(coarse(POINT).toarray() - chain_jacobian(POINT)).max()
    assert 1e-3 < error < 1e-1


def test_nested_arguments_and_results():
    def f(parts, scale):
        return {"a": parts["u"] * scale, "b": (parts["w"] ** 2, [parts["u"].sum()])}

    point = {"u": np.array([[1.0, 2.0], [3.0, 4.0]]), "w": -2.0}
    jacobian = sparse_jacobian(f, point, (3.0,))
    expected = np.zeros((6, 5))
    expected[:4, :4], expected[4, 4], expected[5, :4] = 3 * np.eye(4), -4, 1
    np.testing.assert_array_equal(jacobian(point).toarray(), expected)
    np.testing.assert_array_equal(jacobian(np.array([1.0, 2, 3, 4, -2])).toarray(), expected)
    expected[:4, :4] = 5 * np.eye(4)
    np.testing.assert_array_equal(jacobian(point, 5.0).toarray(), expected)


@pytest.mark.parametrize("argnums", [(0, 1), (-2, -1), [0, -1]])
def test_two_arguments_vary(argnums):
    jacobian = sparse_jacobian(
        lambda a, b: a * b, np.array([1.0, 2.0]), (np.array([3.0, 4.0]),), argnums=argnums
    )
    result = jacobian(np.array([1.0, 2.0]), np.array([5.0, 6.0])).toarray()
    np.testing.assert_array_equal(result, [[5, 0, 1, 0], [0, 6, 0, 2]])


@pytest.mark.parametrize("argnums", [1, -1])
def test_second_argument_varies(argnums):
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    jacobian = sparse_jacobian(lambda a, b: a * b**2, x, (y,), argnums=argnums)
    np.testing.assert_array_equal(jacobian(x, y).toarray(), np.diag(2 * x * y))


@pytest.mark.parametrize("argnums", [2, -3, ()])
def test_argument_that_is_not_there(argnums):
    with pytest.raises(InputError, match="argnums"):
        sparse_jacobian(lambda a, b: a * b, np.ones(2), (np.ones(2),), argnums=argnums)


def test_other_shapes_are_traced_anew():
    jacobian = sparse_jacobian(chain, np.ones(3))
    np.testing.assert_allclose(jacobian(POINT).toarray(), chain_jacobian(POINT), rtol=1e-14)
    assert jacobian.pattern.shape == (4, 5)
    assert jacobian(np.ones(3)).shape == (2, 3)


def test_other_whole_numbers_are_traced_anew():
    jacobian = sparse_jacobian(lambda x, k: np.roll(x, k), np.ones(3), (1,))
    for shift in (1, 2):
        np.testing.assert_array_equal(
            jacobian(np.ones(3), shift).toarray(), np.roll(np.eye(3), shift, axis=0)
        )


@pytest.mark.parametrize("method", TOLERANCE)
def test_stack_of_points_by_one_call(method):
    stacks = []

    def f(points):
        stacks.append(points.shape)
        return points[:, 1:] ** 2 * points[:, :-1]

    jacobian = sparse_jacobian(f, POINT, vectorized=True, method=method, check=False)
    stacks.clear()
    result = jacobian(POINT).toarray()
    np.testing.assert_allclose(result, chain_jacobian(POINT), atol=TOLERANCE[method])
    assert stacks.count((2, 5)) == (2 if method == "3-point" else 1)
    assert len(stacks) == (1 if method == "cs" else 2)


def test_vectorized_function_that_is_none():
    with pytest.raises(OutputError, match="vectorized=True"):
        sparse_jacobian(lambda x: x.sum(), np.ones(3), vectorized=True, pattern=np.eye(3))(
            np.ones(3)
        )


@pytest.mark.parametrize("method", ["2-point", "3-point"])
def test_complex_results_of_real_inputs(method):
    jacobian = sparse_jacobian(lambda x: np.exp(1j * x), np.array([0.1, 0.7]), method=method)
    expected = np.diag(1j * np.exp(1j * np.array([0.1, 0.7])))
    np.testing.assert_allclose(jacobian(np.array([0.1, 0.7])).toarray(), expected, atol=1e-7)
    assert sparse_jacobian(lambda x: np.exp(1j * x), np.ones(2)).method == "2-point"


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_, np.uint8])
def test_inputs_of_other_kinds(dtype):
    x = np.array([1, 0, 1, 1], dtype=dtype)
    jacobian = sparse_jacobian(chain, x)
    np.testing.assert_allclose(jacobian(x).toarray(), chain_jacobian(x.astype(float)), atol=1e-7)


def test_results_of_whole_numbers():
    jacobian = sparse_jacobian(
        lambda x: (x > 0).astype(np.uint8),
        np.array([1.0, -1.0]),
        pattern=np.eye(2),
        method="3-point",
    )
    np.testing.assert_array_equal(jacobian(np.array([1.0, -1.0])).toarray(), np.zeros((2, 2)))


@pytest.mark.parametrize("f", [lambda x: x[:0], lambda x: np.zeros(3)])
def test_nothing_depends(f):
    jacobian = sparse_jacobian(f, np.ones(2))
    matrix = jacobian(np.ones(2))
    assert matrix.nnz == 0
    assert matrix.shape == (len(f(np.ones(2))), 2)


def test_no_inputs():
    assert sparse_jacobian(lambda x: x, np.zeros(0))(np.zeros(0)).shape == (0, 0)


@pytest.mark.parametrize("method", TOLERANCE)
def test_nan_stays_in_its_row(method):
    jacobian = sparse_jacobian(chain, POINT, method=method)
    x = POINT.copy()
    x[0] = np.nan
    result = jacobian(x).toarray()
    assert np.isnan(result[0]).any()
    np.testing.assert_allclose(result[1:], chain_jacobian(x)[1:], atol=1e-5)


def test_points_as_people_have_them():
    read_only = POINT.copy()
    read_only.flags.writeable = False
    jacobian = sparse_jacobian(chain, read_only)
    for x in (read_only, np.repeat(POINT, 2)[::2], POINT[::-1][::-1]):
        np.testing.assert_allclose(jacobian(x).toarray(), chain_jacobian(POINT), rtol=1e-14)


@pytest.mark.parametrize("method", TOLERANCE)
def test_function_that_changes_its_argument(method):
    def f(x):
        x *= x
        return x

    x = POINT.copy()
    jacobian = sparse_jacobian(f, x, method=method)
    np.testing.assert_allclose(jacobian(x).toarray(), np.diag(2 * POINT), atol=1e-5)
    np.testing.assert_array_equal(x, POINT)


@pytest.mark.parametrize("method", TOLERANCE)
def test_function_that_returns_the_same_array_again(method):
    kept = np.empty(5, dtype=complex)

    def f(x):
        kept[:] = x**2
        return kept if np.iscomplexobj(x) else kept.real

    jacobian = sparse_jacobian(f, POINT, method=method, pattern=np.eye(5), check=False)
    np.testing.assert_allclose(jacobian(POINT).toarray(), np.diag(2 * POINT), atol=1e-5)


def into_buffer(x):
    out = np.empty(len(x))
    out[:] = x**2
    return out


@pytest.mark.parametrize(
    "f",
    [
        into_buffer,
        np.abs,
        lambda x: np.conj(x) * x,
        lambda x: x.real**2,
        lambda x: np.asarray(x, float) ** 2,
    ],
    ids=["buffer", "abs", "conj", "real", "cast"],
)
def test_complex_step_is_not_chosen(f):
    jacobian = sparse_jacobian(f, POINT)
    assert jacobian.method == "2-point"
    step = 1e-6
    expected = (f(POINT + step) - f(POINT - step)) / (2 * step)
    np.testing.assert_allclose(jacobian(POINT).toarray(), np.diag(expected), atol=1e-5)


def test_wanted_complex_step_that_loses_imaginary_parts():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jacobian = sparse_jacobian(into_buffer, POINT, method="cs", check=False)
        with pytest.raises(np.exceptions.ComplexWarning):
            jacobian(POINT)


@pytest.mark.parametrize("method", TOLERANCE)
def test_wrong_pattern_is_told(method):
    pattern = chain_jacobian(np.ones(5)) != 0
    pattern[2, 3] = False
    jacobian = sparse_jacobian(chain, POINT, method=method, pattern=pattern)
    for _ in range(2):
        with pytest.raises(VerificationError, match=r"no entry \(2, 3\)"):
            jacobian(POINT)


def test_pattern_of_a_point_does_not_hold_elsewhere():
    jacobian = sparse_jacobian(lambda x: x * x[::-1], np.array([0.0, 1.0]), local=True)
    with pytest.raises(VerificationError, match="at this point"):
        jacobian(np.array([2.0, 3.0]))


def test_colorings_that_fit_and_do_not():
    pattern = chain_jacobian(np.ones(5))
    jacobian = sparse_jacobian(chain, POINT, coloring=color_columns(pattern))
    np.testing.assert_allclose(jacobian(POINT).toarray(), chain_jacobian(POINT), rtol=1e-14)
    with pytest.raises(InputError, match="'rows'"):
        sparse_jacobian(chain, POINT, coloring=color_rows(pattern))
    with pytest.raises(InputError, match="5 columns, and there are 4"):
        sparse_jacobian(chain, np.ones(4), pattern=pattern)
    with pytest.raises(InputError, match="method='4-point'"):
        sparse_jacobian(chain, POINT, method="4-point")


def test_data_rows_and_columns():
    jacobian = sparse_jacobian(chain, POINT)
    out = np.empty(jacobian.pattern.nnz)
    assert jacobian.data(POINT, out=out) is out
    matrix = np.zeros((4, 5))
    matrix[jacobian.rows, jacobian.cols] = out
    np.testing.assert_allclose(matrix, chain_jacobian(POINT), rtol=1e-14)
    with pytest.raises(InputError, match="out has shape"):
        jacobian.data(POINT, out=np.empty(3))


def test_linear_operator():
    operator = sparse_jacobian(chain, POINT).linear_operator(POINT)
    dense = chain_jacobian(POINT)
    np.testing.assert_allclose(operator.matvec(np.arange(5.0)), dense @ np.arange(5.0))
    np.testing.assert_allclose(operator.rmatvec(np.arange(4.0)), dense.T @ np.arange(4.0))


def test_result_is_the_callers_own():
    jacobian = sparse_jacobian(chain, POINT)
    first = jacobian(POINT)
    first.indices[:] = 0
    first.data[:] = 0
    np.testing.assert_allclose(jacobian(POINT).toarray(), chain_jacobian(POINT), rtol=1e-14)


def test_complex_points():
    jacobian = sparse_jacobian(chain, POINT + 1j, method="3-point", pattern=chain_jacobian(POINT))
    z = POINT + 1j
    np.testing.assert_allclose(jacobian(z).diagonal(), z[1:] ** 2, atol=1e-7)
    with pytest.raises(InputError, match="real inputs"):
        sparse_jacobian(chain, POINT, method="cs")(z)


@pytest.mark.parametrize("method", ["cs", "3-point", "2-point"])
@pytest.mark.parametrize("dtype", ["f4", ">f8", "f8", "g"])
def test_entries_are_the_same_without_the_compiled_loop(method, dtype, monkeypatch):
    def f(x):
        kind = np.dtype(dtype)
        values = brusselator(4)(x)
        return values.astype(np.result_type(kind, 1j) if values.dtype.kind == "c" else kind)

    y = np.random.default_rng(0).random(32)
    jacobian = sparse_jacobian(f, y, method=method, check="always")
    first = jacobian(y)
    assert readings.compiled_loop() is not None
    monkeypatch.setattr(readings, "compiled_loop", lambda: None)
    slow = sparse_jacobian(f, y, method=method, check="always")
    assert (slow(y) != first).nnz == 0
    np.testing.assert_allclose(
        first.toarray(), sparse_jacobian(brusselator(4), y)(y).toarray(), atol=0.1, rtol=0.1
    )


@pytest.mark.parametrize("method", ["cs", "3-point", "2-point"])
def test_no_more_memory_than_entries_where_there_are_many_colors(method):
    n = 1500

    def arrow(x):
        result = x * x[0]
        result[0] = np.sum(x**2)
        return result

    x = np.linspace(1, 2, n)
    jacobian = sparse_jacobian(arrow, x, method=method)
    assert jacobian.coloring.num_colors == n
    tracemalloc.start()
    try:
        matrix = jacobian(x)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2**21  # all products together are 18 MB
    expected = np.diag(np.full(n, x[0]))
    expected[:, 0] += x
    expected[0] = 2 * x
    np.testing.assert_allclose(matrix.toarray(), expected, rtol=1e-4, atol=1e-6)


def fills(x, k, out):
    out["a"][...] = k * x[1:] ** 2 * x[:-1]
    out["b"][0] = x[0] * np.sum(x)
    x[:] = 0


@pytest.mark.parametrize("method", [None, "cs", "3-point", "2-point"])
def test_functions_that_fill_an_argument(method):
    out = {"a": np.full(4, 7.0), "b": np.zeros((1, 1))}
    jacobian = sparse_jacobian(fills, POINT, (2.0,), out=out, method=method, check="always")
    assert jacobian.method == (method or "cs")
    sums = POINT[0] + np.eye(1, 5) * POINT.sum()
    expected = np.concatenate([2 * chain_jacobian(POINT), sums])
    rtol = TOLERANCE[jacobian.method]
    for one in (jacobian, pickle.loads(pickle.dumps(jacobian))):
        np.testing.assert_allclose(one(POINT).toarray(), expected, rtol=rtol, atol=rtol)
    value, _ = jacobian.value_and_jacobian(POINT)
    np.testing.assert_array_equal(value["a"], 2 * chain(POINT))
    assert out["a"].tolist() == [7.0] * 4


def test_arguments_that_are_filled_and_their_doubts():
    def f(x, out):
        out[:] = np.abs(x) if x[0] > 5 else x**2

    jacobian = sparse_jacobian(f, POINT, out=np.zeros(5))
    assert jacobian(POINT).diagonal().tolist() == (2 * POINT).tolist()
    np.testing.assert_allclose(jacobian(POINT + 6).diagonal(), 1, rtol=1e-7)
    with pytest.raises(InputError, match="returns its results"):
        sparse_jacobian(f, POINT, out=np.zeros(5), vectorized=True)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, int])
@pytest.mark.parametrize("method", [None, "2-point", "3-point"])
def test_whole_numbers_and_truth_values_as_results(dtype, method):
    def levels(x):
        return np.floor(x).astype(dtype)

    x = np.array([1.0, 200.5, 3.7])  # the first is a jump, where 0 - 1 is no 255
    jacobian = sparse_jacobian(levels, x, pattern=np.eye(3), method=method, check=False)
    assert jacobian(x).toarray()[1:].tolist() == np.zeros((2, 3)).tolist()
    assert abs(jacobian(x)[0, 0]) < 1e9
    assert sparse_jacobian(levels, x, method=method)(x).nnz == 0


@pytest.mark.parametrize("method", [None, "cs", "2-point", "3-point"])
def test_stacks_of_points_may_be_written_into(method):
    def squares(points):
        result = points[:, 1:] * points[:, :-1]
        points[...] = 7.0
        return result

    x = np.array([1.0, 2.0, 3.0])
    jacobian = sparse_jacobian(squares, x, vectorized=True, method=method)
    np.testing.assert_allclose(jacobian(x).toarray(), [[2, 1, 0], [0, 3, 2]], atol=1e-6)
    assert x.tolist() == [1.0, 2.0, 3.0]
