"""Sparse arrays with traced data: how they are made, and what is done with them.

Contract: a way to make one takes five numbers and gives a 3 x 3 array of a class of SciPy's;
an operation takes such an array and the numbers.  What either gives may be sparse or dense.
"""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

START = np.array([1.31, 0.52, 1.67, 0.93, 0.41])
ROWS, COLUMNS = np.array([0, 0, 1, 2, 2, 0]), np.array([0, 2, 1, 0, 1, 0])
"""Two elements have one place."""
CONSTANT = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.5], [0.0, 0.0, 3.0]])
VECTOR = np.array([1.0, 0.0, 2.0])
CLASSES = {
    f"{format}_{kind}": getattr(sp, f"{format}_{kind}")
    for format in "bsr coo csc csr dia dok lil".split()
    for kind in ("array", "matrix")
}
INDEXED = frozenset(name for name in CLASSES if name[:3] in ("csc", "csr", "dok", "lil"))
"""What can be indexed and written to, in every release of SciPy."""


def elements(x):
    """Six elements, one of them constant, and one of two inputs."""
    return np.stack([x[0], x[1] * x[2], 2.0, x[3], x[4], 0.5 * x[1]])


def matrix(cls, x):
    """The array of all operations, made of elements at places."""
    kind = sp.coo_array if issubclass(cls, sp.sparray) else sp.coo_matrix
    return cls(kind((elements(x), (ROWS, COLUMNS)), shape=(3, 3)))


def alike(a, dense):
    """A constant of the same kind, array or matrix."""
    return (sp.csr_array if isinstance(a, sp.sparray) else sp.csr_matrix)(dense)


def dense(result):
    """What an operation gives, as an array."""
    return result.toarray() if sp.issparse(result) else np.asarray(result)


def _row_sums(a, x):
    return np.asarray(a.sum(axis=1)).ravel()


def _in_place(a, x):
    a *= x[0]
    a /= 3.0
    return a


def _set_diagonal(a, x):
    a.setdiag(x[:3] ** 2)
    return a


def _set_diagonal_number(a, x):
    a.setdiag(x[4], 1)
    return a


OPERATIONS = {
    # products
    "A @ vector": lambda a, x: a @ VECTOR,
    "A @ traced vector": lambda a, x: a @ x[:3],
    "A @ column": lambda a, x: a @ x[:3, None],
    "A @ dense": lambda a, x: a @ CONSTANT,
    "A @ traced dense": lambda a, x: a @ np.outer(x[:3], x[3:]),
    "vector @ A": lambda a, x: VECTOR @ a,
    "traced vector @ A": lambda a, x: x[1:4] @ a,
    "dense @ A": lambda a, x: CONSTANT @ a,
    "list @ A": lambda a, x: a @ [1.0, 0.0, 2.0],
    "A @ constant": lambda a, x: a @ alike(a, CONSTANT),
    "constant @ A": lambda a, x: alike(a, CONSTANT) @ a,
    "A @ A": lambda a, x: a @ a,
    "A.T @ A": lambda a, x: a.T @ a,
    "A.dot": lambda a, x: a.dot(x[:3]),
    "A.dot(number)": lambda a, x: a.dot(2.0),
    "A.dot(A)": lambda a, x: a.dot(a),
    "A * number": lambda a, x: a * x[3],
    "number * A": lambda a, x: x[3] * a,
    "2 * A": lambda a, x: 2.0 * a,
    "np.float64 * A": lambda a, x: np.float64(2.0) * a,
    "A / number": lambda a, x: a / (x[0] + x[3]),
    "A / 2": lambda a, x: a / 2.0,
    "A / dense": lambda a, x: a / (1.0 + CONSTANT),
    "A * vector": lambda a, x: a * x[:3],
    "vector * A": lambda a, x: x[:3] * a,
    "A * A": lambda a, x: a * a,
    "A.multiply(number)": lambda a, x: a.multiply(x[0]),
    "A.multiply(dense)": lambda a, x: a.multiply(CONSTANT),
    "A.multiply(row)": lambda a, x: a.multiply(x[:3]),
    "A.multiply(column)": lambda a, x: a.multiply(x[:3, None]),
    "A.multiply(traced)": lambda a, x: a.multiply(np.outer(x[:3], x[:3])),
    "A.multiply(constant)": lambda a, x: a.multiply(alike(a, CONSTANT)),
    "A.multiply(A.T)": lambda a, x: a.multiply(a.T),
    "power": lambda a, x: a.power(2),
    "A ** 2": lambda a, x: a**2,
    # sums
    "A + A.T": lambda a, x: a + a.T,
    "A - 2 A.T": lambda a, x: a - 2.0 * a.T,
    "A + constant": lambda a, x: a + alike(a, CONSTANT),
    "constant + A": lambda a, x: alike(a, CONSTANT) + a,
    "constant - A": lambda a, x: alike(a, CONSTANT) - a,
    "A + dense": lambda a, x: a + CONSTANT,
    "dense - A": lambda a, x: CONSTANT - a,
    "A + traced dense": lambda a, x: a + np.outer(x[:3], x[2:]),
    "traced dense + A": lambda a, x: np.outer(x[:3], x[2:]) + a,
    "A + 0": lambda a, x: a + 0,
    "sum of list": lambda a, x: sum([a, a.T]),
    "-A": lambda a, x: -a,
    "abs": lambda a, x: abs(a),
    "sum": lambda a, x: a.sum(),
    "sum(0)": lambda a, x: np.asarray(a.sum(axis=0)),
    "sum(1)": _row_sums,
    "sum(-1)": lambda a, x: np.asarray(a.sum(-1)),
    "np.sum": lambda a, x: np.sum(a),
    "sums scaled": lambda a, x: np.asarray(2.0 * (a.sum(axis=1) * x[0] + 1.0) / 3.0),
    "mean": lambda a, x: a.mean(),
    "mean(0)": lambda a, x: np.asarray(a.mean(axis=0)),
    "trace": lambda a, x: a.trace(),
    # elements moved
    "toarray": lambda a, x: a.toarray(),
    "toarray F": lambda a, x: a.toarray(order="F"),
    "A.T": lambda a, x: a.T,
    "transpose": lambda a, x: a.transpose(copy=True),
    "copy": lambda a, x: a.copy(),
    "conj": lambda a, x: a.conj(),
    "astype": lambda a, x: a.astype(np.float64).astype(complex).real,
    "diagonal": lambda a, x: a.diagonal(),
    "diagonal(-1)": lambda a, x: a.diagonal(-1),
    "reshape": lambda a, x: a.reshape((1, 9)),
    "tocsr": lambda a, x: a.tocsr(),
    "tocsc": lambda a, x: a.tocsc(),
    "tocoo": lambda a, x: a.tocoo(),
    "todia": lambda a, x: a.todia(),
    "tobsr": lambda a, x: a.tobsr(),
    "tolil": lambda a, x: a.tolil(),
    "todok": lambda a, x: a.todok(),
    "asformat": lambda a, x: a.asformat("csr"),
    "csr data": lambda a, x: a.tocsr().data,
    "csc data": lambda a, x: a.tocsc().data,
    "csr data by row": lambda a, x: np.add.reduceat(a.tocsr().data, a.tocsr().indptr[:-1]),
    "scaled data": lambda a, x: _scaled_data(a, x),
    "written data": lambda a, x: _written_data(a, x),
    "csr_array": lambda a, x: sp.csr_array(a),
    "csc_matrix": lambda a, x: sp.csc_matrix(a, copy=True),
    "tril": lambda a, x: sp.tril(a),
    "triu": lambda a, x: sp.triu(a, 1),
    # functions of several
    "hstack": lambda a, x: sp.hstack([a, alike(a, CONSTANT), a.T]),
    "vstack": lambda a, x: sp.vstack([a, a.T], format="csr"),
    "block_array": lambda a, x: sp.block_array([[a, None], [sp.eye_array(3), a.T]]),
    "bmat": lambda a, x: sp.bmat([[a, a], [None, alike(a, CONSTANT)]], format="csc"),
    "block_diag": lambda a, x: sp.block_diag([a, x[:2], 1.5]),
    "block_diag, numbers": lambda a, x: sp.block_diag([x[0], a, [x[1], 2.0], [[x[2]], [x[3]]]]),
    "kron": lambda a, x: sp.kron(a, alike(a, CONSTANT)),
    "kron, traced": lambda a, x: sp.kron(sp.eye_array(2), a, format="csr"),
    "kronsum": lambda a, x: sp.kronsum(a, alike(a, CONSTANT)),
    # systems
    "spsolve": lambda a, x: spl.spsolve(a.tocsc(), VECTOR),
    "spsolve, traced": lambda a, x: spl.spsolve(a.tocsr(), x[:3]),
    "splu": lambda a, x: spl.splu(a.tocsc()).solve(x[2:]),
    "splu, trans": lambda a, x: spl.splu(a.tocsc()).solve(VECTOR, "T"),
    "factorized": lambda a, x: spl.factorized(a.tocsc())(VECTOR),
    "spsolve_triangular": lambda a, x: spl.spsolve_triangular(
        sp.tril(a, format="csr") + alike(a, np.eye(3)), VECTOR, lower=True
    ),
    "norm": lambda a, x: spl.norm(a),
    "norm 1": lambda a, x: spl.norm(a, 1),
    "norm, outside": lambda a, x: spl.norm(
        sp.dia_array((np.stack([x[:3], x[2:]]), [0, 1]), shape=(3, 3))
    ),
}  # fmt: skip


def _scaled_data(a, x):
    a = a.tocsr()
    a.data *= x[3]
    return a


def _written_data(a, x):
    a = a.tocsr()
    a.data[1:3] = x[3:]
    return a


INDEXING = {
    "A[0, 2]": lambda a, x: a[0, 2],
    "A[1, 0]": lambda a, x: a[1, 0],
    "A[0]": lambda a, x: a[0],
    "A[-1]": lambda a, x: a[-1, :],
    "A[:, 1]": lambda a, x: a[:, 1],
    "A[:2]": lambda a, x: a[:2],
    "A[1:, :2]": lambda a, x: a[1:, :2],
    "A[[2, 0]]": lambda a, x: a[[2, 0]],
    "A[:, [1, 0]]": lambda a, x: a[:, [1, 0]],
    "A[[0, 2], [0, 1]]": lambda a, x: a[[0, 2], [0, 1]],
    "A[np.ix_]": lambda a, x: a[np.ix_([0, 2], [0, 1])],
    "A[i, j] = v": lambda a, x: _written(a, (0, 2), x[4] ** 2),
    "A[i, j] new": lambda a, x: _written(a, (1, 2), x[4]),
    "A[i] = row": lambda a, x: _written(a, 1, x[:3]),
    "A[:, j] = column": lambda a, x: _written(a, (slice(None), 1), x[:3, None]),
    "A[ij] = sparse": lambda a, x: _written(a, (slice(0, 2), slice(0, 2)), a[1:, :2]),
    "A[ij] += v": lambda a, x: _written(a, (2, 0), a[2, 0] + x[1]),
    "A[i, j] = constant": lambda a, x: _written(a, (0, 0), 4.0),
    "constant[i, j] = v": lambda a, x: _written(type(a)(CONSTANT), (1, 1), x[4]),
    "constant[i] = row": lambda a, x: _written(type(a)(CONSTANT), 1, x[:3]),
    "empty[i, j] = v": lambda a, x: _written(type(a)((3, 3)), (1, 1), x[4] * x[0]),
    "setdiag": _set_diagonal,
    "setdiag, number": _set_diagonal_number,
}


def _written(a, key, value):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
        a[key] = value
    return a


IN_PLACE = {"*= and /=": _in_place}

N = 4
MAKING = {
    "csr (data, indices, indptr)": lambda x: sp.csr_array((x, [0, 2, 1, 0, 3], [0, 2, 3, 5])),
    "csc (data, indices, indptr)": lambda x: sp.csc_matrix((x, [0, 2, 1, 0, 2], [0, 2, 3, 5])),
    "csr (data, ij)": lambda x: sp.csr_matrix((x, ([0, 0, 1, 1, 2], [0, 0, 3, 1, 2]))),
    "coo (data, ij)": lambda x: sp.coo_array((x, ([0, 0, 1, 1, 2], [0, 0, 3, 1, 2])), shape=(4, 4)),
    "coo list": lambda x: sp.coo_matrix(([x[0], 1.0, x[1]], ([0, 1, 2], [2, 1, 0]))),
    "bsr (data, indices, indptr)": lambda x: sp.bsr_array(
        (np.stack([x[:4].reshape(2, 2), x[1:].reshape(2, 2)]), [1, 0], [0, 1, 2])
    ),
    "bsr (data, ij)": lambda x: sp.bsr_array(
        (x, ([0, 1, 2, 3, 0], [0, 1, 2, 3, 3])), blocksize=(2, 2)
    ),
    "dia": lambda x: sp.dia_array((np.stack([x[:4], x[1:]]), [0, -1]), shape=(4, 4)),
    "dia of one": lambda x: sp.dia_matrix((x[:4], 1), shape=(4, 4)),
    "dense": lambda x: sp.csr_array(np.diag(x) + np.eye(5, k=1)),
    "dense coo": lambda x: sp.coo_matrix(np.outer(x[:2], x[2:])),
    "dense lil": lambda x: sp.lil_matrix(np.diag(x)),
    "dense dok": lambda x: sp.dok_array(np.diag(x)),
    "list of lists": lambda x: sp.csc_array([[x[0], 0.0], [x[1], x[2]]]),
    "dtype": lambda x: sp.csr_array((x, (range(5), range(5))), dtype=complex).real,
    "shape": lambda x: sp.csr_array((x, (range(5), range(5))), shape=(7, 6)),
    "diags": lambda x: sp.diags([x, x[:4] ** 2], [0, 1]),
    "diags, one": lambda x: sp.diags(x, 1),
    "diags, numbers": lambda x: sp.diags([1.0, x[0], x[1]], [-1, 0, 1], shape=(4, 4)),
    "diags, csr": lambda x: sp.diags([x, -2.0 * x[1:]], [0, -1], format="csr", shape=(5, 6)),
    "diags_array": lambda x: sp.diags_array(x),
    "diags_array, two": lambda x: sp.diags_array(
        [x[:4], np.ones(5)], offsets=[-1, 0], format="csc"
    ),
    "spdiags": lambda x: sp.spdiags(np.stack([x, x[::-1]]), [0, 1], 5, 5),
    "eye * number": lambda x: sp.eye_array(3) * x[0],
    "eye matrix * number": lambda x: sp.eye(3) * x[0],
    "number * identity": lambda x: x[0] * sp.identity(3, format="csr"),
    "constant * vector": lambda x: sp.csr_array(CONSTANT) * x[:3],
    "vector * constant": lambda x: x[:3, None] * sp.csr_array(CONSTANT),
    "constant.multiply": lambda x: sp.csc_matrix(CONSTANT).multiply(x[:3]),
    "constant.multiply(dense)": lambda x: sp.coo_array(CONSTANT).multiply(np.outer(x[:3], x[:3])),
    "constant / vector": lambda x: sp.csr_array(CONSTANT) / x[:3],
    "constant / number": lambda x: sp.dia_array(CONSTANT) / x[0],
    "constant + dense": lambda x: sp.csr_array(CONSTANT) + np.outer(x[:3], x[:3]),
    "dense - constant": lambda x: np.outer(x[:3], x[:3]) - sp.csr_array(CONSTANT),
    "constant matrix * vector": lambda x: sp.csr_matrix(CONSTANT) * x[:3],
    "hstack, dense": lambda x: sp.hstack([sp.coo_array(CONSTANT), x[:3, None]]),
    "vstack, rows": lambda x: sp.vstack([sp.csr_array(x[None, :3]), sp.csr_array(CONSTANT)]),
    "block_diag, dense": lambda x: sp.block_diag([x[:4].reshape(2, 2), CONSTANT], format="csr"),
    "kron, dense": lambda x: sp.kron(np.eye(2), x[:4].reshape(2, 2)),
    "kron, both": lambda x: sp.kron(sp.diags_array(x[:2]), sp.diags_array(x[2:4])),
    "one dimension": lambda x: sp.coo_array(x) @ np.arange(5.0),
    "assembly": lambda x: sp.coo_matrix(
        ((x[:, None] * np.array([1.0, -1, -1, 1])).ravel(), _edges()), shape=(6, 6)
    ).tocsr(),
    "laplacian": lambda x: _laplacian(x),
    "complex": lambda x: (sp.csr_array((x * (1 + 2j), _RING)).conj() @ (1j * x)).imag,
    "power flow": lambda x: _power_flow(x),
    "lil buffer": lambda x: _lil_buffer(x),
    "dok buffer": lambda x: _dok_buffer(x),
}  # fmt: skip


def _edges():
    i = np.arange(5)
    rows, columns = np.stack([i, i, i + 1, i + 1], 1), np.stack([i, i + 1, i, i + 1], 1)
    return rows.ravel(), columns.ravel()


def _laplacian(x):
    """Div k grad: an incidence matrix, the conductances on a diagonal, and its transpose."""
    d = sp.diags_array([np.ones(5), -np.ones(5)], offsets=[0, 1], shape=(5, 6), format="csr")
    return d.T @ sp.diags_array(1 / x) @ d


_RING = (np.arange(5), (np.arange(5) + 1) % 5)


def _power_flow(x):
    """The derivatives of PYPOWER's power injections, with matrices on diagonals."""
    i = np.arange(5)
    admittance = sp.csr_matrix(np.eye(5) * (2 - 5j) + np.eye(5, k=1) * (-1 + 3j))
    v = x * np.exp(1j * x)
    diagonal_v = sp.csr_matrix((v, (i, i)))
    diagonal_i = sp.csr_matrix((admittance * v, (i, i)))
    flows = diagonal_i.conj() * diagonal_v + diagonal_v * np.conj(admittance * diagonal_v)
    return flows.toarray().real


def _lil_buffer(x):
    a = sp.lil_matrix((5, 5))
    for i in range(5):
        a[i, i] = x[i] ** 2
        if i:
            a[i, i - 1] = -x[i - 1]
    return a.tocsr()


def _dok_buffer(x):
    a = sp.dok_array((5, 5))
    for i in range(4):
        a[i, i + 1] = x[i] * x[i + 1]
    return a
