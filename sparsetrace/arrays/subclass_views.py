"""Traced arrays as objects of a user's subclass of ndarray: ``x.view(Field)``.

Contract: the class is made of the user's class, whose attributes and methods come first, and of
`TracedView`; of `ComputingView`, if it computes in a way of its own.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from sparsetrace.arrays.array import TracedArray, view_by
from sparsetrace.arrays.computing_views import ComputingView
from sparsetrace.arrays.layout import Layout
from sparsetrace.arrays.matrices import matrix_over
from sparsetrace.arrays.own_protocols import protocols
from sparsetrace.arrays.traced_views import TracedView, plain_class
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.operands.operands import computes_as_ndarray, is_ordinary, own_methods

__all__ = ["SHOWN", "is_viewable", "seeded_like", "viewed"]

_FINALIZE = np.ndarray.__array_finalize__
SHOWN: set[int] = set()
"""The ids of types that ``type(x)`` does not show as they are, those made here among them."""
_LAID_OUT = frozenset(
    "__array__ __array_interface__ __array_struct__ __buffer__ __getattribute__ dtype shape ndim "
    "size strides flags data base flat real imag itemsize nbytes ctypes".split()
)
"""What the trace asks of an array itself, and a subclass may not change."""
_ASKED_OF_PLAIN = frozenset(("flat",))
"""Of these, what it asks of no view of a class that computes in a way of its own."""


def viewed(array: TracedArray, cls: type) -> Any:
    """``array.view(cls)``.

    Raises
    ------
    UnsupportedError
        If the class gives the layout a meaning of its own, or is one of NumPy's.
    """
    cls = plain_class(cls)  # that of a class method which a view has called
    if cls is np.matrix:
        return matrix_over(array[...] if array.ndim else array.reshape(1, 1))
    traced_cls = _traced_class(cls)
    if traced_cls is None:
        raise UnsupportedError(
            explain(
                f"ndarray.view({cls.__name__})",
                "its layout, or its metaclass, may mean something that the trace does not follow",
                "Work with the plain array; write m @ n for products of matrices.",
            )
        )
    result = traced_cls._over(array._trace, array._ids, array._dtype, array._values)
    cls.__array_finalize__(result, array)  # type: ignore[attr-defined]
    return result


def is_viewable(cls: type) -> bool:
    """Whether traced arrays can be objects of a subclass of ndarray."""
    return cls is not np.matrix and _traced_class(cls) is not None


def seeded_like(example: Any, array: TracedArray) -> Any:
    """A traced array as an object of the type of another array, and with its attributes."""
    if is_ordinary(example):
        return array
    view = viewed(array, type(example))
    view.__dict__ = dict(vars(example))
    return view


@lru_cache(maxsize=256)
def _traced_class(cls: type) -> Any:
    """The class of traced views as `cls`; None if the trace could not follow it."""
    bases = cls.__mro__[: cls.__mro__.index(np.ndarray)]
    own = {name for base in bases for name in vars(base)}
    shapes = [vars(base)["shape"] for base in bases if "shape" in vars(base)]
    hands_shape_on = bool(shapes) and all(map(_hands_on, shapes))
    if hands_shape_on:
        own.discard("shape")
    if any(base.__module__.partition(".")[0] in ("numpy", "scipy") for base in bases):
        return None
    # functions of NumPy's call methods: np.sum that of the name sum, np.flip __getitem__
    computes = not computes_as_ndarray(cls) or bool(own_methods(cls))
    if not (_LAID_OUT - _ASKED_OF_PLAIN if computes else _LAID_OUT).isdisjoint(own):
        return None
    base = ComputingView if computes else TracedView

    def scope(namespace: dict[str, Any]) -> None:
        # called by hand, once the array has its elements
        namespace |= {"_plain_class": cls, "__class__": cls, "__array_finalize__": _FINALIZE}
        namespace |= {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
        if computes:
            namespace.update(protocols(cls))
        if hands_shape_on:
            namespace.update(_setters_of_shape(cls))

    try:
        made = types.new_class(cls.__name__, (cls, base), {}, scope)
    except TypeError:  # a metaclass or slots of its own
        return None
    SHOWN.add(id(made))
    return made


class _HandedOn(np.ndarray):
    @property  # type: ignore[misc]
    def shape(self) -> Any:
        return super().shape


_HANDED_ON = vars(_HandedOn)["shape"].fget.__code__


def _hands_on(shape: Any) -> bool:
    """Whether a class's ``shape`` is that of its base, and only setting it does something else."""
    code = getattr(getattr(shape, "fget", None), "__code__", None)
    if code is None:
        return False
    steps = [(c.co_code, c.co_names, c.co_freevars, c.co_argcount) for c in (code, _HANDED_ON)]
    return steps[0] == steps[1]


def _setters_of_shape(cls: Any) -> Iterator[tuple[str, Any]]:
    """A class's own ways of setting the shape, after which the elements have the array's shape."""

    def then_as_array(own: Callable[[Any, Any], Any]) -> Callable[[Any, Any], None]:
        def assigned(self: Any, shape: Any) -> None:
            own(self, shape)
            Layout._set_shape(self, np.ndarray.shape.__get__(self))

        return assigned

    setter = cls.shape.fset
    yield "shape", property(vars(Layout)["shape"].fget, setter and then_as_array(setter))
    if getattr(cls, "_set_shape", None) is not getattr(np.ndarray, "_set_shape", None):
        yield "_set_shape", then_as_array(cls._set_shape)


view_by(viewed)
