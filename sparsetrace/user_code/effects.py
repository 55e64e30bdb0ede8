"""Whether a Python function may be run again: what its bytecode says of side effects.

Contract: in doubt it has some.  A function that stores into anything but its own variables,
or calls what is not known to be pure, is not run twice for one element.
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
import types
from collections.abc import Iterator
from inspect import getattr_static
from typing import Any

import numpy as np

__all__ = ["has_effects"]

_STORES = frozenset(
    """
    DELETE_ATTR DELETE_DEREF DELETE_GLOBAL DELETE_SUBSCR IMPORT_NAME STORE_ATTR STORE_GLOBAL
    STORE_NAME STORE_SLICE STORE_SUBSCR
    """.split()
)
_PURE_BUILTINS = frozenset(
    """
    abs all any bool complex divmod enumerate float int isinstance issubclass len list map max min
    pow range reversed round sorted str sum tuple type zip
    """.split()
)
_PURE_METHODS = frozenset(
    """
    all any argmax argmin astype clip conj conjugate copy dot flatten get index is_integer item
    items keys max mean min prod ravel reshape round squeeze std sum tolist trace transpose values
    var
    """.split()
)
"""Of numbers, arrays, lists and dictionaries."""
_WRITING = frozenset("copyto fill_diagonal place put put_along_axis putmask shuffle".split())
_MODULES = ("cmath", "math", "numpy", "operator", "scipy.special")
_IN_PLACE = "="
"""The last letter of an operator that may change its left side."""


def has_effects(function: Any) -> bool:
    """Whether calling the function may change anything but its result.

    Examples
    --------
    >>> seen = []
    >>> has_effects(lambda v: np.sin(v) if v > 0 else -v), has_effects(lambda v: seen.append(v))
    (False, True)
    """
    return not _is_pure(function, set())


def _is_pure(function: Any, seen: set[int]) -> bool:
    if id(function) in seen:
        return True
    seen.add(id(function))
    if isinstance(function, functools.partial):
        inside = (function.func, *filter(callable, (*function.args, *function.keywords.values())))
        return all(_is_pure(f, seen) for f in inside)
    if isinstance(function, np.ufunc):
        return function.types != ["O" * function.nin + "->" + "O" * function.nout]
    if isinstance(function, types.MethodType):
        return _is_pure_code(function.__func__, function.__self__, seen)
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__name__", "")
    if module in _MODULES or module.startswith(("numpy.", "scipy.special.")):
        return name not in _WRITING and "random" not in module
    if getattr(builtins, name, None) is function or isinstance(function, type):
        return module == "builtins" and name in _PURE_BUILTINS
    return isinstance(function, types.FunctionType) and _is_pure_code(function, None, seen)


def _is_pure_code(function: Any, bound: Any, seen: set[int]) -> bool:
    if not isinstance(function, types.FunctionType):
        return False
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    names = dict(_cells(function))
    if not all(_is_pure(f, seen) for f in (*defaults, *names.values()) if callable(f)):
        return False
    plain = all(isinstance(v, _UNCHANGING) or callable(v) for v in (*defaults, *names.values()))
    return _is_pure_body(function.__code__, function.__globals__, bound, seen, plain=plain)


_UNCHANGING = (bool, int, float, complex, str, bytes, tuple, np.generic, type(None))


def _cells(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not filled yet
            continue


def _is_pure_body(
    code: types.CodeType, scope: dict[str, Any], bound: Any, seen: set[int], *, plain: bool
) -> bool:
    """Whether nothing in the code stores or calls what it should not."""
    before: Any = None
    changes = False
    for step in dis.get_instructions(code):
        if step.opname in _STORES:
            return False
        if step.opname == "YIELD_VALUE" and code.co_name != "<genexpr>":
            return False
        if step.opname == "STORE_DEREF" and step.argval in code.co_freevars:
            return False
        if step.opname == "BINARY_OP" and step.argrepr.endswith(_IN_PLACE):
            changes = True
        value = None
        if step.opname == "LOAD_GLOBAL":
            value = scope.get(step.argval, vars(builtins).get(step.argval))
            plain = plain and (
                isinstance(value, (*_UNCHANGING, types.ModuleType)) or callable(value)
            )
            if callable(value) and not _is_pure(value, seen):
                return False
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            if isinstance(before, types.ModuleType):
                value = getattr(before, step.argval, None)
                if callable(value) and not _is_pure(value, seen):
                    return False
            elif _is_method(step) and step.argval not in _PURE_METHODS:
                own = getattr_static(type(bound), step.argval, None)
                if before is not bound or not _is_pure_code(own, bound, seen):
                    return False
        elif step.opname.startswith("LOAD_FAST") and code.co_varnames and bound is not None:
            value = bound if step.argval == code.co_varnames[0] else None
        if step.opname not in ("PUSH_NULL", "CACHE", "PRECALL"):
            before = value
    nested = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return (plain or not changes) and all(
        _is_pure_body(c, scope, None, seen, plain=plain) for c in nested
    )


def _is_method(step: dis.Instruction) -> bool:
    """Whether an attribute is loaded to be called."""
    if step.opname == "LOAD_METHOD":
        return True
    return sys.version_info >= (3, 12) and bool((step.arg or 0) & 1)
