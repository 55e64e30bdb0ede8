"""Which vertices must get different colors: as cliques, one row each.

Contract: every function gives a csr_array of shape (cliques, vertices); a coloring in which no
clique has one color twice is one of the kind that the function is named for.  ``rank`` is a
place for each vertex, and says which of two vertices is the earlier.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from sparsetrace.coloring.first_fit import Ints

__all__ = ["bicoloring_cliques", "edge_cliques", "sorted_pattern", "star_cliques", "tree_cliques"]

_MOST_COPIES = 8
"""A vertex's early neighbors are written once for each late one, up to so many times."""


def sorted_pattern(pattern: object) -> csr_array:
    """The entries of a sparse or dense array, in rows with sorted columns, each once.

    Stored zeros of a sparse array are entries: they are part of its structure.
    """
    entries = csr_array(pattern)
    if entries.ndim != 2:
        raise ValueError(f"a pattern has two dimensions, not {entries.ndim}")
    if not entries.has_canonical_format:
        entries = csr_array(entries, copy=True)
        entries.sum_duplicates()
    return _ones(entries.indptr, entries.indices, entries.shape)


def edge_cliques(pattern: csr_array) -> csr_array:
    """Neighbors differ: each edge of the adjacency graph is a clique."""
    rows = _rows(pattern)
    upper = rows < pattern.indices
    ends = np.stack([rows[upper], pattern.indices[upper]], axis=1)
    return _ones(np.arange(0, ends.size + 1, 2), ends.ravel(), (len(ends), pattern.shape[1]))


def star_cliques(pattern: csr_array, rank: Ints) -> csr_array:
    """No path over four vertices has two colors (direct recovery of a symmetric matrix).

    Of a vertex's neighbors two may have the same color only if both come after it.  Then there is
    no path a-b-c-d with colors 1-2-1-2: b would come before c, and c before b.

    A vertex without earlier neighbors needs no clique: its later neighbors have it in theirs.
    """
    return _split_cliques(pattern, rank, rank, with_vertex=True)


def tree_cliques(pattern: csr_array, rank: Ints) -> csr_array:
    """No cycle has two colors (recovery of a symmetric matrix by substitution).

    A vertex and its earlier neighbors differ, so the last vertex of a cycle has two neighbors of
    different colors (the triangular coloring of Coleman and More 1984, "Estimation of sparse
    Hessian matrices and graph coloring problems", section 5).
    """
    rows = _rows(pattern)
    earlier = rank[pattern.indices] < rank[rows]
    counts = np.bincount(rows[earlier], minlength=pattern.shape[0])
    return _joined(counts, pattern.indices[earlier], np.flatnonzero(counts), None, pattern.shape[1])


def bicoloring_cliques(
    pattern: csr_array, row_rank: Ints, column_rank: Ints
) -> tuple[csr_array, csr_array]:
    """Cliques of columns and of rows, for recovery from products from both sides.

    The star coloring of the bipartite graph of rows and columns, whose colors never meet.
    """
    columns = _split_cliques(pattern, row_rank, column_rank, with_vertex=False)
    transposed = sorted_pattern(pattern.T)
    return columns, _split_cliques(transposed, column_rank, row_rank, with_vertex=False)


def _split_cliques(
    pattern: csr_array, row_rank: Ints, column_rank: Ints, *, with_vertex: bool
) -> csr_array:
    """For each row its early columns, once with each late one."""
    rows, columns = _rows(pattern), pattern.indices
    other = rows != columns if with_vertex else np.ones(len(rows), dtype=np.bool_)
    early = other & (column_rank[columns] < row_rank[rows])
    late = other & ~early
    size = pattern.shape[0]
    early_counts = np.bincount(rows[early], minlength=size)
    late_counts = np.bincount(rows[late], minlength=size)
    many = early_counts * late_counts > _MOST_COPIES * (early_counts + late_counts)
    parted = late & (early_counts > 0)[rows] & ~many[rows]
    single = np.flatnonzero((early_counts > 0) & (late_counts == 0))
    owners = np.concatenate([rows[parted], single])
    last = np.concatenate([columns[parted], np.full(len(single), -1)])
    early_columns = columns[early]
    cliques = _joined(
        early_counts, early_columns, owners, last, pattern.shape[1], with_vertex=with_vertex
    )
    if not many.any():
        return cliques
    whole = other & many[rows]  # more must differ than need to, in less memory
    whole_counts = np.bincount(rows[whole], minlength=size)
    more = _joined(
        whole_counts,
        columns[whole],
        np.flatnonzero(many),
        None,
        pattern.shape[1],
        with_vertex=with_vertex,
    )
    indptr = np.concatenate([cliques.indptr, more.indptr[1:] + cliques.nnz])
    indices = np.concatenate([cliques.indices, more.indices])
    return _ones(indptr, indices, (len(indptr) - 1, pattern.shape[1]))


def _joined(
    counts: Ints,
    members: Ints,
    owners: Ints,
    last: Ints | None,
    vertices: int,
    *,
    with_vertex: bool = True,
) -> csr_array:
    """A clique for each owner: its members, itself if asked for, and a last one if not negative.

    Parameters
    ----------
    counts, members : array of int
        The members of all owners, one after the other, and how many each has.
    """
    starts = np.cumsum(counts) - counts
    lengths = counts[owners]
    extra = [owners] if with_vertex else []
    sizes = lengths + len(extra)
    if last is not None:
        sizes = sizes + (last >= 0)
    indptr = np.zeros(len(owners) + 1, dtype=np.intp)
    np.cumsum(sizes, out=indptr[1:])
    indices = np.empty(indptr[-1], dtype=np.intp)
    before = np.cumsum(lengths) - lengths
    inside = np.arange(int(lengths.sum())) - np.repeat(before, lengths)
    indices[np.repeat(indptr[:-1], lengths) + inside] = members[
        np.repeat(starts[owners], lengths) + inside
    ]
    if with_vertex:
        indices[indptr[:-1] + lengths] = owners
    if last is not None:
        has_last = last >= 0
        indices[indptr[1:][has_last] - 1] = last[has_last]
    return _ones(indptr, indices, (len(owners), vertices))


def _rows(pattern: csr_array) -> Ints:
    rows: Ints = np.repeat(
        np.arange(pattern.shape[0], dtype=pattern.indices.dtype), np.diff(pattern.indptr)
    )
    return rows


def _ones(indptr: Ints, indices: Ints, shape: tuple[int, int]) -> csr_array:
    if max(len(indices), *shape) < np.iinfo(np.int32).max:
        indptr, indices = indptr.astype(np.int32, copy=False), indices.astype(np.int32, copy=False)
    return csr_array((np.ones(len(indices), dtype=np.bool_), indices, indptr), shape=shape)
