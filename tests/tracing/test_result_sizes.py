"""Results whose number depends on a branch are refused soon, and named."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import dense


def with_many_paths(x):
    """A sum of which no part is run apart, for it changes a set."""
    signs, total = set(), 0.0
    for at, v in enumerate(x):
        if v > 0.5:
            signs.add(at)
            total = total + v * v
    return total * len(signs)


def longer(x):
    total = with_many_paths(x)
    return [total, x[0]] if x[0] > 1 else [total]


def nothing(x):
    total = with_many_paths(x)
    return [total, x[0]] if x[0] < 1 else [np.nan]


def test_too_many_paths_of_results_that_differ_are_refused_for_these():
    with pytest.raises(st.ValueDependentError, match="how many values") as e:
        st.jacobian_sparsity(longer, np.full(14, 0.7))
    assert "local=True" in str(e.value)


def test_they_are_traced_at_a_point():
    pattern = st.jacobian_sparsity(longer, np.full(14, 0.7), local=True)
    assert pattern.shape == (1, 14)


def test_too_many_paths_of_results_without_derivatives_are_refused_as_too_many():
    with pytest.raises(st.ValueDependentError, match="decision paths"):
        st.jacobian_sparsity(nothing, np.full(14, 0.7))


def squared(v):
    return v * v if v > 0.5 else np.sin(v)


def test_calls_run_apart_find_the_results_that_have_none():
    def f(x):
        total = sum(map(squared, x))
        return [total, x[0]] if total < 100 else [np.nan]

    pattern = st.jacobian_sparsity(f, np.full(14, 0.7))
    np.testing.assert_array_equal(dense(pattern), [np.ones(14), np.eye(14)[0]])
    assert pattern.left_out


def test_lagrangians_may_have_any_number_of_results():
    def f(x):
        return [squared(v) for v in x] if x[0] > 1 else [squared(x[1])]

    assert st.lagrangian_hessian_sparsity(f, np.full(12, 0.7)).nnz == 12
