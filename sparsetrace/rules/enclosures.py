"""In which interval the results of a ufunc lie, from the intervals of its inputs.

Contract: an enclosure is called with the ufunc, the lower and the upper bounds of its inputs
(float64, of shapes that broadcast; infinite where nothing is known) and the dtype of the
result; it gives bounds of the result that hold in floating point too, or NaN for none.  Rounding
never reverses an order, so a function that rises in exact arithmetic rises as computed.
Interval arithmetic: R. E. Moore, *Interval Analysis*, Prentice-Hall, 1966.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import absolute, asarray, inf, maximum, minimum, nan, nextafter, where

__all__ = [
    "Enclosure",
    "at_corners",
    "increasing",
    "magnitude",
    "power",
    "quotient",
    "residue",
    "root",
    "square",
    "step",
    "within",
]

Interval = tuple[Any, Any]
Enclosure = Callable[[np.ufunc, Sequence[Any], Sequence[Any], np.dtype[Any]], Interval]


def increasing(
    ufunc: np.ufunc, lows: Sequence[Any], highs: Sequence[Any], dtype: np.dtype[Any]
) -> Interval:
    """Of a function that falls in none of its inputs.

    Examples
    --------
    >>> low, high = increasing(np.add, [0, 1], [2, 1], np.dtype(int))
    >>> int(low), int(high)
    (1, 3)
    """
    return ufunc(*lows), ufunc(*highs)


def at_corners(
    ufunc: np.ufunc, lows: Sequence[Any], highs: Sequence[Any], dtype: np.dtype[Any]
) -> Interval:
    """Of a function that rises or falls in each input while the others are held.

    Examples
    --------
    >>> low, high = at_corners(np.multiply, [-1, 2], [3, 5], np.dtype(int))
    >>> int(low), int(high)
    (-5, 15)
    """
    ends = zip(lows, highs, strict=True)
    corners = [asarray(ufunc(*corner)) for corner in itertools.product(*ends)]
    low, high = corners[0], corners[0]
    for corner in corners[1:]:
        low, high = minimum(low, corner), maximum(high, corner)
    return low, high


def quotient(
    ufunc: np.ufunc, lows: Sequence[Any], highs: Sequence[Any], dtype: np.dtype[Any]
) -> Interval:
    """Of a division: its corners, where the divisor has one sign."""
    low, high = at_corners(ufunc, lows, highs, dtype)
    pole = (lows[1] <= 0) & (highs[1] >= 0)
    return where(pole, nan, low), where(pole, nan, high)


def residue(
    ufunc: np.ufunc, lows: Sequence[Any], highs: Sequence[Any], dtype: np.dtype[Any]
) -> Interval:
    """Of ``x % m`` with a positive m: x itself where it lies below m, else from 0 to m.

    The largest one is m - 1 for whole numbers; for others m itself, by rounding.
    """
    (low, least), (high, most) = lows, highs
    stays = (low >= 0) & (high < least)
    last = most - 1 if dtype.kind in "iu" else most
    known = least > 0
    return (
        where(known, where(stays, low, 0), nan),
        where(known, where(stays, high, last), nan),
    )


def magnitude(
    ufunc: np.ufunc, lows: Sequence[Any], highs: Sequence[Any], dtype: np.dtype[Any]
) -> Interval:
    """Of the absolute value."""
    low, high = lows[0], highs[0]
    return maximum(maximum(low, -high), 0), maximum(absolute(low), absolute(high))


def square(
    ufunc: np.ufunc, lows: Sequence[Any], highs: Sequence[Any], dtype: np.dtype[Any]
) -> Interval:
    """Of the square of a number, or of what its absolute value gives rising.

    Examples
    --------
    >>> low, high = square(np.square, [-1.0], [3.0], np.dtype(float))
    >>> float(low), float(high)
    (0.0, 9.0)
    """
    low, high = magnitude(absolute, lows, highs, dtype)
    return ufunc(low), ufunc(high)


def power(
    ufunc: np.ufunc, lows: Sequence[Any], highs: Sequence[Any], dtype: np.dtype[Any]
) -> Interval:
    """Of powers of what is not negative, and of the absolute value if the exponent is even.

    They are the next numbers outside of the powers of the ends, which may be rounded either way.
    """
    (base, exponent), (_, most) = lows, highs
    is_known = (exponent == most) & (exponent > 0)
    is_positive = base >= 0
    bounded = is_known & (is_positive | (exponent % 2 == 0))
    least, largest = magnitude(absolute, lows, highs, dtype)
    low, high = nextafter(least**exponent, -inf), nextafter(largest**exponent, inf)
    return (
        where(bounded, maximum(low, 0.0), where(is_positive, 0.0, nan)),
        where(bounded, high, nan),
    )


def root(
    ufunc: np.ufunc, lows: Sequence[Any], highs: Sequence[Any], dtype: np.dtype[Any]
) -> Interval:
    """Of a root, which has no value where its operand is negative."""
    return ufunc(maximum(lows[0], 0.0)), ufunc(maximum(highs[0], 0.0))


def step(
    ufunc: np.ufunc, lows: Sequence[Any], highs: Sequence[Any], dtype: np.dtype[Any]
) -> Interval:
    """Of Heaviside's step: from 0 to 1, or as far as its value at 0 lies beside these."""
    return minimum(lows[1], 0.0), maximum(highs[1], 1.0)


def within(low: float, high: float) -> Enclosure:
    """Of a function whose results all lie between two numbers.

    Examples
    --------
    >>> within(-1, 1)(np.sin, [0.0], [9.0], np.dtype(float))
    (-1, 1)
    """

    def enclose(
        ufunc: np.ufunc, lows: Sequence[Any], highs: Sequence[Any], dtype: np.dtype[Any]
    ) -> Interval:
        return low, high

    return enclose
