"""Which nodes of a graph anybody may still ask for, while the function runs.

Contract: never too few, as far as Python can tell; often too many.  Every object that the garbage
collector knows is looked at, whoever holds it, and so are the package's own functions that are
running: whatever of theirs is an int32 array or a whole number may be node ids.  The collector
knows each traced array and number, each closure, generator, list and object with attributes.
What it does not know is held by these, or by a C call in progress; a node that is missed for that
is found out (`sparsetrace.graph.kept`).  Only the blocks of graphs are left out.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from threading import RLock, get_ident
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.complex_parts import PartTable
from sparsetrace.graph.graph import Columns, Graph, Ids, Rows
from sparsetrace.graph.interactions import Contraction, Products
from sparsetrace.graph.kept import Kept

__all__ = ["Sentinel", "held_nodes"]

_PACKAGE = __name__.partition(".")[0]
_RECORDS = frozenset((Columns, Rows, Products, Contraction, PartTable, Kept))
"""What a graph is made of."""
_NUMBERS = frozenset((int, np.int32, np.int64))
_UNSEEN = frozenset((tuple, dict))
"""Containers that the collector lets go of where they hold numbers or arrays alone."""
_AT_ONCE = 100_000
_one_at_a_time = RLock()
"""The lists of all objects that another thread has made would be looked at, too."""


class Sentinel:
    """An object as old as a trace, which shows whether the collector still knows what is as old.

    After ``gc.freeze()`` it does not.
    """

    __slots__ = ("__dict__",)


def held_nodes(graph: Graph, sentinel: Sentinel, end: int, frame: FrameType) -> Ids | None:
    """The nodes below `end`, ascending, that may be asked for; None where that cannot be known.

    Parameters
    ----------
    graph : Graph
    sentinel : Sentinel
        Made when the trace began.
    end : int
    frame : frame
        That of the code that adds to the graph: it and those that called it are looked at.

    Examples
    --------
    >>> g = Graph(1000)
    >>> sentinel, held = Sentinel(), [g.node(g.inputs())[7:9]]
    >>> bool(np.isin([1009, 1010], held_nodes(g, sentinel, g.size, sys._getframe())).all())
    True
    """
    with _one_at_a_time:
        return _held_nodes(graph, sentinel, end, frame)


def _held_nodes(graph: Graph, sentinel: Sentinel, end: int, frame: FrameType) -> Ids | None:
    objects = gc.get_objects()
    if not any(x is sentinel for x in objects):
        return None
    first = 2 + graph.n_inputs
    found = np.zeros(max(end - first, 0), bool)
    marks = _Marks(first, end, found)
    hidden = _hidden(objects)
    for start in range(0, len(objects), _AT_ONCE):
        some = [x for x in objects[start : start + _AT_ONCE] if id(x) not in hidden]
        marks.look_at(gc.get_referents(*some))
    del objects
    for values in _locals(frame):
        marks.look_at(values, running=True)
    _with_parts(graph, marks)
    return np.flatnonzero(found).astype(np.int32) + np.int32(first)


def _hidden(objects: list[Any]) -> set[int]:
    """The records that graphs are made of, and their lists, by identity."""
    hidden = {id(objects)}
    for x in objects:
        cls = type(x)
        if cls in _RECORDS:
            hidden.add(id(x))
            if cls is Columns:
                hidden.add(id(x.columns))
            elif cls is PartTable:
                hidden.add(id(x.parts))
        elif issubclass(cls, Graph):
            hidden.add(id(x))  # its numbers gathered, its sizes
            hidden.update((id(x._blocks), id(x._first), id(x._second), id(x.scalar_products)))
    return hidden


class _Marks:
    """Nodes found so far."""

    def __init__(self, first: int, end: int, found: NDArray[np.bool_]) -> None:
        self._first, self._end, self._found = first, end, found
        self._arrays: set[int] = set()

    def look_at(self, values: Iterable[Any], *, running: bool = False) -> None:
        """Mark what the values may be ids of, and what is held by those that nobody tracks."""
        waiting = list(values)
        seen: set[int] = set()
        while waiting:
            further: list[Any] = []
            for x in waiting:
                cls = type(x)
                if cls in _NUMBERS:
                    if self._first <= x < self._end:
                        self._found[x - self._first] = True
                elif cls is np.ndarray:
                    if id(x) not in seen:
                        seen.add(id(x))
                        further += self._array(x)
                elif cls in _UNSEEN:
                    if not gc.is_tracked(x) and id(x) not in seen:
                        seen.add(id(x))
                        further += gc.get_referents(x)
                elif running and cls is Columns:  # about to be added
                    further += x.columns
                elif running and cls is Rows:
                    further.append(x.parents)
            waiting = further

    def _array(self, x: NDArray[Any]) -> list[Any]:
        """Mark an array's elements, and all in whose memory it lies; objects come back."""
        if x.dtype == object:
            items: list[Any] = x.reshape(-1).tolist()
            return items
        if x.dtype != np.int32:
            return []
        while type(x.base) is np.ndarray and x.base.dtype == np.int32:
            x = x.base
        if id(x) not in self._arrays:
            self._arrays.add(id(x))
            self.add(x)
        return []

    def add(self, ids: Ids) -> bool:
        """Mark nodes; whether one of them is new."""
        inner = ids[(ids >= self._first) & (ids < self._end)] - self._first
        new = not self._found[inner].all()
        self._found[inner] = True
        return new


def _locals(frame: FrameType) -> Iterator[list[Any]]:
    """The local values of this package's functions that are running, in any thread."""
    me = get_ident()
    tops = [other for thread, other in sys._current_frames().items() if thread != me]
    for top in (frame, *tops):
        at: FrameType | None = top
        while at is not None:
            if str(at.f_globals.get("__name__")).partition(".")[0] == _PACKAGE:
                yield list(at.f_locals.values())
            at = at.f_back


def _with_parts(graph: Graph, marks: _Marks) -> None:
    """Mark the parts of complex elements that are marked, and theirs."""
    table: PartTable | None = graph.parts
    if table is None:
        return
    nodes = table.nodes[: table.size]
    while True:
        inner = (nodes >= marks._first) & (nodes < marks._end)
        alive = ~inner
        alive[inner] = marks._found[nodes[inner] - marks._first]
        ids = [column[: table.size][alive] for column in (*table.parts.values(), table.joint)]
        if not any(list(map(marks.add, ids))):
            return
