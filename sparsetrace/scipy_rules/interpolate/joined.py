"""``scipy.interpolate``: curves each value of which depends on all that they were made of.

Contract: jointly nonlinear, as where abscissas or knots are traced: a point then lies in any
interval.  What such an object shows of its coefficients is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE
from sparsetrace.operands.operands import contains_traced, ids_of, values_of
from sparsetrace.scipy_rules.interpolate.interpolators import class_of
from sparsetrace.scipy_rules.points import function_of
from sparsetrace.scipy_rules.rule_tools import (
    STATE,
    Call,
    Hidden,
    array_of,
    constant,
    current,
    made,
)
from sparsetrace.scipy_rules.whole import replaced, total_of

__all__ = ["Curve", "join", "joined", "made_of"]

_UNKNOWN = (
    "what a curve of traced abscissas is made of is not known",
    "Call the curve itself, or use constant abscissas.",
)
_HIDDEN = (
    *("c", "t", "x", "y", "yi", "wi", "weights", "k", "extrapolate", "fill_value_orig"),
    *("support_points", "support_values"),
)


@dataclass(slots=True)
class Curve:
    """A curve of traced abscissas.

    Attributes
    ----------
    sources : tuple
        What it was made of.
    shape : tuple of int
        The shape of its ordinates, of which `axis` is that of the points.
    plain : object or None
        SciPy's own curve of the values; None where these are not known.
    """

    call: Call
    sources: tuple[Any, ...]
    shape: tuple[int, ...]
    axis: int
    plain: Any

    def evaluated(self, points, *given) -> Any:
        """At points; `given` is what SciPy's method takes besides."""
        constant(self.call, given, "an option")
        trace, points = current(), array_of(points)
        total = made(trace, np.array(total_of(self.sources)), float)
        behind = len(self.shape) - self.axis - 1
        places = points.reshape(points.shape + (1,) * behind)
        shape = self.shape[: self.axis] + points.shape + self.shape[self.axis + 1 :]
        result = function_of([places, total], [True, True], (), float)
        values = None
        if trace.local:
            method = Call("", type(self.plain).__call__)
            values = np.asarray(method.plainly(self.plain, np.asarray(values_of(points)), *given))
        ids = np.broadcast_to(np.maximum(ids_of(trace, result), OPAQUE), shape)
        return made(trace, ids.copy(), float, values)

    def derived(self, cls, method: str, nu: int) -> Any:
        """A curve that is its derivative or antiderivative."""
        plain = None if self.plain is None else getattr(self.plain, method)(nu)
        holder = object.__new__(cls)
        join(self.call, holder, self.sources, np.zeros(self.shape), self.axis, lambda: plain)
        return holder

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.call.refuse(*_UNKNOWN)


def join(
    call: Call, holder, sources: tuple[Any, ...], y, axis: int, plain: Callable[[], Any]
) -> None:
    """Make an object one of traced abscissas; `plain` makes SciPy's own of the values."""
    y = array_of(y)
    state = Curve(call, sources, y.shape, axis % y.ndim, plain() if current().local else None)
    hidden = Hidden(call.name, *_UNKNOWN)
    holder._asarray = lambda x: x  # which what is shown passes through
    for name in _HIDDEN:
        shown = isinstance(getattr(type(holder), name, None), property)
        setattr(holder, f"_{name}" if shown or name == "fill_value_orig" else name, hidden)
    if hasattr(holder, "_construct_from_xp"):  # since SciPy 1.18 they are read off an object inside
        holder._xp, holder._delegate_to = np, hidden
    holder.axis = state.axis
    holder.__dict__[STATE] = state


def joined(call: Call, self, place: int, *args, **options) -> bool:
    """The same for a constructor, where any of its arguments but the ordinates is traced.

    The first of `args` are the abscissas, the second the ordinates, whose axis is `place`.
    """
    x, y, *rest = args
    if not contains_traced((x, rest, list(options.values()))):
        return False

    def plain() -> Any:
        own = object.__new__(type(self))
        call.plainly(own, *replaced(args, None), **replaced(options, None))
        return own

    join(call, self, (x, y, *rest, *options.values()), y, place, plain)
    return True


def made_of(call: Call, y, place: int, *args, shown=None, **options) -> Any:
    """The same for a function that makes a ``BSpline``; `shown` picks it of several results."""
    holder = object.__new__(class_of("BSpline"))

    def plain() -> Any:
        found = call.plainly(*replaced(args, None), **replaced(options, None))
        return found if shown is None else found[shown]

    join(call, holder, (*args, *options.values()), y, place, plain)
    return holder
