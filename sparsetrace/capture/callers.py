"""Who calls a wrapper: Python code that names it, or compiled code behind a Python call.

Contract: compiled code (Cython, C) that asks NumPy for an array goes on to use its
memory, so it must never be given a traced array.  It has no frame of its own; it is
told apart by the call that the innermost Python frame stands at: that call's function
must be the wrapper itself.  In doubt (``map(np.zeros, sizes)``) it is compiled code.
"""

from __future__ import annotations

import builtins
import dis
import functools
import types
from inspect import getattr_static
from typing import Any

__all__ = ["called_directly", "subscripted"]

_ABSENT = object()

Chain = tuple[tuple[str, Any], ...]
"""The instructions that load ``name.attribute.attribute``: operation and name."""

_KNOWN: dict[tuple[types.CodeType, int], Chain] = {}
_MOST_KNOWN = 4096


def called_directly(frame: types.FrameType) -> bool:
    """Whether the call at which `frame` stands is one of a wrapper by name."""
    site = frame.f_code, frame.f_lasti
    chain = _KNOWN.get(site)
    if chain is None:
        if len(_KNOWN) > _MOST_KNOWN:
            _KNOWN.clear()
        chain = _KNOWN[site] = _callee(frame)
    # looked up each time: one call may be of several functions in turn
    return _is_python_call(_evaluated(frame, chain))


def _is_python_call(callee: Any) -> bool:
    if isinstance(callee, functools.partial):
        callee = callee.func
    if type(callee) is types.FunctionType:
        return callee.__dict__.get("_captures") is True
    return getattr_static(callee, "_captures", False) is True


def _callee(frame: types.FrameType) -> Chain:
    instructions = list(dis.get_instructions(frame.f_code))
    # the frame may stand at an entry of the instruction's cache
    return callee_at(instructions, sum(step.offset <= frame.f_lasti for step in instructions) - 1)


def callee_at(instructions: list[dis.Instruction], at: int) -> Chain:
    """What loads the object that is called, found by its expression's place in the source."""
    if not instructions[at].opname.startswith("CALL"):
        return ()
    return _loaded(instructions, at)


def _loaded(instructions: list[dis.Instruction], at: int) -> Chain:
    """What loads the object that stands first in the expression of an instruction."""
    best: dis.Instruction | None = None
    start, end = _extent(instructions[at])
    for step in instructions[:at]:
        first, last = _extent(step)
        # the function's expression begins where the call does, and ends before it
        named = step.opname.startswith("LOAD") and step.opname != "LOAD_CONST"
        inside = named and first == start and last < end
        if inside and (best is None or last >= _extent(best)[1]):
            best = step
    if best is None:
        return ()
    chain = _chain(instructions[: instructions.index(best) + 1])
    return tuple((step.opname, step.argval) for step in chain)


def subscripted(frame: types.FrameType, offset: int) -> tuple[Any, str, str, Any]:
    """What is indexed at an instruction: its owner, how it is loaded, its name, and its value.

    The owner is the object of which it is an attribute, None for a variable; the value is
    None where the expression is neither.
    """
    instructions = list(dis.get_instructions(frame.f_code))
    at = sum(step.offset <= offset for step in instructions) - 1
    chain = _loaded(instructions, at)
    if not chain:
        return None, "", "", None
    value = _evaluated(frame, chain)
    owner = _evaluated(frame, chain[:-1]) if len(chain) > 1 else None
    return owner, chain[-1][0], chain[-1][1], value


def _chain(instructions: list[dis.Instruction]) -> list[dis.Instruction]:
    """The last instructions that together load ``name.attribute.attribute``."""
    chain: list[dis.Instruction] = []
    for step in reversed(instructions):
        if step.opname in ("PUSH_NULL", "NOP", "CACHE", "EXTENDED_ARG"):
            continue
        if not step.opname.startswith("LOAD"):
            break
        chain.insert(0, step)
        if step.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            break
    return chain


def _extent(step: dis.Instruction) -> tuple[tuple[int, int], tuple[int, int]]:
    place = step.positions
    if place is None or None in (place.lineno, place.end_lineno, place.col_offset):
        return (-1, -1), (-1, -1)
    return (
        (place.lineno or 0, place.col_offset or 0),
        (place.end_lineno or 0, place.end_col_offset or 0),
    )


def _evaluated(frame: types.FrameType, chain: Chain) -> Any:
    """The value of the chain, without running code of the user's; None if unknown."""
    value: Any = _ABSENT
    for operation, name in chain:
        if operation in ("LOAD_ATTR", "LOAD_METHOD"):
            if value is _ABSENT:
                return None
            look_up = getattr if isinstance(value, types.ModuleType) else getattr_static
            value = look_up(value, name, None)
        else:
            value = _variable(frame, operation, name)
    return None if value is _ABSENT else value


def _variable(frame: types.FrameType, operation: str, name: Any) -> Any:
    if not isinstance(name, str):
        return _ABSENT
    if operation == "LOAD_GLOBAL":
        scopes: tuple[Any, ...] = (frame.f_globals, vars(builtins))
    elif operation == "LOAD_NAME":
        scopes = (frame.f_locals, frame.f_globals, vars(builtins))
    else:
        scopes = (frame.f_locals,)
    return next((scope[name] for scope in scopes if name in scope), _ABSENT)
