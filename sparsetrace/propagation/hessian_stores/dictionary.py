"""Hessian rows as a dictionary of sets: one roaring bitmap for each row that has entries."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from sparsetrace.propagation.hessian_stores.outer_products import Products

__all__ = ["solve"]


def solve(products: Products) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """The Hessian's pattern as CSR index arrays."""
    bounds = products.indptr.tolist()
    lists = [products.indices[a:b].tolist() for a, b in pairwise(bounds)]
    sets = [BitMap(row) for row in lists]
    rows: dict[int, BitMap] = {}
    for left, right in (
        (products.cliques, products.cliques),
        (products.left, products.right),
        (products.right, products.left),
    ):
        for p, q in zip(left.tolist(), right.tolist(), strict=True):
            for i in lists[p]:
                if i in rows:
                    rows[i] |= sets[q]
                else:
                    rows[i] = BitMap(sets[q])
    indptr = np.zeros(products.n + 1, np.int64)
    for i, row in rows.items():
        indptr[i + 1] = len(row)
    np.cumsum(indptr, out=indptr)
    columns = [np.asarray(rows[i].to_array(), np.uint32).view(np.int32) for i in sorted(rows)]
    return indptr, np.concatenate(columns) if columns else np.zeros(0, np.int32)
