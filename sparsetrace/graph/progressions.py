"""Arithmetic progressions among node ids, as slices make them: found, and kept in place of arrays.

Contract: pure integer arrays, looked at a slice at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, SupportsIndex, overload

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import arange, empty
from numpy.typing import NDArray

from sparsetrace.graph.slices import counts_up, slices

__all__ = ["LONG", "Piece", "SlicedColumns", "cut", "seems_ragged", "sliced"]

Piece = tuple[int, int, int, int]
"""An arithmetic progression among ids: where it starts and stops, its first id, and its step."""

_FEW, LONG = 4, 2048
"""An id array may have so many progressions, and one more for so many ids."""
_PROBE = 4096
"""So many ids are looked at first."""
_LARGE = 2**16
"""From this size on columns are kept as progressions."""


def cut(ids: NDArray[np.int32]) -> tuple[Piece, ...] | None:
    """The arithmetic progressions that ids consist of; None where these are short.

    Parameters
    ----------
    ids : ndarray of int32
        One dimension, not empty.

    Examples
    --------
    >>> cut(np.array([9, 2, 3, 4, 4, 4, 4]))
    ((0, 1, 9, 1), (1, 4, 2, 1), (4, 7, 4, 0))
    """
    size, first = len(ids), int(ids[0])
    if int(ids[-1]) - first == size - 1 and counts_up(ids):
        return ((0, size, first, 1),)
    most = 2 * (_FEW + size // LONG)
    ends: list[int] = []
    for some in slices(size):
        ends += _changes(ids, some.start, some.stop)
        if len(ends) > most:
            return None
    found: list[Piece] = []
    at = 0
    for end in (*ends, size - 2):  # the places of the last of equal steps
        if at > end:
            continue  # the step leads from one progression to the next
        first = int(ids[at])
        step = int(ids[at + 1]) - first
        alone = at == end and step not in (0, 1)  # two ids are no progression
        stop = at + 1 if alone else end + 2
        if not alone and int(ids[stop - 1]) != first + step * (stop - 1 - at):
            return None  # differences of 32 bits that are equal modulo 2**32 alone
        found.append((at, stop, first, 1 if alone else step))
        at = stop
    if at < size:
        found.append((at, size, int(ids[at]), 1))
    return tuple(found)


def _changes(ids: NDArray[np.int32], start: int, stop: int) -> list[int]:
    """Places of ids that differ from the next by something else than that does from its next."""
    part = ids[start : stop + 2]
    steps = part[1:] - part[:-1]
    changes = (steps[1:] != steps[:-1]).nonzero()[0]
    found: list[int] = (changes + start if start else changes).tolist()
    return found


def seems_ragged(ids: NDArray[np.int32]) -> bool:
    """Whether progressions are short at the first look at a long array.

    Examples
    --------
    >>> seems_ragged(np.arange(100_000)), seems_ragged(np.arange(100_000) ** 2)
    (False, True)
    """
    return len(ids) > _PROBE and len(_changes(ids, 0, _PROBE)) > 2 * (_FEW + _PROBE // LONG)


@dataclass(eq=False)
class SlicedColumns(Sequence[NDArray[np.int32]]):
    """Id arrays that are kept as progressions, and written out when they are asked for.

    Attributes
    ----------
    size : int
        Of each array.
    pieces : tuple of tuple of Piece
        The progressions of each.

    Examples
    --------
    >>> columns = SlicedColumns(3, (((0, 2, 5, 1), (2, 3, 9, 1)),))
    >>> columns[0]
    array([5, 6, 9], dtype=int32)
    """

    size: int
    pieces: tuple[tuple[Piece, ...], ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.size, self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    @overload
    def __getitem__(self, at: SupportsIndex) -> NDArray[np.int32]: ...
    @overload
    def __getitem__(self, at: slice) -> list[NDArray[np.int32]]: ...
    def __getitem__(self, at: Any) -> Any:
        return self._written[at]

    @cached_property
    def _written(self) -> list[NDArray[np.int32]]:
        return [self._array(pieces) for pieces in self.pieces]

    def _array(self, pieces: tuple[Piece, ...]) -> NDArray[np.int32]:
        ids = empty(self.size, np.int32)
        for start, stop, first, step in pieces:
            if step:
                last = first + step * (stop - start - 1)
                end = last + 1 if step > 0 else last - 1
                ids[start:stop] = arange(first, end, step, dtype=np.int32)
            else:
                ids[start:stop] = first
        return ids


def sliced(arrays: Sequence[NDArray[np.int32]]) -> SlicedColumns | None:
    """Long arrays of one size as progressions; None where these are short, or arrays are.

    Examples
    --------
    >>> ids = np.arange(2, 70_000, dtype=np.int32)
    >>> sliced([ids, ids[::-1]]).pieces
    (((0, 69998, 2, 1),), ((0, 69998, 69999, -1),))
    """
    size = len(arrays[0])
    if size < _LARGE or any(map(seems_ragged, arrays)):
        return None
    pieces = []
    for ids in arrays:
        found = cut(ids)
        if found is None:
            return None
        pieces.append(found)
    return SlicedColumns(size, tuple(pieces))
