"""Masks and indices that are decided, each on paths of its own."""

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.decided_indices import LONG, case
from oracles import assert_same_pattern


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


@case.parametrize()
def test_hessians_are_those_of_all_points(case):
    def f(x):
        return np.sum(np.sin(case.f(x)))

    points = np.random.default_rng(0).uniform(case.low, case.high, (250, case.shape))
    pattern = st.hessian_sparsity(f, points[0]).toarray()
    expected = np.zeros_like(pattern)
    for number, x in enumerate(points):
        if number >= 50 and np.array_equal(expected, pattern):  # more show nothing more
            break
        expected |= st.hessian_sparsity(f, x, local=True).toarray()
    assert_same_pattern(pattern, expected)


@LONG.parametrize()
def test_long_slices_against_local_traces(case):
    """Nothing is missing; and in the Jacobian nothing more is claimed."""
    points = np.random.default_rng(0).uniform(case.low, case.high, (160, case.shape))
    points[:, 0] = np.linspace(-1.5, 2 * case.shape / 8, 160)  # of which an index may be made
    points[np.arange(case.shape), np.arange(case.shape)] = 99.0
    for detect, f in (
        (st.jacobian_sparsity, case.f),
        (st.hessian_sparsity, lambda x: np.sum(np.sin(case.f(x)))),
    ):
        expected = np.any([detect(f, x, local=True).toarray() for x in points], axis=0)
        pattern = detect(f, points[0]).toarray()
        assert not (expected & ~pattern).any()
        if detect is st.jacobian_sparsity and not case.extra:
            assert_same_pattern(pattern, expected)


@pytest.mark.parametrize(
    "write",
    [
        lambda v: v[1:].fill(0.0),
        lambda v: v[:, None].__setitem__(slice(None), 0.0),
        lambda v: np.copyto(v, 0.0),
        lambda v: v.real.__setitem__(slice(None), 0.0),
        lambda v: v.view().__setitem__(slice(None), 0.0),
        lambda v: np.add.at(v, 0, 1.0),
    ],
)
def test_writes_into_views_of_long_slices_are_refused(write):
    def f(x):
        y = x * 2
        write(y[: np.argmax(x)])
        return y

    with pytest.raises((st.TracingError, ValueError)):
        st.jacobian_sparsity(f, np.ones(99))


def test_numbers_that_differ_by_a_constant_are_decided_together():
    def f(x):
        k = np.argmax(x)
        ends = int(k), 2 + k, int(k + 3) - 1
        widths = [len(range(8)[ends[0] : end]) for end in ends]
        return np.append(x, x)[k : ends[2]] * widths[1:]

    assert st.jacobian_sparsity(f, np.ones(4)).nnz == 8
    assert st.jacobian_sparsity(lambda x: f(x).sum(), np.ones(4)).nnz == 4


def test_of_many_values_none_is_decided():
    def f(x):
        return list(range(100))[np.argmax(x)] * x[0]

    with pytest.raises(st.ValueDependentError, match="an index or a count"):
        st.jacobian_sparsity(f, np.ones(100))


def test_what_has_no_bounds_is_refused():
    with pytest.raises(st.ValueDependentError, match="an index or a count"):
        st.jacobian_sparsity(lambda x: [1.0, 2.0][int(x[0])] * x, np.ones(2))
