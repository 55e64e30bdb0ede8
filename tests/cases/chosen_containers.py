"""Uses of a list or a dictionary of a table, of which each element of the input chooses its own."""

from __future__ import annotations

import bisect
import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np

Use = Callable[..., Any]
TWO = [1.0, 2.0]
ROWS = [[1.0, 2.0, 0.0], [3.0, 4.0, 5.0], [0.5, 0.2, 0.1]]
NAMED = {
    "low": {"rate": 1.0, "powers": [4.0, 5.0]},
    "middle": {"rate": 3.0, "powers": [4.0, 6.0]},
    "high": {"rate": 3.0, "powers": [0.0, 6.0]},
}


def with_rows(use: Use) -> Callable[[Any], Any]:
    def f(x):
        out = []
        for i in range(len(x)):
            if x[i] < 0.3:
                row = ROWS[0]
            elif x[i] < 0.6:
                row = ROWS[1]
            else:
                row = ROWS[2]
            out.append(use(row, x[i], x, i))
        return out

    return f


def with_names(use: Use) -> Callable[[Any], Any]:
    def f(x):
        out = []
        for i in range(len(x)):
            found = NAMED["low"] if x[i] < 0.3 else NAMED["middle" if x[i] < 0.6 else "high"]
            out.append(use(found, x[i], x, i))
        return out

    return f


def taken_apart(c, v, x, i):
    a, b, d = c
    return a * v + b + d


def of_a_buffer(c, v, x, i):
    a = np.zeros((2, 10))
    a[1][: len(c)] = c
    return a[1, 2] * v + a[1, 0]


def by_keywords(rate, powers):
    return rate + powers[1]


LISTS: dict[str, Use] = {
    "items": lambda c, v, x, i: c[0] * v + c[-1],
    "unpacked": taken_apart,
    "stars": lambda c, v, x, i: sum([*c]) * v,
    "array": lambda c, v, x, i: np.array(c) @ np.array([1, v, v * v]),
    "asarray": lambda c, v, x, i: np.asarray(c).sum() * v,
    "product": lambda c, v, x, i: (x[:3] * c).sum(),
    "product from the left": lambda c, v, x, i: (c * x[:3])[0],
    "dot": lambda c, v, x, i: np.dot(c, x[:3]) + x[:3] @ c,
    "polyval": lambda c, v, x, i: np.polyval(c, v) + np.polynomial.Polynomial(c)(v),
    "interp": lambda c, v, x, i: np.interp(v, [0.0, 1.0, 2.0], c),
    "sums of lists": lambda c, v, x, i: sum(c + TWO) * v + sum(TWO + c) + sum(2 * c),
    "slices": lambda c, v, x, i: sum(c[1:]) * v,
    "enumerated": lambda c, v, x, i: sum(a * v**k for k, a in enumerate(c)),
    "extrema": lambda c, v, x, i: (max(c) + sorted(c)[0] + c[::-1][0] + next(reversed(c))) * v,
    "length": lambda c, v, x, i: len(c) * v * np.shape(c)[0],
    "written to a buffer": of_a_buffer,
    "returned": lambda c, v, x, i: [c, v],
    "conversions": lambda c, v, x, i: (tuple(c)[1] + sum(list(c))) * v,
    "copies": lambda c, v, x, i: (copy.copy(c)[1] + copy.deepcopy(c)[0] + c.copy()[2]) * v,
    "sum of math": lambda c, v, x, i: math.fsum(c) * v,
    "stacked": lambda c, v, x, i: np.vstack([c, x[:3]])[0, 1] * v + np.concatenate([c, [v]])[3],
    "ufuncs": lambda c, v, x, i: np.maximum(c, v)[0] + np.add(c, v)[1],
    "its type": lambda c, v, x, i: v if type(c) is list and isinstance(c, list) else x[0],
    "compared": lambda c, v, x, i: v if c == ROWS[1] else x[i - 1],
    "compared from the left": lambda c, v, x, i: v if ROWS[2] == c else x[i - 1],
    "contained": lambda c, v, x, i: v if 4.0 in c else x[i - 1],
    "bisect": lambda c, v, x, i: bisect.bisect([0.0, 1.0, 2.0], c[0]) * v,
}
DICTS: dict[str, Use] = {
    "items": lambda c, v, x, i: c["rate"] * v + c.get("other", 1.0),
    "keywords": lambda c, v, x, i: by_keywords(**c) * v,
    "pairs": lambda c, v, x, i: sum(w * v for k, w in c.items() if k == "rate"),
    "values": lambda c, v, x, i: list(c.values())[1][1] * v,
    "keys": lambda c, v, x, i: len(list(c)) * v * len(c.keys()) * len(c),
    "merged": lambda c, v, x, i: {**c, "z": v}["z"] * dict(c)["powers"][0] + (c | {"a": v})["a"],
    "merged from the left": lambda c, v, x, i: ({"rate": v} | c)["powers"][1] * v,
    "contained": lambda c, v, x, i: v if "rate" in c else x[0],
    "its type": lambda c, v, x, i: v if type(c) is dict and isinstance(c, dict) else x[0],
    "lists in it": lambda c, v, x, i: np.dot(c["powers"], x[:2]) * v,
}


def written(c, v, x, i):
    c[0] = v
    return ROWS[0][0] + ROWS[1][0]


def read_once_written(c, v, x, i):
    ROWS[1][0] = v
    return c[0]


def read_while_written(c, v, x, i):
    before = ROWS[1][0]
    ROWS[1][0] = v
    result = c[0]
    ROWS[1][0] = before
    return result


def lengthened(c, v, x, i):
    c.append(v)
    return sum(map(len, ROWS)) * v + ROWS[2][-1]


def lengthened_elsewhere(c, v, x, i):
    ROWS[2].append(v)
    return c[-1]


def sorted_in_place(c, v, x, i):
    c.sort(key=lambda w: w * x[0])
    return ROWS[0][0] * v


def by_identity(c, v, x, i):
    return v if c is ROWS[1] else x[i - 1]


def kept(c, v, x, i):
    holder = [c]
    holder[0][1] = x[i - 1]
    return ROWS[2][1] + v


WRITTEN: dict[str, Callable[[Any], Any]] = {
    f.__name__: with_rows(f)
    for f in (
        *(written, read_once_written, read_while_written, lengthened, lengthened_elsewhere),
        *(sorted_in_place, by_identity, kept),
    )
} | {
    "an item of a dictionary": with_names(
        lambda c, v, x, i: c.update(rate=v) or NAMED["low"]["rate"] + NAMED["high"]["rate"]
    ),
    "a list in a dictionary": with_names(
        lambda c, v, x, i: c["powers"].insert(0, v) or NAMED["low"]["powers"][0]
    ),
}
