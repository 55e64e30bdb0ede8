"""Functions that raise for some values of their arguments: singular matrices and the like.

Contract: tables of errors alone, and the question whether they are caught.  What is
raised at a point comes of the call itself, on the values there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sparsetrace.dispatch.implementations import function_named
from sparsetrace.dispatch.operands import contains_traced
from sparsetrace.graph import Graph
from sparsetrace.raising import may_be_caught, may_raise

__all__ = ["RAISING", "fail_alike", "fail_alike_in_scipy"]

Error = tuple[type[Exception], str]

_SINGULAR = "Singular matrix"
_NOT_POSITIVE = "Matrix is not positive definite"
_EIGENVALUES = "Eigenvalues did not converge"
_SVD = "SVD did not converge"
_NUMPY = {
    "linalg.inv linalg.solve linalg.tensorinv linalg.tensorsolve": _SINGULAR,
    "linalg.cholesky": _NOT_POSITIVE,
    "linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh roots": _EIGENVALUES,
    """linalg.cond linalg.lstsq linalg.matrix_norm linalg.matrix_rank linalg.norm linalg.pinv
    linalg.svd linalg.svdvals polyfit""": _SVD,
}
RAISING: dict[Any, str] = {
    function: text
    for names, text in _NUMPY.items()
    for function in map(function_named, names.split())
    if function is not None
}
"""NumPy's functions that raise a ``LinAlgError`` for some values, and its words."""
_WITHOUT_SVD = (None, "fro", 1, -1, 0, np.inf, -np.inf)


def _may_fail(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call of such a function comes to the point at which it may raise."""
    second = args[1] if len(args) > 1 else None
    if function in (np.linalg.norm, np.linalg.matrix_norm):
        order = kwargs.get("ord", second)
        return not any(order is known or order == known for known in _WITHOUT_SVD)
    return True


def fail_alike(
    graph: Graph, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Raise the error of a function of `RAISING` on a path of its own, where it is caught."""
    if graph.local or not may_be_caught(graph) or not _may_fail(function, args, kwargs):
        return
    if args and not contains_traced(args[0]):
        if function is np.linalg.solve:
            np.linalg.inv(args[0])  # singular for all inputs or for none
        return
    may_raise(graph, partial(np.linalg.LinAlgError, RAISING[function]), args)


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


def fail_alike_in_scipy(graph: Graph, entry: str, args: tuple[Any, ...]) -> None:
    """The same for a function or a method of SciPy's, named with its module."""
    if graph.local or not may_be_caught(graph) or not any(map(contains_traced, args)):
        return
    module = next((name for name in _SCIPY if entry.startswith(name + ".")), "")
    name = entry[len(module) + 1 :]
    if module == "scipy.linalg" and name in _SINGULAR_IN_SCIPY:
        may_raise(graph, partial(np.linalg.LinAlgError, _SINGULAR.lower()), args)
    if module == "scipy.sparse.linalg" and name in _FACTORED:
        may_raise(graph, partial(RuntimeError, "Factor is exactly singular"), args)
    if name not in _FREE:
        for kind, text in _SCIPY.get(module, ()):
            may_raise(graph, partial(kind, text), args)
