"""Sparse matrices outside ``argnums`` in a global trace: known structure, unknown values.

Contract: the matrix holds numbers that stand for any others: none is zero, and no two sums of
them cancel by chance.  SciPy's own code computes with them; what a program reads of the matrix
is opaque where a non-zero may be, and a constant zero elsewhere.  What the numbers themselves
would decide is refused.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache, wraps
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from sparsetrace.arrays.array import traced_array
from sparsetrace.capture.exact_types import shown_as_another
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import EscapeError, InputError, UnsupportedError, explain
from sparsetrace.numbers.scalar import TracedScalar
from sparsetrace.operands.operands import is_sparse_traced, is_traced

__all__ = ["unknown_matrix"]

_STATIC = "Take the matrix as it is with static_argnums=."
_OPERATORS = (
    "getitem iter abs neg round add radd sub rsub mul rmul matmul rmatmul truediv rtruediv pow "
    "iadd isub imul itruediv"
).split()
_DECIDED = frozenset(
    "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __bool__ maximum minimum max min nanmax nanmin "
    "argmax argmin sign floor ceil rint trunc count_nonzero".split()
)
"""What the values decide, and not the structure."""


def unknown_matrix(matrix: Any, numbers: np.random.Generator) -> Any:
    """A matrix of the same structure and type, whose values nobody knows.

    `numbers` is one generator for all matrices of a run: no two hold the same.
    """
    cls = type(matrix)
    if not cls.__module__.startswith("scipy.sparse") or matrix.format in ("dok", "lil"):
        raise InputError(
            f"an argument outside argnums holds a {cls.__name__}, a format whose values cannot "
            "be kept apart from its structure; pass a csr_array, or static_argnums= for its values"
        )
    made = matrix.copy()
    made.data = numbers.uniform(0.5, 1.5, made.data.shape).astype(made.dtype)
    return _known_by_structure(made)


def _known_by_structure(matrix: Any) -> Any:
    cls: Any = type(matrix)
    matrix.__class__ = _class_of(cls)
    return matrix


def _from_scipy() -> bool:
    """Whether SciPy's code, or this package's, asks."""
    name: str = sys._getframe(2).f_globals.get("__name__", "")
    return name.startswith(("scipy.", "sparsetrace."))


def _shown(result: Any) -> Any:
    """What the program gets of something computed from the numbers that stand for others."""
    trace = CURRENT.get()
    if trace is None or is_traced(result) or is_sparse_traced(result):
        return result
    if scipy.sparse.issparse(result):
        known = getattr(result, "_is_unknown", False) or result.dtype.kind not in "fc"
        return result if known else _known_by_structure(result)
    if isinstance(result, np.matrix):
        raise UnsupportedError(
            explain(
                "a method of a sparse matrix",
                "it gives an np.matrix, whose operators the trace does not follow",
                f"Use csr_array and its kin. {_STATIC}",
            )
        )
    if isinstance(result, np.ndarray) and result.dtype.kind in "fc":
        return _opaque(trace, result)
    if isinstance(result, (float, complex, np.inexact)) and result != 0:
        return TracedScalar(trace, trace.graph.opaque, np.asarray(result).dtype)
    if type(result) in (tuple, list):
        return type(result)(map(_shown, result))
    return map(_shown, result) if isinstance(result, Iterator) else result


def _opaque(trace: Trace, result: NDArray[Any]) -> Any:
    ids = np.where(result != 0, np.int32(trace.graph.opaque), np.int32(trace.graph.zero))
    return traced_array(trace, ids, result.dtype)


def _method(cls: type, original: Callable[..., Any], name: str) -> Callable[..., Any]:
    @wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        # looked up anew: while a trace runs, methods of SciPy's are exchanged
        result = getattr(cls, name)(self, *args, **kwargs)
        return result if _from_scipy() else _shown(result)

    @wraps(original)
    def decided(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _from_scipy():
            return original(self, *args, **kwargs)
        raise UnsupportedError(
            explain(f"{name} of a sparse matrix", "it needs the matrix's values", _STATIC)
        )

    return decided if name in _DECIDED else method


def _as_type(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def astype(self: Any, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        if np.dtype(dtype).kind not in "fc" and not _from_scipy():
            raise UnsupportedError(
                explain("astype of a sparse matrix", "it needs the matrix's values", _STATIC)
            )
        result = original(self, dtype, *args, **kwargs)
        return result if _from_scipy() else _shown(result)

    return astype


def _attribute(original: property) -> property:
    def get(self: Any) -> Any:
        result = original.fget(self)  # type: ignore[misc]
        return result if _from_scipy() else _shown(result)

    return property(get, original.fset)


def _data() -> property:
    def get(self: Any) -> Any:
        result = self.__dict__["data"]
        if _from_scipy() or CURRENT.get() is None:
            return result
        shown = _opaque(CURRENT.get(), np.asarray(result))  # type: ignore[arg-type]
        shown.setflags(write=False)  # what is written there would not reach the matrix
        return shown

    def put(self: Any, value: Any) -> None:
        if is_traced(value):
            raise EscapeError(
                explain("A.data =", "a sparse matrix holds no traced numbers", "Use dense arrays.")
            )
        self.__dict__["data"] = value

    return property(get, put)


@cache
def _class_of(cls: type) -> type:
    """The subclass that shows no values."""
    wrapped: dict[str, Any] = {"_is_unknown": True, "data": _data()}
    wrapped |= {"__module__": __name__, "__hash__": cls.__hash__}
    wrapped["__class__"] = property(lambda self: cls)  # what ``isinstance`` is told
    names = [*(f"__{name}__" for name in _OPERATORS), *_DECIDED]
    for name in {*names, *(name for name in dir(cls) if not name.startswith("_"))}:
        original = inspect.getattr_static(cls, name, None)
        if name == "astype":
            wrapped[name] = _as_type(original)
        elif isinstance(original, property) and name not in wrapped:
            wrapped[name] = _attribute(original)
        elif inspect.isfunction(original):
            wrapped[name] = _method(cls, original, name)
    made: type = shown_as_another(type(cls.__name__, (cls,), wrapped))
    return made
