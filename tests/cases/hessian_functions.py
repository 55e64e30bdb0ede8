"""Functions of four numbers with one result, whose Hessians are compared with differences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import scipy.sparse
import scipy.special as sc

BANDED = np.diag([1.0, 2, 3, 4]) + np.diag([1.0, 1, 1], 1)
REGULAR = np.arange(16.0).reshape(4, 4) / 7 + 3 * np.eye(4)


def loop(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += x[i] * x[i + 1] ** 2
    return s


def filled(x):
    out = np.zeros(4)
    for i in range(3):
        out[i] = np.sin(x[i]) * x[i + 1]
    return out.sum()


def in_place(x):
    y = x.copy()
    y[1:] *= x[:-1]
    y += 1
    return y.sum()


def branching(x):
    if x[0] > 1.3:
        return x[0] * x[1]
    return x[2] ** 2


def repeated_targets(x):
    y = x.copy()
    np.multiply.at(y, [0, 0, 1], x[1:])
    return y.sum()


def added_targets(x):
    y = np.zeros(2)
    np.add.at(y, [0, 0, 1], x[1:])
    return (y**2).sum()


FUNCTIONS = {
    "quadratic form": lambda x: x @ BANDED @ x,
    "outer, above the diagonal": lambda x: np.sum((x[:, None] * x)[np.triu_indices(4, 1)]),
    "outer": lambda x: np.sum(x[:, None] * x),
    "np.outer, two entries": lambda x: np.outer(x, x)[0, 1] + np.outer(x, x)[2, 2],
    "matmul": lambda x: np.sum(x.reshape(2, 2) @ x.reshape(2, 2)),
    "matmul, one entry": lambda x: (x.reshape(2, 2) @ x.reshape(2, 2))[0, 0],
    "matmul, a triangle": lambda x: np.sum(np.triu(x.reshape(2, 2) @ x.reshape(2, 2))),
    "batched matmul": lambda x: (x.reshape(2, 1, 2) @ x.reshape(2, 2, 1)).sum(),
    "einsum of three": lambda x: np.einsum("i,ij,j->", x, BANDED, x),
    "einsum of three traced": lambda x: np.einsum("i,j,k->", x[:2], x[1:3], x[2:]),
    "softmax": lambda x: (np.exp(x - x.max()) / np.exp(x - x.max()).sum())[0],
    "logsumexp": lambda x: np.log(np.sum(np.exp(x))),
    "cumprod": lambda x: np.cumprod(x).sum(),
    "cumprod, second": lambda x: np.cumprod(x)[1],
    "prod": np.prod,
    "prod of three": lambda x: np.prod(x[:3]),
    "prod with a mask": lambda x: np.prod(x, where=[True, False, True, True]),
    "prod from a start": lambda x: np.prod(x[:2], initial=x[3]),
    "prod along an axis": lambda x: np.prod(x.reshape(2, 2), axis=1).sum(),
    "FFT, squared": lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2),
    "solve": lambda x: np.linalg.solve(REGULAR, x).sum(),
    "solve, squared": lambda x: np.sum(np.linalg.solve(REGULAR, x) ** 2),
    "solve, matrix": lambda x: np.linalg.solve(np.array([[x[0], 1.0], [0.5, 3]]), x[2:]).sum(),
    "inv": lambda x: np.linalg.inv(x.reshape(2, 2))[0, 0],
    "det": lambda x: np.linalg.det(x.reshape(2, 2)),
    "slogdet": lambda x: np.linalg.slogdet(x.reshape(2, 2))[1],
    "matrix_power": lambda x: np.linalg.matrix_power(x.reshape(2, 2), 3)[0, 1],
    "lstsq": lambda x: np.linalg.lstsq(REGULAR[:, :2], x)[0][0],
    "lstsq, residuals": lambda x: np.linalg.lstsq(REGULAR[:, :2], x)[1][0],
    "interp in x": lambda x: np.interp(x[0], [0, 1, 2, 3], [0, 1, 4, 9]) * x[1],
    "interp in both": lambda x: np.interp(x[0], [1, 2], x[1:3]),
    "norm": np.linalg.norm,
    "norm 1": lambda x: np.linalg.norm(x, 1),
    "norm inf": lambda x: np.linalg.norm(x, np.inf),
    "norm 3": lambda x: np.linalg.norm(x, 3),
    "var": np.var,
    "var with a mean": lambda x: np.var(x, mean=1.0),
    "std": np.std,
    "mean": np.mean,
    "max": np.max,
    "median": lambda x: np.median(x),
    "clip": lambda x: np.clip(x, 0, 1).sum(),
    "abs": lambda x: np.abs(x).sum(),
    "loop": loop,
    "buffer": filled,
    "in place": in_place,
    "branch": branching,
    "where": lambda x: np.where(x > x[::-1], x**2, x * x[::-1]).sum(),
    "copysign": lambda x: np.copysign(x, x[::-1]).sum(),
    "math": lambda x: math.sin(x[0]) * math.exp(x[1]),
    "math.hypot": lambda x: math.hypot(x[0], x[1]),
    "powers 1 and 0": lambda x: np.sum(x**1) + np.sum(x**0),
    "powers of arrays": lambda x: np.sum(x ** np.array([0, 1, 2, 3])),
    "power of a constant": lambda x: x[0] ** 2 + 2 ** x[1] + 1.0 ** x[2],
    "constant over x": lambda x: (3 / x).sum(),
    "x over constant": lambda x: (x / 3).sum(),
    "x over y": lambda x: x[0] / x[1],
    "zero over x": lambda x: (0 / x).sum(),
    "dot": lambda x: np.dot(x, x),
    "dot of slices": lambda x: np.dot(x[:2], x[2:]),
    "convolve": lambda x: np.convolve(x[:2], x[2:])[1],
    "kron": lambda x: np.kron(x, x)[1],
    "cross": lambda x: np.cross(x[:3], x[1:])[0],
    "tensordot": lambda x: np.tensordot(x.reshape(2, 2), x.reshape(2, 2), 2),
    "hypot reduced": lambda x: np.hypot.reduce(x),
    "logaddexp reduced": lambda x: np.logaddexp.reduce(x),
    "divide reduced": lambda x: np.divide.reduce(x),
    "multiply accumulated": lambda x: np.multiply.accumulate(x)[2],
    "divide accumulated": lambda x: np.divide.accumulate(x)[2],
    "multiply reduced at": lambda x: np.multiply.reduceat(x, [0, 2]).sum(),
    "multiply at": repeated_targets,
    "add at": added_targets,
    "multiply outer": lambda x: np.multiply.outer(x[:2], x[2:]).sum(),
    "trapezoid": lambda x: np.trapezoid(x, x**2),
    "cov": lambda x: np.cov(x[:2], x[2:])[0, 1],
    "average": lambda x: np.average(x[:2], weights=x[2:]),
    "constants without dimensions": lambda x: np.sum(np.array(2.0) * x ** np.array(2)),
    "polyval": lambda x: np.polyval(x[:3], x[3]),
    "gradient": lambda x: np.sum(np.gradient(x) ** 2),
    "cumsum": lambda x: np.sum(np.cumsum(x) ** 2),
    "remainder": lambda x: (x % 0.7).sum(),
    "floor": lambda x: np.floor(x).sum() * x[0],
    "linspace": lambda x: (np.linspace(x[0], x[1], 5) ** 2).sum(),
    "geomspace": lambda x: np.geomspace(x[0], x[1], 4)[1],
    "histogram": lambda x: np.histogram([0.1, 0.5, 0.7, 0.9], bins=2, range=(0, 1), weights=x)[0][
        0
    ],
    "density": lambda x: np.histogram(
        [0.1, 0.5, 0.7, 0.9], bins=2, range=(0, 1), weights=x, density=True
    )[0][0],
    "unwrap": lambda x: np.unwrap(x).sum(),
    "sinc": lambda x: np.sinc(x).sum(),
    "vectorize": lambda x: np.vectorize(lambda v: v**2)(x).sum(),
    "generator": lambda x: sum(v * w for v, w in itertools.pairwise(x)),
    "nan_to_num": lambda x: np.nan_to_num(x * x).sum(),
    "erf": lambda x: sc.erf(x).sum(),
    "xlogy": lambda x: sc.xlogy(x[0], x[1]),
    "xlogy of constants": lambda x: sc.xlogy(x[0], 2.0) + sc.xlogy(0.0, x[1]),
    "complex modulus": lambda x: np.abs(x[0] + 1j * x[1]),
    "complex sign": lambda x: np.sign(x[0] + 1j * x[1]).imag,
    "conjugate": lambda x: np.conj(x[0] + 1j * x[1]).imag,
    "sparse matrix": lambda x: np.sum((scipy.sparse.csr_array(BANDED) @ x) ** 2),
    "polyfit": lambda x: np.polyfit([0.0, 1, 2, 3], x, 1)[0],
}
EXTRA = {
    "FFT, squared": "by Parseval the cross terms of all frequencies cancel",
}
