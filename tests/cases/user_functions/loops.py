"""Loops over elements, comprehension, recursion."""

import functools
import itertools
import math
import operator

import numpy as np


def laplace_loop(x):
    out = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        out[i] = x[i - 1] - 2 * x[i] + x[i + 1] ** 2
    return out


def broyden_loop(x):
    n = len(x)
    f = np.zeros(n)
    for i in range(n):
        left = x[i - 1] if i > 0 else 0.0
        right = x[i + 1] if i < n - 1 else 0.0
        f[i] = (3 - 2 * x[i]) * x[i] - left - 2 * right + 1
    return f


def broyden_slices(x):
    f = (3 - 2 * x) * x + 1
    f[1:] -= x[:-1]
    f[:-1] -= 2 * x[1:]
    return f


def pairs(x):
    return [a * b for a, b in itertools.combinations(x, 2)]


def comprehension(x):
    return np.array([xi**2 - xj for xi, xj in zip(x[1:], x, strict=False)])


def product(x):
    return functools.reduce(operator.mul, x)


def running(x):
    return list(itertools.accumulate(x))


def enumerated(x):
    s = 0.0
    for i, v in enumerate(x):
        s += i * v
    return s, sum(x), sum(v**2 for v in x[1:])


def horner(x):
    coefficients, t = x[:-1], x[-1]
    value = 0.0
    for c in reversed(list(coefficients)):
        value = value * t + c
    return value


def recursive(x):
    def nest(value, depth):
        return value if depth == 0 else math.sin(nest(value, depth - 1)) * x[depth]

    return nest(x[0], len(x) - 1)


def while_counter(x):
    i, total = 0, 0.0
    while i < len(x) - 1:
        total += x[i] * x[i + 1]
        i += 2
    return total


def triangular(x):
    n = len(x)
    out = np.empty(n)
    for i in range(n):
        out[i] = 0
        for j in range(i + 1):
            out[i] += x[j] / (i + j + 1)
    return out


def vectorized_scalar_function(x):
    @np.vectorize
    def clipped_log(v, scale):
        if v > 1.0:
            return scale * math.log(v)
        return v - 1.0

    return clipped_log(x, x[::-1])
