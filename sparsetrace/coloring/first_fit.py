"""Greedy coloring, one vertex after the other: each gets the least color that is still free.

Contract: what must differ is given by *cliques*, the rows of a sparse array with one column
a vertex: no two vertices of a row get the same color.  First fit depends on the order of the
vertices alone, whichever loop computes it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

__all__ = ["Ints", "first_fit", "recolored", "rounds_for"]

Ints = NDArray[Any]
"""Whole numbers: colors, ids of vertices, index arrays."""

_MOST_VISITS = 10**8
"""SciPy's loop visits each vertex once a color; from so many visits on, sets are quicker."""


def first_fit(cliques: csr_array, order: Ints | None = None) -> Ints:
    """The color of each vertex, from 0 on.

    SciPy's compiled loop collects one color at a time: the greedy largest set of vertices that
    share no clique, in their order.  That is first fit.

    Parameters
    ----------
    cliques : csr_array of shape (cliques, vertices)
        Vertices that must differ from each other.
    order : array of int, optional
        All vertices, first to last; natural if None.
    """
    return _first_fit(cliques.tocsc(), _longest(cliques), order)


def recolored(cliques: csr_array, colors: Ints, rounds: int) -> Ints:
    """A coloring with at most as many colors, by first fit over whole colors at a time.

    First fit in an order that keeps vertices of one color together never needs more colors than
    there were (Culberson 1992, "Iterated greedy graph coloring and the difficulty landscape").
    """
    least = _longest(cliques)
    by_vertex = cliques.tocsc()
    shuffle = np.random.default_rng(0)
    for round_ in range(rounds):
        count = int(colors.max(initial=0)) + 1
        if count <= least:
            break
        if round_ % 3 == 0:
            rank = -np.arange(count)
        elif round_ % 3 == 1:
            rank = np.argsort(np.argsort(np.bincount(colors), kind="stable"))
        else:
            rank = shuffle.permutation(count)
        colors = _first_fit(by_vertex, least, np.argsort(rank[colors], kind="stable"))
    return colors


def rounds_for(cliques: csr_array) -> int:
    """How often a coloring is improved: what costs little beside the coloring itself."""
    return 6 if cliques.nnz <= 10**6 else 3 if cliques.nnz <= 10**7 else 0


@cache
def compiled_loop() -> Callable[..., Any] | None:
    """SciPy's loop, which is not public, if it is where it was."""
    try:  # when it is needed: it brings all of scipy.optimize
        from scipy.optimize._group_columns import group_sparse
    except ImportError:
        return None
    loop: Callable[..., Any] = group_sparse
    return loop


def _longest(cliques: csr_array) -> int:
    """A bound from below: the vertices of a clique all differ."""
    return int(np.diff(cliques.indptr).max(initial=1))


def _first_fit(by_vertex: csc_array, least: int, order: Ints | None) -> Ints:
    num_cliques, vertices = by_vertex.shape
    if order is not None:
        by_vertex = _columns(by_vertex, order)
    group_sparse = compiled_loop()
    if group_sparse is None or least * vertices > _MOST_VISITS:
        colors = _first_fit_by_sets(by_vertex)
    else:
        indices, indptr = _same_dtype(by_vertex.indices, by_vertex.indptr)
        colors = np.asarray(group_sparse(num_cliques, vertices, indices, indptr), dtype=np.intp)
    if order is None:
        return colors
    result = np.empty_like(colors)
    result[order] = colors
    return result


def _columns(by_vertex: csc_array, order: Ints) -> csc_array:
    """The columns in another order, without SciPy's checks of an index array."""
    sizes = np.diff(by_vertex.indptr)[order]
    indptr = np.zeros(len(order) + 1, dtype=by_vertex.indptr.dtype)
    np.cumsum(sizes, out=indptr[1:])
    places = np.repeat(by_vertex.indptr[:-1][order] - indptr[:-1], sizes)
    places += np.arange(len(places), dtype=places.dtype)
    return csc_array((by_vertex.data, by_vertex.indices[places], indptr), shape=by_vertex.shape)


def _same_dtype(indices: Ints, indptr: Ints) -> tuple[Ints, Ints]:
    dtype = np.result_type(indices, indptr)
    return indices.astype(dtype, copy=False), indptr.astype(dtype, copy=False)


def _first_fit_by_sets(by_vertex: csc_array) -> Ints:
    """First fit in time of the number of entries, where there are about as many colors as vertices.

    Each clique keeps its colors and the least color that it lacks.
    """
    taken: list[set[int]] = [set() for _ in range(by_vertex.shape[0])]
    least = [0] * by_vertex.shape[0]
    indices, indptr = by_vertex.indices.tolist(), by_vertex.indptr.tolist()
    colors = np.zeros(by_vertex.shape[1], dtype=np.intp)
    for vertex in range(by_vertex.shape[1]):
        members = indices[indptr[vertex] : indptr[vertex + 1]]
        color = max([least[clique] for clique in members], default=0)
        while any(color in taken[clique] for clique in members):
            color += 1
        colors[vertex] = color
        for clique in members:
            taken[clique].add(color)
            while least[clique] in taken[clique]:
                least[clique] += 1
    return colors
