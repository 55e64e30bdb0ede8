"""What one mask picks of several arrays, put side by side: in lists, by ``np.c_`` and its kin.

Each function is compared with one that computes the same for all elements.
"""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, numerical_jacobian_pattern

SMALL, LARGE = 6, 20
"""Elements of which masks are decided, and more than that."""


def halves(x):
    return x[: len(x) // 2], x[len(x) // 2 :]


def both(x, reduce):
    """The reduction over the pair, where the mask picks it."""
    a, b = halves(x)
    return np.sum(np.where(a > 0.5, reduce(np.stack([a, b])), 0))


def pair(x):
    a, b = halves(x)
    m = a > 0.5
    return a[m], b[m]


def minimum(z):
    return np.amin(z, axis=0)


def maximum(z):
    return np.max(z, axis=0)


def product(z):
    return np.prod(z, axis=0)


def length(z):
    return np.sqrt(np.sum(z**2, axis=0))


CASES = {
    "list, amin": (lambda a, b: np.amin([a, b], axis=0), minimum),
    "list, method": (lambda a, b: np.array([a, b]).max(axis=0), maximum),
    "list, ufunc": (lambda a, b: np.maximum.reduce([a, b]), maximum),
    "list, norm": (lambda a, b: np.linalg.norm([a, b], axis=0), length),
    "tuple": (lambda a, b: np.prod((a, b), axis=0), product),
    "asarray": (lambda a, b: np.asarray([a, b]).T.prod(axis=1), product),
    "c_": (lambda a, b: np.c_[a, b].prod(axis=1), product),
    "transpose": (lambda a, b: np.transpose(np.c_[a, b], (1, 0)).prod(axis=0), product),
    "transposed as it was": (lambda a, b: np.c_[a, b].transpose(0, 1).prod(axis=1), product),
    "transposed by default": (lambda a, b: np.c_[a, b].transpose().prod(axis=0), product),
    "columns": (
        lambda a, b: np.concatenate([a[:, None], b[:, None]], axis=1).prod(axis=1),
        product,
    ),
    "hstack": (lambda a, b: np.hstack([a[:, None], b[:, None]]).max(axis=1), maximum),
    "rows": (lambda a, b: np.concatenate([a[None], b[None]]).max(axis=0), maximum),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_as_tight_as_for_all_elements(name, size):
    f, reduce = CASES[name]
    x = np.linspace(0.1, 1.3, size)
    pattern = st.jacobian_sparsity(lambda x: np.sum(f(*pair(x))), x)
    assert_same_pattern(pattern, st.jacobian_sparsity(lambda x: both(x, reduce), x))
    second = st.hessian_sparsity(lambda x: np.sum(f(*pair(x)) ** 2), x)
    wanted = st.hessian_sparsity(lambda x: both(x, lambda z: reduce(z) ** 2), x)
    assert_same_pattern(second, wanted)


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_lost(name):
    f, _ = CASES[name]
    x = np.random.default_rng(1).uniform(0.1, 1.5, LARGE)

    def total(x):
        return np.sum(np.sin(f(*pair(x))))

    found = numerical_jacobian_pattern(total, x, points=6, low=0.1, high=1.5)
    assert_covers(st.jacobian_sparsity(total, x), found)


def test_written_where_the_mask_picks():
    def repaired(x):
        y, b = x[:12].copy(), x[12:]
        m = np.where(y < b)
        y[m] = np.amin([b[m], 2 * b[m] - y[m]], axis=0)
        return y

    pattern = st.jacobian_sparsity(repaired, np.linspace(0, 1, 24))
    assert_same_pattern(pattern, np.hstack([np.eye(12), np.eye(12)]))


def test_as_the_result():
    x = np.linspace(0, 1, LARGE)
    pattern = st.jacobian_sparsity(lambda x: np.array(pair(x)), x)
    (leaf,) = pattern.row_leaves
    assert leaf.shape == np.array(pair(x)).shape
    assert pattern.left_out


def test_where_masks_differ_each_may_meet_any():
    def f(x):
        return np.sum(np.amin([x[x > 0.5], x[x > 0.7]], axis=0))

    pattern = st.jacobian_sparsity(f, np.linspace(0, 1, LARGE))
    assert pattern.nnz == LARGE
