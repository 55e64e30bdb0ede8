"""How much a search of paths has done, counted in steps: runs of paths, and decisions in them.

Contract: a search that is limited by steps ends in the same place on every machine, whatever else
that does.  Where steps take very much longer than usual, as those of a function do that computes
long, or waits, the time that they take counts in their place, so that every search ends.  It is
that of this process: other programs, which may take their share of the machine, count little.
Whether another attempt is begun, after some in vain, is a matter of time (`is_exhausted`): whoever
waits for an error waits for seconds.
"""

from __future__ import annotations

from time import monotonic, process_time

__all__ = ["Effort"]

_MOST_CROWDS = 1
"""So many times the paths of a function may take long with all its calls spared."""
_PER_SECOND = 4_000
"""The steps for which a second stands: usually there are five times as many."""
_USUALLY = 20_000
"""The steps that usually take a second."""
_PER_PATH, _LEAST = 60, 1024
"""Steps for each path of `max_paths`, or of 1,024, after which attempts have taken long.

Usually these are 3 seconds.
"""
_WAITED = 4
"""The seconds by the clock that stand for one in which this process computes."""


class Effort:
    """The steps of one trace, over all of its runs.

    Attributes
    ----------
    steps : int
        Counted so far.
    spared : float
        Those that are no part of a search: of calls in proportion to those of one run.
    may_draw : bool
        Whether paths may be run in a random order once there have been many steps.
    has_drawn : bool
        Whether any were.

    Examples
    --------
    >>> effort = Effort()
    >>> effort.spent()
    0.0
    >>> effort.steps += 3
    >>> round(effort.spent())
    3
    """

    def __init__(self) -> None:
        self.may_draw, self.has_drawn = True, False
        self._crowds = 0
        self.begin_anew()

    def begin_anew(self) -> None:
        """Count from nothing again."""
        self.steps = 0
        self.spared = 0.0
        self._asked: tuple[float, float] | None = None
        self._rested = 0, 0.0

    def spent(self) -> float:
        """The steps so far, or what their time stands for, without those that are spared.

        The time is that since this was asked first.
        """
        return self.taken() - self.spared

    def taken(self) -> float:
        """The same with those that are spared: how long it has been."""
        return max(self.steps, _PER_SECOND * self._seconds())

    def is_exhausted(self, max_paths: int, *, times: int = 1) -> bool:
        """Whether all attempts together have taken long, or so many times that."""
        steps, seconds = self._rested
        taken = max(self.steps - steps, _USUALLY * (self._seconds() - seconds))
        return taken > times * _PER_PATH * max(max_paths, _LEAST)

    def rest(self) -> None:
        """Forget that attempts have taken long."""
        self._rested = self.steps, self._seconds()

    def _seconds(self) -> float:
        computed, clock = process_time(), monotonic()
        if self._asked is None:
            self._asked = computed, clock
        return max(computed - self._asked[0], (clock - self._asked[1]) / _WAITED)

    def note_crowd(self, spared: float) -> None:
        """Take account of paths that would take long together: calls in many of these are spared.

        Parameters
        ----------
        spared : float
            Before them.
        """
        self._crowds += 1
        if self._crowds > _MOST_CROWDS:
            self.spared = spared

    def spare(self, began: float) -> None:
        """Take what was spent since then for no part of the search."""
        self.spared += max(self.spent() - began, 0.0)
