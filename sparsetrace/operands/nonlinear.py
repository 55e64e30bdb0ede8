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
from sparsetrace.rules import NAN, pairs, record_of

__all__ = [
    "forget",
    "is_linear",
    "quick_second_order",
    "second_order",
    "second_order_at_point",
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


def _cut(
    ufunc: np.ufunc, pair: tuple[int, int], values_in: Sequence[Any], *, constants: bool
) -> NDArray[np.bool_] | None:
    """Where the second derivative of a pair vanishes, because of another operand's value.

    `values_in` holds None for operands that are not constant.  In a local trace the cuts
    of first order are asked too (`constants` is false): a result that does not vary with an
    operand at all has no second derivatives in it either.
    """
    record = record_of(ufunc)
    if constants and pair not in record.cuts2:
        return None
    known = [NAN if value is None else value for value in values_in]
    if all(value is NAN for value in known):
        return None
    masks = [record.cut2_by(pair, known)]
    if not constants:
        masks += [record.cut_by(i, known) for i in set(pair)]
    result: NDArray[np.bool_] | None = None
    for mask in masks:
        if mask is not None:
            result = asarray(mask if result is None else result | mask)
    return result


# ------------------------------------------------------------------- any point
def second_order(
    trace: Trace,
    ufunc: np.ufunc,
    output: int,
    ids_in: Sequence[Ids | None],
    values_in: Sequence[NDArray[Any] | None],
    out: Ids,
    since: int,
) -> Ids:
    """The result of one output of a ufunc, with what it multiplies recorded.

    Parameters
    ----------
    trace : Trace
        Of second order, and not local.
    ufunc : numpy.ufunc
    output : int
        Which of the ufunc's outputs.
    ids_in : sequence of (ndarray or None)
        The operands' nodes after the first-order cuts; None for constants.
    values_in : sequence of (ndarray or None)
        The constants' values.
    out : ndarray
        The first-order result.
    since : int
        The graph's size before this call.
    """
    met = []
    in_all = True
    for pair, letter in zip(pairs(ufunc.nin), record_of(ufunc).second[output], strict=True):
        left, right = ids_in[pair[0]], ids_in[pair[1]]
        if left is None or right is None:
            continue
        if letter == "0":
            in_all = False
            continue
        mask = _cut(ufunc, pair, values_in, constants=True) if trace.values else None
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
    return interact(trace.graph, out, met, since)


def quick_second_order(
    trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any], out: Ids, since: int
) -> Ids:
    """The same for one output and operands that are traced arrays or constants."""
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
    values_in: list[Any] = [None, None]
    if value is not None:
        values_in[1 - position] = asarray(value)
    mask = _cut(ufunc, (position, position), values_in, constants=True)
    return mask is None or not mask.all()


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


# -------------------------------------------------------------------- one point
def second_order_at_point(
    trace: Trace,
    ufunc: np.ufunc,
    output: int,
    ids_in: Sequence[Ids | None],
    values: Sequence[NDArray[Any]],
    out: Ids,
    since: int,
) -> Ids:
    """The same in a local trace: `ids_in` before any cut, and the values of all operands.

    A second derivative may be there although the first vanishes: ``x ** 2`` at 0.
    """
    record = record_of(ufunc)
    known = [v if i is None else None for i, v in zip(ids_in, values, strict=True)]
    met = []
    for pair, letter in zip(pairs(ufunc.nin), record.second[output], strict=True):
        left, right = ids_in[pair[0]], ids_in[pair[1]]
        if left is None or right is None or letter == "0":
            continue
        if trace.values:
            for mask in (
                record.zero2_at(pair, values),
                _cut(ufunc, pair, known, constants=False),
            ):
                if mask is not None and mask.any():
                    left = np.where(mask, np.int32(trace.graph.opaque), left)
        met.append((left, right))
    return interact(trace.graph, out, met, since, cut=True) if met else out
