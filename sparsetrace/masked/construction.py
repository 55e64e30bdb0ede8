"""How masked arrays are made, and functions of their masks.

Contract: as numpy.ma has them; data that are traced are shared where NumPy shares them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.ma import masked, nomask

from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.masked.answers import FUNCTIONS, answers, as_masked, traced_parts
from sparsetrace.masked.data_and_mask import (
    Parts,
    as_mask,
    as_traced,
    filled,
    full_mask,
    known_mask,
    moved,
    parts_of,
    settled,
    united,
)
from sparsetrace.masked.masked_array import MaskedTracedArray, finished
from sparsetrace.masked.ufuncs import binary_call, current_trace
from sparsetrace.operands.operands import dtype_of, is_traced

__all__ = ["constructed", "masked_by"]


def constructed(
    data: Any = None, mask: Any = nomask, dtype: Any = None, copy: Any = False, subok: Any = True,
    ndmin: int = 0, fill_value: Any = None, keep_mask: bool = True, hard_mask: Any = None,
    shrink: bool = True, order: Any = None,
) -> Any:  # fmt: skip
    """``np.ma.MaskedArray(data, mask, ...)``."""
    trace = current_trace()
    given = parts_of(data)
    if not keep_mask:
        given = Parts(given.everything)

    def arranged(part: Any) -> Any:
        part = as_traced(trace, part)
        out = part
        if dtype is not None and np.dtype(dtype) != part.dtype:
            out = as_traced(trace, part.astype(dtype))
        elif copy or (order in ("C", "F") and not part.flags[f"{order}_CONTIGUOUS"]):
            out = part.copy(order or "K")
        return out.reshape((1,) * (ndmin - out.ndim) + out.shape) if out.ndim < ndmin else out

    found = moved(Parts(given.data, nomask, given.beneath), arranged)
    shape = np.shape(found.data)
    own = given.mask
    if own is not nomask:
        own = (own.copy() if copy else own).reshape(shape)
    if mask is not nomask:
        found.mask = united(own, _mask_like(trace, mask, shape, copy=bool(copy)))
    elif keep_mask or shrink:
        found.mask = own
    else:
        found.mask = np.zeros(shape, bool)
    if not is_traced(found.data):
        return np.ma.MaskedArray(found.data, mask=found.mask, fill_value=fill_value)
    out = MaskedTracedArray(trace, found)
    if type(data) is MaskedTracedArray:
        out._fill, out._hard = data._fill, data._hard
    if fill_value is not None:
        out._fill = fill_value
    if hard_mask is not None:
        out._hard = bool(hard_mask)
    return out


def _mask_like(trace: Any, mask: Any, shape: tuple[int, ...], *, copy: bool) -> Any:
    if mask is None or mask is False or mask is True:
        return np.full(shape, bool(mask))
    found = as_mask(trace, mask)
    if copy and found is mask:
        found = found.copy()
    if found.shape == shape:
        return found
    if found.size == 1:
        return np.broadcast_to(found.reshape(()), shape).copy()
    if found.size != int(np.prod(shape, dtype=int)):
        raise np.ma.MaskError(
            f"Mask and data not compatible: data size is {int(np.prod(shape, dtype=int))}, "
            f"mask size is {found.size}."
        )
    return found.reshape(shape)


@answers("array")
def _array(
    data: Any, dtype: Any = None, copy: Any = False, order: Any = None, mask: Any = nomask,
    fill_value: Any = None, keep_mask: bool = True, hard_mask: bool = False, shrink: bool = True,
    subok: bool = True, ndmin: int = 0,
) -> Any:  # fmt: skip
    return constructed(
        data, mask=mask, dtype=dtype, copy=copy, order=order, keep_mask=keep_mask,
        hard_mask=hard_mask, fill_value=fill_value, ndmin=ndmin, shrink=shrink,
    )  # fmt: skip


@answers("asarray", "asanyarray")
def _asarray(a: Any, dtype: Any = None, order: Any = None) -> Any:
    if type(a) is MaskedTracedArray and (dtype is None or np.dtype(dtype) == a.dtype):
        return a
    return constructed(a, dtype=dtype, order=order)


def masked_by(mask: Any, a: Any, *, copy: bool = True) -> Any:
    """`a` with this mask beside its own."""
    trace = current_trace()
    given = parts_of(a)
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
    return MaskedTracedArray(trace, Parts(as_traced(trace, data), mask, beneath))


@answers()
def _masked_where(condition: Any, a: Any, copy: bool = True) -> Any:
    truth = FUNCTIONS["make_mask"](condition, shrink=False)
    if np.ndim(truth) and np.shape(truth) != np.shape(parts_of(a).data):
        raise IndexError(
            f"Inconsistent shape between the condition and the input (got {np.shape(truth)} and "
            f"{np.shape(parts_of(a).data)})"
        )
    return masked_by(truth, a, copy=copy)


def _comparison(name: str, ufunc: np.ufunc) -> None:
    @answers(f"masked_{name}")
    def masked_by_comparison(x: Any, value: Any, copy: bool = True) -> Any:
        out = _masked_where(binary_call(ufunc, x, value), x, copy=copy)
        if name == "equal":
            out.fill_value = value
        return out


for _name in "equal not_equal less less_equal greater greater_equal".split():
    _comparison(_name, getattr(np, _name))


@answers()
def _masked_inside(x: Any, v1: Any, v2: Any, copy: bool = True) -> Any:
    low, high = np.minimum(v1, v2), np.maximum(v1, v2)
    data = filled(parts_of(x), 0)
    return _masked_where((data >= low) & (data <= high), x, copy=copy)


@answers()
def _masked_outside(x: Any, v1: Any, v2: Any, copy: bool = True) -> Any:
    low, high = np.minimum(v1, v2), np.maximum(v1, v2)
    data = filled(parts_of(x), 0)
    return _masked_where((data < low) | (data > high), x, copy=copy)


@answers()
def _masked_values(
    x: Any, value: Any, rtol: float = 1e-5, atol: float = 1e-8, copy: bool = True,
    shrink: bool = True,
) -> Any:  # fmt: skip
    out = masked_by(settled(np.isclose(filled(parts_of(x), value), value, rtol, atol)), x)
    out.fill_value = value
    return out


@answers()
def _masked_object(x: Any, value: Any, copy: bool = True, shrink: bool = True) -> Any:
    out = masked_by(settled(np.equal(parts_of(x).everything, value)), x, copy=copy)
    out.fill_value = value
    return out


@answers()
def _masked_invalid(a: Any, copy: bool = True) -> Any:
    invalid = settled(np.logical_not(np.isfinite(parts_of(a).everything)))
    return masked_by(invalid, a, copy=copy)


@answers()
def _fix_invalid(a: Any, mask: Any = nomask, copy: bool = True, fill_value: Any = None) -> Any:
    out = constructed(a, mask=mask, copy=copy)
    everything = out.data
    invalid = settled(np.logical_not(np.isfinite(everything)))
    if not is_traced(invalid) and not invalid.any():
        return out
    value = out.fill_value if fill_value is None else fill_value
    if is_traced(invalid):
        found = Parts(everything, united(full_mask(parts_of(out)), invalid), everything.copy())
        found.beneath[invalid] = value
        return finished(current_trace(), found, like=out)
    out[invalid] = value
    out[invalid] = masked
    return out


# --------------------------------------------------------- masks and metadata
@answers("getdata", "get_data")
def _getdata(a: Any, subok: bool = True) -> Any:
    return traced_parts(a).everything


@answers("getmask", "get_mask")
def _getmask(a: Any) -> Any:
    return a.mask if type(a) is MaskedTracedArray else nomask


@answers()
def _getmaskarray(arr: Any) -> Any:
    return full_mask(traced_parts(arr))


@answers()
def _filled(a: Any, fill_value: Any = None) -> Any:
    return as_masked(a).filled(fill_value)


@answers()
def _is_masked(x: Any) -> bool:
    mask = parts_of(x).mask
    return mask is not nomask and bool(mask.any())


@answers()
def _is_mask(m: Any) -> bool:
    return hasattr(m, "dtype") and dtype_of(m).kind == "b"


@answers()
def _make_mask(m: Any, copy: bool = False, shrink: bool = True, dtype: Any = bool) -> Any:
    found = as_mask(current_trace(), filled(parts_of(m), True))
    return nomask if shrink and not is_traced(found) and not found.any() else found


@answers()
def _mask_or(m1: Any, m2: Any, copy: bool = False, shrink: bool = True) -> Any:
    found = united(*(as_mask(current_trace(), m) for m in (m1, m2)))
    if found is nomask or not shrink or is_traced(found) or found.any():
        return found
    return nomask


@answers()
def _set_fill_value(a: Any, fill_value: Any) -> None:
    if type(a) is MaskedTracedArray:
        a.fill_value = fill_value


@answers()
def _shape(obj: Any) -> Any:
    return np.shape(parts_of(obj).data)


@answers()
def _ndim(obj: Any) -> int:
    return np.ndim(parts_of(obj).data)


@answers()
def _size(obj: Any, axis: Any = None) -> int:
    return np.size(parts_of(obj).data, axis)


@answers()
def _count_masked(arr: Any, axis: Any = None) -> Any:
    return np.sum(full_mask(traced_parts(arr)), axis=axis)


def _about_masks(name: str) -> None:
    """A function that looks at the mask alone: it gets an ordinary array with that mask."""
    original = getattr(np.ma, name)

    @answers(name)
    def of_mask(a: Any, *args: Any) -> Any:
        mask = known_mask(traced_parts(a), f"numpy.ma.{name}")
        return original(np.ma.MaskedArray(np.zeros(mask.shape), mask=mask), *args)


for _name in (
    "clump_masked clump_unmasked flatnotmasked_contiguous flatnotmasked_edges "
    "notmasked_contiguous notmasked_edges"
).split():
    _about_masks(_name)
