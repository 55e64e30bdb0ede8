"""Writes into sparse arrays: seen by all that shares their data, and by nothing else."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import sparsetrace as st
from cases.sparse_writes import BAND, REFUSED, WRITES
from oracles import (
    assert_covers,
    assert_same_pattern,
    jacobian_pattern_at,
    numerical_jacobian_pattern,
)

START = np.linspace(0.3, 0.9, 4)


@pytest.fixture(autouse=True)
def _quiet():
    """SciPy warns where an entry is inserted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
        yield


@pytest.mark.parametrize("f", WRITES.values(), ids=WRITES)
def test_writes_are_traced(f):
    wanted = numerical_jacobian_pattern(f, START, low=0.3, high=1.7)
    assert_same_pattern(st.jacobian_sparsity(f, START), wanted)
    assert_covers(st.jacobian_sparsity(f, START, constants="structure"), wanted)
    assert_same_pattern(st.jacobian_sparsity(f, START, local=True), jacobian_pattern_at(f, START))


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("f", REFUSED.values(), ids=REFUSED)
def test_writes_that_would_be_lost_are_refused(f, local):
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(f, START, local=local)
    assert type(BAND) is sp.csr_array
    assert type(BAND.data) is np.ndarray
