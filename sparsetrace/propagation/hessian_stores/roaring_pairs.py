"""Hessian entries as one roaring bitmap of 64-bit pairs ``row * n + column``."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap64

from sparsetrace.propagation.hessian_stores.outer_products import Products

__all__ = ["solve"]


def solve(products: Products) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """The Hessian's pattern as CSR index arrays."""
    n = products.n
    bounds = products.indptr.tolist()
    rows = [products.indices[a:b].astype(np.uint64) for a, b in pairwise(bounds)]
    entries = BitMap64()
    for left, right in (
        (products.cliques, products.cliques),
        (products.left, products.right),
        (products.right, products.left),
    ):
        for p, q in zip(left.tolist(), right.tolist(), strict=True):
            entries.update((rows[p][:, None] * np.uint64(n) + rows[q]).reshape(-1))
    keys = np.array(entries.to_array(), np.int64)
    row = keys // max(n, 1)
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=n), out=indptr[1:])
    return indptr, (keys - row * n).astype(np.int32)
