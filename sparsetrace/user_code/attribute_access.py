"""Who asks a traced object for an attribute: the user's code by its name, or a library.

Contract: reads the frame that asks and runs none of its code.  A traced number has
attributes that no plain number has, because NumPy looks for them; code of the user's
that asks ``hasattr(v, name)`` must not see them.
"""

from __future__ import annotations

import dis
import types
from typing import Any

from sparsetrace.user_code.bytecode import Chain, callee_at
from sparsetrace.user_code.frames import by_user
from sparsetrace.user_code.handlers import named

__all__ = ["by_users_name", "whether_there"]

_MOST_KNOWN = 4096
_PLACES: dict[tuple[int, int], tuple[types.CodeType, Chain | None]] = {}
"""By code object and offset: None where an attribute is read, else what is called there."""


def by_users_name(frame: types.FrameType) -> bool:
    """Whether code of the user's asks by the attribute's name: no compiled code between."""
    return by_user(frame) and _asks(frame) is not None


def whether_there(frame: types.FrameType) -> bool:
    """Whether the frame asks by ``hasattr``, and needs no value."""
    return _asks(frame) is hasattr


def _asks(frame: types.FrameType) -> Any:
    """By what a frame asks for an attribute: `hasattr`, `getattr`; None if by neither."""
    code, offset = frame.f_code, frame.f_lasti
    key = id(code), offset  # code objects are slow to compare
    known = _PLACES.get(key)
    if known is None or known[0] is not code:
        if len(_PLACES) >= _MOST_KNOWN:
            _PLACES.clear()
        known = _PLACES[key] = code, _place(code, offset)
    if known[1] is None:
        return getattr
    callee = named(known[1], frame.f_globals)
    return callee if callee is hasattr or callee is getattr else None


def _place(code: types.CodeType, offset: int) -> Chain | None:
    steps = list(dis.get_instructions(code))
    # the frame may stand at an entry of the instruction's cache
    at = sum(step.offset <= offset for step in steps) - 1
    if steps[at].opname == "PRECALL":  # Python 3.11 calls some builtins there
        at = next(i for i in range(at, len(steps)) if steps[i].opname.startswith("CALL"))
    if steps[at].opname in ("LOAD_ATTR", "LOAD_METHOD"):
        return None
    return callee_at(steps, at)
