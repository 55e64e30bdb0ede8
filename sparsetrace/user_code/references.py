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
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Heap", "base_of", "counts", "is_view", "running"]

base_of: Callable[[Any], Any] = np.ndarray.__dict__["base"].__get__
"""What holds an array's memory, None where it does itself."""

_DTYPE: Callable[[Any], Any] = np.ndarray.__dict__["dtype"].__get__
_UNTRACKED = (dict, tuple, np.ndarray)
_CHUNK = 256
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
        skipped = {id(self), *dicts, *without}
        self._tracked = [x for x in tracked if id(x) not in skipped]
        self._plain: dict[int, Any] = {}
        self._ids: set[int] = set()
        todo: Iterable[Any] = itertools.chain(held, gc.get_referents(*self._tracked))
        while todo:
            new = {
                id(item): item
                for item in itertools.filterfalse(gc.is_tracked, todo)
                if issubclass(type(item), _UNTRACKED)
                and not (id(item) in self._plain or id(item) in skipped)
            }
            self._plain.update(new)
            todo = [part for item in new.values() for part in _held_by(item)]

    def forget(self) -> None:
        """Hold nothing any more."""
        self._tracked.clear()
        self._plain.clear()

    def owners(self, item: object) -> list[Any]:
        """What the garbage collector knows to hold something, all of it older than this."""
        ids = self._ids = self._ids or set(map(id, self._tracked))
        return [holder for holder in gc.get_referrers(item) if id(holder) in ids]

    def arrays(self) -> list[Any]:
        """All arrays that something holds."""
        holders = (*self._tracked, *self._plain.values())
        return [x for x in holders if issubclass(type(x), np.ndarray)]

    def holders(self, wanted: set[int]) -> Iterator[tuple[Any, list[int]]]:
        """What holds some objects, given by their ids, and the ids, as often as it holds them."""
        for start in range(0, len(self._tracked), _CHUNK):
            chunk = self._tracked[start : start + _CHUNK]
            if not wanted.isdisjoint(map(id, gc.get_referents(*chunk))):
                yield from _holding(chunk, wanted)
        yield from _holding(self._plain.values(), wanted)


def is_view(holder: object) -> bool:
    """Whether an object refers to an array because it shows its memory."""
    return issubclass(type(holder), np.ndarray) and _DTYPE(holder).kind != "O"


def _holding(holders: Iterable[Any], wanted: set[int]) -> Iterator[tuple[Any, list[int]]]:
    for holder in holders:
        ids = [number for number in map(id, _held_by(holder)) if number in wanted]
        if ids:
            yield holder, ids


def _held_by(holder: Any) -> list[Any]:
    held = gc.get_referents(holder)
    if issubclass(type(holder), np.ndarray):
        held.append(base_of(holder))
        if _DTYPE(holder).kind == "O":
            held += np.ndarray.flatten(holder).tolist()
    return held
