"""Traced operands whose values are known before the function runs: constant folding.

Contract: a function of constants alone is computed by NumPy itself, and its result is
constants again.  What a rule decides by values (a mask, an index, a count) is read here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray, full
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids, filled, highest, lowest
from sparsetrace.operands.complex_operands import moved_ids, of_choices
from sparsetrace.operands.operands import (
    Elements,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    is_traced_array,
    landed,
    values_of,
)
from sparsetrace.operands.refusals import REFUSED, name_of
from sparsetrace.operands.steps import note_zeros

__all__ = [
    "choose",
    "chosen_values",
    "compute_rows",
    "constants",
    "converted",
    "converted_ids",
    "decided_values",
    "known_mask",
    "note_choice",
    "of_known",
    "opaque",
    "plain_values",
]


def plain_values(trace: Trace, x: Any) -> NDArray[Any] | None:
    """The values of `x` as an ordinary array; None if any depends on the inputs.

    In a local trace too: what is known there may still have a derivative.
    """
    if not contains_traced(x):
        return constant_values(x)
    ids = ids_of(trace, x)
    if (ids > ZERO).any():
        return None
    if trace.local:
        values = values_of(x)
        return None if values is None else asarray(values)
    return trace.graph.known_values(ids, dtype_of(x))


def chosen_values(trace: Trace, x: Any) -> NDArray[Any] | None:
    """As `plain_values`, for what has no derivative (an index, a mask, a count).

    In a local trace all values are known.
    """
    if trace.local and contains_traced(x):
        note_zeros(trace, x)
        return asarray(values_of(x))
    return plain_values(trace, x)


def decided_values(trace: Trace, x: Any) -> NDArray[Any] | None:
    """As `chosen_values`; a mask or whole number of few values is decided, on paths of its own."""
    values = chosen_values(trace, x)
    if values is not None or trace.masks is None or not is_traced(x):
        return values
    if is_traced_array(x):
        return None if x._dtype.kind != "b" else trace.masks.values(trace, x)
    return asarray(x.__index__()) if x._dtype.kind in "iu" else None


def of_known(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result of a function if all that it is given is known; else it is refused."""
    known = [plain_values(trace, x) if contains_traced(x) else x for x in args]
    named = {k: plain_values(trace, x) if contains_traced(x) else x for k, x in kwargs.items()}
    lost = any(
        item is None and given is not None
        for item, given in zip((*known, *named.values()), (*args, *kwargs.values()), strict=True)
    )
    if lost:
        raise REFUSED.error(function, name_of(function))
    return function(*known, **named)


def constants(trace: Trace, values: Any) -> Elements:
    """Constants of the trace with these values, and their dtype."""
    values = asarray(values)
    return Elements(asarray(trace.graph.constant(values)), values.dtype)


def converted(trace: Trace, ids: Ids, source: np.dtype[Any], target: np.dtype[Any]) -> Ids:
    """Ids after a conversion of `source` to `target`: whole numbers have no derivative."""
    if target.kind in "biu" and source.kind in "biu":
        return ids if trace.local else trace.graph.rounded(ids, target)
    return landed(trace, target, ids)


def converted_ids(trace: Trace, x: Any, dtype: np.dtype[Any]) -> Ids:
    """The ids of an argument as elements of an array of `dtype`."""
    if "c" in (dtype.kind, dtype_of(x).kind):
        return moved_ids(trace, x, dtype)
    return converted(trace, ids_of(trace, x), dtype_of(x), dtype)


def compute_rows(
    trace: Trace, rows: Ids, source: np.dtype[Any], out: Ids, values: Callable[..., Any]
) -> Ids:
    """`out`, with ``values(row)`` where a row (the last axis) holds constants alone."""
    if trace.graph.pure:
        return out
    known = (rows <= ZERO).all(axis=-1)
    if not known.any():
        return out
    with np.errstate(all="ignore"):
        result = values(trace.graph.known_values(rows[known], source))
    out = np.array(out)
    out[known] = trace.graph.constant(result)
    return out


def opaque(
    trace: Trace, function: Callable[..., Any], sources: Any, shape: tuple[int, ...], dtype: Any
) -> Elements:
    """Values that depend on all of `sources` with zero derivative.

    If all of them are known, ``function(*values)`` is computed instead.
    """
    values = [plain_values(trace, x) for x in sources]
    if all(v is not None for v in values):
        return constants(trace, asarray(function(*values)).astype(dtype))
    if trace.dependency:
        source_ids = [ids_of(trace, x).reshape(-1) for x in sources]
        every = trace.graph.union_rows(np.concatenate(source_ids))
        return Elements(filled(every, shape), np.dtype(dtype))
    return Elements(full(shape, trace.graph.opaque, np.int32), np.dtype(dtype))


def known_mask(trace: Trace, condition: Any) -> NDArray[np.bool_] | None:
    """The condition's truth values; None if any of them is unknown."""
    values = chosen_values(trace, condition)
    return None if values is None else values.astype(bool)


def _beside_a_number(condition: Ids, x: Ids, y: Ids) -> Ids | None:
    """The ids of ``where(condition, x, y)`` for an array and a constant number: the array's.

    None unless one side is such a number and no element of the condition and of the array is
    constant: then every element may be the array's, and the number adds no dependency.
    """
    side, number = (x, y) if x.ndim else (y, x)
    if number.ndim or side.shape != condition.shape or not side.size or number > OPAQUE:
        return None
    free = lowest(condition) > ZERO and lowest(side) > OPAQUE
    return side.copy() if free else None


def note_choice(trace: Trace, ids: Ids) -> None:
    """Count a choice that depends on the inputs, if the numbers chosen have no derivative."""
    if ids.size and highest(ids) <= OPAQUE:
        trace.choices += 1


def choose(trace: Trace, condition: Any, x: Ids, y: Ids) -> Ids:
    """Ids of ``where(condition, x, y)``: both sides where the condition is not known."""
    if is_traced(condition) and not trace.local and not trace.dependency:
        quick = _beside_a_number(condition._ids, x, y)
        if quick is not None:
            return quick
    mask = known_mask(trace, condition)
    if mask is not None:
        return np.where(mask, x, y)
    result = of_choices(trace, lambda p, q: choose(trace, condition, p, q), x, y)
    if result is not None:
        return result
    ids = ids_of(trace, condition)
    shape = ids.shape
    if not ids.shape == x.shape == y.shape:
        shape = np.broadcast(ids, x, y).shape
    out = trace.graph.union(x, y)
    note_choice(trace, out)
    if out.shape != shape:
        out = filled(out, shape)
    if not trace.graph.pure and out.size:
        if x.size and lowest(x) <= ZERO:
            same = (x == y) & (x <= ZERO)
            np.copyto(out, x, where=same)
        if lowest(ids) <= ZERO:
            decided = ids <= ZERO
            truth = trace.graph.known_values(ids, dtype_of(condition)).astype(bool)
            out = np.where(decided, np.where(truth, x, y), out)
            ids = np.where(decided, np.int32(trace.graph.opaque), ids)
    if trace.dependency:
        out = trace.graph.union(out, np.broadcast_to(ids, shape))
    return out
