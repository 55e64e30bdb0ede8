"""Caches and iterators that a function keeps: what stands for one in each run of a trace.

Contract: an equal one of the run's own, of a cache one that holds the very same results.  What
cannot be copied, a generator say, gives each run the same items, and has moved on in the end.
Nothing here runs code of the user's but the generator's.
"""

from __future__ import annotations

import types
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from numpy import flatiter
from numpy.random import Generator, RandomState

from sparsetrace.capture import random_generators
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.user_code.kept_results import another_cache, held_by
from sparsetrace.user_code.object_kinds import CACHES, ITERATORS
from sparsetrace.user_code.read_code import is_foreign

__all__ = ["stand_in_for"]


def stand_in_for(original: Any, drawn: dict[int, list[Any]]) -> Any:
    """For one run; `drawn` holds what earlier runs drew from what cannot be copied.

    Raises
    ------
    UnsupportedError
        If a cache holds results that cannot be read.
    """
    if type(original) in CACHES:
        return _another(original) if hasattr(original, "__wrapped__") else original
    if type(original) in (Generator, RandomState):
        return random_generators.sharing(original)
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return _copied(original)
    return _Replayed(original, drawn.setdefault(id(original), []))


def _another(cache: Any) -> Any:
    """Another cache, with the same results: a run that found it empty would be another one."""
    held, size = held_by(cache), cache.cache_info().currsize
    if len(held.results) < size:
        name = getattr(cache, "__qualname__", "the function")
        raise UnsupportedError(
            explain(
                f"the cache of {name}",
                f"its results ({size}), kept from calls before the trace, cannot be read in this "
                "version of Python",
                f"Call {name}.cache_clear() before the trace.",
            )
        )
    return another_cache(cache)


class _Replayed:
    """A generator from where it stood before the first run, for one run of several."""

    def __init__(self, source: Iterator[Any], drawn: list[Any]) -> None:
        self._source, self._drawn, self._at = source, drawn, 0

    def __iter__(self) -> _Replayed:
        return self

    def __next__(self) -> Any:
        if self._at == len(self._drawn):
            self._drawn.append(next(self._source))
        self._at += 1
        return self._drawn[self._at - 1]

    def __getattr__(self, name: str) -> Any:
        """What a generator has besides its items (``send``, ``close``), each run would change."""
        if name.startswith("__") or not hasattr(type(self._source), name):
            raise AttributeError(
                f"{type(self._source).__name__!r} object has no attribute {name!r}"
            )
        raise UnsupportedError(
            explain(
                f"{name} of a generator that is kept between calls",
                "each run of the function starts from where it stood, and it cannot be copied",
                "Make the generator in the traced function, or keep its state in an object.",
            )
        )


def _copied(iterator: Any) -> Any:
    """An iterator that goes on where another stands, and those that it draws from likewise."""
    if type(iterator) is tuple:  # the state of one that draws from others
        return tuple(map(_copied, iterator))
    if type(iterator) not in ITERATORS:
        step = getattr(type(iterator), "__next__", None)
        if step is not None and (
            type(step) is not types.FunctionType or is_foreign(step.__module__)
        ):
            raise TypeError("an iterator that holds its place elsewhere")
        return iterator  # what an iterator of the user's own holds is put back
    if type(iterator) is flatiter:
        made = iterator.base.flat
        deque(islice(made, iterator.index), maxlen=0)
        return made
    if hasattr(type(iterator), "__copy__"):
        return type(iterator).__copy__(iterator)
    make, arguments, *state = iterator.__reduce__()
    made = make(*map(_copied, arguments))
    if state and state[0] is not None:
        made.__setstate__(_copied(state[0]))
    return made
