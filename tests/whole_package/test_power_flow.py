"""AC optimal power flow, traced, against derivatives derived by hand.

The formulas are those of R. D. Zimmerman, "AC power flows, generalized OPF costs and their
derivatives using complex matrix notation", MATPOWER Technical Note 2 (2010).
"""

from __future__ import annotations

import runpy
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy import conj, diag
from numpy.typing import NDArray

from sparsetrace import hessian_sparsity, jacobian_sparsity

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ac_power_flow.py"
Matrix = NDArray[Any]


@lru_cache
def example() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(EXAMPLE)))


def grid_of(name: str) -> Any:
    return example().Grid(getattr(example(), name))


def point(grid: Any) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    return rng.uniform(0.8, 1.2, grid.size) * np.where(np.arange(grid.size) < grid.buses, 0.3, 1)


def of_injections(admittance: Matrix, v: NDArray[Any]) -> tuple[Matrix, Matrix]:
    """Derivatives of the injected powers by voltage angles and magnitudes."""
    current, unit = admittance @ v, diag(v / abs(v))
    by_angle = 1j * diag(v) @ conj(diag(current) - admittance @ diag(v))
    by_magnitude = diag(v) @ conj(admittance @ unit) + diag(conj(current)) @ unit
    return by_angle, by_magnitude


def of_flows(ends: Matrix, admittance: Matrix, v: NDArray[Any]) -> tuple[Matrix, Matrix]:
    """The same of the powers that flow into branches at the given ends."""
    current, unit = admittance @ v, diag(v / abs(v))
    at = diag(ends @ v)
    by_angle = 1j * (diag(conj(current)) @ ends @ diag(v) - at @ conj(admittance @ diag(v)))
    by_magnitude = at @ conj(admittance @ unit) + diag(conj(current)) @ ends @ unit
    return by_angle, by_magnitude


def hand_jacobian(grid: Any, x: NDArray[Any]) -> Matrix:
    v, _ = grid.unpacked(x)
    n, lines = grid.buses, len(grid.start)
    generators = grid.generators.toarray()
    rows = np.hstack(of_injections(grid.admittance.toarray(), v))
    none = np.zeros_like(generators)
    parts = [
        np.hstack([rows.real, -generators, none]),
        np.hstack([rows.imag, none, -generators]),
    ]
    for bus, admittance in ((grid.start, grid.from_start), (grid.end, grid.from_end)):
        ends, y = np.eye(n)[bus], admittance.toarray()
        flow = (ends @ v) * conj(y @ v)
        slopes = 2 * (diag(conj(flow)) @ np.hstack(of_flows(ends, y, v))).real
        parts.append(np.hstack([slopes, np.zeros((lines, 2 * generators.shape[1]))]))
    return np.vstack(parts)


def second_of_injections(admittance: Matrix, v: NDArray[Any], weights: NDArray[Any]) -> Matrix:
    """Second derivatives of weighted injected powers."""
    current, inverse = admittance @ v, diag(1 / abs(v))
    c = diag(weights * v) @ conj(admittance @ diag(v))
    d = conj(admittance.T) @ diag(v)
    e = diag(conj(v)) @ (d @ diag(weights) - diag(d @ weights))
    f = c - diag(weights * v * conj(current))
    mixed = 1j * inverse @ (e - f)
    return np.block([[e + f, mixed.T], [mixed, inverse @ (c + c.T) @ inverse]])


def second_of_flows(
    ends: Matrix, admittance: Matrix, v: NDArray[Any], weights: NDArray[Any]
) -> Matrix:
    """Second derivatives of the weighted squares of flows."""
    flow, inverse = (ends @ v) * conj(admittance @ v), diag(1 / abs(v))
    a = conj(admittance.T) @ diag(weights * conj(flow)) @ ends
    b = diag(conj(v)) @ a @ diag(v)
    d, e = diag((a @ v) * conj(v)), diag((a.T @ conj(v)) * v)
    f = b + b.T
    mixed = 1j * inverse @ (b - b.T - d + e)
    curved = np.block([[f - d - e, mixed.T], [mixed, inverse @ f @ inverse]])
    slopes = np.hstack(of_flows(ends, admittance, v))
    return 2 * (curved + slopes.T @ diag(weights) @ conj(slopes)).real


def hand_hessian(grid: Any, x: NDArray[Any], weights: NDArray[Any]) -> Matrix:
    v, _ = grid.unpacked(x)
    n, lines, y = grid.buses, len(grid.start), grid.admittance.toarray()
    active, reactive, *limits = np.split(weights, [n, 2 * n, 2 * n + lines])
    total = second_of_injections(y, v, active).real + second_of_injections(y, v, reactive).imag
    branches = ((grid.start, grid.from_start), (grid.end, grid.from_end))
    for (bus, admittance), some in zip(branches, limits, strict=True):
        total = total + second_of_flows(np.eye(n)[bus], admittance.toarray(), v, some)
    result = np.zeros((grid.size, grid.size))
    result[: 2 * n, : 2 * n] = total
    return result


@pytest.mark.parametrize("name", ["CASE9", "CASE30"])
def test_formulas_are_the_derivatives(name):
    """The formulas themselves, against differences of the constraints."""
    grid, step = grid_of(name), 1e-6
    x = point(grid)
    weights = np.linspace(1, 2, len(grid.constraints(x)))
    jacobian, hessian = hand_jacobian(grid, x), hand_hessian(grid, x, weights)
    for j in range(0, grid.size, 3):
        move = step * np.eye(grid.size)[j]
        change = (grid.constraints(x + move) - grid.constraints(x - move)) / (2 * step)
        assert np.allclose(jacobian[:, j], change, rtol=1e-5, atol=1e-5)
        slopes = (hand_jacobian(grid, x + move) - hand_jacobian(grid, x - move)) / (2 * step)
        assert np.allclose(hessian[:, j], weights @ slopes, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", ["CASE9", "CASE30"])
def test_patterns_are_those_of_the_formulas(name, local):
    grid = grid_of(name)
    x = point(grid)
    pattern = jacobian_sparsity(grid.constraints, x, local=local).toarray()
    assert (pattern == (abs(hand_jacobian(grid, x)) > 1e-12)).all()
    weights = np.linspace(1, 2, len(pattern))
    hessian = hessian_sparsity(lambda x: weights @ grid.constraints(x), x, local=local)
    assert (hessian.toarray() == (abs(hand_hessian(grid, x, weights)) > 1e-10)).all()


@pytest.mark.parametrize("name", ["CASE9", "CASE30"])
def test_no_dependency_is_lost_where_all_angles_are_zero(name):
    grid = grid_of(name)
    x = point(grid)
    x[: grid.buses] = 0
    pattern = jacobian_sparsity(grid.constraints, x, local=True).toarray()
    by_hand = abs(hand_jacobian(grid, x)) > 1e-12
    assert (pattern >= by_hand).all()
    assert pattern.sum() < jacobian_sparsity(grid.constraints, x).nnz
