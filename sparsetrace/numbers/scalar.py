"""`TracedScalar`: one traced number, as element reads and full reductions give it.

Contract: passes for a number of NumPy's wherever its value is not needed; where it is
(``float``, ``bool``, ``int``, an index, a hash of the value) it raises.  Operators have a
faster way than the rules for arrays, which reads the same records and gives the same result.
`Number` is the base class shared with `sparsetrace.numbers.python_numbers`.
"""

from __future__ import annotations

import sys
from array import array as array_of_numbers
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from types import WrapperDescriptorType
from typing import Any, NoReturn, cast

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import array
from pyroaring import BitMap

from sparsetrace.context import Trace
from sparsetrace.dispatch.calls import function_call, ufunc_call
from sparsetrace.errors import (
    BY_VALUES,
    INDEX,
    ValueDependentError,
    explain,
)
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.numbers.hashes_among_keys import hash_among, new_hash
from sparsetrace.numbers.hidden_names import Hidden, absent, match
from sparsetrace.numbers.local_numbers import at_a_point, one_at_a_point
from sparsetrace.numbers.refused_values import refuse_digits, refuse_truth, refuse_value
from sparsetrace.numbers.text import formatted_text, scalar_text
from sparsetrace.numbers.unbounded import number_of
from sparsetrace.operands import unions
from sparsetrace.operands.complex_operands import moved_ids
from sparsetrace.operands.nonlinear import second_order_beside, second_order_scalar
from sparsetrace.operands.operands import FLOAT, Elements, answers_functions
from sparsetrace.operands.python_operators import COMPARISONS, define, of_single_objects
from sparsetrace.operands.refusals import refuse_no_numbers
from sparsetrace.operands.steps import note_conversion, note_zeros
from sparsetrace.propagation.jacobian import index_sets
from sparsetrace.rules import RECORDS
from sparsetrace.user_code.attribute_access import by_users_name, whether_there
from sparsetrace.user_code.callers import calls_cache, drops_hash, looked_up_in

__all__ = [
    "NUMBERS",
    "Number",
    "TracedComplex",
    "TracedInteger",
    "TracedScalar",
    "as_python",
    "is_open",
    "mixed",
    "name_comparison",
    "noted_comparison",
    "number",
    "unites",
]


@lru_cache(maxsize=1024)
def unites(ufunc: np.ufunc) -> bool:
    """Whether the ufunc has two arguments, and two derivatives that never vanish."""
    return RECORDS[ufunc].first == ("11",)


def _binary(ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """``ufunc(a, b)``, one of them a traced scalar."""
    kind_a, kind_b = type(a), type(b)
    if kind_a is TracedScalar:
        if kind_b is TracedScalar:  # as in `mixed`, whose call would cost a loop a tenth more
            trace = a._trace
            if (
                a._id > OPAQUE
                and b._id > OPAQUE
                and a._dtype is FLOAT
                and b._dtype is FLOAT
                and b._trace is trace
                and trace.is_idle
                and unites(ufunc)
            ):
                if trace.second_order:
                    return TracedScalar(
                        trace, second_order_scalar(trace, ufunc, a._id, b._id), FLOAT
                    )
                return TracedScalar(trace, trace.graph.union_scalar(a._id, b._id), FLOAT)
        elif (
            (kind_b is float or kind_b is int)
            and a._id > OPAQUE
            and a._dtype is FLOAT
            and a._trace.values
            and a._trace.is_idle
            and unions.keeps(ufunc, 0, b)
        ):
            if a._trace.second_order:
                return TracedScalar(
                    a._trace, second_order_beside(a._trace, ufunc, a._id, 0, b), FLOAT
                )
            return TracedScalar(a._trace, a._id, FLOAT)
    elif (
        (kind_a is float or kind_a is int)
        and b._id > OPAQUE
        and b._dtype is FLOAT
        and b._trace.values
        and b._trace.is_idle
        and unions.keeps(ufunc, 1, a)
    ):
        if b._trace.second_order:
            return TracedScalar(b._trace, second_order_beside(b._trace, ufunc, b._id, 1, a), FLOAT)
        return TracedScalar(b._trace, b._id, FLOAT)
    if ufunc is np.multiply and (_is_repeated(a) or _is_repeated(b)):
        return NotImplemented  # Python asks for a count: whole numbers have one, others fail
    return mixed(ufunc, a, b)


def _linear(ufunc: np.ufunc, a: Any) -> Any:
    """``ufunc(a)`` of a traced scalar, whose derivative never vanishes, and the second does."""
    if type(a) is TracedScalar and a._dtype is FLOAT and a._id > OPAQUE and a._trace.is_idle:
        return TracedScalar(a._trace, a._id, FLOAT)
    if type(a) is TracedScalar and a._trace.local and a._trace.moving is None:
        factor = -1.0 if ufunc is np.negative or a._value < 0 else 1.0
        made = at_a_point(TracedScalar, a._trace, np.multiply, a, factor)
        if made is not None:
            return made
    return ufunc(a)  # which comes back to `_ufunc_protocol`


def noted_comparison(result: Any, ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """The result of comparing two numbers, as `Number.__bool__` finds it in the trace.

    Which most often comes next: only the last comparison of all is remembered.
    """
    if not isinstance(result, Number) or result._trace.decide is None or ufunc not in _REFLECTED:
        return result
    if isinstance(a, Number) and isinstance(b, Number):
        if id(a) > id(b):
            ufunc, a, b = _REFLECTED[ufunc], b, a
        a._trace.compared = (result, (a, b), ufunc, 0.0)
        return result
    if isinstance(b, Number):
        ufunc, a, b = _REFLECTED[ufunc], b, a
    if type(b) is np.ndarray and not b.ndim:  # as which NumPy's own numbers compare
        b = b[()]
    masks = a._trace.masks
    if masks is not None and masks.decided and a._dtype.kind in "iu" and type(b) in _EXACT:
        known = masks.known_index(a)
        if known is not None:
            return bool(ufunc(known, b))
    exact = a._dtype is FLOAT or a._dtype.kind in "biu"
    if exact and type(b) in _EXACT and abs(b) <= _LARGEST:
        if a._trace.bounds is not None:
            a = a._trace.bounds.same(a)
            if type(b) is int and a._dtype.kind == "i":
                a, shift = a._trace.bounds.shifted(a)
                b -= shift
        a._trace.compared = (result, a, ufunc, float(b))
    return result


def is_open(ufunc: np.ufunc, a: Any, b: Any, kind: type[Number]) -> bool:
    """Whether two numbers are of one kind, or one is a finite constant, and neither is known.

    Then a comparison of them is known without a rule, which takes ten times as long.
    """
    if type(a) is not kind or a._id <= 0 or a._dtype is not FLOAT:
        return False
    trace, kind_b = a._trace, type(b)
    if kind_b is kind:
        fits = b._id > 0 and b._dtype is FLOAT and b._trace is trace
    elif kind_b is float:
        fits = -np.inf < b < np.inf
    else:
        fits = kind_b is int and -_LARGEST <= b <= _LARGEST
    if not fits or trace.dependency or trace.graph.mixed or not unions.is_piecewise_constant(ufunc):
        return False
    if ufunc in _ORDERINGS:
        trace.compared_numbers(1)
    return True


def name_comparison(result: Any, ufunc: np.ufunc, a: Any, b: Any) -> None:
    """Name the result where values have names."""
    names = a._trace.names
    if names is not None:
        names.name_number(result, (ufunc, names.of(a), names.of(b)))


def _comparison(ufunc: np.ufunc, a: Any, b: Any) -> Any:
    if type(a) is TracedScalar and a._trace.calm and is_open(ufunc, a, b, TracedScalar):
        result: Any = number(a._trace, a._trace.graph.opaque, _TRUTH)
        name_comparison(result, ufunc, a, b)
    else:
        result = _binary(ufunc, a, b)
    return noted_comparison(result, ufunc, a, b)


_TRUTH = np.dtype(bool)
_ORDERINGS = frozenset((np.less, np.less_equal, np.greater, np.greater_equal))


_REFLECTED: dict[np.ufunc, np.ufunc] = {
    np.less: np.greater,
    np.less_equal: np.greater_equal,
    np.greater: np.less,
    np.greater_equal: np.less_equal,
    np.equal: np.equal,
    np.not_equal: np.not_equal,
}
"""The same comparison with its operands exchanged."""
_EXACT = frozenset((int, bool, float, np.float64, np.bool_))
_LARGEST = 2**53
"""Whole numbers beyond are not all numbers of the dtype."""
_REPEATED = (list, tuple, str, bytes, bytearray, array_of_numbers, deque)


def _is_repeated(x: Any) -> bool:
    """Whether a product with a number repeats this, as NumPy's numbers leave it to Python.

    A class that says itself what a product is hands NumPy an array of its items.
    """
    cls = type(x)
    return isinstance(x, _REPEATED) and all(
        type(getattr(cls, name, None)) is WrapperDescriptorType for name in ("__mul__", "__rmul__")
    )


def _is_view(x: Any) -> bool:
    """Whether an operand is an array of a user's class, or a matrix: it decides on the result's."""
    return _decides(type(x))


def _decides(cls: type) -> bool:
    return getattr(cls, "_is_view", False) is True or getattr(cls, "_is_matrix", False) is True


def mixed(ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """``ufunc(a, b)`` of numbers of NumPy's and of Python's, one of them traced."""
    if isinstance(a, Number):
        trace = a._trace
        if (
            isinstance(b, Number)
            and a._id > OPAQUE
            and b._id > OPAQUE
            and a._dtype is FLOAT
            and b._dtype is FLOAT
            and b._trace is trace
            and trace.is_idle
            and unites(ufunc)
        ):
            if trace.second_order:
                return TracedScalar(trace, second_order_scalar(trace, ufunc, a._id, b._id), FLOAT)
            return TracedScalar(trace, trace.graph.union_scalar(a._id, b._id), FLOAT)
    else:
        trace = b._trace
    if trace.local:
        made = at_a_point(TracedScalar, trace, ufunc, a, b)
        if made is not None:
            return made
    elif trace.names is not None and trace.calm:
        made = number_of(TracedScalar, trace, ufunc, a, b)
        if made is not None:
            return made
    if _is_view(a) or _is_view(b):
        return ufunc(a, b)
    result = ufunc_call(trace, ufunc, "__call__", (a, b), {})
    if result is NotImplemented and any(isinstance(x, np.ma.MaskedArray) for x in (a, b)):
        return getattr(np.ma, ufunc.__name__)(a, b)  # which asks its operands for no protocol
    return result


def _ufunc_protocol(self: Number, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    trace = self._trace
    if method != "__call__" or kwargs:
        pass
    elif trace.local:
        by_values = at_a_point if len(inputs) == 2 else one_at_a_point
        made = by_values(TracedScalar, trace, ufunc, *inputs) if len(inputs) < 3 else None
        if made is not None:
            return made
    elif trace.calm and (len(inputs) == 2 or (len(inputs) == 1 and trace.names is not None)):
        made = number_of(TracedScalar, trace, ufunc, *inputs)
        if made is not None:
            return made
    elif (
        len(inputs) == 1
        and trace.is_idle
        and self._id > OPAQUE
        and self._dtype is FLOAT
        and unions.unites(ufunc)
    ):
        # as by the rule, which takes five times as long
        node = self._id
        if trace.second_order:
            node = second_order_scalar(trace, ufunc, node, node)
        return TracedScalar(trace, node, FLOAT)
    if any(map(_is_view, inputs)):
        return NotImplemented
    result = ufunc_call(trace, ufunc, method, inputs, kwargs)
    if result is NotImplemented and method == "__call__" and len(inputs) == 2 and not kwargs:
        return of_single_objects(ufunc, *inputs)
    if ufunc in _REFLECTED and len(inputs) == 2 and not kwargs:
        return noted_comparison(result, ufunc, *inputs)
    return result


def _is_decided_by(cls: type) -> bool:
    return getattr(cls, "_is_picked", False) is True or _decides(cls) or answers_functions(cls)


def _function_protocol(self: Number, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    if isinstance(self, type):  # that of a number, given as a dtype: np.result_type(type(v))
        plain = (x._plain if isinstance(x, _Kind) else x for x in args)
        return function(*plain, **kwargs)
    if any(_is_decided_by(cls) for cls in types):
        return NotImplemented  # the array of picked elements, or of a user's class, answers
    return function_call(self._trace, function, args, kwargs)


def _itself(number: Any) -> Any:
    return number


class _Kind(type):
    """The class of the classes of numbers.

    NumPy looks its protocols up on the class alone, as `copy` does, and not all plain
    numbers have them.
    """

    __array_ufunc__ = staticmethod(_ufunc_protocol)
    __array_function__ = staticmethod(_function_protocol)
    __copy__ = staticmethod(_itself)
    _plain: type

    @property
    def __mro__(cls) -> Any:
        return cls._plain.__mro__


class Number(metaclass=_Kind):
    """One number of a trace, of NumPy's kind or of Python's."""

    __slots__ = ("_dtype", "_id", "_trace", "_value")
    _is_traced = True
    _is_number = True
    _is_bare = True
    """Whether it has no attributes that a user's code gives it, and no methods."""
    _plain: type = object
    """The type of the plain number, or a base class of it."""

    def __init__(self, trace: Trace, node: int, dtype: np.dtype[Any], value: Any = None) -> None:
        self._trace = trace
        self._id = node
        self._dtype = dtype
        self._value = value

    @property
    def _values(self) -> Any:
        """The value at the point of a local trace; None in a global one."""
        return None if self._value is None else self._dtype.type(self._value)

    @property
    def _ids(self) -> Ids:
        return array(self._id, np.int32)

    @property
    def pattern(self) -> BitMap:
        return index_sets(self._trace.graph, self._ids)[0]

    def __repr__(self) -> str:
        return scalar_text(self)

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return formatted_text(self) if spec else scalar_text(self)

    # -------------------------------------------------------------- protocols
    @property
    def __array__(self) -> Any:
        """Asked for by NumPy wherever an array is about to hold the number as an object."""
        if by_users_name(sys._getframe(1)):
            return self._named_array()
        if self._trace.becomes_object is not None:
            self._trace.becomes_object()
        raise AttributeError("__array__")

    def _named_array(self) -> Any:
        """What ``v.__array__`` is in a plain run."""
        raise absent(self, "__array__")

    def __float__(self) -> float:
        refuse_value("float()")

    def __int__(self) -> int:
        if self._trace.local and not self._trace.dependency:
            refuse_digits(self)
            self._note(int, int(self._value))
            note_conversion(self._trace, self, int(self._value))
            return int(self._value)  # truncation has no derivative
        refuse_value("int()")

    def __bool__(self) -> bool:
        trace = self._trace
        if trace.local:
            self._note(bool, bool(self._value))
            note_zeros(trace, self)
            return bool(self._value)
        if trace.decide is None:
            refuse_truth("a traced number")
        if trace.moving is None:
            trace.conditions.append(self._id)
        else:
            trace.decided_on(self._ids)
        compared, trace.compared = trace.compared, None
        own = self, np.not_equal, 0.0
        if compared is not None and compared[0] is self:
            return trace.decide(own, compared[1:])
        return trace.decide(own)

    def _note(self, step: type | str, outcome: object) -> None:
        """Tell an integral of a step's outcome at a point."""
        if self._trace.moving is not None:
            self._trace.moving.note(step, outcome, [self._ids])

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        refuse_value("pickle")

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __hash__(self) -> int:
        """Of a truth or a whole number of few values that of each, on a path of its own.

        For a function with a cache a new one each time: it finds nothing, and runs.  So it is in a
        set or a dict of few numbers, where it is compared with each of them.
        """
        if self._dtype.kind == "b":
            return hash(bool(self))
        frame = sys._getframe(1)
        if self._dtype.kind in "iu":
            known = self._decided()  # type: ignore[attr-defined]
            found = hash_among(self, looked_up_in(frame)) if known is None else hash(known)
            return hash(self.__index__()) if found is None else found  # type: ignore[attr-defined]
        if calls_cache(frame):
            return new_hash()
        found = hash_among(self, looked_up_in(frame))
        if found is not None:
            return found
        if drops_hash(frame):
            return new_hash()
        raise ValueDependentError(
            explain(
                "hash()",
                "a set, a dict or a cache would look the number up by its value, which depends "
                "on the inputs",
                "Use np.where, or keys made of constants.",
            )
        )

    def hex(self) -> NoReturn:
        """Refused: it needs the value."""
        refuse_value("float.hex()")

    def as_integer_ratio(self) -> NoReturn:
        """Refused: it needs the value."""
        refuse_value("float.as_integer_ratio()")

    def __getnewargs__(self) -> NoReturn:
        refuse_value("pickle")

    # -------------------------------------------------------------- operators
    def __neg__(self) -> Any:
        return _linear(np.negative, self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return _linear(np.absolute, self)

    def __round__(self, ndigits: int | None = None) -> Any:
        if ndigits is None:
            return _whole(np.rint(cast(Any, self)))
        return np.round(cast(Any, self), ndigits)

    def __floor__(self) -> Any:
        return _whole(np.floor(cast(Any, self)))

    def __ceil__(self) -> Any:
        return _whole(np.ceil(cast(Any, self)))

    def __trunc__(self) -> Any:
        return _whole(np.trunc(cast(Any, self)))

    def __pow__(self, other: Any, modulo: None = None) -> Any:
        return _binary(np.power, self, other)

    def __rpow__(self, other: Any) -> Any:
        return _binary(np.power, other, self)

    def __dir__(self) -> list[str]:
        return dir(self.__class__)

    def _as_array(self) -> Any:
        """The number as an array without dimensions."""
        values = None if self._value is None else np.array(self._value, self._dtype)
        result = self._trace.wrap(Elements(self._ids, self._dtype, values, keep_array=True))
        if self._trace.bounds is not None:
            self._trace.bounds.converted(self, result)
        return result


def _is_truth(entry: Any) -> bool:
    """Whether an index is a truth value, which picks all or nothing."""
    dtype = np.dtype(bool) if isinstance(entry, bool) else getattr(entry, "dtype", None)
    return dtype is not None and dtype.kind == "b" and np.ndim(entry) == 0


class TracedScalar(Number):
    """One number of a trace; made by traced arrays, not by users.

    Attributes
    ----------
    pattern : pyroaring.BitMap
        Indices of the inputs that this number depends on.

    Examples
    --------
    >>> import numpy as np, sparsetrace as st
    >>> def f(x):
    ...     print(repr(x[0] * x[2]))
    ...     return x[0] * x[2]
    >>> _ = st.jacobian_sparsity(f, np.ones(3))  # doctest: +ELLIPSIS
    TracedScalar({0, 2}, value ...)
    """

    __slots__ = ()
    __array_priority__ = 1e6
    _plain: type = np.float64
    shape = ()
    ndim = 0
    size = 1
    base = None
    strides = ()
    device = "cpu"
    fromhex = float.fromhex
    __getformat__ = float.__getformat__  # type: ignore[attr-defined]

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What ``isinstance`` is told: elements of arrays are ``np.float64``, and floats."""
        return self._dtype.type

    @property
    def __iter__(self) -> None:
        """None is no iterator; with ``__getitem__`` alone it would pass for an empty sequence."""
        if by_users_name(sys._getframe(1)):
            raise absent(self, "__iter__")

    def __getitem__(self, key: Any) -> Any:
        """As elements of arrays: ``v[()]``, ``v[...]``, ``v[None]`` and ``v[v > 0]`` alone."""
        entries = key if isinstance(key, tuple) else (key,)
        if all(entry is None or entry is Ellipsis or _is_truth(entry) for entry in entries):
            return self if not entries else self._as_array()[key]
        raise IndexError("invalid index to scalar variable.")

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        """As elements of arrays; without it Python would ask the key for its value first."""
        raise TypeError(f"'numpy.{self._dtype}' object does not support item assignment")

    def _named_array(self) -> Any:
        return self.__given

    def __given(self, dtype: Any = None, copy: Any = None) -> Any:
        result = self._as_array()
        return result if dtype is None else result.astype(dtype)

    @property
    def data(self) -> Any:
        if whether_there(sys._getframe(1)):
            return None
        return self._as_array().data

    @property
    def __array_interface__(self) -> Any:
        return self._memory(sys._getframe(1), "__array_interface__")

    @property
    def __array_struct__(self) -> Any:
        return self._memory(sys._getframe(1), "__array_struct__")

    def _memory(self, frame: Any, name: str) -> Any:
        """Not there for NumPy, which would read the memory."""
        if not by_users_name(frame):
            raise AttributeError(name)
        return None if whether_there(frame) else refuse_value(name)

    @property
    def flags(self) -> Any:
        return self._as_array().flags

    @property
    def flat(self) -> Any:
        return self._as_array().flat

    def __copy__(self) -> TracedScalar:
        return self

    def __setstate__(self, state: Any) -> NoReturn:
        refuse_value("pickle")

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype

    @property
    def itemsize(self) -> int:
        return self._dtype.itemsize

    nbytes = itemsize

    @property
    def real(self) -> Any:
        return np.real(cast(Any, self))

    @property
    def imag(self) -> Any:
        return np.imag(cast(Any, self))

    @property
    def T(self) -> TracedScalar:
        return self

    def __invert__(self) -> Any:
        return np.invert(cast(Any, self))

    def item(self, *args: Any) -> Any:
        """The number of Python's own that this one is."""
        return as_python(self)

    tolist = item

    def copy(self, order: str = "C") -> TracedScalar:
        return self

    def conjugate(self) -> Any:
        return np.conjugate(cast(Any, self))

    conj = conjugate

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        result_dtype = np.dtype(dtype)
        if result_dtype.kind == "O":
            return self.item()  # as of a number of NumPy's
        refuse_no_numbers(result_dtype)
        values = None if self._value is None else np.asarray(self._value).astype(result_dtype)[()]
        if self._trace.local and result_dtype.kind in "biu":
            self._note(result_dtype.kind, values)
            note_conversion(self._trace, self, values)
        result = self._trace.wrap(
            Elements(moved_ids(self._trace, self, result_dtype), result_dtype, values)
        )
        if self._trace.bounds is not None:
            self._trace.bounds.converted(self, result)
        return result

    def is_integer(self) -> Any:
        return as_python(np.equal(np.floor(cast(Any, self)), cast(Any, self)))


class TracedComplex(TracedScalar):
    """A complex number of NumPy's."""

    __slots__ = ()
    _plain: type = np.complex128

    def __complex__(self) -> complex:
        refuse_value("complex()")


class TracedInteger(TracedScalar):
    """A whole number or truth value of NumPy's, which depends on the inputs."""

    __slots__ = ()
    _plain: type = np.int64

    def _decided(self) -> int | None:
        """The one of a few values that it has on this path; None if there may be many."""
        masks = self._trace.masks
        return None if masks is None or type(self) is TracedTruth else masks.index(self)

    def __index__(self) -> int:
        decided = self._decided()
        if decided is not None:
            return decided
        raise ValueDependentError(
            explain(
                INDEX,
                "it depends on the inputs, and an ordinary array or range needs its value",
                "Index a traced array with it, or compute it from constants.",
                BY_VALUES,
            )
        )


class TracedTruth(TracedInteger):
    """A truth value of NumPy's, which depends on the inputs."""

    __slots__ = ()
    _plain: type = np.bool_


_KINDS: dict[str, type[TracedScalar]] = {
    "f": TracedScalar,
    "c": TracedComplex,
    "b": TracedTruth,
    **dict.fromkeys("iu", TracedInteger),
}

PYTHON_KINDS: dict[str, Callable[..., Any]] = {}
"""What makes a number of Python's own of one of NumPy's, by kind; see `python_numbers`."""


def number(trace: Trace, node: int, dtype: np.dtype[Any], value: Any = None) -> TracedScalar:
    """A traced number of NumPy's."""
    return _KINDS[dtype.kind](trace, node, dtype, value)


def _whole(result: Any) -> Any:
    """A number without a fraction as the whole number of Python's that it is."""
    return as_python(result.astype(np.int64))


def as_python(result: Any) -> Any:
    """What ``result.item()`` gives: a number of Python's own for one of NumPy's."""
    if isinstance(result, TracedScalar):
        made = PYTHON_KINDS[result._dtype.kind](result._trace, result._id, result._value)
        if result._trace.bounds is not None:
            result._trace.bounds.converted(result, made)
        return made
    if isinstance(result, np.generic):
        return result.item()
    return tuple(map(as_python, result)) if type(result) is tuple else result


for _name in "add sub mul truediv floordiv mod divmod and or xor lshift rshift".split():
    define(TracedScalar, _name, _binary)
for _name in COMPARISONS:
    define(TracedScalar, _name, _comparison)


def _unary_method(ufunc: np.ufunc) -> Callable[..., Any]:
    def method(self: Number) -> Any:
        return ufunc_call(self._trace, ufunc, "__call__", (self,), {})

    method.__name__ = ufunc.__name__
    return method


for _name, _ufunc in vars(np).items():
    _is_unary = isinstance(_ufunc, np.ufunc) and _ufunc.nin == _ufunc.nout == 1
    _is_alias = not _is_unary or _ufunc.__name__ != _name
    if not _is_alias and _ufunc in RECORDS and not hasattr(TracedScalar, _name):
        setattr(Number, _name, Hidden(_name, _unary_method(_ufunc)))


def _array_method(name: str) -> Any:
    def method(self: TracedScalar, *args: Any, **kwargs: Any) -> Any:
        result = getattr(self._as_array(), name)(*args, **kwargs)
        is_number = isinstance(result, np.ndarray) and not result.ndim
        return result[()] if is_number else result

    method.__name__ = name
    return method


for _name in (
    "all any argmax argmin argsort byteswap choose clip compress cumprod cumsum diagonal dump "
    "dumps fill flatten getfield max mean min nonzero prod put ravel repeat reshape resize round "
    "searchsorted setfield setflags sort squeeze std sum swapaxes take to_device tobytes tofile "
    "trace transpose var view"
).split():
    setattr(TracedScalar, _name, _array_method(_name))

for _number in (TracedScalar, TracedComplex, TracedInteger, TracedTruth):
    match(_number, _number._plain)

NUMBERS: list[type] = [TracedScalar, TracedComplex, TracedInteger, TracedTruth]
"""The classes of traced numbers; those of `python_numbers` too."""
