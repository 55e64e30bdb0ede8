"""What a pattern is computed from, kept to see whether the next trace recorded the same.

Contract: taken before anything is computed, which may add nodes.  Two records are the same only
if each array in them is, in order; what is of an unknown type is never the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from sparsetrace.graph.graph import Graph, Ids
from sparsetrace.graph.kept import Kept

__all__ = ["Recorded", "recorded"]

_FEW = 4096
"""Arrays of so many bytes are compared as bytes."""
_PLAIN: frozenset[Any] = frozenset((int, bool, str, float))


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A graph as its trace left it, and the outputs; see `recorded`."""

    n_inputs: int
    pure: bool
    outputs: Ids
    blocks: list[Any]
    interactions: list[Any]
    scalar_products: Ids
    kept: Kept | None
    """What a flush has put in place of earlier blocks."""

    def copied(self) -> Recorded:
        """With memory of its own: what was recorded may be arrays that the function reads."""
        copy: Recorded = _copied(self)
        return copy

    def is_same(self, other: Recorded) -> bool:
        """Whether the patterns of the one are those of the other."""
        return _are_same(self, other)


def recorded(graph: Graph, outputs: Ids) -> Recorded:
    """What is known of the outputs.

    Examples
    --------
    >>> one, other = Graph(3), Graph(3)
    >>> outputs = [graph.union(graph.inputs(), graph.inputs()[::-1]) for graph in (one, other)]
    >>> recorded(one, outputs[0]).is_same(recorded(other, outputs[1]))
    True
    >>> recorded(one, outputs[0]).is_same(recorded(other, outputs[1][:2]))
    False
    """
    return Recorded(
        graph.n_inputs,
        graph.pure,
        outputs,
        list(graph.blocks),
        list(graph.interactions),
        np.array(graph.scalar_products, np.int32),
        graph.kept,
    )


def _copied(item: Any) -> Any:
    cls: Any = type(item)
    if cls is np.ndarray:
        return item.copy()
    if cls is list or cls is tuple:
        return cls(map(_copied, item))
    read = _reader(cls)
    # else a number, or of a type that is never the same
    return item if read is None else cls(*map(_copied, read(item)))


@cache
def _reader(cls: Any) -> Callable[[Any], tuple[Any, ...]] | None:
    """What gives all fields of such an object at once; None of other types."""
    if not is_dataclass(cls):
        return None
    names = [field.name for field in fields(cls)]
    assert len(names) > 1
    return attrgetter(*names)


def _are_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    cls: Any = type(one)
    if type(other) is not cls:
        return False
    if cls is np.ndarray:
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        if one.nbytes <= _FEW:  # several times faster
            return bool(one.tobytes() == other.tobytes())
        return np.array_equal(one, other)
    if cls is list or cls is tuple:
        return len(one) == len(other) and all(map(_are_same, one, other))
    if cls in _PLAIN:
        return bool(one == other)
    read = _reader(one.__class__)
    return read is not None and all(map(_are_same, read(one), read(other)))
