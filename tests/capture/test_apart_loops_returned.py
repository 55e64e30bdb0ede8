"""Iterations that end early, and return what they have kept of each turn."""

from __future__ import annotations

import functools
import queue

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_covers, dense, hessian_pattern_at, jacobian_pattern_at

RUNS: queue.SimpleQueue[int] = queue.SimpleQueue()
"""How often a function is run: queues are left as they are."""
POINT = np.linspace(0.4, 1.9, 6)


def step(y):
    return np.minimum(y, 0.9 * y + 0.05 * np.roll(y, 1))


def difference(old, new):
    return np.linalg.norm(new - old) / np.maximum(np.linalg.norm(old), 1e-9)


def fitted(x, most=200):
    RUNS.put(1)
    y, history = x[:4] * x[1:5], np.zeros(most)
    for i in range(most):
        old = y
        y = 0.6 * y + 0.1 * x[2:]
        history[i] = difference(old, y)
        if history[i] < 1e-3:
            break
    return y, {"history": history[: i + 1]}


def joined(x, most=200):
    RUNS.put(1)
    y, history = x.copy(), np.zeros(most)
    for i in range(most):
        old = y
        y = step(y)
        history[i] = difference(old, y)
        if history[i] < 1e-2:
            break
    return np.concatenate([y, history[: i + 1]])


def each_by_itself(x, most=300):
    """Of each element of the history a window of the inputs alone."""
    RUNS.put(1)
    history = np.zeros(most)
    y = x[0] * x[1]
    for i in range(most):
        history[i] = x[i % 6] * 2.0
        y = y * 0.5
        if y < 0.01:
            break
    return history[: i + 1]


def before_the_last(x, most=300):
    RUNS.put(1)
    history = np.zeros(most)
    y = x[0] * x[1]
    for i in range(most):
        y = y * 0.5
        if y < 0.01:
            i -= 1
            break
        history[i] = x[i % 6] ** 2
    return history[: i + 1] * x[5], y


@functools.lru_cache
def weights(n):
    return np.ones(n)


class System:
    """A solver that works in its own matrix, and has asked a cache."""

    def __init__(self, n):
        self.matrix, self.weights = np.ones((3, n)), weights
        self.main = np.full(n, 2.0) * weights(n)

    def with_diagonal(self, d):
        self.matrix[1] = self.main + d
        return self.matrix

    def solve(self, y):
        return y / (self.matrix[1] + 1.0)


def by_an_object(x, most=300):
    RUNS.put(1)
    system, w = System(6), np.ones(6)
    history = np.zeros(most)
    for i in range(most):
        system.with_diagonal(w)
        y = system.solve(w * x)
        new = 1.0 / (1.0 + (x - y) ** 2)
        history[i] = difference(w, new)
        if history[i] < 1e-3:
            break
        w = new
    return y, w, history[: i + 1]


def mean_of_them(x, most=200):
    RUNS.put(1)
    history = np.zeros(most)
    y = x
    for i in range(most):
        y = step(y)
        history[i] = y[0]
        if y.sum() < 1.0:
            break
    return history[: i + 1].mean(), history[i]


CASES = [fitted, joined, each_by_itself, before_the_last, by_an_object, mean_of_them]


@pytest.mark.parametrize("f", CASES)
def test_nothing_is_missing_and_there_are_few_runs(f):
    while not RUNS.empty():
        RUNS.get()
    pattern = st.jacobian_sparsity(f, POINT, verify=False)
    assert RUNS.qsize() < 40
    size = jacobian_pattern_at(f, POINT).shape[0]
    assert pattern.shape == (size, 6)
    rng = np.random.default_rng(4)
    seen = 0
    for _ in range(10):
        x = POINT * rng.uniform(0.99, 1.01, 6)
        found = jacobian_pattern_at(f, x)
        if len(found) == size:
            seen += 1
            assert_covers(pattern, found)
    assert seen


def test_of_each_turn_what_it_has_kept():
    pattern = dense(st.jacobian_sparsity(each_by_itself, POINT, verify=False))
    expected = np.arange(6) == np.arange(len(pattern))[:, None] % 6
    np.testing.assert_array_equal(pattern, expected)


def test_what_differs_is_said():
    pattern = st.jacobian_sparsity(joined, POINT, verify=False)
    assert any("another number of values" in line for line in pattern.left_out)


def test_second_order():
    def f(x):
        return mean_of_them(x)[0] ** 2

    pattern = st.hessian_sparsity(f, POINT, verify=False)
    assert_covers(pattern, hessian_pattern_at(f, POINT))


def test_a_loop_whose_turns_are_few_is_followed_to_each_end():
    def f(x):
        history = np.zeros(6)
        for i in range(6):
            history[i] = x[i]
            if x[i] > 1.0:
                break
        return history[: i + 1]

    x = np.array([0.5, 0.5, 2.0, 0.5, 0.5, 0.5])
    np.testing.assert_array_equal(dense(st.jacobian_sparsity(f, x)), np.eye(3, 6))


def weights_at_first(x, most=300):
    """The first turn may end it, with what it began with."""
    RUNS.put(1)
    w, y, history = np.ones(6), x, np.zeros(most)
    for i in range(most):
        y = w * step(y)
        history[i] = y[i % 6]
        if y.sum() < 1.0:
            break
        w = 1.0 / (1.0 + y)
    return w, history[: i + 1]


def held_elsewhere(x, most=300):
    """What it begins with is seen under another name, too: a write shows there."""
    RUNS.put(1)
    w = x * 1.0
    first, kept = w, [w]
    for _ in range(most):
        if w.sum() < 1.0:
            break
        w = w * 0.5
    w[0] = x[1] * x[2]
    return first[0], kept[0][0], w[0]


def in_a_list(x, most=300):
    RUNS.put(1)
    rows = [x * 1.0, x[::-1] * 1.0]
    w = rows[0]
    for i in range(most):
        if w[i % 6] < 0.1:
            break
        w = w * 0.5 if i > 3 else rows[1]
    w[0] += x[3]
    return rows[0][0], rows[1][0], w[0]


@pytest.mark.parametrize("f", [weights_at_first, held_elsewhere, in_a_list])
def test_arrays_that_a_loop_begins_with(f):
    while not RUNS.empty():
        RUNS.get()
    pattern = st.jacobian_sparsity(f, POINT, verify=False)
    assert RUNS.qsize() < 40
    rng = np.random.default_rng(4)
    points = [POINT, *(POINT * rng.uniform(0.02, 1.1, 6) for _ in range(12))]
    found = [jacobian_pattern_at(f, x) for x in points]
    same = [one for one in found if one.shape == pattern.shape]
    assert same
    assert_covers(pattern, np.any(same, axis=0))
