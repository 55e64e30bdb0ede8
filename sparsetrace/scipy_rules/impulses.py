"""Matrices of linear functions along an axis, taken from what they do to unit impulses.

Contract: the matrix of such a function is the function applied to the identity, so
that its zeros are SciPy's own.  Where an output depends on near inputs alone, the matrix
for a long axis is put together from that for a short one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from sparsetrace.scipy_rules.rule_tools import current, matrix_along, unknown

__all__ = ["LARGEST", "along", "causal", "local_matrix", "matrix_of"]

Function = Callable[[NDArray[Any]], NDArray[Any]]

LARGEST = 512
"""Up to this length a matrix without zeros known in advance is written out."""
_TINY = 1e-250
"""Responses below this may have vanished by underflow."""


def matrix_of(function: Function, n: int, tolerance: float = 0.0) -> Any:
    """The matrix of a linear function of the first axis, without its zeros.

    Entries below `tolerance` times the largest one are rounding errors of zeros.  Where
    there are tiny ones, others may have vanished by underflow, and zeros are kept.

    Examples
    --------
    >>> matrix_of(lambda x: x[1:] - x[:-1], 3).toarray()
    array([[-1.,  1.,  0.],
           [ 0., -1.,  1.]])
    """
    dense = np.array(function(np.eye(n)))
    size = np.abs(dense)
    if tolerance and dense.size:
        dense[size <= tolerance * size.max()] = 0
    elif ((size > 0) & (size < _TINY)).any():
        dense[size == 0] = _TINY
    return scipy.sparse.csr_array(dense)


def local_matrix(function: Function, n: int, radius: int, tolerance: float = 0.0) -> Any:
    """The same for a function whose outputs reach `radius` elements far, also at the ends.

    An end may be extended by what is near it, or by the other end.

    Examples
    --------
    >>> def smooth(x):
    ...     return x + np.roll(x, 1, axis=0)
    >>> (local_matrix(smooth, 40, 1) != matrix_of(smooth, 40)).nnz
    0
    """
    m = 4 * radius + 3
    if n <= m:
        return matrix_of(function, n, tolerance)
    small = matrix_of(function, m, tolerance)
    half = 2 * radius + 1
    shift = n - m
    data, rows, columns = [], [], []
    for first, last, moved in ((0, half, 0), (half + 1, m, shift)):
        end = small[first:last].tocoo()
        data.append(end.data)
        rows.append(end.coords[0] + first + moved)
        # the other end's elements stay at their end
        far = end.coords[1] > 3 * radius + 1 if not moved else end.coords[1] <= radius
        columns.append(end.coords[1] + np.where(far, shift - moved, moved))
    middle = small[half : half + 1].tocoo()
    count = shift + 1
    places = np.arange(count)[:, None]
    data.append(np.tile(middle.data, count))
    rows.append(np.repeat(np.arange(count) + half, middle.nnz))
    columns.append((middle.coords[1] + places).reshape(-1))
    joined = [np.concatenate(arrays) for arrays in (data, rows, columns)]
    return scipy.sparse.csr_array((joined[0], (joined[1], joined[2])), shape=(n, n))


def along(x, matrix, axis: int, *, exact: bool = True) -> Any:
    """Each vector along an axis, multiplied by a matrix; not `exact`: plus something constant."""
    result = matrix_along(x, matrix, axis)
    return result if exact else unknown(result)


def dense_along(x, axis: int, size: int | None = None) -> Any:
    """Each element depends on all elements along the axis."""
    total = np.moveaxis(x, axis, -1).sum(axis=-1, keepdims=True)
    repeated = np.repeat(total, x.shape[axis] if size is None else size, axis=-1)
    return unknown(np.moveaxis(repeated, -1, axis))


def causal(x, response: NDArray[Any], axis: int) -> Any:
    """Each vector along an axis, convolved with a filter's impulse response, cut to its length.

    ``causal([{0}, {1}, {2}], [0, 1, 1])  ->  [{}, {0}, {0, 1}]``
    """
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
