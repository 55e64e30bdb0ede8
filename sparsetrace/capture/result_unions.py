"""What one call returns on several paths, as one result: the union of its dependencies.

Contract: only what the rest of the function cannot tell from the results themselves is united:
numbers, arrays and objects that nothing else holds, and tuples, lists and dicts of these.  Results
that differ otherwise (None on one path, another length, a truth value) stay apart.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from sparsetrace.arrays.array import TracedArray
from sparsetrace.arrays.picked import PickedArray
from sparsetrace.capture.chosen_containers import ChosenDict, ChosenList, sources_of
from sparsetrace.capture.object_parts import made_of, parts_of
from sparsetrace.capture.session import SESSION
from sparsetrace.context import Trace
from sparsetrace.numbers.python_numbers import PythonNumber
from sparsetrace.numbers.scalar import as_python
from sparsetrace.operands.operands import Elements, dtype_of, ids_of, is_traced

__all__ = [
    "OF_HOLDER",
    "Groups",
    "also_depending",
    "distinct_results",
    "is_held_alone",
    "owns_memory",
    "told_apart",
    "union_of",
    "united",
]

_BY_VALUE = (str, bytes)
_MANY = 8
"""Ends of a loop, or of a call: more are not told apart again by a number that they differ in."""
_TRUTHS = (bool, np.bool_)
_FLOATS = (float, np.float64)
_COMPLEX = (complex, np.complex128)
OF_HOLDER = 2
"""References to an object that is held once, as `sys.getrefcount` counts: that, and its own."""
_NONE: Mapping[int, int] = MappingProxyType({})


class Groups:
    """Which of some results are united.

    Parameters
    ----------
    is_one : bool
        Whether all are, as it was found out before.

    Attributes
    ----------
    members : list of lists of int
        For each result that is left the places of those that it stands for.
    """

    def __init__(self, *, is_one: bool = False) -> None:
        self.is_one = is_one
        self.members: list[list[int]] = []


def union_of(trace: Trace, values: Sequence[Any], *, keep_array: bool = False) -> Any:
    """One traced number or array with the dependencies of all, which have one shape.

    Without axes it is a number, unless an array is to be kept.
    """
    ids = [np.asarray(ids_of(trace, value)) for value in values]
    shape = ids[0].shape
    dtype = np.result_type(*map(dtype_of, values))
    united = trace.graph.union_all([one.reshape(-1) for one in ids]).reshape(shape)
    return trace.wrap(Elements(united, dtype, keep_array=keep_array))


def also_depending(trace: Trace, result: Any, decided: Sequence[int]) -> Any:
    """A number, or a tuple of them, that depends also on what branches were decided on.

    None where the result is anything else, or values have names.  Plain numbers stay: a call
    that gives one of them gives it on each of its paths.
    """
    cls = type(result)
    if isinstance(result, tuple):
        items = [also_depending(trace, item, decided) for item in result]
        return None if any(item is None for item in items) else tuple.__new__(cls, items)
    if cls in (int, *_FLOATS, *_COMPLEX):
        return result
    if not getattr(cls, "_is_bare", False) or trace.names is not None:
        return None
    ids = np.array([[result._id, *decided]], np.int32)
    made = trace.wrap(Elements(trace.graph.union_rows(ids).reshape(()), result._dtype))
    return as_python(made) if isinstance(result, PythonNumber) else made


def distinct_results(
    trace: Trace,
    results: list[Any],
    *,
    asks_types: Callable[..., bool],
    asks_identity: Callable[[], bool],
    opens_integers: bool,
    opens_truths: Callable[[], bool],
    spare: Mapping[int, int],
    groups: Groups | None = None,
) -> list[Any]:
    """The results, those that can be united as one; nothing else may hold the list.

    Parameters
    ----------
    trace : Trace
    results : list
        What a call returned on each of its paths.
    asks_types : callable
        Whether the function may tell numbers of Python's from NumPy's, and ints from floats; with
        ``arrays=True``, numbers from arrays without axes.
    asks_identity : callable
        Whether the function may tell a number or a tuple that it has elsewhere from an equal one.
    opens_integers : bool
        Whether different whole numbers become one that nobody knows.  Else they stay apart.
    opens_truths : callable
        Whether different truth values do; asked where they are all that tells results apart.
    spare : mapping
        By the ids of some parts of the results, so many references more do no harm.
    groups : Groups, optional
        Is told which results are united.
    """
    members: dict[Hashable, list[int]] = {}
    numbers: list[list[Any]] = []
    keys: list[Any] = []
    shared: set[int] = set()
    same = _same_places(results)
    for at in range(len(results)):
        numbers.append([])
        keys.append(
            _key(results, at, numbers[at], asks_identity, shared=shared, spare=spare, same=same)
        )
    if groups is not None and groups.is_one:
        groups.members.append([*range(len(results))])
        return [united(trace, list(results), shared)]
    if not opens_integers:
        _keep_apart(keys, numbers, _are_whole)
    for told in (_python_type, _is_array):
        arrays = {"arrays": True} if told is _is_array else {}
        if _is_mixed(keys, numbers, told) and asks_types(**arrays):
            keys = [(key, tuple(map(told, own))) for key, own in zip(keys, numbers, strict=True)]
    if any(type(number) in _TRUTHS for own in numbers for number in own):
        known = keys[:]
        _keep_apart(known, numbers, _are_truths)
        if len(set(known)) == len(set(keys)) or not opens_truths():
            keys = known
    for at, key in enumerate(keys):
        members.setdefault(key, []).append(at)
    if groups is not None:
        groups.members += members.values()
    return [united(trace, [results[at] for at in group], shared) for group in members.values()]


def _keep_apart(
    keys: list[Any], numbers: list[list[Any]], are_apart: Callable[[Sequence[Any]], bool]
) -> None:
    """Let results have different keys where numbers of a kind differ."""
    members: dict[Hashable, list[int]] = {}
    for at, key in enumerate(keys):
        members.setdefault(key, []).append(at)
    for group in members.values():
        columns = zip(*(numbers[at] for at in group), strict=True)
        apart = [place for place, column in enumerate(columns) if are_apart(column)]
        for at in group:
            keys[at] = keys[at], tuple(_as_known(numbers[at][place]) for place in apart)


def _same_places(results: list[Any]) -> frozenset[int]:
    """Where tuples of one length hold the very same containers: there is nothing to unite."""
    if not all(type(result) is tuple and len(result) == len(results[0]) for result in results):
        return frozenset()
    first = results[0]
    return frozenset(
        at
        for at in range(len(first))
        if isinstance(first[at], (list, dict))
        and all(result[at] is first[at] for result in results)
    )


def _are_shared() -> bool:
    """Whether lists and dictionaries that others hold are united."""
    session = SESSION.get()
    return session is not None and session.shares_containers


def _united_items(trace: Trace, values: Sequence[Any]) -> tuple[Any] | None:
    """One item for those at one place of several containers, which others hold."""
    holder = list(values)
    shared: set[int] = set()
    numbers: list[Any] = []
    keys = {
        _key(holder, at, numbers, _is_not_asked, owned=False, shared=shared)
        for at in range(len(holder))
    }
    same = all(value is holder[0] for value in holder)
    return (united(trace, holder, shared),) if same or len(keys) == 1 else None


def told_apart(values: tuple[Any, ...]) -> Hashable:
    """Equal for values that no operator can change and that can be united, whole numbers apart."""
    numbers: list[Any] = []
    key = _key([values], 0, numbers, _is_not_asked, shared=None)
    known = (*_TRUTHS, int)
    whole = tuple(number if type(number) in known else None for number in numbers)
    return key, whole, tuple(map(_python_type, numbers))


def _is_not_asked() -> bool:
    return False


def _is_mixed(
    keys: list[Any], numbers: list[list[Any]], told: Callable[[object], Hashable]
) -> bool:
    """Whether numbers that a function may tell apart are about to be united."""
    seen: dict[Any, tuple[Any, ...]] = {}
    for key, own in zip(keys, numbers, strict=True):
        shown = tuple(map(told, own))
        if seen.setdefault(key, shown) != shown:
            return True
    return False


def _python_type(number: object) -> Hashable:
    """The type that the function is told that a number has."""
    if is_traced(number):
        return cast(Hashable, number.__class__)
    return cast(Hashable, type(number))


def _is_whole(number: object) -> bool:
    return type(number) is int


def _are_whole(column: Sequence[object]) -> bool:
    return all(map(_is_whole, column))


def _are_truths(column: Sequence[object]) -> bool:
    return any(type(number) in _TRUTHS for number in column)


def _as_known(number: object) -> Hashable:
    """Equal for plain numbers of one type with one value, and for all traced ones."""
    return None if is_traced(number) else (type(number), number)


def _key(
    holder: Any,
    at: Any,
    numbers: list[Any],
    asks_identity: Callable[[], bool],
    *,
    shared: set[int] | None,
    owned: bool = True,
    spare: Mapping[int, int] = _NONE,
    same: Container[int] = (),
) -> Any:
    """Equal for values that can be united, whose numbers are appended to a list.

    The value is given as its place in what holds it, which `owned` says is held by nothing else.
    The ids of containers that others hold are added to a set; without one these stay apart.
    """
    owned = owned and sys.getrefcount(holder[at]) <= OF_HOLDER + spare.get(id(holder[at]), 0)
    value = holder[at]
    cls = type(value)
    inner = functools.partial(
        _key, value, numbers=numbers, asks_identity=asks_identity, shared=shared
    )
    if not owned and _can_be_found(cls) and asks_identity():
        return "is", id(value)
    if getattr(cls, "_is_bare", False):
        numbers.append(value)
        kind = value._dtype.kind
        return ("number", "f" if kind in "iu" else value._dtype.str.lstrip("<|")[:1], _width(value))
    if cls is int or cls in _FLOATS:
        numbers.append(value)
        return "number", "f", 8
    if cls in _COMPLEX:
        numbers.append(value)
        return "number", "c", 16
    if cls in _TRUTHS:
        numbers.append(value)
        return "number", "b", 1
    if isinstance(value, _BY_VALUE):
        return "same", cls, value
    if cls is tuple or (isinstance(value, tuple) and hasattr(cls, "_fields")):
        items = (
            None if i in same else inner(i, owned=owned, spare=spare) for i in range(len(value))
        )
        return "tuple", cls, *items
    is_chosen = cls is ChosenList or cls is ChosenDict
    if cls in (list, dict) or is_chosen:
        if not owned or is_chosen:
            if shared is None or not _are_shared() or asks_identity():
                return "is", frozenset(map(id, sources_of(value)))
            shared.add(id(value))
            inner = functools.partial(inner, owned=False)
        if cls is list or cls is ChosenList:
            return "list", *(inner(i) for i in range(len(value)))
        if all(isinstance(name, str) for name in value):
            return "dict", *((name, inner(name)) for name in value)
    if owned and _is_array(value) and owns_memory(value):
        if value.ndim == 0 and dtype_of(value).kind in "fc":  # which operators make a number of
            numbers.append(value)
            return "number", dtype_of(value).kind, dtype_of(value).itemsize
        if is_traced(value) or value.dtype.kind in "fc":
            return "array", dtype_of(value).str, value.shape
        return "same", value.dtype.str, value.shape, value.tobytes()
    if owned and isinstance(value, PickedArray):
        candidates = value.alone
        if candidates is not None and owns_memory(candidates):
            return "picked", value.picked_by, candidates.dtype.str, candidates.shape
    parts = parts_of(value) if owned else None
    if parts is not None:
        of_part = functools.partial(
            _key, numbers=numbers, asks_identity=asks_identity, shared=shared
        )
        names = tuple(part.names for part in parts)
        return "object", cls, names, *(of_part(part, name) for part in parts for name in part.names)
    return "is", id(value)


def _can_be_found(cls: type) -> bool:
    """Whether an object of this type would be united also if something else holds it."""
    return (
        getattr(cls, "_is_bare", False)
        or cls in (int, *_FLOATS, *_COMPLEX)
        or issubclass(cls, tuple)
    )


def _width(number: Any) -> int:
    return 8 if number._dtype.kind in "iu" else int(number._dtype.itemsize)


def _is_array(value: object) -> bool:
    if type(value) is TracedArray:
        # one that must not be written shows elements which the inputs choose
        return bool(value._ids.flags.writeable and value.flags.writeable)
    return (
        isinstance(value, np.ndarray)
        and (type(value) is np.ndarray or getattr(type(value), "_is_buffer", False))
        and value.dtype.kind in "fciub"
    )


def is_held_alone(holder: Any, at: Hashable, places: int = 1) -> bool:
    """Whether nothing sees an array, or its memory, but what holds it at so many places."""
    held = sys.getrefcount(holder[at])
    return held == OF_HOLDER - 1 + places and owns_memory(holder[at])


def owns_memory(array: Any) -> bool:
    """Whether nothing but this array shows its memory, and the trace, which names its values."""
    names = None
    if is_traced(array):
        names = array._trace.names
        own = 0 if names is None else names.references_to(array._ids)
        if sys.getrefcount(array._ids) > OF_HOLDER + own:
            return False
        memory = array._ids
    else:
        memory = array
    while isinstance(memory.base, np.ndarray):
        own = 0 if names is None else names.references_to(memory.base)
        if sys.getrefcount(memory.base) > OF_HOLDER + own:
            return False
        memory = memory.base
    return memory.base is None


def united(
    trace: Trace, values: list[Any], shared: Container[int] = (), *, keeps_bounds: bool = True
) -> Any:
    """One result for several that can be united.

    Parameters
    ----------
    trace : Trace
    values : list
    shared : set of int
        The ids of lists and dictionaries that others hold: these are read when the result is.
    keeps_bounds : bool
        Whether a number is one of these, and none of those that are still to come.
    """
    first = values[0]
    if all(value is first for value in values):
        return first
    if isinstance(first, tuple):
        items = [united(trace, list(column), shared) for column in zip(*values, strict=True)]
        return tuple.__new__(type(first), items)
    if any(id(value) in shared for value in values):
        sources = {id(one): one for value in values for one in sources_of(value)}
        chosen = ChosenList if isinstance(first, list) else ChosenDict
        return chosen(list(sources.values()), functools.partial(_united_items, trace))
    if type(first) is list:
        return [united(trace, list(column), shared) for column in zip(*values, strict=True)]
    if type(first) is dict:
        return {name: united(trace, [value[name] for value in values], shared) for name in first}
    if parts_of(first) is not None:
        return _united_objects(trace, values, shared)
    if isinstance(first, PickedArray):
        return first.of_others(union_of(trace, [x.alone for x in values], keep_array=True))
    if all(isinstance(value, np.ndarray) for value in values):
        return first if _are_equal(values) else union_of(trace, values, keep_array=True)
    of_number = (int, float, complex, np.bool_, np.ndarray)
    if not any(isinstance(x, of_number) or is_traced(x) for x in values):
        return first
    if isinstance(first, _BY_VALUE) or _are_equal(values):
        return first
    both = union_of(trace, values)
    result = as_python(both) if all(map(_is_pythons, values)) else both
    if keeps_bounds and trace.bounds is not None and dtype_of(result).kind in "iu":
        bounds = trace.bounds
        lows, highs = zip(*map(bounds.of, values), strict=True)
        bounds.note(result, min(lows), max(highs))
        if len(values) > _MANY:
            bounds.note_ends(result)
    return result


def _united_objects(trace: Trace, values: list[Any], shared: Container[int]) -> Any:
    taken = [parts_of(value) or () for value in values]
    made = [
        {name: united(trace, [part[name] for part in column], shared) for name in column[0].names}
        for column in zip(*taken, strict=True)
    ]
    return made_of(type(values[0]), made)


def _is_pythons(number: object) -> bool:
    return type(number) in (bool, int, float) or isinstance(number, PythonNumber)


def _are_equal(values: list[Any]) -> bool:
    """Whether plain numbers or arrays are the same, to the sign of a zero."""
    if any(map(is_traced, values)):
        return False
    first = np.asarray(values[0])
    return all(
        type(value) is type(values[0])
        and np.asarray(value).dtype == first.dtype
        and np.asarray(value).tobytes() == first.tobytes()
        for value in values
    )
