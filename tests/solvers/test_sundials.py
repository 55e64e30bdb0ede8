"""CVODE with sparse Jacobians."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.integrate

from sparsetrace.solvers.sundials import cvode


@pytest.fixture
def sksundae():
    return pytest.importorskip(
        "sksundae", reason="needs scikit-sundae (pip install 'sparsetrace[sundials]')"
    )


def rates(t, u, strength):
    """Heat on a line with a source that is switched on by time."""
    padded = np.concatenate([[0.0], u, [0.0]])
    n = len(u) + 1
    return n**2 * (padded[2:] - 2 * u + padded[:-2]) + strength * t * u**2


def test_without_scikit_sundae_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sksundae", None)
    monkeypatch.setitem(sys.modules, "sksundae.cvode", None)
    with pytest.raises(ImportError, match=r"sparsetrace\[sundials\]"):
        cvode(rates, 0.0, np.ones(3), args=(1.0,))


@pytest.mark.parametrize("linsolver", ["sparse", "dense", "band"])
def test_heat(sksundae, linsolver):
    n = 60
    start = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
    options = {"rtol": 1e-6, "atol": 1e-9}
    solver = cvode(rates, 0.0, start, args=(30.0,), linsolver=linsolver, **options)
    solution = solver.solve(np.array([0.0, 0.1, 0.2]), start)
    plain = scipy.integrate.solve_ivp(
        rates, (0, 0.2), start, method="BDF", args=(30.0,), t_eval=[0.0, 0.1, 0.2], **options
    )
    assert solution.success
    assert np.allclose(solution.y, plain.y.T, atol=1e-4)
