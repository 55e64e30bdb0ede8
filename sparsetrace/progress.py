"""How far a detection has come: told to a callable of the user's, or shown as a bar.

Contract: whoever loops for long says how far it is, by `report` or `reported`; that costs nothing
where nobody asked (`reporting`).  Who asked is told ten times a second at the most, and nothing
in the first half of one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar, copy_context
from time import monotonic
from typing import Any, NamedTuple, TypeVar

__all__ = ["Progress", "asked", "report", "reported", "reporting"]

T = TypeVar("T")
_FIRST, _NEXT, _LINES = 0.5, 0.1, 10.0
"""Seconds before the first report, between two, and between two lines where no terminal is."""
_WIDTH = 30


class Progress(NamedTuple):
    """How far a detection has come.

    Attributes
    ----------
    phase : str
        ``"tracing"`` (elements recorded so far; ``"paths"`` between two runs of the function),
        ``"propagation"`` (blocks of the graph), ``"rows"`` (of the result), or ``"Hessian"``
        (products of patterns).
    done : int
    total : int or None
        None where nobody knows.
    """

    phase: str
    done: int
    total: int | None


class _Throttle:
    """Passes on what is due."""

    def __init__(self, tell: Callable[[Progress], object]) -> None:
        self._tell = tell
        self._next = monotonic() + _FIRST
        # what is told runs as if there was no trace
        self._context = copy_context()

    def __call__(self, phase: str, done: int, total: int | None) -> None:
        now = monotonic()
        if now >= self._next:
            self._next = now + _NEXT
            self._context.run(self._tell, Progress(phase, done, total))


class _Bar:
    """One line of a terminal, which is written anew and erased in the end.

    Where standard error is no terminal, whole lines, seldom.
    """

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._is_terminal = bool(self._stream is not None and self._stream.isatty())
        self._shown = False
        self._line_at = 0.0

    def __call__(self, progress: Progress) -> None:
        if self._is_terminal:
            self._shown = True
            self._write("\r\033[K" + _text(progress))
        elif self._stream is not None and monotonic() >= self._line_at:
            self._line_at = monotonic() + _LINES
            self._write(f"sparsetrace: {_text(progress)}\n")

    def erase(self) -> None:
        if self._shown:
            self._write("\r\033[K")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _text(progress: Progress) -> str:
    """One line.

    Examples
    --------
    >>> _text(Progress("propagation", 3, 12))
    'propagation  25 % ███████·······················'
    >>> _text(Progress("tracing", 1234567, None))
    'tracing 1,234,567'
    """
    phase, done, total = progress
    if not total:
        return f"{phase} {done:,}"
    cells = _WIDTH * done // total
    return f"{phase} {100 * done // total:3} % {'█' * cells}{'·' * (_WIDTH - cells)}"


_REPORT: ContextVar[_Throttle | None] = ContextVar("sparsetrace_progress", default=None)


def asked() -> bool:
    """Whether anybody wants to know."""
    return _REPORT.get() is not None


def report(phase: str, done: int, total: int | None = None) -> None:
    """Say how far it is, if anybody wants to know."""
    throttle = _REPORT.get()
    if throttle is not None:
        throttle(phase, done, total)


def reported(items: Sequence[T], phase: str) -> Sequence[T] | Iterator[T]:
    """The items, one after the other; how many are done is said before each.

    Examples
    --------
    >>> items = [1, 2]
    >>> reported(items, "propagation") is items
    True
    """
    return items if _REPORT.get() is None else _reported(items, phase)


def _reported(items: Sequence[T], phase: str) -> Iterator[T]:
    for i, item in enumerate(items):
        report(phase, i, len(items))
        yield item


class reporting:
    """Around a detection: whom to tell.

    Parameters
    ----------
    wanted : bool, None or callable
        True for a bar on standard error.

    Examples
    --------
    >>> with reporting(False):
    ...     asked()
    False
    """

    __slots__ = ("_bar", "_token")

    def __init__(self, wanted: Any) -> None:
        self._token: Any = None
        self._bar: _Bar | None = None
        if wanted is True:
            wanted = self._bar = _Bar()
        if wanted:
            self._token = _Throttle(wanted)

    def __enter__(self) -> None:
        if self._token is not None:
            self._token = _REPORT.set(self._token)

    def __exit__(self, *error: object) -> None:
        if self._token is not None:
            _REPORT.reset(self._token)
        if self._bar is not None:
            self._bar.erase()
