"""A stiff reaction with diffusion, solved with its Jacobian: ``python examples/brusselator.py``.

Without the pattern, SciPy's BDF takes one evaluation a variable for each Jacobian; with
it, as many as the pattern has colors.
"""

import numpy as np
import scipy.integrate

import sparsetrace as st
from sparsetrace.solvers import solve_ivp

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

counts = []
solutions = []
for solver, options in (
    (solve_ivp, {}),  # our derivatives
    (solve_ivp, {"jac": "2-point"}),  # SciPy's differences with our pattern
    (scipy.integrate.solve_ivp, {}),
):
    calls = 0
    solution = solver(rates, (0, 1), start, method="BDF", **options)
    assert solution.success
    counts.append(calls)
    solutions.append(solution.y[:, -1])
print("calls of the function with the pattern:", *counts[:2])
print("calls without:", counts[2])
assert max(counts[:2]) < counts[2] / 3
for solution in solutions[:2]:
    assert np.allclose(solution, solutions[2], rtol=1e-2, atol=1e-3)
