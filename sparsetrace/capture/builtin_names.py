"""Stand-ins for ``float``, ``int`` and ``complex`` in traced modules.

Contract: each does exactly what the type does, except that it converts traced numbers as
``astype`` does.  NumPy's types of numbers have such stand-ins too.
"""

from __future__ import annotations

import operator
import types
from typing import Any

import numpy as np

from sparsetrace.context import CURRENT
from sparsetrace.numbers.derived_floats import as_float
from sparsetrace.numbers.python_numbers import PythonNumber
from sparsetrace.numbers.refused_values import refuse_digits
from sparsetrace.numbers.scalar import as_python
from sparsetrace.operands.complex_operands import elements_of
from sparsetrace.operands.operands import contains_traced, is_traced
from sparsetrace.operands.raising import by_numpy

__all__ = ["CONVERSIONS", "NUMPY_CONVERSIONS", "Like", "converted_to_float"]


class Like(type):
    """``isinstance(x, float)`` and ``float == float`` stay true through the stand-in."""

    _plain: type

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls._plain)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls._plain)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls._plain

    def __hash__(cls) -> int:
        return hash(cls._plain)


def _single(value: object) -> Any:
    """The number that a traced number is, or an array of one element holds."""
    if isinstance(value, PythonNumber):
        return value
    if not isinstance(value, np.ndarray):
        return value
    try:
        float(np.zeros(value.shape))  # raises what this release of NumPy raises for arrays
    except TypeError as error:
        raise by_numpy(error) from None
    return value.reshape(())[()]


def _by_method(value: Any, plain: type, *names: str) -> Any:
    """The number that an object's own method in Python converts it to.

    The object as it is if it has none; then, and where the result is no number of that type, the
    type itself says what comes of it.
    """
    if is_traced(value):
        return value
    for name in names:
        method = getattr(type(value), name, None)
        if method is not None:
            if type(method) is not types.FunctionType:
                return value
            result = getattr(value, name)()
            return result if is_traced(result) or type(result) is plain else value
    return value


def converted_to_float(value: object) -> Any:
    """``float(value)`` of a traced number, or of an array of one element."""
    number = _single(value)
    if isinstance(number, PythonNumber):
        _refuse_complex(number, "float")
        return as_float(number) if isinstance(number, float) else operator.add(number, 0.0)
    return as_python((np.real(number) if number.dtype.kind == "c" else number).astype(float))


def _as_int(value: object) -> Any:
    """``int(value)``: a whole number that is not known, whose derivative is zero."""
    number = _single(value)
    if isinstance(number, PythonNumber):
        _refuse_complex(number, "int")
        if isinstance(number, int):
            return number
        number = np.add(number, 0.0)
    refuse_digits(number)
    return as_python((np.real(number) if number.dtype.kind == "c" else number).astype(int))


def _as_complex(value: object) -> Any:
    number = _single(value)
    if isinstance(number, PythonNumber):
        return number if isinstance(number, complex) else operator.add(number, 0j)
    return as_python(number.astype(complex))


def _refuse_complex(number: object, name: str) -> None:
    if isinstance(number, complex):
        wanted = "a string, a bytes-like object" if name == "int" else "a string"
        raise TypeError(f"{name}() argument must be {wanted} or a real number, not 'complex'")


class TracedFloat(float, metaclass=Like):
    """``float`` for traced code."""

    _stands_in = True
    _plain = float
    dtype = np.dtype(float)
    """Read by NumPy where the name is used as a dtype."""

    def __new__(cls, value: Any = 0.0, /) -> Any:
        if cls is not TracedFloat:  # a class that code derives from the name
            return float.__new__(cls, value)
        value = _by_method(value, float, "__float__", "__index__")
        return converted_to_float(value) if is_traced(value) else float(value)


class TracedInt(int, metaclass=Like):
    """``int`` for traced code."""

    _stands_in = True
    _plain = int
    dtype = np.dtype(int)

    def __new__(cls, value: Any = 0, /, *args: Any, **options: Any) -> Any:
        if cls is not TracedInt:
            return int.__new__(cls, value, *args, **options)
        if not (args or options):
            value = _by_method(value, int, "__int__", "__index__", "__trunc__")
        return _as_int(value) if is_traced(value) else int(value, *args, **options)


class TracedComplex(complex, metaclass=Like):
    """``complex`` for traced code."""

    _stands_in = True
    _plain = complex
    dtype = np.dtype(complex)

    def __new__(cls, real: Any = 0, imag: Any = 0, /, **options: Any) -> Any:
        real, imag = options.get("real", real), options.get("imag", imag)
        if cls is not TracedComplex:
            return complex.__new__(cls, real, imag)
        names = "__complex__", "__float__", "__index__"
        real, imag = (_by_method(part, complex, *names) for part in (real, imag))
        if is_traced(real) or is_traced(imag):
            return _as_complex(real + 1j * imag)
        return complex(real) if isinstance(real, str) else complex(real, imag)


CONVERSIONS: dict[type, type] = {float: TracedFloat, int: TracedInt, complex: TracedComplex}
"""What stands for the types of Python's numbers where code converts to them."""
for _plain, _stand_in in CONVERSIONS.items():
    _stand_in.__name__ = _stand_in.__qualname__ = _plain.__name__
    _stand_in.__module__ = "builtins"


def _of_numpy(plain: type) -> type:
    """What stands for a type of NumPy's numbers where code converts to it: ``dtype(v)``."""

    def make(cls: type, value: Any = 0, /) -> Any:
        if cls is not stand_in:  # a class that code derives from the name
            return plain.__new__(cls, value)
        trace = CURRENT.get()
        if trace is None or not contains_traced(value):
            return plain(value)
        array = value if isinstance(value, np.ndarray) else trace.wrap(elements_of(trace, value))
        return array.astype(plain)[()]

    scope = {
        "__new__": make,
        "__module__": "numpy",
        "_stands_in": True,
        "_plain": plain,
        "dtype": np.dtype(plain),
    }
    stand_in = Like(plain.__name__, (plain,), scope)
    return stand_in


NUMPY_CONVERSIONS: dict[Any, type] = {
    plain: _of_numpy(plain)
    for plain in (np.float64, np.float32, np.complex128, np.complex64, np.int64, np.int32)
}
"""What stands for NumPy's types where a module has one under a name of its own."""
