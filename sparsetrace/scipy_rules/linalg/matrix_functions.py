"""``scipy.linalg``'s functions of matrices, decompositions and patterned matrices.

Contract: a function of a matrix (an exponential, a root) has non-zeros where a chain of
the matrix's own non-zeros leads, and an element depends on the elements of such chains
alone.  Decompositions depend on the whole matrix.  Patterned matrices only move
elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE, ZERO
from sparsetrace.graph.interactions import bend
from sparsetrace.numpy_rules.contraction import Factor
from sparsetrace.numpy_rules.square_systems import may_be_nonzero
from sparsetrace.operands.operands import contains_traced, ids_of, is_traced
from sparsetrace.scipy_rules.registration import (
    Call,
    array_of,
    constant,
    current,
    dense,
    float_dtype,
    lines,
    made,
)

__all__ = ["TABLE", "mirrored", "toeplitz_of"]


def mirrored(a: Any, *, lower: bool, conjugate: bool = True) -> Any:
    """The symmetric matrix of which one triangle is read."""
    half = np.tril(a) if lower else np.triu(a)
    rest = np.swapaxes(np.tril(a, -1) if lower else np.triu(a, 1), -1, -2)
    return half + (np.conj(rest) if conjugate and np.iscomplexobj(a) else rest)


def _inv(
    call: Call,
    a: Any,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    assume_a: Any = None,
    lower: bool = False,
) -> Any:
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


def _det(call: Call, a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    return np.linalg.det(array_of(a))


def _norm(
    call: Call,
    a: Any,
    ord: Any = None,
    axis: Any = None,
    keepdims: bool = False,
    check_finite: bool = True,
) -> Any:
    return np.linalg.norm(array_of(a), ord, axis, keepdims)


def _lstsq(
    call: Call,
    a: Any,
    b: Any,
    cond: Any = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    lapack_driver: Any = None,
) -> Any:
    a, b = array_of(a), array_of(b)
    if a.ndim != 2 or b.ndim > 2:
        call.refuse("a batch of problems has no rule here", "Loop over them and use np.stack.")
    x, residuals, rank, singular = np.linalg.lstsq(a, b, cond)
    if lapack_driver == "gelsy":
        return x, np.zeros(0), rank, None
    if b.ndim == 1 and residuals.size:
        residuals = residuals.reshape(())
    return x, residuals, rank, singular


def _pinv(
    call: Call,
    a: Any,
    *,
    atol: Any = None,
    rtol: Any = None,
    return_rank: bool = False,
    check_finite: bool = True,
) -> Any:
    constant(call, (atol, rtol), "a tolerance")
    return dense(call, array_of(a), return_rank=return_rank)


def _pinvh(
    call: Call,
    a: Any,
    atol: Any = None,
    rtol: Any = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
) -> Any:
    constant(call, (atol, rtol), "a tolerance")
    return dense(call, mirrored(array_of(a), lower=lower), return_rank=return_rank)


# -------------------------------------------------------------- decompositions
def _no_range(call: Call, subset_by_value: Any) -> None:
    if subset_by_value is not None:
        call.refuse(
            "how many eigenvalues lie in subset_by_value depends on the inputs",
            "Use subset_by_index.",
        )


def _eigh(
    call: Call,
    a: Any,
    b: Any = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Any = None,
    subset_by_value: Any = None,
    driver: Any = None,
) -> Any:
    _no_range(call, subset_by_value)
    parts = [mirrored(array_of(x), lower=lower) for x in (a, b) if x is not None]
    options = {"eigvals_only": eigvals_only, "subset_by_index": subset_by_index}
    return dense(call, *parts, **options)


def _eigvalsh(
    call: Call,
    a: Any,
    b: Any = None,
    *,
    lower: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Any = None,
    subset_by_value: Any = None,
    driver: Any = None,
) -> Any:
    _no_range(call, subset_by_value)
    parts = [mirrored(array_of(x), lower=lower) for x in (a, b) if x is not None]
    return dense(call, *parts, subset_by_index=subset_by_index)


def _eigen(
    call: Call, a: Any, b: Any = None, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """Eigenvalues; complex, since whether they are real depends on the values."""
    return dense(call, *(array_of(x) for x in (a, b) if x is not None))


def _eig(
    call: Call,
    a: Any,
    b: Any = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:
    parts = [array_of(x) for x in (a, b) if x is not None]
    found = dense(call, *parts, left=left, right=right)
    if current().local or not isinstance(found, tuple):
        return found
    return tuple(x.astype(complex) for x in found)


def _svd(
    call: Call,
    a: Any,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:
    return dense(call, array_of(a), full_matrices=full_matrices, compute_uv=compute_uv)


def _svdvals(call: Call, a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    return dense(call, array_of(a))


def _qr(
    call: Call,
    a: Any,
    overwrite_a: bool = False,
    lwork: Any = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> Any:
    if pivoting or mode == "raw":
        call.refuse("pivots depend on the values", "Use pivoting=False, and not mode='raw'.")
    q, r = np.linalg.qr(array_of(a), "reduced" if mode == "economic" else "complete")
    return (np.triu(r),) if mode == "r" else (q, np.triu(r))


def _polar(call: Call, a: Any, side: str = "right") -> Any:
    return dense(call, array_of(a), side=side)


# -------------------------------------------------------- functions of a matrix
def _of_matrix(call: Call, a: Any, *, real: bool = True, others: Any = ()) -> Any:
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
    ids = bend(trace.graph, np.maximum(ids, OPAQUE))
    ids[reached == 0] = ZERO
    kind = float_dtype(a)
    return made(trace, ids, kind if real else np.result_type(kind, complex))


def _function(call: Call, A: Any) -> Any:
    return _of_matrix(call, A)


def _root(call: Call, A: Any, disp: Any = True, blocksize: Any = 64) -> Any:
    """Complex, since whether the result is real depends on the values."""
    if disp is False:
        call.refuse("an estimate of its error has no rule", "Leave disp out.")
    return _of_matrix(call, A, real=False)


def _sign(call: Call, A: Any, disp: Any = True) -> Any:
    if disp is False:
        call.refuse("an estimate of its error has no rule", "Leave disp out.")
    return _of_matrix(call, A)


def _power(call: Call, A: Any, t: Any) -> Any:
    if not contains_traced(t) and float(t).is_integer():
        return np.linalg.matrix_power(array_of(A), int(t))
    return _of_matrix(call, A, real=False, others=(t,) if contains_traced(t) else ())


# ------------------------------------------------------------ patterned matrices
def toeplitz_of(c: Any, r: Any) -> Any:
    """The matrix with first column c and first row r."""
    c, r = np.ravel(c), np.ravel(r)
    values = np.concatenate([c[::-1], r[1:]])
    return values[len(c) - 1 - np.arange(len(c))[:, None] + np.arange(len(r))]


def _toeplitz(call: Call, c: Any, r: Any = None) -> Any:
    c = array_of(c)
    return toeplitz_of(c, np.conj(c) if r is None else array_of(r))


def _circulant(call: Call, c: Any) -> Any:
    c = np.atleast_1d(array_of(c))
    index = np.arange(c.shape[-1])
    return c[..., (index[:, None] - index) % len(index)]


def _hankel(call: Call, c: Any, r: Any = None) -> Any:
    c = np.ravel(array_of(c))
    r = np.zeros(c.shape) if r is None else np.ravel(array_of(r))
    values = np.concatenate([c, r[1:]])
    return values[np.arange(len(c))[:, None] + np.arange(len(r))]


def _convolution_matrix(call: Call, a: Any, n: int, mode: str = "full") -> Any:
    a = array_of(a)
    if a.ndim != 1 or mode not in ("full", "valid", "same") or n < 1:
        call.refuse("only vectors and the three modes have a rule", "Use np.stack.")
    trim = min(n, len(a)) - 1
    before, after = {"full": (0, 0), "same": (trim // 2, trim - trim // 2)}.get(mode, (trim, trim))
    rows = np.arange(before, len(a) + n - 1 - after)
    padded = np.concatenate([a, np.zeros(1)])
    place = rows[:, None] - np.arange(n)
    return padded[np.where((place >= 0) & (place < len(a)), place, len(a))]


def _kron(call: Call, a: Any, b: Any) -> Any:
    return np.kron(array_of(a), array_of(b))


_RULES: dict[str, Callable[..., Any]] = {
    "circulant": _circulant,
    "convolution_matrix": _convolution_matrix,
    "coshm": _function,
    "cosm": _function,
    "det": _det,
    "eig": _eig,
    "eigh": _eigh,
    "eigvals": _eigen,
    "eigvalsh": _eigvalsh,
    "expm": _function,
    "fractional_matrix_power": _power,
    "hankel": _hankel,
    "inv": _inv,
    "kron": _kron,
    "logm": _root,
    "lstsq": _lstsq,
    "norm": _norm,
    "pinv": _pinv,
    "pinvh": _pinvh,
    "polar": _polar,
    "qr": _qr,
    "signm": _sign,
    "sinhm": _function,
    "sinm": _function,
    "sqrtm": _root,
    "svd": _svd,
    "svdvals": _svdvals,
    "tanhm": _function,
    "tanm": _function,
    "toeplitz": _toeplitz,
}
TABLE = lines("scipy.linalg", _RULES)
