"""Functions of shared libraries that ctypes calls: ``library.kernel(a, n)``.

Contract: such a function takes the address of an array, by a type that its ``argtypes`` name, and
checks nothing.
"""

from __future__ import annotations

import ctypes
from typing import Any

__all__ = ["gives_address", "is_of_library", "library_of"]

_FUNCTION: Any = ctypes._CFuncPtr  # type: ignore[attr-defined]
_NUMBERS = tuple("bBhHiIlLqQfdg?")
"""The codes of ctypes for numbers."""


def is_of_library(function: object) -> bool:
    """Whether ctypes calls this function.

    Examples
    --------
    >>> is_of_library(len)
    False
    """
    return isinstance(function, _FUNCTION)


def library_of(function: Any) -> ctypes.CDLL | None:
    """The library of such a function, if it is told the types of its arguments.

    What it gives is a number or nothing; or an address, which may stand for nothing as well.
    """
    held = getattr(function, "_objects", None) or {}
    library = next((x for x in held.values() if isinstance(x, ctypes.CDLL)), None)
    if isinstance(library, ctypes.PyDLL) or function.argtypes is None:
        return None
    gives = function.restype
    is_number = gives is None or getattr(gives, "_type_", "") in _NUMBERS
    return library if is_number or gives_address(function) else None


def gives_address(function: Any) -> bool:
    """Whether what it gives is an address: ``c_void_p``, which some say of no result at all."""
    return isinstance(function.restype, type) and issubclass(function.restype, ctypes.c_void_p)
