"""Rosenbrock's chained function with its Hessian: ``python examples/chained_rosenbrock.py``.

The objective is a sum, so `minimize` gets the function of its terms, too: gradient and Hessian
take a few calls then.  SciPy alone takes a call a variable for each gradient, and approximates
the Hessian.
"""

import numpy as np
import scipy.optimize

from sparsetrace.solvers import minimize, nonlinear_constraint

N = 60
calls = 0


def terms(x):
    global calls
    calls += 1
    return 100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2


def rosenbrock(x):
    return terms(x).sum()


def squares(x):
    """Of neighbors; the constraint keeps the optimum away from ones."""
    return x[1:] ** 2 + x[:-1] ** 2


start = np.full(N, 0.9)
inside = scipy.optimize.NonlinearConstraint(squares, -np.inf, 1.8, jac="2-point")
ours_inside = nonlinear_constraint(squares, -np.inf, 1.8, start)
PROBLEMS = {
    "trust-krylov": ("trust-krylov", "BFGS", (), (), None),
    "trust-constr": ("trust-constr", "trust-constr", ours_inside, inside, {"maxiter": 3000}),
}
for title, (method, plain_method, ours, plain, options) in PROBLEMS.items():
    calls = 0
    sparse = minimize(
        rosenbrock, start, method=method, constraints=ours, terms=terms, options=options
    )
    calls_of_ours, calls = calls, 0
    dense = scipy.optimize.minimize(
        rosenbrock, start, method=plain_method, constraints=plain, options=options
    )
    print(f"{title}: {calls_of_ours} calls for {calls}, {calls / calls_of_ours:.0f} times fewer,")
    print(f"    {sparse.nit} steps for {dense.nit}, minimum {sparse.fun:.6f} and {dense.fun:.6f}")
    assert np.isclose(sparse.fun, dense.fun, rtol=1e-3, atol=1e-6)
    assert np.allclose(sparse.x, dense.x, atol=1e-2)
    assert calls_of_ours < calls / 10
