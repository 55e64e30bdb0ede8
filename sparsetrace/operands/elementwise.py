"""Calls of ufuncs: each output element depends on the input elements it varies with.

Contract: what is known of a ufunc is read from its record in `sparsetrace.rules`; one without
a record depends on all of its arguments.  In a global trace constant operands decide where a
derivative vanishes, and elements whose operands are all constant are computed, so that
constants stay known values.  In a trace at a point the values of all operands decide: where
both arguments of a maximum are equal, it depends on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray, count_nonzero, full, where
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, ZERO, Ids, filled
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands import nonlinear
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    Operand,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    python_type,
    unwatched,
    values_of,
)
from sparsetrace.rules import NAN, RECORDS, Record, record_of

__all__ = [
    "call",
    "combine",
    "general",
    "keeps",
    "letters",
    "of_modulus",
    "plain_ids",
    "quick",
    "result_dtypes",
    "simple",
]

_DTYPES: dict[Any, tuple[np.dtype[Any], ...]] = {}
_PYTHON_NUMBERS = frozenset((bool, int, float, complex))
_UNITING = {ufunc for ufunc, record in RECORDS.items() if record.first in (("1",), ("11",))}
"""Ufuncs of one output, which depends on every argument."""
_UNITING_SOME = {
    ufunc
    for ufunc, record in RECORDS.items()
    if len(record.first) > 1 and all(len(set(p)) == 1 for p in record.first)
}
"""Ufuncs of several outputs, each of which depends on every argument or on none."""
_PIECEWISE_CONSTANT = {
    ufunc for ufunc, record in RECORDS.items() if not any("1" in p for p in record.first)
}
"""Ufuncs whose derivatives all vanish: comparisons, rounding, truth values."""
_REAL_SCALARS = frozenset((int, float, np.float64, np.int64, np.int32))


_OF_MODULUS = frozenset((np.absolute, np.sign))
"""|z| and z/|z|: of complex numbers these depend on both parts, nonlinearly."""


def of_modulus(ufunc: np.ufunc, dtypes: Sequence[np.dtype[Any]]) -> bool:
    """Whether this call is not covered by the records, which are of real numbers."""
    return ufunc in _OF_MODULUS and any(dtype.kind == "c" for dtype in dtypes)


def letters(trace: Trace, ufunc: np.ufunc, dtypes: Sequence[np.dtype[Any]] = ()) -> tuple[str, ...]:
    """The first-order letters of `ufunc`, one string an output, as this trace reads them."""
    if trace.dependency or of_modulus(ufunc, dtypes):
        return ("1" * ufunc.nin,) * ufunc.nout
    return record_of(ufunc).first


def result_dtypes(ufunc: np.ufunc, inputs: Sequence[Any]) -> tuple[np.dtype[Any], ...]:
    """The dtypes of the outputs, as NumPy would choose them.

    Raises
    ------
    TypeError
        Where NumPy raises it too: no loop for these dtypes.
    """
    key = (ufunc, *map(_dtype_key, inputs))
    result = _DTYPES.get(key)
    if result is None:
        wanted = tuple(k if k is not bool else np.dtype(bool) for k in key[1:])
        resolved = ufunc.resolve_dtypes((*wanted, *(None,) * ufunc.nout))
        result = tuple(FLOAT if d.kind == "O" else d for d in resolved[ufunc.nin :])
        _DTYPES[key] = result
    return result


def forget(ufunc: np.ufunc) -> None:
    """Drop what was remembered of a ufunc whose record has changed."""
    _UNITING.discard(ufunc)
    _UNITING_SOME.discard(ufunc)
    _PIECEWISE_CONSTANT.discard(ufunc)
    keeps.cache_clear()
    _matters.cache_clear()
    nonlinear.forget()


def _dtype_key(x: Any) -> Any:
    cls = type(x)
    if cls in _PYTHON_NUMBERS:
        return cls
    if getattr(cls, "_is_traced", False):
        return python_type(cls) or x._dtype
    if cls is np.ndarray and x.dtype.kind != "O":
        return x.dtype
    return dtype_of(x)


def call(trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any]) -> list[Elements]:
    """The outputs of ``ufunc(*inputs)``, at least one input traced."""
    ids = quick(trace, ufunc, inputs)
    return general(trace, ufunc, inputs) if ids is None else [Elements(ids, FLOAT)]


def general(trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any]) -> list[Elements]:
    """The same where `quick` has been tried, and gave None.

    In a trace at a point NumPy has chosen the loop already, and the caller knows its dtypes.
    """
    ids_in: list[Ids | None] = []
    values_in: list[NDArray[Any] | None] = []
    if trace.local:
        dtypes_out = (FLOAT,) * ufunc.nout
        values_in += [asarray(values_of(x)) for x in inputs]
        dtypes_in = [v.dtype for v in values_in if v is not None]
        ids_in += [ids_of(trace, x) if contains_traced(x) else None for x in inputs]
    else:
        dtypes_out = result_dtypes(ufunc, inputs)
        dtypes_in = [dtype_of(x) for x in inputs]
        for x in inputs:
            traced = is_traced(x) or contains_traced(x)
            ids_in.append(ids_of(trace, x) if traced else None)
            values_in.append(None if traced else _in_loop(x, inputs))
    outs = _general(trace, ufunc, ids_in, values_in, dtypes_in, dtypes_out)
    return [Elements(ids, dtype) for ids, dtype in zip(outs, dtypes_out, strict=True)]


def combine(trace: Trace, ufunc: np.ufunc, *operands: Any) -> Operand:
    """``ufunc(*operands)``, for rules made of ufuncs; with values in a trace at a point."""
    (result,) = call(trace, ufunc, operands)
    if not trace.local:
        return Operand(trace, result.ids, result.dtype)
    with np.errstate(all="ignore"):
        values = asarray(ufunc(*map(values_of, operands)))
    return Operand(trace, result.ids, values.dtype, values)


def _in_loop(x: Any, inputs: Sequence[Any]) -> NDArray[Any]:
    """A constant operand; a number of Python's in half or single precision beside such operands."""
    values = constant_values(x)
    if type(x) in _PYTHON_NUMBERS:
        strong = [dtype_of(y) for y in inputs if python_type(type(y)) is None]
        if any(dtype.char in "efF" for dtype in strong):
            with np.errstate(all="ignore"):
                return values.astype(np.result_type(*strong, x))
    return values


def simple(trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any]) -> list[Elements] | None:
    """The outputs where no constants or zeros matter: all opaque, or all unions; else None.

    Comparisons and rounding, mostly: without it they take 1.8 to 3 times as long.
    """
    dtypes = result_dtypes(ufunc, inputs)
    constant = ufunc in _PIECEWISE_CONSTANT and not trace.dependency
    if constant and any(map(_unknown, inputs)) and dtypes[0].kind != "c":
        shape = _common_shape(inputs)
        return [Elements(full(shape, trace.graph.opaque, np.int32), dtype) for dtype in dtypes]
    if ufunc in _UNITING_SOME and not (trace.dependency or trace.local or trace.second_order):
        ids = _united(trace, ufunc, inputs)
        if ids is not None:
            # each output is an array of its own, and may be written into
            return [
                Elements(
                    ids.copy() if "1" in p else full(ids.shape, trace.graph.opaque, np.int32), dtype
                )
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


def quick(trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any]) -> Ids | None:
    """The common case: float64 throughout, every partial non-zero, no constants inside.

    Where it is not that, None, and nothing has happened; `general` then answers.  Without it a
    call takes 3 times as long in a trace, and 1.6 times where it is looked up.
    """
    if ufunc not in _UNITING or trace.local:
        return None
    if not trace.second_order:
        return _united(trace, ufunc, inputs)
    since = trace.graph.size
    ids = _united(trace, ufunc, inputs)
    return None if ids is None else nonlinear.quick_second_order(trace, ufunc, inputs, ids, since)


def _united(trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any]) -> Ids | None:
    """The union of the inputs, where `quick` may give it."""
    if len(inputs) == 2:
        a, b = inputs
        if getattr(type(a), "_is_traced", False):
            if a._dtype is not FLOAT or a._trace is not trace:
                return None
            if getattr(type(b), "_is_traced", False):
                if b._dtype is not FLOAT or b._trace is not trace:
                    return None
                p: Ids = a._ids
                q: Ids = b._ids
                if not trace.graph.pure and (_impure(p) or _impure(q)):
                    return None
                united: Ids = trace.graph.union(p, q)
                return united
            return _beside(trace, ufunc, a._ids, b, 0)
        if not getattr(type(b), "_is_traced", False):
            return None
        if b._dtype is not FLOAT or b._trace is not trace:
            return None
        return _beside(trace, ufunc, b._ids, a, 1)
    x = inputs[0]
    if not getattr(type(x), "_is_traced", False):
        return None
    if x._dtype is not FLOAT or x._trace is not trace or (not trace.graph.pure and _impure(x._ids)):
        return None
    ids: Ids = x._ids
    return ids.copy(order="K")


def plain_ids(trace: Trace, ufunc: np.ufunc, x: Any) -> Ids | None:
    """The ids of a float64 array without constants, if the ufunc depends on every argument.

    In a trace of second order, only if it is linear in them too.  Without it reductions and
    prefixes of ten elements take 2.4 to 3.8 times as long by the rule (benchmarks/small_calls.py).
    """
    if ufunc not in _UNITING or trace.local or not is_traced(x):
        return None
    if trace.second_order and not nonlinear.is_linear(ufunc):
        return None
    ids: Ids = x._ids
    if x._dtype is not FLOAT or x._trace is not trace or _impure(ids):
        return None
    return ids


def _common_shape(inputs: Sequence[Any]) -> tuple[int, ...]:
    shapes = [
        np.shape(x) if isinstance(x, (list, tuple)) else getattr(x, "shape", ()) for x in inputs
    ]
    first = shapes[0]
    if all(shape == first or not shape for shape in shapes):
        return first
    if not first and len(shapes) == 2:
        return shapes[1]
    return np.broadcast_shapes(*shapes)


def _unknown(x: Any) -> bool:
    """Whether no element's value is known."""
    if not is_traced(x) or x._trace.local:
        return False
    ids: Ids = x._ids
    return x._trace.graph.pure or ids.size == 0 or bool(np.minimum.reduce(ids, axis=None) > 0)


def _impure(ids: Ids) -> bool:
    """Whether any element is a constant or opaque."""
    return ids.size == 0 or np.minimum.reduce(ids, axis=None) <= OPAQUE


def _beside(trace: Trace, ufunc: np.ufunc, ids: Ids, constant: Any, position: int) -> Ids | None:
    """A traced array and a real constant beside which the result depends on every element."""
    cls = type(constant)
    if cls in _REAL_SCALARS:
        if trace.values and not _matters(ufunc, position, constant):
            return None
        return None if not trace.graph.pure and _impure(ids) else ids.copy(order="K")
    if cls is not np.ndarray:
        constant = unwatched(constant)
        if type(constant) is not np.ndarray:
            return None
    if constant.dtype is not FLOAT:
        return None
    record = RECORDS[ufunc]
    mask = record.cut_beside(position, constant) if trace.values else None
    cuts = mask is not None and count_nonzero(mask)
    if cuts and ufunc is not np.multiply:
        settles = position not in record.stepwise and ufunc.nout == 1
        if trace.second_order or not settles:
            return None
    if not trace.graph.pure and _impure(ids):
        return None
    if constant.shape == ids.shape:
        out = ids.copy(order="K")
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


def _general(
    trace: Trace,
    ufunc: np.ufunc,
    ids_in: list[Ids | None],
    values_in: list[NDArray[Any] | None],
    dtypes_in: list[np.dtype[Any]],
    dtypes_out: tuple[np.dtype[Any], ...],
) -> list[Ids]:
    """The ids of all outputs; ids are None of constants, values of what is not known."""
    shape = _shape_of(
        [
            v.shape if i is None else i.shape  # type: ignore[union-attr]
            for i, v in zip(ids_in, values_in, strict=True)
        ]
    )
    record = record_of(ufunc)
    if trace.singular is not None:
        _watch_singularities(trace, record, ids_in, values_in)
    masks = _cut_masks(trace, record, ids_in, values_in, dtypes_in) if trace.values else {}
    kept = list(ids_in)
    for i, mask in masks.items():
        kept[i] = where(mask, np.int32(trace.graph.opaque), asarray(ids_in[i]))
    constant = None
    if not (trace.graph.pure or trace.local):
        constant = (
            _are_constant(record, ids_in, masks, shape) if masks else _all_known(ids_in, shape)
        )

    outs = []
    modulus = of_modulus(ufunc, dtypes_in)
    for position, partials in enumerate(letters(trace, ufunc, dtypes_in)):
        since = trace.graph.size
        kept_ids = [
            ids
            for ids, letter in zip(kept, partials, strict=True)
            if ids is not None and letter == "1"
        ]
        if kept_ids:
            out = trace.graph.union_all(kept_ids)
            if out.shape != shape:
                out = filled(out, shape)
            if not trace.graph.pure and len(kept_ids) == 1:
                np.maximum(out, OPAQUE, out=out)
        else:
            out = full(shape, trace.graph.opaque, np.int32)
        lowest = np.minimum.reduce(out, axis=None) if out.size else FIRST_INPUT
        if lowest <= OPAQUE and constant is not None:
            here = constant & (out <= OPAQUE)  # of the full shape
            if count_nonzero(here):
                values = _evaluate(trace, ufunc, ids_in, values_in, dtypes_in, here)
                _write_constants(trace, out, here, values[position], dtypes_out[position])
        if trace.second_order and modulus:
            out = interact_all(trace.graph, out, since)
        elif trace.second_order and not nonlinear.is_linear(ufunc):
            # at a point a second derivative may be there although the first one vanishes
            varied = ids_in if trace.local else kept
            out = nonlinear.second_order(trace, ufunc, position, varied, values_in, out, since)
        outs.append(out)
    return outs


def _cut_masks(
    trace: Trace,
    record: Record,
    ids_in: list[Ids | None],
    values_in: list[NDArray[Any] | None],
    dtypes_in: list[np.dtype[Any]],
) -> dict[int, NDArray[np.bool_]]:
    """Where the dependency on an operand ends, by its position.

    At a point all values decide, in a global trace those of the other operands' constants.
    """
    if not (record.zero if trace.local else record.cuts):
        return {}
    known: list[Any] = []
    for ids, values, dtype in zip(ids_in, values_in, dtypes_in, strict=True):
        if values is not None or ids is None:
            known.append(values)
            continue
        constant = None if trace.graph.pure else ids <= 0
        if constant is None or not count_nonzero(constant):
            known.append(NAN)
        else:
            known.append(where(constant, trace.graph.known_values(ids, dtype), NAN))
    masks = {}
    if any(value is not NAN for value in known):
        for i, ids in enumerate(ids_in):
            if ids is None or (trace.dependency and not trace.local and i in record.stepwise):
                continue
            mask = record.zero_at(i, known) if trace.local else record.cut_by(i, known)
            if mask is not None and count_nonzero(mask):
                masks[i] = mask
    return masks


def _watch_singularities(
    trace: Trace,
    record: Record,
    ids_in: Sequence[Ids | None],
    values: Sequence[NDArray[Any] | None],
) -> None:
    """Note infinite derivatives: dependencies that were dropped before may matter after all.

    ``cbrt(x ** 3)`` at 0 is x: the first derivative is zero, the second infinite.
    """
    points: Any = values
    mask = record.infinite_at(points)
    if record.infinite2 and (trace.second_order or record.infinite is None):
        # a record without `infinite`: where its first derivative is infinite, so is a second one
        traced = [i for i, ids in enumerate(ids_in) if ids is not None]
        second = record.infinite2_at(points, traced)
        mask = second if mask is None else mask if second is None else mask | second
    if mask is None or not mask.any():
        return
    if any(ids is not None and (mask & (ids > ZERO)).any() for ids in ids_in):
        assert trace.singular is not None
        trace.singular()


def _are_constant(
    record: Record,
    ids_in: list[Ids | None],
    masks: dict[int, NDArray[np.bool_]],
    shape: tuple[int, ...],
) -> NDArray[np.bool_]:
    """Where the result is the same for all inputs: each operand is constant or has no effect."""
    result = np.ones(shape, bool)
    for i, ids in enumerate(ids_in):
        if ids is not None:
            constant = ids <= 0
            result &= constant if i in record.stepwise or i not in masks else constant | masks[i]
    return result


def _shape_of(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """What the shapes broadcast to."""
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    return np.broadcast_shapes(*shapes)


def _spread(x: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    return x if x.shape == shape else np.broadcast_to(x, shape)


def _write_constants(
    trace: Trace, out: Ids, mask: NDArray[np.bool_], values: NDArray[Any], dtype: np.dtype[Any]
) -> None:
    """Write constants where the mask says."""
    ids = trace.graph.constant(values.astype(dtype))
    if count_nonzero(ids):  # -0.0 has an id too
        out[mask] = ids
    else:
        np.copyto(out, trace.graph.zero, where=mask)


def _all_known(ids_in: list[Ids | None], shape: tuple[int, ...]) -> NDArray[np.bool_] | None:
    """Where every operand is a constant; None if nowhere."""
    known = None
    for ids in ids_in:
        if ids is not None:
            mask = ids <= 0
            if not count_nonzero(mask):
                return None
            known = mask if known is None else known & mask
    if known is None or not count_nonzero(known):
        return None
    return _spread(known, shape)


def _evaluate(
    trace: Trace,
    ufunc: np.ufunc,
    ids_in: list[Ids | None],
    values_in: list[NDArray[Any] | None],
    dtypes_in: list[np.dtype[Any]],
    where: NDArray[np.bool_],
) -> tuple[NDArray[Any], ...]:
    """The ufunc's values at the elements `where`; the number 1 stands for unknown operands.

    They do not matter there: either every operand is known, or a constant one
    determines the result whatever the others are, as a factor of zero does.
    """
    arguments = []
    for ids, values, dtype in zip(ids_in, values_in, dtypes_in, strict=True):
        if ids is None:
            arguments.append(_spread(values, where.shape)[where])  # type: ignore[arg-type]
        else:
            at = _spread(ids, where.shape)[where]
            known = trace.graph.known_values(at, dtype)
            known[at > 0] = 1
            arguments.append(known)
    with np.errstate(all="ignore"):
        result = ufunc(*arguments)
    return result if isinstance(result, tuple) else (result,)
