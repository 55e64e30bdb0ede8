"""What nodes depend on and multiply, while a graph grows, beside sets that are kept by hand."""

import numpy as np
import pytest

from sparsetrace.graph import reach as reach_module
from sparsetrace.graph.graph import Graph
from sparsetrace.graph.interactions import Contraction, interact, interact_all
from sparsetrace.graph.reach import Reach


def test_random_graphs():
    rng = np.random.default_rng(3)
    for _ in range(20):
        graph = Graph(6, second_order=True)
        old = graph.union(graph.inputs()[:3], graph.inputs()[3:])
        reach = Reach(graph)
        nodes = [*graph.inputs().tolist(), *old.tolist()]
        depends = {node: frozenset([node]) for node in nodes}
        products = {node: frozenset() for node in nodes}
        for _ in range(60):
            a, b = rng.choice(nodes, 2).tolist()
            both = depends[a] | depends[b]
            pairs = products[a] | products[b]
            match rng.integers(4):
                case 0:
                    made = graph.union_scalar(a, b)
                case 1:
                    ids = graph.union(np.array([a], np.int32), np.array([b], np.int32))
                    made = int(ids[0])
                case 2:
                    made = int(interact_all(graph, graph.union(*np.array([[a], [b]], np.int32)))[0])
                    pairs |= {frozenset((i, j)) for i in both for j in both}
                case _:
                    x, y = np.array([a], np.int32), np.array([b], np.int32)
                    made = int(interact(graph, graph.union(x, y), [(x, y)])[0])
                    pairs |= {frozenset((i, j)) for i in depends[a] for j in depends[b]}
            if made not in depends:
                nodes.append(made)
                depends[made], products[made] = both, pairs
        told = [reach.of(node) for node in nodes]
        kept = [(depends[node], products[node]) for node in nodes]
        for i in range(len(nodes)):
            for j in range(i):
                assert (told[i] == told[j]) == (kept[i] == kept[j])


def test_what_is_too_much():
    graph = Graph(4, second_order=True)
    reach = Reach(graph)
    ids = graph.inputs()
    graph.interactions.append(
        Contraction(ids[:1, None, None], ids[:1, None, None], ids[:1, None, None])
    )
    assert reach.of(2) is None


@pytest.mark.parametrize(("nodes", "pairs"), [(50, 10**6), (10**6, 50)])
def test_many_nodes_and_many_products_are_too_much(nodes, pairs, monkeypatch):
    graph = Graph(100, second_order=True)
    ids = graph.union_rows(graph.inputs()[None, :])
    made = interact_all(graph, ids)
    assert Reach(graph).of(int(made[0])) is not None
    monkeypatch.setattr(reach_module, "_MOST_NODES", nodes)
    monkeypatch.setattr(reach_module, "_MOST_PAIRS", pairs)
    younger = Graph(100, second_order=True)
    reach = Reach(younger)
    made = interact_all(younger, younger.union_rows(younger.inputs()[None, :]))
    assert reach.of(int(made[0])) is None
