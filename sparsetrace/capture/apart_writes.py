"""What an outlined piece of code writes into arrays, lists and dictionaries on one path.

Contract: a path's writes are noted before they are made, and undone at its end, so that each
path starts from the same; then what all paths have left at the same places is united, and is
written once.  What cannot be undone raises `CannotUndo` before it is written.
"""

from __future__ import annotations

import collections
import itertools
import operator
import types
from collections.abc import Callable, Hashable, Iterable
from inspect import getattr_static
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from sparsetrace.capture.session import SESSION
from sparsetrace.operands.operands import is_traced_array
from sparsetrace.user_code.reach import filled_slots, slots_of

__all__ = [
    "ABSENT",
    "ITEMS",
    "TAIL",
    "WHOLE",
    "CannotUndo",
    "Place",
    "Writes",
    "has_slot",
    "is_array",
    "is_dict",
    "item_of",
    "keys_of",
    "layout_of",
    "memory_of",
    "written",
]


class CannotUndo(BaseException):
    """Unwinds a path whose writes cannot be undone; like `Restart` no ``Exception``.

    A handler of the function's that takes any error swallows it: the session knows of it, too.
    """

    def __init__(self) -> None:
        session = SESSION.get()
        if session is not None:
            session.unwinds = True


class _Absent:
    """In place of what a dictionary has not."""


ABSENT = _Absent()
Place = tuple[int, Hashable]
"""The id of a container, and a key: an attribute's name, `TAIL` for the end of a list.

`WHOLE` stands for all of an array, `ITEMS` for all of a deque.
"""
WHOLE, TAIL, ITEMS = object(), object(), object()

IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd,
    "BitAnd": operator.iand,
    "BitOr": operator.ior,
    "BitXor": operator.ixor,
    "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv,
    "LShift": operator.ilshift,
    "MatMult": operator.imatmul,
    "Mod": operator.imod,
    "Mult": operator.imul,
    "Pow": operator.ipow,
    "RShift": operator.irshift,
    "Sub": operator.isub,
}


_MANY_ELEMENTS, _SPARSELY = 16, 16
"""So many elements of an array are remembered as all of it, if they are so large a part: each by
itself takes as long as a few hundred."""


class Writes:
    """The writes of one path, within those of a path around it.

    Parameters
    ----------
    outer : Writes or None
    is_only : bool
        Whether nothing has been decided on the path by now, and no other one is known.
    """

    undoes_all = False
    """Whether also what is not noted can be undone."""

    def __init__(self, outer: Writes | None, *, is_only: bool = False) -> None:
        self.outer, self.is_only = outer, is_only
        self.containers: dict[int, Any] = {}
        self.before: dict[Place, Any] = {}
        """What was there, in the order in which it was written over."""
        self.kept = False
        """Whether the writes stay, because nothing is run apart."""
        self._elements: collections.Counter[int] = collections.Counter()
        """Of how many elements of arrays it is remembered what they were."""

    def note(self, container: Any, key: Any) -> None:
        """Remember what is there before it is written."""
        if is_array(container):
            self._note_array(container, key)
        elif type(container) is list and type(key) is int:
            at = key + len(container) if key < 0 else key
            tail = self.before.get((id(container), TAIL))
            if tail is None or at < tail:
                self.before.setdefault((id(container), at), container[key])
        elif is_dict(container):
            self.before.setdefault((id(container), key), container.get(key, ABSENT))
        elif type(container) is collections.deque:
            self.before.setdefault((id(container), ITEMS), list(container))
        elif has_slot(container, key):
            self.before.setdefault((id(container), key), _attribute_of(container, key))
        else:
            self.cannot_undo()
            return
        self.containers.setdefault(id(container), container)

    def _note_array(self, array: Any, key: Any) -> None:
        name = id(array)
        if (name, WHOLE) in self.before:
            return
        places = _element(array, key)
        if places is None:
            self.note_whole(array)
        elif (name, places) not in self.before:
            self.before[name, places] = array[places]
            self._elements[name] += 1
            many = max(_MANY_ELEMENTS, array.size // _SPARSELY)
            if self._elements[name] >= many and is_traced_array(array):
                self._note_rest(array)

    def _note_rest(self, array: Any) -> None:
        """Remember all of an array of which many elements were noted, as it was before these."""
        whole = array.copy()
        for place in [place for place in self.before if place[0] == id(array)]:
            whole[place[1]] = self.before.pop(place)
        self.before[id(array), WHOLE] = whole

    def note_whole(self, array: Any) -> None:
        """The same for all of an array."""
        self.containers.setdefault(id(array), array)
        self.before.setdefault((id(array), WHOLE), array.copy())

    def note_append(self, container: list[Any]) -> None:
        self.containers.setdefault(id(container), container)
        self.before.setdefault((id(container), TAIL), len(container))

    def leave_out(self, containers: set[int]) -> None:
        """Forget what was noted of these, by their ids."""
        for name in containers:
            del self.containers[name]
        if containers:
            self.before = {
                place: value for place, value in self.before.items() if place[0] not in containers
            }

    def leave_out_tails(self) -> None:
        """Forget items of lists that were not there when the lists grew."""
        grown = {name: length for (name, key), length in self.before.items() if key is TAIL}
        for name, key in list(self.before) if grown else ():
            if type(key) is int and key >= grown.get(name, key + 1):
                del self.before[name, key]

    def cannot_undo(self) -> None:
        """Let what was written stay, and all around it, if there is no other path; else unwind.

        What comes next cannot be undone, and what came before may have changed more than is
        noted here: as long as nothing was decided, nobody has asked whether it has.
        """
        around: Writes | None = self.undone()
        those: list[Writes] = []
        while around is not None and not around.undoes_all:
            if not around.is_only:
                raise CannotUndo
            those.append(around)
            around = None if around.outer is None else around.outer.undone()
        for one in those:
            one.keep()

    def find(self) -> None:
        """Note what has been written and was not noted."""

    def check(self) -> None:
        """Two arrays that share their memory are written in no order that could be undone."""
        if self.shares_memory():
            self.cannot_undo()

    def shares_memory(self) -> bool:
        """Whether any two of the arrays that have been written into do."""
        return any_share_memory(memory_of(x) for x in self.containers.values() if is_array(x))

    def now(self) -> dict[Place, Any]:
        """What is at all places now."""
        return {place: self.read(place) for place in self.before}

    def read(self, place: Place) -> Any:
        """What is at a place of a known container."""
        container = self.containers[place[0]]
        key: Any = place[1]
        if key is TAIL:
            return container[self.before[place] :]
        if key is WHOLE:
            return container.copy()
        if key is ITEMS:
            return list(container)
        if has_slot(container, key):
            return _attribute_of(container, key)
        return container.get(key, ABSENT) if is_dict(container) else container[key]

    def undo(self) -> None:
        for place, value in reversed(self.before.items()):
            container = self.containers[place[0]]
            key: Any = place[1]
            if key is TAIL:
                del container[value:]
            elif key is WHOLE:
                container[...] = value
            else:
                _put(container, key, value)

    def undone(self) -> Writes | None:
        """Those of the path that is to undo them: this one's or, where it keeps them, around it."""
        if not self.kept:
            return self
        return None if self.outer is None else self.outer.undone()

    def keep(self) -> None:
        """Let the writes stay: the path around this one is to undo them."""
        self.kept = True
        outer = self.undone()
        if outer is None:
            return
        for place, value in self.before.items():
            outer.containers.setdefault(place[0], self.containers[place[0]])
            outer.before.setdefault(place, value)
        outer.leave_out_tails()


def written(container: Any, key: Any, value: Any, outer: Writes | None) -> None:
    """Write what paths have left at a place, within a path around them."""
    undone = None if outer is None else outer.undone()
    if key is TAIL:
        if undone is not None:
            undone.note_append(container)
        container.extend(value)
        return
    if key is WHOLE:
        key = Ellipsis
    if undone is not None:
        undone.note(container, key)
    _put(container, key, value)


def _put(container: Any, key: Any, value: Any) -> None:
    """Let a place hold a value again, or nothing."""
    if key is ITEMS:
        container.clear()
        container.extend(value)
    elif has_slot(container, key):
        if value is not ABSENT:
            object.__setattr__(container, key, value)
        elif _attribute_of(container, key) is not ABSENT:
            object.__delattr__(container, key)
    elif value is ABSENT:
        container.pop(key, None)
    else:
        container[key] = value


def _attribute_of(owner: Any, name: str) -> Any:
    """What an attribute is, as the class of its owner keeps it."""
    try:
        return object.__getattribute__(owner, name)
    except AttributeError:
        return ABSENT


def has_slot(owner: object, name: object) -> bool:
    """Whether an object keeps an attribute in a slot of its class: ``__slots__``."""
    if isinstance(owner, _WITH_KEYS) or type(name) is not str:
        return False
    return type(getattr_static(type(owner), name, None)) is types.MemberDescriptorType


_WITH_KEYS = (dict, list, collections.deque, np.ndarray)


def keys_of(container: Any) -> list[Any]:
    """The keys of a dictionary, the places in a list or a deque, the filled slots of an object."""
    if is_dict(container):
        return list(container)
    if isinstance(container, (list, collections.deque)):
        return list(range(len(container)))
    if isinstance(container, (dict, np.ndarray)):
        return []
    return list(filled_slots(container, slots_of(type(container))))


def item_of(container: Any, key: Any) -> Any:
    """What such a key stands for."""
    return _attribute_of(container, key) if has_slot(container, key) else container[key]


def is_dict(value: object) -> bool:
    """Whether an object keeps its items as a dictionary does: ``defaultdict``, ``Bunch(dict)``."""
    cls = type(value)
    return cls is dict or (
        issubclass(cls, dict) and all(getattr(cls, x, None) is getattr(dict, x) for x in _OF_ITEMS)
    )


_OF_ITEMS = (
    "__contains__ __getitem__ __iter__ __len__ __setitem__ get items keys pop values".split()
)
"""Methods by which items of a dictionary are read and written."""


def is_array(value: object) -> bool:
    """Whether what is written into an object is noted as of an array of numbers."""
    return is_traced_array(value) or (
        isinstance(value, np.ndarray)
        and (type(value) is np.ndarray or getattr(type(value), "_is_buffer", False))
        and value.dtype.kind in "fciub"
    )


def memory_of(array: Any) -> Any:
    """What an array's elements lie in: of a traced one, that of its ids."""
    return array._ids if is_traced_array(array) else array


def any_share_memory(arrays: Iterable[Any]) -> bool:
    """Whether any two arrays may, as ``np.may_share_memory`` tells of each pair.

    A loop may have written into thousands: of these in order each is compared with the next.
    """
    bounds = sorted(byte_bounds(array) for array in arrays if array.size)
    return any(begin < end for (_, end), (begin, _) in itertools.pairwise(bounds))


def layout_of(array: Any) -> Hashable:
    """Equal for arrays that show the same elements of the same memory in the same shape."""
    memory = memory_of(array)
    begin = memory.__array_interface__["data"][0]
    return is_traced_array(array), begin, memory.shape, memory.strides, memory.dtype.str


def _element(array: Any, key: Any) -> tuple[int, ...] | None:
    """The place of one element; None for anything else."""
    parts = key if type(key) is tuple else (key,)
    if len(parts) != array.ndim or not all(
        type(k) is int or isinstance(k, np.integer) for k in parts
    ):
        return None
    if any(hasattr(type(k), "_is_number") for k in parts):
        return None
    places = tuple(int(k) for k in parts)
    return tuple(k + n if k < 0 else k for k, n in zip(places, array.shape, strict=True))
