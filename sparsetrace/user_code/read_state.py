"""What a function reads beside its arguments: names of modules and variables of its closure.

Numbers and texts that its own closure holds count as arguments, which each call may have others of.

Contract: known only where all of it is functions, modules and values that nothing can change, so
that it is the same as long as each name stands for the same object.  In doubt it is not known.
Nothing of the user's runs here.
"""

from __future__ import annotations

import builtins
import collections
import operator
import types
from typing import Any

import numpy as np

from sparsetrace.user_code.class_making import is_named_tuple
from sparsetrace.user_code.frames import is_library_code
from sparsetrace.user_code.handlers import instructions_of
from sparsetrace.user_code.held_values import UNKNOWN, is_unchanging
from sparsetrace.user_code.own_stores import written_by_user

__all__ = ["ReadState", "content", "counts_as_given", "is_exact"]

_MODULES = frozenset("cmath math numpy numpy.linalg operator scipy.special".split())
_OF_STATE = frozenset(
    """
    array2string array_repr array_str char ctypeslib errstate f2py format_float_positional
    format_float_scientific fromfile fromregex genfromtxt geterr geterrcall getbufsize
    get_printoptions lib load loadtxt ma matrixlib memmap printoptions random rec testing typing
    """.split()
)
"""Attributes of these modules that show what may change (settings, files), or lead there."""
_BUILTINS = frozenset(
    """
    abs all any bool complex divmod enumerate filter float frozenset int isinstance len list map max
    min pow range reversed round set slice sorted sum tuple zip
    """.split()
)
_REBINDING = frozenset(
    """
    DELETE_GLOBAL IMPORT_FROM IMPORT_NAME LOAD_BUILD_CLASS LOAD_NAME STORE_ATTR STORE_GLOBAL
    STORE_NAME
    """.split()
)
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_FORMATTING = frozenset("CONVERT_VALUE FORMAT_SIMPLE FORMAT_VALUE FORMAT_WITH_SPEC".split())
"""What makes text of an object, as its class or NumPy's settings say."""
_FORMATTING_METHODS = frozenset("format format_map tofile".split())
_PLAIN = (bool, float, int, str, type(None))
_EXACT = frozenset((*_PLAIN, bytes, complex))
_Example = collections.namedtuple("_Example", ())
_MOST_FUNCTIONS = 32


class ReadState:
    """What a function and those that it calls by name read.

    Parameters
    ----------
    function : function

    Attributes
    ----------
    is_known : bool

    Examples
    --------
    >>> limit, seen = 2.0, []
    >>> def f(v):
    ...     return min(v, limit)
    >>> def g(v):
    ...     return v * len(seen)
    >>> ReadState(f).is_known, ReadState(g).is_known
    (True, False)
    """

    def __init__(self, function: types.FunctionType) -> None:
        self._names: dict[tuple[int, str], tuple[dict[str, Any], Any]] = {}
        self._cells: dict[int, tuple[types.CellType, Any]] = {}
        self._own_cells = function.__closure__ or ()
        self._own = _made_of(function)
        self._stored: set[str] = set()
        self._has_text = self._has_modulo = False
        """Which together may format."""
        self._functions: dict[int, tuple[types.FunctionType, tuple[Any, ...]]] = {}
        self._attributes: set[str] = set()
        self._modules: list[types.ModuleType] = []
        self.is_known = (
            self._is_function_known(function)
            and self._are_attributes_known()
            and not (self._has_text and self._has_modulo)
            and self._stored.isdisjoint(function.__code__.co_freevars)
        )

    def holds(self) -> bool:
        """Whether each name and variable still stands for the same object.

        And whether each function has the same code and defaults, and none has attributes.
        """
        for function, made_of in self._functions.values():
            if vars(function) or not all(map(operator.is_, _made_of(function), made_of)):
                return False
        for (_, name), (scope, value) in self._names.items():
            if scope.get(name, UNKNOWN) is not value:
                return False
        return all(content(cell) is value for cell, value in self._cells.values())

    def is_of(self, function: types.FunctionType) -> bool:
        """Whether a function that was made of the same code reads the same names and variables."""
        made_of, cells = _made_of(function), function.__closure__ or ()
        return (
            len(made_of) == len(self._own)
            and len(cells) == len(self._own_cells)
            and all(map(operator.is_, made_of, self._own))
            and all(map(operator.is_, cells, self._own_cells))
        )

    def _is_function_known(self, function: types.FunctionType) -> bool:
        if id(function) in self._functions:
            return True
        self._functions[id(function)] = function, _made_of(function)
        if len(self._functions) > _MOST_FUNCTIONS or vars(function):
            return False
        own: Any = function
        if own.__builtins__ is not vars(builtins):  # of code that was given others
            return False
        code = written_by_user(function)
        if is_library_code(code):
            return False
        is_own = len(self._functions) == 1
        for cell in function.__closure__ or ():
            value = content(cell)
            if is_own and counts_as_given(value):
                continue
            self._cells[id(cell)] = cell, value
            if not self._is_value_known(value):
                return False
        given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        return all(map(is_exact, given)) and self._is_code_known(code, function.__globals__)

    def _is_code_known(self, code: types.CodeType, scope: dict[str, Any]) -> bool:
        steps = instructions_of(code)
        for at, step in enumerate(steps):
            if step.opname in _REBINDING or step.opname in _FORMATTING:
                return False
            if step.opname == "BINARY_OP" and step.argrepr in ("%", "%="):
                self._has_modulo = True
            if step.opname == "LOAD_CONST" and isinstance(step.argval, (str, bytes)):
                self._has_text = True
            if step.opname in ("STORE_DEREF", "DELETE_DEREF"):
                self._stored.add(step.argval)
            if step.opname == "LOAD_GLOBAL":
                value = self._read(scope, step.argval)
                if _is_of_user(value):  # of which just an attribute is read
                    after = steps[at + 1]
                    if after.opname not in _ATTRIBUTES:
                        return False
                    value = self._read(vars(value), after.argval)
                    if not self._is_value_known(value):
                        return False
                elif not self._is_name_known(step.argval, value):
                    return False
            elif step.opname in _ATTRIBUTES:
                if step.argval.startswith("__") or step.argval in _FORMATTING_METHODS:
                    return False
                self._attributes.add(step.argval)
        nested = (x for x in code.co_consts if isinstance(x, types.CodeType))
        return all(self._is_code_known(one, scope) for one in nested)

    def _read(self, scope: dict[str, Any], name: str) -> Any:
        value = scope.get(name, UNKNOWN)
        self._names[id(scope), name] = scope, value
        return value

    def _is_name_known(self, name: str, value: Any) -> bool:
        if value is UNKNOWN:
            plain = self._read(vars(builtins), name)
            if isinstance(plain, type) and issubclass(plain, Exception):
                return plain.__module__ == "builtins"
            return name in _BUILTINS and _is_builtin(plain)
        if name in _BUILTINS:  # which is exchanged while a trace runs
            return getattr(value, "__module__", "").startswith("sparsetrace.") or (
                value is getattr(builtins, name)
            )
        return self._is_value_known(value)

    def _is_value_known(self, value: Any) -> bool:
        if isinstance(value, types.ModuleType):
            self._modules.append(value)
            return not _is_of_user(value)
        if isinstance(value, types.FunctionType):
            if _is_of_modules(value):
                return value.__name__ not in _OF_STATE
            return self._is_function_known(value)
        if isinstance(value, np.ufunc):
            return True
        if isinstance(value, types.BuiltinFunctionType):  # or a method of an object
            return isinstance(value.__self__, types.ModuleType) and _is_of_modules(value)
        self._has_text = self._has_text or isinstance(value, (str, bytes))
        return is_exact(value) and not hasattr(type(value), "_is_number")

    def _are_attributes_known(self) -> bool:
        if self._attributes & _OF_STATE and self._modules:
            return False
        for module in self._modules:
            for name in self._attributes:
                if name not in vars(module):
                    continue
                value = self._read(vars(module), name)
                if isinstance(value, types.ModuleType) and value.__name__ not in _MODULES:
                    return False
                if isinstance(value, types.FunctionType) and not _is_of_modules(value):
                    return False
        return True


def _made_of(function: types.FunctionType) -> tuple[Any, ...]:
    """What a call of a function works with beside its arguments, to be compared by identity."""
    by_name = function.__kwdefaults__
    made_of = function.__code__, function.__globals__, function.__defaults__
    return (*made_of, *by_name, *by_name.values()) if by_name else made_of


def is_exact(value: Any) -> bool:
    """Whether nothing can change an object, and no function of a class of the user's reads it."""
    cls = type(value)
    if issubclass(cls, tuple):
        return (cls is tuple or _is_plain_named_tuple(cls)) and all(map(is_exact, value))
    if cls in _EXACT or hasattr(cls, "_is_bare"):
        return cls in _EXACT or cls._is_bare is True
    return isinstance(value, np.generic) and cls.__module__ == "numpy" and is_unchanging(value)


def _is_plain_named_tuple(cls: Any) -> bool:
    """Whether a class has what ``namedtuple`` makes of its fields, and nothing besides."""
    own = frozenset(vars(cls)) - frozenset(vars(_Example))
    return cls.__bases__ == (tuple,) and is_named_tuple(cls) and own.issubset(cls._fields)


def _is_builtin(value: Any) -> bool:
    """Whether it is one of Python's, or stands for one while a trace runs."""
    module = getattr(value, "__module__", None) or ""
    return module == "builtins" or module.startswith("sparsetrace.")


def _is_of_user(value: Any) -> bool:
    return isinstance(value, types.ModuleType) and value.__name__ not in _MODULES


def _is_of_modules(value: Any) -> bool:
    """Whether a function belongs to one of the modules, or stands for one that does."""
    module = getattr(value, "__module__", None) or ""
    return module.startswith("sparsetrace.") or any(
        module == name or module.startswith(f"{name}.") for name in _MODULES
    )


def counts_as_given(value: Any) -> bool:
    """Whether what a function's closure holds counts as one of its arguments."""
    return getattr(type(value), "_is_bare", False) is True or type(value) in _PLAIN


def content(cell: types.CellType) -> Any:
    """What a variable of a closure holds."""
    try:
        return cell.cell_contents
    except ValueError:
        return UNKNOWN
