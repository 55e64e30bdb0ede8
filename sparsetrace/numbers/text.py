"""The text of traced numbers and arrays: no two values have the same.

Contract: text that is a key of a memo, or is compared, stands for one value.  So it ends in
a number that no other value's text has, in this trace or in any other; the index sets alone
would not do, since ``2 * x`` and ``sin(x)`` share them.  The value itself is never shown, not
even at a point: ``float(f"{v:.3f}")`` would go on as a constant, while this text raises there.

A traced number has the same text whenever it is asked for.  So has an array at a point while
its values stay; in a global trace, where a write in place may leave no mark, the text of an
array is a new one each time.
"""

from __future__ import annotations

import itertools
from types import CodeType, FrameType
from typing import Any

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.propagation.jacobian import index_sets
from sparsetrace.user_code.frames import user_frame
from sparsetrace.user_code.text_tests import asks_what_text_says

__all__ = [
    "array_text",
    "formatted_text",
    "may_decide",
    "numbered",
    "scalar_text",
    "set_text",
    "was_asked_for",
]

_numbers = itertools.count(1)
_OF_OTHERS = frozenset(("<genexpr>", "<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>"))
"""Code that has no name of its own: whoever called it asks."""


class _Texts:
    """What has been shown of one trace's values."""

    __slots__ = ("by_content", "by_object", "places", "unknown")

    def __init__(self) -> None:
        # the objects are kept: another one could get the place in memory of one that died
        self.by_object: dict[int, tuple[Any, int]] = {}
        self.by_content: dict[Any, int] = {}
        self.places: set[CodeType] = set()
        self.unknown = False
        """Whether any was of a number that depends on no input, and that nobody knows."""


def _texts(trace: Trace) -> _Texts:
    """The trace's record, which notes by whose code a text is asked for."""
    texts: _Texts | None = trace.texts
    if texts is None:
        texts = trace.texts = _Texts()
    frame = user_frame()
    while frame is not None:
        texts.places.add(frame.f_code)
        # a generator expression or a lambda makes the text for the code around it
        frame = frame.f_back if frame.f_code.co_name in _OF_OTHERS else None
    return texts


def was_asked_for(trace: Trace | None, frame: FrameType | None) -> bool:
    """Whether the code of a frame, or of one that called it, made text of a traced value."""
    if trace is None or trace.texts is None:
        return False
    while frame is not None:
        if frame.f_code in trace.texts.places:
            return True
        frame = frame.f_back
    return False


def may_decide(trace: Trace, *, unknown: bool = False) -> bool:
    """Whether the function may ask what the text of a traced value says, which says nothing.

    Parameters
    ----------
    trace : Trace
    unknown : bool
        Whether it has to have made text of a number that depends on no input.
    """
    texts = trace.texts
    if texts is None or (unknown and not texts.unknown):
        return False
    return any(map(asks_what_text_says, texts.places))


def set_text(trace: Trace, node: int) -> str:
    """The inputs that a node depends on; constants and unknown values told apart."""
    if node <= 0:
        return "const"
    if node == OPAQUE:
        return "{}?"
    return "{" + ", ".join(map(str, index_sets(trace.graph, node)[0])) + "}"  # type: ignore[arg-type]


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
    trace, node = number._trace, number._id
    count = _count(number)
    if node == OPAQUE:
        return f"TracedScalar({{}}, value {count} depends on the inputs)"
    return f"TracedScalar({set_text(trace, node)}, value {count})"


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def formatted_text(number: object) -> str:
    """The text of a traced number in a format (``f"{v:.3f}"``): no digits that could be parsed.

    What looks for a number in it, or takes its first letters for a key, finds none, or finds
    the letters that no other value has.

    Examples
    --------
    >>> import numpy as np, sparsetrace as st
    >>> def f(x):
    ...     count, name = f"{x[0]:8.3f}".split()
    ...     print(name, any(digit in count for digit in "0123456789"))
    ...     return x[0]
    >>> _ = st.jacobian_sparsity(f, np.ones(3))
    TracedScalar False
    """
    return f"{str(_count(number)).translate(_RAISED)} TracedScalar"


def _count(number: Any) -> int:
    """The number that stands for the value."""
    trace, node, value = number._trace, number._id, number._value
    texts = _texts(trace)
    texts.unknown = texts.unknown or node == OPAQUE
    if trace.local:
        key = node, number._dtype.str, number._dtype.type(value).tobytes()
        return texts.by_content.get(key) or texts.by_content.setdefault(key, next(_numbers))
    result = texts.by_object.get(id(number))
    if result is None:
        result = texts.by_object[id(number)] = number, next(_numbers)
    return result[1]


def array_text(array: Any, shown: str) -> str:
    """The text of a traced array, whose elements are `shown`."""
    trace, ids, values = array._trace, array._ids, array._values
    texts = _texts(trace)
    if values is None:
        count = next(_numbers)
    else:
        key = ids.shape, array._dtype.str, ids.tobytes(), values.tobytes()
        count = texts.by_content.get(key) or texts.by_content.setdefault(key, next(_numbers))
    return f"TracedArray({shown}, value {count})"


def numbered(trace: Trace, name: str, shown: str) -> str:
    """The text of something else that holds traced elements; new each time."""
    _texts(trace)
    return f"{name}({shown}, value {next(_numbers)})"
