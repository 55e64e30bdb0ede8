"""Neighbourhoods of the elements of an array, as ``scipy.ndimage`` extends it at its ends.

Contract: an array is shifted by each offset of a window, so that a filter is an extreme of
shifted arrays, or their sum with traced weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from sparsetrace.scipy_rules.rule_tools import Call, array_of, constant

__all__ = [
    "axes_of",
    "check_window",
    "input_of",
    "several",
    "shifted",
]

_EXTENSIONS = {
    "constant": "constant",
    "grid-constant": "constant",
    "grid-mirror": "symmetric",
    "grid-wrap": "wrap",
    "mirror": "reflect",
    "nearest": "edge",
    "reflect": "symmetric",
    "wrap": "wrap",
}
"""The modes of ``np.pad`` that extend an array as those of ``scipy.ndimage`` do."""
OUTPUTS = "Leave output out, and write out[...] = the result."


def input_of(call: Call, x, output, *parameters) -> Any:
    """The array to filter, where the other arguments are such as there are rules for."""
    constant(call, parameters, "a parameter of the filter")
    if output is not None and (isinstance(output, np.ndarray) or np.dtype(output).kind != "f"):
        call.refuse("output= has no rule, but for a float type", OUTPUTS)
    return array_of(x)


def several(value, count: int) -> list[Any]:
    """One value for each axis."""
    if isinstance(value, str) or not np.iterable(value):
        return [value] * count
    values = list(value)
    if len(values) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return values


def axes_of(axes, ndim: int) -> tuple[int, ...]:
    """The axes along which to filter."""
    return tuple(range(ndim)) if axes is None else normalize_axis_tuple(axes, ndim)


def _extended(x, axis: int, size: int, origin: int, mode: str, cval) -> Any:
    """An array with what a window of that size reads beyond the ends of an axis."""
    before = size // 2 + int(origin)
    widths = [(0, 0)] * x.ndim
    widths[axis] = (before, size - 1 - before)
    if mode not in _EXTENSIONS:
        raise RuntimeError("boundary mode not supported")
    options = {"constant_values": cval} if mode.endswith("constant") else {}
    return np.pad(x, widths, _EXTENSIONS[mode], **options)


def shifted(x, used, origins: Sequence[int], modes: Sequence[str], cval) -> list[Any]:
    """For each place of a window that is used, the array of all elements' neighbours there."""
    extended = x
    for axis, (size, origin, mode) in enumerate(zip(used.shape, origins, modes, strict=True)):
        if not 0 <= size // 2 + int(origin) < size:
            raise ValueError("invalid origin")
        if size > 1:
            extended = _extended(extended, axis, size, origin, mode, cval)
    return [
        extended[tuple(slice(k, k + n) for k, n in zip(at, x.shape, strict=True))]
        for at in np.argwhere(used).tolist()
    ]


def check_window(call: Call, shape: Sequence[int], window: Sequence[int], mode, most: int) -> None:
    """Refuse windows for which SciPy extends an array otherwise than its modes say."""
    small = any(size > most * n for n, size in zip(shape, window, strict=True))
    if small and not str(mode).endswith("constant"):
        call.refuse(
            f"a window of {tuple(window)} is too large for an array of {tuple(shape)}",
            "Extend the array with np.pad first, and cut the result.",
        )
