"""`scipy.optimize.minimize` with sparse derivatives: objectives and constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import scipy.optimize
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.derivatives.hessian import sparse_hessian, sparse_lagrangian_hessian
from sparsetrace.derivatives.jacobian import sparse_jacobian
from sparsetrace.solvers.keywords import (
    DIFFERENCES,
    Sparsity,
    as_vector,
    dense_values,
    gradient_of,
    hessian_keywords,
    jacobian_keywords,
    refuse_method,
)

__all__ = ["minimize", "nonlinear_constraint"]

_WITH_HESSIANS = ("trust-constr", "trust-krylov", "trust-ncg", "newton-cg", "trust-exact", "dogleg")
_BY_PRODUCTS = ("trust-krylov", "trust-ncg", "newton-cg")
_WITH_GRADIENTS = ("l-bfgs-b", "slsqp", "bfgs", "cg", "tnc")


def minimize(
    fun: Callable[..., Any],
    x0: ArrayLike,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: Any = None,
    options: Any = None,
    *,
    terms: Callable[..., Any] | None = None,
    sparsity: Sparsity = None,
) -> Any:
    """`scipy.optimize.minimize` with a gradient and a sparse Hessian.

    Parameters
    ----------
    fun, x0, args, bounds, constraints, tol, callback, options
        As SciPy has them.  `fun` is traced at `x0`.  A constraint that is a dictionary without
        ``"jac"`` gets derivatives as well; `nonlinear_constraint` makes one with them.
    method : str, optional
        ``"trust-constr"`` by default.  This one, ``"trust-krylov"``, ``"trust-ncg"`` and
        ``"Newton-CG"`` take sparse Hessians, ``"trust-exact"`` and ``"dogleg"`` dense ones;
        ``"L-BFGS-B"``, ``"SLSQP"``, ``"BFGS"``, ``"CG"`` and ``"TNC"`` gradients alone.
    jac : callable or True, optional
        The gradient, if there is one; True if `fun` returns it, too.
    hess, hessp : callable, optional
        What is given instead of our Hessian.
    terms : callable, optional
        Called as `fun`; the sum of what it returns is what `fun` returns.  Gradient and Hessian
        then take a few calls of it, where `fun` alone takes one for each variable, and one for
        each pair of variables.
    sparsity : mapping, optional
        Keywords of `sparse_hessian`; those that `sparse_jacobian` knows are passed to it, too.

    Returns
    -------
    scipy.optimize.OptimizeResult
        SciPy's own.

    Raises
    ------
    TracingError
        If a dependency could be lost; give ``sparsity={"pattern": ...}`` then.
    InputError
        If `method` takes no gradient.
    VerificationError
        If a check shows that a pattern lacks an entry.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.solvers import minimize
    >>> def terms(x):
    ...     return 100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2
    >>> def rosenbrock(x):
    ...     return terms(x).sum()
    >>> result = minimize(rosenbrock, np.full(50, 1.2), method="trust-krylov", terms=terms)
    >>> bool(np.allclose(result.x, 1))
    True
    """
    chosen = (method or "trust-constr").lower()
    if chosen not in _WITH_HESSIANS + _WITH_GRADIENTS:
        refuse_method(method, "gradient", _WITH_HESSIANS + _WITH_GRADIENTS)
    start, arguments = as_vector(x0), args if isinstance(args, tuple) else (args,)
    keywords = dict(sparsity or {})
    limits = _limits(bounds)
    if limits is not None:
        keywords.setdefault("bounds", limits)
    value, gradient = fun, jac if callable(jac) else None
    if jac is True:

        def value(*args: Any) -> Any:
            return fun(*args)[0]

        def gradient(*args: Any) -> Any:
            return fun(*args)[1]

    elif gradient is None and jac not in DIFFERENCES:
        jac = gradient_of(fun, start, arguments, terms=terms, sparsity=keywords)
    if chosen in _WITH_HESSIANS and hess is None and hessp is None:
        hessian = sparse_hessian(
            value,
            start,
            arguments,
            grad=gradient,
            terms=None if gradient is not None else terms,
            **hessian_keywords(keywords, pattern=True),
        )
        if chosen in _BY_PRODUCTS:
            hessp = _Products(hessian)
        elif chosen == "trust-constr":
            hess = hessian
        else:
            hess = dense_values(hessian)
    constraints = _with_derivatives(constraints, start, chosen, keywords)
    if chosen == "trust-constr" and any(map(_is_ours, constraints)):
        # of others that are dense SciPy would say that all have to be of one kind
        options = {"sparse_jacobian": True, **(options or {})}
        constraints = [_with_sparse_jacobian(one, start) for one in constraints]
    return scipy.optimize.minimize(
        fun, x0, args, chosen, jac, hess, hessp, bounds, constraints, tol, callback, options
    )


def _limits(bounds: Any) -> Any:
    """Bounds as SciPy's minimisers take them, as a pair of vectors."""
    if bounds is None or hasattr(bounds, "lb"):
        return bounds
    lower, upper = zip(*bounds, strict=True)
    return (
        [-np.inf if side is None else side for side in lower],
        [np.inf if side is None else side for side in upper],
    )


class _Products:
    """Products with the Hessian at a point, which is evaluated once for all of them."""

    def __init__(self, hessian: Callable[..., Any]) -> None:
        self._hessian = hessian
        self._x: Vector | None = None

    def __call__(self, x: Vector, p: Vector, *args: Any) -> Vector:
        if self._x is None or not np.array_equal(x, self._x):
            self._matrix, self._x = self._hessian(x, *args), np.copy(x)
        product: Vector = self._matrix @ p
        return product


def _with_derivatives(
    constraints: Any, x0: Vector, method: str, keywords: Mapping[str, Any]
) -> list[Any]:
    """The constraints, those that are dictionaries with the derivatives that the method uses."""
    alone = isinstance(constraints, Mapping) or not isinstance(constraints, Sequence)
    given = [constraints] if alone else list(constraints)
    own = jacobian_keywords(keywords)
    result: list[Any] = []
    for constraint in given:
        is_bare = isinstance(constraint, Mapping) and "jac" not in constraint
        if is_bare and method == "trust-constr":
            upper = 0.0 if constraint["type"] == "eq" else np.inf
            args = constraint.get("args", ())
            result.append(
                nonlinear_constraint(constraint["fun"], 0.0, upper, x0, args, sparsity=own)
            )
        elif is_bare:
            jacobian = sparse_jacobian(
                constraint["fun"], x0, tuple(constraint.get("args", ())), **own
            )
            result.append({**constraint, "jac": dense_values(jacobian)})
        elif method != "trust-constr" and _is_ours(constraint):
            result.append(_with_dense_jacobian(constraint))
        else:
            result.append(constraint)
    return result


class _OfConstraint:
    """A derivative of constraints with their other arguments."""

    def __init__(self, derivative: Callable[..., Any], args: tuple[Any, ...], dense: bool) -> None:
        self.derivative, self.args, self.dense = derivative, args, dense

    def __call__(self, x: Vector) -> Any:
        matrix = self.derivative(x, *self.args)
        return matrix.toarray() if self.dense else matrix


def _is_ours(constraint: Any) -> bool:
    """Whether `nonlinear_constraint` made it."""
    return isinstance(getattr(constraint, "jac", None), _OfConstraint)


def _with_dense_jacobian(constraint: Any) -> Any:
    jac = _OfConstraint(constraint.jac.derivative, constraint.jac.args, dense=True)
    return scipy.optimize.NonlinearConstraint(constraint.fun, constraint.lb, constraint.ub, jac)


def _with_sparse_jacobian(constraint: Any, x0: Vector) -> Any:
    """The constraint with a Jacobian that is sparse before SciPy makes it so.

    Of a dense one with one row it would make a sparse vector, which it cannot use then.
    """
    if not isinstance(constraint, scipy.optimize.NonlinearConstraint) or _is_ours(constraint):
        return constraint
    result, jac = copy(constraint), constraint.jac
    if callable(jac):
        result.jac = lambda x: _sparse(jac(x))
    elif constraint.finite_diff_jac_sparsity is None:
        result.finite_diff_jac_sparsity = np.ones((np.size(constraint.fun(x0)), x0.size))
    return result


def _sparse(matrix: Any) -> Any:
    return matrix if issparse(matrix) else csr_array(np.atleast_2d(matrix))


def nonlinear_constraint(
    fun: Callable[..., Any],
    lb: ArrayLike,
    ub: ArrayLike,
    x0: ArrayLike,
    args: tuple[Any, ...] = (),
    jac: Any = None,
    hess: Any = None,
    keep_feasible: ArrayLike = False,
    *,
    sparsity: Sparsity = None,
) -> scipy.optimize.NonlinearConstraint:
    """`scipy.optimize.NonlinearConstraint` with the sparse Jacobian and Hessian of `fun`.

    Parameters
    ----------
    fun, lb, ub, keep_feasible
        As SciPy has them.
    x0 : array_like
        Where `fun` is traced.
    args : tuple, optional
        The other arguments of `fun`.
    jac : callable or {"2-point", "3-point", "cs"}, optional
        What is given instead of ours: a word takes SciPy's own differences, with our pattern.
    hess : callable or HessianUpdateStrategy, optional
        What is given instead of our Hessian of ``v @ fun(x)``.
    sparsity : mapping, optional
        Keywords of `sparse_jacobian`; those that `sparse_lagrangian_hessian` knows are passed to
        it, too.

    Returns
    -------
    scipy.optimize.NonlinearConstraint
        Its `jac` returns a csr_array of shape (m, n), its `hess` one of shape (n, n).

    Raises
    ------
    TracingError
        If a dependency could be lost; give ``sparsity={"pattern": ...}`` then.
    InputError
        If `x0` holds no numbers.
    VerificationError
        If a check shows that a pattern lacks an entry.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.optimize import minimize
    >>> from sparsetrace.solvers import nonlinear_constraint
    >>> def circles(x):
    ...     return x[1:] ** 2 + x[:-1] ** 2
    >>> constraint = nonlinear_constraint(circles, 1.0, 1.0, np.ones(5))
    >>> constraint.jac(np.ones(5)).nnz, constraint.hess(np.ones(5), np.ones(4)).diagonal()
    (8, array([2., 4., 4., 4., 2.]))
    """
    start = as_vector(x0)
    keywords = dict(sparsity or {})
    function = fun
    if args:

        def function(x: Vector) -> Any:
            return fun(x, *args)

    options: dict[str, Any] = {"keep_feasible": keep_feasible}
    given = jac if callable(jac) else None
    if given is None:
        own = jacobian_keywords(keywords, pattern=True)
        jacobian = sparse_jacobian(fun, start, args, **own)
        if jac is None:
            jac = _OfConstraint(jacobian, args, dense=False)
        else:
            options["finite_diff_jac_sparsity"] = jacobian.coloring.pattern
    if hess is None:
        hessian = sparse_lagrangian_hessian(
            None, fun, start, args, jac=given, **hessian_keywords(keywords)
        )

        def hess(x: Vector, v: Vector) -> Any:
            return hessian(x, v, 0.0, *args)

    return scipy.optimize.NonlinearConstraint(function, lb, ub, jac, hess, **options)
