"""Errors that the function raises without a trace, too.

Contract: a plain call of the function is the only judge.  It is made where the error of a trace
came of one that a library or the function raised, which might be the arguments' fault: one that
is too short, a singular matrix.  It goes no further than the line in question.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sparsetrace.errors import InputError, OutputError, TracingError
from sparsetrace.tracing.arguments import TracedCall
from sparsetrace.user_code.frames import is_library_code, outside_entries
from sparsetrace.verification.plain_calls import PlainFunction

__all__ = ["own_error"]

Line = tuple[str | None, int | None]


def own_error(traced_call: TracedCall, error: TracingError) -> Exception | None:
    """What the function itself raises for these arguments at the line where its trace failed.

    Parameters
    ----------
    traced_call : TracedCall
    error : TracingError
        The error that ended the trace.

    Returns
    -------
    Exception or None
        None where a plain call ends well, or fails at another line.
    """
    cause = error.__cause__
    if isinstance(error, (InputError, OutputError)) or not isinstance(cause, Exception):
        return None
    if isinstance(cause, TracingError) and "." not in error.call:
        return None  # not inside of a library: nothing but the trace raises there
    lines = {(error.filename, error.lineno), _line(cause)}
    plain = PlainFunction(traced_call)
    try:
        with _up_to(lines):
            plain.result(plain.point)
    except _Past:
        return None
    except Exception as own:
        return own if _line(own) in lines else None
    return None


class _Past(BaseException):
    """Ends a plain call; no handler of the function's takes it for an error."""


@contextmanager
def _up_to(lines: set[Line]) -> Iterator[None]:
    """A call that is left once one of these lines has done its work."""
    files = {filename for filename, _ in lines}
    inside: dict[types.FrameType, frozenset[int]] = {}
    failing: set[types.FrameType] = set()

    def local(frame: types.FrameType, event: str, argument: object) -> Any:
        statement = inside.get(frame)
        if event == "exception":
            failing.add(frame)
        elif event == "line":
            failing.discard(frame)
            if statement is not None and frame.f_lineno not in statement:
                raise _Past
            if statement is None and (frame.f_code.co_filename, frame.f_lineno) in lines:
                inside[frame] = _statement(frame.f_code, frame.f_lineno)
        elif event == "return" and statement is not None and frame not in failing:
            raise _Past
        return local

    def called(frame: types.FrameType, event: str, argument: object) -> Any:
        # left in the middle, a block of ``with`` or ``finally`` would not be closed
        may_be_left = not frame.f_code.co_exceptiontable
        return local if may_be_left and frame.f_code.co_filename in files else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


def _statement(code: types.CodeType, line: int) -> frozenset[int]:
    """The lines of the expressions of which one begins on a line."""
    ends = [end for start, end, _, _ in code.co_positions() if start == line and end is not None]
    return frozenset(range(line, max(ends, default=line) + 1))


def _line(error: BaseException) -> Line:
    """The innermost line of the user's code that an error passed through."""
    entries = [e for e in outside_entries(error) if not is_library_code(e.tb_frame.f_code)]
    innermost: types.TracebackType | None = entries[-1] if entries else None
    if innermost is None:
        return None, None
    return innermost.tb_frame.f_code.co_filename, innermost.tb_lineno
