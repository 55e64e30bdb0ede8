"""Functions that complex numbers, buffers or coarse numbers make hard to differentiate."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.derivatives.jacobian import sparse_jacobian

pytestmark = pytest.mark.fast
BUFFER = np.zeros(5)
START = np.linspace(0.5, 0.9, 5)
POINTS = (np.array([0.3, -0.7, 1.1, 0.25, -0.4]), np.array([-0.3, 0.9, 0.1, 1.25, 0.6]))


def returns_its_buffer(x):
    BUFFER[:] = x * x[0]
    return BUFFER


def changes_its_argument(x):
    x *= 2
    return x**2


def real_buffer(x):
    out = np.zeros(len(x))
    out[:] = x**2
    return out


def by_the_first(x):
    result = np.diag(np.full(5, x[0]))
    result[:, 0] += x
    return result


def in_order(x):
    return 2 * np.sort(x)[:, None] * np.eye(5)[np.argsort(x)]


FUNCTIONS = {
    "its buffer": (returns_its_buffer, by_the_first),
    "its argument": (changes_its_argument, lambda x: np.diag(8 * x)),
    "real buffer": (real_buffer, lambda x: np.diag(2 * x)),
    "conjugates elsewhere": (
        lambda x: np.where(x > 0, x**2, np.conj(x)),
        lambda x: np.diag(np.where(x > 0, 2 * x, 1)),
    ),
    "absolute values": (lambda x: np.abs(x) * x, lambda x: np.diag(2 * np.abs(x))),
    "list of floats": (lambda x: [float(v) ** 2 for v in x], lambda x: np.diag(2 * x)),
    "real part": (lambda x: np.real(x) * 3, lambda x: 3 * np.eye(5)),
    "sign": (lambda x: np.sign(x) * x**2, lambda x: np.diag(2 * np.abs(x))),
    "sorted": (lambda x: np.sort(x) ** 2, in_order),
    "length": (
        lambda x: np.linalg.norm(x) * x,
        lambda x: np.linalg.norm(x) * np.eye(5) + np.outer(x, x) / np.linalg.norm(x),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("method", [None, "3-point"])
@pytest.mark.parametrize("point", POINTS)
def test_derivatives_are_right_away_from_the_start(name, method, point):
    f, derivative = FUNCTIONS[name]
    given = point.copy()
    matrix = sparse_jacobian(f, START, method=method)(given)
    np.testing.assert_allclose(matrix.toarray(), derivative(point), atol=1e-6)
    np.testing.assert_array_equal(given, point)


def test_the_complex_step_is_left_where_it_is_wrong():
    f, _ = FUNCTIONS["conjugates elsewhere"]
    jacobian = sparse_jacobian(f, START)
    assert jacobian.method == "cs"
    jacobian(POINTS[0])
    assert jacobian.method == "2-point"


def test_a_complex_step_that_was_asked_for_warns():
    f, _ = FUNCTIONS["conjugates elsewhere"]
    jacobian = sparse_jacobian(f, START, method="cs")
    with pytest.warns(st.VerificationWarning, match="not analytic"):
        jacobian(POINTS[0])


@pytest.mark.parametrize("method", ["2-point", "3-point"])
def test_steps_are_those_of_the_coarsest_numbers(method):
    jacobian = sparse_jacobian(lambda x: x.astype(np.float32) ** 2, START, method=method)
    np.testing.assert_allclose(jacobian(POINTS[0]).diagonal(), 2 * POINTS[0], atol=2e-3)


def test_the_complex_step_is_found_where_derivatives_vanish():
    assert sparse_jacobian(lambda x: (x[1:] - x[:-1] ** 2) ** 2, np.ones(5)).method == "cs"
    assert sparse_jacobian(lambda x: np.abs(x) ** 3, np.zeros(5)).method != "cs"


class Remembers:
    """Keeps the last point, as many models do, and answers from memory there."""

    def __init__(self):
        self.point, self.result = None, None

    def __call__(self, x):
        if self.point is None or not np.array_equal(self.point, x):
            self.point, self.result = x, x**2
        return self.result


AWKWARD = {
    "its argument": (lambda x: x, np.eye),
    "a view": (lambda x: x[::-1][1:3], lambda n: np.eye(n)[::-1][1:3]),
    "a view of a view": (lambda x: x.reshape(1, -1).T[1:], lambda n: np.eye(n)[1:]),
    "a list of its elements": (lambda x: [x[1], x[0]], lambda n: np.eye(n)[[1, 0]]),
    "what it remembers": (Remembers(), lambda n: np.diag(2 * POINTS[0])),
}


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("method", ["cs", "2-point", "3-point"])
def test_functions_that_return_or_keep_what_they_are_given(name, method):
    f, expected = AWKWARD[name]
    pattern = expected(5) != 0
    jacobian = sparse_jacobian(f, START, method=method, pattern=pattern)
    for _ in range(3):
        result = jacobian(POINTS[0]).toarray()
        np.testing.assert_allclose(result, expected(5), atol=1e-6)


@pytest.mark.parametrize("method", ["2-point", "3-point"])
@pytest.mark.parametrize("bounds", [None, (POINTS[0], np.inf), (POINTS[0], POINTS[0] + 1e-7)])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_results_change_their_dtype(method, bounds, dtype):
    """Float32 at one point, float64 at the next: the steps fit the coarser, the numbers all."""
    calls = []

    def f(x):
        calls.append(1)
        result = np.sin(x) * x[0]
        return result.astype(np.float32) if len(calls) % 2 else result.astype(dtype)

    pattern = np.eye(5)
    pattern[:, 0] = 1
    jacobian = sparse_jacobian(f, POINTS[0], method=method, pattern=pattern, bounds=bounds)
    expected = np.diag(np.cos(POINTS[0]) * POINTS[0][0])
    expected[:, 0] += np.sin(POINTS[0])
    tolerance = 1e-2 if bounds is None or np.isinf(bounds[1]).all() else 4.0
    np.testing.assert_allclose(jacobian(POINTS[0]).toarray(), expected, atol=tolerance)
