"""What the nonlinear nodes of a graph multiply, and which of that reaches an output.

Contract: knows node ids and graphs, nothing of traced arrays or functions.  A Hessian entry
(i, j) needs a node that is nonlinear in two of its parents (an *interaction*), one that
depends on input i and one on input j, and a way from that node to the output through
non-zero first derivatives: then the node is *live*.  So only first-order patterns are
propagated, and the Hessian is the union of products of the patterns of live interactions;
that is as tight as keeping a Hessian pattern for every number, since both follow the
second-order chain rule::

    y = f(u, v):  y'' = f_u u'' + f_v v'' + f_uu u'u' + f_uv (u'v' + v'u') + f_vv v'v'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import array, zeros
from numpy.typing import NDArray

from sparsetrace.graph.graph import OPAQUE, Columns, Graph, Ids, Rows

__all__ = [
    "Contraction",
    "Interaction",
    "Products",
    "interact",
    "interact_all",
    "live_nodes",
    "live_pairs",
    "multiply",
]

_LONG = 2**14
"""From this length on it pays to look whether ids count up by one."""

Live = NDArray[np.bool_]
Pair = tuple[Ids, Ids]


class Interaction(Protocol):
    """Pairs of nodes that are multiplied with each other."""

    def pairs(self, graph: Graph, live: Live) -> list[Pair]:
        """The pairs that a live node multiplies, as id arrays of one dimension."""


@dataclass(slots=True)
class Products:
    """``nodes[i]`` multiplies ``left[i]`` with ``right[i]``: arrays of one dimension."""

    nodes: Ids
    left: Ids
    right: Ids

    def pairs(self, graph: Graph, live: Live) -> list[Pair]:
        keep = live[self.nodes]
        if keep.all():
            return [(self.left, self.right)]
        left = self.left[keep]
        return [(left, left if self.right is self.left else self.right[keep])]


@dataclass(slots=True)
class Contraction:
    """``out[b, i, j] = sum_k left[b, i, k] * right[b, k, j]``; batch sizes broadcast.

    Where the same outputs are live, one pair for each k serves them all: the union of
    the rows with the union of the columns.
    """

    out: Ids
    left: Ids
    right: Ids

    def pairs(self, graph: Graph, live: Live) -> list[Pair]:
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
        for b in np.flatnonzero(mask.any(axis=(1, 2))).tolist():
            here, there = left[b if len(left) > 1 else 0], right[b if len(right) > 1 else 0]
            packed = np.packbits(mask[b], axis=1)
            _, first, group = np.unique(packed, axis=0, return_index=True, return_inverse=True)
            group = group.reshape(-1)
            for number, row in enumerate(first.tolist()):
                columns_live = mask[b, row]
                if columns_live.any():
                    rows = graph.union_rows(here[group == number].T)
                    columns = graph.union_rows(there[:, columns_live])
                    result.append((rows, columns))
        return result

    def _of_single_products(self, graph: Graph, mask: Live) -> Pair:
        """``out[b, j] = left[b] * right[b, j]``: one left factor with all right ones in use."""
        used = mask[:, 0] & (self.right[:, 0] > OPAQUE)
        some = used.any(axis=1)
        indptr = np.append(0, np.cumsum(np.count_nonzero(used[some], axis=1)))
        return self.left[some, 0, 0], graph.union_segments(indptr, self.right[:, 0][used])


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
    >>> g = Graph(2, second_order=True)
    >>> x = g.inputs()
    >>> y = interact(g, x[:1], [(x[:1], x[1:])])
    >>> [(a.tolist(), b.tolist()) for a, b in live_pairs(g, y)]
    [([2], [3])]
    """
    shape = ids.shape
    flattened = [(_flat(a, shape), _flat(b, shape)) for a, b in pairs]
    meets: list[NDArray[np.bool_] | None] = [
        None if graph.pure else (a > OPAQUE) & (b > OPAQUE) for a, b in flattened
    ]
    some = [m is None or bool(np.any(m)) for m in meets]
    if not ids.size or not any(some):
        return ids
    needed = None
    if cut:
        met = [m for m in meets if m is not None]
        needed = np.any(met, axis=0).reshape(shape)
    made = _own_nodes(graph, ids, since, needed)
    nodes = array(made.reshape(-1))
    for (left, right), meet, any_ in zip(flattened, meets, some, strict=True):
        if meet is None or meet.all():
            graph.interactions.append(Products(nodes, left, right))
        elif any_:
            graph.interactions.append(Products(nodes[meet], left[meet], right[meet]))
    return made


def multiply(graph: Graph, out: Ids, left: Ids, right: Ids, since: int | None = None) -> Ids:
    """``out[b, i, j]`` as nodes that multiply ``left[b, i, k]`` with ``right[b, k, j]``.

    Examples
    --------
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
    graph.interactions.append(Contraction(array(made), array(left), array(right)))
    return made


def _flat(ids: Ids, shape: tuple[int, ...]) -> Ids:
    """A private copy, broadcast, in one dimension."""
    return ids.flatten() if ids.shape == shape else np.broadcast_to(ids, shape).flatten()


def _own_nodes(graph: Graph, ids: Ids, since: int | None, needed: NDArray[np.bool_] | None) -> Ids:
    """`ids` as nodes that nothing else shares; constants stay unless `needed`."""
    if since is not None and ids.size and not graph.local:
        nodes = ids.ravel("K")
        first = int(nodes[0])
        spans = first >= since and int(nodes[-1]) - first == len(nodes) - 1
        if spans and (len(nodes) < 3 or bool((nodes[1:] - nodes[:-1] == 1).all())):
            return ids
    if graph.pure:
        return graph.node(ids)
    free = ids <= OPAQUE
    if needed is not None:
        free &= ~needed
    if not free.any():
        return graph.node(ids)
    if free.all():
        return ids
    return np.where(free, ids, graph.node(ids))


# --------------------------------------------------------------------- liveness
def live_nodes(graph: Graph, outputs: Ids) -> Live:
    """Which nodes reach one of `outputs` through non-zero first derivatives.

    Examples
    --------
    >>> g = Graph(2, second_order=True)
    >>> x = g.inputs()
    >>> y, z = g.node(x), g.node(x)
    >>> live_nodes(g, g.node(y)[:1]).nonzero()[0].tolist()
    [2, 4, 8]
    """
    blocks = graph.finish()
    live = zeros(graph.size, bool)
    live[outputs[outputs > OPAQUE]] = True
    for block in reversed(blocks):
        mask = live[block.base : block.base + block.size]
        every = bool(mask.all())
        if not every and not mask.any():
            continue
        if isinstance(block, Columns):
            at = None if every else np.flatnonzero(mask)
            for column in block.columns:
                _mark(live, column if at is None else column[at], pure=graph.pure)
        elif block.sequential:
            _from_last(live, block)
        else:
            parents = block.parents
            if not every:
                parents = parents[np.repeat(mask, np.diff(block.indptr))]
            _mark(live, parents, pure=graph.pure)
    live[: OPAQUE + 1] = False
    return live


def _mark(live: Live, ids: Ids, *, pure: bool) -> None:
    if len(ids) > _LONG:
        first, last = int(ids[0]), int(ids[-1])
        if first >= 0 and last - first == len(ids) - 1 and (ids[1:] - ids[:-1] == 1).all():
            live[first : last + 1] = True
            return
    live[ids if pure else np.maximum(ids, 0)] = True


def _from_last(live: Live, block: Rows) -> None:
    """Parents may lie in the block itself: node by node, from the last one."""
    flags = live.view(np.uint8).data
    parents, bounds = block.parents.tolist(), block.indptr.tolist()
    for i in range(block.size - 1, -1, -1):
        if flags[block.base + i]:
            for parent in parents[bounds[i] : bounds[i + 1]]:
                if parent > OPAQUE:
                    flags[parent] = 1


def live_pairs(graph: Graph, outputs: Ids) -> list[Pair]:
    """The pairs of nodes whose patterns' products make up the Hessian of `outputs`."""
    live = live_nodes(graph, outputs)
    result: list[Pair] = []
    interactions: list[Interaction] = list(graph.interactions)
    if graph.scalar_products:
        table = array(graph.scalar_products, np.int32).reshape(-1, 3)
        interactions.append(Products(*(array(column) for column in table.T)))
    for interaction in interactions:
        for left, right in interaction.pairs(graph, live):
            if not graph.pure and left.size:
                keep = (left > OPAQUE) & (right > OPAQUE)
                if not keep.all():
                    same = right is left
                    left = left[keep]
                    right = left if same else right[keep]
            if left.size:
                result.append((left, right))
    return result
