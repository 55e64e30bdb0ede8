"""Which elements a mask picks whose values depend on the inputs, and how a count is refused.

Contract: knows node ids and masks, not what is picked.  A mask of few elements whose count is
asked for is decided: each of its elements is a branch, and what it picks is known on each path.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sparsetrace.arrays.value_bounds import FEW_VALUES
from sparsetrace.arrays.value_names import ValueNames
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import BY_VALUES, INDEX, ValueDependentError, explain
from sparsetrace.graph.graph import ZERO, Ids
from sparsetrace.operands.operands import Elements, ids_of
from sparsetrace.operands.raising import may_raise
from sparsetrace.user_code.frames import outside_frame, user_location
from sparsetrace.user_code.indexed_sequences import indexed_length
from sparsetrace.user_code.range_stops import range_start

__all__ = ["Masks", "Pick", "decide", "meet", "refuse"]

_FEW, _TOGETHER = 8, 10
"""So many elements of a mask may be decided, each by a branch, and of all masks of a run."""


class Pick:
    """Which elements a mask picks, known by the name of the mask's values.

    Parameters
    ----------
    trace : Trace
    mask : array of truth values, traced or not
    outer : Pick, optional
        Of the array that is picked from, where that was picked itself.

    Attributes
    ----------
    number : whole number, traced, or None
        How many elements it picks, of an array that was made of so many.
    run : callable or None
        Gives for how many elements it picks which ones these are, if that is known: of ``x[:k]``
        the first.
    """

    __slots__ = ("ids", "name", "number", "opposite", "outer", "place", "possible", "run")

    def __init__(self, trace: Trace, mask: object, outer: Pick | None = None) -> None:
        if trace.names is None:  # from now on, writes into the mask are heeded
            trace.name_values_by(ValueNames(truths_alone=True))
        ids = np.asarray(ids_of(trace, mask))
        self.name = trace.names.of(mask)
        self.opposite = trace.names.opposites.get(self.name)
        self.ids: Ids = ids.flatten()
        self.outer = outer
        self.number: Any = None
        self.run: Callable[[int], slice] | None = None
        self.place = user_location()
        self.possible = ~trace.graph.zeros_among(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def names(self) -> tuple[Hashable, ...]:
        """Its own name, and those of the masks outside."""
        return tuple(pick.name for pick in self.outwards())

    def outwards(self) -> Iterator[Pick]:
        """The pick itself, and those of the masks outside."""
        pick: Pick | None = self
        while pick is not None:
            yield pick
            pick = pick.outer

    def every(self, trace: Trace) -> Ids:
        """On what it depends whether each candidate is picked, out of an outer mask as well."""
        if self.outer is None:
            return self.ids
        return np.maximum(trace.graph.union(self.ids, self.outer.every(trace)), trace.graph.opaque)

    def count(self, trace: Trace) -> Any:
        """How many are picked: a whole number that is not known, whose derivative is zero."""
        mask = trace.wrap(Elements(np.array(self.every(trace)), np.dtype(bool), keep_array=True))
        assert trace.names is not None
        trace.names.name(mask._ids, ("picked", self.names))
        return np.count_nonzero(mask)

    @property
    def undecided(self) -> NDArray[np.bool_]:
        """Which elements of the mask are no known constants."""
        return self.ids > ZERO

    def is_same(self, other: Pick | None) -> bool:
        """Whether both masks pick the same elements whatever the inputs are."""
        if other is None or self is other:
            return self is other
        outer = self.outer is other.outer or (
            self.outer is not None and self.outer.is_same(other.outer)
        )
        return outer and self.name == other.name

    def is_opposite(self, other: Pick) -> bool:
        """Whether this mask was made of the other one, and picks what that does not."""
        if self.outer is not None or other.outer is not None or self.opposite is None:
            return False
        return self.opposite == other.name and len(self) == len(other)


class Masks:
    """The masks and indices of one run that are decided, by a branch for each element or value.

    Parameters
    ----------
    places : set of str
        Where masks were used of which somebody asked how many elements they pick; and `INDEX`,
        where whole numbers may be decided.
    again : callable
        Asks for another run of the function, since `places` has grown.
    """

    __slots__ = ("_again", "decided", "places")

    def __init__(self, places: set[str], again: Callable[[], NoReturn]) -> None:
        self.places, self._again = places, again
        self.decided: list[tuple[Any, NDArray[Any]]] = []

    def want(self, picks: list[Pick]) -> None:
        """Ask for a run in which these masks are decided, unless they are large.

        Of an array that was made of a number of elements, that number is, if it has few values.

        A mask that was decided on this path, at another of its places, is so at these as well.
        """
        every = [outer for pick in picks for outer in pick.outwards()]
        known = {pick.place for pick in every if self.known(pick) is not None}
        self._ask(known)
        if all(self._are_few(pick) or self._has_few_counts(pick) for pick in every):
            self._ask({pick.place for pick in every})

    def _ask(self, places: set[str]) -> None:
        if not places <= self.places:
            self.places |= places
            self._again()

    def _are_few(self, pick: Pick) -> bool:
        """Whether the elements of a mask may be decided, beside those that are."""
        own = np.count_nonzero(pick.undecided)
        picks = (other for other, _ in self.decided if isinstance(other, Pick))
        others = sum(np.count_nonzero(other.undecided) for other in picks)
        return bool(own <= _FEW and own + others <= _TOGETHER)

    def _has_few_counts(self, pick: Pick) -> bool:
        return pick.number is not None and self.has_few_values(pick.number)

    def known(self, pick: Pick) -> NDArray[np.bool_] | None:
        """The elements that a mask picks, if that was decided on this path."""
        for other, truths in self.decided:
            if isinstance(other, Pick):
                if other.is_same(pick):
                    return truths
                if other.is_opposite(pick) or pick.is_opposite(other):
                    return ~truths
        return None

    def of(self, trace: Trace, pick: Pick) -> NDArray[np.bool_] | None:
        """The elements that a mask picks on this path; None where that is not to be decided."""
        if not self.places:
            return None
        known = self.known(pick)
        if known is not None:
            return known
        if pick.place not in self.places or not self._are_few(pick):
            return None
        return self.decide(trace, pick)

    def values(self, trace: Trace, mask: Any) -> NDArray[np.bool_] | None:
        """The truth values of a mask on this path, for a call that needs them."""
        if getattr(type(mask), "_is_picked", False):
            return None
        pick = Pick(trace, mask)
        truths = self.of(trace, pick)
        if truths is None:
            self.want([pick])
        return None if truths is None else truths.reshape(mask.shape)

    def decide(self, trace: Trace, pick: Pick) -> NDArray[np.bool_]:
        """Decide which elements a mask picks, by a branch for each."""
        truths = pick.possible.copy()
        for i in np.flatnonzero(pick.undecided):
            truths[i] = bool(trace.wrap(Elements(pick.ids[i], np.dtype(bool))))
        self.decided.append((pick, truths))
        return truths

    def known_index(self, number: Any) -> int | None:
        """A whole number, if that was decided on this path."""
        if not self.decided or INDEX not in self.places or isinstance(number, (list, np.ndarray)):
            return None
        for other, value in self.decided:
            if other is number:
                return int(value)
        bounds = number._trace.bounds
        root, steps = (number, ()) if bounds is None else bounds.origin(number)
        known = next((value for other, value in self.decided if other is root), None)
        if known is None:
            return None
        for step in steps:
            known = step(known)
        return int(known)

    def decides_end(self, number: Any) -> bool:
        """Whether a number is decided where a slice ends: not if loops end in as many ways."""
        bounds = number._trace.bounds
        counts_ends = bounds is not None and bounds.counts_ends(number)
        return not counts_ends and self.has_few_values(number)

    def has_few_values(self, number: Any) -> bool:
        """Whether a whole number can be decided."""
        bounds = number._trace.bounds
        if bounds is None:
            return True
        low, high = bounds.of(bounds.origin(number)[0])
        return bool(high - low < FEW_VALUES)

    def index(self, number: Any, start: int | None = None) -> int | None:
        """A whole number on this path; None where it may be one of too many.

        Each value is a path of its own, and numbers that differ by constants are decided together:
        ``x[k : k + 3]`` has three elements.  Of a list it is one of the indices that it has, and
        as the end of a range, which begins at `start`, one of those that make turns.
        """
        if INDEX not in self.places:
            return None
        bounds = number._trace.bounds
        root, _ = bounds.origin(number)
        if self.known_index(number) is None:
            low, high = bounds.of(root)
            if not high - low < FEW_VALUES:
                frame = outside_frame(sys._getframe(1))
                start = range_start(frame) if start is None else start
                if start is not None:
                    source, shift = bounds.shifted(number)
                    high = min(float(bounds.of(number)[1]), float(bounds.of(source)[1]) + shift)
                    return self._end_of_range(number, start, high)
                length = indexed_length(frame)
                if length is None or not 0 < 2 * length <= FEW_VALUES:
                    return None
                may_raise(number._trace, _out_of_range, (number,))
                root, low, high = number, -length, length - 1
            value = int(low)
            while value < high and not root <= value:
                value += 1
            self.decided.append((root, np.array(value)))
        return self.known_index(number)

    def _end_of_range(self, number: Any, start: int, high: float) -> int | None:
        """The end of a range on this path: what is not above its start stands for no turn.

        It is known from bounds, or from earlier outcomes, that there are few turns at most.
        """
        most = start + FEW_VALUES
        if number <= start:
            return start
        if not (high < most or number < most):
            return None
        value = start + 1
        while value < min(high, most - 1) and not number <= value:
            value += 1
        self.decided.append((number, np.array(value)))
        return value


def _out_of_range() -> IndexError:
    return IndexError("list index out of range")


def meet(trace: Trace, pick: Pick, other: Pick) -> bool:
    """Whether two masks are the same.

    Where they seem not to be, a run is asked for in which arrays are named from the start.
    """
    same = pick.is_same(other)
    if not same and trace.name_values is not None:
        trace.name_values()
    return same


def decide(*operands: object) -> list[Pick]:
    """Ask for a run in which the masks that picked these are decided, if they have few elements.

    Each element is a branch then.

    Parameters
    ----------
    *operands : object
        Among them what was picked, or how it was.

    Returns
    -------
    picks : list of Pick
        How they were picked, where the masks are large.
    """
    picks = [x if isinstance(x, Pick) else getattr(x, "_pick", None) for x in operands]
    known = [pick for pick in picks if pick is not None]
    trace = CURRENT.get()
    if known and trace is not None and trace.masks is not None:
        trace.masks.want(known)
    return known


def refuse(call: str, *operands: object) -> NoReturn:
    """Raise the error of a call that asks how many elements masks pick, or which.

    Unless another run may answer it: see `decide`.

    Parameters
    ----------
    call : str
    *operands : object
    """
    known = decide(*operands)
    mask = f"the mask at {known[0].place}" if known else "a mask"
    raise ValueDependentError(
        explain(
            call,
            f"how many elements {mask} picks depends on the inputs",
            "Use np.where(mask, x, 0), which keeps the shape.",
            BY_VALUES,
        )
    )
