"""`detach`, `opaque` and `register_rule`: outside of a trace, global and local."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import sparsetrace as st
from sparsetrace.rules import Cut


def test_detach_changes_nothing_outside_of_a_trace():
    x = np.ones(3)
    assert st.detach(x) is x
    assert st.detach(2.0) == 2.0


@pytest.mark.parametrize("local", [False, True])
def test_detach_cuts(local):
    pattern = st.jacobian_sparsity(
        lambda x: x[:2] * st.detach(x[1:]) + st.detach(x[0]), np.ones(3), local=local
    )
    assert pattern.toarray().tolist() == [[True, False, False], [False, True, False]]


def test_a_detached_value_is_unknown_in_a_global_trace():
    pattern = st.jacobian_sparsity(
        lambda x: x[0] if st.detach(x[1]) > 0 else x[2], np.ones(3), local=False
    )
    assert pattern.toarray().tolist() == [[True, False, True]]


def foreign(x):
    return np.array([float(x[0]) * float(x[1]), float(x[2])])


@pytest.mark.parametrize("local", [False, True])
def test_opaque_dense(local):
    f = st.opaque(foreign)
    assert f(np.arange(3.0)).tolist() == [0.0, 2.0]
    pattern = st.jacobian_sparsity(f, np.arange(3.0), local=local)
    assert pattern.shape == (2, 3)
    assert pattern.nnz == 6


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("make", [np.array, scipy.sparse.coo_array])
def test_opaque_matrix(local, make):
    stated = np.array([[1, 1, 0], [0, 0, 1]])
    f = st.opaque(foreign, make(stated))
    pattern = st.jacobian_sparsity(lambda x: 2 * f(x**2), np.arange(1.0, 4), local=local)
    assert pattern.toarray().tolist() == stated.astype(bool).tolist()


def test_opaque_as_a_decorator_elementwise():
    @st.opaque(pattern="elementwise")
    def cube(a, b):
        return np.array([float(u) ** 3 + float(v) for u, v in zip(a, b, strict=True)])

    pattern = st.jacobian_sparsity(lambda x: cube(x[:2], x[2:]), np.ones(4))
    assert pattern.toarray().astype(int).tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]


def test_opaque_values_reach_a_local_trace():
    f = st.opaque(foreign)
    pattern = st.jacobian_sparsity(
        lambda x: x[0] if f(x)[1] > 2 else x[1], np.array([1.0, 2.0, 3.0]), local=True
    )
    assert pattern.toarray().tolist() == [[True, False, False]]


def test_opaque_refuses_what_does_not_fit():
    with pytest.raises(st.InputError, match="elementwise"):
        st.opaque(foreign, "sparse")
    with pytest.raises(st.InputError, match="columns"):
        st.jacobian_sparsity(st.opaque(foreign, np.ones((2, 2))), np.ones(3))


def test_register_rule_for_a_ufunc():
    ufunc = np.frompyfunc(lambda x, y: 2 * x + (y - y), 2, 1)
    before = st.jacobian_sparsity(lambda x: ufunc(x[:1], x[1:]), np.ones(2))
    assert before.nnz == 2  # by its Python function
    st.register_rule(ufunc, "10")
    after = st.jacobian_sparsity(lambda x: ufunc(x[:1], x[1:]), np.ones(2))
    assert after.toarray().tolist() == [[True, False]]
    local = st.jacobian_sparsity(lambda x: ufunc(x[:1], x[1:]) * 1.0, np.ones(2), local=True)
    assert local.toarray().tolist() == [[True, False]]


def test_register_rule_refuses_what_does_not_fit():
    with pytest.raises(st.InputError):
        st.register_rule(np.frompyfunc(lambda x: x, 1, 1), "11")
    with pytest.raises(st.InputError):
        st.register_rule(np.frompyfunc(lambda x: x, 1, 1), lambda x: x)
    with pytest.raises(st.InputError, match="opaque"):
        st.register_rule(lambda x: x, lambda x: x)


def test_register_rule_with_cuts_and_second_derivatives():
    ufunc = np.frompyfunc(lambda x, y: x * y, 2, 1)
    st.register_rule(ufunc, "11", seconds="010", cuts={0: Cut(1, lambda values: values == 0)})
    constants = np.array([0.0, 2.0])
    first = st.jacobian_sparsity(lambda x: ufunc(x, constants) * 1.0, np.ones(2))
    assert first.toarray().tolist() == [[False, False], [False, True]]
    second = st.hessian_sparsity(lambda x: ufunc(x[0], x[1]) * 1.0, np.ones(2))
    assert second.toarray().tolist() == [[False, True], [True, False]]


def test_register_rule_refuses_second_derivatives_that_do_not_fit():
    ufunc = np.frompyfunc(lambda x, y: x, 2, 1)
    with pytest.raises(st.InputError, match="one letter 0 or 1 per pair of inputs"):
        st.register_rule(ufunc, "11", seconds="01")
    with pytest.raises(st.InputError, match="2 is no input"):
        st.register_rule(ufunc, "11", cuts={2: Cut(1, lambda values: values == 0)})
