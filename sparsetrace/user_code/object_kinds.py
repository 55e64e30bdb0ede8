"""How objects of each type are looked at when what a function reaches is walked over.

Contract: a type is asked for nothing that its metaclass, or code of the user's, could answer.
"""

from __future__ import annotations

import array
import collections
import contextvars
import functools
import itertools
import random
import threading
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsetrace.user_code.read_code import is_foreign

__all__ = [
    "ATOMS",
    "CACHES",
    "CLASS_DICT",
    "ITERATORS",
    "LASTING_KINDS",
    "MRO",
    "Getter",
    "Kind",
    "is_heap_type",
    "kind_of",
]

_PLAIN_DATA = frozenset(
    "_weakrefset argparse array builtins collections functools networkx types weakref".split()
)
"""Libraries whose objects hold what their users put there."""

CACHES = (functools._lru_cache_wrapper,)
ITERATORS: tuple[type, ...] = (
    *map(type, map(iter, ([], (), "", range(0), {}, b"", set(), bytearray()))),
    *(
        type(iter({}.items())),
        type(iter({}.values())),
        type(reversed([])),
        type(iter(range(2**70))),
    ),
    *(itertools.count, itertools.cycle, itertools.repeat, itertools.chain, itertools.islice),
    *(itertools.accumulate, itertools.product, itertools.permutations, itertools.combinations),
    *(itertools.combinations_with_replacement, itertools.compress, itertools.dropwhile),
    *(itertools.filterfalse, itertools.groupby, itertools.pairwise, itertools.starmap),
    *(itertools.takewhile, itertools.zip_longest),
    *(
        enumerate,
        zip,
        map,
        filter,
        type(itertools.tee(())[0]),
        types.GeneratorType,
        np.flatiter,
        np.nditer,
    ),
)
"""Those that can be copied, unless they draw from what cannot."""

Getter = Callable[[Any], Any]
CLASS_DICT: Getter = type.__dict__["__dict__"].__get__
_FLAGS: Getter = type.__dict__["__flags__"].__get__
_MODULE: Getter = type.__dict__["__module__"].__get__
_NAME: Getter = type.__dict__["__name__"].__get__
MRO: Getter = type.__dict__["__mro__"].__get__
_HEAP_TYPE = 1 << 9


@dataclass(slots=True)
class Kind:
    """How objects of one type are looked at; refers to nothing that keeps the type alive."""

    visit: str
    foreign: bool
    has_dict: bool
    slots: tuple[str, ...]
    own: bool
    """Whether it is a class of the user's, whose attributes are state."""


ATOMS: set[type] = {
    *(type(None), bool, int, float, complex, str, bytes, range, slice, type(...), np.ufunc),
    *(type(NotImplemented), types.CodeType, types.FrameType, types.TracebackType),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType),
    *(types.MethodDescriptorType, types.ClassMethodDescriptorType, type(np.dtype(float))),
    *(
        kind
        for kind in vars(np).values()
        if isinstance(kind, type) and issubclass(kind, np.generic)
    ),
}
_HELD_BY_SYSTEM = frozenset(
    "_io _thread _socket _ssl _ctypes _contextvars _asyncio _queue _sqlite3 "
    "threading logging queue asyncio concurrent multiprocessing socket select subprocess io".split()
)
"""Modules whose objects stand for something outside of Python's data: locks, files, queues."""

_CONTAINERS: tuple[tuple[type, str], ...] = (
    (dict, "dicts"),
    (list, "lists"),
    (set, "sets"),
    (collections.deque, "deques"),
    (np.ndarray, "arrays"),
    (bytearray, "bytes"),
    (array.array, "bytes"),
    (random.Random, "randoms"),
    (tuple, "items"),
    (frozenset, "items"),
    (types.ModuleType, "module"),
)
_BY_EXACT_TYPE: dict[type, str] = {
    types.FunctionType: "function",
    types.BuiltinFunctionType: "builtin",
    types.ModuleType: "module",
    types.CellType: "cell",
    contextvars.ContextVar: "variable",
    weakref.ProxyType: "proxy",
    weakref.CallableProxyType: "proxy",
    functools.partial: "partial",
    memoryview: "memory",
    tuple: "items",
    frozenset: "items",
    **dict.fromkeys(CACHES, "caches"),
    **dict.fromkeys(ITERATORS, "iterators"),
}
_KINDS: weakref.WeakKeyDictionary[type, Kind] = weakref.WeakKeyDictionary()
LASTING_KINDS: dict[type, Kind] = {}
"""The same for types that never go away."""


def is_heap_type(cls: type) -> bool:
    """Whether a class was made by a ``class`` statement, or as one is."""
    return bool(_FLAGS(cls) & _HEAP_TYPE)


def _package(cls: type) -> str:
    module = _MODULE(cls)
    return module.partition(".")[0] if isinstance(module, str) else ""


def _is_library_class(cls: type) -> bool:
    package = _package(cls)
    return is_foreign(package) and not (package == "builtins" and is_heap_type(cls))


def kind_of(cls: type) -> Kind:
    """How objects of a type are looked at."""
    known = LASTING_KINDS.get(cls) or _KINDS.get(cls)
    if known is None:
        known = _new_kind(cls)
        if is_heap_type(cls):
            _KINDS[cls] = known
        else:
            LASTING_KINDS[cls] = known
    return known


def _new_kind(cls: type) -> Kind:
    package, mro = _package(cls), MRO(cls)
    foreign = _is_library_class(cls) and package not in _PLAIN_DATA
    if np.ndarray in mro or _is_sparse(mro):
        foreign = False  # whoever made the class, the numbers are the user's
    slots: tuple[str, ...] = ()
    if any(is_heap_type(base) and _MEMBER in map(type, CLASS_DICT(base).values()) for base in mro):
        attributes: dict[str, Any] = {}  # as they are looked up
        for base in reversed(mro):
            attributes.update(CLASS_DICT(base))
        slots = tuple(
            name
            for name, value in attributes.items()
            if type(value) is _MEMBER and name != "__dict__" and is_heap_type(value.__objclass__)
        )
    held = next(
        (CLASS_DICT(base)["__dict__"] for base in mro if "__dict__" in CLASS_DICT(base)), None
    )
    has_dict = type(held) in _DESCRIPTORS
    visit = _visit_of(cls, package, mro, has_dict or bool(slots))
    own = is_heap_type(cls) and not _is_library_class(cls)
    return Kind(visit, foreign, has_dict, slots, own)


_MEMBER = types.MemberDescriptorType
_DESCRIPTORS = (types.GetSetDescriptorType, _MEMBER)


def _visit_of(cls: type, package: str, mro: tuple[type, ...], has_attributes: bool) -> str:
    """The name of the method of `Walk` that looks at objects of a type."""
    if type in mro:
        return "class_"
    if threading.local in mro:
        return "local"
    if cls in _BY_EXACT_TYPE:
        return _BY_EXACT_TYPE[cls]
    if package == "sparsetrace" or package in _HELD_BY_SYSTEM or cls is np.memmap:
        return "nothing"
    if weakref.ref in mro:
        return "reference"
    if package == "numpy" and any(base.__name__ in _NUMPY_RANDOM for base in mro):
        return "randoms"
    if _is_foreign_iterator(mro):
        return "iterators"
    for base, name in _CONTAINERS:
        if base in mro:
            return name
    if not is_heap_type(cls) and package == "builtins":
        return "opaque"
    return "instance" if has_attributes else "opaque"


def _is_sparse(mro: tuple[type, ...]) -> bool:
    """Whether it is a class of scipy.sparse, whose objects keep their numbers in arrays."""
    return any(_NAME(base) == "_spbase" and _package(base) == "scipy" for base in mro)


def _is_foreign_iterator(mro: tuple[type, ...]) -> bool:
    """Whether objects hold a place that moves on, where nothing of the user's can be put back."""
    step = next(
        (CLASS_DICT(base)["__next__"] for base in mro if "__next__" in CLASS_DICT(base)), None
    )
    if step is None:
        return False
    return type(step) is not types.FunctionType or is_foreign(step.__module__)


_NUMPY_RANDOM = frozenset(("BitGenerator", "Generator", "RandomState"))
