"""Complex operands: their elements with both parts, and arithmetic by parts.

Contract: an element's parts are looked up here, and put together again.  `moved_ids` is for
rules that move elements, `by_parts` for ufuncs whose record says what becomes of the parts,
`part_by_part` for rules that are linear, `bilinear` for products.  Every other rule asks
`operands.ids_of`, for which a number has one pattern.

A part that is zero because of a dtype (the imaginary one of a real number) is None, and is
left out whatever the trace makes of constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from inspect import signature
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import array, asarray

from sparsetrace.context import Trace
from sparsetrace.graph.complex_parts import Part, has_parts, joined, part_of
from sparsetrace.graph.complex_parts import parts_of as ids_of_parts
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    Operand,
    constant_values,
    contains_traced,
    data_of,
    dtype_of,
    holds_objects,
    ids_of,
    is_traced,
    landed,
    operand_of,
    values_of,
)

__all__ = [
    "by_parts",
    "chosen_ids",
    "elements_of",
    "is_complex",
    "joined_elements",
    "linearly",
    "moved_ids",
    "moved_operand",
    "of_choices",
    "part_by_part",
    "parts_of",
    "real_dtype",
]


def is_complex(obj: Any) -> bool:
    """Whether an operand's numbers are complex."""
    return dtype_of(obj).kind == "c"


def moved_ids(trace: Trace, obj: Any, dtype: np.dtype[Any] | None = None) -> Ids:
    """The node ids of `obj` as elements of an array of `dtype` (its own), into which they move.

    Complex elements keep their parts, real ones have an imaginary part of zero, and what goes
    into an array of reals is the real part.  For rules that copy, choose or unite elements and
    do nothing else with them.
    """
    source = dtype_of(obj)
    wanted = source if dtype is None else dtype
    if not (source.kind == "c" or wanted.kind == "c"):
        return ids_of(trace, obj) if dtype is None else landed(trace, dtype, ids_of(trace, obj))
    data = data_of(obj)
    if is_traced(data):
        if data._trace is not trace:
            ids_of(trace, data)  # which is refused
        ids = data._ids
    else:
        ids = _ids_of_items(trace, data)
    if wanted.kind != "c":
        return landed(trace, wanted, part_of(trace.graph, ids, Part.REAL))
    if source.kind != "c":
        ids = joined(trace.graph, ids, asarray(trace.graph.constant(0.0)))
    return ids if dtype is None or trace.local else trace.graph.rounded(ids, wanted)


def _ids_of_items(trace: Trace, obj: Any) -> Ids:
    """The ids of numbers, some of them complex: all of them as complex ones if one is."""
    if not contains_traced(obj):
        return trace.graph.constant(constant_values(obj))
    common = dtype_of(obj)
    if isinstance(obj, np.ndarray):
        items = [moved_ids(trace, item, common) for item in obj.flat]
        return array(items, np.int32).reshape(obj.shape)
    return np.stack([moved_ids(trace, item, common) for item in obj])


def chosen_ids(trace: Trace, obj: Any, dtype: np.dtype[Any]) -> Ids:
    """The ids of `obj` beside others of which the result, of this dtype, takes its elements."""
    return moved_ids(trace, obj, dtype) if dtype.kind == "c" else ids_of(trace, obj)


def of_choices(trace: Trace, rule: Callable[..., Ids], *id_arrays: Ids) -> Ids | None:
    """What a rule makes of ids when each result is one of several elements, whichever it is.

    That is done with the real parts, and with the imaginary ones; None if there are no parts.
    """
    if not any(has_parts(trace.graph, ids) for ids in id_arrays):
        return None
    pairs = [ids_of_parts(trace.graph, ids) for ids in id_arrays]
    real, imag = (rule(*part) for part in zip(*pairs, strict=True))
    return joined(trace.graph, real, imag)


def moved_operand(trace: Trace, x: Any) -> Operand:
    """An argument as an operand whose complex elements keep their parts."""
    values = asarray(values_of(x)) if trace.local else None
    return Operand(trace, moved_ids(trace, x), dtype_of(x), values)


def parts_of(trace: Trace, x: Any) -> tuple[Any, Any]:
    """The real and the imaginary part of an operand; None for one that is zero by its dtype.

    Traced ones are operands, constants arrays.
    """
    if not is_complex(x):
        return (operand_of(trace, x) if contains_traced(x) else constant_values(x)), None
    if not contains_traced(x):
        constant = constant_values(x)
        return constant.real, constant.imag
    ids, dtype = moved_ids(trace, x), real_dtype(dtype_of(x))
    real, imag = ids_of_parts(trace.graph, ids)
    values = values_of(x) if trace.local else None  # None, too, if a rule made x of ids alone
    if values is None:
        return Operand(trace, real, dtype), Operand(trace, imag, dtype)
    points = asarray(values)
    return Operand(trace, real, dtype, points.real), Operand(trace, imag, dtype, points.imag)


@lru_cache(maxsize=64)
def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of a complex number's parts; any other as it is."""
    return np.empty(0, dtype).real.dtype


# ------------------------------------------------------------------ arrays of numbers
def elements_of(trace: Trace, obj: Any) -> Elements:
    """An object that holds traced elements, as an array of its own."""
    if type(obj) in (list, tuple):
        result = _of_numbers(trace, obj)
        if result is not None:
            return result
    elif holds_objects(obj):
        result = _of_numbers(trace, obj.reshape(-1).tolist())
        if result is not None:
            return _reshaped(result, obj.shape)
    dtype = dtype_of(obj)
    values = array(values_of(obj), dtype) if trace.local else None
    return Elements(moved_ids(trace, obj).copy(), dtype, values, keep_array=True)


def _of_numbers(trace: Trace, items: Sequence[Any]) -> Elements | None:
    """The common case: traced float64 numbers, and floats, one after the other."""
    ids, values = [], []
    for x in items:
        cls = type(x)
        if cls is float:
            ids.append(trace.graph.constant_scalar(x))
            values.append(x)
        elif getattr(cls, "_is_number", False) and x._trace is trace and x._dtype is FLOAT:
            ids.append(x._id)
            values.append(x._value)
        else:
            return None
    points = array(values, FLOAT) if trace.local else None
    return Elements(array(ids, np.int32), FLOAT, points, keep_array=True)


def _reshaped(elements: Elements, shape: tuple[int, ...]) -> Elements:
    elements.ids = elements.ids.reshape(shape)
    if elements.values is not None:
        elements.values = elements.values.reshape(shape)
    return elements


# ----------------------------------------------------------------------------- ufuncs
Combine = Callable[..., Operand]
"""``combine(trace, ufunc, *operands)``, as `elementwise.combine`."""


class Real:
    """A real number or array in the formulas of `sparsetrace.rules`: traced, constant or zero."""

    __slots__ = ("_combine", "_trace", "operand")

    def __init__(self, trace: Trace, combine: Combine, operand: Any) -> None:
        self._trace, self._combine, self.operand = trace, combine, operand

    @property
    def is_zero(self) -> bool:
        """Whether it is zero by its dtype."""
        return self.operand is None

    def by(self, ufunc: np.ufunc, *others: Real) -> Real:
        """``ufunc(self, *others)``, none of them zero by its dtype."""
        operands = [self.operand, *(x.operand for x in others)]
        if any(map(is_traced, operands)):
            return self._like(self._combine(self._trace, ufunc, *operands))
        with np.errstate(all="ignore"):
            return self._like(asarray(ufunc(*operands)))

    def _like(self, operand: Any) -> Real:
        return Real(self._trace, self._combine, operand)

    def __add__(self, other: Real) -> Real:
        if self.is_zero or other.is_zero:
            return other if self.is_zero else self
        return self.by(np.add, other)

    def __sub__(self, other: Real) -> Real:
        if self.is_zero or other.is_zero:
            return -other if self.is_zero else self
        return self.by(np.subtract, other)

    def __neg__(self) -> Real:
        return self if self.is_zero else self.by(np.negative)

    def __mul__(self, other: Real) -> Real:
        if self.is_zero or other.is_zero:
            return self._like(None)
        return self.by(np.multiply, other)

    def __truediv__(self, other: Real) -> Real:
        return self if self.is_zero else self.by(np.true_divide, other)

    @property
    def is_generic(self) -> bool:
        """Whether a product with it depends on every element of the other factor."""
        x = self.operand
        if not is_traced(x):
            return x is not None and bool(np.all(x != 0))
        if self._trace.local:
            return bool(np.all(x.points != 0)) and bool(np.all(x._ids > OPAQUE))
        return self._trace.graph.pure or bool(np.all(x._ids > OPAQUE))

    @property
    def known(self) -> Any:
        """The values where they are known, 0 elsewhere."""
        x = self.operand
        if not is_traced(x):
            return 0.0 if x is None else x
        return x.points if self._trace.local else self._trace.graph.known_values(x._ids, x._dtype)

    def known_as(self, values: Any) -> Real:
        """The same with other values in a trace at a point: all that counts is where they are 0."""
        x = self.operand
        if not (self._trace.local and is_traced(x)):
            return self
        return self._like(Operand(self._trace, x._ids, x._dtype, np.broadcast_to(values, x.shape)))


class Complex:
    """A number in the formulas of `sparsetrace.rules`, by its parts."""

    __slots__ = ("imag", "real")

    def __init__(self, real: Real, imag: Real) -> None:
        self.real, self.imag = real, imag

    @property
    def is_alike(self) -> bool:
        """Whether its two parts depend on the same inputs."""
        p, q = self.real.operand, self.imag.operand
        if q is None or not is_traced(p):
            return False
        return bool(np.all((p._ids == q._ids) & (p._ids > OPAQUE)))

    def mixes(self, other: Complex) -> bool:
        """Whether both parts of a product or quotient depend on the same, jointly."""
        trace = self.real._trace
        if not trace.local and trace.values and (self.is_alike or other.is_alike):
            return True
        parts = (self.real, self.imag, other.real, other.imag)
        return not trace.second_order and all(part.is_generic for part in parts)

    @property
    def has_zeros(self) -> bool:
        """Whether a function of both parts jointly is told apart from its joint dependencies.

        That is by second derivatives, and at a point by zeros.
        """
        trace, parts = self.real._trace, (self.real, self.imag)
        return trace.second_order or (trace.local and not all(part.is_generic for part in parts))

    @property
    def is_real(self) -> bool:
        """Whether it is real by its dtype."""
        return self.imag.is_zero

    def is_constant(self, value: complex) -> bool:
        """Whether it is a constant, everywhere this number."""
        x = self.real.operand
        return not is_traced(x) and self.is_real and bool(np.all(x == value))

    @property
    def scale(self) -> Real | None:
        """Powers of two that bring known values near 1; None where nothing is known.

        So squares of what they multiply neither overflow nor vanish.
        """
        if self.real._trace.graph.pure and is_traced(self.real.operand):
            return None
        with np.errstate(all="ignore"):
            size = np.maximum(np.abs(self.real.known), np.abs(self.imag.known))
            exponents = np.frexp(np.where(np.isfinite(size), size, 0.0))[1]
        return self.real._like(np.ldexp(1.0, -np.clip(exponents, -1000, 1000)))


def by_parts(
    trace: Trace, formula: Callable[..., Any], combine: Combine, inputs: Sequence[Any]
) -> Ids | None:
    """The ids of a ufunc's result by its record's formula for complex numbers.

    None where the formula has nothing to say: the result then depends on both parts.
    """
    if not _are_apart(trace, inputs):
        return None
    numbers = [
        Complex(*(Real(trace, combine, part) for part in parts_of(trace, x))) for x in inputs
    ]
    result = formula(*numbers)
    if result is None:
        return None
    if isinstance(result, Real):
        return _ids_of_part(trace, result.operand)
    real, imag = (_ids_of_part(trace, part.operand) for part in result)
    return joined(trace.graph, real, imag)


def _are_apart(trace: Trace, inputs: Sequence[Any]) -> bool:
    """Whether some traced operand has parts, or none is complex: else the result has none."""
    alike = False
    for x in inputs:
        if contains_traced(x):
            if not is_complex(x) or has_parts(trace.graph, moved_ids(trace, x)):
                return True
            alike = True
    return not alike


def _ids_of_part(trace: Trace, x: Any) -> Ids:
    return trace.graph.constant(0.0 if x is None else x) if not is_traced(x) else ids_of(trace, x)


# ---------------------------------------------------------------------------- functions
def joined_elements(trace: Trace, real: Any, imag: Any) -> Any:
    """The results of a rule for the real parts and for the imaginary parts, put together."""
    if isinstance(real, Elements):
        ids = joined(trace.graph, real.ids, imag.ids)
        dtype = np.result_type(real.dtype, np.complex64)
        return Elements(ids, dtype, keep_array=real.keep_array)
    return type(real)(joined_elements(trace, p, q) for p, q in zip(real, imag, strict=True))


def linearly(trace: Trace, rule: Callable[..., Any], *numbers: Any) -> Any:
    """What a rule that is linear in these arguments jointly makes of their parts."""
    pairs = [parts_of(trace, x) if _is_number(x) else (x, x) for x in numbers]
    imag = [
        np.zeros(np.shape(p) if not is_traced(p) else p.shape, real_dtype(dtype_of(p)))
        if q is None and _is_number(p)
        else q
        for p, q in pairs
    ]
    return joined_elements(trace, rule(*(p for p, _ in pairs)), rule(*imag))


def part_by_part(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Of a rule that is linear in these parameters jointly: complex numbers by their parts.

    ``where(c, a + bi, d) = where(c, a, d) + where(c, b, 0) i``
    """

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        places = [i for i, name in enumerate(signature(rule).parameters) if name in names]

        @wraps(rule)
        def by_part(trace: Trace, *args: Any) -> Any:
            arguments = (trace, *args)
            if not any(_has_complex(arguments[i]) for i in places if i < len(arguments)):
                return rule(trace, *args)
            real, imag = list(arguments), list(arguments)
            for i in places:
                if i < len(arguments):
                    real[i], imag[i] = _split(trace, arguments[i])
            return joined_elements(trace, rule(*real), rule(*imag))

        return by_part

    return decorate


def _has_complex(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(map(_has_complex, x))
    return _is_number(x) and is_complex(x)


def _is_number(x: Any) -> bool:
    return contains_traced(x) or isinstance(x, (np.ndarray, np.generic, bool, int, float, complex))


def _split(trace: Trace, x: Any) -> tuple[Any, Any]:
    """The parts of an argument, as arguments."""
    if isinstance(x, (list, tuple)):
        items = [_split(trace, item) for item in x]
        return [real for real, _ in items], [imag for _, imag in items]
    if not _is_number(x):
        return x, x
    real, imag = parts_of(trace, x)
    if imag is None:
        shape = np.shape(x)
        return x, (np.zeros(shape, dtype_of(x)) if shape else 0.0)
    kept = isinstance(x, np.ndarray)
    return _as_argument(trace, real, kept), _as_argument(trace, imag, kept)


def _as_argument(trace: Trace, x: Any, kept: bool) -> Any:
    if not is_traced(x):
        return x if x.ndim else x[()]
    return trace.wrap(Elements(x._ids, x._dtype, x._values, keep_array=kept))
