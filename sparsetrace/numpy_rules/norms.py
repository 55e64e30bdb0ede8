"""Rules of norms.

Contract: a norm depends on every element of the axes that it is made from; other axes are
kept apart.  At a point a vector norm depends on the elements for which its derivative is not
zero.  Shapes and dtypes come from a run of the function itself on an array of ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import ones

from sparsetrace.context import Trace
from sparsetrace.graph.graph import ZERO, Ids
from sparsetrace.graph.interactions import interact, interact_all
from sparsetrace.operands.axes import core_last
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    Operand,
    contains_traced,
    dtype_of,
    ids_of,
    is_plain,
    values_of,
)
from sparsetrace.operands.registry import rule_for
from sparsetrace.operands.ufunc_reductions import reduce

__all__: list[str] = []


def _norm(
    trace: Trace,
    function: Callable[..., Any],
    x,
    axis,
    options: dict[str, Any],
    *,
    matrix: bool,
) -> Elements:
    """Norms over `axis`; sums and extremes of absolute values are piecewise linear."""
    ids, result_dtype = ids_of(trace, x), dtype_of(x)
    order = options["ord"]
    traced = contains_traced(order)
    if traced:
        options = {**options, "ord": 3.0}
    # on a small array: NumPy raises its own errors, and gives the number of dimensions
    sample = function(ones([min(n, 2) for n in ids.shape]), **options)
    real = np.empty(0, result_dtype).real.dtype
    dtype = real if real.kind == "f" else np.dtype(float)
    single = axis is not None and not isinstance(axis, tuple)
    rows, axes = core_last(ids, int(axis) if single else axis)
    if not matrix and not traced and order == 0 and not trace.dependency:
        out: Ids = np.full(rows.shape[:-1], trace.graph.opaque, np.int32)
    else:
        since = trace.graph.size
        out = trace.graph.union_rows(rows)
        if traced:
            out = interact_all(
                trace.graph,
                trace.graph.union(out, np.broadcast_to(ids_of(trace, order), out.shape)),
            )
        elif result_dtype.kind == "c" or order not in (
            (1, -1, np.inf, -np.inf) if matrix else _LINEAR
        ):
            nonlinear = interact_all(trace.graph, out, since)
            out = (
                nonlinear
                if result_dtype.kind == "c"
                else np.where(_single(trace, rows, order), out, nonlinear)
            )
    if not trace.graph.pure and not traced:
        known = (rows <= ZERO).all(axis=-1)
        if known.any():
            values = function(
                trace.graph.known_values(ids, result_dtype), **{**options, "keepdims": False}
            )
            out = np.where(known, trace.graph.constant(values), out)
    return Elements(np.expand_dims(out, axes) if sample.ndim > out.ndim else out, dtype)


_LINEAR = (1, np.inf, -np.inf)


def _single(trace: Trace, rows: Ids, order) -> Any:
    """Where at most one element is not a constant zero: the norm is its absolute value."""
    if rows.shape[-1] <= 1:
        return True
    if trace.local or not trace.values or (isinstance(order, (int, float)) and order < 0):
        return False
    return np.count_nonzero(rows, axis=-1) <= 1


@rule_for(np.linalg.norm)
def _linalg_norm(trace: Trace, x, ord, axis, keepdims) -> Elements:
    if ord is axis is None and not keepdims and is_plain(trace, x) and x._ids.size > 1:
        since = trace.graph.size
        return Elements(
            interact_all(trace.graph, trace.graph.union_rows(x._ids.reshape(-1)), since), FLOAT
        )
    if trace.local and not contains_traced(ord):
        result = _vector_norm_at_point(trace, x, ord, axis, keepdims=keepdims)
        if result is not None:
            return result
    count = np.ndim(x) if axis is None else np.size(axis)
    options = {"ord": ord, "axis": axis, "keepdims": keepdims}
    return _norm(trace, np.linalg.norm, x, axis, options, matrix=count == 2)


@rule_for(np.linalg.vector_norm)
def _vector_norm(trace: Trace, x, axis, keepdims, ord) -> Elements:
    options = {"ord": ord, "axis": axis, "keepdims": keepdims}
    return _norm(trace, np.linalg.vector_norm, x, axis, options, matrix=False)


@rule_for(np.linalg.matrix_norm)
def _matrix_norm(trace: Trace, x, keepdims, ord) -> Elements:
    options = {"ord": ord, "keepdims": keepdims}
    return _norm(trace, np.linalg.matrix_norm, x, (-2, -1), options, matrix=True)


# ----------------------------------------------------------------------- at a point
def _vector_norm_at_point(trace: Trace, x, ord, axis, *, keepdims: bool) -> Elements | None:
    """Vector norms element by element; matrix norms by the whole matrix."""
    ids = ids_of(trace, x)
    axis = int(axis) if isinstance(axis, (int, float, np.number)) else axis
    vector = ord is None or ids.ndim == 1 or isinstance(axis, int)
    if not vector:
        return None
    size = np.abs(x)
    if ord in (np.inf, -np.inf):
        ufunc = np.maximum if ord > 0 else np.minimum
        return Elements(reduce(trace, ufunc, size, axis, None, keepdims).ids, np.dtype(float))
    points = np.asarray(values_of(x))
    if ord == 0:
        return None
    power = 2.0 if ord is None else float(ord)
    # the derivative of a power above one vanishes where the element is zero
    counted: Any = True
    if power > 1 and trace.values:
        others = np.count_nonzero(points, axis=axis, keepdims=True) > 0
        counted = (points != 0) | ~others
    out = reduce(trace, np.add, size, axis, None, keepdims, where=counted).ids
    if trace.second_order and power != 1:
        if 0 < power < 2 and trace.singular is not None and (points == 0).any():
            trace.singular()  # the second derivative is infinite
        # beside zeros alone an element's absolute value is the norm
        several = np.count_nonzero(points, axis=axis, keepdims=keepdims) != 1
        interacting = np.where(several | (not trace.values), out, np.int32(trace.graph.opaque))
        out = interact(trace.graph, out, [(interacting, interacting)])
        if power == 2:  # but not the second one: sqrt(x * x + y * y) at x = 0
            zeros = np.where(points == 0, ids, np.int32(trace.graph.opaque))
            nothing = np.full(ids.shape, trace.graph.opaque, np.int32)
            squares = interact(trace.graph, nothing, [(zeros, zeros)], cut=True)
            operand = Operand(trace, squares, points.dtype, points)
            out = trace.graph.union(out, reduce(trace, np.add, operand, axis, None, keepdims).ids)
    return Elements(out, np.dtype(float))
