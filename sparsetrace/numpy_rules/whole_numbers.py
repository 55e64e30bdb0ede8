"""Rules of functions whose results are truth values or whole numbers.

Contract: such a result depends on the inputs, but its derivative is zero (the node `OPAQUE`).
A branch on it is handled like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.operands.constants import opaque
from sparsetrace.operands.operands import Elements, dtype_of, ids_of
from sparsetrace.operands.registry import rule_for

__all__: list[str] = []


# ------------------------------------------------------- truth values, of Python's own
@rule_for(np.allclose)
def _allclose(trace: Trace, a, b, rtol, atol, equal_nan) -> Any:
    return np.all(np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)).item()


@rule_for(np.array_equal)
def _array_equal(trace: Trace, a1, a2, equal_nan) -> Any:
    if np.shape(a1) != np.shape(a2):
        return False
    same = np.equal(a1, a2)
    if equal_nan:
        same = same | (np.isnan(a1) & np.isnan(a2))
    return np.all(same).item()


@rule_for(np.array_equiv)
def _array_equiv(trace: Trace, a1, a2) -> Any:
    try:
        np.broadcast_shapes(np.shape(a1), np.shape(a2))
    except ValueError:
        return False
    return np.all(np.equal(a1, a2)).item()


def _sign_of_infinity(function: Callable[..., Any], *, negative: bool) -> None:
    def rule(trace: Trace, x) -> Elements:
        function(np.zeros((), dtype_of(x)))  # NumPy refuses complex numbers
        result = np.logical_and(np.isinf(x), np.signbit(x) == negative)
        return Elements(ids_of(trace, result), np.dtype(bool))

    rule_for(function)(rule)


_sign_of_infinity(np.isneginf, negative=True)
_sign_of_infinity(np.isposinf, negative=False)


# ----------------------------------------------------------------- whole numbers
def _bits(trace: Trace, a) -> Any:
    """Zeros in the shape of the operand; NumPy refuses what is no whole number."""
    dtype = dtype_of(a)
    return np.zeros(np.shape(a), dtype if dtype.kind in "biu" else float)


@rule_for(np.packbits, signature="a, /, axis=None, bitorder='big'")
def _packbits(trace: Trace, a, axis, bitorder) -> Elements:
    sample = np.packbits(_bits(trace, a), axis, bitorder)
    return opaque(trace, lambda x: np.packbits(x, axis, bitorder), [a], sample.shape, sample.dtype)


@rule_for(np.unpackbits, signature="a, /, axis=None, count=None, bitorder='big'")
def _unpackbits(trace: Trace, a, axis, count, bitorder) -> Elements:
    sample = np.unpackbits(_bits(trace, a), axis, count, bitorder)
    return opaque(
        trace, lambda x: np.unpackbits(x, axis, count, bitorder), [a], sample.shape, sample.dtype
    )


@rule_for(np.unravel_index, signature="indices, shape, order='C'")
def _unravel_index(trace: Trace, indices, shape, order) -> Any:
    # on nothing: NumPy raises its own errors for wrong arguments
    np.unravel_index(np.zeros(0, dtype_of(indices)), shape, order)

    def index(axis: int) -> Elements:
        def values(x) -> Any:
            return np.unravel_index(x, shape, order)[axis]

        return opaque(trace, values, [indices], np.shape(indices), np.intp)

    dims = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    return tuple(index(axis) for axis in range(len(dims)))


@rule_for(np.ravel_multi_index, signature="multi_index, dims, mode='raise', order='C'")
def _ravel_multi_index(trace: Trace, multi_index, dims, mode, order) -> Elements:
    indices = list(multi_index)
    shape = np.broadcast_shapes(*map(np.shape, indices))
    # on nothing: NumPy raises its own errors for wrong arguments
    np.ravel_multi_index(tuple(np.zeros(0, dtype_of(x)) for x in indices), dims, mode, order)

    def values(*indices) -> Any:
        return np.ravel_multi_index(indices, dims, mode, order)

    return opaque(trace, values, indices, shape, np.intp)
