"""Pattern stores: several ways to represent index sets, one interface, one answer.

Contract: a store takes a `Program` and returns the patterns of its outputs in CSR
form with sorted, distinct column indices.  Stores know nodes and indices, nothing of
NumPy functions or traced arrays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sparsetrace.passes.simplify import Program
from sparsetrace.propagation.jacobian_stores import (
    adaptive,
    bitset,
    csr,
    integers,
    intervals,
    roaring,
)

__all__ = ["STORES", "Pattern", "Store"]

Pattern = tuple[NDArray[np.integer], NDArray[np.integer]]
Store = Callable[[Program], Pattern]

STORES: dict[str, Store] = {
    "auto": adaptive.solve,
    "csr": csr.solve,
    "bitset": bitset.solve,
    "roaring": roaring.solve,
    "intervals": intervals.solve,
    "integers": integers.solve,
}
