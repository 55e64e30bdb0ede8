"""Hessians that are dense by nature: products of sets as rows of intervals.

Contract: same answer as every store, and `rows` gives it without writing the entries.  A product
``p x q`` puts q into the rows of p.  The rows are cut where an interval of some p begins or ends;
a tree of halves stands over the pieces, each interval of p is a few of its nodes, and the sets go
down the tree, so that nested products meet as soon as they can::

    p = {0 .. k}, k < n, each with itself  ->  one set, {0 .. n - 1}, for all rows
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE
from sparsetrace.propagation.hessian_stores.outer_products import Products
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows
from sparsetrace.propagation.jacobian_stores.intervals import MOST, Sets, TooManyIntervals
from sparsetrace.propagation.jacobian_stores.sizes import TooManyEntries, fits
from sparsetrace.propagation.jacobian_stores.tables import distinct

__all__ = ["rows", "solve"]

_FEW = 8
"""So many sets, less one, are compared where a row unites them."""

Ints = NDArray[np.integer]


def solve(products: Products, most: float = np.inf) -> tuple[Ints, Ints]:
    """The Hessian's pattern as CSR index arrays."""
    factors = IntervalRows.of_csr(products.n, products.indptr, products.indices)
    found = rows(factors, products.cliques, products.left, products.right, most)
    if not fits(found.nnz):
        raise TooManyEntries(found.nnz, found)
    return found.csr()


def rows(
    factors: IntervalRows, cliques: Ints, left: Ints, right: Ints, most: float = np.inf
) -> IntervalRows:
    """The rows of the Hessian, from the factors that are multiplied with themselves or others.

    Raises
    ------
    TooManyIntervals
        If more than `most` intervals would have to be held, or `MOST` of the other module.

    Examples
    --------
    >>> factors = IntervalRows.of_csr(3, np.array([0, 2, 3]), np.array([0, 1, 2]))
    >>> none = np.zeros(0, int)
    >>> [array.tolist() for array in rows(factors, none, np.array([0]), np.array([1])).csr()]
    [[0, 1, 2, 4], [2, 2, 0, 1]]
    """
    n = factors.n
    over = factors.taken(factors.places[np.concatenate([cliques, left, right])])
    into = np.concatenate([cliques, right, left])
    spread = np.diff(over.bounds)
    cuts = distinct(np.concatenate([[0, n], over.starts, over.stops]), n + 1)
    depth = max(len(cuts) - 2, 0).bit_length()
    low, high = np.searchsorted(cuts, over.starts), np.searchsorted(cuts, over.stops)
    halves, sources = _covered(low, high, np.repeat(into, spread), depth, len(factors.places))
    # The nodes of the sets: those of the factors, then those of the tree.
    first = FIRST_INPUT + n
    tree = first + len(factors.places)
    sets = Sets(n, tree + (2 << depth), most)
    taken = factors.taken(factors.places)
    sets.hold(first + np.arange(len(taken.places)), taken.bounds, taken.starts, taken.stops)
    nodes = np.array([OPAQUE])
    for level in range(depth + 1):
        if level:
            nodes = np.repeat(nodes, 2)
        lo, hi = np.searchsorted(halves, (1 << level, 2 << level))
        if lo == hi:
            continue
        own = np.flatnonzero(np.diff(halves[lo:hi], prepend=-1))
        filled = halves[lo:hi][own] - (1 << level)
        counts = np.diff(np.append(own, hi - lo))
        above = nodes[filled]
        only = (counts == 1) & (above == OPAQUE)  # one set alone, which all rows of it share
        nodes[filled[only]] = first + sources[lo:hi][own[only]]
        own, filled, above, counts = own[~only], filled[~only], above[~only], counts[~only]
        once, same = _alike(above, sources[lo:hi], own, counts)
        new = tree + (1 << level) + filled[once]
        nodes[filled] = new[same]
        own, above, counts = own[once], above[once], counts[once]
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        at = np.repeat(own - (ends - counts), counts) + np.arange(total)
        parents = np.insert(first + sources[lo:hi][at], ends - counts, above)
        sets.unite(new, np.append(0, ends) + np.arange(len(own) + 1), parents)
    return sets.rows(np.repeat(nodes[: len(cuts) - 1], np.diff(cuts)))


def _alike(above: Ints, sources: Ints, own: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Which nodes differ in what is above or in their few sources, and which of them each is."""
    label = np.unique(above, return_inverse=True)[1].reshape(-1)
    for k in range(_FEW):
        more = np.flatnonzero(counts > k)
        if not len(more):
            break
        following = np.full(len(label), -1, np.int64)
        following[more] = sources[own[more] + k]
        if k == _FEW - 1:  # too many to be looked at: each is taken for another one
            following[more] = np.arange(len(more))
        key = label * (int(following.max()) + 2) + following + 1
        label = np.unique(key, return_inverse=True)[1].reshape(-1)
    _, once, same = np.unique(label, return_index=True, return_inverse=True)
    return once, same.reshape(-1)


def _covered(low: Ints, high: Ints, sources: Ints, depth: int, count: int) -> tuple[Ints, Ints]:
    """The nodes of the tree that make up stretches of its leaves, each with its source.

    Nodes are numbered as in a heap, from 1; they come in order, and pairs are distinct.
    """
    low, high = low + (1 << depth), high + (1 << depth)
    found, total = [], 0
    while len(low):
        for one, at in ((low & 1 > 0, low), (high & 1 > 0, high - 1)):
            found.append(at[one] * np.int64(count) + sources[one])
            total += len(found[-1])
        if total > MOST:
            raise TooManyIntervals
        low, high = (low + 1) >> 1, high >> 1
        open_ = low < high
        low, high, sources = low[open_], high[open_], sources[open_]
    keys = distinct(np.concatenate(found), count << (depth + 1)) if total else np.zeros(0, np.int64)
    return keys // max(count, 1), keys % max(count, 1)
