"""Operators of numbers of which no bounds are known, where a run keeps names and bounds of values.

Contract: what such an operator gives has no bounds either, and a float has no name: nothing is to
be noted of it, so the node is all there is.  Where the operator would have bounds after all, as the
square of any number, None is given, and the rule is to answer.  Without it an operator takes a
hundred times as long in all that follows ``int(np.argmax(x))``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE
from sparsetrace.operands import unions
from sparsetrace.operands.nonlinear import second_order_beside, second_order_scalar
from sparsetrace.operands.operands import FLOAT
from sparsetrace.operands.unknown_bounds import bounds_of_unknown, is_known

if TYPE_CHECKING:
    from sparsetrace.context import Trace

__all__ = ["node_of"]


def node_of(trace: Trace, function: np.ufunc, a: Any, b: Any) -> int | None:
    """The node of ``function(a, b)``, where nothing else is to be kept of it; None elsewhere.

    Parameters
    ----------
    trace : Trace
        Which keeps names.
    function : numpy.ufunc
    a, b : object
        One of them a traced number at least.
    """
    if trace.local or not unions.unites(function):
        return None
    bounded = trace.names.bounds.is_bounded
    is_first = _is_number(a)
    if is_first and _is_number(b):
        if b._trace is not trace or not (_is_open(a, bounded) and _is_open(b, bounded)):
            return None
        if bounds_of_unknown(function, (None, None), FLOAT) is not None:
            return None
        if trace.second_order:
            return second_order_scalar(trace, function, a._id, b._id)
        return int(trace.graph.union_scalar(a._id, b._id))
    number, constant, position = (a, b, 0) if is_first else (b, a, 1)
    if not is_known(constant) or not trace.values:
        return None
    if not _is_open(number, bounded) or not unions.keeps(function, position, constant):
        return None
    operands = (constant, None) if position else (None, constant)
    if bounds_of_unknown(function, operands, FLOAT) is not None:
        return None
    if trace.second_order:
        return second_order_beside(trace, function, number._id, position, constant)
    return int(number._id)


def _is_number(x: object) -> bool:
    return getattr(type(x), "_is_number", False) is True


def _is_open(number: Any, bounded: Any) -> bool:
    return number._id > OPAQUE and number._dtype is FLOAT and not bounded(number)
