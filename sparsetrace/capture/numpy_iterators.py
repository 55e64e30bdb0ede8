"""``np.nditer`` and ``np.ndenumerate`` over traced arrays.

Contract: outside of a trace each is the original, and so it is with arguments that ask for a
conversion to another dtype, whose results would be copies.  In what order elements come says
NumPy's own iterator, which goes over their places instead; what it gives are views of the operands.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import arange, empty_like, ndarray, ndenumerate, nditer, zeros
from numpy.typing import NDArray

from sparsetrace.arrays.traced_views import TracedView
from sparsetrace.capture.numpy_constructors import traced_array_of
from sparsetrace.capture.patch import Patch
from sparsetrace.capture.session import SESSION, Buffer, traced_constants
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.operands.operands import contains_traced, dtype_of, is_traced, is_traced_array

__all__ = ["patches"]

_SIGNATURE = inspect.Signature(
    [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
        for name, default in (
            ("op", inspect.Parameter.empty),
            ("flags", None),
            ("op_flags", None),
            ("op_dtypes", None),
            ("order", "K"),
            ("casting", "safe"),
            ("op_axes", None),
            ("itershape", None),
            ("buffersize", 0),
        )
    ]
)
_FLAGS = frozenset(
    "buffered c_index copy_if_overlap delay_bufalloc external_loop f_index growinner multi_index "
    "reduce_ok refs_ok zerosize_ok".split()
)
_OF_MEMORY = frozenset(("buffered", "copy_if_overlap", "delay_bufalloc", "growinner"))
"""Flags that say how memory is gone over, not what comes."""


def _is_traceable(x: object) -> bool:
    if isinstance(x, (list, tuple)):  # which NumPy makes an array of
        return contains_traced(x)
    return (is_traced(x) and not getattr(type(x), "_is_picked", False)) or isinstance(x, Buffer)


def _has_operands(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call of ``np.nditer`` is given anything that is traced, or will be."""
    operands: Any = args[0] if args else kwargs.get("op")
    several = isinstance(operands, (list, tuple))
    return any(map(_is_traceable, operands)) if several else _is_traceable(operands)


def _wrapped_iterator(*args: Any, **kwargs: Any) -> Any:
    trace = CURRENT.get()
    if SESSION.get() is None or trace is None or not _has_operands(args, kwargs):
        return nditer(*args, **kwargs)
    given = _SIGNATURE.bind(*args, **kwargs)
    given.apply_defaults()
    options = given.arguments
    operands = options["op"]
    operands = list(operands) if isinstance(operands, (list, tuple)) else [operands]
    if any(options[name] is not None for name in ("op_axes", "itershape")) or (
        not set(options["flags"] or ()) <= _FLAGS
    ):
        return nditer(*args, **kwargs)
    dtypes = _dtypes(options["op_dtypes"], operands)
    if len(dtypes) != len(operands) or any(map(_converts, operands, dtypes)):
        return nditer(*args, **kwargs)
    return _Places(
        trace, operands, options["flags"] or (), options["op_flags"], options["order"], dtypes
    )


_wrapped_iterator.__name__ = _wrapped_iterator.__qualname__ = "nditer"
_wrapped_iterator.__wrapped__ = nditer  # type: ignore[attr-defined]


class _Places:
    """An iterator over the elements of traced arrays, as ``np.nditer`` over others."""

    __class__ = nditer  # type: ignore[assignment]  # what ``isinstance`` and the user are told

    def __init__(
        self,
        trace: Trace,
        operands: list[Any],
        flags: Any,
        op_flags: Any,
        order: Any,
        dtypes: list[Any],
    ) -> None:
        self._flags = _each(op_flags, operands)
        if all(x is None for x in operands):
            raise ValueError("At least one operand must be provided")
        arrays = [x if x is None else _array(x) for x in operands]
        self._external = "external_loop" in flags
        self._walk: Any = _new(
            [None if x is None else _places(x) for x in arrays],
            [flag for flag in flags if flag not in _OF_MEMORY],
            [
                ["writeonly", "allocate", *_shaped(f)] if x is None else ["readonly", *_shaped(f)]
                for f, x in zip(self._flags, arrays, strict=True)
            ],
            [np.intp] * len(arrays),
            order=order,
        )
        common = np.result_type(*map(_dtype_of_array, filter(_is_given, arrays)))
        made = [common if dtype is None else dtype for dtype in dtypes]
        for i, x in enumerate(arrays):
            if x is None:  # allocated, with the layout that NumPy's iterator gives it
                places = self._walk.operands[i]
                arrays[i] = traced_constants(trace, empty_like(places, made[i]) * 0)
                places[...] = arange(places.size).reshape(places.shape)
        self.operands = tuple(arrays)
        self._shown = list(map(_of_no_subclass, arrays))
        self._began = self._left = False

    def __getattr__(self, name: str) -> Any:
        if name in _OF_ELEMENTS:
            raise UnsupportedError(
                explain(
                    f"nditer.{name}",
                    "it gives elements of traced arrays in a way that is not traced",
                    "Use it.operands, it[0], or a loop over the iterator.",
                )
            )
        return getattr(self._walk, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("multi_index", "index", "iterindex", "iterrange"):
            setattr(self._walk, name, value)
        else:
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.operands)

    def __enter__(self) -> _Places:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """As nditer.close."""
        self._walk.close()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._began:
            self._walk.iternext()
        self._began = True
        if self._walk.finished:
            raise StopIteration
        return self.value

    def iternext(self) -> bool:
        """As nditer.iternext."""
        return bool(self._walk.iternext())

    def reset(self) -> None:
        """As nditer.reset."""
        self._began = False
        self._walk.reset()

    @property
    def value(self) -> Any:
        values = tuple(self[i] for i in range(len(self.operands)))
        return values if len(values) > 1 else values[0]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return tuple(self[i] for i in range(len(self.operands))[key])
        array, places = self._shown[key], self._walk[key]
        writes = any("write" in flag for flag in self._flags[key]) or self._flags[key] is _OUT
        shown = self._chunk(array, places, writes) if self._external else _element(array, places)
        if not writes:
            (shown._ids if is_traced_array(shown) else shown).flags.writeable = False
        return shown

    def __setitem__(self, key: Any, value: Any) -> None:
        self[key][...] = value

    def _chunk(self, array: Any, places: NDArray[np.intp], writes: bool) -> Any:
        """Several elements at once, as a view where they may be written."""
        flat, first = array.reshape(-1), int(places[0])
        steps = set(np.diff(places).tolist()) or {1}
        if len(steps) == 1 and min(steps) > 0 and np.may_share_memory(flat, array):
            return flat[first : int(places[-1]) + 1 : steps.pop()]
        if writes:
            raise UnsupportedError(
                explain(
                    "np.nditer(flags=['external_loop'])",
                    "it would write into elements of a traced array that are no slice of it",
                    "Leave the flag out, or write with NumPy's functions.",
                )
            )
        return flat[places]


_OF_ELEMENTS = frozenset(
    "copy dtypes enable_external_loop itviews remove_axis remove_multi_index".split()
)
"""Attributes of an iterator that would be those of one over places."""
_new: Any = nditer
_OUT = ["writeonly", "allocate"]


def _dtypes(op_dtypes: Any, operands: list[Any]) -> list[Any]:
    """The dtype that is asked for each operand; None for its own."""
    if op_dtypes is None:
        return [None] * len(operands)
    several = isinstance(op_dtypes, (list, tuple))
    given = list(op_dtypes) if several else [op_dtypes] * len(operands)
    return [None if dtype is None else np.dtype(dtype) for dtype in given]


def _converts(x: Any, dtype: Any) -> bool:
    """Whether an operand is asked for in another dtype than its own."""
    return x is not None and dtype is not None and dtype != dtype_of(x)


def _of_no_subclass(x: Any) -> Any:
    """An array as its elements are: these are of no class of the user's."""
    is_plain = is_traced_array(x) or type(x) in (ndarray, Buffer)
    return x if is_plain and not isinstance(x, TracedView) else x.view(ndarray)


def _dtype_of_array(x: Any) -> np.dtype[Any]:
    """That of an ordinary array of objects is its own, whatever these are."""
    return dtype_of(x) if is_traced_array(x) else x.dtype


def _is_given(x: object) -> bool:
    return x is not None


def _each(op_flags: Any, operands: list[Any]) -> list[Any]:
    """The flags of each operand."""
    if not op_flags:
        return [_OUT if x is None else ["readonly"] for x in operands]
    if isinstance(op_flags[0], str):
        return [op_flags] * len(operands)
    return list(op_flags)


def _shaped(flags: Any) -> list[str]:
    return [flag for flag in flags if flag == "no_broadcast"]


def _array(x: Any) -> Any:
    if isinstance(x, ndarray):
        return x
    return traced_array_of(x) if contains_traced(x) else np.asarray(x)


def _places(array: Any) -> NDArray[np.intp]:
    """The place of each element in C order, in an array with the same layout in memory."""
    ids = array._ids if is_traced_array(array) else array.view(ndarray)
    shown = empty_like(ids, np.intp) if ids.ndim else zeros((), np.intp)
    if any(step < 0 for step in ids.strides):  # gone over in the direction of memory
        turned = tuple(slice(None, None, -1 if step < 0 else 1) for step in ids.strides)
        shown = empty_like(ids[turned], np.intp)[turned]
    shown[...] = arange(ids.size).reshape(ids.shape)
    return shown


def _element(array: Any, place: NDArray[np.intp]) -> Any:
    return array[(*np.unravel_index(int(place), array.shape), ...)]


# --------------------------------------------------------------------------- np.ndenumerate
def _wrapped_enumeration(arr: Any) -> Any:
    return _pairs(arr) if is_traced(arr) else ndenumerate(arr)


_wrapped_enumeration.__wrapped__ = ndenumerate  # type: ignore[attr-defined]


def _pairs(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    yield from zip(np.ndindex(arr.shape), arr.flat, strict=True)


def patches() -> list[Patch]:
    """The two names."""
    return [
        Patch(np, "nditer", nditer, _wrapped_iterator),
        Patch(np, "ndenumerate", ndenumerate, _wrapped_enumeration),
    ]
