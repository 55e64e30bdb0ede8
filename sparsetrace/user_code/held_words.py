"""References that CPython keeps in the memory of an object, and nothing in Python can assign.

Contract: a word is written only where the very object is found that is said to be there.
"""

from __future__ import annotations

import ctypes
import sys

__all__ = ["WORD", "assign_word", "word_of"]

WORD = ctypes.sizeof(ctypes.c_void_p)
_keep = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_IncRef", ctypes.pythonapi))
_release = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_DecRef", ctypes.pythonapi))


def word_of(owner: object, held: object) -> int | None:
    """Where in the fixed part of an object the first reference to another one is."""
    if sys.implementation.name == "cpython":
        for at in range(2 * WORD, type(owner).__basicsize__, WORD):
            if ctypes.c_void_p.from_address(id(owner) + at).value == id(held):
                return id(owner) + at
    return None


def assign_word(address: int, before: object, value: object) -> None:
    """Put another object there.

    Raises
    ------
    TypeError
        If something else is there.
    """
    word = ctypes.c_void_p.from_address(address)
    if sys.implementation.name != "cpython" or word.value != id(before):
        raise TypeError("the object is laid out in another way than CPython's")
    _keep(value)
    word.value = id(value)
    _release(before)
