"""One test for all stores: random graphs against a slow, obvious checker.

The checker is a dict that gives each node its set of inputs.  It is filled as the graph
is made, from what each call promises, so it tests the sharing in `Graph` as well.
Run ``python tests/propagation/jacobian_stores/test_stores.py 100000`` to try more graphs.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

if __name__ == "__main__":  # as a script; pytest has these folders from pyproject.toml
    TESTS = Path(__file__).parents[2]
    sys.path[:0] = [str(TESTS), str(TESTS / "support")]

import numpy as np
import pytest
from at_once import AtOnce, always_used

import sparsetrace
from sparsetrace.errors import GraphSizeError, InputError
from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, Graph
from sparsetrace.passes.simplify import simplify
from sparsetrace.propagation.jacobian import index_sets, propagate
from sparsetrace.propagation.jacobian_stores import STORES, adaptive, bitset, intervals, sizes
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows

NAMES = tuple(STORES)
GRAPHS = 2000
BATCH = 100
EMPTY: frozenset[int] = frozenset()


class Model:
    """A graph, the set of every node in it, and the id arrays made so far."""

    def __init__(self, n: int, rng: random.Random) -> None:
        self.rng = rng
        self.n = n
        self.graph = Graph(n)
        x = self.graph.inputs()
        self.sets: dict[int, frozenset[int]] = {FIRST_INPUT + i: frozenset((i,)) for i in range(n)}
        self.pool = [x]

    # ------------------------------------------------------ the obvious side
    def sets_of(self, ids: np.ndarray) -> list[frozenset[int]]:
        return [self.set_of(node) for node in ids.reshape(-1).tolist()]

    def set_of(self, node: int) -> frozenset[int]:
        return EMPTY if node <= OPAQUE else self.sets[node]

    def learn(self, ids: np.ndarray, sets: list[frozenset[int]]) -> np.ndarray:
        """The ids that the graph gave out stand for these sets."""
        for node, wanted in zip(ids.reshape(-1).tolist(), sets, strict=True):
            if node <= OPAQUE:
                assert not wanted, f"node {node} should stand for {set(wanted)}"
            else:
                assert self.sets.setdefault(node, wanted) == wanted, f"node {node}"
        return ids

    # ---------------------------------------------------------- operations
    def union(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        p, q = np.broadcast_arrays(a, b)
        sets = [s | t for s, t in zip(self.sets_of(p), self.sets_of(q), strict=True)]
        return self.learn(self.graph.union(a, b), sets)

    def union_rows(self, ids: np.ndarray) -> np.ndarray:
        k = ids.shape[-1]
        rows = ids.reshape(-1, k) if k else np.zeros((int(np.prod(ids.shape[:-1])), 0), int)
        sets = [EMPTY.union(*self.sets_of(row)) for row in rows]
        return self.learn(self.graph.union_rows(ids), sets)

    def union_segments(self, indptr: np.ndarray, parents: np.ndarray) -> np.ndarray:
        pairs = zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True)
        sets = [EMPTY.union(*self.sets_of(parents[lo:hi])) for lo, hi in pairs]
        return self.learn(self.graph.union_segments(indptr, parents), sets)

    def union_scalar(self, a: int, b: int) -> int:
        if min(a, b) <= OPAQUE:  # the caller's affair, as in the rules
            return max(a, b, OPAQUE)
        node = self.graph.union_scalar(a, b)
        self.learn(np.array([node]), [self.sets[a] | self.sets[b]])
        return node

    # ------------------------------------------------------------- choices
    def some(self) -> np.ndarray:
        """One of the arrays, recent ones more often."""
        return self.rng.choice(self.pool[-4:] if self.rng.random() < 0.7 else self.pool)

    def flat(self, least: int = 1) -> np.ndarray:
        ids = self.some().reshape(-1)
        return ids if len(ids) >= least else self.pool[0]

    def sliced(self, ids: np.ndarray) -> np.ndarray:
        """A slice, often with a step, often of a slice."""
        for _ in range(self.rng.choice((1, 1, 2))):
            m = len(ids)
            if m < 2:
                return ids
            lo = self.rng.randrange(0, max(1, m // 3))
            hi = m - self.rng.randrange(0, max(1, m // 3))
            ids = ids[lo:hi][:: self.rng.choice((1, 1, 1, 2, 3, -1, -2))]
        return ids


def pairwise_shift(model: Model) -> np.ndarray:
    ids = model.flat(2)
    return model.union(ids[1:], ids[:-1])


def stencil(model: Model) -> np.ndarray:
    """A sum of shifted slices, as in code for differential equations."""
    ids = model.flat(2)
    k = min(model.rng.randrange(2, 7), len(ids))
    m = len(ids) - k + 1
    shifts = list(range(k))
    model.rng.shuffle(shifts)
    out = ids[shifts[0] : shifts[0] + m]
    for shift in shifts[1:]:
        out = model.union(out, ids[shift : shift + m])
    return out


def periodic(model: Model) -> np.ndarray:
    ids = model.flat()
    return model.union(model.union(ids, np.roll(ids, 1)), np.roll(ids, -1))


def two_slices(model: Model) -> np.ndarray:
    a, b = model.sliced(model.flat()), model.sliced(model.flat())
    m = min(len(a), len(b))
    return model.union(a[:m], b[len(b) - m :])


def crossing(model: Model) -> np.ndarray:
    """``x[:, None] - x[None, :]``: runs of steps 0 and 1, or -1, that meet."""
    a, b = model.sliced(model.flat())[:12], model.sliced(model.flat())[:12]
    return model.union(a[:, None], b[None, :])


def gathered(model: Model) -> np.ndarray:
    ids = model.flat()
    return ids[[model.rng.randrange(len(ids)) for _ in range(model.rng.randrange(1, 40))]]


def gathered_union(model: Model) -> np.ndarray:
    return model.union(g := gathered(model), np.resize(model.flat(), len(g)))


def reversed_union(model: Model) -> np.ndarray:
    ids = model.flat()
    return model.union(ids, ids[::-1])


def concatenated(model: Model) -> np.ndarray:
    return np.concatenate([model.sliced(model.flat()), model.sliced(model.flat())])[:300]


def repeated(model: Model) -> np.ndarray:
    ids = model.flat()[:20]
    return model.rng.choice((np.repeat(ids, 4), np.tile(ids, 3)))


def reduced(model: Model) -> np.ndarray:
    return model.union_rows(model.flat()[None])


def rows_reduced(model: Model) -> np.ndarray:
    ids = model.flat()
    k = model.rng.randrange(1, 9)
    rows = len(ids) // k
    table = ids[: rows * k].reshape(rows, k)
    return model.union_rows(table.T if model.rng.random() < 0.4 else table)


def windows(model: Model) -> np.ndarray:
    ids = model.flat()
    k = min(model.rng.randrange(1, 6), len(ids))
    return model.union_rows(np.lib.stride_tricks.sliding_window_view(ids, k))


def segments(model: Model) -> np.ndarray:
    ids = model.flat()
    ids = ids[ids > OPAQUE]
    counts = [model.rng.choice((0, 1, 1, 2, 3, 7)) for _ in range(model.rng.randrange(1, 12))]
    if not len(ids):
        return model.pool[0]
    rows = [ids[[model.rng.randrange(len(ids)) for _ in range(count)]] for count in counts]
    rows = [row for row in rows for _ in range(model.rng.choice((1, 1, 3)))]
    indptr = np.cumsum([0, *map(len, rows)])
    return model.union_segments(indptr, np.concatenate(rows))


def scattered(model: Model) -> np.ndarray:
    """Additions into places, one after the other, as `ufunc.at` makes them."""
    places = model.rng.randrange(2, 15)
    out = np.full(places, OPAQUE, np.int32) if model.rng.random() < 0.7 else model.flat()
    added = model.flat()
    for _ in range(model.rng.randrange(1, 4)):
        added = model.rng.choice((added, added, model.flat(), model.sliced(added)))
        target = np.array([model.rng.randrange(len(out)) for _ in added])
        groups = [[out[i], *added[target == i]] for i in range(len(out))]
        parents = [np.array([p for p in group if p > OPAQUE], np.int32) for group in groups]
        indptr = np.cumsum([0] + [len(group) for group in parents])
        out = model.union_segments(indptr, np.concatenate(parents))
    return out


def minus_maximum(model: Model) -> np.ndarray:
    """Absorption: every element lies in the reduction that it is united with."""
    ids = model.flat()
    peak = model.union_rows(ids[None])
    return model.union(ids, np.broadcast_to(peak, ids.shape))


def nearly_minus_maximum(model: Model) -> np.ndarray:
    """What must not be absorbed: the reduction of some elements beside all of them."""
    ids = model.flat(2)
    cut = model.rng.randrange(1, max(2, len(ids)))
    peak = model.union_rows(ids[None, :cut])
    if model.rng.random() < 0.5:
        peak = model.union_rows(np.concatenate([ids[:cut], ids[-1:]])[None])
    return model.union(np.broadcast_to(peak, ids.shape), ids)


def softmax(model: Model) -> np.ndarray:
    ids = model.flat()
    k = model.rng.randrange(1, 7)
    rows = max(1, len(ids) // k)
    table = np.resize(ids, (rows, k))
    if model.rng.random() < 0.5:
        table = table.T
    shifted = model.union(table, model.union_rows(table)[:, None])
    return model.union(shifted, model.union_rows(shifted)[:, None])


def normalised_columns(model: Model) -> np.ndarray:
    ids = model.flat()
    k = model.rng.randrange(2, 9)
    table = np.resize(ids, (max(2, len(ids) // k), k))
    sums = model.union_rows(table.T)
    shuffled = sums[model.rng.sample(range(k), k)] if model.rng.random() < 0.4 else sums
    return model.union(table, shuffled[None, :])


def scalar_chain(model: Model) -> np.ndarray:
    """An accumulation in a Python loop; deep."""
    nodes = model.flat().tolist() * model.rng.choice((1, 1, 4))
    nodes = nodes[: model.rng.randrange(1, 200)]
    out, total = [], nodes[0]
    for node in nodes[1:]:
        total = model.union_scalar(total, node)
        out.append(total)
    if model.rng.random() < 0.2:
        out = out[-1:]
    return np.array(out or nodes[:1], np.int32)


def scalar_tree(model: Model) -> np.ndarray:
    nodes = model.flat().tolist()[:40]
    while len(nodes) > model.rng.choice((1, 3, 5)) and len(nodes) > 1:
        nodes = [
            model.union_scalar(a, b) for a, b in zip(nodes[::2], nodes[1::2], strict=False)
        ] + nodes[len(nodes) // 2 * 2 :]
    return np.array(nodes, np.int32)


def sweep(model: Model) -> np.ndarray:
    """A recurrence: Gauss-Seidel, a filter, a time integration."""
    ids = model.flat().tolist()[:40]
    for i in range(1, len(ids)):
        ids[i] = model.union_scalar(ids[i - 1], ids[i])
    if model.rng.random() < 0.5:
        for i in range(len(ids) - 2, -1, -1):
            ids[i] = model.union_scalar(ids[i + 1], ids[i])
    return np.array(ids, np.int32)


def random_scalars(model: Model) -> np.ndarray:
    nodes = model.flat().tolist()[:10]
    for _ in range(model.rng.randrange(1, 60)):
        nodes.append(model.union_scalar(model.rng.choice(nodes), model.rng.choice(nodes)))
    return np.array(nodes[-model.rng.randrange(1, 40) :], np.int32)


def tiny_blocks(model: Model) -> np.ndarray:
    """Many array operations on few elements, with scalars in between."""
    state = model.flat()[: model.rng.randrange(1, 7)].copy()
    history = [state]
    for _ in range(model.rng.randrange(1, 10)):
        kind = model.rng.randrange(4)
        if kind == 0:
            state = model.union(state, np.roll(state, 1))
        elif kind == 1:
            state = model.union(state, np.broadcast_to(model.union_rows(state[None]), state.shape))
        elif kind == 2:
            state = state.copy()
            i, j = model.rng.randrange(len(state)), model.rng.randrange(len(state))
            state[i] = model.union_scalar(int(state[i]), int(state[j]))
        else:
            state = model.union(state, np.resize(model.flat(), len(state)))
        history.append(state)
    return np.concatenate(history) if model.rng.random() < 0.5 else state


def written(model: Model) -> np.ndarray:
    """Assignment into a copy, which mixes nodes of several blocks in one array."""
    out = model.flat().copy()
    m = model.rng.randrange(1, len(out) + 1)
    at = model.rng.randrange(0, len(out) - m + 1)
    out[at : at + m] = np.resize(model.flat(), m)
    return out


def with_constants(model: Model) -> np.ndarray:
    """Constants written into a copy, or opaque elements."""
    out = model.flat().copy()
    model.graph.pure = False
    hidden = OPAQUE
    if model.rng.random() < 0.7:
        hidden = model.graph.constant_scalar(model.rng.choice((0.0, 1.0, 2.5)))
    if model.rng.random() < 0.5:
        out[:: model.rng.randrange(1, 4)] = hidden
    else:
        m = model.rng.randrange(0, len(out) + 1)
        out[:m] = hidden
    return out


def aliases(model: Model) -> np.ndarray:
    """Unions of equal parents, found only when they are simplified."""
    ids = model.flat()
    once = model.union_rows(np.stack([ids] * model.rng.randrange(2, 6), axis=1))
    return model.union(once, ids) if model.rng.random() < 0.5 else once


def looked_at(model: Model) -> np.ndarray:
    """The patterns of some nodes in the midst of the trace, as ``repr`` asks for them."""
    ids = model.flat()[:5]
    assert [frozenset(s) for s in index_sets(model.graph, ids)] == model.sets_of(ids)
    return ids


OPERATIONS: list[Callable[[Model], np.ndarray]] = [
    pairwise_shift, stencil, stencil, periodic, two_slices, two_slices, crossing, gathered,
    gathered_union, reversed_union, concatenated, repeated, reduced, rows_reduced, windows,
    segments, minus_maximum, nearly_minus_maximum, softmax, normalised_columns, scalar_chain,
    scalar_tree, sweep, random_scalars, tiny_blocks, written, with_constants, aliases,
    looked_at, scattered, scattered,
]  # fmt: skip


def random_model(seed: int) -> Model:
    rng = random.Random(seed)
    n = rng.choice((1, 2, 3, 5, 9, 16, 33, 64, 65, 130))
    model = Model(n, rng)
    for _ in range(rng.randrange(1, 10)):
        made = rng.choice(OPERATIONS)(model)
        if 0 < made.size <= 2000:
            model.pool.append(made)
    return model


def random_outputs(model: Model) -> np.ndarray:
    """All of the last array, or a few elements, or pieces of several."""
    rng = model.rng
    kind = rng.randrange(5)
    last = model.pool[-1].reshape(-1)
    if kind == 0:
        out = last
    elif kind == 1:
        out = last[[rng.randrange(len(last)) for _ in range(rng.randrange(0, 4))]]
    elif kind == 2:
        out = model.sliced(last)
    elif kind == 3:
        out = np.concatenate([model.sliced(model.flat()) for _ in range(rng.randrange(1, 4))])
    else:
        out = np.concatenate([model.flat(), last])
    return np.array(out, np.int32)[:1500]


def check(seed: int) -> None:
    model = random_model(seed)
    outputs = random_outputs(model)
    expected = [sorted(s) for s in model.sets_of(outputs)]
    for name in NAMES:
        indptr, indices = propagate(model.graph, outputs, name)
        bounds, entries = indptr.tolist(), indices.tolist()
        found = [entries[lo:hi] for lo, hi in pairwise(bounds)]
        assert found == expected, f"seed {seed}, store {name}"
    with always_used():
        parts = propagate(model.graph, outputs, name, executor=AtOnce(1 + seed % 4))
    for part, own in zip(parts, (indptr, indices), strict=True):
        assert (part.dtype, part.tolist()) == (own.dtype, own.tolist()), f"seed {seed}, by parts"
    # entry for entry the same where it may not be written out
    name, total = NAMES[seed % len(NAMES)], sum(map(len, expected))
    if total:
        rows = propagate(model.graph, outputs, name, total - 1)
        assert isinstance(rows, IntervalRows), f"seed {seed}, store {name}"
        assert rows.nnz == total
        bounds, entries = (array.tolist() for array in rows.csr())
        found = [entries[lo:hi] for lo, hi in pairwise(bounds)]
        assert found == expected, f"seed {seed}, store {name}, compressed"


# Thresholds decide how a pattern is computed and never what it is.
THRESHOLDS: dict[str, dict[str, float]] = {
    "no graph small": {"MOST_INPUTS": -1, "_LITTLE": -1, "_EMPTY": 0},
    "no runs": {"_COARSE": 10**6, "_OPENED_FROM": 0, "_LITTLE": -1},
    "every run": {"_COARSE": 1, "_MOST_PIECES": 0, "_LITTLE": -1},
    "column by column": {"_STACKED": 0, "_COARSE": 2, "_SLICE_SIZE": 3, "_LARGE_BLOCK": 0},
    "small chunks": {"_CHUNK": 512},
    "smaller chunks": {"_CHUNK": 64, "_OPENED_FROM": 0},
    "no marking": {"_FLAGS_PER_ENTRY": 0},
    "rows one by one": {"_LONG": 0, "_COARSE": 1, "_STACKED": 0, "_SLICE_SIZE": 3},
    "level by level": {"_WIDE": 0},
    "node by node": {"_WIDE": 10**9},
    "narrow flattening": {"_WIDEST": 3, "_SHARED_WIDTH": 1},
    "wide flattening": {"_WIDEST": 10**6, "_SHARED_WIDTH": 10**6, "_OPENED_FROM": 0},
    "all blocks tiny": {"_TINY": 10**6, "_TINY_RUN": 1},
    "no block tiny": {"_TINY": 0, "_TINY_RUN": 10**6},
    "no reductions": {"_REDUCTION_WIDTH": 10**6},
    "all reductions": {"_REDUCTION_WIDTH": 1},
    "wide unions as rows": {"_NARROW": 2},
    "products": {
        "_FEWEST_NODES": 0,
        "_UNUSED": 10**9,
        "_COLUMNS_PER_ENTRY": 10**9,
        "_FLAGS_PER_ENTRY": 0,
        "_OPENED_FROM": 0,
    },
    "products of long rows": {
        "_FEWEST_NODES": 0,
        "_UNUSED": 10**9,
        "_COLUMNS_PER_ENTRY": 10**9,
        "_FLAGS_PER_ENTRY": 0,
        "_SHORT_ROWS": 0,
        "_FEW_BOUNDS": 0,
        "_COARSE": 10**6,
    },
    "rows copied": {"_COPIED": 0, "_COARSE": 1, "_MOST_PIECES": 0},
    "parts of blocks": {
        "_OPENED_FROM": 0,
        "_LARGE_BLOCK": 0,
        "_FEW_OUTPUTS": 0,
        "_WIDEST_ROWS": 1e6,
    },
    "inputs as one": {"_FEWEST_EDGES": 0, "_PART_OF_NODES": 1e9, "_LEFT": 10**6, "MOST_INPUTS": -1},
    "bits at once": {"_GATHER": 0, "_WORD": 0, "_BLOCK": 0, "_CACHED": 64, "MOST_INPUTS": -1},
    "bits word by word": {"_BLOCK_OF_ROWS": 1e9, "_EMPTY": 1, "_REPEATED": 1, "MOST_INPUTS": -1},
}
THRESHOLDS["translates"] = dict.fromkeys(("_FEW_PARENTS", "_LOOK", "_SHARED", "_SMALL"), 0)
THRESHOLDS["translates"] |= {"_PART_OF_ALL": 1e9, "_COARSE": 10**6, "MOST_INPUTS": -1}
MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(sparsetrace.__path__, "sparsetrace.")
    if not found.name.endswith("__main__")
]


def use_thresholds(patch: pytest.MonkeyPatch, name: str) -> None:
    for attribute, value in THRESHOLDS[name].items():
        holders = [module for module in MODULES if hasattr(module, attribute)]
        assert holders, f"no module has a threshold {attribute}"
        for module in holders:
            patch.setattr(module, attribute, value)


@pytest.mark.parametrize("start", range(0, GRAPHS, BATCH))
def test_every_store_gives_the_checkers_answer(start):
    for seed in range(start, start + BATCH):
        check(seed)


@pytest.mark.parametrize("name", THRESHOLDS)
def test_thresholds_do_not_change_the_answer(monkeypatch, name):
    use_thresholds(monkeypatch, name)
    start = 10**6 + BATCH * list(THRESHOLDS).index(name)
    for seed in range(start, start + BATCH):
        check(seed)


@pytest.mark.parametrize("name", ["csr", "auto"])
def test_many_outputs_without_a_dependency(name):
    graph = Graph(3)
    graph.pure = False
    indptr, indices = propagate(graph, np.full(8, OPAQUE, np.int32), name)
    assert indptr.tolist() == [0] * 9
    assert not len(indices)


def test_the_test_can_fail(monkeypatch):
    """A store that loses one entry is found out."""

    def lossy(program):
        indptr, indices = STORES["roaring"](program)
        if not len(indices):
            return indptr, indices
        row = int(np.flatnonzero(np.diff(indptr))[-1])
        return np.where(np.arange(len(indptr)) > row, indptr - 1, indptr), indices[:-1]

    def check_some():
        for seed in range(20):
            check(seed)

    monkeypatch.setitem(STORES, "csr", lossy)
    with pytest.raises(AssertionError, match="store csr"):
        check_some()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [0, 1, 64])
def test_no_outputs(name, n):
    indptr, indices = propagate(Graph(n), np.zeros(0, np.int32), name)
    assert indptr.tolist() == [0]
    assert not len(indices)


@pytest.mark.parametrize("name", NAMES)
def test_inputs_as_outputs(name):
    graph = Graph(70)
    outputs = graph.inputs()[::-1].copy()
    indptr, indices = propagate(graph, outputs, name)
    assert indptr.tolist() == list(range(71))
    assert indices.tolist() == list(range(69, -1, -1))


@pytest.mark.parametrize("name", NAMES)
def test_a_deep_chain_of_which_little_is_needed(name):
    graph = Graph(50)
    nodes = graph.inputs().tolist()
    total, unused = nodes[0], nodes[1]
    for i in range(500):
        total = graph.union_scalar(total, nodes[i % 40])
        unused = graph.union_scalar(unused, nodes[i % 50])
    indptr, indices = propagate(graph, np.array([total], np.int32), name)
    assert indices.tolist() == list(range(40))
    assert indptr.tolist() == [0, 40]


def test_an_unknown_store_is_an_input_error():
    with pytest.raises(InputError, match="choose one of"):
        propagate(Graph(1), np.zeros(1, np.int32), "dense")


def test_bits_that_would_not_fit_are_refused(monkeypatch):
    monkeypatch.setattr(bitset, "LIMIT", 100)
    graph = Graph(100)
    x = graph.inputs()
    outputs = graph.union(x[1:], x[:-1])
    with pytest.raises(GraphSizeError, match="store='csr' or 'auto'"):
        propagate(graph, outputs, "bitset")
    assert adaptive.bit_cost(simplify(graph, outputs)) == np.inf
    assert len(propagate(graph, outputs, "auto")[1]) == 198


def main(count: int) -> int:
    """Try `count` graphs, under all thresholds in turn."""
    failed = 0
    names = list(THRESHOLDS)
    for seed in range(count):
        name = names[seed % len(names)]
        with pytest.MonkeyPatch.context() as patch:
            use_thresholds(patch, name)
            try:
                check(seed)
            except Exception as error:
                failed += 1
                text = str(error).splitlines()[0] if str(error) else ""
                print(f"seed {seed} ({name}): {type(error).__name__}: {text[:150]}")
    print(f"{count} graphs, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else GRAPHS))


@pytest.mark.parametrize("store", NAMES)
@pytest.mark.parametrize("f", [lambda x: x - x.mean(), lambda x: np.fft.fft(x)])
def test_a_dense_pattern_that_does_not_fit_stays_compressed(f, store, monkeypatch):
    monkeypatch.setattr(sizes, "_memory", lambda: 2**20)
    pattern = sparsetrace.jacobian_sparsity(f, np.ones(1000), store=store)
    assert pattern.is_dense
    with pytest.raises(GraphSizeError, match=r"1,000,000 entries.*more than fit into memory"):
        pattern.tocsr()


def test_rows_too_ragged_for_intervals_are_refused_by_their_number(monkeypatch):
    monkeypatch.setattr(intervals, "MOST", 1000)
    with pytest.raises(GraphSizeError, match=r"entries.*too ragged"):
        sparsetrace.jacobian_sparsity(
            lambda x: np.cumsum(x[::2]) + x[-1], np.ones(200), max_entries=100
        )
