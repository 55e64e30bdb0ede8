"""Moves by a count or a position that depends on the inputs, of which all outcomes have one shape.

Contract: an element of the result may be any that is there for one of the possible counts, which
are those between the bounds of the count::

    np.roll(x, argmax(x))               ->  {0, 1, 2} for each element
    np.insert(x, argmax(x[:2]), 0.0)    ->  {0}, {0, 1}, {1}, {2}, with three elements of x
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself may be wrapped for user code
from numpy import arange, array, asarray
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.numpy_rules.indexing import constant_key, want_bounds, write
from sparsetrace.operands.complex_operands import moved_ids, of_choices
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    is_uncertain,
    known_of,
)
from sparsetrace.operands.raising import by_numpy

__all__ = ["depending", "moved_by_unknown"]


def moved_by_unknown(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result of a move; None unless a count is unknown, and this is one of these moves.

    A count of so few values that it is decided on paths of its own is left to those.
    """
    rule = None if trace.local else _RULES.get(function)
    if rule is None or not any(map(_may_be_unknown, (*args[1:], *kwargs.values()))):
        return None
    result = rule(trace, *args, **kwargs)
    if isinstance(result, Elements):
        trace.graph.look_at(result.ids)
    return result


def _may_be_unknown(x: object) -> bool:
    if isinstance(x, (list, tuple)):
        return any(map(_may_be_unknown, x))
    return contains_traced(x) and dtype_of(x).kind in "iuf"


def _is_unknown(trace: Trace, count, kinds: str = "iu") -> bool:
    """Whether it is one whole number that is neither known nor decided."""
    if not is_uncertain(count) or count._dtype.kind not in kinds or count._ids.ndim:
        return False
    want_bounds(trace)
    return (
        trace.masks is None
        or isinstance(count, np.ndarray)
        or count._dtype.kind == "f"
        or not _is_decided(trace, count)
    )


def _is_decided(trace: Trace, count) -> bool:
    return bool(trace.masks.has_few_values(count))


def _known(count) -> Any:
    return known_of(count._trace, count)[()] if is_traced(count) else count


def _bounds(trace: Trace, count) -> tuple[float, float]:
    """Between which numbers a count lies."""
    low, high = (-np.inf, np.inf) if trace.bounds is None else trace.bounds.of(count)
    return float(np.max(low)), float(np.min(high))


def _position(trace: Trace, index, length: int, ends: int) -> tuple[int, int]:
    """The first and the last place that an index may mean; `ends` is 1 if one behind the end is."""
    bounds = _bounds(trace, index)
    low, high = int(max(bounds[0], -length)), int(min(bounds[1], length - 1 + ends))
    if low > high:
        raise IndexError("index is out of bounds")
    if high < 0:
        return low + length, high + length
    return (0, length - 1 + ends) if low < 0 else (low, high)


def depending(trace: Trace, out: Ids, count) -> Ids:
    """Elements that a count chooses: unknown, where they are constants, and without derivative."""
    if trace.dependency:
        chosen = trace.graph.union_rows(ids_of(trace, count).reshape(-1))
        out = trace.graph.union(out, np.broadcast_to(chosen, out.shape))
    return np.where(out <= OPAQUE, np.int32(trace.graph.opaque), out)


def _either(trace: Trace, one: Ids, other: Ids, count) -> Ids:
    """Elements of which each is one of two; where these are the same, the count is none of it."""
    out = array(one)
    unsure = one != other
    out[unsure] = depending(trace, trace.graph.union(one[unsure], other[unsure]), count)
    return out


# ------------------------------------------------------------------------------------ roll
def _roll(trace: Trace, a, shift, axis=None) -> Elements | None:
    shifts = _listed(shift)
    axes = axis if isinstance(axis, (list, tuple)) else (axis,)
    counts, places = np.broadcast_arrays(arange(len(shifts)), asarray(axes, object))
    # floats may shift, by the whole numbers that they are cut off to
    if not (any(map(is_uncertain, shifts)) if np.ndim(shift) else _is_unknown(trace, shift, "iuf")):
        return None
    ids = moved_ids(trace, a)
    out = ids.reshape(-1) if axis is None else ids
    for i, place in zip(counts.tolist(), places.tolist(), strict=True):
        out = _rolled(trace, out, shifts[i], normalize_axis_index(place or 0, out.ndim))
    return Elements(out.reshape(ids.shape), dtype_of(a), keep_array=True)


def _listed(shift) -> list[Any]:
    if isinstance(shift, (list, tuple)):
        return list(shift)
    return list(shift) if np.ndim(shift) else [shift]


def _rolled(trace: Trace, ids: Ids, shift, axis: int) -> Ids:
    if not is_uncertain(shift):
        return np.roll(ids, int(_known(shift)), axis)
    by_parts = of_choices(trace, lambda part: _rolled(trace, part, shift, axis), ids)
    if by_parts is not None:
        return by_parts
    length = ids.shape[axis]
    low, high = _bounds(trace, shift)
    if not high - low + 1 < length:
        united = np.expand_dims(trace.graph.union_rows(np.moveaxis(ids, axis, -1)), axis)
        return depending(trace, np.broadcast_to(united, ids.shape), shift)
    rolled = np.stack([np.roll(ids, k, axis) for k in range(int(low), int(high) + 1)], axis=-1)
    return depending(trace, trace.graph.union_rows(rolled), shift)


# ---------------------------------------------------------------------- insert and delete
def _along(ids: Ids, axis) -> tuple[Ids, int]:
    if axis is None:
        return ids.reshape(-1), 0
    return ids, normalize_axis_index(axis, ids.ndim)


def _delete(trace: Trace, arr, obj, axis=None) -> Any:
    if isinstance(obj, list) or np.ndim(obj):
        if len(obj) != 1 or np.ndim(obj[0]) or not _is_unknown(trace, obj[0]):
            return _left_over(trace, arr, obj, axis)
        obj = obj[0]
    if not _is_unknown(trace, obj):
        return None
    ids, axis = _along(moved_ids(trace, arr), axis)
    low, high = _position(trace, obj, ids.shape[axis], 0)

    def between(ids: Ids) -> Ids:
        return _either(trace, np.delete(ids, high, axis), np.delete(ids, low, axis), obj)

    by_parts = of_choices(trace, between, ids)
    return Elements(between(ids) if by_parts is None else by_parts, dtype_of(arr), keep_array=True)


def _left_over(trace: Trace, arr, obj, axis) -> Any:
    """What several places leave that the inputs choose: as many elements as a mask picks."""
    key, is_unsure = constant_key(trace, obj)
    if trace.masks is None or not is_unsure:
        return None
    if dtype_of(key).kind not in "iu":
        raise by_numpy(IndexError("arrays used as indices must be of integer (or boolean) type"))
    want_bounds(trace)
    length = np.size(arr) if axis is None else np.shape(arr)[axis]
    kept = asarray(trace.graph.constant(np.ones(length, bool)))
    write(trace, kept, key, asarray(trace.graph.constant(np.zeros(np.shape(key), bool))))
    mask = trace.wrap(Elements(kept, np.dtype(bool), keep_array=True))
    return np.compress(mask, arr, axis)


def _insert(trace: Trace, arr, obj, values, axis=None) -> Elements | None:
    dtype = dtype_of(arr)
    if not _is_unknown(trace, obj) or not np.can_cast(dtype_of(values), dtype):
        return None
    ids, axis = _along(moved_ids(trace, arr), axis)
    low, high = _position(trace, obj, ids.shape[axis], 1)

    def between(ids: Ids, values: Ids) -> Ids:
        first, last = np.insert(ids, low, values, axis), np.insert(ids, high, values, axis)
        count = first.shape[axis] - ids.shape[axis]
        new = np.take(first, range(low, low + count), axis)
        united = np.expand_dims(trace.graph.union_rows(np.moveaxis(new, axis, -1)), axis)
        front = (slice(None),) * axis
        unsure = (*front, slice(low, high + count))
        out = _either(trace, last, first, obj)
        inner = trace.graph.union(out[unsure], np.broadcast_to(united, out[unsure].shape))
        if low < high:
            out[unsure] = depending(trace, inner, obj)
        return out

    given = moved_ids(trace, values)
    by_parts = of_choices(trace, between, ids, given)
    out = between(ids, given) if by_parts is None else by_parts
    return Elements(out, dtype, keep_array=True)


# ------------------------------------------------------------------------------- triangles
def _triangle(function: Callable[..., Any]) -> Callable[..., Elements | None]:
    def rule(trace: Trace, m, k) -> Elements | None:
        if not _is_unknown(trace, k):
            return None
        ids = np.atleast_2d(moved_ids(trace, m))
        if np.ndim(m) < 2:
            ids = np.broadcast_to(ids, (ids.shape[-1],) * 2)
        low, high = np.clip(_bounds(trace, k), -ids.shape[-2], ids.shape[-1]).astype(int).tolist()

        def between(ids: Ids) -> Ids:
            return _either(trace, function(ids, low), function(ids, high), k)

        by_parts = of_choices(trace, between, ids)
        out = between(ids) if by_parts is None else by_parts
        return Elements(out, dtype_of(m), keep_array=True)

    return rule


_RULES: dict[Callable[..., Any], Callable[..., Any]] = {
    np.roll: _roll,
    np.delete: _delete,
    np.insert: _insert,
    np.tril: _triangle(np.tril),
    np.triu: _triangle(np.triu),
}
