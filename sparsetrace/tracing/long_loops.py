"""Loops that have made many turns by the time a graph has grown: their turns may be left out.

Contract: looked for while the graph grows, each time that it is twice as large.  Where one is
found, ``range`` is exchanged in its module, and the function run again (`capture.steady_loops`).
"""

from __future__ import annotations

import sys
from typing import Any

from sparsetrace.capture.patches import rebind_range
from sparsetrace.capture.session import Session
from sparsetrace.capture.steady_loops import remember
from sparsetrace.graph.graph import Graph
from sparsetrace.user_code.frames import is_own
from sparsetrace.user_code.range_loops import standing_in

__all__ = ["look_for_loops"]

_FIRST, _LAST = 4_000, 500_000
"""The room that a graph has used up when loops are looked for first, and last."""
_SCALARS = 512
"""So many scalar nodes use up the first room."""
_TURNS = 4
"""So many turns a loop has made that is worth its while."""


def look_for_loops(graph: Graph, session: Session, function: object) -> None:
    """Look for loops of many turns as the graph of a run grows.

    Parameters
    ----------
    graph : Graph
        Of a run that is about to begin.
    session : Session
    function : callable
        That is traced.
    """
    looks = _Looks(graph, session, function)
    graph.gathers = min(graph.gathers, _SCALARS)
    looks.give(graph, _FIRST)
    graph.gather_until = min(graph.gather_until, graph.size + graph.gathers)


class _Looks:
    """When a graph is looked at next, and what is called where it has no room after that."""

    def __init__(self, graph: Graph, session: Session, function: object) -> None:
        self.session, self.function = session, function
        self.then, self.left, self.gathers = graph.outgrown, graph.room, graph.gathers
        self.used: float = 0

    def give(self, graph: Graph, room: float) -> None:
        """Let the graph grow by so much until loops are looked for again."""
        over = min(graph.room, 0)
        if self.used + room > min(_LAST, self.left):
            graph.room, graph.outgrown = self.left - self.used + over, self.then
            graph.gathers = self.gathers
            return
        self.used += room
        graph.room, graph.outgrown = room + over, self

    def __call__(self, graph: Graph) -> None:
        frame: Any = sys._getframe(1)
        while frame is not None:
            if frame.f_globals.get("__name__") == "sparsetrace.tracing.arguments":
                break
            if not is_own(frame.f_code):
                self._look_at(frame)
            frame = frame.f_back
        self.give(graph, self.used)

    def _look_at(self, frame: Any) -> None:
        loop = standing_in(frame)
        if loop is None:
            return
        number = frame.f_locals.get(loop.number)
        if type(number) is int and number >= _TURNS and rebind_range(frame.f_globals):
            remember(self.function, frame.f_globals)
            self.session.ask()
