"""What is indexed where a frame stands: the length of a list or tuple tells which indices it has.

Contract: in doubt nothing is known.  Nothing of the user's runs here.
"""

from __future__ import annotations

import builtins
import types
from typing import Any

from sparsetrace.user_code.bytecode import loaded_first
from sparsetrace.user_code.handlers import code_map
from sparsetrace.user_code.held_values import UNKNOWN, attribute

__all__ = ["indexed_length"]


def indexed_length(frame: types.FrameType) -> int | None:
    """The length of the list, tuple or text whose item the frame is about to read.

    Examples
    --------
    >>> import sys
    >>> class Index:
    ...     def __index__(self):
    ...         return indexed_length(sys._getframe(1)) - 1
    >>> table = [4.0, 5.0, 6.0]
    >>> table[Index()]
    6.0
    """
    known = code_map(frame.f_code)
    at = known.places.get(frame.f_lasti)
    if at is None:
        return None
    step = known.instructions[at]
    if step.opname != "BINARY_SUBSCR" and step.argrepr != "[]":
        return None
    chain = loaded_first(known.instructions, at)
    place = step.positions
    if not chain or place is None or place.end_col_offset is None:
        return None
    start = place.lineno, place.col_offset
    end = place.end_lineno, place.end_col_offset
    within = [
        (other.positions.end_lineno, other.positions.end_col_offset)
        for other in known.instructions[:at]
        if other.positions is not None
        and (other.positions.lineno, other.positions.col_offset) == start
        and not _is_load(other.opname)
    ]
    if any(other != end for other in within):
        return None  # what is indexed is computed
    value = _value(frame, chain)
    return len(value) if type(value) in (list, tuple, str) else None


def _is_load(name: str) -> bool:
    return name.startswith("LOAD") or name in ("PUSH_NULL", "NOP", "RESUME")


def _value(frame: types.FrameType, chain: Any) -> Any:
    """What a chain of names stands for in a frame."""
    operation, name = chain[0]
    if operation in ("LOAD_GLOBAL", "LOAD_NAME"):
        value = frame.f_globals.get(name, vars(builtins).get(name, UNKNOWN))
    else:  # an instruction that loads two names stands where the first does
        first = name[0] if isinstance(name, tuple) else name
        value = frame.f_locals.get(first, UNKNOWN)
    for _, inner in chain[1:]:
        value = attribute(value, inner)
    return value
