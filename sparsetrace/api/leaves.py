"""The leaves of nested inputs and outputs: which rows or columns of a pattern each one has.

Contract: leaves come in their order, C order within each, and cover all rows, or all columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["Element", "Leaf", "element_of", "leaf_named", "leaves_of_shapes"]


class Leaf(NamedTuple):
    """An array, a number or a list of numbers among the inputs or outputs of a function."""

    name: str
    """The expression that reads it, such as ``x["a"][0]``; of results that of ``f``."""
    start: int
    """Its first row or column."""
    stop: int
    """The row or column behind its last one."""
    shape: tuple[int, ...]


class Element(NamedTuple):
    """One number of a leaf.

    Examples
    --------
    >>> str(Element(Leaf('x["a"]', 0, 6, (2, 3)), (1, 2)))
    'x["a"][1, 2]'
    """

    leaf: Leaf
    place: tuple[int, ...]
    """Its place in the leaf; empty in a number."""

    def __str__(self) -> str:
        return self.leaf.name + (f"[{', '.join(map(str, self.place))}]" if self.place else "")


def leaves_of_shapes(named: Iterable[tuple[str, tuple[int, ...]]]) -> tuple[Leaf, ...]:
    """Leaves one after the other, from names and shapes."""
    leaves, start = [], 0
    for name, shape in named:
        size = 1
        for length in shape:
            size *= length
        leaves.append(Leaf(name, start, start + size, shape))
        start += size
    return tuple(leaves)


def element_of(leaves: Sequence[Leaf], place: int, count: int, noun: str) -> Element:
    """The element that a row or column belongs to; negative places count from the end.

    Raises
    ------
    ValueError
        If the leaves are not known.
    IndexError
        If there is no such row or column.
    """
    _check_known(leaves)
    if not -count <= place < count:
        raise IndexError(f"{noun} {place} of {count}")
    place = int(place) % count
    leaf = next(leaf for leaf in leaves if place < leaf.stop)
    return Element(leaf, tuple(map(int, np.unravel_index(place - leaf.start, leaf.shape))))


def leaf_named(leaves: Sequence[Leaf], name: str | Leaf) -> Leaf:
    """The leaf of this name.

    Raises
    ------
    KeyError
        If there is none; the message has those that there are.
    """
    _check_known(leaves)
    if isinstance(name, Leaf):
        name = name.name
    for leaf in leaves:
        if leaf.name == name:
            return leaf
    raise KeyError(f"{name}: the leaves are {', '.join(leaf.name for leaf in leaves)}")


def _check_known(leaves: Sequence[Leaf]) -> None:
    if not leaves:
        raise ValueError("this pattern does not come from a trace: it has no leaves")
