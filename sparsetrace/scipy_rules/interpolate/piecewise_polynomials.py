"""``scipy.interpolate``: piecewise polynomials through traced ordinates.

Contract: interpolation that is linear in the ordinates takes its coefficients from
SciPy's own function of unit ordinates.  Slopes that are limited depend on the
ordinates around them, nonlinearly.  At a site a value is the ordinate itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.graph.graph import OPAQUE
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import contains_traced, ids_of, values_of
from sparsetrace.scipy_rules.interpolate.interpolators import (
    Sites,
    beside,
    class_of,
    first_axis,
    looked_up,
    made_anew,
    placed,
    set_state,
)
from sparsetrace.scipy_rules.interpolate.joined import Curve, joined
from sparsetrace.scipy_rules.interpolate.linear import bernstein
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    current,
    made,
    makes_objects,
    state_of,
)


@dataclass(slots=True)
class _PiecewisePolynomial:
    """``sum_r c[r, i] (t - x[i]) ** (k - 1 - r)`` on the interval i."""

    c: Any
    x: NDArray[Any]
    extrapolate: Any
    axis: int
    sites: Sites | None = None

    def evaluated(self, points, nu: int = 0, extrapolate=None) -> Any:
        mode = self.extrapolate if extrapolate is None else extrapolate
        points = array_of(points)
        points_1d = points.reshape(-1)
        first, last = self.x[0], self.x[-1]
        if isinstance(mode, str):
            points_1d, mode = first + (points_1d - first) % (last - first), False
        interval = (np.searchsorted(self.x, points_1d, side="right") - 1).clip(0, len(self.x) - 2)
        offset = points_1d - looked_up(self.x, interval)
        k = len(self.c)
        out: Any = 0.0
        for power in range(nu, k):
            factor = float(np.prod(np.arange(power, power - nu, -1)))
            term = self.c[k - 1 - power][interval]
            scale = factor * offset ** (power - nu) if power > nu else factor
            out = out + term * beside(scale, term)
        if k <= nu:
            out = self.c[0][interval] * 0.0
        if self.sites is not None and not nu:
            out = self.sites.through(points_1d, out)
        if not mode:
            outside = (points_1d < first) | (points_1d > last)
            out = np.where(beside(outside, out), np.nan, out)
        return placed(out.reshape(points.shape + self.c.shape[2:]), points.ndim, self.axis)

    def as_object_of(self, cls):
        """An object of a class with this state."""
        holder = object.__new__(cls)
        self.fill(holder)
        return holder

    def fill(self, holder) -> None:
        plain = class_of("PPoly")(np.zeros(self.c.shape[:2]), self.x, self.extrapolate)
        set_state(holder, plain, self, c=self.c, axis=self.axis)


@makes_objects
def BPoly_init(call, self, c, x, extrapolate, axis):
    constant(call, (x, extrapolate), "a break")
    if not isinstance(self, class_of("PPoly")):
        return bernstein(self, c, x, extrapolate, axis)
    c, x = array_of(c), np.asarray(x, float)
    if (np.diff(x) < 0).any():
        call.refuse("decreasing breaks have no rule", "Give them in increasing order.")
    if axis:
        c = np.moveaxis(np.moveaxis(c, axis + 1, 0), axis + 1, 0)
    mode = True if extrapolate is None else extrapolate
    _PiecewisePolynomial(c, x, mode, axis).fill(self)


PPoly_init = BPoly_init


def PPoly_extend(call, self, c, x):
    constant(call, x, "a break")
    state, c, x = state_of(self), array_of(c), np.asarray(x, float)
    if not isinstance(state, _PiecewisePolynomial):
        call.refuse("its coefficients are not known here", "Make a new polynomial of all of them.")
    plain = class_of("PPoly")(np.zeros(state.c.shape), state.x, state.extrapolate)
    plain.extend(np.zeros(c.shape), x)  # which raises SciPy's errors, and says where they go
    if not c.size:
        return
    before = bool(len(c)) and len(x) and plain.x[0] == x[0] and x[0] < state.x[0]
    if before and len(c) != len(state.c):
        call.refuse("coefficients of another degree have no rule there", "Raise the lower ones.")
    pair = [c, state.c] if before else [state.c, c]
    degree = max(map(len, pair))
    filled = [
        np.concatenate([np.zeros((degree - len(part), *part.shape[1:])), part]) for part in pair
    ]
    every = np.concatenate(filled, axis=1)
    made_anew(self, "PPoly", every, plain.x, state.extrapolate, state.axis)


@makes_objects
def PPoly_derivative(call, self, nu):
    state = state_of(self)
    if isinstance(state, Curve):
        return state.derived(class_of("PPoly"), "derivative", nu)
    if nu < 0:
        return PPoly_antiderivative(call, self, -nu)
    k = len(state.c)
    powers = np.arange(k - 1, -1, -1)[: max(k - nu, 0)]
    factors = np.ones(len(powers))
    for step in range(nu):
        factors = factors * (powers - step)
    c = state.c[: len(powers)] * factors.reshape((-1,) + (1,) * (state.c.ndim - 1))
    c = c if len(powers) else state.c[:1] * 0.0
    sites = None if nu else state.sites
    return _PiecewisePolynomial(c, state.x, state.extrapolate, state.axis, sites).as_object_of(
        type(self)
    )


@makes_objects
def PPoly_antiderivative(call, self, nu):
    state = state_of(self)
    if isinstance(state, Curve):
        return state.derived(class_of("PPoly"), "antiderivative", nu)
    if nu <= 0:
        return PPoly_derivative(call, self, -nu)
    c, widths = state.c, np.diff(state.x)
    shape = (-1,) + (1,) * (c.ndim - 1)
    for _ in range(nu):
        c = c / np.arange(len(c), 0, -1.0).reshape(shape)
        powers = widths ** np.arange(len(c), 0, -1.0)[:, None]
        integrals = (c * powers.reshape(powers.shape + (1,) * (c.ndim - 2))).sum(axis=0)
        starts = np.concatenate(
            [np.zeros((1, *integrals.shape[1:])), np.cumsum(integrals, axis=0)[:-1]]
        )
        c = np.concatenate([c, starts[None]])
    mode = False if isinstance(state.extrapolate, str) else state.extrapolate
    return _PiecewisePolynomial(c, state.x, mode, state.axis).as_object_of(type(self))


# ------------------------------------------------------------------ cubic splines
@makes_objects
def CubicSpline_init(call, self, x, y, axis, bc_type, extrapolate):
    options = {"axis": axis, "bc_type": bc_type, "extrapolate": extrapolate}
    if joined(call, self, axis, x, y, **options):
        return
    x, (y, axis) = np.asarray(x, float), first_axis(y, axis)
    n = len(x)
    if len(y) != n:
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    cubic_spline = class_of("CubicSpline")
    unit, source = np.eye(n), y
    ends = bc_type if isinstance(bc_type, str) else list(bc_type)
    if bc_type == "periodic":  # the last ordinate is the first
        unit, source = np.concatenate([unit[:-1, :-1], unit[:1, :-1]]), y[:-1]
    elif not isinstance(ends, str):
        ends = [end if isinstance(end, str) else (end[0], np.zeros(n)) for end in ends]
    c = np.tensordot(np.asarray(cubic_spline(x, unit, 0, ends).c), source, 1)
    if not isinstance(bc_type, str) and any(not isinstance(end, str) for end in bc_type):
        plain = np.zeros(y.shape)
        c = c + np.asarray(cubic_spline(x, plain, 0, bc_type).c)
    mode = ("periodic" if bc_type == "periodic" else True) if extrapolate is None else extrapolate
    _PiecewisePolynomial(c, x, mode, axis, Sites(x, y)).fill(self)


def _hermite_coefficients(x: NDArray[Any], y, slopes) -> Any:
    """Coefficients of the cubics with these values and slopes at the breaks."""
    width = np.diff(x).reshape((-1,) + (1,) * (y.ndim - 1))
    secant = (y[1:] - y[:-1]) / width
    cubic_term = (slopes[:-1] + slopes[1:] - 2 * secant) / width
    return np.stack(
        [cubic_term / width, (secant - slopes[:-1]) / width - cubic_term, slopes[:-1], y[:-1]]
    )


@makes_objects
def CubicHermiteSpline_init(call, self, x, y, dydx, axis, extrapolate):
    options = {"axis": axis, "extrapolate": extrapolate}
    if contains_traced(x) and joined(call, self, axis, x, y, dydx, **options):
        return
    constant(call, (x, extrapolate), "an abscissa")
    x, (y, place) = np.asarray(x, float), first_axis(y, axis)
    slopes = first_axis(dydx, axis)[0]
    mode = True if extrapolate is None else extrapolate
    c = _hermite_coefficients(x, y, slopes)
    _PiecewisePolynomial(c, x, mode, place, Sites(x, y)).fill(self)


@makes_objects
def PchipInterpolator_init(call, self, x, y, axis, extrapolate):
    """Slopes depend on three ordinates, nonlinearly but at the ends."""
    if joined(call, self, axis, x, y, axis=axis, extrapolate=extrapolate):
        return
    pchip = class_of("PchipInterpolator")
    _of_slopes(call, self, pchip(*_sample(x, axis, y)), x, y, axis, extrapolate, 1, linear=True)


@makes_objects
def Akima1DInterpolator_init(call, self, x, y, axis, method, extrapolate):
    """Slopes depend on five ordinates, nonlinearly; Akima's own at the ends are linear."""
    given = {"axis": axis, "method": method, "extrapolate": extrapolate}
    if contains_traced(x) and joined(call, self, axis, x, y, **given):
        return
    options = {} if method == "akima" else {"method": method}
    plain = class_of("Akima1DInterpolator")(*_sample(x, axis, y), **options)
    mode = bool(extrapolate) if not isinstance(extrapolate, str) else extrapolate
    _of_slopes(call, self, plain, x, y, axis, mode, 2, linear=method == "akima")


def _sample(x, axis: int, y) -> tuple[Any, ...]:
    """Arguments of a plain interpolator with the values of the point, or with any."""
    x = np.asarray(x, float)
    y = array_of(y)
    if current().local:
        return x, np.asarray(values_of(y)), axis
    place = x.reshape((-1,) + (1,) * (y.ndim - 1 - normalize_axis_index(axis, y.ndim)))
    return x, np.broadcast_to(place, y.shape).copy(), axis


def _of_slopes(
    call: Call,
    self,
    plain,
    x,
    y,
    axis: int,
    extrapolate,
    reach: int,
    *,
    linear: bool,
) -> None:
    """A cubic whose slope at a break depends on the ordinates so many breaks around it."""
    constant(call, (x, extrapolate), "an abscissa")
    trace = current()
    x, (y, place) = np.asarray(x, float), first_axis(y, axis)
    n = len(x)
    if len(y) != n:
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    outer = [np.arange(n)[max(0, i - reach) : i + reach + 1] for i in range(n)]
    outer[0], outer[-1] = np.arange(min(n, 3)), np.arange(max(0, n - 3), n)
    width = max(map(len, outer))
    index = np.array([np.resize(neighbours, width) for neighbours in outer])
    windows = np.moveaxis(ids_of(trace, y)[index], 1, -1)
    united = np.maximum(trace.graph.union_rows(windows), OPAQUE)
    slope_ids = interact_all(trace.graph, united)
    if n < 3:
        slope_ids = united
    elif linear:
        slope_ids = np.concatenate([united[:1], slope_ids[1:-1], united[-1:]])
    values = None
    if trace.local:
        values = np.moveaxis(np.asarray(plain(x, 1)), place, 0)
        if n > 2 and reach == 1 and trace.values:  # flat between steps of opposite signs
            steps = np.diff(y._values, axis=0)
            zero = np.zeros(values.shape, bool)
            zero[1:-1] = steps[:-1] * steps[1:] < 0
            slope_ids = np.where(zero, np.int32(trace.graph.opaque), slope_ids)
    slopes = made(trace, slope_ids, np.result_type(y._dtype, float), values)
    mode = True if extrapolate is None else extrapolate
    _PiecewisePolynomial(_hermite_coefficients(x, y, slopes), x, mode, place, Sites(x, y)).fill(
        self
    )
