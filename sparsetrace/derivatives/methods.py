"""Derivatives by differences: points to call the function at, and what their results mean.

Sources: Squire and Trapp 1998 (complex step); the steps of differences are those of
`scipy.optimize.least_squares`: a power of the rounding unit, times max(1, |x|).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.errors import InputError

__all__ = [
    "COARSE",
    "COMPLEX_STEP",
    "EXACT",
    "METHODS",
    "OF_COARSE",
    "SECOND",
    "Bounds",
    "Method",
    "Steps",
    "checked_bounds",
    "checked_rel_step",
    "steps",
]

Method = Literal["cs", "2-point", "3-point"]
METHODS = ("cs", "2-point", "3-point")
COMPLEX_STEP = 2.0**-100
"""So small that its square vanishes beside every number; a power of 2 divides without rounding."""
_EPS = float(np.finfo(np.float64).eps)
_POWERS = {"2-point": 1 / 2, "3-point": 1 / 3}
SECOND = {"2-point": _EPS ** (1 / 3), "3-point": _EPS ** (1 / 4)}
"""Relative steps of second differences, of values."""
EXACT = _EPS
"""The relative error of the complex step."""
COARSE = _EPS ** (2 / 3)
"""The relative error of central differences."""
OF_COARSE = {"2-point": COARSE ** (1 / 2), "3-point": COARSE ** (1 / 3)}
"""Relative steps of differences of what are central differences themselves."""

Bounds = tuple[Vector, Vector]


@dataclass(frozen=True)
class Steps:
    """How far each element moves, at the first point and, for three points, at the second."""

    first: Vector
    second: Vector | None = None

    @property
    def one_sided(self) -> Vector | None:
        """Of three points, those elements that both lie on the same side."""
        if self.second is None:
            return None
        same = np.sign(self.first) == np.sign(self.second)
        return same if same.any() else None


def checked_bounds(bounds: Any, size: int) -> Bounds | None:
    """Lower and upper bounds as two vectors; `scipy.optimize.Bounds` or a pair.

    Raises
    ------
    InputError
        If there are not two of them, or they do not fit the inputs.
    """
    if bounds is None:
        return None
    is_scipys = hasattr(bounds, "lb") and hasattr(bounds, "ub")
    pair: Any = (bounds.lb, bounds.ub) if is_scipys else bounds
    try:
        lower, upper = pair
        sides = [np.broadcast_to(np.asarray(side, np.float64), (size,)) for side in (lower, upper)]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"bounds are a pair (lower, upper) of numbers or {size} numbers each: {error}"
        ) from None
    if (sides[0] > sides[1]).any():
        raise InputError("a lower bound lies above its upper bound")
    return sides[0], sides[1]


def checked_rel_step(rel_step: ArrayLike | None, size: int) -> None:
    """Refuse relative steps that move nothing.

    Raises
    ------
    InputError
        If they are no numbers, zero or not finite, or are neither one nor as many as the inputs.
    """
    if rel_step is None:
        return
    try:
        given = np.broadcast_to(np.asarray(rel_step, np.float64), (size,))
    except (TypeError, ValueError):
        raise InputError(f"rel_step is one number, or {size} of them, one an input") from None
    if not (np.isfinite(given) & (given != 0)).all():
        raise InputError("rel_step is finite and not zero, or nothing moves")


def rounding_unit(values: Vector) -> float:
    """That of the numbers that a function returned; of whole numbers that of float64."""
    return max(_EPS, float(np.finfo(values.dtype).eps)) if values.dtype.kind in "fc" else _EPS


def steps(
    x: Vector,
    method: str,
    rel_step: ArrayLike | None,
    bounds: Bounds | None,
    reach: float = 1.0,
    unit: float = _EPS,
) -> Steps:
    """The steps of all elements, within the bounds; of two points with room for `reach` of them.

    A step that would leave the bounds goes to the other side; where no side has room, to the
    bound that is farther.  Elements whose bounds are equal move as if they had none, as their
    derivatives are wanted, too.
    """
    relative = (
        unit ** _POWERS[method] if rel_step is None else np.asarray(rel_step, dtype=np.float64)
    )
    sign = np.where(x.real < 0, -1.0, 1.0)
    wanted = sign * np.abs(relative) * np.maximum(1.0, np.abs(x))
    if method == "2-point":
        return Steps(_exact(x, _inside(x, wanted, bounds, reach)))
    if bounds is None:
        wanted = _exact(x, np.abs(wanted))
        return Steps(wanted, -wanted)
    lower, upper = bounds
    central = (x - np.abs(wanted) >= lower) & (x + np.abs(wanted) <= upper) | (lower == upper)
    one_sided = _inside(x, np.abs(wanted), bounds, 2.0)
    first = _exact(x, np.where(central, np.abs(wanted), one_sided))
    return Steps(first, np.where(central, -first, 2 * first))


def _exact(x: Vector, step: Vector) -> Vector:
    """The difference that the rounded sum has."""
    with np.errstate(invalid="ignore"):  # where x is infinite there is none
        result: Vector = (x + step) - x
    return result


def _inside(x: Vector, step: Vector, bounds: Bounds | None, times: float) -> Vector:
    """Steps that, so many times, stay within the bounds."""
    if bounds is None:
        return step
    lower, upper = bounds
    below, above = (x - lower) / times, (upper - x) / times
    fits = np.where(step > 0, step <= above, -step <= below) | (lower == upper)
    other = np.where(step > 0, step <= below, -step <= above)
    farther = np.where(above >= below, above, -below)
    result: Vector = np.where(fits, step, np.where(other, -step, farther))
    return result
