"""What is answered of numpy.ma, by name.

Contract: `FUNCTIONS` holds every function of ``np.ma`` that takes traced data; what is not
in it is refused.  Each takes the arguments of numpy.ma's own function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.masked.data_and_mask import Parts, as_traced, parts_of
from sparsetrace.masked.masked_array import MaskedTracedArray, finished
from sparsetrace.masked.ufuncs import current_trace
from sparsetrace.operands.operands import is_traced_array

__all__ = ["FUNCTIONS", "answers", "as_masked", "done", "traced_parts"]

FUNCTIONS: dict[str, Callable[..., Any]] = {}


def answers(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the answer to these functions, or to the one of its own name."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names or (function.__name__.strip("_"),):
            FUNCTIONS[name] = function
        return function

    return register


def traced_parts(a: Any) -> Parts:
    """The parts of an operand, its data as an array."""
    trace, parts = current_trace(), parts_of(a)
    beneath = None if parts.beneath is None else as_traced(trace, parts.beneath)
    return Parts(as_traced(trace, parts.data), parts.mask, beneath)


def as_masked(a: Any) -> Any:
    """`a` as a masked array, over the same data where it is traced."""
    if type(a) is MaskedTracedArray:
        return a
    parts = traced_parts(a)
    if not is_traced_array(parts.data):  # whole numbers of a local trace
        return np.ma.MaskedArray(parts.data, mask=parts.mask)
    return MaskedTracedArray(current_trace(), parts)


def done(found: Parts) -> Any:
    """What the user gets for the parts of a result."""
    return finished(current_trace(), found)
