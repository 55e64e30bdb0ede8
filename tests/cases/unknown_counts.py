"""Moves by counts and to places that depend on the inputs, and what each element may be."""

from __future__ import annotations

import numpy as np
from checks import Cases

case = Cases()
OPTIONS = {"points": 120, "low": -2.5, "high": 2.5}
MOVED = {}
"""Of some moves, of which the inputs decide the count alone, the elements that each may be."""


def move(name, f, *columns, extra=False):
    case(name, lambda x: np.sin(f(x)) * 2.0, 6, extra=extra, **OPTIONS)
    if columns:
        MOVED[name] = f, [list(c) for c in columns]


def k(x):
    """Any whole number, as far as the trace knows."""
    return int(x[0] * 3)


def two(x):
    """0 or 1: in a step, not as decided on two paths."""
    return np.argmax(x[:2])


def many(x):
    """Three of so many that no paths decide it."""
    return int(np.clip(np.floor(x[0] * 2) + 101, 100, 102))


ALL = range(6)
move("roll", lambda x: np.roll(x, k(x)), *[ALL] * 6)
move("roll by a step", lambda x: np.roll(x, two(x)), (0, 5), (0, 1), (1, 2), (2, 3), (3, 4), (4, 5))
move("roll by a float", lambda x: np.roll(x, x[0] * 3), *[ALL] * 6)
move(
    "roll by floats",
    lambda x: np.roll(x.reshape(3, 2), np.clip(x[:2], 0, 1.5), 0),
    *[(0, 2, 4), (1, 3, 5)] * 3,
)
move("roll far", lambda x: np.roll(x, many(x)))
move("roll rows", lambda x: np.roll(x.reshape(3, 2), k(x), axis=0), *[(0, 2, 4), (1, 3, 5)] * 3)
move(
    "roll columns", lambda x: np.roll(x.reshape(2, 3), k(x), -1), *[(0, 1, 2)] * 3, *[(3, 4, 5)] * 3
)
move(
    "roll both",
    lambda x: np.roll(x.reshape(2, 3), (k(x), 1), (0, 1)),
    *[(2, 5), (0, 3), (1, 4)] * 2,
)
move("roll by several", lambda x: np.roll(x, [1, k(x)]))
move("roll by an array", lambda x: np.roll(x.reshape(3, 2), np.floor(x[:2]).astype(int), 0))
move(
    "roll axes alike", lambda x: np.roll(x.reshape(2, 3), k(x), axis=(0, 1)), *[ALL] * 6, extra=True
)
move("roll constants", lambda x: np.roll(np.arange(6.0), k(x)) * x)
move("roll with zeros", lambda x: np.roll(np.append(x[:3], np.zeros(3)), two(x)) * x[5])
move(
    "roll what is alike",
    lambda x: np.roll(np.repeat(x[:2], 3), two(x)),
    *[(0, 1), (0,), (0,), (0, 1), (1,), (1,)],
)
move("roll and back", lambda x: np.roll(np.roll(x, k(x)), -1))
move("method of a list", lambda x: np.roll([x[0], x[1], 2.0], k(x)) * x[:3])
move("delete", lambda x: np.delete(x, abs(k(x)) % 6), *zip(range(5), range(1, 6), strict=True))
move("delete a step", lambda x: np.delete(x, two(x) + 2), (0,), (1,), (2, 3), (4,), (5,))
move("delete from behind", lambda x: np.delete(x, -1 - two(x)), (0,), (1,), (2,), (3,), (4, 5))
move(
    "delete a row", lambda x: np.delete(x.reshape(3, 2), two(x), axis=0), (0, 2), (1, 3), (4,), (5,)
)
move("delete a column", lambda x: np.delete(x.reshape(2, 3), two(x) + 1, -1))
move(
    "insert",
    lambda x: np.insert(x, two(x) + 2, 0.5),
    (0,),
    (1,),
    (2,),
    (2,),
    (3,),
    (4,),
    (5,),
    extra=True,
)
move("insert at any place", lambda x: np.insert(x[:5], abs(k(x)) % 6, x[5]))
move(
    "insert an element",
    lambda x: np.insert(x, two(x), x[5]),
    (0, 5),
    (0, 5),
    (1,),
    (2,),
    (3,),
    (4,),
    (5,),
)
move("insert a row", lambda x: np.insert(x.reshape(2, 3), two(x), x[3:], axis=0))
move("insert several", lambda x: np.insert(x, two(x), x[:3]), extra=True)
move("insert into constants", lambda x: np.insert(np.zeros(5), two(x), x[3]) * x[4])
move("tril", lambda x: np.tril(x.reshape(2, 3), k(x)))
move(
    "tril of few",
    lambda x: np.tril(x.reshape(3, 2), two(x) - 1),
    *((0,), (), (2,), (3,), (4,), (5,)),
)
move("triu", lambda x: np.triu(x.reshape(2, 3), many(x) - 101), extra=True)
move("triu of constants", lambda x: np.triu(np.ones((2, 3)), k(x)).ravel() * x)
move("triu of one dimension", lambda x: np.triu(x[:2], two(x)))
move("partition", lambda x: np.partition(x, abs(k(x)) % 6), *[ALL] * 6)
move("partition rows", lambda x: np.partition(x.reshape(2, 3), two(x), axis=1))
move("partition constants", lambda x: np.partition(np.arange(6.0)[::-1], two(x)) * x, extra=True)
move("argpartition", lambda x: np.argpartition(x, two(x)) * x)
move("partition in place", lambda x: [y := x.copy(), y.partition(two(x)), y][2])
move("item", lambda x: x.item(abs(k(x)) % 6) * x, extra=True)
move("item of two places", lambda x: x.reshape(2, 3).item((two(x), 1)) * x)
move("item by two arguments", lambda x: x.reshape(2, 3).item(two(x), 1) * x)
move("complex", lambda x: np.roll(x[:3] + 1j * x[3:], k(x)).real)
move("complex inserted", lambda x: np.insert(x[:3] + 1j * x[3:], two(x), x[0]).imag)
move("complex deleted", lambda x: np.abs(np.delete(x[:3] + 1j * x[3:], two(x))))
move("complex triangle", lambda x: np.tril((x[:4] + 1j * x[2:]).reshape(2, 2), k(x)).imag)


def _indexed_by_rolled(x):
    """What was known of the elements is not known of those that moved."""
    return x[np.roll(np.argsort(x[:2]) + np.array([0, 3]), k(x))]


def _indexed_by_inserted(x):
    return x[np.insert(np.array([0, 0, 5]), two(x), 3)]


move("bounds of rolled indices", _indexed_by_rolled, extra=True)
move("bounds of inserted indices", _indexed_by_inserted, extra=True)
