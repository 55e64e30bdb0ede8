"""The shape of what a mask picks: a tuple that asks how many there are where that is read.

Contract: knows how to ask for a length, not how it is found.  What does not depend on the length is
answered without it: how many axes there are, the lengths of the others, that a shape equals no
number, and that it equals the shape of what the same mask picks.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from sparsetrace.arrays.picks import Pick, meet
from sparsetrace.context import Trace

__all__ = ["PickedShape"]


class _Length:
    """A length that is asked for where it is used: C code reads the items of a tuple by itself."""

    __slots__ = ("_ask",)

    def __init__(self, ask: Callable[[], int]) -> None:
        self._ask = ask

    def __index__(self) -> int:
        return self._ask()

    __int__ = __index__


class PickedShape(tuple[Any, ...]):
    """A shape with one length that nobody knows.

    Parameters
    ----------
    lengths : sequence of int
        Of all axes, with anything in the place of that length.
    place : int
        Which it is.
    ask : callable
        Gives the length, or raises.
    pick : Pick
        As many elements as this picks.
    trace : Trace

    Examples
    --------
    >>> shape = PickedShape((0, 3), 0, lambda: 2, pick=None, trace=None)
    >>> len(shape), shape[1], shape == 5
    (2, 3, False)
    >>> shape
    (2, 3)
    """

    place: int
    pick: Pick
    _ask: Callable[[], int]
    trace: Trace

    def __new__(
        cls, lengths: Any, place: int, ask: Callable[[], int], *, pick: Any, trace: Any
    ) -> PickedShape:
        items = list(lengths)
        items[place] = _Length(ask)
        made = super().__new__(cls, items)
        made.place, made.pick, made._ask, made.trace = place, pick, ask, trace
        return made

    def with_length(self, length: int) -> tuple[int, ...]:
        """The shape if it were known."""
        lengths = list(tuple.__iter__(self))
        lengths[self.place] = length
        return tuple(lengths)

    def _known(self) -> tuple[int, ...]:
        return self.with_length(self._ask())

    def __getitem__(self, key: Any) -> Any:
        places = range(len(self))[key]
        asks = self.place in places if isinstance(places, range) else places == self.place
        return self._known()[key] if asks else super().__getitem__(key)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple) or len(self) != len(other):
            return False
        if isinstance(other, PickedShape) and self.place == other.place:
            if self.with_length(0) != other.with_length(0):
                return False
            if meet(self.trace, self.pick, other.pick):
                return True
        return self._known() == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._known())

    def __radd__(self, other: tuple[Any, ...]) -> tuple[Any, ...]:
        return other + self._known()

    def __reduce__(self) -> Any:
        return tuple, (self._known(),)


def _asking(name: str) -> Callable[..., Any]:
    method = getattr(tuple, name)

    def asking(self: PickedShape, *args: Any) -> Any:
        return method(self._known(), *args)

    return asking


for _name in (
    "__add__ __contains__ __ge__ __gt__ __iter__ __le__ __lt__ __mul__ __repr__ __rmul__ "
    "count index"
).split():
    setattr(PickedShape, _name, _asking(_name))


def _with_lengths(name: str) -> Callable[..., Any]:
    function = getattr(operator, name)

    def computed(self: _Length, other: Any) -> Any:
        return function(self._ask(), other)

    return computed


def _with_other_lengths(name: str) -> Callable[..., Any]:
    function = getattr(operator, name)

    def computed(self: _Length, other: Any) -> Any:
        return function(other, self._ask())

    return computed


for _name in "add sub mul floordiv truediv mod pow".split():
    setattr(_Length, f"__{_name}__", _with_lengths(_name))
    setattr(_Length, f"__r{_name}__", _with_other_lengths(_name))
for _name in "eq ne lt le gt ge".split():
    setattr(_Length, f"__{_name}__", _with_lengths(_name))
