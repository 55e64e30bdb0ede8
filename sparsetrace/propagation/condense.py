"""The graph of a trace that goes on, made small: patterns in place of its older blocks.

Contract: the nodes named get the patterns that they have, whatever the order of steps; the
blocks are solved in pieces, each from the patterns that those after it need, so that memory
grows with a piece and not with the graph.  First order only: what nodes multiply is not kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, Block, Columns, Graph, Ids, Rows
from sparsetrace.graph.kept import Kept
from sparsetrace.passes.compact import renumbered
from sparsetrace.passes.simplify import simplified
from sparsetrace.propagation.jacobian import first_order
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows
from sparsetrace.propagation.jacobian_stores.sizes import TooManyEntries, fits

__all__ = ["condensed", "condensed_graph"]

_PIECE = 2**27
"""Bytes that the bits of a piece's nodes may take."""
_MOST = 2**19
"""Nodes that a piece has at the most: scalars take some hundred bytes while they are solved."""
_LEAST = 2**16
"""Nodes that a piece has at the least, where the inputs are very many."""


def condensed(graph: Graph, live: Ids, end: int, most: float = np.inf) -> Kept:
    """What is left of a graph if the blocks below `end` are given up.

    Parameters
    ----------
    graph : Graph
        It is not changed.
    live : ndarray of int32
        The nodes that anybody outside of the graph may still ask for.
    end : int
        Where a block begins.
    most : float
        Most bytes that may be left.

    Raises
    ------
    ForgottenNode
        If a node is needed that was given up before.
    TooManyEntries
        If the patterns would not fit.

    Examples
    --------
    >>> g = Graph(3)
    >>> x = g.inputs()
    >>> y = g.union(g.union(x[1:], x[:-1]), x[:2])
    >>> kept = condensed(g, y[:1], g.size)
    >>> kept.nodes, kept.parents_of(7)
    (array([7], dtype=int32), [2, 3])
    """
    first_node = FIRST_INPUT + graph.n_inputs
    kept = graph.kept or _nothing(first_node)
    blocks = graph.blocks
    pieces = _pieces([b for b in blocks if b.base < end], graph.n_inputs)
    wanted = _wanted(kept, pieces, [b for b in blocks if b.base >= end], live, end)
    for piece, needed in zip(pieces, wanted, strict=True):
        kept = _solved(graph.n_inputs, kept, piece, needed)
        if kept.nbytes > most:
            raise TooManyEntries(len(kept.parents))
    return kept


def condensed_graph(graph: Graph, outputs: Ids) -> Graph:
    """A graph that holds the patterns of `outputs` alone; the graph itself if it has all blocks.

    Examples
    --------
    >>> g = Graph(3)
    >>> condensed_graph(g, g.inputs()) is g
    True
    """
    if graph.kept is None:
        return graph
    try:
        kept = condensed(graph, outputs, graph.size)
    except TooManyEntries:
        return graph
    small = Graph(graph.n_inputs)
    small.kept = kept
    return small


def _nothing(first_node: int) -> Kept:
    none = np.zeros(0, np.int32)
    return Kept(first_node, none, none, np.zeros(1, np.int64), none)


def _most_nodes(n_inputs: int) -> int:
    """So many nodes have bits that fit."""
    return min(_PIECE * 8 // max(n_inputs, 64), _MOST)


def _pieces(blocks: Sequence[Block], n_inputs: int) -> list[list[Block]]:
    """The blocks in runs of so many nodes that their bits fit."""
    most = max(_LEAST, _most_nodes(n_inputs))
    pieces: list[list[Block]] = []
    nodes = most
    for block in blocks:
        if nodes + block.size > most:
            pieces.append([])
            nodes = 0
        pieces[-1].append(block)
        nodes += block.size
    return pieces


def _wanted(
    kept: Kept, pieces: Sequence[Sequence[Block]], newer: Sequence[Block], live: Ids, end: int
) -> list[Ids]:
    """For each piece, which nodes up to its end are asked for by `live` and by what comes later."""
    old, start = kept.nodes, kept.end
    of_old, used = np.zeros(len(old), bool), np.zeros(end - start, bool)
    ended = np.append(old, np.int32(OPAQUE))

    def mark(ids: Ids) -> None:
        here = ids[(ids < end) & (ids > OPAQUE)]
        used[here[here >= start] - start] = True
        at = np.searchsorted(old, here)
        of_old[at[ended[at] == here]] = True

    def mark_parents(some: Sequence[Block]) -> None:
        for block in some:
            for ids in block.columns if isinstance(block, Columns) else [block.parents]:
                mark(ids)

    mark(live)
    mark_parents(newer)
    result: list[Ids] = []
    for piece in reversed(pieces):
        stop = piece[-1].base + piece[-1].size
        inner = np.flatnonzero(used[: stop - start]).astype(np.int32) + np.int32(start)
        result.append(np.concatenate([old[of_old], inner]))
        # of blocks that nothing needs, too: a piece is numbered anew as a whole
        mark_parents(piece)
    return result[::-1]


def _solved(n_inputs: int, kept: Kept, piece: Sequence[Block], needed: Ids) -> Kept:
    """What is left after a piece."""
    end = piece[-1].base + piece[-1].size
    blocks, (shown,) = renumbered(n_inputs, kept, piece, [needed])
    program = simplified(n_inputs, blocks, [shown])
    # rows are long where a graph is: bits do not gain by trying index rows first
    in_bits = sum(block.size for block in blocks) <= 2 * _most_nodes(n_inputs) and not any(
        isinstance(block, Rows) and block.sequential for block in program.blocks
    )
    found = first_order(program, "bitset" if in_bits else "auto")
    if isinstance(found, IntervalRows):
        if not fits(found.nnz):
            raise TooManyEntries(found.nnz)
        found = found.csr()
    indptr, indices = found
    rows: dict[bytes, int] = {}
    row = np.empty(len(needed), np.int32)
    chosen: list[int] = []
    bounds = indptr.tolist()
    for i in range(len(needed)):
        mark = indices[bounds[i] : bounds[i + 1]].tobytes()
        row[i] = rows.setdefault(mark, len(rows))
        if row[i] == len(chosen):
            chosen.append(i)
    counts = np.diff(indptr)[chosen]
    starts = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    parents = [indices[bounds[i] : bounds[i + 1]] for i in chosen]
    together = np.concatenate([np.zeros(0, np.int32), *parents]).astype(np.int32)
    return Kept(end, needed, row, starts, together + np.int32(FIRST_INPUT), kept.missed)
