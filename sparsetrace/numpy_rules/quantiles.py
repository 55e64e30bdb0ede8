"""Rules of medians, quantiles and ranges: which element it is depends on all of them.

Contract: each result depends on the whole axis, and on traced levels and weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.graph.interactions import interact
from sparsetrace.numpy_rules.reduction_functions import inexact, length, single, whole_axis
from sparsetrace.operands.operands import Elements, contains_traced, dtype_of, ids_of, python_type
from sparsetrace.operands.registry import rule_for
from sparsetrace.operands.ufunc_reductions import axes_of

__all__ = ["STEPS"]


def _median_rule(function: Callable[..., Any]) -> None:
    def rule(trace: Trace, a, axis, keepdims) -> Elements:
        axis = axes_of(axis, np.ndim(a))
        return whole_axis(trace, a, axis, inexact(dtype_of(a)), keepdims, True, function)

    rule_for(function)(rule)


_median_rule(np.median)
_median_rule(np.nanmedian)


@rule_for(np.ptp)
def _ptp(trace: Trace, a, axis, keepdims) -> Elements:
    count = length(np.shape(a) or (1,), axis)
    if count == 1:
        return single(trace, a, axis, dtype_of(a), keepdims, 0.0)
    if not count and np.max(np.zeros(np.shape(a)), axis=axis, initial=0.0).size:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    return whole_axis(trace, a, axis, dtype_of(a), keepdims, True, np.ptp)


STEPS = frozenset(
    "inverted_cdf averaged_inverted_cdf closest_observation lower higher midpoint nearest".split()
)
"""Ways of choosing elements that change with the level in steps alone."""


def _quantile_rule(function: Callable[..., Any]) -> None:
    """Levels come first in the shape; each result depends on the whole axis."""

    def rule(trace: Trace, a, q, axis, method, keepdims, weights, interpolation=None) -> Elements:
        options = {}
        if weights is not None:
            # NumPy judges those that are known
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
        trace.graph.pure = False
        found = np.broadcast_to(np.maximum(base, OPAQUE), sample.shape)
        moving = contains_traced(q) and (trace.dependency or (interpolation or method) not in STEPS)
        if moving:
            level = ids_of(trace, q)
            found = trace.graph.union(found, level.reshape(level.shape + (1,) * base.ndim))
        if trace.dependency and weights is not None and contains_traced(weights):
            # a weight decides which elements are chosen; none is between two of them
            every = trace.graph.union_rows(ids_of(trace, weights).reshape(-1))
            found = trace.graph.union(found, np.broadcast_to(every, found.shape))
        if trace.second_order and moving:  # between two elements, linear in the level and in them
            levels_ = ids_of(trace, q).reshape(np.shape(q) + (1,) * base.ndim)
            found = interact(trace.graph, found, [(levels_, base)], cut=trace.local)
        return Elements(np.array(found), sample.dtype)

    rule_for(function)(rule)


for _function in (np.quantile, np.nanquantile, np.percentile, np.nanpercentile):
    _quantile_rule(_function)
