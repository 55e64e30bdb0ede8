"""What a Hessian store is given: patterns, and which of them are multiplied.

Contract: index arrays alone.  The Hessian is the union of ``p x p`` over the cliques
and of ``p x q`` and ``q x p`` over the pairs, p and q being rows of one CSR pattern.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Products", "marked"]

_CELLS = 2**20
"""Of a Boolean matrix, looked at at a time."""
_THIN = 8
"""With less than one mark in so many cells, the marks are found one by one."""


@dataclass
class Products:
    """Patterns and their products.

    Attributes
    ----------
    n : int
        Number of inputs: the Hessian is n x n.
    indptr, indices : ndarray
        The patterns, a CSR row each, sorted.
    cliques : ndarray of int, shape (c,)
        Rows that are multiplied with themselves.
    left, right : ndarray of int, shape (p,)
        Rows that are multiplied with each other.
    """

    n: int
    indptr: NDArray[np.integer]
    indices: NDArray[np.integer]
    cliques: NDArray[np.integer]
    left: NDArray[np.integer]
    right: NDArray[np.integer]

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Entries of each pattern."""
        return np.diff(self.indptr).astype(np.int64, copy=False)

    @cached_property
    def work(self) -> int:
        """Entries of all products, repetitions included."""
        squares = self.counts[self.cliques]
        crossed = self.counts[self.left] @ self.counts[self.right]
        return int(squares @ squares + squares.sum()) // 2 + int(crossed)


def marked(flags: NDArray[np.bool_]) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """CSR index arrays of a symmetric pattern, from a mark for each entry or its mirror image.

    Examples
    --------
    >>> indptr, indices = marked(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 1]], bool))
    >>> indptr.tolist(), indices.tolist()
    ([0, 1, 1, 3], [2, 0, 2])
    """
    n = len(flags)
    step = max(1, _CELLS // max(n, 1))
    indptr = np.zeros(n + 1, np.int64)
    for lo in range(0, n, step):
        rows = flags[lo : lo + step]
        rows |= flags[:, lo : lo + step].T
        counts = np.bitwise_count(np.packbits(rows, axis=1))
        indptr[lo + 1 : lo + 1 + step] = counts.sum(axis=1, dtype=np.int64)
    np.cumsum(indptr, out=indptr)
    indices = np.empty(int(indptr[-1]), np.int32)
    columns = np.broadcast_to(np.arange(n, dtype=np.int32), (min(step, n), n))
    for lo in range(0, n, step):
        rows = flags[lo : lo + step]
        begin, end = int(indptr[lo]), int(indptr[min(lo + step, n)])
        if (end - begin) * _THIN > rows.size:
            indices[begin:end] = columns[: len(rows)][rows]
        else:
            indices[begin:end] = np.flatnonzero(rows) % n
    return indptr, indices
