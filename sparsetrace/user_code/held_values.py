"""What the names in a function's code hold, as far as its bytecode tells without running it.

Contract: in doubt nothing is known.  What a function has made itself nothing else holds: it may
store into that.
"""

from __future__ import annotations

import builtins
import dis
import enum
import types
from collections.abc import Hashable
from inspect import getattr_static
from typing import Any

import numpy as np

from sparsetrace.user_code.bytecode import Chain, callee_at
from sparsetrace.user_code.handlers import instructions_of
from sparsetrace.user_code.imports import import_at
from sparsetrace.user_code.written_arguments import keywords_at

__all__ = [
    "PACKAGES",
    "UNKNOWN",
    "HeldValues",
    "attribute",
    "is_unchanging",
    "makes_generator",
    "stored",
    "value_key",
]

UNKNOWN: Any = object()
PACKAGES = ("numpy.", "scipy.special.", "sparsetrace.")
_ARRAY_MAKERS = frozenset(
    """
    array copy empty empty_like eye full full_like linspace ones ones_like zeros zeros_like
    """.split()
)
_VALUE_MAKERS = frozenset("bool complex float int len ord".split())
"""Functions and classes of Python's that give what no operator changes."""
_CONTAINER_MAKERS = frozenset("dict list set".split())
_GENERATOR_MAKERS = frozenset("Generator Random RandomState default_rng".split())
_CONTAINER_STEPS = frozenset(
    "BUILD_LIST BUILD_MAP BUILD_SET DICT_MERGE DICT_UPDATE LIST_EXTEND SET_UPDATE".split()
)
_VALUE_STEPS = frozenset(
    """
    BUILD_STRING COMPARE_OP CONTAINS_OP FORMAT_VALUE IS_OP LOAD_CONST UNARY_INVERT UNARY_NEGATIVE
    UNARY_NOT UNARY_POSITIVE
    """.split()
)
_UNCHANGING: tuple[Any, ...] = (bool, int, float, complex, str, bytes, np.generic, type(None))


def is_unchanging(value: object) -> bool:
    """Whether no operator can change an object."""
    if isinstance(value, tuple):
        return all(map(is_unchanging, value))
    if isinstance(value, np.void):  # fields may be assigned to
        return False
    # a traced number tells ``isinstance`` that it is a float
    is_bare = getattr(type(value), "_is_bare", None)
    return is_bare is True or (is_bare is None and isinstance(value, _UNCHANGING))


def value_key(value: Any) -> Hashable:
    """Equal for what `is_unchanging` says that no operator can change, if it is the same.

    What a class of the user's shows as its text need not say all.  What it keeps beside that in
    attributes is equal to nothing, nor is a traced number.

    Examples
    --------
    >>> value_key(1.0) == value_key(1), value_key((1.0, "a")) == value_key((1.0, "a"))
    (False, True)
    """
    cls: Any = type(value)
    if getattr(cls, "_is_bare", False) is True:
        return object()
    if isinstance(value, tuple):
        own: Hashable = tuple(map(value_key, value))
    elif cls in _UNCHANGING or cls.__module__ == "numpy" or not isinstance(value, _UNCHANGING):
        return cls, repr(value)
    else:
        own = next(base.__repr__(value) for base in _UNCHANGING if isinstance(value, base))
    if isinstance(value, enum.Enum):
        return cls, id(value)  # there is one of each
    return cls, own, object() if getattr(value, "__dict__", None) else None


class HeldValues:
    """The instructions of one function, and what is known of the values behind its names.

    Parameters
    ----------
    code : code
    scope : dict
        The globals of its module.
    cells, given : dict
        What variables of its closure and its arguments hold, as far as that is known.

    Examples
    --------
    >>> def f(v):
    ...     result = np.zeros(2)
    ...     result[0] = v
    ...     return result
    >>> held = HeldValues(f.__code__, globals(), {}, {"v": 0.5})
    >>> held.made("result", len(held.steps)), held.made("v", len(held.steps))
    ('array', 'value')
    """

    def __init__(
        self,
        code: types.CodeType,
        scope: dict[str, Any],
        cells: dict[str, Any],
        given: dict[str, Any],
    ) -> None:
        self.code, self.scope, self.cells, self.given = code, scope, cells, given
        self.steps = instructions_of(code)
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & 4) + bool(code.co_flags & 8)
        self.arguments = set(code.co_varnames[:count])
        self.stores: dict[str, list[int]] = {}
        for at, step in enumerate(self.steps):
            for name in stored(step):
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
            if name not in self.arguments and (value := self._imported(name)) is not UNKNOWN
        }

    def _imported(self, name: str) -> Any:
        """The module, or what is of one, that a local name holds from ``import`` statements."""
        values = [self._import_at(at - 1) for at in self.stores[name]]
        return values[0] if all(value is values[0] for value in values) else UNKNOWN

    def _import_at(self, at: int) -> Any:
        step = self.steps[at]
        if step.opname == "IMPORT_NAME":
            return import_at(self.steps, at).given(self.scope) or UNKNOWN
        if step.opname != "IMPORT_FROM":
            return UNKNOWN
        names = [step.argval]
        while at and self.steps[at].opname != "IMPORT_NAME":
            at -= 1
            if self.steps[at].opname == "IMPORT_FROM":
                names.insert(0, self.steps[at].argval)
        statement = import_at(self.steps, at)
        value = statement.given(self.scope) or UNKNOWN
        # ``import a.b.c as d`` takes each name from what the one before it gave
        for name in names[-1:] if statement.names else names:
            value = attribute(value, name)
        return value

    def made(self, name: str, at: int, under: frozenset[str] = frozenset()) -> str | None:
        """What a name holds that the function has made: a value, array, container, generator."""
        if name in under:
            return "value"
        if name in self.code.co_cellvars:
            return None
        is_changing = not is_unchanging(self.given.get(name, UNKNOWN))
        if name in self.arguments and is_changing and not self._is_stored_before(name, at):
            return None
        stores = [i for i in self.stores.get(name, []) if self._reaches(i, at)]
        kinds = {self._producer(i, under | {name}) for i in stores}
        if not kinds:
            return "value" if name in self.arguments else None
        if None in kinds:
            return None
        if "generator" in kinds and len(kinds) > 1:
            return None
        kinds.discard("value") if len(kinds) > 1 else None
        return kinds.pop() if len(kinds) == 1 else "container"

    def _is_stored_before(self, name: str, at: int) -> bool:
        """Whether a name is stored into on every way to an instruction."""
        if self.code.co_exceptiontable:
            return False
        jumps = [
            (i, step.argval)
            for i, step in enumerate(self.steps[:at])
            if step.opcode in dis.hasjrel and "BACKWARD" not in step.opname
        ]
        return any(
            store < at and not any(i < store and self.steps[store].offset < to for i, to in jumps)
            for store in self.stores.get(name, ())
        )

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
        if step.opname == "LOAD_FAST":
            made = self.made(step.argval, before, under)
            return made if made == "value" and step.argval not in under else None
        if step.opname.startswith("CALL"):
            chain = callee_at(self.steps, before)
            if (
                "copy" in keywords_at(self.code, self.steps, before)
                or step.opname == "CALL_FUNCTION_EX"
            ):
                return None
            return self._made_by_method(chain, before, under) or _made_by(self.value(chain))
        return None

    def _made_by_method(self, chain: Chain, at: int, under: frozenset[str]) -> str | None:
        """What a method of an array makes that the function has made itself."""
        names = [str(name) for _, name in chain]
        if names[1:] == ["copy"] and self._is_given_array(names[0], at):
            return "array"
        if names[1:] in (["dot"], ["T", "dot"], ["copy"]) and self.steps[at].arg in (0, 1):
            return "array" if self.made(names[0], at, under) == "array" else None
        return None

    def _is_given_array(self, name: str, at: int) -> bool:
        """Whether a name still holds a traced array there that the function was given."""
        cls: Any = type(self.given.get(name))
        if any(self._reaches(store, at) for store in self.stores.get(name, ())):
            return False
        is_array = getattr(cls, "_is_traced", False) is True and issubclass(cls, np.ndarray)
        return is_array and "__dict__" not in dir(cls)  # a class of the user's has its own copy

    def value(self, chain: Chain) -> Any:
        """What stands behind a chain of names, as far as that is known without running code."""
        if not chain:
            return UNKNOWN
        operation, name = chain[0]
        if operation == "LOAD_GLOBAL":
            value = self.scope.get(name, vars(builtins).get(name, UNKNOWN))
        elif operation in ("LOAD_DEREF", "LOAD_CLASSDEREF"):
            value = self.cells.get(name, self.imported.get(name, UNKNOWN))
        elif operation.startswith("LOAD_FAST") and name not in self.stores:
            value = self.given.get(str(name), UNKNOWN)
        else:
            value = self.imported.get(str(name), UNKNOWN)
        for _, name in chain[1:]:
            value = attribute(value, name)
        return value


def stored(step: dis.Instruction) -> tuple[str, ...]:
    """The local names that an instruction stores into."""
    if step.opname in ("STORE_FAST", "STORE_DEREF", "STORE_FAST_MAYBE_NULL"):
        return (step.argval,)
    return ()


def _made_by(maker: object) -> str | None:
    """What a known function has made when it returns; nothing else holds that."""
    module, name = getattr(maker, "__module__", None) or "", getattr(maker, "__name__", "")
    if (module == "numpy" or module.startswith(PACKAGES)) and name in _ARRAY_MAKERS:
        return "array"
    if module == "builtins" and name in _CONTAINER_MAKERS:
        return "container"
    if module == "builtins" and name in _VALUE_MAKERS:
        return "value"
    return "generator" if makes_generator(maker) else None


def makes_generator(maker: object) -> bool:
    """Whether a call makes a generator of random numbers, and draws none."""
    module, name = getattr(maker, "__module__", None) or "", getattr(maker, "__name__", "")
    return name in _GENERATOR_MAKERS and (module == "random" or module.startswith(PACKAGES))


def attribute(owner: object, name: str) -> Any:
    """An attribute as it stands in the module, the instance or the class; methods bound."""
    if owner is UNKNOWN:
        return UNKNOWN
    if isinstance(owner, types.ModuleType):
        return getattr(owner, name, UNKNOWN)
    value = getattr_static(owner, name, UNKNOWN)
    if isinstance(value, staticmethod):
        return value.__func__
    if isinstance(value, classmethod):
        return types.MethodType(value.__func__, owner if isinstance(owner, type) else type(owner))
    in_class = not isinstance(owner, type) and getattr_static(type(owner), name, None) is value
    if isinstance(value, types.FunctionType) and in_class:
        return types.MethodType(value, owner)
    if in_class and isinstance(value, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return UNKNOWN  # of a type of Python's or NumPy's: told by its name
    return value
