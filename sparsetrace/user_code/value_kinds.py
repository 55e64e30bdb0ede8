"""What a call is given, as far as it decides whether the call has side effects.

Contract: calls of what is equal here have effects alike, as long as names and containers hold what
they held.
"""

from __future__ import annotations

import enum
import inspect
import itertools
import logging
import sys
import types
import weakref
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from sparsetrace.user_code.frames import is_own
from sparsetrace.user_code.held_values import is_unchanging
from sparsetrace.user_code.read_code import is_foreign

__all__ = ["MISSING", "cells_of", "kinds_of", "python_source"]

MISSING = "_sparsetrace_missing"
"""An attribute of the type of what stands for the value of a name that has none."""
_HEAP_TYPE = 1 << 9


_DEEP = 4
"""Objects that hold objects are looked at so far: a model, its parts, what these are made of."""
_MOST_VALUES = 2000
"""What is looked at of one call, beside numbers, arrays and text."""


def kinds_of(values: Iterable[Any]) -> tuple[Hashable, ...] | None:
    """Equal where calls of what is equal have effects alike; None if that is not known."""
    return _kinds_of(values, _DEEP, itertools.count())


def _kinds_of(values: Iterable[Any], deep: int, seen: Iterator[int]) -> tuple[Hashable, ...] | None:
    """The same, as deep as that; `seen` counts the values."""
    result: list[Hashable] = []
    held: Hashable
    for value in values:
        if next(seen) > _MOST_VALUES:
            return None
        cls: Any = type(value)
        if is_unchanging(value) or (cls is slice and is_unchanging(_parts(value))):
            result.append("value")
        elif cls is tuple and deep:
            held = _kinds_of(value, deep - 1, seen)
            if held is None:
                return None
            result.append(held)
        elif isinstance(value, _ALIKE):
            result.append(cls)
        elif cls in _HOLDING:
            among = None if cls is dict else _kinds_among(value, deep, seen)
            held = _kinds_by_name(value, deep, seen) if cls is dict else among
            if held is None:
                return None
            result.append((cls, held))
        elif cls is types.FunctionType and _is_lasting(value):
            result.append(weakref.ref(value))
        elif cls is types.FunctionType and deep:
            kept = (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())
            cells = dict(cells_of(value))  # some may not be filled yet
            held = _kinds_of((*kept, *cells.values()), deep - 1, seen)
            if held is None:
                return None
            result.append((id(value.__globals__), value.__code__, tuple(cells), held))
        elif isinstance(value, _SINGLE):
            result.append(value)
        elif (name := _method_in_c(value)) is not None:
            result.append(name)
        elif cls is types.MethodType and deep:
            held = _kinds_of((value.__func__, value.__self__), deep - 1, seen)
            if held is None:
                return None
            result.append(held)
        elif hasattr(cls, MISSING):
            result.append(cls)
        elif cls.__flags__ & _HEAP_TYPE and not isinstance(value, type) and cls.__dictoffset__:
            attributes = object.__getattribute__(value, "__dict__")
            source = python_source(value)
            if source is not None:
                attributes, held = {}, _kinds_of((source,), deep, seen)
            else:
                held = _kinds_by_name(attributes, deep, seen)
            if held is None:
                return None
            result.append((cls, frozenset(attributes), held))
        else:
            return None
    return tuple(result)


def _method_in_c(value: Any) -> Hashable:
    """Equal for functions of one module, and for methods that draw numbers, of one name."""
    if not isinstance(value, (types.BuiltinFunctionType, types.MethodType)):
        return None
    owner = value.__self__
    if isinstance(owner, _DRAWING):
        return type(owner), value.__name__
    of_module = isinstance(value, types.BuiltinFunctionType) and isinstance(owner, types.ModuleType)
    return (owner, value.__name__) if of_module else None


def _is_lasting(function: types.FunctionType) -> bool:
    """Whether it is this package's, or stands under its own name in an installed module.

    What it closes over is its own affair, and the same each time.
    """
    if is_own(function.__code__):
        return True
    if "site-packages" not in function.__code__.co_filename and not is_foreign(function.__module__):
        return False
    module = sys.modules.get(function.__module__)
    return module is not None and vars(module).get(function.__name__) is function


def python_source(value: Any) -> types.FunctionType | None:
    """The function that numba has compiled to this one; None if it is nothing of the kind."""
    if not type(value).__module__.startswith("numba."):
        return None
    source = object.__getattribute__(value, "__dict__").get("py_func")
    return source if type(source) is types.FunctionType else None


def _parts(value: slice) -> tuple[Any, ...]:
    return value.start, value.stop, value.step


_ALIKE = (np.ndarray, enum.Enum, inspect.Signature)
"""Which of them it is makes no difference."""
_SINGLE = (types.ModuleType, np.ufunc, type(np.sum), type, logging.Logger)
"""Of which each is a kind of its own."""
_DRAWING = (np.random.Generator, np.random.RandomState)
"""Whose methods differ by their names alone."""
_HOLDING = (list, dict, set)


_MOST_ITEMS = 256
"""Of a container, beside numbers, arrays and text."""


def _kinds_by_name(items: Mapping[Any, Any], deep: int, seen: Iterator[int]) -> Hashable:
    """What is told apart of what a dictionary holds, without numbers, arrays and text."""
    others = {name: value for name, value in items.items() if not _is_plain(type(value))}
    if len(others) > _MOST_ITEMS or (others and not deep):
        return None
    kinds = _kinds_of(others.values(), deep - 1, seen)
    return None if kinds is None else frozenset(zip(others, kinds, strict=True))


def _kinds_among(items: Iterable[Any], deep: int, seen: Iterator[int]) -> Hashable:
    """The same of a list or a set, whatever the order."""
    others = [value for value in items if not _is_plain(type(value))]
    if len(others) > _MOST_ITEMS or (others and not deep):
        return None
    kinds = _kinds_of(others, deep - 1, seen)
    return None if kinds is None else frozenset(kinds)


def _is_plain(cls: type) -> bool:
    return issubclass(cls, (float, int, complex, str, np.ndarray, np.generic, type(None))) or (
        hasattr(cls, "_is_number")
    )


def cells_of(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The names that a function closes over, and what they hold."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not filled yet
            continue
