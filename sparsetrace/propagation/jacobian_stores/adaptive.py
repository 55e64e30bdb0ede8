"""The store that `store="auto"` means: rows of indices until packed bits are cheaper.

Contract: same answer as every store.  The cost of packed bits is known beforehand, that
of index rows only as they grow, and at the least; where bits cost less than that they are taken
at once.  Else index rows run on a budget of what the bits would cost, and the bits take over
where it is spent.  That is at most twice the cheaper one.
Where bits would not fit, long rows have a budget of their own, and intervals take over,
unless there are too many of them.  Where the rows of what is nearly all scalar code are
dense is foreseen by few bits for all inputs.  In deep graphs whose rows have grown, patterns that
are translates of one another are made once; else stretches of the inputs are solved in bits one
after the other, where that costs less than either.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import FIRST_INPUT, Columns, Rows
from sparsetrace.passes.simplify import Program
from sparsetrace.propagation.jacobian_stores import (
    bitset,
    column_blocks,
    csr,
    intervals,
    translates,
)
from sparsetrace.propagation.jacobian_stores.integers import foreseen
from sparsetrace.propagation.jacobian_stores.packed_bits import words_for
from sparsetrace.propagation.jacobian_stores.runs import find_runs
from sparsetrace.propagation.jacobian_stores.sizes import fits
from sparsetrace.propagation.jacobian_stores.tables import Tables

__all__ = ["LEAST", "SORT", "bit_cost", "dense_budget", "shared", "solve", "united_singly"]

Pattern = tuple[NDArray[np.integer], NDArray[np.integer]]

# Measured with benchmarks/bench_stores.py, in nanoseconds.
SORT = 12.0
"""To gather and sort one entry of a row."""
_GATHER = 12.0
"""To look up a parent whose bits are united; for rows of any length it takes twice as long."""
_WORD = 0.8
"""To gather and unite one 64-bit word of a row."""
_CELL = 0.05
"""To read one bit of an output row."""
_BLOCK = 3.0e4
"""What a block takes besides, in bits."""
_BLOCK_OF_ROWS = 1.1e5
"""What a block takes at the least in index rows."""
LEAST = 5.0e5
"""Below half a millisecond nothing is worth a second attempt."""
_LONG_ROWS = 2**22
"""Entries of long rows that are sorted before intervals are tried."""
_FEW_INTERVALS = 2**22
"""Intervals that such an attempt may hold besides the inputs."""
_SPARSE = 16
"""Rows with less than such a part of all columns are taken to stay ragged."""
_SMALL = 2**25
"""Bits of all nodes may take so many bytes where nothing else is tried before."""
_ENTRY = 6.0
"""To unite one entry, where rows are long."""
_DEEP, _MANY, _PER_PARENT = 6, 2**20, 4
"""Blocks and parents from which blocks of columns are looked at, once rows are so long."""
_PART, _LOOKED_AT = 4, 2**22
"""Rows are foreseen one by one where nodes with such a part of the parents are solved so anyhow."""
_FEW_PARENTS, _PART_OF_ALL = 2**15, 3
"""From so many parents on, of which one in so many is a node, patterns may be translates."""
_LOOK = 40.0
"""Nanoseconds for each parent: where bits take less, that is not looked into."""
_NEAR = 4.0
"""Up to so many times what rows of one entry for each parent take, their entries are foreseen."""
_PROBE, _WORTH_A_PROBE = 256, 2048
"""So many nodes of a block show whether it has runs; looked at from so many parents on."""


def _is_sequential(block: Columns | Rows) -> bool:
    return not isinstance(block, Columns) and block.sequential


def bit_cost(program: Program) -> float:
    """Nanoseconds that packed bits would take; infinite if they would not fit."""
    if bitset.bytes_needed(program) > bitset.LIMIT // 8:
        return np.inf
    gathers = 0
    for block in program.blocks:
        gathers += block.edges if isinstance(block, Columns) else 2 * block.edges
        if _is_sequential(block):
            gathers += 20 * block.size  # row by row there
    united = gathers * (_GATHER + words_for(program.n_inputs) * _WORD)
    read = len(program.outputs) * program.n_inputs * _CELL
    return united + len(program.blocks) * _BLOCK + read


def _least_of_rows(program: Program, bits: float) -> float:
    """Nanoseconds that index rows take at the least; foreseen where `bits` takes about as long."""
    singly = [block for block in program.blocks if _is_united_singly(block)]
    fixed = len(program.blocks) * _BLOCK_OF_ROWS
    # each parent has one entry
    least = fixed + SORT * sum(block.edges for block in singly if isinstance(block, Columns))
    if least <= bits < _NEAR * SORT * sum(block.edges for block in singly):
        return max(least, fixed + SORT * _entries_foreseen(program, singly))
    return least


def _is_united_singly(block: Columns | Rows) -> bool:
    """Whether a block is a large one whose nodes are united one by one: without runs."""
    if block.edges < _WORTH_A_PROBE:
        return False
    if not isinstance(block, Columns):
        return not block.sequential
    return find_runs([column[:_PROBE] for column in block.columns]) is None


def _entries_foreseen(program: Program, singly: Sequence[Columns | Rows]) -> float:
    """About how many entries the parents in some blocks have, by 64 of the inputs.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> g = Graph(1000)
    >>> y = g.union(g.inputs(), g.inputs()[::-1])
    >>> _entries_foreseen(Program(1000, g.blocks, g.union(y, np.roll(y, 1))), g.blocks[1:])
    4000.0
    """
    n = program.n_inputs
    some = np.arange(min(n, 64))
    bits = np.zeros(max(block.base + block.size for block in program.blocks), np.uint64)
    bits[FIRST_INPUT + some * n // len(some)] = np.uint64(1) << some.astype(np.uint64)
    counted, count = set(map(id, singly)), 0
    for block in program.blocks:
        out = bits[block.base : block.base + block.size]
        columns = block.columns if isinstance(block, Columns) else [block.parents]
        united = [bits.take(np.maximum(column, 0)) for column in columns]
        if id(block) in counted:
            count += sum(int(np.bitwise_count(some).sum()) for some in united)
        if isinstance(block, Columns):
            np.bitwise_or.reduce(united, axis=0, out=out)
        else:
            filled = np.flatnonzero(np.diff(block.indptr))
            if len(filled):
                out[filled] = np.bitwise_or.reduceat(united[0], block.indptr[filled])
    return count * n / len(some)


def united_singly(program: Program) -> int:
    """How many parents are nodes, in blocks without runs: about so many, by a look at some."""
    end, count = FIRST_INPUT + program.n_inputs, 0
    for block in program.blocks:
        if not block.edges:
            continue
        if not isinstance(block, Columns):
            probe = block.parents[:: max(len(block.parents) // _PROBE, 1)]
            count += block.edges * int(np.count_nonzero(probe >= end)) // len(probe)
            continue
        nodes = sum(int(column[block.size // 2]) >= end for column in block.columns)
        if nodes and find_runs([column[:_PROBE] for column in block.columns]) is None:
            count += nodes * block.size
    return count


def _bits_at_once(program: Program, cost: float) -> bool:
    """Whether packed bits are cheaper than index rows can be, or are foreseen to be."""
    sequential = sum(block.edges for block in program.blocks if _is_sequential(block))
    if not sequential:
        small = bitset.bytes_needed(program) <= _SMALL
        return small and cost < _least_of_rows(program, cost)
    edges = sum(block.edges for block in program.blocks)
    if cost == np.inf or edges > min(_PART * sequential, _LOOKED_AT):
        return False
    return cost < 2 * LEAST or cost < foreseen(program.blocks, program.n_inputs) * SORT


def solve(program: Program) -> Pattern:
    """Patterns of the outputs as CSR index arrays."""
    cost = bit_cost(program)
    if _bits_at_once(program, cost):
        return bitset.solve(program)
    if _seems_translated(program, cost):
        found = translates.solve(program, cost / SORT)
        if found is not None:
            return found

    budget, dense = max(cost, LEAST) / SORT, dense_budget(program, cost)
    blocks = _Blocks(program, cost, budget)
    try:
        return csr.solve(program, min(budget, blocks.after), dense, blocks.otherwise)
    except csr.OverBudget:
        return bitset.solve(program)


def _seems_translated(program: Program, cost: float) -> bool:
    """Whether patterns are worth a look for translates among them before anything else."""
    edges = sum(block.edges for block in program.blocks)
    if (
        edges < _FEW_PARENTS
        or cost < _LOOK * edges
        or not all(isinstance(block, Columns) for block in program.blocks)
    ):
        return False
    return _PART_OF_ALL * united_singly(program) >= edges


def shared(program: Program) -> Pattern | None:
    """The patterns of a large program, where many are translates: that is not worth an executor."""
    edges = sum(block.edges for block in program.blocks)
    return translates.solve(program, _PER_PARENT * edges) if edges >= _MANY else None


class _Blocks:
    """What is tried where index rows have spent what they had.

    Attributes
    ----------
    after : float
        So many entries they may sort before blocks of columns are looked at; infinite where these
        are out of the question.
    """

    def __init__(self, program: Program, cost: float, budget: float) -> None:
        self._program, self._cost, self._budget = program, cost, budget
        edges = sum(block.edges for block in program.blocks)
        deep = len(program.blocks) >= _DEEP and not any(map(_is_sequential, program.blocks))
        self.after = _PER_PARENT * edges if deep and edges >= _MANY else np.inf

    def otherwise(self, tables: Tables) -> Pattern | None:
        """A pattern; or None after `tables` may sort more."""
        if self.after < np.inf:
            tables.budget += self._budget - min(self._budget, self.after)
            self.after = np.inf
            shared = translates.solve(self._program, self._cost / SORT)
            if shared is not None:
                return shared
            found, together, cost = column_blocks.stretches(self._program)
            if cost < min(self._cost, found.entries(tables.last) * _ENTRY):
                return column_blocks.solve(found, together)
        if tables.dense < 0:
            tables.dense = np.inf
            if _are_ragged(tables, self._program):
                return None
            try:
                return intervals.solve(self._program, self._program.n_inputs + _FEW_INTERVALS)
            except intervals.TooManyIntervals:
                return None
        return None


def _are_ragged(tables: Tables, program: Program) -> bool:
    """Whether stretches of columns will be more than are held, by the rows that were made last."""
    last = tables.last
    if last is None or last.starts is not None or not last.size:
        return False
    if len(last.values) * _SPARSE > last.size * program.n_inputs:
        return False  # which may become full, and so one stretch each
    rises = np.diff(last.values) == 1
    stretches = len(last.values) - int(np.count_nonzero(rises))
    nodes = sum(block.size for block in program.blocks if block.base >= last.base)
    return stretches * nodes > _FEW_INTERVALS * last.size


def dense_budget(program: Program, cost: float) -> float:
    """How many entries of long rows are written before another way is looked for."""
    large = cost == np.inf or not fits(len(program.outputs) * program.n_inputs)
    return _LONG_ROWS if large else np.inf
