"""Rules of functions that choose: where, select, piecewise, clip, take, interp.

Contract: a constant condition chooses; one that depends on the inputs may go either
way, so the result unites the candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import nonzero, trim_zeros
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.context import Trace
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph.complex_parts import PartIds
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids
from sparsetrace.graph.interactions import interact
from sparsetrace.numpy_rules import indexing
from sparsetrace.operands import elementwise
from sparsetrace.operands.constants import (
    choose,
    chosen_values,
    converted,
    known_mask,
    plain_values,
)
from sparsetrace.operands.implementations import conversion
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    Operand,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    is_traced_array,
    is_uncertain,
    promotion_of,
    python_type,
    unwatched,
)
from sparsetrace.operands.refusals import REFUSED
from sparsetrace.operands.registry import rule_for

__all__ = ["NO_NUMBERS", "replaced"]


@rule_for(np.where, signature="condition, x=None, y=None, /")
def _where(trace: Trace, condition, x, y) -> Elements:
    if (x is None) != (y is None):
        raise ValueError("either both or neither of x and y should be given")
    if x is None:
        raise REFUSED.error(nonzero, "np.where(condition)")
    out = choose(trace, condition, ids_of(trace, x), ids_of(trace, y))
    return Elements(out, _weak_result(x, y), keep_array=True)


def _weak_result(*values: Any) -> np.dtype[Any]:
    """The common dtype; Python numbers give way, as NumPy's promotion has it."""
    strong = [v for v in values if type(v) not in (bool, int, float)]
    if strong and all(getattr(v, "dtype", None) is FLOAT for v in strong):
        return FLOAT
    return np.result_type(*map(promotion_of, values))


@rule_for(np.select)
def _select(trace: Trace, condlist, choicelist, default) -> Elements:
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    for i, condition in enumerate(condlist):
        if dtype_of(condition).kind != "b":
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    shape = np.broadcast_shapes(*(np.shape(c) for c in (*condlist, *choicelist, default)))
    out = np.broadcast_to(ids_of(trace, default), shape)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        out = choose(trace, condition, ids_of(trace, choice), out)
    return Elements(np.array(np.broadcast_to(out, shape)), _weak_result(*choicelist, default))


@rule_for(np.choose)
def _choose(trace: Trace, a, choices, mode) -> Elements:
    if not np.can_cast(dtype_of(a), np.intp):
        raise TypeError(f"Cannot cast array data from {dtype_of(a)!r} to an index")
    parts = [ids_of(trace, c) for c in choices]
    dtype = _weak_result(*choices)
    places = chosen_values(trace, a)
    if places is not None:
        stacked = [np.array(p) for p in np.broadcast_arrays(*parts)]
        return Elements(np.choose(places, stacked, mode=mode), dtype)
    union = trace.graph.union_all(parts)
    if trace.dependency:
        union = trace.graph.union(union, ids_of(trace, a))
    shape = np.broadcast_shapes(np.shape(a), union.shape)
    trace.graph.pure = False
    return Elements(np.maximum(np.broadcast_to(union, shape), OPAQUE), dtype)


@rule_for(np.piecewise)
def _piecewise(trace: Trace, x, condlist, funclist, args, kw) -> Elements:
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
    if is_traced(x):
        x = conversion(x, copy=False)
    kind = dtype_of(x)
    out = np.zeros(np.shape(x), np.int32)
    trace.graph.pure = False

    def piece(function: Any, where: Any) -> Ids:
        value = function(x[where], *args, **kw) if callable(function) else function
        return converted(trace, ids_of(trace, value), dtype_of(value), kind)

    # later conditions win, as they do in np.piecewise
    for condition, function in zip(conditions, functions, strict=True):
        mask = known_mask(trace, condition)
        if mask is None:
            found = np.broadcast_to(piece(function, ...), out.shape)
            out = np.array(choose(trace, condition, found, out))
        elif mask.any():
            out[mask] = piece(function, mask)
    return Elements(out, kind, keep_array=True)


@rule_for(np.clip)
def _clip(trace: Trace, a, a_min, a_max, kwargs, min=np._NoValue, max=np._NoValue) -> Elements:
    if kwargs.get("where", True) is not True:
        raise UnsupportedError(
            explain("np.clip(where=)", "this option has no rule", "Use np.where on the result.")
        )
    low, high = _bounds(a_min, a_max, min, max)
    kind = None
    if kwargs:  # NumPy judges them
        samples = [None if x is None else _sample(x) for x in (a, low, high)]
        kind = np.clip(*samples, **kwargs).dtype
    found = Elements(ids_of(trace, a).copy(), dtype_of(a))
    for bound, ufunc in ((low, np.maximum), (high, np.minimum)):
        if bound is not None:
            operand = Operand(trace, found.ids, found.dtype)
            (found,) = elementwise.call(trace, ufunc, (operand, bound))
    if not (low is None or high is None or trace.dependency):
        found = Elements(_level(trace, found.ids, low, high), found.dtype)
    if kind is None:
        return found
    return Elements(converted(trace, found.ids, found.dtype, kind), kind)


def _level(trace: Trace, ids: Ids, low: Any, high: Any) -> Ids:
    """Ids after a clip to known bounds; between bounds that cross there is one number."""
    if type(low) in (int, float) and type(high) in (int, float) and low < high:
        return ids
    if contains_traced(low) or contains_traced(high) or not np.any(np.greater_equal(low, high)):
        return ids
    if np.iscomplexobj(low) or np.iscomplexobj(high):
        return ids
    trace.graph.pure = False
    return np.where(np.greater_equal(low, high), np.minimum(ids, OPAQUE), ids)


def _bounds(a_min: Any, a_max: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """The bounds of a call of ``np.clip``, None where there is none."""
    if a_min is a_max is np._NoValue:
        a_min, a_max = (None if x is np._NoValue else x for x in (low, high))
    elif a_min is np._NoValue or a_max is np._NoValue:
        missing = "a_min" if a_min is np._NoValue else "a_max"
        raise TypeError(f"clip() missing 1 required positional argument: '{missing}'")
    elif low is not np._NoValue or high is not np._NoValue:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is "
            "forbidden."
        )
    return a_min, a_max


def _sample(x: Any) -> Any:
    """A number or an array that NumPy's promotion takes as it takes `x`."""
    if python_type(type(x)) is None:
        return np.zeros((1,) * bool(np.ndim(x)), dtype_of(x))
    return promotion_of(x) if is_traced(x) else x


@rule_for(np.nan_to_num)
def _nan_to_num(trace: Trace, x, copy, nan, posinf, neginf) -> Any:
    """An element stays as it is, or takes the number given, if it is no number."""
    ids, kind = ids_of(trace, x), dtype_of(x)
    out = np.array(ids)
    if kind.kind in "fc":
        fills = {"nan": nan, "posinf": posinf, "neginf": neginf}
        traced = {k: ids_of(trace, f) for k, f in fills.items() if contains_traced(f)}
        known = ids <= ZERO
        for fill in traced.values():
            out = np.where(known, out, trace.graph.union(out, fill))
        if known.any():
            values = trace.graph.known_values(ids, kind)
            plain = {k: f for k, f in fills.items() if k not in traced}
            out[known] = trace.graph.constant(np.nan_to_num(values[known], **plain))
            for name, fill in traced.items():
                places = known & NO_NUMBERS[name](values)
                out = np.where(places, trace.graph.union(out, fill), out)
    return replaced(trace, x, Elements(out, kind), copy=copy)


NO_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "nan": np.isnan,
    "posinf": lambda x: (x.real == np.inf) | (x.imag == np.inf),
    "neginf": lambda x: (x.real == -np.inf) | (x.imag == -np.inf),
}


def replaced(trace: Trace, x: Any, found: Elements, *, copy: bool) -> Any:
    """The result itself, or `x` with its elements."""
    if copy or not is_traced_array(x):
        return found
    if isinstance(x._ids, PartIds):
        raise UnsupportedError(
            explain(
                "np.nan_to_num(copy=False)",
                "its target is the real or imaginary part of a complex array",
                "Leave copy=False away.",
            )
        )
    x._ids[...] = found.ids
    return x


@rule_for(np.take)
def _take(trace: Trace, a, indices, axis, mode) -> Elements:
    ids = ids_of(trace, a)
    places, unsure = indexing.constant_key(trace, indices)
    if not unsure:
        return Elements(np.asarray(np.take(ids, places, axis, mode=mode)), dtype_of(a))
    if axis is None:
        ids, axis = ids.reshape(-1), 0
    axis = normalize_axis_index(axis, ids.ndim)
    key = (*(slice(None),) * axis, places)
    return Elements(indexing.read(trace, ids, key), dtype_of(a))


@rule_for(np.take_along_axis)
def _take_along_axis(trace: Trace, arr, indices, axis) -> Any:
    if not (contains_traced(indices) and is_uncertain(indices)):
        fixed, _ = indexing.constant_key(trace, indices)
        moved = np.take_along_axis(ids_of(trace, arr), constant_values(fixed), axis)
        return Elements(moved, dtype_of(arr))
    ids = ids_of(trace, arr)
    if axis is None:
        ids, axis = ids.reshape(-1), 0
    axis = normalize_axis_index(axis, ids.ndim)
    united = trace.graph.union_rows(np.moveaxis(ids, axis, -1))
    shape = np.broadcast_shapes(
        np.shape(indices), tuple(1 if i == axis else n for i, n in enumerate(ids.shape))
    )
    out: Ids = np.maximum(np.broadcast_to(np.expand_dims(united, axis), shape), OPAQUE)
    if trace.dependency:
        out = trace.graph.union(out, ids_of(trace, indices))
    return Elements(out, dtype_of(arr))


_REAL = frozenset((int, float))


def _away_from_constants(trace: Trace, x: Any) -> Ids | None:
    """The ids of a traced float64 array or number, none of which is constant; else None."""
    if not is_traced(x) or trace.local or x._trace is not trace or x._dtype is not FLOAT:
        return None
    ids: Ids = x._ids
    free = ids.size and (trace.graph.pure or np.minimum.reduce(ids, axis=None) > OPAQUE)
    return ids if free else None


def _is_table(v: Any) -> bool:
    """Whether `v` is a row of real constants, which need no closer look."""
    if type(v) is np.ndarray:
        return v.ndim == 1 and v.dtype.char in "?bhilqBHILQfd"
    return type(v) in (list, tuple) and _REAL.issuperset(map(type, v))


def _is_level(v: Any) -> bool:
    """Whether all numbers of a table are equal, or there are none."""
    if not len(v):
        return True
    if v[0] != v[-1]:
        return False
    return bool((v == v[0]).all()) if type(v) is np.ndarray else v.count(v[0]) == len(v)


@rule_for(np.interp)
def _interp(trace: Trace, x, xp, fp, left, right, period) -> Elements:
    """Each result depends on its own x, and on the nodes next to it.

    Which nodes those are is known if x and xp are; else any may be.
    """
    xp, fp = unwatched(xp), unwatched(fp)
    if period is None and all(v is None or type(v) in _REAL for v in (left, right)):
        ids = _away_from_constants(trace, x)
        tables = _is_table(xp) and _is_table(fp) and len(xp) == len(fp) > 1
        if ids is not None and tables and not _is_level(fp):
            return Elements(ids.copy("K"), FLOAT)
    cycle = 1.0 if contains_traced(period) else period
    # NumPy judges the table
    np.interp(0.0, np.zeros(np.shape(xp)), np.zeros(np.shape(fp)), period=cycle)
    shape = x._ids.shape if is_traced(x) else np.shape(x)
    xp, fp = (v if contains_traced(v) else constant_values(v) for v in (xp, fp))
    kind = np.result_type(dtype_of(fp), float)
    points = [plain_values(trace, v) for v in (x, xp, 0.0 if period is None else period)]
    if all(v is not None for v in points):
        ends = [None if v is None else ids_of(trace, v) for v in (left, right)]
        cycle = None if period is None else abs(float(points[2]))  # type: ignore[arg-type]
        return Elements(_between(trace, points[0], points[1], fp, ends, cycle), kind)
    parts: list[Ids] = []
    alone = period is None and np.size(xp) == 1  # the same height everywhere but for the ends
    if contains_traced(x) and not alone:
        heights = plain_values(trace, fp)
        if heights is None or not trace.values or (heights != heights.flat[0]).any():
            parts.append(ids_of(trace, x))
        else:
            # level, with steps at most where the table ends
            outside = [v for v in (left, right) if v is not None]
            if all(_equals(trace, v, heights.flat[0]) for v in outside):
                trace.graph.pure = False
                return Elements(trace.graph.constant(np.full(shape, heights.flat[0])), kind)
            ids = ids_of(trace, x)
            parts.append(ids if trace.dependency else np.full(shape, OPAQUE, np.int32))
    for table in (None if alone else xp, fp, left, right, period):
        if table is not None and contains_traced(table):
            every = trace.graph.union_rows(ids_of(trace, table).reshape(-1))
            parts.append(np.broadcast_to(every, shape))
    if alone and left is right is None and not contains_traced(fp):
        return Elements(trace.graph.constant(np.full(shape, fp[0])), kind)
    united = trace.graph.union_all(parts) if parts else np.full(shape, OPAQUE, np.int32)
    out = np.maximum(united, OPAQUE)
    if (out <= OPAQUE).any():
        trace.graph.pure = False
    if trace.second_order and not alone:
        where = ids_of(trace, x)
        curved = contains_traced(xp) or contains_traced(period)
        for table in (xp, period):
            if table is not None and contains_traced(table):
                where = trace.graph.union(
                    where, trace.graph.union_rows(ids_of(trace, table).reshape(-1))
                )
        pairs = [(where, where)] if curved else []
        if contains_traced(fp):  # linear in the heights
            pairs.append((where, trace.graph.union_rows(ids_of(trace, fp).reshape(-1))))
        if pairs and (where > OPAQUE).any():
            where_cut = trace.local and not curved
            out = interact(trace.graph, out, pairs, cut=where_cut)
    return Elements(out, kind)


def _equals(trace: Trace, x: Any, value: Any) -> bool:
    known = plain_values(trace, x)
    return known is not None and bool((known == value).all())


def _between(
    trace: Trace, x: Any, xp: Any, fp: Any, ends: Sequence[Ids | None], period: float | None
) -> Ids:
    """Interpolation at known places: two nodes for each, one at a node or outside."""
    heights, kind = ids_of(trace, fp), dtype_of(fp)
    left, right = ends
    if period is not None:
        x, xp = x % period, xp % period
        order = np.argsort(xp)
        xp, heights = xp[order], heights[order]
        xp = np.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        heights = np.concatenate((heights[-1:], heights, heights[:1]))
        left = right = None
    lower = np.maximum(np.searchsorted(xp, x, side="right") - 1, 0)
    single = (x <= xp[lower]) | (lower == len(xp) - 1)
    upper = np.where(single, lower, lower + 1)
    out = trace.graph.union(heights[lower], heights[upper])
    for end, outside in ((left, x < xp[0]), (right, x > xp[-1])):
        if end is not None:
            out = np.where(outside, np.maximum(end, OPAQUE), out)
    some = not trace.graph.pure and bool((heights <= ZERO).any())
    if some or any(end is not None and end <= ZERO for end in (left, right)):
        trace.graph.pure = False
        known = heights <= ZERO
        settled = known[lower] & known[upper]
        values = trace.graph.known_values(heights, kind)
        sides = [
            None if e is None else trace.graph.known_values(e, kind)[()] for e in (left, right)
        ]
        for end, outside in ((left, x < xp[0]), (right, x > xp[-1])):
            if end is not None:
                settled = np.where(outside, end <= ZERO, settled)
        found = np.interp(x, xp, values, *sides)  # type: ignore[arg-type]
        out = np.where(settled, trace.graph.constant(found), out)
    return np.asarray(out)


@rule_for(np.trim_zeros)
def _trim_zeros(trace: Trace, filt, trim, axis=None) -> Elements:
    """A view of the operand, where its values say which."""
    values = chosen_values(trace, filt)
    if values is None:
        raise REFUSED.error(nonzero, "np.trim_zeros")
    values = np.array(values, order="C")
    kept = trim_zeros(values, trim) if axis is None else trim_zeros(values, trim, axis)
    if not kept.size:
        return Elements(np.zeros(kept.shape, np.int32), dtype_of(filt), keep_array=True)
    first = (kept.ctypes.data - values.ctypes.data) // values.itemsize
    starts = np.unravel_index(first, values.shape)
    key: Any = tuple(slice(i, i + n) for i, n in zip(starts, kept.shape, strict=True))
    return Elements(ids_of(trace, filt)[(*key, ...)], dtype_of(filt), keep_array=True)
