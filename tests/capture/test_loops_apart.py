"""Loops that may end in several ways: each turn is run apart, and its ends are united."""

import math
from collections import Counter

import numpy as np
import pytest
from impatient import impatient

from cases.solver_loops import LOOPS, clamped, continued, refused, returned, written
from oracles import dense
from sparsetrace import ValueDependentError, hessian_sparsity, jacobian_sparsity
from sparsetrace.capture.branches import Branches


@pytest.fixture
def runs(monkeypatch):
    """How many runs were begun, of calls and turns too."""
    count = Counter()
    start = Branches.start

    def counting(self):
        count["all"] += 1
        return start(self)

    monkeypatch.setattr(Branches, "start", counting)
    return count


@pytest.mark.parametrize("loop", LOOPS)
def test_nothing_is_missing(loop):
    """All paths of few turns, beside the same run apart."""

    def each(x):
        return [loop(x[0], x[1], 3), loop(x[1], x[2], 3)]

    def total(x):
        return sum(each(x))

    x = np.array([0.5, 1.5, 2.5])
    for take, f in ((jacobian_sparsity, each), (hessian_sparsity, total)):
        everything = dense(take(f, x, max_paths=5000))
        with impatient(1):
            apart = dense(take(f, x, max_paths=5000))
        assert not (everything & ~apart).any()


@pytest.mark.parametrize("loop", [clamped, returned, refused, continued, written])
def test_runs_grow_with_turns(runs, loop):
    """A handful for each turn of each element, and not the square of that."""

    def each(x):
        return [loop(v, 2.0) for v in x]

    counts = []
    for n in (10, 20):
        runs.clear()
        pattern = dense(jacobian_sparsity(each, np.linspace(0.5, 2.0, n)))
        assert np.array_equal(pattern, np.eye(n, dtype=bool))
        counts.append(runs["all"])
    assert counts[1] - counts[0] < 10 * 50 * 8


def test_a_counter_is_read_as_a_number():
    names = [f"turn {k}" for k in range(12)]

    def f(x):
        z, k = x[0], 0
        while z < 5 and k < 11:
            z = z * x[1]
            if z < -5:
                z = -z
            k += 1
        return z * len(names[k]) + math.sin(x[2])

    assert dense(jacobian_sparsity(f, np.ones(3))).tolist() == [[True, True, True]]


def test_a_loop_without_end():
    def solve(v):
        z = v
        while True:
            d = (z * z - v) / (2 * z)
            if d > 1:
                d = 1.0
            z = z - d
            if abs(d) < 1e-9:
                return z

    with pytest.raises(ValueDependentError, match="max_paths"):
        jacobian_sparsity(lambda x: [solve(v) for v in x], np.ones(4))
