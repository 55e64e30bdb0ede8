"""The hash of a traced number that is looked up in a set or a dict.

Contract: ``v in {0.0, 1.0}`` compares the number with each key; see docs/how-it-works.md.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

from sparsetrace.operands.operands import is_traced

__all__ = ["hash_among", "new_hash"]

_NEW_HASHES = count(1 << 60)
"""That no number of Python's is likely to have, and no two keys of a cache."""
_MOST_KEYS = 32
"""With which a number is compared: a branch each."""
_KEYS = (bool, int, float, complex, np.number, np.bool_, str, bytes, type(None))
"""Keys of which nothing but a number equals a number."""


def new_hash() -> int:
    """One that nothing has."""
    return next(_NEW_HASHES)


def hash_among(number: Any, container: Any) -> int | None:
    """The hash of the key that the number equals, each a branch; another one if it equals none.

    None where there may be other keys that equal it, or more than a few.  So it is where a number
    at a point is found, unless nothing can have put it there for that point.
    """
    if container is None or len(container) > _MOST_KEYS:
        return None
    if not all(isinstance(key, _KEYS) and not is_traced(key) for key in container):
        return None
    for key in container:
        if isinstance(key, _KEYS[:6]) and number == key:
            kept = number._trace.local and type(container) is not frozenset
            return None if kept else hash(key)
    return new_hash()
