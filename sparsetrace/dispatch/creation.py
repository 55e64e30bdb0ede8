"""Rules of functions that make arrays after another's shape, and of questions about arrays.

Contract: none of these results depends on an input, except a traced fill value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.dispatch.operands import Elements, constant_values, dtype_of, ids_of, is_traced
from sparsetrace.dispatch.registry import rule_for
from sparsetrace.graph import Graph, Ids

__all__: list[str] = []


def _like(
    graph: Graph, prototype: Any, fill: Ids, dtype: Any, order: Any, shape: Any
) -> Elements:
    if shape is None:
        template = ids_of(graph, prototype) if is_traced(prototype) else np.asarray(prototype)
        ids = np.empty_like(template, np.int32, order=order, subok=False)
    else:
        ids = np.empty(shape, np.int32)
    ids[...] = fill
    graph.pure = False
    kind = dtype_of(prototype) if dtype is None else np.dtype(dtype)
    return Elements(ids, kind, keep_array=True)


@rule_for(np.zeros_like)
def _zeros_like(
    graph: Graph, a: Any, dtype: Any = None, order: Any = "K", subok: Any = True,
    shape: Any = None, *, device: Any = None,
) -> Elements:
    return _like(graph, a, graph.constant(0.0), dtype, order, shape)


@rule_for(np.empty_like)
def _empty_like(
    graph: Graph, prototype: Any, /, dtype: Any = None, order: Any = "K", subok: Any = True,
    shape: Any = None, *, device: Any = None,
) -> Elements:
    return _like(graph, prototype, graph.constant(0.0), dtype, order, shape)


@rule_for(np.ones_like)
def _ones_like(
    graph: Graph, a: Any, dtype: Any = None, order: Any = "K", subok: Any = True,
    shape: Any = None, *, device: Any = None,
) -> Elements:
    return _like(graph, a, graph.constant(1.0), dtype, order, shape)


@rule_for(np.full_like)
def _full_like(
    graph: Graph, a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: Any = True,
    shape: Any = None, *, device: Any = None,
) -> Elements:
    return _like(graph, a, ids_of(graph, fill_value), dtype, order, shape)


@rule_for(np.astype)
def _astype(graph: Graph, x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    return x.astype(dtype, copy=copy)


@rule_for(np.real)
def _real(graph: Graph, val: Any) -> Elements:
    kind = dtype_of(val)
    if kind.kind != "c":
        return Elements(ids_of(graph, val), kind)
    ids = ids_of(graph, val).copy()
    known = ids < 0
    if known.any():
        ids[known] = graph.constant(graph.known_values(ids[known], kind).real)
    return Elements(ids, np.empty(0, kind).real.dtype)


@rule_for(np.imag)
def _imag(graph: Graph, val: Any) -> Elements:
    kind = dtype_of(val)
    ids = ids_of(graph, val)
    if kind.kind != "c":
        graph.pure = False
        return Elements(np.zeros(ids.shape, np.int32), kind)
    ids = ids.copy()
    known = ids < 0
    if known.any():
        ids[known] = graph.constant(graph.known_values(ids[known], kind).imag)
    return Elements(ids, np.empty(0, kind).real.dtype)


def _question(function: Callable[..., Any], answer: Callable[..., Any]) -> None:
    rule_for(function)(lambda graph, *args, **kwargs: answer(*args, **kwargs))


def _sample(x: Any) -> Any:
    """A plain stand-in of the same dtype, for questions about types."""
    return np.empty((1,), x._dtype) if is_traced(x) else x


_question(np.shape, lambda a: a.shape if is_traced(a) else np.asarray(a, object).shape)
_question(np.ndim, lambda a: len(a.shape))


@rule_for(np.size)
def _size(graph: Graph, a: Any, axis: Any = None) -> int:
    shape = ids_of(graph, a).shape
    if axis is None:
        return int(np.prod(shape, dtype=int))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return int(np.prod([shape[i] for i in axes], dtype=int))


_question(np.result_type, lambda *a: np.result_type(*map(_sample, a)))
_question(np.can_cast, lambda f, *a, **k: np.can_cast(f._dtype if is_traced(f) else f, *a, **k))
_question(np.min_scalar_type, lambda a: a._dtype)
_question(np.common_type, lambda *a: np.common_type(*map(_sample, a)))
_question(np.iscomplexobj, lambda x: dtype_of(x).kind == "c")
_question(np.isrealobj, lambda x: dtype_of(x).kind != "c")
_question(np.array_repr, lambda a, *args, **kwargs: repr(a))
_question(np.array_str, lambda a, *args, **kwargs: str(a))
_question(np.array2string, lambda a, *args, **kwargs: str(a))


def _memory(x: Any) -> Any:
    return x._ids if is_traced(x) else constant_values(x)


_question(np.shares_memory, lambda a, b, *args, **k: np.shares_memory(_memory(a), _memory(b), *args, **k))
_question(
    np.may_share_memory,
    lambda a, b, *args, **k: np.may_share_memory(_memory(a), _memory(b), *args, **k),
)
