"""What functions leave in arguments that they may overwrite: ``overwrite_a=True``.

Contract: afterwards each element of such an argument may depend on all that the function was given.
SciPy overwrites where types and memory order suit it, with whatever its routines leave there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.graph.interactions import interact_all
from sparsetrace.numpy_rules.indexing import put
from sparsetrace.operands.operands import ids_of, is_traced, is_traced_array

__all__ = ["heed_overwriting"]

_FLAG = "overwrite_"


def heed_overwriting(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """After a call of a function: its arguments that may hold anything now."""
    parameters, flags = _flags(function)
    if not flags:
        return
    given = dict(zip(parameters, args, strict=False)) | kwargs
    for flag in flags:
        target: Any = given.get(flag.removeprefix(_FLAG))
        if given.get(flag) and is_traced_array(target) and target._ids.size:
            sources = [ids_of(trace, x).reshape(-1) for x in _traced([*args, *kwargs.values()])]
            every = np.asarray(trace.graph.union_rows(np.concatenate(sources)), np.int32)
            node = interact_all(trace.graph, np.maximum(every, OPAQUE))
            put(trace, target._ids, ..., np.full(target._ids.shape, node, np.int32))


@lru_cache(maxsize=1024)
def _flags(function: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of parameters, and of those that say what may be overwritten."""
    try:
        names = tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return (), ()
    return names, tuple(name for name in names if name.startswith(_FLAG))


def _traced(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        if is_traced(item):
            yield item
        elif isinstance(item, (list, tuple)):
            yield from _traced(item)
