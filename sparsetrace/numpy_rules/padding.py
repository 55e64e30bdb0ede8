"""Rules of ``np.pad``: what each mode fills the border with.

Contract: an added element depends on what NumPy makes it from: a constant, an element
of the array, a statistic of those next to the border, or a ramp between two of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import empty, pad
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import Ids
from sparsetrace.numpy_rules.quantiles import median_at_point
from sparsetrace.numpy_rules.spacing import evenly_spaced
from sparsetrace.operands.complex_operands import moved_ids
from sparsetrace.operands.constants import compute_rows, converted_ids
from sparsetrace.operands.implementations import rebound
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    dtype_of,
    ids_of,
    operand_of,
    values_of,
)
from sparsetrace.operands.registry import rule_for
from sparsetrace.operands.ufunc_reductions import reduce

__all__: list[str] = []


@rule_for(np.pad)
def _pad(trace: Trace, array, pad_width, mode, kwargs) -> Any:
    ids, dtype = moved_ids(trace, array), dtype_of(array)
    if callable(mode):
        return rebound(pad)(array, pad_width, mode, **kwargs)
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(kwargs) - _OPTIONS[mode]
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    widths = _widths(pad_width, ids.ndim)
    if not ids.size and mode not in ("constant", "empty"):
        _check_empty(ids.shape, widths)
        return Elements(np.pad(ids, widths), dtype)
    if mode in ("constant", "empty"):
        value = kwargs.get("constant_values", 0)
        fill = converted_ids(trace, value, dtype)
        if not fill.ndim:
            out = empty([a + n + b for n, (a, b) in zip(ids.shape, widths, strict=True)], np.int32)
            out.fill(fill)
            inner = zip(ids.shape, widths, strict=True)
            out[tuple(slice(a, a + n) for n, (a, _) in inner)] = ids
            return Elements(out, dtype)
        return Elements(np.pad(ids, widths, "constant", constant_values=fill), dtype)
    if mode in ("edge", "wrap") or (mode not in _STATISTICS and _is_even(kwargs, mode)):
        return Elements(np.pad(ids, widths, mode), dtype)
    ids = ids_of(trace, array)
    if mode in ("reflect", "symmetric"):
        return Elements(_pad_odd(trace, ids, widths, mode), dtype)
    if mode == "linear_ramp":
        return _pad_ramp(trace, operand_of(trace, array), widths, **kwargs)
    points = np.asarray(values_of(array)) if trace.local else None
    return Elements(_pad_statistic(trace, ids, widths, dtype, points, mode, **kwargs), dtype)


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


def _widths(pad_width, ndim: int) -> list[tuple[int, int]]:
    """Elements before and after, for every axis."""
    if type(pad_width) is int and pad_width >= 0:
        return [(pad_width, pad_width)] * ndim
    if isinstance(pad_width, Mapping):  # NumPy 2.3
        result = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            result[axis] = _widths(width, 1)[0]
        return result
    counts = np.asarray(pad_width)
    if counts.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    if counts.min(initial=0) < 0:
        raise ValueError("index can't contain negative values")
    pairs = np.broadcast_to(counts, (ndim, 2))
    return [(int(a), int(b)) for a, b in pairs]


def _check_empty(shape: tuple[int, ...], widths: list[tuple[int, int]]) -> None:
    for axis, n in enumerate(shape):
        if not n and any(widths[axis]):
            raise ValueError(
                f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
            )


def _inside(ids: Ids, axis: int, widths: tuple[int, int]) -> tuple[slice, ...]:
    """Where the array itself lies after one axis was padded."""
    inner = [slice(None)] * ids.ndim
    inner[axis] = slice(widths[0], widths[0] + ids.shape[axis])
    return tuple(inner)


def _pad_odd(trace: Trace, ids: Ids, all_widths, mode: str) -> Ids:
    """``2 * edge - reflected``: both the edge and the mirrored element."""
    for axis, widths in enumerate(all_widths):
        pairs = [(0, 0)] * ids.ndim
        pairs[axis] = widths
        if max(widths) >= ids.shape[axis]:
            out = _pad_odd_repeatedly(trace, ids, axis, widths, mode)
        else:
            mirrored = np.pad(ids, pairs, mode)  # type: ignore[call-overload]
            out = trace.graph.union(mirrored, np.pad(ids, pairs, "edge"))
        out[_inside(ids, axis, widths)] = ids
        ids = out
    return ids


_MANY = 10**7


def _pad_odd_repeatedly(trace: Trace, ids: Ids, axis: int, widths: tuple[int, int], mode) -> Ids:
    """Several reflections, each of what the one before made: what NumPy does to unit vectors."""
    rows = np.moveaxis(ids, axis, -1)
    n = rows.shape[-1]
    size = n + sum(widths)
    if n * size > _MANY:
        all_taken = trace.graph.union_rows(rows)[..., None]
        out = np.broadcast_to(all_taken, (*all_taken.shape[:-1], size))
        return np.array(np.moveaxis(out, -1, axis))
    taken = np.pad(np.eye(n), [(0, 0), widths], mode, reflect_type="odd") != 0
    order = np.argsort(~taken, axis=0, kind="stable")  # the elements taken come first
    counts = np.count_nonzero(taken, axis=0)
    column = np.arange(counts.max())[:, None]
    parents = np.take_along_axis(order, np.where(column < counts, column, 0), axis=0)
    return np.array(np.moveaxis(trace.graph.union_rows(rows[..., parents.T]), -1, axis))


def _pad_ramp(trace: Trace, x: Operand, all_widths, end_values=0) -> Elements:
    """From the end value, which stands outermost, to the edge."""
    dtype, ids, points = x._dtype, x._ids, x._values
    ends = operand_of(trace, end_values).moved(lambda d: np.broadcast_to(d, (ids.ndim, 2)))
    for axis, widths in enumerate(all_widths):
        arrays = [ids]
        for side, width in enumerate(widths):
            start = ends.moved(partial(_corner, at=(axis, side)))
            edge = Operand(trace, ids, dtype, points).moved(partial(_edge, axis=axis, side=side))
            ramp = evenly_spaced(trace, start, edge, width, endpoint=False, dtype=dtype, axis=axis)
            result = np.flip(ramp.ids, axis) if side else ramp.ids
            arrays.insert(len(arrays) if side else 0, result)
        ids = np.concatenate(arrays, axis=axis)
        if points is not None:
            here = [widths if i == axis else (0, 0) for i in range(ids.ndim)]
            points = np.pad(points, here, "linear_ramp", end_values=values_of(end_values))
    return Elements(ids, dtype)


def _corner(ends: NDArray[Any], at: tuple[int, int]) -> NDArray[Any]:
    return np.asarray(ends[at])


def _edge(data: NDArray[Any], axis: int, side: int) -> NDArray[Any]:
    """The elements at one of the two sides."""
    edge: NDArray[Any] = np.moveaxis(data, axis, 0)[-side]
    return edge


def _pad_statistic(
    trace: Trace,
    ids: Ids,
    all_widths,
    dtype: np.dtype[Any],
    points: NDArray[Any] | None,
    mode: str,
    stat_length=None,
) -> Ids:
    """Each side filled with a statistic over `stat_length` elements next to it."""
    lengths = None if stat_length is None else _widths(stat_length, ids.ndim)

    def statistic(values) -> Any:
        function: Any = _STATISTICS[mode]
        return function(values, axis=-1).astype(dtype)

    for axis, (before, after) in enumerate(all_widths):
        n = ids.shape[axis]
        left, right = (n, n) if lengths is None else (min(k, n) for k in lengths[axis])
        if not (left and right) and mode in ("maximum", "minimum"):
            raise ValueError("stat_length of 0 yields no value for padding")
        rows = np.moveaxis(ids, axis, -1)
        shown = None if points is None else np.moveaxis(points, axis, -1)
        sides, values = [], []
        for near in (slice(0, left), slice(n - right, n)):
            edge_rows = rows[..., near]
            if shown is not None:
                values.append(statistic(shown[..., near])[..., None])
                united = _statistic_at(trace, edge_rows, dtype, shown[..., near], mode)
            else:
                united = trace.graph.union_rows(edge_rows)
            sides.append(compute_rows(trace, edge_rows, dtype, united, statistic)[..., None])
        ids = _between(sides, rows, before, after, axis)
        if shown is not None:
            points = _between(values, shown, before, after, axis)
    return ids


def _between(sides: list[Any], rows, before: int, after: int, axis: int) -> Any:
    """The rows between repetitions of the two sides, along the axis."""
    head, tail = sides
    arrays = [np.repeat(head, before, -1), rows, np.repeat(tail, after, -1)]
    return np.moveaxis(np.concatenate(arrays, axis=-1), -1, axis)


def _statistic_at(
    trace: Trace, rows: Ids, dtype: np.dtype[Any], points: NDArray[Any], mode: str
) -> Ids:
    """At a point, the elements that the statistic of the last axis depends on."""
    operand = Operand(trace, rows, dtype, points)
    if mode == "mean" or not points.shape[-1]:
        return trace.graph.union_rows(rows)
    if mode == "median":
        return median_at_point(operand, -1).ids
    ufunc = np.maximum if mode == "maximum" else np.minimum
    return reduce(trace, ufunc, operand, -1).ids
