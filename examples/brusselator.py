"""A stiff reaction with diffusion, solved with its Jacobian: ``python examples/brusselator.py``.

Without the pattern, SciPy's BDF and Radau take one evaluation a variable for each Jacobian; with
it, as many as the pattern has colors.  So does CVODE of SUNDIALS, which needs scikit-sundae:
``pip install 'sparsetrace[sundials]'``.
"""

import importlib.util

import numpy as np
import scipy.integrate

import sparsetrace as st
from sparsetrace.solvers import cvode, solve_ivp

N = 12
ALPHA = 0.02 * (N - 1) ** 2


calls = 0


def rates(t, y):
    global calls
    calls += 1
    u, v = y.reshape(2, N, N)

    def diffusion(w):
        around = np.roll(w, 1, 0) + np.roll(w, -1, 0) + np.roll(w, 1, 1) + np.roll(w, -1, 1)
        return ALPHA * (around - 4 * w)

    reaction = u**2 * v
    du = 1 + reaction - 4.4 * u + diffusion(u)
    dv = 3.4 * u - reaction + diffusion(v)
    return np.concatenate([du.ravel(), dv.ravel()])


grid = np.linspace(0, 1, N)
start = np.concatenate(
    [np.outer(np.ones(N), 22 * (grid * (1 - grid)) ** 1.5).ravel(), np.full(N * N, 1.0)]
)
pattern = st.jacobian_sparsity(rates, 0.0, start, argnums=1)
print(repr(pattern))
assert pattern.nnz == 12 * N * N


def solved(solver, **options):
    """What it all ends with, and how many calls that takes."""
    global calls
    calls = 0
    solution = solver(rates, (0, 1), start, **options)
    assert solution.success
    return solution.y[:, -1], calls


for method in ("BDF", "Radau"):
    dense, calls_of_dense = solved(scipy.integrate.solve_ivp, method=method)
    print(f"{method} without the pattern: {calls_of_dense} calls")
    for title, options in (("our Jacobian", {}), ("SciPy's differences", {"jac": "2-point"})):
        sparse, calls_of_sparse = solved(solve_ivp, method=method, **options)
        gain, difference = calls_of_dense / calls_of_sparse, np.abs(sparse - dense).max()
        print(f"    with {title}: {calls_of_sparse} calls, {gain:.1f} times fewer,", end=" ")
        print(f"greatest difference {difference:.1e}")
        assert gain > 3
        assert np.allclose(sparse, dense, rtol=1e-2, atol=1e-3)


def by_cvode(rates, span, start, linsolver):
    """CVODE's own differences are dense, and its Jacobian ours where it is sparse."""
    from sksundae.cvode import CVODE

    if linsolver == "sparse":
        solution = cvode(rates, span[0], start, rtol=1e-6, atol=1e-9).solve(span, start)
    else:

        def fill(t, y, rates_of_y):
            rates_of_y[:] = rates(t, y)

        solution = CVODE(fill, linsolver=linsolver, rtol=1e-6, atol=1e-9).solve(span, start)
    solution.y = solution.y.T
    return solution


if importlib.util.find_spec("sksundae") is None:
    print("scikit-sundae is not installed: pip install 'sparsetrace[sundials]'")
else:
    dense, calls_of_dense = solved(by_cvode, linsolver="dense")
    sparse, calls_of_sparse = solved(by_cvode, linsolver="sparse")
    gain, difference = calls_of_dense / calls_of_sparse, np.abs(sparse - dense).max()
    print(f"CVODE: {calls_of_sparse} calls for {calls_of_dense}, {gain:.1f} times fewer,", end=" ")
    print(f"greatest difference {difference:.1e}")
    assert gain > 3
    assert np.allclose(sparse, dense, rtol=1e-4, atol=1e-5)
