"""Arithmetic of single numbers at a point, where neither they nor the result are special.

Contract: of finite numbers of which none is zero, and whose result is none of the smallest, sums,
products, quotients and squares depend on each operand, by first derivatives that do not vanish,
and no floating-point error is met.  So they need no rule, which takes 30 times as long.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import errstate

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.operands.local_arrays import LARGEST, LEAST, MOST, NUMBERS
from sparsetrace.operands.nonlinear import second_order_beside, second_order_scalar
from sparsetrace.operands.operands import FLOAT
from sparsetrace.operands.unions import unites
from sparsetrace.rules import RECORDS
from sparsetrace.rules.record import NOWHERE

__all__ = ["at_a_point", "one_at_a_point"]

_SUMS: dict[np.ufunc, Callable[[float, float], float]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
}
_PRODUCTS: dict[np.ufunc, Callable[[float, float], float]] = {
    np.multiply: operator.mul,
    np.divide: operator.truediv,
}


def at_a_point(kind: type[Any], trace: Trace, ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """``ufunc(a, b)`` as a number of a kind, one operand at least being one; None by a rule.

    Parameters
    ----------
    kind : type
        The class of the traced operands and of the result.
    trace : Trace
        One at a point.
    ufunc : numpy.ufunc
    a, b : object
        Numbers of a kind, or constants.
    """
    left = _value(kind, trace, a)
    right = _value(kind, trace, b)
    if left is None or right is None or trace.names is not None or trace.graph.mixed:
        return None
    if ufunc in _SUMS:
        value = _SUMS[ufunc](left, right)
        if not -MOST < value < MOST:
            return None
    elif ufunc in _PRODUCTS:
        if not left or not right:
            return None
        value = _PRODUCTS[ufunc](left, right)
        if not LEAST < abs(value) < MOST:
            return None
    elif ufunc is np.power and type(a) is kind and type(b) in NUMBERS and right == 2.0:
        value = left * left
        if not LEAST < value < MOST:
            return None
    else:
        return None
    if type(b) is not kind:
        node, place, constant = a._id, 0, b
    elif type(a) is not kind:
        node, place, constant = b._id, 1, a
    elif trace.second_order:
        return kind(trace, second_order_scalar(trace, ufunc, a._id, b._id), FLOAT, value)
    else:
        return kind(trace, trace.graph.union_scalar(a._id, b._id), FLOAT, value)
    if trace.second_order:
        node = second_order_beside(trace, ufunc, node, place, constant)
    return kind(trace, node, FLOAT, value)


def one_at_a_point(kind: type[Any], trace: Trace, ufunc: object, a: Any) -> Any:
    """``ufunc(a)`` as a number of a kind, likewise, where its derivatives do not vanish."""
    value = _value(type(a), trace, a)
    if value is None or trace.names is not None or trace.graph.mixed or trace.moving is not None:
        return None
    if type(ufunc) is not np.ufunc or ufunc.nin != 1 or not unites(ufunc):
        return None
    record = RECORDS[ufunc]
    special = [*record.zero.values(), *record.zero2.values(), *record.infinite2.values()]
    # one without `infinite` has infinite derivatives only where its values are infinite
    if record.infinite is not None and record.infinite is not NOWHERE:
        special.append(record.infinite)
    with errstate(all="ignore"):
        at = np.float64(value)
        if not -MOST < value < MOST or any(predicate(at) for predicate in special):
            return None
        result = ufunc(at)
    if type(result) is not np.float64 or not LEAST < abs(result) < MOST:
        return None
    node = a._id
    if trace.second_order:
        node = second_order_scalar(trace, ufunc, node, node)
    return kind(trace, node, FLOAT, result)


def _value(kind: type[Any], trace: Trace, x: Any) -> float | None:
    """The value of an operand; None if it is neither a constant nor a number that varies."""
    cls = type(x)
    if cls is kind:
        if x._id <= OPAQUE or x._dtype is not FLOAT or x._trace is not trace:
            return None
        return float(x._value)
    if cls not in NUMBERS or (cls is int and not -LARGEST < x < LARGEST):
        return None
    return float(x)
