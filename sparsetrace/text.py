"""The text of traced numbers and arrays: no two values have the same.

Contract: text that is a key of a memo, or is compared, stands for one value.  So it ends in
a number that no other value's text has, in this trace or in any other: not the index sets
alone, which ``2 * x`` and ``sin(x)`` share.  It is no text of the value itself, at a point
neither: ``float(f"{v:.3f}")`` would go on as a constant, while this text raises there.

A traced number has the same text whenever it is asked for.  So has an array at a point while
its values stay; in a global trace, where a write in place may leave no mark, the text of an
array is a new one each time.
"""

from __future__ import annotations

import itertools
from types import CodeType, FrameType
from typing import Any

from sparsetrace.errors import user_frame
from sparsetrace.graph import OPAQUE, Graph
from sparsetrace.propagate import index_sets

__all__ = ["array_text", "numbered", "scalar_text", "set_text", "was_asked_for"]

_numbers = itertools.count(1)


class _Texts:
    """What has been shown of one graph's values."""

    __slots__ = ("by_content", "by_object", "places")

    def __init__(self) -> None:
        # the objects are kept: another one could get the place in memory of one that died
        self.by_object: dict[int, tuple[Any, int]] = {}
        self.by_content: dict[Any, int] = {}
        self.places: set[CodeType] = set()


def _texts(graph: Graph) -> _Texts:
    """The graph's record, which notes by whose code a text is asked for."""
    texts: _Texts | None = graph.texts
    if texts is None:
        texts = graph.texts = _Texts()
    frame = user_frame()
    if frame is not None:
        texts.places.add(frame.f_code)
    return texts


def was_asked_for(graph: Graph | None, frame: FrameType | None) -> bool:
    """Whether the code of a frame, or of one that called it, made text of a traced value."""
    if graph is None or graph.texts is None:
        return False
    while frame is not None:
        if frame.f_code in graph.texts.places:
            return True
        frame = frame.f_back
    return False


def set_text(graph: Graph, node: int) -> str:
    """The inputs that a node depends on; constants and unknown values told apart."""
    if node <= 0:
        return "const"
    if node == OPAQUE:
        return "{}?"
    return "{" + ", ".join(map(str, index_sets(graph, node)[0])) + "}"  # type: ignore[arg-type]


def scalar_text(number: Any) -> str:
    """The text of a traced number.

    Examples
    --------
    >>> import numpy as np, sparsetrace as st
    >>> def f(x):
    ...     a, b = np.sin(x[0]), 2 * x[0]
    ...     print(str(a) == str(a), str(a) == str(b))
    ...     return a + b
    >>> _ = st.jacobian_sparsity(f, np.ones(3))
    True False
    """
    graph, node, value = number._graph, number._id, number._value
    texts = _texts(graph)
    if graph.local:
        key = node, number._dtype.str, number._dtype.type(value).tobytes()
        count = texts.by_content.get(key) or texts.by_content.setdefault(key, next(_numbers))
    else:
        found = texts.by_object.get(id(number))
        if found is None:
            found = texts.by_object[id(number)] = number, next(_numbers)
        count = found[1]
    if node == OPAQUE:
        return f"TracedScalar({{}}, value {count} depends on the inputs)"
    return f"TracedScalar({set_text(graph, node)}, value {count})"


def array_text(array: Any, shown: str) -> str:
    """The text of a traced array, whose elements are `shown`."""
    graph, ids, values = array._graph, array._ids, array._values
    texts = _texts(graph)
    if values is None:
        count = next(_numbers)
    else:
        key = ids.shape, array._dtype.str, ids.tobytes(), values.tobytes()
        count = texts.by_content.get(key) or texts.by_content.setdefault(key, next(_numbers))
    return f"TracedArray({shown}, value {count})"


def numbered(graph: Graph, name: str, shown: str) -> str:
    """The text of something else that holds traced elements; new each time."""
    _texts(graph)
    return f"{name}({shown}, value {next(_numbers)})"
