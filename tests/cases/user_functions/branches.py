"""Branches on values."""

import numpy as np


def either(x):
    if x[0] > x[1]:
        return x[0] * x[2]
    return x[1] * x[3]


def nested(x):
    if x[0] > 1.0 and x[1] > 1.0:
        y = x[2]
    elif not x[0] < 1.0 or x[3] > 1.2:
        y = x[3] ** 2
    else:
        y = x[1]
    return y


def ternary(x):
    return np.array([v**2 if v > 1.0 else 0.0 for v in x])


def chained(x):
    return x[0] if 0.8 < x[1] < 1.3 else x[2]


def any_of_them(x):
    if np.any(x > 1.7):
        x = np.minimum(x, x[0])
    return x


def sign_of_sum(x):
    s = x.sum() - 4.0
    if s > 0:
        return s * x[:2]
    return x[2:]


def asserted(x):
    assert x[0] > 0, "positive numbers are wanted"
    return np.sqrt(x)


def refused_half(x):
    if x[0] < 0.1:
        raise ValueError("out of the domain")
    return np.log(x)


def early_return(x):
    total = 0.0
    for v in x:
        if v > 1.5:
            return total
        total = total + v
    return total


def matched(x):
    match bool(x[0] > 1.0):
        case True:
            return x[1]
        case _:
            return x[2]


def chosen_buffer(x):
    a, b = np.zeros(2), np.ones(2)
    target = a if x[0] > 1.0 else b
    target[0] = x[1]
    return a, b


def builtin_extremes(x):
    return max(x[0], x[1], 1.0), min(x), sorted(x)[0], abs(x[0] - 1.0), max(0.0, x[3] - 1.0)


def huber(x):
    r = x - 1.2
    return np.where(np.abs(r) < 0.3, 0.5 * r**2, 0.3 * (np.abs(r) - 0.15))


def masked_assignment(x):
    y = x.copy()
    y[x > 1.0] = 0.0
    z = np.zeros(len(x))
    z[x > 1.0] = 1.0
    return y, z * x[0], x * (x > 1.0)


def piecewise(x):
    return np.piecewise(x, [x < 1.0, x >= 1.0], [lambda v: v**2, lambda v: 2 * v - 1])
