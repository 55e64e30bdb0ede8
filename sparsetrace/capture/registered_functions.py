"""Functions with a rule that NumPy's protocols do not intercept, in the modules that are loaded.

Contract: no module is imported for this; one that is loaded, before a trace or during it, has
its functions exchanged for wrappers that test for traced arguments and call the original for
all others.  The rules are those of `sparsetrace.dispatch.function_rules`: SciPy's, which
`sparsetrace.scipy_rules` registers, and those of a user.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable
from operator import is_
from typing import Any, NamedTuple

from sparsetrace.capture.patch import Patch, class_names, named_like, table
from sparsetrace.context import CURRENT
from sparsetrace.dispatch.function_rules import (
    OVERRIDDEN,
    REGISTERED,
    holds_traced,
    is_given,
)
from sparsetrace.numpy_rules.raising_functions import fail_alike_in_scipy
from sparsetrace.user_code.reach import WATCHED

__all__ = ["ON_ESCAPE", "found_at", "given_by_user", "loaded", "patches", "refresh", "wrapper_of"]

ON_ESCAPE = frozenset(("scipy.linalg.blas", "scipy.linalg.lapack"))
"""Modules with very many rules, which few functions use by these names.

They are exchanged once compiled code has read a traced array.
"""
_IMMUTABLE = 1 << 8
"""The flag of classes of compiled code, whose methods cannot be exchanged."""
_PATCHES: dict[tuple[str, str], Patch] = {}


def loaded() -> frozenset[str]:
    """The modules with rules that the program has loaded by now.

    Examples
    --------
    >>> import scipy.linalg
    >>> "scipy.linalg" in loaded()
    True
    """
    global _known
    modules = sys.modules
    if not (
        len(_known.there) + len(_known.others) == len(REGISTERED)
        and modules.keys().isdisjoint(_known.others)
        and all(map(is_, _known.there.values(), map(modules.get, _known.there)))
    ):
        wanted = [(name, modules.get(name)) for name in list(REGISTERED)]
        there = {name: module for name, module in wanted if _is_complete(module)}
        _known = _Known(there, REGISTERED.keys() - there.keys(), frozenset(there))
    return _known.names


def given_by_user() -> frozenset[str]:
    """The modules of functions for which a user has given a rule."""
    return frozenset(module for module, _ in list(OVERRIDDEN)) if OVERRIDDEN else _NO_MODULES


_NO_MODULES: frozenset[str] = frozenset()


class _Known(NamedTuple):
    """Which modules with rules are loaded, as long as no other object stands under a name.

    Those that are just being loaded are among the others, which are looked for each time.
    """

    there: dict[str, types.ModuleType | None]
    others: set[str]
    names: frozenset[str]


_known = _Known({}, set(), frozenset())


def _is_complete(module: types.ModuleType | None) -> bool:
    """Whether a module is loaded, and not just being so."""
    spec = getattr(module, "__spec__", None)
    return module is not None and not getattr(spec, "_initializing", False)


def patches(module: str) -> list[Patch]:
    """What is exchanged in a loaded module; one patch for a method that classes share."""
    result: dict[tuple[int, str], Patch] = {}
    for name in list(REGISTERED[module]):
        patch = _patch(module, name)
        if patch is not None:
            result.setdefault((id(patch.owner), patch.name), patch)
    return list(result.values())


def found_at(module: str, name: str) -> Any:
    """What stands under a name in a loaded module, a method as it is in its class; or None."""
    owner, attribute = _owner(sys.modules[module], name)
    patch = _PATCHES.get((module, name))
    value = vars(owner).get(attribute)
    return patch.original if patch is not None and value is patch.replacement else value


_held_elsewhere: dict[int, tuple[Any, Any]] = {}
"""The functions that have a rule, and their wrappers, by the functions' ids.

Those of classes are exchanged in these alone, unless a user has given the rule.
"""
_NONE: dict[int, tuple[Any, Any]] = {}
_made_of: tuple[dict[int, tuple[Any, Any]], dict[int, tuple[Any, Any]]] = ({}, _NONE)
"""Of SciPy's, and of a user's, these were made."""


def refresh() -> bool:
    """See which functions the rules stand for by now; whether these are other ones.

    Wherever else the traced function holds one of them, it is exchanged there too.
    """
    global _held_elsewhere, _made_of
    modules = loaded()
    users = _NONE
    if OVERRIDDEN:
        users = _with_wrappers(_patch(*key) for key in list(OVERRIDDEN) if key[0] in modules)
    scipys = _functions_of(modules)
    made_of = (scipys, users)
    if scipys is _made_of[0] and (users is _made_of[1] or _are_same(users, _made_of[1])):
        return False
    known = {**scipys, **users} if users else scipys
    is_other = not _are_same(known, _held_elsewhere)
    WATCHED.difference_update(_held_elsewhere)
    WATCHED.update(known)
    _held_elsewhere, _made_of = known, made_of
    return is_other


def _are_same(one: dict[int, tuple[Any, Any]], other: dict[int, tuple[Any, Any]]) -> bool:
    return one.keys() == other.keys() and all(one[key][1] is other[key][1] for key in one)


@table
def _functions_of(modules: frozenset[str]) -> dict[int, tuple[Any, Any]]:
    """The functions with a rule in these modules, with their wrappers."""
    return _with_wrappers(
        _patch(module, name)
        for module in modules - ON_ESCAPE
        if module.startswith(("scipy.", "numpy.ma"))
        for name in list(REGISTERED[module])
        if "." not in name
    )


def _with_wrappers(patches: Iterable[Patch | None]) -> dict[int, tuple[Any, Any]]:
    known = {}
    for patch in patches:
        if patch is not None:
            function, wrapper = map(_function_in, (patch.original, patch.replacement))
            known[id(function)] = function, wrapper
    return known


def wrapper_of(function: object) -> Any:
    """The wrapper of a function that has a rule; None of others."""
    return _held_elsewhere.get(id(function), (None, None))[1]


def _function_in(value: object) -> Any:
    return value.__func__ if isinstance(value, staticmethod | classmethod) else value


def _patch(module: str, name: str) -> Patch | None:
    """The patch of a function, made anew if its name stands for another one by now."""
    patch = _PATCHES.get((module, name))
    owner, attribute = _owner(sys.modules[module], name)
    original = vars(owner).get(attribute)
    if original is None:  # not every release of a package has every function
        return None
    if isinstance(owner, type) and owner.__flags__ & _IMMUTABLE:
        owner = class_names(owner) if module.startswith("scipy.") else None
        if owner is None:
            return None
    if (
        patch is None
        or patch.owner is not owner
        or not (original is patch.original or original is patch.replacement)
    ):
        patch = Patch(owner, attribute, original, _wrapped(original, module, name))
        _PATCHES[module, name] = patch
    return patch


def _owner(module: types.ModuleType, name: str) -> tuple[Any, str]:
    """The module, or among a class and its bases the one that defines a method."""
    path, _, attribute = name.rpartition(".")
    if not path:
        return module, attribute
    owner: Any = module
    for name_part in path.split("."):
        owner = vars(owner).get(name_part) if isinstance(owner, types.ModuleType | type) else None
    if not isinstance(owner, type):
        return types.SimpleNamespace(), attribute
    bases = (base for base in owner.__mro__ if attribute in vars(base))
    return next(bases, types.SimpleNamespace()), attribute


def _wrapped(original: object, module: str, name: str) -> Any:
    """The wrapper, of the kind of the original: a function, or a static or class method."""
    if isinstance(original, staticmethod | classmethod):
        return type(original)(_wrapper(original.__func__, module, name, method=False))
    return _wrapper(original, module, name, method="." in name)


def _wrapper(original: Any, module: str, name: str, *, method: bool) -> Callable[..., Any]:
    rules = REGISTERED[module]
    entry = f"{module}.{name}"

    @named_like(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        trace = CURRENT.get()
        if trace is None:
            return original(*args, **kwargs)
        rule = rules.get(name)
        if rule is not None and (
            rule.always
            or any(map(is_given, args))
            or any(map(is_given, kwargs.values()))
            or (method and args and holds_traced(args[0]))
        ):
            if module.startswith("scipy."):
                fail_alike_in_scipy(trace, entry, args)
            return rule.answer(original, args, kwargs)
        return original(*args, **kwargs)

    wrapper._captures = True  # type: ignore[attr-defined]  # user_code.callers asks for it
    return wrapper
