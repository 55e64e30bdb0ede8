"""Differential equations with sparse Jacobians, beside SciPy alone."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate

from sparsetrace.errors import InputError, TracingError
from sparsetrace.solvers import solve_bvp, solve_ivp


# ---------------------------------------------------------------------------------- solve_ivp
def brusselator(t, y, n):
    u, v = y.reshape(2, n, n)

    def diffusion(w):
        around = np.roll(w, 1, 0) + np.roll(w, -1, 0) + np.roll(w, 1, 1) + np.roll(w, -1, 1)
        return 0.02 * (n - 1) ** 2 * (around - 4 * w)

    reaction = u**2 * v
    rates = 1 + reaction - 4.4 * u + diffusion(u), 3.4 * u - reaction + diffusion(v)
    return np.concatenate([rate.ravel() for rate in rates])


def start(n):
    x = np.linspace(0, 1, n)
    u = np.outer(np.ones(n), 22 * (x * (1 - x)) ** 1.5)
    return np.concatenate([u.ravel(), (27 * u.T).ravel() / 22])


@pytest.mark.parametrize("method", ["BDF", "Radau"])
@pytest.mark.parametrize("jac", [None, "2-point"])
def test_brusselator(method, jac):
    n = 24
    calls = []

    def counted(t, y, n):
        calls.append(1)
        return brusselator(t, y, n)

    options = {"t_eval": [0.1, 0.5, 1.0], "args": (n,), "rtol": 1e-4}
    sparse = solve_ivp(counted, (0, 1), start(n), method=method, jac=jac, **options)
    reference = scipy.integrate.solve_ivp(
        brusselator, (0, 1), start(n), method="BDF", t_eval=[0.1, 0.5, 1.0], args=(n,),
        rtol=1e-4, jac_sparsity=np.kron(np.ones((2, 2)), neighbours(n)),
    )  # fmt: skip
    assert sparse.success
    assert np.allclose(sparse.y, reference.y, rtol=1e-2, atol=1e-2)
    assert len(calls) < sparse.nfev + 15 * sparse.njev + 20


def neighbours(n):
    ring = np.eye(n) + np.roll(np.eye(n), 1, 0) + np.roll(np.eye(n), -1, 0)
    return np.kron(ring, np.eye(n)) + np.kron(np.eye(n), ring)


def decay(t, y):
    """At t = 0 nothing depends on anything."""
    left = np.concatenate([[0.0], y[:-1]])
    return 1e3 * t * (left - y)


@pytest.mark.parametrize("method", ["BDF", "Radau", "LSODA"])
@pytest.mark.parametrize("vectorized", [False, True])
def test_the_pattern_holds_for_every_time(method, vectorized):
    def rates(t, y):
        if not vectorized:
            return decay(t, y)
        left = np.concatenate([np.zeros((1, y.shape[1])), y[:-1]])
        return 1e3 * t * (left - y)

    options = {"method": method, "rtol": 1e-6, "atol": 1e-9}
    result = solve_ivp(rates, (0, 0.1), np.ones(30), vectorized=vectorized, **options)
    plain = scipy.integrate.solve_ivp(decay, (0, 0.1), np.ones(30), **options)
    assert np.allclose(result.y[:, -1], plain.y[:, -1], atol=1e-4)
    assert result.nfev < 1000


@pytest.mark.parametrize("method", ["BDF", "Radau", "LSODA"])
@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_rates_of_columns_as_python_lists_them(method, kind):
    def rates(t, y):
        return kind([y[1], -y[0]])

    solution = solve_ivp(rates, (0, 1), [1.0, 0.0], method, vectorized=True, rtol=1e-8)
    np.testing.assert_allclose(solution.y[:, -1], [np.cos(1), -np.sin(1)], atol=1e-5)


def test_lsoda_without_narrow_bands():
    matrix = -np.diag(np.arange(1.0, 6)) + np.eye(5)[::-1]
    options = {"method": "LSODA", "rtol": 1e-8, "atol": 1e-10}
    result = solve_ivp(lambda t, y: matrix @ y, (0, 1), np.ones(5), **options)
    plain = scipy.integrate.solve_ivp(lambda t, y: matrix @ y, (0, 1), np.ones(5), **options)
    assert np.allclose(result.y[:, -1], plain.y[:, -1], atol=1e-6)


def test_complex_numbers_and_jacobians_of_the_users():
    def rates(t, y):
        return 1j * y - 0.1 * y * np.concatenate([y[1:], y[:1]])

    ours = solve_ivp(rates, (0, 1), np.full(4, 1 + 0j), rtol=1e-6)
    plain = scipy.integrate.solve_ivp(rates, (0, 1), np.full(4, 1 + 0j), method="BDF", rtol=1e-6)
    assert np.allclose(ours.y[:, -1], plain.y[:, -1], atol=1e-4)
    given = solve_ivp(lambda t, y: -y, (0, 1), [1.0], jac=np.array([[-1.0]]))
    assert given.y[0, -1] == pytest.approx(np.exp(-1), abs=1e-2)


def test_what_solve_ivp_refuses():
    with pytest.raises(InputError, match=r"'RK45' takes no Jacobian: .*'BDF', 'Radau', 'LSODA'"):
        solve_ivp(decay, (0, 1), np.ones(3), method="RK45")
    with pytest.raises(InputError, match="LSODA"):
        solve_ivp(decay, (0, 1), np.ones(3), method="LSODA", jac="2-point")

    def looked_up(t, y):
        return -y * {0.0: 1.0}.get(t, 1.0)

    with pytest.raises(TracingError, match="Or give the pattern to the solver"):
        solve_ivp(looked_up, (0, 1), np.ones(3))
    given = solve_ivp(looked_up, (0, 1), np.ones(3), sparsity={"pattern": np.eye(3)})
    assert given.y[:, -1] == pytest.approx(np.exp(-1), abs=1e-2)


# ---------------------------------------------------------------------------------- solve_bvp
def test_an_eigenvalue_as_a_parameter():
    """SciPy's second example: y'' + k^2 y = 0, y(0) = y(1) = 0, y'(0) = k."""
    calls = []

    def rates(x, y, p):
        calls.append(1)
        return np.vstack((y[1], -(p[0] ** 2) * y[0]))

    def ends(ya, yb, p):
        return np.array([ya[0], yb[0], ya[1] - p[0]])

    x = np.linspace(0, 1, 5)
    y = np.zeros((2, 5))
    y[0, [1, 3]] = 1, -1
    ours = solve_bvp(rates, ends, x, y, p=[6])
    used = len(calls)
    calls.clear()
    plain = scipy.integrate.solve_bvp(rates, ends, x, y, p=[6])
    assert ours.success
    assert ours.p[0] == pytest.approx(2 * np.pi, rel=1e-3)
    assert np.allclose(ours.sol(0.3), plain.sol(0.3), atol=1e-6)
    assert used < 4 * len(calls)


def test_many_decoupled_equations_take_few_colors():
    n = 40
    forces = np.linspace(-1, 1, n // 2)[:, None]
    calls = []

    def rates(x, y):
        calls.append(1)
        return np.concatenate([y[n // 2 :], 0.5 * np.sin(y[: n // 2]) + forces * (1 + x)])

    def ends(ya, yb):
        return np.concatenate([ya[: n // 2], yb[: n // 2]])

    x, y = np.linspace(0, 1, 6), np.zeros((n, 6))
    ours = solve_bvp(rates, ends, x, y)
    used = len(calls)
    calls.clear()
    plain = scipy.integrate.solve_bvp(rates, ends, x, y)
    assert ours.success
    assert np.allclose(ours.sol(0.5), plain.sol(0.5), atol=1e-6)
    assert used < len(calls) / 2


def test_rates_of_one_point_that_depend_on_another_are_refused():
    with pytest.raises(InputError, match="depends on y at point"):
        solve_bvp(
            lambda x, y: np.stack([y[1], -np.cumsum(y[0])]),
            lambda ya, yb: np.stack([ya[0], yb[0] - 1]),
            np.linspace(0, 1, 5),
            np.zeros((2, 5)),
        )
    with pytest.raises(InputError, match="y has shape"):
        solve_bvp(lambda x, y: y, lambda ya, yb: ya, np.linspace(0, 1, 5), np.zeros(5))
