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
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import numpy as np

from sparsetrace.capture import (
    constant_tables,
    exact_types,
    math_module,
    numba_functions,
    numpy_constructors,
    numpy_lists,
    numpy_ma,
    scipy_fft,
    scipy_functions,
    sparse_products,
    threads,
    vectorize,
)
from sparsetrace.capture.builtin_names import ORDERINGS, TracedFloat
from sparsetrace.capture.session import SESSION, Restart, Session
from sparsetrace.capture.threads import alone
from sparsetrace.operands import floating
from sparsetrace.user_code import identity_tests
from sparsetrace.user_code.reach import WATCHED

refuse_objects = numpy_lists.refuse_objects

__all__ = [
    "Restart",
    "Session",
    "alone",
    "capturing",
    "changes",
    "exchange_again",
    "exchange_sequences",
    "exchange_watched",
    "rebind",
    "rebind_callers",
    "rebind_orderings",
    "refuse_objects",
]

Row = tuple[Any, str, Any, Any]
"""Owner, name, original and wrapper."""

_NOT_REBOUND = frozenset((numba_functions.MODULE, "numpy", "sparsetrace"))
"""Packages whose own modules keep the names that they bound."""
_DRIVER = "sparsetrace.tracing.arguments"
_lock = threading.RLock()
_active = 0
_changes = 0
_ABSENT = object()
_patched: list[tuple[Any, dict[str, Any]]] = []
_rebound: list[tuple[Any, str, Any, Any]] = []
"""Where, the name, what it stood for, and what it stands for now."""
_modules_before: set[str] = set()
_wrapped_modules: set[str] = set()


@cache
def _table() -> list[tuple[Any, str, Any, Any]]:
    """Owner, name, original and wrapper of everything that is exchanged."""
    rows: list[tuple[Any, str, Any, Any]] = []
    for module, found in ((np, numpy_constructors.wrappers()), (math, math_module.wrappers())):
        rows += [(module, name, original, new) for name, (original, new) in found.items()]
    for several in (sparse_products.wrappers(), vectorize.wrappers(), threads.wrappers()):
        rows += [(owner, name, original, new) for (owner, name), (original, new) in several.items()]
    rows.append(numpy_ma.entry(_install_masks))
    rows.append(numpy_lists.select())
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
            with scipy_fft.backend():
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
    if numba_functions.is_loaded():
        new |= {numba_functions.MODULE} - _wrapped_modules
    for name in new:
        _exchange_all(name)
        _wrapped_modules.add(name)
    return bool(new)


_GROUPS = {
    numba_functions.MODULE: numba_functions.rows,
    numpy_ma.MODULE: numpy_ma.rows,
    numpy_lists.MODULE: numpy_lists.rows,
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
_install_masks = partial(_install_group, numpy_ma.MODULE)


def exchange_sequences() -> bool:
    """Exchange the functions that take lists; whether they were not before."""
    return _install_group(numpy_lists.MODULE)


def _rows_of(module: str) -> list[tuple[Any, str, Any, Any]]:
    if module in threads.POOLS:
        return threads.rows(module)
    return _GROUPS[module]() if module in _GROUPS else scipy_functions.rows(module)


def _restore() -> None:
    while _patched:
        _assign(*_patched.pop())
    while _rebound:
        scope, name, found, _ = _rebound.pop()
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


def _exchange(scope: Any, name: str, new: Any) -> None:
    global _changes
    with _lock:
        _changes += 1
        _rebound.append((scope, name, scope.get(name, _ABSENT), new))
        scope[name] = new


def exchange_again() -> None:
    """Exchange the names anew that were put back with the state of a function."""
    with _lock:
        for scope, name, found, new in _rebound:
            if scope.get(name, _ABSENT) is found:
                scope[name] = new


def _has_alias(scope: dict[str, Any]) -> bool:
    """Whether a module has bound ``float`` under another name."""
    return any(value is float for value in list(scope.values()))


def _say_once(error: BaseException, asks: str) -> None:
    note = (
        f"float(v) is not traced here, because {asks} compares float by identity ('is float') "
        "with what is not type(v): write isinstance(v, float), type(v) is float or '== float' there"
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
    if numpy_ma.are_used(traceback):
        _install_masks()
    for scope, name, stand_in in constant_tables.indexed(traceback):
        _exchange(scope, name, stand_in)
    seen: set[int] = set()
    scopes: list[dict[str, Any]] = []
    wanting: list[dict[str, Any]] = []
    while traceback is not None:
        frame, traceback = traceback.tb_frame, traceback.tb_next
        scope = frame.f_globals
        name = scope.get("__name__", "")
        if name.partition(".")[0] in _NOT_REBOUND:
            continue
        if id(scope) not in seen:
            seen.add(id(scope))
            scopes.append(scope)
            _rebind_scope(scope)
        named = "float" in frame.f_code.co_names or _has_alias(scope)
        if named and scope.get("float") is not TracedFloat:
            wanting.append(scope)
    # a type that one module asks for may be compared in the one that called it
    asking = set(map(id, wanting))
    found = [
        identity_tests.compared(s, "float", exchanged=id(s) in asking) for s in scopes if wanting
    ]
    asks = next(filter(None, found), None)
    for scope in wanting:
        if asks is None and scope.get("float") is not TracedFloat:
            for name in ["float", *(name for name, value in scope.items() if value is float)]:
                _exchange(scope, name, TracedFloat)
        elif asks is not None and error is not None:
            _say_once(error, asks)


def rebind_callers(frame: types.FrameType | None) -> bool:
    """Exchange early-bound names in the modules of the frames from here out to the driver."""
    before = _changes
    while frame is not None and frame.f_globals.get("__name__") != _DRIVER:
        scope = frame.f_globals
        if scope.get("__name__", "").partition(".")[0] not in _NOT_REBOUND:
            _rebind_scope(scope)
        frame = frame.f_back
    return before != _changes


def _rebind_scope(scope: dict[str, Any]) -> None:
    originals = _by_original()
    for key, value in list(scope.items()):
        pair = originals.get(id(value))
        if pair is not None and pair[0] is value:
            _exchange(scope, key, pair[1])


_MEMORY = "array asarray ascontiguousarray asfortranarray require".split()
"""Conversions whose original shows the memory of a traced array, and raises no error.

What is written into the copy that they make would be lost, and its bytes could be read.
"""
WATCHED.update(id(getattr(np, name)) for name in _MEMORY)


class _Place:
    """What holds a function, as a scope of one name."""

    def __init__(self, assign: Callable[[Any], None], function: Any) -> None:
        self._assign, self._function = assign, function

    def get(self, name: str, default: Any = None) -> Any:
        return self._function

    def __setitem__(self, name: str, value: Any) -> None:
        self._assign(value)


def exchange_watched(held: Iterable[tuple[Callable[[Any], None], Any]]) -> None:
    """Exchange conversions that are held by other names than NumPy's, wherever that is."""
    for assign, function in held:
        _exchange(_Place(assign, function), "", getattr(np, function.__name__))


def rebind_orderings(frame: types.FrameType) -> bool:
    """Exchange ``max``, ``min`` and ``sorted`` in a module that is about to branch in one."""
    scope = frame.f_globals
    found = False
    for name, new in ORDERINGS.items():
        if name in frame.f_code.co_names and name not in scope:
            _exchange(scope, name, new)
            found = True
    return found
