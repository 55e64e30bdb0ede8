"""`scipy.optimize` with sparse derivatives: residuals, equations, objectives, constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.optimize
from numpy.typing import ArrayLike
from scipy.sparse import csc_array, eye_array
from scipy.sparse.linalg import LinearOperator, spilu

from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.derivatives.hessian import sparse_hessian, sparse_lagrangian_hessian
from sparsetrace.derivatives.jacobian import SparseJacobian, sparse_jacobian
from sparsetrace.errors import InputError
from sparsetrace.solvers.keywords import (
    Sparsity,
    as_vector,
    gradient_of,
    hessian_keywords,
    jacobian_keywords,
    refuse_method,
    with_keywords,
)

__all__ = ["least_squares", "minimize", "newton_krylov", "nonlinear_constraint", "root"]

_DIFFERENCES = ("2-point", "3-point", "cs")
_WITH_HESSIANS = ("trust-constr", "trust-krylov", "trust-ncg", "newton-cg", "trust-exact", "dogleg")
_BY_PRODUCTS = ("trust-krylov", "trust-ncg", "newton-cg")
_WITH_GRADIENTS = ("l-bfgs-b", "slsqp", "bfgs", "cg", "tnc")


def least_squares(
    fun: Callable[..., Any],
    x0: ArrayLike,
    jac: Any = None,
    bounds: Any = (-np.inf, np.inf),
    method: str = "trf",
    *,
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] | None = None,
    sparsity: Sparsity = None,
    **options: Any,
) -> Any:
    """`scipy.optimize.least_squares` with the sparse Jacobian of `fun`.

    Parameters
    ----------
    fun, x0, bounds, method, args, kwargs, **options
        As SciPy has them.  `fun` is traced at `x0`.
    jac : callable or {"2-point", "3-point", "cs"}, optional
        What is given instead of ours: a word takes SciPy's own differences, with our pattern as
        `jac_sparsity`.
    sparsity : mapping, optional
        Keywords of `sparse_jacobian`, such as ``{"method": "3-point"}``.

    Returns
    -------
    The result of SciPy's function.

    Notes
    -----
    ``method="lm"`` and ``tr_solver="exact"`` take dense Jacobians: theirs is evaluated with one
    call a color, too, and filled with zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.solvers import least_squares
    >>> def broyden(x):
    ...     around = np.concatenate([[0.0], x[:-1]]) + 2 * np.concatenate([x[1:], [0.0]])
    ...     return (3 - 2 * x) * x - around + 1
    >>> result = least_squares(broyden, -np.ones(1000))
    >>> bool(result.cost < 1e-12), result.jac.shape, result.jac.nnz
    (True, (1000, 1000), 2998)
    """
    start = as_vector(x0)
    keywords = dict(sparsity or {})
    function = with_keywords(fun, kwargs)
    if jac is None or (isinstance(jac, str) and jac in _DIFFERENCES):
        step = options.get("diff_step")
        if step is not None and jac is None:
            keywords.setdefault("rel_step", step)
        if np.any(np.isfinite(_sides(bounds))):
            keywords.setdefault("bounds", bounds)
        jacobian = sparse_jacobian(function, start, args, **keywords)
        dense = method == "lm" or options.get("tr_solver") == "exact"
        if jac is not None:
            if dense:
                raise InputError(
                    "method='lm' and tr_solver='exact' take no pattern: leave jac= out"
                )
            options["jac_sparsity"] = jacobian.coloring.pattern
        else:
            jac = _with_unused_keywords(jacobian, dense)
    return scipy.optimize.least_squares(
        fun, x0, jac, bounds, method, args=args, kwargs=kwargs or {}, **options
    )


def _sides(bounds: Any) -> list[Any]:
    if hasattr(bounds, "lb"):
        bounds = (bounds.lb, bounds.ub)
    return [value for side in bounds for value in np.ravel(side)]


def _with_unused_keywords(jacobian: SparseJacobian, dense: bool) -> Callable[..., Any]:
    """SciPy passes the function's keywords to its Jacobian; ours has them already."""

    def at(x: Vector, *args: Any, **_: Any) -> Any:
        matrix = jacobian(x, *args)
        return matrix.toarray() if dense else matrix

    return at


# ------------------------------------------------------------------- objectives and constraints
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
    The result of SciPy's function.

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

    elif gradient is None and jac not in _DIFFERENCES:
        jac = gradient_of(fun, start, arguments, terms=terms, sparsity=keywords)
    if chosen in _WITH_HESSIANS and hess is None and hessp is None:
        of_hessian = hessian_keywords(keywords) | {
            key: keywords[key] for key in ("pattern", "coloring") if key in keywords
        }
        hessian = sparse_hessian(
            value,
            start,
            arguments,
            grad=gradient,
            terms=None if gradient is not None else terms,
            **of_hessian,
        )
        if chosen in _BY_PRODUCTS:
            hessp = _Products(hessian)
        elif chosen == "trust-constr":
            hess = hessian
        else:
            hess = _dense(hessian)
    constraints = _with_derivatives(constraints, start, chosen, keywords)
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


def _dense(derivative: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: derivative(*args).toarray()


def _with_derivatives(
    constraints: Any, x0: Vector, method: str, keywords: Mapping[str, Any]
) -> list[Any]:
    """The constraints, those that are dictionaries with the derivatives that the method uses."""
    alone = isinstance(constraints, Mapping) or not isinstance(constraints, Sequence)
    given = [constraints] if alone else list(constraints)
    own = jacobian_keywords(keywords)
    result: list[Any] = []
    for constraint in given:
        is_ours = isinstance(constraint, Mapping) and "jac" not in constraint
        if is_ours and method == "trust-constr":
            upper = 0.0 if constraint["type"] == "eq" else np.inf
            args = constraint.get("args", ())
            result.append(
                nonlinear_constraint(constraint["fun"], 0.0, upper, x0, args, sparsity=own)
            )
        elif is_ours:
            jacobian = sparse_jacobian(
                constraint["fun"], x0, tuple(constraint.get("args", ())), **own
            )
            result.append({**constraint, "jac": _dense(jacobian)})
        elif method != "trust-constr" and isinstance(
            getattr(constraint, "jac", None), _OfConstraint
        ):
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
    return isinstance(getattr(constraint, "jac", None), _OfConstraint)


def _with_dense_jacobian(constraint: Any) -> Any:
    jac = _OfConstraint(constraint.jac.derivative, constraint.jac.args, dense=True)
    return scipy.optimize.NonlinearConstraint(constraint.fun, constraint.lb, constraint.ub, jac)


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


# --------------------------------------------------------------------------------- equations
def root(
    fun: Callable[..., Any],
    x0: ArrayLike,
    args: tuple[Any, ...] = (),
    method: str = "hybr",
    jac: Any = None,
    tol: float | None = None,
    callback: Any = None,
    options: Any = None,
    *,
    sparsity: Sparsity = None,
) -> Any:
    """`scipy.optimize.root` with the Jacobian of `fun`.

    Parameters
    ----------
    fun, x0, args, tol, callback, options
        As SciPy has them.  `fun` is traced at `x0`.
    method : {"hybr", "lm", "krylov"}, optional
        The first two get a dense Jacobian, from one call a color; ``"krylov"`` gets an incomplete
        factorization of the sparse one as its preconditioner, as `newton_krylov`.
    jac : callable, optional
        What is given instead of ours.
    sparsity : mapping, optional
        Keywords of `sparse_jacobian`.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.solvers import root
    >>> def bratu(u):
    ...     padded = np.concatenate([[0.0], u, [0.0]])
    ...     return (padded[2:] - 2 * u + padded[:-2]) * (len(u) + 1) ** 2 + np.exp(u)
    >>> solution = root(bratu, np.zeros(999), method="krylov")
    >>> solution.success, round(float(solution.x[499]), 3)
    (True, 0.141)
    """
    if method not in ("hybr", "lm", "krylov"):
        refuse_method(method, "Jacobian", ("hybr", "lm", "krylov"))
    arguments = args if isinstance(args, tuple) else (args,)
    if method == "krylov":
        options = dict(options or {})
        inside = dict(options.get("jac_options") or {})
        if "inner_M" not in inside:
            inside["inner_M"] = _preconditioner(fun, x0, arguments, jac, sparsity)
        options["jac_options"] = inside
        jac = None
    elif jac is None:
        jac = _dense(sparse_jacobian(fun, as_vector(x0), arguments, **dict(sparsity or {})))
    return scipy.optimize.root(fun, x0, args, method, jac, tol, callback, options)


def newton_krylov(
    F: Callable[[Any], Any],
    xin: ArrayLike,
    iter: int | None = None,
    *,
    inner_M: Any = None,
    sparsity: Sparsity = None,
    **options: Any,
) -> Any:
    """`scipy.optimize.newton_krylov` with a preconditioner from the sparse Jacobian of F.

    Parameters
    ----------
    F, xin, iter, **options
        As SciPy has them.  F is traced at `xin`, of any shape.
    inner_M : optional
        A preconditioner instead of ours, which is an incomplete LU factorization of the Jacobian,
        computed anew at each step.
    sparsity : mapping, optional
        Keywords of `sparse_jacobian`.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.solvers import newton_krylov
    >>> def bratu(u):
    ...     v = np.pad(u, 1)
    ...     around = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2]
    ...     return around - 4 * u + 0.01 * np.exp(u)
    >>> u = newton_krylov(bratu, np.zeros((20, 20)), f_tol=1e-9)
    >>> bool(np.abs(bratu(u)).max() < 1e-9)
    True
    """
    if inner_M is None:
        inner_M = _preconditioner(F, xin, (), None, sparsity)
    return scipy.optimize.newton_krylov(F, xin, iter, inner_M=inner_M, **options)


class _Preconditioner(LinearOperator):  # type: ignore[misc]  # SciPy publishes no types
    """Solves with an incomplete factorization of the Jacobian, computed anew at each step."""

    def __init__(self, jacobian: Callable[..., Any], x0: Vector, args: tuple[Any, ...]) -> None:
        super().__init__(np.result_type(x0, np.float64), (x0.size, x0.size))
        self._jacobian, self._args, self._shape_of_x = jacobian, args, x0.shape
        self.update(x0)

    def update(self, x: Vector, f: Vector | None = None) -> None:
        """Go to another point; SciPy calls it after each step."""
        matrix = csc_array(self._jacobian(np.reshape(x, self._shape_of_x), *self._args))
        try:
            self._factors = spilu(matrix)
        except RuntimeError:  # singular: a preconditioner may be one of a matrix nearby
            size = abs(matrix).max() or 1.0
            nearby = csc_array(matrix + 1e-6 * size * eye_array(self.shape[0]))
            self._factors = spilu(nearby)

    def _matvec(self, v: Vector) -> Vector:
        solution: Vector = self._factors.solve(np.ravel(v))
        return solution


def _preconditioner(
    fun: Callable[..., Any], x0: ArrayLike, args: tuple[Any, ...], jac: Any, sparsity: Sparsity
) -> _Preconditioner:
    start = np.asarray(x0)
    start = np.atleast_1d(start).astype(np.result_type(start, np.float64))
    jacobian = jac or sparse_jacobian(fun, start, args, **dict(sparsity or {}))
    size = start.size
    pattern = getattr(jacobian, "coloring", None)
    if pattern is not None and pattern.pattern.shape != (size, size):
        raise InputError(
            f"there are {size} unknowns and {pattern.pattern.shape[0]} equations; a root takes as "
            "many"
        )
    return _Preconditioner(jacobian, start, args)
