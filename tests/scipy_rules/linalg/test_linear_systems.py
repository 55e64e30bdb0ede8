"""Linear systems: the structure of inverses and of factors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as sl
import scipy.sparse as sp
import scipy.sparse.linalg as spl

import sparsetrace as st
from oracles import (
    assert_same_pattern,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)


@pytest.mark.parametrize("seed", range(12))
def test_the_structure_of_an_inverse(seed):
    """Random matrices, of any structure that has an inverse."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    mask = rng.random((n, n)) < rng.uniform(0.05, 0.3)
    mask[np.arange(n), rng.permutation(n)] = True
    a = mask * rng.uniform(0.5, 2.0, (n, n))
    assert np.linalg.matrix_rank(a) == n
    wanted = np.abs(np.linalg.inv(a)) > 1e-12
    for solve in (lambda x: sl.solve(a, x), lambda x: spl.spsolve(sp.csc_array(a), x)):
        assert_same_pattern(st.jacobian_sparsity(solve, np.ones(n)), wanted)
    columns = st.jacobian_sparsity(lambda x: spl.splu(sp.csc_array(a)).solve(x), np.ones((n, 2)))
    assert_same_pattern(columns, np.kron(wanted, np.eye(2)))


@pytest.mark.parametrize("seed", range(8))
def test_traced_matrices_with_holes(seed):
    rng = np.random.default_rng(seed)
    n = 3
    mask = (rng.random((n, n)) < 0.4) | np.eye(n, dtype=bool)[rng.permutation(n)]
    size = int(mask.sum())
    weights = rng.uniform(0.5, 1.5, n)

    def f(x):
        matrix = np.zeros((n, n))
        matrix[mask] = x[:size]
        return sl.solve(matrix, x[size:])

    start = rng.uniform(1, 2, size + n)
    wanted = numerical_jacobian_pattern(f, start, points=3, low=1.0, high=2.0)
    assert_same_pattern(st.jacobian_sparsity(f, start), wanted)
    wanted = numerical_hessian_pattern(lambda x: f(x) @ weights, start, low=1.0, high=2.0)
    assert_same_pattern(st.hessian_sparsity(lambda x: f(x) @ weights, start), wanted)


def test_entries_that_vanish_at_the_point():
    def f(x):
        return sl.solve_triangular([[1.0, x[0]], [0.0, 2.0]], x[1:])

    at = np.array([0.0, 1.0, 1.0])
    assert_same_pattern(st.jacobian_sparsity(f, at), [[1, 1, 1], [0, 0, 1]])
    assert_same_pattern(st.jacobian_sparsity(f, at, local=True), [[1, 1, 0], [0, 0, 1]])
    hessian = st.hessian_sparsity(lambda x: f(x).sum(), at, local=True)
    assert_same_pattern(hessian, [[0, 0, 1], [0, 0, 0], [1, 0, 0]])


def test_cholesky_factors_are_those_of_numpy():
    """One triangle is read, and its zeros are heeded."""
    x = np.random.default_rng(2).uniform(0.5, 1.5, 16)
    mask = np.ones((4, 4))
    mask[2, 1] = 0

    def shifted(x):
        return x.reshape(4, 4) * mask + 9 * np.eye(4)

    pairs = [
        (lambda x: sl.cholesky(shifted(x), lower=True), lambda x: np.linalg.cholesky(shifted(x))),
        (lambda x: sl.cholesky(shifted(x)).T, lambda x: np.linalg.cholesky(shifted(x).T)),
    ]
    for f, g in pairs:
        for local in (False, True):
            wanted = st.jacobian_sparsity(g, x, local=local)
            assert_same_pattern(st.jacobian_sparsity(f, x, local=local), wanted.toarray())
            wanted = st.lagrangian_hessian_sparsity(g, x, local=local)
            found = st.lagrangian_hessian_sparsity(f, x, local=local)
            assert_same_pattern(found, wanted.toarray())
