"""Calls of one function with other numbers: what one of them gave says what the next one gives.

Contract: of a call that changes nothing, and reads nothing beside its arguments that can change.
Where these are traced numbers, it cannot tell its numbers from those of another call.  So in the
results of the first call its arguments are exchanged for those of the next, and nothing is run.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Hashable, Mapping
from types import MappingProxyType
from typing import Any

from sparsetrace.capture.session import Session
from sparsetrace.capture.taken_whole import Errors
from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.graph.reach import Reach
from sparsetrace.operands.floating import is_calm
from sparsetrace.user_code.read_state import ReadState, content, counts_as_given, is_exact
from sparsetrace.user_code.value_kinds import MISSING

__all__ = ["Repeat", "Repeats", "holds_text_alone", "repeats_in"]

_Make = Callable[[list[Any]], Any]
"""Makes a result of the traced numbers that a call is given."""
_MOST_STATES = 8
"""So many times what a function reads may have changed before it is not asked any more."""
_PLAIN = (int, bool, str, type(None))


class Repeats:
    """What calls gave in one run of the traced function."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.made: dict[Hashable, tuple[list[_Make], Errors, int]] = {}
        self.codes: list[list[types.CodeType]] = []
        """Those of the frames around calls, which are known by their ids."""
        self._states: dict[Hashable, ReadState] = {}
        self._changes: dict[Hashable, int] = {}

    def of(
        self,
        key: Hashable,
        function: types.FunctionType,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] = MappingProxyType({}),
    ) -> Repeat | None:
        """One call, where others like it may have been made; None if that cannot be known.

        Parameters
        ----------
        key : hashable
            The same for all functions made of one code.
        function, args, kwargs
        """
        trace = self.trace
        if not trace.is_quick or trace.dependency or trace.texts is not None:
            return None
        numbers: list[Any] = []
        cells = tuple(map(content, function.__closure__ or ()))
        held = (x if counts_as_given(x) else None for x in cells)
        given = _shown((*args, *kwargs.values(), *held), numbers)
        if given is None or not numbers:
            return None
        if not self._is_state_known(key, function):
            return None
        return Repeat(self, (key, given, tuple(kwargs)), numbers)

    def _is_state_known(self, key: Hashable, function: types.FunctionType) -> bool:
        state = self._states.get(key)
        if state is not None and not state.is_known:
            return False
        if state is not None and state.is_of(function) and state.holds():
            return True
        changes = self._changes[key] = self._changes.get(key, -1) + 1
        if changes > _MOST_STATES:
            return False
        self._states[key] = state = ReadState(function)
        for known in [known for known in self.made if known[0][0] == key]:  # type: ignore[index]
            del self.made[known]
        return state.is_known


def repeats_in(session: Session, trace: Trace) -> Repeats:
    """What calls gave in this run."""
    if session.repeats is None or session.repeats.trace is not trace:
        session.repeats = Repeats(trace)
    repeats: Repeats = session.repeats
    return repeats


class Repeat:
    """One call.

    Parameters
    ----------
    repeats : Repeats
    kind : hashable
        Equal for calls that cannot tell their arguments from one another's.
    numbers : list
        The traced numbers among the arguments.
    """

    def __init__(self, repeats: Repeats, kind: Hashable, numbers: list[Any]) -> None:
        self.repeats, self.kind, self.numbers = repeats, kind, numbers
        self.codes: list[types.CodeType] = []

    def known(self) -> tuple[list[Any], Errors] | None:
        """What the call gives, and its errors, where that is known."""
        trace = self.repeats.trace
        self.key = self.kind, self._standing(sys._getframe(1))
        known = self.repeats.made.get(self.key) if is_calm(trace) else None
        if known is None:
            self.reach, self.choices = Reach(trace.graph), trace.choices
            return None
        makes, refused, choices = known
        trace.choices += choices
        return [make(self.numbers) for make in makes], refused

    def keep(self, results: list[Any], refused: Errors, is_pure: Callable[[], bool]) -> None:
        """Remember what it gave, if it has changed nothing."""
        trace = self.repeats.trace
        if not is_calm(trace) or not trace.is_quick or trace.texts is not None:
            return
        if not all(map(holds_text_alone, refused.values())):
            return  # a handler would find the numbers of this call in it
        makes = [self._make(result) for result in results]
        if all(make is not None for make in makes) and is_pure():
            choices = trace.choices - self.choices
            self.repeats.made[self.key] = makes, refused, choices  # type: ignore[assignment]
            self.repeats.codes.append(self.codes)

    def _standing(self, frame: types.FrameType | None) -> tuple[tuple[int, int], ...]:
        """Where all frames stand from this one outwards: what handles an error of the call."""
        places = []
        while frame is not None:
            code = frame.f_code
            self.codes.append(code)
            places.append((id(code), frame.f_lasti))
            frame = frame.f_back
        return tuple(places)

    def _make(self, result: Any) -> _Make | None:
        cls = type(result)
        if cls is tuple:
            items = [self._make(item) for item in result]
            if any(item is None for item in items):
                return None
            return lambda numbers: tuple(item(numbers) for item in items)  # type: ignore[misc]
        if not getattr(cls, "_is_bare", False):
            if cls is dict and not result:
                return lambda _: {}
            return (lambda _: result) if is_exact(result) or hasattr(cls, MISSING) else None
        return self._make_number(result) if result._dtype.kind in "fiu" else None

    def _make_number(self, number: Any) -> _Make | None:
        trace, cls, node, dtype = self.repeats.trace, type(number), number._id, number._dtype
        if number._trace is not trace:
            return None
        for at, one in enumerate(self.numbers):
            if one is number:  # as the function may find out
                return lambda numbers: numbers[at]
        if node <= OPAQUE:
            return lambda _: cls(trace, node, dtype)
        found = self.reach.of(node)
        if found is None:
            return None
        place = {one._id: at for at, one in reversed(list(enumerate(self.numbers)))}
        older = [place.get(one) for one in self.reach.nodes_in(found[0])]
        pairs = [tuple(map(place.get, pair)) for pair in self.reach.pairs_in(found[1])]
        if not older or None in older or any(None in pair for pair in pairs):
            return None
        graph = trace.graph

        def make(numbers: list[Any]) -> Any:
            made, *others = (numbers[at]._id for at in older)  # type: ignore[index]
            for one in others:
                made = graph.union_scalar(made, one)
            if pairs:
                made = graph.node_scalar(made, made)
                for left, right in pairs:
                    graph.scalar_products += (made, numbers[left]._id, numbers[right]._id)  # type: ignore[index]
            return cls(trace, made, dtype)

        return make


def holds_text_alone(error: BaseException) -> bool:
    """Whether an error holds no numbers, nor do those in which it was raised."""
    others = [e for e in (error.__cause__, error.__context__) if e is not None]
    return (
        all(type(value) is str for value in error.args)
        and all(name.startswith("_sparsetrace") for name in vars(error))
        and all(map(holds_text_alone, others))
    )


def _shown(given: tuple[Any, ...], numbers: list[Any]) -> tuple[Hashable, ...] | None:
    """Equal for arguments that a call cannot tell apart; the traced numbers among them are listed.

    None if there are others than numbers and plain values.
    """
    shown: list[Hashable] = []
    for value in given:
        cls = type(value)
        if getattr(cls, "_is_bare", False):
            if value._id <= OPAQUE or value._dtype.kind != "f":
                return None
            same = next((at for at, one in enumerate(numbers) if one is value), -1)
            alike = next((at for at, one in enumerate(numbers) if one._id == value._id), -1)
            numbers.append(value)
            shown.append((cls, value._dtype, same, alike))
        elif cls in _PLAIN:
            shown.append((cls, value))
        elif cls is float:
            shown.append((cls, value.hex()))
        else:
            return None
    return tuple(shown)
