"""The functions of numpy.ma that compute, reduce, join, rearrange and apply others.

Contract: as numpy.ma has them, in terms of NumPy's functions on the data and on the mask.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself may be wrapped for user code
from numpy import concatenate
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from numpy.ma import masked, nomask

from sparsetrace.dispatch.bound_rules import harmless
from sparsetrace.masked.construction import masked_by
from sparsetrace.masked.data_and_mask import (
    MaskedData,
    as_mask,
    as_traced,
    broadcast_mask,
    current_trace,
    filled,
    full_mask,
    is_masked,
    known_mask,
    masked_data,
    moved,
    simplified,
    united,
)
from sparsetrace.masked.masked_array import MaskedTracedArray, finished, over
from sparsetrace.masked.registered import (
    as_masked,
    by_method,
    on_data,
    rule_for,
    traced_masked_data,
    written_into,
)
from sparsetrace.masked.ufuncs import binary_call
from sparsetrace.operands.operands import dtype_of, is_traced

__all__ = ["concatenated", "rearranged"]


@rule_for("power")
def _power(a, b, third) -> Any:
    if third is not None:
        raise np.ma.MaskError("3-argument power not supported.")
    return binary_call(np.power, a, b)


@rule_for("where")
def _where(condition, x=np._NoValue, y=np._NoValue) -> Any:
    if x is np._NoValue or y is np._NoValue:
        if x is not y:
            raise ValueError("Must provide both 'x' and 'y' or neither.")
        return _nonzero(condition)
    trace = current_trace()
    chosen, a, b = (masked_data(v) for v in (condition, x, y))
    if x is masked:
        a = MaskedData(np.zeros((), dtype_of(b.data)), a.mask)
    if y is masked:
        b = MaskedData(np.zeros((), dtype_of(a.data)), b.mask)
    truth = filled(chosen, False)
    mask = united(_chosen_mask(truth, full_mask(a), full_mask(b)), chosen.mask)
    everything = as_traced(trace, np.where(truth, a.everything, b.everything))
    if is_traced(mask):
        data = as_traced(trace, np.where(truth, *_valid_sides(a, b)))
        return MaskedTracedArray(trace, MaskedData(data, mask, everything))
    mask = broadcast_mask(mask, np.shape(everything)) if mask.any() else nomask
    if not is_traced(everything):
        return np.ma.MaskedArray(everything, mask=mask)
    return MaskedTracedArray(trace, MaskedData(everything, mask))


@rule_for("MaskedArray.nonzero")
def _nonzero(self) -> Any:
    return np.nonzero(filled(masked_data(self), False))


def _chosen_mask(truth, first, second) -> Any:
    """The mask of the side that is chosen; where both are alike it does not matter which."""
    chosen = np.where(truth, first, second)
    if is_traced(chosen) and not is_traced(first) and not is_traced(second):
        alike = np.broadcast_to(first == second, np.shape(chosen))
        chosen = np.where(alike, first, chosen)
    return simplified(chosen)


def _valid_sides(a: MaskedData, b: MaskedData) -> tuple[Any, Any]:
    """The data of both, each with the other's where it is masked: there it is never seen."""
    first, second = a.data, b.data
    if a.mask is not nomask and not is_traced(a.mask) and a.mask.any():
        first = np.where(a.mask, b.data, a.data)
    if b.mask is not nomask and not is_traced(b.mask) and b.mask.any():
        second = np.where(b.mask, a.data, b.data)
    return first, second


@rule_for("inner", "innerproduct")
def _inner(a, b) -> MaskedData:
    return MaskedData(np.inner(*(np.atleast_1d(filled(masked_data(v), 0)) for v in (a, b))))


@rule_for("outer", "outerproduct")
def _outer(a, b) -> MaskedData:
    left, right = traced_masked_data(a), traced_masked_data(b)
    data = np.outer(filled(left, 0), filled(right, 0))
    if left.mask is nomask and right.mask is nomask:
        return MaskedData(data)
    masks = full_mask(left).reshape(-1, 1), full_mask(right).reshape(-1)
    return MaskedData(data, united(*(broadcast_mask(mask, data.shape) for mask in masks)))


def _sliding(name: str, function: Callable[..., Any]) -> None:
    @rule_for(name)
    def slide(a, v, mode, propagate_mask) -> MaskedData:
        operands = [traced_masked_data(x) for x in (a, v)]
        missing = [known_mask(operand, f"numpy.ma.{name}").astype(int) for operand in operands]
        if not propagate_mask:
            data = function(*(filled(operand, 0) for operand in operands), mode=mode)
            return MaskedData(data, function(*(1 - m for m in missing), mode=mode) == 0)
        data = function(*(operand.data for operand in operands), mode=mode)
        first, second = missing
        hidden = function(first, np.ones_like(second), mode=mode)
        hidden = hidden + function(np.ones_like(first), second, mode=mode)
        return MaskedData(data, hidden > 0)


_sliding("convolve", np.convolve)
_sliding("correlate", np.correlate)


# ------------------------------------------------- reductions by another name
rule_for("alltrue")(harmless("dtype")(lambda target, axis: as_masked(target).all(axis)))
rule_for("sometrue")(harmless("dtype")(lambda target, axis: as_masked(target).any(axis)))


@rule_for("compress")
def _compress(condition, a, *arguments, **options) -> Any:
    return as_masked(a).compress(condition, *arguments, **options)


@rule_for("MaskedArray.round")
def _round(self, decimals) -> Any:
    operand = traced_masked_data(self)
    result = MaskedData(np.round(operand.everything, decimals), operand.mask)
    return finished(current_trace(), result, like=self)


rule_for("anomalies")(by_method("anom"))
rule_for("round_")(by_method("round"))


@rule_for("average")
def _average(a, axis, weights, returned, keepdims) -> Any:
    m = as_masked(a)
    if weights is None:
        result, scale = m.mean(axis, keepdims=keepdims), m.count(axis)
    else:
        factors = as_masked(weights)
        if factors.shape != m.shape:
            factors = _along(factors, m.shape, axis)
        factors = masked_by(m.mask, factors)
        scale = factors.sum(axis, keepdims=keepdims)
        result = (m * factors).sum(axis, keepdims=keepdims) / scale
    if not returned:
        return result
    if np.shape(scale) != np.shape(result):
        scale = np.broadcast_to(scale, np.shape(result)).copy()
    return result, scale


def _along(weights, shape: tuple[int, ...], axis) -> Any:
    """Weights given for some axes alone, with the shape of the array."""
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = normalize_axis_tuple(axis, len(shape))
    if weights.shape != tuple(shape[i] for i in axes):
        raise ValueError("Shape of weights must be consistent with shape of a along axis.")
    placed = weights.transpose(*np.argsort(axes).tolist())
    placed = placed.reshape(tuple(n if i in axes else 1 for i, n in enumerate(shape)))
    mask = placed.mask if placed.mask is nomask else broadcast_mask(placed.mask, shape)
    return over(current_trace(), np.broadcast_to(placed.data, shape).copy(), mask)


# ------------------------------------------------------------------- assembly
def _joined(function: Callable[..., Any], arrays, *args, **kwargs) -> MaskedData:
    """The result of a function of NumPy's that joins arrays."""
    operands = [traced_masked_data(a) for a in arrays]
    data = function([operand.everything for operand in operands], *args, **kwargs)
    if function is concatenate and all(operand.mask is nomask for operand in operands):
        return MaskedData(data)
    mask = simplified(function([full_mask(operand) for operand in operands], *args, **kwargs))
    if not is_traced(mask):
        return MaskedData(data, mask)
    valid = function([operand.data for operand in operands], *args, **kwargs)
    return MaskedData(valid, mask, data)


for _name in "column_stack concatenate dstack hstack stack vstack".split():
    rule_for(_name)(functools.partial(_joined, getattr(np, _name)))
rule_for("row_stack")(functools.partial(_joined, np.vstack))


def concatenated(arrays, axis: int = 0) -> Any:
    """Masked arrays and others, one behind the other."""
    return finished(current_trace(), _joined(np.concatenate, arrays, axis))


@rule_for("append")
def _append(a, b, axis) -> Any:
    if axis is None:
        return concatenated([as_masked(v).ravel() for v in (a, b)])
    return concatenated([a, b], axis)


def rearranged(function: Callable[..., Any], a, *args, **kwargs) -> Any:
    """The result of a function that moves elements, or of one that gives several arrays."""
    trace, operand = current_trace(), traced_masked_data(a)
    data = function(operand.data, *args, **kwargs)
    masks = function(full_mask(operand), *args, **kwargs)
    beneath = None
    if operand.beneath is not None:
        beneath = function(operand.beneath, *args, **kwargs)
    if isinstance(data, (list, tuple)):
        arrays = zip(data, map(simplified, masks), beneath or [None] * len(data), strict=True)
        return [finished(trace, MaskedData(*array)) for array in arrays]
    mask = nomask if operand.mask is nomask else simplified(masks)
    return finished(trace, MaskedData(data, mask, beneath))


for _name in "diag diagflat resize".split():
    rule_for(_name)(functools.partial(rearranged, getattr(np, _name)))


@rule_for("hsplit")
def _hsplit(a, *sections, **options) -> Any:
    # numpy.ma makes one array of the pieces
    return rearranged(lambda array: np.stack(np.hsplit(array, *sections, **options)), a)


def _raised(function: Callable[..., Any], *arrays) -> Any:
    results = tuple(rearranged(function, a) for a in arrays)
    return results[0] if len(results) == 1 else results


for _name in "atleast_1d atleast_2d atleast_3d".split():
    rule_for(_name)(functools.partial(_raised, getattr(np, _name)))


def _moved(move: Callable[[Any], Any], m) -> Any:
    return m._moved(move) if is_masked(m) else moved(traced_masked_data(m), move)


def _moved_by_method(name: str, m, *arguments, **options) -> Any:
    return _moved(lambda array: getattr(array, name)(*arguments, **options), m)


@rule_for("MaskedArray.compress")
def _compress_method(self, condition, axis) -> Any:
    condition = masked_data(condition).everything  # of its mask NumPy sees nothing
    return _moved(lambda array: np.compress(condition, array, axis), self)


@rule_for("MaskedArray.filled")
@on_data
def _filled(self: MaskedData, fill_value) -> Any:
    return filled(self, fill_value)


for _name in "diagonal flatten ravel repeat reshape squeeze swapaxes take transpose".split():
    rule_for(f"MaskedArray.{_name}")(functools.partial(_moved_by_method, _name))


@rule_for("diff")
def _diff(a, n, axis, prepend, append) -> Any:
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    out = as_masked(a)
    ends = []
    for end in (prepend, append):
        if end is not np._NoValue:
            end = as_masked(end)
            if not end.ndim:
                shape = tuple(1 if i == axis % out.ndim else k for i, k in enumerate(out.shape))
                end = over(current_trace(), np.broadcast_to(end.data, shape).copy())
        ends.append(end)
    arrays = [p for p in (ends[0], out, ends[1]) if p is not np._NoValue]
    if len(arrays) > 1 and n:
        out = concatenated(arrays, axis)
    front = (slice(None),) * (axis % out.ndim)
    for _ in range(n):
        out = out[(*front, slice(1, None))] - out[(*front, slice(None, -1))]
    return out


@rule_for("ediff1d")
def _ediff1d(arr, to_end, to_begin) -> Any:
    elements = as_masked(arr).ravel()
    arrays = [elements[1:] - elements[:-1]]
    if to_begin is not None:
        arrays.insert(0, to_begin)
    if to_end is not None:
        arrays.append(to_end)
    if len(arrays) == 1:
        return arrays[0]
    return concatenated([as_masked(array).ravel() for array in arrays])


for _name in ("put", "set_fill_value"):
    rule_for(_name)(by_method(_name, of=written_into))


@rule_for("putmask")
def _putmask(a, mask, values) -> None:
    target = written_into(a)
    chosen = as_mask(current_trace(), filled(masked_data(mask), False))
    target._store(masked_data(_where(chosen, values, target)))


@rule_for("ndenumerate")
def _ndenumerate(a, compressed) -> Iterator[tuple[tuple[int, ...], Any]]:
    m = as_masked(a)
    known_mask(masked_data(m), "numpy.ma.ndenumerate")
    for at in np.ndindex(m.shape):
        value = m[at]
        if value is not masked:
            yield at, value
        elif not compressed:
            yield at, masked


@rule_for("choose")
def _choose(indices, choices, mode) -> MaskedData:
    places, arrays = masked_data(indices), [masked_data(choice) for choice in choices]
    at = filled(places, 0)
    beneath = [filled(a, np.ma.default_fill_value(dtype_of(a.data))) for a in arrays]
    data = np.choose(at, beneath, mode=mode)
    mask = simplified(np.choose(at, [full_mask(array) for array in arrays], mode=mode))
    return MaskedData(data, united(mask, places.mask))


# ----------------------------------------------------------- functions of the user's
@rule_for("apply_along_axis")
def _apply_along_axis(func1d, axis, arr, *arguments, **options) -> Any:
    m = as_masked(arr)
    axis = normalize_axis_index(axis, m.ndim)
    before, behind = m.shape[:axis], m.shape[axis + 1 :]
    places = [(*p, slice(None), *q) for p in np.ndindex(before) for q in np.ndindex(behind)]
    results = _joined(np.stack, [func1d(m[place], *arguments, **options) for place in places])
    own = np.shape(results.data)[1:]

    def placed(array) -> Any:
        array = array.reshape(before + behind + own)
        return np.moveaxis(array, range(-len(own), 0), range(axis, axis + len(own)))

    return as_masked(finished(current_trace(), moved(results, placed)))


@rule_for("apply_over_axes")
def _apply_over_axes(func, a, axes) -> Any:
    result = as_masked(a)
    for axis in np.atleast_1d(axes).tolist():
        axis = axis + result.ndim if axis < 0 else axis
        reduced = func(result, axis)
        if np.ndim(masked_data(reduced).data) != result.ndim:
            reduced = rearranged(lambda array, axis=axis: np.expand_dims(array, axis), reduced)
        if reduced.ndim != result.ndim:
            raise ValueError("function is not returning an array of the correct shape")
        result = reduced
    return result


# ----------------------------------------------------------- rows and columns
@rule_for("compress_nd")
def _compress_nd(x, axis=None) -> Any:
    operand = traced_masked_data(x)
    mask = known_mask(operand, "numpy.ma.compress_nd")
    data = operand.everything
    if mask.all() and mask.size:
        return np.zeros(0)
    axes = range(mask.ndim) if axis is None else normalize_axis_tuple(axis, mask.ndim)
    for ax in axes:
        others = tuple(i for i in range(mask.ndim) if i != ax)
        data = data[(slice(None),) * ax + (~mask.any(axis=others),)]
    return data


@rule_for("compress_rowcols")
def _compress_rowcols(x, axis) -> Any:
    if np.ndim(masked_data(x).data) != 2:
        raise NotImplementedError("compress_rowcols works for 2D arrays only.")
    return _compress_nd(x, axis)


rule_for("compress_rows")(lambda a: _compress_rowcols(a, 0))
rule_for("compress_cols")(lambda a: _compress_rowcols(a, 1))


@rule_for("mask_rowcols")
def _mask_rowcols(a, axis) -> Any:
    m = as_masked(a)
    if m.ndim != 2:
        raise NotImplementedError("mask_rowcols works for 2D arrays only.")
    if m.mask is nomask:
        return m
    mask = m.mask
    if not axis:
        mask = united(mask, np.any(m.mask, axis=1, keepdims=True))
    if axis in (None, 1, -1):
        mask = united(mask, np.any(m.mask, axis=0, keepdims=True))
    return over(current_trace(), m.data, mask)


rule_for("mask_rows")(harmless("axis")(lambda a: _mask_rowcols(a, 0)))
rule_for("mask_cols")(harmless("axis")(lambda a: _mask_rowcols(a, 1)))


def _constants_like(function: Callable[..., Any], a, *args, **kwargs) -> MaskedData:
    operand = traced_masked_data(a)
    data = function(operand.data, *args, **kwargs)
    if operand.mask is nomask or np.shape(data) != np.shape(operand.mask):
        return MaskedData(data)
    return MaskedData(data, operand.mask.copy())


for _name in "empty_like ones_like zeros_like".split():
    rule_for(_name)(functools.partial(_constants_like, getattr(np, _name)))


@rule_for("masked_all_like")
@on_data
def _masked_all_like(arr: MaskedData) -> MaskedData:
    data = np.zeros_like(arr.data)
    return MaskedData(data, np.ones(np.shape(data), bool))
