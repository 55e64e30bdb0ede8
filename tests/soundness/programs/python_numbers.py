"""Numbers of Python's own: arguments, ``tolist``, ``item``, ``math``, ``float``."""

from __future__ import annotations

import functools
import math
import operator

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
POINT = np.array([0.4, 0.7, 1.3])


@program(0.6, -0.4, to=PROGRAMS)
def a_float_argument(t):
    return t * t if type(t) is float else 0.0


@program(0.6, to=PROGRAMS)
def without_the_attributes_of_arrays(t):
    if hasattr(t, "shape") or hasattr(t, "dtype") or hasattr(t, "sum"):
        return 0.0
    try:
        return t.sum()
    except AttributeError:
        return t**3


@program(0.6, to=PROGRAMS)
def attribute_or_default(t):
    return t * getattr(t, "ndim", 4.0) + getattr(t, "real", 0.0) ** 2


@program(POINT, to=PROGRAMS)
def elements_of_tolist(x):
    a, b, c = x.tolist()
    kinds = {float: a * b, np.float64: 0.0}
    return kinds[type(c)] + (c if type(a) is not np.float64 else 0.0)


@program(POINT, to=PROGRAMS)
def item_of_an_element(x):
    v = x[1].item()
    w = x.item(2)
    return v * w if type(v) is float and type(w) is float else 0.0


@program(POINT, to=PROGRAMS)
def results_of_math(x):
    v = math.sin(x[0]) + math.hypot(x[1], x[2])
    return v if type(v) is float else 0.0


@program(POINT, to=PROGRAMS)
def python_and_numpy_together(x):
    a = x.tolist()[0]
    parts = [a * a, a * x[1], x[2] - a, 2.0 * a, np.sin(a), a / np.float64(2.0)]
    wanted = [float, np.float64, np.float64, float, np.float64, np.float64]
    return [p if type(p) is k else 0.0 for p, k in zip(parts, wanted, strict=True)]


@program(POINT, to=PROGRAMS)
def comparisons_give_bool(x):
    a, b = x[:2].tolist()
    known = a > b
    if type(known) is bool and type(x[0] > x[1]) is np.bool_:
        return a * b + x[2]
    return 0.0


@program(POINT, to=PROGRAMS)
def truth_values_are_counted(x):
    a, b, c = x.tolist()
    count = (a > 0) + (b > 0) + (c > 1)
    return count * a + b if type(count) is int else 0.0


@program(POINT, to=PROGRAMS)
def rounded_to_whole_numbers(x):
    v = x.tolist()[1]
    kinds = [type(round(v)), type(math.floor(v)), type(round(v, 2)), type(round(x[0]))]
    return v * x[0] if kinds == [int, int, float, int] else 0.0


@program(POINT, to=PROGRAMS)
def division_by_a_constant_zero(x):
    a = x.tolist()[0]
    zero = 0.0
    try:
        return a / zero
    except ZeroDivisionError:
        return a * x[1]


@program((0.3, 2.0), (3.6, 2.0), to=PROGRAMS)
def division_by_a_whole_number(t, s):
    try:
        return s / math.floor(t) + 2.0 * t
    except ZeroDivisionError:
        return 5.0 * t


@program(POINT, to=PROGRAMS, conservative="a - a is not known to be zero")
def division_by_nothing(x):
    a, b, c = x.tolist()
    try:
        return b / (a - a)
    except ZeroDivisionError:
        return c * b


@program(POINT, to=PROGRAMS, conservative="a - a is not known to be zero")
def modulo_by_nothing(x):
    a, b, c = x.tolist()
    out = []
    for operate in (operator.mod, operator.floordiv, divmod):
        try:
            operate(b, a - a)
            out.append(a * b)
        except ZeroDivisionError:
            out.append(c)
    return out


@program(POINT, to=PROGRAMS, conservative="a - a is not known to be zero")
def negative_power_of_nothing(x):
    a, b, c = x.tolist()
    try:
        return (a - a) ** -1.5 + b
    except ZeroDivisionError:
        return c


@program(np.array([1e200, 2.0]), np.array([2.0, 1.5]), to=PROGRAMS)
def power_that_overflows(x):
    a, b = x.tolist()
    try:
        return a**2
    except OverflowError:
        return b


@program(np.array([-8.0, 2.0]), to=PROGRAMS)
def complex_root(x):
    a, b = x.tolist()
    return abs(a ** (1 / 3)) * b


@program(np.array([900.0, 2.0]), np.array([1.5, 2.0]), to=PROGRAMS)
def overflow_of_math(x):
    try:
        return math.exp(x[0])
    except OverflowError:
        return x[1]


@program(POINT, to=PROGRAMS)
def is_no_sequence(x):
    a, b, c = x.tolist()

    def spread(v):
        try:
            return sum(v)
        except TypeError:
            return v * c

    return [spread(a), spread([a, b])]


@program(POINT, to=PROGRAMS)
def times_a_list(x):
    a, b, _ = x.tolist()
    try:
        return a * [1.0, 2.0]
    except TypeError:
        return a * b


@program(POINT, to=PROGRAMS)
def beside_an_array(x):
    a = x.tolist()[0]
    table = np.array([1.0, 2.0, 3.0])
    left, right = a * table, table - a
    ok = type(left) is np.ndarray and type(right) is np.ndarray
    return left + right * x[1] if ok else x


@program(POINT, to=PROGRAMS)
def extremes_and_order(x):
    a, b, c = x.tolist()
    top, low = max(a, b, c), min([a, b, c])
    ordered = sorted([a, b, c])
    if type(top) is float and type(low) is float and type(ordered[1]) is float:
        return top * low + ordered[1]
    return 0.0


@program(POINT, to=PROGRAMS)
def sums_and_reductions(x):
    values = x.tolist()
    total, product = sum(values), functools.reduce(operator.mul, values)
    exact = math.fsum(values) + math.prod(values)
    if type(total) is float and type(product) is float and type(exact) is float:
        return total * product + exact
    return 0.0


@program(POINT, to=PROGRAMS)
def whole_and_fractional_parts(x):
    v = x.tolist()[2]
    fraction, whole = math.modf(v)
    mantissa, exponent = math.frexp(v)
    if type(fraction) is type(whole) is type(mantissa) is float and type(exponent) is int:
        return fraction * x[0] + mantissa
    return 0.0


@program(POINT, to=PROGRAMS)
def in_vectorize(x):
    def one(v):
        return v * v if isinstance(v, float) and not hasattr(v, "shapes") else 0.0

    return np.vectorize(one, otypes=[float])(x)


@program((0.5, 1.5), to=PROGRAMS)
def arrays_of_python_numbers(t, s):
    grid = np.array([t, t * t, 1.0])
    stacked = np.stack([grid, np.full(3, t), np.linspace(0.0, 1.0, 3) * t])
    return np.mean(stacked) + np.ndim(t) + np.size(t)


@program((0.5, np.array([1.0, 2.0])), to=PROGRAMS)
def time_and_state(t, y):
    if isinstance(t, float) and not isinstance(t, np.floating):
        return np.array([y[1], -y[0] * math.cos(t)]) * t
    return y


@program(0.5, to=PROGRAMS)
def conversions(t):
    a = np.asarray(t)
    b = np.atleast_1d(t)
    c = np.float64(1.0) * t
    ok = type(a) is np.ndarray and type(b) is np.ndarray and type(c) is np.float64
    return a * b[0] + c if ok else 0.0
