"""Rules of functions that choose: where, select, choose, piecewise, clip, take.

Contract: a constant condition chooses; one that depends on the inputs may go either
way, so the result unites the candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.context import Trace
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids
from sparsetrace.numpy_rules import indexing
from sparsetrace.operands.complex_operands import chosen_ids, moved_ids, of_choices, part_by_part
from sparsetrace.operands.constants import (
    choose,
    chosen_values,
    converted,
    converted_ids,
    known_mask,
)
from sparsetrace.operands.elementwise import combine
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
    operand_of,
    promotion_of,
    python_type,
    values_of,
)
from sparsetrace.operands.registry import rule_for

__all__: list[str] = []


@rule_for(np.where, signature="condition, x=None, y=None, /")
def _where(trace: Trace, condition, x, y) -> Any:
    if (x is None) != (y is None):
        raise ValueError("either both or neither of x and y should be given")
    if x is None:
        return np.nonzero(condition)
    dtype = _weak_result(x, y)
    out = choose(trace, condition, chosen_ids(trace, x, dtype), chosen_ids(trace, y, dtype))
    return Elements(out, dtype, keep_array=True)


def _weak_result(*values) -> np.dtype[Any]:
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
    dtype = _weak_result(*choicelist, default)
    out = np.broadcast_to(chosen_ids(trace, default, dtype), shape)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        out = choose(trace, condition, chosen_ids(trace, choice, dtype), out)
    return Elements(np.array(np.broadcast_to(out, shape)), dtype, keep_array=True)


@rule_for(np.choose)
def _choose(trace: Trace, a, choices, mode) -> Elements:
    if not np.can_cast(dtype_of(a), np.intp):
        raise TypeError(f"Cannot cast array data from {dtype_of(a)!r} to an index")
    dtype = _weak_result(*choices)
    choice_ids = [chosen_ids(trace, c, dtype) for c in choices]
    places = chosen_values(trace, a)
    if places is not None:
        stacked = [np.array(p) for p in np.broadcast_arrays(*choice_ids)]
        return Elements(np.choose(places, stacked, mode=mode), dtype)
    union = of_choices(trace, lambda *ids: trace.graph.union_all(ids), *choice_ids)
    if union is None:
        union = trace.graph.union_all(choice_ids)
    if trace.dependency:
        union = trace.graph.union(union, ids_of(trace, a))
    shape = np.broadcast_shapes(np.shape(a), union.shape)
    return Elements(np.maximum(np.broadcast_to(union, shape), OPAQUE), dtype)


@rule_for(np.piecewise)
def _piecewise(trace: Trace, x, condlist, funclist, args, kw) -> Elements:
    """A function gets the elements where its condition holds, as ``x[condition]`` has them.

    At a point the result has values: the functions may use traced values of their own, and
    NumPy is not to call them again.
    """
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
    dtype = dtype_of(x)
    out = np.full(np.shape(x), trace.graph.zero, np.int32)
    values = np.zeros(out.shape, dtype) if trace.local else None

    def result_of(function, part) -> Any:
        return function(part, *args, **kw) if callable(function) else function

    # later conditions win, as they do in np.piecewise
    for condition, function in zip(conditions, functions, strict=True):
        mask = known_mask(trace, condition)
        if mask is None and out.size == 1:
            result = converted_ids(trace, result_of(function, np.reshape(x, 1)), dtype)
            out = np.array(choose(trace, condition, np.reshape(result, out.shape), out))
        elif mask is None:
            out = _picked_piece(trace, x, condition, partial(result_of, function), out)
        elif mask.any():
            result = result_of(function, x[mask])
            if values is not None:
                values[mask] = values_of(result)
            out[mask] = converted_ids(trace, result, dtype)
    return Elements(out, dtype, values, keep_array=True)


def _picked_piece(trace: Trace, x, condition, result_of: Callable[[Any], Any], out: Ids) -> Ids:
    """The ids `out` with a function's results of the elements that an unknown condition picks.

    Which elements stand beside each other there is unknown, too: ``lambda v: v[::-1]``.
    """
    dtype = dtype_of(x)
    whole = trace.wrap(Elements(np.array(ids_of(trace, x)), dtype, keep_array=True))
    written = trace.wrap(Elements(out, dtype, keep_array=True))
    if dtype_of(condition).kind != "b":
        condition = conversion(condition, bool)
    part = whole[condition]
    if getattr(type(part), "_is_picked", False) or part.size:  # a function gets no empty array
        written[condition] = result_of(part)
    return np.array(ids_of(trace, written))


@rule_for(np.clip)
def _clip(trace: Trace, a, a_min, a_max, kwargs, min=np._NoValue, max=np._NoValue) -> Elements:
    if kwargs.get("where", True) is not True and not trace.local:
        raise UnsupportedError(
            explain("np.clip(where=)", "this option has no rule", "Use np.where on the result.")
        )
    low, high = _bounds(a_min, a_max, min, max)
    dtype = None
    if kwargs and not trace.local:  # NumPy raises its own errors
        samples = [None if x is None else _sample(x) for x in (a, low, high)]
        dtype = np.clip(*samples, **kwargs).dtype
    x = operand_of(trace, a)
    x = Operand(trace, x._ids.copy(), x._dtype, x._values)
    for bound, ufunc in ((low, np.maximum), (high, np.minimum)):
        if bound is not None:
            x = combine(trace, ufunc, x, bound)
    ids = x._ids
    if not (low is None or high is None or trace.dependency):
        ids = _level(trace, ids, low, high)
    if dtype is None:
        return Elements(ids, x._dtype)
    return Elements(converted(trace, ids, x._dtype, dtype), dtype)


def _level(trace: Trace, ids: Ids, low, high) -> Ids:
    """Ids after a clip to known bounds; between bounds that cross there is one number."""
    if type(low) in (int, float) and type(high) in (int, float) and low < high:
        return ids
    if contains_traced(low) or contains_traced(high) or not np.any(np.greater_equal(low, high)):
        return ids
    if np.iscomplexobj(low) or np.iscomplexobj(high):
        return ids
    return np.where(np.greater_equal(low, high), np.minimum(ids, trace.graph.opaque), ids)


def _bounds(a_min, a_max, low, high) -> tuple[Any, Any]:
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


def _sample(x) -> Any:
    """A number or an array that NumPy's promotion takes as it takes `x`."""
    if python_type(type(x)) is None:
        return np.zeros((1,) * bool(np.ndim(x)), dtype_of(x))
    return promotion_of(x) if is_traced(x) else x


@rule_for(np.nan_to_num)
def _nan_to_num(trace: Trace, x, copy, nan, posinf, neginf) -> Any:
    """An element that is NaN or infinite takes the number given; all others stay."""
    result = _with_numbers(trace, x, nan, posinf, neginf)
    return _replaced(trace, x, result, copy=copy)


@part_by_part("x")
def _with_numbers(trace: Trace, x, nan, posinf, neginf) -> Elements:
    fills = {"nan": nan, "posinf": posinf, "neginf": neginf}
    ids, dtype = ids_of(trace, x), dtype_of(x)
    out = np.array(ids)
    if dtype.kind in "fc" and trace.local:
        values = np.asarray(values_of(x))
        for name, fill in fills.items():
            new = (
                np.int32(trace.graph.opaque)
                if fill is None
                else np.maximum(ids_of(trace, fill), OPAQUE)
            )
            out = np.where(_NO_NUMBERS[name](values), new, out)
    elif dtype.kind in "fc":
        traced = {k: ids_of(trace, f) for k, f in fills.items() if contains_traced(f)}
        known = ids <= ZERO
        for fill in traced.values():
            out = np.where(known, out, trace.graph.union(out, fill))
        if known.any():
            values = trace.graph.known_values(ids, dtype)
            plain = {k: f for k, f in fills.items() if k not in traced}
            out[known] = trace.graph.constant(np.nan_to_num(values[known], **plain))
            for name, fill in traced.items():
                places = known & _NO_NUMBERS[name](values)
                out = np.where(places, trace.graph.union(out, fill), out)
    return Elements(out, dtype)


_NO_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "nan": np.isnan,
    "posinf": lambda x: x == np.inf,
    "neginf": lambda x: x == -np.inf,
}


def _replaced(trace: Trace, x, result: Elements, *, copy: bool) -> Any:
    """The result itself, or `x` with its elements."""
    if copy or not is_traced_array(x):
        return result
    indexing.put(trace, x._ids, ..., result.ids)
    return x


@rule_for(np.take)
def _take(trace: Trace, a, indices, axis, mode) -> Elements:
    ids = moved_ids(trace, a)
    places, unsure = indexing.constant_key(trace, indices)
    if not unsure:
        return Elements(np.asarray(np.take(ids, places, axis, mode=mode)), dtype_of(a))
    if axis is None:
        ids, axis = ids.reshape(-1), 0
    axis = normalize_axis_index(axis, ids.ndim)
    if mode in ("raise", 2):
        indexing.want_bounds(trace)
    else:  # wrapped or clipped, an index chooses other places than its bounds say: any
        np.take(np.zeros(1), 0, mode=mode)
        places = trace.wrap(
            Elements(np.asarray(ids_of(trace, places)), dtype_of(places), keep_array=True)
        )
    key = (*(slice(None),) * axis, places)
    return Elements(indexing.read(trace, ids, key), dtype_of(a))


@rule_for(np.take_along_axis)
def _take_along_axis(trace: Trace, arr, indices, axis) -> Any:
    if not (contains_traced(indices) and is_uncertain(indices)):
        fixed, _ = indexing.constant_key(trace, indices)
        moved = np.take_along_axis(moved_ids(trace, arr), constant_values(fixed), axis)
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
