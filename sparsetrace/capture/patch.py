"""`Patch`: one thing that is exchanged while a trace runs, and how it is put in place and back.

Contract: an `Exchange` puts back, in reverse order, what stood where it put a patch.  That
need not be the patch's original: other code may have exchanged the name before the trace.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

__all__ = [
    "ABSENT",
    "ClassNames",
    "Exchange",
    "Patch",
    "Place",
    "by_owner",
    "class_names",
    "named_like",
]

_Made = TypeVar("_Made", bound=Callable[..., Any])
ABSENT: Any = object()
"""Stands where there is nothing: a method is inherited, a name is a builtin's."""


class Patch(NamedTuple):
    """A replacement for what an owner has under a name.

    Attributes
    ----------
    owner : module, class, ClassNames, dict or Place
        A dict holds the names of a module, or the attributes of an object.
    name : str
    original : object
        What the replacement stands for.
    replacement : object
    """

    owner: Any
    name: str
    original: Any
    replacement: Any


class Place:
    """Where an object is held without a name (a closure's cell, a default): a dict of one item."""

    def __init__(self, read: Callable[[], Any], assign: Callable[[Any], Any]) -> None:
        self._read, self._assign = read, assign

    def get(self, name: str, default: object = None) -> Any:
        return self._read()

    def __setitem__(self, name: str, value: object) -> None:
        self._assign(value)


def named_like(original: Any) -> Callable[[_Made], _Made]:
    """Decorate a replacement: it shows the names of what it stands for.

    As `functools.wraps`, without the text of the documentation, which builtins make anew whenever
    they are asked: most of the time that the tables of a first trace take.

    Examples
    --------
    >>> import math
    >>> named_like(math.sin)(lambda x: x).__qualname__
    'sin'
    """

    def named(made: _Made) -> _Made:
        try:
            made.__module__ = original.__module__
            made.__name__ = original.__name__
            made.__qualname__ = original.__qualname__
        except AttributeError:  # of a partial call
            functools.update_wrapper(made, original)
            return made
        attributes = getattr(original, "__dict__", None)
        if attributes:
            made.__dict__.update(attributes)
        made.__wrapped__ = original  # type: ignore[attr-defined]
        return made

    return named


class ClassNames:
    """The names of a class that is written in C, which has no attributes that could be set.

    They are exchanged in the dict behind it, and CPython is told that the class was modified,
    as its documentation asks for: from then on every look-up finds them.

    Parameters
    ----------
    cls : type
    names : dict
        That dict, of which ``vars(cls)`` is a view.
    """

    def __init__(self, cls: type, names: dict[str, Any]) -> None:
        self._cls, self._names = cls, names
        self._modified = ctypes.pythonapi.PyType_Modified
        self._modified.argtypes, self._modified.restype = [ctypes.py_object], None

    def get(self, name: str, default: object = None) -> Any:
        return self._names.get(name, default)

    def update(self, values: dict[str, Any]) -> None:
        """Put these in place of those that are there."""
        self._names.update(values)
        self._modified(self._cls)


@functools.cache
def class_names(cls: type) -> ClassNames | None:
    """Those of a class; None where Python keeps them in another way than CPython."""
    if sys.implementation.name != "cpython":
        return None
    held = gc.get_referents(vars(cls))
    is_dict = len(held) == 1 and type(held[0]) is dict and held[0] == dict(vars(cls))
    return ClassNames(cls, held[0]) if is_dict else None


class Replacements(NamedTuple):
    """What is put in one owner.

    Attributes
    ----------
    owner : module, class, ClassNames, dict or Place
    scope : mapping
        Where the owner has its names: itself, or its ``__dict__``.
    by_name : dict
        The replacements.
    """

    owner: Any
    scope: Any
    by_name: dict[str, Any]


def by_owner(patches: Iterable[Patch]) -> list[Replacements]:
    """Patches as `Exchange.make` takes them.

    Examples
    --------
    >>> import math
    >>> by_owner([Patch(math, "sin", math.sin, 1), Patch(math, "cos", math.cos, 2)])[0].by_name
    {'sin': 1, 'cos': 2}
    """
    replacements: dict[int, Replacements] = {}
    for owner, name, _, replacement in patches:
        known = replacements.get(id(owner))
        if known is None:
            scope = vars(owner) if isinstance(owner, (type, types.ModuleType)) else owner
            known = replacements[id(owner)] = Replacements(owner, scope, {})
        known.by_name[name] = replacement
    return list(replacements.values())


class Exchange:
    """Patches that are in place, in the order in which they were made.

    Examples
    --------
    >>> scope, exchange = {"a": 1}, Exchange()
    >>> exchange.make(by_owner([Patch(scope, "a", 1, 2), Patch(scope, "b", ABSENT, 3)]))
    >>> scope
    {'a': 2, 'b': 3}
    >>> exchange.undo()
    >>> scope
    {'a': 1}
    """

    def __init__(self) -> None:
        self._made: list[tuple[Replacements, dict[str, Any]]] = []
        """With what stood there before, by name."""

    def __len__(self) -> int:
        return len(self._made)

    def make(self, replacements: Iterable[Replacements]) -> None:
        """Put patches in place."""
        for item in replacements:
            owner, scope, by_name = item
            look_up = scope.get
            self._made.append((item, {name: look_up(name, ABSENT) for name in by_name}))
            _assign(owner, scope, by_name)

    def make_again(self) -> None:
        """Put them in place anew where what stood there before was put back meanwhile."""
        for (owner, scope, by_name), before in self._made:
            lost = [name for name, value in before.items() if scope.get(name, ABSENT) is value]
            _assign(owner, scope, {name: by_name[name] for name in lost})

    def undo(self) -> None:
        """Put everything back."""
        while self._made:
            (owner, scope, _), before = self._made.pop()
            _assign(owner, scope, before)


_REMEMBERED = "__getitem__"
"""The method that Python 3.13 goes on calling by ``a[k]`` after it was exchanged in a class that
was modified a thousand times."""


def _forget_calls_of(method: object) -> None:
    """Make it another version of the function, for which no place in code remembers a call."""
    if isinstance(method, types.FunctionType):
        method.__defaults__ = method.__defaults__


_AT_ONCE = frozenset((types.ModuleType, ClassNames))


def _assign(owner: Any, scope: Any, values: dict[str, Any]) -> None:
    if type(owner) in _AT_ONCE:  # all at once, much faster than one by one
        scope.update(values)
    elif scope is not owner:
        for name, value in values.items():
            if name == _REMEMBERED:
                _forget_calls_of(scope.get(name))
            if value is ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
    else:
        for name, value in values.items():
            if value is ABSENT:
                scope.pop(name, None)
            else:
                scope[name] = value
