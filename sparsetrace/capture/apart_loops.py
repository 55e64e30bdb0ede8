"""One run of a loop that ends in several ways: each turn is run apart, and its ends put aside.

Contract: a turn is a statement which also says how it ended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sparsetrace.capture.apart_statements import Statement
from sparsetrace.capture.apart_writes import CannotUndo, Place, Writes, written
from sparsetrace.capture.branches import Branches
from sparsetrace.capture.genuine_errors import is_genuine, judged
from sparsetrace.capture.paths_apart import Errors
from sparsetrace.errors import BY_VALUES, TracingError, ValueDependentError, explain
from sparsetrace.user_code.outlined_pieces import NEXT

__all__ = ["Loop", "Turn"]

_FEW = 8
"""Ends of a loop that are gone on with one by one where its counter tells them apart."""


class Loop(Statement):
    """One time that a loop is run.

    Where a turn may end the loop, and may not, that end is put aside and the loop goes on: one run
    of n turns has n ends, whose union takes the place of one path for each.
    """

    turns = 0

    def straight(self) -> Any:
        self.session.writes = self.outer
        return self.function(*self.values, None), {}

    def called(self) -> Any:
        try:
            return self.function(*self.values, self)
        except TracingError:
            raise
        except Exception as error:
            if self.beside.has_any:  # these ends have no decisions by which to judge an error
                if not is_genuine(error, Branches(1)):
                    raise CannotUndo from error
                judged(error)
            raise

    def opens_integers(self) -> bool:
        """Also where a loop has counted its turns, and has many ends."""
        session = self.session
        if session.opens_integers or self.turns <= _FEW or not session.opens_counters:
            return session.opens_integers
        session.opened = True
        return True

    def puts_aside(self) -> bool:
        """Whether ends of this run may be put aside: nothing of the loop may change them later."""
        writes = self.writes
        return writes is not None and not writes.kept and not self.has_effects()

    def put_end_aside(self, values: tuple[Any, ...], left: dict[Place, Any], turn: Turn) -> None:
        """Remember how a loop may end: the values, and what is left of the writes so far."""
        self.turns += 1
        if self.turns > self.session.max_paths:
            raise ValueDependentError(
                explain(
                    "bool()",
                    f"a loop may end in more than max_paths={self.session.max_paths} of its turns",
                    "Use np.where, np.maximum or np.clip instead of if, or give max_paths=.",
                    BY_VALUES,
                )
            )
        assert self.writes is not None
        inner = Writes(self.writes)
        all_writes = Writes(None)
        try:
            for (container, key), value in left.items():
                written(turn.containers[container], key, value, inner)
            all_writes.containers = {**inner.containers, **self.writes.containers}
            all_writes.before = {**inner.before, **self.writes.before}
            all_writes.check()
            self.beside.results.append((values, all_writes.now()))
        finally:
            inner.undo()
        self.containers.update(all_writes.containers)


class Turn(Statement):
    """One turn of a loop."""

    def __init__(self, loop: Loop, function: Callable[..., Any], values: tuple[Any, ...]) -> None:
        super().__init__(loop.session, loop.trace, function, values)
        self.loop = loop

    def put_aside(self, errors: Errors) -> bool:
        """As of any statement: the loop raises them, unless a handler sees what it has written."""
        loop = self.loop
        if loop.has_written() or not loop.puts_aside():
            return False
        loop.beside.refused.update(errors)
        return True

    def unite(self, results: list[Any]) -> list[Any]:
        several = super().unite(results)
        place = len(self.values)
        going = [result for result in several if result[0][place] == NEXT]
        ends = [result for result in several if result[0][place] != NEXT]
        if not ends or len(several) == 1 or not self.loop.puts_aside():
            return several
        several.clear()
        going = going or [ends.pop()]
        while ends:
            values, left = ends.pop(0)
            self.loop.put_end_aside(values, left, self)
            del values, left
        return going
