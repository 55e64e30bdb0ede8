"""Pieces of code within a function, whose paths are run apart like those of a call.

Contract: what stands in the code that `sparsetrace.user_code.outlining` makes.  Outside of a trace
that wants a piece apart each does what the piece itself does.
"""

from __future__ import annotations

import collections
import functools
import sys
import types
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from sparsetrace.capture.apart_loops import Loop, Turn
from sparsetrace.capture.apart_statements import UNBOUND, Statement
from sparsetrace.capture.apart_writes import IN_PLACE, ITEMS, Writes, has_slot, is_array, is_dict
from sparsetrace.capture.paths_apart import distinct, run_apart
from sparsetrace.capture.repeated_calls import repeats_in
from sparsetrace.capture.session import SESSION, Session
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import TracingError, UnsupportedError, explain
from sparsetrace.user_code.effects import FILLS, WRITES
from sparsetrace.user_code.handlers import code_map
from sparsetrace.user_code.held_values import is_unchanging
from sparsetrace.user_code.written_arguments import is_filling

__all__ = ["format_by", "stand_in"]

_SET_ATTRIBUTE: Any = object.__setattr__


_TEMPLATES: list[Callable[[str], str]] = []


def format_by(template: Callable[[str], str]) -> None:
    """Let texts before ``%`` in outlined code be such."""
    _TEMPLATES[:] = [template]


def stand_in(what: str, filename: str, place: tuple[int, int], text: str = "") -> Any:
    """What is called in outlined code; see `sparsetrace.user_code.outlined_pieces`."""
    if what == "template":
        return _TEMPLATES[0](text)
    if what == "expression":
        return functools.partial(_expression, (filename, place))
    if what == "statement":
        return functools.partial(_statement, (filename, place), (filename, place))
    if what in ("ended", "tail"):
        return functools.partial(_statement, (filename, place), (filename, place, what))
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


def _expression(key: Hashable, function: types.FunctionType) -> Any:
    active = _active(key)
    if active is None:
        return function()
    session, trace = active
    session.inside.add(key)
    try:
        return run_apart(
            trace,
            function,
            has_effects=lambda: session.has_effects(function),
            unite=functools.partial(distinct, session, trace),
            repeat=repeats_in(session, trace).of(key, function),
        )
    finally:
        session.inside.discard(key)


def _statement(key: Hashable, running: Hashable, function: types.FunctionType, *given: Any) -> Any:
    active = _active(key)
    if active is None or running in active[0].inside:
        return function(*given[1:])
    session, trace = active
    session.inside.add(running)
    try:
        repeat = repeats_in(session, trace).of(running, function, given[1:])
        return Statement(session, trace, function, given[1:], given).run(repeat)
    except TracingError:
        raise
    except Exception as error:
        _refuse_lost_names(error, given[1:])
        raise
    finally:
        session.inside.discard(running)


def _loop(key: Hashable, function: types.FunctionType, *given: Any) -> Any:
    active = _active(key)
    if active is None:
        return function(*given[1:], None)
    session, trace = active
    session.inside.add(key)
    try:
        repeat = repeats_in(session, trace).of(key, function, given[1:])
        return Loop(session, trace, function, given[1:], given).run(repeat)
    except TracingError:
        raise
    except Exception as error:
        _refuse_lost_names(error, given[1:])
        raise
    finally:
        session.inside.discard(key)


def _refuse_lost_names(error: Exception, names: tuple[Any, ...]) -> None:
    """Refuse an error of a piece after which the function around it goes on.

    What the piece has assigned to names by then is lost.  So none stands in a ``try``, nor in a
    ``with`` of what is not known by its name: this one has another meaning.
    """
    frame = sys._getframe(2)
    caught, _ = code_map(frame.f_code).outcome(frame.f_lasti, type(error), frame.f_globals)
    if names and caught:
        raise UnsupportedError(
            explain(
                "a with statement",
                f"what it enters may swallow an error ({type(error).__name__}: {error})",
                "Use try and except.",
            )
        ) from error


def _turn(
    key: Hashable,
    loop: Loop | None,
    targets: int | None,
    function: Callable[..., Any],
    *values: Any,
) -> Any:
    session = SESSION.get()
    if loop is None or session is None or key in session.inside:
        return function(*values)
    session.inside.add(key)
    try:
        return Turn(loop, targets, function, values).run()
    finally:
        session.inside.discard(key)


def _over(loop: Loop | None, iterable: Any, counts: bool, indexes: bool) -> Any:
    return iterable if loop is None else loop.over(iterable, counts=counts, indexes=indexes)


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


def _update(operation: str, value: Any, container: Any, key: Any) -> None:
    if isinstance(container, np.ndarray):  # of which a part is no array of its own
        writes = _writes()
        if writes is not None:
            writes.note(container, key)
        container[key] = IN_PLACE[operation](container[key], value)
        return
    writes = _writes()
    if writes is not None and is_dict(container):  # which may have no such item yet, and add it
        writes.note(container, key)
    old = container[key]
    new = _change(operation, old, value)
    if new is old and (type(container) is list or is_dict(container)):
        container[key] = new  # as an array, whose elements are noted
    else:
        _store(new, container, key)


def _assign(value: Any, owner: Any, name: str) -> None:
    writes = _writes()
    if writes is not None:
        writes.note(_attributes(owner, name), name)
    setattr(owner, name, value)


def _modify(operation: str, value: Any, owner: Any, name: str) -> None:
    old = getattr(owner, name)
    new = _change(operation, old, value)
    if new is old and (_writes() is None or _attributes(owner, name) is not None):
        setattr(owner, name, new)
    else:
        _assign(new, owner, name)


def _attributes(owner: Any, name: str) -> Any:
    """The dictionary in which an object has an attribute, itself if in a slot.

    None if assigning it does more.
    """
    cls = type(owner)
    is_plain = cls.__setattr__ is _SET_ATTRIBUTE
    if is_plain and has_slot(owner, name):
        return owner
    if not is_plain or hasattr(getattr(cls, name, None), "__set__"):
        return None
    return getattr(owner, "__dict__", None)


def _change(operation: str, old: object, value: object) -> Any:
    writes = _writes()
    if writes is not None and type(old) is list and operation == "Add":
        writes.note_append(old)
    elif writes is not None and not is_unchanging(old):
        if hasattr(old, "copy") and hasattr(old, "dtype"):
            writes.note_whole(old)
        else:
            writes.cannot_undo()
    return IN_PLACE[operation](old, value)


def _fill(function: Callable[..., Any], array: Any, *values: Any, **options: Any) -> Any:
    writes = _writes()
    if writes is not None and is_filling(function):
        if is_array(array):
            writes.note_whole(array)
        else:
            writes.cannot_undo()
    return function(array, *values, **options)


def _fill_part(
    function: Callable[..., Any], container: Any, key: Any, *values: Any, **options: Any
) -> Any:
    writes = _writes()
    if writes is None or not (is_filling(function) and is_array(container)):
        return _fill(function, container[key], *values, **options)
    writes.note(container, key)
    return function(container[key], *values, **options)


def _append(container: Any, value: Any) -> None:
    _note_append(container)
    container.append(value)


def _extend(container: Any, values: Any) -> None:
    _note_append(container)
    container.extend(values)


def _append_left(container: Any, value: Any) -> None:
    _note_append(container)
    container.appendleft(value)


def _note_append(container: Any) -> None:
    writes = _writes()
    if writes is not None:
        if type(container) is list:
            writes.note_append(container)
        elif type(container) is collections.deque:
            writes.note(container, ITEMS)
        else:
            writes.cannot_undo()


for _function in (_append, _append_left, _assign, _change, _extend, _modify, _store, _update):
    setattr(_function, WRITES, True)
setattr(_fill, WRITES, FILLS)
setattr(_fill_part, WRITES, FILLS)

_OTHERS: dict[str, Any] = {
    "append": _append,
    "appendleft": _append_left,
    "assign": _assign,
    "change": _change,
    "extend": _extend,
    "fill": _fill,
    "fill_part": _fill_part,
    "modify": _modify,
    "over": _over,
    "slice": slice,
    "store": _store,
    "unbound": UNBOUND,
    "update": _update,
}
