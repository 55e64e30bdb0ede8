"""Packed bits for some inputs at a time, and only for the nodes that depend on any of these.

Contract: the inputs are cut into stretches.  First each stretch is one bit, which tells for every
node which stretches it depends on.  Then each stretch, or several together, is solved for the nodes
that do, in rows as long as it is.  Where neighbours depend on neighbours (time steps on a grid),
that is a small part of what rows over all inputs would be, in time and in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, Columns, Ids
from sparsetrace.passes.simplify import Program
from sparsetrace.progress import reported
from sparsetrace.propagation.jacobian_stores.expand import gather_rows
from sparsetrace.propagation.jacobian_stores.last_uses import Places, last_uses
from sparsetrace.propagation.jacobian_stores.packed_bits import Bits, counts_of, inputs_of
from sparsetrace.propagation.jacobian_stores.sizes import check_entries
from sparsetrace.propagation.jacobian_stores.tables import Table

__all__ = ["Stretches", "solve", "stretches"]

_STRETCHES = 64
"""One word has a bit for each."""
_CACHED = 2**19
"""Bytes of rows that are united at a time."""

# Measured with the workloads of benchmarks/workloads.py, in nanoseconds.
_GATHER, _WORD = 20.0, 0.8
"""To look up a parent, and to gather and unite one word of its row."""
_PASS = 3.0e4
"""What a block takes besides in each pass."""


class Stretches:
    """Which stretches of the inputs each node depends on.

    Parameters
    ----------
    program : Program
        One without sequential blocks.

    Attributes
    ----------
    width : int
        Of a stretch, in inputs: a multiple of 64.
    bits : ndarray of uint64, shape (nodes,)
        By id.
    """

    def __init__(self, program: Program) -> None:
        n = program.n_inputs
        self.program = program
        self.width = 64 * max(1, -(-n // (64 * _STRETCHES)))
        end = max(block.base + block.size for block in program.blocks)
        self.bits = np.zeros(end, np.uint64)
        shifts = (np.arange(n) // self.width).astype(np.uint64)
        self.bits[FIRST_INPUT : FIRST_INPUT + n] = np.uint64(1) << shifts
        for block in program.blocks:
            out = self.bits[block.base : block.base + block.size]
            if isinstance(block, Columns):
                for column in block.columns:
                    out |= self.bits[np.maximum(column, 0)]
                continue
            filled = np.flatnonzero(np.diff(block.indptr))
            if len(filled):
                parents = self.bits[np.maximum(block.parents, 0)]
                out[filled] = np.bitwise_or.reduceat(parents, block.indptr[filled])

    def masks(self, together: int) -> list[np.uint64]:
        """The bits of so many stretches at a time."""
        count = -(-self.program.n_inputs // self.width)
        whole = (1 << together) - 1
        return [np.uint64(whole << at & 2**64 - 1) for at in range(0, count, together)]

    def cost(self, together: int) -> float:
        """Nanoseconds that packed bits take for so many stretches at a time."""
        masks, words = self.masks(together), together * self.width // 64
        per_parent = _GATHER + _WORD * words
        cost = _PASS * len(masks) * len(self.program.blocks)
        for block in self.program.blocks:
            bits = self.bits[block.base : block.base + block.size]
            some = bits[:: max(1, len(bits) // _SAMPLED)]
            rows = sum(np.count_nonzero(some & mask) for mask in masks) / max(len(some), 1)
            cost += rows * block.edges * per_parent
        return cost

    def entries(self, known: Table | None) -> float:
        """About how many entries the parents of all nodes have.

        Parameters
        ----------
        known : Table or None
            The patterns of some block, by which is told how dense stretches are.
        """
        density = 1.0
        if known is not None:
            bits = self.bits[known.base : known.base + known.size]
            density = known.entries() / max(int(np.bitwise_count(bits).sum()) * self.width, 1)
        total = 0.0
        for block in self.program.blocks:
            bits = self.bits[block.base : block.base + block.size]
            some = bits[:: max(1, len(bits) // _SAMPLED)]
            total += block.edges * float(np.bitwise_count(some).mean())
        return total * self.width * density


_SAMPLED = 4096
"""Nodes of a block that are looked at where the cost is foreseen."""


def stretches(program: Program) -> tuple[Stretches, int, float]:
    """What each node depends on, how many stretches go best together, and what that costs."""
    found = Stretches(program)
    costs = {together: found.cost(together) for together in (1, 2, 4, 8, 16)}
    best = min(costs, key=costs.__getitem__)
    return found, best, costs[best]


def solve(found: Stretches, together: int) -> tuple[NDArray[np.integer], Ids]:
    """Patterns of the outputs as CSR index arrays.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> g = Graph(200)
    >>> y = g.union(g.inputs()[1:], g.inputs()[:-1])
    >>> indptr, indices = solve(Stretches(Program(200, g.blocks, y[62:65])), 1)
    >>> indptr.tolist(), indices.tolist()
    ([0, 2, 4, 6], [62, 63, 63, 64, 64, 65])
    """
    program, parts = found.program, []
    shown = found.bits[np.maximum(program.outputs, 0)]
    shown[program.outputs <= OPAQUE] = 0
    given_up = last_uses(program)
    indptr = np.zeros(len(shown) + 1, np.int64)
    for turn, mask in enumerate(reported(found.masks(together), "propagation")):
        rows = np.flatnonzero(shown & mask)
        if not len(rows):
            continue
        first = turn * together * found.width
        bits, place = _solved(found, mask, first, together * found.width // 64, given_up)
        step = max(1, _CACHED // (bits.shape[1] * 8))
        for lo in range(0, len(rows), step):
            some = rows[lo : lo + step]
            read = bits[place[program.outputs[some]]]
            counts = counts_of(read)
            parts.append((some, counts, inputs_of(read) + np.int32(first)))
            indptr[1:][some] += counts
    np.cumsum(indptr, out=indptr)
    check_entries(int(indptr[-1]))
    return indptr, _in_order(indptr, parts)


def _in_order(
    indptr: NDArray[np.int64], parts: list[tuple[NDArray[np.int64], NDArray[np.int64], Ids]]
) -> Ids:
    """The entries of all stretches, row by row; those of each row come in order."""
    indices: Ids = np.empty(int(indptr[-1]), np.int32)
    cursor = indptr[:-1].copy()
    while parts:
        rows, counts, entries = parts.pop(0)
        ends = np.cumsum(counts)
        places = np.repeat(cursor[rows] - (ends - counts), counts)
        places += np.arange(len(entries))
        indices[places] = entries
        cursor[rows] += counts
    return indices


def _solved(
    found: Stretches, mask: np.uint64, first: int, words: int, given_up: Sequence[Sequence[int]]
) -> tuple[Bits, NDArray[np.int32]]:
    """The rows of nodes that depend on some stretches, and the place of each node among them.

    At place 0 there is a row without a bit.
    """
    program = found.program
    n = min(64 * words, program.n_inputs - first)
    blocks = program.blocks
    chosen = [
        np.flatnonzero(found.bits[block.base : block.base + block.size] & mask) for block in blocks
    ]
    places, starts = Places(), []
    places.taken(1 + n)
    for rows, over in zip(chosen, given_up, strict=True):
        starts.append(places.taken(len(rows)))
        for at in over:
            places.free(starts[at], len(chosen[at]))
    bits: Bits = np.empty((places.size, words), np.uint64)
    bits[: 1 + n] = 0
    single = np.arange(n)
    bits[1 + single, single >> 6] = np.uint64(1) << (single & 63).astype(np.uint64)
    place = np.zeros(len(found.bits), np.int32)
    place[FIRST_INPUT + first : FIRST_INPUT + first + n] = 1 + single
    for block, rows, start in zip(blocks, chosen, starts, strict=True):
        out = bits[start : start + len(rows)]
        every = len(rows) == block.size
        if isinstance(block, Columns):
            columns = block.columns if every else [column[rows] for column in block.columns]
            _unite_columns(bits, out, [place[np.maximum(column, 0)] for column in columns])
        else:
            positions, counts = gather_rows(block.indptr, rows)
            _unite_rows(bits, out, place[np.maximum(block.parents[positions], 0)], counts)
        place[block.base + rows] = start + np.arange(len(rows), dtype=np.int32)
    return bits, place


def _unite_columns(bits: Bits, out: Bits, columns: list[Any]) -> None:
    step = max(1, _CACHED // (bits.shape[1] * 8))
    scratch = np.empty((min(step, len(out)), bits.shape[1]), np.uint64)
    for lo in range(0, len(out), step):
        rows = out[lo : lo + step]
        bits.take(columns[0][lo : lo + step], axis=0, out=rows, mode="clip")
        for column in columns[1:]:
            some = scratch[: len(rows)]
            bits.take(column[lo : lo + step], axis=0, out=some, mode="clip")
            rows |= some


def _unite_rows(bits: Bits, out: Bits, parents: Any, counts: NDArray[np.int64]) -> None:
    """Rows with at least one parent each: they depend on something."""
    step = max(1, _CACHED // (bits.shape[1] * 8))
    starts = np.cumsum(counts) - counts
    lo = 0
    while lo < len(out):
        hi = max(int(np.searchsorted(starts, starts[lo] + step)), lo + 1)
        end = int(starts[hi - 1] + counts[hi - 1])
        some = bits[parents[starts[lo] : end]]
        np.bitwise_or.reduceat(some, starts[lo:hi] - starts[lo], axis=0, out=out[lo:hi])
        lo = hi
