"""Elements that bounded whole numbers choose: the expression, and the columns that may be meant."""

from __future__ import annotations

import numpy as np
from checks import Cases

case = Cases()
CHOICES = {}
"""The elements of x that each element of the result may be, by the name of the case."""
T = np.array([-0.5, 0.5])
T2 = np.array([0, 2])


def choice(name, index, *columns, **options):
    CHOICES[name] = index, [list(c) for c in columns]
    case(name, lambda x: np.sin(x[index(x)]), 6, -1.5, 2.0, points=80, **options)


def whole(name, size=6):
    return lambda f: case(name, f, size, -1.5, 2.0, points=80)


choice("argmax", lambda x: np.argmax(x[1:3]) + 1, (1, 2))
choice("window", lambda x: np.argmax(x[:2]) + np.arange(3), (0, 1), (1, 2), (2, 3))
choice("int", lambda x: int(np.argmin(x[:2])) * 2 + 1, (1, 2, 3), extra=True)
choice("below zero", lambda x: np.argmax(x[:2]) - 1, (0, 5))
choice("searchsorted", lambda x: np.searchsorted(T, x[:2]), (0, 1, 2), (0, 1, 2))
choice("searchsorted, clipped", lambda x: np.searchsorted(T, np.clip(x[0], 0, 9)), (1, 2))
choice("digitize, falling edges", lambda x: np.digitize(x[0], T[::-1]) + 3, (3, 4, 5))
choice("floor", lambda x: np.floor(np.clip(x[:1], 0, 0.9) * 3).astype(int), (0, 1, 2))
choice("floor of a number", lambda x: int(np.floor(np.clip(x[0], 0, 0.9) * 3)), (0, 1, 2))
choice("quotient", lambda x: np.argsort(x)[:2] // 2, (0, 1, 2), (0, 1, 2))
choice("remainder", lambda x: np.argsort(x)[:1] % 2, (0, 1))
choice("minimum", lambda x: np.minimum(np.argmax(x), 2), (0, 1, 2))
choice("clip", lambda x: np.clip(np.argmax(x), 3, 4), (3, 4))
choice(
    "rank",
    lambda x: np.linalg.matrix_rank(np.maximum(x - 0.8, 0.0).reshape(2, 3)),
    (0, 1, 2),
)
choice("rank of a vector", lambda x: np.linalg.matrix_rank(np.maximum(x - 0.8, 0.0)), (0, 1))
choice("difference", lambda x: 5 - np.argmax(x[:2]), (4, 5))
choice("count", lambda x: np.sum(x[:2] > 0), (0, 1, 2))
choice("counted", lambda x: np.count_nonzero(x[:2] > 0), (0, 1, 2))
choice("truth", lambda x: (x[0] > 0).astype(int) + 2, (2, 3))
choice("where", lambda x: np.where(x[:2] > 0, [0, 1], [4, 1]), (0, 1, 2, 3, 4), (1,), extra=True)
choice("wave", lambda x: np.rint(np.sin(x[0])).astype(int) + 1, (0, 1, 2))
choice("round", lambda x: round(float(np.tanh(x[0]))) + 4, (3, 4, 5))
choice("stacked", lambda x: np.stack([np.argmax(x[:2]), 3 + np.argmax(x[:2])]), (0, 1), (3, 4))
choice("view", lambda x: (np.argsort(x[:2])[:, None] + np.array([0, 3])).T[1], (3, 4), (3, 4))
choice("copy", lambda x: (np.argsort(x[:2]) + T2)[::-1].copy(), (2, 3), (0, 1))
choice("list", lambda x: [int(i) + 2 for i in np.argsort(x[:2])], (2, 3), (2, 3))
choice("python's max and min", lambda x: max(0, min(int(x[0] / 0.5), 2)), (0, 1, 2))
choice("min of one side", lambda x: min(int(abs(x[0])), 1) + 3, (3, 4))
choice("min of floor of abs", lambda x: np.minimum(np.floor(np.abs(x[:1])).astype(int), 1), (0, 1))
choice("clip of one side", lambda x: np.minimum(np.clip(x[:1], 0, None).astype(int), 1), (0, 1))
choice("square", lambda x: min(int(x[0] ** 2), 2), (0, 1, 2))
choice("root", lambda x: min(int(np.sqrt(abs(x[0]) * 2)), 1), (0, 1))
choice("power", lambda x: int(np.clip(x[0], -1, 1) ** 4 * 1.5), (0, 1))
choice("sum beside a constant", lambda x: int(np.sin(x[2]) + 1.5), (0, 1, 2))
choice("a number of Python's", lambda x: int(float(np.sin(x[2])) + 1.5), (0, 1, 2))
choice("sigmoid", lambda x: int(1.9 / (1 + np.exp(-4 * x[0]))), (0, 1))
choice("sector", lambda x: int((np.arctan2(x[0], x[1]) + np.pi) / 7 * 4), (0, 1, 2, 3))
choice("step", lambda x: int(np.heaviside(x[0], 0.5)) + 2, (2, 3))


def narrow(x):
    """An abs that wraps around: it is no lower bound."""
    return np.minimum((np.abs(x[:1]) * 100).astype(np.int8) // 50, 2)


choice("narrow whole numbers", narrow, (0, 1, 2, 3, 4, 5), extra=True)


def changed(x):
    i = np.argsort(x[:3])
    i += 1
    i[1] = 5
    return i


choice("changed in place", changed, *[(0, 1, 2, 3, 4, 5)] * 3, extra=True)


@whole("rows")
def _(x):
    return x.reshape(3, 2)[np.argmax(x[:2]), 1:] * x[0]


@whole("two indices")
def _(x):
    return np.cos(x.reshape(2, 3)[np.argmax(x[:2]), np.argmin(x[3:5]) + np.arange(2)])


@whole("slice between", 8)
def _(x):
    return np.cos(x.reshape(2, 2, 2)[np.argmax(x[:2]), :, [0, 1]])


@whole("written")
def _(x):
    y = np.zeros(6)
    y[np.argmax(x[:2]) + np.arange(2)] = x[4:] ** 2
    return y


@whole("written rows")
def _(x):
    y = np.ones((3, 2))
    y[np.argmax(x[:2])] = x[4:] ** 2
    return y * x[0]


def _added(x):
    y = x[::-1].copy()
    y[np.searchsorted(T, x[:2])] += np.sin(x[3:5])  # what is read may be what others write to
    return y


case("added", _added, 6, -1.5, 2.0, points=80, extra=True)


@whole("add.at")
def _(x):
    y = np.zeros(6)
    np.add.at(y, np.searchsorted(T, x[:2]), x[3:5] ** 2)
    return y


@whole("maximum.at")
def _(x):
    y = np.zeros(6)
    np.maximum.at(y, (np.argsort(x[:2]) + 1,), x[3:5])
    return y


def _multiplied(x):
    y = np.ones(6)
    np.multiply.at(y, np.argsort(x[:2]), x[3:5])  # by one factor each, which is not looked at
    np.negative.at(y, [np.argmax(x[:2])])
    return y


case("multiply.at", _multiplied, 6, -1.5, 2.0, points=80)
