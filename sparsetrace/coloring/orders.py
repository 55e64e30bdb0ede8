"""The orders in which first fit can visit vertices.

Each is a permutation of the vertices, from cliques (see `sparsetrace.coloring.first_fit`); a
vertex's degree is the number of vertices that share a clique with it; ``largest_first`` counts
one for each clique shared, which costs less and hardly differs.  Sources: Welsh and
Powell 1967 (largest first), Matula, Marble and Isaacson 1972 (smallest last), Coleman and More
1983 (incidence degree), Gebremedhin, Manne and Pothen 2005 (all of them, and dynamic largest
first).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sparsetrace.coloring.first_fit import Ints

__all__ = [
    "ALL_ORDERS",
    "CHEAP_ORDERS",
    "FEW",
    "ORDERS",
    "SOME",
    "check_order",
    "rank_of",
    "vertex_order",
]

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
ALL_ORDERS = tuple(order for order in ORDERS if order not in ("best", "random"))
"""What ``"best"`` tries on a small pattern."""
CHEAP_ORDERS = ("natural", "largest_first")
"""What it tries on others."""
FEW = 5_000
"""Entries up to which a pattern is small."""
SOME = 100_000
"""Entries up to which several ranks of a symmetric pattern are tried."""


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


def rank_of(ordered: Ints) -> Ints:
    """The place of each vertex in an order."""
    rank = np.empty(len(ordered), dtype=np.intp)
    rank[ordered] = np.arange(len(ordered))
    return rank


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
    """Vertices as their keys say, which change as their neighbors are placed."""
    vertices, pushes = neighbors.shape[0], neighbors.shape[0] + neighbors.nnz
    degrees = np.diff(neighbors.indptr).astype(np.int64)
    keys = degrees.copy() if rule.from_degrees else np.zeros(vertices, dtype=np.int64)
    arrays = (
        neighbors.indptr.astype(np.int64),
        neighbors.indices.astype(np.int64),
        keys,
        np.full(int(degrees.max(initial=0)) + 1, -1),
        np.empty(pushes, dtype=np.int64),
        np.empty(pushes, dtype=np.int64),
        np.zeros(vertices, dtype=np.int64),
        np.empty(vertices, dtype=np.int64),
    )
    compiled = _compiled_loop()
    if compiled is not None:
        result = arrays[-1]
        compiled(*arrays, rule.step, rule.largest)
    else:
        lists: list[Any] = [
            array.tolist() for array in arrays
        ]  # much quicker than arrays, one by one
        loop: Callable[..., None] = _place
        loop(*lists, rule.step, rule.largest)
        result = np.array(lists[-1], dtype=np.int64)
    return result[::-1] if backwards else result


@cache
def _compiled_loop() -> Callable[..., None] | None:
    """The loop below, compiled by numba if that is installed (the extra ``fast``)."""
    try:
        import numba
    except ImportError:
        return None
    loop: Callable[..., None] = numba.njit(cache=True)(_place)
    return loop


def _place(
    indptr: Any,
    indices: Any,
    keys: Any,
    tops: Any,
    items: Any,
    below: Any,
    placed: Any,
    order: Any,
    step: int,
    largest: bool,
) -> None:
    """Fill `order`; all are lists of int, or arrays.

    Vertices wait in stacks, one for each key: `tops` has the place of the uppermost item, and
    `below` the place of the next one.  A vertex whose key changed leaves an item out of date.
    """
    vertices, used, current = len(keys), 0, 0
    for vertex in range(vertices - 1, -1, -1):
        key = keys[vertex]
        items[used], below[used], tops[key] = vertex, tops[key], used
        used += 1
        current = max(current, key)
    if not largest:
        current = 0
    count = 0
    while count < vertices:
        while tops[current] < 0:
            current += -1 if largest else 1
        top = tops[current]
        vertex, tops[current] = items[top], below[top]
        if placed[vertex] or keys[vertex] != current:
            continue
        placed[vertex], order[count] = 1, vertex
        count += 1
        for place in range(indptr[vertex], indptr[vertex + 1]):
            neighbor = indices[place]
            if not placed[neighbor]:
                key = keys[neighbor] + step
                keys[neighbor] = key
                items[used], below[used], tops[key] = neighbor, tops[key], used
                used += 1
        current = min(current + 1, len(tops) - 1) if largest else max(current - 1, 0)
