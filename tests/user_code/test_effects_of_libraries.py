"""What is known of sparse matrices, and of functions that numba has compiled."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from sparsetrace.capture.snapshots import Reachable
from sparsetrace.user_code.effects import has_effects

MATRIX = scipy.sparse.csr_array(np.eye(3))
SEEN = []


def converted(x):
    return MATRIX.tocsc().T.dot(x) + MATRIX.multiply(2.0).sum()


def solved(x):
    made = scipy.sparse.dia_matrix((np.ones((1, 3)), [0]), shape=(3, 3))
    return scipy.sparse.linalg.spsolve(made.tocsr(), x)


def by_an_operator(x):
    return scipy.sparse.linalg.cg(scipy.sparse.linalg.LinearOperator((3, 3), SEEN.append), x)


def written(x):
    MATRIX.setdiag(x)
    return MATRIX @ x


def drawn(x):
    return scipy.sparse.random(3, 3) @ x


def largest(x):
    return scipy.sparse.linalg.eigs(MATRIX, k=1)[0] * x


@pytest.mark.parametrize("f", [converted, solved])
def test_sparse_matrices_that_nothing_is_written_to(f):
    assert not has_effects(f, (np.ones(3),))


@pytest.mark.parametrize("f", [by_an_operator, written, drawn, largest])
def test_what_draws_or_calls_or_writes(f):
    assert has_effects(f, (np.ones(3),))


@functools.lru_cache
def remembered(n):
    SEEN.append(n)
    return n


def test_a_cache_of_a_function_that_keeps_something():
    assert has_effects(lambda x: x * remembered(3), (1.0,), undoes=True)
    assert not has_effects(lambda x: x * remembered(3), (1.0,), undoes_all=True)


def test_functions_that_numba_has_compiled_are_looked_at_by_their_source():
    numba = pytest.importorskip("numba")

    @numba.njit
    def total(v):
        result = 0.0
        for item in v:
            result += item
        return result

    @numba.njit
    def filled(v, out):
        out[0] = v[0]
        return v

    @numba.njit
    def outer(v):
        return 2.0 * total(v)

    buffer = np.zeros(3)
    assert total(np.ones(3)) == outer(np.ones(3)) / 2.0 == 3.0
    assert not has_effects(lambda x: total(x) + outer(x), (np.ones(3),))
    assert has_effects(lambda x: filled(x, buffer), (np.ones(3),))
    assert not has_effects(lambda x: filled(x, buffer), (np.ones(3),), undoes_all=True)
    assert not has_effects(lambda f, x: f(x), (total, np.ones(3)))
    assert not Reachable([[total, outer]]).unknown
