"""Ufunc calls whose result is the union of the operands: what is common is done at once.

Contract: where more is to be asked, each function gives None, and nothing has happened; then
`sparsetrace.operands.elementwise` answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray, count_nonzero, frombuffer
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, Ids, filled, lowest
from sparsetrace.operands import nonlinear
from sparsetrace.operands.loops import result_dtypes
from sparsetrace.operands.operands import (
    FLOAT,
    ORDINARY,
    Elements,
    contains_traced,
    is_traced,
    unwatched,
)
from sparsetrace.rules import RECORDS, Record

__all__ = ["forget", "is_piecewise_constant", "keeps", "plain_ids", "quick", "simple", "unites"]

_CHANGED: set[np.ufunc] = set()
"""Ufuncs of whose records less is known than of those here."""


def _record(ufunc: np.ufunc) -> Record | None:
    return None if ufunc in _CHANGED else RECORDS.get(ufunc)


@lru_cache(maxsize=4096)
def unites(ufunc: np.ufunc) -> bool:
    """Whether it has one output, a float64 for float64, which depends on every argument."""
    record = _record(ufunc)
    # not those of a complex result for float64, such as hankel1
    return (
        record is not None
        and record.first in (("1",), ("11",))
        and f"{'d' * ufunc.nin}->d" in ufunc.types
    )


@lru_cache(maxsize=4096)
def _unites_some(ufunc: np.ufunc) -> bool:
    """Whether it has several outputs, each of which depends on every argument or on none."""
    record = _record(ufunc)
    return (
        record is not None and len(record.first) > 1 and all(len(set(p)) == 1 for p in record.first)
    )


@lru_cache(maxsize=4096)
def is_piecewise_constant(ufunc: np.ufunc) -> bool:
    """Whether all its derivatives vanish: comparisons, rounding, truth values."""
    record = _record(ufunc)
    return record is not None and not any("1" in p for p in record.first)


_SHORT = 32
"""What so many constants cut is remembered."""
_REAL_SCALARS = frozenset((int, float, np.float64, np.int64, np.int32))


def forget(ufunc: np.ufunc) -> None:
    """Drop what was remembered of a ufunc whose record has changed."""
    _CHANGED.add(ufunc)
    for known in (unites, _unites_some, is_piecewise_constant):
        known.cache_clear()
    keeps.cache_clear()
    _matters.cache_clear()
    _cuts.cache_clear()
    nonlinear.forget()


def simple(trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any]) -> list[Elements] | None:
    """The outputs where no constants or zeros matter: all opaque, or all unions; else None.

    Comparisons and rounding, mostly: without it they take 1.8 to 3 times as long.
    """
    dtypes = result_dtypes(ufunc, inputs)
    constant = is_piecewise_constant(ufunc) and not trace.dependency
    if constant and trace.values and RECORDS[ufunc].cuts and any(map(_has_infinities, inputs)):
        return None  # which may decide it
    if constant and any(map(_unknown, inputs)) and dtypes[0].kind != "c":
        shape = _common_shape(inputs)
        return [Elements(trace.graph.opaques(shape), dtype) for dtype in dtypes]
    if _unites_some(ufunc) and not (trace.dependency or trace.local or trace.second_order):
        ids = _united(trace, ufunc, inputs)
        if ids is not None:
            # each output is an array of its own, and may be written into
            return [
                Elements(ids.copy() if "1" in p else trace.graph.opaques(ids.shape), dtype)
                for p, dtype in zip(RECORDS[ufunc].first, dtypes, strict=True)
            ]
    return None


@lru_cache(maxsize=65536)
def keeps(ufunc: np.ufunc, position: int, value: float) -> bool:
    """Whether an argument at `position` of a ufunc of two matters beside this constant."""
    return RECORDS[ufunc].first == ("11",) and _matters(ufunc, position, value)


@lru_cache(maxsize=65536)
def _matters(ufunc: np.ufunc, position: int, value: float) -> bool:
    mask = RECORDS[ufunc].cut_beside(position, asarray(value))
    return mask is None or not bool(np.any(mask))


@lru_cache(maxsize=4096)
def _cuts(ufunc: np.ufunc, position: int, constants: bytes) -> bool:
    """Whether one of some constants cuts the argument at `position`."""
    mask = RECORDS[ufunc].cut_beside(position, frombuffer(constants))
    return mask is not None and bool(np.any(mask))


def quick(trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any]) -> Ids | None:
    """The common case: float64 throughout, every partial non-zero, no constants inside.

    Where it is not that, None, and nothing has happened; `general` then answers.  Without it a
    call takes 3 times as long in a trace, and 1.6 times where it is looked up.
    """
    if trace.local or not unites(ufunc):
        return None
    if not trace.second_order:
        return _united(trace, ufunc, inputs)
    if trace.moving is not None:
        return None
    since = trace.graph.size
    ids = _united(trace, ufunc, inputs)
    return None if ids is None else nonlinear.quick_second_order(trace, ufunc, inputs, ids, since)


def _united(trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any]) -> Ids | None:
    """The union of the inputs, where `quick` may give it."""
    a, b = inputs[0], inputs[-1]
    cls_a, cls_b = type(a), type(b)
    # as `is_traced`, which would be called twice for every operation
    if cls_a in ORDINARY or not getattr(cls_a, "_is_traced", False):
        if cls_b in ORDINARY or not getattr(cls_b, "_is_traced", False):
            return None
        if b._dtype is not FLOAT or b._trace is not trace:
            return None
        return _beside(trace, ufunc, b._ids, a, 1)
    if a._dtype is not FLOAT or a._trace is not trace:
        return None
    p: Ids = a._ids
    if len(inputs) == 1:
        return None if not trace.graph.pure and _impure(p) else p.copy("K")
    if cls_b in ORDINARY or not getattr(cls_b, "_is_traced", False):
        return _beside(trace, ufunc, p, b, 0)
    if b._dtype is not FLOAT or b._trace is not trace:
        return None
    q: Ids = b._ids
    graph = trace.graph
    if not graph.pure and (_impure(p) or _impure(q)):
        return None
    united: Ids = graph.union_of_nodes(p, q)
    return united


def plain_ids(trace: Trace, ufunc: np.ufunc, x: Any) -> Ids | None:
    """The ids of a float64 array without constants, if the ufunc depends on every argument.

    In a trace of second order, only if it is linear in them too.  Without it reductions and
    prefixes of ten elements take 2.4 to 3.8 times as long by the rule (benchmarks/small_calls.py).
    """
    if not unites(ufunc) or trace.local or not is_traced(x):
        return None
    if trace.second_order and (trace.moving is not None or not nonlinear.is_linear(ufunc)):
        return None
    ids: Ids = x._ids
    if x._dtype is not FLOAT or x._trace is not trace or _impure(ids):
        return None
    return ids


def _has_infinities(x: Any) -> bool:
    """Whether an operand is an infinite constant, or has some among its elements."""
    if type(x) in (float, np.float64):
        return bool(np.isinf(x))
    if is_traced(x) or not isinstance(x, (np.ndarray, list, tuple)) or contains_traced(x):
        return False
    values = asarray(x)
    return values.dtype.kind == "f" and bool(np.isinf(values).any())


def _common_shape(inputs: Sequence[Any]) -> tuple[int, ...]:
    shapes = list(map(_shape_of, inputs))
    first = shapes[0]
    if len(shapes) == 1:
        return first
    if len(shapes) == 2:
        second = shapes[1]
        if not second or first == second:
            return first
        if not first:
            return second
    return np.broadcast_shapes(*shapes)


def _shape_of(x: Any) -> tuple[int, ...]:
    return np.shape(x) if isinstance(x, (list, tuple)) else getattr(x, "shape", ())


def _unknown(x: Any) -> bool:
    """Whether no element's value is known."""
    if not is_traced(x) or x._trace.local:
        return False
    ids: Ids = x._ids
    return x._trace.graph.pure or ids.size == 0 or bool(lowest(ids) > 0)


def _impure(ids: Ids) -> bool:
    """Whether any element is a constant or opaque."""
    return ids.size == 0 or lowest(ids) <= OPAQUE


def _beside(trace: Trace, ufunc: np.ufunc, ids: Ids, constant: Any, position: int) -> Ids | None:
    """A traced array and a real constant beside which the result depends on every element."""
    cls = type(constant)
    if cls in _REAL_SCALARS:
        if trace.values and not _matters(ufunc, position, constant):
            return None
        return None if not trace.graph.pure and _impure(ids) else ids.copy("K")
    if cls is not np.ndarray:
        constant = unwatched(constant)
        if type(constant) is not np.ndarray:
            return None
    if constant.dtype is not FLOAT:
        return None
    record = RECORDS[ufunc]
    mask = None
    if trace.values and (constant.size > _SHORT or _cuts(ufunc, position, constant.tobytes())):
        mask = record.cut_beside(position, constant)
    cuts = mask is not None and count_nonzero(mask)
    if cuts and ufunc is not np.multiply:
        settles = position not in record.stepwise and ufunc.nout == 1
        if trace.second_order or not settles:
            return None
    if not trace.graph.pure and _impure(ids):
        return None
    if constant.shape == ids.shape:
        out = ids.copy("K")
    else:
        out = filled(ids, np.broadcast_shapes(ids.shape, constant.shape))
    if cuts:
        _settle_beside(trace, ufunc, out, mask, constant, position)
    return out


def _settle_beside(
    trace: Trace, ufunc: np.ufunc, out: Ids, mask: Any, constant: NDArray[Any], position: int
) -> None:
    """Write the constants that a constant operand makes, whatever the other one is."""
    if ufunc is np.multiply:
        np.copyto(out, trace.graph.zero, where=mask)
        return
    operands = [asarray(1.0), _spread(constant, out.shape)]
    if position:
        operands.reverse()
    with np.errstate(all="ignore"):
        values = ufunc(*operands)
    out[_spread(mask, out.shape)] = trace.graph.constant(values[_spread(mask, out.shape)])


def _spread(x: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    return x if x.shape == shape else np.broadcast_to(x, shape)
