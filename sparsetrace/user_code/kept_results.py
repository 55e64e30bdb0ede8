"""The results that `functools.lru_cache` keeps, read and put back without a call of the user's.

Contract: they come in the order in which the cache would forget them, each with the arguments
for which it is kept.  What a cache holds is known to Python's garbage collector alone: where that
tells something else than the cache itself, nothing is known of it.  A cache without a limit keeps
its results in a dict, where they may be exchanged; for one with a limit it is noted what stands
for them when another cache is filled with them.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from sparsetrace.user_code.held_words import assign_word, word_of

__all__ = ["Held", "another_cache", "exchange", "held_by", "kept_results", "refill", "table_of"]


class Held(NamedTuple):
    """What a cache holds.

    Attributes
    ----------
    arguments : list of (tuple, dict)
        Of the calls that gave the results; none for a cache without a limit.
    results : list or dict
        In a cache without a limit by their keys.
    """

    arguments: list[tuple[tuple[Any, ...], dict[str, Any]]]
    results: Any

    def put_back(self, cache: Any) -> None:
        """Let the very cache hold that again, and nothing else."""
        cache.cache_clear()
        table = table_of(cache)
        if table is not None:
            table.update(self.results)
            return
        function = calls = cache.__dict__.get("__wrapped__")
        word = word_of(cache, function)
        if word is None or not self.arguments:
            return

        def assign(other: Any) -> None:
            nonlocal calls
            assign_word(word, calls, other)
            calls = other

        try:
            _fill(cache, zip(self.arguments, self.results, strict=True), assign)
        finally:
            assign(function)


_STANDING: WeakKeyDictionary[Any, dict[int, Any]] = WeakKeyDictionary()
"""What stands for results of caches with a limit, by their numbers."""


def kept_results(cache: Any) -> list[Any]:
    """The results alone, those without which the next one would be forgotten first.

    Parameters
    ----------
    cache : object
        What `functools.lru_cache` makes.

    Examples
    --------
    >>> import functools
    >>> @functools.lru_cache(maxsize=2)
    ... def settings(name):
    ...     return {"name": name}
    >>> _ = settings("a"), settings("b"), settings("a")
    >>> kept_results(settings)
    [{'name': 'b'}, {'name': 'a'}]
    """
    table = table_of(cache)
    return [result for _, result in _items(cache)] if table is None else list(table.values())


def table_of(cache: Any) -> dict[Any, Any] | None:
    """The dict in which a cache without a limit keeps its results; None for others."""
    if cache.cache_info().maxsize is not None:
        return None
    return _table(cache, gc.get_referents(cache))


def exchange(cache: Any, number: int, stand_in: Any) -> None:
    """Let something stand for one of the results of a cache with a limit where it is refilled."""
    standing = _STANDING.setdefault(cache, {})
    if kept_results(cache)[number] is stand_in:
        standing.pop(number, None)
    else:
        standing[number] = stand_in


def held_by(cache: Any) -> Held:
    """What a cache holds by now."""
    table = table_of(cache)
    if table is not None:
        return Held([], table.copy())
    items = _items(cache)
    marks = {id(x) for x in gc.get_referents(cache) if type(x) is object} if items else set()
    typed = cache.cache_parameters()["typed"]
    return Held([_arguments(key, marks, typed) for key, _ in items], [value for _, value in items])


def another_cache(cache: Any) -> Any:
    """A cache of the same function, which holds the very same results.

    Examples
    --------
    >>> import functools
    >>> @functools.lru_cache
    ... def settings(name, deep=0):
    ...     return {"name": name}
    >>> settings("a")["name"] = settings("b", deep=1)["name"] = "changed"
    >>> other = another_cache(settings)
    >>> other("a"), other("b", deep=1), other("b")
    ({'name': 'changed'}, {'name': 'changed'}, {'name': 'b'})
    """
    function = called = cache.__wrapped__
    if cache.cache_info().currsize:
        called = functools.partial(function)  # which can be given another function
    made = functools.lru_cache(**cache.cache_parameters())(called)
    made.__dict__.update(cache.__dict__)
    refill(made, cache)
    return made


def refill(made: Any, cache: Any) -> None:
    """Let such a cache hold what the first one holds by now, or what stands for it."""
    if not cache.cache_info().currsize:
        return
    made.cache_clear()
    table, own = table_of(cache), table_of(made)
    if table is not None and own is not None:
        own.update(table)  # with the hashes that are known
        return
    held = held_by(cache)
    standing = _STANDING.get(cache, {})
    results = [standing.get(i, result) for i, result in enumerate(held.results)]
    (call,) = (x for x in gc.get_referents(made) if type(x) is functools.partial)
    set_state = vars(functools.partial)["__setstate__"]
    _fill(
        made,
        zip(held.arguments, results, strict=True),
        lambda function: set_state(call, (function, (), {}, None)),
    )
    set_state(call, (cache.__wrapped__, (), {}, None))


def _fill(cache: Any, calls: Iterable[Any], assign: Callable[[Any], None]) -> None:
    """Call a cache for results that are known; `assign` says what it is to call."""
    for (arguments, by_name), result in calls:
        assign(lambda *_, _result=result, **__: _result)
        cache(*arguments, **by_name)


def _table(cache: Any, referents: list[Any]) -> dict[Any, Any] | None:
    size = cache.cache_info().currsize
    own = cache.__dict__
    dicts = [x for x in referents if type(x) is dict and x is not own and len(x) == size]
    return dicts[-1] if dicts else None  # results come before it


def _items(cache: Any) -> list[tuple[Any, Any]]:
    """The keys of a cache with a limit and its results; none where they cannot be told."""
    if not cache.cache_info().currsize:
        return []
    referents = gc.get_referents(cache)
    table = _table(cache, referents)
    if not table:
        return []
    link = type(next(iter(table.values())))
    # for each link its key, its result and its type are visited, before the dict is
    of_links = referents[: next(i for i, x in enumerate(referents) if x is table)]
    ends = [i for i, x in enumerate(of_links) if x is link and i >= 2]
    found = [(of_links[i - 2], of_links[i - 1]) for i in ends]
    return found if set(map(id, table)) == {id(key) for key, _ in found} else []


def _arguments(key: Any, marks: set[int], typed: bool) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a call was given of which a key was made."""
    items = key if type(key) is tuple else (key,)  # one number or text stands for itself
    at = next((i for i, x in enumerate(items) if id(x) in marks), None)
    if at is None:
        return items[: len(items) // 2 if typed else len(items)], {}
    pairs = (len(items) - 2 * at - 1) // 3 if typed else (len(items) - at - 1) // 2
    named = items[at + 1 : at + 1 + 2 * pairs]
    return items[:at], dict(zip(named[::2], named[1::2], strict=True))
