"""Ranges between numbers that the inputs decide: of any number of elements."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st

POINTS = np.random.default_rng(5).uniform(0.6, 1.4, (12, 6)) * [0.5, 4.0, 1.0, 1.0, 1.0, 1.0]


def levels(x):
    """As many levels as the table has rows, from the least number to the largest."""
    step = (x.max() - x.min()) / 3.0
    cuts = np.arange(x.min(), x.max() + np.finfo(float).eps, step)
    table = np.zeros((4, 2))
    table[:, 0] = cuts.T
    for i in range(1, 4):
        table[i, 1] = np.interp(cuts[i], [0.0, 9.0], x[2:4])
    return table


def steps(x, end=0.0):
    return np.arange(x[0], x[1] + end, x[2] / 4)


EXACT = {
    "extreme": lambda x: steps(x).min() * x[3],
    "mean": lambda x: np.sin(steps(x)).mean(),
    "difference of two": lambda x: steps(x)[2] - steps(x)[1] + x[0],
    "product of two": lambda x: steps(x)[2] * steps(x)[1],
    "a part": lambda x: (steps(x)[1:3] * x[3]).max(),
    "each beside each": lambda x: (steps(x)[:, None] * x[3:]).max(axis=0),
    "written into an array": lambda x: [y := np.ones((2, 3)), y.__setitem__(1, steps(x)[:1])][0],
    "chosen": lambda x: np.where(steps(x) > 1.0, x[3], x[4]).max(),
    "a branch": lambda x: x[3] if steps(x)[1] > steps(x)[0] * 3 else x[4],
    "a branch on equality": lambda x: x[3] if steps(x)[1] == steps(x)[0] else x[4],
    "several places": lambda x: steps(x)[[1, 2]] * x[3:5],
    "places by an input": lambda x: steps(x)[np.argmax(x[:3])] * 2.0,
    "a conversion": lambda x: np.asarray(steps(x), dtype=float)[1],
    "of whole ends and a step": lambda x: np.arange(0, 9, x[2])[1],
    "of one end": lambda x: np.arange(x[1])[1] * x[0],
    "of named ends": lambda x: np.arange(start=x[0], stop=x[1])[0],
}


@pytest.mark.parametrize("name", EXACT)
def test_nothing_is_missing(name):
    f = EXACT[name]
    pattern = st.jacobian_sparsity(f, POINTS[0]).toarray()
    for x in POINTS:
        assert not (st.jacobian_sparsity(f, x, local=True).toarray() & ~pattern).any()
    assert not pattern[:, 5 if name != "each beside each" else 1].any()


def test_a_table_with_a_row_for_each_level():
    pattern = st.jacobian_sparsity(levels, POINTS[0]).toarray()
    for x in POINTS:
        try:
            levels(x)
        except ValueError:  # it has a level more or less by rounding
            continue
        assert not (st.jacobian_sparsity(levels, x, local=True).toarray() & ~pattern).any()
    assert not pattern[1].any()


def test_hessians():
    pattern = st.hessian_sparsity(lambda x: steps(x)[2] * steps(x)[1], POINTS[0]).toarray()
    expected = np.zeros((6, 6), bool)
    expected[np.ix_([0, 2], [0, 2])] = True
    assert np.array_equal(pattern, expected)


COUNTING = {
    "length": lambda x: x * len(steps(x)),
    "size": lambda x: x * steps(x).size,
    "np.size": lambda x: x * np.size(steps(x)),
    "shape": lambda x: x * steps(x).shape[0],
    "sum": lambda x: steps(x).sum(),
    "sum over an axis": lambda x: (steps(x)[:, None] * x).sum(axis=0),
    "spread": lambda x: np.var(steps(x)),
    "truths": lambda x: x * np.count_nonzero(steps(x) > 2.0),
    "sum of truths": lambda x: x * (steps(x) > 2.0).sum(),
    "place of the largest": lambda x: x[np.argmax(steps(x)) % 6],
    "places": lambda x: x[steps(x).astype(int)].max(),
    "a mask of another": lambda x: np.ones(3)[steps(x) > 1.0].sum() * x,
    "those of a mask": lambda x: steps(x)[steps(x) > 1.0].max(),
    "search": lambda x: x[np.searchsorted(steps(x), x[0])],
    "joined": lambda x: np.concatenate([steps(x), x]).max(),
    "loop": lambda x: [v * 2 for v in steps(x)],
    "list": lambda x: steps(x).tolist(),
    "inner product": lambda x: steps(x) @ steps(x),
    "differences": lambda x: np.diff(steps(x)).max(),
    "cumulative": lambda x: np.cumsum(steps(x)).max(),
    "interpolation": lambda x: np.interp(x, steps(x), steps(x)),
    "order": lambda x: np.sort(steps(x))[0],
    "target": lambda x: np.add(steps(x), 1.0, out=np.zeros(3)),
    "written": lambda x: steps(x).__setitem__(0, x[3]),
    "whole numbers": lambda x: np.arange(x[0], x[1], dtype=int) * x[2],
}


@pytest.mark.parametrize("name", COUNTING)
def test_whoever_asks_how_many_there_are_is_refused(name):
    with pytest.raises(st.ValueDependentError, match=r"np\.arange .*how many elements it has"):
        st.jacobian_sparsity(COUNTING[name], POINTS[0])


def several(x):
    t = steps(x)
    return {"t": t, "x": x, "y": np.exp(-t) * x[5]}


RESULTS = {
    "alone": steps,
    "of others": lambda x: steps(x)[:, None] * x,
    "several": several,
    "of some": lambda x: steps(x)[1:],
}


@pytest.mark.parametrize("name", RESULTS)
def test_as_a_result_there_are_as_many_as_for_the_arguments(name):
    f = RESULTS[name]
    for x in POINTS:
        pattern = st.jacobian_sparsity(f, x)
        found = st.jacobian_sparsity(f, x, local=True).toarray()
        assert pattern.shape == found.shape
        assert pattern.left_out
        assert not (found & ~pattern.toarray()).any()
        assert not pattern.toarray()[:, 1].any() or name in ("of others", "several")


def test_any_number_of_them_may_be_weighted():
    pattern = st.lagrangian_hessian_sparsity(lambda x: steps(x) ** 2, POINTS[0]).toarray()
    expected = np.zeros((6, 6), bool)
    expected[np.ix_([0, 2], [0, 2])] = True
    assert np.array_equal(pattern, expected)


def test_two_ranges_are_refused():
    with pytest.raises(st.ValueDependentError, match="how many elements it has"):
        st.jacobian_sparsity(lambda x: [steps(x), steps(x, 1.0)], POINTS[0])


def test_the_error_names_the_line_of_the_range():
    def f(x):
        cuts = np.arange(x[0], x[1], x[2])
        lower = cuts * 2.0
        return lower.sum()

    with pytest.raises(st.ValueDependentError) as caught:
        st.jacobian_sparsity(f, POINTS[0])
    assert caught.value.lineno == f.__code__.co_firstlineno + 1


def test_values_that_are_followed_need_the_number():
    with pytest.raises(st.ValueDependentError, match="how many elements it has"):
        st.jacobian_sparsity(EXACT["mean"], POINTS[0], dependency=True)
