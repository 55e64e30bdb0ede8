"""Functions of scipy.special that are too rough for differences: patterns by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special as sc

import sparsetrace as st

START = np.array([1.0, 4.0, 5.0, 6.0])
pytestmark = pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")


@pytest.mark.parametrize("local", [False, True])
def test_ellipsoidal_harmonics(local):
    """Each value depends on its own arguments."""
    jacobian = st.jacobian_sparsity(
        lambda x: sc.ellip_harm_2(x[0], x[1], 2, 1, x[2:]), START, local=local
    )
    assert jacobian.toarray().tolist() == [[1, 1, 1, 0], [1, 1, 0, 1]]
    normal = st.hessian_sparsity(lambda x: sc.ellip_normal(x[0], x[1], 2, 1), START, local=local)
    assert normal.toarray()[:2, :2].all()
    assert normal.nnz == 4


def test_coefficients_of_mathieu_functions():
    """At a point it is known how many there are."""
    for f in (lambda q: sc.mathieu_even_coef(2, q), lambda q: sc.mathieu_odd_coef(2, q)):
        pattern = st.jacobian_sparsity(lambda x, f=f: f(x[0]), START, local=True)
        assert pattern.shape == (len(f(1.0)), 4)
        assert pattern.toarray()[:, 0].all()
        assert pattern.nnz == len(f(1.0))


def test_orders_that_a_global_trace_does_not_know():
    """Arguments outside of argnums may be any numbers."""
    for f in (sc.spherical_jn, sc.spherical_yn, sc.spherical_in, sc.spherical_kn, sc.polygamma):
        pattern = st.jacobian_sparsity(f, 2, START, argnums=1)
        assert pattern.toarray().tolist() == np.eye(4, dtype=bool).tolist()


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("package", ["scipy._lib", "scipy._external"])
def test_linear_systems_of_the_array_api(package, local):
    linalg = pytest.importorskip(f"{package}.array_api_compat.numpy.linalg")
    right = st.jacobian_sparsity(
        lambda b: linalg.solve(np.diag([1.0, 2.0]), b), START[:2], local=local
    )
    assert right.toarray().tolist() == [[1, 0], [0, 1]]
    left = st.jacobian_sparsity(
        lambda a: linalg.solve(a.reshape(2, 2), np.ones((2, 1))), START, local=local
    )
    assert left.toarray().all()
