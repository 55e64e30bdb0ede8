"""Rules of a local trace for ufuncs and reductions: dependencies that the values leave.

Contract: each rule gives ids alone; `local` computes the values.  Ties keep both sides.

``max([1, 3, 3]) of [{0}, {1}, {2}]  ->  {1, 2}``
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids
from sparsetrace.graph.interactions import bend
from sparsetrace.operands import elementwise as global_elementwise
from sparsetrace.operands import nonlinear
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    contains_traced,
    dtype_of,
    ids_of,
    landed,
    values_of,
)
from sparsetrace.operands.ufunc_reductions import (
    Axis,
    core_last,
    fold,
    judge_axis,
    prefix_unions,
    scan,
    segment_union,
    turns,
    write_flat,
)
from sparsetrace.rules.infinities import singular
from sparsetrace.rules.second_infinities import sharp
from sparsetrace.rules.special_ufuncs import SPECIAL_RULES
from sparsetrace.rules.zeros import vanishes

__all__ = [
    "IN_PLACE",
    "RULES",
    "accumulate",
    "at",
    "elementwise",
    "local_rule",
    "reduce",
    "reduceat",
]

RULES: dict[Callable[..., Any], Callable[..., Any]] = {}
IN_PLACE: frozenset[Callable[..., Any]] = frozenset(
    (np.copyto, np.fill_diagonal, np.put, np.place, np.putmask, np.put_along_axis)
)


def local_rule(
    *functions: Callable[..., Any],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated handler for these functions in local traces."""

    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        RULES.update(dict.fromkeys(functions, handler))
        return handler

    return register


# ---------------------------------------------------------------- elementwise
def elementwise(trace: Trace, ufunc: np.ufunc, inputs: Any) -> list[Ids]:
    """Ids of every output: the union of the inputs whose partial does not vanish."""
    values = [np.asarray(values_of(x)) for x in inputs]
    shape = np.broadcast_shapes(*(v.shape for v in values))
    if trace.singular is not None:
        _watch_singularities(trace, ufunc, inputs, values)
    parts: list[Ids | None] = []
    uncut: list[Ids | None] = []
    for i, x in enumerate(inputs):
        if not contains_traced(x):
            parts.append(None)
            uncut.append(None)
            continue
        ids = ids_of(trace, x)
        uncut.append(ids)
        mask = vanishes(ufunc, i, values) if trace.values else None
        if mask is not None and mask.any():
            ids = np.where(mask, np.int32(OPAQUE), ids)
        parts.append(ids)
    outs = []
    dtypes = [v.dtype for v in values]
    modulus = global_elementwise.of_modulus(ufunc, dtypes)
    for position, letters in enumerate(global_elementwise.letters(trace, ufunc, dtypes)):
        since = trace.graph.size
        live = [
            p for p, letter in zip(parts, letters, strict=True) if letter == "1" and p is not None
        ]
        if live:
            out = np.maximum(np.broadcast_to(trace.graph.union_all(live), shape), OPAQUE)
        else:
            out = np.full(shape, OPAQUE, np.int32)
        if trace.second_order and modulus:
            out = bend(trace.graph, out)
        elif trace.second_order and not nonlinear.is_linear(ufunc):
            out = nonlinear.curved_at_point(trace, ufunc, position, uncut, values, out, since)
        outs.append(out)
    return outs


def _watch_singularities(
    trace: Trace, ufunc: np.ufunc, inputs: Any, values: list[NDArray[Any]]
) -> None:
    """Where a derivative is infinite, what was cut before it may matter after all.

    ``cbrt(x ** 3)`` at 0 is x: the first derivative is zero, the second infinite.
    """
    mask = singular(ufunc, values)
    if trace.second_order or ufunc in SPECIAL_RULES:
        # of special functions, those whose first derivative is infinite are among these
        traced = [i for i, x in enumerate(inputs) if contains_traced(x)]
        second = sharp(ufunc, values, traced)
        mask = second if mask is None else mask if second is None else mask | second
    if mask is None or not mask.any():
        return
    for x in inputs:
        if contains_traced(x) and (mask & (np.asarray(ids_of(trace, x)) > ZERO)).any():
            assert trace.singular is not None
            trace.singular()


# ----------------------------------------------------------------- reductions
_SUMS = frozenset((np.add, np.subtract))
"""No value of one operand cuts the other."""
_EXTREMES = frozenset((np.maximum, np.minimum, np.fmax, np.fmin))


def reduce(
    trace: Trace,
    ufunc: np.ufunc,
    x: Any,
    axis: Axis = 0,
    dtype: Any = None,
    keepdims: Any = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> Ids:
    """Ids of ``ufunc.reduce(x, axis, ...)``."""
    ids, values = ids_of(trace, x), np.asarray(values_of(x))
    rows, axes = core_last(ids, axis)
    points = core_last(values, axis)[0]
    counted = np.ones(points.shape, bool)
    if where is not True and where is not np._NoValue:
        counted = core_last(np.broadcast_to(values_of(where), values.shape), axis)[0]
    has_initial = initial is not np._NoValue and initial is not None
    keepdims = keepdims is not np._NoValue and bool(keepdims)
    if trace.second_order and not nonlinear.is_linear(ufunc):
        found = _combined(trace, ufunc, rows, points, counted, initial if has_initial else None)
        return np.expand_dims(found, axes) if keepdims and axes else found
    first = values_of(initial) if has_initial else None
    keep = counted & _contributing(trace, ufunc, points, counted, first)
    letters = global_elementwise.letters(trace, ufunc)[0]
    if letters == "00":
        out = np.full(rows.shape[:-1], OPAQUE, np.int32)
        if rows.shape[-1] == 1 and not has_initial:  # one element is its own reduction
            out = np.array(rows[..., 0])
    else:
        out = trace.graph.union_rows(np.where(keep, rows, np.int32(ZERO)))
        if has_initial and contains_traced(initial):
            out = trace.graph.union(out, ids_of(trace, initial))
    return np.expand_dims(out, axes) if keepdims and axes else out


def _combined(
    trace: Trace,
    ufunc: np.ufunc,
    rows: Ids,
    points: NDArray[Any],
    counted: NDArray[np.bool_],
    initial: Any,
) -> Ids:
    """Rows reduced one call after the other, as a trace of second order wants it."""
    if not counted.all():
        rows = np.where(counted, rows, np.int32(ZERO))
        points = np.where(counted, points, points.dtype.type(ufunc.identity))
    if initial is not None:
        shape = (*rows.shape[:-1], 1)
        first = np.broadcast_to(ids_of(trace, initial), shape)
        rows = np.concatenate([first, rows], axis=-1)
        points = np.concatenate([np.broadcast_to(values_of(initial), shape), points], axis=-1)
    if not rows.shape[-1]:
        return np.full(rows.shape[:-1], OPAQUE, np.int32)
    operand = Operand(trace, rows, points.dtype, points)
    return np.array(fold(ufunc, operand, _called(trace, ufunc))._ids)


def _called(trace: Trace, ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    def combine(a: Operand, b: Operand) -> Operand:
        (ids,) = elementwise(trace, ufunc, (a, b))
        with np.errstate(all="ignore"):
            values = ufunc(a._values, b._values)
        return Operand(trace, ids, values.dtype, values)

    return combine


def _contributing(
    trace: Trace,
    ufunc: np.ufunc,
    points: NDArray[Any],
    counted: NDArray[np.bool_],
    first: Any,
) -> NDArray[np.bool_]:
    """Which elements of each row the reduction's derivative does not vanish for."""
    everything = np.ones(points.shape, bool)
    if not trace.values or not points.shape[-1]:
        return everything
    if ufunc in _EXTREMES:
        options: dict[str, Any] = {} if first is None else {"initial": first}
        lowest = ufunc in (np.maximum, np.fmax)
        fill = -np.inf if lowest else np.inf
        if points.dtype.kind == "c":
            return everything
        shown = np.where(counted, points.astype(float), fill)
        best = ufunc.reduce(shown, axis=-1, keepdims=True, **options)
        reached: NDArray[np.bool_] = (shown == best) | np.isnan(best)
        return reached
    if ufunc is np.multiply:
        zero = (points == 0) & counted
        number = np.count_nonzero(zero, axis=-1, keepdims=True)
        if first is not None and first == 0:
            return np.zeros(points.shape, bool)
        alone: NDArray[np.bool_] = (number == 0) | (zero & (number == 1))
        return alone
    return everything


def accumulate(trace: Trace, ufunc: np.ufunc, x: Any, axis: int = 0, dtype: Any = None) -> Ids:
    """Ids of ``ufunc.accumulate(x, axis)``."""
    ids, values = ids_of(trace, x), np.asarray(values_of(x))
    axis = normalize_axis_index(axis, ids.ndim)
    rows, points = np.moveaxis(ids, axis, -1), np.moveaxis(values, axis, -1)
    if trace.second_order and not nonlinear.is_linear(ufunc):
        operand = Operand(trace, rows, points.dtype, points)
        found = scan(ufunc, operand, _called(trace, ufunc))._ids
        return np.moveaxis(np.array(found), -1, axis)
    if global_elementwise.letters(trace, ufunc)[0] == "00":
        out = np.full(rows.shape, OPAQUE, np.int32)
        out[..., :1] = rows[..., :1]  # the first prefix is the first element
        return np.moveaxis(out, -1, axis)
    if ufunc in _EXTREMES and trace.values and points.dtype.kind != "c":
        out = _running_extreme(trace, ufunc, rows, points)
    else:
        out = prefix_unions(trace, rows, rows.ndim - 1)
        if ufunc is np.multiply and trace.values:
            out = _running_product(rows, points, out)
    return np.moveaxis(out, -1, axis)


def _running_extreme(trace: Trace, ufunc: np.ufunc, rows: Ids, points: NDArray[Any]) -> Ids:
    """Prefix extremes by doubling: the better side's ids, both at a tie."""
    out, best = rows.copy(), points.astype(float)
    step = 1
    while step < rows.shape[-1]:
        here, there = best[..., step:], best[..., :-step]
        both = ufunc(here, there)
        keep_here = np.where((here == both) | np.isnan(both), out[..., step:], np.int32(OPAQUE))
        keep_there = np.where((there == both) | np.isnan(both), out[..., :-step], np.int32(OPAQUE))
        united = trace.graph.union(keep_here, keep_there)
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
    trace: Trace, ufunc: np.ufunc, x: Any, indices: Any, axis: int = 0, dtype: Any = None
) -> Ids:
    """Ids of ``ufunc.reduceat(x, indices, axis)``."""
    ids, values = ids_of(trace, x), np.asarray(values_of(x))
    axis = normalize_axis_index(axis, ids.ndim)
    rows, points = np.moveaxis(ids, axis, 0), np.moveaxis(values, axis, 0)
    starts = np.asarray(values_of(indices)).astype(int).tolist()
    stops = [*starts[1:], len(rows)]
    parts = []
    for lo, hi in zip(starts, stops, strict=True):
        piece = slice(lo, max(hi, lo + 1))
        operand = Operand(trace, rows[piece], dtype_of(x), points[piece])
        parts.append(reduce(trace, ufunc, operand, 0))
    return np.moveaxis(np.stack(parts), 0, axis)


def at(trace: Trace, ufunc: np.ufunc, x: Any, indices: Any, *operands: Any) -> None:
    """The ids of ``ufunc.at(x, indices, b)``, in place.

    A place that is named several times takes its operands in turn, and what each of them
    cuts is seen at the value that the ones before it left there.
    """
    ids, points = x._ids, x._values
    places = np.arange(ids.size).reshape(ids.shape)[values_of(indices)]
    flat = places.reshape(-1)
    order = np.argsort(flat, kind="stable")
    target = flat[order]

    def spread(held: Any) -> NDArray[Any]:
        return np.array(np.broadcast_to(held, places.shape).reshape(-1)[order])  # may be a view

    others: list[Any] = [
        Operand(trace, spread(ids_of(trace, b)), dtype_of(b), spread(values_of(b)))
        for b in operands
    ]
    unites = ufunc in _SUMS and not (trace.second_order and not nonlinear.is_linear(ufunc))
    if unites and len(target):
        unique = np.unique(target)
        old = ids.reshape(-1)[unique]
        write_flat(ids, unique, segment_union(trace, target, unique, others[0]._ids, old))
        return
    values = np.array(points)
    for now in turns(target):
        here = np.unravel_index(target[now], ids.shape)
        left = Operand(trace, ids[here], x._dtype, values[here])
        right = [Operand(trace, b._ids[now], b._dtype, b._values[now]) for b in others]
        (found,) = elementwise(trace, ufunc, (left, *right))
        ids[here] = landed(trace, x._dtype, found)
        with np.errstate(all="ignore"):
            values[here] = ufunc(left._values, *(b._values for b in right))


def _reduction(ufunc: np.ufunc, *functions: Callable[..., Any], typed: bool = False) -> None:
    def rule(
        trace: Trace,
        a: Any,
        axis: Any = None,
        *rest: Any,
        keepdims: Any = False,
        initial: Any = np._NoValue,
        where: Any = True,
        **options: Any,
    ) -> Elements:
        names = ("dtype", "out", "keepdims") if typed else ("out", "keepdims")
        given = dict(zip(names, rest, strict=False))
        keepdims = given.get("keepdims", keepdims)
        points = np.asarray(values_of(a))
        operand = a
        if any(f.__name__.startswith("nan") for f in functions) and points.dtype.kind == "f":
            where = ~np.isnan(points) if where is True else where & ~np.isnan(points)
        ids = reduce(trace, ufunc, operand, axis, None, keepdims, initial, where)
        return Elements(ids, points.dtype)

    local_rule(*functions)(rule)


_reduction(np.add, np.sum, typed=True)
_reduction(np.add, np.nansum, typed=True)
_reduction(np.multiply, np.prod, typed=True)
_reduction(np.multiply, np.nanprod, typed=True)
_reduction(np.maximum, np.max, np.amax)
_reduction(np.minimum, np.min, np.amin)
_reduction(np.fmax, np.nanmax)
_reduction(np.fmin, np.nanmin)


def _prefix(ufunc: np.ufunc, *functions: Callable[..., Any]) -> None:
    def rule(trace: Trace, a: Any, axis: Any = None, *rest: Any, **options: Any) -> Elements:
        ids, values = np.atleast_1d(ids_of(trace, a)), np.atleast_1d(values_of(a))
        judge_axis(axis, ids.ndim, functions[0])
        if axis is None:
            ids, values, axis = ids.reshape(-1), values.reshape(-1), 0
        operand = Operand(trace, ids, dtype_of(a), values)
        return Elements(accumulate(trace, ufunc, operand, axis), values.dtype)

    local_rule(*functions)(rule)


_prefix(np.add, np.cumsum)
_prefix(np.multiply, np.cumprod)
