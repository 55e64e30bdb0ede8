"""``scipy.interpolate``: objects that are linear in traced coefficients.

Contract: SciPy's own object of unit coefficients, which stand along one more axis, says what
multiplies each; its zeros end dependencies.  Derivatives and integrals of such an object are
those of that object, and its points may be traced as those of any constant one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.interpolate.interpolators import class_of, made_anew, placed, set_state
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    makes_objects,
    state_of,
)
from sparsetrace.scipy_rules.whole import whole

_KNOTS = "a knot, a break or an option"


@dataclass(slots=True)
class Linear:
    """An object of coefficients `c`, one row of them for each unit of `basis`."""

    basis: Any
    c: Any
    axis: int = 0

    def times(self, units) -> Any:
        """What the object gives where that of unit coefficients gives `units`."""
        return np.tensordot(units, self.c, 1)

    def evaluated(self, points, *given, **named) -> Any:
        """At points, as the object's own ``__call__``."""
        points = points if isinstance(points, tuple) else array_of(points)
        result = self.times(self.basis(points, *given, **named))
        return placed(result, np.ndim(points), self.axis) if self.axis else result

    def fill(self, holder) -> None:
        set_state(holder, self.basis, self, c=self.times(self.basis.c))

    def through(self, method: str, *args, **options) -> Any:
        """What a method gives: numbers, or another such object."""
        found = getattr(self.basis, method)(*args, **options)
        if not hasattr(found, "c"):
            return self.times(found)
        holder = object.__new__(type(found))
        Linear(found, self.c, self.axis).fill(holder)
        return holder


def units_of(shape: tuple[int, ...]) -> Any:
    """Unit coefficients of this shape, one after the other along a last axis."""
    return np.eye(int(np.prod(shape))).reshape(*shape, -1)


@makes_objects
def NdPPoly_init(call, self, c, x, extrapolate):
    constant(call, (tuple(x), extrapolate), _KNOTS)
    shape = np.shape(c)[: 2 * len(x)]
    basis = type(self)(units_of(shape), x, extrapolate)
    Linear(basis, array_of(c).reshape(-1, *np.shape(c)[2 * len(x) :])).fill(self)


@makes_objects
def NdBSpline_init(call, self, t, c, k, extrapolate):
    constant(call, (tuple(t), extrapolate), _KNOTS)
    shape = np.shape(c)[: len(t)]
    basis = type(self)(t, units_of(shape), k, extrapolate=extrapolate)
    Linear(basis, array_of(c).reshape(-1, *np.shape(c)[len(t) :])).fill(self)


def bernstein(self, c, x, extrapolate, axis: int) -> None:
    """``BPoly`` of traced coefficients."""
    c = array_of(c)
    if axis:
        c = np.moveaxis(np.moveaxis(c, axis + 1, 0), axis + 1, 0)
    basis = type(self)(units_of(c.shape[:2]), x, extrapolate)
    Linear(basis, c.reshape(-1, *c.shape[2:]), axis).fill(self)


def BPoly_extend(call, self, c, x):
    """By SciPy's own of unit coefficients, which raises degrees and says on which side they go."""
    constant(call, x, "a break")
    state, c = state_of(self), array_of(c)
    if not isinstance(state, Linear):
        call.refuse("its coefficients are not known here", "Make a new polynomial of all of them.")
    old, new, behind = state.basis.c, units_of(c.shape[:2]), state.c.shape[1:]
    plain = class_of("BPoly")(np.zeros((*old.shape[:2], *behind)), state.basis.x)
    plain.extend(np.zeros(c.shape), x)  # which raises SciPy's errors
    if not c.size:
        return
    wide = np.concatenate([old, np.zeros((*old.shape[:2], new.shape[2]))], axis=2)
    basis = class_of("BPoly")(wide, state.basis.x)
    basis.extend(np.concatenate([np.zeros((*new.shape[:2], old.shape[2])), new], axis=2), x)
    every = np.tensordot(basis.c, np.concatenate([state.c, c.reshape(-1, *behind)]), 1)
    made_anew(self, "BPoly", every, basis.x, state.basis.extrapolate, state.axis)


def _by_units(name: str) -> Any:
    @makes_objects
    def rule(call, self, *args, **kwargs):
        state = state_of(self)
        if not isinstance(state, Linear) or contains_traced((args, list(kwargs.values()))):
            return whole(call, self, *args, **kwargs)
        return state.through(name, *args, **kwargs)

    rule.__name__ = name
    return rule


BPoly_derivative = NdPPoly_derivative = _by_units("derivative")
BPoly_antiderivative = NdPPoly_antiderivative = _by_units("antiderivative")
NdPPoly_integrate = _by_units("integrate")
NdPPoly_integrate_1d = _by_units("integrate_1d")


@makes_objects
def BPoly_from_derivatives(call, cls, xi, yi, orders, extrapolate):
    """Of as many derivatives at each break."""
    constant(call, (xi, orders, extrapolate), _KNOTS)
    yi = array_of(yi)
    units = units_of(yi.shape[:2])
    basis = cls.from_derivatives(xi, units, orders, extrapolate)
    holder = object.__new__(type(basis))
    Linear(basis, yi.reshape(-1, *yi.shape[2:])).fill(holder)
    return holder


def _converted(call: Call, cls, given, name: str, extrapolate) -> Any:
    """A polynomial in another basis, by the same conversion of unit coefficients."""
    if state_of(given) is None:
        return call.original(cls, given, extrapolate)
    c = array_of(given.c)
    other = class_of("BPoly" if issubclass(cls, class_of("PPoly")) else "PPoly")
    units = getattr(cls, name)(other(units_of(c.shape[:2]), given.x, given.extrapolate))
    coefficients = np.tensordot(units.c, c.reshape(-1, *c.shape[2:]), 1)
    mode = given.extrapolate if extrapolate is None else extrapolate
    return cls(coefficients, given.x, mode, given.axis)


@makes_objects
def PPoly_from_bernstein_basis(call, cls, bp, extrapolate):
    return _converted(call, cls, bp, "from_bernstein_basis", extrapolate)


@makes_objects
def BPoly_from_power_basis(call, cls, pp, extrapolate):
    return _converted(call, cls, pp, "from_power_basis", extrapolate)


@makes_objects
def PPoly_from_spline(call, cls, tck, extrapolate):
    t, c, k = getattr(tck, "tck", tck)
    if not contains_traced((t, c)):
        return call.original(cls, tck, extrapolate)
    constant(call, (t, k), _KNOTS)
    c = array_of(c)[: len(t) - k - 1]
    found = [cls.from_spline((t, unit, k), extrapolate) for unit in np.eye(len(c))]
    units = np.stack([each.c for each in found], axis=-1)
    return cls(np.tensordot(units, c, 1), found[0].x, found[0].extrapolate)


@makes_objects
def BPoly_construct_fast(cls, c, x, extrapolate, axis):
    return cls(c, x, extrapolate, axis)


@makes_objects
def BSpline_construct_fast(cls, t, c, k, extrapolate, axis):
    return cls(t, c, k, extrapolate, axis)


@makes_objects
def BSpline_insert_knot(call, self, x, m):
    constant(call, (x, m), _KNOTS)
    plain = class_of("BSpline")(self.t, np.eye(len(self.t) - self.k - 1), self.k)
    plain = plain.insert_knot(x, m)
    c = array_of(self.c)[: len(self.t) - self.k - 1]
    return type(self)(plain.t, np.tensordot(plain.c, c, 1), self.k, self.extrapolate, self.axis)


def insert(call, x, tck, m, per):
    """As many coefficients as knots, the last of which count for nothing."""
    if hasattr(tck, "tck"):
        return tck.insert_knot(x, m)
    t, c, k = tck
    if contains_traced((x, t)) or isinstance(c, list | tuple) or per:
        return whole(call, x, tck, m, per)
    c = array_of(c)
    found = [call.original(x, (t, unit, k), m, per) for unit in np.eye(len(c))]
    units = np.stack([np.asarray(each[1]) for each in found], axis=1)
    units[-k - 1 :] = 0.0  # which SciPy leaves unwritten
    return found[0][0], np.tensordot(units, c, 1), k
