"""A time in which no other thread begins a run, for one whose runs the others have disturbed.

Contract: threads that trace at the same time put names back at the end of each run, and a run of
another thread that may have met that is made again (`patches.disturbances`).  Where that happens
again and again, the thread asks for a run by itself.  The others wait before their next run, but
never for long: the one that asked may be waiting for them.
"""

from __future__ import annotations

import threading
from time import monotonic

__all__ = ["Quiet", "wait_for_others"]

_AFTER = 4
"""So many runs are disturbed before the next one is to be undisturbed."""
_LONGEST = 1.0
"""Seconds that the others wait at most, beside three times those that the run took before."""

_over = threading.Condition()
_given: Quiet | None = None


class Quiet:
    """What one path of a trace has been given of it; a context, at whose end it is over.

    Examples
    --------
    >>> with Quiet() as quiet:
    ...     for _ in range(5):
    ...         quiet.disturbed()
    ...     quiet.is_given()
    True
    >>> quiet.is_given()
    False
    """

    __slots__ = ("_began", "_disturbed", "_thread", "_until")

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._disturbed = 0
        self._began = self._until = 0.0

    def __enter__(self) -> Quiet:
        self._began = monotonic()
        return self

    def __exit__(self, *error: object) -> None:
        global _given
        if self._disturbed and self.is_given():
            with _over:
                _given = None
                _over.notify_all()

    def is_given(self) -> bool:
        return _given is self

    def disturbed(self) -> None:
        """Called after each run that others have disturbed."""
        global _given
        self._disturbed += 1
        if self._disturbed < _AFTER:
            return
        now = monotonic()
        with _over:
            if _given is None or now >= _given._until:
                self._until = now + _LONGEST + 3 * (now - self._began) / self._disturbed
                _given = self

    def _ends_within(self) -> float:
        return 0.0 if self._thread == threading.get_ident() else self._until - monotonic()


def wait_for_others() -> None:
    """Wait before a run while another thread is to have one by itself."""
    if _given is None:
        return
    with _over:
        while _given is not None and (seconds := _given._ends_within()) > 0:
            _over.wait(seconds)
