"""Errors of other libraries that were handed a traced array, recognised and explained.

Contract: an error counts as an escape where a library that the function called was
working on traced values when it raised, or where the error's own words speak of them.
The function's own exceptions pass unchanged.
"""

from __future__ import annotations

import dis
import functools
import re
import sys
import types
from collections.abc import Callable

import numpy as np

from sparsetrace.capture.plain_success import answered, fails_plainly, succeeds_plainly
from sparsetrace.context import Trace
from sparsetrace.errors import (
    FAILURES,
    EscapeError,
    Explanation,
    TracingError,
    explain,
    instead_of,
    opaque_call,
    text_of,
)
from sparsetrace.numbers.text import was_asked_for
from sparsetrace.operands.operands import is_traced
from sparsetrace.operands.poison import A_ROUTINE, POISON
from sparsetrace.operands.raising import is_by_numpy, is_injected
from sparsetrace.user_code.bytecode import (
    Chain,
    callee_at,
    instructions,
    loaded_first,
    standing_at,
)
from sparsetrace.user_code.frames import (
    STANDARD,
    Place,
    is_cythons,
    is_library_code,
    is_own,
    outside_entries,
    place_of,
)
from sparsetrace.user_code.handlers import named
from sparsetrace.user_code.public_names import public_name, public_name_in
from sparsetrace.user_code.read_code import OWN

__all__ = [
    "at_assignment",
    "comes_of_traces",
    "explained",
    "is_refused_by_floats",
    "speaks_of_traces",
]

_MOST_ELEMENTS = 100

_WORDS = re.compile(
    r"Traced(Array|Scalar|Complex|Integer|Truth|Float|Python)|dtype\('?O'?\)|[Oo]bject arrays?|"
    r"\bdtype object|object_|dtype=object|"
    r"type 'object'|holds references|references, but|real or complex array|"
    r"unsupported data type|type not supported|not supported for the input types|_Poison|_CopyMode|"
    r"__array_ufunc__|WRITEBACKIFCOPY|Buffer dtype|[Cc][- ]contiguous|proper array of floats|"
    r"Rational instance|format O\b|buffer API required|unmarshallable|write flag set|"
    r"(?<!output )array is read-only|must be a numpy array|has no callable|"
    r"convert object to NumPy|"
    r"must be (a|an) (float|number|integer or None|float or None|number or None)$"
)
_INDEX = "arrays used as indices must be of integer"
"""What NumPy says where traced values index an ordinary array."""
_READ_ONLY = "destination is read-only"
"""What NumPy says where a method of ``ndarray`` itself is given a traced array to write into."""
_ALSO_FOR_FLOATS = re.compile(
    r"has no len\(\)|not iterable|not subscriptable|not callable|item assignment|cannot unpack|"
    r"item deletion|context manager|is not in (list|deque)$|not in tuple$|"
    r"multiply sequence by|can only concatenate|"
    r"be interpreted as an integer|indices must be integers|"
    r"and '(dict|list|NoneType|set|str|tuple)'|: '(dict|list|NoneType|set|str|tuple)' and "
)
_AS_INTEGER = "be interpreted as an integer"
"""What is said of a float where a whole number is wanted; of a traced one where either will do.

Functions of time (``time.sleep``, ``datetime.fromtimestamp``, the timeout of a lock) take a float
by its exact layout, and ask anything else for a whole number.
"""
_WHOLE_NUMBERS_ALONE = frozenset(
    "bin bytearray bytes center chr enumerate expandtabs factorial hex index insert islice ljust "
    "oct pop randrange range repeat replace rjust rotate round rsplit split splitlines to_bytes "
    "zfill".split()
)
"""Functions and methods of Python's that refuse a float by those words."""
_REMEDY = (
    "Write it with NumPy functions, which are traced; or compute it from constants, outside of "
    "the traced function."
)
_MAKE_IT_TRACEABLE = (
    "Make the array in the traced function, of float type: np.zeros(n), or np.array(a, "
    "dtype=float) in place of a.copy() for an array that comes from outside, from a random "
    "generator or from an integer array."
)
_ARRAYS = ("numpy", "sparsetrace")
_OF_CODE = (DeprecationWarning, FutureWarning, PendingDeprecationWarning)
"""Warnings that speak of the function that is called, as long as NumPy does not look at types."""
_PYTHONS = frozenset(("builtins", "cmath", "math", "sparsetrace.capture.math_module"))
_ASSIGNMENTS = ("STORE_SUBSCR", "STORE_SLICE")
"""The instructions of ``a[i] = v`` and, since Python 3.12, ``a[i:j] = v``."""


def speaks_of_traces(text: str) -> bool:
    """Whether the words of an error are about traced objects, or arrays of objects."""
    return _WORDS.search(text) is not None


def _package(frame: types.FrameType) -> str:
    if is_own(frame.f_code):  # it may stand in a module of the user's for a function there
        return __name__.partition(".")[0]
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _is_library(frame: types.FrameType, own: str | None) -> bool:
    """Whether a frame is of a library, other than the package `own` of the function."""
    package = _package(frame)
    if package in OWN:
        return True
    filename = frame.f_code.co_filename
    if "site-packages" in filename or "dist-packages" in filename:
        return package != own
    return filename.startswith((STANDARD, "<frozen"))


def _is_compiled(frame: types.FrameType) -> bool:
    """Whether a frame is of a library that is compiled, or of Python's own."""
    return _package(frame) in OWN or is_library_code(frame.f_code)


def _split(
    error: BaseException, is_library: Callable[[types.FrameType], bool] | None = None
) -> tuple[types.TracebackType | None, list[types.FrameType]]:
    """The innermost entry of the function's own code, and the library frames inside it.

    By default all that is installed is a library, but for the package of the function.
    """
    entries = outside_entries(error)
    own = _package(entries[0].tb_frame) if entries else None
    is_library = is_library or functools.partial(_is_library, own=own)
    libraries: list[types.FrameType] = []
    while entries and (
        is_library(entries[-1].tb_frame)
        or (len(entries) > 1 and is_cythons(entries[-1].tb_frame.f_code))
    ):
        libraries.insert(0, entries.pop().tb_frame)
    return (entries[-1] if entries else None), libraries


def _stands_at(user: types.TracebackType) -> str:
    """The instruction at which the user's code stands."""
    name = dis.opname[user.tb_frame.f_code.co_code[user.tb_lasti]]
    return "CALL" if name == "PRECALL" else name  # Python 3.11 calls some builtins there


def _callee(user: types.TracebackType) -> Chain:
    """What the user's code calls where it stands."""
    steps = instructions(user.tb_frame.f_code)
    return callee_at(steps, standing_at(steps, user.tb_lasti))


def _reads_bytes(user: types.TracebackType) -> bool:
    """Whether the user's code asks for bytes, for which Python then reads a list of numbers."""
    return any(name == "bytearray" for _, name in _callee(user))


def _may_take_floats(user: types.TracebackType, libraries: list[types.FrameType]) -> bool:
    """Whether the user's code calls compiled code that may work for a float; in doubt, yes.

    An iterator calls some too: ``for t in map(time.gmtime, x)``.
    """
    if libraries or _stands_at(user).startswith(("BINARY", "STORE")):
        return False
    return not any(name in _WHOLE_NUMBERS_ALONE for _, name in _callee(user)[-1:])


def _is_of_ndarray(user: types.TracebackType) -> bool:
    """Whether the user's code calls a method by the class, ``np.ndarray.sort(x)``."""
    called = named(_callee(user), user.tb_frame.f_globals)
    return getattr(called, "__objclass__", None) is np.ndarray


def _is_given_traced(user: types.TracebackType) -> bool:
    """Whether the user's code calls compiled code of a package's, and has traced values."""
    called = named(_callee(user), user.tb_frame.f_globals)
    if called is None or isinstance(called, (types.FunctionType, types.MethodType, type)):
        return False
    owner = getattr(called, "__module__", None) or getattr(
        getattr(called, "__self__", None), "__name__", ""
    )
    package = str(owner).partition(".")[0]
    known = not package or package in OWN or package in sys.stdlib_module_names
    return not known and _holds_traced(user.tb_frame)


def _is_consequence(
    error: Exception,
    user: types.TracebackType,
    libraries: list[types.FrameType],
    trace: Trace | None,
) -> bool:
    """Whether the error comes of a traced value where a number was expected."""
    text = text_of(error)
    if (not libraries and _stands_at(user) == "RAISE_VARARGS") or is_injected(error):
        return False
    if is_by_numpy(error):
        return False
    if isinstance(error, _OF_CODE) and all(_package(f) != "numpy" for f in libraries):
        return False
    # what numbers alone decide is left to the function: numpy.seterr, warnings as errors
    if not isinstance(error, (ArithmeticError, Warning)) and succeeds_plainly(libraries):
        return True
    if any(_package(f) not in _ARRAYS and _holds_traced(f) for f in libraries):
        return True
    if any(_package(f) == "numpy" and _holds_objects(f) for f in libraries):
        return True
    if trace is not None and trace.keeps_writes and _READ_ONLY in text:
        return True
    if isinstance(error, AttributeError):
        by_numpy = any(_package(f) == "numpy" for f in libraries)
        called = not libraries and _stands_at(user).startswith(("CALL", "PRECALL"))
        if (called or by_numpy) and _is_ufunc(error.name):
            return True
        if "Traced" in text:
            return _would_be_there(error, text)
    if "Traced" in text and _ALSO_FOR_FLOATS.search(text) and not _reads_bytes(user):
        return _AS_INTEGER in text and _may_take_floats(user, libraries)
    if speaks_of_traces(text) or (_INDEX in text and not libraries):
        return True
    called = not libraries and _stands_at(user).startswith("CALL")
    if called and (_READ_ONLY in text or _is_of_ndarray(user) or _is_given_traced(user)):
        return True
    # what was to read a number in the text of a traced one may say no word of the text
    reads = isinstance(error, (IndexError, SyntaxError, ValueError)) or "NoneType" in text
    reads = reads or type(error).__module__ == "decimal"
    if any(_package(frame) in OWN for frame in libraries):
        reads = reads and (not _was_raised(error) or any(map(_reads_text, libraries)))
    return reads and (was_asked_for(trace, user.tb_frame) or any(map(_reads_text, libraries)))


def _is_ufunc(name: str | None) -> bool:
    """Whether NumPy's loop over objects looks for a method of this name."""
    return isinstance(getattr(np, name or "", None), np.ufunc)


def _would_be_there(error: AttributeError, text: str) -> bool:
    """Whether what a traced object lacks is there on a plain one, and may be assigned to."""
    if "Masked" in text:
        return " setter" in text or hasattr(np.ma.array(0.0), error.name or "")
    return hasattr(np.ndarray if "TracedArray" in text else np.float64, error.name or "")


def _holds_traced(frame: types.FrameType) -> bool:
    return any(map(_is_of_trace, list(frame.f_locals.values())))


def _holds_objects(frame: types.FrameType) -> bool:
    """Whether a function of NumPy's works on an array of objects, made of traced numbers."""
    values = frame.f_locals.values()
    return any(type(x) is np.ndarray and x.dtype == object and _is_of_trace(x) for x in values)


def _was_raised(error: Exception) -> bool:
    """Whether a ``raise`` statement made the error, and not compiled code."""
    innermost = error.__traceback__
    while innermost is not None and innermost.tb_next is not None:
        innermost = innermost.tb_next
    return innermost is not None and _stands_at(innermost) == "RAISE_VARARGS"


def _reads_text(frame: types.FrameType) -> bool:
    """Whether a library was given the text of a traced value."""
    values = list(frame.f_locals.values())
    for value in list(values):
        values += value if isinstance(value, (list, tuple)) else ()
    return any(isinstance(value, str) and "Traced" in value for value in values)


def _is_of_trace(value: object, depth: int = 3) -> bool:
    """Whether a variable of a library's is traced, or a plain copy of what was."""
    if isinstance(value, (dict, list, tuple)):
        items = list(value.values() if isinstance(value, dict) else value)[:_MOST_ELEMENTS]
        return depth > 0 and any(_is_of_trace(item, depth - 1) for item in items)
    if is_traced(value):
        return True
    if isinstance(value, np.ndarray) and value.dtype == object:
        return any(item is POISON or is_traced(item) for item in value.flat[:_MOST_ELEMENTS])
    return False


def comes_of_traces(error: Exception) -> bool:
    """Whether an error may come of a traced value where the plain function gets a number.

    Installed packages are as good as the user's own code here, as far as they are Python.
    """
    user, libraries = _split(error, _is_compiled)
    if user is None:
        return False
    calls = not libraries and _stands_at(user).startswith("CALL")
    if calls and _is_library(user.tb_frame, own=None) and not _calls_pythons(user):
        return True
    return _is_consequence(error, user, libraries, None)


def fails_alike(error: Exception) -> bool:
    """Whether a call of a library's fails by this error for any numbers of these shapes."""
    user, libraries = _split(error)
    return user is not None and bool(libraries) and fails_plainly(error, libraries)


def _calls_pythons(user: types.TracebackType) -> bool:
    """Whether the user's code calls a function of Python's own by name, and nothing compiled."""
    called = named(_callee(user), user.tb_frame.f_globals)
    return getattr(called, "__module__", None) in _PYTHONS


def is_refused_by_floats(error: Exception) -> bool:
    """Whether Python refused an operation on a traced value that it refuses on a number too."""
    text = text_of(error)
    return (
        isinstance(error, TypeError)
        and "Traced" in text
        and _ALSO_FOR_FLOATS.search(text) is not None
        and not comes_of_traces(error)
    )


def explained(
    error: BaseException, *, later: BaseException | None = None, trace: Trace | None = None
) -> BaseException:
    """The error as the user shall see it: itself, or an `EscapeError` in its place.

    Compiled code may catch the error and raise another one, `later`, which then knows
    the place in the function's code.  The trace knows where text was made.
    """
    placed = error
    user, libraries = _split(error)
    if user is None and later is not None:
        placed = later
        user, libraries = _split(later)
    if user is None or not isinstance(error, Exception):
        return error
    outside = [frame for frame in libraries if _package(frame) not in _ARRAYS]
    place = place_of(user)
    instead = next(filter(None, map(instead_of, map(_package, outside))), "")
    if isinstance(error, EscapeError) and not outside:
        if _stands_at(user) in _ASSIGNMENTS:
            return EscapeError(_assignment(place))
        held = _package_of_what_is_held(user.tb_frame) if error.call == A_ROUTINE else ""
        if held:
            problem = f"what came out of {held} holds no numbers of a trace"
            return EscapeError(explain(error.call, problem, instead_of(held), place=place))
    if isinstance(error, TracingError) and outside and (instead or isinstance(error, EscapeError)):
        call = _item_of(user) or public_name_in(outside)
        return EscapeError(_inside(error, placed, call, place, instead))
    if isinstance(error, TracingError):
        if outside:
            error.add_note(f"inside {public_name_in(outside)}, called at {place}")
        return error
    if not _is_consequence(error, user, libraries, trace):
        return error
    if isinstance(error, IndexError) and not libraries:
        return EscapeError(
            explain(
                "an index",
                f"an ordinary array cannot be indexed by traced values ({text_of(error)})",
                "Index a copy that is made in the traced function, np.array(table)[i]; the indices "
                "themselves must be whole numbers.",
                place=place,
            )
        )
    if libraries:
        call = answered(libraries) or _item_of(user) or public_name_in(outside or libraries)
    else:
        call = _called_name(user) or "a compiled routine or a conversion"
    said = f"{type(error).__name__}: {text_of(error)}"
    problem = f"it was given traced values, which it cannot take ({said})"
    return EscapeError(explain(call, problem, *_remedies(call, instead), place=place))


def _package_of_what_is_held(frame: types.FrameType) -> str:
    """A package whose arrays no trace can be in, if a name in the frame's code is of it."""
    values = [*frame.f_locals.values(), *map(frame.f_globals.get, frame.f_code.co_names)]
    modules = [x.__name__ if type(x) is types.ModuleType else type(x).__module__ for x in values]
    return next(filter(instead_of, (module.partition(".")[0] for module in modules)), "")


def _called_name(user: types.TracebackType) -> str | None:
    """The public name of what the user's code calls where it stands; None if that is not known."""
    if not _stands_at(user).startswith("CALL"):
        return None
    called = named(_callee(user), user.tb_frame.f_globals)
    return public_name(called) if callable(called) else None


def _remedies(call: str, instead: str) -> tuple[str, ...]:
    first = instead or _REMEDY
    return (first, opaque_call(call)) if "." in call else (first,)


def _assignment(place: Place) -> Explanation:
    return explain(
        "an assignment",
        "a traced value was about to be written into an ordinary array, which cannot hold it",
        _MAKE_IT_TRACEABLE,
        place=place,
    )


def _item_of(user: types.TracebackType) -> str:
    """``df.loc[...]``, where the user's code reads or writes an item; a class is known by less."""
    instruction = _stands_at(user)
    if instruction not in (*_ASSIGNMENTS, "BINARY_SUBSCR", "BINARY_SLICE"):
        return ""
    steps = instructions(user.tb_frame.f_code)
    at = sum(step.offset <= user.tb_lasti for step in steps) - 1
    name = ".".join(str(name) for _, name in loaded_first(steps, at))
    return name and f"{name}[...]{' = ...' if instruction in _ASSIGNMENTS else ''}"


def at_assignment(frame: types.FrameType) -> EscapeError | None:
    """The error where code stands at an assignment to an element of what holds plain numbers."""
    if dis.opname[frame.f_code.co_code[frame.f_lasti]] not in _ASSIGNMENTS:
        return None
    token = FAILURES.set(None)
    try:
        place = Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        return EscapeError(_assignment(place))
    finally:
        FAILURES.reset(token)


def _inside(
    error: TracingError, placed: BaseException, call: str, place: Place, instead: str
) -> Explanation:
    """What an escape in a library is to who called the library; `placed` has the traceback.

    Where a line of the library's Python code writes into an ordinary array, that line is named:
    it may be the user's own package that is installed.
    """
    writing = next(
        (e for e in reversed(outside_entries(placed)) if _package(e.tb_frame) not in _ARRAYS), None
    )
    writes = writing is not None and _stands_at(writing) in _ASSIGNMENTS
    if writing is not None and writes and not is_library_code(writing.tb_frame.f_code):
        return explain(
            call,
            f"at {place_of(writing)} it writes a traced value into an ordinary array, which "
            "cannot hold it",
            _MAKE_IT_TRACEABLE,
            opaque_call(call),
            place=place,
        )
    asked = error.call or text_of(error).partition(" at ")[0]
    problem = f"it needs the values of traced numbers ({asked} inside of it)"
    return explain(call, problem, *_remedies(call, instead), place=place)
