"""One run of a loop that ends in several ways: each turn is run apart, and its ends put aside.

Contract: a turn is a statement which also says how it ended.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sparsetrace.capture.apart_statements import UNBOUND, Statement
from sparsetrace.capture.apart_writes import CannotUndo, Place, Writes, written
from sparsetrace.capture.branches import Branches
from sparsetrace.capture.chosen_containers import sources_of
from sparsetrace.capture.genuine_errors import is_genuine, judged
from sparsetrace.capture.paths_apart import Errors, distinct
from sparsetrace.capture.repeated_calls import Repeat
from sparsetrace.capture.result_unions import told_apart, united
from sparsetrace.capture.session import Session
from sparsetrace.context import Trace
from sparsetrace.errors import BY_VALUES, TracingError, ValueDependentError, explain
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.reach import Reach
from sparsetrace.operands.operands import ids_of, is_traced_array
from sparsetrace.user_code.held_iterators import may_read
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

_MOST_BEGUN = 8
"""States of a loop with which another one is compared."""
_SETTLED = 3
"""Turns of a ``for`` loop, one after the other, that add nothing to its state, before one turn is
run for all that are left."""

Result = tuple[tuple[Any, ...], dict[Place, Any]]
"""The values of the names, how the loop or turn ended, and what is left of its writes."""


class Dependencies(NamedTuple):
    """What values are, and two sets for each number in them: see `Reach.of`."""

    kinds: tuple[Hashable, ...]
    reached: tuple[tuple[int, int], ...]

    def are_within(self, other: Dependencies) -> bool:
        """Whether values like the others depend on all that these do."""
        return self.kinds == other.kinds and not any(
            nodes & ~more or products & ~others
            for (nodes, products), (more, others) in zip(self.reached, other.reached, strict=True)
        )


class States:
    """The states in which the turns of one loop have begun."""

    def __init__(self, session: Session, trace: Trace) -> None:
        self.session, self.trace = session, trace
        self.reach = Reach(trace.graph)
        self.first = trace.graph.size
        self.known: dict[Hashable, tuple[tuple[Any, ...], Dependencies | None]] = {}
        self.begun: list[tuple[tuple[Any, ...], Dependencies]] = []
        """States each of which a turn has begun in as it is, the latest last."""

    def forget(self) -> None:
        """Compare with none of those so far: something has been written since."""
        self.known.clear()
        self.begun.clear()

    def new(self, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The state, united with one that it is not told apart from; None if it adds nothing."""
        if self.session.asks_identity():
            return values
        if any(isinstance(value, np.ndarray) for value in values):
            return None if self.begin(values) else values
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

    def begin(self, values: tuple[Any, ...], own: int = 0) -> list[tuple[Any, ...]]:
        """The states from the one on that this adds nothing to; none if there is no such one.

        Parameters
        ----------
        values : tuple
            May be arrays, if nothing is written into any.
        own : int
            So many names are assigned by the loop itself, and are no part of the state.
        """
        dependencies = None
        if not self.session.asks_identity():
            dependencies = self._dependencies(values[own:])
        if dependencies is None:
            self.begun.clear()
            return []
        for at, (_, known) in enumerate(self.begun):
            if dependencies.are_within(known):
                return [values for values, _ in self.begun[at:]]
        del self.begun[: 1 - _MOST_BEGUN]
        self.begun.append((values, dependencies))
        return []

    def _dependencies(self, values: tuple[Any, ...]) -> Dependencies | None:
        """What the values depend on and multiply, and what they are else; None if unknown."""
        kinds: list[Hashable] = []
        reached: list[tuple[int, int]] = []
        memories: dict[int, int] = {}

        def add(nodes: Iterable[int]) -> bool:
            for node in nodes:
                found = self.reach.of(node) if node > OPAQUE else (0, 0)
                if found is None:
                    return False
                reached.append(found)
                kinds.append(node if node <= OPAQUE else None)
            return True

        def visit(value: Any) -> bool:
            if isinstance(value, tuple):
                kinds.append((type(value), len(value)))
                return all(map(visit, value))
            if hasattr(type(value), "_is_number"):
                kinds.append((type(value), value._dtype.str))
                return add([int(ids_of(self.trace, value))])
            if is_traced_array(value):
                ids = ids_of(self.trace, value)
                kinds.append((type(value), value.dtype.str, ids.shape, ids.strides))
                kinds.extend(self._memory(ids, memories))
                return add(ids.reshape(-1).tolist())
            if is_unchanging(value):
                kinds.append((type(value), repr(value)))
            else:
                kinds.append(frozenset(map(id, sources_of(value))))
            return True

        return Dependencies(tuple(kinds), tuple(reached)) if visit(values) else None

    def _memory(self, ids: Ids, memories: dict[int, int]) -> Iterator[Hashable]:
        """Which of several memories elements are in, where, and whose it is if it is older."""
        owner = ids
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        yield memories.setdefault(id(owner), len(memories))
        yield ids.ctypes.data - owner.ctypes.data
        yield id(owner) if ids.size == 0 or ids.min() < self.first else None


class Loop(Statement):
    """One time that a loop is run.

    Where a turn may end the loop, and may not, that end is put aside and the loop goes on: one run
    of n turns has n ends, whose union takes the place of one path for each.
    """

    turns = 0
    _last: int | None = None
    """The last of the numbers that a ``for`` loop goes over, if they are a `range`."""
    _steady = 0
    """Turns, up to the last one, that have added nothing to the state."""

    def __init__(
        self, session: Session, trace: Trace, function: Callable[..., Any], values: tuple[Any, ...]
    ) -> None:
        super().__init__(session, trace, function, values)
        self.others: list[Result] = []
        """States in which the last turn may have left the loop, beside the one that it gave: what
        the names are, and what is left at places where these states differ."""
        self.given: tuple[Any, ...] = ()
        self.left: dict[Place, Any] = {}
        """What is left there in the state that it gave: it is written in each turn from there."""
        self.held_others = False
        self.iterable: Any = None
        self.known: States

    def straight(self) -> Any:
        self.session.writes = self.outer
        return self.function(*self.values, None), {}

    def called(self) -> Any:
        if self.held_others:  # another path would be without them
            raise CannotUndo
        self.known = States(self.session, self.trace)  # this path may leave the others' unexplored
        self._last, self._steady, self.left = None, 0, {}
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
        for other, left_there in self.others:  # these come to the end of a ``for`` loop, too
            names = zip(other[:-2], self.given, result, strict=False)
            read = (x if given is left or left is not UNBOUND else left for x, given, left in names)
            self.put_end_aside((*read, *result[-2:]), left_there, self)
        for (container, key), value in self.left.items():
            written(self.containers[container], key, value, self.writes)
        self.others, self.left = [], {}
        return result

    def over(self, iterable: Any) -> Any:
        """What the loop goes over; once its state is steady, a number that nobody knows.

        One turn with it stands for all turns that are left.
        """
        self.iterable = iterable
        return self._numbers(iterable) if type(iterable) is range else iterable

    def _numbers(self, numbers: range) -> Iterator[Any]:
        self._last = numbers[-1] if numbers else None
        for at, number in enumerate(numbers):
            yield self._unknown(numbers[at:]) if self._steady == _SETTLED else number
            if self._steady > _SETTLED:
                return

    def _unknown(self, numbers: range) -> Any:
        """Any of several numbers."""
        ends = [numbers[0], numbers[-1]]
        number = united(self.trace, ends)
        if self.trace.names is not None:
            self.trace.names.bounds.note(number, min(ends), max(ends))
        self.session.opened = True
        return number

    def noted(self, values: tuple[Any, ...], own: int) -> tuple[Any, ...]:
        """The state that a turn of a ``for`` loop leaves, or how the loop ends if it is steady."""
        may_settle = self._last is not None and self.session.opens_counters
        if self.others or self.has_written() or not may_settle:
            self._steady = 0
            return values
        known = self.known.begin(values, own)
        if self._steady < _SETTLED:
            self._steady = self._steady + 1 if known else 0
            if self._steady == _SETTLED:  # from here on one turn stands for all
                self.trace.stands_for_many()
                self.known.begun.clear()
                self.known.begin(values, own)
        elif known:
            self._steady += 1
            ends = [
                (*(x if x is UNBOUND else self._last for x in end[:own]), *end[own:])
                for end in known
            ]
            values = self.given = ends[0]
            self.others = [(end, {}) for end in ends[1:]]
            self.held_others = self.held_others or bool(self.others)
        return values

    def opens_integers(self) -> bool:
        """Also where a loop has counted its turns, and has many ends."""
        session = self.session
        if session.opens_integers or self.turns <= _FEW or not session.opens_counters:
            return session.opens_integers
        session.opened = True
        return True

    def has_written(self) -> bool:
        return bool(self.left) or super().has_written()

    def puts_aside(self) -> bool:
        """Whether ends of this run may be put aside: nothing of the loop may change them later."""
        writes = self.writes
        return writes is not None and not writes.kept and not self.has_effects()

    def gone_on_with(self, going: list[Result], ends: list[Result], turn: Turn) -> Result:
        """The state that a turn gives, and the others set aside for the next one; or an end.

        Parameters
        ----------
        going : list
            The states in which the turn may leave a loop that goes on.
        ends : list
            How the turn may end the loop; the end that is given is taken out.
        turn : Turn
        """
        may_end = turn.targets is None and self.is_all(going)
        endless = may_end and self.turns > _MANY_ENDS and bool(self.given)
        if self.session.opens_counters and (endless or len(going) > _FEW_STATES):
            self._open_counters(going, [self.given] if endless else [])
        if may_end:  # one that adds nothing to those before it leads nowhere new
            new = [self.known.new(values) for values, _ in going]
            going = [(values, {}) for values in new if values is not None]
            if len(going) < len(new):
                self.trace.stands_for_many()
        if len(going) == 1:
            self.given, left = going[0]
            return self.given, left
        if going:
            common = self._common_writes(going, turn)
            self.given, self.left = going[0]
            self.others, self.held_others = going[1:], True
            return self.given, common
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

    def is_all(self, states: list[Result]) -> bool:
        """Whether that is all that the next turn of a ``while`` loop depends on."""
        if any(left for _, left in states):
            return False
        has_arrays = any(isinstance(x, np.ndarray) for values, _ in states for x in values)
        return not has_arrays or (len(states) == 1 and not self.has_written())

    def _open_counters(self, going: list[Result], more: list[tuple[Any, ...]]) -> None:
        """Let states that whole numbers alone tell apart be one, of a number nobody knows."""
        self.session.opened = True
        places = list(going[0][1])
        rows = [(*values, *left.values()) for values, left in going] + more
        count = len(going[0][0])
        going.clear()
        rows = distinct(self.session, self.trace, rows, opens_integers=True)
        going += [(row[:count], dict(zip(places, row[count:], strict=True))) for row in rows]

    def _common_writes(self, states: list[Result], turn: Turn) -> dict[Place, Any]:
        """What states have left at places where it can be united; it is taken out of them."""
        result: dict[Place, Any] = {}
        columns: dict[Place, list[Any]] = {}
        ordered: set[int] = set()
        for place in list(states[0][1]):
            container = turn.containers[place[0]]
            columns[place] = column = [left.pop(place) for _, left in states]
            made = distinct(self.session, self.trace, column)
            if len(made) == 1:
                result[place] = made[0]
            elif type(container) is dict and place[1] not in container:
                ordered.add(id(container))  # its keys come in the order in which they are written
        for place, column in columns.items():
            if place not in result or place[0] in ordered:
                result.pop(place, None)
                for (_, left), value in zip(states, column, strict=True):
                    left[place] = value
        apart = {place[0]: turn.containers[place[0]] for place in states[0][1]}
        if apart and self.iterable is not None and may_read(self.iterable, apart.values()):
            raise CannotUndo
        self.containers.update(apart)
        return result

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
        self.first: Result = values, loop.left
        self.others = [
            ((*own, *x[len(own) : len(values)]), left_there) for x, left_there in loop.others
        ]
        loop.others, loop.left = [], {}

    def called(self) -> Any:
        state = self.first
        for other in self.others:
            if self.trace.decide is None or not self.trace.decide(among=self.states()):
                break
            state = other
        values, left_there = state
        for (container, key), value in left_there.items():
            written(self.loop.containers[container], key, value, self.writes)
        return self.function(*values)

    def run(self, repeat: Repeat | None = None) -> Any:
        is_while = self.targets is None
        self.session.whiles += is_while
        try:
            result = super().run(repeat)
        finally:
            self.session.whiles -= is_while
        is_left = result[len(self.values)] != NEXT
        if is_left or self.targets is None or not self.loop.puts_aside():
            return result
        return self.loop.noted(result, self.targets)

    def states(self) -> int:
        return 1 + len(self.others)

    def straight(self) -> Any:
        if self.others:
            raise CannotUndo
        self.has_changed()
        return super().straight()

    def has_changed(self) -> None:
        self.loop.known.forget()

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
        several.clear()
        if len(going) != 1 or self.loop.is_all(going):
            going = [self.loop.gone_on_with(going, ends, self)]
        while ends:
            values, left = ends.pop(0)
            self.loop.put_end_aside(values, left, self)
            del values, left
        return going
