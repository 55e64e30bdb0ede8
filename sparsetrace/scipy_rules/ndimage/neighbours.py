"""Neighbourhoods of the elements of an array, as ``scipy.ndimage`` extends it at its ends.

Contract: an array is shifted by each offset of a window, so that a filter is an extreme of
shifted arrays, or their sum with traced weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.rule_tools import Call, array_of, constant

__all__ = [
    "axes_of",
    "check_reach",
    "extended",
    "input_of",
    "refuse_window",
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


def shifted(x, used, origins: Sequence[int], mode: str, cval) -> list[Any]:
    """For each place of a window that is used, the array of all elements' neighbours there."""
    before = [size // 2 + int(origin) for size, origin in zip(used.shape, origins, strict=True)]
    widths = [(b, size - 1 - b) for b, size in zip(before, used.shape, strict=True)]
    if min(map(min, widths), default=0) < 0:
        raise ValueError("invalid origin")
    extension = extended(x, widths, mode, cval)
    return [
        extension[tuple(slice(k, k + n) for k, n in zip(at, x.shape, strict=True))]
        for at in np.argwhere(used).tolist()
    ]


def extended(x, widths: Sequence[tuple[int, int]], mode: str, cval) -> Any:
    """An array with so many elements before and behind it along each axis."""
    if mode not in _EXTENSIONS:
        raise RuntimeError("boundary mode not supported")
    constants = mode.endswith("constant")
    traced = constants and contains_traced(cval)
    options: dict[str, Any] = {"constant_values": 0 if traced else cval} if constants else {}
    extension = np.pad(x, widths, _EXTENSIONS[mode], **options)  # type: ignore[call-overload]
    if traced:
        return np.where(np.pad(np.ones(x.shape, bool), widths), extension, cval)
    return extension


def check_reach(
    call: Call, shape: Sequence[int], window: Sequence[int], origins: Sequence[int], mode
) -> None:
    """Refuse windows before whose start SciPy reads memory that is not of the array.

    Its filters of several axes find a neighbour by steps from one image of the array to the
    next, and take one step too few where it is reflected four times.
    """
    reaches = (size // 2 + int(o) for size, o in zip(window, origins, strict=True))
    beyond = any(n > 1 and reach >= 4 * n for n, reach in zip(shape, reaches, strict=True))
    if beyond and mode in ("reflect", "grid-mirror"):
        refuse_window(call, shape, window)


def refuse_window(call: Call, shape: Sequence[int], window: Sequence[int]) -> None:
    """Refuse a window for which SciPy reads memory that is not of the array."""
    call.refuse(
        f"a window of {tuple(window)} is too large for SciPy in an array of {tuple(shape)}",
        "Extend the array with np.pad first, and cut the result.",
    )
