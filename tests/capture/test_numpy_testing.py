"""Assertions of ``numpy.testing`` in traced functions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import sparsetrace as st
from oracles import assert_same_pattern, jacobian_pattern_at, numerical_jacobian_pattern

X = np.array([0.8, 1.7, 2.6])


def checked(x):
    np.testing.assert_array_less(0.0, x)
    np.testing.assert_equal(x.shape, (3,))
    np.testing.assert_equal(len(x), 3)
    np.testing.assert_almost_equal(x[0], x[0] * 1.0, decimal=9, err_msg="x")
    np.testing.assert_array_almost_equal(x, x + 1e-12)
    np.testing.assert_array_equal([x[0], 2.0], [x[0], 2.0])
    np.testing.assert_array_max_ulp(x, x)
    np.testing.assert_array_almost_equal_nulp(x, x)
    np.testing.assert_approx_equal(x[1], x[1])
    assert_allclose(x, x * (1 + 1e-12), rtol=1e-9)
    return x[0] * x[1]


def caught(x):
    try:
        np.testing.assert_allclose(x[0], 1.0, atol=1.0)
    except AssertionError:
        return x[1] ** 2
    return x[2]


@pytest.mark.parametrize("f", [checked, caught])
def test_jacobians(f):
    wanted = numerical_jacobian_pattern(f, X, low=0.3, high=4.0, points=20)
    assert_same_pattern(st.jacobian_sparsity(f, X), wanted)
    for x in (X, X[::-1]):
        assert_same_pattern(st.jacobian_sparsity(f, x, local=True), jacobian_pattern_at(f, x))


def test_at_a_point_what_fails_raises():
    def f(x):
        assert_allclose(x[0], x[1])
        return x[2]

    assert st.jacobian_sparsity(f, X).nnz == 1
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        st.jacobian_sparsity(f, X, local=True)
    with pytest.raises(TypeError):
        st.jacobian_sparsity(lambda x: assert_allclose(x, x, wrong=1), X)
