"""Python's garbage collector, which runs seldom while a trace does.

Contract: a trace makes many objects that live until it ends, and few cycles; each collection looks
at all of them in vain.  So its threshold is raised, not the collector stopped: garbage stays
bounded, ``gc.isenabled`` answers as before, and whoever has disabled the collector keeps that.
Traces within traces and in other threads share one raise, which the last of them takes back,
unless somebody has set thresholds of their own meanwhile.  What importing makes is kept for good,
and looked at by no collection of what is young.
"""

from __future__ import annotations

import gc
import threading

__all__ = ["SELDOM", "grown_old", "seldom_collected"]

SELDOM = 100_000
"""New containers, less those that are gone, after which the collector runs."""

_lock = threading.Lock()
_traces = 0
_before: tuple[int, ...] = ()
"""The thresholds to set again; empty where they were left alone."""


class seldom_collected:
    """Collect after `SELDOM` new containers, rather than after 700 or 2,000.

    Examples
    --------
    >>> import gc
    >>> with seldom_collected():
    ...     gc.get_threshold()[0] >= SELDOM, gc.isenabled()
    (True, True)
    """

    __slots__ = ()

    def __enter__(self) -> None:
        global _traces, _before
        with _lock:
            _traces += 1
            if _traces == 1:
                thresholds = gc.get_threshold()
                if 0 < thresholds[0] < SELDOM:
                    _before = thresholds
                    gc.set_threshold(SELDOM, *thresholds[1:])

    def __exit__(self, *error: object) -> None:
        global _traces, _before
        with _lock:
            _traces -= 1
            if _traces == 0 and _before:
                if gc.get_threshold() == (SELDOM, *_before[1:]):
                    gc.set_threshold(*_before)
                _before = ()


def grown_old() -> None:
    """Take all that there is for old, as if it had survived collections, without looking at it.

    Not where somebody has frozen what there was before, which would be thawed.

    Examples
    --------
    >>> import gc
    >>> frozen = gc.get_freeze_count()
    >>> grown_old()
    >>> gc.get_freeze_count() == frozen
    True
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
