"""Functions that raise for some values of their arguments: singular matrices and the like.

Contract: tables of errors alone, and the question whether they are caught.  What is
raised at a point comes of the call itself, on the values there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.operands.implementations import function_named
from sparsetrace.operands.operands import contains_traced
from sparsetrace.operands.raising import may_be_caught, may_raise

__all__ = ["RAISING", "fail_alike", "fail_alike_in_scipy"]

Error = tuple[type[Exception], str]

_SINGULAR = "Singular matrix"
_ALGEBRA = {
    "linalg.inv linalg.solve linalg.tensorinv linalg.tensorsolve": _SINGULAR,
    "linalg.cholesky": "Matrix is not positive definite",
    "linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh roots": "Eigenvalues did not converge",
    """linalg.cond linalg.lstsq linalg.matrix_norm linalg.matrix_rank linalg.norm linalg.pinv
    linalg.svd linalg.svdvals polyfit""": "SVD did not converge",
}
_OTHERS: dict[str, Error] = {
    "average": (ZeroDivisionError, "Weights sum to zero, can't be normalized"),
    "choose": (ValueError, "invalid entry in choice array"),
    "digitize": (ValueError, "bins must be monotonically increasing or decreasing"),
    "geomspace": (ValueError, "Geometric sequence cannot include zero"),
    "histogram histogram2d histogramdd histogram_bin_edges": (
        ValueError,
        "autodetected range of [nan, nan] is not finite",
    ),
    "nanargmax nanargmin": (ValueError, "All-NaN slice encountered"),
    "percentile nanpercentile": (ValueError, "Percentiles must be in the range [0, 100]"),
    "quantile nanquantile": (ValueError, "Quantiles must be in the range [0, 1]"),
    "take take_along_axis put put_along_axis": (IndexError, "index out of bounds"),
}
RAISING: dict[Any, Error] = {
    function: error
    for table in ({k: (np.linalg.LinAlgError, text) for k, text in _ALGEBRA.items()}, _OTHERS)
    for names, error in table.items()
    for function in map(function_named, names.split())
    if function is not None
}
"""NumPy's functions that raise for some values, and what."""
_DECIDING: dict[Any, tuple[int, str]] = {
    function_named(name): place
    for names, place in {
        "average": (2, "weights"),
        "digitize": (1, "bins"),
        "percentile nanpercentile quantile nanquantile": (1, "q"),
        "take take_along_axis": (1, "indices"),
        "put put_along_axis": (1, "ind"),
    }.items()
    for name in names.split()
}
"""Those that raise for the values of one argument alone: its position and name."""
# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
_NORMS = tuple(map(function_named, ("linalg.norm", "linalg.matrix_norm")))
_INVERSE, _SOLUTION = np.linalg.inv, np.linalg.solve
_WITHOUT_SVD = (None, "fro", 1, -1, 0, np.inf, -np.inf)


def _may_fail(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call of such a function comes to the point at which it may raise."""
    if function in _DECIDING:
        position, name = _DECIDING[function]
        return contains_traced(args[position] if len(args) > position else kwargs.get(name))
    if function in _NORMS:
        order = kwargs.get("ord", args[1] if len(args) > 1 else None)
        return not any(order is known or order == known for known in _WITHOUT_SVD)
    return True


def fail_alike(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Raise the error of a function of `RAISING` on a path of its own, where it is caught."""
    if trace.local or not may_be_caught(trace) or not _may_fail(function, args, kwargs):
        return
    error, text = RAISING[function]
    if error is np.linalg.LinAlgError and args and not contains_traced(args[0]):
        if function is _SOLUTION:
            _INVERSE(args[0])  # singular for all inputs or for none
        return
    may_raise(trace, partial(error, text), args)


_NOT_FINITE = "array must not contain infs or NaNs"
_SCIPY: dict[str, tuple[Error, ...]] = {
    "scipy.linalg": ((ValueError, _NOT_FINITE),),
    "scipy.interpolate": ((ValueError, "a value is not finite, or out of bounds"),),
    "scipy.sparse.linalg": (),
}
"""What the functions of whole modules may raise."""
_FREE = frozenset(
    "circulant convolution_matrix hankel kron toeplitz BSpline.__call__ PPoly.__call__ "
    "BPoly.__call__ NdPPoly.__call__ BSpline.antiderivative BSpline.derivative splev "
    "PPoly.antiderivative PPoly.derivative BSpline.integrate PPoly.integrate "
    "BPoly.integrate UnivariateSpline.integral".split()
)
_SINGULAR_IN_SCIPY = frozenset(
    "cholesky cho_factor eig eigh eigvals eigvalsh inv lstsq pinv pinvh solve solve_banded "
    "solve_circulant solve_continuous_lyapunov solve_discrete_lyapunov solve_lyapunov "
    "solve_sylvester solve_toeplitz solve_triangular solveh_banded svd svdvals sqrtm logm".split()
)
_FACTORED = frozenset(("factorized", "splu"))


def fail_alike_in_scipy(trace: Trace, entry: str, args: tuple[Any, ...]) -> None:
    """The same for a function or a method of SciPy's, named with its module."""
    if trace.local or not may_be_caught(trace) or not any(map(contains_traced, args)):
        return
    module = next((name for name in _SCIPY if entry.startswith(name + ".")), "")
    name = entry[len(module) + 1 :]
    if module == "scipy.linalg" and name in _SINGULAR_IN_SCIPY:
        may_raise(trace, partial(np.linalg.LinAlgError, _SINGULAR.lower()), args)
    if module == "scipy.sparse.linalg" and name in _FACTORED:
        may_raise(trace, partial(RuntimeError, "Factor is exactly singular"), args)
    if name not in _FREE:
        for error, text in _SCIPY.get(module, ()):
            may_raise(trace, partial(error, text), args)
