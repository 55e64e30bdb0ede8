"""What a function reads besides its arguments, and whether that has changed.

Contract: a look calls no function of the user's.  What the function itself writes while it runs
is its own affair (counters, caches) and is left out from then on.  Where state is kept,
`sparsetrace.user_code.reach` knows; the nearest of it is watched.
"""

from __future__ import annotations

import collections
import operator
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import issparse

from sparsetrace.derivatives.imaginary_parts import may_lose_imaginary_parts
from sparsetrace.user_code.reach import Reached, dict_of, filled_slots, imported_by, reached
from sparsetrace.user_code.read_code import is_foreign

__all__ = ["Change", "Difference", "OutsideState"]

_MOST_VALUES = 2048
"""So many values are compared at each look, the nearest first."""
_MOST_BYTES = 2**19
"""So many bytes of arrays are compared in full; of other arrays a few elements."""
_MOST_ARRAYS = 128
_MOST_SAMPLED = 32
_SAMPLES = 32
_ABSENT: Any = object()
_KEYS: Any = object()
"""Stands for the keys of a holder, and the length of a list."""
_CLASS_DICT: Callable[[type], Any] = type.__dict__["__dict__"].__get__
_CHANGES_MEANWHILE = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What a look meets where another thread changes things, or an attribute is gone."""
_ATOMS = (bool, int, str, bytes, type(None), np.generic, np.dtype, range, slice)


class Difference(IntEnum):
    """What became of a value."""

    NONE = 0
    SMOOTH = 1
    """Other floating-point numbers, zero where they were: a trace may have branched on them."""
    OTHER = 2
    """Anything else: a trace takes it as it is."""


@dataclass
class Change:
    """What has changed since the last look."""

    difference: Difference = Difference.NONE
    names: list[str] = field(default_factory=list)
    """What is other than it was, as a message names it."""
    places: dict[Any, Any] = field(default_factory=dict)
    """Where that is, and what holds it."""

    def note(self, difference: Difference, name: str, place: Any, holder: Any) -> None:
        """One more change."""
        self.difference = max(self.difference, difference)
        if difference is Difference.OTHER:
            self.names.append(name)
            self.places[place] = holder


@dataclass(frozen=True)
class _Kind:
    """How holders of one kind are read: their values fast, or with their keys."""

    values: Callable[[Any], Iterable[Any]]
    keyed: Callable[[Any], dict[Any, Any]]


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled
        return _ABSENT


def _names(item: tuple[dict[str, Any], tuple[str, ...]]) -> dict[str, Any]:
    scope, names = item
    return {name: scope.get(name, _ABSENT) for name in names}


def _object(item: Any) -> dict[str, Any]:
    return {"__class__": type(item), "__dict__": dict_of(item)}


def _function(item: types.FunctionType) -> dict[str, Any]:
    by_name = item.__kwdefaults__ or {}
    return {"__code__": item.__code__, "__defaults__": item.__defaults__, **by_name}


def _numbered(read: Callable[[Any], Iterable[Any]]) -> _Kind:
    return _Kind(read, lambda holder: dict(enumerate(read(holder))))


def _keyed(read: Callable[[Any], dict[Any, Any]]) -> _Kind:
    return _Kind(lambda holder: read(holder).values(), read)


_NAMES = _keyed(_names)
_CELLS = _keyed(lambda cell: {"cell": _content(cell)})
_OBJECTS = _keyed(_object)
_SLOTS = _keyed(lambda item: filled_slots(*item))
_CLASSES = _Kind(
    lambda cls: (*_CLASS_DICT(cls).values(), cls.__bases__),
    lambda cls: {**_CLASS_DICT(cls), "__bases__": cls.__bases__},
)
_FUNCTIONS = _keyed(_function)
_DICTS = _Kind(
    lambda some: chain(dict.__iter__(some), dict.values(some)), lambda some: dict(dict.items(some))
)
_LISTS = _numbered(list.__iter__)
_DEQUES = _numbered(collections.deque.__iter__)
_SETS = _numbered(set.__iter__)
_OBJECT_ARRAYS = _numbered(np.ndarray.flatten)


class OutsideState:
    """What some functions can read besides their arguments, as it is now.

    Parameters
    ----------
    roots : iterable
        The functions, and the objects that they are given as they are.

    Examples
    --------
    >>> options = {"shift": 1, "scale": 2.0}
    >>> state = OutsideState([options.get])
    >>> state.look().difference.name
    'NONE'
    >>> options["scale"] = 3.0
    >>> state.look().difference.name
    'SMOOTH'
    >>> options["shift"] = 2
    >>> state.look().names
    ["['shift']"]
    """

    def __init__(self, roots: Iterable[Any]) -> None:
        found = reached(roots)
        self.may_lose_imaginary_parts = may_lose_imaginary_parts(found)
        self._owners = {id(attributes): type(item) for item, _, attributes in found.objects}
        self._own: dict[Any, Any] = {}
        """Places that the function itself writes, (id of the holder, key), and their holders."""
        self._doubted: dict[Any, Any] = {}
        """Places where a change is not worth a trace, and their holders."""
        self._room = _MOST_VALUES
        self._held: list[tuple[_Kind, list[Any]]] = []
        self._arrays: dict[int, _WatchedArray] = {}
        self._in_full: list[Any] | None = None
        self._bytes = _MOST_BYTES
        self._places_left = {True: _MOST_ARRAYS, False: _MOST_SAMPLED}
        for kind, holders in _holders(found):
            watched = list(self._within_limits(kind, holders))
            if watched:
                self._held.append((kind, watched))
        self._take()
        for array in found.arrays:
            self._watch(array)
        for before in self._before:
            for value in before:
                if issparse(value):  # what it holds is a library's to others
                    for name in ("data", "indices", "indptr", "row", "col", "coords", "offsets"):
                        for part in _arrays_in(value.__dict__.get(name)):
                            self._watch(part)

    def _within_limits(self, kind: _Kind, holders: Iterable[Any]) -> Iterator[Any]:
        for holder in holders:
            size = 1 + sum(1 for _ in kind.values(holder))
            if size <= self._room:
                self._room -= size
                yield holder

    def _watch(self, array: Any) -> None:
        if id(array) in self._arrays or array.dtype.hasobject:
            return
        in_full = array.nbytes <= self._bytes
        if in_full:
            self._bytes -= array.nbytes
        if self._places_left[in_full] and (in_full or array.flags.contiguous):
            self._places_left[in_full] -= 1
            self._arrays[id(array)] = _WatchedArray(array, in_full)
            self._in_full = None

    def _take(self) -> None:
        """Remember what is held now."""
        self._before = [[*self._now(kind, some)] for kind, some in self._held]
        self._keyed = [[kind.keyed(holder) for holder in some] for kind, some in self._held]

    @staticmethod
    def _now(kind: _Kind, holders: list[Any]) -> Iterator[Any]:
        # with an end, so that neither is taken for the beginning of the other
        return chain(chain.from_iterable(map(kind.values, holders)), (_ABSENT,))

    # ------------------------------------------------------------------------------ a look
    def look(self) -> Change:
        """What others than the function have changed since the last look."""
        change = Change()
        try:
            if not self._holds_the_same():
                for place, holder, name, old, new in self._differences():
                    difference = self._became(old, new)
                    if place not in self._own:
                        self._note(change, difference, name, place, holder)
            if self._arrays:
                for array, difference in self._array_differences():
                    if difference:
                        name = f"an array of shape {array.array.shape}"
                        self._note(change, difference, name, array.place, array.array)
        except _CHANGES_MEANWHILE:
            change.note(Difference.OTHER, "an object that it reads", None, None)
        return change

    def _note(
        self, change: Change, difference: Difference, name: str, place: Any, holder: Any
    ) -> None:
        if place in self._doubted:
            difference = min(difference, Difference.SMOOTH)
        change.note(difference, name, place, holder)

    def settle(self) -> None:
        """Whatever has changed since the last look, the function itself has written."""
        before = len(self._own)
        try:
            self._own |= {place: holder for place, holder, *_ in self._differences()}
            self._own |= {
                array.place: array.array
                for array, difference in self._array_differences()
                if difference
            }
        except _CHANGES_MEANWHILE:
            return
        if len(self._own) > before:
            self._leave_out()

    def doubt(self, places: dict[Any, Any]) -> None:
        """Take changes at these places for smooth ones."""
        self._doubted |= places

    def follow(self, other: OutsideState) -> None:
        """Know what another one knows, of the same functions."""
        self._own, self._doubted = dict(other._own), dict(other._doubted)
        self._leave_out()

    def _leave_out(self) -> None:
        """No look at holders, or at keys of them, that the function writes."""
        if not self._own:
            return
        held: list[tuple[_Kind, list[Any]]] = []
        for kind, holders in self._held:
            untouched = []
            for holder in holders:
                now, place = kind.keyed(holder), _id(holder)
                kept = {key for key in now if (place, key) not in self._own}
                if len(kept) == len(now) and (place, _KEYS) not in self._own:
                    untouched.append(holder)
                elif kept:
                    held.append((_only(kind, kept), [holder]))
            if untouched:
                held.append((kind, untouched))
        self._held = held
        self._arrays = {
            key: array for key, array in self._arrays.items() if array.place not in self._own
        }
        self._in_full = None
        self._take()

    def _holds_the_same(self) -> bool:
        """Whether all values are those of before, as nearly always."""
        for (kind, holders), before in zip(self._held, self._before, strict=True):
            if not all(map(operator.is_, self._now(kind, holders), before)):
                return False
        return True

    def _differences(self) -> Iterator[tuple[Any, Any, str, Any, Any]]:
        """Each place that holds something else, what it was and what it is; and remember it."""
        for i, (kind, holders) in enumerate(self._held):
            if all(map(operator.is_, self._now(kind, holders), self._before[i])):
                continue
            self._before[i] = [*self._now(kind, holders)]
            for j, holder in enumerate(holders):
                old, new = self._keyed[i][j], kind.keyed(holder)
                self._keyed[i][j] = new
                yield from self._in_holder(holder, old, new)

    def _array_differences(self) -> Iterator[tuple[_WatchedArray, Difference]]:
        """Of each array, where any has changed; and remember it."""
        arrays = list(self._arrays.values())
        if self._in_full is None:
            self._in_full = [one.array for one in arrays if one.in_full]
            self._sampled = [one for one in arrays if not one.in_full]
            self._joined = b""
        joined = b"".join([np.ndarray.tobytes(array) for array in self._in_full])
        if joined != self._joined:
            self._joined = joined
            for one in arrays:
                if one.in_full:
                    yield one, one.look()
        for one in self._sampled:
            yield one, one.look()

    def _in_holder(
        self, holder: Any, old: dict[Any, Any], new: dict[Any, Any]
    ) -> Iterator[tuple[Any, Any, str, Any, Any]]:
        owner, key_of_holder = self._owners.get(id(holder)), _id(holder)
        keys: Iterable[Any] = old.keys() | new.keys()
        if owner is None and [*old] != [*new]:
            # a cache, a list that grows: which keys there are, and in which order, is one place
            name = f"a {type(holder).__name__} that it reads"
            yield (key_of_holder, _KEYS), holder, name, None, _ABSENT
            keys = old.keys() & new.keys()
        for key in keys:
            before, now = old.get(key, _ABSENT), new.get(key, _ABSENT)
            if now is not before and not (type(now) is bytes and now == before):  # made anew
                name = _described(holder, key, owner)
                yield (key_of_holder, key), holder, name, before, now

    def _became(self, old: Any, new: Any) -> Difference:
        result = _difference(old, new)
        if result is not Difference.OTHER and isinstance(new, np.ndarray) and new is not old:
            watched = self._arrays.pop(id(old), None)
            if watched is not None:
                self._in_full = None
                self._places_left[watched.in_full] += 1
                if watched.in_full:
                    self._bytes += watched.array.nbytes
                self._watch(new)
        return result


class _WatchedArray:
    """An array and what it held."""

    __slots__ = ("_bytes", "_indices", "_shape", "array", "in_full", "place")

    def __init__(self, array: Any, in_full: bool) -> None:
        self.array, self.in_full, self.place = array, in_full, ("array", id(array))
        size = array.size
        self._indices = None
        if not in_full:
            self._indices = np.linspace(0, size - 1, _SAMPLES).astype(np.intp)
        self._shape = array.shape, array.dtype
        self._bytes = self._read()

    def _read(self) -> bytes:
        array = self.array
        if self._indices is None:
            return np.ndarray.tobytes(array)
        flat = np.ndarray.reshape(np.asarray(array), -1, order="A")
        return flat[self._indices].tobytes()

    def look(self) -> Difference:
        array = self.array
        if (array.shape, array.dtype) != self._shape:
            self._shape = array.shape, array.dtype
            self._indices = self._indices if self._indices is None else self._indices % array.size
            self._bytes = self._read()
            return Difference.OTHER
        now = self._read()
        if now == self._bytes:
            return Difference.NONE
        old, new = (np.frombuffer(some, array.dtype) for some in (self._bytes, now))
        self._bytes = now
        return _of_numbers(old, new)


# ------------------------------------------------------------------------------- what is held
def _holders(found: Reached) -> Iterator[tuple[_Kind, list[Any]]]:
    yield _NAMES, list(_names_read(found))
    yield _CELLS, found.cells
    yield _OBJECTS, [item for item, _, _ in found.objects]
    yield _SLOTS, found.slots
    yield _DICTS, [*found.dicts, *found.scopes]
    yield _CLASSES, found.classes
    yield _FUNCTIONS, found.functions
    yield _LISTS, found.lists
    yield _DEQUES, found.deques
    yield _SETS, found.sets
    yield _OBJECT_ARRAYS, [some for some in found.arrays if some.dtype.kind == "O"]
    yield _keyed(lambda some: {"bytes": bytes(memoryview(some))}), found.bytes


def _names_read(found: Reached) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """The globals that the code names, of its own module and of modules that it names."""
    wanted: dict[int, tuple[dict[str, Any], dict[str, None]]] = {}

    def note(scope: dict[str, Any], names: tuple[str, ...]) -> None:
        _, noted = wanted.setdefault(id(scope), (scope, {}))
        for name in names:
            if name in noted or name not in scope:
                continue
            noted[name] = None
            value = scope[name]
            if type(value) is types.ModuleType:
                of_module(object.__getattribute__(value, "__dict__"), names)

    def of_module(scope: dict[str, Any], names: tuple[str, ...]) -> None:
        if not is_foreign(scope.get("__name__"), str(scope.get("__file__") or "")):
            note(scope, names)

    for code, scope in found.codes:
        if not code.foreign:
            note(scope, code.names)
            for module in filter(None, imported_by(code, scope)):
                of_module(object.__getattribute__(module, "__dict__"), code.names)
    for scope, noted in wanted.values():
        if noted:
            yield scope, tuple(noted)


def _arrays_in(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _arrays_in(item)


def _id(holder: Any) -> int:
    """Of what a pair is about, which is made anew at each walk."""
    return id(holder[0]) if type(holder) is tuple else id(holder)


def _only(kind: _Kind, keys: set[Any]) -> _Kind:
    return _keyed(lambda holder: {k: v for k, v in kind.keyed(holder).items() if k in keys})


def _described(holder: Any, key: Any, owner: type | None) -> str:
    if owner is not None:
        return f"attribute {key} of a {owner.__name__}"
    if isinstance(holder, type):
        return f"attribute {key} of the class {holder.__name__}"
    if type(holder) is types.CellType:
        return "a variable of an enclosing function"
    if type(holder) is tuple:
        return f"the global {key}" if type(holder[0]) is dict else f"attribute {key}"
    return f"[{key!r}]"


# --------------------------------------------------------------------------- how it differs
def _difference(old: Any, new: Any) -> Difference:
    if old is new:
        return Difference.NONE
    if type(old) is not type(new):
        return Difference.OTHER
    if isinstance(new, (float, complex, np.inexact)):
        if old == new or (old != old and new != new):  # both are NaN
            return Difference.NONE
        return Difference.SMOOTH if (old == 0) == (new == 0) else Difference.OTHER
    if isinstance(new, _ATOMS):
        return Difference.NONE if old == new else Difference.OTHER
    if type(new) is tuple and len(old) == len(new):
        return max(map(_difference, old, new), default=Difference.NONE)
    if isinstance(new, np.ndarray) and (old.shape, old.dtype) == (new.shape, new.dtype):
        return _of_numbers(np.asarray(old), np.asarray(new))
    return Difference.OTHER


def _of_numbers(old: Any, new: Any) -> Difference:
    """Of two arrays of one shape and dtype."""
    if new.dtype.hasobject:
        return Difference.OTHER
    if new.dtype.kind in "fc":
        if np.array_equal(old, new, equal_nan=True):
            return Difference.NONE
        smooth = np.array_equal(old == 0, new == 0)
        return Difference.SMOOTH if smooth else Difference.OTHER
    return Difference.NONE if np.array_equal(old, new) else Difference.OTHER
