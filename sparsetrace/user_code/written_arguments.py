"""What a call of NumPy's may write into: its ``out``, or an argument that it changes in place.

Contract: reads instructions and signatures, and runs none of the user's code.  In doubt a call
writes.
"""

from __future__ import annotations

import dis
import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = [
    "ANY",
    "FILLING",
    "hands_keywords",
    "is_filling",
    "is_told_what_to_write",
    "keywords_at",
    "keywords_to_write",
    "method_keywords_to_write",
    "method_writes",
    "writes_by_position",
    "written_keyword",
]

FILLING: frozenset[Callable[..., Any]] = frozenset(
    (np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask)
)
"""Functions of NumPy's that write into their first argument, and into nothing else."""

ANY = "**"
"""Among names of keywords: any other."""
_IN_PLACE = ("overwrite_", "copy")
_METHODS_THAT_COPY = frozenset("array asarray asanyarray astype".split())
_WITHOUT_OUT = frozenset("pad where".split())
_IN_DOUBT = 2


def is_filling(function: object) -> bool:
    """Whether this is a function of NumPy's that writes into its first argument."""
    return any(function is one for one in FILLING)


def keywords_at(code: types.CodeType, steps: list[dis.Instruction], at: int) -> tuple[str, ...]:
    """The names of the arguments that a call gives by keyword."""
    for step in reversed(steps[max(0, at - 2) : at]):
        if step.opname == "KW_NAMES":  # of which Python 3.11 does not say the value
            return tuple(code.co_consts[step.arg or 0])
    if steps[at].opname == "CALL_KW":
        return tuple(steps[at - 1].argval)
    return ()


def written_keyword(name: str, keywords: tuple[str, ...]) -> str | None:
    """The keyword by which a function of NumPy's, or a method, is told what to write into."""
    for keyword in keywords:
        if keyword == "out":
            return keyword
        if keyword.startswith(_IN_PLACE) and name not in _METHODS_THAT_COPY:
            return keyword
    return None


def writes_by_position(function: Callable[..., Any], count: int) -> bool:
    """Whether so many positional arguments reach one that is written into, beside the first."""
    place = _place_of_out(function)
    return place is not None and count > place


@functools.cache
def keywords_to_write(function: Callable[..., Any]) -> frozenset[str]:
    """The keywords that tell a function of NumPy's what to write into; `ANY` in doubt.

    Examples
    --------
    >>> [sorted(keywords_to_write(f)) for f in (np.asarray, np.pad, np.mean, np.sin)]
    [[], [], ['out'], ['out']]
    """
    name = getattr(function, "__name__", "")
    if name in _METHODS_THAT_COPY or name in _WITHOUT_OUT:
        return frozenset()
    if isinstance(function, np.ufunc):
        return frozenset(("out",))
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return frozenset((ANY,))
    return frozenset(
        ANY if p.kind is p.VAR_KEYWORD else p.name
        for p in parameters
        if p.kind is p.VAR_KEYWORD or written_keyword(name, (p.name,)) is not None
    )


def is_told_what_to_write(handed_on: set[str], keywords: set[str]) -> bool:
    """Whether functions that are handed on keywords may be told so what to write into."""
    if not handed_on or not keywords:
        return False
    if ANY in keywords or not handed_on.isdisjoint(keywords):
        return True
    return ANY in handed_on and any(written_keyword("", (name,)) for name in keywords)


def method_keywords_to_write(name: str) -> frozenset[str]:
    """The same for a method of arrays, which may be one of something else."""
    function = getattr(np, name, None)
    return keywords_to_write(function) if callable(function) else frozenset()


def hands_keywords(steps: list[dis.Instruction], at: int) -> bool:
    """Whether a call is given a dictionary of keywords."""
    if steps[at].opname != "CALL_FUNCTION_EX":
        return False
    if sys.version_info >= (3, 14):  # it takes one always, or nothing in its place
        return steps[at - 1].opname != "PUSH_NULL"
    return bool((steps[at].arg or 0) & 1)


def method_writes(name: str, count: int) -> bool:
    """The same for a method of arrays, which may be one of something else."""
    function = getattr(np, name, None)
    return callable(function) and writes_by_position(function, count + 1)


@functools.cache
def _place_of_out(function: Any) -> int | None:
    if isinstance(function, np.ufunc):
        return function.nin
    name = getattr(function, "__name__", "")
    if isinstance(function, type) or name in _WITHOUT_OUT:
        return None
    if is_filling(function):
        return None
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return _IN_DOUBT
    places = [
        i
        for i, p in enumerate(parameters)
        if p.kind is not p.KEYWORD_ONLY and (p.name == "out" or p.name.startswith(_IN_PLACE))
    ]
    if name in _METHODS_THAT_COPY:
        return None
    return places[0] if places else None
