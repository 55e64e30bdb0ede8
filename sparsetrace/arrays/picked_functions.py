"""NumPy's functions of picked elements that ask which of them stand side by side, or in what order.

Contract: where the mask is too large to be decided, each element of the result depends on what any
element may be, unless it is clear which one it is.  A function that is not here is called with as
many elements as there are, one number after the other, where these are few.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.arrays.picked import PickedArray, answer_by, part_of
from sparsetrace.arrays.picks import Pick
from sparsetrace.context import Trace
from sparsetrace.operands.complex_operands import elements_of
from sparsetrace.operands.operands import Elements, is_traced_array
from sparsetrace.operands.raising import may_raise

__all__: list[str] = []

_EMPTY: dict[Callable[..., Any], Callable[[], Exception]] = {
    np.average: partial(ZeroDivisionError, "Weights sum to zero, can't be normalized"),
    np.polyfit: partial(TypeError, "expected non-empty vector for x"),
}
"""What these raise where nothing is picked."""


def _along(trace: Trace, arrays: Sequence[Any], axis: int) -> PickedArray:
    """Arrays one after the other, of which some are picked along that axis.

    The candidates of all are those of the whole, in the same order.
    """
    picks, parts = [], []
    for x in arrays:
        if isinstance(x, PickedArray):
            picks.append(x._pick.every(trace))
            parts.append(x._candidates)
        else:
            picks.append(trace.graph.constant(np.ones(np.shape(x)[axis], bool)))
            parts.append(x)
    mask = trace.wrap(Elements(np.concatenate(picks), np.dtype(bool), keep_array=True))
    joined = np.concatenate(parts, axis=axis)
    return PickedArray._of(trace, Pick(trace, mask), joined, axis - joined.ndim)


def _concatenate(trace: Trace, arrays: Sequence[Any], axis: Any = 0) -> Any:
    """``np.concatenate``, along the axis of the masks, or along another one."""
    if axis is None:
        arrays, axis = [np.ravel(x) for x in arrays], 0
    ndim = np.ndim(arrays[0])
    axis = normalize_axis_index(axis, ndim)
    picked = [x for x in arrays if isinstance(x, PickedArray)]
    if any(np.ndim(x) != ndim or y._axis != picked[0]._axis for x in arrays for y in picked):
        return NotImplemented
    if picked[0]._axis == axis - ndim:
        return _along(trace, arrays, axis)
    return picked[0].of_others(np.concatenate([_beside(picked[0], x) for x in arrays], axis))


def _beside(picked: PickedArray, x: Any) -> Any:
    """Another operand with as many elements along the axis as there are candidates."""
    part = picked._beside(x)
    shape = list(np.shape(part))
    shape[picked._axis] = len(picked._pick)
    return np.broadcast_to(part, shape)


def _append(trace: Trace, arr: Any, values: Any, axis: Any = None) -> Any:
    """``np.append``."""
    return _concatenate(trace, [arr, values], axis)


def _hstack(trace: Trace, tup: Sequence[Any]) -> Any:
    """``np.hstack``."""
    arrays = [x if isinstance(x, PickedArray) else np.atleast_1d(x) for x in tup]
    return _concatenate(trace, arrays, int(np.ndim(arrays[0]) > 1))


def _diff(trace: Trace, a: Any, n: int = 1, axis: int = -1) -> Any:
    """``np.diff``, of any two elements."""
    if not isinstance(a, PickedArray) or a._axis != normalize_axis_index(axis, a.ndim) - a.ndim:
        return NotImplemented
    for _ in range(n):
        a = np.subtract(part_of(a, slice(1, None)), part_of(a, slice(-1)))
    return a


def _whole(x: Any) -> Any:
    """A picked array as if all of its elements were picked, each of which may be any."""
    return np.repeat(x._any(), len(x._pick), x._axis) if isinstance(x, PickedArray) else x


def _interp(trace: Trace, x: Any, xp: Any, fp: Any, **options: Any) -> Any:
    """``np.interp`` between points of which a mask picks some."""
    if not (isinstance(xp, PickedArray) and isinstance(fp, PickedArray)):
        return NotImplemented
    if len(xp._pick) != len(fp._pick):
        return NotImplemented
    may_raise(trace, partial(ValueError, "array of sample points is empty"))
    return np.interp(x, _whole(xp), _whole(fp), **options)


def _of_all(function: Callable[..., Any], along: Sequence[str]) -> Callable[..., Any]:
    """Answers for a function of which the results are as many, however many are picked."""
    signature = inspect.signature(function)

    def answer(trace: Trace, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        arrays = {name: x for name, x in given.items() if name in along and np.ndim(x)}
        lengths = {len(x._pick) for x in arrays.values() if isinstance(x, PickedArray)}
        if len(lengths) > 1 or not all(isinstance(x, PickedArray) for x in arrays.values()):
            return NotImplemented
        others = [x for name, x in given.items() if name not in along]
        if any(isinstance(x, PickedArray) for x in others):
            return NotImplemented
        if function in _EMPTY:
            may_raise(trace, _EMPTY[function])
        given |= {name: _whole(x) for name, x in arrays.items()}
        return function(**given)

    return answer


def _argsort(trace: Trace, a: Any, axis: Any = -1, kind: Any = None) -> Any:
    """``np.argsort``: places that may be any."""
    if a.ndim != 1:
        return NotImplemented
    ids = np.full(len(a._pick), trace.graph.opaque, np.int32)
    if trace.dependency:
        ids[:] = trace.graph.union(a._any()._ids, trace.graph.union_rows(a._pick.every(trace)))
    places = trace.wrap(Elements(ids, np.dtype(np.intp), keep_array=True))
    return PickedArray._of(trace, a._pick, places, -1)


def _take(trace: Trace, a: Any, indices: Any, axis: Any = None) -> Any:
    """``np.take``: an index."""
    if isinstance(a, PickedArray) or not isinstance(indices, PickedArray):
        return NotImplemented
    array = a if is_traced_array(a) else trace.wrap(elements_of(trace, a))
    if axis is None:
        array, axis = np.ravel(array), 0
    return array[(slice(None),) * normalize_axis_index(axis, array.ndim) + (indices,)]


def _vander(trace: Trace, x: Any, N: Any = None, increasing: bool = False) -> Any:
    """``np.vander``, a row for each element."""
    if N is None:
        return NotImplemented
    return PickedArray._of(trace, x._pick, np.vander(x._candidates, N, increasing), -2)


def _stack(trace: Trace, arrays: Sequence[Any], axis: int = 0) -> Any:
    """``np.stack`` of one-dimensional arrays, elements of the same place side by side."""
    if any(np.ndim(x) != 1 for x in arrays) or axis not in (-2, -1, 0, 1):
        return NotImplemented
    first = next(x for x in arrays if isinstance(x, PickedArray))
    parts = [np.broadcast_to(first._beside(x), first._candidates.shape) for x in arrays]
    rows = axis in (-2, 0)
    return PickedArray._of(trace, first._pick, np.stack(parts, axis), -1 if rows else -2)


def _outer(trace: Trace, a: Any, b: Any) -> Any:
    """``np.outer``."""
    return np.multiply.outer(a, b) if np.ndim(a) == 1 == np.ndim(b) else NotImplemented


_ANSWERS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.append: _append,
    np.argsort: _argsort,
    np.atleast_1d: lambda trace, x: x,
    np.column_stack: lambda trace, tup: _stack(trace, tup, 1),
    np.concatenate: _concatenate,
    np.diff: _diff,
    np.hstack: _hstack,
    np.interp: _interp,
    np.outer: _outer,
    np.ravel: lambda trace, a, order="C": a.ravel(order),
    np.stack: _stack,
    np.take: _take,
    np.transpose: lambda trace, a, axes=None: a.transpose(axes),
    np.vander: _vander,
    np.vstack: lambda trace, tup: _stack(trace, tup),
}
for _function, _names in (
    (np.average, "a weights"),
    (np.corrcoef, "x y"),
    (np.cov, "m y fweights aweights"),
    (np.histogram, "a weights"),
    (np.linalg.lstsq, "a b"),
    (np.polyfit, "x y w"),
    (np.trapezoid, "y x"),
):
    _ANSWERS[_function] = _of_all(_function, _names.split())
answer_by(_ANSWERS)
