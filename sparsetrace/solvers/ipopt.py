"""Ipopt, by cyipopt: a problem with the structures and values of all its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from sparsetrace.solvers.keywords import Sparsity, missing_package
from sparsetrace.solvers.nonlinear_program import NonlinearProgram

__all__ = ["ipopt_problem"]


def ipopt_problem(
    f: Callable[..., Any],
    g: Callable[..., Any] | None,
    x0: ArrayLike,
    lb: ArrayLike | None = None,
    ub: ArrayLike | None = None,
    cl: ArrayLike | None = None,
    cu: ArrayLike | None = None,
    *,
    args: tuple[Any, ...] = (),
    grad: Callable[..., Any] | None = None,
    terms: Callable[..., Any] | None = None,
    sparsity: Sparsity = None,
    **options: Any,
) -> Any:
    """A `cyipopt.Problem`: minimise ``f(x)`` where ``lb <= x <= ub`` and ``cl <= g(x) <= cu``.

    Parameters
    ----------
    f : callable
        The objective, called as ``f(x, *args)``.
    g : callable or None
        The constraints, called likewise; returns numbers in any structure.
    x0 : array_like
        Where both are traced; also the point to give to ``problem.solve``.
    lb, ub : array_like, optional
        Bounds of the variables: numbers, or one for each.
    cl, cu : array_like, optional
        Bounds of the constraints, 0 by default: equations.
    args : tuple, optional
        The other arguments of f and g.
    grad : callable, optional
        The gradient of f.
    terms : callable, optional
        Called as f; the sum of what it returns is f.  Without both, each gradient takes one call
        of f for each input, and each Hessian one for each pair that interacts in f.
    sparsity : mapping, optional
        Keywords of `sparse_lagrangian_hessian`; those that `sparse_jacobian` knows are passed to
        it, too.
    **options
        Ipopt's own, such as ``print_level=0`` and ``tol=1e-8``.

    Returns
    -------
    cyipopt.Problem
        Its Hessian is that of the Lagrangian, lower triangle.

    Raises
    ------
    ImportError
        If cyipopt is not installed: ``pip install 'sparsetrace[ipopt]'``.

    Examples
    --------
    ::

        problem = ipopt_problem(f, g, x0, lb=1.0, ub=5.0, cl=[25.0, 40.0], cu=[np.inf, 40.0])
        x, info = problem.solve(x0)
    """
    try:
        import cyipopt
    except ImportError:
        raise missing_package("cyipopt", "ipopt") from None
    program = NonlinearProgram(f, g, x0, lb, ub, cl, cu, args, grad, terms, sparsity)
    problem = cyipopt.Problem(
        n=program.n,
        m=program.m,
        problem_obj=program,
        lb=program.lb,
        ub=program.ub,
        cl=program.cl,
        cu=program.cu,
    )
    for name, value in options.items():
        problem.add_option(name, value)
    return problem
