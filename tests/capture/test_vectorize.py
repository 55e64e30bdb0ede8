"""``np.vectorize``: its function runs for each element apart."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern


def test_vectorize_runs_the_branches_of_each_element_apart():
    g = np.vectorize(lambda v, w: v if v > 0.5 else v * w, otypes=[float])
    pattern = st.jacobian_sparsity(lambda x: g(x[:20], x[20:]), np.ones(40), max_paths=1)
    assert_same_pattern(pattern, np.hstack([np.eye(20), np.eye(20)]))


def test_vectorize_with_outputs_exclusions_and_keywords():
    g = np.vectorize(lambda v, p, k=1: (v**p, k * v), excluded={1, "p"})
    pattern = st.jacobian_sparsity(lambda x: g(x, 2, k=np.array([1.0, 0.0])), np.ones(2))
    assert_same_pattern(pattern, [[1, 0], [0, 1], [1, 0], [0, 0]])
    with pytest.raises(st.UnsupportedError, match="signature"):
        st.jacobian_sparsity(np.vectorize(np.sum, signature="(n)->()"), np.ones(2))
