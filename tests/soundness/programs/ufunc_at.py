"""``ufunc.at``: places that are named several times take their operands in turn."""

from __future__ import annotations

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []

P = np.array([0.3, 0.7, 1.2, -0.4])
Q = np.array([1.6, -0.2, 0.4, 0.9])


@program(P, Q, to=PROGRAMS)
def scaled_twice(x):
    v = x.copy()
    np.multiply.at(v, [0, 0], 1.5)
    return v


@program(P, Q, to=PROGRAMS)
def products_by_group(x):
    groups = np.array([0, 1, 0, 1])
    out = np.ones(3)
    np.multiply.at(out, groups, x)
    return out


@program(P, Q, to=PROGRAMS)
def divided_ones(x):
    v = np.ones(3)
    np.divide.at(v, [0, 0, 2], x[:3])
    return v


@program(np.array([1.3, 0.7, 1.2, 0.4]), to=PROGRAMS)
def powers(x):
    v = x.copy()
    np.power.at(v, [0, 0, 1], [2.0, 2.0, 3.0])
    return v


@program(np.array([1.3, 0.7, 1.2, 0.4]), to=PROGRAMS)
def powers_of_constants(x):
    v = np.full(3, 2.0)
    np.power.at(v, [1, 1], x[:2])
    return v


@program(P, Q, to=PROGRAMS)
def multiplied_by_zero_on_the_way(x):
    v = x.copy()
    np.multiply.at(v, [0, 0], [0.0, 3.0])
    np.add.at(v, [0, 1], x[2:])
    np.multiply.at(v, [1, 1], x[:2])
    return v


@program(P, Q, to=PROGRAMS)
def the_largest_of_each_group(x):
    v = np.zeros(2)
    np.maximum.at(v, [0, 0, 1, 1], x)
    return v


@program(P, Q, to=PROGRAMS)
def scattered_sums(x):
    v = np.zeros((2, 3))
    np.add.at(v, ([0, 0, 1, 0], [1, 1, 2, 1]), x**2)
    np.subtract.at(v, (slice(None), 0), x[0])
    return v


@program(P, Q, to=PROGRAMS)
def through_a_mask(x):
    v = x * 2
    np.multiply.at(v, np.array([True, False, True, False]), x[:2])
    return v


@program(P, Q, to=PROGRAMS)
def negated_and_squared(x):
    v = np.concatenate([x[:2], [3.0]])
    np.negative.at(v, [0, 0, 1])
    np.square.at(v, [2, 2, 1])
    return v, (v[2] - 81.0) * x[3]


@program(P, Q, to=PROGRAMS)
def truth_values(x):
    v = np.ones(4)
    np.logical_and.at(v, [0, 0, 1], x[:3] > 0)
    return v * x


@program(P, Q, to=PROGRAMS)
def of_its_own_elements(x):
    v = x.copy()
    np.multiply.at(v, [0, 0, 1], v[1:])
    return v


@program(P, Q, to=PROGRAMS, conservative="both parts of a complex number have one pattern")
def into_the_imaginary_part(x):
    z = x[:2] + 1j * x[2:]
    np.multiply.at(z.imag, [0, 0], x[:2])
    return z.real, z.imag


@program(P, Q, to=PROGRAMS, conservative="that each place is named once is not looked at")
def at_sorted_places(x):
    v = np.ones(4)
    np.multiply.at(v, np.argsort(x), x)
    return v


@program(P, Q, to=PROGRAMS)
def of_one_number(x):
    v = x[:2].copy()
    np.divide.at(v, 0, x[3])
    np.arctan2.at(v, [1, 1], x[2:])
    return v
