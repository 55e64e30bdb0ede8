"""How often objects are referred to, and by what, in the whole program.

Contract: arrays, and dicts and tuples that hold nothing else, are unknown to Python's garbage
collector; they are found through what holds them.  The variables of functions that wait for
this one to return hold objects too, where nothing but those functions can reach them.  A
reference that is not found here is one of compiled code.
"""

from __future__ import annotations

import gc
import inspect
import itertools
import opcode
import sys
import threading
import types
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Heap", "base_of", "counts", "is_view", "running"]

base_of: Callable[[Any], Any] = np.ndarray.__dict__["base"].__get__
"""What holds an array's memory, None where it does itself."""

_DTYPE: Callable[[Any], Any] = np.ndarray.__dict__["dtype"].__get__
_CHUNK = 1024
_OWN = globals()


def counts(objects: list[Any]) -> list[int]:
    """The number of references to each object, but for that of the list.

    Examples
    --------
    >>> first, second = object(), object()
    >>> also = second
    >>> counts([first, second])
    [1, 2]
    """
    own = next(map(sys.getrefcount, [object()]))
    return [count - own for count in map(sys.getrefcount, objects)]


def _frames() -> list[types.FrameType]:
    """Every frame that waits for this module, or runs in another thread."""
    frames: list[types.FrameType] = []
    newest = sys._current_frames()
    newest[threading.get_ident()] = sys._getframe()
    for frame in newest.values():
        while frame is not None:
            if frame.f_globals is not _OWN:  # a frame that holds itself would never end
                frames.append(frame)
            frame = frame.f_back  # type: ignore[assignment]
    newest.clear()
    return frames


class Running(NamedTuple):
    """What running functions hold.

    Attributes
    ----------
    held : list
        Of each variable, what is there.
    copied : list
        Arguments that the call itself may hold once more.
    dicts : set of int
        The ids of dicts that repeat variables: up to Python 3.12 a frame that is asked for its
        variables keeps them in one as well.
    """

    held: list[Any]
    copied: list[Any]
    dicts: set[int]


def running() -> Running:
    """What the functions that wait for this module, and those of other threads, hold."""
    result = Running([], [], set())
    for frame in _frames():
        code = frame.f_code
        if not code.co_flags & inspect.CO_OPTIMIZED:
            continue
        variables = frame.f_locals
        cells = {*code.co_cellvars, *code.co_freevars}
        names = [name for name in code.co_varnames if name not in cells]
        result.held.extend(variables[name] for name in names if name in variables)
        if _COPIES and frame.f_back is not None and _unpacks_keywords(frame.f_back):
            given = [variables.get(name) for name in names[: code.co_argcount]]
            if code.co_flags & inspect.CO_VARARGS:
                given += variables.get(
                    code.co_varnames[code.co_argcount + code.co_kwonlyargcount], ()
                )
            result.copied.extend(given * _COPIES)
        if type(variables) is dict:
            result.dicts.add(id(variables))
            result.held.extend(variables.values())
    frame = variables = None  # type: ignore[assignment]
    return result


def _unpacks_keywords(frame: types.FrameType) -> bool:
    """Whether a frame waits for a call ``f(*args, **options)``."""
    code = frame.f_code.co_code
    return code[frame.f_lasti] == _CALL_EX and bool(code[frame.f_lasti + 1] & 1)


def _copies() -> int:
    """How many references such a call holds of each argument: Python 3.11 copies them."""

    def counted(*items: Any, **options: Any) -> int:
        return sys.getrefcount(items[0])

    items, options = [object()], {"name": 1}
    return counted(*items, **options) - counted(*items)


_CALL_EX = opcode.opmap["CALL_FUNCTION_EX"]
_COPIES = _copies()


class Heap:
    """Everything that holds something, at one moment.

    Parameters
    ----------
    without : iterable of int
        The ids of holders that do not count.

    Attributes
    ----------
    running, copied : Counter
        How often the variables and the calls of running functions hold an object, by its id.
    """

    def __init__(self, without: Iterable[int] = ()) -> None:
        tracked = gc.get_objects()
        held, copied, dicts = running()
        self.running, self.copied = Counter(map(id, held)), Counter(map(id, copied))
        self._skipped = {id(self), *dicts, *without}
        self._tracked = tracked
        self._arrays = self._counting(_of(np.ndarray, tracked))
        self._plain: dict[int, Any] = {}
        todo = [*_untracked(held), *_untracked(_held_by_all(self._arrays))]
        for chunk in _chunks(tracked):
            todo += _untracked(gc.get_referents(*self._counting(chunk)))
        while todo:
            new = {id(item): item for item in todo}
            for number in new.keys() & (self._skipped | self._plain.keys()):
                del new[number]
            self._plain.update(new)
            todo = _untracked(_held_by_all(new.values()))

    def _counting(self, items: list[Any]) -> list[Any]:
        """Those of some items that count as holders."""
        if self._skipped.isdisjoint(map(id, items)):
            return items
        return [item for item in items if id(item) not in self._skipped]

    def forget(self) -> None:
        """Hold nothing any more."""
        self._tracked.clear()
        self._arrays.clear()
        self._plain.clear()

    def arrays(self) -> list[Any]:
        """All arrays that something holds."""
        return self._arrays + _of(np.ndarray, self._plain.values())

    def holders(self, items: Iterable[Any]) -> Iterator[tuple[Any, list[int]]]:
        """What holds some objects, and the ids of those, as often as it holds them."""
        wanted = set(map(id, items))
        tracked = {id(holder): holder for holder in gc.get_referrers(*items)}
        older = set(tracked).intersection(map(id, self._tracked)) - self._skipped
        holders = {number: tracked[number] for number in older}
        holders.update((id(array), array) for array in self.arrays())
        for chunk in _chunks(list(self._plain.values())):
            if not wanted.isdisjoint(map(id, gc.get_referents(*chunk))):
                holders.update((id(item), item) for item in chunk)
        for holder in holders.values():
            ids = [number for number in map(id, _held_by(holder)) if number in wanted]
            if ids:
                yield holder, ids


def _chunks(items: list[Any]) -> Iterator[list[Any]]:
    return (items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK))


def _of(cls: Any, items: Collection[Any]) -> list[Any]:
    """The instances of some classes, which millions of items are asked for."""
    classes = {own for own in set(map(type, items)) if issubclass(own, cls)}
    return list(itertools.compress(items, map(classes.__contains__, map(type, items))))


def _untracked(items: Collection[Any]) -> list[Any]:
    """What holds something and is unknown to the garbage collector."""
    return list(itertools.filterfalse(gc.is_tracked, _of((dict, tuple, np.ndarray), items)))


def is_view(holder: object) -> bool:
    """Whether an object refers to an array because it shows its memory."""
    return issubclass(type(holder), np.ndarray) and _DTYPE(holder).kind != "O"


def _held_by(holder: Any) -> list[Any]:
    held = gc.get_referents(holder)
    if issubclass(type(holder), np.ndarray):
        held.append(base_of(holder))
        if _DTYPE(holder).kind == "O":
            held += np.array(holder, subok=False).ravel().tolist()
    return held


def _held_by_all(holders: Collection[Any]) -> list[Any]:
    held = map(_held_by, _of(np.ndarray, holders))
    referents = (gc.get_referents(*chunk) for chunk in _chunks(list(holders)))
    return list(itertools.chain.from_iterable(itertools.chain(held, referents)))
