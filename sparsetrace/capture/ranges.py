"""``np.arange`` between traced numbers, for calls from traced code.

Contract: how many elements there are is decided by the values, as a branch is.  A whole number
of few values is each of them, on a path of its own; a floating-point number is known at a point
alone: in a global trace there are any number of elements, of which nobody may ask how many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy import arange, ndarray

from sparsetrace.arrays.counted import counted_array
from sparsetrace.arrays.uncounted import refuse_count, uncounted_range
from sparsetrace.context import CURRENT
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    ids_of,
    is_traced,
    is_traced_array,
    values_of,
)

__all__ = ["range_of"]


def range_of(original: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """``np.arange(start, stop, step)`` of these ends: an ordinary array, or a traced one.

    Examples
    --------
    Element k is ``start + k * step``, and the end depends on nothing: at a point,
    ``np.arange({0}, {1}, {2})`` of 0.5, 2 and 1 gives ``[{0}, {0, 2}]``.
    """
    if any(map(_is_float, (*args, *kwargs.values()))):
        return _between_floats(original, args, kwargs)
    if len(args) == 1 and not kwargs:
        made = counted_array(lambda shape: original(*shape), args[0])
        if made is not None:
            return made
    ends = [_decided(x) for x in args[:-1]]
    if args:
        is_last = len(args) <= 2 and not {"start", "stop", "step"} & kwargs.keys()
        start = ends[0] if ends else 0
        ends.append(_decided(args[-1], start if is_last and type(start) is int else None))
    return original(*ends, **{name: _decided(x) for name, x in kwargs.items()})


def _is_float(end: Any) -> bool:
    return is_traced(end) and end.ndim == 0 and end.dtype.kind in "fc"


def _decided(end: Any, start: int | None = None) -> Any:
    """A whole number that says how many elements there are: its value on this path.

    Of the end of a range that begins at `start` no more is asked than how many these are.
    """
    if (
        not is_traced(end)
        or is_traced_array(end)
        or end._trace.local
        or end._dtype.kind not in "iu"
    ):
        return end
    masks = end._trace.masks
    if start is not None and masks is not None:
        found = masks.index(end, start)
        if found is not None:
            return found
    return end.__index__()


def _between_floats(
    original: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    trace = CURRENT.get()
    assert trace is not None
    if trace.dependency:
        refuse_count()
    ends = {**dict(zip(("start", "stop", "step", "dtype"), args, strict=False)), **kwargs}
    start = ends.get("start", 0) if "stop" in ends else 0
    step = 1 if ends.get("step") is None else ends["step"]
    if not trace.local:
        if ends.get("dtype") is not None or contains_traced(ends.get("like")):
            refuse_count()
        return uncounted_range(trace, start, step)
    given = (*args, *kwargs.values())
    made = original(*map(_value, args), **{name: _value(x) for name, x in kwargs.items()})
    if trace.moving is not None:
        trace.moving.note(original, len(made), [ids_of(trace, x) for x in given if is_traced(x)])
    if made.dtype.kind not in "fc" or not (is_traced(start) or is_traced(step)):
        return made
    places: Any = arange(len(made))
    return trace.wrap(Elements((start + places * step)._ids, made.dtype, made, keep_array=True))


def _value(end: Any) -> Any:
    """The number that an end is at the point."""
    if not is_traced(end):
        return end
    value = values_of(end)
    return value.item() if isinstance(value, ndarray) and value.ndim == 0 else value
