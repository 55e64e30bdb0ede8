"""SciPy's functions on traced arguments: patterns, Hessians and values of each.

Every call of tests/cases/scipy_calls is compared with difference quotients, both ways; where
`EXTRA` or `EXTRA_HESSIAN` names it, the pattern claims more than they show, for the reason
given.
"""

from __future__ import annotations

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from cases.scipy_calls.every import CASES, EXTRA, EXTRA_AT, EXTRA_HESSIAN, HIGH, LOW, MANY, START
from oracles import (
    assert_covers,
    assert_same_pattern,
    dense,
    flat_outputs,
    hessian_pattern_at,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)
from sparsetrace.operands.operands import values_of


def leaves(found):
    return list(found) if isinstance(found, (tuple, list)) else [found]


def compared(pattern, wanted, reasons, name):
    (assert_covers if name in reasons else assert_same_pattern)(pattern, wanted)


@pytest.mark.parametrize(("f", "size", "name"), CASES)
def test_jacobian(f, size, name):
    start = START[:size]
    points = MANY.get(name, 4)
    pattern = st.jacobian_sparsity(f, start)
    wanted = numerical_jacobian_pattern(f, start, points=min(points, 4), low=LOW, high=HIGH)
    if points > 4:
        unseen = dense(pattern) & ~wanted
        wanted |= numerical_jacobian_pattern(
            f, start, points=points, low=LOW, high=HIGH, among=unseen
        )
    compared(pattern, wanted, EXTRA, name)
    assert_covers(st.jacobian_sparsity(f, start, constants="structure"), wanted)
    assert_covers(st.jacobian_sparsity(f, start, dependency=True), wanted)


@pytest.mark.parametrize(("f", "size", "name"), CASES)
def test_hessian(f, size, name):
    """Of all outputs together, with weights that single none of them out."""
    start = START[:size]
    weights = np.random.default_rng(1).uniform(0.5, 1.5, len(flat_outputs(f(start.copy()))))

    def weighted(x):
        return np.sum(np.concatenate([np.ravel(leaf) for leaf in leaves(f(x))]) * weights)

    at_point = hessian_pattern_at(weighted, start)
    wanted = at_point | numerical_hessian_pattern(
        weighted, start, points=MANY.get(name, 3), low=LOW, high=HIGH, among=~at_point
    )
    compared(st.hessian_sparsity(weighted, start), wanted, EXTRA_HESSIAN, name)
    compared(st.hessian_sparsity(weighted, start, local=True), at_point, EXTRA_AT, name)


@pytest.mark.parametrize(("f", "size", "name"), CASES)
def test_local(f, size, name):
    """The values are SciPy's own."""
    start = START[:size]
    seen = Outside()

    def kept(x):
        found = f(x)
        if not x._trace.aside:
            seen.append([values_of(leaf) for leaf in leaves(found)])
        return found

    pattern = st.jacobian_sparsity(kept, start, local=True, verify=False)  # which calls it plainly
    values, expected = flat_outputs(seen[-1]), flat_outputs(f(start.copy()))
    composed = any(kind in name for kind in ("ordinates", "factor", "response"))
    tolerance = 1e-12 if composed else 1e-14
    np.testing.assert_allclose(values, expected, rtol=tolerance, atol=tolerance)
    compared(pattern, jacobian_pattern_at(f, start), EXTRA_AT, name)
