"""Arrays that were there before the call and are written in it: ``self.work[...] = x``.

Contract: after an error every array that the function's own objects hold is exchanged, in every
place that holds it, for a `Buffer` over the same memory, which says when a traced value is about
to be written into it.  In the next run that array, and all others that share its memory, are
traced ones, which begin with the numbers that are there.  The arrays themselves are never
written, and are back in their places when the run is over.

An array is exchanged for a traced one only if all references to it are known: what somebody
still held of the array itself would not see what is written.
"""

from __future__ import annotations

import functools
import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from sparsetrace.arrays.array import traced_array
from sparsetrace.arrays.object_array import ObjectArray
from sparsetrace.capture.session import Buffer, Outside, Session
from sparsetrace.context import Trace
from sparsetrace.errors import TracingError, UnsupportedError, explain, text_of
from sparsetrace.operands.operands import is_ordinary
from sparsetrace.tracing.all_references import (
    AllReferences,
    HeldAt,
    References,
    held_at,
    with_owners,
)
from sparsetrace.tracing.shared_memory import Pool, overlapping
from sparsetrace.tracing.state import State
from sparsetrace.tracing.unknown_numbers import UnknownArguments, Written
from sparsetrace.user_code.places import Place, described
from sparsetrace.user_code.references import base_of

__all__ = ["OutsideArrays"]

_SEVERAL, _MANY = 3, 16
"""So many arrays are written of one container, or of all, and the others will be taken for it."""


class _Memory(Outside):
    """Arrays that share memory, and the places that hold them.

    Attributes
    ----------
    arrays : list of array
    places : list of HeldAt
    container : int
        The id of the dict, list or tuple that holds the first; 0 for attributes.
    is_due : bool
        Whether traced arrays are to stand for them from now on.
    is_checked : bool
        Whether all references are known, or why not.
    """

    def __init__(self, arrays: list[Any]) -> None:
        super().__init__()
        self.arrays = arrays
        self.places: list[HeldAt] = []
        self.container = 0
        self.is_due = self.is_checked = False

    def meets(self, bounds: list[tuple[int, int]]) -> bool:
        """Whether one of the arrays has elements between some addresses."""
        own = [byte_bounds(array) for array in self.arrays if array.size]
        return any(low < end and start < high for low, high in own for start, end in bounds)

    def settle(self, references: References | None) -> None:
        """Take what is known of all references to the arrays, if it is."""
        if references is not None:
            self.places, self.problem = references
            self.is_checked = True

    @functools.cached_property
    def takes_traced(self) -> bool:
        """Whether traced numbers can be written into such arrays."""
        return all(is_ordinary(a) and a.dtype.kind in "fc" for a in self.arrays)

    def stand_ins(self, trace: Trace, *, traced: bool, unknown: bool) -> list[Any]:
        """One for each array."""
        if not traced:
            return [_watched(array, self) for array in self.arrays]
        pool, dtype = Pool(self.arrays), self.arrays[0].dtype
        ids = pool.views(np.int32, trace.graph.opaque if unknown else 0)
        values = pool.views(dtype) if trace.local else [None] * len(ids)
        for array, own_ids, own_values in zip(self.arrays, ids, values, strict=True):
            if not unknown:
                own_ids[...] = trace.graph.constant(array)
            if own_values is not None:
                own_values[...] = array
        made = []
        for array, own_ids, own_values in zip(self.arrays, ids, values, strict=True):
            own_ids.flags.writeable = array.flags.writeable
            made.append(traced_array(trace, own_ids, dtype, own_values))
        return made


def _watched(array: Any, memory: _Memory) -> Any:
    """The same array, saying what is written into it."""
    if not is_ordinary(array) or array.dtype.kind not in "biufcO":
        return array
    if array.dtype.kind == "O":
        return array.view(ObjectArray)
    stand_in = array.view(Buffer)
    stand_in._sites = frozenset((memory,)) if memory.takes_traced else frozenset()
    return stand_in


def _may_be_of_a_write(error: BaseException | None) -> bool:
    """Whether it may come of a traced value that was to be written: ``self.v += [x[0], 1]``."""
    if isinstance(error, TypeError):
        return "output from dtype('O')" in text_of(error)
    return isinstance(error, (TracingError, IndexError))


def _by_memory(arrays: Iterable[Any]) -> list[list[Any]]:
    """The arrays that share memory; those without elements beside what they are views of."""
    groups = list(overlapping(arrays))
    group_of = {id(array): group for group in groups for array in group if array.size}
    apart = []
    for group in groups:
        owner = None if group[0].size else group_of.get(id(base_of(group[0])))
        if owner is None:
            apart.append(group)
        else:
            owner += group
    return apart


def _settled(memories: Sequence[_Memory], references: AllReferences) -> bool:
    """Whether all references to these are within the function's reach."""
    for memory in memories:
        if not memory.is_checked:
            memory.settle(references.reached(memory.arrays))
    return all(memory.is_checked for memory in memories)


class OutsideArrays:
    """The arrays behind one function, exchanged for each of its runs once that is needed.

    Parameters
    ----------
    state : State
    unknown : UnknownArguments
        Of the arguments, those whose numbers a global trace does not know.
    """

    def __init__(self, state: State, unknown: UnknownArguments) -> None:
        self._state, self._unknown = state, unknown
        self._memories: list[_Memory] | None = None
        self._holds_arguments: bool | None = None

    @property
    def holds_arguments(self) -> bool:
        """Whether the function holds an unknown argument by another name as well."""
        if self._holds_arguments is None:
            arrays = self._unknown.arrays().values()
            self._holds_arguments = bool(arrays) and self._state.holds(arrays)
        return self._holds_arguments

    def watch(self, error: BaseException | None) -> bool:
        """Exchange the arrays from now on; whether that is new and may help against an error."""
        if self._memories is not None or not _may_be_of_a_write(error):
            return False
        return self._look()

    def _look(self) -> bool:
        """Look for the arrays; whether there are any."""
        walk = self._walk = self._state.held_arrays()
        arrays = {id(array): array for array in with_owners(walk.arrays_held)}
        self._memories = list(map(_Memory, _by_memory(arrays.values())))
        memory_of = {id(a): memory for memory in self._memories for a in memory.arrays}
        held: dict[int, list[Place]] = {}
        for place in walk.places(arrays):
            memory = memory_of[id(place.value)]
            held.setdefault(id(memory), []).append(place)
        for memory in self._memories:
            places = held.get(id(memory), [])
            memory.places = held_at(memory.arrays, places)
            if places:
                holder = places[0].holder
                owner = walk.owner_of(holder)
                memory.name = described(places[0], owner)
                memory.container = id(holder) if owner is holder else 0
        walk.forget_arrays()
        return bool(arrays)

    def written_arguments(self) -> Written:
        """What the last run has written into of the unknown arguments."""
        return self._unknown.written()

    def share(self, written: Written, session: Session | None) -> bool:
        """Whether another run is needed, in which what was written is seen under all its names.

        A stand-in for an unknown argument is an array of its own, while the function may hold
        the argument by another name, too.

        Raises
        ------
        UnsupportedError
            If the stand-in cannot stand there as well.
        """
        if not any(written):
            return False
        if self._memories is None:
            self._look()
        met = self._state.held_by_function().meets
        shared = {
            memory
            for memory in self._memories or ()
            if memory.meets(written.arrays) and any(met(id(array)) for array in memory.arrays)
        }
        new = session is not None and not shared <= session.promoted
        if session is not None and new and all(memory.takes_traced for memory in shared):
            session.promoted |= shared
            return True
        if shared or any(map(met, written.containers)):
            raise UnsupportedError(
                explain(
                    "a write into an argument",
                    "the function holds the argument by another name as well, where it would not "
                    "be seen: in a global pattern an argument outside argnums is one of its own",
                    "Pass a copy.",
                )
            )
        return False

    def prepare(self, session: Session) -> None:
        """Look for every reference to what is to be traced in the next run."""
        memories = self._memories or ()
        if not any(memory in session.promoted and not memory.is_due for memory in memories):
            return
        session.promoted |= self._likely(session)
        due = [memory for memory in memories if memory in session.promoted and not memory.is_due]
        with self._state.let_go([memory.arrays for memory in memories]):
            references = AllReferences(self._walk, self._state.inputs)
            for memory in due:
                memory.is_due = True
            settled = _settled(due, references)
            if not settled:
                gc.collect()  # the errors of earlier runs, and their frames
                settled = _settled(due, references)
            if not settled:
                # of all at once, which takes not much longer
                rest = [m for m in memories if m.takes_traced and not m.is_checked]
                results = references.anywhere([memory.arrays for memory in rest])
                for memory, result in zip(rest, results, strict=True):
                    memory.settle(result)
            self._state.written.update(id(a) for memory in due for a in memory.arrays)

    def _likely(self, session: Session) -> set[_Memory]:
        """What will be written as well: all arrays of a container of which some were."""
        memories = [memory for memory in self._memories or () if memory.takes_traced]
        written = [memory for memory in memories if memory in session.promoted]
        if len(written) >= _MANY:
            return set(memories)
        number = Counter(memory.container for memory in written)
        return {m for m in memories if m.container and number[m.container] >= _SEVERAL}

    def exchanged(self, trace: Trace, session: Session | None) -> AbstractContextManager[None]:
        """Around one run of the function."""
        if not self._memories or session is None:
            return nullcontext()
        return self._exchanged(self._memories, trace, session)

    @contextmanager
    def _exchanged(
        self, memories: Sequence[_Memory], trace: Trace, session: Session
    ) -> Iterator[None]:
        unknown = set() if trace.local else set(self._unknown.arrays())
        try:
            for memory in memories:
                is_unknown = not unknown.isdisjoint(map(id, memory.arrays))
                traced = memory in session.promoted and memory.problem is None
                stand_ins = memory.stand_ins(trace, traced=traced, unknown=is_unknown)
                for assign, number in memory.places:
                    assign(stand_ins[number])
            self._state.refill_caches()
            yield
        finally:
            for memory in memories:
                for assign, number in memory.places:
                    with suppress(LookupError):  # the function made it shorter
                        assign(memory.arrays[number])
