"""Patterns as CSR rows of column indices, one row for each run of translates.

Contract: a table holds the patterns of one block.  Its row r stands for the nodes of
run r: entry ``values[e] + steps[e] * k`` for the k-th node of the run.  Rows are sorted
and stay sorted along their run; a block for which that fails is held node by node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph import FIRST_INPUT, OPAQUE, Columns, Ids, Rows
from sparsetrace.simplify import Program
from sparsetrace.stores.expand import expand, gather_rows
from sparsetrace.stores.runs import Runs, find_runs, split_runs
from sparsetrace.stores.sequential import solve_sequential

__all__ = ["OverBudget", "Table", "Tables", "solve"]

_FLAGS_PER_ENTRY = 24
"""Marking in a Boolean matrix beats sorting up to this many cells an entry."""
_MOST_FLAGS = 2**28
_MOST_PIECES = 64
_CHUNK = 2**22
"""Entries united at a time."""

Piece = tuple[NDArray[np.int64], Ids]
Entries = tuple[NDArray[np.int64], Ids, Ids | None]
"""Row of each entry, its column index at the run's start, its step."""


class OverBudget(Exception):
    """More entries than the caller wanted to pay for; another store is cheaper."""


@dataclass(slots=True)
class Table:
    """Patterns of nodes ``base .. base + size - 1``; `starts` is None for a row a node."""

    base: int
    size: int
    indptr: NDArray[np.int64]
    values: Ids
    steps: Ids | None = None
    starts: NDArray[np.int64] | None = None


class Tables:
    """The tables made so far, and how to read patterns out of them."""

    def __init__(self, program: Program, budget: float) -> None:
        self.n = program.n_inputs
        self.first_node = FIRST_INPUT + self.n
        self.bases = np.array(sorted(block.base for block in program.blocks), np.int64)
        self.tables: list[Table | None] = [None] * len(self.bases)
        self.budget = budget

    def spend(self, entries: int) -> None:
        """Count entries that are about to be sorted; stop where they exceed the budget."""
        self.budget -= entries
        if self.budget < 0:
            raise OverBudget

    def add(self, table: Table) -> None:
        self.tables[int(np.searchsorted(self.bases, table.base))] = table

    def _table(self, position: int) -> Table:
        table = self.tables[position]
        if table is None:
            raise AssertionError("a node is used before its block is made")
        return table

    def lookup(self, nodes: Ids, steps: Ids | None, rows: NDArray[np.int64]) -> Entries:
        """The entries of nodes; entry e belongs to ``rows[i]`` for its node i."""
        if not len(nodes) or int(nodes.max()) < self.first_node:
            if len(nodes) and int(nodes.min()) <= OPAQUE:
                real = nodes > OPAQUE
                nodes, rows = nodes[real], rows[real]
                steps = None if steps is None else steps[real]
            return rows, nodes - np.int32(FIRST_INPUT), steps
        inner = nodes >= self.first_node
        parts: list[Entries] = []
        if not inner.all():
            outer = ~inner
            parts.append(
                self.lookup(nodes[outer], None if steps is None else steps[outer], rows[outer])
            )
            nodes, rows = nodes[inner], rows[inner]
            steps = None if steps is None else steps[inner]
        at = np.searchsorted(self.bases, nodes, side="right") - 1
        first = int(at.min())
        if first == int(at.max()):
            parts.append(_read(self._table(first), nodes, steps, rows))
        else:
            for position in np.flatnonzero(np.bincount(at)).tolist():
                here = at == position
                some = None if steps is None else steps[here]
                parts.append(_read(self._table(position), nodes[here], some, rows[here]))
        if len(parts) == 1:
            return parts[0]
        values = np.concatenate([part[1] for part in parts])
        joined = None
        if steps is not None or any(part[2] is not None for part in parts):
            joined = np.concatenate(
                [np.zeros(len(p[1]), np.int32) if p[2] is None else p[2] for p in parts]
            )
        return np.concatenate([part[0] for part in parts]), values, joined

    def split(self, runs: Runs, columns: list[Ids]) -> Runs | None:
        """Runs cut where the columns leave a run of the tables they point into."""
        last = runs.values + runs.steps * (runs.lengths[:, None] - 1)
        low = np.minimum(runs.values, last)
        high = np.maximum(runs.values, last)
        bounds = []
        if int(low.min()) <= OPAQUE:
            bounds.append(np.array([FIRST_INPUT], np.int64))
        if int(high.max()) >= self.first_node:
            bounds.append(np.array([self.first_node], np.int64))
            inner = high >= self.first_node
            touched = np.searchsorted(self.bases, high[inner], side="right") - 1
            for position in range(
                max(int(np.searchsorted(self.bases, low[inner].min(), side="right")) - 1, 0),
                int(touched.max()) + 1,
            ):
                table = self.tables[position]
                if table is None:
                    continue
                inside = (high >= table.base) & (low < table.base + table.size)
                if table.starts is None:
                    if (inside & (runs.steps != 0)).any():
                        return None
                elif inside.any():
                    bounds.append(table.base + table.starts)
                bounds.append(np.array([table.base, table.base + table.size], np.int64))
        if not bounds:
            return runs
        return split_runs(runs, columns, np.sort(np.concatenate(bounds)), len(columns[0]))


    def counts(self, nodes: Ids) -> NDArray[np.int64]:
        """How many entries each node has."""
        counts = (nodes > OPAQUE).astype(np.int64)
        inner = np.flatnonzero(nodes >= self.first_node)
        if not len(inner):
            return counts
        at = np.searchsorted(self.bases, nodes[inner], side="right") - 1
        for position in np.flatnonzero(np.bincount(at)).tolist():
            here = inner[at == position]
            table = self._table(position)
            row = nodes[here] - table.base
            if table.starts is not None:
                row = np.searchsorted(table.starts, row, side="right") - 1
            counts[here] = table.indptr[1:][row] - table.indptr[row]
        return counts


def _read(table: Table, nodes: Ids, steps: Ids | None, rows: NDArray[np.int64]) -> Entries:
    """Entries of nodes that all lie in one table."""
    offset = nodes - np.int32(table.base)
    if table.starts is None:
        at, counts = gather_rows(table.indptr, offset)
        return np.repeat(rows, counts), table.values[at], None
    run = np.searchsorted(table.starts, offset, side="right") - 1
    at, counts = gather_rows(table.indptr, run)
    along = np.repeat((offset - table.starts[run]).astype(np.int32), counts)
    values = table.values[at]
    if table.steps is None:
        return np.repeat(rows, counts), values, None
    growth = table.steps[at]
    values = values + growth * along
    further = None if steps is None else growth * np.repeat(steps, counts)
    return np.repeat(rows, counts), values, further


def unite(
    n_rows: int, n: int, entries: Entries, lengths: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], Ids, Ids | None] | None:
    """Sorted distinct entries row by row: indptr, values, steps.

    None if along some run two entries meet or change places.
    """
    rows, values, steps = entries
    bits = max(n - 1, 1).bit_length()
    key = (rows << bits) | values
    if steps is None or lengths is None:
        if len(key) and not (key[1:] > key[:-1]).all():
            key = distinct(key, n_rows << bits)
            rows = key >> bits
            values = (key & ((1 << bits) - 1)).astype(np.int32)
        return _bounds(rows, n_rows), values, None
    order = np.argsort(key, kind="stable")
    key, steps = key[order], steps[order]
    same = key[1:] == key[:-1]
    if same.any():
        if (steps[1:] != steps[:-1])[same].any():
            return None
        keep = np.concatenate([[True], ~same])
        key, steps = key[keep], steps[keep]
    rows = key >> bits
    ends = key + steps.astype(np.int64) * (lengths[rows] - 1)
    if not (ends[1:] > ends[:-1])[rows[1:] == rows[:-1]].all():
        return None
    return _bounds(rows, n_rows), (key & ((1 << bits) - 1)).astype(np.int32), steps


def distinct(key: NDArray[np.int64], cells: int) -> NDArray[np.int64]:
    """The keys, all below `cells`, sorted and without repetitions."""
    if cells <= min(_FLAGS_PER_ENTRY * len(key), _MOST_FLAGS):
        flags = np.zeros(cells, bool)
        flags[key] = True
        return np.flatnonzero(flags)
    key = np.sort(key)
    keep = np.empty(len(key), bool)
    keep[0] = True
    np.not_equal(key[1:], key[:-1], out=keep[1:])
    return key if keep.all() else key[keep]


def _bounds(rows: NDArray[np.int64], n_rows: int) -> NDArray[np.int64]:
    """Row bounds of entries whose rows are sorted."""
    indptr = np.zeros(n_rows + 1, np.int64)
    if n_rows <= 1024:
        indptr[:] = np.searchsorted(rows, np.arange(n_rows + 1))
    else:
        np.cumsum(np.bincount(rows, minlength=n_rows), out=indptr[1:])
    return indptr


def _solve_columns(tables: Tables, block: Columns) -> Table:
    runs = find_runs(block.columns)
    if runs is not None:
        runs = tables.split(runs, block.columns)
    if runs is not None:
        count, width = runs.values.shape
        rows = np.tile(np.arange(count), width)
        entries = tables.lookup(runs.values.T.reshape(-1), runs.steps.T.reshape(-1), rows)
        found = unite(count, tables.n, entries, runs.lengths)
        if found is not None:
            indptr, values, steps = found
            return Table(block.base, block.size, indptr, values, steps, runs.starts)
    if max(int(c.max()) for c in block.columns) < tables.first_node:
        return _solve_inputs(block)
    parents = np.stack(block.columns, axis=1).reshape(-1)
    width = len(block.columns)
    indptr = np.arange(0, block.size * width + 1, width, dtype=np.int64)
    return Table(block.base, block.size, *_unite_nodes(tables, indptr, parents))


def _solve_inputs(block: Columns) -> Table:
    """Node by node, every parent an input: the parents, sorted, are the pattern."""
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


def _solve_rows(tables: Tables, block: Rows) -> Table:
    parents, indptr = block.parents, block.indptr
    if len(parents) and parents.max() < tables.first_node and parents.min() > OPAQUE:
        rising = parents[1:] > parents[:-1]
        inner = indptr[1:-1]
        rising[inner[(inner > 0) & (inner < len(parents))] - 1] = True
        if rising.all():  # every parent an input, in order: the parents are the pattern
            return Table(block.base, block.size, indptr, parents - np.int32(FIRST_INPUT))
    return Table(block.base, block.size, *_unite_nodes(tables, indptr, parents))


def _unite_nodes(
    tables: Tables, indptr: NDArray[np.int64], parents: Ids
) -> tuple[NDArray[np.int64], Ids]:
    """The union of each CSR row of nodes, in chunks of bounded memory."""
    counts = tables.counts(parents)
    ends = np.zeros(len(parents) + 1, np.int64)
    np.cumsum(counts, out=ends[1:])
    total = int(ends[-1])
    tables.spend(total)
    size = len(indptr) - 1
    if total <= _CHUNK:
        cuts = [0, size]
    else:
        marks = np.arange(_CHUNK, total, _CHUNK)
        inner = np.searchsorted(ends[indptr], marks)
        cuts = sorted({0, size, *inner.tolist()})
    pieces: list[Piece] = []
    for lo, hi in zip(cuts[:-1], cuts[1:], strict=True):
        some = parents[indptr[lo] : indptr[hi]]
        rows = np.repeat(np.arange(hi - lo), np.diff(indptr[lo : hi + 1]))
        entries = tables.lookup(some, None, rows)
        bounds, values, _ = unite(hi - lo, tables.n, entries)  # type: ignore[misc]
        pieces.append((bounds, values))
    return _joined(pieces)


def _solve_tree(tables: Tables, block: Rows) -> Table:
    rows = np.repeat(np.arange(block.size), np.diff(block.indptr))
    outside = block.parents < block.base
    entries = tables.lookup(block.parents[outside], None, rows[outside])
    indptr, values, _ = unite(block.size, tables.n, entries)  # type: ignore[misc]
    inside = ~outside
    if inside.any():
        indptr, values = solve_sequential(
            tables.n, indptr, values, rows[inside], block.parents[inside] - np.int32(block.base)
        )
    return Table(block.base, block.size, indptr, values)


def solve(
    program: Program, budget: float = np.inf
) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Patterns of the outputs as CSR index arrays.

    Raises
    ------
    OverBudget
        If more than `budget` entries would have to be sorted.

    Examples
    --------
    >>> from sparsetrace.graph import Graph
    >>> from sparsetrace.simplify import simplify
    >>> g = Graph(4)
    >>> x = g.inputs()
    >>> indptr, indices = solve(simplify(g, g.union(x[1:], x[:-1])))
    >>> indptr.tolist(), indices.tolist()
    ([0, 2, 4, 6], [0, 1, 1, 2, 2, 3])
    """
    tables = Tables(program, budget)
    for block in program.blocks:
        if not block.size:
            continue
        if isinstance(block, Columns):
            tables.add(_solve_columns(tables, block))
        elif block.sequential:
            tables.add(_solve_tree(tables, block))
        else:
            tables.add(_solve_rows(tables, block))
    return _outputs(tables, program.outputs)


def _outputs(
    tables: Tables, outputs: Ids
) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    m = len(outputs)
    if not m:
        return np.zeros(1, np.int64), np.zeros(0, np.int32)
    runs = find_runs([outputs])
    if runs is not None and len(runs.starts) <= _MOST_PIECES:
        pieces = _stored_pieces(tables, runs)
        if pieces is not None:
            return _joined(pieces)
    if runs is not None:
        runs = tables.split(runs, [outputs])
    if runs is None:
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


def _stored_pieces(tables: Tables, runs: Runs) -> list[Piece] | None:
    """The outputs as stretches of tables that hold a row a node; None if they are not."""
    pieces = []
    for node, step, length in zip(
        runs.values[:, 0].tolist(), runs.steps[:, 0].tolist(), runs.lengths.tolist(), strict=True
    ):
        at = int(np.searchsorted(tables.bases, node, side="right")) - 1
        table = tables.tables[at] if at >= 0 and node >= tables.first_node else None
        if table is None or table.starts is not None or (step != 1 and length > 1):
            return None
        lo = node - table.base
        if lo + length > table.size:
            return None
        bounds = table.indptr[lo : lo + length + 1]
        pieces.append((bounds - bounds[0], table.values[bounds[0] : bounds[-1]]))
    return pieces


def _joined(pieces: list[Piece]) -> Piece:
    if len(pieces) == 1:
        return pieces[0]
    sizes = np.cumsum([0] + [int(bounds[-1]) for bounds, _ in pieces])
    bounds = [b[:-1] + start for (b, _), start in zip(pieces, sizes[:-1].tolist(), strict=True)]
    indptr = np.concatenate([*bounds, sizes[-1:]])
    return indptr, np.concatenate([values for _, values in pieces])
