"""Linear functions along axes: their matrices, taken from what they do to unit impulses.

Contract: the matrix of such a function is the function applied to the identity, so
that its zeros are SciPy's own.  Where an output depends on near inputs alone, the matrix
for a large array is put together from that for a small one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.scipy_rules.rule_tools import current, made, unknown

__all__ = ["LARGEST", "along", "causal", "dense_along", "linear"]

Function = Callable[[NDArray[Any]], NDArray[Any]]

LARGEST = 512
"""Up to this length a matrix without zeros known in advance is written out."""
_TINY = 1e-250
"""Responses below this may have vanished by underflow."""


def linear(
    x,
    function: Function,
    axis: int | None = None,
    reach: int | Sequence[int] | None = None,
    tolerance: float | None = None,
) -> Any:
    """A linear function of each vector along an axis of `x`, or of all of `x`.

    Parameters
    ----------
    x : traced array
    function : callable
        Takes plain arrays, and acts on their last axis; if `axis` is None, on all but the first.
    axis : int, optional
    reach : int, or one for each axis, optional
        How far from itself a result depends on elements.  The ends may be extended by what is
        as near to them, or by the other end.
    tolerance : float, optional
        Responses up to so many times the largest one to the same impulse (with `reach`, to any)
        are rounding errors of zeros.  Without it, where there are tiny ones, others may have
        vanished by underflow, and zeros are kept.
    """
    if np.iscomplexobj(x):
        return _of_parts(lambda part: linear(part, function, axis, reach, tolerance), x)
    shape = small = x.shape if axis is None else (x.shape[axis],)
    if reach is not None:
        reaches = np.broadcast_to(reach, len(shape)).tolist()
        small = tuple(min(n, 2 * r + 1) for n, r in zip(shape, reaches, strict=True))
    count = prod(small)
    responses = np.asarray(function(np.eye(count).reshape(count, *small)))
    matrix = responses.reshape(count, prod(responses.shape[1:])).T.copy()
    size = np.abs(matrix)
    largest = size.max(axis=0, initial=0)
    if reach is not None:  # a stencil, whose weights are of one size
        largest[:] = largest.max(initial=0)
    if np.iscomplexobj(matrix):
        zeros = (tolerance or 0.0) * largest

        def part_of(name: str) -> Any:
            def responses(units: NDArray[Any]) -> NDArray[Any]:
                part: NDArray[Any] = np.array(getattr(function(units), name))
                part[np.abs(part) <= zeros.reshape(-1, *[1] * (part.ndim - 1))] = 0
                return part

            return linear(x, responses, axis, reach)

        return part_of("real") + 1j * part_of("imag")
    if tolerance is not None:
        matrix[size <= tolerance * largest] = 0
    elif ((size > 0) & (size < _TINY)).any():
        matrix[size == 0] = _TINY
    at, columns = np.nonzero(matrix)
    counts = np.bincount(at, minlength=len(matrix))
    columns, *rows = _rows(counts, columns, matrix[at, columns])
    if small != shape:
        columns, *places = _enlarged(columns, small, shape)
        rows += places
    if axis is None:
        return _united(x.reshape(-1), 0, columns, *rows).reshape(shape)
    return _united(x, axis, columns, *rows)


def along(x, matrix, axis: int = -1) -> Any:
    """Each vector along an axis of `x`, multiplied by a scipy.sparse matrix.

    ``along([{0}, {1}, {2}], [[1, 1, 0], [0, 0, 1]])  ->  [{0, 1}, {2}]``
    """
    if np.iscomplexobj(x):
        return _of_parts(lambda part: along(part, matrix, axis), x)
    matrix = scipy.sparse.csr_array(matrix, copy=True)
    if matrix.dtype.kind == "c":
        return along(x, matrix.real, axis) + 1j * along(x, matrix.imag, axis)
    matrix.sum_duplicates()
    if current().values:
        matrix.eliminate_zeros()
    counts = np.diff(matrix.indptr)
    if 4 * matrix.nnz >= 3 * counts.max(initial=0) * len(counts):
        return _united(x, axis % x.ndim, *_rows(counts, matrix.indices, matrix.data))

    def weighted(array: NDArray[Any], *, exact: bool = True) -> Any:
        product = matrix if exact else matrix != 0
        rows = np.moveaxis(array, axis, 0)
        flat = product @ rows.reshape(len(rows), -1)
        return np.moveaxis(flat.reshape(-1, *rows.shape[1:]), 0, axis)

    out = _segments(x, axis, matrix.indptr, matrix.indices)
    return _finished(x, out, weighted, matrix.dtype)


def _of_parts(function: Callable[..., Any], x) -> Any:
    """A linear function of a complex array, which acts on its real and imaginary parts."""
    return function(np.real(x)) + 1j * function(np.imag(x))


def _rows(counts, columns, weights) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """A matrix row by row, all rows of one width: columns, weights, and whether there is an entry.

    Where there is none, one beside it is repeated, with weight 0.
    """
    width = max(counts.max(initial=0), 1)
    if (counts == width).all():
        columns, weights = (array.reshape(-1, width).T for array in (columns, weights))
        return columns.astype(np.intp), weights, np.ones(columns.shape, bool)
    entry = np.arange(width)[:, None] * counts // width
    present = (np.diff(entry, axis=0, prepend=-1) > 0) & (counts > 0)
    at = np.cumsum(counts) - counts + entry
    weights = np.where(present, np.append(weights, 0)[at], 0)
    return np.append(columns, 0)[at].astype(np.intp), weights, present


def _enlarged(columns: NDArray[Any], small: Sequence[int], shape: Sequence[int]) -> Any:
    """The columns of a local function of a larger array: from each row's own place on.

    Also which row of the small array each row of the large one is like, and its place.  The
    middle stands for all between the ends; what is more than half of an axis away lies at the
    other end.
    """
    at, own = np.unravel_index(columns, small), np.unravel_index(np.arange(prod(small)), small)
    steps, like = np.zeros_like(columns), np.zeros(1, np.intp)
    for column, row, m, n in zip(at, own, small, shape, strict=True):
        half, more, place = m // 2, n - m, np.arange(n)
        step = column - row
        steps = steps * n + step + more * np.sign(step) * (abs(step) > half)
        like = np.add.outer(like * m, np.maximum(np.minimum(place, half), place - more)).ravel()
    return steps, like, np.arange(len(like))


def _united(x, axis: int, columns, weights, present, like=slice(None), start=0) -> Any:
    """Each vector along an axis, multiplied by a matrix.

    Row i of it is row ``like[i]`` of those given, moved on by ``start[i]`` columns.
    """
    graph, ids = x._trace.graph, x._ids
    behind = (1,) * (ids.ndim - 1 - axis)

    def gathered(array: NDArray[Any]) -> list[NDArray[Any]]:
        return [array.take(places[like] + start, axis) for places in columns]

    def weighted(array: NDArray[Any], *, exact: bool = True) -> Any:
        factors = (w[like].reshape(-1, *behind) for w in (weights if exact else present))
        return sum(map(np.multiply, gathered(array), factors))

    width, rows = len(columns), len(present[0][like])
    size = ids.size // max(ids.shape[axis], 1) * rows
    regular = present[0].all() and 4 * np.count_nonzero(present) >= 3 * present.size
    if regular and size >= 2 * width:
        out = graph.union_columns(gathered(ids))
    else:
        there = present.T[like]
        indptr = np.append(0, np.cumsum(np.count_nonzero(there, axis=1)))
        indices = columns.T[like] + np.reshape(start, (-1, 1))
        out = _segments(x, axis, indptr, indices[there])
    return _finished(x, out, weighted, weights.dtype)


def _segments(x, axis: int, indptr, indices) -> Ids:
    """The unions along an axis of the elements in each row of a matrix, in CSR form."""
    graph = x._trace.graph
    parents = np.moveaxis(x._ids, axis, -1)[..., indices]
    lead = parents.shape[:-1]
    starts = np.arange(prod(lead), dtype=np.int64)[:, None] * len(indices) + indptr[:-1]
    ends, flat = np.append(starts, parents.size), parents.reshape(-1)
    if not graph.pure:
        traced = flat > OPAQUE
        ends, flat = np.append(0, np.cumsum(traced))[ends], flat[traced]
    out = graph.union_segments(ends, flat).reshape(*lead, len(indptr) - 1)
    return np.moveaxis(out, -1, axis)


def _finished(x, out: Ids, weighted: Callable[..., Any], dtype: np.dtype[Any]) -> Any:
    """What is made of constants alone is a constant; at a point, the values."""
    trace, graph = x._trace, x._trace.graph
    if not graph.pure:
        free = out == OPAQUE
        if free.any():
            free &= weighted(x._ids == OPAQUE, exact=False) == 0
            known = weighted(graph.known_values(x._ids, x._dtype))
            out[free] = graph.constant(known[free])
    values = weighted(x._values) if trace.local else None
    return made(trace, out, np.result_type(dtype, x._dtype), values)


def dense_along(x, axis: int, size: int | None = None) -> Any:
    """Each element depends on all elements along the axis."""
    total = np.moveaxis(x, axis, -1).sum(axis=-1, keepdims=True)
    repeated = np.repeat(total, x.shape[axis] if size is None else size, axis=-1)
    return unknown(np.moveaxis(repeated, -1, axis))


def causal(x, response: NDArray[Any], axis: int) -> Any:
    """Each vector along an axis, convolved with a filter's impulse response, cut to its length.

    ``causal([{0}, {1}, {2}], [0, 1, 1])  ->  [{}, {0}, {0, 1}]``
    """
    if np.iscomplexobj(response):
        return causal(x, response.real, axis) + 1j * causal(x, response.imag, axis)
    n = x.shape[axis]
    reached = _reached(response[:n])
    at = np.flatnonzero(reached)
    x = np.moveaxis(x, axis, -1)
    result = _delayed(x, at) if len(at) else x * 0.0
    return np.moveaxis(result, -1, axis)


def _reached(response: NDArray[Any]) -> NDArray[np.bool_]:
    """Where the response is not zero; behind an underflow it is taken not to be."""
    size = np.abs(response)  # infinite or no number where the filter is not stable
    reached: NDArray[np.bool_] = (size != 0) if current().values else np.ones(len(size), bool)
    tiny = np.flatnonzero((size > 0) & (size < _TINY))
    if len(tiny):
        reached[tiny[0] :] = True
    return reached


def _delayed(x, at: NDArray[np.intp]) -> Any:
    """The sum of `x`, delayed by each number of steps in `at`; its values are SciPy's."""
    n = x.shape[-1]
    first, steps = int(at[0]), np.diff(at)
    regular = len(at) > 1 and (steps == steps[0]).all() and at[-1] + steps[0] >= n
    if not regular:
        return unknown(along(x, _toeplitz(at, n), -1))
    step = int(steps[0])
    delayed = np.concatenate([np.zeros((*x.shape[:-1], first)), x[..., : n - first]], axis=-1)
    result: Any = delayed.copy()
    for phase in range(step):  # prefix sums
        result[..., phase::step] = np.cumsum(delayed[..., phase::step], axis=-1)
    if first:
        rest = unknown(result[..., first:])
        return np.concatenate([np.zeros((*x.shape[:-1], first)), rest], axis=-1)
    return unknown(result)


def _toeplitz(at: NDArray[np.intp], n: int) -> Any:
    """``matrix[i, i - k] = 1`` for each k in `at`."""
    rows = [np.arange(k, n) for k in at.tolist()]
    columns = [np.arange(n - k) for k in at.tolist()]
    joined = np.concatenate(rows), np.concatenate(columns)
    return scipy.sparse.csr_array((np.ones(len(joined[0])), joined), shape=(n, n))
