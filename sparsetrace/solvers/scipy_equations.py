"""`scipy.optimize` with sparse Jacobians: least squares, and systems of equations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.optimize
from numpy.typing import ArrayLike
from scipy.sparse import csc_array, eye_array
from scipy.sparse.linalg import LinearOperator, spilu

from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.derivatives.jacobian import SparseJacobian, sparse_jacobian
from sparsetrace.errors import InputError
from sparsetrace.solvers.keywords import (
    DIFFERENCES,
    Sparsity,
    as_vector,
    dense_values,
    refuse_method,
    with_keywords,
)

__all__ = ["least_squares", "newton_krylov", "root"]


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
    scipy.optimize.OptimizeResult
        SciPy's own; its `jac` is a csr_array of shape (m, n) where the solver keeps it sparse.

    Raises
    ------
    TracingError
        If a dependency could be lost; give ``sparsity={"pattern": ...}`` then.
    InputError
        If `x0` holds no numbers, or the solver takes no pattern and `jac` is a word.
    VerificationError
        If a check shows that a pattern lacks an entry.

    Notes
    -----
    Branch, Coleman and Li 1999, "A subspace, interior, and conjugate gradient method for
    large-scale bound-constrained minimization problems", is SciPy's ``method="trf"``.
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
    if jac is None or (isinstance(jac, str) and jac in DIFFERENCES):
        step = options.get("diff_step")
        if step is not None and jac is None:
            keywords.setdefault("rel_step", step)
        if np.any(np.isfinite(_sides(bounds))):
            keywords.setdefault("bounds", bounds)
        jacobian = sparse_jacobian(function, start, args, **keywords)
        dense = method == "lm" or options.get("tr_solver") == "exact"
        # with a sparse Jacobian SciPy looks for its steps in planes, and a line has none
        is_line = start.size == 1 and options.get("tr_solver") is None
        if jac is not None:
            if dense:
                raise InputError(
                    "method='lm' and tr_solver='exact' take no pattern: leave jac= out"
                )
            if not is_line:
                options["jac_sparsity"] = jacobian.coloring.pattern
        else:
            jac = _with_unused_keywords(jacobian, dense or is_line)
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

    Returns
    -------
    scipy.optimize.OptimizeResult
        SciPy's own.

    Raises
    ------
    TracingError
        If a dependency could be lost; give ``sparsity={"pattern": ...}`` then.
    InputError
        If `method` takes no Jacobian, or there are more equations than unknowns, or fewer.
    VerificationError
        If a check shows that a pattern lacks an entry.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.solvers import root
    >>> def pendulums(u):
    ...     return np.diff(u, n=2, prepend=0.0, append=1.0) - 1e-3 * np.sin(u)
    >>> solution = root(pendulums, np.zeros(99), method="krylov")
    >>> solution.success, bool(np.abs(pendulums(solution.x)).max() < 1e-5)
    (True, True)
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
        jac = dense_values(sparse_jacobian(fun, as_vector(x0), arguments, **dict(sparsity or {})))
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

    Returns
    -------
    ndarray
        The root, in the shape of `xin`.

    Raises
    ------
    TracingError
        If a dependency could be lost; give ``sparsity={"pattern": ...}`` then.
    InputError
        If there are more equations than unknowns, or fewer.
    VerificationError
        If a check shows that a pattern lacks an entry.
    scipy.optimize.NoConvergence
        As SciPy raises it.

    Notes
    -----
    Knoll and Keyes 2004, "Jacobian-free Newton-Krylov methods".

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
