"""How many entries a pattern may have: refused by a number before the memory is asked for.

Contract: every store asks here before it writes the entries of the outputs, so that a dense
pattern of a large function ends in an error that says why, and not in one of the allocator.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from sparsetrace.errors import GraphSizeError

__all__ = ["check_entries", "explained_memory", "fits"]

_BYTES = 4
"""Of one entry."""
_REMEDY = (
    "A value that depends on every input (a mean, a norm, an FFT) makes each row that uses it "
    "dense. Trace a smaller problem of the same structure, or make that value an argument of its "
    "own: f(x, m) with m = x.mean() passed in"
)


@cache
def _memory() -> int:
    """The machine's memory in bytes; where it cannot be asked, what an index can reach."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return 2**48


def fits(count: int) -> bool:
    """Whether the machine could hold so many entries.

    Examples
    --------
    >>> fits(1000), fits(2**62)
    (True, False)
    """
    return count * _BYTES <= _memory()


def check_entries(count: int) -> None:
    """Raise where so many entries do not fit into memory.

    Examples
    --------
    >>> check_entries(1000)
    """
    if not fits(count):
        raise GraphSizeError(
            f"the pattern would have {count:,} entries ({count * _BYTES / 2**30:.1f} GiB), more "
            f"than fit into memory. {_REMEDY}."
        )


@contextmanager
def explained_memory(rows: int, columns: int) -> Iterator[None]:
    """What fits into the machine may still not be there: the allocator's error, explained."""
    try:
        yield
    except GraphSizeError:
        raise
    except MemoryError as error:
        raise GraphSizeError(
            f"memory ran out while the pattern of {rows:,} x {columns:,} was written ({error}). "
            f"{_REMEDY}."
        ) from error
