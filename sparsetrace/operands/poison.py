"""What a traced array's memory holds: one object, the poison, that raises at every use.

Contract: whatever reads a traced array's memory as Python objects gets the poison
and raises `EscapeError` at the first operation on it.  The poison has no
``__getitem__``, ``__len__`` or ``__iter__``: NumPy probes for those and would mask
the error with one of its own.
"""

from __future__ import annotations

import ctypes
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sparsetrace.errors import FAILURES, EscapeError, explain

__all__ = ["A_ROUTINE", "POISON", "frame", "overwritten", "repaired"]

A_ROUTINE = "a compiled or object-array routine"
"""What is refused where elements are read by what has no name."""
_MESSAGE = "it read the elements of a traced array, which is outside of what the trace can follow"
_REMEDY = (
    "Use NumPy functions on the array itself (M @ x for a method M.dot that is kept), or keep "
    "np.asarray, buffers made by np.zeros and C or SciPy routines out of the traced function "
    "(np.zeros_like(x) makes a traceable buffer)."
)


def _escape(call: str) -> NoReturn:
    raise EscapeError(explain(call, _MESSAGE, _REMEDY))


class _Poison:
    """Raises `EscapeError` at every operator and conversion."""

    __slots__ = ()

    def __repr__(self) -> str:
        if FAILURES.get() is not None:  # its text would be the same for every value
            _escape("repr() or str() of an object array")
        return "<element of a traced array>"


def _raising(name: str) -> Any:
    def method(self: object, *args: object) -> NoReturn:
        _escape(A_ROUTINE)

    method.__name__ = name
    return method


for _name in (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod divmod rdivmod pow "
    "rpow matmul rmatmul and rand or ror xor rxor lshift rlshift rshift rrshift neg pos abs "
    "invert lt le eq ne gt ge bool int float complex index hash round trunc floor ceil reduce_ex"
).split():
    setattr(_Poison, f"__{_name}__", _raising(_name))

POISON = _Poison()

# as_strided steps over the element's ends with the strides of a real array: as far as
# these guards go it meets poison, beyond them the memory of something else
_GUARDS = 2**16
_buffer = np.empty(2 * _GUARDS + 1, dtype=object)
_buffer.fill(POISON)
_element = _buffer[_GUARDS : _GUARDS + 1].reshape(())
_element.flags.writeable = False

# its words as foreign code would overwrite them that takes the address and asks nobody
_words = np.frombuffer(
    memoryview((ctypes.c_char * _buffer.nbytes).from_address(_buffer.ctypes.data)), dtype=np.intp
)
_NEAR = slice(_GUARDS - 8, _GUARDS + 56)
_UNHARMED = _words[_NEAR].tobytes()


def repaired() -> bool:
    """Whether foreign code wrote over the poison since the last time; it is whole again.

    Examples
    --------
    >>> repaired()
    False
    """
    if _words[_NEAR].tobytes() == _UNHARMED:
        return False
    _words[:] = id(POISON)
    return True


def overwritten() -> EscapeError:
    """The error for foreign code that wrote over the poison."""
    return EscapeError(
        "compiled code that the function called wrote into the memory of a traced array, whose "
        "address it took without a look at its type, and what it computed is lost. Replace that "
        "call by NumPy code, or give the compiled function a rule with sparsetrace.opaque."
    )


_FRAMES: dict[tuple[int, ...], NDArray[Any]] = {}
_MOST_FRAMES = 4096


def frame(shape: tuple[int, ...]) -> NDArray[Any]:
    """A read-only array of that shape whose every element is the poison object."""
    result = _FRAMES.get(shape)
    if result is None:
        if len(_FRAMES) >= _MOST_FRAMES:
            _FRAMES.clear()
        result = _FRAMES[shape] = np.broadcast_to(_element, shape)
    return result
