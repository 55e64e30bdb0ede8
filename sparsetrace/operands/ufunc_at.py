"""``ufunc.at``: writes into places of an array, one of which may be named several times.

Contract: each element written to depends on itself and on its operands, taken in turn.
Whether one of them, such as a factor of zero, ends the dependency on what came before is
decided by the value that the operands before it left there.

``add.at([{0}, {1}], [0, 0], [{2}, {3}])  ->  [{0, 2, 3}, {1}]``
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import arange, array, asarray, empty, ones, zeros
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sparsetrace.context import Trace
from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, ZERO, Ids
from sparsetrace.operands import elementwise, loops, nonlinear
from sparsetrace.operands.complex_operands import moved_ids
from sparsetrace.operands.elementwise import combine
from sparsetrace.operands.operands import Operand, dtype_of, ids_of, landed, values_of

__all__ = ["at", "taken_in_turn", "united_into", "unites"]

_SUMS = frozenset((np.add, np.subtract))
"""Whatever value one operand has, the result depends on the other."""
_ASSOCIATIVE = frozenset(
    getattr(np, name)
    for name in "multiply maximum minimum fmax fmin logaddexp logaddexp2 hypot logical_and "
    "logical_or logical_xor bitwise_and bitwise_or bitwise_xor add".split()
)
"""What is combined first makes no difference to what the result depends on."""
_NARROW = 2**31
_SPARSE = 4
"""So many elements an index may there be in an array of which all are counted."""


def at(trace: Trace, ufunc: np.ufunc, x: Any, indices: Any, *operands: Any) -> None:
    """``ufunc.at(x, indices, b)``, in place; the values of a trace at a point stay as they are."""
    ids = x._ids
    places = _places(ids.shape, values_of(indices) if trace.local else indices)
    positions = places.reshape(-1)
    order, unique, counts = _grouped(positions, ids.size)
    if len(unique) == len(positions) and not trace.local:
        # a single place must give an array, too
        operands_in = [Operand(trace, asarray(ids.reshape(-1)[places]), x._dtype), *operands]
        (new,) = elementwise.call(trace, ufunc, operands_in)
        _write(ids, positions, np.broadcast_to(new.ids, places.shape).reshape(-1))
        return

    def listed(elements: Any) -> NDArray[Any]:
        return asarray(np.broadcast_to(elements, places.shape).reshape(-1)[order])

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
    if len(others) == 1 and len(positions):
        (added,) = others
        known = trace.local and x._values is not None  # sums of weights have none
        before = x._values.reshape(-1)[unique] if known else None
        old = Operand(trace, ids.reshape(-1)[unique], x._dtype, before)
        # a constant factor of zero leaves nothing of the others, a summand does
        whatever = ufunc in _SUMS or trace.local or _without_constants(trace, old, added)
        if whatever and x._dtype.kind != "c" and unites(trace, ufunc):
            _write(ids, unique, _sums(trace, ufunc, old, added, counts))
            return
        # a target of another type rounds each value that it takes in turn
        if ufunc in _ASSOCIATIVE and (
            not trace.local or (added._dtype == x._dtype and x._dtype.kind == "f")
        ):
            result = combine(trace, ufunc, old, _reduced(trace, ufunc, added, counts))
            united = landed(trace, x._dtype, result._ids)
            if not trace.local:
                united = _with_constants(trace, ufunc, old, added, counts, united)
            _write(ids, unique, united)
            return
    values = array(x._values) if trace.local else None
    target = positions[order]
    for now in _turns(counts):
        here = np.unravel_index(target[now], ids.shape)
        left = Operand(trace, ids[here], x._dtype, None if values is None else values[here])
        result = combine(trace, ufunc, left, *(b.chosen(now) for b in others))
        ids[here] = landed(trace, x._dtype, result._ids)
        if values is not None:
            values[here] = result._values


def _places(shape: tuple[int, ...], indices: Any) -> NDArray[Any]:
    """The elements that `indices` name in an array of this shape, by their positions in it."""
    size = math.prod(shape)
    dtype = np.int32 if size < _NARROW else np.int64
    plain = len(shape) == 1 and type(indices) is np.ndarray and indices.dtype.kind in "iu"
    if plain and indices.size and indices.min() >= 0 and indices.max() < size:
        return asarray(indices, dtype)
    return asarray(arange(size, dtype=dtype).reshape(shape)[indices])


def _grouped(positions: NDArray[Any], size: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The order that sorts positions, the distinct ones, and how often each of them occurs."""
    if size > _SPARSE * len(positions):
        order = np.argsort(positions, kind="stable")
        target = positions[order]
        starts = np.flatnonzero(np.diff(target, prepend=-1))
        return order, target[starts], np.diff(starts, append=len(target))
    rows = csr_array(
        (
            zeros(len(positions), np.int8),
            positions,
            arange(len(positions) + 1, dtype=positions.dtype),  # SciPy wants both of one type
        ),
        shape=(len(positions), size),
    )
    columns = rows.tocsc()  # in time proportional to its length, and in order
    counts = np.diff(columns.indptr)
    unique = np.flatnonzero(counts)
    return columns.indices, unique, counts[unique]


def _without_constants(trace: Trace, *operands: Operand) -> bool:
    return trace.graph.pure or not any((x._ids <= ZERO).any() for x in operands)


def _sums(trace: Trace, ufunc: np.ufunc, old: Operand, added: Operand, counts: NDArray[Any]) -> Ids:
    """What places depend on to which all of their group are added; constants are added up."""
    ids = united_into(trace, counts, added._ids, old._ids)
    return ids if trace.local else _with_constants(trace, ufunc, old, added, counts, ids)


def _with_constants(
    trace: Trace, ufunc: np.ufunc, old: Operand, added: Operand, counts: NDArray[Any], ids: Ids
) -> Ids:
    """The ids of all places; those of constants alone are computed as NumPy does."""
    if added._ids.min() > ZERO:
        return ids
    starts = np.cumsum(counts) - counts
    constant = np.maximum(np.maximum.reduceat(added._ids, starts), old._ids) <= ZERO
    if constant.any():
        some = np.repeat(constant, counts)
        values = trace.graph.known_values(old._ids[constant], old._dtype)
        group = np.repeat(arange(len(values)), counts[constant])
        with np.errstate(all="ignore"):
            ufunc.at(values, group, trace.graph.known_values(added._ids[some], added._dtype))
        ids = asarray(ids).copy()
        ids[constant] = trace.graph.constant(values)
    return ids


def _reduced(trace: Trace, ufunc: np.ufunc, elements: Operand, counts: NDArray[Any]) -> Operand:
    """One element for each group, combined by twos: as often as its length can be halved."""
    while counts.max() > 1:
        starts = np.cumsum(counts) - counts
        rank = arange(counts.sum()) - np.repeat(starts, counts)
        is_left = rank % 2 == 0
        is_paired = is_left & (rank + 1 < np.repeat(counts, counts))
        places = np.flatnonzero(is_paired)
        left, right = elements.chosen(places), elements.chosen(places + 1)
        pairs = _as_factors(trace, ufunc, left, right, combine(trace, ufunc, left, right))
        elements = elements.chosen(np.flatnonzero(is_left))
        paired = is_paired[is_left]
        elements._ids[paired] = pairs._ids
        if elements._values is not None:
            elements._values[paired] = pairs.points
        elements._dtype = pairs._dtype
        counts = (counts + 1) // 2
    return elements


def _as_factors(
    trace: Trace, ufunc: np.ufunc, left: Operand, right: Operand, pairs: Operand
) -> Operand:
    """What two elements give, where both are known: in a trace at a point, or as constants.

    A product that is zero or infinite, and neither factor is, stays a factor: it would be neither
    in the dtype or the order in which NumPy multiplies, and so it must end no dependency.
    """
    if trace.local:
        one, other, values = left.points, right.points, pairs.points
        if ufunc is np.multiply:
            values = np.where(_is_lost(one, other, values), one, values)
        return Operand(trace, pairs._ids, pairs._dtype, values)
    both = np.maximum(left._ids, right._ids) <= ZERO
    if not both.any():
        return pairs
    one, other = (trace.graph.known_values(x._ids[both], x._dtype) for x in (left, right))
    with np.errstate(all="ignore"):
        values = asarray(ufunc(one, other))
    folded = trace.graph.constant(values)
    if ufunc is np.multiply:
        folded = np.where(_is_lost(one, other, values), left._ids[both], folded)
    ids = pairs._ids.copy()
    ids[both] = folded
    return Operand(trace, ids, pairs._dtype)


def _is_lost(one: NDArray[Any], other: NDArray[Any], product: NDArray[Any]) -> NDArray[np.bool_]:
    lost = (product == 0) & (one != 0) & (other != 0)
    lost |= ~np.isfinite(product) & np.isfinite(one) & np.isfinite(other)
    return np.asarray(lost)


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


def _turns(counts: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Where groups have their first elements, then their second ones..."""
    starts = np.cumsum(counts) - counts
    for turn in range(int(counts.max(initial=0))):
        more = counts > turn
        starts, counts = starts[more], counts[more]
        yield starts + turn


def united_into(trace: Trace, counts: NDArray[Any], added: Ids, old: Ids) -> Ids:
    """What each place holds once its own node has been united with all of its group."""
    if added.min(initial=FIRST_INPUT) <= OPAQUE:
        traced = added > OPAQUE
        kept = zeros(len(added) + 1, np.int64)
        np.cumsum(traced, out=kept[1:])
        ends = np.cumsum(counts)
        counts, added = kept[ends] - kept[ends - counts], added[traced]
    held = old > OPAQUE
    indptr = zeros(len(counts) + 1, np.int64)
    np.cumsum(counts + held, out=indptr[1:])
    if not held.any():  # a buffer of zeros
        return _united(trace, indptr, added)
    first = indptr[:-1][held]
    parents = empty(indptr[-1], np.int32)
    is_added = ones(len(parents), bool)
    is_added[first] = False
    parents[first] = old[held]
    parents[is_added] = added
    return _united(trace, indptr, parents)


def _united(trace: Trace, indptr: NDArray[np.int64], parents: Ids) -> Ids:
    """One union per CSR row; rows that are equal and follow each other have one together.

    So have the elements of a vector that is added to a place, where each depends on the same.
    """
    counts = np.diff(indptr)
    first = int(counts[0]) if len(counts) > 1 and counts[0] == counts[1] else 0
    if not first or (parents[:first] != parents[first : 2 * first]).any() or not counts.all():
        return trace.graph.union_segments(indptr, parents)
    # each parent beside the one at its place in the row before, if that is as long
    before = parents[arange(first, len(parents)) - np.repeat(counts[1:], counts[1:])]
    is_new = ones(len(counts), bool)
    is_new[1:] = np.logical_or.reduceat(parents[first:] != before, indptr[1:-1] - first)
    is_new[1:] |= counts[1:] != counts[:-1]
    kept = counts[is_new]
    shorter = zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=shorter[1:])
    ids = trace.graph.union_segments(shorter, parents[np.repeat(is_new, counts)])
    return asarray(ids[np.cumsum(is_new) - 1])


def _write(ids: Ids, positions: NDArray[Any], new: Ids) -> None:
    """``ids.flat[positions] = new`` through views of any strides."""
    ids[positions if ids.ndim == 1 else np.unravel_index(positions, ids.shape)] = new
