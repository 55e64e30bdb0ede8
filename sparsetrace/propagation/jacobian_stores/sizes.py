"""How many entries a pattern may have: told by a number before the memory is asked for.

Contract: every store asks here before it writes entries, of the outputs or of nodes on the way;
where they are too many it stops, and `sparsetrace.propagation.jacobian` goes on with intervals.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from sparsetrace.errors import GraphSizeError

__all__ = [
    "MOST_ENTRIES",
    "TooManyEntries",
    "at_most",
    "check_entries",
    "explained_memory",
    "fits",
    "most_entries",
    "too_large",
    "too_ragged",
]

MOST_ENTRIES = 2_000_000_000
"""As many as a pattern has at the most by default; what has more stays compressed."""
_MOST: ContextVar[float] = ContextVar("sparsetrace_most_entries", default=MOST_ENTRIES)

_BYTES = 4
"""Of one entry."""
_REMEDY = (
    "A value that depends on every input (a mean, a norm, an FFT) makes each row that uses it "
    "dense. Trace a smaller problem of the same structure, or make that value an argument of its "
    "own: f(x, m) with m = x.mean() passed in"
)


class TooManyEntries(Exception):
    """More entries than are wanted, or fit: none of them was written.

    Attributes
    ----------
    count : int
        At least so many, repetitions included where they belong to nodes on the way.
    rows : IntervalRows or None
        The pattern in intervals, where the store has it.
    """

    def __init__(self, count: int, rows: Any = None) -> None:
        super().__init__(f"{count:,} entries")
        self.count, self.rows = count, rows


@contextmanager
def at_most(count: float) -> Iterator[None]:
    """Within it a store writes so many entries at the most.

    Examples
    --------
    >>> with at_most(10):
    ...     fits(11)
    False
    """
    token = _MOST.set(count)
    try:
        yield
    finally:
        _MOST.reset(token)


def most_entries() -> float:
    """So many entries a store writes at the most."""
    return _MOST.get()


@cache
def _memory() -> int:
    """The machine's memory in bytes; where it cannot be asked, what an index can reach."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return 2**48


def fits(count: int) -> bool:
    """Whether so many entries are wanted, and the machine could hold them.

    Examples
    --------
    >>> fits(1000), fits(2**62)
    (True, False)
    """
    return count <= _MOST.get() and count * _BYTES <= _memory()


def check_entries(count: int) -> None:
    """Raise `TooManyEntries` where so many are too many.

    Examples
    --------
    >>> check_entries(1000)
    """
    if not fits(count):
        raise TooManyEntries(count)


def too_large(count: int, problem: str, remedy: str) -> GraphSizeError:
    """The error of entries that are asked for, and are too many."""
    size = f"{count:,} entries ({count * _BYTES / 2**30:.1f} GiB)"
    return GraphSizeError(f"the pattern has {size}, {problem}. {remedy}.")


def too_ragged(count: int) -> GraphSizeError:
    """The error of a pattern that nothing can hold."""
    return GraphSizeError(
        f"the pattern, or what it is made of, has up to {count:,} entries "
        f"({count * _BYTES / 2**30:.1f} GiB): too many, and too ragged to be held as stretches of "
        f"columns. Allow more entries, max_entries=, where memory does. {_REMEDY}."
    )


@contextmanager
def explained_memory(rows: int, columns: int, most: float) -> Iterator[None]:
    """As `at_most`; and the allocator's error, explained: what fits may still not be there."""
    token = _MOST.set(most)
    try:
        yield
    except GraphSizeError:
        raise
    except MemoryError as error:
        raise GraphSizeError(
            f"memory ran out while the pattern of {rows:,} x {columns:,} was written ({error}). "
            f"{_REMEDY}."
        ) from error
    finally:
        _MOST.reset(token)
