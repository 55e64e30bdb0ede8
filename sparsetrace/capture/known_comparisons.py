"""What the decisions of a path say of numbers that are compared with constants.

Contract: a search in a table, ``while x > grid[i]: i += 1``, compares one number again and again.
Where earlier outcomes decide a comparison, no other number could take its other outcome, and it
is no branch.  A number may be NaN until a comparison with it was True: then all are False.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["KnownComparisons"]

_OPPOSITE: dict[np.ufunc, np.ufunc] = {
    np.less: np.greater_equal,
    np.less_equal: np.greater,
    np.greater: np.less_equal,
    np.greater_equal: np.less,
}


@dataclass(slots=True)
class _Interval:
    """Where a number lies, unless it is NaN."""

    number: object
    """The traced number itself, so that no other one has its id."""
    low: float = -math.inf
    high: float = math.inf
    without_low: bool = False
    without_high: bool = False
    is_ordered: bool = False
    """Whether it is known not to be NaN."""

    def is_below(self, bound: float, *, strictly: bool) -> bool:
        if self.high == bound:
            return self.without_high or not strictly
        return self.high < bound

    def is_above(self, bound: float, *, strictly: bool) -> bool:
        if self.low == bound:
            return self.without_low or not strictly
        return self.low > bound

    def satisfies(self, ufunc: np.ufunc, bound: float) -> bool:
        strictly = ufunc in (np.less, np.greater)
        if ufunc in (np.less, np.less_equal):
            return self.is_below(bound, strictly=strictly)
        return self.is_above(bound, strictly=strictly)

    def narrow(self, ufunc: np.ufunc, bound: float) -> None:
        if self.satisfies(ufunc, bound):
            return
        strictly = ufunc in (np.less, np.greater)
        if ufunc in (np.less, np.less_equal):
            self.high, self.without_high = bound, strictly
        else:
            self.low, self.without_low = bound, strictly


class KnownComparisons:
    """The comparisons of one path.

    Examples
    --------
    >>> x, known = object(), KnownComparisons()
    >>> known.outcome((x, np.less_equal, 3.0))
    >>> known.learn((x, np.less_equal, 3.0), outcome=True)
    >>> known.outcome((x, np.greater, 4.0)), known.outcome((x, np.less, 4.0))
    (False, True)
    >>> known.outcome((x, np.greater, 2.0))
    """

    def __init__(self) -> None:
        self._intervals: dict[int, _Interval] = {}

    def clear(self) -> None:
        self._intervals.clear()

    def outcome(self, comparison: tuple[Any, np.ufunc, float]) -> bool | None:
        """True or False where the outcomes before it leave no other; else None."""
        number, ufunc, bound = comparison
        interval = self._intervals.get(id(number))
        if interval is None:
            return None
        if interval.satisfies(_OPPOSITE[ufunc], bound):
            return False
        return True if interval.is_ordered and interval.satisfies(ufunc, bound) else None

    def learn(self, comparison: tuple[Any, np.ufunc, float], *, outcome: bool) -> None:
        """Remember the outcome of a decision."""
        number, ufunc, bound = comparison
        interval = self._intervals.setdefault(id(number), _Interval(number))
        interval.narrow(ufunc if outcome else _OPPOSITE[ufunc], bound)
        interval.is_ordered = interval.is_ordered or outcome
