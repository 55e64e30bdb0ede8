"""SciPy's functions on traced arguments: patterns, Hessians and values of each.

Every case is compared with difference quotients, both ways; where `EXTRA` or
`EXTRA_HESSIAN` names it, the pattern claims more than they show, for the reason given.
"""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate as si
import scipy.linalg as sl
import scipy.ndimage as nd
import scipy.signal as ss
import scipy.sparse as sp
import scipy.sparse.linalg as spl
import scipy.spatial.distance as sd
import scipy.special
import scipy.stats
from outside import Outside

import sparsetrace as st
from oracles import (
    assert_covers,
    assert_same_pattern,
    flat_outputs,
    hessian_pattern_at,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)
from sparsetrace.capture import scipy_functions
from sparsetrace.operands.operands import values_of

RNG = np.random.default_rng(5)
FULL = RNG.uniform(0.5, 1.5, (4, 4)) + 3 * np.eye(4)
LOWER, UPPER = np.tril(FULL), np.triu(FULL)
HOLES = FULL * [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]]
POSITIVE = FULL @ FULL.T
BANDS = np.array([[0, 0.5, 0.5, 0.5], [2, 2, 2, 2], [0.3, 0.3, 0, 0]])
SPARSE = sp.csc_array(HOLES)
KERNEL = np.array([0.5, 0.0, 2.0])
SITES = np.array([0.0, 0.7, 1.1, 2.0, 2.9, 4.0])
HEIGHTS = np.array([1.0, 3.0, 2.0, 2.0, 0.5, 1.5])
AT = np.array([0.0, 0.4, 1.1, 1.9, 3.5, 4.0])
GRID = (np.array([0.0, 1.0, 2.5]), np.array([0.0, 0.5, 1.5, 3.0]))
TABLE = RNG.uniform(0, 1, (3, 4))
SOS = ss.butter(2, 0.3, output="sos")
B, A = ss.butter(2, 0.3)


def square(x, n=2):
    """The first elements as a matrix that has an inverse, whatever they are."""
    return x[: n * n].reshape(n, n) + 3 * np.eye(n)


def positive(x):
    m = square(x)
    return m @ m.T


LINALG = {
    "solve": lambda x: sl.solve(FULL, x),
    "solve, holes": lambda x: sl.solve(HOLES, x),
    "solve, lower": lambda x: sl.solve(LOWER, x, assume_a="lower triangular"),
    "solve, upper": lambda x: sl.solve(FULL, x, assume_a="upper triangular"),
    "solve, diagonal": lambda x: sl.solve(FULL, x, assume_a="diagonal"),
    "solve, pos": lambda x: sl.solve(UPPER, x, assume_a="pos"),
    "solve, sym of a lower": lambda x: sl.solve(np.tril(HOLES), x, assume_a="sym", lower=True),
    "solve, transposed": lambda x: sl.solve(LOWER, x, transposed=True),
    "solve, columns": lambda x: sl.solve(HOLES[:2, :2], x.reshape(2, 2)),
    "solve, traced matrix": lambda x: sl.solve(square(x), x[:2]),
    "solve, traced matrix alone": lambda x: sl.solve(square(x), np.ones(2)),
    "solve, one": lambda x: sl.solve(x[:1, None], x[1:2]),
    "solve, traced with holes": lambda x: sl.solve(np.diag(x[:2] + 3) + UPPER[:2, :2], x[2:]),
    "solve_triangular": lambda x: sl.solve_triangular(FULL, x),
    "solve_triangular, lower": lambda x: sl.solve_triangular(FULL, x, lower=True),
    "solve_triangular, trans": lambda x: sl.solve_triangular(FULL, x, trans="T"),
    "solve_triangular, lower trans": lambda x: sl.solve_triangular(HOLES, x, 1, lower=True),
    "solve_triangular, unit": lambda x: sl.solve_triangular(HOLES, x, unit_diagonal=True),
    "solve_triangular, traced": lambda x: sl.solve_triangular(square(x), x[1:3]),
    "solve_triangular, traced unit": lambda x: sl.solve_triangular(
        square(x), x[2:], lower=True, unit_diagonal=True
    ),
    "solve_triangular, columns": lambda x: sl.solve_triangular(FULL[:2, :2], x.reshape(2, 2)),
    "solve_banded": lambda x: sl.solve_banded((1, 1), BANDS, x),
    "solve_banded, lower": lambda x: sl.solve_banded((1, 0), BANDS[1:], x),
    "solve_banded, traced": lambda x: sl.solve_banded(
        (1, 1), np.stack([BANDS[0, :2], x[:2] + 3, BANDS[2, :2]]), x[2:]
    ),
    "solve_banded, traced band": lambda x: sl.solve_banded(
        (0, 1), np.stack([x, x + 2]), np.ones(4)
    ),
    "solveh_banded": lambda x: sl.solveh_banded(BANDS[:2], x),
    "solveh_banded, lower": lambda x: sl.solveh_banded(BANDS[1:], x, lower=True),
    "solveh_banded, traced": lambda x: sl.solveh_banded(np.stack([BANDS[0, :2], x[:2] + 3]), x[2:]),
    "lu_solve": lambda x: sl.lu_solve(sl.lu_factor(FULL), x),
    "lu_solve, holes": lambda x: sl.lu_solve(sl.lu_factor(HOLES[::-1]), x),
    "lu_solve, trans": lambda x: sl.lu_solve(sl.lu_factor(LOWER[[1, 0, 2, 3]]), x, trans=1),
    "lu_solve, traced": lambda x: sl.lu_solve(sl.lu_factor(square(x)), x[1:3]),
    "cho_solve": lambda x: sl.cho_solve(sl.cho_factor(POSITIVE), x),
    "cho_solve, lower diagonal": lambda x: sl.cho_solve(
        sl.cho_factor(np.diag([1.0, 2, 3, 4]), lower=True), x
    ),
    "cho_solve, traced": lambda x: sl.cho_solve(sl.cho_factor(positive(x)), x[:2]),
    "cho_factor, logdet": lambda x: np.log(
        np.diag(sl.cho_factor(positive(x), lower=True)[0])
    ).sum(),
    "cholesky": lambda x: sl.cholesky(np.diag(x + 0.5) + 0.3),
    "cholesky, lower": lambda x: sl.cholesky(np.diag(x) + np.diag([1.0, 1, 1], 1) / 4, lower=True),
    "cholesky, batch": lambda x: sl.cholesky(
        np.stack([np.diag(x[:2]) + POSITIVE[:2, :2], np.diag(x[2:])])
    ),
    "inv": lambda x: sl.inv(square(x)),
    "det": lambda x: sl.det(square(x)),
    "norm": lambda x: sl.norm(x),
    "norm, rows": lambda x: sl.norm(x.reshape(2, 2), 1, axis=1),
    "expm, diagonal": lambda x: sl.expm(np.diag(x)),
    "sqrtm": lambda x: sl.sqrtm(positive(x)),
    "fractional_matrix_power": lambda x: sl.fractional_matrix_power(positive(x), 0.3).real,
    "fractional_matrix_power, whole": lambda x: sl.fractional_matrix_power(square(x), 2),
    "pinv": lambda x: sl.pinv(x.reshape(2, 2) + np.eye(2)),
    "pinvh": lambda x: sl.pinvh(positive(x)),
    "lstsq": lambda x: sl.lstsq(FULL[:, :2], x)[0],
    "lstsq, residuals": lambda x: sl.lstsq(FULL[:, :2], x)[1],
    "lstsq, gelsy": lambda x: sl.lstsq(FULL[:, :2], x, lapack_driver="gelsy")[0],
    "eigh": lambda x: sl.eigh(positive(x), subset_by_index=[0, 0])[0],
    "eigvalsh": lambda x: sl.eigvalsh(positive(x)),
    "svdvals": lambda x: sl.svdvals(square(x)),
    "qr": lambda x: sl.qr(square(x))[1][1, 1],
    "polar": lambda x: sl.polar(square(x))[1][0, 0],
    "block_diag": lambda x: sl.block_diag(x[:2], x[2:]),
    "toeplitz": lambda x: sl.toeplitz(x[:2]),
    "toeplitz, row": lambda x: sl.toeplitz(x[:2], x[1:]),
    "circulant": lambda x: sl.circulant(x[:3]),
    "hankel": lambda x: sl.hankel(x[:2], x[1:]),
    "hankel, alone": lambda x: sl.hankel(x[:3]),
    "convolution_matrix": lambda x: sl.convolution_matrix(x[:2], 3),
    "convolution_matrix, same": lambda x: sl.convolution_matrix(x, 3, "same"),
    "convolution_matrix, valid": lambda x: sl.convolution_matrix(x[:2], 4, "valid"),
    "companion": lambda x: sl.companion(x),
    "leslie": lambda x: sl.leslie(x[:2], x[2:3]),
    "solve_toeplitz": lambda x: sl.solve_toeplitz(([2, 0.5, 0, 0], [2, 0, 0, 0]), x),
    "solve_toeplitz, traced": lambda x: sl.solve_toeplitz(x[:2] + np.array([3, 0]), x[2:]),
    "solve_circulant": lambda x: sl.solve_circulant([2, 0.5, 0.1, 0.3], x),
    "matmul_toeplitz": lambda x: sl.matmul_toeplitz(([1.0, 2.0, 0], [1.0, 0, 0]), x[:3]),
    "solve_sylvester": lambda x: sl.solve_sylvester(
        UPPER[:2, :2], np.diag([1.0, 2]), x.reshape(2, 2)
    ),
    "solve_continuous_lyapunov": lambda x: sl.solve_continuous_lyapunov(
        FULL[:2, :2], x.reshape(2, 2)
    ),
    "solve_discrete_lyapunov": lambda x: sl.solve_discrete_lyapunov(
        np.diag([0.5, 0.2]), x.reshape(2, 2)
    ),
    "spsolve": lambda x: spl.spsolve(SPARSE, x),
    "spsolve, permuted": lambda x: spl.spsolve(sp.csc_array(LOWER[::-1]), x),
    "spsolve, columns": lambda x: spl.spsolve(sp.csc_array(LOWER[:2, :2]), x.reshape(2, 2)),
    "spsolve_triangular": lambda x: spl.spsolve_triangular(sp.csr_array(LOWER), x),
    "factorized": lambda x: spl.factorized(SPARSE)(x),
    "splu": lambda x: spl.splu(SPARSE).solve(x),
    "splu, trans": lambda x: spl.splu(SPARSE).solve(x, "T"),
    "expm_multiply": lambda x: spl.expm_multiply(sp.csr_array(LOWER / 9), x),
}

MATRICES = {  # of few inputs: SciPy takes its time
    "expm": lambda x: sl.expm(np.stack([x, x[::-1]])),
    "logm": lambda x: sl.logm(np.diag(x) + POSITIVE[:2, :2]).real,
    "cosm": lambda x: sl.cosm(np.diag(x) + FULL[:2, :2]),
}

SIGNAL = {
    "convolve": lambda x: ss.convolve(x, KERNEL),
    "convolve, same": lambda x: ss.convolve(x, KERNEL, "same"),
    "convolve, valid": lambda x: ss.convolve(KERNEL[:2], x, "valid"),
    "convolve, direct": lambda x: ss.convolve(x[:2], KERNEL, "same", "direct"),
    "convolve, both": lambda x: ss.convolve(x[:2], x[2:]),
    "convolve, planes": lambda x: ss.convolve(x.reshape(2, 2), KERNEL[None, :2]),
    "correlate": lambda x: ss.correlate(x, KERNEL[1:]),
    "correlate, same": lambda x: ss.correlate(x, [1.0, 2.0], "same", "direct"),
    "correlate, valid": lambda x: ss.correlate(KERNEL[1:], x, "valid"),
    "fftconvolve": lambda x: ss.fftconvolve(x, KERNEL, "same"),
    "fftconvolve, axis": lambda x: ss.fftconvolve(x.reshape(2, 2), TABLE[:2, :2], axes=1),
    "fftconvolve, axis same": lambda x: ss.fftconvolve(
        x.reshape(2, 2), TABLE[:2, :3][:, [0, 1]], "same", axes=[0]
    ),
    "oaconvolve": lambda x: ss.oaconvolve(x, [1.0, 2.0]),
    "convolve2d": lambda x: ss.convolve2d(x.reshape(2, 2), [[1.0, 0.0, 2.0]]),
    "convolve2d, wrap": lambda x: ss.convolve2d(
        x.reshape(2, 2), np.ones((2, 3)), "same", boundary="wrap"
    ),
    "convolve2d, symm": lambda x: ss.convolve2d(x.reshape(2, 2), TABLE[:2, :2], boundary="symm"),
    "convolve2d, fill": lambda x: ss.convolve2d(
        x.reshape(2, 2), TABLE[:3, :2], "same", fillvalue=2.0
    ),
    "correlate2d": lambda x: ss.correlate2d(x.reshape(2, 2), TABLE[:2, :2], "same"),
    "correlate2d, valid": lambda x: ss.correlate2d(x.reshape(2, 2), TABLE[:3, :2], "valid"),
    "lfilter": lambda x: ss.lfilter(B, A, x),
    "lfilter, delayed": lambda x: ss.lfilter([0, 1.0], [1.0, -0.5], x),
    "lfilter, finite": lambda x: ss.lfilter(KERNEL, 2.0, x),
    "lfilter, comb": lambda x: ss.lfilter([1.0], [1.0, 0, 0.5], x),
    "lfilter, cancelling": lambda x: ss.lfilter([1.0, -0.5], [1.0, -0.5], x),
    "lfilter, axis": lambda x: ss.lfilter([1.0], [1.0, 0.5], x.reshape(2, 2), axis=0),
    "lfilter, traced b": lambda x: ss.lfilter(x[:2], [1.0, 0.5], x[2:]),
    "lfilter, traced a": lambda x: ss.lfilter([1.0], [1.0, x[0]], x[1:]),
    "lfilter, traced a[0]": lambda x: ss.lfilter([1.0], x[:1], x[1:]),
    "lfilter, state": lambda x: ss.lfilter([1.0], [1.0, 0.5], x[:3], zi=x[3:]),
    "lfilter, two states": lambda x: ss.lfilter(B, A, x[:2], zi=x[2:]),
    "sosfilt": lambda x: ss.sosfilt(SOS, x),
    "filtfilt": lambda x: ss.filtfilt(B, A, x, padlen=2),
    "filtfilt, finite": lambda x: ss.filtfilt([0.5, 0.5], 1.0, x, padtype=None),
    "sosfiltfilt": lambda x: ss.sosfiltfilt(SOS, x, padlen=1),
    "savgol_filter": lambda x: ss.savgol_filter(np.concatenate([x, x[::-1]]), 5, 2),
    "savgol_filter, slope": lambda x: ss.savgol_filter(x, 3, 1, deriv=1, mode="nearest"),
    "savgol_filter, cval": lambda x: ss.savgol_filter(x, 3, 1, mode="constant", cval=1.0),
    "detrend": lambda x: ss.detrend(x),
    "detrend, constant": lambda x: ss.detrend(x, type="constant"),
    "detrend, pieces": lambda x: ss.detrend(np.concatenate([x, x[:2] * 2]), bp=3),
    "upfirdn": lambda x: ss.upfirdn([1.0, 2.0, 0.5], x, 2, 3),
    "upfirdn, traced": lambda x: ss.upfirdn(x[:2], x[2:], 3, 2),
    "resample_poly": lambda x: ss.resample_poly(x, 1, 2),
    "medfilt": lambda x: ss.medfilt(x, 3),
    "order_filter": lambda x: ss.order_filter(x, [1, 0, 1], 1),
}

MODES = ("reflect", "mirror", "nearest", "wrap", "constant")
IMAGES = {
    **{
        f"correlate1d, {mode}": lambda x, m=mode: nd.correlate1d(x, KERNEL, mode=m)
        for mode in MODES
    },
    **{
        f"correlate, {mode}": lambda x, m=mode: nd.correlate(
            x.reshape(2, 2), TABLE[:3, :2] - 0.3, mode=m
        )
        for mode in MODES
    },
    "correlate1d, traced weights": lambda x: nd.correlate1d(x[2:], x[:2], mode="wrap"),
    "convolve, traced weights": lambda x: nd.convolve(TABLE, x.reshape(2, 2), mode="nearest"),
    "correlate1d, origin": lambda x: nd.correlate1d(x, [1.0, 2, 3], origin=1, mode="constant"),
    "correlate1d, even": lambda x: nd.correlate1d(x, [1.0, 2.0], mode="nearest", origin=-1),
    "correlate1d, cval": lambda x: nd.correlate1d(x, [1.0, 2.0], mode="constant", cval=1.0),
    "convolve1d": lambda x: nd.convolve1d(x.reshape(2, 2), [1.0, 0, 3], axis=0),
    "convolve1d, even": lambda x: nd.convolve1d(x, [1.0, 2.0, 0, 3.0], mode="constant"),
    "convolve": lambda x: nd.convolve(x.reshape(2, 2), TABLE[:2, :3], mode="constant"),
    "convolve, axes": lambda x: nd.convolve(x.reshape(2, 2), [1.0, 2, 0], mode="wrap", axes=[1]),
    "gaussian_filter": lambda x: nd.gaussian_filter(x.reshape(2, 2), 0.4, mode="constant"),
    "gaussian_filter, radius": lambda x: nd.gaussian_filter(x, 1.0, radius=1, mode="nearest"),
    "gaussian_filter1d": lambda x: nd.gaussian_filter1d(x, 0.3, order=1, mode="constant"),
    "gaussian_filter1d, second": lambda x: nd.gaussian_filter1d(x, 0.6, order=2, truncate=2),
    "gaussian_laplace": lambda x: nd.gaussian_laplace(x.reshape(2, 2), 0.3),
    "gaussian_gradient_magnitude": lambda x: nd.gaussian_gradient_magnitude(
        x.reshape(2, 2), 0.3, mode="nearest"
    ),
    "uniform_filter": lambda x: nd.uniform_filter(x.reshape(2, 2), (2, 1), mode="constant"),
    "uniform_filter1d": lambda x: nd.uniform_filter1d(x, 3, mode="mirror", origin=-1),
    "sobel": lambda x: nd.sobel(x.reshape(2, 2), axis=0),
    "prewitt": lambda x: nd.prewitt(x.reshape(2, 2), mode="constant"),
    "laplace": lambda x: nd.laplace(x.reshape(2, 2), mode="wrap"),
    "maximum_filter": lambda x: nd.maximum_filter(x.reshape(2, 2), (1, 2)),
    "maximum_filter, footprint": lambda x: nd.maximum_filter(
        x, footprint=[1, 0, 1], mode="nearest"
    ),
    "maximum_filter1d": lambda x: nd.maximum_filter1d(x, 2, mode="constant", cval=0.6),
    "minimum_filter": lambda x: nd.minimum_filter(x, 2, origin=-1),
    "minimum_filter1d": lambda x: nd.minimum_filter1d(x, 3),
    "median_filter": lambda x: nd.median_filter(x, 3),
    "percentile_filter": lambda x: nd.percentile_filter(x, -40, 2),
    "rank_filter": lambda x: nd.rank_filter(x, -1, footprint=[1, 1, 0]),
    "map_coordinates": lambda x: nd.map_coordinates(TABLE, x.reshape(2, 2)),
    "map_coordinates, linear": lambda x: nd.map_coordinates(TABLE, x.reshape(2, 2), order=1),
    "map_coordinates, line": lambda x: nd.map_coordinates(HEIGHTS, x[None], order=1),
}

CUBIC = si.CubicSpline(SITES, HEIGHTS)
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
}

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
}

METRICS = {
    **{
        f"cdist, {metric}": lambda x, m=metric: sd.cdist(
            x.reshape(2, 2), [[0.9, 1.1], [0.5, 0.2]], m
        )
        for metric in (
            "euclidean",
            "sqeuclidean",
            "cityblock",
            "chebyshev",
            "cosine",
            "braycurtis",
            "canberra",
        )
    },
    "cdist, minkowski": lambda x: sd.cdist(x[None, :2], x[None, 2:], "minkowski", p=3),
    "cdist, weights": lambda x: sd.cdist(x[None, :2], x[None, 2:], "minkowski", p=2, w=[1.0, 0]),
    "cdist, itself": lambda x: (lambda p: sd.cdist(p, p))(x.reshape(2, 2)),
    "cdist, callable": lambda x: sd.cdist(
        x.reshape(2, 2), [[0.1, 3.0]], lambda u, v: np.abs(u[0] - v[0])
    ),
    "cdist, correlation": lambda x: sd.cdist(x[None, :3], [[0.1, 3.0, 1.0]], "correlation"),
    "cdist, seuclidean": lambda x: sd.cdist(x.reshape(2, 2), [[1.0, 3]], "seuclidean", V=[1.0, 2]),
    "cdist, mahalanobis": lambda x: sd.cdist(
        x.reshape(2, 2), [[1.0, 3]], "mahalanobis", VI=np.eye(2)
    ),
    "cdist, jensenshannon": lambda x: sd.cdist(x[None], [[0.1, 0.2, 0.3, 0.5]], "jensenshannon"),
    "pdist": lambda x: sd.pdist(np.concatenate([x.reshape(2, 2), [[0.2, 1.0]]])),
    "pdist, line": lambda x: sd.pdist(x[:, None]),
    "pdist, seuclidean": lambda x: sd.pdist(
        np.concatenate([x.reshape(2, 2), TABLE[:, :2] + 2]), "seuclidean"
    ),
    "squareform": lambda x: sd.squareform(x[:3]),
    "squareform, back": lambda x: sd.squareform(sd.squareform(x[:3]) * 2.0),
    "euclidean": lambda x: sd.euclidean(x[:2], x[2:]),
    "cosine": lambda x: sd.cosine(x[:2], [1.0, 2.0]),
    "cityblock": lambda x: sd.cityblock(x[:2], x[2:]),
}

OTHERS = {
    "logsumexp": scipy.special.logsumexp,
    "logsumexp, axis": lambda x: scipy.special.logsumexp(x.reshape(2, 2), axis=1),
    "softmax": scipy.special.softmax,
    "log_softmax": lambda x: scipy.special.log_softmax(x.reshape(2, 2), axis=0),
    "trapezoid": lambda x: scipy.integrate.trapezoid(x, [0, 1, 3, 4]),
    "simpson": lambda x: scipy.integrate.simpson(x, dx=0.1),
    "cumulative_trapezoid": lambda x: scipy.integrate.cumulative_trapezoid(x, initial=0),
    "fixed_quad": lambda x: scipy.integrate.fixed_quad(lambda t: x[0] * t**2, 0, 1)[0],
}

EXTRA = {
    "ndimage median_filter": "at an extended end an element stands twice among three",
}
QR = "as np.linalg.qr: that a column is linear in itself is not seen"
EXTRA_HESSIAN = {"linalg qr": QR}
EXTRA_AT = {
    "linalg qr": QR,
    "linalg pinvh": "an entry is too small there for differences",
    "distance cdist, jensenshannon": "an entry is too small there for differences",
    "distance pdist, seuclidean": "an entry is too small there for differences",
    "ordinates PchipInterpolator": "limited slopes are not looked at",
    "points RegularGridInterpolator, line": "a flat cell is not looked at",
}
MANY = {  # points: where one piece of many is chosen, and where SciPy takes its time
    "matrices logm": 1,
    "signal medfilt": 30,
    "ndimage median_filter": 30,
    "ordinates PchipInterpolator": 30,
    "ordinates interp1d, at traced": 60,
}


def leaves(found):
    return list(found) if isinstance(found, (tuple, list)) else [found]


KINDS = {
    "linalg": (LINALG, 4),
    "matrices": (MATRICES, 2),
    "signal": (SIGNAL, 4),
    "ndimage": (IMAGES, 4),
    "points": (POINTS, 4),
    "ordinates": (ORDINATES, 6),
    "distance": (METRICS, 4),
    "others": (OTHERS, 4),
}
LOW, HIGH = 0.3, 1.7
START = np.array([1.31, 0.52, 1.67, 0.93, 0.41, 1.12])
NEWER = {  # than the oldest release of SciPy
    "linalg solve, lower", "linalg solve, upper", "linalg solve, diagonal",
    "linalg cholesky, batch", "ndimage convolve, axes",
}  # fmt: skip


def is_known(f, size, name):
    """Whether the release of SciPy has what a case asks for."""
    if name in NEWER:
        try:
            f(START[:size])
        except (TypeError, ValueError):
            return False
    return True


CASES = [
    pytest.param(f, size, f"{kind} {name}", id=f"{kind} {name}")
    for kind, (functions, size) in KINDS.items()
    for name, f in functions.items()
    if is_known(f, size, f"{kind} {name}")
]


def compared(pattern, wanted, reasons, name):
    (assert_covers if name in reasons else assert_same_pattern)(pattern, wanted)


@pytest.mark.parametrize(("f", "size", "name"), CASES)
def test_jacobian(f, size, name):
    start = START[:size]
    points = MANY.get(name, 4)
    wanted = numerical_jacobian_pattern(f, start, points=points, low=LOW, high=HIGH)
    compared(st.jacobian_sparsity(f, start), wanted, EXTRA, name)
    assert_covers(st.jacobian_sparsity(f, start, constants="structure"), wanted)
    assert_covers(st.jacobian_sparsity(f, start, dependency=True), wanted)


@pytest.mark.parametrize(("f", "size", "name"), CASES)
def test_hessian(f, size, name):
    """Of all outputs together, with weights that single none of them out."""
    start = START[:size]
    weights = np.random.default_rng(1).uniform(0.5, 1.5, len(flat_outputs(f(start.copy()))))

    def weighted(x):
        return np.sum(np.concatenate([np.ravel(leaf) for leaf in leaves(f(x))]) * weights)

    points = MANY.get(name, 3)
    wanted = numerical_hessian_pattern(weighted, start, points=points, low=LOW, high=HIGH)
    compared(st.hessian_sparsity(weighted, start), wanted, EXTRA_HESSIAN, name)
    at_point = hessian_pattern_at(weighted, start)
    compared(st.hessian_sparsity(weighted, start, local=True), at_point, EXTRA_AT, name)


@pytest.mark.parametrize(("f", "size", "name"), CASES)
def test_local(f, size, name):
    """The values are SciPy's own."""
    start = START[:size]
    seen = Outside()

    def kept(x):
        found = f(x)
        seen.append([values_of(leaf) for leaf in leaves(found)])
        return found

    pattern = st.jacobian_sparsity(kept, start, local=True)
    values, expected = flat_outputs(seen[-1]), flat_outputs(f(start.copy()))
    tolerance = 0 if "ordinates" not in name and "factor" not in name else 1e-12
    np.testing.assert_allclose(values, expected, rtol=tolerance, atol=tolerance)
    compared(pattern, jacobian_pattern_at(f, start), EXTRA_AT, name)


# ------------------------------------------------------------------- longer arrays
def linear_pattern(f, n, tolerance):
    """The non-zeros of a linear function, by unit inputs."""
    zero = np.ravel(f(np.zeros(n)))
    columns = [np.ravel(f(unit)) - zero for unit in np.eye(n)]
    table = np.stack(columns, axis=1)
    return np.abs(table) > tolerance * np.abs(table).max()


LONG = {
    "savgol_filter": lambda x: ss.savgol_filter(x, 5, 2),
    "savgol_filter, wrap": lambda x: ss.savgol_filter(x, 7, 2, mode="wrap"),
    "savgol_filter, mirror": lambda x: ss.savgol_filter(x, 3, 1, deriv=1, mode="mirror"),
    "filtfilt": lambda x: ss.filtfilt([0.5, 0.3, 0.1], 1.0, x, padlen=3),
    "lfilter": lambda x: ss.lfilter([0, 1.0, 0.4], [1.0, -0.5], x),
    "lfilter, third": lambda x: ss.lfilter([1.0], [1.0, 0, 0, 0.5], x),
    "lfilter, irregular": lambda x: ss.lfilter([1.0, 0, 0.3], [1.0, 0, 0, 0.5], x),
    "detrend": lambda x: ss.detrend(x, bp=[20, 30]),
    "upfirdn": lambda x: ss.upfirdn([1.0, 2.0, 0, 0.5, 1.0], x, 3, 2),
    "fftconvolve": lambda x: ss.fftconvolve(x, np.arange(70.0) % 3, "same"),
    "gaussian_filter": lambda x: nd.gaussian_filter(x.reshape(5, -1), (0.3, 0.8), mode="mirror"),
    "sobel": lambda x: nd.sobel(x.reshape(5, -1), mode="mirror"),
    "laplace": lambda x: nd.laplace(x.reshape(5, -1), mode=["wrap", "nearest"]),
    "correlate": lambda x: nd.correlate(x.reshape(5, -1), TABLE - 0.5, mode="reflect"),
    "CubicSpline": lambda y: si.CubicSpline(np.arange(50.0), y)(np.linspace(0, 9, 19)),
}


@pytest.mark.parametrize("name", LONG)
def test_longer_arrays(name):
    f = LONG[name]
    tolerance = 0 if name in ("lfilter", "CubicSpline") else 1e-13  # these decay
    wanted = linear_pattern(f, 50, tolerance)
    assert_same_pattern(st.jacobian_sparsity(f, np.ones(50)), wanted)


def test_a_response_that_vanishes_by_underflow():
    pattern = st.jacobian_sparsity(lambda x: ss.lfilter([1.0], [1.0, -0.1], x), np.ones(500))
    assert pattern.nnz == 500 * 501 // 2
    assert not ss.lfilter([1.0], [1.0, -0.1], np.eye(500)[0]).all()


def test_a_response_that_overflows():
    with np.errstate(all="ignore"):
        assert np.isnan(ss.lfilter([1.0], [1.0, 2.0, 4.0], np.eye(2000)[0])).any()
        pattern = st.jacobian_sparsity(
            lambda x: ss.lfilter([1.0], [1.0, 2.0, 4.0], x), np.ones(2000)
        )
    assert pattern[[1999]].nnz >= 2 * 1999 // 3


# ------------------------------------------------------------------- linear systems
@pytest.mark.parametrize("seed", range(12))
def test_the_structure_of_an_inverse(seed):
    """Random matrices, of any structure that has an inverse."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    mask = rng.random((n, n)) < rng.uniform(0.05, 0.3)
    mask[np.arange(n), rng.permutation(n)] = True
    a = mask * rng.uniform(0.5, 2.0, (n, n))
    assert np.linalg.matrix_rank(a) == n
    wanted = np.abs(np.linalg.inv(a)) > 1e-12
    for solve in (lambda x: sl.solve(a, x), lambda x: spl.spsolve(sp.csc_array(a), x)):
        assert_same_pattern(st.jacobian_sparsity(solve, np.ones(n)), wanted)
    columns = st.jacobian_sparsity(lambda x: spl.splu(sp.csc_array(a)).solve(x), np.ones((n, 2)))
    assert_same_pattern(columns, np.kron(wanted, np.eye(2)))


@pytest.mark.parametrize("seed", range(8))
def test_traced_matrices_with_holes(seed):
    rng = np.random.default_rng(seed)
    n = 3
    mask = (rng.random((n, n)) < 0.4) | np.eye(n, dtype=bool)[rng.permutation(n)]
    size = int(mask.sum())
    weights = rng.uniform(0.5, 1.5, n)

    def f(x):
        matrix = np.zeros((n, n))
        matrix[mask] = x[:size]
        return sl.solve(matrix, x[size:])

    start = rng.uniform(1, 2, size + n)
    wanted = numerical_jacobian_pattern(f, start, points=3, low=1.0, high=2.0)
    assert_same_pattern(st.jacobian_sparsity(f, start), wanted)
    wanted = numerical_hessian_pattern(lambda x: f(x) @ weights, start, low=1.0, high=2.0)
    assert_same_pattern(st.hessian_sparsity(lambda x: f(x) @ weights, start), wanted)


def test_entries_that_vanish_at_the_point():
    def f(x):
        return sl.solve_triangular([[1.0, x[0]], [0.0, 2.0]], x[1:])

    at = np.array([0.0, 1.0, 1.0])
    assert_same_pattern(st.jacobian_sparsity(f, at), [[1, 1, 1], [0, 0, 1]])
    assert_same_pattern(st.jacobian_sparsity(f, at, local=True), [[1, 1, 0], [0, 0, 1]])
    hessian = st.hessian_sparsity(lambda x: f(x).sum(), at, local=True)
    assert_same_pattern(hessian, [[0, 0, 1], [0, 0, 0], [1, 0, 0]])


def test_large_cholesky_factors(monkeypatch):
    def f(x):
        return sl.cholesky(x.reshape(4, 4) + 9 * np.eye(4), lower=True)

    x = np.ones(16)
    wanted = st.jacobian_sparsity(f, x)
    monkeypatch.setattr("sparsetrace.scipy_rules.linalg.linear_systems._STEPWISE", 2)
    assert_same_pattern(st.jacobian_sparsity(f, x), wanted)
    assert_covers(st.hessian_sparsity(lambda x: f(x).sum(), x), np.eye(16)[:, :1] @ np.eye(16)[:1])


# ------------------------------------------------------------------- refusals
REFUSED = {
    "scipy.linalg.lstsq": lambda x: sl.lstsq(np.ones((2, 2, 2)), x.reshape(2, 2)),
    "scipy.linalg.eigh": lambda x: sl.eigh(x.reshape(2, 2), subset_by_value=[0, 1]),
    "scipy.linalg.qr": lambda x: sl.qr(x.reshape(2, 2), pivoting=True),
    "scipy.linalg.sqrtm": lambda x: sl.sqrtm(x.reshape(2, 2), disp=False),
    "scipy.linalg.solve_sylvester": lambda x: sl.solve_sylvester(
        np.eye(50), np.eye(50), np.ones((50, 50)) * x[0]
    ),
    "scipy.signal.filtfilt": lambda x: ss.filtfilt(x, [1.0], np.ones(20)),
    "scipy.signal.sosfilt": lambda x: ss.sosfilt(SOS, x, zi=np.zeros((1, 2))),
    "scipy.signal.upfirdn": lambda x: ss.upfirdn([1.0], x, mode="symmetric"),
    "scipy.ndimage.gaussian_filter": lambda x: nd.gaussian_filter(np.ones(4), x[0]),
    "scipy.ndimage.uniform_filter": lambda x: nd.uniform_filter(x, output=np.zeros(4)),
    "scipy.ndimage.median_filter": lambda x: nd.median_filter(x, 9),
    "scipy.ndimage.map_coordinates": lambda x: nd.map_coordinates(x, [[0.5]]),
    "scipy.interpolate.UnivariateSpline.__init__": lambda x: si.UnivariateSpline(SITES[:4], x),
    "scipy.interpolate.splrep": lambda x: si.splrep(SITES[:4], x),
    "scipy.interpolate.CubicSpline.__init__": lambda x: si.CubicSpline(x, SITES[:4]),
    "scipy.interpolate.interp1d.__init__": lambda x: si.interp1d(x, SITES[:4]),
    "scipy.interpolate.[BP]Poly.__init__": lambda x: si.BPoly(x.reshape(2, 2), [0, 1, 2]),
    "scipy.spatial.distance.cdist": lambda x: sd.cdist(x[:, None], x[:, None], "hamming"),
    "scipy.spatial.distance.pdist": lambda x: sd.pdist(x[:, None], out=np.zeros(6)),
    "scipy.sparse.linalg.expm_multiply": lambda x: spl.expm_multiply(
        sp.eye_array(4), x, start=0, stop=1, num=2
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_rule_is_refused_by_name(name):
    with pytest.raises(st.UnsupportedError, match=rf"^{name} at .*test_scipy_rules") as caught:
        st.jacobian_sparsity(REFUSED[name], START[:4])
    assert len(str(caught.value).split(". ")) > 1


def test_arguments_that_a_rule_does_not_know():
    with pytest.raises(st.UnsupportedError, match=r"scipy\.linalg\.det .*does not know.*'extra'"):
        st.jacobian_sparsity(lambda x: sl.det(x.reshape(2, 2), extra=1), np.ones(4))


def test_a_factorization_made_elsewhere_escapes():
    factors = spl.splu(SPARSE)
    with pytest.raises(st.EscapeError):
        st.jacobian_sparsity(lambda x: factors.solve(x), np.ones(4))


def test_errors_are_those_of_scipy():
    for f in (
        lambda x: si.interp1d(SITES[:4], x)(9.0),
        lambda x: si.RegularGridInterpolator((SITES[:4],), x)([9.0]),
        lambda x: sl.solve(np.ones((3, 3)), x),
        lambda x: sl.solve_triangular(np.ones((3, 3)), x),
        lambda x: ss.convolve(x, np.ones((2, 2))),
        lambda x: si.CubicSpline([0.0, 1.0, 2.0], x),
        lambda x: sd.cdist(x, x),
        lambda x: sd.squareform(x),
    ):
        for call in (f, lambda x, f=f: st.jacobian_sparsity(f, x)):
            with pytest.raises(ValueError, match=r"[a-z]") as caught:
                call(np.ones(4))
            assert not isinstance(caught.value, st.TracingError)


# ------------------------------------------------------------------- the exchange
def everything():
    for module in scipy_functions.loaded():
        for owner, name, original, _ in scipy_functions.rows(module):
            yield owner, name, original


def test_every_name_has_a_line_and_every_line_a_name():
    for (module, rules), names in scipy_functions.NAMES.items():
        table = __import__(f"sparsetrace.scipy_rules.{rules}", fromlist=["TABLE"]).TABLE
        inner = {m for m, _ in scipy_functions.NAMES if m.startswith(module + ".")}
        lines = {
            entry
            for entry in table
            if entry.startswith(module + ".") and not any(entry.startswith(m) for m in inner)
        }
        assert {f"{module}.{name}" for name in names.split()} == lines
    known = {f"{owner.__name__}.{name}" for owner, name, _ in everything()}
    assert {"scipy.linalg.solve", "scipy.signal.lfilter", "CubicSpline.__init__"} <= known
    assert len(known) > 130


@pytest.mark.parametrize("ending", ["result", "error"])
def test_everything_is_restored(ending):
    before = [(owner, name, vars(owner)[name]) for owner, name, _ in everything()]

    def f(x):
        assert sum(vars(owner)[name] is not found for owner, name, found in before) == len(before)
        if ending == "error":
            raise KeyError
        return sl.solve(FULL, x)

    if ending == "error":
        with pytest.raises(KeyError):
            st.jacobian_sparsity(f, np.ones(4))
    else:
        st.jacobian_sparsity(f, np.ones(4))
    assert all(vars(owner)[name] is found for owner, name, found in before)


def test_names_bound_early():
    scope = {"np": np, "FULL": FULL, "__name__": "early"}
    exec(
        "from scipy.linalg import solve_triangular as tri\n"
        "from scipy.signal import lfilter\n"
        "from scipy.interpolate import CubicSpline, make_interp_spline\n"
        "def f(x):\n"
        "    y = lfilter([1.0], [1.0, 0.5], tri(FULL, x, lower=True))\n"
        "    return CubicSpline([0, 1, 2, 3], y)([0.0, 0.5]), make_interp_spline(range(4), y).c\n",
        scope,
    )
    bound = dict(scope)
    pattern = st.jacobian_sparsity(scope["f"], np.ones(4))
    assert pattern[[0]].nnz == 1
    assert pattern[[1]].nnz == 4
    assert scope == bound


LAZY = """
import sys
from queue import SimpleQueue
import numpy as np
import sparsetrace as st

assert not {"scipy.signal", "scipy.ndimage", "scipy.interpolate"} & set(sys.modules)
runs = SimpleQueue()

def f(x):
    runs.put(1)
    import scipy.signal
    from scipy.interpolate import interp1d
    y = scipy.signal.lfilter([1.0], [1.0, 0.5], x)
    return interp1d([0, 1, 2], y)([0.5, 1.5])

assert st.jacobian_sparsity(lambda x: x, np.ones(3)).nnz == 3
assert "scipy.signal" not in sys.modules
assert not [name for name in sys.modules if name.startswith("sparsetrace.scipy_rules.")]
print(st.jacobian_sparsity(f, np.ones(3)).toarray().astype(int).tolist(), runs.qsize())
import scipy.signal
from scipy.signal import lfilter
print(lfilter.__module__, lfilter([1.0], [1.0, 0.5], [1.0, 0.0]).tolist())
print(hasattr(lfilter, "__wrapped__") and "scipy_functions" in lfilter.__code__.co_filename)
"""


def test_modules_loaded_by_the_function_itself():
    run = subprocess.run([sys.executable, "-c", LAZY], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    first, second, third = run.stdout.splitlines()
    assert first == "[[1, 1, 0], [1, 1, 1]] 2"
    assert second == "scipy.signal._signaltools [1.0, -0.5]"
    assert third == "False"


def test_other_threads_see_plain_scipy():
    found = Outside()

    def f(x):
        thread = threading.Thread(target=lambda: found.append(sl.solve(FULL, np.ones(4))))
        thread.start()
        thread.join()
        return sl.solve(FULL, x)

    assert st.jacobian_sparsity(f, np.ones(4)).nnz == 16
    assert type(found[0]) is np.ndarray
    np.testing.assert_array_equal(found[0], sl.solve(FULL, np.ones(4)))


def test_constants_go_to_scipy_as_they_are():
    seen = Outside()

    def f(x):
        kernel = np.zeros(2)
        kernel[0] = 1.0
        matrix = np.zeros((2, 2))
        matrix[0, 0], matrix[1, 1] = x[0], 1.0  # traced from birth in another run
        seen.append(ss.convolve(kernel, [1.0, 2.0]))
        seen.append(sl.solve(matrix[1:, 1:], np.ones(1)))
        buffer = np.zeros(2)
        buffer[:] = x
        return sl.solve(matrix, buffer), ss.convolve(buffer, kernel, "valid")

    pattern = st.jacobian_sparsity(f, np.ones(2))
    assert_same_pattern(pattern, [[1, 0], [0, 1], [0, 1]])
    assert all(type(value) is np.ndarray for value in seen[-2:])


def test_values_at_the_point_decide_branches():
    def f(x):
        y = sl.solve(FULL, x)
        z = ss.lfilter([1.0], [1.0, 0.5], x)
        return x[0] if y[0] > 0 and z[1] < z[0] else x[1]

    assert (sl.solve(FULL, START[:4])[0] > 0) is np.True_
    assert_same_pattern(st.jacobian_sparsity(f, START[:4], local=True), [[1, 0, 0, 0]])


def test_without_capture_scipy_is_left_alone():
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(lambda x: sl.solve(FULL, x), np.ones(4), capture=False)
