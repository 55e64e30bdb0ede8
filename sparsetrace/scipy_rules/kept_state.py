"""What functions that a solver calls again and again keep from one call to the next.

Contract: a solver calls a function many times, a global trace calls it once.  What it reads of its
own state may be another number each time (a count of its calls, what a callback or an event has
set).  So it is called again until its state stays as it is, with numbers that nobody knows in place
of those that do not; other state that goes on changing is refused.
"""

from __future__ import annotations

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
_MOST_ELEMENTS = 4096
_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)
_PLAIN = (str, bytes, tuple, type(None), np.ndarray)
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

    def look(self) -> bool:
        """Whether something changed since the last look; such numbers are unknown from now on."""
        found, before = reached(self._functions), self._seen
        lengths = {id(some): len(some) for some in (*found.lists, *found.dicts, *found.sets)}
        now, changed = {}, []
        for key, value, put in _places(found):
            if contains_traced(value):
                continue
            now[key] = value.copy() if isinstance(value, np.ndarray) else value
            old = _ABSENT if before is None else before.get(key, _ABSENT)
            if old is not _ABSENT and not _is_same(old, value):
                changed.append((key, value, put))
        grown = any(self._lengths.get(key, size) != size for key, size in lengths.items())
        self._seen, self._lengths = now, lengths
        names = {name for code, _ in found.codes for name in code.names}
        if (found.iterators and "next" in names) or (grown and "len" in names):
            self.refuse()
        for key, value, put in changed:
            if isinstance(value, _PLAIN):
                self.refuse()
            put(unknown_number(dtype=np.dtype(type(value))))
            del now[key]
        return bool(changed)

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


def _is_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.shape == other.shape and bool(((one == other) | (one != one)).all())
    if isinstance(one, (*_NUMBERS, str, bytes)):
        return bool(one == other) or (one != one and other != other)
    return not isinstance(one, _PLAIN) or bool(one == other)


def _places(found: Reached) -> Iterator[Place]:
    """Where the numbers and plain objects stand that functions reach."""
    scopes = [(scope, name) for scope, name in found.names if name in scope]
    items = [(some, key) for some in found.dicts for key in list(some)]
    indexed = [(some, at) for some in found.lists for at in range(len(some))]
    for some, key in (*scopes, *items, *indexed):
        value = some[key]
        if isinstance(value, (*_NUMBERS, *_PLAIN)) and not isinstance(value, np.ndarray):
            yield (id(some), key), value, _putting(some, key)
    for cell in found.cells:
        try:
            value = cell.cell_contents
        except ValueError:  # it is not filled yet
            continue
        if isinstance(value, (*_NUMBERS, *_PLAIN)) and not isinstance(value, np.ndarray):
            yield id(cell), value, _filling(cell)
    for item, names in found.slots:
        for name in names:
            value = getattr(item, name, _ABSENT)
            if isinstance(value, (*_NUMBERS, *_PLAIN)) and not isinstance(value, np.ndarray):
                yield (id(item), name), value, _setting(item, name)
    for array in found.arrays:
        if type(array) is np.ndarray and array.size <= _MOST_ELEMENTS and array.dtype.kind != "O":
            yield id(array), array, _putting(None, None)


def _putting(some: Any, key: Any) -> Callable[[Any], None]:
    return lambda value: some.__setitem__(key, value)


def _filling(cell: Any) -> Callable[[Any], None]:
    return lambda value: setattr(cell, "cell_contents", value)


def _setting(item: Any, name: str) -> Callable[[Any], None]:
    return lambda value: setattr(item, name, value)
