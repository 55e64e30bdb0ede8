"""``ufunc.at``: writes into places of an array, one of which may be named several times.

Contract: each element written to depends on itself and on its operands, taken in turn.
Whether one of them, such as a factor of zero, ends the dependency on what came before is
decided by the value that the operands before it left there.

``add.at([{0}, {1}], [0, 0], [{2}, {3}])  ->  [{0, 2, 3}, {1}]``
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import arange, array, asarray, empty, zeros
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids
from sparsetrace.operands import elementwise, loops, nonlinear
from sparsetrace.operands.complex_operands import moved_ids
from sparsetrace.operands.elementwise import combine
from sparsetrace.operands.operands import Operand, dtype_of, ids_of, landed, values_of

__all__ = ["at", "taken_in_turn", "united_into", "unites"]

_SUMS = frozenset((np.add, np.subtract))
"""Whatever value one operand has, the result depends on the other."""


def at(trace: Trace, ufunc: np.ufunc, x: Any, indices: Any, *operands: Any) -> None:
    """``ufunc.at(x, indices, b)``, in place; the values of a trace at a point stay as they are."""
    ids = x._ids
    places = arange(ids.size).reshape(ids.shape)[values_of(indices) if trace.local else indices]
    positions = places.reshape(-1)
    unique = np.unique(positions, return_inverse=False) if positions.size else positions
    if len(unique) == len(positions) and not trace.local:
        # a single place must give an array, too
        operands_in = [Operand(trace, asarray(ids.reshape(-1)[places]), x._dtype), *operands]
        (new,) = elementwise.call(trace, ufunc, operands_in)
        _write(ids, positions, np.broadcast_to(new.ids, places.shape).reshape(-1))
        return
    order = np.argsort(positions, kind="stable")
    target = positions[order]

    def listed(elements: Any) -> NDArray[Any]:
        return array(np.broadcast_to(elements, places.shape).reshape(-1)[order])  # may be a view

    others = [
        Operand(
            trace,
            listed(moved_ids(trace, b)),
            dtype_of(b),
            listed(values_of(b)) if trace.local else None,
        )
        for b in operands
    ]
    if others:
        loops.result_dtypes(ufunc, (x, *operands))
    if len(others) == 1 and len(target) and x._dtype.kind != "c" and unites(trace, ufunc):
        old, added = ids.reshape(-1)[unique], others[0]._ids
        if trace.local or trace.graph.pure or not ((old <= ZERO).any() or (added <= ZERO).any()):
            _write(ids, unique, united_into(trace, target, unique, added, old))
            return
    values = array(x._values) if trace.local else None
    for now in _turns(target):
        here = np.unravel_index(target[now], ids.shape)
        left = Operand(trace, ids[here], x._dtype, None if values is None else values[here])
        result = combine(trace, ufunc, left, *(b.chosen(now) for b in others))
        ids[here] = landed(trace, x._dtype, result._ids)
        if values is not None:
            values[here] = result._values


def unites(trace: Trace, ufunc: np.ufunc) -> bool:
    """Whether a target depends on all that goes into it, whatever the values are."""
    if trace.second_order and not nonlinear.is_linear(ufunc):
        return False
    return ufunc in _SUMS if trace.local else elementwise.letters(trace, ufunc) == ("11",)


def taken_in_turn(trace: Trace, ufunc: np.ufunc, x: Any, *operands: Any) -> Ids:
    """What an element may be that takes any elements of x and of the operands, in any order.

    Twice is as good as more often: then each has met each other one.
    """
    first, *others = (
        Operand(trace, asarray(trace.graph.union_rows(ids_of(trace, y).reshape(-1))), dtype_of(y))
        for y in (x, *operands)
    )
    once = combine(trace, ufunc, first, *others)
    twice = combine(trace, ufunc, once, *others)
    return asarray(landed(trace, x._dtype, trace.graph.union(once._ids, twice._ids)))


def _turns(target: NDArray[Any]) -> Iterator[NDArray[np.bool_]]:
    """Masks of a sorted array of places: the first mention of each, then the second..."""
    rank = arange(len(target)) - np.searchsorted(target, target, side="left")
    for turn in range(int(rank.max(initial=-1)) + 1):
        yield rank == turn


def united_into(
    trace: Trace, target: NDArray[Any], unique: NDArray[Any], added: Ids, old: Ids
) -> Ids:
    """What each place holds once its own node has been united with all that are added."""
    counts = np.bincount(np.searchsorted(unique, target), minlength=len(unique)) + 1
    indptr = zeros(len(unique) + 1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    parents = empty(indptr[-1], np.int32)
    first = zeros(len(parents), bool)
    first[indptr[:-1]] = True
    parents[first] = old
    parents[~first] = added
    traced = parents > OPAQUE
    if not traced.all():
        kept = zeros(len(parents) + 1, np.int64)
        np.cumsum(traced, out=kept[1:])
        indptr, parents = kept[indptr], parents[traced]
    return trace.graph.union_segments(indptr, parents)


def _write(ids: Ids, positions: NDArray[Any], new: Ids) -> None:
    """``ids.flat[positions] = new`` through views of any strides."""
    ids[np.unravel_index(positions, ids.shape)] = new
