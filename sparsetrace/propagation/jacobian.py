"""From the graph to the patterns of outputs, for the nodes that an output needs and no others.

Contract: the graph is simplified (`sparsetrace.passes`), a store solves the program, and the
answer is the same whichever store it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from sparsetrace.errors import InputError
from sparsetrace.graph.graph import Graph, Ids
from sparsetrace.passes.simplify import simplify
from sparsetrace.propagation.jacobian_stores import STORES
from sparsetrace.propagation.jacobian_stores.roaring import bitmaps
from sparsetrace.propagation.jacobian_stores.sizes import explained_memory

__all__ = ["index_sets", "narrow", "propagate", "united"]


def propagate(
    graph: Graph, outputs: Ids, store: str = "auto"
) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Patterns of `outputs` (one dimension) as CSR index arrays, by the store named.

    Examples
    --------
    >>> g = Graph(3)
    >>> x = g.inputs()
    >>> indptr, indices = propagate(g, g.union(x[1:], x[:-1]), "roaring")
    >>> indices.tolist()
    [0, 1, 1, 2]
    """
    solve = STORES.get(store)
    if solve is None:
        raise InputError(f"store={store!r}: choose one of {', '.join(map(repr, STORES))}")
    with explained_memory(len(outputs), graph.n_inputs):
        indptr, indices = solve(simplify(graph, outputs))
    return narrow(indptr, indices)


def united(
    patterns: list[tuple[NDArray[np.integer], NDArray[np.integer]]], n: int
) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """The union of CSR patterns of one shape with `n` columns.

    Examples
    --------
    >>> left = np.array([0, 1, 2]), np.array([0, 1])
    >>> right = np.array([0, 1, 1]), np.array([1])
    >>> [array.tolist() for array in united([left, right], 2)]
    [[0, 2, 3], [0, 1, 1]]
    """
    m = len(patterns[0][0]) - 1
    keys = [
        np.repeat(np.arange(m, dtype=np.int64) * n, np.diff(indptr)) + indices
        for indptr, indices in patterns
    ]
    key = np.sort(np.concatenate(keys))
    key = key[np.diff(key, prepend=-1) > 0]
    row = key // max(n, 1)
    indptr = np.zeros(m + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=m), out=indptr[1:])
    return narrow(indptr, (key - row * n).astype(np.int32))


def narrow(
    indptr: NDArray[np.integer], indices: NDArray[np.integer]
) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """SciPy wants both of one type; the indices are the longer ones."""
    if len(indices) <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32, copy=False)
    return indptr, indices


def index_sets(graph: Graph, ids: Ids) -> list[BitMap]:
    """A bitmap of input indices for each id (one dimension, or one id)."""
    return bitmaps(simplify(graph, np.atleast_1d(ids)))
