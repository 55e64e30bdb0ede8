"""Writing rows out, against loops."""

from __future__ import annotations

import numpy as np
import pytest

from sparsetrace.propagation.jacobian_stores.expand import expand, gather_rows


def slow_gather(indptr, rows):
    positions = [p for r in rows for p in range(indptr[r], indptr[r + 1])]
    return positions, [int(indptr[r + 1] - indptr[r]) for r in rows]


def slow_expand(indptr, values, steps, lengths):
    bounds, out = [0], []
    for r, length in enumerate(lengths):
        for k in range(length):
            for e in range(indptr[r], indptr[r + 1]):
                out.append(int(values[e]) + (0 if steps is None else int(steps[e]) * k))
            bounds.append(len(out))
    return bounds, out


def random_table(rng, *, uniform: bool):
    rows = int(rng.integers(1, 8))
    counts = np.full(rows, rng.integers(1, 5)) if uniform else rng.integers(0, 5, rows)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    values = rng.integers(0, 100, indptr[-1]).astype(np.int32)
    lengths = rng.integers(1, 6, rows)
    kind = rng.integers(0, 4)
    steps = None
    if kind == 1:
        steps = np.ones(indptr[-1], np.int32)
    elif kind == 2:
        steps = rng.integers(-2, 4, indptr[-1]).astype(np.int32)
    elif kind == 3:
        steps = np.zeros(indptr[-1], np.int32)
    return indptr, values, steps, lengths


@pytest.mark.parametrize("seed", range(60))
def test_gather_rows(seed):
    rng = np.random.default_rng(seed)
    indptr, *_ = random_table(rng, uniform=seed % 2 == 0)
    rows = rng.integers(0, len(indptr) - 1, int(rng.integers(0, 10)))
    positions, counts = gather_rows(indptr, rows)
    assert (positions.tolist(), counts.tolist()) == slow_gather(indptr, rows)


@pytest.mark.parametrize("long", [0, 10, 10**9])
@pytest.mark.parametrize("seed", range(40))
def test_expand(monkeypatch, seed, long):
    monkeypatch.setattr("sparsetrace.propagation.jacobian_stores.expand._LONG", long)
    rng = np.random.default_rng(seed)
    indptr, values, steps, lengths = random_table(rng, uniform=seed % 2 == 0)
    bounds, entries = expand(indptr, values, steps, lengths)
    assert (bounds.tolist(), entries.tolist()) == slow_expand(indptr, values, steps, lengths)
    assert entries.dtype == np.int32


def test_nothing_to_expand():
    bounds, entries = expand(np.zeros(1, int), np.zeros(0, np.int32), None, np.zeros(0, int))
    assert bounds.tolist() == [0]
    assert not len(entries)


@pytest.mark.parametrize("steps", [None, np.zeros(0, np.int32)])
def test_rows_without_entries(steps):
    bounds, entries = expand(np.zeros(3, int), np.zeros(0, np.int32), steps, np.array([4, 5]))
    assert bounds.tolist() == [0] * 10
    assert not len(entries)
