"""Products with constant sparse matrices, of every format."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import sparsetrace as st
from oracles import assert_same_pattern

FORMATS = [
    kind(sp.csr_matrix([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    for kind in (sp.csr_array, sp.csc_array, sp.coo_array, sp.bsr_array, sp.dia_array,
                 sp.lil_array, sp.dok_array, sp.csr_matrix, sp.csc_matrix, sp.coo_matrix,
                 sp.bsr_matrix, sp.dia_matrix, sp.lil_matrix, sp.dok_matrix)
]  # fmt: skip


@pytest.mark.parametrize("a", FORMATS, ids=lambda a: type(a).__name__)
def test_every_sparse_format(a):
    x = np.ones(3)
    expected = [[1, 0, 1], [0, 0, 0]]
    assert_same_pattern(st.jacobian_sparsity(lambda x: a @ x, x), expected)
    assert_same_pattern(st.jacobian_sparsity(lambda x: a.dot(x), x), expected)
    assert_same_pattern(st.jacobian_sparsity(lambda x: x @ a.T, x), expected)
    assert_same_pattern(st.jacobian_sparsity(lambda y: a.T @ y, np.ones(2)), np.transpose(expected))
