"""What is wrapped while a trace runs, because no protocol of NumPy's reaches it.

Contract: wrapped on entry of the first trace, restored on exit of the last, whatever
ended it.  Every wrapper asks first whether a trace runs in its own context, so other
threads see plain NumPy.  Names that a module bound early (``from numpy import zeros``)
are exchanged where an error showed that they matter, and restored with the rest.
"""

from __future__ import annotations

import math
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import numpy as np

from sparsetrace import floating
from sparsetrace.capture import (
    compiled,
    constructors,
    exact_types,
    identity,
    linear,
    loops,
    masks,
    mathematics,
    scipy_functions,
    sequences,
    threads,
    transforms,
)
from sparsetrace.capture.numbers import ORDERINGS, TracedFloat
from sparsetrace.capture.session import SESSION, Restart, Session
from sparsetrace.capture.threads import alone

__all__ = [
    "Restart",
    "Session",
    "alone",
    "capturing",
    "changes",
    "exchange_sequences",
    "rebind",
    "rebind_orderings",
]

Row = tuple[Any, str, Any, Any]
"""Owner, name, original and wrapper."""

_NOT_REBOUND = frozenset((compiled.MODULE, "numpy", "sparsetrace"))
"""Packages whose own modules keep the names that they bound."""
_lock = threading.RLock()
_active = 0
_changes = 0
_ABSENT = object()
_patched: list[tuple[Any, dict[str, Any]]] = []
_rebound: list[tuple[dict[str, Any], str, Any]] = []
_modules_before: set[str] = set()
_wrapped_modules: set[str] = set()


@cache
def _table() -> list[tuple[Any, str, Any, Any]]:
    """Owner, name, original and wrapper of everything that is exchanged."""
    rows: list[tuple[Any, str, Any, Any]] = []
    for module, found in ((np, constructors.wrappers()), (math, mathematics.wrappers())):
        rows += [(module, name, original, new) for name, (original, new) in found.items()]
    for several in (linear.wrappers(), loops.wrappers(), threads.wrappers()):
        rows += [(owner, name, original, new) for (owner, name), (original, new) in several.items()]
    rows.append(masks.entry(_install_masks))
    rows.append(sequences.select())
    rows += floating.rows()
    rows.append(exact_types.entry())
    return rows


def _by_original() -> dict[int, tuple[Any, Any]]:
    return _pairs(frozenset(_wrapped_modules))[0]


def _by_wrapper() -> dict[int, tuple[Any, Any]]:
    return _pairs(frozenset(_wrapped_modules))[1]


@cache
def _pairs(modules: frozenset[str]) -> tuple[dict[int, tuple[Any, Any]], ...]:
    """Functions by the id of their original, and by that of their wrapper."""
    rows = [*_table(), *(row for name in modules for row in _rows_of(name))]
    exchanged = [row for row in rows if isinstance(row[0], types.ModuleType)]
    return (
        {id(original): (original, wrapper) for _, _, original, wrapper in exchanged},
        {id(wrapper): (wrapper, original) for _, _, original, wrapper in exchanged},
    )


@contextmanager
def capturing(session: Session, function: Callable[..., Any]) -> Iterator[None]:
    """Everything wrapped, for the duration of a trace of `function`."""
    global _active
    token = SESSION.set(session)
    try:
        with _lock:
            _active += 1
            if _active == 1:
                _install()
            for scope, name in exact_types.aliases(function):
                _exchange(scope, name, exact_types.TypeName)
        try:
            with transforms.backend():
                yield
        finally:
            with _lock:
                _active -= 1
                if not _active:
                    _restore()
    finally:
        SESSION.reset(token)


def _install() -> None:
    if len(sys.modules) != len(_modules_before):
        _modules_before.clear()
        _modules_before.update(sys.modules)
        exact_types.keep_own()
    _exchange_all()
    _install_loaded()


def _by_owner(rows: list[Row]) -> list[tuple[Any, dict[str, Any]]]:
    """The wrappers of each owner, by name."""
    found: dict[int, tuple[Any, dict[str, Any]]] = {}
    for owner, name, _, wrapper in rows:
        found.setdefault(id(owner), (owner, {}))[1][name] = wrapper
    return list(found.values())


@cache
def _wrappers_of(module: str) -> list[tuple[Any, dict[str, Any]]]:
    """What is exchanged from the start, or with a module, by owner."""
    return _by_owner(_table() if not module else _rows_of(module))


def _exchange_all(module: str = "") -> None:
    for owner, wrappers in _wrappers_of(module):
        scope = vars(owner)
        # not the originals of the table: someone else may have exchanged a name
        _patched.append((owner, {name: scope.get(name, _ABSENT) for name in wrappers}))
        _assign(owner, wrappers)


def _assign(owner: Any, values: dict[str, Any]) -> None:
    if type(owner) is types.ModuleType:  # all at once, much faster than by attribute
        vars(owner).update(values)
    else:
        for name, value in values.items():
            if value is _ABSENT:  # inherited before
                delattr(owner, name)
            else:
                setattr(owner, name, value)


def _install_loaded() -> bool:
    """Exchange the functions of modules loaded by now; whether there were new ones."""
    new = (scipy_functions.loaded() | threads.loaded()) - _wrapped_modules
    if compiled.MODULE in sys.modules and compiled.is_loaded():
        new |= {compiled.MODULE} - _wrapped_modules
    for name in new:
        _exchange_all(name)
        _wrapped_modules.add(name)
    return bool(new)


_GROUPS = {
    compiled.MODULE: compiled.rows,
    masks.MODULE: masks.rows,
    sequences.MODULE: sequences.rows,
}
"""What is exchanged once it is loaded, or turns out to be used."""


def _install_group(name: str) -> bool:
    """Exchange the functions of a group; whether they were not before."""
    global _changes
    with _lock:
        if name in _wrapped_modules:
            return False
        _exchange_all(name)
        _wrapped_modules.add(name)
        _changes += 1
    return True


def _learn_modules() -> bool:
    """Exchange the functions of modules loaded during the run; whether there were any."""
    global _changes
    with _lock:
        found = _install_loaded()
        _changes += found
    return found


threads.learner(_learn_modules)
_install_masks = partial(_install_group, masks.MODULE)


def exchange_sequences() -> bool:
    """Exchange the functions that take lists; whether they were not before."""
    return _install_group(sequences.MODULE)


def _rows_of(module: str) -> list[tuple[Any, str, Any, Any]]:
    if module in threads.POOLS:
        return threads.rows(module)
    return _GROUPS[module]() if module in _GROUPS else scipy_functions.rows(module)


def _restore() -> None:
    while _patched:
        _assign(*_patched.pop())
    while _rebound:
        scope, name, found = _rebound.pop()
        if found is _ABSENT:
            scope.pop(name, None)
        else:
            scope[name] = found
    if len(sys.modules) != len(_modules_before):
        _restore_new_modules()
    _wrapped_modules.clear()


def _restore_new_modules() -> None:
    """Modules first imported during a trace may have bound wrappers by name."""
    originals = _by_wrapper()
    for name in set(sys.modules) - _modules_before:
        scope = getattr(sys.modules.get(name), "__dict__", {})
        for key, value in list(scope.items()):
            pair = originals.get(id(value))
            if pair is not None and pair[0] is value:
                scope[key] = pair[1]


def changes() -> int:
    """How often a name was exchanged so far, in any thread."""
    return _changes


def _exchange(scope: dict[str, Any], name: str, new: Any) -> None:
    global _changes
    with _lock:
        _changes += 1
        _rebound.append((scope, name, scope.get(name, _ABSENT)))
        scope[name] = new


def _say_once(error: BaseException, asks: str) -> None:
    note = (
        f"float(v) is not traced in this module, because {asks} compares float by identity "
        "('is float') with what is not type(v): write isinstance(v, float), type(v) is float "
        "or '== float' there"
    )
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def rebind(error: BaseException | None) -> None:
    """Exchange early-bound names in the modules that an error passed through.

    `changes` tells whether anything was exchanged, so that another run may succeed.  So
    does the exchange of functions of SciPy modules that were loaded during the run.
    """
    _learn_modules()
    traceback = None if error is None else error.__traceback__
    if masks.are_used(traceback):
        _install_masks()
    seen: set[int] = set()
    while traceback is not None:
        frame, traceback = traceback.tb_frame, traceback.tb_next
        scope = frame.f_globals
        name = scope.get("__name__", "")
        if name.partition(".")[0] in _NOT_REBOUND:
            continue
        if id(scope) not in seen:
            seen.add(id(scope))
            _rebind_scope(scope)
        if "float" in frame.f_code.co_names and "float" not in scope:
            asks = identity.compared(scope, "float")
            if asks is None:
                _exchange(scope, "float", TracedFloat)
            elif error is not None:
                _say_once(error, asks)


def _rebind_scope(scope: dict[str, Any]) -> None:
    originals = _by_original()
    for key, value in list(scope.items()):
        pair = originals.get(id(value))
        new = pair[1] if pair is not None and pair[0] is value else None
        if value is float:  # bound under another name
            new = TracedFloat
        if new is not None:
            _exchange(scope, key, new)


def rebind_orderings(frame: types.FrameType) -> bool:
    """Exchange ``max``, ``min`` and ``sorted`` in a module that is about to branch in one."""
    scope = frame.f_globals
    found = False
    for name, new in ORDERINGS.items():
        if name in frame.f_code.co_names and name not in scope:
            _exchange(scope, name, new)
            found = True
    return found
