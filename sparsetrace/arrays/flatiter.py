"""``x.flat`` of a traced array.

Contract: the elements are read, written and counted in C order, whatever their order in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sparsetrace.arrays.layout import Layout
from sparsetrace.errors import BY_VALUES, ValueDependentError, explain
from sparsetrace.numpy_rules import indexing
from sparsetrace.operands.complex_operands import moved_ids
from sparsetrace.operands.operands import contains_traced, values_of

__all__ = ["Flat"]


class Flat:
    """``x.flat``: reads, writes and iterates in C order."""

    __slots__ = ("_array", "_iterator", "index")
    __class__ = np.flatiter  # type: ignore[assignment]  # what ``isinstance`` and the user are told

    def __init__(self, array: Layout) -> None:
        self._array = array
        self._iterator: Iterator[Any] | None = None
        self.index = 0

    def __len__(self) -> int:
        return int(self._array._ids.size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._array.reshape(-1))

    def __next__(self) -> Any:
        if self._iterator is None:
            self._iterator = iter(self)
        result = next(self._iterator)
        self.index += 1
        return result

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
        ids = moved_ids(array._trace, value, array._dtype).reshape(-1)
        ids = np.resize(ids, np.shape(places)) if np.ndim(places) else ids[0]
        array._written()
        if np.ndim(places) and not array.ndim:  # the only element, once for each time it is named
            if not ids.size:
                return
            ids = ids[-1]
        at = np.unravel_index(places, array._ids.shape) if array.ndim else ()
        indexing.put(array._trace, array._ids, at, ids)
        if array._values is not None:
            array._values.flat[key] = values_of(value)

    def copy(self) -> Any:
        return self._array.flatten()
