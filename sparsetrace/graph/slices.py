"""Long id arrays, looked at a slice at a time.

Contract: the same answers as by whole arrays.  What a slice takes stays in the cache, where a
temporary array of the full size has new pages each time, which the system clears one by one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["counts_up", "slices"]

_SLICE_SIZE = 2**16


def slices(count: int) -> Iterator[slice]:
    """Slices that make up `count` elements; one at least.

    Examples
    --------
    >>> list(slices(100_000))
    [slice(0, 65536, None), slice(65536, 131072, None)]
    """
    if count <= _SLICE_SIZE:
        return iter([slice(0, _SLICE_SIZE)])
    return (slice(start, start + _SLICE_SIZE) for start in range(0, count, _SLICE_SIZE))


def counts_up(ids: NDArray[np.int32]) -> bool:
    """Whether each id is one more than the one before.

    Examples
    --------
    >>> counts_up(np.arange(3, 100_000)), counts_up(np.array([1, 3]))
    (True, False)
    """
    if int(ids[-1]) - int(ids[0]) != len(ids) - 1:
        return False
    if len(ids) <= _SLICE_SIZE:
        return bool((ids[1:] - ids[:-1] == 1).all())
    parts = (ids[some.start : some.stop + 1] for some in slices(len(ids) - 1))
    return all((part[1:] - part[:-1] == 1).all() for part in parts)
