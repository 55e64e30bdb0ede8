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

from sparsetrace.operands.operands import is_traced
from sparsetrace.scipy_rules.interpolate.interpolators import (
    Sites,
    beside,
    class_of,
    first_axis,
    hold,
    placed,
)
from sparsetrace.scipy_rules.registration import (
    CONSTANTS,
    Call,
    array_of,
    constant,
    lines,
    matrix_along,
    state_of,
)

__all__ = ["TABLE"]


@dataclass(slots=True)
class _Basis:
    """``sum_i c[i] B_i(t)``, with B-splines of degree k."""

    t: NDArray[Any]
    c: Any
    k: int
    extrapolate: Any
    axis: int
    sites: Sites | None = None

    def evaluated(self, points: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        mode = self.extrapolate if extrapolate is None else extrapolate
        n = len(self.t) - self.k - 1
        first, last = self.t[self.k], self.t[n]
        points = array_of(points)
        flat = points.reshape(-1)
        if isinstance(mode, str):
            flat, mode = first + (flat - first) % (last - first), False
        if nu > self.k:
            out = np.zeros((len(flat), *self.c.shape[1:]))
        else:
            out = self.differentiated(nu)._inside(flat)
        if self.sites is not None and not nu:
            out = self.sites.through(flat, out)
        if not mode:
            outside = (flat < first) | (flat > last)
            out = np.where(beside(outside, out), np.nan, out)
        return placed(out.reshape(points.shape + self.c.shape[1:]), points.ndim, self.axis)

    def _inside(self, flat: Any) -> Any:
        """At points in one dimension, the first and last pieces extended."""
        kind, n = class_of("BSpline"), len(self.t) - self.k - 1
        c = self.c[:n]
        if is_traced(flat):
            basis = kind(self.t, np.eye(n), self.k)(flat)
            return np.tensordot(basis, c, 1)
        matrix = scipy.sparse.csr_array(
            kind.design_matrix(np.asarray(flat, float), self.t, self.k, extrapolate=True)
        )
        return matrix_along(c, matrix, 0)

    def differentiated(self, nu: int) -> _Basis:
        t, c, k = self.t, self.c, self.k
        for _ in range(nu):
            n = len(t) - k - 1
            width = t[k + 1 : k + n] - t[1:n]
            scale = np.divide(k, width, out=np.zeros(len(width)), where=width > 0)
            c = (c[1:n] - c[: n - 1]) * scale.reshape((-1,) + (1,) * (c.ndim - 1))
            t, k = t[1:-1], k - 1
        return _Basis(t, c, k, self.extrapolate, self.axis, None if nu else self.sites)

    def held(self, kind: Any) -> Any:
        holder = object.__new__(kind)
        self.hold(holder)
        return holder

    def hold(self, holder: Any) -> None:
        plain = class_of("BSpline")(self.t, np.zeros(len(self.c)), self.k, self.extrapolate)
        hold(holder, plain, self, c=self.c, axis=self.axis)


def _basis_made(
    call: Call, self: Any, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0
) -> None:
    constant(call, (t, k, extrapolate), "a knot")
    c, axis = first_axis(c, axis)
    mode = extrapolate if isinstance(extrapolate, str) else bool(extrapolate)
    _Basis(np.asarray(t, float), c, int(k), mode, axis).hold(self)


def _basis_derivative(call: Call, self: Any, nu: int = 1) -> Any:
    return state_of(self).differentiated(nu).held(type(self))


def _basis_antiderivative(call: Call, self: Any, nu: int = 1) -> Any:
    call.refuse(
        "the antiderivative of a spline with traced coefficients has no rule",
        "Use scipy.interpolate.CubicSpline or PPoly, which have one.",
    )


def _interpolating(
    call: Call,
    x: Any,
    y: Any,
    k: int = 3,
    t: Any = None,
    bc_type: Any = None,
    axis: int = 0,
    check_finite: bool = True,
) -> Any:
    constant(call, (x, k, t, bc_type), "an abscissa or knot")
    if bc_type is not None and (not isinstance(bc_type, str) or bc_type == "periodic"):
        call.refuse(
            "these conditions at the ends have no rule",
            "Use a name such as bc_type='natural', or scipy.interpolate.CubicSpline.",
        )
    x, (y, axis) = np.asarray(x, float), first_axis(y, axis)
    plain = call.original(x, np.eye(len(x)), k, t, bc_type)
    c = np.tensordot(np.asarray(plain.c), y, 1)
    order = np.argsort(x)
    sites = Sites(x[order], y[order])
    return _Basis(np.asarray(plain.t), c, int(k), True, axis, sites).held(type(plain))


def _fitting(
    call: Call,
    x: Any,
    y: Any,
    t: Any,
    k: int = 3,
    w: Any = None,
    axis: int = 0,
    check_finite: bool = True,
    *,
    method: str = "qr",
) -> Any:
    constant(call, (x, t, k, w), "an abscissa, a knot or a weight")
    x, (y, axis) = np.asarray(x, float), first_axis(y, axis)
    plain = call.original(x, np.eye(len(x)), t, k, w)
    c = np.tensordot(np.asarray(plain.c), y, 1)
    return _Basis(np.asarray(plain.t), c, int(k), True, axis).held(type(plain))


def _refused(remedy: str) -> Any:
    def rule(call: Call, *args: Any, **options: Any) -> Any:
        call.refuse("its fit of traced ordinates is compiled code", remedy)

    return rule


_SPLINE = "Use scipy.interpolate.make_interp_spline or make_lsq_spline."
_MODULE = "scipy.interpolate"
TABLE = lines(
    _MODULE,
    {
        "BSpline.__init__": _basis_made,
        "BSpline.antiderivative": _basis_antiderivative,
        "BSpline.derivative": _basis_derivative,
        "make_interp_spline": _interpolating,
        "make_lsq_spline": _fitting,
    },
    own_values=True,
) | lines(
    _MODULE,
    {
        "InterpolatedUnivariateSpline.__init__": _refused(_SPLINE),
        "LSQUnivariateSpline.__init__": _refused(_SPLINE),
        "RectBivariateSpline.__init__": _refused(CONSTANTS),
        "UnivariateSpline.__init__": _refused(_SPLINE),
        "make_smoothing_spline": _refused(_SPLINE),
        "splprep": _refused(_SPLINE),
        "splrep": _refused(_SPLINE),
    },
)
