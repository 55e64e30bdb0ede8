"""Hessians along diagonals: in stencil code the products of a run lie side by side.

Contract: same answer as every store, where it gives one.  If two entries of a run both
grow by one from node to node, their products are a stretch of one diagonal, whatever
its length.  Stretches are merged diagonal by diagonal, the rows are cut where one
begins or ends, and each piece is written out at once::

    nodes {i, i + 1}, i = 0 .. n - 2  ->  diagonal 0: 0 .. n - 1, diagonal 1: 0 .. n - 2
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsetrace.propagation.jacobian_stores.csr import RunEntries
from sparsetrace.propagation.jacobian_stores.expand import expand
from sparsetrace.propagation.jacobian_stores.sizes import check_entries

__all__ = ["solve"]

_PAIRS = 2**20
"""Most pairs of entries of a run that are looked at."""
_LOOSE = 4
"""At most one entry in so many may stand alone."""

Ints = NDArray[np.int64]


def solve(n: int, groups: list[RunEntries]) -> tuple[NDArray[np.integer], NDArray[np.int32]] | None:
    """The Hessian's pattern as CSR index arrays; None where stretches are too short.

    Parameters
    ----------
    n : int
        Number of inputs.
    groups : list
        What `sparsetrace.propagation.jacobian_stores.csr.along_runs` gives: one column of
        nodes, which are multiplied with themselves, or two, which are multiplied with each
        other.

    Examples
    --------
    >>> runs = np.array([0, 0]), np.array([0, 1], np.int32), np.array([1, 1], np.int32)
    >>> indptr, indices = solve(3, [(np.array([2]), [runs])])
    >>> indptr.tolist(), indices.tolist()
    ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2])
    """
    bands = []
    for lengths, columns in groups:
        result = _stretches(lengths, *columns) if len(columns) > 1 else _own(lengths, columns[0])
        if result is None:
            return None
        bands.append(result)
    if not any(len(start) for _, start, _ in bands):
        return np.zeros(n + 1, np.int64), np.zeros(0, np.int32)
    offset, start, length = (np.concatenate(column) for column in zip(*bands, strict=True))
    return _written(n, *_merged(n, offset, start, length))


Entries = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]
Stretches = tuple[Ints, Ints, Ints]


def _own(lengths: Ints, entries: Entries) -> Stretches | None:
    """Every entry of a run with itself and with those after it."""
    rows = entries[0]
    counts = np.bincount(rows, minlength=len(lengths))
    position = np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]
    partners = counts[rows] - position
    if partners.sum() > _PAIRS:
        return None
    first = np.repeat(np.arange(len(rows)), partners)
    ends = np.cumsum(partners)
    second = first + np.arange(len(first)) - np.repeat(ends - partners, partners)
    return _paired(lengths, entries, entries, first, second)


def _stretches(lengths: Ints, left: Entries, right: Entries) -> Stretches | None:
    """Every entry of a run on the left with every one of the same run on the right."""
    counts = np.bincount(right[0], minlength=len(lengths))
    partners = counts[left[0]]
    if partners.sum() > _PAIRS:
        return None
    first = np.repeat(np.arange(len(left[0])), partners)
    begin = (np.cumsum(counts) - counts)[left[0]]
    ends = np.cumsum(partners)
    second = np.repeat(begin - (ends - partners), partners) + np.arange(len(first))
    return _paired(lengths, left, right, first, second)


def _paired(
    lengths: Ints, left: Entries, right: Entries, first: Ints, second: Ints
) -> Stretches | None:
    """Stretches of diagonals, all above the main one or on it: offset, start, length."""
    length = lengths[left[0][first]]
    a, b = left[1][first].astype(np.int64), right[1][second].astype(np.int64)
    grow_a, grow_b = left[2][first], right[2][second]
    single = (length == 1) | ((grow_a == 0) & (grow_b == 0))
    along = (grow_a == 1) & (grow_b == 1) & ~single
    if along.all():
        return np.abs(b - a), np.minimum(a, b), length
    other = ~(single | along)
    once = int(np.count_nonzero(single))
    alone = int(length[other].sum()) + once
    if alone * _LOOSE > int(length[~single].sum()) + once:
        return None
    size = np.where(along, length, 1)
    low, high = np.minimum(a, b)[~other], np.maximum(a, b)[~other]
    offset, start, size = high - low, low, size[~other]
    if other.any():
        many = length[other]
        ends = np.cumsum(many)
        within = np.arange(int(ends[-1])) - np.repeat(ends - many, many)
        x = np.repeat(a[other], many) + within * np.repeat(grow_a[other], many)
        y = np.repeat(b[other], many) + within * np.repeat(grow_b[other], many)
        offset = np.concatenate([offset, np.abs(y - x)])
        start = np.concatenate([start, np.minimum(x, y)])
        size = np.concatenate([size, np.ones(len(x), np.int64)])
    return offset, start, size


def _merged(n: int, offset: Ints, start: Ints, length: Ints) -> Stretches:
    """Stretches that neither meet nor touch, sorted by diagonal: offset, start, stop."""
    base = offset * (n + 1)
    begin, end = base + start, base + start + length
    if len(begin) > 1 and not (begin[1:] >= begin[:-1]).all():
        order = np.argsort(begin, kind="stable")
        begin, end = begin[order], end[order]
    reach = np.maximum.accumulate(end)
    fresh = np.empty(len(begin), bool)
    fresh[0] = True
    np.greater(begin[1:], reach[:-1], out=fresh[1:])
    heads = np.flatnonzero(fresh)
    tails = np.append(heads[1:], len(begin)) - 1
    diagonal = begin[heads] // (n + 1)
    base = diagonal * (n + 1)
    return diagonal, begin[heads] - base, reach[tails] - base


def _written(
    n: int, diagonal: Ints, start: Ints, stop: Ints
) -> tuple[NDArray[np.integer], NDArray[np.int32]]:
    """Both triangles, row by row."""
    check_entries(2 * int((stop - start).sum()))
    below = diagonal > 0
    offset = np.concatenate([diagonal, -diagonal[below]])
    first = np.concatenate([start, start[below] + diagonal[below]])
    last = np.concatenate([stop, stop[below] + diagonal[below]])
    cuts = np.concatenate([first, last, np.array([0, n])])
    cuts.sort()
    cuts = cuts[np.diff(cuts, prepend=-1) > 0]
    lo, hi = np.searchsorted(cuts, first), np.searchsorted(cuts, last)
    count = hi - lo
    ends = np.cumsum(count)
    piece = np.arange(int(ends[-1])) + np.repeat(lo - (ends - count), count)
    value = cuts[piece] + np.repeat(offset, count)
    order = np.argsort(piece * n + value, kind="stable")
    piece, value = piece[order], value[order]
    bounds = np.searchsorted(piece, np.arange(len(cuts)))
    steps = np.ones(len(value), np.int32)
    return expand(bounds, value.astype(np.int32), steps, np.diff(cuts))
