"""Loops that leave elements out, by ``continue`` or by an error that they catch.

Of each the pattern is just what some input between 0 and 1 needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def summed(x):
    total = 0.0
    for v in x:
        if v < 0.3:
            continue
        total += v * v
    return [total]


def in_array(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] < 0.3:
            continue
        y[i] = x[i] ** 2
    return y


def in_list(x):
    y = [0.0] * len(x)
    for i, v in enumerate(x):
        if v < 0.3:
            continue
        y[i] = v**2
    return y


def in_dictionary(x):
    y = dict.fromkeys(range(len(x)), 0.0)
    for i, v in enumerate(x):
        if v < 0.3:
            y[i] = v
            continue
        y[i] += v**2
    return list(y.values())


def both_written(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] < 0.3:
            y[i] = x[0]
            continue
        y[i] = x[i] ** 2
    return y


def twice(x):
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        if x[i] < 0.3:
            continue
        step = x[i] - x[i - 1]
        if step < 0:
            continue
        y[i] = step * step
    return y


def by_error(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        try:
            angle = math.acos(x[i] + 0.5)
        except ValueError:
            continue
        y[i] = angle
    return y


def with_error_named(x):
    y, seen = np.zeros(len(x)), []
    for i in range(len(x)):
        try:
            y[i] = math.sqrt(x[i] - 0.5)
        except ValueError as error:
            seen = [str(error)]
            y[i] = x[0] * len(seen)
    return y


def in_a_list_or_the_first(x):
    out = []
    for v in x:
        try:
            out.append(math.log(v - 0.5))
        except ValueError:
            out.append(x[0])
    return out


def with_own_names(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        try:
            root = math.sqrt(x[i] - 0.5)
            if root > 0.4:
                root = 2 * root
            y[i] = root
        except (ValueError, ZeroDivisionError):
            y[i] = x[0]
    return y


def with_own_arrays(x):
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        if x[i] > 0.5:
            work = np.zeros(3)
            work[1] = x[i]
            y[i] = work.sum()
        else:
            work = [x[i - 1]]
            y[i] = work[0]
    return y


def any_error(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        try:
            ratio = math.sqrt(x[i] - 0.5)
            y[i] = ratio
        except Exception:
            y[i] = 1.0
    return y


def read_after(x):
    y, last = np.zeros(len(x)), x[0]
    for i in range(len(x)):
        try:
            last = math.sqrt(x[i] - 0.5)
        except ValueError:
            y[i] = last
    return [*y, last]


def read_before(x):
    y = np.zeros(len(x))
    kept = x[0] * 2
    for i in range(1, len(x)):
        if x[i] > 0.5:
            y[i] = kept
            kept = x[i] * 2
    return y


def over_pairs(x):
    y = np.zeros(len(x))
    for i, (a, b) in enumerate(zip(x, x[::-1], strict=True)):
        if a < 0.3:
            continue
        y[i] = a * b
    return y


def read_pairs_assigned(x):
    y, last = np.zeros(len(x)), x[0]
    for i in range(len(x)):
        (step, y[i]), k = (x[i] ** 2, x[0] * x[i]), i
        if x[i] < 0.3:
            (y[k], _), last = (last, step), step
            continue
        y[i] = step
    return y


SKIPPING: dict[str, Callable[[Any], Any]] = {
    name: f
    for name, f in list(globals().items())
    if callable(f) and getattr(f, "__module__", None) == __name__
}
