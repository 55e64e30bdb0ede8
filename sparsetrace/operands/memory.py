"""What foreign code gets of a traced array's memory: an error, and no address.

Contract: the buffer protocol (``memoryview``, ``bytes``, ``hashlib``, ``ctypes``, Cython's typed
memoryviews) finds no memory to read or write.  Code that takes the address from NumPy's C
structure asks nobody: `sparsetrace.operands.poison` tells afterwards whether it wrote there.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

__all__ = ["COMPILERS", "without_buffer"]

COMPILERS = frozenset(("numba", "numba_cuda"))
"""Packages whose machine code takes arrays by their address, without the buffer protocol."""

_WORD = ctypes.sizeof(ctypes.c_void_p)
_AS_BUFFER = 20
"""The place of ``tp_as_buffer`` in CPython's type objects, in words."""


def without_buffer(cls: type[np.ndarray[Any, Any]]) -> None:
    """Take the buffer protocol from a subclass of ``ndarray``, where its ``__buffer__`` does not.

    Python calls a method ``__buffer__`` since version 3.12.  Before that a class has the
    buffers of its base, unless the function that makes them is taken out of the type object
    itself: then it is as a class that never had any.
    """
    if sys.version_info >= (3, 12) or sys.implementation.name != "cpython":
        return
    if hasattr(sys, "getobjects"):  # a build for debugging, whose objects begin otherwise
        return
    makers = [_maker(cls), _maker(np.ndarray)]
    if makers[0].value and makers[0].value == makers[1].value:
        makers[0].value = None


def _maker(cls: type) -> ctypes.c_void_p:
    """The place where a type object holds the function that makes its buffers."""
    table = ctypes.c_void_p.from_address(id(cls) + _AS_BUFFER * _WORD).value
    assert table is not None
    return ctypes.c_void_p.from_address(table)
