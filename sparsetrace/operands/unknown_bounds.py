"""Between which numbers a ufunc's results lie where nothing is known of its traced operands.

Contract: what the records say (`sparsetrace.rules.enclosures`) of operands that may be anything,
remembered, since most are asked for again and again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import errstate, float64, isfinite

from sparsetrace.rules import RECORDS

__all__ = ["bounds_of_unknown", "is_known"]

_ANYTHING = float64(-np.inf), float64(np.inf)
_EXACT = 2**53


def is_known(operand: object) -> bool:
    """Whether an operand is a number of Python's that `bounds_of_unknown` takes.

    Examples
    --------
    >>> is_known(2), is_known(-0.0), is_known(10**400)
    (True, False, False)
    """
    if type(operand) is float:
        return bool(operand)
    return type(operand) is int and 0 < abs(operand) <= _EXACT


@lru_cache(maxsize=16384)
def bounds_of_unknown(
    ufunc: np.ufunc, constants: tuple[float | None, ...], dtype: np.dtype[Any]
) -> tuple[Any, Any] | None:
    """The bounds of ``ufunc(*constants)``; None where they say nothing.

    Parameters
    ----------
    ufunc : numpy.ufunc
    constants : tuple of float or None
        The operands, None for those that may be anything.  No zeros: equal ones differ in sign.
    dtype : numpy.dtype
        Of the result.

    Examples
    --------
    >>> low, high = bounds_of_unknown(np.square, (None,), np.dtype(float))
    >>> float(low), float(high)
    (0.0, inf)
    >>> bounds_of_unknown(np.multiply, (None, 2.0), np.dtype(float)) is None
    True
    """
    enclose = RECORDS[ufunc].enclose
    if enclose is None:
        return None
    ends = [_ANYTHING if c is None else (float64(c), float64(c)) for c in constants]
    lows, highs = zip(*ends, strict=True)
    with errstate(all="ignore"):
        low, high = map(float64, enclose(ufunc, lows, highs, dtype))
    return (low, high) if isfinite(low) or isfinite(high) else None
