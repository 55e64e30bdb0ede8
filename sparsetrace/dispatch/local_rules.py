"""Rules of a local trace that are tighter than the global ones.

Contract: each rule gives ids alone; `local` computes the values.  Ties keep both sides.

``max([1, 3, 3]) of [{0}, {1}, {2}]  ->  {1, 2}``
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.dispatch import elementwise as global_elementwise
from sparsetrace.dispatch import reductions
from sparsetrace.dispatch.operands import (
    Elements,
    contains_traced,
    dtype_of,
    ids_of,
    values_of,
)
from sparsetrace.dispatch.reductions import Axis, core_last
from sparsetrace.graph import OPAQUE, ZERO, Graph, Ids
from sparsetrace.rules.local import vanishes

__all__ = ["IN_PLACE", "RULES", "accumulate", "elementwise", "reduce", "reduceat"]

RULES: dict[Callable[..., Any], Callable[..., Any]] = {}
IN_PLACE: frozenset[Callable[..., Any]] = frozenset(
    (np.copyto, np.fill_diagonal, np.put, np.place, np.putmask, np.put_along_axis)
)


def _rule(*functions: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        RULES.update(dict.fromkeys(functions, handler))
        return handler

    return register


# ---------------------------------------------------------------- elementwise
def elementwise(graph: Graph, ufunc: np.ufunc, inputs: Any) -> list[Ids]:
    """Ids of every output: the union of the inputs whose partial does not vanish."""
    values = [np.asarray(values_of(x)) for x in inputs]
    shape = np.broadcast_shapes(*(v.shape for v in values))
    parts: list[Ids | None] = []
    for i, x in enumerate(inputs):
        if not contains_traced(x):
            parts.append(None)
            continue
        ids = ids_of(graph, x)
        mask = vanishes(ufunc, i, values) if graph.values else None
        if mask is not None and mask.any():
            ids = np.where(mask, np.int32(OPAQUE), ids)
        parts.append(ids)
    outs = []
    for letters in global_elementwise.letters(graph, ufunc):
        live = [p for p, letter in zip(parts, letters, strict=True) if letter == "1" and p is not None]
        if live:
            out = np.broadcast_to(graph.union_all(live), shape)
            outs.append(np.maximum(out, OPAQUE))
        else:
            outs.append(np.full(shape, OPAQUE, np.int32))
    return outs


# ----------------------------------------------------------------- reductions
_EXTREMES = frozenset((np.maximum, np.minimum, np.fmax, np.fmin))


def reduce(
    graph: Graph,
    ufunc: np.ufunc,
    x: Any,
    axis: Axis = 0,
    dtype: Any = None,
    keepdims: Any = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> Ids:
    """Ids of ``ufunc.reduce(x, axis, ...)``."""
    ids, values = ids_of(graph, x), np.asarray(values_of(x))
    if axis is not None and ids.ndim == 0:
        axis = None
    rows, axes = core_last(ids, axis)
    points = core_last(values, axis)[0]
    counted = np.ones(points.shape, bool)
    if where is not True and where is not np._NoValue:
        counted = core_last(np.broadcast_to(values_of(where), values.shape), axis)[0]
    has_initial = initial is not np._NoValue and initial is not None
    first = values_of(initial) if has_initial else None
    keep = counted & _contributing(graph, ufunc, points, counted, first)
    letters = global_elementwise.letters(graph, ufunc)[0]
    if letters == "00":
        out = np.full(rows.shape[:-1], OPAQUE, np.int32)
    else:
        out = graph.union_rows(np.where(keep, rows, np.int32(ZERO)))
        if has_initial and contains_traced(initial):
            out = graph.union(out, ids_of(graph, initial))
    keepdims = keepdims is not np._NoValue and bool(keepdims)
    return np.expand_dims(out, axes) if keepdims and axes else out


def _contributing(
    graph: Graph,
    ufunc: np.ufunc,
    points: NDArray[Any],
    counted: NDArray[np.bool_],
    first: Any,
) -> NDArray[np.bool_]:
    """Which elements of each row the reduction's derivative does not vanish for."""
    everything = np.ones(points.shape, bool)
    if not graph.values or not points.shape[-1]:
        return everything
    if ufunc in _EXTREMES:
        options: dict[str, Any] = {} if first is None else {"initial": first}
        lowest = ufunc in (np.maximum, np.fmax)
        fill = -np.inf if lowest else np.inf
        if points.dtype.kind == "c":
            return everything
        shown = np.where(counted, points.astype(float), fill)
        best = ufunc.reduce(shown, axis=-1, keepdims=True, **options)
        return (shown == best) | np.isnan(best)
    if ufunc is np.multiply:
        zero = (points == 0) & counted
        number = np.count_nonzero(zero, axis=-1, keepdims=True)
        if first is not None and first == 0:
            return np.zeros(points.shape, bool)
        return (number == 0) | (zero & (number == 1))
    return everything


def accumulate(
    graph: Graph, ufunc: np.ufunc, x: Any, axis: int = 0, dtype: Any = None
) -> Ids:
    """Ids of ``ufunc.accumulate(x, axis)``."""
    ids, values = ids_of(graph, x), np.asarray(values_of(x))
    axis = normalize_axis_index(axis, ids.ndim)
    rows, points = np.moveaxis(ids, axis, -1), np.moveaxis(values, axis, -1)
    if global_elementwise.letters(graph, ufunc)[0] == "00":
        return np.full(ids.shape, OPAQUE, np.int32)
    if ufunc in _EXTREMES and graph.values and points.dtype.kind != "c":
        out = _running_extreme(graph, ufunc, rows, points)
    else:
        out = rows.copy()
        step = 1
        while step < rows.shape[-1]:
            out[..., step:] = graph.union(out[..., step:], out[..., :-step])
            step *= 2
        if ufunc is np.multiply and graph.values:
            out = _running_product(rows, points, out)
    return np.moveaxis(out, -1, axis)


def _running_extreme(graph: Graph, ufunc: np.ufunc, rows: Ids, points: NDArray[Any]) -> Ids:
    """Prefix extremes by doubling: the better side's ids, both at a tie."""
    out, best = rows.copy(), points.astype(float)
    step = 1
    while step < rows.shape[-1]:
        here, there = best[..., step:], best[..., :-step]
        both = ufunc(here, there)
        keep_here = np.where((here == both) | np.isnan(both), out[..., step:], np.int32(OPAQUE))
        keep_there = np.where((there == both) | np.isnan(both), out[..., :-step], np.int32(OPAQUE))
        united = graph.union(keep_here, keep_there)
        best = np.concatenate([best[..., :step], both], axis=-1)
        out = np.concatenate([out[..., :step], united], axis=-1)
        step *= 2
    return out


def _running_product(rows: Ids, points: NDArray[Any], prefixes: Ids) -> Ids:
    """After one zero only that zero's element matters, after two nothing does."""
    zeros = np.cumsum(points == 0, axis=-1)
    places = np.where((points == 0) & (zeros == 1), np.arange(points.shape[-1]), 0)
    first = np.maximum.accumulate(places, axis=-1)
    alone = np.take_along_axis(rows, first, axis=-1)
    return np.where(zeros == 0, prefixes, np.where(zeros == 1, alone, np.int32(OPAQUE)))


def reduceat(
    graph: Graph, ufunc: np.ufunc, x: Any, indices: Any, axis: int = 0, dtype: Any = None
) -> Ids:
    """Ids of ``ufunc.reduceat(x, indices, axis)``."""
    ids, values = ids_of(graph, x), np.asarray(values_of(x))
    axis = normalize_axis_index(axis, ids.ndim)
    rows, points = np.moveaxis(ids, axis, 0), np.moveaxis(values, axis, 0)
    starts = np.asarray(values_of(indices)).astype(int).tolist()
    stops = [*starts[1:], len(rows)]
    parts = []
    for lo, hi in zip(starts, stops, strict=True):
        piece = slice(lo, max(hi, lo + 1))
        operand = reductions.Operand(graph, rows[piece], dtype_of(x), points[piece])
        parts.append(reduce(graph, ufunc, operand, 0))
    return np.moveaxis(np.stack(parts), 0, axis)


def _reduction(ufunc: np.ufunc, *functions: Callable[..., Any], typed: bool = False) -> None:
    def rule(
        graph: Graph, a: Any, axis: Any = None, *rest: Any, keepdims: Any = False,
        initial: Any = np._NoValue, where: Any = True, **options: Any,
    ) -> Elements:
        names = ("dtype", "out", "keepdims") if typed else ("out", "keepdims")
        given = dict(zip(names, rest, strict=False))
        keepdims = given.get("keepdims", keepdims)
        points = np.asarray(values_of(a))
        operand = a
        if any(f.__name__.startswith("nan") for f in functions) and points.dtype.kind == "f":
            where = ~np.isnan(points) if where is True else where & ~np.isnan(points)
        ids = reduce(graph, ufunc, operand, axis, None, keepdims, initial, where)
        return Elements(ids, points.dtype)

    _rule(*functions)(rule)


_reduction(np.add, np.sum, typed=True)
_reduction(np.add, np.nansum, typed=True)
_reduction(np.multiply, np.prod, typed=True)
_reduction(np.multiply, np.nanprod, typed=True)
_reduction(np.maximum, np.max, np.amax)
_reduction(np.minimum, np.min, np.amin)
_reduction(np.fmax, np.nanmax)
_reduction(np.fmin, np.nanmin)


def _prefix(ufunc: np.ufunc, *functions: Callable[..., Any]) -> None:
    def rule(graph: Graph, a: Any, axis: Any = None, *rest: Any, **options: Any) -> Elements:
        ids, values = ids_of(graph, a), np.asarray(values_of(a))
        if axis is None:
            ids, values, axis = ids.reshape(-1), values.reshape(-1), 0
        operand = reductions.Operand(graph, ids, dtype_of(a), values)
        return Elements(accumulate(graph, ufunc, operand, axis), values.dtype)

    _rule(*functions)(rule)


_prefix(np.add, np.cumsum)
_prefix(np.multiply, np.cumprod)


# ------------------------------------------------------- order and selection
def _ordered(graph: Graph, a: Any, axis: Any) -> tuple[Ids, NDArray[Any], int]:
    """Ids and values in sorted order along the axis; elements that tie share their union."""
    ids, values = ids_of(graph, a), np.asarray(values_of(a))
    if axis is None:
        ids, values, axis = ids.reshape(-1), values.reshape(-1), 0
    axis = normalize_axis_index(axis, ids.ndim)
    order = np.argsort(values, axis=axis, kind="stable")
    ids = np.take_along_axis(ids, order, axis)
    values = np.take_along_axis(values, order, axis)
    rows, points = np.moveaxis(ids, axis, -1).copy(), np.moveaxis(values, axis, -1)
    flat, shown = rows.reshape(-1, rows.shape[-1]), points.reshape(-1, rows.shape[-1])
    for i in np.flatnonzero((shown[:, 1:] == shown[:, :-1]).any(axis=1)).tolist():
        cuts = np.flatnonzero(np.diff(shown[i])) + 1
        for lo, hi in zip([0, *cuts.tolist()], [*cuts.tolist(), len(shown[i])], strict=True):
            if hi - lo > 1:
                flat[i, lo:hi] = graph.union_rows(flat[i, lo:hi])
    return np.moveaxis(flat.reshape(rows.shape), -1, axis), values, axis


@_rule(np.sort)
def _sort(graph: Graph, a: Any, axis: Any = -1, *args: Any, **options: Any) -> Elements:
    ids, values, _ = _ordered(graph, a, axis)
    return Elements(ids, values.dtype)


@_rule(np.partition)
def _partition(
    graph: Graph, a: Any, kth: Any, axis: Any = -1, *args: Any, **options: Any
) -> Elements:
    ids, values = ids_of(graph, a), np.asarray(values_of(a))
    if axis is None:
        ids, values, axis = ids.reshape(-1), values.reshape(-1), -1
    order = np.argpartition(values, kth, axis=axis)
    return Elements(np.take_along_axis(ids, order, axis), values.dtype)


@_rule(np.median)
def _median(
    graph: Graph, a: Any, axis: Any = None, *args: Any, keepdims: Any = False, **options: Any
) -> Elements:
    ids, values = ids_of(graph, a), np.asarray(values_of(a))
    rows, axes = core_last(ids, axis)
    points = core_last(values, axis)[0]
    operand = reductions.Operand(graph, rows, values.dtype, points)
    ordered, _, _ = _ordered(graph, operand, -1)
    n = rows.shape[-1]
    middle = ordered[..., (n - 1) // 2 : n // 2 + 1]
    out = graph.union_rows(middle)
    bad = np.isnan(points).any(axis=-1)
    out = np.where(bad, graph.union_rows(rows), out)
    keepdims = keepdims is not np._NoValue and bool(keepdims)
    return Elements(np.expand_dims(out, axes) if keepdims else out, values.dtype)


@_rule(np.ptp)
def _ptp(graph: Graph, a: Any, axis: Any = None, *args: Any, keepdims: Any = False) -> Elements:
    high = reduce(graph, np.maximum, a, axis, None, keepdims)
    low = reduce(graph, np.minimum, a, axis, None, keepdims)
    return Elements(graph.union(high, low), dtype_of(a))


@_rule(np.where)
def _where(graph: Graph, condition: Any, x: Any = None, y: Any = None, /) -> Elements | None:
    if x is None:
        return None  # the indices are whole numbers
    mask = np.asarray(values_of(condition), bool)
    return Elements(np.where(mask, ids_of(graph, x), ids_of(graph, y)), dtype_of(x))


@_rule(np.select)
def _select(graph: Graph, condlist: Any, choicelist: Any, default: Any = 0) -> Elements:
    conditions = [np.asarray(values_of(c), bool) for c in condlist]
    choices = [ids_of(graph, c) for c in choicelist]
    return Elements(np.select(conditions, choices, ids_of(graph, default)), np.dtype(float))


@_rule(np.choose)
def _choose(graph: Graph, a: Any, choices: Any, out: None = None, mode: str = "raise") -> Elements:
    parts = [np.array(p) for p in np.broadcast_arrays(*(ids_of(graph, c) for c in choices))]
    return Elements(np.choose(values_of(a), parts, mode=mode), np.dtype(float))  # type: ignore[call-overload]


@_rule(np.clip)
def _clip(
    graph: Graph, a: Any, a_min: Any = np._NoValue, a_max: Any = np._NoValue, out: None = None,
    **options: Any,
) -> Any:
    low, high = options.get("min", a_min), options.get("max", a_max)
    found = a
    if low is not None and low is not np._NoValue:
        found = np.maximum(found, low)
    if high is not None and high is not np._NoValue:
        found = np.minimum(found, high)
    return Elements(ids_of(graph, found).copy(), dtype_of(a))


@_rule(np.piecewise)
def _piecewise(
    graph: Graph, x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any
) -> Elements:
    """As NumPy does it: each function gets the elements where its condition holds."""
    if not isinstance(condlist, (list, tuple)) or (len(condlist) and np.ndim(condlist[0]) == 0):
        condlist = [condlist]
    conditions = [np.asarray(values_of(c), bool) for c in condlist]
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        rest = ~np.logical_or.reduce(conditions)
        conditions.append(rest)
    ids = np.zeros(np.shape(x), np.int32)
    for condition, function in zip(conditions, functions, strict=True):
        where = np.broadcast_to(condition, ids.shape)
        value = function(x[where], *args, **kwargs) if callable(function) else function
        ids[where] = ids_of(graph, value)
    return Elements(ids, dtype_of(x))


@_rule(np.interp)
def _interp(
    graph: Graph, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Elements | None:
    """The cell that each x falls into: its two nodes, and x unless the cell is level."""
    if period is not None or contains_traced(left) or contains_traced(right):
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
    if contains_traced(x):
        dead = level | ~inside
        parts.append(np.where(dead, np.int32(OPAQUE), ids_of(graph, x)))
    for table, flat in ((fp, False), (xp, True)):
        if contains_traced(table):
            ids = ids_of(graph, table)
            left_end = np.where(points < nodes[0], 0, cell)
            left_end = np.where(points > nodes[-1], n - 1, left_end)
            right_end = np.where(inside, following, left_end)
            beneath = np.where(at_node, np.maximum(cell - 1, 0), left_end)
            for end in (left_end, right_end, beneath):
                part = ids[end]
                if flat:
                    part = np.where(level | ~inside, np.int32(OPAQUE), part)
                parts.append(part)
    out = np.broadcast_to(graph.union_all(parts), shape)
    return Elements(np.maximum(out, OPAQUE), np.dtype(float))


@_rule(np.unique)
def _unique(
    graph: Graph, ar: Any, return_index: bool = False, return_inverse: bool = False,
    return_counts: bool = False, axis: Any = None, *, equal_nan: bool = True, sorted: bool = True,  # noqa: A002
) -> Any:
    """Each distinct value unites the elements that have it."""
    ids, values = ids_of(graph, ar), np.asarray(values_of(ar))
    if axis is not None:
        return None
    _, inverse, counts = np.unique(
        values, return_inverse=True, return_counts=True, equal_nan=equal_nan
    )
    order = np.argsort(inverse.reshape(-1), kind="stable")
    members = ids.reshape(-1)[order]
    bounds = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=bounds[1:])
    out = np.array(
        [
            int(graph.union_rows(members[lo:hi]))
            for lo, hi in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
        ],
        np.int32,
    ).reshape(len(counts))
    found = Elements(out, values.dtype, keep_array=True)
    extra = [None] * sum(map(bool, (return_index, return_inverse, return_counts)))
    return (found, *extra) if extra else found


@_rule(np.linalg.norm)
def _norm(
    graph: Graph, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False  # noqa: A002
) -> Any:
    """Vector norms element by element; matrix norms by the whole matrix."""
    ids = ids_of(graph, x)
    vector = ord is None or ids.ndim == 1 or isinstance(axis, (int, np.integer))
    if not vector:
        return None
    size = np.abs(x)
    if ord in (np.inf, -np.inf):
        ufunc = np.maximum if ord > 0 else np.minimum
        return Elements(reduce(graph, ufunc, size, axis, None, keepdims), np.dtype(float))
    points = np.asarray(values_of(x))
    # the derivative of a power above one vanishes where the element is zero
    counted: Any = True
    if ord is None or (isinstance(ord, (int, float)) and ord > 1 and np.isfinite(ord)):
        others = np.count_nonzero(points, axis=axis, keepdims=True) > 0
        counted = (points != 0) | ~others
    if ord == 0:
        return None
    return Elements(reduce(graph, np.add, size, axis, None, keepdims, where=counted), np.dtype(float))
