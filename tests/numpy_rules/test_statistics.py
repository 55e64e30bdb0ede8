"""Averages, order statistics, sorting, counting, histograms."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.numpy_calls.statistics import case
from oracles import assert_same_pattern, dense


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


def test_searchsorted_with_a_traced_sorter():
    def f(x):
        return np.searchsorted(np.array([0.3, 0.1]), 0.2, sorter=np.argsort(x))

    pattern = dense(st.jacobian_sparsity(f, np.ones(2), dependency=True))
    assert pattern.tolist() == [[True, True]]


def test_opaque_results_are_no_constants():
    """argmax chooses: an element read with it may be any."""

    def f(x):
        return x[np.argmax(x)], x[np.argsort(x)], x[x.argmin(keepdims=True)]

    assert dense(st.jacobian_sparsity(f, np.ones(3))).all()


def test_bincount_of_traced_bins_is_refused():
    with pytest.raises(st.TracingError, match="bincount"):
        st.jacobian_sparsity(lambda x: np.bincount(x.astype(int)), np.ones(3))


def test_a_zero_weight_cuts():
    pattern = st.jacobian_sparsity(lambda x: np.average(x, weights=[0, 1, 0]), np.ones(3))
    assert_same_pattern(pattern, [[0, 1, 0]])


def test_constant_average_of_the_weights_stays_constant():
    def f(x):
        _, scale = np.average(x, weights=[0, 1, 0], returned=True)
        return (scale - 1) * x

    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 0
