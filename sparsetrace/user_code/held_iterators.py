"""Whether an object holds iterators, which move on when they are read, or functions.

Contract: nothing of the user's runs here.  Of an object's attributes those count that code names.
"""

from __future__ import annotations

import collections
import gc
import types
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

import numpy as np

from sparsetrace.user_code.value_kinds import python_source

__all__ = ["held_callables", "holds_iterator", "is_iterator", "may_read"]

_CONTAINERS = (list, tuple, set, frozenset, collections.deque)
_NONE: dict[Any, Any] = {}
_ITERATORS = enumerate, reversed, zip, type(iter([_NONE]))
_OF_DICTIONARIES = type(_NONE.keys()), type(_NONE.values()), type(_NONE.items())
_OF_UNCHANGING = range, tuple, str, bytes, *(type(iter(one)) for one in (range(1), "a", "é", b""))
_OF_SEQUENCES: type = type(iter(np.zeros(1)))
_WITHIN = 4
"""So many iterators in one another are looked at."""
_HEAP_TYPE = 1 << 9
_MOST = 20_000


def is_iterator(value: object) -> bool:
    """Whether reading an object changes it, as it does an iterator."""
    return hasattr(type(value), "__next__")


def holds_iterator(
    values: Iterable[Any], names: Container[str], names_in: Callable[[type], Container[str]]
) -> bool:
    """Whether any of the values is an iterator, or holds one; in doubt, of very many, one does.

    Parameters
    ----------
    values : iterable
    names : container of str
        The attributes that are read.
    names_in : callable
        Gives those that a class reads of itself.

    Examples
    --------
    >>> holds_iterator([[1.0, {"k": iter("ab")}]], (), lambda cls: ())
    True
    >>> holds_iterator([[1.0, {"k": "ab"}]], (), lambda cls: ())
    False
    """
    return any(value is None or is_iterator(value) for value in _held(values, names, names_in))


def held_callables(
    values: Iterable[Any], names: Container[str], names_in: Callable[[type], Container[str]]
) -> list[Any] | None:
    """The functions and other callables that values are or hold; None if these are very many.

    Parameters
    ----------
    values, names, names_in
        As for `holds_iterator`.

    Examples
    --------
    >>> held_callables([(1.0, [abs]), {"k": len}], (), lambda cls: ())
    [<built-in function len>, <built-in function abs>]
    """
    result: dict[int, Any] = {}
    for value in _held(values, names, names_in):
        if value is None:
            return None
        if callable(value):
            result[id(value)] = value
    return list(result.values())


def may_read(iterable: Any, containers: Iterable[Any], within: int = _WITHIN) -> bool:
    """Whether going over something may show what is in any of some containers at that moment.

    Examples
    --------
    >>> waiting, others = [3, 4], [5]
    >>> may_read(waiting, [waiting]), may_read(enumerate(waiting), [waiting])
    (True, True)
    >>> may_read(range(3), [waiting]), may_read(zip(others, "ab"), [waiting])
    (False, False)
    """
    if isinstance(iterable, np.ndarray) or _goes_over_an_array(iterable):
        return any(isinstance(container, np.ndarray) for container in containers)
    if type(iterable) in _OF_UNCHANGING:
        return False
    if type(iterable) in (list, dict, set):
        return any(container is iterable for container in containers)
    if not within:
        return True
    if type(iterable) in _OF_DICTIONARIES:
        inside = gc.get_referents(iterable)
    elif type(iterable) in _ITERATORS:
        inside = iterable.__reduce__()[1]
        if type(iterable) is enumerate:
            inside = inside[:1]
    else:
        return True
    return any(may_read(one, containers, within - 1) for one in inside)


def _goes_over_an_array(iterable: object) -> bool:
    """Whether this is the iterator of an array, traced or not."""
    if type(iterable) is not _OF_SEQUENCES:
        return False
    reduced: Any = iterable.__reduce__()
    sequence = reduced[1][0]
    return isinstance(sequence, np.ndarray) or getattr(type(sequence), "_is_of_array", False)


def _held(
    values: Iterable[Any], names: Container[str], names_in: Callable[[type], Container[str]]
) -> Iterator[Any]:
    """The values and what they hold, one of a type where that tells all; None after very many."""
    todo = collections.deque(values)
    yield from (value for value in todo if value is not None)
    seen: set[int] = set()
    while todo:
        value = todo.popleft()
        if id(value) in seen or not _may_hold(type(value)):
            continue
        seen.add(id(value))
        if len(seen) > _MOST:
            yield None
            return
        inside = _inside(value, names, names_in(type(value)))
        examples = {type(item): item for item in inside}
        deeper = {cls for cls in examples if _may_hold(cls)}
        several = {cls for cls, item in examples.items() if callable(item)}
        yield from (item for cls, item in examples.items() if item is not None)
        if several:
            yield from (item for item in inside if type(item) in several)
        if deeper:
            todo += (item for item in inside if type(item) in deeper)


def _may_hold(cls: type) -> bool:
    if issubclass(cls, (dict, *_CONTAINERS)):
        return True
    has_attributes = bool(cls.__flags__ & _HEAP_TYPE) or cls.__dictoffset__ != 0
    return has_attributes and cls is not types.ModuleType and not hasattr(cls, "_is_traced")


def _inside(value: Any, names: Container[str], own: Container[str]) -> list[Any]:
    cls = type(value)
    if python_source(value) is not None:  # what numba compiles with is no affair of a call
        return []
    result: list[Any] = [*dict.values(value)] if issubclass(cls, dict) else []
    for base in _CONTAINERS:
        if issubclass(cls, base):
            result += base.__iter__(value)
    attributes = _attribute(value, "__dict__")
    if type(attributes) is dict:
        every = "__dict__" in names or "__dict__" in own
        result += (x for name, x in attributes.items() if every or name in names or name in own)
    for slots in (vars(base).get("__slots__", ()) for base in cls.__mro__):
        some = (slots,) if isinstance(slots, str) else tuple(slots)
        result += (_attribute(value, name) for name in some if name in names or name in own)
    return result


def _attribute(value: object, name: str) -> Any:
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return None
