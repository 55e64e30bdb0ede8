"""Errors of other libraries that were handed a traced array, recognised and explained.

Contract: an error counts as an escape where a library that the function called was
working on traced values when it raised, or where the error's own words speak of them.
The function's own exceptions pass unchanged.  `watching` finds escapes that the
function swallows (``except Exception: return 0``), which would lose dependencies.
"""

from __future__ import annotations

import dis
import itertools
import os
import re
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from sparsetrace.bytecode import callee_at
from sparsetrace.dispatch.operands import is_traced
from sparsetrace.errors import COMPILED, FAILURES, EscapeError, TracingError
from sparsetrace.graph import CURRENT, Graph
from sparsetrace.handlers import is_harmless
from sparsetrace.poison import POISON
from sparsetrace.text import was_asked_for

__all__ = ["explained", "may_swallow", "speaks_of_traces", "watching"]

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_MOST_LOOKED_AT = 3000
_MOST_ELEMENTS = 100
_WIDESPREAD = frozenset(
    "jax matplotlib numba pandas pytest sklearn sympy tensorflow torch xarray".split()
)
"""Libraries whose modules are not searched for exception handlers."""
_PUSH_EXC_INFO = dis.opmap["PUSH_EXC_INFO"]
_STANDARD = os.path.dirname(os.__file__) + os.sep
_OWN = ("numpy", "scipy", "sparsetrace")
_WORDS = re.compile(
    r"Traced(Array|Scalar|Complex|Integer|Truth|Float|Python)|dtype\('?O'?\)|[Oo]bject arrays?|"
    r"\bdtype object|object_|dtype=object|"
    r"type 'object'|holds references|references, but|real or complex array|"
    r"unsupported data type|type not supported|not supported for the input types|_Poison|_CopyMode|"
    r"__array_ufunc__|WRITEBACKIFCOPY|Buffer dtype|[Cc][- ]contiguous|proper array of floats|"
    r"Rational instance|format O\b|buffer API required|unmarshallable|write flag set"
)
_ALSO_FOR_FLOATS = re.compile(
    r"has no len\(\)|not iterable|not subscriptable|not callable|item assignment|cannot unpack|"
    r"item deletion|context manager|multiply sequence by|can only concatenate|"
    r"and '(dict|list|NoneType|set|str|tuple)'|: '(dict|list|NoneType|set|str|tuple)' and "
)
_REMEDY = (
    "Write it with NumPy functions, which are traced; or compute it from constants, outside of "
    "the traced function"
)


def speaks_of_traces(text: str) -> bool:
    """Whether the words of an error are about traced objects, or arrays of objects."""
    return _WORDS.search(text) is not None


def _package(frame: types.FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _is_library(frame: types.FrameType, own: str | None) -> bool:
    """Whether a frame is of a library, other than the package `own` of the function."""
    package = _package(frame)
    if package in _OWN:
        return True
    filename = frame.f_code.co_filename
    if "site-packages" in filename or "dist-packages" in filename:
        return package != own
    return filename.startswith((_STANDARD, "<frozen"))


def _entries(error: BaseException) -> list[types.TracebackType]:
    """The entries of the traceback, outermost first, those of the driver left out."""
    found: list[types.TracebackType] = []
    traceback = error.__traceback__
    while traceback is not None:
        found.append(traceback)
        traceback = traceback.tb_next
    while found and _package(found[0].tb_frame) == "sparsetrace":
        del found[0]
    return found


def _split(
    error: BaseException,
) -> tuple[types.TracebackType | None, list[types.FrameType]]:
    """The innermost entry of the function's own code, and the library frames inside it."""
    entries = _entries(error)
    own = _package(entries[0].tb_frame) if entries else None
    libraries: list[types.FrameType] = []
    while entries and (
        _is_library(entries[-1].tb_frame, own)
        or (len(entries) > 1 and entries[-1].tb_frame.f_code.co_filename.endswith(COMPILED))
    ):
        libraries.insert(0, entries.pop().tb_frame)
    return (entries[-1] if entries else None), libraries


def _public_name(frames: list[types.FrameType]) -> str:
    """The library function as the user called it: ``scipy.linalg.solve``."""
    for frame in frames:
        function = frame.f_code.co_name
        module = str(frame.f_globals.get("__name__", ""))
        parts = module.split(".")
        public = ".".join(part for part in parts if not part.startswith("_"))
        if hasattr(sys.modules.get(public), function):
            return f"{public}.{function}"
    frame = frames[0]
    module = str(frame.f_globals.get("__name__", "?"))
    name = frame.f_code.co_qualname.removeprefix(f"{module}.")  # Cython says the module too
    return f"{module}.{name}".removesuffix(".__init__")


def _place(user: types.TracebackType) -> str:
    code = user.tb_frame.f_code
    return f"{code.co_filename}:{user.tb_lineno} (in {code.co_name})"


def _imports_numba(libraries: list[types.FrameType]) -> bool:
    """Whether the error arose in a module of numba's that was being imported."""
    imports = any(f.f_code.co_filename.startswith("<frozen importlib") for f in libraries)
    return imports and any(_package(frame) == "numba" for frame in libraries)


def _stands_at(user: types.TracebackType) -> str:
    """The instruction at which the user's code stands."""
    return dis.opname[user.tb_frame.f_code.co_code[user.tb_lasti]]


def _is_consequence(
    error: Exception,
    user: types.TracebackType,
    libraries: list[types.FrameType],
    graph: Graph | None,
) -> bool:
    """Whether the error comes of a traced value where a number was expected."""
    text = str(error)
    if not libraries and _stands_at(user) == "RAISE_VARARGS":
        return False
    if any(_package(f) not in ("numpy", "sparsetrace") and _holds_traced(f) for f in libraries):
        return True
    if isinstance(error, AttributeError) and "Traced" in text:
        kind = np.ndarray if "TracedArray" in text else np.float64
        return hasattr(kind, error.name or "")
    if "Traced" in text and _ALSO_FOR_FLOATS.search(text):
        return False
    if speaks_of_traces(text):
        return True
    # what was to read a number in the text of a traced one may say no word of the text
    reads = isinstance(error, (IndexError, SyntaxError, ValueError)) or "NoneType" in text
    reads = reads or type(error).__module__ == "decimal"
    reads = reads and all(_package(frame) not in _OWN for frame in libraries)
    return reads and was_asked_for(graph, user.tb_frame)


def _holds_traced(frame: types.FrameType) -> bool:
    return any(map(_is_of_trace, list(frame.f_locals.values())))


def _is_of_trace(value: Any, depth: int = 3) -> bool:
    """Whether a variable of a library's is traced, or a plain copy of what was."""
    if isinstance(value, (dict, list, tuple)):
        items = list(value.values() if isinstance(value, dict) else value)[:_MOST_ELEMENTS]
        return depth > 0 and any(_is_of_trace(item, depth - 1) for item in items)
    if is_traced(value):
        return True
    if isinstance(value, np.ndarray) and value.dtype == object:
        return any(item is POISON or is_traced(item) for item in value.flat[:_MOST_ELEMENTS])
    return False


def explained(
    error: BaseException, *, later: BaseException | None = None, graph: Graph | None = None
) -> BaseException:
    """The error as the user shall see it: itself, or an `EscapeError` in its place.

    Compiled code may catch the error and raise another one, `later`, which then knows
    the place in the function's code.  The graph of the run knows where text was made.
    """
    user, libraries = _split(error)
    if user is None and later is not None:
        user, libraries = _split(later)
    if user is None or not isinstance(error, Exception):
        return error
    outside = [frame for frame in libraries if _package(frame) not in ("numpy", "sparsetrace")]
    if isinstance(error, EscapeError) and not outside and _stands_at(user) == "STORE_SUBSCR":
        return EscapeError(
            f"an assignment at {_place(user)}: a traced value was about to be written into an "
            "ordinary array, which cannot hold it. Make the array in the traced function, of "
            "float type: np.zeros(n), or np.array(a, dtype=float) in place of a.copy() for an "
            "array that comes from outside, from a random generator or from an integer array."
        )
    if isinstance(error, EscapeError) and outside:
        return EscapeError(
            f"{_public_name(outside)} at {_place(user)}: it needs the values of traced numbers "
            f"({str(error).partition(' at ')[0]} inside of it). {_REMEDY}."
        )
    if _imports_numba(libraries):
        return EscapeError(
            f"the import of numba at {_place(user)}: it looks for NumPy's own functions, some of "
            f"which are exchanged while a trace runs ({type(error).__name__}: {error}). Import it "
            "before the traced function is called, at the top of its module."
        )
    if isinstance(error, TracingError):
        if outside:
            error.add_note(f"inside {_public_name(outside)}, called at {_place(user)}")
        return error
    if not _is_consequence(error, user, libraries, graph):
        return error
    call = _public_name(outside or libraries) if libraries else "a compiled routine or a conversion"
    return EscapeError(
        f"{call} at {_place(user)}: it was given traced values, which it cannot take "
        f"({type(error).__name__}: {error}). {_REMEDY}."
    )


# ------------------------------------------------------------ swallowed errors
def may_swallow(function: Callable[..., Any]) -> bool:
    """Whether the code that a function can reach by name has an exception handler.

    Looks at its own modules, not at libraries; where there is too much to look at, yes.
    """
    todo: list[Any] = [function]
    seen: set[int] = set()
    while todo:
        item = todo.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if len(seen) > _MOST_LOOKED_AT:
            return True
        if isinstance(item, types.FunctionType):
            if _is_ours(item.__code__):
                todo += _cells(item)  # the driver's own, which holds the function
                continue
            if _is_foreign(item.__module__, item.__code__.co_filename):
                continue
            if _handles(item.__code__, item.__globals__):
                return True
            todo += _cells(item)
            todo += [item.__globals__.get(name) for name in _names(item.__code__)]
            todo += item.__defaults__ or ()
            todo.append(getattr(item, "__wrapped__", None))
        else:
            todo += _parts(item)
    return False


def _parts(item: Any) -> list[Any]:
    """Where more functions may be found in something that is not one itself."""
    if item is None or isinstance(item, (str, bytes, int, float, complex, np.ndarray)):
        return []
    if isinstance(item, types.MethodType):
        return [item.__func__, type(item.__self__), item.__self__]
    if isinstance(item, (staticmethod, classmethod)):
        return [item.__func__]
    if isinstance(item, property):
        return [item.fget, item.fset]
    if isinstance(item, (list, tuple)):
        return [v for v in item if callable(v)]
    if isinstance(item, dict):
        return [v for v in item.values() if callable(v)]
    if isinstance(item, type):
        bases = [base for base in item.__mro__ if not _is_foreign(base.__module__)]
        return [v for base in bases for v in vars(base).values()]
    if isinstance(item, types.ModuleType):
        if _is_foreign(item.__name__, getattr(item, "__file__", None) or ""):
            return []
        return list(vars(item).values())
    inside = [getattr(item, "func", None), getattr(item, "__wrapped__", None)]  # functools
    if not _is_foreign(type(item).__module__):
        inside += [type(item), *getattr(item, "__dict__", {}).values()]
    return [v for v in (*inside, *(getattr(item, "args", None) or ())) if callable(v)]


def _is_foreign(module: str | None, filename: str = "") -> bool:
    package = (module or "").partition(".")[0]
    if package == "__main__":
        return False
    if package in _OWN or package in sys.stdlib_module_names:
        return True
    return "site-packages" in filename and package in _WIDESPREAD


def _is_ours(code: types.CodeType) -> bool:
    return code.co_filename.startswith(_HERE)


def _cells(function: types.FunctionType) -> list[Any]:
    found = []
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # not filled yet
            found.append(cell.cell_contents)
    return found


def _handles(code: types.CodeType, scope: dict[str, Any]) -> bool:
    """Whether code may swallow an error: ``except``, or ``with`` of what may do so."""
    if code.co_exceptiontable and _PUSH_EXC_INFO in code.co_code[::2]:
        instructions = list(dis.get_instructions(code))
        if not all(
            _passes_on(instructions, at, scope)
            for at, step in enumerate(instructions)
            if step.opname in ("PUSH_EXC_INFO", "BEFORE_WITH", "BEFORE_ASYNC_WITH")
        ):
            return True
    if "suppress" in code.co_names:
        return True
    return any(_handles(c, scope) for c in code.co_consts if isinstance(c, types.CodeType))


_ENDS_IN_SILENCE = frozenset(("CHECK_EXC_MATCH", "CHECK_EG_MATCH", "RETURN_VALUE", "RETURN_CONST"))


def _passes_on(instructions: list[dis.Instruction], at: int, scope: dict[str, Any]) -> bool:
    """Whether the handler, or the ``with``, that begins there raises every error again."""
    if instructions[at].opname != "PUSH_EXC_INFO":
        return is_harmless(callee_at(instructions, at - 1), scope)
    following = [step.opname for step in instructions[at + 1 :]]
    if following[0] == "WITH_EXCEPT_START":  # judged where it is entered
        return any(step.opname == "BEFORE_WITH" for step in instructions)
    for name, after in itertools.pairwise(following):  # the body of a ``finally``
        if name in _ENDS_IN_SILENCE or (name == "POP_EXCEPT" and after != "RERAISE"):
            return False
        if name == "RERAISE":
            return True
    return False


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


Swallowed = list[tuple[Exception, EscapeError]]


@contextmanager
def watching(*, active: bool) -> Iterator[Swallowed]:
    """Every escape that reaches the function's own code, whether or not it swallows it."""
    found: Swallowed = []
    if not active:
        yield found
        return
    known: list[Exception] = []

    def raised(error: BaseException, traceback: types.TracebackType) -> None:
        if isinstance(error, Exception) and not any(error is e for e in known):
            known.append(error)
            shown = _judged(error, traceback)
            if isinstance(shown, EscapeError) and shown is not error:
                found.append((error, shown))

    with _monitoring(raised) if hasattr(sys, "monitoring") else _tracing(raised):
        yield found


Raised = Callable[[BaseException, types.TracebackType], None]


@contextmanager
def _tracing(raised: Raised) -> Iterator[None]:
    """Call `raised` where an error reaches a frame of the function's own, in this thread."""

    def local(frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "exception":
            raised(argument[1], argument[2])
        return local

    def called(frame: types.FrameType, event: str, argument: Any) -> Any:
        if _is_foreign(frame.f_globals.get("__name__"), frame.f_code.co_filename):
            return None
        frame.f_trace_lines = False
        return local

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


@contextmanager
def _monitoring(raised: Raised) -> Iterator[None]:
    """The same since Python 3.12, where calls cost nothing while no error is raised."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    tool = next((number for number in range(6) if monitoring.get_tool(number) is None), None)
    if tool is None:
        with _tracing(raised):
            yield
        return
    failures = FAILURES.get()

    def at_error(code: types.CodeType, offset: int, error: BaseException) -> None:
        if FAILURES.get() is not failures or error.__traceback__ is None:
            return
        frame = sys._getframe(1)
        if not _is_foreign(frame.f_globals.get("__name__"), code.co_filename):
            raised(error, error.__traceback__)

    event = monitoring.events.RAISE
    monitoring.use_tool_id(tool, "sparsetrace")
    monitoring.register_callback(tool, event, at_error)
    monitoring.set_events(tool, event)
    try:
        yield
    finally:
        monitoring.set_events(tool, 0)
        monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)


def _judged(error: Exception, traceback: types.TracebackType) -> BaseException:
    """`explained` before the error is known to leave the function, and without a trace of it."""
    held = error.__traceback__
    token = FAILURES.set(None)
    try:
        return (
            error
            if isinstance(error, TracingError)
            else explained(error.with_traceback(traceback), graph=CURRENT.get())
        )
    finally:
        FAILURES.reset(token)
        error.__traceback__ = held
