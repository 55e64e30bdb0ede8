"""Ipopt, by cyipopt: a problem with the structures and values of all its derivatives."""

from __future__ import annotations

from typing import Any

from sparsetrace.solvers.nonlinear_program import NonlinearProgram, solver_of_programs

__all__ = ["ipopt_problem"]


@solver_of_programs(NonlinearProgram, "cyipopt", "ipopt")
def ipopt_problem(program: NonlinearProgram, **options: Any) -> Any:
    """A `cyipopt.Problem`: minimise ``f(x)`` where ``lb <= x <= ub`` and ``cl <= g(x) <= cu``.

    Parameters
    ----------
    program
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
    TracingError
        If a dependency could be lost.
    InputError
        If bounds have other shapes than variables or constraints.

    Notes
    -----
    Wächter and Biegler 2006, "On the implementation of an interior-point filter line-search
    algorithm for large-scale nonlinear programming".

    Examples
    --------
    Problem 71 of Hock and Schittkowski.

    >>> import numpy as np
    >>> from sparsetrace.solvers import ipopt_problem
    >>> def f(x):
    ...     return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]
    >>> def g(x):
    ...     return np.prod(x), np.sum(x**2)
    >>> x0 = np.array([1.0, 5.0, 5.0, 1.0])
    >>> sides = {"lb": 1.0, "ub": 5.0, "cl": [25.0, 40.0], "cu": [np.inf, 40.0]}
    >>> problem = ipopt_problem(f, g, x0, **sides, print_level=0, sb="yes")  # doctest: +SKIP
    >>> problem.solve(x0)[0].round(3)  # doctest: +SKIP
    array([1.   , 4.743, 3.821, 1.379])
    """
    import cyipopt

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
