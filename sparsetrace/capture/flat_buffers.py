"""``buffer.flat`` of an array that a traced function made.

Contract: for the user it is NumPy's own iterator; what is traced and about to be written through
it, or through the array that it gives, makes the buffer a traced one in the next run.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import array, asarray

from sparsetrace.operands.operands import contains_traced

__all__ = ["FlatBuffer"]


class FlatBuffer:
    """``buffer.flat``, watching what is written."""

    __slots__ = ("_buffer", "_iterator")
    __class__ = np.flatiter  # type: ignore[assignment]  # what ``isinstance`` and the user are told
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, buffer: Any) -> None:
        self._buffer = buffer
        self._iterator = buffer.view(np.ndarray).flat

    def __setitem__(self, key: Any, value: Any) -> None:
        if contains_traced(value) or contains_traced(key):
            self._buffer._promote()
        self._iterator[key] = value

    def __getitem__(self, key: Any) -> Any:
        return self._iterator[key]

    def __iter__(self) -> FlatBuffer:
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    def __len__(self) -> int:
        return len(self._iterator)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """A view where the elements lie in C order; elsewhere a copy that cannot be written."""
        in_order = self._buffer.flags.c_contiguous
        elements = self._buffer.reshape(-1) if in_order else asarray(self._iterator)
        return array(elements, dtype, copy=copy, subok=True)

    @property
    def base(self) -> Any:
        return self._buffer

    @property
    def index(self) -> int:
        return int(self._iterator.index)

    @property
    def coords(self) -> tuple[int, ...]:
        return tuple(self._iterator.coords)

    def copy(self) -> Any:
        return self._iterator.copy()


def _comparison(name: str) -> Callable[..., Any]:
    compare = getattr(operator, name)

    def method(self: FlatBuffer, other: Any) -> Any:
        return compare(self._iterator.copy(), other)

    return method


for _name in "eq ne lt le gt ge".split():
    setattr(FlatBuffer, f"__{_name}__", _comparison(_name))
