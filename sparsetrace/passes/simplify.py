"""From the graph of a trace to the program that a store runs: fewer and wider unions.

Contract: the program unites exactly what the graph does.  Five changes make it small:

* *liveness*: what no output needs is left out;
* *aliases*: a union whose parents are all the same node is that node;
* *absorption*: in ``x - max(x)`` the union of ``x[i]`` and ``max(x)`` is ``max(x)``,
  for ``x[i]`` is among its parents;
* *flattening*: the union of a union, used once and element by element, becomes one
  wider union, so that a sum of 27 shifted slices is sorted once;
* *opening*: rows of nodes that only they use, or that are cheap, become rows of their
  parents, so that what is scattered over a mesh is united once.

Runs of tiny blocks and of scalars become one block that is flattened as a tree.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, Block, Columns, Graph, Ids, Rows
from sparsetrace.graph.slices import counts_up, slices
from sparsetrace.passes.compact import compacted
from sparsetrace.passes.scalar_chains import flattened_tree, merged

__all__ = ["Program", "simplified", "simplify"]

_WIDEST = 64
"""Flattening stops at this many parents an element."""
_LARGE_BLOCK, _FEW_OUTPUTS = 4096, 16
"""Of a block of this size one row in so many is solved alone, where only outputs need it."""
_WIDEST_ROWS = 24
"""Rows are opened into other rows up to this many parents on the average."""
_OPENED_FROM, _OPENED_TO = 512, 2**26
"""Rows with so many parents in all are looked into."""
_SHARED_WIDTH = 4
"""A block that several others use is still flattened into them up to this width."""
_SHORT, _FEW = 4096, 16
"""So many columns of up to this length are measured together."""
_REDUCTION_WIDTH = 3
"""From this width on a block is remembered for absorption."""


@dataclass(slots=True)
class Program:
    """Blocks in an order in which each needs only inputs and earlier blocks.

    Attributes
    ----------
    n_inputs : int
    blocks : list of Columns or Rows
    outputs : ndarray of int32
        Node ids whose patterns are wanted; ids up to `OPAQUE` have none.
    """

    n_inputs: int
    blocks: list[Block]
    outputs: Ids


def simplify(graph: Graph, outputs: Ids | Sequence[Ids]) -> Program:
    """The program for the patterns of `outputs`: one dimension, perhaps in several parts.

    Examples
    --------
    >>> g = Graph(40)
    >>> x = g.inputs()
    >>> y = g.union(g.union(x[2:], x[1:-1]), x[:-2])
    >>> program = simplify(g, y)
    >>> [len(block.columns) for block in program.blocks]
    [3]
    """
    arrays = [outputs] if isinstance(outputs, np.ndarray) else outputs
    blocks, arrays = compacted(graph, arrays)
    return simplified(graph.n_inputs, blocks, arrays)


def simplified(n_inputs: int, blocks: Sequence[Block], outputs: Sequence[Ids]) -> Program:
    """The same of blocks that follow one another without a gap."""
    return _Simplifier(n_inputs, merged(blocks)).run(outputs)


def narrowed(program: Program, outputs: Ids) -> Program:
    """What of a program some of its outputs need.

    Examples
    --------
    >>> g = Graph(4)
    >>> program = simplify(g, g.union(g.inputs()[1:], g.inputs()[:-1]))
    >>> [block.size for block in narrowed(program, program.outputs[:1]).blocks]
    [1]
    """
    blocks = sorted(program.blocks, key=lambda block: block.base)
    return _Simplifier(program.n_inputs, blocks).run([outputs])


# ---------------------------------------------------------------- the passes
class _Distinct:
    """Columns without repetitions, in order of arrival."""

    __slots__ = ("_by_ends", "columns")

    def __init__(self) -> None:
        self.columns: list[Ids] = []
        self._by_ends: dict[tuple[int, int], list[Ids]] = {}

    def add(self, new: Ids) -> None:
        """Append a column unless it says nothing or is there already."""
        if not len(new):
            self.columns = [new]
            return
        ends = (int(new[0]), int(new[-1]))
        if self.columns and max(ends) <= OPAQUE and (new <= OPAQUE).all():
            return
        alike = self._by_ends.setdefault(ends, [])
        if not any(column is new or (column == new).all() for column in alike):
            alike.append(new)
            self.columns.append(new)


@dataclass(slots=True)
class _State:
    """What is known of one block."""

    block: Block
    live: bool = False
    uses: int = 0
    needed: NDArray[np.int32] | None = None
    """For rows: how often each of them is needed."""
    low: int = 2**31
    high: int = -1
    """For columns: the first and the last node that is needed."""
    distinct: _Distinct | None = None
    flat: list[Ids] | None = None
    """The columns after flattening; one column makes an alias."""
    emitted: bool = False
    reduction: bool = False
    last: bool = False
    """No columns after this block: nothing can be absorbed into it."""


@dataclass(slots=True)
class _Extent:
    """Where an id array lies.

    Attributes
    ----------
    ids : ndarray
    states : list of _State
        The blocks that it touches.
    pure : bool
        Whether it lies in one block entirely; only then are the following known.
    is_range : bool
        Whether it counts up by one.
    low, high : int
        Its smallest and its largest id.
    """

    ids: Ids
    states: list[_State]
    pure: bool = False
    is_range: bool = False
    low: int = 0
    high: int = 0


class _Simplifier:
    def __init__(self, n_inputs: int, blocks: list[Block]) -> None:
        self.n_inputs = n_inputs
        self.first_node = FIRST_INPUT + n_inputs
        self.states = [_State(block) for block in blocks]
        self.base_list = [block.base for block in blocks]
        self.bases = np.array(self.base_list, np.int64)
        self.extents: dict[int, _Extent] = {}
        self.size = blocks[-1].base + blocks[-1].size if blocks else self.first_node
        self.owner: NDArray[np.int32] | None = None
        self.aliases = False
        self.program: list[Block] = []
        self.replaced: dict[int, Block] = {}
        self.to_open: dict[int, dict[int, _State]] = {}

    def run(self, outputs: Sequence[Ids]) -> Program:
        arrays = [np.ascontiguousarray(ids) for ids in outputs]
        self._measure_together()
        for ids in arrays:
            self._mark(ids)
        for state in reversed(self.states):
            if state.live:
                self._mark_parents(state)
        live = [state for state in self.states if state.live]
        for state in reversed(live):
            state.last = True
            if isinstance(state.block, Columns) and len(state.block.columns) > 1:
                break
        for state in live:
            self._forward(state)
        shown = [self._canonical(ids) for ids in arrays]
        self._emit_outputs(shown)
        blocks = [
            self._columns_opened(self.replaced.get(block.base, block)) for block in self.program
        ]
        return Program(
            self.n_inputs, blocks, shown[0] if len(shown) == 1 else np.concatenate(shown)
        )

    # ------------------------------------------------------------- liveness
    def _extent(self, ids: Ids) -> _Extent:
        """Where the ids lie; computed once for each array."""
        known = self.extents.get(id(ids))
        if known is None:
            known = self.extents[id(ids)] = self._measured(ids)
        return known

    def _measure_together(self) -> None:
        """The extents of all short columns, in a few calls for all of them."""
        columns = [
            column
            for state in self.states
            if isinstance(state.block, Columns) and 0 < state.block.size <= _SHORT
            for column in state.block.columns
        ]
        if len(columns) < _FEW:
            return
        starts = np.zeros(len(columns), np.int64)
        np.cumsum([len(column) for column in columns[:-1]], out=starts[1:])
        every = np.concatenate(columns)
        rises = np.empty(len(every), bool)
        np.equal(every[1:] - every[:-1], 1, out=rises[1:])
        rises[starts] = True
        measures = (
            np.minimum.reduceat(every, starts).tolist(),
            np.maximum.reduceat(every, starts).tolist(),
            np.logical_and.reduceat(rises, starts).tolist(),
        )
        for column, low, high, is_range in zip(columns, *measures, strict=True):
            self.extents[id(column)] = self._placed(column, low, high, is_range=is_range)

    def _measured(self, ids: Ids) -> _Extent:
        if not ids.size:
            return _Extent(ids, [])
        start, stop = int(ids[0]), int(ids[-1])
        if start >= self.first_node and counts_up(ids):
            return self._placed(ids, start, stop, is_range=True)
        high = int(np.maximum.reduce(ids))
        low = int(np.minimum.reduce(ids)) if high >= self.first_node else 0
        return self._placed(ids, low, high, is_range=False)

    def _placed(self, ids: Ids, low: int, high: int, *, is_range: bool) -> _Extent:
        if high < self.first_node:
            return _Extent(ids, [])
        last = bisect_right(self.base_list, high) - 1
        if low >= self.base_list[last]:
            return _Extent(ids, [self.states[last]], True, is_range, low, high)
        found: set[int] = set()
        for some in slices(len(ids)):
            inner = ids[some]
            inner = inner[inner >= self.first_node]
            if not len(inner):
                continue
            first = bisect_right(self.base_list, int(inner.min())) - 1
            if first == bisect_right(self.base_list, int(inner.max())) - 1:
                found.add(first)
                continue
            counts = np.bincount(np.searchsorted(self.bases, inner, side="right") - 1 - first)
            found.update((np.flatnonzero(counts) + first).tolist())
        return _Extent(ids, [self.states[i] for i in sorted(found)])

    def _touched(self, ids: Ids) -> list[_State]:
        """The blocks that these ids lie in."""
        return self._extent(ids).states

    def _mark(self, ids: Ids) -> None:
        extent = self._extent(ids)
        for state in extent.states:
            state.live = True
            state.uses += 1
            base, size = state.block.base, state.block.size
            columns = isinstance(state.block, Columns)
            if columns and extent.pure:
                state.low = min(state.low, extent.low)
                state.high = max(state.high, extent.high)
                continue
            if columns:
                for some in slices(len(ids)):
                    part = ids[some]
                    inside = part[_inside(state.block, part)]
                    if len(inside):
                        state.low = min(state.low, int(inside.min()))
                        state.high = max(state.high, int(inside.max()))
                continue
            inside = ids if extent.pure else ids[_inside(state.block, ids)]
            if state.needed is None:
                state.needed = np.zeros(size, np.int32)
            if extent.is_range:
                state.needed[extent.low - base : extent.high + 1 - base] += 1
            else:
                state.needed += np.bincount(inside - base, minlength=size)

    def _mark_parents(self, state: _State) -> None:
        block = state.block
        if isinstance(block, Columns):
            lo, hi = state.low - block.base, state.high + 1 - block.base
            if hi - lo < block.size:
                sliced = [column[lo:hi] for column in block.columns]
                state.block = block = Columns(state.low, hi - lo, sliced)
            for column in block.columns:
                self._mark(column)
            return
        assert state.needed is not None
        if block.sequential:
            unions = flattened_tree(block, state.needed > 0)
            state.block = block = unions
            outside = block.parents[block.parents < block.base]
            self._mark(outside)
            return
        if not state.needed.all():
            state.block = block = _without_rows(block, state.needed > 0)
        self._mark(block.parents)

    # -------------------------------------------------------------- forward
    def _forward(self, state: _State) -> None:
        block = state.block
        if isinstance(block, Rows):
            self._forward_rows(state, block)
            return
        columns = list(block.columns)
        if self.aliases:
            distinct = _Distinct()
            for column in columns:
                distinct.add(self._canonical(column))
            columns = distinct.columns
        if self.owner is not None and len(columns) > 1:
            columns = self._absorbed(columns)
        if len(columns) >= _REDUCTION_WIDTH and not state.last:
            self._own(columns, block.base, block.size)
            state.reduction = True
        flattened = self._taken_over(columns)
        for i, column in enumerate(columns):
            room = _WIDEST - len(flattened.columns) - (len(columns) - 1 - i)
            for ids in self._opened(column, room):
                flattened.add(ids)
        state.distinct, state.flat = flattened, flattened.columns
        self.aliases |= len(flattened.columns) == 1

    def _forward_rows(self, state: _State, block: Rows) -> None:
        if block.sequential:
            for touched in self._touched(block.parents[block.parents < block.base]):
                self._emit(touched)
            self.program.append(block)
            state.emitted = True
            return
        parents = self._canonical(block.parents)
        if parents is not block.parents:
            counts = np.diff(block.indptr)
            first = parents[np.minimum(block.indptr[:-1], max(len(parents) - 1, 0))]
            if len(parents) and (parents == np.repeat(first, counts)).all():
                state.flat = [np.where(counts > 0, first, np.int32(0))]
                self.aliases = True
                return
        if not state.last:
            self._own_rows(block, parents)
            state.reduction = True
        state.block = self._with_opened(block, parents)
        self.program.append(state.block)
        state.emitted = True

    def _with_opened(self, block: Rows, parents: Ids) -> Rows:
        """The same unions of the parents of nodes that nothing else uses, or that are cheap.

        Columns are opened at the end, once for all rows that were opened into one another.
        """
        looks = _OPENED_FROM <= len(parents) <= _OPENED_TO
        opening = _Opening(parents)
        columns = self.to_open.setdefault(block.base, {})
        for touched in self._touched(parents):
            inner = touched.block
            if not looks:
                self._emit(touched)
                continue
            inside = _inside(inner, parents)
            if not isinstance(inner, Rows):
                if self._opens_into_rows(touched, int(np.count_nonzero(inside))):
                    self._emit_parents(touched)
                    columns[inner.base] = touched
                else:
                    self._emit(touched)
            elif not inner.sequential and touched.needed is not None:
                # an alias may be used more often than counted, but not what is itself named
                alone = (touched.needed == 1) & _named(inner, block.parents)
                inside[inside] = alone[parents[inside] - inner.base]
                mentions = int((inner.indptr[1:] - inner.indptr[:-1])[alone].sum())
                if mentions and len(parents) + mentions <= _WIDEST_ROWS * block.size:
                    opening.rows(inside, inner)
                    columns.update(self.to_open[inner.base])
                    touched.block = self.replaced[inner.base] = _without_rows(inner, ~alone)
        return Rows(block.base, block.size, *opening.written(block.indptr))

    def _columns_opened(self, block: Block) -> Block:
        columns = self.to_open.get(block.base)
        if not columns or isinstance(block, Columns):
            return block
        opening = _Opening(block.parents)
        for state in columns.values():
            inner, inside = state.block, _inside(state.block, block.parents)
            wide = np.stack(state.flat or [], axis=1)
            if inside.all():  # of one block, as those of a mesh's edges or elements
                parents = np.empty((len(block.parents), wide.shape[1]), np.int32)
                for some in slices(len(parents)):
                    at = block.parents[some] - np.int32(inner.base)
                    wide.take(at, axis=0, out=parents[some], mode="clip")  # else it is buffered
                return Rows(
                    block.base, block.size, block.indptr * wide.shape[1], parents.reshape(-1)
                )
            opening.columns(inside, inner.base, wide)
        return Rows(block.base, block.size, *opening.written(block.indptr))

    def _opens_into_rows(self, state: _State, mentions: int) -> bool:
        """Whether uniting each mention's own parents costs no more than the nodes once."""
        flattened = state.flat
        if flattened is None or state.emitted or state.reduction:
            return False
        if mentions > 2 * state.block.size:
            return False
        return state.uses == 1 or len(flattened) <= _SHARED_WIDTH

    def _own(self, columns: list[Ids], base: int, size: int) -> None:
        nodes = np.arange(base, base + size, dtype=np.int32)
        for column in columns:
            self._owners()[column] = nodes

    def _own_rows(self, block: Rows, parents: Ids) -> None:
        counts = np.diff(block.indptr)
        nodes = np.arange(block.base, block.base + block.size, dtype=np.int32)
        self._owners()[parents] = nodes[0] if block.size == 1 else np.repeat(nodes, counts)

    def _owners(self) -> NDArray[np.int32]:
        """For each node, the last reduction that it went into."""
        if self.owner is None:
            self.owner = np.zeros(self.size, np.int32)
        return self.owner

    def _single(self, ids: Ids) -> _State | None:
        """The one block that all these ids lie in, if there is one."""
        extent = self._extent(ids)
        return extent.states[0] if extent.pure else None

    def _canonical(self, ids: Ids) -> Ids:
        """Ids with aliases replaced by what they stand for."""
        while True:
            state = self._single(ids)
            if state is None:
                return self._canonical_mixed(ids)
            if state.flat is None or len(state.flat) != 1 or state.emitted:
                return ids
            extent, base = self._extent(ids), state.block.base
            if extent.is_range:
                ids = state.flat[0][extent.low - base : extent.high + 1 - base]
            else:
                ids = state.flat[0][ids - base]

    def _canonical_mixed(self, ids: Ids) -> Ids:
        """The same where the ids lie in several blocks."""
        touched = self._touched(ids)
        copied = False
        if len(touched) > 8:
            return ids
        for state in reversed(touched):
            if state.flat is not None and len(state.flat) == 1 and not state.emitted:
                base = state.block.base
                inside = (ids >= base) & (ids < base + state.block.size)
                if not copied:
                    ids, copied = ids.copy(), True
                ids[inside] = state.flat[0][ids[inside] - base]
        return ids

    def _absorbed(self, columns: list[Ids]) -> list[Ids]:
        """Without the columns whose elements went into another column's reduction."""
        by_first: dict[int, list[Ids]] = {}
        for column in columns:
            state = self._single(column)
            if state is not None and state.reduction:
                by_first.setdefault(int(column[0]), []).append(column)
        if not by_first:
            return columns
        assert self.owner is not None
        kept = []
        for small in columns:
            first = int(small[0])
            if first > OPAQUE:
                reductions = by_first.get(int(self.owner[first]), [])
            else:
                reductions = [big for some in by_first.values() for big in some]
            if not any(big is not small and self._went_into(small, big) for big in reductions):
                kept.append(small)
        return kept

    def _went_into(self, small: Ids, big: Ids) -> bool:
        """Whether each element went into the reduction beside it, or carries nothing."""
        assert self.owner is not None
        return bool(((self.owner[np.maximum(small, 0)] == big) | (small <= OPAQUE)).all())

    def _taken_over(self, columns: list[Ids]) -> _Distinct:
        """The flattened columns of a block that only this one uses, to be added to.

        So a sum of k terms costs k steps to flatten, not k * k.
        """
        state = self._single(columns[0]) if len(columns) > 1 else None
        if state is None or state.uses > 1 or state.distinct is None or state.emitted:
            return _Distinct()
        if not self._opens_whole(state, columns[0], _WIDEST - len(columns)):
            return _Distinct()
        del columns[0]
        taken, state.distinct = state.distinct, None
        return taken

    def _opens_whole(self, state: _State, column: Ids, room: int) -> bool:
        block, flattened = state.block, state.flat
        return (
            flattened is not None
            and len(flattened) <= room
            and not state.reduction
            and len(column) == block.size
            and self._extent(column).is_range
        )

    def _opened(self, column: Ids, room: int) -> list[Ids]:
        """The column, or the columns of the block that it is a slice of."""
        state = self._single(column)
        if state is None:
            for touched in self._touched(column):
                self._emit(touched)
            return [column]
        block, flattened = state.block, state.flat
        if flattened is not None and not state.emitted and len(flattened) <= room:
            cheap = state.uses == 1 or len(flattened) <= _SHARED_WIDTH
            if cheap and not state.reduction:
                extent, m = self._extent(column), len(column)
                if extent.is_range:
                    start = extent.low - block.base
                    if m == block.size:
                        return flattened
                    return [ids[start : start + m] for ids in flattened]
        self._emit(state)
        return [column]

    def _emit_outputs(self, arrays: list[Ids]) -> None:
        """Emit what outputs are; of columns that were opened elsewhere, the few rows that are."""
        rest: dict[int, tuple[_State, NDArray[np.bool_]]] = {}
        for ids in arrays:
            for state in self._touched(ids):
                block = state.block
                if state.emitted or block.size < _LARGE_BLOCK:
                    self._emit(state)
                    continue
                if block.base not in rest:
                    rest[block.base] = state, np.zeros(block.size, bool)
                needed = rest[block.base][1]
                extent = self._extent(ids)
                if extent.is_range:
                    needed[extent.low - block.base : extent.high + 1 - block.base] = True
                    continue
                for some in slices(len(ids)):
                    part = ids[some]
                    needed[part[_inside(block, part)] - np.int32(block.base)] = True
        few = []
        for state, needed in rest.values():
            if np.count_nonzero(needed) * _FEW_OUTPUTS < state.block.size:
                few.append((state, needed))
            else:
                self._emit(state)
        for state, _ in few:
            self._emit_parents(state)
        for state, needed in few:
            if not state.emitted:
                self._emit(state)
                block = self.program[-1]
                assert isinstance(block, Columns)
                self.program[-1] = _chosen(block, needed)

    def _emit(self, state: _State) -> None:
        if state.emitted or not state.live:
            return
        state.emitted = True
        self._emit_parents(state)
        assert state.flat is not None
        self.program.append(Columns(state.block.base, state.block.size, state.flat))

    def _emit_parents(self, state: _State) -> None:
        for column in state.flat or ():
            for touched in self._touched(column):
                self._emit(touched)


def _without_rows(block: Rows, needed: NDArray[np.bool_]) -> Rows:
    counts = np.diff(block.indptr)
    kept = np.repeat(needed, counts)
    indptr = np.zeros(block.size + 1, np.int64)
    np.cumsum(np.where(needed, counts, 0), out=indptr[1:])
    return Rows(block.base, block.size, indptr, block.parents[kept])


def _inside(block: Block, ids: Ids) -> NDArray[np.bool_]:
    inside = ids >= block.base
    inside &= ids < block.base + block.size
    return np.asarray(inside)


def _named(block: Rows, ids: Ids) -> NDArray[np.bool_]:
    """Which rows of a block are among these ids."""
    named = np.zeros(block.size, bool)
    at = ids - np.int32(block.base)
    named[at[(at >= 0) & (at < block.size)]] = True
    return named


def _chosen(block: Columns, needed: NDArray[np.bool_]) -> Rows:
    """The rows that are needed; the others are empty."""
    indptr = np.zeros(block.size + 1, np.int64)
    np.cumsum(np.where(needed, len(block.columns), 0), out=indptr[1:])
    parents = np.stack([column[needed] for column in block.columns], axis=1).reshape(-1)
    return Rows(block.base, block.size, indptr, parents)


class _Opening:
    """Parents in whose places the parents of some of them are written, all at once.

    All are rows of one CSR array: first each parent alone, then those of the blocks that are
    opened.  SciPy copies the rows that are named.
    """

    __slots__ = ("count", "names", "parents", "pool", "size", "starts")

    def __init__(self, parents: Ids) -> None:
        self.parents = parents
        self.count = self.size = len(parents)
        self.names: Ids | None = None
        self.starts: list[tuple[int, NDArray[np.int64]]] = []
        self.pool = [parents]

    def rows(self, inside: NDArray[np.bool_], inner: Rows) -> None:
        """Open the nodes that are inside, all of them rows of an earlier block."""
        self._open(inside, inner.base, inner.indptr[:-1], inner.parents)

    def columns(self, inside: NDArray[np.bool_], base: int, wide: Ids) -> None:
        """Open the nodes that are inside, all of them of a block: its columns side by side."""
        self._open(inside, base, np.arange(0, wide.size, wide.shape[1]), wide.reshape(-1))

    def _open(
        self, inside: NDArray[np.bool_], base: int, starts: NDArray[np.int64], new: Ids
    ) -> None:
        if self.names is None:
            self.names = np.arange(self.count, dtype=np.int32)
        np.add(self.parents, np.int32(self.count - base), out=self.names, where=inside)
        self.starts.append((self.size, starts))
        self.pool.append(new)
        self.count += len(starts)
        self.size += len(new)

    def written(self, indptr: NDArray[np.int64]) -> tuple[NDArray[np.int64], Ids]:
        """The CSR rows of what `indptr` bounded before."""
        if self.names is None:
            return indptr, self.parents
        narrow = self.size <= np.iinfo(np.int32).max  # SciPy wants both of one type
        bounds = np.full(self.count + 1, self.size, np.int32 if narrow else np.int64)
        at = len(self.parents)
        bounds[:at] = np.arange(at)
        for size, starts in self.starts:
            np.add(starts, size, out=bounds[at : at + len(starts)], casting="same_kind")
            at += len(starts)
        pool = np.concatenate(self.pool)
        every = csr_array((np.zeros(self.size, np.int8), pool, bounds), shape=(self.count, 1))
        rows = every[self.names]
        return rows.indptr[indptr].astype(np.int64), rows.indices.astype(np.int32, copy=False)
