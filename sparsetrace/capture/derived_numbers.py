"""Classes that derive from ``float``, given a traced number: ``class Degrees(float)``.

Contract: where an error shows that one is, ``float.__new__`` gives what passes for an object of the
class (`sparsetrace.numbers.derived_floats`), by whatever way it is called: by the class, by
``super()``, by name.  So do the other methods of ``float`` that such a class calls by the type:
``float.__add__(self, other)``.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.capture.builtin_names import CONVERSIONS, converted_to_float
from sparsetrace.capture.exact_types import shown_as_another
from sparsetrace.capture.patch import ABSENT, Patch, class_names
from sparsetrace.capture.session import SESSION
from sparsetrace.errors import EscapeError
from sparsetrace.numbers.derived_floats import derived
from sparsetrace.numbers.python_numbers import TracedPythonFloat
from sparsetrace.operands.operands import is_traced

__all__ = ["patches"]

_NEW: Any = float.__new__
_KEPT = frozenset(
    "__class__ __doc__ __float__ __format__ __getattribute__ __getnewargs__ __hash__ __int__ "
    "__new__ __repr__ __str__ __trunc__ __floor__ __ceil__ __bool__".split()
)
"""Methods that read the value, and stay as they are."""
_OF_OBJECTS = (types.MethodDescriptorType, types.WrapperDescriptorType)


def _new(cls: type, value: Any = 0.0, /) -> Any:
    """``float.__new__``, also of traced numbers."""
    if SESSION.get() is None or not is_traced(value):
        return _NEW(cls, value)
    number = converted_to_float(value)
    if cls is float or cls in CONVERSIONS.values():
        return number
    made = derived(cls, number)
    shown_as_another(type(made))
    return made


def _method(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
    """A method of ``float`` that takes traced numbers, too."""
    traced = getattr(TracedPythonFloat, name)

    @functools.wraps(plain)
    def method(self: Any, /, *args: Any) -> Any:
        is_given = SESSION.get() is not None and getattr(type(self), "_is_bare", True) is False
        return (traced if is_given else plain)(self, *args)

    return method


@functools.cache
def _methods() -> dict[str, Callable[..., Any]]:
    """By their names."""
    return {
        name: _method(name, plain)
        for name, plain in vars(float).items()
        if isinstance(plain, _OF_OBJECTS) and name not in _KEPT and hasattr(TracedPythonFloat, name)
    }


def patches(frames: list[types.FrameType], error: BaseException | None) -> list[Patch]:
    """What makes objects of such classes, where an error shows that a number's value was asked for.

    A class without ``__new__`` of its own is made by a function in C that nothing can exchange:
    it is given one.
    """
    names = class_names(float)
    if names is None or vars(float)["__new__"] is not _NEW:
        return []
    if not isinstance(error, EscapeError) or not any(map(_makes_one, frames)):
        return []
    return [
        Patch(names, "__new__", _NEW, staticmethod(_new)),
        *(Patch(names, name, vars(float)[name], made) for name, made in _methods().items()),
        *(
            Patch(cls, "__new__", ABSENT, staticmethod(_new))
            for cls in type.__subclasses__(float)
            if cls.__new__ is _NEW and _is_users(cls)
        ),
    ]


def _makes_one(frame: types.FrameType) -> bool:
    """Whether code has, or names, a class that derives from ``float``."""
    named = map(frame.f_globals.get, frame.f_code.co_names)
    return any(map(_is_users, (*frame.f_locals.values(), *named)))


def _is_users(cls: object) -> bool:
    if not isinstance(cls, type) or not issubclass(cls, float):
        return False
    is_known = cls in (float, *CONVERSIONS.values()) or issubclass(cls, np.generic)
    return not is_known and cls.__module__.partition(".")[0] != "sparsetrace"
