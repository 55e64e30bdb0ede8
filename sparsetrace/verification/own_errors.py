"""Errors that the function raises without a trace, too.

Contract: a plain call of the function is the only judge.  It is made where the error of a trace
came of one that a library or the function raised, which might be the arguments' fault: one that
is too short, a singular matrix.
"""

from __future__ import annotations

import types

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
        plain.result(plain.point)
    except Exception as own:
        return own if _line(own) in lines else None
    return None


def _line(error: BaseException) -> Line:
    """The innermost line of the user's code that an error passed through."""
    entries = [e for e in outside_entries(error) if not is_library_code(e.tb_frame.f_code)]
    innermost: types.TracebackType | None = entries[-1] if entries else None
    if innermost is None:
        return None, None
    return innermost.tb_frame.f_code.co_filename, innermost.tb_lineno
