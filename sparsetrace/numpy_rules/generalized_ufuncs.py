"""Ufuncs with core dimensions, such as ``(m,n),(n,p)->(m,p)``.

Contract: matmul, vecdot and their like have rules of their own.  Of any other ufunc each
output depends on all core elements of its own loop iteration, and on no others.
"""

from __future__ import annotations

import re
from math import prod
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.graph.graph import Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.numpy_rules import matrix_products
from sparsetrace.numpy_rules.einsum import einsum
from sparsetrace.operands.complex_operands import moved_ids
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    landed,
    values_of,
)

__all__ = ["call"]

_EINSUMS: dict[np.ufunc, str] = {np.vecdot: "...i,...i->..."}
if hasattr(np, "matvec"):  # NumPy 2.2
    _EINSUMS |= {np.matvec: "...ij,...j->...i", np.vecmat: "...i,...ij->...j"}
_CONJUGATING = frozenset((np.vecdot, getattr(np, "vecmat", None)))


def call(
    trace: Trace, ufunc: np.ufunc, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Elements]:
    """``ufunc(*inputs)`` for a ufunc with a signature; takes axes and keepdims from kwargs."""
    axes, axis = kwargs.pop("axes", None), kwargs.pop("axis", None)
    keepdims = bool(kwargs.pop("keepdims", False))
    results: tuple[np.dtype[Any], ...] = ()
    if kwargs.get("dtype") is not None or kwargs.get("signature") is not None:
        dtypes = _requested(ufunc, inputs, kwargs)
        results = dtypes[ufunc.nin :]
        inputs = tuple(
            x if dtype_of(x) == dtype else (x if is_traced(x) else np.asarray(x)).astype(dtype)
            for x, dtype in zip(inputs, dtypes, strict=False)
        )
    if axes is None and axis is None and not keepdims:
        outs = _plain(trace, ufunc, inputs)
    else:
        outs = _placed(trace, ufunc, inputs, axes, axis, keepdims=keepdims)
    for out, dtype in zip(outs, results, strict=bool(results)):
        out.dtype, out.ids = dtype, landed(trace, dtype, out.ids)
    return outs


def _requested(
    ufunc: np.ufunc, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[np.dtype[Any], ...]:
    """The dtypes of inputs and outputs, where the call names some."""
    signature = kwargs.get("signature")
    if signature is None:
        signature = (*(None,) * ufunc.nin, *(kwargs["dtype"],) * ufunc.nout)
    given = (*map(dtype_of, inputs), *(None,) * ufunc.nout)
    casting = kwargs.get("casting", "same_kind")
    dtypes: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes(
        given, signature=signature, casting=casting
    )
    return dtypes


def _placed(
    trace: Trace, ufunc: np.ufunc, inputs: tuple[Any, ...], axes, axis, *, keepdims: bool
) -> list[Elements]:
    """The call with its core dimensions on axes of the caller's choice."""
    cores_in, cores_out = _cores(ufunc)
    if ufunc is np.matmul:  # vectors have one core dimension, and leave none
        cores_in = [min(core, np.ndim(x)) for core, x in zip(cores_in, inputs, strict=True)]
        cores_out = [sum(core - 1 for core in cores_in)]
    if keepdims and (any(cores_out) or len(set(cores_in)) > 1):
        raise TypeError(f"{ufunc.__name__} does not support keepdims")
    if axes is not None and axis is not None:
        raise TypeError("cannot specify both 'axis' and 'axes'")
    if axes is None:
        last = -1 if axis is None else axis
        input_axes = (*((last,) if core == 1 else tuple(range(-core, 0)) for core in cores_in),)
        if axis is not None and set(cores_in) | set(cores_out) - {0} != {1}:
            raise TypeError(f"{ufunc.__name__}: axis can only be used with a single core dimension")
        place = None if axis is None else (last,)
        axes = [*input_axes, *(place if core == 1 or keepdims else None for core in cores_out)]
    elif len(axes) != ufunc.nargs and (any(cores_out) or len(axes) != ufunc.nin):
        raise ValueError(f"{ufunc.__name__}: axes needs an entry for each operand and result")
    places = [entry if entry is None or isinstance(entry, tuple) else (entry,) for entry in axes]
    for place, core in zip(places, cores_in, strict=False):
        if place is not None and len(place) != core:
            raise ValueError(f"{ufunc.__name__}: an entry of axes does not fit the core dimensions")
    moved = [
        _moved(trace, x, place)
        for x, place in zip(inputs, places[: len(inputs)], strict=True)
        if place is not None
    ]
    outs = _plain(trace, ufunc, tuple(moved))
    kept = tuple(range(-cores_in[0], 0))
    for i, (out, core) in enumerate(zip(outs, cores_out, strict=True)):
        place = places[len(inputs) + i] if len(places) > len(inputs) + i else None
        if place and core:
            out.ids = np.moveaxis(out.ids, range(-len(place), 0), place)
        elif keepdims:
            out.ids = np.expand_dims(out.ids, place or kept)
    return outs


def _plain(trace: Trace, ufunc: np.ufunc, inputs: tuple[Any, ...]) -> list[Elements]:
    """The call on the last axes."""
    if ufunc is np.matmul:
        return [matrix_products.matmul(trace, *inputs)]
    if ufunc in _EINSUMS:
        if ufunc in _CONJUGATING:
            inputs = (matrix_products.conjugated(trace, inputs[0]), *inputs[1:])
        return [einsum(trace, _EINSUMS[ufunc], *inputs)]
    return _whole_cores(trace, ufunc, inputs)


def _cores(ufunc: np.ufunc) -> tuple[list[int], list[int]]:
    """The numbers of core dimensions of the inputs and of the outputs."""
    assert ufunc.signature is not None
    left, right = ufunc.signature.replace(" ", "").split("->")
    result = [
        [len(core.split(",")) if core else 0 for core in re.findall(r"\(([^)]*)\)", side)]
        for side in (left, right)
    ]
    return result[0], result[1]


def _moved(trace: Trace, x, place: tuple[int, ...]) -> Any:
    """The operand with these axes last."""
    last = range(-len(place), 0)
    if not contains_traced(x):
        return np.moveaxis(constant_values(x), place, last)
    ids = np.moveaxis(moved_ids(trace, x), place, last)
    values = np.moveaxis(np.asarray(values_of(x)), place, last) if trace.local else None
    return Operand(trace, ids, dtype_of(x), values)


def _whole_cores(trace: Trace, ufunc: np.ufunc, inputs: tuple[Any, ...]) -> list[Elements]:
    cores_in, cores_out = _cores(ufunc)
    dummies = [
        np.zeros(ids_of(trace, x).shape, dtype_of(x)) if contains_traced(x) else constant_values(x)
        for x in inputs
    ]
    with np.errstate(all="ignore"):
        samples = ufunc(*dummies)
    samples = samples if isinstance(samples, tuple) else (samples,)
    sources: list[Ids] = []
    for x, core in zip(inputs, cores_in, strict=True):
        if contains_traced(x):
            ids = ids_of(trace, x)
            lead = ids.shape[: ids.ndim - core]
            sources.append(
                trace.graph.union_rows(ids.reshape((*lead, prod(ids.shape[len(lead) :]))))
            )
    total = interact_all(trace.graph, trace.graph.union_all(sources))
    outs = []
    for sample, core in zip(samples, cores_out, strict=True):
        shape = np.shape(sample)
        lead_ids = np.broadcast_to(total, shape[: len(shape) - core])
        ids = np.broadcast_to(lead_ids.reshape(lead_ids.shape + (1,) * core), shape).copy()
        outs.append(Elements(ids, np.asarray(sample).dtype))
    return outs
