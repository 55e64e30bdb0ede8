"""``scipy.interpolate``: constant splines and interpolators at traced points.

Contract: the coefficients say of which degree each piece is, and so whether a result
has first and second derivatives.  Objects whose ordinates are traced are answered by
the modules `pieces`, `bsplines` and `lookups`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.points import elementwise, polynomial_of
from sparsetrace.scipy_rules.registration import Call, array_of, constant, lines, state_of

__all__ = ["TABLE"]

_DERIVATIVES = "Use one spline for each derivative (spline.derivative())."


def _both_sides(
    derivative: Callable[[NDArray[Any]], Any], breaks: NDArray[Any]
) -> Callable[[NDArray[Any]], Any]:
    """Zero where the derivatives on both sides of a break are."""

    def size(points: NDArray[Any]) -> Any:
        at_break = np.isin(points, breaks)
        found = np.abs(derivative(points))
        if at_break.any():
            found = found + np.abs(derivative(np.nextafter(points, -np.inf)))
        return found

    return size


def _order(nu: Any) -> int:
    return int(nu)


# ---------------------------------------------------------------- one coordinate
def _pieces(call: Call, self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    """``PPoly`` and ``BPoly``."""
    state = state_of(self)
    if state is not None:
        return state.evaluated(x, _order(nu), extrapolate)
    constant(call, (nu, extrapolate), "an option")

    def values(points: Any, more: int = 0) -> Any:
        return call.original(self, points, nu + more, extrapolate)

    c = np.asarray(self.c)
    powers = np.arange(len(c) - 1, -1, -1) - _order(nu)
    if any(kind.__name__ == "BPoly" for kind in type(self).__mro__):
        degrees = np.full(c.shape[2:], powers[0])
    else:  # the highest power with a coefficient that is not zero
        used = (c != 0).any(axis=1)
        degrees = np.where(used, powers.reshape((-1,) + (1,) * (c.ndim - 2)), -1).max(axis=0)
    return _at_points(x, degrees, values, np.asarray(self.x), c.dtype, self.axis)


def _at_points(
    x: Any, degrees: Any, values: Callable[..., Any], breaks: Any, dtype: Any, axis: int
) -> Any:
    sides = [_both_sides(functools.partial(values, more=n), breaks) for n in (1, 2)]
    return elementwise(array_of(x), np.asarray(degrees), values, sides, dtype, axis)


def _bspline(call: Call, self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    state = state_of(self)
    if state is not None:
        return state.evaluated(x, _order(nu), extrapolate)
    constant(call, (nu, extrapolate), "an option")

    def values(points: Any, more: int = 0) -> Any:
        if nu + more > self.k:
            return 0.0 * call.original(self, points, 0, extrapolate)
        return call.original(self, points, nu + more, extrapolate)

    c = np.asarray(self.c)
    degrees = np.full(c.shape[1:], self.k - _order(nu))
    return _at_points(x, degrees, values, np.asarray(self.t), c.dtype, self.axis)


def _interpolator(call: Call, self: Any, x: Any, *args: Any) -> Any:
    """``interp1d``, ``KroghInterpolator`` and ``BarycentricInterpolator``."""
    state = state_of(self)
    if state is not None:
        return state.evaluated(x)
    kind = getattr(self, "_kind", None)
    extra, axis = self._y_extra_shape, self._y_axis
    sides: list[Callable[[NDArray[Any]], Any]] = [_never_zero, _never_zero]
    if kind is None:
        degree = len(self.xi) - 1
    elif kind == "spline":
        degree = self._spline.k
    elif kind == "linear":
        degree, sides = 1, [_slopes(self), _never_zero]
    else:
        degree = 0

    def values(points: Any) -> Any:
        return call.original(self, points)

    return elementwise(
        array_of(x), np.full(extra, degree), values, sides, self.dtype or float, axis
    )


def _never_zero(points: NDArray[Any]) -> Any:
    return np.ones(())


def _slopes(interpolator: Any) -> Callable[[NDArray[Any]], Any]:
    """Zero where ``interp1d`` is constant on both sides of a point."""
    x = np.asarray(interpolator.x)
    y = np.moveaxis(np.asarray(interpolator.y), interpolator.axis, 0)
    bends = np.diff(y, axis=0) != 0

    def size(points: NDArray[Any]) -> Any:
        pieces = [np.searchsorted(x, points, side) - 1 for side in ("left", "right")]
        sides = [bends[np.clip(piece, 0, len(bends) - 1)] for piece in pieces]
        found = (sides[0] | sides[1]).astype(float)
        if interpolator._extrapolate:
            return found
        inside = (points >= x[0]) & (points <= x[-1])
        return found * inside.reshape(inside.shape + (1,) * (found.ndim - inside.ndim))

    def placed(points: NDArray[Any]) -> Any:
        found, axis = size(points), interpolator.axis
        order = list(range(found.ndim))
        if axis and points.ndim:
            order = (
                order[points.ndim : points.ndim + axis]
                + order[: points.ndim]
                + order[points.ndim + axis :]
            )
        return found.transpose(order)

    return placed


def _univariate(call: Call, self: Any, x: Any, nu: int = 0, ext: Any = None) -> Any:
    """``UnivariateSpline`` and its kin."""
    constant(call, (nu, ext), "an option")
    knots, _, k = self._eval_args

    def values(points: Any, more: int = 0) -> Any:
        if nu + more > k:
            return np.zeros(np.shape(points))
        return call.original(self, points, nu + more, ext)

    return _at_points(x, np.array(k - _order(nu)), values, np.asarray(knots), float, 0)


def _splev(call: Call, x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    if hasattr(tck, "tck"):
        if ext:
            raise ValueError(f"Extrapolation mode {ext} is not supported by BSpline.")
        return tck(x, der, extrapolate=True)
    knots, c, k = tck
    if contains_traced((knots, k, der, ext)):
        call.refuse("knots and options may not depend on the inputs", "Make them constants.")
    if contains_traced(c):
        call.refuse(
            "coefficients in a tuple may not depend on the inputs",
            "Use scipy.interpolate.BSpline(t, c, k).",
        )
    if np.ndim(c[0]):
        return [_splev(call, x, (knots, part, k), der, ext) for part in c]

    def values(points: Any, more: int = 0) -> Any:
        if der + more > k:
            return np.zeros(np.shape(points))
        return call.original(points, (knots, c, k), der + more, ext)

    return _at_points(x, np.array(k - der), values, np.asarray(knots), float, 0)


# ------------------------------------------------------------ several coordinates
def _bivariate(
    call: Call, self: Any, x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True
) -> Any:
    """``RectBivariateSpline`` and its kin."""
    x, y = array_of(x), array_of(y)
    if grid:
        x, y = x[:, None], y[None, :]
    kx, ky = self.degrees
    return polynomial_of([x, y], [kx - dx, ky - dy], float)


def _regular_grid(call: Call, self: Any, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
    state = state_of(self)
    if state is not None:
        if nu is not None:
            call.refuse("derivatives of traced values have no rule", "Leave nu out.")
        return state.evaluated(xi, method)
    degree = {"nearest": 0, "linear": 1, "slinear": 1, "cubic": 3, "pchip": 3, "quintic": 5}
    degrees = np.full(len(self.grid), degree[method or self.method])
    if nu is not None:
        degrees = degrees - np.asarray(nu)
    return _several(xi, degrees, np.shape(self.values)[len(self.grid) :], self.values)


def _several(xi: Any, degrees: Any, trailing: tuple[int, ...], values: Any) -> Any:
    if isinstance(xi, tuple) and len(xi) == 1:
        xi = xi[0]
    if isinstance(xi, tuple):
        parts: list[Any] = list(np.broadcast_arrays(*map(array_of, xi)))
    else:
        points = array_of(xi)
        if len(degrees) == 1 and points.ndim == 1:
            points = points[:, None]
        parts = [points[..., i] for i in range(points.shape[-1])]
    parts = [np.asarray(p) if not contains_traced(p) else array_of(p) for p in parts]
    parts = [p.reshape(p.shape + (1,) * len(trailing)) for p in parts]
    kind = np.result_type(np.asarray(values).dtype, float)
    found = polynomial_of(parts, [int(d) for d in degrees], kind)
    if not trailing:
        return found
    return np.broadcast_to(found, found.shape[: found.ndim - len(trailing)] + trailing).copy()


def _piecewise_nd(call: Call, self: Any, x: Any, nu: Any = None, extrapolate: Any = None) -> Any:
    """``NdPPoly``."""
    d = len(self.x)
    degrees = np.array(self.c.shape[:d]) - 1 - (0 if nu is None else np.asarray(nu))
    return _several(x, degrees, self.c.shape[2 * d :], self.c)


def _bspline_nd(call: Call, self: Any, xi: Any, *, nu: Any = None, extrapolate: Any = None) -> Any:
    """``NdBSpline``."""
    d = len(self.t)
    degrees = np.array(self.k) - (0 if nu is None else np.asarray(nu))
    return _several(xi, degrees, self.c.shape[d:], self.c)


def _interpn(
    call: Call,
    points: Any,
    values: Any,
    xi: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: Any = np.nan,
) -> Any:
    if method == "splinef2d":
        call.refuse("method='splinef2d' has no rule", "Use RectBivariateSpline.")
    kind = call.original.__globals__["RegularGridInterpolator"]
    return kind(points, values, method, bounds_error, fill_value)(xi)


# ---------------------------------------------------------------------- integrals
def _integral(call: Call, self: Any, a: Any, b: Any, extrapolate: Any = None) -> Any:
    """Between traced limits, or of traced coefficients: by the antiderivative."""
    mode = self.extrapolate if extrapolate is None else extrapolate
    if isinstance(mode, str):
        call.refuse("a periodic integral has no rule", "Use spline.antiderivative().")
    if hasattr(self, "t"):
        knots = np.asarray(self.t)
        ends = knots[self.k], knots[len(knots) - self.k - 1]
        a, b = (v if mode else np.clip(v, *ends) for v in (a, b))
    found = self.antiderivative()
    return found(b, extrapolate=mode) - found(a, extrapolate=mode)


def _univariate_integral(call: Call, self: Any, a: Any, b: Any) -> Any:
    """Zero outside of the knots."""
    knots = self._eval_args[0]
    found = self.antiderivative()
    return found(np.clip(b, knots[0], knots[-1])) - found(np.clip(a, knots[0], knots[-1]))


_MODULE = "scipy.interpolate"
TABLE = lines(
    _MODULE,
    {
        "BSpline.__call__": _bspline,
        "BSpline.integrate": _integral,
        "BarycentricInterpolator.__call__": _interpolator,
        "NdBSpline.__call__": _bspline_nd,
        "BPoly.__call__": _pieces,
        "BPoly.integrate": _integral,
        "NdPPoly.__call__": _piecewise_nd,
        "PPoly.__call__": _pieces,
        "PPoly.integrate": _integral,
        "RectBivariateSpline.__call__": _bivariate,
        "RegularGridInterpolator.__call__": _regular_grid,
        "UnivariateSpline.__call__": _univariate,
        "UnivariateSpline.integral": _univariate_integral,
        "interp1d.__call__": _interpolator,
        "interpn": _interpn,
        "splev": _splev,
    },
)
