"""Products summed over axes: dot, matmul, einsum, tensordot, convolve and their kin."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.numpy_calls.contraction import case
from oracles import assert_same_pattern


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


def test_zero_rows_give_constants():
    def f(x):
        return (np.array([[0.0, 0.0], [1.0, 1.0]]) @ x)[0] * x

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 0


def test_einsum_path_needs_no_values():
    def f(x):
        path, _ = np.einsum_path("ij,jk,kl", x, x, x)
        return np.einsum("ij,jk,kl", x, x, x, optimize=path)

    assert_same_pattern(st.jacobian_sparsity(f, np.ones((2, 2))), np.ones((4, 4)))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.dot(x, np.ones(4)),
        lambda x: np.tensordot(x, np.ones(4), 1),
        lambda x: x @ np.ones((4, 2)),
        lambda x: np.inner(x, np.ones(4)),
        lambda x: np.einsum("i,i", x, np.ones(4)),
        lambda x: np.einsum("ij", x),
        lambda x: np.vdot(x, np.ones(4)),
        lambda x: np.convolve(x, np.ones(0)),
        lambda x: np.cross(x, np.ones(4)),
    ],
)
def test_shapes_that_do_not_fit(f):
    with pytest.raises(ValueError):  # noqa: PT011 - NumPy's own words
        f(np.ones(3))
    with pytest.raises((ValueError, st.TracingError)):
        st.jacobian_sparsity(f, np.ones(3))


def test_a_number_is_no_target():
    def f(x):
        total = x.sum()
        np.multiply(x[0], 2.0, out=total)
        return total

    with pytest.raises((TypeError, st.TracingError)):
        st.jacobian_sparsity(f, np.ones(3))


def test_outer_by_keyword():
    pattern = st.jacobian_sparsity(lambda x: np.outer(a=x, b=x), np.ones(2))
    assert_same_pattern(pattern, [[1, 0], [1, 1], [1, 1], [0, 1]])
