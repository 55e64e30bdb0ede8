"""Which store is taken, and what of its work is thrown away."""

import random
from itertools import chain

import numpy as np
import pytest

from sparsetrace import jacobian_sparsity
from sparsetrace.graph.graph import FIRST_INPUT, Columns, Graph
from sparsetrace.passes.simplify import Program, simplify
from sparsetrace.propagation.jacobian_stores import adaptive, bitset, csr, intervals, tables
from sparsetrace.propagation.jacobian_stores.integers import foreseen
from sparsetrace.propagation.jacobian_stores.last_uses import Places, last_uses


def sweep(u):
    u = u.copy()
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            u[i, j] = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
    return u


def neighbours(x):
    y = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        y[i] = x[i - 1] * x[i] + np.sin(x[i + 1]) * x[i]
    return y


def test_sweeps_are_solved_in_bits_at_once(monkeypatch):
    wanted = jacobian_sparsity(sweep, np.ones((40, 40)), store="roaring")
    monkeypatch.setattr(csr, "solve", None)
    assert (jacobian_sparsity(sweep, np.ones((40, 40))) != wanted).nnz == 0


def test_loops_over_short_rows_are_not(monkeypatch):
    monkeypatch.setattr(bitset, "solve", None)
    assert jacobian_sparsity(neighbours, np.ones(5000)).nnz == 3 * 4998


def test_how_dense_rows_will_be_is_foreseen():
    graph = Graph(2000)
    total, sums = 2, []
    for i in range(1, 2000):
        total = graph.union_scalar(total, FIRST_INPUT + i)
        sums.append(total)
    entries = 2000 * 2001 / 2
    assert 0.8 * entries < foreseen(graph.blocks, 2000) < 1.2 * entries
    graph = Graph(2000)
    x = graph.inputs()
    graph.union(x[1:], x[:-1])
    assert foreseen(graph.blocks, 2000) < 10 * 2 * 1999


def ragged(n, density):
    graph = Graph(n)
    rng = np.random.default_rng(0)
    rows = [np.flatnonzero(rng.random(n) < density) + FIRST_INPUT for _ in range(n)]
    indptr = np.cumsum([0, *map(len, rows)])
    return graph, graph.union_segments(indptr, np.concatenate(rows).astype(np.int32))


def test_what_is_made_is_kept_where_intervals_do_not_serve(monkeypatch):
    graph, y = ragged(150, 0.5)
    program = simplify(graph, graph.union(y, y[::-1]))
    wanted = bitset.solve(program)
    made = []
    tabled = csr.tabled
    monkeypatch.setattr(csr, "tabled", lambda *args: made.append(1) or tabled(*args))
    monkeypatch.setattr(bitset, "LIMIT", 0)
    monkeypatch.setattr(adaptive, "_LONG_ROWS", 100)
    monkeypatch.setattr(adaptive, "_FEW_INTERVALS", 0)
    with pytest.raises(intervals.TooManyIntervals):
        intervals.solve(program, program.n_inputs)
    for found, one in zip(adaptive.solve(program), wanted, strict=True):
        assert (found == one).all()
    assert made == [1]


def test_intervals_are_not_tried_where_rows_stay_ragged(monkeypatch):
    graph, y = ragged(1000, 0.008)
    for _ in range(2):
        y = graph.union(graph.union(y, y[::-1]), np.roll(y, 17))
    program = Program(1000, graph.blocks, y)
    wanted = bitset.solve(program)
    tried = []
    solve = intervals.solve
    monkeypatch.setattr(intervals, "solve", lambda *args: tried.append(1) or solve(*args))
    monkeypatch.setattr(bitset, "LIMIT", 0)
    monkeypatch.setattr(adaptive, "_LONG_ROWS", 100)
    monkeypatch.setattr(tables, "_DENSE", 4)
    for few, times in ((10**4, 0), (10**6, 1)):
        monkeypatch.setattr(adaptive, "_FEW_INTERVALS", few)
        for found, one in zip(adaptive.solve(program), wanted, strict=True):
            assert (found == one).all()
        assert len(tried) == times


def test_intervals_take_over_where_they_serve(monkeypatch):
    graph = Graph(200)
    x = graph.inputs()
    y = graph.union(x, np.broadcast_to(graph.union_rows(x[None]), x.shape))
    program = Program(200, graph.blocks, y)
    wanted = bitset.solve(program)
    monkeypatch.setattr(bitset, "LIMIT", 0)
    monkeypatch.setattr(adaptive, "_LONG_ROWS", 10)
    monkeypatch.setattr(csr, "read", None)
    for found, one in zip(adaptive.solve(program), wanted, strict=True):
        assert (found == one).all()


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_given_up_that_is_needed(seed):
    rng = random.Random(seed)
    graph = Graph(45)
    known = [graph.inputs()]
    for _ in range(12):
        one, other = (np.resize(rng.choice(known), 40) for _ in range(2))
        known.append(graph.union(one, other[::-1]))
    blocks = graph.blocks
    shuffled = sorted(blocks, key=lambda block: (max(map(np.max, block.columns)), rng.random()))
    program = Program(45, shuffled, rng.choice(known))
    gone: set[int] = set()
    given_up = last_uses(program)
    for block, over in zip(program.blocks, given_up, strict=True):
        assert isinstance(block, Columns)
        assert gone.isdisjoint(np.concatenate(block.columns).tolist())
        for place in over:
            some = program.blocks[place]
            gone.update(range(some.base, some.base + some.size))
    assert gone.isdisjoint(program.outputs.tolist())
    every = list(chain.from_iterable(given_up))
    assert len(every) == len(set(every))
    if seed == 0:
        assert gone


@pytest.mark.parametrize("seed", range(20))
def test_stretches_that_are_in_use_lie_apart(seed):
    rng = random.Random(seed)
    places, used = Places(), {}
    most = 0
    for turn in range(200):
        if used and rng.random() < 0.5:
            places.free(*used.pop(rng.choice(list(used))))
            continue
        size = rng.randrange(5)
        used[turn] = places.taken(size), size
        rows = [row for start, count in used.values() for row in range(start, start + count)]
        assert len(rows) == len(set(rows))
        most = max(most, len(rows))
        assert max(rows, default=-1) < places.size
    assert places.size < 3 * most
