"""Functions with a cache of which a result found there is the one that a call would give.

Contract: paths of a call that are run one after the other fill one cache.  A result of one path
serves another one only if it follows from the arguments and from what no path changes; in doubt it
does not.  Nothing of the user's runs here.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from sparsetrace.user_code.bytecode import chain_ending_at
from sparsetrace.user_code.held_values import UNKNOWN, HeldValues, is_unchanging
from sparsetrace.user_code.value_kinds import cells_of

__all__ = ["cached_function"]

_TABLES = (list, dict, tuple, np.ndarray)
_RESUMED = 0x20 | 0x80 | 0x200
"""Generators and coroutines."""
_OF_ITERATORS = frozenset("enumerate filter iter itertools map reversed zip".split())


def cached_function(cache: Any, *, reads_tables: bool) -> types.FunctionType | None:
    """The function of a cache, if its results follow from its arguments; None in doubt.

    Parameters
    ----------
    cache : object
        What `functools.lru_cache` makes.
    reads_tables : bool
        Whether containers that have names may be read: no path writes into them.

    Examples
    --------
    >>> @functools.cache
    ... def half(n):
    ...     return n / 2
    >>> cached_function(half, reads_tables=False).__name__
    'half'
    >>> state = []
    >>> cached_function(functools.cache(lambda: len(state)), reads_tables=False) is None
    True
    """
    function = getattr(cache, "__wrapped__", None)
    if not isinstance(function, types.FunctionType):
        return None
    return function if _keeps_to_arguments(function, reads_tables, set()) else None


def _keeps_to_arguments(function: types.FunctionType, tables: bool, seen: set[int]) -> bool:
    """Whether a function reads its arguments alone, and what stays as it is."""
    if id(function) in seen:
        return True
    seen.add(id(function))
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    cells = dict(cells_of(function))
    code = function.__code__
    # what is not filled yet, or bound anew by another function, may hold anything
    return (
        set(cells) == set(code.co_freevars)
        and all(_stays(value, tables, seen) for value in (*cells.values(), *defaults))
        and _reads_what_stays(code, function.__globals__, cells, tables, seen)
    )


def _reads_what_stays(
    code: types.CodeType,
    scope: dict[str, Any],
    cells: dict[str, Any],
    tables: bool,
    seen: set[int],
) -> bool:
    inner = [x for x in code.co_consts if isinstance(x, types.CodeType)]
    if code.co_flags & _RESUMED or not _OF_ITERATORS.isdisjoint(code.co_names):
        return code.co_name == "<genexpr>" and _OF_ITERATORS.isdisjoint(code.co_names)
    held = HeldValues(code, scope, cells, {})
    for at, step in enumerate(held.steps):
        if step.opname == "LOAD_GLOBAL":
            value = held.value((("LOAD_GLOBAL", step.argval),))
            if not (isinstance(value, types.ModuleType) or _stays(value, tables, seen)):
                return False
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            chain, _ = chain_ending_at(held.steps, at)
            value = held.value(chain)
            if value is UNKNOWN or not _stays(value, tables, seen):
                return False
        elif step.opname == "LOAD_NAME":
            return False
    return all(_reads_what_stays(one, scope, {}, tables, seen) for one in inner)


def _stays(value: Any, tables: bool, seen: set[int]) -> bool:
    """Whether what is read of a value is the same on all paths."""
    if isinstance(value, types.FunctionType):
        is_library = str(value.__globals__.get("__name__", "")).startswith(_LIBRARIES)
        return is_library or _keeps_to_arguments(value, tables, seen)
    if isinstance(value, functools._lru_cache_wrapper):
        own = getattr(value, "__wrapped__", None)
        return isinstance(own, types.FunctionType) and _keeps_to_arguments(own, tables, seen)
    if isinstance(value, (types.BuiltinFunctionType, np.ufunc)):
        return isinstance(getattr(value, "__self__", None), (types.ModuleType, type(None)))
    if isinstance(value, type):
        return value.__module__ in ("builtins", "numpy")
    if type(value) in _TABLES and not is_unchanging(value):
        return tables and _holds_plain(value)
    if hasattr(type(value), "_is_traced"):
        return False
    return is_unchanging(value) or (callable(value) and type(value) is type(np.sum))


_LIBRARIES = ("numpy", "scipy.special", "sparsetrace.")


def _holds_plain(table: Any, deep: int = 3) -> bool:
    """Whether a table holds numbers, text and such tables alone."""
    if isinstance(table, np.ndarray):
        return bool(table.dtype.kind != "O")
    items = table.values() if isinstance(table, dict) else table
    return all(
        is_unchanging(x) or (deep > 0 and type(x) in _TABLES and _holds_plain(x, deep - 1))
        for x in items
    )
