"""Hessian entries as sorted keys: every product is written out, then made distinct.

Contract: same answer as every store.  Products of one shape are expanded together, in
chunks of bounded memory; only the upper triangle is kept until the end.  Where the Hessian is
small beside that, its entries are marked in a Boolean matrix rather than gathered.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sparsetrace.propagation.hessian_stores.outer_products import Products, assembled, marked
from sparsetrace.propagation.jacobian_stores.tables import distinct, marks

__all__ = ["solve"]

_CHUNK = 2**18
"""Entries expanded at a time."""
_FEW = 8
"""So many widths are looked for one by one."""
_NARROW = 8
"""Up to this width rows are gathered column by column."""
_KEPT = 2**24
"""Keys gathered before repetitions are dropped for the first time."""

Ints = NDArray[np.integer]
Keys = NDArray[np.int64]


def _groups(
    *widths: NDArray[np.int64],
) -> Iterator[tuple[tuple[int, ...], NDArray[np.integer]]]:
    """The places at which the widths are the same, widths of zero left out."""
    if not len(widths[0]):
        return
    firsts = [int(w[0]) for w in widths]
    if all(bool((w == first).all()) for w, first in zip(widths, firsts, strict=True)):
        if all(firsts):
            yield tuple(firsts), np.arange(len(widths[0]))
        return
    key = widths[0]
    for width in widths[1:]:
        key = key * (int(width.max()) + 1) + width
    for places in _alike(key):
        shape = tuple(int(w[places[0]]) for w in widths)
        if all(shape):
            yield shape, places


def _alike(key: NDArray[np.int64]) -> Iterator[NDArray[np.integer]]:
    """The places of each number."""
    if int(key.max()) <= len(key):
        found = np.flatnonzero(np.bincount(key))
        if len(found) <= _FEW:
            yield from (np.flatnonzero(key == number) for number in found)
            return
    order = np.argsort(key, kind="stable")
    cuts = np.flatnonzero(np.diff(key[order])) + 1
    yield from np.split(order, cuts)


class _Entries:
    """Distinct entries of the upper triangle, gathered piece by piece."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.bits = max(n - 1, 1).bit_length()
        self.diagonal = np.zeros(n, bool)
        self.pieces: list[Keys] = []
        self.total, self.most = 0, _KEPT

    def above(self, low: Ints, high: Ints) -> None:
        """Entries whose rows `low` are below their columns `high`."""
        self.pieces.append((low.astype(np.int64) << self.bits) | high)
        self.total += len(low)
        if self.total > self.most:
            self.pieces = [self._distinct()]
            self.total = len(self.pieces[0])
            self.most = max(_KEPT, 2 * self.total)  # each key is sorted a few times at the most

    def add(self, a: Ints, b: Ints) -> None:
        """Entries anywhere."""
        low, high = np.minimum(a, b), np.maximum(a, b)
        same = low == high
        if same.any():
            self.diagonal[low[same]] = True
            low, high = low[~same], high[~same]
        if len(low):
            self.above(low, high)

    def _distinct(self) -> Keys:
        keys = np.concatenate(self.pieces) if len(self.pieces) != 1 else self.pieces[0]
        if len(keys) > 1 and not (keys[1:] > keys[:-1]).all():
            keys = distinct(keys, self.n << self.bits)
        return keys

    def csr(self) -> tuple[Ints, Ints]:
        keys = self._distinct() if self.pieces else np.zeros(0, np.int64)
        self.pieces = []
        rows = (keys >> self.bits).astype(np.int32)
        columns = (keys & ((1 << self.bits) - 1)).astype(np.int32)
        return assembled(self.n, rows, columns, self.diagonal)


class _Marks:
    """The same as marks in a matrix, of both triangles."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.flags = np.zeros((n, n), bool)
        self.diagonal = self.flags.reshape(-1)[:: n + 1]

    def add(self, a: Ints, b: Ints) -> None:
        """Entries anywhere."""
        self.flags.reshape(-1)[a * np.int64(self.n) + b] = True

    above = add

    def csr(self) -> tuple[Ints, Ints]:
        return marked(self.flags)


def _square(entries: _Entries | _Marks, wide: NDArray[np.integer]) -> None:
    """All pairs within each row of a table of sorted rows."""
    entries.diagonal[wide] = True
    width = wide.shape[1]
    if width == 1:
        return
    if width <= 4:
        for i in range(width - 1):
            for j in range(i + 1, width):
                entries.above(wide[:, i], wide[:, j])
        return
    low, high = np.triu_indices(width, 1)
    step = max(1, _CHUNK // len(low))
    for start in range(0, len(wide), step):
        group = wide[start : start + step]
        entries.above(group[:, low].reshape(-1), group[:, high].reshape(-1))


def _cross(
    entries: _Entries | _Marks, left: NDArray[np.integer], right: NDArray[np.integer]
) -> None:
    """All pairs of an element of a row of `left` with one of the same row of `right`."""
    size = left.shape[1] * right.shape[1]
    step = max(1, _CHUNK // size)
    for start in range(0, len(left), step):
        shape = (min(step, len(left) - start), left.shape[1], right.shape[1])
        a = np.broadcast_to(left[start : start + step, :, None], shape).reshape(-1)
        b = np.broadcast_to(right[start : start + step, None, :], shape).reshape(-1)
        entries.add(a, b)


def solve(products: Products) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """The Hessian's pattern as CSR index arrays.

    Examples
    --------
    >>> none = np.zeros(0, int)
    >>> products = Products(
    ...     3, np.array([0, 2, 3]), np.array([0, 1, 2]), np.array([0]), np.array([0]), np.array([1])
    ... )
    >>> indptr, indices = solve(products)
    >>> indptr.tolist(), indices.tolist()
    ([0, 3, 6, 8], [0, 1, 2, 0, 1, 2, 0, 1])
    """
    entries: _Entries | _Marks = _Entries(products.n)
    if marks(products.work, products.n**2):
        entries = _Marks(products.n)
    counts, starts = products.counts, products.indptr[:-1]

    def table(rows: NDArray[np.integer], width: int) -> NDArray[np.integer]:
        first = starts[rows]
        if len(rows) and bool((first[1:] - first[:-1] == width).all()):
            entries_of_rows = products.indices[int(first[0]) : int(first[0]) + width * len(rows)]
            return entries_of_rows.reshape(len(rows), width)
        if width > _NARROW:
            return np.asarray(products.indices[first[:, None] + np.arange(width)])
        result = np.empty((width, len(rows)), products.indices.dtype)
        for j in range(width):
            result[j] = products.indices[first + j]
        return result.T

    for rows in _portions(products.cliques, 1):
        for (width,), places in _groups(counts[rows]):
            for some in _portions(places, width):
                _square(entries, table(rows[some], width))
    for rows, others in zip(
        *(_portions(x, 1) for x in (products.left, products.right)), strict=True
    ):
        for (wide, other), places in _groups(counts[rows], counts[others]):
            for some in _portions(places, max(wide, other)):
                _cross(entries, table(rows[some], wide), table(others[some], other))
    return entries.csr()


def _portions(places: NDArray[np.integer], width: int) -> Iterator[NDArray[np.integer]]:
    step = max(1, _CHUNK // width)
    for lo in range(0, len(places), step):
        yield places[lo : lo + step]
