"""The axes that a function works along, and unions over them.

Contract: wrong axes raise NumPy's own error.  A result depends on all elements that stand
along the axis, whatever the function computes of them.

``[[{0}, {1}], [{2}, {}]]  ->  [{0, 1}, {2}]``
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import zeros
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import Ids, filled

__all__ = ["Axis", "along_axis", "axes_of", "check_axis", "core_last", "kept", "spread"]

Axis = int | tuple[int, ...] | None


def check_axis(axis: Any, ndim: int, by: Callable[..., Any] = np.add.reduce) -> None:
    """Check the axis as NumPy does for the function `by`: a sum takes no list, a sort no tuple."""
    if axis is not None and type(axis) is not int:
        by(zeros((1,) * ndim), axis)


def axes_of(axis: Any, ndim: int) -> tuple[int, ...] | None:
    """The axes where NumPy takes a list or an array of them too: medians, quantiles."""
    return None if axis is None else normalize_axis_tuple(axis, ndim)


def core_last(x: NDArray[Any], axis: Axis) -> tuple[NDArray[Any], tuple[int, ...]]:
    """Move `axis` last and flatten it: shape ``(kept..., k)``, and the axes.

    An array of no dimension may name the axis 0 or -1, as in NumPy's own loops.
    """
    check_axis(axis, x.ndim)
    if axis is not None and x.ndim == 0 and axis != ():
        normalize_axis_tuple(axis, 1)
        axis = None
    if axis is None:
        axes = tuple(range(x.ndim))
        return x.reshape(-1), axes
    axes = normalize_axis_tuple(axis, x.ndim)
    if axes == (x.ndim - 1,):
        return x, axes
    others = [i for i in range(x.ndim) if i not in axes]
    moved = x.transpose([*others, *axes])
    shape = tuple(x.shape[i] for i in others)
    return moved.reshape((*shape, prod(x.shape[i] for i in axes))), axes


def kept(out: Ids, axes: tuple[int, ...], *, keepdims: bool) -> Ids:
    """A reduction's result with axes of length one in place of those reduced, if wanted."""
    return np.expand_dims(out, axes) if keepdims and axes else out


def along_axis(trace: Trace, ids: Ids, axis: Axis, *, keepdims: bool = False) -> Ids:
    """The union over an axis; constants are not computed."""
    rows, axes = core_last(ids, axis)
    return kept(trace.graph.union_rows(rows), axes, keepdims=keepdims)


def spread(trace: Trace, ids: Ids, axis: Axis, length: int | None = None) -> Ids:
    """Every element of an axis depends on the whole axis (sort, FFT).

    ``[{0}, {1}] -> [{0, 1}, {0, 1}]``, with a new length if one is given.
    """
    total = along_axis(trace, ids, axis, keepdims=True)
    shape = list(ids.shape)
    if axis is None:
        return filled(total, tuple(shape))
    for i in normalize_axis_tuple(axis, ids.ndim):
        shape[i] = ids.shape[i] if length is None else length
    return filled(total, tuple(shape))
