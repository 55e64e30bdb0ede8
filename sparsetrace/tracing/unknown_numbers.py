"""Arguments outside ``argnums`` in a global trace: numbers whose values nobody knows.

Contract: floating-point and complex numbers, and arrays of them, become traced objects whose
every element is opaque: it depends on no input, and its value is unknown, so that it cuts
nothing and a branch on it is run both ways.  Whatever decides a structure comes as it is:
whole numbers, truth values, text, None, callables, objects, and where the non-zeros of a
sparse matrix are.  Containers keep their types, arrays that share memory go on sharing it.
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import numbers
import types
from array import array as typed_array
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.lib.array_utils import byte_bounds
from numpy.typing import NDArray

from sparsetrace import masked
from sparsetrace.arrays.array import traced_array
from sparsetrace.arrays.subclass_views import is_viewable, seeded_like
from sparsetrace.context import Trace
from sparsetrace.errors import InputError
from sparsetrace.graph.graph import Ids
from sparsetrace.numbers.python_numbers import seeded_number
from sparsetrace.operands.operands import contains_traced, is_ordinary, is_traced
from sparsetrace.tracing.pytree import like
from sparsetrace.tracing.shared_memory import Pool, overlapping
from sparsetrace.tracing.unknown_matrices import unknown_matrix

__all__ = ["UnknownArguments", "Written"]

_AS_THEY_ARE = frozenset((int, bool, str, bytes, type(None)))


class Written(NamedTuple):
    """What a run has written into, of what it was given stand-ins for.

    Attributes
    ----------
    arrays : list of (int, int)
        The addresses between which their elements lie: a watched array shows another one's.
    containers : set of int
        The ids of lists, dicts and records.
    """

    arrays: list[tuple[int, int]]
    containers: set[int]


class UnknownArguments:
    """Those of a call's arguments whose numbers a trace does not know.

    Parameters
    ----------
    arguments : tuple
        All arguments of the call.
    numbers : sequence of int
        Which of them are unknown.

    Examples
    --------
    >>> work = np.zeros(2)
    >>> UnknownArguments((1.5, [work]), [1]).arrays()[id(work)] is work
    True
    """

    def __init__(self, arguments: tuple[Any, ...], numbers: Sequence[int]) -> None:
        self._arguments, self._numbers = arguments, numbers
        self._exchange: _Exchange | None = None

    def stand_ins(self, trace: Trace) -> list[Any]:
        """The unknown arguments with unknown numbers in place of known ones.

        Raises
        ------
        InputError
            If an argument is of a type that holds numbers and cannot be traced.
        """
        exchange = self._exchange = _Exchange(trace)
        given = [self._arguments[i] for i in self._numbers]
        exchange.share(given)
        return [exchange.of(argument) for argument in given]

    def arrays(self) -> dict[int, Any]:
        """The arrays among them, by their ids."""
        result: dict[int, Any] = {}
        if self._numbers:
            given = [self._arguments[i] for i in self._numbers]
            _gather(given, lambda array: result.setdefault(id(array), array), set())
        return result

    def written(self) -> Written:
        """What the last run has written into, by its stand-ins."""
        exchange, self._exchange = self._exchange, None
        return Written([], set()) if exchange is None else exchange.written()


def _refuse(obj: object, why: str) -> InputError:
    return InputError(
        f"an argument outside argnums holds a {type(obj).__name__}, {why}; static_argnums= takes "
        "the argument as it is, with its values"
    )


class _Exchange:
    """Exchanges the numbers of all arguments of one run."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._made: dict[int, Any] = {}
        self._shared: dict[int, Ids] = {}
        self._arrays: list[tuple[tuple[int, int], Ids]] = []
        self._containers: list[tuple[int, Any, list[Any]]] = []

    @cached_property
    def _random(self) -> np.random.Generator:
        return np.random.default_rng(0)

    def of(self, obj: object) -> Any:
        """The object itself, where there is nothing in it to exchange."""
        cls = type(obj)
        if cls in _AS_THEY_ARE:
            return obj
        if isinstance(obj, (float, complex, np.inexact)) and not is_traced(obj):
            return self._number(obj)
        result = self._made.get(id(obj))
        if result is None:
            result = self._compound(obj)
        return result

    def _number(self, obj: object) -> Any:
        if isinstance(obj, enum.Enum):
            return obj
        if type(obj) not in (float, complex) and type(obj).__module__ != "numpy":
            raise _refuse(obj, "a number with a type of its own")
        return seeded_number(self._trace, self._trace.graph.opaque, obj, np.asarray(obj).dtype)

    def _compound(self, obj: Any) -> Any:
        if is_traced(obj) or hasattr(type(obj), "_traced_data"):
            return obj  # of a trace around this one
        if isinstance(obj, np.ndarray):
            return self._keep(obj, self._array(obj))
        if isinstance(obj, Mapping):
            return self._container(obj, list(obj.values()))
        if isinstance(obj, (list, tuple, deque)):
            return self._container(obj, list(obj))
        if scipy.sparse.issparse(obj) and obj.dtype.kind in "fc" and not contains_traced(obj.data):
            return self._keep(obj, unknown_matrix(obj, self._random))
        if isinstance(obj, (numbers.Number, Decimal)) and not isinstance(
            obj, (numbers.Integral, np.generic)
        ):
            raise _refuse(obj, "a number that cannot be traced: give a float")
        if _holds_numbers(obj):
            raise _refuse(obj, "whose numbers cannot be traced: give an array or a list")
        names = _fields_of(obj)
        return self._record(obj, names) if names else obj

    def _record(self, obj: object, names: list[str]) -> Any:
        """A copy of a record with unknown numbers in its fields."""
        self._made[id(obj)] = obj
        fields = {name: getattr(obj, name) for name in names if hasattr(obj, name)}
        exchanged = {name: self.of(value) for name, value in fields.items()}
        changed = {name: new for name, new in exchanged.items() if new is not fields[name]}
        if not changed:
            return obj
        made = copy.copy(obj)
        for name, new in changed.items():
            object.__setattr__(made, name, new)
        return self._keep(obj, made)

    def written(self) -> Written:
        """What was exchanged, where something else may be in the stand-in by now."""
        opaque, names = self._trace.graph.opaque, self._trace.names
        arrays = [
            bounds
            for bounds, of_elements in self._arrays
            if np.any(of_elements != opaque)
            or (names is not None and names.may_be_written(of_elements))
        ]
        containers = {
            number
            for number, made, before in self._containers
            if [*map(id, _held_by(made))] != [*map(id, before)]
        }
        return Written(arrays, containers)

    def _keep(self, obj: object, made: object) -> Any:
        self._made[id(obj)] = made
        if not isinstance(made, np.ndarray):
            self._containers.append((id(obj), made, _held_by(made)))
        return made

    def _container(self, obj: object, items: list[Any]) -> Any:
        self._made[id(obj)] = obj  # one that holds itself stays as it is
        exchanged = [self.of(item) for item in items]
        if all(new is old for new, old in zip(exchanged, items, strict=True)):
            return obj
        try:
            return self._keep(obj, like(obj, exchanged))
        except Exception as error:
            raise _refuse(obj, "a container that cannot be made anew") from error

    def _array(self, array: NDArray[Any]) -> Any:
        letter = array.dtype.kind
        if letter == "O":
            return self._objects(array)
        if letter == "V" and _holds_floats(array.dtype):
            raise _refuse(array, f"whose records ({array.dtype}) hold numbers")
        if letter not in "fc":
            return array
        if isinstance(array, np.ma.MaskedArray):
            data = self._traced(np.asarray(array.data))
            return masked.constructed(data, mask=np.ma.getmask(array), fill_value=array.fill_value)
        if not (is_ordinary(array) or is_viewable(type(array))):
            raise _refuse(array, "whose type may give operators a meaning of its own")
        return seeded_like(array, self._traced(array))

    def _traced(self, array: NDArray[Any]) -> Any:
        ids = self._shared.get(id(array))
        if ids is None:
            order: Any = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
            ids = np.full(array.shape, self._trace.graph.opaque, np.int32, order)
        if not array.flags.writeable:
            ids.setflags(write=False)
        self._arrays.append((byte_bounds(array), ids))
        return traced_array(self._trace, ids, array.dtype)

    def _objects(self, array: NDArray[Any]) -> Any:
        items = array.ravel().tolist()
        exchanged = [self.of(item) for item in items]
        if all(new is old for new, old in zip(exchanged, items, strict=True)):
            return array
        made = np.empty(array.size, object)
        made[:] = exchanged
        return made.reshape(array.shape)

    # ------------------------------------------------------------- shared memory
    def share(self, arguments: list[Any]) -> None:
        """Lay out the ids of arrays that share memory in memory that they share."""
        arrays: dict[int, NDArray[Any]] = {}
        _gather(arguments, lambda array: arrays.setdefault(id(array), array), set())
        if len(arrays) < 2:
            return
        for group in overlapping(arrays.values()):
            if len(group) > 1:
                self._lay_out(group)

    def _lay_out(self, arrays: list[NDArray[Any]]) -> None:
        try:
            views = Pool(arrays).views(np.int32, self._trace.graph.opaque)
        except ValueError as error:
            raise _refuse(arrays[0], f"which shares memory with another one: {error}") from None
        for array, ids in zip(arrays, views, strict=True):
            self._shared[id(array)] = ids


def _fields_of(obj: object) -> list[str]:
    """The fields of an object that is made to hold values: a dataclass, attrs, a namespace."""
    if isinstance(obj, type):
        return []
    if dataclasses.is_dataclass(obj):
        return [field.name for field in dataclasses.fields(obj)]
    if isinstance(obj, types.SimpleNamespace):
        return list(vars(obj))
    return [field.name for field in getattr(type(obj), "__attrs_attrs__", ())]


def _gather(obj: object, result: Callable[[NDArray[Any]], Any], seen: set[int]) -> None:
    """Every plain array of floating-point or complex numbers with elements, in containers too."""
    if isinstance(obj, np.ndarray):
        if obj.dtype.kind in "fc" and obj.size and not is_traced(obj) and is_ordinary(obj):
            result(obj)
    elif isinstance(obj, (list, tuple, deque, Mapping)) and id(obj) not in seen:
        seen.add(id(obj))
        for item in obj.values() if isinstance(obj, Mapping) else obj:
            _gather(item, result, seen)
    elif id(obj) not in seen:
        for name in _fields_of(obj):
            seen.add(id(obj))
            _gather(getattr(obj, name, None), result, seen)


def _held_by(obj: object) -> list[Any]:
    """What is in a container, or in the fields of a record."""
    if isinstance(obj, Mapping):
        return [*obj, *obj.values()]
    if isinstance(obj, (list, tuple, deque)):
        return list(obj)
    return [getattr(obj, name, None) for name in _fields_of(obj)]


def _holds_numbers(obj: object) -> bool:
    """Whether a collection that cannot hold traced numbers holds floating-point ones."""
    if isinstance(obj, (set, frozenset)):
        return any(isinstance(x, (float, complex)) for x in obj)
    if isinstance(obj, typed_array):
        return obj.typecode in "fd"
    if isinstance(obj, memoryview):
        return obj.format in ("f", "d")
    return isinstance(obj, np.void) and _holds_floats(obj.dtype)


def _holds_floats(dtype: np.dtype[Any]) -> bool:
    if dtype.names is None:
        return dtype.subdtype is not None and _holds_floats(dtype.subdtype[0])
    fields = (dtype.fields[name][0].base for name in dtype.names)  # type: ignore[index]
    return any(field.kind in "fcO" or _holds_floats(field) for field in fields)
