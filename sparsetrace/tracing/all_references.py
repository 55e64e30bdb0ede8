"""All references to arrays that share memory: each is a place to exchange, or known to be harmless.

Contract: what is counted here is compared with the number of references that Python itself
keeps of an object.  Where that is another number, or a place is none where another array can be
put, the answer is a problem, in words.  First the places are counted that the function can
reach; everything else in the program is looked through only if there are more references.
"""

from __future__ import annotations

import mmap
import types
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from weakref import getweakrefcount

import numpy as np

from sparsetrace.operands.operands import is_ordinary
from sparsetrace.tracing.shared_memory import Pool, overlapping
from sparsetrace.user_code.held_arrays import HeldArrays
from sparsetrace.user_code.places import Place, places_of, reads_memory
from sparsetrace.user_code.references import Heap, base_of, counts, is_view, running

__all__ = ["AllReferences", "HeldAt", "References", "held_at", "with_owners"]


class HeldAt(NamedTuple):
    """A place that holds one of several arrays: what assigns to it, and which array."""

    assign: Callable[[Any], None]
    number: int


def held_at(arrays: list[Any], places: Iterable[Place]) -> list[HeldAt]:
    """The places without references to the arrays themselves."""
    numbers = {id(array): i for i, array in enumerate(arrays)}
    return [HeldAt(place.assign, numbers[id(place.value)]) for place in places]


class References(NamedTuple):
    """The places that hold some arrays, and why not all can be known; None if they are."""

    places: list[HeldAt]
    problem: str | None


class AllReferences:
    """Everything that refers to arrays which nothing else holds on behalf of the trace.

    Parameters
    ----------
    walk : HeldArrays
        What the function can reach, without the arrays themselves.
    inputs : sequence
        The traced arguments, which hold arrays on behalf of the trace.
    """

    def __init__(self, walk: HeldArrays, inputs: Sequence[Any]) -> None:
        self._walk, self._inputs = walk, inputs

    def reached(self, arrays: list[Any]) -> References | None:
        """Of arrays that share memory, as far as the function can reach; None if there are more."""
        walk = self._walk
        places = list(walk.places(set(map(id, arrays))))
        known = Counter(id(p.value) for p in places if not reads_memory(walk.owner_of(p.holder)))
        held_places = held_at(arrays, places)
        del places  # before this function's own variables are asked for
        known.update(map(id, map(base_of, arrays)))
        known.update(map(id, _leaves(self._inputs)))
        held, copied, _ = running()
        known.update(map(id, held))
        maybe = Counter(map(id, copied))
        del held, copied
        if _number_unknown(arrays, known, maybe):
            return None
        return References(held_places, _problem_of_memory(arrays))

    def anywhere(self, groups: Sequence[list[Any]]) -> list[References]:
        """Of several such lists of arrays, in the whole program.

        Other arrays that share their memory are added to them.
        """
        leaves = list(_leaves(self._inputs))
        own = [groups, *groups, leaves, self._inputs, *filter(_is_container, leaves)]
        heap = Heap(map(id, own))
        known = heap.running + Counter(map(id, leaves))
        del own
        leaves.clear()
        _add_overlapping(groups, heap)
        wanted = {
            id(array): (g, i) for g, arrays in enumerate(groups) for i, array in enumerate(arrays)
        }
        places: list[list[HeldAt]] = [[] for _ in groups]
        problems: list[str | None] = [None] * len(groups)
        seen: set[tuple[int, Any]] = set()
        holders = list(heap.holders([a for arrays in groups for a in arrays]))
        readers = self._readers([holder for holder, _ in holders], heap)
        for holder, ids in holders:
            known.update(ids)
            if type(holder) is types.FrameType or is_view(holder):
                continue  # what ended is not gone on with; a view is exchanged where it is held
            there = [(p.identity, wanted[id(p.value)], p.assign) for p in places_of(holder, wanted)]
            for identity, (group, number), assign in there:
                places[group].append(HeldAt(assign, number))
                seen.add(identity)
            problem = None
            if len(there) < len(ids) and not self._is_harmless(holder):
                name = type(holder).__name__
                problem = f"a {name} refers to it, where nothing can take its place"
            elif id(holder) in readers:
                problem = "what refers to it reads its memory"
            if problem is not None:
                for group in {wanted[number][0] for number in ids}:
                    problems[group] = problem
        heap.forget()
        holders.clear()
        holder = None
        self._add_frozen(wanted, seen, places, known)
        for g, arrays in enumerate(groups):
            unknown = _number_unknown(arrays, known, heap.copied)
            if unknown and problems[g] is None:
                problems[g] = f"something else, compiled code perhaps, refers to it ({unknown})"
            problems[g] = problems[g] or _problem_of_memory(arrays)
        return list(map(References, places, problems))

    def _add_frozen(
        self,
        wanted: Mapping[int, tuple[int, int]],
        seen: Container[tuple[int, Any]],
        places: list[list[HeldAt]],
        known: Counter[int],
    ) -> None:
        """Add places within reach in what the garbage collector was told to skip (`gc.freeze`)."""
        for place in self._walk.places(wanted):
            if place.identity not in seen and not reads_memory(self._walk.owner_of(place.holder)):
                group, number = wanted[id(place.value)]
                places[group].append(HeldAt(place.assign, number))
                known[id(place.value)] += 1

    def _readers(self, holders: list[Any], heap: Heap) -> set[int]:
        """The ids of holders, or attributes of objects, that read the memory of what they hold.

        Those of compiled code, too, which are the dicts that nothing is seen to hold.
        """
        result = {id(holder) for holder in holders if reads_memory(holder)}
        dicts = {id(holder): holder for holder in holders if type(holder) is dict}
        for number, holder in dicts.items():
            if self._walk.reaches(holder) and reads_memory(self._walk.owner_of(holder)):
                result.add(number)
        unknown = [item for item in dicts.values() if not self._walk.reaches(item)]
        held: set[int] = set()
        for owner, ids in heap.holders(unknown):
            held.update(ids)
            if reads_memory(owner):
                result.update(ids)
        return result | set(map(id, unknown)) - held

    def _is_harmless(self, holder: object) -> bool:
        """Whether what holds an array waits, and will not go on before the trace is over."""
        waits = type(holder) in (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)
        return waits and self._walk.complete and not self._walk.reaches(holder)


def _number_unknown(arrays: list[Any], known: Counter[int], copied: Counter[int]) -> int:
    """How many references to one of the arrays are not known, at most; -1 for too few."""
    further = [
        (count - known[number], copied[number])
        for count, number in zip(counts(arrays), map(id, arrays), strict=True)
    ]
    if any(unknown < 0 for unknown, _ in further):
        return -1
    return max(0 if unknown <= copies else unknown for unknown, copies in further)


def _leaves(tree: Any) -> Iterator[Any]:
    """What the containers of the traced arguments hold, which are the trace's own."""
    for item in tree.values() if isinstance(tree, dict) else tree:
        if isinstance(item, (dict, list, tuple)):
            yield from _leaves(item)
        yield item


def _is_container(item: object) -> bool:
    return not issubclass(type(item), np.ndarray)


def with_owners(arrays: Iterable[Any]) -> list[Any]:
    """The arrays, each once, and those whose memory they show."""
    result = list({id(array): array for array in arrays}.values())
    known = set(map(id, result))
    for array in result:  # which grows meanwhile
        base = base_of(array)
        if issubclass(type(base), np.ndarray) and id(base) not in known:
            known.add(id(base))
            result.append(base)
    return result


def _add_overlapping(groups: Sequence[list[Any]], heap: Heap) -> None:
    """Add every array in the program that shares memory with others to these."""
    group_of = {id(array): arrays for arrays in groups for array in arrays}
    others = [a for a in heap.arrays() if id(a) not in group_of and not _is_own(a)]
    for together in overlapping([*(a for arrays in groups for a in arrays), *others]):
        known = next((group_of[id(a)] for a in together if id(a) in group_of), None)
        if known is not None:
            new = [array for array in together if id(array) not in group_of]
            known += new
            group_of.update((id(array), known) for array in new)
    for array in others:  # those without elements lie nowhere
        known = group_of.get(id(base_of(array)))
        if known is not None and id(array) not in group_of:
            known.append(array)


def _is_own(array: object) -> bool:
    """Whether an array is a stand-in, or a traced one, whose elements are not in its memory."""
    return str(type(array).__module__).startswith("sparsetrace.")


def _problem_of_memory(arrays: list[Any]) -> str | None:
    """Why arrays that share memory cannot be stood for by traced ones; None if they can."""
    for array in arrays:
        if not is_ordinary(array):
            return f"its memory is shared by a {type(array).__name__}, which cannot be traced"
        if getweakrefcount(array):
            return "there are weak references to it, which cannot be exchanged"
    owners = [base_of(a) for a in arrays if not isinstance(base_of(a), (np.ndarray, type(None)))]
    if owners:
        name = type(owners[0]).__name__
        if type(owners[0]) not in (bytes, mmap.mmap):  # an unpickled array is in a text of bytes
            return f"its memory is that of a {name}"
        maps = sum(isinstance(array, np.memmap) for array in arrays)  # each has an attribute for it
        if sum(counts(owners[:1])) != 2 * len(owners) + maps:
            return f"something else refers to the {name} whose memory it shows"
    try:
        Pool(arrays)
    except ValueError as error:
        return f"other arrays show its memory in another way: {error}"
    return None
