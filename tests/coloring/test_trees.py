"""Acyclic colorings, one vertex after the other."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from colorings import check_symmetric, has_two_colored_cycle, is_acyclic_coloring

from cases.sparse_matrices import banded, laplace, random_pattern
from sparsetrace.coloring import color_acyclic, trees

pytestmark = pytest.mark.fast


def closes_a_cycle(pattern, colors, vertex, color):
    """Whether this color is a neighbor's, or closes a two-colored cycle of colored vertices."""
    tried = colors.copy()
    tried[vertex] = color
    known = tried >= 0
    beside = pattern[vertex] & known
    beside[vertex] = False
    if (tried[beside] == color).any():
        return True
    return has_two_colored_cycle(pattern[np.ix_(known, known)], tried[known])


def test_each_vertex_gets_the_least_color_by_definition():
    rng = np.random.default_rng(0)
    for _ in range(40):
        pattern = random_pattern(rng, symmetric=True)
        order = rng.permutation(len(pattern))
        expected = np.full(len(pattern), -1)
        for vertex in order:
            color = 0
            while closes_a_cycle(pattern, expected, vertex, color):
                color += 1
            expected[vertex] = color
        result = trees.without_cycles(sp.csr_array(pattern), order)
        np.testing.assert_array_equal(result, expected)


def test_fewer_colors_are_few_enough_or_none():
    rng = np.random.default_rng(1)
    outcomes = set()
    for _ in range(60):
        pattern = random_pattern(rng, symmetric=True)
        order = rng.permutation(len(pattern))
        most = int(rng.integers(1, 6))
        colors = trees.with_fewer_colors(sp.csr_array(pattern), order, most)
        outcomes.add(colors is None)
        if colors is not None:
            assert colors.max() < most
            assert is_acyclic_coloring(pattern, colors)
    assert outcomes == {True, False}


@pytest.mark.parametrize("palette", [False, True])
def test_both_loops_give_the_same(monkeypatch, palette):
    pytest.importorskip("numba", reason="needs numba (pip install 'sparsetrace[fast]')")
    rng = np.random.default_rng(2)

    def colored(pattern, order):
        if palette:
            return trees.with_fewer_colors(pattern, order, 4)
        return trees.without_cycles(pattern, order)

    for _ in range(20):
        pattern = sp.csr_array(random_pattern(rng, symmetric=True))
        order = rng.permutation(pattern.shape[0])
        compiled = colored(pattern, order)
        with monkeypatch.context() as patch:
            patch.setattr(trees, "_compiled_loop", lambda: None)
            np.testing.assert_array_equal(colored(pattern, order), compiled)


@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_a_grid_takes_three_colors(size):
    """As few as there can be: Fertin, Godard and Raspaud 2003, "Acyclic and k-distance coloring of
    the grid"."""
    coloring = check_symmetric(laplace(size), "acyclic", "best", np.random.default_rng(0))
    assert coloring.num_colors == 3


def test_no_coloring_has_fewer_colors_than_are_possible():
    for pattern in (laplace(6), banded(20, 3), np.eye(4, dtype=bool), np.ones((5, 5), dtype=bool)):
        edges = int(np.triu(pattern, 1).sum())
        least = trees.fewest_possible(len(pattern), edges)
        assert 1 <= least <= color_acyclic(pattern).num_colors


def test_large_patterns_keep_what_is_quick(monkeypatch):
    """A band is as good by ranks; beyond a bound nothing else is tried."""

    def refused(*args):
        raise AssertionError("one vertex after the other")

    monkeypatch.setattr(trees, "_color", refused)
    monkeypatch.setattr(trees, "_compiled_loop", lambda: None)
    assert color_acyclic(banded(300, 2)).num_colors == 3
    monkeypatch.setattr("sparsetrace.coloring.symmetric._MOST_LOOPED", 100)
    assert color_acyclic(laplace(10)).num_colors == 4
