"""What a function can reach: its globals, cells, defaults, objects, and what those hold.

Contract: one walk finds both where state is kept (`sparsetrace.tracing.state`) and which
code may run (`sparsetrace.capture.swallowed_errors`).  It runs no code of the user's:
attributes are read from ``__dict__`` and slots, never by ``getattr``, and anything unknown
is asked for its referents.  What belongs to a library is passed through, for the functions
it holds, and never noted as state.  Breadth first, so that what is near is found where
there is too much to look at.
"""

from __future__ import annotations

import collections
import gc
import random
import sys
import threading
import types
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparsetrace.user_code.bytecode import instructions
from sparsetrace.user_code.identity_tests import tells_objects_apart
from sparsetrace.user_code.kept_results import kept_results
from sparsetrace.user_code.object_kinds import (
    ATOMS,
    CLASS_DICT,
    LASTING_KINDS,
    MRO,
    Getter,
    Kind,
    is_heap_type,
    kind_of,
)
from sparsetrace.user_code.read_code import (
    Code,
    code_of,
    is_foreign,
    nested,
    tells_arrays_apart,
    tells_numbers_apart,
)

__all__ = [
    "ARRAY_METHODS",
    "WATCHED",
    "Reached",
    "Walk",
    "dict_of",
    "filled_slots",
    "imported_by",
    "is_watched",
    "reached",
    "slots_of",
]

_MOST_OBJECTS = 100_000
_MOST_MODULES = 64
"""As many are looked at as a whole where attributes are found by text."""
_ABSENT = object()


@dataclass(slots=True)
class Reached:
    """What one walk found, by what is done with it.

    Attributes
    ----------
    codes : list of (Code, globals)
        The code of all functions of the user's own.
    functions : list
        These functions.
    dicts, lists, sets, deques, arrays, bytes, cells, classes, randoms : list
        Where state is kept.
    objects : list of (object, class, dict)
        What has a ``__dict__``, and perhaps gets another one, or another class.
    slots : list of (object, names)
    names : list of (dict, name)
        Single names of a module that are rebound, or hold a cache or an iterator.
    scopes : list of dict
        The globals of modules that may be rebound by any name.
    caches, iterators : list
        What cannot be put back, but exchanged.
    watched, defaults, partials : list
        Functions that `is_watched` names, and what holds one as a default or a partial call.
    unknown : bool
        Whether functions may be called that the walk has not seen.
    changes_functions : bool
        Whether any code may give functions other defaults or code, or classes other bases.
    multiplies : bool
        Whether any code calls the method ``dot`` of an array by name.
    names_truths : bool
        Whether any code that was seen compares with True or False by identity.
    """

    codes: list[tuple[Code, dict[str, Any]]] = field(default_factory=list)
    functions: list[types.FunctionType] = field(default_factory=list)
    dicts: list[Any] = field(default_factory=list)
    lists: list[Any] = field(default_factory=list)
    sets: list[Any] = field(default_factory=list)
    deques: list[Any] = field(default_factory=list)
    arrays: list[Any] = field(default_factory=list)
    bytes: list[Any] = field(default_factory=list)
    cells: list[Any] = field(default_factory=list)
    classes: list[type] = field(default_factory=list)
    randoms: list[Any] = field(default_factory=list)
    objects: list[tuple[Any, type, dict[str, Any]]] = field(default_factory=list)
    slots: list[tuple[Any, tuple[str, ...]]] = field(default_factory=list)
    names: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    scopes: list[dict[str, Any]] = field(default_factory=list)
    caches: list[Any] = field(default_factory=list)
    iterators: list[Any] = field(default_factory=list)
    watched: list[Any] = field(default_factory=list)
    defaults: list[Any] = field(default_factory=list)
    partials: list[Any] = field(default_factory=list)
    unknown: bool = False
    changes_functions: bool = False
    multiplies: bool = False
    names_truths: bool = False

    def asks_dtypes(self) -> bool:
        """Whether any code may ask for a dtype; not in doubt."""
        return any(code.asks_dtypes for code, _ in self.codes)

    def tells_numbers_apart(self) -> bool:
        """Whether any code may tell Python's numbers from NumPy's, or ints from floats.

        By their types, or by the errors that only some of them raise.
        """
        return self.unknown or any(
            tells_numbers_apart(code.code, scope) for code, scope in self.codes
        )

    def tells_arrays_apart(self) -> bool:
        """Whether any code may tell a number from an array without axes; in doubt, yes.

        By their types or attributes, by a hash, or by the errors that only one of them raises.
        """
        return self.unknown or any(
            tells_numbers_apart(code.code, scope) or tells_arrays_apart(code.code, scope)
            for code, scope in self.codes
        )

    def tells_objects_apart(self) -> bool:
        """Whether any code may tell an object from an equal one, by identity; in doubt, yes."""
        return self.unknown or any(
            tells_objects_apart(one, scope)
            for code, scope in self.codes
            for one in nested(code.code)
        )

    def reads_frames(self) -> bool:
        """Whether code may read variables of its callers: no other frames may stand there.

        Modules of Python's own do so to show them, in tracebacks.
        """
        return any(
            not _FRAMES.isdisjoint(one.co_names)
            for code, scope in self.codes
            if str(scope.get("__name__")).partition(".")[0] not in sys.stdlib_module_names
            for one in nested(code.code)
        )

    def raises(self) -> bool:
        """Whether any code raises an error of its own; in doubt, yes."""
        return self.unknown or any(
            step.opname == "RAISE_VARARGS"
            for code, _ in self.codes
            if not code.foreign
            for one in nested(code.code)
            for step in instructions(one)
        )

    def all_functions(self) -> list[types.FunctionType]:
        """The user's functions that were there; none where others may be called, too."""
        return [] if self.unknown else self.functions

    def by_names(self) -> dict[str, list[tuple[types.CodeType, dict[str, Any]]]]:
        """The user's functions, also those that functions make, by their names."""
        result: dict[str, list[tuple[types.CodeType, dict[str, Any]]]] = {}
        for code, scope in self.codes:
            if not code.foreign:
                for one in nested(code.code):
                    result.setdefault(one.co_name, []).append((one, scope))
        return result

    def compares_truths(self) -> bool:
        """Whether any code may compare with True or False by identity; in doubt, yes."""
        return self.unknown or self.names_truths


_FRAMES = frozenset("f_locals getargvalues".split())


def reached(roots: Iterable[Any], *, most: int = _MOST_OBJECTS) -> Reached:
    """Everything that can be reached from some objects, the nearest first.

    Parameters
    ----------
    roots : iterable
    most : int
        So many objects are looked at; where there are more, functions are `unknown`.

    Examples
    --------
    >>> model = {"calls": [1, 2]}
    >>> reached([model.get]).lists
    [[1, 2]]
    """
    walk = Walk(most)
    walk.push(list(roots), opaque=False)
    walk.run()
    return walk.found


_GENERATORS = (np.random.Generator, np.random.RandomState)  # of which the names are exchanged


def _is_exchanged(cls: type) -> bool:
    """Whether each run is given another one in place of such an object."""
    return cls in _GENERATORS or kind_of(cls).visit in ("caches", "iterators")


WATCHED: set[int] = set()
"""The ids of functions of NumPy's that must not be called by another name unseen.

`sparsetrace.capture` names them.
"""
ARRAY_METHODS: set[str] = set()
"""The methods of ordinary arrays, by name, that must not either once they are bound to one."""


def is_watched(item: Any) -> bool:
    """Whether an object is such a function, or such a method bound to an array.

    Examples
    --------
    >>> is_watched(np.ones(2).dot), is_watched(np.ones(2).tolist)
    (True, False)
    """
    if id(item) in WATCHED:
        return True
    bound = type(item) is types.BuiltinFunctionType and isinstance(item.__self__, np.ndarray)
    return bound and item.__name__ in ARRAY_METHODS


def _is_library_scope(container: Any) -> bool:
    """Whether a dictionary holds the names of a library's module, which are not the function's."""
    name = dict.get(container, "__name__")
    module = sys.modules.get(name) if type(name) is str else None
    return (
        type(module) is types.ModuleType
        and vars(module) is container
        and is_foreign(name, _file_of(container))
    )


class Walk:
    """One walk; `todo` holds what is to be looked at, and whether a library holds it."""

    def __init__(self, most: int = _MOST_OBJECTS) -> None:
        self.found, self.most = Reached(), most
        self.todo: collections.deque[tuple[Any, bool]] = collections.deque()
        self.seen: set[Any] = set()
        self.modules: dict[int, dict[str, Any]] = {}
        """The names of the user's modules that code gets at, by their ids."""
        self.finds_attributes = False
        """Whether code reads attributes by names that it computes, also of modules."""

    def push(self, items: Any, *, opaque: bool) -> None:
        todo, seen, atoms = self.todo, self.seen, ATOMS
        if len(items) > 16 and atoms.issuperset(map(type, items)):
            return
        for item in items:
            if type(item) not in atoms and id(item) not in seen:
                todo.append((item, opaque))

    def run(self) -> None:
        """Look at everything, and at all that modules hold where attributes are found by text."""
        self._run()
        opened: set[int] = set()
        while self.finds_attributes and not self.found.unknown and len(opened) < len(self.modules):
            if len(self.modules) > _MOST_MODULES:
                self.found.unknown = True
            for key in self.modules.keys() - opened:
                opened.add(key)
                for value in self.modules[key].values():
                    if type(value) is not types.ModuleType:
                        self.push((value,), opaque=False)
                    else:
                        self._note_module(value)
            self._run()

    def _note_module(self, module: Any) -> None:
        scope = object.__getattribute__(module, "__dict__")
        if not is_foreign(scope.get("__name__"), _file_of(scope)):
            self.modules[id(scope)] = scope

    def _run(self) -> None:
        todo, seen = self.todo, self.seen
        while todo:
            item, opaque = todo.popleft()
            key: Any = id(item)
            if key in seen:
                continue
            cls = type(item)
            dtype = LASTING_KINDS.get(cls) or kind_of(cls)
            if opaque and (dtype.foreign or dtype.visit not in _THE_SAME_WHOEVER_HOLDS_IT):
                key = key, True
                if key in seen:
                    continue
            seen.add(key)
            if len(seen) > self.most:
                self.found.unknown = True
                return
            try:
                getattr(self, dtype.visit)(item, dtype, opaque)
            except (AttributeError, LookupError, RuntimeError, TypeError, ValueError):
                # another thread changes it, or compiled code pretends to be something else
                self.found.unknown = True

    # ---------------------------------------------------------------- code
    def function(self, item: Any, kind: Kind, opaque: bool) -> None:
        if id(item) in WATCHED:
            self.found.watched.append(item)
        scope = item.__globals__
        info = code_of(item.__code__, scope)
        foreign = info.foreign
        closure, defaults, by_name = item.__closure__, item.__defaults__, item.__kwdefaults__
        if closure:
            for cell in closure:
                if id(cell) not in self.seen:
                    self.cell(cell, kind, foreign)
        if defaults:
            self.push(defaults, opaque=foreign)
        if by_name:
            self.push(list(by_name.values()), opaque=foreign)
            watched = [key for key, value in by_name.items() if is_watched(value)]
            self.found.names.extend((by_name, key) for key in watched)
        attributes = item.__dict__
        if attributes:
            self.push(list(attributes.values()), opaque=foreign)
        if foreign:
            return
        result = self.found
        if defaults and any(map(is_watched, defaults)):
            result.defaults.append(item)
        result.dicts.append(attributes)
        result.codes.append((info, scope))
        result.functions.append(item)
        result.changes_functions |= info.changes_functions
        result.multiplies |= info.multiplies
        result.names_truths |= info.compares_truths
        todo, seen, atoms = self.todo, self.seen, ATOMS
        for name in [name for name in info.names if name in scope]:
            value = scope.get(name)
            cls = type(value)
            if cls in atoms:
                continue
            if cls is types.ModuleType:
                self.named(value, info)
            elif id(value) not in seen:
                todo.append((value, False))
            if _is_exchanged(cls) or is_watched(value):
                result.names.append((scope, name))
        for name in info.global_stores:
            result.names.append((scope, name))
        for module in imported_by(info, scope) if info.imports else ():
            if module is not None:
                self.named(module, info)
            else:
                result.unknown = True
        self.finds_attributes = self.finds_attributes or info.finds_attributes
        if info.doubtful:
            result.unknown = True
            for name in info.modules:
                module = sys.modules.get(name)
                if module is not None and not is_foreign(name):
                    self.module(module, kind, False)
        if info.writes_globals or (info.writes_attributes and "modules" in info.names):
            self.whole(scope)

    def whole(self, scope: dict[str, Any]) -> None:
        """Note a module's globals, all of them, and what they hold."""
        if ("scope", id(scope)) not in self.seen:
            self.seen.add(("scope", id(scope)))
            self.found.scopes.append(scope)
            values = [x for x in scope.values() if type(x) is not types.ModuleType]
            self.push(values, opaque=False)

    def named(self, module: object, info: Code) -> None:
        """Look at the attributes of a module that code names."""
        key = id(module), id(info)
        if key in self.seen:
            return
        self.seen.add(key)
        scope = object.__getattribute__(module, "__dict__")
        name = scope.get("__name__")
        if is_foreign(name, _file_of(scope)):
            if name in ("random", "numpy.random"):
                self.global_random(name)
            elif name == "numpy" and "random" in info.names:
                self.global_random("numpy.random")
            return
        self.modules[id(scope)] = scope
        for wanted in info.names:
            value = scope.get(wanted, _ABSENT)
            if value is _ABSENT:
                continue
            if type(value) is types.ModuleType:
                self.named(value, info)
                continue
            self.push((value,), opaque=False)
            if _is_exchanged(type(value)) or is_watched(value):
                self.found.names.append((scope, wanted))
        for wanted in info.attribute_stores:
            self.found.names.append((scope, wanted))
        if info.doubtful or info.writes_attributes:
            self.whole(scope)

    def global_random(self, module: str) -> None:
        """Note the generator behind the functions of a module."""
        if module == "random":
            self.push((random._inst,), opaque=False)
        else:
            legacy = sys.modules.get("numpy.random.mtrand")
            self.push((getattr(legacy, "_rand", None),), opaque=False)

    def module(self, item: object, kind: Kind, opaque: bool) -> None:
        scope = object.__getattribute__(item, "__dict__")
        name = scope.get("__name__")
        if is_foreign(name, _file_of(scope)):
            if name in ("random", "numpy.random"):
                self.global_random(name)
        elif not opaque:  # an object holds it: any of its names may be used
            self.whole(scope)
            if type(item) is not types.ModuleType:  # whose attributes may be its class's, too
                self.push((type(item),), opaque=False)

    def builtin(self, item: Any, kind: Kind, opaque: bool) -> None:
        if is_watched(item):
            self.found.watched.append(item)
        if type(item.__self__) is not types.ModuleType:
            self.push((item.__self__,), opaque=opaque)

    def partial(self, item: Any, kind: Kind, opaque: bool) -> None:
        if is_watched(item.func):
            self.found.partials.append(item)
        self.push((item.func, *item.args, item.keywords), opaque=opaque)
        self.push(list(item.__dict__.values()), opaque=opaque)

    def memory(self, item: Any, kind: Kind, opaque: bool) -> None:
        self.push((item.obj,), opaque=opaque)

    def reference(self, item: Any, kind: Kind, opaque: bool) -> None:
        self.push((weakref.ref.__call__(item),), opaque=opaque)

    def variable(self, item: Any, kind: Kind, opaque: bool) -> None:
        """What a context variable holds here; what is set in a run is gone after it."""
        self.push((item.get(None),), opaque=opaque)

    def proxy(self, item: object, kind: Kind, opaque: bool) -> None:
        self.found.unknown = True  # asking it for anything asks the object behind it

    def caches(self, item: Any, kind: Kind, opaque: bool) -> None:
        wrapped = item.__dict__.get("__wrapped__")
        scope = wrapped.__globals__ if type(wrapped) is types.FunctionType else {}
        if not is_foreign(scope.get("__name__")):
            self.found.caches.append(item)
            self.push(kept_results(item), opaque=opaque)
        self.push(list(item.__dict__.values()), opaque=opaque)

    def iterators(self, item: object, kind: Kind, opaque: bool) -> None:
        if not opaque:
            self.found.iterators.append(item)
        self.push(gc.get_referents(item), opaque=opaque)

    # ------------------------------------------------------------- classes, objects
    def nothing(self, item: object, kind: Kind, opaque: bool) -> None:
        pass

    def opaque(self, item: object, kind: Kind, opaque: bool) -> None:
        """Of compiled code: what it holds is its own affair, but for the functions there."""
        referents = gc.get_referents(item)
        if type(item) in _TRANSPARENT:
            self.push(referents, opaque=opaque)
        else:
            self.push([x for x in referents if type(x) is not types.ModuleType], opaque=True)

    def class_(self, item: object, kind: Kind, opaque: bool) -> None:
        """Note a class and those that it derives from, the user's own."""
        for base in MRO(item):
            key = "class", id(base)
            if not kind_of(base).own or key in self.seen:
                continue
            self.seen.add(key)
            self.found.classes.append(base)
            self.push(list(CLASS_DICT(base).values()), opaque=False)
        if type(item) is not type:
            self.push((type(item),), opaque=False)

    def instance(self, item: object, kind: Kind, opaque: bool) -> None:
        """An object of a class written in Python; one of a library's holds no state of ours."""
        foreign = kind.foreign
        if foreign and id(item) in WATCHED:
            self.found.watched.append(item)
        if foreign and opaque:
            return  # a library's within a library's
        if not foreign:
            self.push((type(item),), opaque=False)
        if kind.has_dict:
            attributes = dict_of(item)
            if not foreign and id(attributes) not in self.seen:
                self.seen.add(id(attributes))
                self.found.dicts.append(attributes)
                self.found.objects.append((item, type(item), attributes))
            elif foreign:
                watched = [key for key, value in attributes.items() if is_watched(value)]
                self.found.names.extend((attributes, key) for key in watched)
            if attributes:
                self.push(list(dict.values(attributes)), opaque=foreign)
        if kind.slots:
            if not foreign:
                self.found.slots.append((item, kind.slots))
            self.push(list(filled_slots(item, kind.slots).values()), opaque=foreign)

    def local(self, item: Any, kind: Kind, opaque: bool) -> None:
        """What an object holds for this thread."""
        attributes = threading.local.__getattribute__(item, "__dict__")
        self.push((attributes, type(item)), opaque=opaque)

    # ------------------------------------------------------------- containers
    def _container(self, item: object, kind: Kind, opaque: bool) -> bool:
        """Note what a subclass has besides its items; whether the items are state."""
        if is_heap_type(type(item)):
            self.instance(item, kind, opaque)
        return not opaque and not kind.foreign

    def cell(self, item: Any, kind: Kind, opaque: bool) -> None:
        self.seen.add(id(item))
        if not opaque:
            self.found.cells.append(item)
        try:
            content = item.cell_contents
        except ValueError:  # not filled yet
            return
        if type(content) is types.ModuleType and not opaque:
            self.module(content, kind, True)
        self.push((content,), opaque=opaque)

    def items(self, item: Any, kind: Kind, opaque: bool) -> None:
        if is_heap_type(type(item)):
            self.instance(item, kind, opaque)
        base = tuple if tuple in MRO(type(item)) else frozenset
        self.push(list(base.__iter__(item)), opaque=opaque)

    def dicts(self, item: Any, kind: Kind, opaque: bool) -> None:
        if _is_library_scope(item):  # ``vars(module)``, or ``exec`` has put Python's names there
            return
        if self._container(item, kind, opaque):
            if dict.__contains__(item, "__builtins__"):
                self.whole(item)
            else:
                self.found.dicts.append(item)
        if collections.defaultdict in MRO(type(item)):
            self.push((_DEFAULT_FACTORY(item),), opaque=opaque)
        self.push(list(dict.values(item)), opaque=opaque)
        self.push(list(dict.keys(item)), opaque=True)

    def lists(self, item: Any, kind: Kind, opaque: bool) -> None:
        if self._container(item, kind, opaque):
            self.found.lists.append(item)
        self.push(list.copy(item), opaque=opaque)

    def sets(self, item: Any, kind: Kind, opaque: bool) -> None:
        if self._container(item, kind, opaque):
            self.found.sets.append(item)
        self.push(list(set.__iter__(item)), opaque=opaque)

    def deques(self, item: Any, kind: Kind, opaque: bool) -> None:
        if self._container(item, kind, opaque):
            self.found.deques.append(item)
        self.push(list(collections.deque.__iter__(item)), opaque=opaque)

    def bytes(self, item: object, kind: Kind, opaque: bool) -> None:
        if self._container(item, kind, opaque):
            self.found.bytes.append(item)

    def arrays(self, item: Any, kind: Kind, opaque: bool) -> None:
        if is_heap_type(type(item)):
            self.instance(item, kind, opaque)
        if not opaque and _ARRAY_FLAGS(item).writeable:
            self.found.arrays.append(item)
        if _ARRAY_DTYPE(item).kind == "O":
            self.push(list(np.ndarray.flatten(item)), opaque=opaque)

    def randoms(self, item: object, kind: Kind, opaque: bool) -> None:
        if not opaque:
            self.found.randoms.append(item)


_THE_SAME_WHOEVER_HOLDS_IT = frozenset(("function", "class_", "instance", "nothing", "caches"))
_ARRAY_FLAGS: Getter = np.ndarray.__dict__["flags"].__get__
_ARRAY_DTYPE: Getter = np.ndarray.__dict__["dtype"].__get__
_DEFAULT_FACTORY: Getter = collections.defaultdict.__dict__["default_factory"].__get__
_TRANSPARENT = frozenset(
    (
        *(types.MethodType, staticmethod, classmethod, property, types.MappingProxyType),
        *(type({}.keys()), type({}.values()), type({}.items())),
    )
)
"""What stands between a name and what is behind it, and holds nothing of its own."""


def dict_of(item: object) -> dict[str, Any]:
    """The dict that holds an object's attributes."""
    attributes = object.__getattribute__(item, "__dict__")
    if not issubclass(type(attributes), dict):
        raise TypeError(f"a {type(attributes).__name__} of attributes")
    return attributes  # type: ignore[no-any-return]


def filled_slots(item: object, slots: Iterable[str]) -> dict[str, Any]:
    """What the slots hold that are filled, by name."""
    result = {}
    for slot in slots:
        try:
            result[slot] = object.__getattribute__(item, slot)
        except AttributeError:
            continue
    return result


def slots_of(cls: type) -> tuple[str, ...]:
    """The slots of a class and of those that it derives from."""
    return kind_of(cls).slots


def imported_by(code: Code, scope: dict[str, Any]) -> Iterator[types.ModuleType | None]:
    """The modules that code imports where it runs; None for one that is to be loaded yet."""
    for statement in code.imports:
        module = statement.module(scope)
        if module is not None:
            yield module
        if not is_foreign(statement.full_name(scope)) and statement.loads(scope):
            yield None


def _file_of(scope: dict[str, Any]) -> str:
    result = scope.get("__file__")
    return result if isinstance(result, str) else ""
