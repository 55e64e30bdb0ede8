"""Functions that are refused, each with its reason and a way out.

Contract: nothing here is ever guessed.  A function that no table names is refused too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.errors import TracingError, UnsupportedError, ValueDependentError, explain

__all__ = ["REFUSED"]

_SHAPE = (
    "the shape of its result depends on the values",
    "Use np.where or a product with the mask, which keep the shape.",
)
_TRUTH = (
    "it returns one truth value, which depends on the inputs",
    "Take the branch out of the traced function.",
)
_FILE = (
    "it writes the values to a file, and traced elements have none",
    "Save plain arrays, after the trace.",
)
_BITS = (
    "it takes the bits of whole numbers apart",
    "Compute it from constants, outside of the traced function.",
)
_DATES = ("it works on dates", "Compute it from constants, outside of the traced function.")
_SETS = (
    "how many distinct values there are depends on the inputs",
    "np.sort keeps the shape; for a fixed set of indices compute it from constants.",
)

_REASONS: dict[Callable[..., Any], tuple[str, str]] = {
    **dict.fromkeys((np.nonzero, np.argwhere, np.flatnonzero, np.trim_zeros), _SHAPE),
    **dict.fromkeys((np.allclose, np.array_equal, np.array_equiv), _TRUTH),
    **dict.fromkeys((np.save, np.savez, np.savez_compressed, np.savetxt), _FILE),
    **dict.fromkeys(
        (np.packbits, np.unpackbits, np.unravel_index, np.ravel_multi_index), _BITS
    ),
    **dict.fromkeys(
        (
            np.busday_count,
            np.busday_offset,
            np.is_busday,
            np.datetime_as_string,
        ),
        _DATES,
    ),
    **dict.fromkeys(
        (
            np.unique,
            np.unique_all,
            np.unique_counts,
            np.unique_inverse,
            np.unique_values,
            np.intersect1d,
            np.setdiff1d,
            np.setxor1d,
            np.union1d,
        ),
        _SETS,
    ),
    np.roots: (
        "leading zeros of the coefficients change the number of roots",
        "Use np.linalg.eigvals of the companion matrix.",
    ),
}


class _Refused(dict[Callable[..., Any], tuple[str, str]]):
    """Reason and way out by function; makes the error for any function."""

    def error(self, function: Callable[..., Any], name: str) -> TracingError:
        if function in self:
            problem, remedy = self[function]
            return ValueDependentError(explain(name, problem, remedy))
        return UnsupportedError(
            explain(
                name,
                "this function has no rule, and without one a dependency could be lost",
                "Write it with functions that have one, or report it.",
            )
        )

    def value_dependent(self, name: str) -> TracingError:
        return ValueDependentError(
            explain(
                name,
                "an index or a mask depends on the inputs",
                "Use np.where over the candidates, or indices computed from constants.",
            )
        )


REFUSED = _Refused(_REASONS)
