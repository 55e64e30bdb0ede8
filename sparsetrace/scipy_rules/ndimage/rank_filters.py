"""``scipy.ndimage``'s order statistics of neighbourhoods: extremes, medians, ranks.

Contract: a result is one of the elements under the window, and depends on all of them; at a
point on those alone that are equal to it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.scipy_rules.ndimage.neighbours import (
    axes_of,
    check_window,
    input_of,
    several,
    shifted,
)
from sparsetrace.scipy_rules.rule_tools import Call, array_of, constant


def _extreme1d(choose: np.ufunc) -> Callable[..., Any]:
    def rule(call, input, size, axis, output, mode, cval, origin):
        x = input_of(call, input, output, size)
        axis = normalize_axis_index(axis, x.ndim)
        return _chosen(x, choose, int(size), axis, mode, cval, origin)

    return rule


maximum_filter1d, minimum_filter1d = _extreme1d(np.maximum), _extreme1d(np.minimum)


def _chosen(x, choose: np.ufunc, size: int, axis: int, mode: str, cval, origin: int) -> Any:
    """The extreme of so many neighbours along an axis."""
    shape = [1] * x.ndim
    shape[axis] = size
    origins = [origin if i == axis else 0 for i in range(x.ndim)]
    neighbours = shifted(x, np.ones(shape, bool), origins, mode, cval)
    return functools.reduce(choose, neighbours[1:], neighbours[0].copy())


def _extreme(choose: np.ufunc) -> Callable[..., Any]:
    def rule(call, input, size, footprint, output, mode, cval, origin, axes):
        x = input_of(call, input, output, size, footprint)
        if footprint is not None:
            neighbours = window_of(call, x, size, footprint, mode, cval, origin, axes)
            return functools.reduce(choose, neighbours[1:], neighbours[0].copy())
        if size is None:
            raise RuntimeError("no footprint provided")
        over = axes_of(axes, x.ndim)
        options = (several(v, len(over)) for v in (size, mode, origin))
        for axis, n, m, o in zip(over, *options, strict=True):
            if n > 1:
                x = _chosen(x, choose, int(n), axis, m, cval, o)
        return x.copy()

    return rule


maximum_filter, minimum_filter = _extreme(np.maximum), _extreme(np.minimum)


def window_of(
    call: Call,
    x,
    size,
    footprint,
    mode: str,
    cval,
    origin,
    axes,
    most: int = 4,
) -> list[Any]:
    """The neighbours of all elements, one array for each place of the footprint."""
    over = axes_of(axes, x.ndim)
    if footprint is None:
        if size is None:
            raise RuntimeError("no footprint or filter size provided")
        footprint = np.ones([int(n) for n in several(size, len(over))], bool)
    used = np.asarray(footprint, bool)
    if used.ndim != len(over) or not used.any():
        raise RuntimeError("footprint array has incorrect shape")
    used = np.expand_dims(used, tuple(i for i in range(x.ndim) if i not in over))
    origins = [0] * x.ndim
    for axis, o in zip(over, several(origin, len(over)), strict=True):
        origins[axis] = o
    check_window(call, x.shape, used.shape, mode, most)
    return shifted(x, used, origins, mode, cval)


def _ranked(neighbours: list[Any], rank: int) -> Any:
    """Of all elements' neighbours those of one rank."""
    return np.sort(np.stack(neighbours, axis=-1), axis=-1)[..., rank]


def _ranked_window(call, input, size, footprint, output, mode, cval, origin, axes):
    """The neighbours of all elements, to be ranked."""
    x = input_of(call, input, output, size, footprint)
    return window_of(call, x, size, footprint, mode, cval, origin, axes, most=1)


def median_filter(call, input, size, footprint, output, mode, cval, origin, axes):
    neighbours = _ranked_window(call, input, size, footprint, output, mode, cval, origin, axes)
    return _ranked(neighbours, len(neighbours) // 2)


def rank_filter(call, input, rank, size, footprint, output, mode, cval, origin, axes):
    constant(call, rank, "a rank")
    neighbours = _ranked_window(call, input, size, footprint, output, mode, cval, origin, axes)
    return _ranked(neighbours, rank)


def percentile_filter(call, input, percentile, size, footprint, output, mode, cval, origin, axes):
    constant(call, percentile, "a percentile")
    percent = percentile + 100.0 * (percentile < 0)
    neighbours = _ranked_window(call, input, size, footprint, output, mode, cval, origin, axes)
    n = len(neighbours)
    return _ranked(neighbours, n - 1 if percent == 100.0 else int(float(n) * percent / 100.0))


# ---------------------------------------------------------------- those of scipy.signal
def medfilt(call, volume, kernel_size):
    x = np.atleast_1d(array_of(volume))
    sizes = several(3 if kernel_size is None else kernel_size, x.ndim)
    neighbours = _ranked_window(call, x, sizes, None, None, "constant", 0.0, 0, None)
    return _ranked(neighbours, len(neighbours) // 2)


def medfilt2d(call, input, kernel_size):
    return medfilt(call, input, kernel_size)


def order_filter(call, a, domain, rank):
    constant(call, rank, "a rank")
    return _ranked(_ranked_window(call, a, None, domain, None, "constant", 0.0, 0, None), rank)
