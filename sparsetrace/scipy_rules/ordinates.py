"""``scipy.interpolate``: splines and interpolators through traced ordinates.

Contract: an object made of traced ordinates or coefficients is of its own class, and
holds a state that evaluates it.  Interpolation that is linear in the ordinates takes
its coefficients from SciPy's own function of unit ordinates; at its last site, as at
the others, a value is the ordinate itself.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.dispatch.operands import contains_traced, is_traced, values_of
from sparsetrace.graph import OPAQUE
from sparsetrace.interactions import bend
from sparsetrace.scipy_rules.calls import (
    CONSTANTS,
    STATE,
    Call,
    array_of,
    constant,
    current,
    lines,
    made,
    matrix_along,
    state_of,
)

__all__ = ["TABLE"]

_LARGEST = 4096
"""Elements of a grid whose interpolation is taken from unit ordinates."""


def _class(name: str) -> Any:
    return getattr(sys.modules["scipy.interpolate"], name)


def _hold(holder: Any, plain: Any, state: Any, **shown: Any) -> None:
    """Make an object of its class without running its constructor.

    Attributes are those of a plain object of the class, but for the ones shown.
    """
    names = [name for kind in type(plain).__mro__ for name in getattr(kind, "__slots__", ())]
    names += list(getattr(plain, "__dict__", {}))
    for name in names:
        if hasattr(plain, name) and name not in ("__dict__", "__weakref__"):
            setattr(holder, name, getattr(plain, name))
    if hasattr(plain, "_asarray"):  # which `c` passes through
        holder._asarray = _itself
    for name, value in shown.items():
        hidden = f"_{name}"
        setattr(holder, hidden if hasattr(plain, hidden) else name, value)
    holder.__dict__[STATE] = state


def _itself(x: Any, **_: Any) -> Any:
    return x


def _placed(out: Any, points: int, axis: int) -> Any:
    """The axes of the points moved to where the interpolation axis was."""
    if not axis or not points:
        return out
    axes = list(range(out.ndim))
    return out.transpose(axes[points : points + axis] + axes[:points] + axes[points + axis :])


def _first(y: Any, axis: int) -> tuple[Any, int]:
    """The interpolation axis first, and its number."""
    y = array_of(y)
    axis = normalize_axis_index(axis, y.ndim)
    return np.moveaxis(y, axis, 0), axis


def _at(table: NDArray[Any], place: Any) -> Any:
    """Elements of an ordinary array at places that may be traced."""
    if not is_traced(place):
        return table[place]
    graph = current()
    return made(graph, graph.constant(table), table.dtype, table)[place]


def _known(points: Any) -> NDArray[Any] | None:
    """The points' values where they count as places: of constants, and at a point."""
    if not is_traced(points):
        return np.asarray(points)
    return np.asarray(values_of(points)) if current().local else None


@dataclass(slots=True)
class _Sites:
    """Where a spline passes through its ordinates."""

    x: NDArray[Any]
    y: Any

    def through(self, points: Any, out: Any) -> Any:
        """`out` with the ordinates themselves at the sites; both in one dimension."""
        if is_traced(points):
            return out
        at = np.searchsorted(self.x, points).clip(0, len(self.x) - 1)
        hit = self.x[at] == points
        if not hit.any():
            return out
        hit = hit.reshape(hit.shape + (1,) * (out.ndim - 1))
        return np.where(hit, self.y[at], out)


# ---------------------------------------------------------- piecewise polynomials
@dataclass(slots=True)
class _Pieces:
    """``sum_r c[r, i] (t - x[i]) ** (k - 1 - r)`` on the interval i."""

    c: Any
    x: NDArray[Any]
    extrapolate: Any
    axis: int
    sites: _Sites | None = None

    def evaluated(self, points: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        mode = self.extrapolate if extrapolate is None else extrapolate
        points = array_of(points)
        flat = points.reshape(-1)
        first, last = self.x[0], self.x[-1]
        if isinstance(mode, str):
            flat, mode = first + (flat - first) % (last - first), False
        place = (np.searchsorted(self.x, flat, side="right") - 1).clip(0, len(self.x) - 2)
        offset = flat - _at(self.x, place)
        k = len(self.c)
        out: Any = 0.0
        for power in range(nu, k):
            factor = float(np.prod(np.arange(power, power - nu, -1)))
            term = self.c[k - 1 - power][place]
            scale = factor * offset ** (power - nu) if power > nu else factor
            out = out + term * _beside(scale, term)
        if k <= nu:
            out = self.c[0][place] * 0.0
        if self.sites is not None and not nu:
            out = self.sites.through(flat, out)
        if not mode:
            outside = (flat < first) | (flat > last)
            out = np.where(_beside(outside, out), np.nan, out)
        return _placed(out.reshape(points.shape + self.c.shape[2:]), points.ndim, self.axis)

    def held(self, kind: Any) -> Any:
        """An object of a class with this state."""
        holder = object.__new__(kind)
        self.hold(holder)
        return holder

    def hold(self, holder: Any) -> None:
        plain = _class("PPoly")(np.zeros(self.c.shape[:2]), self.x, self.extrapolate)
        _hold(holder, plain, self, c=self.c, axis=self.axis)


def _beside(scale: Any, term: Any) -> Any:
    """One number for each point, against several results."""
    shape = np.shape(scale)
    return np.reshape(scale, shape + (1,) * (term.ndim - len(shape))) if shape else scale


def _pieces_made(
    call: Call, self: Any, c: Any, x: Any, extrapolate: Any = None, axis: int = 0
) -> None:
    if not isinstance(self, _class("PPoly")):
        call.refuse(
            "a Bernstein basis with traced coefficients has no rule",
            "Use scipy.interpolate.PPoly or CubicHermiteSpline.",
        )
    constant(call, (x, extrapolate), "a break")
    c, x = array_of(c), np.asarray(x, float)
    if (np.diff(x) < 0).any():
        call.refuse("decreasing breaks have no rule", "Give them in increasing order.")
    if axis:
        c = np.moveaxis(np.moveaxis(c, axis + 1, 0), axis + 1, 0)
    mode = True if extrapolate is None else extrapolate
    _Pieces(c, x, mode, axis).hold(self)


def _derivative(call: Call, self: Any, nu: int = 1) -> Any:
    state = state_of(self)
    if nu < 0:
        return _antiderivative(call, self, -nu)
    k = len(state.c)
    powers = np.arange(k - 1, -1, -1)[: max(k - nu, 0)]
    factors = np.ones(len(powers))
    for step in range(nu):
        factors = factors * (powers - step)
    c = state.c[: len(powers)] * factors.reshape((-1,) + (1,) * (state.c.ndim - 1))
    c = c if len(powers) else state.c[:1] * 0.0
    sites = None if nu else state.sites
    return _Pieces(c, state.x, state.extrapolate, state.axis, sites).held(type(self))


def _antiderivative(call: Call, self: Any, nu: int = 1) -> Any:
    state = state_of(self)
    if nu <= 0:
        return _derivative(call, self, -nu)
    c, widths = state.c, np.diff(state.x)
    shape = (-1,) + (1,) * (c.ndim - 1)
    for _ in range(nu):
        c = c / np.arange(len(c), 0, -1.0).reshape(shape)
        powers = widths ** np.arange(len(c), 0, -1.0)[:, None]
        whole = (c * powers.reshape(powers.shape + (1,) * (c.ndim - 2))).sum(axis=0)
        starts = np.concatenate([np.zeros((1, *whole.shape[1:])), np.cumsum(whole, axis=0)[:-1]])
        c = np.concatenate([c, starts[None]])
    mode = False if isinstance(state.extrapolate, str) else state.extrapolate
    return _Pieces(c, state.x, mode, state.axis).held(type(self))


# ------------------------------------------------------------------ cubic splines
def _cubic(
    call: Call,
    self: Any,
    x: Any,
    y: Any,
    axis: int = 0,
    bc_type: Any = "not-a-knot",
    extrapolate: Any = None,
) -> None:
    constant(call, (x, extrapolate), "an abscissa")
    x, (y, axis) = np.asarray(x, float), _first(y, axis)
    n = len(x)
    if len(y) != n:
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    kind = _class("CubicSpline")
    unit, source = np.eye(n), y
    ends = bc_type if isinstance(bc_type, str) else [_without_value(call, end) for end in bc_type]
    if bc_type == "periodic":  # the last ordinate is the first
        unit, source = np.concatenate([unit[:-1, :-1], unit[:1, :-1]]), y[:-1]
    elif not isinstance(ends, str):
        ends = [end if isinstance(end, str) else (end[0], np.zeros(n)) for end in ends]
    c = np.tensordot(np.asarray(kind(x, unit, 0, ends).c), source, 1)
    if not isinstance(bc_type, str) and any(not isinstance(end, str) for end in bc_type):
        plain = np.zeros(y.shape)
        c = c + np.asarray(kind(x, plain, 0, bc_type).c)
    mode = ("periodic" if bc_type == "periodic" else True) if extrapolate is None else extrapolate
    _Pieces(c, x, mode, axis, _Sites(x, y)).hold(self)


def _without_value(call: Call, end: Any) -> Any:
    if contains_traced(end):
        call.refuse(
            "a derivative at an end may not depend on the inputs",
            "Use scipy.interpolate.CubicHermiteSpline.",
        )
    return end


def _hermite_pieces(x: NDArray[Any], y: Any, slopes: Any) -> Any:
    """Coefficients of the cubics with these values and slopes at the breaks."""
    width = np.diff(x).reshape((-1,) + (1,) * (y.ndim - 1))
    secant = (y[1:] - y[:-1]) / width
    bend_ = (slopes[:-1] + slopes[1:] - 2 * secant) / width
    return np.stack([bend_ / width, (secant - slopes[:-1]) / width - bend_, slopes[:-1], y[:-1]])


def _hermite(
    call: Call, self: Any, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None
) -> None:
    constant(call, (x, extrapolate), "an abscissa")
    x, (y, place) = np.asarray(x, float), _first(y, axis)
    slopes = _first(dydx, axis)[0]
    mode = True if extrapolate is None else extrapolate
    c = _hermite_pieces(x, y, slopes)
    _Pieces(c, x, mode, place, _Sites(x, y)).hold(self)


def _pchip(call: Call, self: Any, x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> None:
    """Slopes depend on three ordinates, nonlinearly but at the ends."""
    kind = _class("PchipInterpolator")
    _of_slopes(call, self, kind(*_sample(x, axis, y)), x, y, axis, extrapolate, 1, linear=True)


def _akima(
    call: Call,
    self: Any,
    x: Any,
    y: Any,
    axis: int = 0,
    *,
    method: str = "akima",
    extrapolate: Any = None,
) -> None:
    """Slopes depend on five ordinates, nonlinearly; Akima's own at the ends are linear."""
    options = {} if method == "akima" else {"method": method}
    plain = _class("Akima1DInterpolator")(*_sample(x, axis, y), **options)
    mode = bool(extrapolate) if not isinstance(extrapolate, str) else extrapolate
    _of_slopes(call, self, plain, x, y, axis, mode, 2, linear=method == "akima")


def _sample(x: Any, axis: int, y: Any) -> tuple[Any, ...]:
    """Arguments of a plain interpolator with the values of the point, or with any."""
    x = np.asarray(x, float)
    y = array_of(y)
    if current().local:
        return x, np.asarray(values_of(y)), axis
    place = x.reshape((-1,) + (1,) * (y.ndim - 1 - normalize_axis_index(axis, y.ndim)))
    return x, np.broadcast_to(place, y.shape).copy(), axis


def _of_slopes(
    call: Call,
    self: Any,
    plain: Any,
    x: Any,
    y: Any,
    axis: int,
    extrapolate: Any,
    reach: int,
    *,
    linear: bool,
) -> None:
    """A cubic whose slope at a break depends on the ordinates so many breaks around it."""
    constant(call, (x, extrapolate), "an abscissa")
    graph = current()
    x, (y, place) = np.asarray(x, float), _first(y, axis)
    n = len(x)
    if len(y) != n:
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    outer = [np.arange(n)[max(0, i - reach) : i + reach + 1] for i in range(n)]
    outer[0], outer[-1] = np.arange(min(n, 3)), np.arange(max(0, n - 3), n)
    width = max(map(len, outer))
    index = np.array([np.resize(part, width) for part in outer])
    windows = np.moveaxis(y._ids[index], 1, -1)
    united = np.maximum(graph.union_rows(windows), OPAQUE)
    curved = bend(graph, united)
    if n < 3:
        curved = united
    elif linear:
        curved = np.concatenate([united[:1], curved[1:-1], united[-1:]])
    values = None
    if graph.local:
        values = np.moveaxis(np.asarray(plain(x, 1)), place, 0)
        if n > 2 and reach == 1 and graph.values:  # flat between steps of opposite signs
            steps = np.diff(y._values, axis=0)
            flat = np.zeros(values.shape, bool)
            flat[1:-1] = steps[:-1] * steps[1:] < 0
            curved = np.where(flat, np.int32(OPAQUE), curved)
    slopes = made(graph, curved, float, values)
    mode = True if extrapolate is None else extrapolate
    _Pieces(_hermite_pieces(x, y, slopes), x, mode, place, _Sites(x, y)).hold(self)


# ----------------------------------------------------------------------- B-splines
@dataclass(slots=True)
class _Basis:
    """``sum_i c[i] B_i(t)``, with B-splines of degree k."""

    t: NDArray[Any]
    c: Any
    k: int
    extrapolate: Any
    axis: int
    sites: _Sites | None = None

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
            out = np.where(_beside(outside, out), np.nan, out)
        return _placed(out.reshape(points.shape + self.c.shape[1:]), points.ndim, self.axis)

    def _inside(self, flat: Any) -> Any:
        """At points in one dimension, the first and last pieces extended."""
        kind, n = _class("BSpline"), len(self.t) - self.k - 1
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
        plain = _class("BSpline")(self.t, np.zeros(len(self.c)), self.k, self.extrapolate)
        _hold(holder, plain, self, c=self.c, axis=self.axis)


def _basis_made(
    call: Call, self: Any, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0
) -> None:
    constant(call, (t, k, extrapolate), "a knot")
    c, axis = _first(c, axis)
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
    x, (y, axis) = np.asarray(x, float), _first(y, axis)
    plain = call.original(x, np.eye(len(x)), k, t, bc_type)
    c = np.tensordot(np.asarray(plain.c), y, 1)
    order = np.argsort(x)
    sites = _Sites(x[order], y[order])
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
    x, (y, axis) = np.asarray(x, float), _first(y, axis)
    plain = call.original(x, np.eye(len(x)), t, k, w)
    c = np.tensordot(np.asarray(plain.c), y, 1)
    return _Basis(np.asarray(plain.t), c, int(k), True, axis).held(type(plain))


# ------------------------------------------------------------------------ interp1d
@dataclass(slots=True)
class _Line:
    """``interp1d``."""

    x: NDArray[Any]
    y: Any
    axis: int
    kind: str
    places: Any
    """A plain interpolator of the numbers of the ordinates."""
    fill: tuple[Any, Any] | None
    bounds_error: bool

    def evaluated(self, points: Any) -> Any:
        points = array_of(points)
        flat = points.reshape(-1)
        first, last = self.x[0], self.x[-1]
        known = _known((flat < first) | (flat > last))
        if self.bounds_error and self.fill is not None and known is not None and known.any():
            raise ValueError("A value in x_new is outside of the interpolation range.")
        out = self._linear(flat) if self.kind == "linear" else self._nearest(flat)
        if self.fill is not None:
            below, above = (np.asarray(value) for value in self.fill)
            out = np.where(_beside(flat < first, out), below, out)
            out = np.where(_beside(flat > last, out), above, out)
        return _placed(out.reshape(points.shape + self.y.shape[1:]), points.ndim, self.axis)

    def _linear(self, flat: Any) -> Any:
        place = (np.searchsorted(self.x, flat) - 1).clip(0, len(self.x) - 2)
        left = _at(self.x, place)
        part = (flat - left) / (_at(self.x, place + 1) - left)
        low, high = self.y[place], self.y[place + 1]
        if not is_traced(part):  # ends of an interval hit by rounding errors alone
            part = np.where(flat == self.x[place + 1], 1.0, part)
            return low * _beside(1.0 - part, low) + high * _beside(part, high)
        return low + (high - low) * _beside(part, high)

    def _nearest(self, flat: Any) -> Any:
        return self.y[self.places(flat).astype(int)]


def _line_made(
    call: Call,
    self: Any,
    x: Any,
    y: Any,
    kind: Any = "linear",
    axis: int = -1,
    copy: bool = True,
    bounds_error: Any = None,
    fill_value: Any = np.nan,
    assume_sorted: bool = False,
) -> None:
    constant(call, x, "an abscissa")
    constant(call, fill_value, "fill_value", "Use np.where on the result.")
    x, (y, axis) = np.asarray(x, float), _first(y, axis)
    if not assume_sorted:
        order = np.argsort(x, kind="mergesort")
        x, y = x[order], y[order]
    name = {"slinear": "linear", 1: "linear", "zero": "previous", 0: "previous"}.get(kind, kind)
    extended = isinstance(fill_value, str) and fill_value == "extrapolate"
    numbers = np.arange(float(len(x)))
    if name in ("quadratic", "cubic") or not isinstance(name, str):
        degree = {"quadratic": 2, "cubic": 3}.get(name, name)
        spline = _class("make_interp_spline")(x, y, k=degree)
        state: Any = _Curve(spline, x, None if extended else _pair(fill_value), axis)
        plain = _class("interp1d")(x, numbers, "linear", fill_value="extrapolate")
    elif name not in ("linear", "nearest", "nearest-up", "previous", "next"):
        raise NotImplementedError(f"{kind} is unsupported: Use fitpack routines for other types.")
    else:
        plain = _class("interp1d")(x, numbers, name, fill_value="extrapolate")
        strict = not extended and (bounds_error is None or bool(bounds_error))
        if bounds_error is None and _is_given(fill_value):
            strict = False
        state = _Line(
            x, y, axis, name, plain, None if extended else _pair(fill_value), bounds_error=strict
        )
    _hold(self, plain, state, y=np.moveaxis(y, 0, axis), axis=axis)
    self.x = x


def _is_given(fill_value: Any) -> bool:
    """Whether a fill value was given: without one, points outside are an error."""
    return not (isinstance(fill_value, float) and np.isnan(fill_value))


def _pair(fill_value: Any) -> tuple[Any, Any]:
    if isinstance(fill_value, tuple) and len(fill_value) == 2:
        return fill_value
    return fill_value, fill_value


@dataclass(slots=True)
class _Curve:
    """``interp1d`` of a higher degree."""

    spline: Any
    x: NDArray[Any]
    fill: tuple[Any, Any] | None
    axis: int

    def evaluated(self, points: Any) -> Any:
        points = array_of(points)
        flat = points.reshape(-1)
        out = state_of(self.spline).evaluated(flat)
        if self.fill is not None:
            out = np.where(_beside(flat < self.x[0], out), np.asarray(self.fill[0]), out)
            out = np.where(_beside(flat > self.x[-1], out), np.asarray(self.fill[1]), out)
        return _placed(out.reshape(points.shape + out.shape[1:]), points.ndim, self.axis)


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

    def evaluated(self, xi: Any, method: Any = None) -> Any:
        method = method or self.method
        parts = self._parts(xi)
        shape = parts[0].shape
        parts = [part.reshape(-1) for part in parts]
        outside: Any = False
        for axis, part in zip(self.grid, parts, strict=True):
            outside = outside | (part < axis[0]) | (part > axis[-1])
        known = _known(outside)
        if self.bounds_error and known is not None and known.any():
            raise ValueError("One of the requested xi is out of bounds")
        if method in ("linear", "slinear"):
            out = self._linear(parts)
        elif method == "nearest":
            out = self._nearest(parts)
        else:
            out = self._by_units(parts, method)
        if not self.bounds_error and self.fill_value is not None:
            out = np.where(_beside(outside, out), self.fill_value, out)
        return out.reshape(shape + self.values.shape[len(self.grid) :])

    def _parts(self, xi: Any) -> list[Any]:
        d = len(self.grid)
        if isinstance(xi, tuple):
            xi = np.stack([np.broadcast_to(array_of(x), _common(xi)) for x in xi], axis=-1)
        points = array_of(xi)
        if d == 1 and points.ndim == 1:
            points = points[:, None]
        if points.shape[-1] != d:
            raise ValueError(
                f"The requested sample points xi have dimension {points.shape[-1]} but this "
                f"RegularGridInterpolator has dimension {d}"
            )
        return [points[..., i] for i in range(d)]

    def _places(self, parts: Sequence[Any]) -> list[tuple[Any, Any]]:
        """The cell of each point along each axis, and how far into it the point lies."""
        found = []
        for axis, part in zip(self.grid, parts, strict=True):
            if len(axis) == 1:
                found.append((np.zeros(part.shape, int), np.zeros(part.shape)))
                continue
            place = (np.searchsorted(axis, part) - 1).clip(0, len(axis) - 2)
            left = _at(axis, place)
            far = (part - left) / (_at(axis, place + 1) - left)
            if not is_traced(far):
                far = np.where(part == axis[place + 1], 1.0, far)
            found.append((place, far))
        return found

    def _linear(self, parts: Sequence[Any]) -> Any:
        places = self._places(parts)
        out: Any = 0.0
        for corner in np.ndindex(*(min(2, len(axis)) for axis in self.grid)):
            weight: Any = 1.0
            for upper, (_, far) in zip(corner, places, strict=True):
                weight = weight * (far if upper else 1.0 - far)
            term = self.values[tuple(p + u for (p, _), u in zip(places, corner, strict=True))]
            out = out + term * _beside(weight, term)
        return out

    def _nearest(self, parts: Sequence[Any]) -> Any:
        places = self._places(parts)
        return self.values[tuple(place + (far > 0.5) * 1 for place, far in places)]

    def _by_units(self, parts: Sequence[Any], method: str) -> Any:
        shape = tuple(map(len, self.grid))
        size = int(np.prod(shape))
        if method == "pchip" or size > _LARGEST or any(map(is_traced, parts)):
            self.call.refuse(
                f"method={method!r} has no rule for these traced values", "Use method='linear'."
            )
        units = np.eye(size).reshape(*shape, size)
        plain = _class("RegularGridInterpolator")(
            self.grid, units, method=method, bounds_error=False, fill_value=None
        )
        values = self.values.reshape(size, *self.values.shape[len(shape) :])
        return np.tensordot(plain(np.stack(parts, axis=-1)), values, 1)


def _common(xi: tuple[Any, ...]) -> tuple[int, ...]:
    return np.broadcast_shapes(*(np.shape(x) for x in xi))


def _grid_made(
    call: Call,
    self: Any,
    points: Any,
    values: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: Any = np.nan,
    *,
    solver: Any = None,
    solver_args: Any = None,
) -> None:
    constant(call, (tuple(points), fill_value), "a grid point or the fill value")
    values = array_of(values)
    axes = [np.asarray(axis, float) for axis in points]
    for i, axis in enumerate(axes):
        if len(axis) > 1 and axis[0] > axis[-1]:
            axes[i], values = axis[::-1], np.flip(values, i)
    state = _Grid(call, tuple(axes), values, method, bool(bounds_error), fill_value)
    shape = tuple(map(len, axes))
    plain = _class("RegularGridInterpolator")(tuple(axes), np.zeros(shape), bounds_error=False)
    _hold(self, plain, state, values=values, grid=tuple(axes))
    self.method = method


def _refused(remedy: str) -> Any:
    def rule(call: Call, *args: Any, **options: Any) -> Any:
        call.refuse("its fit of traced ordinates is compiled code", remedy)

    return rule


_SPLINE = "Use scipy.interpolate.make_interp_spline or make_lsq_spline."
_MODULE = "scipy.interpolate"
TABLE = lines(
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
) | lines(
    _MODULE,
    {
        "Akima1DInterpolator.__init__": _akima,
        "BSpline.__init__": _basis_made,
        "BSpline.antiderivative": _basis_antiderivative,
        "BSpline.derivative": _basis_derivative,
        "CubicHermiteSpline.__init__": _hermite,
        "CubicSpline.__init__": _cubic,
        "PPoly.__init__": _pieces_made,
        "PPoly.antiderivative": _antiderivative,
        "PPoly.derivative": _derivative,
        "PchipInterpolator.__init__": _pchip,
        "RegularGridInterpolator.__init__": _grid_made,
        "interp1d.__init__": _line_made,
        "make_interp_spline": _interpolating,
        "make_lsq_spline": _fitting,
    },
    own_values=True,
)
