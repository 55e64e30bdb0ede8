"""Reductions and sorts of masked arrays along axes: masked elements are skipped.

Contract: as numpy.ma has them, in terms of the traced data's own operations.  A result
is masked where all elements were; where that depends on the inputs, so does its mask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.ma import nomask

from sparsetrace.graph.graph import OPAQUE
from sparsetrace.masked.data_and_mask import (
    MaskedData,
    as_traced,
    current_trace,
    filled,
    full_mask,
    inverted,
    moved,
    simplified,
    united,
)
from sparsetrace.masked.masked_array import finished
from sparsetrace.masked.registered import on_data, rule_for, traced_masked_data
from sparsetrace.operands.binding import Handler
from sparsetrace.operands.operands import Elements, dtype_of, is_traced


def _all_masked(a: MaskedData, axis, keepdims) -> Any:
    if a.mask is nomask:
        return nomask
    return simplified(np.all(a.mask, axis=axis, keepdims=keepdims))


@rule_for("MaskedArray.count")
@on_data
def _count(self: MaskedData, axis, keepdims) -> Any:
    """The number of valid elements; depends on the inputs where the mask does."""
    valid = np.logical_not(full_mask(self))
    if is_traced(valid):
        return np.sum(valid, axis=axis, keepdims=keepdims)
    return valid.sum(axis=axis, dtype=np.intp, keepdims=keepdims)


def _truth(function: Callable[..., Any], *, neutral: bool) -> Handler:
    """All and any: masked elements count as the truth that decides nothing."""

    @on_data
    def reduction(self: MaskedData, axis, keepdims) -> MaskedData:
        data = function(filled(self, neutral), axis=axis, keepdims=keepdims)
        return MaskedData(data, _all_masked(self, axis, keepdims))

    return reduction


rule_for("MaskedArray.all")(_truth(np.all, neutral=True))
rule_for("MaskedArray.any")(_truth(np.any, neutral=False))


def _total(function: Callable[..., Any], *, neutral: int) -> Handler:
    """Sum and product: masked elements count as the number that changes nothing."""

    @on_data
    def reduction(self: MaskedData, axis, dtype, keepdims) -> MaskedData:
        data = function(filled(self, neutral), axis=axis, dtype=dtype, keepdims=keepdims)
        return MaskedData(data, _all_masked(self, axis, keepdims))

    return reduction


_sum = rule_for("MaskedArray.sum")(_total(np.sum, neutral=0))
rule_for("MaskedArray.prod", "MaskedArray.product")(_total(np.prod, neutral=1))


def _extreme(function: Callable[..., Any], filler: Callable[[Any], Any]) -> Handler:
    """Maximum and minimum: masked elements count as the value that never wins."""

    @on_data
    def reduction(self: MaskedData, axis, fill_value, keepdims) -> MaskedData:
        value = filler(dtype_of(self.data)) if fill_value is None else fill_value
        data = function(filled(self, value), axis=axis, keepdims=keepdims)
        return MaskedData(data, _all_masked(self, axis, keepdims))

    return reduction


_max = rule_for("MaskedArray.max")(_extreme(np.max, np.ma.maximum_fill_value))
_min = rule_for("MaskedArray.min")(_extreme(np.min, np.ma.minimum_fill_value))


@rule_for("MaskedArray.ptp")
@on_data
def _ptp(self: MaskedData, axis, fill_value, keepdims) -> MaskedData:
    high, low = (extreme(self, axis, fill_value, keepdims) for extreme in (_max, _min))
    return MaskedData(high.data - low.data, high.mask)


@rule_for("MaskedArray.mean")
@on_data
def _mean(self: MaskedData, axis, dtype, keepdims) -> MaskedData:
    if self.mask is nomask:
        return MaskedData(np.mean(self.data, axis=axis, dtype=dtype, keepdims=keepdims))
    total = _sum(self, axis, dtype, keepdims)
    number = np.maximum(_count(self, axis, keepdims), 1)
    return MaskedData(np.true_divide(total.data, number), total.mask)


@rule_for("MaskedArray.anom")
@on_data
def _anom(self: MaskedData, axis, dtype) -> MaskedData:
    centre = _mean(self, axis, dtype, keepdims=axis is not None)
    data = np.subtract(self.data, centre.data)
    if self.mask is nomask:
        return MaskedData(data)
    if is_traced(self.mask):
        return MaskedData(data, self.mask.copy())
    return MaskedData(np.where(self.mask, self.data, data), self.mask.copy())


@rule_for("MaskedArray.var")
@on_data
def _var(self: MaskedData, axis, dtype, ddof, keepdims) -> MaskedData:
    if self.mask is nomask:
        return MaskedData(np.var(self.data, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims))
    deviation = np.subtract(self.data, _mean(self, axis, dtype, keepdims=True).data)
    if deviation.dtype.kind == "c":
        deviation = np.absolute(deviation)
    square = MaskedData(np.multiply(deviation, deviation), self.mask)
    total = _sum(square, axis, None, keepdims)
    free = np.subtract(_count(self, axis, keepdims), ddof)
    # with fewer elements than ddof takes away the result is masked
    data = np.true_divide(total.data, np.where(np.greater(free, 0), free, 1))
    return MaskedData(data, simplified(np.less_equal(free, 0)))


@rule_for("MaskedArray.std")
@on_data
def _std(self: MaskedData, axis, dtype, ddof, keepdims) -> MaskedData:
    variance = _var(self, axis, dtype, ddof, keepdims)
    return MaskedData(np.sqrt(variance.data), variance.mask)


def _cumulative(function: Callable[..., Any], *, neutral: int) -> Handler:
    @on_data
    def prefixes(self: MaskedData, axis, dtype) -> MaskedData:
        data = function(filled(self, neutral), axis=axis, dtype=dtype)
        if self.mask is nomask:
            return MaskedData(data)
        return MaskedData(data, (self.mask if axis is not None else self.mask.reshape(-1)).copy())

    return prefixes


rule_for("MaskedArray.cumprod")(_cumulative(np.cumprod, neutral=1))
rule_for("MaskedArray.cumsum")(_cumulative(np.cumsum, neutral=0))


def _index(function: Callable[..., Any], filler: Callable[[Any], Any]) -> Handler:
    """Where the maximum or minimum stands."""

    @on_data
    def reduction(self: MaskedData, axis, fill_value, keepdims) -> Any:
        value = filler(dtype_of(self.data)) if fill_value is None else fill_value
        return function(filled(self, value), axis=axis, keepdims=keepdims)

    return reduction


rule_for("MaskedArray.argmax")(_index(np.argmax, np.ma.maximum_fill_value))
rule_for("MaskedArray.argmin")(_index(np.argmin, np.ma.minimum_fill_value))


@rule_for("MaskedArray.argsort")
@on_data
def _argsort(self: MaskedData, axis, endwith, fill_value) -> Any:
    if axis is np._NoValue:  # numpy.ma still sorts the flattened array if it has several axes
        axis = None if np.ndim(self.data) > 1 else -1
    value = _filler(self, endwith) if fill_value is None else fill_value
    return np.argsort(filled(self, value), axis=axis)


def _filler(a: MaskedData, endwith: bool) -> Any:
    """What masked elements count as in a sort: NaN would come after them."""
    dtype = dtype_of(a.data)
    if dtype.kind == "f" and endwith:
        return np.nan
    return (np.ma.minimum_fill_value if endwith else np.ma.maximum_fill_value)(dtype)


@rule_for("sort")
@on_data
def _sort(a: MaskedData, axis, endwith) -> MaskedData:
    """Masked elements last, or first without `endwith`."""
    if axis is None:
        a, axis = moved(a, lambda array: array.reshape(-1)), 0
    if a.mask is nomask:
        return MaskedData(np.sort(a.data, axis=axis))
    high, low = (f(dtype_of(a.data)) for f in (np.ma.minimum_fill_value, np.ma.maximum_fill_value))
    last, first = (high, low) if endwith else (low, high)
    with np.errstate(invalid="ignore"):  # infinity less infinity, where ties are looked for
        data = np.sort(filled(a, last), axis=axis)
        beneath = np.sort(np.where(a.mask, a.data, first), axis=axis)
    mask = np.sort(a.mask, axis=axis)
    mask = simplified(mask if endwith else np.flip(mask, axis))
    if is_traced(mask):
        return MaskedData(data, mask, beneath)
    return MaskedData(np.where(mask, beneath, data), mask)


@rule_for("MaskedArray.sort")
def _sort_in_place(self, axis, endwith) -> None:
    result = _sort(self, axis, endwith)
    self._store(MaskedData(result.data, result.mask))


@rule_for("MaskedArray.trace")
@on_data
def _trace(self: MaskedData, offset, axis1, axis2, dtype) -> Any:
    return np.sum(filled(self, 0).diagonal(offset, axis1, axis2), axis=-1, dtype=dtype)


@rule_for("median")
@on_data
def _median(a: MaskedData, axis, keepdims) -> MaskedData:
    """The median of the valid elements."""
    if a.mask is nomask:
        return MaskedData(np.median(a.data, axis=axis, keepdims=keepdims))
    mask = _all_masked(a, axis, keepdims)
    if is_traced(a.mask):
        # any valid element may stand in the middle, and no value is known
        trace = current_trace()
        data = as_traced(trace, np.median(filled(a, 0), axis=axis, keepdims=keepdims))
        ids = np.maximum(data._ids, OPAQUE)
        return MaskedData(trace.wrap(Elements(ids, data.dtype)), mask)
    data = _median_by_count(a, axis)
    if keepdims:
        shape = np.shape(a.data)
        axes = range(len(shape)) if axis is None else normalize_axis_tuple(axis, len(shape))
        data = data.reshape([1 if i in axes else n for i, n in enumerate(shape)])
    return MaskedData(data, mask)


def _median_by_count(a: MaskedData, axis) -> Any:
    """Rows with the same number of valid elements at a time."""
    shape = np.shape(a.data)
    axes = range(len(shape)) if axis is None else normalize_axis_tuple(axis, len(shape))
    kept = [i for i in range(len(shape)) if i not in axes]
    length = int(np.prod([shape[i] for i in axes], dtype=int))

    def in_rows(array) -> Any:
        return array.transpose([*kept, *axes]).reshape(-1, length)

    data, valid = in_rows(a.data), ~in_rows(a.mask)
    counts = valid.sum(axis=1)
    medians, places = [], []
    for number in np.unique(counts):
        at = np.flatnonzero(counts == number)
        places.append(at)
        if number:
            chosen = data[at][valid[at]].reshape(len(at), int(number))
            medians.append(np.median(chosen, axis=1))
        else:
            medians.append(np.zeros(len(at), dtype_of(a.data)))
    order = np.argsort(np.concatenate(places))
    result = np.concatenate(medians)[order].reshape([shape[i] for i in kept])
    return as_traced(current_trace(), result)


@rule_for("dot")
def _dot(a, b, strict) -> MaskedData:
    """Masked elements count as zero; an element is masked where no product is left."""
    pair = traced_masked_data(a), traced_masked_data(b)
    masks = [full_mask(p) for p in pair]
    if strict and masks[0].ndim and masks[1].ndim:
        axes = (-1, max(masks[1].ndim - 2, 0))
        masks = [
            united(m, np.any(m, axis=axis, keepdims=True))
            for m, axis in zip(masks, axes, strict=True)
        ]
    data = np.dot(*(filled(MaskedData(p.data, m), 0) for p, m in zip(pair, masks, strict=True)))
    left = np.dot(*(np.where(inverted(m), 1.0, 0.0) for m in masks))
    return MaskedData(data, simplified(np.equal(left, 0)))


@rule_for("MaskedArray.dot")
def _dot_method(self, b, strict) -> Any:
    return finished(current_trace(), _dot(self, b, strict), like=self)
