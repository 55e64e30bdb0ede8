"""What a function reads beside its arguments: names of modules and variables of its closure.

Numbers and texts that its own closure holds count as arguments, which each call may have others of.

Contract: known only where all of it is functions, modules and values that nothing can change, so
that it is the same as long as each name stands for the same object.  In doubt it is not known.
Nothing of the user's runs here.
"""

from __future__ import annotations

import builtins
import operator
import types
from typing import Any

import numpy as np

from sparsetrace.user_code.frames import is_library_code
from sparsetrace.user_code.handlers import instructions_of
from sparsetrace.user_code.held_values import UNKNOWN, is_unchanging
from sparsetrace.user_code.own_stores import written_by_user
from sparsetrace.user_code.seen_names import global_value

__all__ = ["ReadState", "content", "counts_as_given"]

_MODULES = frozenset("cmath math numpy numpy.linalg operator scipy.special".split())
_OF_STATE = frozenset(
    """
    char ctypeslib errstate f2py geterr geterrcall getbufsize get_printoptions lib ma matrixlib
    printoptions random rec testing typing
    """.split()
)
"""Attributes of these modules that show what may change, or lead there."""
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
_PLAIN = (bool, float, int, str, type(None))
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
        self._stored: set[str] = set()
        self._functions: dict[int, types.FunctionType] = {}
        self._attributes: set[str] = set()
        self._modules: list[types.ModuleType] = []
        self.is_known = (
            self._is_function_known(function)
            and self._are_attributes_known()
            and self._stored.isdisjoint(function.__code__.co_freevars)
        )

    def holds(self) -> bool:
        """Whether each name and variable still stands for the same object.

        And whether no function has been given attributes.
        """
        if any(map(vars, self._functions.values())):
            return False
        for (_, name), (scope, value) in self._names.items():
            if scope.get(name, UNKNOWN) is not value:
                return False
        return all(content(cell) is value for cell, value in self._cells.values())

    def is_of(self, function: types.FunctionType) -> bool:
        """Whether a function that was made of the same code closes over the same variables."""
        cells = function.__closure__ or ()
        return len(cells) == len(self._own_cells) and all(map(operator.is_, cells, self._own_cells))

    def _is_function_known(self, function: types.FunctionType) -> bool:
        if id(function) in self._functions:
            return True
        self._functions[id(function)] = function
        if len(self._functions) > _MOST_FUNCTIONS or vars(function):
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
        return all(map(is_unchanging, given)) and self._is_code_known(code, function.__globals__)

    def _is_code_known(self, code: types.CodeType, scope: dict[str, Any]) -> bool:
        steps = instructions_of(code)
        for at, step in enumerate(steps):
            if step.opname in _REBINDING:
                return False
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
                if step.argval.startswith("__"):
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
            plain = global_value({}, (name,))
            is_error = isinstance(plain, type) and issubclass(plain, Exception)
            return name in _BUILTINS or is_error
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
        return is_unchanging(value) and not hasattr(type(value), "_is_number")

    def _are_attributes_known(self) -> bool:
        if self._attributes & _OF_STATE and self._modules:
            return False
        for module in self._modules:
            for name in self._attributes:
                value = vars(module).get(name)
                if isinstance(value, types.ModuleType) and value.__name__ not in _MODULES:
                    return False
        return True


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
    return hasattr(type(value), "_is_number") or type(value) in _PLAIN


def content(cell: types.CellType) -> Any:
    """What a variable of a closure holds."""
    try:
        return cell.cell_contents
    except ValueError:
        return UNKNOWN
