"""What the check along a direction says of derivatives whose entries are all there."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import sparsetrace as st

pytestmark = pytest.mark.fast
X = np.array([0.3, -1.2, 2.0, 0.7])


@pytest.mark.parametrize("method", ["cs", "3-point", "2-point"])
def test_rows_that_depend_on_other_points(method):
    jacobian = st.sparse_jacobian(lambda x: x * x.sum(), X, vectorized=True, method=method)
    with pytest.raises(st.VerificationError, match="depend on its own point alone"):
        jacobian(X)
    right = st.sparse_jacobian(
        lambda x: x * x.sum(-1, keepdims=True), X, vectorized=True, method=method
    )
    expected = np.diag(np.full(4, X.sum())) + X[:, None]
    np.testing.assert_allclose(right(X).toarray(), expected, rtol=1e-6, atol=1e-6)


def test_a_function_that_takes_no_stack_of_points():
    with pytest.raises(st.OutputError, match="returns one row each"):
        st.sparse_jacobian(lambda x: x[1:] * x[:-1], X, vectorized=True)


@pytest.mark.parametrize("method", [None, "3-point", "2-point"])
@pytest.mark.parametrize("kind", ["star", "acyclic"])
def test_gradients_of_nothing(method, kind):
    def grad(x):
        return np.array([x[1], 0 * x[0], x[2], x[3]])

    hessian = st.sparse_hessian(None, X, grad=grad, method=method, kind=kind)
    said = "its derivative is not symmetric"
    if hessian.method == "cs":
        with pytest.raises(st.VerificationError, match=said):
            hessian(X)
    else:
        with pytest.warns(st.VerificationWarning, match=said) as warned:
            hessian(X)
        assert {one.filename for one in warned} == {__file__}


def f(x):
    return np.sum(x[1:] * x[:-1] ** 2)


def f_gradient(x):
    result = np.zeros_like(x)
    result[1:] = x[:-1] ** 2
    result[:-1] += 2 * x[:-1] * x[1:]
    return result


@pytest.mark.parametrize(
    "other",
    [{"grad": lambda x: 2 * f_gradient(x)}, {"terms": lambda x: 3 * x[1:] * x[:-1] ** 2}],
    ids=["grad", "terms"],
)
def test_gradients_of_another_function(other):
    with pytest.raises(st.VerificationError, match="do not fit the function"):
        st.sparse_hessian(f, X, **other)(X)
    lagrangian = st.sparse_lagrangian_hessian(f, lambda x: x[:2] ** 2, X, **other)
    with pytest.raises(st.VerificationError, match="do not fit the function"):
        lagrangian(X, np.ones(2))


def test_the_jacobian_of_other_constraints():
    def g(x):
        return x[1:] * x[:-1]

    def jac(x):
        result = np.zeros((3, 4), x.dtype)
        i = np.arange(3)
        result[i, i], result[i, i + 1] = x[1:], x[:-1]
        return result

    hessian = st.sparse_lagrangian_hessian(f, g, X, grad=f_gradient, jac=jac)
    assert hessian(X, np.ones(3))[0, 1] == 1 + 2 * X[0]
    wrong = st.sparse_lagrangian_hessian(f, g, X, grad=f_gradient, jac=lambda x: 2 * jac(x))
    with pytest.raises(st.VerificationError, match="do not fit the function"):
        wrong(X, np.ones(3))


KINKS = {
    "maximum": lambda x: np.maximum(x, x[::-1]),
    "max": lambda x: x * x.max(),
    "sort": lambda x: np.sort(x) * np.arange(4.0),
    "median": lambda x: x * np.median(x),
    "relu": lambda x: np.where(x > 1, x - 1, 0) * 3,
    "branch": lambda x: x**2 if x[0] > 1 else 5 * x,
    "jump": lambda x: np.floor(x) * x,
    "abs": lambda x: np.abs(x - 1),
}


@pytest.mark.parametrize("method", [None, "3-point", "2-point"])
@pytest.mark.parametrize("name", KINKS)
def test_kinks_are_no_error(name, method):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jacobian = st.sparse_jacobian(KINKS[name], np.ones(4), method=method, check="always")
        for _ in range(4):
            assert np.isfinite(jacobian(np.ones(4)).data).all()


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("method", [None, "3-point", "2-point"])
def test_right_derivatives_of_any_size_are_no_error(scale, method):
    def g(x):
        return scale * np.exp(3 * x[1:]) * np.sin(x[:-1]) + 1e3 * scale

    jacobian = st.sparse_jacobian(g, X, method=method, check="always")
    for x in (X, 0 * X, 1e-3 * X, 3 * X):
        assert np.isfinite(jacobian(x).data).all()


CANCELLED = {
    "one": lambda x: np.sin(x) ** 2 + np.cos(x) ** 2,
    "nothing": lambda x: 1e3 * (np.sin(x) ** 2 + np.cos(x) ** 2 - 1),
    "a row": lambda x: np.sin(x[:3]) * np.cos(x[2::-1]) - np.cos(x[:3]) * np.sin(x[2::-1]),
    "beside another": lambda x: np.array([x[0] ** 3, np.exp(x[1]) / np.exp(x[1])]),
}


@pytest.mark.parametrize("method", [None, "3-point", "2-point"])
@pytest.mark.parametrize("name", CANCELLED)
def test_rounding_of_what_cancels_is_no_error(name, method):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jacobian = st.sparse_jacobian(CANCELLED[name], X, method=method, check="always")
        for k in range(8):
            assert np.isfinite(jacobian(X + k / 8).data).all()


@pytest.mark.parametrize("first", [(np.zeros(3), 1.0), (np.array([1.0, 0, 0]), 0.0)])
def test_constraints_that_did_not_count_at_the_first_check(first):
    def g(x):
        return np.array([x[0] ** 2, x[1] * x[2], x[0] * x[3]])

    pattern = np.eye(4)
    pattern[1, 2] = pattern[2, 1] = 1
    hessian = st.sparse_lagrangian_hessian(
        lambda x: x @ x, g, X, grad=lambda x: 2 * x, pattern=pattern
    )
    multipliers, factor = first
    hessian(X, multipliers, factor)
    hessian(X, np.array([1.0, 1.0, 0.0]))
    with pytest.raises(st.VerificationError, match=r"no entry \(0, 3\)"):
        hessian(X, np.ones(3))
