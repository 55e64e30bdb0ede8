"""Nodes whose parents lie in the same block: recurrences, sweeps, scalar code.

Contract: rows come in an order in which parents precede children.  Over few inputs they are
united one by one as packed bits.  Over many, wide graphs are united level by level in
whole-array steps; narrow and deep ones node by node as roaring bitmaps, which costs some
microseconds a node.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from sparsetrace.graph.graph import Ids, Rows
from sparsetrace.propagation.jacobian_stores.expand import gather_rows
from sparsetrace.propagation.jacobian_stores.packed_bits import (
    counts_of,
    inherited,
    inputs_of,
    words_for,
)
from sparsetrace.propagation.jacobian_stores.sizes import check_entries

__all__ = ["levels", "parents_apart", "solve_sequential"]

_FEW_INPUTS = 1024
"""Up to so many inputs rows are packed bits."""
_CHUNK = 2**24
"""Bits that are read at a time."""

_WIDE = 24
"""Nodes a level, on average, from which whole levels are united at a time."""


def parents_apart(
    block: Rows,
) -> tuple[NDArray[np.int64], Ids, NDArray[np.integer], Ids]:
    """The parents outside of a block, as a CSR array; then who inherits, from whom inside it.

    Examples
    --------
    >>> import numpy as np
    >>> block = Rows(5, 2, np.array([0, 1, 3]), np.array([2, 3, 5], np.int32), sequential=True)
    >>> [part.tolist() for part in parents_apart(block)]
    [[0, 1, 2], [2, 3], [1], [0]]
    """
    child = np.repeat(np.arange(block.size), np.diff(block.indptr))
    inside = block.parents >= block.base
    indptr = np.zeros(block.size + 1, np.int64)
    np.cumsum(np.bincount(child[~inside], minlength=block.size), out=indptr[1:])
    parent = block.parents[inside] - np.int32(block.base)
    return indptr, block.parents[~inside], child[inside], parent


def levels(size: int, child: NDArray[np.integer], parent: Ids) -> NDArray[np.int64]:
    """Longest chain of parents inside the block, for each node."""
    level = [0] * size
    for c, p in zip(child.tolist(), parent.tolist(), strict=True):
        if level[p] >= level[c]:
            level[c] = level[p] + 1
    return np.array(level)


def solve_sequential(
    n: int,
    indptr: NDArray[np.int64],
    values: Ids,
    child: NDArray[np.integer],
    parent: Ids,
) -> tuple[NDArray[np.int64], Ids]:
    """Complete the rows of a block by what they inherit inside it.

    Parameters
    ----------
    n : int
        Number of inputs.
    indptr, values : ndarray
        Each row's own entries (from outside the block), sorted.
    child, parent : ndarray
        Rows that inherit, in ascending order, and from which row of the block.

    Returns
    -------
    indptr, values : ndarray
        The complete rows, sorted and distinct.

    Examples
    --------
    >>> import numpy as np
    >>> own = np.array([0, 1, 2]), np.array([0, 1], np.int32)
    >>> bounds, entries = solve_sequential(2, *own, np.array([1]), np.array([0], np.int32))
    >>> bounds.tolist(), entries.tolist()
    ([0, 1, 3], [0, 0, 1])
    """
    if n <= _FEW_INPUTS:
        return _by_bits(n, indptr, values, child, parent)
    size = len(indptr) - 1
    level = levels(size, child, parent)
    deeper = np.flatnonzero(level)
    if len(deeper) >= _WIDE * int(level.max()):
        rows = _by_level(n, indptr, values, child, parent, level)
    else:
        rows = _one_by_one(indptr, values, child, parent, deeper)
    out = np.zeros(size + 1, np.int64)
    counts = np.diff(indptr)
    counts[deeper] = [len(rows[i]) for i in deeper.tolist()]
    np.cumsum(counts, out=out[1:])
    check_entries(int(out[-1]))
    entries = np.empty(out[-1], np.int32)
    plain = np.flatnonzero(level == 0)
    source, _ = gather_rows(indptr, plain)
    target, _ = gather_rows(out, plain)
    entries[target] = values[source]
    for i in deeper.tolist():
        entries[out[i] : out[i + 1]] = rows[i]
    return out, entries


def _by_bits(
    n: int,
    indptr: NDArray[np.int64],
    values: Ids,
    child: NDArray[np.integer],
    parent: Ids,
) -> tuple[NDArray[np.int64], Ids]:
    bits = np.zeros((len(indptr) - 1, words_for(n)), np.uint64)
    rows = np.repeat(np.arange(len(bits)), np.diff(indptr))
    np.bitwise_or.at(bits, (rows, values >> 6), np.uint64(1) << (values & 63).astype(np.uint64))
    bits = inherited(bits, child, parent)
    out = np.zeros(len(bits) + 1, np.int64)
    np.cumsum(counts_of(bits), out=out[1:])
    check_entries(int(out[-1]))
    step = max(1, _CHUNK // (64 * bits.shape[1]))
    parts = [inputs_of(bits[lo : lo + step]) for lo in range(0, len(bits), step)]
    return out, np.concatenate(parts)


def _one_by_one(
    indptr: NDArray[np.int64],
    values: Ids,
    child: NDArray[np.integer],
    parent: Ids,
    deeper: NDArray[np.integer],
) -> dict[int, Ids]:
    made: dict[int, BitMap] = {}
    held = 0
    bounds, own = indptr.tolist(), values.tolist()
    first = np.searchsorted(child, deeper, side="left").tolist()
    last = np.searchsorted(child, deeper, side="right").tolist()
    parents = parent.tolist()
    for i, lo, hi in zip(deeper.tolist(), first, last, strict=True):
        sets = [BitMap(own[bounds[i] : bounds[i + 1]])]
        for p in parents[lo:hi]:
            result = made.get(p)
            sets.append(BitMap(own[bounds[p] : bounds[p + 1]]) if result is None else result)
        made[i] = BitMap.union(*sets)
        held += len(made[i])
        check_entries(held)
    return {i: np.asarray(s.to_array()).astype(np.int32) for i, s in made.items()}


def _by_level(
    n: int,
    indptr: NDArray[np.int64],
    values: Ids,
    child: NDArray[np.integer],
    parent: Ids,
    level: NDArray[np.int64],
) -> dict[int, Ids]:
    start, stop = indptr[:-1].copy(), indptr[1:].copy()
    pool = values
    of_child = level[child]
    for depth in range(1, int(level.max()) + 1):
        nodes = np.flatnonzero(level == depth)
        edges = np.flatnonzero(of_child == depth)
        source = np.concatenate([nodes, parent[edges]])
        place = np.concatenate([np.arange(len(nodes)), np.searchsorted(nodes, child[edges])])
        counts = stop[source] - start[source]
        ends = np.cumsum(counts)
        check_entries(len(pool) + int(ends[-1]))
        positions = np.repeat(start[source] - (ends - counts), counts) + np.arange(int(ends[-1]))
        key = np.sort(np.repeat(place, counts) * np.int64(n) + pool[positions])
        key = key[np.diff(key, prepend=-1) > 0]
        bounds = np.searchsorted(key, np.arange(len(nodes) + 1) * np.int64(n))
        start[nodes], stop[nodes] = len(pool) + bounds[:-1], len(pool) + bounds[1:]
        pool = np.concatenate([pool, (key % n).astype(np.int32)])
    return {i: pool[start[i] : stop[i]] for i in np.flatnonzero(level).tolist()}
