"""``scipy.sparse.linalg``: solvers with a sparse matrix, by its structure.

Contract: the matrix is sparse, constant or with traced data.  Factorizations that are made in
the traced function solve for traced right-hand sides; those made outside of it are compiled
objects, which no wrapper reaches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.dispatch.keeping_functions import may_keep
from sparsetrace.numpy_rules.contraction import Factor
from sparsetrace.numpy_rules.square_systems import SquareMatrices
from sparsetrace.operands.operands import contains_traced, ids_of, is_sparse_traced, values_of
from sparsetrace.scipy_rules.linalg.linear_systems import solved
from sparsetrace.scipy_rules.linalg.sparse_iterations import is_operator
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    current,
    harmless,
    made,
    patterns,
    spread,
)
from sparsetrace.scipy_rules.sparse.elements import elements_of_sparse
from sparsetrace.scipy_rules.whole import total_of, whole


def _structure(matrix) -> SquareMatrices:
    """The elements of a matrix that may differ from zero."""
    if not is_sparse_traced(matrix):
        return SquareMatrices.of_sparse(current(), scipy.sparse.coo_array(matrix))
    (rows, columns), elements = elements_of_sparse(matrix).merged().entries()
    return SquareMatrices.of_places(
        Factor.of(current(), elements), rows, columns, np.ones(len(rows), bool), matrix.shape[0]
    )


def _solved(call: Call, matrix, b, values=None) -> Any:
    """The structure of ``matrix^-1 b``."""
    if not scipy.sparse.issparse(matrix):
        matrix = scipy.sparse.csc_array(matrix)
    b = array_of(b)
    if matrix.shape[0] != matrix.shape[1] or matrix.shape[0] != len(b):
        raise ValueError(f"matrix - rhs dimension mismatch ({matrix.shape} - {b.shape})")
    return solved(_structure(matrix), matrix.dtype, b, values)


@harmless("permc_spec", "use_umfpack")  # how it is solved
def spsolve(call, A, b):
    is_sparse = scipy.sparse.issparse(b)
    if not is_sparse or b.shape[1] == 1:
        result = _solved(call, A, b.toarray() if is_sparse else b)
        return result.reshape(-1) if result.ndim == 2 and result.shape[1] == 1 else result
    values = None
    if current().local:
        values = call.original(values_of(A), values_of(b)).toarray()
    kind = A if scipy.sparse.issparse(A) else scipy.sparse.csc_array(A)
    if kind.format != "csr":
        kind = kind.tocsc()
    return kind.__class__(_solved(call, A, b.toarray(), values))


def spsolve_triangular(call, A, b, lower, unit_diagonal):
    if unit_diagonal:
        if not is_sparse_traced(A) and not scipy.sparse.issparse(A):
            A = scipy.sparse.csc_array(A)
        rest = scipy.sparse.triu(A, 1) if lower else scipy.sparse.tril(A, -1)
        if rest.nnz:
            call.refuse("A is not triangular", "Take scipy.sparse.tril(A) or triu(A).")
        diagonal = scipy.sparse.eye_array(A.shape[0])
        A = (scipy.sparse.tril(A, -1) if lower else scipy.sparse.triu(A, 1)) + diagonal
    return _solved(call, A, b)


def _matrix_of(call: Call, operator) -> Any:
    """The matrix that a linear operator stands for, by its products with unit vectors."""
    if may_keep(operator.matvec):
        call.refuse("the operator may keep what it is given", "Hand over the matrix.")
    columns = [np.reshape(operator.matvec(unit), -1) for unit in np.eye(operator.shape[1])]
    return np.stack(columns, axis=1)


def _values_of(matrix) -> Any:
    return np.array(values_of(matrix.toarray() if is_sparse_traced(matrix) else matrix))


def expm_multiply(call, A, B, start, stop, num, endpoint, traceA):
    """``expm(A) B`` leads where a chain of non-zeros does, as ``(1 + |A|)^-1 B``."""
    times = start, stop, num, endpoint
    constant(call, times, "a point in time")
    matrix = _matrix_of(call, A) if is_operator(A) else A
    is_of_constants = not (is_sparse_traced(matrix) or contains_traced(matrix))
    if is_of_constants and not contains_traced(B):
        return call.original(A, B, *times, traceA)
    values = None
    if current().local:
        plain = matrix if is_of_constants else _values_of(matrix)
        values = call.plainly(plain, np.array(values_of(B)), *times, values_of(traceA))
    if is_of_constants:
        a = scipy.sparse.coo_array(matrix)
        data = (a.data != 0) if current().values else np.ones(a.nnz)
        matrix = scipy.sparse.coo_array((data.astype(float), a.coords), shape=a.shape)
    elif not is_sparse_traced(matrix):
        matrix = scipy.sparse.csc_array(matrix)
    system = scipy.sparse.eye_array(matrix.shape[0]) + matrix
    if all(time is None for time in times):
        return _solved(call, system, B, values)
    count = 50 if num is None else int(num)
    steps = [_solved(call, system, B, None if values is None else values[i]) for i in range(count)]
    if not start:
        steps[0] = array_of(B) * 1.0
    return np.stack(steps)


class Factors:
    """A factorization that also solves for traced right-hand sides, or of a traced matrix.

    Parameters
    ----------
    made : SuperLU or None
        SciPy's own, of the values; None where these are not known.
    """

    def __init__(self, call: Call, matrix, made) -> None:
        self._call, self._matrix, self._made = call, matrix, made
        self.shape = matrix.shape

    def __getattr__(self, name: str) -> Any:
        if contains_traced(self._matrix):
            self._call.refuse(
                f"the factors of a matrix with traced data have no rule (.{name})",
                "Use their method solve.",
            )
        return getattr(self._made, name)

    def solve(self, rhs, trans: str = "N") -> Any:
        """As ``SuperLU.solve``."""
        if not contains_traced((rhs, self._matrix)):
            return self._made.solve(rhs, trans)
        matrix = self._matrix if trans == "N" else self._matrix.T
        values = self._made.solve(np.array(values_of(rhs)), trans) if current().local else None
        return _solved(self._call, matrix, rhs, values)


_LARGEST = 2048
"""Of so many equations the inverse of incomplete factors is looked at, which has no zeros else."""


class IncompleteFactors(Factors):
    """Factors that lack some entries: what cancels in exact ones is not zero here."""

    def solve(self, rhs, trans: str = "N") -> Any:
        """As ``SuperLU.solve``."""
        if not contains_traced((rhs, self._matrix)):
            return self._made.solve(rhs, trans)
        rhs, trace = array_of(rhs), current()
        values = self._made.solve(np.array(values_of(rhs)), trans) if trace.local else None
        if contains_traced(self._matrix) or len(rhs) > _LARGEST:
            sample = np.zeros(rhs.shape, rhs.dtype) if values is None else values
            return spread(trace, total_of(self._matrix, rhs), sample)
        result = patterns(self._made.solve(np.eye(len(rhs)), trans)) @ rhs
        return made(trace, ids_of(trace, result), result.dtype, values)


def _plain(matrix) -> Any:
    """The matrix that SciPy may factorize; None if its values are not known."""
    if not contains_traced(matrix):
        return matrix
    return values_of(matrix) if current().local else None


def norm(call, x, ord, axis):
    if x.format == "dia" and axis is None and ord in (None, "f", "fro"):
        return np.linalg.norm(x.data)  # also of what lies outside of the matrix
    return np.linalg.norm(x.toarray(), ord, axis)


def splu(call, A, permc_spec, diag_pivot_thresh, relax, panel_size, options):
    options = (permc_spec, diag_pivot_thresh, relax, panel_size, options)
    plain = _plain(A)
    return Factors(call, A, None if plain is None else call.original(plain, *options))


def spilu(
    call,
    A,
    drop_tol,
    fill_factor,
    drop_rule,
    permc_spec,
    diag_pivot_thresh,
    relax,
    panel_size,
    options,
):
    plain = _plain(A)
    dropped = (drop_tol, fill_factor, drop_rule)
    options = (*dropped, permc_spec, diag_pivot_thresh, relax, panel_size, options)
    return IncompleteFactors(call, A, None if plain is None else call.original(plain, *options))


onenormest = whole


def factorized(call, A):
    plain = _plain(A)
    solve = None if plain is None else call.original(plain)

    def solved(rhs) -> Any:
        if not contains_traced((rhs, A)):
            return solve(rhs)  # type: ignore[misc]
        values = solve(np.array(values_of(rhs))) if solve and current().local else None
        return _solved(call, A, rhs, values)

    return solved
