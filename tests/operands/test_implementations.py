"""Functions that run NumPy's own implementation on traced arguments."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.numpy_calls.implementations import case
from oracles import assert_same_pattern


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


def test_numpy_modules_are_not_touched():
    before = dict(vars(np.lib._function_base_impl))
    st.jacobian_sparsity(np.gradient, np.ones(4))
    assert vars(np.lib._function_base_impl) == before


def test_gradient_of_the_names_of_a_module():
    """`from numpy import gradient` finds the same rule."""
    from numpy import gradient as renamed

    assert_same_pattern(
        st.jacobian_sparsity(renamed, np.ones(4)), st.jacobian_sparsity(np.gradient, np.ones(4))
    )


def test_polynomials_whose_leading_zeros_would_be_trimmed():
    """A leading coefficient may be zero for some x: none is dropped."""

    def f(x):
        return np.polyadd(x[:2], x[2:])[0], np.polymul(x[:2], x[2:])[0]

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(4)), [[1, 0, 1, 0], [1, 0, 1, 0]])


Polynomial = np.polynomial.Polynomial
MADE_ZERO = [
    lambda x: np.polynomial.polynomial.polymul(x, 0),
    lambda x: (Polynomial(x) * -np.zeros(1)).coef,
    lambda x: Polynomial(x[:2])(Polynomial(x[1:])).coef,
    lambda x: np.polynomial.chebyshev.chebmul(x[:2] * 0, x),
    lambda x: (np.poly1d(x) * -0.0 + np.poly1d(x[1:])).coeffs,
]


@pytest.mark.filterwarnings("default")  # else products may raise one, which classes swallow
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("f", MADE_ZERO)
def test_leading_coefficients_that_are_zero_for_all_inputs_are_trimmed(f, local):
    x = np.array([0.61, 1.37, 0.83])
    assert st.jacobian_sparsity(f, x, local=local).shape == (np.size(f(x)), 3)


def test_ix_of_a_traced_mask_has_the_size_that_it_has_for_the_arguments():
    def f(x):
        return x.reshape(2, 2)[np.ix_(x[:2] > 0, [0])]

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(4)), [[1, 0, 0, 0], [0, 0, 1, 0]])
    one = st.jacobian_sparsity(f, np.array([-1.0, 1.0, 1.0, 1.0]))
    assert_same_pattern(one, [[1, 0, 1, 0]])
