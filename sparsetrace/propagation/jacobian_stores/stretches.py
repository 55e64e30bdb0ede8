"""Programs of long slices, solved without a look at single elements.

Contract: same answer as every store, where it gives one.  Ids that stand in few arithmetic
progressions, as those of slices do, need one union for each stretch in which all columns are
such; a stretch holds what its elements depend on as offsets that move along with them, and as
inputs that stay::

    x[1:] - x[:-1]      ->  element i: inputs i + {0, 1}
    x[1:] - x[0]        ->  element i: inputs i + {1}, and {0}

Only blocks that an output needs are looked at.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from sparsetrace.graph.graph import FIRST_INPUT, Block, Columns, Ids, Rows
from sparsetrace.graph.progressions import LONG, Piece, SlicedColumns, cut, seems_ragged
from sparsetrace.passes.simplify import Program
from sparsetrace.propagation.jacobian_stores.csr import RunEntries
from sparsetrace.propagation.jacobian_stores.expand import expand
from sparsetrace.propagation.jacobian_stores.sizes import fits

__all__ = ["multiplied", "solve"]

_SHORT = 64
"""Arrays are longer than so many ids, on the average."""
_STRETCHES = 16
"""A block may take so many stretches on the way, and one more for so many parents."""
_MOST_ROWS = 64
"""Rows are united one by one, up to so many."""
_OFFSETS = 16
"""So many offsets are moved in the time that a stretch takes besides."""
_MOST_STAYING = 4096
"""Inputs that stay, of all nodes that are multiplied."""


class _TooRagged(Exception):
    """More stretches than pay, or such as are not held."""


class _Stretch(NamedTuple):
    """What the elements before `stop`, from where the stretch before it ends, depend on.

    Element i: the inputs ``stride * i + offset``, and those that stay.
    """

    stop: int
    stride: int
    offsets: frozenset[int]
    staying: BitMap | None


_NO_OFFSETS: frozenset[int] = frozenset()


def solve(program: Program) -> tuple[NDArray[np.integer], Ids] | None:
    """Patterns of the outputs as CSR index arrays; None where stretches are short.

    Parameters
    ----------
    program : Program
        As a graph has it: nothing is gained by making it small.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> g = Graph(100)
    >>> y = g.union(g.inputs()[1:], g.inputs()[:-1])
    >>> indptr, indices = solve(Program(100, g.blocks, y))
    >>> indptr[:4].tolist(), indices[:6].tolist()
    ([0, 2, 4, 6], [0, 1, 1, 2, 2, 3])
    """
    if not len(program.outputs) or _are_ragged(program.blocks):
        return None
    try:
        (found,) = _Solver(program.n_inputs, program.blocks).solved([program.outputs])
        return _written(_split(found))
    except _TooRagged:
        return None


def multiplied(
    n_inputs: int, blocks: Sequence[Block], pairs: Sequence[tuple[Ids, Ids]]
) -> list[RunEntries] | None:
    """The patterns of nodes that are multiplied, stretch by stretch; None where these are short.

    Parameters
    ----------
    n_inputs : int
    blocks : sequence of Columns or Rows
        Those of a graph.
    pairs : sequence of (ndarray, ndarray)
        Nodes that are multiplied with one another; the same array twice: with themselves.

    Returns
    -------
    list
        For each pair what `sparsetrace.propagation.hessian_stores.bands` takes.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> g = Graph(100)
    >>> y = g.union(g.inputs()[1:], g.inputs()[:-1])
    >>> ((lengths, ((rows, values, growth),)),) = multiplied(100, g.blocks, [(y, y)])
    >>> lengths, values, growth
    (array([99]), array([0, 1], dtype=int32), array([1, 1], dtype=int32))
    """
    pairs = [(left, right) for left, right in pairs if len(left)]
    if not pairs or _are_ragged(blocks):
        return None
    arrays = [ids for left, right in pairs for ids in ([left] if left is right else [left, right])]
    try:
        found = iter(_Solver(n_inputs, blocks).solved(arrays))
        groups = []
        for left, right in pairs:
            sides = [next(found)] if left is right else [next(found), next(found)]
            groups.append(_group(sides))
    except _TooRagged:
        return None
    return groups


# ------------------------------------------------------------------------------- what pays
def _are_ragged(blocks: Sequence[Block]) -> bool:
    """Whether id arrays are short, rows many, or progressions short at the first look at them."""
    arrays = 0
    for block in blocks:
        if isinstance(block, Rows):
            if block.size > _MOST_ROWS or block.sequential:
                return True
            arrays += 1
            continue
        arrays += len(block.columns)
        if not isinstance(block.columns, SlicedColumns) and any(map(seems_ragged, block.columns)):
            return True
    return sum(block.edges for block in blocks) < _SHORT * arrays


# ------------------------------------------------------------------------------- the solver
class _Solver:
    """The stretches of blocks, each made once.

    `starts` are the first ids of all blocks, that of the inputs among them, and `stretches` has
    those of a block at the same place; of constants nothing is known.
    """

    def __init__(self, n_inputs: int, blocks: Sequence[Block]) -> None:
        self._blocks = [block for block in blocks if block.size]
        self._starts = [FIRST_INPUT, *(block.base for block in self._blocks)]
        self._stretches: list[list[_Stretch]] = [[] for _ in self._starts]
        self._stretches[0] = [_Stretch(n_inputs, 1, frozenset([0]), None)]
        edges = sum(block.edges for block in blocks)
        self._left = _STRETCHES * (len(blocks) + 1) + edges // LONG

    def solved(self, arrays: Sequence[Ids]) -> list[list[_Stretch]]:
        """The stretches of some id arrays."""
        cuts = [*map(_cut, arrays)]
        wanted: set[int] = set()
        parts: dict[int, Sequence[tuple[Piece, ...]]] = {}
        for pieces in cuts:
            wanted.update(self._touched(pieces))
        for place in range(len(self._blocks), 0, -1):
            if place in wanted:
                parts[place] = _pieces(self._blocks[place - 1])
                for pieces in parts[place]:
                    wanted.update(self._touched(pieces))
        for place, columns in reversed(parts.items()):
            self._unite(place, columns)
        return [self._along(pieces) for pieces in cuts]

    def _spend(self, stretches: int) -> None:
        self._left -= stretches
        if self._left < 0:
            raise _TooRagged

    def _place(self, node: int) -> int:
        """That of the block in which a node lies; -1 for constants."""
        return bisect_right(self._starts, node) - 1

    def _touched(self, pieces: Sequence[Piece]) -> Iterator[int]:
        """The blocks in which the ids of progressions lie."""
        for start, stop, first, step in pieces:
            last = first + step * (stop - start - 1)
            yield from range(self._place(min(first, last)), self._place(max(first, last)) + 1)

    # ------------------------------------------------------------------------ unions
    def _unite(self, place: int, columns: Sequence[tuple[Piece, ...]]) -> None:
        """Make the stretches of a block."""
        block = self._blocks[place - 1]
        if isinstance(block, Columns):
            self._stretches[place] = self._united([self._along(pieces) for pieces in columns])
            return
        own, bounds = self._stretches[place], block.indptr.tolist()
        pieces = columns[0] if columns else ()
        for at, (lo, hi) in enumerate(pairwise(bounds)):
            found = self._along(_between(pieces, lo, hi))
            staying = BitMap()
            start = 0
            for stretch in found:
                staying |= _inputs(stretch, start, stretch.stop)
                start = stretch.stop
            _append(own, _Stretch(at + 1, 1, _NO_OFFSETS, staying or None))

    def _along(self, pieces: Sequence[Piece]) -> list[_Stretch]:
        """What progressions of ids depend on."""
        found: list[_Stretch] = []
        for start, stop, first, step in pieces:
            at = start
            while at < stop:
                stretch = self._next(at, stop, first + step * (at - start), step)
                at = stretch.stop
                _append(found, stretch)
        self._spend(len(found))
        return found

    def _next(self, at: int, stop: int, node: int, step: int) -> _Stretch:
        """The first stretch of a progression that begins with a node, and stops there at last."""
        place = self._place(node)
        if place < 0:  # constants
            if step > 0:
                stop = min(stop, at + -(-(FIRST_INPUT - node) // step))
            return _Stretch(stop, 1, _NO_OFFSETS, None)
        parent, stretches = node - self._starts[place], self._stretches[place]
        number = bisect_right(stretches, parent, key=_stop) if len(stretches) > 1 else 0
        there = stretches[number]
        if step > 0:
            stop = min(stop, at + -(-(there.stop - parent) // step))
        elif step < 0:
            begin = stretches[number - 1].stop if number else 0
            stop = min(stop, at + (parent - begin) // -step + 1)
        _, stride, offsets, staying = there
        if not offsets:
            return _Stretch(stop, 1, offsets, staying)
        if not step:
            return _Stretch(stop, 1, _NO_OFFSETS, _inputs(there, parent, parent + 1))
        if stop == at + 1:
            away, new = stride * parent - at, 1
        else:
            away, new = stride * (parent - step * at), stride * step
        if away:
            self._spend(len(offsets) // _OFFSETS)
            offsets = frozenset([away + offset for offset in offsets])
        return _Stretch(stop, new, offsets, staying)

    def _united(self, columns: Sequence[list[_Stretch]]) -> list[_Stretch]:
        """Columns united, stretch by stretch."""
        found = columns[0]
        for column in columns[1:]:
            found = self._both(found, column)
        return found

    def _both(self, left: list[_Stretch], right: list[_Stretch]) -> list[_Stretch]:
        found: list[_Stretch] = []
        for start, stop, a, b in _side_by_side(left, right):
            _append(found, _union(start, stop, a, b))
        self._spend(len(found))
        return found


def _stop(stretch: _Stretch) -> int:
    return stretch.stop


def _cut(ids: Ids) -> tuple[Piece, ...]:
    found = cut(ids)
    if found is None:
        raise _TooRagged
    return found


def _pieces(block: Block) -> Sequence[tuple[Piece, ...]]:
    """The progressions in the id arrays of a block."""
    if isinstance(block, Rows):
        return [_cut(block.parents)] if len(block.parents) else []
    if isinstance(block.columns, SlicedColumns):
        return block.columns.pieces
    return [*map(_cut, block.columns)]


def _between(pieces: Sequence[Piece], lo: int, hi: int) -> list[Piece]:
    """The progressions from a place on to another, counted from the first."""
    return [
        (max(start, lo) - lo, min(stop, hi) - lo, first + step * max(lo - start, 0), step)
        for start, stop, first, step in pieces
        if start < hi and stop > lo
    ]


def _inputs(stretch: _Stretch, start: int, stop: int) -> BitMap:
    """All inputs that elements of a stretch depend on."""
    found = BitMap() if stretch.staying is None else stretch.staying.copy()
    for offset in stretch.offsets:
        first = stretch.stride * start + offset
        last = first + stretch.stride * (stop - start - 1)
        found |= BitMap(range(min(first, last), max(first, last) + 1, abs(stretch.stride)))
    return found


def _side_by_side(
    left: Sequence[_Stretch], right: Sequence[_Stretch]
) -> Iterator[tuple[int, int, _Stretch, _Stretch]]:
    """Two lists of stretches cut at the same places: where each pair begins and ends, and both."""
    start = i = j = 0
    size = left[-1].stop
    while start < size:
        a, b = left[i], right[j]
        stop = min(a.stop, b.stop)
        yield start, stop, a, b
        i += a.stop == stop
        j += b.stop == stop
        start = stop


def _union(start: int, stop: int, a: _Stretch, b: _Stretch) -> _Stretch:
    """The union of two stretches from an element that both have to another."""
    _, stride, offsets, staying = a
    if b.offsets:
        if not offsets:
            stride, offsets = b.stride, b.offsets
        elif stride == b.stride:
            offsets = offsets | b.offsets
        elif stop == start + 1:
            away = (stride - 1) * start, (b.stride - 1) * start
            offsets = frozenset([away[0] + offset for offset in offsets])
            offsets |= {away[1] + offset for offset in b.offsets}
            stride = 1
        else:
            raise _TooRagged
    if b.staying is not None and staying is not b.staying:
        staying = b.staying if staying is None else staying | b.staying
    if offsets and staying is not None and abs(stride) == 1:
        offsets = frozenset(
            [offset for offset in offsets if not _stays(staying, start, stop, stride, offset)]
        )
    return _Stretch(stop, stride, offsets, staying)


def _stays(staying: BitMap, start: int, stop: int, stride: int, offset: int) -> bool:
    """Whether inputs that move along are all among those that stay."""
    ends = stride * start + offset, stride * (stop - 1) + offset
    return staying.contains_range(min(ends), max(ends) + 1)


def _append(found: list[_Stretch], stretch: _Stretch) -> None:
    """Add a stretch to those before it, or make the last of them longer."""
    if found:
        _, stride, offsets, staying = found[-1]
        if (
            offsets == stretch.offsets
            and (stride == stretch.stride or not offsets)
            and (staying is stretch.staying or staying == stretch.staying)
        ):
            found[-1] = stretch
            return
    found.append(stretch)


# ------------------------------------------------------------------------- what comes of it
def _split(stretches: Sequence[_Stretch]) -> list[_Stretch]:
    """The same with no stretch of several elements where some inputs move and others stay."""
    found: list[_Stretch] = []
    start = 0
    for stretch in stretches:
        stop = stretch.stop
        if not stretch.offsets or stretch.staying is None:
            found.append(stretch)
        elif stop - start <= _MOST_ROWS:
            for at in range(start, stop):
                found.append(_Stretch(at + 1, 1, _NO_OFFSETS, _inputs(stretch, at, at + 1)))
        else:
            raise _TooRagged
        start = stop
    return found


def _written(stretches: Sequence[_Stretch]) -> tuple[NDArray[np.integer], Ids] | None:
    """The entries of all elements; None if they do not fit."""
    counts = [
        len(stretch.offsets) or (0 if stretch.staying is None else len(stretch.staying))
        for stretch in stretches
    ]
    lengths = _lengths(stretches)
    indptr = np.zeros(len(stretches) + 1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    if not fits(int(lengths @ np.array(counts))):
        return None
    values, growth, start = [], [], 0
    for stretch in stretches:
        if stretch.offsets:
            first = stretch.stride * start
            values.append(np.array(sorted(stretch.offsets), np.int32) + np.int32(first))
        else:
            values.append(_array(stretch.staying))
        growth.append(stretch.stride if stretch.offsets else 0)
        start = stretch.stop
    steps = np.repeat(np.array(growth, np.int32), counts)
    return expand(indptr, np.concatenate(values), steps, lengths)


def _lengths(stretches: Sequence[_Stretch]) -> NDArray[np.int64]:
    """How many elements each has."""
    return np.diff([stretch.stop for stretch in stretches], prepend=0)


def _array(staying: BitMap | None) -> Ids:
    """Inputs that stay, in order."""
    if staying is None:
        return np.zeros(0, np.int32)
    return np.frombuffer(staying.to_array(), np.uint32).astype(np.int32)


def _group(sides: Sequence[Sequence[_Stretch]]) -> RunEntries:
    """The entries of nodes, or of such and of those that they are multiplied with."""
    if len(sides) > 1:
        cuts = [*_side_by_side(*sides)]
        left = [a._replace(stop=stop) for _, stop, a, _ in cuts]
        sides = [left, [b._replace(stop=stop) for _, stop, _, b in cuts]]
    columns = []
    for side in sides:
        rows: list[int] = []
        values: list[int] = []
        growth: list[int] = []
        start = 0
        for row, (stop, stride, offsets, staying) in enumerate(side):
            if staying is not None:
                if len(rows) + len(staying) > _MOST_STAYING:
                    raise _TooRagged
                values += staying
                growth += [0] * len(staying)
            values += [stride * start + offset for offset in offsets]
            growth += [stride] * len(offsets)
            rows += [row] * (len(values) - len(rows))
            start = stop
        columns.append(
            (np.array(rows, np.int64), np.array(values, np.int32), np.array(growth, np.int32))
        )
    return _lengths(sides[0]), columns
