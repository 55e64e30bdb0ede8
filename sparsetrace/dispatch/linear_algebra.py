"""Rules of linear algebra: inverses, decompositions, solutions.

Contract: a result depends on the whole of each matrix that it is made from, and on the
right-hand sides of its own column; batch items are kept apart.  Shapes and dtypes come
from a run of the function itself on harmless numbers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.dispatch.operands import (
    FLOAT,
    Elements,
    contains_traced,
    dtype_of,
    ids_of,
)
from sparsetrace.dispatch.registry import rule_for
from sparsetrace.graph import OPAQUE, Graph, Ids, filled
from sparsetrace.interactions import bend, interact

__all__ = ["harmless", "like_sample", "whole"]


def harmless(x: Any) -> Any:
    """A stand-in of the same shape and dtype: well-conditioned wherever it is a matrix."""
    shape, kind = np.shape(x), dtype_of(x)
    sample = np.ones(shape, kind if kind.kind in "fc" else FLOAT)
    if len(shape) >= 2:
        index = np.arange(min(shape[-2:]))
        sample *= sample.dtype.type(0.01)
        sample[..., index, index] = 1.0 + 0.1 * index
    return sample


def whole(graph: Graph, x: Any, core: int = 2) -> Ids:
    """The union over each batch item; opaque for constants."""
    ids = ids_of(graph, x)
    return graph.union_rows(ids.reshape((*ids.shape[: ids.ndim - core], -1)))


def like_sample(graph: Graph, total: Ids, sample: Any) -> Any:
    """The structure of a sample, each batch item of it made of one id."""
    if isinstance(sample, tuple):
        items = [like_sample(graph, total, part) for part in sample]
        return type(sample)(*items) if hasattr(sample, "_fields") else tuple(items)
    shape = np.shape(sample)
    if total.size and total.min() <= OPAQUE:
        graph.pure = False
    spread = total.reshape(total.shape + (1,) * (len(shape) - total.ndim))
    return Elements(filled(spread, shape), np.asarray(sample).dtype)


def _dense(function: Callable[..., Any]) -> None:
    """Every output depends on the whole matrix, and on traced tolerances."""
    signature = inspect.signature(function)

    def rule(graph: Graph, *args: Any, **kwargs: Any) -> Any:
        matrix, *rest = signature.bind(*args, **kwargs).args
        named = dict(signature.bind(*args, **kwargs).kwargs)
        total = whole(graph, matrix)
        for option in (*rest, *named.values()):
            if contains_traced(option):
                total = graph.union(total, ids_of(graph, option))
        total = bend(graph, total)
        plain = [None if contains_traced(v) else v for v in rest]
        named = {k: v for k, v in named.items() if not contains_traced(v)}
        return like_sample(graph, total, function(harmless(matrix), *plain, **named))

    rule_for(function)(rule)


for _function in (
    np.linalg.pinv,
    np.linalg.svd,
    np.linalg.svdvals,
    np.linalg.cond,
):
    _dense(_function)


def _times(graph: Graph, united: Ids, matrix: Ids) -> Ids:
    """Solutions: linear in the right-hand sides, nonlinear in the matrix and beside it."""
    if not graph.second_order:
        return united
    return interact(graph, united, [(np.broadcast_to(matrix, united.shape), united)])


@rule_for(np.linalg.matrix_rank)
def _matrix_rank(
    graph: Graph, A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None
) -> Elements:
    """A whole number: opaque."""
    ids = ids_of(graph, A)
    core = ids if ids.ndim < 2 else ids.reshape((*ids.shape[:-2], -1))
    total = graph.union_rows(core)
    if graph.dependency:
        for option in (tol, rtol):
            if option is not None and contains_traced(option):
                total = graph.union(total, ids_of(graph, option))
    else:
        graph.pure = False
        total = np.full(total.shape, OPAQUE, np.int32)
    return Elements(total, np.dtype(np.intp))


def _as_complex(graph: Graph, total: Ids, sample: Any) -> Elements:
    """Complex, since whether the eigenvalues are real depends on the values."""
    found = like_sample(graph, total, sample)
    return Elements(found.ids, np.result_type(found.dtype, np.complex64))


@rule_for(np.linalg.eig)
def _eig(graph: Graph, a: Any) -> Any:
    total, sample = bend(graph, whole(graph, a)), np.linalg.eig(harmless(a))
    values, vectors = (_as_complex(graph, total, part) for part in sample)
    return type(sample)(values, vectors)  # type: ignore[arg-type]


@rule_for(np.linalg.eigvals)
def _eigvals(graph: Graph, a: Any) -> Elements:
    total = bend(graph, whole(graph, a))
    return _as_complex(graph, total, np.linalg.eigvals(harmless(a)))


@rule_for(np.linalg.lstsq)
def _lstsq(graph: Graph, a: Any, b: Any, rcond: Any = None) -> Any:
    """Solution and residuals per right-hand side; rank and singular values from a alone."""
    x, residuals, rank, singular = np.linalg.lstsq(harmless(a), harmless(b))
    matrix = whole(graph, a)
    if rcond is not None and contains_traced(rcond):
        matrix = graph.union(matrix, ids_of(graph, rcond))
    columns = graph.union_rows(ids_of(graph, b).T)
    columns = graph.union(columns, np.broadcast_to(matrix, columns.shape))
    graph.pure = False
    squares = bend(graph, columns)
    columns = _times(graph, columns, matrix)
    matrix = bend(graph, matrix)

    def spread(source: Ids, sample: Any) -> Elements:
        return Elements(filled(source, np.shape(sample)), np.asarray(sample).dtype)

    if not contains_traced(a):
        known = np.linalg.lstsq(a, np.zeros(np.shape(b)), rcond)
        residuals = residuals if known[1].size else known[1]
        return spread(columns, x), spread(squares, residuals), known[2], known[3]
    # the rank of a traced matrix is taken as full, and with it the residuals' shape
    ranks = matrix if graph.dependency else np.array(OPAQUE, np.int32)
    return (
        spread(columns, x),
        spread(squares, residuals),
        spread(ranks, rank),
        spread(matrix, singular),
    )


@rule_for(np.linalg.tensorsolve)
def _tensorsolve(graph: Graph, a: Any, b: Any, axes: Any = None) -> Elements:
    shape = list(np.shape(a))
    order = list(range(len(shape)))
    for axis in axes or ():
        order.remove(axis)
        order.append(axis)
    left = tuple(shape[i] for i in order[np.ndim(b) :])
    return _everything(graph, left, a, b, linear=not contains_traced(a))


@rule_for(np.linalg.tensorinv)
def _tensorinv(graph: Graph, a: Any, ind: int = 2) -> Elements:
    shape = np.shape(a)
    return _everything(graph, (*shape[ind:], *shape[:ind]), a)


def _everything(
    graph: Graph, shape: tuple[int, ...], *sources: Any, linear: bool = False
) -> Elements:
    total = graph.union_rows(np.concatenate([ids_of(graph, x).reshape(-1) for x in sources]))
    total = total if linear else bend(graph, total)
    kind = np.result_type(*map(dtype_of, sources))
    kind = kind if kind.kind in "fc" else FLOAT
    return Elements(filled(total, shape), kind)


@rule_for(np.polyfit)
def _polyfit(
    graph: Graph,
    x: Any,
    y: Any,
    deg: Any,
    rcond: Any = None,
    full: bool = False,
    w: Any = None,
    cov: Any = False,
) -> Any:
    """Least squares on powers of x: coefficients depend on all points of their column."""
    degree = int(deg)
    if degree < 0:
        raise ValueError("expected deg >= 0")
    parts = [ids_of(graph, x)] if w is None else [ids_of(graph, x), ids_of(graph, w)]
    points = graph.union_rows(np.concatenate(parts))
    columns = graph.union_rows(ids_of(graph, y).T)
    columns = graph.union(columns, np.broadcast_to(points, columns.shape))
    graph.pure = False
    squares = bend(graph, columns)
    columns = _times(graph, columns, points)
    points = bend(graph, points)
    size = degree + 1
    ids = filled(columns, (size, *columns.shape))
    coefficients = Elements(ids, FLOAT)
    if full:
        residuals = np.atleast_1d(squares) if np.shape(x)[0] > size else np.zeros(0, np.int32)
        rank = points if graph.dependency else np.array(OPAQUE, np.int32)
        singular = filled(points, (size,))
        default = len(ids_of(graph, x)) * np.finfo(dtype_of(x)).eps if rcond is None else rcond
        return (
            coefficients,
            Elements(residuals, FLOAT),
            Elements(rank, np.dtype(np.int32)),
            Elements(singular, FLOAT),
            default,
        )
    if cov:
        spread = filled(squares, (size, size, *columns.shape))
        return coefficients, Elements(spread, FLOAT)
    return coefficients
