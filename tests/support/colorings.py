"""What a coloring has to be, by definition, and what has to come back of a matrix."""

from __future__ import annotations

import itertools

import numpy as np
import scipy.sparse as sp

from sparsetrace.coloring import (
    color_acyclic,
    color_bidirectional,
    color_columns,
    color_rows,
    color_star,
)

SYMMETRIC = {"star": color_star, "acyclic": color_acyclic}
GENERAL = {"columns": color_columns, "rows": color_rows, "bidirectional": color_bidirectional}


def is_column_coloring(pattern, colors):
    rows = [colors[row].tolist() for row in pattern]
    return all(len(set(row)) == len(row) and min(row, default=0) >= 0 for row in rows)


def is_readable(pattern, column_colors, row_colors):
    """Each entry is alone in its row with its column's color, or in its column with its row's."""
    for i, j in zip(*np.nonzero(pattern), strict=True):
        in_row, in_column = column_colors[pattern[i]], row_colors[pattern[:, j]]
        by_column = column_colors[j] >= 0 and sum(in_row == column_colors[j]) == 1
        by_row = row_colors[i] >= 0 and sum(in_column == row_colors[i]) == 1
        if not (by_column or by_row):
            return False
    return True


def has_two_colored_cycle(pattern, colors):
    for pair in itertools.combinations(sorted(set(colors.tolist())), 2):
        inside = np.isin(colors, pair)
        graph = pattern[np.ix_(inside, inside)] & ~np.eye(inside.sum(), dtype=bool)
        trees, _ = sp.csgraph.connected_components(sp.csr_array(graph), directed=False)
        if graph.sum() // 2 != inside.sum() - trees:
            return True
    return False


def is_acyclic_coloring(pattern, colors):
    rows, columns = np.nonzero(pattern)
    used = pattern.any(axis=0)
    proper = (colors[rows] != colors[columns])[rows != columns].all()
    return proper and (colors[used] >= 0).all() and not has_two_colored_cycle(pattern, colors)


def assert_recovers(coloring, pattern, rng):
    values = np.where(pattern, rng.normal(size=pattern.shape), 0.0)
    if coloring.kind in SYMMETRIC:
        values = values + values.T
    for matrix in (values, values + 1j * np.where(pattern, 2.0, 0.0)):
        compressed = coloring.compress(matrix)
        restored = coloring.decompress(compressed)
        np.testing.assert_allclose(restored.toarray(), matrix, rtol=1e-9, atol=1e-9)
        assert restored.nnz == pattern.sum()
        data = np.empty(restored.nnz, dtype=matrix.dtype)
        assert coloring.decompress(compressed, out=data) is data
        np.testing.assert_array_equal(data, restored.data)
        pairs = zip(parts(coloring.compress(sp.csr_array(matrix))), parts(compressed), strict=True)
        for from_sparse, from_dense in pairs:
            np.testing.assert_allclose(from_sparse, from_dense)


def parts(compressed):
    return compressed if isinstance(compressed, tuple) else (compressed,)


def check_general(pattern, kind, order, rng):
    coloring = GENERAL[kind](pattern, order, seed=1)
    if kind == "columns":
        assert is_column_coloring(pattern, coloring.colors)
    elif kind == "rows":
        assert is_column_coloring(pattern.T, coloring.colors)
    else:
        assert is_readable(pattern, *coloring.colors)
    coloring.verify()
    assert_recovers(coloring, pattern, rng)
    return coloring


def check_symmetric(pattern, kind, order, rng):
    coloring = SYMMETRIC[kind](pattern, order, seed=1)
    if kind == "star":
        assert is_readable(pattern, coloring.colors, coloring.colors)
    else:
        assert is_acyclic_coloring(pattern, coloring.colors)
    coloring.verify()
    assert_recovers(coloring, pattern, rng)
    return coloring
