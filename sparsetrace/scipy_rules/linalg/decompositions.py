"""``scipy.linalg``'s decompositions that LAPACK computes as a whole.

Contract: each element of a factor depends on the whole of the matrix, jointly nonlinear, but
for the zeros and ones that a factor has by its definition.  Permutations have no derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.scipy_rules.linalg.batches import over_batch
from sparsetrace.scipy_rules.linalg.matrix_functions import mirrored
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    current,
    dense,
    harmless,
    sample_of,
    spread,
    union_of_all,
)
from sparsetrace.scipy_rules.whole import whole


def lu(call, a, permute_l, p_indices):
    """The pivots are piecewise constant; L has ones on its diagonal."""
    a = array_of(a)
    _, lower, upper = dense(call, a)
    k = lower.shape[-1]
    lower = np.tril(lower, -1) + np.eye(lower.shape[-2], k)
    upper = np.triu(upper)
    if permute_l:
        product, _ = dense(call, a, permute_l=True)
        return product, upper
    p = np.asarray(call.original(sample_of(a), p_indices=p_indices)[0])
    trace = current()
    pivots = union_of_all(a) if trace.dependency else trace.graph.opaque
    return spread(trace, np.asarray(pivots, np.int32), p), lower, upper


@harmless("lwork")
def schur(call, a, output, sort):
    """With `sort` also how many eigenvalues it takes, of which no derivative is known."""
    t, z, *count = dense(call, array_of(a), output=output, sort=sort)
    return (np.triu(t, 0 if t.dtype.kind == "c" else -1), z, *count)


def rsf2csf(call, T, Z):
    """What lies below the subdiagonal, zeros in a Schur form, is neither read nor written."""
    t, z = dense(call, array_of(T), array_of(Z))
    return np.triu(t) + np.tril(array_of(T), -2), z


def hessenberg(call, a, calc_q):
    """The first reflection leaves the first row and column of Q as they are."""
    a = array_of(a)
    if a.ndim == 2 and len(a) <= 2:  # it has that form
        return (a, np.eye(len(a))) if calc_q else a
    if not calc_q:
        return np.triu(dense(call, a), -1)
    h, q = dense(call, a, calc_q=True)
    inner = np.ones(q.shape[-2:])
    inner[0] = inner[:, 0] = 0.0
    return np.triu(h, -1), q * inner + np.diag(np.arange(len(inner)) == 0) * 1.0


@harmless("lwork")
def rq(call, a, mode):
    a = array_of(a)
    result = dense(call, a, mode=mode)
    r, *q = result if isinstance(result, tuple) else (result,)
    r = np.triu(r, r.shape[-1] - r.shape[-2])
    return (r, *q) if q else r


@harmless("lwork")
def qz(call, A, B, output, sort):
    if sort is not None:
        call.refuse("how many eigenvalues sort takes depends on the values", "Leave sort out.")
    aa, bb, q, z = dense(call, array_of(A), array_of(B), output=output)
    return np.triu(aa, 0 if aa.dtype.kind == "c" else -1), np.triu(bb), q, z


def ldl(call, A, lower, hermitian):
    """The rows of the factor are permuted as the values want it."""
    return dense(call, mirrored(array_of(A), lower=lower, conjugate=hermitian), hermitian=hermitian)


def qr_multiply(call, a, c, mode, pivoting, conjugate):
    if pivoting:
        call.refuse("pivots depend on the values", "Use pivoting=False.")
    product, r = dense(call, array_of(a), array_of(c), mode=mode, conjugate=conjugate)
    return product, np.triu(r)


def _as_a_whole(call: Call, *matrices, **options) -> Any:
    return dense(call, *map(array_of, matrices), **options)


def subspace_angles(call, A, B):
    return _as_a_whole(call, A, B)


def orthogonal_procrustes(call, A, B):
    return _as_a_whole(call, A, B)


def expm_frechet(call, A, E, method, compute_expm):
    return _as_a_whole(call, A, E, method=method, compute_expm=compute_expm)


def solve_continuous_are(call, a, b, q, r, e, s):
    matrices = [array_of(x) for x in (a, b, q, r)]
    if e is not None or s is not None:
        call.refuse("e and s have no rule", "Transform the equation, and leave them out.")
    return dense(call, *matrices)


solve_discrete_are = solve_continuous_are


# ---------------------------------------------------------------- eigenvalues of bands
def _chosen(call: Call, select, select_range) -> dict[str, Any]:
    if select in ("v", "value", 1):
        call.refuse("how many eigenvalues lie in a range depends on the values", "Use select='i'.")
    constant(call, select_range, "select_range")
    return {"select": select, "select_range": select_range}


def _read(a_band, *, lower: bool) -> Any:
    """A band without the corner that is not read."""
    band = array_of(a_band)
    row, column = np.indices(band.shape)
    last = band.shape[0] - 1
    read = row + column < band.shape[1] if lower else column >= last - row
    read |= band.shape[1] == 1  # of one column LAPACK takes the first element, or the diagonal
    return np.where(read, band, 0.0)


@harmless("max_ev")
@over_batch(a_band=2)
def eig_banded(call, a_band, lower, eigvals_only, select, select_range):
    chosen = _chosen(call, select, select_range)
    band = _read(a_band, lower=lower)
    return dense(call, band, lower=lower, eigvals_only=eigvals_only, **chosen)


@over_batch(a_band=2)
def eigvals_banded(call, a_band, lower, select, select_range):
    chosen = _chosen(call, select, select_range)
    return dense(call, _read(a_band, lower=lower), lower=lower, **chosen)


@harmless("tol", "lapack_driver")  # of the algorithm
@over_batch(d=1, e=1)
def eigh_tridiagonal(call, d, e, eigvals_only, select, select_range):
    chosen = _chosen(call, select, select_range)
    return _as_a_whole(call, d, e, eigvals_only=eigvals_only, **chosen)


@harmless("tol", "lapack_driver")
@over_batch(d=1, e=1)
def eigvalsh_tridiagonal(call, d, e, select, select_range):
    return _as_a_whole(call, d, e, **_chosen(call, select, select_range))


# --------------------------------------------------------------------- bases of spaces
def orth(call, A, rcond):
    if current().local:
        return whole(call, A, rcond)
    return call.refuse(
        "how many vectors span the space depends on the values",
        "Use scipy.linalg.svd, and take as many of its vectors as the rank is.",
    )


@harmless("lapack_driver")
def null_space(call, A, rcond):
    return orth(call, A, rcond)


# ------------------------------------------------------------------- others, as a whole
cossin = expm_cond = matrix_balance = whole


def ordqz(call, A, B, sort, output):
    aa, bb, alpha, beta, q, z = whole(call, A, B, sort, output)
    return np.triu(aa, -1), np.triu(bb), alpha, beta, q, z


def _updated(call: Call, *given, **named) -> Any:
    """The factors of a matrix of which rows or columns were changed."""
    q, r = whole(call, *given, **named)
    return q, np.triu(r)


qr_delete = qr_insert = qr_update = _updated


def khatri_rao(a, b):
    a, b = array_of(a), array_of(b)
    product = a[..., :, None, :] * b[..., None, :, :]
    return product.reshape(*product.shape[:-3], -1, product.shape[-1])


# ------------------------------------------------------------------- factors of bands
def _places(band, *, lower: bool) -> tuple[Any, Any, Any]:
    """Rows and columns of the matrix whose band this is, and which elements are in it."""
    d, column = np.indices(band.shape)
    row = column + d if lower else column + d - (band.shape[0] - 1)
    return row, column, (row >= 0) & (row < band.shape[1])


def _of_band(band, *, lower: bool) -> Any:
    """The triangle in a band."""
    row, column, inside = _places(band, lower=lower)
    n = band.shape[1]
    number = np.full((n, n), band.size)
    number[row[inside], column[inside]] = np.arange(band.size).reshape(band.shape)[inside]
    return np.append(band.reshape(-1), 0.0)[number]


@over_batch(ab=2)
def cholesky_banded(call, ab, lower):
    """The corner that is not read stays."""
    if ab.ndim == 1:  # which SciPy takes for a band of one column
        return cholesky_banded(call, ab[:, None], lower)[:, 0]
    band = ab
    half = _of_band(band, lower=lower)
    factor = np.linalg.cholesky(mirrored(half, lower=lower))
    if not lower:
        factor = np.conj(factor.T)
    row, column, inside = _places(band, lower=lower)
    return np.where(inside, factor[row * inside, column * inside], band)


def cho_solve_banded(call, cb_and_lower, b):
    band, lower = cb_and_lower
    return _cho_solve_banded(band, b, lower)


@over_batch(band=2, b="1|2")
def _cho_solve_banded(band, b, lower) -> Any:
    factor = _of_band(band, lower=lower)
    if not lower:
        factor = np.conj(factor.T)
    return np.linalg.solve(np.conj(factor.T), np.linalg.solve(factor, b))
