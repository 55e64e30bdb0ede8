"""Products summed over an axis: matmul, dot, tensordot, einsum, convolve, sparse ``A @ x``.

Contract: an output depends on an operand's element unless all elements that this one is
multiplied with are zero for all inputs or, in a local trace, at the point.  All of them come
down to one batched contraction (`contraction`), in which rows with equal partners share a
node: with a dense constant there is one node per row or column, not one per output.

``[[1, 0], [2, 3]] @ [{0}, {1}]  ->  [{0}, {0, 1}]``
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import scipy.sparse

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import count_nonzero, full, ones, repeat, zeros
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph.complex_parts import has_parts
from sparsetrace.graph.graph import OPAQUE, Ids, filled
from sparsetrace.numpy_rules.contraction import Factor, contract, flat_batch, product_dtype
from sparsetrace.numpy_rules.einsum import einsum
from sparsetrace.operands import elementwise
from sparsetrace.operands.complex_operands import is_complex, linearly, moved_ids
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    Operand,
    contains_traced,
    dtype_of,
    ids_of,
    is_plain,
    is_traced,
    unwatched,
)
from sparsetrace.operands.python_operators import of_single_objects
from sparsetrace.operands.registry import rule_for

__all__ = ["conjugated", "convolve", "dot", "matmul", "sparse_matmul", "tensordot"]


def matmul(trace: Trace, x, y) -> Elements:
    """``x @ y`` with NumPy's broadcasting; scipy.sparse operands too."""
    for first, second, transposed in ((x, y, False), (y, x, True)):
        if scipy.sparse.issparse(first):
            return sparse_matmul(trace, first, second, transposed=transposed)
    plain = _plain_matmul(trace, x, y)
    if plain is not None:
        return plain
    a, b = Factor.with_parts(trace, x), Factor.with_parts(trace, y)
    if not a.shape or not b.shape:
        raise ValueError("matmul: operands must have at least one dimension")
    drop_row, drop_column = len(a.shape) == 1, len(b.shape) == 1
    p = a.moved(lambda data: data[None, :]) if drop_row else a
    q = b.moved(lambda data: data[:, None]) if drop_column else b
    if p.shape[-1] != q.shape[-2]:
        raise ValueError(
            f"matmul: Input operand 1 has a mismatch in its core dimension 0, with shapes "
            f"{a.shape} and {b.shape}"
        )
    lead = np.broadcast_shapes(p.shape[:-2], q.shape[:-2])
    factors = [flat_batch(factor, lead) for factor in (p, q)]
    size = prod(lead)
    out = contract(trace, *factors)
    if out.shape[0] != size:
        out = filled(out, (size, *out.shape[1:]))
    out = out.reshape((*lead, *out.shape[1:]))
    if drop_row:
        out = out[..., 0, :]
    if drop_column:
        out = out[..., 0]
    return Elements(out, product_dtype(x, y))


_SMALL = 1024
"""Up to this many terms the unions are made at once, even if some of them are equal."""


def _small_matmul(trace: Trace, ids: Ids, constant: NDArray[Any]) -> Ids | None:
    """Rows of ids ``(m, k)`` times a small matrix ``(n, k)`` with zeros: shape ``(m, n)``.

    Takes half to a third of the time of `contract` on ten elements.
    """
    n, k = constant.shape
    m = len(ids)
    if k != ids.shape[1] or m * constant.size > _SMALL:
        return None
    row, column = constant.nonzero()
    counts = np.bincount(row, minlength=n)
    indptr = zeros(m * n + 1, np.int64)
    (counts if m == 1 else np.tile(counts, m)).cumsum(out=indptr[1:])
    out = trace.graph.union_segments(indptr, ids[:, column].reshape(-1)).reshape(m, n)
    if count_nonzero(counts) < n:
        out[:, counts == 0] = trace.graph.zero
    return out


def _plain_traced(trace: Trace, x, y) -> Elements | None:
    """Two traced arrays without constants: a row of one and a column of the other."""
    if not is_plain(trace, x) or not is_plain(trace, y):
        return None
    a, b = x._ids, y._ids
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        return None
    rows = trace.graph.union_rows(a)
    columns = trace.graph.union_rows(b if b.ndim == 1 else b.swapaxes(-1, -2))
    if b.ndim > 1:
        rows = rows[..., None]
    if a.ndim > 1 and b.ndim > 1:
        columns = columns[..., None, :]
    return Elements(trace.graph.union(rows, columns), FLOAT)


def _plain_matmul(trace: Trace, x, y) -> Elements | None:
    """The common case: a traced array without constants times a matrix without zeros.

    A product of 12 or 1,000 elements takes 2 to 3 times as long by `contract`.
    """
    if is_traced(x) and is_traced(y):
        return None if trace.second_order else _plain_traced(trace, x, y)
    if is_traced(x):
        traced, constant, first = x, unwatched(y), True
    else:
        traced, constant, first = y, unwatched(x), False
    if type(constant) is not np.ndarray or constant.dtype is not FLOAT:
        return None
    if constant.ndim not in (1, 2):
        return None
    ids = traced._ids
    if not is_plain(trace, traced) or not constant.size:
        return None
    if trace.values and count_nonzero(constant) < constant.size:
        if ids.ndim > 2 or constant.ndim != 2:
            return None
        matrix = constant.T if first else constant
        if ids.ndim == 1:
            result = _small_matmul(trace, ids[None], matrix)
            return None if result is None else Elements(result[0], FLOAT)
        result = _small_matmul(trace, ids if first else ids.T, matrix)
        return None if result is None else Elements(result if first else result.T.copy(), FLOAT)
    if constant.ndim == 1:
        columns = ids if first or ids.ndim == 1 else ids.swapaxes(-1, -2)
        if columns.shape[-1] != constant.shape[0]:
            return None
        return Elements(trace.graph.union_rows(columns), FLOAT)
    if first:
        if ids.shape[-1] != constant.shape[0]:
            return None
        out = repeat(trace.graph.union_rows(ids)[..., None], constant.shape[1], axis=-1)
    elif ids.ndim == 1:
        if ids.shape[0] != constant.shape[1]:
            return None
        out = repeat(trace.graph.union_rows(ids)[..., None], constant.shape[0], axis=-1)
    else:
        if ids.shape[-2] != constant.shape[1]:
            return None
        rows = trace.graph.union_rows(ids.swapaxes(-1, -2))
        out = repeat(rows[..., None, :], constant.shape[0], axis=-2)
    return Elements(out, FLOAT)


def dot(trace: Trace, x, y) -> Elements:
    """``np.dot``: over the last axis of x and the second-to-last of y."""
    if scipy.sparse.issparse(x) or scipy.sparse.issparse(y):
        product: Any = of_single_objects(np.multiply, x, y)
        if product is not NotImplemented:
            return product  # type: ignore[no-any-return]
        raise UnsupportedError(
            explain(
                "np.dot of a sparse array",
                "NumPy takes a sparse array for one object, and makes an array of objects",
                "Use A @ x, or A.dot(x).",
            )
        )
    if all(getattr(v, "ndim", 0) in (1, 2) for v in (x, y)):
        return matmul(trace, x, y)
    a, b = Factor.with_parts(trace, x), Factor.with_parts(trace, y)
    if not a.shape or not b.shape:
        return _product(trace, a, b)
    axis = max(len(b.shape) - 2, 0)
    return tensordot(trace, x, y, ([len(a.shape) - 1], [axis]))


def _product(trace: Trace, a: Factor, b: Factor) -> Elements:
    """The elementwise product, in which a number does not give way to an array's dtype."""
    given = (
        x.values if x.ids is None else Operand(trace, x.ids, x.dtype, x.values) for x in (a, b)
    )
    result = elementwise.combine(trace, np.multiply, *given)
    return Elements(result._ids, result._dtype)


def tensordot(trace: Trace, x, y, axes=2) -> Elements:
    """``np.tensordot``: over the named axes of both."""
    a, b = Factor.with_parts(trace, x), Factor.with_parts(trace, y)
    if isinstance(axes, (int, np.integer)):  # a negative number stands for none
        axes_a, axes_b = list(range(-axes, 0)), list(range(axes))
    else:
        axes_a, axes_b = (list(np.atleast_1d(axis_list)) for axis_list in axes)
    if len(axes_a) != len(axes_b):
        raise ValueError("shape-mismatch for sum")
    axes_a = list(normalize_axis_tuple(axes_a, len(a.shape)))
    axes_b = list(normalize_axis_tuple(axes_b, len(b.shape)))
    if [a.shape[i] for i in axes_a] != [b.shape[i] for i in axes_b]:
        raise ValueError("shape-mismatch for sum")
    kept_a = [i for i in range(len(a.shape)) if i not in axes_a]
    kept_b = [i for i in range(len(b.shape)) if i not in axes_b]
    lead_a, lead_b = [a.shape[i] for i in kept_a], [b.shape[i] for i in kept_b]
    k = prod(a.shape[i] for i in axes_a)
    m, n = prod(lead_a), prod(lead_b)
    p = a.moved(lambda data: data.transpose(kept_a + axes_a).reshape(1, m, k))
    q = b.moved(lambda data: data.transpose(axes_b + kept_b).reshape(1, k, n))
    out = contract(trace, p, q)
    return Elements(out.reshape(lead_a + lead_b), product_dtype(x, y))


def convolve(trace: Trace, x, y, mode="full") -> Elements:
    """``np.convolve``: output i depends on those x[j] whose factor y[i - j] is not zero."""
    mode = _mode_name(mode)
    dtype = product_dtype(x, y)
    a, b = Factor.with_parts(trace, x), Factor.with_parts(trace, y)
    a, b = a.moved(np.atleast_1d), b.moved(np.atleast_1d)
    if not a.shape[0] or not b.shape[0]:
        raise ValueError("v cannot be empty" if a.shape[0] else "a cannot be empty")
    if len(b.shape[0:]) != 1 or len(a.shape) != 1:
        raise ValueError("object too deep for desired array")
    if b.shape[0] > a.shape[0]:
        a, b = b, a
    k = b.shape[0]
    beyond = trace.graph.zero if a.traced else 0
    windows = a.moved(lambda data: _windows(data, k, beyond)[None])
    out = contract(trace, windows, b.moved(lambda data: data[None, ::-1, None]))[0, :, 0]
    n = a.shape[0]
    if mode == "same":
        start = (k - 1) // 2
        out = out[start : start + n]
    elif mode == "valid":
        out = out[k - 1 : n]
    return Elements(out, dtype)


_MODES = ("valid", "same", "full")


def _windows(data: NDArray[Any], k: int, beyond: int) -> NDArray[Any]:
    """Every window of k elements that has one of the data, and zeros beyond its ends."""
    n = len(data)
    padded = full(n + 2 * (k - 1), beyond, data.dtype)
    padded[k - 1 : k - 1 + n] = data
    return as_strided(padded, (n + k - 1, k), padded.strides * 2, writeable=False)


def _mode_name(mode) -> str:
    """The name of a mode, which may be given as a number; NumPy refuses the others."""
    if mode in _MODES:
        return mode  # type: ignore[no-any-return]
    np.convolve(ones(1), ones(1), mode)
    return mode if isinstance(mode, str) else _MODES[mode]


def sparse_matmul(trace: Trace, matrix, x, *, transposed: bool = False) -> Elements:
    """``matrix @ x``, or ``x @ matrix`` if `transposed`; matrix a scipy.sparse constant."""
    if contains_traced(matrix):  # as it is answered by its own methods alone
        ids_of(trace, matrix)
    uncertain = getattr(matrix, "_is_unknown", False)  # its structure alone is known
    mixed = uncertain and matrix.dtype.kind == "c"
    alike = mixed or (is_complex(x) and not has_parts(trace.graph, moved_ids(trace, x)))
    if matrix.dtype.kind == "c" and not alike:
        sides = [
            sparse_matmul(trace, p, x, transposed=transposed) for p in (matrix.real, matrix.imag)
        ]
        return _with_imaginary(trace, *sides)
    if is_complex(x) and not alike:
        result: Elements = linearly(
            trace, lambda part: sparse_matmul(trace, matrix, part, transposed=transposed), x
        )
        return result
    ids = ids_of(trace, x)
    matrix = matrix.T if transposed else matrix
    a = _with_stored_zeros(matrix) if matrix.format == "dia" else scipy.sparse.csr_array(matrix)
    if not a.has_canonical_format:
        a = a.copy()
        a.sum_duplicates()
    if trace.values and not a.data.all():
        a = a.copy()
        a.eliminate_zeros()
    columns = ids.swapaxes(0, -1) if transposed and ids.ndim > 1 else ids
    if columns.shape[:1] != (a.shape[1],):
        shapes = (ids.shape, a.T.shape) if transposed else (a.shape, ids.shape)
        raise ValueError(f"dimension mismatch: {shapes[0]} @ {shapes[1]}")
    dtype = np.result_type(matrix.dtype, dtype_of(x))
    if columns.ndim == 1:
        return Elements(_sparse_rows(trace, a, columns, dtype_of(x), uncertain=uncertain), dtype)
    vectors = columns.reshape(len(columns), prod(columns.shape[1:]))
    done = [
        _sparse_rows(trace, a, vectors[:, j], dtype_of(x), uncertain=uncertain)
        for j in range(vectors.shape[1])
    ]
    out = np.stack(done, axis=1) if done else zeros((a.shape[0], 0), np.int32)
    out = out.reshape((a.shape[0], *columns.shape[1:]))
    return Elements(out.swapaxes(0, -1) if transposed else out, dtype)


def _with_stored_zeros(matrix) -> Any:
    """The entries by rows of a dia array, also those that are zero, which SciPy leaves out."""
    numbers = np.arange(1, matrix.data.size + 1).reshape(matrix.data.shape)
    places = scipy.sparse.dia_array((numbers, matrix.offsets), shape=matrix.shape).tocsr()
    entries = matrix.data.reshape(-1)[places.data - 1]
    return scipy.sparse.csr_array((entries, places.indices, places.indptr), shape=matrix.shape)


def _with_imaginary(trace: Trace, real: Elements, imag: Elements) -> Elements:
    """``real + imag * 1j``, of sums of products that may be complex themselves."""
    p, q = (
        Operand(trace, e.ids, e.dtype, np.ones(e.ids.shape) if trace.local else None)
        for e in (real, imag)
    )
    result = elementwise.combine(trace, np.add, p, elementwise.combine(trace, np.multiply, q, 1j))
    return Elements(result._ids, result._dtype)


def _sparse_rows(trace: Trace, a, ids: Ids, source: np.dtype[Any], *, uncertain: bool) -> Ids:
    parents = ids[a.indices]
    indptr = a.indptr.astype(np.int64)
    if trace.graph.pure or not ids.size or ids.min() > OPAQUE:
        out = trace.graph.union_segments(indptr, parents)
        unknown = zeros(len(out), bool)
    else:
        traced = parents > OPAQUE
        kept = zeros(len(parents) + 1, np.int64)
        np.cumsum(traced, out=kept[1:])
        out = trace.graph.union_segments(kept[indptr], parents[traced])
        unsure = zeros(len(parents) + 1, np.int64)
        np.cumsum(parents == OPAQUE, out=unsure[1:])
        unknown = np.diff(unsure[indptr]) > 0
    free = (out == OPAQUE) & ~unknown
    if free.any():
        values = a @ trace.graph.known_values(ids, source)
        if uncertain:
            free &= values == 0
        out[free] = trace.graph.constant(values[free])
    return out


@rule_for(np.dot, signature="a, b, out=None")
def _dot(trace: Trace, a, b) -> Elements:
    return dot(trace, a, b)


def conjugated(trace: Trace, x: Any) -> Any:
    """An operand's conjugate: itself, if it is real."""
    if dtype_of(x).kind != "c":
        return x
    if not contains_traced(x):
        return np.conj(x)
    result = elementwise.combine(trace, np.conjugate, x)
    return trace.wrap(Elements(result._ids, result._dtype, result._values, keep_array=True))


@rule_for(np.vdot, signature="a, b, /")
def _vdot(trace: Trace, a, b) -> Elements:
    p, q = (Factor.with_parts(trace, x).moved(np.ravel) for x in (conjugated(trace, a), b))
    if p.shape != q.shape:
        raise ValueError("vectors have different lengths")
    ids = contract(trace, p.moved(lambda d: d[None, None]), q.moved(lambda d: d[None, :, None]))
    return Elements(ids[0, 0, 0:1].reshape(()), product_dtype(a, b))


@rule_for(np.inner, signature="a, b, /")
def _inner(trace: Trace, a, b) -> Elements:
    if not np.ndim(a) or not np.ndim(b):
        return _product(trace, Factor.with_parts(trace, a), Factor.with_parts(trace, b))
    return tensordot(trace, a, b, ([-1], [-1]))


@rule_for(np.linalg.outer)
def _outer_of_vectors(trace: Trace, x1, x2) -> Elements:
    if np.ndim(x1) != 1 or np.ndim(x2) != 1:
        raise ValueError("Input arrays must be one-dimensional")
    result: Elements = _outer(trace, x1, x2)
    return result


@rule_for(np.outer)
def _outer(trace: Trace, a, b) -> Elements:
    left, right = (Factor.with_parts(trace, x).moved(np.ravel) for x in (a, b))
    return _product(trace, left.moved(lambda d: d[:, None]), right)


@rule_for(np.linalg.tensordot)
def _tensordot_of_arrays(trace: Trace, x1, x2, axes) -> Elements:
    return _as_array(tensordot(trace, x1, x2, axes))


@rule_for(np.tensordot)
def _tensordot(trace: Trace, a, b, axes) -> Elements:
    return _as_array(tensordot(trace, a, b, axes))


def _as_array(result: Elements) -> Elements:
    """An array also without dimensions: NumPy's function ends with a reshape."""
    return Elements(result.ids, result.dtype, keep_array=True)


@rule_for(np.einsum)
def _einsum(trace: Trace, operands, kwargs) -> Elements:
    operands = tuple(map(unwatched, operands))
    result = einsum(trace, *operands)
    casting = kwargs.get("casting", "safe")
    # NumPy gives a view of one operand whatever dtype is asked for
    if result.keep_array or (kwargs.get("dtype") is None and casting == "safe"):
        return result
    dtype = np.dtype(kwargs.get("dtype") or result.dtype)
    spelled = isinstance(operands[0], str)
    for x in operands[1:] if spelled else operands[: len(operands) // 2 * 2 : 2]:
        if not np.can_cast(dtype_of(x), dtype, casting):
            raise TypeError(f"einsum: cannot cast {dtype_of(x)} to {dtype} by the rule {casting!r}")
    return Elements(result.ids, dtype)


@rule_for(np.einsum_path)
def _einsum_path(trace: Trace, operands, optimize) -> Any:
    plain = [zeros(np.shape(x)) if contains_traced(x) else x for x in operands]
    return np.einsum_path(*plain, optimize=optimize)


@rule_for(np.linalg.matmul)
def _matmul(trace: Trace, x1, x2) -> Elements:
    return matmul(trace, x1, x2)


@rule_for(np.linalg.vecdot)
def _vecdot(trace: Trace, x1, x2, axis) -> Any:
    vecdot: Any = np.vecdot
    return vecdot(x1, x2, axis=axis)


@rule_for(np.convolve)
def _convolve(trace: Trace, a, v, mode) -> Elements:
    return convolve(trace, a, v, mode)


@rule_for(np.correlate)
def _correlate(trace: Trace, a, v, mode) -> Elements:
    """``correlate(a, v)[k] = sum_n a[n + k] v[n]``: a convolution with v reversed."""
    if not np.ndim(a) or not np.ndim(v):
        raise ValueError("object of too small depth for desired array")
    mode = _mode_name(mode)
    v = conjugated(trace, v)
    reverse = Factor.with_parts(trace, v).moved(lambda data: np.atleast_1d(data)[::-1])
    kernel: Any = reverse.values
    if reverse.ids is not None:
        kernel = Operand(trace, reverse.ids, reverse.dtype, reverse.values)
    result = convolve(trace, a, kernel, mode)
    if np.size(v) > np.size(a) and mode == "same":
        return _correlate_same(trace, a, v)
    return result


def _correlate_same(trace: Trace, a, v) -> Elements:
    """NumPy swaps the operands of an uneven 'same' correlation and reverses the result."""
    swapped = _correlate(trace, v, conjugated(trace, a), "same")
    return Elements(swapped.ids[::-1], swapped.dtype)
