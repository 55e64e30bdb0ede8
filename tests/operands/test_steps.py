"""A point where a step is taken: the pattern holds what it is nearby, where f has a derivative."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
import scipy.interpolate
import scipy.signal
import scipy.stats

import sparsetrace as st
from oracles import assert_covers, hessian_pattern_at, jacobian_pattern_at

ZEROS, ONES = np.zeros(4), np.ones(4)
MIXED = np.array([0.0, 1.0, 0.0, 2.0])


def skipped_where_zero(x):
    """The terms of a sum, but for those that add nothing."""
    total = 0.0
    for i in range(1, 4):
        if x[i] == 0:
            continue
        total = total + x[i] * (3.0 + x[0])
    return total


def nothing_to_do(x):
    if not np.any(x):
        return np.zeros(4)
    return np.cumsum(x)


def upwind(x):
    u, d = x - 1.0, np.roll(x, 1) + 2.0
    return np.where(u > 0, u, 0.0) * d + np.where(u < 0, u, 0.0) * d


def of_extremes(x):
    low, high = (x[0], x[1]) if x[0] < x[1] else (x[1], x[0])
    top = x[0] if x[0] > x[1] else x[1]
    return low * top + low + high


def between_neighbours(x):
    t = 1.0 + x[0]
    i, j = math.floor(t), math.ceil(t)
    table = np.array([5.0, 3.0, 1.0])
    return (1 - (t - i)) * table[i] + (t - i) * table[j]


def kept(x):
    return sum(filter(None, (3.0 * x).tolist()))


def written_where_nonzero(x):
    y = np.zeros(4)
    y[x != 0] = x[x != 0]
    return y


PROGRAMS = {
    "any": (nothing_to_do, ZEROS),
    "argmax-argmin": (lambda x: x[np.argmax(x[:2])] * x[np.argmin(x[:2])], ONES),
    "astype-bool": (lambda x: x.astype(bool) * (x + 1.0) - x.astype(bool), MIXED),
    "between": (between_neighbours, ZEROS),
    "ceil-floor": (lambda x: (x - 1) * (np.ceil(x) - np.floor(x)), ONES),
    "compress": (lambda x: np.compress(x, x).sum(), MIXED),
    "count": (lambda x: x * np.count_nonzero(x[:1] + x[1:2]) + x[::-1], ZEROS),
    "equal": (skipped_where_zero, MIXED),
    "extremes": (of_extremes, ONES),
    "finite": (lambda x: np.where(np.isfinite(1.0 / x), x, 0.0), MIXED),
    "nan": (lambda x: np.where(x / x == x / x, x, 0.0), MIXED),
    "nan in a test": (lambda x: [v if (1.0 - v) / v <= 5.0 else v * 1.0 for v in x], MIXED),
    "isnan": (lambda x: np.where(np.isnan(0.0 / x), 0.0, x), MIXED),
    "filter": (kept, MIXED),
    "heaviside": (lambda x: x * np.heaviside(x, 0.0) + x * np.heaviside(-x, 0.0), ZEROS),
    "is_integer": (lambda x: x[0] if float(x[0]).is_integer() else x[0] * x[1], ONES),
    "int": (lambda x: x[0] * (int(x[0]) - int(x[0] - 0.5) if x[0] != 1 else 0.0) + x[1], ONES),
    "lagrange": (lambda x: scipy.interpolate.lagrange([0.0, 1, 2, 3], x)(0.5), ONES),
    "logical": (lambda x: np.where(np.logical_and(x, True), x, 0.0), MIXED),
    "lsim": (
        lambda x: scipy.signal.lsim(([[1.0]], [[1.0]], [[1.0]], [[2.0]]), x[:3], [0.0, 1, 2])[1],
        ZEROS,
    ),
    "mask": (written_where_nonzero, MIXED),
    "max-min": (lambda x: max(x[0], x[1]) * min(x[0], x[1]), ONES),
    "nonzero": (lambda x: x[np.nonzero(x)].sum(), MIXED),
    "poly1d": (lambda x: np.poly1d(x)(0.5), ZEROS),
    "Polynomial": (lambda x: (np.polynomial.Polynomial(x) * [1.0, 2.0])(0.5), ZEROS),
    "ranks": (
        lambda x: (
            x[0] * scipy.stats.rankdata([x[0], x[1], x[2]], method="min")[:1]
            + x[0] * scipy.stats.rankdata([-x[0], x[1], x[2]], method="min")[:1]
            - 2.0 * x[0]
        ),
        ZEROS,
    ),
    "ranks compared": (
        lambda x: (x[0] - x[1]) * (scipy.stats.ks_2samp(x[:2], x[1:3]).statistic + 1.0),
        np.array([0.5, 0.5, 1.0, 2.0]),
    ),
    "test": (lambda x: x[0] * scipy.stats.ks_2samp(x[:2], x[2:]).statistic, ZEROS),
    "reduce": (lambda x: functools.reduce(lambda s, v: s + v if v else s, x), MIXED),
    "select": (lambda x: np.select([x < 0, x > 0], [x, x], 0.0), MIXED),
    "setdiff1d": (lambda x: np.setdiff1d(x[1:], x[:1]).sum(), ZEROS),
    "unique": (lambda x: np.unique(x).sum() - np.unique(x[:3]).sum(), ZEROS),
    "sign": (lambda x: x * np.sign(x) ** 2, MIXED),
    "sign-out": (lambda x: x * np.sign(x, out=x.copy()) ** 2, MIXED),
    "squared": (lambda x: x[1] if x[0] ** 2 == 0 else x[1] + x[0] * x[1], np.eye(4)[1]),
    "trunc": (lambda x: (x[1] - 1) * (np.ceil(x[1]) - np.trunc(x[1])), ONES),
    "unlike": (lambda x: np.where(x != 0, x, 0.0), MIXED),
    "where": (lambda x: np.where(x, x, 0.0), MIXED),
    "where=": (lambda x: np.multiply(x, 2.0, where=x != 0, out=np.zeros(4)), MIXED),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_step_at_the_point_hides_no_derivative(name):
    f, x = PROGRAMS[name]
    with np.errstate(all="ignore"):
        known = jacobian_pattern_at(f, x)
    assert known.any()
    assert_covers(st.jacobian_sparsity(f, x, local=True), known)


@pytest.mark.parametrize("x", [ZEROS, ONES, MIXED])
def test_nor_a_second_derivative(x):
    def f(x):
        y = [v * (v + w) if v != 0 else 0.0 for v, w in zip(x, x[::-1], strict=True)]
        return sum(y) + max(x[0], x[1]) * min(x[0], x[1])

    assert_covers(st.hessian_sparsity(f, x, local=True), hessian_pattern_at(f, x))


def test_elsewhere_the_pattern_is_that_of_the_point():
    def f(x):
        return np.where(x[0] > 0, x[1] * x[2], x[3]) + np.floor(x[0]) * x[3]

    pattern = st.jacobian_sparsity(f, np.array([0.5, 0.0, 1.0, 1.0]), local=True)
    assert pattern.toarray().tolist() == [[False, True, False, False]]


def test_results_of_another_size_have_no_derivative():
    def f(x):
        return x[x != 0]

    assert st.jacobian_sparsity(f, MIXED, local=True).toarray().astype(int).tolist() == [
        [0, 1, 0, 0],
        [0, 0, 0, 1],
    ]


def test_where_f_fails_nearby_its_other_side_counts():
    def f(x):
        return [math.acos(v) if v != 1 else 0.0 for v in x[:1]] + [x[1] if x[2] == 0 else x[2]]

    pattern = st.jacobian_sparsity(f, np.array([1.0, 2.0, 0.0]), local=True)
    assert pattern.toarray().astype(int).tolist() == [[1, 0, 0], [0, 1, 1]]


def test_it_runs_once_where_nothing_is_equal():
    from queue import SimpleQueue

    runs = SimpleQueue()

    def f(x):
        runs.put(1)
        return x[0] * x[1] if x[0] > x[1] else x[1]

    st.jacobian_sparsity(f, np.array([2.0, 1.0]), local=True, verify=False)
    assert runs.qsize() == 1
    st.jacobian_sparsity(f, np.array([1.0, 1.0]), local=True, verify=False)
    assert runs.qsize() == 3
