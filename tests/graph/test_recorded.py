"""What is kept of a trace shares no memory with it."""

from __future__ import annotations

import numpy as np

from sparsetrace.graph.graph import Graph
from sparsetrace.graph.interactions import interact
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
