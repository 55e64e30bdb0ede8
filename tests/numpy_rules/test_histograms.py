"""Edges of bins, which lie between the smallest and the largest element."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_covers, numerical_jacobian_pattern

EDGES = {
    "histogram_bin_edges": lambda z: np.histogram_bin_edges(z, 4),
    "histogram2d": lambda z: np.histogram2d(z, z[::-1] * 2, 3)[1],
    "histogramdd": lambda z: np.histogramdd(z, 2)[1][0],
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", EDGES)
def test_edges_between_complex_numbers(name, local):
    """Which of them is the smallest, the real parts decide; both parts of it are in an edge."""

    def f(x):
        edges = EDGES[name](x[:3] + 1j * x[3:])
        return np.concatenate([np.real(edges), np.imag(edges)])

    x = np.array([0.7, 1.4, 0.2, 0.9, -0.3, 1.1])
    wanted = numerical_jacobian_pattern(f, x, points=1)
    assert wanted[len(wanted) // 2 :, 3:].any()
    assert_covers(st.jacobian_sparsity(f, x, local=local), wanted)
