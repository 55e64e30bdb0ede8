"""Ipopt with exact derivatives."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from cases.optimisation import (
    HS071_OPTIMUM,
    HS071_START,
    SwingUp,
    hs071,
    hs071_constraints,
    rosenbrock,
    rosenbrock_terms,
)
from sparsetrace.errors import InputError
from sparsetrace.solvers.ipopt import ipopt_problem

QUIET = {"print_level": 0, "sb": "yes"}
HS071 = {"lb": 1.0, "ub": 5.0, "cl": [25.0, 40.0], "cu": [np.inf, 40.0]}


@pytest.fixture
def cyipopt():
    return pytest.importorskip("cyipopt", reason="needs cyipopt (pip install 'sparsetrace[ipopt]')")


def test_without_cyipopt_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cyipopt", None)
    with pytest.raises(ImportError, match=r"sparsetrace\[ipopt\]"):
        ipopt_problem(hs071, hs071_constraints, HS071_START)


def hs071_gradient(x):
    a, b, c, d = x
    return np.array([d * (2 * a + b + c), a * d, a * d + 1, a * (a + b + c)])


@pytest.mark.parametrize("grad", [None, hs071_gradient])
def test_hs071(cyipopt, grad):
    problem = ipopt_problem(hs071, hs071_constraints, HS071_START, **HS071, grad=grad, **QUIET)
    x, info = problem.solve(HS071_START)
    assert info["status"] == 0
    assert info["obj_val"] == pytest.approx(HS071_OPTIMUM, abs=1e-6)
    assert np.allclose(hs071_constraints(x), [25, 40])


def test_collocation(cyipopt):
    swing = SwingUp(200)
    start = swing.start
    problem = ipopt_problem(
        swing.effort, swing.defects, start, terms=swing.effort_terms, tol=1e-8, **QUIET
    )
    z, info = problem.solve(start)
    assert info["status"] == 0
    assert np.abs(swing.defects(z)).max() < 1e-8
    approximate = ipopt_problem(
        swing.effort,
        swing.defects,
        start,
        terms=swing.effort_terms,
        hessian_approximation="limited-memory",
        **QUIET,
    )
    assert info["obj_val"] == pytest.approx(approximate.solve(start)[1]["obj_val"], rel=1e-5)


def test_no_constraints_and_other_arguments(cyipopt):
    problem = ipopt_problem(
        lambda x, scale: scale * rosenbrock(x),
        None,
        np.full(30, 1.1),
        args=(0.5,),
        terms=lambda x, scale: scale * rosenbrock_terms(x),
        **QUIET,
    )
    x, info = problem.solve(np.full(30, 1.1))
    assert info["status"] == 0
    assert np.allclose(x, 1)


def test_bounds_that_do_not_fit(cyipopt):
    with pytest.raises(InputError, match="cl has shape"):
        ipopt_problem(hs071, hs071_constraints, HS071_START, cl=[1.0, 2.0, 3.0])
