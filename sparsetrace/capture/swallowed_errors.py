"""Escapes that the traced function swallows: ``except Exception: return 0``.

Contract: a handler that takes the error of an escape would lose dependencies.  Where any
code that may run can do so, `watching` notes every escape that reaches the function's own
code, whether or not it leaves the function.
"""

from __future__ import annotations

import dis
import itertools
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, Literal

from sparsetrace.capture.escape_errors import explained
from sparsetrace.context import CURRENT
from sparsetrace.errors import FAILURES, EscapeError, TracingError
from sparsetrace.user_code.bytecode import Chain, callee_at, instructions
from sparsetrace.user_code.handlers import is_harmless
from sparsetrace.user_code.reach import Reached
from sparsetrace.user_code.read_code import Code, is_foreign

__all__ = ["may_swallow", "must_watch", "watching"]

_PUSH_EXC_INFO = dis.opmap["PUSH_EXC_INFO"]
_CACHE = dis.opmap.get("CACHE")
_MONITORS = hasattr(sys, "monitoring")
_ENTERS = frozenset(("BEFORE_WITH", "BEFORE_ASYNC_WITH"))


def must_watch(reached: Reached) -> bool:
    """Whether errors have to be watched while a function runs that can reach this.

    Since Python 3.12 that costs nothing while none is raised, and nothing is searched.
    """
    return _MONITORS or may_swallow(reached)


def may_swallow(reached: Reached) -> bool:
    """Whether any code of the user's that can be reached may handle an exception.

    In doubt, yes: where functions may be called that nobody names.
    """
    return reached.unknown or any(_handles(code, scope) for code, scope in reached.codes)


def _handles(known: Code, scope: dict[str, Any]) -> bool:
    """Whether code may swallow an error: ``except``, or ``with`` of what may do so."""
    if known.handlers is None:
        known.handlers = _entered(known.code)
    chains: tuple[Chain, ...] | Literal[True] = known.handlers
    return chains is True or not all(is_harmless(chain, scope) for chain in chains)


def _entered(code: types.CodeType) -> tuple[Chain, ...] | Literal[True]:
    """What is entered by ``with``; True where a handler may swallow an error anyway."""
    entered: list[Chain] = []
    if code.co_name in ("__exit__", "__aexit__"):
        return True  # may be entered by a library
    if code.co_exceptiontable and _PUSH_EXC_INFO in code.co_code[::2]:
        # by the bytes alone, much faster than instructions with their places in the source
        names = [dis.opname[step] for step in code.co_code[::2] if step != _CACHE]
        handlers = [at for at, name in enumerate(names) if name == "PUSH_EXC_INFO"]
        if not all(_passes_on(names, at) for at in handlers):
            return True
        if not _ENTERS.isdisjoint(names):
            steps = instructions(code)
            starts = [at for at, step in enumerate(steps) if step.opname in _ENTERS]
            entered += [callee_at(steps, at - 1) for at in starts]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inside = _entered(constant)
            if inside is True:
                return True
            entered += inside
    return tuple(entered)


_ENDS_IN_SILENCE = frozenset(("CHECK_EXC_MATCH", "CHECK_EG_MATCH", "RETURN_VALUE", "RETURN_CONST"))


def _passes_on(names: list[str], at: int) -> bool:
    """Whether the handler that begins there raises every error again."""
    following = names[at + 1 :]
    if following[0] == "WITH_EXCEPT_START":  # judged by what is entered
        return "BEFORE_WITH" in names
    for name, after in itertools.pairwise(following):  # the body of a ``finally``
        if name in _ENDS_IN_SILENCE or (name == "POP_EXCEPT" and after != "RERAISE"):
            return False
        if name == "RERAISE":
            return True
    return False


Swallowed = list[tuple[Exception, EscapeError]]
_SEEN = "_sparsetrace_seen"
"""An attribute of an error: the run in which it was judged."""


def watching(*, active: bool) -> AbstractContextManager[Swallowed]:
    """Every escape that reaches the function's own code, whether or not it swallows it."""
    return _watching() if active else nullcontext([])


@contextmanager
def _watching() -> Iterator[Swallowed]:
    escapes: Swallowed = []
    run = object()

    def raised(error: BaseException, traceback: types.TracebackType) -> None:
        if isinstance(error, Exception) and vars(error).get(_SEEN) is not run:
            vars(error)[_SEEN] = run  # a list of errors would hold their frames, and arrays there
            shown = _judged(error, traceback)
            if isinstance(shown, EscapeError) and shown is not error:
                escapes.append((error, shown))

    with _monitoring(raised) if _MONITORS else _tracing(raised):
        yield escapes


Raised = Callable[[BaseException, types.TracebackType], None]


@contextmanager
def _tracing(raised: Raised) -> Iterator[None]:
    """Call `raised` where an error reaches a frame of the function's own, in this thread."""

    def local(frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "exception":
            raised(argument[1], argument[2])
        return local

    seen: dict[int, Any] = {}  # by identity: code objects compare their bytes
    codes: list[types.CodeType] = []

    def called(frame: types.FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        try:
            watched = seen[id(code)]
        except KeyError:
            foreign = is_foreign(frame.f_globals.get("__name__"), code.co_filename)
            watched = seen[id(code)] = None if foreign else local
            codes.append(code)
        if watched is not None:
            frame.f_trace_lines = False
        return watched

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


_lock = threading.Lock()
_tool: int | None = None
_watchers: dict[int, list[Raised]] = {}
"""By run (the list of its failures), who is told of errors: in any thread of that run.

They share one tool, of which Python has six.
"""


@contextmanager
def _monitoring(raised: Raised) -> Iterator[None]:
    """The same since Python 3.12, where calls cost nothing while no error is raised."""
    run = id(FAILURES.get())
    with _lock:
        taken = _tool is not None or _take_tool()
        if taken:
            _watchers.setdefault(run, []).append(raised)
    if not taken:
        with _tracing(raised):
            yield
        return
    try:
        yield
    finally:
        with _lock:
            _watchers[run].remove(raised)
            if not _watchers[run]:
                del _watchers[run]
            if not _watchers:
                _free_tool()


def _take_tool() -> bool:
    """Have errors reported; whether a tool was left for it."""
    global _tool
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    for number in range(6):
        with suppress(ValueError):  # taken by a debugger, or by coverage
            monitoring.use_tool_id(number, "sparsetrace")
            monitoring.register_callback(number, monitoring.events.RAISE, _at_error)
            monitoring.set_events(number, monitoring.events.RAISE)
            _tool = number
            return True
    return False


def _free_tool() -> None:
    global _tool
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    monitoring.set_events(_tool, 0)
    monitoring.register_callback(_tool, monitoring.events.RAISE, None)
    monitoring.free_tool_id(_tool)
    _tool = None


def _at_error(code: types.CodeType, offset: int, error: BaseException) -> None:
    if not isinstance(error, Exception):  # a generator that is closed: frames are half gone
        return
    watchers = _watchers.get(id(FAILURES.get()))
    if watchers is None or error.__traceback__ is None:
        return
    if not is_foreign(sys._getframe(1).f_globals.get("__name__"), code.co_filename):
        for raised in tuple(watchers):
            raised(error, error.__traceback__)


def _judged(error: Exception, traceback: types.TracebackType) -> BaseException:
    """`explained` before the error is known to leave the function, and without a trace of it."""
    before = error.__traceback__
    token = FAILURES.set(None)
    try:
        return (
            error
            if isinstance(error, TracingError)
            else explained(error.with_traceback(traceback), trace=CURRENT.get())
        )
    finally:
        FAILURES.reset(token)
        error.__traceback__ = before
