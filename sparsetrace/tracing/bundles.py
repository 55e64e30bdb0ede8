"""Which of many containers have changed, asked of whole bundles of them at once.

Contract: an entry is given again where what its container holds is not the very same, in the
same order; entries that share its bundle may come with it, unchanged.  No code of the
containers' own classes runs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

__all__ = ["Bundles", "Reader", "contents"]

Reader = Callable[[Sequence[Any]], Iterable[Any]]
"""All that some containers hold, one after the other."""
_SIZE = 64
_SIZE_OF_EMPTY = 512
"""Most functions have no attributes: that many empty containers are asked at once."""
_Entry = TypeVar("_Entry", bound=tuple[Any, ...])


def contents(read: Callable[[Any], Iterable[Any]]) -> Reader:
    """A reader of many containers, from one of a single container."""
    return lambda containers: chain.from_iterable(map(read, containers))


class Bundles(Generic[_Entry]):
    """Entries whose first item is a container, and what all of these hold now.

    Parameters
    ----------
    entries : sequence of tuples
    size : callable, optional
        Of one container.
    *readers : callable
        What is compared, by identity.

    Examples
    --------
    >>> first, second = {"a": 1}, {"b": 2}
    >>> bundles = Bundles([(first, "first"), (second, "second")], len, contents(dict.values))
    >>> list(bundles.changed())
    []
    >>> second["b"] = 3
    >>> [name for _, name in bundles.changed()]
    ['first', 'second']
    """

    __slots__ = ("_bundles", "_empty", "_readers", "_size")

    def __init__(
        self, entries: Sequence[_Entry], size: Callable[[Any], int] | None, *readers: Reader
    ) -> None:
        self._size = size
        self._readers = readers
        self._empty: Sequence[Any] = ()
        self._bundles: Sequence[Any] = ()
        if not entries:
            return
        empty = [entry for entry in entries if not size(entry[0])] if size is not None else []
        if empty:
            self._empty = [(some, _containers(some)) for some in _parted(empty, _SIZE_OF_EMPTY)]
            assert size is not None
            entries = [entry for entry in entries if size(entry[0])]
        self._bundles = [self._bundle(some) for some in _parted(entries, _SIZE)]

    def _bundle(self, entries: Sequence[_Entry]) -> tuple[Any, ...]:
        containers = _containers(entries)
        return (
            entries,
            containers,
            self._sizes(containers),
            *(tuple(read(containers)) for read in self._readers),
        )

    def _sizes(self, containers: Sequence[Any]) -> list[int]:
        return [] if self._size is None else [*map(self._size, containers)]

    def changed(self) -> Iterator[_Entry]:
        """The entries of the bundles in which a container is not as it was."""
        for entries, containers in self._empty:
            if any(self._sizes(containers)):
                yield from entries
        for entries, containers, sizes, *held in self._bundles:
            if self._sizes(containers) != sizes or not all(
                all(map(operator.is_, read(containers), before))
                for read, before in zip(self._readers, held, strict=True)
            ):
                yield from entries


def _parted(entries: Sequence[_Entry], size: int) -> list[Sequence[_Entry]]:
    return [entries[i : i + size] for i in range(0, len(entries), size)]


def _containers(entries: Sequence[_Entry]) -> list[Any]:
    return [entry[0] for entry in entries]
