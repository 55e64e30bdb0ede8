"""Random chains of operations on sparse arrays: nothing is lost, and little is added."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from cases.sparse_chains import chain
from oracles import assert_covers, jacobian_pattern_at, numerical_jacobian_pattern

START = np.linspace(0.4, 1.3, 4)


@pytest.mark.parametrize("seed", range(80))
def test_chain(seed):
    f = chain(seed)
    wanted = numerical_jacobian_pattern(f, START, points=3, low=0.3, high=1.7)
    pattern = st.jacobian_sparsity(f, START)
    assert_covers(pattern, wanted)
    assert pattern.nnz <= wanted.sum() + 2  # where terms cancel
    assert_covers(st.jacobian_sparsity(f, START, local=True), jacobian_pattern_at(f, START))
