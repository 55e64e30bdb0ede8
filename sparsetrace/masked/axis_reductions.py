"""Reductions and sorts of masked arrays along axes: masked elements are skipped.

Contract: as numpy.ma has them, in terms of the traced data's own operations.  A result
is masked where all elements were; where that depends on the inputs, so does its mask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.ma import MaskedArray, nomask

from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.masked.answers import answers, traced_masked_data
from sparsetrace.masked.data_and_mask import (
    MaskedData,
    as_traced,
    current_trace,
    filled,
    full_mask,
    inverted,
    masked_data,
    moved,
    refuse_target,
    simplified,
    united,
)
from sparsetrace.operands.operands import Elements, dtype_of, is_traced

_ABSENT = np._NoValue


def _keeps(keepdims) -> bool:
    return keepdims is not _ABSENT and bool(keepdims)


def _all_masked(a: MaskedData, axis, keepdims) -> Any:
    if a.mask is nomask:
        return nomask
    return simplified(np.all(a.mask, axis=axis, keepdims=_keeps(keepdims)))


@answers(MaskedArray.count, unpack=True)
def _count(a: MaskedData, axis=None, keepdims=_ABSENT) -> Any:
    """The number of valid elements; depends on the inputs where the mask does."""
    valid = np.logical_not(full_mask(a))
    if is_traced(valid):
        return np.sum(valid, axis=axis, keepdims=_keeps(keepdims))
    return valid.sum(axis=axis, dtype=np.intp, keepdims=_keeps(keepdims))


def _truth(function: Callable[..., Any], *, neutral: bool) -> Callable[..., MaskedData]:
    """All and any: masked elements count as the truth that decides nothing."""

    def reduction(a: MaskedData, axis=None, out=None, keepdims=_ABSENT) -> MaskedData:
        refuse_target(f"np.ma.{function.__name__}", out)
        data = function(filled(a, neutral), axis=axis, keepdims=_keeps(keepdims))
        return MaskedData(data, _all_masked(a, axis, keepdims))

    return reduction


answers(MaskedArray.all, unpack=True)(_truth(np.all, neutral=True))
answers(MaskedArray.any, unpack=True)(_truth(np.any, neutral=False))


def _total(function: Callable[..., Any], *, neutral: int) -> Callable[..., MaskedData]:
    """Sum and product: masked elements count as the number that changes nothing."""

    def reduction(
        a: MaskedData, axis=None, dtype=None, out=None,
        keepdims=_ABSENT,
    ) -> MaskedData:  # fmt: skip
        refuse_target(f"np.ma.{function.__name__}", out)
        data = function(filled(a, neutral), axis=axis, dtype=dtype, keepdims=_keeps(keepdims))
        return MaskedData(data, _all_masked(a, axis, keepdims))

    return reduction


_sum = answers(MaskedArray.sum, unpack=True)(_total(np.sum, neutral=0))
answers(MaskedArray.prod, unpack=True)(_total(np.prod, neutral=1))


def _extreme(
    function: Callable[..., Any], filler: Callable[[Any], Any]
) -> Callable[..., MaskedData]:
    """Maximum and minimum: masked elements count as the value that never wins."""

    def reduction(
        a: MaskedData, axis=None, out=None, fill_value=None,
        keepdims=_ABSENT,
    ) -> MaskedData:  # fmt: skip
        refuse_target(f"np.ma.{function.__name__}", out)
        value = filler(dtype_of(a.data)) if fill_value is None else fill_value
        data = function(filled(a, value), axis=axis, keepdims=_keeps(keepdims))
        return MaskedData(data, _all_masked(a, axis, keepdims))

    return reduction


_max = answers(MaskedArray.max, unpack=True)(_extreme(np.max, np.ma.maximum_fill_value))
_min = answers(MaskedArray.min, unpack=True)(_extreme(np.min, np.ma.minimum_fill_value))


@answers(MaskedArray.ptp, unpack=True)
def _ptp(
    a: MaskedData, axis=None, out=None, fill_value=None,
    keepdims=False,
) -> MaskedData:  # fmt: skip
    high = _max(a, axis, out, fill_value, keepdims)
    low = _min(a, axis, None, fill_value, keepdims)
    return MaskedData(high.data - low.data, high.mask)


@answers(MaskedArray.mean, unpack=True)
def _mean(a: MaskedData, axis=None, dtype=None, out=None, keepdims=_ABSENT) -> MaskedData:
    refuse_target("np.ma.mean", out)
    if a.mask is nomask:
        return MaskedData(np.mean(a.data, axis=axis, dtype=dtype, keepdims=_keeps(keepdims)))
    total = _sum(a, axis, dtype, None, keepdims)
    number = np.maximum(_count(a, axis, keepdims), 1)
    return MaskedData(np.true_divide(total.data, number), total.mask)


@answers(MaskedArray.anom, unpack=True)
def _anom(a: MaskedData, axis=None, dtype=None) -> MaskedData:
    centre = _mean(a, axis, dtype, None, keepdims=axis is not None)
    data = np.subtract(a.data, centre.data)
    if a.mask is nomask:
        return MaskedData(data)
    if is_traced(a.mask):
        return MaskedData(data, a.mask.copy())
    return MaskedData(np.where(a.mask, a.data, data), a.mask.copy())


@answers(MaskedArray.var, unpack=True)
def _var(
    a: MaskedData, axis=None, dtype=None, out=None, ddof=0,
    keepdims=_ABSENT, mean=_ABSENT,
) -> MaskedData:  # fmt: skip
    refuse_target("np.ma.var", out)
    if mean is not _ABSENT:
        raise UnsupportedError(
            explain("np.ma.var(mean=)", "this option has no rule", "Leave mean= away.")
        )
    if a.mask is nomask:
        keep = _keeps(keepdims)
        return MaskedData(np.var(a.data, axis=axis, dtype=dtype, ddof=ddof, keepdims=keep))
    deviation = np.subtract(a.data, _mean(a, axis, dtype, keepdims=True).data)
    if deviation.dtype.kind == "c":
        deviation = np.absolute(deviation)
    square = MaskedData(np.multiply(deviation, deviation), a.mask)
    total = _sum(square, axis, None, None, keepdims)
    free = np.subtract(_count(a, axis, keepdims), ddof)
    # with fewer elements than ddof takes away the result is masked
    data = np.true_divide(total.data, np.where(np.greater(free, 0), free, 1))
    return MaskedData(data, simplified(np.less_equal(free, 0)))


@answers(MaskedArray.std, unpack=True)
def _std(
    a: MaskedData, axis=None, dtype=None, out=None, ddof=0,
    keepdims=_ABSENT, mean=_ABSENT,
) -> MaskedData:  # fmt: skip
    variance = _var(a, axis, dtype, out, ddof, keepdims, mean)
    return MaskedData(np.sqrt(variance.data), variance.mask)


def _cumulative(function: Callable[..., Any], *, neutral: int) -> Callable[..., MaskedData]:
    def reduction(a: MaskedData, axis=None, dtype=None, out=None) -> MaskedData:
        refuse_target(f"np.ma.{function.__name__}", out)
        data = function(filled(a, neutral), axis=axis, dtype=dtype)
        if a.mask is nomask:
            return MaskedData(data)
        return MaskedData(data, (a.mask if axis is not None else a.mask.reshape(-1)).copy())

    return reduction


answers(MaskedArray.cumprod, unpack=True)(_cumulative(np.cumprod, neutral=1))
answers(MaskedArray.cumsum, unpack=True)(_cumulative(np.cumsum, neutral=0))


def _index(function: Callable[..., Any], filler: Callable[[Any], Any]) -> Callable[..., Any]:
    """Where the maximum or minimum stands."""

    def reduction(
        a: MaskedData, axis=None, fill_value=None, out=None,
        *, keepdims=_ABSENT,
    ) -> Any:  # fmt: skip
        refuse_target(f"np.ma.{function.__name__}", out)
        value = filler(dtype_of(a.data)) if fill_value is None else fill_value
        return function(filled(a, value), axis=axis, keepdims=_keeps(keepdims))

    return reduction


answers(MaskedArray.argmax, unpack=True)(_index(np.argmax, np.ma.maximum_fill_value))
answers(MaskedArray.argmin, unpack=True)(_index(np.argmin, np.ma.minimum_fill_value))


@answers(MaskedArray.argsort, unpack=True)
def _argsort(
    a: MaskedData, axis=_ABSENT, kind=None, order=None,
    endwith: bool = True, fill_value=None, *, stable=None,
) -> Any:  # fmt: skip
    if axis is _ABSENT:  # numpy.ma still sorts the flattened array where there are several axes
        axis = None if np.ndim(a.data) > 1 else -1
    value = _filler(a, endwith) if fill_value is None else fill_value
    return np.argsort(filled(a, value), axis=axis)


def _filler(a: MaskedData, endwith: bool) -> Any:
    """What masked elements count as in a sort: NaN would come after them."""
    dtype = dtype_of(a.data)
    if dtype.kind == "f" and endwith:
        return np.nan
    return (np.ma.minimum_fill_value if endwith else np.ma.maximum_fill_value)(dtype)


def _sorted(
    a: MaskedData, axis=-1, kind=None, order=None,
    endwith: bool = True, fill_value=None, *, stable=None,
) -> MaskedData:  # fmt: skip
    """Masked elements last, or first without `endwith`."""
    if fill_value is not None:
        raise UnsupportedError(
            explain("np.ma.sort(fill_value=)", "this option has no rule", "Leave it away.")
        )
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


@answers(np.ma.sort, np.sort)
def _sort(a, axis=-1, *args, **kwargs) -> MaskedData:
    operand = traced_masked_data(a)
    if axis is None:
        operand, axis = moved(operand, lambda array: array.reshape(-1)), 0
    return _sorted(operand, axis, *args, **kwargs)


@answers(MaskedArray.sort)
def _sort_in_place(m, axis=-1, *args, **kwargs) -> None:
    result = _sorted(masked_data(m), axis, *args, **kwargs)
    m._store(MaskedData(result.data, result.mask))


@answers(MaskedArray.trace, unpack=True)
def _trace(
    a: MaskedData, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype=None,
    out=None,
) -> Any:  # fmt: skip
    refuse_target("np.ma.trace", out)
    diagonal = filled(a, 0).diagonal(offset, axis1, axis2)
    return np.sum(diagonal, axis=-1, dtype=dtype)


@answers(np.ma.median, unpack=True)
def _median(
    a: MaskedData, axis=None, out=None, overwrite_input: bool = False,
    keepdims=False,
) -> MaskedData:  # fmt: skip
    """The median of the valid elements."""
    refuse_target("np.ma.median", out)
    if overwrite_input:
        raise UnsupportedError(
            explain(
                "np.ma.median(overwrite_input=True)",
                "it leaves the elements of its operand in any order",
                "Leave overwrite_input out.",
            )
        )
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


@answers(np.ma.dot)
def _dot(a, b, strict: bool = False, out=None) -> MaskedData:
    return _product(traced_masked_data(a), traced_masked_data(b), out, strict=strict)


@answers(MaskedArray.dot)
def _dot_method(m, b, out=None, strict: bool = False) -> Any:
    return m._finished(_product(masked_data(m), masked_data(b), out, strict=strict))


def _product(a: MaskedData, b: MaskedData, out, *, strict: bool) -> MaskedData:
    """Masked elements count as zero; an element is masked where no product is left."""
    refuse_target("np.ma.dot", out)
    masks = [full_mask(a), full_mask(b)]
    if strict and masks[0].ndim and masks[1].ndim:
        axes = (-1, max(masks[1].ndim - 2, 0))
        masks = [
            united(m, np.any(m, axis=axis, keepdims=True))
            for m, axis in zip(masks, axes, strict=True)
        ]
    data = np.dot(*(filled(MaskedData(p.data, m), 0) for p, m in zip((a, b), masks, strict=True)))
    left = np.dot(*(np.where(inverted(m), 1.0, 0.0) for m in masks))
    return MaskedData(data, simplified(np.equal(left, 0)))
