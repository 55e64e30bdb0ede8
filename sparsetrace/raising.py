"""Operations that fail for some inputs only, in a global trace: a decision with two outcomes.

Contract: where the traced function would catch the error, one path goes on and one
raises it at that place.  Where nothing would catch it the function has no value, and no
derivative: nothing happens, and nothing is lost.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from sparsetrace.errors import ValueDependentError, explain
from sparsetrace.graph import Graph
from sparsetrace.handlers import is_caught, watched_frame

__all__ = ["decides", "is_injected", "may_be_caught", "may_raise"]

_MARK = "_sparsetrace_injected"


def may_raise(
    graph: Graph, make_error: Callable[[], Exception], operands: Iterable[Any] = ()
) -> None:
    """Raise the error on one of two paths, if the traced function would catch it.

    Parameters
    ----------
    graph : Graph
        That of the trace.  At a point nothing happens: the operation itself raises there.
    make_error : callable
        Makes the error as Python or NumPy would raise it.
    operands : iterable
        What is traced of these decides between the paths, for ``dependency=True``.

    Examples
    --------
    >>> import math
    >>> import numpy as np, sparsetrace as st
    >>> def f(x):
    ...     try:
    ...         return math.sqrt(x[0])
    ...     except ValueError:
    ...         return x[1]
    >>> st.jacobian_sparsity(f, np.ones(3)).toarray().astype(int)
    array([[1, 1, 0]])
    """
    if graph.local:
        return
    frame = watched_frame(sys._getframe(1))
    if frame is None:
        return
    error = make_error()
    if is_caught(type(error), frame) and decides(graph, type(error).__name__, operands):
        setattr(error, _MARK, True)
        raise error


def may_be_caught() -> bool:
    """Whether any code from here out to the driver stands in a ``try`` or ``with``."""
    return watched_frame(sys._getframe(1)) is not None


def decides(graph: Graph, what: str, operands: Iterable[Any] = ()) -> bool:
    """The outcome, on this path, of something that depends on the values of the operands."""
    if graph.decide is None:
        raise ValueDependentError(
            explain(
                what,
                "whether it is raised depends on the inputs",
                "Use np.where on a condition in place of the handler.",
            )
        )
    if graph.dependency:
        for x in operands:
            if getattr(type(x), "_is_traced", False):
                graph.conditions += x._ids.reshape(-1).tolist()
    return graph.decide()


def is_injected(error: BaseException) -> bool:
    """Whether `may_raise` has raised this error."""
    return getattr(error, _MARK, False) is True
