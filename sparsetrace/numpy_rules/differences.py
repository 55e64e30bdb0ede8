"""``np.gradient`` and ``np.trapezoid``: neighbours along an axis, at constant distances.

Contract: a traced array without constants, with distances that are known, is answered here
with a few unions of whole arrays; for every other call NumPy's own Python code runs on the
traced arguments, which takes 3 to 7 times as long.  For a million elements the whole pattern
takes 1.4 to 2 times as long for gradient, and for trapezoid, whose terms would be nodes of their
own, 8 to 37 times.  Both functions are linear in the array: they add nothing to a Hessian.

``gradient([{0}, {1}, {2}])   ->  [{0, 1}, {0, 2}, {1, 2}]``
``trapezoid([{0}, {1}, {2}])  ->  {0, 1, 2}``
"""

from __future__ import annotations

from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray, concatenate, count_nonzero, empty, empty_like, gradient, trapezoid, zeros
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import Ids
from sparsetrace.operands.axes import core_last
from sparsetrace.operands.implementations import rebound
from sparsetrace.operands.operands import FLOAT, Elements, is_plain, unwatched
from sparsetrace.operands.registry import rule_for

__all__: list[str] = []

_REAL = frozenset((int, float, np.float64, np.int64, np.int32))
_TINY, _HUGE = 1e-70, 1e70
"""Between these no product of three distances, and no quotient, vanishes by rounding."""


def _numbers(v) -> NDArray[Any] | None:
    """Constants as an ordinary array of real numbers; None for anything else."""
    v = unwatched(v)
    if type(v) is not np.ndarray:
        if type(v) not in (list, tuple) or not _REAL.issuperset(map(type, v)):
            return None
        v = asarray(v)
    return v if v.dtype is FLOAT or v.dtype.kind in "iu" else None


def _laid_out(ids: Ids, target: Ids) -> Ids:
    """The ids in the memory order of `target`, a new array as NumPy makes it there."""
    target[...] = ids
    return target


# ------------------------------------------------------------------- trapezoid
@rule_for(trapezoid)
def _trapezoid(trace: Trace, y, x, dx, axis) -> Any:
    if is_plain(trace, y) and type(axis) is int and -y.ndim <= axis < y.ndim:
        ids: Ids = y._ids
        met = _nonzero(trace, dx) if x is None else _met(trace, x, ids.shape, axis)
        if met is not None and ids.shape[axis] > 1:
            rows = core_last(ids, axis)[0]
            out = trace.graph.union_rows(rows if met is True else rows[..., met])
            if out.ndim > 1 and not ids.flags.c_contiguous:
                out = _laid_out(out, np.maximum.reduce(ids, axis))
            return Elements(out, FLOAT)
    return rebound(trapezoid)(y, x, dx, axis)


def _nonzero(trace: Trace, dx) -> bool | None:
    """True for a constant distance that is not zero, or whose value is ignored; else None."""
    return True if type(dx) in _REAL and (dx != 0 or not trace.values) else None


def _met(trace: Trace, x, shape: tuple[int, ...], axis: int) -> NDArray[np.bool_] | bool | None:
    """Which places of the axis lie beside a distance that is not zero: a mask, or all (True).

    None where no place does, or where the places differ from row to row.
    """
    points = _numbers(x)
    if points is None or points.shape not in (shape[axis : axis + 1 or None], shape):
        return None
    if points.ndim > 1:
        points = points.swapaxes(axis, -1)
    steps = points[..., 1:] - points[..., :-1] != 0
    some = count_nonzero(steps)
    if some == steps.size or not trace.values:
        return True
    if points.ndim > 1 or not some:
        return None
    met = zeros(len(points), bool)
    met[1:] = steps
    met[:-1] |= steps
    return met


# -------------------------------------------------------------------- gradient
@rule_for(gradient)
def _gradient(trace: Trace, f, varargs, axis, edge_order) -> Any:
    if is_plain(trace, f) and type(edge_order) is int and edge_order in (1, 2):
        ids: Ids = f._ids
        axes = _axes(axis, ids.ndim)
        spacings = _spacings(trace, varargs, [ids.shape[i] for i in axes])
        if spacings and min(ids.shape[i] for i in axes) > edge_order:
            result = [
                Elements(_slopes(trace, ids, i, even, edge_order), FLOAT)
                for i, even in zip(axes, spacings, strict=True)
            ]
            return result[0] if len(result) == 1 else tuple(result)
    return rebound(gradient)(f, *varargs, axis=axis, edge_order=edge_order)


def _axes(axis, ndim: int) -> tuple[int, ...]:
    return tuple(range(ndim)) if axis is None else normalize_axis_tuple(axis, ndim)


Even = NDArray[np.bool_] | bool


def _spacings(trace: Trace, varargs: tuple[Any, ...], lengths: list[int]) -> list[Even] | None:
    """For each axis, at which inner places both distances are the same.

    None where a spacing is not of the common kinds, or wrong.
    """
    if not varargs:
        return [True] * len(lengths)
    if len(varargs) == 1 and type(varargs[0]) in _REAL:
        varargs *= len(lengths)
    if len(varargs) != len(lengths):
        return None
    result: list[Even] = []
    for spacing, n in zip(varargs, lengths, strict=True):
        if type(spacing) in _REAL:
            if not _TINY < abs(float(spacing)) < _HUGE:
                return None
            result.append(True)
            continue
        points = _numbers(spacing)
        if points is None or points.shape != (n,) or n < 2:
            return None
        if points.dtype is not FLOAT:
            points = points.astype(FLOAT)
        steps = points[1:] - points[:-1]
        low, high = np.minimum.reduce(steps), np.maximum.reduce(steps)
        least, most = (low, high) if low > 0 else (-high, -low)
        if not (least > _TINY and most < _HUGE):
            return None
        if not trace.values:
            result.append(False)
        elif low == high:
            result.append(True)
        else:
            same = steps[1:] == steps[:-1]
            result.append(same if count_nonzero(same) else False)
    return result


def _slopes(trace: Trace, ids: Ids, axis: int, even: Even, edge_order: int) -> Ids:
    """Each element's neighbours on the axis; where distances differ, the element too."""
    n = ids.shape[axis]
    before = (slice(None),) * axis

    def along(start: int | None, stop: int | None, step: int = 1) -> Any:
        return *before, slice(start, stop, step)

    inner, first, last = along(1, -1), along(0, 1), along(-1, None)
    # an end is its own neighbour: the second one of an end is its only one
    longer = empty((*ids.shape[:axis], n + 2, *ids.shape[axis + 1 :]), np.int32)
    longer[inner], longer[first], longer[last] = ids, ids[first], ids[last]
    low, high = longer[along(None, -2)], longer[along(2, None)]
    if even is True:
        out = trace.graph.union(low, high)
        if edge_order == 2:
            ends = along(None, None, n - 1)
            far = concatenate((ids[along(2, 3)], ids[along(n - 3, n - 2)]), axis)
            out[ends] = trace.graph.union(out[ends], far)
    else:
        terms = empty((*ids.shape, 3), np.int32)
        terms[..., 0], terms[..., 1], terms[..., 2] = low, ids, high
        if even is not False:
            lower = terms[..., 0][inner]
            own = terms[..., 1][inner]
            same = even.reshape((-1,) + (1,) * (ids.ndim - axis - 1))
            np.copyto(own, lower, where=same)
        if edge_order == 2:
            terms[..., 0][first], terms[..., 2][last] = ids[along(2, 3)], ids[along(n - 3, n - 2)]
        out = trace.graph.union_rows(terms)
    return out if ids.flags.c_contiguous else _laid_out(out, empty_like(ids))
