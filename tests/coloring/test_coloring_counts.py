"""Numbers of colors that are known, and colorings of published figures."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from colorings import GENERAL, assert_recovers, check_general, check_symmetric

from cases.sparse_matrices import arrow, banded, laplace
from sparsetrace.coloring import (
    Coloring,
    color_acyclic,
    color_bidirectional,
    color_columns,
    color_star,
)

pytestmark = pytest.mark.fast


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
        (laplace(10), 7, 7, 7, 5, 3),
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


@pytest.mark.parametrize("half", [5, 10])
def test_bands_have_as_many_colors_as_theory_says(half):
    """Gebremedhin, Tarafdar, Pothen and Walther 2009: 2 h + 1 to read, h + 1 to substitute."""
    n = 5000
    offsets = range(-half, half + 1)
    band = sp.diags_array([np.ones(n - abs(k)) for k in offsets], offsets=list(offsets)).tocsr()
    assert color_star(band).num_colors == 2 * half + 1
    assert color_acyclic(band).num_colors == half + 1


@pytest.mark.parametrize(
    ("pattern", "columns", "rows"),
    [
        ("110 011 101", 3, 3),
        ("101 011 100", 2, 2),
        ("100 010 011", 2, 2),
        ("110000 011000 001100 000110 000011 000001", 2, 2),
        ("1100 1100 0011 0011", 2, 2),
        ("111", 3, 1),
        ("1 1 1", 1, 3),
        ("11 00 11", 2, 2),
    ],
    ids="cycle small triangle bidiagonal blocks row column zero-row".split(),
)
def test_small_patterns(pattern, columns, rows):
    """Those of SparseMatrixColorings' and asdex's tests, with as many colors as there."""
    dense, rng = matrix(pattern), np.random.default_rng(0)
    assert check_general(dense, "columns", "best", rng).num_colors == columns
    assert check_general(dense, "rows", "best", rng).num_colors == rows


# ------------------------------------------------------------------------------- figures
FIGURE_4_1 = "110000 111011 011100 001101 010010 010101"
FIGURE_6_1 = (
    "1100001000 1110100000 0111010000 0011000001 0100110100 "
    "0010110010 1000001100 0000101110 0000010111 0001000011"
)
"""Of Gebremedhin, Manne and Pothen 2005, "What color is your Jacobian?"."""


def matrix(rows):
    return np.array([[digit == "1" for digit in row] for row in rows.split()])


@pytest.mark.parametrize(
    ("figure", "kind", "colors"),
    [
        (FIGURE_4_1, "star", [0, 1, 0, 2, 0, 0]),
        # the next two are figures 1 and 4 of Gebremedhin, Tarafdar, Pothen and Walther 2009
        (FIGURE_6_1, "star", [0, 1, 0, 2, 0, 3, 2, 4, 0, 1]),
        (FIGURE_6_1, "acyclic", [0, 1, 0, 1, 0, 2, 1, 2, 1, 0]),
        (FIGURE_6_1, "acyclic", [0, 1, 0, 1, 0, 2, 1, 2, 1, 2]),
    ],
)
def test_colorings_of_figures_recover(figure, kind, colors):
    pattern = matrix(figure)
    coloring = Coloring(pattern, kind, colors)
    assert_recovers(coloring, pattern, np.random.default_rng(0))
    found = check_symmetric(pattern, kind, "best", np.random.default_rng(0))
    assert found.num_colors <= coloring.num_colors


@pytest.mark.parametrize(
    ("figure", "colors", "entry"),
    [
        (FIGURE_4_1, [0, 2, 0, 2, 0, 0], r"\(1, 2\)"),
        (FIGURE_6_1, [0, 1, 0, 2, 0, 3, 2, 3, 0, 1], r"\(4, 5\)"),
        (FIGURE_6_1, [0, 1, 0, 2, 0, 3, 1, 4, 0, 1], r"\(0, 1\)"),
    ],
)
def test_wrong_colorings_of_figures_are_told(figure, colors, entry):
    with pytest.raises(ValueError, match=f"do not recover entry {entry}"):
        Coloring(matrix(figure), "star", colors).verify()


@pytest.mark.parametrize(
    ("figure", "star", "acyclic"), [(FIGURE_4_1, 3, 3), (FIGURE_6_1, 4, 3)], ids=["4.1", "6.1"]
)
def test_figures_take_few_colors(figure, star, acyclic):
    pattern, rng = matrix(figure), np.random.default_rng(0)
    assert check_symmetric(pattern, "star", "best", rng).num_colors <= star
    assert check_symmetric(pattern, "acyclic", "best", rng).num_colors <= acyclic


def test_a_star_coloring_of_a_graph_that_was_colored_wrongly_elsewhere():
    """A path 0-1-4-11 had two colors in asdex, where only its ends were looked at."""
    edges = "0-1 0-2 0-10 1-2 1-4 1-7 1-9 1-10 3-4 4-11 5-7 5-10 6-7 6-9 7-8 7-9 7-11 8-9 8-11 9-11"
    pattern = np.eye(12, dtype=bool)
    for edge in edges.split():
        i, j = map(int, edge.split("-"))
        pattern[i, j] = pattern[j, i] = True
    for order in ("best", "largest_first"):
        assert check_symmetric(pattern, "star", order, np.random.default_rng(0)).num_colors <= 6
