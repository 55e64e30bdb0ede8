"""Columns that go together, on random products against a matrix of truth values."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sparsetrace import hessian_sparsity
from sparsetrace.propagation.hessian_stores import (
    HESSIAN_STORES,
    Products,
    bands,
    joint_columns,
    matrix_products,
)


def products_of(rng: random.Random) -> Products:
    """Patterns of whole groups of columns, now and then of a part of one."""
    sizes = [rng.choice((1, 2, 3, 8)) for _ in range(rng.randint(1, 12))]
    bounds = np.cumsum([0, *sizes])
    rows = []
    for _ in range(rng.randint(1, 20)):
        chosen = sorted(rng.sample(range(len(sizes)), rng.randint(0, len(sizes))))
        row = [j for k in chosen for j in range(bounds[k], bounds[k + 1])]
        if row and rng.random() < 0.1:
            del row[rng.randrange(len(row))]
        rows.append(row)
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.array([j for row in rows for j in row], np.int32)
    m = range(len(rows))
    cliques = sorted(rng.sample(m, rng.randint(0, len(rows))))
    left = [rng.choice(m) for _ in range(rng.randint(0, 9))]
    right = [rng.choice(m) for _ in left]
    picked = (np.array(rows, int) for rows in (cliques, left, right))
    return Products(int(bounds[-1]), indptr, indices, *picked)


def dense(n, indptr, indices):
    found = np.zeros((n, n), bool)
    found[np.repeat(np.arange(n), np.diff(indptr)), indices] = True
    assert found.sum() == len(indices)
    return found


def wanted(products: Products) -> np.ndarray:
    m, n = len(products.indptr) - 1, products.n
    factors = np.zeros((m, n), bool)
    factors[np.repeat(np.arange(m), products.counts), products.indices] = True
    result = np.zeros((n, n), bool)
    first = np.concatenate([products.cliques, products.left, products.right])
    second = np.concatenate([products.cliques, products.right, products.left])
    for p, q in zip(first.tolist(), second.tolist(), strict=True):
        result |= factors[p][:, None] & factors[q]
    return result


@pytest.mark.parametrize("batch", range(5))
def test_random_products(batch, monkeypatch):
    """In chunks so small that each is cut."""
    monkeypatch.setattr(matrix_products, "_CHUNK", 5 + batch)
    monkeypatch.setattr(matrix_products, "_WIDE", 12)
    count = 0
    for seed in range(60 * batch, 60 * batch + 60):
        products = products_of(random.Random(seed))
        right = wanted(products)
        for name, store in HESSIAN_STORES.items():
            assert (dense(products.n, *store(products)) == right).all(), (seed, name)
        for solve in (matrix_products._marked, matrix_products._multiplied):
            assert (dense(products.n, *solve(products)) == right).all(), seed
        fewer, starts = joint_columns.joined(products) or (products, None)
        if starts is not None:
            count += 1
            for name, store in HESSIAN_STORES.items():
                rows = joint_columns.written_out(products.n, starts, *store(fewer))
                assert (dense(products.n, *rows.csr()) == right).all(), (seed, name)
                assert rows.nnz == right.sum()
                apart = rows.starts[1:] > rows.stops[:-1]
                apart[rows.bounds[(rows.bounds > 0) & (rows.bounds < len(rows.starts))] - 1] = True
                assert apart.all(), "intervals touch"
    assert count > 20


def test_blocks_are_told_before_their_entries(monkeypatch):
    """Numbers of one body go together: of 36 entries of a pair one is looked at."""
    bodies = np.random.default_rng(0).uniform(size=(40, 3))
    first, second = np.triu_indices(40, 1)
    seen = []

    def solve(products, store=HESSIAN_STORES["auto"]):
        seen.append((products.n, products.work))
        return store(products)

    monkeypatch.setitem(HESSIAN_STORES, "auto", solve)
    pattern = hessian_sparsity(
        lambda x: np.sum(1 / np.sqrt(np.sum((x[first] - x[second]) ** 2, axis=1))), bodies
    )
    assert pattern.nnz == 120**2
    assert seen == [(40, 3 * len(first))]


def test_a_dense_block_is_no_diagonal(monkeypatch):
    """However often it is multiplied with itself."""
    monkeypatch.setattr(bands, "_written", None)
    matrix = np.ones((30, 20))
    assert hessian_sparsity(lambda x: np.sum((matrix @ np.sin(x)) ** 2), np.ones(20)).nnz == 400
    pairs = np.zeros(30, int)
    assert hessian_sparsity(lambda x: np.sum(x.sum() * x[pairs]), np.ones(20)).nnz == 39
