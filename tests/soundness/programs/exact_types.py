"""Branches, tables and dispatch on the exact type of an array or a number."""

from __future__ import annotations

import builtins
import collections.abc
import functools
import math
import numbers
import typing
from abc import ABC

import numpy as np
from numpy import cumsum

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
POINT = np.array([0.4, -0.7, 1.3])

kind_of = type
"""Another name, bound before any trace."""


@program(POINT, to=PROGRAMS)
def array_by_type(x):
    if type(x) is not np.ndarray:
        return np.zeros(3)
    return x * x[::-1]


class _HoldsNames:
    """Its objects hold the names of Python, which `exec` puts there, and of a library."""

    def __init__(self):
        self.scope: dict[str, object] = {}
        exec("start = 1", self.scope)
        self.library = vars(math)

    def __call__(self, x):
        out = np.zeros(3)
        out[0] = x[0]
        return out + x[::-1] if type(x) is np.ndarray else out


@program(POINT, to=PROGRAMS)
def array_by_type_beside_names_of_python_that_an_object_holds(x):
    return _HOLDS_NAMES(x)


_HOLDS_NAMES = _HoldsNames()


@program(POINT, to=PROGRAMS)
def array_by_class(x):
    return np.cumsum(x) if x.__class__ is np.ndarray else 0 * x


@program(POINT, to=PROGRAMS)
def array_by_class_name(x):
    weight = {"ndarray": x[1], "list": 0.0}.get(x.__class__.__name__, 0.0)
    return weight * x


@program(POINT, to=PROGRAMS)
def element_in_a_tuple_of_types(x):
    total = 0.0
    for v in x:
        if type(v) in (float, int, np.float64):
            total = total + v * x[0]
    return total


@program(POINT, to=PROGRAMS)
def element_is_no_exact_float(x):
    return [x[0] if type(v) is float else v * x[2] for v in x]


@program(POINT, -POINT, to=PROGRAMS)
def refuses_what_is_no_array(x):
    if x[0] > 0:
        if type(x) is not np.ndarray:
            raise TypeError(f"an array is wanted, not {type(x).__name__}")
        return x * 2.0
    return x[::-1]


@program(POINT, to=PROGRAMS)
def by_issubclass(x):
    v = x[1]
    if issubclass(type(v), float) and issubclass(type(x), np.ndarray):
        return v * x
    return np.zeros(3)


@program(POINT, to=PROGRAMS)
def by_issubdtype(x):
    total = x[0]
    if np.issubdtype(type(x[1]), np.floating):
        total = total * x[1]
    if np.issubdtype(x.dtype, np.float64):
        total = total + x[2] ** 2
    return total


_RULES = {
    np.ndarray: lambda a: a * a[0],
    np.float64: lambda a: a**2,
    float: lambda a: 0.0,
    list: lambda a: [0.0 for _ in a],
}


@program(POINT, to=PROGRAMS)
def a_table_of_rules_by_type(x):
    return np.concatenate([_RULES[type(x)](x), [_RULES[type(x[1])](x[1])]])


@functools.singledispatch
def area(shape):
    return 0.0


@area.register
def _(shape: np.ndarray):
    return np.prod(shape)


@area.register(float)
def _(shape):
    return shape**2


@program(POINT, to=PROGRAMS)
def single_dispatch(x):
    return area(x), area(x[0])


class Model:
    @functools.singledispatchmethod
    def energy(self, value):
        return 0.0

    @energy.register(np.ndarray)
    def _(self, value):
        return value @ value[::-1]

    @energy.register(numbers.Real)
    def _(self, value):
        return 3.0 * value


@program(POINT, to=PROGRAMS)
def single_dispatch_method(x):
    model = Model()
    return model.energy(x), model.energy(x[2])


@program(POINT, to=PROGRAMS)
def match_statement(x):
    def norm(value):
        match value:
            case int() | str():
                return 0.0
            case float(v):
                return v * v
            case np.ndarray():
                return sum(norm(v) for v in value)
            case _:
                return 0.0

    return norm(x), norm(x[0])


@program(POINT, to=PROGRAMS)
def match_on_the_type(x):
    match type(x):
        case np.ndarray:
            return x + x[0]


@program(POINT, to=PROGRAMS)
def scalar_or_vector_by_iter(x):
    def mean(v):
        return sum(v) / len(v) if hasattr(v, "__iter__") else v

    return mean(x) * mean(x[0])


@program(POINT, to=PROGRAMS)
def array_like_by_array_method(x):
    def weight(v):
        return v * x[0] if hasattr(v, "__array__") else 0.0

    return weight(x), weight(x[1])


@program(POINT, to=PROGRAMS)
def by_iteration(x):
    def flat(v):
        try:
            return [w for item in v for w in flat(item)]
        except TypeError:
            return [v * x[2]]

    return flat(x)


@program(POINT, to=PROGRAMS)
def abstract_classes(x):
    v, out = x[0], []
    out.append(0.0 if isinstance(v, collections.abc.Iterable) else v)
    out.append(0.0 if isinstance(v, typing.SupportsIndex) else v * x[1])
    out.append(0.0 if isinstance(v, numbers.Integral) else v**2)
    out.append(v * x[2] if isinstance(v, numbers.Real) else 0.0)
    out.append(x[1] if isinstance(x, collections.abc.Sized) else 0.0)
    out.append(0.0 if callable(v) or isinstance(x, collections.abc.Sequence) else x[0])
    return out


class Quantity(ABC):  # noqa: B024 - others are registered
    """Numbers that a model takes."""


Quantity.register(np.floating)


@typing.runtime_checkable
class HasShape(typing.Protocol):
    shape: tuple


@typing.runtime_checkable
class HasLength(typing.Protocol):
    def __len__(self) -> int: ...


@program(POINT, to=PROGRAMS)
def classes_of_the_user(x):
    return [
        x[0] * x[1] if isinstance(x[0], Quantity) else 0.0,
        x[2] if isinstance(x[1], HasShape) else 0.0,
        0.0 if isinstance(x[1], HasLength) else x[1] * x[0],
    ]


@program(POINT, to=PROGRAMS)
def same_type_as_a_constant(x):
    scale = np.float64(2.0)
    if type(x[0]) == type(scale) and type(x) is type(np.ones(3)):  # noqa: E721
        return scale * x * x[0]
    return np.ones(3)


@program(POINT, to=PROGRAMS)
def a_buffer_by_type(x):
    out = np.zeros(3)
    if type(out) is np.ndarray and out.__class__ is np.ndarray:
        out[:] = x * x[0]
    return out


@program(POINT, to=PROGRAMS)
def types_made_early(x):
    found = x * 0.0
    if kind_of(x) is np.ndarray:
        found = found + x[0]
    if kind_of(x[0]).__name__ == "float64":
        found = found + x[1] ** 2
    return found


@program(POINT, to=PROGRAMS)
def types_through_the_module(x):
    kinds = list(map(builtins.type, [x, x[0]]))
    by = functools.partial(type)
    return x * x[0] if kinds == [np.ndarray, np.float64] and by(x) is np.ndarray else x


@program(POINT, to=PROGRAMS)
def sorted_by_type_name(x):
    first, _ = sorted([x[0], [1.0]], key=lambda v: type(v).__name__)
    return first * x[1]


_SCOPE: dict = {"np": np}
exec("def made(x):\n    return x[0] * x if type(x) is np.ndarray else x", _SCOPE)


@program(POINT, to=PROGRAMS)
def code_made_by_exec(x):
    scope = {"np": np}
    exec("def g(v):\n    return v * v if type(v) is np.float64 else 0.0", scope)
    return np.append(_SCOPE["made"](x), scope["g"](x[1]))


@program(POINT, to=PROGRAMS)
def classes_made_in_the_function(x):
    class Meta(type):
        def __call__(cls, *args):
            return type.__call__(cls, *args)

    class Point(metaclass=Meta):
        def __init__(self, x):
            self.x = x

    Line = type("Line", (Point,), {"square": lambda self: self.x * self.x[0]})
    line = Line(x)
    if type(line) is Line and type(Line) is Meta and type(type(line)) is Meta:
        return line.square()
    return x


@program(POINT, to=PROGRAMS)
def types_are_types(x):
    ok = type(int) is type and isinstance(np.ndarray, type) and type(type) is type
    ok = ok and isinstance(type(x), type) and type.mro(bool)[1] is int
    ok = ok and (type | None) == (None | type) and type(None) is not type
    match np.float64:
        case type():
            return x * x[0] if ok else x
    return x[:1]


@program(POINT, to=PROGRAMS)
def float_beside_exact_types(x):
    a = float(x[0])
    if type(a) is float and type(1.0) is float and type(a) is not np.float64:  # noqa: UP003
        return a * float(x[1])
    return x[2]


@program(POINT, to=PROGRAMS)
def float_in_tables(x):
    a = float(x[0])
    kind = type(a)
    scale = {float: x[1], np.float64: 0.0}[kind]
    if kind is float and kind in (int, float) and isinstance(2.0, float | None):
        return scale * a
    return 0.0


@program(POINT, to=PROGRAMS)
def float_as_a_dtype(x):
    v = float(x[1])
    y = x.astype(float) * np.ones(3, dtype=float)
    if np.dtype(float) == y.dtype and float("1.5") == 1.5 and float.fromhex("0x1p3") == 8.0:
        return y * v
    return x


@program(POINT, to=PROGRAMS)
def traces_of_complex_numbers(x):
    z = x * 1j
    v = z[0]
    if type(v) is np.complex128 and type(z) is np.ndarray and not isinstance(v, float):
        return abs(v) * x[1]
    return x[0]


@program(np.float64(0.7), np.float64(-0.3), to=PROGRAMS)
def one_number_of_numpys(v):
    return v * v if type(v) is np.float64 and v.shape == () else 0.0


@program(POINT, to=PROGRAMS)
def the_dtype_of_a_ufunc_of_a_list(x):
    r = np.multiply([x[0], x[1]], 2)
    return r if r.dtype == float else r * 0.0


@program(POINT, to=PROGRAMS, refused=("global", "local"))
def the_dtype_of_an_array_times_a_list(x):
    r = np.ones(2) * [x[0], x[1]]
    return r if r.dtype == float else r * 0.0


@program(POINT, to=PROGRAMS)
def the_dtype_of_a_function_bound_early(x):
    r = cumsum([x[0], x[1]])
    return r if r.dtype == float else r * 0.0


@program(POINT, POINT + 1, to=PROGRAMS)
def truth_values_of_python_matched(x):
    match x[0].item() > 0.5:
        case True:
            return x[1]
        case False:
            return x[2]
    return 0.0


@program(POINT, to=PROGRAMS)
def truth_values_of_python_by_identity(x):
    return x[1] if np.allclose(x, x + 1) is False else x[2] * 0


@program(POINT, to=PROGRAMS)
def floats_give_way_to_single_precision(x):
    r = np.ones(3, np.float32) * float(x[0])
    return r if r.dtype == np.float32 else r * 0


@program(POINT, to=PROGRAMS)
def products_of_numbers_of_numpys(x):
    p = math.prod(x[:2])
    return p * 2 if hasattr(p, "ravel") else 0.0


@program(POINT, -POINT, to=PROGRAMS)
def a_choice_between_numbers_is_an_array(x):
    r = np.where(x[0] > 0, x[1], x[2])
    return r * 2 if isinstance(r, np.ndarray) else 0.0
