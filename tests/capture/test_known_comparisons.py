"""Comparisons that earlier ones of the same number decide are no branches."""

from __future__ import annotations

import math
from queue import SimpleQueue

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern, numerical_jacobian_pattern
from sparsetrace.capture.known_comparisons import KnownComparisons

GRID = np.linspace(0.0, 1.0, 9)
START = np.full(10, 0.5)


def bracket(x, last):
    """The interval of a table, searched from the last one in growing steps, then by bisection."""
    high, most, step = last + 1, len(GRID) - 1, 1
    while x <= GRID[last]:
        high = last
        last -= step
        if last < 0:
            last = 0
            if x < GRID[0]:
                return last
            break
        step += step
    high = min(high, most)
    while x > GRID[high]:
        last = high
        high += step
        if high >= most:
            if x > GRID[most]:
                return most
            high = most
            break
        step += step
    while high - last > 1:
        middle = (high + last) // 2
        if x < GRID[middle]:
            high = middle
        else:
            last = middle
    return last


def searched(x):
    at = bracket(x[0], 5)
    return np.array([x[1 + at] * x[0]])


def by_turns(x):
    at = 0
    while at < len(GRID) - 1 and GRID[at + 1] <= x[0]:
        at += 1
    return np.array([x[0] * x[1 + at]])


def as_a_float(x):
    v = float(x[0])
    if v < 0.25:
        return np.array([x[1]])
    if GRID[2] > v:  # 0.25
        return np.array([x[2]])
    if 0.5 < v < 0.75:
        return np.array([x[3]])
    if v >= 0.5:
        if v > 0.5:
            return np.array([x[4] if v >= 0.75 else x[5]])
        return np.array([x[6]])  # where v is one number alone
    return np.array([x[7]])


def between_whole_numbers(x):
    v = x[0] * 10
    return np.array([x[1] if v > 2 else x[2] if v >= 3 else x[3]])


def both_sides(x):
    low = x[1] if x[0] < 0.5 else x[2]
    high = x[3] if x[0] > 0.5 else x[4]
    return np.array([low * high])


def one_truth(x):
    """A truth value that is asked for again has the outcome that it had."""
    above, v = x[0] > x[1], x[2]
    low = x[3] if above else x[4]
    high = x[5] if above == 0 else x[6] if above != 0 else x[9]
    if v == 0.0:
        low = low * x[7]
    if v != 0:
        low = low * x[8]
    return np.array([low * high])


def two_numbers(x):
    """Two numbers have one order, NaN or not."""
    v, w = x[0], x[1]
    with np.errstate(invalid="ignore"):
        w = np.sqrt(w)
    if v < w:
        return np.array([x[2] if w > v else x[3]])
    if v != w:
        return np.array([x[4] if v > w else x[5]])  # above, or one of them is NaN
    return np.array([x[6] if w >= v else x[7]])


def tried_until_it_works(x):
    """One outcome of a comparison is the same in all turns of a loop."""
    v, w, step = x[0], x[1], 1e-8
    for _ in range(30):
        try:
            return np.array([math.log((v * step if v < w else w) - x[2]) * x[3]])
        except ValueError:
            step = step + step
    return np.array([x[4]])


def zero_or_not(x):
    v = x[0]
    if v:
        return np.array([x[1]])
    return np.array([x[2] if v > -1.0 else x[3]])


@pytest.mark.parametrize("f", [searched, by_turns, between_whole_numbers, both_sides])
def test_patterns(f):
    wanted = numerical_jacobian_pattern(f, START, points=200, low=-0.2, high=1.2)
    assert_same_pattern(st.jacobian_sparsity(f, START), wanted)


def test_chained_and_reflected_comparisons():
    pattern = st.jacobian_sparsity(as_a_float, START).toarray()
    # x[6] where x[0] is 0.5 and nothing else: no difference quotient shows that
    assert pattern.nonzero()[1].tolist() == [1, 3, 4, 6, 7]


def test_a_truth_value_is_decided_once():
    runs = SimpleQueue()

    def f(x):
        runs.put(None)
        return one_truth(x)

    pattern = st.jacobian_sparsity(f, START).toarray()
    assert pattern.nonzero()[1].tolist() == [3, 4, 5, 6, 7, 8]
    hessian = st.hessian_sparsity(lambda x: f(x)[0], START).toarray()
    assert not hessian[3, 5]
    assert not hessian[7, 8]
    assert hessian[3, 6]
    while not runs.empty():
        runs.get()
    st.jacobian_sparsity(f, START)
    assert runs.qsize() == 4


def test_two_numbers_have_one_order():
    pattern = st.jacobian_sparsity(two_numbers, START).toarray()
    assert pattern.nonzero()[1].tolist() == [2, 4, 5, 6]
    wanted = numerical_jacobian_pattern(two_numbers, START, points=60, low=-1.0, high=1.0)
    assert wanted.nonzero()[1].tolist() == [2, 4, 5]  # the numbers are never equal there


def test_a_loop_with_one_comparison_has_few_paths():
    pattern = st.jacobian_sparsity(tried_until_it_works, START).toarray()
    assert pattern.nonzero()[1].tolist() == [0, 1, 2, 3, 4]


def test_a_number_that_is_no_zero_is_nonzero():
    pattern = st.jacobian_sparsity(zero_or_not, START).toarray()
    assert pattern.nonzero()[1].tolist() == [1, 2]


def test_a_search_has_no_more_paths_than_the_table_intervals():
    runs = SimpleQueue()

    def f(x):
        runs.put(None)
        return searched(x)

    st.jacobian_sparsity(f, START)
    assert runs.qsize() <= 2 * len(GRID)


def unordered(x):
    with np.errstate(invalid="ignore"):
        v = np.sqrt(x[0])
    if v <= 1.0:
        return np.array([x[1]])
    return np.array([x[2] if v > 1.0 else x[3]])


def unordered_at_last(x):
    with np.errstate(invalid="ignore"):
        v = np.sqrt(x[0])
    if v > 1.0:
        return np.array([x[1]])
    if v > 2.0:  # never, be it NaN or not
        return np.array([x[4]])
    return np.array([x[2] if v <= 1.0 else x[3]])


@pytest.mark.parametrize("f", [unordered, unordered_at_last])
def test_a_number_may_be_nan(f):
    """Then it is neither below nor above a constant."""
    wanted = numerical_jacobian_pattern(f, START, points=60, low=-2.0, high=2.0)
    assert wanted[0, 3]
    assert_same_pattern(st.jacobian_sparsity(f, START), wanted)


def other_numbers(x):
    v, out = x[0], 0.0
    for i in range(3):
        if v > 0.5:
            out = out + x[1 + i]
        v = v - 0.3  # another number by the same name
    return np.array([out])


def in_calls(x):
    def one(v, i):
        if v > 0.5:
            return x[1 + i] if v > 0.7 else x[4 + i]
        return 0.0

    return np.array([one(x[0], 0) + one(1 - x[0], 1)])


def of_equal_elements(x):
    out = np.zeros(2)
    v = x[0]
    if v > 0.5:
        out[0] = x[1]
    x = x[::-1] * 1.0
    v = x[0]
    if v > 0.5:
        out[1] = x[1]
    return out


@pytest.mark.parametrize("f", [other_numbers, in_calls, of_equal_elements])
def test_each_number_has_an_interval_of_its_own(f):
    wanted = numerical_jacobian_pattern(f, START, points=200, low=-0.2, high=1.2)
    assert_same_pattern(st.jacobian_sparsity(f, START), wanted)


def test_outcomes_are_those_of_numbers():
    """Whatever was decided of a number before, an outcome that is known is the number's own."""
    rng = np.random.default_rng(0)
    ufuncs = [np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal]
    decided = 0
    for _ in range(300):
        number, known = object(), KnownComparisons()
        value = rng.choice([*np.arange(5.0), 0.5, 2.5, -np.inf, np.inf, np.nan])
        for _ in range(8):
            comparison = number, ufuncs[rng.integers(6)], float(rng.integers(5))
            true = bool(comparison[1](value, comparison[2]))
            outcome = known.outcome(comparison)
            assert outcome in (None, true)
            decided += outcome is not None
            known.learn(comparison, outcome=true)
    assert decided > 500
