"""Which ``for`` loops over ``range(...)`` make the same turn again and again, as far as code tells.

Contract: of such a loop the number is stored under a local name, and the turns do not read it.
Reads code objects and runs none of the user's code.
"""

from __future__ import annotations

import builtins
import inspect
import types
from typing import NamedTuple

from sparsetrace.user_code.bytecode import standing_at
from sparsetrace.user_code.handlers import code_map, instructions_of

__all__ = ["RangeLoop", "fed_by", "loops_in", "standing_in"]

_CALLED = (("LOAD_GLOBAL", "range"),)
_LATER = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Functions that give something away between two turns."""


class RangeLoop(NamedTuple):
    """One such loop.

    Attributes
    ----------
    call : int
        Which instruction calls ``range``.
    first, last : int
        The offsets of the first instruction of its turns, and of the first one behind them.
    number : str
        The name of the number.
    """

    call: int
    first: int
    last: int
    number: str


def loops_in(code: types.CodeType) -> list[RangeLoop]:
    """The loops of a function's own code.

    Examples
    --------
    >>> def powers(x, n):
    ...     for _ in range(n):
    ...         x = x * x
    ...     for i in range(n):
    ...         x = x + i
    ...     return x
    >>> [loop.number for loop in loops_in(powers.__code__)]
    ['_']
    """
    if "range" not in code.co_names or code.co_flags & _LATER:
        return []
    known = _KNOWN.get(id(code))  # code objects are slow to compare
    if known is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[id(code)] = code, _found(code)
    return known[1]


_KNOWN: dict[int, tuple[types.CodeType, list[RangeLoop]]] = {}
_MOST_KNOWN = 1024


def _found(code: types.CodeType) -> list[RangeLoop]:
    steps = instructions_of(code)
    found = []
    for at in range(2, len(steps) - 1):
        begins, number = steps[at], steps[at + 1]
        if (
            begins.opname == "FOR_ITER"
            and steps[at - 1].opname == "GET_ITER"
            and number.opname == "STORE_FAST"
            and code_map(code).callee(at - 2) == _CALLED
        ):
            first, last, name = number.offset, begins.argval, number.argval
            inside = [step for step in steps if first < step.offset < last]
            if all(step.argval != name for step in inside):
                found.append(RangeLoop(at - 2, first, last, name))
    return found


def standing_in(frame: types.FrameType) -> RangeLoop | None:
    """The innermost loop whose turn a frame is in, over what the name ``range`` stands for."""
    code, scope = frame.f_code, frame.f_globals
    if "range" not in code.co_names or scope.get("range", range) is not range:
        return None
    if frame.f_builtins.get("range") is not builtins.range:
        return None
    around = [loop for loop in loops_in(code) if loop.first <= frame.f_lasti < loop.last]
    return max(around, default=None)


def fed_by(frame: types.FrameType) -> RangeLoop | None:
    """The loop that goes over the result of the call at which a frame stands."""
    loops = loops_in(frame.f_code)
    if not loops:
        return None
    call = standing_at(instructions_of(frame.f_code), frame.f_lasti)
    return next((loop for loop in loops if loop.call == call), None)
