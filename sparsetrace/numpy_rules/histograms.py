"""Rules of functions that count into bins.

Contract: which bin an element falls into has no derivative; the weights that a bin adds up
have one.  The bin of a constant element is known, and only that bin depends on its weight::

    bincount([0, 0, 1], [{0}, {1}, {2}])  ->  [{0, 1}, {2}]
"""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.complex_parts import joined, parts_of
from sparsetrace.graph.graph import ZERO, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.numpy_rules.indexing import constant_key, want_bounds, write
from sparsetrace.operands.complex_operands import moved_ids
from sparsetrace.operands.constants import chosen_values, constants, plain_values
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    Operand,
    contains_traced,
    dtype_of,
    ids_of,
    values_of,
)
from sparsetrace.operands.raising import may_raise
from sparsetrace.operands.refusals import REFUSED
from sparsetrace.operands.registry import rule_for
from sparsetrace.operands.ufunc_at import at

__all__: list[str] = []


@rule_for(np.bincount, signature="x, /, weights=None, minlength=0")
def _bincount(trace: Trace, x, weights, minlength) -> Elements:
    bins = chosen_values(trace, x)
    if bins is None:
        np.bincount(np.zeros(1, dtype_of(x)))  # NumPy refuses what is no whole number
        return _unknown_counts(trace, x, weights, minlength)
    if contains_traced(x):
        x = bins
    ones = None if weights is None else np.ones(np.shape(weights), dtype_of(weights))
    counts = np.bincount(x, ones, minlength)  # NumPy raises its own errors
    if weights is None or not counts.size or not bins.size:
        return constants(trace, counts)
    places, dtype = bins.astype(np.intp), dtype_of(weights)
    return Elements(_added(trace, places, ids_of(trace, weights), len(counts), dtype), FLOAT)


def _unknown_counts(trace: Trace, x, weights, minlength) -> Elements:
    """Sums of the weights in bins that the inputs choose, where these are sure to be enough."""
    want_bounds(trace)
    high = np.inf if trace.bounds is None else np.max(trace.bounds.of(x)[1], initial=-1)
    if contains_traced(minlength) or not high < minlength:
        raise REFUSED.value_dependent("np.bincount")
    dtype = np.dtype(np.intp) if weights is None else FLOAT
    added = constants(trace, np.ones(np.shape(x), dtype)).ids
    if weights is not None:
        if np.shape(weights) != np.shape(x):
            raise ValueError("The weights and list don't have the same length.")
        added = moved_ids(trace, weights, FLOAT)
    target = np.asarray(trace.graph.constant(np.zeros(minlength, dtype)))
    may_raise(trace, partial(ValueError, "'list' argument must have no negative elements"))
    write(trace, target, constant_key(trace, x)[0], added)
    return Elements(target, dtype)


def _added(
    trace: Trace, places: NDArray[Any], weights: Ids, size: int, dtype: np.dtype[Any]
) -> Ids:
    """The sums of the weights at each place."""
    if dtype.kind == "c":
        parts = parts_of(trace.graph, weights)
        return joined(trace.graph, *(_added(trace, places, ids, size, FLOAT) for ids in parts))
    target = Operand(trace, trace.graph.constant(np.zeros(size)), FLOAT)
    at(trace, np.add, target, places, Operand(trace, weights, dtype))
    return target._ids


def _everything(trace: Trace, *sources) -> Ids:
    """The union of all elements of all sources; opaque if there are none."""
    ids = [ids_of(trace, x).reshape(-1) for x in sources if x is not None]
    return trace.graph.union_rows(np.concatenate(ids or [np.zeros(0, np.int32)]))


def _edges(trace: Trace, a, bins, range_) -> Any:
    """The edges as `np.histogram_bin_edges` gives them, traced or plain."""
    if isinstance(bins, str):
        raise REFUSED.value_dependent(f"np.histogram(bins={bins!r})")
    if np.ndim(bins):
        edges = plain_values(trace, bins)
        if edges is None:
            edges = np.zeros(np.shape(bins))
        if edges.ndim != 1 or (edges[:-1] > edges[1:]).any():
            np.histogram_bin_edges(np.zeros(0), edges)  # NumPy raises its own error
        return bins if contains_traced(bins) else np.asarray(bins)
    count = chosen_values(trace, bins)
    if count is None:
        raise REFUSED.value_dependent("np.histogram(bins=)")
    bins = count[()]
    np.histogram_bin_edges(np.zeros(0), bins)
    if range_ is not None and not contains_traced(range_):
        return np.histogram_bin_edges(np.zeros(1, dtype_of(a)), bins, range_)
    values = plain_values(trace, a)
    if range_ is None and values is not None:
        return np.histogram_bin_edges(values, bins)
    if range_ is None:
        low, high = (Elements(ids, FLOAT) for ids in _extremes(trace, a))
    else:
        low, high = (Elements(ids_of(trace, end), dtype_of(end)) for end in range_)
    both = trace.graph.union(low.ids, high.ids)
    ids = np.full(int(bins) + 1, both, np.int32)
    ids[0], ids[-1] = low.ids, high.ids
    dtype = np.result_type(dtype_of(a), np.float32)
    return Elements(ids, dtype if dtype.kind in "fc" else FLOAT)


def _extremes(trace: Trace, a) -> tuple[Ids, Ids]:
    """The ids of the smallest and of the largest element; any may be where values are unknown."""
    if not trace.local:
        return (_everything(trace, a),) * 2
    ids, values = ids_of(trace, a).reshape(-1), np.asarray(values_of(a)).reshape(-1)
    low, high = (trace.graph.union_rows(ids[values == end]) for end in (values.min(), values.max()))
    return low, high


@rule_for(np.histogram_bin_edges)
def _histogram_bin_edges(trace: Trace, a, bins, range) -> Any:
    return _edges(trace, a, bins, range)


def _ids(trace: Trace, x) -> Ids:
    return x.ids if isinstance(x, Elements) else ids_of(trace, x)


@rule_for(np.histogram)
def _histogram(trace: Trace, a, bins, range, density, weights) -> tuple[Elements, Any]:
    edges = _edges(trace, a, bins, range)
    known_edges = None if isinstance(edges, Elements) else plain_values(trace, edges)
    values = plain_values(trace, a)
    widths = density and known_edges is None
    if trace.local and not trace.dependency:
        values = np.asarray(values_of(a))
        known_edges = np.histogram_bin_edges(values, values_of(bins), values_of(range))
    dtype = np.dtype(np.intp) if weights is None else dtype_of(weights)
    dtype = np.dtype(float) if density else dtype
    empty: Any = False
    if values is not None and known_edges is not None:
        counts = np.histogram(values, known_edges)[0]
        if weights is None and not widths:
            with np.errstate(all="ignore"):
                counts = np.histogram(values, known_edges, density=density)[0]
            return Elements(constants(trace, counts).ids, dtype), edges
        empty = counts == 0
        if weights is None:
            weights = np.ones(values.shape)
        inside, places = _places(values.reshape(-1), known_edges)
        picked = ids_of(trace, weights).reshape(-1)[inside]
        size = len(known_edges) - 1
        ids = _added(trace, places[inside], picked, size, dtype_of(weights))
        divisor = _divisors(trace, picked, places[inside], size)
    else:
        shape = (_ids(trace, edges).shape[0] - 1,)
        total = (
            np.array(trace.graph.opaque, np.int32)
            if weights is None
            else _everything(trace, weights)
        )
        if trace.dependency:
            total = trace.graph.union(total, _everything(trace, a))
            if known_edges is None:
                total = trace.graph.union(total, trace.graph.union_rows(_ids(trace, edges)))
        ids, divisor = np.broadcast_to(total, shape).copy(), total
    if density:
        ids = trace.graph.union(ids, np.broadcast_to(divisor, ids.shape))
    if widths:  # counts are divided by the widths of the bins
        result = _ids(trace, edges)
        apart = trace.graph.union_all([ids, result[1:], result[:-1]])
        ids = np.where(empty, ids, apart)
    if density:
        ids = _divided(trace, interact_all(trace.graph, ids))
    return Elements(ids, dtype), edges


def _divided(trace: Trace, ids: Ids) -> Ids:
    """Sums after they were divided: those that are constants are others now."""
    return ids if trace.local else np.where(ids < ZERO, np.int32(trace.graph.opaque), ids)


def _places(
    values: NDArray[Any], edges: NDArray[Any]
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Which values lie between the edges, and in which bin; the last bin is closed."""
    places = np.searchsorted(edges, values, side="right") - 1
    places[values == edges[-1]] = len(edges) - 2
    return (places >= 0) & (places < len(edges) - 1), places


def _divisors(trace: Trace, picked: Ids, places: NDArray[np.intp], size: int) -> Ids:
    """What a density divides each bin by, the sum of all weights; nothing of an empty bin."""
    empty = np.bincount(places, minlength=size) == 0
    return np.where(empty, np.int32(trace.graph.opaque), trace.graph.union_rows(picked))


def _cell_edges(trace: Trace, a, bins, range_) -> Any:
    """As `_edges`; those of `np.histogramdd` have another dtype."""
    if not np.ndim(bins):
        if range_ is not None and not contains_traced(range_):
            return np.histogramdd(np.zeros((0, 1)), [bins], [range_])[1][0]
        values = plain_values(trace, a) if range_ is None else None
        if values is not None:
            return np.histogramdd(values.reshape(-1, 1), [bins])[1][0]
    return _edges(trace, a, bins, range_)


def _edge_values(values, bins, range_) -> Any:
    return np.histogramdd(values.reshape(-1, 1), [values_of(bins)], [values_of(range_)])[1][0]


@rule_for(np.histogramdd)
def _histogramdd(trace: Trace, sample, bins, range, density, weights) -> Any:
    """Counts in cells, and the edges of each dimension."""
    columns = _columns(sample)
    dimensions = len(columns)
    many = [bins] * dimensions if _count(bins) is None else bins
    ranges = [None] * dimensions if range is None else range
    edges = [_cell_edges(trace, *item) for item in zip(columns, many, ranges, strict=True)]
    shape = tuple(_ids(trace, e).shape[0] - 1 for e in edges)
    values = [plain_values(trace, column) for column in columns]
    known = [None if isinstance(e, Elements) else plain_values(trace, e) for e in edges]
    moving = [k is None for k in known]
    if trace.local and not trace.dependency:
        values = [np.asarray(values_of(column)) for column in columns]
        known = [_edge_values(*item) for item in zip(values, many, ranges, strict=True)]
    if all(v is not None for v in (*values, *known)):
        sample_ = np.stack([v for v in values if v is not None], axis=-1)
        plain = [k for k in known if k is not None]
        if weights is None and not (density and any(moving)):
            with np.errstate(all="ignore"):
                return constants(trace, np.histogramdd(sample_, plain, density=density)[0]), edges
        if weights is None:
            weights = np.ones(len(sample_))
        inside = np.ones(len(sample_), bool)
        flat_bins = np.zeros(len(sample_), np.intp)
        for value, edge, size in zip(sample_.T, plain, shape, strict=True):
            within, places = _places(value, edge)
            inside &= within
            flat_bins = flat_bins * size + places
        picked = ids_of(trace, weights)[inside]
        ids = _added(trace, flat_bins[inside], picked, prod(shape), dtype_of(weights))
        divisor = _divisors(trace, picked, flat_bins[inside], prod(shape))
    else:
        divisor = (
            np.array(trace.graph.opaque, np.int32)
            if weights is None
            else _everything(trace, weights)
        )
        if trace.dependency:
            every = [Operand(trace, _ids(trace, e), FLOAT) for e in edges]
            divisor = trace.graph.union(divisor, _everything(trace, *columns, *every))
        divisor = np.broadcast_to(divisor, prod(shape))
        ids = np.array(divisor)
    if density:
        sources = [ids, divisor]
        for axis, (edge, moves) in enumerate(zip(edges, moving, strict=True)):
            if moves:  # each cell is divided by its own widths
                result = _ids(trace, edge)
                width = trace.graph.union(result[1:], result[:-1])
                along = width.reshape((-1,) + (1,) * (dimensions - 1 - axis))
                sources.append(np.broadcast_to(along, shape).reshape(-1))
        ids = _divided(trace, interact_all(trace.graph, trace.graph.union_all(sources)))
    return Elements(ids.reshape(shape), FLOAT), edges


def _columns(sample) -> list[Any]:
    """The sample's coordinates, one array each: columns of an array, or a sequence."""
    if isinstance(sample, np.ndarray):
        table = sample if sample.ndim == 2 else sample.reshape(-1, 1)
        return [table[:, i] for i in np.arange(table.shape[1])]
    return list(sample)


@rule_for(np.histogram2d)
def _histogram2d(trace: Trace, x, y, bins, range, density, weights) -> Any:
    if np.shape(x)[:1] != np.shape(y)[:1]:
        raise ValueError("x and y must have the same length.")
    pair = bins if _count(bins) in (None, 1, 2) else [bins, bins]
    counts, edges = _histogramdd(trace, [x, y], pair, range, density, weights)
    return counts, edges[0], edges[1]


def _count(bins) -> int | None:
    return None if isinstance(bins, (int, np.integer)) else len(bins)
