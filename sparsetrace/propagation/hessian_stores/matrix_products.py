"""The Hessian as a product of Boolean matrices, or as marks in one that is small.

Contract: same answer as every store.  With the left factors as the rows of P and the right ones as
those of Q the Hessian is ``P.T @ Q``, for which SciPy has compiled code.  Where a matrix of n x n
marks is small beside the entries, products of one shape are expanded together and marked, in
chunks of bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sparsetrace.propagation.hessian_stores.outer_products import Products, marked
from sparsetrace.propagation.jacobian_stores.tables import marks

__all__ = ["solve", "uses_marks"]

_CHUNK = 2**18
"""Entries expanded at a time."""
_ROWS = 2**15
"""Rows of patterns that are looked at at a time: what is made of them stays in the cache."""
_NEAR = 2**22
"""Marks that a processor's cache holds."""
_FEW = 8
"""So many widths are looked for one by one."""
_NARROW = 8
"""Up to this width rows are gathered column by column."""
_WIDE = 512
"""Beyond this width each row is marked on its own."""

Ints = NDArray[np.integer]
Flags = NDArray[np.bool_]


def uses_marks(products: Products) -> bool:
    """Whether entries are marked in a matrix."""
    cells = products.n**2
    return cells <= max(_NEAR, products.work) and marks(products.work, cells)


def solve(products: Products) -> tuple[Ints, Ints]:
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
    return _marked(products) if uses_marks(products) else _multiplied(products)


def _multiplied(products: Products) -> tuple[Ints, Ints]:
    narrow = len(products.indices) <= np.iinfo(np.int32).max  # SciPy wants both of one type
    bounds = products.indptr.astype(np.int32) if narrow else products.indptr
    shape = len(bounds) - 1, products.n
    factors = csr_array((np.ones(len(products.indices), bool), products.indices, bounds), shape)
    left = np.concatenate([products.cliques, products.left, products.right])
    right = np.concatenate([products.cliques, products.right, products.left])
    first = factors[left]
    second = factors[right] if len(products.left) else first
    hessian = (first.T.tocsr() @ second).tocsc()  # symmetric, and now each row is sorted
    return hessian.indptr, hessian.indices


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


def _square(flags: Flags, n: int, wide: Ints) -> None:
    """Mark all pairs within each row of a table of sorted rows, above the diagonal or on it."""
    if wide.shape[1] > _WIDE:
        for row in wide:
            flags.reshape(n, n)[np.ix_(row, row)] = True
        return
    low, high = np.triu_indices(wide.shape[1])
    if len(low) <= _FEW:
        for i, j in zip(low.tolist(), high.tolist(), strict=True):
            flags[wide[:, i] * np.int64(n) + wide[:, j]] = True
        return
    step = max(1, _CHUNK // len(low))
    for start in range(0, len(wide), step):
        group = wide[start : start + step]
        flags[group[:, low] * np.int64(n) + group[:, high]] = True


def _cross(flags: Flags, n: int, left: Ints, right: Ints) -> None:
    """Mark all pairs of an element of a row of `left` with one of the same row of `right`."""
    step = max(1, _CHUNK // (left.shape[1] * right.shape[1]))
    for start in range(0, len(left), step):
        some = slice(start, start + step)
        flags[left[some, :, None] * np.int64(n) + right[some, None, :]] = True


def _marked(products: Products) -> tuple[Ints, Ints]:
    n = products.n
    flags = np.zeros(n * n, bool)
    counts, starts = products.counts, products.indptr[:-1]

    def table(rows: Ints, width: int) -> Ints:
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

    for rows in _portions(products.cliques, _ROWS):
        for (width,), places in _groups(counts[rows]):
            for some in _portions(places, _CHUNK // width):
                _square(flags, n, table(rows[some], width))
    for rows, others in zip(
        *(_portions(x, _ROWS) for x in (products.left, products.right)), strict=True
    ):
        for (wide, other), places in _groups(counts[rows], counts[others]):
            for some in _portions(places, _CHUNK // max(wide, other)):
                _cross(flags, n, table(rows[some], wide), table(others[some], other))
    return marked(flags.reshape(n, n))


def _portions(places: NDArray[np.integer], size: int) -> Iterator[NDArray[np.integer]]:
    step = max(1, size)
    for lo in range(0, len(places), step):
        yield places[lo : lo + step]
