"""From the graph to index sets, for the nodes that an output needs and no others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from sparsetrace.errors import InputError
from sparsetrace.graph import Graph, Ids
from sparsetrace.simplify import simplify
from sparsetrace.stores import STORES
from sparsetrace.stores.roaring import bitmaps

__all__ = ["index_sets", "propagate"]


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
    indptr, indices = solve(simplify(graph, outputs))
    if len(indices) <= np.iinfo(np.int32).max:
        # SciPy wants both of one type, and the indices are the longer ones
        indptr = indptr.astype(np.int32, copy=False)
    return indptr, indices


def index_sets(graph: Graph, ids: Ids) -> list[BitMap]:
    """A bitmap of input indices for each id (one dimension, or one id)."""
    return bitmaps(simplify(graph, np.atleast_1d(ids)))
