"""SciPy's minimisers with our derivatives, beside SciPy alone."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from scipy.sparse import csr_array, issparse

from cases.optimisation import rosenbrock, rosenbrock_terms
from sparsetrace.errors import InputError
from sparsetrace.solvers import minimize, nonlinear_constraint


@pytest.mark.parametrize(
    "method", ["trust-constr", "trust-krylov", "trust-ncg", "Newton-CG", "trust-exact", None]
)
def test_chained_rosenbrock_with_hessians(method):
    result = minimize(rosenbrock, np.full(50, 1.1), method=method, terms=rosenbrock_terms)
    assert np.allclose(result.x, 1, atol=1e-3)
    assert result.nit < 60


@pytest.mark.parametrize("method", ["L-BFGS-B", "SLSQP", "BFGS", "CG", "TNC"])
def test_chained_rosenbrock_with_gradients(method):
    calls = []

    def counted(x):
        calls.append(1)
        return rosenbrock(x)

    options = {"maxfun": 3000} if method == "TNC" else {}
    result = minimize(
        counted, np.full(50, 1.1), method=method, terms=rosenbrock_terms, options=options
    )
    assert np.allclose(result.x, 1, atol=1e-2)
    assert len(calls) <= result.nfev + 5


def test_gradients_that_the_user_has():
    def both(x, scale):
        return scale * rosenbrock(x), scale * scipy.optimize.rosen_der(x)

    given = minimize(
        lambda x, scale: scale * rosenbrock(x),
        np.full(20, 1.1),
        args=(2.0,),
        jac=lambda x, scale: scale * scipy.optimize.rosen_der(x),
        method="trust-krylov",
    )
    together = minimize(both, np.full(20, 1.1), args=2.0, jac=True, method="Newton-CG")
    assert np.allclose(given.x, 1)
    assert np.allclose(together.x, 1, atol=2e-3)


def test_neither_gradient_nor_terms():
    result = minimize(rosenbrock, np.full(10, 1.1))
    assert np.allclose(result.x, 1, atol=1e-4)


def sphere(x):
    return x[1:] ** 2 + x[:-1] ** 2 - 1


def total(x):
    return x.sum()


@pytest.mark.parametrize("method", ["trust-constr", "SLSQP"])
@pytest.mark.parametrize("form", ["dictionary", "ours"])
def test_constraints_and_bounds(method, form):
    x0 = np.tile([-0.6, -0.7], 3)
    constraint = (
        {"type": "eq", "fun": sphere}
        if form == "dictionary"
        else nonlinear_constraint(sphere, 0.0, 0.0, x0)
    )
    bounds = [(-0.8, None)] * 6
    result = minimize(total, x0, method=method, bounds=bounds, constraints=constraint)
    plain = scipy.optimize.minimize(
        total, x0, method="SLSQP", bounds=bounds, constraints={"type": "eq", "fun": sphere}
    )
    assert np.abs(sphere(result.x)).max() < 1e-6
    assert result.fun == pytest.approx(plain.fun, abs=1e-3)


def test_a_constraint_has_sparse_derivatives():
    x, v = np.arange(1.0, 6.0), np.arange(4.0)
    constraint = nonlinear_constraint(lambda x, a: a * x[1:] * x[:-1], 0, 1, x, (3.0,))
    jacobian, hessian = constraint.jac(x), constraint.hess(x, v)
    assert issparse(jacobian)
    assert issparse(hessian)
    assert np.allclose(jacobian.toarray()[1], [0, 9, 6, 0, 0])
    assert np.allclose(hessian.toarray(), 3 * (np.diag(v, 1) + np.diag(v, -1)), atol=1e-6)
    assert np.allclose(constraint.fun(x), 3 * x[1:] * x[:-1])


def test_scipys_differences_of_a_constraint_get_the_pattern():
    x = np.ones(5)
    constraint = nonlinear_constraint(sphere, 0, 0, x, jac="2-point")
    assert constraint.jac == "2-point"
    assert constraint.finite_diff_jac_sparsity.nnz == 8


@pytest.mark.parametrize("method", ["Nelder-Mead", "COBYLA"])
def test_methods_without_derivatives_are_refused(method):
    with pytest.raises(InputError, match="takes no gradient"):
        minimize(rosenbrock, np.ones(3), method=method)


def test_keywords_of_derivatives_go_through():
    x = np.ones(5)
    sparsity = {"method": "3-point", "kind": "acyclic", "order": "natural", "constants": "values"}
    constraint = nonlinear_constraint(sphere, 0, 0, x, sparsity=sparsity)
    assert constraint.jac.derivative.method == "3-point"
    assert np.allclose(constraint.hess(x, np.ones(4)).diagonal(), [2, 4, 4, 4, 2], atol=1e-4)
    result = minimize(
        rosenbrock, np.full(8, 1.1), method="trust-ncg", terms=rosenbrock_terms, sparsity=sparsity
    )
    assert np.allclose(result.x, 1, atol=1e-3)


def test_keywords_go_to_the_derivative_that_has_them():
    """Of the Jacobian alone, of the Hessian alone, of neither."""
    x = np.ones(5)
    sparsity = {"dependency": False, "vectorized": False, "hessian_store": "dict"}
    constraint = nonlinear_constraint(sphere, 0, 0, x, sparsity=sparsity)
    assert constraint.jac(x).nnz == 8
    assert constraint.hess(x, np.ones(4)).nnz == 5
    with pytest.raises(TypeError, match="methd"):
        nonlinear_constraint(sphere, 0, 0, x, sparsity={"methd": "cs"})


def test_constraints_of_ours_beside_dense_ones():
    ours = nonlinear_constraint(lambda x: x[1:] ** 2 + x[:-1] ** 2, -np.inf, 1.5, np.ones(5))
    line = scipy.optimize.LinearConstraint(np.ones((1, 5)), 1.0, 3.0)
    bare = {"type": "ineq", "fun": lambda x: x[:-1] + x[1:] - 0.5}
    optima = [
        minimize(rosenbrock, np.full(5, 0.6), method=method, terms=rosenbrock_terms, **given).fun
        for method in ("trust-constr", "SLSQP")
        for given in ({"constraints": [ours, line]}, {"constraints": [bare, line, ours]})
    ]
    np.testing.assert_allclose(optima, optima[0], atol=1e-5)


@pytest.mark.parametrize("jac", ["2-point", lambda x: 2 * x, lambda x: csr_array([2 * x])])
def test_constraints_of_ours_beside_a_number_of_the_users(jac):
    """SciPy makes a vector of its Jacobian, and cannot use a sparse one."""
    ball = scipy.optimize.NonlinearConstraint(lambda x: x @ x, 0, 1.5, jac)
    equation = {"type": "eq", "fun": lambda x: x[0] * x[1] - 0.1}
    result = minimize(rosenbrock, np.full(4, 0.6), constraints=[ball, equation])
    assert result.x @ result.x < 1.5 + 1e-6
    assert result.x[0] * result.x[1] == pytest.approx(0.1, abs=1e-6)
