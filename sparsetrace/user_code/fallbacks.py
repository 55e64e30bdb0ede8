"""Exception handlers that add no dependency, so that their paths need not be run.

Contract: ``try: return math.log(v)`` / ``except ValueError: return -1e10`` gives a number in
place of one that any value may have: whatever is done with it afterwards, the path of the
handler adds no entry, and need not be run.  The same holds of a handler that ends the
traced function itself with constants.  In doubt the answer is no.
"""

from __future__ import annotations

import builtins
import types
from typing import Any

from sparsetrace.user_code.bytecode import chain_ending_at
from sparsetrace.user_code.handlers import CodeMap, code_map, matches, named

__all__ = ["adds_nothing"]

_BOUNDARY = "sparsetrace.tracing.arguments"
_OF_CONSTANTS = frozenset(
    "BINARY_OP CALL CALL_KW COPY KW_NAMES LOAD_ATTR LOAD_CONST LOAD_GLOBAL LOAD_METHOD NOP "
    "POP_EXCEPT POP_TOP PRECALL PUSH_NULL SWAP UNARY_NEGATIVE".split()
)
_OF_ARRAYS = _OF_CONSTANTS | {"BUILD_LIST", "BUILD_TUPLE", "LIST_EXTEND"}
_OF_VARIABLES = _OF_CONSTANTS | frozenset(
    "BINARY_SUBSCR LOAD_DEREF LOAD_FAST LOAD_FAST_CHECK RESUME UNARY_POSITIVE".split()
)
_VARIABLES = frozenset(("LOAD_DEREF", "LOAD_FAST", "LOAD_FAST_CHECK"))
_FIRST_IN_PLACE = 13
"""The arguments of ``BINARY_OP`` from here on are ``+=`` and the like."""
_OF_NUMBERS = frozenset(getattr(builtins, name) for name in "abs float max min pow round".split())
_SCALAR_MODULES = frozenset(("math",))
_ARRAY_MODULES = frozenset(("math", "numpy"))


def adds_nothing(frame: types.FrameType, cls: type[BaseException], *, inner: bool) -> bool:
    """Whether the handler that catches an error here makes no new dependency.

    Parameters
    ----------
    frame : frame
        The innermost one that stands in a ``try``.
    cls : type
        That of the error.
    inner : bool
        Whether the error comes of a frame inside this one.
    """
    known = code_map(frame.f_code)
    target = known.target(frame.f_lasti)
    start = None if target is None else _clause(known, known.places[target], cls, frame.f_globals)
    if target is None or start is None:
        return False
    if _ends_the_function(frame):
        result = _constant_end(known, start, frame.f_globals, _OF_ARRAYS)
        if result is not None and result[0] == "RETURN":
            return True
    if inner:
        return False
    result = _constant_end(known, start, frame.f_globals, _OF_CONSTANTS)
    return result is not None and result == _pure_end(known, target, frame)


def _ends_the_function(frame: types.FrameType) -> bool:
    """Whether this is the frame of the traced function, which gives its results back."""
    caller = frame.f_back
    if caller is None or caller.f_globals.get("__name__") != _BOUNDARY:
        return False
    return caller.f_locals.get("out", frame) is None


def _clause(known: CodeMap, at: int, cls: type[BaseException], scope: dict[str, Any]) -> int | None:
    """Where the body of the ``except`` clause begins that is for this error."""
    steps = known.instructions
    if steps[at].opname != "PUSH_EXC_INFO":
        return None
    at += 1
    while True:
        check = next(
            (i for i in range(at, len(steps)) if not steps[i].opname.startswith(("LOAD", "BUILD"))),
            len(steps) - 1,
        )
        if steps[check].opname != "CHECK_EXC_MATCH":
            return at + 1 if steps[at].opname == "POP_TOP" else None
        result = matches(cls, steps, check, scope)
        if result is None:
            return None
        if result:
            return check + 2
        at = known.places[steps[check + 1].argval]


def _constant_end(
    known: CodeMap, at: int, scope: dict[str, Any], allowed: frozenset[str]
) -> tuple[str, Any] | None:
    """What a handler does with constants: returns them, or stores them and goes on somewhere."""
    steps = known.instructions
    if steps[at].opname == "POP_TOP":
        at += 1
    bound = stored = None
    if steps[at].opname == "STORE_FAST":
        bound = steps[at].argval  # except ... as error
        at += 1
    while at < len(steps):
        step = steps[at]
        name = step.opname
        if name in ("RETURN_VALUE", "RETURN_CONST"):
            plain = name == "RETURN_VALUE" or _is_constant(step.argval, allowed)
            return ("RETURN", None) if plain and not stored else None
        if "JUMP" in name and "IF" not in name:
            return (stored, _resolved(known, at)) if stored else None
        if name in ("STORE_FAST", "DELETE_FAST") and step.argval == bound:
            pass
        elif name == "LOAD_CONST" and steps[at + 1].argval == bound is not None:
            pass  # the name of the error is cleared
        elif name == "STORE_FAST" and stored is None:
            stored = step.argval
        elif name not in allowed or not _is_harmless(known, at, scope, allowed):
            return None
        at += 1
    return None


def _pure_end(known: CodeMap, target: int, frame: types.FrameType) -> tuple[str, Any] | None:
    """The same of the body of the ``try``, where it computes one number and does nothing else."""
    steps = known.instructions
    stored = None
    last = 0
    for start, end in known.ranges(target):
        at = known.places[start]
        while at < len(steps) and steps[at].offset < end:
            name = steps[at].opname
            if stored is not None:
                return None  # more follows
            if name == "STORE_FAST":
                stored = steps[at].argval
            elif name not in ("RETURN_VALUE", "NOP") and (
                name not in _OF_VARIABLES
                or not _is_harmless(known, at, frame.f_globals, _OF_VARIABLES)
                or (name in _VARIABLES and not _is_number(known, at, frame.f_locals))
            ):
                return None
            last = max(last, at)
            at += 1
    if stored is not None:
        return stored, _resolved(known, last + 1)
    after = last if steps[last].opname == "RETURN_VALUE" else last + 1
    return ("RETURN", None) if steps[after].opname == "RETURN_VALUE" else None


def _resolved(known: CodeMap, at: int) -> int:
    """Where the code goes on from an instruction, beyond jumps."""
    steps = known.instructions
    for _ in steps:
        name = steps[at].opname
        if name == "NOP":
            at += 1
        elif "JUMP" in name and "IF" not in name:
            at = known.places[steps[at].argval]
        else:
            break
    return at


def _is_number(known: CodeMap, at: int, variables: dict[str, Any]) -> bool:
    """Whether a variable is a number, or an array of which an element is taken."""
    step = known.instructions[at]
    value = variables.get(step.argval)
    if type(value) in (int, float) or getattr(type(value), "_is_number", False):
        return True
    index = known.instructions[at + 1]
    if known.instructions[at + 2].opname != "BINARY_SUBSCR" or getattr(value, "ndim", 0) != 1:
        return False
    constant = index.opname == "LOAD_CONST"
    return type(index.argval if constant else variables.get(index.argval)) is int


def _is_harmless(known: CodeMap, at: int, scope: dict[str, Any], allowed: frozenset[str]) -> bool:
    """Whether an instruction changes nothing, and reads nothing that is not constant."""
    step = known.instructions[at]
    if step.opname == "BINARY_OP":
        return (step.arg or 0) < _FIRST_IN_PLACE
    if step.opname == "LOAD_CONST":
        following = known.instructions[at + 1].opname
        if isinstance(step.argval, str):  # float("nan")
            return following in ("PRECALL", "CALL")
        return following == "CALL_KW" or _is_constant(step.argval, allowed)
    if step.opname.startswith("CALL"):
        return _is_pure(named(known.callee(at), scope), allowed)
    if step.opname == "LOAD_GLOBAL":
        return _is_known(known, at, scope, allowed)
    return True


def _is_constant(value: Any, allowed: frozenset[str]) -> bool:
    """Whether a constant is of the type that the other path has there."""
    if allowed is _OF_CONSTANTS:
        return type(value) is float
    if isinstance(value, tuple):
        return all(_is_constant(item, allowed) for item in value)
    return type(value) in (int, float)


def _is_known(known: CodeMap, at: int, scope: dict[str, Any], allowed: frozenset[str]) -> bool:
    """Whether a global name, with its attributes, is a number or a pure function."""
    steps = known.instructions
    last = at
    while steps[last + 1].opname in ("LOAD_ATTR", "LOAD_METHOD"):
        last += 1
    value = named(chain_ending_at(steps, last)[0], scope)
    if type(value) in (int, float):
        # code may ask whether a number is this very object, ``r is np.nan``
        return allowed is not _OF_CONSTANTS or steps[last + 1].opname == "UNARY_NEGATIVE"
    return _is_pure(value, allowed)


def _is_pure(value: Any, allowed: frozenset[str]) -> bool:
    if isinstance(value, (type, types.BuiltinFunctionType)) and value in _OF_NUMBERS:
        return True
    module = (getattr(value, "__module__", None) or "").partition(".")[0]
    return callable(value) and module in (
        _ARRAY_MODULES if allowed is _OF_ARRAYS else _SCALAR_MODULES
    )
