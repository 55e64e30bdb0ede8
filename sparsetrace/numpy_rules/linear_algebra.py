"""Rules of linear algebra that read whole matrices: eigenvalues, singular values, least squares.

Contract: a result depends on all elements of each matrix that it is made from (eigenvalues:
of those elements that lie on a cycle of non-zeros), and on the right-hand side of its own
column; matrices of a stack are kept apart.  Shapes and dtypes come from a run of the function
itself on a well-conditioned sample.  Rules that use the zeros of a matrix are in
`inverses` and `factorizations`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.graph.graph import Ids, filled
from sparsetrace.graph.interactions import interact, interact_all
from sparsetrace.numpy_rules.contraction import Factor
from sparsetrace.numpy_rules.inverses import square_batch
from sparsetrace.numpy_rules.square_systems import SquareMatrices
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    contains_traced,
    dtype_of,
    float_dtype,
    ids_of,
    is_traced,
    values_of,
)
from sparsetrace.operands.registry import ANYTHING, rule_for

__all__ = ["filled_like", "sample_matrix", "union_per_matrix"]


def sample_matrix(x) -> Any:
    """Numbers in the shape and dtype of `x`; matrices of them are well-conditioned."""
    sample = np.ones(np.shape(x), float_dtype(x))
    if sample.ndim >= 2:
        index = np.arange(min(sample.shape[-2:]))
        sample *= sample.dtype.type(0.01)
        sample[..., index, index] = 1.0 + 0.1 * index
    return sample


def union_per_matrix(trace: Trace, x, core: int = 2) -> Ids:
    """The union over each batch item, or over all of a vector; opaque for constants."""
    ids = ids_of(trace, x)
    lead = ids.shape[: max(ids.ndim - core, 0)]
    return trace.graph.union_rows(ids.reshape((*lead, prod(ids.shape[len(lead) :]))))


def filled_like(trace: Trace, total: Ids, sample) -> Any:
    """Arrays or tuples shaped like `sample`; all elements of one batch item have its id."""
    if isinstance(sample, tuple):
        items = [filled_like(trace, total, item) for item in sample]
        return type(sample)(*items) if hasattr(sample, "_fields") else tuple(items)
    shape = np.shape(sample)
    spread = total.reshape(total.shape + (1,) * (len(shape) - total.ndim))
    return Elements(filled(spread, shape), np.asarray(sample).dtype)


def _dense(function: Callable[..., Any]) -> None:
    """Every output depends on the whole matrix; traced tolerances have no derivative."""
    signature = inspect.signature(function)

    def rule(trace: Trace, args, kwargs) -> Any:
        bound = signature.bind(*args, **kwargs)
        (matrix, *rest), named = bound.args, bound.kwargs
        total = union_per_matrix(trace, matrix)
        for option in (*rest, *named.values()):
            if trace.dependency and contains_traced(option):
                total = trace.graph.union(total, ids_of(trace, option))
        total = interact_all(trace.graph, total)
        plain = [None if contains_traced(v) else v for v in rest]
        named = {k: v for k, v in named.items() if not contains_traced(v)}
        return filled_like(trace, total, function(sample_matrix(matrix), *plain, **named))

    rule_for(function, signature=ANYTHING)(rule)


for _function in (
    np.linalg.pinv,
    np.linalg.svd,
    np.linalg.svdvals,
    np.linalg.cond,
):
    _dense(_function)


def _times(trace: Trace, united: Ids, matrix: Ids) -> Ids:
    """Solutions: linear in the right-hand sides, nonlinear in the matrix and beside it."""
    if not trace.second_order:
        return united
    return interact(trace.graph, united, [(np.broadcast_to(matrix, united.shape), united)])


@rule_for(np.linalg.matrix_rank)
def _matrix_rank(trace: Trace, A, tol, hermitian, rtol) -> Elements:
    """A whole number: opaque."""
    if tol is not None and rtol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    ids = ids_of(trace, A)
    if hermitian and ids.ndim >= 2 and ids.shape[-1] != ids.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    total = union_per_matrix(trace, A)
    limit = rtol if tol is None else tol
    if ids.ndim >= 2 and limit is not None:
        shape = np.broadcast_shapes(total.shape, np.shape(limit))
        total = np.broadcast_to(total, shape)
        if trace.dependency and contains_traced(limit):
            total = trace.graph.union(total, np.broadcast_to(ids_of(trace, limit), shape))
    if not trace.dependency:
        total = np.full(total.shape, trace.graph.opaque, np.int32)
    return Elements(total, np.dtype(np.intp))


def _of_kind(trace: Trace, total: Ids, sample, structure: SquareMatrices) -> Elements:
    """Complex, since whether the eigenvalues are real depends on the values.

    Those of a matrix whose graph has no cycles are its diagonal, which LAPACK finds by exchanging
    rows and columns; all are complex if those of one matrix of a batch are.
    """
    result = filled_like(trace, total, sample)
    on_cycles = structure.on_cycles()
    if (structure.rows[on_cycles] == structure.columns[on_cycles]).all():
        return result  # type: ignore[no-any-return]
    return Elements(result.ids, np.result_type(result.dtype, np.complex64))


@rule_for(np.linalg.eig)
def _eig(trace: Trace, a) -> Any:
    total, sample = (
        interact_all(trace.graph, union_per_matrix(trace, a)),
        np.linalg.eig(sample_matrix(a)),
    )
    structure = SquareMatrices.of(square_batch(Factor.of(trace, a)))
    values, vectors = (_of_kind(trace, total, item, structure) for item in sample)
    return type(sample)(values, vectors)  # type: ignore[arg-type]


@rule_for(np.linalg.eigvals)
def _eigvals(trace: Trace, a) -> Elements:
    sample = np.linalg.eigvals(sample_matrix(a))
    matrices = Factor.of(trace, a)
    structure = SquareMatrices.of(square_batch(matrices))
    ids = structure.dense(trace, structure.on_cycles()).reshape(matrices.shape)
    total = trace.graph.union_rows(ids.reshape((*ids.shape[:-2], prod(ids.shape[-2:]))))
    total = interact_all(trace.graph, total) if ids.shape[-1] > 1 else total
    return _of_kind(trace, total, sample, structure)


@rule_for(np.linalg.lstsq)
def _lstsq(trace: Trace, a, b, rcond) -> Any:
    """Solution and residuals per right-hand side; rank and singular values from a alone."""
    given = (
        (values_of(a), values_of(b), values_of(rcond))
        if trace.local
        else (sample_matrix(a), sample_matrix(b))
    )
    x, residuals, rank, singular = np.linalg.lstsq(*given)
    matrix = union_per_matrix(trace, a)
    if trace.dependency and rcond is not None and contains_traced(rcond):
        matrix = trace.graph.union(matrix, ids_of(trace, rcond))
    columns = trace.graph.union_rows(ids_of(trace, b).T)
    columns = trace.graph.union(columns, np.broadcast_to(matrix, columns.shape))
    squares = interact_all(trace.graph, columns)
    columns = _times(trace, columns, matrix)
    matrix = interact_all(trace.graph, matrix)

    def spread(source: Ids, sample) -> Elements:
        shape = np.shape(sample)
        ids = filled(source, shape) if np.size(sample) else np.zeros(shape, np.int32)
        return Elements(ids, np.asarray(sample).dtype)

    if not contains_traced(a):
        known = np.linalg.lstsq(a, np.zeros(np.shape(b)), rcond)
        residuals = residuals if known[1].size else known[1]
        return spread(columns, x), spread(squares, residuals), known[2], known[3]
    # a traced matrix is assumed to have full rank, which decides the residuals' shape
    ranks = matrix if trace.dependency else np.array(trace.graph.opaque, np.int32)
    return (
        spread(columns, x),
        spread(squares, residuals),
        spread(ranks, rank),
        spread(matrix, singular),
    )


@rule_for(np.polyfit)
def _polyfit(trace: Trace, x, y, deg, rcond, full, w, cov) -> Any:
    """Least squares on powers of x: coefficients depend on all points of their column."""
    degree = _checked_degree(x, y, deg, w)
    if w is not None and not contains_traced(w) and trace.values and is_traced(y):
        y = np.where(np.reshape(np.asarray(w) != 0, (-1,) + (1,) * (np.ndim(y) - 1)), y, 0.0)
    sources = [ids_of(trace, x)] if w is None else [ids_of(trace, x), ids_of(trace, w)]
    if trace.dependency and rcond is not None:
        sources.append(ids_of(trace, rcond).reshape(-1))
    points = trace.graph.union_rows(np.concatenate(sources))
    columns = trace.graph.union_rows(ids_of(trace, y).T)
    columns = trace.graph.union(columns, np.broadcast_to(points, columns.shape))
    squares = interact_all(trace.graph, columns)
    columns = _times(trace, columns, points)
    points = interact_all(trace.graph, points)
    size = degree + 1
    ids = filled(columns, (size, *columns.shape))
    dtypes = [dtype_of(part) for part in (x, y, w) if part is not None]
    coefficients = Elements(ids, np.result_type(FLOAT, *dtypes))
    if full:
        residuals = np.atleast_1d(squares) if np.shape(x)[0] > size else np.zeros(0, np.int32)
        rank = points if trace.dependency else np.array(trace.graph.opaque, np.int32)
        singular = filled(points, (size,))
        floating = np.result_type(dtype_of(x), 0.0)  # of whole numbers NumPy makes such first
        default = len(ids_of(trace, x)) * np.finfo(floating).eps if rcond is None else rcond
        return (
            coefficients,
            Elements(residuals, FLOAT),
            Elements(rank, np.dtype(np.int32)),
            Elements(singular, FLOAT),
            default,
        )
    if cov:
        scaled = cov != "unscaled"
        if scaled and np.shape(x)[0] <= size:
            raise ValueError("the number of data points must exceed order")
        source = squares if scaled else np.broadcast_to(points, columns.shape)
        return coefficients, Elements(filled(source, (size, size, *columns.shape)), FLOAT)
    return coefficients


def _checked_degree(x, y, deg, w) -> int:
    """The degree, if NumPy would fit it to these points."""
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if np.ndim(x) != 1:
        raise TypeError("expected 1D vector for x")
    if not np.size(x):
        raise TypeError("expected non-empty vector for x")
    if np.ndim(y) not in (1, 2):
        raise TypeError("expected 1D or 2D array for y")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    if w is not None and np.ndim(w) != 1:
        raise TypeError("expected a 1-d array for weights")
    if w is not None and len(w) != len(y):
        raise TypeError("expected w and y to have the same length")
    return int(deg)
