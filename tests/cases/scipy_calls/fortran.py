"""scipy.linalg.blas and scipy.linalg.lapack: functions of four traced numbers."""

from __future__ import annotations

import numpy as np
import scipy.linalg as sl
from scipy.linalg import blas, lapack
from scipy.linalg.blas import dgemm

from cases.scipy_calls.constants import FULL, HOLES, LOWER, POSITIVE, positive, square

SQUARE = HOLES[:2, :2] + 1.0


def written(routine, *args):
    """What stands in the last argument after a call that writes it."""
    last = np.array(args[-1])
    routine(*args[:-1], last)
    return last


def by_hand(x):
    """A solution from the factor of a matrix, as code for speed writes it."""
    factor, info = lapack.dpotrf(positive(x), lower=1)
    if info != 0:
        raise np.linalg.LinAlgError("not positive definite")
    return lapack.dtrtrs(factor, x[:2], lower=1)[0]


FORTRAN = {
    "dot": lambda x: blas.ddot(x[:2], x[2:]),
    "dot, n": lambda x: blas.ddot(x, np.array([2.0, 0.0, 1.0, 1.0]), n=3),
    "dotc": lambda x: blas.zdotc(x[:2] * (1 + 2j), x[2:] * (1 - 1j)).imag,
    "nrm2": lambda x: blas.dnrm2(x[1:]),
    "nrm2, complex": lambda x: blas.dznrm2(x[1:] * (1 + 1j)),
    "asum": lambda x: blas.dasum(x[1:]),
    "amax": lambda x: x[0] * blas.idamax(np.array([1.0, 3.0])),
    "axpy": lambda x: blas.daxpy(x[:2], x[2:].copy(), a=2.0),
    "axpy, written": lambda x: written(lambda u, v: blas.daxpy(u, v, a=3.0), x[:2], x[2:]),
    "axpy, written in part": lambda x: written(lambda u, v: blas.daxpy(u, v, n=1), x[:2], x[2:]),
    "axpy, into a copy": lambda x: blas.daxpy(x[:2], x[2:].astype(np.float32) * 1.0, n=1),
    "rot, n": lambda x: blas.drot(x[:2], x[2:], 0.6, 0.8, n=1),
    "scal": lambda x: blas.dscal(x[0], x[1:].copy()),
    "scal, written": lambda x: written(blas.dscal, x[0], x[1:]),
    "copy, written": lambda x: written(blas.dcopy, x[:2], x[2:]),
    "swap, written": lambda x: written(blas.dswap, x[:2] * 2, x[2:]),
    "rot": lambda x: blas.drot(x[:2], x[2:], 0.6, 0.8),
    "swap, numbers": lambda x: blas.dswap(x[0], x[1] * x[2]),
    "scal, matrix": lambda x: blas.dscal(x[0], square(x)),
    "rot, matrices": lambda x: blas.drot(square(x), square(x * x), x[0], 0.8),
    "axpy, numbers": lambda x: blas.daxpy(x[0], x[1], a=2.0),
    "asum, columns": lambda x: blas.dasum(x.reshape(2, 2), 2),
    "gemv, one column": lambda x: blas.dgemv(2.0, x[:3], x[3:]),
    "gemv, first number": lambda x: blas.dgemv(x, HOLES, x),
    "syrk, first number": lambda x: blas.dsyrk(x[2:], x[:2]),
    "gemv": lambda x: blas.dgemv(2.0, HOLES, x),
    "gemv, trans": lambda x: blas.dgemv(1.0, HOLES, x, trans=1, beta=0.5, y=x * 1.0),
    "gemv, matrix": lambda x: blas.dgemv(1.0, square(x), np.ones(2)),
    "ger": lambda x: blas.dger(1.0, x[:2], x[2:], a=np.ones((2, 2))),
    "symv": lambda x: blas.dsymv(1.0, SQUARE, x[:2], lower=1),
    "hemv": lambda x: blas.zhemv(1.0, SQUARE, x[:2] * 1j).imag,
    "trmv": lambda x: blas.dtrmv(FULL, x, lower=1),
    "trmv, unit": lambda x: blas.dtrmv(square(x), x[:2], diag=1, trans=1),
    "trsv": lambda x: blas.dtrsv(FULL, x),
    "gemm": lambda x: dgemm(1.0, square(x), SQUARE, trans_a=1),
    "gemm, c": lambda x: dgemm(1.0, SQUARE, np.eye(2), beta=2.0, c=x.reshape(2, 2)),
    "symm": lambda x: blas.dsymm(1.0, SQUARE, x.reshape(2, 2), side=1),
    "syrk": lambda x: blas.dsyrk(1.0, x.reshape(2, 2)),
    "syrk, c": lambda x: blas.dsyrk(1.0, SQUARE, beta=1.0, c=x.reshape(2, 2), lower=1, trans=1),
    "syr2k": lambda x: blas.dsyr2k(1.0, x.reshape(2, 2), SQUARE),
    "trmm": lambda x: blas.dtrmm(1.0, SQUARE, x.reshape(2, 2), side=1, lower=1),
    "trsm": lambda x: blas.dtrsm(2.0, SQUARE, x.reshape(2, 2), lower=1),
    "trsm, right": lambda x: blas.dtrsm(1.0, SQUARE, x.reshape(2, 2), side=1, trans_a=1),
    "gesv": lambda x: lapack.dgesv(HOLES, x)[2],
    "gesv, traced": lambda x: lapack.dgesv(square(x), x[:2])[2],
    "getrs": lambda x: lapack.dgetrs(*lapack.dgetrf(LOWER)[:2], x)[0],
    "getri": lambda x: lapack.dgetri(*lapack.dgetrf(square(x))[:2])[0],
    "posv": lambda x: lapack.dposv(POSITIVE, x)[1],
    "potrf": lambda x: lapack.dpotrf(positive(x))[0],
    "potrf, not clean": lambda x: lapack.dpotrf(positive(x), clean=0, lower=1)[0],
    "potrs": lambda x: lapack.dpotrs(lapack.dpotrf(POSITIVE)[0], x)[0],
    "potri": lambda x: lapack.dpotri(lapack.dpotrf(positive(x))[0])[0],
    "trtrs": lambda x: lapack.dtrtrs(HOLES, x, lower=1)[0],
    "trtri": lambda x: lapack.dtrtri(square(x), lower=1)[0],
    "trtri, unit": lambda x: lapack.dtrtri(square(x), unitdiag=1)[0],
    "sysv": lambda x: lapack.dsysv(SQUARE, x[:2])[2],
    "syev": lambda x: lapack.dsyev(positive(x), compute_v=0)[0],
    "gels": lambda x: lapack.dgels(square(x), x[:2])[1],
    "geqrf": lambda x: np.abs(lapack.dgeqrf(square(x))[0]),
    "gesdd": lambda x: lapack.dgesdd(square(x), compute_uv=0)[1],
    "get_lapack_funcs": lambda x: sl.get_lapack_funcs(("gesv", "potrs"), (x,))[0](FULL, x)[2],
    "get_blas_funcs": lambda x: sl.get_blas_funcs("nrm2")(x),
    "by hand": by_hand,
}
