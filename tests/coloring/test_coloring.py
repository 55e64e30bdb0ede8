"""Colorings as objects: what they refuse, keep, plot and write."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from colorings import GENERAL, SYMMETRIC, assert_recovers

from cases.sparse_matrices import arrow, banded
from sparsetrace.coloring import (
    Coloring,
    color_acyclic,
    color_bidirectional,
    color_columns,
    color_rows,
    color_star,
)

pytestmark = pytest.mark.fast


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


@pytest.mark.parametrize("color", [color_columns, color_rows, color_bidirectional, color_star])
def test_a_coloring_has_its_own_pattern(color):
    matrix = sp.csr_array(np.eye(6) + np.eye(6, k=1) + np.eye(6, k=-1))
    values = matrix.toarray()
    coloring = color(matrix)
    matrix.indices[:], matrix.indptr[:] = 0, 0
    np.testing.assert_array_equal(coloring.decompress(coloring.compress(values)).toarray(), values)


@pytest.mark.parametrize("dtype", [int, np.float64])
def test_an_array_that_cannot_hold_the_values_is_refused(dtype):
    coloring = color_columns(np.eye(3))
    products = coloring.compress((2.5 if dtype is int else 1j) * np.eye(3))
    with pytest.raises(ValueError, match="out holds"):
        coloring.decompress(products, out=np.zeros(3, dtype))


@pytest.mark.parametrize("color", [color_columns, color_rows, color_bidirectional, color_star])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_infinite_values_stay_in_their_color(color, kind):
    matrix = np.eye(6) + np.eye(6, k=1) + np.eye(6, k=-1)
    matrix[0, 0], matrix[2, 3], matrix[3, 2] = np.inf, np.nan, np.nan
    coloring = color(matrix != 0)
    recovered = coloring.decompress(coloring.compress(kind(matrix))).toarray()
    np.testing.assert_array_equal(recovered, matrix)
