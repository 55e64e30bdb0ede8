"""Sequential quadratic programs by OSQP."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.optimize

from cases.optimisation import (
    HS071_OPTIMUM,
    HS071_START,
    SwingUp,
    hs071,
    hs071_constraints,
    rosenbrock,
    rosenbrock_terms,
)
from sparsetrace.solvers.osqp import sqp


@pytest.fixture
def osqp():
    return pytest.importorskip("osqp", reason="needs osqp (pip install 'sparsetrace[osqp]')")


def test_without_osqp_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "osqp", None)
    with pytest.raises(ImportError, match=r"sparsetrace\[osqp\]"):
        sqp(hs071, hs071_constraints, HS071_START)


def test_hs071(osqp):
    result = sqp(hs071, hs071_constraints, HS071_START, lb=1, ub=5, cl=[25, 40], cu=[np.inf, 40])
    assert result.success, result.message
    assert result.fun == pytest.approx(HS071_OPTIMUM, abs=1e-4)
    assert result.constr_violation < 1e-6
    assert result.optimality < 1e-3
    assert np.allclose(result.multipliers, [-0.5523, 0.1615], atol=1e-3)


def test_without_constraints(osqp):
    result = sqp(rosenbrock, None, np.full(30, 1.1), terms=rosenbrock_terms)
    assert result.success, result.message
    assert np.allclose(result.x, 1, atol=1e-4)


def test_functions_that_write_into_x_and_return_a_buffer(osqp):
    room = np.zeros(1)

    def f(x):
        x -= 1
        return np.sum(x**2) + 0.1 * x[0] * x[1]

    def g(x):
        x *= 2
        room[0] = x[0] + x[1] - 1
        return room

    result = sqp(f, g, np.array([3.0, 2.0, 1.0]), -5, 5, sparsity={"method": "2-point"})
    assert result.success, result.message
    assert np.allclose(result.x, [0.25, 0.25, 1], atol=1e-4)


def test_collocation(osqp):
    swing = SwingUp(40)
    result = sqp(swing.effort, swing.defects, swing.start, terms=swing.effort_terms)
    assert result.success, result.message
    plain = scipy.optimize.minimize(
        swing.effort,
        swing.start,
        method="SLSQP",
        constraints={"type": "eq", "fun": swing.defects},
        options={"maxiter": 300},
    )
    assert result.fun == pytest.approx(plain.fun, rel=1e-3)


def test_constraints_that_contradict_each_other(osqp):
    result = sqp(rosenbrock, lambda x: np.stack([x[0], x[0]]), np.ones(3), cl=[0, 1], cu=[0, 1])
    assert not result.success
    assert "infeasible" in result.message
