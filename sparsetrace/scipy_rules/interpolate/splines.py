"""``scipy.interpolate``: constant splines and interpolators at traced points.

Contract: the coefficients say of which degree each piece is, and so whether a result
has first and second derivatives.  Objects whose ordinates are traced are answered by
the modules `piecewise_polynomials`, `bsplines` and `grids`, by their state.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.operands.operands import contains_traced, ids_of, values_of
from sparsetrace.scipy_rules.interpolate.fits import Surface
from sparsetrace.scipy_rules.interpolate.interpolators import class_of, known_places
from sparsetrace.scipy_rules.interpolate.joined import Curve
from sparsetrace.scipy_rules.interpolate.scattered import coordinates_of
from sparsetrace.scipy_rules.points import elementwise, polynomial_of
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    current,
    harmless,
    made,
    makes_objects,
    patterns,
    state_of,
)
from sparsetrace.scipy_rules.whole import whole

_DERIVATIVES = "Use one spline for each derivative (spline.derivative())."


def _both_sides(
    derivative: Callable[[NDArray[Any]], Any], breaks: NDArray[Any]
) -> Callable[[NDArray[Any]], Any]:
    """Zero where the derivatives on both sides of a break are."""

    def size(points: NDArray[Any]) -> Any:
        at_break = np.isin(points, breaks)
        slope = np.abs(derivative(points))
        if at_break.any():
            slope = slope + np.abs(derivative(np.nextafter(points, -np.inf)))
        return slope

    return size


def _order(nu) -> int:
    return int(nu)


# ---------------------------------------------------------------- one coordinate
def BPoly_call(call, self, x, nu, extrapolate):
    """``PPoly`` and ``BPoly``."""
    state = state_of(self)
    if state is not None:
        return state.evaluated(x, _order(nu), extrapolate)
    constant(call, (nu, extrapolate), "an option")

    def values(points, more: int = 0) -> Any:
        return call.original(self, points, nu + more, extrapolate)

    c = np.asarray(self.c)
    powers = np.arange(len(c) - 1, -1, -1) - _order(nu)
    if any(cls.__name__ == "BPoly" for cls in type(self).__mro__):
        degrees = np.full(c.shape[2:], powers[0])
    else:  # the highest power with a coefficient that is not zero
        used = (patterns(c) != 0).any(axis=1)
        degrees = np.where(used, powers.reshape((-1,) + (1,) * (c.ndim - 2)), -1).max(axis=0)
    return _at_points(x, degrees, values, np.asarray(self.x), c.dtype, self.axis)


PPoly_call = BPoly_call


def _at_points(x, degrees, values: Callable[..., Any], breaks, dtype, axis: int) -> Any:
    sides = [_both_sides(functools.partial(values, more=n), breaks) for n in (1, 2)]
    return elementwise(array_of(x), np.asarray(degrees), values, sides, dtype, axis)


def BSpline_call(call, self, x, nu, extrapolate):
    state = state_of(self)
    if state is not None:
        return state.evaluated(x, _order(nu), extrapolate)
    constant(call, (nu, extrapolate), "an option")

    def values(points, more: int = 0) -> Any:
        if nu + more > self.k:
            return 0.0 * call.original(self, points, 0, extrapolate)
        return call.original(self, points, nu + more, extrapolate)

    c = np.asarray(self.c)
    degrees = np.full(c.shape[1:], self.k - _order(nu))
    return _at_points(x, degrees, values, np.asarray(self.t), c.dtype, self.axis)


def BarycentricInterpolator_call(call, self, x):
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

    def values(points):
        return call.original(self, points)

    return elementwise(
        array_of(x), np.full(extra, degree), values, sides, self.dtype or float, axis
    )


def _never_zero(points: NDArray[Any]) -> Any:
    return np.ones(())


def _slopes(interpolator) -> Callable[[NDArray[Any]], Any]:
    """Zero where ``interp1d`` is constant on both sides of a point."""
    x = np.asarray(interpolator.x)
    y = np.moveaxis(np.asarray(interpolator.y), interpolator.axis, 0)
    bends = np.diff(y, axis=0) != 0

    def size(points: NDArray[Any]) -> Any:
        intervals = [np.searchsorted(x, points, side) - 1 for side in ("left", "right")]
        sides = [bends[np.clip(interval, 0, len(bends) - 1)] for interval in intervals]
        slope = (sides[0] | sides[1]).astype(float)
        if interpolator._extrapolate:
            return slope
        inside = (points >= x[0]) & (points <= x[-1])
        return slope * inside.reshape(inside.shape + (1,) * (slope.ndim - inside.ndim))

    def placed(points: NDArray[Any]) -> Any:
        slope, axis = size(points), interpolator.axis
        order = list(range(slope.ndim))
        if axis and points.ndim:
            order = (
                order[points.ndim : points.ndim + axis]
                + order[: points.ndim]
                + order[points.ndim + axis :]
            )
        return slope.transpose(order)

    return placed


KroghInterpolator_call = interp1d_call = BarycentricInterpolator_call


def UnivariateSpline_call(call, self, x, nu, ext):
    """``UnivariateSpline`` and its kin."""
    constant(call, (nu, ext), "an option")
    state = state_of(self)
    if state is not None:
        return state.evaluated(
            lambda plain, at: call.original(plain, at, nu, ext), (array_of(x),), np.shape(x)
        )
    knots, _, k = self._eval_args

    def values(points, more: int = 0) -> Any:
        if nu + more > k:
            return np.zeros(np.shape(points))
        return call.original(self, points, nu + more, ext)

    return _at_points(x, np.array(k - _order(nu)), values, np.asarray(knots), float, 0)


def splev(call, x, tck, der, ext):
    if hasattr(tck, "tck"):
        if ext:
            raise ValueError(f"Extrapolation mode {ext} is not supported by BSpline.")
        return tck(x, der, extrapolate=True)
    if isinstance(tck, Surface):
        return tck.curve(call, x, der, ext)
    knots, c, k = tck
    if not contains_traced((x, knots, c, k)):
        return call.original(x, tck, der, ext)
    if contains_traced((knots, k)) or (contains_traced(c) and ext):
        return whole(call, x, tck, der, ext)
    constant(call, (der, ext), "an option")
    if isinstance(c, list | tuple) and contains_traced(c) and np.ndim(c[0]):
        return [splev(call, x, (knots, coefficients, k), der, ext) for coefficients in c]
    if contains_traced(c):
        return class_of("BSpline")(knots, c, k)(x, der, extrapolate=True)
    if np.ndim(c[0]):
        return [splev(call, x, (knots, coefficients, k), der, ext) for coefficients in c]

    def values(points, more: int = 0) -> Any:
        if der + more > k:
            return np.zeros(np.shape(points))
        return call.original(points, (knots, c, k), der + more, ext)

    return _at_points(x, np.array(k - der), values, np.asarray(knots), float, 0)


@makes_objects
def splder(call, tck, n):
    """Knots, coefficients and degree."""
    if hasattr(tck, "tck"):
        return tck.derivative(n)
    t, c, k = tck
    constant(call, (t, k, n), "a knot")
    spline = class_of("BSpline")(t, c, k).derivative(n)
    return spline.t, spline.c, spline.k


@makes_objects
def splantider(call, tck, n):
    if hasattr(tck, "tck"):
        return tck.antiderivative(n)
    t, c, k = tck
    constant(call, (t, k, n), "a knot")
    spline = class_of("BSpline")(t, c, k).antiderivative(n)
    return spline.t, spline.c, spline.k


def splint(call, a, b, tck, full_output):
    """Zero outside of the knots."""
    if full_output:
        call.refuse("the integrals of the basis have no rule", "Leave full_output out.")
    t, c, k = tck.tck if hasattr(tck, "tck") else tck
    return class_of("BSpline")(t, c, k).integrate(a, b, extrapolate=False)[()]


def spalde(call, x, tck):
    """All derivatives at a point, or at each of several."""
    if np.ndim(x):
        return [spalde(call, place, tck) for place in array_of(x)]
    t, c, k = tck.tck if hasattr(tck, "tck") else tck
    spline = class_of("BSpline")(t, c, k)
    return np.stack([array_of(spline(x, order)) for order in range(k + 1)])


# ------------------------------------------------------------ several coordinates
def RectBivariateSpline_call(call, self, x, y, dx, dy, grid):
    """``RectBivariateSpline`` and its kin."""
    x, y = array_of(x), array_of(y)
    state = state_of(self)
    if grid:
        x, y = np.atleast_1d(x)[:, None], np.atleast_1d(y)[None, :]
    if state is not None:
        shape = np.broadcast_shapes(x.shape, y.shape)

        def function(plain, at_x, at_y):
            places = (at_x.reshape(-1), at_y.reshape(-1)) if grid else (at_x, at_y)
            return call.original(plain, *places, dx, dy, grid)

        return state.evaluated(function, (x, y), shape)
    kx, ky = self.degrees
    return polynomial_of([x, y], [kx - dx, ky - dy], float)


def bisplev(call, x, y, tck, dx, dy):
    """On the grid of two lists of places; ``bisplrep`` may have kept what it is made of."""
    if not isinstance(tck, Surface) and not contains_traced((x, y, list(tck))):
        return call.original(x, y, tck, dx, dy)
    at_x, at_y = np.atleast_1d(array_of(x)), np.atleast_1d(array_of(y))
    shape = len(at_x), len(at_y)

    def function(plain, *places) -> Any:
        values = call.plainly(*(place.reshape(-1) for place in places), plain, dx, dy)
        return np.reshape(values, shape)

    if isinstance(tck, Surface):
        return _squeezed(tck.fit.evaluated(function, (at_x[:, None], at_y[None]), shape))
    tx, ty, c, kx, ky = tck
    constant(call, (tx, ty, kx, ky), "a knot")
    if contains_traced(c):
        rows = [
            class_of("BSpline")(t, np.eye(len(t) - k - 1), k)(np.clip(v, t[k], t[-k - 1]), d)
            for t, k, v, d in ((tx, kx, at_x, dx), (ty, ky, at_y, dy))
        ]
        table = array_of(c).reshape(len(tx) - kx - 1, len(ty) - ky - 1)
        return _squeezed(rows[0] @ table @ rows[1].T)
    z = polynomial_of([at_x[:, None], at_y[None]], [kx - dx, ky - dy], float)
    if current().local:
        values = function(tck, *map(np.asarray, map(values_of, (at_x, at_y))))
        z = made(current(), ids_of(current(), z), float, values)
    return _squeezed(z)


def _squeezed(z) -> Any:
    """As SciPy returns it: without axes of one place."""
    if z.shape[0] > 1:
        return z
    return z[0] if z.shape[1] > 1 else z[0, 0]


def RegularGridInterpolator_call(call, self, xi, method, nu):
    state = state_of(self)
    if state is not None:
        return state.evaluated(xi, method, nu)
    degree = {"nearest": 0, "linear": 1, "slinear": 1, "cubic": 3, "pchip": 3, "quintic": 5}
    degrees = np.full(len(self.grid), degree[method or self.method])
    if nu is not None:
        degrees = degrees - np.asarray(nu)
    return _several(xi, degrees, np.shape(self.values)[len(self.grid) :], self.values)


def _several(xi, degrees, trailing: tuple[int, ...], values) -> Any:
    if isinstance(xi, tuple) and len(xi) == 1:
        xi = xi[0]
    if isinstance(xi, tuple):
        coordinates: list[Any] = list(np.broadcast_arrays(*map(array_of, xi)))
    else:
        points = array_of(xi)
        if points.ndim == 1:
            points = points.reshape(-1, len(degrees))
        coordinates = [points[..., i] for i in range(points.shape[-1])]
    coordinates = [np.asarray(p) if not contains_traced(p) else array_of(p) for p in coordinates]
    coordinates = [p.reshape(p.shape + (1,) * len(trailing)) for p in coordinates]
    dtype = np.result_type(np.asarray(values).dtype, float)
    result = polynomial_of(coordinates, [int(d) for d in degrees], dtype)
    if not trailing:
        return result
    return np.broadcast_to(result, result.shape[: result.ndim - len(trailing)] + trailing).copy()


@harmless("extrapolate")  # outside a result depends on no more
def NdPPoly_call(self, x, nu):
    """``NdPPoly``."""
    state = state_of(self)
    if state is not None:
        return state.evaluated(x, nu)
    d = len(self.x)
    degrees = np.array(self.c.shape[:d]) - 1 - (0 if nu is None else np.asarray(nu))
    return _several(x, degrees, self.c.shape[2 * d :], self.c)


@harmless("extrapolate")  # outside a result depends on no more
def NdBSpline_call(self, xi, nu):
    """``NdBSpline``."""
    state = state_of(self)
    if state is not None:
        return state.evaluated(xi, nu=nu)
    d = len(self.t)
    degrees = np.array(self.k) - (0 if nu is None else np.asarray(nu))
    result = _several(xi, degrees, self.c.shape[d:], self.c)
    return result[0] if not isinstance(xi, tuple) and np.ndim(xi) == 1 else result


def interpn(call, points, values, xi, method, bounds_error, fill_value):
    if method == "splinef2d":
        return _by_spline(call, points, values, xi, bounds_error, fill_value)
    interpolator = call.original.__globals__["RegularGridInterpolator"]
    return interpolator(points, values, method, bounds_error, fill_value)(xi)


def _by_spline(call: Call, points, values, xi, bounds_error, fill_value) -> Any:
    """``interpn`` by ``RectBivariateSpline``, whose points outside are those at the edge."""
    constant(call, (tuple(points), fill_value), "a grid point or the fill value")
    axes = [np.asarray(axis, float) for axis in points]
    spline = class_of("RectBivariateSpline")(*axes, array_of(values))
    coordinates = coordinates_of((xi,), 2)
    outside: Any = False
    for axis, coordinate in zip(axes, coordinates, strict=True):
        outside = outside | (coordinate < axis[0]) | (coordinate > axis[-1])
    known = known_places(outside)
    if bounds_error and known is not None and known.any():
        raise ValueError("One of the requested xi is out of bounds")
    return np.where(outside, fill_value, spline.ev(*coordinates))


# ---------------------------------------------------------------------- integrals
def BSpline_integrate(call, self, a, b, extrapolate):
    """Between traced limits, or of traced coefficients: by the antiderivative."""
    if isinstance(state_of(self), Curve):
        return whole(call, self, a, b, extrapolate)
    mode = self.extrapolate if extrapolate is None else extrapolate
    if isinstance(mode, str):
        call.refuse("a periodic integral has no rule", "Use spline.antiderivative().")
    if hasattr(self, "t"):
        knots = np.asarray(self.t)
        ends = knots[self.k], knots[len(knots) - self.k - 1]
        a, b = (v if mode else np.clip(v, *ends) for v in (a, b))
    primitive = self.antiderivative()
    return primitive(b, extrapolate=mode) - primitive(a, extrapolate=mode)


PPoly_integrate = BPoly_integrate = BSpline_integrate
