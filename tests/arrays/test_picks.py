"""Masks and indices that are decided, each on paths of its own."""

from queue import SimpleQueue

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.decided_indices import LONG, case
from oracles import assert_same_pattern
from sparsetrace.operands.unknown_bounds import enclosed


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


def test_behind_a_mask_only_truth_values_are_named():
    """The bounds of all values, and their names, take ten times as long as the calls."""
    seen = SimpleQueue()  # of which a trace puts nothing back

    def f(x):
        y = x * 1.0
        y[x > 0] = 0.0
        if hasattr(y, "_trace"):
            seen.put(y._trace.bounds)
        return np.sin(y) * y

    pattern = st.jacobian_sparsity(f, np.linspace(-1.0, 1.0, 4))
    assert seen.get() is None
    assert seen.empty()
    assert_same_pattern(pattern.toarray(), np.eye(4))


def _equal_masks(x):
    y = np.abs(x) * 1.0
    y[y > 9] = 9.0
    y[np.abs(x) > 1] = np.sin(x[np.abs(x) > 1])  # two masks of one value
    return y


def _window_behind_a_mask(x):
    y = x * 1.0
    y[x > 9] = 0.0
    return x[np.argmax(y[:2]) + np.arange(2)]


def _end_behind_a_mask(x):
    y = x * 1.0
    y[y > 9] = 0.0
    return np.sum(x[: np.argmax(y[:2]) + 1])


def _same_number_behind_a_mask(x):
    y = x * 1.0
    y[x > 9] = 0.0
    i = int(np.argmax(y[:3]))
    if i == 1:
        return x[0]
    return np.sum(x) if i == 1 else x[i]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (_equal_masks, np.eye(4)),
        (_window_behind_a_mask, [[1, 1, 0, 0], [0, 1, 1, 0]]),
        (_end_behind_a_mask, [[1, 1, 0, 0]]),
        (_same_number_behind_a_mask, [[1, 1, 1, 0]]),
    ],
)
def test_more_is_asked_for_where_it_is_needed(function, expected):
    pattern = st.jacobian_sparsity(function, np.linspace(-1.0, 1.0, 4)).toarray()
    assert_same_pattern(np.atleast_2d(pattern), np.array(expected, bool))


@pytest.mark.parametrize("end", [0.0, -0.0])
def test_bounds_with_a_zero_hold_for_either_sign(end):
    low, high = enclosed(np.divide, (1.0, end), (2.0, 3.0), np.dtype(float)) or (-np.inf, np.inf)
    assert (low, high) == (-np.inf, np.inf)
    assert enclosed(np.multiply, (end, 1.0), (2.0, 2.0), np.dtype(float)) == (0.0, 4.0)
