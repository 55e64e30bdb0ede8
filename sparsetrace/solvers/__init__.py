"""Solvers with sparse derivatives: one call from a function to a solved problem.

Each function here has the name and the parameters of the solver's own; it traces the user's
function at the starting point, and hands over the derivatives as the solver takes them.
"""

from sparsetrace.solvers.ipopt import ipopt_problem
from sparsetrace.solvers.osqp import sqp
from sparsetrace.solvers.pyomo import grey_box
from sparsetrace.solvers.scipy_integrate import solve_bvp, solve_ivp
from sparsetrace.solvers.scipy_optimize import (
    least_squares,
    minimize,
    newton_krylov,
    nonlinear_constraint,
    root,
)
from sparsetrace.solvers.sundials import cvode

__all__ = [
    "cvode",
    "grey_box",
    "ipopt_problem",
    "least_squares",
    "minimize",
    "newton_krylov",
    "nonlinear_constraint",
    "root",
    "solve_bvp",
    "solve_ivp",
    "sqp",
]
