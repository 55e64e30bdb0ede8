"""Loops that may end in several ways: each turn is run apart, and its ends are united."""

import math

import numpy as np
import pytest
from impatient import impatient

from cases.solver_loops import LOOPS, clamped, continued, for_each, refused, returned, written
from oracles import dense
from sparsetrace import ValueDependentError, hessian_sparsity, jacobian_sparsity


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
def test_many_turns_of_many_elements(loop, whole_heap):
    """The ends of one loop alone are as many as `max_paths` allows, and their paths far more."""
    x = np.linspace(0.5, 2.0, 10)
    pattern = dense(jacobian_sparsity(for_each(loop), x, max_paths=64))
    assert np.array_equal(pattern, np.eye(10, dtype=bool))


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
