"""Python functions given to NumPy: what they close over, their state and their branches."""

from __future__ import annotations

import functools
import math

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []

P = np.array([0.3, 0.7, 1.2, -0.4])
Q = np.array([1.6, -0.2, 0.4, 0.9])

HALVED = np.frompyfunc(lambda v: v / 2 if v > 0.5 else v * v, 1, 1)
SCALE = {"by": 2.0}
SCALED = np.frompyfunc(lambda v: v * SCALE["by"], 1, 1)


@program(P, Q, to=PROGRAMS)
def shifted_by_an_input(x):
    return np.frompyfunc(lambda v: v + x[0], 1, 1)(x[1:]).astype(float)


@program(P, Q, to=PROGRAMS)
def of_constants_alone(x):
    weights = np.frompyfunc(lambda k: k * x[3] + 1.0, 1, 1)(np.arange(4))
    return np.array(weights, float) * x


@program(P, Q, to=PROGRAMS)
def summed_objects(x):
    terms = np.frompyfunc(lambda k: (k + 1) * x[k] ** 2, 1, 1)(np.arange(3))
    return np.sum(terms), terms[0] * terms[2], terms @ x[1:]


@program(P, Q, to=PROGRAMS)
def objects_cast_to_floats(x):
    return np.frompyfunc(lambda k: k * x[0], 1, 1)(np.arange(3)).astype(float)


@program(P, Q, to=PROGRAMS)
def reduced(x):
    horner = np.frompyfunc(lambda acc, c: acc * x[0] + c, 2, 1)
    return horner.reduce(x[1:]), horner.reduce([1.0, 2.0, 3.0])


@program(P, Q, to=PROGRAMS)
def accumulated(x):
    leaky = np.frompyfunc(lambda state, v: x[3] * state + v, 2, 1)
    return leaky.accumulate(x[:3]).astype(float)


@program(P, Q, to=PROGRAMS)
def every_pair(x):
    kernel = np.frompyfunc(lambda a, b: np.exp(-x[0] * (a - b) ** 2), 2, 1)
    return kernel.outer(x[1:], [0.0, 0.5]).astype(float)


@program(P, Q, to=PROGRAMS)
def second_result(x):
    low, high = np.frompyfunc(lambda v: (v * v, v * x[1]), 1, 2)(x[2:])
    return np.concatenate([low, high]).astype(float)


@program(P, Q, to=PROGRAMS)
def over_segments(x):
    joined = np.frompyfunc(lambda a, b: a + b * x[0], 2, 1)
    return joined.reduceat(x, [0, 2]).astype(float)


@program(P, Q, to=PROGRAMS)
def in_place(x):
    y = x.copy()
    np.frompyfunc(lambda a, b: a * b + x[2], 2, 1).at(y, [0, 0, 1], [2.0, x[3], 3.0])
    return y


@program(P, Q, to=PROGRAMS)
def made_outside(x):
    return (HALVED(x) + SCALED(x)).astype(float)


@program(P, Q, to=PROGRAMS)
def state_in_a_module(x):
    SCALE["by"] = x[0]
    try:
        return SCALED(x[1:]).astype(float)
    finally:
        SCALE["by"] = 2.0


@program(P, Q, to=PROGRAMS)
def builtins_of_math(x):
    return np.vectorize(math.erf)(x), np.frompyfunc(math.exp, 1, 1)(x[:2]).astype(float)


@program(P, Q, to=PROGRAMS)
def vectorized_over_constants(x):
    return np.vectorize(lambda k: k * x[0] + x[1])(np.arange(1.0, 4.0))


@program(P, Q, to=PROGRAMS)
def vectorized_with_its_type(x):
    return np.vectorize(lambda k: x[int(k)] * 2, otypes=[float])(np.array([3, 0]))


@program(P, Q, to=PROGRAMS, conservative="paths of a branch on x[0] are united over all calls")
def the_first_one_is_remembered(x):
    seen = []

    def relative(v):
        seen.append(v)
        return v * seen[0] if v > 0.5 else v

    return np.vectorize(relative, otypes=[float])(x[:3])


@program(P, Q, to=PROGRAMS, conservative="paths of a branch are united over all calls")
def counted(x):
    count = 0

    def weighed(v):
        nonlocal count
        count += 1
        return v * x[count % 4] if v > 0 else v

    return np.vectorize(weighed)(x[:3])


@program(P, Q, to=PROGRAMS, conservative="values that a branch left are united")
def running_best(x):
    best = {"v": x[0]}

    def track(v):
        if v > best["v"]:
            best["v"] = v
        return best["v"] * v

    return np.frompyfunc(track, 1, 1)(x[1:]).astype(float)


@program(P, Q, to=PROGRAMS)
def excluded_and_named(x):
    polynomial = np.vectorize(lambda v, c: c[0] * v + c[1], excluded=["c"])
    return polynomial(x[:2], c=x[2:])


@program(P, Q, to=PROGRAMS)
def by_partial(x):
    return np.frompyfunc(functools.partial(lambda a, v: a * v, x[0]), 1, 1)(np.ones(2)).tolist()


@program(P, Q, to=PROGRAMS)
def along_an_axis(x):
    return np.apply_along_axis(lambda row: row * x[0] + row.sum(), 1, x.reshape(2, 2))


@program(P, Q, to=PROGRAMS)
def folded(x):
    return functools.reduce(lambda a, k: a * x[1] + k, np.array([1.0, 2.0, 3.0]), x[0])


class Model:
    """A gain that a method applies, number by number."""

    def __init__(self, gain):
        self.gain = gain

    def apply(self, v):
        return v * self.gain if v > 0 else v

    def __call__(self, values):
        return np.frompyfunc(self.apply, 1, 1)(values).astype(float)


@program(P, Q, to=PROGRAMS)
def method_of_an_object(x):
    return Model(x[0])(x[1:])
