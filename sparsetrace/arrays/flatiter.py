"""``x.flat`` of a traced array.

Contract: the elements are read, written and counted in C order, whatever their order in memory.
As NumPy's own it is one iterator, which reads each element when it is asked for, and which any
look at an element by its place takes back to the beginning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.arrays.layout import Layout
from sparsetrace.errors import BY_VALUES, UnsupportedError, ValueDependentError, explain
from sparsetrace.numpy_rules import indexing
from sparsetrace.operands.complex_operands import moved_ids
from sparsetrace.operands.operands import contains_traced, is_traced_array, share_memory, values_of

__all__ = ["Flat"]


def _reader(array: Layout) -> Callable[[int], Any]:
    """Reads an element by its place in C order, at the time of the call."""
    flat = array.reshape(-1)
    if np.may_share_memory(flat._ids, array._ids):
        return flat.__getitem__  # type: ignore[no-any-return]
    shape = array._ids.shape
    return lambda place: array[tuple(map(int, np.unravel_index(place, shape)))]


def _left_at(key: Any, places: Any) -> int:
    """Where NumPy's iterator stands after an assignment: by whole numbers, at the last of them."""
    by_numbers = not isinstance(key, tuple) and np.ndim(key) and np.asarray(key).dtype.kind in "iu"
    return int(np.ravel(places)[-1]) if by_numbers and np.size(places) else 0


class Flat:
    """``x.flat``: reads, writes and iterates in C order."""

    __slots__ = ("_array", "_element", "index")
    __class__ = np.flatiter  # type: ignore[assignment]  # what ``isinstance`` and the user are told

    def __init__(self, array: Layout) -> None:
        self._array = array
        self._element: Callable[[int], Any] | None = None
        self.index = 0

    def __len__(self) -> int:
        return int(self._array._ids.size)

    def __iter__(self) -> Flat:
        return self

    def __next__(self) -> Any:
        if self.index >= self._array._ids.size:
            raise StopIteration
        if self._element is None:
            self._element = _reader(self._array)
        result = self._element(self.index)
        self.index += 1
        return result

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """A view where the elements lie in C order; elsewhere a copy that cannot be written."""
        if self._array._ids.flags.c_contiguous:
            return self._traced_data.__array__(dtype, copy)
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        elements = self.copy()
        elements._ids.flags.writeable = False
        return elements.__array__(dtype, copy)

    @property
    def _traced_data(self) -> Any:
        """What is written where it is assigned: the elements in C order."""
        return self._array.reshape(-1)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        arrays = [x._traced_data if isinstance(x, Flat) else x for x in inputs]
        return getattr(ufunc, method)(*arrays, **kwargs)

    @property
    def base(self) -> Layout:
        return self._array

    @property
    def coords(self) -> tuple[int, ...]:
        return tuple(int(i) for i in np.unravel_index(self.index, self._array._ids.shape))

    def __getitem__(self, key: Any) -> Any:
        self.index = 0
        if type(key) not in (int, slice) and not contains_traced(key):
            # raises NumPy's own error: fewer keys are allowed here
            key = np.arange(len(self)).flat[key]
        result = self._array.reshape(-1)[key]
        return result.copy() if isinstance(result, Layout) else result

    def __setitem__(self, key: Any, value: Any) -> None:
        array = self._array
        key, unsure = indexing.constant_key(array._trace, key)
        if unsure:
            flat = array.reshape(-1)
            if np.may_share_memory(flat._ids, array._ids):
                flat[key] = value
                return
            raise ValueDependentError(
                explain(
                    "x.flat[key] =", "the key depends on the inputs", "Use np.where.", BY_VALUES
                )
            )
        places = np.arange(array._ids.size).flat[key]
        if is_traced_array(value) and share_memory(array, value):
            self._write_one_by_one(value, lambda x, y: x.flat.__setitem__(key, y))
            self.index = _left_at(key, places)
            return
        ids = moved_ids(array._trace, value, array._dtype).reshape(-1)
        ids = np.resize(ids, np.shape(places)) if np.ndim(places) else ids[0]
        self.index = _left_at(key, places)
        array._written()
        if np.ndim(places) and not array.ndim:  # the only element, once for each time it is named
            if not ids.size:
                return
            ids = ids[-1]
        at = np.unravel_index(places, array._ids.shape) if array.ndim else ()
        indexing.put(array._trace, array._ids, at, ids)
        if array._values is not None:
            array._values.flat[key] = values_of(value)

    def assign(self, value: Any) -> None:
        """``x.flat = value``: at times it makes a copy where ``x.flat[:] = value`` makes none."""
        if is_traced_array(value) and share_memory(self._array, value):
            self._write_one_by_one(value, lambda x, y: setattr(x, "flat", y))
        else:
            self[:] = value

    def _write_one_by_one(self, value: Any, write: Callable[[Any, Any], None]) -> None:
        """Write an array that shares memory: NumPy reads each element after those before it."""
        array = self._array
        if "c" in (array._dtype.kind, value._dtype.kind) or not array._ids.flags.writeable:
            raise UnsupportedError(
                explain(
                    "x.flat[...] =",
                    "the value shares memory with x, and NumPy reads elements of it when they "
                    "have been written",
                    "Write a copy: x.flat[...] = value.copy().",
                )
            )
        self.index = 0
        array._written()
        write(array._ids, value._ids)
        indexing.refresh(array._trace, array._ids)
        if array._values is not None:
            write(array._values, values_of(value))

    def copy(self) -> Any:
        return self._array.flatten()
