"""SciPy's functions of matrices on batches: each item depends on its own matrices alone."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
import scipy.linalg as sl
from numpy.lib import NumpyVersion

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, jacobian_pattern_at

pytestmark = pytest.mark.skipif(
    NumpyVersion(scipy.__version__) < "1.17.0", reason="older versions take no batches"
)
RANDOM = np.random.default_rng(3)
M, V, COLUMNS = (RANDOM.uniform(0.5, 1.5, shape) for shape in ((2, 3, 3), (2, 3), (2, 3, 2)))
S = M + np.swapaxes(M, 1, 2) + 5 * np.eye(3)
BANDS = np.stack([V, V + 3], axis=1)
FIRST = V + np.array([5, 0, 0])


def joined(results):
    """All results as one vector."""
    return np.concatenate([np.ravel(np.real(result)) for result in results])


EXACT = {
    "solve, columns": (sl.solve, S, COLUMNS),
    "solve, shared columns": (sl.solve, S, COLUMNS[0]),
    "solve_triangular": (sl.solve_triangular, S, COLUMNS),
    "solve_triangular, two axes": (
        lambda a, b: sl.solve_triangular(a[None], b[:, None], lower=True), S, COLUMNS,
    ),
    "solve_banded": (lambda a, b: sl.solve_banded((1, 1), a, b), BANDS[:, [0, 1, 0]], COLUMNS),
    "solveh_banded": (sl.solveh_banded, BANDS, COLUMNS),
    "lu_solve": (lambda a, b: sl.lu_solve(sl.lu_factor(a), b), S, COLUMNS),
    "lu_solve, constant": (lambda b: sl.lu_solve(sl.lu_factor(np.tril(S)), b), COLUMNS),
    "cho_factor": (lambda a: sl.cho_factor(a)[0], S),
    "cho_solve": (lambda a, b: sl.cho_solve((a, False), b), S, COLUMNS),
    "cholesky_banded": (sl.cholesky_banded, BANDS),
    "cholesky_banded, one column": (sl.cholesky_banded, FIRST[0]),
    "cho_solve_banded": (lambda a, b: sl.cho_solve_banded((a, False), b), BANDS, COLUMNS),
    "solve_toeplitz": (sl.solve_toeplitz, FIRST, COLUMNS),
    "solve_toeplitz, one row": (lambda c, b: sl.solve_toeplitz((c, c[0]), b), FIRST, COLUMNS),
    "matmul_toeplitz": (sl.matmul_toeplitz, V, COLUMNS),
    "solve_circulant": (sl.solve_circulant, FIRST[0], V.T),
    "solve_circulant, axes": (
        lambda c, b: sl.solve_circulant(c[:, None], b, baxis=-1, outaxis=0), FIRST, V,
    ),
    "solve_circulant, caxis": (lambda c, b: sl.solve_circulant(c.T, b, caxis=0, baxis=1), FIRST, V),
    "solve_circulant, singular": (
        lambda b: sl.solve_circulant(np.ones(3), b, singular="lstsq"), V[0],
    ),
    "solve_sylvester": (lambda a, q: sl.solve_sylvester(a, a, q), S, M),
    "solve_continuous_lyapunov": (sl.solve_continuous_lyapunov, S, M),
    "solve_discrete_lyapunov": (sl.solve_discrete_lyapunov, S / 20, M),
    "solve_continuous_lyapunov, numbers": (sl.solve_continuous_lyapunov, V[0, :1], V[1, :1]),
    "solve_discrete_lyapunov, numbers": (sl.solve_discrete_lyapunov, V[0, :1] / 5, V[1, :1]),
    "lstsq": (lambda a, b: joined(sl.lstsq(a, b)[:2]), M[:, :, :2], COLUMNS),
    "lstsq, gelsy": (lambda a, b: sl.lstsq(a, b, lapack_driver="gelsy")[0], M[:, :, :2], COLUMNS),
    "eig": (lambda a: np.real(sl.eig(a)[0]), S),
    "eigh": (lambda a: sl.eigh(a)[0], S),
    "eig_banded": (lambda a: sl.eig_banded(a)[0], BANDS),
    "eigvals_banded": (sl.eigvals_banded, BANDS),
    "eigh_tridiagonal": (lambda d, e: sl.eigh_tridiagonal(d, e)[0], V, V[:, :2]),
    "eigvalsh_tridiagonal": (sl.eigvalsh_tridiagonal, V, V[:, :2]),
    "svd": (lambda a: joined(sl.svd(a)), M),
    "qr": (lambda a: joined(sl.qr(a)), M),
    "polar": (lambda a: joined(sl.polar(a)), M),
    "orthogonal_procrustes": (lambda a, b: joined(sl.orthogonal_procrustes(a, b)), M, S),
    "expm": (sl.expm, M),
    "toeplitz": (sl.toeplitz, V, COLUMNS[:, :, 0]),
    "circulant": (sl.circulant, V),
    "convolution_matrix": (lambda a: sl.convolution_matrix(a, 4), V),
    "khatri_rao": (sl.khatri_rao, M, S),
}  # fmt: skip
WHOLE = {
    "eigvals_banded, one column": (sl.eigvals_banded, V[0, :, None]),
    "lu": (lambda a: joined(sl.lu(a)[1:]), S),
    "ldl": (lambda a: joined(sl.ldl(a)[:2]), S),
    "qz": (lambda a, b: joined(sl.qz(a, b)), M, S),
    "qr_multiply": (lambda a, c: joined(sl.qr_multiply(a, c)), M, S),
}
"""Elements of a factor that see a part of the matrix are not known."""


def of_one_vector(f, arrays):
    bounds = np.cumsum([array.size for array in arrays])[:-1]

    def g(x):
        parts = np.split(x, bounds)
        return f(*(part.reshape(a.shape) for part, a in zip(parts, arrays, strict=True)))

    return g, np.concatenate([array.ravel() for array in arrays])


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", [*EXACT, *WHOLE])
def test_against_differences(name, local):
    f, *arrays = (EXACT | WHOLE)[name]
    g, x = of_one_vector(f, arrays)
    wanted = jacobian_pattern_at(g, x)
    check = assert_covers if name in WHOLE else assert_same_pattern
    check(st.jacobian_sparsity(g, x, local=local), wanted)


@pytest.mark.parametrize(
    "name", [name for name in WHOLE if len(WHOLE[name][1].shape) == 3 and name != "qr_multiply"]
)
def test_items_do_not_see_each_other(name):
    f, first, *others = WHOLE[name]
    pattern = st.jacobian_sparsity(f, first, *others).toarray()
    assert pattern.any()
    rows, columns = np.nonzero(pattern)
    # each result is a batch of 9 numbers an item
    assert (rows // 9 % 2 == columns // 9).all()


def test_a_batch_of_nothing():
    with pytest.raises(ValueError, match="zero-size batches"):
        st.jacobian_sparsity(lambda x: sl.solve_toeplitz(x[:0].reshape(0, 3), x), V[0])
