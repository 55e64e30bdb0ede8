"""Real and imaginary parts of complex numbers, apart: against numerical derivatives, both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cases.complex_programs import (
    COVERED,
    SCIPY,
    TO_COMPLEX,
    TO_REAL,
    program,
    random_program,
    steps,
)
from oracles import (
    assert_covers,
    assert_same_pattern,
    flat_outputs,
    hessian_pattern_at,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)
from sparsetrace import hessian_sparsity, jacobian_sparsity

X = np.array([0.98, 1.03, 1.02, 0.97, 1.05, 1.01])
BOTH = "(z.real, z.imag)"
CASES = {
    **{step: program([f"z = {step}"], BOTH) for step in steps(TO_COMPLEX)},
    **{step: program([f"r = {step}"], "r") for step in steps(TO_REAL)},
}
CONSERVATIVE_AT_A_POINT = {
    "np.interp(d, [-1, 0, 2], z)": "a place on a node depends on the neighbours, too",
}
CONSERVATIVE_HESSIAN = {
    "np.abs(z)": "a shared input cancels",
    "np.abs(z) ** 2": "the root is squared",
    "np.real(z * np.conj(C @ z))": "products with one number's own parts cancel",
}
PROGRAMS = 60


def weighted(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """One number that depends on all outputs, each with a factor of its own."""
    count = len(flat_outputs(f(X)))
    factors = np.cos(np.arange(1, count + 1))

    def total(x: Any) -> Any:
        result = f(x)
        parts = result if isinstance(result, tuple) else (result,)
        return (np.concatenate([np.ravel(part) for part in parts]) * factors).sum()

    return total


@pytest.mark.parametrize("step", CASES)
def test_jacobian(step):
    f = CASES[step]
    expected = numerical_jacobian_pattern(f, X, points=8)
    assert_same_pattern(jacobian_sparsity(f, X), expected)
    pattern, at_point = jacobian_sparsity(f, X, local=True), jacobian_pattern_at(f, X)
    if step in CONSERVATIVE_AT_A_POINT:
        assert_covers(pattern, at_point)
    else:
        assert_same_pattern(pattern, at_point)


@pytest.mark.parametrize("step", CASES)
def test_hessian(step):
    f = weighted(CASES[step])
    compare = assert_covers if step in CONSERVATIVE_HESSIAN else assert_same_pattern
    compare(hessian_sparsity(f, X), numerical_hessian_pattern(f, X))
    compare(hessian_sparsity(f, X, local=True), hessian_pattern_at(f, X))


def both_parts(step: str) -> Callable[[Any], Any]:
    """The real and the imaginary part of what a step gives, of any shape."""
    f = program([f"y = {step}"], "y")

    def parts(x: Any) -> Any:
        y = f(x)
        y = y.toarray() if hasattr(y, "toarray") else y
        return y.real, y.imag

    return parts


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("step", steps(SCIPY))
def test_functions_of_scipy(step, local):
    f = both_parts(step)
    expected = jacobian_pattern_at(f, X) if local else numerical_jacobian_pattern(f, X)
    assert_same_pattern(jacobian_sparsity(f, X, local=local), expected)


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("step", steps(COVERED))
def test_functions_that_join_the_parts(step, local):
    """What both parts of a result depend on, jointly: nothing is lost."""
    f = both_parts(step)
    expected = jacobian_pattern_at(f, X) if local else numerical_jacobian_pattern(f, X)
    assert_covers(jacobian_sparsity(f, X, local=local), expected)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_programs_lose_nothing(seed):
    f = program(*random_program(seed))
    try:
        expected = numerical_jacobian_pattern(f, X, points=3)
    except (ValueError, ZeroDivisionError) as error:
        pytest.skip(f"no derivatives: {error}")
    for local in (False, True):
        assert_covers(
            jacobian_sparsity(f, X, local=local),
            jacobian_pattern_at(f, X) if local else expected,
        )
    g = weighted(f)
    assert_covers(hessian_sparsity(g, X), numerical_hessian_pattern(g, X))


# ------------------------------------------------------------------- arguments and inputs
def test_a_complex_input_is_one_column():
    """What depends on either part of an input has its entry."""
    z = np.array([1 + 2j, 2 - 1j, 0.5j])

    def f(z: NDArray[Any]) -> Any:
        return z[0].real, z[1].imag * 2, (z * 1j).real[2:], z[:2] * np.array([1, 1j])

    expected = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]])
    for local in (False, True):
        assert_same_pattern(jacobian_sparsity(f, z, local=local), expected)


def test_a_complex_output_is_one_row():
    x = np.arange(1.0, 5)
    pattern = jacobian_sparsity(lambda x: x[:2] + 1j * x[2:], x)
    assert_same_pattern(pattern, np.array([[1, 0, 1, 0], [0, 1, 0, 1]]))


def test_unknown_numbers_cut_nothing():
    """A complex argument may have any value; a real one has no imaginary part."""

    def f(x: Any, c: Any, d: Any) -> Any:
        z = x[0] + 1j * x[1]
        return (z * c).real, (z * d).real, (z / d).imag

    expected = np.array([[1, 1], [1, 0], [0, 1]])
    assert_same_pattern(jacobian_sparsity(f, np.ones(2), 1j, 2.0), expected)


@pytest.mark.parametrize("size", [1e200, 1e-200, 1e308, 5e-324])
@pytest.mark.parametrize("local", [False, True])
def test_quotients_of_very_large_and_small_numbers(size, local):
    """Squares of these overflow or vanish; the dependencies do not."""

    def f(x: Any) -> Any:
        y = np.zeros(2, complex)
        y[0] = size * (1 + 0.5j)  # known in a buffer of traced numbers
        y[1] = x[1] * size + 1j * size
        z = (x[0] * (1 + 2j)) / y * size
        return z.real, z.imag

    expected = np.array([[1, 0], [1, 1], [1, 0], [1, 1]])
    pattern = jacobian_sparsity(f, np.array([0.7, 0.6]), local=local)
    assert_covers(pattern, expected)


def test_an_inverse_at_a_real_point():
    """1 / (a + bi) where b is zero: the real part varies with a alone, the other one with b."""

    def f(x: Any) -> Any:
        z = 1 / (x[0] + 1j * x[1])
        return z.real, z.imag

    assert_same_pattern(jacobian_sparsity(f, np.array([2.0, 0.0]), local=True), np.eye(2))


@pytest.mark.parametrize("dtype", [np.complex64, np.clongdouble])
def test_other_precisions(dtype):
    def f(x: Any) -> Any:
        z = np.zeros(2, dtype)
        z.real, z.imag = x[:2], x[2:]
        z *= dtype(1j)
        return z.real, z.imag.astype(float)

    expected = np.eye(4)[[2, 3, 0, 1]]
    for local in (False, True):
        assert_same_pattern(jacobian_sparsity(f, np.ones(4), local=local), expected)


def test_a_real_result_has_no_parts_of_its_operands():
    """|z| may share the node of z; as a complex number again it is real."""

    def f(x: Any) -> Any:
        z = x[:2] + 1j * x[2:]
        w = np.sin(z)  # shares what z depends on, and mixes the parts
        return w.real, w.imag, (np.abs(z) + 0j).real, (np.abs(z) * 1j).real

    both = np.hstack([np.eye(2), np.eye(2)])
    expected = np.vstack([both, both, both, np.zeros((2, 4))])
    assert_same_pattern(jacobian_sparsity(f, np.arange(1.0, 5)), expected)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 8, 12])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("extra", [None, 2, -1])
def test_fourier_transforms(name, n, extra):
    transform = getattr(np.fft, name)
    length = None if extra is None else max(n + extra, 1)
    if name in ("irfft", "hfft") and n == 1 and length is None:
        pytest.skip("a transform to no elements")
    of_reals = name in ("rfft", "ihfft")

    def f(x: NDArray[Any]) -> Any:
        result = transform(x if of_reals else x[:n] + 1j * x[n:], length)
        return result.real, result.imag

    x = np.zeros(n if of_reals else 2 * n)
    matrix = np.array([flat_outputs(f(unit)) for unit in np.eye(len(x))]).T
    expected = abs(matrix) > 1e-12 * abs(matrix).max()
    for local in (False, True):
        assert_same_pattern(jacobian_sparsity(f, x + 1, local=local), expected)


def test_filters_with_complex_coefficients():
    signal = pytest.importorskip("scipy.signal")

    def f(x: Any) -> Any:
        y = signal.lfilter([1, 1j], [1.0], x)
        return y.real, y.imag

    expected = np.vstack([np.eye(4), np.eye(4, k=-1)])
    for local in (False, True):
        assert_same_pattern(jacobian_sparsity(f, np.ones(4), local=local), expected)
