"""Which results have memory of their own, and targets that are arrays of objects or matrices."""

from __future__ import annotations

import copy
import operator

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []

P = np.array([0.3, 0.7, 1.2, -0.4])
Q = np.array([1.6, -0.2, 0.4, 0.9])


def either(question, x):
    return x[0] if question else x[1] * x[2]


@program(P, Q, to=PROGRAMS)
def conversions_to_another_order(x):
    y = x.reshape(2, 2) * 1
    columns = y.astype(float, order="F", copy=False)
    rows = y.T.astype("f8", order="C", copy=False)
    small = np.asarray(y, order="f")
    y[...] = x[::-1].reshape(2, 2)
    return columns, rows, small


@program(P, Q, to=PROGRAMS)
def required_memory_of_its_own(x):
    y = x.reshape(2, 2)
    own = np.require(y, requirements=["O"])
    repeated = np.require(np.broadcast_to(x[0], (2,)), requirements=["W"])
    same = np.require(x, float, ["C", "O"])
    y[0] = x[2:] * x[3]
    repeated[1] = x[3]
    return own, repeated, same


@program(P, Q, to=PROGRAMS)
def whose_memory_it_is(x):
    y = x * 2
    return (
        either(x.base is None, x),
        either(x.flags.owndata, x),
        either(x[1:].base is x, x),
        either(y[1:][1:].base is y, x),
        either(x.reshape(2, 2).base is x, x),
        either(x.view().base is x, x),
        either(x.reshape(2, 2).copy().base is None, x),
        either(x.real is x and x.squeeze() is x, x),
        either((x @ np.eye(4)).flags.owndata, x),
        either(np.vectorize(lambda v: v * 2)(x).flags["OWNDATA"], x),
        either(y.reshape(2, 2).flags.owndata, x),
    )


@program(P, Q, to=PROGRAMS)
def an_iterator_of_an_array(x):
    it = iter(x)
    next(it)
    left = copy.copy(it)
    next(it)
    rows = iter(x.reshape(2, 2))
    return operator.length_hint(it) * x[0], next(left) * next(it), next(rows), len(list(rows)) * x


@program(P, Q, to=PROGRAMS)
def an_array_of_a_flat_iterator(x):
    y = (x * 1)[::-1]
    turned = np.asarray(y.flat)
    b = np.zeros(4)
    np.asarray(b.flat)[1:] = x[1:] * x[0]
    c = x * 1
    np.asarray(c.flat)[0] = x[3]
    y[0] = x[1]
    return turned, b, c


@program(P, Q, to=PROGRAMS, refused=("global", "local"))
def views_of_an_iterator(x):
    y = x * 1
    it = np.nditer(y, op_flags=["readwrite"])
    it.itviews[0][...] = x[0]
    return y


@program(P, Q, to=PROGRAMS, refused=("global", "local"))
def a_copy_of_an_iterator(x):
    return sum(v * x[0] for v in np.nditer(x).copy())


@program(P, Q, to=PROGRAMS, refused=("global", "local"))
def sums_into_an_array_of_objects(x):
    y = (x * 1).astype(object)
    np.cumsum(x, out=y)
    return y.astype(float)


@program(P, Q, to=PROGRAMS, refused=("global", "local"))
def stacked_into_an_array_of_objects(x):
    y = (x * 1).astype(object)
    np.stack([x[0]] * 4, out=y)
    return y.astype(float)


@program(P, Q, to=PROGRAMS, refused=("global", "local"))
def clipped_into_an_array_of_objects(x):
    y = (x * 1).astype(object)
    np.clip(y * x[1], -1, 1, y)
    return y.astype(float)


@program(P, Q, to=PROGRAMS)
def operators_in_place_of_a_matrix(x):
    m = np.matrix(x.reshape(2, 2) * 1)
    same = m
    m += x[0]
    m -= m.T * x[1]
    n = operator.imul(m, 2.0)
    n /= x[3]
    return np.asarray(same)


@program(P, Q, to=PROGRAMS)
def copies_of_a_matrix(x):
    m = np.matrix(x.reshape(2, 2) * 1)
    first, second, line = copy.copy(m), copy.deepcopy([m])[0], np.matrix(x[::-1]).A1
    m[0] = x[2:] * x[1]
    return np.asarray(first), np.asarray(second), line, np.asarray(m)


@program(P, Q, to=PROGRAMS, refused=("global", "local"))
def a_masked_matrix(x):
    m = np.matrix(x.reshape(2, 2) * 1)
    np.ma.masked_array(m, mask=False).data[0] = x[3]
    return np.asarray(m)


@program(P, Q, to=PROGRAMS, refused=("global", "local"))
def masked_objects(x):
    y = (x * 1).astype(object)
    np.ma.array(y, copy=False)[1] = x[3]
    return y.astype(float)


@program(P, Q, to=PROGRAMS)
def masked_arrays_in_order(x):
    y = np.asfortranarray(x.reshape(2, 2) * 1)
    rows = np.ma.asarray(y)
    m = np.ma.array(x * 1, mask=[0, 1, 0, 0])
    converted, owned = m.astype(float), np.require(m, requirements="O")
    m[...] = m[::-1] * x[3]
    y[...] = x[0]
    return rows.filled(0), converted.filled(0), owned.filled(0), m.filled(0)


@program(P, Q, to=PROGRAMS)
def a_matrix_of_masked_data(x):
    m = np.ma.array(x * 1, mask=[0, 1, 0, 0])
    np.asmatrix(m)[0, 1] = x[0] * x[2]
    return m.data


@program(P, Q, to=PROGRAMS, refused=("global", "local"))
def made_longer_in_place(x):
    weights = np.array([2.0, 3.0])
    weights.resize(x.size, refcheck=False)
    return x * weights


@program(P, Q, to=PROGRAMS)
def made_a_table_in_place(x):
    weights = np.ones(4)
    weights.resize((2, 2), refcheck=False)
    weights[1] = x[:2]
    return weights @ x[1:3]
