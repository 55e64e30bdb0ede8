"""The block triangular form of square matrices, known by where they are not zero.

Contract: row i of a matrix determines unknown j, where rows and columns are matched so that no
element between them is zero (a maximum matching).  Unknowns that need each other form a
*component*: the strong components of the graph in which an unknown leads to all others in
its row.  They are numbered so that each needs only itself and earlier ones (Duff, Erisman &
Reid, "Direct Methods for Sparse Matrices", 2017, chapter 6).  A batch of matrices is one
block-diagonal matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

__all__ = ["Components", "Index", "Mask", "block_triangular_form", "structural_rank"]

Index = NDArray[np.integer[Any]]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Components:
    """The block triangular form of a batch of matrices.

    Attributes
    ----------
    count : int
    of_unknown, of_row : ndarray of int
        The component that each unknown belongs to, and the one that each equation does.
    singular : ndarray of bool
        The matrices that are singular whatever their non-zeros are; each is one component,
        since nothing is known of its solutions.
    child, parent : ndarray of int
        Pairs of components of which the first needs the second, in ascending order, less
        those that follow from others.
    """

    count: int
    of_unknown: Index
    of_row: Index
    singular: Mask
    child: Index
    parent: Index

    @property
    def triangular(self) -> bool:
        """Whether rows and columns can be permuted so that all matrices are triangular."""
        return self.count == len(self.of_unknown) and not self.singular.any()

    def given_on(self, marked: Mask) -> Mask:
        """Marks ``(count, k)`` of components, with those that they reach their marks from."""
        if not len(self.child) or marked.all():
            return marked
        packed = np.packbits(marked, axis=1)
        count, width = packed.shape
        sets = (
            [int.from_bytes(row, "big") for row in packed] if width > 1 else packed[:, 0].tolist()
        )
        for child, parent in zip(self.child.tolist(), self.parent.tolist(), strict=True):
            sets[child] |= sets[parent]
        data = b"".join(s.to_bytes(width, "big") for s in sets) if width > 1 else bytes(sets)
        bits = np.frombuffer(data, np.uint8).reshape(count, width)
        return np.unpackbits(bits, axis=1, count=marked.shape[1]).astype(bool)


def block_triangular_form(batch: int, size: int, rows: Index, columns: Index) -> Components:
    """The block triangular form of a block-diagonal matrix with these non-zeros.

    Examples
    --------
    >>> block_triangular_form(1, 3, np.array([0, 1, 1, 2, 2]), np.array([2, 0, 2, 1, 2])).of_unknown
    array([1, 2, 0], dtype=int32)
    """
    total = batch * size
    singular = np.zeros(batch, bool)
    item = np.arange(total) // max(size, 1)
    if len(rows) == total * size:  # full matrices
        none = np.zeros(0, np.int64)
        return Components(batch, item, item, singular, none, none)
    unknown_of = _matching(total, rows, columns)
    singular[item[unknown_of < 0]] = True
    if singular.any():
        unknown_of = np.where(singular[item], np.arange(total), unknown_of)
        regular = ~singular[item[rows]]
        rows, columns = rows[regular], columns[regular]
    unknowns = unknown_of[rows]
    count, label = scipy.sparse.csgraph.connected_components(
        _ones(total, unknowns, columns), connection="strong"
    )
    if not (label[columns] <= label[unknowns]).all():  # unlike Pearce's algorithm in SciPy
        count, label = batch, item
    if singular.any():  # all of its unknowns belong to the component of its first one
        label = np.where(singular[item], label[item * size], label)
    child, parent = label[unknowns], label[columns]
    outside = child != parent
    edges = _without_detours(count, child[outside], parent[outside])
    return Components(count, label, label[unknown_of], singular, *edges)


def _matching(total: int, rows: Index, columns: Index) -> Index:
    """For each row the unknown that it determines; negative where there is none."""
    diagonal = np.zeros(total, bool)
    diagonal[rows[rows == columns]] = True
    if diagonal.all():
        return np.arange(total)
    matched: Index = scipy.sparse.csgraph.maximum_bipartite_matching(
        _ones(total, rows, columns), perm_type="column"
    )
    return matched


def _ones(total: int, rows: Index, columns: Index) -> Any:
    """A matrix of ones, with the indices that ``csgraph`` takes in every release."""
    places = rows.astype(np.int32), columns.astype(np.int32)
    return scipy.sparse.csr_array((np.ones(len(rows), np.int8), places), shape=(total, total))


def _without_detours(count: int, child: Index, parent: Index) -> tuple[Index, Index]:
    """Distinct pairs, less those that the child's last parent stands for.

    ``1 <- 0, 2 <- 0, 2 <- 1  ->  1 <- 0, 2 <- 1``
    """
    if not len(child):
        return child, parent
    pairs = np.sort(child.astype(np.int64) * count + parent)
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    child, parent = pairs // count, pairs % count
    last = np.zeros(count, np.int64)
    np.maximum.at(last, child, parent)
    through = last[child] * count + parent
    place = np.searchsorted(pairs, through).clip(0, len(pairs) - 1)
    kept = pairs[place] != through
    return child[kept], parent[kept]


def structural_rank(mask: Mask) -> int:
    """The rank of a matrix that is non-zero at `mask`, for most values of its elements.

    Examples
    --------
    >>> structural_rank(np.array([[1, 1, 1], [1, 0, 0], [1, 0, 0]], bool))
    2
    """
    if mask.all():
        return min(len(mask), len(mask.T))
    matched = scipy.sparse.csgraph.maximum_bipartite_matching(scipy.sparse.csr_array(mask))
    return int(np.count_nonzero(matched >= 0))
