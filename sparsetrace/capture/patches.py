"""What is exchanged while a trace runs, because no protocol of NumPy's reaches it.

Contract: exchanged on entry of the first trace, put back on exit of the last, whatever
ended it.  Every replacement asks first whether a trace runs in its own context, so other
threads see plain NumPy.  The patches come from the other modules of this folder: some are
made from the start, some in groups once a module is loaded or turns out to be used; names
that a module bound early (``from numpy import zeros``) follow where an error showed that
they matter.
"""

from __future__ import annotations

import importlib
import sys
import threading
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import chain
from typing import Any

import numpy as np

from sparsetrace import masked
from sparsetrace.capture import (
    array_likes,
    array_methods,
    compiled_functions,
    default_items,
    derived_numbers,
    early_names,
    exact_types,
    math_module,
    numba_functions,
    numpy_constructors,
    numpy_iterators,
    numpy_lists,
    numpy_ma,
    random_generators,
    registered_functions,
    scipy_fft,
    sparse_arrays,
    sparse_products,
    steady_loops,
    text_templates,
    threads,
    ufuncs_of_lists,
    vectorize,
)
from sparsetrace.capture.patch import (
    ClassNames,
    Exchange,
    Patch,
    Replacements,
    by_owner,
    forget_tables,
    table,
)
from sparsetrace.capture.plain_imports import Finder
from sparsetrace.capture.session import SESSION, Session
from sparsetrace.errors import EscapeError
from sparsetrace.interrupts import deferred
from sparsetrace.operands import floating
from sparsetrace.user_code.callers import called

__all__ = [
    "capturing",
    "changes",
    "disturbances",
    "exchange_methods",
    "exchange_sequences",
    "exchange_watched",
    "exchanged_again",
    "prepare",
    "putting_back",
    "rebind",
    "rebind_callers",
    "rebind_orderings",
    "rebind_range",
    "rebind_ufuncs",
    "refresh_registered",
    "stand_in_for",
]

Source = Callable[[], Iterable[Patch]]

_FROM_START: tuple[Source, ...] = (
    numpy_constructors.patches,
    numpy_iterators.patches,
    random_generators.patches,
    math_module.patches,
    sparse_arrays.patches,
    sparse_products.patches,
    vectorize.patches,
    default_items.patches,
    threads.patches,
    numpy_ma.patches,
    numpy_lists.patches,
    lambda: map(Patch._make, floating.watchers()),
    exact_types.patches,
    text_templates.logging_patches,
)
_GROUPS: dict[str, Source] = {
    numpy_lists.MODULE: numpy_lists.later_patches,
    array_methods.MODULE: array_methods.patches,
    ufuncs_of_lists.MODULE: ufuncs_of_lists.patches,
    sparse_arrays.MODULE: sparse_arrays.later_patches,
    numba_functions.MODULE: numba_functions.patches,
    **{name: partial(threads.pool_patches, name) for name in threads.POOLS},
}
"""What is exchanged once it is loaded, or turns out to be used; beside registered functions."""

_lock = threading.RLock()
_active = 0
_changes = 0
_begun: Counter[int] = Counter()
_ended: Counter[int] = Counter()
"""How often each thread has put names back with the state of a function, and is done with it."""
_patched = Exchange()
"""Of modules and classes."""
_rebound = Exchange()
"""Of names that were bound early."""
_groups: frozenset[str] = frozenset()
"""Those exchanged by now."""
_modules_before: set[str] = set()


@table
def _patches() -> tuple[Patch, ...]:
    """Everything that is exchanged from the start."""
    return tuple(patch for source in _FROM_START for patch in source())


@table
def _patches_of(group: str) -> tuple[Patch, ...]:
    source = _GROUPS.get(group)
    return tuple(registered_functions.patches(group) if source is None else source())


@table
def _replacements(group: str) -> list[Replacements]:
    return by_owner(_patches_of(group))


@table
def _replacements_of(groups: frozenset[str]) -> list[Replacements]:
    """Those of the start, and of some groups: in one, since each takes time in every trace."""
    return by_owner(chain(_patches(), *map(_patches_of, groups)))


@table
def _functions(groups: frozenset[str]) -> tuple[dict[int, Patch], dict[int, Patch]]:
    """The patches of what may bear other names, by the ids of originals, and of replacements.

    Those are functions of modules, and methods of ``np.ndarray``; of the methods of other
    classes by the originals alone, since a replacement is put back with its class.
    """
    exchanged = [*_patches(), *(patch for group in groups for patch in _patches_of(group))]
    owners = (types.ModuleType, ClassNames)
    functions = [patch for patch in exchanged if isinstance(patch.owner, owners)]
    methods = [patch for patch in exchanged if isinstance(patch.owner, type)]
    return (
        {id(patch.original): patch for patch in (*methods, *functions)},
        {id(patch.replacement): patch for patch in functions},
    )


# ------------------------------------------------------------------- a trace
@contextmanager
def capturing(session: Session, function: Callable[..., Any]) -> Iterator[None]:
    """Everything exchanged, for the duration of a trace of `function`."""
    global _active
    session.install = _install
    token = SESSION.set(session)
    try:
        with _lock:
            _active += 1
            if _active == 1:
                _begin()
            aliases = [*exact_types.aliases(function), *steady_loops.known_patches(function)]
            if aliases:
                _exchange(aliases)
        try:
            with scipy_fft.Backend() as backend:
                session.set_backend = backend.set
                yield
        finally:
            with _lock:
                _active -= 1
                if not _active:
                    _restore()
    finally:
        SESSION.reset(token)


def prepare() -> None:
    """List what is exchanged in the modules that are loaded, so that the first trace need not."""
    with _lock:
        refresh_registered()
        _replacements_of(_loaded())
        _functions(_loaded())


def refresh_registered(*, anew: bool = False) -> None:
    """Bring up to date which functions have a rule of a user's; `anew` if one was taken back."""
    with _lock:
        if registered_functions.refresh() or anew:
            for listed in (_patches_of, _replacements, _replacements_of, _functions):
                listed.cache_clear()


def _import_plainly(name: str) -> types.ModuleType | None:
    """Import a module, with all names put back meanwhile; runs that have met that are repeated."""
    global _changes
    with deferred(), _lock:
        _patched.undo()
        try:
            module = importlib.import_module(name)
            numba_functions.load_tables()
        except ImportError:
            return None  # as it says when the name is imported again
        finally:
            _patched.make(_replacements_of(_groups))
            _changes += 1
    return module


_finder = Finder({numba_functions.MODULE}, _import_plainly)


def _begin() -> None:
    global _groups
    _finder.enter()
    if len(sys.modules) != len(_modules_before):
        _modules_before.clear()
        _modules_before.update(sys.modules)
    _groups = _loaded()
    if not _patched.make(_replacements_of(_groups)):
        # other code has exchanged a name since: what it put there is to be called
        _patched.undo()
        forget_tables()
        _patched.make(_replacements_of(_groups))


def _restore() -> None:
    global _groups
    _finder.leave()
    _patched.undo()
    _rebound.undo()
    if len(sys.modules) != len(_modules_before):
        _restore_new_modules()
    _groups = frozenset()
    _begun.clear()
    _ended.clear()


def _restore_new_modules() -> None:
    """Modules first imported during a trace may have bound replacements by name."""
    by_replacement = _functions(_groups)[1]
    for module in set(sys.modules) - _modules_before:
        scope = getattr(sys.modules.get(module), "__dict__", {})
        for name, value in list(scope.items()):
            patch = by_replacement.get(id(value))
            if patch is not None and patch.replacement is value:
                scope[name] = patch.original


# -------------------------------------------------------------------- groups
def _loaded() -> frozenset[str]:
    """The groups whose modules the program has loaded by now.

    That of numpy.ma waits until it is used: it is large, and few functions use it.  So do those
    that an error shows to be used.  None waits for whose functions a user has given a rule.
    """
    by_user = registered_functions.given_by_user()
    others = numba_functions.loaded(), threads.loaded()
    return _from_start(registered_functions.loaded(), by_user, *others)


@cache  # the answers are few, and the same from one trace to the next
def _from_start(
    registered: frozenset[str], by_user: frozenset[str], *others: frozenset[str]
) -> frozenset[str]:
    later = (registered_functions.ON_ESCAPE | {masked.MODULE}) - by_user
    return (registered - later).union(*others)


def _install(group: str | None = None) -> bool:
    """Exchange a group, by default those of all modules loaded by now; whether that was new."""
    global _changes, _groups
    with deferred(), _lock:
        new = (_loaded() if group is None else {group}) - _groups
        for name in new:
            _patched.make(_replacements(name))
        _groups |= new
        _changes += bool(new)
    return bool(new)


def exchange_sequences() -> bool:
    """Exchange what takes lists, and methods of arrays; whether they were not before."""
    of_lists = _install(numpy_lists.MODULE) | _install(ufuncs_of_lists.MODULE)
    return of_lists | exchange_methods()


def exchange_methods() -> bool:
    """Exchange the methods of ordinary arrays; whether they were not before."""
    return _install(array_methods.MODULE)


# --------------------------------------------------------- names bound early
def changes() -> int:
    """How often anything was exchanged so far, in any thread."""
    return _changes


def _exchange(patches: Iterable[Patch]) -> bool:
    """Exchange names that were bound early; whether there are any.

    They are looked for under the lock: what another thread exchanges meanwhile is counted
    before it is no longer found.
    """
    global _changes
    with deferred(), _lock:
        replacements = by_owner(patches)
        if replacements:
            _changes += 1  # for runs that begin before this is done
            _rebound.make(replacements)
            _changes += 1
    return bool(replacements)


class putting_back:
    """Around a call whose function's state is put back afterwards, and with it its names."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        with _lock:
            if len(_rebound):
                _begun[threading.get_ident()] += 1


class exchanged_again:
    """Around `putting_back`: exchanges the names anew that were put back."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        me = threading.get_ident()
        with _lock:
            try:
                _rebound.make_again()
            finally:
                if me in _begun:
                    _ended[me] = _begun[me]


def disturbances() -> object:
    """What changes when another thread puts names back: a run of this one may have met them.

    While another thread does, two answers are never equal.
    """
    me = threading.get_ident()
    with _lock:
        if not _begun:
            return 0
        begun, ended = _begun.total() - _begun[me], _ended.total() - _ended[me]
    return begun if begun == ended else object()


def _by_original() -> dict[int, Patch]:
    with _lock:
        return _functions(_groups)[0]


def stand_in_for(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a trace calls in place of a function: another one, if that is exchanged by now."""
    return early_names.stand_in_for(function, _by_original())  # type: ignore[no-any-return]


def _rebind(frames: list[types.FrameType]) -> bool:
    return _exchange(early_names.patches(frames, _by_original()))


def rebind(error: BaseException | None, *, local: bool = False) -> None:
    """Exchange early-bound names in the modules that an error passed through.

    `changes` tells whether anything was exchanged, so that another run may succeed.  So
    does the exchange of functions of modules that were loaded during the run.  Compiled functions
    are exchanged in a trace at a point, `local`, alone.
    """
    _install()
    _set_backend()
    traceback = None if error is None else error.__traceback__
    for module, are_used in _WHERE_USED:
        if module not in _groups and are_used(traceback):
            _install(module)
    if isinstance(error, EscapeError):
        for module in registered_functions.ON_ESCAPE & registered_functions.loaded():
            _install(module)
    frames = early_names.passed(error)
    _rebind(frames)
    if frames and isinstance(error, (EscapeError, TypeError)):
        rebind_ufuncs(frames[-1])
    _exchange(early_names.conversion_patches(frames, error))
    _exchange(derived_numbers.patches(frames, error))
    _exchange(array_likes.patches(frames, error))
    if local:
        _exchange(compiled_functions.patches(error))
    _exchange(text_templates.patches(error))


_WHERE_USED = (
    (masked.MODULE, numpy_ma.are_used),
    (sparse_arrays.MODULE, sparse_arrays.are_used),
)
"""Groups that are exchanged where an error shows that they are used."""


def _set_backend() -> None:
    """The backend of ``scipy.fft``, if the function itself has loaded that."""
    global _changes
    session = SESSION.get()
    if session is not None and session.set_backend():
        with _lock:
            _changes += 1


def rebind_callers(frame: types.FrameType | None) -> bool:
    """Exchange early-bound names in the modules of the frames from here out to the driver."""
    return _rebind(early_names.callers(frame))


def rebind_orderings(frame: types.FrameType) -> bool:
    """Exchange ``max``, ``min`` and ``sorted`` in a module that is about to branch in one."""
    return _exchange(early_names.ordering_patches(frame))


def rebind_range(scope: dict[str, Any]) -> bool:
    """Exchange ``range`` in a module whose loops make many turns; whether it was not before."""
    return _exchange(steady_loops.patches(scope))


def rebind_ufuncs(frame: types.FrameType) -> bool:
    """Let code that calls a ufunc with a list of numbers call one that makes an array of it."""
    is_ufunc = isinstance(called(frame), np.ufunc)
    return is_ufunc and _exchange(early_names.ufunc_patches(frame))


def exchange_watched(functions: Iterable[tuple[Callable[[Any], None], Any]]) -> None:
    """Exchange functions that are held by other names than their own, wherever that is."""
    _exchange(early_names.watched_patches(functions))
