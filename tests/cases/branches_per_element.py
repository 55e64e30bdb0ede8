"""Functions with a branch for each element, as people write them; too many paths to run them all.

Of each the pattern is just what some input needs.
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import logging
import math
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.interpolate
import scipy.optimize
import scipy.stats

Function = Callable[[Any], Any]


def bent(v):
    if v > 0.5:
        return v**2
    return -v


def steeper(v):
    return bent(v) if v > 0.7 else 2 * v


def arc(v):
    return math.acos(v) if v < 0.6 else 0


def pair(v, w):
    if v > w:
        return v, 2.0
    return -v, v * w


def early(v):
    if v < 0.2:
        return 0.0
    if v > 0.8:
        return v
    return v * v * 2


def halved(v):
    turns = 0
    while v > 0.5 and turns < 4:
        v = v / 2
        turns += 1
    return v


def checked(v):
    if v < 0:
        raise ValueError("not for negative numbers")
    return v * v


def is_large(v):
    if v > 0.5:  # noqa: SIM103
        return True
    return False


def sign(v):
    return 1 if v > 0.5 else -1


def perhaps(v):
    if v > 0.5:
        return None
    return v * v


def filled(v):
    out = np.zeros(2)
    if v > 0.5:
        out[0] = v
    out[1] += v * v
    return out


def polynomial(v):
    terms = []
    for k in range(3):
        terms.append(v**k)
    if v > 0.5:
        terms.append(1.0)
    else:
        terms.append(v)
    return sum(terms)


def by_keyword(v, *, scale=2.0, **options):
    return scale * v if v > options.get("at", 0.5) else options["other"]


def falls_back(v):
    try:
        return checked(v - 0.5)
    except ValueError:
        return v


class Point(NamedTuple):
    """What a helper returns by name."""

    value: Any
    weight: Any


def named(v):
    return Point(v, 1.0) if v > 0.5 else Point(v**2, v)


class Model:
    """Methods that branch, and call one another."""

    factor = 2.0

    def __init__(self):
        self.table = [1.0, 2.0]

    def rate(self, v, other=1.0):
        if v > 0.5:
            return self.factor * v * other
        return self.table[0] * self.squared(v)

    def squared(self, v):
        return v * v if v < 0.3 else v

    @staticmethod
    def still(v):
        return v if v > 0.5 else 0.0

    @property
    def scaled(self):
        return functools.partial(bent)

    def __call__(self, v):
        return self.rate(v) if v > 0.1 else -v


model = Model()


def listed(x):
    out = []
    for v in x:
        out.append(bent(v))
    return out


def buffered(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = bent(x[i])
    return y


def nested_function(x):
    factor = 3.0

    def inner(v):
        return v * factor if v > 0.5 else factor

    return np.array([inner(v) for v in x])


def nested_twice(x):
    def middle(v):
        def deep(u):
            return u * v if u > v else u

        return deep(v) + deep(2 * v)

    return [middle(v) for v in x]


def a_lambda(x):
    inner = lambda v: v if v > 0.5 else 0.0  # noqa: E731
    return np.array([inner(v) for v in x])


def ternary_in_loop(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = 0 if x[i] > 1 else math.acos(x[i])
    return y


def if_in_loop(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.5:
            y[i] = x[i] ** 2
        else:
            y[i] = -x[i]
    return y


def one_sided(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i]
        if x[i] > 0.5:
            y[i] += x[i] ** 2
    return y


def chain(x):
    out = []
    for v in x:
        if v < 0.2:
            t = 1.0 * v
        elif v < 0.6:
            s = v * v
            t = s + 1
        else:
            t = 0.0
        out.append(t)
    return out


def appended(x):
    out = []
    for v in x:
        if v < 0.5:
            out.append(v)
        else:
            out.append(v * v)
    return out


def rows(x):
    m = np.zeros((len(x), 2))
    for i, v in enumerate(x):
        if v > 0.5:
            m[i, 0] = v
            m[i, 1] = v * v
        else:
            m[i] = v
    return m.ravel()


def keyed(x):
    d = {}
    for i, v in enumerate(x):
        if v > 0.5:
            d[i] = v
        else:
            d[i] = v**3
    return list(d.values())


def of_a_list(x):
    z = [0.0] * len(x)
    for i, v in enumerate(x):
        if v > 0.5:
            z[i] = v
        elif v > 0.2:
            z[i] -= v * v
    return z


def inner_loop(x):
    out = []
    for v in x:
        for k in range(3):
            if k and v < 0.2 * k:
                break
            s = v * k
        out.append(s)
    return out


def conjunction(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.2 and x[i] < 0.7:
            y[i] = x[i]
        else:
            y[i] = x[i] ** 2
    return y


def used_late(x):
    total = 0.0
    for v in x:
        if v > 0.5:
            total += v * v
    return total


def neighbours(x):
    y = np.zeros(len(x) - 1)
    for i in range(len(x) - 1):
        if x[i] > x[i + 1]:
            y[i] = x[i]
        else:
            y[i] = x[i + 1] * x[i]
    return y


@dataclasses.dataclass
class State:
    density: float
    speed: float
    momentum: float = dataclasses.field(init=False)

    def __post_init__(self):
        self.momentum = self.density * self.speed


def momentum(v, w):
    """Objects made on the way, of a class of one's own."""
    state = State(v, w)
    if state.momentum > 0.4:
        return state.momentum
    return State(2.0, state.speed).momentum


TABLE = [0.0, 0.25, 0.5, 1.0]


class Table:
    """Piecewise linear, by a search of a list."""

    def __init__(self, places, values):
        self.places, self.values = list(places), list(values)

    def __call__(self, v):
        i = bisect.bisect_right(self.places, v) - 1
        i = max(0, min(i, len(self.places) - 2))
        share = (v - self.places[i]) / (self.places[i + 1] - self.places[i])
        return self.values[i] * (1 - share) + self.values[i + 1] * share


def next_place(v):
    return v * next((t for t in TABLE if t > v), 2.0)


def rooted(v):
    """A root of a function with a branch, beside one of SciPy's."""
    if v > 0.5:
        return scipy.optimize.brentq(lambda z: z**3 - v, 0.0, 2.0)
    return v * statistics.fmean([v, 1.0]) * 2


table = Table(TABLE, [1.0, 2.0, 0.5, 3.0])
CUBIC = scipy.interpolate.CubicSpline([0.0, 0.5, 1.0], [0.0, 2.0, 1.0])


def splined(v):
    """An array without axes, or a number."""
    w = CUBIC(v) if v > 0.4 else v
    return w * 2 + (np.asarray(v) if v > 0.7 else 1.0)


def converted(x):
    """NumPy's types are called by another name once they are given a traced number."""
    out = np.zeros(len(x))
    for i, v in enumerate(x):
        if v > 0.5:
            out[i] = np.float64(v) * PRECISION(2)
        else:
            out[i] = sum([np.float64(w) for w in (v**2, 1.0)])
    return out


def tabulated(x):
    """The place in a table is a number that a branch has chosen."""
    out = []
    for v in x:
        if v < 0.3:
            i = 0
        elif v < 0.6:
            i = 1
        else:
            i = 2
        row = ROWS[i]
        out.append(row[0] + row[1] * v + row[2] * v * v)
    return out


ROWS = [[1.0, 2.0, 0.5], [3.0, 4.0, 5.0], [0.5, 0.2, 0.1]]


def bracketed(x):
    """A search of a table that begins where the last one has ended."""
    out, last = [], 0
    for v in x:
        last = bracket(v, last)
        share = (v - GRID[last]) / (GRID[last + 1] - GRID[last])
        out.append(VALUES[last] + share * (VALUES[last + 1] - VALUES[last]))
    return out


GRID = np.linspace(0.0, 1.0, 7)
VALUES = np.cos(GRID)


def bracket(v, low):
    high, step, top = low + 1, 1, len(GRID) - 1
    while v < GRID[low]:
        high, low = low, low - step
        if low < 0:
            low = 0
            break
        step += step
    while v > GRID[high]:
        low, high = high, high + step
        if high >= top:
            high = top
            break
        step += step
    while high - low > 1:
        middle = (high + low) // 2
        if v < GRID[middle]:
            high = middle
        else:
            low = middle
    return low


PRECISION = np.float64
LOG = logging.getLogger("sparsetrace.cases")


@functools.cache
def coefficient(n):
    return math.sqrt(n) + TABLE[n]


def noted(v):
    """With a cache, a log, a clock and noise of its own, which change nothing."""
    started, rng = time.perf_counter(), np.random.default_rng(1)
    if v > 0.5:
        LOG.debug("%s is large", v)
        v = coefficient(2) * v**2
    LOG.debug("after %s s", time.perf_counter() - started)
    return v + rng.normal()


def limited(a, b):
    """The one of two slopes that is smaller, if they have the same sign."""
    if a * b <= 0:
        return 0.0
    return a if abs(a) < abs(b) else b


def upwind(x):
    slopes = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        slopes[i] = limited(x[i] - x[i - 1], x[i + 1] - x[i])
    flux = np.zeros(len(x) - 1)
    for i in range(len(x) - 1):
        left, right = x[i] + slopes[i] / 2, x[i + 1] - slopes[i + 1] / 2
        flux[i] = left**2 if left + right > 0 else right**2
    return flux


EXACT: dict[str, Function] = {
    "objects": lambda x: [momentum(v, w) for v, w in zip(x, x[::-1], strict=True)],
    "table": lambda x: [table(v) for v in x],
    "arrays without axes": lambda x: [splined(v) for v in x],
    "conversions": converted,
    "places in a table": tabulated,
    "bracketing searches": bracketed,
    "caches and logs": lambda x: [noted(v) for v in x],
    "first of": lambda x: [next_place(v) for v in x],
    "distribution": lambda x: [scipy.stats.norm.cdf(v) if v > 0.4 else v * v for v in x],
    "root": lambda x: [rooted(v) for v in x],
    "comprehension of calls": lambda x: np.array([bent(v) for v in x]),
    "calls appended": listed,
    "calls in a buffer": buffered,
    "map": lambda x: list(map(bent, x)),
    "generator": lambda x: sum(bent(v) for v in x),
    "helpers in helpers": lambda x: [steeper(v) for v in x],
    "domain": lambda x: [arc(v) for v in x],
    "pairs": lambda x: [p * q for p, q in (pair(v, 0.5) for v in x)],
    "early return": lambda x: [early(v) for v in x],
    "turns": lambda x: [halved(v) for v in x],
    "checks": lambda x: [checked(v) for v in x],
    "truth values": lambda x: [v if is_large(v) else 0.0 for v in x],
    "signs": lambda x: [sign(v) * v for v in x],
    "no result": lambda x: [v if (r := perhaps(v)) is None else r for v in x[:9]],
    "own arrays": lambda x: np.concatenate([filled(v) for v in x]),
    "own lists": lambda x: [polynomial(v) for v in x],
    "keywords": lambda x: [by_keyword(v, other=1.0, at=0.4) for v in x],
    "caught inside": lambda x: [falls_back(v) for v in x],
    "named tuples": lambda x: [p.value * p.weight for p in map(named, x)],
    "methods": lambda x: [model.rate(v) for v in x],
    "methods with arguments": lambda x: [model.rate(v, other=2.0) for v in x],
    "bound methods": lambda x: list(map(model.rate, x)),
    "static methods": lambda x: [Model.still(v) for v in x],
    "called objects": lambda x: [model(v) for v in x],
    "properties": lambda x: [model.scaled(v) for v in x],
    "nested function": nested_function,
    "nested twice": nested_twice,
    "lambda": a_lambda,
    "comprehension": lambda x: [v**2 if v > 0.5 else -v for v in x],
    "ternary in a loop": ternary_in_loop,
    "if in a loop": if_in_loop,
    "one-sided": one_sided,
    "elif chain": chain,
    "appended": appended,
    "rows": rows,
    "dictionary": keyed,
    "items of a list": of_a_list,
    "loop inside": inner_loop,
    "conjunction": conjunction,
    "sum": used_late,
    "neighbours": neighbours,
}
