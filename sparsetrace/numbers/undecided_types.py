"""A number that is one of several, whose types differ: ``max(v, 1)``.

Contract: it is a float in all that is computed with it.  Which of them it is, and so the type, is
decided by the branches of the plain call where code asks for the type.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

from sparsetrace.numbers.python_numbers import TracedPythonFloat
from sparsetrace.numbers.scalar import Number, TracedScalar
from sparsetrace.user_code.frames import by_user

__all__ = ["UNDECIDED", "undecided"]


def _asks(frame: types.FrameType) -> bool:
    while frame.f_code.co_name == "__instancecheck__" and frame.f_back is not None:
        frame = frame.f_back  # of the stand-in for ``float``, or an abstract class
    return by_user(frame)


class _OneOfNumPys(TracedScalar):
    """One of NumPy's numbers, or of others."""

    __slots__ = ("_decide",)
    _decide: Callable[[], Any]

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self._decide().__class__ if _asks(sys._getframe(1)) else self._dtype.type


class _OneOfPythons(TracedPythonFloat):
    """One of Python's numbers."""

    __slots__ = ("_decide",)
    _decide: Callable[[], Any]

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # type: ignore[override]
        return self._decide().__class__ if _asks(sys._getframe(1)) else float


UNDECIDED: tuple[type[Number], ...] = (_OneOfNumPys, _OneOfPythons)
_BY_PLAIN = {TracedScalar: _OneOfNumPys, TracedPythonFloat: _OneOfPythons}


def undecided(number: Any, decide: Callable[[], Any]) -> Any:
    """A float that says which type it has when it is asked.

    Parameters
    ----------
    number : Number
        What is computed with.  One that is no float is given as it is.
    decide : callable
        Returns the number that it is.
    """
    made = _BY_PLAIN.get(type(number))
    if made is None:
        return number
    result: Any = made(number._trace, number._id, number._dtype, number._value)
    result._decide = decide
    return result
