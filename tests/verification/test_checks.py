"""`check_jacobian_sparsity` and `check_hessian_sparsity`: what they take, and what they say."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest
import scipy.sparse as sp

import sparsetrace as st

pytestmark = pytest.mark.filterwarnings("error::sparsetrace.VerificationWarning")


Pair = namedtuple("Pair", "left right")


def test_names_of_rows_and_columns():
    def f(tree, other, extra):
        flux = np.zeros(4) * other
        flux[3] = tree["weights"][1, 2] ** 2 * extra
        return other, {"flux": flux, "rest": [tree["pair"].right, 1.0]}

    tree = {"weights": np.ones((2, 3)), "pair": Pair(np.ones(2), 2.0)}
    args = tree, 3.0, 1.0
    pattern = np.zeros((7, 9))
    pattern[5, 7] = 1
    with pytest.raises(st.VerificationError) as caught:
        st.check_jacobian_sparsity(f, pattern, *args)
    error = caught.value
    assert (error.row, error.column) == (4, 5)
    assert (error.row_name, error.column_name) == ('[1]["flux"][3]', 'args[0]["weights"][1, 2]')
    for part in ("test_checks.py", error.row_name, error.column_name, "(row 4)"):
        assert part in str(error)
    pattern = np.zeros((7, 9))
    pattern[4, 5] = 1
    with pytest.raises(st.VerificationError) as caught:
        st.check_jacobian_sparsity(f, pattern, *args)
    assert caught.value.row_name == '[1]["rest"][0]'
    assert caught.value.column_name == 'args[0]["pair"].right'


def test_names_of_lists_and_numbers():
    def f(a, b):
        return [[a[0][1], 2.0], [b, b]]

    pattern = np.zeros((4, 5))
    pattern[2:, 4] = 1
    with pytest.raises(st.VerificationError) as caught:
        st.check_jacobian_sparsity(f, pattern, [[1.0, 2.0], [3.0, 4.0]], 5.0, argnums=(0, 1))
    assert (caught.value.row_name, caught.value.column_name) == ("[0][0]", "args[0][0][1]")
    with pytest.raises(st.VerificationError, match="output the number returned"):
        st.check_jacobian_sparsity(lambda x: x, [[0]], 2.0)


@pytest.mark.parametrize(
    "pattern",
    [np.zeros((2, 4)), np.zeros((3, 3)), np.zeros(3), sp.csr_array((2, 2)), [["a"]], [[1], [1, 2]]],
)
def test_wrong_shapes_are_refused(pattern):
    with pytest.raises(st.InputError, match="pattern"):
        st.check_jacobian_sparsity(lambda x: x[:2], pattern, np.ones(3))


@pytest.mark.parametrize("shape", [(3, 4), (2, 2), (3,)])
def test_wrong_shapes_of_hessians_are_refused(shape):
    with pytest.raises(st.InputError, match="pattern"):
        st.check_hessian_sparsity(lambda x: x[0], np.zeros(shape), np.ones(3))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.coo_array, sp.csc_matrix])
def test_patterns_of_any_kind(make):
    entries = np.eye(3)
    st.check_jacobian_sparsity(np.sin, make(entries), np.ones(3))
    pattern = make(entries * [1.0, 1.0, 0.0])
    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(np.sin, pattern, np.ones(3))


def test_stored_zeros_are_no_entries():
    pattern = sp.csr_array(np.eye(2))
    pattern.data[1] = 0.0
    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(np.sin, pattern, np.ones(2))
    assert pattern.nnz == 2


@pytest.mark.parametrize("count", [0, -1, 2.0, "all", [1]])
def test_numbers_of_probes(count):
    with pytest.raises(st.InputError, match="num_probes"):
        st.check_jacobian_sparsity(np.sin, np.eye(2), np.ones(2), num_probes=count)
    for detect in (st.jacobian_sparsity, st.lagrangian_hessian_sparsity):
        with pytest.raises(st.InputError, match="verify"):
            detect(np.sin, np.ones(2), verify=count)


def test_nothing_to_check():
    st.check_jacobian_sparsity(np.sin, np.zeros((0, 0)), np.zeros(0))
    st.check_hessian_sparsity(lambda x: 1.0, np.zeros((0, 0)), np.zeros(0))
    st.check_jacobian_sparsity(lambda x: np.zeros(0), np.zeros((0, 2)), np.zeros(2))


def test_the_check_may_be_called_in_a_trace():
    def f(x):
        st.check_jacobian_sparsity(np.sin, np.eye(2), np.ones(2))
        st.jacobian_sparsity(np.sin, np.ones(2), verify=True)
        return x * 2

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2
