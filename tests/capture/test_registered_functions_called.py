"""Libraries in the traced function: compiled code gets no traced memory, NumPy code is traced."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse as sp
import scipy.sparse.linalg
import scipy.spatial
import scipy.special
import scipy.stats

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, numerical_jacobian_pattern

COMPILED = [
    lambda x: scipy.linalg.solve(np.eye(4), x),
    lambda x: scipy.linalg.inv(x.reshape(2, 2)),
    lambda x: scipy.linalg.det(x.reshape(2, 2)),
    lambda x: scipy.linalg.lstsq(np.eye(4), x)[0],
    lambda x: scipy.linalg.solve_triangular(np.eye(4), x),
    lambda x: scipy.linalg.lu_solve(scipy.linalg.lu_factor(np.eye(4)), x),
    lambda x: scipy.linalg.expm(x.reshape(2, 2)),
    lambda x: scipy.linalg.svdvals(x.reshape(2, 2)),
    lambda x: scipy.linalg.eigh(x.reshape(2, 2))[0],
    lambda x: scipy.sparse.linalg.spsolve(sp.eye_array(4, format="csc"), x),
    lambda x: scipy.sparse.linalg.cg(sp.eye_array(4), x)[0],
    lambda x: scipy.interpolate.CubicSpline(np.arange(4), x)(1.5),
    lambda x: scipy.interpolate.PchipInterpolator(np.arange(4), x)(1.5),
    lambda x: scipy.interpolate.make_interp_spline(np.arange(4), x)(1.5),
    lambda x: scipy.interpolate.interp1d(np.arange(4), x)(1.5),
    lambda x: scipy.interpolate.RegularGridInterpolator((np.arange(4),), x)([1.5]),
    lambda x: scipy.ndimage.convolve1d(x, [1.0, 2.0]),
    lambda x: scipy.signal.convolve(x, x),
    lambda x: scipy.signal.sosfilt(np.ones((1, 6)), x),
    lambda x: scipy.spatial.distance.pdist(x[:, None]),
    lambda x: scipy.spatial.cKDTree(x[:, None]).query([[0.0]])[0],
    lambda x: scipy.stats.norm.logpdf(x),
    lambda x: scipy.stats.gaussian_kde(x)([0.0]),
    lambda x: np.random.default_rng(0).normal(x),
    lambda x: np.random.default_rng(0).multivariate_normal(x, np.eye(4)),
]


@pytest.mark.parametrize("f", COMPILED)
def test_compiled_code_of_libraries_never_gets_traced_memory(f):
    x = np.linspace(0.5, 2.0, 4)
    try:
        pattern = st.jacobian_sparsity(f, x)
    except st.TracingError:
        return
    with np.errstate(all="ignore"):
        expected = numerical_jacobian_pattern(f, x)
    assert_covers(pattern, expected)


def test_what_scipy_writes_in_numpy_is_traced_through():
    for f in (
        scipy.optimize.rosen,
        scipy.optimize.rosen_der,
        scipy.special.logsumexp,
        scipy.special.softmax,
        scipy.special.log_softmax,
        scipy.integrate.trapezoid,
        scipy.integrate.simpson,
        lambda x: scipy.linalg.block_diag(x[:2], x[2:]),
    ):
        expected = numerical_jacobian_pattern(f, np.ones(4), low=0.5, high=2.0)
        assert_same_pattern(st.jacobian_sparsity(f, np.ones(4)), expected)
