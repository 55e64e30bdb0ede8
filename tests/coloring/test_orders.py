"""The orders of vertices, in both loops and by definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from cases.sparse_matrices import random_pattern
from sparsetrace.coloring import orders

pytestmark = pytest.mark.fast


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
