"""How large the graph of a running trace may grow, and what is done where it grows beyond.

Contract: a *flush* computes what the elements depend on that are in use (`held_nodes`), puts
that in place of the blocks (`condensed`), and lets the trace go on.  Ids stay as they are, so
nothing else notices.  A node that was missed is found out, and then the run is made again
without any flush (`forgot`).
"""

from __future__ import annotations

import sys
from math import inf

from sparsetrace.dispatch.lent_numbers import forget_loans
from sparsetrace.errors import GraphSizeError
from sparsetrace.graph.graph import Block, Graph, Ids
from sparsetrace.graph.kept import ForgottenNode
from sparsetrace.passes.compact import compacted
from sparsetrace.progress import asked, report
from sparsetrace.propagation.condense import condensed
from sparsetrace.propagation.jacobian_stores.sizes import TooManyEntries
from sparsetrace.tracing.held_nodes import Sentinel, held_nodes

__all__ = ["forgot", "watch"]

_ID = 4
"""Bytes of one id."""
_USUAL = 2**26
"""Bytes of blocks after which a flush is tried where no memory was named..."""
_MOST_INPUTS = 2**13
"""...if there are no more inputs than these,"""
_MOST_CELLS = 2**26
"""and if patterns of the nodes in use could not have more entries, even if they were dense."""
_RECENT = 64
"""Blocks that are left as they are: what is in progress asks for their nodes."""
_REPORTED = 2**18
"""Parents between two reports."""
_SECOND = 5
"""With what its nodes multiply, a graph takes so many times the memory of its blocks."""


def watch(graph: Graph, most: int | None) -> None:
    """Have a graph flushed as often as it takes more memory.

    Parameters
    ----------
    graph : Graph
        Of a run that is about to begin.
    most : int or None
        Bytes; None for as many as it takes, with flushes where they cost little.

    Examples
    --------
    >>> graph = Graph(64)
    >>> watch(graph, 40_000)
    >>> x = graph.inputs()
    >>> for _ in range(100):
    ...     x = graph.union(x, graph.inputs()[::-1])
    >>> graph.kept is None, len(graph.blocks) < 100
    (False, True)
    """
    room: float = (_USUAL if most is None else most) // _ID
    if most is None and (graph.second_order or graph.n_inputs > _MOST_INPUTS):
        room = inf
    elif graph.second_order:
        room //= _SECOND
    if room == inf and not asked():
        return
    flushes = _Flushes(most)
    flushes.give(graph, room)
    graph.outgrown = flushes


def forgot(graph: Graph, outputs: Ids | None) -> bool:
    """Whether a node is needed that a flush did not keep."""
    if graph.kept is None:
        return False
    if graph.kept.missed:
        return True
    try:
        compacted(graph, [] if outputs is None else [outputs])
    except ForgottenNode:
        return True
    return False


class _Flushes:
    """The flushes of one run."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._limit = _USUAL if most is None else most
        self._sentinel = Sentinel()
        self._busy = False
        self._left: float = 0
        self._reports = asked()

    def give(self, graph: Graph, room: float) -> None:
        """Let the graph grow by so many parents; by few at a time where that is reported."""
        graph.room = min(room, _REPORTED) if self._reports else room
        self._left = room - graph.room if room < inf else inf

    def __call__(self, graph: Graph) -> None:
        """Flush a graph that has used up its room, and say how large it has become."""
        if self._busy:
            return
        self._busy = True
        try:
            report("tracing", graph.size)
            room = self._left if self._left > 0 else self._flushed(graph) // _ID
            self.give(graph, room)
        finally:
            self._busy = False

    def _flushed(self, graph: Graph) -> int:
        """How many bytes it may grow from now on."""
        if graph.second_order:
            raise self._refusal(graph, "second derivatives need all of it", None)
        newest = _newest(graph.blocks, self._limit // 8)
        end = newest[0].base if newest else graph.size
        live = held_nodes(graph, self._sentinel, end, sys._getframe(2))
        if live is None:
            return self._not_now(graph, "gc.freeze() hides which part of it is in use", None)
        if graph.lent and not forget_loans(graph, live):
            problem = "numbers of a solver's search are in use, which need all of it"
            return self._not_now(graph, problem, None)
        if self._most is None and len(live) * graph.n_inputs > _MOST_CELLS:
            return self._not_now(graph, "", len(live))
        try:
            kept = condensed(graph, live, end, self._limit)
        except TooManyEntries:
            problem = "so does what the elements in use depend on"
            return self._not_now(graph, problem, len(live))
        graph.kept = kept
        graph.blocks[:] = newest
        if graph.parts is not None:
            graph.parts.keep(live, end)
        return max(self._limit - kept.nbytes, self._limit // 2)

    def _not_now(self, graph: Graph, problem: str, count: int | None) -> int:
        """Twice as much room as before, if no limit was named."""
        if self._most is not None:
            raise self._refusal(graph, problem, count)
        self._limit *= 2
        return self._limit

    def _refusal(self, graph: Graph, problem: str, count: int | None) -> GraphSizeError:
        held = "" if count is None else f" ({count:,} elements)"
        return GraphSizeError(
            f"after {graph.size:,} nodes the graph of the trace takes more than max_memory="
            f"{self._most:,} bytes, and {problem}{held}. Allow more, max_memory=; trace fewer "
            "steps of a loop, whose pattern is that of all where it grows no more; or do not hold "
            "arrays of earlier steps."
        )


def _newest(blocks: list[Block], most: int) -> list[Block]:
    """The last blocks, which take so many bytes at the most."""
    count = 0
    for block in reversed(blocks[-_RECENT:] if _RECENT else []):
        most -= _ID * block.edges
        if most < 0:
            break
        count += 1
    return blocks[len(blocks) - count :]
