"""When a derivative is compared with its function again.

Contract: beyond the checks at the first evaluations, checks take at most one call in `_RATE` of
those that the derivative itself takes.
"""

from __future__ import annotations

from typing import Literal

from sparsetrace.errors import InputError

__all__ = ["Check", "CheckSchedule"]

Check = bool | Literal["always"]
_RATE = 20
_SAVED = 4
"""Most checks that evaluations without a check have saved up."""
_LONGEST = 8
"""Times the first pause: pauses double until then."""


class CheckSchedule:
    """Counts calls, and says when a check is due.

    The first evaluation is checked, and the first one with another pattern.  The pause after a
    check is twenty times its own calls, then twice as many, up to eight times.  Where floats have
    changed that the function reads, it is checked at once, as long as checks are within their
    share of the calls.

    Parameters
    ----------
    check : {True, False, "always"}

    Examples
    --------
    >>> schedule = CheckSchedule(True)
    >>> checked = []
    >>> for evaluation in range(100):
    ...     schedule.evaluated(10)
    ...     if schedule.is_due():
    ...         checked.append(evaluation)
    ...         schedule.passed(2)
    >>> checked
    [0, 4, 12, 28, 60, 92]
    """

    def __init__(self, check: Check) -> None:
        if check not in (True, False, "always"):
            raise InputError(f"check={check!r}: choose True, False or 'always'")
        self.check = check
        self.evaluations = 0
        """Since the last check that was passed, the one that runs included."""
        self.is_doubtful = False
        """Whether each evaluation is checked, as what holds at one point need not at another."""
        self._cost = 2
        self._credit = float(_SAVED * self._cost)
        self.begin()

    def begin(self) -> None:
        """Another pattern: the next evaluation is checked."""
        self._is_new, self._has_changed = True, False
        self._calls, self._pause = 0, 1

    def state_changed(self) -> None:
        """Floats that the function reads have changed, or its derivatives look wrong."""
        self._has_changed = True

    @property
    def is_first(self) -> bool:
        """Whether nothing was checked with this pattern yet."""
        return self._is_new

    def is_due(self) -> bool:
        """Whether to check the evaluation that has just been counted."""
        if self.check == "always" or not self.check:
            return bool(self.check)
        if self.is_doubtful or self._is_new or self._calls >= _RATE * self._cost * self._pause:
            return True
        return self._has_changed and self._credit >= self._cost

    def evaluated(self, calls: int) -> None:
        """An evaluation took so many calls."""
        self.evaluations += 1
        self._calls += calls
        self._credit = min(self._credit + calls / _RATE, float(_SAVED * self._cost))

    def passed(self, calls: int) -> None:
        """A check took so many calls, and found nothing."""
        self._cost = max(calls, 1)
        self._credit -= self._cost
        if not self._is_new and not self._has_changed:
            self._pause = min(2 * self._pause, _LONGEST)
        self._is_new = self._has_changed = False
        self._calls = self.evaluations = 0
