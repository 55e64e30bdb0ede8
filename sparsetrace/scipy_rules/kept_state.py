"""What functions that a solver calls again and again keep from one call to the next.

Contract: a solver calls a function many times, a global trace calls it once.  What it reads of its
own state may be another number each time (a count of its calls, what a callback or an event has
set).  So it is called again until its state stays as it is, with numbers that nobody knows in place
of those that do not; other state that goes on changing is refused.
"""

from __future__ import annotations

import enum
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sparsetrace.dispatch.keeping_functions import may_keep
from sparsetrace.errors import BY_VALUES, UnsupportedError, explain
from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.callbacks import unknown_number
from sparsetrace.scipy_rules.rule_tools import current
from sparsetrace.user_code.reach import Reached, reached

__all__ = ["until_settled"]

_MOST_CALLS = 16
_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)
_PLAIN = (str, bytes, tuple, type(None), np.ndarray)
_HOLDERS = frozenset((list, dict))
_SHOWN = (
    *_NUMBERS, str, bytes, tuple, type(None), list, dict, enum.Enum, type, types.FunctionType
)  # fmt: skip
_ABSENT: Any = object()

Place = tuple[Any, Any, Callable[[Any], None]]
"""A key that tells it from others, what stands there, and what puts another object there."""


def until_settled(run: Callable[[], None], *functions: Any) -> None:
    """Call functions as a solver does, in a global trace, until they change no more.

    Parameters
    ----------
    run : callable
        Calls all of them once, and takes what they give.
    *functions : callable or None

    Raises
    ------
    UnsupportedError
        If they keep something that may be anything in the end.
    """
    keeping = [f for f in functions if f is not None and may_keep(f)]
    if not keeping or current().local:
        run()
        return
    state = _State(keeping)
    run()
    state.look()
    for _ in range(_MOST_CALLS):
        run()
        if not state.look():
            return
    state.refuse()


class _State:
    """The numbers and other things that functions reach, as they were when looked at last."""

    def __init__(self, functions: list[Any]) -> None:
        self._functions = functions
        self._seen: dict[Any, Any] | None = None
        self._lengths: dict[int, int] = {}
        self._added: dict[int, list[Any]] = {}
        """What was added to a list by the last call."""
        self._holders: dict[Any, tuple[Any, list[Any]]] = {}
        """The lists and dictionaries that stand somewhere, with what was in them."""

    def look(self) -> bool:
        """Whether something changed since the last look; such numbers are unknown from now on."""
        found, before = reached(self._functions), self._seen
        series = [*found.lists, *found.deques]
        lengths = {id(some): len(some) for some in (*series, *found.dicts, *found.sets)}
        now: dict[Any, Any] = {}
        changed, added = [], []
        for key, value, put in _places(found):
            if type(value) in _HOLDERS:
                self._check_exchanged(key, value)
                continue
            if contains_traced(value):
                continue
            now[key] = value.copy() if isinstance(value, np.ndarray) else value
            old = _ABSENT if before is None else before.get(key, _ABSENT)
            if old is not _ABSENT:
                if not _is_same(old, value):
                    changed.append((key, value, put))
            elif type(key) is tuple and self._lengths.get(key[0], sys.maxsize) <= _place(key[1]):
                added.append((key, value, put))
        self._check(found, lengths)
        self._seen, self._lengths = now, lengths
        more: dict[int, list[Any]] = {}
        for key, value, _ in added:
            more.setdefault(key[0], []).append(value)
        # what is added again and again tells no calls apart
        is_new = any(not _are_same(self._added.get(key, []), more[key]) for key in more)
        self._added = more
        if any(isinstance(value, _PLAIN) for _, value, _ in changed):
            self.refuse()
        for key, value, put in (*changed, *added):
            if isinstance(value, _NUMBERS):
                put(unknown_number(dtype=np.dtype(type(value))))
                del now[key]
        return bool(changed) or is_new

    def _check_exchanged(self, key: Any, holder: Any) -> None:
        """Refuse another list or dictionary at each call, with other constants in it."""
        items = list(holder.values()) if type(holder) is dict else list(holder)
        before, known = self._holders.get(key, (holder, items))
        if before is not holder and not _are_same(items, known):
            self.refuse()
        self._holders[key] = holder, items

    def _check(self, found: Reached, lengths: dict[int, int]) -> None:
        """Refuse containers that shrink, sets that grow, and others of which a length is asked."""
        names = {name for code, _ in found.codes for name in code.names}
        before = self._lengths
        sets = {id(some) for some in found.sets}
        sizes = [(before.get(key, size), size, key in sets) for key, size in lengths.items()]
        shrinks = any(size < old or (is_set and size != old) for old, size, is_set in sizes)
        grows = any(size > old for old, size, _ in sizes)
        if shrinks or (grows and "len" in names) or (found.iterators and "next" in names):
            self.refuse()

    def refuse(self) -> None:
        name = getattr(self._functions[0], "__qualname__", type(self._functions[0]).__qualname__)
        raise UnsupportedError(
            explain(
                "a function that a solver calls",
                f"what {name} keeps from one call to the next may tell its results apart",
                "Let it depend on its arguments alone.",
                BY_VALUES,
            )
        )


def _are_same(some: list[Any], others: list[Any]) -> bool:
    """Whether what is not traced in two lists is the same."""
    return len(some) == len(others) and all(
        contains_traced((one, other)) or _is_same(one, other)
        for one, other in zip(some, others, strict=True)
    )


def _is_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.shape == other.shape and bool(((one == other) | (one != one)).all())
    if isinstance(one, (*_NUMBERS, str, bytes)):
        return bool(one == other) or (one != one and other != other)
    if isinstance(one, tuple):
        return _are_same(list(one), list(other))
    # another one; of others what they hold is looked at on its own
    return not isinstance(one, enum.Enum | type | types.FunctionType)


def _places(found: Reached) -> Iterator[Place]:
    """Where the numbers and plain objects stand that functions reach."""
    scopes = [(scope, name) for scope, name in found.names if name in scope]
    items = [(some, key) for some in found.dicts for key in list(some)]
    series = (*found.lists, *found.deques)
    indexed = [(some, at) for some in series for at in range(len(some))]
    for some, key in (*scopes, *items, *indexed):
        value = some[key]
        yield (id(some), key), _shown(value), _putting(some, key)
    for cell in found.cells:
        try:
            value = cell.cell_contents
        except ValueError:  # it is not filled yet
            continue
        yield id(cell), _shown(value), _filling(cell)
    for item, names in found.slots:
        for name in names:
            value = getattr(item, name, _ABSENT)
            yield (id(item), name), _shown(value), _setting(item, name)
    for array in found.arrays:
        if type(array) is np.ndarray and array.dtype.kind != "O":
            yield id(array), array, _putting(None, None)


def _shown(value: Any) -> Any:
    """What tells an object from another one: itself, or of those with a state its class."""
    return value if isinstance(value, _SHOWN) else type(value)


def _place(key: Any) -> int:
    """Where it stands in a list; none of a dictionary's is behind what was there."""
    return key if type(key) is int else -1


def _putting(some: Any, key: Any) -> Callable[[Any], None]:
    return lambda value: some.__setitem__(key, value)


def _filling(cell: Any) -> Callable[[Any], None]:
    return lambda value: setattr(cell, "cell_contents", value)


def _setting(item: Any, name: str) -> Callable[[Any], None]:
    return lambda value: setattr(item, name, value)
