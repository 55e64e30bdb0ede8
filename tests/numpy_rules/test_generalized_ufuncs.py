"""Ufuncs with core dimensions, and their options."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.numpy_calls.generalized_ufuncs import case


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.matmul(x, x, axis=0),
        lambda x: np.matmul(x, x, keepdims=True),
        lambda x: np.vecdot(x, x, axis=0, axes=[0, 0]),
    ],
)
def test_options_that_do_not_fit(f):
    with pytest.raises(TypeError):
        f(np.ones((2, 2)))
    with pytest.raises((TypeError, st.TracingError)):
        st.jacobian_sparsity(f, np.ones((2, 2)))
