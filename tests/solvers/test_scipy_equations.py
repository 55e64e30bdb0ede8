"""Least squares and equations with our derivatives, beside SciPy alone."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from scipy.sparse import issparse

from cases.optimisation import bundle_adjustment
from sparsetrace.errors import InputError
from sparsetrace.solvers import least_squares, newton_krylov, root


# ------------------------------------------------------------------------------ least_squares
@pytest.fixture(scope="module")
def adjusted():
    problem = bundle_adjustment(cameras=4, points=30, seed=0)
    return problem, scipy.optimize.least_squares(
        problem.residuals, problem.start, x_scale="jac", ftol=1e-10, args=problem.args
    )


def test_bundle_adjustment_has_the_optimum_of_dense_differences(adjusted):
    problem, dense = adjusted
    sparse = least_squares(
        problem.residuals,
        problem.start,
        x_scale="jac",
        ftol=1e-10,
        args=problem.args,
    )
    assert issparse(sparse.jac)
    assert sparse.cost == pytest.approx(dense.cost, rel=1e-3)


def test_differences_of_scipys_get_the_pattern(adjusted):
    problem, dense = adjusted
    calls = []

    def counted(*args):
        calls.append(1)
        return problem.residuals(*args)

    options = {"x_scale": "jac", "ftol": 1e-10, "args": problem.args}
    sparse = least_squares(counted, problem.start, jac="2-point", **options)
    assert sparse.cost == pytest.approx(dense.cost, rel=1e-3)
    assert len(calls) < 30 * sparse.njev + sparse.nfev


def curve(x, t, shift=0.0):
    return x[0] * np.exp(-x[1] * t) + shift - 2 * np.exp(-0.5 * t)


@pytest.mark.parametrize("options", [{"method": "lm"}, {"tr_solver": "exact"}, {"loss": "cauchy"}])
def test_dense_methods_bounds_and_keywords(options):
    t = np.linspace(0, 3, 20)
    result = least_squares(
        curve, [1.0, 1.0], args=(t,), kwargs={"shift": 0.0}, xtol=1e-12, **options
    )
    assert np.allclose(result.x, [2.0, 0.5], atol=1e-5)
    if "method" not in options:
        bounded = least_squares(curve, [1.0, 1.0], bounds=([0, 0.7], 9), args=(t,), **options)
        assert bounded.x[1] == pytest.approx(0.7, abs=1e-3)


def test_a_pattern_where_none_is_taken_is_refused():
    with pytest.raises(InputError, match="take no pattern"):
        least_squares(curve, [1.0, 1.0], jac="2-point", method="lm", args=(np.ones(3),))


@pytest.mark.parametrize("jac", [None, "2-point", "cs"])
@pytest.mark.parametrize("options", [{}, {"bounds": (0, 2.5)}, {"tr_solver": "exact"}])
@pytest.mark.parametrize("x0", [1.0, [1.0]])
def test_one_unknown(jac, options, x0):
    if jac is None or "tr_solver" not in options:
        result = least_squares(lambda x: x**2 - np.array([4.0, 5.0]), x0, jac, **options)
        assert result.x == pytest.approx([4.5**0.5], abs=1e-4)
        assert np.shape(result.jac) == (2, 1)


# ------------------------------------------------------------------------------------ equations
def bratu(u):
    v = np.pad(u.reshape(30, 30), 1)
    around = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2]
    return (around - 4 * v[1:-1, 1:-1] + 5 / 31**2 * np.exp(v[1:-1, 1:-1])).reshape(u.shape)


@pytest.mark.parametrize("method", ["krylov", "hybr", "lm"])
def test_roots(method):
    calls = []

    def counted(u):
        calls.append(1)
        return bratu(u)

    start = np.zeros(900)
    options = {"options": {"fatol": 1e-8}} if method == "krylov" else {"tol": 1e-10}
    solution = root(counted, start, method=method, **options)
    assert solution.success
    assert np.abs(bratu(solution.x)).max() < 1e-6
    assert len(calls) < 150


def test_a_preconditioner_saves_iterations_and_keeps_the_shape():
    def calls_of(solver):
        calls = []

        def counted(u):
            calls.append(1)
            return bratu(u)

        u = solver(counted, np.zeros((30, 30)), f_tol=1e-9)
        assert u.shape == (30, 30)
        assert np.abs(bratu(u)).max() < 1e-9
        return len(calls)

    assert calls_of(newton_krylov) < 0.7 * calls_of(scipy.optimize.newton_krylov)


def test_a_singular_jacobian_still_gives_a_preconditioner(monkeypatch):
    monkeypatch.setattr(scipy.optimize, "newton_krylov", lambda *args, inner_M: inner_M)
    preconditioner = newton_krylov(lambda x: x**2, np.array([0.0, 1.0]))
    assert np.isfinite(preconditioner @ np.ones(2)).all()
    preconditioner.update(np.array([1.0, 2.0]))
    assert np.allclose(preconditioner @ np.ones(2), [1 / 2, 1 / 4])


def test_roots_refuse_what_does_not_fit():
    with pytest.raises(InputError, match="takes no Jacobian"):
        root(lambda x: x, [1.0], method="broyden1")
    with pytest.raises(InputError, match="3 unknowns and 2 equations"):
        root(lambda x: x[1:], np.ones(3), method="krylov")
