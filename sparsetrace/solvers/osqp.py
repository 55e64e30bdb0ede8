"""A small sequential quadratic program, whose steps OSQP computes from sparse derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult
from scipy.sparse import csc_array, csc_matrix, csr_array, eye_array, triu, vstack
from scipy.sparse.linalg import splu

from sparsetrace.derivatives.flat_function import Vector, flattened
from sparsetrace.solvers.nonlinear_program import NonlinearProgram, solver_of_programs

__all__ = ["sqp"]

_SETTINGS = {
    "verbose": False,
    "eps_abs": 1e-9,
    "eps_rel": 1e-9,
    "max_iter": 50000,
    "polishing": True,
}
_SHORTEST = 1e-8
"""A step of a smaller part of the one proposed is none."""


@solver_of_programs(NonlinearProgram, "osqp", "osqp")
def sqp(
    program: NonlinearProgram, *, tol: float = 1e-6, max_iter: int = 100, **settings: Any
) -> OptimizeResult:
    """Minimise ``f(x)`` where ``lb <= x <= ub`` and ``cl <= g(x) <= cu``, by quadratic programs.

    Each step solves a quadratic program of the exact derivatives, and is shortened until a sum of
    the objective and of the violations decreases.

    Parameters
    ----------
    program
    tol : float, optional
        Of the last step, relative to x, and of the violations.
    max_iter : int, optional
        Most quadratic programs.
    **settings
        OSQP's own, such as ``eps_abs=1e-7``.

    Returns
    -------
    scipy.optimize.OptimizeResult
        ``x, fun, jac, success, message, nit``, ``multipliers`` of the constraints,
        ``optimality`` (the gradient of the Lagrangian) and ``constr_violation``, as maxima.

    Raises
    ------
    ImportError
        If osqp is not installed: ``pip install 'sparsetrace[osqp]'``.
    TracingError
        If a dependency could be lost.
    InputError
        If bounds have other shapes than variables or constraints.

    Notes
    -----
    Nocedal and Wright 2006, "Numerical Optimization", algorithm 18.3.  Small on purpose: a
    Hessian that is not convex gets squares of the equations, or a multiple of the identity, which
    slows the steps; there is no second-order correction, and none of a program
    whose linear constraints contradict each other: the result then says so, and Ipopt is the way
    out.

    Examples
    --------
    Problem 71 of Hock and Schittkowski.

    >>> import numpy as np
    >>> from sparsetrace.solvers import sqp
    >>> def f(x):
    ...     return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]
    >>> def g(x):
    ...     return np.prod(x), np.sum(x**2)
    >>> sides = {"lb": 1.0, "ub": 5.0, "cl": [25.0, 40.0], "cu": [np.inf, 40.0]}
    >>> sqp(f, g, np.array([1.0, 5.0, 5.0, 1.0]), **sides).x.round(3)  # doctest: +SKIP
    array([1.   , 4.743, 3.821, 1.379])
    """
    import osqp

    x = np.clip(program.x0, program.lb, program.ub)
    multipliers, penalty = np.zeros(program.m), 1.0
    message, success, iteration = "the limit of iterations is reached", False, 0
    limits = csc_array(eye_array(program.n))
    while iteration < max_iter:
        iteration += 1
        gradient, values = program.gradient(x), program.constraints(x)
        jacobian = program.jacobian_matrix(x)
        rows = csc_matrix(vstack([jacobian, limits]))
        equations = jacobian[program.equations]
        hessian, weight = _convex(program.hessian_matrix(x, multipliers), equations)
        residuals = (values - program.cl)[program.equations]
        step = osqp.OSQP()
        step.setup(
            csc_matrix(triu(hessian)),
            gradient + weight * (equations.T @ residuals),
            rows,
            np.concatenate([program.cl - values, program.lb - x]),
            np.concatenate([program.cu - values, program.ub - x]),
            **(_SETTINGS | settings),
        )
        solved = step.solve(raise_error=False)
        if solved.info.status not in ("solved", "solved inaccurate"):
            message = f"OSQP could not solve the quadratic program: {solved.info.status}"
            break
        move, duals = solved.x, solved.y[: program.m]
        if np.abs(move).max() <= tol * max(1.0, np.abs(x).max()) and program.violation(x) <= tol:
            multipliers, success = duals, True
            message = "the step and the violations are within the tolerance"
            break
        penalty = max(penalty, 1.1 * np.abs(duals).max(initial=0.0))
        length = _line_search(program, x, move, float(gradient @ move), penalty)
        if length == 0.0:
            message = "no step along the direction decreases objective and violations"
            break
        x = np.clip(x + length * move, program.lb, program.ub)
        multipliers = multipliers + length * (duals - multipliers)
    return _result(program, x, multipliers, success, message, iteration)


def _line_search(
    program: NonlinearProgram, x: Vector, move: Vector, slope: float, penalty: float
) -> float:
    """The part of the step at which the merit decreases enough; 0 where there is none."""

    def merit(point: Vector) -> float:
        return program.objective(point) + penalty * program.violation(point, np.sum)

    here = merit(x)
    slope = min(slope - penalty * program.violation(x, np.sum), 0.0)
    length = 1.0
    # near the optimum, differences of merits are rounding
    rounding = 1e-12 * max(1.0, abs(here))
    while length >= _SHORTEST:
        there = merit(x + length * move)
        if there <= here + 1e-4 * length * slope + rounding:
            return length
        length /= 2
    return 0.0


def _convex(hessian: csc_array, equations: csr_array) -> tuple[csc_array, float]:
    """The matrix, made positive definite, and the weight of the equations' squares in it.

    Squares of the equations change no step, as a step fulfils them; where they are not enough,
    a multiple of the identity is added.
    """
    identity = eye_array(hessian.shape[0], format="csc")
    squares = csc_array(equations.T @ equations)
    size = float(abs(hessian).max()) or 1.0
    base = csc_array(hessian + 1e-10 * size * identity)
    if _is_positive_definite(base):
        return base, 0.0
    unit = size / (float(abs(squares).max()) or 1.0) if squares.nnz else 0.0
    for weight in unit * np.array([1.0, 1e2, 1e4]):
        with_squares = csc_array(base + weight * squares)
        if _is_positive_definite(with_squares):
            return with_squares, weight
    # with most of the squares, little of the identity is enough
    weight, shift = 1e4 * unit, 1e-6 * size
    while True:
        shifted = csc_array(base + weight * squares + shift * identity)
        if _is_positive_definite(shifted):
            return shifted, weight
        shift *= 4


def _is_positive_definite(matrix: csc_array) -> bool:
    """By the signs of the pivots, all of which lie on the diagonal."""
    options = {"SymmetricMode": True}
    try:
        factors = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    except RuntimeError:
        return False
    on_diagonal = np.array_equal(factors.perm_r, factors.perm_c)
    return bool(on_diagonal and (factors.U.diagonal() > 0).all())


def _result(
    program: NonlinearProgram,
    x: Vector,
    multipliers: Vector,
    success: bool,
    message: str,
    iterations: int,
) -> OptimizeResult:
    gradient = flattened(program.gradient(x))
    stationary = gradient + program.jacobian_matrix(x).T @ multipliers
    # at its bound a variable may want to leave
    stationary[(x <= program.lb) & (stationary > 0)] = 0
    stationary[(x >= program.ub) & (stationary < 0)] = 0
    return OptimizeResult(
        x=x,
        fun=program.objective(x),
        jac=gradient,
        multipliers=multipliers,
        optimality=float(np.abs(stationary).max()),
        constr_violation=float(program.violation(x)),
        success=success,
        message=message,
        nit=iterations,
    )
