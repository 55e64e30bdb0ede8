"""Traced numbers of Python's own: ``float`` arguments, ``x.tolist()``, ``math.sin(v)``.

Contract: such a number has the type, the attributes and the operators of the plain one
(``v.shape`` is an AttributeError, ``v / 0`` a ZeroDivisionError), beside one of NumPy's
the result is one of NumPy's, and NumPy's own code finds what it has on `TracedScalar`.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn, cast

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.dispatch.calls import ufunc_call
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.numbers.hidden_names import Hidden, match
from sparsetrace.numbers.local_numbers import at_a_point
from sparsetrace.numbers.scalar import (
    NUMBERS,
    PYTHON_KINDS,
    Number,
    TracedComplex,
    TracedInteger,
    TracedScalar,
    as_python,
    is_open,
    mixed,
    name_comparison,
    noted_comparison,
    number,
    unites,
)
from sparsetrace.numbers.unbounded import number_of
from sparsetrace.operands import unions
from sparsetrace.operands.complex_operands import moved_ids
from sparsetrace.operands.floating import without_state
from sparsetrace.operands.nonlinear import second_order_beside, second_order_scalar
from sparsetrace.operands.operands import FLOAT, values_of
from sparsetrace.operands.python_operators import BINARY, COMPARISONS, define
from sparsetrace.operands.raising import may_raise
from sparsetrace.user_code.frames import by_user

__all__ = ["PythonNumber", "TracedPythonFloat", "seeded_number", "stands_for_python"]

COMPLEX = np.dtype(complex)
WHOLE = np.dtype(np.int64)
TRUTH = np.dtype(bool)


class PythonNumber(Number):
    """What the traced numbers of Python's own have in common."""

    __slots__ = ()

    @property
    def _values(self) -> Any:
        """The value at the point of a local trace, which in promotion gives way as Python's do."""
        return None if self._value is None else self._plain(self._value)

    def __neg__(self) -> Any:
        return _by_rule(np.negative, operator.neg, _counted(self))

    def __pos__(self) -> Any:
        return _counted(self)

    def __abs__(self) -> Any:
        return _by_rule(np.absolute, operator.abs, _counted(self))

    def __round__(self, ndigits: int | None = None) -> Any:
        return as_python(Number.__round__(self, ndigits))

    def __pow__(self, other: object, modulo: object = None) -> Any:
        return NotImplemented if modulo is not None else _power(self, other)

    def __rpow__(self, other: object, modulo: object = None) -> Any:
        return NotImplemented if modulo is not None else _power(other, self)

    @property
    def real(self) -> Any:
        return as_python(np.real(_numpys(self)))

    @property
    def imag(self) -> Any:
        return as_python(np.imag(_numpys(self)))

    def conjugate(self) -> Any:
        """As of the plain number."""
        return as_python(np.conjugate(_numpys(self)))


class TracedPythonFloat(PythonNumber):
    """A ``float``."""

    __slots__ = ()
    __class__ = float  # type: ignore[assignment]  # what ``isinstance`` and the user are told
    _plain: type = float
    fromhex = float.fromhex
    __getformat__ = float.__getformat__  # type: ignore[attr-defined]

    def is_integer(self) -> Any:
        """As of the plain number; whole numbers are no wider set of inputs than others."""
        return as_python(_numpys(self).is_integer())


class TracedPythonComplex(PythonNumber):
    """A ``complex``."""

    __slots__ = ()
    __class__ = complex  # type: ignore[assignment]
    _plain: type = complex

    def __complex__(self) -> complex:
        return complex(_numpys(self))


class TracedPythonInt(PythonNumber):
    """An ``int`` that depends on the inputs."""

    __slots__ = ()
    __class__ = int  # type: ignore[assignment]
    _plain: type = int

    def _decided(self) -> int | None:
        decided: int | None = _numpys(self)._decided()
        return decided

    def __index__(self) -> int:
        return operator.index(_numpys(self))

    def __invert__(self) -> Any:
        return _by_rule(np.invert, operator.invert, _counted(self))

    @property
    def numerator(self) -> Any:
        return _counted(self)

    denominator = 1

    def _refused(self, *args: Any) -> NoReturn:
        self.__index__()
        raise AssertionError

    bit_count = bit_length = to_bytes = _refused

    def is_integer(self) -> bool:
        """As of the plain number."""
        return True


class TracedPythonBool(TracedPythonInt):
    """A ``bool`` that depends on the inputs."""

    __slots__ = ()
    __class__ = bool  # type: ignore[assignment]
    _plain: type = bool


_OF_PYTHON = (TracedPythonFloat, TracedPythonComplex, TracedPythonInt, TracedPythonBool)
NUMBERS += _OF_PYTHON


def _maker(cls: type[PythonNumber], dtype: np.dtype[Any]) -> Callable[..., Any]:
    def make(trace: Trace, node: int, value: object = None) -> Any:
        return cls(trace, node, dtype, value)

    return make


def _truth(trace: Trace, node: int, value: object = None) -> Any:
    made = TracedPythonBool(trace, node, TRUTH, value)
    return bool(made) if trace.truths_at_once else made


PYTHON_KINDS.update(
    f=_maker(TracedPythonFloat, FLOAT),
    c=_maker(TracedPythonComplex, COMPLEX),
    b=_truth,
    **dict.fromkeys("iu", _maker(TracedPythonInt, WHOLE)),
)


def seeded_number(
    trace: Trace, node: int, like: object, dtype: np.dtype[Any], value: object = None
) -> Number:
    """A traced number in place of one that the function is given, of Python's kind or NumPy's."""
    if type(like) in _PLAIN:
        return cast(Number, PYTHON_KINDS[dtype.kind](trace, node, value))
    return number(trace, node, dtype, value)


def stands_for_python(obj: object) -> bool:
    """Whether `obj` is a number of Python's own, traced or not."""
    return type(obj) in _PLAIN or isinstance(obj, PythonNumber)


# ---------------------------------------------------------------------------- operators
_PLAIN = frozenset((bool, int, float, complex))
_COUNTED = frozenset((np.bitwise_and, np.bitwise_or, np.bitwise_xor))
"""Operators of two truth values that give a truth value."""
_ORDERED = frozenset(
    (np.less, np.less_equal, np.greater, np.greater_equal, np.floor_divide, np.remainder, np.divmod)
)
"""Operators that complex numbers have not."""
_WHOLE_ONLY = frozenset(
    (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift)
)


_FLOATS = frozenset((TracedPythonFloat, float, int))
_KIND_OF: dict[type, str] = {
    TracedPythonFloat: "f",
    TracedPythonComplex: "c",
    TracedPythonInt: "i",
    TracedPythonBool: "b",
    float: "f",
    complex: "c",
    int: "i",
    bool: "b",
}


def _numpys(number: PythonNumber) -> Any:
    """The same number as one of NumPy's."""
    dtype = TracedComplex if number._dtype.kind == "c" else TracedScalar
    dtype = TracedInteger if number._dtype.kind in "bi" else dtype
    made = dtype(number._trace, number._id, number._dtype, number._value)
    if made._trace.bounds is not None:
        made._trace.bounds.converted(number, made)
    return made


def _counted(x: object) -> Any:
    """Truth values as the whole numbers that they are in arithmetic."""
    if type(x) is TracedPythonBool:
        value = None if x._value is None else int(x._value)
        return TracedPythonInt(x._trace, x._id, WHOLE, value)
    return x


def _kind(x: object) -> str:
    """Of what kind a number of Python's own is; empty for anything else."""
    if isinstance(x, PythonNumber):
        return x._dtype.kind
    if isinstance(x, (np.generic, Number)):
        return ""
    for wanted, letter in ((bool, "b"), (int, "i"), (float, "f"), (complex, "c")):
        if isinstance(x, wanted):
            return letter
    return ""


def _value(x: object) -> Any:
    return values_of(x) if isinstance(x, PythonNumber) else x


def _binary(operate: Callable[..., Any], ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """``operate(a, b)``, one of them a traced number of Python's own."""
    kind_a, kind_b = type(a), type(b)
    if kind_a is TracedPythonFloat:
        trace = a._trace
        if kind_b is TracedPythonFloat:
            if (
                a._id > OPAQUE
                and b._id > OPAQUE
                and b._trace is trace
                and trace.is_quick
                and unites(ufunc)
            ):
                if trace.second_order:
                    node = second_order_scalar(trace, ufunc, a._id, b._id)
                    return TracedPythonFloat(trace, node, FLOAT)
                return TracedPythonFloat(trace, trace.graph.union_scalar(a._id, b._id), FLOAT)
        elif kind_b is TracedScalar:
            return mixed(ufunc, a, b)
        elif (
            (kind_b is float or kind_b is int)
            and a._id > OPAQUE
            and trace.values
            and trace.is_quick
            and unions.keeps(ufunc, 0, b)
        ):
            if trace.second_order:
                node = second_order_beside(trace, ufunc, a._id, 0, b)
                return TracedPythonFloat(trace, node, FLOAT)
            return TracedPythonFloat(trace, a._id, FLOAT)
    elif (
        (kind_a is float or kind_a is int)
        and kind_b is TracedPythonFloat
        and b._id > OPAQUE
        and b._trace.values
        and b._trace.is_quick
        and unions.keeps(ufunc, 1, a)
    ):
        if b._trace.second_order:
            return TracedPythonFloat(
                b._trace, second_order_beside(b._trace, ufunc, b._id, 1, a), FLOAT
            )
        return TracedPythonFloat(b._trace, b._id, FLOAT)
    if type(a) in _FLOATS and type(b) in _FLOATS:
        trace = b._trace if kind_a is float or kind_a is int else a._trace
        made = None
        if trace.local:
            made = at_a_point(TracedPythonFloat, trace, ufunc, a, b)
        elif trace.names is not None:
            made = number_of(TracedPythonFloat, trace, ufunc, a, b)
        if made is not None:
            return made
    return _by_rule(ufunc, operate, a, b)


def _by_rule(ufunc: np.ufunc, operate: Callable[..., Any], *operands: Any) -> Any:
    letters = "".join([_KIND_OF.get(type(x)) or _kind(x) for x in operands])
    trace = next(x._trace for x in operands if isinstance(x, PythonNumber))
    if len(letters) < len(operands):
        if not all(isinstance(x, (Number, np.generic)) or _kind(x) for x in operands):
            return NotImplemented  # arrays know how to go on, lists and texts do not
        return ufunc_call(trace, ufunc, "__call__", operands, {})
    if "c" in letters and ufunc in _ORDERED:
        return NotImplemented
    if ufunc in _WHOLE_ONLY and not set(letters) <= set("bi"):
        return NotImplemented
    if "b" in letters and not (letters == "bb" and ufunc in _COUNTED):
        operands = tuple(int(x) if type(x) is bool else _counted(x) for x in operands)
    if not trace.local:
        if trace.calm:
            return as_python(ufunc_call(trace, ufunc, "__call__", operands, {}))
        result = without_state(trace, ufunc_call, trace, ufunc, "__call__", operands, {})
        return as_python(result)
    value = operate(*map(_value, operands))  # raises what it raises
    if isinstance(value, complex) and "c" not in letters:
        operands = tuple(map(_as_complex, operands))
    result = without_state(trace, ufunc_call, trace, ufunc, "__call__", operands, {})
    return _with_value(as_python(result), value)


def _as_complex(x: Any) -> Any:
    if isinstance(x, PythonNumber):
        node = int(moved_ids(x._trace, x, COMPLEX))
        return TracedPythonComplex(x._trace, node, COMPLEX, complex(_value(x)))
    return complex(x)


def _with_value(result: Any, value: Any) -> Any:
    """A number with the value that Python's own operator gave."""
    if type(result) is tuple:
        return tuple(map(_with_value, result, value))
    if not isinstance(result, PythonNumber):
        return value
    return PYTHON_KINDS[np.asarray(value).dtype.kind](result._trace, result._id, value)


# -------------------------------------------------------------------- what may be raised
_DIVISIONS = {
    (np.true_divide, "f"): "float division by zero",
    (np.true_divide, "c"): "complex division by zero",
    (np.floor_divide, "f"): "float floor division by zero",
    (np.remainder, "f"): "float modulo",
    (np.divmod, "f"): "float divmod()",
}


def _division(operate: Callable[..., Any], ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """A quotient or remainder, whose divisor may be zero."""
    if not isinstance(b, PythonNumber):
        if _kind(b) and b == 0 and _kind(a):
            operate(1.0 if a._dtype.kind == "f" else 1, b)  # raises
    elif b._trace.local and b._trace.moving is not None and b._value == 0:
        b._trace.moving.has_raised(operate, (b,))
    elif sys._getframe(2) is not b._trace.unwatched and _kind(a):
        text = _DIVISIONS.get((ufunc, b._dtype.kind), "division by zero")
        may_raise(b._trace, partial(ZeroDivisionError, text), (b,))
    return _binary(operate, ufunc, a, b)


def _power(a: Any, b: Any) -> Any:
    """A power: of zero with a negative exponent, or too large."""
    trace = (a if isinstance(a, PythonNumber) else b)._trace
    if sys._getframe(2) is not trace.unwatched and _kind(a) and _kind(b):
        negative = isinstance(b, PythonNumber) or (not isinstance(b, complex) and b < 0)
        if negative and (isinstance(a, PythonNumber) or a == 0):
            text = "0.0 cannot be raised to a negative power"
            may_raise(trace, partial(ZeroDivisionError, text), (a, b))
        if isinstance(b, (PythonNumber, complex)) or abs(b) > 1:
            text = "Numerical result out of range"
            may_raise(trace, partial(OverflowError, 34, text), (a, b))
    return _binary(operator.pow, np.power, a, b)


def _comparison(operate: Callable[..., Any], ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """A truth; where it is to be one at once, it is asked for as what has been compared."""
    trace = (a if isinstance(a, PythonNumber) else b)._trace
    if not trace.truths_at_once:
        return _compared(operate, ufunc, a, b)
    trace.truths_at_once = False
    try:
        result = _compared(operate, ufunc, a, b)
    finally:
        trace.truths_at_once = True
    return bool(result) if type(result) is TracedPythonBool else result


def _compared(operate: Callable[..., Any], ufunc: np.ufunc, a: Any, b: Any) -> Any:
    if (
        type(a) is TracedPythonFloat
        and not a._trace.local
        and is_open(ufunc, a, b, TracedPythonFloat)
    ):
        result: Any = _truth(a._trace, a._trace.graph.opaque)
        name_comparison(result, ufunc, a, b)
    else:
        result = _binary(operate, ufunc, a, b)
    return noted_comparison(result, ufunc, a, b)


def _answer(name: str) -> Callable[[np.ufunc, Any, Any], Any]:
    operate = divmod if name == "divmod" else getattr(operator, f"__{name}__")
    return partial(
        _division if name in ("truediv", "floordiv", "mod", "divmod") else _binary, operate
    )


for _name in "add sub mul truediv floordiv mod divmod and or xor lshift rshift".split():
    _owner = TracedPythonInt if BINARY[_name] in _WHOLE_ONLY else PythonNumber
    define(_owner, _name, _answer(_name))
for _name in COMPARISONS:
    define(PythonNumber, _name, partial(_comparison, getattr(operator, f"__{_name}__")))
# a class that defines __eq__ alone has no hash
PythonNumber.__hash__ = Number.__hash__  # type: ignore[method-assign]


# ---------------------------------------------------------- what NumPy's own code asks for
class _ForLibraries(Hidden):
    """An attribute of `TracedScalar` that the plain number has not."""

    _from = staticmethod(by_user)


for _name, _found in list(vars(TracedScalar).items()):
    if not _name.startswith("_") and not hasattr(PythonNumber, _name):
        setattr(PythonNumber, _name, _ForLibraries(_name, _found))
for _python in _OF_PYTHON:
    match(_python, _python._plain)
