"""Blocks whose parents lie in the block itself, against a loop over sets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from sparsetrace.propagation.jacobian_stores import sequential
from sparsetrace.propagation.jacobian_stores.sequential import solve_sequential


def slow(own, edges):
    sets = [set(row) for row in own]
    for child, parent in edges:  # children ascend, parents come before them
        sets[child] |= sets[parent]
    return [sorted(row) for row in sets]


def as_rows(own):
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in own])]).astype(np.int64)
    return indptr, np.array([v for row in own for v in row], np.int32)


def solved(n, own, edges):
    child = np.array([c for c, _ in edges], int)
    parent = np.array([p for _, p in edges], np.int32)
    bounds, values = solve_sequential(n, *as_rows(own), child, parent)
    return [values[lo:hi].tolist() for lo, hi in pairwise(bounds)]


def random_block(seed):
    rng = np.random.default_rng(seed)
    n, size = int(rng.integers(1, 30)), int(rng.integers(2, 60))
    own = [sorted(set(rng.integers(0, n, int(rng.integers(0, 4))).tolist())) for _ in range(size)]
    edges = []
    reach = int(rng.choice((1, 3, 100)))
    for child in range(1, size):
        for _ in range(int(rng.integers(0, 4))):
            edges.append((child, int(rng.integers(max(0, child - reach), child))))
    return n, own, edges or [(1, 0)]


@pytest.mark.parametrize("wide", [0, 24, 10**9], ids=["by level", "as it is", "one by one"])
@pytest.mark.parametrize("few", [0, 15, 1024], ids=["sets", "both", "bits"])
def test_random_blocks(monkeypatch, wide, few):
    monkeypatch.setattr(sequential, "_WIDE", wide)
    monkeypatch.setattr(sequential, "_FEW_INPUTS", few)
    for seed in range(150):
        n, own, edges = random_block(seed)
        assert solved(n, own, edges) == slow(own, edges), seed


@pytest.mark.parametrize("few", [0, 1024])
def test_a_chain(monkeypatch, few):
    monkeypatch.setattr(sequential, "_FEW_INPUTS", few)
    monkeypatch.setattr(sequential, "_CHUNK", 4096)
    own = [[i] for i in range(300)]
    edges = [(i, i - 1) for i in range(1, 300)]
    assert solved(300, own, edges) == [list(range(i + 1)) for i in range(300)]


def test_a_wide_block():
    own = [[0], [1], *([] for _ in range(100))]
    edges = [(i, p) for i in range(2, 102) for p in (0, 1)]
    assert solved(2, own, edges)[2:] == [[0, 1]] * 100


def test_a_parent_that_comes_twice():
    assert solved(2, [[0], [1]], [(1, 0), (1, 0)]) == [[0], [0, 1]]
