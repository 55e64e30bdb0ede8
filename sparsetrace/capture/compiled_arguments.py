"""The arguments of a call of compiled code at a point, and copies of them with the values there.

Contract: all that such a call may be given is known here by its type: numbers, texts, arrays, and
tuples, lists and dicts of these.  Copies lie in memory as what they stand for, so that compiled
code takes or refuses them alike; what is one object stays one.
"""

from __future__ import annotations

import sys
from math import prod
from typing import Any, Literal

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray, full, ones, where
from numpy.typing import NDArray

from sparsetrace.arrays.array import TracedArray
from sparsetrace.context import Trace
from sparsetrace.graph.graph import ZERO
from sparsetrace.operands.operands import (
    dtype_of,
    ids_of,
    is_number,
    is_ordinary,
    is_traced,
    python_type,
    unwatched,
    values_of,
)
from sparsetrace.operands.steps import aside

__all__ = ["Arguments", "Copies", "GivenUp"]

_PLAIN = (bool, bytes, complex, float, int, str, type(None), np.dtype, np.generic)
_TYPES = frozenset((bool, complex, float, int))
_KINDS = "biufc"
_BESIDE = 512
"""Elements in memory before and after a copy of an array, at least."""
_MOST_WORK = 10_000
"""Of the question whether arrays with gaps share memory."""


class GivenUp(Exception):
    """The call is none of those of which anything is known; it goes on as it stands."""


class Arguments:
    """Those of one call.

    Parameters
    ----------
    trace : Trace
    args, kwargs
        As they were given.

    Attributes
    ----------
    arrays : list of array
        The arrays among them, each once, traced or not.
    traced : list
        The traced arrays and numbers, each once.

    Raises
    ------
    GivenUp
        If there is anything else among them.
    """

    def __init__(self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.trace, self.args, self.kwargs = trace, args, kwargs
        self.arrays: list[Any] = []
        self.traced: list[Any] = []
        self._places: dict[int, int] = {}
        self._look(args)
        self._look(kwargs)

    def _look(self, x: Any) -> None:
        if is_traced(x):
            if id(x) in self._places:
                return
            if type(x) is TracedArray:
                self._add(x)
            elif not is_number(x):
                raise GivenUp
            self._places.setdefault(id(x), -1)
            self.traced.append(x)
        elif isinstance(x, np.ndarray):
            if id(x) not in self._places:
                if not is_ordinary(x) or x.dtype.kind not in _KINDS:
                    raise GivenUp
                self._add(x)
        elif type(x) in (tuple, list):
            for item in x:
                self._look(item)
        elif type(x) is dict:
            for key, item in x.items():
                self._look(key)
                self._look(item)
        elif not (type(x) in _PLAIN or isinstance(x, (np.dtype, np.generic)) or _is_type(x)):
            raise GivenUp

    def _add(self, array: Any) -> None:
        self._places[id(array)] = len(self.arrays)
        self.arrays.append(array)

    def is_writable(self, place: int) -> bool:
        """Whether the array at a place may be written into."""
        array = self.arrays[place]
        return bool((array._ids if is_traced(array) else array).flags.writeable)

    def share_memory(self, written: set[int]) -> bool:
        """Whether what is written of the arrays is seen in another one of them."""
        return any(
            _share_memory(self.arrays[place], other)
            for place in written
            for other in self.arrays
            if other is not self.arrays[place]
        )

    def copies(self, sign: float = 0.0, *, rest: int = 0) -> Copies:
        """All of them, with values in place of what is traced, and copies of arrays.

        Parameters
        ----------
        sign : float
            To which side floats that depend on the inputs are moved a little.
        rest : int
            What is in the memory around arrays, and between their elements.
        """
        values = {id(x): _values(self.trace, x, place, sign) for place, x in enumerate(self.traced)}
        laid = []
        for place, x in enumerate(self.arrays):
            like = x._ids if is_traced(x) else unwatched(x)
            laid.append(_Laid(values.get(id(x), like), like, rest))
            laid[-1].array.flags.writeable = self.is_writable(place)
        return Copies(self, values, laid)


class Copies:
    """Arguments that were made for one call.

    Attributes
    ----------
    arrays : list of array
        The copies of the arrays, in their order.
    """

    def __init__(self, given: Arguments, values: dict[int, Any], laid: list[_Laid]) -> None:
        self.arrays = [each.array for each in laid]
        self._given, self._values, self._laid = given, values, laid
        self._before = [array.tobytes() for array in self.arrays]

    def made(self) -> tuple[Any, Any]:
        """Positional arguments and those by name."""
        return self._copy(self._given.args), self._copy(self._given.kwargs)

    def _copy(self, x: Any) -> Any:
        place = self._given._places.get(id(x), -1)
        if place >= 0:
            return self.arrays[place]
        if is_traced(x):
            plain = python_type(type(x))
            value = asarray(self._values[id(x)], dtype_of(x))[()]
            return value if plain is None else plain(value)
        if type(x) in (tuple, list):
            return type(x)(map(self._copy, x))
        if type(x) is dict:
            return {key: self._copy(item) for key, item in x.items()}
        return x

    def changed(self) -> set[int]:
        """The places of arrays that were written into.

        Raises
        ------
        GivenUp
            If anything was that lies beside them.
        """
        if any(each.is_written_beside() for each in self._laid):
            raise GivenUp
        pairs = enumerate(zip(self.arrays, self._before, strict=True))
        return {place for place, (array, before) in pairs if array.tobytes() != before}

    def references(self) -> list[int]:
        """How many there are to the arrays, and to the memory that views of them refer to."""
        memories = [each.memory for each in self._laid]
        return [sys.getrefcount(array) for array in (*self.arrays, *memories)]


class _Laid:
    """A copy of values that lies in memory as another array of the shape does.

    The user's array may be a part of a larger one, around which code in C may read and write: so
    may the copy, where that is noticed.
    """

    def __init__(self, values: NDArray[Any], like: NDArray[Any], rest: int) -> None:
        by_columns = like.flags.f_contiguous and not like.flags.c_contiguous
        has_gaps = not (like.flags.c_contiguous or like.flags.f_contiguous)
        shape = (*like.shape[:-1], 2 * like.shape[-1]) if has_gaps else like.shape
        size = prod(shape)
        beside = max(_BESIDE, size)

        def within(memory: NDArray[Any]) -> NDArray[Any]:
            order: Literal["C", "F"] = "F" if by_columns else "C"
            array = memory[beside : beside + size].reshape(shape, order=order)
            return array[..., ::2] if has_gaps else array

        self.memory = full(size + 2 * beside, rest, values.dtype)
        self.array = within(self.memory)
        self.array[...] = values
        self._is_beside = ones(self.memory.size, bool)
        within(self._is_beside)[...] = False
        self._rest = rest

    def is_written_beside(self) -> bool:
        return bool((self.memory[self._is_beside] != self._rest).any())


def _values(trace: Trace, x: Any, place: int, sign: float) -> NDArray[Any]:
    """Those of a traced argument at the point; or beside it, where they depend on the inputs."""
    values, ids = asarray(values_of(x)), ids_of(trace, x)
    if not sign or values.dtype.kind not in "fc":
        return values
    finite = where(np.isfinite(values), values, 0)
    return where(ids > ZERO, aside(finite, sign, 7 * place), values)


def _share_memory(one: Any, other: Any) -> bool:
    """Whether two arrays have elements in common; in doubt, yes."""
    if is_traced(one) != is_traced(other):
        return False
    if is_traced(one):
        one, other = one._ids, other._ids
    try:
        return bool(np.shares_memory(one, other, max_work=_MOST_WORK))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def _is_type(x: Any) -> bool:
    """Whether this is a type of numbers, as which a dtype is given."""
    return isinstance(x, type) and (x in _TYPES or issubclass(x, np.generic))
