"""scipy.linalg and scipy.sparse.linalg: functions of four traced numbers, or of two."""

from __future__ import annotations

import numpy as np
import scipy.linalg as sl
import scipy.linalg.interpolative as sli
import scipy.sparse as sp
import scipy.sparse.linalg as spl

from cases.scipy_calls.constants import (
    BANDS,
    FULL,
    HOLES,
    LOWER,
    POSITIVE,
    SPARSE,
    UPPER,
    positive,
    square,
)

LINALG = {
    "solve": lambda x: sl.solve(FULL, x),
    "solve, holes": lambda x: sl.solve(HOLES, x),
    "solve, lower": lambda x: sl.solve(LOWER, x, assume_a="lower triangular"),
    "solve, upper": lambda x: sl.solve(FULL, x, assume_a="upper triangular"),
    "solve, diagonal": lambda x: sl.solve(FULL, x, assume_a="diagonal"),
    "solve, pos": lambda x: sl.solve(UPPER, x, assume_a="pos"),
    "solve, sym of a lower": lambda x: sl.solve(np.tril(HOLES), x, assume_a="sym", lower=True),
    "solve, transposed": lambda x: sl.solve(LOWER, x, transposed=True),
    "solve, columns": lambda x: sl.solve(HOLES[:2, :2], x.reshape(2, 2)),
    "solve, traced matrix": lambda x: sl.solve(square(x), x[:2]),
    "solve, traced matrix alone": lambda x: sl.solve(square(x), np.ones(2)),
    "solve, one": lambda x: sl.solve(x[:1, None], x[1:2]),
    "solve, traced with holes": lambda x: sl.solve(np.diag(x[:2] + 3) + UPPER[:2, :2], x[2:]),
    "solve_triangular": lambda x: sl.solve_triangular(FULL, x),
    "solve_triangular, lower": lambda x: sl.solve_triangular(FULL, x, lower=True),
    "solve_triangular, trans": lambda x: sl.solve_triangular(FULL, x, trans="T"),
    "solve_triangular, lower trans": lambda x: sl.solve_triangular(HOLES, x, 1, lower=True),
    "solve_triangular, unit": lambda x: sl.solve_triangular(HOLES, x, unit_diagonal=True),
    "solve_triangular, traced": lambda x: sl.solve_triangular(square(x), x[1:3]),
    "solve_triangular, traced unit": lambda x: sl.solve_triangular(
        square(x), x[2:], lower=True, unit_diagonal=True
    ),
    "solve_triangular, columns": lambda x: sl.solve_triangular(FULL[:2, :2], x.reshape(2, 2)),
    "solve_banded": lambda x: sl.solve_banded((1, 1), BANDS, x),
    "solve_banded, lower": lambda x: sl.solve_banded((1, 0), BANDS[1:], x),
    "solve_banded, traced": lambda x: sl.solve_banded(
        (1, 1), np.stack([BANDS[0, :2], x[:2] + 3, BANDS[2, :2]]), x[2:]
    ),
    "solve_banded, traced band": lambda x: sl.solve_banded(
        (0, 1), np.stack([x, x + 2]), np.ones(4)
    ),
    "solveh_banded": lambda x: sl.solveh_banded(BANDS[:2], x),
    "solveh_banded, lower": lambda x: sl.solveh_banded(BANDS[1:], x, lower=True),
    "solveh_banded, traced": lambda x: sl.solveh_banded(np.stack([BANDS[0, :2], x[:2] + 3]), x[2:]),
    "lu_solve": lambda x: sl.lu_solve(sl.lu_factor(FULL), x),
    "lu_solve, holes": lambda x: sl.lu_solve(sl.lu_factor(HOLES[::-1]), x),
    "lu_solve, trans": lambda x: sl.lu_solve(sl.lu_factor(LOWER[[1, 0, 2, 3]]), x, trans=1),
    "lu_solve, traced": lambda x: sl.lu_solve(sl.lu_factor(square(x)), x[1:3]),
    "cho_solve": lambda x: sl.cho_solve(sl.cho_factor(POSITIVE), x),
    "cho_solve, lower diagonal": lambda x: sl.cho_solve(
        sl.cho_factor(np.diag([1.0, 2, 3, 4]), lower=True), x
    ),
    "cho_factor, number": lambda x: sl.cho_factor(x[0] + 3)[0],
    "rsf2csf, full": lambda x: np.real(sl.rsf2csf(np.outer(x[:3], x[1:]), np.eye(3))[0]),
    "cho_solve, traced": lambda x: sl.cho_solve(sl.cho_factor(positive(x)), x[:2]),
    "cho_factor, logdet": lambda x: np.log(
        np.diag(sl.cho_factor(positive(x), lower=True)[0])
    ).sum(),
    "cholesky": lambda x: sl.cholesky(np.diag(x + 0.5) + 0.3),
    "cholesky, lower": lambda x: sl.cholesky(np.diag(x) + np.diag([1.0, 1, 1], 1) / 4, lower=True),
    "cholesky, batch": lambda x: sl.cholesky(
        np.stack([np.diag(x[:2]) + POSITIVE[:2, :2], np.diag(x[2:])])
    ),
    "inv": lambda x: sl.inv(square(x)),
    "det": lambda x: sl.det(square(x)),
    "norm": lambda x: sl.norm(x),
    "norm, rows": lambda x: sl.norm(x.reshape(2, 2), 1, axis=1),
    "expm, diagonal": lambda x: sl.expm(np.diag(x)),
    "sqrtm": lambda x: sl.sqrtm(positive(x)),
    "fractional_matrix_power": lambda x: sl.fractional_matrix_power(positive(x), 0.3).real,
    "fractional_matrix_power, whole": lambda x: sl.fractional_matrix_power(square(x), 2),
    "pinv": lambda x: sl.pinv(x.reshape(2, 2) + np.eye(2)),
    "pinvh": lambda x: sl.pinvh(positive(x)),
    "lstsq": lambda x: sl.lstsq(FULL[:, :2], x)[0],
    "lstsq, residuals": lambda x: sl.lstsq(FULL[:, :2], x)[1],
    "lstsq, gelsy": lambda x: sl.lstsq(FULL[:, :2], x, lapack_driver="gelsy")[0],
    "eigh": lambda x: sl.eigh(positive(x), subset_by_index=[0, 0])[0],
    "eigvalsh": lambda x: sl.eigvalsh(positive(x)),
    "svdvals": lambda x: sl.svdvals(square(x)),
    "qr": lambda x: sl.qr(square(x))[1][1, 1],
    "polar": lambda x: sl.polar(square(x))[1][0, 0],
    "block_diag": lambda x: sl.block_diag(x[:2], x[2:]),
    "toeplitz": lambda x: sl.toeplitz(x[:2]),
    "toeplitz, row": lambda x: sl.toeplitz(x[:2], x[1:]),
    "circulant": lambda x: sl.circulant(x[:3]),
    "hankel": lambda x: sl.hankel(x[:2], x[1:]),
    "hankel, alone": lambda x: sl.hankel(x[:3]),
    "convolution_matrix": lambda x: sl.convolution_matrix(x[:2], 3),
    "convolution_matrix, same": lambda x: sl.convolution_matrix(x, 3, "same"),
    "convolution_matrix, valid": lambda x: sl.convolution_matrix(x[:2], 4, "valid"),
    "companion": lambda x: sl.companion(x),
    "leslie": lambda x: sl.leslie(x[:2], x[2:3]),
    "solve_toeplitz": lambda x: sl.solve_toeplitz(([2, 0.5, 0, 0], [2, 0, 0, 0]), x),
    "solve_toeplitz, traced": lambda x: sl.solve_toeplitz(x[:2] + np.array([3, 0]), x[2:]),
    "solve_circulant": lambda x: sl.solve_circulant([2, 0.5, 0.1, 0.3], x),
    "matmul_toeplitz": lambda x: sl.matmul_toeplitz(([1.0, 2.0, 0], [1.0, 0, 0]), x[:3]),
    "solve_sylvester": lambda x: sl.solve_sylvester(
        UPPER[:2, :2], np.diag([1.0, 2]), x.reshape(2, 2)
    ),
    "solve_continuous_lyapunov": lambda x: sl.solve_continuous_lyapunov(
        FULL[:2, :2], x.reshape(2, 2)
    ),
    "solve_discrete_lyapunov": lambda x: sl.solve_discrete_lyapunov(
        np.diag([0.5, 0.2]), x.reshape(2, 2)
    ),
    "spsolve": lambda x: spl.spsolve(SPARSE, x),
    "spsolve, permuted": lambda x: spl.spsolve(sp.csc_array(LOWER[::-1]), x),
    "spsolve, columns": lambda x: spl.spsolve(sp.csc_array(LOWER[:2, :2]), x.reshape(2, 2)),
    "spsolve_triangular": lambda x: spl.spsolve_triangular(sp.csr_array(LOWER), x),
    "factorized": lambda x: spl.factorized(SPARSE)(x),
    "splu": lambda x: spl.splu(SPARSE).solve(x),
    "splu, trans": lambda x: spl.splu(SPARSE).solve(x, "T"),
    "lsqr": lambda x: spl.lsqr(TIGHT, x, 0.0, 1e-15, 1e-15)[0],
    "lsmr": lambda x: spl.lsmr(TIGHT, x, 0.0, 1e-15, 1e-15)[0],
    "cg, operator": lambda x: spl.cg(
        spl.LinearOperator((2, 2), lambda v: positive(x) @ v), np.ones(2), rtol=1e-14
    )[0],
    "gmres, operator": lambda x: spl.gmres(
        spl.LinearOperator((4, 4), lambda v: FULL @ v), x, rtol=1e-14
    )[0],
    "lgmres": lambda x: spl.lgmres(TIGHT, x, rtol=1e-14)[0],
    "gcrotmk": lambda x: spl.gcrotmk(TIGHT, x, rtol=1e-14)[0],
    "qmr": lambda x: spl.qmr(TIGHT, x, rtol=1e-14)[0],
    "cg, operator without traced numbers": lambda x: (
        spl.cg(spl.LinearOperator((4, 4), lambda v: POSITIVE @ v), np.ones(4))[0] * x
    ),
    "operator": lambda x: spl.LinearOperator((4, 4), lambda v: x * v) @ FULL[0],
    "operator, scaled": lambda x: (
        (x[0] * spl.LinearOperator((2, 2), lambda v: x[:2] * v)) @ np.ones(2)
        + (spl.aslinearoperator(FULL[:2, :2]) * x[3]) @ x[:2]
    ),
    "aslinearoperator": lambda x: spl.aslinearoperator(SPARSE).matvec(x),
    "expm, sparse": lambda x: spl.expm(
        sp.csc_array(sp.diags_array(x[:2]) + UPPER[:2, :2])
    ).toarray(),
    "expm_multiply of an operator": lambda x: spl.expm_multiply(
        spl.aslinearoperator(sp.csr_array(LOWER) * x[0]), x, traceA=1.0
    ),
    "expm_multiply of an operator that reads inputs": lambda x: spl.expm_multiply(
        spl.LinearOperator((4, 4), matvec=lambda v: x[0] * v, rmatvec=lambda v: x[0] * v),
        np.arange(4.0),
        traceA=1.0,
    ),
    "expm_multiply, traced and times": lambda x: spl.expm_multiply(
        sp.csr_array(LOWER) * x[0], x, 0.0, 1.0, 3
    ),
    "expm_multiply, traced": lambda x: spl.expm_multiply(
        sp.csr_array(sp.diags_array(x[:2]) + LOWER[:2, :2] / 9), x[2:]
    ),
    "expm_multiply, times": lambda x: spl.expm_multiply(
        sp.csr_array(LOWER / 9), x, start=0, stop=1, num=3
    ),
    "khatri_rao": lambda x: sl.khatri_rao(x.reshape(2, 2), FULL[:, :2]),
    "cholesky_banded": lambda x: sl.cholesky_banded(np.stack([x[:2] + 3, x[2:]]), lower=True),
    "cholesky_banded, upper": lambda x: sl.cholesky_banded(np.stack([x[2:], x[:2] + 3])),
    "cho_solve_banded": lambda x: sl.cho_solve_banded((np.stack([x[:2] + 3, x[2:]]), True), [1, 2]),
    "cho_solve_banded, upper": lambda x: sl.cho_solve_banded((BANDS[:2], False), x),
    "expm_multiply": lambda x: spl.expm_multiply(sp.csr_array(LOWER / 9), x),
}

TIGHT = sp.csc_array(FULL)
DECOMPOSITIONS = {
    "qr, pivoting": lambda x: sl.qr(square(x), pivoting=True)[1],
    "qr, pivoting r": lambda x: sl.qr(square(x), mode="r", pivoting=True)[0],
    "schur, sort": lambda x: sl.schur(positive(x), sort="rhp")[0].diagonal(),
    "cossin": lambda x: sl.cossin(sl.qr(square(x))[0], 1, 1)[1],
    "expm_cond": lambda x: sl.expm_cond(square(x)),
    "matrix_balance": lambda x: sl.matrix_balance(square(x))[0],
    "ordqz": lambda x: sl.ordqz(square(x), FULL[:2, :2])[1][0, 0],
    "qr_update": lambda x: sl.qr_update(np.eye(2), UPPER[:2, :2], x[:2], x[2:])[1],
    "funm": lambda x: sl.funm(np.diag(x[:2]) + UPPER[:2, :2], np.sin),
    "eigsh": lambda x: spl.eigsh(sp.csc_array(sp.diags_array(x) + POSITIVE), 2, v0=np.ones(4))[0],
    "eigs": lambda x: (
        spl.eigs(sp.csc_array(sp.diags_array(x) + POSITIVE), 2, v0=np.ones(4))[0].real
    ),
    "interpolative svd": lambda x: sli.svd(square(x), 2, rand=False)[1],
    "interpolative norm": lambda x: sli.estimate_spectral_norm(square(x), its=60),
    "svds": lambda x: spl.svds(sp.csc_array(sp.diags_array(x) + POSITIVE), 2, v0=np.ones(4))[1],
    "onenormest": lambda x: spl.onenormest(square(x)),
    "lobpcg": lambda x: spl.lobpcg(np.diag(np.arange(6.0)) + np.outer(x[0], x[1]), np.eye(6, 1))[0],
    "lobpcg, operator": lambda x: spl.lobpcg(_operator(x), np.eye(6, 1))[0] * x[1],
    "spilu": lambda x: spl.spilu(sp.csc_array(square(x) + 3 * np.eye(2))).solve(x[2:]),
    "spilu, constant": lambda x: spl.spilu(sp.csc_array(LOWER)).solve(x),
    "issymmetric": lambda x: x[0] * x[1] if sl.issymmetric(square(x)) else x[:2].sum(),
    "ishermitian": lambda x: x[0] * x[1] if sl.ishermitian(square(x), atol=0.5) else x[:2].sum(),
    "lu": lambda x: sl.lu(square(x))[1:],
    "lu, permute_l": lambda x: sl.lu(square(x), permute_l=True),
    "lu, p_indices": lambda x: sl.lu(square(x), p_indices=True)[2],
    "schur": lambda x: sl.schur(positive(x))[0].diagonal(),
    "schur, complex": lambda x: sl.schur(square(x), output="complex")[0].diagonal().real,
    "hessenberg": lambda x: sl.hessenberg(FULL[:3, :3] + np.diag(x[:3]) + x[3])[2, 1:],
    "hessenberg, calc_q": lambda x: sl.hessenberg(_corner(x), calc_q=True)[1][2],
    "hessenberg, two": lambda x: sl.hessenberg(square(x)),
    "rq": lambda x: sl.rq(square(x))[0],
    "rq, r": lambda x: sl.rq(square(x), mode="r")[0, 0],
    "qz": lambda x: sl.qz(square(x), FULL[:2, :2])[1][0, 0],
    "ldl": lambda x: sl.ldl(positive(x))[1][1, 1],
    "qr_multiply": lambda x: sl.qr_multiply(square(x), FULL[:2, :2])[0],
    "subspace_angles": lambda x: sl.subspace_angles(_tall(x), FULL[:, 2:]),
    "orthogonal_procrustes": lambda x: sl.orthogonal_procrustes(square(x), FULL[:2, :2]),
    "expm_frechet": lambda x: sl.expm_frechet(square(x) / 4, FULL[:2, :2]),
    "solve_continuous_are": lambda x: sl.solve_continuous_are(
        square(x), FULL[:2, :2], np.eye(2), np.eye(2)
    ),
    "solve_discrete_are": lambda x: sl.solve_discrete_are(
        FULL[:2, :2], np.eye(2), positive(x), np.eye(2)
    ),
    "eig_banded": lambda x: sl.eig_banded(np.stack([x[:2], x[2:] + 3]))[0],
    "eigvals_banded": lambda x: sl.eigvals_banded(
        np.stack([x[:2] + 3, x[2:]]), lower=True, select="i", select_range=(0, 0)
    ),
    "eigh_tridiagonal": lambda x: sl.eigh_tridiagonal([x[0], x[1] + 2], x[2:3])[0],
    "eigvalsh_tridiagonal": lambda x: sl.eigvalsh_tridiagonal(np.add(x[:2], [0, 2]), x[2:3]),
}


def _corner(x):
    return FULL[:3, :3] + np.outer([0, 1, 1], [1, 0, 0]) * np.append(0, x[:2])[:, None]


def _operator(x):
    slopes = np.arange(6.0)
    return spl.LinearOperator((6, 6), lambda v: slopes * v.ravel() + x[0] * v.sum(), dtype=float)


def _tall(x):
    return np.concatenate([x.reshape(2, 2), FULL[:2, :2]])


MATRICES = {  # of few inputs: SciPy takes its time
    "expm": lambda x: sl.expm(np.stack([x, x[::-1]])),
    "logm": lambda x: sl.logm(np.diag(x) + POSITIVE[:2, :2]).real,
    "cosm": lambda x: sl.cosm(np.diag(x) + FULL[:2, :2]),
}
