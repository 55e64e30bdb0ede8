"""Nested inputs and outputs: tuples, lists, dicts and named tuples with arrays as leaves.

Contract: leaves come in the order in which they stand (dicts in insertion order), C
order within each; a list that holds numbers alone, or such lists of one shape, is one leaf.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sparsetrace.arrays.array import TracedArray
from sparsetrace.numbers.scalar import TracedScalar
from sparsetrace.operands.operands import holds_objects

__all__ = ["leaves", "like", "named_leaves", "named_nones", "numeric", "rebuilt"]


def _shape_of_numbers(obj: Any) -> tuple[int, ...] | None:
    """The shape of a number, or of a list of numbers or of such lists; None of all else."""
    if not isinstance(obj, list):
        return () if isinstance(obj, (bool, int, float, complex, np.number)) else None
    first = _shape_of_numbers(obj[0]) if obj else None
    if first is None or any(_shape_of_numbers(item) != first for item in obj[1:]):
        return None
    return (len(obj), *first)


_NO_MAPPINGS = frozenset(
    (np.ndarray, TracedArray, TracedScalar, tuple, list, bool, int, float, complex, np.float64)
)
"""Types of which most leaves are; to ask an abstract class takes long, the first time very long."""


def _is_mapping(obj: Any) -> bool:
    return type(obj) not in _NO_MAPPINGS and isinstance(obj, Mapping)


def _is_container(obj: Any) -> bool:
    """Whether a tuple or list is no leaf."""
    return isinstance(obj, tuple) or (isinstance(obj, list) and _shape_of_numbers(obj) is None)


def _is_nested(obj: Any) -> bool:
    """Whether an array of objects holds arrays or other containers."""
    if not holds_objects(obj) or isinstance(obj, np.ma.MaskedArray):
        return False
    return any(isinstance(item, (np.ndarray, Mapping, tuple, list)) for item in obj.flat)


def like(container: Any, items: Sequence[Any]) -> Any:
    """A container of the same type, and with the same attributes, that holds these items.

    Examples
    --------
    >>> from collections import defaultdict
    >>> like(defaultdict(list, a=1, b=2), [3, 4])
    defaultdict(<class 'list'>, {'a': 3, 'b': 4})
    """
    cls = type(container)
    if isinstance(container, dict):
        if cls is dict:
            return dict(zip(container, items, strict=True))
        made: Any = copy.copy(container)
        for key, item in zip(container, items, strict=True):
            dict.__setitem__(made, key, item)
        if getattr(container, "__dict__", None) is container:
            made.__dict__ = made  # keys are attributes
        return made
    if isinstance(container, Mapping):
        return cls(dict(zip(container, items, strict=True)))
    if isinstance(container, tuple):
        if cls is tuple:
            return tuple(items)
        made = tuple.__new__(cls, items)
        if hasattr(container, "__dict__"):
            vars(made).update(vars(container))
        return made
    if cls is list:
        return list(items)
    made = copy.copy(container)
    if isinstance(container, deque):
        made.clear()
        made.extend(items)
        return made
    list.__setitem__(made, slice(None), items)
    return made


def rebuilt(tree: Any, leaf: Callable[[Any], Any]) -> Any:
    """The same nesting with every leaf exchanged for ``leaf(it)``.

    Examples
    --------
    >>> rebuilt({"a": (1, 2), "b": 3}, lambda x: 10 * x)
    {'a': (10, 20), 'b': 30}
    """
    if _is_mapping(tree):
        return like(tree, [rebuilt(value, leaf) for value in tree.values()])
    if _is_container(tree):
        return like(tree, [rebuilt(item, leaf) for item in tree])
    return leaf(tree)


def leaves(tree: Any) -> Iterator[Any]:
    """The leaves in order.

    Examples
    --------
    >>> list(leaves({"a": (1, 2), "b": [3.0, 4.0]}))
    [1, 2, [3.0, 4.0]]
    """
    if _is_mapping(tree):
        for value in tree.values():
            yield from leaves(value)
    elif _is_container(tree):
        for item in tree:
            yield from leaves(item)
    elif _is_nested(tree):
        for item in tree.flat:
            yield from leaves(item)
    else:
        yield tree


def numeric(tree: Any) -> Any:
    """The same nesting with empty arrays for texts and None in tuples and mappings.

    A message beside the numbers that a function returns is no number of them.  What holds
    nothing else is returned as it is.

    Examples
    --------
    >>> numeric((1.0, {"message": "ok"}))
    (1.0, {'message': array([], dtype=float64)})
    >>> numeric(("ok", None)), numeric([1.0, None])
    (('ok', None), [1.0, None])
    """
    found = _numeric(tree)
    if found is tree or not any(np.size(leaf) for leaf in leaves(found)):
        return tree
    return found


def _numeric(tree: Any) -> Any:
    if isinstance(tree, tuple):
        items = list(tree)
    elif _is_mapping(tree):
        items = list(tree.values())
    else:
        return tree
    made = [_NO_NUMBERS if _is_beside(item) else _numeric(item) for item in items]
    is_same = all(new is item for new, item in zip(made, items, strict=True))
    return tree if is_same else like(tree, made)


def _is_beside(item: Any) -> bool:
    return item is None or isinstance(item, (str, bytes))


_NO_NUMBERS = np.zeros(0)


def named_nones(tree: Any, name: str = "") -> frozenset[str]:
    """The expressions that read those places in tuples and mappings where None is.

    Examples
    --------
    >>> named_nones((1.0, {"more": None}), "x")
    frozenset({'x[1]["more"]'})
    """
    return frozenset(place for place, leaf in named_leaves(tree, name) if leaf is None)


def named_leaves(tree: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves in order, each with the expression that reads it.

    Examples
    --------
    >>> list(named_leaves({"a": (1, 2), "b": [3.0, 4.0]}, "x"))
    [('x["a"][0]', 1), ('x["a"][1]', 2), ('x["b"]', [3.0, 4.0])]
    """
    if _is_mapping(tree):
        for key, value in tree.items():
            quoted = f'"{key}"' if isinstance(key, str) and '"' not in key else repr(key)
            yield from named_leaves(value, f"{name}[{quoted}]")
    elif isinstance(tree, tuple) and hasattr(tree, "_fields"):
        for field, item in zip(tree._fields, tree, strict=True):
            yield from named_leaves(item, f"{name}.{field}")
    elif _is_container(tree):
        for place, item in enumerate(tree):
            yield from named_leaves(item, f"{name}[{place}]")
    elif _is_nested(tree):
        for at in np.ndindex(tree.shape):
            yield from named_leaves(tree[at], f"{name}[{', '.join(map(str, at))}]")
    else:
        yield name, tree
