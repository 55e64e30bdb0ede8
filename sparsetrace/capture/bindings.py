"""Functions of NumPy's that are kept where no name of a module reaches them.

Contract: ``np.ascontiguousarray`` given a traced array from a dictionary, an attribute, a
default argument or a name bound early would copy its memory, and what is written into the
copy would be lost without any error.  So these functions are found by who refers to them,
and exchanged there too.  Looking is dear, and is done only when their count of references
has changed; what cannot be exchanged (an item of a tuple) is left alone.
"""

from __future__ import annotations

import functools
import gc
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.testing.overrides import get_overridable_numpy_array_functions

__all__ = ["exchange", "restore"]

ORIGINALS: tuple[Any, ...] = (np.ascontiguousarray, np.asfortranarray)
_LIBRARIES = ("numpy", "scipy", "sparsetrace")

Place = tuple[Callable[[], Any], Callable[[Any], None]]
"""How to read what is held there (None where the holder is gone), and how to exchange it."""

_places: list[tuple[Any, Place]] = []
_exchanged: list[tuple[Any, Callable[[Any], None]]] = []
_known: tuple[Any, ...] = ()
_own: list[int] = []
"""References from the package's own tables, without those that `pairs` counts."""
_RULE = 2
"""As a key of the table of rules, and in the rule's closure.  Were it wrong, the first look
would only be a dear one."""


def _references(objects: tuple[Any, ...]) -> list[int]:
    return [sys.getrefcount(x) for x in objects]


(_OVERHEAD,) = _references((object(),))
"""What a count includes of the counting itself, and of the tuple."""


def exchange(wrapper_of: Callable[[Any], Any], pairs: Callable[[], int]) -> None:
    """Put the wrappers in place of the functions, wherever a program keeps these.

    Parameters
    ----------
    wrapper_of : callable
        Gives what stands for a function while a trace runs.
    pairs : callable
        Makes the package's own tables; how many tables of pairs there are, in each of which
        two items refer to a function.
    """
    global _known
    if not _own:
        before = _counts()
        size = pairs()
        _own.extend(y - x - 2 * size for x, y in zip(before, _counts(), strict=True))
    state = (len(sys.modules), pairs(), *_counts())
    if state != _known:
        _places[:] = _found(wrapper_of, pairs())
        _known = (len(sys.modules), pairs(), *_counts())
    for original, (held, put) in _places:
        if held() is original:
            put(wrapper_of(original))
            _exchanged.append((original, put))


def restore() -> None:
    """Put the functions themselves back."""
    while _exchanged:
        original, put = _exchanged.pop()
        put(original)


def _counts() -> list[int]:
    """How many references there are to each function."""
    return [count - _OVERHEAD for count in _references(ORIGINALS)]


def _found(wrapper_of: Callable[[Any], Any], pairs: int) -> list[tuple[Any, Place]]:
    """Every place outside of libraries that holds one of the functions."""
    scopes = {
        id(scope): (name.partition(".")[0], scope)
        for name, module in list(sys.modules.items())
        if isinstance(scope := getattr(module, "__dict__", None), dict)
    }
    counts = _counts()  # before there is another set of the functions
    overridable = get_overridable_numpy_array_functions()
    found = []
    for original, count, own in zip(ORIGINALS, counts, _own, strict=True):
        name = original.__name__
        bound = [(package, s) for package, s in scopes.values() if s.get(name) is original]
        found += [(original, _item(s, name)) for package, s in bound if package not in _LIBRARIES]
        if count == len(bound) + own + 2 * pairs + _RULE + (original in overridable):
            continue  # every reference is accounted for
        known = {id(s) for _, s in bound} | _of_wrapper(wrapper_of(original))
        for referrer in gc.get_referrers(original):
            if id(referrer) not in known and referrer is not ORIGINALS:
                found += [(original, place) for place in _in(referrer, original)]
    return found


def _of_wrapper(wrapper: Any) -> set[int]:
    """What of a wrapper refers to the function in whose place it stands."""
    return {id(vars(wrapper)), *map(id, wrapper.__closure__ or ())}


def _in(referrer: Any, original: Any) -> Iterator[Place]:
    """The places in one object that hold the function."""
    if isinstance(referrer, dict):
        keys = [k for k, v in list(referrer.items()) if v is original]
        owner = next((o for o in gc.get_referrers(referrer) if _is_class_of(o, referrer)), None)
        for key in keys:
            yield _item(referrer, key) if owner is None else _class_attribute(owner, key)
    elif isinstance(referrer, list):
        for i, item in enumerate(referrer):
            if item is original:
                yield _item(referrer, i)
    elif isinstance(referrer, types.CellType):
        yield _attribute(referrer, "cell_contents")
    elif isinstance(referrer, tuple) and not any(map(_captures, referrer)):
        for function in gc.get_referrers(referrer):
            if isinstance(function, types.FunctionType) and function.__defaults__ is referrer:
                yield from _defaults(function, original)
    elif isinstance(referrer, functools.partial):
        yield _partial(referrer)
    elif isinstance(getattr(referrer, "__dict__", None), dict) and not isinstance(
        referrer, (type, types.ModuleType, types.FunctionType)
    ):
        for key, value in list(vars(referrer).items()):
            if value is original:
                yield _attribute(referrer, key)


def _captures(item: Any) -> bool:
    """Whether an item of a tuple is a wrapper: the tuple is one of the package's own tables."""
    return isinstance(item, types.FunctionType) and "_captures" in vars(item)


def _is_class_of(owner: Any, scope: dict[str, Any]) -> bool:
    return isinstance(owner, type) and any(r is scope for r in gc.get_referents(owner))


# ------------------------------------------------------------------------------ places
def _item(container: Any, key: Any) -> Place:
    def held() -> Any:
        try:
            return container[key]
        except LookupError:
            return None

    return held, functools.partial(container.__setitem__, key)


def _reference(holder: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(holder)
    except TypeError:
        return lambda: holder


def _attribute(holder: Any, name: str) -> Place:
    found = _reference(holder)

    def put(value: Any) -> None:
        target = found()
        if target is not None:
            object.__setattr__(target, name, value)

    return lambda: getattr(found(), name, None), put


def _class_attribute(owner: type, name: str) -> Place:
    found = _reference(owner)

    def put(value: Any) -> None:
        target = found()
        if target is not None:  # a Python function would become a method
            plain = isinstance(value, types.BuiltinFunctionType)
            setattr(target, name, value if plain else staticmethod(value))

    return lambda: vars(found()).get(name) if found() is not None else None, put


def _defaults(function: types.FunctionType, original: Any) -> Iterator[Place]:
    found = _reference(function)
    for i, value in enumerate(function.__defaults__ or ()):
        if value is original:
            yield functools.partial(_default, found, i), functools.partial(_redefine, found, i)


def _default(found: Callable[[], Any], i: int) -> Any:
    function = found()
    return None if function is None else function.__defaults__[i]


def _redefine(found: Callable[[], Any], i: int, value: Any) -> None:
    function = found()
    if function is not None:
        kept = function.__defaults__
        function.__defaults__ = (*kept[:i], value, *kept[i + 1 :])


def _partial(holder: functools.partial[Any]) -> Place:
    found = _reference(holder)

    def put(value: Any) -> None:
        target = found()
        if target is not None:
            target.__setstate__((value, target.args, target.keywords, vars(target) or None))

    return lambda: getattr(found(), "func", None), put
