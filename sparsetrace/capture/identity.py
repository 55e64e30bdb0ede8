"""Whether code compares a name by identity with more than what ``type(v)`` gave.

Contract: the name ``float`` may be exchanged in a module unless its code asks ``t is
float`` of a `t` that is not, by its own instructions, the result of ``type``: the
stand-in for ``type`` gives whichever ``float`` the module has, anything else may not.
"""

from __future__ import annotations

import dis
import functools
import types
from contextlib import suppress
from typing import Any

from sparsetrace.bytecode import callee_at

__all__ = ["compared"]

_MOST_KNOWN = 4096
_KNOWN: dict[tuple[types.CodeType, str], bool] = {}


def compared(scope: dict[str, Any], name: str) -> str | None:
    """The function of a module that compares a name with what is no result of ``type``."""
    todo = list(scope.values())
    seen: set[int] = set()
    while todo:
        item = todo.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, type):
            todo += vars(item).values()
        elif isinstance(item, (staticmethod, classmethod)):
            todo.append(item.__func__)
        elif isinstance(item, property):
            todo += (item.fget, item.fset)
        elif isinstance(item, types.FunctionType):
            if item.__globals__ is scope and _compares(item.__code__, name):
                return item.__qualname__
            todo += _held_by(item)
        elif isinstance(item, functools._lru_cache_wrapper):
            todo.append(item.__wrapped__)
    return None


def _held_by(function: types.FunctionType) -> list[Any]:
    """What a function has in its closure: the one that it decorates."""
    found = [function.__dict__.get("__wrapped__")]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # not filled yet
            found.append(cell.cell_contents)
    return found


def _compares(code: types.CodeType, name: str) -> bool:
    known = _KNOWN.get((code, name))
    if known is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        known = name in code.co_names and _compares_here(list(dis.get_instructions(code)), name)
        nested = (c for c in code.co_consts if isinstance(c, types.CodeType))
        known = known or any(_compares(c, name) for c in nested)
        _KNOWN[code, name] = known
    return known


def _compares_here(steps: list[dis.Instruction], name: str) -> bool:
    for at, step in enumerate(steps):
        if step.opname != "IS_OP":
            continue
        if _loads(steps[at - 1], name):
            if not _is_type_of(steps, at - 2):
                return True
        elif _begins_with(steps, at, name):
            return True
    return False


def _loads(step: dis.Instruction, name: str) -> bool:
    return step.opname.startswith("LOAD") and step.argval == name


def _is_type_of(steps: list[dis.Instruction], at: int) -> bool:
    """Whether what these instructions leave is ``type(v)``, or a local variable that holds it."""
    if at < 1:
        return False
    step = steps[at]
    if step.opname.startswith("CALL"):
        return tuple(name for _, name in callee_at(steps, at)) == ("type",)
    if step.opname.startswith("LOAD_FAST"):
        stores = [
            i
            for i, s in enumerate(steps)
            if s.opname.startswith("STORE_FAST") and s.argval == step.argval
        ]
        return bool(stores) and all(
            steps[i - 1].opname.startswith("CALL") and _is_type_of(steps, i - 1) for i in stores
        )
    return False


def _begins_with(steps: list[dis.Instruction], at: int, name: str) -> bool:
    """Whether the left operand of the comparison is the name itself."""
    start = _start(steps[at])
    for i in range(at - 1, -1, -1):
        if _start(steps[i]) != start:
            continue
        if steps[i].opname.startswith(("CALL", "LOAD_ATTR", "LOAD_METHOD", "PRECALL", "BINARY")):
            return False  # the name is only the beginning of it
        if _loads(steps[i], name):
            return True
    return False


def _start(step: dis.Instruction) -> tuple[int | None, int | None]:
    place = step.positions
    return (None, None) if place is None else (place.lineno, place.col_offset)
