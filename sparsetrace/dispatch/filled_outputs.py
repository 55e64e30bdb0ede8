"""``output=`` of functions that have a rule: an array to fill, or a type of whole numbers.

Contract: the rule is asked for floating-point numbers, and what it gives is converted and written
where `FunctionRule` says; the array that is filled is returned, as by the function itself.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["filled", "without_output"]


def without_output(
    original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, inspect.BoundArguments] | None:
    """What a call is to fill, and its arguments with a type in that place; None without such."""
    if len(args) < 2 and "output" not in kwargs:
        return None
    bound = _signature(original).bind(*args, **kwargs)
    output = bound.arguments.get("output")
    if output is None:
        return None
    is_array = isinstance(output, np.ndarray)
    dtype = output.dtype if is_array else np.dtype(output)
    if dtype.kind not in "biuf" or (dtype.kind == "f" and not is_array):
        return None
    bound.arguments["output"] = dtype
    return output if is_array else dtype, bound


@functools.lru_cache(256)
def _signature(original: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(original)


def filled(output: Any, result: Any) -> Any:
    """The array that a result was written into, or the result if a type was asked for."""
    if not isinstance(output, np.ndarray):
        return result
    if result.shape != output.shape:
        raise RuntimeError("output shape not correct")
    output[...] = result
    return output
