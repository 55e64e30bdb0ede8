"""Functions with sparse arrays of traced data, in the words of those who write them.

Contract: functions of four numbers.  Names of scipy.sparse are bound early, as modules of
simulations bind them, so that the trace has to find them.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl
from scipy.sparse import (
    block_diag,
    bmat,
    coo_matrix,
    csr_matrix,
    diags,
    eye,
    hstack,
    kron,
    lil_matrix,
    tril,
    vstack,
)
from scipy.sparse.linalg import factorized, splu, spsolve
from scipy.sparse.linalg import norm as sparse_norm

BAND = sp.csr_array(np.eye(4) + np.eye(4, k=1))
MATRIX = csr_matrix(BAND)
ONES = np.ones(4)


def diagonal(x):
    return csr_matrix(np.diag(x))


def outer(x):
    return sp.csr_array(np.outer(x, x))


def rows_filled(x):
    a = lil_matrix((4, 4))
    for i in range(4):
        a[i, :] = x * i
    return a.tocsr() * ONES


def duplicates(x):
    rows, columns = np.arange(8) % 4, np.arange(8) // 2
    return coo_matrix((np.concatenate([x, x]), (rows, columns))).tocsc() * ONES


def elementwise(x):
    """A function of the data, in an array of the same structure."""
    a = outer(x)
    return sp.csr_array((np.exp(a.data), a.indices, a.indptr), shape=a.shape).toarray()


def row_by_row(x):
    a = sp.csr_array(np.diag(x) + np.eye(4, k=1))
    return np.stack([a.data[a.indptr[i] : a.indptr[i + 1]].sum() for i in range(4)])


def entry_by_entry(x):
    a = sp.coo_array(np.outer(x, x))
    return sum(v * v * (i + 1) for i, _, v in zip(a.row, a.col, a.data, strict=True))


def schur_complement(x):
    k = outer(x)
    return (k[:2, :2] - k[:2, 2:] @ sp.csr_array(np.diag(1 / (1 + x[2:]))) @ k[2:, :2]).toarray()


def rows_normalized(x):
    a = csr_matrix(np.outer(x, x))
    return (diags(1 / np.asarray(a.sum(axis=1)).ravel()) @ a).toarray()


def newton_step(x):
    residual, jacobian = x**2 + MATRIX @ x, sp.diags(2 * x) + MATRIX
    return x - spl.spsolve(jacobian.tocsc(), residual)


def backward_euler(x):
    for _ in range(3):
        x = spl.splu(sp.csc_matrix(sp.eye(4) - 0.1 * sp.diags(x))).solve(x)
    return x


def diagonal_replaced(x):
    a = sp.eye(4, format="csr")
    a.setdiag(x)
    return a.toarray()


def asked_for_its_type(x):
    a = diagonal(x)
    return a.toarray() if hasattr(a, "toarray") and sp.isspmatrix_csr(a) else a


def columns_of_a_table(x):
    """Places and numbers in one array, as tables of elements have them."""
    table = np.zeros((4, 3))
    table[:, 0], table[:, 1] = [2.0, 0.0, 3.0, 1.0], [1.0, 1.0, 2.0, 0.0]
    table[:, 2] = x
    size = int(table[:, 0].max()) + 1
    a = csr_matrix((table[:, 2], (table[:, 0], table[:, 1])), shape=(size, size))
    ones = sp.csc_array((np.ones(4), (table[:, 0], range(4))), (4, 4))
    first = table[:, 0].astype(int)
    a[first[0], 1] = x[0] * x[1]
    return np.r_[a @ ones @ x, BAND[first[:2]] @ x, a[first].toarray().ravel()]


PROGRAMS = {
    "diags": lambda x: diags([x, x[:3]], [0, 1]) @ ONES,
    "hstack": lambda x: hstack([diags(x), diagonal(x)]).toarray(),
    "vstack": lambda x: vstack([diagonal(x), diagonal(x)]).toarray(),
    "kron": lambda x: kron(eye(2), diagonal(x)).toarray(),
    "kron, other way": lambda x: kron(diagonal(x), eye(2)).toarray(),
    "block_diag": lambda x: block_diag([np.diag(x), MATRIX]).toarray(),
    "block_diag, rows": lambda x: block_diag([x[:2], [x[2], 1.0], [[x[3]]]]).toarray(),
    "kronsum, dense": lambda x: sp.kronsum(np.diag(x[:2]), [[1.0, 0], [0, x[2]]]).toarray(),
    "blocks in an array": lambda x: sp.hstack(np.array([BAND, diagonal(x)], object)).toarray(),
    "bmat": lambda x: bmat([[None, diags(x)], [MATRIX, None]]).toarray(),
    "tril": lambda x: tril(csr_matrix(np.outer(x, x))).toarray(),
    "spsolve": lambda x: spsolve((MATRIX + diags(x)).tocsc(), ONES),
    "splu": lambda x: splu((MATRIX + diags(x)).tocsc()).solve(ONES),
    "factorized": lambda x: factorized((MATRIX + diags(x)).tocsc())(x),
    "norm": lambda x: sparse_norm(diagonal(x)),
    "Python's float": lambda x: (x.tolist()[0] * BAND).toarray(),
    "math": lambda x: (BAND * math.sin(x[0])).toarray(),
    "sum as factor": lambda x: (BAND * np.sum(x)).toarray(),
    "array of no dimensions": lambda x: (BAND * np.array(x[0])).toarray(),
    "matrix / number": lambda x: (MATRIX / x[0]).toarray(),
    "matrix * column": lambda x: MATRIX * x[:, None],
    "matrix * dense": lambda x: MATRIX * np.outer(x, x),
    "products of matrices": lambda x: (diags(x) * MATRIX * diags(x)).toarray(),
    "quadratic form": lambda x: x @ (MATRIX * diags(x) @ x),
    "chain of dots": lambda x: diags(x).dot(MATRIX).dot(diags(x)).dot(ONES),
    "congruence": lambda x: MATRIX.T.dot(diags(x)).dot(MATRIX).toarray(),
    "column sums": lambda x: np.asarray((MATRIX * diags(x)).sum(axis=0)).ravel(),
    "row means": lambda x: np.array(diagonal(x).mean(axis=1)).squeeze(),
    "A1": lambda x: diagonal(x).sum(axis=0).A1,
    "expm1": lambda x: np.expm1(outer(x)).toarray(),
    "sqrt": lambda x: outer(x).sqrt().toarray(),
    "power of a half": lambda x: outer(x).power(0.5).toarray(),
    "traced power": lambda x: outer(x).power(x[0]).toarray(),
    "mask of rows": lambda x: outer(x)[np.array([True, False, True, False])].toarray(),
    "row, then element": lambda x: csr_matrix(np.outer(x, x))[1].toarray()[0, 2],
    "getrow": lambda x: csr_matrix(np.outer(x, x)).getrow(1).toarray(),
    "getcol": lambda x: csr_matrix(np.outer(x, x)).getcol(1).toarray(),
    "linear operator": lambda x: spl.aslinearoperator(outer(x)).matvec(ONES),
    "trace": lambda x: outer(x).trace(),
    "several sides": lambda x: spl.spsolve(sp.csc_matrix(np.diag(x) + np.eye(4, k=1)), np.eye(4)),
    "sparse sides": lambda x: spl.spsolve(sp.csc_array(np.diag(x)), sp.csc_array(BAND)).toarray(),
    "inverse": lambda x: spl.inv(sp.csc_array(np.diag(x) + np.eye(4, k=1))).toarray(),
    "matrix * list": lambda x: diagonal(x) * [1.0, 2.0, 3.0, 4.0],
    "list @ array": lambda x: [1.0, 2.0, 3.0, 4.0] @ outer(x),
    "element of a negative": lambda x: (-outer(x))[2, 2],
    "np.abs": lambda x: np.abs(outer(x)).toarray(),
    "float32": lambda x: outer(x.astype(np.float32)) @ np.ones(4, np.float32),
    "sum of a vector": lambda x: sp.coo_array(x).sum(),
    "vector * dense": lambda x: (sp.coo_array(x) * x).toarray(),
    "vector @ vector": lambda x: sp.coo_array(x) @ sp.coo_array(x),
    "vector + vector": lambda x: (sp.coo_array(x) + sp.coo_array(x[::-1])).toarray(),
    "no entries": lambda x: np.append((sp.csr_array((4, 4)) * x[0]) @ ONES, x),
    "no entries, traced": lambda x: sp.csr_array((x[:0], ([], [])), shape=(4, 4)) @ x,
    "one row": lambda x: sp.csr_array(x[None, :]) @ x,
    "column @ row": lambda x: (sp.csr_array(x[:, None]) @ sp.csr_array(x[None, :])).toarray(),
    "row broadcast": lambda x: sp.csr_array(x[None, :]).multiply(sp.csr_array(BAND)).toarray(),
    "rows filled": rows_filled,
    "duplicates": duplicates,
    "elementwise": elementwise,
    "row by row": row_by_row,
    "entry by entry": entry_by_entry,
    "schur complement": schur_complement,
    "rows normalized": rows_normalized,
    "newton step": newton_step,
    "backward euler": backward_euler,
    "diagonal replaced": diagonal_replaced,
    "columns of a table": columns_of_a_table,
    "asked for its type": asked_for_its_type,
}
