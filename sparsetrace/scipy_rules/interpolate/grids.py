"""``scipy.interpolate``: ``interp1d`` and regular grids of traced ordinates.

Contract: at a known point a value depends on those ordinates of the point's cell whose
weights are not zero.  At an unknown point it depends on the point and on all ordinates.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import OPAQUE
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import contains_traced, ids_of, is_traced, values_of
from sparsetrace.scipy_rules.interpolate.interpolators import (
    beside,
    class_of,
    first_axis,
    known_places,
    looked_up,
    placed,
    set_state,
)
from sparsetrace.scipy_rules.interpolate.joined import joined
from sparsetrace.scipy_rules.points import polynomial_of
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    current,
    harmless,
    made,
    makes_objects,
    state_of,
)

_LARGEST = 4096
"""Elements of a grid whose interpolation is taken from unit ordinates."""


@dataclass(slots=True)
class _Ends:
    """What ``interp1d`` gives outside of its abscissas."""

    first: float
    last: float
    fill: tuple[Any, Any] | None
    """None to extrapolate."""
    strict: bool
    """Whether a point outside is an error."""

    def filled(self, points_1d, out):
        if self.fill is None:
            return out
        before, behind = points_1d < self.first, points_1d > self.last
        known = known_places(before | behind)
        if self.strict and known is not None and known.any():
            raise ValueError("A value in x_new is outside of the interpolation range.")
        out = np.where(beside(before, out), array_of(self.fill[0]), out)
        return np.where(beside(behind, out), array_of(self.fill[1]), out)


@dataclass(slots=True)
class _Interp1d:
    """``interp1d``."""

    x: NDArray[Any]
    y: Any
    axis: int
    kind: str
    places: Any
    """A plain interpolator of the numbers of the ordinates."""
    ends: _Ends

    def evaluated(self, points):
        points = array_of(points)
        points_1d = points.reshape(-1)
        out = self._linear(points_1d) if self.kind == "linear" else self._nearest(points_1d)
        out = self.ends.filled(points_1d, out)
        return placed(out.reshape(points.shape + self.y.shape[1:]), points.ndim, self.axis)

    def _linear(self, points_1d):
        interval = (np.searchsorted(self.x, points_1d) - 1).clip(0, len(self.x) - 2)
        left = looked_up(self.x, interval)
        fraction = (points_1d - left) / (looked_up(self.x, interval + 1) - left)
        low, high = self.y[interval], self.y[interval + 1]
        if not is_traced(fraction):  # ends of an interval hit by rounding errors alone
            fraction = np.where(points_1d == self.x[interval + 1], 1.0, fraction)
            return low * beside(1.0 - fraction, low) + high * beside(fraction, high)
        return low + (high - low) * beside(fraction, high)

    def _nearest(self, points_1d):
        places = self.places(points_1d)
        known = known_places(places)
        if known is None or not np.isnan(known).any():
            return self.y[places.astype(int)]
        inside = ~np.isnan(known)  # there is none before the first and behind the last
        found = self.y[np.where(inside, places, 0.0).astype(int)]
        return np.where(beside(inside, found), found, np.nan)


@makes_objects
@harmless("copy")
def interp1d_init(call, self, x, y, kind, axis, bounds_error, fill_value, assume_sorted):
    if contains_traced(x):
        options = {
            "kind": kind, "axis": axis, "bounds_error": bounds_error, "fill_value": fill_value,
            "assume_sorted": assume_sorted,
        }  # fmt: skip
        joined(call, self, axis, x, y, **options)
        return
    x, (y, axis) = np.asarray(x, float), first_axis(y, axis)
    if not assume_sorted:
        order = np.argsort(x, kind="mergesort")
        x, y = x[order], y[order]
    name = {"slinear": "linear", 1: "linear", "zero": "previous", 0: "previous"}.get(kind, kind)
    extended = isinstance(fill_value, str) and fill_value == "extrapolate"
    strict = bounds_error is None or bool(bounds_error)
    ends = _Ends(x[0], x[-1], None if extended else _pair(fill_value), strict)
    degree = {"quadratic": 2, "cubic": 3}.get(name, name)
    by_cells = ("linear", "nearest", "nearest-up", "previous", "next")
    if isinstance(degree, str) and degree not in by_cells:
        raise NotImplementedError(f"{kind} is unsupported: Use fitpack routines for other types.")
    numbers, simple = np.arange(float(len(x))), degree if degree in by_cells else "linear"
    plain = class_of("interp1d")(x, numbers, simple, fill_value="extrapolate")
    trace = current()
    known = y if is_traced(y) else made(trace, trace.graph.constant(y), y.dtype, y)
    state: Any = _Interp1d(x, known, axis, name, plain, ends)
    if degree not in by_cells:
        state = _Interp1dSpline(class_of("make_interp_spline")(x, y, k=degree), axis, ends)
    fill = "extrapolate" if extended else fill_value
    set_state(self, plain, state, y=np.moveaxis(y, 0, axis), axis=axis, fill_value_orig=fill)
    self.x, self.bounds_error = x, strict and not extended


def _pair(fill_value) -> tuple[Any, Any]:
    if isinstance(fill_value, tuple) and len(fill_value) == 2:
        return fill_value
    return fill_value, fill_value


@dataclass(slots=True)
class _Interp1dSpline:
    """``interp1d`` of a higher degree."""

    spline: Any
    axis: int
    ends: _Ends

    def evaluated(self, points):
        points = array_of(points)
        points_1d = points.reshape(-1)
        state = state_of(self.spline)  # None of ordinates that are known
        out = (self.spline if state is None else state.evaluated)(points_1d)
        out = self.ends.filled(points_1d, out)
        return placed(out.reshape(points.shape + out.shape[1:]), points.ndim, self.axis)


# ------------------------------------------------------------------- regular grids
@dataclass(slots=True)
class _Grid:
    """``RegularGridInterpolator``."""

    call: Call
    grid: tuple[NDArray[Any], ...]
    values: Any
    method: str
    bounds_error: bool
    fill_value: Any

    def evaluated(self, xi, method=None, nu=None):
        method = method or self.method
        coordinates = self._coordinates(xi)
        shape = coordinates[0].shape
        coordinates = [coordinate.reshape(-1) for coordinate in coordinates]
        outside: Any = False
        for axis, coordinate in zip(self.grid, coordinates, strict=True):
            outside = outside | (coordinate < axis[0]) | (coordinate > axis[-1])
        known = known_places(outside)
        if self.bounds_error and known is not None and known.any():
            raise ValueError("One of the requested xi is out of bounds")
        if nu is not None and method in ("linear", "nearest", "pchip"):
            raise ValueError(f"Cannot differentiate with method = {method!r}")
        if method == "linear" or (method == "slinear" and nu is None):
            out = self._linear(coordinates)
        elif method == "nearest":
            out = self._nearest(coordinates)
        else:
            out = self._by_splines(coordinates, method, nu)
        if not self.bounds_error and self.fill_value is not None:
            out = np.where(beside(outside, out), self.fill_value, out)
        return out.reshape(shape + self.values.shape[len(self.grid) :])

    def _coordinates(self, xi) -> list[Any]:
        d = len(self.grid)
        if isinstance(xi, tuple):
            xi = np.stack([np.broadcast_to(array_of(x), _common(xi)) for x in xi], axis=-1)
        points = array_of(xi)
        if points.ndim == 1:
            points = points.reshape(-1, d)
        if points.shape[-1] != d:
            raise ValueError(
                f"The requested sample points xi have dimension {points.shape[-1]} but this "
                f"RegularGridInterpolator has dimension {d}"
            )
        return [points[..., i] for i in range(d)]

    def _places(self, coordinates: Sequence[Any]) -> list[tuple[Any, Any]]:
        """The cell of each point along each axis, and how far into it the point lies."""
        places = []
        for axis, coordinate in zip(self.grid, coordinates, strict=True):
            if len(axis) == 1:
                places.append((np.zeros(coordinate.shape, int), np.zeros(coordinate.shape)))
                continue
            place = (np.searchsorted(axis, coordinate) - 1).clip(0, len(axis) - 2)
            left = looked_up(axis, place)
            fraction = (coordinate - left) / (looked_up(axis, place + 1) - left)
            if not is_traced(fraction):
                fraction = np.where(coordinate == axis[place + 1], 1.0, fraction)
            places.append((place, fraction))
        return places

    def _linear(self, coordinates: Sequence[Any]) -> Any:
        places = self._places(coordinates)
        out: Any = 0.0
        for corner in np.ndindex(*(min(2, len(axis)) for axis in self.grid)):
            weight: Any = 1.0
            for upper, (_, fraction) in zip(corner, places, strict=True):
                weight = weight * (fraction if upper else 1.0 - fraction)
            term = self.values[tuple(p + u for (p, _), u in zip(places, corner, strict=True))]
            out = out + term * beside(weight, term)
        return out

    def _nearest(self, coordinates: Sequence[Any]) -> Any:
        places = self._places(coordinates)
        return self.values[tuple(place + (fraction > 0.5) * 1 for place, fraction in places)]

    def _by_splines(self, coordinates: Sequence[Any], method: str, nu) -> Any:
        """By the values at all grid points; those of ``pchip`` are not linear in them."""
        shape = tuple(map(len, self.grid))
        size, trace = int(np.prod(shape)), current()
        values = self.values.reshape(size, *self.values.shape[len(shape) :])
        moves = contains_traced(coordinates)
        if not moves and method != "pchip" and size <= _LARGEST:
            plain = self._plain(np.eye(size).reshape(*shape, size), method)
            units = plain(np.stack(coordinates, axis=-1), nu=nu)
            return np.tensordot(units, values, 1)
        total = np.asarray(trace.graph.union_rows(np.moveaxis(ids_of(trace, values), 0, -1)))
        if method == "pchip":
            total = interact_all(trace.graph, np.maximum(total, OPAQUE))
        behind = (1,) * total.ndim
        operands = [x.reshape(x.shape + behind) for x in coordinates]
        operands.append(made(trace, total.copy(), float))
        result = polynomial_of(operands, [3] * len(self.grid) + [1], float)
        if not trace.local:
            return result
        plain = self._plain(np.asarray(values_of(self.values)), method)
        at_point = plain(np.stack([np.asarray(values_of(x)) for x in coordinates], -1), nu=nu)
        return made(trace, ids_of(trace, result), float, at_point)

    def _plain(self, values, method: str) -> Any:
        """SciPy's own interpolator."""
        made_of = object.__new__(class_of("RegularGridInterpolator"))
        self.call.plainly(
            made_of, self.grid, values, method=method, bounds_error=False, fill_value=None
        )
        return functools.partial(Call("", type(made_of).__call__).plainly, made_of)


def _common(xi: tuple[Any, ...]) -> tuple[int, ...]:
    return np.broadcast_shapes(*(np.shape(x) for x in xi))


@makes_objects
@harmless("solver", "solver_args")  # how the coefficients of splines are found
def RegularGridInterpolator_init(call, self, points, values, method, bounds_error, fill_value):
    constant(call, (tuple(points), fill_value), "a grid point or the fill value")
    values = array_of(values)
    axes = [np.asarray(axis, float) for axis in points]
    for i, axis in enumerate(axes):
        if len(axis) > 1 and axis[0] > axis[-1]:
            axes[i], values = axis[::-1], np.flip(values, i)
    state = _Grid(call, tuple(axes), values, method, bool(bounds_error), fill_value)
    shape = tuple(map(len, axes))
    plain = class_of("RegularGridInterpolator")(tuple(axes), np.zeros(shape), bounds_error=False)
    set_state(self, plain, state, values=values, grid=tuple(axes))
    self.method = method
