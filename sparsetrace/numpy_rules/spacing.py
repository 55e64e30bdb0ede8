"""Rules of evenly spaced numbers between traced ends.

Contract: the first element depends on the start alone, the last one, if it is the stop, on
the stop alone; those between depend on both.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.graph.graph import ZERO
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.complex_operands import moved_ids, moved_operand
from sparsetrace.operands.constants import converted, converted_ids
from sparsetrace.operands.elementwise import combine
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    dtype_of,
    ids_of,
    promotion_of,
)
from sparsetrace.operands.registry import rule_for

__all__ = ["evenly_spaced"]


def evenly_spaced(
    trace: Trace,
    start,
    stop,
    num: int,
    *,
    endpoint: bool,
    dtype,
    axis: int,
) -> Elements:
    """As ``np.linspace``: the first element is start, the last one stop, if it is there.

    ``linspace({0}, {1}, 3)  ->  [{0}, {0, 1}, {1}]``
    """
    shape = np.broadcast_shapes(np.shape(start), np.shape(stop))
    result_dtype = np.result_type(promotion_of(start), promotion_of(stop), 0.0)
    intervals = (num - 1) if endpoint else num
    places = np.arange(num).reshape((-1,) + (1,) * len(shape))
    first, last = moved_operand(trace, start), moved_operand(trace, stop)
    ids = np.empty((num, *shape), np.int32)
    if num:
        width = combine(trace, np.subtract, last, first)
        step = Operand(trace, np.asarray(moved_ids(trace, width)), result_dtype, width._values)
        run = combine(trace, np.multiply, places / max(intervals, 1), step)
        run = Operand(trace, run._ids, result_dtype, run._values)
        ids[...] = moved_ids(trace, combine(trace, np.add, run, first), result_dtype)
        if endpoint and num > 1:
            ids[-1] = moved_ids(trace, last, result_dtype)
    target = result_dtype if dtype is None else np.dtype(dtype)
    ids = converted_ids(trace, Operand(trace, ids, result_dtype), target)
    return Elements(np.moveaxis(ids, 0, axis), target, keep_array=True)


@rule_for(np.linspace)
def _linspace(trace: Trace, start, stop, num, endpoint, retstep, dtype, axis) -> Any:
    count = operator.index(num)
    if count < 0:
        raise ValueError(f"Number of samples, {count}, must be non-negative.")
    result = evenly_spaced(
        trace, start, stop, count, endpoint=bool(endpoint), dtype=dtype, axis=axis
    )
    if not retstep:
        return result
    intervals = count - 1 if endpoint else count
    if intervals <= 0:
        return result, np.nan
    return result, np.true_divide(np.subtract(stop, start), intervals)


@rule_for(np.geomspace)
def _geomspace(trace: Trace, start, stop, num, endpoint, dtype, axis) -> Elements:
    """Depends on its ends as ``np.linspace`` does; between constants the values are known."""
    count = operator.index(num)
    result_dtype = np.result_type(dtype_of(start), dtype_of(stop), np.zeros((), dtype))
    result = evenly_spaced(
        trace, start, stop, count, endpoint=bool(endpoint), dtype=result_dtype, axis=0
    )
    ids = np.array(ids_of(trace, Operand(trace, result.ids, result.dtype)))
    inner = slice(1, count - 1 if endpoint else count)
    ids[inner] = interact_all(trace.graph, ids[inner])
    known = ids <= ZERO
    if known.any() and not trace.local:
        ends = [
            np.where(i <= ZERO, trace.graph.known_values(i, k), 1)
            for i, k in ((np.asarray(ids_of(trace, x)), dtype_of(x)) for x in (start, stop))
        ]
        values = np.geomspace(*ends, count, endpoint, dtype)  # type: ignore[call-overload]
        ids = np.where(known, trace.graph.constant(values), ids)
    shown = result.dtype if dtype is None else np.dtype(dtype)
    ids = converted(trace, ids, result.dtype, shown)
    return Elements(np.moveaxis(ids, 0, axis), shown, keep_array=True)
