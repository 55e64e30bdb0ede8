"""Objects of classes written in Python, taken apart into what they hold, and made of it again.

Contract: an object is nothing but its class, its attributes, and its items if it is a dictionary.
Where there could be more to it (a destructor, a weak reference, memory of a type in C) it has no
parts.  Nothing of the user's runs here.
"""

from __future__ import annotations

import struct
import types
import weakref
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from sparsetrace.user_code.object_kinds import MRO, is_heap_type

__all__ = ["Part", "made_of", "parts_of"]

_WORD = struct.calcsize("P")
_MADE_BY = (object, dict, types.SimpleNamespace)
_LIBRARIES = ("numpy", "scipy")
"""Of their objects dictionaries alone are taken apart: others are looked at by their types."""


class Part:
    """Some of what an object holds, by its names.

    Attributes
    ----------
    names : tuple
    """

    def __init__(self, holder: Any, names: Iterable[Hashable]) -> None:
        self.holder = holder
        self.names = tuple(names)

    def __getitem__(self, name: Any) -> Any:
        return dict.__getitem__(self.holder, name)


class _Slots(Part):
    def __init__(self, holder: object, members: Mapping[str, Any]) -> None:
        self.members = {name: slot for name, slot in members.items() if _is_filled(slot, holder)}
        super().__init__(holder, self.members)

    def __getitem__(self, name: Any) -> Any:
        return self.members[name].__get__(self.holder)


def parts_of(value: object) -> tuple[Part, ...] | None:
    """The attributes of an object, in a dictionary and in slots, and its items; None if unknown.

    Examples
    --------
    >>> [part.names for part in parts_of(types.SimpleNamespace(x=1.0, nit=3))]
    [('x', 'nit')]
    >>> parts_of(1.0) is None
    True
    """
    cls = type(value)
    maker = _maker(cls)
    if maker is None or weakref.getweakrefcount(value):
        return None
    parts: list[Part] = []
    if isinstance(value, dict):
        if not all(type(name) is str for name in dict.keys(value)):
            return None
        parts.append(Part(value, dict.keys(value)))
    if cls.__dictoffset__:
        attributes = object.__getattribute__(value, "__dict__")
        if type(attributes) is not dict:
            return None
        parts.append(Part(attributes, attributes))
    members = _members(cls)
    if members:
        parts.append(_Slots(value, members))
    return tuple(parts)


def made_of(cls: type, parts: Sequence[Mapping[Any, Any]]) -> Any:
    """An object with such parts, in their order, without a call of its class.

    Examples
    --------
    >>> made_of(types.SimpleNamespace, [{"x": 1.0}])
    namespace(x=1.0)
    """
    maker: Any = _maker(cls)
    made = maker.__new__(cls)
    left = list(parts)
    if maker is dict:
        dict.update(made, left.pop(0))
    if cls.__dictoffset__:
        object.__getattribute__(made, "__dict__").update(left.pop(0))
    if left:
        members = _members(cls)
        for name, item in left.pop(0).items():
            members[name].__set__(made, item)
    return made


def _maker(cls: type) -> type | None:
    """The type of Python's that makes objects of a class, if nothing else does."""
    package = str(cls.__module__).partition(".")[0]
    if package == "sparsetrace":
        return None
    for base in MRO(cls):
        if not is_heap_type(base):
            if base not in _MADE_BY or (package in _LIBRARIES and base is not dict):
                return None
            return base if _has_nothing_else(cls, base) else None
        if "__del__" in vars(base) or base.__module__.startswith("sparsetrace."):
            return None
        if isinstance(vars(base).get("__new__"), types.BuiltinFunctionType):
            return None  # written in C: `functools.partial`
    return None


def _has_nothing_else(cls: type, base: type) -> bool:
    """Whether objects of a class have no memory that a type in C would keep for itself."""
    words = len(_members(cls))
    for offset in ("__dictoffset__", "__weakrefoffset__"):
        words += getattr(cls, offset) > 0 and not getattr(base, offset)
    return cls.__basicsize__ == base.__basicsize__ + _WORD * words


def _members(cls: type) -> dict[str, Any]:
    """The slots of a class, by names that tell those of its bases apart."""
    return {
        f"{base.__qualname__}.{name}": slot
        for base in MRO(cls)
        if is_heap_type(base)
        for name, slot in vars(base).items()
        if type(slot) is types.MemberDescriptorType
    }


def _is_filled(slot: Any, holder: object) -> bool:
    try:
        slot.__get__(holder)
    except AttributeError:
        return False
    return True
