"""Whether a number is asked for its value as the end of a ``range``, and where that begins.

Contract: in doubt nothing is known.  Nothing of the user's runs here.
"""

from __future__ import annotations

import builtins
import dis
import types

from sparsetrace.user_code.handlers import code_map

__all__ = ["range_start"]

_LOCAL = frozenset(("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_DEREF"))
_GLOBAL = frozenset(("LOAD_GLOBAL", "LOAD_NAME"))
_CONSTANT = frozenset(("LOAD_CONST", "LOAD_SMALL_INT"))
_NOTHING = frozenset(("PRECALL", "CACHE"))
_BESIDE = "PUSH_NULL"
"""Stands beside what loads a function: after it since Python 3.13, before it until then."""


def range_start(frame: types.FrameType) -> int | None:
    """Where a range of one or two ends begins whose last end the frame is about to ask for.

    Examples
    --------
    >>> import sys
    >>> class End:
    ...     def __index__(self):
    ...         starts.append(range_start(sys._getframe(1)))
    ...         return 3
    >>> starts, first = [], 2
    >>> for k in [*range(End()), *range(1, End()), *range(first + 1, End()), *range(0, End(), 2)]:
    ...     pass
    >>> starts
    [0, 1, None, None]
    """
    known = code_map(frame.f_code)
    at = known.places.get(frame.f_lasti)
    if at is not None and known.instructions[at].opname == "PRECALL":  # some calls stand there
        at += 1
    if at is None or known.instructions[at].opname != "CALL":
        return None
    steps, count = known.instructions, known.instructions[at].arg
    if count not in (1, 2):
        return None
    called = _called(steps, at, count)
    if called is None or not _is_range(frame, steps[called]):
        return None
    if count == 1:
        return 0
    begin = called + 1 + (steps[called + 1].opname == _BESIDE)
    first, *others = [step for step in steps[begin:at] if step.opname not in _NOTHING]
    second = others[0]
    if dis.stack_effect(second.opcode, second.arg, jump=False) != 1 or _depth_falls(others):
        return None  # what it begins with is computed
    if first.opname in _CONSTANT:
        start = first.argval
    else:
        start = frame.f_locals.get(first.argval) if first.opname in _LOCAL else None
    return start if type(start) is int else None


def _called(steps: list[dis.Instruction], at: int, count: int) -> int | None:
    """The place of the instruction that loads what is called, without names of arguments."""
    depth = 0
    for place in range(at - 1, -1, -1):
        step = steps[place]
        if step.opname in _NOTHING or (depth == count and step.opname == _BESIDE):
            continue
        if "JUMP" in step.opname or step.opname == "KW_NAMES":
            return None
        if depth == count and step.opname in _GLOBAL:
            return place
        depth += dis.stack_effect(step.opcode, step.arg, jump=False)
    return None


def _depth_falls(steps: list[dis.Instruction]) -> bool:
    """Whether instructions take from the stack what was there before them."""
    depth = 0
    for step in steps:
        if step.opname in _NOTHING:
            continue
        depth += dis.stack_effect(step.opcode, step.arg, jump=False)
        if depth <= 0:
            return True
    return False


def _is_range(frame: types.FrameType, step: dis.Instruction) -> bool:
    value = frame.f_globals.get(step.argval, vars(builtins).get(step.argval))
    return value is range and step.argval not in frame.f_locals
