"""Rules of medians, quantiles and ranges: which element is taken depends on all of them.

Contract: each result depends on the whole axis, and on traced levels and weights.  At a point
it depends on the elements that stand there after sorting, and on those equal to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.graph.interactions import interact
from sparsetrace.numpy_rules.indexing import put
from sparsetrace.numpy_rules.reduction_functions import inexact, length, single, whole_axis
from sparsetrace.numpy_rules.sorting import in_order
from sparsetrace.operands.axes import Axis, axes_of, core_last, kept
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced_array,
    operand_of,
    python_type,
    values_of,
)
from sparsetrace.operands.registry import rule_for
from sparsetrace.operands.ufunc_reductions import reduce

__all__ = ["median_at_point"]

# bound early: while a trace runs, the names in ``numpy`` itself may be wrapped for user code
_MEDIAN, _NANMEDIAN = np.median, np.nanmedian


def _after_overwriting(trace: Trace, a, overwrite_input, result: Elements) -> Elements:
    """The result; NumPy may have left the array's elements in any order."""
    if overwrite_input and is_traced_array(a) and a._ids.size and a._ids.flags.writeable:
        every = trace.graph.union_rows(a._ids.reshape(-1))
        put(trace, a._ids, ..., np.full(a._ids.shape, every, np.int32))
    return result


@rule_for(np.median)
def _median(trace: Trace, a, axis, overwrite_input, keepdims) -> Elements:
    axis = axes_of(axis, np.ndim(a))
    if trace.local:
        result = median_at_point(operand_of(trace, a), axis, keepdims=keepdims)
    else:
        result = whole_axis(trace, a, axis, inexact(dtype_of(a)), keepdims, True, _MEDIAN)
    return _after_overwriting(trace, a, overwrite_input, result)


@rule_for(np.nanmedian)
def _nanmedian(trace: Trace, a, axis, overwrite_input, keepdims) -> Elements:
    axis = axes_of(axis, np.ndim(a))
    result = whole_axis(trace, a, axis, inexact(dtype_of(a)), keepdims, True, _NANMEDIAN)
    return _after_overwriting(trace, a, overwrite_input, result)


def median_at_point(x: Operand, axis: Axis, *, keepdims: bool = False) -> Elements:
    """One or two elements in the middle of each row; all of them beside a NaN."""
    rows, axes = _rows(x, axis)
    n = rows.shape[-1]
    middle = in_order(rows, -1).ids[..., (n - 1) // 2 : n // 2 + 1]
    nan = np.isnan(rows.points).any(axis=-1)
    trace = x._trace
    ids = np.where(nan, trace.graph.union_rows(rows._ids), trace.graph.union_rows(middle))
    return Elements(kept(ids, axes, keepdims=keepdims), x._dtype)


def _rows(x: Operand, axis: Axis) -> tuple[Operand, tuple[int, ...]]:
    """The operand with the axes last, as one; and the axes."""
    axes = core_last(x._ids, axis)[1]
    return x.moved(lambda data: core_last(data, axis)[0]), axes


@rule_for(np.ptp)
def _ptp(trace: Trace, a, axis, keepdims) -> Elements:
    count = length(np.shape(a) or (1,), axis)
    if count == 1:
        return single(trace, a, axis, dtype_of(a), keepdims, 0.0)
    if trace.local:
        ends = [reduce(trace, f, a, axis, None, keepdims).ids for f in (np.maximum, np.minimum)]
        return Elements(trace.graph.union(*ends), dtype_of(a))
    if not count and np.max(np.zeros(np.shape(a)), axis=axis, initial=0.0).size:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    return whole_axis(trace, a, axis, dtype_of(a), keepdims, True, np.ptp)


_STEPS = frozenset(
    "inverted_cdf averaged_inverted_cdf closest_observation lower higher midpoint nearest".split()
)
"""Ways of choosing elements that change with the level in steps alone."""


def _moves(trace: Trace, method: str) -> bool:
    """Whether a quantile changes with its level."""
    return trace.dependency or method not in _STEPS


def _quantiles_at_point(
    trace: Trace,
    a,
    levels,
    axis,
    method,
    weights,
    *,
    keepdims: bool,
) -> Elements | None:
    """The two elements beside each level; None where NaN decides, or a weight that is traced."""
    x = operand_of(trace, a)
    axis = axes_of(axis, len(x.shape))
    rows, axes = _rows(x, axis)
    points = rows.points
    n = points.shape[-1]
    if not n or np.isnan(points).any() or (trace.dependency and contains_traced(weights)):
        return None
    if weights is None:
        ordered = in_order(rows, -1).ids
        place: Any = np.quantile(np.arange(n), levels.reshape(-1), method=method)
        low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
        both = trace.graph.union(ordered[..., low], ordered[..., high])
        ids = np.moveaxis(both, -1, 0).reshape(levels.shape + rows.shape[:-1])
    else:  # each result is an element
        given = values_of(weights)
        result = np.quantile(values_of(a), levels, axis, method=method, weights=given)
        chosen = points == np.asarray(result)[..., None]
        ids = trace.graph.union_rows(np.where(chosen, rows._ids, np.int32(trace.graph.opaque)))
    # levels come first in the shape
    axes = tuple(levels.ndim + i for i in axes)
    return Elements(kept(ids, axes, keepdims=keepdims), np.dtype(float))


def _quantile_rule(function: Callable[..., Any], scale: float) -> None:
    """Levels come first in the shape; each result depends on the whole axis."""

    def rule(
        trace: Trace, a, q, axis, overwrite_input, method, keepdims, weights, interpolation=None
    ) -> Elements:
        result = unwritten(trace, a, q, axis, method, keepdims, weights, interpolation)
        return _after_overwriting(trace, a, overwrite_input, result)

    def unwritten(trace: Trace, a, q, axis, method, keepdims, weights, interpolation) -> Elements:
        moving = contains_traced(q) and _moves(trace, interpolation or method)
        if trace.local and not moving and interpolation is None:
            levels: Any = np.asarray(values_of(q), float) / scale
            result = _quantiles_at_point(trace, a, levels, axis, method, weights, keepdims=keepdims)
            if result is not None:
                return result
        options = {}
        if weights is not None:
            # NumPy raises its own error for wrong levels, as far as they are known
            known = np.ones(np.shape(weights)) if contains_traced(weights) else weights
            options = {"weights": known}
        weak = python_type(type(q)) is not None
        levels = 0.5 if weak else np.full(np.shape(q), 0.5, dtype_of(q))
        sample = function(
            np.ones(np.shape(a), dtype_of(a)),
            q if type(q) in (int, float) else levels,
            axis,
            method=interpolation or method,
            keepdims=keepdims,
            **options,
        )
        axis = axes_of(axis, np.ndim(a))
        base = whole_axis(trace, a, axis, sample.dtype, keepdims, True, np.mean).ids
        out = np.broadcast_to(np.maximum(base, OPAQUE), sample.shape)
        if moving:
            level = ids_of(trace, q)
            out = trace.graph.union(out, level.reshape(level.shape + (1,) * base.ndim))
        if trace.dependency and weights is not None and contains_traced(weights):
            # a weight decides which elements are chosen; none is between two of them
            every = trace.graph.union_rows(ids_of(trace, weights).reshape(-1))
            out = trace.graph.union(out, np.broadcast_to(every, out.shape))
        if trace.second_order and moving:  # between two elements, linear in the level and in them
            levels_ = ids_of(trace, q).reshape(np.shape(q) + (1,) * base.ndim)
            out = interact(trace.graph, out, [(levels_, base)], cut=trace.local)
        return Elements(np.array(out), sample.dtype)

    rule_for(function)(rule)


for _function in (np.quantile, np.nanquantile):
    _quantile_rule(_function, 1.0)
for _function in (np.percentile, np.nanpercentile):
    _quantile_rule(_function, 100.0)
