"""`Layout`: the shape and the memory of a traced array, and how it is reshaped and indexed.

Contract: the visible buffer is a read-only view of one poison object; the node ids
live in `_ids`, an int32 array of the same shape, which NumPy itself slices, reshapes
and assigns, so views share memory as the user expects.  In a local trace the array `_values`
is treated in the same way.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import EscapeError, UnsupportedError, explain
from sparsetrace.graph.graph import Ids
from sparsetrace.numpy_rules.array_manipulation import repeats
from sparsetrace.operands import memory
from sparsetrace.operands.poison import frame

__all__ = ["Layout"]


_SETS_SHAPE = hasattr(np.ndarray, "_set_shape")


def _in_place(array: NDArray[Any], shape: Any) -> NDArray[Any]:
    """The array itself in another shape; as NumPy, an error where that takes a copy."""
    view = array.reshape(shape)
    if array.size and not np.may_share_memory(view, array):
        raise AttributeError(
            "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with "
            "the desired shape."
        )
    return view


class _Flags:
    """The flags of an array whose ids may be a view where NumPy's array would have its own memory.

    Which is found only where somebody asks for that.
    """

    __slots__ = ("_flags", "_owns")

    def __init__(self, flags: Any, owns: Callable[[], bool]) -> None:
        object.__setattr__(self, "_flags", flags)
        object.__setattr__(self, "_owns", owns)

    @property
    def owndata(self) -> bool:
        return bool(self._owns())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._flags, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._flags, name, value)

    def __getitem__(self, name: str) -> Any:
        return self.owndata if name in ("O", "OWNDATA") else self._flags[name]

    def __setitem__(self, name: str, value: object) -> None:
        self._flags[name] = value

    def __repr__(self) -> str:
        return repr(self._flags).replace("OWNDATA : False", f"OWNDATA : {self.owndata}")


class Layout(np.ndarray[Any, Any]):
    """The part of `TracedArray` that moves elements and never looks at them."""

    __slots__ = ("_dtype", "_ids", "_trace", "_values")
    _dtype: np.dtype[Any]
    _trace: Trace
    _ids: Ids
    _values: NDArray[Any] | None

    @classmethod
    def _over(
        cls, trace: Trace, ids: Ids, dtype: np.dtype[Any], values: NDArray[Any] | None = None
    ) -> Self:
        """The traced array over these ids; views of `ids` and `values` stay views."""
        array = frame(ids.shape).view(cls)
        array._ids = ids
        array._trace = trace
        array._dtype = dtype
        array._values = values
        return array

    def _is_empty_copy(self) -> bool:
        """Take an array that C code made, as in ``np.float64(x[:0])``, where it has no elements."""
        trace, dtype = CURRENT.get(), np.ndarray.dtype.__get__(self)
        if trace is None or dtype.kind not in "biufc" or np.ndarray.size.__get__(self):
            return False
        self._trace, self._dtype = trace, dtype
        self._ids = np.empty(np.ndarray.shape.__get__(self), np.int32)
        self._values = np.empty(self._ids.shape, dtype) if trace.local else None
        return True

    def __getattr__(self, name: str) -> Any:
        if name in Layout.__slots__:
            if self._is_empty_copy():
                return getattr(self, name)
            raise EscapeError(
                explain(
                    "a view of a traced array",
                    "it was made by a routine that the trace does not see",
                    "Use indexing, reshape or a NumPy function on the array itself.",
                )
            )
        raise AttributeError(f"'TracedArray' object has no attribute {name!r}")

    # -------------------------------------------------------------- metadata
    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype

    @dtype.setter
    def dtype(self, value: object) -> None:
        self._reinterpreted("x.dtype =")

    @property
    def itemsize(self) -> int:
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self._dtype.itemsize * self._ids.size

    @property
    def strides(self) -> tuple[int, ...]:
        scale = self._dtype.itemsize
        return tuple(step // 4 * scale for step in self._ids.strides)

    @strides.setter
    def strides(self, value: object) -> None:
        self._reinterpreted("x.strides =")

    def _reinterpreted(self, call: str) -> NoReturn:
        raise UnsupportedError(
            explain(
                call,
                "it would reinterpret the bytes of traced elements",
                "Use astype, reshape, x.real or x.imag.",
            )
        )

    # numba takes subclasses of arrays for arrays; with this it asks for dtype and flags first
    __numba_array_subtype_dispatch__ = True

    @property
    def flags(self) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.partition(".")[0] in memory.COMPILERS:
            raise EscapeError(
                explain(
                    "a function compiled by numba",
                    "machine code reads the memory of its arguments, and a traced array has none",
                    "Call its Python source in the traced function: kernel.py_func.",
                )
            )
        # of elements that share a place these can be read, not set
        flags = (self._ids.view() if repeats(self._ids) else self._ids).flags
        if self._ids.base is None:
            return flags
        return _Flags(flags, lambda: self._array_shown() is None)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._ids.shape

    @shape.setter
    def shape(self, shape: object) -> None:
        self._set_shape(shape)

    def _set_shape(self, shape: object) -> None:
        """What the ``shape`` attribute does when it is set; a method since NumPy 2.5."""
        ids = _in_place(self._ids, shape)
        if _SETS_SHAPE:
            np.ndarray._set_shape(self, ids.shape)  # type: ignore[attr-defined]
        else:
            np.ndarray.shape.__set__(self, ids.shape)  # type: ignore[attr-defined]
        self._ids = ids
        if self._values is not None:
            self._values = _in_place(self._values, ids.shape)

    def _set_dtype(self, value: object) -> NoReturn:
        self._reinterpreted("x.dtype =")

    def _moved(self, move: Callable[[NDArray[Any]], NDArray[Any]]) -> Self:
        """The array with its elements moved; a view where the move makes one."""
        values = None if self._values is None else move(self._values)
        result = self._over(self._trace, move(self._ids), self._dtype, values)
        if self._trace.bounds is not None:
            self._trace.bounds.moved(self, result, move)
        return result

    @property
    def T(self) -> Self:
        return self._moved(lambda a: a.T)

    @property
    def mT(self) -> Self:
        return self._moved(lambda a: a.mT)

    @property
    def base(self) -> Any:
        """The array that it is a view of, or one like it, where nothing holds that any more."""
        return None if self._ids.base is None else self._array_shown()

    def _array_shown(self) -> Any:
        """The array that it is a view of; None for a result, which a rule has only reshaped."""
        memory: Any = self._ids.base
        while not isinstance(memory, np.ndarray):  # what `as_strided` makes in between
            memory = memory.base
        for holder in gc.get_referrers(memory):
            if issubclass(type(holder), Layout) and holder._ids is memory:
                return holder
        if memory.size == self._ids.size and self._ids.flags.c_contiguous:
            return None
        return self._moved(lambda a: a.base if a.base is not None else a)

    @property
    def real(self) -> Any:
        return np.real(self) if self._dtype.kind == "c" else self

    @real.setter
    def real(self, value: object) -> None:
        np.real(self)[...] = value

    def _written(self) -> None:
        """Heed that its elements are about to change."""
        names = self._trace.names
        if names is not None:
            if self._trace.rows:  # views of chosen elements, which have memory of their own
                names.forget()
            names.written(self._ids)

    @property
    def imag(self) -> Any:
        return np.imag(self)

    @imag.setter
    def imag(self, value: object) -> None:
        if self._dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        np.imag(self)[...] = value

    # ---------------------------------------------------- methods that move
    def reshape(self, *shape: Any, order: Any = "C", copy: Any = None) -> Any:
        """As ndarray.reshape."""
        options = {"order": order} if copy is None else {"order": order, "copy": copy}
        return self._moved(lambda a: a.reshape(*shape, **options))

    def transpose(self, *axes: Any) -> Any:
        """As ndarray.transpose."""
        return self._moved(lambda a: a.transpose(*axes))

    def ravel(self, order: Any = "C") -> Any:
        """As ndarray.ravel."""
        return self._moved(lambda a: a.ravel(order))

    def flatten(self, order: Any = "C") -> Any:
        """As ndarray.flatten."""
        return self._moved(lambda a: a.flatten(order))

    def squeeze(self, axis: Any = None) -> Any:
        """As ndarray.squeeze; the array itself where there is nothing to squeeze."""
        if axis is None and 1 not in self._ids.shape:
            return self
        return self._moved(lambda a: a.squeeze(axis))

    def swapaxes(self, axis1: Any, axis2: Any) -> Any:
        """As ndarray.swapaxes."""
        return self._moved(lambda a: a.swapaxes(axis1, axis2))

    def copy(self, order: Any = "C") -> Any:
        """As ndarray.copy."""
        return self._moved(lambda a: a.copy(order))

    def diagonal(self, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
        """As ndarray.diagonal."""
        return self._moved(lambda a: a.diagonal(offset, axis1, axis2))
