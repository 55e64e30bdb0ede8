"""``scipy.ndimage``'s order statistics of neighbourhoods: extremes, medians, ranks.

Contract: a result is one of the elements under the window, and depends on all of them; at a
point on those alone that are equal to it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.scipy_rules.ndimage.neighbours import (
    axes_of,
    check_reach,
    input_of,
    refuse_window,
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
        if footprint is not None and np.all(footprint):
            size, footprint = np.shape(footprint), None
        if footprint is not None:
            neighbours = window_of(x, size, footprint, mode, cval, origin, axes, call)
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
    x, size, footprint, mode: str, cval, origin, axes, call: Call | None = None
) -> list[Any]:
    """The neighbours of all elements, one array for each place of the footprint.

    With a call: as the filters of SciPy find them that go from offset to offset.
    """
    used, origins = _footprint_of(x, size, footprint, origin, axes)
    if call is not None:
        check_reach(call, x.shape, used.shape, origins, mode)
    return shifted(x, used, origins, mode, cval)


def _footprint_of(x, size, footprint, origin, axes) -> tuple[Any, list[int]]:
    """The footprint, of as many axes as the array has, and its origins."""
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
        origins[axis] = int(o)
    return used, origins


# ---------------------------------------------------------------- ranks
def _ranked(call: Call, input, rank_of, size, footprint, output, mode, cval, origin, axes) -> Any:
    """Of all elements' neighbours those of one rank, which follows from how many there are."""
    x = input_of(call, input, output, size, footprint)
    used, origins = _footprint_of(x, size, footprint, origin, axes)
    count = int(used.sum())
    rank = rank_of(count)
    rank += count * (rank < 0)
    if not 0 <= rank < count:
        raise RuntimeError("rank not within filter footprint size")
    if 0 < rank < count - 1 and _goes_along_a_line(call, x.shape, used.shape, origins, mode):
        used = used | _ignores_holes()
    else:
        check_reach(call, x.shape, used.shape, origins, mode)
    neighbours = shifted(x, used, origins, mode, cval)
    return np.sort(np.stack(neighbours, axis=-1), axis=-1)[..., rank]


def _goes_along_a_line(
    call: Call, shape: Sequence[int], window: Sequence[int], origins: Sequence[int], mode
) -> bool:
    """Whether SciPy's routine of one axis answers, which repeats no array that it extends."""
    if len(shape) != 1:
        return False
    (n,), (size,), (origin,) = shape, window, origins
    if n > 1 and n < (size - 1) // 2 - origin:
        return False
    before = size // 2 + origin
    reaches_beyond = max(before, size - 1 - before) > n - (mode == "mirror")
    if reaches_beyond and mode in ("reflect", "grid-mirror", "mirror", "wrap", "grid-wrap"):
        refuse_window(call, shape, window)
    return True


@functools.cache
def _ignores_holes() -> bool:
    """Whether that routine takes a footprint for one without holes, as it does since SciPy 1.15."""
    ranked = sys.modules["scipy.ndimage"].rank_filter
    result = ranked(np.array([0.0, 1.0, 2.0, 3.0]), 1, footprint=[1, 0, 1, 1], mode="nearest")
    return bool(result[2] == 1.0)


def median_filter(call, input, size, footprint, output, mode, cval, origin, axes):
    options = (size, footprint, output, mode, cval, origin, axes)
    return _ranked(call, input, lambda count: count // 2, *options)


def rank_filter(call, input, rank, size, footprint, output, mode, cval, origin, axes):
    constant(call, rank, "a rank")
    options = (size, footprint, output, mode, cval, origin, axes)
    return _ranked(call, input, lambda count: int(rank), *options)


def percentile_filter(call, input, percentile, size, footprint, output, mode, cval, origin, axes):
    constant(call, percentile, "a percentile")
    percent = percentile + 100.0 * (percentile < 0)

    def rank_of(count: int) -> int:
        return count - 1 if percent == 100.0 else int(float(count) * percent / 100.0)

    return _ranked(call, input, rank_of, size, footprint, output, mode, cval, origin, axes)


# ---------------------------------------------------------------- those of scipy.signal
def medfilt(call, volume, kernel_size):
    x = np.atleast_1d(array_of(volume))
    sizes = several(3 if kernel_size is None else kernel_size, x.ndim)
    return median_filter(call, x, sizes, None, None, "constant", 0.0, 0, None)


def medfilt2d(call, input, kernel_size):
    return medfilt(call, input, kernel_size)


def order_filter(call, a, domain, rank):
    return rank_filter(call, a, rank, None, domain, None, "constant", 0.0, 0, None)
