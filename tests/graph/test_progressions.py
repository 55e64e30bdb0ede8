"""Arithmetic progressions among ids, and columns that are kept as such."""

import pickle

import numpy as np
import pytest

from sparsetrace import jacobian_sparsity
from sparsetrace.graph import progressions
from sparsetrace.graph.graph import OPAQUE, Graph
from sparsetrace.graph.progressions import SlicedColumns, cut, sliced


def test_of_any_step():
    ids = np.array([9, 2, 3, 4, 4, 4, 8, 6, 4, 2, 70], np.int32)
    assert cut(ids) == ((0, 1, 9, 1), (1, 4, 2, 1), (4, 6, 4, 0), (6, 10, 8, -2), (10, 11, 70, 1))


def test_short_ones_are_none(monkeypatch):
    ids = np.arange(20, dtype=np.int32) ** 2
    assert cut(ids) is None
    monkeypatch.setattr(progressions, "_FEW", 20)
    found = cut(ids)
    assert found is not None
    assert SlicedColumns(20, (found,))[0].tolist() == ids.tolist()


def test_differences_that_do_not_fit_are_no_steps():
    """They are all equal modulo 2**32."""
    ids = np.array([-2_000_000_000, 2_000_000_000, 1_705_032_704, 1_410_065_408], np.int32)
    assert len(set(np.diff(ids).tolist())) == 1
    assert cut(ids) is None


@pytest.mark.parametrize("seed", range(20))
def test_columns_hold_the_ids(seed):
    rng = np.random.default_rng(seed)
    n = 70_000
    parts = []
    for step in rng.integers(-2, 3, size=5).tolist():
        first = int(rng.integers(4 * n, 2**31 - 4 * n))
        parts.append(first + step * np.arange(n // 5))
    ids = np.concatenate(parts).astype(np.int32)
    columns = sliced([ids, ids[::-1]])
    assert columns is not None
    assert len(columns) == 2
    copied = pickle.loads(pickle.dumps(columns))
    for both in (columns, copied):
        assert (both[0] == ids).all()
        assert (both[1] == ids[::-1]).all()


def test_columns_end_at_the_last_ids():
    for step in (1, -1):
        pieces = ((0, 3, 2**31 - 2 - (2 if step > 0 else 0), step),)
        found = SlicedColumns(3, (pieces,))[0].tolist()
        assert sorted(found) == [2**31 - 4, 2**31 - 3, 2**31 - 2]


def test_unions_with_constants_are_those_of_short_arrays(monkeypatch):
    """Where one side, or each, carries no dependency."""
    graph = Graph(8)
    x = graph.inputs()
    zeros = graph.constant(np.zeros(2))
    fives = graph.constant(np.full(2, 5.0))
    p = np.concatenate([zeros, x[:6]])
    q = np.concatenate([x[:1], fives[:1], x[1:6], fives[:1]])
    wanted = graph.union(p, q)
    monkeypatch.setattr(progressions, "_LARGE", 2)
    found = graph.union(p, q)
    assert (found[0], found[1], found[7]) == (wanted[0], OPAQUE, wanted[7])
    columns = graph.blocks[-1].columns
    assert isinstance(columns, SlicedColumns)
    assert [column.tolist() for column in columns] == [p.tolist(), q.tolist()]
    assert found[2:7].tolist() == [graph.blocks[-1].base + i for i in range(2, 7)]


def test_equal_arrays_make_no_nodes(monkeypatch):
    monkeypatch.setattr(progressions, "_LARGE", 2)
    graph = Graph(8)
    x = graph.inputs()
    assert graph.union(x[:6], x[:6].copy()).tolist() == x[:6].tolist()
    assert not graph.blocks


def test_repetitions_share_their_unions(monkeypatch):
    monkeypatch.setattr(progressions, "_LARGE", 2)
    graph = Graph(8)
    x = graph.inputs()
    graph.union(np.full(6, x[0]), np.full(6, x[1]))
    rows = np.stack([x, x])
    graph.union(rows, np.stack([x[::-1], x[::-1]]))
    assert sum(block.size for block in graph.blocks) == 1 + 8


def test_long_slices_of_a_function_are_kept_as_such():
    pattern = jacobian_sparsity(lambda x: x[1:] * x[:-1] + x[0], np.ones(100_000))
    assert pattern.nnz == 3 * 99_999 - 1
