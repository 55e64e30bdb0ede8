"""What functions of numpy.ma write into ordinary arrays, masked or not."""

from __future__ import annotations

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []

P = np.array([0.3, 0.7, 1.2])
Q = np.array([1.6, -0.2, 0.4])


@program(P, Q, to=PROGRAMS)
def put_into_ordinary_arrays(x):
    a, b = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), np.zeros(3)
    np.ma.put(a, [0], x[0])
    np.ma.put(b, [1, 2], x[:2] ** 2)
    return a.filled(0), b


@program(P, Q, to=PROGRAMS)
def put_into_an_array_under_a_masked_one(x):
    a = np.zeros(3)
    np.ma.put(np.ma.array(a), [0, 2], x[1:])
    return a


@program(P, Q, to=PROGRAMS)
def put_where_a_mask_says(x):
    a, b = np.ma.zeros(3), np.zeros(3)
    np.ma.putmask(a, [True, False, True], x)
    np.ma.putmask(b, np.array([True, True, False]), x * x)
    return a.filled(0), b


@program(P, Q, to=PROGRAMS)
def invalid_elements_made_valid_in_place(x):
    a = np.array([1.0, np.inf, np.nan])
    np.ma.fix_invalid(a, copy=False, fill_value=x[1])
    return a * 2


@program(P, Q, to=PROGRAMS)
def a_fill_value_of_an_ordinary_array(x):
    a = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    np.ma.set_fill_value(a, x[0])
    return a.filled()


@program(P, Q, to=PROGRAMS)
def views_that_mask_values(x):
    a = x * 1.0
    np.ma.masked_values(a, 5.0, copy=False)[0] = x[1] * x[2]
    return a


@program(P, Q, to=PROGRAMS)
def ordinary_arrays_that_meet_traced_ones(x):
    m = np.ma.array(x)
    a = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    return a.dot(x), m * (a >= np.floor(x)), a.filled(4), np.ma.array([0.5, 1, 2]) < x


@program(P, Q, to=PROGRAMS)
def the_data_as_an_array(x):
    m = np.ma.array(x.copy(), mask=[True, False, False])
    data = np.asarray(m)
    np.ascontiguousarray(m)[1] = x[0] * x[2]
    m[2] = x[1] ** 2
    np.require(m, float, "C")[0] = x[1]
    np.array(m, copy=False)[0] *= x[2]
    return m.filled(0.0), data
