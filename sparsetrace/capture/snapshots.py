"""What a piece of code may change in objects that it reaches: found by comparison, and undone.

Contract: for a piece that calls functions which write into the attributes of objects, or into
arrays, lists and dictionaries, whoever holds these.  Before a path all of them are copied, whose
items are compared when it is over.  What has changed is then as if it had been noted; where it is
of another kind, the path is undone and nothing is run apart.
"""

from __future__ import annotations

import collections
import itertools
import operator
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sparsetrace.capture.apart_writes import (
    ABSENT,
    ITEMS,
    TAIL,
    WHOLE,
    CannotUndo,
    Place,
    Writes,
    is_array,
    is_dict,
)
from sparsetrace.operands.operands import is_traced_array
from sparsetrace.user_code.kept_results import held_by
from sparsetrace.user_code.object_kinds import CLASS_DICT, MRO, Kind
from sparsetrace.user_code.reach import Walk, dict_of, filled_slots, slots_of
from sparsetrace.user_code.value_kinds import MISSING, python_source

__all__ = ["Reachable", "Snapshot"]

_MOST_OBJECTS = 5_000
_MOST_ELEMENTS = 100_000
"""Of all arrays together; of larger ones copies would take longer than what is gained."""
_CHANGING = frozenset(
    """
    __delitem__ __setitem__ add append clear extend fill insert pop remove reverse setdefault sort
    update
    """.split()
)
"""By which an object of a library may change that keeps its items for itself."""


class _Found(Walk):
    """A walk that also finds traced arrays, and says where an object may change unseen."""

    def __init__(self) -> None:
        super().__init__(_MOST_OBJECTS)
        self.arrays_found: list[Any] = []

    def nothing(self, item: object, kind: Kind, opaque: bool) -> None:
        if is_array(item):
            self.arrays_found.append(item)
        elif not (opaque or hasattr(type(item), MISSING) or getattr(type(item), "_is_bare", False)):
            self.found.unknown = True

    def opaque(self, item: object, kind: Kind, opaque: bool) -> None:
        self._library(item)
        super().opaque(item, kind, opaque)

    def instance(self, item: object, kind: Kind, opaque: bool) -> None:
        source = python_source(item)
        if source is not None:
            self.push((source,), opaque=False)
            return
        if kind.foreign:
            self._library(item)
            if kind.has_dict:
                attributes = dict_of(item)
                self.found.dicts.append(attributes)
                self.push(list(dict.values(attributes)), opaque=True)
            if kind.slots:
                self.found.slots.append((item, kind.slots))
                self.push(list(filled_slots(item, kind.slots).values()), opaque=True)
        super().instance(item, kind, opaque)

    def _container(self, item: object, kind: Kind, opaque: bool) -> bool:
        super()._container(item, kind, opaque)
        if isinstance(item, collections.OrderedDict):
            self.found.unknown = True
        return True  # also where a library's object holds it

    def arrays(self, item: Any, kind: Kind, opaque: bool) -> None:
        super().arrays(item, kind, False)

    def _library(self, item: object) -> None:
        members = (CLASS_DICT(base) for base in MRO(type(item)))
        if not all(map(_CHANGING.isdisjoint, members)):
            self.found.unknown = True

    def _unknown(self, item: object, kind: Kind, opaque: bool) -> None:
        self.found.unknown = True

    bytes = iterators = local = memory = proxy = randoms = variable = _unknown


class _Other(NamedTuple):
    """An object of a kind whose changes are undone, and never united."""

    item: Any
    show: Callable[[Any], list[Any]]
    refill: Callable[[Any, list[Any]], None]
    before: list[Any]

    def has_changed(self) -> bool:
        now = self.show(self.item)
        return len(now) != len(self.before) or not all(map(_is_same, now, self.before))


class _OfCache:
    """The results that a cache of the user's holds: a path may add some, that hold its numbers."""

    before: Any = None

    def __init__(self, cache: Any) -> None:
        self.item, self._held = cache, held_by(cache)
        self._misses = cache.cache_info().misses

    def has_changed(self) -> bool:
        return bool(self.item.cache_info().misses != self._misses)

    def refill(self, cache: Any, _: object) -> None:
        self._held.put_back(cache)
        self._misses = cache.cache_info().misses


class Reachable:
    """The containers, arrays and objects that some objects lead to, as they are now.

    Attributes
    ----------
    unknown : bool
        Whether there may be others, or too many.

    Examples
    --------
    >>> log = {"times": []}
    >>> before = Reachable([log])
    >>> log["times"].append(0.5)
    >>> [place[1] is TAIL for _, place, _ in before.changes()]
    [True]
    """

    def __init__(self, roots: Iterable[Any]) -> None:
        self.dicts: dict[int, tuple[Any, dict[Any, Any]]] = {}
        self.lists: dict[int, tuple[Any, list[Any]]] = {}
        self.arrays: dict[int, tuple[Any, Any]] = {}
        self.deques: dict[int, tuple[Any, list[Any]]] = {}
        self.slots: dict[int, tuple[Any, dict[Any, Any]]] = {}
        self.others: dict[Hashable, _Other | _OfCache] = {}
        self.unknown = False
        self.include(roots)

    def include(self, roots: Iterable[Any]) -> None:
        """The same of more objects, as they are now; what was found before stays as it was."""
        walk = _Found()
        walk.push(list(roots), opaque=False)
        walk.run()
        found = walk.found
        arrays = [*found.arrays, *walk.arrays_found]
        size = sum(array.size for array in arrays)
        self.unknown = self.unknown or found.unknown or size > _MOST_ELEMENTS
        if self.unknown:
            return
        for one in found.dicts:
            if is_dict(one):
                self.dicts.setdefault(id(one), (one, one.copy()))
            else:
                self._add(one, _items, _refill_dict)
        for some in found.lists:
            if type(some) is list:
                self.lists.setdefault(id(some), (some, some.copy()))
            else:
                self._add(some, _listed, _refill_list)
        for array in arrays:
            if is_array(array):
                self.arrays.setdefault(id(array), (array, array.copy()))
            else:
                self._add(array, _elements, _refill_array)
        for members in found.sets:
            self._add(members, _members, _refill_set)
        for cls in found.classes:
            self._add(cls, _attributes, _refill_class)
        for scope in found.scopes:
            self._add(scope, _items, _refill_dict)
        for scope, name in found.names:
            self._add((scope, name), _named, _rename, key=(id(scope), name))
        for item, names in found.slots:
            self.slots.setdefault(id(item), (item, filled_slots(item, names)))
        for cache in found.caches:
            self.others.setdefault(id(cache), _OfCache(cache))
        for one in found.deques:
            if type(one) is collections.deque:
                self.deques.setdefault(id(one), (one, list(one)))
            else:
                self.unknown = True

    def _add(
        self,
        item: Any,
        show: Callable[[Any], list[Any]],
        refill: Callable[[Any, list[Any]], None],
        key: Hashable = None,
    ) -> None:
        key = id(item) if key is None else key
        if key not in self.others:
            self.others[key] = _Other(item, show, refill, show(item))

    def changes(self) -> Iterator[tuple[Any, Place, Any]]:
        """What has changed: the container, the place, and what was there.

        Raises
        ------
        CannotUndo
            Where something else has, which is as it was before.
        """
        is_undone = False
        for other in self.others.values():
            if other.has_changed():
                other.refill(other.item, other.before)
                is_undone = True
        for container, before in self.dicts.values():
            pairs = ((container, before), (container.values(), before.values()))
            if len(container) != len(before) or not all(
                all(map(operator.is_, now, then)) for now, then in pairs
            ):
                first = itertools.islice(container, len(before))
                if not all(map(operator.is_, first, before)) or len(container) < len(before):
                    # keys were taken away, or put in another order
                    _refill_dict(container, _items(before))
                    is_undone = True
                for key, value in container.items():
                    if before.get(key, ABSENT) is not value:
                        yield container, (id(container), key), before.get(key, ABSENT)
        for some, items in self.lists.values():
            if len(some) < len(items):
                some[:] = items
                is_undone = True
            for at, item in enumerate(items):
                if some[at] is not item:
                    yield some, (id(some), at), item
            if len(some) > len(items):
                yield some, (id(some), TAIL), len(items)
        for owner, attributes in self.slots.values():
            now = filled_slots(owner, slots_of(type(owner)))
            for name in {**attributes, **now}:
                if now.get(name, ABSENT) is not attributes.get(name, ABSENT):
                    yield owner, (id(owner), name), attributes.get(name, ABSENT)
        for one, members in self.deques.values():
            if len(one) != len(members) or not all(map(operator.is_, one, members)):
                yield one, (id(one), ITEMS), members
        for array, copy in self.arrays.values():
            if not _are_equal(array, copy):
                yield array, (id(array), WHOLE), copy
        if is_undone:
            raise CannotUndo


class Snapshot(Writes):
    """The writes of one path, those of functions that it calls included.

    Parameters
    ----------
    outer : Writes or None
    reachable : Reachable
        All that the path may change, as it is at its beginning.
    """

    undoes_all = True

    def __init__(self, outer: Writes | None, reachable: Reachable) -> None:
        super().__init__(outer)
        self.reachable = reachable

    def include(self, roots: Iterable[Any]) -> None:
        """Let the path also change what more objects lead to.

        Raises
        ------
        CannotUndo
            If that is not known.
        """
        self.reachable.include(roots)
        if self.reachable.unknown:
            raise CannotUndo

    def note(self, container: object, key: object) -> None:
        """Remember what was there when the path began: it may have changed unnoted since then."""
        known = self.reachable
        if id(container) in known.arrays:
            self.note_whole(container)
        elif id(container) in known.dicts:
            self._note(container, key, known.dicts[id(container)][1].get(key, ABSENT))
        elif id(container) in known.lists and type(key) is int:
            some, items = known.lists[id(container)]
            at = key + len(some) if key < 0 else key
            if at < len(items):
                self._note(container, at, items[at])
            else:
                self._note(container, TAIL, len(items))
        elif id(container) in known.slots:
            self._note(container, key, known.slots[id(container)][1].get(key, ABSENT))
        elif id(container) in known.deques:
            self._note(container, ITEMS, known.deques[id(container)][1])
        elif container is not None:  # which the path has made
            super().note(container, key)

    def note_whole(self, array: Any) -> None:
        if id(array) in self.reachable.arrays:
            self._note(array, WHOLE, self.reachable.arrays[id(array)][1])
        else:
            super().note_whole(array)

    def note_append(self, container: list[Any]) -> None:
        if id(container) in self.reachable.lists:
            self._note(container, TAIL, len(self.reachable.lists[id(container)][1]))
        else:
            super().note_append(container)

    def _note(self, container: object, key: Hashable, before: object) -> None:
        self.containers.setdefault(id(container), container)
        self.before.setdefault((id(container), key), before)

    def find(self) -> None:
        for container, place, before in self.reachable.changes():
            self._note(container, place[1], before)

    def check(self) -> None:
        if self.shares_memory():
            raise CannotUndo

    def undo(self) -> None:
        try:
            self.find()
        except CannotUndo:
            self.find()  # the rest of it
        super().undo()

    def forget(self) -> None:
        """Let go of all that is held to be compared; the path is over."""
        self.reachable = Reachable(())


def _are_equal(array: Any, other: Any) -> bool:
    if is_traced_array(array):
        return bool(np.array_equal(array._ids, other._ids))
    return bool(array.tobytes() == other.tobytes())


def _is_same(one: object, other: object) -> bool:
    return one is other or (type(one) is bytes and one == other)


# ------------------------------------------------------- what is undone and never united
def _items(container: Any) -> list[Any]:
    return [*dict.keys(container), *dict.values(container)]


def _refill_dict(container: Any, before: list[Any]) -> None:
    dict.clear(container)
    dict.update(container, zip(before[: len(before) // 2], before[len(before) // 2 :], strict=True))


def _listed(some: Any) -> list[Any]:
    return list(list.__iter__(some))


def _refill_list(some: Any, before: list[Any]) -> None:
    list.__setitem__(some, slice(None), before)


def _members(some: Any) -> list[Any]:
    return list(set.__iter__(some))


def _refill_set(some: Any, before: list[Any]) -> None:
    set.clear(some)
    set.update(some, before)


def _elements(array: Any) -> list[Any]:
    plain = np.ndarray.flatten(array)
    return list(plain) if plain.dtype.kind == "O" else [plain.tobytes()]


def _refill_array(array: Any, before: list[Any]) -> None:
    dtype = array.dtype
    flat = np.empty(array.size, dtype) if dtype.kind == "O" else np.frombuffer(before[0], dtype)
    if dtype.kind == "O":
        flat[:] = before
    np.ndarray.__setitem__(array, ..., flat.reshape(array.shape))


def _attributes(cls: type) -> list[Any]:
    members = CLASS_DICT(cls)
    return [*members.keys(), *members.values()]


def _refill_class(cls: type, before: list[Any]) -> None:
    known = dict(zip(before[: len(before) // 2], before[len(before) // 2 :], strict=True))
    for name, value in dict(CLASS_DICT(cls)).items():
        if name not in known:
            type.__delattr__(cls, name)
        elif known[name] is not value:
            type.__setattr__(cls, name, known[name])
    for name in known.keys() - CLASS_DICT(cls).keys():
        type.__setattr__(cls, name, known[name])


def _named(place: tuple[dict[str, Any], str]) -> list[Any]:
    scope, name = place
    return [scope.get(name, ABSENT)]


def _rename(place: tuple[dict[str, Any], str], before: list[Any]) -> None:
    scope, name = place
    if before[0] is ABSENT:
        scope.pop(name, None)
    else:
        scope[name] = before[0]
