"""What a frame's instructions say: which names make up the function that is called.

Contract: reads code objects and runs none of the user's code.  In doubt the answer is
empty: nothing is known of the call.
"""

from __future__ import annotations

import dis
import sys
from typing import Any

__all__ = [
    "Chain",
    "callee_at",
    "chain_ending_at",
    "is_loaded_to_be_called",
    "loaded_first",
    "mapped_at",
]

Chain = tuple[tuple[str, Any], ...]
"""The instructions that load ``name.attribute.attribute``: operation and name."""
_NOTHING = ("PUSH_NULL", "NOP", "CACHE", "EXTENDED_ARG", "KW_NAMES")


def callee_at(instructions: list[dis.Instruction], at: int) -> Chain:
    """What loads the object that is called, found by its expression's place in the source."""
    if not instructions[at].opname.startswith("CALL"):
        return ()
    return loaded_first(instructions, at)


_FILLERS = frozenset("CACHE EXTENDED_ARG NOP PRECALL PUSH_NULL".split())


def mapped_at(instructions: list[dis.Instruction], at: int) -> Chain:
    """What loads ``np.array`` where ``a, b = map(np.array, [u, v])`` is taken apart."""
    steps = [step for step in instructions[:at] if step.opname not in _FILLERS]
    if instructions[at].opname != "UNPACK_SEQUENCE" or not steps:
        return ()
    start, _ = _extent(steps[-1])
    if callee_at(instructions, instructions.index(steps[-1])) != (("LOAD_GLOBAL", "map"),):
        return ()
    after = max(i for i, step in enumerate(steps) if _extent(step)[0] == start and _is_map(step))
    chain: list[tuple[str, Any]] = []
    for step in steps[after + 1 :]:
        if not step.opname.startswith("LOAD") or (chain and step.opname != "LOAD_ATTR"):
            break
        chain.append((step.opname, step.argval))
    return tuple(chain)


def _is_map(step: dis.Instruction) -> bool:
    return step.opname == "LOAD_GLOBAL" and step.argval == "map"


def loaded_first(instructions: list[dis.Instruction], at: int) -> Chain:
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
    return () if best is None else chain_ending_at(instructions, instructions.index(best))[0]


def is_item_or_result_called(instructions: list[dis.Instruction], at: int) -> bool:
    """Whether what is called is made of what its name loads: ``f[0](v)``, ``f(a)(v)``."""
    start, end = _extent(instructions[at])
    within = [s for s in instructions[:at] if _extent(s)[0] == start and _extent(s)[1] < end]
    last = max((_extent(step)[1] for step in within), default=start)
    made = [s.opname for s in within if _extent(s)[1] == last and s.opname not in _NOTHING]
    return any(not name.startswith("LOAD") for name in made)


def chain_ending_at(instructions: list[dis.Instruction], at: int) -> tuple[Chain, int]:
    """The instructions up to one that together load ``name.attribute``, and where they begin."""
    chain: list[tuple[str, Any]] = []
    while at >= 0:
        step = instructions[at]
        if step.opname not in _NOTHING:
            if not step.opname.startswith("LOAD"):
                return tuple(chain), at + 1
            chain.insert(0, (step.opname, step.argval))
            if step.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                return tuple(chain), at
        at -= 1
    return tuple(chain), 0


def is_loaded_to_be_called(step: dis.Instruction) -> bool:
    """Whether an attribute is loaded to be called."""
    if step.opname == "LOAD_METHOD":
        return True
    is_attribute = step.opname == "LOAD_ATTR" and sys.version_info >= (3, 12)
    return is_attribute and bool((step.arg or 0) & 1)


def _extent(step: dis.Instruction) -> tuple[tuple[int, int], tuple[int, int]]:
    place = step.positions
    if place is None or None in (place.lineno, place.end_lineno, place.col_offset):
        return (-1, -1), (-1, -1)
    return (
        (place.lineno or 0, place.col_offset or 0),
        (place.end_lineno or 0, place.end_col_offset or 0),
    )
