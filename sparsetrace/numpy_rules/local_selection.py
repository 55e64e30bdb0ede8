"""Rules of a local trace for functions that order, choose and look up by value.

Contract: each rule gives ids alone, or None to follow the global rule.  Elements that
tie share the union of their dependencies.

``sort([3, 1, 2]) of [{0}, {1}, {2}]  ->  [{1}, {2}, {0}]``
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact
from sparsetrace.numpy_rules.local_reductions import local_rule, reduce
from sparsetrace.numpy_rules.quantiles import STEPS
from sparsetrace.numpy_rules.selection import NO_NUMBERS, replaced
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    contains_traced,
    dtype_of,
    ids_of,
    landed,
    values_of,
)
from sparsetrace.operands.ufunc_reductions import axes_of, core_last

__all__: list[str] = []


def _ordered(trace: Trace, a: Any, axis: Any, **direction: Any) -> tuple[Ids, NDArray[Any], int]:
    """Ids and values in sorted order along the axis; elements that tie share their union."""
    ids, values = ids_of(trace, a), np.asarray(values_of(a))
    if axis is None:
        ids, values, axis = ids.reshape(-1), values.reshape(-1), 0
    axis = normalize_axis_index(axis, ids.ndim)
    order = np.argsort(values, axis=axis, stable=True, **direction)
    ids = np.take_along_axis(ids, order, axis)
    values = np.take_along_axis(values, order, axis)
    rows, points = np.moveaxis(ids, axis, -1).copy(), np.moveaxis(values, axis, -1)
    table = prod(rows.shape[:-1]), rows.shape[-1]  # -1 would ask for one that is not empty
    flat, shown = rows.reshape(table), points.reshape(table)
    for i in np.flatnonzero((shown[:, 1:] == shown[:, :-1]).any(axis=1)).tolist():
        cuts = np.flatnonzero(np.diff(shown[i])) + 1
        for lo, hi in zip([0, *cuts.tolist()], [*cuts.tolist(), len(shown[i])], strict=True):
            if hi - lo > 1:
                flat[i, lo:hi] = trace.graph.union_rows(flat[i, lo:hi])
    return np.moveaxis(flat.reshape(rows.shape), -1, axis), values, axis


@local_rule(np.sort)
def _sort(trace: Trace, a: Any, axis: Any = -1, *args: Any, **options: Any) -> Elements:
    direction = {name: x for name, x in options.items() if name == "descending"}  # NumPy 2.5
    ids, values, _ = _ordered(trace, a, axis, **direction)
    return Elements(ids, values.dtype)


@local_rule(np.sort_complex)
def _sort_complex(trace: Trace, a: Any) -> Elements:
    ids, values, _ = _ordered(trace, a, -1)
    return Elements(ids, values.dtype)


@local_rule(np.partition)
def _partition(
    trace: Trace, a: Any, kth: Any, axis: Any = -1, *args: Any, **options: Any
) -> Elements:
    ids, values = ids_of(trace, a), np.asarray(values_of(a))
    if axis is None:
        ids, values, axis = ids.reshape(-1), values.reshape(-1), -1
    axis = normalize_axis_index(axis, ids.ndim)
    order = np.argpartition(values, kth, axis=axis)
    return Elements(np.take_along_axis(ids, order, axis), values.dtype)


@local_rule(np.median)
def _median(
    trace: Trace,
    a: Any,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: Any = False,
) -> Elements:
    ids, values = ids_of(trace, a), np.asarray(values_of(a))
    axis = axes_of(axis, ids.ndim)
    rows, axes = core_last(ids, axis)
    points = core_last(values, axis)[0]
    operand = Operand(trace, rows, values.dtype, points)
    ordered, _, _ = _ordered(trace, operand, -1)
    n = rows.shape[-1]
    middle = ordered[..., (n - 1) // 2 : n // 2 + 1]
    bad = np.isnan(points).any(axis=-1)
    found = np.where(bad, trace.graph.union_rows(rows), trace.graph.union_rows(middle))
    keepdims = keepdims is not np._NoValue and bool(keepdims)
    return Elements(np.expand_dims(found, axes) if keepdims else found, values.dtype)


def _quantile(scale: float, function: Callable[..., Any]) -> None:
    def rule(
        trace: Trace,
        a: Any,
        q: Any,
        axis: Any = None,
        out: None = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: Any = False,
        *,
        weights: Any = None,
        **options: Any,
    ) -> Elements | None:
        """Interpolation between the two order statistics beside each level."""
        if options or (trace.dependency and (contains_traced(q) or contains_traced(weights))):
            return None
        if contains_traced(q) and method not in STEPS:
            return None
        values = np.asarray(values_of(a))
        axis = axes_of(axis, values.ndim)
        rows, axes = core_last(ids_of(trace, a), axis)
        points = core_last(values, axis)[0]
        if not points.shape[-1] or np.isnan(points).any():
            return None
        levels = np.asarray(values_of(q), float) / scale
        if weights is None:
            ordered, _, _ = _ordered(trace, Operand(trace, rows, values.dtype, points), -1)
            place = np.quantile(np.arange(rows.shape[-1]), levels.reshape(-1), method=method)  # type: ignore[call-overload]
            low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
            picked = trace.graph.union(ordered[..., low], ordered[..., high])
            out_ids = np.moveaxis(picked, -1, 0).reshape(levels.shape + rows.shape[:-1])
        else:  # each result is an element
            found = np.quantile(values, levels, axis, method=method, weights=values_of(weights))  # type: ignore[call-overload]
            trace.graph.pure = False
            hit = points == np.asarray(found)[..., None]
            out_ids = trace.graph.union_rows(np.where(hit, rows, np.int32(OPAQUE)))
        if keepdims is not np._NoValue and keepdims:
            out_ids = np.expand_dims(out_ids, tuple(levels.ndim + i for i in axes))
        return Elements(out_ids, np.dtype(float))

    local_rule(function)(rule)


for _scale, _functions in (
    (1.0, (np.quantile, np.nanquantile)),
    (100.0, (np.percentile, np.nanpercentile)),
):
    for _function in _functions:
        _quantile(_scale, _function)


@local_rule(np.ptp)
def _ptp(trace: Trace, a: Any, axis: Any = None, *args: Any, keepdims: Any = False) -> Elements:
    high = reduce(trace, np.maximum, a, axis, None, keepdims)
    low = reduce(trace, np.minimum, a, axis, None, keepdims)
    return Elements(trace.graph.union(high, low), dtype_of(a))


@local_rule(np.where)
def _where(trace: Trace, condition: Any, x: Any = None, y: Any = None, /) -> Elements | None:
    if x is None or y is None:
        return None  # the indices are whole numbers
    mask = np.asarray(values_of(condition), bool)
    return Elements(np.where(mask, ids_of(trace, x), ids_of(trace, y)), dtype_of(x))


@local_rule(np.select)
def _select(trace: Trace, condlist: Any, choicelist: Any, default: Any = 0) -> Elements:
    conditions = [np.asarray(values_of(c), bool) for c in condlist]
    choices = [ids_of(trace, c) for c in choicelist]
    return Elements(np.select(conditions, choices, ids_of(trace, default)), np.dtype(float))


@local_rule(np.choose)
def _choose(trace: Trace, a: Any, choices: Any, out: None = None, mode: str = "raise") -> Elements:
    parts = [np.array(p) for p in np.broadcast_arrays(*(ids_of(trace, c) for c in choices))]
    return Elements(np.choose(values_of(a), parts, mode=mode), np.dtype(float))  # type: ignore[call-overload]


@local_rule(np.clip)
def _clip(
    trace: Trace,
    a: Any,
    a_min: Any = np._NoValue,
    a_max: Any = np._NoValue,
    out: None = None,
    **options: Any,
) -> Any:
    low, high = options.get("min", a_min), options.get("max", a_max)
    found = a
    if low is not None and low is not np._NoValue:
        found = np.maximum(found, low)
    if high is not None and high is not np._NoValue:
        found = np.minimum(found, high)
    return Elements(ids_of(trace, found).copy(), dtype_of(a))


@local_rule(np.nan_to_num)
def _nan_to_num(
    trace: Trace, x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """What is no number takes the number given; the parts of complex ones are not told apart."""
    ids, values = ids_of(trace, x), np.asarray(values_of(x))
    out = np.array(ids)
    if values.dtype.kind in "fc":
        for fill, name in ((nan, "nan"), (posinf, "posinf"), (neginf, "neginf")):
            places = NO_NUMBERS[name](values)
            new = np.int32(OPAQUE) if fill is None else np.maximum(ids_of(trace, fill), OPAQUE)
            if values.dtype.kind == "c":
                new = trace.graph.union(out, np.broadcast_to(new, out.shape))
            out = np.where(places, new, out)
    return replaced(trace, x, Elements(out, values.dtype), copy=copy)


@local_rule(np.piecewise)
def _piecewise(
    trace: Trace, x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any
) -> Elements:
    """As NumPy does it: each function gets the elements where its condition holds."""
    condlist = values_of(condlist)
    if np.ndim(x) == 0:
        row = np.reshape(x, (1,))
        conditions = [np.reshape(np.asarray(c, bool), (1,)) for c in np.atleast_1d(condlist)]
        found = _piecewise(trace, row, conditions, funclist, *args, **kwargs)
        values = found.values.reshape(())
        return Elements(found.ids.reshape(()), found.dtype, values, keep_array=True)
    # as NumPy reads them: one condition, or a sequence of them
    if np.isscalar(condlist) or (
        not isinstance(condlist[0], (list, np.ndarray)) and np.ndim(x) != 0
    ):
        condlist = [condlist]
    conditions = [np.asarray(c, bool) for c in condlist]
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        rest = ~np.logical_or.reduce(conditions)
        conditions.append(rest)
    kind = dtype_of(x)
    ids, values = np.zeros(np.shape(x), np.int32), np.zeros(np.shape(x), kind)
    for condition, function in zip(conditions, functions, strict=True):
        where = np.broadcast_to(condition, ids.shape)
        value = function(x[where], *args, **kwargs) if callable(function) else function
        ids[where] = landed(trace, kind, ids_of(trace, value))
        values[where] = values_of(value)
    # the functions may use traced values themselves: NumPy is not to call them again
    return Elements(ids, kind, values, keep_array=True)


@local_rule(np.interp)
def _interp(
    trace: Trace, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Elements | None:
    """The cell that each x falls into: its two nodes, and x unless the cell is level."""
    if period is not None or contains_traced(left) or contains_traced(right):
        return None
    if np.asarray(values_of(fp)).dtype.kind == "c":
        return None
    points, nodes, heights = (np.asarray(values_of(v), float) for v in (x, xp, fp))
    shape = points.shape
    n = len(nodes)
    inside = (points >= nodes[0]) & (points <= nodes[-1])
    cell = np.clip(np.searchsorted(nodes, points, side="right") - 1, 0, max(n - 2, 0))
    following = np.minimum(cell + 1, n - 1)
    at_node = inside & (points == nodes[np.minimum(np.searchsorted(nodes, points), n - 1)])
    level = (heights[following] == heights[cell]) & ~at_node
    parts = []
    uncut = []  # a level cell has no slope in x, but a mixed second derivative
    if contains_traced(x):
        dead = level | ~inside
        uncut.append(np.where(inside, ids_of(trace, x), np.int32(OPAQUE)))
        parts.append(np.where(dead, np.int32(OPAQUE), ids_of(trace, x)))
    for table, flat in ((fp, False), (xp, True)):
        if contains_traced(table):
            ids = ids_of(trace, table)
            left_end = np.where(points < nodes[0], 0, cell)
            left_end = np.where(points > nodes[-1], n - 1, left_end)
            right_end = np.where(inside, following, left_end)
            beneath = np.where(at_node, np.maximum(cell - 1, 0), left_end)
            for end in (left_end, right_end, beneath):
                part = ids[end]
                uncut.append(np.where(inside | (not flat), part, np.int32(OPAQUE)))
                if flat:
                    part = np.where(level | ~inside, np.int32(OPAQUE), part)
                parts.append(part)
    out = np.maximum(np.broadcast_to(trace.graph.union_all(parts), shape), OPAQUE)
    if trace.second_order and contains_traced(xp):
        united = np.broadcast_to(trace.graph.union_all(uncut), shape)
        out = interact(trace.graph, out, [(united, united)], cut=True)
    elif trace.second_order and contains_traced(x) and contains_traced(fp):
        out = interact(trace.graph, out, [(uncut[0], end) for end in uncut[1:]], cut=True)
    return Elements(out, np.dtype(float))


@local_rule(np.linalg.norm)
def _norm(
    trace: Trace,
    x: Any,
    ord: Any = None,
    axis: Any = None,
    keepdims: Any = False,
) -> Any:
    """Vector norms element by element; matrix norms by the whole matrix."""
    if contains_traced(ord):
        return None
    ids = ids_of(trace, x)
    axis = int(axis) if isinstance(axis, (int, float, np.number)) else axis
    vector = ord is None or ids.ndim == 1 or isinstance(axis, int)
    if not vector:
        return None
    size = np.abs(x)
    if ord in (np.inf, -np.inf):
        ufunc = np.maximum if ord > 0 else np.minimum
        return Elements(reduce(trace, ufunc, size, axis, None, keepdims), np.dtype(float))
    points = np.asarray(values_of(x))
    if ord == 0:
        return None
    power = 2.0 if ord is None else float(ord)
    # the derivative of a power above one vanishes where the element is zero
    counted: Any = True
    if power > 1 and trace.values:
        others = np.count_nonzero(points, axis=axis, keepdims=True) > 0
        counted = (points != 0) | ~others
    out = reduce(trace, np.add, size, axis, None, keepdims, where=counted)
    if trace.second_order and power != 1:
        if 0 < power < 2 and trace.singular is not None and (points == 0).any():
            trace.singular()  # the second derivative is infinite
        # beside zeros alone an element's absolute value is the norm
        several = np.count_nonzero(points, axis=axis, keepdims=keepdims is True) != 1
        curved = np.where(several | (not trace.values), out, np.int32(OPAQUE))
        out = interact(trace.graph, out, [(curved, curved)])
        if power == 2:  # but not the second one: sqrt(x * x + y * y) at x = 0
            zeros = np.where(points == 0, ids, np.int32(OPAQUE))
            nothing = np.full(ids.shape, OPAQUE, np.int32)
            squares = interact(trace.graph, nothing, [(zeros, zeros)], cut=True)
            operand = Operand(trace, squares, points.dtype, points)
            out = trace.graph.union(out, reduce(trace, np.add, operand, axis, None, keepdims))
    return Elements(out, np.dtype(float))
