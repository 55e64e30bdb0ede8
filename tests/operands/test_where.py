"""``where=`` of ufuncs and reductions: what it leaves out carries nothing."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from cases.masked.programs import K, L
from oracles import assert_covers, assert_same_pattern, dense, numerical_jacobian_pattern

WHERE = {
    "a target": lambda x: np.sqrt(x, where=K, out=np.zeros((3, 4))),
    "a traced target": lambda x: np.multiply(x, 2.0, where=K, out=x[::-1].copy()),
    "two operands": lambda x: np.add(x, x[::-1], where=K, out=np.ones((3, 4))),
    "sum": lambda x: np.sum(x, where=K),
    "sum along an axis": lambda x: x.sum(axis=0, where=~K),
    "prod": lambda x: np.prod(x, axis=1, where=~L),
    "mean": lambda x: np.mean(x, axis=1, where=~K),
    "var": lambda x: np.var(x, where=~K),
    "std": lambda x: np.std(x, where=~L),
    "max": lambda x: np.max(x[:2, :2], where=~K[:2, :2], initial=0.0),
    "any": lambda x: np.any(x > 1, where=K) * x,
    "reduce": lambda x: np.add.reduce(x, axis=1, where=K),
    "a target by index": lambda x: np.negative(x[0], where=K[0], out=np.zeros((2, 4))[1]),
}


@pytest.mark.parametrize("name", WHERE)
@pytest.mark.parametrize("local", [False, True])
def test_what_where_leaves_out_carries_nothing(name, local):
    f = WHERE[name]
    x = np.random.default_rng(5).uniform(0.5, 2.0, (3, 4))
    expected = numerical_jacobian_pattern(f, x, low=0.5, high=2.0, points=20)
    pattern = dense(st.jacobian_sparsity(f, x, local=local))
    if local and name == "max":  # one element is the greatest
        assert pattern.sum() == 1
        assert_covers(expected, pattern)
    else:
        assert_same_pattern(pattern, expected)


@pytest.mark.parametrize("local", [False, True])
def test_elements_that_were_not_computed_carry_nothing(local):
    """Without out= their values are whatever the memory held."""
    f = lambda x: np.sqrt(x, where=K)  # noqa: E731
    expected = np.diag(K.ravel())
    assert_same_pattern(st.jacobian_sparsity(f, np.ones((3, 4)), local=local), expected)
