"""Columns that stand in the same patterns, side by side, are multiplied as one.

Contract: the Hessian is the same.  The numbers of one camera, or the weights of one layer, go
together into everything that is multiplied: one column stands for them all until the Hessian is
written, whose rows they share::

    {0, 1, 2, 6, 7}, {3, 4, 5, 6, 7}  ->  columns 0 .. 2, 3 .. 5 and 6 .. 7, {0, 2} and {1, 2}
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sparsetrace.propagation.hessian_stores.outer_products import Products
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows

__all__ = ["joined", "written_out"]

_SAVED = 3
"""At least one entry in so many has to follow another one that it stands for."""


def joined(products: Products) -> tuple[Products, NDArray[np.int64]] | None:
    """The products of fewer columns, and where each begins; None where few would be saved.

    Examples
    --------
    >>> none = np.zeros(0, int)
    >>> bounds, indices = np.array([0, 5, 10]), np.array([0, 1, 2, 6, 7, 3, 4, 5, 6, 7])
    >>> fewer, starts = joined(Products(8, bounds, indices, np.arange(2), none, none))
    >>> fewer.indptr.tolist(), fewer.indices.tolist(), starts.tolist()
    ([0, 2, 4], [0, 2, 1, 2], [0, 3, 6])
    """
    n, bounds, indices = products.n, products.indptr, products.indices
    follows = np.zeros(len(indices), bool)
    np.equal(indices[1:], indices[:-1] + 1, out=follows[1:])
    firsts = bounds[:-1]
    follows[firsts[firsts < len(indices)]] = False
    if np.count_nonzero(follows) * _SAVED < len(indices):
        return None
    # a column stands apart from the one before it where some pattern has one of them alone
    apart = np.zeros(n + 1, bool)
    begins = np.flatnonzero(~follows)
    apart[0] = apart[indices[begins]] = True
    apart[indices[begins[1:] - 1] + 1] = True
    apart[indices[-1:] + 1] = True
    apart = apart[:n]
    starts = np.flatnonzero(apart)
    if len(starts) == n:
        return None
    heads = apart[indices]
    kept = np.zeros(len(indices) + 1, np.int64)
    np.cumsum(heads, out=kept[1:])
    if (len(indices) - kept[-1]) * _SAVED < len(indices):
        return None
    number = np.cumsum(apart, dtype=np.int32) - np.int32(1)
    fewer = replace(products, n=len(starts), indptr=kept[bounds], indices=number[indices[heads]])
    return fewer, starts


def written_out(
    n: int, starts: NDArray[np.int64], indptr: NDArray[np.integer], indices: NDArray[np.integer]
) -> IntervalRows:
    """The Hessian's rows for all n columns, from that of the joined ones.

    Examples
    --------
    >>> rows = written_out(5, np.array([0, 3]), np.array([0, 1, 3]), np.array([1, 0, 1]))
    >>> [rows.row(i).tolist() for i in (2, 3)]
    [[3, 4], [0, 1, 2, 3, 4]]
    """
    ends = np.append(starts[1:], n)
    fresh = np.ones(len(indices), bool)
    np.not_equal(indices[1:], indices[:-1] + 1, out=fresh[1:])
    firsts = indptr[:-1]
    fresh[firsts[firsts < len(indices)]] = True
    heads = np.flatnonzero(fresh)
    tails = np.append(heads[1:], len(indices))[: len(heads)] - 1
    places = np.repeat(np.arange(len(starts), dtype=np.int32), ends - starts)
    return IntervalRows(
        n,
        places,
        np.searchsorted(heads, indptr).astype(np.int64),
        starts[indices[heads]].astype(np.int32),
        ends[indices[tails]].astype(np.int32),
    )
