"""Factors of matrices, and the pivots that the values decide."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as sl

import sparsetrace as st

X = np.array([0.5, 1.5, 2.5, 4.0])


@pytest.mark.parametrize("p_indices", [False, True])
def test_pivots_have_no_derivative_but_depend_on_all(p_indices):
    def f(x):
        return sl.lu(x.reshape(2, 2), p_indices=p_indices)[0] * 1.0

    count = f(X).size
    assert st.jacobian_sparsity(f, X).nnz == 0
    pattern = st.jacobian_sparsity(f, X, dependency=True)
    assert pattern.toarray().tolist() == [[True] * 4] * count
