"""A method of a distribution without location and scale: a function of a point and of shapes.

Contract: SciPy's own are any functions of their arguments, element by element, but for the
derivatives that `vanishing` says to be zero.  Methods that a user has written in a subclass are
called with traced arguments; those that SciPy makes of them by quadrature or by a search for
roots depend on their arguments alone, and are refused where the subclass reads traced values
from elsewhere.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparsetrace.dispatch.function_rules import holds_traced, is_given
from sparsetrace.dispatch.keeping_functions import may_keep
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.operands.operands import contains_traced, ids_of, is_traced, values_of
from sparsetrace.scipy_rules.points import function_of
from sparsetrace.scipy_rules.rule_tools import Call, array_of, current, made
from sparsetrace.scipy_rules.stats.vanishing import derivatives_of

__all__ = ["Standard"]

_GENERIC = frozenset(("rv_generic", "rv_continuous", "rv_discrete"))
"""The classes whose methods are made of others, and know no distribution."""
_MADE_OF: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "logpdf": ("pdf", np.log),
    "logpmf": ("pmf", np.log),
    "sf": ("cdf", lambda p: 1.0 - p),
}
"""Generic methods that are a formula of another one's result."""


@dataclass(frozen=True, slots=True)
class Standard:
    """A method of a distribution, of its points and shapes.

    Attributes
    ----------
    call : Call
        What was called, for refusals.
    distribution : rv_generic
    method : str
        ``"logpdf"``.
    discrete : bool
    """

    call: Call
    distribution: Any
    method: str
    discrete: bool

    def __call__(self, point, shapes: Sequence[Any], inside) -> Any:
        """Its values at points; anything where these are not `inside`."""
        distribution, count = self.distribution, 1 + len(shapes)
        attribute = f"_{self.method}"
        users = _user_classes(distribution)
        if holds_traced(distribution) and (current().local or not users):
            self._refuse("the distribution was made of traced numbers")
        if _is_of_user(distribution, attribute):
            return self._called(point, shapes, inside)
        if not users:
            known = derivatives_of(distribution, self.method, len(shapes), discrete=self.discrete)
            return function_of([point, *shapes], known.varying, known.vanishing, np.dtype(float))
        if _owner(distribution, attribute).__name__ in _GENERIC:
            if self.method in _MADE_OF:
                source, formula = _MADE_OF[self.method]
                return formula(replace(self, method=source)(point, shapes, inside))
            if self.method == "isf":
                return replace(self, method="ppf")(1.0 - point, shapes, inside)
        if holds_traced(distribution) or any(map(_reads_traced, _user_functions(distribution))):
            self._refuse("SciPy computes it from methods that use traced numbers")
        methods = (x for x in _user_functions(distribution) if isinstance(x, types.FunctionType))
        if any(map(may_keep, methods)):
            self._refuse("SciPy computes it from methods that may keep numbers")
        varying = [True] * count
        if self.discrete:
            varying = [False] + [self.method not in ("ppf", "isf")] * len(shapes)
        return function_of([point, *shapes], varying, (), np.dtype(float))

    def is_inside(self, point, shapes: Sequence[Any]) -> Any:
        """Where, at the point of a local trace, a result is not one of the constants outside."""
        trace = current()
        if not trace.local:
            return np.True_
        inside = self._inside(point, shapes)
        if trace.moving is not None:
            whole = np.floor(values_of(point)) if self.discrete else inside
            operands = [ids_of(trace, x) for x in (point, *shapes) if contains_traced(x)]
            trace.moving.note(self.method, (inside, whole), operands)
        return inside

    def _inside(self, point, shapes: Sequence[Any]) -> Any:
        point = np.asarray(values_of(point))
        if self.method in ("ppf", "isf"):
            return (point >= 0) & (point <= 1)
        with np.errstate(all="ignore"):
            low, high = self.distribution._get_support(*map(values_of, shapes))
            inside = (point >= low) & (point <= high)
            if self.discrete:
                masses = self.method in ("pmf", "logpmf")
                inside &= np.floor(point) == point if masses else point < high
        return inside

    def _called(self, point, shapes: Sequence[Any], inside) -> Any:
        """A user's method, called as by SciPy: with arrays of one dimension, of what is inside."""
        if self.discrete and self.method not in ("ppf", "isf") and is_traced(point):
            point = np.floor(point)
        arrays = [*np.broadcast_arrays(point, *shapes)]
        shape = arrays[0].shape
        mask = np.broadcast_to(inside, shape).reshape(-1)
        arrays = [np.ravel(a)[mask] if current().local else np.ravel(a) for a in arrays]
        result = array_of(getattr(self.distribution, f"_{self.method}")(*arrays))
        trace, ids = current(), np.full(mask.size, current().graph.opaque, np.int32)
        ids[mask] = ids_of(trace, result)
        if not trace.local:  # outside of the support SciPy has other numbers
            ids = np.maximum(ids, OPAQUE)
        values = np.zeros(mask.size)
        if trace.local:
            values[mask] = values_of(result)
        known = values.reshape(shape) if trace.local else None
        return made(trace, ids.reshape(shape), np.dtype(float), known)

    def _refuse(self, why: str) -> None:
        self.call.refuse(
            f"{why}, which are none of its arguments",
            "Hand them to the methods as shapes, loc or scale.",
        )


# --------------------------------------------------------------- what a user has written
def _owner(distribution, attribute: str) -> type:
    """The class that defines a method."""
    return next(cls for cls in type(distribution).__mro__ if attribute in vars(cls))


def _is_scipys(defined) -> bool:
    return (getattr(defined, "__module__", None) or "").startswith("scipy.")


def _is_of_user(distribution, attribute: str) -> bool:
    return not _is_scipys(getattr(distribution, attribute))


def _user_classes(distribution) -> list[type]:
    """The classes of a distribution that are not SciPy's."""
    return [c for c in type(distribution).__mro__ if c is not object and not _is_scipys(c)]


def _user_functions(distribution) -> Iterator[Any]:
    for cls in _user_classes(distribution):
        for value in vars(cls).values():
            yield getattr(value, "__func__", value)


def _reads_traced(value, seen: frozenset[int] = frozenset()) -> bool:
    """Whether a value is traced or holds traced ones, or is a function that reads such a value."""
    if is_given(value) or contains_traced(value):
        return True
    if not isinstance(value, types.FunctionType):
        return not isinstance(value, types.ModuleType | type) and holds_traced(value)
    if id(value) in seen or _is_scipys(value):
        return False
    read = inspect.getclosurevars(value)
    others = [*read.nonlocals.values(), *read.globals.values(), *(value.__defaults__ or ())]
    return any(_reads_traced(other, seen | {id(value)}) for other in others)
