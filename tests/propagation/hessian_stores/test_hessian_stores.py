"""One test for all Hessian stores: random second-order graphs against sets carried along.

The checker gives every node its gradient set and its Hessian set as the second-order
chain rule has them, number by number; nothing in it knows of liveness, products or runs.
Run ``python tests/propagation/hessian_stores/test_hessian_stores.py 20000`` to try more graphs.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

if __name__ == "__main__":  # as a script; pytest has these folders from pyproject.toml
    TESTS = Path(__file__).parents[2]
    sys.path[:0] = [str(TESTS), str(TESTS / "support")]

import numpy as np
import pytest
from at_once import AtOnce, always_used

from sparsetrace import hessian_sparsity, lagrangian_hessian_sparsity
from sparsetrace.errors import GraphSizeError, InputError
from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, Graph
from sparsetrace.graph.interactions import interact, interact_all, multiply
from sparsetrace.propagation import jacobian_stores
from sparsetrace.propagation.hessian import hessian_pattern
from sparsetrace.propagation.hessian_stores import (
    HESSIAN_STORES,
    bands,
    bitset_rows,
    matrix_products,
)
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows

NAMES = tuple(HESSIAN_STORES)
GRAPHS = 600
NOTHING = (frozenset(), frozenset())


def crossed(p, q):
    return frozenset((i, j) for a, b in ((p, q), (q, p)) for i in a for j in b)


class Model:
    """A graph of second order, and what every node in it depends on, in both orders."""

    def __init__(self, n: int, rng: random.Random) -> None:
        self.rng, self.n = rng, n
        self.graph = Graph(n, second_order=True)
        self.sets = {FIRST_INPUT + i: (frozenset((i,)), frozenset()) for i in range(n)}
        self.pool = [self.graph.inputs()]

    def of(self, node: int):
        return NOTHING if node <= OPAQUE else self.sets[node]

    def learn(self, ids, wanted):
        for node, pair in zip(ids.reshape(-1).tolist(), wanted, strict=True):
            if node <= OPAQUE:
                assert pair == NOTHING
            else:
                assert self.sets.setdefault(node, pair) == pair, f"node {node}"
        return ids

    def some(self, length: int | None = None):
        """A piece of an array made so far: a slice with a step, reversed or shuffled."""
        rng = self.rng
        ids = rng.choice(self.pool[-6:] + self.pool[:1])
        if length is None:
            length = len(ids) - rng.randrange(3) if rng.random() < 0.5 else 0
            length = length if length > 0 else rng.randint(1, len(ids))
        if rng.random() < 0.06:
            return ids[[rng.randrange(len(ids)) for _ in range(length)]]
        step = rng.choice((1,) * 8 + (2, -1))
        room = len(ids) - (length - 1) * abs(step)
        if room <= 0:
            return np.resize(ids, length)
        start = rng.randrange(room)
        piece = ids[start : start + (length - 1) * abs(step) + 1 : abs(step)]
        return piece[::-1] if step < 0 else piece

    def united(self, p, q):
        pairs = list(zip(p.tolist(), q.tolist(), strict=True))
        sets = [tuple(a | b for a, b in zip(self.of(x), self.of(y), strict=True)) for x, y in pairs]
        since = self.graph.size
        return self.learn(self.graph.union(p, q), sets), sets, since

    # ----------------------------------------------------------------- operations
    def union(self):
        p = self.some()
        return self.united(p, self.some(len(p)))[0]

    def bent(self):
        p = self.some()
        sets = [(g, h | crossed(g, g)) for g, h in map(self.of, p.tolist())]
        return self.learn(interact_all(self.graph, p), sets)

    def times(self):
        p = self.some()
        q = p if self.rng.random() < 0.2 else self.some(len(p))
        out, sets, since = self.united(p, q)
        own = self.rng.random() < 0.3
        pairs = [(p, q), (q, q)] if own else [(p, q)]
        wanted = []
        for (g, h), x, y in zip(sets, p.tolist(), q.tolist(), strict=True):
            a, b = self.of(x)[0], self.of(y)[0]
            wanted.append((g, h | crossed(a, b) | (crossed(b, b) if own else frozenset())))
        return self.learn_again(interact(self.graph, out, pairs, since), out, wanted)

    def learn_again(self, made, before, wanted):
        """Nodes of the union that were made to multiply as well."""
        for old, node, pair in zip(before.tolist(), made.tolist(), wanted, strict=True):
            if old == node and node > OPAQUE:
                self.sets[node] = pair
        return self.learn(made, wanted)

    def matmul(self):
        rng = self.rng
        m, k, n = (rng.randint(1, 3) for _ in range(3))
        a, b = self.some(m * k).reshape(1, m, k), self.some(k * n).reshape(1, k, n)
        out = np.full((1, m, n), OPAQUE, np.int32)
        wanted = []
        for i in range(m):
            for j in range(n):
                ids = np.concatenate([a[0, i], b[0, :, j]])
                parts = [self.of(x) for x in ids.tolist()]
                g = frozenset().union(*(part[0] for part in parts))
                h = frozenset().union(*(part[1] for part in parts))
                out[0, i, j] = self.graph.union_rows(ids[None])[0]
                self.learn(out[0, i, j : j + 1], [(g, h)])
                for x, y in zip(a[0, i].tolist(), b[0, :, j].tolist(), strict=True):
                    h |= crossed(self.of(x)[0], self.of(y)[0])
                wanted.append((g, h))
        made = multiply(self.graph, out, a, b)
        return self.learn(made.reshape(-1), wanted)

    def total(self):
        p = self.some()
        parts = [self.of(x) for x in p.tolist()]
        g = frozenset().union(*(part[0] for part in parts))
        h = frozenset().union(*(part[1] for part in parts))
        return self.learn(self.graph.union_rows(p[None]), [(g, h)])

    def scalar(self):
        a, b = (int(x) for x in self.some(2))
        if min(a, b) <= OPAQUE:
            return self.union()
        node = self.graph.node_scalar(a, b)
        (ga, ha), (gb, hb) = self.of(a), self.of(b)
        self.graph.scalar_products += (node, a, b)
        return self.learn(np.array([node], np.int32), [(ga | gb, ha | hb | crossed(ga, gb))])

    def constants(self):
        p = self.some().copy()
        for i in range(len(p)):
            if self.rng.random() < 0.4:
                p[i] = self.rng.choice((-3, 0, OPAQUE))
        self.graph.pure = False
        return p

    def run(self, steps: int):
        kinds = (
            [self.union] * 3
            + [self.bent] * 2
            + [self.times] * 3
            + [self.matmul, self.total]
            + [self.scalar, self.constants]
        )
        for _ in range(steps):
            self.pool.append(self.rng.choice(kinds)())
        return self.some() if self.rng.random() < 0.7 else self.some(self.rng.randint(1, 4))


def dense(n, indptr, indices):
    found = np.zeros((n, n), bool)
    for row in range(n):
        columns = indices[indptr[row] : indptr[row + 1]]
        assert (np.diff(columns) > 0).all(), "a row is not sorted"
        found[row, columns] = True
    return found


def check(seed: int) -> int:
    rng = random.Random(seed)
    n = rng.choice((1, 2, 5, 9, 30, 60, 60))
    model = Model(n, rng)
    outputs = model.run(rng.randint(1, 14))
    wanted = np.zeros((n, n), bool)
    for node in outputs.tolist():
        for i, j in model.of(node)[1]:
            wanted[i, j] = True
    stores = [("auto", name) for name in NAMES]
    stores += [(name, "csr") for name in ("csr", "bitset", "roaring", "intervals")]
    total = int(wanted.sum())
    for store, hessian_store in stores:
        found = dense(n, *hessian_pattern(model.graph, outputs, store, hessian_store))
        assert (found == wanted).all(), (seed, store, hessian_store)
    with always_used():
        by_parts = hessian_pattern(
            model.graph, outputs, *stores[seed % len(stores)], executor=AtOnce(1 + seed % 4)
        )
    assert (dense(n, *by_parts) == wanted).all(), (seed, "by parts")
    if total:  # the same where it may not be written out
        chosen = stores[seed % len(stores)]
        rows = hessian_pattern(model.graph, outputs, *chosen, total - 1)
        assert isinstance(rows, IntervalRows), (seed, *chosen)
        assert (dense(n, *rows.csr()) == wanted).all(), (seed, *chosen)
    return total


@pytest.mark.parametrize("batch", range(GRAPHS // 100))
def test_random_graphs(batch):
    entries = sum(check(seed) for seed in range(100 * batch, 100 * batch + 100))
    assert entries > 500


def test_random_graphs_none_of_which_is_small(monkeypatch):
    monkeypatch.setattr(jacobian_stores.integers, "MOST_INPUTS", -1)
    assert sum(check(seed) for seed in range(10**6, 10**6 + 100)) > 500


STENCILS = {
    "chain": lambda x: np.sum(x[1:] * x[:-1]),
    "squares": lambda x: np.sum((x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2),
    "arrow": lambda x: np.sum(x[0] * x[1:] ** 2),
    "every second": lambda x: np.sum(x[::2] * x[1::2]) + np.sum(np.sin(x[4:12])),
    "mirrored": lambda x: np.sum(x * x[::-1]),
    "far apart": lambda x: np.sum(x[:10] * x[-10:]) + np.sum(x[5:20] * x[7:22] ** 2),
    "two lengths": lambda x: np.sum(np.exp(x[:30] + x[1:31])) + np.sum(np.exp(x[20:38] - x[22:])),
    "grid": lambda x: np.sum(x.reshape(5, 8)[1:] * x.reshape(5, 8)[:-1]),
}


@pytest.mark.parametrize("name", STENCILS)
def test_stencils(name):
    f, x = STENCILS[name], np.ones(40)
    wanted = hessian_sparsity(f, x, store="roaring", hessian_store="dict")
    for store in ("auto", "csr", "bitset"):
        for hessian_store in NAMES:
            found = hessian_sparsity(f, x, store=store, hessian_store=hessian_store)
            assert (found != wanted).nnz == 0, (store, hessian_store)
            assert found.has_sorted_indices


def test_diagonals_are_written_whole(monkeypatch):
    """Stencils do not go through patterns node by node."""
    monkeypatch.setattr(matrix_products, "solve", None)
    monkeypatch.setattr(bitset_rows, "solve", None)
    assert hessian_sparsity(STENCILS["squares"], np.ones(1000)).nnz == 2998


def test_pieces_that_are_too_short_are_left_to_others():
    many = np.arange(50)
    spread = many, many.astype(np.int32), np.full(50, 3, np.int32)
    assert bands.solve(200, [(np.full(50, 5), [spread, spread])]) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_dense_product_too_large_stays_compressed(name):
    found = hessian_sparsity(lambda x: x.sum() ** 2, np.ones(200_000), hessian_store=name)
    assert found.nnz == 200_000**2
    assert found.is_dense


def test_products_too_ragged_for_intervals_are_refused_by_their_number(monkeypatch):
    monkeypatch.setattr(jacobian_stores.intervals, "MOST", 300)
    with pytest.raises(GraphSizeError, match=r"14,489 entries.*ragged"):
        hessian_sparsity(
            lambda x: np.sum(x[::2]) ** 2 + np.sum(x[::3]) ** 2, np.ones(200), max_entries=200
        )


def test_packed_bits_that_would_not_fit_are_refused():
    with pytest.raises(GraphSizeError, match="hessian_store='csr'"):
        hessian_sparsity(lambda x: np.sum(x**2), np.ones(600_000), hessian_store="bitset")


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="hessian_store"):
        lagrangian_hessian_sparsity(lambda x: x, np.ones(3), hessian_store="set")


def test_nothing_nonlinear_and_nothing_at_all():
    for name in NAMES:
        assert hessian_sparsity(np.sum, np.ones(3), hessian_store=name).nnz == 0
        assert hessian_sparsity(np.sum, np.ones(0), hessian_store=name).shape == (0, 0)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else GRAPHS
    print(count, "graphs,", sum(check(10**6 + seed) for seed in range(count)), "entries, all right")
