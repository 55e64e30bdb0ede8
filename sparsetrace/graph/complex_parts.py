"""Ids of the real or imaginary part of a complex array: one id stands for both parts.

Contract: writing one part leaves what the other part depends on.  So a write through
such a view unites the new dependencies with the old ones; copies are ordinary ids.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE, Graph, Ids

__all__ = ["PartIds", "part_of", "plain_copies"]


class PartIds(np.ndarray[Any, np.dtype[np.int32]]):
    """A view of a complex array's ids; NumPy hands the class on to views of it."""

    graph: Graph

    def __array_finalize__(self, source: Any) -> None:
        graph = getattr(source, "graph", None)
        if graph is not None:
            self.graph = graph

    def __setitem__(self, key: Any, value: Any) -> None:
        array = self.view(np.ndarray)
        old = np.asarray(array[key])
        new = np.broadcast_to(np.asarray(value, np.int32), old.shape)
        array[key] = np.maximum(self.graph.union(old, new), OPAQUE)


def part_of(graph: Graph, ids: Ids) -> Ids:
    """The ids as those of one part."""
    view = ids.view(PartIds)
    view.graph = graph
    return view


def plain_copies(ids: Ids) -> Ids:
    """Ids that own their memory, as an operation makes them, are no view of a part."""
    if isinstance(ids, PartIds) and ids.base is None:
        return ids.view(np.ndarray)
    return ids
