"""One run of a loop that ends in several ways: each turn is run apart, and its ends put aside.

Contract: a turn is a statement which also says how it ended.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NoReturn
from weakref import WeakValueDictionary

import numpy as np

from sparsetrace.capture.apart_statements import UNBOUND, Statement
from sparsetrace.capture.apart_writes import (
    CannotUndo,
    Place,
    Writes,
    is_dict,
    item_of,
    keys_of,
    written,
)
from sparsetrace.capture.branches import Branches
from sparsetrace.capture.genuine_errors import is_genuine, judged
from sparsetrace.capture.loop_states import States, are_within
from sparsetrace.capture.paths_apart import Errors, distinct
from sparsetrace.capture.repeated_calls import Repeat
from sparsetrace.capture.result_unions import Groups, is_held_alone, united
from sparsetrace.capture.snapshots import Snapshot
from sparsetrace.errors import BY_VALUES, TracingError, ValueDependentError, explain
from sparsetrace.operands.operands import is_traced, is_traced_array
from sparsetrace.user_code.held_iterators import may_read
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

_MANY_ENDS_OF_FOR = 256
"""The same of a ``for`` loop whose turns do not read what it goes over."""

_SETTLED = 3
"""Turns of a ``for`` loop, one after the other, that add nothing to its state, before one turn is
run for all that are left."""

_ALL_OF_THEM = 2**30
"""References to an array that are all of states."""

Alone = WeakValueDictionary[int, Any]
"""By their ids arrays that states hold, each under one name, and nothing else in any of them."""

Result = tuple[tuple[Any, ...], dict[Place, Any]]
"""The values of the names, how the loop or turn ended, and what is left of its writes."""


def _are_alike(one: Any, other: Any) -> bool:
    """Whether these are two traced arrays of one shape and type."""
    are_arrays = is_traced_array(one) and is_traced_array(other)
    return are_arrays and bool(one.shape == other.shape and one.dtype == other.dtype)


class Loop(Statement):
    """One time that a loop is run.

    Where a turn may end the loop, and may not, that end is put aside and the loop goes on: one run
    of n turns has n ends, whose union takes the place of one path for each.
    """

    turns = 0
    _last: int | None = None
    """The last of the numbers that a ``for`` loop goes over, if they are a `range`."""
    _is_endless = False
    """Whether it goes over the numbers of `itertools.count`."""
    _steady = 0
    """Turns, up to the last one, that have added nothing to the state."""
    _whole: Mapping[Place, Any] = MappingProxyType({})
    """The numbers in all that had been written into, after the last turn, whole or traced."""
    _counts = True
    """Whether the turns of a ``for`` loop read what it goes over."""

    def __init__(self, *of_statement: Any) -> None:
        super().__init__(*of_statement)
        self.others: list[Result] = []
        """States in which the last turn may have left the loop, beside the one that it gave: what
        the names are, and what is left at places where these states differ."""
        self.given: tuple[Any, ...] = ()
        self.left: dict[Place, Any] = {}
        """What is left there in the state that it gave: it is written in each turn from there."""
        self.held_others = False
        self.alone: Alone = WeakValueDictionary()
        self.alone_at_end: Alone = WeakValueDictionary()
        """The same of the ends that were put aside."""
        self.iterable: Any = None
        self.known: States

    def straight(self) -> Any:
        self.session.writes = self.outer
        return self.function(*self.values, None), {}

    def called(self) -> Any:
        if self.held_others:  # another path would be without them
            raise CannotUndo
        self.known = States(self.session, self.trace)  # this path may leave the others' unexplored
        self._last, self._steady, self.left, self._whole = None, 0, {}, {}
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
        self.others, self.left, self.given = [], {}, ()
        self.known.begun.clear()  # it is united next what nothing else holds
        return result

    def _references(self, rows: list[tuple[Any, ...]]) -> dict[int, int]:
        """Of what the ends alone hold, all are theirs: each of them is another run of the loop."""
        alone = [*self.alone_at_end.values(), *self.alone.values()]
        return super()._references(rows) | _all_references(alone, rows, self.containers)

    def over(self, iterable: Any, *, counts: bool, indexes: bool) -> Any:
        """What the loop goes over; once its state is steady, a number that nobody knows.

        One turn with it stands for all turns that are left.

        Parameters
        ----------
        iterable : iterable
        counts : bool
            Whether the turns read what it gives.
        indexes : bool
            Whether the last that it gives is an index later, and need not be that of the iterable.
        """
        self.iterable, self._counts = iterable, counts
        if type(iterable) is range:
            if indexes and self.session.opens_counters and len(iterable) > _FEW:
                self._want_bounds()
            self._last = iterable[-1] if iterable else None
            return self._numbers(iterable, self._last)
        self._is_endless = type(iterable) is itertools.count
        return self._numbers(iterable, None) if self._is_endless else iterable

    def _want_bounds(self) -> None:
        """Ask for a run in which the bounds of its counter are known, rather than after the loop.

        Of as many elements as it has taken turns there is another number for other inputs.
        """
        if self.trace.name_values is not None:
            self.trace.name_values(self.session.find_size)

    def _numbers(self, numbers: Iterable[int], last: int | None) -> Iterator[Any]:
        for number in numbers:
            yield self._unknown(number, last) if self._steady == _SETTLED else number
            if self._steady > _SETTLED:
                return

    def _unknown(self, first: int, last: int | None) -> Any:
        """Any of several numbers, which end nowhere if no last one is given."""
        ends = [first, first + 1 if last is None else last]
        number = united(self.trace, ends, keeps_bounds=last is not None)
        self.session.opened = True
        return number

    def noted(self, values: tuple[Any, ...], own: int) -> tuple[Any, ...]:
        """The state that a turn of a ``for`` loop leaves, or how the loop ends if it is steady.

        Where something is written, the turns that are left are to be all alike.
        """
        may_settle = self.session.opens_counters and (self._is_endless or self._last is not None)
        has_written = self.has_written()
        if self.others or not may_settle or (has_written and (self._counts or self.left)):
            self._steady = 0
            return values
        if has_written:
            self._count_no_more_in_containers(_MANY_ENDS_OF_FOR)
        known = self.known.begin(values, own, self._written())
        if has_written and len(known) > 1:  # of all but the last it is not known what they left
            known = []
        if self._steady < _SETTLED:
            self._steady = self._steady + 1 if known else 0
            if self._steady == _SETTLED:  # from here on one turn stands for all
                self.trace.stands_for_many()
                self.known.begun.clear()
                self.known.begin(values, own, self._written())
        elif known and self._is_endless:
            return self._another_end()
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

    def left_if_known(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The state that a turn of a ``while`` loop leaves, or an end if it leads nowhere new.

        Where something has been written; elsewhere that is found before the turn is over.
        """
        states = [values, *(other for other, _ in self.others)]
        is_left = self.left or any(left for _, left in self.others)
        del values
        if is_left or not super().has_written():
            return states[0]
        self._count_no_more_in_containers(_MANY_ENDS)
        new = [
            state
            for at, state in enumerate(states)
            if not self.known.begin(
                state, containers=self._written(), beside=[*states[:at], *states[at + 1 :]]
            )
        ]
        if len(new) < len(states):
            self.trace.stands_for_many()
            self.others = [(state, {}) for state in new[1:]]
        return new[0] if new else self._another_end()

    def _count_no_more_in_containers(self, many: int) -> None:
        """The same of whole numbers that turns write into lists, dictionaries and attributes.

        Parameters
        ----------
        many : int
            Up to so many ends of the loop they stay known.
        """
        before = self._whole
        whole: dict[Place, Any] = {}
        self._whole = whole
        for container in self._written():
            for key in keys_of(container):
                item = item_of(container, key)
                if type(item) is int or hasattr(type(item), "_is_number"):
                    whole[id(container), key] = item
        if self.turns <= many or not self.session.opens_counters:
            return
        assert self.writes is not None
        for (name, key), number in self._whole.items():
            last = before.get((name, key), number)
            is_known = type(last) is type(number) is int and last == number
            if last is not number and not is_known:
                self.session.opened = True
                number = self._open(last, number)
                written(self.writes.containers[name], key, number, self.writes)

    def _another_end(self) -> tuple[Any, ...]:
        """One of the ends that were put aside, where the state so far leads nowhere new."""
        assert self.writes is not None
        self.writes.undo()
        if not self.beside.results:
            self._raise_end()
        end: tuple[Any, ...]
        end, left = self.beside.results.pop()
        for (container, key), value in left.items():
            written(self.containers[container], key, value, self.writes)
        return end

    def _written(self) -> Iterable[Any]:
        """All that the turns so far have written into."""
        return () if self.writes is None else self.writes.containers.values()

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
        is_long = turn.targets is None or (self.turns > _MANY_ENDS_OF_FOR and not self._counts)
        is_one = is_long and len(going) == 1
        endless = (may_end or is_one) and self.turns > _MANY_ENDS and bool(self.given)
        if self.session.opens_counters and len(going) > _FEW_STATES:
            self._open_counters(going)
        elif self.session.opens_counters and endless:
            going = self._counting_no_more(going)
        if may_end:  # one that adds nothing to those before it leads nowhere new
            rows = [values for values, _ in going]
            new = [
                self.known.new(values, [*rows[:at], *rows[at + 1 :]])
                for at, values in enumerate(rows)
            ]
            del rows
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
        self._raise_end()

    def _raise_end(self) -> NoReturn:
        """Raise an error in which the loop ends; there is no other end."""
        for error in self.beside.refused.values():
            raise judged(error)
        raise ValueDependentError(explain("a loop", "there is no path on which it ends", BY_VALUES))

    def is_all(self, states: list[Result]) -> bool:
        """Whether that is all that the next turn of a ``while`` loop depends on."""
        if any(left for _, left in states):
            return False
        has_arrays = any(isinstance(x, np.ndarray) for values, _ in states for x in values)
        return not (has_arrays and self.has_written())

    def _open_counters(self, going: list[Result]) -> None:
        """Let states that whole numbers alone tell apart be one, of a number nobody knows."""
        self.session.opened = True
        places = list(going[0][1])
        rows = [(*values, *left.values()) for values, left in going]
        count = len(going[0][0])
        going.clear()
        rows = distinct(self.session, self.trace, rows, opens_integers=True)
        going += [(row[:count], dict(zip(places, row[count:], strict=True))) for row in rows]

    def _counting_no_more(self, going: list[Result]) -> list[Result]:
        """The states, with numbers that nobody knows for what a turn has changed in plain numbers.

        Of several states all arrays are the same; of one these stay as the turn has left them, and
        it is compared later what they depend on.
        """
        self.session.opened = True
        rows = [*(values for values, _ in going), self.given]
        if len(going) > 1:
            going.clear()
            rows = distinct(self.session, self.trace, rows, opens_integers=True)
            return [(row, {}) for row in rows]
        last, left = going.pop()
        before = self.given
        kept = {at: x for at, x in enumerate(last) if _are_alike(x, before[at])}
        rows = [tuple(None if i in kept else x for i, x in enumerate(row)) for row in rows]
        if len(distinct(self.session, self.trace, rows, opens_integers=True)) == 1:
            last = tuple(x if i in kept else self._open(before[i], x) for i, x in enumerate(last))
        return [(last, left)]

    def _open(self, before: Any, value: Any) -> Any:
        """What any later turn may leave where one has left this, and the one before it that."""
        if is_traced(value) and is_traced(before) and are_within(self.trace, value, before):
            return value
        return united(self.trace, [before, value], keeps_bounds=False)

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
            elif is_dict(container) and place[1] not in container:
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
        if isinstance(turn, Turn):
            self.alone_at_end.update({k: x for k, x in turn.alone.items() if _is_among(x, values)})
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
            all_writes.leave_out_tails()
            all_writes.check()
            self.beside.results.append((values, all_writes.now()))
        finally:
            inner.undo()
        self.containers.update(all_writes.containers)


def _arrays_in(results: list[Result]) -> WeakValueDictionary[int, Any]:
    """The arrays among the names, by their ids; they are not held."""
    arrays = {id(x): x for values, _ in results for x in values if isinstance(x, np.ndarray)}
    return WeakValueDictionary(arrays)


def _is_among(item: object, values: Iterable[Any]) -> bool:
    return any(value is item for value in values)


def _all_references(
    alone: Iterable[Any], rows: list[tuple[Any, ...]], changed: Collection[int]
) -> dict[int, int]:
    """More references than there are, by ids, for arrays that rows have under one name alone."""
    result: dict[int, int] = {}
    for x in alone:
        places = {place for row in rows for place, item in enumerate(row) if item is x}
        if len(places) == 1 and id(x) not in changed:
            result[id(x)] = _ALL_OF_THEM
    return result


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
        states = [state for state, _ in (self.first, *self.others)]
        self.begun = [x for x in loop.alone.values() if any(_is_among(x, s) for s in states)]
        """The arrays that nothing but these states holds."""
        self.alone: Alone = WeakValueDictionary({id(x): x for x in self.begun})
        loop.alone = WeakValueDictionary()

    def path(self) -> Any:
        """As of any statement; and which arrays nothing but the names holds when it is over."""
        before = self._held()
        result = super().path()
        values = result[0]
        for at, count in enumerate(self._held()):
            x = self.begun[at]
            if count - before[at] != sum(value is x for value in values):
                self.alone.pop(id(x), None)
        for at in range(len(values)):
            if isinstance(values[at], np.ndarray) and is_held_alone(values, at):
                self.alone[id(values[at])] = values[at]
        self._note_alone()
        return result

    def _held(self) -> list[int]:
        """How many hold each of the arrays, but for what is kept to be compared."""
        known = {} if self._reachable is None else self._reachable.arrays
        return [sys.getrefcount(x) - (id(x) in known) for x in self.begun]

    def _note_alone(self) -> None:
        """Hand on to the next turn what the names alone hold, but for what has been written."""
        for name in self._changed():
            self.alone.pop(name, None)
        self.loop.alone = self.alone

    def _references(self, rows: list[tuple[Any, ...]]) -> dict[int, int]:
        """Of what the states alone hold, all are theirs: each is another run of the turn."""
        return _all_references(self.alone.values(), rows, self._changed())

    def _changed(self) -> set[int]:
        """The ids of what the turns have written into: what is left there has to be found."""
        return {*self.containers, *map(id, self.loop._written())}

    def called(self) -> Any:
        state = self.first
        for at, other in enumerate(self.others):
            if self.trace.decide is None or not self.trace.decide(among=self.states() - at):
                break
            state = other
        values, left_there = state
        for (container, key), value in left_there.items():
            written(self.loop.containers[container], key, value, self.writes)
        if isinstance(self.writes, Snapshot) and (left_there or state is not self.first):
            self.writes.include((self.function, *values))
        return self.function(*values)

    def run(self, repeat: Repeat | None = None) -> Any:
        is_while = self.targets is None
        self.session.whiles += is_while
        try:
            result = super().run(repeat)
        finally:
            self.session.whiles -= is_while
        is_left = result[len(self.values)] != NEXT
        if is_left or not self.loop.puts_aside():
            return result
        if self.targets is None:
            return self.loop.left_if_known(result)
        return self.loop.noted(result, self.targets)

    def states(self) -> int:
        return 1 + len(self.others)

    def has_effects(self) -> bool:
        """As of any statement; where snapshots would do, all begins anew with these.

        Else there would be a path for each turn that may be the last.
        """
        result, session = super().has_effects(), self.session
        if result and session.needs_snapshots and not session.takes_snapshots:
            assert session.outermost is not None
            session.outermost.refuse("a loop changes objects, and may end in any of its turns")
        return result

    def straight(self) -> Any:
        if self.others:
            raise CannotUndo
        self.has_changed()
        self.loop.alone = WeakValueDictionary()
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

    def unite(self, results: list[Any], /, *, groups: Groups) -> list[Any]:
        before = _arrays_in(results)
        several = super().unite(results, groups=groups)
        for name, x in _arrays_in(several).items():
            if before.get(name) is not x:  # an id that is used again is another array's
                self.alone[name] = x
        x = None
        self._note_alone()
        place = len(self.values)
        going = [result for result in several if result[0][place] == NEXT]
        ends = [result for result in several if result[0][place] != NEXT]
        if len(several) == 1 or not self.loop.puts_aside():
            return several
        several.clear()
        going = [self.loop.gone_on_with(going, ends, self)]
        while ends:
            values, left = ends.pop(0)
            self.loop.put_end_aside(values, left, self)
            del values, left
        return going
