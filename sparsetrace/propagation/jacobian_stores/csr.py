"""Patterns as index rows: every block of the program becomes a table, in order.

Contract: same answer as every store.  Where the columns of a block are arithmetic
progressions one row stands for a whole run of nodes; elsewhere entries are gathered
and sorted, in chunks of bounded memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, Columns, Ids, Rows
from sparsetrace.passes.simplify import Program
from sparsetrace.progress import reported
from sparsetrace.propagation.jacobian_stores.expand import expand, interleaved, on_top
from sparsetrace.propagation.jacobian_stores.last_uses import last_uses
from sparsetrace.propagation.jacobian_stores.products import node_rows, product, united_inputs
from sparsetrace.propagation.jacobian_stores.runs import Runs, find_runs, interleaving
from sparsetrace.propagation.jacobian_stores.sequential import parents_apart, solve_sequential
from sparsetrace.propagation.jacobian_stores.sizes import check_entries, fits
from sparsetrace.propagation.jacobian_stores.tables import (
    Answered,
    CsrArrays,
    Outlook,
    OverBudget,
    Table,
    Tables,
    marks,
    unite,
)

__all__ = ["OverBudget", "RunEntries", "along_runs", "read", "solve", "tabled"]

RunEntries = tuple[NDArray[np.int64], list[tuple[NDArray[np.int64], Ids, Ids]]]

_MOST_PIECES = 64
_CHUNK = 2**18
"""Entries united at a time."""
_OF_RUN = 2
"""An entry of a run takes as long as so many others."""
_LITTLE = 2**16
"""Tables of blocks with so few parents are all kept."""


def _solve_columns(tables: Tables, block: Columns) -> Table:
    runs = find_runs(block.columns)
    if runs is not None:
        runs = tables.split(runs, block.columns)
    if runs is not None:
        count, width = runs.values.shape
        if not fits(count * width * tables.n):
            check_entries(int(tables.counts(runs.values.reshape(-1)).sum()))
        rows = np.tile(np.arange(count), width)
        entries = tables.lookup(runs.values.T.reshape(-1), runs.steps.T.reshape(-1), rows)
        tables.spend(_OF_RUN * len(entries[0]), len(entries[0]))
        result = unite(count, tables.n, entries, runs.lengths)
        if result is not None:
            indptr, values, steps = result
            return Table(block.base, block.size, indptr, values, steps, runs.starts)
    if max(int(c.max()) for c in block.columns) < tables.first_node:
        return _solve_inputs(block)
    parents = np.stack(block.columns, axis=1).reshape(-1)
    width = len(block.columns)
    indptr = np.arange(0, block.size * width + 1, width, dtype=np.int64)
    return Table(block.base, block.size, *_unite_nodes(tables, indptr, parents))


def _solve_inputs(block: Columns) -> Table:
    """Node by node, every parent an input: the parents, sorted, are the pattern."""
    if len(block.columns) == 2:
        low, high = np.minimum(*block.columns), np.maximum(*block.columns)
        if int(low.min()) > OPAQUE:
            return _solve_pairs(block, low, high)
    wide = np.stack(block.columns, axis=1)
    wide.sort(axis=1)
    keep = np.ones(wide.shape, bool)
    np.not_equal(wide[:, 1:], wide[:, :-1], out=keep[:, 1:])
    if int(wide[:, 0].min()) <= OPAQUE:
        keep &= wide > OPAQUE
    indptr = np.zeros(block.size + 1, np.int64)
    np.cumsum(np.count_nonzero(keep, axis=1), out=indptr[1:])
    values = (wide.reshape(-1) if keep.all() else wide[keep]) - np.int32(FIRST_INPUT)
    return Table(block.base, block.size, indptr, values)


def _solve_pairs(block: Columns, low: Ids, high: Ids) -> Table:
    """The same for two parents, the smaller one and the larger one."""
    low -= np.int32(FIRST_INPUT)
    high -= np.int32(FIRST_INPUT)
    indptr = np.zeros(block.size + 1, np.int64)
    np.cumsum(np.where(low == high, np.int8(1), np.int8(2)), out=indptr[1:])
    values = np.empty(int(indptr[-1]), np.int32)
    values[indptr[1:] - 1] = high
    values[indptr[:-1]] = low
    return Table(block.base, block.size, indptr, values)


def _solve_rows(tables: Tables, block: Rows) -> Table:
    parents, indptr = block.parents, block.indptr
    if len(parents) and parents.max() < tables.first_node and parents.min() > OPAQUE:
        inputs = parents - np.int32(FIRST_INPUT)
        rising = parents[1:] > parents[:-1]
        inner = indptr[1:-1]
        rising[inner[(inner > 0) & (inner < len(parents))] - 1] = True
        if rising.all():  # every parent an input, in order: the parents are the pattern
            return Table(block.base, block.size, indptr, inputs)
        if not marks(len(inputs), block.size * tables.n):
            pattern = united_inputs(indptr, inputs, tables.n)
            if pattern is not None:
                return Table(block.base, block.size, *pattern)
    return Table(block.base, block.size, *_unite_nodes(tables, indptr, parents))


def _unite_nodes(tables: Tables, indptr: NDArray[np.int64], parents: Ids) -> CsrArrays:
    """The union of each CSR row of nodes."""
    nodes = node_rows(tables, parents)
    counts = tables.counts(parents) if nodes is None else nodes.counts
    total = int(counts.sum())
    tables.spend(total, len(parents))
    check_entries(tables.held + total)
    if nodes is None or marks(total, (len(indptr) - 1) * tables.n):
        return _unite_chunks(tables, indptr, parents, counts)
    return product(indptr, nodes)


def _unite_chunks(
    tables: Tables, indptr: NDArray[np.int64], parents: Ids, counts: NDArray[np.int64]
) -> CsrArrays:
    """The same, in chunks of bounded memory; `counts` has the number of entries of each node."""
    ends = np.zeros(len(parents) + 1, np.int64)
    np.cumsum(counts, out=ends[1:])
    total = int(ends[-1])
    size = len(indptr) - 1
    if total <= _CHUNK:
        cuts = [0, size]
    else:
        inner = np.searchsorted(ends[indptr], np.arange(_CHUNK, total, _CHUNK))
        cuts = sorted({0, size, *inner.tolist()})
    patterns: list[CsrArrays] = []
    for lo, hi in pairwise(cuts):
        some = parents[indptr[lo] : indptr[hi]]
        rows = np.repeat(np.arange(hi - lo), np.diff(indptr[lo : hi + 1]))
        entries = tables.lookup(some, None, rows)
        bounds, values, _ = unite(hi - lo, tables.n, entries)  # type: ignore[misc]
        patterns.append((bounds, values))
    return _joined(patterns)


def _solve_tree(tables: Tables, block: Rows) -> Table:
    outside, parents, child, parent = parents_apart(block)
    rows = np.repeat(np.arange(block.size), np.diff(outside))
    indptr, values, _ = unite(block.size, tables.n, tables.lookup(parents, None, rows))  # type: ignore[misc]
    if len(child):
        indptr, values = solve_sequential(tables.n, indptr, values, child, parent)
    return Table(block.base, block.size, indptr, values)


def solve(
    program: Program,
    budget: float = np.inf,
    dense: float = np.inf,
    otherwise: Callable[[Tables], Any] | None = None,
) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Patterns of the outputs as CSR index arrays, or what `otherwise` gives; see `Tables`.

    Raises
    ------
    OverBudget
        If more than `budget` entries would have to be sorted, or `dense` of long rows.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> from sparsetrace.passes.simplify import simplify
    >>> g = Graph(4)
    >>> x = g.inputs()
    >>> indptr, indices = solve(simplify(g, g.union(x[1:], x[:-1])))
    >>> indptr.tolist(), indices.tolist()
    ([0, 2, 4, 6], [0, 1, 1, 2, 2, 3])
    """
    try:
        tables = tabled(program, budget, dense, otherwise)
    except Answered as found:
        return found.pattern
    return read(tables, program.outputs)


def tabled(
    program: Program,
    budget: float = np.inf,
    dense: float = np.inf,
    otherwise: Callable[[Tables], Any] | None = None,
) -> Tables:
    """The patterns of the blocks of a program that its outputs lie in."""
    tables = Tables(program, budget, dense, otherwise)
    edges = sum(block.edges for block in program.blocks)
    outlook = Outlook(budget, edges, len(program.blocks))
    to_come, count = edges, len(program.blocks)
    released: Sequence[Sequence[int]] = [()] * len(program.blocks)
    if edges > _LITTLE:
        released = last_uses(program)
    for block, over in zip(reported(program.blocks, "propagation"), released, strict=True):
        if not block.size:
            continue
        if not outlook.lasts(block.edges, tables.budget):
            tables.ask_for_more()
            outlook = Outlook(tables.budget, to_come, count)
        to_come, count = to_come - block.edges, count - 1
        if isinstance(block, Columns):
            tables.add(_solve_columns(tables, block))
        elif block.sequential:
            tables.add(_solve_tree(tables, block))
        else:
            tables.add(_solve_rows(tables, block))
        for place in over:
            tables.release(program.blocks[place].base)
    return tables


def along_runs(tables: Tables, result: Runs, columns: list[Ids]) -> RunEntries | None:
    """The patterns of the nodes in each column, run by run; None if runs do not pay.

    Parameters
    ----------
    tables : Tables
    result : Runs
        The columns' own runs.
    columns : list of ndarray

    Returns
    -------
    lengths : ndarray of int64, shape (r,)
        How many positions each run has.
    entries : list of (ndarray, ndarray, ndarray)
        For each column: the entries' runs, ascending, their values at the start of the
        run and their growth from one position to the next.
    """
    runs = tables.split(result, columns)
    if runs is None:
        return None
    read = []
    for j in range(len(columns)):
        rows, values, steps = tables.lookup(
            runs.values[:, j], runs.steps[:, j], np.arange(len(runs.starts))
        )
        growth = np.zeros(len(values), np.int32) if steps is None else steps
        if len(rows) and (rows[1:] < rows[:-1]).any():
            order = np.argsort(rows, kind="stable")
            rows, values, growth = rows[order], values[order], growth[order]
        read.append((rows, values, growth))
    return runs.lengths, read


def read(tables: Tables, outputs: Ids) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """The patterns of some nodes as CSR index arrays."""
    m = len(outputs)
    if not m:
        return np.zeros(1, np.int64), np.zeros(0, np.int32)
    runs = find_runs([outputs])
    if runs is None:
        period = interleaving(outputs)
        if period:
            return interleaved([read(tables, outputs[j::period]) for j in range(period)])
    if runs is not None and len(runs.starts) <= _MOST_PIECES:
        patterns = _stored_patterns(tables, runs)
        if patterns is not None:
            return _joined(patterns)
    if runs is not None:
        runs = tables.split(runs, [outputs])
    if runs is None:
        if not fits(m * tables.n):  # only then are they worth counting beforehand
            check_entries(int(tables.counts(outputs).sum()))
        chosen = node_rows(tables, outputs)
        if chosen is not None:
            return product(np.arange(m + 1), chosen)
        entries = tables.lookup(outputs, None, np.arange(m))
        indptr, values, _ = unite(m, tables.n, entries)  # type: ignore[misc]
        return indptr, values
    count = len(runs.starts)
    nodes, steps = runs.values[:, 0], runs.steps[:, 0]
    rows, values, growth = tables.lookup(nodes, steps, np.arange(count))
    if len(rows) and (rows[1:] < rows[:-1]).any():
        order = np.argsort(rows, kind="stable")
        rows, values = rows[order], values[order]
        growth = None if growth is None else growth[order]
    bounds = np.searchsorted(rows, np.arange(count + 1))
    return expand(bounds, values, growth, runs.lengths)


def _stored_patterns(tables: Tables, runs: Runs) -> list[tuple[NDArray[Any], Ids]] | None:
    """The outputs as whole tables, or stretches of such with a row a node; else None."""
    patterns: list[tuple[NDArray[Any], Ids]] = []
    for node, step, length in zip(
        runs.values[:, 0].tolist(), runs.steps[:, 0].tolist(), runs.lengths.tolist(), strict=True
    ):
        at = int(np.searchsorted(tables.bases, node, side="right")) - 1
        table = tables.tables[at] if at >= 0 and node >= tables.first_node else None
        if table is None or (step != 1 and length > 1):
            return None
        lo = node - table.base
        if lo + length > table.size:
            return None
        if table.starts is not None:
            if length != table.size:
                return None
            lengths = np.diff(table.starts, append=table.size)
            patterns.append(expand(table.indptr, table.values, table.steps, lengths))
            continue
        bounds = table.indptr[lo : lo + length + 1]
        patterns.append((bounds - bounds[0], table.values[bounds[0] : bounds[-1]]))
    return patterns


def _joined(patterns: Sequence[tuple[NDArray[Any], Ids]]) -> tuple[NDArray[Any], Ids]:
    if len(patterns) == 1:
        return patterns[0]
    check_entries(sum(int(bounds[-1]) for bounds, _ in patterns))
    return on_top([bounds for bounds, _ in patterns]), np.concatenate(
        [values for _, values in patterns]
    )
