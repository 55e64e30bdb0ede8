"""The rule of ``np.lib.stride_tricks.as_strided``, which asks no protocol.

Contract: a view whose steps go forward, by whole elements and within the array, is one of windows
and slices; it can be read, and not written.  Every other view is refused.
Registered as the rules of SciPy are.

``as_strided([{0}, {1}, {2}], (2, 2), (8, 8))  ->  [[{0}, {1}], [{1}, {2}]]``
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from sparsetrace.dispatch.function_rules import register
from sparsetrace.operands.operands import contains_traced

__all__: list[str] = []

_REMEDY = (
    "Use np.lib.stride_tricks.sliding_window_view in place of as_strided, or an "
    "index array: x[np.arange(n)[:, None] + np.arange(k)]."
)


def _tuple(value: Any, otherwise: tuple[int, ...]) -> tuple[int, ...]:
    if value is None:
        return otherwise
    return tuple(int(item) for item in (value if np.iterable(value) else (value,)))


def _as_strided(call: Any, x: Any, shape: Any, strides: Any) -> Any:
    problem = "it goes over the memory of an array of traced numbers by its address"
    if not isinstance(x, np.ndarray) or contains_traced((shape, strides)) or not x.ndim:
        call.refuse(problem, _REMEDY)
    sizes, steps = _tuple(shape, x.shape), _tuple(strides, x.strides)
    unit = x.strides[0] if x.ndim == 1 else x.itemsize
    forward = unit > 0 and all(step > 0 and step % unit == 0 for step in steps)
    if not (forward and len(sizes) == len(steps) and math.prod(sizes) > 0):
        call.refuse(f"{problem}, with steps that do not go forward", _REMEDY)
    if x.ndim > 1 and not x.flags.c_contiguous:
        call.refuse(f"{problem}, which does not lie in one piece", _REMEDY)
    steps = tuple(step // unit for step in steps)
    lengths = [
        1 + sum((n - 1) * step for n, step in zip(sizes[i:], steps[i:], strict=True))
        for i in range(len(sizes) + 1)
    ]
    if lengths[0] > x.size:
        call.refuse(f"{problem}, and beyond its end", _REMEDY)
    view = x.reshape(-1)[: lengths[0]]
    for step, length in zip(steps, lengths[1:], strict=True):
        view = sliding_window_view(view, length, axis=-1)[..., ::step, :]
    return view[..., 0]


register(
    "numpy.lib.stride_tricks",
    "as_strided",
    _as_strided,
    harmless=("subok", "writeable"),
    as_given=True,
)
