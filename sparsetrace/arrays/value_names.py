"""Which arrays of a run hold the same values: a name for each value, by how it was made.

Contract: two arrays with one name are equal whatever the inputs are; the same ufunc of operands
with the same names gives the same name (value numbering; Cocke and Schwartz, *Programming
Languages and Their Compilers*, 1970).  Whoever writes into an array, or may, says so, and ends
the names of all that shows its memory.  By names `sparsetrace.arrays.picks` knows masks:
``y[~m] = x[~m]`` has two masks of one name.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.arrays.value_bounds import ValueBounds
from sparsetrace.graph.graph import Ids
from sparsetrace.operands.operands import contains_traced, dtype_of, is_traced, is_traced_array
from sparsetrace.rules import RECORDS

__all__ = ["Memory", "ValueNames"]

_NEGATIONS = (np.invert, np.logical_not)
_NUMBERS = (bool, int, float, complex, np.generic)


class Memory:
    """What is known of the array that owns some memory."""

    __slots__ = ("bounded", "bounds", "made", "owner", "since", "version")

    def __init__(self, owner: NDArray[Any]) -> None:
        self.owner = owner  # which thus keeps its identity to itself
        self.version = 0
        self.made: int | None = None
        self.since: tuple[int, int] | None = None
        self.bounds: tuple[Ids, Any, Any] | None = None
        self.bounded: tuple[int, int] | None = None


class ValueNames:
    """The names of one run.

    Parameters
    ----------
    truths_alone : bool
        Whether only truth values are named by how they were made, of arrays with the identity of
        these: most masks are met again as the same array, and other names take ten times as long
        as the calls.  Two masks that may be equal ask for a run with all names (`picks.meet`).

    Attributes
    ----------
    bounds : ValueBounds or None
        Between which numbers values lie, where all are named.

    Examples
    --------
    >>> names = ValueNames()
    >>> a = np.zeros(3, np.int32)
    >>> before = names.of_ids(a)
    >>> names.of_ids(a) == before, names.of_ids(a.copy()) == before
    (True, False)
    >>> names.written(a[1:])
    >>> names.of_ids(a) == before
    False
    """

    def __init__(self, *, truths_alone: bool = False) -> None:
        self._memories: dict[int, Memory] = {}
        self._numbers: dict[Hashable, int] = {}
        self._kept: list[Any] = []
        self._others = 0
        self._wholes: dict[int, tuple[Any, int]] = {}
        self._epoch = 0
        self.opposites: dict[Hashable, Hashable] = {}
        """The names of masks whose every element is the other truth value than that of a name."""
        self.bounds = None if truths_alone else ValueBounds(self)

    def memory(self, ids: NDArray[Any]) -> Memory:
        """What is known of the memory that an array shows."""
        base = ids.base
        while isinstance(base, np.ndarray):
            ids, base = base, base.base
        memory = self._memories.get(id(ids))
        if memory is None:
            memory = self._memories[id(ids)] = Memory(ids)
        return memory

    def references_to(self, ids: NDArray[Any]) -> int:
        """How many references to an array are held here."""
        owner = ids
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        memory = self._memories.get(id(owner))
        if memory is None:
            return 0
        return (memory.owner is ids) + (memory.bounds is not None and memory.bounds[0] is ids)

    def state(self, memory: Memory) -> tuple[int, int]:
        """A mark that another write changes."""
        return memory.version, self._epoch

    # -------------------------------------------------------------------- names
    def of_ids(self, ids: NDArray[Any]) -> Hashable:
        """The name of an array's values, by its ids."""
        memory = self.memory(ids)
        now = self.state(memory)
        owner = memory.owner
        start = 0 if ids is owner else ids.ctypes.data - owner.ctypes.data
        at = start, ids.shape, ids.strides
        if memory.made is not None and memory.since == now:
            return memory.made, at
        return id(memory.owner), now, at

    def of(self, operand: Any) -> Hashable:
        """The name of an operand's value."""
        if is_traced_array(operand):
            return "array", self.of_ids(operand._ids)
        if not is_traced(operand) and not contains_traced(operand):
            if isinstance(operand, _NUMBERS):
                return type(operand), repr(operand)
            if type(operand) is np.ndarray and operand.dtype != object:
                return operand.dtype.str, operand.shape, operand.tobytes()
        if id(operand) in self._wholes:
            return "whole", self._wholes[id(operand)][1]
        if is_traced(operand):  # a number, which never changes
            self._kept.append(operand)
            return "object", id(operand)
        self._others += 1  # a list, whose items may change, is another value each time
        return "object", -self._others

    def name(self, ids: Ids, made: Hashable) -> None:
        """Name a new array by how it was made."""
        memory = self.memory(ids)
        memory.made = self._numbers.setdefault(made, len(self._numbers))
        memory.since = self.state(memory)

    # ------------------------------------------------------------------- events
    def written(self, ids: NDArray[Any]) -> None:
        """End the names of whatever shows this memory."""
        self.memory(ids).version += 1

    def may_be_written(self, ids: NDArray[Any]) -> bool:
        """Whether anybody may have written into the array in this run."""
        return self.state(self.memory(ids)) != (0, 0)

    def forget(self) -> None:
        """End all names: nobody knows what was written."""
        self._epoch += 1

    def computed(
        self,
        ufunc: np.ufunc,
        method: str,
        inputs: Sequence[Any],
        kwargs: dict[str, Any],
        result: Any,
    ) -> None:
        """Name what a ufunc gave."""
        for target in kwargs.get("out") or ():
            if is_traced_array(target):
                self.written(target._ids)
        if method == "at" and is_traced_array(inputs[0]):
            self.written(inputs[0]._ids)
        if self.bounds is not None:
            self.bounds.by_ufunc(ufunc, method, inputs, kwargs, result)
        elif not is_traced(result) or result._dtype.kind != "b":
            return
        if kwargs or method != "__call__" or ufunc not in RECORDS:
            return
        if is_traced_array(result):
            self.name(result._ids, (ufunc, *map(self.of, inputs)))
            if ufunc in _NEGATIONS and result._dtype.kind == "b":
                self.opposites[self.of(result)] = self.of(inputs[0])
        elif is_traced(result) and dtype_of(result).kind in "biu":
            self.name_number(result, (ufunc, *map(self.of, inputs)))

    def name_number(self, result: Any, made: Hashable) -> None:
        """Name a truth value or whole number by how it was made."""
        name = self._numbers.setdefault(made, len(self._numbers))
        self._wholes[id(result)] = result, name  # which keeps its identity to itself
