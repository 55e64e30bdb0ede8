"""Calls of ufuncs: each output element depends on the input elements it varies with.

Contract: what is known of a ufunc is read from its record in `sparsetrace.rules`; one without
a record depends on all of its arguments.  In a global trace constant operands decide where a
derivative vanishes, and elements whose operands are all constant are computed, so that
constants stay known values.  In a trace at a point the values of all operands decide: where
both arguments of a maximum are equal, it depends on both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray, count_nonzero, errstate, full, where
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, ZERO, Ids, filled, lowest
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands import nonlinear
from sparsetrace.operands.complex_operands import by_parts, is_complex, moved_ids
from sparsetrace.operands.local_arrays import at_a_point
from sparsetrace.operands.loops import in_loop, result_dtypes
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    Operand,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    values_of,
)
from sparsetrace.operands.steps import note_step
from sparsetrace.operands.unions import quick
from sparsetrace.rules import NAN, Record, record_of

__all__ = [
    "call",
    "combine",
    "general",
    "letters",
    "of_modulus",
]

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


def call(trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any]) -> list[Elements]:
    """The outputs of ``ufunc(*inputs)``, at least one input traced."""
    ids = quick(trace, ufunc, inputs)
    return general(trace, ufunc, inputs) if ids is None else [Elements(ids, FLOAT)]


def general(trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any]) -> list[Elements]:
    """The same where `quick` has been tried, and gave None.

    In a trace at a point NumPy has chosen the loop already, and the caller knows its dtypes.
    """
    formula = record_of(ufunc).parts
    if formula is not None and any(map(is_complex, inputs)):
        result = _by_parts(trace, ufunc, formula, inputs)
        if result is not None:
            return [result]
    ids_in: list[Ids | None] = []
    values_in: list[NDArray[Any] | None] = []
    if trace.local:
        dtypes_out = (FLOAT,) * ufunc.nout
        values_in += [asarray(values_of(x)) for x in inputs]
        dtypes_in = [v.dtype for v in values_in if v is not None]
        ids_in += [ids_of(trace, x) if contains_traced(x) else None for x in inputs]
        _note_steps(trace, ufunc, inputs, letters(trace, ufunc, dtypes_in))
    else:
        dtypes_out = result_dtypes(ufunc, inputs)
        dtypes_in = [dtype_of(x) for x in inputs]
        for x in inputs:
            traced = is_traced(x) or contains_traced(x)
            ids_in.append(ids_of(trace, x) if traced else None)
            values_in.append(None if traced else in_loop(x, inputs))
    outs = _general(trace, ufunc, ids_in, values_in, dtypes_in, dtypes_out)
    return [Elements(ids, dtype) for ids, dtype in zip(outs, dtypes_out, strict=True)]


def _note_steps(
    trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any], first: tuple[str, ...]
) -> None:
    """Note where rounding, a sign and the like jump at the point."""
    if trace.at_a_step or not any("0" in partials for partials in first):
        return
    with errstate(all="ignore"):
        values = ufunc(*map(values_of, inputs))
    outputs = values if isinstance(values, tuple) else (values,)
    for position, partials in enumerate(first):
        stepwise = [
            x if letter == "0" else values_of(x) for x, letter in zip(inputs, partials, strict=True)
        ]
        if any(map(contains_traced, stepwise)):
            note_step(trace, _output_of(ufunc, position), stepwise, outputs[position])


def _output_of(ufunc: np.ufunc, position: int) -> Callable[..., Any]:
    return ufunc if ufunc.nout == 1 else lambda *args: ufunc(*args)[position]


def _by_parts(
    trace: Trace, ufunc: np.ufunc, formula: Callable[..., Any], inputs: Sequence[Any]
) -> Elements | None:
    """The output of a ufunc of complex numbers by its record's formula, if that holds."""
    ids = by_parts(trace, formula, combine, inputs)
    if ids is None:
        return None
    (dtype,) = (FLOAT,) if trace.local else result_dtypes(ufunc, inputs)
    if not (trace.local or trace.graph.pure):
        # constants alone: as NumPy itself computes them, to the last digit
        ids_in = [moved_ids(trace, x) if contains_traced(x) else None for x in inputs]
        known = _all_known(ids_in, ids.shape)
        if known is not None:
            values_in = [None if contains_traced(x) else in_loop(x, inputs) for x in inputs]
            dtypes_in = [dtype_of(x) for x in inputs]
            (values,) = _evaluate(trace, ufunc, ids_in, values_in, dtypes_in, known)
            _write_constants(trace, ids, known, values, dtype)
    return Elements(ids, dtype)


def combine(trace: Trace, ufunc: np.ufunc, *operands: Any) -> Operand:
    """``ufunc(*operands)``, for rules made of ufuncs; with values in a trace at a point."""
    made = at_a_point(trace, ufunc, operands) if trace.local else None
    if made is not None:
        return Operand(trace, made.ids, FLOAT, made.values)
    (result,) = call(trace, ufunc, operands)
    if not trace.local:
        return Operand(trace, result.ids, result.dtype)
    with np.errstate(all="ignore"):
        values = asarray(ufunc(*map(values_of, operands)))
    return Operand(trace, result.ids, values.dtype, values)


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
                out = asarray(np.maximum(out, OPAQUE))
        else:
            out = full(shape, trace.graph.opaque, np.int32)
        least = lowest(out) if out.size else FIRST_INPUT
        if least <= OPAQUE and constant is not None:
            here = constant & (out <= OPAQUE)  # of the full shape
            if count_nonzero(here):
                values = _evaluate(trace, ufunc, ids_in, values_in, dtypes_in, here)
                _write_constants(trace, out, here, values[position], dtypes_out[position])
        if trace.second_order and modulus:
            out = interact_all(trace.graph, out, since)
        elif trace.second_order and not nonlinear.is_linear(ufunc):
            # at a point a second derivative may be there although the first one vanishes
            varied = ids_in if trace.local else kept
            uncut = not (trace.local and masks)
            out = nonlinear.second_order(
                trace, ufunc, position, varied, values_in, out, since, uncut=uncut
            )
        if trace.moving is not None:
            out = trace.moving.of_ufunc(ufunc, ids_in, values_in, out)
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
