"""Loops over ``range(n)`` whose turns are all alike, once another turn would change nothing.

Contract: a turn that reads no number of the loop, changes nothing but what its function has made,
and decides nothing, gives what it gave before where it begins in the same state: with the same
objects, and traced numbers that depend on and multiply the same.  So all turns but the last are
left out from there on, and every pattern is what it would be with them.  In doubt they are run.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections import deque
from collections.abc import Hashable, Iterator
from time import perf_counter
from typing import Any, NamedTuple
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from sparsetrace.arrays.array import TracedArray
from sparsetrace.capture.builtin_names import Like
from sparsetrace.capture.patch import ABSENT, Patch
from sparsetrace.capture.session import SESSION, Buffer, Session
from sparsetrace.context import CURRENT, Trace
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.graph.reach import Reach
from sparsetrace.operands.operands import ids_of, is_traced
from sparsetrace.user_code.handlers import instructions_of
from sparsetrace.user_code.held_values import is_unchanging, value_key
from sparsetrace.user_code.identity_tests import compared
from sparsetrace.user_code.range_loops import RangeLoop, fed_by

__all__ = ["TracedRange", "has_effects", "known_patches", "patches", "remember"]

_FIRST = 3
"""The first turn whose state is compared with that of the next ones."""
_FURTHER = 2
"""So many times as many turns are made until it is tried again."""
_PERIOD = 2
"""After so many turns the state may be the same again: two arrays take turns."""
_LOOKS = _PERIOD + 1
"""So many turns after the first one: by then two arrays that are carried on are younger."""
_PER_NODE = 4e-6
"""Seconds that it takes to find what a node depends on, generously."""
_GAIN = 2
"""So many times as long the turns that are left are to take."""
_MOST_BYTES = 2**22
"""Of ordinary arrays that the function has made."""
_DEEPEST = 8
"""Lists in lists and attributes of attributes that are looked into."""
_UNCHANGING = (
    *(types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type),
    *(np.ufunc, np.dtype, range, slice),
)


class TracedRange(metaclass=Like):
    """``range`` for traced code: of a loop, an iterator that may leave out turns."""

    _stands_in = True
    _plain = range

    def __new__(cls, *ends: Any) -> Any:
        numbers = range(*ends)
        trace = CURRENT.get()
        if len(numbers) <= _FIRST + _PERIOD or trace is None or trace.local:
            return numbers
        session = SESSION.get()
        loop = fed_by(sys._getframe(1))
        if session is None or loop is None or session.asks_identity() or session.reads_frames():
            return numbers
        return _turns(numbers, _Watch(trace, session, loop))


TracedRange.__name__ = TracedRange.__qualname__ = "range"
TracedRange.__module__ = "builtins"


def patches(scope: dict[str, Any]) -> list[Patch]:
    """``range`` in a module whose code goes over it; none where it compares that by identity."""
    if "range" in scope or compared(scope, "range", exchanged=False, with_types=True):
        return []
    return [_patch(scope)]


def _patch(scope: dict[str, Any]) -> Patch:
    return Patch(scope, "range", ABSENT, TracedRange)


_KNOWN: dict[int, tuple[types.CodeType, list[tuple[dict[str, Any], int]]]] = {}
"""By the ids of the codes of traced functions the modules whose loops were found in them, and how
many names these had."""
_MOST_KNOWN = 64


def remember(function: object, scope: dict[str, Any]) -> None:
    """Exchange ``range`` in a module from the start where that function is traced."""
    code = _code_of(function)
    if code is None:
        return
    while len(_KNOWN) >= _MOST_KNOWN:
        del _KNOWN[next(iter(_KNOWN))]
    _, scopes = _KNOWN.setdefault(id(code), (code, []))
    if not any(known is scope for known, _ in scopes):
        scopes.append((scope, len(scope) - ("range" in scope)))


def known_patches(function: object) -> list[Patch]:
    """The exchanges that are known to be worth their while for a function."""
    if not _KNOWN:
        return []
    _, scopes = _KNOWN.get(id(_code_of(function)), (None, ()))
    return [
        patch
        for scope, names in scopes
        for patch in ([_patch(scope)] if len(scope) == names else patches(scope))
    ]


def _code_of(function: object) -> types.CodeType | None:
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def _turns(numbers: range, watch: _Watch) -> Iterator[int]:
    """The numbers of a loop, without those of turns that would change nothing."""
    begun = perf_counter()
    first = _FIRST
    at, count = 0, len(numbers)
    while at < count:
        if first <= at <= first + _LOOKS:
            left = count - at
            seconds = (perf_counter() - begun) / at * left
            period = watch.same_as_before(sys._getframe(1), seconds)
            if period:
                periods = (left - 1) // period
                watch.leave_out(periods)
                at += periods * period
            elif at == first + _LOOKS:
                watch.states.clear()
                first *= _FURTHER
            if period or watch.is_hopeless:
                watch.forget()
                first = count
        yield numbers[at]
        at += 1


class _Turn(NamedTuple):
    """How a turn begins."""

    state: Hashable
    objects: tuple[int, ...]
    """By their ids those that are told apart, in the order in which they were met."""
    steps: int
    """Of the search of paths, which decisions are among."""
    choices: int
    held: tuple[dict[str, Any], list[Any]]
    """The variables, and what else is told by its id, which stays what it is."""


class _Watch:
    """The states in which the turns of one loop begin."""

    def __init__(self, trace: Trace, session: Session, loop: RangeLoop) -> None:
        self.trace, self.session, self.loop = trace, session, loop
        self.first = trace.graph.size
        self.reach = Reach(trace.graph)
        self.states: list[_Turn] = []
        """Of the last turns."""
        self.older: dict[int, ReferenceType[Any] | None] | None = None
        """What is in the first state that was looked at, by ids, and whether it is still there:
        all that a state holds later and others may hold as well, too, is among it, or is what each
        turn takes from the same place."""
        self.is_hopeless = False
        self._is_asked = False

    def same_as_before(self, frame: types.FrameType, seconds: float) -> int:
        """How many turns ago the state was the same; 0 if it is not known to have been.

        Parameters
        ----------
        frame : frame
            Of the function with the loop.
        seconds : float
            How long the turns take that are left.
        """
        trace, graph = self.trace, self.trace.graph
        if seconds < _GAIN * _PER_NODE * (graph.size - self.first):
            return 0
        self.is_hopeless = (
            CURRENT.get() is not trace
            or graph.kept is not None
            or trace.names is not None
            or (not self._is_asked and has_effects(self.session, frame))
        )
        self._is_asked = True
        if self.is_hopeless:
            return 0
        held = {name: x for name, x in frame.f_locals.items() if name != self.loop.number}
        seen = _state(trace, self.reach, held, _given(frame.f_code))
        steps = self.session.effort.steps
        if seen is None or (self.states and self.states[-1].steps != steps):
            self.is_hopeless = True
            return 0
        if self.older is None:
            self.older = {id(value): _reference(value) for value in seen.objects}
        objects = tuple(map(id, seen.objects))
        begins = tuple(seen.found), objects, steps, trace.choices, (held, seen.kept)
        self.states.append(_Turn(*begins))
        for ago, turn in enumerate(self.states[-2::-1][:_PERIOD], start=1):
            if self._is_same(turn, self.states[-1]):
                del self.states[: -1 - ago]
                return ago
        return 0

    def _is_same(self, turn: _Turn, later: _Turn) -> bool:
        """Whether two turns begin alike, in what others may hold with the very same objects."""
        return turn.state == later.state and not any(
            one != other and (self._is_older(one) or self._is_older(other))
            for one, other in zip(turn.objects, later.objects, strict=True)
        )

    def _is_older(self, number: int) -> bool:
        if not self.older or number not in self.older:
            return False
        reference = self.older[number]
        return reference is None or reference() is not None

    def forget(self) -> None:
        """Hold nothing any more."""
        self.states.clear()
        self.older = None

    def leave_out(self, periods: int) -> None:
        """Take account of what turns would have compared."""
        self.trace.choices += periods * (self.states[-1].choices - self.states[0].choices)


def has_effects(session: Session, frame: types.FrameType, *, undoes_all: bool = False) -> bool:
    """Whether the function that a frame runs may change what it has not made.

    Parameters
    ----------
    session : Session
    frame : frame
    undoes_all : bool
        Whether all that is written into objects will be undone.
    """
    code, values = frame.f_code, dict(frame.f_locals)
    parameters = _parameters(code)
    rest = code.co_varnames[len(parameters) :]
    several = rest[:1] if code.co_flags & inspect.CO_VARARGS else ()
    by_name = rest[len(several) :][:1] if code.co_flags & inspect.CO_VARKEYWORDS else ()
    if not values.keys() >= {*code.co_freevars, *parameters, *several, *by_name}:
        return True
    if any(type(values[name]) is not tuple for name in several) or any(
        type(values[name]) is not dict for name in by_name
    ):
        return True  # a variable that was assigned anew
    cells = tuple(types.CellType(values[name]) for name in code.co_freevars)
    function = types.FunctionType(code, frame.f_globals, code.co_name, None, cells)
    args = tuple(values[name] for name in parameters[: code.co_argcount])
    named = {name: values[name] for name in parameters[code.co_argcount :]}
    function.__kwdefaults__ = dict(named)
    for name in several:
        args += tuple(values[name])
    for name in by_name:
        named |= values[name]
    return session.has_effects(function, args, named, undoes_all=undoes_all)


def _parameters(code: types.CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _given(code: types.CodeType) -> frozenset[str]:
    """The variables that a function is given, and assigns nothing to: they stay as they are."""
    stored = {
        step.argval for step in instructions_of(code) if step.opname.startswith(("STORE", "DELETE"))
    }
    return frozenset((*_parameters(code), *code.co_freevars)) - stored


def _reference(value: Any) -> ReferenceType[Any] | None:
    try:
        return ref(value)
    except TypeError:  # lists, dicts
        return None


def _state(trace: Trace, reach: Reach, held: dict[str, Any], given: frozenset[str]) -> _Seen | None:
    """What variables are, and what they depend on and multiply; None where that is not known."""
    seen = _Seen(trace, reach)
    names = [name for name in held if name not in given]
    seen.found += [tuple(names), tuple(id(held[name]) for name in given & held.keys())]
    return seen if all(seen.add(held[name]) for name in names) else None


class _Seen:
    """What values are, gathered one by one, and which of them share what they hold."""

    def __init__(self, trace: Trace, reach: Reach) -> None:
        self.trace, self.reach = trace, reach
        self.found: list[Hashable] = []
        self.objects: list[Any] = []
        """Objects, numbers and memories that may be told apart, in the order in which they were
        met: of a number that is another object nobody knows how it compares."""
        self.kept: list[Any] = []
        """What is told by its id, which nothing else shall get."""
        self._numbers: dict[int, int] = {}
        """Where they are there, by their ids."""
        self._bytes = 0

    def add(self, value: Any, depth: int = 0) -> bool:
        """Gather what a value is; False where something may change it that is not seen here."""
        cls: Any = type(value)
        self.found.append(cls)
        if getattr(cls, "_is_bare", False) is True:
            self.found.append(value._dtype.str)
            self._is_known(value)
            return self._add_nodes([int(ids_of(self.trace, value))])
        if cls is TracedArray:
            ids = ids_of(self.trace, value)
            self.found += [value.dtype.str, ids.shape, ids.strides, value.flags.writeable]
            self._add_memory(ids)
            return self._add_nodes(ids.reshape(-1).tolist())
        if cls in (list, dict, deque) or isinstance(value, tuple):
            return not getattr(value, "__dict__", None) and self._add_items(value, depth)
        if is_traced(value):
            return False
        if is_unchanging(value):
            self.found.append(value_key(value))
            return True
        if isinstance(value, _UNCHANGING):
            self.found.append(id(value))
            self.kept.append(value)
            return True
        if isinstance(value, np.ndarray):
            return self._add_array(value)
        return self._add_object(value, depth)

    def _add_nodes(self, nodes: list[int]) -> bool:
        for node in nodes:
            reached = self.reach.of(node) if node > OPAQUE else node
            if reached is None:
                return False
            self.found.append(reached)
        return True

    def _is_known(self, value: Any) -> bool:
        """Whether an object was met before; note which one it is."""
        known = id(value) in self._numbers
        self.found.append(self._numbers.setdefault(id(value), len(self._numbers)))
        if not known:
            self.objects.append(value)
        return known

    def _add_memory(self, array: NDArray[Any]) -> None:
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        self._is_known(owner)
        self.found.append(array.ctypes.data - owner.ctypes.data)

    def _add_items(self, value: Any, depth: int) -> bool:
        if self._is_known(value):
            return True
        self.found.append(len(value))
        if type(value) is dict:
            if not all(is_unchanging(key) and not is_traced(key) for key in value):
                return False
            self.found += map(value_key, value)
            value = value.values()
        return depth < _DEEPEST and all(self.add(item, depth + 1) for item in value)

    def _add_array(self, array: NDArray[Any]) -> bool:
        self._bytes += array.nbytes
        if type(array) not in (np.ndarray, Buffer) or array.dtype.hasobject:
            return False
        if self._bytes > _MOST_BYTES:
            return False
        self.found += [array.dtype.str, array.shape, array.strides, array.flags.writeable]
        self._add_memory(array)
        self.found.append(array.tobytes())
        return True

    def _add_object(self, value: Any, depth: int) -> bool:
        """An object of a class in Python, which holds nothing but its attributes."""
        bases = type(value).__mro__[:-1]
        if any("__dict__" not in vars(base) and "__slots__" in vars(base) for base in bases):
            return False
        if type(value).__basicsize__ != _Plain.__basicsize__ or not hasattr(value, "__dict__"):
            return False
        return self._is_known(value) or self.add(vars(value), depth + 1)


class _Plain:
    """A class of which no base is written in C."""
