"""Results that are stacked along the last axis: several runs take turns in the outputs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sparsetrace import jacobian_sparsity
from sparsetrace.propagation.jacobian_stores.expand import interleaved
from sparsetrace.propagation.jacobian_stores.runs import interleaving


def stacked(parts, n, *, holes):
    def f(x):
        m = n - 40
        found = [x[j : m + j] * x[2 * j + 1 : m + 1 + 2 * j] for j in range(parts)]
        found[-1] = x[:m] + 0.0  # rows of another length
        if holes:
            found[0] = found[0].copy()
            found[0][3:7] = 1.0
            found[-1] = np.where(np.arange(m) % 9 == 4, 2.0, found[-1])
        return np.stack(found, axis=-1)

    return f


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("n", [60, 100, 500])
@pytest.mark.parametrize("parts", [2, 3, 5, 16])
def test_every_store_finds_the_same(parts, n, holes):
    f = stacked(parts, n, holes=holes)
    csr, *others = (
        jacobian_sparsity(f, np.ones(n), store=store).toarray()
        for store in ("csr", "roaring", "bitset")
    )
    for other in others:
        assert (csr == other).all()
    for j in range(parts):
        alone = jacobian_sparsity(lambda x, j=j: f(x)[:, j], np.ones(n)).toarray()
        assert (csr[j::parts] == alone).all()


@pytest.mark.parametrize("parts", [2, 3, 16])
def test_turns_are_found(parts):
    runs = np.stack([np.arange(9 + 200 * j, 109 + 200 * j) for j in range(parts)], axis=-1)
    assert interleaving(runs.reshape(-1).astype(np.int32)) == parts


def test_no_turns_are_found_where_there_are_none():
    ids = np.random.default_rng(0).integers(2, 1000, 240, dtype=np.int32)
    assert interleaving(ids) == 0
    assert interleaving(np.arange(6, dtype=np.int32)) == 0


def test_rows_of_any_length_take_turns():
    generator = np.random.default_rng(1)
    rows = [[list(generator.integers(0, 9, generator.integers(0, 4))) for _ in range(7)] * 2] * 3
    parts = [
        (np.cumsum([0, *map(len, some)]), np.array([v for row in some for v in row], np.int32))
        for some in rows
    ]
    bounds, entries = interleaved(parts)
    expected = [row for turn in zip(*rows, strict=True) for row in turn]
    found = [entries[lo:hi].tolist() for lo, hi in itertools.pairwise(bounds)]
    assert found == expected
