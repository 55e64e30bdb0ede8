"""Solvers with sparse derivatives: one call from a function to a solved problem.

Each function here has the name and the parameters of the solver's own; it traces the user's
function at the starting point, and hands over the derivatives as the solver takes them.  For
OpenMDAO, whose components are functions themselves, their partial derivatives are declared.
"""

from sparsetrace.solvers.ipopt import ipopt_problem
from sparsetrace.solvers.openmdao import check_declared, declare_sparsity
from sparsetrace.solvers.osqp import sqp
from sparsetrace.solvers.pyomo import grey_box
from sparsetrace.solvers.scipy_equations import least_squares, newton_krylov, root
from sparsetrace.solvers.scipy_integrate import solve_bvp, solve_ivp
from sparsetrace.solvers.scipy_minimize import minimize, nonlinear_constraint
from sparsetrace.solvers.sundials import cvode

__all__ = [
    "check_declared",
    "cvode",
    "declare_sparsity",
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
