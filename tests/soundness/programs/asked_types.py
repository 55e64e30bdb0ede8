"""Types that a function asks for, of results that NumPy or Python make in more than one."""

from __future__ import annotations

import functools
import math

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []

P = np.array([0.3, 0.7, 1.2, -0.4])
Q = np.array([1.6, -0.2, 0.4, 0.9])
S = np.array([3.0, 2.5, -1.4, 2.9])


@program(P, Q, S, to=PROGRAMS)
def the_greater_of_a_whole_number(x):
    m = max(x[0], 1)
    return x[1] if isinstance(m, int) else x[2] * m


@program(P, Q, S, to=PROGRAMS, conservative="the number is united, whatever its type is")
def a_match_of_the_greater_number(x):
    match max(x[0], 1):
        case int():
            return x[1]
        case float(v):
            return x[2] * v


@program(P, Q, S, to=PROGRAMS)
def the_greatest_by_reduce(x):
    m = functools.reduce(max, [x[0], 1, x[3]])
    return x[1] if isinstance(m, int) else x[2]


@program(P, Q, S, to=PROGRAMS)
def attributes_of_the_greater_number(x):
    m = max(x[0], 1)
    return x[1] if hasattr(m, "dtype") else x[2], x[3] if hasattr(m, "bit_length") else x[0]


@program(P, Q, S, to=PROGRAMS)
def the_lesser_of_pythons_numbers(x):
    m = min(1, float(x[0]), float(x[1]))
    return x[2] * m if type(m) is float else x[3]


@program(P, Q, S, to=PROGRAMS)
def the_type_of_the_greater_number(x):
    return [x[0] if type(max(v, 0.0)) is np.float64 else x[1] for v in x[2:]]


@program(P, Q, S, to=PROGRAMS, conservative="both numbers are united, whatever the types say")
def sorted_beside_a_whole_number(x):
    low, high = sorted([x[0], 1])
    return x[1] if isinstance(low, int) else x[2] * high


@program(P, Q, to=PROGRAMS)
def objects_of_a_ufunc_of_python(x):
    r = np.frompyfunc(lambda t: t * 2, 1, 1)(x)
    s = np.frompyfunc(lambda a, b: a * b, 2, 1).accumulate(r, dtype=None)
    first = r[::-1] if r.dtype == object else r * x[0]
    return first.astype(float), (s * x[1] if s.dtype == object else x[::-1]).astype(float)


@program(P, Q, to=PROGRAMS)
def the_precision_of_vectorized_functions(x):
    r = np.vectorize(lambda t: t * 2)(x.astype(np.float32))
    return r[::-1].astype(float) if r.dtype == np.float32 else r * x[0]


@program(P, Q, to=PROGRAMS)
def whether_a_number_is_whole(x):
    whole = x[1].is_integer()
    return x[0] if type(whole) is bool else x[2], x[3] * float(x[3] * 0).is_integer()


@program(P, Q, to=PROGRAMS)
def no_method_of_arrays(x):
    try:
        return math.trunc(np.asarray(x[0])) + x[1]
    except TypeError:
        return x[2]


@program(P, Q, to=PROGRAMS)
def no_sum_of_arrays(x):
    try:
        return math.fsum([x[:1]]) + x[1]
    except TypeError:
        return x[2]


@program(P, Q, to=PROGRAMS)
def the_iterator_of_a_buffer(x):
    b = np.zeros(4)
    flat = b.flat
    b[1:] = x[1:]
    first = next(flat)
    kept = [flat.index * x[0], flat.coords[0] * x[1], len(flat) * x[2]]
    return [*kept, first + next(flat), x[3] if isinstance(flat, np.flatiter) else x[0]]
