"""Whether an error that is raised here would be caught, before the traced function ends.

Contract: looks at where each frame stands, from the operation outwards to the driver,
and at the handlers that its code has there.  Runs no code of the user's.  In doubt (the
type of a variable, a context manager that is not known) the answer is yes.
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import functools
import os
import types
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator
from inspect import getattr_static
from typing import Any

import numpy as np

from sparsetrace.user_code.bytecode import Chain, callee_at, chain_ending_at, instructions
from sparsetrace.user_code.frames import PACKAGE, is_own

__all__ = [
    "HARMLESS",
    "CodeMap",
    "code_map",
    "exception_table",
    "handled_types",
    "instructions_of",
    "is_caught",
    "is_harmless",
    "matches",
    "named",
    "passes_on",
    "stands_within",
    "watched_frame",
]

ErrorType = type[BaseException] | None
"""The type of an error; None is one that nothing is known of."""


class _Anything(BaseException):
    """An error of an unknown type that no handler has put another one in place of."""


HARMLESS = (
    np.errstate,
    np.printoptions,
    warnings.catch_warnings,
    open,
    contextlib.closing,
    contextlib.nullcontext,
    contextlib.redirect_stderr,
    contextlib.redirect_stdout,
)
"""What may be entered by ``with``, and lets every error pass."""

_DRIVER = os.path.join(PACKAGE, "tracing", "driver.py")
_UNKNOWN = object()
_ENDINGS = frozenset("CHECK_EG_MATCH RETURN_CONST RETURN_VALUE YIELD_VALUE".split())
_PREFIXES = frozenset("CACHE EXTENDED_ARG".split())


def is_harmless(chain: Chain, scope: dict[str, Any]) -> bool:
    """Whether a ``with`` of what the chain calls lets every error pass."""
    value = named(chain, scope)
    return any(value is known for known in HARMLESS)


def named(chain: Chain, scope: dict[str, Any]) -> Any:
    """What a chain of global names stands for; an object of no meaning if that is unknown."""
    if not chain or chain[0][0] not in ("LOAD_GLOBAL", "LOAD_NAME"):
        return _UNKNOWN
    value = scope.get(chain[0][1], vars(builtins).get(chain[0][1], _UNKNOWN))
    for _, name in chain[1:]:
        look_up = getattr if isinstance(value, types.ModuleType) else getattr_static
        value = look_up(value, name, _UNKNOWN)
    return value


# ---------------------------------------------------------------------- a code object
class CodeMap:
    """The instructions of a code object, and where an error in them goes on."""

    def __init__(self, code: types.CodeType) -> None:
        self.code = code  # kept, so that its id stays its own
        table = exception_table(code)
        self.starts = [start for start, *_ in table]
        self.entries = [(end, target) for _, end, target, _ in table]
        self.is_own = is_own(code)
        self.is_driver = code.co_filename == _DRIVER
        self.passes: bool | None = None
        self.outcomes: dict[tuple[int, ErrorType], tuple[bool, ErrorType]] = {}

    @functools.cached_property
    def instructions(self) -> list[dis.Instruction]:
        return [step for step in instructions(self.code) if step.opname not in _PREFIXES]

    @functools.cached_property
    def places(self) -> dict[int, int]:
        """Where in the list the instruction of each offset is."""
        result, at = {}, 0
        for step in instructions(self.code):
            result[step.offset] = at
            at += step.opname not in _PREFIXES
        return result

    def target(self, offset: int) -> int | None:
        """The offset of the handler of what is raised at an offset."""
        at = bisect_right(self.starts, offset) - 1
        if at < 0:
            return None
        end, target = self.entries[at]
        return target if offset < end else None

    def ranges(self, target: int) -> list[tuple[int, int]]:
        """From where to where errors go to the handler at an offset."""
        return [
            (start, end)
            for start, (end, other) in zip(self.starts, self.entries, strict=True)
            if other == target
        ]

    @functools.cached_property
    def calls_of_globals(self) -> list[tuple[int, Chain]]:
        """Where what a global name stands for is called, or an attribute, and what loads that."""
        found = (
            (at, self.callee(at))
            for at, step in enumerate(self.instructions)
            if step.opname in ("CALL", "CALL_KW")
        )
        return [(at, chain) for at, chain in found if chain and chain[0][0] == "LOAD_GLOBAL"]

    def callee(self, at: int) -> Chain:
        """What loads the function that the instruction calls."""
        return callee_at(self.instructions, at)

    def passes_on(self, scope: dict[str, Any]) -> bool:
        """Whether nothing in the code catches an error, or puts another one in its place."""
        if self.passes is None:
            self.passes = all(
                self.outcome(start, _Anything, scope) == (False, _Anything) for start in self.starts
            )
        return self.passes

    def outcome(
        self, offset: int, error_type: ErrorType, scope: dict[str, Any]
    ) -> tuple[bool, ErrorType]:
        """Whether an error raised at the offset may be caught; if not, what leaves the frame."""
        result = self.outcomes.get((offset, error_type))
        if result is None:
            result = self.outcomes[offset, error_type] = self._outcome(offset, error_type, scope)
        return result

    def _outcome(
        self, offset: int, error_type: ErrorType, scope: dict[str, Any]
    ) -> tuple[bool, ErrorType]:
        todo, seen = [(offset, error_type)], set()
        leaving: set[ErrorType] = set()
        while todo:
            raised = todo.pop()
            target = self.target(raised[0])
            if target is None:
                leaving.add(raised[1])
            elif (target, raised[1]) not in seen:
                seen.add((target, raised[1]))
                again = self._handled(target, raised[1], scope)
                if again is None:
                    return True, None
                todo += again
        return False, leaving.pop() if len(leaving) == 1 else None

    def _handled(
        self, target: int, error_type: ErrorType, scope: dict[str, Any]
    ) -> list[tuple[int, ErrorType]] | None:
        """Where the handler at an offset raises again, and what; None if it may end otherwise."""
        raised: list[tuple[int, ErrorType]] = []
        todo, seen = [self.places[target]], set()
        steps = self.instructions
        while todo:
            at = todo.pop()
            if at in seen:
                continue
            seen.add(at)
            step = steps[at]
            name = step.opname
            if name == "CHECK_EXC_MATCH":
                result = matches(error_type, steps, at, scope)
                if result is not True:
                    todo.append(self.places[steps[at + 1].argval])
                if result is not False:
                    todo.append(at + 2)
            elif name == "WITH_EXCEPT_START":
                if not self._lets_pass(target, error_type, scope):
                    return None
                todo.append(next(i for i in range(at, len(steps)) if steps[i].opname == "RERAISE"))
            elif name == "RERAISE":
                raised.append((step.offset, error_type))
            elif name == "RAISE_VARARGS":
                raised.append((step.offset, error_type if step.arg == 0 else None))
            elif name in _ENDINGS or (name == "POP_EXCEPT" and steps[at + 1].opname != "RERAISE"):
                return None
            elif "JUMP" in name or name == "FOR_ITER":
                todo.append(self.places[step.argval])
                if "IF" in name or name == "FOR_ITER":
                    todo.append(at + 1)
            else:
                todo.append(at + 1)
        return raised

    def _entered_at(self, target: int) -> int | None:
        """Where that is entered whose exit is called at an offset; None if it is not known."""
        at = self.places[min(self.ranges(target))[0]] - 1
        return at if self.instructions[at].opname == "BEFORE_WITH" else None

    def entered_around(self, offset: int) -> Iterator[Chain]:
        """What is entered by each ``with`` in which an instruction stands, innermost first."""
        target = self.target(offset)
        while target is not None:
            steps, at = self.instructions, self.places[target]
            is_with = [step.opname for step in steps[at : at + 2]][-1] == "WITH_EXCEPT_START"
            entered = self._entered_at(target) if is_with else None
            if entered is not None:
                yield callee_at(steps, entered - 1)
            target = self.target(steps[entered if entered is not None else at].offset)

    def _lets_pass(self, target: int, error_type: ErrorType, scope: dict[str, Any]) -> bool:
        """Whether the context manager whose exit is called at an offset lets an error pass."""
        steps, at = self.instructions, self._entered_at(target)
        if at is None:
            return False
        chain = callee_at(steps, at - 1)
        if named(chain, scope) is not contextlib.suppress:
            return is_harmless(chain, scope)
        if error_type is None or error_type is _Anything or steps[at - 1].opname != "CALL":
            return False
        before = at - 2 if steps[at - 2].opname == "PRECALL" else at - 1
        types_named = _types_ending_at(steps, before - 1, steps[at - 1].arg or 0, scope)
        return types_named is not None and not issubclass(error_type, tuple(types_named))


def exception_table(code: types.CodeType) -> list[tuple[int, int, int, int]]:
    """From where to where errors go to which offset, and how much is on the stack below them."""
    numbers = _varints(code.co_exceptiontable)
    return [
        (2 * start, 2 * (start + length), 2 * target, (depth >> 1) + (depth & 1))
        for start, length, target, depth in zip(numbers, numbers, numbers, numbers, strict=True)
    ]


def _varints(table: bytes) -> Any:
    value = 0
    for byte in table:
        value = (value << 6) | (byte & 63)
        if not byte & 64:
            yield value
            value = 0


def matches(
    error_type: ErrorType, steps: list[dis.Instruction], at: int, scope: dict[str, Any]
) -> bool | None:
    """Whether an ``except`` clause is for this type of error; None if unknown."""
    if error_type is None or error_type is _Anything:
        return None
    found = _clause_types(steps, at, scope)
    if found is None:
        known = _clause_types(steps, at, scope, known_alone=True) or ()
        return True if issubclass(error_type, tuple(known)) else None
    return issubclass(error_type, tuple(found))


def _clause_types(
    steps: list[dis.Instruction], at: int, scope: dict[str, Any], *, known_alone: bool = False
) -> list[type] | None:
    """The types that an ``except`` clause is for; None if one of them is not known."""
    last = at - 1
    count = 1
    if steps[last].opname == "BUILD_TUPLE":
        count = steps[last].arg or 0
        last -= 1
    return _types_ending_at(steps, last, count, scope, known_alone=known_alone)


def _types_ending_at(
    steps: list[dis.Instruction],
    last: int,
    count: int,
    scope: dict[str, Any],
    *,
    known_alone: bool = False,
) -> list[type] | None:
    """So many types, or tuples of them, that are loaded up to an instruction; None if unknown."""
    result: list[type] = []
    for _ in range(count):
        chain, first = chain_ending_at(steps, last)
        wanted = named(chain, scope)
        last = first - 1
        clause_types = wanted if isinstance(wanted, tuple) else (wanted,)
        if all(isinstance(one, type) for one in clause_types):
            result += clause_types
        elif not known_alone:
            return None
    return result


_KNOWN: dict[int, CodeMap] = {}
_MOST_KNOWN = 4096


def code_map(code: types.CodeType) -> CodeMap:
    """What is known of a code object."""
    result = _KNOWN.get(id(code))  # code objects are slow to compare
    if result is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        result = _KNOWN[id(code)] = CodeMap(code)
    return result


def instructions_of(code: types.CodeType) -> list[dis.Instruction]:
    """The instructions of a code object, without the entries of their caches."""
    return code_map(code).instructions


def stands_within(
    function: Callable[..., Any], code: types.CodeType, offset: int, scope: dict[str, Any]
) -> bool:
    """Whether the instruction at an offset stands in a ``with`` of what a function gives."""
    around = code_map(code).entered_around(offset)
    return any(named(chain, scope) is function for chain in around)


# --------------------------------------------------------------------------- frames
def watched_frame(frame: types.FrameType | None) -> types.FrameType | None:
    """The innermost frame, from this one outwards, that stands in a ``try`` or ``with``.

    None if the driver comes first.
    """
    while frame is not None:
        code = frame.f_code
        if code.co_exceptiontable:
            known = _KNOWN.get(id(code)) or code_map(code)
            if known.is_driver:
                return None
            passes = known.is_own or known.passes_on(frame.f_globals)
            if not passes and known.target(frame.f_lasti) is not None:
                return frame
        frame = frame.f_back
    return None


def passes_on(frame: types.FrameType) -> bool:
    """Whether the code of a frame lets every error pass, wherever it stands."""
    code = frame.f_code
    return not code.co_exceptiontable or code_map(code).passes_on(frame.f_globals)


def is_caught(error_type: ErrorType, frame: types.FrameType | None) -> bool:
    """Whether an error of a type that is raised here may be caught before the driver gets it.

    Parameters
    ----------
    error_type : type
    frame : frame
        Where to start looking outwards.
    """
    result = watched_frame(frame)
    while result is not None:
        caught, error_type = code_map(result.f_code).outcome(
            result.f_lasti, error_type, result.f_globals
        )
        if caught:
            return True
        result = watched_frame(result.f_back)
    return False


def handled_types(frame: types.FrameType | None) -> set[type[Exception]] | None:
    """The types of errors that handlers name from a frame outwards; None if they may do more.

    Of frames that stand in a ``try``, wherever they stand in it.  A handler that gives the error a
    name may go on in ways that no type tells.
    """
    result: set[type[Exception]] = set()
    at = watched_frame(frame)
    while at is not None:
        steps = instructions_of(at.f_code)
        if "exc_info" in at.f_code.co_names:
            return None
        for place, step in enumerate(steps):
            if step.opname == "CHECK_EXC_MATCH":
                found = _clause_types(steps, place, at.f_globals)
                if found is None or steps[place + 2].opname != "POP_TOP":
                    return None
                result.update(cls for cls in found if issubclass(cls, Exception))
            elif step.opname in ("WITH_EXCEPT_START", "CHECK_EG_MATCH"):
                return None
        at = watched_frame(at.f_back)
    return result
