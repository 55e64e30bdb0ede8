"""Lists as arguments: they repeat, join, grow and nest as lists do."""

import operator

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
L = [1.5, 2.5, 3.5]
P = np.array(L)


@program(L, to=PROGRAMS)
def repeated(x):
    return sum(v**2 for v in (x * 2)[3:])


@program(L, to=PROGRAMS)
def repeated_and_reversed(x):
    return [a * b for a, b in zip(x * 2, reversed(x * 2), strict=True)]


@program(L, to=PROGRAMS)
def joined(x):
    return (x + [1.0, 2.0])[1:]  # noqa: RUF005 - what is tested


@program(L, to=PROGRAMS)
def two_joined(x):
    return x + x[:1]


@program(L, to=PROGRAMS)
def grown(x):
    y = list(x)
    y.append(x[0] * x[1])
    y.insert(0, x[2])
    y += [y[-1] ** 2]
    return y


@program(L, to=PROGRAMS)
def emptied(x):
    y = x[:]
    total = 0.0
    while y:
        total = total * 0.5 + y.pop()
    return total


@program(L, to=PROGRAMS)
def turned_around_in_place(x):
    y = x.copy()
    y.reverse()
    y[0] = 2.0
    del y[1]
    return y


@program(L, to=PROGRAMS)
def unpacked(x):
    first, *rest = x
    return [first * v for v in rest]


@program(L, to=PROGRAMS)
def as_an_array(x):
    y = np.array(x)
    return y * np.asarray(x)[::-1] + np.sum(x)


@program(L, to=PROGRAMS)
def with_an_array(x):
    return np.ones(3) * x + np.arange(3.0)


@program(L, to=PROGRAMS, conservative="any number may be the smallest")
def in_order(x):
    return sorted(x)[::-1]


@program(L, to=PROGRAMS)
def a_weighted_sum(x):
    return sum(w * v for w, v in zip([0.0, 1.0, 2.0], x, strict=True)) / len(x)


@program([[1.5, 2.5], [3.5, 4.5]], to=PROGRAMS)
def rows(m):
    swapped = [m[1], m[0]]
    return [sum(row) for row in swapped] + m[0]


@program([[1.5, 2.5], [3.5, 4.5]], to=PROGRAMS)
def rows_joined(m):
    return (m[0] + m[1])[1:3]


@program([[1.5, 2.5], [3.5, 4.5]], to=PROGRAMS)
def columns(m):
    return [a * b for a, b in zip(*m, strict=True)]


@program(L, to=PROGRAMS)
def truth_of_a_list(x):
    return x[0] if x and isinstance(x, list) else x[1]


@program(L, to=PROGRAMS, conservative="the numbers may be equal")
def a_place(x):
    return x[x.index(x[1])] * x[2]


@program((L, [0.0, 0.0]), (L, [1.0, 2.0]), to=PROGRAMS)
def beside_an_unknown_list(x, w):
    return [a * b for a, b in zip((w * 2)[1:], x, strict=True)]


@program([1, 2, 3], to=PROGRAMS)
def whole_numbers(x):
    return [x[0] / x[1], x[2] * 1.5]


@program(P, to=PROGRAMS)
def repeated_by_a_number_that_counts_nothing(x):
    found = []
    for ask in (
        lambda v: [0.0, 1.0] * v,
        lambda v: v * (0.0, 1.0),
        lambda v: list(x) * v,
        lambda v: "ab" * v,
        lambda v: operator.imul([1.0], v),
    ):
        try:
            found.append(ask(x[0])[0])
        except TypeError:
            found.append(x[len(found) % 3] * x[1])
    return found


class Pair(tuple):
    """With a product of its own."""

    def __mul__(self, v):
        return [a * v * v for a in self]

    __rmul__ = __mul__


@program(P, to=PROGRAMS)
def products_of_a_tuple_of_its_own(x):
    return Pair((1.0, 2.0)) * x[0], x[1] * Pair((1.0, 2.0))


@program(P, np.array([1.5, 9.0, 3.5]), to=PROGRAMS)
def repeated_by_a_place(x):
    return sum([x[1]] * np.argmax(x)) + x[2]
