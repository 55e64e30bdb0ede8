"""Power flow, kinematics, right-hand sides, likelihoods, residuals."""

import math

import numpy as np
from scipy import special

BUSES = 4
RNG = np.random.default_rng(1)
LINES = np.array([[0, 1], [1, 2], [2, 3]])
Y = np.zeros((BUSES, BUSES), dtype=complex)
for _i, _j in LINES:
    Y[_i, _j] = Y[_j, _i] = -(1.0 - 4.0j)
    Y[_i, _i] += 1.0 - 4.0j
    Y[_j, _j] += 1.0 - 4.0j
T_DATA = np.linspace(0.1, 2.0, 5)
Y_DATA = np.exp(-T_DATA)
ODD = np.array([1.0, 0.0, 1.0, 0.0, 1.0])


def power_flow(x):
    theta, v = x[:BUSES], x[BUSES:]
    p = np.zeros(BUSES)
    q = np.zeros(BUSES)
    g, b = Y.real, Y.imag
    for i in range(BUSES):
        for j in range(BUSES):
            if Y[i, j] == 0:
                continue
            d = theta[i] - theta[j]
            p[i] += v[i] * v[j] * (g[i, j] * np.cos(d) + b[i, j] * np.sin(d))
            q[i] += v[i] * v[j] * (g[i, j] * np.sin(d) - b[i, j] * np.cos(d))
    return np.concatenate([p, q])


def forward_kinematics(q):
    position = np.zeros((len(q) + 1, 2))
    angle = 0.0
    for i in range(len(q)):
        angle += q[i]
        position[i + 1] = position[i] + np.array([math.cos(angle), math.sin(angle)])
    return position[1:]


def lotka_volterra(t, y, a=1.5, b=1.0):
    prey, predator = y
    return [a * prey - b * prey * predator, -predator + prey * predator]


def lotka(x):
    return lotka_volterra(0.0, x)


def robertson(y):
    dy = np.empty_like(y)
    dy[0] = -0.4 * y[0] + 10.0 * y[1] * y[2]
    dy[2] = 30.0 * y[1] ** 2
    dy[1] = -dy[0] - dy[2]
    return dy


def lorenz96(x):
    n = len(x)
    d = np.zeros(n)
    for i in range(n):
        d[i] = (x[(i + 1) % n] - x[i - 2]) * x[i - 1] - x[i] + 8.0
    return d


def log_likelihood(theta):
    mu, log_sigma = theta[0], theta[1]
    z = (Y_DATA - mu) / np.exp(log_sigma)
    return np.sum(-0.5 * z**2 - log_sigma - 0.5 * np.log(2 * np.pi))


def logistic_terms(w):
    design = np.vander(T_DATA, 3)
    eta = design @ w[:3] + ODD * w[3]
    return special.xlogy(1.0, special.expit(eta))


def exponential_residuals(p):
    return p[0] * np.exp(-p[1] * T_DATA) + p[2] * ODD - Y_DATA


def n_body(x):
    position = x.reshape(-1, 2)
    n = len(position)
    force = np.zeros_like(position)
    for i in range(n):
        for j in range(n):
            if i != j:
                r = position[j] - position[i]
                force[i] += r / (np.dot(r, r) + 0.1) ** 1.5
    return force


def heat(u, kappa=0.1):
    du = np.zeros(u.shape)
    du[1:-1, 1:-1] = kappa * (
        u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    )
    return du


def brusselator_loops(x, n=3):
    u, v = x[: n * n].reshape(n, n), x[n * n :].reshape(n, n)
    du, dv = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            up, down, left, right = (i - 1) % n, (i + 1) % n, (j - 1) % n, (j + 1) % n
            lu = u[up, j] + u[down, j] + u[i, left] + u[i, right] - 4 * u[i, j]
            lv = v[up, j] + v[down, j] + v[i, left] + v[i, right] - 4 * v[i, j]
            du[i, j] = 1.0 + u[i, j] ** 2 * v[i, j] - 4.4 * u[i, j] + 0.1 * lu
            dv[i, j] = 3.4 * u[i, j] - u[i, j] ** 2 * v[i, j] + 0.1 * lv
    return np.concatenate([du.ravel(), dv.ravel()])
