"""Scalar code and tiny blocks: joined, and flattened as trees.

Contract: a sequential block is a run of nodes whose parents may lie in it, each before
its child.  Flattening merges a node that is used once into its only user.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import OPAQUE, Block, Columns, Ids, Rows

__all__ = ["flattened_tree", "merged"]

_TINY = 32
"""Blocks up to this size are joined..."""
_TINY_RUN = 4
"""...where so many follow one another, or scalars that are more than so many of them."""


def merged(blocks: Sequence[Block]) -> list[Block]:
    """Runs of scalars and tiny blocks as one sequential block each."""
    out: list[Block] = []
    run: list[Block] = []

    def flush() -> None:
        if len(run) >= _TINY_RUN or sum(block.size for block in run[1:]) > _TINY_RUN * _TINY:
            out.append(_joined(run))
        else:
            out.extend(run)
        run.clear()

    for block in blocks:
        tiny = block.size <= _TINY or (isinstance(block, Rows) and block.sequential)
        if not tiny:
            flush()
            out.append(block)
        else:
            run.append(block)
    flush()
    return out


def _joined(run: Sequence[Block]) -> Rows:
    base = run[0].base
    parents: list[Ids] = []
    columns: list[Ids] = []
    widths: list[int] = []
    heights: list[int] = []
    every: list[int] = []
    for block in run:
        if isinstance(block, Rows) and block.size > _TINY:  # row by row already
            if columns:
                parents.append(_row_by_row(columns, widths, heights))
                columns, widths, heights = [], [], []
            parents.append(block.parents)
            every.append(1)
            continue
        some = block.columns if isinstance(block, Columns) else [block.parents]
        columns += some
        widths.append(len(some))
        heights.append(len(some[0]))
        every.append(len(some))
    if columns:
        parents.append(_row_by_row(columns, widths, heights))
    counts = np.repeat(every, [block.size for block in run])
    for block in run:
        if isinstance(block, Rows):
            counts[block.base - base :][: block.size] = np.diff(block.indptr)
    indptr = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    return Rows(base, len(counts), indptr, np.concatenate(parents), sequential=True)


def _row_by_row(columns: Sequence[Ids], widths: Sequence[int], heights: Sequence[int]) -> Ids:
    """What stands in tables that follow each other, each of them given by its columns.

    Examples
    --------
    >>> columns = [np.array([1, 2]), np.array([3, 4]), np.array([5, 6, 7])]
    >>> _row_by_row(columns, [2, 1], [2, 3]).tolist()
    [1, 3, 2, 4, 5, 6, 7]
    """
    width, height = np.array(widths), np.array(heights)
    sizes = width * height
    first = np.cumsum(sizes) - sizes
    place = np.arange(int(sizes.sum())) - np.repeat(first, sizes)
    row, column = np.divmod(place, np.repeat(width, sizes))
    place = np.repeat(first, sizes) + column * np.repeat(height, sizes) + row
    result: Ids = np.concatenate(columns)[place]
    return result


def flattened_tree(block: Rows, needed: NDArray[np.bool_]) -> Rows:
    """The sequential block with nodes used once merged into their only user.

    Rows of nodes that were merged, or that nobody needs, come out empty.  Users are
    found by pointer doubling, in log2(depth) whole-array steps.
    """
    base, size = block.base, block.size
    counts = np.diff(block.indptr)
    child = np.repeat(np.arange(size, dtype=np.int32), counts)
    parent = block.parents - np.int32(base)
    live = _live_in_order(parent, needed, block.indptr)
    edges = live[child] & (block.parents > OPAQUE)
    child, parent = child[edges], parent[edges]
    internal = parent >= 0
    uses = np.bincount(parent[internal], minlength=size)
    single = live & (uses == 1) & ~needed
    target = np.arange(size, dtype=np.int32)
    inner_child, inner_parent = child[internal], parent[internal]
    merged = single[inner_parent]
    target[inner_parent[merged]] = inner_child[merged]
    while True:
        further = target[target]
        if np.array_equal(further, target):
            break
        target = further
    kept = ~internal
    kept[internal] = ~merged
    rows, parents = target[child[kept]], (parent[kept] + np.int32(base))
    order = np.argsort(rows, kind="stable")
    rows, parents = rows[order], parents[order]
    indptr = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=size), out=indptr[1:])
    return Rows(base, size, indptr, parents, sequential=True)


def _live_in_order(
    parent: Ids, needed: NDArray[np.bool_], indptr: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which nodes of a sequential block an output needs; parents come before children."""
    if needed.all():
        return needed
    live = needed.copy()
    front: NDArray[np.integer] = np.flatnonzero(needed)
    rounds = 0
    counts = np.diff(indptr)
    while len(front):
        rounds += 1
        if rounds > 64:
            return _live_one_by_one(live, parent, indptr)
        lengths = counts[front]
        offsets = np.repeat(indptr[front] - np.cumsum(lengths) + lengths, lengths)
        reached = parent[offsets + np.arange(len(offsets))]
        reached = reached[reached >= 0]
        reached = reached[~live[reached]]
        live[reached] = True
        front = np.flatnonzero(np.bincount(reached, minlength=1)) if len(reached) else reached
    return live


def _live_one_by_one(
    live: NDArray[np.bool_], parent: Ids, indptr: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """The same for deep graphs: one pass backwards."""
    flags = live.tolist()
    parents, bounds = parent.tolist(), indptr.tolist()
    for node in range(len(flags) - 1, -1, -1):
        if flags[node]:
            for p in parents[bounds[node] : bounds[node + 1]]:
                if p >= 0:
                    flags[p] = True
    return np.array(flags, bool)
