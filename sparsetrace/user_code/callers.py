"""Who calls a wrapper: Python code that names it, or compiled code behind a Python call.

Contract: compiled code (Cython, C) that asks NumPy for an array goes on to use its
memory, so it must never be given a traced array.  It has no frame of its own; it is
told apart by the call that the innermost Python frame stands at: that call's function
must be the wrapper itself, or ``map`` of it, ``a, b = map(np.array, [u, v])``.  In doubt
(``max(map(np.zeros, sizes))``) it is compiled code.  An object that hands out NumPy's
functions by a ``__getattr__`` of its own is taken to do so by their names.
"""

from __future__ import annotations

import builtins
import functools
import types
from inspect import getattr_static
from typing import Any

import numpy as np

from sparsetrace.user_code.bytecode import (
    COLLECTING,
    Chain,
    callee_at,
    callee_of,
    chain_ending_at,
    ends_alike,
    instructions,
    loaded_first,
    loads_first,
    mapped_at,
    standing_at,
)
from sparsetrace.user_code.object_kinds import CACHES
from sparsetrace.user_code.read_code import is_foreign

__all__ = [
    "called",
    "called_at",
    "called_by_text",
    "called_directly",
    "calls_cache",
    "drops_hash",
    "drops_result",
    "looked_up_in",
    "subscripted",
]

_ABSENT = object()

_KNOWN: dict[tuple[types.CodeType, int], Chain] = {}
_MOST_KNOWN = 4096


def called_directly(frame: types.FrameType) -> bool:
    """Whether the call at which `frame` stands is one of a wrapper by name."""
    return _is_python_call(called(frame))


def called_by_text(frame: types.FrameType) -> bool:
    """Whether the call at which `frame` stands is one of what ``getattr`` has found there."""
    return called(frame) is getattr


def called(frame: types.FrameType) -> Any:
    """What a frame calls where it stands, as far as names and attributes tell; else None."""
    site = frame.f_code, frame.f_lasti
    chain = _KNOWN.get(site)
    if chain is None:
        if len(_KNOWN) > _MOST_KNOWN:
            _KNOWN.clear()
        chain = _KNOWN[site] = _callee(frame)
    # looked up each time: one call may be of several functions in turn
    return _evaluated(frame, chain)


def called_at(frame: types.FrameType, offset: int) -> Any:
    """The same of a frame that stood at another instruction: where an error came from."""
    return _evaluated(frame, _callee(frame, offset))


def calls_cache(frame: types.FrameType) -> bool:
    """Whether a frame calls a function of the user's with a cache: ``functools.cache``."""
    callee = called(frame)
    function = getattr_static(callee, "__wrapped__", None)
    return isinstance(callee, CACHES) and not is_foreign(getattr(function, "__module__", None))


def drops_hash(frame: types.FrameType) -> bool:
    """Whether a frame asks for a hash to see whether there is one: ``hash(v)`` alone in a line."""
    return called(frame) is hash and drops_result(frame)


def drops_result(frame: types.FrameType) -> bool:
    """Whether a frame stands at a call of which nobody asks the result."""
    steps = instructions(frame.f_code)
    at = standing_at(steps, frame.f_lasti)
    after = [step.opname for step in steps[at + 1 :] if step.opname != "CACHE"]
    return steps[at].opname.startswith("CALL") and after[:1] == ["POP_TOP"]


def looked_up_in(frame: types.FrameType) -> Any:
    """The set or dict in which code looks an object up where it stands: ``v in s``, ``d.get(v)``.

    None where that is not known, or where it may be changed.
    """
    steps = instructions(frame.f_code)
    at = standing_at(steps, frame.f_lasti)
    name = steps[at].opname
    container: Any = None
    if name == "CONTAINS_OP":
        last = steps[at - 1]
        if not ends_alike(last, steps[at]):  # ``v in (a if c else b)``
            return None
        is_constant = last.opname == "LOAD_CONST"
        chain = chain_ending_at(steps, at - 1)[0]
        container = last.argval if is_constant else _evaluated(frame, chain)
    elif name == "BINARY_SUBSCR":
        container = subscripted(frame, frame.f_lasti)[3]
    elif name.startswith(("CALL", "PRECALL")):
        chain = _callee(frame)
        if not any(loads_first(step, steps[at], chain) for step in steps[:at]):
            return None  # ``(a if c else b).get(v)``
        if len(chain) > 1 and chain[-1][1] == "get":
            container = _evaluated(frame, chain[:-1])
        else:
            method = _evaluated(frame, chain)
            is_get = isinstance(method, types.BuiltinMethodType) and method.__name__ == "get"
            container = method.__self__ if is_get else None
    return container if type(container) in _LOOKED_UP else None


_LOOKED_UP = frozenset((set, frozenset, dict))


def _is_python_call(callee: Any) -> bool:
    if isinstance(callee, functools.partial):
        callee = callee.func
    if type(callee) is types.FunctionType:
        return callee.__dict__.get("_captures") is True
    return getattr_static(callee, "_captures", False) is True


def _callee(frame: types.FrameType, offset: int | None = None) -> Chain:
    offset = frame.f_lasti if offset is None else offset
    known = callee_of(frame.f_code, offset)
    if known is not None and known not in COLLECTING:
        return known
    steps = instructions(frame.f_code)
    at = standing_at(steps, offset)
    if _variable(frame, "LOAD_GLOBAL", "map") is map:
        return mapped_at(steps, at) or callee_at(steps, at)
    return callee_at(steps, at)


def subscripted(frame: types.FrameType, offset: int) -> tuple[Any, str, str, Any]:
    """What is indexed at an instruction: its owner, how it is loaded, its name, and its value.

    The owner is the object of which it is an attribute, None for a variable; the value is
    None where the expression is neither.
    """
    steps = instructions(frame.f_code)
    at = sum(step.offset <= offset for step in steps) - 1
    chain = loaded_first(steps, at)
    if not chain:
        return None, "", "", None
    value = _evaluated(frame, chain)
    owner = _evaluated(frame, chain[:-1]) if len(chain) > 1 else None
    return owner, chain[-1][0], chain[-1][1], value


def _evaluated(frame: types.FrameType, chain: Chain) -> Any:
    """The value of the chain, without running code of the user's; None if unknown."""
    value: Any = _ABSENT
    for operation, name in chain:
        if operation in ("LOAD_ATTR", "LOAD_METHOD"):
            if value is _ABSENT:
                return None
            look_up = getattr if isinstance(value, types.ModuleType) else getattr_static
            owner, value = value, look_up(value, name, _ABSENT)
            if value is _ABSENT:
                value = _handed_out(owner, name)
        else:
            value = _variable(frame, operation, name)
    return None if value is _ABSENT else value


def _handed_out(owner: object, name: str) -> Any:
    """NumPy's function of a name that an object finds by Python code of its own; else None."""
    by_code = getattr_static(type(owner), "__getattr__", None)
    return getattr(np, name, None) if isinstance(by_code, types.FunctionType) else None


def _variable(frame: types.FrameType, operation: str, name: Any) -> Any:
    if not isinstance(name, str):
        return _ABSENT
    if operation == "LOAD_GLOBAL":
        value = frame.f_globals.get(name, _ABSENT)
        return vars(builtins).get(name, _ABSENT) if value is _ABSENT else value
    if operation == "LOAD_NAME":
        scopes: tuple[Any, ...] = (frame.f_locals, frame.f_globals, vars(builtins))
    else:
        scopes = (frame.f_locals,)
    return next((scope[name] for scope in scopes if name in scope), _ABSENT)
