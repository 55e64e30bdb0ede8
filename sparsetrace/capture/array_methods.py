"""Methods of ordinary arrays that are given traced operands: ``M.dot(x)``, ``K.choose(x)``.

Contract: they are C functions that read their operands' memory, and ask no protocol.  While
they are exchanged every look-up finds a wrapper, also from ``exec``, `getattr`, ``map`` and
compiled code that goes by the name; it does one test, and calls the original for everything
not traced (`sparsetrace.capture.patch.ClassNames` says how they are exchanged).  Methods that
were bound before (``apply = M.dot``) are exchanged where they are kept.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from sparsetrace.arrays.computing_views import method_of_constant
from sparsetrace.capture.numpy_constructors import as_array
from sparsetrace.capture.numpy_lists import answers_itself, called_with_arrays
from sparsetrace.capture.patch import Patch, class_names
from sparsetrace.capture.session import SESSION, holds_traced
from sparsetrace.context import CURRENT
from sparsetrace.operands.operands import (
    contains_traced,
    decides_results,
    holds_objects,
    is_of_numbers,
    is_traced,
    is_traced_array,
)
from sparsetrace.user_code.reach import ARRAY_METHODS

__all__ = ["MODULE", "bound_to_array", "patches"]

MODULE = "methods of ndarray"
"""The name of the group of patches, which is no module's.

They are made where an error, or a traced number in an array of objects, shows the need; and
from the start where code calls ``dot`` by name.  That is because NumPy would copy the matrix
as objects to find out, and does not stop at the first error that multiplying them raises.
From the start of every trace they would cost 30 us; and since Python 3.13 a type that was modified
a thousand times has its look-ups no longer cached, which makes a trace slower by a tenth.
"""

_FUNCTIONS: dict[str, Any] = {
    name: getattr(np, name)
    for name in (
        "argmax argmin argsort choose clip compress dot max mean min prod repeat searchsorted std "
        "sum take var"
    ).split()
}
"""What answers a method: NumPy's function of the same name, by its rule."""
ARRAY_METHODS.update(_FUNCTIONS)


@functools.cache
def _wrapper(name: str) -> Any:
    original, function = getattr(np.ndarray, name), _FUNCTIONS[name]

    @functools.wraps(original)
    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        trace = CURRENT.get()
        if trace is None or SESSION.get() is None or not holds_traced((self, *args), kwargs):
            return original(self, *args, **kwargs)
        if is_traced(self):  # np.ndarray.dot(x, y)
            return getattr(self, name)(*args, **kwargs)
        if holds_objects(self) and not is_of_numbers(self):
            return original(self, *args, **kwargs)
        if decides_results(self) and not isinstance(self, np.ma.MaskedArray):
            return method_of_constant(trace, self, name, args, kwargs)
        given = _arguments(name, self, args, kwargs)
        own = next(filter(answers_itself, (self, *args, *kwargs.values())), None)
        if own is None:
            return called_with_arrays(trace, function, *given)
        if is_traced_array(own):  # NumPy does not look at all arguments, and would come back here
            return own.__array_function__(function, (type(own),), *given)
        return original(self, *args, **kwargs)

    method.__objclass__ = np.ndarray  # type: ignore[attr-defined]
    return method


@functools.cache
def _converting() -> Any:
    """``objects.astype(float)``, of traced numbers in an array of objects."""
    original: Any = np.ndarray.astype

    @functools.wraps(original)
    def astype(self: object, /, *args: Any, **kwargs: Any) -> Any:
        if SESSION.get() is not None and holds_objects(self) and contains_traced(self):
            dtype = args[0] if args else kwargs.get("dtype")
            if np.dtype(dtype) != object:
                array = as_array(self)
                if is_traced(array):
                    return array.astype(*args, **kwargs)
        return original(self, *args, **kwargs)

    return astype


def _arguments(
    name: str, array: object, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a method as the function of its name takes them."""
    if name == "choose" and len(args) > 1:  # the method takes the choices one by one, too
        return (array, args), kwargs
    if name == "compress":  # whose function takes the condition first
        rest = dict(zip(("axis", "out"), args[1:], strict=False))
        return args[:1], {"a": array, **rest, **kwargs}
    return (array, *args), kwargs


def patches() -> list[Patch]:
    """The methods of ``np.ndarray`` whose operands can be traced."""
    names = class_names(np.ndarray)
    if names is None:
        return []
    wrappers = {"astype": _converting(), **{name: _wrapper(name) for name in _FUNCTIONS}}
    return [Patch(names, name, names.get(name), wrapper) for name, wrapper in wrappers.items()]


def bound_to_array(method: Any) -> Any:
    """What stands for a method of an ordinary array that was bound before the trace."""
    return types.MethodType(_wrapper(method.__name__), method.__self__)
