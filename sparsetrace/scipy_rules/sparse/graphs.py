"""``scipy.sparse.csgraph``: lengths of shortest ways, trees and parts of graphs.

Contract: a length depends on all weights; which nodes a way visits, and which edges a tree has,
has no derivative.  An edge that is chosen keeps its own weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.operands.operands import is_sparse_traced, values_of
from sparsetrace.scipy_rules.rule_tools import Call, array_of, constant, current, makes_objects
from sparsetrace.scipy_rules.whole import ranked, whole, with_data

shortest_path = dijkstra = floyd_warshall = bellman_ford = johnson = whole
min_weight_full_bipartite_matching = ranked


def connected_components(call, csgraph, directed, connection, return_labels):
    """The parts of a sparse graph follow from its structure, those of a dense one from values."""
    options = (directed, connection, return_labels)
    if is_sparse_traced(csgraph):
        return call.plainly(_of_ones(csgraph), *options)
    return ranked(call, csgraph, *options)


def _of_ones(graph) -> Any:
    """The structure of a sparse graph, or all edges of a dense one."""
    if not is_sparse_traced(graph):
        return np.ones(array_of(graph).shape)
    plain = with_data(graph)._parts.structure.astype(float)
    plain.data = np.ones(plain.data.shape)
    return plain


def _chosen(call: Call, graph, *args, known: bool) -> Any:
    """Those edges of a graph that SciPy takes, with their own weights.

    ``f([[{}, {0}], [{1}, {}]])  ->  [[{}, {0}], [{}, {}]]``

    Parameters
    ----------
    known : bool
        Whether they are the same for all weights.
    """
    local = current().local
    if not (local or known):
        call.refuse(
            "which edges it takes depends on the weights",
            "Take a pattern at a point with local=True.",
        )
    found = call.plainly(values_of(graph) if local else _of_ones(graph), *args)
    every = graph.toarray() if scipy.sparse.issparse(graph) else array_of(graph)
    weights = every[found.tocoo().coords]
    if local and not np.array_equal(values_of(weights), found.data):
        call.refuse("there are several weights of an edge", "Give one, and directed=True.")
    return type(found)((weights, found.indices, found.indptr), shape=found.shape)


@makes_objects
def minimum_spanning_tree(call, csgraph, overwrite):
    if constant(call, overwrite, "overwrite"):
        call.refuse("overwrite=True has no rule", "Leave it out.")
    return _chosen(call, csgraph, known=False)


@makes_objects
def breadth_first_tree(call, csgraph, i_start, directed):
    known = is_sparse_traced(csgraph) and bool(directed)
    return _chosen(call, csgraph, i_start, directed, known=known)


depth_first_tree = breadth_first_tree


@makes_objects
def reconstruct_path(call, csgraph, predecessors, directed):
    constant(call, predecessors, "a predecessor")
    return _chosen(call, csgraph, predecessors, directed, known=bool(directed))


@makes_objects
def csgraph_from_dense(call, graph, null_value, nan_null, infinity_null):
    if constant(call, null_value, "the weight of no edge") != 0:
        call.refuse("another weight than 0 of no edge has no rule", "Write 0 in its place.")
    if current().local:
        return _chosen(call, graph, null_value, nan_null, infinity_null, known=True)
    return type(call.plainly(np.eye(2)))(array_of(graph))


def csgraph_to_dense(call, csgraph, null_value):
    """Places without an edge have the null value."""
    null = constant(call, null_value, "the weight of no edge")
    edges = _of_ones(csgraph).toarray()
    if (edges > 1).any():
        call.refuse("there are several weights of an edge", "Call A.sum_duplicates() before.")
    return np.where(edges > 0, csgraph.toarray(), null)
