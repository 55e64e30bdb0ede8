"""The dependency graph of one trace: blocks of integer node ids, which are only appended.

Contract: the graph knows node ids and constant values, never traced arrays, NumPy
functions or patterns.  An *id array* is an int32 array; what an id means:

======================  ====================================================
``id < 0``              a constant; its value is ``table[-id]``
``0``                   the constant zero (``-0.0`` is one of the others)
``1`` (`OPAQUE`)        value depends on the inputs, every derivative is zero
``2 .. n + 1``          input ``id - 2``
``>= n + 2``            the union of its parents
======================  ====================================================

One array operation appends one block.  Nodes are shared wherever patterns are:
``x * 2``, ``sin(x)`` and everything that only moves elements append nothing.  The
arrays kept in blocks are private copies, because id arrays are written in place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf, prod
from operator import attrgetter
from threading import get_ident
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import arange, array, asarray, count_nonzero, empty, full, repeat, signbit, zeros
from numpy.typing import NDArray

from sparsetrace.errors import GraphSizeError, TracingError, explain
from sparsetrace.graph.kept import Kept
from sparsetrace.graph.progressions import Piece, sliced

__all__ = [
    "FIRST_INPUT",
    "OPAQUE",
    "ZERO",
    "Block",
    "Columns",
    "Graph",
    "Ids",
    "Rows",
    "SharedGraph",
    "filled",
    "highest",
    "lowest",
    "refuse_thread",
]

Ids = NDArray[np.int32]

ZERO = 0
OPAQUE = 1
FIRST_INPUT = 2
_LIMIT = 2**31 - 1
_FLOAT = np.dtype(np.float64)
_COMPLEX = np.dtype(np.complex128)
_EXACT = 2**53
"""Whole numbers up to this one are float64 numbers."""
_NARROW = 64
"""Unions of up to this many parents are kept column by column."""
_OVERHEAD, _OF_SCALAR = 128, 8
"""A block takes as much memory as so many parents besides; and a scalar, until it is solved."""
_SCALARS, _SHORT = 2**12, 16
"""So many scalar nodes at the most are gathered in one block, with those of short arrays."""
_APART = 2
"""So few are blocks of their own: what makes a graph small knows more of these."""
_FEW = 1024
"""Of so many ids the least is found by its place."""
_BOUNDS = arange(0, 2 * _SCALARS + 1, 2, dtype=np.int64)
_BOUNDS.flags.writeable = False
_ZERO_AND_OPAQUE = array([ZERO, OPAQUE], np.int32)
_ZERO_AND_OPAQUE.flags.writeable = False


@dataclass(slots=True)
class Columns:
    """Nodes ``base .. base + size - 1``; node ``base + i`` is the union of ``column[i]``."""

    base: int
    size: int
    columns: Sequence[Ids]

    @property
    def edges(self) -> int:
        """How many parents its nodes have altogether."""
        return self.size * len(self.columns)


@dataclass(slots=True)
class Rows:
    """Nodes ``base .. base + size - 1``; node ``base + i`` is the union of a CSR row.

    ``sequential`` says that parents may lie in this block itself, before their child.
    """

    base: int
    size: int
    indptr: NDArray[np.int64]
    parents: Ids
    sequential: bool = False

    @property
    def edges(self) -> int:
        """How many parents its nodes have altogether."""
        return len(self.parents)


Block = Columns | Rows
_base_of = attrgetter("base")


class Graph:
    """Dependency graph over `n_inputs` inputs.

    Parameters
    ----------
    n_inputs : int
    local : bool
        Whether it belongs to a trace at a point, which knows all values: constants then need
        no ids of their own, and all of them have the id `ZERO`.
    second_order : bool
        Whether nonlinear nodes record what they multiply.

    Attributes
    ----------
    size : int
        The next free id.
    pure : bool
        Whether no id up to `OPAQUE` has been given to anyone, so that none need be looked for.
        Whoever writes such an id asks `opaque`, `zero` or `constant` for it, which end this;
        `look_at` serves where NumPy wrote it.
    mixed : bool
        Whether constants are kept that are no float64 numbers (complex ones, whole numbers
        above 2**53, those of long doubles), or complex elements with parts.
    signed_zeros : bool
        Whether there is a negative zero among the constants, which has an id of its own.
    interactions : list
        In a trace of second order, what its nonlinear nodes multiply
        (`sparsetrace.graph.interactions`); `scalar_products` gathers those of single numbers,
        three ids each.
    parts : PartTable or None
        The parts of complex elements (`sparsetrace.graph.complex_parts`); None if there are none.
    kept : Kept or None
        What is left of nodes whose blocks were given up.
    lent : list
        What solvers have handed to functions of the user's (`sparsetrace.dispatch.lent_numbers`).
    room : float
        How many more parents its blocks may have before `outgrown` is called, which may give up
        blocks, and sets it anew.
    gathers : int
        How many scalar nodes at most become one block, which the room is asked for.
    thread : int
        The thread that may add nodes.  Another one is given to `other_thread`, which
        returns when its turn has come, or raises.

    Examples
    --------
    >>> g = Graph(3)
    >>> x = g.inputs()
    >>> x
    array([2, 3, 4], dtype=int32)
    >>> g.union(x[1:], x[:-1])
    array([5, 6], dtype=int32)
    >>> [column.tolist() for column in g.blocks[0].columns]
    [[3, 4], [2, 3]]
    """

    __slots__ = (
        "__weakref__",
        "_blocks",
        "_dedupe",
        "_first",
        "_lasting",
        "_second",
        "_settled",
        "_short",
        "_table",
        "_table_size",
        "gather_until",
        "gathers",
        "interactions",
        "kept",
        "lent",
        "local",
        "mixed",
        "n_inputs",
        "other_thread",
        "outgrown",
        "parts",
        "pure",
        "room",
        "scalar_products",
        "second_order",
        "signed_zeros",
        "size",
        "thread",
    )

    def __init__(self, n_inputs: int, *, local: bool = False, second_order: bool = False) -> None:
        self.n_inputs = n_inputs
        self.local = local
        self.second_order = second_order
        self.interactions: list[Any] = []
        self.scalar_products: list[int] = []
        self.pure = not local
        self.thread = get_ident()
        self.other_thread: Callable[[Graph], None] = refuse_thread
        self.size = self._settled = FIRST_INPUT
        self._blocks: list[Block] = []
        self.kept: Kept | None = None
        self.lent: list[Any] = []
        self.room = inf
        self.outgrown: Callable[[Graph], None] = _ignore
        self.gathers = _SCALARS
        self.gather_until = min(_SCALARS, _LIMIT)
        self._first: list[int] = []
        self._second: list[int] = []
        self._short = 0
        self._table: NDArray[Any] = zeros(16)
        self.mixed = False
        self.parts: Any = None
        self.signed_zeros = False
        self._table_size = 1
        self._dedupe: dict[Any, int] = {}
        self._lasting: dict[int, tuple[NDArray[Any], Ids]] = {}
        self._reserve(n_inputs, 0)

    # -------------------------------------------------- ids that stand for no node
    @property
    def opaque(self) -> int:
        """The id `OPAQUE`, to be written; from then on rules look for ids without a node."""
        self.pure = False
        return OPAQUE

    def opaques(self, shape: tuple[int, ...]) -> Ids:
        """An array of the id `OPAQUE`; in a fifth of the time of ``np.full``."""
        self.pure = False
        ids = empty(shape, np.int32)
        ids.fill(OPAQUE)
        return ids

    @property
    def zero(self) -> int:
        """The id `ZERO`, likewise."""
        self.pure = False
        return ZERO

    @property
    def zero_and_opaque(self) -> Ids:
        """Both, as an array that nobody may write into."""
        self.pure = False
        return _ZERO_AND_OPAQUE

    def look_at(self, ids: Ids) -> None:
        """Heed zeros that NumPy itself has filled in where it moved ids."""
        if self.pure and ids.size and lowest(ids) <= OPAQUE:
            self.pure = False

    # ------------------------------------------------------------- constants
    def constant(self, value: Any) -> Ids:
        """Ids of an array of constant numbers, of the array's shape."""
        self.pure = False
        values = asarray(value)
        if self.local:
            return zeros(values.shape, np.int32)
        if values.ndim == 0:
            return array(self.constant_scalar(values[()]), np.int32)
        zero = values == 0
        if count_nonzero(zero):
            zero = self._without_signs(values, zero)
            if zero.all():
                return zeros(values.shape, np.int32)
        start, count = self._table_size, values.size
        self._grow(count, values)
        self._table[start : start + count] = values.reshape(-1)
        ids = arange(-start, -start - count, -1, dtype=np.int32)
        ids[zero.reshape(-1)] = ZERO
        return ids.reshape(values.shape)

    def constant_scalar(self, value: Any) -> int:
        """The id of one constant number; equal numbers share it, zeros of one sign alone."""
        self.pure = False
        if self.local:
            return ZERO
        key: Any = value
        if value == 0:
            if self._without_signs(asarray(value), asarray(True)):
                return ZERO
            key = repr(value)
        known = self._dedupe.get(key)
        if known is None:
            number = asarray(value)
            self._grow(1, number)
            known = self._dedupe[key] = -self._table_size + 1
            self._table[-known : 1 - known] = number  # converted as an array: an int64 to an int
        return known

    def lasting_constants(self, values: NDArray[Any]) -> Ids:
        """Ids of an array that stays and is never written into: each time the same, to be read."""
        known = self._lasting.get(id(values))
        if known is None:
            known = self._lasting[id(values)] = values, self.constant(values)
        return known[1]

    def _without_signs(self, values: NDArray[Any], zero: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The zeros among `values` that are not negative: those have ids of their own."""
        if values.dtype.kind not in "fc":
            return zero
        negative = signbit(values.real)
        if values.dtype.kind == "c":
            negative = negative | signbit(values.imag)
        negative = negative & zero
        if not count_nonzero(negative):
            return zero
        self.signed_zeros = True
        return asarray(zero & ~negative)

    def _grow(self, count: int, values: NDArray[Any]) -> None:
        """Room for so many more constants, which are like these."""
        size = self._table_size + count
        if size > _LIMIT:
            raise GraphSizeError(f"a trace holds at most {_LIMIT} constants")
        kind = self._table.dtype.kind
        if kind != "O" and values.dtype is not _FLOAT:
            if _is_wide(values):
                self._table = self._table.astype(object)
                self.mixed = True
            elif values.dtype.kind == "c" and kind != "c":
                self._table = self._table.astype(complex)
                self.mixed = True
        if size > len(self._table):
            table = zeros(2 * size, self._table.dtype)
            table[: self._table_size] = self._table[: self._table_size]
            self._table = table
        self._table_size = size

    @property
    def wide(self) -> bool:
        """Whether a constant is kept that neither float64 nor complex128 holds."""
        return self._table.dtype.kind == "O"

    def known_values(self, ids: Ids, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Values of the constants among `ids`; zero (of no meaning) for the rest."""
        table = self._table  # which may hold objects: one of them alone is no array
        return _converted(asarray(table[np.maximum(-ids, 0)], table.dtype), dtype)

    def known_value(self, node: int, dtype: np.dtype[Any]) -> Any:
        """Value of one constant as a NumPy scalar of `dtype`."""
        value = self._table[-node]
        if self.mixed:
            return _converted(self._table[-node : -node + 1], dtype)[0]
        return dtype.type(value)

    def zeros_among(self, ids: Ids) -> NDArray[np.bool_]:
        """Where an id is that of a constant zero, of either sign."""
        zero: NDArray[np.bool_] = asarray(ids == ZERO)
        if self.signed_zeros:
            zero = zero | (ids < ZERO) & asarray(self._table[np.maximum(-ids, 0)] == 0, bool)
        return zero

    def rounded(self, ids: Ids, dtype: np.dtype[Any]) -> Ids:
        """Ids of the same elements in an array of `dtype`, which may hold fewer numbers.

        So the value of a constant is always one that the dtype of its array can hold.
        """
        if self._table_size == 1 or dtype is self._table.dtype:
            return ids  # each number of the table is one of this dtype
        known = ids < ZERO
        if not count_nonzero(known):
            return ids
        before = self._table[-ids[known]]
        after = _converted(before, dtype)
        same = (after == before) | (before != before)
        if dtype.kind != "c" and self.mixed:
            same &= [x.imag == 0 for x in before.tolist()]
        if same.all() and not (self.signed_zeros and dtype.kind in "biu"):
            return ids
        out = array(ids)
        out[known] = self.constant(after)
        return out

    # ----------------------------------------------------------------- nodes
    def inputs(self) -> Ids:
        """The ids of all inputs, one dimension."""
        return arange(FIRST_INPUT, FIRST_INPUT + self.n_inputs, dtype=np.int32)

    def _reserve(self, count: int, edges: int) -> int:
        """The first of `count` new ids, which are to have so many parents altogether.

        Scalar nodes gathered so far become a block.
        """
        if get_ident() != self.thread:
            self.other_thread(self)
        if self.size != self._settled:
            self._seal()
        self.room -= edges + _OVERHEAD
        if self.room < 0:
            self.outgrown(self)
        base = self.size
        if base + count > _LIMIT:
            raise GraphSizeError(
                f"a trace holds at most {_LIMIT} nodes; trace the function in parts"
            )
        self.size = self._settled = base + count
        return base

    def next_block(self) -> int:
        """The first id of the next block; scalar nodes gathered so far become one before it."""
        return self._reserve(0, 0)

    def append_columns(self, columns: list[Ids]) -> int:
        """The first of new nodes, each the union of its place of every column; kept as given."""
        size = len(columns[0])
        base = self._reserve(size, size * len(columns))
        self._blocks.append(Columns(base, size, columns))
        return base

    def append_rows(
        self, indptr: NDArray[np.int64], parents: Ids, *, sequential: bool = False
    ) -> int:
        """The first of new nodes, each the union of a CSR row; kept as given."""
        size = len(indptr) - 1
        base = self._reserve(size, len(parents))
        self._blocks.append(Rows(base, size, indptr, parents, sequential))
        return base

    def _seal(self) -> None:
        """Turn the scalar nodes gathered so far into a block."""
        self.check_order()
        count = len(self._first)
        first, second = array(self._first, np.int32), array(self._second, np.int32)
        base = self.size - count
        self._first, self._second = [], []
        self._settled = self.size
        self.room -= _OF_SCALAR * count
        if count == self._short:  # a short array alone, of which no node is another's parent
            self._blocks.append(Columns(base, count, [first, second]))
        elif count <= _APART:
            for i in range(count):
                both = [first[i : i + 1], second[i : i + 1]]
                same = bool(first[i] == second[i])
                self._blocks.append(Columns(base + i, 1, both[:1] if same else both))
        else:
            parents = empty((count, 2), np.int32)
            parents[:, 0], parents[:, 1] = first, second
            bounds = _BOUNDS[: count + 1]
            self._blocks.append(Rows(base, count, bounds, parents.reshape(-1), sequential=True))
        self._short = 0

    @property
    def blocks(self) -> list[Block]:
        """All blocks, in order, the last scalars included."""
        if self.size != self._settled:
            self._seal()
        return self._blocks

    def check_order(self) -> None:
        """Raise an error where two threads added scalar nodes at the same time.

        `node_scalar` is too short for a look at the thread.  Where a second call began
        before the first had ended, both took the same id, and the ids fall behind the
        nodes for good.
        """
        gathered = self.size - self._settled
        if not gathered == len(self._first) == len(self._second):
            refuse_thread(self)

    def share(self) -> None:
        """Look at the thread with every node from now on: there are several."""
        if type(self) is Graph:
            self.__class__ = SharedGraph

    def parents(self, node: int) -> list[int]:
        """What a node is the union of; nothing for an input."""
        if node >= self._settled:
            at = node - self._settled
            return [self._first[at], self._second[at]]
        place = bisect_right(self._blocks, node, key=_base_of) - 1
        if place < 0:
            if self.kept is None or node < FIRST_INPUT + self.n_inputs:
                return []
            return self.kept.parents_of(node)
        block = self._blocks[place]
        at = node - block.base
        if isinstance(block, Columns):
            return [int(column[at]) for column in block.columns]
        parents: list[int] = block.parents[block.indptr[at] : block.indptr[at + 1]].tolist()
        return parents

    def union_scalar(self, a: int, b: int) -> int:
        """Id of the union of two nodes (each greater than `OPAQUE`)."""
        return a if a == b else self.node_scalar(a, b)

    def node_scalar(self, a: int, b: int) -> int:
        """A new node that is the union of two nodes, perhaps of one and the same."""
        node = self.size
        if node >= self.gather_until:
            self._reserve(int(node >= _LIMIT), 0)
            self.gather_until = min(node + self.gathers, _LIMIT)
        self._first.append(a)
        self._second.append(b)
        self.size = node + 1
        return node

    def _are_nodes(self, a: Ids, b: Ids) -> bool:
        """Whether two short arrays hold nodes alone."""
        return self.pure or (lowest(a) > OPAQUE and lowest(b) > OPAQUE)

    def union_of_nodes(self, a: Ids, b: Ids) -> Ids:
        """As `union`, of arrays that hold nodes alone."""
        shape = a.shape
        if len(shape) == 1 and 1 < shape[0] <= _SHORT and b.shape == shape and a is not b:
            united = self._union_short(a, b)
            if united is not None:
                return united
        return self.union(a, b)

    def _union_short(self, a: Ids, b: Ids) -> Ids | None:
        """Union of two short arrays of nodes; None where these repeat themselves."""
        p, q = a.tolist(), b.tolist()
        if p == q:
            return a.copy()
        count = len(p)
        if p[0] == p[-1] and q[0] == q[-1] and count == p.count(p[0]) == q.count(q[0]):
            return None
        return self._gathered(p, q)

    def _gathered(self, p: list[int], q: list[int]) -> Ids:
        """New nodes that are the unions of nodes, pair by pair."""
        if get_ident() != self.thread:
            self.other_thread(self)
        node, count = self.size, len(p)
        if node + count > self.gather_until:
            self._reserve(count if node + count > _LIMIT else 0, 0)
            self.gather_until = min(node + self.gathers, _LIMIT)
        if node == self._settled:
            self._short = count
        self._first += p
        self._second += q
        self.size = node + count
        return arange(node, node + count, dtype=np.int32)

    def node(self, ids: Ids) -> Ids:
        """New nodes with one parent each; shape and memory order of `ids`."""
        if ids.ndim == 1 and 0 < ids.size <= _SHORT and (self.pure or lowest(ids) > OPAQUE):
            parents = ids.tolist()
            return self._gathered(parents, parents)
        order: Any = "K" if ids.flags.c_contiguous or ids.flags.f_contiguous else "C"
        columns: Sequence[Ids] | None = (
            sliced([ids.reshape(-1)]) if ids.flags.c_contiguous else None
        )
        base = self._reserve(ids.size, ids.size)
        self._blocks.append(Columns(base, ids.size, columns or [ids.flatten(order)]))
        made = arange(base, base + ids.size, dtype=np.int32)
        if order == "K" and not ids.flags.c_contiguous:
            return made.reshape(ids.shape[::-1]).T
        return made.reshape(ids.shape)

    def union(self, a: Ids, b: Ids) -> Ids:
        """Elementwise union of two id arrays that broadcast.

        Where one side carries no dependency the other side's id comes back; where
        neither does, the result is `OPAQUE` (the caller knows better or not).
        """
        if a is b:
            return a.copy(order="K")
        shape = a.shape
        if b.shape == shape:
            if len(shape) == 1 and 1 < shape[0] <= _SHORT and self._are_nodes(a, b):
                united = self._union_short(a, b)
                if united is not None:
                    return united
            in_c_order = a.flags.c_contiguous or b.flags.c_contiguous
            if not in_c_order and a.flags.f_contiguous and b.flags.f_contiguous:
                return self.union(a.T, b.T).T  # keep the memory order, as NumPy does
        else:
            shape = np.broadcast(a, b).shape
        if a.shape == b.shape and a.flags.c_contiguous and b.flags.c_contiguous:
            united = self._united_slices(a.reshape(-1), b.reshape(-1))
            if united is not None:
                return united.reshape(shape)
        p, q = _filled(a, shape), _filled(b, shape)
        m = p.size
        if m < 2:
            return self._union_flat(p, q).reshape(shape)
        # along an axis on which both repeat themselves one union serves for all
        inner = shape[-1]
        if inner > 1 and p[0] == p[1] and q[0] == q[1]:
            rows_p, rows_q = p.reshape(-1, inner), q.reshape(-1, inner)
            if (rows_p == rows_p[:, :1]).all() and (rows_q == rows_q[:, :1]).all():
                once = self._union_flat(rows_p[:, 0].copy(), rows_q[:, 0].copy())
                return repeat(once, inner).reshape(shape)
        elif len(shape) > 1 and shape[-2] > 1 and p[0] == p[inner] and q[0] == q[inner]:
            cubes_p = p.reshape(-1, shape[-2], inner)
            cubes_q = q.reshape(-1, shape[-2], inner)
            if (cubes_p == cubes_p[:, :1]).all() and (cubes_q == cubes_q[:, :1]).all():
                once = self._union_flat(cubes_p[:, 0].reshape(-1), cubes_q[:, 0].reshape(-1))
                once = once.reshape(-1, 1, inner)
                return repeat(once, shape[-2], axis=1).reshape(shape)
        return self._union_flat(p, q).reshape(shape)

    def _united_slices(self, p: Ids, q: Ids) -> Ids | None:
        """Union of two long arrays of few progressions, which are kept as such, else None."""
        columns = sliced([p, q])
        if columns is None:
            return None
        first, second = columns.pieces
        if _repeats(first) and _repeats(second):
            return None  # perhaps in the same places
        without: list[slice] = []
        """Where one of both carries no dependency."""
        for start, stop, low, step in (*first, *second):
            high = low + step * (stop - start - 1)
            if min(low, high) <= OPAQUE:
                if max(low, high) > OPAQUE:
                    return None
                without.append(slice(start, stop))
        count = sum(some.stop - some.start for some in without)
        if first == second or 2 * count > p.size:
            return None
        base = self._reserve(p.size, 2 * p.size)
        self._blocks.append(Columns(base, p.size, columns))
        new = arange(base, base + p.size, dtype=np.int32)
        for some in without:
            new[some] = np.maximum(np.maximum(p[some], q[some]), OPAQUE)
        return new

    def _union_flat(self, p: Ids, q: Ids) -> Ids:
        """Union of two arrays of one dimension that the graph may keep."""
        m = p.size
        if not m:
            return p
        if p[0] == q[0] and p[-1] == q[-1] and (p == q).all():
            if not self.pure:
                p[p < OPAQUE] = OPAQUE
            return p
        if not self.pure:
            both = p > OPAQUE
            both &= q > OPAQUE
            count = int(np.count_nonzero(both))
            if count < m:
                return self._union_impure(p, q, both, count)
        if m <= _SHORT:
            return self._gathered(p.tolist(), q.tolist())
        base = self._reserve(m, 2 * m)
        self._blocks.append(Columns(base, m, [p, q]))
        return arange(base, base + m, dtype=np.int32)

    def _union_impure(self, p: Ids, q: Ids, both: NDArray[np.bool_], count: int) -> Ids:
        """Union where some elements carry no dependency on one side or both."""
        if 2 * count >= p.size:
            # mostly real unions: a block of full size keeps the runs whole
            base = self._reserve(p.size, 2 * p.size)
            self._blocks.append(Columns(base, p.size, [p, q]))
            new = arange(base, base + p.size, dtype=np.int32)
            rest = np.flatnonzero(~both)
            new[rest] = np.maximum(np.maximum(p[rest], q[rest]), OPAQUE)
            return new
        out = np.maximum(p, q)
        np.maximum(out, OPAQUE, out=out)
        if count:
            at = np.flatnonzero(both)
            base = self._reserve(count, 2 * count)
            self._blocks.append(Columns(base, count, [p[at], q[at]]))
            out[at] = arange(base, base + count, dtype=np.int32)
        return out

    def union_all(self, id_arrays: Sequence[Ids]) -> Ids:
        """Elementwise union of several id arrays that broadcast."""
        out = id_arrays[0]
        for ids in id_arrays[1:]:
            out = self.union(out, ids)
        return out.copy(order="K") if out is id_arrays[0] else out

    def union_columns(self, columns: Sequence[Ids]) -> Ids:
        """Elementwise union of id arrays of one shape, which the graph keeps.

        An element without a dependency is `OPAQUE`.
        """
        if len(columns) == 1:
            return asarray(np.maximum(columns[0], OPAQUE))
        shape, size = columns[0].shape, columns[0].size
        base = self._reserve(size, size * len(columns))
        kept = [ids.reshape(-1) for ids in columns]
        self._blocks.append(Columns(base, size, sliced(kept) or kept))
        out = arange(base, base + size, dtype=np.int32).reshape(shape)
        if not self.pure:
            out[reduce(np.maximum, columns) <= OPAQUE] = OPAQUE
        return out

    def union_rows(self, ids: Ids) -> Ids:
        """Union over the last axis: shape ``(..., k)`` -> ``(...)``.

        A row with one dependency is that node itself; a row with none is `OPAQUE`.
        """
        shape, k = ids.shape[:-1], ids.shape[-1]
        rows = prod(shape)
        if k == 0 or rows == 0:
            return full(shape, self.opaque if rows else OPAQUE, np.int32)
        if k == 1:
            return asarray(np.maximum(ids[..., 0], OPAQUE))
        if not self.pure:
            traced = ids > OPAQUE
            if not traced.all():
                all_parents, mask = ids.reshape(rows, k), traced.reshape(rows, k)
                indptr = zeros(rows + 1, np.int64)
                np.cumsum(np.count_nonzero(mask, axis=1), out=indptr[1:])
                return self.union_segments(indptr, all_parents[mask]).reshape(shape)
        if k <= _NARROW and rows >= k:
            columns = list(array(ids.reshape(rows, k).T, order="C"))
            base = self._reserve(rows, rows * k)
            self._blocks.append(Columns(base, rows, columns))
        else:
            base = self._reserve(rows, rows * k)
            indptr = arange(0, rows * k + 1, k, dtype=np.int64)
            self._blocks.append(Rows(base, rows, indptr, ids.flatten()))
        return arange(base, base + rows, dtype=np.int32).reshape(shape)

    def union_table(self, indptr: NDArray[np.int64], parents: Ids) -> Ids:
        """One union per CSR row, each of two parents or more that are all traced."""
        base = self.append_rows(indptr, parents)
        return arange(base, base + len(indptr) - 1, dtype=np.int32)

    def union_segments(self, indptr: NDArray[np.int64], parents: Ids) -> Ids:
        """One union per CSR row of ids, each greater than `OPAQUE`; shape ``(rows,)``.

        A row with one parent is that node itself; an empty row is `OPAQUE`.
        """
        counts = indptr[1:] - indptr[:-1]
        many = counts > 1
        n = int(count_nonzero(many))
        if n == len(counts) and n:
            return self.union_table(indptr, array(parents, np.int32))
        out = empty(len(counts), np.int32)
        one = counts == 1
        single = int(count_nonzero(one))
        if n + single < len(counts):
            out.fill(self.opaque)
        if single:
            out[one] = parents[indptr[:-1][one]]
        if n:
            if n < len(counts):
                parents = parents[repeat(many, counts)]
                indptr = zeros(n + 1, np.int64)
                counts[many].cumsum(out=indptr[1:])
            base = self._reserve(n, len(parents))
            self._blocks.append(Rows(base, n, indptr, asarray(parents, np.int32)))
            out[many] = arange(base, base + n, dtype=np.int32)
        return out


def _repeats(pieces: Sequence[Piece]) -> bool:
    """Whether progressions begin with the same id again, or with the one after it."""
    return not pieces[0][3] or (len(pieces) > 1 and pieces[0][2] == pieces[1][2])


def _is_wide(values: NDArray[Any]) -> bool:
    """Whether there is a number among them that the table's own types do not hold."""
    dtype = values.dtype
    if dtype.kind in "iu" and dtype.itemsize == 8 and values.size:
        return bool(values.max() > _EXACT or values.min() < -_EXACT)
    narrow = {"f": _FLOAT, "c": _COMPLEX}.get(dtype.kind)
    if narrow is None or dtype.itemsize <= narrow.itemsize:
        return False
    with np.errstate(all="ignore"):
        return not bool(((values.astype(narrow) == values) | (values != values)).all())


def _converted(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Numbers of the table as those of a dtype, as NumPy converts them."""
    with np.errstate(all="ignore"):
        if values.dtype.kind == "O":
            # one by one: each has a type of its own
            made = empty(values.size, dtype)
            for i, value in enumerate(values.reshape(-1).tolist()):
                number = asarray(value if dtype.kind == "c" else value.real)
                made[i] = number.astype(dtype)
            return made.reshape(values.shape)
        if values.dtype.kind == "c" and dtype.kind != "c":
            values = values.real
        return values.astype(dtype)


# bound early: methods of arrays may be wrapped for user code, too
_place_of_least, _place_of_greatest = np.ndarray.argmin, np.ndarray.argmax


def lowest(ids: Ids) -> int:
    """The least of some ids, one at least; of few in a third of the time of ``np.minimum``."""
    if ids.size == 1:  # which may be no array
        return ids.item()
    if ids.size < _FEW:
        return ids.item(_place_of_least(ids))
    return int(np.minimum.reduce(ids, axis=None))


def highest(ids: Ids) -> int:
    """The greatest of some ids, likewise."""
    if ids.size == 1:  # which may be no array
        return ids.item()
    if ids.size < _FEW:
        return ids.item(_place_of_greatest(ids))
    return int(np.maximum.reduce(ids, axis=None))


def filled(ids: Ids, shape: tuple[int, ...]) -> Ids:
    """A copy of `ids`, broadcast to `shape`; faster than ``np.broadcast_to``."""
    out = empty(shape, np.int32)
    out[...] = ids
    return out


def _filled(ids: Ids, shape: tuple[int, ...]) -> Ids:
    """The same in one dimension."""
    return ids.flatten() if ids.shape == shape else filled(ids, shape).reshape(-1)


class SharedGraph(Graph):
    """A graph that several threads add to, one at a time."""

    __slots__ = ()

    def node_scalar(self, a: int, b: int) -> int:
        """As `Graph.node_scalar`, in the thread whose turn it is."""
        if get_ident() != self.thread:
            self.other_thread(self)
        return super().node_scalar(a, b)


def _ignore(graph: Graph) -> None:
    """Let a graph grow."""


def refuse_thread(graph: Graph) -> None:
    """Refuse what another thread adds to a graph."""
    raise TracingError(
        explain(
            "a traced operation in another thread",
            "two threads at once would mix up their results",
            "Call the functions one after the other.",
        )
    )
