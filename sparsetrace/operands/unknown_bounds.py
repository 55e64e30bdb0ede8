"""Between which numbers a ufunc's results lie where each operand has one interval for all elements.

Contract: what the records say (`sparsetrace.rules.enclosures`) of such operands, and of those that
may be anything, remembered, since most are asked for again and again.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import errstate, float64

from sparsetrace.rules import RECORDS

__all__ = ["bounds_of_unknown", "enclosed", "is_known"]

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
    lows = tuple(-math.inf if c is None else float(c) for c in constants)
    highs = tuple(math.inf if c is None else float(c) for c in constants)
    return enclosed(ufunc, lows, highs, dtype)


@lru_cache(maxsize=16384)
def enclosed(
    ufunc: np.ufunc, lows: tuple[float, ...], highs: tuple[float, ...], dtype: np.dtype[Any]
) -> tuple[float, float] | None:
    """The bounds of a ufunc's results from those of its operands; None where they say nothing.

    An operand that has 0.0 for a bound may be -0.0, and the other way round.

    Parameters
    ----------
    ufunc : numpy.ufunc
    lows, highs : tuple of float
        The bounds of the operands.
    dtype : numpy.dtype
        Of the result.

    Examples
    --------
    >>> enclosed(np.multiply, (-1.0, 2.0), (3.0, 5.0), np.dtype(float))
    (-5.0, 15.0)
    """
    enclose = RECORDS[ufunc].enclose
    if enclose is None:
        return None
    with errstate(all="ignore"):
        ends = enclose(ufunc, [*map(float64, lows)], [*map(float64, highs)], dtype)
    low, high = map(float, ends)
    low, high = -math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high
    return (low, high) if math.isfinite(low) or math.isfinite(high) else None
