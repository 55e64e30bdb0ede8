"""Arrays that share memory, and stand-ins for them that share theirs in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.typing import NDArray

__all__ = ["Pool", "overlapping"]


def overlapping(arrays: Iterable[NDArray[Any]]) -> Iterator[list[NDArray[Any]]]:
    """The arrays in groups that lie over each other in memory; one without elements is alone.

    Examples
    --------
    >>> a, b = np.zeros(4), np.ones(2)
    >>> sorted(map(len, overlapping([a, b, a[1:3], a[3:]])))
    [1, 3]
    """
    group: list[NDArray[Any]] = []
    end = 0
    for array in sorted(arrays, key=lambda array: byte_bounds(array)[0]):
        start, stop = byte_bounds(array)
        if not array.size:
            yield [array]
            continue
        if group and start >= end:
            yield group
            group = []
        group.append(array)
        end = max(end, stop) if len(group) > 1 else stop
    if group:
        yield group


class Pool:
    """Memory for one stand-in element for each element of some arrays that share theirs.

    Parameters
    ----------
    arrays : list of array
        Of one dtype.

    Raises
    ------
    ValueError
        If the elements of one do not begin where those of another do.

    Examples
    --------
    >>> a = np.arange(6.0).reshape(2, 3)
    >>> of_a, of_row = Pool([a, a[1]]).views(np.int32)
    >>> of_row[:] = 7
    >>> of_a
    array([[0, 0, 0],
           [7, 7, 7]], dtype=int32)
    """

    def __init__(self, arrays: list[NDArray[Any]]) -> None:
        step = arrays[0].itemsize
        bounds = [byte_bounds(array) for array in arrays]
        start = min(low for low, _ in bounds)
        self.size = max(-(-(high - start) // step) for _, high in bounds)
        self._places = []
        for array in arrays:
            offset, wrong = divmod(array.__array_interface__["data"][0] - start, step)
            if wrong or array.dtype != arrays[0].dtype or any(s % step for s in array.strides):
                raise ValueError(f"elements of {array.dtype} over others of {arrays[0].dtype}")
            self._places.append((array.shape, offset, tuple(s // step for s in array.strides)))
        # a stand-in of the array that the others are views of is what they are views of in turn
        whole = max(arrays, key=lambda array: array.size)
        fits = whole.size == self.size and (whole.flags.c_contiguous or whole.flags.f_contiguous)
        self._shape = whole.shape if fits else (self.size,)
        self._order: Any = "C" if whole.flags.c_contiguous or not fits else "F"

    def views(self, dtype: Any, value: Any = 0) -> list[NDArray[Any]]:
        """A stand-in of this dtype for each array, all elements of which are `value`."""
        pool = np.full(self._shape, value, dtype, self._order)
        flat, step = pool.reshape(-1, order=self._order), pool.itemsize
        return [
            np.ndarray(shape, dtype, flat, offset * step, tuple(s * step for s in strides))
            for shape, offset, strides in self._places
        ]
