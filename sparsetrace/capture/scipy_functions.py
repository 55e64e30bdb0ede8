"""SciPy's functions and methods without a hook, where the program has loaded them.

Contract: no module of SciPy's is imported for this; one that is loaded, before a trace
or during it, has its functions exchanged for wrappers that test for traced arguments
and call the original for all others.  What answers traced arguments is in
`sparsetrace.scipy_rules`, of which no module is imported before it is needed either.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from sparsetrace.capture.patch import Patch
from sparsetrace.capture.session import holds_traced
from sparsetrace.context import CURRENT
from sparsetrace.numpy_rules.raising_functions import fail_alike_in_scipy

__all__ = ["MODULES", "NAMES", "loaded", "patches"]

NAMES: dict[tuple[str, str], str] = {
    ("scipy.interpolate", "interpolate.splines"): """
        BSpline.__call__ BSpline.integrate BarycentricInterpolator.__call__ NdBSpline.__call__
        NdPPoly.__call__ PPoly.__call__ PPoly.integrate BPoly.__call__ BPoly.integrate
        RectBivariateSpline.__call__
        RegularGridInterpolator.__call__ UnivariateSpline.__call__ UnivariateSpline.integral
        interp1d.__call__ interpn splev
    """,
    ("scipy.interpolate", "interpolate.bsplines"): """
        BSpline.__init__ BSpline.antiderivative BSpline.derivative
        InterpolatedUnivariateSpline.__init__ LSQUnivariateSpline.__init__
        RectBivariateSpline.__init__ UnivariateSpline.__init__ make_interp_spline
        make_lsq_spline make_smoothing_spline splprep splrep
    """,
    ("scipy.interpolate", "interpolate.grids"): """
        RegularGridInterpolator.__init__ interp1d.__init__
    """,
    ("scipy.interpolate", "interpolate.piecewise_polynomials"): """
        Akima1DInterpolator.__init__ CubicHermiteSpline.__init__ CubicSpline.__init__
        PPoly.__init__ BPoly.__init__ PPoly.antiderivative PPoly.derivative
        PchipInterpolator.__init__
    """,
    ("scipy.linalg", "linalg.linear_systems"): """
        cho_factor cho_solve cholesky lu_factor lu_solve matmul_toeplitz solve solve_banded
        solve_circulant solve_continuous_lyapunov solve_discrete_lyapunov solve_lyapunov
        solve_sylvester solve_toeplitz solve_triangular solveh_banded
    """,
    ("scipy.linalg", "linalg.matrix_functions"): """
        circulant convolution_matrix coshm cosm det eig eigh eigvals eigvalsh expm
        fractional_matrix_power hankel inv kron logm lstsq norm pinv pinvh polar qr signm sinhm
        sinm sqrtm svd svdvals tanhm tanm toeplitz
    """,
    ("scipy.ndimage", "ndimage.images"): """
        convolve convolve1d correlate correlate1d gaussian_filter gaussian_filter1d
        gaussian_gradient_magnitude gaussian_laplace laplace map_coordinates prewitt sobel
        uniform_filter uniform_filter1d
    """,
    ("scipy.ndimage", "ndimage.rank_filters"): """
        maximum_filter maximum_filter1d median_filter minimum_filter minimum_filter1d
        percentile_filter rank_filter
    """,
    ("scipy.signal", "signal.convolution"): """
        convolve convolve2d correlate correlate2d fftconvolve oaconvolve
    """,
    ("scipy.signal", "signal.filters"): """
        detrend filtfilt lfilter resample_poly savgol_filter sosfilt sosfiltfilt upfirdn
    """,
    ("scipy.signal", "ndimage.rank_filters"): "medfilt medfilt2d order_filter",
    ("scipy.sparse.linalg", "linalg.sparse_solvers"): """
        expm_multiply factorized splu spsolve spsolve_triangular
    """,
    ("scipy.special", "special.exponentials"): "log_softmax logsumexp softmax",
    # what logsumexp calls, also where a module bound its name early
    ("scipy.special._logsumexp", "special.exponentials"): "_logsumexp",
    ("scipy.spatial.distance", "spatial.distance"): """
        braycurtis canberra cdist chebyshev cityblock correlation cosine euclidean mahalanobis
        minkowski pdist seuclidean sqeuclidean squareform
    """,
}
"""What is exchanged in each module of SciPy's, and which one here has the rules for it."""

_ALWAYS = frozenset(("splu", "factorized"))
"""Answered without traced arguments too: what they return is given some later."""
MODULES = frozenset(module for module, _ in NAMES)
"""Those of SciPy's that have rules."""


def loaded() -> frozenset[str]:
    """The modules with rules that the program has loaded by now.

    Examples
    --------
    >>> import scipy.linalg
    >>> "scipy.linalg" in loaded()
    True
    """
    return frozenset(name for name in MODULES if _is_complete(sys.modules.get(name)))


def _is_complete(module: types.ModuleType | None) -> bool:
    """Whether a module is loaded, and not just being so."""
    spec = getattr(module, "__spec__", None)
    return module is not None and not getattr(spec, "_initializing", False)


def patches(module: str) -> Iterator[Patch]:
    """The functions and methods of a loaded module."""
    done: set[tuple[int, str]] = set()
    for (name, rules), listed in NAMES.items():
        if name == module:
            for entry in listed.split():
                owner, attribute = _owner(sys.modules[module], entry)
                original = vars(owner).get(attribute)
                # not every release of SciPy has every function; classes share some methods
                if original is not None and (id(owner), attribute) not in done:
                    done.add((id(owner), attribute))
                    wrapper = _wrapped(original, module, rules, entry)
                    yield Patch(owner, attribute, original, wrapper)


def _owner(module: Any, entry: str) -> tuple[Any, str]:
    """The module, or among a class and its bases the one that defines a method."""
    cls, _, name = entry.rpartition(".")
    if not cls:
        return module, name
    bases = getattr(getattr(module, cls, None), "__mro__", ())
    return next((base for base in bases if name in vars(base)), types.SimpleNamespace()), name


def _wrapped(original: Any, module: str, rules: str, entry: str) -> Callable[..., Any]:
    always, method = entry in _ALWAYS, "." in entry

    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if CURRENT.get() is None:
            return original(*args, **kwargs)
        if (
            always
            or holds_traced(args, kwargs)
            or (method and _STATE in getattr(args[0], "__dict__", ()))
        ):
            return _answer(original, rules, f"{module}.{entry}", args, kwargs)
        return original(*args, **kwargs)

    return wrapper


_STATE = "_sparsetrace_state"
"""The attribute of objects of SciPy's that were made of traced elements."""


def _answer(
    original: Any, rules: str, entry: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    answer, call, line = _line(original, rules, entry)
    trace = CURRENT.get()
    if trace is not None:
        fail_alike_in_scipy(trace, entry, args)
    return answer(call, line, args, kwargs)


@functools.cache
def _line(original: Any, rules: str, entry: str) -> tuple[Callable[..., Any], Any, Any]:
    """What answers a call of the function, the call's name and its rule."""
    calls = importlib.import_module("sparsetrace.scipy_rules.registration")
    table = importlib.import_module(f"sparsetrace.scipy_rules.{rules}").TABLE
    return calls.answer, calls.Call(entry, original), table[entry]
