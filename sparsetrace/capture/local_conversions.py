"""``kind(v)`` in code where a local name stands for one of NumPy's types: ``kind = x.dtype.type``.

Contract: in the code on the way to an error the call goes through a constant, which looks up the
name and takes the stand-in of the type that it finds; whatever else the code does with the name
stays as it is.
"""

from __future__ import annotations

import dis
import opcode
import operator
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sparsetrace.capture.apart_functions import is_original
from sparsetrace.capture.patch import Patch
from sparsetrace.capture.text_templates import code_patches
from sparsetrace.user_code.bytecode import callee_at
from sparsetrace.user_code.handlers import instructions_of

__all__ = ["patches"]

_LOADS = frozenset(("LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK", "LOAD_DEREF"))
_LOAD_CONST, _EXTENDED = opcode.opmap["LOAD_CONST"], opcode.EXTENDED_ARG
_LARGEST_ARGUMENT = 255


class _Call:
    """Calls what a local name stands for, or the stand-in of that."""

    __slots__ = ("_name", "_stand_ins")

    def __init__(self, name: str, stand_ins: Mapping[Any, type]) -> None:
        self._name, self._stand_ins = name, stand_ins

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        held = sys._getframe(1).f_locals
        if self._name not in held:
            raise UnboundLocalError(
                f"cannot access local variable '{self._name}' where it is not associated with a "
                "value"
            )
        called = held[self._name]
        if isinstance(called, type):
            called = self._stand_ins.get(called, called)
        return called(*args, **kwargs)


def patches(
    frames: Iterable[types.FrameType], stand_ins: Mapping[Any, type], tried: dict[int, Any]
) -> Iterator[Patch]:
    """Other code for the functions on the way to an error that call such a name.

    Parameters
    ----------
    frames : iterable of frames
    stand_ins : mapping
        By type.
    tried : dict
        The codes that have been exchanged already, by their ids.
    """
    codes = {
        frame.f_code: frame
        for frame in frames
        if id(frame.f_code) not in tried and is_original(frame.f_code)
    }
    changes: dict[int, types.CodeType] = {}
    for code, frame in codes.items():
        held = frame.f_locals
        names = {
            name
            for name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
            if isinstance(held.get(name), type) and held[name] in stand_ins
        }
        changed = _with_calls(code, {name: _Call(name, stand_ins) for name in names})
        if changed is not None:
            changes[id(code)] = changed
    for code, frame in codes.items():
        changed = _renewed(code, changes)
        exchanged = [] if changed is code else list(code_patches(code, changed, frame.f_globals))
        if exchanged:
            tried[id(code)] = code
            yield from exchanged


def _renewed(code: types.CodeType, changes: Mapping[int, types.CodeType]) -> types.CodeType:
    """The code as it was changed, itself and in the functions that it makes."""
    changed = changes.get(id(code), code)
    constants = [
        _renewed(constant, changes) if isinstance(constant, types.CodeType) else constant
        for constant in changed.co_consts
    ]
    if all(map(operator.is_, constants, changed.co_consts)):
        return changed
    return changed.replace(co_consts=tuple(constants))


def _with_calls(code: types.CodeType, calls: Mapping[str, _Call]) -> types.CodeType | None:
    """The code with calls of some local names made by constants; None where there are none."""
    if not calls:
        return None
    constants, text = list(code.co_consts), bytearray(code.co_code)
    steps = instructions_of(code)
    for at, step in enumerate(steps):
        if step.opname != "CALL":
            continue
        chain = callee_at(steps, at)
        if len(chain) != 1 or chain[0][1] not in calls:
            continue
        load = _load(steps, at, chain[0])
        if load is None or (load.offset >= 2 and text[load.offset - 2] == _EXTENDED):
            continue
        call = calls[chain[0][1]]
        if call not in constants[len(code.co_consts) :]:
            constants.append(call)
        place = len(code.co_consts) + constants[len(code.co_consts) :].index(call)
        if place <= _LARGEST_ARGUMENT:
            text[load.offset], text[load.offset + 1] = _LOAD_CONST, place
    if bytes(text) == code.co_code:
        return None
    return code.replace(co_code=bytes(text), co_consts=tuple(constants))


def _load(steps: list[dis.Instruction], at: int, loaded: Any) -> dis.Instruction | None:
    """The instruction that loads what is called, found by its place in the source."""
    called = steps[at].positions
    if called is None or called.lineno is None:
        return None
    start = called.lineno, called.col_offset
    return next(
        (
            step
            for step in steps[:at]
            if step.opname in _LOADS
            and (step.opname, step.argval) == loaded
            and step.positions is not None
            and (step.positions.lineno, step.positions.col_offset) == start
        ),
        None,
    )
