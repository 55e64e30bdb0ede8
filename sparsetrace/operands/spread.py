"""Results all numbers of which have one pattern, in the shapes of a sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.graph.graph import Ids
from sparsetrace.operands.operands import Elements

__all__ = ["made", "spread"]


def made(trace: Trace, ids: Ids, dtype: Any, values: Any = None, *, scalar: bool = False) -> Any:
    """A traced array of these ids.

    Values of a local trace that are not given are NaN, beside which nothing is cut; the
    result's own come from SciPy.
    """
    if trace.local and values is None:
        values = np.full(ids.shape, np.nan, dtype)
    ids = np.asarray(ids)
    trace.graph.look_at(ids)
    return trace.wrap(Elements(ids, np.dtype(dtype), values, keep_array=not scalar))


def spread(trace: Trace, total: Ids, sample: Any) -> Any:
    """Arrays of the shapes of a sample, each batch item of them made of one id.

    Whole numbers have no derivative, in arrays and in their own.
    """
    if isinstance(sample, (list, tuple)):  # a list where SciPy applies a function to a batch
        items = [spread(trace, total, item) for item in sample]
        return type(sample)(*items) if hasattr(sample, "_fields") else type(sample)(items)
    if sample is None:
        return None
    array = np.asarray(sample)
    ids = total.reshape(total.shape + (1,) * (array.ndim - total.ndim))
    if array.dtype.kind not in "fc" and not trace.dependency:
        ids = np.full_like(ids, trace.graph.opaque)
    scalar = not isinstance(sample, np.ndarray)
    filled = np.broadcast_to(ids, array.shape).copy()
    return made(trace, filled, array.dtype, array if trace.local else None, scalar=scalar)
