"""Where each entry stands in the compressed matrix, and whether it stands there alone.

Contract: a matrix with a given pattern is multiplied with one vector a color.  An entry is
recovered *directly* where its row has no other entry of its column's color (or its column none
of its row's color), and *by substitution* where the others have been recovered before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components
from scipy.sparse.linalg import splu

from sparsetrace.coloring.first_fit import Ints

__all__ = [
    "Substitution",
    "check_symmetric",
    "direct_by_columns",
    "direct_by_rows",
    "needed_colors",
    "row_ids",
    "substitution",
    "transposed_places",
]

Mask = NDArray[np.bool_]


def row_ids(pattern: csr_array) -> Ints:
    """The row of each entry."""
    ids: Ints = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    return ids


def transposed_places(pattern: csr_array) -> Ints:
    """For each entry (i, j), in the order of columns and their rows, its place in the rows.

    Of a symmetric pattern this is the place of (j, i), for each entry (i, j) in rows.
    """
    places = csr_array(
        (np.arange(pattern.nnz), pattern.indices, pattern.indptr), shape=pattern.shape
    )
    transposed: Ints = places.tocsc().data
    return transposed


def check_symmetric(pattern: csr_array) -> None:
    """Refuse a pattern that is not its own transpose.

    Raises
    ------
    ValueError
        With an entry whose mirror image is missing.
    """
    rows, columns = pattern.shape
    if rows != columns:
        raise ValueError(f"the pattern of a symmetric matrix is square, not {rows} x {columns}")
    transposed = pattern.tocsc()
    transposed.sort_indices()
    if np.array_equal(transposed.indptr, pattern.indptr) and np.array_equal(
        transposed.indices, pattern.indices
    ):
        return
    only = (pattern.astype(np.int8) - pattern.T.astype(np.int8)).tocoo()
    first = int(np.argmax(only.data > 0))
    row, column = only.row[first], only.col[first]
    raise ValueError(
        f"the pattern is not symmetric: it has ({row}, {column}), but not ({column}, {row})"
    )


def direct_by_columns(pattern: csr_array, colors: Ints, kind: str) -> tuple[Ints, Any]:
    """Each entry's color by its column, and whether no other in its row has that."""
    if kind == "rows":
        return np.full(pattern.nnz, -1), np.zeros(pattern.nnz, dtype=np.bool_)
    of_entries = colors[pattern.indices]
    count = int(colors.max(initial=-1)) + 1
    return of_entries, _alone_in_row(row_ids(pattern), of_entries, pattern.shape[0], count)


def direct_by_rows(pattern: csr_array, colors: Ints) -> tuple[Ints, Any]:
    """Each entry's color by its row, and whether no other in its column has that."""
    of_entries = colors[row_ids(pattern)]
    count = int(colors.max(initial=-1)) + 1
    return of_entries, _alone_in_row(pattern.indices, of_entries, pattern.shape[1], count)


def _alone_in_row(rows: Ints, colors: Ints, num_rows: int, num_colors: int) -> Mask:
    """Whether an entry's color is that of no other entry in its row; color -1 never is.

    Parameters
    ----------
    rows, colors : array of int
        Of each entry.
    """
    keys = rows.astype(np.int64) * (num_colors + 1) + colors + 1
    size = num_rows * (num_colors + 1)
    if size <= 8 * len(keys) + 10**6:
        alone = np.bincount(keys, minlength=size)[keys] == 1
    else:
        _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
        alone = counts[inverse] == 1
    result: Mask = alone & (colors >= 0)
    return result


def needed_colors(first: Ints, second: Ints, num_colors: int) -> Mask:
    """Which colors suffice, if each entry can be recovered through either of two.

    Colors that some entry has alone are needed; of the pairs that are left, the colors that
    occur in most come first (a greedy vertex cover).

    Parameters
    ----------
    first, second : array of int
        For each entry a color, or -1.  No entry has -1 twice.
    """
    needed = np.zeros(num_colors, dtype=np.bool_)
    needed[first[second < 0]] = True
    needed[second[first < 0]] = True
    open_ = (first >= 0) & (second >= 0)
    open_ &= ~(needed[first] | needed[second])
    keys = np.unique(first[open_].astype(np.int64) * num_colors + second[open_])
    pairs = np.stack(np.divmod(keys, max(num_colors, 1)), axis=1)
    while len(pairs):
        needed[np.argmax(np.bincount(pairs.ravel(), minlength=num_colors))] = True
        pairs = pairs[~needed[pairs].any(axis=1)]
    return needed


@dataclass(frozen=True)
class Substitution:
    """The order in which the entries of a symmetric matrix follow from each other.

    The edges between two colors make trees.  An edge stands alone in the product of its vertex
    away from the root, but for the edges to that vertex's own children.
    """

    places: Ints
    """For each edge, where the product with its color stands, in the compressed matrix."""
    edges: Ints
    """For each entry off the diagonal its edge."""
    off_diagonal: Mask
    children: csc_array
    """Edges by edges: the identity, and ones where an edge is subtracted from another."""

    def solve(self, products: NDArray[Any]) -> NDArray[Any]:
        """The value of each edge, from its product."""
        if not len(products):
            return products
        if np.iscomplexobj(products):
            return self.solve(products.real) + 1j * self.solve(products.imag)
        factors = splu(
            self.children,
            permc_spec="NATURAL",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        values: NDArray[Any] = factors.solve(products.astype(np.float64, copy=False))
        return values


def substitution(pattern: csr_array, colors: Ints, num_colors: int) -> Substitution | None:
    """How to recover a symmetric matrix from one product a color; None where that is not possible.

    Source: Gebremedhin, Tarafdar, Pothen and Walther 2009, "Efficient computation of sparse
    Hessians using coloring and automatic differentiation", section 4.
    """
    rows, columns = row_ids(pattern), pattern.indices
    if (colors[rows] < 0).any():
        return None
    off_diagonal = rows != columns
    if (colors[rows] == colors[columns])[off_diagonal].any():
        return None
    # a vertex is one node for each color that its neighbors have
    keys = rows.astype(np.int64) * num_colors + colors[columns]
    unique, nodes = np.unique(keys[off_diagonal], return_inverse=True)
    node_of_entry = np.full(len(rows), -1)
    node_of_entry[off_diagonal] = nodes
    other_of_entry = node_of_entry[transposed_places(pattern)]
    nodes, others = node_of_entry[off_diagonal], other_of_entry[off_diagonal]
    count = len(unique)
    trees = csr_array((np.ones(len(nodes)), (nodes, others)), shape=(count, count))
    num_trees, tree = connected_components(trees, directed=False)
    if count - num_trees != len(nodes) // 2:
        return None
    _, roots = np.unique(tree, return_index=True)
    from_all = csr_array(
        (
            np.ones(len(nodes) + num_trees),
            (
                np.concatenate([nodes, np.full(num_trees, count)]),
                np.concatenate([others, roots]),
            ),
        ),
        shape=(count + 1, count + 1),
    )
    visited, parents = breadth_first_order(from_all, count)
    edge_of_node = np.full(count + 1, -1)
    below = visited[parents[visited] < count][::-1]  # children before their parents
    below = below[parents[below] >= 0]
    edge_of_node[below] = np.arange(len(below))
    parent_edges = edge_of_node[parents[below]]
    has_parent = parent_edges >= 0
    ones = np.ones(len(below) + int(has_parent.sum()))
    places = np.concatenate([np.arange(len(below)), parent_edges[has_parent]])
    children = csc_array(
        (ones, (places, np.concatenate([np.arange(len(below)), np.flatnonzero(has_parent)]))),
        shape=(len(below), len(below)),
    )
    upward = parents[nodes] == others
    edges = edge_of_node[np.where(upward, nodes, others)]
    return Substitution(unique[below], edges, off_diagonal, children)
