"""Paths on which the traced function fails: which of them are the function's own doing.

Contract: a path is left out only where the plain function fails alike for the inputs that
take it: by a ``raise`` or ``assert``, or by an operation of Python's on plain objects; or where it
returns None alike.  An error that may come of a traced object in place of a number or an array ends
the trace.
"""

from __future__ import annotations

import dis
import re
import types
from collections.abc import Iterable
from operator import eq

import numpy as np

from sparsetrace.capture.branches import Branches
from sparsetrace.capture.escape_errors import (
    comes_of_traces,
    fails_alike,
    is_refused_by_floats,
    speaks_of_traces,
)
from sparsetrace.errors import TracingError, text_of
from sparsetrace.operands.raising import is_by_numpy, is_injected
from sparsetrace.user_code.bytecode import callee_at, standing_at
from sparsetrace.user_code.frames import is_library_code, is_own, outside_entries
from sparsetrace.user_code.handlers import instructions_of

__all__ = ["described", "is_genuine", "judged", "returns_nothing"]

_ASKING = frozenset(
    "type isinstance issubclass hasattr getattr callable isscalar str repr format flags "
    "__class__ __name__ __qualname__ __dict__ __array_interface__ vars dir id".split()
)
"""Names by which code may tell a traced object from what it stands for."""
_TEXTS = frozenset("str repr format".split())
"""Those by which it gets a text, which is another one for each traced number."""
_ABOUT_TYPES = (TypeError, AttributeError, NotImplementedError)

_OF_EMPTY = (
    r"arg is an empty sequence|iterable argument is empty|zero-size array|empty sequence|"
    r"need at least one array|requires at least|at least one data point|no median|no mode|"
    r"not enough values to unpack|too many values to unpack|x not in|is not in list|"
    r"is not in tuple|not in deque|substring not found|must not be zero|zip\(\) argument|"
    r"slice step cannot be zero|pop from|is empty|max\(\)|min\(\)|attempt to get arg|math domain|"
    r"expected a (non)?negative"
)
_OF_SHAPES = (
    r"cannot be broadcast to a single shape|could not be broadcast (together|to indexing result)|"
    r"could not broadcast input array from shape|cannot assign \d+ input values to the|"
    r"except for the concatenation axis must match exactly|arrays must have the same shape|"
    r"cannot reshape array of size|mismatch in its core dimension|not aligned: \d+ \(dim"
)
_FAILURES: dict[type[Exception], str] = {
    ZeroDivisionError: "",
    FloatingPointError: "",
    IndexError: r"index out of range|is out of bounds|pop from|empty sequence|an empty deque|"
    r"^too many indices for array",
    KeyError: "",
    NameError: "",
    np.linalg.LinAlgError: "",
    OverflowError: r"math range|too large|cannot convert float infinity|out of range",
    RuntimeError: "generator raised StopIteration",
    StopIteration: "",
    ValueError: f"{_OF_EMPTY}|{_OF_SHAPES}",
}
"""What an operation on plain objects raises, and the words that it says."""
_OF_PYTHONS_CONTAINERS = re.compile(
    r"^'?(pop from (an )?empty (list|set|deque)|popitem\(\): dictionary is empty)'?$|"
    r"^(not enough|too many) values to unpack \(expected \d+|"
    r" is not in (deque|list)$|^(list|tuple)\.(index|remove)\(x\): x not in (list|tuple)$"
)
"""What Python says of containers and of how many items there are, also in installed packages."""
_NOT_IN_LIST = re.compile(r"^.* (?=is not in list$)")
"""The number that a list does not hold, and that may be a traced one, in the words of Python."""
_OF_NONE_AND_NUMBERS = re.compile(
    r"^unsupported operand type\(s\) for \S+ ?\S*: ('(float|int)' and 'NoneType'|"
    r"'NoneType' and '(float|int|NoneType)')$|"
    r"^'\S+' not supported between instances of ('(float|int)' and 'NoneType'|"
    r"'NoneType' and '(float|int|NoneType)')$|"
    r"^bad operand type for (unary \S+|abs\(\)): 'NoneType'$|"
    r"^'(NoneType|bool|float|int)' object is not (subscriptable|iterable|callable)$|"
    r"^'(NoneType|bool|float|int)' object does not support item (assignment|deletion)$|"
    r"^object of type '(NoneType|bool|float|int)' has no len\(\)$|"
    r"^loop of ufunc does not support argument \d+ of type NoneType which has no callable "
)
"""What Python says of None, and of its own numbers."""
_OF_TRUTH = re.compile(r"^The truth value of an array with more than one element is ambiguous")
"""What a traced array says wherever a plain one does: it is of the same shape."""
_OF_CASTS = re.compile(
    r"^Cannot cast ufunc '\w+' (in|out)put( \d+)? "
    r"from dtype\('[a-z]+\d+'\) to dtype\('[a-z]+\d+'\) |"
    r"^NumPy boolean array indexing assignment requires a 0 or 1-dimensional input|"
    r"^Found array with \d+ (sample|feature)\(s\) \(shape="
)
"""What NumPy says of the types of numbers, which it would call objects if they were traced, and
of shapes, as scikit-learn does."""
_SUBSCRIPTS = frozenset(("__getitem__", "__setitem__", "put"))
_SEARCH = re.compile(
    r"\Wcapture\W(branches|effort|known_comparisons|path_estimates|paths_apart|result_unions|"
    r"snapshots)\.py$"
)
"""Code of this package that answers no call of the user's: an error that it raises is a mistake."""


_MARK = "_sparsetrace_judged"


def judged(error: Exception) -> Exception:
    """The error, marked as one of which `is_genuine` was true where it was raised."""
    setattr(error, _MARK, True)
    return error


def is_genuine(error: BaseException | None, branches: Branches) -> bool:
    """Whether the plain function fails by this error for the inputs of the current path."""
    if error is None or is_injected(error) or getattr(error, _MARK, False) is True:
        return True
    if is_by_numpy(error) or _OF_CASTS.match(text_of(error)):
        return True
    if not isinstance(error, Exception) or isinstance(error, TracingError):
        return False
    entries = _entries(error)
    if isinstance(error, TypeError) and _lacks(error, entries):
        return True
    if not (is_genuine(error.__context__, branches) and is_genuine(error.__cause__, branches)):
        return False
    if not entries:
        return False
    if isinstance(error, ValueError) and _OF_TRUTH.match(text_of(error)):
        return True
    code, at = entries[-1]
    on_purpose = dis.opname[code.co_code[at]] == "RAISE_VARARGS"
    if on_purpose and (_is_decided(entries, branches) or _is_in_handler(error, code, at)):
        return True
    asks = isinstance(error, _ABOUT_TYPES) or any(
        _asks(code, at) for code, at in entries if not is_own(code)
    )
    if on_purpose and error.__context__ is not None and not asks:
        return True  # in a handler of an error that is the function's own
    if fails_alike(error):
        return True
    if comes_of_traces(error) and not _OF_PYTHONS_CONTAINERS.search(text_of(error)):
        return False
    if not on_purpose and is_refused_by_floats(error):
        return True
    if _lacks(error, entries):
        return True
    if not on_purpose or is_library_code(code):
        return _is_of_plain_objects(error, code)
    return not asks


def described(error: BaseException) -> str:
    """One line: the error, and where in the function it was raised."""
    place = "an unknown place"
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not _is_installed(code):
            place = f"{code.co_filename}:{traceback.tb_lineno} (in {code.co_name})"
        traceback = traceback.tb_next
    text = " ".join(text_of(error).split())
    return f"{type(error).__name__}{': ' if text else ''}{text} at {place}"


def returns_nothing(branches: Branches) -> str:
    """Where the last decision of the path leads to a ``return None``; empty if that is not sure.

    The functions around it hand its result on at once.  None of them asks for types or texts.
    """
    shown = ""
    for code, at in branches.standing:
        if is_own(code):  # what has called the function
            return shown
        steps = instructions_of(code)
        place = standing_at(steps, at)
        if shown:
            if not steps[place + 1].opname.startswith("RETURN_VALUE"):
                return ""
        else:
            # what a call has decided inside need not be the truth value that it gives
            is_call = "CALL" in steps[place].opname
            offset = None if is_call else _decided_return(code, branches)
            if offset is None:
                return ""
            at = offset
            line = next(line for start, end, line in code.co_lines() if start <= at < end)
            shown = f"None at {code.co_filename}:{line} (in {code.co_name})"
        if _asks(code, at):
            return ""
    return ""


def _decided_return(code: types.CodeType, branches: Branches) -> int | None:
    """The offset of a ``return None`` to which the last decision of the path leads at once."""
    steps = instructions_of(code)
    for at, step in enumerate(steps):
        is_value = step.opname == "RETURN_VALUE" and steps[at - 1].opname == "LOAD_CONST"
        constant = steps[at - 1] if is_value else step
        if not (is_value or step.opname == "RETURN_CONST") or constant.argval is not None:
            continue
        tests, _ = _tests_before(code, at)
        outcomes = [_outcome_of_last(code, place, branches) for place, _ in tests]
        if any(map(eq, outcomes, tests)):
            return step.offset
    return None


def _entries(error: BaseException) -> list[tuple[types.CodeType, int]]:
    """Where the frames of the traceback stand, outermost first, without the driver's."""
    return [(entry.tb_frame.f_code, entry.tb_lasti) for entry in outside_entries(error)]


def _is_installed(code: types.CodeType) -> bool:
    """Whether code is of anything that was installed."""
    return "site-packages" in code.co_filename or is_library_code(code)


def _is_of_plain_objects(error: Exception, code: types.CodeType) -> bool:
    """Whether Python or NumPy raises this error for what an operand holds, not for its type."""
    if is_own(code) and _SEARCH.search(code.co_filename):
        return False
    if is_own(code) and isinstance(error, IndexError) and code.co_name not in _SUBSCRIPTS:
        return False  # not the index of a traced array itself
    if speaks_of_traces(_NOT_IN_LIST.sub("", text_of(error))):
        return False
    known = next((cls for cls in type(error).__mro__ if cls in _FAILURES), None)
    return known is not None and re.search(_FAILURES[known], text_of(error)) is not None


def _lacks(error: Exception, entries: list[tuple[types.CodeType, int]]) -> bool:
    """Whether an object, None or a plain number lacks what code that asks for no types wants of it.

    A traced object says of which class it is, and lacks what that class lacks.
    """
    users = [(code, at) for code, at in entries if not is_own(code)]
    if not users:
        return False
    if isinstance(error, AttributeError):
        obj, name = error.obj, error.name
        raising = entries[-1][0]  # that of a module is given a name alone
        by_module = raising.co_qualname == "__getattr__" and raising.co_argcount == 1
        if by_module or isinstance(obj, types.ModuleType):
            return True
        cls = obj.__class__  # of a stand-in that does not say whose it is, nobody knows
        foreign = cls.__module__.partition(".")[0] != __name__.partition(".")[0]
        lacks = name is not None and foreign and not hasattr(cls, name)
    else:
        lacks = (
            isinstance(error, TypeError) and _OF_NONE_AND_NUMBERS.search(text_of(error)) is not None
        )
    code, at = users[-1]
    on_purpose = dis.opname[code.co_code[at]] == "RAISE_VARARGS"
    return lacks and not on_purpose and not any(_asks(code, at) for code, at in users)


# ------------------------------------------------------------- errors raised on purpose
def _asks(code: types.CodeType, offset: int) -> bool:
    """Whether code may look at the type of an object rather than at its value.

    What it does in a ``raise`` statement, without a test, makes the message: nothing goes on there.
    """
    steps = _so_far(instructions_of(code), offset)
    if _ASKING.isdisjoint(code.co_names):
        return any(step.opname.startswith("MATCH_") for step in steps)
    end = max(at for at, step in enumerate(steps) if step.offset <= offset)
    messages = {end}
    for at, step in enumerate(steps):
        if step.opname == "RAISE_VARARGS":
            messages.update(range(_start_of_raise(steps, at), at + 1))
    return _any_asks(step for at, step in enumerate(steps) if at not in messages)


def _so_far(steps: list[dis.Instruction], offset: int) -> list[dis.Instruction]:
    """The instructions that may have run before code stands at one: not those behind it.

    Unless code jumps back over it: in a loop, or from a handler, which stands at the end.
    """
    behind = [step for step in steps if step.offset > offset]
    if any(step.opcode in _JUMPING and step.argval <= offset for step in behind):
        return steps
    return steps[: len(steps) - len(behind)]


def _any_asks(steps: Iterable[dis.Instruction]) -> bool:
    return any(
        step.opname.startswith("MATCH_")
        or (isinstance(step.argval, str) and step.argval in _ASKING)
        for step in steps
    )


def _start_of_raise(steps: list[dis.Instruction], at: int) -> int:
    while at and not (steps[at].is_jump_target or _JUMPS.search(steps[at - 1].opname)):
        at -= 1
    return at


_JUMPING = frozenset((*dis.hasjrel, *dis.hasjabs))
_JUMPS = re.compile(r"JUMP|_IF_|FOR_ITER|RAISE|RETURN")
"""Instructions after which the next one may be reached by another way."""


Test = tuple[int, bool]
"""A conditional jump, by its place in the code, and whether it is taken."""
_EITHER: Test = (-1, False)


def _is_decided(entries: list[tuple[types.CodeType, int]], branches: Branches) -> bool:
    """Whether the last decision of the path leads to the ``raise``.

    The tests between the two come out the same in a plain call, since no decision is taken there:
    where no types are asked for, or what they read does not come of that.
    """
    for depth, (code, at) in reversed(list(enumerate(entries))):
        steps = instructions_of(code)
        place, passed = standing_at(steps, at), set[int]()
        while True:
            tests, from_start = _tests_before(code, place)
            for test in tests:
                outcome = _outcome_of_last(code, test[0], branches)
                # which way a jump went whose test was decided further inside is not known
                if outcome == test or (outcome == _EITHER and len(tests) == 1):
                    return True
            place = tests[0][0] if tests else place
            if len(tests) != 1 or from_start or place in passed or is_library_code(code):
                break
            if not _is_alike(entries[: depth + 1], place):
                break
            passed.add(place)
        if tests or not from_start:
            return False
    return False


def _is_alike(entries: list[tuple[types.CodeType, int]], test: int) -> bool:
    """Whether a test in the last of the frames, which decides nothing, is the same for numbers."""
    *callers, (code, at) = entries
    steps, start = instructions_of(code), test
    while start and _READS.match(steps[start - 1].opname):
        start -= 1
    if _asks(code, at):
        is_whole = not start or _ENDS.match(steps[start - 1].opname) is not None
        own = is_whole and _is_of_parameters(code, range(start, test))
        return own and not any(_asks(*caller) for caller in callers)
    read = [step.opname for step in steps[start:test] if "LOAD_FAST" in step.opname]
    sizes = [step.argval for step in steps[start:test] if step.argval in ("ndim", "shape", "size")]
    return len(read) == len(sizes) or all(_TEXTS.isdisjoint(c.co_names) for c, _ in callers)


_READS = re.compile(
    r"LOAD_|UNARY_NOT|TO_BOOL|NOP|CACHE|COPY|COMPARE_OP|IS_OP|PUSH_NULL|PRECALL|KW_NAMES|CALL"
)
"""What computes a truth value of names, constants and calls."""
_ENDS = re.compile(r"STORE_|POP_TOP|.*JUMP")
"""What comes before the first instruction of a test."""


def _is_of_parameters(code: types.CodeType, places: range) -> bool:
    """Whether instructions read constants and parameters alone, and hand no parameter to a call."""
    steps = instructions_of(code)
    condition = [steps[at] for at in places]
    given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    written = {step.argval for step in steps if step.opname.startswith("STORE_FAST")}
    read = [step.argval for step in condition if step.opname.startswith("LOAD_FAST")]
    calls = [at for at in places if steps[at].opname.startswith("CALL")]
    called = {callee[0][1] for at in calls if (callee := callee_at(steps, at))}
    return not _any_asks(condition) and all(
        name in given and name not in written and (not calls or name in called) for name in read
    )


def _is_in_handler(error: BaseException, code: types.CodeType, offset: int) -> bool:
    """Whether a ``raise`` stands in a handler, below no test but that of the error's type.

    That error, which is the function's own, leads there in a plain call, too.
    """
    if error.__context__ is None:
        return False
    steps = instructions_of(code)
    tests, from_start = _tests_before(code, standing_at(steps, offset))
    matched = (steps[at - 1].opname == "CHECK_EXC_MATCH" for at, _ in tests)
    return bool(tests) and not from_start and all(matched)


def _tests_before(code: types.CodeType, place: int) -> tuple[list[Test], bool]:
    """The conditional jumps that lead to an instruction, and whether the code's start does."""
    steps = instructions_of(code)
    sources: dict[int, list[int]] = {}
    for at, step in enumerate(steps):
        if "JUMP" in step.opname or step.opname == "FOR_ITER":
            sources.setdefault(step.argval, []).append(at)
    todo, seen = [place], set()
    tests: list[Test] = []
    from_start = False
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        from_start = from_start or not at
        comes_from = [(source, True) for source in sources.get(steps[at].offset, [])]
        if at and not _LEAVES.match(steps[at - 1].opname):
            comes_from.append((at - 1, False))
        for source, jumps in comes_from:
            if "JUMP_IF" in steps[source].opname or "_IF_" in steps[source].opname:
                if (source, not jumps) in tests:
                    tests.remove((source, not jumps))  # it leads there whatever its outcome is
                    todo.append(source)
                else:
                    tests.append((source, jumps))
            else:
                todo.append(source)  # also from a loop that has come to its end
    return tests, from_start


_LEAVES = re.compile(r"RETURN|RAISE|RERAISE|JUMP_(FORWARD|BACKWARD)(_NO_INTERRUPT)?$|JUMP$")
"""Instructions after which the next one does not follow."""
_BETWEEN = frozenset("TO_BOOL UNARY_NOT COPY NOP PRECALL CALL COMPARE_OP".split())
"""What may stand from a decision, or the call that made it, to the jump that follows it."""


def _outcome_of_last(code: types.CodeType, test: int, branches: Branches) -> Test | None:
    """The way that a jump went if the last decision was its test; None if it was not.

    If that was decided in a function called there, the way is not known: `_EITHER`.
    """
    steps = instructions_of(code)
    for depth, (frame_code, at) in enumerate(branches.standing):
        if frame_code is not code:
            continue
        decided = max((i for i, step in enumerate(steps) if step.offset <= at), default=0)
        between = [step.opname for step in steps[decided + 1 : test]]
        if decided > test or not _BETWEEN.issuperset(between):
            return None
        if any(_asks(inner, at) for inner, at in branches.standing[:depth]):
            return None
        if depth or "CALL" in between:
            return _EITHER
        true = branches.path[branches.taken - 1] is not (between.count("UNARY_NOT") % 2 == 1)
        return test, true is ("TRUE" in steps[test].opname)
    return None
