"""Who asks a traced object for an attribute: the user's code by its name, or a library.

Contract: reads the frame that asks and runs none of its code.  A traced number has
attributes that no plain number has, because NumPy looks for them; code of the user's
that asks ``hasattr(v, name)`` must not see them.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from sparsetrace.user_code.bytecode import Chain, callee_at, instructions, standing_at
from sparsetrace.user_code.frames import by_user
from sparsetrace.user_code.handlers import named

__all__ = ["by_numpy", "by_users_name", "calls_numpy", "whether_there"]

_MOST_KNOWN = 4096
_PLACES: dict[tuple[int, int], tuple[types.CodeType, str, Chain]] = {}
"""By code object and offset: the instruction there, and what is called."""
_OPERATORS = ("BINARY_OP", "COMPARE_OP")


def by_users_name(frame: types.FrameType) -> bool:
    """Whether code of the user's asks by the attribute's name: no compiled code between."""
    return by_user(frame) and _asks(frame) is not None


def whether_there(frame: types.FrameType) -> bool:
    """Whether the frame asks by ``hasattr``, and needs no value."""
    return _asks(frame) is hasattr


def by_numpy(frame: types.FrameType) -> bool:
    """Whether NumPy asks, called by this frame: by an operator, or by a name that is known.

    Of what it makes an array of it asks for a buffer first, and goes on without one.
    """
    return calls_numpy(frame) or _standing_at(frame)[0] in _OPERATORS


def calls_numpy(frame: types.FrameType) -> bool:
    """Whether the frame calls NumPy by a name that is known, or is NumPy's own."""
    if frame.f_globals.get("__name__", "").partition(".")[0] in ("numpy", "sparsetrace"):
        return True
    _, chain = _standing_at(frame)
    if chain and chain[0][0].startswith(("LOAD_FAST", "LOAD_DEREF")):
        chain = (("LOAD_NAME", chain[0][1]), *chain[1:])
    called = named(chain, {**frame.f_globals, **frame.f_locals})
    owner = getattr(called, "__objclass__", None)
    if isinstance(called, np.ufunc) or owner in (np.ndarray, np.ufunc):
        return True
    if isinstance(getattr(called, "__self__", None), np.ndarray):
        return True
    return str(getattr(called, "__module__", "")).partition(".")[0] == "numpy"


def _asks(frame: types.FrameType) -> Any:
    """By what a frame asks for an attribute: `hasattr`, `getattr`; None if by neither."""
    operation, chain = _standing_at(frame)
    if operation in ("LOAD_ATTR", "LOAD_METHOD"):
        return getattr
    callee = named(chain, frame.f_globals)
    return callee if callee is hasattr or callee is getattr else None


def _standing_at(frame: types.FrameType) -> tuple[str, Chain]:
    """The instruction at which a frame stands, and what it calls there."""
    code, offset = frame.f_code, frame.f_lasti
    key = id(code), offset  # code objects are slow to compare
    known = _PLACES.get(key)
    if known is None or known[0] is not code:
        if len(_PLACES) >= _MOST_KNOWN:
            _PLACES.clear()
        known = _PLACES[key] = code, *_place(code, offset)
    return known[1:]


def _place(code: types.CodeType, offset: int) -> tuple[str, Chain]:
    steps = instructions(code)
    at = standing_at(steps, offset)
    return steps[at].opname, callee_at(steps, at)
