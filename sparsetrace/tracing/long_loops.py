"""Loops that have made many turns by the time a graph has grown: their turns may be left out.

Contract: looked for while the graph grows, each time that it is twice as large.  Where one is
found, ``range`` is exchanged in its module, and the function run again (`capture.steady_loops`).
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType

from sparsetrace.capture.patches import rebind_range
from sparsetrace.capture.session import Session
from sparsetrace.capture.steady_loops import has_effects, remember
from sparsetrace.graph.graph import Graph
from sparsetrace.user_code.frames import is_own
from sparsetrace.user_code.range_loops import standing_in

__all__ = ["look_for_loops"]

_DRIVER = "sparsetrace.tracing.arguments"
_FIRST, _LAST = 4_000, 500_000
"""The room that a graph has used up when loops are looked for first, and last."""
_SCALARS = 512
"""So many scalar nodes use up the first room."""
_CHANGING: dict[int, CodeType] = {}
"""Code with loops that change what it has not made, by its ids: it is not looked at again."""
_MOST_CHANGING = 1024
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
        frames = self._users()
        for at, frame in enumerate(frames):
            loop = standing_in(frame)
            number = None if loop is None else frame.f_locals.get(loop.number)
            if type(number) is int and number >= _TURNS and self._may_begin_anew(frames, at):
                self._exchange_in(frame)
        self.give(graph, self.used)

    def _users(self) -> list[FrameType]:
        """The frames of the function and of what it calls, innermost first.

        None in another thread, which would not be begun anew.
        """
        found = []
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_globals.get("__name__") != _DRIVER:
            if not is_own(frame.f_code):
                found.append(frame)
            frame = frame.f_back
        return [] if frame is None else found

    def _may_begin_anew(self, frames: list[FrameType], at: int) -> bool:
        """Whether turns of the loop may be left out, and nothing waits for what was begun."""
        code = frames[at].f_code
        if id(code) in _CHANGING:
            return False
        may = not has_effects(self.session, frames[at]) and not any(
            has_effects(self.session, frame, undoes_all=True) for frame in frames[at + 1 :]
        )
        if not may and len(_CHANGING) < _MOST_CHANGING:
            _CHANGING[id(code)] = code
        return may

    def _exchange_in(self, frame: FrameType) -> None:
        if rebind_range(frame.f_globals):
            remember(self.function, frame.f_globals)
            self.session.ask()
