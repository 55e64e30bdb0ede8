"""A cooling fin between two walls, by `solve_bvp`: ``python examples/boundary_value.py``.

The fin's cross-section is cut into layers, whose temperatures and slopes along the fin are
unknown: the more layers, the more entries of the derivative are zero.  Without the pattern,
SciPy takes one call an unknown for each derivative.
"""

import numpy as np
import scipy.integrate

from sparsetrace.solvers import solve_bvp

LAYERS = 20
WIDTH = 0.2 / LAYERS
calls = 0


def fin(x, y):
    """Heat flows to the layers beside, which radiate at both surfaces."""
    global calls
    calls += 1
    heat, slope = y[:LAYERS], y[LAYERS:]
    beside = np.concatenate([heat[:1], heat, heat[-1:]])
    across = (beside[2:] - 2 * heat + beside[:-2]) / WIDTH**2
    radiated = np.concatenate([heat[:1] ** 4, np.zeros_like(heat[1:-1]), 2 * heat[-1:] ** 4])
    return np.concatenate([slope, radiated / WIDTH - across])


def walls(left, right):
    """A hot wall at the left, and a colder one at the right."""
    return np.concatenate([left[:LAYERS] - 1.0, right[:LAYERS] - 0.6])


mesh = np.linspace(0, 1, 11)
guess = np.concatenate([np.full((LAYERS, 11), 0.8), np.zeros((LAYERS, 11))])
counts, heats = [], []
for solver in (solve_bvp, scipy.integrate.solve_bvp):
    calls = 0
    solution = solver(fin, walls, mesh, guess, tol=1e-5)
    assert solution.success, solution.message
    counts.append(calls)
    heats.append(solution.sol(np.linspace(0, 1, 50))[:LAYERS])
difference = np.abs(heats[0] - heats[1]).max()
print(f"boundary value: {counts[0]} calls for {counts[1]}, {counts[1] / counts[0]:.1f} times fewer")
print(f"coldest {heats[0].min():.4f}, greatest difference of the temperatures {difference:.1e}")
assert difference < 1e-4
assert counts[0] < counts[1] / 2
