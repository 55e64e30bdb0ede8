"""``scipy.interpolate``: splines fitted to traced ordinates by compiled code.

Contract: each coefficient, and so each value, depends on all ordinates; linearly where the
knots are known, jointly nonlinear where the ordinates choose them.  What such an object shows
of its knots and coefficients is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.graph.graph import OPAQUE
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import contains_traced, ids_of, values_of
from sparsetrace.scipy_rules.callbacks import of_values
from sparsetrace.scipy_rules.impulses import along
from sparsetrace.scipy_rules.interpolate.bsplines import _Basis
from sparsetrace.scipy_rules.interpolate.interpolators import first_axis
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
)

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
    """Make the object that a constructor of SciPy's makes of plain ordinates."""
    plain: Any = object.__new__(type(self))
    trace = current()
    ordinates = np.asarray(values_of(y)) if trace.local else _sample(y)
    call.original(plain, *args, ordinates, **options)
    self.__dict__.update(plain.__dict__)
    self.__class__ = plain.__class__
    for name in ("_eval_args", "_data", "tck", "fp"):
        if name in self.__dict__:
            setattr(
                self,
                name,
                Hidden(
                    call.name,
                    "its knots and coefficients are not known here",
                    "Use scipy.interpolate.make_interp_spline or make_lsq_spline.",
                ),
            )
    self.__dict__[STATE] = Fit(call.name, y, linear, plain)


def _sample(y) -> Any:
    """Ordinates that any spline goes through."""
    shape = np.shape(y)
    return np.add.outer(*map(np.arange, shape)) * 1.0 if len(shape) == 2 else np.arange(shape[0])


@makes_objects
def UnivariateSpline_init(call, self, x, y, w, bbox, k, s, ext, check_finite=False):
    constant(call, (x, w, bbox, k, s), _ABSCISSAS)
    linear = s is not None and not s
    _fitted(
        call, self, array_of(y), linear, x, w=w, bbox=bbox, k=k, s=s, ext=ext,
        check_finite=check_finite,
    )  # fmt: skip


@makes_objects
def InterpolatedUnivariateSpline_init(call, self, x, y, w, bbox, k, ext, check_finite=False):
    constant(call, (x, w, bbox, k), _ABSCISSAS)
    options = {"w": w, "bbox": bbox, "k": k, "ext": ext, "check_finite": check_finite}
    _fitted(call, self, array_of(y), True, x, **options)


@makes_objects
def LSQUnivariateSpline_init(call, self, x, y, t, w, bbox, k, ext, check_finite=False):
    constant(call, (x, t, w, bbox, k), _ABSCISSAS)
    options = {"w": w, "bbox": bbox, "k": k, "ext": ext, "check_finite": check_finite}
    _fitted(call, self, array_of(y), True, x, t=t, **options)


@makes_objects
@harmless("maxit")  # of the search for knots
def RectBivariateSpline_init(call, self, x, y, z, bbox, kx, ky, s):
    constant(call, (x, y, bbox, kx, ky, s), _ABSCISSAS)
    _fitted(call, self, array_of(z), not s, x, y, bbox=bbox, kx=kx, ky=ky, s=s)


@makes_objects
def make_smoothing_spline(call, x, y, w, lam, axis=0):  # SciPy before 1.15 has no axis
    constant(call, (x, w, lam), _ABSCISSAS)
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


def splrep(call, x, y, w, xb, xe, k, task, s, t, full_output, per, quiet):
    constant(call, (x, w, xb, xe, k, s, t), _ABSCISSAS)
    y, trace = array_of(y), current()
    known = t is not None or s == 0 or (s is None and w is None)
    if full_output or (not known and not trace.local):
        call.refuse(
            "its knots depend on the ordinates", "Use s=0, or scipy.interpolate.make_lsq_spline."
        )
    ordinates = np.asarray(values_of(y)) if trace.local else np.asarray(x, float)
    knots, c, _ = call.original(x, ordinates, w, xb, xe, k, task, s, t, 0, per, quiet)
    ids = trace.graph.union_rows(ids_of(trace, y))
    if not known:
        ids = interact_all(trace.graph, np.asarray(ids))
    used = np.arange(len(c)) < len(knots) - k - 1
    every = np.where(used, np.maximum(np.asarray(ids), OPAQUE), trace.graph.zero)
    return knots, made(trace, every.astype(np.int32), float, c if trace.local else None), k


@makes_objects
@harmless("x", "w", "u", "ub", "ue", "k", "task", "s", "t", "full_output", "nest", "per", "quiet")
def splprep(call):
    call.refuse(
        "its parameters depend on the points",
        "Use scipy.interpolate.make_interp_spline of constant parameters.",
    )


def griddata(call, points, values, xi, method, fill_value, rescale):
    """Linear in the values, by those of unit values."""
    constant(call, (points, xi, fill_value), "a place")
    values = array_of(values)
    if method == "cubic":
        call.refuse("method='cubic' has no rule", "Use method='linear'.")
    units = call.original(points, np.eye(len(values)), xi, method, 0.0, rescale)
    shape = units.shape[:-1]
    matrix = scipy.sparse.csr_array(np.nan_to_num(units).reshape(-1, len(values)))
    outside = np.isnan(
        call.original(points, np.ones(len(values)), xi, method, np.nan, rescale)
    ).reshape(-1)
    result = along(values, matrix, 0)
    if outside.any():
        apart = outside.reshape(outside.shape + (1,) * (values.ndim - 1))
        result = np.where(apart, of_values(fill_value), result)
    return result.reshape(shape + values.shape[1:])
