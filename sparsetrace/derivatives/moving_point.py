"""The points at which a function is called: some elements of one point, moved in turn.

Contract: the function may keep what it is given.  As long as it does not, and does not write into
it, all calls are at one array, which stays in the cache; the function cannot write into that by
NumPy, and what it wrote by other means is found.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.derivatives.flat_function import Vector

__all__ = ["MovingPoint"]

_OURS = 2
"""References to an array that nobody else holds, as `sys.getrefcount` counts."""


class MovingPoint:
    """A point, in one array or, where the function writes into its argument, in a new one a call.

    Parameters
    ----------
    x : array of shape (n,)
    dtype : dtype, optional
        Of the array; a complex one for a real `x` moves in its imaginary part.
    copies : bool
        Whether each call gets a new array, into which it may write.

    Attributes
    ----------
    copies : bool
        The same, once the function refused an array that it may not write into.

    Examples
    --------
    >>> moving = MovingPoint(np.array([1.0, 2.0, 3.0]))
    >>> moving.called(lambda x: x * 2, [0, 2], 0.0), moving.called(np.sum, [1], 5.0)
    (array([0., 4., 0.]), np.float64(9.0))
    >>> moving.was_changed()
    False
    """

    def __init__(self, x: Vector, dtype: Any = None, *, copies: bool = False) -> None:
        self.copies = copies
        self._x, self._dtype = x, x.dtype if dtype is None else np.dtype(dtype)
        self._is_imaginary = self._dtype.kind == "c" and x.dtype.kind != "c"
        self._point: Vector | None = None
        self._moved: Any = None
        self._changed = False

    def called(self, function: Callable[[Vector], Any], columns: Any, values: Any) -> Any:
        """What the function returns where these elements have these values, or imaginary parts."""
        if self.copies:
            return function(self._at(self._new(), columns, values))
        if self._point is None or not self._moved_back():
            self._point = self._new()
        self._at(self._point, columns, values)
        self._moved = columns
        self._point.flags.writeable = False
        try:
            return function(self._point)
        except Exception:
            # it may want to write; if that is not it, the error comes again
            result = function(self._at(self._new(), columns, values))
            self.copies = True
            return result
        finally:
            self._point.flags.writeable = True

    def was_changed(self) -> bool:
        """Whether the function wrote into what it must not: its results are not to be used.

        It gets new arrays from here on.
        """
        if self._point is not None and self._moved_back():
            self._compare(self._point)
        self._point = None
        self.copies = self.copies or self._changed
        return self._changed

    def _moved_back(self) -> bool:
        """Whether nobody else holds the array, which is as it was before the last call then."""
        is_alone = sys.getrefcount(self._point) <= _OURS
        assert self._point is not None
        point = self._point if is_alone else self._point.copy()
        self._at(point, self._moved, 0.0 if self._is_imaginary else self._x[self._moved])
        if not is_alone:
            self._compare(point)
        return is_alone

    def _compare(self, point: Vector) -> None:
        before = self._new()
        if point.dtype in (np.float64, np.complex128):  # to the bit, as NaN equals none
            point, before = point.view(np.uint64), before.view(np.uint64)
        self._changed = self._changed or not np.array_equal(point, before)

    def _new(self) -> Vector:
        return self._x.astype(self._dtype)

    def _at(self, point: Vector, columns: Any, values: Any) -> Vector:
        (point.imag if self._is_imaginary else point)[columns] = values
        return point
