"""One statement whose paths are run apart: its writes are undone after each, and united.

Contract: the statement is a function of the names that it assigns, which gives their values.
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from sparsetrace.capture.apart_writes import (
    ABSENT,
    TAIL,
    WHOLE,
    CannotUndo,
    Place,
    Writes,
    is_array,
    is_dict,
    keys_of,
    layout_of,
    memory_of,
    written,
)
from sparsetrace.capture.paths_apart import Beside, Errors, distinct, run_apart
from sparsetrace.capture.repeated_calls import Repeat
from sparsetrace.capture.result_unions import OF_HOLDER, Groups, owns_memory
from sparsetrace.capture.session import Session
from sparsetrace.capture.snapshots import Reachable, Snapshot
from sparsetrace.context import Trace
from sparsetrace.user_code.value_kinds import MISSING

__all__ = ["UNBOUND", "Statement"]


class _Unbound:
    """In place of the value of a local name that has none."""


setattr(_Unbound, MISSING, True)
UNBOUND = _Unbound()


_COUNTED = (np.ndarray, list, dict)


class Statement:
    """One time that an outlined statement is run.

    Parameters
    ----------
    session : Session
    trace : Trace
    function : callable
    values : tuple
        What the names are that it assigns.
    given : tuple
        A probe and these values, as the user's code holds them; empty if it holds them otherwise.
    """

    def __init__(
        self,
        session: Session,
        trace: Trace,
        function: Callable[..., Any],
        values: tuple[Any, ...],
        given: tuple[Any, ...] = (),
    ) -> None:
        self.given_values = given
        self.session, self.trace = session, trace
        self.function, self.values = function, values
        self.outer: Writes | None = session.writes
        self.writes: Writes | None = None
        self.containers: dict[int, Any] = {}
        self.has_decided = False
        self._reachable: Reachable | None = None
        """All that a path may change, as it is where the statement begins."""
        self.beside = Beside()

    def run(self, repeat: Repeat | None = None) -> Any:
        """What the names are after it, given what is known of others like it."""
        try:
            values, left = run_apart(
                self.trace,
                self.path,
                has_effects=self.has_effects,
                unite=self.unite,
                straight=self.straight,
                leaves=self.has_written,
                beside=self.beside,
                put_aside=self.put_aside,
                states=self.states(),
                repeat=repeat,
            )
        finally:
            self.session.writes = self.outer
        for (container, key), value in left.items():
            written(self.containers[container], key, value, self.outer)
        if left:
            self.has_changed()
        return values

    def has_changed(self) -> None:
        """Called once it has written anything for good."""

    def has_effects(self) -> bool:
        """Whether running it again would change anything; if so its writes stay."""
        self.has_decided = True
        writes = self.writes
        if writes is not None and writes.undoes_all:
            return writes.kept
        is_kept = writes is not None and writes.kept
        result = is_kept or self.session.has_effects(self.function, self.values, undoes=True)
        if result and not is_kept and not self.session.takes_snapshots:
            self.session.needs_snapshots |= self._changes_objects
        if writes is not None:
            writes.is_only = False
            if result:
                writes.keep()
        return result

    def has_written(self) -> bool:
        """Whether the last path has written anything."""
        return self.writes is not None and bool(self.writes.before)

    def put_aside(self, errors: Errors) -> bool:
        """Whether what is around this goes on without the errors, and raises them in the end."""
        return False

    def states(self) -> int:
        """In how many states of its names it begins."""
        return 1

    def straight(self) -> Any:
        """Run it as it stands, with nothing undone."""
        self.session.writes = self.outer
        return self.function(*self.values), {}

    def opens_integers(self) -> bool:
        """Whether different whole numbers become one that nobody knows."""
        return self.session.opens_integers

    def called(self) -> Any:
        return self.function(*self.values)

    def path(self) -> Any:
        """One path: the values of the names, and what is left where it has written."""
        writes = self.writes = self._new_writes()
        self.session.writes = writes
        try:
            values = self.called()
            self.trace.unwatched = self.trace.lately = None  # frames, with what they hold
            if not writes.kept:
                writes.find()
                _leave_out_own(writes, values)
                writes.check()
            left = {} if writes.kept else writes.now()
        except Exception:
            if not self.has_decided:  # the only path: the error leaves behind what was written
                writes.keep()
            raise
        finally:
            self.session.writes = self.outer
            if not writes.kept:
                writes.undo()
                self.containers.update(writes.containers)
        return values, left

    def _new_writes(self) -> Writes:
        """Of a path: noted as they are made or, if the session wants that, found in the end."""
        if self.session.takes_snapshots and self._changes_objects:
            if self._reachable is None:
                self._reachable = Reachable((self.function, *self.values))
            if not self._reachable.unknown:
                return Snapshot(self.outer, self._reachable)
        return Writes(self.outer, is_only=not self.has_decided)

    @functools.cached_property
    def _changes_objects(self) -> bool:
        """Whether functions that it calls change objects, and nothing but what it can reach."""
        has_effects = functools.partial(
            self.session.has_effects, self.function, self.values, undoes=True
        )
        return has_effects() and not has_effects(undoes_all=True)

    def unite(self, results: list[Any], /, *, groups: Groups) -> list[Any]:
        self._reachable = None  # what it holds is united where nothing else does
        if isinstance(self.writes, Snapshot):
            self.writes.forget()
        self._join_views(results)
        for container in {
            container for _, left in results for container, key in left if key is WHOLE
        }:
            for result in results:
                _as_whole(self.containers[container], result[1])
        places = list(dict.fromkeys(place for _, left in results for place in left))
        keys = [
            place
            for place in places
            if is_dict(self.containers[place[0]])
            and (
                place[1] not in self.containers[place[0]]
                or any(left.get(place) is ABSENT for _, left in results)
            )
        ]
        if any(  # dictionaries keep the order in which keys come
            [place for place in keys if place in left] != [x for x in left if x in keys]
            for _, left in results
        ):
            raise CannotUndo
        result = None  # else it holds the values of a path, which are to be held once
        known = Writes(None)
        known.containers = self.containers
        lengths = {id(c): len(c) for c in self.containers.values() if type(c) is list}
        known.before = {place: lengths.get(place[0]) for place in places}
        rows: list[tuple[Any, ...]] = []
        count = len(results[0][0])
        while results:
            values, left = results.pop(0)
            rows.append((*values, *(_left(known, left, place) for place in places)))
            del values, left
        if not self.session.asks_types():
            names = min(count, len(self.values))  # of the end of a function none is given
            rows = _without_unbound(rows, names, ends=count > names + 1)
        several = distinct(
            self.session,
            self.trace,
            rows,
            opens_integers=self.opens_integers(),
            spare=self._references(rows) | self._references_of_items(rows, count, places),
            groups=groups,
        )
        return [(row[:count], dict(zip(places, row[count:], strict=True))) for row in several]

    def _join_views(self, results: list[Any]) -> None:
        """Take views of the same elements for one: each path makes its own (``m[0][1] = v``).

        Raises
        ------
        CannotUndo
            If paths have written into others that share memory.
        """
        names = dict.fromkeys(place[0] for _, left in results for place in left)
        arrays = {name: self.containers[name] for name in names}
        layouts = {name: layout_of(array) for name, array in arrays.items() if is_array(array)}
        if len(layouts) < 2:
            return
        first: dict[Hashable, int] = {}
        same = {name: first.setdefault(layout, name) for name, layout in layouts.items()}
        memories = [memory_of(arrays[name]) for name in first.values()]
        for i, one in enumerate(memories):
            if any(np.may_share_memory(one, other) for other in memories[:i]):
                raise CannotUndo
        if len(first) < len(layouts):
            for _, left in results:
                moved = {(same.get(name, name), key): value for (name, key), value in left.items()}
                left.clear()
                left.update(moved)

    def _references(self, rows: list[tuple[Any, ...]]) -> dict[int, int]:
        """References to arrays and lists that the names alone were, besides one row's, by id.

        The user's code, and what stands in it, hold such an object as often as the probe.
        """
        result: dict[int, int] = {}
        if not self.given_values:
            return result
        of_probe = sys.getrefcount(self.given_values[0])
        for at in range(len(self.values)):
            if not isinstance(self.values[at], _COUNTED):
                continue
            held = sys.getrefcount(self.values[at])
            places = [
                place for row in rows for place, item in enumerate(row) if item is self.values[at]
            ]
            names = sum(value is self.values[at] for value in self.values)
            alone = names == 1 and all(place == at for place in places)
            if alone and held == of_probe + 1 + len(places):
                result[id(self.values[at])] = held - OF_HOLDER
        return result

    def _references_of_items(
        self, rows: list[tuple[Any, ...]], count: int, places: list[Place]
    ) -> dict[int, int]:
        """The same of what lists and dictionaries alone held, where a path has left it there."""
        result: dict[int, int] = {}
        before = [] if self.writes is None else list(self.writes.before.values())
        for at, (container_id, key) in enumerate(places, count):
            container = self.containers[container_id]
            is_known = type(container) is list or is_dict(container)
            if not is_known or key is TAIL or key not in keys_of(container):
                continue
            if not isinstance(container[key], _COUNTED):
                continue
            held = sys.getrefcount(container[key])
            found = [
                place for row in rows for place, item in enumerate(row) if item is container[key]
            ]
            noted = 2 * sum(item is container[key] for item in before)  # in the list here, too
            if set(found) == {at} and held == OF_HOLDER + len(found) + noted:
                result[id(container[key])] = held - OF_HOLDER
        return result


def _leave_out_own(writes: Writes, values: tuple[Any, ...]) -> None:
    """Forget what was written into containers that the path has made: no other path sees these."""
    own: set[int] = set()
    for name in list(writes.containers):
        names = sum(value is writes.containers[name] for value in values)
        if sys.getrefcount(writes.containers[name]) == OF_HOLDER + names:
            container = writes.containers[name]
            is_whole = not isinstance(container, np.ndarray) or owns_memory(container)
            if is_whole and not weakref.getweakrefcount(container):
                own.add(name)
    writes.leave_out(own)


def _left(known: Writes, left: dict[Place, Any], place: Place) -> Any:
    """What a path has left at a place; taken out, so that nothing else holds it."""
    return left.pop(place) if place in left else known.read(place)


def _as_whole(array: Any, left: dict[Place, Any]) -> None:
    """Let a path have left the array as a whole, where it has left some elements of it."""
    elements = {place: left.pop(place) for place in list(left) if place[0] == id(array)}
    whole = elements.pop((id(array), WHOLE), None)
    if whole is None:
        whole = array.copy()
        for (_, key), value in elements.items():
            whole[key] = value
    left[id(array), WHOLE] = whole


def _without_unbound(
    rows: list[tuple[Any, ...]], count: int, *, ends: bool = False
) -> list[tuple[Any, ...]]:
    """The rows with a value for names that have none on some path: reading them would fail.

    Parameters
    ----------
    rows : list of tuples
    count : int
        The names, which come first.
    ends : bool
        Whether it is said next how the piece ended; the others are those that ended alike.
    """
    result = [list(row) for row in rows]
    rows.clear()
    groups: dict[Any, list[list[Any]]] = {}
    for row in result:
        groups.setdefault(row[count] if ends else None, []).append(row)
    for group in groups.values():
        for at in range(count):
            bound = [row[at] for row in group if row[at] is not UNBOUND]
            for row in group:
                if bound and row[at] is UNBOUND:
                    row[at] = bound[0]
    return [tuple(row) for row in result]
