"""Stand-ins for the names ``float``, ``max``, ``min`` and ``sorted`` in traced modules.

Contract: each does exactly what the builtin does, except on traced numbers: ``float``
gives them back as they are, the others take the ufunc, which needs no branch.
"""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.numbers.python_numbers import PythonNumber, stands_for_python
from sparsetrace.numbers.scalar import as_python
from sparsetrace.operands.operands import is_traced

__all__ = ["ORDERINGS", "TracedFloat"]


class _FloatLike(type):
    """``isinstance(x, float)`` and ``float == float`` stay true through the stand-in."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, float)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, float)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is float

    def __hash__(cls) -> int:
        return hash(float)


def _as_float(value: Any) -> Any:
    """``float(value)`` of a traced number, or of an array of one element."""
    if isinstance(value, PythonNumber):
        if isinstance(value, complex):
            raise TypeError("float() argument must be a string or a real number, not 'complex'")
        return value if isinstance(value, float) else operator.add(value, 0.0)
    if value.size != 1:
        raise TypeError("only length-1 arrays can be converted to Python scalars")
    number = value.reshape(())[()] if isinstance(value, np.ndarray) else value
    return as_python((np.real(number) if number.dtype.kind == "c" else number).astype(float))


class TracedFloat(float, metaclass=_FloatLike):
    """``float`` for traced code."""

    _stands_in = True
    dtype = np.dtype(float)
    """Read by NumPy where the name is used as a dtype."""

    def __new__(cls, value: Any = 0.0, /) -> Any:
        return _as_float(value) if is_traced(value) else float(value)


TracedFloat.__name__ = TracedFloat.__qualname__ = "float"
TracedFloat.__module__ = "builtins"


def _numbers(items: list[Any]) -> bool:
    """Whether the items are numbers, one of them traced."""
    return any(map(is_traced, items)) and not any(np.ndim(item) for item in items)


def _extreme(builtin: Callable[..., Any], ufunc: np.ufunc) -> Callable[..., Any]:
    @functools.wraps(builtin)
    def extreme(*args: Any, **options: Any) -> Any:
        items = list(args[0]) if len(args) == 1 else list(args)
        if options.get("key") is None and items and _numbers(items):
            result = functools.reduce(ufunc, items)
            return as_python(result) if all(map(stands_for_python, items)) else result
        return builtin(items, **options) if len(args) == 1 else builtin(*args, **options)

    return extreme


@functools.wraps(builtins.sorted)
def _sorted(iterable: Any, /, *, key: Any = None, reverse: bool = False) -> list[Any]:
    items = list(iterable)
    if key is None and _numbers(items):
        stacked = np.sort(np.stack([np.reshape(item, ()) for item in items]))
        ordered = stacked.tolist() if all(map(stands_for_python, items)) else list(stacked)
        return ordered[::-1] if reverse else ordered
    return builtins.sorted(items, key=key, reverse=reverse)


ORDERINGS: dict[str, Callable[..., Any]] = {
    "max": _extreme(builtins.max, np.maximum),
    "min": _extreme(builtins.min, np.minimum),
    "sorted": _sorted,
}
"""Builtins that would branch once per element."""
