"""Patterns as intervals: prefixes, whole axes and blocks cost the same at every length.

Contract: same answer as every store, and `rows` gives it without writing the entries.  Blocks are
united by whole arrays, in chunks of bounded memory; narrow and deep ones node by node.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, Columns, Ids, Rows
from sparsetrace.passes.simplify import Program
from sparsetrace.progress import reported
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows, merged
from sparsetrace.propagation.jacobian_stores.sequential import levels, parents_apart
from sparsetrace.propagation.jacobian_stores.sizes import TooManyEntries, fits

__all__ = ["MOST", "Sets", "TooManyIntervals", "rows", "solve"]

MOST = 2**26
"""Intervals that are held at the most: half a gigabyte."""
_CHUNK = 2**21
"""Intervals united at a time."""
_WIDE = 24
"""Nodes a level, on average, from which whole levels are united at a time."""


class TooManyIntervals(Exception):
    """The patterns are too ragged for intervals."""


class Sets:
    """The sets of nodes, as intervals in one pool.

    Parameters
    ----------
    n : int
        Number of inputs, whose nodes are known at once.
    size : int
        All nodes have smaller ids.
    most : float
        Intervals that may be held, `MOST` at the most.
    """

    def __init__(self, n: int, size: int, most: float = np.inf) -> None:
        self.n, self.most = n, min(most, MOST)
        self.begin = np.zeros(size, np.int64)
        self.count = np.zeros(size, np.int64)
        self.begin[FIRST_INPUT : FIRST_INPUT + n] = np.arange(n)
        self.count[FIRST_INPUT : FIRST_INPUT + n] = 1
        self.starts = np.arange(n, dtype=np.int32)
        self.stops = np.arange(1, n + 1, dtype=np.int32)
        self.used = n

    def hold(
        self, nodes: NDArray[np.integer], bounds: NDArray[np.int64], starts: Ids, stops: Ids
    ) -> None:
        """The sets of new nodes; of known ones they take the place."""
        end = self.used + len(starts)
        if end > self.most:
            raise TooManyIntervals
        if end > len(self.starts):
            room = np.empty((2, 2 * end), np.int32)
            room[0, : self.used], room[1, : self.used] = (
                self.starts[: self.used],
                self.stops[: self.used],
            )
            self.starts, self.stops = room
        self.starts[self.used : end], self.stops[self.used : end] = starts, stops
        self.begin[nodes], self.count[nodes] = self.used + bounds[:-1], np.diff(bounds)
        self.used = end

    def places(self, nodes: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the intervals of nodes lie in the pool, and how many each node has."""
        nodes = np.maximum(nodes, OPAQUE)
        counts = self.count[nodes]
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        return np.repeat(self.begin[nodes] - (ends - counts), counts) + np.arange(total), counts

    def unite(
        self, nodes: NDArray[np.integer], indptr: NDArray[np.int64], parents: NDArray[np.integer]
    ) -> None:
        """Each node as the union of a CSR row of known ones."""
        ends = np.zeros(len(parents) + 1, np.int64)
        np.cumsum(self.count[np.maximum(parents, OPAQUE)], out=ends[1:])
        inner = np.searchsorted(ends[indptr], np.arange(_CHUNK, int(ends[-1]), _CHUNK))
        for lo, hi in pairwise(sorted({0, len(nodes), *inner.tolist()})):
            if ends[indptr[hi]] - ends[indptr[lo]] > self.most:
                raise TooManyIntervals
            at, counts = self.places(parents[indptr[lo] : indptr[hi]])
            row = np.repeat(np.arange(hi - lo), np.diff(indptr[lo : hi + 1]))
            row = np.repeat(row, counts)
            self.hold(nodes[lo:hi], *merged(hi - lo, self.n, row, self.starts[at], self.stops[at]))

    def rows(self, nodes: NDArray[np.integer]) -> IntervalRows:
        """The sets of nodes as rows of a pattern: equal nodes share theirs."""
        nodes = np.maximum(nodes, OPAQUE)
        chosen = np.zeros(len(self.begin), bool)
        chosen[nodes] = True
        distinct = np.flatnonzero(chosen)
        place = np.zeros(len(self.begin), np.int32)
        place[distinct] = np.arange(len(distinct), dtype=np.int32)
        at, counts = self.places(distinct)
        bounds = np.zeros(len(distinct) + 1, np.int64)
        np.cumsum(counts, out=bounds[1:])
        return IntervalRows(self.n, place[nodes], bounds, self.starts[at], self.stops[at])


def rows(program: Program, most: float = np.inf) -> IntervalRows:
    """Patterns of the outputs.

    Raises
    ------
    TooManyIntervals
        If more than `most` would have to be held.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> from sparsetrace.passes.simplify import simplify
    >>> g = Graph(100_000)
    >>> total = g.union_rows(g.inputs()[None])
    >>> rows(simplify(g, np.repeat(total, 100_000))).nnz
    10000000000
    """
    blocks = program.blocks
    size = max((block.base + block.size for block in blocks), default=0)
    sets = Sets(program.n_inputs, max(size, FIRST_INPUT + program.n_inputs), most)
    for block in reported(blocks, "propagation"):
        if isinstance(block, Columns):
            width = len(block.columns)
            step = max(1, _CHUNK // max(width, 1))
            for lo in range(0, block.size, step):
                some = np.stack([column[lo : lo + step] for column in block.columns], axis=1)
                nodes = block.base + np.arange(lo, lo + len(some))
                indptr = np.arange(len(some) + 1, dtype=np.int64) * width
                sets.unite(nodes, indptr, some.reshape(-1))
        elif block.sequential:
            _unite_tree(sets, block)
        else:
            nodes = block.base + np.arange(block.size)
            sets.unite(nodes, block.indptr, block.parents)
    return sets.rows(program.outputs)


def solve(
    program: Program, most: float = np.inf
) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Patterns of the outputs as CSR index arrays."""
    found = rows(program, most)
    if not fits(found.nnz):
        raise TooManyEntries(found.nnz, found)
    return found.csr()


def _unite_tree(sets: Sets, block: Rows) -> None:
    """Nodes whose parents may lie in the block itself."""
    own, parents, child, parent = parents_apart(block)
    sets.unite(block.base + np.arange(block.size), own, parents)
    if not len(child):
        return
    level = levels(block.size, child, parent)
    deepest = int(level.max())
    if np.count_nonzero(level) < _WIDE * deepest:
        _one_by_one(sets, block.base, child, parent)
        return
    of_child = level[child]
    for depth in range(1, deepest + 1):
        nodes, edges = np.flatnonzero(level == depth), np.flatnonzero(of_child == depth)
        at = np.concatenate([np.arange(len(nodes)), np.searchsorted(nodes, child[edges])])
        order = np.argsort(at, kind="stable")
        indptr = np.searchsorted(at[order], np.arange(len(nodes) + 1)).astype(np.int64)
        every = np.concatenate([nodes, parent[edges]])[order]
        sets.unite(block.base + nodes, indptr, block.base + every)


def _one_by_one(sets: Sets, base: int, child: NDArray[np.integer], parent: Ids) -> None:
    made: dict[int, list[tuple[int, int]]] = {}
    held = sets.used

    def known(node: int) -> list[tuple[int, int]]:
        if node in made:
            return made[node]
        lo = int(sets.begin[base + node])
        hi = lo + int(sets.count[base + node])
        return list(zip(sets.starts[lo:hi].tolist(), sets.stops[lo:hi].tolist(), strict=True))

    first = np.flatnonzero(np.diff(child, prepend=-1))
    cuts = np.append(first, len(child)).tolist()
    parents = parent.tolist()
    for node, (lo, hi) in zip(child[first].tolist(), pairwise(cuts), strict=True):
        made[node] = result = _united(chain(known(node), *map(known, parents[lo:hi])))
        held += len(result)
        if held > sets.most:
            raise TooManyIntervals
    nodes = np.fromiter(made, np.int64, len(made))
    bounds = np.zeros(len(made) + 1, np.int64)
    np.cumsum([len(each) for each in made.values()], out=bounds[1:])
    flat = np.array([*chain.from_iterable(made.values())], np.int32).reshape(-1, 2)
    sets.hold(base + nodes, bounds, flat[:, 0], flat[:, 1])


def _united(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Intervals in order that neither meet nor touch."""
    result: list[tuple[int, int]] = []
    for start, stop in sorted(intervals):
        if result and start <= result[-1][1]:
            if stop > result[-1][1]:
                result[-1] = result[-1][0], stop
        else:
            result.append((start, stop))
    return result
