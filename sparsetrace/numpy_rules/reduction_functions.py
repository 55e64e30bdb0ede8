"""Rules of functions that reduce: sums, means, extremes, variances, prefix sums.

Contract: in a global pattern each of these depends on the whole axis; what differs between
them is the dtype, the arguments, and what comes of a row of constants.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO, filled
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.axes import check_axis, core_last
from sparsetrace.operands.complex_operands import moved_ids, moved_operand, part_by_part
from sparsetrace.operands.elementwise import combine
from sparsetrace.operands.implementations import conversion, rebound
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_uncertain,
    known_of,
)
from sparsetrace.operands.prefixes import accumulate
from sparsetrace.operands.registry import rule_for
from sparsetrace.operands.ufunc_reductions import reduce

__all__ = ["inexact", "length", "single", "whole_axis"]

# bound early: while a trace runs, the names in ``numpy`` itself may be wrapped for user code
_COV, _MEAN, _STD, _VAR = np.cov, np.mean, np.std, np.var
_ROOTS = (np.std, np.nanstd)


def inexact(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of a mean, which for whole numbers is a float."""
    return dtype if dtype.kind in "fc" else np.dtype(float)


def _without_nan(trace: Trace, a, nan: float | None) -> Any:
    """The operand with what is known to be NaN exchanged for `nan`, unless that is None."""
    if nan is None or trace.graph.pure or not (trace.local or nan == nan):
        return a
    x = moved_operand(trace, a)
    if x._dtype.kind not in "fc":
        return a
    if trace.local:
        missing = np.isnan(x.points)
        values = np.where(missing, x._dtype.type(nan), x.points)
        return Operand(trace, np.where(missing, trace.graph.zero, x._ids), x._dtype, values)
    missing = (x._ids < ZERO) & np.isnan(trace.graph.known_values(x._ids, x._dtype))
    if not missing.any():
        return a
    return Operand(trace, np.where(missing, trace.graph.constant(nan), x._ids), x._dtype)


def _ufunc_reduction(
    ufunc: np.ufunc, *functions: Callable[..., Any], nan: float | None = None
) -> None:
    """``np.sum`` and its kin; those that leave NaN out take `nan` in its place."""

    def rule(trace: Trace, a, axis, keepdims, where, initial=None, dtype=None) -> Elements:
        a = _without_nan(trace, a, nan)
        return reduce(trace, ufunc, a, axis, dtype, keepdims, initial, where)

    rule_for(*functions)(rule)


_ufunc_reduction(np.add, np.sum)
_ufunc_reduction(np.add, np.nansum, nan=0.0)
_ufunc_reduction(np.multiply, np.prod)
_ufunc_reduction(np.multiply, np.nanprod, nan=1.0)
_ufunc_reduction(np.maximum, *dict.fromkeys((np.max, np.amax)))
_ufunc_reduction(np.minimum, *dict.fromkeys((np.min, np.amin)))
_ufunc_reduction(np.fmax, np.nanmax, nan=np.nan)
_ufunc_reduction(np.fmin, np.nanmin, nan=np.nan)
_ufunc_reduction(np.logical_and, np.all)
_ufunc_reduction(np.logical_or, np.any)


def whole_axis(
    trace: Trace,
    a,
    axis,
    dtype,
    keepdims,
    where,
    values: Callable[..., Any],
    *,
    linear: bool = True,
) -> Elements:
    """Union over the axis; rows of constants are computed by `values`.

    Unless it is `linear`, the result is taken as nonlinear in all of the axis.
    """
    since = trace.graph.size
    ids, source = ids_of(trace, a), dtype_of(a)
    rows, axes = core_last(ids, axis)
    if where is not True:
        unsure = is_uncertain(where)
        mask = True if unsure else np.asarray(known_of(trace, where), bool)
        masks = core_last(np.broadcast_to(mask, ids.shape), axis)[0]
        out = trace.graph.union_rows(np.where(masks, rows, trace.graph.zero))
        if unsure and trace.dependency:
            out = trace.graph.union(out, trace.graph.union_rows(ids_of(trace, where).reshape(-1)))
    else:
        out = trace.graph.union_rows(rows)
        if not trace.graph.pure or not rows.shape[-1]:
            known = (rows <= ZERO).all(axis=-1)
            if known.any():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    result = values(trace.graph.known_values(rows, source), axis=-1)
                out = np.where(known, trace.graph.constant(result), out)
    if not linear:
        out = interact_all(trace.graph, out, since)
    return Elements(np.expand_dims(out, axes) if keepdims and axes else out, np.dtype(dtype))


def _mean_rule(values: Callable[..., Any], function: Callable[..., Any]) -> None:
    @part_by_part("a")
    def rule(trace: Trace, a, axis, dtype, keepdims, where) -> Elements:
        result_dtype = np.dtype(dtype) if dtype is not None else inexact(dtype_of(a))
        length(np.shape(a) or (() if function is _MEAN else (1,)), axis)  # as NumPy, no axis 0
        return whole_axis(trace, a, axis, result_dtype, keepdims, where, values)

    rule_for(function)(rule)


_mean_rule(np.mean, np.mean)
_mean_rule(np.nanmean, np.nanmean)


def _spread_rule(values: Callable[..., Any], function: Callable[..., Any]) -> None:
    root = values in _ROOTS

    def rule(trace: Trace, a, axis, dtype, ddof, keepdims, where, mean, correction) -> Elements:
        if correction is not np._NoValue and ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        free = ddof if correction is np._NoValue else correction
        if mean is not None:
            return _about(trace, a, mean, axis, dtype, free, keepdims, where, root=root)

        def value(rows, axis: int) -> Any:
            return values(rows, axis=axis, ddof=free)

        result_dtype = np.dtype(dtype) if dtype is not None else _real(inexact(dtype_of(a)))
        alike = () if function in (_VAR, _STD) else (1,)  # the others take axis 0 of a number
        count = length(np.shape(a) or alike, axis)
        if count == 1 and where is True:
            return single(trace, a, axis, result_dtype, keepdims, value(np.zeros(1), axis=0))
        # each deviation from the mean depends on the whole axis; of two real numbers the
        # standard deviation is half their distance
        linear = root and count == 2 and dtype_of(a).kind != "c"
        return whole_axis(trace, a, axis, result_dtype, keepdims, where, value, linear=linear)

    rule_for(function)(rule)


def _real(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of a real part."""
    return np.empty(0, dtype).real.dtype


def length(shape: tuple[int, ...], axis) -> int:
    """How many elements each result is made of."""
    if axis is None:
        return prod(shape)
    return prod(shape[i] for i in normalize_axis_tuple(axis, len(shape)))


def single(trace: Trace, a, axis, dtype: np.dtype[Any], keepdims, value) -> Elements:
    """The spread of one number, which is constant."""
    shape = np.sum(np.zeros(np.shape(a)), axis=axis, keepdims=keepdims).shape
    return Elements(filled(trace.graph.constant(value), shape), dtype)


def _about(
    trace: Trace,
    a,
    mean,
    axis,
    dtype,
    free,
    keepdims,
    where,
    *,
    root: bool,
) -> Elements:
    """The spread about a mean that is given, which may have any shape that broadcasts."""

    def value(rows, axis: int) -> Any:
        squares = np.sum(np.abs(rows) ** 2, axis=axis) / max(count - free, 0)
        return np.sqrt(squares) if root else squares

    count = length(np.shape(a), axis)
    deviation = combine(trace, np.subtract, a, mean)
    ids = deviation._ids
    result_dtype = np.dtype(dtype) if dtype is not None else _real(inexact(deviation._dtype))
    squares = np.where(ids > ZERO, interact_all(trace.graph, np.maximum(ids, OPAQUE)), ids)
    operand = Operand(trace, squares, deviation._dtype)
    result = whole_axis(trace, operand, axis, result_dtype, keepdims, where, value)
    return Elements(interact_all(trace.graph, result.ids), result_dtype) if root else result


_spread_rule(np.var, np.var)
_spread_rule(np.std, np.std)
_spread_rule(np.nanvar, np.nanvar)
_spread_rule(np.nanstd, np.nanstd)


@rule_for(np.average)
def _average(trace: Trace, a, axis, weights, returned, keepdims) -> Any:
    """``sum(a * weights) / sum(weights)``: no dependency on an element of weight zero."""
    shape = np.shape(a)
    if axis is not None:
        axis = normalize_axis_tuple(axis, len(shape), argname="axis")
    if weights is None:
        result = whole_axis(trace, a, axis, inexact(dtype_of(a)), keepdims, True, np.mean)
        count = prod(shape) / result.ids.size  # as in NumPy, an average has at least one result
        if not returned:
            return result
        return result, np.full(result.ids.shape, count, result.dtype)
    traced = contains_traced(weights)
    factors = conversion(weights, copy=False) if traced else constant_values(weights)
    if np.shape(weights) != shape:
        factors = _along_axes(factors, shape, axis)
    dtypes = dtype_of(a), dtype_of(factors)
    dtype = np.result_type(*dtypes, *([float] if dtypes[0].kind in "biu" else []))
    products = np.multiply(a, factors)
    scale = np.sum(factors, axis=axis, keepdims=keepdims, dtype=dtype)
    mean = np.true_divide(np.sum(products, axis=axis, keepdims=keepdims), scale)
    return (mean, np.broadcast_to(scale, np.shape(mean))) if returned else mean


def _along_axes(weights, shape: tuple[int, ...], axis) -> Any:
    """Weights given for some axes of an array alone, with the array's shape."""
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = normalize_axis_tuple(axis, len(shape))
    if np.shape(weights) != tuple(shape[i] for i in axes):
        raise ValueError("Shape of weights must be consistent with shape of a along axis.")
    placed = np.transpose(weights, np.argsort(axes).tolist())
    lengths = tuple(n if i in axes else 1 for i, n in enumerate(shape))
    return np.broadcast_to(np.reshape(placed, lengths), shape)


@rule_for(np.linalg.trace)
def _linalg_trace(trace: Trace, x, offset, dtype) -> Any:
    return _trace(trace, x, offset, -2, -1, dtype)


@rule_for(np.trace)
def _trace(trace: Trace, a, offset, axis1, axis2, dtype) -> Elements:
    """``[[{0}, {1}], [{2}, {3}]] -> {0, 3}``."""
    diagonal = moved_ids(trace, a).diagonal(offset, axis1, axis2)
    return reduce(trace, np.add, Operand(trace, diagonal, dtype_of(a)), -1, dtype)


def _prefix(ufunc: np.ufunc, function: Callable[..., Any], nan: float | None = None) -> None:
    def rule(trace: Trace, a, axis, dtype) -> Elements:
        x = moved_operand(trace, _without_nan(trace, a, nan))
        check_axis(axis, len(x.shape), function)
        if len(x.shape) != 1:
            x = x.moved(np.ravel if axis is None else np.atleast_1d)
        return accumulate(trace, ufunc, x, 0 if axis is None else axis, dtype)

    rule_for(function)(rule)


_prefix(np.add, np.cumsum)
_prefix(np.add, np.nancumsum, nan=0.0)
_prefix(np.multiply, np.cumprod)
_prefix(np.multiply, np.nancumprod, nan=1.0)


def _cumulative(ufunc: np.ufunc, function: Callable[..., Any]) -> None:
    def rule(trace: Trace, x, axis, dtype, include_initial) -> Elements:
        operand = moved_operand(trace, x)
        if axis is None:
            if len(operand.shape) > 1:
                raise ValueError(
                    "For arrays which have more than one dimension `axis` is required."
                )
            operand, axis = operand.moved(np.ravel), 0
        result = accumulate(trace, ufunc, operand.moved(np.atleast_1d), axis, dtype)
        if include_initial:
            shape = list(operand.shape)
            shape[axis] = 1
            first = trace.graph.constant(np.full(shape, ufunc.identity))
            return Elements(np.concatenate([first, result.ids], axis=axis), result.dtype)
        return result

    rule_for(function)(rule)


if hasattr(np, "cumulative_sum"):  # NumPy 2.1
    _cumulative(np.add, np.cumulative_sum)
    _cumulative(np.multiply, np.cumulative_prod)


@rule_for(np.cov)
def _cov(trace: Trace, m, y, rowvar, bias, ddof, fweights, aweights, dtype) -> Any:
    """Each entry depends on two variables, and on every weight that is traced."""
    weights = [w for w in (fweights, aweights) if w is not None and contains_traced(w)]
    if contains_traced(fweights):
        fweights = None
    if contains_traced(aweights):
        aweights = None
    samples = [x for x in (m, y) if x is not None]
    if any(contains_traced(x) for x in samples):
        base = rebound(_COV)(m, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)
    else:
        base = np.cov(m, y, rowvar, bias, ddof, dtype=dtype)
    if not weights:
        return base
    united = [trace.graph.union_rows(ids_of(trace, w).reshape(-1)) for w in weights]
    ids = ids_of(trace, base)
    every = np.broadcast_to(trace.graph.union_all(united), ids.shape)
    result_dtype = np.result_type(dtype_of(base), *map(dtype_of, weights))
    return Elements(
        interact_all(trace.graph, trace.graph.union(np.maximum(ids, OPAQUE), every)), result_dtype
    )
