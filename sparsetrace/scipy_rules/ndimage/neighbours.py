"""Neighbourhoods of the elements of an array, as ``scipy.ndimage`` extends it at its ends.

Contract: an array is shifted by each offset of a window, so that a filter is a sum, or
an extreme, of shifted arrays.  Near an end the extension may give one element several
weights; they are added first, since there is no dependency where they cancel.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from sparsetrace.graph.graph import OPAQUE
from sparsetrace.operands.operands import is_traced
from sparsetrace.scipy_rules.rule_tools import Call, array_of, constant, matrix_along

__all__ = [
    "axes_of",
    "check_window",
    "correlated",
    "function_of",
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


def function_of(name: str) -> Any:
    """A function of ``scipy.ndimage``."""
    return getattr(sys.modules["scipy.ndimage"], name)


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


def _padding(mode: str, outside=-1) -> dict[str, Any]:
    """Arguments of ``np.pad`` for a mode; for numbers of places, -1 is outside."""
    if mode not in _EXTENSIONS:
        raise RuntimeError("boundary mode not supported")
    options = {"constant_values": outside} if mode.endswith("constant") else {}
    return {"mode": _EXTENSIONS[mode], **options}


def neighbours(
    shape: Sequence[int], window: Sequence[int], origins: Sequence[int], modes: Sequence[str]
) -> NDArray[np.intp]:
    """The places of each element's neighbours, -1 outside: shape ``(*shape, *window)``."""
    places = np.arange(int(np.prod(shape, dtype=int))).reshape(shape)
    for axis, (size, origin, mode) in enumerate(zip(window, origins, modes, strict=True)):
        before = size // 2 + int(origin)
        if not 0 <= before < size:
            raise ValueError("invalid origin")
        widths = [(0, 0)] * len(shape)
        widths[axis] = (before, size - 1 - before)
        places = np.pad(places, widths, **_padding(mode))
    return sliding_window_view(places, tuple(window))


def _extended(x, axis: int, size: int, origin: int, mode: str, cval) -> Any:
    """An array with what a window of that size reads beyond the ends of an axis."""
    before = size // 2 + int(origin)
    widths = [(0, 0)] * x.ndim
    widths[axis] = (before, size - 1 - before)
    return np.pad(x, widths, **_padding(mode, cval))


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


def correlated(x, weights, origins: Sequence[int], modes: Sequence[str], cval) -> Any:
    """The sum of an array's neighbours, with a weight for each."""
    if is_traced(weights):
        shifts = shifted(x, np.ones(weights.shape, bool), origins, modes, cval)
        return functools.reduce(np.add, map(np.multiply, shifts, weights.reshape(-1)))
    shifts = shifted(x, weights != 0, origins, modes, cval)
    if not shifts:
        return x * 0.0
    taps = weights[weights != 0].tolist()
    out = functools.reduce(np.add, map(np.multiply, shifts, taps))
    if (weights > 0).any() and (weights < 0).any():
        _cancel(x, out, weights, origins, modes)
    return out


def _cancel(x, out, weights, origins: Sequence[int], modes: Sequence[str]) -> None:
    """Unite again, in place, where weights of one element cancel at an extended end."""
    edge = np.ones(x.shape, bool)
    inner = []
    for n, size, origin in zip(x.shape, weights.shape, origins, strict=True):
        before = size // 2 + int(origin)
        inner.append(slice(before, max(before, n - (size - 1 - before))))
    edge[tuple(inner)] = False
    places = neighbours(x.shape, weights.shape, origins, modes)[edge].reshape(-1, weights.size)
    rows, taps = np.nonzero((places >= 0) & (weights.reshape(-1) != 0))
    entries = weights.reshape(-1)[taps], (rows, places[rows, taps])
    matrix = scipy.sparse.csr_array(entries, shape=(len(places), x.size))
    cancelled = np.diff(np.append(0, np.cumsum(matrix.data == 0))[matrix.indptr]) > 0
    if cancelled.any():
        result = matrix_along(x.reshape(-1), matrix[np.flatnonzero(cancelled)])
        at = tuple(index[cancelled] for index in np.nonzero(edge))
        out._ids[at] = np.where(
            out._ids[at] > OPAQUE, np.maximum(result._ids, OPAQUE), out._ids[at]
        )


def check_window(call: Call, shape: Sequence[int], window: Sequence[int], mode, most: int) -> None:
    """Refuse windows for which SciPy extends an array otherwise than its modes say."""
    small = any(size > most * n for n, size in zip(shape, window, strict=True))
    if small and not str(mode).endswith("constant"):
        call.refuse(
            f"a window of {tuple(window)} is too large for an array of {tuple(shape)}",
            "Extend the array with np.pad first, and cut the result.",
        )
