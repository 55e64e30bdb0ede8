"""What was looked at where a call was asked about: the names and classes that it uses.

Contract: what stands behind a name is remembered so that nothing is kept alive by it, and so that
whoever asks again sees whether it is the same.  Nothing of the user's runs here.
"""

from __future__ import annotations

import builtins
import types
import weakref
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from sparsetrace.user_code.held_values import UNKNOWN, attribute
from sparsetrace.user_code.value_kinds import cells_of

__all__ = ["GONE", "Seen", "callables_held", "callables_in", "class_attribute", "global_value"]


class Seen(set[Hashable]):
    """The ids of functions that have been looked at, or are being, and what these use."""

    def __init__(self) -> None:
        super().__init__()
        self.undoes = self.undoes_all = self.may_speak = False
        self.calls_given = False
        """Whether local names are called of which it is not known what they hold."""
        self.names: set[str] = set()
        self.asked: set[str] = set()
        """Attributes of which it is not known what they are."""
        self.methods: set[str] = set()
        """Those of them that are called at once."""
        self.stored: set[str] = set()
        """Attributes that are set, of whatever object, where all that is undone."""
        self.stores_items = False
        """The same of items."""
        self.makes_again = False
        """Whether objects of dataclasses are made of others (`dataclasses.replace`)."""
        self.taken: set[str] = set()
        """Those of them that are taken as they are, or found by text, and may be called later."""
        self.most_given = 0
        """Arguments by position of calls of local names, at the most."""
        self.keywords: set[str] = set()
        """The keywords by which calls give arguments."""
        self.handed_on: set[str] = set()
        """Those that tell what to write into, of functions that are given all of one's keywords."""
        self.finds_attributes = False
        """Whether attributes are found by a text that is computed."""
        self.classes: set[Any] = set()
        self.objects: list[Any] = []
        """Those that have names, beside what a function is called with."""
        self.globals: dict[Hashable, Callable[[], Any]] = {}
        """Reads what stands behind names of modules, for each of these that was looked at."""
        self._read: dict[Hashable, tuple[Callable[[], Any], Any]] = {}

    def note(self, key: Hashable, read: Callable[[], Any]) -> None:
        """Remember what is read, of which `holds` says whether it is the same later."""
        if key not in self._read:
            self._read[key] = read, _shown(read())

    def forget_values(self) -> None:
        """Let go of what one call has made, before this is kept for others."""
        self.objects.clear()
        self.classes.clear()

    def holds(self) -> bool:
        """Whether names, containers and classes hold what they held."""
        for read, before in self._read.values():
            now = read()
            if now is not GONE and _shown(now) != before:
                return False
        return True


GONE = object()
"""In place of what a function holds that is no more: calls of its like have kinds of their own."""


def _shown(value: Any) -> Hashable:
    """Equal for what has effects alike; it keeps nothing alive that one call has made.

    Results are united where nothing else holds them: what is kept here must not count.
    """
    if type(value) is tuple:
        return tuple(map(_shown, value))
    if isinstance(value, (type, types.FunctionType)):
        return weakref.ref(value)
    if isinstance(value, (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)):
        owner, function = value.__self__, getattr(value, "__func__", value.__name__)
        return (
            owner if isinstance(owner, types.ModuleType) else weakref.ref(type(owner)),
            _shown(function),
            value.__name__,
        )
    if isinstance(value, (types.ModuleType, np.ufunc)):
        return value
    cls = weakref.ref(type(value))
    return (cls, id(value)) if callable(value) else cls


def callables_in(container: Any) -> tuple[Any, ...]:
    """The functions and other callables that are items of a container."""
    if not isinstance(container, (dict, list, set, tuple)):
        return ()
    items = container.values() if isinstance(container, dict) else container
    return tuple(filter(callable, items))


def callables_held(function: weakref.ref[types.FunctionType]) -> Any:
    """Those of its cells and its defaults."""
    alive = function()
    if alive is None:
        return GONE
    held = [value for _, value in cells_of(alive)]
    held += (*(alive.__defaults__ or ()), *(alive.__kwdefaults__ or {}).values())
    return tuple(x if callable(x) else callables_in(x) for x in held)


def global_value(scope: dict[str, Any], names: tuple[str, ...]) -> Any:
    """What stands behind a name of a module, and attributes of it."""
    value = scope.get(names[0], vars(builtins).get(names[0], UNKNOWN))
    for name in names[1:]:
        value = attribute(value, name)
    return value


def class_attribute(cls: weakref.ref[type], name: str) -> Any:
    """What a class holds under a name."""
    alive = cls()
    if alive is None:
        return GONE
    return next((vars(base)[name] for base in alive.__mro__ if name in vars(base)), None)
