"""Operations that fail for some inputs only, in a global trace: a decision with two outcomes.

Contract: where the traced function would catch the error, one path goes on and one
raises it at that place.  Where nothing would catch it the function has no value, and no
derivative: nothing happens, and nothing is lost.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from sparsetrace.context import Trace
from sparsetrace.errors import ValueDependentError, explain
from sparsetrace.user_code.fallbacks import adds_nothing
from sparsetrace.user_code.frames import outside_frame
from sparsetrace.user_code.handlers import is_caught, passes_on, watched_frame

__all__ = [
    "by_numpy",
    "decides",
    "injected",
    "is_by_numpy",
    "is_injected",
    "may_be_caught",
    "may_raise",
    "remember",
]

_RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Code whose frames may go on under another caller."""
_MARK = "_sparsetrace_injected"
_BY_NUMPY = "_sparsetrace_by_numpy"


def may_raise(
    trace: Trace, make_error: Callable[[], Exception], operands: Iterable[Any] = ()
) -> None:
    """Raise the error on one of two paths, if the traced function would catch it.

    Parameters
    ----------
    trace : Trace
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
    if trace.local:
        return
    frame = _watched(trace, sys._getframe(1))
    if frame is None:
        return
    error = make_error()
    cls = type(error)
    if not is_caught(cls, frame):
        return
    inner = outside_frame(sys._getframe(1)) is not frame
    if not trace.dependency and adds_nothing(frame, cls, inner=inner):
        return
    if decides(trace, cls.__name__, operands):
        raise injected(error)


def may_be_caught(trace: Trace) -> bool:
    """Whether any error at all would be caught, from here out to the driver."""
    frame = _watched(trace, sys._getframe(1))
    return frame is not None and is_caught(None, frame)


def remember(trace: Trace, frame: types.FrameType) -> None:
    """Note that no error is caught from a frame outwards; see `Trace.lately`."""
    code = frame.f_code
    if not code.co_exceptiontable and not code.co_flags & _RESUMED:
        trace.lately = frame


def _watched(trace: Trace, frame: types.FrameType) -> types.FrameType | None:
    """`watched_frame`, which does not go again where the last operation has been."""
    known = trace.unwatched
    at: types.FrameType | None = frame
    while at is not None and not at.f_code.co_exceptiontable:
        if at is known:
            return None
        at = at.f_back
    if at is not None and at is known:
        return None
    result = watched_frame(at)
    if result is None:
        trace.unwatched = _lasting(outside_frame(frame))
    return result


def _lasting(frame: types.FrameType) -> types.FrameType | None:
    """The frame or its caller, where the one or the other is sure to let errors pass."""
    for one in (frame.f_back, frame):
        if one is not None and one is outside_frame(one) and passes_on(one):
            resumed = one.f_code.co_flags & _RESUMED
            return None if resumed else one
    return None


def decides(trace: Trace, what: str, operands: Iterable[Any] = ()) -> bool:
    """The outcome, on this path, of something that depends on the values of the operands."""
    if trace.decide is None:
        raise ValueDependentError(
            explain(
                what,
                "whether it is raised depends on the inputs",
                "Use np.where on a condition in place of the handler.",
            )
        )
    if trace.dependency:
        for x in operands:
            if getattr(type(x), "_is_traced", False):
                trace.decided_on(x._ids)
    return trace.decide()


def injected(error: Exception) -> Exception:
    """The error, marked as one that an operation may raise."""
    setattr(error, _MARK, True)
    return error


def by_numpy(error: Exception) -> Exception:
    """The error, marked as NumPy's own for all numbers of these shapes and types."""
    setattr(error, _BY_NUMPY, True)
    return error


def is_by_numpy(error: BaseException) -> bool:
    """Whether an error is marked so."""
    return getattr(error, _BY_NUMPY, False) is True


def is_injected(error: BaseException) -> bool:
    """Whether `may_raise` has raised this error."""
    return getattr(error, _MARK, False) is True
