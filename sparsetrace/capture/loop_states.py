"""The states in which the turns of a loop begin, and whether one of them leads anywhere new.

Contract: a state adds nothing to another one if it has the same structure, and all that it depends
on and multiplies is in the other.  What is written into containers is part of it, and so is whose
the memory of its arrays is, unless nothing but the states themselves shows that.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from sparsetrace.capture.apart_writes import item_of, keys_of
from sparsetrace.capture.chosen_containers import sources_of
from sparsetrace.capture.result_unions import is_held_alone, told_apart, united
from sparsetrace.capture.session import Session
from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.reach import Reach
from sparsetrace.operands.operands import ids_of, is_traced_array
from sparsetrace.user_code.held_values import is_unchanging, value_key

__all__ = ["States", "are_within"]

_MOST_BEGUN = 8
"""States of a loop with which another one is compared."""


class Dependencies(NamedTuple):
    """What values are, and two sets for each number in them: see `Reach.of`."""

    kinds: tuple[Hashable, ...]
    reached: tuple[tuple[int, int], ...]
    bounds: tuple[tuple[float, float], ...]
    """Between which values numbers are known to be."""

    def are_within(self, other: Dependencies) -> bool:
        """Whether values like the others depend on all that these do."""
        return (
            self.kinds == other.kinds
            and not any(
                nodes & ~more or products & ~others
                for (nodes, products), (more, others) in zip(
                    self.reached, other.reached, strict=True
                )
            )
            and len(self.bounds) == len(other.bounds)
            and all(map(_is_within, self.bounds, other.bounds))
        )


def bounds_of(trace: Trace, value: Any) -> list[tuple[float, float]]:
    """Between which values the elements of a number or an array are known to be."""
    if trace.bounds is None:
        return []
    low, high = np.broadcast_arrays(*trace.bounds.of(value))
    return list(zip(low.reshape(-1).tolist(), high.reshape(-1).tolist(), strict=True))


def are_within(trace: Trace, value: Any, other: Any) -> bool:
    """Whether a number is known to be where the other one may be."""
    return all(map(_is_within, bounds_of(trace, value), bounds_of(trace, other)))


def _is_within(own: tuple[float, float], other: tuple[float, float]) -> bool:
    return other[0] <= own[0] and own[1] <= other[1]


class States:
    """The states in which the turns of one loop have begun."""

    def __init__(self, session: Session, trace: Trace) -> None:
        self.session, self.trace = session, trace
        self.reach = Reach(trace.graph)
        self.first = trace.graph.size
        self.known: dict[Hashable, tuple[tuple[Any, ...], Dependencies | None]] = {}
        self.begun: list[tuple[tuple[Any, ...], Dependencies, list[Any]]] = []
        """States each of which a turn has begun in as it is, the latest last; and what else was
        told by its id, which nothing else shall get."""
        self.fresh: WeakValueDictionary[int, Ids] = WeakValueDictionary()
        """By their ids memories that are younger than the loop: nothing but states shows them."""

    def forget(self) -> None:
        """Something has been written: states without all that was are compared with no other."""
        self.known.clear()

    def new(
        self, values: tuple[Any, ...], beside: Sequence[tuple[Any, ...]]
    ) -> tuple[Any, ...] | None:
        """The state, united with one that it is not told apart from; None if it adds nothing.

        Parameters
        ----------
        values : tuple
        beside : sequence of tuples
            The other states in which the turn may leave the loop.
        """
        if self.session.asks_identity():
            return values
        if any(isinstance(value, np.ndarray) for value in values):
            return None if self.begin(values, beside=beside) else values
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

    def begin(
        self,
        values: tuple[Any, ...],
        own: int = 0,
        containers: Iterable[Any] = (),
        beside: Sequence[tuple[Any, ...]] = (),
    ) -> list[tuple[Any, ...]]:
        """The states from the one on that this adds nothing to; none if there is no such one.

        Parameters
        ----------
        values : tuple
        own : int
            So many names are assigned by the loop itself, and are no part of the state.
        containers : iterable
            All that has been written into, whose items and elements are part of it.
        beside : sequence of tuples
            Other states, which may hold the same arrays.
        """
        dependencies = None
        kept: list[Any] = []
        if not self.session.asks_identity():
            dependencies = self._dependencies(values, own, containers, beside, kept)
        if dependencies is None:
            self.begun.clear()
            return []
        for at, (_, known, _) in enumerate(self.begun):
            if dependencies.are_within(known):
                return [values for values, *_ in self.begun[at:]]
        del self.begun[: 1 - _MOST_BEGUN]
        self.begun.append((values, dependencies, kept))
        return []

    def _dependencies(
        self,
        values: tuple[Any, ...],
        own: int = 0,
        containers: Iterable[Any] = (),
        beside: Sequence[tuple[Any, ...]] = (),
        kept: list[Any] | None = None,
    ) -> Dependencies | None:
        """What the values depend on and multiply, and what they are else; None if unknown.

        Without the first of them, as many as are the loop's own, and with what containers hold.
        """
        kinds: list[Hashable] = []
        reached: list[tuple[int, int]] = []
        bounds: list[tuple[float, float]] = []
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
            if getattr(type(value), "_is_bare", False):
                kinds.append((type(value), value._dtype.str))
                bounds.extend(bounds_of(self.trace, value))
                return add([int(ids_of(self.trace, value))])
            if is_traced_array(value):
                ids = ids_of(self.trace, value)
                kinds.append((type(value), value.dtype.str, ids.shape, ids.strides))
                kinds.extend(self._memory(ids, memories))
                bounds.extend(bounds_of(self.trace, value))
                return add(ids.reshape(-1).tolist())
            if is_unchanging(value):
                kinds.append(value_key(value))
                return True
            kinds.append(frozenset(map(id, sources_of(value))))
            if kept is not None:
                kept.append(value)
            return True

        for at in range(own, len(values)):
            places = sum(item is values[at] for row in (values, *beside) for item in row)
            self._note_fresh(values, at, places)
            if not visit(values[at]):
                return None
        for container in containers:
            kinds.append(id(container))
            if is_traced_array(container):
                if not visit(container):
                    return None
            elif isinstance(container, np.ndarray):
                kinds += [container.dtype.str, container.shape, container.tobytes()]
            if isinstance(container, np.ndarray):
                continue
            keys = keys_of(container)
            kinds.append(tuple(map(value_key, keys)))
            for key in keys:
                if isinstance(container, (dict, list)):
                    self._note_fresh(container, key)
                if not visit(item_of(container, key)):
                    return None
        return Dependencies(tuple(kinds), tuple(reached), tuple(bounds))

    def _note_fresh(self, holder: Any, at: Hashable, places: int = 1) -> None:
        """Remember that nothing but a state, and what it has written, shows some memory."""
        if is_traced_array(holder[at]) and is_held_alone(holder, at, places):
            memory = _owner(ids_of(self.trace, holder[at]))
            self.fresh[id(memory)] = memory

    def _memory(self, ids: Ids, memories: dict[int, int]) -> Iterator[Hashable]:
        """Which of several memories elements are in, where, and whose it is if others may see it.

        These do if it is older than the loop.
        """
        owner = _owner(ids)
        yield memories.setdefault(id(owner), len(memories))
        yield ids.ctypes.data - owner.ctypes.data
        is_fresh = id(owner) in self.fresh or (ids.size > 0 and ids.min() >= self.first)
        yield None if is_fresh else id(owner)


def _owner(ids: Ids) -> Ids:
    """The array whose memory these ids are in."""
    while isinstance(ids.base, np.ndarray):
        ids = ids.base
    return ids
