"""The errors of sparsetrace.

Contract: whatever cannot be traced raises one of these classes; the message
names the call, the user's file and line, and a way out.  None of them derives
from ``TypeError``, ``AttributeError``, ``IndexError`` or ``ValueError``: NumPy
and the iteration protocols catch those and carry on, and a caught error would
be a lost dependency.
"""

from __future__ import annotations

from contextvars import ContextVar

from sparsetrace.user_code.frames import Place, user_place

__all__ = [
    "BY_VALUES",
    "FAILURES",
    "RUNNING",
    "EscapeError",
    "ExecutorError",
    "GraphSizeError",
    "InputError",
    "OutputError",
    "SearchError",
    "TracingError",
    "UnsupportedError",
    "ValueDependentError",
    "VerificationError",
    "VerificationWarning",
    "explain",
    "instead_of",
    "muted",
    "opaque_call",
    "text_of",
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
BY_VALUES = "Or take the pattern at a point, with local=True."
"""The way out of what only the values of the inputs decide."""


def opaque_call(name: str = "") -> str:
    """The way out of a call that has no rule, or runs compiled code.

    Parameters
    ----------
    name : str
        The function, if it has a name by which `sparsetrace.opaque` can be given it.

    Examples
    --------
    >>> opaque_call("scipy.signal.lombscargle")
    'Or state what its result depends on: sparsetrace.opaque(scipy.signal.lombscargle).'
    """
    parts = name.split(".")
    is_named = len(parts) > 1 and all(map(str.isidentifier, parts))
    if is_named and not any(part[:1].isupper() or part.startswith("_") for part in parts):
        return f"Or state what its result depends on: sparsetrace.opaque({name})."
    return (
        "Or state what the result depends on: sparsetrace.opaque(g), of a function g of your own "
        "around the code that needs it."
    )


_INSTEAD_OF = {
    "numexpr": "Write the expression with NumPy: np.exp(x) in place of ne.evaluate('exp(x)').",
    "pandas": "Take arrays out of pandas before traced values come in: df.to_numpy().",
    "patsy": "Make the design matrix before the traced function runs: np.asarray(dmatrix(...)).",
    "xarray": "Take arrays out of xarray before traced values come in: a.to_numpy().",
}


def instead_of(module: str) -> str:
    """What to write in place of objects of a package whose arrays no trace can be in; or nothing.

    Examples
    --------
    >>> instead_of("numexpr.necompiler")
    "Write the expression with NumPy: np.exp(x) in place of ne.evaluate('exp(x)')."
    """
    return _INSTEAD_OF.get(module.partition(".")[0], "")


INDEX = "an index or a count"
"""What is refused where a sequence that is not traced, or a range, asks for a traced number."""


class muted:
    """A context in which errors count for no trace, unless one is begun."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = FAILURES.set(None)

    def __exit__(self, *error: object) -> None:
        FAILURES.reset(self._token)


class TracingError(Exception):
    """A function could not be traced; the base of every error of a trace.

    Attributes
    ----------
    call : str
        What was refused, as users write it (``np.unique``); empty where it is no one call.
    filename, lineno : str and int, or None
        The line that the message names.
    remedies : tuple of str
        The ways out, as sentences, the one that is most often wanted first.

    Examples
    --------
    >>> import sparsetrace as st
    >>> try:
    ...     st.jacobian_sparsity(lambda x: float(x[0]), [1.0, 2.0])
    ... except st.TracingError as error:
    ...     print(type(error).__name__, error.call, error.lineno)
    EscapeError float() 2
    """

    call: str
    filename: str | None
    lineno: int | None
    remedies: tuple[str, ...]

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self._say(args[0] if args else "")
        failures = FAILURES.get(_UNKNOWN)
        if failures is _UNKNOWN:
            if not isinstance(self, (InputError, OutputError)):
                for each in RUNNING[:]:
                    each.append(self)
        elif failures is not None:
            failures.append(self)

    def _say(self, text: object) -> None:
        if isinstance(text, Explanation):
            self.call, self.remedies = text.call, text.remedies
            self.filename, self.lineno = text.filename, text.lineno
        else:
            self.call, self.remedies = "", ()
            self.filename = self.lineno = None

    def add_remedy(self, remedy: str) -> None:
        """Name one more way out, in the text and in `remedies`."""
        if self.args and isinstance(self.args[0], Explanation):
            text = self.args[0].with_remedy(remedy)
            self.args = (text, *self.args[1:])
            self._say(text)


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


class NothingReturned(OutputError):
    """The traced function returned None."""


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


class SearchError(VerificationError):
    """One of a function that compares again and again, as a search that halves an interval does."""


class VerificationWarning(UserWarning):
    """A part of a pattern, or a function, that plain calls could not check."""


class GraphSizeError(TracingError, MemoryError):
    """The dependency graph or a pattern outgrew its index type or its memory."""


class ExecutorError(TracingError, RuntimeError):
    """The tasks that an executor was given were not done; nothing is known of the pattern."""


class Explanation(str):
    """The text of an error: one line, then the ways out; and the pieces that it is made of."""

    call: str
    problem: str
    filename: str | None
    lineno: int | None
    remedies: tuple[str, ...]

    def with_remedy(self, remedy: str) -> Explanation:
        """The text with one more way out; the same where it names that already."""
        if not remedy or remedy in self:
            return self
        longer = Explanation(f"{self} {remedy}")
        longer.call, longer.problem = self.call, self.problem
        longer.filename, longer.lineno = self.filename, self.lineno
        longer.remedies = (*self.remedies, remedy)
        return longer


def text_of(error: BaseException) -> str:
    """The text of an error, without those of the traced values that it carries.

    These say nothing about where it comes from.  It is empty where methods of the function's own,
    which show what the error carries, fail since the trace has ended.

    Examples
    --------
    >>> text_of(KeyError(2.0))
    '2.0'
    """
    if any(getattr(type(x), "_is_traced", False) is True for x in error.args):
        return " ".join(x for x in error.args if isinstance(x, str))
    try:
        with muted():
            return str(error)
    except Exception:
        return ""


def explain(call: str, problem: str, *remedies: str, place: Place | None = None) -> Explanation:
    """The text of every tracing error: the call, the place, the reason, the ways out.

    Parameters
    ----------
    call : str
        As users write it: ``np.unique``.
    problem : str
        Why it is refused, without a full stop.
    *remedies : str
        Whole sentences, the one that is most often wanted first.
    place : Place, optional
        Where the call stands; by default where the user's code stands now.
    """
    place = place or user_place()
    text = Explanation(
        " ".join((f"{call} at {place or 'an unknown place'}: {problem}.", *remedies))
    )
    text.call, text.problem, text.remedies = call, problem, remedies
    text.filename, text.lineno = (place.filename, place.lineno) if place else (None, None)
    return text
