"""``np.arange`` between traced numbers: at a point its count is known, elsewhere nobody may ask."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern, jacobian_pattern_at

POINT = np.array([0.55, 2.13, 0.61])

RANGES = {
    "start, stop and step": lambda x: np.arange(x[0], x[1], x[2]),
    "a stop alone": lambda x: np.arange(x[1]) * x[0],
    "a stop and a step": lambda x: np.arange(0, x[1], x[2]) ** 2,
    "by name": lambda x: np.arange(x[0], stop=x[1], step=0.5) * x[2],
    "a single step": lambda x: np.arange(2, step=x[2]),
    "whole numbers": lambda x: np.arange(x[0], x[1], dtype=int) * x[2],
    "float32": lambda x: np.arange(x[0], x[1], dtype=np.float32) * 1.0,
    "an array without axes": lambda x: np.arange(np.array(x[0]), 2.3),
    "both sides of 0": lambda x: np.cos(np.arange(-np.ceil(x[0]), np.ceil(x[0]) + 1) * x[1]),
    "written": lambda x: _written(np.arange(x[1]), x[0]),
    "a window": lambda x: 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(x[1]) / (x[1] - 1)),
    "none": lambda x: np.append(np.arange(x[1], x[0]), x),
}


def _written(a, value):
    a[0] = value
    return a * 1.0


@pytest.mark.parametrize("name", RANGES)
def test_patterns_at_a_point(name):
    f = RANGES[name]
    pattern = st.jacobian_sparsity(f, POINT, local=True)
    assert_same_pattern(pattern, jacobian_pattern_at(f, POINT))


@pytest.mark.parametrize("name", RANGES)
def test_for_all_points_the_call_is_named(name):
    with pytest.raises(st.ValueDependentError, match=r"^np\.arange at .*local=True") as caught:
        st.jacobian_sparsity(lambda x: len(RANGES[name](x)) * x, POINT)
    assert caught.value.call == "np.arange"


def test_a_range_depends_on_its_end_where_values_are_asked_for():
    with pytest.raises(st.ValueDependentError, match=r"^np\.arange at ((?!local=True).)*$"):
        st.jacobian_sparsity(RANGES["a stop alone"], POINT, local=True, dependency=True)


def test_second_derivatives_at_a_point():
    def f(x):
        return np.sum(np.arange(x[0], x[1], x[2]) ** 2)

    hessian = st.hessian_sparsity(f, POINT, local=True).toarray().astype(int)
    assert hessian.tolist() == [[1, 0, 1], [0, 0, 0], [1, 0, 1]]
