"""Systems of linear equations with a sparse matrix: what a solution depends on.

Contract: row i of the matrix says that unknown j depends on the right-hand side i and
on the row's other unknowns, where j is matched with i (a maximum matching of rows and
columns).  Unknowns that depend on each other both ways form a component; a component
depends on its own right-hand sides and on the components it reaches, and on nothing
else.  That is the pattern of the inverse of every matrix with these non-zeros, but for
accidental zeros (Gilbert, 1994, "Predicting structure in sparse matrix computations").

``[[2, 0], [1, 3]] x = [{0}, {1}]  ->  [{0}, {0, 1}]``
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, Ids, Rows
from sparsetrace.graph.interactions import Products

__all__ = ["solutions"]

Index = NDArray[np.integer[Any]]


def solutions(
    trace: Trace,
    rows: Index,
    columns: Index,
    entries: Ids | None,
    sides: Ids,
    vanishing: NDArray[np.bool_] | None = None,
) -> Ids:
    """What the solutions of a square system depend on.

    Parameters
    ----------
    trace : Trace
    rows, columns : ndarray of int
        Where the matrix is not zero.
    entries : ndarray of int32 or None
        The ids of these elements of the matrix; None if they are constants.
    sides : ndarray of int32, shape (n, k)
        The ids of the right-hand sides, one in each column.
    vanishing : ndarray of bool, optional
        Which entries are zero at the point of a local trace.

    Returns
    -------
    ndarray of int32, shape (n, k)

    Examples
    --------
    >>> from sparsetrace.propagation.jacobian import index_sets
    >>> trace = Trace(2)
    >>> lower = np.array([0, 1, 1]), np.array([0, 0, 1])
    >>> found = solutions(trace, *lower, None, trace.graph.inputs()[:, None])
    >>> index_sets(trace.graph, found[:, 0])
    [BitMap([0]), BitMap([0, 1])]
    """
    n, k = sides.shape
    if not n or not k:
        return sides.copy()
    edges = np.ones(len(rows), bool) if vanishing is None else ~vanishing
    unknown_of = _matching(n, rows[edges], columns[edges])
    label: Index = np.zeros(n, np.int64)
    count = 1
    if unknown_of is None:  # singular: nothing is known of the solution
        unknown_of = np.arange(n)
    else:
        label, count = _components(n, unknown_of[rows[edges]], columns[edges])
    owner = label[unknown_of[rows]]  # the component in which an entry is used
    needed = label[columns]
    outside = owner != needed
    own = [(label[unknown_of], sides)]
    if entries is not None:
        own.append((owner, np.broadcast_to(entries[:, None], (len(entries), k))))
    chained = outside & edges
    owners, ids = (np.concatenate(parts) for parts in zip(*own, strict=True))
    found = _united(trace, count, owners, ids, owner[chained], needed[chained])
    if entries is not None and trace.second_order:
        if not chained.any():  # else the unions are nodes of their own already
            found = np.where(found > OPAQUE, trace.graph.node(found), found)
        _multiply(trace, found, entries, owner, np.where(outside, needed, owner))
    if found.size and int(found.min()) <= OPAQUE:
        trace.graph.pure = False
    return found[label]


def _matching(n: int, rows: Index, columns: Index) -> Index | None:
    """For each row the unknown it determines; None if there is no such assignment."""
    diagonal = np.zeros(n, bool)
    diagonal[rows[rows == columns]] = True
    if diagonal.all():
        return np.arange(n)
    matrix = _edges(n, rows, columns)
    found: Index = scipy.sparse.csgraph.maximum_bipartite_matching(matrix, perm_type="column")
    return None if (found < 0).any() else found


def _edges(n: int, rows: Index, columns: Index) -> Any:
    """A matrix of ones, with the indices that ``csgraph`` takes in every release."""
    places = rows.astype(np.int32), columns.astype(np.int32)
    return scipy.sparse.csr_array((np.ones(len(rows), np.int8), places), shape=(n, n))


def _components(n: int, unknowns: Index, needed: Index) -> tuple[Index, int]:
    """The strong component of each unknown, numbered so that what is needed comes first."""
    edges = _edges(n, unknowns, needed)
    count, label = scipy.sparse.csgraph.connected_components(edges, connection="strong")
    if count == 1:
        return label, 1
    if (label[needed] <= label[unknowns]).all():  # as SciPy's algorithm (Pearce) numbers them
        return label, count
    return np.zeros(n, label.dtype), 1


def _united(trace: Trace, count: int, owner: Index, ids: Ids, child: Index, parent: Index) -> Ids:
    """Unions of the ids of each owner and of its parents' unions; shape ``(count, k)``."""
    k = ids.shape[1]
    # one node for each component and right-hand side, those of a component together
    target = (owner[:, None] * k + np.arange(k)).reshape(-1)
    source = ids.reshape(-1)
    if not trace.graph.pure:
        traced = source > OPAQUE
        target, source = target[traced], source[traced]
    if not len(child):
        order = np.argsort(target, kind="stable")
        indptr = np.zeros(count * k + 1, np.int64)
        np.cumsum(np.bincount(target, minlength=count * k), out=indptr[1:])
        return trace.graph.union_segments(indptr, source[order]).reshape(count, k)
    child, parent = _without_detours(count, child, parent)
    base = trace.graph._reserve(count * k)
    inner_target = (child[:, None] * k + np.arange(k)).reshape(-1)
    inner_source = (base + parent[:, None] * k + np.arange(k)).reshape(-1)
    target = np.concatenate([target, inner_target])
    source = np.concatenate([source, inner_source]).astype(np.int32)
    order = np.argsort(target, kind="stable")
    indptr = np.zeros(count * k + 1, np.int64)
    np.cumsum(np.bincount(target, minlength=count * k), out=indptr[1:])
    trace.graph.blocks.append(Rows(base, count * k, indptr, source[order], sequential=True))
    return np.arange(base, base + count * k, dtype=np.int32).reshape(count, k)


def _without_detours(count: int, child: Index, parent: Index) -> tuple[Index, Index]:
    """Distinct pairs, less those that the child's last parent stands for.

    ``1 <- 0, 2 <- 0, 2 <- 1  ->  1 <- 0, 2 <- 1``
    """
    pairs = np.sort(child.astype(np.int64) * count + parent)
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    child, parent = pairs // count, pairs % count
    last = np.zeros(count, np.int64)
    np.maximum.at(last, child, parent)
    through = last[child] * count + parent
    place = np.searchsorted(pairs, through).clip(0, len(pairs) - 1)
    kept = pairs[place] != through
    return child[kept], parent[kept]


def _multiply(trace: Trace, found: Ids, entries: Ids, owner: Index, other: Index) -> None:
    """Records that the solutions of each owner multiply an entry with other solutions."""
    k = found.shape[1]
    left, right = np.repeat(entries, k), found[other].reshape(-1)
    keep = (left > OPAQUE) & (right > OPAQUE)
    if keep.any():
        nodes = found[owner].reshape(-1)
        trace.graph.interactions.append(Products(nodes[keep], left[keep], right[keep]))
