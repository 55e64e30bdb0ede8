"""What a function keeps between calls, put back after every run of it.

Contract: each run of a trace, and each plain call beside one, starts from what the
caller's objects held before; afterwards they hold the same again, the very same objects
in the same order.  Containers are filled anew, never replaced.  What cannot be put back
(`functools.lru_cache`, iterators) is exchanged for an equal one of the run's own, where
a name, an attribute or a container holds it; what can neither be copied (a generator)
gives each run the same items, and has moved on in the end.  Nothing here runs code of the user's.
"""

from __future__ import annotations

import array
import collections
import functools
import operator
import random
import types
import warnings
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, repeat
from typing import Any, NamedTuple

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray, complex128, dtype, empty, float64, frombuffer, ndarray, ravel
from numpy.random import Generator, RandomState

from sparsetrace.tracing.bundles import Bundles, Reader, contents
from sparsetrace.tracing.kept_iterators import stand_in_for
from sparsetrace.tracing.shared_memory import overlapping
from sparsetrace.user_code.held_arrays import HeldArrays
from sparsetrace.user_code.kept_results import Held, held_by, refill
from sparsetrace.user_code.object_kinds import CACHES
from sparsetrace.user_code.own_stores import code_by_user
from sparsetrace.user_code.places import item_of, places
from sparsetrace.user_code.reach import Reached, Walk, dict_of, filled_slots, is_watched

__all__ = ["State", "kept_state"]

_MOST_BYTES = 2**22
_MOST_BYTES_OF_ONE = 2**20
"""Arrays beyond are taken for data, which functions read, and not put back."""
_ABSENT: Any = object()
_is = operator.is_


class State:
    """The state behind some objects, as it is now.

    Parameters
    ----------
    roots : iterable
        A function and the arguments that it is given as they are.
    arguments : tuple
        What holds all arguments of the call.
    inputs : list
        What holds the traced ones, on behalf of the trace.

    Examples
    --------
    >>> calls = []
    >>> record = calls.append
    >>> state = State([record])
    >>> for x in (1.0, 2.0):
    ...     with state.run():
    ...         record(x)
    ...         print(calls)
    [1.0]
    [2.0]
    >>> calls
    []
    """

    def __init__(
        self, roots: Iterable[Any], arguments: tuple[Any, ...] = (), inputs: Sequence[Any] = ()
    ) -> None:
        self._roots, self._arguments, self.inputs = list(roots), arguments, inputs
        self._drawn: dict[int, list[Any]] = {}
        self._refilled: list[tuple[Any, Any]] = []
        self._point: tuple[Any, ...] = ()
        self.written: set[int] = set()
        """The ids of arrays that are put back whatever their size."""
        walk = Walk()
        walk.push(self._roots[:1], opaque=False)
        walk.run()
        self._number_held = len(walk.found.arrays)
        walk.push(self._roots[1:], opaque=False)
        walk.run()
        self.reached = result = walk.found
        self._cells = [[cell, _content(cell)] for cell in result.cells]
        self._objects = result.objects
        self._dicts = [
            (container, _taken(container)) for container in result.dicts if not _is_scope(container)
        ]
        self._classes = [(cls, dict(_CLASS_DICT(cls))) for cls in result.classes]
        self._names = [[scope, name, scope.get(name, _ABSENT)] for scope, name in result.names]
        scopes = [*result.scopes, *filter(_is_scope, result.dicts)]
        self._scopes = [(scope, scope.copy()) for scope in scopes]
        self._lists = [(container, list.copy(container)) for container in result.lists]
        self._in_bundles()
        self._deques = [(some, list(collections.deque.__iter__(some))) for some in result.deques]
        self._slots = [(item, names, filled_slots(item, names)) for item, names in result.slots]
        self._arrays = list(_kept_arrays(result.arrays, self.written))
        self._others: list[Callable[[], None]] = []
        if result.bytes:
            self._others += map(_kept_bytes, result.bytes)
        self._others += [_kept_random(generator) for generator in result.randoms]
        self._caches = [(cache, held_by(cache)) for cache in result.caches]
        self._others += [_kept_cache(cache, held) for cache, held in self._caches]
        self._moves: list[Callable[[], None]] = []
        generators = [some for some in result.randoms if type(some) in (Generator, RandomState)]
        self._exchanges = _listed(result, *result.caches, *result.iterators, *generators)
        self._watched = _listed(result, *result.watched)

    def _in_bundles(self) -> None:
        """What most runs leave as it is, so that a run is not charged for each."""
        plain = self._dicts
        self._ordered = [entry for entry in plain if _is_ordered(entry[0])]
        if self._ordered:
            plain = [entry for entry in plain if not _is_ordered(entry[0])]
        sets = [(container, set().union(container)) for container in self.reached.sets]
        kinds: tuple[tuple[list[Any], _HowToBundle], ...] = (
            (self._objects, _OBJECTS),
            (plain, _DICTS),
            (self._lists, _LISTS),
            (sets, _SETS),
            (self._classes, _CLASSES),
        )
        self._bundles = [
            (Bundles(entries, how.size, *how.readers), how.put_back)
            for entries, how in kinds
            if entries
        ]

    def run(self) -> _Call:
        """Around one call of the function."""
        return _Call(self)

    def begin_call(self) -> list[Callable[[], None]]:
        """Exchange what is; how to put back what only some calls may change."""
        others: list[Callable[[], None]] = []
        try:
            if self._exchanges:
                self._exchange()
            for move in self._moves:
                move()
            if self.reached.changes_functions:
                others.append(_kept_functions(self.reached.functions))
                others.append(_kept_bases(self.reached.classes))
        except BaseException:
            self.put_back()
            raise
        return others

    def watched(self) -> Iterator[tuple[Callable[[Any], None], Any]]:
        """How to exchange each function that is watched where it is held, and the function."""
        result = self.reached
        if result.watched:
            yield from self._watched
            for function in result.defaults:
                for i, value in enumerate(function.__defaults__):
                    if is_watched(value):
                        yield functools.partial(_redefine, function, i), value
            for call in result.partials:
                yield functools.partial(_recall, call), call.func

    @contextmanager
    def moved_from(self, point: Iterable[Any]) -> Iterator[bool]:
        """Within it runs find other numbers where a copy of the point is kept; whether one is.

        A function that remembers the last point answers there with what it computed in an
        earlier call.  So it does at no other point, however near.
        """
        self._point = tuple(point)
        self._moves = list(_moves(self, self._point))
        try:
            yield bool(self._moves)
        finally:
            self._point, self._moves = (), []

    def held_arrays(self) -> HeldArrays:
        """The arrays that the function can reach, and where they are held."""
        return HeldArrays(self._roots, self._arguments)

    def holds(self, arrays: Collection[Any]) -> bool:
        """Whether the function itself holds memory of some arguments, and could write there."""
        ids = set(map(id, arrays))
        own = {id(array): array for array in self.reached.arrays[: self._number_held]}
        return not ids.isdisjoint(own) or any(
            not ids.isdisjoint(together) and not own.keys().isdisjoint(together)
            for group in overlapping([*arrays, *own.values()])
            for together in [set(map(id, group))]
        )

    def keep_shared(self, arguments: Mapping[int, Any]) -> bool:
        """Put such arguments back after each run, too, whatever their size; whether there are any.

        Parameters
        ----------
        arguments : mapping of int to array
            By their ids.
        """
        if not arguments or not self.holds(arguments.values()):
            return False
        self.written.update(arguments)
        self._arrays[:] = _kept_arrays(self.reached.arrays, self.written)
        return True

    def held_by_function(self) -> HeldArrays:
        """The same without what it is given as arguments."""
        return HeldArrays(self._roots[:1])

    @contextmanager
    def let_go(self, groups: Sequence[list[Any]]) -> Iterator[None]:
        """Within it, between runs, no reference is held here to the arrays in some lists.

        The arrays stay in their lists, to which others may be added.
        """
        wanted = {id(array): (group, i) for group in groups for i, array in enumerate(group)}
        removed = list(_without(wanted, self._copies()))
        self._arrays.clear()
        self._moves.clear()
        self._bundles.clear()
        try:
            yield
        finally:
            for copy, key, (group, i) in removed:
                copy[key] = group[i]
            self._in_bundles()
            self._arrays += _kept_arrays(self.reached.arrays, self.written)
            self._moves += _moves(self, self._point)

    def _copies(self) -> Iterator[Any]:
        """What is held here of the contents of containers, in dicts and lists."""
        yield from (self._roots, self.reached.arrays)
        for _, before in (*self._dicts, *self._classes, *self._scopes, *self._lists):
            yield before
        for _, items in self._deques:
            yield items
        for _, _, filled in self._slots:
            yield filled
        for _, held in self._caches:
            yield held.results
        yield from (*self._cells, *self._names)

    def _exchange(self) -> None:
        made: dict[int, Any] = {}  # one stand-in for each, wherever it is held
        self._refilled = []
        for assign, original in self._exchanges:
            stand_in = made.get(id(original))
            if stand_in is None:
                stand_in = made[id(original)] = stand_in_for(original, self._drawn)
                if type(original) in CACHES and stand_in is not original:
                    self._refilled.append((stand_in, original))
            if stand_in is not original:
                assign(stand_in)

    def refill_caches(self) -> None:
        """Let the caches of a run hold what stands for their results by now."""
        for stand_in, original in self._refilled:
            refill(stand_in, original)

    def put_back(self) -> None:
        """Let everything hold again what it held."""
        self._refilled = []
        for cell, content in self._cells:
            if _content(cell) is not content:
                if content is _ABSENT:
                    del cell.cell_contents
                else:
                    cell.cell_contents = content
        for bundles, put_back_each in self._bundles:
            for entry in bundles.changed():
                put_back_each(*entry)
        for container, before in self._ordered:
            _put_back_dict(container, before)
        for scope, name, value in self._names:
            if scope.get(name, _ABSENT) is not value:
                _assign_name(scope, name, value)
        for scope, before in self._scopes:
            if len(scope) != len(before) or not _same_items(scope, before):
                _reset_scope(scope, before)
        for recent, items in self._deques:
            _refill_deque(recent, items)
        for item, slots, filled in self._slots:
            _refill_slots(item, slots, filled)
        for put_back in (*self._arrays, *self._others):
            put_back()


class _Call:
    """One call of a function, after which its state is put back."""

    __slots__ = ("_others", "_state")

    def __init__(self, state: State) -> None:
        self._state = state

    def __enter__(self) -> None:
        self._others = self._state.begin_call()

    def __exit__(self, *error: object) -> None:
        try:
            for put_back in self._others:
                put_back()
        finally:
            self._state.put_back()


@contextmanager
def kept_state(*roots: Any) -> Iterator[None]:
    """Put back, at the end, what a call of a function changes in the objects behind it.

    Parameters
    ----------
    *roots
        The function, and the arguments whose state counts.

    Examples
    --------
    >>> known = {"a": 1}
    >>> with kept_state(known.update):
    ...     known.update(a=2, b=3)
    >>> known
    {'a': 1}
    """
    with State(roots).run():
        yield


def _without(wanted: dict[int, Any], copies: Iterator[Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Take objects out of dicts and lists, by their ids; where, and what is known of each."""
    for copy in copies:
        for key, value in copy.items() if type(copy) is dict else enumerate(copy):
            if id(value) in wanted:
                yield copy, key, wanted[id(value)]
                copy[key] = None


# ------------------------------------------------------------------------ dicts
def _taken(container: Any) -> dict[Any, Any]:
    """A plain copy, in the order in which the items come."""
    if type(container) is dict:
        return container.copy()
    if issubclass(type(container), collections.OrderedDict):
        return dict(collections.OrderedDict.items(container))
    return dict(dict.items(container))


def _put_back_dict(container: Any, before: dict[Any, Any]) -> None:
    if dict.__len__(container) != len(before) or not _same_items(container, before):
        _refill(container, before)


def _is_scope(container: object) -> bool:
    """Whether a dictionary is what ``exec`` takes for globals: names in it may be exchanged."""
    return type(container) is dict and "__builtins__" in container


def _is_ordered(container: object) -> bool:
    """Whether the order of the items is more than that of a dict."""
    return issubclass(type(container), collections.OrderedDict)


def _same_items(container: Any, before: dict[Any, Any]) -> bool:
    if issubclass(type(container), collections.OrderedDict):
        keys: Any = collections.OrderedDict.__iter__(container)
        values: Any = collections.OrderedDict.values(container)
    else:
        keys, values = dict.__iter__(container), dict.values(container)
    return all(map(_is, values, before.values())) and all(map(_is, keys, before))


def _refill(container: Any, before: dict[Any, Any]) -> None:
    if issubclass(type(container), collections.OrderedDict):
        collections.OrderedDict.clear(container)
        for key, value in before.items():
            collections.OrderedDict.__setitem__(container, key, value)
        return
    if dict.__len__(container) == len(before) and all(map(_is, dict.__iter__(container), before)):
        dict.update(container, before)
        return
    dict.clear(container)
    dict.update(container, before)


# --------------------------------------------------------------- names and classes
_CLASS_DICT: Callable[[type], Any] = type.__dict__["__dict__"].__get__
_MODULE: Callable[[type], Any] = type.__dict__["__module__"].__get__
_BASES: Callable[[type], tuple[type, ...]] = operator.attrgetter("__bases__")
_CHANGEABLE = operator.attrgetter("__code__", "__defaults__", "__kwdefaults__")
"""What code may change of functions."""
_MADE_BY_PYTHON = frozenset(("__annotations__", "__doc__", "__abstractmethods__"))
"""Attributes of classes that Python adds when they are asked for."""


def _held_by_class(cls: type) -> Iterable[Any]:
    return types.MappingProxyType.values(_CLASS_DICT(cls))


def _size_of_class(cls: type) -> int:
    return len(_CLASS_DICT(cls))


def _dicts_of(items: Sequence[Any]) -> Iterable[Any]:
    return map(object.__getattribute__, items, repeat("__dict__"))


def _put_back_class(cls: type, before: dict[str, Any]) -> None:
    """The attributes of a class, but for those that a trace itself has exchanged."""
    now = dict(_CLASS_DICT(cls))
    if len(now) == len(before) and all(map(_is, now.values(), before.values())):
        return
    for name in now.keys() - before.keys() - _MADE_BY_PYTHON:
        if not _is_stand_in(now[name]):
            with suppress(AttributeError, TypeError):
                type.__delattr__(cls, name)
    for name, value in before.items():
        current = now.get(name, _ABSENT)
        if current is not value and not (_is_stand_in(current) or _is_stand_in(value)):
            with suppress(AttributeError, TypeError):
                type.__setattr__(cls, name, value)


def _assign_name(scope: dict[str, Any], name: str, value: object) -> None:
    if value is _ABSENT:
        scope.pop(name, None)
    else:
        scope[name] = value


def _reset_scope(scope: dict[str, Any], before: dict[str, Any]) -> None:
    """Globals of a module, but for the names that a trace itself has exchanged."""
    now = scope.copy()
    changed = [name for name, value in now.items() if before.get(name, _ABSENT) is not value]
    for name in [*changed, *(before.keys() - now.keys())]:
        value, was = now.get(name, _ABSENT), before.get(name, _ABSENT)
        if not _is_stand_in(value) and not _is_stand_in(was):
            _assign_name(scope, name, was)


def _is_stand_in(value: Any) -> bool:
    """Whether a trace put this in the place of a name (`sparsetrace.capture`)."""
    if issubclass(type(value), type) and "_stands_in" in _CLASS_DICT(value):
        return True  # it shows the module of what it stands for
    if type(value) in (classmethod, staticmethod):
        value = value.__func__
    if type(value) is types.FunctionType:
        owner = value.__globals__.get("__name__")
    else:
        owner = _MODULE(value if issubclass(type(value), type) else type(value))
    return isinstance(owner, str) and owner.startswith("sparsetrace.capture.")


def _put_back_object(item: object, cls: type, attributes: dict[str, Any]) -> None:
    """Its class and its dict, unless compiled code makes a new one whenever it is asked."""
    if type(item) is cls and dict_of(item) is attributes:
        return
    with suppress(AttributeError, TypeError):
        if type(item) is not cls:
            object.__setattr__(item, "__class__", cls)
        if dict_of(item) is not attributes:
            object.__setattr__(item, "__dict__", attributes)


def _kept_bases(classes: Sequence[type]) -> Callable[[], None]:
    before = list(map(_BASES, classes))

    def put_back() -> None:
        for cls, now, bases in zip(classes, map(_BASES, classes), before, strict=True):
            if now is not bases and now != bases:
                cls.__bases__ = bases

    return put_back


def _kept_functions(functions: Sequence[types.FunctionType]) -> Callable[[], None]:
    """Their defaults, and their code, unless a trace itself has exchanged that meanwhile."""
    before = list(chain.from_iterable(map(_CHANGEABLE, functions)))
    by_name = [(named, dict(named)) for named in before[2::3] if named is not None]

    def put_back() -> None:
        for named, values in by_name:
            if len(named) != len(values) or not _same_items(named, values):
                _refill(named, values)
        if not all(map(_is, chain.from_iterable(map(_CHANGEABLE, functions)), before)):
            for i, function in enumerate(functions):
                _put_back_function(function, *before[3 * i : 3 * i + 3])

    return put_back


def _put_back_function(
    function: types.FunctionType, code: types.CodeType, defaults: Any, by_name: Any
) -> None:
    if function.__defaults__ is not defaults:
        function.__defaults__ = defaults
    if function.__kwdefaults__ is not by_name:
        function.__kwdefaults__ = by_name
    now = function.__code__
    if now is not code and code_by_user(now) is not code_by_user(code):
        function.__code__ = code


# ------------------------------------------------------------- cells and slots
def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled
        return _ABSENT


def _refill_slots(item: object, names: tuple[str, ...], before: dict[str, Any]) -> None:
    now = filled_slots(item, names)
    for name in names:
        value = before.get(name, _ABSENT)
        if now.get(name, _ABSENT) is value:
            continue
        with suppress(AttributeError, TypeError):  # a slot that is read-only
            if value is _ABSENT:
                object.__delattr__(item, name)
            else:
                object.__setattr__(item, name, value)


# ---------------------------------------------------------------- other containers
def _put_back_list(some: Any, items: list[Any]) -> None:
    if list.__len__(some) != len(items) or not all(map(_is, list.__iter__(some), items)):
        list.__setitem__(some, slice(None), items)


def _put_back_set(container: Any, members: set[Any]) -> None:
    if {*map(id, set.__iter__(container))} != {*map(id, members)}:
        set.clear(container)
        set.update(container, members)


def _refill_deque(container: collections.deque[Any], before: list[Any]) -> None:
    if collections.deque.__len__(container) != len(before) or not all(
        map(_is, collections.deque.__iter__(container), before)
    ):
        collections.deque.clear(container)
        collections.deque.extend(container, before)


def _kept_bytes(data: Any) -> Callable[[], None]:
    before = memoryview(data).tobytes()

    def put_back() -> None:
        if memoryview(data).tobytes() == before:
            return
        with suppress(BufferError):  # something else holds its memory
            if issubclass(type(data), bytearray):
                bytearray.__setitem__(data, slice(None), before)
            else:
                array.array.__delitem__(data, slice(None))
                array.array.frombytes(data, before)

    return put_back


def _kept_arrays(
    arrays: list[ndarray[Any, Any]], written: Container[int]
) -> Iterator[Callable[[], None]]:
    """Small arrays, and those that are known to be written, byte for byte; arrays of objects."""
    total = 0
    for values in arrays:
        size = values.nbytes
        if id(values) not in written:
            if size > _MOST_BYTES_OF_ONE or total + size > _MOST_BYTES:
                continue
            total += size
        if values.dtype.kind == "O":
            yield _kept_objects(values)
        elif not values.dtype.hasobject:
            yield _kept_numbers(values)


def _kept_numbers(values: ndarray[Any, Any]) -> Callable[[], None]:
    before = ndarray.tobytes(values)
    shape, dtype = values.shape, values.dtype

    def put_back() -> None:
        if not values.flags.writeable:
            with suppress(ValueError):  # where what it shows is read-only
                values.flags.writeable = True
        if values.shape != shape or values.dtype != dtype:
            _reshape(values, shape, dtype)
        if ndarray.tobytes(values) != before and (values.shape, values.dtype) == (shape, dtype):
            with suppress(ValueError):  # read-only all the same
                ndarray.__setitem__(values, ..., frombuffer(before, dtype).reshape(shape))

    return put_back


def _reshape(values: ndarray[Any, Any], shape: tuple[int, ...], kind: dtype[Any]) -> None:
    """The shape and the dtype that an array had, where it still has as much memory."""
    with suppress(AttributeError, TypeError, ValueError), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer releases of NumPy shall be asked another way
        ndarray.__setattr__(values, "dtype", kind)
        values.shape = shape


def _kept_objects(values: ndarray[Any, Any]) -> Callable[[], None]:
    before = list(ndarray.flatten(values))
    shape = values.shape

    def put_back() -> None:
        if values.shape != shape or all(map(_is, ndarray.flatten(values), before)):
            return
        items = empty(len(before), object)
        for i, item in enumerate(before):
            items[i] = item
        with suppress(ValueError):
            ndarray.__setitem__(values, ..., items.reshape(shape))

    return put_back


# ------------------------------------------------------------------------- bundles
class _HowToBundle(NamedTuple):
    """How containers of one kind are compared with what they held, and put back."""

    size: Callable[[Any], int] | None
    readers: tuple[Reader, ...]
    put_back: Callable[..., None]


_OBJECTS = _HowToBundle(None, (partial(map, type), _dicts_of), _put_back_object)
_DICTS = _HowToBundle(
    dict.__len__, (contents(dict.values), contents(dict.__iter__)), _put_back_dict
)
_LISTS = _HowToBundle(list.__len__, (contents(list.__iter__),), _put_back_list)
_SETS = _HowToBundle(set.__len__, (contents(set.__iter__),), _put_back_set)
_CLASSES = _HowToBundle(_size_of_class, (contents(_held_by_class),), _put_back_class)


# --------------------------------------------------------------- random generators
def _kept_random(generator: Any) -> Callable[[], None]:
    """The generators of Python and of NumPy, whose states can be taken and given."""
    if issubclass(type(generator), random.Random):
        return _kept_python_random(generator)
    if hasattr(generator, "get_state"):
        legacy = generator.get_state(legacy=False)
        return lambda: generator.set_state(legacy)
    bits = getattr(generator, "bit_generator", generator)
    state = bits.state

    def put_back() -> None:
        bits.state = state

    return put_back


def _kept_python_random(generator: random.Random) -> Callable[[], None]:
    try:
        state = random.Random.getstate(generator)
    except NotImplementedError:  # the system's own
        return lambda: None
    return lambda: random.Random.setstate(generator, state)


# ------------------------------------------------------------- copies of a point
_STEP = 1e-3


def _moves(state: State, point: Iterable[Any]) -> Iterator[Callable[[], None]]:
    """How to move each copy of a part of the point that is kept."""
    for leaf in point:
        kind = asarray(leaf).dtype.kind
        if kind not in "biufc":
            continue
        values = ravel(asarray(leaf, complex if kind == "c" else float))
        if not values.size or values.nbytes > _MOST_BYTES_OF_ONE:
            continue
        for candidate in state.reached.arrays:
            alike = candidate.size == values.size and candidate.dtype.kind == values.dtype.kind
            if alike and ndarray.tobytes(candidate) == values.astype(candidate.dtype).tobytes():
                yield functools.partial(_move_array, candidate)
        for assign, value in _kept_numbers_of_python(state):
            if _is_copy(value, values):
                yield functools.partial(assign, _moved(value))


def _move_array(values: ndarray[Any, Any]) -> None:
    moved = asarray([_moved(v) for v in ndarray.tolist(ndarray.flatten(values))], values.dtype)
    ndarray.__setitem__(values, ..., moved.reshape(values.shape))


def _is_copy(value: Any, values: ndarray[Any, Any]) -> bool:
    if type(value) in _NUMBERS:
        return values.size == 1 and bool(value == values[0])
    alike = len(value) == values.size and set(map(type, value)) <= set(_NUMBERS)
    return alike and bool(list(value) == values.tolist())


def _moved(value: Any) -> Any:
    if type(value) in _NUMBERS:
        return value * (1 + _STEP) + _STEP
    return type(value)(map(_moved, value))


_NUMBERS = (float, float64, complex, complex128)
_MOST_NAMES = 1000


def _kept_numbers_of_python(state: State) -> Iterator[tuple[_Assign, Any]]:
    """Numbers, and tuples and lists of them, with how to exchange them."""
    types_kept = (*_NUMBERS, tuple, list)
    for container, before in state._dicts:
        if len(before) > _MOST_NAMES:
            continue  # a table, not an object that remembers
        for key, value in before.items():
            if type(value) in types_kept:
                yield item_of(container, key), value
    for cell, value in state._cells:
        if type(value) in types_kept:
            yield functools.partial(setattr, cell, "cell_contents"), value
    for scope, name, value in state._names:
        if type(value) in types_kept:
            yield item_of(scope, name), value


# -------------------------------------------------------------- caches, iterators
def _kept_cache(cache: Any, held: Held) -> Callable[[], None]:
    """Put back where it was used all the same, from a place that nothing could exchange."""
    before = cache.cache_info().misses

    def put_back() -> None:
        nonlocal before
        if cache.cache_info().misses != before:
            held.put_back(cache)
            before = cache.cache_info().misses

    return put_back


_Assign = Callable[[Any], None]


def _listed(result: Reached, *wanted: Any) -> list[tuple[_Assign, Any]]:
    return list(_places(result, set(map(id, wanted)))) if wanted else []


def _places(result: Reached, wanted: set[int]) -> Iterator[tuple[_Assign, Any]]:
    return ((place.assign, place.value) for place in places(result, wanted))


def _redefine(function: Any, i: int, value: Any) -> None:
    """Another value for one default argument."""
    kept = function.__defaults__
    function.__defaults__ = (*kept[:i], value, *kept[i + 1 :])


def _recall(call: functools.partial[Any], function: object) -> None:
    """Another function for a partial call."""
    vars(functools.partial)["__setstate__"](
        call, (function, call.args, call.keywords, vars(call) or None)
    )
