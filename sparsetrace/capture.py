"""What is wrapped while a trace runs, because NumPy's protocols do not reach it.

Contract: wrapped on entry of the first trace, restored on exit of the last one.  A
wrapper does one isinstance test and calls the original for everything that is not
traced, so other threads see plain SciPy.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.dispatch import products
from sparsetrace.dispatch.implementations import rebound_method
from sparsetrace.dispatch.operands import contains_traced, is_traced

__all__ = ["capturing"]

_lock = threading.Lock()
_active = 0
_saved: dict[tuple[type, str], Any] = {}
_METHODS = ("_matmul_dispatch", "_rmatmul_dispatch")


def _sparse_classes() -> list[type]:
    """Every scipy.sparse class that defines its own product."""
    base = scipy.sparse.csr_array.__mro__[-2]
    todo, found = [scipy.sparse.sparray, scipy.sparse.spmatrix, base], []
    while todo:
        kind = todo.pop()
        if kind in found or not kind.__module__.startswith("scipy.sparse"):
            continue
        found.append(kind)
        todo.extend(kind.__subclasses__())
        todo.extend(k for k in kind.__mro__ if k.__module__.startswith("scipy.sparse"))
    return found


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


def _install() -> None:
    for kind in _sparse_classes():
        for name in _METHODS:
            if name in vars(kind):
                original = _saved[kind, name] = vars(kind)[name]
                setattr(kind, name, _wrapped(original, transposed=name == _METHODS[1]))
    for kind in type(np.r_).__mro__:  # np.r_[...] and np.c_[...]
        if "__getitem__" in vars(kind):
            original = _saved[kind, "__getitem__"] = vars(kind)["__getitem__"]
            kind.__getitem__ = _wrapped_concatenator(original)  # type: ignore[attr-defined]
            break


@contextmanager
def capturing() -> Iterator[None]:
    """Keep traced arrays through scipy.sparse products, ``np.r_`` and ``np.c_``."""
    global _active
    with _lock:
        _active += 1
        if _active == 1:
            _install()
    try:
        yield
    finally:
        with _lock:
            _active -= 1
            if not _active:
                for (kind, name), original in _saved.items():
                    setattr(kind, name, original)
                _saved.clear()
