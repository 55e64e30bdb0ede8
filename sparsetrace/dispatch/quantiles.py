"""Rules of medians, quantiles and ranges: which element it is depends on all of them.

Contract: each result depends on the whole axis, and on traced levels and weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.dispatch.operands import Elements, contains_traced, dtype_of, ids_of
from sparsetrace.dispatch.registry import rule_for
from sparsetrace.dispatch.statistics import inexact, whole_axis
from sparsetrace.graph import OPAQUE, Graph
from sparsetrace.interactions import bend, interact

__all__: list[str] = []


def _median_rule(function: Callable[..., Any]) -> None:
    def rule(
        graph: Graph,
        a: Any,
        axis: Any = None,
        out: None = None,
        overwrite_input: Any = False,
        keepdims: Any = False,
    ) -> Elements:
        return whole_axis(graph, a, axis, inexact(dtype_of(a)), keepdims, True, function)

    rule_for(function)(rule)


_median_rule(np.median)
_median_rule(np.nanmedian)


@rule_for(np.ptp)
def _ptp(
    graph: Graph, a: Any, axis: Any = None, out: None = None, keepdims: Any = False
) -> Elements:
    return whole_axis(graph, a, axis, dtype_of(a), keepdims, True, np.ptp)


def _quantile_rule(function: Callable[..., Any]) -> None:
    """Levels come first in the shape; each result depends on the whole axis."""

    def rule(
        graph: Graph,
        a: Any,
        q: Any,
        axis: Any = None,
        out: None = None,
        overwrite_input: Any = False,
        method: Any = "linear",
        keepdims: Any = False,
        *,
        weights: Any = None,
        interpolation: Any = None,
    ) -> Elements:
        options = {} if weights is None else {"weights": np.ones(np.shape(weights))}
        levels = np.full(np.shape(q), 0.5, dtype_of(q))
        sample = function(
            np.ones(np.shape(a), dtype_of(a)),
            q if type(q) in (int, float) else levels,
            axis,
            method=interpolation or method,
            keepdims=keepdims,
            **options,
        )
        base = whole_axis(graph, a, axis, sample.dtype, keepdims, True, np.mean).ids
        graph.pure = False
        found = np.broadcast_to(np.maximum(base, OPAQUE), sample.shape)
        if contains_traced(q):
            level = ids_of(graph, q)
            found = graph.union(found, level.reshape(level.shape + (1,) * base.ndim))
        if weights is not None and contains_traced(weights):
            # a weight decides which elements are chosen, and in between how much of each
            every = graph.union_rows(ids_of(graph, weights).reshape(-1))
            found = graph.union(found, np.broadcast_to(every, found.shape))
        if graph.second_order:
            if weights is not None and contains_traced(weights):
                found = bend(graph, found)
            elif contains_traced(q):  # between two elements, linear in the level and in them
                levels_ = ids_of(graph, q).reshape(np.shape(q) + (1,) * base.ndim)
                found = interact(graph, found, [(levels_, base)], cut=graph.local)
        return Elements(np.array(found), sample.dtype)

    rule_for(function)(rule)


for _function in (np.quantile, np.nanquantile, np.percentile, np.nanpercentile):
    _quantile_rule(_function)
