"""Calls of compiled functions at a point, made with copies of the arguments: what they show.

Contract: types, shapes and values of a result, and which arrays are written into, come from calls
with the values at the point and a little beside it.  Nothing is taken for granted that a call can
show: that equal arguments give equal results, in memory of their own, and of the arguments alone.
In doubt the call is given up.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsetrace.capture.compiled_arguments import Arguments, Copies, GivenUp
from sparsetrace.capture.session import SESSION
from sparsetrace.context import CURRENT
from sparsetrace.user_code.frames import is_library_code

__all__ = ["Outcome", "Seen", "seen"]

_NUMBERS = (bool, complex, float, int)
_KINDS = "biufc"
_MOST_BYTES = 1_000_000


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
class Seen:
    """What calls at a point and beside it have shown.

    Attributes
    ----------
    outcome : Outcome
        That of the values at the point.
    written : set of int
        The places of arrays that may be written into.
    is_at_step : bool
        Whether whole numbers are others near the point.
    """

    outcome: Outcome
    written: set[int]
    is_at_step: bool


def seen(function: Callable[..., Any], given: Arguments) -> Seen:
    """The call with the values at a point, and what shows beside it."""
    outcome = _run(function, given)
    beside = []
    for sign in (1.0, -1.0):
        try:
            beside.append(_run(function, given, sign))
        except GivenUp:
            raise
        except Exception:
            continue
    again = _run(function, given, rest=1)  # after the others, which may have left something
    if outcome.structure != again.structure or outcome.numbers != again.numbers:
        raise GivenUp  # it draws numbers, remembers, or reads beside the arrays
    _check_fresh([outcome, again, *beside])
    written = outcome.copies.changed().union(*(other.copies.changed() for other in beside))
    if not beside:
        written = set(filter(given.is_writable, range(len(given.arrays))))
    if not written and not _holds_numbers(outcome.structure):
        raise GivenUp  # a status, say: what it is about has been kept somewhere
    at_step = any(
        (other.structure, other.discrete) != (outcome.structure, outcome.discrete)
        for other in beside
    )
    return Seen(outcome, written, at_step)


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
def _run(
    function: Callable[..., Any], given: Arguments, sign: float = 0.0, *, rest: int = 0
) -> Outcome:
    """One call with copies of the arguments."""
    copies = given.copies(sign, rest=rest)
    args, kwargs = copies.made()
    held = copies.references()
    with _observed(function):
        result = _without_other_writes(function, args, kwargs)
    outcome = _outcome(result, copies)
    more = [_count(result, array) for array in copies.arrays]
    wanted = [before + count for before, count in zip(held, more + [0] * len(more), strict=True)]
    if wanted != copies.references():
        raise GivenUp  # it keeps an array
    copies.changed()
    return outcome


def _without_other_writes(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The result of a call; given up if it writes into a list or a dict."""
    before = repr(_without_arrays((args, kwargs)))
    token = CURRENT.set(None)
    try:
        result = function(*args, **kwargs)
    finally:
        CURRENT.reset(token)
    if repr(_without_arrays((args, kwargs))) != before:
        raise GivenUp
    return result


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


def _check_fresh(outcomes: list[Outcome]) -> None:
    """Give up where a result shows memory that something else shows, too."""
    arrays = [array for outcome in outcomes for array in outcome.fresh]
    given = [array for outcome in outcomes for array in outcome.copies.arrays]
    for place, array in enumerate(arrays):
        others = (*arrays[:place], *given)
        if any(np.may_share_memory(array, other) for other in others):
            raise GivenUp
