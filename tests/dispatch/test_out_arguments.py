"""``out=`` in every position, of functions and ufuncs, global and local."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, numerical_jacobian_pattern

A = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0], [3.0, 0.0, 1.0]])
CALLS = {
    "add keyword": lambda x, y: np.add(x, x[::-1], out=y),
    "add position": lambda x, y: np.add(x, x[::-1], y),
    "clip": lambda x, y: np.clip(x, 0.5, 9.0, y),
    "concatenate": lambda x, y: np.concatenate([x[1:], x[:1]], 0, y),
    "cumsum": lambda x, y: np.cumsum(x, 0, None, y),
    "cumsum method": lambda x, y: x.cumsum(0, None, y),
    "dot": lambda x, y: np.dot(A, x, y),
    "dot keyword": lambda x, y: np.dot(A, x, out=y),
    "matmul": lambda x, y: np.matmul(A, x, y),
    "max": lambda x, y: np.max(np.outer(x, A[0] + 1), 0, y),
    "mean": lambda x, y: np.mean(np.outer(x, x), 1, None, y),
    "round": lambda x, y: np.multiply(np.round(x, 1), x, out=y),
    "sum": lambda x, y: np.sum(np.outer(x, x), 0, None, y),
    "sum method": lambda x, y: np.outer(x, x).sum(1, None, y),
    "take": lambda x, y: np.take(x, [2, 0, 1], None, y),
    "where": lambda x, y: np.sqrt(x, y, where=np.array([True, False, True])),
}


@pytest.mark.parametrize("buffer", [np.zeros_like, lambda x: np.zeros(3)])
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_results_land_in_the_target(name, local, buffer):
    def f(x):
        y = buffer(x)
        CALLS[name](x, y)
        return y

    x = np.array([1.3, 2.1, 3.4])
    expected = numerical_jacobian_pattern(f, x)
    assert expected.any()
    assert_covers(st.jacobian_sparsity(f, x, local=local), expected)


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_results_land_in_a_target_from_outside(name, local):
    target = np.zeros(3)

    def f(x):
        CALLS[name](x, target)
        return target.copy()

    x = np.array([1.3, 2.1, 3.4])
    expected = numerical_jacobian_pattern(f, x)
    target[:] = 0.0
    assert_covers(st.jacobian_sparsity(f, x, local=local), expected)
    assert not target.any()
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(f, x, local=local, capture=False)


OVERLAPPING = {
    "concatenate": lambda a, b, y: np.concatenate([b, a], out=y),
    "concatenate columns": lambda a, b, y: np.concatenate(
        [a[:, None], b[:, None]], axis=1, out=y.reshape(-1, 2)
    ),
    "concatenate flat": lambda a, b, y: np.concatenate([a[:, None], b], axis=None, out=y),
    "stack": lambda a, b, y: np.stack((b, a), out=y.reshape(2, -1)),
    "choose": lambda a, b, y: np.choose([1, 1, 1], [b, a[::-1]], out=a, mode="clip"),
    "choose position": lambda a, b, y: np.choose([1, 1, 1], [b, a[::-1]], a, "wrap"),
    "ptp": lambda a, b, y: np.ptp(y.reshape(2, -1), axis=0, out=y[1:4]),
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", OVERLAPPING)
def test_a_target_that_is_written_while_operands_are_read(name, local):
    def f(x):
        OVERLAPPING[name](x[:3], x[3:], x)
        return x

    with pytest.raises(st.UnsupportedError, match=r"out= shares memory.*Leave out= away"):
        st.jacobian_sparsity(f, np.array([0.7, -0.4, 1.3, 0.2, -1.1, 0.5]), local=local)


APART = {
    "concatenate": lambda x, y: np.concatenate([x[:2], x[2:]], out=y[1]),
    "columns": lambda x, y: np.stack([y[0, ::2], y[0, ::2]], out=y[1:, 1::2]),
    "choose": lambda x, y: np.choose([1, 0, 1, 0], [y[1], y[1, ::-1]], out=y[1]),
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", APART)
def test_a_target_beside_its_operands(name, local):
    def f(x):
        y = np.ones((3, 4)) * x
        APART[name](x, y)
        return y

    x = np.array([0.7, -0.4, 1.3, 0.2])
    assert_same_pattern(st.jacobian_sparsity(f, x, local=local), numerical_jacobian_pattern(f, x))


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("make", [lambda x: np.ones(2), lambda x: x.copy(), lambda x: x.real * 1])
def test_results_that_the_target_of_a_ufunc_cannot_take_are_errors(make, local):
    def f(x):
        y = make(x) * 0 + 1.0
        try:
            y *= x * 1j
        except TypeError:
            y = y * x[::-1] ** 2
        return y

    pattern = st.jacobian_sparsity(f, np.ones(2), local=local)
    assert_same_pattern(pattern, [[0, 1], [1, 0]])
