"""Truth values and whole numbers are opaque; sets and roots, where they can be told."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, dense, numerical_jacobian_pattern

POINT = np.array([3.0, 1.0, 2.0, 0.5, 1.2])


@pytest.mark.parametrize(
    "equal",
    [
        lambda x: np.allclose(x[2:4], x[:2]),
        lambda x: np.allclose(x[2:4], 1.0, atol=0.1),
        lambda x: np.array_equal(x, x[::-1]),
        lambda x: np.array_equal(x, x[::-1], equal_nan=True),
        lambda x: np.array_equiv(x[:1], x),
    ],
)
def test_a_branch_on_equality_is_run_both_ways(equal):
    def f(x):
        return x[0] * x[1] if equal(x) else x[3]

    assert dense(st.jacobian_sparsity(f, POINT)).tolist() == [[True, True, False, True, False]]
    taken = [0, 1] if equal(POINT) else [3]
    assert np.flatnonzero(dense(st.jacobian_sparsity(f, POINT, local=True))).tolist() == taken


def test_equality_of_other_shapes_is_known():
    for f in (
        lambda x: x[0] if np.array_equal(x, x[1:]) else x[1],
        lambda x: x[0] if np.array_equiv(x, x[1:]) else x[1],
    ):
        assert dense(st.jacobian_sparsity(f, POINT)).tolist() == [
            [False, True, False, False, False]
        ]


OPAQUE = {
    "packbits": lambda x: np.packbits(x > 0) * x[0],
    "packbits, axis": lambda x: np.packbits((x > 0).reshape(5, 1), axis=0)[0] * x[0],
    "unpackbits": lambda x: np.unpackbits((x > 0).astype(np.uint8), count=3) * x[0],
    "unravel_index": lambda x: np.unravel_index(np.argsort(x), (5, 1))[0] * x,
    "ravel_multi_index": lambda x: np.ravel_multi_index((np.argsort(x), np.argsort(x)), (5, 5)) * x,
}


@pytest.mark.parametrize("name", OPAQUE)
def test_whole_numbers_have_no_derivative(name):
    f = OPAQUE[name]
    for local in (False, True):
        found = st.jacobian_sparsity(f, POINT, local=local)
        assert found.shape == (f(POINT).size, 5)
        assert_covers(found, numerical_jacobian_pattern(f, POINT, points=2))
        assert found.nnz <= len(f(POINT))


def test_an_unravelled_index_is_any_index():
    def f(x):
        return x.reshape(5, 1)[np.unravel_index(np.argmax(x), (5, 1))]

    assert st.jacobian_sparsity(f, POINT).nnz == 5
    assert st.jacobian_sparsity(f, POINT, local=True).nnz == 1
    assert st.jacobian_sparsity(f, POINT, dependency=True).nnz == 5


def test_whole_numbers_of_constants_are_known():
    def f(x):
        z = np.zeros_like(x)
        z[1] = 1.0
        i, _ = np.unravel_index(np.array([2, 1]), (5, 1))
        return x[i] * np.packbits(z > 0)[0]

    assert st.jacobian_sparsity(f, POINT).nnz == 2


@pytest.mark.parametrize("zeros", [(0, 0), (1, 0), (0, 2), (1, 1)])
def test_roots(zeros):
    front, back = (np.zeros(k) for k in zeros)

    def f(x):
        return np.roots(np.concatenate([front, x[:3], back]))

    wanted = numerical_jacobian_pattern(lambda x: np.sort_complex(f(x)), POINT, points=3)
    for local in (False, True):
        found = dense(st.jacobian_sparsity(f, POINT, local=local))
        assert found.shape == wanted.shape
        assert_same_pattern(np.sort(found, axis=0), np.sort(wanted, axis=0))
    assert st.hessian_sparsity(lambda x: f(x).imag.sum(), POINT).nnz == 9


SETS = {
    "unique": np.unique,
    "unique, all": lambda x: np.unique(x, return_counts=True, return_index=True)[0],
    "unique rows": lambda x: np.unique(np.stack([x, x[::-1], x * 2]), axis=0),
    "unique columns": lambda x: np.unique(x[:4].reshape(2, 2), axis=-1, return_index=True)[0],
    "unique rows, by position": lambda x: np.unique(x[1:].reshape(2, 2), *[False] * 3, 0),
    "unique_all": lambda x: np.unique_all(x).values,
    "unique_counts": lambda x: np.unique_counts(x).values,
    "unique_inverse": lambda x: np.unique_inverse(x).values,
    "unique_values": np.unique_values,
    "union1d": lambda x: np.union1d(x[:3], x[3:]),
    "setdiff1d": lambda x: np.setdiff1d(x[:3], x[3:]),
    "setxor1d": lambda x: np.setxor1d(x[:3], x[3:]),
    "intersect1d": lambda x: np.intersect1d(x[:3], np.array([1.0, 2.0])) * x[0],
    "trim_zeros": lambda x: np.trim_zeros(x * np.array([0.0, 1, 1, 1, 0])),
    "trim_zeros, front": lambda x: np.trim_zeros(x * np.array([0.0, 1, 1, 1, 0]), "f"),
    "nonzero": lambda x: x[np.nonzero(x > 1)],
    "argwhere": lambda x: x[np.argwhere(x > 1)[:, 0]],
    "flatnonzero": lambda x: x[np.flatnonzero(x > 1)],
}


@pytest.mark.parametrize("name", SETS)
def test_sets_at_a_point(name):
    f = SETS[name]
    found = st.jacobian_sparsity(f, POINT, local=True)
    assert found.shape == (f(POINT).size, 5)
    if name == "intersect1d":  # elements that are equal stay so at the point alone
        assert found.nnz == 4
    else:
        wanted = numerical_jacobian_pattern(f, POINT, points=1, low=None, high=None)
        assert_same_pattern(found, wanted)


def test_equal_elements_are_united():
    found = st.jacobian_sparsity(np.unique, np.array([2.0, 1.0, 2.0]), local=True)
    assert dense(found).astype(int).tolist() == [[0, 1, 0], [1, 0, 1]]
    rows = np.array([1.0, 5, 3, 1, 1, 5])
    found = st.jacobian_sparsity(lambda x: np.unique(x.reshape(3, 2), axis=0), rows, local=True)
    assert dense(found).nonzero()[1].tolist() == [0, 4, 1, 5, 2, 3]
    both = st.jacobian_sparsity(lambda x: np.union1d(x[:1], x[1:]), np.ones(2), local=True)
    assert both.nnz == 2
