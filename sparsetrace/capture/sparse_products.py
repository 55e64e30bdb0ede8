"""Products with scipy.sparse, and ``np.r_`` and ``np.c_``: methods that ask no protocol.

Contract: a wrapper does one test and calls the original for everything not traced.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.context import Trace
from sparsetrace.dispatch import lookup
from sparsetrace.numpy_rules import matrix_products
from sparsetrace.operands.implementations import rebound_method
from sparsetrace.operands.operands import Elements, contains_traced, is_traced

__all__ = ["wrappers"]

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


def _rule(trace: Trace, call: tuple[Any, bool], args: tuple[Any, ...], kwargs: Any) -> Elements:
    return matrix_products.sparse_matmul(trace, *args, transposed=call[1])


def _wrapped(original: Any, *, transposed: bool) -> Any:
    def dispatch(self: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
        if is_traced(other):
            trace = other._trace
            found = lookup.answered(
                trace, (matrix_products.sparse_matmul, transposed), (self, other), {}, _rule
            )
            if trace.local:
                values = other._values
                found.values = np.asarray(values @ self if transposed else self @ values)
            return trace.wrap(found)
        return original(self, other, *args, **kwargs)

    return dispatch


def _wrapped_concatenator(original: Any) -> Any:
    traced = rebound_method(original)

    def getitem(self: Any, key: Any) -> Any:
        return (traced if contains_traced(key) else original)(self, key)

    return getitem


def wrappers() -> dict[tuple[type, str], tuple[Any, Any]]:
    """For each class and method, the original and its wrapper."""
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
