"""Sparse matrices and linear operators."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

N = 4
A = sp.diags_array([1.0, -2.0, 1.0], offsets=[-1, 0, 1], shape=(N, N))
OLD = sp.diags([1.0, 3.0], [0, 2], shape=(N, N))


def csr(x):
    return sp.csr_array(A) @ x + sp.csr_matrix(A) * x


def csc(x):
    return A.tocsc() @ x**2


def coo(x):
    return A.tocoo().dot(x)


def bsr(x):
    return A.asformat("bsr") @ x


def dia(x):
    return A @ np.sin(x)


def lil(x):
    return A.asformat("lil") @ x


def dok(x):
    return A.asformat("dok") @ x


def transposed(x):
    return sp.csr_matrix(OLD).T @ x


def from_the_left(x):
    return x @ sp.csr_array(OLD)


def quadratic_form(x):
    return x @ (A @ x)


def matrix_of_columns(x):
    return sp.csr_array(A)[:, :2] @ x.reshape(2, 2)


def difference(v):
    return np.concatenate([v[:1], v[1:] - v[:-1]])


def operator(x):
    op = LinearOperator((N, N), matvec=difference, rmatvec=lambda v: 2 * v, dtype=float)
    return op @ x, op.matvec(x), op.rmatvec(x)


def operator_of_matrix(x):
    op = aslinearoperator(sp.csr_array(A))
    return op.matvec(x), op.matmat(x.reshape(N, 1)), op.T @ x
