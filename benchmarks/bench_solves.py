"""Solves with the pattern and without: time, and calls of the user's function."""

import numpy as np
import scipy.integrate
import scipy.optimize

from sparsetrace import solvers


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *args):
        self.calls += 1
        return self.function(*args)


def brusselator(t, y):
    n = int(np.sqrt(y.size // 2))
    u, v = y.reshape(2, n, n)

    def diffusion(w):
        around = np.roll(w, 1, 0) + np.roll(w, -1, 0) + np.roll(w, 1, 1) + np.roll(w, -1, 1)
        return 0.02 * (n - 1) ** 2 * (around - 4 * w)

    rates = 1 + u * u * v - 4.4 * u + diffusion(u), 3.4 * u - u * u * v + diffusion(v)
    return np.stack(rates).ravel()


def bratu(u):
    n = int(np.sqrt(u.size))
    v = np.pad(u.reshape(n, n), 1)
    around = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2]
    inside = v[1:-1, 1:-1]
    return (around - 4 * inside + 6.0 / (n + 1) ** 2 * np.exp(inside)).ravel()


def layered(u):
    """Heat through a wall of layers that conduct it well and badly."""
    n = int(np.sqrt(u.size))
    v = np.pad(u.reshape(n, n), 1)
    down, across = np.diff(v, axis=0)[:, 1:-1], np.diff(v, axis=1)[1:-1]
    down = down * 10.0 ** (np.arange(n + 1) // 8 % 2 * 3)[:, np.newaxis]
    return (
        np.diff(down, axis=0) + np.diff(across) + 6.0 / (n + 1) ** 2 * np.exp(v[1:-1, 1:-1])
    ).ravel()


def broyden(x):
    around = np.concatenate([[0.0], x[:-1]]) + 2 * np.concatenate([x[1:], [0.0]])
    return (3 - 2 * x) * x - around + 1


def terms(x):
    return 100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2


def rosenbrock(x):
    return terms(x).sum()


def curve(n):
    """Two layers of a reaction along a tube, cut into n cells across."""

    def rates(x, y):
        heat, slope = y[:n], y[n:]
        beside = np.concatenate([heat[:1], heat, heat[-1:]])
        return np.concatenate([slope, heat**3 - n**2 * (beside[2:] - 2 * heat + beside[:-2])])

    def ends(left, right):
        return np.concatenate([left[:n] - 1.0, right[:n] - 0.5])

    return rates, ends


def least_squares(f, module):
    return module.least_squares(f, -np.ones(400), method="trf").x


def root(f, module):
    return module.root(f, np.zeros(30**2), tol=1e-10).x


def newton_krylov(f, module):
    return module.newton_krylov(f, np.zeros(40**2), f_tol=1e-8)


def trust_constr(f, module):
    ours = {"terms": Counted(terms)} if module is solvers else {}
    x = module.minimize(
        f, np.full(60, 1.1), method="trust-constr", options={"maxiter": 3000}, **ours
    ).x
    f.calls += ours["terms"].calls if ours else 0
    return x


def bdf(f, module):
    n = 24
    grid = np.linspace(0, 1, n)
    u = np.outer(np.ones(n), 22 * (grid * (1 - grid)) ** 1.5)
    start = np.concatenate([u.ravel(), np.ones(n * n)])
    return module.solve_ivp(f, (0, 1), start, method="BDF").y[:, -1]


def bvp(f, module):
    n = 30
    mesh, guess = np.linspace(0, 1, 11), np.zeros((2 * n, 11))
    return module.solve_bvp(f, curve(n)[1], mesh, guess).sol(0.5)


SOLVES = {
    "least_squares": (least_squares, broyden, scipy.optimize),
    "root": (root, bratu, scipy.optimize),
    "newton_krylov": (newton_krylov, layered, scipy.optimize),
    "trust-constr": (trust_constr, rosenbrock, scipy.optimize),
    "BDF": (bdf, brusselator, scipy.integrate),
    "solve_bvp": (bvp, curve(30)[0], scipy.integrate),
}
"""Each with its function, and the module of SciPy that has the solver."""


class Solve:
    params = [list(SOLVES), ["pattern", "dense"]]
    param_names = ["solver", "derivatives"]

    def setup(self, name, derivatives):
        self.solve, function, scipys = SOLVES[name]
        self.module = solvers if derivatives == "pattern" else scipys
        self.function = Counted(function)
        self.solve(self.function, self.module)
        self.calls = self.function.calls

    def time_solve(self, name, derivatives):
        self.solve(self.function, self.module)

    def track_calls(self, name, derivatives):
        return self.calls

    track_calls.unit = "calls"
