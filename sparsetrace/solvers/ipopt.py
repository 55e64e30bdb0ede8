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

    Examples
    --------
    ::

        problem = ipopt_problem(f, g, x0, lb=1.0, ub=5.0, cl=[25.0, 40.0], cu=[np.inf, 40.0])
        x, info = problem.solve(x0)
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
