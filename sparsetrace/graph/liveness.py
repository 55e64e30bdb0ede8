"""Which products of a graph reach an output, less those that others hold.

Contract: knows node ids and graphs.  A node is *live* if there is a way from it to an output
through non-zero first derivatives.  Only first-order patterns are propagated, and the Hessian
is the union of products of the patterns of live interactions; that is as tight as keeping a
Hessian pattern for every number, since both follow the second-order chain rule::

    y = f(u, v):  y'' = f_u u'' + f_v v'' + f_uu u'u' + f_uv (u'v' + v'u') + f_vv v'v'

A live node that is multiplied with itself holds the product of any two nodes that it depends
on, so that these products, and the patterns in them, need not be looked at::

    (x[0] * x[1] + x[2]) ** 2  ->  the base with itself, and nothing of ``x[0] * x[1]``
"""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import array, count_nonzero, zeros
from numpy.typing import NDArray

from sparsetrace.graph.graph import OPAQUE, Block, Columns, Graph, Ids, Rows
from sparsetrace.graph.interactions import Contraction, MatrixProduct, Pair, Products
from sparsetrace.graph.progressions import SlicedColumns
from sparsetrace.graph.slices import counts_up

__all__ = ["live_nodes", "live_pairs"]

_CHUNK = 2**16
"""Products looked at at a time."""
_LONG = 2**14
"""From this length on it pays to look whether ids count up by one."""

Flags = NDArray[np.bool_]
_FEW, _SHORT = 4, 1024
"""Products are joined where there are more than so many, and those that are no longer."""
_base_of = attrgetter("base")
_nodes_of, _left_of, _right_of = map(attrgetter, ("nodes", "left", "right"))


def live_nodes(graph: Graph, outputs: Ids) -> Flags:
    """Which nodes reach one of `outputs` through non-zero first derivatives.

    Examples
    --------
    >>> g = Graph(2, second_order=True)
    >>> x = g.inputs()
    >>> y, z = g.node(x), g.node(x)
    >>> live_nodes(g, g.node(y)[:1]).nonzero()[0].tolist()
    [2, 4, 8]
    """
    live = zeros(graph.size, bool)
    live[outputs[outputs > OPAQUE]] = True
    return _spread(graph, live, live)


def _spread(graph: Graph, seeds: Flags, into: Flags) -> Flags:
    """Mark the parents of all nodes that are among the seeds, or marked themselves."""
    for block in reversed(graph.blocks):
        mask = into[block.base : block.base + block.size]
        if seeds is not into:
            mask = mask | seeds[block.base : block.base + block.size]
        count = count_nonzero(mask)
        if not count:
            continue
        every = count == block.size
        if isinstance(block, Columns):
            if every and isinstance(block.columns, SlicedColumns):
                _mark_pieces(into, block.columns)
                continue
            at = None if every else np.flatnonzero(mask)
            for column in block.columns:
                _mark(into, column if at is None else column[at], pure=graph.pure)
        elif block.sequential:
            _from_last(seeds, into, block)
        else:
            parents = block.parents
            if not every:
                parents = parents[np.repeat(mask, np.diff(block.indptr))]
            _mark(into, parents, pure=graph.pure)
    into[: OPAQUE + 1] = False
    return into


def _mark(flags: Flags, ids: Ids, *, pure: bool) -> None:
    if len(ids) > _LONG:
        first, last = int(ids[0]), int(ids[-1])
        if first >= 0 and counts_up(ids):
            flags[first : last + 1] = True
            return
    flags[ids if pure else np.maximum(ids, 0)] = True


def _mark_pieces(flags: Flags, columns: SlicedColumns) -> None:
    for pieces in columns.pieces:
        for start, stop, first, step in pieces:
            last = first + step * (stop - start - 1)
            low, stride = min(first, last), abs(step) or 1
            if low < 0:  # constants
                low += -(low // stride) * stride
            flags[low : max(first, last) + 1 : stride] = True


def _from_last(seeds: Flags, into: Flags, block: Rows) -> None:
    """Parents may lie in the block itself: node by node, from the last one."""
    given, flags = seeds.view(np.uint8).data, into.view(np.uint8).data
    parents, bounds = block.parents.tolist(), block.indptr.tolist()
    for i in range(block.size - 1, -1, -1):
        if flags[block.base + i] or given[block.base + i]:
            for parent in parents[bounds[i] : bounds[i + 1]]:
                if parent > OPAQUE:
                    flags[parent] = 1


# --------------------------------------------------------------------- products
def live_pairs(graph: Graph, outputs: Ids) -> list[Pair]:
    """Pairs of nodes whose patterns' products make up the Hessian of `outputs`.

    In a pair of one and the same array each node is multiplied with itself.

    Examples
    --------
    >>> from sparsetrace.graph.interactions import interact, interact_all
    >>> g = Graph(3, second_order=True)
    >>> x = g.inputs()
    >>> product = interact(g, g.union(x[:1], x[1:2]), [(x[:1], x[1:2])])
    >>> live_pairs(g, interact_all(g, g.union(product, x[2:])))
    [(array([8], dtype=int32), array([8], dtype=int32))]
    """
    live = live_nodes(graph, outputs)
    items: list[Products | Contraction] = list(graph.interactions)
    if graph.scalar_products:
        nodes, left, right = array(graph.scalar_products, np.int32).reshape(-1, 3).T
        same = left == right
        if same.any():
            squared = left[same]
            items.append(Products(nodes[same], squared, squared))
        if not same.all():
            other = ~same
            items.append(Products(nodes[other], left[other], right[other]))
    products: list[Products] = []
    contractions: list[Contraction] = []
    squares = zeros(graph.size, bool)
    for item in _together(items):
        if isinstance(item, Contraction):
            contractions.append(item)
            continue
        item = _live(item, live, pure=graph.pure)
        if len(item.nodes):
            products.append(item)
            left, right = item.left, item.right
            squares[left if left is right else left[left == right]] = True
    inner = zeros(graph.size, bool)
    if squares.any():
        _spread(graph, squares, inner)
    result: list[Pair] = []
    for item in products:
        result += _not_held(graph, item, squares, inner)
    held = squares | inner
    for contraction in contractions:
        if isinstance(contraction, MatrixProduct):
            out = contraction.out[live[np.maximum(contraction.out, 0)]]
            if held[out].all():
                continue
        for left, right in contraction.pairs(graph, live):
            keep = (left > OPAQUE) & (right > OPAQUE)
            if keep.all():
                result.append((left, right))
            elif keep.any():
                result.append((left[keep], right[keep]))
    return result


def _together(items: list[Products | Contraction]) -> list[Products | Contraction]:
    """Short products joined to long ones: the steps that follow take as long for any of them."""
    if len(items) <= _FEW:
        return items
    kept: list[Products | Contraction] = []
    own: list[Products] = []
    squared: list[Products] = []
    others: list[Products] = []
    for item in items:
        if isinstance(item, Contraction) or len(item.nodes) > _SHORT:
            kept.append(item)
        elif item.right is not item.left:
            others.append(item)
        else:
            (own if item.left is item.nodes else squared).append(item)
    if own:
        nodes = np.concatenate([item.nodes for item in own])
        kept.append(Products(nodes, nodes, nodes))
    if squared:
        nodes, left = (np.concatenate([f(item) for item in squared]) for f in (_nodes_of, _left_of))
        kept.append(Products(nodes, left, left))
    if others:
        columns = (_nodes_of, _left_of, _right_of)
        kept.append(Products(*(np.concatenate([f(item) for item in others]) for f in columns)))
    return kept


def _live(item: Products, live: Flags, *, pure: bool) -> Products:
    """The products of live nodes in which both factors depend on something."""
    keep = live[item.nodes]
    if not pure:
        keep &= item.left > OPAQUE
        if item.right is not item.left:
            keep &= item.right > OPAQUE
    if count_nonzero(keep) == len(keep):
        return item
    nodes = item.nodes[keep]
    left = nodes if item.left is item.nodes else item.left[keep]
    return Products(nodes, left, left if item.right is item.left else item.right[keep])


def _not_held(graph: Graph, item: Products, squares: Flags, inner: Flags) -> list[Pair]:
    """The products without those that a square holds which is not among them."""
    nodes, left, right = item.nodes, item.left, item.right
    keep = np.empty(len(left), bool)
    for start in range(0, len(left), _CHUNK):
        some = slice(start, start + _CHUNK)
        drop = inner[left[some]]
        if left is not right:
            equal = left[some] == right[some]
            drop &= equal
            here = nodes[some]
            maybe = (squares[here] | inner[here]) & ~equal
            count = count_nonzero(maybe)
            if count == len(here):
                drop |= _are_parents(graph, here, left[some], right[some])
            elif count:
                drop[maybe] |= _are_parents(
                    graph, here[maybe], left[some][maybe], right[some][maybe]
                )
        np.logical_not(drop, out=keep[some])
    count = count_nonzero(keep)
    if count == len(keep):
        return [(left, right)]
    if not count:
        return []
    kept = left[keep]
    return [(kept, kept if right is left else right[keep])]


def _are_parents(graph: Graph, nodes: Ids, left: Ids, right: Ids) -> Flags:
    """Whether both factors are parents of the node that multiplies them, or of its only parent.

    False where that would take a longer look.
    """
    result = zeros(len(nodes), bool)
    if (nodes[1:] - nodes[:-1] == 1).all():  # then a slice of one block, as a rule
        place = bisect_right(graph.blocks, int(nodes[0]), key=_base_of) - 1
        if place >= 0 and int(nodes[-1]) < graph.blocks[place].base + graph.blocks[place].size:
            start = int(nodes[0]) - graph.blocks[place].base
            columns = _columns(graph, place, slice(start, start + len(nodes)))
            return _are_among(left, right, columns) if columns else result
    bases = np.array([block.base for block in graph.blocks])
    at = np.searchsorted(bases, nodes, side="right") - 1
    order = np.argsort(at, kind="stable")
    for some in np.split(order, np.flatnonzero(np.diff(at[order])) + 1):
        place = int(at[some[0]])
        if place >= 0 and (columns := _columns(graph, place, nodes[some] - bases[place])):
            result[some] = _are_among(left[some], right[some], columns)
    return result


def _columns(graph: Graph, place: int, at: slice | NDArray[np.integer]) -> list[Ids]:
    """The parents of some nodes of a block, or of their only parents; perhaps nothing."""
    columns = _parents(graph.blocks[place], at)
    if len(columns) != 1 and not (len(columns) == 2 and _are_equal(*columns)):
        return columns
    above = columns[0]
    places = [bisect_right(graph.blocks, int(f(above)), key=_base_of) - 1 for f in (np.min, np.max)]
    if places[0] != places[1] or places[0] < 0:
        return columns
    block = graph.blocks[places[0]]
    return [above, *_parents(block, above - np.int32(block.base))]


def _are_equal(first: Ids, second: Ids) -> bool:
    """Whether two columns are one and the same, as those of a short node with one parent are."""
    return bool(first[0] == second[0] and (first == second).all())


def _parents(block: Block, at: slice | NDArray[np.integer]) -> list[Ids]:
    """The parents of some nodes of a block, where each has as many; else nothing."""
    if isinstance(block, Columns):
        return [column[at] for column in block.columns]
    if len(block.parents) != 2 * block.size or not (np.diff(block.indptr) == 2).all():
        return []
    return list(block.parents.reshape(-1, 2)[at].T)


def _are_among(left: Ids, right: Ids, columns: list[Ids]) -> Flags:
    found = [left == columns[0], right == columns[0]]
    for column in columns[1:]:
        found[0] |= left == column
        found[1] |= right == column
    both: Flags = found[0] & found[1]
    return both
