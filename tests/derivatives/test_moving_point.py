"""Points of a function that keeps its argument, returns it, or writes into it."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import sparsetrace as st

X = np.array([1.3, 0.4, 2.1, 0.9])
WANTED = np.diag(2 * X) + np.diag(X[:-1], 1)
METHODS = ["cs", "3-point", "2-point"]


def plain(x):
    return x**2 + np.append(X[:-1] * x[1:], 0.0)


def written(x):
    x *= x
    x[:-1] += X[:-1] * np.sqrt(x[1:])
    return x


def kept_and_read():
    """Reads what it was given in the last call, which has to be as it was."""
    kept = []

    def f(x):
        if kept:
            given, copy = kept.pop()
            assert np.array_equal(given, copy)
        kept.append((x, x.copy()))
        return plain(x)

    return f


def written_later():
    kept = []

    def f(x):
        if kept:
            kept.pop()[...] = np.nan
        kept.append(x)
        return plain(x)

    return f


def written_in_memory(x):
    """As compiled code may, which does not ask."""
    y = plain(x)
    ctypes.memset(x.ctypes.data, 0, x.nbytes)
    return y


FUNCTIONS = {
    "plain": lambda: plain,
    "written": lambda: written,
    "kept": kept_and_read,
    "written later": written_later,
    "written in memory": lambda: written_in_memory,
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_derivative_is_that_of_fresh_points(name, method):
    if name == "written in memory":
        jacobian = st.sparse_jacobian(plain, X, method=method, check=False)
        jacobian._flat.function = written_in_memory  # a trace would refuse it
    else:
        jacobian = st.sparse_jacobian(FUNCTIONS[name](), X, method=method, check=False)
    for _ in range(2):
        found = jacobian(X).toarray()
        tolerance = 1e-14 if method == "cs" else 1e-6
        np.testing.assert_allclose(found, WANTED, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("method", METHODS)
def test_a_function_that_returns_its_argument(method):
    jacobian = st.sparse_jacobian(lambda x: x, X, method=method)
    np.testing.assert_allclose(jacobian(X).toarray(), np.eye(4), rtol=1e-7)
    assert X[0] == 1.3


def test_infinite_and_missing_numbers_are_no_change():
    x = np.array([np.nan, np.inf, -0.0, 1.0])
    jacobian = st.sparse_jacobian(lambda x: x[::-1].copy(), X, method="cs", check=False)
    before = jacobian.nfev
    jacobian(x)
    assert jacobian.nfev == before + jacobian.coloring.num_colors


def test_an_error_of_the_function_is_its_own():
    def f(x):
        if np.any(x.real > 5):
            raise ArithmeticError("too large")
        return x**2

    jacobian = st.sparse_jacobian(f, X, method="cs")
    with pytest.raises(ArithmeticError, match="too large"):
        jacobian(X + 10)
    np.testing.assert_allclose(jacobian(X).toarray(), np.diag(2 * X))
