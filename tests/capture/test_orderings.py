"""``sorted``, ``min`` and ``max`` with a key, of items that the inputs put in order."""

from __future__ import annotations

import operator
from collections import Counter

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern, jacobian_pattern_at, numerical_jacobian_pattern

X = np.array([0.8, 1.7, 0.6, 1.1, 0.5, 1.4, 0.9])
CALLED = Counter()


class Part:
    def __init__(self, a, b):
        self.a, self.b = a, b


def counted(v):
    CALLED["key"] += 1
    return -v


def nearest(x):
    places = x[:6].reshape(3, 2)
    return min(places, key=lambda q: (q[0] - x[6]) ** 2 + q[1] ** 2)


def lists_stay_themselves(x):
    rows = [list(row) for row in zip(x, x[::-1], strict=True)]
    lowest = sorted(rows[:3], key=lambda row: row[0])[0]
    lowest.append(1)
    return [len(row) * x[0] for row in rows], lowest[1]


def how_often(x):
    before = CALLED["key"]
    order = sorted([Part(v, v) for v in x[:5]], key=lambda part: counted(1.0) + 0 * part.a)
    first = min([Part(v, v) for v in x[:3]], key=lambda part: counted(2.0))
    return (CALLED["key"] - before) * x[0] + order[0].b * first.b


CALLS = {
    "numbers": lambda x: sorted(x, key=lambda v: -v),
    "numbers of Python's": lambda x: sorted(x.tolist(), key=abs, reverse=True)[:2],
    "places": lambda x: [x[::-1][i] for i in sorted(range(7), key=lambda i: x[i])],
    "the largest": lambda x: sum(
        x[i] for i in sorted(range(7), key=lambda i: x[i], reverse=True)[:3]
    ),
    "tuples": lambda x: [
        b for _, b in sorted(zip(x, x[::-1], strict=True), key=lambda pair: pair[0])
    ],
    "the least place": lambda x: x[min(range(7), key=lambda i: x[i]) - 1],
    "the least of objects": lambda x: (lambda part: part.a * part.b)(
        max([Part(a, b) for a, b in zip(x, x[::-1], strict=True)], key=lambda p: p.a**2)
    ),
    "names": lambda x: (lambda d: d[max(d, key=d.get)])(dict(zip("abcdefg", x, strict=True))),
    "arrays": nearest,
    "nothing": lambda x: min([], key=abs, default=x[0]) * max(x[:3], key=lambda v: -v, default=0.0),
    "lists": lists_stay_themselves,
    "how often": how_often,
}


@pytest.mark.parametrize("name", CALLS)
def test_jacobians(name):
    f = CALLS[name]
    wanted = numerical_jacobian_pattern(f, X, low=0.4, high=1.9, points=80)
    assert_same_pattern(st.jacobian_sparsity(f, X), wanted)
    assert_same_pattern(st.jacobian_sparsity(f, X, local=True), jacobian_pattern_at(f, X))


def test_of_many_items():
    def f(x):
        return min(range(90), key=lambda i: x[i]) * x[0], min(x, key=lambda v: v**2)

    pattern = st.jacobian_sparsity(f, np.ones(90)).toarray()
    assert pattern.sum(axis=1).tolist() == [1, 90]


@pytest.mark.parametrize("local", [False, True])
def test_rows_that_are_sorted_by_one_of_their_numbers(local):
    def f(x):
        return sorted(x[:6].reshape(3, 2), key=operator.itemgetter(1))[0]

    expected = [[1, 0, 1, 0, 1, 0, 0], [0, 1, 0, 1, 0, 1, 0]]
    if local:
        expected = [[0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0]]
    assert_same_pattern(st.jacobian_sparsity(f, X, local=local), expected)
