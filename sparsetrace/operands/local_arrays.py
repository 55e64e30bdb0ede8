"""Ufuncs of arrays at a point, where no element is special.

Contract: as `sparsetrace.numbers.local_numbers` of single numbers.  Of finite numbers at which no
derivative vanishes or is infinite, and whose results are none of the smallest, a result depends on
all operands, and no floating-point error is met: so no rule is asked, which takes three times as
long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import absolute, array, asarray, isfinite, logical_or, where
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, Ids, filled, lowest
from sparsetrace.operands import nonlinear
from sparsetrace.operands.floating import silently
from sparsetrace.operands.operands import FLOAT, Elements
from sparsetrace.operands.unions import unites
from sparsetrace.rules import RECORDS
from sparsetrace.rules.record import NOWHERE

__all__ = ["LARGEST", "LEAST", "MOST", "NUMBERS", "at_a_point"]

_ARITHMETIC = frozenset((np.add, np.subtract, np.multiply, np.divide))
_EXACT = frozenset(
    (np.add, np.subtract, np.negative, np.positive, np.absolute, np.fabs, np.maximum, np.minimum)
)
"""Their results may be zero, or as small as they like, without an error."""
_SMALL = 4096
"""Beyond, what the rule takes is little beside what the elements take."""
_FEW = 48
"""Up to here numbers are looked at sooner in Python than by NumPy."""
LEAST, MOST = 2.3e-308, float("inf")
"""Between these a product or a quotient has neither underflown nor overflown."""
NUMBERS = frozenset((float, int, np.float64))
"""Types of constants."""
LARGEST = 2**53
"""Whole numbers beyond are not all floats."""

Predicate = Callable[..., Any]


def at_a_point(trace: Trace, ufunc: np.ufunc, inputs: tuple[Any, ...]) -> Elements | None:
    """``ufunc(*inputs)`` in new memory, or None where the rule is to answer.

    Parameters
    ----------
    trace : Trace
        One at a point.
    ufunc : numpy.ufunc
    inputs : tuple
    """
    if not unites(ufunc) or trace.names is not None or trace.graph.mixed:
        return None
    arithmetic = ufunc in _ARITHMETIC
    if not arithmetic and trace.moving is not None:
        return None
    ids_in: list[Ids | None] = []
    points: list[NDArray[Any]] = []
    for x in inputs:
        operand = _operand(trace, x)
        if operand is None:
            return None
        ids_in.append(operand[0])
        points.append(operand[1])
    if all(ids is None for ids in ids_in):  # the target alone is traced
        return None
    values = asarray(silently(ufunc, *points))
    ordinary = _is_ordinary(values, ufunc in _EXACT)
    if not (ordinary or _is_of_zeros(values, points)):
        return None
    kept = ids_in
    # of what is not zero no partial derivative of arithmetic vanishes
    if trace.values and not (ordinary and arithmetic):
        kept = _cut(trace, ufunc, ids_in, points)  # type: ignore[assignment]
        if kept is None:
            return None
    since = trace.graph.size
    ids = _united(trace, kept)
    if ids.shape != values.shape:
        ids = filled(ids, values.shape)
    if trace.second_order and not nonlinear.is_linear(ufunc):
        uncut = kept is ids_in
        ids = nonlinear.second_order(trace, ufunc, 0, ids_in, points, ids, since, uncut=uncut)
    return Elements(ids, FLOAT, values)


def _operand(trace: Trace, x: Any) -> tuple[Ids | None, Any] | None:
    """The ids of a traced operand, None of a constant, and the values; None if it is special."""
    cls = type(x)
    if cls in NUMBERS:
        return None if cls is int and not -LARGEST < x < LARGEST else (None, asarray(x))
    if cls is np.ndarray:
        ids, values = None, x
    elif not getattr(cls, "_is_traced", False) or x._trace is not trace:
        return None
    else:
        ids, values = x._ids, asarray(x._values)
    if (x.dtype if ids is None else x._dtype) is not FLOAT or not 0 < values.size <= _SMALL:
        return None
    if not values.ndim:
        return None if ids is None else (ids, values)
    if values.ndim > 1 and not (
        values.flags.c_contiguous and (ids is None or ids.flags.c_contiguous)
    ):
        return None
    return ids, values


def _is_ordinary(values: NDArray[Any], may_be_small: bool) -> bool:
    """Whether numbers are finite, and none of them is so small that something was lost."""
    if values.size > _FEW or values.ndim != 1:
        if may_be_small:
            return bool(isfinite(values).all())
        size = absolute(values)
        return bool(size.min() > LEAST and size.max() < MOST)
    numbers = values.tolist()
    if not -MOST < sum(numbers) < MOST and not isfinite(values).all():
        return False
    return may_be_small or min(map(abs, numbers)) > LEAST


def _is_of_zeros(values: NDArray[Any], points: Sequence[NDArray[Any]]) -> bool:
    """Whether numbers are finite, and the smallest are zeros that come from zeros: no underflow."""
    if not isfinite(values).all():
        return False
    from_zero = reduce(logical_or, (x == 0.0 for x in points))
    return bool(((absolute(values) > LEAST) | ((values == 0.0) & from_zero)).all())


@lru_cache(maxsize=4096)
def _singular(ufunc: np.ufunc, varied: tuple[bool, ...]) -> tuple[Predicate, ...]:
    """The predicates of infinite derivatives in the operands that are traced."""
    record = RECORDS[ufunc]
    second = [p for (i, j), p in record.infinite2.items() if varied[i] and varied[j]]
    # without `infinite` a first derivative is infinite only where the value is, or a second one
    first = [] if record.infinite is None or record.infinite is NOWHERE else [record.infinite]
    return (*first, *second)


def _cut(
    trace: Trace, ufunc: np.ufunc, ids_in: list[Ids | None], points: Sequence[NDArray[Any]]
) -> list[Ids | None] | None:
    """The ids without those in which the derivative vanishes; None where one is infinite."""
    for predicate in _singular(ufunc, tuple(ids is not None for ids in ids_in)):
        if np.any(silently(predicate, *points)):
            return None
    zero = RECORDS[ufunc].zero
    if not zero:
        return ids_in
    kept = ids_in
    for i in zero:
        ids = ids_in[i]
        mask = None if ids is None else RECORDS[ufunc].zero_at(i, points)
        if ids is not None and mask is not None:
            kept = list(kept)
            kept[i] = where(mask, trace.graph.opaque, ids)
    return kept


def _united(trace: Trace, ids_in: Sequence[Ids | None]) -> Ids:
    """The union of those that are traced, as new ids."""
    some = [ids for ids in ids_in if ids is not None]
    if len(some) == 2:
        p, q = some
        if p.shape == q.shape and lowest(p) > OPAQUE and lowest(q) > OPAQUE:
            if not p.ndim:
                return array(trace.graph.union_scalar(p.item(), q.item()), np.int32)
            return trace.graph.union_of_nodes(p, q)
        return trace.graph.union(p, q)
    (ids,) = some
    return ids.copy() if lowest(ids) > OPAQUE else asarray(np.maximum(ids, OPAQUE))
