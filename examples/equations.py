"""Nonlinear equations of a grid, solved three ways: ``python examples/equations.py``.

Bratu's problem, heat from a reaction that heat makes faster.  SciPy's `root` takes one call
an unknown for each Jacobian, with the pattern one a color; `newton_krylov` and ``method="krylov"``
get an incomplete factorization of the sparse Jacobian as their preconditioner.
"""

import numpy as np
import scipy.optimize

from sparsetrace import solvers

N = 24
calls = 0


def heat(u):
    global calls
    calls += 1
    v = np.pad(u.reshape(N, N), 1)
    around = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2]
    inside = v[1:-1, 1:-1]
    return (around - 4 * inside + 6.0 / (N + 1) ** 2 * np.exp(inside)).reshape(u.shape)


def solved(solver, **options):
    global calls
    calls = 0
    result = solver(heat, np.zeros(N * N), **options)
    return getattr(result, "x", result), calls


WAYS = {
    "root, hybr": ("root", {"tol": 1e-10}),
    "root, krylov": ("root", {"method": "krylov", "options": {"fatol": 1e-9}}),
    "newton_krylov": ("newton_krylov", {"f_tol": 1e-9}),
}
for title, (name, options) in WAYS.items():
    ours, calls_of_ours = solved(getattr(solvers, name), **options)
    plain, calls_of_plain = solved(getattr(scipy.optimize, name), **options)
    difference = np.abs(ours - plain).max()
    gain = calls_of_plain / calls_of_ours
    print(f"{title}: {calls_of_ours} calls for {calls_of_plain}, {gain:.1f} times fewer")
    print(f"    greatest difference of the solutions {difference:.1e}")
    assert difference < 1e-6
    assert calls_of_ours < calls_of_plain / 1.5
