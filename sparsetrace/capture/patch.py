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
from contextlib import suppress
from operator import is_, itemgetter
from typing import Any, NamedTuple, TypeVar

__all__ = [
    "ABSENT",
    "ClassNames",
    "Exchange",
    "Patch",
    "Place",
    "by_owner",
    "class_names",
    "forget_tables",
    "named_like",
    "table",
]

_Made = TypeVar("_Made", bound=Callable[..., Any])
_Table = TypeVar("_Table")
ABSENT: Any = object()
"""Stands where there is nothing: a method is inherited, a name is a builtin's."""


_tables: list[Callable[[], None]] = []


def table(made: Callable[..., _Table]) -> functools._lru_cache_wrapper[_Table]:
    """Decorate what lists patches: it is called once for each argument, and after `forget_tables`.

    For replacements call what stood under a name when they were made.
    """
    cached = functools.cache(made)
    _tables.append(cached.cache_clear)
    return cached


def forget_tables() -> None:
    """Let all tables be made anew, of what stands under the names by now."""
    for forget in _tables:
        forget()


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
        if hasattr(original, "_implementation"):  # NumPy's own, for arrays of no class of their own
            made._implementation = made  # type: ignore[attr-defined]
            made._plain = original  # type: ignore[attr-defined]
            made.__wrapped__ = original.__wrapped__  # type: ignore[attr-defined]
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
        self._cls, self.names = cls, names
        self._modified = ctypes.pythonapi.PyType_Modified
        self._modified.argtypes, self._modified.restype = [ctypes.py_object], None

    def get(self, name: str, default: object = None) -> Any:
        return self.names.get(name, default)

    def update(self, values: dict[str, Any]) -> None:
        """Put these in place of those that are there."""
        self.names.update(values)
        self._modified(self._cls)


@functools.cache
def class_names(cls: type) -> ClassNames | None:
    """Those of a class; None where Python keeps them in another way than CPython."""
    if sys.implementation.name != "cpython":
        return None
    held = gc.get_referents(vars(cls))
    is_dict = len(held) == 1 and type(held[0]) is dict and held[0] == dict(vars(cls))
    return ClassNames(cls, held[0]) if is_dict else None


class Names:
    """Replacements for names that are exchanged all at once, which is faster than one by one.

    Parameters
    ----------
    owner : module or ClassNames
    by_name : dict
    """

    __slots__ = ("_before", "_by_name", "_first", "_put", "_read", "_scope", "_values")

    def __init__(self, owner: types.ModuleType | ClassNames, by_name: dict[str, Any]) -> None:
        self._scope: dict[str, Any] = owner.names if type(owner) is ClassNames else vars(owner)
        self._put: Callable[[dict[str, Any]], None]
        self._put = owner.update if type(owner) is ClassNames else self._scope.update
        self._by_name = by_name
        first, *others = by_name
        self._read: Callable[[dict[str, Any]], tuple[Any, ...]]
        self._read = itemgetter(first, *others) if others else lambda scope: (scope[first],)
        self._first: tuple[Any, ...] = ()
        with suppress(KeyError):
            self._first = self._read(self._scope)
        self._values, self._before = self._first, dict(zip(by_name, self._first, strict=False))

    def put(self, made: InPlace) -> bool:
        """Put the replacements in place; whether there stood what did when this was made.

        What stood there is noted before that.
        """
        made.append((self, self._standing()))
        self._put(self._by_name)
        return self._values is self._first

    def _standing(self) -> dict[str, Any]:
        try:
            values = self._read(self._scope)
        except KeyError:
            self._values = ()
            return {name: self._scope.get(name, ABSENT) for name in self._by_name}
        if not (self._values and all(map(is_, values, self._values))):
            self._values, self._before = values, dict(zip(self._by_name, values, strict=True))
        return self._before

    def put_again(self, before: dict[str, Any]) -> None:
        """The same where what stood there before was put back meanwhile."""
        found = self._scope.get
        lost = [name for name, value in before.items() if found(name, ABSENT) is value]
        self._put({name: self._by_name[name] for name in lost})

    def put_back(self, before: dict[str, Any]) -> None:
        """Put back what stood there before."""
        if before is not self._before:  # some are absent
            for name in [name for name, value in before.items() if value is ABSENT]:
                self._scope.pop(name, None)
            before = {name: value for name, value in before.items() if value is not ABSENT}
        self._put(before)


class Singly:
    """Replacements for attributes of classes, and for items of dicts and of `Place`.

    There are hundreds of them in each trace: it takes no call for each.

    Parameters
    ----------
    replacements : list of (class, dict or Place; name; replacement)
    """

    __slots__ = ("_first", "_read", "_write")

    def __init__(self, replacements: Iterable[tuple[Any, str, Any]]) -> None:
        self._read: list[tuple[Any, str]] = []
        self._write: list[tuple[Callable[[str, Any], None], str, Any, Any]] = []
        for owner, name, replacement in replacements:
            scope: Any = owner
            assign: Callable[[str, Any], None]
            if isinstance(owner, type):
                scope = vars(owner)
                assign = functools.partial(_set_anew if name == _REMEMBERED else setattr, owner)
            else:
                assign = owner.__setitem__
            self._read.append((scope.get, name))
            self._write.append((assign, name, replacement, owner))
        self._first = self._standing()

    def _standing(self) -> list[Any]:
        return [read(name, ABSENT) for read, name in self._read]

    def put(self, made: InPlace) -> bool:
        """Put the replacements in place; whether there stood what did when these were made.

        What stood there is noted before that.
        """
        before = self._standing()
        made.append((self, before))
        for assign, name, replacement, _ in self._write:
            assign(name, replacement)
        return all(map(is_, before, self._first))

    def put_again(self, before: list[Any]) -> None:
        """The same where what stood there before was put back meanwhile."""
        for now, value, (assign, name, replacement, _) in zip(
            self._standing(), before, self._write, strict=True
        ):
            if now is value:
                assign(name, replacement)

    def put_back(self, before: list[Any]) -> None:
        """Put back what stood there before."""
        for value, (assign, name, _, owner) in zip(before[::-1], self._write[::-1], strict=True):
            if value is not ABSENT:
                assign(name, value)
            elif not isinstance(owner, type):
                owner.pop(name, None)
            elif name in vars(owner):
                _forget_calls_of(vars(owner)[name])
                delattr(owner, name)


Replacements = Names | Singly
InPlace = list[tuple[Any, Any]]
"""Replacements that were put in place, with what stood there before."""


def by_owner(patches: Iterable[Patch]) -> list[Replacements]:
    """Patches as `Exchange.make` takes them.

    Examples
    --------
    >>> import math
    >>> made = by_owner([Patch(math, "sin", math.sin, 1), Patch(math, "cos", math.cos, 2)])
    >>> len(made)
    1
    """
    at_once: dict[int, tuple[Any, dict[str, Any]]] = {}
    singly: dict[tuple[int, str], tuple[Any, str, Any]] = {}
    for owner, name, _, replacement in patches:
        if type(owner) in _AT_ONCE:
            at_once.setdefault(id(owner), (owner, {}))[1][name] = replacement
        else:
            singly[id(owner), name] = owner, name, replacement
    found: list[Replacements] = []
    for owner, by_name in at_once.values():
        if len(by_name) == 1 and type(owner) is types.ModuleType:
            ((name, replacement),) = by_name.items()
            singly[id(vars(owner)), name] = vars(owner), name, replacement
        else:
            found.append(Names(owner, by_name))
    if singly:
        found.append(Singly(singly.values()))
    return found


class Exchange:
    """Patches that are in place, in the order in which they were made.

    Examples
    --------
    >>> scope, exchange = {"a": 1}, Exchange()
    >>> exchange.make(by_owner([Patch(scope, "a", 1, 2), Patch(scope, "b", ABSENT, 3)]))
    True
    >>> scope
    {'a': 2, 'b': 3}
    >>> exchange.undo()
    >>> scope
    {'a': 1}
    """

    def __init__(self) -> None:
        self._made: InPlace = []
        """With what stood there before."""

    def __len__(self) -> int:
        return len(self._made)

    def make(self, replacements: Iterable[Replacements]) -> bool:
        """Put patches in place; whether there stood what did when they were listed."""
        is_as_first = True
        for item in replacements:
            is_as_first &= item.put(self._made)
        return is_as_first

    def make_again(self) -> None:
        """Put them in place anew where what stood there before was put back meanwhile."""
        for item, before in self._made:
            item.put_again(before)

    def undo(self) -> None:
        """Put everything back."""
        while self._made:
            item, before = self._made.pop()
            item.put_back(before)


_REMEMBERED = "__getitem__" if sys.version_info >= (3, 13) else ""
"""The method that Python 3.13 goes on calling by ``a[k]`` after it was exchanged in a class that
was modified a thousand times."""


def _forget_calls_of(method: object) -> None:
    """Make it another version of the function, for which no place in code remembers a call."""
    if isinstance(method, types.FunctionType):
        method.__defaults__ = method.__defaults__


def _set_anew(owner: type, name: str, value: object) -> None:
    _forget_calls_of(vars(owner).get(name))
    setattr(owner, name, value)


_AT_ONCE = frozenset((types.ModuleType, ClassNames))
