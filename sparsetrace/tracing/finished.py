"""Traces that have ended: what was traced in them can be looked at, not used.

Contract: a traced array, number or truth value that outlives its run stands for values
that nothing knows any more.  Every operation on it raises, in later runs, in later traces
and outside of any; so does a branch on it, which would otherwise be decided by nobody.
"""

from __future__ import annotations

from typing import Any, NoReturn

from sparsetrace.context import Trace
from sparsetrace.errors import TracingError, explain
from sparsetrace.graph.graph import Graph

__all__ = ["finish", "refuse_finished"]


def refuse_finished() -> NoReturn:
    """Raise the error of what is used after its run has ended."""
    raise TracingError(
        explain(
            "an operation",
            "it uses a traced value that an earlier run of the function left behind, in a place "
            "where it cannot be put back (a global of another module, an open file, a queue, an "
            "object of compiled code)",
            "Keep it in an attribute, a list, a dict or a global of your own, which start each "
            "run as they were, or make it anew in each call.",
        )
    )


class _Finished(Trace):
    """A trace whose patterns can be read and multiplied, and which answers no operation."""

    __slots__ = ()

    @property
    def local(self) -> NoReturn:  # type: ignore[override]
        """Asked for by every operation."""
        refuse_finished()

    def wrap(self, result: Any) -> NoReturn:
        """Asked for by what looks at no mode."""
        refuse_finished()


class _FinishedGraph(Graph):
    """A graph that takes no constants any more."""

    __slots__ = ()

    def _refuse(self, *args: Any, **options: Any) -> NoReturn:
        refuse_finished()

    constant = constant_scalar = _refuse


def finish(trace: Trace) -> None:
    """Let nothing more be done in a trace.

    Examples
    --------
    >>> trace = Trace(2)
    >>> finish(trace)
    >>> trace.graph.constant(1.0)
    Traceback (most recent call last):
    ...
    sparsetrace.errors.TracingError: an operation at ...
    """
    trace.decide = trace.singular = trace.becomes_object = trace.compared = None
    trace.__class__ = _Finished
    trace.graph.__class__ = _FinishedGraph
