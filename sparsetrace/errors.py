"""The errors of sparsetrace, and where in the user's code they arose.

Contract: whatever cannot be traced raises one of these classes; the message
names the call, the user's file and line, and a way out.  None of them derives
from ``TypeError``, ``AttributeError``, ``IndexError`` or ``ValueError``: NumPy
and the iteration protocols catch those and carry on, and a caught error would
be a lost dependency.
"""

from __future__ import annotations

import dis
import os
import re
import sys
from contextvars import ContextVar
from types import CodeType, FrameType, TracebackType

__all__ = [
    "FAILURES",
    "EscapeError",
    "GraphSizeError",
    "InputError",
    "OutputError",
    "TracingError",
    "UnsupportedError",
    "ValueDependentError",
    "escape_behind",
    "explain",
    "raised_by_statement",
    "user_location",
]

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_LIBRARIES = tuple(f"{os.sep}{name}{os.sep}" for name in ("numpy", "scipy"))


FAILURES: ContextVar[list[TracingError] | None] = ContextVar("sparsetrace_failures", default=None)
"""The errors raised during the trace that runs in this context; None outside of one.

A trace fails if any was raised, also when code in between swallowed it.
"""


class TracingError(Exception):
    """A function could not be traced; the base of every error of a trace.

    Examples
    --------
    >>> import sparsetrace as st
    >>> try:
    ...     st.jacobian_sparsity(lambda x: float(x[0]), [1.0, 2.0])
    ... except st.TracingError as error:
    ...     print(type(error).__name__)
    EscapeError
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        failures = FAILURES.get()
        if failures is not None:
            failures.append(self)


class EscapeError(TracingError):
    """A traced value was about to leave the trace (``float(x[0])``, C code)."""


class ValueDependentError(TracingError):
    """The call needs the value of a traced number (``if x[0] > 0``, ``x[x > 0]``)."""


class UnsupportedError(TracingError, NotImplementedError):
    """The call has no rule; tracing it could lose a dependency, so it is refused."""


class InputError(TracingError, ValueError):
    """The arguments of ``jacobian_sparsity`` itself are not usable."""


class OutputError(TracingError):
    """The traced function returned something that holds no numbers."""


class GraphSizeError(TracingError, MemoryError):
    """The dependency graph or a pattern outgrew its index type or its memory."""


def _is_library(filename: str) -> bool:
    if filename.startswith(_PACKAGE):
        return True
    return "site-packages" in filename and any(part in filename for part in _LIBRARIES)


def user_location(frame: FrameType | None = None) -> str:
    """Where the innermost frame outside NumPy, SciPy and this package stands.

    Parameters
    ----------
    frame : frame, optional
        Where to start looking outwards; the caller by default.

    Returns
    -------
    str
        ``'file.py:12 (in f)'``, or ``'an unknown place'`` if no frame qualifies.

    Examples
    --------
    >>> user_location().split(" ")[0].endswith(":1")
    True
    """
    frame = frame or sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not _is_library(code.co_filename):
            return _place(code, frame.f_lineno)
        frame = frame.f_back
    return "an unknown place"


def _place(code: CodeType, line: int) -> str:
    return f"{code.co_filename}:{line} (in {code.co_name})"


def explain(call: str, problem: str, remedy: str, *, place: str | None = None) -> str:
    """The text of every tracing error: the call, the place, the reason, the way out."""
    return f"{call} at {place or user_location()}: {problem}. {remedy}"


# ------------------------------------------------- errors that others raised
_OF_FOREIGN_ELEMENTS = re.compile(
    r"dtype\('O'\)|dtype=object|object arrays?|type 'object'|dtype object|_Poison|_CopyMode|"
    r"'Traced(Array|Scalar)' object (is|cannot|does)|'Traced\w+'$|type TracedScalar|TracedScalar\(|"
    r"__array_ufunc__|REFS_OK|type 'TracedScalar'|[Cc][- ]contiguous|proper array of floats|"
    r"must be of type numpy|data types?|WRITEBACKIFCOPY|not supported for the input types|"
    r"array type|not available for this type|references, but|Rational instance|"
    r"real or complex array|Buffer dtype|convert object"
)
"""What compiled code says of an array whose elements it cannot take for numbers."""


def raised_by_statement(traceback: TracebackType) -> bool:
    """Whether a ``raise`` or ``assert`` statement made the error of this innermost entry."""
    code = traceback.tb_frame.f_code.co_code
    return dis.opname[code[traceback.tb_lasti]] == "RAISE_VARARGS"


def _holds_traced(frame: FrameType) -> bool:
    return any(getattr(type(value), "_is_traced", False) for value in frame.f_locals.values())


def escape_behind(error: Exception) -> EscapeError | None:
    """The escape that made other code raise this error; None if it is the user's own.

    Compiled code and SciPy do not know traced arrays, and complain of them in terms of
    their own (``Cannot cast array data from dtype('O')``).

    Examples
    --------
    >>> escape_behind(ValueError("x must be positive")) is None
    True
    """
    if isinstance(error, TracingError) or error.__traceback__ is None:
        return None
    user = innermost = error.__traceback__
    library: TracebackType | None = None
    entry: TracebackType | None = error.__traceback__
    while entry is not None:
        if not _is_library(entry.tb_frame.f_code.co_filename):
            user, library = entry, None
        elif library is None:
            library = entry
        innermost, entry = entry, entry.tb_next
    file = innermost.tb_frame.f_code.co_filename
    if file.startswith(_PACKAGE) or (library is None and raised_by_statement(innermost)):
        return None
    text = str(error)
    in_scipy = library is not None and f"{os.sep}scipy{os.sep}" in library.tb_frame.f_code.co_filename
    if not _OF_FOREIGN_ELEMENTS.search(text) and not (
        in_scipy and library is not None and _holds_traced(library.tb_frame)
    ):
        return None
    call = "a call" if library is None else f"{library.tb_frame.f_code.co_name}()"
    frame = user.tb_frame
    return EscapeError(
        explain(
            call,
            f"it could not take traced values for numbers ({type(error).__name__}: {text})",
            "Write it with NumPy functions and scipy.special, or compute it from constants "
            "outside of the traced function.",
            place=_place(frame.f_code, user.tb_lineno),
        )
    )
