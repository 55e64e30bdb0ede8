"""Graphs of networkx hold the user's numbers; its own code is a library's.

Runs where networkx is installed: ``pip install networkx``.
"""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern, numerical_jacobian_pattern

nx = pytest.importorskip("networkx", reason="needs networkx (pip install networkx)")
START = np.linspace(0.5, 1.5, 4)


def path_graph():
    graph = nx.path_graph(4)
    for i in graph:
        graph.nodes[i]["v"] = 0.0
    return graph


def written_at_nodes_and_edges(graph, x):
    for i in graph:
        graph.nodes[i]["v"] = x[i] ** 2
    for i, j in graph.edges:
        graph.edges[i, j]["w"] = graph.nodes[i]["v"] * x[j]
    return np.array([sum(edge["w"] for *_, edge in graph.edges(i, data=True)) for i in graph])


def weights_of_a_path(graph, x):
    graph.add_edge(0, 1, weight=x[0])
    graph.add_edge(1, 2, weight=x[1] * x[2])
    return np.array([nx.path_weight(graph, [0, 1, 2], "weight")])


def shortest_path(graph, x):
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, x[0] ** 2), (1, 2, x[1] ** 2), (0, 2, x[2] ** 2)])
    return np.array([nx.shortest_path_length(graph, 0, 2, "weight")])


def as_a_matrix(graph, x):
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, x[0]), (1, 2, x[1])])
    return nx.to_numpy_array(graph) @ x[:3]


@pytest.mark.parametrize(
    "f", [written_at_nodes_and_edges, weights_of_a_path, shortest_path, as_a_matrix]
)
def test_graphs(f):
    graph = path_graph()

    def plain(x):
        return f(path_graph(), x)

    wanted = numerical_jacobian_pattern(plain, START, points=40, low=0.2, high=2.0)
    assert_same_pattern(st.jacobian_sparsity(lambda x: f(graph, x), START), wanted)
    assert nx.utils.graphs_equal(graph, path_graph())
