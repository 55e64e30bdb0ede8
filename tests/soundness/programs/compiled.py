"""Compiled callees: functions that numba made machine code of, met by every route."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import math

import numpy as np
from numpy import zeros

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
NEEDS = "numba"
"""Without this package there are no programs here."""

x4 = np.array([0.5, -1.5, 2.0, 0.8])
y4 = np.array([-0.7, 1.2, -0.3, 2.5])


def add(numba):
    """Compile the functions, and add the programs that call them."""
    njit, prange = numba.njit, numba.prange

    square = njit(lambda u: u * u)
    square(2.0), square(x4)  # compiled before any trace

    @program(x4, to=PROGRAMS)
    def compiled_before(x):
        return square(x) + x[::-1]

    @program(x4, to=PROGRAMS)
    def of_single_numbers(x):
        return [square(x[0]) * x[1], square(3.0) * x[2]]

    @njit
    def flux(u, k, out):
        for i in range(1, len(u) - 1):
            if u[i] > 0:
                out[i] = k * (u[i] - u[i - 1])
            else:
                out[i] = math.sin(u[i + 1])

    @program(x4, y4, to=PROGRAMS)
    def kernel_fills_a_buffer(x):
        out = np.zeros(len(x))
        flux(x, 2.0, out)
        return out

    @program(x4, y4, to=PROGRAMS)
    def kernel_fills_an_early_bound_buffer(x):
        out = zeros(len(x))
        flux(x, 2.0, out)
        return out

    @njit
    def scratch(n):
        w = zeros(n)
        w[0] = 1.0
        return w

    @program(x4, to=PROGRAMS)
    def compiled_allocator(x):
        w = scratch(len(x))
        w[1] = x[2]
        return w * x

    @njit
    def first_row(a):
        return a[0]

    @program(x4, to=PROGRAMS)
    def view_of_a_buffer_from_compiled_code(x):
        table = np.ones((2, 4))
        row = first_row(table)
        row[:] = x
        return table.sum(axis=0) * table[1]

    @njit
    def apply(g, u):
        return g(u) + 1.0

    @program(x4, to=PROGRAMS)
    def passed_as_an_argument(x):
        return list(map(functools.partial(apply, square), x))

    class Model:
        @staticmethod
        @njit
        def rate(u, v):
            return u * v

    kernels = {"flux": flux}

    @program(x4, y4, to=PROGRAMS)
    def kept_in_a_dict_and_a_class(x):
        out = np.empty_like(x)
        out[:] = 0.0
        kernels["flux"](x, 0.5, out=out)
        return out + Model.rate(x, x[3])

    @njit(parallel=True)
    def total(u):
        s = 0.0
        out = np.zeros_like(u)
        for i in prange(u.size):
            s += u[i] * u[i]
            out[i] = s * 0.0 + u[i]
        return s, out

    @program(x4, to=PROGRAMS)
    def parallel_loop(x):
        s, out = total(x)
        return out * s

    @numba.vectorize
    def soft(a, b):
        if a > b:
            return a - b
        return 0.0 * a + b * b

    soft(x4, 1.0)

    @program(x4, y4, to=PROGRAMS, conservative="the threshold is decided for every element")
    def vectorized(x):
        return soft(x, x[::-1])

    @numba.vectorize(["float64(float64, float64)"])
    def scaled(a, b):
        return a * b

    @program(x4, to=PROGRAMS)
    def vectorized_with_types_into_a_buffer(x):
        out = np.empty(4)
        scaled(x, 3.0, out=out)
        return out * scaled(x[0], x[1])

    single = numba.vectorize(["float32(float32)"])(lambda a: a + 1)

    @program(x4, to=PROGRAMS)
    def vectorized_for_other_types(x):
        return single(x.astype(np.float32))

    @numba.guvectorize(["(float64[:], float64, float64[:])"], "(n),()->(n)")
    def running(u, k, out):
        s = 0.0
        for i in range(u.shape[0]):
            s = k * s + u[i]
            out[i] = s

    @program(x4, to=PROGRAMS)
    def guvectorized(x):
        return running(x.reshape(2, 2), x[:2])

    @numba.guvectorize("(n)->()")
    def spread(u, out):
        out[0] = u[0] - u[-1]

    @program(x4, to=PROGRAMS)
    def guvectorized_without_types(x):
        out = np.zeros(2)
        spread(x.reshape(2, 2) * x[0], out)
        return out

    @numba.stencil
    def laplacian(u):
        return u[-1] - 2 * u[0] + u[1]

    second_difference = njit(lambda u: laplacian(u))

    @program(x4, to=PROGRAMS, refused=("global", "local"))
    def stencil(x):
        return second_difference(x)

    @numba.cfunc("float64(float64)")
    def callback(a):
        return a * a

    @program(x4, to=PROGRAMS)
    def called_by_python(x):
        return [callback(x[0]), callback(x[1]) * x[2]]

    @program(x4, to=PROGRAMS, refused=("global", "local"))
    def called_by_c(x):
        return callback.ctypes(x[0])

    fields = [("a", numba.float64), ("w", numba.float64[:])]

    @numba.experimental.jitclass(fields)
    class Spring:
        def __init__(self, a):
            self.a = a
            self.w = np.array([1.0, 0.0, 2.0, 3.0])

        def force(self, u):
            return self.a * u * self.w

    spring = Spring(2.0)

    @program(x4, to=PROGRAMS)
    def method_of_a_compiled_class(x):
        return spring.force(x) + spring.a * x[0] ** 2

    @program(x4, to=PROGRAMS, refused=("global", "local"))
    def attribute_of_a_compiled_class(x):
        s = Spring(1.0)
        s.a = x[0]
        return s.force(x)

    @program(x4, to=PROGRAMS, refused=("global", "local"))
    def compiled_class_made_of_traced_numbers(x):
        try:
            return Spring(x[0]).force(x)
        except Exception:
            return x

    @program(x4, to=PROGRAMS, refused=("global", "local"))
    def typed_list(x):
        held = numba.typed.List()
        held.append(2.0)
        held.append(x[0])
        return held[1] * x

    @njit("float64[:](float64[:])")
    def typed(u):
        return u[1:] - u[:-1]

    @program(x4, to=PROGRAMS)
    def declared_for_floats(x):
        return typed(x)

    @njit(["float32(float32, int64)", "float64(float64, int64)"])
    def twice_declared(u, k):
        return u * k

    @program(x4, to=PROGRAMS)
    def declared_for_two_types(x):
        return [twice_declared(x[0], 3), twice_declared(x[1], 0)]

    @njit("int64(int64)")
    def whole(n):
        return n * n

    @program(x4, to=PROGRAMS, refused=("global", "local"))
    def declared_for_whole_numbers(x):
        return whole(x[0]) * x

    @njit("Tuple((int64, float64[:], boolean, optional(float64)))(float64[:], int64[:], boolean)")
    def placed(u, places, twice):
        if twice:
            return len(u), u[places], twice, u[0]
        return len(u), u[places], twice, None

    @program(x4, to=PROGRAMS)
    def declared_for_places(x):
        count, values, twice, first = placed(x, np.argsort(x), True)
        return (
            values.sum() * count * (2 if twice else 1),
            first,
            placed(x, np.array([3, 0]), False)[1],
        )

    @njit("int64(float64)")
    def cut_off(v):
        return v

    @program(x4, to=PROGRAMS, refused=("global", "local"))
    def declared_to_give_whole_numbers(x):
        return cut_off(x[0]) * x

    @njit(locals={"s": numba.int64})
    def truncated(u):
        s = u
        return s

    @program(x4, to=PROGRAMS, refused=("global", "local"))
    def declared_variables(x):
        return truncated(x[0]) * x

    def doubled(u):
        raise NotImplementedError

    @numba.extending.overload(doubled)
    def _doubled(u):
        return lambda u: 2.0 * u

    @njit
    def uses_overload(u):
        return doubled(u)

    uses_overload(1.0)

    @program(x4, y4, to=PROGRAMS, refused=("global", "local"))
    def overload_without_a_source(x):
        try:
            return uses_overload(x[0]) + x
        except NotImplementedError:
            return x

    def fill(out, u):
        """Of which the compiler has another source."""

    @numba.extending.overload(fill)
    def _fill(out, u):
        def compiled(out, u):
            out[:] = 2.0 * u

        return compiled

    @njit
    def uses_a_stub(u):
        out = np.ones(len(u))
        fill(out, u)
        return out * u[0]

    @program(x4, to=PROGRAMS, refused=("global", "local"))
    def overload_of_a_stub(x):
        return uses_a_stub(x)

    @numba.extending.register_jitable
    def helper(u):
        return u * u[0]

    @program(x4, to=PROGRAMS)
    def jitable_helper(x):
        return jitable(x)

    jitable = njit(lambda u: helper(u) + 1.0)

    @njit
    def with_python(u):
        w = u * 2.0
        with numba.objmode(s="float64[:]"):
            s = np.cumsum(w)
        return s

    @program(x4, to=PROGRAMS)
    def object_mode(x):
        return with_python(x)

    @njit
    def pairs(t):
        a, b = t
        return a * b[0]

    @program(x4, to=PROGRAMS)
    def tuples(x):
        return pairs((x, x[1:]))

    # the function traced is itself compiled
    @njit
    def rosenbrock(u):
        s = 0.0
        for i in range(len(u) - 1):
            s += 100.0 * (u[i + 1] - u[i] ** 2) ** 2 + (1.0 - u[i]) ** 2
        return s

    program(x4, to=PROGRAMS)(rosenbrock)


if importlib.util.find_spec(NEEDS) is not None:
    importlib.import_module("numba.experimental")
    add(importlib.import_module(NEEDS))
