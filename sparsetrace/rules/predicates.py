"""Predicates that several records share, and the intervals from which tests draw inputs.

Contract: as `sparsetrace.rules.record` wants them, values of all inputs -> Booleans; or, of
those that are named ``is_...`` and of `between_zero_and`, values of one operand.  NaN
satisfies none of them.  Values are arrays or scalars of NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.rules.record import Predicate

__all__ = [
    "DEGREE",
    "ORDER",
    "POSITIVE",
    "PROBABILITY",
    "REAL",
    "SHAPE",
    "UNIT",
    "among",
    "at",
    "at_infinities",
    "is_finite_whole",
    "is_one_of",
    "is_rough",
    "swapped",
]

REAL = (-3.0, 3.0)
POSITIVE = (0.3, 3.0)
UNIT = (-0.9, 0.9)
PROBABILITY = (0.1, 0.9)
SHAPE = (0.5, 4.0)
ORDER = (0.0, 4.0)
DEGREE = (0.0, 6.0)


def is_one_of(values: Any, *constants: float) -> Any:
    """True where a value is one of these.

    Examples
    --------
    >>> is_one_of(np.array([0.0, 1.0, 2.0, np.nan]), 0, 2)
    array([ True, False,  True, False])
    """
    mask = values == constants[0]
    for constant in constants[1:]:
        mask = mask | (values == constant)
    return mask


def is_finite_whole(values: Any) -> Any:
    """True at whole numbers."""
    return (values == np.rint(values)) & np.isfinite(values)


def is_rough(exponents: Any) -> Any:
    """True where x**e has an infinite second derivative at 0, and a finite value."""
    return (exponents.real > 0) & (exponents.real < 2) & (exponents != 1)


def at(*places: float) -> Predicate:
    """Of one input: that it is one of these."""
    return lambda x: is_one_of(x, *places)


#: Of one input: on the real axis, since off it erf(z) is infinite at infinity.
at_infinities = at(np.inf, -np.inf)


def swapped(predicate: Predicate) -> Predicate:
    """The predicate of two inputs with the two exchanged."""
    return lambda x, y: predicate(y, x)


def among(inputs: str, predicate: Predicate) -> dict[str, Predicate]:
    """One predicate for all pairs of these inputs.

    Examples
    --------
    >>> list(among("03", swapped))
    ['00 03 33']
    """
    return {" ".join(i + j for i in inputs for j in inputs if i <= j): predicate}
