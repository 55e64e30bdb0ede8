"""Rules of factorizations: Cholesky, QR, and those of symmetric matrices.

Contract: a Cholesky or QR factor depends on what its elimination reads, column by
column, and known zeros of the matrix are heeded; of a symmetric matrix one triangle is
read, as LAPACK does.  The eliminations are run on traced arrays, which gives second
derivatives and local patterns too; values come from NumPy's own call.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE, ZERO, Graph, Ids
from sparsetrace.graph.interactions import bend
from sparsetrace.numpy_rules.inverses import Mask, structural_rank
from sparsetrace.numpy_rules.linear_algebra import harmless, like_sample, whole
from sparsetrace.operands import ufunc_reductions
from sparsetrace.operands.operands import Elements, dtype_of, ids_of, values_of
from sparsetrace.operands.registry import rule_for

__all__: list[str] = []


def _array(graph: Graph, a: Any) -> Any:
    """The operand as a traced array."""
    values = np.asarray(values_of(a)) if graph.local else None
    ids = np.array(ids_of(graph, a))
    if ids.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{ids.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    return graph.wrap(Elements(ids, dtype_of(a), values, keep_array=True))


def _zeros(graph: Graph, like: Any) -> Any:
    """Constant zeros in the shape of a traced array."""
    graph.pure = False
    values = np.zeros(like.shape, like._dtype) if graph.local else None
    return graph.wrap(
        Elements(np.zeros(like.shape, np.int32), like._dtype, values, keep_array=True)
    )


@rule_for(np.linalg.cholesky)
def _cholesky(graph: Graph, a: Any, /, *, upper: bool = False) -> Elements:
    """``L[i, j]`` depends on rows i and j up to column j, and on the block before them."""
    matrix = _array(graph, a)
    if matrix.shape[-1] != matrix.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if upper:
        matrix = np.conj(np.swapaxes(matrix, -1, -2))
    factor = _zeros(graph, matrix)
    for j in range(matrix.shape[-1]):
        row = factor[..., j, :j]
        column = matrix[..., j:, j]
        if j:
            column = column - np.matmul(factor[..., j:, :j], np.conj(row)[..., None])[..., 0]
        root = np.sqrt(column[..., :1])
        factor[..., j, j] = root[..., 0]
        factor[..., j + 1 :, j] = column[..., 1:] / root
    ids = factor._ids
    return Elements(ids.swapaxes(-1, -2) if upper else ids, np.linalg.cholesky(harmless(a)).dtype)


@rule_for(np.linalg.qr)
def _qr(graph: Graph, a: Any, mode: str = "reduced") -> Any:
    """Column j of Q and of R depends on columns 0 to j; further columns of Q on all."""
    sample: Any = np.linalg.qr(harmless(a), mode)  # type: ignore[call-overload]
    matrix = _array(graph, a)
    m, n = matrix.shape[-2:]
    k = min(m, n)
    lead = matrix.shape[:-2]
    graph.pure = False
    q, r = _eliminated_apart(graph, matrix)
    if mode == "raw":
        return _like_parts(sample, _reflectors(graph, matrix, r))
    if mode == "complete":
        every = bend(graph, whole(graph, a))
        extra = np.broadcast_to(every[..., None, None], (*lead, m, m - k))
        q = np.concatenate([q, extra], axis=-1)
        r = np.concatenate([r, np.full((*lead, m - k, n), ZERO, np.int32)], axis=-2)
    if mode == "r":
        return Elements(r, sample.dtype)
    return _like_parts(sample, (q, r))


def _like_parts(sample: Any, parts: tuple[Ids, ...]) -> Any:
    """Ids with the dtypes of a sample, in a tuple of its type."""
    items = [Elements(ids, x.dtype) for ids, x in zip(parts, sample, strict=True)]
    return type(sample)(*items) if hasattr(sample, "_fields") else tuple(items)


def _eliminated_apart(graph: Graph, matrix: Any) -> tuple[Ids, Ids]:
    """Q and R of a batch of matrices, each by itself where their zeros differ."""
    known = _nonzero(graph, matrix)
    lead, (m, n) = matrix.shape[:-2], matrix.shape[-2:]
    flat = known.reshape(prod(lead), m, n)
    if len(flat) and (flat == flat[0]).all():
        return _eliminated(graph, matrix, np.array(flat[0]))
    q: Ids = np.empty((*lead, m, min(m, n)), np.int32)
    r: Ids = np.empty((*lead, min(m, n), n), np.int32)
    for item in np.ndindex(lead):
        q[item], r[item] = _eliminated(graph, matrix[item], known[item])
    return q, r


def _eliminated(graph: Graph, matrix: Any, known: Mask) -> tuple[Ids, Ids]:
    """Q and R of matrices that may be non-zero at `known`, by Gram and Schmidt's process."""
    m, n = matrix.shape[-2:]
    k = min(m, n)
    lead = matrix.shape[:-2]
    r: Ids = np.full((*lead, k, n), ZERO, np.int32)
    q: Ids = np.full((*lead, m, k), ZERO, np.int32)
    real = matrix._dtype.kind != "c"
    determined = real and not graph.dependency  # but for a sign, or a phase
    columns: list[Any] = []
    spans: list[Mask] = []  # the rows that a column of Q may have
    for j in range(n):
        rest = column = matrix[..., j]
        span = known[:, j]
        for i, basis in enumerate(columns):
            along = (np.conj(basis) * column).sum(axis=-1)
            r[..., i, j] = ids_of(graph, along)
            rest = rest - (basis * along[..., None] if lead else basis * along)
            if real and np.count_nonzero(spans[i]) == 1:  # nothing is left of that row
                span = span & ~spans[i]
            elif (spans[i] & known[:, j]).any():
                span = span | spans[i]
        if j >= k:
            continue
        inside = [i for i, other in enumerate(spans) if not (other & ~span).any()]
        if structural_rank(known[:, : j + 1]) <= j:  # nothing is left: some vector beside Q's
            ids = _joint(graph, q[..., :j] if determined else matrix._ids[..., : j + 1])
            spans.append(np.ones(m, bool))
            known[:, j] = True
            q[..., j] = np.maximum(ids, OPAQUE)
            values = np.linalg.qr(matrix._values)[0][..., j] if graph.local else None
            made = Elements(np.array(q[..., j]), matrix._dtype, values, keep_array=True)
            columns.append(graph.wrap(made))
            r[..., j, j] = OPAQUE if determined else ids[..., 0]
            continue
        rest = _within(graph, rest, span)
        length = np.sqrt((np.abs(rest) ** 2).sum(axis=-1))
        made = rest / (length[..., None] if lead else length)
        if determined and len(inside) == np.count_nonzero(span) - 1:  # the only direction left
            ids = np.maximum(_joint(graph, q[..., inside]), OPAQUE)
            made = _retraced(graph, made, np.where(span, ids, np.int32(ZERO)))
            length = (made * rest).sum(axis=-1)
        r[..., j, j] = ids_of(graph, length)
        columns.append(made)
        spans.append(span)
        q[..., j] = made._ids
    return q, r


def _nonzero(graph: Graph, matrix: Any) -> Mask:
    """Where traced matrices may be non-zero."""
    if not graph.values:
        return np.ones(matrix.shape, bool)
    mask: Mask = ~graph.zeros_among(matrix._ids)
    if graph.local:
        mask = (matrix._ids > OPAQUE) | (matrix._values != 0)
    return mask


def _retraced(graph: Graph, x: Any, ids: Ids) -> Any:
    """The same numbers with other dependencies."""
    ids = np.array(np.broadcast_to(ids, x.shape))
    return graph.wrap(Elements(ids, x._dtype, x._values if graph.local else None, keep_array=True))


def _within(graph: Graph, x: Any, span: Mask) -> Any:
    """With zeros outside of some rows."""
    if span.all():
        return x
    ids = np.where(span, x._ids, np.int32(ZERO))
    values = np.where(span, x._values, 0) if graph.local else None
    return graph.wrap(Elements(ids, x._dtype, values, keep_array=True))


def _joint(graph: Graph, columns: Ids) -> Ids:
    """What some columns depend on together, nonlinearly; with an axis for the rows."""
    flat = columns.reshape((*columns.shape[:-2], prod(columns.shape[-2:])))
    return bend(graph, graph.union_rows(flat))[..., None]


def _reflectors(graph: Graph, matrix: Any, r: Ids) -> tuple[Ids, Ids]:
    """LAPACK's own form: R, and below it the vectors of reflections, transposed; and factors."""
    m, n = matrix.shape[-2:]
    k = min(m, n)
    united = graph.union_rows(matrix._ids.swapaxes(-1, -2))
    upto = bend(graph, ufunc_reductions.prefix_unions(graph, united, united.ndim - 1))
    h = np.array(np.broadcast_to(upto[..., None], (*upto.shape, m)))
    i, j = np.triu_indices(k, 0, n)
    h[..., j, i] = r[..., i, j]
    factors = np.array(upto[..., :k])
    if k == m and matrix._dtype.kind != "c":  # nothing is left to reflect
        factors[..., m - 1 :] = ZERO
    return h, factors


def _read(graph: Graph, a: Any, uplo: str) -> Ids:
    """The triangle that is read; opaque in place of the other."""
    if uplo.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    ids = ids_of(graph, a)
    n = ids.shape[-1]
    used = np.tri(n, dtype=bool) if uplo.upper() == "L" else np.tri(n, dtype=bool).T
    graph.pure = False
    return np.where(used, ids, np.int32(OPAQUE))


def _symmetric(graph: Graph, a: Any, uplo: str) -> Ids:
    ids = _read(graph, a, uplo)
    return bend(graph, graph.union_rows(ids.reshape((*ids.shape[:-2], prod(ids.shape[-2:])))))


@rule_for(np.linalg.eigh)
def _eigh(graph: Graph, a: Any, UPLO: Any = "L") -> Any:
    return like_sample(graph, _symmetric(graph, a, UPLO), np.linalg.eigh(harmless(a), UPLO))


@rule_for(np.linalg.eigvalsh)
def _eigvalsh(graph: Graph, a: Any, UPLO: Any = "L") -> Any:
    return like_sample(graph, _symmetric(graph, a, UPLO), np.linalg.eigvalsh(harmless(a), UPLO))
