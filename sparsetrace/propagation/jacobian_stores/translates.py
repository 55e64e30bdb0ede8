"""Nodes whose patterns are translates of one another, wherever they stand: one pattern serves all.

Contract: same answer as every store, where it gives one.  Nodes are of one kind if their parents
are, at the same distances; a kind's pattern is held once, as offsets from an origin that each node
has of its own.  On a grid there are as many kinds as distances from its edges, at any size::

    {0, 1}, {1, 2}, {2, 3}, {3, 0}  ->  0 + {0, 1}, 1 + {0, 1}, 2 + {0, 1}, 3 + {-3, 0}
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import FIRST_INPUT, Columns, Ids
from sparsetrace.passes.simplify import Program
from sparsetrace.progress import reported
from sparsetrace.propagation.jacobian_stores.expand import gather_rows
from sparsetrace.propagation.jacobian_stores.sizes import check_entries
from sparsetrace.propagation.jacobian_stores.tables import Outlook

__all__ = ["solve"]

_SHARED = 8
"""A kind has so many nodes at the least, on the average..."""
_UNSHARED = 256
"""...but for so many kinds."""
_PROBE = 1024
"""So many nodes of a block are looked at first."""
_CHUNK = 2**18
"""Entries united, or written, at a time."""
_INPUT, _EMPTY = 0, 1
"""The kinds of an input, and of what depends on nothing."""
_FACTORS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)

Ints = NDArray[np.int64]


class _Kinds:
    """The patterns of all kinds: offsets from the origin of a node, in order."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.bounds = np.array([0, 1, 1], np.int64)
        self._offsets = np.zeros(1024, np.int32)

    @property
    def offsets(self) -> Ids:
        """Those of kind k are those from ``bounds[k]`` to ``bounds[k + 1]``."""
        return self._offsets[: int(self.bounds[-1])]

    def counts(self, kinds: Ids) -> Ints:
        """How many entries each has."""
        return np.asarray(self.bounds[1:][kinds] - self.bounds[kinds])

    def add(self, kinds: Ids, away: Ids) -> None:
        """New kinds: row by row the union of some, each moved so far away."""
        shift = (2 * self.n).bit_length()
        size, width = kinds.shape
        entries = np.cumsum(self.counts(kinds.reshape(-1)).reshape(size, width).sum(axis=1))
        cuts = np.searchsorted(entries, np.arange(_CHUNK, int(entries[-1]), _CHUNK))
        cuts = np.unique(np.concatenate([[0], cuts, [size]]))
        counts = np.zeros(size, np.int64)
        for lo, hi in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            some = kinds[lo:hi].reshape(-1)
            at, many = gather_rows(self.bounds, some)
            row = np.repeat(np.arange(hi - lo), width)
            # no offset is as large as n, of either sign
            base = (row << shift) + (away[lo:hi].reshape(-1) + np.int64(self.n))
            narrow = hi - lo < 1 << 31 - shift  # sorted in half the time
            key = np.repeat(base.astype(np.int32) if narrow else base, many)
            key += self._offsets[at]
            key.sort()
            if len(key):
                fresh = np.ones(len(key), bool)
                np.not_equal(key[1:], key[:-1], out=fresh[1:])
                key = key[fresh]
            counts[lo:hi] = np.bincount(key >> shift, minlength=hi - lo)
            self._append((key & ((1 << shift) - 1)) - self.n, counts[lo:hi])

    def _append(self, offsets: NDArray[np.integer], counts: Ints) -> None:
        before = int(self.bounds[-1])
        end = before + len(offsets)
        check_entries(end)
        if end > len(self._offsets):
            wider = np.empty(2 * end, np.int32)
            wider[:before] = self._offsets[:before]
            self._offsets = wider
        self._offsets[before:end] = offsets
        self.bounds = np.concatenate([self.bounds, before + np.cumsum(counts)])


class _Nodes:
    """The kind and the origin of each node, by id."""

    def __init__(self, program: Program) -> None:
        n = program.n_inputs
        size = max(block.base + block.size for block in program.blocks)
        self.kinds = np.full(size, _EMPTY, np.int32)
        self.kinds[FIRST_INPUT : FIRST_INPUT + n] = _INPUT
        self.origins = np.zeros(size, np.int32)
        self.origins[FIRST_INPUT : FIRST_INPUT + n] = np.arange(n, dtype=np.int32)

    def first_origins(self, columns: list[Ids]) -> Ids:
        """For each node to be, the origin of its first parent that depends on anything."""
        origins = self.origins[columns[0]]
        empty = self.kinds[columns[0]] == _EMPTY
        for column in columns[1:]:
            if not empty.any():
                break
            origins[empty] = self.origins[column[empty]]
            empty &= self.kinds[column] == _EMPTY
        return origins

    def parents(self, column: Ids, origins: Ids) -> tuple[Ids, Ids]:
        """The kinds of parents, and how far away they are."""
        kinds = self.kinds[column]
        away = self.origins[column]
        away -= origins
        if int(kinds.min()) <= _EMPTY:
            away[kinds == _EMPTY] = 0
        return kinds, away


def solve(program: Program, budget: float) -> tuple[NDArray[np.integer], Ids] | None:
    """Patterns of the outputs as CSR index arrays; None where kinds are many.

    Parameters
    ----------
    program : Program
    budget : float
        How many entries may be united.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> g = Graph(40)
    >>> y = g.union(g.inputs(), np.roll(g.inputs(), -1))
    >>> indptr, indices = solve(Program(40, g.blocks, y[37:]), np.inf)
    >>> indptr.tolist(), indices.tolist()
    ([0, 2, 4, 6], [37, 38, 38, 39, 0, 39])
    """
    blocks = [block for block in program.blocks if block.size]
    if not blocks or not all(isinstance(block, Columns) for block in blocks):
        return None
    nodes, kinds = _Nodes(program), _Kinds(program.n_inputs)
    size, left = 0, budget
    outlook = Outlook(budget, sum(block.edges for block in blocks), len(blocks))
    for block in reported(blocks, "propagation"):
        assert isinstance(block, Columns)
        if not outlook.lasts(block.edges, left):
            return None
        columns = [np.maximum(column, 0) for column in block.columns]
        origins = nodes.first_origins(columns)
        found = _told_apart(nodes, columns, origins)
        if found is None:
            return None
        firsts, kind = found
        before, size = len(kinds.bounds) - 1, size + block.size
        if _SHARED * (before + len(firsts) - _UNSHARED) > size:
            return None
        parents = [nodes.parents(column[firsts], origins[firsts]) for column in columns]
        table = np.stack([some for some, _ in parents], axis=1)
        left -= int(kinds.counts(table.reshape(-1)).sum())
        if left < 0:
            return None
        kinds.add(table, np.stack([away for _, away in parents], axis=1))
        kind += np.int32(before)
        kind[kinds.counts(kind) == 0] = _EMPTY
        nodes.kinds[block.base : block.base + block.size] = kind
        nodes.origins[block.base : block.base + block.size] = origins
    outputs = np.maximum(program.outputs, 0)
    return _written(kinds, nodes.kinds[outputs], nodes.origins[outputs])


def _told_apart(nodes: _Nodes, columns: list[Ids], origins: Ids) -> tuple[Ints, Ids] | None:
    """The first node of each kind, and the kind of each node; None where kinds are many."""
    key = np.zeros(len(origins), np.uint64)
    for column in columns:
        kinds, away = nodes.parents(column, origins)
        key += kinds.astype(np.uint64)
        key *= _FACTORS[0]
        key += away.astype(np.uint64)  # modulo 2**64
        key *= _FACTORS[1]
    probe = key[:_PROBE]
    if len(key) > _UNSHARED and 2 * len(np.unique(probe)) > len(probe):
        return None
    heads = np.flatnonzero(key[1:] != key[:-1]) + 1
    heads = np.concatenate([np.zeros(1, np.int64), heads])
    _, first, place = np.unique(key[heads], return_index=True, return_inverse=True)
    firsts = heads[first]
    kind = np.repeat(place.astype(np.int32), np.diff(heads, append=len(key)))
    # equal keys tell nothing for sure
    for column in columns:
        for part in nodes.parents(column, origins):
            if (part != part[firsts][kind]).any():
                return None
    return firsts, kind


def _written(kinds: _Kinds, rows: Ids, origins: Ids) -> tuple[Ints, Ids]:
    """The entries of rows of these kinds with these origins."""
    indptr = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(kinds.counts(rows), out=indptr[1:])
    total = int(indptr[-1])
    check_entries(total)
    indices: Ids = np.empty(total, np.int32)
    cuts = np.searchsorted(indptr, np.arange(0, total, _CHUNK), side="right") - 1
    cuts = np.unique(np.append(cuts, len(rows)))
    for lo, hi in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        at, counts = gather_rows(kinds.bounds, rows[lo:hi])
        part = indices[indptr[lo] : indptr[hi]]
        np.take(kinds.offsets, at, out=part, mode="clip")  # else it is buffered
        part += np.repeat(origins[lo:hi], counts)
    return indptr, indices
