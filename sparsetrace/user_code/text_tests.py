"""Whether code may ask what a text says, or just shows texts to the user.

Contract: in doubt it asks.
"""

from __future__ import annotations

import dis
import types

from sparsetrace.user_code.bytecode import instructions

__all__ = ["asks_what_text_says"]

_SHOWS = frozenset("print warn debug info warning error exception critical log".split())
_MAKES = frozenset("center encode expandtabs format format_map join ljust rjust zfill".split())
_ASKS = (frozenset(dir(str)) | frozenset("get match fullmatch search sorted sort".split())) - _MAKES


def asks_what_text_says(code: types.CodeType) -> bool:
    """Whether code does more with texts than to print, to log or to raise them.

    Examples
    --------
    >>> def shown(v):
    ...     print(f"v is {v:.3f}")
    ...     return 2 * v
    >>> def asked(v):
    ...     return f"{v}".startswith("-")
    >>> asks_what_text_says(shown.__code__), asks_what_text_says(asked.__code__)
    (False, True)
    """
    names = frozenset(code.co_names)
    if not names.isdisjoint(_ASKS):
        return True
    shows = not names.isdisjoint(_SHOWS)
    has_texts = any(isinstance(value, str) for value in code.co_consts)
    before = None
    for step in instructions(code):
        shows |= step.opname == "RAISE_VARARGS"
        # of one that is asked for its truth, since Python 3.13, ``bool(==)``
        is_compared = step.opname == "COMPARE_OP" and ("==" in step.argrepr or "!=" in step.argrepr)
        if step.opname == "CONTAINS_OP" or (
            is_compared and has_texts and not _is_with_a_number(step, before)
        ):
            return True
        before = step
    return not shows


def _is_with_a_number(step: dis.Instruction, before: dis.Instruction | None) -> bool:
    """Whether the right side of a comparison is a constant that equals no text: ``k == 0``."""
    if before is None or step.is_jump_target:
        return False  # ``k == (name if v else 0)``
    is_constant = before.opname in ("LOAD_CONST", "LOAD_SMALL_INT")
    return is_constant and isinstance(before.argval, (int, float, complex, type(None)))
