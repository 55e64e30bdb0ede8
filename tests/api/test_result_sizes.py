"""Results whose number depends on the inputs: patterns are of as many as at the arguments."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, dense, jacobian_pattern_at


def longer(x):
    return [x[0] * x[1], x[2]] if x[0] > 1 else [x[1]]


@pytest.mark.parametrize(("first", "rows"), [(2.0, [[1, 1, 0], [0, 0, 1]]), (0.5, [[0, 1, 0]])])
def test_as_many_as_at_the_arguments(first, rows):
    pattern = st.jacobian_sparsity(longer, np.array([first, 2.0, 3.0]))
    assert_same_pattern(pattern, rows)
    other = 3 - len(rows)
    assert pattern.left_out == (
        f"{other} values, in place of {len(rows)} as for the given arguments",
    )


def positive(x):
    return x[x > 0] ** 2


def loop(x):
    return [v * x[0] for v in x if v > 0.5]


def of_two_masks(x):
    return [x[x > 0].sum(), *x[:3][x[:3] < 0]]


def ends_soon(x):
    total = []
    for v in x:
        if v < 0:
            break
        total.append(v * v)
    return total


@pytest.mark.parametrize("f", [positive, loop, of_two_masks, ends_soon, np.unique])
def test_the_pattern_holds_wherever_there_are_as_many(f):
    rng = np.random.default_rng(3)
    points = rng.normal(size=(12, 5))
    patterns = {}
    for x in points + 0.3 * np.sign(points):  # no step crosses a mask
        found = jacobian_pattern_at(f, x)
        if len(found):
            pattern = patterns.setdefault(len(found), st.jacobian_sparsity(f, x))
            assert_covers(pattern, found)
            assert pattern.left_out
    assert len(patterns) > 1 or f is np.unique


def test_each_order_of_points_gives_the_same():
    x = np.array([0.7, -1.0, 2.0, 3.0])
    assert (st.jacobian_sparsity(loop, x) != st.jacobian_sparsity(loop, x[::-1].copy())).nnz == 0


def test_no_results_at_the_arguments():
    pattern = st.jacobian_sparsity(positive, np.full(4, -1.0))
    assert pattern.shape == (0, 4)
    assert len(pattern.left_out) == 4


def test_of_runs_that_return_as_many_all_count():
    def f(x):
        if x[0] > 1:
            return x[:2]
        return x[1:3] * x[3] if x[1] > 1 else x

    pattern = st.jacobian_sparsity(f, np.array([2.0, 0.0, 0.0, 0.0]))
    assert_same_pattern(pattern, [[1, 1, 0, 1], [0, 1, 1, 1]])


def test_parts_that_differ_in_size_may_have_one_size_together():
    def f(x):
        return [x[x > 0], x[x <= 0]]

    pattern = st.jacobian_sparsity(f, np.array([1.0, -1.0, 2.0]))
    for x in itertools.product((1.0, -1.0), repeat=3):
        assert_covers(pattern, jacobian_pattern_at(f, x))


def test_nothing_else_is_run_where_all_results_are_as_many():
    calls = []

    def f(x):
        if type(x) is np.ndarray:
            calls.append(x)
        return x if x[0] > 0 else x[::-1]

    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 5
    assert calls == []


def test_arguments_at_which_the_function_fails():
    def f(x):
        if x[0] > 1:
            raise ValueError("too large")
        return x if x[1] > 0 else x[:1]

    with pytest.raises(st.ValueDependentError, match="how many values") as e:
        st.jacobian_sparsity(f, np.full(3, 2.0))
    assert "local=True" in str(e.value)


def nothing(x):
    return [x[0] ** 2, x[1]] if x[0] < 1 else [np.nan]


def test_results_without_derivatives_are_no_size():
    pattern = st.jacobian_sparsity(nothing, np.full(2, 3.0))
    assert_same_pattern(pattern, np.eye(2))
    assert pattern.left_out == ("1 values without derivatives, in place of 2",)


def test_they_are_traced_at_a_point():
    pattern = st.jacobian_sparsity(longer, np.full(3, 0.7), local=True)
    assert pattern.shape == (1, 3)
    assert pattern.left_out == ()


def test_a_jacobian_of_another_size_is_refused_where_it_is_evaluated():
    x = np.array([1.0, 2.0, -1.0])
    jacobian = st.sparse_jacobian(positive, x)
    np.testing.assert_allclose(jacobian(x).toarray(), [[2, 0, 0], [0, 4, 0]], atol=1e-6)
    with pytest.raises(st.OutputError, match="returned 3 numbers"):
        jacobian(np.abs(x))


def test_a_detector_takes_the_size_at_each_of_its_arguments():
    x = np.array([1.0, 2.0, -1.0])
    detector = st.JacobianDetector(positive, like=x)
    assert [detector(each).shape for each in (x, -x, np.abs(x))] == [(2, 3), (1, 3), (3, 3)]


def squared(v):
    return v * v if v > 0.5 else np.sin(v)


def test_calls_run_apart_find_the_results_that_have_none():
    def f(x):
        total = sum(map(squared, x))
        return [total, x[0]] if total < 100 else [np.nan]

    pattern = st.jacobian_sparsity(f, np.full(14, 0.7))
    np.testing.assert_array_equal(dense(pattern), [np.ones(14), np.eye(14)[0]])
    assert pattern.left_out


def test_calls_run_apart_find_results_of_two_sizes():
    def f(x):
        total = sum(map(squared, x))
        return [total, x[0]] if total < 100 else [x[1]]

    pattern = st.jacobian_sparsity(f, np.full(14, 0.7))
    np.testing.assert_array_equal(dense(pattern), [np.ones(14), np.eye(14)[0]])
    assert pattern.left_out


def test_lagrangians_may_have_any_number_of_results():
    def f(x):
        return [squared(v) for v in x] if x[0] > 1 else [squared(x[1])]

    assert st.lagrangian_hessian_sparsity(f, np.full(12, 0.7)).nnz == 12
