"""All calls, the point at which they are traced, and why some patterns have more entries."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from numpy.lib import NumpyVersion

from cases.scipy_calls.clusters import CLUSTERS
from cases.scipy_calls.fftpack import FFTPACK
from cases.scipy_calls.fortran import FORTRAN
from cases.scipy_calls.interpolate import ORDINATES, POINTS
from cases.scipy_calls.linalg import DECOMPOSITIONS, LINALG, MATRICES
from cases.scipy_calls.ndimage import IMAGES, MODES
from cases.scipy_calls.others import EQUATIONS, OTHERS
from cases.scipy_calls.signal import LONGER, SIGNAL
from cases.scipy_calls.spatial import HULLS, METRICS, ROTATIONS
from cases.scipy_calls.special import SPECIAL
from cases.scipy_calls.stats import DISTRIBUTIONS, MULTIVARIATE, STATISTICS

WHOLE = {
    f"decompositions {name}": "elements of a factor that see a part of the matrix are not known"
    for name in (
        *("hessenberg", "lu", "lu, p_indices", "lu, permute_l"),
        *("qr_multiply", "qz", "rq", "rq, r", "qr, pivoting", "qr, pivoting r"),
        *("ordqz", "qr_update", "matrix_balance"),
        *("onenormest", "lobpcg", "lobpcg, operator", "spilu"),
    )
}
STEPS = {
    f"equations {name}": "whether the solution is linear in the state is not looked at"
    for name in (
        *("odeint", "odeint, Dfun", "solve_ivp", "solve_ivp, BDF", "solve_ivp, args"),
        *("solve_ivp, chain", "solve_ivp, parameters", "solve_ivp, products"),
        *("solve_ivp, dense", "solve_ivp, dense at times"),
    )
}
FIXED = {
    f"equations solve_ivp, {name}": "that a condition fixes a number at an event is not looked at"
    for name in ("state at an event", "ended", "status")
}
JUST_THEN = {
    f"equations solve_ivp, {name}": "of which products a time is made is not looked at"
    for name in ("event", "when it ended")
}
JOINED = "in which order equations can be solved is not looked at"
FITS = {
    f"ordinates {name}": "products of ordinates are not looked at"
    for name in (
        *("RectBivariateSpline, ev", "UnivariateSpline, at traced"),
        *("make_smoothing_spline, chosen", "bisplrep", "SmoothBivariateSpline"),
        *("UnivariateSpline, weights", "interp1d, abscissas"),
    )
}
AS_A_WHOLE = {
    f"ordinates {name}": "what a method computes of all that an object was made of is not looked at"
    for name in (
        *("KroghInterpolator, derivatives", "BarycentricInterpolator, derivative"),
        *("UnivariateSpline, coefficients", "UnivariateSpline, residual", "make_splprep"),
        "make_splprep, integral",
        *("RectBivariateSpline, integral", "RectBivariateSpline, slope", "splprep"),
        *("make_lsq_spline, weights", "make_interp_spline, ends", "CubicSpline, ends"),
        "approximate_taylor_polynomial",
    )
}
AT_ONCE = {
    f"others {name}": "all that a solution or a derivative depends on counts as one number"
    for name in (
        *("simpson, places", "find_minimum", "derivative", "jacobian", "hessian", "ode"),
        *("solve_bvp", "isotonic_regression", "quadratic_assignment", "minimize, slope"),
        "leastsq, covariance",
    )
}
INTERVALS = {
    f"ordinates {name}": "in which interval or triangle a point lies is not looked at"
    for name in (
        *("CubicHermiteSpline, abscissas", "Akima1DInterpolator, abscissas"),
        *("PchipInterpolator, abscissas", "BSpline, knots", "CubicSpline, all"),
        *("LinearNDInterpolator, sites", "griddata, at traced"),
        "RegularGridInterpolator, pchip",
    )
}
CHOSEN = {
    f"clusters {name}": "which numbers decide a distance or a way is not looked at"
    for name in CLUSTERS
    if not name.startswith(("edges", "linkage, joined", "ranked", "vq"))
}
SMALL = "a second derivative is too small for differences there"
FLAT = {
    "points RBFInterpolator": SMALL,
    "points RBFInterpolator, columns": SMALL,
    "ordinates RBFInterpolator, at traced": SMALL,
}
FLAT |= {f"decompositions {name}": SMALL for name in ("eigsh", "svds")}
FLAT["multivariate normal cdf, one dimension"] = SMALL
ITERATED = {
    f"linalg {name}": "what an iteration ends with is not linear in the right-hand side"
    for name in ("lsqr", "lsmr", "gmres, operator", "lgmres", "gcrotmk", "qmr")
}
FLAT |= {
    f"signal {name}": SMALL
    for name in (
        *("vectorstrength", "vectorstrength, periods", "wiener", "freqs", "kaiser", "chirp"),
        *("sweep_poly", "cspline1d_eval, places"),
    )
}
DESIGNS = {
    f"signal {name}": "which coefficients of a designed filter are constants is not known"
    for name in ("butter", "butter, band", "ellipap", "firwin")
}
TURNS = {
    f"rotation {name}": "which element sees which angle is not looked at"
    for name in (
        *("Slerp", "align_vectors", "apply", "concatenate", "from_euler, one axis"),
        *("from_matrix", "mean"),
    )
}
UNITED = {
    f"statistics {name}": "it is known as a whole: which elements it takes is not looked at"
    for name in (
        *("hdquantiles", "hdquantiles, masked", "ks_2samp, location", "mstats theilslopes"),
        *("poisson_means_test", "siegelslopes", "update_discrepancy"),
    )
}
UNITED |= dict.fromkeys(
    (
        *("ndimage distance_transform_edt, sampling", "ndimage sum_labels, traced"),
        *("spectra resample, spectrum", "signal savgol_filter, traced cval"),
        *("signal upfirdn, symmetric", "signal symiirorder1", "signal cspline2d"),
        *("signal peak_prominences", "signal place_poles"),
    ),
    "it is known as a whole: which elements it takes is not looked at",
)
EXPONENTIAL = {
    "signal response of a system": "a transition is taken to be nonlinear in the whole system",
}
PARTS = "real and imaginary parts count as one number"
CANCELS = "products of spectra cancel"
ORDERS = "which orders make an argument cancel is not looked at"
ENDS = {
    f"ndimage shift, {mode}": "at a reflecting end the spline of SciPy is not exact"
    for mode in ("reflect", "grid-mirror")
}
DENSE = {"linalg rsf2csf, full": "SciPy's rotations are taken to be of a full matrix"}
EXTRA = {
    "fortran geqrf": "R of np.linalg.qr has less, whose rule knows what is computed",
    **CHOSEN,
    "ndimage distance_transform_edt, sampling": UNITED["ndimage distance_transform_edt, sampling"],
    "spectra resample, spectrum": UNITED["spectra resample, spectrum"],
    "signal peak_prominences": UNITED["signal peak_prominences"],
    **{
        f"others {name}": AT_ONCE[f"others {name}"]
        for name in (
            *("simpson, places", "hessian", "jacobian", "minimize, slope"),
            *("isotonic_regression", "quadratic_assignment", "leastsq, covariance"),
        )
    },
    "ordinates approximate_taylor_polynomial": AS_A_WHOLE[
        "ordinates approximate_taylor_polynomial"
    ],
    **DENSE,
    **DESIGNS,
    **INTERVALS,
    **ENDS,
    **{
        f"ndimage {name}": "an element at an end wins over the extremes that it is one of"
        for name in ("grey_opening", "grey_closing", "white_tophat", "black_tophat")
    },
    **TURNS,
    **FIXED,
    "others fsolve, joined": JOINED,
    **WHOLE,
    "spectra hilbert": PARTS,
    "spectra hilbert, rows": PARTS,
    "ndimage median_filter": "at an extended end an element stands twice among three",
    "signal resample_poly, maximum": "where the weights sum to one the level cancels",
    "signal resample_poly, minimum": "where the weights sum to one the level cancels",
    "special sph_harm_y, order 0": ORDERS,
}
QR = "as np.linalg.qr: that a column is linear in itself is not seen"
BY_QUADRATURE = "what SciPy makes of a user's method by quadrature is not followed"
PRODUCT = "that the matrix is a product is not seen"
EXTRA_HESSIAN = {
    **dict.fromkeys(("fortran potrf", "fortran potrf, not clean"), PRODUCT),
    "hulls ConvexHull": "which products of coordinates a volume has is not looked at",
    "clusters ranked, is_valid_dm": "a symmetric matrix is not among the points",
    "decompositions issymmetric": "a symmetric matrix is not among the points",
    "decompositions ishermitian": "a symmetric matrix is not among the points",
    **CHOSEN,
    **AT_ONCE,
    **AS_A_WHOLE,
    **DENSE,
    **EXPONENTIAL,
    **ITERATED,
    **DESIGNS,
    **INTERVALS,
    **FLAT,
    "statistics cramervonmises": "that elements are sorted apart from each other is not looked at",
    "distributions own density, cdf": BY_QUADRATURE,
    **TURNS,
    **FITS,
    **STEPS,
    **FIXED,
    **JUST_THEN,
    **UNITED,
    "others quad, limits": "products with a linear integrand are not looked at",
    "others quad, compiled": "products of both limits are not looked at",
    **WHOLE,
    "linalg qr": QR,
    "fortran geqrf": QR,
    "special sph_harm_y, order 0": ORDERS,
    "spectra coherence": CANCELS,
    "spectra csd, median": CANCELS,
    "spectra stft, constant": "the modulus of one sample is linear in it",
    "spectra welch, complex": PARTS,
}
EXTRA_AT = {
    **dict.fromkeys(("fortran potrf", "fortran potrf, not clean"), PRODUCT),
    "hulls ConvexHull": "which products of coordinates a volume has is not looked at",
    **CHOSEN,
    **AT_ONCE,
    **AS_A_WHOLE,
    **DENSE,
    **EXPONENTIAL,
    **ITERATED,
    **DESIGNS,
    **INTERVALS,
    **FLAT,
    **ENDS,
    "distributions own density, cdf": BY_QUADRATURE,
    "distributions own branches, logsf": BY_QUADRATURE,
    **TURNS,
    **FITS,
    **STEPS,
    **FIXED,
    **JUST_THEN,
    **UNITED,
    "others quad, limits": "products with a linear integrand are not looked at",
    "others quad, compiled": "products of both limits are not looked at",
    "others fsolve, joined": JOINED,
    **WHOLE,
    "spectra coherence": CANCELS,
    "spectra csd, median": CANCELS,
    "spectra stft, constant": "the modulus of one sample is linear in it",
    "spectra welch, complex": PARTS,
    "spectra hilbert": PARTS,
    "spectra hilbert, rows": PARTS,
    "special sph_harm_y, order 0": ORDERS,
    "linalg qr": QR,
    "fortran geqrf": QR,
    "linalg pinvh": "an entry is too small there for differences",
    "distance cdist, jensenshannon": "an entry is too small there for differences",
    "distance pdist, seuclidean": "an entry is too small there for differences",
    "ordinates PchipInterpolator": "limited slopes are not looked at",
    "points RegularGridInterpolator, line": "a flat cell is not looked at",
    "distributions histogram cdf": "an empty bin is not looked at",
}
MANY = {  # points: where one piece of many is chosen, and where SciPy takes its time
    "matrices logm": 1,
    "distance chebyshev, weights": 40,
    "distance minkowski, largest of weighted": 40,
    "clusters vq, codes": 60,
    "hulls KDTree": 60,
    "hulls KDTree, third": 60,
    "hulls query, far": 30,
    "clusters vq, scalars": 60,
    "decompositions expm_cond": 1,
    **dict.fromkeys(("others solve_bvp", "others find_minimum", "others find_root"), 1),
    "signal medfilt": 30,
    "signal wiener, noise": 30,
    "ndimage median_filter": 30,
    "ndimage shift, both": 30,
    **{
        f"ndimage {name}": 60
        for name in (
            *("grey_erosion", "grey_erosion, structure", "grey_dilation, structure"),
            *("maximum", "minimum", "median", "extrema", "extrema, labels"),
            *("median_filter, cval", "grey_dilation, cval", "rank_filter, holes"),
            *(f"rank_filter, repeated, {mode}" for mode in MODES),
        )
    },
    "ordinates PchipInterpolator": 30,
    "ordinates interp1d, at traced": 60,
    "statistics describe": 60,
    "statistics ks_2samp, location": 30,
    "distributions own branches": 10,
    "distributions own branches, logsf": 10,
}


KINDS = {
    "linalg": (LINALG, 4),
    "fortran": (FORTRAN, 4),
    "decompositions": (DECOMPOSITIONS, 4),
    "matrices": (MATRICES, 2),
    "fftpack": (FFTPACK, 4),
    "signal": (SIGNAL, 4),
    "spectra": (LONGER, 6),
    "ndimage": (IMAGES, 4),
    "points": (POINTS, 4),
    "ordinates": (ORDINATES, 6),
    "distance": (METRICS, 4),
    "rotation": (ROTATIONS, 6),
    "special": (SPECIAL, 4),
    "others": (OTHERS, 4),
    "distributions": (DISTRIBUTIONS, 4),
    "statistics": (STATISTICS, 4),
    "multivariate": (MULTIVARIATE, 6),
    "equations": (EQUATIONS, 4),
    "clusters": (CLUSTERS, 6),
    "hulls": (HULLS, 4),
}
LOW, HIGH = 0.3, 1.7
START = np.array([1.31, 0.52, 1.67, 0.93, 0.41, 1.12])
NEWER = {  # than the oldest release of SciPy
    *(f"others {name}" for name in (
        *("tanhsinh", "tanhsinh, args", "nsum", "cubature", "cubature, limits", "find_root"),
        *("find_minimum", "derivative", "jacobian", "hessian"),
    )),
    "ordinates make_splrep", "ordinates make_splprep",
    "ordinates KroghInterpolator, derivatives", "ordinates BarycentricInterpolator, derivative",
    "linalg solve, lower", "linalg solve, upper", "linalg solve, diagonal",
    "linalg cholesky, batch", "statistics linregress, lines", "ndimage convolve, axes",
    "distributions poisson_binom pmf",
    "multivariate t logpdf, normal", "statistics anderson_ksamp",
}  # fmt: skip
NAN_MASKS = {"statistics skew, bias", "statistics kurtosis, bias", "statistics gstd"}
"""Traced since SciPy 1.15, whose code no longer chooses among the values."""


def is_known(f, size, name):
    """Whether the release of SciPy has what a case asks for."""
    if name in NAN_MASKS:
        return NumpyVersion(scipy.__version__) >= "1.15.0"
    if name in NEWER:
        try:
            f(START[:size])
        except (AttributeError, TypeError, ValueError):
            return False
    return True


CASES = [
    pytest.param(f, size, f"{kind} {name}", id=f"{kind} {name}")
    for kind, (functions, size) in KINDS.items()
    for name, f in functions.items()
    if is_known(f, size, f"{kind} {name}")
]
