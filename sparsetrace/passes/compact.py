"""A graph without gaps, where older blocks were given up: its nodes are numbered anew.

Contract: the patterns of the arrays given are those that the graph's own ids have; a node that
was not kept, and is needed by a block or an array, is an error.  A graph that kept all of its
blocks is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparsetrace.graph.graph import FIRST_INPUT, Block, Columns, Graph, Ids, Rows
from sparsetrace.graph.kept import Kept

__all__ = ["compacted", "renumbered"]


def compacted(graph: Graph, arrays: Sequence[Ids]) -> tuple[list[Block], list[Ids]]:
    """The blocks of a graph, and id arrays, in numbers without gaps.

    Raises
    ------
    ForgottenNode
        If a node is needed that was not kept.

    Examples
    --------
    >>> g = Graph(2)
    >>> y = g.union(g.inputs(), g.inputs()[::-1])
    >>> g.kept = Kept(6, y[1:], np.array([0], np.int32), np.array([0, 2]), g.inputs())
    >>> g.blocks.clear()
    >>> blocks, (shown,) = compacted(g, [y[1:]])
    >>> shown, blocks[0].parents
    (array([4], dtype=int32), array([2, 3], dtype=int32))
    """
    blocks = graph.blocks
    if graph.kept is None:
        return blocks, list(arrays)
    return renumbered(graph.n_inputs, graph.kept, blocks, arrays)


def renumbered(
    n_inputs: int, kept: Kept, blocks: Sequence[Block], arrays: Sequence[Ids]
) -> tuple[list[Block], list[Ids]]:
    """The same of some blocks, of which the first begins where the kept nodes end."""
    first_node = FIRST_INPUT + n_inputs
    count = len(kept.indptr) - 1
    shift = kept.end - first_node - count
    known: dict[int, Ids] = {}

    def of(ids: Ids) -> Ids:
        new = known.get(id(ids))
        if new is None:
            new = known[id(ids)] = _of(ids)
        return new

    def _of(ids: Ids) -> Ids:
        if not ids.size:
            return ids
        if int(ids.min()) >= kept.end:
            return ids - np.int32(shift)
        new = np.where(ids >= kept.end, ids - np.int32(shift), ids)
        old = (ids >= first_node) & (ids < kept.end)
        if old.any():
            new[old] = kept.rows_of(ids[old]) + np.int32(first_node)
        return new

    result: list[Block] = []
    if count:
        result.append(Rows(first_node, count, kept.indptr, kept.parents))
    for block in blocks:
        base = block.base - shift
        if isinstance(block, Columns):
            result.append(Columns(base, block.size, [of(column) for column in block.columns]))
        else:
            parents = of(block.parents)
            result.append(Rows(base, block.size, block.indptr, parents, block.sequential))
    return result, [of(ids) for ids in arrays]
