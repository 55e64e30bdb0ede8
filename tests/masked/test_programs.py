"""numpy.ma over traced data: what is masked carries nothing, and nothing else is lost."""

from __future__ import annotations

import numpy as np
import pytest
from checks import Case, check, check_local, check_metadata

import sparsetrace as st
from cases.masked.constant_masks import EXACT, STATEMENTS
from cases.masked.deciding_inputs import AT_A_POINT, CURVED, EXTRA, ORDERED
from cases.masked.programs import SMALL, program
from oracles import (
    assert_covers,
    assert_same_pattern,
    dense,
    hessian_pattern_at,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)


@pytest.mark.parametrize("source", [s for s in (*EXACT, *STATEMENTS) if s])
def test_constant_masks(source):
    f = program(source)
    region = {"low": 0.5, "high": 2.0, "points": 2}
    with np.errstate(all="ignore"):
        expected = numerical_jacobian_pattern(f, np.ones((3, 4)), atol=1e-12, **region)
    assert_same_pattern(st.jacobian_sparsity(f, np.ones((3, 4))), expected)
    for options in ({"constants": "structure"}, {"dependency": True}):
        assert_covers(st.jacobian_sparsity(f, np.ones((3, 4)), **options), expected)
    case = Case(source, f, (3, 4), kind="those of np.ma")
    check_local(case)
    check_metadata(case, np.float64)


@pytest.mark.parametrize("source", ORDERED)
def test_values_decide(source):
    f = program(source, SMALL)
    reason = EXTRA.get(source, "")
    check(Case(source, f, 4, points=20, kind="those of np.ma", single=False, extra=reason))


@pytest.mark.parametrize("source", AT_A_POINT)
def test_at_a_point_masks_are_known(source):
    f = program(source, SMALL)
    for seed in range(4):
        x = np.random.default_rng(seed).uniform(0.5, 2.0, 4)
        assert_same_pattern(st.jacobian_sparsity(f, x, local=True), jacobian_pattern_at(f, x))


@pytest.mark.parametrize("source", CURVED)
@pytest.mark.parametrize("local", [False, True])
def test_hessians(source, local):
    f = program(source, SMALL)
    x = np.array([0.6, 1.4, 0.8, 1.7])
    pattern = dense(st.hessian_sparsity(f, x, local=local))
    if local:
        expected = hessian_pattern_at(f, x)
    else:
        expected = numerical_hessian_pattern(f, x, low=0.5, high=2.0, points=8)
    compare = assert_covers if "median" in source and not local else assert_same_pattern
    compare(pattern, expected)
