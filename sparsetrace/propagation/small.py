"""Small graphs, which are solved as they are, with sets that are Python's whole numbers.

Contract: the answer is that of every store.  What makes a large graph small and its steps wide
takes longer than all the unions of a small one.
"""

from __future__ import annotations

from collections.abc import Sequence

from sparsetrace.graph.graph import Block, Graph, Ids
from sparsetrace.graph.interactions import Pair
from sparsetrace.passes.scalar_chains import merged
from sparsetrace.passes.simplify import Program
from sparsetrace.progress import report
from sparsetrace.propagation.jacobian_stores import Pattern
from sparsetrace.propagation.jacobian_stores.integers import are_few, nodes_of, read, sets_of
from sparsetrace.propagation.jacobian_stores.sizes import fits

__all__ = ["small_hessian", "small_program"]

_MOST_ROWS, _MOST_PAIRS, _MOST_WORK = 512, 4096, 2**14
"""Rows of a Hessian, pairs of nodes, and rows that their products are united with."""
_FEW_BLOCKS = 8
"""To join so many takes longer than to unite them one by one."""


def small_program(graph: Graph, outputs: Ids) -> Program | None:
    """What is to be solved for the patterns of `outputs`; None if the graph is not small.

    Examples
    --------
    >>> g = Graph(3)
    >>> y = g.union(g.inputs()[1:], g.inputs()[:-1])
    >>> small_program(g, y).blocks == g.blocks
    True
    """
    if graph.kept is not None:
        return None
    blocks, n = _small_blocks(graph, len(outputs)), graph.n_inputs
    return None if blocks is None else Program(n, blocks, outputs)


def _small_blocks(graph: Graph, n_outputs: int) -> list[Block] | None:
    """The blocks of a small graph, as they are where they are few, else with tiny ones joined."""
    blocks, n = graph.blocks, graph.n_inputs
    if len(blocks) <= _FEW_BLOCKS and are_few(blocks, n, n_outputs):
        return blocks
    blocks = merged(blocks)
    return blocks if are_few(blocks, n, n_outputs) else None


def small_hessian(graph: Graph, pairs: Sequence[Pair]) -> Pattern | None:
    """The products of pairs of nodes, in both orders; None if these or the graph are not small.

    Nor where their union is not to be written out.

    Examples
    --------
    >>> g = Graph(3, second_order=True)
    >>> y = g.union(g.inputs()[1:], g.inputs()[:-1])
    >>> indptr, indices = small_hessian(g, [(y[:1], y[1:])])
    >>> indptr.tolist(), indices.tolist()
    ([0, 2, 5, 7], [1, 2, 0, 1, 2, 0, 1])
    """
    count, n = sum(len(left) for left, _ in pairs), graph.n_inputs
    if n > _MOST_ROWS or count > _MOST_PAIRS or graph.kept is not None:
        return None
    blocks = _small_blocks(graph, count)
    if blocks is None:
        return None
    report("Hessian", 0, count)
    sets = sets_of(blocks, n)
    partners: dict[int, int] = {}
    """Of each set that is multiplied, what it is multiplied with."""
    for left, right in pairs:
        first = map(sets.__getitem__, nodes_of(left))
        if right is left:  # of which many are the same, as a rule
            for u in set(first):
                partners[u] = partners.get(u, 0) | u
            continue
        second = map(sets.__getitem__, nodes_of(right))
        for u, v in zip(first, second, strict=True):
            partners[u] = partners.get(u, 0) | v
            if u != v:
                partners[v] = partners.get(v, 0) | u
    if sum(map(int.bit_count, partners)) > _MOST_WORK:
        return None
    rows = [0] * n
    for some, partner in partners.items():
        while some:
            lowest = some & -some
            rows[lowest.bit_length() - 1] |= partner
            some ^= lowest
    return read(rows, n) if fits(sum(map(int.bit_count, rows))) else None
