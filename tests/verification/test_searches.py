"""Functions that find a number by halving an interval, constant on each path, are told so."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.optimize

from oracles import assert_same_pattern
from sparsetrace import VerificationError, hessian_sparsity, jacobian_sparsity

pytestmark = pytest.mark.usefixtures("seen_functions")

X = np.array([0.3, 0.7, 0.5])


def halved(g, low, high):
    for _ in range(50):
        middle = 0.5 * (low + high)
        if g(middle) > 0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def until_small(g, low, high):
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        if g(low) * g(middle) <= 0:
            high = middle
        else:
            low = middle
    return low


def golden(g, low, high):
    """The root of g as the minimum of its square."""
    ratio = (math.sqrt(5) - 1) / 2
    while high - low > 1e-6:
        third, other = high - ratio * (high - low), low + ratio * (high - low)
        if g(third) ** 2 < g(other) ** 2:
            high = other
        else:
            low = third
    return 0.5 * (low + high)


def cube(search):
    """A function whose first output is the cubic root of what depends on two inputs."""
    return lambda x: [search(lambda t: t**3 - x[1] ** 2 - x[0] ** 2, 0.0, 3.0) * 2, x[2] ** 2]


def of_arrays(x):
    low, high = np.zeros(3), np.full(3, 4.0)
    for _ in range(40):
        middle = 0.5 * (low + high)
        above = middle**3 > x**2
        high, low = np.where(above, middle, high), np.where(above, low, middle)
    return low


def of_masks(x):
    low, high = np.zeros(3), np.full(3, 4.0)
    for _ in range(40):
        middle = 0.5 * (low + high)
        above = middle**3 > x**2
        high[above] = middle[above]
        low[~above] = middle[~above]
    return low


def by_digits(x):
    root = np.zeros(3)
    for digit in range(40):
        root = root + ((root + 0.5**digit) ** 2 <= x**2 + 0.1) * 0.5**digit
    return root


EXACT = [[1, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("search", [halved, until_small, golden])
def test_a_search_follows_what_it_compares(search, local):
    pattern = jacobian_sparsity(cube(search), X, local=local)
    assert_same_pattern(pattern, EXACT)
    (line,) = pattern.taken_whole
    assert "halving an interval" in line
    assert jacobian_sparsity(cube(search), X, local=local, verify=False).nnz < pattern.nnz


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("f", [of_arrays, by_digits, of_masks])
def test_searches_of_arrays_follow_what_they_compare_too(f, local):
    pattern = jacobian_sparsity(f, X, local=local)
    assert_same_pattern(pattern, np.eye(3))
    assert "halving an interval" in pattern.taken_whole[-1]


def each_halved(x):
    """A search for each pair of neighbours."""
    return [
        halved(lambda t, i=i: t**3 + x[i] * t - x[i + 1] ** 2, 0.0, 3.0) for i in range(len(x) - 1)
    ]


def each_cubed(x):
    def root(a, b):
        low, high = 0.0, 3.0
        while high - low > 1e-9:
            middle = 0.5 * (low + high)
            if middle**3 + a * middle - b > 0:
                high = middle
            else:
                low = middle
        return middle

    return [root(x[i], x[i + 1]) for i in range(len(x) - 1)]


@pytest.mark.parametrize("f", [each_halved, each_cubed])
def test_each_of_several_searches_follows_its_own(f):
    x = np.linspace(0.3, 0.9, 7)
    assert_same_pattern(jacobian_sparsity(f, x), np.eye(6, 7) + np.eye(6, 7, 1))


def test_a_search_behind_a_branch_is_found_on_whatever_path_it_is():
    def f(x):
        if x[0] < 0.1:
            return [x[0], x[2]]
        return [halved(lambda t: t**3 - x[1], 0.0, 3.0), x[2]]

    pattern = jacobian_sparsity(f, X)
    assert pattern.toarray()[0, 1]
    assert pattern.toarray()[1, 2]


@pytest.mark.parametrize("local", [False, True])
def test_nor_are_its_second_derivatives(local):
    with pytest.raises(VerificationError, match="halving an interval"):
        hessian_sparsity(lambda x: sum(of_arrays(x)), X, local=local)


def test_the_ways_out():
    assert jacobian_sparsity(of_arrays, X, verify=False).nnz == 0
    values = jacobian_sparsity(of_arrays, X, dependency=True)
    assert_same_pattern(values, np.eye(3))

    def found(x):
        root = scipy.optimize.brentq(lambda t: t**3 - x[1] ** 2 - x[0] ** 2, 0.0, 3.0)
        return [root * 2, x[2] ** 2]

    for local in (False, True):
        assert_same_pattern(jacobian_sparsity(found, X, local=local), [[1, 1, 0], [0, 0, 1]])


def test_steps_and_jumps_are_constant_all_the_same():
    def counted(x):
        above = 0.0
        for v in np.tile(x, 20):
            if v > 0.4:
                above += 1.0
        return x * above

    def stepped(x):
        for _ in range(40):
            x = np.where(x > 0.5, 1.0, 2.0) * x
        return x

    for f in (counted, stepped):
        for local in (False, True):
            assert_same_pattern(jacobian_sparsity(f, X, local=local), np.eye(3))


def test_functions_that_cannot_be_asked_twice_are_left_alone():
    calls = []

    def counts(x):
        calls.append(len(calls))
        return [x[0] * len(calls) for _ in range(20) if x[1] > 0]

    def fails(x):
        if isinstance(x, np.ndarray) and type(x) is np.ndarray and calls:
            raise ValueError("once alone")
        return [v if v > 0 else -v for v in np.tile(x, 10)]

    assert jacobian_sparsity(counts, X, local=True).nnz == 20
    assert jacobian_sparsity(fails, X).nnz == 30


def test_few_plain_calls_are_made():
    plain = []

    def f(x):
        if type(x) is np.ndarray:
            plain.append(x)
        return [v if v > 0 else -v for v in np.tile(x, 10)]

    jacobian_sparsity(f, X)
    assert len(plain) <= 6
