"""What is wrapped while a trace runs, because NumPy's protocols do not reach it.

Contract: wrapped on entry of the first trace, restored on exit of the last one.  A
wrapper does one isinstance test and calls the original for everything that is not
traced, so other threads see plain SciPy.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.dispatch import products
from sparsetrace.dispatch.implementations import rebound_method
from sparsetrace.dispatch.operands import contains_traced, is_traced

__all__ = ["capturing"]

_lock = threading.Lock()
_active = 0
_METHODS = ("_matmul_dispatch", "_rmatmul_dispatch")


def _sparse_classes() -> Iterator[type]:
    """Every scipy.sparse class, those without a public name included."""
    seen: set[type] = set()
    todo: list[type] = [scipy.sparse.sparray, scipy.sparse.spmatrix, scipy.sparse.csr_array]
    while todo:
        kind = todo.pop()
        if kind not in seen and kind.__module__.startswith("scipy.sparse"):
            seen.add(kind)
            yield kind
            todo.extend(kind.__subclasses__())
            todo.extend(kind.__mro__)


def _wrapped(original: Any, *, transposed: bool) -> Any:
    def dispatch(self: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
        if is_traced(other):
            graph = other._graph
            return graph.wrap(products.sparse_matmul(graph, self, other, transposed=transposed))
        return original(self, other, *args, **kwargs)

    return dispatch


def _wrapped_concatenator(original: Any) -> Any:
    traced = rebound_method(original)

    def getitem(self: Any, key: Any) -> Any:
        return (traced if contains_traced(key) else original)(self, key)

    return getitem


@cache
def _wrappers() -> dict[tuple[type, str], tuple[Any, Any]]:
    """What is exchanged: for each class and method, the original and its wrapper."""
    found: dict[tuple[type, str], tuple[Any, Any]] = {}
    for kind in _sparse_classes():
        for name in _METHODS:
            if name in vars(kind):
                original = vars(kind)[name]
                wrapper = _wrapped(original, transposed=name == _METHODS[1])
                found[kind, name] = original, wrapper
    for kind in type(np.r_).__mro__:  # np.r_[...] and np.c_[...]
        if "__getitem__" in vars(kind):
            original = vars(kind)["__getitem__"]
            found[kind, "__getitem__"] = original, _wrapped_concatenator(original)
            break
    return found


@contextmanager
def capturing() -> Iterator[None]:
    """Keep traced arrays through scipy.sparse products, ``np.r_`` and ``np.c_``."""
    global _active
    with _lock:
        _active += 1
        if _active == 1:
            for (kind, name), (_, wrapper) in _wrappers().items():
                setattr(kind, name, wrapper)
    try:
        yield
    finally:
        with _lock:
            _active -= 1
            if not _active:
                for (kind, name), (original, _) in _wrappers().items():
                    setattr(kind, name, original)
