"""CVODE of SUNDIALS, by scikit-sundae, with sparse Jacobians."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_matrix

from sparsetrace.derivatives.flat_function import Vector, flattened
from sparsetrace.derivatives.jacobian import sparse_jacobian
from sparsetrace.solvers.keywords import Sparsity, as_vector, missing_package, traced_columns

__all__ = ["cvode"]


def cvode(
    fun: Callable[..., Any],
    t0: float,
    y0: ArrayLike,
    *,
    args: tuple[Any, ...] = (),
    sparsity: Sparsity = None,
    **options: Any,
) -> Any:
    """A `sksundae.cvode.CVODE` for ``y' = fun(t, y)``, with the sparse Jacobian of `fun`.

    Parameters
    ----------
    fun : callable
        As `scipy.integrate.solve_ivp` takes it: ``fun(t, y, *args)`` returns the rates.
    t0, y0 : float and array_like
        Where `fun` is traced, y0 of shape (n,); the pattern holds for every time.
    args : tuple, optional
        The other arguments.
    sparsity : mapping, optional
        Keywords of `sparse_jacobian`.
    **options
        CVODE's own, such as ``rtol=1e-6``.  The linear solver is ``"sparse"`` by default; with
        ``"dense"`` and ``"band"`` the Jacobian fills the array that they have for it.

    Returns
    -------
    sksundae.cvode.CVODE

    Raises
    ------
    ImportError
        If it is not installed: ``pip install 'sparsetrace[sundials]'``.
    TracingError
        If a dependency could be lost; give ``sparsity={"pattern": ...}`` then.

    Notes
    -----
    Hindmarsh et al. 2005, "SUNDIALS: Suite of nonlinear and differential/algebraic equation
    solvers".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.solvers import cvode
    >>> def heat(t, u):
    ...     return 1e4 * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
    >>> u = np.sin(np.arange(100.0)) ** 2
    >>> solution = cvode(heat, 0.0, u, rtol=1e-6).solve([0.0, 1.0], u)  # doctest: +SKIP
    >>> bool(np.ptp(solution.y[-1]) < 1e-3)  # doctest: +SKIP
    True
    """
    try:
        from sksundae.cvode import CVODE
    except ImportError:
        raise missing_package("scikit-sundae", "sundials") from None
    start, keywords = as_vector(y0), dict(sparsity or {})
    if not {"pattern", "coloring"} & keywords.keys():
        keywords["pattern"] = traced_columns(fun, float(t0), start, *args, wrt=1, sparsity=keywords)
    jacobian = sparse_jacobian(fun, float(t0), (start, *args), argnums=1, **keywords)
    rows, columns = jacobian.rows, jacobian.cols
    by_columns = np.lexsort((rows, columns))
    solver = options.setdefault("linsolver", "sparse")
    if solver == "sparse":
        entries = (np.ones(len(rows)), (rows, columns))
        options["sparsity"] = csc_matrix(entries, shape=jacobian.pattern.shape)
    elif solver.endswith("band"):
        options.setdefault("lband", int((rows - columns).max(initial=0)))
        options.setdefault("uband", int((columns - rows).max(initial=0)))

    # sksundae counts the parameters: there are just those that it documents
    def rates(t: float, y: Vector, yp: Vector) -> None:
        yp[:] = flattened(fun(t, y.copy(), *args))

    def fill(t: float, y: Vector, yp: Vector, JJ: Vector) -> None:
        data = jacobian.data(t, y.copy(), *args)
        if JJ.ndim == 1:
            JJ[:] = data[by_columns]
        else:
            JJ[rows, columns] = data

    with warnings.catch_warnings():
        # the pattern is needed for the array, and warned of: no differences are taken by it
        warnings.filterwarnings("ignore", "Custom sparse Jacobian", UserWarning)
        return CVODE(rates, jacfn=fill, **options)
