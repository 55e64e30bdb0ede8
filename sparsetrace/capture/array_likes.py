"""Objects that NumPy takes for arrays by their ``__array__``: ``M @ cell`` of an ordinary ``M``.

Contract: where an error shows that NumPy was given such an object that holds a traced array, its
class has ``__array_ufunc__`` and ``__array_function__`` while a trace runs, which call the same
function with the arrays.  A class with ``__array_priority__`` is left as it is: operators ask its
own methods.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from sparsetrace.capture.patch import ABSENT, Patch
from sparsetrace.errors import EscapeError, text_of
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
    return [
        Patch(cls, name, ABSENT, method) for cls in classes for name, method in _METHODS.items()
    ]


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
        and not any(hasattr(cls, name) for name in (*_METHODS, "__array_priority__"))
        and not issubclass(cls, np.ndarray)
        and cls.__module__.partition(".")[0] != _OWN
    )


def _array_ufunc(self: object, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """The ufunc of the arrays that the objects give."""
    return getattr(ufunc, method)(*map(_as_array, inputs), **kwargs)


def _array_function(
    self: object, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The function of the arrays that the objects give, also of those in a sequence."""
    given = {name: _as_arrays(x) for name, x in kwargs.items()}
    return function(*map(_as_arrays, args), **given)


def _as_arrays(x: Any) -> Any:
    return type(x)(map(_as_array, x)) if type(x) in (list, tuple) else _as_array(x)


def _as_array(x: Any) -> Any:
    is_given = getattr(type(x), "__array_ufunc__", None) is _array_ufunc
    return x.__array__() if is_given else x


_METHODS = {"__array_ufunc__": _array_ufunc, "__array_function__": _array_function}
