"""`register_rule` for functions and methods of numpy.ma."""

from __future__ import annotations

import numpy as np
import pytest
import user_package
from numpy.ma import unique as early_unique

import sparsetrace as st
from oracles import assert_same_pattern
from sparsetrace.dispatch.function_rules import OVERRIDDEN

X = np.array([0.5, 1.5, 2.5])
K = [False, True, False]


@pytest.fixture(autouse=True)
def no_rule_stays():
    yield
    assert not [place for place in OVERRIDDEN if place[0].startswith("numpy")]


def check(f, *, jacobian, hessian):
    """Jacobian and Hessian, global and at the point."""
    for local in (False, True):
        assert_same_pattern(st.jacobian_sparsity(f, X, local=local), jacobian)
        weighted = st.hessian_sparsity(lambda x: np.sum(f(x)), X, local=local)
        assert_same_pattern(weighted, hessian)


def square_of_sum(ar1, return_index):
    """As long as what `np.ma.unique` gives below, of which the last is masked."""
    return np.ma.array([ar1.sum() ** (3 if return_index else 2), 1.0, 1.0])


@pytest.mark.parametrize("function", [np.ma.unique, "numpy.ma.unique"])
def test_a_function_that_is_refused(function):
    def f(x):
        return np.ma.unique(np.ma.array(x, mask=K))

    def g(x):
        return early_unique(np.ma.array(x, mask=K), False)

    original = np.ma.unique
    for h in (f, g):
        with pytest.raises(st.UnsupportedError, match=r"np\.ma\.unique"):
            st.jacobian_sparsity(h, X)
    st.register_rule(function, square_of_sum)
    try:
        for h in (f, g):
            check(
                h,
                jacobian=[[1, 0, 1], [0, 0, 0], [0, 0, 0]],
                hessian=[[1, 0, 1], [0, 0, 0], [1, 0, 1]],
            )
        match = r"np\.ma\.unique at .*does not read return_inverse=True"
        with pytest.raises(st.UnsupportedError, match=match):
            st.jacobian_sparsity(lambda x: np.ma.unique(np.ma.array(x), return_inverse=True), X)
        match = r"unique\(\) got an unexpected keyword argument 'axis'"
        with pytest.raises(TypeError, match=match):
            st.jacobian_sparsity(lambda x: np.ma.unique(np.ma.array(x), axis=0), X)
        assert st.jacobian_sparsity(lambda x: np.ma.unique(x), X).nnz == 3
    finally:
        st.register_rule(function, None)
    for h in (f, g):
        with pytest.raises(st.UnsupportedError, match=r"np\.ma\.unique"):
            st.jacobian_sparsity(h, X)
    assert np.ma.unique is original is early_unique


@pytest.mark.parametrize("function", [np.ma.median, "numpy.ma.median"])
def test_a_function_that_has_a_rule(function):
    def f(x):
        return np.ma.median(np.ma.array(x, mask=K))

    for _ in range(2):
        assert_same_pattern(st.jacobian_sparsity(f, X), [[1, 0, 1]])
    st.register_rule(function, lambda a: a[0] ** 2)
    try:
        check(f, jacobian=[[1, 0, 0]], hessian=np.diag([1, 0, 0]))
        constants = np.ma.array([1.0, 2.0, 4.0])
        assert st.jacobian_sparsity(lambda x: x * np.ma.median(constants), X).nnz == 3
    finally:
        st.register_rule(function, None)
    assert_same_pattern(st.jacobian_sparsity(f, X), [[1, 0, 1]])


@pytest.mark.parametrize("method", [np.ma.MaskedArray.ptp, "numpy.ma.MaskedArray.ptp"])
def test_a_method_that_has_a_rule(method):
    """The function of the same name goes by it."""
    calls = (lambda m: m.ptp(), np.ma.ptp, np.ma.MaskedArray.ptp, lambda m: m.ptp(axis=0))
    st.register_rule(method, lambda self, axis: self[2] * self[0])
    try:
        for call in calls:
            f = lambda x, call=call: call(np.ma.array(x, mask=K))  # noqa: E731
            check(f, jacobian=[[1, 0, 1]], hessian=[[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    finally:
        st.register_rule(method, None)
    assert st.hessian_sparsity(lambda x: np.ma.array(x, mask=K).ptp(), X).nnz == 0


def test_a_method_that_is_refused():
    f = lambda x: np.ma.array(x, mask=K).iscontiguous() * x  # noqa: E731
    with pytest.raises(st.UnsupportedError, match="iscontiguous"):
        st.jacobian_sparsity(f, X)
    st.register_rule("numpy.ma.MaskedArray.iscontiguous", lambda self: True)
    try:
        check(f, jacobian=np.eye(3), hessian=np.zeros((3, 3)))
    finally:
        st.register_rule("numpy.ma.MaskedArray.iscontiguous", None)
    with pytest.raises(st.UnsupportedError, match="iscontiguous"):
        st.jacobian_sparsity(f, X)


def test_values_at_a_point_are_numpys_own():
    def f(x):
        m = np.ma.MaskedArray.anom(np.ma.array(x, mask=K))
        return m[2] * m, m.filled(3.0)[1] * x[1], np.ma.anom(m, axis=0).mask

    st.register_rule("numpy.ma.MaskedArray.anom", lambda self, axis: self * self[0])
    try:
        expected = [[1, 0, 1], [0, 0, 0], [1, 0, 1], [0, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
        assert_same_pattern(st.jacobian_sparsity(f, X, local=True), expected)
    finally:
        st.register_rule("numpy.ma.MaskedArray.anom", None)


def test_rules_of_other_packages_take_and_return_masked_arrays():
    f = lambda x: user_package.smooth(np.ma.array(x, mask=K))  # noqa: E731
    st.register_rule("user_package.smooth", lambda x: x * x)
    try:
        check(f, jacobian=np.diag([1, 0, 1]), hessian=np.diag([1, 0, 1]))
    finally:
        st.register_rule("user_package.smooth", None)


def test_a_function_of_two_names():
    f = lambda x: np.ma.outerproduct(np.ma.array(x, mask=K), [1.0])  # noqa: E731
    assert st.jacobian_sparsity(f, X).nnz == 2
    st.register_rule(np.ma.outer, lambda a, b: (a * b[0]) ** 2)
    try:
        assert st.hessian_sparsity(lambda x: f(x).sum(), X).nnz == 2
        assert st.hessian_sparsity(lambda x: np.ma.outer(x, [1.0]).sum(), X).nnz == 3
    finally:
        st.register_rule(np.ma.outer, None)
    assert st.hessian_sparsity(lambda x: f(x).sum(), X).nnz == 0


def test_a_function_that_makes_arrays():
    def f(x):
        m = np.ma.zeros(3)
        m[0] = x[0]
        return m

    assert st.jacobian_sparsity(f, X).nnz == 1
    st.register_rule(np.ma.zeros, lambda *arguments: np.zeros(3))
    try:
        assert st.jacobian_sparsity(lambda x: np.ma.zeros(3) + x, X).nnz == 3
        with pytest.raises(st.EscapeError, match="ordinary array"):
            st.jacobian_sparsity(f, X)
    finally:
        st.register_rule(np.ma.zeros, None)
    assert st.jacobian_sparsity(f, X).nnz == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.sum(axs=0),
        lambda m: np.ma.median(m, 0, None, False, False, 1),
        lambda m: np.ma.masked_where(m),
        lambda m: np.ma.vander(m, 2, 3),
        lambda m: np.ma.sqrt(),
    ],
)
def test_wrong_arguments_raise_numpys_own_error(call):
    with pytest.raises(TypeError) as plain:
        call(np.ma.array(X))
    with pytest.raises(TypeError) as traced:
        st.jacobian_sparsity(lambda x: call(np.ma.array(x)), X)
    assert str(traced.value).startswith(str(plain.value))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (np.ma.inner, "needs b, which its rule does not read"),
        ("numpy.ma.sqrt", "NumPy's ufunc"),
        (np.ma.MaskedArray.filled, "have their own"),
        ("numpy.ma.MaskedArray.byteswap", "have their own"),
        ("numpy.ma.MaskedArray", "is a class"),
        ("numpy.ma.mr_", "is of type mr_class, which is not called"),
    ],
)
def test_what_cannot_be_given_a_rule(function, message):
    with pytest.raises(st.InputError, match=message):
        st.register_rule(function, lambda a: a)
