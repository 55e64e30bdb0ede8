"""What code compares by identity: the names of types with other things, and objects.

Contract: the name ``float``, ``int`` or ``complex`` may be exchanged in a module unless its code
asks ``t is float`` of a `t` that is not, by its own instructions, the result of ``type``: the
stand-in for ``type`` gives whichever ``float`` the module has, anything else may not.
"""

from __future__ import annotations

import dis
import functools
import types
from contextlib import suppress
from typing import Any

import numpy as np

from sparsetrace.user_code.bytecode import callee_at, chain_ending_at
from sparsetrace.user_code.handlers import instructions_of, named

__all__ = ["compared", "tells_objects_apart", "with_calls_of"]

_EXCHANGED = (float, int, complex)
_BY_IDENTITY = frozenset("id is_ is_not".split())
_VALUES = (bool, int, float, complex, tuple, list, dict, np.generic, np.ndarray)
_MOST_KNOWN = 4096
_KNOWN: dict[tuple[int, str, bool], tuple[types.CodeType, bool]] = {}


def compared(scope: dict[str, Any], name: str, *, exchanged: bool) -> str | None:
    """The function of a module that compares a name with what is no result of ``type``.

    Where the name is to be exchanged in this module, also one that compares a result of
    ``type`` with what may be the real one, bound earlier.
    """
    todo = list(scope.values())
    seen: set[int] = set()
    while todo:
        item = todo.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, type):
            todo += [value for value in vars(item).values() if not _is_of_frozen(value)]
        elif isinstance(item, (staticmethod, classmethod)):
            todo.append(item.__func__)
        elif isinstance(item, property):
            todo += (item.fget, item.fset)
        elif isinstance(item, types.FunctionType):
            if item.__globals__ is scope and _compares(item.__code__, name, scope, exchanged):
                return item.__qualname__
            todo += _held_by(item)
        elif isinstance(item, functools._lru_cache_wrapper):
            todo.append(item.__wrapped__)
    return None


def with_calls_of(code: types.CodeType, name: str, new_name: str) -> types.CodeType | None:
    """The code of a function of a module with calls of a global under a new name.

    None where it does more with the global than to call it, or has code of its own in it.

    Examples
    --------
    >>> def half(v):
    ...     return float(v) / 2
    >>> code = with_calls_of(half.__code__, "float", "complex")
    >>> code.co_names
    ('complex',)
    """
    nested = any(isinstance(constant, types.CodeType) for constant in code.co_consts)
    if name not in code.co_names or nested or "<locals>" in code.co_qualname:
        return None
    steps = instructions_of(code)
    calls = [callee_at(steps, at) for at in range(len(steps))]
    called = sum(chain == (("LOAD_GLOBAL", name),) for chain in calls)
    named = [step.opname for step in steps if step.argval == name and step.opcode in dis.hasname]
    if not called or named != ["LOAD_GLOBAL"] * called:
        return None
    return code.replace(co_names=tuple(new_name if n == name else n for n in code.co_names))


def tells_objects_apart(code: types.CodeType, scope: dict[str, Any]) -> bool:
    """Whether code may tell a number, an array or a tuple from an equal one, by identity.

    Examples
    --------
    >>> def chosen(v, limit):
    ...     return limit is None or v is limit
    >>> def given(v, limit):
    ...     return limit is not None and type(v) is float
    >>> [tells_objects_apart(f.__code__, globals()) for f in (chosen, given)]
    [True, False]
    """
    if not _BY_IDENTITY.isdisjoint(code.co_names):
        return True
    steps = instructions_of(code)
    return any(
        step.opname == "IS_OP" and not _is_of_no_value(steps, at, scope)
        for at, step in enumerate(steps)
    )


def _is_of_no_value(steps: list[dis.Instruction], at: int, scope: dict[str, Any]) -> bool:
    """Whether one side of a comparison is certainly none of the values of a computation."""
    before = steps[at - 1]
    if before.opname == "LOAD_CONST" or before.argval == "__class__":
        return True
    if _is_type_of(steps, at - 1) or _begins_with_type(steps, at):
        return True
    chain, _ = chain_ending_at(steps, at - 1)
    if not chain or chain[0][0] != "LOAD_GLOBAL":
        return False
    value = named(chain, scope)
    return value is not None and not isinstance(value, _VALUES)


def _is_of_frozen(value: Any) -> bool:
    """Whether a method is one that a frozen dataclass has from Python: ``type(self) is cls``."""
    code = getattr(value, "__code__", None)
    return code is not None and "FrozenInstanceError" in code.co_freevars


def _held_by(function: types.FunctionType) -> list[Any]:
    """What a function has in its closure: the one that it decorates."""
    result = [function.__dict__.get("__wrapped__")]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # not filled yet
            result.append(cell.cell_contents)
    return result


def _compares(code: types.CodeType, name: str, scope: dict[str, Any], exchanged: bool) -> bool:
    key = id(code), name, exchanged  # code objects are slow to compare
    known = _KNOWN.get(key)
    if known is None or known[0] is not code:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        steps = instructions_of(code)
        result = name in code.co_names and _compares_name(steps, name)
        if exchanged and "type" in code.co_names:
            result = result or _compares_types(steps, scope)
        nested = (c for c in code.co_consts if isinstance(c, types.CodeType))
        result = result or any(_compares(c, name, scope, exchanged) for c in nested)
        known = _KNOWN[key] = code, result
    return known[1]


def _compares_name(steps: list[dis.Instruction], name: str) -> bool:
    """Whether the name is compared with what is no result of ``type``."""
    for at, step in enumerate(steps):
        if step.opname != "IS_OP":
            continue
        if _loads(steps[at - 1], name):
            if not _is_type_of(steps, at - 2):
                return True
        elif _begins_with(steps, at, name):
            return True
    return False


def _compares_types(steps: list[dis.Instruction], scope: dict[str, Any]) -> bool:
    """Whether a result of ``type`` is compared with what nothing is known of."""
    for at, step in enumerate(steps):
        if step.opname != "IS_OP":
            continue
        if _begins_with_type(steps, at):
            if not (_is_type_of(steps, at - 1) or _is_class_known(steps, at - 1, scope)):
                return True
        elif _is_type_of(steps, at - 1):
            return True
    return False


def _begins_with_type(steps: list[dis.Instruction], at: int) -> bool:
    """Whether the left operand of the comparison is a result of ``type``."""
    start = _start(steps[at])
    return any(_start(steps[i]) == start and _is_type_of(steps, i) for i in range(at))


def _is_class_known(steps: list[dis.Instruction], at: int, scope: dict[str, Any]) -> bool:
    """Whether what is compared with a type is certainly none that is exchanged, bound early.

    One in a table, an attribute or an argument may be.
    """
    step = steps[at]
    if step.opname == "LOAD_CONST":
        return True
    if step.opname.startswith(("LOAD_FAST", "LOAD_DEREF")):
        stores = [
            i
            for i, s in enumerate(steps)
            if s.opname.startswith(("STORE_FAST", "STORE_DEREF")) and s.argval == step.argval
        ]
        return bool(stores) and all(steps[i - 1].opname.startswith("CALL") for i in stores)
    chain, _ = chain_ending_at(steps, at)
    result = named(chain, scope)
    # a name of the module for such a type is exchanged with it
    return isinstance(result, type) and (result not in _EXCHANGED or len(chain) == 1)


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
