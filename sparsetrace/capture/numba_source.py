"""The Python source of what numba compiles, run in place of the machine code.

Contract: what the source says is what the machine code does, or the call is refused: where
its types are declared (other than float64 and complex128), where it calls a function of
which numba compiles another source, and where it raises errors that the compiler refuses.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from sparsetrace.errors import EscapeError, TracingError, UnsupportedError, explain
from sparsetrace.operands.operands import contains_traced, dtype_of, is_traced

__all__ = [
    "closes_over_traced",
    "fits",
    "gives",
    "keeps",
    "name_of",
    "package_of",
    "refuse",
    "run_source",
]

_CONFUSED = (AttributeError, NameError, NotImplementedError, TypeError)
"""Errors that compiled code does not raise by itself: the compiler refuses what may raise them."""
_REMEDY = (
    "Call its Python source in the traced function (kernel.py_func), with float64 values, or write "
    "it with NumPy functions"
)
_FLOATS = ("float64", "complex128")


_MOST_NESTED = 5


def closes_over_traced(function: Any, depth: int = _MOST_NESTED) -> bool:
    """Whether a function made in the traced one has traced values in its closure."""
    for cell in function.__closure__ or ():
        value = cell.cell_contents if _is_filled(cell) else None
        if contains_traced(value):
            return True
        inner = getattr(value, "py_func", None) or value
        if depth and type(inner) is types.FunctionType and closes_over_traced(inner, depth - 1):
            return True
    return False


def refuse(call: str, problem: str) -> NoReturn:
    """Raise the error of a call that the machine code alone could answer."""
    raise UnsupportedError(explain(call, problem, _REMEDY + "."))


def package_of(scope: dict[str, Any]) -> str:
    """The package of a module, by its globals."""
    return str(scope.get("__name__", "")).partition(".")[0]


def name_of(function: object) -> str:
    """How errors name a compiled function."""
    return f"the compiled function {getattr(function, '__qualname__', function)}"


def run_source(call: str, dispatcher: Any, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What a function gives of which the dispatcher has the machine code."""
    replaced = _replaced(dispatcher, function)
    if replaced:
        refuse(call, f"it calls {replaced}, of which numba compiles another source (overload)")
    try:
        return function(*args, **kwargs)
    except TracingError:
        raise
    except _CONFUSED as error:
        problem = (
            "its Python source, which is traced in place of the machine code, raised "
            f"{type(error).__name__}: {error}"
        )
        # with the frames of the source, in which early-bound names are exchanged
        shown = EscapeError(explain(call, problem, "Write it with NumPy functions."))
        raise shown.with_traceback(error.__traceback__) from error


_REPLACED: weakref.WeakKeyDictionary[Any, str | None] = weakref.WeakKeyDictionary()


def _replaced(dispatcher: Any, function: Any) -> str | None:
    """A function that the source calls, and that the compiler finds another source for."""
    if function not in _REPLACED:
        context = dispatcher.targetdescr.typing_context
        context.refresh()
        todo, seen = [function], {function}
        replaced = None
        while todo and replaced is None:
            for called in set(_called(todo.pop())) - seen:
                seen.add(called)
                todo.append(called)
                if _has_overload(context, called):
                    replaced = called.__qualname__
        _REPLACED[function] = replaced
    return _REPLACED[function]


def _called(function: Any) -> Iterator[types.FunctionType]:
    """The plain functions that a function names, in its module, in others and in a closure."""
    names = set(_names(function.__code__))
    named = [function.__globals__.get(name) for name in names]
    named += [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    modules = [value for value in named if type(value) is types.ModuleType]
    named += [vars(module).get(name) for module in modules for name in names]
    for value in named:
        if type(value) is types.FunctionType and package_of(value.__globals__) not in _KNOWN:
            yield value


_KNOWN = ("numba", "numpy", "scipy", "sparsetrace")
"""What their functions give is what numba makes of them."""


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _has_overload(context: Any, function: types.FunctionType) -> bool:
    templates = getattr(context._lookup_global(function), "templates", ())
    sources = [getattr(template, "_overload_func", None) for template in templates]
    # register_jitable compiles the function's own source
    return any(
        source is not None and source.__module__ != "numba.core.extending" for source in sources
    )


def fits(signature: Any, args: tuple[Any, ...]) -> bool:
    """Whether declared types leave the values of the arguments as they are."""
    for declared, arg in zip(signature.args, args, strict=False):
        if is_traced(arg):
            if not (keeps(declared) or _is_of(declared, dtype_of(arg))):
                return False
        elif isinstance(arg, (list, tuple)):
            if not keeps(declared):
                return False
        elif isinstance(arg, float) and str(declared).startswith(("int", "uint")):
            return False
    return True


def gives(declared: Any, result: Any) -> bool:
    """Whether a declared type of what is returned leaves the values as they are.

    Whole numbers and truth values stay what they are where the source gives such.
    """
    inner = getattr(declared, "types", None)
    if inner is not None and isinstance(result, tuple) and len(inner) == len(result):
        return all(map(gives, inner, result))
    if keeps(declared):
        return True
    is_number = is_traced(result) or isinstance(result, (bool, int, np.ndarray, np.generic))
    return is_number and _is_of(declared, dtype_of(result))


def _is_of(declared: Any, dtype: np.dtype[Any]) -> bool:
    """Whether it is the type of these whole numbers or truth values, or of an array of them."""
    name = str(getattr(declared, "dtype", declared))
    return (name, dtype.name) in (("bool", "bool"), ("boolean", "bool"), ("int64", "int64"))


def keeps(declared: object) -> bool:
    """Whether a declared type holds every value of a traced number."""
    for inner in getattr(declared, "types", None) or (declared,):  # of tuples
        if type(inner).__name__ == "Optional":
            inner = inner.type  # type: ignore[union-attr]
        inner = getattr(inner, "dtype", inner)
        if str(inner) not in (*_FLOATS, "none"):
            return False
    return True
