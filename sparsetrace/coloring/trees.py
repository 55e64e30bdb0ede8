"""Acyclic coloring: one vertex after the other, beside the trees that two colors make.

Contract: no cycle of the adjacency graph has two colors.  Which loop computes the colors, compiled
or not, makes no difference.

Source: Gebremedhin, Tarafdar, Manne and Pothen 2007, "New acyclic and star coloring algorithms
with application to computing Hessians", algorithm 3.1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sparsetrace.coloring.first_fit import Ints

__all__ = ["fewest_possible", "with_fewer_colors", "without_cycles"]


def fewest_possible(vertices: int, edges: int) -> int:
    """Fewer colors than these make no acyclic coloring.

    With k colors each vertex is in k - 1 of the two-colored forests, and a forest has fewer edges
    than vertices.
    """
    return 1 + -(-edges // vertices) if edges else min(vertices, 1)


def without_cycles(pattern: csr_array, order: Ints) -> Ints:
    """The colors of all vertices: each gets the least one that closes no cycle.

    Parameters
    ----------
    pattern : csr_array
        Symmetric; the diagonal is of no account.
    order : array of int
        All vertices, first to last.
    """
    colors = _colored(pattern, order, -1)
    assert colors is not None
    return colors


def with_fewer_colors(pattern: csr_array, order: Ints, most: int) -> Ints | None:
    """Colors of which there are at most so many, or None.

    Of the colors that close no cycle a vertex gets the one that is rarest among its neighbors'
    neighbors.  On a regular grid that leads to long, thin trees, which leave room for others.
    """
    return _colored(pattern, order, min(most, pattern.shape[0]))


def _colored(pattern: csr_array, order: Ints, palette: int) -> Ints | None:
    """By the loop below; -1 for as many colors as are needed."""
    n, nnz = pattern.shape[0], pattern.nnz
    arrays = (
        pattern.indptr.astype(np.int64),
        pattern.indices.astype(np.int64),
        np.asarray(order, dtype=np.int64),
        np.full(n, -1),
        np.full(n, -1),
        np.zeros(nnz, dtype=np.int64),
        np.zeros(nnz, dtype=np.int64),
        np.zeros(nnz, dtype=np.int64),
        np.full(nnz, -1),
        np.full(n + 2, -1),
        np.zeros(n + 2, dtype=np.int64),
    )
    compiled = _compiled_loop()
    if compiled is not None:
        fits = compiled(*arrays, palette)
        colors = arrays[3]
    else:
        lists: list[Any] = [array.tolist() for array in arrays]
        loop: Callable[..., bool] = _color
        fits = loop(*lists, palette)
        colors = np.array(lists[3], dtype=np.int64)
    return colors if fits else None


@cache
def _compiled_loop() -> Callable[..., bool] | None:
    """The loop below, compiled by numba if that is installed (the extra ``fast``)."""
    try:
        import numba
    except ImportError:
        return None
    loop: Callable[..., bool] = numba.njit(cache=True)(_color)
    return loop


def _color(
    indptr: Any,
    indices: Any,
    order: Any,
    colors: Any,
    first: Any,
    following: Any,
    other_color: Any,
    parent: Any,
    met_by: Any,
    forbidden_for: Any,
    nearby: Any,
    palette: int,
) -> bool:
    """Fill `colors`; all are lists of int, or arrays.

    A vertex has one node for each color that its neighbors have: from `first` on, the ones
    `following`, each with that `other_color`.  The nodes of a two-colored tree are joined by
    `parent`.  A vertex that meets a tree from two of its neighbors would close a cycle, if it had
    the tree's other color.
    """
    nodes = 0
    for vertex in order:
        start, stop = indptr[vertex], indptr[vertex + 1]
        for place in range(start, stop):
            neighbor = indices[place]
            if neighbor != vertex and colors[neighbor] >= 0:
                forbidden_for[colors[neighbor]] = vertex
        for place in range(start, stop):
            neighbor = indices[place]
            if neighbor == vertex or colors[neighbor] < 0:
                continue
            node = first[neighbor]
            while node >= 0:
                color = other_color[node]
                nearby[color] += 1
                if forbidden_for[color] != vertex:
                    root = node
                    while parent[root] != root:
                        parent[root] = parent[parent[root]]
                        root = parent[root]
                    if met_by[root] == vertex:
                        forbidden_for[color] = vertex
                    met_by[root] = vertex
                node = following[node]
        chosen = 0
        while forbidden_for[chosen] == vertex:
            chosen += 1
        if palette >= 0:
            if chosen >= palette:
                return False
            for color in range(chosen + 1, palette):
                if forbidden_for[color] != vertex and nearby[color] < nearby[chosen]:
                    chosen = color
        colors[vertex] = chosen
        for place in range(start, stop):
            neighbor = indices[place]
            if neighbor == vertex or colors[neighbor] < 0:
                continue
            node = first[neighbor]
            while node >= 0:
                nearby[other_color[node]] = 0
                node = following[node]
            # the edge's two nodes: the neighbor's for this color, and this vertex's for its color
            node = first[neighbor]
            while node >= 0 and other_color[node] != chosen:
                node = following[node]
            if node < 0:
                node = nodes
                nodes += 1
                other_color[node], following[node], parent[node] = chosen, first[neighbor], node
                first[neighbor] = node
            own = first[vertex]
            while own >= 0 and other_color[own] != colors[neighbor]:
                own = following[own]
            while parent[node] != node:
                node = parent[node]
            if own < 0:
                own = nodes
                nodes += 1
                other_color[own], following[own] = colors[neighbor], first[vertex]
                first[vertex], parent[own] = own, node
            else:
                while parent[own] != own:
                    own = parent[own]
                parent[own] = node
    return True
