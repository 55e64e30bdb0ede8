"""Iterators over an array that is written meanwhile: each element is read when it is asked for."""

from __future__ import annotations

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []

P = np.array([0.3, 0.7, 1.2, -0.4])
Q = np.array([1.6, -0.2, 0.4, 0.9])


@program(P, Q, to=PROGRAMS)
def carried_on_to_the_next_element(x):
    y = x.copy()
    for i, v in enumerate(y[:-1]):
        y[i + 1] += v
    return y


@program(P, Q, to=PROGRAMS)
def pairs_from_both_ends(x):
    y = x.copy()
    for i, (v, w) in enumerate(zip(y, y[::-1], strict=True)):
        y[(i + 1) % 4] += v * w
    return y


@program(P, Q, to=PROGRAMS)
def asked_for_by_next(x):
    y = x.copy()
    items = iter(y)
    first = next(items)
    y[1] = x[3]
    second = next(items)
    y = y * x[0]  # another array: the iterator goes on with the old one
    return first, second, next(items)


@program(P, Q, to=PROGRAMS)
def mapped_one_by_one(x):
    y = x.copy()
    for i, v in enumerate(map(np.sin, y[:-1])):
        y[i + 1] -= v
    return y


@program(P, Q, to=PROGRAMS)
def rows_of_a_table(x):
    table = np.outer(x, [1.0, 2.0])
    for i, row in enumerate(table[:-1]):
        table[i + 1] *= row[::-1]
    return table


@program(P, Q, to=PROGRAMS)
def flat_over_columns(x):
    m = x.reshape(2, 2).copy()
    for i, v in enumerate(m.T.flat):
        m.flat[i] += v
    return m


@program(P, Q, to=PROGRAMS)
def flat_over_memory(x):
    m = x.reshape(2, 2).copy()
    for i, v in enumerate(m.flat):
        m.T.flat[3 - i] += v * x[i]
    return m


@program(P, Q, to=PROGRAMS)
def enumerated_with_their_places(x):
    m = x.reshape(2, 2).copy()
    for (i, j), v in np.ndenumerate(m.T):
        m[1 - j, i] += v
    return m


@program(P, Q, to=PROGRAMS, refused=["global", "local"])
def broadcast_to_each_other(x):
    m = x.reshape(2, 2).copy()
    for i, (v, w) in enumerate(np.broadcast(m, m[:1])):
        m.flat[(i + 1) % 4] += v * w
    return m


@program(P, Q, to=PROGRAMS)
def flat_goes_on_where_it_was(x):
    flat = x.flat
    first = next(flat)
    rest = sum(v * v for v in flat)
    return first, rest, sum(flat, x[1])


@program(P, Q, to=PROGRAMS)
def flat_begins_anew_after_an_index(x):
    m = x.reshape(2, 2).T
    flat = m.flat
    first = [next(flat), next(flat)]
    inside = flat[2]
    again = next(flat)
    flat[[1, 0]] = 1.0
    return [*first, inside, again], list(flat)


@program(P, Q, to=PROGRAMS)
def flat_as_an_array(x):
    m = x.reshape(2, 2).copy()
    a = np.asarray(m.flat)
    a[1] = x[3]
    b = m.T.flat.__array__().copy()
    b[0] = x[2]
    c = np.zeros((2, 2))
    np.asarray(c.flat)[:] = x
    c[0, 1] = x[0]
    return m, b, np.asarray(c.flat)


@program(P, Q, to=PROGRAMS)
def two_names_of_one_iterator(x):
    items = iter((x * x).flat)
    return [a * b for a, b in zip(items, items, strict=True)]
