"""Ufunc calls in a trace at a point.

Contract: a result depends on an operand where its partial derivative differs from zero at the
point; where both arguments of a maximum are equal, on both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands import elementwise as global_elementwise
from sparsetrace.operands import nonlinear
from sparsetrace.operands.operands import Operand, contains_traced, ids_of, values_of
from sparsetrace.rules import record_of

__all__ = ["combine", "elementwise"]


def combine(trace: Trace, ufunc: np.ufunc, *operands: Any) -> Operand:
    """``ufunc(*operands)`` in a trace of either kind; the result has values if they have."""
    if not trace.local:
        (result,) = global_elementwise.call(trace, ufunc, operands)
        return Operand(trace, result.ids, result.dtype)
    with np.errstate(all="ignore"):
        values = np.asarray(ufunc(*map(values_of, operands)))
    (ids,) = elementwise(trace, ufunc, operands)
    return Operand(trace, ids, values.dtype, values)


def elementwise(trace: Trace, ufunc: np.ufunc, inputs: Any) -> list[Ids]:
    """Ids of every output: the union of the inputs whose partial does not vanish."""
    values = [np.asarray(values_of(x)) for x in inputs]
    shape = np.broadcast_shapes(*(v.shape for v in values))
    if trace.singular is not None:
        _watch_singularities(trace, ufunc, inputs, values)
    record = record_of(ufunc)
    kept: list[Ids | None] = []
    uncut: list[Ids | None] = []
    for i, x in enumerate(inputs):
        if not contains_traced(x):
            kept.append(None)
            uncut.append(None)
            continue
        ids = ids_of(trace, x)
        uncut.append(ids)
        mask = record.zero_at(i, values) if trace.values else None
        if mask is not None and mask.any():
            ids = np.where(mask, np.int32(trace.graph.opaque), ids)
        kept.append(ids)
    outs = []
    dtypes = [v.dtype for v in values]
    modulus = global_elementwise.of_modulus(ufunc, dtypes)
    for position, letters in enumerate(global_elementwise.letters(trace, ufunc, dtypes)):
        since = trace.graph.size
        live = [
            p for p, letter in zip(kept, letters, strict=True) if letter == "1" and p is not None
        ]
        if live:
            out = np.maximum(np.broadcast_to(trace.graph.union_all(live), shape), OPAQUE)
        else:
            out = np.full(shape, trace.graph.opaque, np.int32)
        if trace.second_order and modulus:
            out = interact_all(trace.graph, out)
        elif trace.second_order and not nonlinear.is_linear(ufunc):
            out = nonlinear.second_order_at_point(trace, ufunc, position, uncut, values, out, since)
        outs.append(out)
    return outs


def _watch_singularities(
    trace: Trace, ufunc: np.ufunc, inputs: Any, values: list[NDArray[Any]]
) -> None:
    """Note infinite derivatives: dependencies that were dropped before may matter after all.

    ``cbrt(x ** 3)`` at 0 is x: the first derivative is zero, the second infinite.
    """
    record = record_of(ufunc)
    mask = record.infinite_at(values)
    if record.infinite2 and (trace.second_order or record.infinite is None):
        # a record without `infinite`: where its first derivative is infinite, so is a second one
        traced = [i for i, x in enumerate(inputs) if contains_traced(x)]
        second = record.infinite2_at(values, traced)
        mask = second if mask is None else mask if second is None else mask | second
    if mask is None or not mask.any():
        return
    for x in inputs:
        if contains_traced(x) and (mask & (np.asarray(ids_of(trace, x)) > ZERO)).any():
            assert trace.singular is not None
            trace.singular()
