"""What a method may be that is called by its name, of an object that is not known.

Contract: of what some objects lead to.  In doubt it may be anything: where a name is also one of an
object, a class or a module of a library's, or where functions may be called that are not seen.
Nothing of the user's runs here.
"""

from __future__ import annotations

import collections
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from sparsetrace.user_code.class_making import is_frozen
from sparsetrace.user_code.object_kinds import CLASS_DICT, MRO, Kind
from sparsetrace.user_code.reach import Walk, dict_of
from sparsetrace.user_code.read_code import Code

__all__ = ["OF_LIBRARIES", "OF_MAKING", "OF_STORES", "OwnMethods"]

_MOST_OBJECTS = 2_000
OF_LIBRARIES = frozenset(
    name
    for cls in (
        *(str, bytes, int, float, complex, tuple, list, dict, set, frozenset, collections.deque),
        *(collections.OrderedDict, np.ndarray, np.float64, np.bool_, types.FunctionType),
    )
    for name in dir(cls)
)
"""Methods of what functions of Python's and NumPy's give."""
_FINDING = frozenset(("__getattr__", "__getattribute__"))
"""Methods that may give anything for a name."""
_SETTING = frozenset(("__delattr__", "__set__", "__setattr__"))
OF_STORES = _SETTING | {"__delitem__", "__setitem__"}
"""Methods that run where an attribute or an item is set."""
OF_MAKING = ("__init__", "__new__", "__post_init__")
"""Those that run where an object is made."""


class OwnMethods(Walk):
    """The functions that are attributes of the user's own objects and classes, by their names.

    Parameters
    ----------
    roots : iterable

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> tank = SimpleNamespace(drain=collections.namedtuple)
    >>> OwnMethods([tank]).of_name("drain") == [collections.namedtuple]
    True
    >>> OwnMethods([tank]).of_name("close") is None
    True
    """

    def __init__(self, roots: Iterable[Any]) -> None:
        super().__init__(_MOST_OBJECTS)
        self._functions: dict[str, dict[int, Any]] = {}
        self._others: set[str] = set()
        """Names of what is not a function written in Python."""
        self._setters: dict[str, dict[int, Any]] = {}
        self._stores_otherwise = False
        """Whether something else than a property's setter may run where an attribute is set."""
        self._libraries: list[Any] = []
        """The dictionaries of classes of libraries, and of modules."""
        self.push(list(roots), opaque=False)
        self.run()

    def of_name(self, name: str) -> list[types.FunctionType] | None:
        """The functions of a name; None if it may be something else, or nothing is known of it."""
        if self.found.unknown or name in self._others or name in OF_LIBRARIES:
            return None
        if not _FINDING.isdisjoint(self._functions):
            return None
        if any(name in members for members in self._libraries):
            return None
        return [*self._functions.get(name, {}).values()] or None

    def run_by_stores(self, names: Iterable[str]) -> list[types.FunctionType] | None:
        """The functions that run where attributes are set, or items of the user's own objects.

        None if it may be something else.
        """
        if self.found.unknown or self._stores_otherwise:
            return None
        setters = [self._setters.get(name, {}) for name in names]
        items = [self._functions.get(name, {}) for name in ("__delitem__", "__setitem__")]
        functions = [function for known in (*setters, *items) for function in known.values()]
        return functions if all(type(x) is types.FunctionType for x in functions) else None

    def _note(self, members: Iterable[tuple[Any, Any]]) -> None:
        for name, value in members:
            value = getattr(value, "__func__", value)
            if type(value) is types.FunctionType:
                self._functions.setdefault(name, {})[id(value)] = value
            elif callable(value) or hasattr(type(value), "__get__"):
                self._others.add(name)
            if isinstance(value, property):
                for run in filter(None, (value.fset, value.fdel)):
                    self._setters.setdefault(name, {})[id(run)] = run

    def _note_stores(self, cls: type) -> None:
        # those of a frozen dataclass refuse, and do no more
        setting = {"__set__"} if is_frozen(cls) else _SETTING
        self._stores_otherwise |= not setting.isdisjoint(CLASS_DICT(cls))

    def _note_library(self, item: object) -> None:
        self._libraries += [CLASS_DICT(base) for base in MRO(type(item))]

    # ------------------------------------------------------------------ what the walk meets
    def nothing(self, item: object, kind: Kind, opaque: bool) -> None:
        if not isinstance(item, np.ndarray) and not getattr(type(item), "_is_bare", False):
            self._note_library(item)

    def opaque(self, item: object, kind: Kind, opaque: bool) -> None:
        self._note_library(item)
        super().opaque(item, kind, opaque)

    def instance(self, item: object, kind: Kind, opaque: bool) -> None:
        if kind.foreign:
            self._note_library(item)
        if kind.has_dict:
            self._note(dict_of(item).items())
        super().instance(item, kind, opaque)

    def class_(self, item: object, kind: Kind, opaque: bool) -> None:
        before = len(self.found.classes)
        super().class_(item, kind, opaque)
        for cls in self.found.classes[before:]:
            self._note(CLASS_DICT(cls).items())
            self._note_stores(cls)
        own = set(map(id, self.found.classes))
        self._libraries += [
            CLASS_DICT(x) for x in MRO(item) if x is not object and id(x) not in own
        ]

    def named(self, module: object, info: Code) -> None:
        self._libraries.append(object.__getattribute__(module, "__dict__"))
        super().named(module, info)

    def module(self, item: object, kind: Kind, opaque: bool) -> None:
        self._libraries.append(object.__getattribute__(item, "__dict__"))
        super().module(item, kind, opaque)
