"""Colorings against the definitions, known counts, and matrices recovered from their products."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from sparsetrace.coloring import (
    Coloring,
    color_acyclic,
    color_bidirectional,
    color_columns,
    color_rows,
    color_star,
    first_fit,
    orders,
)
from sparsetrace.coloring.orders import ORDERS

pytestmark = pytest.mark.fast
SYMMETRIC = {"star": color_star, "acyclic": color_acyclic}
GENERAL = {"columns": color_columns, "rows": color_rows, "bidirectional": color_bidirectional}


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


# ------------------------------------------------------------ definitions, one by one
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


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", GENERAL)
def test_random_patterns(kind, order):
    rng = np.random.default_rng([ORDERS.index(order), list(GENERAL).index(kind)])
    for _ in range(40):
        check_general(random_pattern(rng, symmetric=False), kind, order, rng)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", SYMMETRIC)
def test_random_symmetric_patterns(kind, order):
    rng = np.random.default_rng([ORDERS.index(order), list(SYMMETRIC).index(kind)])
    for _ in range(40):
        check_symmetric(random_pattern(rng, symmetric=True), kind, order, rng)


# ---------------------------------------------------------------------- known counts
@pytest.mark.parametrize(
    ("pattern", "columns", "rows", "bidirectional", "star", "acyclic"),
    [
        (np.eye(7, dtype=bool), 1, 1, 1, 1, 1),
        (banded(9, 1), 3, 3, 3, 3, 2),
        (banded(12, 2), 5, 5, 5, 5, 3),
        (banded(14, 3), 7, 7, 7, 7, 4),
        (np.ones((6, 6), dtype=bool), 6, 6, 6, 6, 6),
        (arrow(12), 12, 12, 3, 2, 2),
        (arrow(12)[::-1, ::-1], 12, 12, 3, 2, 2),
        (np.eye(5, dtype=bool)[::-1], 1, 1, 1, 2, 2),
        (laplace(10), 7, 7, 7, 5, 4),
        (np.zeros((4, 4), dtype=bool), 0, 0, 0, 0, 0),
    ],
    ids="diagonal tridiagonal penta hepta dense arrow flipped anti laplace empty".split(),
)
def test_counts(pattern, columns, rows, bidirectional, star, acyclic):
    rng = np.random.default_rng(0)
    assert check_general(pattern, "columns", "best", rng).num_colors <= columns
    assert check_general(pattern, "rows", "best", rng).num_colors <= rows
    assert check_general(pattern, "bidirectional", "best", rng).num_colors <= bidirectional
    assert check_symmetric(pattern, "star", "best", rng).num_colors <= star
    assert check_symmetric(pattern, "acyclic", "best", rng).num_colors <= acyclic


def test_colors_that_nothing_is_read_from_are_dropped():
    cycle = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]], dtype=bool)
    assert color_star(cycle).num_colors == 2
    assert color_star(cycle | np.eye(4, dtype=bool)).num_colors == 3
    assert (color_star(np.eye(5, dtype=bool)[::-1]).colors == -1).any()


def test_dense_row_and_column_beside_a_band():
    pattern = banded(40, 1)
    pattern[20] = pattern[:, 7] = True
    coloring = color_bidirectional(pattern)
    assert coloring.num_colors <= 5
    assert_recovers(coloring, pattern, np.random.default_rng(0))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (3, 4)])
@pytest.mark.parametrize("kind", GENERAL)
def test_without_entries(kind, shape):
    coloring = GENERAL[kind](np.zeros(shape, dtype=bool))
    assert coloring.num_colors == 0
    assert coloring.decompress(coloring.compress(np.zeros(shape))).shape == shape


def test_stored_zeros_are_entries():
    pattern = sp.csr_array((np.array([0.0, 1.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    assert color_columns(pattern).num_colors == 2


def test_unsorted_duplicates_are_one_entry_and_the_argument_stays():
    pattern = sp.csr_array((np.ones(3), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    coloring = color_columns(pattern)
    assert coloring.pattern.nnz == 2
    assert pattern.indices.tolist() == [1, 0, 1]


def test_first_fit_is_the_same_in_both_loops(monkeypatch):
    module = first_fit
    assert module.compiled_loop() is not None
    rng = np.random.default_rng(5)
    for _ in range(30):
        cliques = sp.csr_array(random_pattern(rng, symmetric=False))
        order = rng.permutation(cliques.shape[1])
        compiled = module.first_fit(cliques, order)
        with monkeypatch.context() as patch:
            patch.setattr(module, "compiled_loop", lambda: None)
            np.testing.assert_array_equal(module.first_fit(cliques, order), compiled)


@pytest.mark.parametrize("order", ["smallest_last", "incidence_degree", "dynamic_largest_first"])
def test_orders_are_the_same_with_numba(monkeypatch, order):
    pytest.importorskip("numba", reason="needs numba (pip install 'sparsetrace[fast]')")
    rng = np.random.default_rng(7)
    for _ in range(10):
        cliques = sp.csr_array(random_pattern(rng, symmetric=False))
        compiled = orders.vertex_order(cliques, order)
        with monkeypatch.context() as patch:
            patch.setattr(orders, "_compiled_loop", lambda: None)
            np.testing.assert_array_equal(orders.vertex_order(cliques, order), compiled)


def degrees_left(graph, vertices):
    return graph[np.ix_(vertices, vertices)].sum(axis=1)


@pytest.mark.parametrize("order", ["smallest_last", "incidence_degree", "dynamic_largest_first"])
def test_orders_by_definition(order):
    rng = np.random.default_rng(8)
    for _ in range(20):
        pattern = random_pattern(rng, symmetric=False)
        graph = (pattern.T.astype(int) @ pattern) > 0
        np.fill_diagonal(graph, False)
        result = orders.vertex_order(sp.csr_array(pattern), order)
        assert sorted(result) == list(range(pattern.shape[1]))
        for k, vertex in enumerate(result):
            before, after = result[:k], result[k:]
            if order == "smallest_last":
                upto = result[: k + 1]
                degrees = degrees_left(graph, upto)
                assert degrees[-1] == degrees.min()
            elif order == "incidence_degree":
                back = graph[np.ix_(after, before)].sum(axis=1)
                assert graph[vertex, before].sum() == back.max()
            else:
                degrees = degrees_left(graph, after)
                assert degrees[0] == degrees.max()


def test_first_fit_by_definition():
    rng = np.random.default_rng(6)
    for _ in range(30):
        pattern = random_pattern(rng, symmetric=False)
        order = rng.permutation(pattern.shape[1])
        expected = np.full(pattern.shape[1], -1)
        for column in order:
            conflicts = (pattern & pattern[:, [column]]).any(axis=1)
            taken = set(expected[pattern[conflicts].any(axis=0)].tolist())
            expected[column] = next(c for c in itertools.count() if c not in taken)
        np.testing.assert_array_equal(first_fit.first_fit(sp.csr_array(pattern), order), expected)


# ------------------------------------------------------------------------ the object
def test_wrong_colors_are_told():
    with pytest.raises(ValueError, match=r"do not recover entry \(0, 0\)"):
        Coloring([[1, 1]], "columns", [0, 0]).verify()
    with pytest.raises(ValueError, match=r"do not recover entry \(0, 1\)"):
        Coloring([[1, 1]], "columns", [0, -1]).verify()
    with pytest.raises(ValueError, match=r"do not recover entry \(0, 0\)"):
        Coloring([[1], [1]], "rows", row_colors=[0, 0]).verify()
    with pytest.raises(ValueError, match="do not recover entry"):
        Coloring(banded(4, 1), "star", [0, 1, 0, 1]).verify()
    cycle = banded(4, 1)
    cycle[0, 3] = cycle[3, 0] = True
    with pytest.raises(ValueError, match="not acyclic"):
        Coloring(cycle, "acyclic", [0, 1, 0, 1]).verify()
    with pytest.raises(ValueError, match="do not recover"):
        Coloring([[1, 1]], "columns", [0, 0]).decompress(np.zeros((1, 1)))


def test_errors():
    with pytest.raises(ValueError, match="none of best, natural"):
        color_columns(np.eye(2), "first")
    with pytest.raises(ValueError, match="square, not 2 x 3"):
        color_star(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"has \(0, 1\), but not \(1, 0\)"):
        color_acyclic([[1, 1], [0, 1]])
    with pytest.raises(ValueError, match="none of columns"):
        Coloring(np.eye(2), "column", [0, 0])
    with pytest.raises(ValueError, match=r"shape \(3,\), not \(2,\)"):
        Coloring(np.eye(2), "columns", [0, 0, 0])
    with pytest.raises(ValueError, match="whole numbers"):
        Coloring(np.eye(2), "columns", [0.5, 0])
    with pytest.raises(ValueError, match="needs row_colors"):
        Coloring(np.eye(2), "rows")
    with pytest.raises(ValueError, match="two dimensions"):
        color_columns(np.ones(3))
    coloring = color_columns(np.eye(2))
    with pytest.raises(ValueError, match=r"shape \(2, 2\), not \(2, 1\)"):
        coloring.decompress(np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"out has shape \(3,\)"):
        coloring.decompress(np.ones((2, 1)), out=np.empty(3))
    with pytest.raises(ValueError, match="the pattern"):
        coloring.compress(np.ones((3, 3)))
    with pytest.raises(ValueError, match="pair"):
        color_bidirectional(arrow(5)).decompress(np.ones((5, 3)))


def test_groups_and_seeds():
    coloring = color_columns(banded(5, 1))
    groups = coloring.groups
    assert sorted(np.concatenate(groups).tolist()) == [0, 1, 2, 3, 4]
    for color, group in enumerate(groups):
        assert (coloring.colors[group] == color).all()
        assert (coloring.seeds[:, color] == np.isin(np.arange(5), group)).all()
    columns, rows = color_bidirectional(arrow(6)).groups
    assert (len(columns), len(rows)) in {(2, 1), (1, 2)}


@pytest.mark.parametrize("kind", [*GENERAL, *SYMMETRIC])
def test_round_trip(tmp_path, kind):
    pattern = arrow(8)
    coloring = (GENERAL | SYMMETRIC)[kind](pattern)
    coloring.save(tmp_path / "coloring")
    loaded = Coloring.load(tmp_path / "coloring")
    assert repr(loaded) == repr(coloring)
    np.testing.assert_array_equal(loaded.column_colors, coloring.column_colors)
    np.testing.assert_array_equal(loaded.row_colors, coloring.row_colors)
    assert_recovers(loaded, pattern, np.random.default_rng(0))


def test_load_refuses_other_files(tmp_path):
    np.savez(tmp_path / "other.npz", numbers=np.ones(3))
    with pytest.raises(ValueError, match="no coloring"):
        Coloring.load(tmp_path / "other.npz")
    with pytest.raises(FileNotFoundError):
        Coloring.load(tmp_path / "absent")


def test_out_is_a_sparse_array():
    coloring = color_columns(banded(4, 1))
    matrix = np.where(banded(4, 1), 2.5, 0.0)
    out = sp.csr_array(banded(4, 1).astype(float))
    assert coloring.decompress(coloring.compress(matrix), out=out) is out
    np.testing.assert_array_equal(out.toarray(), matrix)
    other = sp.csr_array(banded(4, 1)[::-1].astype(float))
    for wrong in (other, out.tocsc(), sp.csr_array(np.ones((2, 5)))):
        with pytest.raises(ValueError, match="other entries"):
            coloring.decompress(coloring.compress(matrix), out=wrong)


@pytest.mark.parametrize("kind", [*GENERAL, *SYMMETRIC])
def test_spy(kind):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    axes = (GENERAL | SYMMETRIC)[kind](arrow(6)).spy()
    assert len(axes.collections[0].get_offsets()) == 16
    pyplot.close(axes.figure)
