"""Constants beside traced elements have the values that NumPy gives them, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from outside import Outside

from sparsetrace import TracedArray, jacobian_sparsity

INEXACT = [
    np.float16,
    np.float32,
    np.float64,
    np.longdouble,
    np.complex64,
    np.complex128,
    np.clongdouble,
]
WHOLE = [np.int8, np.int32, np.int64, np.uint64, np.bool_]
NUMBERS = [0.0, -0.0, 0.1, 1 / 3, 1e6, 1e300, 1e-50, -1e-8, 1.0, -1.0, 5, True, np.inf, np.nan]
NUMBERS += [np.float32(0.1), np.longdouble(1) / 3, np.uint64(2**64 - 1), np.int64(2**53 + 1)]
NUMBERS += [np.int64(-(2**53) - 1), 0.1 + 0.2j, complex(0.0, -0.0)]


def fits(number, array):
    return array.dtype.kind == "c" or not isinstance(number, complex)


def step(a, rng):
    """The array after one more operation, which does not multiply with zeros."""
    number = NUMBERS[rng.integers(len(NUMBERS))]
    inexact = INEXACT[rng.integers(len(INEXACT))]
    whole = WHOLE[rng.integers(len(WHOLE))]
    kind = rng.integers(10)
    if kind == 0:
        return a.astype(inexact)
    if kind == 1:
        return np.concatenate([a[:2], np.array([number]), a[2:]])
    if kind == 2:
        return np.where(np.arange(len(a)) % 2 == 0, a, number)
    if kind == 3:
        out = np.zeros(len(a), inexact if np.dtype(inexact).kind == "c" else np.float32)
        out[:] = a if fits(0j, out) else a.real
        return out
    if kind == 4:
        return -a
    if kind == 5:
        return a + number
    if kind == 6:
        out = a.copy()
        out[1] = number if fits(number, out) else 2**53
        return out
    if kind == 7:
        return a[::-1].real
    if kind == 8:
        return np.stack([a, a.astype(inexact)])[1]
    return np.concatenate([a[1:], np.arange(2).astype(whole)])


def program(seed, seen):
    """A function that leaves the array after each step in `seen`."""

    def f(x):
        rng = np.random.default_rng(seed)
        a = np.zeros(4, INEXACT[rng.integers(len(INEXACT))])
        a[3] = x[0]
        for i in range(3):
            number = NUMBERS[rng.integers(len(NUMBERS))]
            a[i] = number if fits(number, a) else i
        steps = [a]
        for _ in range(6):
            steps.append(step(steps[-1], rng))
        seen.clear()
        seen.extend(map(known, steps))
        return steps[-1]

    return f


def shown(values):
    """Real and imaginary parts of numbers in all their digits, with their signs."""
    return [[(repr(v.real), repr(v.imag)) if v.dtype.kind == "c" else repr(v) for v in values]]


def known(a):
    """The dtype of an array, and its elements of known value."""
    constant = a._ids <= 0 if isinstance(a, TracedArray) else np.ones(len(a), bool)
    return a.dtype, {i: shown([a[i]]) for i in np.flatnonzero(constant).tolist()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("start", range(0, 300, 50))
def test_values_of_constants(start):
    for seed in range(start, start + 50):
        plain, traced = Outside(), Outside()
        with np.errstate(all="ignore"):
            program(seed, plain)(np.array([1.5]))
            jacobian_sparsity(program(seed, traced), np.array([1.5]))
        for number, (a, b) in enumerate(zip(plain, traced, strict=True)):
            assert a[0] == b[0], (seed, number)
            assert b[1].items() <= a[1].items(), (seed, number)
