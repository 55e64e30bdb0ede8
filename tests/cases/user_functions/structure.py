"""Nested helpers, methods, classes, closures, helper packages, functools."""

import functools
from dataclasses import dataclass

import numpy as np

from .helpers import Table, rotate


def nested_helper(x):
    def square(v):
        buffer = np.zeros(len(v))
        buffer[:] = v**2
        return buffer

    return square(x)[::-1] + square(x[:1])


class Model:
    gain = 2.0

    def __init__(self, n):
        self.weights = np.linspace(1.0, 2.0, n)

    def residual(self, x):
        out = np.empty(len(x) - 1)
        for i in range(len(out)):
            out[i] = self.slope(x, i)
        return out

    def slope(self, x, i):
        return self.gain * (x[i + 1] - x[i]) * self.weights[i]

    def __call__(self, x):
        return self.residual(x) ** 2


method = Model(4).residual
callable_object = Model(4)


def make_closure():
    state = {"scale": 3.0}

    def scaled(x):
        return np.asarray([state["scale"] * v for v in x])

    return scaled


closure = make_closure()


def package(x):
    return rotate(x[:2], x[2])


def table(x):
    t = Table(3, 2)
    t.append(x[:2])
    t.append(x[2:])
    return t.column_sums, t.data


@dataclass
class Particle:
    position: np.ndarray
    mass: float


def particles(x):
    found = [Particle(x[i : i + 2], 1.0 + i) for i in range(0, len(x), 2)]
    centre = sum(p.mass * p.position for p in found) / sum(p.mass for p in found)
    return centre


def _power(exponent, v):
    return v**exponent


cubes = functools.partial(_power, 3)


@functools.cache
def _weights(n):
    w = np.zeros(n)
    w[0] = w[-1] = 0.5
    w[1:-1] = 1.0
    return w


def trapezoid(x):
    return (_weights(len(x)) * x).sum()


def logged(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@logged
def decorated(x, scale=2.0):
    return scale * np.roll(x, 1)


lam = lambda x: np.outer(x, x).sum(axis=0)  # noqa: E731


def default_argument(x, shift=np.array([1.0, 0.0, 1.0, 0.0])):  # noqa: B008
    return x * shift


def generator(x):
    def pairs():
        for a, b in zip(x[:-1], x[1:], strict=True):  # noqa: RUF007 - as people write it
            yield a * b

    return np.array([*pairs()])


def returns_dict(x):
    return {"a": x[:2].sum(), "b": (x[2], [x[3], 1.0])}
