"""What is kept of a trace shares no memory with it."""

from __future__ import annotations

import numpy as np

from sparsetrace.graph.graph import Graph
from sparsetrace.graph.interactions import interact
from sparsetrace.graph.kept import Kept
from sparsetrace.graph.recorded import recorded


def example(parents, indptr):
    graph = Graph(3, second_order=True)
    x = graph.inputs()
    y = graph.union_segments(indptr, x[parents])
    return recorded(graph, interact(graph, y, [(x[:2], x[1:])]))


def test_what_was_recorded_before_an_array_changed():
    parents, indptr = np.array([0, 1, 2]), np.array([0, 1, 3])
    before = example(parents, indptr)
    kept = before.copied()
    assert kept.is_same(before)
    assert kept.is_same(example(parents, indptr))
    indptr[1] = 2
    assert not kept.is_same(example(parents, indptr))
    indptr[1] = 1
    parents[:] = 2, 1, 0
    assert not kept.is_same(example(parents, indptr))


def test_what_a_flush_has_kept_counts():
    """The blocks since then may be the same."""
    graphs = [Graph(3), Graph(3)]
    for graph, source in zip(graphs, (2, 4), strict=True):
        outputs = graph.node(graph.node(graph.inputs())[1:2])
        del graph.blocks[0]
        one, row = np.array([6], np.int32), np.array([0], np.int32)
        graph.kept = Kept(8, one, row, np.array([0, 1]), np.array([source], np.int32))
    first, second = (recorded(graph, outputs) for graph in graphs)
    assert first.is_same(recorded(graphs[0], outputs).copied())
    assert not first.is_same(second)
