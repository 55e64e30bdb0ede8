"""What the decisions of a path say of numbers that are compared with constants.

Contract: a search in a table, ``while x > grid[i]: i += 1``, compares one number again and again.
Where earlier outcomes decide a comparison, no other number could take its other outcome, and it
is no branch.  A number may be NaN until a comparison with it was True: then all are False.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Comparison", "KnownComparisons"]

Comparison = tuple[Any, np.ufunc, float]
"""The number, the ufunc and the constant; of two numbers both, and zero, as of their difference."""

_FLOAT = np.dtype(float)
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
    """The traced number itself, or both, so that no other one has its id."""
    low: float = -math.inf
    high: float = math.inf
    without_low: bool = False
    without_high: bool = False
    is_ordered: bool = False
    """Whether it is known not to be NaN."""
    without: set[float] = field(default_factory=set)
    """What it is not, whether it is NaN or not."""

    def is_below(self, bound: float, *, strictly: bool) -> bool:
        if self.high == bound:
            return self.without_high or not strictly
        return self.high < bound

    def is_above(self, bound: float, *, strictly: bool) -> bool:
        if self.low == bound:
            return self.without_low or not strictly
        return self.low > bound

    def equals(self, bound: float) -> bool | None:
        """Whether it equals a constant, where that is known."""
        if bound in self.without or not (
            self.low <= bound <= self.high
            and (bound != self.low or not self.without_low)
            and (bound != self.high or not self.without_high)
        ):
            return False
        return True if self.is_ordered and self.low == self.high else None

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

    A truth value is the comparison of itself with zero: ``if flag`` asks for ``flag != 0``.

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
        self._intervals: dict[Any, _Interval] = {}

    def clear(self) -> None:
        self._intervals.clear()

    def outcome(self, comparison: Comparison) -> bool | None:
        """True or False where the outcomes before it leave no other; else None."""
        number, ufunc, bound = comparison
        interval = self._intervals.get(_key(number))
        if interval is None:
            return None
        if ufunc in (np.equal, np.not_equal):
            equal = interval.equals(bound)
            return equal if equal is None or ufunc is np.equal else not equal
        if interval.satisfies(_OPPOSITE[ufunc], bound):
            return False
        return True if interval.is_ordered and interval.satisfies(ufunc, bound) else None

    def learn(self, comparison: Comparison, *, outcome: bool) -> None:
        """Remember the outcome of a decision."""
        number, ufunc, bound = comparison
        whole = getattr(number, "_dtype", _FLOAT).kind in "biu"  # which is never NaN
        interval = self._intervals.setdefault(_key(number), _Interval(number, is_ordered=whole))
        if ufunc in (np.equal, np.not_equal):
            if outcome is not (ufunc is np.equal):
                interval.without.add(bound)
                if getattr(number, "_dtype", _FLOAT).kind != "b" or bound not in (0.0, 1.0):
                    return
                bound = 1.0 - bound
            interval.low = interval.high = bound
            interval.without_low = interval.without_high = False
            interval.is_ordered = True
            return
        interval.narrow(ufunc if outcome else _OPPOSITE[ufunc], bound)
        interval.is_ordered = interval.is_ordered or outcome


def _key(number: object) -> Any:
    return tuple(map(id, number)) if type(number) is tuple else id(number)
