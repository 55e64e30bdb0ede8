"""Calls of compiled functions that read memory: taken as a whole.

Contract: each number of a result, and each element of an array that may be written into, depends
on all traced arguments, jointly nonlinear.  Types and shapes come from calls with other numbers,
at a point from one with the values there.  Nothing is taken for granted that a call can show: that
equal arguments give equal results, in memory of their own, and which arrays are not written into.
In doubt the call is given up.
"""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsetrace.capture.buffer_requests import Exporter
from sparsetrace.capture.compiled_arguments import (
    SAMPLES,
    Arguments,
    Copies,
    GivenUp,
    Numbers,
    at_the_point,
    beside_the_point,
    known,
)
from sparsetrace.capture.session import SESSION
from sparsetrace.context import CURRENT
from sparsetrace.user_code.frames import is_library_code

__all__ = ["Learned", "Outcome", "at_point", "learned", "of_known"]

_NUMBERS = (bool, complex, float, int)
_KINDS = "biufc"
_MOST_BYTES = 1_000_000
_FEWEST = 2
"""Samples that a function has to take."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call gave.

    Attributes
    ----------
    result : object
    copies : Copies
        What it was given.
    structure : tuple
        The types and shapes in the result, and which arrays of the arguments are in it.
    numbers : list of bytes
        Those in the result, and in the arrays of the arguments.
    discrete : list of bytes
        Of these the whole numbers and truth values.
    fresh : list of array
        New arrays in the result.
    """

    result: Any
    copies: Copies
    structure: Any
    numbers: list[bytes]
    discrete: list[bytes]
    fresh: list[Any]


@dataclass(frozen=True, slots=True)
class Learned:
    """What is known of all calls with arguments of the same types and shapes.

    Attributes
    ----------
    outcome : Outcome
        That of a sample; at a point, of the values there.
    written : set of int
        The places of arrays that may be written into.
    failures : list of type
        Errors that some samples raise.
    is_at_step : bool
        Whether whole numbers are others near the point.
    """

    outcome: Outcome
    written: set[int]
    failures: tuple[type[Exception], ...] = ()
    is_at_step: bool = False


class DiffersError(Exception):
    """Types or shapes depend on the values."""


def of_known(function: Callable[..., Any], given: Arguments) -> Outcome:
    """The call itself, whose arguments depend on no input; it writes into plain arrays as ever."""
    copies = given.copies(known)
    own = {i: x for i, x in enumerate(given.arrays) if id(x) not in set(map(id, given.traced))}
    args, kwargs = copies.made(own)
    return _outcome(_without_other_writes(function, args, kwargs), copies)


def at_point(function: Callable[..., Any], given: Arguments) -> Learned:
    """The call with the values at a point, and what shows beside it."""
    outcome = _run(function, given, at_the_point)
    written, at_step, seen = outcome.copies.changed(), False, 0
    beside = []
    for sign in (1.0, -1.0):
        try:
            other = _run(function, given, beside_the_point(sign))
        except GivenUp:
            raise
        except Exception:
            continue
        seen += 1
        beside.append(other)
        written |= other.copies.changed()
        at_step |= other.structure != outcome.structure or other.discrete != outcome.discrete
    again = _run(function, given, at_the_point)  # after the others, which may have left something
    _check_equal(outcome, again)
    if not seen:
        written |= _asked_to_write(function, given, at_the_point, written)
    _check_fresh([outcome, again, *beside])
    return _judged(Learned(outcome, written, is_at_step=at_step))


def learned(function: Callable[..., Any], given: Arguments) -> Learned:
    """What calls with other numbers show of a call of which no values are known.

    Raises
    ------
    DiffersError
        If types or shapes depend on the values.
    """
    outcomes: list[tuple[Numbers, Outcome]] = []
    failures: dict[type[Exception], None] = {}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are about numbers that are not the user's
        for numbers in SAMPLES:
            try:
                outcomes.append((numbers, _run(function, given, numbers)))
            except GivenUp:
                raise
            except Exception as error:
                failures[type(error)] = None
        if len(outcomes) < _FEWEST:
            raise GivenUp
        numbers, first = outcomes[0]
        again = _run(function, given, numbers)  # after the others, which may have left something
        _check_equal(first, again)
        runs = [outcome for _, outcome in outcomes]
        if any(outcome.structure != first.structure for outcome in runs):
            raise DiffersError
        _check_fresh([*runs, again])
        seen = set().union(*(outcome.copies.changed() for outcome in runs))
        _judged(Learned(first, seen))
        written = seen | _asked_to_write(function, given, numbers, seen)
        for place in range(len(given.arrays)):
            if place not in written and given.is_writable(place):
                reads = (_only_reads(function, given, *sample, place) for sample in outcomes)
                written |= set() if all(reads) else {place}
    return Learned(first, written, tuple(failures))


def _judged(found: Learned) -> Learned:
    """The same, unless the call may have done something that is not seen."""
    structure = found.outcome.structure
    if not found.written and not _holds_numbers(structure):
        raise GivenUp  # a status, say: what it is about has been kept somewhere
    return found


def _holds_numbers(structure: Any) -> bool:
    """Whether there is an array in a result, or a number that is no whole one."""
    if type(structure) is tuple and structure:
        if structure[0] == "array":
            return True
        if structure[0] == "number":
            return bool(np.dtype(structure[1]).kind in "fc")
        return any(map(_holds_numbers, structure))
    return False


# ------------------------------------------------------------------- the calls
def _run(function: Callable[..., Any], given: Arguments, numbers: Numbers) -> Outcome:
    """One call with copies of the arguments."""
    copies = given.copies(numbers)
    args, kwargs = copies.made()
    held = _references(copies)
    with _observed(function):
        result = _without_other_writes(function, args, kwargs)
    outcome = _outcome(result, copies)
    more, none = [_count(result, array) for array in copies.arrays], [0] * len(copies.around)
    now = _references(copies)
    if [before + count for before, count in zip(held, [*more, *none], strict=True)] != now:
        raise GivenUp  # it keeps an array
    return outcome


def _references(copies: Copies) -> list[int]:
    """Those to the arrays, and to the memory that views of them refer to."""
    return [sys.getrefcount(array) for array in (*copies.arrays, *copies.around)]


def _without_other_writes(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The result of a call; given up if it writes into a list or a dict."""
    before = repr(_without_arrays((args, kwargs)))
    result = _called(function, args, kwargs)
    if repr(_without_arrays((args, kwargs))) != before:
        raise GivenUp
    return result


def _called(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    token = CURRENT.set(None)
    try:
        return function(*args, **kwargs)
    finally:
        CURRENT.reset(token)


@contextmanager
def _observed(function: Any) -> Iterator[None]:
    """Around a call: given up where it runs Python code that may keep what it is given.

    And where it changes names of its module.
    """
    scope = getattr(sys.modules.get(str(getattr(function, "__module__", ""))), "__dict__", {})
    before = _state(scope)
    ran: dict[types.CodeType, dict[str, Any]] = {}
    watched = sys.getprofile() is None

    def profile(frame: types.FrameType, event: str, argument: object) -> None:
        if event == "call" and not is_library_code(frame.f_code):
            ran[frame.f_code] = frame.f_globals

    if watched:
        sys.setprofile(profile)
    try:
        yield
    finally:
        if watched:
            sys.setprofile(None)
    if _state(scope) != before or any(map(_may_keep, ran, ran.values())):
        raise GivenUp


def _may_keep(code: types.CodeType, scope: dict[str, Any]) -> bool:
    """Whether Python code may change anything but its result."""
    session = SESSION.get()
    if session is None or code.co_freevars:
        return True
    return session.has_effects(types.FunctionType(code, scope))


def _state(scope: dict[str, Any]) -> dict[str, Any]:
    """What names of a module stand for, and what is in arrays and containers among that."""
    found: dict[str, Any] = {}
    for name, value in list(scope.items()):
        if name.startswith("__"):
            continue
        found[name] = id(value)
        if type(value) is np.ndarray and value.dtype != object and value.nbytes < _MOST_BYTES:
            found[name] = id(value), value.tobytes()
        elif type(value) in (dict, list, set):
            found[name] = id(value), len(value)
    return found


def _without_arrays(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return id(x)
    if type(x) in (tuple, list):
        return [_without_arrays(item) for item in x]
    if type(x) is dict:
        return [(key, _without_arrays(item)) for key, item in x.items()]
    return x


def _count(x: Any, array: Any) -> int:
    """How often an array is in a result."""
    if x is array:
        return 1
    if type(x) in (tuple, list):
        return sum(_count(item, array) for item in x)
    return sum(_count(item, array) for item in x.values()) if type(x) is dict else 0


# --------------------------------------------------------------------- results
def _outcome(result: Any, copies: Copies) -> Outcome:
    outcome = Outcome(result, copies, None, [], [], [])
    structure = _structure(result, outcome)
    for array in copies.arrays:
        _note(array, outcome)
    return Outcome(result, copies, structure, outcome.numbers, outcome.discrete, outcome.fresh)


def _structure(x: Any, outcome: Outcome) -> Any:
    if x is None:
        return None
    if type(x) in _NUMBERS:
        _note(np.asarray(x), outcome)
        return "number", np.asarray(x).dtype.str, type(x).__name__
    if isinstance(x, np.generic) and x.dtype.kind in _KINDS:
        _note(np.asarray(x), outcome)
        return "number", x.dtype.str, "np"
    for place, array in enumerate(outcome.copies.arrays):
        if x is array:
            return "argument", place
    if type(x) is np.ndarray and x.dtype.kind in _KINDS:
        _note(x, outcome)
        outcome.fresh.append(x)
        return "array", x.shape, x.dtype.str
    if type(x) in (tuple, list):
        return type(x).__name__, tuple(_structure(item, outcome) for item in x)
    if type(x) is dict and all(type(key) is str for key in x):
        return "dict", tuple(x), tuple(_structure(item, outcome) for item in x.values())
    raise GivenUp


def _note(array: Any, outcome: Outcome) -> None:
    outcome.numbers.append(array.tobytes())
    if array.dtype.kind not in "fc":
        outcome.discrete.append(array.tobytes())


def _check_equal(one: Outcome, other: Outcome) -> None:
    if one.structure != other.structure or one.numbers != other.numbers:
        raise GivenUp  # it draws numbers, or remembers


def _check_fresh(outcomes: list[Outcome]) -> None:
    """Give up where a result shows memory that something else shows, too."""
    arrays = [array for outcome in outcomes for array in outcome.fresh]
    given = [array for outcome in outcomes for array in outcome.copies.arrays]
    for place, array in enumerate(arrays):
        others = (*arrays[:place], *given)
        if any(np.may_share_memory(array, other) for other in others):
            raise GivenUp


# ---------------------------------------------------------------------- writes
def _asked_to_write(
    function: Callable[..., Any], given: Arguments, numbers: Numbers, known_to: set[int]
) -> set[int]:
    """The places of arrays that the function takes only if it may write into them."""
    found = set()
    for place in range(len(given.arrays)):
        if place in known_to or not given.is_writable(place):
            continue
        copies = given.copies(numbers)
        copies.arrays[place].flags.writeable = False
        args, kwargs = copies.made()
        try:
            _called(function, args, kwargs)
        except Exception:
            found.add(place)
        else:
            found.update(copies.changed())
    return found


def _only_reads(
    function: Callable[..., Any], given: Arguments, numbers: Numbers, wanted: Outcome, place: int
) -> bool:
    """Whether the function takes a buffer for an array, and does not ask for more than to read."""
    copies = given.copies(numbers)
    exporter = Exporter(copies.arrays[place])
    args, kwargs = copies.made({place: exporter})
    try:
        outcome = _outcome(_called(function, args, kwargs), copies)
    except Exception:
        return False
    same = outcome.structure == wanted.structure and outcome.numbers == wanted.numbers
    return same and exporter.is_read_alone()
