"""``scipy.linalg``'s solvers: by ``np.linalg.solve``, or by the structure of the matrix.

Contract: a solver that reads a triangle or a band of its matrix depends on those elements
alone; which solution depends on which of them is told by the non-zeros (`square_systems`).
What ``np.linalg`` computes too is answered by NumPy's rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.numpy_rules.contraction import Factor
from sparsetrace.numpy_rules.square_systems import SquareMatrices, solutions
from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.linalg.batches import over_batch
from sparsetrace.scipy_rules.linalg.matrix_functions import mirrored, toeplitz_of
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    current,
    dense,
    float_dtype,
    harmless,
    made,
)

_LARGEST = 2048
"""Unknowns of a matrix equation, whose system is written out."""


def _read(call: Call, a, assume_a, *, lower: bool) -> Any:
    """The part of a matrix that a solver reads, given what it may assume."""
    name = {"gen": "general", "sym": "symmetric", "her": "hermitian", "pos": "positive definite"}
    structure = name.get(assume_a, assume_a)
    if structure in (None, "general"):
        return a
    if structure in ("symmetric", "hermitian", "positive definite"):
        return mirrored(a, lower=lower, conjugate=structure != "symmetric")
    if structure == "lower triangular":
        return np.tril(a)
    if structure == "upper triangular":
        return np.triu(a)
    if structure == "diagonal":
        return a * np.eye(a.shape[-1])
    if structure == "tridiagonal":
        return np.triu(np.tril(a, 1), -1)
    if structure == "banded":
        return a
    return call.refuse(f"assume_a={assume_a!r} is not known here", "Leave assume_a out.")


def solve(call, a, b, lower, assume_a, transposed):
    a, b = _square(call, np.atleast_2d(array_of(a))), np.atleast_1d(array_of(b))
    a = _read(call, a, assume_a, lower=lower)
    if transposed:
        a = np.swapaxes(a, -1, -2)
    if a.shape == (1, 1):
        return b / a[0, 0]
    return np.linalg.solve(a, b)


def _square(call: Call, a) -> Any:
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"expected square matrix, got shape {a.shape}")
    return a


def solved(matrix: SquareMatrices, dtype: np.dtype[Any], b, values=None) -> Any:
    """The solution, by the structure of a matrix of this dtype; the values are SciPy's."""
    if len(b) != matrix.size:
        raise ValueError(
            f"shapes of a {(matrix.size, matrix.size)} and b {b.shape} are incompatible"
        )
    trace = current()
    sides = Factor.of(trace, b).moved(lambda data: data.reshape(1, len(data), -1))
    ids = solutions(trace, matrix, sides).reshape(b.shape)
    return made(trace, ids, np.result_type(dtype, float_dtype(b)), values)


def solution(a, b) -> Any:
    matrix = Factor.of(current(), a).moved(lambda data: data[None])
    return solved(SquareMatrices.of(matrix), float_dtype(a), b)


@over_batch(a=2, b="1|2")
def solve_triangular(call, a, b, trans, lower, unit_diagonal):
    a = _square(call, a)
    return _solve_triangle(call, a, b, trans, lower=lower, unit_diagonal=unit_diagonal)


def _solve_triangle(call: Call, a, b, trans, *, lower: bool, unit_diagonal: bool = False) -> Any:
    half = np.tril if lower else np.triu
    a = half(a, (-1 if lower else 1) if unit_diagonal else 0)
    if unit_diagonal:
        a = a + np.eye(len(a))
    if trans not in (0, "N", 1, "T", 2, "C"):
        raise ValueError(f"trans={trans!r}")
    if trans not in (0, "N"):
        a = a.T
    return solution(a, b)


@over_batch(ab=2, b="1|2")
def solve_banded(call, l_and_u, ab, b):
    """``ab[u + i - j, j] == a[i, j]``."""
    ab = np.atleast_2d(ab)
    below, above = (int(n) for n in l_and_u)
    if below + above + 1 != ab.shape[0]:
        raise ValueError(f"{below} + {above} + 1 diagonals do not equal ab.shape[0] {ab.shape[0]}")
    place, columns = np.indices(ab.shape)
    return _solve_band(call, ab, b, place + columns - above, columns)


@over_batch(ab=2, b="1|2")
def solveh_banded(call, ab, b, lower):
    """One triangle in bands; the other mirrors it."""
    if ab.ndim == 1:  # which SciPy takes for the one column of a system of one unknown
        call.refuse("ab has one dimension", "Give it two: ab[np.newaxis].")
    place, columns = np.indices(ab.shape)
    rows = columns + place - (0 if lower else ab.shape[0] - 1)
    mirrored = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    beside = np.concatenate([np.ones(ab.shape, bool), rows != columns])
    return _solve_band(call, np.concatenate([ab, ab]), b, *mirrored, beside)


def _solve_band(call: Call, ab, b, rows, columns, used=True) -> Any:
    n = ab.shape[1]
    used = used & (rows >= 0) & (rows < n) & (columns >= 0) & (columns < n)
    matrix = SquareMatrices.of_places(Factor.of(current(), ab), rows, columns, used, n)
    return solved(matrix, float_dtype(ab), b)


# --------------------------------------------------------------- factorisations
def lu_factor(call, a):
    return dense(call, a, check_finite=False)


def lu_solve(call, lu_and_piv, b, trans):
    """Two triangular systems; everything of traced factors, as their pivots are unknown."""
    return _lu_solve(call, *lu_and_piv, b, trans)


@over_batch(lu=2, pivots=1, b="1|2")
def _lu_solve(call: Call, lu, pivots, b, trans) -> Any:
    if contains_traced(pivots):
        return solution(lu, b)
    order = np.arange(len(lu))
    for i, j in enumerate(np.asarray(pivots).tolist()):
        order[[i, j]] = order[[j, i]]
    if trans in (0, "N"):
        y = _solve_triangle(call, lu, b[order], 0, lower=True, unit_diagonal=True)
        return _solve_triangle(call, lu, y, 0, lower=False)
    y = _solve_triangle(call, lu, b, 1, lower=False)
    y = _solve_triangle(call, lu, y, 1, lower=True, unit_diagonal=True)
    return y[np.argsort(order)]


def cholesky(call, a, lower):
    a = _square(call, np.atleast_2d(array_of(a)))
    if lower:
        return np.linalg.cholesky(a)
    return np.conj(np.swapaxes(np.linalg.cholesky(np.conj(np.swapaxes(a, -1, -2))), -1, -2))


@over_batch(a=2)
def cho_factor(call, a, lower):
    """The other triangle is left as it was; since SciPy 1.18 it is zero."""
    a = np.atleast_2d(a)
    factor = cholesky(call, a, lower)
    shown, _ = call.original(np.array([[2.0, 1.0], [1.0, 2.0]]))
    if not shown.all():
        return factor, lower
    return factor + (np.triu(a, 1) if lower else np.tril(a, -1)), lower


def cho_solve(call, c_and_lower, b):
    factor, lower = c_and_lower
    return _cho_solve(call, factor, b, lower)


@over_batch(factor=2, b="1|2")
def _cho_solve(call: Call, factor, b, lower) -> Any:
    first, second = (0, 1) if lower else (1, 0)
    y = _solve_triangle(call, factor, b, first, lower=lower)
    return _solve_triangle(call, factor, y, second, lower=lower)


# --------------------------------------------------------- matrices with a pattern
def _pair(c_or_cr) -> tuple[Any, Any]:
    if isinstance(c_or_cr, tuple):
        return c_or_cr
    c = array_of(c_or_cr)
    return c, np.conj(c)


def solve_toeplitz(call, c_or_cr, b):
    return _solve_toeplitz(*_pair(c_or_cr), b)


@over_batch(c=1, r=1, b="1|2")
def _solve_toeplitz(c, r, b) -> Any:
    return solution(toeplitz_of(c, r), b)


@harmless("workers")  # how many threads
def matmul_toeplitz(call, c_or_cr, x):
    return _times_toeplitz(*_pair(c_or_cr), x)


@over_batch(c=1, r=1, x="1|2")
def _times_toeplitz(c, r, x) -> Any:
    return toeplitz_of(c, r) @ x


def solve_circulant(call, c, b, singular, tol, caxis, baxis, outaxis):
    c = np.moveaxis(np.atleast_1d(array_of(c)), caxis, -1)
    b = np.moveaxis(np.atleast_1d(array_of(b)), baxis, -1)
    constant(call, tol, "tol")
    if c.shape[-1] != b.shape[-1]:
        raise ValueError(f"Shapes of c {c.shape} and b {b.shape} are incompatible")
    index = np.arange(c.shape[-1])
    matrices = c[..., (index[:, None] - index) % c.shape[-1]]
    if singular == "raise":
        result = _each_solution(matrices, b)
    else:  # some eigenvalues count as zero, by their size
        result = (np.linalg.pinv(matrices) @ b[..., None])[..., 0]
    return np.moveaxis(result, -1, outaxis)


@over_batch(a=2, b=1)
def _each_solution(a, b) -> Any:
    return solution(a, b)


@over_batch(a=2, b=2, q=2)
def solve_sylvester(call, a, b, q):
    """``a X + X b = q``: a system for the rows of X, one after the other."""
    return _solve_sums(call, q, [(a, None), (None, b)])


@over_batch(a=2, q=2)
def solve_continuous_lyapunov(call, a, q):
    """``a X + X a^H = q``."""
    a, q = np.atleast_2d(a, q)
    return _solve_sums(call, q, [(a, None), (None, np.conj(a.T))])


@harmless("method")  # two ways to one solution
@over_batch(a=2, q=2)
def solve_discrete_lyapunov(call, a, q):
    """``a X a^H - X + q = 0``."""
    a = np.atleast_2d(a)
    found = _solve_sums(call, np.atleast_2d(q), [(None, None), (a, np.conj(a.T))])
    return found.reshape(q.shape)


def _solve_sums(call: Call, q, terms: list[tuple[Any, Any]]) -> Any:
    """``sum of left X right = q`` for matrices, each None for the identity."""
    m, n = q.shape
    if m * n > _LARGEST:
        call.refuse(
            f"a system for {m * n} unknowns is larger than its rule takes ({_LARGEST})",
            "Wrap the call with sparsetrace.opaque.",
        )
    total: Any = np.zeros((m, n, m, n))
    for left, right in terms:
        if left is None and right is None:
            total = total + np.eye(m * n).reshape(m, n, m, n)
        elif right is None:
            total = total + left[:, None, :, None] * np.eye(n)[None, :, None, :]
        elif left is None:
            total = total + np.eye(m)[:, None, :, None] * right.T[None, :, None, :]
        else:
            total = total + left[:, None, :, None] * right.T[None, :, None, :]
    a = total.reshape(m * n, m * n)
    return solution(a, q.reshape(-1)).reshape(m, n)


solve_lyapunov = solve_continuous_lyapunov
