"""Which patterns are needed for the last time, so that their memory serves the next ones.

Contract: a block is given up only when no later block and no output has a parent in it.  What lies
between the first and the last parent of a column counts as needed, which costs a look at each.
"""

from __future__ import annotations

import numpy as np

from sparsetrace.graph.graph import FIRST_INPUT, Columns, Ids
from sparsetrace.passes.simplify import Program

__all__ = ["Places", "last_uses"]


def last_uses(program: Program) -> list[list[int]]:
    """For each block, by place, which blocks nothing needs after it; blocks come by place, too.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> g = Graph(20)
    >>> x = g.inputs()
    >>> y = g.union(x, x[::-1])
    >>> z = g.union(y, y[::-1])
    >>> last_uses(Program(20, g.blocks, g.union(z, np.roll(z, 1))))
    [[], [0], [1]]
    """
    blocks, first_node = program.blocks, FIRST_INPUT + program.n_inputs
    order = np.argsort([block.base for block in blocks], kind="stable")
    bases = np.array([blocks[place].base for place in order.tolist()], np.int64)
    last = np.full(len(blocks), -1)

    def need(ids: Ids, place: int) -> None:
        if not ids.size:
            return
        low, high = int(np.minimum.reduce(ids)), int(np.maximum.reduce(ids))
        if high < first_node:
            return
        if low < first_node:
            low = int(ids[ids >= first_node].min())
        first, end = np.searchsorted(bases, [low, high], side="right").tolist()
        last[first - 1 : end] = place

    for place, block in enumerate(blocks):
        for ids in block.columns if isinstance(block, Columns) else [block.parents]:
            need(ids, place)
    need(program.outputs, len(blocks))
    result: list[list[int]] = [[] for _ in range(len(blocks) + 1)]
    for at, place in enumerate(order.tolist()):
        # a block that comes later may lie between the parents of an earlier one
        result[max(int(last[at]), place)].append(place)
    return result[:-1]


class Places:
    """Where the rows of blocks lie in one array, in which new ones take the place of old ones.

    Examples
    --------
    >>> places = Places()
    >>> places.taken(3), places.taken(2)
    (0, 3)
    >>> places.free(0, 3)
    >>> places.taken(1), places.taken(3), places.size
    (0, 5, 8)
    """

    def __init__(self) -> None:
        self.size = 0
        self._free: list[tuple[int, int]] = []
        """Where a stretch begins, and how long it is; in order."""

    def taken(self, size: int) -> int:
        """The begin of a stretch of so many rows: the first one that is free, or a new one."""
        for i, (start, length) in enumerate(self._free):
            if length >= size:
                self._free[i : i + 1] = [(start + size, length - size)] if length > size else []
                return start
        start = self.size
        if self._free and sum(self._free[-1]) == self.size:
            start = self._free.pop()[0]
        self.size = start + size
        return start

    def free(self, start: int, size: int) -> None:
        """Give a stretch back."""
        joined: list[tuple[int, int]] = []
        for begin, length in sorted([*self._free, (start, size)]):
            if joined and sum(joined[-1]) == begin:
                joined[-1] = joined[-1][0], joined[-1][1] + length
            elif length:
                joined.append((begin, length))
        self._free = joined
