"""Functions that choose: where, select, piecewise, clip, take, pad, interp, copyto."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.numpy_calls.selection import case
from oracles import assert_same_pattern, dense


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


def test_clip_under_a_mask_needs_a_target():
    """Elsewhere the elements are those of memory that nobody wrote."""

    def f(x):
        return np.clip(x, 0, 1, where=np.array([True, False, True]))

    with pytest.raises(st.UnsupportedError, match="where"):
        st.jacobian_sparsity(f, np.ones(3))


def test_a_condition_of_known_values_chooses():
    def f(x):
        return np.where(np.zeros_like(x) > 0, x, 2.0)

    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 0


def test_opaque_choices_unite():
    def f(x):
        return np.where(x > 0, np.floor(x), 1.0)

    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 0
    values = st.jacobian_sparsity(f, np.ones(3), dependency=True)
    assert_same_pattern(values, np.eye(3))


def test_put_of_ranges_by_an_opaque_index():
    def f(x):
        y = np.zeros_like(x)
        y[np.argmax(x)] = x[0]
        return y

    assert dense(st.jacobian_sparsity(f, np.ones(3)))[:, 0].all()
