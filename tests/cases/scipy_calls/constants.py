"""Constant matrices, kernels, tables and places that the calls use."""

from __future__ import annotations

import numpy as np
import scipy.signal as ss
import scipy.sparse as sp

RNG = np.random.default_rng(5)
FULL = RNG.uniform(0.5, 1.5, (4, 4)) + 3 * np.eye(4)
LOWER, UPPER = np.tril(FULL), np.triu(FULL)
HOLES = FULL * [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]]
POSITIVE = FULL @ FULL.T
BANDS = np.array([[0, 0.5, 0.5, 0.5], [2, 2, 2, 2], [0.3, 0.3, 0, 0]])
SPARSE = sp.csc_array(HOLES)
KERNEL = np.array([0.5, 0.0, 2.0])
SITES = np.array([0.0, 0.7, 1.1, 2.0, 2.9, 4.0])
HEIGHTS = np.array([1.0, 3.0, 2.0, 2.0, 0.5, 1.5])
AT = np.array([0.0, 0.4, 1.1, 1.9, 3.5, 4.0])
GRID = (np.array([0.0, 1.0, 2.5]), np.array([0.0, 0.5, 1.5, 3.0]))
TABLE = RNG.uniform(0, 1, (3, 4))
SOS = ss.butter(2, 0.3, output="sos")
B, A = ss.butter(2, 0.3)


def square(x, n=2):
    """The first elements as a matrix that has an inverse, whatever they are."""
    return x[: n * n].reshape(n, n) + 3 * np.eye(n)


def positive(x):
    m = square(x)
    return m @ m.T
