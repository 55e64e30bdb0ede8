"""``scipy.interpolate``: B-splines with traced coefficients, or through traced ordinates.

Contract: a value depends on the coefficients whose B-splines are not zero there.
Splines through ordinates take their coefficients from SciPy's own function of unit
ordinates; at a site a value is the ordinate itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from sparsetrace.operands.operands import contains_traced, is_traced, values_of
from sparsetrace.scipy_rules.impulses import along
from sparsetrace.scipy_rules.interpolate.interpolators import (
    Sites,
    beside,
    class_of,
    first_axis,
    placed,
    set_state,
)
from sparsetrace.scipy_rules.interpolate.joined import Curve, join, made_of
from sparsetrace.scipy_rules.rule_tools import (
    array_of,
    constant,
    harmless,
    makes_objects,
    state_of,
)


@dataclass(slots=True)
class _Basis:
    """``sum_i c[i] B_i(t)``, with B-splines of degree k."""

    t: NDArray[Any]
    c: Any
    k: int
    extrapolate: Any
    axis: int
    sites: Sites | None = None

    def evaluated(self, points, nu: int = 0, extrapolate=None) -> Any:
        mode = self.extrapolate if extrapolate is None else extrapolate
        n = len(self.t) - self.k - 1
        first, last = self.t[self.k], self.t[n]
        points = array_of(points)
        points_1d = points.reshape(-1)
        if isinstance(mode, str):
            points_1d, mode = first + (points_1d - first) % (last - first), False
        if nu > self.k:
            out = np.zeros((len(points_1d), *self.c.shape[1:]))
        else:
            out = self.differentiated(nu)._inside(points_1d)
        if self.sites is not None and not nu:
            out = self.sites.through(points_1d, out)
        if not mode:
            outside = (points_1d < first) | (points_1d > last)
            out = np.where(beside(outside, out), np.nan, out)
        return placed(out.reshape(points.shape + self.c.shape[1:]), points.ndim, self.axis)

    def _inside(self, points_1d):
        """At points in one dimension, the first and last pieces extended."""
        bspline, n = class_of("BSpline"), len(self.t) - self.k - 1
        c = self.c[:n]
        if is_traced(points_1d):
            basis = bspline(self.t, np.eye(n), self.k)(points_1d)
            return np.tensordot(basis, c, 1)
        matrix = scipy.sparse.csr_array(
            bspline.design_matrix(np.asarray(points_1d, float), self.t, self.k, extrapolate=True)
        )
        return along(c, matrix, 0)

    def differentiated(self, nu: int) -> _Basis:
        t, c, k = self.t, self.c, self.k
        for _ in range(nu):
            n = len(t) - k - 1
            width = t[k + 1 : k + n] - t[1:n]
            scale = np.divide(k, width, out=np.zeros(len(width)), where=width > 0)
            c = (c[1:n] - c[: n - 1]) * scale.reshape((-1,) + (1,) * (c.ndim - 1))
            t, k = t[1:-1], k - 1
        return _Basis(t, c, k, self.extrapolate, self.axis, None if nu else self.sites)

    def padded(self) -> _Basis:
        """With as many coefficients as knots, the last of which count for nothing."""
        missing = max(len(self.t) - len(self.c), 0)
        c = np.concatenate([self.c, np.zeros((missing, *self.c.shape[1:]))])
        return _Basis(self.t, c, self.k, self.extrapolate, self.axis, self.sites)

    def integrated(self, nu: int) -> _Basis:
        """As ``splantider``: zero at the first knot."""
        t, k = self.t, self.k
        c = self.c[: len(t) - k - 1]
        for _ in range(nu):
            width = (t[k + 1 :] - t[: len(t) - k - 1]) / (k + 1)
            sums = np.cumsum(c[: len(width)] * width.reshape((-1,) + (1,) * (c.ndim - 1)), axis=0)
            c = np.concatenate([np.zeros((1, *c.shape[1:])), sums, *[sums[-1:]] * (k + 2)])
            t, k = np.concatenate([t[:1], t, t[-1:]]), k + 1
        mode = False if isinstance(self.extrapolate, str) else self.extrapolate
        return _Basis(t, c, k, mode, self.axis, None if nu else self.sites)

    def as_object_of(self, cls):
        holder = object.__new__(cls)
        self.fill(holder)
        return holder

    def fill(self, holder) -> None:
        plain = class_of("BSpline")(self.t, np.zeros(len(self.c)), self.k, self.extrapolate)
        set_state(holder, plain, self, c=self.c, axis=self.axis)


@makes_objects
def BSpline_init(call, self, t, c, k, extrapolate, axis):
    if contains_traced(t):

        def plain() -> Any:
            own = object.__new__(type(self))
            call.plainly(own, values_of(t), values_of(c), k, extrapolate, axis)
            return own

        return join(call, self, (t, c), c, axis, plain)
    constant(call, (t, k, extrapolate), "a knot")
    c, axis = first_axis(c, axis)
    mode = extrapolate if isinstance(extrapolate, str) else bool(extrapolate)
    _Basis(np.asarray(t, float), c, int(k), mode, axis).fill(self)


@makes_objects
def BSpline_derivative(self, nu):
    if isinstance(state_of(self), Curve):
        return state_of(self).derived(type(self), "derivative", nu)
    return state_of(self).differentiated(nu).padded().as_object_of(type(self))


@makes_objects
def BSpline_antiderivative(call, self, nu):
    if isinstance(state_of(self), Curve):
        return state_of(self).derived(type(self), "antiderivative", nu)
    return state_of(self).integrated(nu).as_object_of(type(self))


@makes_objects
def make_interp_spline(call, x, y, k, t, bc_type, axis):
    named = bc_type is None or (isinstance(bc_type, str) and bc_type != "periodic")
    if contains_traced((x, t, bc_type)) or not named:
        return made_of(call, y, axis, x, y, k=k, t=t, bc_type=bc_type, axis=axis)
    constant(call, k, "a degree")
    x, (y, axis) = np.asarray(x, float), first_axis(y, axis)
    plain = call.original(x, np.eye(len(x)), k, t, bc_type)
    c = np.tensordot(np.asarray(plain.c), y, 1)
    order = np.argsort(x)
    sites = Sites(x[order], y[order])
    return _Basis(np.asarray(plain.t), c, int(k), True, axis, sites).as_object_of(type(plain))


@makes_objects
@harmless("method")  # of the least-squares problem
def make_lsq_spline(call, x, y, t, k, w, axis):
    if contains_traced((x, t, w)):
        return made_of(call, y, axis, x, y, t, k=k, w=w, axis=axis)
    constant(call, k, "a degree")
    x, (y, axis) = np.asarray(x, float), first_axis(y, axis)
    plain = call.original(x, np.eye(len(x)), t, k, w)
    c = np.tensordot(np.asarray(plain.c), y, 1)
    return _Basis(np.asarray(plain.t), c, int(k), True, axis).as_object_of(type(plain))
