"""Which entries of a derivative are read from the product of each color, and where in it.

Contract: an entry is one number of one product; a product is read as soon as it is there, so
that no more is kept than the entries themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from sparsetrace.derivatives.flat_function import Vector

__all__ = ["Readings"]

Adder = Callable[[Vector, Vector], None]


class Readings:
    """Adds the numbers of products to the entries that they are.

    Parameters
    ----------
    colors, numbers : array of int
        Of each entry: the product, and which of its numbers.
    num_colors : int

    Examples
    --------
    >>> readings = Readings(np.array([0, 1, 0]), np.array([2, 2, 1]), 2)
    >>> entries = np.zeros(3)
    >>> readings.adders(entries.dtype, factor=10.0)[0](np.array([5.0, 6.0, 7.0]), entries)
    >>> entries.tolist()
    [70.0, 0.0, 60.0]
    """

    def __init__(self, colors: Vector, numbers: Vector, num_colors: int) -> None:
        largest = max(len(numbers), int(numbers.max(initial=0)))
        # the compiled loop takes half the time of whole numbers of half the size
        self._ints = np.int32 if largest <= np.iinfo(np.int32).max else np.int64
        # NumPy sorts small whole numbers without comparisons
        small = np.uint16 if num_colors <= np.iinfo(np.uint16).max else np.int64
        order = np.argsort(colors.astype(small), kind="stable")
        counts = np.bincount(colors, minlength=num_colors)
        ends = np.cumsum(counts)[:-1]
        self._entries, self._numbers = (
            np.split(some.astype(self._ints), ends) if num_colors else []
            for some in (order, numbers[order])
        )
        self._most = int(counts.max(initial=0))
        self._known: dict[tuple[np.dtype[Any], float], list[Adder]] = {}

    def adders(self, dtype: np.dtype[Any], factor: float = 1.0) -> list[Adder]:
        """Of each product, what adds its numbers to the entries, times a factor.

        Each is called with the product and the entries; both are contiguous and of this dtype.
        """
        known = self._known.get((dtype, factor))
        if known is None:
            known = self._known[dtype, factor] = self._made(dtype, factor)
        return known

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_known": {}}  # another SciPy may have another loop

    def _made(self, dtype: np.dtype[Any], factor: float) -> list[Adder]:
        both = zip(self._entries, self._numbers, strict=True)
        loop = compiled_loop()
        if loop is None or dtype.char not in "fdFD" or not dtype.isnative:
            return [partial(_add, places, numbers, factor) for places, numbers in both]
        factors = np.full(self._most, factor, dtype)
        return [partial(loop, len(places), places, numbers, factors) for places, numbers in both]


def _add(places: Vector, numbers: Vector, factor: float, product: Vector, entries: Vector) -> None:
    entries[places] += factor * product[numbers]


@cache
def compiled_loop() -> Callable[..., Any] | None:
    """SciPy's loop behind products of a `coo_array` with a vector, if it is where it was.

    It is not public: by public functions each product would take an array of all entries.
    """
    try:
        from scipy.sparse._sparsetools import coo_matvec
    except ImportError:
        return None
    loop: Callable[..., Any] = coo_matvec
    return loop
