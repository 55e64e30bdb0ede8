"""A published step of Adagrad, in three writings: one of them with masked arrays."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern, numerical_hessian_pattern, numerical_jacobian_pattern

PARAM = np.arange(8.0).reshape(2, 4)
STATE = np.full((2, 4), 0.5)
PLACES = (np.array([0, 1, 1]), np.array([2, 0, 2]))
GRAD = np.zeros((2, 4))
GRAD[PLACES] = 3.0, 4.0, 5.0
SPECIFIED = GRAD != 0
EPS, CLR = 1e-10, 0.1


def adagrad_with_a_mask(param, grad, state_sum):
    given = np.where(SPECIFIED, grad, 0.0)
    state_sum = state_sum + given**2
    std = np.sqrt(state_sum, where=SPECIFIED, out=np.ones(grad.shape)) + EPS
    return param - CLR * given / std, state_sum


def adagrad_by_index(param, grad, state_sum):
    param, state_sum = param.copy(), state_sum.copy()
    values = grad[PLACES]
    np.add.at(state_sum, PLACES, values**2)
    param[PLACES] -= CLR * values / (np.sqrt(state_sum[PLACES]) + EPS)
    return param, state_sum


def adagrad_with_masked_arrays(param, grad, state_sum):
    grad = np.ma.masked_array(grad, mask=~SPECIFIED)
    state_sum = state_sum + (grad**2).filled(0)
    std = np.ma.sqrt(np.ma.masked_array(state_sum, mask=~SPECIFIED)) + EPS
    return param - CLR * (grad / std).filled(0), state_sum


ADAGRAD = (adagrad_with_a_mask, adagrad_by_index, adagrad_with_masked_arrays)


@pytest.mark.parametrize("step", ADAGRAD)
def test_adagrad_gives_the_published_values(step):
    param, state_sum = step(PARAM, GRAD, STATE)
    assert state_sum.tolist() == [[0.5, 0.5, 9.5, 0.5], [16.5, 0.5, 25.5, 0.5]]
    assert np.round(param, 4).tolist() == [[0, 1, 1.9027, 3], [3.9015, 5, 5.9010, 7]]


@pytest.mark.parametrize("step", ADAGRAD)
def test_adagrad_has_one_pattern(step):
    every, given, none = np.eye(8), np.diag(SPECIFIED.ravel()), np.zeros((8, 8))
    expected = np.block([[every, given, given], [none, given, every]])
    pattern = st.jacobian_sparsity(step, PARAM, GRAD, STATE, argnums=(0, 1, 2))
    assert_same_pattern(pattern, expected)
    found = numerical_jacobian_pattern(lambda x: step(*x), np.ones((3, 2, 4)), low=0.5, high=2.0)
    assert_same_pattern(pattern, found)
    local = st.jacobian_sparsity(step, PARAM, GRAD, STATE, argnums=(0, 1, 2), local=True)
    assert_same_pattern(local, expected)


@pytest.mark.parametrize("step", ADAGRAD)
def test_adagrad_steps_have_one_hessian(step):
    def loss(x):
        param, state_sum = step(*x)
        return np.sum(param**2) + np.sum(state_sum)

    x = np.ones((3, 2, 4))
    expected = numerical_hessian_pattern(loss, x, low=0.5, high=2.0, points=2)
    assert_same_pattern(st.hessian_sparsity(loss, x), expected)
