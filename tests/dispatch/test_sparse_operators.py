"""Operators of arrays with objects that answer them."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern, jacobian_pattern_at, numerical_jacobian_pattern

X = np.array([0.8, 1.7, 0.6, 1.1])


class Quantity:
    __array_priority__ = 100

    def __init__(self, value):
        self.value = value

    def __rmul__(self, other):
        return other * self.value * 2

    def __radd__(self, other):
        return other[::-1] + self.value

    def __rsub__(self, other):
        return other[0] - self.value

    def __rtruediv__(self, other):
        return other / self.value[0]

    def __rpow__(self, other):
        return other**self.value

    def __rmatmul__(self, other):
        return other @ self.value

    def __rlshift__(self, other):
        return other[1:] * self.value

    def __ror__(self, other):
        return other * self.value[0]


class HandingOut(Quantity):
    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.value)


CALLS = {
    "times": lambda x: x * Quantity(x[::-1]),
    "plus": lambda x: x[:3] + Quantity(x[1:]),
    "minus": lambda x: x[:3] - Quantity(x[1:]),
    "divided by": lambda x: x[:3] / Quantity(x[3:]),
    "to the power of": lambda x: x ** Quantity(x[::-1]),
    "matrix product": lambda x: x[:2] @ Quantity(x[:2]),
    "shifted": lambda x: x << Quantity(x[1:]),
    "or": lambda x: x[2:] | Quantity(x),
    "numbers": lambda x: (x[0] * Quantity(x[3]), 2.0 * Quantity(x[1]), np.ones(2) * Quantity(x[2])),
    "beside an array of its own": lambda x: (x * HandingOut(x[::-1]), x[:2] + HandingOut(x[:2])),
}


@pytest.mark.parametrize("name", CALLS)
def test_arrays_give_way(name):
    f = CALLS[name]
    wanted = numerical_jacobian_pattern(f, X, low=0.3, high=3.0, points=8)
    assert_same_pattern(st.jacobian_sparsity(f, X), wanted)
    assert_same_pattern(st.jacobian_sparsity(f, X, local=True), jacobian_pattern_at(f, X))


def test_ufuncs_by_name_and_assignments_do_not():
    def changed(x):
        y = x.copy()
        y *= Quantity(x[0])
        return y

    for f in (changed, lambda x: np.multiply(x, Quantity(x[0]))):
        with pytest.raises((st.TracingError, TypeError)):
            st.jacobian_sparsity(f, X)
