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
from sparsetrace.errors import ValueDependentError, explain
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
    "Parts",
    "as_mask",
    "as_traced",
    "cleaned",
    "filled",
    "full_mask",
    "inverted",
    "is_masked",
    "known_mask",
    "moved",
    "parts_of",
    "settled",
    "shaped",
    "united",
]


@dataclass(slots=True)
class Parts:
    """A masked array as its parts, each of the same shape."""

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


def is_masked(obj: Any) -> bool:
    """Whether `obj` is a masked array over traced elements."""
    return hasattr(type(obj), "_traced_data")


def parts_of(obj: Any) -> Parts:
    """The parts of any operand; what is no masked array has no mask."""
    if is_masked(obj):
        return obj._parts  # type: ignore[no-any-return]
    if isinstance(obj, np.ma.MaskedArray):
        return Parts(np.ndarray.view(obj, np.ndarray), np.ma.getmask(obj))
    if isinstance(obj, (list, tuple)) and _holds_masked(obj):
        items = [parts_of(item) for item in obj]
        return Parts(
            np.stack([item.everything for item in items]),
            settled(np.stack([full_mask(item) for item in items])),
        )
    if isinstance(obj, (list, tuple)) and contains_traced(obj):
        return Parts(as_traced(_trace(), obj))
    return Parts(obj)


def _trace() -> Trace:
    trace = CURRENT.get()
    assert trace is not None
    return trace


def _holds_masked(obj: Any) -> bool:
    if isinstance(obj, (list, tuple)):
        return any(map(_holds_masked, obj))
    return isinstance(obj, np.ma.MaskedArray)


def cleaned(key: Any) -> Any:
    """An index with the data of masked arrays in place of them, as NumPy takes it."""
    if isinstance(key, tuple):
        return tuple(map(cleaned, key))
    return parts_of(key).everything if isinstance(key, np.ma.MaskedArray) else key


def as_traced(trace: Trace, data: Any) -> Any:
    """`data` as a traced array; a local trace keeps whole numbers as they are."""
    if is_traced_array(data):
        return data
    if is_traced(data):
        return data._as_array()
    ids, kind = ids_of(trace, data).copy(), dtype_of(data)
    values = np.array(values_of(data), kind) if trace.local else None
    return trace.wrap(Elements(ids, kind, values, keep_array=True))


# --------------------------------------------------------------------- masks
def settled(mask: Any) -> Any:
    """The mask as an ordinary array, if no element of it depends on the inputs."""
    if not is_traced(mask):
        return mask
    if is_uncertain(mask):
        return as_traced(mask._trace, mask)
    return known_of(mask._trace, mask).astype(bool)


def as_mask(trace: Trace, obj: Any) -> Any:
    """What a user gave as a mask or a condition, as a mask."""
    if obj is nomask:
        return nomask
    obj = cleaned(obj)
    if not contains_traced(obj):
        return np.asarray(obj, bool)
    truth = as_traced(trace, obj)
    return settled(truth if truth.dtype == bool else np.not_equal(truth, 0))


def united(*masks: Any) -> Any:
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
    return settled(out)


def inverted(mask: Any) -> Any:
    """Where elements are valid; a plain True for all."""
    return True if mask is nomask else np.logical_not(mask)


def shaped(mask: Any, shape: tuple[int, ...]) -> Any:
    """The mask, broadcast to `shape`."""
    if mask is nomask or np.shape(mask) == shape:
        return mask
    return np.broadcast_to(mask, shape).copy()


def full_mask(parts: Parts) -> Any:
    """The mask as an array, whatever it is."""
    if parts.mask is not nomask:
        return parts.mask
    return np.zeros(np.shape(parts.data), bool)


def known_mask(parts: Parts, call: str) -> NDArray[np.bool_]:
    """The mask as an ordinary array.

    Raises
    ------
    ValueDependentError
        If the inputs decide it.
    """
    if is_traced(parts.mask):
        raise ValueDependentError(
            explain(
                call,
                "the mask depends on the inputs, and with it the shape of the result",
                "Use m.filled(value), which keeps the shape; a constant mask; or local=True.",
            )
        )
    return full_mask(parts)  # type: ignore[no-any-return]


# ---------------------------------------------------------------------- data
def filled(parts: Parts, value: Any) -> Any:
    """The data, with `value` where they are masked."""
    mask, kind = parts.mask, dtype_of(parts.data)
    if mask is nomask or (not is_traced(mask) and not mask.any()):
        return parts.data
    if not contains_traced(value):
        value = np.asarray(value).astype(kind)
    out = np.where(mask, value, parts.data)
    return out if out.dtype == kind else out.astype(kind)


def moved(parts: Parts, move: Any) -> Parts:
    """The elements rearranged by a function that does nothing else."""
    return Parts(
        move(parts.data),
        nomask if parts.mask is nomask else move(parts.mask),
        None if parts.beneath is None else move(parts.beneath),
    )
