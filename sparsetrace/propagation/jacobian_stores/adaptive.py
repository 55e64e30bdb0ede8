"""The store that `store="auto"` means: rows of indices until packed bits are cheaper.

Contract: same answer as every store.  The cost of packed bits is known beforehand, that
of index rows only as they grow; so index rows run on a budget of what the bits would
cost, and the bits take over where it is spent.  That is at most twice the cheaper one.
Where bits would not fit, long rows have a budget of their own, and intervals take over,
unless there are too many of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import Columns, Rows
from sparsetrace.passes.simplify import Program
from sparsetrace.propagation.jacobian_stores import bitset, csr, intervals
from sparsetrace.propagation.jacobian_stores.sizes import fits

__all__ = ["LEAST", "SORT", "bit_cost", "dense_budget", "solve"]

# Measured on two machines with benchmarks/bench_stores.py, in nanoseconds.
SORT = 12.0
"""To gather and sort one entry of a row."""
_WORD = 0.8
"""To gather and unite one 64-bit word of a row."""
_CELL = 0.15
"""To read one bit of an output row."""
LEAST = 5.0e5
"""Below half a millisecond nothing is worth a second attempt."""
_LONG_ROWS = 2**22
"""Entries of long rows that are sorted before intervals are tried."""
_FEW_INTERVALS = 2**22
"""Intervals that such an attempt may hold besides the inputs."""


_NOTHING = 2.0e4
"""Index rows take more for their first steps alone: such programs are solved in bits at once."""


def _is_sequential(block: Columns | Rows) -> bool:
    return not isinstance(block, Columns) and block.sequential


def bit_cost(program: Program) -> float:
    """Nanoseconds that packed bits would take; infinite if they would not fit."""
    words = max(1, -(-program.n_inputs // 64))
    nodes = sum(block.size for block in program.blocks)
    if nodes * words * 8 > bitset.LIMIT // 8:
        return np.inf
    gathers = 0
    for block in program.blocks:
        if isinstance(block, Columns):
            gathers += block.size * len(block.columns)
        else:
            gathers += len(block.parents)
            if block.sequential:
                gathers += 100 * block.size  # row by row there
    return gathers * words * _WORD + len(program.outputs) * program.n_inputs * _CELL


def solve(program: Program) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Patterns of the outputs as CSR index arrays."""
    cost = bit_cost(program)
    if cost < _NOTHING and not any(map(_is_sequential, program.blocks)):
        return bitset.solve(program)
    budget, dense = max(cost, LEAST) / SORT, dense_budget(program, cost)
    try:
        return csr.solve(program, budget, dense)
    except csr.OverBudget:
        if dense < np.inf:
            try:
                return intervals.solve(program, program.n_inputs + _FEW_INTERVALS)
            except intervals.TooManyIntervals:
                pass
        return bitset.solve(program) if cost < np.inf else csr.solve(program)


def dense_budget(program: Program, cost: float) -> float:
    """How many entries of long rows are written before another way is looked for."""
    large = cost == np.inf or not fits(len(program.outputs) * program.n_inputs)
    return _LONG_ROWS if large else np.inf
