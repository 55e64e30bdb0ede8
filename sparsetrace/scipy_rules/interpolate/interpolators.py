"""Objects of ``scipy.interpolate`` that hold traced elements.

Contract: such an object is an instance of SciPy's own class.  A state is kept in it that has
the traced coefficients and evaluates it; its other attributes are those of an object that
SciPy made from plain numbers.
"""

from __future__ import annotations

import copy
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.operands.operands import is_traced, values_of
from sparsetrace.scipy_rules.rule_tools import STATE, array_of, current, made

__all__ = [
    "Sites",
    "beside",
    "class_of",
    "first_axis",
    "known_places",
    "looked_up",
    "made_anew",
    "placed",
    "set_state",
]


def class_of(name: str) -> Any:
    """A class of ``scipy.interpolate``."""
    return getattr(sys.modules["scipy.interpolate"], name)


def set_state(holder, plain, state, **shown) -> None:
    """Make an object of its class without running its constructor.

    Attributes are those of a plain object of the class, but for the ones shown.
    """
    names = [name for cls in type(plain).__mro__ for name in getattr(cls, "__slots__", ())]
    names += list(getattr(plain, "__dict__", {}))
    for name in names:
        if hasattr(plain, name) and name not in ("__dict__", "__weakref__"):
            setattr(holder, name, getattr(plain, name))
    if hasattr(plain, "_asarray"):  # which `c` passes through
        holder._asarray = _itself
    shows = holder
    if hasattr(
        plain, "_delegate_to"
    ):  # since SciPy 1.18 what is shown is read off an object inside
        shows = holder._delegate_to = copy.copy(plain._delegate_to)
        holder._xp = _Namespace(plain._xp)
    for name, value in shown.items():
        hidden = f"_{name}"
        if hasattr(plain, hidden):
            setattr(shows, hidden, value)
        if name in getattr(plain, "__dict__", {}) or not hasattr(plain, hidden):
            setattr(shows, name, value)
    holder.__dict__[STATE] = state


def _itself(x, **_):
    return x


def made_anew(holder, name: str, c, x, extrapolate, axis: int) -> None:
    """Make an object that there is one of other coefficients, which have their axes in front."""
    if axis:
        c = np.moveaxis(np.moveaxis(c, 0, axis + 1), 0, axis + 1)
    class_of(name).__init__(holder, c, x, extrapolate, axis)


class _Namespace:
    """An array namespace that leaves arrays as they are."""

    def __init__(self, namespace) -> None:
        self._namespace = namespace

    asarray = staticmethod(_itself)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_namespace"], name)


def placed(out, points: int, axis: int) -> Any:
    """The axes of the points moved to where the interpolation axis was."""
    if not axis or not points:
        return out
    axes = list(range(out.ndim))
    return out.transpose(axes[points : points + axis] + axes[:points] + axes[points + axis :])


def first_axis(y, axis: int) -> tuple[Any, int]:
    """The interpolation axis first, and its number."""
    y = array_of(y)
    axis = normalize_axis_index(axis, y.ndim)
    return np.moveaxis(y, axis, 0), axis


def looked_up(table: NDArray[Any], place) -> Any:
    """Elements of an ordinary array at places that may be traced."""
    if not is_traced(place):
        return table[place]
    trace = current()
    return made(trace, trace.graph.constant(table), table.dtype, table)[place]


def known_places(points) -> NDArray[Any] | None:
    """The values of points as far as they are known: of constants, and in a local trace."""
    if not is_traced(points):
        return np.asarray(points)
    return np.asarray(values_of(points)) if current().local else None


@dataclass(slots=True)
class Sites:
    """Where a spline passes through its ordinates."""

    x: NDArray[Any]
    y: Any

    def through(self, points, out):
        """`out` with the ordinates themselves at the sites; both in one dimension."""
        if is_traced(points):
            return out
        at = np.searchsorted(self.x, points).clip(0, len(self.x) - 1)
        hit = self.x[at] == points
        if not hit.any():
            return out
        hit = hit.reshape(hit.shape + (1,) * (out.ndim - 1))
        return np.where(hit, self.y[at], out)


def beside(scale, term):
    """One number for each point, against several results."""
    shape = np.shape(scale)
    return np.reshape(scale, shape + (1,) * (term.ndim - len(shape))) if shape else scale
