"""Sparse matrices with known colorings, and random ones: dense arrays of truth values."""

from __future__ import annotations

import numpy as np


def banded(n, half):
    return np.array([[abs(i - j) <= half for j in range(n)] for i in range(n)])


def arrow(n):
    result = np.eye(n, dtype=bool)
    result[0] = result[:, 0] = True
    return result


def laplace(n):
    grid = np.arange(n * n).reshape(n, n)
    result = np.eye(n * n, dtype=bool)
    for a, b in ((grid[1:], grid[:-1]), (grid[:, 1:], grid[:, :-1])):
        result[a.ravel(), b.ravel()] = result[b.ravel(), a.ravel()] = True
    return result


def random_pattern(rng, *, symmetric):
    rows = int(rng.integers(1, 14))
    columns = rows if symmetric else int(rng.integers(1, 14))
    pattern = rng.random((rows, columns)) < rng.choice([0.1, 0.2, 0.4, 0.8])
    if rng.random() < 0.3:
        pattern[int(rng.integers(rows))] = True
    if not symmetric and rng.random() < 0.3:
        pattern[:, int(rng.integers(columns))] = True
    if symmetric:
        pattern |= pattern.T
        if rng.random() < 0.5:
            pattern |= np.eye(rows, dtype=bool)
    return pattern
