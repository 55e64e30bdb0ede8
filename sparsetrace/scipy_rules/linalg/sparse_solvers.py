"""``scipy.sparse.linalg``: direct solvers with a constant matrix, by its structure.

Contract: the matrix is constant and sparse, the right-hand sides are traced.
Factorizations that are made in the traced function solve for traced right-hand sides;
those made outside of it are compiled objects, which no wrapper reaches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.numpy_rules.square_systems import SquareMatrices
from sparsetrace.operands.operands import contains_traced, values_of
from sparsetrace.scipy_rules.linalg.linear_systems import solved
from sparsetrace.scipy_rules.rule_tools import (
    CONSTANTS,
    Call,
    array_of,
    constant,
    current,
    harmless,
)


def _solved(call: Call, matrix: Any, b: Any, values: Any = None) -> Any:
    """The structure of ``matrix^-1 b``."""
    constant(call, matrix, "the matrix")
    if scipy.sparse.issparse(b):
        call.refuse("a sparse right-hand side holds no traced elements", CONSTANTS)
    a, b = scipy.sparse.coo_array(matrix), array_of(b)
    if a.shape[0] != a.shape[1] or a.shape[0] != len(b):
        raise ValueError(f"matrix - rhs dimension mismatch ({a.shape} - {b.shape})")
    return solved(SquareMatrices.of_sparse(current(), a), a.dtype, b, values)


@harmless("permc_spec", "use_umfpack")  # how it is solved
def spsolve(call, A, b):
    result = _solved(call, A, b)
    return result.reshape(-1) if result.ndim == 2 and result.shape[1] == 1 else result


def spsolve_triangular(call, A, b, lower, unit_diagonal):
    constant(call, A, "the matrix")
    if unit_diagonal:
        diagonal = scipy.sparse.eye_array(A.shape[0])
        A = (scipy.sparse.tril(A, -1) if lower else scipy.sparse.triu(A, 1)) + diagonal
    return _solved(call, A, b)


@harmless("traceA")  # scales the steps
def expm_multiply(call, A, B, start, stop, num, endpoint):
    """``expm(A) B`` leads where a chain of non-zeros does, as ``(1 + |A|)^-1 B``."""
    if any(option is not None for option in (start, stop, num, endpoint)):
        call.refuse("several points in time have no rule", "Call it once for each of them.")
    a = scipy.sparse.coo_array(A)
    data = (a.data != 0) if current().values else np.ones(a.nnz)
    pattern = scipy.sparse.coo_array((data.astype(float), a.coords), shape=a.shape)
    return _solved(call, scipy.sparse.eye_array(a.shape[0]) + pattern, B)


class Factors:
    """A factorization that also solves for traced right-hand sides."""

    def __init__(self, call: Call, matrix: Any, made: Any) -> None:
        self._call, self._matrix, self._made = call, matrix, made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """As ``SuperLU.solve``."""
        if not contains_traced(rhs):
            return self._made.solve(rhs, trans)
        matrix = self._matrix if trans == "N" else self._matrix.T
        values = self._made.solve(np.array(values_of(rhs)), trans) if current().local else None
        return _solved(self._call, matrix, rhs, values)


def splu(call, A, permc_spec, diag_pivot_thresh, relax, panel_size, options):
    constant(call, A, "the matrix")
    factors = call.original(A, permc_spec, diag_pivot_thresh, relax, panel_size, options)
    return Factors(call, A, factors)


def factorized(call, A):
    constant(call, A, "the matrix")
    solve = call.original(A)

    def solved(rhs: Any) -> Any:
        if not contains_traced(rhs):
            return solve(rhs)
        values = solve(np.array(values_of(rhs))) if current().local else None
        return _solved(call, A, rhs, values)

    return solved
