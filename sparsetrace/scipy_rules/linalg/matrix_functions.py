"""``scipy.linalg``'s functions of matrices, decompositions and patterned matrices.

Contract: element (i, j) of a function of a matrix (an exponential, a root) is not zero where
a path of the matrix's non-zeros leads from i to j, and depends on the elements of such paths
alone.  Decompositions depend on the whole matrix.  Patterned matrices, such as
``circulant``, only move elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE
from sparsetrace.graph.interactions import interact_all
from sparsetrace.numpy_rules.contraction import Factor
from sparsetrace.numpy_rules.square_systems import may_be_nonzero
from sparsetrace.operands.operands import contains_traced, ids_of, is_traced
from sparsetrace.scipy_rules.linalg.batches import over_batch
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    current,
    dense,
    float_dtype,
    harmless,
    keeps_parts,
    made,
)


def mirrored(a, *, lower: bool, conjugate: bool = True) -> Any:
    """The symmetric matrix of which one triangle is read."""
    half = np.tril(a) if lower else np.triu(a)
    rest = np.swapaxes(np.tril(a, -1) if lower else np.triu(a, 1), -1, -2)
    return half + (np.conj(rest) if conjugate and np.iscomplexobj(a) else rest)


def inv(call, a, assume_a=None, lower=False):  # SciPy 1.14 has neither
    a = array_of(a)
    if assume_a in ("sym", "her", "pos"):
        a = mirrored(a, lower=lower, conjugate=assume_a != "sym")
    elif assume_a in ("lower triangular", "upper triangular"):
        a = (np.tril if assume_a.startswith("l") else np.triu)(a)
    elif assume_a == "diagonal":
        a = a * np.eye(a.shape[-1])
    elif assume_a not in (None, "gen", "general"):
        call.refuse(f"assume_a={assume_a!r} is not known here", "Leave assume_a out.")
    return np.linalg.inv(a)


def det(a):
    return np.linalg.det(array_of(a))


def norm(a, ord, axis, keepdims):
    return np.linalg.norm(array_of(a), ord, axis, keepdims)


@over_batch(a=2, b="1|2")
def lstsq(call, a, b, cond, lapack_driver):
    x, residuals, rank, singular = np.linalg.lstsq(a, b, cond)
    if lapack_driver == "gelsy":
        return x, np.zeros(0), rank, None
    if b.ndim == 1 and residuals.size:
        residuals = residuals.reshape(())
    return x, residuals, rank, singular


def pinv(call, a, atol, rtol, return_rank):
    constant(call, (atol, rtol), "a tolerance")
    return dense(call, array_of(a), return_rank=return_rank)


def pinvh(call, a, atol, rtol, lower, return_rank):
    constant(call, (atol, rtol), "a tolerance")
    return dense(call, mirrored(array_of(a), lower=lower), return_rank=return_rank)


# -------------------------------------------------------------- decompositions
def _no_range(call: Call, subset_by_value) -> None:
    if subset_by_value is not None:
        call.refuse(
            "how many eigenvalues lie in subset_by_value depends on the inputs",
            "Use subset_by_index.",
        )


@harmless("type", "driver")  # every result depends on the whole of both matrices
def eigh(call, a, b, lower, eigvals_only, subset_by_index, subset_by_value):
    _no_range(call, subset_by_value)
    matrices = [mirrored(array_of(x), lower=lower) for x in (a, b) if x is not None]
    options = {"eigvals_only": eigvals_only, "subset_by_index": subset_by_index}
    return dense(call, *matrices, **options)


@harmless("type", "driver")  # every result depends on the whole of both matrices
def eigvalsh(call, a, b, lower, subset_by_index, subset_by_value):
    _no_range(call, subset_by_value)
    matrices = [mirrored(array_of(x), lower=lower) for x in (a, b) if x is not None]
    return dense(call, *matrices, subset_by_index=subset_by_index)


def eigvals(call, a, b):
    """Eigenvalues; complex, since whether they are real depends on the values."""
    return dense(call, *(array_of(x) for x in (a, b) if x is not None))


def eig(call, a, b, left, right):
    matrices = [array_of(x) for x in (a, b) if x is not None]
    result = dense(call, *matrices, left=left, right=right)
    if current().local or not isinstance(result, tuple):
        return result
    trace = current()
    return tuple(made(trace, ids_of(trace, x), complex) for x in result)


@harmless("lapack_driver")
def svd(call, a, full_matrices, compute_uv):
    return dense(call, array_of(a), full_matrices=full_matrices, compute_uv=compute_uv)


def svdvals(call, a):
    return dense(call, array_of(a))


@harmless("lwork")
def qr(call, a, mode, pivoting):
    if mode == "raw":
        call.refuse("LAPACK's own form has no rule", "Use another mode.")
    if pivoting:
        *q, r, order = dense(call, array_of(a), mode=mode, pivoting=True)
        return (*q, np.triu(r), order)
    q, r = np.linalg.qr(array_of(a), "reduced" if mode == "economic" else "complete")
    return (np.triu(r),) if mode == "r" else (q, np.triu(r))


def polar(call, a, side):
    return dense(call, array_of(a), side=side)


# -------------------------------------------------------- functions of a matrix
def _of_matrix(a, *, real: bool = True, others=()) -> Any:
    """Where chains of non-zeros lead, everything that lies on them."""
    trace = current()
    a = array_of(a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError("expected square array_like input")
    nonzero = may_be_nonzero(Factor.of(trace, a))
    reached = (nonzero | np.eye(a.shape[-1], dtype=bool)).astype(float)
    for _ in range(max(a.shape[-1] - 1, 1).bit_length()):
        reached = np.minimum(reached @ reached, 1.0)
    ids = np.array(ids_of(trace, reached @ a @ reached)) if is_traced(a) else ids_of(trace, a)
    for other in others:
        ids = trace.graph.union(ids, np.broadcast_to(ids_of(trace, other), ids.shape))
    ids = interact_all(trace.graph, np.maximum(ids, OPAQUE))
    ids[reached == 0] = trace.graph.zero
    dtype = float_dtype(a)
    return made(trace, ids, dtype if real else np.result_type(dtype, complex))


def expm(A):
    return _of_matrix(A)


cosm = sinm = tanm = coshm = sinhm = tanhm = expm


@harmless("blocksize")  # of the algorithm
def logm(call, A, disp=True):  # dropped in SciPy 1.18
    """Complex, since whether the result is real depends on the values."""
    if disp is False:
        call.refuse("an estimate of its error has no rule", "Leave disp out.")
    return _of_matrix(A, real=False)


sqrtm = logm


def signm(call, A, disp=True):
    if disp is False:
        call.refuse("an estimate of its error has no rule", "Leave disp out.")
    return _of_matrix(A)


def funm(call, A, func, disp=True):
    if disp is False:
        call.refuse("an estimate of its error has no rule", "Leave disp out.")
    call.check_functions(func)
    if contains_traced(func(np.full(1, 0.5 + 0j))):
        call.refuse(
            "the function may not read what depends on the inputs",
            "Use the eigenvalues and vectors of np.linalg.eig.",
        )
    return _of_matrix(A)


def fractional_matrix_power(A, t):
    if not contains_traced(t) and float(t).is_integer():
        return np.linalg.matrix_power(array_of(A), int(t))
    return _of_matrix(A, real=False, others=(t,) if contains_traced(t) else ())


# ------------------------------------------------------------ patterned matrices
def toeplitz_of(c, r):
    """The matrix with first column c and first row r."""
    c, r = np.ravel(c), np.ravel(r)
    values = np.concatenate([c[::-1], r[1:]])
    return values[len(c) - 1 - np.arange(len(c))[:, None] + np.arange(len(r))]


@keeps_parts
def toeplitz(call, c, r):
    c = array_of(c)
    r = np.conj(c) if r is None else array_of(r)
    if c.ndim < 2 and r.ndim < 2:
        return toeplitz_of(c, r)
    # a batch, or all as one vector, as SciPy's version has it
    places = np.arange(c.size + r.size)
    places = call.plainly(places[: c.size].reshape(c.shape), places[c.size :].reshape(r.shape))
    return np.concatenate([c.ravel(), r.ravel()])[places]


@keeps_parts
def circulant(c):
    c = np.atleast_1d(array_of(c))
    index = np.arange(c.shape[-1])
    return c[..., (index[:, None] - index) % len(index)]


@keeps_parts
def hankel(c, r):
    c = np.ravel(array_of(c))
    r = np.zeros(c.shape) if r is None else np.ravel(array_of(r))
    values = np.concatenate([c, r[1:]])
    return values[np.arange(len(c))[:, None] + np.arange(len(r))]


@over_batch(a=1)
def convolution_matrix(call, a, n, mode):
    if mode not in ("full", "valid", "same") or n < 1:
        call.refuse("only the three modes have a rule", "Use np.stack.")
    trim = min(n, len(a)) - 1
    before, after = {"full": (0, 0), "same": (trim // 2, trim - trim // 2)}.get(mode, (trim, trim))
    rows = np.arange(before, len(a) + n - 1 - after)
    padded = np.concatenate([a, np.zeros(1)])
    place = rows[:, None] - np.arange(n)
    return padded[np.where((place >= 0) & (place < len(a)), place, len(a))]


def kron(a, b):
    return np.kron(array_of(a), array_of(b))


# ---------------------------------------------------------------------- what a matrix is
def issymmetric(a, atol, rtol):
    """Whether each element is the one across the diagonal: what the values decide."""
    a = array_of(a)
    return _are_equal(a, np.swapaxes(a, -1, -2), atol, rtol)


def ishermitian(a, atol, rtol):
    a = array_of(a)
    return _are_equal(a, np.conj(np.swapaxes(a, -1, -2)), atol, rtol)


def _are_equal(a, b, atol, rtol) -> Any:
    if a.shape != b.shape:
        return False
    if atol is not None or rtol is not None:
        return np.all(np.isclose(a, b, rtol=rtol or 0.0, atol=atol or 0.0), axis=(-2, -1))
    above = np.triu(np.ones(a.shape[-2:], bool), int(a.dtype.kind != "c"))
    return np.all((a == b)[..., above], axis=-1)
