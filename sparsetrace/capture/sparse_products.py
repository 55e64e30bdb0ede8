"""Products with scipy.sparse, ``np.r_``, ``np.c_``, ``np.mgrid``: methods that ask no protocol.

Contract: a wrapper does one test and calls the original for everything not traced.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from sparsetrace.capture.patch import Patch
from sparsetrace.capture.sparse_arrays import rule, sparse_classes
from sparsetrace.context import Trace
from sparsetrace.dispatch import lookup
from sparsetrace.numpy_rules import matrix_products
from sparsetrace.numpy_rules.indexing import has_unknown_ends
from sparsetrace.operands.implementations import rebound_method
from sparsetrace.operands.operands import Elements, contains_traced, is_sparse_traced, is_traced

__all__ = ["patches"]

_METHODS = ("_matmul_dispatch", "_rmatmul_dispatch")


def _rule(trace: Trace, call: tuple[Any, bool], args: tuple[Any, ...], kwargs: object) -> Elements:
    return matrix_products.sparse_matmul(trace, *args, transposed=call[1])


def _wrapped(original: Any, *, transposed: bool) -> Any:
    def dispatch(self: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
        if is_traced(other):
            trace = other._trace
            result = lookup.answered(
                trace, (matrix_products.sparse_matmul, transposed), (self, other), {}, _rule
            )
            if trace.local:
                values = other._values
                result.values = np.asarray(values @ self if transposed else self @ values)
            return trace.wrap(result)
        if is_sparse_traced(other):
            return rule("operated")("__rmatmul__" if transposed else "__matmul__", self, other)
        return original(self, other, *args, **kwargs)

    return dispatch


def _wrapped_maker(original: Any) -> Any:
    def getitem(self: Any, key: Any) -> Any:
        is_traced_key = contains_traced(key) or any(map(has_unknown_ends, _entries(key)))
        return (_rebound(original) if is_traced_key else original)(self, key)

    return getitem


def _entries(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


_rebound = cache(rebound_method)  # when it is needed first


def patches() -> Iterator[Patch]:
    """The products of scipy.sparse, and the indexing of ``np.r_``, ``np.mgrid`` and their kin."""
    for cls in sparse_classes():
        for name in _METHODS:
            if name in vars(cls):
                original = vars(cls)[name]
                wrapper = _wrapped(original, transposed=name == _METHODS[1])
                yield Patch(cls, name, original, wrapper)
    for maker in (np.r_, np.mgrid):  # np.c_ and np.ogrid are of the same classes
        cls = next(cls for cls in type(maker).__mro__ if "__getitem__" in vars(cls))
        original = vars(cls)["__getitem__"]
        yield Patch(cls, "__getitem__", original, _wrapped_maker(original))
