"""Ufuncs with core dimensions: matmul and its kin by their rules, others by whole cores.

Contract: an output core depends on all of its input cores, and on no other.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from sparsetrace.dispatch import products
from sparsetrace.dispatch.einsum import einsum
from sparsetrace.dispatch.operands import (
    Elements,
    Operand,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    values_of,
)
from sparsetrace.graph import OPAQUE, Graph, Ids
from sparsetrace.interactions import bend

__all__ = ["call"]

_EINSUMS: dict[np.ufunc, str] = {np.vecdot: "...i,...i->..."}
if hasattr(np, "matvec"):  # NumPy 2.2
    _EINSUMS |= {np.matvec: "...ij,...j->...i", np.vecmat: "...i,...ij->...j"}


def call(
    graph: Graph, ufunc: np.ufunc, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Elements]:
    """``ufunc(*inputs)`` for a ufunc with a signature; takes axes and keepdims from kwargs."""
    axes, axis = kwargs.pop("axes", None), kwargs.pop("axis", None)
    keepdims = bool(kwargs.pop("keepdims", False))
    if axes is None and axis is None and not keepdims:
        return _plain(graph, ufunc, inputs)
    cores_in, cores_out = _cores(ufunc)
    if axes is not None and axis is not None:
        raise TypeError("cannot specify both 'axis' and 'axes'")
    if axes is None:
        last = -1 if axis is None else axis
        whole = (*((last,) if core == 1 else tuple(range(-core, 0)) for core in cores_in),)
        if axis is not None and set(cores_in) | set(cores_out) - {0} != {1}:
            raise TypeError(f"{ufunc.__name__}: axis can only be used with a single core dimension")
        axes = [*whole, *((last,) if core == 1 else None for core in cores_out)]
    places = [entry if entry is None or isinstance(entry, tuple) else (entry,) for entry in axes]
    moved = [
        _moved(graph, x, place)
        for x, place in zip(inputs, places[: len(inputs)], strict=True)
        if place is not None
    ]
    outs = _plain(graph, ufunc, tuple(moved))
    default = places[0]
    for i, (out, core) in enumerate(zip(outs, cores_out, strict=True)):
        place = places[len(inputs) + i] if len(places) > len(inputs) + i else None
        if place and core:
            out.ids = np.moveaxis(out.ids, range(-len(place), 0), place)
        elif keepdims:
            if core or len(set(cores_in)) > 1:
                raise TypeError(f"{ufunc.__name__} does not support keepdims")
            out.ids = np.expand_dims(out.ids, place or default or -1)
    return outs


def _plain(graph: Graph, ufunc: np.ufunc, inputs: tuple[Any, ...]) -> list[Elements]:
    """The call on the last axes."""
    if ufunc is np.matmul:
        return [products.matmul(graph, *inputs)]
    if ufunc in _EINSUMS:
        return [einsum(graph, _EINSUMS[ufunc], *inputs)]
    return _whole_cores(graph, ufunc, inputs)


def _cores(ufunc: np.ufunc) -> tuple[list[int], list[int]]:
    """The numbers of core dimensions of the inputs and of the outputs."""
    assert ufunc.signature is not None
    left, right = ufunc.signature.replace(" ", "").split("->")
    found = [
        [len(core.split(",")) if core else 0 for core in re.findall(r"\(([^)]*)\)", side)]
        for side in (left, right)
    ]
    return found[0], found[1]


def _moved(graph: Graph, x: Any, place: tuple[int, ...]) -> Any:
    """The operand with these axes last."""
    last = range(-len(place), 0)
    if not contains_traced(x):
        return np.moveaxis(constant_values(x), place, last)
    ids = np.moveaxis(ids_of(graph, x), place, last)
    values = np.moveaxis(np.asarray(values_of(x)), place, last) if graph.local else None
    return Operand(graph, ids, dtype_of(x), values)


def _whole_cores(graph: Graph, ufunc: np.ufunc, inputs: tuple[Any, ...]) -> list[Elements]:
    cores_in, cores_out = _cores(ufunc)
    dummies = [
        np.zeros(ids_of(graph, x).shape, dtype_of(x)) if contains_traced(x) else constant_values(x)
        for x in inputs
    ]
    with np.errstate(all="ignore"):
        samples = ufunc(*dummies)
    samples = samples if isinstance(samples, tuple) else (samples,)
    parts: list[Ids] = []
    for x, core in zip(inputs, cores_in, strict=True):
        if contains_traced(x):
            ids = ids_of(graph, x)
            lead = ids.shape[: ids.ndim - core]
            parts.append(graph.union_rows(ids.reshape((*lead, -1))))
    total = bend(graph, graph.union_all(parts))
    outs = []
    for sample, core in zip(samples, cores_out, strict=True):
        shape = np.shape(sample)
        lead_ids = np.broadcast_to(total, shape[: len(shape) - core])
        ids = np.broadcast_to(lead_ids.reshape(lead_ids.shape + (1,) * core), shape).copy()
        outs.append(Elements(ids, np.asarray(sample).dtype))
    if any((e.ids <= OPAQUE).any() for e in outs):
        graph.pure = False
    return outs
