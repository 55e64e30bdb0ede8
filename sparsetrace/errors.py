"""The errors of sparsetrace.

Contract: whatever cannot be traced raises one of these classes; the message
names the call, the user's file and line, and a way out.  None of them derives
from ``TypeError``, ``AttributeError``, ``IndexError`` or ``ValueError``: NumPy
and the iteration protocols catch those and carry on, and a caught error would
be a lost dependency.
"""

from __future__ import annotations

from contextvars import ContextVar

from sparsetrace.user_code.frames import user_location

__all__ = [
    "FAILURES",
    "RUNNING",
    "EscapeError",
    "GraphSizeError",
    "InputError",
    "OutputError",
    "TracingError",
    "UnsupportedError",
    "ValueDependentError",
    "VerificationError",
    "VerificationWarning",
    "explain",
    "muted",
]

FAILURES: ContextVar[list[TracingError] | None] = ContextVar("sparsetrace_failures", default=None)
"""The errors raised during the trace that runs in this context; None outside of one.

A trace fails if any was raised, also when code in between swallowed it.  None also says
that errors in this context count for no trace.
"""
RUNNING: list[list[TracingError]] = []
"""The errors of every run of a traced function, in any thread.

A thread that no trace knows may have been given traced values of any of them: its errors
fail all that run.
"""
_UNKNOWN: list[TracingError] = []


class muted:
    """A context in which errors count for no trace, unless one is begun."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = FAILURES.set(None)

    def __exit__(self, *error: object) -> None:
        FAILURES.reset(self._token)


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
        failures = FAILURES.get(_UNKNOWN)
        if failures is _UNKNOWN:
            if not isinstance(self, (InputError, OutputError)):
                for each in RUNNING[:]:
                    each.append(self)
        elif failures is not None:
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


class VerificationError(TracingError):
    """Plain calls of the function contradict its trace or its pattern, or one another.

    Attributes
    ----------
    row, column : int or None
        The entry that is missing, as far as one was found: of a Hessian both are inputs.
    row_name, column_name : str or None
        The same as elements of what the function returned and was given, such as
        ``[1]["flux"][3]`` and ``args[0]["weights"][1, 2]``.
    """

    def __init__(
        self,
        message: str,
        *,
        row: int | None = None,
        column: int | None = None,
        row_name: str | None = None,
        column_name: str | None = None,
    ) -> None:
        super().__init__(message)
        self.row, self.column = row, column
        self.row_name, self.column_name = row_name, column_name


class VerificationWarning(UserWarning):
    """A part of a pattern, or a function, that plain calls could not check."""


class GraphSizeError(TracingError, MemoryError):
    """The dependency graph or a pattern outgrew its index type or its memory."""


def explain(call: str, problem: str, remedy: str) -> str:
    """The text of every tracing error: the call, the place, the reason, the way out."""
    return f"{call} at {user_location()}: {problem}. {remedy}"
