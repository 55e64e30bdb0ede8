"""Expressions and lines with an np.matrix ``M(x)`` of traced elements.

Contract: text alone; the names are those of `tests/arrays/test_matrices.py`.
"""

from __future__ import annotations

EXACT = """
np.ravel(M(x)) * x
np.expand_dims(M(x), 0)[0] * A
M(x)
M(x) * M(x)
M(x) * A
A * M(x)
K * M(x)
M(x) * K
2 * M(x)
M(x) * 2.0
x[0] * M(x)
M(x) * x[0]
np.float64(2) * M(x) * A
x.reshape(3, 3) * M(x)
M(x) * x.reshape(3, 3)
x[None, :3] * M(x)
M(x) * x[:3, None]
M(x) * [[1.0], [2.0], [0.0]]
M(x) + A
A + M(x)
A - M(x) * 2
K - M(x)
M(x) - K
A / M(x)
M(x) / 2
M(x) ** 2
M(x) @ A
A @ M(x)
np.matmul(M(x), A)
-M(x) * A
+M(x) * A
abs(M(x)) * A
sum([M(x), M(x)]) * A
M(x).T * M(x)
M(x).H
M(x).transpose() * A
M(x)[0]
M(x)[0] * A
M(x)[:, 1]
M(x)[:, 1].T * M(x)
M(x)[1, :] * M(x)
M(x)[1, 2] * x
M(x)[0:2, 1:] * A[:2, :2]
M(x)[[0, 2]] * A
M(x)[-1].T * M(x)[0]
[row * A for row in M(x)][0]
len(M(x)) * M(x)
M(x).A * A
M(x).getA() * A
M(x).A1 * x
M(x).sum(0)
M(x).sum(1) * M(x)[0]
M(x).sum() * x
M(x).mean() * x
M(x).prod(axis=1)
M(x).std(0)
M(x).flatten()
M(x).ravel() * M(x).ravel().T
M(x).reshape(1, 9) * M(x).reshape(9, 1)
M(x)[0].squeeze()
M(x).diagonal()
M(x).trace() * x[:1]
M(x).dot(A)
M(x).cumsum(0)
M(x).copy() * A
M(x).astype(float) * A
M(x).view() * A
M(x).view(np.ndarray) * A
M(x).tolist()
M(x).item(2) * x
M(x).real * A
M(x).conj() * A
M(x).take([0, 4])
M(x).repeat(2, axis=0)
M(x).swapaxes(0, 1) * A
M(x).shape[0] * M(x).size * M(x).ndim * M(x)
np.sum(M(x), axis=0)
np.sum(M(x)) * x
np.prod(M(x), axis=1)
np.mean(M(x), 1)
np.transpose(M(x)) * A
np.multiply(M(x), A)
np.multiply(A, M(x))
np.multiply(x[0], M(x)) * A
np.power(M(x), 2)
np.add(M(x), A) * A
np.sin(M(x)) * A
np.dot(M(x), A)
np.dot(K, M(x))
np.asarray(M(x)) * A
np.array(M(x)) * A
np.diag(M(x))
np.trace(M(x)) * x
np.real(M(x)) * A
np.copy(M(x)) * A
np.asanyarray(M(x)) * A
np.asanyarray(M(x), float) * A
np.ascontiguousarray(M(x)) * A
x.reshape(3, 3).dot(M(x)) * A
x.reshape(3, 3) @ M(x) * A
np.hypot(x.reshape(3, 3), M(x)) * A
scipy.linalg.inv(M(x) + 5 * np.eye(3))[0, 0] + M(x)
np.zeros_like(M(x)) + A * x[0]
np.vstack([M(x), A]) * M(x)
np.hstack((M(x), M(x)))
np.concatenate([M(x), M(x)], 1)
np.bmat([[M(x), M(x)], [M(x), A]])
np.tril(M(x)) * A
np.linalg.det(M(x)) * x
np.linalg.norm(M(x)) * x
np.matrix(x) * x.reshape(9, 1)
np.matrix([[x[0], 1.0], [x[1], x[2]]]) * np.matrix([[x[3], x[4]], [2.0, x[5]]])
np.matrix(M(x)) * M(x)
np.asmatrix(M(x)) * A
np.asmatrix(x[:3]).T * np.asmatrix(x[:3])
C * M(x)
M(x) * C
(C * M(x)) * M(x)
np.asarray(C * np.asmatrix(x[:3]).T).flatten()
np.isnan(M(x)).any() + M(x)
m = M(x); m[0, 1] = x[3]; return m * m
m = M(x); m[:, 0] = m[:, 1] * 2; return m * m
m = M(x); m[0] = x[:3]; return m * A
m = M(x); m[[0, 1]] = A[:2]; return m * A
m = M(x); m[0:2, 0:2] = np.eye(2); return m * m
m = M(x); m *= 2; return m * A
m = M(x); m *= m; return m
m = M(x); m **= 2; return m
m = M(x); m += A; return m * m
m = M(x); m.fill(x[0]); return m * A
y = x.reshape(3, 3) + 0; m = np.asmatrix(y); y[0, 0] = 5.0; return m * m
y = x.reshape(3, 3) + 0; m = np.asmatrix(y); m[0, 0] = 5.0; return y * A
z = np.zeros((3, 3)); z[:] = M(x); return z * A
z = np.zeros((3, 3)); z[0] = M(x)[1]; return z * A
""".strip().splitlines()

LOOSE = {
    "M(x).I": "an inverse is taken for full",
    "np.linalg.inv(M(x)) * M(x)": "the product with the inverse is not seen to be constant",
    "np.linalg.solve(M(x), M(x)[:, 0])": "nor is a solution that is a column of the matrix",
    "M(x).max(axis=1)": "any element may be the largest",
    "np.max(M(x)) * x": "any element may be the largest",
    "M(x).argmax() + M(x)": "positions have no derivative",
}

REFUSED = {
    "np.kron(M(x), A)": "np.",
    "np.require(M(x)) * A": "np.require",
    "np.array(M(x), subok=True) * A": "np.array",
    "A.dot(M(x))": "__array__",
    "np.c_[M(x), M(x)] * A": "np.matrix",
    "scipy.special.softmax(M(x)) * A": "scipy.special.softmax of an np.matrix",
    "np.ma.array(M(x)) * A": "np.ma.array of an np.matrix",
    "np.average(M(x), weights=M(x))": "np.",
    "np.polyval(M(x)[0], 2.0)": "np.",
    "np.median(M(x))": "np.median",
    "np.sort(M(x))": "np.sort",
    "np.einsum('ij,jk', M(x), A)": "np.einsum",
    "np.add(M(x), A, out=np.zeros((3, 3)))": "np.add",
    "np.multiply.reduce(M(x))": "np.multiply",
    "operator.mul(A, M(x))": "np.multiply",
    "functools.reduce(operator.mul, [A, M(x)])": "np.multiply",
    "M(x).sort()": "np.matrix.sort",
    "M(x).flat": "np.matrix.flat",
    "float(M(x)[:1, :1])": "float",
    "x[0] in M(x)": "contains",
}
