"""Reductions of masked arrays along axes: masked elements are skipped.

Contract: as numpy.ma has them, in terms of the traced data's own operations.  A result
is masked where all elements were; where that depends on the inputs, so does its mask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.ma import nomask

from sparsetrace.context import Trace
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.masked.data_and_mask import (
    Parts,
    as_traced,
    filled,
    full_mask,
    inverted,
    settled,
    united,
)
from sparsetrace.operands.operands import Elements, dtype_of, is_traced

__all__ = ["REDUCTIONS", "UNMASKED", "count", "dot", "median", "sort"]

_ABSENT = np._NoValue


def _keeps(keepdims: Any) -> bool:
    return keepdims is not _ABSENT and bool(keepdims)


def _refuse_target(out: Any) -> None:
    if out is not None:
        raise UnsupportedError(
            explain(
                "a reduction of a masked array with out=",
                "writing into an array given has no rule",
                "Leave out= away, and assign the result.",
            )
        )


def _all_masked(a: Parts, axis: Any, keepdims: Any) -> Any:
    if a.mask is nomask:
        return nomask
    return settled(np.all(a.mask, axis=axis, keepdims=_keeps(keepdims)))


def count(a: Parts, axis: Any = None, keepdims: Any = _ABSENT) -> Any:
    """The number of valid elements; depends on the inputs where the mask does."""
    valid = np.logical_not(full_mask(a))
    if is_traced(valid):
        return np.sum(valid, axis=axis, keepdims=_keeps(keepdims))
    return valid.sum(axis=axis, dtype=np.intp, keepdims=_keeps(keepdims))


_TYPED = (np.sum, np.prod)


def _neutral(function: Callable[..., Any], value: Any) -> Callable[..., Parts]:
    """Sum, product, all and any: masked elements count as `value`."""
    typed = function in _TYPED

    def reduction(
        trace: Trace, a: Parts, axis: Any = None, dtype: Any = None, out: Any = None,
        keepdims: Any = _ABSENT,
    ) -> Parts:  # fmt: skip
        _refuse_target(out)
        options = {"dtype": dtype} if typed else {}
        data = function(filled(a, value), axis=axis, keepdims=_keeps(keepdims), **options)
        return Parts(data, _all_masked(a, axis, keepdims))

    def untyped(
        trace: Trace, a: Parts, axis: Any = None, out: Any = None, keepdims: Any = _ABSENT
    ) -> Parts:
        return reduction(trace, a, axis, None, out, keepdims)

    return reduction if typed else untyped


def _extreme(function: Callable[..., Any], filler: Callable[[Any], Any]) -> Callable[..., Parts]:
    """Maximum and minimum: masked elements count as the value that never wins."""

    def reduction(
        trace: Trace, a: Parts, axis: Any = None, out: Any = None, fill_value: Any = None,
        keepdims: Any = _ABSENT,
    ) -> Parts:  # fmt: skip
        _refuse_target(out)
        value = filler(dtype_of(a.data)) if fill_value is None else fill_value
        data = function(filled(a, value), axis=axis, keepdims=_keeps(keepdims))
        return Parts(data, _all_masked(a, axis, keepdims))

    return reduction


_max = _extreme(np.max, np.ma.maximum_fill_value)
_min = _extreme(np.min, np.ma.minimum_fill_value)
_sum = _neutral(np.sum, 0)


def _ptp(
    trace: Trace, a: Parts, axis: Any = None, out: Any = None, fill_value: Any = None,
    keepdims: Any = False,
) -> Parts:  # fmt: skip
    high = _max(trace, a, axis, out, fill_value, keepdims)
    low = _min(trace, a, axis, None, fill_value, keepdims)
    return Parts(high.data - low.data, high.mask)


def _mean(
    trace: Trace, a: Parts, axis: Any = None, dtype: Any = None, out: Any = None,
    keepdims: Any = _ABSENT,
) -> Parts:  # fmt: skip
    _refuse_target(out)
    if a.mask is nomask:
        return Parts(np.mean(a.data, axis=axis, dtype=dtype, keepdims=_keeps(keepdims)))
    total = _sum(trace, a, axis, dtype, None, keepdims)
    number = np.maximum(count(a, axis, keepdims), 1)
    return Parts(np.true_divide(total.data, number), total.mask)


def _anom(trace: Trace, a: Parts, axis: Any = None, dtype: Any = None) -> Parts:
    centre = _mean(trace, a, axis, dtype, None, keepdims=axis is not None)
    data = np.subtract(a.data, centre.data)
    if a.mask is nomask:
        return Parts(data)
    if is_traced(a.mask):
        return Parts(data, a.mask.copy())
    return Parts(np.where(a.mask, a.data, data), a.mask.copy())


def _var(
    trace: Trace, a: Parts, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
    keepdims: Any = _ABSENT, mean: Any = _ABSENT,
) -> Parts:  # fmt: skip
    _refuse_target(out)
    if mean is not _ABSENT:
        raise UnsupportedError(
            explain("np.ma.var(mean=)", "this option has no rule", "Leave mean= away.")
        )
    if a.mask is nomask:
        keep = _keeps(keepdims)
        return Parts(np.var(a.data, axis=axis, dtype=dtype, ddof=ddof, keepdims=keep))
    deviation = np.subtract(a.data, _mean(trace, a, axis, dtype, keepdims=True).data)
    if deviation.dtype.kind == "c":
        deviation = np.absolute(deviation)
    square = Parts(np.multiply(deviation, deviation), a.mask)
    total = _sum(trace, square, axis, None, None, keepdims)
    free = np.subtract(count(a, axis, keepdims), ddof)
    # with fewer elements than ddof takes away the result is masked
    data = np.true_divide(total.data, np.where(np.greater(free, 0), free, 1))
    return Parts(data, settled(np.less_equal(free, 0)))


def _std(
    trace: Trace, a: Parts, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
    keepdims: Any = _ABSENT, mean: Any = _ABSENT,
) -> Parts:  # fmt: skip
    found = _var(trace, a, axis, dtype, out, ddof, keepdims, mean)
    return Parts(np.sqrt(found.data), found.mask)


def _cumulative(function: Callable[..., Any], value: Any) -> Callable[..., Parts]:
    def reduction(
        trace: Trace, a: Parts, axis: Any = None, dtype: Any = None, out: Any = None
    ) -> Parts:
        _refuse_target(out)
        data = function(filled(a, value), axis=axis, dtype=dtype)
        if a.mask is nomask:
            return Parts(data)
        return Parts(data, (a.mask if axis is not None else a.mask.reshape(-1)).copy())

    return reduction


def _index(function: Callable[..., Any], filler: Callable[[Any], Any]) -> Callable[..., Any]:
    """Where the maximum or minimum stands."""

    def reduction(
        trace: Trace, a: Parts, axis: Any = None, fill_value: Any = None, out: Any = None,
        *, keepdims: Any = _ABSENT,
    ) -> Any:  # fmt: skip
        _refuse_target(out)
        value = filler(dtype_of(a.data)) if fill_value is None else fill_value
        return function(filled(a, value), axis=axis, keepdims=_keeps(keepdims))

    return reduction


def _argsort(
    trace: Trace, a: Parts, axis: Any = _ABSENT, kind: Any = None, order: Any = None,
    endwith: bool = True, fill_value: Any = None, *, stable: Any = None,
) -> Any:  # fmt: skip
    if axis is _ABSENT:  # numpy.ma still sorts the flattened array where there are several axes
        axis = None if np.ndim(a.data) > 1 else -1
    value = _filler(a, endwith) if fill_value is None else fill_value
    return np.argsort(filled(a, value), axis=axis)


def _filler(a: Parts, endwith: bool) -> Any:
    """What masked elements count as in a sort: NaN would come after them."""
    kind = dtype_of(a.data)
    if kind.kind == "f" and endwith:
        return np.nan
    return (np.ma.minimum_fill_value if endwith else np.ma.maximum_fill_value)(kind)


def sort(
    trace: Trace, a: Parts, axis: Any = -1, kind: Any = None, order: Any = None,
    endwith: bool = True, fill_value: Any = None, *, stable: Any = None,
) -> Parts:  # fmt: skip
    """Masked elements last, or first without `endwith`."""
    if fill_value is not None:
        raise UnsupportedError(
            explain("np.ma.sort(fill_value=)", "this option has no rule", "Leave it away.")
        )
    if a.mask is nomask:
        return Parts(np.sort(a.data, axis=axis))
    high, low = (f(dtype_of(a.data)) for f in (np.ma.minimum_fill_value, np.ma.maximum_fill_value))
    last, first = (high, low) if endwith else (low, high)
    with np.errstate(invalid="ignore"):  # infinity less infinity, where ties are looked for
        data = np.sort(filled(a, last), axis=axis)
        beneath = np.sort(np.where(a.mask, a.data, first), axis=axis)
    mask = np.sort(a.mask, axis=axis)
    mask = settled(mask if endwith else np.flip(mask, axis))
    if is_traced(mask):
        return Parts(data, mask, beneath)
    return Parts(np.where(mask, beneath, data), mask)


def _trace(
    trace: Trace, a: Parts, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None,
    out: Any = None,
) -> Any:  # fmt: skip
    _refuse_target(out)
    diagonal = filled(a, 0).diagonal(offset, axis1, axis2)
    return np.sum(diagonal, axis=-1, dtype=dtype)


def median(
    trace: Trace, a: Parts, axis: Any = None, out: Any = None, overwrite_input: bool = False,
    keepdims: Any = False,
) -> Parts:  # fmt: skip
    """The median of the valid elements."""
    _refuse_target(out)
    if a.mask is nomask:
        return Parts(np.median(a.data, axis=axis, keepdims=keepdims))
    mask = _all_masked(a, axis, keepdims)
    if is_traced(a.mask):
        # any valid element may stand in the middle, and no value is known
        data = as_traced(trace, np.median(filled(a, 0), axis=axis, keepdims=keepdims))
        ids = np.maximum(data._ids, OPAQUE)
        return Parts(trace.wrap(Elements(ids, data.dtype)), mask)
    data = _median_by_count(trace, a, axis)
    if keepdims:
        shape = np.shape(a.data)
        axes = range(len(shape)) if axis is None else normalize_axis_tuple(axis, len(shape))
        data = data.reshape([1 if i in axes else n for i, n in enumerate(shape)])
    return Parts(data, mask)


def _median_by_count(trace: Trace, a: Parts, axis: Any) -> Any:
    """Rows with the same number of valid elements at a time."""
    shape = np.shape(a.data)
    axes = range(len(shape)) if axis is None else normalize_axis_tuple(axis, len(shape))
    kept = [i for i in range(len(shape)) if i not in axes]
    length = int(np.prod([shape[i] for i in axes], dtype=int))

    def rows(part: Any) -> Any:
        return part.transpose([*kept, *axes]).reshape(-1, length)

    data, valid = rows(a.data), ~rows(a.mask)
    counts = valid.sum(axis=1)
    parts, places = [], []
    for number in np.unique(counts):
        at = np.flatnonzero(counts == number)
        places.append(at)
        if number:
            chosen = data[at][valid[at]].reshape(len(at), int(number))
            parts.append(np.median(chosen, axis=1))
        else:
            parts.append(np.zeros(len(at), dtype_of(a.data)))
    order = np.argsort(np.concatenate(places))
    return as_traced(trace, np.concatenate(parts)[order].reshape([shape[i] for i in kept]))


def dot(trace: Trace, a: Parts, b: Parts, out: Any = None, strict: bool = False) -> Parts:
    """Masked elements count as zero; an element is masked where no product is left."""
    _refuse_target(out)
    masks = [full_mask(a), full_mask(b)]
    if strict and masks[0].ndim and masks[1].ndim:
        axes = (-1, max(masks[1].ndim - 2, 0))
        masks = [
            united(m, np.any(m, axis=axis, keepdims=True))
            for m, axis in zip(masks, axes, strict=True)
        ]
    data = np.dot(*(filled(Parts(p.data, m), 0) for p, m in zip((a, b), masks, strict=True)))
    left = np.dot(*(np.where(inverted(m), 1.0, 0.0) for m in masks))
    return Parts(data, settled(np.equal(left, 0)))


REDUCTIONS: dict[str, Callable[..., Parts]] = {
    "all": _neutral(np.all, True),
    "any": _neutral(np.any, False),
    "anom": _anom,
    "cumprod": _cumulative(np.cumprod, 1),
    "cumsum": _cumulative(np.cumsum, 0),
    "max": _max,
    "mean": _mean,
    "min": _min,
    "prod": _neutral(np.prod, 1),
    "product": _neutral(np.prod, 1),
    "ptp": _ptp,
    "std": _std,
    "sum": _sum,
    "var": _var,
}
"""Methods of masked arrays; each takes the trace, the parts and the method's arguments."""

UNMASKED: dict[str, Callable[..., Any]] = {
    "argmax": _index(np.argmax, np.ma.maximum_fill_value),
    "argmin": _index(np.argmin, np.ma.minimum_fill_value),
    "argsort": _argsort,
    "trace": _trace,
}
"""The same, of those whose results are no masked arrays."""
