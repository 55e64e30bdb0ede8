"""``ufunc.reduce`` and ``ufunc.reduceat``: unions along axes and over segments.

Contract: a result element depends on every element that goes into it.  A row of
constants is computed; a constant zero factor makes a product zero.  At a point the values
say which elements of a row go into an extreme, or into a product with zeros; ties keep both.

``sum`` over axis 1::

    [[{0}, {1}], [{2}, {}]]  ->  [{0, 1}, {2}]

``max([1, 3, 3])`` of ``[{0}, {1}, {2}]`` at this point: ``{1, 2}``
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import array, asarray, full, ones, zeros
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import ZERO, Ids
from sparsetrace.operands import elementwise, nonlinear, unions
from sparsetrace.operands.axes import Axis, core_last, kept
from sparsetrace.operands.complex_operands import is_complex, linearly, moved_ids
from sparsetrace.operands.elementwise import combine
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    Operand,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_uncertain,
    known_of,
    landed,
    values_of,
)
from sparsetrace.rules import RECORDS

__all__ = ["ASSOCIATIVE", "EXTREMES", "LINEAR", "converted_by", "folds", "reduce", "reduceat"]

ASSOCIATIVE = frozenset((np.multiply, np.logaddexp, np.logaddexp2, np.hypot))
"""Nonlinear ufuncs whose reductions may be computed as a tree."""
LINEAR = frozenset((np.add, np.subtract))
"""Ufuncs that act on the parts of complex numbers one by one."""
EXTREMES = frozenset((np.maximum, np.minimum, np.fmax, np.fmin))
"""Ufuncs that choose one of their operands by its value."""


def reduce(
    trace: Trace,
    ufunc: np.ufunc,
    x: Any,
    axis: Axis = 0,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Elements:
    """``ufunc.reduce(x, axis, ...)``: the union over the axis."""
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise ValueError("reduce only supported for binary functions")
    if where is True and dtype is None and initial is None:
        plain = unions.plain_ids(trace, ufunc, x)
        if plain is not None and plain.ndim and (_reorders(ufunc) or plain.ndim == 1):
            rows, axes = core_last(plain, axis)
            return Elements(kept(trace.graph.union_rows(rows), axes, keepdims=keepdims), FLOAT)
    source = dtype_of(x)
    if ufunc in LINEAR and (source.kind == "c" or (initial is not None and is_complex(initial))):

        def of_part(x: Any, initial: Any) -> Elements:
            return reduce(trace, ufunc, x, axis, dtype, keepdims, initial, where)

        elements: Elements = linearly(trace, of_part, x, initial)
        return elements
    ids, result_dtype = converted_by(trace, ufunc, ids_of(trace, x), source, dtype)
    _check(ufunc, ids, axis, initial, where)
    rows, axes = core_last(ids, axis)
    points = values_of(x) if trace.local else None  # None, too, if a rule made x of ids alone
    if points is not None:
        points = core_last(asarray(points), axis)[0]
    unsure = where is not True and is_uncertain(where)
    masks = None
    if where is not True and not unsure:
        mask = np.broadcast_to(known_of(trace, where).astype(bool), ids.shape)
        masks = core_last(mask, axis)[0]
    operand = Operand(trace, rows, source, points)
    is_followed = trace.moving is not None and ufunc not in LINEAR
    nonlinear_ufunc = trace.second_order and (is_followed or not nonlinear.is_linear(ufunc))
    partials = elementwise.letters(trace, ufunc)[0]
    if nonlinear_ufunc or (
        not unsure and _needs_calls(trace, ufunc, partials, operand, result_dtype, initial)
    ):
        result = _by_calls(trace, ufunc, operand, masks, initial)
        return Elements(kept(array(result._ids), axes, keepdims=keepdims), result_dtype)
    counted = masks
    if points is not None:
        counted = _contributing(trace, ufunc, points, masks, initial)
    picked = rows if counted is None else np.where(counted, rows, trace.graph.zero)
    if partials == "00" and (not unsure or result_dtype.kind not in "fc"):
        out = full(rows.shape[:-1], trace.graph.opaque, np.int32)
    else:
        out = trace.graph.union_rows(picked)
    if initial is not None and (not trace.local or contains_traced(initial)):
        begun = landed(trace, result_dtype, ids_of(trace, initial))
        if points is not None and not unsure and trace.values:
            stays = _is_reached(ufunc, points, masks, initial)
            begun = np.where(stays, begun, np.int32(trace.graph.opaque))
        out = trace.graph.union(out, begun)
    if trace.dependency and unsure:
        out = trace.graph.union(
            out, trace.graph.union_rows(core_last(ids_of(trace, where), axis)[0])
        )
    if not (trace.local or unsure):
        _write_constants(trace, ufunc, operand, masks, out, result_dtype, initial)
    return Elements(kept(out, axes, keepdims=keepdims), result_dtype)


def _check(ufunc: np.ufunc, ids: Ids, axis: Axis, initial: Any, where: Any) -> None:
    """Raise NumPy's errors: no initial value for a mask, or axes whose order would matter."""
    if where is not True and initial is None and ufunc.identity is None:
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a "
            "where mask one has to specify 'initial'"
        )
    several = ids.ndim > 1 and (axis is None or (isinstance(axis, tuple) and len(axis) > 1))
    if several and not _reorders(ufunc):
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' is not reorderable, so at most one axis may "
            "be specified"
        )


@lru_cache(maxsize=1024)
def _reorders(ufunc: np.ufunc) -> bool:
    """Whether it may be reduced over several axes at once."""
    try:
        ufunc.reduce(ones((1, 1)), axis=(0, 1))
    except ValueError:
        return False
    except TypeError:  # no loop for floats: NumPy will say so
        pass
    return True


def converted_by(
    trace: Trace, ufunc: np.ufunc, ids: Ids, source: np.dtype[Any], dtype: Any
) -> tuple[Ids, np.dtype[Any]]:
    """The ids that go into the loops, and the dtype that comes out; ``dtype=`` may truncate."""
    if dtype is None:
        return ids, _reduced_dtype(ufunc, source, None)
    result_dtype = _reduced_dtype(ufunc, source, np.dtype(dtype))
    return (ids if source.kind in "biu" else landed(trace, result_dtype, ids)), result_dtype


@lru_cache(maxsize=1024)
def _reduced_dtype(
    ufunc: np.ufunc, source: np.dtype[Any], dtype: np.dtype[Any] | None
) -> np.dtype[Any]:
    """As NumPy chooses it; where it has no loop, its error."""
    with np.errstate(all="ignore"):
        return asarray(ufunc.reduce(ones(2, source), dtype=dtype)).dtype


# ------------------------------------------------------------------- call by call
def _needs_calls(
    trace: Trace,
    ufunc: np.ufunc,
    partials: str,
    rows: Operand,
    dtype: np.dtype[Any],
    initial: Any,
) -> bool:
    """Whether the result is no union of the row, but has to be computed call by call."""
    if partials not in ("11", "00"):
        return True
    if partials == "00" and dtype.kind in "fc":
        return True  # one element alone is its own reduction, floor_divide's too
    inside = rows._ids
    if initial is not None and not trace.local:
        inside = np.append(inside, ids_of(trace, initial))
    return folds(trace, ufunc, inside, rows._dtype)


def folds(trace: Trace, ufunc: np.ufunc, ids: Ids, source: np.dtype[Any]) -> bool:
    """Whether a constant in a row ends dependencies on what stands before it.

    Which those are is seen by computing the row from the left, call by call.
    """
    record = RECORDS.get(ufunc)
    if trace.graph.pure or trace.local or not trace.values or record is None:
        return False
    if ufunc is np.multiply:
        return False
    constants = trace.graph.known_values(ids[ids <= ZERO], source)
    return any(bool(np.any(record.cut_beside(i, constants))) for i in record.cuts)


def _by_calls(
    trace: Trace, ufunc: np.ufunc, rows: Operand, masks: NDArray[np.bool_] | None, initial: Any
) -> Operand:
    """The row computed call by call: as a tree for associative ufuncs, else from the left."""
    if initial is not None:
        shape = (*rows.shape[:-1], 1)
        points = np.broadcast_to(values_of(initial), shape) if trace.local else None
        first = Operand(trace, np.broadcast_to(ids_of(trace, initial), shape), rows._dtype, points)
        rows = first.joined(rows)
        if masks is not None:
            masks = np.concatenate([ones(shape, bool), masks], axis=-1)
    elif masks is not None:
        neutral = rows._dtype.type(ufunc.identity)
        ids = np.where(masks, rows._ids, np.int32(trace.graph.constant_scalar(neutral)))
        points = np.where(masks, rows.points, neutral) if trace.local else None
        rows, masks = Operand(trace, ids, rows._dtype, points), None
    if not rows.shape[-1]:
        values = ufunc.reduce(zeros(rows.shape, rows._dtype), axis=-1)
        return Operand(trace, trace.graph.constant(values), rows._dtype)
    while rows.shape[-1] > 1 and ufunc in ASSOCIATIVE and masks is None:
        n = rows.shape[-1]
        pairs = combine(trace, ufunc, rows.along(0, n - 1, 2), rows.along(1, n, 2))
        rows = pairs if n % 2 == 0 else pairs.joined(rows.along(n - 1, n))
    total = rows.along(0)
    for i in range(1, rows.shape[-1]):
        result = combine(trace, ufunc, total, rows.along(i))
        total = result if masks is None else result.where(masks[..., i], total)
    return total


# ------------------------------------------------------------------------ constants
def _write_constants(
    trace: Trace,
    ufunc: np.ufunc,
    operand: Operand,
    masks: NDArray[np.bool_] | None,
    out: Ids,
    dtype: np.dtype[Any],
    initial: Any,
) -> None:
    """Write the values of rows that are constant whatever the inputs are."""
    rows, source = operand._ids, operand._dtype
    if trace.graph.pure:
        if rows.shape[-1] == 0:
            first = (
                trace.graph.constant(ufunc.reduce(zeros(0, source))) if initial is None else None
            )
            out[...] = ids_of(trace, initial) if first is None else first
        return
    if is_uncertain(initial):
        return
    counted = ones(rows.shape, bool) if masks is None else masks
    known = ((rows <= ZERO) | ~counted).all(axis=-1)
    first = None if initial is None else ids_of(trace, initial)
    if ufunc is np.multiply and trace.values:
        zero = (trace.graph.zeros_among(rows) & counted).any(axis=-1)
        if first is not None:
            zero |= trace.graph.zeros_among(first)
        np.copyto(out, trace.graph.zero, where=zero & ~known)
    if known.any():
        options: dict[str, Any] = {} if masks is None else {"where": masks}
        if first is not None:
            options["initial"] = trace.graph.known_values(first, source)[()]
        with np.errstate(all="ignore"):
            values = ufunc.reduce(trace.graph.known_values(rows, source), axis=-1, **options)
        np.copyto(out, trace.graph.constant(asarray(values, dtype)), where=known)


# ----------------------------------------------------------------------- at a point
def _is_reached(
    ufunc: np.ufunc, points: NDArray[Any], masks: NDArray[np.bool_] | None, initial: Any
) -> Any:
    """In which rows an extreme is its initial value; everywhere of what is no extreme."""
    if ufunc not in EXTREMES or points.dtype.kind == "c" or is_complex(initial):
        return True
    fill = -np.inf if ufunc in (np.maximum, np.fmax) else np.inf
    shown = points.astype(float) if masks is None else np.where(masks, points.astype(float), fill)
    best = ufunc.reduce(shown, axis=-1, initial=values_of(initial))
    return (best == values_of(initial)) | np.isnan(best)


def _contributing(
    trace: Trace,
    ufunc: np.ufunc,
    points: NDArray[Any],
    masks: NDArray[np.bool_] | None,
    initial: Any,
) -> NDArray[np.bool_] | None:
    """The elements of each row in which the reduction's derivative is not zero."""
    if not trace.values or not points.shape[-1]:
        return masks
    counted = ones(points.shape, bool) if masks is None else masks
    if ufunc in EXTREMES and points.dtype.kind != "c":
        options: dict[str, Any] = {} if initial is None else {"initial": values_of(initial)}
        fill = -np.inf if ufunc in (np.maximum, np.fmax) else np.inf
        shown = np.where(counted, points.astype(float), fill)
        best = ufunc.reduce(shown, axis=-1, keepdims=True, **options)
        reached: NDArray[np.bool_] = counted & ((shown == best) | np.isnan(best))
        return reached
    if ufunc is np.multiply:
        if initial is not None and values_of(initial) == 0:
            return zeros(points.shape, bool)
        zero = (points == 0) & counted
        number = np.count_nonzero(zero, axis=-1, keepdims=True)
        alone: NDArray[np.bool_] = counted & ((number == 0) | (zero & (number == 1)))
        return alone
    return masks


# ------------------------------------------------------------------------- segments
def reduceat(
    trace: Trace, ufunc: np.ufunc, x: Any, indices: Any, axis: int = 0, dtype: Any = None
) -> Elements:
    """``ufunc.reduceat(x, indices, axis)``: the union over each segment."""
    ids, source = moved_ids(trace, x), dtype_of(x)
    axis = normalize_axis_index(axis, ids.ndim)
    values = asarray(values_of(x)) if trace.local else None
    points = None if values is None else np.moveaxis(values, axis, 0)
    ids_first = np.moveaxis(ids, axis, 0)
    places = values_of(indices) if trace.local else constant_values(indices)
    starts = asarray(places).astype(int)
    length = ids_first.shape[0]
    if starts.size and (starts.min() < 0 or starts.max() >= length):
        raise IndexError(f"index out-of-bounds in {ufunc.__name__}.reduceat [0, {length})")
    if not starts.size:
        return Elements(zeros((0, *ids_first.shape[1:]), np.int32), source)
    lengths = np.maximum(np.append(starts[1:], length) - starts, 1)
    out = np.empty((len(starts), *ids_first.shape[1:]), np.int32)
    result_dtype = source
    for size in np.unique(lengths).tolist():  # all segments of one length are rows of one array
        rows = np.flatnonzero(lengths == size)
        elements = starts[rows, None] + np.arange(size)
        shown = None if points is None else points[elements]
        operand = Operand(trace, ids_first[elements], source, shown)
        result = reduce(trace, ufunc, operand, 1, dtype)
        out[rows], result_dtype = result.ids, result.dtype
    return Elements(np.moveaxis(out, 0, axis), result_dtype)
