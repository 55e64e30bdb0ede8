"""``scipy.ndimage``'s order statistics of neighbourhoods: extremes, medians, ranks.

Contract: piecewise linear in the elements under the window.
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
from sparsetrace.scipy_rules.registration import Call, array_of, constant, lines

__all__ = ["TABLE"]


def _extreme1d(choose: np.ufunc) -> Callable[..., Any]:
    def rule(
        call: Call,
        input: Any,
        size: int,
        axis: int = -1,
        output: Any = None,
        mode: str = "reflect",
        cval: float = 0.0,
        origin: int = 0,
    ) -> Any:
        x = input_of(call, input, output, size, cval)
        axis = normalize_axis_index(axis, x.ndim)
        return _chosen(x, choose, int(size), axis, mode, cval, origin)

    return rule


def _chosen(
    x: Any, choose: np.ufunc, size: int, axis: int, mode: str, cval: float, origin: int
) -> Any:
    """The extreme of so many neighbours along an axis."""
    shape = [1] * x.ndim
    shape[axis] = size
    origins = [origin if i == axis else 0 for i in range(x.ndim)]
    parts = shifted(x, np.ones(shape, bool), origins, [mode] * x.ndim, cval)
    return functools.reduce(choose, parts[1:], parts[0].copy())


def _extreme(choose: np.ufunc) -> Callable[..., Any]:
    def rule(
        call: Call,
        input: Any,
        size: Any = None,
        footprint: Any = None,
        output: Any = None,
        mode: Any = "reflect",
        cval: float = 0.0,
        origin: Any = 0,
        *,
        axes: Any = None,
    ) -> Any:
        x = input_of(call, input, output, size, footprint, cval)
        if footprint is not None:
            parts = _window(call, x, size, footprint, mode, cval, origin, axes)
            return functools.reduce(choose, parts[1:], parts[0].copy())
        if size is None:
            raise RuntimeError("no footprint provided")
        over = axes_of(axes, x.ndim)
        options = (several(v, len(over)) for v in (size, mode, origin))
        for axis, n, m, o in zip(over, *options, strict=True):
            if n > 1:
                x = _chosen(x, choose, int(n), axis, m, cval, o)
        return x.copy()

    return rule


def _window(
    call: Call,
    x: Any,
    size: Any,
    footprint: Any,
    mode: str,
    cval: float,
    origin: Any,
    axes: Any,
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
    return shifted(x, used, origins, [mode] * x.ndim, cval)


def _ranked(
    call: Call,
    rank_of: Callable[[int], int],
    input: Any,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    x = input_of(call, input, output, size, footprint, cval)
    parts = _window(call, x, size, footprint, mode, cval, origin, axes, most=1)
    return np.sort(np.stack(parts, axis=-1), axis=-1)[..., rank_of(len(parts))]


def _median(call: Call, input: Any, *args: Any, **options: Any) -> Any:
    return _ranked(call, lambda n: n // 2, input, *args, **options)


def _rank(call: Call, input: Any, rank: int, *args: Any, **options: Any) -> Any:
    constant(call, rank, "a rank")
    return _ranked(call, lambda n: rank + n * (rank < 0), input, *args, **options)


def _percentile(call: Call, input: Any, percentile: float, *args: Any, **options: Any) -> Any:
    constant(call, percentile, "a percentile")
    part = percentile + 100.0 * (percentile < 0)

    def rank_of(n: int) -> int:
        return n - 1 if part == 100.0 else int(float(n) * part / 100.0)

    return _ranked(call, rank_of, input, *args, **options)


def _medfilt(call: Call, volume: Any, kernel_size: Any = None) -> Any:
    x = np.atleast_1d(array_of(volume))
    sizes = several(3 if kernel_size is None else kernel_size, x.ndim)
    return _ranked(call, lambda n: n // 2, x, sizes, mode="constant")


def _medfilt2d(call: Call, input: Any, kernel_size: Any = 3) -> Any:
    return _medfilt(call, input, kernel_size)


def _order_filter(call: Call, a: Any, domain: Any, rank: int) -> Any:
    constant(call, rank, "a rank")
    return _ranked(call, lambda n: rank, a, footprint=domain, mode="constant")


TABLE = lines(
    "scipy.ndimage",
    {
        "maximum_filter": _extreme(np.maximum),
        "maximum_filter1d": _extreme1d(np.maximum),
        "median_filter": _median,
        "minimum_filter": _extreme(np.minimum),
        "minimum_filter1d": _extreme1d(np.minimum),
        "percentile_filter": _percentile,
        "rank_filter": _rank,
    },
) | lines(
    "scipy.signal",
    {"medfilt": _medfilt, "medfilt2d": _medfilt2d, "order_filter": _order_filter},
)
