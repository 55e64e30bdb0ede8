"""What a frame's instructions say: which names make up the function that is called.

Contract: reads code objects and runs none of the user's code.  In doubt the answer is
empty: nothing is known of the call.
"""

from __future__ import annotations

import dis
import opcode
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

__all__ = [
    "Chain",
    "begins_more",
    "callee_at",
    "callee_of",
    "chain_ending_at",
    "ends_alike",
    "instructions",
    "is_loaded_to_be_called",
    "loaded_first",
    "loads_first",
    "mapped_at",
    "standing_at",
    "taken_by",
    "text_argument",
]

Chain = tuple[tuple[str, Any], ...]
"""The instructions that load ``name.attribute.attribute``: operation and name."""
_NOTHING = ("PUSH_NULL", "NOP", "CACHE", "EXTENDED_ARG", "KW_NAMES")


_PAIR = re.compile(r"((?:LOAD|STORE)_FAST)_((?:LOAD|STORE)_FAST)")
_NOWHERE = dis.Positions()


def instructions(code: types.CodeType) -> list[dis.Instruction]:
    """The instructions of a code object, as `dis` gives them, each of which is about one name.

    Since Python 3.13 one instruction may load or store two.  It is taken apart: of the second
    half no place in the source is known, and its offset is that of no other instruction.  The
    list is kept, and not to be changed.

    Examples
    --------
    >>> def last(a, b):
    ...     a[b] = a
    >>> [step.argval for step in instructions(last.__code__) if step.opname == "LOAD_FAST"]
    ['a', 'a', 'b']
    """
    known = _DECODED.get(id(code))  # code objects are slow to compare
    if known is None or known[0] is not code:
        if len(_DECODED) >= _MOST_DECODED:
            _DECODED.clear()
        steps = [part for step in dis.get_instructions(code) for part in _parts(step)]
        known = _DECODED[id(code)] = code, steps
    return known[1]


_MOST_DECODED = 64
_DECODED: dict[int, tuple[types.CodeType, list[dis.Instruction]]] = {}


def _parts(step: dis.Instruction) -> Iterator[dis.Instruction]:
    names = _PAIR.fullmatch(step.opname) if isinstance(step.argval, tuple) else None
    if names is None:
        yield step
        return
    operands = divmod(step.arg or 0, 16)
    first, second = (
        {"opname": name, "opcode": opcode.opmap[name], "arg": arg, "argval": own, "argrepr": own}
        for name, arg, own in zip(names.groups(), operands, step.argval, strict=True)
    )
    yield step._replace(**first)
    nowhere: dict[str, Any] = {"offset": step.offset + 1, "label": None, "positions": _NOWHERE}
    yield step._replace(**second, **nowhere)


def standing_at(instructions: list[dis.Instruction], offset: int) -> int:
    """Which instruction it is at whose offset a frame stands, or in whose cache."""
    at = sum(step.offset <= offset for step in instructions) - 1
    if instructions[at].opname == "PRECALL":  # Python 3.11 calls builtins there, by and by
        at = next(i for i in range(at, len(instructions)) if instructions[i].opname in _CALLED)
    return at


def callee_at(instructions: list[dis.Instruction], at: int) -> Chain:
    """What loads the object that is called, found by its expression's place in the source."""
    if not instructions[at].opname.startswith("CALL"):
        return ()
    return loaded_first(instructions, at)


_NAMED = {
    number: name
    for name, number in opcode.opmap.items()
    if name
    in "LOAD_ATTR LOAD_METHOD LOAD_GLOBAL LOAD_NAME LOAD_DEREF LOAD_FAST LOAD_FAST_CHECK".split()
}
"""What loads by one name, and tells it in the same way in each release."""
_FLAGGED = {"LOAD_GLOBAL"} if sys.version_info < (3, 12) else {"LOAD_GLOBAL", "LOAD_ATTR"}
"""Of these the lowest bit of the operand is no part of the name's number."""
_LOCAL = frozenset(("LOAD_DEREF", "LOAD_FAST", "LOAD_FAST_CHECK"))
_CALLS = frozenset(n for name, n in opcode.opmap.items() if name.startswith("CALL"))
_CALLED = frozenset(name for name in opcode.opmap if name.startswith("CALL"))
_LOADS = frozenset(n for name, n in opcode.opmap.items() if name.startswith("LOAD"))
_SKIPPED = frozenset(opcode.opmap[name] for name in _NOTHING if name in opcode.opmap) | {0}
_CONST, _EXTENDED = opcode.opmap["LOAD_CONST"], opcode.EXTENDED_ARG


def callee_of(code: types.CodeType, offset: int) -> Chain | None:
    """What `callee_at` says of the instruction at an offset, in a fraction of the time.

    None where it cannot be told without `dis`: a call by anything but names and attributes.

    Examples
    --------
    >>> code = compile("np.linalg.norm(x)", "", "eval")
    >>> found = [callee_of(code, at) for at in range(0, len(code.co_code), 2)]
    >>> [name for _, name in next(filter(None, found))]
    ['np', 'linalg', 'norm']
    """
    operations = code.co_code
    at = offset // 2
    while at and not operations[2 * at]:  # an entry of the instruction's cache
        at -= 1
    if operations[2 * at] not in _CALLS:
        return None
    places: list[Any] = list(code.co_positions())
    if None in places[at]:
        return None
    line, end_line, column, end_column = places[at]
    best, best_end = -1, (-1, -1)
    # the instructions of an expression stand together
    for i in range(at - 1, -1, -1):
        if None in places[i]:
            return None
        first, last = (places[i][0], places[i][2]), (places[i][1], places[i][3])
        if first < (line, column) or last > (end_line, end_column):
            break
        operation = operations[2 * i]
        if (
            first == (line, column)
            and best_end < last < (end_line, end_column)
            and operation in _LOADS
            and operation != _CONST
        ):
            best, best_end = i, last
    return None if best < 0 else _chain_of(code, operations, best)


def _chain_of(code: types.CodeType, operations: bytes, at: int) -> Chain | None:
    """`chain_ending_at`, for loads by names alone."""
    chain: list[tuple[str, Any]] = []
    for i in range(at, -1, -1):
        operation = operations[2 * i]
        if operation in _SKIPPED:
            continue
        name = _NAMED.get(operation)
        if name is None:
            return None if operation in _LOADS else tuple(chain)
        operand, shift, before = operations[2 * i + 1], 8, i - 1
        while before >= 0 and operations[2 * before] == _EXTENDED:
            operand |= operations[2 * before + 1] << shift
            shift, before = shift + 8, before - 1
        if name in _FLAGGED:
            operand >>= 1
        if name in _LOCAL:
            chain.insert(0, (name, code._varname_from_oparg(operand)))  # type: ignore[attr-defined]
            return tuple(chain)
        chain.insert(0, (name, code.co_names[operand]))
        if name not in ("LOAD_ATTR", "LOAD_METHOD"):
            return tuple(chain)
    return tuple(chain)


_FILLERS = frozenset("CACHE EXTENDED_ARG NOP PRECALL PUSH_NULL".split())


def mapped_at(instructions: list[dis.Instruction], at: int) -> Chain:
    """What loads ``np.array`` where ``a, b = map(np.array, [u, v])`` is taken apart.

    So it is by ``tuple(map(np.array, [u, v]))``, a list of it, and ``[*map(np.array, [u, v])]``.
    """
    steps = [step for step in instructions[:at] if step.opname not in _FILLERS]
    if not steps or not _is_taken_apart(instructions, at):
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


def text_argument(instructions: list[dis.Instruction], at: int) -> str | None:
    """The constant text that a call is given as its second argument of two or three.

    None if that is no constant, or what comes after it is more than a name or a constant.

    Examples
    --------
    >>> steps = instructions(compile("getattr(x, 'T', x.size), getattr(x, name)", "", "eval"))
    >>> calls = [at for at, step in enumerate(steps) if step.opname == "CALL"]
    >>> [text_argument(steps, at) for at in calls]
    ['T', None]
    """
    call = instructions[at]
    if call.opname != "CALL" or call.arg not in _OF_TWO_OR_THREE:
        return None
    steps = [step for step in instructions[:at] if step.opname not in _FILLERS]
    if call.arg == max(_OF_TWO_OR_THREE):
        while steps and steps[-1].opname == "LOAD_ATTR":
            del steps[-1]
        if not steps or not steps.pop().opname.startswith("LOAD"):
            return None
    if not steps or steps[-1].opname != "LOAD_CONST" or type(steps[-1].argval) is not str:
        return None
    place = instructions.index(steps[-1])
    is_one_of_several = any(step.is_jump_target for step in instructions[place : at + 1])
    return None if is_one_of_several else steps[-1].argval


_OF_TWO_OR_THREE = (2, 3)
COLLECTING = frozenset((("LOAD_GLOBAL", name),) for name in ("list", "tuple"))
"""What loads the builtins that take an iterator apart."""


def _is_taken_apart(instructions: list[dis.Instruction], at: int) -> bool:
    name = instructions[at].opname
    if name.startswith("CALL"):
        return instructions[at].arg == 1 and callee_at(instructions, at) in COLLECTING
    return name in ("LIST_EXTEND", "UNPACK_SEQUENCE")


def _is_map(step: dis.Instruction) -> bool:
    return step.opname == "LOAD_GLOBAL" and step.argval == "map"


def loaded_first(instructions: list[dis.Instruction], at: int) -> Chain:
    """What loads the object that stands first in the expression of an instruction."""
    best: dis.Instruction | None = None
    start, end = _extent(instructions[at])
    for step in instructions[:at]:
        if not step.opname.startswith("LOAD") or step.opname == "LOAD_CONST":
            continue
        first, last = _extent(step)
        # the function's expression begins where the call does, and ends before it
        if first == start and last < end and (best is None or last >= _extent(best)[1]):
            best = step
    place = _first_operand(instructions, at) if best is None else instructions.index(best)
    return () if place is None else chain_ending_at(instructions, place)[0]


_OPERANDS = {"BINARY_SLICE": 3, "BINARY_SUBSCR": 2, "DELETE_SUBSCR": 2, "STORE_SUBSCR": 2}
_OPERANDS["STORE_SLICE"] = 3
"""How far below the top of the stack the object is that is indexed."""


def _first_operand(instructions: list[dis.Instruction], at: int) -> int | None:
    """Where the object is loaded that is indexed at an instruction, if no place tells it.

    None if that is no variable, or the index is computed on several ways.
    """
    below = _OPERANDS.get(instructions[at].opname)
    if below is None:
        return None
    height = 0
    for i in range(at - 1, -1, -1):
        step = instructions[i]
        if step.opcode in _JUMPS or instructions[i + 1].is_jump_target:
            return None
        height -= dis.stack_effect(step.opcode, step.arg, jump=False)
        if height <= -below:
            return i if step.opname == "LOAD_FAST" and step.positions is _NOWHERE else None
    return None


_JUMPS = frozenset((*dis.hasjrel, *dis.hasjabs))


def is_item_or_result_called(instructions: list[dis.Instruction], at: int) -> bool:
    """Whether what is called is made of what its name loads: ``f[0](v)``, ``f(a)(v)``."""
    start, end = _extent(instructions[at])
    extents = [(step.opname, *_extent(step)) for step in instructions[:at]]
    within = [(name, until) for name, first, until in extents if first == start and until < end]
    last = max((until for _, until in within), default=start)
    made = [name for name, until in within if until == last and name not in _NOTHING]
    return any(not name.startswith("LOAD") for name in made)


def begins_more(instructions: list[dis.Instruction]) -> bool:
    """Whether the first of them loads a name that a longer expression begins with: ``f(a)``."""
    start, _ = _extent(instructions[0])
    own = [step.opname for step in instructions if _extent(step)[0] == start]
    return any(not name.startswith("LOAD") and name not in _NOTHING for name in own)


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


def is_loaded_to_be_called(instructions: list[dis.Instruction], at: int) -> bool:
    """Whether a global name or an attribute is loaded to be called.

    Until Python 3.12 the first name of ``np.add(x)`` says so, and not the last.

    Examples
    --------
    >>> steps = instructions(compile("np.add(x.size)", "", "eval"))
    >>> loaded = [at for at, step in enumerate(steps) if step.argval in ("add", "size")]
    >>> is_loaded_to_be_called(steps, loaded[-1])
    False
    """
    step = instructions[at]
    if step.opname == "LOAD_METHOD":
        return True
    if step.opname not in _FLAGGED:
        return False
    # since Python 3.13 what is no method stands before the place for its object
    return bool((step.arg or 0) & 1) or (
        _NULL_COMES_AFTER and instructions[at + 1].opname == "PUSH_NULL"
    )


_NULL_COMES_AFTER = sys.version_info >= (3, 13)


def taken_by(instructions: list[dis.Instruction], at: int) -> int | None:
    """Which instruction takes what another one has loaded, by itself or in a tuple of constants.

    None if that is no comparison and no call, or if not all of the way there is known.

    Examples
    --------
    >>> steps = instructions(compile("isinstance(v, (int, np.floating))", "", "eval"))
    >>> at = [step.argval for step in steps].index("floating")
    >>> steps[taken_by(steps, at)].opname
    'CALL'
    """
    above = 1
    """Values on the stack from that one to the top."""
    for place in range(at + 1, len(instructions)):
        step = instructions[place]
        name, count = step.opname, int(step.arg or 0)
        if step.is_jump_target or step.opcode in _JUMPS:
            return None
        if name in _COMPARING:
            if above <= _OF_COMPARISON:
                return place
            above -= 1
        elif name == "CALL":
            if above <= count:
                return place
            above -= count + 1
        elif name == "BUILD_TUPLE":
            above = 1 if count >= above else above - count + 1
        elif name.startswith("LOAD_") and (above > 1 or name not in _OF_OBJECTS):
            above += dis.stack_effect(step.opcode, step.arg)
        elif name == "PUSH_NULL":
            above += 1
        elif name not in _FILLERS:
            return None
        if above < 1:
            return None
    return None


_COMPARING = frozenset("COMPARE_OP CONTAINS_OP IS_OP".split())
_OF_COMPARISON = 2
"""Values that a comparison takes."""
_OF_OBJECTS = frozenset("LOAD_ATTR LOAD_METHOD LOAD_SUPER_ATTR".split())
"""What takes an object, and loads something of it."""


def ends_alike(one: dis.Instruction, other: dis.Instruction) -> bool:
    """Whether the expressions of two instructions end at one place in the source."""
    ends = _extent(one)[1], _extent(other)[1]
    return ends[0] == ends[1] != (-1, -1)


def loads_first(step: dis.Instruction, call: dis.Instruction, chain: Chain) -> bool:
    """Whether an instruction begins a chain, and the expression of a call begins with it."""
    starts = _extent(step)[0], _extent(call)[0]
    begins = chain[:1] == ((step.opname, step.argval),)
    return begins and starts[0] == starts[1] != (-1, -1)


def _extent(step: dis.Instruction) -> tuple[tuple[int, int], tuple[int, int]]:
    place = step.positions
    if place is None or None in (place.lineno, place.end_lineno, place.col_offset):
        return (-1, -1), (-1, -1)
    return (
        (place.lineno or 0, place.col_offset or 0),
        (place.end_lineno or 0, place.end_col_offset or 0),
    )
