"""The rule of ``np.lib.stride_tricks.as_strided``, which asks no protocol.

Contract: a view that goes by whole elements, and within the memory which the array shows, shows
that memory too: it is written as NumPy's is, unless two of its elements may have one place.  Every
other view is refused.
Registered as the rules of SciPy are.

``as_strided([{0}, {1}, {2}], (2, 2), (8, 8))  ->  [[{0}, {1}], [{1}, {2}]]``
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.arrays.traced_views import as_plain
from sparsetrace.dispatch.function_rules import register
from sparsetrace.operands.operands import is_traced_array

__all__: list[str] = []

_REMEDY = (
    "Use np.lib.stride_tricks.sliding_window_view in place of as_strided, or an "
    "index array: x[np.arange(n)[:, None] + np.arange(k)]."
)


def _tuple(value: Any, otherwise: tuple[int, ...]) -> tuple[int, ...]:
    if value is None:
        return otherwise
    return tuple(int(item) for item in (value if np.iterable(value) else (value,)))


def _as_strided(call: Any, x: Any, shape: Any, strides: Any, subok: Any) -> Any:
    problem = "it goes over the memory of an array of traced numbers by its address"
    if not is_traced_array(x):
        call.refuse(problem, _REMEDY)
    x = x if subok else as_plain(x)
    sizes, steps = _tuple(shape, x.shape), _tuple(strides, x.strides)
    if len(sizes) != len(steps) or min(sizes, default=0) < 0:
        return call.plainly(np.zeros(x.shape, x.dtype), shape, strides)  # which raises
    if any(step % x.itemsize for step in steps):
        call.refuse(f"{problem}, with steps of parts of an element", _REMEDY)
    steps = tuple(step // x.itemsize for step in steps)
    if math.prod(sizes) and not _lies_within(x, sizes, steps):
        call.refuse(f"{problem}, and beyond its ends", _REMEDY)
    shared = _shares_places(sizes, steps)
    x._trace.keeps_writes |= shared

    def shown(array: Any) -> Any:
        start, memory = _memory(array)
        start, strides = start * array.itemsize, [step * array.itemsize for step in steps]
        view: Any = np.ndarray(
            sizes, array.dtype, memory, start if math.prod(sizes) else 0, strides
        )
        if shared or not array.flags.writeable:
            view.flags.writeable = False
        return view

    return x._moved(shown)


def _memory(array: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """Where an array begins in the memory that it shows, in elements, and that memory."""
    owner: Any = array
    while owner.base is not None:
        owner = owner.base
    owner = owner.transpose(np.argsort(owner.strides)[::-1])
    return (array.ctypes.data - owner.ctypes.data) // array.itemsize, owner


def _lies_within(x: Any, sizes: tuple[int, ...], steps: tuple[int, ...]) -> bool:
    """Whether a view from an array's first element on stays in the memory that it shows."""
    start, memory = _memory(x._ids)
    if not memory.flags.c_contiguous:
        return False
    if x._values is not None:
        where, values = _memory(x._values)
        alike = [step // x._ids.itemsize for step in x._ids.strides] == [
            step // x.itemsize for step in x._values.strides
        ]
        if not (alike and where == start and values.shape == memory.shape):
            return False
    ends = [(n - 1) * step for n, step in zip(sizes, steps, strict=True)]
    first = start + sum(end for end in ends if end < 0)
    last = start + sum(end for end in ends if end > 0)
    return first >= 0 and last < memory.size


def _shares_places(sizes: tuple[int, ...], steps: tuple[int, ...]) -> bool:
    """Whether two elements of a view may have one place.

    None have, if each step is longer than all that the smaller ones go over.
    """
    reach = 0
    for step, n in sorted((abs(step), n) for n, step in zip(sizes, steps, strict=True) if n > 1):
        if step <= reach:
            return True
        reach += step * (n - 1)
    return False


register(
    "numpy.lib.stride_tricks",
    "as_strided",
    _as_strided,
    harmless=("writeable",),
    as_given=True,
)
