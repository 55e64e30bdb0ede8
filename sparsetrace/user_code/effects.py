"""Whether a call of a Python function may be made again: what bytecode says of side effects.

Contract: in doubt it has some.  A function that stores into anything but its own variables
and what it has made itself, or calls what is not known to be pure, is not run twice for one
element.  Nothing of the user's runs here.
"""

from __future__ import annotations

import builtins
import copy
import dataclasses
import dis
import functools
import logging
import operator
import sys
import threading
import types
import warnings
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from inspect import getattr_static
from typing import Any

import numpy as np

from sparsetrace.user_code.bytecode import (
    Chain,
    begins_more,
    callee_at,
    chain_ending_at,
    is_item_or_result_called,
    is_loaded_to_be_called,
    taken_by,
    text_argument,
)
from sparsetrace.user_code.cached_functions import cached_function
from sparsetrace.user_code.class_making import (
    METACLASSES,
    asked,
    asked_of,
    is_made_by_python,
    is_named_tuple,
    is_operator,
    is_python,
    names_in,
    runs_on_making,
)
from sparsetrace.user_code.handlers import stands_within
from sparsetrace.user_code.held_iterators import held_callables, holds_iterator
from sparsetrace.user_code.held_values import (
    PACKAGES,
    UNKNOWN,
    attribute,
    is_unchanging,
    makes_generator,
)
from sparsetrace.user_code.imports import import_at
from sparsetrace.user_code.known_functions import UNKNOWN_EFFECTS, known_kind
from sparsetrace.user_code.known_functions import Known as KnownKind
from sparsetrace.user_code.logged_calls import (
    is_of_logging,
    logging_state,
    reaches_nobody,
    reaches_the_user,
)
from sparsetrace.user_code.outlined_pieces import given_name
from sparsetrace.user_code.own_methods import OF_LIBRARIES, OF_MAKING, OF_STORES, OwnMethods
from sparsetrace.user_code.own_stores import (
    BETWEEN,
    FILLS,
    HANDED,
    OUTLINED,
    PURE_METHODS,
    WRITES,
    OwnStores,
    is_told_to_write,
    may_write,
    written_by_user,
)
from sparsetrace.user_code.reach import reached as reached_from
from sparsetrace.user_code.seen_names import (
    Seen,
    callables_held,
    callables_in,
    class_attribute,
    global_value,
)
from sparsetrace.user_code.value_kinds import cells_of, kinds_of, python_source
from sparsetrace.user_code.written_arguments import (
    ANY,
    hands_keywords,
    is_filling,
    is_told_what_to_write,
    keywords_at,
    method_writes,
)

__all__ = ["FILLS", "HANDED", "OUTLINED", "WRITES", "Known", "has_effects", "written_by_user"]

_STORES = frozenset(
    """
    DELETE_ATTR DELETE_GLOBAL STORE_ATTR STORE_GLOBAL STORE_NAME
    """.split()
)
_NOT_UNDONE = frozenset("dtype shape strides".split())
"""Attributes by which an array may become another one, as an object does by ``__class__``."""
_ITEM_STORES = frozenset("DELETE_SUBSCR STORE_SLICE STORE_SUBSCR".split())
_PURE_BUILTINS = frozenset(
    """
    abs all any bool callable complex dict divmod enumerate filter float frozenset getattr hasattr
    hash int isinstance issubclass len list map max min object pow range repr reversed round set
    slice sorted str sum super tuple type zip
    """.split()
)
_FILLING = frozenset(
    "add append clear discard extend fill insert pop remove reverse setdefault sort update".split()
)
"""Methods that write into what they belong to alone."""
_TAKING = frozenset("accumulate filter map reduce starmap".split())
"""Functions that call their first argument."""
_ASKING = frozenset("attrgetter getattr hasattr methodcaller".split())
"""Functions that find attributes by text."""
_FINDING = (getattr, operator.attrgetter, operator.methodcaller)
"""Those of them that give what they find, or call it."""
_WRITING_METHODS = _FILLING | frozenset(
    """
    __delattr__ __delitem__ __getattribute__ __iadd__ __iand__ __ifloordiv__ __ilshift__
    __imatmul__ __imod__ __imul__ __init__ __ior__ __ipow__ __irshift__ __isub__ __itruediv__
    __ixor__ __next__ __setattr__ __setitem__ __setstate__ appendleft byteswap close
    difference_update extendleft intersection_update iternext itemset move_to_end partition
    permuted popitem popleft put read readline readlines reset resize rotate seek send setfield
    setflags shuffle symmetric_difference_update throw truncate write writelines
    """.split()
)
"""Methods of objects of C that change these, or give what does."""
_OF_FUNCTIONS = frozenset(
    "apply_along_axis apply_over_axes fromfunction interpolate mask_indices pad piecewise".split()
)
"""Functions of NumPy's that call what they are given."""
_TYPE_TESTS = (isinstance, issubclass)
_PLAIN_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    np.ufunc,
)
_COPYING = ("__copy__", "__deepcopy__", "__getstate__", "__reduce__", "__setstate__")
_TEXTS = ("format", "print", "repr", "str")
_WRITING = frozenset("copyto fill_diagonal place put put_along_axis putmask shuffle".split())
_MODULES = ("cmath", "math", "numpy", "operator", "scipy.special", "sparsetrace")
_FUNCTION_STEPS = frozenset("LOAD_GLOBAL MAKE_FUNCTION SET_FUNCTION_ATTRIBUTE".split())
_ATTRIBUTES = frozenset(("LOAD_ATTR", "LOAD_METHOD"))
_WARN = warnings.warn
_FILTERING = (warnings.filterwarnings, warnings.resetwarnings, warnings.simplefilter)
"""Functions whose work is undone where a ``with`` of `warnings.catch_warnings` ends."""
_IN_PLACE = "="
"""The last letter of an operator that may change its left side."""


def has_effects(
    function: object,
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    undoes: bool = False,
    undoes_all: bool = False,
    may_speak: bool = False,
    known: Known | None = None,
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
    undoes_all : bool
        Whether all will be undone that is written into objects.
    may_speak : bool
        Whether warnings and what is printed come to the user alone, who may get them again.
    known : dict, optional
        Answers for calls of the same kinds, which are added to.
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
    key: Hashable = None
    if known is not None and isinstance(function, types.FunctionType):
        kinds = kinds_of((function, *args, *(kwargs or {}).values()))
        key = kinds and (kinds, tuple(kwargs or ()), undoes, undoes_all, may_speak)
        if known.get(key, _no_more)():
            return known[key] is _always
    given = (*args, *(kwargs or {}).values(), *_held(function))
    seen = Seen()
    seen.undoes, seen.undoes_all, seen.may_speak = undoes, undoes_all, may_speak
    if isinstance(function, types.FunctionType):
        bound = _bound(function, args, kwargs or {})
        pure = _is_pure_function(function, bound, seen)
    else:
        pure = _is_pure(function, seen)
    pure = pure and _are_pure_by_name(function, given, seen)
    held = (*given, *seen.objects)
    result = (
        not pure
        or is_told_what_to_write(seen.handed_on, seen.keywords.union(kwargs or ()))
        or (seen.calls_given and not _are_harmless(given, seen))
        or holds_iterator(held, seen.names | seen.asked, names_in)
        or _is_computed(seen, given)
        or (_runs_effects(seen, reached()) and _gets_at_effects(seen, (function, *held)))
    )
    if known is not None and key is not None:
        seen.forget_values()
        known[key] = _always if result else seen.holds
    return result


Known = dict[Hashable, Callable[[], bool]]
"""By the kinds of a call whether what was seen of it still holds; `_always` if it has effects."""


def _always() -> bool:
    return True


def _no_more() -> bool:
    return False


def _are_pure_by_name(function: object, given: Sequence[Any], seen: Seen) -> bool:
    """Whether the methods are pure that are called of objects which are not known.

    And those that run where attributes and items of such objects are set, which are undone.
    """
    if not (seen.methods or seen.stored or seen.stores_items or seen.makes_again):
        return True
    own = OwnMethods((function, *given))
    made = own.found.classes if seen.makes_again else []
    again = [cls for cls in made if dataclasses.is_dataclass(cls)]
    if own.found.unknown or not all(_only_sets_itself(cls, seen) for cls in again):
        return False
    done: set[str] = set()
    while True:
        names = seen.methods - done
        done |= names
        named = [own.of_name(name) for name in names]
        named.append(own.run_by_stores(seen.stored) if seen.stored or seen.stores_items else [])
        functions = [one for some in named for one in some or ()]
        new = [one for one in functions if id(one) not in seen]
        if None in named or not all(_is_pure(one, seen) for one in new):
            return False
        if not new and seen.methods <= done:
            break
    for cls in own.found.classes:
        for name in (*done, *seen.stored, *OF_STORES, *OF_MAKING):
            read = functools.partial(class_attribute, weakref.ref(cls), name)
            seen.note((id(cls), name), read)
    return True


def _are_harmless(given: Sequence[Any], seen: Seen) -> bool:
    """Whether no callable that a local name may hold changes anything.

    What a name holds was given, loaded by a name or as an attribute, or made: the latter have been
    looked at, where they stand.  Of methods in C no more than the name is known.
    """
    if seen.finds_attributes or any(
        name in _WRITING_METHODS or (name in PURE_METHODS and method_writes(name, seen.most_given))
        for name in seen.taken
    ):
        return False
    known: set[int] = set()
    while True:
        held = (*given, *seen.objects)
        functions = held_callables(held, seen.names | seen.asked, names_in)
        if functions is None or not all(_is_pure(f, seen) for f in _of_modules(held, seen.asked)):
            return False
        new = [f for f in functions if id(f) not in known]
        if not new:
            seen.note(None, functools.partial(_callables_under, seen))
            return True
        for function in new:
            known.add(id(function))
            if isinstance(function, types.MethodType):
                seen.objects.append(function.__self__)
            elif isinstance(function, functools.partial):
                seen.objects += (*function.args, *function.keywords.values())
            if may_write(function) or not _is_pure(function, seen):
                return False


def _callables_under(seen: Seen) -> tuple[Any, ...]:
    held = [read() for read in list(seen.globals.values())]
    functions = held_callables(held, seen.names | seen.asked, names_in) or ()
    return (*functions, *_of_modules(held, seen.asked))


def _of_modules(held: Sequence[Any], asked: set[str]) -> list[Any]:
    """What attributes of what is not known may be, where that is a module."""
    scopes = [vars(x) for x in held if isinstance(x, types.ModuleType)]
    found = [scope[name] for scope in scopes for name in asked.intersection(scope)]
    return [value for value in found if callable(value)]


Reach = Mapping[str, Sequence[tuple[types.CodeType, dict[str, Any]]]]
"""Functions by their names: their code, and the names of their module."""


def _held(function: object) -> list[Any]:
    """What the cells of a function hold."""
    if not isinstance(function, types.FunctionType):
        return []
    return [value for _, value in cells_of(function)]


def _is_computed(seen: Seen, given: tuple[Any, ...]) -> bool:
    """Whether an operator or a property of the user's classes that is used has side effects."""
    classes = seen.classes.union(map(type, given))
    for cls in classes:
        seen.note(("asked", id(cls)), functools.partial(asked_of, weakref.ref(cls)))
    return any(
        name in seen.names or is_operator(name) for cls in classes for name in _computed(asked(cls))
    )


def _runs_effects(seen: Seen, reached: Reach) -> bool:
    """Whether an object of a class that is not known may run a function that has side effects."""
    return any(
        (name in seen.asked - seen.methods or is_operator(name))
        and not all(_is_pure_by_itself(code, scope) for code, scope in functions)
        for name, functions in reached.items()
    )


def _is_pure_by_itself(code: types.CodeType, scope: dict[str, Any]) -> bool:
    """Whether code changes nothing, and calls no method of what it does not know."""
    seen = Seen()
    return _Body(code, scope, {}, {}, seen).is_pure() and not seen.methods


def _gets_at_effects(seen: Seen, held: Sequence[Any]) -> bool:
    """The same of the objects that a call can get at, if these are few."""
    few = reached_from(held, most=_FEW_OBJECTS)
    return few.unknown or _runs_effects(seen, few.by_names())


def _computed(asked: tuple[tuple[str, Any], ...]) -> frozenset[str]:
    """Which operators and properties have side effects.

    Those that make objects of their own class have none because of that.
    """
    if asked in _COMPUTED:
        return _COMPUTED[asked]
    under = _UNDER.__dict__.setdefault("asked", [])
    if asked in under:
        return frozenset()
    under.append(asked)
    try:
        result = frozenset(
            name
            for name, function in asked
            if isinstance(function, functools.cached_property)
            or (isinstance(function, types.FunctionType) and has_effects(function))
        )
    finally:
        under.pop()
    if not under:  # else it may rest on what is not known yet
        if len(_COMPUTED) >= _MOST_COMPUTED:
            _COMPUTED.clear()
        _COMPUTED[asked] = result
    return result


_COMPUTED: dict[tuple[tuple[str, Any], ...], frozenset[str]] = {}
_UNDER = threading.local()
"""What is being looked at, by threads."""
_MOST_COMPUTED = 4096
_FEW_OBJECTS = 2_000
"""As many as are looked at for one call: functions that it cannot get at do not concern it."""


def _bound(
    function: types.FunctionType, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by their names; numbers where none are given."""
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    first = code.co_argcount - len(defaults)
    result: dict[str, Any] = dict.fromkeys(names, 0.0)
    result.update(zip(names[first : code.co_argcount], defaults, strict=True))
    result.update(function.__kwdefaults__ or {})
    return result | dict(zip(names, args, strict=False)) | dict(kwargs)


def _is_pure(function: object, seen: Seen) -> bool:
    # of a method each look at the attribute makes another object
    is_method = isinstance(function, types.MethodType)
    key = (id(function.__self__), id(function.__func__)) if is_method else id(function)  # type: ignore[attr-defined]
    if key in seen:
        return True
    seen.add(key)
    if getattr(type(function), UNKNOWN_EFFECTS, False):
        return False
    if function is _WARN or function is print:
        return seen.may_speak
    if function is dataclasses.replace:
        seen.makes_again = True
        return True
    if is_of_logging(function):
        logger, name = getattr(function, "__self__", logging), function.__name__  # type: ignore[attr-defined]
        seen.note((id(logger), name), functools.partial(logging_state, function))
        return reaches_nobody(function) or (seen.may_speak and reaches_the_user(function))
    if function is functools.partial or makes_generator(function):
        return True  # what it makes is looked at where it is called
    if isinstance(function, functools._lru_cache_wrapper):
        cached = cached_function(function, reads_tables=not seen.undoes)
        if cached is None and seen.undoes_all:  # also what it has gained is undone
            return _is_pure(getattr(function, "__wrapped__", None), seen)
        return cached is not None and _is_pure_function(cached, {}, seen)
    source = python_source(function)
    if source is not None:  # which is traced in its place
        return _is_pure_function(source, {}, seen)
    kind = known_kind(function)
    if kind is not None:
        seen.calls_given = seen.calls_given or kind is KnownKind.CALLS
        if function in (copy.copy, copy.deepcopy):
            seen.asked.update(_COPYING)
        return True
    if isinstance(function, functools.partial):
        seen.keywords.update(function.keywords)
        inside = (function.func, *filter(callable, (*function.args, *function.keywords.values())))
        return not is_told_to_write(function) and all(_is_pure(f, seen) for f in inside)
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
    if module in _MODULES or module.startswith(PACKAGES):
        seen.calls_given = seen.calls_given or name in _OF_FUNCTIONS
        return name not in _WRITING and "random" not in module
    if isinstance(function, type) and issubclass(function, tuple) and is_named_tuple(function):
        return True
    if isinstance(function, type) and module != "builtins":
        seen.classes.add(function)
        return _only_sets_itself(function, seen)
    if isinstance(function, type) and issubclass(function, BaseException):
        return True
    if getattr(builtins, name, None) is function or isinstance(function, type):
        return module == "builtins" and name in _PURE_BUILTINS
    if isinstance(
        function, types.BuiltinFunctionType
    ):  # a method that is bound to what it belongs to
        return name in PURE_METHODS and not isinstance(function.__self__, types.ModuleType)
    if _is_called_as_object(function):
        method = types.MethodType(getattr_static(type(function), "__call__"), function)
        return _is_pure(method, seen)
    return isinstance(function, types.FunctionType) and _is_pure_function(function, {}, seen)


def _is_called_as_object(function: object) -> bool:
    """Whether a method of its class, written in Python, is what a call of an object runs."""
    return isinstance(getattr_static(type(function), "__call__", None), types.FunctionType)


def _only_sets_itself(cls: type, seen: Seen) -> bool:
    """Whether making an object of a class changes nothing but its attributes."""
    if type(cls) not in METACLASSES or not is_made_by_python(cls):
        return False
    own = [(name, value) for c in cls.__mro__ for name, value in vars(c).items()]
    made_by = [value for name, value in own if name == "__init__" and is_python(value)]
    return not runs_on_making(cls) and all(
        _is_pure_function(init, {}, seen, makes=cls) for init in made_by
    )


def _is_pure_function(
    function: types.FunctionType,
    given: dict[str, Any],
    seen: Seen,
    *,
    makes: type | None = None,
) -> bool:
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    empty = dict.fromkeys(function.__code__.co_freevars)  # calling what has no value is an error
    cells = {**empty, **dict(cells_of(function))}
    seen.note(id(function), functools.partial(callables_held, weakref.ref(function)))
    seen.objects += (*cells.values(), *defaults)
    # an object whose class has ``__call__`` is looked at where it is called, or may be
    called = [f for f in cells.values() if callable(f) and not _is_called_as_object(f)]
    if not all(_is_pure(f, seen) for f in (*filter(callable, defaults), *called)):
        return False
    kept = [x for x in defaults if not (is_unchanging(x) or callable(x))]
    if not all(
        type(x) in (dict, list, tuple, set) or type(x).__module__ == "dataclasses" for x in kept
    ):
        return False  # kept from one call to the next, and not seen to be written
    code = written_by_user(function, undoes=seen.undoes)
    return _Body(code, function.__globals__, cells, given, seen, makes=makes).is_pure()


class _Body(OwnStores):
    """One function, and whether its instructions change anything."""

    def __init__(
        self,
        code: types.CodeType,
        scope: dict[str, Any],
        cells: dict[str, Any],
        given: dict[str, Any],
        seen: Seen,
        *,
        makes: type | None = None,
    ) -> None:
        super().__init__(code, scope, cells, given)
        self.makes = makes
        """The class, if its first argument is an object of it that is being made."""
        self.seen, self.undoes = seen, seen.undoes
        self.called: list[Any] = []
        """Functions of NumPy's that are loaded to be called at once, so that no name holds them."""
        self.calls_unknown = False
        """Whether there is a call of what no name stands for, as it is known."""
        seen.names.update(code.co_names)
        if not _ASKING.isdisjoint(code.co_names):
            self._find_by_text()

    def _find_by_text(self) -> None:
        texts = {text for text in self.code.co_consts if isinstance(text, str)}
        self.seen.asked |= texts
        self.seen.taken |= texts

    def value(self, chain: Chain) -> Any:
        """What stands behind a chain of names, which may hold something else later."""
        if chain and chain[0][0] == "LOAD_GLOBAL":
            names = tuple(str(name) for _, name in chain)
            key = id(self.scope), names
            read = functools.partial(global_value, self.scope, names)
            value = read()
            self.seen.globals[key] = read
            self.seen.note(key, read)
            self.seen.note((key, "items"), lambda: callables_in(read()))
            return value
        value = super().value(chain[:1])
        for _, name in chain[1:]:
            if isinstance(value, types.ModuleType):
                self.seen.note((value, name), functools.partial(attribute, value, name))
            elif value is not UNKNOWN:
                cls = value if isinstance(value, type) else type(value)
                read = functools.partial(class_attribute, weakref.ref(cls), name)
                self.seen.note((id(cls), name), read)
            value = attribute(value, name)
        return value

    def is_pure(self) -> bool:
        inside = self.cells | self.imported
        if not all(map(self._changes_nothing, range(len(self.steps)))):
            return False
        if self.calls_unknown:
            self.seen.objects += self.called
        return all(
            _Body(inner, self.scope, inside, {}, self.seen).is_pure()
            for inner in self.code.co_consts
            if isinstance(inner, types.CodeType)
        )

    def _changes_nothing(self, at: int) -> bool:
        step = self.steps[at]
        name = step.opname
        if name in _STORES:
            if self.seen.undoes_all and name in ("DELETE_ATTR", "STORE_ATTR"):
                self.seen.stored.add(str(step.argval))
                return step.argval not in _NOT_UNDONE and not step.argval.startswith("__")
            return name == "STORE_ATTR" and self._is_of_what_is_made(at)
        if name in _ITEM_STORES:
            self.seen.stores_items = self.seen.undoes_all or self.seen.stores_items
            return self.seen.undoes_all or self._is_own_item(at)
        if name == "YIELD_VALUE":
            return self.code.co_name == "<genexpr>"
        if name in ("STORE_DEREF", "DELETE_DEREF"):
            is_given = self.undoes and given_name(step.argval) in self.code.co_varnames
            return is_given or step.argval not in self.code.co_freevars
        if name == "LOAD_CONST" and callable(step.argval):  # put there by an exchange of code
            written = getattr(step.argval, WRITES, None)
            return written is None or (self.undoes and (written != FILLS or self._fills_by(at)))
        if name in ("BEFORE_WITH", "LOAD_SPECIAL"):
            self.seen.asked.update(("__enter__", "__exit__"))
        if name.startswith("FORMAT_") or step.argval in _TEXTS:
            self.seen.asked.update(("__format__", "__repr__", "__str__"))
        if name == "MATCH_CLASS":  # the names of attributes stand before it
            self.seen.taken.update(self.steps[at - 1].argval)
        if name == "IMPORT_NAME":
            return not import_at(self.steps, at).loads(self.scope)
        if name == "BINARY_OP" and step.argrepr.endswith(_IN_PLACE):
            return self.seen.undoes_all or self._is_own_operand(at)
        if name == "LOAD_GLOBAL":
            value = self.value((("LOAD_GLOBAL", step.argval),))
            if value is next and self._is_of_a_new_iterator(at):
                return True
            if isinstance(value, type) and self.steps[at + 1].opname in _ATTRIBUTES:
                return True  # which is looked at by itself
            is_called = is_loaded_to_be_called(self.steps, at)
            self._note_finder(value, is_called=is_called)
            if is_filling(value):
                return self._fills_what_is_undone(at, at)
            if self._is_only_compared(value, at):
                return True
            return self._is_undone(value, at) or self._is_harmless(value, is_called=is_called)
        if name in ("LOAD_ATTR", "LOAD_METHOD"):
            return self._is_harmless_attribute(at)
        if name.startswith("CALL") and name not in ("CALL_INTRINSIC_1", "CALL_INTRINSIC_2"):
            return self._calls_what_is_known(at)
        return True

    def _note_finder(self, value: object, *, is_called: bool) -> None:
        """Remember that attributes are found, by what texts these can be."""
        if any(value is finder for finder in _FINDING):
            self._find_by_text()
            self.seen.finds_attributes = self.seen.finds_attributes or not is_called

    def _is_told_by_text(self, at: int, chain: Chain) -> bool:
        """Whether a call that finds an attribute is given its name as a constant."""
        if self.value(chain) is getattr:
            return text_argument(self.steps, at) is not None
        after = self.steps[self._place_of(chain, at) + 1 : at]
        given = [step for step in after if step.opname not in BETWEEN]
        if self.steps[at].opname == "CALL_FUNCTION_EX" or not given:
            return False
        return isinstance(given[0].argval, str) and given[0].opname == "LOAD_CONST"

    # ------------------------------------------------------------------ what is called
    def _is_harmless(self, value: object, *, is_called: bool = False) -> bool:
        """Whether a value that is read stays as it is, and changes nothing if it is called."""
        self.seen.classes.add(type(value))
        held = self.called if is_called and may_write(value) else self.seen.objects
        held.append(value)
        return not callable(value) or _is_pure(value, self.seen)

    def _is_only_compared(self, value: object, at: int) -> bool:
        """Whether a function or class is compared, or asked for as a type, and nothing more."""
        is_class = isinstance(value, type) and type(value) in METACLASSES
        if not (is_class or isinstance(value, _PLAIN_FUNCTIONS)):
            return False
        place = taken_by(self.steps, at)
        if place is None or not self.steps[place].opname.startswith("CALL"):
            return place is not None
        chain = callee_at(self.steps, place)
        asked = self.value(chain) if len(chain) == 1 and chain[0][0] == "LOAD_GLOBAL" else None
        asks = any(asked is test for test in _TYPE_TESTS)
        return asks and is_class and not keywords_at(self.code, self.steps, place)

    def _is_undone(self, value: object, at: int) -> bool:
        """Whether what a function changes, if it is called there, is soon as it was before."""
        within = functools.partial(stands_within, warnings.catch_warnings)
        return _is_filtering(value) and within(self.code, self.steps[at].offset, self.scope)

    def _fills_what_is_undone(self, at: int, first: int) -> bool:
        """Whether a function that fills an array, loaded there, fills an own one, or is undone."""
        if self.seen.undoes_all or (self.undoes and self._is_filled_by(first)):
            return True
        return self._fills_own(at)

    def _is_harmless_attribute(self, at: int) -> bool:
        step = self.steps[at]
        is_called = is_loaded_to_be_called(self.steps, at)
        chain, first = chain_ending_at(self.steps, at)
        owner = self.value(chain[:-1]) if len(chain) > 1 else UNKNOWN
        if owner is not UNKNOWN and not hasattr(type(owner), "_is_traced"):
            value = attribute(owner, step.argval)
            if isinstance(value, property):
                return value.fget is not None and _is_pure(
                    types.MethodType(value.fget, owner), self.seen
                )
            if value is object.__setattr__ and self._sets_what_is_made(at):
                return True
            if is_filling(value):
                return self._fills_what_is_undone(at, first)
            if value is not UNKNOWN:
                self._note_finder(value, is_called=is_called)
                if self._is_only_compared(value, at):
                    return True
                is_called = is_called or is_loaded_to_be_called(self.steps, first)
                return self._is_undone(value, at) or self._is_harmless(value, is_called=is_called)
        if self.makes is not None:
            if step.argval == "__init__":
                return True  # of a base, which `_only_sets_itself` has looked at
            own = getattr_static(self.makes, str(step.argval), None)
            is_own = tuple(str(name) for _, name in chain[:-1]) == self._what_is_made()
            if is_own and isinstance(own, types.FunctionType) and is_called:
                return self._is_pure_part(own)
        self.seen.asked.add(step.argval)
        if not is_called:
            self.seen.taken.add(step.argval)
            return True
        if step.argval in PURE_METHODS or (self.seen.undoes_all and step.argval in _FILLING):
            return True
        if len(chain) == 2 and chain[0][0].startswith("LOAD_FAST"):
            made = self.made(str(chain[0][1]), at)
            if made == "generator" or (made is not None and step.argval in _FILLING):
                return True
        return self._may_be_own_method(str(step.argval))

    def _may_be_own_method(self, name: str) -> bool:
        """Whether a method of an object that is not known may be the user's: it is looked at."""
        if name in OF_LIBRARIES or name in _WRITING_METHODS:
            return False
        self.seen.methods.add(name)
        return True

    def _is_pure_part(self, function: types.FunctionType) -> bool:
        """Whether a method that is called while its object is made changes that object alone."""
        if id(function.__code__) in self.seen:
            return True
        self.seen.add(id(function.__code__))
        return _is_pure_function(function, {}, self.seen, makes=self.makes)

    def _calls_what_is_known(self, at: int) -> bool:
        """Whether each name that is called is a known function, or a method looked at elsewhere."""
        if self._is_of_assert(at):
            return True
        chain = callee_at(self.steps, at)
        if chain and not (
            self._keeps_arguments(at, chain) and self._takes_what_is_known(at, chain)
        ):
            return False
        if not chain:
            if not (self._is_looked_at(at) or self._is_exit(at)):
                self._note_unknown_call(at, has_name=False)
            return True
        if is_item_or_result_called(self.steps, at):
            self._note_unknown_call(at, has_name=False)
        if any(self.value(chain) is finder for finder in _FINDING):
            told = self._is_told_by_text(at, chain)
            self.seen.finds_attributes = self.seen.finds_attributes or not told
        operation, name = chain[-1]
        if operation in ("LOAD_ATTR", "LOAD_METHOD"):
            # `_is_harmless_attribute` has looked at it, unless it is called with ``*args``
            known = self.steps[at].opname != "CALL_FUNCTION_EX" or name in PURE_METHODS
            return known or self.value(chain) is not UNKNOWN
        value = self.value(chain)
        if value is None or value is next or _is_filtering(value):
            return True  # it cannot be called, or was looked at where it is loaded
        if is_filling(value):
            place = self._place_of(chain, at)
            is_seen = operation in ("LOAD_ATTR", "LOAD_GLOBAL", "LOAD_METHOD")
            return is_seen or self._fills_what_is_undone(place, place)
        if value is not UNKNOWN:
            if isinstance(value, (list, tuple, dict)):  # of functions, one of which is chosen
                items = value.values() if isinstance(value, dict) else value
                return all(_is_pure(item, self.seen) for item in items)
            return callable(value) and _is_pure(value, self.seen)
        if operation == "LOAD_GLOBAL":
            return False
        if name in self.arguments:
            self._note_unknown_call(at)
            return True
        places = self.stores.get(str(name), [])
        if not places or not all(
            self.steps[place - 1].opname in _FUNCTION_STEPS and not self.steps[place].is_jump_target
            for place in places
        ):
            self._note_unknown_call(at)
        return True

    def _keeps_arguments(self, at: int, chain: Chain) -> bool:
        """Whether a call writes into nothing that it is given, or all of that is undone."""
        value = self.value(chain)
        if self.seen.undoes_all and value is not print:
            return True
        self.seen.keywords.update(keywords_at(self.code, self.steps, at))
        named = hands_keywords(self.steps, at)
        if named:
            self.seen.keywords.update(x for x in self.code.co_consts if isinstance(x, str))
            if self._hands_on_keywords(at):
                self.seen.handed_on |= self._keywords_to_write(chain)
                named = False
            else:
                self.seen.keywords.add(ANY)
        return self._writes_nothing(at, chain, by_keywords=named)

    def _is_of_assert(self, at: int) -> bool:
        """Whether a call makes the error of an ``assert``, which has its place."""
        place = self.steps[at].positions
        return place is not None and any(
            step.opname == "LOAD_ASSERTION_ERROR" and step.positions == place
            for step in self.steps[:at]
        )

    def _note_unknown_call(self, at: int, *, has_name: bool = True) -> None:
        """Remember that something is called of which it is not known what it is."""
        self.calls_unknown = self.calls_unknown or not has_name
        step = self.steps[at]
        by_name = len(keywords_at(self.code, self.steps, at))
        count = sys.maxsize if step.opname == "CALL_FUNCTION_EX" else int(step.arg or 0) - by_name
        self.seen.calls_given = True
        self.seen.most_given = max(self.seen.most_given, count)

    def _is_exit(self, at: int) -> bool:
        """Whether a call is that of ``__exit__`` at the end of a ``with``, which has its place."""
        place = self.steps[at].positions
        given = [s for s in self.steps[max(0, at - 4) : at] if s.opname not in BETWEEN][-_OF_EXIT:]
        return (
            place is not None
            and len(given) == _OF_EXIT
            and all(
                s.opname == "LOAD_CONST" and s.argval is None and s.positions == place
                for s in given
            )
        )

    def _takes_what_is_known(self, at: int, chain: Chain) -> bool:
        """Whether functions that a call is given to call are known to change nothing."""
        if chain[-1][1] in _TAKING:
            start = self._place_of(chain, at) + 1
            while self.steps[start].opname in BETWEEN:
                start += 1
            taken, _ = chain_ending_at(self.steps, self._end_of_chain(start))
            if begins_more(self.steps[start:at]):
                self._note_unknown_call(at)
            return self._is_taken(taken, self.steps[start])
        if "key" not in keywords_at(self.code, self.steps, at):
            return True
        before = next(s for s in reversed(self.steps[:at]) if s.opname not in _AROUND_CALLS)
        taken, _ = chain_ending_at(self.steps, self.steps.index(before))
        return keywords_at(self.code, self.steps, at)[-1] == "key" and self._is_taken(taken, before)

    def _is_taken(self, chain: Chain, step: dis.Instruction) -> bool:
        """Whether a function is known to change nothing."""
        if step.opname == "MAKE_FUNCTION" or isinstance(step.argval, types.CodeType):
            return True  # its code is looked at with this one
        if step.opname == "LOAD_CONST":
            return step.argval is None
        value = self.value(chain)
        if value is UNKNOWN or callable(value):
            return value is not UNKNOWN and self._is_harmless(value)
        self.seen.calls_given = True  # an item of it, say
        return self._is_harmless(value)


def _is_filtering(value: object) -> bool:
    return any(value is function for function in _FILTERING)


_OF_EXIT = 3
"""Arguments of ``__exit__``, each of them None where there was no error."""
_AROUND_CALLS = frozenset("CACHE KW_NAMES LOAD_CONST PRECALL".split())
