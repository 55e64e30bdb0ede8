"""The orders in which first fit can visit vertices.

Each is a permutation of the vertices, from cliques (see `sparsetrace.coloring.first_fit`); a
vertex's degree is the number of vertices that share a clique with it; ``largest_first`` counts
one for each clique shared, which costs less and hardly differs.  Sources: Welsh and
Powell 1967 (largest first), Matula, Marble and Isaacson 1972 (smallest last), Coleman and More
1983 (incidence degree), Gebremedhin, Manne and Pothen 2005 (all of them, and dynamic largest
first).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sparsetrace.coloring.first_fit import Ints

__all__ = ["ORDERS", "check_order", "vertex_order"]

_MOST_NEIGHBORS = 50
"""Neighbors are written out for at most so many times the entries; the longest cliques, which
say nearly the same of each of their vertices, are left out of the degrees above that."""


class _Dynamic(NamedTuple):
    """An order in which the next vertex depends on those before it."""

    from_degrees: bool
    """Whether keys are degrees at first, or 0."""
    step: int
    """What a vertex's key gains when a neighbor is placed."""
    largest: bool
    """Whether the largest key is placed next, or the smallest."""


_DYNAMIC = {
    "smallest_last": _Dynamic(from_degrees=True, step=-1, largest=False),
    "incidence_degree": _Dynamic(from_degrees=False, step=1, largest=True),
    "dynamic_largest_first": _Dynamic(from_degrees=True, step=-1, largest=True),
}

ORDERS = ("best", "natural", "largest_first", *_DYNAMIC, "random")
"""What ``order=`` takes."""


def check_order(order: str) -> None:
    """Refuse what is no order.

    Raises
    ------
    ValueError
        With the orders that there are.
    """
    if order not in ORDERS:
        raise ValueError(f"order={order!r} is none of {', '.join(ORDERS)}")


def vertex_order(cliques: csr_array, order: str, seed: int | None = None) -> Ints:
    """All vertices in an order that is not ``"best"``; of equals the first stays first."""
    vertices = cliques.shape[1]
    if order == "natural":
        return np.arange(vertices)
    if order == "random":
        return np.random.default_rng(seed).permutation(vertices)
    if order == "largest_first":
        shared = (np.diff(cliques.indptr) - 1).astype(np.float64)
        degrees = np.bincount(
            cliques.indices, weights=np.repeat(shared, np.diff(cliques.indptr)), minlength=vertices
        )
        return np.argsort(-degrees, kind="stable")
    neighbors = _neighbors(cliques)
    return _dynamic_order(neighbors, _DYNAMIC[order], backwards=order == "smallest_last")


def _neighbors(cliques: csr_array) -> csr_array:
    """The graph: vertices that share a clique."""
    sizes = np.diff(cliques.indptr).astype(np.int64)
    budget = _MOST_NEIGHBORS * cliques.nnz + 10**6
    by_size = np.argsort(sizes, kind="stable")
    kept = by_size[np.cumsum(sizes[by_size] ** 2) <= budget]
    if len(kept) < len(sizes):
        cliques = cliques[np.sort(kept)]
    entries = csr_array(
        (np.ones(cliques.nnz, dtype=np.bool_), cliques.indices, cliques.indptr),
        shape=cliques.shape,
    )
    graph = (entries.T @ entries).tocsr()
    graph.setdiag(False)
    graph.eliminate_zeros()
    return graph


def _dynamic_order(neighbors: csr_array, rule: _Dynamic, *, backwards: bool) -> Ints:
    """Vertices as their keys say, which change as their neighbors are placed.

    Vertices wait in buckets by their keys; one that moved leaves an entry that is out of date.
    """
    vertices = neighbors.shape[0]
    indptr, indices = neighbors.indptr.tolist(), neighbors.indices.tolist()
    degrees = np.diff(neighbors.indptr).tolist()
    keys: list[int] = list(degrees) if rule.from_degrees else [0] * vertices
    buckets: list[list[int]] = [[] for _ in range(max(degrees, default=0) + 1)]
    for vertex in range(vertices - 1, -1, -1):
        buckets[keys[vertex]].append(vertex)
    next_key = max(keys, default=0) if rule.largest else min(keys, default=0)
    placed = [False] * vertices
    order: list[int] = []
    while len(order) < vertices:
        while not buckets[next_key]:
            next_key += -1 if rule.largest else 1
        vertex = buckets[next_key].pop()
        if placed[vertex] or keys[vertex] != next_key:
            continue
        placed[vertex] = True
        order.append(vertex)
        for neighbor in indices[indptr[vertex] : indptr[vertex + 1]]:
            if not placed[neighbor]:
                keys[neighbor] += rule.step
                buckets[keys[neighbor]].append(neighbor)
        next_key = min(next_key + 1, len(buckets) - 1) if rule.largest else max(next_key - 1, 0)
    result = np.array(order, dtype=np.intp)
    return result[::-1] if backwards else result
