"""Predicates on constant operands, used by the cuts of the rule tables.

Contract: an array of constants (Boolean, integer, real or complex, any shape,
0-d included) -> a Boolean array of the same shape.  NaN satisfies none of them:
a NaN operand leaves every dependency in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray
from numpy.typing import NDArray

__all__ = [
    "is_infinite",
    "is_minus_infinity",
    "is_nonzero",
    "is_one",
    "is_plus_infinity",
    "is_zero",
    "is_zero_or_infinite",
    "is_zero_or_one",
]

Values = NDArray[Any]
Mask = NDArray[np.bool_]


def is_zero(values: Values) -> Mask:
    """True where the constant is 0 (or -0.0)."""
    return asarray(values == 0)


def is_one(values: Values) -> Mask:
    """True where the constant is 1."""
    return asarray(values == 1)


def is_zero_or_one(values: Values) -> Mask:
    """True where the constant is 0 or 1."""
    return asarray((values == 0) | (values == 1))


def is_nonzero(values: Values) -> Mask:
    """True where the constant is a number other than 0; NaN is no number."""
    return asarray((values == values) & (values != 0))


def is_infinite(values: Values) -> Mask:
    """True where the constant is +inf, -inf or a complex infinity."""
    return asarray(np.isinf(values))


def is_plus_infinity(values: Values) -> Mask:
    """True where the constant is +inf."""
    return asarray(values == np.inf)


def is_minus_infinity(values: Values) -> Mask:
    """True where the constant is -inf."""
    return asarray(values == -np.inf)


def is_zero_or_infinite(values: Values) -> Mask:
    """True where the constant is 0 or infinite."""
    return asarray((values == 0) | np.isinf(values))
