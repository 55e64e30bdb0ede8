"""Which loop of a ufunc NumPy chooses for its operands.

Contract: dtypes alone decide, and of Python's numbers that they are such.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy.typing import NDArray

from sparsetrace.operands.operands import (
    FLOAT,
    constant_values,
    dtype_of,
    python_type,
)

__all__ = ["in_loop", "result_dtypes"]

_DTYPES: dict[Any, tuple[np.dtype[Any], ...]] = {}
_PYTHON_NUMBERS = frozenset((bool, int, float, complex))


def result_dtypes(ufunc: np.ufunc, inputs: Sequence[Any]) -> tuple[np.dtype[Any], ...]:
    """The dtypes of the outputs, as NumPy would choose them.

    Raises
    ------
    TypeError
        Where NumPy raises it too: no loop for these dtypes.
    """
    key = (ufunc, *map(_dtype_key, inputs))
    result = _DTYPES.get(key)
    if result is None:
        wanted = tuple(k if k is not bool else np.dtype(bool) for k in key[1:])
        resolved = ufunc.resolve_dtypes((*wanted, *(None,) * ufunc.nout))
        result = tuple(FLOAT if d.kind == "O" else d for d in resolved[ufunc.nin :])
        _DTYPES[key] = result
    return result


def _dtype_key(x: Any) -> Any:
    cls = type(x)
    if cls in _PYTHON_NUMBERS:
        return cls
    if getattr(cls, "_is_traced", False):
        return python_type(cls) or x._dtype
    if cls is np.ndarray and x.dtype.kind != "O":
        return x.dtype
    return dtype_of(x)


def in_loop(x: Any, inputs: Sequence[Any]) -> NDArray[Any]:
    """A constant operand; a number of Python's in half or single precision beside such operands."""
    values = constant_values(x)
    if type(x) in _PYTHON_NUMBERS:
        strong = [dtype_of(y) for y in inputs if python_type(type(y)) is None]
        if any(dtype.char in "efF" for dtype in strong):
            with np.errstate(all="ignore"):
                return values.astype(np.result_type(*strong, x))
    return values
