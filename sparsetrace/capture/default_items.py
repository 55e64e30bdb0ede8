"""``table[key]`` of a `collections.defaultdict`, which adds the item where it has none.

Contract: that changes an object where code says nothing of a store.  In a piece of code whose
writes are undone it is one of these.  What is added while calls are run apart is noted: it is taken
back where it was added on one of several paths, and the call is run as if it were not apart.
"""

from __future__ import annotations

import collections
import sys
from typing import Any

from sparsetrace.capture.patch import Patch, class_names
from sparsetrace.capture.session import SESSION, Session
from sparsetrace.user_code.frames import is_own

__all__ = ["patches", "take_back"]

_MISSING: Any = vars(collections.defaultdict)["__missing__"]


def _missing(self: Any, key: Any, /) -> Any:
    session = SESSION.get()
    if session is None or not session.nested or is_own(sys._getframe(1).f_code):
        return _MISSING(self, key)
    writes = session.writes
    if session.nested[-1].undoes and writes is not None and not writes.kept:
        writes.note(self, key)
        return _MISSING(self, key)
    made = _MISSING(self, key)
    session.fills.append((self, key))
    return made


def take_back(session: Session, since: int) -> bool:
    """Take away the items that were added since there were so many; whether there were any."""
    fills = session.fills[since:]
    for table, key in fills:
        dict.pop(table, key, None)
    del session.fills[since:]
    return bool(fills)


def patches() -> list[Patch]:
    """The method that reading calls; of a class in C whose names CPython keeps in a dict."""
    names = class_names(collections.defaultdict)
    return [] if names is None else [Patch(names, "__missing__", _MISSING, _missing)]
