"""Rules of factorizations: Cholesky, QR, and those of symmetric matrices.

Contract: a Cholesky or QR factor depends on what its elimination reads, column by
column, and known zeros of the matrix are heeded; of a symmetric matrix one triangle is
read, as LAPACK does.  The eliminations are run on traced arrays, which gives second
derivatives and local patterns too; values come from NumPy's own call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.dispatch.linear_algebra import harmless, like_sample, whole
from sparsetrace.dispatch.operands import Elements, dtype_of, ids_of, values_of
from sparsetrace.dispatch.registry import rule_for
from sparsetrace.graph import OPAQUE, ZERO, Graph, Ids
from sparsetrace.interactions import bend

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
    if mode not in ("reduced", "complete", "r"):
        return like_sample(graph, bend(graph, whole(graph, a)), sample)
    matrix = _array(graph, a)
    m, n = matrix.shape[-2:]
    k = min(m, n)
    lead = matrix.shape[:-2]
    r: Ids = np.full((*lead, k, n), ZERO, np.int32)
    q: Ids = np.full((*lead, m, k), ZERO, np.int32)
    columns: list[Any] = []
    graph.pure = False
    for j in range(n):
        rest = matrix[..., j]
        for i, basis in enumerate(columns):
            along = (np.conj(basis) * matrix[..., j]).sum(axis=-1)
            r[..., i, j] = ids_of(graph, along)
            rest = rest - basis * along[..., None] if lead else rest - basis * along
        if j < k:
            length = np.sqrt((np.abs(rest) ** 2).sum(axis=-1))
            r[..., j, j] = ids_of(graph, length)
            columns.append(rest / (length[..., None] if lead else length))
            q[..., j] = columns[-1]._ids
    if mode == "complete":
        every = bend(graph, whole(graph, a))
        extra = np.broadcast_to(every[..., None, None], (*lead, m, m - k))
        q = np.concatenate([q, extra], axis=-1)
        r = np.concatenate([r, np.full((*lead, m - k, n), ZERO, np.int32)], axis=-2)
    if mode == "r":
        return Elements(r, sample.dtype)
    return type(sample)(Elements(q, sample[0].dtype), Elements(r, sample[1].dtype))


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
    return bend(graph, graph.union_rows(ids.reshape((*ids.shape[:-2], -1))))


@rule_for(np.linalg.eigh)
def _eigh(graph: Graph, a: Any, UPLO: Any = "L") -> Any:
    return like_sample(graph, _symmetric(graph, a, UPLO), np.linalg.eigh(harmless(a), UPLO))


@rule_for(np.linalg.eigvalsh)
def _eigvalsh(graph: Graph, a: Any, UPLO: Any = "L") -> Any:
    return like_sample(graph, _symmetric(graph, a, UPLO), np.linalg.eigvalsh(harmless(a), UPLO))
