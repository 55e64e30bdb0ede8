"""Rules of functions that sort, search, count and round.

Contract: positions, counts and rounded values depend on the inputs, but their derivatives are zero
(the node `OPAQUE`).  A sorted element may be any element of its axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from operator import index
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.context import Trace
from sparsetrace.errors import INDEX
from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, ZERO, Ids, filled
from sparsetrace.numpy_rules.unknown_counts import depending
from sparsetrace.operands.axes import check_axis, core_last, spread
from sparsetrace.operands.constants import compute_rows, constants, opaque, plain_values
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    landed,
    operand_of,
)
from sparsetrace.operands.registry import rule_for

__all__ = ["in_order"]

_INDEX = np.dtype(np.intp)
_FINE = 9
"""From so many decimals on rounding tidies a number: no difference of a solver's is that small."""


def _unknown_rows(trace: Trace, rows: Ids) -> Ids:
    """One opaque value per row."""
    if trace.dependency:
        return trace.graph.union_rows(rows)
    return np.full(rows.shape[:-1], trace.graph.opaque, np.int32)


def _index_reduction(function: Callable[..., Any]) -> None:
    def rule(trace: Trace, a, axis, keepdims) -> Elements:
        ids = ids_of(trace, a)
        check_axis(axis, ids.ndim, function)
        rows, axes = core_last(ids, axis)
        if not rows.shape[-1]:
            raise ValueError(f"attempt to get {function.__name__} of an empty sequence")
        result = compute_rows(
            trace,
            rows,
            dtype_of(a),
            _unknown_rows(trace, rows),
            lambda values: function(values, axis=-1),
        )
        return Elements(np.expand_dims(result, axes) if keepdims and axes else result, _INDEX)

    rule_for(function)(rule)


for _function in (np.argmax, np.argmin, np.nanargmax, np.nanargmin):
    _index_reduction(_function)


@rule_for(np.count_nonzero)
def _count_nonzero(trace: Trace, a, axis, keepdims) -> Elements:
    rows, axes = core_last(ids_of(trace, a), axis)
    out = compute_rows(
        trace,
        rows,
        dtype_of(a),
        _unknown_rows(trace, rows),
        lambda values: np.count_nonzero(values, axis=-1),
    )
    return Elements(np.expand_dims(out, axes) if keepdims and axes else out, _INDEX)


def _decimals(trace: Trace, decimals: Any) -> int | None:
    """How many; None where that depends on the inputs and may be any number, as of digits."""
    asked = trace.masks is not None and INDEX in trace.masks.places
    if not asked or not is_traced(decimals) or decimals._dtype.kind not in "iu":
        return index(decimals)
    few: int | None = decimals._decided()
    return few


@rule_for(np.round, np.around)
def _round(trace: Trace, a, decimals) -> Elements:
    """Piecewise constant, unless the steps are too fine; constants keep their rounded value."""
    ids, dtype = ids_of(trace, a), dtype_of(a)
    decimals = _decimals(trace, decimals)
    if dtype.kind == "b":
        np.round(np.zeros(0, dtype), decimals or 0)  # NumPy refuses decimals of truth values
    fine = decimals is None or decimals >= _FINE
    rounded = np.array(ids if fine and dtype.kind in "fc" else landed(trace, np.dtype(int), ids))
    known = ids < ZERO  # one that is less than a half has become a zero
    if decimals is None:
        rounded[known] = trace.graph.opaque
    elif known.any():
        rounded[known] = trace.graph.constant(
            np.round(trace.graph.known_values(ids[known], dtype), decimals)
        )
    return Elements(rounded, np.dtype(np.float16) if dtype.kind == "b" else dtype)


# ---------------------------------------------------------------------- sorting
def _sorted(trace: Trace, a, axis, values: Callable[..., Any]) -> Elements:
    ids, dtype = ids_of(trace, a), dtype_of(a)
    check_axis(axis, ids.ndim, np.sort)
    if axis is None:
        ids, axis = ids.reshape(-1), -1
    if ids.ndim == 1 and (trace.graph.pure or ids.min(initial=FIRST_INPUT) > OPAQUE):
        return Elements(filled(trace.graph.union_rows(ids), ids.shape), dtype)
    rows = np.moveaxis(ids, axis, -1)
    out = spread(trace, rows, -1)
    known = (rows <= ZERO).all(axis=-1)
    if not trace.graph.pure and known.any():
        out[known] = trace.graph.constant(values(trace.graph.known_values(rows[known], dtype)))
    return Elements(np.moveaxis(out, -1, axis), dtype)


def _one_axis(x: Operand, axis) -> tuple[Operand, int]:
    """The operand, flat where no axis is given, and the axis."""
    if axis is None:
        x, axis = x.moved(np.ravel), 0
    return x, normalize_axis_index(axis, len(x.shape))


def in_order(x: Operand, axis, **direction) -> Elements:
    """A sort at a point: elements that tie share the union of what they depend on.

    ``sort([3, 1, 2]) of [{0}, {1}, {2}]  ->  [{1}, {2}, {0}]``
    """
    x, axis = _one_axis(x, axis)
    order = np.argsort(x.points, axis=axis, stable=True, **direction)
    x = x.moved(lambda data: np.moveaxis(np.take_along_axis(data, order, axis), axis, -1).copy())
    table = prod(x.shape[:-1]), x.shape[-1]  # -1 would ask for one that is not empty
    ids, values = x._ids.reshape(table), np.reshape(x.points, table)
    for i in np.flatnonzero((values[:, 1:] == values[:, :-1]).any(axis=1)).tolist():
        cuts = np.flatnonzero(np.diff(values[i])) + 1
        for low, high in zip([0, *cuts.tolist()], [*cuts.tolist(), len(values[i])], strict=True):
            if high - low > 1:
                ids[i, low:high] = x._trace.graph.union_rows(ids[i, low:high])
    return Elements(np.moveaxis(ids.reshape(x.shape), -1, axis), x._dtype)


def _sorting_order(trace: Trace, a, axis, values: Callable[..., Any]) -> Elements:
    ids, dtype = ids_of(trace, a), dtype_of(a)
    check_axis(axis, ids.ndim, np.argsort)
    if axis is None or not ids.ndim:
        normalize_axis_index(axis or 0, 1)
        ids, axis = ids.reshape(-1), -1
    rows = np.moveaxis(ids, axis, -1)
    out = np.full(rows.shape, trace.graph.opaque, np.int32)
    if trace.dependency:
        out = spread(trace, rows, -1)
    known = (rows <= ZERO).all(axis=-1)
    if known.any():
        out[known] = trace.graph.constant(values(trace.graph.known_values(rows[known], dtype)))
    return Elements(np.moveaxis(out, -1, axis), _INDEX)


@rule_for(np.sort)
def _sort(trace: Trace, a, axis, kind, order, stable, descending=False) -> Elements:
    """``[{0}, {1}] -> [{0, 1}, {0, 1}]``."""
    downwards = _downwards(descending)
    if stable is not None or downwards or not (kind is order is None):
        # on nothing: NumPy raises its own errors for wrong arguments
        np.sort(np.zeros(0, dtype_of(a)), -1, kind, order, stable=stable, **downwards)
    if trace.local:
        return in_order(operand_of(trace, a), axis, **downwards)
    return _sorted(trace, a, axis, lambda values: np.sort(values, **downwards))


def _downwards(descending) -> dict[str, Any]:
    """The option of NumPy 2.5 to sort the other way, where it is given."""
    return {"descending": descending} if descending is not False else {}


@rule_for(np.partition)
def _partition(trace: Trace, a, kth, axis, kind, order) -> Elements:
    if trace.local:
        x, axis = _one_axis(operand_of(trace, a), axis)
        places = np.argpartition(x.points, kth, axis)
        return Elements(np.take_along_axis(x._ids, places, axis), x._dtype)
    if contains_traced(kth):
        return _with_unknown(trace, _sorted(trace, a, axis, np.sort), kth)
    _check_partition(a, kth, axis, kind, order)
    return _sorted(trace, a, axis, lambda values: np.partition(values, kth))


def _with_unknown(trace: Trace, ordered: Elements, kth) -> Elements:
    """Elements in an order that depends on the inputs, and be it by the place alone."""
    if dtype_of(kth).kind not in "iu":
        raise TypeError("Partition index must be integer")
    return Elements(depending(trace, ordered.ids, kth), ordered.dtype)


def _check_partition(a, kth, axis, kind, order) -> None:
    """NumPy refuses places outside of the axis."""
    shape = np.shape(a)
    if axis is None or not shape:
        row = prod(shape)
    else:
        row = shape[normalize_axis_index(axis, len(shape))]
    np.partition(np.zeros(row if prod(shape) else 0, dtype_of(a)), kth, -1, kind, order)


@rule_for(np.sort_complex)
def _sort_complex(trace: Trace, a) -> Elements:
    x = operand_of(trace, a)
    result = in_order(x, -1) if trace.local else _sorted(trace, x, -1, np.sort)
    return Elements(result.ids, np.sort_complex(np.zeros(1, result.dtype)).dtype)


@rule_for(np.argsort)
def _argsort(trace: Trace, a, axis, kind, order, stable, descending=False) -> Elements:
    downwards = _downwards(descending)
    if stable is not None or downwards or not (kind is order is None):
        # on nothing: NumPy raises its own errors for wrong arguments
        np.argsort(np.zeros(0, dtype_of(a)), -1, kind, order, stable=stable, **downwards)

    def places(values) -> Any:
        # the same sort, since others leave equal elements in another order
        return np.argsort(values, kind=kind, stable=stable, **downwards)

    return _sorting_order(trace, a, axis, places)


@rule_for(np.argpartition)
def _argpartition(trace: Trace, a, kth, axis, kind, order) -> Elements:
    if contains_traced(kth) and not trace.local:
        return _with_unknown(trace, _sorting_order(trace, a, axis, np.argsort), kth)
    _check_partition(a, kth, axis, kind, order)
    return _sorting_order(trace, a, axis, lambda values: np.argpartition(values, kth))


@rule_for(np.lexsort, signature="keys, axis=-1")
def _lexsort(trace: Trace, keys, axis) -> Elements:
    """The order of each row of the keys, found from all of the keys."""
    ids = ids_of(trace, keys)
    if not ids.ndim:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if (ids <= ZERO).all():
        return constants(trace, np.lexsort(trace.graph.known_values(ids, dtype_of(keys)), axis))
    united = trace.graph.union_rows(np.moveaxis(ids, 0, -1))
    if not united.ndim:
        return constants(trace, 0)
    return _sorting_order(
        trace,
        Operand(trace, united, dtype_of(keys)),
        axis,
        lambda values: np.argsort(values, kind="stable"),
    )


# -------------------------------------------------------------------- searching
@rule_for(np.searchsorted)
def _searchsorted(trace: Trace, a, v, side, sorter) -> Elements:
    sources = [a, v] if sorter is None else [a, v, sorter]
    if np.ndim(a) != 1 or sorter is not None or side not in ("left", "right"):
        order = None if sorter is None else np.zeros(np.shape(sorter), dtype_of(sorter))
        np.searchsorted(np.zeros(np.shape(a)), np.zeros(0), side, order)  # raises NumPy's errors

    def values(a, v, sorter=None) -> Any:
        return np.searchsorted(a, v, side, None if sorter is None else sorter.astype(_INDEX))

    return opaque(trace, values, sources, np.shape(v), _INDEX)


@rule_for(np.digitize)
def _digitize(trace: Trace, x, bins, right) -> Elements:
    edges = plain_values(trace, bins)
    if edges is None:
        edges = np.zeros(np.shape(bins), dtype_of(bins))
    np.digitize(np.zeros(0, dtype_of(x)), edges, right)  # raises NumPy's own errors
    return opaque(
        trace, lambda x, bins: np.digitize(x, bins, right), [x, bins], np.shape(x), _INDEX
    )


@rule_for(np.isin)
def _isin(trace: Trace, element, test_elements, assume_unique, invert, kind) -> Elements:
    def values(element, among) -> Any:
        return np.isin(element, among, assume_unique, invert, kind=kind)

    # on nothing: NumPy raises its own errors for wrong arguments
    values(np.zeros(0, dtype_of(element)), np.zeros(0, dtype_of(test_elements)))
    result = opaque(trace, values, [element, test_elements], np.shape(element), bool)
    return replace(result, keep_array=True)


if hasattr(np, "in1d"):  # until NumPy 2.4

    @rule_for(np.in1d)  # noqa: NPY201 - it is asked for above
    def _in1d(trace: Trace, ar1, ar2, assume_unique, invert, kind) -> Elements:
        result = _isin(trace, ar1, ar2, assume_unique, invert, kind)
        return Elements(result.ids.reshape(-1), result.dtype)
