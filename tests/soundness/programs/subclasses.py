"""Subclasses of ndarray, whose operators may mean something else than those of arrays."""

import functools
import operator

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
M = np.array([[1.5, 2.5], [3.5, 4.5]])
BOTH = ("global", "local")


class Product(np.ndarray):
    """Multiplies as a matrix, from both sides."""

    def __mul__(self, other):
        return np.asarray(self) @ other

    def __rmul__(self, other):
        return other @ np.asarray(self)


class Weighing(np.ndarray):
    """Has a weight in its products from the right, and in its sums."""

    weight = 1.0

    def __array_finalize__(self, source):
        self.weight = getattr(source, "weight", 1.0)

    def __rmul__(self, other):
        return np.asarray(self).sum() * other * np.asarray(self)

    def __mul__(self, other):
        return np.asarray(self) * other * self.weight


class Adding(np.ndarray):
    """Adds where others multiply."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [np.asarray(x) if isinstance(x, Adding) else x for x in inputs]
        chosen = np.add if ufunc is np.multiply else ufunc
        return getattr(chosen, method)(*plain, **kwargs)


class Tagged(np.ndarray):
    """Carries a name, and computes as an array."""

    def __array_finalize__(self, source):
        self.name = getattr(source, "name", "none")


class Reversing(np.ndarray):
    """Reads itself backwards."""

    def __array_function__(self, function, types, args, kwargs):
        plain = [np.asarray(x)[::-1] if isinstance(x, Reversing) else x for x in args]
        return function(*plain, **kwargs)


@program(np.matrix(M), to=PROGRAMS, refused=BOTH)
def a_matrix_squared(m):
    return m * m


@program(M.view(Product), to=PROGRAMS)
def operators_of_its_own(m):
    return m * m


@program(M.view(Tagged), to=PROGRAMS)
def an_attribute_decides(m):
    return m * 2 if isinstance(m, Tagged) else m[::-1]


@program((M, np.matrix(M)), to=PROGRAMS, refused=BOTH, static_argnums=1)
def times_a_matrix(x, m):
    return x * m


@program((M, np.matrix(M)), to=PROGRAMS, refused=("global",))
def an_unknown_matrix(x, m):
    return x * float(m[0, 0])


@program(M, to=PROGRAMS)
def times_a_type_that_multiplies_otherwise(x):
    return x * np.ones((2, 2)).view(Product)


@program(M, to=PROGRAMS)
def a_number_times_a_type_that_multiplies_otherwise(x):
    return x[0, 0] * (x @ np.ones((2, 2))).view(Weighing)


@program(M, to=PROGRAMS, refused=BOTH)
def an_operator_as_a_function(x):
    return functools.reduce(operator.mul, [x, np.ones((2, 2)).view(Product)])


@program(M, to=PROGRAMS)
def a_ufunc_in_place_of_its_operator(x):
    return np.multiply(x, np.triu(M).view(Product))


@program(M, to=PROGRAMS)
def constants_with_a_sum_of_their_own(x):
    table = np.array([1.0, 3.0]).view(Weighing)
    table.weight = x[0, 0]
    return np.average(table, weights=x[1]) + np.zeros(2)


@program(M, to=PROGRAMS)
def a_type_that_multiplies_otherwise_comes_first(x):
    return np.ones((2, 2)).view(Product) * x


@program(M, to=PROGRAMS, refused=BOTH)
def a_number_times_a_matrix(x):
    return x[0, 0] * np.matrix(M) * x[1, 1]


@program(M, to=PROGRAMS)
def a_type_with_ufuncs_of_its_own(x):
    return np.multiply(x, np.zeros((2, 2)).view(Adding))


@program(M, to=PROGRAMS)
def a_type_with_ufuncs_of_its_own_comes_first(x):
    return np.zeros((2, 2)).view(Adding) * x


@program(M, to=PROGRAMS)
def a_type_with_functions_of_its_own(x):
    return np.dot(x, np.triu(M).view(Reversing))


@program(M, to=PROGRAMS)
def a_type_that_computes_as_arrays_do(x):
    return x * np.triu(M).view(Tagged) + np.tril(M).view(Tagged) @ x


@program(M, to=PROGRAMS)
def made_a_matrix(x):
    return np.asmatrix(x) * np.asmatrix(x)


@program(M, to=PROGRAMS)
def copied_into_a_matrix(x):
    return np.matrix(x) ** 2


@program(M, to=PROGRAMS)
def a_matrix_of_elements(x):
    m = np.matrix([[x[0, 0], x[0, 1]], [x[1, 0], x[1, 1]]])
    return m * m


@program(M, to=PROGRAMS)
def blocks(x):
    return np.bmat([[x, x], [x, x]]) * np.bmat([[x], [x]])


@program(M, to=PROGRAMS)
def seen_as_a_matrix(x):
    return x.view(np.matrix) * x


@program(M, to=PROGRAMS)
def seen_as_a_type_of_the_program(x):
    return x.view(type=Product) * x


@program(M, to=PROGRAMS, refused=BOTH)
def filled_into_a_matrix(x):
    m = np.asmatrix(np.zeros((2, 2)))
    m[:] = x
    return m * m


@program(M, to=PROGRAMS, refused=BOTH)
def records(x):
    table = np.zeros(2, [("a", float), ("b", float)]).view(np.recarray)
    table.a = x[0]
    return table.a * x[1]
