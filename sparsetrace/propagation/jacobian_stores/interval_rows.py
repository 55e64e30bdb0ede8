"""Rows of a pattern as intervals: what is dense by nature, without its entries written out.

Contract: a set is a sequence of intervals ``[start, stop)`` that neither meet nor touch, in order;
rows that are equal by construction share one.  Pure index arithmetic, by whole arrays; what it
costs grows with the intervals, not with the entries.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsetrace.propagation.jacobian_stores.expand import gather_rows

__all__ = ["IntervalRows", "compared", "merged"]

_LARGE = 2**14
"""From so many entries for each set on rows are copied, one after the other."""

Ints = NDArray[np.int64]
Ids = NDArray[np.int32]


@dataclass(slots=True, frozen=True)
class IntervalRows:
    """The rows of a pattern with n columns: row i is the set ``places[i]``.

    Attributes
    ----------
    n : int
    places : ndarray of int, shape (m,)
    bounds : ndarray of int64, shape (s + 1,)
        The intervals of set k are those from ``bounds[k]`` to ``bounds[k + 1]``.
    starts, stops : ndarray of int32
        Where the intervals begin, and the columns behind their last ones.

    Examples
    --------
    >>> rows = IntervalRows.of_csr(4, np.array([0, 3, 3, 5]), np.array([0, 1, 2, 0, 3]))
    >>> rows.starts.tolist(), rows.stops.tolist()
    ([0, 0, 3], [3, 1, 4])
    >>> rows.row_counts().tolist(), rows.column_counts().tolist()
    ([3, 0, 2], [2, 1, 1, 1])
    """

    n: int
    places: NDArray[np.integer]
    bounds: Ints
    starts: Ids
    stops: Ids

    @classmethod
    def of_csr(
        cls, n: int, indptr: NDArray[np.integer], indices: NDArray[np.integer]
    ) -> IntervalRows:
        """The same rows, from sorted and distinct entries."""
        m = len(indptr) - 1
        fresh = np.ones(len(indices), bool)
        np.not_equal(indices[1:], indices[:-1] + 1, out=fresh[1:])
        firsts = indptr[:-1]
        fresh[firsts[firsts < len(indices)]] = True
        heads = np.flatnonzero(fresh)
        tails = np.append(heads[1:], len(indices))[: len(heads)] - 1
        bounds = np.searchsorted(heads, indptr).astype(np.int64)
        starts, stops = indices[heads].astype(np.int32), indices[tails].astype(np.int32) + 1
        return cls(n, np.arange(m, dtype=np.int32), bounds, starts, stops.astype(np.int32))

    def _set_counts(self) -> Ints:
        """Entries of each set."""
        before = np.zeros(len(self.starts) + 1, np.int64)
        np.cumsum(self.stops - self.starts, out=before[1:])
        counts: Ints = np.diff(before[self.bounds])
        return counts

    def row_counts(self) -> Ints:
        """Entries of each row."""
        counts: Ints = self._set_counts()[self.places]
        return counts

    @property
    def nnz(self) -> int:
        """Entries of all rows."""
        uses = np.bincount(self.places, minlength=len(self.bounds) - 1)
        return int(uses @ self._set_counts())  # rows and columns are below 2**31

    def column_counts(self) -> Ints:
        """Entries of each column."""
        uses = np.bincount(self.places, minlength=len(self.bounds) - 1).astype(np.float64)
        weights = np.repeat(uses, np.diff(self.bounds))
        changes = np.bincount(self.starts, weights, self.n + 1)
        changes -= np.bincount(self.stops, weights, self.n + 1)
        return np.cumsum(changes[:-1]).astype(np.int64)

    def row(self, i: int) -> Ids:
        """The columns of a row, in order."""
        place = int(self.places[i])
        return self.taken(np.array([place])).csr()[1] if len(self.places) else self.starts

    def taken(self, sets: NDArray[np.integer]) -> IntervalRows:
        """The sets chosen as rows, each with intervals of its own."""
        at, counts = gather_rows(self.bounds, sets)
        bounds = np.zeros(len(sets) + 1, np.int64)
        np.cumsum(counts, out=bounds[1:])
        places = np.arange(len(sets), dtype=np.int32)
        return IntervalRows(self.n, places, bounds, self.starts[at], self.stops[at])

    def chosen(self, rows: NDArray[np.integer]) -> IntervalRows:
        """Some of the rows; sets that they share are shared again."""
        used = np.zeros(len(self.bounds) - 1, bool)
        places = self.places[rows]
        used[places] = True
        number = np.cumsum(used) - 1
        return replace(self.taken(np.flatnonzero(used)), places=number[places])

    def between(self, low: int, high: int) -> IntervalRows:
        """The columns from `low` to ``high - 1``, counted from `low`."""
        starts = np.clip(self.starts, low, high) - np.int32(low)
        stops = np.clip(self.stops, low, high) - np.int32(low)
        some = stops > starts
        bounds = np.concatenate([[0], np.cumsum(some)])[self.bounds]
        return IntervalRows(max(high - low, 0), self.places, bounds, starts[some], stops[some])

    def csr(self) -> tuple[Ints, Ids]:
        """The entries written out, as CSR index arrays."""
        indptr = np.zeros(len(self.places) + 1, np.int64)
        np.cumsum(self.row_counts(), out=indptr[1:])
        heads = np.flatnonzero(self.places[1:] != self.places[:-1]) + 1
        stretches = len(heads) + 1  # of rows that share a set
        if stretches < len(self.places) and stretches * _LARGE < indptr[-1]:
            return indptr, self._copied(indptr, np.insert(heads, 0, 0))
        at, _ = gather_rows(self.bounds, self.places)
        starts, stops = self.starts[at], self.stops[at]
        # entries count up by one within an interval, and jump where the next one begins
        entries = np.ones(int(indptr[-1]), np.int32)
        if len(starts):
            first = np.zeros(len(starts), np.int64)
            np.cumsum((stops - starts)[:-1], out=first[1:])
            entries[first[1:]] = starts[1:] - stops[:-1] + 1
            entries[0] = starts[0]
            np.cumsum(entries, dtype=np.int32, out=entries)
        return indptr, entries

    def _copied(self, indptr: Ints, heads: NDArray[np.integer]) -> Ids:
        """The entries, of rows that share a set written once and copied."""
        bounds, once = replace(self, places=self.places[heads]).csr()
        entries = np.empty(int(indptr[-1]), np.int32)
        ends = indptr[np.append(heads[1:], len(self.places))]
        for k, (lo, hi) in enumerate(zip(indptr[heads].tolist(), ends.tolist(), strict=True)):
            if lo < hi:
                row = once[bounds[k] : bounds[k + 1]]
                entries[lo:hi].reshape(-1, len(row))[:] = row
        return entries


def merged(
    n_rows: int,
    n: int,
    rows: NDArray[np.integer],
    starts: NDArray[np.integer],
    stops: NDArray[np.integer],
) -> tuple[Ints, Ids, Ids]:
    """Intervals, each of a row, in any order and overlapping, as bounds, starts and stops.

    Examples
    --------
    >>> rows, starts, stops = np.array([[0, 0, 1, 0], [4, 0, 7, 2], [6, 2, 8, 5]])
    >>> [array.tolist() for array in merged(2, 9, rows, starts, stops)]
    [[0, 1, 2], [0, 7], [6, 8]]
    """
    base = rows * np.int64(n + 1)
    begin, end = base + starts, base + stops
    if len(begin) > 1 and not (begin[1:] >= begin[:-1]).all():
        order = np.argsort(begin, kind="stable")
        begin, end = begin[order], end[order]
    reach = np.maximum.accumulate(end)
    fresh = np.ones(len(begin), bool)
    np.greater(begin[1:], reach[:-1], out=fresh[1:])
    heads = np.flatnonzero(fresh)
    tails = np.append(heads[1:], len(begin))[: len(heads)] - 1
    row = begin[heads] // (n + 1)
    base = row * (n + 1)
    bounds = np.zeros(n_rows + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=n_rows), out=bounds[1:])
    return bounds, (begin[heads] - base).astype(np.int32), (reach[tails] - base).astype(np.int32)


def compared(left: IntervalRows, right: IntervalRows, chosen: np.ufunc) -> IntervalRows:
    """The entries that a comparison of two truth values chooses; none where both are false.

    Examples
    --------
    >>> left = IntervalRows.of_csr(4, np.array([0, 3]), np.array([0, 1, 2]))
    >>> right = IntervalRows.of_csr(4, np.array([0, 2]), np.array([1, 3]))
    >>> [compared(left, right, f).row(0).tolist() for f in (np.logical_or, np.greater)]
    [[0, 1, 2, 3], [0, 2]]
    """
    n = left.n
    key = left.places.astype(np.int64) * len(right.bounds) + right.places
    pairs, places = np.unique(key, return_inverse=True)
    sides = left.taken(pairs // len(right.bounds)), right.taken(pairs % len(right.bounds))
    place, change = [], []
    for side, weight in zip(sides, (1, 2), strict=True):
        base = np.repeat(np.arange(len(pairs)) * np.int64(n + 1), np.diff(side.bounds))
        place += [base + side.starts, base + side.stops]
        change += [np.full(len(base), weight), np.full(len(base), -weight)]
    at, inverse = np.unique(np.concatenate(place), return_inverse=True)
    held = np.cumsum(np.bincount(inverse, np.concatenate(change), len(at)).astype(np.int8))
    some = np.flatnonzero(chosen((held & 1) > 0, (held & 2) > 0))
    row = at[some] // (n + 1)
    base = row * (n + 1)
    # what is held ends before the last place
    united = merged(len(pairs), n, row, at[some] - base, at[some + 1] - base)
    return IntervalRows(n, places.astype(np.int32), *united)
