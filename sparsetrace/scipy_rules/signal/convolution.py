"""``scipy.signal``'s convolutions and correlations of two arrays.

Contract: output i depends on those x[j] whose factor y[i - j] is not zero, and the other
way round; both arrays may be traced.  One of them is laid out in windows, which are
multiplied by the other.

``convolve([{0}, {1}], [1, 1])  ->  [{0}, {0, 1}, {1}]``
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.lib.stride_tricks import sliding_window_view

from sparsetrace.operands.operands import contains_traced, is_traced
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    harmless,
    keeps_parts,
    patterns,
)

_MOST_SHIFTS = 64
"""Up to so many constant weights an array is shifted, rather than laid out in windows."""
_BOUNDARIES = {"fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap"}
_BOUNDARIES |= {"symm": "symmetric", "symmetric": "symmetric"}


def full_convolution(x, y, **padding):
    """All overlaps of two arrays of the same number of dimensions; `x` extended by padding."""
    if not padding and y.size > x.size:
        x, y = y, x
    extended = np.pad(x, [(n - 1, n - 1) for n in y.shape], **padding)
    flipped = y[(slice(None, None, -1),) * y.ndim]
    if is_traced(y) or np.count_nonzero(patterns(y)) > _MOST_SHIFTS:
        windows = sliding_window_view(extended, y.shape)
        return windows.reshape(*windows.shape[: x.ndim], -1) @ flipped.reshape(-1)
    shape = [n - k + 1 for n, k in zip(extended.shape, y.shape, strict=True)]
    out = extended[tuple(map(slice, shape))] * 0.0
    for at in np.argwhere(patterns(flipped)).tolist():
        window = tuple(slice(k, k + n) for k, n in zip(at, shape, strict=True))
        out = out + extended[window] * flipped[tuple(at)]
    return out


def _cropped(full, x, y, mode: str, axes: Sequence[int], *, later: bool = False) -> Any:
    """The part of all overlaps that a mode keeps; the `later` one of two in the middle."""
    if mode == "full":
        return full
    key = [slice(None)] * full.ndim
    for axis in axes:
        a, b = x.shape[axis], y.shape[axis]
        size = a if mode == "same" else max(a, b) - min(a, b) + 1
        start = (full.shape[axis] - size + later) // 2
        key[axis] = slice(start, start + size)
    return full[tuple(key)]


def _checked(call: Call, x, y, mode) -> tuple[Any, Any]:
    x, y = array_of(x), array_of(y)
    if x.ndim != y.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if mode not in ("full", "same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if mode == "valid":
        pairs = list(zip(x.shape, y.shape, strict=True))
        if not (all(a >= b for a, b in pairs) or all(a <= b for a, b in pairs)):
            raise ValueError(
                "For 'valid' mode, one must be at least as large as the other in every dimension"
            )
    return x, y


def _reversed(y):
    flipped = y[(slice(None, None, -1),) * y.ndim]
    return np.conj(flipped) if np.iscomplexobj(y) else flipped


@keeps_parts
@harmless("method")  # by a sum or by transforms
def convolve(call, in1, in2, mode):
    x, y = _checked(call, in1, in2, mode)
    if not x.ndim:
        return x * y
    return _cropped(full_convolution(x, y), x, y, mode, range(x.ndim))


@keeps_parts
@harmless("method")
def correlate(call, in1, in2, mode):
    return convolve(call, in1, _reversed(array_of(in2)), mode)


@keeps_parts
def fftconvolve(call, in1, in2, mode, axes):
    """Over some axes; over the others the arrays broadcast."""
    x, y = array_of(in1), array_of(in2)
    if axes is None or not x.ndim or not x.size or not y.size:
        return convolve(call, x, y, mode)
    if x.ndim != y.ndim or mode not in ("full", "same", "valid"):
        _checked(call, x, y, mode)
    over = normalize_axis_tuple(axes, x.ndim)
    shape = tuple(y.shape[axis] for axis in over)
    widths = [(0, 0)] * x.ndim
    for axis, n in zip(over, shape, strict=True):
        widths[axis] = (n - 1, n - 1)
    windows = sliding_window_view(np.pad(x, widths), shape, axis=over)
    last = tuple(range(-len(over), 0))
    key = tuple(slice(None, None, -1) if i in over else slice(None) for i in range(y.ndim))
    kernel = np.moveaxis(y[key], over, last)
    kernel = np.expand_dims(kernel, sorted(over))
    full = (windows * kernel).sum(axis=last)
    return _cropped(full, x, y, mode, range(x.ndim) if mode == "same" else over)


oaconvolve = fftconvolve


@keeps_parts
def convolve2d(call, in1, in2, mode, boundary, fillvalue):
    return _planes(call, in1, in2, mode, boundary, fillvalue, later=False)


def _planes(call: Call, in1, in2, mode: str, boundary: str, fillvalue, *, later: bool) -> Any:
    x, y = _checked(call, in1, in2, mode)
    if x.ndim != 2:
        raise ValueError("convolve2d inputs must both be 2-D arrays")
    if mode == "valid":
        return convolve(call, x, y, mode)
    extension = _BOUNDARIES.get(boundary)
    if extension is None:
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symm'")
    padding: dict[str, Any] = {"mode": extension}
    if extension == "constant":
        if contains_traced(fillvalue):
            return _filled(call, x, y, mode, fillvalue, later=later)
        padding["constant_values"] = fillvalue
    return _cropped(full_convolution(x, y, **padding), x, y, mode, (0, 1), later=later)


def _filled(call: Call, x, y, mode: str, fillvalue, *, later: bool) -> Any:
    """With what stands around the first plane as another plane, of which it is a multiple."""
    inside = _planes(call, x, y, mode, "fill", 0, later=later)
    return inside + fillvalue * _planes(call, np.zeros(x.shape), y, mode, "fill", 1.0, later=later)


@keeps_parts
def correlate2d(call, in1, in2, mode, boundary, fillvalue):
    return _planes(call, in1, _reversed(array_of(in2)), mode, boundary, fillvalue, later=True)
