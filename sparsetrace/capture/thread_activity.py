"""Whether a thread works, waits, or stands in a traced operation, as another thread sees it.

Contract: a thread that uses processor time works.  Where the system does not report that
time, the answer is told from whether the thread is still there, and for how long it has been.
"""

from __future__ import annotations

import io
import sys
import time
from types import FrameType

__all__ = ["Watch", "is_inside"]

_NOBODY = -1
_IDLE = 0.5
"""Seconds without work after which a thread counts as waiting, however it does that."""
_LONGEST = 10.0
"""Seconds that a thread waits for one that works on; both then take turns."""
_PREFIX = "sparsetrace."
_WAITING = frozenset((__name__, "sparsetrace.capture.threads", "sparsetrace.capture.turns"))
"""Modules of this package in which a thread waits for others."""


class Watch:
    """Tells a thread that works from one that waits, by the processor time that it takes."""

    def __init__(self) -> None:
        self.thread = _NOBODY
        self.since = self.begun = time.monotonic()
        self.used: float | None = None

    def waits(self, thread: int, native: int | None) -> bool:
        """Whether the thread has done nothing for a while, or works for too long."""
        now = time.monotonic()
        if thread != self.thread:
            self.thread, self.since, self.begun = thread, now, now
            self.used = _time_worked(native)
            return False
        if now - self.since < _IDLE:
            return False
        used, window = _time_worked(native), now - self.since
        if used is None or self.used is None:  # ended, or no such file on this system
            idle = thread not in sys._current_frames() or now - self.begun > 4 * _IDLE
        else:
            idle = used - self.used < 0.1 * window
        self.since, self.used = now, used
        return (idle or now - self.begun > _LONGEST) and not is_inside(thread)


def _time_worked(native: int | None) -> float | None:
    """The seconds that a thread has computed so far, or waited for a processor.

    None where the system does not say.
    """
    try:
        with io.open(f"/proc/self/task/{native}/schedstat") as file:  # noqa: UP020
            computed, waited = file.read().split()[:2]
    except (OSError, ValueError):
        return None
    return (int(computed) + int(waited)) / 1e9


def is_inside(thread: int) -> bool:
    """Whether a thread stands in code of this package's, or in NumPy called by it."""
    frame: FrameType | None = sys._current_frames().get(thread)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith(_PREFIX):
            return name not in _WAITING
        if not name.startswith("numpy"):
            return False
        frame = frame.f_back
    return False
