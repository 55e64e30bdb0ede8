"""Patterns as Python's whole numbers, one a node: bit i for input i.  Fast where nodes are few.

Contract: a union takes some 50 ns, whatever block it is in, so that a small graph is solved as it
is, before the passes that make large ones small would have begun.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import compress
from operator import ne, or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import FIRST_INPUT, Block, Columns, Ids, Rows
from sparsetrace.passes.simplify import Program
from sparsetrace.progress import reported
from sparsetrace.propagation.jacobian_stores.expand import expand
from sparsetrace.propagation.jacobian_stores.packed_bits import (
    counts_of,
    inputs_of,
    joined,
    words_for,
)
from sparsetrace.propagation.jacobian_stores.sizes import check_entries

__all__ = ["MOST_INPUTS", "are_few", "foreseen", "nodes_of", "read", "sets_of", "solve"]

MOST_INPUTS = 1024
_MOST_BYTES = 2**26
_OF_NODE = 40
"""Bytes that the set of a node takes besides its bits."""
_CHUNK = 2**14
"""Rows whose parents are listed at a time."""
_OF_BLOCK = 1000
"""In the time that a wide step takes besides, so many parents are united."""
_FOLDED = 256
"""So many bits show how dense rows will be."""
_FEW = 100
"""Bits that are read one by one."""
_REPEATED = 4
"""More outputs than so many are equal, on the average, where they are read once."""


def are_few(blocks: Sequence[Block], n_inputs: int, n_outputs: int) -> bool:
    """Whether a graph is solved faster as it is than made small and solved in wide steps.

    Scalar code is, whose parents are united one by one in any case.
    """
    nodes = sum(block.size for block in blocks)
    if n_inputs > MOST_INPUTS or nodes * (_OF_NODE + n_inputs // 8) > _MOST_BYTES:
        return False
    wide = [block.edges for block in blocks if isinstance(block, Columns) or not block.sequential]
    return n_outputs + sum(wide) <= _OF_BLOCK * (len(wide) + 1)


def solve(program: Program) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Patterns of the outputs as CSR index arrays."""
    sets = sets_of(reported(program.blocks, "propagation"), program.n_inputs)
    return read([sets[node] for node in nodes_of(program.outputs)], program.n_inputs)


def sets_of(
    blocks: Iterable[Block], n_inputs: int, singles: Sequence[int] | None = None
) -> list[int]:
    """The set of every node, in the order of their ids; 0 of what is none.

    Parameters
    ----------
    blocks : iterable of Columns or Rows
    n_inputs : int
    singles : sequence of int, optional
        What stands for each input alone, by default a bit of its own.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> g = Graph(3)
    >>> y = g.union(g.inputs()[1:], g.inputs()[:-1])
    >>> [f"{nodes:03b}" for nodes in sets_of(g.blocks, 3)]
    ['000', '000', '001', '010', '100', '011', '110']
    """
    sets = [0, 0, *(_single(n_inputs) if singles is None else singles)]
    for block in blocks:
        sets += [0] * (block.base + block.size - len(sets))
        if isinstance(block, Columns):
            _unite_columns(sets, block)
        else:
            _unite_rows(sets, block)
    return sets


def foreseen(blocks: Sequence[Block], n_inputs: int) -> float:
    """About how many entries all nodes have: neighbouring inputs share a bit.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> g = Graph(1000)
    >>> y = g.union(g.inputs()[10:], g.inputs()[:-10])
    >>> 1000 < foreseen(g.blocks, 1000) < 10_000
    True
    """
    singles = [1 << (i * _FOLDED // n_inputs) for i in range(n_inputs)]
    sets = sets_of(blocks, n_inputs, singles)[FIRST_INPUT + n_inputs :]
    return sum(map(int.bit_count, sets)) * max(n_inputs / _FOLDED, 1.0)


def read(rows: Sequence[int], n_inputs: int) -> tuple[NDArray[np.integer], Ids]:
    """Sets as CSR index arrays; of equal ones that follow each other one is read."""
    if sum(map(int.bit_count, rows)) <= _FEW:
        return _read_few(rows)
    differs = [True, *map(ne, rows, rows[1:])]
    few = _REPEATED * sum(differs) < len(rows)
    bits = joined([*compress(rows, differs)] if few else rows, words_for(n_inputs))
    counts = counts_of(bits)
    indptr = np.zeros(len(bits) + 1, np.int64)
    np.add.accumulate(counts, out=indptr[1:])  # in half the time of np.cumsum
    check_entries(int(indptr[-1]))
    indices = inputs_of(bits, counts)
    if few:
        heads = [*compress(range(len(rows)), differs)]
        return expand(indptr, indices, None, np.diff(heads, append=len(rows)))
    return indptr, indices


def _read_few(rows: Sequence[int]) -> tuple[NDArray[np.integer], Ids]:
    ends, indices = [0], []
    for row in rows:
        while row:
            lowest = row & -row
            indices.append(lowest.bit_length() - 1)
            row ^= lowest
        ends.append(len(indices))
    check_entries(len(indices))
    return np.array(ends, np.int64), np.array(indices, np.int32)


def nodes_of(ids: Ids) -> list[int]:
    """Nodes as places in a list of sets; that of all constants is 0."""
    nodes: list[Any] = np.maximum(ids, 0).tolist()
    return nodes


def _unite_columns(sets: list[int], block: Columns) -> None:
    first, *others = map(nodes_of, block.columns)
    unions = [*map(sets.__getitem__, first)]
    for column in others:
        unions = [*map(or_, unions, map(sets.__getitem__, column))]
    sets[block.base : block.base + block.size] = unions


def _unite_rows(sets: list[int], block: Rows) -> None:
    for lo in range(0, block.size, _CHUNK):
        bounds = block.indptr[lo : lo + _CHUNK + 1]
        parents = nodes_of(block.parents[bounds[0] : bounds[-1]])
        lengths = bounds[1:] - bounds[:-1]
        nodes = range(block.base + lo, block.base + lo + len(lengths))
        if (lengths == 2).all():  # scalars
            pairs = iter(parents)
            for node, a, b in zip(nodes, pairs, pairs, strict=True):
                sets[node] = sets[a] | sets[b]
            continue
        at = 0
        for node, length in zip(nodes, lengths.tolist(), strict=True):
            union = 0
            for parent in parents[at : at + length]:
                union |= sets[parent]
            sets[node] = union
            at += length


@cache
def _single(n: int) -> tuple[int, ...]:
    """The set of each of n inputs alone."""
    return tuple(1 << i for i in range(n))
