"""Reductions and prefix operations of ufuncs, behind np.sum and its kin."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.numpy_calls.ufunc_reductions import case
from oracles import assert_same_pattern


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
