"""Tables of patterns: CSR rows of column indices, one row for each run of translates.

Contract: a table holds the patterns of one block.  Its row r stands for the nodes of
run r: entry ``values[e] + steps[e] * k`` for the k-th node of the run.  Rows are sorted
and stay sorted along their run; a block for which that fails is held node by node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, Ids
from sparsetrace.passes.simplify import Program
from sparsetrace.propagation.jacobian_stores.expand import gather_rows
from sparsetrace.propagation.jacobian_stores.runs import Runs, split_runs

__all__ = [
    "Answered",
    "CsrArrays",
    "Entries",
    "Outlook",
    "OverBudget",
    "Table",
    "Tables",
    "distinct",
    "marks",
    "unite",
]

_FLAGS_PER_ENTRY = 24
"""Marking in a Boolean matrix beats sorting up to this many cells an entry."""
_MOST_FLAGS = 2**28
_DENSE = 64
"""From so many entries a node, on average, other stores may do with less."""

CsrArrays = tuple[NDArray[np.int64], Ids]
Entries = tuple[NDArray[np.int64], Ids, Ids | None]
"""Row of each entry, its column index at the run's start, its step."""


_TOO_SOON = 0.05
"""Of a budget that part is spent before its end is foreseen..."""
_BEYOND = 1.2
"""...to be so many times what there is."""


class OverBudget(Exception):
    """More entries than the caller wanted to pay for; another store is cheaper."""


class Answered(Exception):
    """Another way had the answer, in place of what was asked for."""

    def __init__(self, pattern: tuple[NDArray[np.integer], NDArray[np.integer]]) -> None:
        self.pattern = pattern


@dataclass(slots=True)
class Table:
    """Patterns of nodes ``base .. base + size - 1``; `starts` is None for a row a node."""

    base: int
    size: int
    indptr: NDArray[np.int64]
    values: Ids
    steps: Ids | None = None
    starts: NDArray[np.int64] | None = None

    def entries(self) -> int:
        """How many entries its nodes have together."""
        if self.starts is None:
            return len(self.values)
        lengths = np.diff(self.starts, append=self.size)
        return int((np.diff(self.indptr) * lengths).sum())


class Outlook:
    """Whether a budget will last, by what the last blocks took: rows that grow, grow on.

    Parameters
    ----------
    budget : float
    edges : int
        How many parents all blocks have.
    blocks : int
        How many there are.

    Examples
    --------
    >>> outlook = Outlook(budget=100, edges=60, blocks=6)
    >>> outlook.lasts(10, 100), outlook.lasts(10, 80), outlook.lasts(10, 50)
    (True, True, False)
    """

    def __init__(self, budget: float, edges: int, blocks: int) -> None:
        self._budget, self._left, self._to_come = budget, budget, edges
        self._edges, self._blocks = 0, blocks
        self._rate = 0.0

    def lasts(self, edges: int, left: float) -> bool:
        """Before a block with so many edges, when so much of the budget is left."""
        spent = self._budget - left
        before, self._rate = self._rate, (self._left - left) / max(self._edges, 1)
        # what the last block took more than the one before, the next ones take more, too
        growth = max(self._rate - before, 0.0) / 2 * self._blocks if before else 0.0
        rate = max(self._rate, before) + growth if before else self._rate / 2
        foreseen = spent + rate * self._to_come
        if spent > _TOO_SOON * self._budget and foreseen > _BEYOND * self._budget:
            return False
        self._to_come -= edges
        self._blocks -= 1
        self._edges, self._left = edges, left
        return True


class Tables:
    """The tables made so far, and how to read patterns out of them.

    Parameters
    ----------
    program : Program
    budget, dense : float
        How many entries are sorted at the most, and how many of long rows.
    otherwise : callable, optional
        Asked where `budget` or `dense` is spent: a pattern; or None, after it has allowed more.
    """

    def __init__(
        self,
        program: Program,
        budget: float,
        dense: float = np.inf,
        otherwise: Callable[[Tables], Any] | None = None,
    ) -> None:
        self.n = program.n_inputs
        self.first_node = FIRST_INPUT + self.n
        self.bases = np.array(sorted(block.base for block in program.blocks), np.int64)
        self.tables: list[Table | None] = [None] * len(self.bases)
        self.budget, self.dense, self._otherwise = budget, dense, otherwise
        self.held = 0
        self.last: Table | None = None

    def spend(self, entries: int, nodes: int) -> None:
        """Count entries of nodes that are about to be sorted; stop where they exceed the budget."""
        self.budget -= entries
        if entries > _DENSE * nodes:
            self.dense -= entries
        if self.budget < 0 or self.dense < 0:
            self.ask_for_more()
            if self.budget < 0 or self.dense < 0:
                raise OverBudget

    def ask_for_more(self) -> None:
        """Look for another way, where the budget will not last; or get more of it.

        Raises
        ------
        Answered
            If the other way has the answer.
        OverBudget
            If there is neither.
        """
        before = self.budget, self.dense
        answer = None if self._otherwise is None else self._otherwise(self)
        if answer is not None:
            raise Answered(answer)
        if before == (self.budget, self.dense):
            raise OverBudget

    def add(self, table: Table) -> None:
        self.held += len(table.values)
        self.last = self.tables[int(np.searchsorted(self.bases, table.base))] = table

    def release(self, base: int) -> None:
        """Give up the table of a block that nothing needs any more."""
        position = int(np.searchsorted(self.bases, base))
        table, self.tables[position] = self.tables[position], None
        self.held -= 0 if table is None else len(table.values)

    def made(self, position: int) -> Table:
        """The table of the block whose base comes at this position."""
        table = self.tables[position]
        if table is None:
            raise AssertionError("a node is used before its block is made, or after that")
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
        answers: list[Entries] = []
        if not inner.all():
            outer = ~inner
            answers.append(
                self.lookup(nodes[outer], None if steps is None else steps[outer], rows[outer])
            )
            nodes, rows = nodes[inner], rows[inner]
            steps = None if steps is None else steps[inner]
        at = np.searchsorted(self.bases, nodes, side="right") - 1
        first = int(at.min())
        if first == int(at.max()):
            answers.append(_read(self.made(first), nodes, steps, rows))
        else:
            for position in np.flatnonzero(np.bincount(at)).tolist():
                here = at == position
                some = None if steps is None else steps[here]
                answers.append(_read(self.made(position), nodes[here], some, rows[here]))
        if len(answers) == 1:
            return answers[0]
        values = np.concatenate([answer[1] for answer in answers])
        joined = None
        if steps is not None or any(answer[2] is not None for answer in answers):
            joined = np.concatenate(
                [np.zeros(len(p[1]), np.int32) if p[2] is None else p[2] for p in answers]
            )
        return np.concatenate([answer[0] for answer in answers]), values, joined

    def split(self, runs: Runs, columns: Sequence[Ids]) -> Runs | None:
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
            table = self.made(position)
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


def marks(count: int, cells: int) -> bool:
    """Whether `distinct` marks the keys in a Boolean array rather than sorting them."""
    return cells <= min(_FLAGS_PER_ENTRY * count, _MOST_FLAGS)


def distinct(key: NDArray[np.int64], cells: int) -> NDArray[np.int64]:
    """The keys, all below `cells`, sorted and without repetitions."""
    if marks(len(key), cells):
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
