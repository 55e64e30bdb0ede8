"""What the adapters have in common: their one keyword, and small pieces around derivatives.

Contract: every adapter has the parameters of the solver's own function, at the same places, and
one more, ``sparsity=``: a mapping of keywords of `sparse_jacobian` and `sparse_hessian`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NoReturn

import numpy as np
from scipy.sparse import csr_array

from sparsetrace.api.detection import jacobian_sparsity
from sparsetrace.api.options import JacobianOptions, names_of
from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.derivatives.hessian import sparse_hessian
from sparsetrace.derivatives.jacobian import sparse_jacobian
from sparsetrace.errors import InputError, TracingError

__all__ = [
    "DIFFERENCES",
    "Sparsity",
    "as_vector",
    "dense_values",
    "detection_keywords",
    "gradient_of",
    "hessian_keywords",
    "jacobian_keywords",
    "missing_package",
    "refuse_method",
    "traced_columns",
    "with_keywords",
]

Sparsity = Mapping[str, Any] | None
DIFFERENCES = ("2-point", "3-point", "cs")
"""Words for ``jac=`` by which SciPy takes differences itself."""


_OF_JACOBIANS = frozenset(inspect.signature(sparse_jacobian).parameters)
_OF_HESSIANS = frozenset(inspect.signature(sparse_hessian).parameters)
_OF_ONE = frozenset(("pattern", "coloring"))
"""A problem has several derivatives, and is given these for one of them."""


def detection_keywords(sparsity: Mapping[str, Any]) -> dict[str, Any]:
    """Of the keywords of a derivative, those that are about its trace."""
    return _without(sparsity, _OF_JACOBIANS - names_of(JacobianOptions))


def jacobian_keywords(sparsity: Mapping[str, Any], *, pattern: bool = False) -> dict[str, Any]:
    """Those of a Jacobian beside a Hessian, and the pattern if it is the Jacobian's.

    A keyword that is neither's stays: the derivative refuses it.
    """
    other = _OF_HESSIANS - _OF_JACOBIANS
    return _without(sparsity, other if pattern else other | _OF_ONE)


def hessian_keywords(sparsity: Mapping[str, Any], *, pattern: bool = False) -> dict[str, Any]:
    """Those of a Hessian beside a Jacobian, likewise."""
    other = _OF_JACOBIANS - _OF_HESSIANS
    return _without(sparsity, other if pattern else other | _OF_ONE)


def _without(sparsity: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in sparsity.items() if key not in names}


def gradient_of(
    f: Callable[..., Any],
    x0: Vector,
    args: tuple[Any, ...] = (),
    *,
    grad: Callable[..., Any] | None = None,
    terms: Callable[..., Any] | None = None,
    sparsity: Mapping[str, Any],
) -> Callable[..., Any]:
    """The gradient of an objective, as a function of ``(x, *args)`` that returns a vector.

    It is `grad`, if there is one; the sum of the rows of the Jacobian of `terms`, with one call a
    color; or by differences of f itself, with one call for each input that f depends on.
    """
    if grad is not None:
        return grad
    jacobian = sparse_jacobian(
        f if terms is None else terms, x0, args, **jacobian_keywords(sparsity)
    )

    def gradient(x: Vector, *args: Any) -> Vector:
        matrix = jacobian(x, *args)
        return np.bincount(matrix.indices, matrix.data, minlength=len(x))

    return gradient


def dense_values(derivative: Callable[..., Any]) -> Callable[..., Any]:
    """The derivative as a dense array, for solvers that take no other."""
    return lambda *args: derivative(*args).toarray()


def as_vector(x: Any) -> Vector:
    """A starting point as solvers take it: one dimension, floating point."""
    vector = np.atleast_1d(np.asarray(x))
    if vector.dtype.kind not in "biufc":
        raise InputError(f"the starting point holds {vector.dtype}, not numbers")
    return vector.astype(np.result_type(vector, np.float64))


def with_keywords(f: Callable[..., Any], kwargs: Mapping[str, Any] | None) -> Callable[..., Any]:
    """The function with keywords that solvers pass on."""
    return partial(f, **kwargs) if kwargs else f


def traced_columns(
    f: Callable[..., Any], *args: Any, wrt: int | tuple[int, ...], sparsity: Mapping[str, Any]
) -> SparsityPattern:
    """The pattern by some arguments, whatever the value of the argument before them is.

    Solvers change the time or the mesh, which comes first, and the pattern may not hold for the
    first value alone (``t * y`` at 0): it is traced as an input, and its columns are left out.
    """
    numbers = (wrt,) if isinstance(wrt, int) else wrt
    try:
        pattern = jacobian_sparsity(f, *args, argnums=(0, *numbers), **detection_keywords(sparsity))
    except TracingError as error:
        error.add_remedy(
            "Or give the pattern to the solver, if it is the same at all times: "
            "sparsity={'pattern': pattern}."
        )
        raise
    return SparsityPattern(csr_array(pattern)[:, np.size(args[0]) :])


def refuse_method(method: object, needs: str, choices: tuple[str, ...]) -> NoReturn:
    """Raise an error for a method that has no use for a derivative."""
    raise InputError(
        f"method={method!r} takes no {needs}: choose one of "
        f"{', '.join(map(repr, choices))}, or call SciPy's own function"
    )


def missing_package(name: str, extra: str) -> ImportError:
    """The error where an optional package is not installed."""
    return ImportError(f"this solver needs {name}: pip install 'sparsetrace[{extra}]'")
