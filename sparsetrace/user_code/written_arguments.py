"""What a call of NumPy's may write into: its ``out``, or an argument that it changes in place.

Contract: reads instructions and signatures, and runs none of the user's code.  In doubt a call
writes.
"""

from __future__ import annotations

import dis
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = [
    "FILLING",
    "is_filling",
    "keywords_at",
    "method_writes",
    "writes_by_position",
    "written_keyword",
]

FILLING: frozenset[Callable[..., Any]] = frozenset(
    (np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask)
)
"""Functions of NumPy's that write into their first argument, and into nothing else."""

_IN_PLACE = ("overwrite_", "copy")
_METHODS_THAT_COPY = frozenset("array asarray asanyarray astype".split())
_WITHOUT_OUT = frozenset("where".split())
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
