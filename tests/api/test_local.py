"""Local patterns: equal to the numerical Jacobian's non-zero entries at the point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from scipy import special

import sparsetrace as st
from cases.local_functions import CASES
from oracles import assert_covers, assert_same_pattern, flat_outputs


def at_point(f: Any, x: Any) -> np.ndarray:
    """Where one-sided difference quotients at the point are not zero, from either side."""
    x = np.asarray(x, float)
    base = flat_outputs(f(x.copy()))
    pattern = np.zeros((base.size, x.size), bool)
    for j in range(x.size):
        for step in (1e-6, -1e-6):
            moved = x.copy()
            moved.flat[j] += step
            pattern[:, j] |= np.abs(flat_outputs(f(moved)) - base) > 1e-10
    return pattern


@pytest.mark.parametrize("name", CASES)
def test_equals_the_numerical_pattern_at_the_point(name):
    f, x = CASES[name]
    x = np.array(x, float)
    pattern = st.jacobian_sparsity(f, x, local=True)
    assert_same_pattern(pattern, at_point(f, x))


@pytest.mark.parametrize("name", [n for n in CASES if n not in ("mask", "nonzero")])
def test_the_global_pattern_covers_the_local_one(name):
    f, x = CASES[name]
    x = np.array(x, float)
    local = st.jacobian_sparsity(f, x, local=True)
    try:
        everywhere = st.jacobian_sparsity(f, x)
    except st.ValueDependentError:
        pytest.skip("refused in a global trace")
    except st.EscapeError:
        pytest.skip("refused in a global trace")
    if everywhere.shape == local.shape:
        assert_covers(everywhere, local.toarray())


def test_published_ifelse():
    # SparseConnectivityTracer.jl's README, as a Jacobian
    def f(x):
        return np.array([x[0] ** x[1] if x[1] < x[2] else x[2] * x[3]])

    assert st.jacobian_sparsity(f, [1.0, 2, 3, 4], local=True).toarray().tolist() == [
        [True, False, False, False]  # log(1) is zero: x[1] has no influence at x[0] = 1
    ]
    assert st.jacobian_sparsity(f, [2.0, 2, 3, 4], local=True).toarray().tolist() == [
        [True, True, False, False]
    ]
    assert st.jacobian_sparsity(f, [1.0, 3, 2, 4], local=True).toarray().tolist() == [
        [False, False, True, True]
    ]


def test_ties_keep_both_sides():
    x = np.array([1.0, 1.0, 0.5])
    for f in (lambda x: np.maximum(x[0], x[1]), np.max, lambda x: np.sort(x)[2:]):
        assert st.jacobian_sparsity(f, x, local=True).toarray().tolist() == [[True, True, False]]


def test_two_zero_factors_leave_nothing():
    assert st.jacobian_sparsity(np.prod, [1.0, 0.0, 0.0], local=True).nnz == 0


def test_a_loop_that_the_values_end():
    def newton(x):
        root = x[0] + 3
        while abs(root * root - x[1]) > 1e-10:
            root = root - (root * root - x[1]) / (2 * root)
        return root

    pattern = st.jacobian_sparsity(newton, [0.5, 2.0], local=True).toarray()
    assert pattern[0, 1]


def test_branches_follow_the_values():
    def f(x):
        return x[0] if x[0] > x[1] else x[1]

    assert st.jacobian_sparsity(f, [1.0, 2.0], local=True).toarray().tolist() == [[False, True]]
    assert st.jacobian_sparsity(f, [1.0, 2.0]).toarray().tolist() == [[True, True]]


def test_the_inputs_are_left_alone():
    def f(x):
        x[0] = 7.0
        x *= 2
        return x

    x = np.array([1.0, 2.0])
    assert st.jacobian_sparsity(f, x, local=True).toarray().tolist() == [
        [False, False],
        [False, True],
    ]
    assert x.tolist() == [1.0, 2.0]


def test_a_float_conversion_is_still_no_way_out():
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(lambda x: np.array([float(x[0])]), [1.0], local=True, capture=False)


def test_values_travel_through_views_and_writes():
    def f(x):
        y = np.zeros((2, 3))
        y.T[1] = x[:2]
        y[0] += x[2:5]
        flat = y.reshape(-1)
        flat[5] = x[5]
        return y[y != 0]

    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert_same_pattern(st.jacobian_sparsity(f, x, local=True), at_point(f, x))


SINGULAR = {
    "cbrt-of-cube": (lambda x: np.cbrt(x**3), [0.0, 1.0]),
    "norm-by-hand": (lambda x: np.sqrt(x[0] ** 2 + x[1] ** 2), [0.0, 0.0]),
    "norm-partly-zero": (lambda x: np.sqrt(x[0] ** 2 + abs(x[1])), [0.0, 0.0]),
    "arccos-of-cos": (lambda x: np.arccos(np.cos(x[0])) * x[1], [0.0, 2.0]),
    "fractional-power": (lambda x: (x[0] * x[1]) ** 0.5 * x[1], [0.0, 0.0]),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_nothing_is_cut_before_an_infinite_derivative(name):
    """The derivative before it is zero, the one after it infinite: the product is neither."""
    f, x = SINGULAR[name]
    with np.errstate(all="ignore"):
        expected = at_point(f, x)
    assert_covers(st.jacobian_sparsity(f, np.array(x), local=True), expected)


@pytest.mark.parametrize(
    "product",
    [
        lambda a, x: a @ x,
        lambda a, x: a.dot(x),
        lambda a, x: x @ a,
        lambda a, x: a.T @ x,
        lambda a, x: scipy.sparse.linalg.aslinearoperator(a) @ x,
        lambda a, x: scipy.sparse.linalg.aslinearoperator(a).matvec(x),
        lambda a, x: scipy.sparse.csr_matrix(a) * x,
    ],
)
def test_products_with_sparse_matrices_have_values(product):
    matrix = scipy.sparse.csr_array(np.array([[1.0, 2, 0], [0, 3, 1], [0, 0, 4]]))
    point = np.array([1.0, 2.0, 3.0])

    def f(x):
        return product(matrix, x) ** 2

    wanted = st.jacobian_sparsity(f, point)
    assert (st.jacobian_sparsity(f, point, local=True) != wanted).nnz == 0
    assert st.jacobian_sparsity(f, 0 * point, local=True).nnz == 0
    second = st.lagrangian_hessian_sparsity(f, point)
    assert (st.lagrangian_hessian_sparsity(f, 0 * point, local=True) != second).nnz == 0


def test_buffers_keep_the_values_that_they_were_made_with():
    """Ones beside what is written are ones, not zeros."""

    def f(x):
        out = np.ones(3)
        out[0] = x[0]
        level = np.full(2, 2.0)
        level[1] = x[1]
        return out * x, level[0] * x[2]

    point = np.array([1.0, 2.0, 3.0])
    pattern = st.jacobian_sparsity(f, point, local=True)
    assert_same_pattern(pattern, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])


def test_vectorized_functions_see_the_values():
    @np.vectorize
    def bent(v, w):
        return v * w if v > 2 else v

    def f(x):
        return bent(x, x[::-1]) * bent(x[0], 1.0)

    point = np.array([1.0, 2.5, 3.0])
    pattern = st.jacobian_sparsity(f, point, local=True)
    assert_same_pattern(pattern, [[1, 0, 0], [1, 1, 0], [1, 0, 1]])


def test_an_infinite_derivative_of_a_special_function():
    """What was cut before it may matter: the third root of a third power."""
    pattern = st.jacobian_sparsity(lambda x: special.cbrt(x**3), np.zeros(1), local=True)
    assert pattern.nnz == 1
    pattern = st.jacobian_sparsity(lambda x: special.jv(0.5, x**2), np.zeros(1), local=True)
    assert pattern.nnz == 1


def test_complex_infinities_off_the_real_axis_are_no_limits():
    pattern = st.jacobian_sparsity(lambda x: special.erf(1j * x), np.array([np.inf]), local=True)
    assert pattern.nnz == 1
