"""Sums and products of sparse arrays whose elements may be traced.

Contract: operands are constant or traced, sparse or dense.  Which entries a result has is what
SciPy itself makes of ones in place of the elements; what they are is computed by elementwise
products and by sums of the elements that meet in an entry.  So a result depends on what the
same computation with dense arrays depends on, given the zeros of the structure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.scipy_rules.sparse.elements import (
    SparseElements,
    Term,
    aligned,
    elements_of_sparse,
    gathered,
    numbered,
    placed,
    summed_into,
)

__all__ = [
    "added",
    "as_dense",
    "dense_product",
    "extremum",
    "kronecker",
    "multiplied",
    "sparse_product",
    "sums",
]


def as_dense(a: SparseElements) -> Any:
    """``A.toarray()``."""
    return a.moved(lambda structure: structure.toarray())


def added(a: SparseElements, b: SparseElements, *, minus: bool = False) -> SparseElements:
    """``A + B``, or ``A - B``."""
    first, second = a.term(), b.term()
    if minus:
        second = Term(second.places, -second.elements)
    result = a.ones() + b.ones()
    return placed(result, [first, second])


def extremum(a: SparseElements, b: SparseElements, ufunc: Callable[..., Any]) -> SparseElements:
    """``A.maximum(B)`` or ``A.minimum(B)``."""
    kind = a.format if a.format in ("csr", "csc") else "csr"
    result = a.ones().asformat(kind) + b.ones().asformat(kind)
    x, y = (placed(result, [operand.term()]) for operand in (a, b))
    return SparseElements(x.structure, ufunc(x.elements, y.elements))


def multiplied(a: SparseElements, other) -> Any:
    """``A.multiply(B)`` for a sparse or a dense operand, with broadcasting."""
    a = a.merged()
    if not scipy.sparse.issparse(other):
        return _multiplied_by_dense(a, other)
    b = elements_of_sparse(other).merged()
    return _bilinear(a, b, lambda x, y: x.multiply(y))


def _multiplied_by_dense(a: SparseElements, other) -> Any:
    result = a.positions().multiply(np.ones(other.shape))
    if not scipy.sparse.issparse(result):
        return gathered(a.flat, result) * other
    entries = result.tocoo()
    factors = np.broadcast_to(other, result.shape)[entries.coords]
    product = gathered(a.flat, entries.data) * factors
    return aligned(numbered(entries).asformat(result.format), product)


def kronecker(
    a: SparseElements, b: SparseElements, kron: Callable[[Any, Any], Any]
) -> SparseElements:
    """``kron(A, B)``, by SciPy's function."""
    return _bilinear(a.merged(), b.merged(), kron)


def _bilinear(
    a: SparseElements, b: SparseElements, product: Callable[[Any, Any], Any]
) -> SparseElements:
    """A product of which each entry is one element of A times one of B.

    Positions of the one beside ones of the other are positions in the result.
    """
    ones = a.ones(), b.ones()
    places = product(*ones)
    from_a, from_b = product(a.positions(), ones[1]), product(ones[0], b.positions())
    elements = gathered(a.flat, from_a.data) * gathered(b.flat, from_b.data)
    return SparseElements(numbered(places), elements)


def sparse_product(a: SparseElements, b: SparseElements) -> SparseElements:
    """``A @ B`` of two sparse arrays."""
    result = a.ones() @ b.ones()
    (rows, inner), x = a.entries()
    (inner_b, columns), y = b.entries()
    order = np.argsort(inner_b, kind="stable")
    start = np.searchsorted(inner_b, np.arange(a.shape[1] + 1), sorter=order)
    counts = (start[1:] - start[:-1])[inner]  # how many elements of B each element of A meets
    left = np.repeat(np.arange(len(inner)), counts)
    within = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
    right = order[start[inner][left] + within]
    places = rows[left].astype(np.int64) * b.shape[1] + columns[right]
    return placed(result, [Term(places, x[left] * y[right])])


def dense_product(a: SparseElements, other) -> Any:
    """``A @ x`` for a dense vector or matrix."""
    if other.ndim not in (1, 2):
        raise ValueError("could not interpret dimensions")
    if len(other) != a.shape[1]:
        raise ValueError(
            f"matmul: dimension mismatch with signature (n,k={a.shape[1]}),"
            f"(k={other.shape[0]},m)->(n,m)"
        )
    (rows, columns), elements = a.entries()
    if other.ndim == 2:
        elements = elements[:, None]
    result = summed_into(rows, a.shape[0], elements * other[columns])
    if a.shape[0] == 1:  # of which some formats give a number
        return result.reshape((a.structure.copy() @ np.ones(other.shape)).shape)[()]
    return result


def sums(a: SparseElements, axis: int) -> Any:
    """The sums along an axis of two."""
    coords, elements = a.entries()
    return summed_into(coords[1 - axis], a.shape[1 - axis], elements)
