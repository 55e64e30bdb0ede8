"""Patterns as packed bits, one row of words a node: fast where rows are dense."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.errors import GraphSizeError
from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, Columns, Ids
from sparsetrace.passes.simplify import Program
from sparsetrace.progress import reported
from sparsetrace.propagation.jacobian_stores.expand import expand
from sparsetrace.propagation.jacobian_stores.last_uses import Places, last_uses
from sparsetrace.propagation.jacobian_stores.packed_bits import (
    Bits,
    counts_of,
    inherited,
    inputs_of,
    words_for,
)
from sparsetrace.propagation.jacobian_stores.sequential import parents_apart
from sparsetrace.propagation.jacobian_stores.sizes import check_entries

__all__ = ["LIMIT", "bytes_needed", "solve"]

LIMIT = 2**33
"""Most bytes that the bits of nodes may take."""
_CHUNK = 2**20
"""Bytes of scratch space for making or reading bits."""

_LITTLE = 2**20
"""Bytes of rows that are all kept: less time is lost than is taken to see which may go."""
_CACHED = 2**19
"""Bytes of rows that are united at a time, so that they stay in the cache."""
_FEW = 2
"""From more columns on inputs are set by flags, if these stay in the cache, too."""
_REPEATED = 4
"""More outputs than so many are equal, on the average, where they are read once."""


def bytes_needed(program: Program) -> int:
    """What the bits of the nodes that are needed at a time take, or more where it is little."""
    row = words_for(program.n_inputs) * 8
    every = sum(block.size for block in program.blocks) * row
    return every if every <= LIMIT // 8 else _starts(program, row)[1] * row


def _starts(program: Program, row: int) -> tuple[dict[int, int], int]:
    """Where the rows of each block begin, by its base, and how many rows there are at a time."""
    sizes = [block.size for block in program.blocks]
    starts: dict[int, int] = {}
    if sum(sizes) * row <= _LITTLE:
        ends = accumulate(sizes, initial=0)
        return {block.base: next(ends) for block in program.blocks}, sum(sizes)
    places = Places()
    for block, over in zip(program.blocks, last_uses(program), strict=True):
        starts[block.base] = places.taken(block.size)
        for place in over:
            places.free(starts[program.blocks[place].base], sizes[place])
    return starts, places.size


class _Bits:
    """Rows of bits for the nodes that are still needed."""

    def __init__(self, program: Program) -> None:
        self.n = program.n_inputs
        self.words = words_for(self.n)
        self.starts, nodes = _starts(program, self.words * 8)
        if nodes * self.words * 8 > LIMIT:
            raise GraphSizeError(
                f"store='bitset' would need {nodes * self.words * 8 / 2**30:.1f} GiB for {nodes} "
                f"nodes over {self.n} inputs; use store='csr' or 'auto'"
            )
        self.first_node = FIRST_INPUT + self.n
        self.bits: Bits = np.empty((nodes, self.words), np.uint64)
        self.bases = np.array(sorted(block.base for block in program.blocks), np.int64)
        self.base_list = self.bases.tolist()
        self.offsets = np.zeros(len(self.bases), np.int64)

    def add(self, base: int, size: int) -> Bits:
        """Rows for a new block, to be written."""
        start = self.starts[base]
        self.offsets[np.searchsorted(self.bases, base)] = start
        return self.bits[start : start + size]

    def places(self, nodes: Ids) -> Any:
        """The rows of nodes that are not inputs."""
        first = bisect_right(self.base_list, int(nodes.min())) - 1
        last = bisect_right(self.base_list, int(nodes.max())) - 1
        if first == last:
            return nodes + np.int32(self.offsets[first] - self.bases[first])
        at = np.searchsorted(self.bases[first + 1 : last + 1], nodes, side="right")
        return nodes + (self.offsets - self.bases)[first : last + 1][at]

    def rows_of(self, nodes: Ids) -> Bits:
        """Bits of nodes that are not inputs."""
        rows: Bits = self.bits[self.places(nodes)]
        return rows

    def of_inputs(self, rows: int, at: NDArray[np.integer], inputs: Ids) -> Bits:
        """Bits set for ``(row, input id)`` pairs."""
        flags = np.zeros((rows, self.words * 64), bool)
        flags[at, inputs - FIRST_INPUT] = True
        return np.packbits(flags, axis=1, bitorder="little").view(np.uint64)


def _unite_columns(store: _Bits, out: Bits, columns: Sequence[Ids]) -> None:
    """Each row of `out` as the union of ``column[i]`` over the columns, in chunks."""
    step = max(1, _CACHED // (store.words * 8))
    together = step // max(1, min(step, len(out)))  # so many columns fit
    for lo in range(0, len(out), step):
        rows = out[lo : lo + step]
        inputs, fresh = [], True
        for at in range(0, len(columns), together):
            few = [column[lo : lo + step] for column in columns[at : at + together]]
            nodes = [ids for ids in few if int(np.minimum.reduce(ids)) >= store.first_node]
            if len(nodes) < len(few):
                inputs += [ids for ids in few if int(np.minimum.reduce(ids)) < store.first_node]
            if nodes:
                _unite_nodes(store, rows, nodes, fresh=fresh)
                fresh = False
        if fresh:
            rows[...] = 0
        for ids in inputs:
            inner = ids >= store.first_node
            if inner.any():
                rows[inner] |= store.rows_of(ids[inner])
        if inputs:
            _set_inputs(store, rows, inputs)


def _unite_nodes(store: _Bits, rows: Bits, nodes: list[Ids], *, fresh: bool) -> None:
    """Unite each row with nodes of its own in each array, or begin it with them."""
    if len(nodes) == 1:
        some = rows if fresh else np.empty_like(rows)
        store.bits.take(store.places(nodes[0]), axis=0, out=some, mode="clip")  # else buffered
    else:
        table = store.bits.take(store.places(np.stack(nodes)), axis=0)
        some = np.bitwise_or.reduce(table, axis=0, out=rows if fresh else None)
    if not fresh:
        rows |= some


def _set_inputs(store: _Bits, out: Bits, columns: list[Ids]) -> None:
    """Set the bits of the inputs among these columns."""
    rows = np.arange(len(out))
    if len(columns) > _FEW and len(out) * store.words * 64 <= _CACHED:
        every, row = np.concatenate(columns), np.tile(rows, len(columns))
        chosen = (every < store.first_node) & (every > OPAQUE)
        out |= store.of_inputs(len(out), row[chosen], every[chosen])
        return
    for ids in columns:  # no row comes twice within a column
        chosen = (ids < store.first_node) & (ids > OPAQUE)
        index = (ids[chosen] - FIRST_INPUT).astype(np.uint64)
        at = rows[chosen], (index >> np.uint64(6)).astype(np.int64)
        out[at] |= np.uint64(1) << (index & np.uint64(63))


def _unite_rows(store: _Bits, out: Bits, indptr: NDArray[np.int64], parents: Ids) -> None:
    """``out[i] |=`` the union of a CSR row of parents, in chunks of bounded memory."""
    step = max(1, _CHUNK // (store.words * 64))
    for lo in range(0, len(out), step):
        hi = min(lo + step, len(out))
        ids = parents[indptr[lo] : indptr[hi]]
        at = np.repeat(np.arange(hi - lo), np.diff(indptr[lo : hi + 1]))
        inputs = (ids < store.first_node) & (ids > OPAQUE)
        if inputs.any():
            out[lo:hi] |= store.of_inputs(hi - lo, at[inputs], ids[inputs])
        inner = ids >= store.first_node
        if inner.any():
            _unite_inner(store, out[lo:hi], at[inner], ids[inner])


def _unite_inner(store: _Bits, out: Bits, at: NDArray[np.integer], nodes: Ids) -> None:
    step = max(1, _CACHED // (store.words * 8))
    for lo in range(0, len(nodes), step):
        rows, ids = at[lo : lo + step], nodes[lo : lo + step]
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        out[rows[starts]] |= np.bitwise_or.reduceat(store.rows_of(ids), starts, axis=0)


def solve(program: Program) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Patterns of the outputs as CSR index arrays.

    Raises
    ------
    GraphSizeError
        If the bits of the nodes that are needed at a time would take more than `LIMIT` bytes.
    """
    store = _Bits(program)
    for block in reported(program.blocks, "propagation"):
        out = store.add(block.base, block.size)
        if isinstance(block, Columns):
            _unite_columns(store, out, block.columns)
            continue
        out[...] = 0
        if not block.sequential:
            _unite_rows(store, out, block.indptr, block.parents)
            continue
        indptr, parents, *inside = parents_apart(block)
        _unite_rows(store, out, indptr, parents)
        out[...] = inherited(out, *inside)
    return _read(store, program.outputs)


def _bits(store: _Bits, outputs: Ids, lo: int, step: int) -> Bits:
    """The bits of some outputs."""
    ids = outputs[lo : lo + step]
    bits = np.empty((len(ids), store.words), np.uint64)
    _unite_columns(store, bits, [ids])
    return bits


def _read(store: _Bits, outputs: Ids) -> tuple[NDArray[Any], Ids]:
    """The set bits of every output, row by row; of equal ones that follow each other once."""
    heads = np.flatnonzero(outputs[1:] != outputs[:-1]) + 1
    if _REPEATED * (len(heads) + 1) < len(outputs):
        heads = np.concatenate([[0], heads])
        bounds, some = _read(store, outputs[heads])
        return expand(bounds, some, None, np.diff(heads, append=len(outputs)))
    step = max(1, _CHUNK // (store.words * 64))
    starts = range(0, len(outputs), step)
    if len(starts) == 1:
        bits = _bits(store, outputs, 0, step)
        indptr = np.zeros(len(outputs) + 1, np.int64)
        np.cumsum(counts_of(bits), out=indptr[1:])
        check_entries(int(indptr[-1]))
        return indptr, inputs_of(bits)
    indptr = np.zeros(len(outputs) + 1, np.int64)
    for lo in starts:
        indptr[lo + 1 : lo + 1 + step] = counts_of(_bits(store, outputs, lo, step))
    np.cumsum(indptr, out=indptr)
    check_entries(int(indptr[-1]))
    indices: Ids = np.empty(int(indptr[-1]), np.int32)
    for lo in reported(starts, "rows"):
        found = inputs_of(_bits(store, outputs, lo, step))
        indices[indptr[lo] : indptr[lo] + len(found)] = found
    return indptr, indices
