"""The Lagrangian's Hessian of AC power flow against PYPOWER's, written by hand there."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from sparsetrace.derivatives.hessian import sparse_lagrangian_hessian
from sparsetrace.derivatives.jacobian import sparse_jacobian

api = pytest.importorskip("pypower.api", reason="PYPOWER is not installed")


def network(name):
    """The admittances between buses, and a point near the case's own."""
    case = api.ext2int(getattr(api, name)())
    admittance, _, _ = api.makeYbus(case["baseMVA"], case["bus"], case["branch"])
    random = np.random.default_rng(0)
    buses = len(case["bus"])
    angle = np.deg2rad(case["bus"][:, 8]) + random.normal(scale=0.05, size=buses)
    return csr_array(admittance), np.concatenate([angle, random.uniform(0.95, 1.05, buses)])


def balance(z, admittance):
    angle, magnitude = z.reshape(2, -1)
    voltage = magnitude * np.exp(1j * angle)
    power = voltage * np.conj(admittance @ voltage)
    return np.concatenate([power.real, power.imag])


@pytest.mark.parametrize("name", ["case9", "case30", "case118"])
def test_power_balance(name):
    admittance, z = network(name)
    buses = len(z) // 2
    matrix = csr_matrix(admittance)  # PYPOWER multiplies with a star
    voltage = z[buses:] * np.exp(1j * z[:buses])
    by_magnitude, by_angle = import_module("pypower.dSbus_dV").dSbus_dV(matrix, voltage)
    first = np.hstack([by_angle.toarray(), by_magnitude.toarray()])
    jacobian = sparse_jacobian(balance, z, (admittance,), method="3-point")
    expected = np.concatenate([first.real, first.imag])
    np.testing.assert_allclose(jacobian(z).toarray(), expected, atol=1e-7)

    multipliers = np.random.default_rng(1).normal(size=2 * buses)
    d2 = import_module("pypower.d2Sbus_dV2").d2Sbus_dV2
    expected = np.zeros((len(z), len(z)))
    for part, weights in (("real", multipliers[:buses]), ("imag", multipliers[buses:])):
        aa, av, va, vv = (getattr(block.toarray(), part) for block in d2(matrix, voltage, weights))
        expected += np.block([[aa, av], [va, vv]])
    hessian = sparse_lagrangian_hessian(None, balance, z, (admittance,), method="3-point")
    scale = np.abs(expected).max()
    np.testing.assert_allclose(hessian(z, multipliers).toarray(), expected, atol=1e-5 * scale)
