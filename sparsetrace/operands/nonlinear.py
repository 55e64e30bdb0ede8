"""Second derivatives of ufuncs: which operands' patterns a result multiplies.

Contract: takes the result of the first-order rule and gives it nodes of its own where
the ufunc is nonlinear in what is traced.  Which second derivatives vanish is read from
the ufunc's record; without a record, none does.

``x * y`` multiplies x with y, ``x ** 2`` x with itself, ``x + y`` nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import Ids
from sparsetrace.graph.interactions import interact, interact_all
from sparsetrace.rules import NAN, Pair, Record, pairs, record_of

__all__ = [
    "forget",
    "is_linear",
    "quick_second_order",
    "second_order",
    "second_order_beside",
    "second_order_scalar",
]


@lru_cache(maxsize=1024)
def is_linear(ufunc: np.ufunc) -> bool:
    """Whether all second derivatives of the ufunc vanish (piecewise linear counts)."""
    return not any("1" in letters for letters in record_of(ufunc).second)


def forget() -> None:
    """Drop what was remembered of a ufunc whose record has changed."""
    is_linear.cache_clear()
    _is_nonlinear_beside.cache_clear()


def _vanishing(
    trace: Trace,
    record: Record,
    pair: Pair,
    ids_in: Sequence[Ids | None],
    values_in: Sequence[NDArray[Any] | None],
) -> NDArray[np.bool_] | None:
    """Where the second derivative of a pair vanishes, because of the operands' values.

    In a trace at a point the cuts of first order are asked too: a result that, beside the
    constants, does not vary with an operand at all has no second derivatives in it either.
    """
    if not trace.values:
        return None
    masks = []
    if trace.local and pair in record.zero2:
        masks.append(record.zero2_at(pair, values_in))  # type: ignore[arg-type]
    cuts = [i for i in set(pair) if i in record.cuts] if trace.local else []
    if pair in record.cuts2 or cuts:
        known = [v if ids is None else NAN for ids, v in zip(ids_in, values_in, strict=True)]
        if any(value is not NAN for value in known):
            masks += [record.cut2_by(pair, known), *(record.cut_by(i, known) for i in cuts)]
    result: NDArray[np.bool_] | None = None
    for mask in masks:
        if mask is not None:
            result = asarray(mask if result is None else result | mask)
    return result


def second_order(
    trace: Trace,
    ufunc: np.ufunc,
    output: int,
    ids_in: Sequence[Ids | None],
    values_in: Sequence[NDArray[Any] | None],
    out: Ids,
    since: int,
    *,
    uncut: bool = True,
) -> Ids:
    """The result of one output of a ufunc, with what it multiplies recorded.

    Parameters
    ----------
    trace : Trace
        Of second order.
    ufunc : numpy.ufunc
    output : int
        Which of the ufunc's outputs.
    ids_in : sequence of (ndarray or None)
        The operands' nodes; None for constants.  In a global trace those after the first-order
        cuts; at a point before any, as ``x ** 2`` has a second derivative where x is 0.
    values_in : sequence of (ndarray or None)
        The operands' values where they are known.
    out : ndarray
        The first-order result.
    since : int
        The graph's size before this call.
    uncut : bool
        Whether `out` depends on all operands: False at a point where a derivative vanishes.
    """
    record = record_of(ufunc)
    met = []
    in_all = uncut
    for pair, letter in zip(pairs(ufunc.nin), record.second[output], strict=True):
        left, right = ids_in[pair[0]], ids_in[pair[1]]
        if left is None or right is None:
            continue
        if letter == "0":
            in_all = False
            continue
        mask = _vanishing(trace, record, pair, ids_in, values_in)
        if mask is not None and mask.any():
            in_all = False
            if mask.all():
                continue
            left = np.where(mask, np.int32(trace.graph.opaque), left)
        met.append((left, right))
    if not met:
        return out
    if in_all:
        return interact_all(trace.graph, out, since)
    return interact(trace.graph, out, met, since, cut=trace.local)


def quick_second_order(
    trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any], out: Ids, since: int
) -> Ids:
    """The same of a global trace, for one output, and operands traced or constant."""
    if is_linear(ufunc):
        return out
    ids_in = [x._ids if getattr(type(x), "_is_traced", False) else None for x in inputs]
    if len(inputs) == 2 and (ids_in[0] is None) != (ids_in[1] is None):
        position = 0 if ids_in[1] is None else 1
        constant = inputs[1 - position]
        if not np.ndim(constant):
            if isinstance(constant, np.ndarray):
                constant = constant[()]
            beside = _is_nonlinear_beside(ufunc, position, constant if trace.values else None)
            return interact_all(trace.graph, out, since) if beside else out
    values = [asarray(x) if i is None else None for x, i in zip(inputs, ids_in, strict=True)]
    return second_order(trace, ufunc, 0, ids_in, values, out, since)


@lru_cache(maxsize=65536)
def _is_nonlinear_beside(ufunc: np.ufunc, position: int, value: float | None) -> bool:
    """Whether a ufunc of two is nonlinear in the argument at `position` beside a constant."""
    if record_of(ufunc).second[0][2 * position] == "0":
        return False
    if value is None:
        return True
    known: list[Any] = [NAN, NAN]
    known[1 - position] = asarray(value)
    mask = record_of(ufunc).cut2_by((position, position), known)
    return mask is None or not np.all(mask)


# ---------------------------------------------------------------- single numbers
def second_order_scalar(trace: Trace, ufunc: np.ufunc, a: int, b: int) -> int:
    """The node of a ufunc of two numbers that depends on both, or of one (b is a)."""
    if is_linear(ufunc):
        return trace.graph.union_scalar(a, b)
    node = trace.graph.node_scalar(a, b)
    products = trace.graph.scalar_products
    letters = record_of(ufunc).second[0]
    if letters in ("1", "111"):
        products += (node, node, node)
        return node
    first, cross, second = list(letters)
    if cross == "1":
        products += (node, a, b)
    if first == "1":
        products += (node, a, a)
    if second == "1":
        products += (node, b, b)
    return node


def second_order_beside(trace: Trace, ufunc: np.ufunc, node: int, position: int, value: Any) -> int:
    """The node of a ufunc of a number and a constant beside which the result depends on it."""
    if is_linear(ufunc) or not _is_nonlinear_beside(
        ufunc, position, value if trace.values else None
    ):
        return node
    made = trace.graph.node_scalar(node, node)
    trace.graph.scalar_products += (made, made, made)
    return made
