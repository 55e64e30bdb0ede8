"""Nested inputs and outputs: tuples, lists, dicts and named tuples with arrays as leaves.

Contract: leaves come in the order in which they stand (dicts in insertion order), C
order within each; a list that holds numbers alone is an array, as SciPy takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["leaves", "named_leaves", "rebuilt"]


def _is_numbers(obj: Any) -> bool:
    """Whether a list holds numbers, or lists of numbers, and nothing else."""
    if isinstance(obj, list):
        return bool(obj) and all(_is_numbers(item) for item in obj)
    return isinstance(obj, (bool, int, float, complex, np.number))


def rebuilt(tree: Any, leaf: Callable[[Any], Any]) -> Any:
    """The same nesting with every leaf exchanged for ``leaf(it)``.

    Examples
    --------
    >>> rebuilt({"a": (1, 2), "b": 3}, lambda x: 10 * x)
    {'a': (10, 20), 'b': 30}
    """
    if isinstance(tree, Mapping):
        items = {key: rebuilt(value, leaf) for key, value in tree.items()}
        return items if type(tree) is dict else type(tree)(items)  # type: ignore[call-arg]
    if isinstance(tree, tuple):
        parts = [rebuilt(item, leaf) for item in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    if isinstance(tree, list) and not _is_numbers(tree):
        return [rebuilt(item, leaf) for item in tree]
    return leaf(tree)


def leaves(tree: Any) -> Iterator[Any]:
    """The leaves in order.

    Examples
    --------
    >>> list(leaves({"a": (1, 2), "b": [3.0, 4.0]}))
    [1, 2, [3.0, 4.0]]
    """
    if isinstance(tree, Mapping):
        for value in tree.values():
            yield from leaves(value)
    elif isinstance(tree, tuple) or (isinstance(tree, list) and not _is_numbers(tree)):
        for item in tree:
            yield from leaves(item)
    else:
        yield tree


def named_leaves(tree: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves in order, each with the expression that reads it.

    Examples
    --------
    >>> list(named_leaves({"a": (1, 2), "b": [3.0, 4.0]}, "x"))
    [('x["a"][0]', 1), ('x["a"][1]', 2), ('x["b"]', [3.0, 4.0])]
    """
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            quoted = f'"{key}"' if isinstance(key, str) and '"' not in key else repr(key)
            yield from named_leaves(value, f"{name}[{quoted}]")
    elif isinstance(tree, tuple) and hasattr(tree, "_fields"):
        for field, item in zip(tree._fields, tree, strict=True):
            yield from named_leaves(item, f"{name}.{field}")
    elif isinstance(tree, tuple) or (isinstance(tree, list) and not _is_numbers(tree)):
        for place, item in enumerate(tree):
            yield from named_leaves(item, f"{name}[{place}]")
    else:
        yield name, tree
