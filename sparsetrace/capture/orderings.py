"""Stand-ins for ``max``, ``min`` and ``sorted`` in traced modules.

Contract: each does exactly what the builtin does, except on traced numbers, for which it takes the
ufunc, and needs no branch.  By a key, the place of the least item is a path of its own for each;
of many items that are numbers each may stand anywhere.
"""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.arrays.value_bounds import FEW_VALUES
from sparsetrace.capture.session import SESSION
from sparsetrace.context import CURRENT
from sparsetrace.numbers.python_numbers import stands_for_python
from sparsetrace.numbers.scalar import as_python
from sparsetrace.numbers.undecided_types import is_undecided, undecided
from sparsetrace.operands.operands import is_traced

__all__ = ["ORDERINGS"]


def _numbers(items: list[Any]) -> bool:
    """Whether the items are numbers, one of them traced."""
    return any(map(is_traced, items)) and not any(np.ndim(item) for item in items)


def _asks_types(items: list[Any]) -> bool:
    """Whether the function may ask which type the greatest has, and the types differ."""
    if len({item.__class__ for item in items}) == 1 and not any(map(is_undecided, items)):
        return False
    session, trace = SESSION.get(), CURRENT.get()
    if session is None or trace is None or trace.local:
        return False
    return session.asks_types()


_FEW = 4
"""So many items are put in order by branches, which know where the parts of each item stand."""


def _stacked(keys: list[Any]) -> Any:
    """What items are compared by, as an array; None if these are no numbers of the trace."""
    return np.stack([np.reshape(k, ()) for k in keys]) if _numbers(keys) else None


def _known(keys: list[Any]) -> Callable[[object], Any]:
    """A key function that gives what the items' own gave, which is not called again."""
    each = iter(keys)
    return lambda item: next(each)


def _places_in(items: list[Any], places: Any) -> list[Any] | None:
    """The items at places that the inputs decide; None if they cannot be united.

    Parameters
    ----------
    items : list
        Numbers, or tuples of as many numbers.
    places : array of whole numbers
    """
    if all(type(item) is int for item in items) and items == list(range(len(items))):
        return list(places.tolist())
    if all(type(item) is tuple for item in items) and len(set(map(len, items))) == 1:
        columns = [_places_in(list(column), places) for column in zip(*items, strict=True)]
        known = [column for column in columns if column is not None]
        return list(zip(*known, strict=True)) if len(known) == len(columns) else None
    if not all(isinstance(item, float) or is_traced(item) for item in items):
        return None
    if not _numbers(items):
        return None
    chosen = np.stack([np.reshape(item, ()) for item in items])[places]
    return chosen.tolist() if all(map(stands_for_python, items)) else list(chosen)


def _extreme(builtin: Callable[..., Any], ufunc: np.ufunc) -> Callable[..., Any]:
    find = np.argmax if ufunc is np.maximum else np.argmin

    @functools.wraps(builtin)
    def extreme(*args: Any, **options: Any) -> Any:
        items = list(args[0]) if len(args) == 1 else list(args)
        key = options.get("key")
        if key is None and items and _numbers(items):
            result = functools.reduce(ufunc, items)
            if all(map(stands_for_python, items)):
                result = as_python(result)
            return undecided(result, lambda: builtin(items)) if _asks_types(items) else result
        if key is not None and len(items) > 2:
            keys = list(map(key, items))
            stacked = _stacked(keys)
            if stacked is not None:
                place = find(stacked)
                many = len(items) > FEW_VALUES
                chosen = _places_in(items, np.reshape(place, (1,))) if many else None
                return items[operator.index(place)] if chosen is None else chosen[0]
            return builtin(items, key=_known(keys))
        return builtin(items, **options) if len(args) == 1 else builtin(*args, **options)

    return extreme


@functools.wraps(builtins.sorted)
def _sorted(iterable: Any, /, *, key: Any = None, reverse: bool = False) -> list[Any]:
    items = list(iterable)
    if key is None and _numbers(items):
        stacked = np.sort(np.stack([np.reshape(item, ()) for item in items]))
        ordered = stacked.tolist() if all(map(stands_for_python, items)) else list(stacked)
        if _asks_types(items):

            def at(place: int) -> Callable[[], Any]:
                return lambda: builtins.sorted(items)[place]

            ordered = [undecided(number, at(i)) for i, number in enumerate(ordered)]
        return ordered[::-1] if reverse else ordered
    if key is not None and len(items) > _FEW:
        keys = list(map(key, items))
        by = _stacked(keys)
        chosen = None if by is None else _places_in(items, np.argsort(by, kind="stable"))
        if chosen is not None:
            return chosen[::-1] if reverse else chosen
        key = _known(keys)
    return builtins.sorted(items, key=key, reverse=reverse)


ORDERINGS: dict[str, Callable[..., Any]] = {
    "max": _extreme(builtins.max, np.maximum),
    "min": _extreme(builtins.min, np.minimum),
    "sorted": _sorted,
}
"""Builtins that would branch once per element."""
