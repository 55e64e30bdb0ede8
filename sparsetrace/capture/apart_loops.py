"""One run of a loop that ends in several ways: each turn is run apart, and its ends put aside.

Contract: a turn is a statement which also says how it ended.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from sparsetrace.capture.apart_statements import UNBOUND, Statement
from sparsetrace.capture.apart_writes import CannotUndo, Place, Writes, written
from sparsetrace.capture.branches import Branches
from sparsetrace.capture.genuine_errors import is_genuine, judged
from sparsetrace.capture.paths_apart import Errors, distinct
from sparsetrace.capture.result_unions import told_apart, united
from sparsetrace.capture.session import Session
from sparsetrace.context import Trace
from sparsetrace.errors import BY_VALUES, TracingError, ValueDependentError, explain
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.graph.reach import Reach
from sparsetrace.operands.operands import ids_of
from sparsetrace.user_code.held_values import is_unchanging
from sparsetrace.user_code.outlined_pieces import NEXT

__all__ = ["Loop", "Turn"]

_ENDS_OF_FOR = 8
"""How many times `max_paths` a ``for`` loop may end: in proportion to its turns."""
_FEW = 8
"""Ends of a loop that are gone on with one by one where its counter tells them apart."""

_FEW_STATES = 4
"""States of a loop that are told apart by whole numbers."""
_MANY_ENDS = 32
"""Ends of a ``while`` loop after which its counters become numbers that nobody knows."""

Result = tuple[tuple[Any, ...], dict[Place, Any]]
"""The values of the names, how the loop or turn ended, and what is left of its writes."""


class States:
    """The states in which the turns of one loop have begun."""

    def __init__(self, session: Session, trace: Trace) -> None:
        self.session, self.trace = session, trace
        self.reach = Reach(trace.graph)
        self.known: dict[Hashable, tuple[tuple[Any, ...], Hashable]] = {}

    def new(self, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The state, united with one that it is not told apart from; None if it adds nothing."""
        if self.session.asks_identity():
            return values
        key = told_apart(values)
        if key not in self.known:
            self.known[key] = values, self._dependencies(values)
            return values
        before, known = self.known[key]
        both: tuple[Any, ...] = united(self.trace, [before, values])
        dependencies = self._dependencies(both)
        if dependencies is not None and dependencies == known:
            return None
        self.known[key] = both, dependencies
        return both

    def _dependencies(self, values: tuple[Any, ...]) -> Hashable:
        """What the values depend on and multiply, and what they are else; None if unknown."""
        result: list[Hashable] = []
        for value in values:
            if isinstance(value, tuple):
                result.append(self._dependencies(value))
            elif hasattr(type(value), "_is_number"):
                node = int(ids_of(self.trace, value))
                reached = self.reach.of(node) if node > OPAQUE else node
                result.append((type(value), value._dtype.str, reached))
                if reached is None:
                    return None
            elif is_unchanging(value):
                result.append((type(value), repr(value)))
            else:
                result.append(id(value))
            if result[-1] is None:
                return None
        return tuple(result)


class Loop(Statement):
    """One time that a loop is run.

    Where a turn may end the loop, and may not, that end is put aside and the loop goes on: one run
    of n turns has n ends, whose union takes the place of one path for each.
    """

    turns = 0

    def __init__(
        self, session: Session, trace: Trace, function: Callable[..., Any], values: tuple[Any, ...]
    ) -> None:
        super().__init__(session, trace, function, values)
        self.others: list[tuple[Any, ...]] = []
        """States in which the last turn may have left the loop, beside the one that it gave."""
        self.given: tuple[Any, ...] = ()
        self.held_others = False
        self.known: States

    def straight(self) -> Any:
        self.session.writes = self.outer
        return self.function(*self.values, None), {}

    def called(self) -> Any:
        if self.held_others:  # another path would be without them
            raise CannotUndo
        self.known = States(self.session, self.trace)  # this path may leave the others' unexplored
        try:
            result = self.function(*self.values, self)
        except TracingError:
            raise
        except Exception as error:
            if self.beside.has_any:  # these ends have no decisions by which to judge an error
                if not is_genuine(error, Branches(1)):
                    raise CannotUndo from error
                judged(error)
            raise
        for other in self.others:  # these come to the end of what a ``for`` loop runs over, too
            names = zip(other[:-2], self.given, result, strict=False)
            read = (x if given is left or left is not UNBOUND else left for x, given, left in names)
            self.put_end_aside((*read, *result[-2:]), {}, self)
        self.others = []
        return result

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

    def gone_on_with(self, going: list[Result], ends: list[Result], *, is_while: bool) -> Result:
        """The state that a turn gives, and the others set aside for the next one; or an end.

        Parameters
        ----------
        going : list
            The states in which the turn may leave a loop that goes on.  Of a ``while`` loop these
            are all that the next turn depends on: one that adds nothing to those before it leads
            nowhere new.
        ends : list
            How the turn may end the loop; the end that is given is taken out.
        """
        endless = is_while and self.turns > _MANY_ENDS and bool(self.given)
        if self.session.opens_counters and (endless or len(going) > _FEW_STATES):
            self.session.opened = True
            rows = [values for values, _ in going]
            if endless:
                rows.append(self.given)
            going.clear()
            rows = distinct(self.session, self.trace, rows, opens_integers=True)
            going = [(values, {}) for values in rows]
        if is_while:
            new = (self.known.new(values) for values, _ in going)
            going = [(values, {}) for values in new if values is not None]
        if going:
            self.given = going[0][0]
            self.others = [values for values, _ in going[1:]]
            self.held_others = self.held_others or bool(self.others)
            return going[0]
        if ends:
            return ends.pop()
        before = [end for end in self.beside.results if not end[1]]
        if before:
            end: Result = before[-1]
            self.beside.results = [x for x in self.beside.results if x is not end]
            return end
        for error in self.beside.refused.values():
            raise judged(error)
        raise ValueDependentError(explain("a loop", "there is no path on which it ends", BY_VALUES))

    def put_end_aside(
        self, values: tuple[Any, ...], left: dict[Place, Any], turn: Statement
    ) -> None:
        """Remember how a loop may end: the values, and what is left of the writes so far."""
        self.turns += 1
        is_while = isinstance(turn, Turn) and turn.targets is None
        if self.turns > self.session.max_paths * (1 if is_while else _ENDS_OF_FOR):
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
    """One turn of a loop, from each of the states in which the last one may have left it."""

    def __init__(
        self,
        loop: Loop,
        targets: int | None,
        function: Callable[..., Any],
        values: tuple[Any, ...],
    ) -> None:
        super().__init__(loop.session, loop.trace, function, values)
        self.loop = loop
        self.targets = targets
        own = values[:targets] if targets else ()
        self.others = [(*own, *x[len(own) : len(values)]) for x in loop.others]
        loop.others = []

    def called(self) -> Any:
        values = self.values
        for other in self.others:
            if self.trace.decide is None or not self.trace.decide(among=self.states()):
                break
            values = other
        return self.function(*values)

    def states(self) -> int:
        return 1 + len(self.others)

    def straight(self) -> Any:
        if self.others:
            raise CannotUndo
        return super().straight()

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
        if len(several) == 1 or not self.loop.puts_aside():
            return several
        if all(map(_is_state, going)):
            several.clear()
            going = [self.loop.gone_on_with(going, ends, is_while=self.targets is None)]
        elif self.others:
            raise CannotUndo
        elif not ends:
            return several
        several.clear()
        going = going or [ends.pop()]
        while ends:
            values, left = ends.pop(0)
            self.loop.put_end_aside(values, left, self)
            del values, left
        return going


def _is_state(result: Result) -> bool:
    """Whether a turn has written nothing, and leaves no arrays, into which the next may write."""
    values, left = result
    return not left and not any(isinstance(x, np.ndarray) for x in values)
