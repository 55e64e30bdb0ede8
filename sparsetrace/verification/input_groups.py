"""Which inputs to move together, so that many rows of a pattern must not move.

Contract: nothing here calls a function.  A group is a mask over the columns; it tests the
rows that have no entry in it, for an entry lost anywhere in it.  Every step costs O(entries)
in NumPy code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Pattern", "residuals"]

Mask = NDArray[np.bool_]
_SMALL = 6_400
"""Rows times columns up to which the zeros of a pattern are counted one by one."""
_TRIES = 4
"""Kinds of groups that are tried for one pair."""
_CHUNK = 1 << 17
"""Numbers of one piece of work, for the sake of memory."""


class Pattern:
    """A sparsity pattern, and the groups of columns that test it best.

    Parameters
    ----------
    indptr, indices : array
        CSR, without duplicates.
    shape : (int, int)
    rng : numpy.random.Generator
    """

    def __init__(
        self,
        indptr: NDArray[np.intp],
        indices: NDArray[np.intp],
        shape: tuple[int, int],
        rng: np.random.Generator,
    ) -> None:
        self.indptr, self.indices, self.shape, self.rng = indptr, indices, shape, rng
        self.counts = np.diff(indptr)
        self._turn = int(rng.integers(len(_STRATEGIES)))
        self._halves = int(rng.integers(2))
        self._zeros: Mask | None = None
        self._dense: Mask | None = None
        self._weights: NDArray[np.int64] | None = None
        if shape[0] * shape[1] <= _SMALL:
            self._dense = np.zeros(shape, bool)
            self._dense[np.repeat(np.arange(shape[0]), self.counts), indices] = True

    def columns(self, row: int) -> NDArray[np.intp]:
        """The columns of a row's entries."""
        return self.indices[self.indptr[row] : self.indptr[row + 1]]

    def tested(self, group: Mask) -> Mask:
        """The rows that have no entry in the group."""
        within = np.zeros(len(self.indices) + 1, np.int64)
        np.cumsum(group[self.indices], out=within[1:])
        return np.asarray(within[self.indptr[1:]] == within[self.indptr[:-1]])

    def outside(self, rows: Mask) -> Mask:
        """The columns in which none of the rows has an entry."""
        group = np.ones(self.shape[1], bool)
        group[self.indices[np.repeat(rows, self.counts)]] = False
        return group

    def among(self, group: Mask) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Index arrays of the entries in the group's columns alone."""
        if group.all():
            return self.indptr, self.indices
        chosen = group[self.indices]
        within = np.zeros(len(self.indices) + 1, np.intp)
        np.cumsum(chosen, out=within[1:])
        return within[self.indptr], self.indices[chosen]

    def thinned(self, most: int) -> Mask:
        """Columns evenly spread, such that many rows have at most so many entries in them."""
        n = self.shape[1]
        best, score = np.ones(n, bool), n * int((self.counts[self.open_rows()] <= most).sum())
        usual = max(1.0, float(np.median(self.counts[self.open_rows()])))
        for every in np.unique(np.ceil(usual / most * np.array([1.0, 1.3, 1.7, 2.5]))):
            spread = int(every)
            group = np.zeros(n, bool)
            starts = np.arange(0, n, spread)
            group[np.minimum(starts + self.rng.integers(spread, size=len(starts)), n - 1)] = True
            indptr, _ = self.among(group)
            judged = self.open_rows() & (np.diff(indptr) <= most)
            if int(group.sum()) * int(judged.sum()) > score:
                best, score = group, int(group.sum()) * int(judged.sum())
        return best

    def zeros(self, rows: Mask, group: Mask) -> int:
        """How many zeros these rows have in these columns."""
        indptr, _ = self.among(group)
        return int((int(group.sum()) - np.diff(indptr)[rows]).sum())

    def open_rows(self) -> Mask:
        """The rows that could have lost an entry: all but the full ones."""
        return self.counts < self.shape[1]

    # ------------------------------------------------------------------ groups
    def start_over(self) -> None:
        """Forget which zeros were tested: the next groups are moved at another point."""
        self._zeros = None

    def note(self, group: Mask) -> None:
        """Count what the group tests as tested."""
        if self._dense is not None:
            if self._zeros is None:
                self._zeros = ~self._dense
            self._zeros[np.ix_(self.tested(group), group)] = False

    def note_rows(self, rows: Mask, group: Mask) -> None:
        """Count the zeros of these rows in these columns as tested."""
        if self._dense is not None:
            if self._zeros is None:
                self._zeros = ~self._dense
            self._zeros[np.ix_(rows, group)] = False

    def tested_by_groups(self, count: int) -> int:
        """How many zeros the next so many groups would test; 0 where zeros are not counted."""
        if self._dense is None:
            return 0
        before = self._untested() > 0
        for _ in range(count):
            if self.next_group() is None:
                break
        tested = int(before.sum() - (self._untested() > 0).sum())
        self._zeros = before
        return tested

    def next_group(self, heavy: int = 0) -> Mask | None:
        """A group that tests much that was not tested yet; None where nothing is left.

        Parameters
        ----------
        heavy : int
            Prefer rows with so many entries or more.
        """
        group = self._covering() if self._dense is not None else self._sampled(heavy)
        if group is not None:
            self.note(group)
        return group

    # ------------------------------------------------------------------- pairs
    def next_pair(self, turn: int) -> tuple[Mask, Mask] | None:
        """Two groups of columns of a symmetric pattern with no entry between them.

        Rows count as columns here.  None where all zeros are tested.
        """
        if self._dense is None:
            for step in range(_TRIES):
                group = self._pair_seed(turn + step)
                other = self.tested(group)
                if group.any() and other.any():
                    return group, other
            return None
        result = self._covering()
        if result is None:
            return None
        other = self.tested(result)
        assert self._zeros is not None
        self._zeros[np.ix_(other, result)] = False
        self._zeros[np.ix_(result, other)] = False
        return result, other

    def _pair_seed(self, turn: int) -> Mask:
        """One half of the columns, teeth of a comb, those without a diagonal, or the fullest."""
        n = self.shape[1]
        rows = self.open_rows()
        if turn == 1:
            of_row = np.repeat(np.arange(n), self.counts)
            bare = np.ones(n, bool)
            bare[of_row[of_row == self.indices]] = False
            alone = bare & self.outside(bare)
            if bare.any() and not alone.any():
                alone[int(self.rng.choice(np.flatnonzero(bare)))] = True
            if alone.any():
                return alone
        if turn == 2 and rows.any():
            fullest = int(np.argmax(np.where(rows, self.counts, -1)))
            if self.counts[fullest] > n // 2:
                return np.asarray(np.arange(n) == fullest)
        if turn % 2 == 0:
            return self._block(rows)
        return self._comb(rows)

    def _covering(self) -> Mask | None:
        """Greedily from the rows: each that is added adds its zeros, and takes columns away."""
        assert self._dense is not None
        weights, free = self._untested(), ~self._dense
        totals = weights.sum(axis=1)
        starts = np.argsort(-totals - self.rng.random(len(totals)))[:4]
        weightiest = np.argsort(-weights.max(axis=1, initial=0) - self.rng.random(len(totals)))[:3]
        best, most = None, 0
        for start in np.concatenate([starts, weightiest]):
            group = free[start].copy()
            while True:
                tested = ~self._dense[:, group].any(axis=1)
                together = weights[tested].sum(axis=0)
                gain = int(together[group].sum())
                gains = ((weights + together) * (free & group)).sum(axis=1)
                gains[tested] = 0
                added = int(np.argmax(gains))
                if gains[added] <= gain:
                    break
                group &= free[added]
            if gain > most:
                best, most = group, gain
        return best

    def _untested(self) -> NDArray[np.int64]:
        """A weight for each zero not tested yet: more where an entry might be expected."""
        assert self._dense is not None
        if self._zeros is None:
            self._zeros = ~self._dense
        if self._weights is None:
            self._weights = 1 + np.rint(1000 * _expected(self._dense) ** 8).astype(np.int64)
        return np.where(self._zeros, self._weights, 0)

    def _sampled(self, heavy: int) -> Mask | None:
        rows = self.open_rows()
        if heavy:
            rows &= self.counts >= heavy
        if not rows.any():
            return None
        for _ in range(2 * len(_STRATEGIES)):
            self._turn += 1
            group = _STRATEGIES[self._turn % len(_STRATEGIES)](self, rows)
            if group.any():
                return group
        return None

    def _light(self, rows: Mask) -> Mask:
        """Those of the rows that leave most columns free."""
        light = rows & (self.counts <= self.shape[1] // 4)
        return light if light.any() else rows

    def _block(self, rows: Mask) -> Mask:
        """Protect one half of the rows, and move what it does not meet."""
        m = len(rows)
        self._halves += 1
        shift = int(self.rng.integers(m)) if self._halves % 4 > 1 else 0
        within = (np.arange(m) + shift) % m < m // 2
        return self.outside(self._light(rows) & (within if self._halves % 2 else ~within))

    def _stripes(self, rows: Mask) -> Mask:
        """Protect blocks of rows of a random size, with as many in between."""
        m = len(rows)
        entries = max(1.0, float(self.counts[rows].mean()))
        low, high = np.log2(2 * entries + 1), np.log2(max(m, 4 * entries + 2))
        size = int(2 ** self.rng.uniform(low, high))
        shift = int(self.rng.integers(2 * size))
        return self.outside(self._light(rows) & ((np.arange(m) + shift) // size % 2 == 0))

    def _comb(self, rows: Mask) -> Mask:
        """Protect every q-th row, of about as many as leave half of the columns free."""
        entries = max(1.0, float(np.median(self.counts[rows])))
        step = int(np.ceil(self.rng.uniform(1.0, 3.0) * entries)) + 1
        chosen = np.zeros(len(rows), bool)
        chosen[int(self.rng.integers(step)) :: step] = True
        return self.outside(self._light(rows) & chosen)

    def _scattered(self, rows: Mask) -> Mask:
        """Protect random rows, so many that most columns are met by one of them or none."""
        entries = max(1.0, float(np.mean(self.counts[rows])))
        share = self.shape[1] / len(rows) / (entries + 1)
        return self.outside(self._light(rows) & (self.rng.random(len(rows)) < share))

    def _random(self, rows: Mask) -> Mask:
        """Move random columns, so many that a row of the usual count is missed by chance."""
        entries = float(np.median(self.counts[rows]))
        return self.rng.random(self.shape[1]) < 1 / (entries + 1)

    def _single(self, rows: Mask) -> Mask:
        """Protect one row."""
        chosen = np.zeros(len(rows), bool)
        chosen[int(self.rng.choice(np.flatnonzero(rows)))] = True
        return self.outside(chosen)


_STRATEGIES: tuple[Callable[[Pattern, Mask], Mask], ...] = (
    Pattern._block,
    Pattern._comb,
    Pattern._random,
    Pattern._block,
    Pattern._stripes,
    Pattern._single,
    Pattern._scattered,
)


def _expected(entries: Mask) -> NDArray[np.float64]:
    """How full the row, the column, the diagonal or the surroundings of each place are."""
    m, n = entries.shape
    framed = np.pad(entries, 1, constant_values=True).astype(float)
    around = framed[:-2, 1:-1] + framed[2:, 1:-1] + framed[1:-1, :-2] + framed[1:-1, 2:]
    offset = np.arange(n)[None, :] - np.arange(m)[:, None] + m - 1
    there = np.bincount(offset.ravel(), entries.ravel(), m + n - 1)
    lengths = np.bincount(offset.ravel(), minlength=m + n - 1)
    diagonal = np.where(lengths > 2, there / lengths, 0)[offset]
    rows, columns = entries.mean(axis=1)[:, None], entries.mean(axis=0)[None, :]
    return np.asarray(np.maximum(np.maximum(around / 4, diagonal), np.maximum(rows, columns)))


def residuals(
    indptr: NDArray[np.intp],
    indices: NDArray[np.intp],
    moves: NDArray[Any],
    changes: NDArray[Any],
) -> NDArray[np.float64]:
    """What is left of each row's changes when its own entries have explained all they can.

    The changes of row i along the moves V, shape (P, n), are ``V[:, columns] @ entries`` for
    small moves.  With fewer than P entries that is a linear system with more equations than
    unknowns, which has a solution only if no entry was lost.

    Parameters
    ----------
    indptr, indices : array
        The pattern, in the columns that the moves have.
    moves : array, shape (P, n)
    changes : array, shape (P, m)

    Returns
    -------
    array, shape (m,)
        The norm of the residual; zero for rows of P entries and more.

    Examples
    --------
    One row, of which the entry in column 1 is missing:

    >>> moves = np.array([[1.0, 0.5], [-0.5, 1.0]])
    >>> round(float(residuals([0, 1], np.array([0]), moves, moves @ [[3.0], [2.0]])[0]), 6)
    2.236068
    """
    probes, rows = changes.shape
    indptr = np.asarray(indptr)
    counts, left = np.diff(indptr), np.zeros(rows)
    for count in np.unique(counts[counts < probes]):
        chosen = np.flatnonzero(counts == count)
        piece = max(1, _CHUNK // (probes * max(int(count), 1)))
        for start in range(0, len(chosen), piece):
            these = chosen[start : start + piece]
            places = indptr[these][:, None] + np.arange(count)
            basis = [moves[:, indices[places[:, k]]] for k in range(count)]
            rest = changes[:, these].copy()
            # modified Gram-Schmidt, for all of these rows at once
            for k, vector in enumerate(basis):
                size = np.sqrt((vector**2).sum(axis=0))
                unit = vector / np.where(size > 0, size, 1)
                rest -= unit * (unit * rest).sum(axis=0)
                for other in basis[k + 1 :]:
                    other -= unit * (unit * other).sum(axis=0)
            left[these] = np.sqrt((np.abs(rest) ** 2).sum(axis=0))
    return left
