"""What ``np.unique`` tells beside the set, where the values are not known.

The oracles are plain calls, and the union of the patterns at many points, some with equal values.
"""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_covers, dense, numerical_jacobian_pattern

N = 6


def found_again(x):
    values, inverse = np.unique(x, return_inverse=True)
    return np.sin(values)[inverse]


def in_groups(x):
    _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    return np.cumsum(counts)[inverse] * x


def weighted(x):
    values, counts = np.unique(x[1:] * x[0], return_counts=True)
    return [(values * counts).sum() / counts.sum()]


def first_places(x):
    values, index = np.unique(x[:4], True)
    return [(values[:1] * x[index[0]]).sum(), x[5]]


def all_of_them(x):
    _, index, inverse, counts = np.unique(x[:3], True, True, True)
    return np.r_[x[3:][inverse] * counts[inverse], x[index].sum()]


def of_rows(x):
    values, inverse = np.unique(x.reshape(2, 3), return_inverse=True)
    return (values[inverse] * x.reshape(2, 3)).sum(axis=0)


def ties(x):
    scores, gains = x[:3], x[3:]
    _, inverse, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    ranked = np.zeros(len(counts))
    np.add.at(ranked, inverse, gains)
    discounts = np.diff(np.r_[0.0, np.array([1.0, 1.6, 2.1])[np.cumsum(counts) - 1]])
    return [(ranked / counts * discounts).sum()]


def matched(x):
    _, inverse, counts = np.unique(x[:3], return_inverse=True, return_counts=True)
    values, others = np.unique(x[3:], return_counts=True)
    return np.interp(np.cumsum(counts) / 3, np.cumsum(others) / 3, values)[inverse]


def in_one_alone(x):
    return [np.setxor1d(x[:3], x[2:]).sum(), np.sin(np.setxor1d(x[:2], [0.5, x[4]])).max()]


def by_names(x):
    all_four = np.unique_all(x[:4])
    again = np.sin(all_four.values)[all_four.inverse_indices]
    return [(all_four.values * all_four.counts).sum(), (x[all_four.indices] ** 2).sum(), *again]


def by_other_names(x):
    values, counts = np.unique_counts(x[:3])
    other = np.unique_inverse(x[3:].reshape(3, 1))
    return np.r_[(values * counts).sum(), np.ravel(other.values[other.inverse_indices])]


def with_every_nan(x):
    values, inverse = np.unique(x[:4], return_inverse=True, equal_nan=False)
    return np.r_[np.sin(values)[inverse], np.unique(x[3:], equal_nan=False).sum()]


FUNCTIONS = {
    f.__name__: f
    for f in (
        *(found_again, in_groups, weighted, first_places, all_of_them, of_rows, ties, matched),
        *(in_one_alone, by_names, by_other_names, with_every_nan),
    )
}


def points():
    rng = np.random.default_rng(2)
    for _ in range(40):
        x = rng.uniform(0.2, 2.0, N)
        yield x
        x[rng.integers(N)] = x[rng.integers(N)]
        yield x


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_dependency_is_lost(name):
    f = FUNCTIONS[name]
    pattern = st.jacobian_sparsity(f, np.linspace(0.3, 0.9, N))
    assert_covers(pattern, numerical_jacobian_pattern(f, np.ones(N), low=0.2, high=2.0))
    for x in points():
        assert_covers(pattern, st.jacobian_sparsity(f, x, local=True))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("in_groups", np.eye(N)),
        ("ties", [[0, 0, 0, 1, 1, 1]]),
        ("matched", np.kron([[0, 1]], np.ones((3, 3)))),
    ],
)
def test_counts_and_places_have_no_derivatives(name, wanted):
    pattern = st.jacobian_sparsity(FUNCTIONS[name], np.linspace(0.3, 0.9, N))
    np.testing.assert_array_equal(dense(pattern), wanted)


def test_values_that_are_followed_show_in_them():
    pattern = st.jacobian_sparsity(in_groups, np.linspace(0.3, 0.9, 3), dependency=True)
    assert dense(pattern).all()


@pytest.mark.parametrize("size", [30, 100])
def test_sets_of_many_elements_are_not_decided(size):
    pattern = st.jacobian_sparsity(in_groups, np.linspace(0.3, 0.9, size))
    np.testing.assert_array_equal(dense(pattern), np.eye(size))


@pytest.mark.parametrize("size", [4, 30])
def test_an_exclusive_union_as_the_result(size):
    x = np.arange(1.0, size + 1)
    pattern = st.jacobian_sparsity(lambda x: np.setxor1d(x, [2.0, 3.0, 0.5]), x)
    assert pattern.shape == (size - 1, size)
    assert pattern.left_out
    at_point = st.jacobian_sparsity(lambda x: np.setxor1d(x, [2.0, 3.0, 0.5]), x, local=True)
    assert_covers(pattern, at_point)


@pytest.mark.parametrize("options", [{"axis": 0}, {"equal_nan": 0}])
def test_by_an_axis_they_are_refused(options):
    with pytest.raises(st.ValueDependentError, match=r"np\.unique"):
        st.jacobian_sparsity(
            lambda x: np.unique(x.reshape(2, 3), return_counts=True, **options)[0].sum(),
            np.ones(N),
        )
