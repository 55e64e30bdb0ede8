"""Functions that branch on values of `x`, four numbers."""

from __future__ import annotations

import numpy as np


def if_else(x):
    if x[0] > x[1]:
        return x[0]
    return x[1]


def elif_chain(x):
    if x[0] > 1:
        y = x[0]
    elif x[0] > 0:
        y = x[1]
    elif x[0] > -1:
        y = x[2]
    else:
        y = x[3]
    return y


def nested(x):
    y = x[0]
    if x[0] > 0:
        if x[1] > 0:
            y = x[2]
        if not x[1] > 1:
            y = y + x[3]
    return y


def conjunction(x):
    return x[1] if x[0] > 0 and x[0] < 1 else x[2]


def disjunction(x):
    return x[1] if x[0] > 0 or not x[0] > -1 else x[2]


def chained(x):
    return x[1] if 0 < x[0] < 1 else x[2]


def bool_called(x):
    return x[1] if bool(x[0]) else x[2]


def equality(x):
    return x[1] if x[0] == 0 else x[2]


def any_all(x):
    return x[1] if np.any(x > 0) else x[2] if np.all(x < -1) else x[3]


def total(x):
    return x[1] if x.sum() > 0 else x[2]


def matched(x):
    match bool(x[0] > 0), bool(x[1] > 0):
        case True, True:
            return x[2]
        case _, True:
            return x[3]
        case _:
            return x[0]


def early_return(x):
    for i in range(3):
        if x[i] > 0:
            return x[i]
    return x[3]


def breaks(x):
    y = x[0]
    for v in x[1:]:
        if v > 0:
            break
        y = y + v
    else:
        y = y * 2
    return y


def bounded_while(x):
    i, y = 0, x[0]
    while i < 3 and x[i] > 0:
        i += 1
        y = y + x[i]
    return y


def one_sided(x):
    if x[0] < 0:
        raise ValueError("negative")
    return x[1]


def asserted(x):
    assert x[0] > 0
    assert (x > 0).all(), "positive"
    return x[2]


def refused_deeper(x):
    def root(v):
        if v < 0:
            raise ValueError("no root")
        return np.sqrt(v)

    return root(x[0]) + root(x[1])


def floor_decides(x):
    return x[1] if np.floor(x[0]) > 2 else x[2]


def choice_of_function(x):
    return (np.sin if x[0] > 0 else np.cos)(x[1])
