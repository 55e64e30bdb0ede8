"""Pieces of code within a function, whose paths are run apart like those of a call.

Contract: what stands in the code that `sparsetrace.user_code.outlining` makes.  Outside of a trace
that wants a piece apart each does what the piece itself does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any

from sparsetrace.capture.apart_writes import IN_PLACE, WHOLE, CannotUndo, Place, Writes, written
from sparsetrace.capture.paths_apart import distinct, run_apart
from sparsetrace.capture.session import SESSION, Session
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import BY_VALUES, TracingError, ValueDependentError, explain
from sparsetrace.user_code.effects import WRITES, has_effects
from sparsetrace.user_code.held_values import is_unchanging
from sparsetrace.user_code.outlined_pieces import NEXT

__all__ = ["stand_in"]


class _Unbound:
    """In place of the value of a local name that has none."""


_UNBOUND = _Unbound()
_FEW = 8
"""Ends of a loop that are gone on with one by one where its counter tells them apart."""


def stand_in(what: str, filename: str, place: tuple[int, int]) -> Any:
    """What is called in outlined code; see `sparsetrace.user_code.outlined_pieces`."""
    if what == "expression":
        return functools.partial(_expression, (filename, place))
    if what == "statement":
        return functools.partial(_statement, (filename, place))
    if what == "loop":
        return functools.partial(_loop, (filename, place))
    if what == "turn":
        return functools.partial(_turn, (filename, place, "turn"))
    return _OTHERS[what]


def _active(key: Hashable) -> tuple[Session, Trace] | None:
    """The session and trace of this context, where a piece is to be run apart."""
    session, trace = SESSION.get(), CURRENT.get()
    if session is None or trace is None or key not in session.apart or key in session.inside:
        return None
    return session, trace


def _expression(key: Hashable, function: Callable[[], Any]) -> Any:
    active = _active(key)
    if active is None:
        return function()
    session, trace = active
    session.inside.add(key)
    try:
        return run_apart(
            trace,
            function,
            has_effects=lambda: has_effects(
                function, known=session.effects, reached=session.functions
            ),
            unite=functools.partial(distinct, session, trace),
        )
    finally:
        session.inside.discard(key)


def _statement(key: Hashable, function: Callable[..., Any], *values: Any) -> Any:
    active = _active(key)
    if active is None:
        return function(*values)
    session, trace = active
    session.inside.add(key)
    try:
        return _Statement(session, trace, function, values).run()
    finally:
        session.inside.discard(key)


def _loop(key: Hashable, function: Callable[..., Any], *values: Any) -> Any:
    active = _active(key)
    if active is None:
        return function(*values, None)
    session, trace = active
    session.inside.add(key)
    try:
        return _Loop(session, trace, function, values).run()
    finally:
        session.inside.discard(key)


def _turn(key: Hashable, loop: _Loop | None, function: Callable[..., Any], *values: Any) -> Any:
    session = SESSION.get()
    if loop is None or session is None or key in session.inside:
        return function(*values)
    session.inside.add(key)
    try:
        return _Turn(loop, function, values).run()
    finally:
        session.inside.discard(key)


class _Statement:
    """One time that an outlined statement is run."""

    def __init__(
        self, session: Session, trace: Trace, function: Callable[..., Any], values: tuple[Any, ...]
    ) -> None:
        self.session, self.trace = session, trace
        self.function, self.values = function, values
        self.outer: Writes | None = session.writes
        self.writes: Writes | None = None
        self.containers: dict[int, Any] = {}
        self.has_decided = False
        self.aside: list[Any] = []
        """Results beside those that paths return."""

    def run(self) -> Any:
        try:
            values, left = run_apart(
                self.trace,
                self.path,
                has_effects=self.has_effects,
                unite=self.unite,
                straight=self.straight,
                aside=self.aside,
            )
        finally:
            self.session.writes = self.outer
        for (container, key), value in left.items():
            written(self.containers[container], key, value, self.outer)
        return values

    def has_effects(self) -> bool:
        """Whether running it again would change anything; if so its writes stay."""
        self.has_decided = True
        known, reached = self.session.effects, self.session.functions
        result = has_effects(self.function, self.values, undoes=True, known=known, reached=reached)
        if result and self.writes is not None:
            self.writes.keep()
        return result

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
        writes = self.writes = self.session.writes = Writes(self.outer)
        try:
            values = self.called()
            if writes.kept:
                return values, {}
            writes.check()
            left = writes.now()
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

    def unite(self, results: list[Any]) -> list[Any]:
        for container in {
            container for _, left in results for container, key in left if key is WHOLE
        }:
            for _, left in results:
                _as_whole(self.containers[container], left)
        places = list(dict.fromkeys(place for _, left in results for place in left))
        for _, left in results:  # dictionaries keep the order in which keys come
            if [place for place in places if place in left] != list(left):
                raise CannotUndo
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
            rows = _without_unbound(rows, len(self.values), ends=count > len(self.values))
        several = distinct(self.session, self.trace, rows, opens_integers=self.opens_integers())
        return [(row[:count], dict(zip(places, row[count:], strict=True))) for row in several]


class _Loop(_Statement):
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
            if self.aside:  # what was put aside has no decisions by which to judge an error
                raise CannotUndo from error
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

    def put_aside(self, values: tuple[Any, ...], left: dict[Place, Any], turn: _Turn) -> None:
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
            self.aside.append((values, all_writes.now()))
        finally:
            inner.undo()
        self.containers.update(all_writes.containers)


class _Turn(_Statement):
    """One turn of a loop."""

    def __init__(self, loop: _Loop, function: Callable[..., Any], values: tuple[Any, ...]) -> None:
        super().__init__(loop.session, loop.trace, function, values)
        self.loop = loop

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
            self.loop.put_aside(values, left, self)
            del values, left
        return going


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
            bound = [row[at] for row in group if row[at] is not _UNBOUND]
            for row in group:
                if bound and row[at] is _UNBOUND:
                    row[at] = bound[0]
    return [tuple(row) for row in result]


# ------------------------------------------------------------------------- writes
def _writes() -> Writes | None:
    session = SESSION.get()
    writes: Writes | None = None if session is None else session.writes
    return None if writes is None else writes.undone()


def _store(value: Any, container: Any, key: Any) -> None:
    writes = _writes()
    if writes is not None:
        writes.note(container, key)
    container[key] = value


def _update(name: str, value: Any, container: Any, key: Any) -> None:
    writes = _writes()
    if writes is not None:
        writes.note(container, key)
    container[key] = IN_PLACE[name](container[key], value)


def _change(name: str, old: object, value: object) -> Any:
    writes = _writes()
    if writes is not None and not is_unchanging(old):
        if not hasattr(old, "copy") or not hasattr(old, "dtype"):
            raise CannotUndo
        writes.note_whole(old)
    return IN_PLACE[name](old, value)


def _append(container: Any, value: Any) -> None:
    writes = _writes()
    if writes is not None:
        if type(container) is not list:
            raise CannotUndo
        writes.note_append(container)
    container.append(value)


for _function in (_append, _change, _store, _update):
    setattr(_function, WRITES, True)

_OTHERS: dict[str, Any] = {
    "append": _append,
    "change": _change,
    "slice": slice,
    "store": _store,
    "unbound": _UNBOUND,
    "update": _update,
}
