"""Ufuncs of numbers of which no bounds are known, also where a run keeps names and bounds.

Contract: a float has no name, and the bounds of what such a call gives are those for any operand
(`sparsetrace.operands.unknown_bounds`): with these the node is all there is.  Where more is to be
asked, None is given, and the rule is to answer.  Without it a call takes ten times as long in all
that follows ``int(np.argmax(x))``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE
from sparsetrace.operands import unions
from sparsetrace.operands.nonlinear import second_order_beside, second_order_scalar
from sparsetrace.operands.operands import FLOAT, is_number
from sparsetrace.operands.unknown_bounds import bounds_of_unknown, is_known

if TYPE_CHECKING:
    from sparsetrace.context import Trace

__all__ = ["number_of"]


def number_of(kind: type, trace: Trace, function: np.ufunc, a: Any, *others: Any) -> Any:
    """``function(a, *others)`` as a number of a kind, where it is known without a rule; else None.

    Parameters
    ----------
    kind : type
        The class of the result.
    trace : Trace
    function : numpy.ufunc
    a, *others : object
        One operand or two, one of them a traced number at least.
    """
    if trace.local or trace.moving is not None or not unions.unites(function):
        return None
    node, known = _one(trace, function, a) if not others else _two(trace, function, a, *others)
    if node is None:
        return None
    result = kind(trace, node, FLOAT)
    ends = None if trace.bounds is None else bounds_of_unknown(function, known, FLOAT)
    if ends is not None:
        trace.bounds.note(result, *ends)
    return result


_Found = tuple[int | None, tuple[float | None, ...]]
_NOT_FOUND: _Found = (None, ())


def _one(trace: Trace, function: np.ufunc, a: Any) -> _Found:
    """The node, and the operands with None for what may be anything."""
    if not is_number(a) or a._trace is not trace or not _is_open(trace, a):
        return _NOT_FOUND
    node = second_order_scalar(trace, function, a._id, a._id) if trace.second_order else a._id
    return node, (None,)


def _two(trace: Trace, function: np.ufunc, a: Any, b: Any) -> _Found:
    is_first = is_number(a)
    if is_first and is_number(b):
        if b._trace is not trace or not (_is_open(trace, a) and _is_open(trace, b)):
            return _NOT_FOUND
        if trace.second_order:
            return second_order_scalar(trace, function, a._id, b._id), (None, None)
        return int(trace.graph.union_scalar(a._id, b._id)), (None, None)
    number, constant, position = (a, b, 0) if is_first else (b, a, 1)
    if type(constant) is np.float64:
        constant = float(constant)
    if not is_known(constant) or not trace.values:
        return _NOT_FOUND
    if not _is_open(trace, number) or not unions.keeps(function, position, constant):
        return _NOT_FOUND
    operands = (constant, None) if position else (None, constant)
    if trace.second_order:
        return second_order_beside(trace, function, number._id, position, constant), operands
    return number._id, operands


def _is_open(trace: Trace, number: Any) -> bool:
    if number._id <= OPAQUE or number._dtype is not FLOAT:
        return False
    return trace.bounds is None or not trace.bounds.is_bounded(number)
