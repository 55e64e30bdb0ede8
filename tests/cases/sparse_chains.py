"""Random chains of operations on sparse arrays with traced data.

Contract: `chain(seed)` is a function of four numbers, the same for the same seed.
"""

from __future__ import annotations

import random
import warnings

import numpy as np
import scipy.sparse as sp

CONSTANTS = (
    np.array([[1.0, 0, 2, 0], [0, 0, 0, 3], [0, 1, 1, 0], [2, 0, 0, 1]]),
    np.eye(4),
    np.diag([1.0, 2, 3], 1) + np.diag([1.0, 0, 2], -1),
)
FORMATS = "csr csc coo dia bsr lil dok".split()
STARTS = (
    lambda x: np.diag(x),
    lambda x: sp.coo_array(
        (np.concatenate([x, x[:2] ** 2]), ([0, 1, 2, 3, 0, 1], [1, 1, 0, 2, 3, 1])), shape=(4, 4)
    ),
    lambda x: sp.diags_array([x, x[:3] * x[1:]], offsets=[0, 1]),
    lambda x: sp.csr_array(CONSTANTS[0]) * x[0],
    lambda x: np.outer(x, CONSTANTS[0][0]) + CONSTANTS[2],
)


def _like(a, dense):
    return (sp.csr_array if isinstance(a, sp.sparray) else sp.csr_matrix)(dense)


def _item(a, x, k):
    a = a.tocsr()
    a[k.i, k.j] = x[k.i] * x[k.j]
    return a


def _diagonal(a, x, k):
    a = a.tocsr()
    a.setdiag(x)
    return a


def _first_element(a, x, k):
    a = a.tocsr()
    a.data[0:1] = x[k.i]
    return a


def _data_scaled(a, x, k):
    a = a.tocsr()
    a.data *= x[k.j]
    return a


def _data_squared(a, x, k):
    a = a.tocoo()
    a.data = a.data**2
    return a


STEPS = (
    lambda a, x, k: a.T,
    lambda a, x, k: a.asformat(k.format),
    lambda a, x, k: a * x[k.i],
    lambda a, x, k: a + _like(a, k.constant),
    lambda a, x, k: a + _like(a, np.diag(x[::-1])),
    lambda a, x, k: a.multiply(k.constant + k.i % 2),
    lambda a, x, k: a @ _like(a, k.constant),
    lambda a, x, k: _like(a, k.constant) @ a,
    lambda a, x, k: a @ a.T,
    lambda a, x, k: -a,
    lambda a, x, k: abs(a),
    lambda a, x, k: a.power(2),
    lambda a, x, k: sp.vstack([a.tocsr()[2:], a.tocsr()[:2]]),
    lambda a, x, k: sp.hstack([a.tocsc()[:, 2:], a.tocsc()[:, :2]], format=k.format),
    lambda a, x, k: sp.diags(x) @ a @ sp.diags(x[::-1]),
    _item,
    _diagonal,
    _first_element,
    _data_scaled,
    _data_squared,
)
ENDS = (
    lambda a, x: a.toarray(),
    lambda a, x: a @ np.array([1.0, 0, 2, 1]),
    lambda a, x: x @ a,
    lambda a, x: np.asarray(a.sum(axis=0)),
    lambda a, x: a.diagonal(),
)


class Choices:
    """What one step may ask for."""

    def __init__(self, numbers):
        self.i, self.j = numbers.randrange(4), numbers.randrange(4)
        self.format = numbers.choice(FORMATS)
        self.constant = numbers.choice(CONSTANTS)


def chain(seed):
    numbers = random.Random(seed)
    cls = getattr(sp, f"{numbers.choice(FORMATS)}_{numbers.choice(['array', 'matrix'])}")
    start, end = numbers.choice(STARTS), numbers.choice(ENDS)
    steps = [(numbers.choice(STEPS), Choices(numbers)) for _ in range(numbers.randrange(1, 6))]
    kept = numbers.randrange(len(steps))  # what is seen of an array before later steps

    def f(x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
            a = earlier = cls(start(x))
            for at, (step, choices) in enumerate(steps):
                earlier = a.T if at == kept else earlier
                a = step(a, x, choices)
            return end(a, x), end(earlier, x)

    return f
