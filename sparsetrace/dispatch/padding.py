"""Rules of ``np.pad``: what each mode fills the fringe with.

Contract: a fringe element depends on what NumPy makes it from: a constant, an element
of the array, a statistic of those next to the fringe, or a ramp between two of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import empty

from sparsetrace.dispatch.implementations import rebound
from sparsetrace.dispatch.lines import line
from sparsetrace.dispatch.operands import Elements, Operand, dtype_of, ids_of
from sparsetrace.dispatch.registry import rule_for
from sparsetrace.dispatch.settled import compute_rows, converted
from sparsetrace.graph import Graph, Ids

__all__: list[str] = []


@rule_for(np.pad)
def _pad(graph: Graph, array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    ids, dtype = ids_of(graph, array), dtype_of(array)
    if callable(mode):
        return rebound(np.pad)(array, pad_width, mode, **kwargs)
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(kwargs) - _OPTIONS[mode]
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    widths = _widths(pad_width, ids.ndim)
    if mode in ("constant", "empty"):
        graph.pure = False
        value = kwargs.get("constant_values", 0)
        fill = converted(graph, ids_of(graph, value), dtype_of(value), dtype)
        if not fill.ndim:
            out = empty([a + n + b for n, (a, b) in zip(ids.shape, widths, strict=True)], np.int32)
            out.fill(fill)
            inner = zip(ids.shape, widths, strict=True)
            out[tuple(slice(a, a + n) for n, (a, _) in inner)] = ids
            return Elements(out, dtype)
        return Elements(np.pad(ids, widths, "constant", constant_values=fill), dtype)
    if mode in ("edge", "wrap") or (mode not in _STATISTICS and _is_even(kwargs, mode)):
        return Elements(np.pad(ids, widths, mode), dtype)
    if mode in ("reflect", "symmetric"):
        return Elements(_pad_odd(graph, ids, widths, mode), dtype)
    if mode == "linear_ramp":
        return _pad_ramp(graph, ids, widths, dtype, **kwargs)
    return Elements(_pad_statistic(graph, ids, widths, dtype, mode, **kwargs), dtype)


_STATISTICS = {"maximum": np.max, "minimum": np.min, "mean": np.mean, "median": np.median}
_OPTIONS: dict[str, set[str]] = {
    "empty": set(),
    "edge": set(),
    "wrap": set(),
    "constant": {"constant_values"},
    "linear_ramp": {"end_values"},
    "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"},
    **{name: {"stat_length"} for name in _STATISTICS},
}


def _is_even(kwargs: dict[str, Any], mode: str) -> bool:
    return mode in ("reflect", "symmetric") and kwargs.get("reflect_type", "even") == "even"


def _widths(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    """Elements before and after, for every axis."""
    if type(pad_width) is int:
        return [(pad_width, pad_width)] * ndim
    if isinstance(pad_width, Mapping):  # NumPy 2.3
        found = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            found[axis] = _widths(width, 1)[0]
        return found
    pairs = np.broadcast_to(np.asarray(pad_width, int), (ndim, 2))
    return [(int(a), int(b)) for a, b in pairs]


def _inside(ids: Ids, axis: int, widths: tuple[int, int]) -> tuple[slice, ...]:
    """Where the array itself lies after one axis was padded."""
    inner = [slice(None)] * ids.ndim
    inner[axis] = slice(widths[0], widths[0] + ids.shape[axis])
    return tuple(inner)


def _pad_odd(graph: Graph, ids: Ids, all_widths: Any, mode: str) -> Ids:
    """``2 * edge - reflected``: both the edge and the mirrored element."""
    for axis, widths in enumerate(all_widths):
        pairs = [(0, 0)] * ids.ndim
        pairs[axis] = widths
        mirrored = np.pad(ids, pairs, mode)  # type: ignore[call-overload]
        out = graph.union(mirrored, np.pad(ids, pairs, "edge"))
        if max(widths) >= ids.shape[axis]:
            # several reflections: NumPy repeats them from the padded values
            whole = graph.union_rows(np.moveaxis(ids, axis, -1))
            out = np.broadcast_to(np.expand_dims(whole, axis), out.shape).copy()
        out[_inside(ids, axis, widths)] = ids
        ids = out
    return ids


def _pad_ramp(
    graph: Graph, ids: Ids, all_widths: Any, dtype: np.dtype[Any], end_values: Any = 0
) -> Elements:
    """From the end value, which stands outermost, to the edge."""
    kind = np.result_type(dtype_of(end_values), dtype)
    ends = np.broadcast_to(ids_of(graph, end_values), (ids.ndim, 2))
    for axis, widths in enumerate(all_widths):
        parts = [ids]
        for side, width in enumerate(widths):
            edge = np.take(ids, -side, axis)
            start = Operand(graph, np.asarray(ends[axis, side]), kind)
            stop = Operand(graph, edge, dtype)
            ramp = line(graph, start, stop, width, endpoint=False, dtype=dtype, axis=axis)
            found = np.flip(ramp.ids, axis) if side else ramp.ids
            parts.insert(len(parts) if side else 0, found)
        ids = np.concatenate(parts, axis=axis)
    return Elements(ids, dtype)


def _pad_statistic(
    graph: Graph,
    ids: Ids,
    all_widths: Any,
    dtype: np.dtype[Any],
    mode: str,
    stat_length: Any = None,
) -> Ids:
    """Each side filled with a statistic over `stat_length` elements next to it."""
    lengths = None if stat_length is None else _widths(stat_length, ids.ndim)

    def statistic(values: Any) -> Any:
        function: Any = _STATISTICS[mode]
        return function(values, axis=-1).astype(dtype)

    for axis, (before, after) in enumerate(all_widths):
        n = ids.shape[axis]
        left, right = (n, n) if lengths is None else (min(k, n) for k in lengths[axis])
        rows = np.moveaxis(ids, axis, -1)
        sides = []
        for part in (rows[..., :left], rows[..., n - right :]):
            found = compute_rows(graph, part, dtype, graph.union_rows(part), statistic)
            sides.append(found[..., None])
        head, tail = sides
        parts = [np.repeat(head, before, -1), rows, np.repeat(tail, after, -1)]
        ids = np.moveaxis(np.concatenate(parts, axis=-1), -1, axis)
    return ids
