"""Patterns as roaring bitmaps, one a node: compact for runs and for dense rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, Columns, Ids
from sparsetrace.passes.simplify import Program
from sparsetrace.progress import reported
from sparsetrace.propagation.jacobian_stores.sizes import check_entries

__all__ = ["bitmaps", "solve"]


def bitmaps(program: Program) -> list[BitMap]:
    """One bitmap for each output; equal outputs share it.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> from sparsetrace.passes.simplify import simplify
    >>> g = Graph(3)
    >>> x = g.inputs()
    >>> bitmaps(simplify(g, g.union(x[1:], x[:-1])))
    [BitMap([0, 1]), BitMap([1, 2])]
    """
    known: dict[int, BitMap] = {}
    empty = BitMap()

    def pattern(node: int) -> BitMap:
        if node <= OPAQUE:
            return empty
        result = known.get(node)
        if result is None:
            # a node of a block is always known by now: only inputs are made here
            index = node - FIRST_INPUT
            if index >= program.n_inputs:
                raise AssertionError(f"node {node} is used before it is made")
            result = known[node] = BitMap([index])
        return result

    for block in reported(program.blocks, "propagation"):
        if isinstance(block, Columns):
            rows: Any = zip(*(column.tolist() for column in block.columns), strict=True)
            for node, parents in enumerate(rows, block.base):
                known[node] = BitMap.union(*map(pattern, parents))
        else:
            parents_list, bounds = block.parents.tolist(), block.indptr.tolist()
            for i in range(block.size):
                if bounds[i] < bounds[i + 1]:
                    sets = map(pattern, parents_list[bounds[i] : bounds[i + 1]])
                    known[block.base + i] = BitMap.union(*sets)
                else:
                    known[block.base + i] = empty
    return [pattern(node) for node in program.outputs.tolist()]


def solve(program: Program) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Patterns of the outputs as CSR index arrays."""
    sets = bitmaps(program)
    indptr = np.zeros(len(sets) + 1, np.int64)
    np.cumsum([len(s) for s in sets], out=indptr[1:])
    check_entries(int(indptr[-1]))
    indices: Ids = np.empty(indptr[-1], np.int32)
    bounds = indptr.tolist()
    for i, s in enumerate(sets):
        if s:
            indices[bounds[i] : bounds[i + 1]] = np.asarray(s.to_array(), np.uint32).view(np.int32)
    return indptr, indices
