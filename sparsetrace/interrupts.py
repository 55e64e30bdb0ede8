"""Ctrl-C while a function is traced: a KeyboardInterrupt where nothing is left half done.

Contract: while a trace runs, what is exchanged in other modules is put in place and back with the
signal *deferred*: it is remembered, and answered as before as soon as the function itself runs or
patterns are computed (`interruptible`), or at the latest when everything is back.  Only the main
thread gets signals; elsewhere nothing is done.  A program that handles SIGINT itself is asked as
before, only later.
"""

from __future__ import annotations

import threading
import warnings
from _signal import SIGINT, getsignal  # type: ignore[import-not-found]
from _signal import signal as set_signal  # without the enums of `signal`, ten times as fast
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

__all__ = ["deferred", "guarded", "interruptible", "warnings_kept"]

_MAIN = threading.main_thread().ident


class _State:
    """Of the main thread, which alone changes it.

    Attributes
    ----------
    answer : callable or None
        What answered the signal before; None outside of a trace.
    open : bool
        Whether it may be answered now.
    pending : bool
        Whether it came while it was not.
    """

    __slots__ = ("answer", "open", "pending")

    def __init__(self) -> None:
        self.answer: Callable[[int, FrameType | None], Any] | None = None
        self.open, self.pending = True, False


_state = _State()


def _handle(number: int, frame: FrameType | None) -> None:
    if not _state.open or _state.answer is None:
        _state.pending = True
        return
    _state.open = False  # what is put back on the way out is not interrupted again
    _state.answer(number, frame)
    _state.open = True  # it was no interrupt


def _answer_pending() -> None:
    if _state.pending and _state.answer is not None:
        _state.pending = False
        _handle(SIGINT, None)


class warnings_kept:
    """Around code of the function's: the filters of warnings, and who shows them, are as before.

    Examples
    --------
    >>> before = [*warnings.filters]
    >>> with warnings_kept():
    ...     warnings.simplefilter("error")
    >>> warnings.filters == before
    True
    """

    __slots__ = ("_filters", "_showing")

    def __enter__(self) -> None:
        self._filters = warnings.filters, [*warnings.filters]
        self._showing = warnings.showwarning

    def __exit__(self, *error: object) -> None:
        filters, before = self._filters
        if warnings.filters is not filters or filters != before:
            filters[:] = before  # type: ignore[index]
            warnings.filters = filters
            warnings._filters_mutated()  # type: ignore[attr-defined]
        warnings.showwarning = self._showing


class guarded:
    """Around all that a detection does: the signal is deferred, but where it is `interruptible`.

    Examples
    --------
    >>> import signal
    >>> try:
    ...     with guarded():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("not yet")
    ... except KeyboardInterrupt:
    ...     print("now")
    not yet
    now
    """

    __slots__ = ("_before", "_errors", "_ours", "_warnings")

    def __enter__(self) -> None:
        self._ours, self._before = False, _state.open
        if threading.get_ident() != _MAIN:
            return
        if _state.answer is None:
            known = getsignal(SIGINT)
            if not callable(known):  # ignored, or not Python's
                return
            self._errors = np.geterr(), np.geterrcall()
            self._warnings = warnings_kept()
            self._warnings.__enter__()
            _state.pending, _state.open = False, False
            set_signal(SIGINT, _handle)  # from here on nothing interrupts these lines
            _state.answer, self._ours = known, True
        else:  # a trace within a trace
            _state.open = False

    def _put_back(self) -> None:
        """What ``with`` blocks in Python code may have changed that were left in the middle."""
        kinds, call = self._errors
        np.seterr(**kinds)
        np.seterrcall(call)
        self._warnings.__exit__()

    def __exit__(self, cls: type[BaseException] | None, *rest: object) -> None:
        if threading.get_ident() != _MAIN:
            return
        if self._ours and cls is not None and not issubclass(cls, Exception):
            self._put_back()
        if not self._ours:
            if _state.answer is not None:
                _state.open = self._before
                if self._before:
                    _answer_pending()
            return
        answer, _state.answer = _state.answer, None
        if getsignal(SIGINT) is _handle:  # else the function has put its own there
            set_signal(SIGINT, answer)
        _state.open = True
        if _state.pending:
            _state.pending = False
            assert answer is not None
            answer(SIGINT, None)


class _Turned:
    """Around code where the signal is answered, or is not."""

    __slots__ = ("_before",)
    _open: bool

    def __enter__(self) -> None:
        self._before = _state.open
        if _state.answer is not None and threading.get_ident() == _MAIN:
            _state.open = self._open
            if self._open:
                _answer_pending()

    def __exit__(self, cls: type[BaseException] | None, *rest: object) -> None:
        if _state.answer is not None and threading.get_ident() == _MAIN:
            if cls is not None and not _state.open:
                return  # interrupted: it stays deferred until everything is back
            _state.open = self._before
            if self._before:
                _answer_pending()


class interruptible(_Turned):
    """Around the function's own code, and what takes long and changes nothing.

    Examples
    --------
    >>> import signal
    >>> try:
    ...     with guarded(), interruptible():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("never")
    ... except KeyboardInterrupt:
    ...     print("at once")
    at once
    """

    __slots__ = ()
    _open = True


class deferred(_Turned):
    """Around a few lines, within the function's own code, that must not be left in the middle."""

    __slots__ = ()
    _open = False
