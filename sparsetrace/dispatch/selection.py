"""Rules of functions that choose: where, select, piecewise, clip, take, interp.

Contract: a constant condition chooses; one that depends on the inputs may go either
way, so the result unites the candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.dispatch import elementwise, indexing
from sparsetrace.dispatch.operands import (
    Elements,
    Operand,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_plain,
    is_uncertain,
)
from sparsetrace.dispatch.refused import REFUSED
from sparsetrace.dispatch.registry import rule_for
from sparsetrace.dispatch.settled import (
    choose,
    chosen_values,
    converted,
    known_mask,
    plain_values,
)
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph import OPAQUE, ZERO, Graph, Ids
from sparsetrace.interactions import bend, interact

__all__: list[str] = []


@rule_for(np.where)
def _where(graph: Graph, condition: Any, x: Any = None, y: Any = None, /) -> Elements:
    if x is None and y is None:
        raise REFUSED.error(np.nonzero, "np.where(condition)")
    out = choose(graph, condition, ids_of(graph, x), ids_of(graph, y))
    return Elements(out, _weak_result(x, y))


_PYTHON_NUMBERS = (bool, int, float, complex)


def _weak_result(*values: Any) -> np.dtype[Any]:
    """The common dtype; Python numbers give way, as NumPy's promotion has it."""
    kinds = [v if type(v) in _PYTHON_NUMBERS else dtype_of(v) for v in values]
    return np.result_type(*kinds)


@rule_for(np.select)
def _select(graph: Graph, condlist: Any, choicelist: Any, default: Any = 0) -> Elements:
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    shape = np.broadcast_shapes(*(np.shape(c) for c in (*condlist, *choicelist, default)))
    out = np.broadcast_to(ids_of(graph, default), shape)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        out = choose(graph, condition, ids_of(graph, choice), out)
    return Elements(np.array(np.broadcast_to(out, shape)), _weak_result(*choicelist, default))


@rule_for(np.choose)
def _choose(graph: Graph, a: Any, choices: Any, out: None = None, mode: str = "raise") -> Elements:
    parts = [ids_of(graph, c) for c in choices]
    dtype = _weak_result(*choices)
    places = chosen_values(graph, a)
    if places is not None:
        stacked = [np.array(p) for p in np.broadcast_arrays(*parts)]
        return Elements(np.choose(places, stacked, mode=mode), dtype)  # type: ignore[call-overload]
    union = graph.union_all(parts)
    if graph.dependency:
        union = graph.union(union, ids_of(graph, a))
    shape = np.broadcast_shapes(np.shape(a), union.shape)
    graph.pure = False
    return Elements(np.maximum(np.broadcast_to(union, shape), OPAQUE), dtype)


@rule_for(np.piecewise)
def _piecewise(
    graph: Graph, x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any
) -> Elements:
    """A function gets the elements where its condition holds; all of x if that is unknown."""
    nested = isinstance(condlist, (list, tuple, np.ndarray)) and np.ndim(condlist) > 0
    if not nested or (np.ndim(x) and not isinstance(condlist[0], (list, np.ndarray))):
        condlist = [condlist]
    conditions, functions = list(condlist), list(funclist)
    if len(functions) == len(conditions) + 1:
        conditions.append(~np.logical_or.reduce(np.stack(conditions), axis=0))
    if len(functions) != len(conditions):
        raise ValueError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or "
            f"{len(conditions) + 1} functions are expected"
        )
    kind = dtype_of(x)
    out = np.zeros(np.shape(x), np.int32)
    graph.pure = False

    def piece(function: Any, where: Any) -> Ids:
        value = function(x[where], *args, **kw) if callable(function) else function
        return converted(graph, ids_of(graph, value), dtype_of(value), kind)

    # later conditions win, as they do in np.piecewise
    for condition, function in zip(conditions, functions, strict=True):
        mask = known_mask(graph, condition)
        if mask is None:
            found = np.broadcast_to(piece(function, ...), out.shape)
            out = np.array(choose(graph, condition, found, out))
        elif mask.any():
            out[mask] = piece(function, mask)
    return Elements(out, kind)


@rule_for(np.clip)
def _clip(
    graph: Graph,
    a: Any,
    a_min: Any = np._NoValue,
    a_max: Any = np._NoValue,
    out: None = None,
    *,
    min: Any = np._NoValue,
    max: Any = np._NoValue,
    **options: Any,
) -> Elements:
    unknown = [name for name, value in options.items() if not (name == "where" and value is True)]
    if unknown:
        raise UnsupportedError(
            explain(
                f"np.clip({unknown[0]}=)",
                "this option has no rule",
                "Use np.where on the clipped array.",
            )
        )
    found = Elements(ids_of(graph, a).copy(), dtype_of(a))
    low = min if a_min is np._NoValue else a_min
    high = max if a_max is np._NoValue else a_max
    for bound, ufunc in ((low, np.maximum), (high, np.minimum)):
        if bound is not None and bound is not np._NoValue:
            operand = Operand(graph, found.ids, found.dtype)
            (found,) = elementwise.call(graph, ufunc, (operand, bound))
    return found


@rule_for(np.take)
def _take(
    graph: Graph, a: Any, indices: Any, axis: Any = None, out: None = None, mode: str = "raise"
) -> Elements:
    ids = ids_of(graph, a)
    indices, unsure = indexing.constant_key(graph, indices)
    if not unsure:
        places = constant_values(indices)
        return Elements(np.asarray(np.take(ids, places, axis, mode=mode)), dtype_of(a))  # type: ignore[call-overload]
    if axis is None:
        ids, axis = ids.reshape(-1), 0
    axis = normalize_axis_index(axis, ids.ndim)
    key = (*(slice(None),) * axis, indices)
    return Elements(indexing.read(graph, ids, key), dtype_of(a))


@rule_for(np.take_along_axis)
def _take_along_axis(graph: Graph, arr: Any, indices: Any, axis: Any = -1) -> Any:
    if not (contains_traced(indices) and is_uncertain(indices)):
        fixed, _ = indexing.constant_key(graph, indices)
        moved = np.take_along_axis(ids_of(graph, arr), constant_values(fixed), axis)
        return Elements(moved, dtype_of(arr))
    ids = ids_of(graph, arr)
    if axis is None:
        ids, axis = ids.reshape(-1), 0
    axis = normalize_axis_index(axis, ids.ndim)
    united = graph.union_rows(np.moveaxis(ids, axis, -1))
    shape = np.broadcast_shapes(
        np.shape(indices), tuple(1 if i == axis else n for i, n in enumerate(ids.shape))
    )
    out: Ids = np.maximum(np.broadcast_to(np.expand_dims(united, axis), shape), OPAQUE)
    if graph.dependency:
        out = graph.union(out, ids_of(graph, indices))
    return Elements(out, dtype_of(arr))


@rule_for(np.interp)
def _interp(
    graph: Graph, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Elements:
    """Each result depends on its own x, and on the nodes next to it.

    Which nodes those are is known if x and xp are; else any may be.
    """
    shape = np.shape(x)
    xp, fp = (v if contains_traced(v) else constant_values(v) for v in (xp, fp))
    kind = np.result_type(dtype_of(fp), float)
    table = not (contains_traced(xp) or contains_traced(fp)) and left is right is period is None
    if table and is_plain(graph, x) and np.size(fp) and (fp != fp.flat[0]).any():
        return Elements(np.array(x._ids), kind)
    points = [plain_values(graph, v) for v in (x, xp, 0.0 if period is None else period)]
    if all(v is not None for v in points):
        ends = [None if v is None else ids_of(graph, v) for v in (left, right)]
        cycle = None if period is None else abs(float(points[2]))  # type: ignore[arg-type]
        return Elements(_between(graph, points[0], points[1], fp, ends, cycle), kind)
    parts: list[Ids] = []
    if contains_traced(x):
        heights = plain_values(graph, fp)
        if heights is None or not graph.values or (heights != heights.flat[0]).any():
            parts.append(ids_of(graph, x))
        else:
            # level, with steps at most where the table ends
            outside = [v for v in (left, right) if v is not None]
            if all(_equals(graph, v, heights.flat[0]) for v in outside):
                graph.pure = False
                return Elements(graph.constant(np.full(shape, heights.flat[0])), kind)
            ids = ids_of(graph, x)
            parts.append(ids if graph.dependency else np.full(shape, OPAQUE, np.int32))
    for table in (xp, fp, left, right, period):
        if table is not None and contains_traced(table):
            every = graph.union_rows(ids_of(graph, table).reshape(-1))
            parts.append(np.broadcast_to(every, shape))
    out = np.maximum(graph.union_all(parts), OPAQUE)
    if (out <= OPAQUE).any():
        graph.pure = False
    if graph.second_order:
        if contains_traced(xp) or contains_traced(period):
            out = bend(graph, out)
        elif contains_traced(x) and contains_traced(fp):  # linear in each
            heights = graph.union_rows(ids_of(graph, fp).reshape(-1))
            out = interact(graph, out, [(ids_of(graph, x), heights)], cut=graph.local)
    return Elements(out, kind)


def _equals(graph: Graph, x: Any, value: Any) -> bool:
    known = plain_values(graph, x)
    return known is not None and bool((known == value).all())


def _between(
    graph: Graph, x: Any, xp: Any, fp: Any, ends: Sequence[Ids | None], period: float | None
) -> Ids:
    """Interpolation at known places: two nodes for each, one at a node or outside."""
    heights, kind = ids_of(graph, fp), dtype_of(fp)
    left, right = ends
    if period is not None:
        x, xp = x % period, xp % period
        order = np.argsort(xp)
        xp, heights = xp[order], heights[order]
        xp = np.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        heights = np.concatenate((heights[-1:], heights, heights[:1]))
        left = right = None
    n = len(xp)
    lower = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, n - 1)
    upper = np.minimum(lower + 1, n - 1)
    single = (x <= xp[lower]) | (lower == n - 1)
    out = graph.union(heights[lower], heights[np.where(single, lower, upper)])
    for end, outside in ((left, x < xp[0]), (right, x > xp[-1])):
        if end is not None:
            out = np.where(outside, np.maximum(end, OPAQUE), out)
    if (heights <= ZERO).any() or any(end is not None and end <= ZERO for end in (left, right)):
        graph.pure = False
        known = heights <= ZERO
        settled = known[lower] & known[np.where(single, lower, upper)]
        values = graph.known_values(heights, kind)
        sides = [None if e is None else graph.known_values(e, kind)[()] for e in (left, right)]
        for end, outside in ((left, x < xp[0]), (right, x > xp[-1])):
            if end is not None:
                settled = np.where(outside, end <= ZERO, settled)
        found = np.interp(x, xp, values, *sides)  # type: ignore[arg-type]
        out = np.where(settled, graph.constant(found), out)
    return np.asarray(out)
