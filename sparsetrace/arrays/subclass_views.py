"""Traced arrays as objects of a user's subclass of ndarray: ``x.view(Field)``.

Contract: the class is made of the user's class, whose attributes and methods come first, and of
`TracedArray`.  A class that computes in a way of its own is refused.  Which results are objects
of the subclass, NumPy says: it is asked with plain arrays in place of the traced ones.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from sparsetrace.arrays.array import TracedArray, view_by
from sparsetrace.arrays.matrices import matrix_over
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.operands.operands import computes_as_ndarray, is_traced, unwatched, values_of

__all__ = ["SHOWN", "TracedView", "as_plain", "viewed"]

_FINALIZE = np.ndarray.__array_finalize__
SHOWN: set[int] = set()
"""The ids of types that ``type(x)`` does not show as they are, those made here among them."""
_LAID_OUT = frozenset(
    "__array__ __array_interface__ __array_struct__ __buffer__ __getattribute__ dtype shape ndim "
    "size strides flags data base flat real imag itemsize nbytes ctypes".split()
)
"""What the trace asks of an array itself, and a subclass may not change."""


def viewed(array: TracedArray, cls: type) -> Any:
    """``array.view(cls)``.

    Raises
    ------
    UnsupportedError
        If the class gives operators, functions or the layout a meaning of its own.
    """
    if cls is np.matrix:
        return matrix_over(array[...] if array.ndim else array.reshape(1, 1))
    traced_cls = _traced_class(cls)
    if traced_cls is None:
        raise UnsupportedError(
            explain(
                f"ndarray.view({cls.__name__})",
                "operators and attributes of a subclass of ndarray may mean something that the "
                "trace does not follow",
                "Work with the plain array; write m @ n for products of matrices.",
            )
        )
    result = traced_cls._over(array._trace, array._ids, array._dtype, array._values)
    cls.__array_finalize__(result, array)  # type: ignore[attr-defined]
    return result


def as_plain(array: Any) -> Any:
    """A view as the traced array that it shows, and a polynomial as its traced coefficients.

    Anything else is given as it is.
    """
    if type(array) is np.poly1d and is_traced(array.coeffs):
        return array.coeffs
    if getattr(type(array), "_is_view", False) is not True:  # pandas has a property of this name
        return array
    return TracedArray._over(array._trace, array._ids, array._dtype, array._values)


@lru_cache(maxsize=256)
def _traced_class(cls: type) -> Any:
    """The class of traced views as `cls`; None if the trace could not follow it."""
    bases = cls.__mro__[: cls.__mro__.index(np.ndarray)]
    own = {name for base in bases for name in vars(base)}
    if any(base.__module__.partition(".")[0] in ("numpy", "scipy") for base in bases):
        return None
    if not computes_as_ndarray(cls) or not _LAID_OUT.isdisjoint(own):
        return None

    def scope(namespace: dict[str, Any]) -> None:
        # called by hand, once the array has its elements
        namespace |= {"_plain_class": cls, "__class__": cls, "__array_finalize__": _FINALIZE}
        namespace |= {"__module__": cls.__module__, "__qualname__": cls.__qualname__}

    try:
        made = types.new_class(cls.__name__, (cls, TracedView), {}, scope)
    except TypeError:  # a metaclass or slots of its own
        return None
    SHOWN.add(id(made))
    return made


class TracedView(TracedArray):
    """What classes of traced views have in common."""

    __slots__ = ()
    _is_view = True
    _plain_class: type

    def _as_this(self, result: object) -> Any:
        """A result as an object of the same class, made of this one."""
        if not is_traced(result) or not isinstance(result, np.ndarray):
            return result
        return viewed_from(self, result)

    def _moved(self, move: Callable[[Any], Any]) -> Any:
        return self._as_this(as_plain(self)._moved(move))

    def __getitem__(self, key: object) -> Any:
        return self._as_this(as_plain(self)[key])

    def astype(self, *args: Any, **kwargs: Any) -> Any:
        """As ndarray.astype."""
        return self._as_this(as_plain(self).astype(*args, **kwargs))

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """As ndarray.view."""
        result = as_plain(self).view(*args, **kwargs)
        kept = not any(isinstance(wanted, type) for wanted in (*args, *kwargs.values()))
        return self._as_this(result) if kept else result

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        result = super().__array_ufunc__(ufunc, method, *inputs, **kwargs)
        if result is NotImplemented or method == "at":
            return result
        plain = ufunc if method == "__call__" else getattr(ufunc, method)
        return _typed(self, result, plain, inputs, kwargs)

    def __array_function__(
        self, function: Callable[..., Any], types: object, args: object, kwargs: object
    ) -> Any:
        result = super().__array_function__(function, types, args, kwargs)
        if result is NotImplemented or result is None:
            return result
        return _typed(self, result, function, args, kwargs)


def viewed_from(source: TracedView, array: Any) -> Any:
    """Any traced array as an object of the class of a view, made of that view."""
    result = type(source)._over(array._trace, array._ids, array._dtype, array._values)
    source._plain_class.__array_finalize__(result, source)  # type: ignore[attr-defined]
    return result


def _typed(
    source: TracedView, result: Any, function: Callable[..., Any], args: Any, kwargs: Any
) -> Any:
    """A result in the type that NumPy gives it for plain arrays."""
    try:
        with np.errstate(all="ignore"):
            sample = function(*map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()})
    except Exception as error:
        raise UnsupportedError(
            explain(
                getattr(function, "__name__", "a function"),
                f"of an array of class {source._plain_class.__name__} it fails for plain numbers "
                f"({type(error).__name__}: {error})",
                "Convert it with np.asarray(x) first.",
            )
        ) from error
    return _as_sample(source, result, sample)


def _as_sample(source: TracedView, result: Any, sample: Any) -> Any:
    if isinstance(result, (list, tuple)) and isinstance(sample, (list, tuple)):
        pairs = zip(result, sample, strict=True)
        items = [_as_sample(source, item, part) for item, part in pairs]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    if isinstance(sample, np.ndarray) and is_traced(result) and not isinstance(result, np.ndarray):
        result = result._as_array()
    if type(sample) is not source._plain_class:
        if isinstance(result, TracedView):  # it was given as ``out=``
            return as_plain(result).copy()
        is_array = isinstance(sample, np.ndarray) and not is_traced(result)
        return np.asarray(result) if is_array else result
    if isinstance(result, TracedView):
        return result
    if is_traced(result):
        return viewed_from(source, result)
    constants = np.asarray(result).view(source._plain_class)
    source._plain_class.__array_finalize__(constants, source)
    return constants


def _plain(x: Any) -> Any:
    """An argument with numbers in place of traced ones, in an array of the same class."""
    if isinstance(x, (list, tuple)):
        items = [_plain(item) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    if not is_traced(x):
        return unwatched(x)
    values = values_of(x)
    if values is None:
        values = np.ones(np.shape(x._ids), x._dtype)
    if not isinstance(x, np.ndarray):
        return np.asarray(values)[()]
    return values.view(x._plain_class) if isinstance(x, TracedView) else values.copy()


view_by(viewed)
