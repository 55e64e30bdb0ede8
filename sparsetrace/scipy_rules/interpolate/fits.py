"""``scipy.interpolate``: splines fitted to traced ordinates by compiled code.

Contract: each coefficient, and so each value, depends on all ordinates; linearly where the
knots are known, jointly nonlinear where the ordinates choose them.  What such an object shows
of its knots and coefficients is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import contains_traced, ids_of, values_of
from sparsetrace.scipy_rules.interpolate.bsplines import _Basis
from sparsetrace.scipy_rules.interpolate.interpolators import first_axis
from sparsetrace.scipy_rules.interpolate.joined import made_of
from sparsetrace.scipy_rules.rule_tools import (
    STATE,
    Call,
    Hidden,
    array_of,
    constant,
    current,
    harmless,
    made,
    makes_objects,
    spread,
    state_of,
)
from sparsetrace.scipy_rules.whole import replaced, total_of

_ABSCISSAS = "an abscissa, a knot or a weight"


@dataclass(slots=True)
class Fit:
    """A spline each value of which depends on all ordinates."""

    name: str
    ordinates: Any
    linear: bool
    plain: Any
    """SciPy's own object: of the values, in a local trace; else of other ordinates."""

    def evaluated(self, function, coordinates: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
        """Values at points of this shape, which SciPy's function of coordinates gives."""
        trace = current()
        total = trace.graph.union_rows(ids_of(trace, self.ordinates).reshape(-1))
        ids = np.broadcast_to(np.asarray(total), shape)
        traced = [np.broadcast_to(ids_of(trace, x), shape) for x in coordinates]
        moves = contains_traced(coordinates)
        if moves:
            ids = trace.graph.union_all([ids, *traced])
        if moves or not self.linear:
            ids = interact_all(trace.graph, np.maximum(ids, OPAQUE).copy())
        values = None
        if trace.local:
            values = np.asarray(function(self.plain, *map(values_of, coordinates)))
        return made(trace, np.maximum(ids, OPAQUE).copy(), float, values)


def _fitted(call: Call, self, y, linear: bool, *args, **options) -> None:
    """Make the object that a constructor of SciPy's makes of plain ordinates.

    `args` are the abscissas; where they or an option are traced, nothing is linear.
    """
    plain: Any = object.__new__(type(self))
    trace = current()
    ordinates = np.asarray(values_of(y)) if trace.local else _sample(y)
    given = [x for x in (*args, *options.values()) if contains_traced(x)]
    abscissas = [np.asarray(values_of(x)) if trace.local else _increasing(x) for x in args]
    numbers = {
        name: values_of(x) if trace.local or not contains_traced(x) else _increasing(x) + 1.0
        for name, x in options.items()
    }
    try:
        call.plainly(plain, *abscissas, ordinates, **numbers)
    except ValueError:  # of numbers that are no data; the class is known
        if trace.local:
            raise
    stand_for(self, Fit(call.name, _flat([y, *given]) if given else y, linear and not given, plain))


def _increasing(x) -> Any:
    """Abscissas in place of traced ones."""
    return np.arange(np.size(x)) * 1.0 if contains_traced(x) else x


def _flat(arrays: list[Any]) -> Any:
    return np.concatenate([array_of(x).reshape(-1) for x in arrays])


def stand_for(holder, state: Fit) -> Any:
    """Make an object the one that a state describes."""
    holder.__dict__.update(state.plain.__dict__)
    holder.__class__ = state.plain.__class__
    for name in ("_eval_args", "_data", "tck", "fp"):
        if name in holder.__dict__:
            setattr(
                holder,
                name,
                Hidden(
                    state.name,
                    "its knots and coefficients are not known here",
                    "Use scipy.interpolate.make_interp_spline or make_lsq_spline.",
                ),
            )
    holder.__dict__[STATE] = state
    return holder


def _sample(y) -> Any:
    """Ordinates that any spline goes through."""
    shape = np.shape(y)
    return np.add.outer(*map(np.arange, shape)) * 1.0 if len(shape) == 2 else np.arange(shape[0])


@makes_objects
def UnivariateSpline_init(call, self, x, y, w, bbox, k, s, ext, check_finite=False):
    constant(call, (bbox, k, s), "an option")
    linear = s is not None and not s
    _fitted(
        call, self, array_of(y), linear, x, w=w, bbox=bbox, k=k, s=s, ext=ext,
        check_finite=check_finite,
    )  # fmt: skip


@makes_objects
def InterpolatedUnivariateSpline_init(call, self, x, y, w, bbox, k, ext, check_finite=False):
    constant(call, (bbox, k), "an option")
    options = {"w": w, "bbox": bbox, "k": k, "ext": ext, "check_finite": check_finite}
    _fitted(call, self, array_of(y), True, x, **options)


@makes_objects
def LSQUnivariateSpline_init(call, self, x, y, t, w, bbox, k, ext, check_finite=False):
    constant(call, (x, t, bbox, k), _ABSCISSAS)
    options = {"w": w, "bbox": bbox, "k": k, "ext": ext, "check_finite": check_finite}
    _fitted(call, self, array_of(y), True, x, t=t, **options)


def _derived(name: str) -> Any:
    """A spline made of another one."""

    @makes_objects
    def rule(call, self, n):
        state: Fit = state_of(self)
        plain = call.plainly(state.plain, n)
        made_of = object.__new__(type(plain))
        return stand_for(made_of, Fit(state.name, state.ordinates, state.linear, plain))

    rule.__name__ = name
    return rule


UnivariateSpline_derivative = _derived("derivative")
UnivariateSpline_antiderivative = _derived("antiderivative")


def UnivariateSpline_derivatives(call, self, x):
    """All derivatives at a point."""
    state = state_of(self)
    degree = (self if state is None else state.plain)._eval_args[2]
    if state is None:
        return np.stack([self(x, order) for order in range(degree + 1)])
    return state.evaluated(call.plainly, (array_of(x),), (degree + 1,))


def UnivariateSpline_integral(call, self, a, b):
    """Zero outside of the knots."""
    state = state_of(self)
    if state is not None:
        return state.evaluated(call.plainly, (array_of(a), array_of(b)), ())[()]
    knots = self._eval_args[0]
    primitive = self.antiderivative()
    return primitive(np.clip(b, knots[0], knots[-1])) - primitive(np.clip(a, knots[0], knots[-1]))


# ---------------------------------------------------------------- surfaces
@makes_objects
@harmless("eps")  # of the rank
def SmoothBivariateSpline_init(call, self, x, y, z, w, bbox, kx, ky, s, eps):
    constant(call, (bbox, kx, ky, s), _ABSCISSAS)
    _surface(call, self, z, False, x, y, w=w, bbox=bbox, kx=kx, ky=ky, s=s)


@makes_objects
@harmless("eps")
def LSQBivariateSpline_init(call, self, x, y, z, tx, ty, w, bbox, kx, ky, eps):
    constant(call, (tx, ty, bbox, kx, ky), _ABSCISSAS)
    _surface(call, self, z, True, x, y, tx=tx, ty=ty, w=w, bbox=bbox, kx=kx, ky=ky)


@makes_objects
@harmless("eps")
def SmoothSphereBivariateSpline_init(call, self, theta, phi, r, w, s):
    constant(call, (theta, phi, s), _ABSCISSAS)
    _surface(call, self, r, False, theta, phi, w=w, s=s)


@makes_objects
@harmless("eps")
def LSQSphereBivariateSpline_init(call, self, theta, phi, r, tt, tp, w):
    constant(call, (theta, phi, tt, tp), _ABSCISSAS)
    _surface(call, self, r, True, theta, phi, tt=tt, tp=tp, w=w)


@makes_objects
def RectSphereBivariateSpline_init(
    call, self, u, v, r, s, pole_continuity, pole_values, pole_exact, pole_flat
):
    constant(call, (u, v, s, pole_values), _ABSCISSAS)
    _surface(
        call, self, r, not s, u, v, s=s, pole_continuity=pole_continuity,
        pole_values=pole_values, pole_exact=pole_exact, pole_flat=pole_flat,
    )  # fmt: skip


def _surface(call: Call, self, z, linear: bool, x, y, **options) -> None:
    """A surface through places, or on a grid of them."""
    _fitted(call, self, array_of(z), linear, x, y, **options)


@makes_objects
@harmless("maxit")  # of the search for knots
def RectBivariateSpline_init(call, self, x, y, z, bbox, kx, ky, s):
    constant(call, (bbox, kx, ky, s), _ABSCISSAS)
    _fitted(call, self, array_of(z), not s, x, y, bbox=bbox, kx=kx, ky=ky, s=s)


@makes_objects
def make_smoothing_spline(call, x, y, w, lam, axis=0):  # SciPy before 1.15 has no axis
    if contains_traced((x, w, lam)):
        return made_of(call, y, axis, x, y, w=w, lam=lam, **({"axis": axis} if axis else {}))
    x, (y, axis) = np.asarray(x, float), first_axis(y, axis)
    n = len(x)
    plain = call.original(x, x, w, 1.0 if lam is None else lam)
    if lam is not None:
        columns = [np.asarray(call.original(x, unit, w, lam).c) for unit in np.eye(n)]
        c = np.tensordot(np.stack(columns, axis=1), y, 1)
    else:  # chosen by cross-validation
        c = _nonlinear(call, y, len(plain.c), lambda column: call.original(x, column, w).c)
    return _Basis(np.asarray(plain.t), c, int(plain.k), True, axis).as_object_of(type(plain))


def _nonlinear(call: Call, y, count: int, function) -> Any:
    """Coefficients that depend on all ordinates of their column."""
    trace = current()
    total = trace.graph.union_rows(np.moveaxis(ids_of(trace, y), 0, -1))
    total = interact_all(trace.graph, np.maximum(np.asarray(total), OPAQUE))
    values = None
    if trace.local:
        columns = np.asarray(values_of(y)).reshape(len(y), -1).T
        found = np.stack([np.asarray(function(column)) for column in columns], axis=1)
        values = found.reshape(count, *y.shape[1:])
    return made(trace, np.broadcast_to(total, (count, *y.shape[1:])).copy(), float, values)


@dataclass(slots=True)
class Surface:
    """What stands for the knots and coefficients of a surface through traced heights."""

    fit: Fit

    def _refuse(self, *_) -> Any:
        raise UnsupportedError(
            explain(
                self.fit.name,
                "its knots and coefficients are not known here",
                "Give what it returns to scipy.interpolate.bisplev.",
            )
        )

    __getitem__ = __iter__ = __len__ = _refuse

    def curve(self, call: Call, x, der, ext) -> Any:
        """Of one coordinate, ``splev``: in space where it was made of several ordinates."""
        x, shape = array_of(x), np.shape(self.fit.ordinates)[:-1]

        def function(plain, at) -> Any:
            return np.asarray(call.plainly(at, plain, der, ext))

        found = self.fit.evaluated(function, (x,), shape + x.shape)
        return list(found) if shape else found


@makes_objects
@harmless("eps", "quiet", "nxest", "nyest")
def bisplrep(call, x, y, z, w, xb, xe, yb, ye, kx, ky, task, s, tx, ty, full_output):
    constant(call, (x, y, w, xb, xe, yb, ye, kx, ky, s, tx, ty), _ABSCISSAS)
    if full_output:
        call.refuse("how the surface was found has no rule", "Leave full_output out.")
    z, trace = array_of(z).reshape(-1), current()
    heights = np.asarray(values_of(z)) if trace.local else np.asarray(x, float).reshape(-1)
    plain = call.plainly(
        x, y, heights, w, xb, xe, yb, ye, kx, ky, task, s, tx=tx, ty=ty,
    )  # fmt: skip
    return Surface(Fit(call.name, z, task == -1, plain))


def splrep(call, x, y, w, xb, xe, k, task, s, t, full_output, per, quiet):
    y, trace = array_of(y), current()
    known = t is not None or s == 0 or (s is None and w is None)
    if full_output:
        call.refuse("how it was found has no rule", "Leave full_output out.")
    if contains_traced((x, w, xb, xe, s, t)) or (not known and not trace.local):
        given = (x, y, w, xb, xe, k, task, s, t, 0, per, quiet)
        plain = call.plainly(*replaced(given, None)) if trace.local else None
        return Surface(_joined(call, given, y, plain))
    ordinates = np.asarray(values_of(y)) if trace.local else np.asarray(x, float)
    knots, c, _ = call.original(x, ordinates, w, xb, xe, k, task, s, t, 0, per, quiet)
    ids = trace.graph.union_rows(ids_of(trace, y))
    if not known:
        ids = interact_all(trace.graph, np.asarray(ids))
    used = np.arange(len(c)) < len(knots) - k - 1
    every = np.where(used, np.maximum(np.asarray(ids), OPAQUE), trace.graph.zero)
    return knots, made(trace, every.astype(np.int32), float, c if trace.local else None), k


def _joined(call: Call, given: tuple[Any, ...], ordinates, plain) -> Fit:
    """A curve that depends on all that it is given, jointly; of the shape of its ordinates."""
    total = total_of(given)
    ids = np.broadcast_to(np.asarray(total), np.shape(ordinates)).copy()
    return Fit(call.name, made(current(), ids, float), False, plain)


@makes_objects
@harmless("nest")
def splprep(call, x, w, u, ub, ue, k, task, s, t, full_output, per, quiet):
    """A curve in space, and its parameters."""
    if full_output:
        call.refuse("how it was found has no rule", "Leave full_output out.")
    points = array_of(list(x) if isinstance(x, list | tuple) else x)
    given = (x, w, u, ub, ue, k, task, s, t, 0, None, per, quiet)
    plain = None
    if current().local:
        plain, parameters = call.plainly(*replaced(given, None))
    else:
        parameters = np.zeros(points.shape[1])
    parameters = spread(current(), total_of((x, w, u)), parameters)
    return Surface(_joined(call, given, points, plain)), parameters


@makes_objects
def make_splrep(call, x, y, w, xb, xe, k, s, t, nest, bc_type):
    """With knots that the ordinates choose; others are those of an interpolation."""
    options = {"w": w, "xb": xb, "xe": xe, "k": k, "s": s, "t": t, "nest": nest}
    return made_of(call, y, 0, x, y, bc_type=bc_type, **options)


@makes_objects
def make_splprep(call, x, w, u, ub, ue, k, s, t, nest, bc_type):
    """A curve in space, and its parameters."""
    options = {"w": w, "u": u, "ub": ub, "ue": ue, "k": k, "s": s, "t": t, "nest": nest}
    points = array_of(list(x) if isinstance(x, list | tuple) else x)
    spline = made_of(call, points, 1, x, shown=0, bc_type=bc_type, **options)
    parameters: Any = np.zeros(points.shape[1])
    if current().local:
        parameters = call.plainly(replaced(x, None), bc_type=bc_type, **replaced(options, None))[1]
    return spline, spread(current(), total_of((x, w, u)), parameters)
