"""Rule of ``np.interp``: each result depends on its own x, and on the nodes next to it.

Contract: where x and xp are known, or at a point, the two nodes around each x are known, and
a result depends on those alone.  Else it depends on all of xp and fp.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids, lowest
from sparsetrace.graph.interactions import interact
from sparsetrace.operands.complex_operands import part_by_part
from sparsetrace.operands.constants import plain_values
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    unwatched,
    values_of,
)
from sparsetrace.operands.registry import rule_for

__all__: list[str] = []

_REAL = frozenset((int, float))


def _away_from_constants(trace: Trace, x) -> Ids | None:
    """The ids of a traced float64 array or number, none of which is constant; else None."""
    if not is_traced(x) or trace.local or x._trace is not trace or x._dtype is not FLOAT:
        return None
    ids: Ids = x._ids
    free = ids.size and (trace.graph.pure or lowest(ids) > OPAQUE)
    return ids if free else None


def _is_table(v) -> bool:
    """Whether `v` is a row of real constants, which need no closer look."""
    if type(v) is np.ndarray:
        return v.ndim == 1 and v.dtype.char in "?bhilqBHILQfd"
    return type(v) in (list, tuple) and _REAL.issuperset(map(type, v))


def _is_level(v) -> bool:
    """Whether all numbers of a table are equal, or there are none."""
    if not len(v):
        return True
    if v[0] != v[-1]:
        return False
    return bool((v == v[0]).all()) if type(v) is np.ndarray else v.count(v[0]) == len(v)


@rule_for(np.interp)
@part_by_part("fp", "left", "right")
def _interp(trace: Trace, x, xp, fp, left, right, period) -> Elements:
    """Each result depends on its own x, and on the nodes next to it.

    Which nodes those are is known if x and xp are; else any may be.
    """
    of_reals = trace.local and period is None and dtype_of(fp).kind != "c"
    if of_reals and not (contains_traced(left) or contains_traced(right)):
        return _at_point(trace, x, xp, fp)
    xp, fp = unwatched(xp), unwatched(fp)
    if period is None and all(v is None or type(v) in _REAL for v in (left, right)):
        ids = _away_from_constants(trace, x)
        tables = _is_table(xp) and _is_table(fp) and len(xp) == len(fp) > 1
        if ids is not None and tables and not _is_level(fp):
            return Elements(ids.copy("K"), FLOAT)
    cycle = 1.0 if contains_traced(period) else period
    # on zeros: NumPy raises its own errors for a wrong table
    np.interp(0.0, np.zeros(np.shape(xp)), np.zeros(np.shape(fp)), period=cycle)
    shape = x._ids.shape if is_traced(x) else np.shape(x)
    xp, fp = (v if contains_traced(v) else constant_values(v) for v in (xp, fp))
    dtype = np.result_type(dtype_of(fp), float)
    points = [plain_values(trace, v) for v in (x, xp, 0.0 if period is None else period)]
    if all(v is not None for v in points):
        ends = [None if v is None else ids_of(trace, v) for v in (left, right)]
        cycle = None if period is None else abs(float(points[2]))  # type: ignore[arg-type]
        return Elements(_between(trace, points[0], points[1], fp, ends, cycle), dtype)
    sources: list[Ids] = []
    alone = period is None and np.size(xp) == 1  # the same height everywhere but for the ends
    if contains_traced(x) and not alone:
        heights = plain_values(trace, fp)
        if heights is None or not trace.values or (heights != heights.flat[0]).any():
            sources.append(ids_of(trace, x))
        else:
            # all heights are equal: a step is possible only at the ends of the table
            outside = [v for v in (left, right) if v is not None]
            if all(_equals(trace, v, heights.flat[0]) for v in outside):
                return Elements(trace.graph.constant(np.full(shape, heights.flat[0])), dtype)
            ids = ids_of(trace, x)
            sources.append(
                ids if trace.dependency else np.full(shape, trace.graph.opaque, np.int32)
            )
    for table in (None if alone else xp, fp, left, right, period):
        if table is not None and contains_traced(table):
            every = trace.graph.union_rows(ids_of(trace, table).reshape(-1))
            sources.append(np.broadcast_to(every, shape))
    if alone and left is right is None and not contains_traced(fp):
        return Elements(trace.graph.constant(np.full(shape, fp[0])), dtype)
    united = (
        trace.graph.union_all(sources) if sources else np.full(shape, trace.graph.opaque, np.int32)
    )
    out = np.maximum(united, OPAQUE)
    if trace.second_order and not alone:
        where = ids_of(trace, x)
        places_traced = contains_traced(xp) or contains_traced(period)
        for table in (xp, period):
            if table is not None and contains_traced(table):
                where = trace.graph.union(
                    where, trace.graph.union_rows(ids_of(trace, table).reshape(-1))
                )
        pairs = [(where, where)] if places_traced else []
        if contains_traced(fp):  # linear in the heights
            pairs.append((where, trace.graph.union_rows(ids_of(trace, fp).reshape(-1))))
        if pairs and (where > OPAQUE).any():
            where_cut = trace.local and not places_traced
            out = interact(trace.graph, out, pairs, cut=where_cut)
    return Elements(out, dtype)


def _equals(trace: Trace, x, value) -> bool:
    known = plain_values(trace, x)
    return known is not None and bool((known == value).all())


def _between(trace: Trace, x, xp, fp, ends: Sequence[Ids | None], period: float | None) -> Ids:
    """Interpolation at known places: two nodes for each, one at a node or outside."""
    heights, dtype = ids_of(trace, fp), dtype_of(fp)
    left, right = ends
    if period is not None:
        x, xp = x % period, xp % period
        order = np.argsort(xp)
        xp, heights = xp[order], heights[order]
        xp = np.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        heights = np.concatenate((heights[-1:], heights, heights[:1]))
        left = right = None
    lower = _cells(xp, x)
    above = x > xp[-1]  # NumPy asks this first: among nodes in no order it may be below, too
    sides = ((left, (x < xp[0]) & ~above), (right, above))
    single = (x <= xp[lower]) | (lower == len(xp) - 1)
    upper = np.where(single, lower, lower + 1)
    out = trace.graph.union(heights[lower], heights[upper])
    for end, outside in sides:
        if end is not None:
            out = np.where(outside, np.maximum(end, OPAQUE), out)
    some = not trace.graph.pure and bool((heights <= ZERO).any())
    if some or any(end is not None and end <= ZERO for end in (left, right)):
        known = heights <= ZERO
        constant = known[lower] & known[upper]
        values = trace.graph.known_values(heights, dtype)
        levels = [
            None if e is None else trace.graph.known_values(e, dtype)[()] for e in (left, right)
        ]
        for end, outside in sides:
            if end is not None:
                constant = np.where(outside, end <= ZERO, constant)
        result = np.interp(x, xp, values, *levels)  # type: ignore[arg-type]
        out = np.where(constant, trace.graph.constant(result), out)
    return np.asarray(out)


def _cells(nodes: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.intp]:
    """The node at or below each point that NumPy finds; the first or last one outside.

    Among nodes in no order it is found by NumPy's own search, from what is given where some
    heights are NaN.
    """
    count = len(nodes)
    if (nodes[1:] >= nodes[:-1]).all():
        return np.maximum(np.searchsorted(nodes, points, side="right") - 1, 0)
    below: NDArray[np.intp]
    names = np.arange(1, count + 1)
    ends = []  # of each cell the node of an even name, and that of an odd one; 0: it is not read
    for parity in (0, 1):
        found = np.zeros(np.shape(points), dtype=np.intp)
        for bit in range(count.bit_length()):
            is_marked = (names % 2 == parity) & (names >> bit & 1 == 1)
            heights = np.where(is_marked, np.nan, 0.0)
            found |= np.isnan(np.interp(points, nodes, heights)).astype(np.intp) << bit
        ends.append(found)
    even, odd = ends
    below = np.where((even == 0) | (odd == 0), np.maximum(even, odd), np.minimum(even, odd))
    return np.maximum(below - 1, 0)


# ----------------------------------------------------------------------- at a point
def _at_point(trace: Trace, x, xp, fp) -> Elements:
    """Depends on the two nodes around each x, and on x unless their heights are equal."""
    points, nodes, heights = (np.asarray(values_of(v), float) for v in (x, xp, fp))
    shape = points.shape
    n = len(nodes)
    inside = (points >= nodes[0]) & (points <= nodes[-1])
    cell = np.minimum(_cells(nodes, points), max(n - 2, 0))
    following = np.minimum(cell + 1, n - 1)
    at_node = inside & ((points == nodes[cell]) | (points == nodes[following]))
    level = (heights[following] == heights[cell]) & ~at_node
    if not (trace.values or contains_traced(fp)):
        level[...] = False
    sources = []
    uncut = []  # a level cell has no slope in x, but a mixed second derivative
    if contains_traced(x):
        dead = level | ~inside
        uncut.append(np.where(inside, ids_of(trace, x), np.int32(trace.graph.opaque)))
        sources.append(np.where(dead, np.int32(trace.graph.opaque), ids_of(trace, x)))
    for table, is_nodes in ((fp, False), (xp, True)):
        if contains_traced(table):
            ids = ids_of(trace, table)
            left_end = np.where(points < nodes[0], 0, cell)
            left_end = np.where(points > nodes[-1], n - 1, left_end)
            right_end = np.where(inside, following, left_end)
            beneath = np.where(at_node, np.maximum(cell - 1, 0), left_end)
            for end in (left_end, right_end, beneath):
                node_ids = ids[end]
                uncut.append(
                    np.where(inside | (not is_nodes), node_ids, np.int32(trace.graph.opaque))
                )
                if is_nodes:
                    node_ids = np.where(level | ~inside, np.int32(trace.graph.opaque), node_ids)
                sources.append(node_ids)
    out = np.maximum(np.broadcast_to(trace.graph.union_all(sources), shape), OPAQUE)
    if trace.second_order and contains_traced(xp):
        united = np.broadcast_to(trace.graph.union_all(uncut), shape)
        out = interact(trace.graph, out, [(united, united)], cut=True)
    elif trace.second_order and contains_traced(x) and contains_traced(fp):
        out = interact(trace.graph, out, [(uncut[0], end) for end in uncut[1:]], cut=True)
    return Elements(out, np.dtype(float))
