"""Arrays of objects that hold traced numbers."""

from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from cases.object_arrays import BY_VALUE, EXACT, V, filled, function, parts
from oracles import (
    assert_covers,
    assert_same_pattern,
    flat_outputs,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)

X = np.array([0.8, 1.7, 1.1])
REGION = {"low": 0.5, "high": 2.0, "points": 12}


@pytest.mark.parametrize("call", EXACT)
def test_jacobians(call):
    f = function(call)
    wanted = numerical_jacobian_pattern(f, X, **REGION)
    assert_same_pattern(st.jacobian_sparsity(f, X), wanted)
    wanted = jacobian_pattern_at(f, X)
    assert_same_pattern(st.jacobian_sparsity(f, X, local=True), wanted)


@pytest.mark.parametrize("call", EXACT)
def test_hessians(call):
    f = function(call)
    start = f(X.copy())
    weights = np.random.default_rng(3).uniform(0.5, 1.5, len(flat_outputs(start)))
    wanted = numerical_hessian_pattern(lambda x: weights @ flat_outputs(f(x)), X, **REGION)
    assert_same_pattern(st.lagrangian_hessian_sparsity(f, X), wanted)
    assert_covers(st.lagrangian_hessian_sparsity(f, X, local=True), wanted)


@pytest.mark.parametrize("call", BY_VALUE)
def test_what_other_values_would_give_is_claimed(call):
    f = function(call)
    wanted = numerical_jacobian_pattern(f, X, **REGION)
    assert_covers(st.jacobian_sparsity(f, X), wanted)
    wanted = jacobian_pattern_at(f, X)
    assert_covers(st.jacobian_sparsity(f, X, local=True), wanted)


def test_an_error_of_pythons_numbers_is_a_path_of_its_own():
    pattern = st.jacobian_sparsity(function("divided(x)"), X)
    assert pattern.toarray().tolist() == [[True, False, True]]


def test_types_are_those_of_a_plain_run():
    shown = Outside()

    def f(x):
        a, b = np.array(x, dtype=object), filled(x)
        arrays = [a, a * 2, a + b, -b, b * V, np.maximum(b, 1.0), a[1:], a.T, b.copy(), a @ a]
        for array in (*arrays, x * a, a - x, x[0] * b):
            shown.append((type(array), getattr(array, "dtype", None), np.shape(array)))
        for item in (a[0], (a * 2)[1], a.sum(), b[0], (b * V)[2], b.sum(), x.astype(object)[0]):
            shown.append((type(item), isinstance(item, float)))
        shown.append(((a > 1).dtype, (b == b).dtype))
        return x

    f(X)
    plain = list(shown)
    st.jacobian_sparsity(f, X)
    assert shown[-len(plain) :] == plain


def test_comparisons_need_no_branch():
    def f(x):
        a = np.empty(len(x), dtype=object)
        for i in range(len(x)):
            a[i] = x[i] ** 2
        return np.maximum(a, 1.0), a.max(), (a > 1) * x

    assert st.jacobian_sparsity(f, np.ones(100)).nnz == 100 + 100 + 100


def test_a_method_that_compares_is_traced_where_it_would_branch():
    def f(x):
        a = np.empty(len(x), dtype=object)
        for i in range(len(x)):
            a[i] = x[i] ** 2
        return np.sort(a), a.argmax() * x[0]

    assert st.jacobian_sparsity(f, np.ones(40)).nnz == 1600 + 1


@pytest.mark.parametrize("local", [False, True])
def test_products_of_large_arrays_are_done_by_rules(local):
    matrix, x = np.ones((300, 300)), np.ones(300)
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        pattern = st.jacobian_sparsity(lambda x: matrix @ np.array(x, dtype=object), x, local=local)
    finally:
        sys.setprofile(None)
    assert pattern.nnz == 90_000
    assert calls < 45_000  # 90,000 products of Python's have as many


def test_an_array_of_objects_that_outlives_the_trace_is_one_of_numpys():
    kept = Outside()
    st.jacobian_sparsity(lambda x: (kept.append(np.array([1, None], dtype=object)), x)[1], X)
    array = kept[-1]
    assert isinstance(array, np.ndarray)
    assert (array[:1] * 2).tolist() == [2]
    assert pickle.loads(pickle.dumps(array)).tolist() == [1, None]
    assert copy.deepcopy(array).tolist() == [1, None]
    assert repr(array) == "array([1, None], dtype=object)"


def test_a_verified_pattern():
    pattern = st.jacobian_sparsity(lambda x: np.array(x, dtype=object) * x[0], X, verify=True)
    assert pattern.nnz == 5


def test_what_is_written_into_an_array_from_elsewhere_is_not_lost():
    elsewhere = np.zeros(3, dtype=object)

    def f(x):
        elsewhere[:] = x
        return elsewhere * 2

    assert st.jacobian_sparsity(f, X).toarray().astype(int).tolist() == np.eye(3).tolist()
    with pytest.raises(st.EscapeError):
        st.jacobian_sparsity(f, X, capture=False)
    assert elsewhere.tolist() == [0, 0, 0]


def test_parts_of_several_lengths_come_out_one_after_the_other():
    pattern = st.jacobian_sparsity(parts, X)
    assert pattern.toarray().astype(int).tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 1]]


def copied_over(x):
    o = np.empty(3, dtype=object)
    np.copyto(o, x)
    p = np.array([None] * 3, dtype=object)
    np.copyto(p, x * 2, where=[True, False, True])
    np.copyto(p[1:2], x[0])
    return o * x[0], p.astype(float)


def put_into(x):
    o = np.zeros((3, 3), dtype=object)
    np.fill_diagonal(o, x)
    np.put(o, [1, 2], [x[0], x[1]])
    np.putmask(o, o == 0, 1.0)
    np.place(o[2:], np.eye(3, dtype=bool)[2:], x[:1] * 2)
    np.put_along_axis(o, np.array([[0], [1], [0]]), x[::-1].reshape(3, 1), 1)
    return o.astype(float)


@pytest.mark.parametrize("f", [copied_over, put_into])
def test_functions_that_write(f):
    assert_same_pattern(st.jacobian_sparsity(f, X), numerical_jacobian_pattern(f, X, **REGION))
    assert_same_pattern(st.jacobian_sparsity(f, X, local=True), jacobian_pattern_at(f, X))
