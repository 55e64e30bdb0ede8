"""Whether a call of a Python function may be made again: what bytecode says of side effects.

Contract: in doubt it has some.  A function that stores into anything but its own variables
and what it has made itself, or calls what is not known to be pure, is not run twice for one
element.  Nothing of the user's runs here.
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import getattr_static
from typing import Any

import numpy as np

from sparsetrace.user_code.bytecode import Chain, callee_at, chain_ending_at, loaded_first
from sparsetrace.user_code.handlers import instructions_of
from sparsetrace.user_code.written_arguments import (
    keywords_at,
    method_writes,
    writes_by_position,
    written_keyword,
)

__all__ = ["HANDED", "WRITES", "has_effects", "is_unchanging"]

_STORES = frozenset(
    """
    DELETE_ATTR DELETE_GLOBAL STORE_ATTR STORE_GLOBAL STORE_NAME
    """.split()
)
_ITEM_STORES = frozenset("DELETE_SUBSCR STORE_SLICE STORE_SUBSCR".split())
_ITEM_READS = frozenset("BINARY_SUBSCR BINARY_SLICE".split())
_PURE_BUILTINS = frozenset(
    """
    abs all any bool callable complex dict divmod enumerate filter float frozenset getattr hasattr
    hash int isinstance issubclass len list map max min pow range repr reversed round set slice
    sorted str sum super tuple type zip
    """.split()
)
_PURE_METHODS = frozenset(
    """
    all any argmax argmin astype clip conj conjugate copy count cumprod cumsum diagonal dot
    endswith flatten format get index is_integer item items join keys lower max mean min prod
    ravel reshape round split squeeze startswith std strip sum take tolist trace transpose upper
    values var
    """.split()
)
"""Of numbers, arrays, text, lists and dictionaries."""
_FILLING = frozenset(
    "add append clear discard extend fill insert pop remove reverse setdefault sort update".split()
)
"""Methods that write into what they belong to alone."""
_TAKING = frozenset("accumulate filter map reduce starmap".split())
"""Functions that call their first argument."""
_ASKING = frozenset("attrgetter getattr hasattr methodcaller".split())
"""Functions that find attributes by text."""
_TEXTS = ("format", "repr", "str")
_WRITING = frozenset("copyto fill_diagonal place put put_along_axis putmask shuffle".split())
_MODULES = ("cmath", "math", "numpy", "operator", "scipy.special", "sparsetrace")
_PACKAGES = ("numpy.", "scipy.special.", "sparsetrace.")
_ARRAY_MAKERS = frozenset(
    """
    array copy empty empty_like eye full full_like linspace ones ones_like zeros zeros_like
    """.split()
)
_CONTAINER_MAKERS = frozenset("dict list set".split())
_CONTAINER_STEPS = frozenset(
    "BUILD_LIST BUILD_MAP BUILD_SET DICT_MERGE DICT_UPDATE LIST_EXTEND SET_UPDATE".split()
)
_VALUE_STEPS = frozenset(
    """
    BUILD_STRING COMPARE_OP CONTAINS_OP FORMAT_VALUE IS_OP LOAD_CONST UNARY_INVERT UNARY_NEGATIVE
    UNARY_NOT UNARY_POSITIVE
    """.split()
)
_FUNCTION_STEPS = frozenset("LOAD_GLOBAL MAKE_FUNCTION SET_FUNCTION_ATTRIBUTE".split())
_BETWEEN = frozenset("CACHE NOP PRECALL PUSH_NULL".split())
_IN_PLACE = "="
"""The last letter of an operator that may change its left side."""
_UNCHANGING = (bool, int, float, complex, str, bytes, np.generic, type(None))
_UNKNOWN: Any = object()


def has_effects(
    function: object,
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    undoes: bool = False,
    known: dict[Any, bool] | None = None,
    reached: Callable[[], Reach] = dict,
) -> bool:
    """Whether calling the function may change anything but its result.

    Parameters
    ----------
    function : callable
    args, kwargs
        What it is called with; an argument that is not given is a number.
    undoes : bool
        Whether what is written by functions that are marked `WRITES` will be undone.
    known : dict, optional
        Answers that hold as long as no global name is bound anew, and are added to.
    reached : callable
        Gives the functions that operators and attributes of any object may run, by their names.

    Examples
    --------
    >>> seen = []
    >>> has_effects(lambda v: np.sin(v) if v > 0 else -v), has_effects(lambda v: seen.append(v))
    (False, True)
    >>> has_effects(lambda v: [v].append(v)), has_effects(lambda f: f(), (seen.clear,))
    (True, True)
    """
    if known is not None and isinstance(function, types.FunctionType):
        values = (*args, *(kwargs or {}).values(), *(value for _, value in _cells(function)))
        if all(map(is_unchanging, values)):
            key = id(function.__globals__), function.__code__, undoes
            if key not in known:
                known[key] = has_effects(function, args, kwargs, undoes=undoes, reached=reached)
            return known[key]
    given = (*args, *(kwargs or {}).values(), *_held(function))
    seen = _Seen()
    seen.undoes = undoes
    if isinstance(function, types.FunctionType):
        bound = _bound(function.__code__, args, kwargs or {})
        pure = _is_pure_function(function, bound, seen)
    else:
        pure = _is_pure(function, seen)
    return (
        not pure
        or any(map(_moves_on, given))
        or _is_computed(seen, given)
        or _runs_effects(seen, reached())
    )


Reach = Mapping[str, Sequence[tuple[types.CodeType, dict[str, Any]]]]
"""Functions by their names: their code, and the names of their module."""


HANDED = "_sparsetrace_handed"
"""An attribute of a constant, in code that stands for a function's: the code that it calls."""
WRITES = "_sparsetrace_writes"
"""An attribute of functions that stand in code for stores into arrays, lists and dictionaries."""


class _Seen(set[int]):
    """The ids of functions that have been looked at, or are being, and what these use."""

    def __init__(self) -> None:
        super().__init__()
        self.undoes = False
        self.names: set[str] = set()
        self.asked: set[str] = set()
        """Attributes of which it is not known what they are."""
        self.classes: set[Any] = set()


def _held(function: object) -> list[Any]:
    """What the cells of a function hold."""
    if not isinstance(function, types.FunctionType):
        return []
    return [value for _, value in _cells(function)]


def _moves_on(value: object) -> bool:
    """Whether reading an object changes it, as it does an iterator."""
    return hasattr(type(value), "__next__")


def _is_computed(seen: _Seen, given: tuple[Any, ...]) -> bool:
    """Whether an operator or a property of the user's classes that is used has side effects."""
    classes = seen.classes.union(map(type, given))
    return any(
        name in seen.names or name.startswith("__") for cls in classes for name in _computed(cls)
    )


def _runs_effects(seen: _Seen, reached: Reach) -> bool:
    """Whether an object of a class that is not known may run a function that has side effects."""
    return any(
        (name in seen.asked or (name.startswith("__") and name not in _NOT_ASKED))
        and any(not _Body(code, scope, {}, {}, _Seen()).is_pure() for code, scope in functions)
        for name, functions in reached.items()
    )


@functools.cache
def _computed(cls: Any) -> frozenset[str]:
    """The operators and properties of a class that have side effects."""
    if not cls.__flags__ & _HEAP_TYPE or cls.__module__.partition(".")[0] in _LIBRARIES:
        return frozenset()
    result = set()
    for name, value in (item for base in cls.__mro__[:-1] for item in vars(base).items()):
        asked = value.fget if isinstance(value, property) else value
        is_asked = asked is not value or (name.startswith("__") and name not in _NOT_ASKED)
        if isinstance(value, functools.cached_property) or (
            is_asked and isinstance(asked, types.FunctionType) and has_effects(asked)
        ):
            result.add(name)
    return frozenset(result)


_HEAP_TYPE = 1 << 9
_LIBRARIES = frozenset("builtins collections functools numpy scipy sparsetrace typing".split())
_NOT_ASKED = frozenset(
    """
    __call__ __class_getitem__ __copy__ __deepcopy__ __del__ __delattr__ __delitem__ __enter__
    __exit__ __getnewargs__ __getstate__ __init__ __init_subclass__ __new__ __post_init__
    __format__ __reduce__ __reduce_ex__ __repr__ __setattr__ __setitem__ __setstate__ __str__
    """.split()
)
"""What no operator and no read of an attribute calls, or what is refused for traced numbers."""


def _bound(
    code: types.CodeType, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by their names; numbers where none are given."""
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return dict.fromkeys(names, 0.0) | dict(zip(names, args, strict=False)) | dict(kwargs)


def is_unchanging(value: object) -> bool:
    """Whether no operator can change an object."""
    if isinstance(value, tuple):
        return all(map(is_unchanging, value))
    # a traced number tells ``isinstance`` that it is a float
    return hasattr(type(value), "_is_number") or isinstance(value, _UNCHANGING)


def _is_pure(function: object, seen: _Seen) -> bool:
    if id(function) in seen:
        return True
    seen.add(id(function))
    if function is functools.partial:
        return True  # what it makes is looked at where it is called
    if isinstance(function, functools.partial):
        inside = (function.func, *filter(callable, (*function.args, *function.keywords.values())))
        return all(_is_pure(f, seen) for f in inside)
    if isinstance(function, np.ufunc):
        return function.types != ["O" * function.nin + "->" + "O" * function.nout]
    if isinstance(function, types.MethodType):
        own = function.__func__
        if not isinstance(own, types.FunctionType) or not own.__code__.co_argcount:
            return False
        return _is_pure_function(own, {own.__code__.co_varnames[0]: function.__self__}, seen)
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__name__", "")
    if isinstance(function, types.FunctionType):  # also where it stands for one of Python's
        module = str(function.__globals__.get("__name__", ""))
    if module in _MODULES or module.startswith(_PACKAGES):
        return name not in _WRITING and "random" not in module
    if isinstance(function, type) and issubclass(function, tuple) and _is_named_tuple(function):
        return True
    if isinstance(function, type) and issubclass(function, BaseException):
        return not any(
            isinstance(vars(c).get("__init__"), types.FunctionType) for c in function.__mro__
        )
    if getattr(builtins, name, None) is function or isinstance(function, type):
        return module == "builtins" and name in _PURE_BUILTINS
    if isinstance(
        function, types.BuiltinFunctionType
    ):  # a method that is bound to what it belongs to
        return name in _PURE_METHODS and not isinstance(function.__self__, types.ModuleType)
    own = getattr_static(type(function), "__call__", None)
    if isinstance(own, types.FunctionType):  # an object that is called
        return _is_pure(types.MethodType(own, function), seen)
    return isinstance(function, types.FunctionType) and _is_pure_function(function, {}, seen)


def _is_named_tuple(cls: type) -> bool:
    """Whether objects of a class are made by what ``namedtuple`` has generated alone."""
    base = next((c for c in cls.__mro__ if "_fields" in vars(c)), tuple)
    own = ("__init__", "__new__")
    between = cls.__mro__[: cls.__mro__.index(base)]
    return str(getattr(cls.__new__, "__module__", "")).startswith("namedtuple_") and not any(
        name in vars(c) for c in between for name in own
    )


def _is_pure_function(function: types.FunctionType, given: dict[str, Any], seen: _Seen) -> bool:
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    cells = dict(_cells(function))
    if not all(_is_pure(f, seen) for f in (*defaults, *cells.values()) if callable(f)):
        return False
    if not all(is_unchanging(value) or callable(value) for value in defaults):
        return False  # kept from one call to the next
    code = _written_by_user(function.__code__)
    return _Body(code, function.__globals__, cells, given, seen).is_pure()


def _written_by_user(code: types.CodeType) -> types.CodeType:
    """The code that another one hands its calls over to."""
    return next((getattr(x, HANDED) for x in code.co_consts if hasattr(x, HANDED)), code)


def _cells(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not filled yet
            continue


class _Body:
    """The instructions of one function, with what is known of the values behind its names."""

    def __init__(
        self,
        code: types.CodeType,
        scope: dict[str, Any],
        cells: dict[str, Any],
        given: dict[str, Any],
        seen: _Seen,
    ) -> None:
        self.code, self.scope, self.cells, self.seen = code, scope, cells, seen
        self.steps = instructions_of(code)
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & 4) + bool(code.co_flags & 8)
        self.undoes = seen.undoes
        seen.names.update(code.co_names)
        if not _ASKING.isdisjoint(code.co_names):
            seen.asked.update(text for text in code.co_consts if isinstance(text, str))
        self.arguments = set(code.co_varnames[:count])
        self.given = given
        self.stores: dict[str, list[int]] = {}
        for at, step in enumerate(self.steps):
            for name in _stored(step):
                self.stores.setdefault(name, []).append(at)
        self.loops = [
            (at, self.steps.index(target))
            for at, step in enumerate(self.steps)
            if step.opcode in dis.hasjrel and "BACKWARD" in step.opname
            for target in self.steps[:at]
            if target.offset == step.argval
        ]
        self.imported = {
            name: value
            for name in self.stores
            if name not in self.arguments and (value := self._imported(name)) is not _UNKNOWN
        }

    def is_pure(self) -> bool:
        inside = self.cells | self.imported
        return all(map(self._changes_nothing, range(len(self.steps)))) and all(
            _Body(inner, self.scope, inside, {}, self.seen).is_pure()
            for inner in self.code.co_consts
            if isinstance(inner, types.CodeType)
        )

    def _imported(self, name: str) -> Any:
        """The module, or what is of one, that a local name holds from ``import`` statements."""
        values = [self._import_at(at - 1) for at in self.stores[name]]
        return values[0] if all(value is values[0] for value in values) else _UNKNOWN

    def _import_at(self, at: int) -> Any:
        step = self.steps[at]
        if step.opname == "IMPORT_NAME" and "." not in step.argval:
            return self._module(at)
        if step.opname != "IMPORT_FROM":
            return _UNKNOWN
        while at and self.steps[at].opname != "IMPORT_NAME":
            at -= 1
        return _attribute(self._module(at), step.argval)

    def _module(self, at: int) -> Any:
        """The module that an instruction imports, unless by a relative name."""
        level, step = self.steps[at - 2], self.steps[at]
        return sys.modules.get(step.argval, _UNKNOWN) if level.argval == 0 else _UNKNOWN

    def _changes_nothing(self, at: int) -> bool:
        step = self.steps[at]
        name = step.opname
        if name in _STORES:
            return False
        if name in _ITEM_STORES:
            return self._is_own_item(at)
        if name == "YIELD_VALUE":
            return self.code.co_name == "<genexpr>"
        if name in ("STORE_DEREF", "DELETE_DEREF"):
            return step.argval not in self.code.co_freevars
        if name == "LOAD_CONST" and callable(step.argval):  # put there by an exchange of code
            return self.undoes or not hasattr(step.argval, WRITES)
        if name in ("BEFORE_WITH", "LOAD_SPECIAL"):
            self.seen.asked.update(("__enter__", "__exit__"))
        if name.startswith("FORMAT_") or step.argval in _TEXTS:
            self.seen.asked.update(("__format__", "__repr__", "__str__"))
        if name == "IMPORT_NAME":
            return step.argval in sys.modules
        if name == "BINARY_OP" and step.argrepr.endswith(_IN_PLACE):
            return self._is_own_operand(at)
        if name == "LOAD_GLOBAL":
            value = self._value((("LOAD_GLOBAL", step.argval),))
            return self._is_harmless(value)
        if name in ("LOAD_ATTR", "LOAD_METHOD"):
            return self._is_harmless_attribute(at)
        if name.startswith("CALL") and name not in ("CALL_INTRINSIC_1", "CALL_INTRINSIC_2"):
            return self._calls_what_is_known(at)
        return True

    # --------------------------------------------------------------- what is stored into
    def _is_own_item(self, at: int) -> bool:
        """Whether an item is stored into what the function has made itself."""
        chain = loaded_first(self.steps, at)
        if len(chain) != 1 or not chain[0][0].startswith("LOAD_FAST"):
            return False
        made = self._made(str(chain[0][1]), at)
        start = self.steps[at].positions
        deeper = start is None or any(
            step.opname in _ITEM_READS
            and step.positions is not None
            and step.positions[0::2] == start[0::2]
            and step.positions[1::2] < start[1::2]
            for step in self.steps[:at]
        )
        return made == "array" or (made is not None and not deeper)

    def _is_own_operand(self, at: int) -> bool:
        """Whether an operator that may change its left side has a number or its own array there."""
        after = next((s for s in self.steps[at + 1 :] if s.opname not in _BETWEEN), None)
        if after is None:
            return False
        for name in _stored(after):
            return self._made(name, at) is not None
        if after.opname == "SWAP":  # an item, which `_is_own_item` looks at, too
            chain = loaded_first(self.steps, at)
            return len(chain) == 1 and self._made(str(chain[0][1]), at) == "array"
        return False

    def _made(self, name: str, at: int, under: frozenset[str] = frozenset()) -> str | None:
        """What a local name holds that the function has made itself: a value, array, container."""
        if name in under:
            return "value"
        if name in self.arguments and not is_unchanging(self.given.get(name, _UNKNOWN)):
            return None
        if name in self.code.co_cellvars:
            return None
        stores = [i for i in self.stores.get(name, []) if self._reaches(i, at)]
        kinds = {self._producer(i, under | {name}) for i in stores}
        if not kinds:
            return "value" if name in self.arguments else None
        if None in kinds:
            return None
        kinds.discard("value") if len(kinds) > 1 else None
        return kinds.pop() if len(kinds) == 1 else "container"

    def _reaches(self, store: int, at: int) -> bool:
        """Whether an instruction may be run after another."""
        return store < at or any(start <= at and store <= end for end, start in self.loops)

    def _producer(self, at: int, under: frozenset[str]) -> str | None:
        """What the value is that is stored at an instruction."""
        before = at - 1
        if self.steps[at].is_jump_target or before < 0:
            return None
        step = self.steps[before]
        if step.opname in _CONTAINER_STEPS:
            return "container"
        if step.opname in _VALUE_STEPS:
            return "value"
        if step.opname == "BINARY_OP":
            nearby = {s.opname for s in self.steps[max(0, before - 3) : before]}
            return "value" if nearby.isdisjoint(_CONTAINER_STEPS) else "container"
        if step.opname == "LOAD_FAST" and isinstance(step.argval, str):
            made = self._made(step.argval, before, under)
            return made if made == "value" and step.argval not in under else None
        if step.opname.startswith("CALL"):
            chain = callee_at(self.steps, before)
            if (
                "copy" in keywords_at(self.code, self.steps, before)
                or step.opname == "CALL_FUNCTION_EX"
            ):
                return None
            return self._made_by_method(chain, before, under) or _made_by(self._value(chain))
        return None

    def _made_by_method(self, chain: Chain, at: int, under: frozenset[str]) -> str | None:
        """What a method of an array makes that the function has made itself."""
        names = [str(name) for _, name in chain]
        if names[1:] in (["dot"], ["T", "dot"], ["copy"]) and self.steps[at].arg in (0, 1):
            return "array" if self._made(names[0], at, under) == "array" else None
        return None

    # ------------------------------------------------------------------ what is called
    def _is_harmless(self, value: object) -> bool:
        """Whether a value that is read stays as it is, and changes nothing if it is called."""
        self.seen.classes.add(type(value))
        return not _moves_on(value) and (not callable(value) or _is_pure(value, self.seen))

    def _value(self, chain: Chain) -> Any:
        """What stands behind a chain of names, as far as that is known without running code."""
        if not chain:
            return _UNKNOWN
        operation, name = chain[0]
        if operation == "LOAD_GLOBAL":
            value = self.scope.get(name, vars(builtins).get(name, _UNKNOWN))
        elif operation in ("LOAD_DEREF", "LOAD_CLASSDEREF"):
            value = self.cells.get(name, self.imported.get(name, _UNKNOWN))
        elif operation.startswith("LOAD_FAST") and name not in self.stores:
            value = self.given.get(str(name), _UNKNOWN)
        else:
            value = self.imported.get(str(name), _UNKNOWN)
        for _, attribute in chain[1:]:
            value = _attribute(value, attribute)
        return value

    def _is_harmless_attribute(self, at: int) -> bool:
        step = self.steps[at]
        chain, _ = chain_ending_at(self.steps, at)
        owner = self._value(chain[:-1]) if len(chain) > 1 else _UNKNOWN
        if owner is not _UNKNOWN and not hasattr(type(owner), "_is_traced"):
            value = _attribute(owner, step.argval)
            if isinstance(value, property):
                return value.fget is not None and _is_pure(
                    types.MethodType(value.fget, owner), self.seen
                )
            if value is not _UNKNOWN:
                return self._is_harmless(value)
        self.seen.asked.add(step.argval)
        if not _is_method(step):
            return True
        if step.argval in _PURE_METHODS:
            return True
        own = len(chain) == 2 and chain[0][0].startswith("LOAD_FAST")
        return own and step.argval in _FILLING and self._made(str(chain[0][1]), at) is not None

    def _calls_what_is_known(self, at: int) -> bool:
        """Whether each name that is called is a known function, or a method looked at elsewhere."""
        chain = callee_at(self.steps, at)
        if chain and not (self._writes_nothing(at, chain) and self._takes_what_is_known(at, chain)):
            return False
        if not chain:
            return True  # of an expression: a comprehension
        operation, name = chain[-1]
        if operation in ("LOAD_ATTR", "LOAD_METHOD"):
            # `_is_harmless_attribute` has looked at it, unless it is called with ``*args``
            known = self.steps[at].opname != "CALL_FUNCTION_EX" or name in _PURE_METHODS
            return known or self._value(chain) is not _UNKNOWN
        value = self._value(chain)
        if value is not _UNKNOWN:
            if isinstance(value, (list, tuple, dict)):  # of functions, one of which is chosen
                items = value.values() if isinstance(value, dict) else value
                return all(_is_pure(item, self.seen) for item in items)
            return callable(value) and _is_pure(value, self.seen)
        if operation == "LOAD_GLOBAL" or name in self.arguments:
            return False
        places = self.stores.get(str(name), [])
        return bool(places) and all(
            self.steps[place - 1].opname in _FUNCTION_STEPS and not self.steps[place].is_jump_target
            for place in places
        )

    def _writes_nothing(self, at: int, chain: Chain) -> bool:
        """Whether a call, if it is one of NumPy's, writes into no argument but the function's."""
        step, name, value = self.steps[at], str(chain[-1][1]), self._value(chain)
        if value is not _UNKNOWN and not _is_of_numpy(value):
            return True
        if step.opname == "CALL_FUNCTION_EX":
            return value is _UNKNOWN
        keywords = keywords_at(self.code, self.steps, at)
        written = written_keyword(name, keywords)
        if written is not None:
            last = [s for s in self.steps[at - 4 : at] if s.opname.startswith("LOAD_FAST")]
            return (
                written == "out" == keywords[-1]
                and bool(last)
                and self._made(str(last[-1].argval), at) == "array"
            )
        count = int(step.arg or 0) - len(keywords)
        if value is not _UNKNOWN:
            return not writes_by_position(value, count)
        is_method = chain[-1][0] in ("LOAD_ATTR", "LOAD_METHOD")
        return not (is_method and name in _PURE_METHODS and method_writes(name, count))

    def _takes_what_is_known(self, at: int, chain: Chain) -> bool:
        """Whether functions that a call is given to call are known to change nothing."""
        if chain[-1][1] in _TAKING:
            start = self._place_of(chain, at)
            taken, _ = chain_ending_at(self.steps, self._end_of_chain(start + 1))
            return self._is_taken(taken, self.steps[start + 1])
        if "key" not in keywords_at(self.code, self.steps, at):
            return True
        before = next(s for s in reversed(self.steps[:at]) if s.opname not in _AROUND_CALLS)
        taken, _ = chain_ending_at(self.steps, self.steps.index(before))
        return keywords_at(self.code, self.steps, at)[-1] == "key" and self._is_taken(taken, before)

    def _place_of(self, chain: Chain, at: int) -> int:
        """Where the instructions end that load what is called."""
        name = chain[-1][1]
        return max(
            i
            for i, step in enumerate(self.steps[:at])
            if step.argval == name and step.opname.startswith("LOAD")
        )

    def _end_of_chain(self, at: int) -> int:
        while self.steps[at + 1].opname in ("LOAD_ATTR", "LOAD_METHOD"):
            at += 1
        return at

    def _is_taken(self, chain: Chain, step: dis.Instruction) -> bool:
        """Whether a function is known to change nothing."""
        if step.opname == "MAKE_FUNCTION" or isinstance(step.argval, types.CodeType):
            return True  # its code is looked at with this one
        if step.opname == "LOAD_CONST":
            return step.argval is None
        value = self._value(chain)
        return value is not _UNKNOWN and self._is_harmless(value)


_AROUND_CALLS = frozenset("CACHE KW_NAMES LOAD_CONST PRECALL".split())


def _is_of_numpy(function: object) -> bool:
    module = getattr(function, "__module__", None) or ""
    return isinstance(function, np.ufunc) or module == "numpy" or module.startswith(_PACKAGES)


def _stored(step: dis.Instruction) -> tuple[str, ...]:
    """The local names that an instruction stores into."""
    if step.opname in ("STORE_FAST", "STORE_DEREF", "STORE_FAST_MAYBE_NULL"):
        return (step.argval,)
    if step.opname == "STORE_FAST_STORE_FAST":
        return tuple(step.argval)
    if step.opname == "STORE_FAST_LOAD_FAST":
        return (step.argval[0],)
    return ()


def _made_by(maker: object) -> str | None:
    """What a known function has made when it returns; nothing else holds that."""
    module, name = getattr(maker, "__module__", None) or "", getattr(maker, "__name__", "")
    if (module == "numpy" or module.startswith(_PACKAGES)) and name in _ARRAY_MAKERS:
        return "array"
    if module == "builtins" and name in _CONTAINER_MAKERS:
        return "container"
    return None


def _attribute(owner: object, name: str) -> Any:
    """An attribute as it stands in the module, the instance or the class; methods bound."""
    if owner is _UNKNOWN:
        return _UNKNOWN
    if isinstance(owner, types.ModuleType):
        return getattr(owner, name, _UNKNOWN)
    value = getattr_static(owner, name, _UNKNOWN)
    if isinstance(value, staticmethod):
        return value.__func__
    if isinstance(value, classmethod):
        return types.MethodType(value.__func__, owner if isinstance(owner, type) else type(owner))
    in_class = not isinstance(owner, type) and getattr_static(type(owner), name, None) is value
    if isinstance(value, types.FunctionType) and in_class:
        return types.MethodType(value, owner)
    if in_class and isinstance(value, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return _UNKNOWN  # of a type of Python's or NumPy's: told by its name
    return value


def _is_method(step: dis.Instruction) -> bool:
    """Whether an attribute is loaded to be called."""
    if step.opname == "LOAD_METHOD":
        return True
    return sys.version_info >= (3, 12) and bool((step.arg or 0) & 1)
