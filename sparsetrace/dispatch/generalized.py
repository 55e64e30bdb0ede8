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
    dtype_of,
    ids_of,
    is_traced,
)
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph import OPAQUE, Graph, Ids

__all__ = ["call"]

_EINSUMS = {np.vecdot: "...i,...i->..."}
if hasattr(np, "matvec"):  # NumPy 2.2
    _EINSUMS |= {np.matvec: "...ij,...j->...i", np.vecmat: "...i,...ij->...j"}


def call(
    graph: Graph, ufunc: np.ufunc, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Elements]:
    """``ufunc(*inputs)`` for a ufunc with a signature; takes ``axis`` and ``axes`` from kwargs."""
    axes, axis = kwargs.pop("axes", None), kwargs.pop("axis", None)
    keepdims = kwargs.pop("keepdims", False)
    if axes is None and not keepdims:
        if ufunc is np.matmul:
            return [products.matmul(graph, *inputs)]
        if ufunc in _EINSUMS and axis is None:
            return [einsum(graph, _EINSUMS[ufunc], *inputs)]
        if ufunc is np.vecdot:
            moved = [np.moveaxis(_data(x), axis, -1) for x in inputs]
            operands = [
                _like(graph, x, data) for x, data in zip(inputs, moved, strict=True)
            ]
            return [einsum(graph, _EINSUMS[ufunc], *operands)]
    if axes is not None or axis is not None or keepdims:
        raise UnsupportedError(
            explain(
                f"np.{ufunc.__name__}(axes=, keepdims=)",
                "these options have no rule",
                "Move the axes with np.moveaxis before the call.",
            )
        )
    return _whole_cores(graph, ufunc, inputs)


def _data(x: Any) -> Any:
    return x._ids if is_traced(x) else constant_values(x)


def _like(graph: Graph, x: Any, data: Any) -> Any:
    return Operand(graph, data, x._dtype) if is_traced(x) else data


def _whole_cores(graph: Graph, ufunc: np.ufunc, inputs: tuple[Any, ...]) -> list[Elements]:
    assert ufunc.signature is not None
    left, right = ufunc.signature.replace(" ", "").split("->")
    cores_in = [len(c.split(",")) if c else 0 for c in re.findall(r"\(([^)]*)\)", left)]
    cores_out = [len(c.split(",")) if c else 0 for c in re.findall(r"\(([^)]*)\)", right)]
    dummies = [
        np.zeros(np.shape(x), dtype_of(x)) if is_traced(x) else constant_values(x) for x in inputs
    ]
    with np.errstate(all="ignore"):
        samples = ufunc(*dummies)
    samples = samples if isinstance(samples, tuple) else (samples,)
    parts: list[Ids] = []
    for x, core in zip(inputs, cores_in, strict=True):
        if is_traced(x):
            ids = ids_of(graph, x)
            lead = ids.shape[: ids.ndim - core]
            parts.append(graph.union_rows(ids.reshape((*lead, -1))))
    total = graph.union_all(parts)
    outs = []
    for sample, core in zip(samples, cores_out, strict=True):
        shape = np.shape(sample)
        lead_ids = np.broadcast_to(total, shape[: len(shape) - core])
        ids = np.broadcast_to(lead_ids.reshape(lead_ids.shape + (1,) * core), shape).copy()
        outs.append(Elements(ids, np.asarray(sample).dtype))
    if any((e.ids <= OPAQUE).any() for e in outs):
        graph.pure = False
    return outs
