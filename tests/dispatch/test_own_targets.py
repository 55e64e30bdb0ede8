"""Arrays of libraries into which an operator writes: they are traced from then on."""

from __future__ import annotations

import functools
import weakref

import numpy as np
import pytest
import scipy.special as sc

import sparsetrace as st
from oracles import assert_same_pattern

X = np.array([0.7, 1.3, 0.4])
KEPT = np.hamming(3)
HELD = None


def nodes(x):
    t, w = sc.roots_hermite(3)
    w /= x[0]
    t += x[1]
    return w * x, t


def several_times(x):
    w = np.hamming(3)
    for v in x:
        w *= v
        w -= w[::-1] * x[0]
    return w


def in_a_closure(x):
    w = np.hamming(3)

    def seen():
        return w

    w *= x
    return seen()


def held_globally(x):
    global HELD
    HELD = np.hamming(3)
    HELD -= x
    return HELD


def of_complex_numbers(x):
    w = np.exp(1j * np.hamming(3))
    w *= x
    return w.imag


def in_a_library(x):
    return np.polynomial.hermite_e.hermegauss(3)[1] * x


EXPECTED = {
    nodes: [[1, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 0], [0, 1, 0], [0, 1, 0]],
    several_times: np.ones((3, 3)),
    in_a_closure: np.eye(3),
    held_globally: np.eye(3),
    of_complex_numbers: np.eye(3),
    in_a_library: np.eye(3),
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("f", EXPECTED)
def test_what_a_name_alone_holds_is_traced(f, local):
    assert_same_pattern(st.jacobian_sparsity(f, X, local=local), EXPECTED[f])
    assert HELD is None


@functools.cache
def table():
    return np.hamming(3)


def another_name(x):
    w = np.hamming(3)
    same = w
    w *= x
    return same


def a_view(x):
    w = np.hamming(3)
    part = w[1:]
    w *= x
    return part


def a_list(x):
    w = np.hamming(3)
    rows = [w]
    w *= x
    return rows[0]


def memory(x):
    w = np.hamming(3)
    seen = memoryview(w)
    w *= x
    return np.array(seen) * x[0]


def a_weak_reference(x):
    w = np.hamming(3)
    seen = weakref.ref(w)
    w *= x
    return seen()


def a_cache(x):
    w = table()
    w *= x
    return table()


def a_default(x, w=KEPT):
    w *= x
    return KEPT


class Model:
    def __init__(self):
        self.held = np.hamming(3)

    @property
    def w(self):
        return self.held

    @w.setter
    def w(self, value):
        pass


def a_property(x):
    model = Model()
    model.w *= x
    return model.held


def not_an_operator(x):
    w = np.hamming(3)
    np.multiply(w, x, out=w)
    return w


@pytest.mark.parametrize(
    "f",
    [
        *(another_name, a_view, a_list, memory, a_weak_reference, a_cache, a_property),
        not_an_operator,
    ],
)
def test_what_something_else_holds_is_refused(f):
    for local in (False, True):
        with pytest.raises(st.TracingError, match="ordinary array"):
            st.jacobian_sparsity(f, X, local=local)


def test_what_was_there_before_is_exchanged_wherever_it_is_held():
    before = KEPT.copy()
    assert_same_pattern(st.jacobian_sparsity(a_default, X), np.eye(3))
    assert np.array_equal(before, KEPT)


def test_numpys_own_errors_are_raised():
    def of_another_shape(x):
        w = np.hamming(2)
        w *= x
        return w

    def of_another_type(x):
        w = np.hamming(3)
        w *= 1j * x
        return w

    with pytest.raises(ValueError, match="broadcast"):
        st.jacobian_sparsity(of_another_shape, X)
    with pytest.raises(TypeError, match="Cannot cast"):
        st.jacobian_sparsity(of_another_type, X)
