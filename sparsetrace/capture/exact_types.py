"""A stand-in for the name ``type`` while a trace runs: ``type(x) is np.ndarray``.

Contract: called with a traced object from code that is no library's, the stand-in gives
the type that a plain run would see; in every other use, and for every other object, it
is ``type``.  ``type(x)`` raises nowhere, so no error could show that a module needs the
exchange, and a search of modules would miss code that ``exec`` made: the builtin itself
is exchanged.  The modules of this package keep the real one, at no cost.
"""

from __future__ import annotations

import builtins
import functools
import sys
import types
from typing import Any

from sparsetrace.arrays.array import TracedArray
from sparsetrace.arrays.flatiter import Flat
from sparsetrace.arrays.object_array import ObjectArray
from sparsetrace.arrays.subclass_views import SHOWN
from sparsetrace.capture.builtin_names import CONVERSIONS
from sparsetrace.capture.flat_buffers import FlatBuffer
from sparsetrace.capture.patch import Patch
from sparsetrace.capture.session import Buffer
from sparsetrace.masked.masked_array import MaskedTracedArray, NumberOrMasked
from sparsetrace.numbers.scalar import NUMBERS
from sparsetrace.numbers.undecided_types import UNDECIDED, decided
from sparsetrace.user_code.frames import by_user, is_library_file

__all__ = ["TypeName", "aliases", "look_at_modules", "patches", "shown_as_another"]

_real = type


class _Name(type):
    """The class of the stand-in, which behaves as ``type`` in everything but its calls."""

    def __new__(
        mcs, name: str, bases: tuple[Any, ...], scope: dict[str, Any], **options: Any
    ) -> Any:
        if scope.get("__module__") == __name__ and "_is_type_name" in scope:
            return _real.__new__(mcs, name, bases, scope)
        # a metaclass that code defines during the trace outlives it
        return _real(name, tuple(_real if b is TypeName else b for b in bases), scope, **options)

    def __call__(cls, obj: object, *more: Any, **options: Any) -> Any:
        if more or options:
            return _real(obj, *more, **options)
        exact = _real(obj)
        if id(exact) not in _SHOWN:
            return exact
        if exact is _real or exact is _Name:  # ``type(c) is type``
            return vars(builtins)["type"]
        frame = sys._getframe(1)
        if exact not in CONVERSIONS:
            if not (by_user(frame) or _looks_for_namespace(frame)):
                return exact
            obj = decided(obj)
            exact = (obj.decided() if isinstance(obj, NumberOrMasked) else obj).__class__
            if exact not in CONVERSIONS:
                return exact
        name = frame.f_globals.get(exact.__name__, exact)
        return name if name is CONVERSIONS[exact] else exact

    def __getattribute__(cls, name: str) -> Any:
        return getattr(_real, name)

    def __setattr__(cls, name: str, value: object) -> None:
        setattr(_real, name, value)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _real)

    def __subclasscheck__(cls, subclass: Any) -> bool:
        return issubclass(subclass, _real)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is _real

    def __hash__(cls) -> int:
        return hash(_real)

    def __repr__(cls) -> str:
        return repr(_real)

    def __or__(cls, other: object) -> Any:
        return _real | other

    def __ror__(cls, other: object) -> Any:
        return other | _real

    def __getitem__(cls, item: object) -> Any:
        return types.GenericAlias(_real, (item,))


def _looks_for_namespace(frame: types.FrameType) -> bool:
    """Whether a library asks of which array library an object is: a number is one of NumPy's."""
    name: str = frame.f_globals.get("__name__", "")
    return name.endswith("array_api_compat.common._helpers")


class TypeName(type, metaclass=_Name):
    """``type`` for code that runs while a function is traced."""

    _is_type_name = True


def patches() -> list[Patch]:
    """The builtin itself."""
    return [Patch(builtins, "type", _real, TypeName)]


_SHOWN = SHOWN
"""Types that are not always shown as they are.

By identity: a class may define how it compares, or have no hash.
"""
_SHOWN.update(
    id(cls)
    for cls in (
        *(*NUMBERS, *UNDECIDED, TracedArray, MaskedTracedArray, NumberOrMasked),
        *(Flat, FlatBuffer, Buffer, ObjectArray),
        *(*CONVERSIONS, type, _Name),
    )
)

_libraries: set[str] = set()
"""The names of modules that were found to be libraries', and are not looked at again."""
_seen: tuple[int, list[Patch]] = (0, [])
"""How many modules there were, and the aliases in them."""


def shown_as_another(cls: object) -> Any:
    """Decorate a class: ``type(x)`` of its objects then is what they say by ``__class__``."""
    _SHOWN.add(id(cls))
    return cls


def aliases(function: object) -> list[Patch]:
    """Other names of the real ``type`` in modules of the user's, and in that of the function.

    The modules are looked at when there are new ones, the function's own each time.
    """
    global _seen
    if _seen[0] != len(sys.modules):
        count, modules = len(sys.modules), look_at_modules()
        _seen = count, [alias for module in modules for alias in _aliases_in(vars(module))]
    still = [alias for alias in _seen[1] if alias.owner.get(alias.name) is _real]
    return still + _aliases_in(_scope_of(function))


def look_at_modules() -> list[types.ModuleType]:
    """The modules of the user's; the package's own get the real ``type``.

    What is known of libraries shortens the next look.  The first is when the package is imported.
    """
    users: list[types.ModuleType] = []
    for name in sys.modules.keys() - _libraries:
        module: Any = sys.modules.get(name)
        path = vars(module).get("__file__") if type(module) is types.ModuleType else None
        if not isinstance(path, str):
            continue
        if not is_library_file(path):
            users.append(module)
            continue
        _libraries.add(name)
        if name.startswith("sparsetrace."):  # where the real one is several times faster
            vars(module).setdefault("type", _real)
    return users


def _aliases_in(scope: dict[str, Any]) -> list[Patch]:
    names = [name for name, value in list(scope.items()) if value is _real]
    return [Patch(scope, name, _real, TypeName) for name in names]


def _scope_of(function: object) -> dict[str, Any]:
    """The globals of the Python function behind a callable."""
    for _ in range(10):
        if isinstance(function, types.FunctionType):
            return function.__globals__
        if isinstance(function, types.MethodType):
            function = function.__func__
        elif isinstance(function, functools.partial):
            function = function.func
        else:
            function = getattr(_real(function), "__call__", None)  # noqa: B004 - looked into
    return {}
