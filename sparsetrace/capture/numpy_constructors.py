"""``np.asarray``, ``np.array``, ``np.zeros`` and their kin, for calls from traced code.

Contract: outside of a trace, and for NumPy's own frames and compiled code, each wrapper
is the original.  Inside one, conversions keep traced elements, and new float arrays are
watched buffers.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from sparsetrace.arrays.counted import counted_array
from sparsetrace.arrays.flatiter import Flat
from sparsetrace.arrays.matrices import TracedMatrix, refuse_matrix
from sparsetrace.arrays.object_array import objects_in
from sparsetrace.arrays.picked import stacked
from sparsetrace.arrays.traced_views import as_plain
from sparsetrace.capture.patch import Patch, named_like, table
from sparsetrace.capture.ranges import range_of
from sparsetrace.capture.session import SESSION, Buffer, is_column_major, is_library
from sparsetrace.context import CURRENT
from sparsetrace.errors import EscapeError, explain
from sparsetrace.graph.graph import filled
from sparsetrace.operands.complex_operands import elements_of
from sparsetrace.operands.memory_order import lies_in
from sparsetrace.operands.operands import (
    OF_NUMBERS,
    Elements,
    contains_traced,
    data_of,
    holds_objects,
    is_of_numbers,
    is_sparse_traced,
    is_traced,
    is_traced_array,
)
from sparsetrace.operands.own_arrays import as_operand, handed_out, listed
from sparsetrace.operands.poison import POISON
from sparsetrace.user_code.callers import called_directly

__all__ = ["SHAPES", "as_array", "decided_counts", "patches"]

_KEEPS_MASKS, _REQUIRES = np.asanyarray, np.require
_DIAGONAL = np.diag
"""Gives a view of an array of objects."""
_CONTIGUOUS = {"ascontiguousarray": "C", "asfortranarray": "F"}
"""Their memory order; they give at least one dimension."""


def traced_array_of(
    obj: Any, dtype: Any = None, *, copy: Any = True, ndmin: int = 0, order: Any = "K"
) -> Any:
    """``np.array(obj, dtype)`` for an object that holds traced elements."""
    trace = CURRENT.get()
    assert trace is not None
    result: Any
    never = copy in (False, np._CopyMode.NEVER)
    if not is_traced(obj) and not is_sparse_traced(obj):
        obj = obj.__array__() if type(obj) is Flat else data_of(obj)  # NumPy makes a view of it
    if never and not (isinstance(obj, np.ndarray) and is_traced(obj)):
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    if isinstance(obj, np.ndarray) and is_traced(obj):
        # _CopyMode has no truth value
        result = obj.copy(order or "K") if copy in (True, np._CopyMode.ALWAYS) else obj
    else:
        rows = stacked(obj)
        result = trace.wrap(elements_of(trace, obj)) if rows is None else rows
    if dtype is not None and np.dtype(dtype) != result.dtype:
        if never:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        result = result.astype(dtype)
    if result.ndim < ndmin:
        result = result[(None,) * (ndmin - result.ndim)]
    return result if lies_in(result, order) else result.copy(order)


def as_array(x: Any, by: str = "") -> Any:
    """A list, an array of objects or a polynomial that holds traced numbers as a traced array.

    So is what hands an array out, unless it has an answer of its own to a function named `by`.
    """
    if type(x) in OF_NUMBERS or is_traced(x):
        return x
    x = as_plain(x) if type(x) is np.poly1d else listed(as_operand(x, by))
    holds = isinstance(x, (list, tuple)) or (holds_objects(x) and is_of_numbers(x))
    return traced_array_of(x) if holds and contains_traced(x) else x


SHAPES: dict[str, tuple[int, frozenset[str]]] = {
    **dict.fromkeys(("empty", "ones", "zeros"), (0, frozenset(("shape",)))),
    "broadcast_to": (1, frozenset(("shape",))),
    "pad": (1, frozenset(("pad_width",))),
    "reshape": (1, frozenset(("newshape", "shape"))),
    "resize": (1, frozenset(("new_shape",))),
    "tile": (1, frozenset(("reps",))),
}
"""Functions that are given a tuple of numbers of elements: its position, and its names."""


def decided_counts(counts: Any) -> Any:
    """Numbers of elements: each whole number of few values is on a path of its own."""
    if type(counts) in (list, tuple):
        return tuple(map(decided_counts, counts))
    is_count = is_traced(counts) and not is_traced_array(counts) and counts.dtype.kind in "iu"
    return operator.index(counts) if is_count else counts


# ------------------------------------------------------------------------ arrays of objects
def _are_objects(dtype: Any) -> bool:
    return dtype is not None and np.dtype(dtype) == object


def _of_objects(obj: object, make: Callable[[Any], Any]) -> Any:
    """An array of objects made of what holds traced elements, which are its objects.

    Of a list of arrays NumPy makes one of their elements, or one of arrays where their shapes
    differ: the first reads the memory of the traced ones.

    Parameters
    ----------
    obj : object
    make : callable
        Calls NumPy's function with what it is given, in the place of `obj`.
    """
    trace = CURRENT.get()
    assert trace is not None
    asks, trace.becomes_object = trace.becomes_object, None  # that is what was asked for
    try:
        made = make(objects_in(obj) if is_traced(obj) else obj)
        return make(objects_in(obj)) if type(POISON) in set(map(type, made.flat)) else made
    finally:
        trace.becomes_object = asks


def _may_be_view(copy: Any) -> bool:
    """Whether ``copy=`` leaves an array as it is, where nothing has to change."""
    return copy in (False, None, np._CopyMode.NEVER, np._CopyMode.IF_NEEDED)


_COPIES = (
    (np._CopyMode.ALWAYS, True),
    (np._CopyMode.IF_NEEDED, None),
    (np._CopyMode.NEVER, False),
)
"""What the values of ``copy=`` that have no truth value say."""


def _without_like(kwargs: dict[str, Any]) -> dict[str, Any]:
    """The keywords without a traced ``like=``: what is made here is traceable anyway.

    NumPy would look the function up by its name, and find the wrapper.
    """
    if is_traced(kwargs.get("like")):
        return {name: value for name, value in kwargs.items() if name != "like"}
    return kwargs


_OWN_MEMORY = (list, tuple, bool, int, float, complex, range, np.generic)
"""What NumPy makes an array of that has memory of its own."""


def _is_view(made: Any, obj: Any) -> bool:
    """Whether a conversion gave no new array: what is written into it is seen in `obj`."""
    if isinstance(obj, np.ndarray):
        return np.may_share_memory(made.view(np.ndarray), obj.view(np.ndarray))
    return made.base is not None and not isinstance(obj, _OWN_MEMORY)


def _seen_again(made: Any, obj: Any) -> Any:
    """A view of a buffer is watched as the buffer is; one of foreign memory is left alone."""
    if isinstance(obj, Buffer) and not isinstance(made, np.ma.MaskedArray):
        return made.view(Buffer)._from(obj)
    return made


def _refuse_copy(original: Callable[..., Any]) -> NoReturn:
    """Compiled code, or a call whose function has no plain name, would write into a copy."""
    raise EscapeError(
        explain(
            f"np.{original.__name__}",
            "it was called by compiled code, or through an expression that cannot be followed, "
            "and would copy the memory of a traced array, which holds no numbers",
            f"Call it by its name, np.{original.__name__}(x), or bind it to a name first.",
        )
    )


_AS_STRIDED: Any = np.lib.stride_tricks.as_strided
_BY_ADDRESS = frozenset(
    (
        (_AS_STRIDED.__globals__["__name__"], "as_strided"),
        ("scipy.spatial.distance", "squareform"),
    )
)
"""Functions of libraries that go over memory by its address, whatever it holds, and so crash.

``as_strided`` comes past the guards of `sparsetrace.operands.poison` in a large array, and
SciPy's C code copies objects without counting the references.
"""


def _refuse_address(name: str, obj: object) -> None:
    """Raise the error of such a function that was bound by name, before it does anything."""
    if contains_traced(obj):
        raise EscapeError(
            explain(
                name,
                "it goes over the memory of an array of traced numbers by its address",
                "Use np.lib.stride_tricks.sliding_window_view in place of as_strided, or an "
                "index array: x[np.arange(n)[:, None] + np.arange(k)].",
            )
        )


def _keeps_subclass(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether ``np.require`` leaves a masked array one."""
    asked = args[2] if len(args) > 2 else kwargs.get("requirements")
    given = np.ones(1).view(_Subclass)
    return isinstance(_REQUIRES(given, None, asked), _Subclass)


class _Subclass(np.ndarray[Any, Any]):
    """Stands for any subclass."""


def _of_own_array(
    obj: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, name: str, copies: bool
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a conversion, the first of which is the array that an object hands out."""
    dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
    copy = kwargs.get("copy", True if copies else None)
    wanted = next((w for mode, w in _COPIES if copy is mode), copy)
    own, is_settled = handed_out(obj, dtype, wanted)
    options = {k: v for k, v in kwargs.items() if k != name}
    if is_settled and wanted:
        options["copy"] = None
    return (own, *args[1:]), options


def _required(obj: Any, dtype: Any, require: Callable[[Any], Any]) -> Any:
    """What ``np.require`` gives for what is traced; NumPy judges the requirements."""
    rows, columns = require(np.zeros((2, 2))), require(np.zeros((2, 2), order="F"))
    order = "F" if rows.flags.fnc else "K" if columns.flags.fnc else "C"
    result = traced_array_of(obj, dtype, copy=None, order=order)
    locked = np.zeros(1)
    locked.flags.writeable = False
    lacks_memory = not result.flags.owndata and _owns(require)
    if lacks_memory or (require(locked).flags.writeable and not result.flags.writeable):
        result = result.copy("A" if order == "K" else order)
    return result


def _owns(require: Callable[[Any], Any]) -> bool:
    """Whether ``np.require`` is asked for an array with memory of its own."""
    return bool(require(np.zeros(2)[:1]).flags.owndata)


def _conversion(original: Callable[..., Any], *, name: str, copies: bool) -> Callable[..., Any]:
    own_order = _CONTIGUOUS.get(original.__name__, "K")

    @named_like(original)
    def convert(*args: Any, **kwargs: Any) -> Any:
        order = own_order
        session = SESSION.get()
        if session is None:
            return original(*args, **kwargs)
        kwargs = _without_like(kwargs)
        obj = args[0] if args else kwargs.get(name)
        if type(obj) is TracedMatrix:
            if kwargs.get("subok") or original is _REQUIRES:
                refuse_matrix(f"np.{original.__name__}")
            if original is _KEEPS_MASKS:
                return obj if len(args) + len(kwargs) == 1 else obj.astype(*args[1:], **kwargs)
        of_view = getattr(type(obj), "_is_view", False) is True
        if original is not _KEEPS_MASKS and not kwargs.get("subok"):
            obj = as_plain(obj)
        if isinstance(obj, np.ma.MaskedArray) and (
            original is _KEEPS_MASKS or (original is _REQUIRES and _keeps_subclass(args, kwargs))
        ):
            if not contains_traced(obj):
                return original(*args, **kwargs)
            if original is _REQUIRES and _owns(lambda new: original(new, *args[1:], **kwargs)):
                obj = obj.copy()  # the data of which are another array's
            dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
            return obj if dtype is None or np.dtype(dtype) == obj.dtype else obj.astype(dtype)
        plain = type(obj) is np.ndarray and obj.dtype != object
        if plain and not copies:
            return original(*args, **kwargs)
        frame = sys._getframe(1)
        if is_library(frame) and not of_view:
            if (frame.f_globals.get("__name__"), frame.f_code.co_name) in _BY_ADDRESS:
                _refuse_address(frame.f_code.co_name, obj)
            return original(*args, **kwargs)
        if not isinstance(obj, np.ndarray) and hasattr(type(obj), "__array__"):
            args, kwargs = _of_own_array(obj, args, kwargs, name=name, copies=copies)
            obj = args[0]
        elif (items := listed(obj)) is not obj:
            obj, args = items, (items, *args[1:])
            kwargs = {k: v for k, v in kwargs.items() if k != name}
        if plain or not contains_traced(obj):
            made = original(*args, **kwargs)
            return _seen_again(made, obj) if _is_view(made, obj) else session.buffer(made, frame)
        dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
        copy = kwargs.get("copy", True if copies else None)
        if _may_be_view(copy) and holds_objects(obj) and (dtype is None or _are_objects(dtype)):
            return original(*args, **kwargs)  # the array itself, where it lies in that order
        if not (called_directly(frame) or of_view):
            if original.__name__ in _CONTIGUOUS and is_traced(obj):
                _refuse_copy(original)
            return original(*args, **kwargs)
        if _are_objects(dtype):
            rest, named = args[1:], {k: v for k, v in kwargs.items() if k != name}
            made = _of_objects(obj, lambda new: original(new, *rest, **named))
            return session.buffer(made, frame)
        if original is _REQUIRES:
            rest, named = args[1:], {k: v for k, v in kwargs.items() if k != name}
            return _required(obj, dtype, lambda new: original(new, *rest, **named))
        ndmin = kwargs.get("ndmin", int(original.__name__ in _CONTIGUOUS))
        return traced_array_of(obj, dtype, copy=copy, ndmin=ndmin, order=kwargs.get("order", order))

    return convert


def _creation(original: Callable[..., Any]) -> Callable[..., Any]:
    is_like = original.__name__.endswith("_like")

    @named_like(original)
    def create(*args: Any, **kwargs: Any) -> Any:
        session = SESSION.get()
        if session is None:
            return original(*args, **kwargs)
        kwargs = _without_like(kwargs)
        frame = sys._getframe(1)
        if is_library(frame):
            return original(*args, **kwargs)
        if args and is_like and _are_objects(args[1] if len(args) > 1 else kwargs.get("dtype")):
            args = (_stand_in(args[0]), *args[1:])
        place = SHAPES.get(original.__name__, (None,))[0]
        if place == 0 and args:
            return session.buffer(_of_shape(original, *args, **kwargs), frame)
        if original is not _DIAGONAL or not any(map(holds_objects, args)):
            args = tuple(
                decided_counts(x) if i == place else as_array(x) for i, x in enumerate(args)
            )
        if original.__name__ == "arange":
            return session.buffer(range_of(original, args, kwargs), frame)
        return session.buffer(original(*args, **kwargs), frame)

    return create


def _of_shape(original: Callable[..., Any], shape: Any, *args: Any, **kwargs: Any) -> Any:
    """A new array of a shape, in which a number may depend on the inputs."""
    made = counted_array(lambda known: original(known, *args, **kwargs), shape)
    return original(decided_counts(shape), *args, **kwargs) if made is None else made


def _with_objects(made: Any, fill: Any) -> Any:
    """An array of objects with these as its elements."""
    if np.ndim(fill):
        made[...] = objects_in(fill)
    else:
        made.fill(fill)
    return made


def _stand_in(like: Any) -> Any:
    """An ordinary array of the same layout, for what is to hold objects and no elements of it."""
    return like._ids if is_traced_array(like) else like


def _filled(fill: Any, like: Any) -> Any:
    """A new array of these elements, in the shape and the memory order of another."""
    if not is_traced(fill):
        return np.full_like(like, fill, np.asarray(fill).dtype, subok=False)
    order: Any = "F" if is_column_major(like) else "C"
    values = None if fill._values is None else np.full(like.shape, fill._values, order=order)
    ids = filled(fill._ids, like.shape).copy(order)
    return fill._trace.wrap(Elements(ids, fill.dtype, values, keep_array=True))


def _full(original: Callable[..., Any]) -> Callable[..., Any]:
    @named_like(original)
    def full(shape: Any, fill_value: Any, *args: Any, **kwargs: Any) -> Any:
        session = SESSION.get()
        if session is None:
            return original(shape, fill_value, *args, **kwargs)
        kwargs = _without_like(kwargs)
        frame = sys._getframe(1)
        if is_library(frame):
            return original(shape, fill_value, *args, **kwargs)
        if contains_traced(fill_value) and called_directly(frame):
            wanted = args[0] if args else kwargs.get("dtype")
            if _are_objects(wanted):
                made = original(shape, None, *args, **kwargs)
                return session.buffer(_with_objects(made, fill_value), frame)
            fill = traced_array_of(fill_value, wanted)
            counted = counted_array(lambda known: np.zeros(known, fill.dtype), shape)
            if counted is not None:
                counted[...] = fill
                return counted
            order = args[1] if len(args) > 1 else kwargs.get("order", "C")
            return _filled(fill, np.empty(shape, order=order))
        made = _of_shape(lambda known: original(known, fill_value, *args, **kwargs), shape)
        return session.buffer(made, frame)

    return full


def _full_like(original: Callable[..., Any]) -> Callable[..., Any]:
    @named_like(original)
    def full_like(a: object, fill_value: object, *args: Any, **kwargs: Any) -> Any:
        session = SESSION.get()
        if session is None:
            return original(a, fill_value, *args, **kwargs)
        frame = sys._getframe(1)
        if is_library(frame):
            return original(a, fill_value, *args, **kwargs)
        dtype = args[0] if args else kwargs.get("dtype")
        if _are_objects(dtype) and called_directly(frame):
            made = original(_stand_in(a), None, *args, **kwargs)
            return session.buffer(_with_objects(made, fill_value), frame)
        if contains_traced(fill_value) and not is_traced(a) and called_directly(frame):
            fill = traced_array_of(fill_value, np.asarray(a).dtype if dtype is None else dtype)
            order = args[1] if len(args) > 1 else kwargs.get("order", "K")
            return _filled(fill, np.empty_like(a, order=order, shape=kwargs.get("shape")))
        return session.buffer(original(a, fill_value, *args, **kwargs), frame)

    return full_like


def _from_iterator(original: Callable[..., Any]) -> Callable[..., Any]:
    @named_like(original)
    def fromiter(iterable: Any, dtype: Any, count: int = -1, **kwargs: Any) -> Any:
        session = SESSION.get()
        frame = sys._getframe(1)
        if session is None or is_library(frame):
            return original(iterable, dtype, count, **kwargs)
        kwargs = _without_like(kwargs)
        items = list(iterable) if count < 0 else [v for v, _ in zip(iterable, range(count))]  # noqa: B905 - stops at count
        if contains_traced(items) and not _are_objects(dtype):
            return traced_array_of(items, dtype)
        made = original(items, dtype, **kwargs)
        return session.buffer(made, frame)

    return fromiter


def _from_memory(original: Callable[..., Any]) -> Callable[..., Any]:
    @named_like(original)
    def frombuffer(*args: Any, **kwargs: Any) -> Any:
        if SESSION.get() is None:
            return original(*args, **kwargs)
        kwargs = _without_like(kwargs)
        source = args[0] if args else kwargs.get("buffer")
        owner = source.obj if isinstance(source, memoryview) else source
        if is_traced(owner):
            raise EscapeError(
                explain(
                    "np.frombuffer",
                    "it reads the memory of a traced array, which holds no numbers",
                    "Use the array itself, x.reshape(...) or np.array(x).",
                )
            )
        return original(*args, **kwargs)

    return frombuffer


def _from_dlpack(original: Callable[..., Any]) -> Callable[..., Any]:
    """Code for the array API asks for it where two names of NumPy's module are not the same."""

    @named_like(original)
    def from_dlpack(x: Any, /, **options: Any) -> Any:
        if not is_traced_array(x):
            return original(x, **options)
        original(np.zeros(0), **options)  # NumPy judges the options
        return x.copy() if options.get("copy") else x.view()

    return from_dlpack


_CREATIONS = (
    "zeros ones empty eye identity arange linspace logspace geomspace zeros_like ones_like "
    "empty_like copy diag tile repeat outer tri"
).split()


@table
def patches() -> list[Patch]:
    """The functions of ``numpy`` that make arrays."""
    wrappers: dict[str, Any] = {
        "array": _conversion(np.array, name="object", copies=True),
        "full": _full(np.full),
        "full_like": _full_like(np.full_like),
        "frombuffer": _from_memory(np.frombuffer),
        "fromiter": _from_iterator(np.fromiter),
        "from_dlpack": _from_dlpack(np.from_dlpack),
    }
    for name in "asarray asanyarray asarray_chkfinite require".split() + list(_CONTIGUOUS):
        wrappers[name] = _conversion(getattr(np, name), name="a", copies=False)
    for name in _CREATIONS:
        wrappers[name] = _creation(getattr(np, name))
    for wrapper in wrappers.values():
        wrapper._captures = True
    return [Patch(np, name, getattr(np, name), wrapper) for name, wrapper in wrappers.items()]
