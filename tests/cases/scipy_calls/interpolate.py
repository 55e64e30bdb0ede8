"""scipy.interpolate: functions of four places, or of six ordinates."""

from __future__ import annotations

import numpy as np
import scipy.interpolate as si

from cases.scipy_calls.constants import AT, GRID, HEIGHTS, SITES, TABLE

CUBIC = si.CubicSpline(SITES, HEIGHTS)


def extended(curve, c, x):
    """Values of a curve to which an interval was added."""
    curve.extend(c, np.array([float(x)]))
    return curve(np.array([-0.5, 0.5, 1.5, 2.5]))


PLANE = si.RectBivariateSpline(GRID[0], GRID[1], TABLE, kx=2, ky=1)
VARIOUS = si.CubicSpline(SITES, np.stack([HEIGHTS, SITES, np.ones(6)], axis=1))
POINTS = {
    "CubicSpline": CUBIC,
    "CubicSpline, slope": lambda x: CUBIC(x, 1),
    "CubicSpline, second": lambda x: CUBIC(x, 2),
    "CubicSpline, third": lambda x: CUBIC(x, 3),
    "CubicSpline, one": lambda x: CUBIC(x[0]) * x[1],
    "CubicSpline, columns": VARIOUS,
    "CubicSpline, rows": lambda x: si.CubicSpline(SITES, np.stack([HEIGHTS, SITES]), axis=1)(x),
    "CubicSpline, derivative": lambda x: CUBIC.derivative()(x),
    "CubicSpline, integral": lambda x: CUBIC.integrate(x[0], x[1]) * x[2],
    "CubicSpline, periodic": lambda x: CUBIC(x, extrapolate="periodic"),
    "PchipInterpolator": lambda x: si.PchipInterpolator(SITES, HEIGHTS)(x),
    "Akima1DInterpolator": lambda x: si.Akima1DInterpolator(SITES, HEIGHTS)(x),
    "PPoly, straight": lambda x: si.PPoly([[1.0, 2], [0, 1]], [0, 1, 2])(x),
    "PPoly, constant": lambda x: si.PPoly([[0.0, 0], [3, 1]], [0, 1, 2])(x) * x[0],
    "BPoly": lambda x: si.BPoly([[1.0, 2], [0, 3], [2, 0]], [0, 1, 2])(x),
    "BSpline": lambda x: si.make_interp_spline(SITES, HEIGHTS)(x),
    "BSpline, quadratic": lambda x: si.make_interp_spline(SITES, HEIGHTS, k=2)(x, 1),
    "BSpline, linear": lambda x: si.make_interp_spline(SITES, HEIGHTS, k=1)(x) * x[0],
    "BSpline, integral": lambda x: si.make_interp_spline(SITES, HEIGHTS).integrate(0.1, x[1]),
    "interp1d": lambda x: si.interp1d(SITES, HEIGHTS)(x),
    "interp1d, cubic": lambda x: si.interp1d(SITES, HEIGHTS, "cubic")(x),
    "interp1d, nearest": lambda x: si.interp1d(SITES, HEIGHTS, "nearest")(x) * x,
    "interp1d, list": lambda x: si.interp1d(SITES, HEIGHTS, 2)([x[0], 1.0, x[2]]),
    "interp1d, rows": lambda x: si.interp1d(SITES, np.stack([HEIGHTS, SITES]))(x),
    "KroghInterpolator": lambda x: si.KroghInterpolator(SITES[:3], HEIGHTS[:3])(x),
    "BarycentricInterpolator": lambda x: si.BarycentricInterpolator(SITES[:3], HEIGHTS[:3])(x),
    "UnivariateSpline": lambda x: si.UnivariateSpline(SITES, HEIGHTS, s=0)(x),
    "UnivariateSpline, slope": lambda x: si.UnivariateSpline(SITES, HEIGHTS, k=2)(x, 1) * x[0],
    "UnivariateSpline, integral": lambda x: si.UnivariateSpline(SITES, HEIGHTS).integral(0.2, x[0]),
    "InterpolatedUnivariateSpline": lambda x: si.InterpolatedUnivariateSpline(SITES, HEIGHTS)(x),
    "splev": lambda x: si.splev(x, si.splrep(SITES, HEIGHTS)),
    "splev, curve": lambda x: si.splev(x, si.splprep([SITES, HEIGHTS], s=0)[0])[1],
    "splev, BSpline": lambda x: si.splev(x, si.make_interp_spline(SITES, HEIGHTS)),
    "RectBivariateSpline": lambda x: PLANE(x[:2], x[2:], grid=False),
    "RectBivariateSpline, ev": lambda x: PLANE.ev(x[:2], x[2:]),
    "RectBivariateSpline, grid": lambda x: PLANE(x[:1], [0.2, 0.9]),
    "RegularGridInterpolator": lambda x: si.RegularGridInterpolator(GRID, TABLE)(x.reshape(2, 2)),
    "RegularGridInterpolator, tuple": lambda x: si.RegularGridInterpolator(GRID, TABLE)(
        (x[:2], x[2])
    ),
    "RegularGridInterpolator, line": lambda x: si.RegularGridInterpolator((SITES,), HEIGHTS)(x),
    "RegularGridInterpolator, nearest": lambda x: (
        si.RegularGridInterpolator(GRID, TABLE)(x.reshape(2, 2), "nearest") * x[0]
    ),
    "RegularGridInterpolator, cubic": lambda x: si.RegularGridInterpolator(
        (SITES, SITES), np.add.outer(HEIGHTS, SITES) ** 2, method="cubic"
    )(x.reshape(2, 2)),
    "interpn": lambda x: si.interpn(GRID, TABLE, x.reshape(2, 2)),
    "interpn, one point": lambda x: si.interpn(GRID, TABLE, x[:2]) * x[2],
    "interpn, splinef2d": lambda x: si.interpn(AXES, TALL, x[:2], "splinef2d") * x[2],
    "FloaterHormannInterpolator": lambda x: si.FloaterHormannInterpolator(SITES, HEIGHTS)(x),
    "KroghInterpolator, rows": lambda x: si.KroghInterpolator(
        SITES[:3], np.stack([HEIGHTS, SITES])[:, :3], axis=1
    )(x),
    "LinearNDInterpolator": lambda x: si.LinearNDInterpolator(PLACES, HEIGHTS)(x[:2] / 2) * x[2],
    "LinearNDInterpolator, columns": lambda x: si.LinearNDInterpolator(
        PLACES, np.stack([HEIGHTS, SITES], axis=1)
    )(x[:2] / 2, x[2] / 2),
    "NearestNDInterpolator": lambda x: si.NearestNDInterpolator(PLACES, HEIGHTS)(x[:2]) * x[2],
    "CloughTocher2DInterpolator": lambda x: si.CloughTocher2DInterpolator(PLACES, HEIGHTS)(
        x.reshape(2, 2) / 2
    ),
    "RBFInterpolator": lambda x: si.RBFInterpolator(PLACES, HEIGHTS)(x.reshape(2, 2)),
    "RBFInterpolator, columns": lambda x: si.RBFInterpolator(
        PLACES, np.stack([HEIGHTS, SITES], axis=1), neighbors=4
    )(x.reshape(2, 2)),
    "griddata, cubic": lambda x: si.griddata(PLACES, HEIGHTS, x.reshape(2, 2) / 2, "cubic"),
    "bisplev": lambda x: si.bisplev(x[:1], x[1:2], SURFACE) * x[2],
    "SmoothBivariateSpline": lambda x: si.SmoothBivariateSpline(*POSTS, TALL.ravel()).ev(
        x[:2], x[2:]
    ),
    "RectSphereBivariateSpline": lambda x: si.RectSphereBivariateSpline(*ANGLES, TALL)(x[0], x[1]),
    "splint": lambda x: si.splint(x[0] / 2, x[1] + 0.4, si.splrep(SITES, HEIGHTS)) * x[2],
    "spalde": lambda x: si.spalde(x[0], si.splrep(SITES, HEIGHTS)),
    "UnivariateSpline, derivatives": lambda x: si.UnivariateSpline(SITES, HEIGHTS, s=0).derivatives(
        x[0]
    ),
}
AXES = np.arange(4.0), np.arange(4.0)
POSTS = np.repeat(AXES[0], 4), np.tile(AXES[1], 4)
ANGLES = np.linspace(0.5, 2.5, 4), np.linspace(0.5, 5, 4)
TALL = np.random.default_rng(8).uniform(0, 1, (4, 4))
SURFACE = si.bisplrep(*POSTS, TALL.ravel(), s=0)
TRIANGLES = np.array([[0.3, 0.4], [0.6, 0.1], [5.0, 5.0]])


def grown(y):
    """Increasing abscissas."""
    return np.cumsum(y)


def posts(y):
    """Sixteen heights made of six numbers."""
    return np.concatenate([y, y[::-1] ** 2, y[:4]])


ORDINATES = {
    "CubicSpline": lambda y: si.CubicSpline(SITES, y)(AT),
    "CubicSpline, natural": lambda y: si.CubicSpline(SITES, y, bc_type="natural")(AT),
    "CubicSpline, clamped": lambda y: si.CubicSpline(SITES, y, bc_type=((1, 0.5), "not-a-knot"))(
        AT
    ),
    "CubicSpline, periodic": lambda y: si.CubicSpline(
        SITES, np.append(y[:-1], y[0]), bc_type="periodic"
    )(AT[1:-1]),
    "CubicSpline, derivative": lambda y: si.CubicSpline(SITES, y).derivative()(AT),
    "CubicSpline, nu": lambda y: si.CubicSpline(SITES, y)(AT, 2),
    "CubicSpline, integral": lambda y: si.CubicSpline(SITES, y).integrate(0.1, 3.3),
    "CubicSpline, columns": lambda y: si.CubicSpline(SITES, np.stack([y, y * 2], axis=1))(AT),
    "CubicSpline, at traced": lambda y: si.CubicSpline(SITES, y)(y[:2] + 0.3),
    "CubicSpline, coefficients": lambda y: si.CubicSpline(SITES[:4], y[:4]).c,
    "CubicHermiteSpline": lambda y: si.CubicHermiteSpline(SITES[:3], y[:3], y[3:])(AT[:4]),
    "PchipInterpolator": lambda y: si.PchipInterpolator(SITES, y)(AT),
    "Akima1DInterpolator": lambda y: si.Akima1DInterpolator(SITES, y)(AT),
    "PPoly": lambda y: si.PPoly(y.reshape(2, 3), SITES[:4])(AT[:5]),
    "PPoly.extend": lambda y: extended(si.PPoly(y[:4].reshape(2, 2), [0, 1, 2.0]), y[4:, None], 3),
    "PPoly.extend, to the left": lambda y: extended(
        si.PPoly(y[:4].reshape(2, 2), [0, 1, 2.0]), y[4:, None], -1
    ),
    "PPoly.extend, of a higher degree": lambda y: extended(
        si.PPoly(y[:2].reshape(1, 2), [0, 1, 2.0]), y[2:, None], 3
    ),
    "PPoly.extend, along another axis": lambda y: extended(
        si.PPoly(y[:4].reshape(1, 2, 2), [0, 1, 2.0], axis=1), y[4:].reshape(2, 1, 1), 3
    ),
    "BPoly.extend": lambda y: extended(si.BPoly(y[:4].reshape(2, 2), [0, 1, 2.0]), y[4:, None], 3),
    "BPoly.extend, of a higher degree": lambda y: extended(
        si.BPoly(y[:2].reshape(1, 2), [0, 1, 2.0]), y[2:, None], -1
    ),
    "BSpline": lambda c: si.BSpline(np.array([0, 0, 0, 0, 1, 2, 4, 4, 4, 4.0]), c, 3)(AT),
    "BSpline, slope": lambda c: si.BSpline(np.array([0, 0, 0, 1, 2, 3, 4, 4, 4.0]), c, 2)(AT, 1),
    "BSpline, derivative": lambda c: si.BSpline(
        np.array([0, 0, 0, 1, 2, 3, 4, 4, 4.0]), c, 2
    ).derivative()(AT),
    "make_interp_spline": lambda y: si.make_interp_spline(SITES, y)(AT),
    "make_interp_spline, linear": lambda y: si.make_interp_spline(SITES, y, k=1)(AT),
    "make_lsq_spline": lambda y: si.make_lsq_spline(
        SITES, y, np.array([0, 0, 0, 0, 2.0, 4, 4, 4, 4])
    )(AT),
    "interp1d": lambda y: si.interp1d(SITES, y)(AT),
    "interp1d, extrapolate": lambda y: si.interp1d(SITES, y, fill_value="extrapolate")([-1.0, 5]),
    "interp1d, fill": lambda y: si.interp1d(SITES, y, bounds_error=False, fill_value=(1.0, 2.0))(
        [-1.0, 0.5, 5]
    ),
    "interp1d, fill by traced": lambda y: si.interp1d(
        SITES, HEIGHTS, bounds_error=False, fill_value=(y[0], y[1] * y[2])
    )([-1.0, 0.5, 9.0]),
    "interp1d, fill by traced, cubic": lambda y: si.interp1d(
        SITES, y, "cubic", bounds_error=False, fill_value=y[0]
    )([-1.0, 0.5, 9.0]),
    "interp1d, fill by traced, known": lambda y: si.interp1d(
        SITES, HEIGHTS, "quadratic", bounds_error=False, fill_value=y[0]
    )([0.7, 9.0]),
    "interp1d, previous": lambda y: si.interp1d(SITES, y, "previous")(AT),
    "interp1d, zero": lambda y: si.interp1d(SITES, y, "zero")(AT),
    "interp1d, degree": lambda y: si.interp1d(SITES, y, 2)(AT),
    "interp1d, next": lambda y: si.interp1d(SITES, y, "next")(AT),
    "interp1d, nearest": lambda y: si.interp1d(SITES, y, "nearest")(AT),
    "interp1d, quadratic": lambda y: si.interp1d(SITES, y, "quadratic")(AT),
    "interp1d, cubic": lambda y: si.interp1d(SITES, y, "cubic")(AT),
    "interp1d, rows": lambda y: si.interp1d(SITES, np.stack([y, y * y]))(AT),
    "interp1d, at traced": lambda y: si.interp1d(SITES, y)(2.3 * y[:2] - 0.6),
    "interp1d, unsorted": lambda y: si.interp1d(SITES[::-1], y)(AT),
    "RegularGridInterpolator": lambda y: si.RegularGridInterpolator(
        (SITES[:2], SITES[:3]), y.reshape(2, 3)
    )([[0.2, 0.3], [0.7, 1.1], [0.0, 0.9]]),
    "RegularGridInterpolator, nearest": lambda y: si.RegularGridInterpolator(
        (SITES[:2], SITES[:3]), y.reshape(2, 3), method="nearest"
    )([[0.2, 0.3], [0.7, 1.0]]),
    "RegularGridInterpolator, fill": lambda y: si.RegularGridInterpolator(
        (SITES,), y, bounds_error=False, fill_value=0.0
    )([0.2, 9.0]),
    "RegularGridInterpolator, cubic": lambda y: si.RegularGridInterpolator(
        (SITES,), y, method="cubic"
    )([[0.2], [1.5]]),
    "interpn": lambda y: si.interpn((SITES[:2], SITES[:3]), y.reshape(2, 3), [[0.2, 0.3]]),
    "UnivariateSpline": lambda y: si.UnivariateSpline(SITES, y, s=0.01)(AT[1:-1] + 0.05),
    "UnivariateSpline, exact": lambda y: si.UnivariateSpline(SITES, y, s=0)([0.2, 1.5], 1),
    "UnivariateSpline, at traced": lambda y: si.UnivariateSpline(SITES, y, s=0)(y[:2] + 0.2),
    "InterpolatedUnivariateSpline": lambda y: si.InterpolatedUnivariateSpline(SITES, y)([0.2, 3]),
    "LSQUnivariateSpline": lambda y: si.LSQUnivariateSpline(SITES, y, [1.5])([0.2, 3.0]),
    "RectBivariateSpline": lambda y: si.RectBivariateSpline(
        SITES[:2], SITES[:3], y.reshape(2, 3), kx=1, ky=2
    )([0.3, 0.4], [0.2, 0.9]),
    "RectBivariateSpline, ev": lambda y: si.RectBivariateSpline(
        SITES[:2], SITES[:3], y.reshape(2, 3), kx=1, ky=2
    ).ev([0.3, 0.4], y[:2] / 3),
    "make_smoothing_spline": lambda y: si.make_smoothing_spline(SITES, y, lam=0.1)(AT),
    "make_smoothing_spline, chosen": lambda y: si.make_smoothing_spline(SITES, y)(AT[1:-1]),
    "splrep": lambda y: si.splev(AT[1:-1] + 0.05, si.splrep(SITES, y)),
    "splrep, knots": lambda y: si.splev([0.2, 3.3], si.splrep(SITES, y, t=[1.5]), 1),
    "griddata": lambda y: si.griddata(PLACES, y, [[0.3, 0.4], [0.6, 0.1]], "linear"),
    "griddata, nearest": lambda y: si.griddata(PLACES, y, [[0.3, 0.4], [0.6, 0.1]], "nearest"),
    "griddata, fill": lambda y: si.griddata(
        PLACES, y**2, (np.array([0.3, 9.0]), np.array([0.2, 9.0])), fill_value=2.0
    ),
    "griddata, line": lambda y: si.griddata(SITES, y, AT),
    "griddata, cubic": lambda y: si.griddata(PLACES, y, TRIANGLES, "cubic", 1.0),
    "griddata, cubic line": lambda y: si.griddata(SITES, y, AT, "cubic"),
    "griddata, at traced": lambda y: si.griddata(PLACES, y, y[:2] / 2),
    "LinearNDInterpolator": lambda y: si.LinearNDInterpolator(PLACES, y, 0.5)(TRIANGLES),
    "LinearNDInterpolator, columns": lambda y: si.LinearNDInterpolator(
        PLACES, np.stack([y, 2 * y], axis=1)
    )(TRIANGLES[:2]),
    "LinearNDInterpolator, sites": lambda y: si.LinearNDInterpolator(
        PLACES + 0.1 * y[:, None], HEIGHTS
    )(0.5, 0.6),
    "NearestNDInterpolator": lambda y: si.NearestNDInterpolator(PLACES, y)(TRIANGLES),
    "RBFInterpolator": lambda y: si.RBFInterpolator(PLACES, y)(TRIANGLES[:2]),
    "RBFInterpolator, near": lambda y: si.RBFInterpolator(PLACES, y, neighbors=4)(TRIANGLES),
    "RBFInterpolator, smooth": lambda y: si.RBFInterpolator(PLACES, HEIGHTS, smoothing=y)(
        TRIANGLES[:1]
    ),
    "RBFInterpolator, at traced": lambda y: si.RBFInterpolator(PLACES, y)(y[None, :2]),
    "RegularGridInterpolator, pchip": lambda y: si.RegularGridInterpolator(
        (SITES,), y, method="pchip"
    )([0.2]),
    "RegularGridInterpolator, cubic slope": lambda y: si.RegularGridInterpolator(
        (SITES,), y, method="cubic"
    )([[0.2], [1.5]], nu=[1]),
    "RegularGridInterpolator, cubic at traced": lambda y: si.RegularGridInterpolator(
        (SITES,), y, method="cubic"
    )(y[:2]),
    "interpn, splinef2d": lambda y: si.interpn(
        AXES, posts(y).reshape(4, 4), [[0.3, 1.2], [9, 9]], "splinef2d", False, 1.0
    ),
    "KroghInterpolator": lambda y: si.KroghInterpolator(SITES, y)([0.3, 1.5]),
    "KroghInterpolator, sites": lambda y: si.KroghInterpolator(grown(y), HEIGHTS)(1.0),
    "BarycentricInterpolator": lambda y: si.BarycentricInterpolator(SITES, y)([0.3, 1.5]),
    "BarycentricInterpolator, rows": lambda y: si.BarycentricInterpolator(
        SITES[:3], y.reshape(2, 3), axis=1
    )([0.3, 1.5]),
    "barycentric_interpolate": lambda y: si.barycentric_interpolate(SITES, y, 0.3),
    "krogh_interpolate": lambda y: si.krogh_interpolate(SITES, y, 0.3),
    "FloaterHormannInterpolator": lambda y: si.FloaterHormannInterpolator(SITES, y)(0.3),
    "AAA": lambda y: si.AAA(SITES[:3], y[:3])(0.3),
    "BPoly": lambda y: si.BPoly(y.reshape(2, 3), SITES[:4])(AT[:5]),
    "BPoly, integral": lambda y: si.BPoly(y.reshape(2, 3), SITES[:4]).integrate(0.2, 1.7),
    "BPoly, slopes": lambda y: si.BPoly.from_derivatives(SITES[:3], y.reshape(3, 2))(AT[:4]),
    "BPoly, from_power_basis": lambda y: si.BPoly.from_power_basis(
        si.PPoly(y.reshape(2, 3), SITES[:4])
    )(AT[:3]),
    "PPoly, from_bernstein_basis": lambda y: (
        si.PPoly.from_bernstein_basis(si.BPoly(y.reshape(2, 3), SITES[:4])).c
    ),
    "PPoly, from_spline": lambda y: si.PPoly.from_spline(si.BSpline(KNOTS, y, 2))(AT[:3]),
    "BSpline, insert_knot": lambda y: si.BSpline(KNOTS, y, 2).insert_knot(1.5).c,
    "insert": lambda y: si.insert(1.5, (KNOTS, np.append(y, [0, 0, 0]), 2))[1][:-3],
    "NdBSpline": lambda y: si.NdBSpline(FLAT_KNOTS, y.reshape(2, 3), (1, 2))([[0.3, 0.4], [0, 0]]),
    "NdBSpline, at traced": lambda y: si.NdBSpline(FLAT_KNOTS, y.reshape(2, 3), (1, 2))(y[:2] / 2),
    "NdPPoly": lambda y: si.NdPPoly(y.reshape(2, 3, 1, 1), ([0.0, 2], [0, 2.0]))([[0.3, 0.0]]),
    "NdPPoly, derivative": lambda y: si.NdPPoly(
        y.reshape(2, 3, 1, 1), ([0.0, 2], [0, 2.0])
    ).derivative((1, 0))([[0.3, 0.4]]),
    "NdPPoly, integral": lambda y: si.NdPPoly(
        y.reshape(2, 3, 1, 1), ([0.0, 1], [0, 1.0])
    ).integrate(((0, 0.5), (0, 0.3))),
    "pade": lambda y: si.pade(y[:3], 1)[1].coeffs,
    "approximate_taylor_polynomial": lambda y: (
        si.approximate_taylor_polynomial(lambda t: t**2 * y[0] + y[1] * t, 0.0, 2, 0.5).coeffs
    ),
    "lagrange": lambda y: si.lagrange(SITES[:3], y[:3])(0.5),
    "KroghInterpolator, derivatives": lambda y: si.KroghInterpolator(SITES, y).derivatives(0.4)[:2],
    "BarycentricInterpolator, derivative": lambda y: si.BarycentricInterpolator(
        SITES[:4], y[:4]
    ).derivative(0.4),
    "UnivariateSpline, coefficients": lambda y: (
        si.InterpolatedUnivariateSpline(SITES, y, k=1).get_coeffs().sum()
    ),
    "UnivariateSpline, residual": lambda y: si.UnivariateSpline(SITES, y, s=0.01).get_residual(),
    "RectBivariateSpline, integral": lambda y: si.RectBivariateSpline(
        SITES[:2], SITES[:3], y.reshape(2, 3), kx=1, ky=2
    ).integral(0.1, 0.9, 0.2, y[0]),
    "RectBivariateSpline, slope": lambda y: si.RectBivariateSpline(
        SITES[:2], SITES[:3], y.reshape(2, 3), kx=1, ky=2
    ).partial_derivative(0, 1)(0.5, [0.6]),
    "make_splrep": lambda y: si.make_splrep(SITES, y, s=0.01)(AT[1:3]),
    "make_splprep": lambda y: si.make_splprep([SITES, y], s=0.01)[0]([0.15, 0.7])[1],
    "splprep": lambda y: si.splev([0.15, 0.7], si.splprep([SITES, y], s=0.01)[0])[1],
    "splrep, abscissas": lambda y: si.splev(1.7, si.splrep(grown(y), HEIGHTS)),
    "make_lsq_spline, weights": lambda y: si.make_lsq_spline(SITES, HEIGHTS, FEW, 2, w=y)(AT[1]),
    "make_interp_spline, ends": lambda y: si.make_interp_spline(
        SITES[:4], y[:4], bc_type=([(1, y[4])], [(1, y[5])])
    )(AT[1]),
    "CubicSpline, ends": lambda y: si.CubicSpline(SITES[:4], y[:4], bc_type=((1, y[4]), (1, y[5])))(
        AT[1]
    ),
    "CubicSpline, slope of abscissas": lambda y: si.CubicSpline(grown(y), HEIGHTS)(1.0, 1),
    "CubicSpline, integral of abscissas": lambda y: si.CubicSpline(grown(y), HEIGHTS).integrate(
        0.9, 1.3
    ),
    "CubicSpline, abscissas": lambda y: si.CubicSpline(grown(y), HEIGHTS)(1.0),
    "CubicSpline, all": lambda y: si.CubicSpline(grown(y[:4]), np.stack([y[2:], y[2:]], 1))(
        y[:1] + 0.1
    ),
    "CubicHermiteSpline, abscissas": lambda y: si.CubicHermiteSpline(
        grown(y), HEIGHTS, HEIGHTS, extrapolate=True
    )(y[0] + 0.1),
    "Akima1DInterpolator, abscissas": lambda y: si.Akima1DInterpolator(
        0.1 * y + SITES, HEIGHTS, extrapolate=True
    )(1.7),
    "PchipInterpolator, abscissas": lambda y: si.PchipInterpolator(0.1 * y + SITES, HEIGHTS)(1.7),
    "interp1d, abscissas": lambda y: si.interp1d(y[:2] / 9 + [0, 3], y[2:4])(1.2),
    "make_interp_spline, abscissas": lambda y: si.make_interp_spline(grown(y), HEIGHTS)(1.0),
    "BSpline, knots": lambda y: si.BSpline(grown(y), HEIGHTS[:3], 2)(y[:4].sum() - 0.1),
    "InterpolatedUnivariateSpline, abscissas": lambda y: si.InterpolatedUnivariateSpline(
        grown(y), HEIGHTS
    )(1.7),
    "UnivariateSpline, weights": lambda y: si.UnivariateSpline(SITES, HEIGHTS, w=y, s=0.5)(1.7),
    "UnivariateSpline, derivative": lambda y: si.UnivariateSpline(SITES, y, s=0).derivative()(0.3),
    "UnivariateSpline, antiderivative": lambda y: si.UnivariateSpline(
        SITES, y, s=0
    ).antiderivative()(0.3),
    "UnivariateSpline, derivatives": lambda y: si.UnivariateSpline(SITES, y, s=0).derivatives(0.3),
    "UnivariateSpline, integral": lambda y: si.UnivariateSpline(SITES, y, s=0).integral(0.3, 2),
    "BSpline, integral": lambda y: si.make_interp_spline(SITES, y).integrate(0.3, 2.1),
    "BSpline, coefficients": lambda y: si.BSpline(KNOTS, y, 2).derivative().c,
    "BSpline, coefficients of integral": lambda y: si.BSpline(KNOTS, y, 2).antiderivative(2).c,
    "BSpline, same coefficients": lambda y: si.make_interp_spline(SITES, y).derivative(0).c,
    "make_splprep, integral": lambda y: si.make_splprep([SITES, y], s=0.01)[0].integrate(0, 0.5)[1],
    "splder, coefficients": lambda y: si.splder((KNOTS, np.append(y, [0, 0, 0]), 2))[1],
    "splantider, coefficients": lambda y: si.splantider((KNOTS, np.append(y, [0, 0, 0]), 2))[1],
    "AAA, no clean-up": lambda y: si.AAA(SITES[:4], y[:4], clean_up=False)(0.3),
    "splder": lambda y: si.splev([0.3, 1.2], si.splder(si.splrep(SITES, y))),
    "splantider": lambda y: si.splev([0.3, 1.2], si.splantider(si.splrep(SITES, y))),
    "splint": lambda y: si.splint(0.3, 2.1, si.splrep(SITES, y)),
    "spalde": lambda y: si.spalde(0.3, si.splrep(SITES, y)),
    "bisplrep": lambda y: si.bisplev([0.3, 1.2], [0.4], si.bisplrep(*POSTS, posts(y), s=0)),
    "bisplev": lambda y: si.bisplev(
        [0.3, 1.2], [0.4, 0.5], (AT[[0, 0, 0, 5, 5, 5]], AT[[0, 0, 5, 5]], y, 2, 1)
    ),
    "SmoothBivariateSpline": lambda y: si.SmoothBivariateSpline(*POSTS, posts(y))(0.5, [0.6]),
    "LSQBivariateSpline": lambda y: si.LSQBivariateSpline(
        *POSTS, posts(y), [1.5], [1.5], kx=1, ky=1
    ).ev(0.5, 0.6),
    "RectSphereBivariateSpline": lambda y: si.RectSphereBivariateSpline(
        *ANGLES, posts(y).reshape(4, 4)
    )(1.0, [2.0]),
}

KNOTS = np.array([0, 0, 0, 1, 2, 3, 5, 5, 5.0])
FEW = KNOTS[[0, 1, 2, 4, 6, 7, 8]]
FLAT_KNOTS = np.array([0, 0, 1.0, 1]), np.array([0.0, 0, 0, 1, 1, 1])
PLACES = np.array([[0.0, 0], [1, 0], [0, 1.1], [1.2, 1], [0.5, 0.4], [0.4, 1.3]])
