"""Real and imaginary parts of complex elements: nodes that have two patterns.

Contract: a complex element has one id, like any other.  A node *with parts* is the union of
the node of its real part and that of its imaginary part, and `PartTable` says which these are;
any other id stands for both parts alike.  So whatever moves elements moves their parts along.

Rules may give a result the id of an operand, as ``sin(z)`` has the patterns of z.  Its parts
are not those of z: rules that know nothing of parts are given `joint` ids, which have none.
"""

from __future__ import annotations

from enum import Enum, auto

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import arange, array, asarray, count_nonzero, empty, full, zeros
from numpy.typing import NDArray

from sparsetrace.graph.graph import OPAQUE, ZERO, Graph, Ids, lowest

__all__ = ["Part", "has_parts", "joined", "joint", "joint_of_all", "part_of", "parts_of"]

_COMPLEX = np.dtype(np.clongdouble)


class Part(Enum):
    """One of the two parts of a complex number."""

    REAL = auto()
    IMAG = auto()


class PartTable:
    """The nodes with parts, one row each.

    Attributes
    ----------
    size : int
        How many rows there are.
    nodes : ndarray of int32
        The nodes, in the order of their rows, as all arrays up to `size`.
    parts : mapping of Part to ndarray of int32
        The ids of each node's parts.
    joint : ndarray of int32
        A node with the same patterns and without parts; 0 until one is asked for.
    rows : ndarray of int32
        The row of each node from `start` on; -1 for one without parts, and for all behind the
        last place.
    start, older : int
        Nodes below `start` have the first `older` rows.
    """

    def __init__(self) -> None:
        self.size = 0
        self.nodes = zeros(16, np.int32)
        self.parts = {part: zeros(16, np.int32) for part in Part}
        self.joint = zeros(16, np.int32)
        self.rows = full(16, -1, np.int32)
        self.start = self.older = 0

    def add(self, base: int, real: Ids, imag: Ids, alone: Ids | None) -> Ids:
        """Rows for new nodes from `base` on; returns the nodes.

        Where the other part has no dependency, `alone` is the part that has one; else 0.
        """
        start, end, stop = self.size, self.size + len(real), base + len(real)
        if end > len(self.nodes):
            self.nodes, self.joint = _grown(self.nodes, end, 0), _grown(self.joint, end, 0)
            self.parts = {part: _grown(ids, end, 0) for part, ids in self.parts.items()}
        if stop - self.start >= len(self.rows):
            self.rows = _grown(self.rows, stop - self.start, -1)
        nodes = arange(base, stop, dtype=np.int32)
        self.nodes[start:end] = nodes
        self.parts[Part.REAL][start:end] = real
        self.parts[Part.IMAG][start:end] = imag
        self.rows[base - self.start : stop - self.start] = arange(start, end)
        if alone is not None:
            self.joint[start:end] = alone
        self.size = end
        return nodes

    def rows_of(self, ids: Ids) -> NDArray[np.int32]:
        """For each id its row; -1 where it has none."""
        if self.start == 0:
            return asarray(self.rows.take(ids, mode="clip"))
        rows = asarray(self.rows.take(ids - self.start, mode="clip"))
        older = ids < self.start
        if count_nonzero(older):
            sought = ids[older]
            at = np.searchsorted(self.nodes[: self.older], sought)
            there = self.nodes[at] == sought
            rows[older] = np.where(there & (at < self.older), at, -1)
        return rows

    def known_rows(self, graph: Graph, nodes: Ids) -> NDArray[np.int32]:
        """The rows of nodes that had one."""
        rows = self.rows_of(nodes)
        if graph.kept is not None and count_nonzero(rows < 0):
            graph.kept.miss(int(nodes[rows < 0][0]))
        return rows

    def keep(self, nodes: Ids, end: int) -> None:
        """Forget the rows of nodes below `end` but of these, which ascend."""
        known = self.nodes[: self.size]
        chosen = np.flatnonzero((known >= end) | np.isin(known, nodes))
        size = len(chosen)
        room = max(16, 2 * size)

        def of_chosen(ids: Ids) -> Ids:
            kept = zeros(room, np.int32)
            kept[:size] = ids[chosen]
            return kept

        self.parts = {part: of_chosen(ids) for part, ids in self.parts.items()}
        self.nodes, self.joint = of_chosen(self.nodes), of_chosen(self.joint)
        self.older, self.size = int(np.searchsorted(self.nodes[:size], end)), size
        self.start = end
        newer = self.nodes[self.older : size] - np.int32(end)
        self.rows = full(16 + 2 * int(newer.max(initial=0)), -1, np.int32)
        self.rows[newer] = arange(self.older, size)


def _grown(ids: Ids, size: int, fill: int) -> Ids:
    made = full(2 * size, fill, np.int32)
    made[: len(ids)] = ids
    return made


def _table(graph: Graph) -> PartTable:
    """The graph's table."""
    if graph.parts is None:
        graph.parts = PartTable()
        graph.mixed = True
    table: PartTable = graph.parts
    return table


def joined(graph: Graph, real: Ids, imag: Ids) -> Ids:
    """The ids of complex elements with these real and imaginary parts; the shapes broadcast.

    Examples
    --------
    >>> g = Graph(4)
    >>> x = g.inputs()
    >>> z = joined(g, x[:2], x[2:])
    >>> part_of(g, z, Part.REAL), part_of(g, z, Part.IMAG), joint(g, z) > z
    (array([2, 3], dtype=int32), array([4, 5], dtype=int32), array([ True,  True]))
    """
    if real.shape != imag.shape:
        real, imag = np.broadcast_arrays(real, imag)
    in_c_order = real.flags.c_contiguous or imag.flags.c_contiguous
    if not in_c_order and (real.flags.f_contiguous or imag.flags.f_contiguous):
        return joined(graph, real.T, imag.T).T  # keep the memory order, as NumPy does
    p, q = real.flatten(), imag.flatten()
    out = _joined(graph, p, q) if p.size else p
    return out.reshape(real.shape)


def _joined(graph: Graph, real: Ids, imag: Ids) -> Ids:
    """The same of arrays of one dimension that the graph may keep."""
    apart = real != imag
    if not graph.pure and lowest(real) <= OPAQUE and lowest(imag) <= OPAQUE:
        without = (real <= OPAQUE) & (imag <= OPAQUE)
        if count_nonzero(without):
            return _beside_constants(graph, real, imag, apart, without)
    if apart.all():
        return _nodes(graph, real, imag)
    out = joint(graph, real)  # one node for both parts needs none of its own
    at = np.flatnonzero(apart)
    if at.size:
        out = out if out is not real else array(out)
        out[at] = _nodes(graph, real[at], imag[at])
    return out


def _beside_constants(
    graph: Graph, real: Ids, imag: Ids, apart: NDArray[np.bool_], without: NDArray[np.bool_]
) -> Ids:
    """The same where both parts of some elements depend on no input."""
    if graph.local:
        out = np.maximum(real, imag)
        apart = apart & ~without
    else:
        out = array(real)
        known = without & (real <= ZERO) & (imag <= ZERO)
        if count_nonzero(known):
            values = empty(count_nonzero(known), _COMPLEX)
            values.real = graph.known_values(real[known], values.real.dtype)
            values.imag = graph.known_values(imag[known], values.real.dtype)
            out[known] = graph.constant(values)
        apart = apart & ~known
    same = np.flatnonzero(~apart & ~without)
    out[same] = joint(graph, real[same])
    at = np.flatnonzero(apart)
    if at.size:
        out[at] = _nodes(graph, real[at], imag[at])
    return out


def _nodes(graph: Graph, real: Ids, imag: Ids) -> Ids:
    table = _table(graph)
    base = graph.append_columns([real, imag])
    alone = None
    if not graph.pure and (lowest(real) <= OPAQUE or lowest(imag) <= OPAQUE):
        alone = np.where(np.minimum(real, imag) <= OPAQUE, np.maximum(real, imag), ZERO)
        alone[(alone <= OPAQUE) | (table.rows_of(alone) >= 0)] = ZERO
    return table.add(base, real, imag, alone)


def parts_of(graph: Graph, ids: Ids) -> tuple[Ids, Ids]:
    """New ids of the real and of the imaginary parts of complex elements, in their memory order."""
    if ids.flags.f_contiguous and not ids.flags.c_contiguous:
        real, imag = parts_of(graph, ids.T)
        return real.T, imag.T
    table: PartTable | None = graph.parts
    if table is None:
        real, imag = ids.copy("K"), ids.copy("K")
    else:
        rows = table.rows_of(ids)
        real, imag = (asarray(of_rows.take(rows, mode="clip")) for of_rows in table.parts.values())
        if rows.size and lowest(rows) < 0:
            without = rows < 0
            real, imag = np.where(without, ids, real), np.where(without, ids, imag)
    if not graph.pure and ids.size and lowest(ids) < ZERO:
        known = ids < ZERO
        real[known], imag[known] = _parts_of_constants(graph, ids[known])
    return real, imag


def _parts_of_constants(graph: Graph, ids: Ids) -> tuple[Ids, Ids]:
    """The same of constants: a real number is its own real part, and needs no other id."""
    values = graph.known_values(ids, _COMPLEX)
    real, imag = ids.copy(), zeros(ids.shape, np.int32)
    at = np.flatnonzero((values.imag != 0) | np.signbit(values.imag))
    if at.size:
        real[at], imag[at] = graph.constant(values.real[at]), graph.constant(values.imag[at])
    return real, imag


def part_of(graph: Graph, ids: Ids, part: Part) -> Ids:
    """New ids of one part of complex elements."""
    real, imag = parts_of(graph, ids)
    return real if part is Part.REAL else imag


def joint(graph: Graph, ids: Ids) -> Ids:
    """The ids with nodes of the same patterns in place of those with parts."""
    table = graph.parts
    if table is None:
        return ids
    rows = table.rows_of(ids)
    there = rows >= 0
    if not count_nonzero(there):
        return ids
    asked = rows.reshape(-1) if there.all() else rows[there]
    missing = asked[table.joint[asked] == ZERO]
    if missing.size:
        if missing.size > 1 and not (missing[1:] > missing[:-1]).all():
            missing = np.unique(missing)
        nodes = table.nodes[missing]
        made = graph.node(nodes)  # whereupon rows of nodes that nobody needs may be forgotten
        table.joint[table.known_rows(graph, nodes)] = made
        rows = table.rows_of(ids)
    return np.where(there, table.joint.take(rows, mode="clip"), ids)


def joint_of_all(graph: Graph, ids: Ids, total: Ids) -> Ids:
    """Complex elements with parts, as new nodes known to depend on what `total` does altogether.

    So elements that differ in their parts alone share the union of both.
    """
    table = graph.parts
    rows = table.rows_of(ids) if table is not None else full(ids.shape, -1, np.int32)
    united = np.broadcast_to(total, ids.shape)
    there = (rows >= 0) & (united > OPAQUE)
    if not count_nonzero(there):
        return ids
    real, imag = parts_of(graph, ids)
    alone = united[there]
    base = graph.append_columns([alone])
    out = array(ids)
    out[there] = table.add(base, real[there], imag[there], alone)
    return out


def has_parts(graph: Graph, ids: Ids) -> bool:
    """Whether any of the elements has parts."""
    table: PartTable | None = graph.parts
    return table is not None and bool((table.rows_of(ids) >= 0).any())
