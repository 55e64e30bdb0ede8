"""How masked arrays are made, and functions of their masks.

Contract: as numpy.ma has them; data that are traced are shared where NumPy shares them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.ma import masked, nomask

from sparsetrace.dispatch.bound_rules import Call, harmless
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.masked.data_and_mask import (
    MaskedData,
    as_mask,
    as_traced,
    as_type,
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
from sparsetrace.masked.masked_array import MaskedTracedArray, finished
from sparsetrace.masked.registered import on_data, rule_for, traced_masked_data, written_into
from sparsetrace.masked.ufuncs import binary_call
from sparsetrace.operands.memory_order import lies_in
from sparsetrace.operands.operands import contains_traced, dtype_of, holds_objects, is_traced

__all__ = ["constructed", "masked_by"]


def constructed(
    data=None, mask=nomask, dtype=None, copy=False, subok=True,
    ndmin: int = 0, fill_value=None, keep_mask: bool = True, hard_mask=None,
    shrink: bool = True, order=None,
) -> Any:  # fmt: skip
    """``np.ma.MaskedArray(data, mask, ...)``."""
    trace = current_trace()
    _refuse_objects(data)
    given = masked_data(data)
    if not keep_mask:
        given = MaskedData(given.everything)

    def arranged(array) -> Any:
        array = as_traced(trace, array)
        out = array
        if dtype is not None and np.dtype(dtype) != array.dtype:
            out = as_traced(trace, as_type(array, dtype))
        elif copy or not lies_in(array, order):
            out = array.copy(order or "K")
        return out.reshape((1,) * (ndmin - out.ndim) + out.shape) if out.ndim < ndmin else out

    content = moved(MaskedData(given.data, nomask, given.beneath), arranged)
    shape = np.shape(content.data)
    own = given.mask
    if own is not nomask:
        own = (own.copy() if copy else own).reshape(shape)
    if mask is not nomask:
        content.mask = united(own, _mask_like(trace, mask, shape, copy=bool(copy)))
    elif keep_mask or shrink:
        content.mask = own
    else:
        content.mask = np.zeros(shape, bool)
    if not is_traced(content.data):
        return np.ma.MaskedArray(content.data, mask=content.mask, fill_value=fill_value)
    out = MaskedTracedArray(trace, content)
    if is_masked(data):
        out._fill, out._hard = data._fill, data._hard
    if fill_value is not None:
        out._fill = fill_value
    if hard_mask is not None:
        out._hard = bool(hard_mask)
    return out


def _refuse_objects(data) -> None:
    """Raise the error of data that would not stay what they are."""
    if getattr(type(data), "_is_matrix", False) or (holds_objects(data) and contains_traced(data)):
        raise UnsupportedError(
            explain(
                "numpy.ma",
                "masked arrays of objects, and masked matrices, are not traced",
                "Mask an array of floats: np.asarray(m), a.astype(float).",
            )
        )


def _mask_like(trace, mask, shape: tuple[int, ...], *, copy: bool) -> Any:
    if mask is None or mask is False or mask is True:
        return np.full(shape, bool(mask))
    given = as_mask(trace, mask)
    if copy and given is mask:
        given = given.copy()
    if given.shape == shape:
        return given
    if given.size == 1:
        return np.broadcast_to(given.reshape(()), shape).copy()
    size = math.prod(shape)
    if given.size != size:
        raise np.ma.MaskError(
            f"Mask and data not compatible: data size is {size}, mask size is {given.size}."
        )
    return given.reshape(shape)


@rule_for("array")
def _array(data, dtype, copy, order, mask, fill_value, keep_mask, hard_mask, shrink, ndmin) -> Any:
    return constructed(
        data, mask=mask, dtype=dtype, copy=copy, order=order, keep_mask=keep_mask,
        hard_mask=hard_mask, fill_value=fill_value, ndmin=ndmin, shrink=shrink,
    )  # fmt: skip


@rule_for("asarray")
def _asarray(a, dtype, order=None) -> Any:
    order = order or "C"
    if is_masked(a) and (dtype is None or np.dtype(dtype) == a.dtype) and lies_in(a.data, order):
        return a
    return constructed(a, dtype=dtype, order=order)


@rule_for("asanyarray")
def _asanyarray(a, dtype) -> Any:
    if is_masked(a) and (dtype is None or np.dtype(dtype) == a.dtype):
        return a
    return constructed(a, dtype=dtype)


def masked_by(mask, a, *, copy: bool = True) -> Any:
    """`a` with this mask beside its own."""
    trace = current_trace()
    _refuse_objects(a)
    given = masked_data(a)
    if given.mask is not nomask and not copy:
        raise UnsupportedError(
            explain(
                "np.ma.masked_where(copy=False)",
                "it changes the mask of the masked array given",
                "Leave copy= away, or set m.mask.",
            )
        )
    data = as_traced(trace, given.data)
    if copy and data is given.data:
        data = data.copy()
    mask = united(given.mask, mask)
    if mask is not nomask:
        mask = np.broadcast_to(mask, np.shape(data)).copy()
        if not is_traced(mask) and not mask.any():
            mask = nomask
    if not is_traced(data) and not is_traced(mask):
        return np.ma.MaskedArray(data, mask=mask)
    beneath = None if given.beneath is None else as_traced(trace, given.everything)
    return MaskedTracedArray(trace, MaskedData(as_traced(trace, data), mask, beneath))


@rule_for("masked_where")
def _masked_where(condition, a, copy: bool = True) -> Any:
    truth = _make_mask(condition, shrink=False)
    if np.ndim(truth) and np.shape(truth) != np.shape(masked_data(a).data):
        raise IndexError(
            f"Inconsistent shape between the condition and the input (got {np.shape(truth)} and "
            f"{np.shape(masked_data(a).data)})"
        )
    return masked_by(truth, a, copy=copy)


def _comparison(name: str, ufunc: np.ufunc) -> None:
    @rule_for(f"masked_{name}")
    def masked_by_comparison(x, value, copy) -> Any:
        out = _masked_where(binary_call(ufunc, x, value), x, copy=copy)
        if name == "equal":
            out.fill_value = value
        return out


for _name in "equal not_equal less less_equal greater greater_equal".split():
    _comparison(_name, getattr(np, _name))


@rule_for("masked_inside")
def _masked_inside(x, v1, v2, copy) -> Any:
    low, high = np.minimum(v1, v2), np.maximum(v1, v2)
    data = filled(masked_data(x), 0)
    return _masked_where((data >= low) & (data <= high), x, copy=copy)


@rule_for("masked_outside")
def _masked_outside(x, v1, v2, copy) -> Any:
    low, high = np.minimum(v1, v2), np.maximum(v1, v2)
    data = filled(masked_data(x), 0)
    return _masked_where((data < low) | (data > high), x, copy=copy)


@rule_for("masked_values")
@harmless("shrink")
def _masked_values(x, value, rtol, atol, copy) -> Any:
    given = masked_data(x)
    near = simplified(np.isclose(filled(given, value), value, rtol, atol))
    out = masked_by(near, x, copy=copy or given.mask is not nomask)
    out.fill_value = value
    return out


@rule_for("masked_object")
@harmless("shrink")
def _masked_object(x, value, copy) -> Any:
    out = masked_by(simplified(np.equal(masked_data(x).everything, value)), x, copy=copy)
    out.fill_value = value
    return out


@rule_for("masked_invalid")
def _masked_invalid(a, copy) -> Any:
    invalid = simplified(np.logical_not(np.isfinite(masked_data(a).everything)))
    out = masked_by(invalid, a, copy=copy)
    if masked_data(out).mask is nomask:  # NumPy gives each element one
        out.mask = np.zeros(out.shape, bool)
    return out


@rule_for("fix_invalid")
def _fix_invalid(a, mask, copy, fill_value) -> Any:
    out = constructed(a if copy else written_into(a), mask=mask, copy=copy)
    everything = out.data
    invalid = simplified(np.logical_not(np.isfinite(everything)))
    if not is_traced(invalid) and not invalid.any():
        return out
    value = out.fill_value if fill_value is None else fill_value
    if is_traced(invalid):
        mask = united(full_mask(masked_data(out)), invalid)
        beneath = everything.copy()
        beneath[invalid] = value
        return finished(current_trace(), MaskedData(everything, mask, beneath), like=out)
    out[invalid] = value
    out[invalid] = masked
    return out


# --------------------------------------------------------- masks and metadata
@rule_for("getdata")
@on_data
def _getdata(a: MaskedData) -> Any:
    return a.everything


@rule_for("getmask")
def _getmask(a) -> Any:
    return a.mask if is_masked(a) else nomask


@rule_for("getmaskarray")
@on_data
def _getmaskarray(arr: MaskedData) -> Any:
    return full_mask(arr)


@rule_for("is_masked")
def _is_masked(x) -> bool:
    mask = masked_data(x).mask
    return mask is not nomask and bool(mask.any())


@rule_for("is_mask")
def _is_mask(m) -> bool:
    return hasattr(m, "dtype") and dtype_of(m).kind == "b"


@rule_for("make_mask")
@harmless("copy", "dtype")
def _make_mask(m, shrink) -> Any:
    mask = as_mask(current_trace(), filled(masked_data(m), True))
    return nomask if shrink and not is_traced(mask) and not mask.any() else mask


@rule_for("mask_or")
@harmless("copy")
def _mask_or(m1, m2, shrink) -> Any:
    mask = united(*(as_mask(current_trace(), m) for m in (m1, m2)))
    if mask is nomask or not shrink or is_traced(mask) or mask.any():
        return mask
    return nomask


@rule_for("shape")
def _shape(obj) -> Any:
    return np.shape(masked_data(obj).data)


@rule_for("ndim")
def _ndim(obj) -> int:
    return np.ndim(masked_data(obj).data)


@rule_for("size")
def _size(obj, axis) -> int:
    return np.size(masked_data(obj).data, axis)


@rule_for("count_masked")
@on_data
def _count_masked(arr: MaskedData, axis) -> Any:
    return np.sum(full_mask(arr), axis=axis)


@rule_for(
    "clump_masked", "clump_unmasked", "flatnotmasked_contiguous", "flatnotmasked_edges",
    "notmasked_contiguous", "notmasked_edges",
)  # fmt: skip
def _about_mask(call: Call, a, *arguments, **options) -> Any:
    """What looks at the mask alone gets an ordinary array with that mask."""
    mask = known_mask(traced_masked_data(a), call.name)
    return call.original(np.ma.MaskedArray(np.zeros(mask.shape), mask=mask), *arguments, **options)
