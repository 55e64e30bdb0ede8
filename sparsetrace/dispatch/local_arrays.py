"""Arithmetic of arrays at a point, where no element is special.

Contract: as `sparsetrace.numbers.local_numbers` of single numbers.  Of finite numbers of which
none is zero, and whose results are none of the smallest, sums, products and quotients depend
on both operands, and no floating-point error is met: so no rule is asked, which takes twice as
long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import absolute, asarray, errstate, isfinite

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, Ids, lowest
from sparsetrace.operands import nonlinear
from sparsetrace.operands.operands import FLOAT, Elements, is_traced_array

__all__ = ["LARGEST", "LEAST", "MOST", "NUMBERS", "at_a_point"]

_SUMS = frozenset((np.add, np.subtract))
_PRODUCTS = frozenset((np.multiply, np.divide))
_SMALL = 4096
"""Beyond, what the rule takes is little beside what the elements take."""
LEAST, MOST = 2.3e-308, float("inf")
"""Between these a product or a quotient has neither underflown nor overflown."""
NUMBERS = frozenset((float, int, np.float64))
"""Types of constants."""
LARGEST = 2**53
"""Whole numbers beyond are not all floats."""


def at_a_point(trace: Trace, ufunc: np.ufunc, inputs: tuple[Any, ...]) -> Any:
    """``ufunc(*inputs)``, or None where the rule is to answer.

    Parameters
    ----------
    trace : Trace
        One at a point.
    ufunc : numpy.ufunc
    inputs : tuple
    """
    is_sum = ufunc in _SUMS
    if not (is_sum or ufunc in _PRODUCTS) or trace.names is not None or trace.graph.mixed:
        return None
    a, b = inputs
    left, right = _operand(trace, a), _operand(trace, b)
    if left is None or right is None:
        return None
    p, q = left[0], right[0]
    if p is not None and q is not None and p.shape != q.shape:
        return None
    with errstate(all="ignore"):
        values = ufunc(left[1], right[1])
    if is_sum:
        if not isfinite(values).all():
            return None
    else:
        size = absolute(values)
        if not (size.min() > LEAST and size.max() < MOST):
            return None
    since = trace.graph.size
    if p is None or q is None:
        ids: Ids = (q if p is None else p).copy()  # type: ignore[union-attr]
        if ids.shape != values.shape:
            return None
    else:
        ids = trace.graph.union_of_nodes(p, q)
    if trace.second_order and not is_sum:
        points = [asarray(left[1]), asarray(right[1])]
        ids = nonlinear.second_order(trace, ufunc, 0, [p, q], points, ids, since)
    return trace.wrap(Elements(ids, FLOAT, values))


def _operand(trace: Trace, x: Any) -> tuple[Ids | None, Any] | None:
    """The ids and the values of an array without constants; of a constant the values; else None."""
    cls = type(x)
    if cls in NUMBERS:
        return None if cls is int and not -LARGEST < x < LARGEST else (None, x)
    if cls is np.ndarray:
        ordinary = x.dtype is FLOAT and x.ndim and x.flags.c_contiguous
        return (None, x) if ordinary and x.size else None
    if not is_traced_array(x) or x._dtype is not FLOAT or x._trace is not trace:
        return None
    ids, values = x._ids, x._values
    if not (
        0 < ids.size <= _SMALL and ids.ndim and ids.flags.c_contiguous and values.flags.c_contiguous
    ):
        return None
    return (ids, values) if lowest(ids) > OPAQUE else None
