"""What is wrapped while a trace runs, because no protocol of NumPy's reaches it.

Contract: wrapped on entry of the first trace, restored on exit of the last, whatever
ended it.  Every wrapper asks first whether a trace runs in its own context, so other
threads see plain NumPy.  Names that a module bound early (``from numpy import zeros``)
are exchanged where an error showed that they matter, and restored with the rest.
"""

from __future__ import annotations

import math
import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from sparsetrace.capture import constructors, linear, mathematics
from sparsetrace.capture.numbers import TracedFloat
from sparsetrace.capture.session import SESSION, Restart, Session

__all__ = ["Restart", "Session", "capturing", "rebind"]

_lock = threading.Lock()
_active = 0
_rebound: list[tuple[dict[str, Any], str, Any]] = []
_ABSENT = object()


@cache
def _table() -> list[tuple[Any, str, Any, Any]]:
    """Owner, name, original and wrapper of everything that is exchanged."""
    rows: list[tuple[Any, str, Any, Any]] = []
    for module, found in ((np, constructors.wrappers()), (math, mathematics.wrappers())):
        rows += [(module, name, original, new) for name, (original, new) in found.items()]
    rows += [(kind, name, original, new) for (kind, name), (original, new) in linear.wrappers().items()]
    return rows


@cache
def _by_original() -> dict[int, tuple[Any, Any]]:
    return {
        id(original): (original, wrapper)
        for owner, _, original, wrapper in _table()
        if isinstance(owner, types.ModuleType)
    }


@contextmanager
def capturing(session: Session) -> Iterator[None]:
    """Everything wrapped, for the duration of a trace."""
    global _active
    with _lock:
        _active += 1
        if _active == 1:
            for owner, name, _, wrapper in _table():
                setattr(owner, name, wrapper)
    token = SESSION.set(session)
    try:
        yield
    finally:
        SESSION.reset(token)
        with _lock:
            _active -= 1
            if not _active:
                _restore()


def _restore() -> None:
    for owner, name, original, _ in _table():
        setattr(owner, name, original)
    while _rebound:
        scope, name, original = _rebound.pop()
        if original is _ABSENT:
            scope.pop(name, None)
        else:
            scope[name] = original


def rebind(traceback: types.TracebackType | None) -> bool:
    """Exchange early-bound names in the modules that an error passed through.

    Returns
    -------
    bool
        Whether anything was exchanged, so that another run may succeed.
    """
    found = False
    originals = _by_original()
    seen: set[int] = set()
    while traceback is not None:
        frame, traceback = traceback.tb_frame, traceback.tb_next
        scope = frame.f_globals
        name = scope.get("__name__", "")
        if name.startswith(("numpy", "sparsetrace")) and not name.startswith("numpy_"):
            continue
        if id(scope) not in seen:
            seen.add(id(scope))
            found |= _rebind_scope(scope, originals)
        if "float" in frame.f_code.co_names and "float" not in scope:
            found = True
            with _lock:
                _rebound.append((scope, "float", _ABSENT))
                scope["float"] = TracedFloat
    return found


def _rebind_scope(scope: dict[str, Any], originals: dict[int, tuple[Any, Any]]) -> bool:
    found = False
    with _lock:
        for key, value in list(scope.items()):
            pair = originals.get(id(value))
            if pair is not None and pair[0] is value:
                _rebound.append((scope, key, value))
                scope[key] = pair[1]
                found = True
    return found
