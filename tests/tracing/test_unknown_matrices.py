"""Sparse matrices outside ``argnums``: the places are known, the numbers are not."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from oracles import assert_same_pattern
from sparsetrace import TracingError, jacobian_sparsity


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array", "dia_array", "bsr_array"])
def test_unknown_sparse_matrices(kind):
    stored = scipy.sparse.coo_array(([0.0, 0.0, 2.0], ([0, 1, 1], [1, 0, 1])), shape=(2, 2))
    matrix = getattr(scipy.sparse, kind)(stored)

    def f(x, A):
        assert isinstance(A, type(matrix))
        extra = x if A.diagonal()[1] < 1 else 0 * x
        last = A.tocsr()[1, 1] * extra
        return np.concatenate([A @ x, A.toarray() @ x, A.T @ x + last, A.tocoo().data[:1] * x])

    expected = np.vstack([[[0, 1], [1, 1]]] * 2 + [[[1, 1], [1, 1]], np.eye(2)])
    found = jacobian_sparsity(f, np.ones(2), matrix).toarray()
    if kind in ("bsr_array", "dia_array"):  # which store more zeros, that may be non-zeros
        found &= expected.astype(bool)
    assert_same_pattern(found, expected)


@pytest.mark.parametrize(
    "read",
    [
        lambda A: A.max(),
        lambda A: (A > 0).sum(),
        lambda A: A.astype(int).sum(),
        lambda A: A.sum(axis=0),
        lambda A: A.data.__setitem__(0, 1.0),
    ],
)
def test_what_the_values_of_an_unknown_sparse_matrix_decide_is_refused(read):
    matrix = scipy.sparse.csr_matrix(np.eye(2))
    with pytest.raises((TracingError, ValueError)):
        jacobian_sparsity(lambda x, A: x * read(A), np.ones(2), matrix)
