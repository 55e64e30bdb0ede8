"""`check_derivatives`: right derivatives pass, wrong ones are named."""

from __future__ import annotations

import numpy as np
import pytest

from cases.sums import Collocation, rosenbrock, rosenbrock_gradient, rosenbrock_terms
from sparsetrace.api.detection import hessian_sparsity, jacobian_sparsity
from sparsetrace.derivatives.check import check_derivatives
from sparsetrace.derivatives.hessian import sparse_hessian, sparse_lagrangian_hessian
from sparsetrace.derivatives.jacobian import sparse_jacobian
from sparsetrace.errors import InputError, VerificationError

POINT = np.random.default_rng(0).normal(size=12)
METHODS = ["matvec", "dense"]
GIVEN = {
    "grad": {"grad": rosenbrock_gradient},
    "grad 2-point": {"grad": rosenbrock_gradient, "method": "2-point"},
    "terms": {"terms": rosenbrock_terms},
    "values": {},
    "values 3-point": {"method": "3-point"},
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("of", "most"), [("cs", 1e-10), ("3-point", 1e-7), ("2-point", 1e-5)])
def test_right_jacobian(of, most, method):
    jacobian = sparse_jacobian(rosenbrock_terms, POINT, method=of)
    assert check_derivatives(jacobian, POINT, method=method) < most


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("given", GIVEN)
def test_right_hessian(given, method):
    hessian = sparse_hessian(rosenbrock, POINT, **GIVEN[given])
    assert check_derivatives(hessian, POINT, method=method) < 1e-5


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("names", [("grad", "jac"), ("grad",), ()])
def test_right_lagrangian(names, lower, method):
    swing = Collocation(8)
    given = {"grad": swing.gradient, "jac": swing.jacobian}
    random = np.random.default_rng(3)
    z, multipliers = random.normal(size=swing.size), random.normal(size=16)
    hessian = sparse_lagrangian_hessian(
        swing.objective,
        swing.constraints,
        z,
        lower=lower,
        **{name: given[name] for name in names},
    )
    assert check_derivatives(hessian, z, multipliers, 0.5, method=method) < 1e-5


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("of", ["cs", "3-point", "2-point"])
def test_entry_that_the_jacobian_lacks(of, method):
    pattern = jacobian_sparsity(rosenbrock_terms, POINT).toarray()
    pattern[4, 5] = False
    jacobian = sparse_jacobian(rosenbrock_terms, POINT, method=of, pattern=pattern, check=False)
    with pytest.raises(VerificationError, match=r"worst entry is \(4, 5\): no entry"):
        check_derivatives(jacobian, POINT, method=method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("given", GIVEN)
def test_entry_that_the_hessian_lacks(given, method):
    pattern = hessian_sparsity(rosenbrock, POINT).toarray()
    pattern[4, 5] = pattern[5, 4] = False
    hessian = sparse_hessian(rosenbrock, POINT, pattern=pattern, check=False, **GIVEN[given])
    with pytest.raises(VerificationError, match=r"worst entry is \((4, 5|5, 4)\): no entry"):
        check_derivatives(hessian, POINT, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_complex_step_that_is_wrong(method):
    # the derivative of the absolute value is 0 by the complex step
    jacobian = sparse_jacobian(np.abs, np.array([3.0, 2.0]), method="cs", check=False)
    with pytest.raises(VerificationError, match=r"\((0, 0|1, 1)\): 0, and differences give 1 "):
        check_derivatives(jacobian, np.array([3.0, 2.0]), method=method)


def test_other_arguments_and_bounds():
    seen = []

    def f(x, scale):
        seen.append(np.array(x))
        return scale * np.sqrt(x)

    jacobian = sparse_jacobian(f, np.array([0.25, 1.0]), (1.0,), method="3-point", bounds=(0, 1))
    seen.clear()
    assert check_derivatives(jacobian, np.array([0.25, 0.99]), 4.0) < 1e-6
    assert all(((x >= 0) & (x <= 1)).all() for x in seen)


def test_beside_a_kink_nothing_is_claimed():
    jacobian = sparse_jacobian(np.abs, np.array([0.0, 2.0]))
    assert check_derivatives(jacobian, np.array([0.0, 2.0])) < 1e-6


@pytest.mark.parametrize("probes", [1, 5])
def test_number_of_probes(probes):
    jacobian = sparse_jacobian(rosenbrock_terms, POINT, check=False)
    jacobian(POINT)
    before = jacobian.nfev
    check_derivatives(jacobian, POINT, num_probes=probes)
    assert jacobian.nfev - before == jacobian.coloring.num_colors + 13 * probes


def test_nothing_to_compare():
    assert check_derivatives(sparse_jacobian(lambda x: x[:0], np.ones(2)), np.ones(2)) == 0.0


def test_refusals():
    with pytest.raises(InputError, match="not function"):
        check_derivatives(rosenbrock, POINT)
    with pytest.raises(InputError, match="method='rows'"):
        check_derivatives(sparse_jacobian(rosenbrock_terms, POINT), POINT, method="rows")
