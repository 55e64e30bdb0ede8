"""What a function can reach: its globals, cells, defaults, objects, and what those hold.

Contract: one walk finds both where state is kept (`sparsetrace.tracing.state`) and which
code may run (`sparsetrace.capture.swallowed_errors`).  It runs no code of the user's:
attributes are read from ``__dict__`` and slots, never by ``getattr``, and anything unknown
is asked for its referents.  What belongs to a library is passed through, for the functions
it holds, and never noted as state.  Breadth first, so that what is near is found where
there is too much to look at.
"""

from __future__ import annotations

import array
import collections
import contextvars
import dis
import functools
import gc
import itertools
import opcode
import random
import sys
import threading
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparsetrace.user_code.handlers import CodeMap, code_map
from sparsetrace.user_code.identity_tests import tells_objects_apart

__all__ = [
    "ARRAY_METHODS",
    "CACHES",
    "ITERATORS",
    "OWN",
    "WATCHED",
    "Code",
    "Reached",
    "Walk",
    "dict_of",
    "filled_slots",
    "imported_by",
    "is_foreign",
    "is_watched",
    "reached",
    "slots_of",
]

_MOST_OBJECTS = 100_000
OWN = ("numpy", "scipy", "sparsetrace")
_WIDESPREAD = frozenset(
    "IPython PIL _pytest bokeh jax jinja2 markupsafe matplotlib networkx numba packaging pandas "
    "panel plotly pluggy pytest sympy tensorflow torch tornado xarray yaml".split()
)
"""Libraries whose modules are neither searched nor put back."""
_PLAIN_DATA = frozenset(
    "_weakrefset argparse array builtins collections functools networkx types weakref".split()
)
"""Libraries whose objects hold what their users put there."""
_ABSENT = object()

CACHES = (functools._lru_cache_wrapper,)
ITERATORS: tuple[type, ...] = (
    *map(type, map(iter, ([], (), "", range(0), {}, b"", set(), bytearray()))),
    *(
        type(iter({}.items())),
        type(iter({}.values())),
        type(reversed([])),
        type(iter(range(2**70))),
    ),
    *(itertools.count, itertools.cycle, itertools.repeat, itertools.chain, itertools.islice),
    *(itertools.accumulate, itertools.product, itertools.permutations, itertools.combinations),
    *(itertools.combinations_with_replacement, itertools.compress, itertools.dropwhile),
    *(itertools.filterfalse, itertools.groupby, itertools.pairwise, itertools.starmap),
    *(itertools.takewhile, itertools.zip_longest),
    *(
        enumerate,
        zip,
        map,
        filter,
        type(itertools.tee(())[0]),
        types.GeneratorType,
        np.flatiter,
        np.nditer,
    ),
)
"""Those that can be copied, unless they draw from what cannot."""

_DOUBTFUL = frozenset(
    "getattr globals locals vars exec eval compile __import__ import_module attrgetter "
    "__subclasses__ __dict__ __builtins__ modules entry_points suppress".split()
)
"""Names by which code reaches functions, or swallows errors, unseen."""
_IMPORTS = frozenset(("import_module", "__import__", "modules"))
_WRITES_GLOBALS = frozenset(("globals", "exec"))
_ASKS_DTYPES = frozenset(
    "can_cast common_type dtype isdtype issubdtype itemsize min_scalar_type nbytes "
    "result_type".split()
)
_OF_FUNCTIONS = frozenset(("__bases__", "__code__", "__defaults__", "__kwdefaults__"))
_WRITES_ATTRIBUTES = frozenset(("setattr", "delattr", "vars", "__dict__"))


def is_foreign(module: object, filename: str = "") -> bool:
    """Whether a module is a library's: of Python, NumPy, SciPy, or a widespread one."""
    package = module.partition(".")[0] if isinstance(module, str) else ""
    if package == "__main__":
        return False
    if package in OWN or package in sys.stdlib_module_names:
        return True
    return package in _WIDESPREAD and (not filename or "site-packages" in filename)


# --------------------------------------------------------------------------- code
@dataclass(slots=True, eq=False)
class Code:
    """What is the same whenever a piece of code is looked at, nested functions included."""

    code: types.CodeType
    foreign: bool
    names: tuple[str, ...]
    imports: tuple[str, ...]
    global_stores: tuple[str, ...]
    attribute_stores: tuple[str, ...]
    modules: tuple[str, ...]
    """Modules that may be imported by their names, as text."""
    doubtful: bool
    """Whether it may call functions that it does not name."""
    writes_globals: bool
    writes_attributes: bool
    """Whether it may write names that it does not store by an instruction."""
    asks_dtypes: bool
    """Whether it may ask an array for its dtype."""
    compares_truths: bool
    """Whether it compares with True or False by identity, as ``case True`` does."""
    multiplies: bool
    """Whether it may call the method ``dot`` of an array, and not just ``np.dot``."""
    handlers: Any = None
    """What `sparsetrace.capture.swallowed_errors` found out about its exception handlers."""


_CODES: dict[int, Code] = {}
_MOST_CODES = 32_768
_IMPORT = frozenset((opcode.opmap["IMPORT_NAME"],))
_STORE_GLOBAL = frozenset((opcode.opmap["STORE_GLOBAL"], opcode.opmap["DELETE_GLOBAL"]))
_STORE_ATTR = frozenset((opcode.opmap["STORE_ATTR"], opcode.opmap["DELETE_ATTR"]))
_IS = opcode.opmap["IS_OP"]
_EXTENDED_ARG = opcode.opmap["EXTENDED_ARG"]


def _code(code: types.CodeType, scope: dict[str, Any]) -> Code:
    known = _CODES.get(id(code))  # by identity: code objects compare their bytes
    if known is None or known.code is not code:
        if len(_CODES) >= _MOST_CODES:
            _CODES.clear()
        known = _CODES[id(code)] = _read(code, scope)
    return known


def _read(code: types.CodeType, scope: dict[str, Any]) -> Code:
    codes = list(_nested(code))
    names = frozenset(name for one in codes for name in one.co_names)
    written = [(one, one.co_code) for one in codes]  # which is made whenever it is asked for
    present = frozenset().union(*(operations[::2] for _, operations in written))

    def operands(of: frozenset[int]) -> tuple[str, ...]:
        if of.isdisjoint(present):
            return ()
        return tuple(dict.fromkeys(name for one in written for name in _operands(*one, of)))

    return Code(
        code,
        is_foreign(scope.get("__name__"), code.co_filename),
        tuple(sorted(names)),
        operands(_IMPORT),
        operands(_STORE_GLOBAL),
        operands(_STORE_ATTR),
        tuple(_texts(codes)) if not names.isdisjoint(_IMPORTS) else (),
        not names.isdisjoint(_DOUBTFUL),
        not names.isdisjoint(_WRITES_GLOBALS),
        not names.isdisjoint(_WRITES_ATTRIBUTES),
        not names.isdisjoint(_ASKS_DTYPES),
        _IS in present and any(map(_compares_truths, codes)),
        "dot" in names and any(_multiplies(one, scope) for one in codes),
    )


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)


def _compares_truths(code: types.CodeType) -> bool:
    if _IS not in code.co_code[::2] or not any(isinstance(x, bool) for x in code.co_consts):
        return False
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    return any(
        after.opcode == _IS and before.opname == "LOAD_CONST" and isinstance(before.argval, bool)
        for before, after in itertools.pairwise(steps)
    )


def _multiplies(code: types.CodeType, scope: dict[str, Any]) -> bool:
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    return any(
        step.argval == "dot"
        and step.opname in ("LOAD_ATTR", "LOAD_METHOD")
        and type(scope.get(str(before.argval))) is not types.ModuleType
        for before, step in itertools.pairwise(steps)
    )


def _texts(codes: list[types.CodeType]) -> Iterator[str]:
    for code in codes:
        yield from (text for text in code.co_consts if isinstance(text, str))


def _operands(code: types.CodeType, operations: bytes, of: frozenset[int]) -> Iterator[str]:
    """The names that instructions of these kinds work on."""
    if of.isdisjoint(operations[::2]):
        return
    argument = 0
    for operation, low in zip(operations[::2], operations[1::2], strict=True):
        argument = argument << 8 | low
        if operation in of:
            yield code.co_names[argument]
        if operation != _EXTENDED_ARG:
            argument = 0


# -------------------------------------------------------------------------- kinds
_Getter = Callable[[Any], Any]
_CLASS_DICT: _Getter = type.__dict__["__dict__"].__get__
_FLAGS: _Getter = type.__dict__["__flags__"].__get__
_MODULE: _Getter = type.__dict__["__module__"].__get__
_NAME: _Getter = type.__dict__["__name__"].__get__
_MRO: _Getter = type.__dict__["__mro__"].__get__
_HEAP_TYPE = 1 << 9


@dataclass(slots=True)
class _Kind:
    """How objects of one type are looked at; refers to nothing that keeps the type alive."""

    visit: str
    foreign: bool
    has_dict: bool
    slots: tuple[str, ...]
    own: bool
    """Whether it is a class of the user's, whose attributes are state."""


_ATOMS: set[type] = {
    *(type(None), bool, int, float, complex, str, bytes, range, slice, type(...), np.ufunc),
    *(type(NotImplemented), types.CodeType, types.FrameType, types.TracebackType),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType),
    *(types.MethodDescriptorType, types.ClassMethodDescriptorType, type(np.dtype(float))),
    *(
        kind
        for kind in vars(np).values()
        if isinstance(kind, type) and issubclass(kind, np.generic)
    ),
}
_HELD_BY_SYSTEM = frozenset(
    "_io _thread _socket _ssl _ctypes _contextvars _asyncio _queue _sqlite3 "
    "threading logging queue asyncio concurrent multiprocessing socket select subprocess io".split()
)
"""Modules whose objects stand for something outside of Python's data: locks, files, queues."""

_CONTAINERS: tuple[tuple[type, str], ...] = (
    (dict, "dicts"),
    (list, "lists"),
    (set, "sets"),
    (collections.deque, "deques"),
    (np.ndarray, "arrays"),
    (bytearray, "bytes"),
    (array.array, "bytes"),
    (random.Random, "randoms"),
    (tuple, "items"),
    (frozenset, "items"),
    (types.ModuleType, "module"),
)
_BY_EXACT_TYPE: dict[type, str] = {
    types.FunctionType: "function",
    types.BuiltinFunctionType: "builtin",
    types.ModuleType: "module",
    types.CellType: "cell",
    contextvars.ContextVar: "variable",
    weakref.ProxyType: "proxy",
    weakref.CallableProxyType: "proxy",
    functools.partial: "partial",
    memoryview: "memory",
    tuple: "items",
    frozenset: "items",
    **dict.fromkeys(CACHES, "caches"),
    **dict.fromkeys(ITERATORS, "iterators"),
}
_KINDS: weakref.WeakKeyDictionary[type, _Kind] = weakref.WeakKeyDictionary()
_LASTING_KINDS: dict[type, _Kind] = {}
"""The same for types that never go away."""


def _is_heap_type(cls: type) -> bool:
    return bool(_FLAGS(cls) & _HEAP_TYPE)


def _package(cls: type) -> str:
    module = _MODULE(cls)
    return module.partition(".")[0] if isinstance(module, str) else ""


def _is_library_class(cls: type) -> bool:
    package = _package(cls)
    return is_foreign(package) and not (package == "builtins" and _is_heap_type(cls))


def _kind(cls: type) -> _Kind:
    known = _LASTING_KINDS.get(cls) or _KINDS.get(cls)
    if known is None:
        known = _new_kind(cls)
        if _is_heap_type(cls):
            _KINDS[cls] = known
        else:
            _LASTING_KINDS[cls] = known
    return known


def _new_kind(cls: type) -> _Kind:
    package, mro = _package(cls), _MRO(cls)
    foreign = _is_library_class(cls) and package not in _PLAIN_DATA
    if np.ndarray in mro or _is_sparse(mro):
        foreign = False  # whoever made the class, the numbers are the user's
    slots: tuple[str, ...] = ()
    if any(
        _is_heap_type(base) and _MEMBER in map(type, _CLASS_DICT(base).values()) for base in mro
    ):
        attributes: dict[str, Any] = {}  # as they are looked up
        for base in reversed(mro):
            attributes.update(_CLASS_DICT(base))
        slots = tuple(
            name
            for name, value in attributes.items()
            if type(value) is _MEMBER and name != "__dict__" and _is_heap_type(value.__objclass__)
        )
    held = next(
        (_CLASS_DICT(base)["__dict__"] for base in mro if "__dict__" in _CLASS_DICT(base)), None
    )
    has_dict = type(held) in _DESCRIPTORS
    visit = _visit_of(cls, package, mro, has_dict or bool(slots))
    own = _is_heap_type(cls) and not _is_library_class(cls)
    return _Kind(visit, foreign, has_dict, slots, own)


_MEMBER = types.MemberDescriptorType
_DESCRIPTORS = (types.GetSetDescriptorType, _MEMBER)


def _visit_of(cls: type, package: str, mro: tuple[type, ...], has_attributes: bool) -> str:
    """The name of the method of `Walk` that looks at objects of a type."""
    if type in mro:
        return "class_"
    if threading.local in mro:
        return "local"
    if cls in _BY_EXACT_TYPE:
        return _BY_EXACT_TYPE[cls]
    if package == "sparsetrace" or package in _HELD_BY_SYSTEM or cls is np.memmap:
        return "nothing"
    if weakref.ref in mro:
        return "reference"
    if package == "numpy" and any(base.__name__ in _NUMPY_RANDOM for base in mro):
        return "randoms"
    if _is_foreign_iterator(mro):
        return "iterators"
    for base, name in _CONTAINERS:
        if base in mro:
            return name
    if not _is_heap_type(cls) and package == "builtins":
        return "opaque"
    return "instance" if has_attributes else "opaque"


def _is_sparse(mro: tuple[type, ...]) -> bool:
    """Whether it is a class of scipy.sparse, whose objects keep their numbers in arrays."""
    return any(_NAME(base) == "_spbase" and _package(base) == "scipy" for base in mro)


def _is_foreign_iterator(mro: tuple[type, ...]) -> bool:
    """Whether objects hold a place that moves on, where nothing of the user's can be put back."""
    step = next(
        (_CLASS_DICT(base)["__next__"] for base in mro if "__next__" in _CLASS_DICT(base)), None
    )
    if step is None:
        return False
    return type(step) is not types.FunctionType or is_foreign(step.__module__)


_NUMPY_RANDOM = frozenset(("BitGenerator", "Generator", "RandomState"))


# -------------------------------------------------------------------------- walk
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

    def changes_functions(self) -> bool:
        """Whether any code may give functions other defaults or code, or classes other bases."""
        return any(
            code.writes_attributes or not _OF_FUNCTIONS.isdisjoint(code.names)
            for code, _ in self.codes
        )

    def asks_dtypes(self) -> bool:
        """Whether any code may ask for a dtype; not in doubt."""
        return any(code.asks_dtypes for code, _ in self.codes)

    def multiplies(self) -> bool:
        """Whether any code calls the method ``dot`` of an array by name."""
        return any(code.multiplies for code, _ in self.codes)

    def tells_numbers_apart(self) -> bool:
        """Whether any code may tell Python's numbers from NumPy's, or ints from floats.

        By their types, or by the errors that only some of them raise.
        """
        return self.unknown or any(_tells_apart(code.code, scope) for code, scope in self.codes)

    def tells_arrays_apart(self) -> bool:
        """Whether any code may tell a number from an array without axes; in doubt, yes.

        By their types or attributes, by a hash, or by the errors that only one of them raises.
        """
        return self.unknown or any(
            _tells_apart(code.code, scope) or _tells_arrays_apart(code.code, scope)
            for code, scope in self.codes
        )

    def tells_objects_apart(self) -> bool:
        """Whether any code may tell an object from an equal one, by identity; in doubt, yes."""
        return self.unknown or any(
            tells_objects_apart(one, scope)
            for code, scope in self.codes
            for one in _nested(code.code)
        )

    def reads_frames(self) -> bool:
        """Whether code may read variables of its callers: no other frames may stand there.

        Modules of Python's own do so to show them, in tracebacks.
        """
        return any(
            not _FRAMES.isdisjoint(one.co_names)
            for code, scope in self.codes
            if str(scope.get("__name__")).partition(".")[0] not in sys.stdlib_module_names
            for one in _nested(code.code)
        )

    def by_names(self) -> dict[str, list[tuple[types.CodeType, dict[str, Any]]]]:
        """The user's functions, also those that functions make, by their names."""
        result: dict[str, list[tuple[types.CodeType, dict[str, Any]]]] = {}
        for code, scope in self.codes:
            if not code.foreign:
                for one in _nested(code.code):
                    result.setdefault(one.co_name, []).append((one, scope))
        return result

    def compares_truths(self) -> bool:
        """Whether any code may compare with True or False by identity; in doubt, yes."""
        return self.unknown or any(code.compares_truths for code, _ in self.codes)


_FRAMES = frozenset("f_locals getargvalues".split())
_TYPES = frozenset("type __class__ singledispatch".split())
_ATTRIBUTE_TESTS = frozenset("hasattr getattr".split())
_OF_NUMPY_ALONE = frozenset(dir(np.float64)).symmetric_difference(dir(float))
_TYPE_TESTS = frozenset("isinstance issubclass".split())
_WHOLE_TYPES = frozenset("int Integral Rational integer signedinteger generic".split())


def _tells_apart(code: types.CodeType, scope: dict[str, Any]) -> bool:
    for one in _nested(code):
        names = frozenset(one.co_names)
        if not _TYPES.isdisjoint(names):
            return True
        if not _TYPE_TESTS.isdisjoint(names) and not _WHOLE_TYPES.isdisjoint(names):
            return True
        if not _ATTRIBUTE_TESTS.isdisjoint(names) and not _OF_NUMPY_ALONE.isdisjoint(
            x for x in one.co_consts if isinstance(x, str)
        ):
            return True
        if one.co_exceptiontable and _catches(code_map(one), scope):
            return True
    return False


_OF_ONE_TYPE_OF_NUMBERS = (ZeroDivisionError, OverflowError, AttributeError, UnboundLocalError)
"""Errors that numbers of one type, or no number, raise alone."""
_ARRAY_TYPES = _WHOLE_TYPES | frozenset(
    """
    Complex Hashable Iterable Number Real Sized Sequence complex complexfloating float float64
    floating inexact isscalar ndarray number
    """.split()
)
_OF_ONE_KIND = frozenset(dir(np.float64)).symmetric_difference(dir(np.ndarray))


def _tells_arrays_apart(code: types.CodeType, scope: dict[str, Any]) -> bool:
    for one in _nested(code):
        names = frozenset(one.co_names)
        if "isscalar" in names or (
            not _TYPE_TESTS.isdisjoint(names) and not _ARRAY_TYPES.isdisjoint(names)
        ):
            return True
        if not _ATTRIBUTE_TESTS.isdisjoint(names) and not _OF_ONE_KIND.isdisjoint(
            x for x in one.co_consts if isinstance(x, str)
        ):
            return True
        if one.co_exceptiontable and _catches(code_map(one), scope, (TypeError,)):
            return True
    return False


def _catches(
    known: CodeMap, scope: dict[str, Any], errors: Iterable[Any] = _OF_ONE_TYPE_OF_NUMBERS
) -> bool:
    """Whether a handler may be for an error that only some values raise."""
    return any(known.outcome(start, error, scope)[0] for start in known.starts for error in errors)


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


def _is_exchanged(cls: type) -> bool:
    """Whether each run is given another one in place of such an object."""
    return cls is np.random.Generator or _kind(cls).visit in ("caches", "iterators")


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

    def push(self, items: Any, *, opaque: bool) -> None:
        todo, seen, atoms = self.todo, self.seen, _ATOMS
        if len(items) > 16 and atoms.issuperset(map(type, items)):
            return
        for item in items:
            if type(item) not in atoms and id(item) not in seen:
                todo.append((item, opaque))

    def run(self) -> None:
        todo, seen = self.todo, self.seen
        while todo:
            item, opaque = todo.popleft()
            key: Any = id(item)
            if key in seen:
                continue
            cls = type(item)
            dtype = _LASTING_KINDS.get(cls) or _kind(cls)
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
    def function(self, item: Any, kind: _Kind, opaque: bool) -> None:
        if id(item) in WATCHED:
            self.found.watched.append(item)
        scope = item.__globals__
        info = _code(item.__code__, scope)
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
        todo, seen, atoms = self.todo, self.seen, _ATOMS
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
        for module in imported_by(info, scope):
            if module is not None:
                self.named(module, info)
            else:
                result.unknown = True
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

    def module(self, item: object, kind: _Kind, opaque: bool) -> None:
        scope = object.__getattribute__(item, "__dict__")
        name = scope.get("__name__")
        if is_foreign(name, _file_of(scope)):
            if name in ("random", "numpy.random"):
                self.global_random(name)
        elif not opaque:  # an object holds it: any of its names may be used
            self.whole(scope)

    def builtin(self, item: Any, kind: _Kind, opaque: bool) -> None:
        if is_watched(item):
            self.found.watched.append(item)
        if type(item.__self__) is not types.ModuleType:
            self.push((item.__self__,), opaque=opaque)

    def partial(self, item: Any, kind: _Kind, opaque: bool) -> None:
        if is_watched(item.func):
            self.found.partials.append(item)
        self.push((item.func, *item.args, item.keywords), opaque=opaque)
        self.push(list(item.__dict__.values()), opaque=opaque)

    def memory(self, item: Any, kind: _Kind, opaque: bool) -> None:
        self.push((item.obj,), opaque=opaque)

    def reference(self, item: Any, kind: _Kind, opaque: bool) -> None:
        self.push((weakref.ref.__call__(item),), opaque=opaque)

    def variable(self, item: Any, kind: _Kind, opaque: bool) -> None:
        """What a context variable holds here; what is set in a run is gone after it."""
        self.push((item.get(None),), opaque=opaque)

    def proxy(self, item: object, kind: _Kind, opaque: bool) -> None:
        self.found.unknown = True  # asking it for anything asks the object behind it

    def caches(self, item: object, kind: _Kind, opaque: bool) -> None:
        wrapped = item.__dict__.get("__wrapped__")
        scope = wrapped.__globals__ if type(wrapped) is types.FunctionType else {}
        if not is_foreign(scope.get("__name__")):
            self.found.caches.append(item)
        self.push(list(item.__dict__.values()), opaque=opaque)

    def iterators(self, item: object, kind: _Kind, opaque: bool) -> None:
        if not opaque:
            self.found.iterators.append(item)
        self.push(gc.get_referents(item), opaque=opaque)

    # ------------------------------------------------------------- classes, objects
    def nothing(self, item: object, kind: _Kind, opaque: bool) -> None:
        pass

    def opaque(self, item: object, kind: _Kind, opaque: bool) -> None:
        """Of compiled code: what it holds is its own affair, but for the functions there."""
        referents = gc.get_referents(item)
        if type(item) in _TRANSPARENT:
            self.push(referents, opaque=opaque)
        else:
            self.push([x for x in referents if type(x) is not types.ModuleType], opaque=True)

    def class_(self, item: object, kind: _Kind, opaque: bool) -> None:
        """Note a class and those that it derives from, the user's own."""
        for base in _MRO(item):
            key = "class", id(base)
            if not _kind(base).own or key in self.seen:
                continue
            self.seen.add(key)
            self.found.classes.append(base)
            self.push(list(_CLASS_DICT(base).values()), opaque=False)
        if type(item) is not type:
            self.push((type(item),), opaque=False)

    def instance(self, item: object, kind: _Kind, opaque: bool) -> None:
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

    def local(self, item: Any, kind: _Kind, opaque: bool) -> None:
        """What an object holds for this thread."""
        attributes = threading.local.__getattribute__(item, "__dict__")
        self.push((attributes, type(item)), opaque=opaque)

    # ------------------------------------------------------------- containers
    def _container(self, item: object, kind: _Kind, opaque: bool) -> bool:
        """Note what a subclass has besides its items; whether the items are state."""
        if _is_heap_type(type(item)):
            self.instance(item, kind, opaque)
        return not opaque and not kind.foreign

    def cell(self, item: Any, kind: _Kind, opaque: bool) -> None:
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

    def items(self, item: Any, kind: _Kind, opaque: bool) -> None:
        if _is_heap_type(type(item)):
            self.instance(item, kind, opaque)
        base = tuple if tuple in _MRO(type(item)) else frozenset
        self.push(list(base.__iter__(item)), opaque=opaque)

    def dicts(self, item: Any, kind: _Kind, opaque: bool) -> None:
        if _is_library_scope(item):  # ``vars(module)``, or ``exec`` has put Python's names there
            return
        if self._container(item, kind, opaque):
            if dict.__contains__(item, "__builtins__"):
                self.whole(item)
            else:
                self.found.dicts.append(item)
        if collections.defaultdict in _MRO(type(item)):
            self.push((_DEFAULT_FACTORY(item),), opaque=opaque)
        self.push(list(dict.values(item)), opaque=opaque)
        self.push(list(dict.keys(item)), opaque=True)

    def lists(self, item: Any, kind: _Kind, opaque: bool) -> None:
        if self._container(item, kind, opaque):
            self.found.lists.append(item)
        self.push(list.copy(item), opaque=opaque)

    def sets(self, item: Any, kind: _Kind, opaque: bool) -> None:
        if self._container(item, kind, opaque):
            self.found.sets.append(item)
        self.push(list(set.__iter__(item)), opaque=opaque)

    def deques(self, item: Any, kind: _Kind, opaque: bool) -> None:
        if self._container(item, kind, opaque):
            self.found.deques.append(item)
        self.push(list(collections.deque.__iter__(item)), opaque=opaque)

    def bytes(self, item: object, kind: _Kind, opaque: bool) -> None:
        if self._container(item, kind, opaque):
            self.found.bytes.append(item)

    def arrays(self, item: Any, kind: _Kind, opaque: bool) -> None:
        if _is_heap_type(type(item)):
            self.instance(item, kind, opaque)
        if not opaque and _ARRAY_FLAGS(item).writeable:
            self.found.arrays.append(item)
        if _ARRAY_DTYPE(item).kind == "O":
            self.push(list(np.ndarray.flatten(item)), opaque=opaque)

    def randoms(self, item: object, kind: _Kind, opaque: bool) -> None:
        if not opaque:
            self.found.randoms.append(item)


_THE_SAME_WHOEVER_HOLDS_IT = frozenset(("function", "class_", "instance", "nothing", "caches"))
_ARRAY_FLAGS: _Getter = np.ndarray.__dict__["flags"].__get__
_ARRAY_DTYPE: _Getter = np.ndarray.__dict__["dtype"].__get__
_DEFAULT_FACTORY: _Getter = collections.defaultdict.__dict__["default_factory"].__get__
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
    return _kind(cls).slots


def imported_by(code: Code, scope: dict[str, Any]) -> Iterator[types.ModuleType | None]:
    """The modules that code imports where it runs; None for one that is to be loaded yet."""
    for name in code.imports:
        module = sys.modules.get(name) or sys.modules.get(_relative(scope, name))
        if module is not None or not is_foreign(name):
            yield module


def _relative(scope: dict[str, Any], name: str) -> str:
    """The full name of a module that is imported from the package of the code itself."""
    return f"{scope.get('__package__')}.{name}".rstrip(".")


def _file_of(scope: dict[str, Any]) -> str:
    result = scope.get("__file__")
    return result if isinstance(result, str) else ""
