"""Inputs that stand side by side in the same unions are solved as one.

Contract: the patterns are the same.  The three coordinates of a point, or the numbers of a layer,
that go together into all that is united are one input to the store, and are told apart where the
patterns are written out, which takes a pass over the entries.  So it is done where most of the work
is to unite what was united before::

    {0, 1, 2, 6, 7}, {3, 4, 5, 6, 7}  ->  inputs 0 .. 2, 3 .. 5 and 6 .. 7, {0, 2} and {1, 2}
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import FIRST_INPUT, Block, Columns, Ids, Rows
from sparsetrace.passes.simplify import Program
from sparsetrace.propagation.jacobian_stores import Pattern
from sparsetrace.propagation.jacobian_stores.adaptive import united_singly
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows
from sparsetrace.propagation.jacobian_stores.sizes import fits

__all__ = ["joined", "written_out"]

_FEWEST_EDGES = 2**12
"""Parents of a program from which it is looked into."""
_PROBE = 256
"""So many rows of each block are looked at first."""
_LEFT, _OF = 2, 3
"""At most so many inputs of so many may be left."""

_PART_OF_NODES = 3
"""One parent in so many is a node, at the least."""

_MUCH = 4
"""A block of one in so many parents tells alone that inputs are apart."""

Starts = NDArray[np.int64]


def joined(program: Program) -> tuple[Program, Starts] | None:
    """The program of fewer inputs, and where each begins; None where few would be saved.

    Nodes keep their ids.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> g = Graph(6000)
    >>> y = g.union_rows(g.inputs().reshape(2000, 3))
    >>> z = g.union_rows(np.random.default_rng(0).choice(y, (2000, 4)))
    >>> fewer, starts = joined(Program(6000, g.blocks, z))
    >>> fewer.n_inputs, starts[:4].tolist(), fewer.blocks[0].columns[0][:4].tolist()
    (2000, [0, 3, 6, 9], [2, 3, 4, 5])
    """
    n = program.n_inputs
    edges = sum(block.edges for block in program.blocks)
    if n < 2 or edges < _FEWEST_EDGES or _PART_OF_NODES * united_singly(program) < edges:
        return None
    if not _seems_joint(program, edges):
        return None
    apart = np.zeros(n + 2, bool)
    apart[0] = True
    for block in program.blocks:
        for before, ids in _neighbours(block, n):
            _mark(apart, n, before, ids)
    nothing = np.zeros_like(program.outputs)
    for before, ids in pairwise([nothing, program.outputs, nothing]):
        _mark(apart, n, before, ids)
    apart = apart[:n]
    starts = np.flatnonzero(apart)
    if _OF * len(starts) > _LEFT * n:
        return None
    number = np.cumsum(apart, dtype=np.int32) + np.int32(FIRST_INPUT - 1)
    blocks = [_of_fewer(block, n, apart, number) for block in program.blocks]
    return Program(len(starts), blocks, _numbered(program.outputs, n, number)), starts


def _seems_joint(program: Program, edges: int) -> bool:
    """Whether many inputs are joint, by a look at some rows of each block, the largest first."""
    n = program.n_inputs
    apart, named = np.zeros(n + 2, bool), np.zeros(n, bool)
    for block in sorted(program.blocks, key=lambda block: -block.edges):
        found = False
        for before, ids in _neighbours(block, n, _PROBE):
            named[ids[(ids >= FIRST_INPUT) & (ids < FIRST_INPUT + n)] - FIRST_INPUT] = True
            _mark(apart, n, before, ids)
            found = True
        if found and _MUCH * block.edges > edges and not _are_joint(apart, named):
            return False
    return _are_joint(apart, named)


def _are_joint(apart: NDArray[np.bool_], named: NDArray[np.bool_]) -> bool:
    count = int(np.count_nonzero(named))
    left = int(np.count_nonzero(apart[: len(named)] & named))
    return count > 0 and _OF * left <= _LEFT * count


def _neighbours(block: Block, n: int, most: int | None = None) -> Iterator[tuple[Ids, Ids]]:
    """What stands side by side in unions; beside the first and the last of a union stands a zero.

    With a limit only so many unions.  Nothing if no input stands there.
    """
    end = FIRST_INPUT + n
    if isinstance(block, Columns):
        columns = [column[:most] for column in block.columns]
        if any(int(column.min()) < end for column in columns if len(column)):
            nothing = np.zeros_like(columns[0])
            yield from pairwise([nothing, *columns, nothing])
        return
    indptr = block.indptr if most is None else block.indptr[: most + 1]
    parents = block.parents[int(indptr[0]) : int(indptr[-1])]
    if len(parents) and int(parents.min()) < end:
        counts = indptr[1:] - indptr[:-1]
        spaced = np.zeros(len(parents) + len(counts) + 1, np.int32)
        places = np.arange(1, len(parents) + 1)
        spaced[places + np.repeat(np.arange(len(counts)), counts)] = parents
        yield spaced[:-1], spaced[1:]


def _mark(apart: NDArray[np.bool_], n: int, before: Ids, ids: Ids) -> None:
    """Mark the inputs that begin a stretch of inputs side by side, and those after its end."""
    end = FIRST_INPUT + n
    broken = (ids != before + np.int32(1)) | (before < FIRST_INPUT) | (ids >= end)
    if not broken.any():
        return
    firsts, lasts = ids[broken], before[broken]
    apart[firsts[(firsts >= FIRST_INPUT) & (firsts < end)] - FIRST_INPUT] = True
    apart[lasts[(lasts >= FIRST_INPUT) & (lasts < end)] + np.int32(1 - FIRST_INPUT)] = True


def _numbered(ids: Ids, n: int, number: Ids) -> Ids:
    inputs = (ids >= FIRST_INPUT) & (ids < FIRST_INPUT + n)
    if not inputs.any():
        return ids
    new = ids.copy()
    new[inputs] = number[ids[inputs] - FIRST_INPUT]
    return new


def _of_fewer(block: Block, n: int, apart: NDArray[np.bool_], number: Ids) -> Block:
    """A block with inputs in new numbers, of those that are one the first alone."""
    end = FIRST_INPUT + n
    if isinstance(block, Columns):
        columns: list[Ids] = []
        for column in block.columns:
            new = _numbered(column, n, number)
            if not columns or new is column or not (new == columns[-1]).all():
                columns.append(new)
        return Columns(block.base, block.size, columns)
    inputs = (block.parents >= FIRST_INPUT) & (block.parents < end)
    if not inputs.any():
        return block
    kept = ~inputs
    kept[inputs] = apart[block.parents[inputs] - FIRST_INPUT]
    before = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    parents = _numbered(block.parents[kept], n, number)
    return Rows(block.base, block.size, before[block.indptr], parents, block.sequential)


def written_out(n: int, starts: Starts, pattern: Pattern | IntervalRows) -> Pattern | IntervalRows:
    """The patterns over all n inputs, from those over the joint ones.

    Examples
    --------
    >>> pattern = np.array([0, 1, 3]), np.array([1, 0, 1], np.int32)
    >>> bounds, indices = written_out(5, np.array([0, 3]), pattern)
    >>> bounds.tolist(), indices.tolist()
    ([0, 2, 7], [3, 4, 0, 1, 2, 3, 4])
    """
    sizes = np.diff(starts, append=n)
    if not isinstance(pattern, IntervalRows):
        bounds, indices = pattern
        size = int(sizes[0])
        if (sizes == size).all():
            if fits(len(indices) * size):
                wide = np.empty((len(indices), size), np.int32)
                np.multiply(indices[:, None], np.int32(size), out=wide)
                wide += np.arange(size, dtype=np.int32)
                return bounds.astype(np.int64) * size, wide.reshape(-1)
        else:
            counts = sizes[indices]
            ends = np.zeros(len(indices) + 1, np.int64)
            np.cumsum(counts, out=ends[1:])
            if fits(int(ends[-1])):
                first = starts[indices] - ends[:-1]
                every = np.repeat(first, counts) + np.arange(int(ends[-1]))
                return ends[bounds], every.astype(np.int32)
        pattern = IntervalRows.of_csr(len(starts), bounds, indices)
    stops = np.append(starts, n)
    return IntervalRows(
        n,
        pattern.places,
        pattern.bounds,
        starts[pattern.starts].astype(np.int32),
        stops[pattern.stops].astype(np.int32),
    )
