"""Reductions and prefix operations of ufuncs, behind np.sum and its kin."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.numpy_calls.ufunc_reductions import case
from oracles import (
    assert_covers,
    assert_same_pattern,
    jacobian_pattern_at,
    numerical_jacobian_pattern,
)


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


def test_nan_constants_count_as_nothing():
    def f(x):
        row = np.stack([np.full_like(x[:2], np.nan), x[:2]])
        return np.nansum(row[:1] * np.ones(2)) * x

    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 0


def test_traced_where_unites_both():
    def f(x):
        return np.sum(x[:3], where=x[3:] > 0)

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(6)), [[1, 1, 1, 0, 0, 0]])


@pytest.mark.parametrize("name", "sum prod max min mean std var any all cumsum cumprod".split())
def test_methods_are_the_functions(name):
    def f(x):
        return getattr(x, name)(axis=0)

    def g(x):
        return getattr(np, name)(x, axis=0)

    x = np.ones((2, 3))
    assert_same_pattern(st.jacobian_sparsity(f, x), st.jacobian_sparsity(g, x))


PICKED = np.array([True, True, False, True])
FROM_A_START = {
    "the least": lambda x: np.maximum.reduce(x, initial=x.min()),
    "of some": lambda x: np.maximum.reduce(x, initial=x.min(), where=PICKED),
    "of such as the inputs pick": lambda x: np.maximum.reduce(x, initial=x[1] + 0.6, where=x < 1.8),
    "above all": lambda x: np.max(x, initial=3 * x[0] + 1.0),
    "of rows": lambda x: np.min(x.reshape(2, 2), axis=1, initial=x[1] * 0.4),
    "of none": lambda x: np.maximum.reduce(x[:0], initial=x[1]),
    "without nan": lambda x: np.fmin.reduce(x, initial=x[3]),
}


@pytest.mark.parametrize("name", FROM_A_START)
def test_extremes_from_a_start_of_the_inputs(name):
    f, start = FROM_A_START[name], np.array([0.5, 1.5, 0.7, 2.0])
    local = st.jacobian_sparsity(f, start, local=True)
    assert_same_pattern(local, jacobian_pattern_at(f, start))
    assert_covers(st.jacobian_sparsity(f, start), numerical_jacobian_pattern(f, start[::-1]))
