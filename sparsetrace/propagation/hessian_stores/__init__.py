"""Hessian stores: how the products of patterns are united, chosen apart from the patterns'.

Contract: each store turns `Products` into CSR index arrays, and all give the same answer.

============  =====================================================================
``csr``       a product of sparse matrices, or marks; cost grows with the products' entries
``bitset``    packed bits a row; for dense Hessians
``roaring``   one set of 64-bit pairs
``dict``      a dictionary of sets, one for each row
``intervals`` stretches of columns, shared by rows; for what is dense by nature
``auto``      ``csr`` or ``bitset``, whichever has less to do; of long rows ``intervals`` first
============  =====================================================================
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sparsetrace.propagation.hessian_stores import (
    bitset_rows,
    dictionary,
    intervals,
    matrix_products,
    roaring_pairs,
)
from sparsetrace.propagation.hessian_stores.outer_products import Products
from sparsetrace.propagation.jacobian_stores.intervals import TooManyIntervals

__all__ = ["HESSIAN_STORES", "Products"]

# Measured with benchmarks/bench_hessians.py, in nanoseconds.
_PRODUCT = 25.0
"""To find one entry by a product of sparse matrices."""
_MARK = 6.0
"""To write out and mark one entry, where the Hessian is small."""
_ROW = 300.0
"""To pack one row."""
_WORD = 8.0
"""To gather and unite one 64-bit word."""
_CELL = 3.0
"""To read one bit or mark."""
_MUCH = 2**23
"""From so many products on intervals are tried, if each factor has many partners."""
_PARTNERS = 256
"""So many, on average.  An attempt holds as many intervals as there are products for them."""


def _auto(products: Products) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    work = products.work
    if work > max(_MUCH, _PARTNERS * len(products.indices)):
        try:
            return intervals.solve(products, products.n + work // _PARTNERS)
        except TooManyIntervals:
            pass
    if bitset_rows.bytes_needed(products) <= bitset_rows.LIMIT // 8:
        counts = products.counts
        gathered = int(counts[products.cliques].sum() + counts[products.left].sum())
        gathered += int(counts[products.right].sum())
        words = max(1, -(-products.n // 64))
        read = products.n**2 * _CELL
        bits = (gathered + len(counts)) * words * _WORD + len(counts) * _ROW + read
        by_marks = matrix_products.uses_marks(products)
        if bits < (work * _MARK + read if by_marks else work * _PRODUCT):
            return bitset_rows.solve(products)
    return matrix_products.solve(products)


HESSIAN_STORES: dict[str, Callable[[Products], tuple[NDArray[np.integer], NDArray[np.integer]]]] = {
    "auto": _auto,
    "csr": matrix_products.solve,
    "bitset": bitset_rows.solve,
    "roaring": roaring_pairs.solve,
    "dict": dictionary.solve,
    "intervals": intervals.solve,
}
