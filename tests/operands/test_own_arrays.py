"""Objects that hand out an array by an ``__array__`` of their own."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern, jacobian_pattern_at, numerical_jacobian_pattern

X = np.array([0.8, 1.7, 0.6, 0.5, 1.2])


class Vector:
    """Holds an array, and hands it out."""

    def __init__(self, size=5):
        self.data = np.zeros(size)

    def __array__(self, dtype=None, copy=None):
        return self.data

    def __setitem__(self, key, value):
        self.data[key] = value

    def __getitem__(self, key):
        return self.data[key]

    def __len__(self):
        return len(self.data)


class Reversed(Vector):
    def __array__(self, dtype=None, copy=None):
        return self.data[::-1]


class Old(Vector):
    def __array__(self):
        return self.data


class Doubled(Vector):
    def __array__(self, dtype=None, copy=None):
        return np.array(self.data * 2, dtype=dtype)


class WithMethods(Vector):
    def sum(self, **options):
        return self.data[0]

    def round(self, **options):
        return self.data[::-1]


class WithPriority(Vector):
    __array_priority__ = 10

    def __radd__(self, other):
        return other + self.data[0]


class Answering(Vector):
    def __array_function__(self, function, types, args, kwargs):
        return self.data[0] * 2

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return self.data[1] * 3


class Numbers:
    def __init__(self, values):
        self.values = list(values)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values)


OUTSIDE, TURNED, OLD = Vector(), Reversed(), Old()


def made(cls, values):
    vector = cls(len(values))
    vector[:] = values
    return vector


def through_a_conversion(x):
    np.asarray(OUTSIDE)[2] = x[3]
    np.atleast_1d(OUTSIDE)[0] = x[1] ** 2
    np.require(OUTSIDE)[1] = x[0]
    np.ascontiguousarray(OUTSIDE)[3] = 0.0
    np.asarray(OUTSIDE, dtype=float)[4] = x[4]
    return OUTSIDE.data, OUTSIDE[2], np.linalg.norm(OUTSIDE)


def through_a_view(x):
    np.asarray(TURNED)[1:3] = x[:2]
    no_copy = np.array(TURNED)  # the method has said that it is one
    no_copy[0] = x[4]
    return TURNED.data, no_copy


def copied(x):
    OLD[:] = x
    copy = np.asarray(OLD).copy()
    copy[0] = x[3]
    return OLD.data, copy


def of_a_copy(x):
    vector = made(Doubled, x)
    array = np.asarray(vector)
    array[0] = x[3]
    return vector.data, array, np.multiply(vector, x)


def as_a_target(x):
    vector, total = Vector(3), np.zeros(3)
    np.multiply(x[:3], 2, out=np.asarray(vector))
    np.copyto(np.asarray(vector), x[2:], where=[True, False, True])
    return vector.data, np.add(x[:3], vector, out=total)


CALLS = {
    "a conversion": through_a_conversion,
    "a view": through_a_view,
    "a copy": of_a_copy,
    "no keywords": copied,
    "a target": as_a_target,
    "operators": lambda x: x * made(Vector, x[::-1]) - made(Vector, x),
    "ufuncs": lambda x: (
        np.sin(made(Vector, x)),
        np.exp2(made(Vector, x)),
        np.add(x, made(Vector, x[::-1])),
        np.multiply.outer(made(Vector, x), [1.0, 0.0]),
        np.add.reduce(made(Vector, x)),
    ),
    "functions": lambda x: (
        np.sum(made(Vector, x)),
        np.dot(made(Vector, x), x),
        np.concatenate([made(Vector, x), x]),
        np.where(x > 1, made(Vector, x), 0.0),
        np.interp(0.5, [0.0, 1.0], made(Vector, x[:2])),
        np.linalg.solve(np.diag(np.ones(5)), made(Vector, x)),
    ),
    "lists of them": lambda x: (
        np.array([made(Vector, x), made(Vector, x[::-1])]),
        np.stack([made(Vector, x), x]),
        np.array([[made(Vector, x)], [x]]),
    ),
    "numbers in a list": lambda x: (
        np.asarray(Numbers([x[0], x[1] ** 2, 3.0])),
        np.stack([Numbers(x[:3]), x[2:]]),
        np.sin(Numbers([x[3], 1.0])),
    ),
    "methods of its own": lambda x: (
        np.sum(made(WithMethods, x)),
        np.around(made(WithMethods, x)),
        np.mean(made(WithMethods, x)),
    ),
    "operators of its own": lambda x: np.ones(5) + made(WithPriority, x[::-1]),
    "protocols of its own": lambda x: (
        np.sum(made(Answering, x)),
        np.add(x, made(Answering, x)),
        x * made(Answering, x),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_jacobians(name):
    f = CALLS[name]
    wanted = numerical_jacobian_pattern(f, X, low=0.3, high=3.0, points=8)
    assert_same_pattern(st.jacobian_sparsity(f, X), wanted)
    assert_same_pattern(st.jacobian_sparsity(f, X, local=True), jacobian_pattern_at(f, X))


def test_objects_outside_hold_what_they_held():
    OUTSIDE.data[:] = 7.0
    assert st.jacobian_sparsity(through_a_conversion, X).nnz
    assert OUTSIDE.data.tolist() == [7.0] * 5
    assert type(OUTSIDE.data) is np.ndarray
