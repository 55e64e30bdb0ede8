"""Where objects are held, and how to exchange them there.

Contract: every name, item, attribute, cell and default of what a function can reach is one
place, which is one reference.  Exchanging what is there runs no code of the user's.  An item
of a tuple is exchanged in the tuple itself, which everybody who holds it goes on holding.
"""

from __future__ import annotations

import collections
import functools
import gc
import types
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from sparsetrace.user_code.held_words import WORD, assign_word
from sparsetrace.user_code.kept_results import exchange, kept_results, table_of
from sparsetrace.user_code.object_kinds import CACHES
from sparsetrace.user_code.reach import Reached, dict_of, filled_slots, slots_of

__all__ = ["Place", "described", "item_of", "places", "places_in", "places_of", "reads_memory"]

_ABSENT = object()
_CONTAINERS = (dict, list, tuple, collections.deque, types.CellType, np.ndarray)


class Place(NamedTuple):
    """One reference to an object.

    Attributes
    ----------
    assign : callable
        Puts another object there.
    value : object
        What is there.
    holder : object
        The container, the cell, or the object whose attribute it is.
    key : object
        The name, the key or the number there.
    """

    assign: Callable[[Any], None]
    value: Any
    holder: Any
    key: Any

    @property
    def identity(self) -> tuple[int, Any]:
        """What differs between two places."""
        plain = type(self.key) in (str, int, tuple)
        return id(self.holder), self.key if plain else id(self.key)


def places(result: Reached, wanted: Container[int]) -> Iterator[Place]:
    """Every place that holds one of some objects, given by their ids.

    Examples
    --------
    >>> from sparsetrace.user_code.reach import reached
    >>> item = object()
    >>> model = {"work": item}
    >>> (place,) = places(reached([model.get]), {id(item)})
    >>> described(place, model)
    "item 'work' of a dict"
    >>> place.assign(None)
    >>> model
    {'work': None}
    """
    for scope, name in result.names:
        value = scope.get(name, _ABSENT)
        if id(value) in wanted:
            yield Place(item_of(scope, name), value, scope, name)
    for container in (*result.dicts, *result.scopes, *result.lists, *result.cells):
        yield from places_in(container, wanted)
    for item, names in result.slots:
        yield from _slot_places(item, names, wanted)
    for cls in result.classes:
        yield from _class_places(cls, wanted)
    for cache in result.caches:
        yield from _cache_places(cache, wanted)


def places_in(holder: object, wanted: Container[int]) -> Iterator[Place]:
    """The places in one dict, list, tuple, deque, cell or array of objects.

    Examples
    --------
    >>> pair = (0.5, "b")
    >>> next(places_in(pair, {id(pair[1])})).assign("c")
    >>> pair
    (0.5, 'c')
    """
    for key, value, assign in _items(holder):
        if id(value) in wanted:
            yield Place(functools.partial(assign, holder, key), value, holder, key)


def _items(holder: Any) -> Iterator[tuple[Any, Any, Callable[[Any, Any, Any], None]]]:
    """The keys of a holder, what is there, and what puts something else there."""
    mro = type.__dict__["__mro__"].__get__(type(holder))
    if dict in mro:
        assign = _dict_setter(type(holder))
        yield from ((key, value, assign) for key, value in list(dict.items(holder)))
    elif list in mro:
        yield from ((i, v, list.__setitem__) for i, v in enumerate(list.copy(holder)))
    elif tuple in mro:
        yield from ((i, v, _replace) for i, v in enumerate(tuple.__iter__(holder)))
    elif collections.deque in mro:
        items = list(collections.deque.__iter__(holder))
        yield from ((i, v, collections.deque.__setitem__) for i, v in enumerate(items))
    elif types.CellType in mro:
        with suppress(ValueError):  # not filled
            yield "cell_contents", holder.cell_contents, setattr
    elif np.ndarray in mro:
        for at in np.ndindex(holder.shape):
            yield at, np.ndarray.__getitem__(holder, at), np.ndarray.__setitem__


def places_of(holder: Any, wanted: Container[int]) -> Iterator[Place]:
    """The places in any object that can be assigned to; none in what compiled code keeps."""
    if issubclass(type(holder), dict) and "__module__" in holder:
        for cls in gc.get_referrers(holder):  # of a class, which has to know of it
            if issubclass(type(cls), type) and gc.get_referents(_CLASS_DICT(cls))[0] is holder:
                yield from _class_places(cls, wanted)
                return
    if issubclass(type(holder), _CONTAINERS):
        yield from places_in(holder, wanted)
    if type(holder) in CACHES:
        yield from _cache_places(holder, wanted)
    with suppress(AttributeError, TypeError):
        yield from places_in(dict_of(holder), wanted)
    yield from _slot_places(holder, slots_of(type(holder)), wanted)


def _cache_places(cache: Any, wanted: Container[int]) -> Iterator[Place]:
    """Where results are kept: in a dict of its own, or in the cache itself."""
    table = table_of(cache)
    if table is not None:
        yield from places_in(table, wanted)
        return
    for number, value in enumerate(kept_results(cache)):
        if id(value) in wanted:
            yield Place(functools.partial(exchange, cache, number), value, cache, number)


_BY_ADDRESS = ("_ctypes", "_cffi_backend", "numpy._core._internal", "numpy.core._internal")
"""Modules whose objects read memory, and keep what it belongs to as an attribute."""


def reads_memory(item: object) -> bool:
    """Whether an object knows addresses.

    Examples
    --------
    >>> reads_memory(np.ones(2).ctypes), reads_memory([np.ones(2)])
    (True, False)
    """
    mro = type.__dict__["__mro__"].__get__(type(item))
    return any(_MODULE(cls) in _BY_ADDRESS for cls in mro)


def _slot_places(item: object, names: Iterable[str], wanted: Container[int]) -> Iterator[Place]:
    for name, value in filled_slots(item, names).items():
        if id(value) in wanted:
            assign = functools.partial(object.__setattr__, item, name)
            yield Place(assign, value, item, name)


def described(place: Place, owner: Any) -> str:
    """What a message calls a place; `owner` is the holder, or the object whose attributes it is."""
    key, cls = place.key, type(owner)
    if issubclass(cls, type):
        return f"attribute {key} of the class {owner.__name__}"
    if cls is types.CellType:
        return "a variable of a closure"
    if cls in CACHES:
        return f"a result that the cache of {owner.__name__} holds"
    if owner is not place.holder or not issubclass(cls, _CONTAINERS):
        return f"attribute {key} of a {cls.__name__}"
    if cls is dict and "__builtins__" in owner:
        return f"the global name {key}"
    shown = repr(key) if type(key) in (str, int, tuple) else "..."
    return f"item {shown} of a {cls.__name__}"


# --------------------------------------------------------------------- dicts, classes
_CLASS_DICT: Callable[[type], Any] = type.__dict__["__dict__"].__get__
_MODULE: Callable[[type], Any] = type.__dict__["__module__"].__get__


def item_of(container: dict[Any, Any], key: object) -> Callable[[Any], None]:
    """Assigns to an item of a dict."""
    return functools.partial(_dict_setter(type(container)), container, key)


def _dict_setter(cls: type) -> Callable[[Any, Any, Any], None]:
    ordered = issubclass(cls, collections.OrderedDict)
    return collections.OrderedDict.__setitem__ if ordered else dict.__setitem__


def _class_places(cls: type, wanted: Container[int]) -> Iterator[Place]:
    for name, value in dict(_CLASS_DICT(cls)).items():
        inner = _inside(value)
        if id(inner) in wanted:
            yield Place(_attribute(cls, name, value), inner, cls, name)


def _inside(value: Any) -> Any:
    if type(value) in (staticmethod, classmethod):
        return value.__func__
    return value.fget if type(value) is property else value


def _attribute(cls: type, name: str, value: Any) -> Callable[[Any], None]:
    if _inside(value) is value and type(value) is not types.BuiltinFunctionType:
        return functools.partial(type.__setattr__, cls, name)

    def assign(stand_in: Any) -> None:
        made = stand_in
        if stand_in is _inside(value):  # put back what stood there
            made = value
        elif type(value) is types.BuiltinFunctionType and type(made) is types.FunctionType:
            made = staticmethod(made)  # a Python function would become a method
        elif type(value) is property:
            made = property(stand_in, value.fset, value.fdel, value.__doc__)
        elif type(value) in (staticmethod, classmethod):
            made = type(value)(stand_in)
        type.__setattr__(cls, name, made)

    return assign


# --------------------------------------------------------------------- tuples
def _replace(some: tuple[Any, ...], i: int, value: object) -> None:
    """Another item in the very same tuple, where CPython keeps it."""
    assign_word(id(some) + tuple.__basicsize__ + i * WORD, tuple.__getitem__(some, i), value)
