"""Objects that NumPy takes for arrays by their ``__array__``: ``M @ cell`` of an ordinary ``M``.

Contract: where an error shows that an operator or a ufunc was given such an object that holds a
traced array, its class has ``__array_ufunc__`` while a trace runs, which calls the same ufunc with
the arrays that its objects hand out.  A class that answers operators itself is left as it is.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from sparsetrace.capture.patch import ABSENT, Patch
from sparsetrace.errors import EscapeError, text_of
from sparsetrace.operands.own_arrays import as_operand, takes_over
from sparsetrace.operands.poison import A_ROUTINE

__all__ = ["patches"]

_OWN = __name__.partition(".")[0]
_MOST = 64
"""So many objects of a frame are looked at, and so many attributes of each."""


def patches(frames: list[types.FrameType], error: BaseException | None) -> list[Patch]:
    """What the classes of objects in the frame of an error, or named there, are given."""
    if not frames or not _shows_one(error):
        return []
    classes = {cls for cls in _classes_in(frames[-1]) if _is_array_like(cls)}
    return [Patch(cls, "__array_ufunc__", ABSENT, _array_ufunc) for cls in classes]


def _shows_one(error: BaseException | None) -> bool:
    """Whether an array of objects was met, where NumPy makes one of what it is given."""
    if isinstance(error, EscapeError):
        return error.call == A_ROUTINE
    return isinstance(error, TypeError) and "dtype('O')" in text_of(error)


def _classes_in(frame: types.FrameType) -> Iterator[type]:
    for value in _held_by(frame):
        yield value if isinstance(value, type) else type(value)


def _held_by(frame: types.FrameType) -> Iterator[Any]:
    for value in list(frame.f_locals.values())[:_MOST]:
        yield value
        if not isinstance(value, type):
            yield from list(getattr(value, "__dict__", {}).values())[:_MOST]
    yield from map(frame.f_globals.get, frame.f_code.co_names)


def _is_array_like(cls: type) -> bool:
    own = next((vars(base)["__array__"] for base in cls.__mro__ if "__array__" in vars(base)), None)
    return (
        isinstance(own, types.FunctionType)
        and not issubclass(cls, np.ndarray)
        and not (hasattr(cls, "__array_ufunc__") or takes_over(cls))
        and cls.__module__.partition(".")[0] != _OWN
    )


def _array_ufunc(self: object, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """The ufunc of the arrays that the objects hand out."""
    return getattr(ufunc, method)(*map(as_operand, inputs), **kwargs)


_array_ufunc._hands_out = True  # type: ignore[attr-defined]  # it is no answer of the class's own
