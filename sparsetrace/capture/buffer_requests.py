"""What compiled code asks of a buffer that it is given: to read it, or to write into it.

Contract: an `Exporter` has the memory of an array, and nothing else that an array has.  Code which
works with it takes the memory by the buffer protocol, and says beforehand whether it may write.
Cython's typed memoryviews do; what they ask for is settled when the code is compiled.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from numpy.typing import NDArray

from sparsetrace.operands.memory import makes_buffers_by

__all__ = ["Exporter"]

_WRITABLE = 0x1
_COLUMN_MAJOR = 0x40
_OF_MEMORYVIEW = 0x11C
"""What `memoryview` asks for, and NumPy by way of it: whoever has one may do anything with it."""


class Exporter:
    """The numbers of an array, for who asks for a buffer.

    Parameters
    ----------
    array : ndarray

    Examples
    --------
    >>> import numpy as np
    >>> exporter = Exporter(np.ones(2))
    >>> float(np.frombuffer(exporter)[1])
    1.0
    >>> exporter.is_read_alone()
    False
    """

    __slots__ = ("_asked", "_by_columns", "_by_rows", "_numbers")

    def __init__(self, array: NDArray[Any]) -> None:
        self._numbers = array
        self._by_rows, self._by_columns = array.copy("C"), array.copy("F")
        self._asked: list[int] = []

    def _given(self, flags: int) -> NDArray[Any]:
        self._asked.append(flags)
        return self._by_columns if flags & _COLUMN_MAJOR else self._by_rows

    def __buffer__(self, flags: int) -> memoryview:
        return self._given(flags).data

    def is_read_alone(self) -> bool:
        """Whether it was asked for, by who does not ask for more than to read it."""
        if not self._asked or _OF_MEMORYVIEW in self._asked:
            return False
        same = self._numbers.tobytes()
        unchanged = self._by_rows.tobytes() == same == self._by_columns.tobytes("C")
        return unchanged and not any(flags & _WRITABLE for flags in self._asked)


if sys.version_info < (3, 12):
    _kind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)
    _get_buffer = _kind(("PyObject_GetBuffer", ctypes.pythonapi))

    def _give(exporter: Exporter, view: int, flags: int) -> int:
        return int(_get_buffer(exporter._given(flags), view, flags))

    _given_in_c = _kind(_give)
    makes_buffers_by(Exporter, _given_in_c)
