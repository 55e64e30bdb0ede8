"""``scipy.integrate.solve_ivp``: events, which are zeros of functions of the time and the state.

Contract: where ``g(t, y(t)) = 0``, the time depends on what g reads, through the state as well;
the slopes only divide.  The state there depends on the time, too.  How many events there are is
known at a point alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sparsetrace.dispatch.keeping_functions import may_hand_out
from sparsetrace.graph.graph import Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.scipy_rules.callbacks import Returned, unknown_number
from sparsetrace.scipy_rules.integrate.jumps import moving, unwatched, varying
from sparsetrace.scipy_rules.iterates import Iterates
from sparsetrace.scipy_rules.rule_tools import Call, array_of, current, made

POINT = "Take the pattern at a point, with local=True."


class _Found(NamedTuple):
    """The times and states of one event: as many as there are at a point, else any."""

    is_terminal: bool
    times: list[Ids]
    states: list[Ids]


class Events:
    """What ``solve_ivp`` is given as `events`, and what it finds by them."""

    def __init__(self, events, extra: tuple[Any, ...], iterates: Iterates) -> None:
        self._iterates = iterates
        self._events = (events,) if callable(events) else tuple(events)
        self._extra = extra

    @property
    def may_end(self) -> bool:
        """Whether an event may end the solution."""
        return any(getattr(event, "terminal", None) for event in self._events)

    def keeping(self) -> list[Callable[..., Any]]:
        """Those that may keep something, of a time and a state."""
        return [
            lambda t, y, event=event: event(t, y, *self._extra)
            for event in self._events
            if may_hand_out(event)
        ]

    def values_only(self) -> list[Any]:
        """The same for SciPy."""
        return [self._for_scipy(event) for event in self._events]

    def _for_scipy(self, event: Callable[..., Any]) -> Any:
        def asked(t, y) -> Any:
            with unwatched(current()):
                return event(t, y, *self._extra)

        function = self._iterates.shown_to(asked)
        looked_for = Returned().values_only(function, keep=False)
        for name in ("terminal", "direction"):
            if hasattr(event, name):
                setattr(looked_for, name, getattr(event, name))
        return looked_for

    def trace(self, out: Ids, dtype, found) -> None:
        """Take what the states at events depend on, and what SciPy has found at a point."""
        self._out, self._dtype = out, dtype
        self._found = [
            self._of(event, self._places(found, i, lent=may_hand_out(event)))
            for i, event in enumerate(self._events)
        ]

    def _places(self, found, which: int, *, lent: bool) -> Iterator[tuple[Any, Any]]:
        """The times and states where an event is looked at, which it may keep if they are lent."""
        trace = current()
        if found is None:
            with moving(trace) as place:
                states = trace.graph.node(self._out)
                place(states.shape, states, lent=lent)
                yield place(lent=lent), made(trace, states, self._dtype)
            return
        for t, y in zip(found.t_events[which], found.y_events[which], strict=True):
            if lent:
                yield self._iterates.lent(t), self._iterates.lent(y, self._out)
            else:
                yield t, made(trace, self._out.copy(), self._dtype, y)

    def _of(self, event: Callable[..., Any], places: Iterator[tuple[Any, Any]]) -> _Found:
        result = _Found(bool(getattr(event, "terminal", None)), [], [])
        graph = current().graph
        for t, y in places:
            returned = Returned()
            with varying(current()) as steps:
                returned.add(array_of(event(t, y, *self._extra)))
            returned.join_steps(steps, 0.0, of_all=True)
            assert returned.ids is not None
            ids = returned.ids.reshape(-1)
            if graph.second_order:  # what the slopes depend on multiplies it
                ids = np.append(ids, self._out)
            time = interact_all(graph, np.asarray(graph.union_rows(ids), np.int32))
            time = graph.node(time)  # not what the event may have kept
            there = graph.union(self._out, np.full(self._out.shape, time, np.int32))
            result.times.append(time)
            result.states.append(interact_all(graph, there))
        return result

    # ------------------------------------------------------------------- at a point
    def found_at_a_point(self, found) -> dict[str, Any]:
        """The times and states of all events."""
        times = [one.times for one in self._found]
        states = [one.states for one in self._found]
        return {
            "t_events": list(map(self._made, times, found.t_events)),
            "y_events": list(map(self._made, states, found.y_events)),
        }

    def _made(self, ids: list[Ids], values) -> Any:
        return made(current(), np.stack(ids), values.dtype, values) if ids else values

    def ended(self, found, start: float) -> tuple[Ids, Ids]:
        """The ids of the last time and state, where an event was the end."""
        ends = [
            (times[-1], (one.times[-1], one.states[-1]))
            for one, times in zip(self._found, found.t_events, strict=True)
            if one.is_terminal and len(times)
        ]
        end = max((time for time, _ in ends), key=lambda time: abs(time - start))
        last = [of_event for time, of_event in ends if time == end]
        return self._united(last[0], last[1:])

    # --------------------------------------------------------------------- anywhere
    def found_anywhere(self, call: Call) -> dict[str, Any]:
        """The same, of which nobody knows how many there are."""
        trace = current()
        times = [made(trace, one.times[0], np.dtype(float), scalar=True) for one in self._found]
        states = [made(trace, one.states[0].copy(), self._dtype) for one in self._found]
        return {
            "t_events": [_Unnumbered(call, time) for time in times],
            "y_events": [_Unnumbered(call, state) for state in states],
        }

    def ended_anywhere(self, last_time: Ids) -> tuple[Ids, Ids]:
        """The ids of the last time and state, which may be those of an event."""
        ends = [(one.times[0], one.states[0]) for one in self._found if one.is_terminal]
        return self._united((last_time, self._out), ends)

    def _united(self, first: tuple[Ids, Ids], others: list[tuple[Ids, Ids]]) -> tuple[Ids, Ids]:
        graph, (time, state) = current().graph, first
        for other, there in others:
            time, state = np.asarray(graph.union(time, other)), graph.union(state, there)
        return time, state


class _Unnumbered:
    """Times or states of events, each of which depends on the same."""

    def __init__(self, call: Call, each) -> None:
        self._call, self._each = call, each

    @property
    def size(self) -> Any:
        """How many numbers there are, which nobody knows."""
        return unknown_number(dtype=int)

    def __getitem__(self, key) -> Any:
        first, *others = key if isinstance(key, tuple) else (key,)
        if type(first) is not int and not isinstance(first, np.integer):
            self._refuse()
        return self._each[tuple(others)] if others else self._each

    def _refuse(self, *_) -> Any:
        self._call.refuse("how many events there are depends on the values", POINT)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__array__":
            raise AttributeError(name)
        return self._refuse()

    __len__ = __iter__ = __array__ = __bool__ = __contains__ = _refuse
