"""Prefixes of an axis: ``ufunc.accumulate`` and the functions made of it.

Contract: element i depends on elements 0 to i.  A prefix of constants is computed; a constant
zero factor makes a product zero.  At a point a running maximum depends on the largest elements
alone, and a product with one zero factor on that factor alone.

``[{0}, {1}, {2}] -> [{0}, {0, 1}, {0, 1, 2}]``
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import arange, array, asarray, empty, zeros
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids
from sparsetrace.operands import elementwise, nonlinear, unions
from sparsetrace.operands.axes import check_axis
from sparsetrace.operands.complex_operands import linearly
from sparsetrace.operands.elementwise import combine
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    Operand,
    dtype_of,
    ids_of,
    landed,
    values_of,
)
from sparsetrace.operands.ufunc_reductions import (
    ASSOCIATIVE,
    EXTREMES,
    LINEAR,
    converted_by,
    folds,
)

__all__ = ["accumulate", "prefix_unions"]

_SHORT = 32
"""Up to this length the prefixes of one dimension are united in one step."""


def accumulate(trace: Trace, ufunc: np.ufunc, x: Any, axis: int = 0, dtype: Any = None) -> Elements:
    """``ufunc.accumulate(x, axis)``."""
    if dtype is None:
        plain = unions.plain_ids(trace, ufunc, x)
        if plain is not None and plain.ndim == 1 and axis in (0, -1):
            return Elements(prefix_unions(trace, plain, 0), FLOAT)
    source = dtype_of(x)
    if source.kind == "c" and ufunc in LINEAR:
        result: Elements = linearly(trace, lambda x: accumulate(trace, ufunc, x, axis, dtype), x)
        return result
    ids, result_dtype = converted_by(trace, ufunc, ids_of(trace, x), source, dtype)
    check_axis(axis, ids.ndim, np.add.accumulate)
    (axis,) = normalize_axis_tuple(axis, ids.ndim)
    if result_dtype.kind == "b" and source.kind != "b":
        ids = landed(trace, result_dtype, ids)
    points = values_of(x) if trace.local else None  # None, too, if a rule made x of ids alone
    if points is not None:
        points = np.moveaxis(asarray(points), axis, -1)
    rows = Operand(trace, np.moveaxis(ids, axis, -1), source, points)
    if trace.second_order and not nonlinear.is_linear(ufunc):
        out = array(_scan(trace, ufunc, rows)._ids)
    elif elementwise.letters(trace, ufunc)[0] != "11" or folds(trace, ufunc, ids, source):
        out = _fold_prefixes(trace, ufunc, rows)
    elif ufunc in EXTREMES and points is not None and trace.values and source.kind != "c":
        out = _running_extreme(trace, ufunc, rows)
    else:
        united = prefix_unions(trace, ids, axis)
        last = np.moveaxis(united, axis, -1)
        if not trace.local and not trace.graph.pure:
            _settle_prefixes(trace, ufunc, rows._ids, last, result_dtype, source)
        elif points is not None and trace.values and ufunc is np.multiply:
            united = np.moveaxis(_running_product(trace, rows, last), -1, axis)
        return Elements(united, result_dtype)
    return Elements(np.moveaxis(out, -1, axis), result_dtype)


def _scan(trace: Trace, ufunc: np.ufunc, rows: Operand) -> Operand:
    """Prefixes of the last axis: as a tree if that is the same, else from the left."""
    n = rows.shape[-1]
    if n < 2:
        return rows
    if ufunc not in ASSOCIATIVE:
        prefixes = [rows.along(0)]
        for i in range(1, n):
            prefixes.append(combine(trace, ufunc, prefixes[-1], rows.along(i)))
        return prefixes[0].stacked(prefixes)
    pairs = combine(trace, ufunc, rows.along(0, n - 1, 2), rows.along(1, n, 2))
    odd = _scan(trace, ufunc, pairs)
    even = rows.along(0, 1)
    if n > 2:
        later = combine(trace, ufunc, odd.along(0, (n - 1) // 2), rows.along(2, n, 2))
        even = even.joined(later)
    return even.interleaved(odd)


def prefix_unions(trace: Trace, ids: Ids, axis: int) -> Ids:
    """Element i unites elements 0 to i of the axis, constants as `Graph.union` has them.

    Two unions an element in all, in 2 log2(length) whole-array steps: the prefixes of
    neighbouring pairs are every second prefix, one more union each gives the others
    (Brent & Kung, 1982).
    """
    length = ids.shape[axis]
    if ids.ndim == 1 and 1 < length <= _SHORT and (trace.graph.pure or ids.min() > OPAQUE):
        indptr, columns = _triangle(length)
        out = empty(length, np.int32)
        out[0] = ids[0]
        out[1:] = trace.graph.union_table(indptr, ids[columns])
        return out
    if ids.ndim == 1:
        return _prefixes(trace, ids).copy() if length < 2 else _prefixes(trace, ids)
    # along the first axis the nodes of a step lie side by side, in runs
    first = array(np.moveaxis(ids, axis, 0), order="C")
    return np.moveaxis(_prefixes(trace, first), 0, axis)


@lru_cache(maxsize=_SHORT)
def _triangle(length: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lower triangle without its first row, as CSR index arrays."""
    indptr = zeros(length, np.int64)
    np.cumsum(arange(2, length + 1), out=indptr[1:])
    return indptr, np.tril_indices(length)[1][1:]


def _prefixes(trace: Trace, ids: Ids) -> Ids:
    length = len(ids)
    if length < 2:
        return ids
    odd = _prefixes(trace, trace.graph.union(ids[: length - 1 : 2], ids[1::2]))
    out = empty(ids.shape, np.int32)
    out[0] = ids[0]
    out[1::2] = odd
    if length > 2:
        out[2::2] = trace.graph.union(odd[: (length - 1) // 2], ids[2::2])
    return out


def _fold_prefixes(trace: Trace, ufunc: np.ufunc, rows: Operand) -> Ids:
    """From the left, one call after the other: for the rare ufuncs."""
    out = array(rows._ids)
    total = rows.along(0) if rows.shape[-1] else rows
    for i in range(1, rows.shape[-1]):
        total = combine(trace, ufunc, total, rows.along(i))
        out[..., i] = total._ids
    return out


def _settle_prefixes(
    trace: Trace,
    ufunc: np.ufunc,
    rows: Ids,
    out: Ids,
    dtype: np.dtype[Any],
    source: np.dtype[Any],
) -> None:
    """Write the values of prefixes that are constant whatever the inputs are."""
    known = np.logical_and.accumulate(rows <= ZERO, axis=-1)
    np.copyto(out, trace.graph.opaque, where=(out <= ZERO) & ~known)
    if ufunc is np.multiply and trace.values:
        zero = np.logical_or.accumulate(trace.graph.zeros_among(rows), axis=-1)
        np.copyto(out, trace.graph.zero, where=zero & ~known)
    if known.any():
        with np.errstate(all="ignore"):
            values = ufunc.accumulate(trace.graph.known_values(rows, source), axis=-1)
        np.copyto(out, trace.graph.constant(values.astype(dtype)), where=known)


# ----------------------------------------------------------------------- at a point
def _running_extreme(trace: Trace, ufunc: np.ufunc, rows: Operand) -> Ids:
    """Prefix extremes by doubling: the better side's ids, both at a tie."""
    out, best = array(rows._ids), rows.points.astype(float)
    step = 1
    while step < rows.shape[-1]:
        here, there = best[..., step:], best[..., :-step]
        both = ufunc(here, there)
        keep_here = np.where(
            (here == both) | np.isnan(both), out[..., step:], np.int32(trace.graph.opaque)
        )
        keep_there = np.where(
            (there == both) | np.isnan(both), out[..., :-step], np.int32(trace.graph.opaque)
        )
        united = trace.graph.union(keep_here, keep_there)
        best = np.concatenate([best[..., :step], both], axis=-1)
        out = np.concatenate([out[..., :step], united], axis=-1)
        step *= 2
    return out


def _running_product(trace: Trace, rows: Operand, prefixes: Ids) -> Ids:
    """After one zero only that zero's element matters, after two nothing does."""
    zero = rows.points == 0
    count = np.cumsum(zero, axis=-1)
    places = np.where(zero & (count == 1), arange(rows.shape[-1]), 0)
    first = np.maximum.accumulate(places, axis=-1)
    alone = np.take_along_axis(rows._ids, first, axis=-1)
    return np.where(count == 0, prefixes, np.where(count == 1, alone, np.int32(trace.graph.opaque)))
