"""Programs of long slices, stretch by stretch."""

import numpy as np
import pytest

from sparsetrace import hessian_sparsity, jacobian_sparsity
from sparsetrace.graph import progressions, slices
from sparsetrace.graph.graph import Graph
from sparsetrace.passes.simplify import Program
from sparsetrace.propagation.hessian_stores import bands
from sparsetrace.propagation.jacobian_stores import STORES, integers, stretches

SEEDS = range(200)


@pytest.fixture(autouse=True)
def short_arrays(monkeypatch):
    """Those of the tests are long enough, and looked at in several parts."""
    monkeypatch.setattr(stretches, "_SHORT", 0)
    monkeypatch.setattr(progressions, "_FEW", 20)
    monkeypatch.setattr(stretches, "_STRETCHES", 400)
    monkeypatch.setattr(slices, "_SLICE_SIZE", 5)


def some_of(rng, ids, size):
    """So many of some ids, as slices, reversals, repetitions, shifts and constants choose them."""
    end = int(rng.integers(size + 1))
    chosen = [
        ids[len(ids) - size :] if len(ids) >= size else None,
        np.roll(ids, rng.integers(-3, 4))[:size] if len(ids) >= size else None,
        np.full(size, rng.choice(ids)),
        ids[::-1][:size] if len(ids) >= size else None,
        ids[::2][:size] if len(ids) >= 2 * size else None,
        np.concatenate([[rng.choice([0, 1, -3])], ids[: size - 1]]) if len(ids) >= size else None,
        np.concatenate([ids[:end], np.full(size - end, ids[0])]) if len(ids) >= end else None,
    ]
    found = [new for new in chosen if new is not None and len(new) == size]
    return np.ascontiguousarray(found[rng.integers(len(found))], np.int32)


def random_graph(seed):
    """A graph of slices of slices, and some of its nodes."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    graph = Graph(n)
    pool = [graph.inputs()]
    for _ in range(rng.integers(1, 7)):
        size = int(rng.integers(1, n + 3))
        of = [pool[at] for at in rng.integers(len(pool), size=rng.integers(1, 5))]
        columns = [some_of(rng, ids, size) for ids in of]
        if rng.random() < 0.25:
            lengths = rng.integers(0, 5, size=rng.integers(1, 4))
            parents = np.maximum(np.concatenate(columns), 0)
            indptr = np.minimum(np.concatenate([[0], np.cumsum(lengths)]), len(parents))
            base = graph.append_rows(indptr.astype(np.int64), parents)
            size = len(lengths)
        else:
            base = graph.append_columns(columns)
        pool.append(np.arange(base, base + size, dtype=np.int32))
    of = [pool[at] for at in rng.integers(len(pool), size=3)]
    return graph, np.concatenate([some_of(rng, ids, int(rng.integers(1, n + 1))) for ids in of])


def by_integers(graph, ids):
    return integers.solve(Program(graph.n_inputs, graph.blocks, ids))


def dense(n, pattern):
    indptr, indices = pattern
    found = np.zeros((len(indptr) - 1, n), bool)
    found[np.repeat(np.arange(len(found)), np.diff(indptr)), indices] = True
    assert found.sum() == len(indices)
    return found


def test_random_programs():
    solved = 0
    for seed in SEEDS:
        graph, outputs = random_graph(seed)
        found = stretches.solve(Program(graph.n_inputs, graph.blocks, outputs))
        if found is None:
            continue
        solved += 1
        wanted = by_integers(graph, outputs)
        assert [some.tolist() for some in found] == [some.tolist() for some in wanted], seed
    assert solved > len(SEEDS) // 3


def test_random_products(monkeypatch):
    monkeypatch.setattr(bands, "_LOOSE", 0)
    solved = 0
    for seed in SEEDS:
        graph, ids = random_graph(seed)
        n, half = graph.n_inputs, len(ids) // 2
        some, others, rest = ids[:half], ids[half : 2 * half], ids[half:]
        groups = stretches.multiplied(n, graph.blocks, [(some, others), (rest, rest)])
        found = None if groups is None else bands.solve(n, groups)
        if found is None:
            continue
        solved += 1
        wanted = np.zeros((n, n), bool)
        for left, right in [(some, others), (others, some), (rest, rest)]:
            wanted |= dense(n, by_integers(graph, left)).T @ dense(n, by_integers(graph, right))
        assert (dense(n, found) == wanted).all(), seed
    assert solved > len(SEEDS) // 4


def test_what_moves_in_both_directions_is_left_to_others():
    graph = Graph(100)
    y = graph.union(graph.inputs(), graph.inputs()[::-1].copy())
    assert stretches.solve(Program(100, graph.blocks, y)) is None


def test_what_moves_into_what_stays_is_told():
    """``x[i]`` is among the first ten inputs for some i: then it counts once."""
    graph = Graph(30)
    first = graph.union_rows(graph.inputs()[:10].reshape(1, -1))
    y = graph.union(graph.inputs(), first)
    found = stretches.solve(Program(30, graph.blocks, y))
    assert [some.tolist() for some in found] == [some.tolist() for some in by_integers(graph, y)]


def no_store(program):
    raise AssertionError


def upwind(u):
    padded = np.concatenate([np.zeros(1), u, u[:1]])
    return (padded[2:] - padded[:-2]) * padded[1:-1] + u.max() * (padded[0] + 1)


def sum_of_squares(x):
    return np.sum((x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def test_long_slices_need_no_other_store(monkeypatch):
    wanted = jacobian_sparsity(upwind, np.ones(2000), store="csr")
    squares = hessian_sparsity(sum_of_squares, np.ones(2000), store="bitset")
    monkeypatch.setitem(STORES, "auto", no_store)
    assert (jacobian_sparsity(upwind, np.ones(2000)) != wanted).nnz == 0
    assert (hessian_sparsity(sum_of_squares, np.ones(2000)) != squares).nnz == 0
    assert squares.nnz == 3 * 2000 - 2


def test_more_entries_than_are_wanted_stay_compressed():
    pattern = jacobian_sparsity(lambda x: x - x.mean(), np.ones(3000), max_entries=1000)
    assert (pattern.nnz, pattern.is_dense) == (3000**2, True)


@pytest.mark.parametrize("size", [0, 1, 2])
def test_short_arrays(size):
    pattern = jacobian_sparsity(lambda x: x[1:] * x[:-1], np.ones(size + 1))
    assert pattern.nnz == 2 * size
