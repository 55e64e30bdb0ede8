"""The arguments of a call of compiled code, and copies of them with numbers for traced values.

Contract: all that such a call may be given is known here by its type: numbers, texts, arrays, and
tuples, lists and dicts of these.  Copies lie in memory as what they stand for, so that compiled
code takes or refuses them alike; what is one object stays one.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Literal

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray, where, zeros
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
    is_uncertain,
    python_type,
    unwatched,
    values_of,
)
from sparsetrace.operands.steps import aside

__all__ = ["Arguments", "GivenUp", "Numbers"]

_PLAIN = (bool, bytes, complex, float, int, str, type(None), np.dtype, np.generic)
_TYPES = frozenset((bool, complex, float, int))
_KINDS = "biufc"
_MOST_BYTES = 100_000
"""Of constants that are looked at to tell calls apart."""
_BESIDE = 512
"""Elements in memory before and after a copy of an array."""
_MOST_WORK = 10_000
"""Of the question whether arrays with gaps share memory."""

Numbers = Callable[["Arguments", Any, int], NDArray[Any]]
"""Gives numbers for a traced argument, by its place among these."""


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

    @property
    def are_known(self) -> bool:
        """Whether no value among them depends on the inputs."""
        return not any(map(is_uncertain, self.traced)) and not self.trace.local

    def has_unknown_integers(self) -> bool:
        """Whether whole numbers are traced that nobody knows: they may be places in memory."""
        return any(is_uncertain(x) and dtype_of(x).kind not in "fc" for x in self.traced)

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

    # ------------------------------------------------------------------ copies
    def copies(self, numbers: Numbers) -> Copies:
        """All of them, with numbers in place of what is traced, and copies of arrays."""
        of_traced = {id(x): numbers(self, x, place) for place, x in enumerate(self.traced)}
        around, arrays = [], []
        for place, x in enumerate(self.arrays):
            like = x._ids if is_traced(x) else unwatched(x)
            memory, array = _laid_out(of_traced.get(id(x), like), like)
            array.flags.writeable = self.is_writable(place)
            around.append(memory)
            arrays.append(array)
        return Copies(self, of_traced, arrays, around)

    def key(self) -> tuple[Any, ...] | None:
        """Equal for calls that differ in traced numbers alone; None where that takes too long."""
        if sum(x.nbytes for x in self.arrays if not is_traced(x)) > _MOST_BYTES:
            return None
        return self._key(self.args), self._key(self.kwargs)

    def _key(self, x: Any) -> Any:
        place = self._places.get(id(x))
        if is_traced(x):
            ids, dtype = ids_of(self.trace, x), dtype_of(x)
            known: Any = None
            if not self.trace.graph.pure and bool(np.any(ids <= ZERO)):
                known = known_numbers(self.trace, x).tobytes(), asarray(ids <= ZERO).tobytes()
            is_writable = place is not None and place >= 0 and self.is_writable(place)
            return type(x), place, ids.shape, dtype, ids.strides, is_writable, known
        if isinstance(x, np.ndarray):
            x = unwatched(x)
            return place, x.dtype, x.shape, x.strides, x.flags.writeable, x.tobytes()
        if type(x) in (tuple, list):
            return type(x), tuple(map(self._key, x))
        if type(x) is dict:
            return tuple((self._key(key), self._key(item)) for key, item in x.items())
        return type(x), repr(x)


class Copies:
    """Arguments that were made for one call.

    Attributes
    ----------
    arrays : list of array
        The copies of the arrays, in their order.
    around : list of array
        The memory in which each of them lies.
    """

    def __init__(
        self,
        given: Arguments,
        numbers: dict[int, Any],
        arrays: list[NDArray[Any]],
        around: list[NDArray[Any]],
    ) -> None:
        self.arrays, self.around = arrays, around
        self._given, self._numbers = given, numbers
        self.before = [array.tobytes() for array in arrays]

    def made(self, exchanged: dict[int, Any] | None = None) -> tuple[Any, Any]:
        """Positional arguments and those by name; others in place of some of the arrays."""
        arrays: list[Any] = list(self.arrays)
        for place, array in (exchanged or {}).items():
            arrays[place] = array
        return self._copy(self._given.args, arrays), self._copy(self._given.kwargs, arrays)

    def _copy(self, x: Any, arrays: list[Any]) -> Any:
        place = self._given._places.get(id(x), -1)
        if place >= 0:
            return arrays[place]
        if is_traced(x):
            plain = python_type(type(x))
            value = asarray(self._numbers[id(x)], dtype_of(x))[()]
            return value if plain is None else plain(value)
        if type(x) in (tuple, list):
            return type(x)(self._copy(item, arrays) for item in x)
        if type(x) is dict:
            return {key: self._copy(item, arrays) for key, item in x.items()}
        return x

    def changed(self) -> set[int]:
        """The places of arrays that were written into.

        Raises
        ------
        GivenUp
            If anything was that lies beside them.
        """
        if any(memory[:_BESIDE].any() or memory[-_BESIDE:].any() for memory in self.around):
            raise GivenUp
        pairs = enumerate(zip(self.arrays, self.before, strict=True))
        return {place for place, (array, before) in pairs if array.tobytes() != before}


# --------------------------------------------------------------------- numbers
def known_numbers(trace: Trace, x: Any) -> NDArray[Any]:
    """The numbers that are known of a traced argument; any where they are not."""
    ids = asarray(ids_of(trace, x))
    return asarray(trace.graph.known_values(ids, dtype_of(x)))


def at_the_point(given: Arguments, x: Any, place: int) -> NDArray[Any]:
    """The values of a local trace."""
    return asarray(values_of(x))


def beside_the_point(sign: float) -> Numbers:
    """The same moved a little, where they depend on the inputs."""

    def moved(given: Arguments, x: Any, place: int) -> NDArray[Any]:
        values, ids = asarray(values_of(x)), ids_of(given.trace, x)
        if values.dtype.kind not in "fc":
            return values
        finite = where(np.isfinite(values), values, 0)
        return where(ids > ZERO, aside(finite, sign, 7 * place), values)

    return moved


def known(given: Arguments, x: Any, place: int) -> NDArray[Any]:
    """The values of arguments which depend on nothing."""
    return known_numbers(given.trace, x)


def rising(given: Arguments, x: Any, place: int) -> NDArray[Any]:
    """Numbers between 0 and 1, each larger than the one before; well-conditioned matrices."""
    shape = np.shape(ids_of(given.trace, x))
    size = prod(shape)
    numbers = (0.2 + 0.6 * (np.arange(size) + 0.5) / max(size, 1)).reshape(shape)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        numbers = (numbers + numbers.swapaxes(-1, -2)) / 2 + shape[-1] * np.eye(shape[-1])
    return _beside_known(given, x, numbers + 0.013 * place)


def random(seed: int, low: float, high: float) -> Numbers:
    """Numbers between two others, in no order."""

    def drawn(given: Arguments, x: Any, place: int) -> NDArray[Any]:
        generator = np.random.Generator(np.random.PCG64([seed, place]))
        return _beside_known(
            given, x, generator.uniform(low, high, np.shape(ids_of(given.trace, x)))
        )

    return drawn


def _beside_known(given: Arguments, x: Any, numbers: NDArray[Any]) -> NDArray[Any]:
    """The numbers, but for those that are known."""
    ids, dtype = asarray(ids_of(given.trace, x)), dtype_of(x)
    made = (numbers * (1 + 0.5j) if dtype.kind == "c" else numbers).astype(dtype)
    if given.trace.graph.pure or not (ids <= ZERO).any():
        return asarray(made)
    return where(ids <= ZERO, known_numbers(given.trace, x), made)


SAMPLES = (rising, random(1, 0.05, 0.95), random(2, -2.0, 2.0), random(3, 25.0, 40.0))
"""Some functions take small numbers alone, or positive ones; sizes may depend on which."""


def _laid_out(values: NDArray[Any], like: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """A copy of values that lies in memory as another array of the shape does.

    With the memory around it, of zeros: a place that is reckoned from numbers other than the
    user's may be one beside the array.
    """
    shape, gap = like.shape, 1
    order: Literal["C", "F"] = "C"
    if not like.flags.c_contiguous:
        order = "F" if like.flags.f_contiguous else "C"
        gap = 1 if like.flags.f_contiguous else 2
    if gap == 2:
        shape = (*shape[:-1], 2 * shape[-1])
    size = prod(shape)
    memory = zeros(size + 2 * _BESIDE, values.dtype)
    array = memory[_BESIDE : _BESIDE + size].reshape(shape, order=order)
    array = array[..., ::2] if gap == 2 else array
    array[...] = values
    return memory, array


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
