"""Names bound early: ``from numpy import ...``, ``from math import ...``."""

from math import cos, exp, hypot, pi, sin, sqrt

from numpy import array, asarray, concatenate, dot, zeros
from numpy import linalg as la


def rosenbrock_gradient(x):
    x = asarray(x)
    g = zeros(len(x))
    g[1:-1] = 200 * (x[1:-1] - x[:-2] ** 2) - 400 * (x[2:] - x[1:-1] ** 2) * x[1:-1]
    g[1:-1] -= 2 * (1 - x[1:-1])
    g[0] = -400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0])
    g[-1] = 200 * (x[-1] - x[-2] ** 2)
    return g


def polar(x):
    r, phi = x[0], x[1]
    return array([r * cos(phi), r * sin(phi), hypot(x[2], x[3])])


def pendulum(x):
    theta, omega = x[0], x[1]
    return [omega, -9.81 * sin(theta) - 0.1 * omega]


def gaussian(x):
    return exp(-0.5 * ((x[0] - x[1]) / x[2]) ** 2) / (sqrt(2 * pi) * x[2])


def stacked(x):
    return concatenate([[x[0]], x[1:] * dot(x, x), zeros(2)])


def distances(x):
    p = x.reshape(-1, 2)
    return [la.norm(p[0] - p[1])]
