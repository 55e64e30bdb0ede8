"""What a masked operand consists of: its data, its mask, and what lies under the mask.

Contract: a mask is ``np.ma.nomask``, an ordinary array of truth values, or, where the
inputs decide it, a traced one.  Masks unite; where one is True the other does not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.ma import nomask
from numpy.typing import NDArray

from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import BY_VALUES, UnsupportedError, ValueDependentError, explain
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    is_traced_array,
    is_uncertain,
    known_of,
    values_of,
)

__all__ = [
    "MaskedData",
    "as_mask",
    "as_traced",
    "as_type",
    "broadcast_mask",
    "current_trace",
    "filled",
    "full_mask",
    "inverted",
    "is_masked",
    "known_mask",
    "masked_data",
    "moved",
    "plain_index",
    "simplified",
    "united",
]


@dataclass(slots=True)
class MaskedData:
    """What a masked array consists of; all three have one shape."""

    data: Any
    """What the elements are where they are not masked."""
    mask: Any = nomask
    beneath: Any = None
    """What ``.data`` shows where a mask that depends on the inputs is True; else None."""

    @property
    def everything(self) -> Any:
        """The data with what lies under the mask, as ``.data`` has them."""
        if self.beneath is None:
            return self.data
        return np.where(self.mask, self.beneath, self.data)


def is_masked(obj) -> bool:
    """Whether `obj` is a masked array over traced elements."""
    return hasattr(type(obj), "_masked_data")


def masked_data(obj) -> MaskedData:
    """The data and mask of any operand; what is no masked array has no mask."""
    if is_masked(obj):
        return obj._masked_data  # type: ignore[no-any-return]
    if isinstance(obj, np.ma.MaskedArray):
        return MaskedData(np.ndarray.view(obj, np.ndarray), np.ma.getmask(obj))
    if isinstance(obj, (list, tuple)) and _holds_masked(obj):
        items = [masked_data(item) for item in obj]
        return MaskedData(
            np.stack([item.everything for item in items]),
            simplified(np.stack([full_mask(item) for item in items])),
        )
    if isinstance(obj, (list, tuple)) and contains_traced(obj):
        return MaskedData(as_traced(current_trace(), obj))
    return MaskedData(obj)


def current_trace() -> Trace:
    """The graph of the trace that runs."""
    trace = CURRENT.get()
    assert trace is not None
    return trace


def _holds_masked(obj) -> bool:
    if isinstance(obj, (list, tuple)):
        return any(map(_holds_masked, obj))
    return isinstance(obj, np.ma.MaskedArray)


def plain_index(key) -> Any:
    """An index with the data of masked arrays in place of them, as NumPy takes it."""
    if isinstance(key, tuple):
        return tuple(map(plain_index, key))
    return masked_data(key).everything if isinstance(key, np.ma.MaskedArray) else key


def as_traced(trace: Trace, data) -> Any:
    """`data` as a traced array; a local trace keeps whole numbers as they are."""
    if is_traced_array(data):
        return data
    if is_traced(data):
        return data._as_array()
    ids, dtype = ids_of(trace, data).copy(), dtype_of(data)
    values = np.array(values_of(data), dtype) if trace.local else None
    return trace.wrap(Elements(ids, dtype, values, keep_array=True))


def as_type(data, dtype, *args, **kwargs) -> Any:
    """The data of a masked array converted; not to objects, which have no mask of their own."""
    if np.dtype(dtype).kind == "O":
        raise UnsupportedError(
            explain(
                "astype(object)", "a masked array of objects is not traced", "Keep a float type."
            )
        )
    return data.astype(dtype, *args, **kwargs)


# --------------------------------------------------------------------- masks
def simplified(mask) -> Any:
    """The mask as an ordinary array, if no element of it depends on the inputs."""
    if not is_traced(mask):
        return mask
    if is_uncertain(mask):
        return as_traced(mask._trace, mask)
    return known_of(mask._trace, mask).astype(bool)


def as_mask(trace: Trace, obj) -> Any:
    """What a user gave as a mask or a condition, as a mask."""
    if obj is nomask:
        return nomask
    obj = plain_index(obj)
    if not contains_traced(obj):
        return np.asarray(obj, bool)
    truth = as_traced(trace, obj)
    return simplified(truth if truth.dtype == bool else np.not_equal(truth, 0))


def united(*masks) -> Any:
    """True where any of the masks is."""
    out: Any = nomask
    for mask in masks:
        if out is nomask:
            out = mask
        elif mask is nomask:
            continue
        elif is_traced(mask) or is_traced(out):
            first, second = (mask, out) if is_traced(out) else (out, mask)
            out = np.where(first, True, second)
        else:
            out = np.logical_or(out, mask)
    return simplified(out)


def inverted(mask) -> Any:
    """Where elements are valid; a plain True for all."""
    return True if mask is nomask else np.logical_not(mask)


def broadcast_mask(mask, shape: tuple[int, ...]) -> Any:
    """The mask, broadcast to `shape`."""
    if mask is nomask or np.shape(mask) == shape:
        return mask
    return np.broadcast_to(mask, shape).copy()


def full_mask(operand: MaskedData) -> Any:
    """The mask as an array, whatever it is."""
    if operand.mask is not nomask:
        return operand.mask
    return np.zeros(np.shape(operand.data), bool)


def known_mask(operand: MaskedData, call: str) -> NDArray[np.bool_]:
    """The mask as an ordinary array.

    Raises
    ------
    ValueDependentError
        If the inputs decide it.
    """
    if is_traced(operand.mask):
        raise ValueDependentError(
            explain(
                call,
                "the mask depends on the inputs, and with it the shape of the result",
                "Use m.filled(value), which keeps the shape; a constant mask.",
                BY_VALUES,
            )
        )
    return full_mask(operand)  # type: ignore[no-any-return]


# ---------------------------------------------------------------------- data
def filled(operand: MaskedData, value) -> Any:
    """The data, with `value` where they are masked."""
    mask, dtype = operand.mask, dtype_of(operand.data)
    if mask is nomask or (not is_traced(mask) and not mask.any()):
        return operand.data
    if not contains_traced(value):
        value = np.asarray(value).astype(dtype)
    out = np.where(mask, value, operand.data)
    return out if out.dtype == dtype else out.astype(dtype)


def moved(operand: MaskedData, move) -> MaskedData:
    """The elements rearranged by a function that does nothing else."""
    return MaskedData(
        move(operand.data),
        nomask if operand.mask is nomask else move(operand.mask),
        None if operand.beneath is None else move(operand.beneath),
    )
