"""A number that is one of several, whose types differ: ``max(v, 1)``.

Contract: it is a float in all that is computed with it.  Which of them it is, and so the type, is
decided by the branches of the plain call where code asks for the type.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.numbers.python_numbers import TracedPythonFloat
from sparsetrace.numbers.scalar import Number, TracedScalar
from sparsetrace.user_code.frames import by_user

__all__ = ["UNDECIDED", "decided", "is_undecided", "undecided"]


def _asks(frame: types.FrameType) -> bool:
    while frame.f_code.co_name == "__instancecheck__" and frame.f_back is not None:
        frame = frame.f_back  # of the stand-in for ``float``, or an abstract class
    return by_user(frame)


def _asking(plain: type[Number]) -> Callable[[Any, str], Any]:
    """How attributes are found: those that tell numbers apart, of the number that it is."""
    find = plain.__getattribute__

    def found(self: Any, name: str) -> Any:
        if name in _OF_ONE and _asks(sys._getframe(1)):
            return getattr(decided(self), name)
        return find(self, name)

    return found


class _OneOfNumPys(TracedScalar):
    """One of NumPy's numbers, or of others."""

    __slots__ = ("_decide",)
    __getattribute__ = _asking(TracedScalar)


class _OneOfPythons(TracedPythonFloat):
    """One of Python's numbers."""

    __slots__ = ("_decide",)
    __getattribute__ = _asking(TracedPythonFloat)


_DIFFER = set(dir(int)) ^ set(dir(np.float64)) | set(dir(float)) ^ set(dir(np.float64))
_OF_ONE = {"__class__"}.union(name for name in _DIFFER if not name.startswith("_"))
"""What tells numbers apart: the type, and what the one has and the other has not."""
UNDECIDED: tuple[type[Number], ...] = (_OneOfNumPys, _OneOfPythons)
_BY_PLAIN = {TracedScalar: _OneOfNumPys, TracedPythonFloat: _OneOfPythons}


def is_undecided(number: object) -> bool:
    """Whether a number says which type it has only when it is asked."""
    return type(number) in UNDECIDED


def decided(number: Any) -> Any:
    """The number that it is; each of them is a path."""
    while is_undecided(number):
        number = number._decide()
    return number


def undecided(number: Any, decide: Callable[[], Any]) -> Any:
    """A float that says which type it has when it is asked.

    Parameters
    ----------
    number : Number
        What is computed with.  One that is no float is given as it is.
    decide : callable
        Returns the number that it is.
    """
    made: Any = type(number) if is_undecided(number) else _BY_PLAIN.get(type(number))
    if made is None:
        return number
    result: Any = made(number._trace, number._id, number._dtype, number._value)
    result._decide = decide
    return result
