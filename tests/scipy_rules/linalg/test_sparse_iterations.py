"""Iterative solvers and eigenvalues of sparse matrices."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse.linalg as spl

import sparsetrace as st

X = np.array([0.5, 1.5, 2.5, 4.0])


@pytest.mark.filterwarnings("ignore:k >= N:RuntimeWarning")
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("function", [spl.eigs, spl.eigsh])
@pytest.mark.parametrize("k", [3, 4, 6])
def test_all_eigenvalues_where_as_many_are_asked_for(function, k, local):
    """SciPy then computes all of them, by other routines."""

    def f(x):
        return function(np.diag(x) + np.ones((4, 4)), k)[0].real

    count = len(f(X))
    assert st.jacobian_sparsity(f, X, local=local).toarray().tolist() == [[True] * 4] * count


def test_eigenvalues_of_several_matrices_are_refused():
    with pytest.raises(st.UnsupportedError, match="of more than one matrix"):
        st.jacobian_sparsity(lambda x: spl.eigsh(x.reshape(2, 2, 2), 1), np.arange(8.0))
