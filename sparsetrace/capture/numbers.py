"""A stand-in for the name ``float`` in modules that call it on traced numbers.

Contract: converts, compares and types exactly as ``float`` does, except that a traced
number comes back as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.dispatch.operands import is_traced

__all__ = ["TracedFloat"]


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


class TracedFloat(float, metaclass=_FloatLike):
    """``float`` for traced code."""

    dtype = np.dtype(float)
    """Read by NumPy where the name is used as a dtype."""

    def __new__(cls, value: Any = 0.0, /) -> Any:
        if is_traced(value):
            return value.reshape(())[()] if isinstance(value, np.ndarray) else value
        return float(value)
