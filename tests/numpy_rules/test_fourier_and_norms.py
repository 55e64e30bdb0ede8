"""Fourier transforms, norms and linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.numpy_calls.fourier_and_norms import case
from oracles import assert_covers, assert_same_pattern, dense


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


def test_constants_of_transforms_are_computed():
    def f(x):
        a = np.stack([np.ones(2), x])
        z = np.fft.fft(a, axis=1)[0, 1]
        return z * x, (np.linalg.norm(a, axis=1)[0] ** 2 - 2.0000000000000004) * x

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(2)), np.zeros((4, 2)))


def test_a_sign_of_a_determinant_has_no_derivative():
    def f(x):
        sign, logarithm = np.linalg.slogdet(x)
        return sign * 2, logarithm

    assert dense(st.jacobian_sparsity(f, np.eye(2))).sum(axis=1).tolist() == [0, 4]
    assert dense(st.jacobian_sparsity(f, np.eye(2), dependency=True)).all()


@pytest.mark.parametrize("order", ["fro", "nuc", 2, 1])
def test_norms_of_batches_stay_apart(order):
    def f(x):
        return np.linalg.matrix_norm(x, ord=order)

    pattern = dense(st.jacobian_sparsity(f, np.ones((3, 2, 2))))
    assert_same_pattern(pattern, np.kron(np.eye(3), np.ones((1, 4))))


def test_cond_of_traced_and_constant_matrices():
    def f(x):
        return np.linalg.cond(np.stack([np.eye(2), x]))

    assert_covers(st.jacobian_sparsity(f, np.eye(2) + 0.1), [[0] * 4, [1] * 4])
