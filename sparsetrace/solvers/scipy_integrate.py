"""`scipy.integrate` with sparse Jacobians: `solve_ivp` and `solve_bvp`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.integrate
from numpy.typing import ArrayLike
from scipy.sparse import block_array, coo_array, csr_array, eye_array, kron

from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.derivatives.jacobian import SparseJacobian, sparse_jacobian
from sparsetrace.errors import InputError
from sparsetrace.solvers.keywords import Sparsity, as_vector, refuse_method, traced_columns

__all__ = ["solve_bvp", "solve_ivp"]

_IMPLICIT = ("BDF", "Radau", "LSODA")


def solve_ivp(
    fun: Callable[..., Any],
    t_span: tuple[float, float],
    y0: ArrayLike,
    method: str | type[scipy.integrate.OdeSolver] = "BDF",
    t_eval: ArrayLike | None = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: tuple[Any, ...] | None = None,
    *,
    jac: Any = None,
    sparsity: Sparsity = None,
    **options: Any,
) -> Any:
    """`scipy.integrate.solve_ivp` with the sparse Jacobian of `fun` by y.

    Parameters
    ----------
    fun, t_span, y0, t_eval, dense_output, events, vectorized, args, **options
        As SciPy has them.  `fun` is traced at ``t_span[0]`` and `y0`; the pattern holds for
        every time.
    method : {"BDF", "Radau", "LSODA"}, optional
        The methods that use a Jacobian.  LSODA gets it banded where the bands are narrow, and
        dense otherwise.
    jac : callable, array or "2-point", optional
        What is given instead of ours: ``"2-point"`` takes SciPy's own differences, with our
        pattern as `jac_sparsity`.
    sparsity : mapping, optional
        Keywords of `sparse_jacobian`, such as ``{"method": "3-point"}``.

    Returns
    -------
    The result of SciPy's function.

    Raises
    ------
    TracingError
        If a dependency could be lost; give ``sparsity={"pattern": ...}`` then.
    InputError
        If `method` takes no Jacobian, or LSODA is to take a pattern.
    VerificationError
        If a check shows that a pattern lacks an entry.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.solvers import solve_ivp
    >>> def heat(t, u):
    ...     return 1e4 * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
    >>> solution = solve_ivp(heat, (0, 1), np.sin(np.arange(100.0)) ** 2, method="BDF")
    >>> bool(np.ptp(solution.y[:, -1]) < 1e-3), solution.nfev < 100
    (True, True)
    """
    name = method if isinstance(method, str) else method.__name__
    if name not in _IMPLICIT:
        refuse_method(name, "Jacobian", _IMPLICIT)
    y0 = as_vector(y0)
    keywords = dict(sparsity or {})
    if jac is None or (isinstance(jac, str) and jac == "2-point"):
        of_points, points_together = _rates(fun, vectorized)
        t0, others = float(t_span[0]), args or ()
        if not {"pattern", "coloring"} & keywords.keys():
            keywords["pattern"] = traced_columns(
                _at_point(fun, vectorized), t0, y0, *others, wrt=1, sparsity=keywords
            )
        if jac is None:
            keywords.setdefault("vectorized", points_together)
            if np.iscomplexobj(y0):
                keywords.setdefault("method", "3-point")
            jacobian = sparse_jacobian(of_points, t0, (y0, *others), argnums=1, **keywords)
            options.update(_as_lsoda_takes_it(jacobian) if name == "LSODA" else {"jac": jacobian})
        elif name == "LSODA":
            raise InputError("method='LSODA' takes no pattern; leave jac= out, or choose 'BDF'")
        else:
            pattern = keywords.get("pattern")
            options["jac_sparsity"] = keywords["coloring"].pattern if pattern is None else pattern
    else:
        options["jac"] = jac
    return scipy.integrate.solve_ivp(
        fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args, **options
    )


def _rates(fun: Callable[..., Any], vectorized: bool) -> tuple[Callable[..., Any], bool]:
    """The function at one point, or at the rows of an array where SciPy passes columns."""
    if not vectorized:
        return fun, False
    return (lambda t, points, *args: np.asarray(fun(t, points.T, *args)).T), True


def _at_point(fun: Callable[..., Any], vectorized: bool) -> Callable[..., Any]:
    if not vectorized:
        return fun
    return lambda t, y, *args: fun(t, y[:, None], *args)


def _as_lsoda_takes_it(jacobian: SparseJacobian) -> dict[str, Any]:
    """A dense Jacobian, or its diagonals as rows of an array if they are fewer by far."""
    n = jacobian.coloring.pattern.shape[0]
    rows, columns = jacobian.rows, jacobian.cols
    below = int((rows - columns).max(initial=0))
    above = int((columns - rows).max(initial=0))
    if 2 * below + above + 1 >= n // 2:
        return {"jac": lambda t, y, *args: jacobian(t, y, *args).toarray()}

    def banded(t: float, y: Vector, *args: Any) -> Vector:
        packed = np.zeros((below + above + 1, n))
        packed[above + rows - columns, columns] = jacobian.data(t, y, *args)
        return packed

    return {"jac": banded, "lband": below, "uband": above}


# --------------------------------------------------------------------- boundary value problems
def solve_bvp(
    fun: Callable[..., Any],
    bc: Callable[..., Any],
    x: ArrayLike,
    y: ArrayLike,
    p: ArrayLike | None = None,
    S: ArrayLike | None = None,
    fun_jac: Any = None,
    bc_jac: Any = None,
    tol: float = 1e-3,
    max_nodes: int = 1000,
    verbose: int = 0,
    bc_tol: float | None = None,
    *,
    sparsity: Sparsity = None,
) -> Any:
    """`scipy.integrate.solve_bvp` with the derivatives of `fun` and `bc`.

    One call of `fun` for each color of its n x n pattern gives the derivatives at all points
    of the mesh.

    Parameters
    ----------
    fun, bc, x, y, p, S, tol, max_nodes, verbose, bc_tol
        As SciPy has them.  `fun` is traced on the first mesh, `bc` at its ends.
    fun_jac, bc_jac : callable, optional
        What is given instead of ours.
    sparsity : mapping, optional
        Keywords of `sparse_jacobian`.  A ``pattern`` is that of `fun` at one point of the mesh,
        by y and p, shape (n, n + k).

    Returns
    -------
    The result of SciPy's function.

    Raises
    ------
    TracingError
        If a dependency could be lost; give ``sparsity={"pattern": ...}`` then.
    InputError
        If the rates at one point of the mesh depend on another point.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.solvers import solve_bvp
    >>> def bratu(x, y):
    ...     return np.stack([y[1], -np.exp(y[0])])
    >>> def ends(ya, yb):
    ...     return np.stack([ya[0], yb[0]])
    >>> solution = solve_bvp(bratu, ends, np.linspace(0, 1, 5), np.zeros((2, 5)))
    >>> round(float(solution.sol(0.5)[0]), 4)
    0.1405
    """
    mesh, values = np.asarray(x, np.float64), np.asarray(y)
    values = values.astype(np.result_type(values, np.float64))
    if values.ndim != 2 or mesh.shape != values.shape[1:]:
        raise InputError(f"y has shape (n, {mesh.size}) on this mesh, not {values.shape}")
    keywords = dict(sparsity or {})
    if np.iscomplexobj(values):
        keywords.setdefault("method", "3-point")
    parameters = () if p is None else (as_vector(p),)
    if fun_jac is None:
        fun_jac = _MeshJacobian(fun, mesh, values, parameters, keywords)
    if bc_jac is None:
        bc_jac = _boundary_jacobian(bc, values, parameters, keywords)
    return scipy.integrate.solve_bvp(
        fun, bc, x, y, p, S, fun_jac, bc_jac, tol, max_nodes, verbose, bc_tol
    )


class _MeshJacobian:
    """The derivatives of rates at all points of a mesh, whose size changes."""

    def __init__(
        self,
        fun: Callable[..., Any],
        x: Vector,
        y: Vector,
        parameters: tuple[Vector, ...],
        keywords: Mapping[str, Any],
    ) -> None:
        self._fun = fun
        self._argnums = (1, 2)[: 1 + len(parameters)]
        others = {key: value for key, value in keywords.items() if key != "pattern"}
        self._keywords = others
        pattern = keywords.get("pattern")
        if pattern is None:
            pattern = self._at_one_point(x, y, parameters)
        self._pattern = csr_array(pattern)
        self._jacobian: SparseJacobian | None = None
        self._points = -1

    def _at_one_point(self, x: Vector, y: Vector, parameters: tuple[Vector, ...]) -> csr_array:
        """The patterns at all points in one; by y and p."""
        n, points = y.shape
        traced = coo_array(
            csr_array(
                traced_columns(
                    self._fun, x, y, *parameters, wrt=self._argnums, sparsity=self._keywords
                )
            )
        )
        row, column = traced.coords
        by_y = column < n * points
        strangers = np.flatnonzero(by_y & (row % points != column % points))
        if len(strangers):
            at, of = row[strangers[0]] % points, column[strangers[0]] % points
            raise InputError(
                f"fun at point {at} of the mesh depends on y at point {of}; solve_bvp takes "
                "functions of one point, evaluated at all points at once"
            )
        columns = np.where(by_y, column // points, column - n * points + n)
        shape = n, n + sum(map(np.size, parameters))
        entries = (np.ones(len(row)), (row // points, columns))
        return csr_array(coo_array(entries, shape=shape))

    def _on_mesh(self, x: Vector, y: Vector, parameters: tuple[Vector, ...]) -> SparseJacobian:
        n, points = y.shape
        if self._jacobian is None or points != self._points:
            by_y = kron(self._pattern[:, :n], eye_array(points))
            by_p = kron(self._pattern[:, n:], np.ones((points, 1)))
            whole = block_array([[by_y, by_p]]) if parameters else by_y
            self._jacobian = sparse_jacobian(
                self._fun,
                x,
                (y, *parameters),
                argnums=self._argnums,
                pattern=SparsityPattern(csr_array(whole)),
                **self._keywords,
            )
            self._points = points
        return self._jacobian

    def __call__(self, x: Vector, y: Vector, *parameters: Vector) -> Any:
        """By y, shape (n, n, points); and by p, shape (n, k, points)."""
        n, points = y.shape
        jacobian = self._on_mesh(x, y, parameters)
        data = jacobian.data(x, y, *parameters)
        rows, columns = jacobian.rows, jacobian.cols
        by_y = columns < n * points
        dense = np.zeros((n, n, points), dtype=data.dtype)
        dense[rows[by_y] // points, columns[by_y] // points, columns[by_y] % points] = data[by_y]
        if not parameters:
            return dense
        by_p = np.zeros((n, parameters[0].size, points), dtype=data.dtype)
        rows = rows[~by_y]
        by_p[rows // points, columns[~by_y] - n * points, rows % points] = data[~by_y]
        return dense, by_p


def _boundary_jacobian(
    bc: Callable[..., Any],
    y: Vector,
    parameters: tuple[Vector, ...],
    keywords: Mapping[str, Any],
) -> Callable[..., Any]:
    """The dense derivatives of the boundary conditions by both ends, and by p."""
    others = {key: value for key, value in keywords.items() if key not in ("pattern", "coloring")}
    n = len(y)
    argnums = tuple(range(2 + len(parameters)))
    jacobian = sparse_jacobian(bc, y[:, 0], (y[:, -1], *parameters), argnums=argnums, **others)

    def derivatives(*ends_and_parameters: Vector) -> tuple[Vector, ...]:
        dense = jacobian(*ends_and_parameters).toarray()
        blocks = dense[:, :n], dense[:, n : 2 * n], dense[:, 2 * n :]
        return blocks[: len(argnums)]

    return derivatives
