"""What code compares by identity: the names of types with other things, and objects.

Contract: the name ``float``, ``int`` or ``complex`` may be exchanged in a module unless its code
asks ``t is float`` of a `t` that is not, by its own instructions, the result of ``type``: the
stand-in for ``type`` gives whichever ``float`` the module has, anything else may not.
"""

from __future__ import annotations

import dis
import functools
import operator
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from sparsetrace.user_code.bytecode import callee_at, chain_ending_at
from sparsetrace.user_code.handlers import code_map, instructions_of, named
from sparsetrace.user_code.read_code import is_of_dataclass

__all__ = [
    "compared",
    "is_renamed",
    "new_name",
    "renamed_like",
    "tells_objects_apart",
    "with_calls_by",
    "with_calls_of",
]

_EXCHANGED = (float, int, complex)
_BY_IDENTITY = frozenset("id is_ is_not".split())
_VALUES = (bool, int, float, complex, tuple, list, dict, np.generic, np.ndarray)
_MOST_KNOWN = 4096
_KNOWN: dict[tuple[int, str, bool, bool], tuple[types.CodeType, bool]] = {}


def compared(
    scope: dict[str, Any], name: str, *, exchanged: bool, with_types: bool = False
) -> str | None:
    """The function of a module that compares a name with what is no result of ``type``.

    Where the name is to be exchanged in this module, also one that compares a result of
    ``type`` with what may be the real one, bound earlier; `with_types`, if ``type`` gives the real
    one always, also one that compares a result of it with the name.
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
            code = item.__code__
            if item.__globals__ is scope and _compares(code, name, scope, exchanged, with_types):
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


def new_name(name: str) -> str:
    """Under which the stand-in for a type is called, in code that calls the type by a name."""
    return name + _OF_THIS


_OF_THIS = " of sparsetrace"


def renamed_like(code: types.CodeType, other: types.CodeType) -> types.CodeType | None:
    """The code with calls under new names where another one has these; None without any.

    Examples
    --------
    >>> def half(v):
    ...     return float(v) / 2
    >>> other = with_calls_of(half.__code__, "float", new_name("float"))
    >>> renamed_like(half.__code__, other).co_names
    ('float', 'float of sparsetrace')
    """
    names = {name for one in _nested_codes(other) for name in one.co_names if _OF_THIS in name}

    def given(chain: tuple[str, ...]) -> str | None:
        return new_name(chain[-1]) if new_name(chain[-1]) in names else None

    return with_calls_by(code, given) if names else None


def is_renamed(code: types.CodeType, other: types.CodeType) -> bool:
    """Whether another code is this one with calls under new names."""
    if renamed_like(code, other) == other:
        return True
    names = [name.removesuffix(_OF_THIS) for name in other.co_names if _OF_THIS in name]
    for name in names:
        code = with_calls_of(code, name, new_name(name)) or code
    return bool(names) and code == other


def _nested_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested_codes(constant)


_WITH_A_BIT = ("LOAD_GLOBAL", "LOAD_ATTR") if sys.version_info >= (3, 12) else ("LOAD_GLOBAL",)
"""Instructions whose argument says beside the name what is loaded with it."""
_EXTENDED = dis.opmap["EXTENDED_ARG"]
_LARGEST_ARGUMENT = 255


def with_calls_by(
    code: types.CodeType, new_name_of: Callable[[tuple[str, ...]], str | None]
) -> types.CodeType | None:
    """The code with calls of some globals, or of their attributes, under new names.

    Whatever else the code does with these stays as it is, and so does a call by ``*args``.

    Parameters
    ----------
    code : code
        That of a function; the code in it is included.
    new_name_of : callable
        Gives the new name for those that load what is called: ``("np", "float64")``; or None.

    Returns
    -------
    code or None
        None where there is no such call.

    Examples
    --------
    >>> def half(v):
    ...     return np.float64(v) / 2 if type(v) is not np.float64 else v
    >>> code = with_calls_by(half.__code__, {("np", "float64"): "float32"}.get)
    >>> code.co_names
    ('type', 'np', 'float64', 'float32')
    """
    names, text = list(code.co_names), bytearray(code.co_code)
    steps = instructions_of(code)
    for at, chain in code_map(code).calls_of_globals:
        called = new_name_of(tuple(str(name) for _, name in chain))
        if called is None:
            continue
        start = _start(steps[at])
        load = next(s for s in steps if (s.opname, s.argval) == chain[-1] and _start(s) == start)
        if called not in names:
            names.append(called)
        argument = names.index(called)
        if load.opname in _WITH_A_BIT:
            argument = 2 * argument + ((load.arg or 0) & 1)
        is_extended = load.offset >= 2 and text[load.offset - 2] == _EXTENDED
        if argument <= _LARGEST_ARGUMENT and not is_extended:
            text[load.offset + 1] = argument
    nested = [
        (isinstance(constant, types.CodeType) and with_calls_by(constant, new_name_of)) or constant
        for constant in code.co_consts
    ]
    if bytes(text) == code.co_code and all(map(operator.is_, nested, code.co_consts)):
        return None
    return code.replace(co_code=bytes(text), co_names=tuple(names), co_consts=tuple(nested))


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
    if is_of_dataclass(code):
        return False
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
    if value is np.ma.masked:  # it is one object, and is united with no other
        return True
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


_IS_OP = dis.opmap["IS_OP"]


def _compares(
    code: types.CodeType, name: str, scope: dict[str, Any], exchanged: bool, with_types: bool
) -> bool:
    key = id(code), name, exchanged, with_types  # code objects are slow to compare
    known = _KNOWN.get(key)
    if known is None or known[0] is not code:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        result = False
        if _IS_OP in code.co_code[::2]:  # or an entry of a cache
            steps = instructions_of(code)
            result = name in code.co_names and _compares_name(steps, name, with_types)
            if exchanged and "type" in code.co_names:
                result = result or _compares_types(steps, scope)
        nested = (c for c in code.co_consts if isinstance(c, types.CodeType))
        result = result or any(_compares(c, name, scope, exchanged, with_types) for c in nested)
        known = _KNOWN[key] = code, result
    return known[1]


def _compares_name(steps: list[dis.Instruction], name: str, with_types: bool) -> bool:
    """Whether the name is compared with what is no result of ``type``, or with anything."""
    for at, step in enumerate(steps):
        if step.opname != "IS_OP":
            continue
        if _loads(steps[at - 1], name):
            _, start = chain_ending_at(steps, at - 1)
            is_own = start == at - 1  # else it is the module's: np.float64
            if not _is_type_of(steps, start - 1) or (with_types and is_own):
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
