"""Functions and the points at which their local patterns are compared with differences."""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse

RNG = np.random.default_rng(0)
X = RNG.normal(size=6)
M = RNG.normal(size=(3, 4))
WITH_ZEROS = np.array([0.0, 1.0, 2.0, 0.0, 3.0, 4.0])


def filled(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] * x[i + 1] if x[i] > 0 else math.sin(x[i + 2])
    return y


def scattered(x):
    y = np.zeros(3)
    np.add.at(y, [0, 0, 1], x[:3] * x[3:])
    return y


def root_of_positive(x):
    y = np.empty(6)
    np.multiply(x, x[::-1], out=y)
    np.sqrt(y, where=y > 0, out=y)
    return y


def chosen_by_outputs(x):
    large = np.full_like(x, False, dtype=bool)
    np.greater(x, 0.5, where=~np.isnan(x), out=large)
    one = np.zeros((), bool)
    np.less(x[0], 0.5, out=one)
    return np.where(large, x * x[0], 1.0) + np.where(one, x[1], x[2])


def masked_updates(x):
    y = x.copy()
    y[x > 0] *= 2
    y[x < 0] = 0
    y += x[0]
    return y


def multiplied_sparse(x):
    return scipy.sparse.eye_array(6).tocsr() @ (x * x)


CASES = {
    "abs": (abs, X),
    "accumulate-maximum": (np.maximum.accumulate, X),
    "accumulate-multiply": (np.cumprod, [1, 2, 0, 3, 4]),
    "add-at": (scattered, WITH_ZEROS),
    "argmax-index": (lambda x: x[np.argmax(x)], X),
    "argsort-index": (lambda x: x[np.argsort(x)], X),
    "branch-buffer": (filled, X),
    "builtin-max": (lambda x: max(x[0], x[1]) * min(x[2], x[3]), X),
    "chosen-by-outputs": (chosen_by_outputs, X),
    "clip": (lambda x: np.clip(x, -0.5, 0.5), X),
    "compress": (lambda x: np.compress(x > 0, x), X),
    "convolve": (lambda x: np.convolve(x[:3], x[3:]), WITH_ZEROS),
    "diff": (np.diff, X),
    "divide": (lambda x: x[0] / x[1], [0.0, 2.0]),
    "einsum": (lambda x: np.einsum("i,j->ij", x[:3], x[3:]), WITH_ZEROS),
    "extract": (lambda x: np.extract(x > 0, x), X),
    "heaviside": (lambda x: np.heaviside(x[0], x[1]), [1.0, 2.0]),
    "hypot": (lambda x: np.hypot(x[0], x[1]), [0.0, 1.0]),
    "integer-index": (lambda x: x[int(abs(x[0]))] + x[3], X),
    "interp": (lambda x: np.interp(x, [-1, 0, 1], [0, 1, 1]), X),
    "interp-table": (lambda x: np.interp([-0.5, 0.5], [-1, 0, 1], x[:3]), X),
    "kron": (lambda x: np.kron(x[:2], x[2:4]), WITH_ZEROS),
    "mask": (lambda x: x[x > 0] ** 2, X),
    "masked-updates": (masked_updates, X),
    "matmul": (lambda x: x[:4].reshape(2, 2) @ x[2:].reshape(2, 2), WITH_ZEROS),
    "max": (np.max, X),
    "max-axis": (lambda x: x.max(axis=1), M),
    "median-even": (np.median, X),
    "median-odd": (np.median, X[:5]),
    "mod-divisor": (lambda x: np.mod(3.3, x), np.abs(X) + 1),
    "modulo": (lambda x: x % 0.7, X),
    "nanmax": (np.nanmax, X),
    "nonzero": (lambda x: x[np.nonzero(x > 0)], X),
    "norm-infinite": (lambda x: np.linalg.norm(x, np.inf), X),
    "out-where": (root_of_positive, X),
    "percentile": (lambda x: np.percentile(x, 50), X[:5]),
    "piecewise": (lambda x: np.piecewise(x, [x < 0, x >= 0], [lambda v: v**2, 0.0]), X),
    "prod-one-zero": (np.prod, [1.0, 0.0, 2.0]),
    "ptp": (np.ptp, X),
    "quantiles": (lambda x: np.quantile(x, [0.25, 0.4]), X[:5]),
    "round": (lambda x: round(x[0], 1) * x[1], X),
    "scalar-loop": (lambda x: sum(v if v > 0 else 0 * v for v in x), X),
    "searchsorted": (lambda x: x[np.searchsorted(np.sort(x), 0.1)], X),
    "select": (lambda x: np.select([x < 0, x > 1], [x**2, 1.0], 0.0), X),
    "sort": (np.sort, X),
    "sort-axis": (lambda x: np.sort(x, axis=0), M),
    "sorted": (lambda x: np.array(sorted(x)), X),
    "sparse": (multiplied_sparse, WITH_ZEROS),
    "take": (lambda x: np.take(x, np.argsort(x)), X),
    "trapezoid": (lambda x: (x[1:] + x[:-1]).sum() / 2, X),
    "unique": (np.unique, X),
    "where": (lambda x: np.where(x > 0, x**2, -x), X),
}
