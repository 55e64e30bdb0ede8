"""What the benchmarks use of the package's insides, wherever a commit keeps it.

asv runs the benchmarks of today's checkout on the package of older commits, in which modules
had other names.  Whoever moves one of these adds its new place in front.  A benchmark of what
a commit does not have anywhere is not run on it: asv shows "n/a".
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def first_of(*places: str) -> Any:
    """The first that exists of ``module`` or ``module:name`` below the package, or None."""
    for place in places:
        module, _, name = place.partition(":")
        try:
            value = import_module(f"sparsetrace.{module}")
        except ModuleNotFoundError:
            continue
        if not name:
            return value
        if hasattr(value, name):
            return getattr(value, name)
    return None


def require(*values: Any) -> None:
    """In a benchmark's ``setup``: do not run it where one of these is missing."""
    if any(value is None for value in values):
        raise NotImplementedError


lookup = first_of("dispatch.lookup", "dispatch.replay")
"""The look-up of recorded calls: `answer`, and `UNKNOWN` for calls that were not recorded."""

Products = first_of("propagation.hessian_stores:Products", "hessian_stores:Products")
"""What Hessian stores are given."""

matrix_products = first_of(
    "propagation.hessian_stores.matrix_products",
    "propagation.hessian_stores.sorted_keys",
    "hessian_stores.csr",
)
bitset_rows = first_of("propagation.hessian_stores.bitset_rows", "hessian_stores.bitset")
"""The two Hessian stores between which ``hessian_store="auto"`` chooses."""
