"""Whether functions of the user's may keep the numbers that other code hands to them.

Contract: in doubt they may.  What SciPy, NumPy or a rule has made of functions keeps nothing, but
for these.  Nothing of the user's runs here.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sparsetrace.context import CURRENT
from sparsetrace.user_code.effects import has_effects
from sparsetrace.user_code.reach import reached

__all__ = ["may_hand_out", "may_keep", "some_keep"]

_MAKERS = ("sparsetrace.scipy_rules", "scipy.", "numpy")


def may_keep(function: Callable[..., Any]) -> bool:
    """Whether a function may keep what it is given.

    Examples
    --------
    >>> import math
    >>> seen = []
    >>> may_keep(math.sin), may_keep(seen.append)
    (False, True)
    """
    trace = CURRENT.get()
    by_names = dict if trace is None else trace.functions
    is_heard = not isinstance(sys.stdout, io.StringIO)
    return any(has_effects(f, may_speak=is_heard, reached=by_names) for f in _users(function))


def may_hand_out(function: Callable[..., Any]) -> bool:
    """Whether a function may keep what it is given, or take it along in an error."""
    return may_keep(function) or reached([function]).raises()


def _users(function: Any, seen: frozenset[int] = frozenset()) -> Iterator[Any]:
    """The functions in one that a rule, or SciPy, has made of them; else itself."""
    known = id(getattr(function, "__func__", function))
    if known in seen:
        return
    owner = getattr(function, "__self__", None)
    is_made = _is_made(function) and (owner is None or _is_made(type(owner)))
    owner = function if owner is None else owner
    if not is_made:
        yield function
        return
    cells = (cell.cell_contents for cell in getattr(function, "__closure__", None) or ())
    named = {**(getattr(function, "__kwdefaults__", None) or {}), **getattr(owner, "__dict__", {})}
    for held in (*cells, *(getattr(function, "__defaults__", None) or ()), *named.values()):
        if callable(held):
            yield from _users(held, seen | {known})


def _is_made(x: Any) -> bool:
    module = getattr(x, "__module__", None) or getattr(x, "__globals__", {}).get("__name__")
    return str(module).startswith(_MAKERS)


def some_keep(values: Iterable[Any]) -> bool:
    """Whether functions among some arguments may keep what they are given.

    Examples
    --------
    >>> some_keep([1.0, len, [].append]), some_keep([1.0, len, float])
    (True, False)
    """
    functions = (x for x in values if callable(x) and not isinstance(x, type))
    return any(may_keep(x) for x in functions if not _is_made(type(x)))
