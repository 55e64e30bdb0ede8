"""Rules of factorizations: Cholesky, QR, and those of symmetric matrices.

Contract: a Cholesky or QR factor depends on what its elimination reads, column by
column; elements that are known to be zero add nothing.  Of a symmetric matrix one triangle
is read, as LAPACK does.  The eliminations are run on traced arrays, which gives second
derivatives and local patterns too; values come from NumPy's own call.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids
from sparsetrace.graph.interactions import interact, interact_all
from sparsetrace.numpy_rules.block_triangular import Mask, structural_rank
from sparsetrace.numpy_rules.contraction import Factor
from sparsetrace.numpy_rules.linear_algebra import filled_like, sample_matrix, union_per_matrix
from sparsetrace.numpy_rules.square_systems import may_be_nonzero
from sparsetrace.operands.operands import Elements, dtype_of, ids_of, values_of
from sparsetrace.operands.prefixes import prefix_unions
from sparsetrace.operands.registry import rule_for

__all__: list[str] = []


def _array(trace: Trace, a) -> Any:
    """The operand as a traced array."""
    values = np.asarray(values_of(a)) if trace.local else None
    ids = np.array(ids_of(trace, a))
    if ids.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{ids.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    return trace.wrap(Elements(ids, dtype_of(a), values, keep_array=True))


def _zeros(trace: Trace, like) -> Any:
    """Constant zeros in the shape of a traced array."""
    values = np.zeros(like.shape, like._dtype) if trace.local else None
    ids = np.full(like.shape, trace.graph.zero, np.int32)
    return trace.wrap(Elements(ids, like._dtype, values, keep_array=True))


@rule_for(np.linalg.cholesky)
def _cholesky(trace: Trace, a, upper) -> Elements:
    """``L[i, j]`` depends on rows i and j up to column j, and on the block before them."""
    matrix = _array(trace, a)
    if matrix.shape[-1] != matrix.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if upper:
        matrix = np.conj(np.swapaxes(matrix, -1, -2))
    at_point = np.linalg.cholesky(matrix._values) if trace.local else None
    if _is_full(trace, matrix, at_point):
        ids = _full_factor(trace, np.maximum(matrix._ids, OPAQUE))
    else:
        ids = _lower_factor(trace, matrix, at_point)._ids
    return Elements(
        ids.swapaxes(-1, -2) if upper else ids, np.linalg.cholesky(sample_matrix(a)).dtype
    )


def _is_full(trace: Trace, matrix, at_point: NDArray[Any] | None) -> bool:
    """Whether a factor of real numbers has neither zeros nor known elements below its diagonal."""
    if matrix._dtype.kind == "c":
        return False
    above = ~np.tri(matrix.shape[-1], dtype=bool)
    if at_point is not None:
        return not trace.values or bool((above | (at_point != 0)).all())
    return bool((above | (matrix._ids > ZERO)).all())


def _full_factor(trace: Trace, ids: Ids) -> Ids:
    """``L[i, j] L[j, j] = A[i, j] - sum_k L[i, k] L[j, k]``, none of them zero.

    All that columns before the last one bring is in ``L[i, j - 1]`` and ``L[j, j - 1]``.
    """
    factor = np.full_like(ids, trace.graph.zero)
    for j in range(ids.shape[-1]):
        column = ids[..., j:, j]
        if j:
            column = trace.graph.union(column, factor[..., j:, j - 1])
        root = interact_all(trace.graph, column[..., :1])
        below = trace.graph.union(column[..., 1:], root)
        if trace.second_order and j:
            before = factor[..., j:, j - 1]
            pairs = [(column[..., 1:], root), (before[..., 1:], before[..., :1])]
            below = interact(trace.graph, below, pairs)
        elif trace.second_order:
            below = interact(trace.graph, below, [(column[..., 1:], root)])
        factor[..., j, j] = root[..., 0]
        factor[..., j + 1 :, j] = below
    return factor


def _lower_factor(trace: Trace, matrix, at_point: NDArray[Any] | None) -> Any:
    """``L[i, j] L[j, j] = A[i, j] - sum_k L[i, k] L[j, k]``, column by column.

    Of the columns k only the children of j in the elimination tree are asked: those whose
    first non-zero below the diagonal is in row j (Liu, 1990, "The role of elimination trees
    in sparse factorization").  What any other k would bring is in ``L[i, p]`` and
    ``L[j, p]`` already, where p is its parent, unless a number there happened to be zero.
    Numbers that are constants are computed of the children alone, so they are known where no
    other k has anything in row j.
    """
    n = matrix.shape[-1]
    factor = _zeros(trace, matrix)
    nonzero = np.tril(may_be_nonzero(Factor.of(trace, matrix)))
    children: list[list[int]] = [[] for _ in range(n)]
    by_tree = True
    for j in range(n):
        column = matrix[..., j:, j]
        if by_tree:
            for k in children[j]:
                left = factor[..., j:, k]
                column = column - left * np.conj(left[..., :1])
                nonzero[..., j:, j] |= nonzero[..., j:, k] & nonzero[..., j, k, None]
        else:
            left = factor[..., j:, :j]
            column = column - np.matmul(left, np.conj(left[..., 0, :, None]))[..., 0]
        if by_tree and not trace.local and any(children[k] for k in children[j]):
            unknown = nonzero[..., j:, j] & (column._ids <= ZERO)
            column = _retraced(trace, column, np.where(unknown, trace.graph.opaque, column._ids))
        if at_point is not None:  # the numbers of all terms, not of those alone that were asked
            numbers = at_point[..., j:, j] * at_point[..., j, j, None]
            column = trace.wrap(Elements(column._ids, column._dtype, numbers, keep_array=True))
        root = np.sqrt(column[..., :1])
        factor[..., j, j] = root[..., 0]
        below = column[..., 1:] / root
        factor[..., j + 1 :, j] = below
        led_to = nonzero[..., j + 1 :, j]
        by_tree = by_tree and not (led_to & _is_zero(trace, below)).any()
        first = led_to & (np.cumsum(led_to, axis=-1) == 1)
        for parent in np.flatnonzero(first.any(axis=tuple(range(first.ndim - 1)))).tolist():
            children[j + 1 + parent].append(j)
    return factor


def _is_zero(trace: Trace, x) -> Mask:
    """Where a traced array is zero: for all inputs, or at the point of a local trace."""
    if not trace.values:
        return np.zeros(x.shape, bool)
    return np.asarray(x._values == 0) if trace.local else trace.graph.zeros_among(x._ids)


@rule_for(np.linalg.qr)
def _qr(trace: Trace, a, mode) -> Any:
    """Column j of Q and of R depends on columns 0 to j; further columns of Q on all."""
    sample: Any = np.linalg.qr(sample_matrix(a), mode)
    matrix = _array(trace, a)
    m, n = matrix.shape[-2:]
    k = min(m, n)
    lead = matrix.shape[:-2]
    q, r = (_but_for_a_sign(trace, ids) for ids in _eliminated_apart(trace, matrix))
    if mode == "raw":
        return _like_parts(sample, _reflectors(trace, matrix, r))
    if mode in ("economic", "e"):  # old names, of what "raw" gives, transposed
        return Elements(np.swapaxes(_reflectors(trace, matrix, r)[0], -1, -2), sample.dtype)
    if mode == "complete":
        every = interact_all(trace.graph, union_per_matrix(trace, a))
        extra = np.broadcast_to(every[..., None, None], (*lead, m, m - k))
        q = np.concatenate([q, extra], axis=-1)
        r = np.concatenate([r, np.full((*lead, m - k, n), trace.graph.zero, np.int32)], axis=-2)
    if mode == "r":
        return Elements(r, sample.dtype)
    return _like_parts(sample, (q, r))


def _but_for_a_sign(trace: Trace, ids: Ids) -> Ids:
    """The ids with unknown numbers in place of constants: Gram and Schmidt choose other signs."""
    return ids if trace.local else np.where(ids < ZERO, np.int32(trace.graph.opaque), ids)


def _like_parts(sample, results: tuple[Ids, ...]) -> Any:
    """Ids with the dtypes of a sample, in a tuple of its type."""
    items = [Elements(ids, x.dtype) for ids, x in zip(results, sample, strict=True)]
    return type(sample)(*items) if hasattr(sample, "_fields") else tuple(items)


def _eliminated_apart(trace: Trace, matrix) -> tuple[Ids, Ids]:
    """Q and R of a batch of matrices, each by itself where their zeros differ."""
    known = may_be_nonzero(Factor.of(trace, matrix))
    lead, (m, n) = matrix.shape[:-2], matrix.shape[-2:]
    masks = known.reshape(prod(lead), m, n)
    if len(masks) and (masks == masks[0]).all():
        return _eliminated(trace, matrix, np.array(masks[0]))
    q: Ids = np.empty((*lead, m, min(m, n)), np.int32)
    r: Ids = np.empty((*lead, min(m, n), n), np.int32)
    for item in np.ndindex(lead):
        q[item], r[item] = _eliminated(trace, matrix[item], known[item])
    return q, r


def _eliminated(trace: Trace, matrix, known: Mask) -> tuple[Ids, Ids]:
    """Q and R of matrices that may be non-zero at `known`, by Gram and Schmidt's process."""
    m, n = matrix.shape[-2:]
    k = min(m, n)
    lead = matrix.shape[:-2]
    r: Ids = np.full((*lead, k, n), trace.graph.zero, np.int32)
    q: Ids = np.full((*lead, m, k), trace.graph.zero, np.int32)
    real = matrix._dtype.kind != "c"
    determined = real and not trace.dependency  # but for a sign, or a phase
    columns: list[Any] = []
    spans: list[Mask] = []  # the rows that a column of Q may have
    for j in range(n):
        rest = column = matrix[..., j]
        span = known[:, j]
        for i, basis in enumerate(columns):
            along = (np.conj(basis) * column).sum(axis=-1)
            r[..., i, j] = ids_of(trace, along)
            rest = rest - (basis * along[..., None] if lead else basis * along)
            if real and np.count_nonzero(spans[i]) == 1:  # nothing is left of that row
                span = span & ~spans[i]
            elif (spans[i] & known[:, j]).any():
                span = span | spans[i]
        if j >= k:
            continue
        inside = [i for i, other in enumerate(spans) if not (other & ~span).any()]
        if structural_rank(known[:, : j + 1]) <= j:  # nothing is left: some vector beside Q's
            ids = _joint(trace, q[..., :j] if determined else matrix._ids[..., : j + 1])
            spans.append(np.ones(m, bool))
            known[:, j] = True
            q[..., j] = np.maximum(ids, OPAQUE)
            values = np.linalg.qr(matrix._values)[0][..., j] if trace.local else None
            made = Elements(np.array(q[..., j]), matrix._dtype, values, keep_array=True)
            columns.append(trace.wrap(made))
            r[..., j, j] = trace.graph.opaque if determined else ids[..., 0]
            continue
        rest = _within(trace, rest, span)
        length = np.sqrt((np.abs(rest) ** 2).sum(axis=-1))
        made = rest / (length[..., None] if lead else length)
        if determined and len(inside) == np.count_nonzero(span) - 1:  # the only direction left
            ids = np.maximum(_joint(trace, q[..., inside]), OPAQUE)
            made = _retraced(trace, made, np.where(span, ids, np.int32(trace.graph.zero)))
            length = (made * rest).sum(axis=-1)
        r[..., j, j] = ids_of(trace, length)
        columns.append(made)
        spans.append(span)
        q[..., j] = ids_of(trace, made)
    return q, r


def _retraced(trace: Trace, x, ids: Ids) -> Any:
    """The same numbers with other dependencies."""
    ids = np.array(np.broadcast_to(ids, x.shape))
    return trace.wrap(Elements(ids, x._dtype, x._values if trace.local else None, keep_array=True))


def _within(trace: Trace, x, span: Mask) -> Any:
    """With zeros outside of some rows."""
    if span.all():
        return x
    ids = np.where(span, x._ids, np.int32(trace.graph.zero))
    values = np.where(span, x._values, 0) if trace.local else None
    return trace.wrap(Elements(ids, x._dtype, values, keep_array=True))


def _joint(trace: Trace, columns: Ids) -> Ids:
    """What some columns depend on together, nonlinearly; with an axis for the rows."""
    rows = columns.reshape((*columns.shape[:-2], prod(columns.shape[-2:])))
    return interact_all(trace.graph, trace.graph.union_rows(rows))[..., None]


def _reflectors(trace: Trace, matrix, r: Ids) -> tuple[Ids, Ids]:
    """LAPACK's own form: R, and below it the vectors of reflections, transposed; and factors."""
    m, n = matrix.shape[-2:]
    k = min(m, n)
    united = trace.graph.union_rows(matrix._ids.swapaxes(-1, -2))
    upto = interact_all(trace.graph, prefix_unions(trace, united, united.ndim - 1))
    h = np.array(np.broadcast_to(upto[..., None], (*upto.shape, m)))
    i, j = np.triu_indices(k, 0, n)
    h[..., j, i] = r[..., i, j]
    factors = np.array(upto[..., :k])
    if k == m and matrix._dtype.kind != "c":  # nothing is left to reflect
        factors[..., m - 1 :] = trace.graph.zero
    return h, factors


def _read(trace: Trace, a, uplo: str) -> Ids:
    """The triangle that is read; opaque in place of the other."""
    if uplo.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    ids = ids_of(trace, a)
    n = ids.shape[-1]
    used = np.tri(n, dtype=bool) if uplo.upper() == "L" else np.tri(n, dtype=bool).T
    return np.where(used, ids, np.int32(trace.graph.opaque))


def _symmetric(trace: Trace, a, uplo: str) -> Ids:
    ids = _read(trace, a, uplo)
    return interact_all(
        trace.graph, trace.graph.union_rows(ids.reshape((*ids.shape[:-2], prod(ids.shape[-2:]))))
    )


@rule_for(np.linalg.eigh)
def _eigh(trace: Trace, a, UPLO) -> Any:
    return filled_like(trace, _symmetric(trace, a, UPLO), np.linalg.eigh(sample_matrix(a), UPLO))


@rule_for(np.linalg.eigvalsh)
def _eigvalsh(trace: Trace, a, UPLO) -> Any:
    return filled_like(
        trace, _symmetric(trace, a, UPLO), np.linalg.eigvalsh(sample_matrix(a), UPLO)
    )
