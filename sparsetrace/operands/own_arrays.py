"""Objects with an ``__array__`` of their own, which hand out memory that they hold.

Contract: what NumPy makes of such an object is the array that its method gives, and where that is
traced, or may be written into, the trace goes on with that very array.
"""

from __future__ import annotations

import types
from collections import deque
from functools import lru_cache
from typing import Any

from numpy import dtype as dtype_from
from numpy import generic, ndarray

from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.operands.operands import contains_traced, is_traced

__all__ = ["as_operand", "handed_out", "listed", "takes_over"]

_COME_FIRST = ("__buffer__", "__array_interface__", "__array_struct__")
"""Protocols that NumPy asks for before."""
_TAKES_OVER = ("__array_ufunc__", "__array_function__", "__array_priority__")
"""With any of these a class may answer operators and NumPy's functions itself."""
_WRAPS = ("__array_wrap__", "__array_prepare__")
"""With any of these it may make something else of what NumPy computes."""


def handed_out(obj: Any, dtype: Any = None, copy: bool | None = None) -> tuple[Any, bool]:
    """The array that an object hands out by a method in Python; anything else as it is.

    Parameters
    ----------
    obj : object
    dtype, copy
        What the method is asked for: a copy, none, or either.

    Returns
    -------
    array : object
    is_settled : bool
        Whether the method takes ``copy=``.  Then it gives a copy where one is asked for, or what it
        takes for one: NumPy makes none.
    """
    cls = type(obj)
    method = getattr(cls, "__array__", None)
    if type(method) is not types.FunctionType or issubclass(cls, (ndarray, generic, bytearray)):
        return obj, False
    if contains_traced(obj) or any(hasattr(cls, name) for name in _COME_FIRST):
        return obj, False
    args = () if dtype is None else (dtype_from(dtype),)
    code = method.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    settles = "copy" in names or bool(code.co_flags & 0x08)  # it has **kwargs
    options = {"copy": copy} if settles and copy is not None else {}
    array = obj.__array__(*args, **options)
    return (array, settles) if isinstance(array, ndarray) else (obj, False)


def listed(obj: Any) -> Any:
    """A list with the arrays that objects in it hand out, or of a deque; else the object itself."""
    if type(obj) is deque:  # a sequence for NumPy as a list is
        obj = list(obj)
    if type(obj) not in (list, tuple):
        return obj
    if all(_is_plain(cls) for cls in set(map(type, obj))):
        return obj
    items = [listed(handed_out(item)[0]) for item in obj]
    same = all(new is old for new, old in zip(items, obj, strict=True))
    return obj if same else type(obj)(items)


@lru_cache(maxsize=1024)
def _is_plain(cls: type) -> bool:
    """Whether an object of this class holds and hands out nothing."""
    own = cls not in (ndarray, list, tuple) and not issubclass(cls, generic)
    return cls not in (list, tuple) and not (own and hasattr(cls, "__array__"))


def as_operand(obj: Any, by: str = "") -> Any:
    """The same for what a function or a ufunc is given, unless it has an answer of its own.

    Parameters
    ----------
    obj : object
    by : str, optional
        The function's name: a method of that name is what ``np.sum`` calls.

    Raises
    ------
    UnsupportedError
        If it hands out a traced array, and wraps results itself.
    """
    cls = type(obj)
    if isinstance(obj, ndarray) or not hasattr(cls, "__array__"):
        return obj
    if hasattr(cls, by) or takes_over(cls):
        return obj
    array = handed_out(obj)[0]
    wrapping = next((name for name in _WRAPS if hasattr(cls, name)), "")
    if wrapping and is_traced(array):
        problem = f"its {wrapping} may make something else of the result"
        raise UnsupportedError(
            explain(f"an operand of type {cls.__name__}", problem, "Give np.asarray(it).")
        )
    return obj if wrapping else array


def takes_over(cls: type) -> bool:
    """Whether a class answers operators and NumPy's functions itself."""
    methods = (getattr(cls, name, None) for name in _TAKES_OVER)
    return any(x is not None and not getattr(x, "_hands_out", False) for x in methods)
