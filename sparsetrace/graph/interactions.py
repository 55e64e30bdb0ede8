"""What the nonlinear nodes of a graph multiply.

Contract: knows node ids and graphs, nothing of traced arrays or functions.  A Hessian entry
(i, j) needs a node that is nonlinear in two of its parents (an *interaction*), one that
depends on input i and one on input j.  `sparsetrace.graph.liveness` says which interactions
reach an output.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import array
from numpy.typing import NDArray

from sparsetrace.graph.graph import OPAQUE, Graph, Ids, lowest

__all__ = [
    "Contraction",
    "MatrixProduct",
    "Pair",
    "Products",
    "interact",
    "interact_all",
    "multiply",
]

Pair = tuple[Ids, Ids]


@dataclass(slots=True)
class Products:
    """``nodes[i]`` multiplies ``left[i]`` with ``right[i]``: arrays of one dimension."""

    nodes: Ids
    left: Ids
    right: Ids


@dataclass(slots=True)
class Contraction:
    """``out[b, i, j] = sum_k left[b, i, k] * right[b, k, j]``; batch sizes broadcast.

    Where the same outputs are live, one pair for each k serves them all: the union of
    the rows with the union of the columns.
    """

    out: Ids
    left: Ids
    right: Ids

    def pairs(self, graph: Graph, live: NDArray[np.bool_]) -> list[Pair]:
        """The pairs that live nodes multiply, as id arrays of one dimension."""
        mask = live[np.maximum(self.out, 0)]
        left, right = self.left, self.right
        if mask.all():
            rows = graph.union_rows(left.swapaxes(1, 2))
            columns = graph.union_rows(right)
            size = np.broadcast_shapes(rows.shape, columns.shape)
            both = np.broadcast_to(rows, size), np.broadcast_to(columns, size)
            return [(both[0].reshape(-1), both[1].reshape(-1))]
        if mask.shape == right.shape and left.shape == (len(mask), 1, 1):
            return [self._of_single_products(graph, mask)]
        result: list[Pair] = []
        used = np.flatnonzero(mask.any(axis=(1, 2)))
        for alike in _equal(mask[used].reshape(len(used), mask.shape[1] * mask.shape[2])):
            items = used[alike]  # whose live outputs are the same
            here = left[items] if len(left) > 1 else left
            there = right[items] if len(right) > 1 else right
            rows_live = mask[items[0]]
            for group in _equal(rows_live):
                columns_live = rows_live[group[0]]
                if columns_live.any():
                    rows = graph.union_rows(here[:, group].swapaxes(1, 2))
                    columns = graph.union_rows(there[:, :, columns_live])
                    size = np.broadcast_shapes(rows.shape, columns.shape)
                    both = np.broadcast_to(rows, size), np.broadcast_to(columns, size)
                    result.append((both[0].reshape(-1), both[1].reshape(-1)))
        return result

    def _of_single_products(self, graph: Graph, mask: NDArray[np.bool_]) -> Pair:
        """``out[b, j] = left[b] * right[b, j]``: one left factor with all right ones in use."""
        used = mask[:, 0] & (self.right[:, 0] > OPAQUE)
        some = used.any(axis=1)
        indptr = np.append(0, np.cumsum(np.count_nonzero(used[some], axis=1)))
        return self.left[some, 0, 0], graph.union_segments(indptr, self.right[:, 0][used])


def _equal(rows: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Which rows of truth values are equal."""
    if not len(rows):
        return []
    packed = np.packbits(rows, axis=1)
    _, group = np.unique(packed, axis=0, return_inverse=True)
    order = np.argsort(group.reshape(-1), kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group.reshape(-1)[order])) + 1)


@dataclass(slots=True)
class MatrixProduct(Contraction):
    """A contraction whose outputs depend on both factors of all that they multiply."""


# ------------------------------------------------------------------- recording
def interact_all(graph: Graph, ids: Ids, since: int | None = None) -> Ids:
    """`ids` as nodes that are nonlinear in everything they depend on, jointly.

    Parameters
    ----------
    graph : Graph
        One of first order gives the ids back as they are.
    ids : ndarray of int32
    since : int, optional
        Nodes from this one on were made by the same call and serve themselves.

    Examples
    --------
    >>> from sparsetrace.graph.liveness import live_pairs
    >>> g = Graph(2, second_order=True)
    >>> y = interact_all(g, g.inputs())
    >>> live_pairs(g, y[:1])
    [(array([4], dtype=int32), array([4], dtype=int32))]
    """
    if not graph.second_order:
        return ids
    made = _own_nodes(graph, ids, since, None)
    nodes = made.reshape(-1)
    if not graph.pure:
        nodes = nodes[nodes > OPAQUE]
    if nodes.size:
        nodes = array(nodes)
        graph.interactions.append(Products(nodes, nodes, nodes))
    return made


def interact(
    graph: Graph, ids: Ids, pairs: Sequence[Pair], since: int | None = None, *, cut: bool = False
) -> Ids:
    """`ids` as nodes that multiply, element by element, the nodes of each pair.

    Parameters
    ----------
    graph : Graph
        Of second order.
    ids : ndarray of int32
    pairs : sequence of (ndarray, ndarray)
        Id arrays that broadcast to the shape of `ids`.
    since : int, optional
        Nodes from this one on were made by the same call and serve themselves.
    cut : bool
        Whether an element without first-order dependencies may multiply something:
        ``x ** 2`` at 0, in a local trace.

    Examples
    --------
    >>> from sparsetrace.graph.liveness import live_pairs
    >>> g = Graph(2, second_order=True)
    >>> x = g.inputs()
    >>> y = interact(g, x[:1], [(x[:1], x[1:])])
    >>> [(a.tolist(), b.tolist()) for a, b in live_pairs(g, y)]
    [([2], [3])]
    """
    shape = ids.shape
    if not ids.size:
        return ids
    flattened = [(_flat(a, shape), _flat(b, shape)) for a, b in pairs]
    meets = [_meeting(graph, a, b) for a, b in flattened]
    some = [m is None or bool(m.any()) for m in meets]
    if not any(some):
        return ids
    met = [m for m in meets if m is not None]
    if not cut:
        made = _own_nodes(graph, ids, since, None)
    elif len(met) < len(meets):  # each element multiplies something
        made = _own_nodes(graph, ids, since, np.True_)
    else:
        made = _own_nodes(graph, ids, since, np.any(met, axis=0).reshape(shape))
    nodes = array(made.reshape(-1))
    for (left, right), meet, any_ in zip(flattened, meets, some, strict=True):
        if meet is None or meet.all():
            graph.interactions.append(Products(nodes, left, right))
        elif any_:
            graph.interactions.append(Products(nodes[meet], left[meet], right[meet]))
    return made


def multiply(graph: Graph, out: Ids, left: Ids, right: Ids, since: int | None = None) -> Ids:
    """``out[b, i, j]`` as nodes that multiply ``left[b, i, k]`` with ``right[b, k, j]``.

    Unless the graph is local, `out` has to depend on both factors of each product of two
    factors that depend on anything.

    Examples
    --------
    >>> from sparsetrace.graph.liveness import live_pairs
    >>> g = Graph(4, second_order=True)
    >>> x = g.inputs().reshape(1, 2, 2)
    >>> y = multiply(g, g.union(x[:, :, :1], x[:, :1]), x[:, :, :1], x[:, :1])
    >>> [(a.tolist(), b.tolist()) for a, b in live_pairs(g, y[0, 1, :1])]
    [([4], [2])]
    """
    needed = None
    if graph.local:  # a pair may be there although both first derivatives vanish
        rows = np.asarray((left > OPAQUE).any(axis=1))
        needed = np.broadcast_to(np.matmul(rows[:, None], right > OPAQUE), out.shape)
    made = _own_nodes(graph, out, since, needed)
    kind = Contraction if graph.local else MatrixProduct
    graph.interactions.append(kind(array(made), array(left), array(right)))
    return made


def _meeting(graph: Graph, left: Ids, right: Ids) -> NDArray[np.bool_] | None:
    """Where both factors depend on something; None where all do."""
    if graph.pure or (lowest(left) > OPAQUE and lowest(right) > OPAQUE):
        return None
    return np.asarray((left > OPAQUE) & (right > OPAQUE))


def _flat(ids: Ids, shape: tuple[int, ...]) -> Ids:
    """A private copy, broadcast, in one dimension."""
    return ids.flatten() if ids.shape == shape else np.broadcast_to(ids, shape).flatten()


def _own_nodes(
    graph: Graph, ids: Ids, since: int | None, needed: NDArray[np.bool_] | np.bool_ | None
) -> Ids:
    """`ids` as nodes that nothing else shares; constants stay unless `needed`."""
    if since is not None and ids.size:
        nodes = ids.ravel("K")
        first = int(nodes[0])
        spans = first >= since and int(nodes[-1]) - first == len(nodes) - 1
        if spans and (len(nodes) < 3 or bool((nodes[1:] - nodes[:-1] == 1).all())):
            return ids
    if graph.pure or (ids.size and lowest(ids) > OPAQUE):
        return graph.node(ids)
    free = ids <= OPAQUE
    if needed is not None:
        free &= ~needed
    if not free.any():
        return graph.node(ids)
    if free.all():
        return ids
    return np.where(free, ids, graph.node(ids))
