"""Rules of functions that reduce: sums, means, extremes, order statistics, prefix sums.

Contract: in a global pattern each of these depends on the whole axis; what differs
between them is dtype, signature and the value of a row of constants.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.dispatch import reductions
from sparsetrace.dispatch.operands import (
    Elements,
    Operand,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    is_uncertain,
    landed,
)
from sparsetrace.dispatch.refused import REFUSED
from sparsetrace.dispatch.registry import rule_for
from sparsetrace.graph import OPAQUE, ZERO, Graph, Ids

__all__: list[str] = []


def _inexact(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if dtype.kind in "fc" else np.dtype(float)


def _ufunc_reduction(ufunc: np.ufunc, *functions: Callable[..., Any]) -> None:
    """``np.sum`` and its kin: the signature of numpy's own wrappers."""

    def plain(
        graph: Graph,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        keepdims: Any = False,
        initial: Any = np._NoValue,
        where: Any = True,
    ) -> Elements:
        keep = keepdims is not np._NoValue and bool(keepdims)
        if where is np._NoValue:
            where = True
        return reductions.reduce(graph, ufunc, a, axis, dtype, keep, initial, where)

    def undtyped(
        graph: Graph,
        a: Any,
        axis: Any = None,
        out: None = None,
        keepdims: Any = False,
        initial: Any = np._NoValue,
        where: Any = True,
    ) -> Elements:
        return plain(graph, a, axis, None, None, keepdims, initial, where)

    typed = ufunc in (np.add, np.multiply)
    rule_for(*functions)(plain if typed else undtyped)


_ufunc_reduction(np.add, np.sum, np.nansum)
_ufunc_reduction(np.multiply, np.prod, np.nanprod)
_ufunc_reduction(np.maximum, np.max, np.amax, np.nanmax)
_ufunc_reduction(np.minimum, np.min, np.amin, np.nanmin)


def _truth_reduction(ufunc: np.ufunc, function: Callable[..., Any]) -> None:
    def rule(
        graph: Graph,
        a: Any,
        axis: Any = None,
        out: None = None,
        keepdims: Any = False,
        *,
        where: Any = True,
    ) -> Elements:
        keep = keepdims is not np._NoValue and bool(keepdims)
        where = True if where is np._NoValue else where
        return reductions.reduce(graph, ufunc, a, axis, None, keep, where=where)

    rule_for(function)(rule)


_truth_reduction(np.logical_and, np.all)
_truth_reduction(np.logical_or, np.any)


def _whole_axis(
    graph: Graph,
    a: Any,
    axis: Any,
    dtype: Any,
    keepdims: Any,
    where: Any,
    values: Callable[..., Any],
) -> Elements:
    """Union over the axis; rows of constants are computed by `values`."""
    keep = keepdims is not np._NoValue and bool(keepdims)
    ids, source = ids_of(graph, a), dtype_of(a)
    rows, axes = reductions.core_last(ids, axis)
    if where is not True and where is not np._NoValue:
        unsure = is_uncertain(where)
        mask = True if unsure else np.asarray(constant_values(where), bool)
        masks = reductions.core_last(np.broadcast_to(mask, ids.shape), axis)[0]
        graph.pure = False
        out = graph.union_rows(np.where(masks, rows, ZERO))
        if unsure and graph.dependency:
            out = graph.union(out, graph.union_rows(ids_of(graph, where).reshape(-1)))
    else:
        out = graph.union_rows(rows)
        if not graph.pure:
            known = (rows <= ZERO).all(axis=-1)
            if known.any():
                with np.errstate(all="ignore"):
                    found = values(graph.known_values(rows, source), axis=-1)
                out = np.where(known, graph.constant(found), out)
        elif not rows.shape[-1]:
            graph.pure = False
    return Elements(np.expand_dims(out, axes) if keep and axes else out, np.dtype(dtype))


def _moment(values: Callable[..., Any], *functions: Callable[..., Any]) -> None:
    def rule(
        graph: Graph,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        *rest: Any,
        keepdims: Any = False,
        where: Any = True,
        mean: Any = None,
        **options: Any,
    ) -> Elements:
        if values is np.mean and rest:
            keepdims = rest[0]
        elif len(rest) > 1:
            keepdims = rest[1]
        kind = np.dtype(dtype) if dtype is not None else _inexact(dtype_of(a))
        if values is not np.mean and kind.kind == "c":
            kind = np.empty(0, kind).real.dtype
        found = _whole_axis(graph, a, axis, kind, keepdims, where, values)
        if mean is not None and mean is not np._NoValue and contains_traced(mean):
            keep = keepdims is not np._NoValue and bool(keepdims)
            given = ids_of(graph, mean)
            if not keep:
                given = reductions.core_last(given, axis)[0][..., 0] if given.ndim else given
            found = Elements(graph.union(found.ids, given), kind)
        return found

    rule_for(*functions)(rule)


_moment(np.mean, np.mean, np.nanmean)
_moment(np.var, np.var, np.nanvar)
_moment(np.std, np.std, np.nanstd)


@rule_for(np.average)
def _average(
    graph: Graph,
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: Any = False,
) -> Any:
    """``sum(a * weights) / sum(weights)``: a zero weight cuts its element."""
    keep = keepdims is not np._NoValue and bool(keepdims)
    if weights is None:
        found = _whole_axis(graph, a, axis, _inexact(dtype_of(a)), keep, True, np.mean)
        if not returned:
            return found
        count = np.size(a) / max(found.ids.size, 1)
        return found, np.full(found.ids.shape, count)
    shape = np.shape(a)
    factors = weights if contains_traced(weights) else constant_values(weights)
    if np.shape(weights) != shape:
        if axis is None or isinstance(axis, tuple):
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if np.ndim(weights) != 1 or len(factors) != shape[axis]:
            raise ValueError("Shape of weights must be consistent with shape of a along axis.")
        placed = [1] * len(shape)
        placed[axis] = len(factors)
        factors = np.broadcast_to(np.reshape(factors, placed), shape)
    products = np.multiply(a, factors)
    scale = np.sum(factors, axis=axis, keepdims=keep)
    mean = np.true_divide(np.sum(products, axis=axis, keepdims=keep), scale)
    return (mean, np.broadcast_to(scale, np.shape(mean))) if returned else mean


@rule_for(np.round, np.around)
def _round(graph: Graph, a: Any, decimals: int = 0, out: None = None) -> Elements:
    """Piecewise constant; constants keep their rounded value."""
    ids, kind = ids_of(graph, a), dtype_of(a)
    out_ids = landed(graph, np.dtype(int), ids)
    known = ids < ZERO
    if known.any():
        out_ids[known] = graph.constant(np.round(graph.known_values(ids[known], kind), decimals))
    return Elements(out_ids.copy() if out_ids is ids else out_ids, kind)


@rule_for(np.linalg.trace)
def _linalg_trace(
    graph: Graph, x: Any, /, *, offset: int = 0, dtype: Any = None
) -> Elements:
    return _trace(graph, x, offset, -2, -1, dtype)


@rule_for(np.trace)
def _trace(
    graph: Graph,
    a: Any,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    out: None = None,
) -> Elements:
    """``[[{0}, {1}], [{2}, {3}]] -> {0, 3}``."""
    diagonal = ids_of(graph, a).diagonal(offset, axis1, axis2)
    operand = Operand(graph, diagonal, dtype_of(a))
    return reductions.reduce(graph, np.add, operand, -1, dtype)


@rule_for(np.median, np.nanmedian)
def _median(
    graph: Graph,
    a: Any,
    axis: Any = None,
    out: None = None,
    overwrite_input: Any = False,
    keepdims: Any = False,
) -> Elements:
    return _whole_axis(graph, a, axis, _inexact(dtype_of(a)), keepdims, True, np.median)


@rule_for(np.ptp)
def _ptp(graph: Graph, a: Any, axis: Any = None, out: None = None, keepdims: Any = False) -> Elements:
    return _whole_axis(graph, a, axis, dtype_of(a), keepdims, True, np.ptp)


def _quantile(scale: float, *functions: Callable[..., Any]) -> None:
    def rule(
        graph: Graph,
        a: Any,
        q: Any,
        axis: Any = None,
        out: None = None,
        overwrite_input: Any = False,
        method: str = "linear",
        keepdims: Any = False,
        *,
        weights: Any = None,
        **options: Any,
    ) -> Elements:
        def values(rows: Any, axis: int) -> Any:
            return np.quantile(rows, 0.5, axis=axis)

        kind = _inexact(dtype_of(a))
        if contains_traced(q) or (weights is not None and contains_traced(weights)):
            base = _whole_axis(graph, a, axis, kind, keepdims, True, values)
            out_ids: Ids = np.maximum(base.ids, OPAQUE)
            if weights is not None and contains_traced(weights):
                every = graph.union_rows(ids_of(graph, weights).reshape(-1))
                out_ids = graph.union(out_ids, np.broadcast_to(every, out_ids.shape))
            levels = ids_of(graph, q)
            shape = levels.shape + (1,) * out_ids.ndim
            return Elements(graph.union(out_ids[(None,) * levels.ndim], levels.reshape(shape)), kind)
        levels_ = constant_values(q)
        base = _whole_axis(graph, a, axis, kind, keepdims, True, values)
        graph.pure = False
        shape = levels_.shape + base.ids.shape
        return Elements(np.broadcast_to(np.maximum(base.ids, OPAQUE), shape).copy(), kind)

    rule_for(*functions)(rule)


_quantile(1.0, np.quantile, np.nanquantile)
_quantile(100.0, np.percentile, np.nanpercentile)


def _prefix(ufunc: np.ufunc, *functions: Callable[..., Any]) -> None:
    def rule(
        graph: Graph, a: Any, axis: Any = None, dtype: Any = None, out: None = None
    ) -> Elements:
        ids, kind = ids_of(graph, a), dtype_of(a)
        if axis is None:
            ids, axis = ids.reshape(-1), 0
        return reductions.accumulate(graph, ufunc, Operand(graph, ids, kind), axis, dtype)

    rule_for(*functions)(rule)


_prefix(np.add, np.cumsum, np.nancumsum)
_prefix(np.multiply, np.cumprod, np.nancumprod)


def _cumulative(ufunc: np.ufunc, function: Callable[..., Any]) -> None:
    def rule(
        graph: Graph,
        x: Any,
        /,
        *,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        include_initial: bool = False,
    ) -> Elements:
        ids, kind = ids_of(graph, x), dtype_of(x)
        if axis is None:
            if ids.ndim > 1:
                raise ValueError("For arrays which have more than one dimension `axis` is required.")
            ids, axis = ids.reshape(-1), 0
        found = reductions.accumulate(graph, ufunc, Operand(graph, ids, kind), axis, dtype)
        if include_initial:
            shape = list(ids.shape)
            shape[axis] = 1
            first = graph.constant(np.full(shape, ufunc.identity))
            return Elements(np.concatenate([first, found.ids], axis=axis), found.dtype)
        return found

    rule_for(function)(rule)


_cumulative(np.add, np.cumulative_sum)
_cumulative(np.multiply, np.cumulative_prod)


def _opaque(graph: Graph, sources: Any, shape: tuple[int, ...], dtype: Any) -> Elements:
    """Values that depend on `sources` with zero derivative."""
    graph.pure = False
    if graph.dependency:
        parts = [ids_of(graph, x).reshape(-1) for x in sources]
        every = graph.union_rows(np.concatenate(parts))
        return Elements(np.broadcast_to(every, shape).copy(), np.dtype(dtype))
    return Elements(np.full(shape, OPAQUE, np.int32), np.dtype(dtype))


def _index_reduction(*functions: Callable[..., Any]) -> None:
    def rule(
        graph: Graph, a: Any, axis: Any = None, out: None = None, *, keepdims: Any = False
    ) -> Elements:
        keep = keepdims is not np._NoValue and bool(keepdims)
        ids = ids_of(graph, a)
        rows, axes = reductions.core_last(ids, axis)
        graph.pure = False
        found = graph.union_rows(rows) if graph.dependency else np.full(
            rows.shape[:-1], OPAQUE, np.int32
        )
        if keep and axis is None:
            found = found.reshape((1,) * ids.ndim)
        elif keep:
            found = np.expand_dims(found, axes)
        return Elements(found, np.dtype(np.intp))

    rule_for(*functions)(rule)


_index_reduction(np.argmax, np.argmin, np.nanargmax, np.nanargmin)


@rule_for(np.count_nonzero)
def _count_nonzero(graph: Graph, a: Any, axis: Any = None, *, keepdims: Any = False) -> Elements:
    ids = ids_of(graph, a)
    rows, axes = reductions.core_last(ids, axis)
    known = (rows <= ZERO).all(axis=-1)
    counts = graph.constant(np.count_nonzero(graph.known_values(rows, dtype_of(a)), axis=-1))
    out = graph.union_rows(rows) if graph.dependency else np.full(
        rows.shape[:-1], OPAQUE, np.int32
    )
    out = np.where(known, counts, out)
    return Elements(np.expand_dims(out, axes) if keepdims and axes else out, np.dtype(np.intp))


def _sorted(graph: Graph, a: Any, axis: Any) -> Elements:
    ids = ids_of(graph, a)
    if axis is None:
        ids, axis = ids.reshape(-1), -1
    return Elements(reductions.spread(graph, ids, axis), dtype_of(a))


def _sorting_order(graph: Graph, a: Any, axis: Any) -> Elements:
    ids = ids_of(graph, a)
    if axis is None:
        ids, axis = ids.reshape(-1), -1
    graph.pure = False
    if graph.dependency:
        return Elements(reductions.spread(graph, ids, axis), np.dtype(np.intp))
    return Elements(np.full(ids.shape, OPAQUE, np.int32), np.dtype(np.intp))


@rule_for(np.sort)
def _sort(graph: Graph, a: Any, axis: Any = -1, *args: Any, **options: Any) -> Elements:
    return _sorted(graph, a, axis)


@rule_for(np.partition)
def _partition(
    graph: Graph, a: Any, kth: Any, axis: Any = -1, *args: Any, **options: Any
) -> Elements:
    return _sorted(graph, a, axis)


@rule_for(np.argsort)
def _argsort(graph: Graph, a: Any, axis: Any = -1, *args: Any, **options: Any) -> Elements:
    return _sorting_order(graph, a, axis)


@rule_for(np.argpartition)
def _argpartition(
    graph: Graph, a: Any, kth: Any, axis: Any = -1, *args: Any, **options: Any
) -> Elements:
    return _sorting_order(graph, a, axis)


@rule_for(np.searchsorted)
def _searchsorted(
    graph: Graph, a: Any, v: Any, side: str = "left", sorter: Any = None
) -> Elements:
    return _opaque(graph, [a, v], np.shape(v), np.intp)


@rule_for(np.digitize)
def _digitize(graph: Graph, x: Any, bins: Any, right: bool = False) -> Elements:
    return _opaque(graph, [x, bins], np.shape(x), np.intp)


@rule_for(np.lexsort)
def _lexsort(graph: Graph, keys: Any, axis: int = -1) -> Elements:
    ids = ids_of(graph, keys)
    return _opaque(graph, [keys], ids.shape[1:], np.intp)


@rule_for(np.isin)
def _isin(graph: Graph, element: Any, test_elements: Any, *args: Any, **options: Any) -> Elements:
    return _opaque(graph, [element, test_elements], np.shape(element), bool)


@rule_for(np.bincount)
def _bincount(
    graph: Graph, x: Any, /, weights: Any = None, minlength: int = 0
) -> Elements:
    """``bincount([0, 0, 1], [{0}, {1}, {2}]) -> [{0, 1}, {2}]``."""
    if is_traced(x) and is_uncertain(x):
        raise REFUSED.value_dependent("np.bincount")
    bins = (
        graph.known_values(ids_of(graph, x), dtype_of(x)) if contains_traced(x) else
        constant_values(x)
    ).astype(np.intp)
    size = max(int(bins.max(initial=-1)) + 1, int(minlength))
    target = Operand(graph, graph.constant(np.zeros(size)), np.dtype(float))
    reductions.at(graph, np.add, target, bins, weights)
    return Elements(target._ids, np.dtype(float))


@rule_for(np.histogram)
def _histogram(
    graph: Graph,
    a: Any,
    bins: Any = 10,
    range: Any = None,  # noqa: A002 - NumPy's own signature
    density: Any = None,
    weights: Any = None,
) -> tuple[Elements, Any]:
    if contains_traced(a) or contains_traced(bins):
        if weights is not None and contains_traced(weights):
            parts = graph.union_rows(ids_of(graph, weights).reshape(-1))
        else:
            parts = np.array(OPAQUE, np.int32)
        count = bins if isinstance(bins, (int, np.integer)) else np.shape(bins)[0] - 1
        graph.pure = False
        counts = Elements(np.broadcast_to(parts, (count,)).copy(), np.dtype(float))
        if graph.dependency:
            every = _opaque(graph, [a], (count,), float)
            counts = Elements(graph.union(counts.ids, every.ids), np.dtype(float))
        if isinstance(bins, (int, np.integer)):
            if range is not None:
                return counts, np.linspace(*range, count + 1)
            whole = graph.union_rows(ids_of(graph, a).reshape(-1))
            return counts, Elements(np.broadcast_to(whole, (count + 1,)).copy(), np.dtype(float))
        return counts, bins
    values = constant_values(a)
    edges = np.histogram_bin_edges(values, bins, range)
    place = np.searchsorted(edges, values.reshape(-1), side="right") - 1
    place[values.reshape(-1) == edges[-1]] = len(edges) - 2
    inside = (place >= 0) & (place < len(edges) - 1)
    target = Operand(graph, graph.constant(np.zeros(len(edges) - 1)), np.dtype(float))
    ids = ids_of(graph, weights).reshape(-1)[inside]
    reductions.at(graph, np.add, target, place[inside], Operand(graph, ids, np.dtype(float)))
    if density:
        every = graph.union_rows(ids_of(graph, weights).reshape(-1)[inside])
        spread = np.broadcast_to(every, target._ids.shape)
        return Elements(graph.union(target._ids, spread), np.dtype(float)), edges
    return Elements(target._ids, np.dtype(float)), edges
