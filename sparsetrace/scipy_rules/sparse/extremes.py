"""Greatest and least elements of sparse arrays with traced data, and where they are.

Contract: a place without an entry holds a zero, but with ``explicit``, where it holds nothing.
Results are sparse where SciPy's are; in a global trace they keep entries that may be zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.sparse import sparse_arithmetic as arithmetic
from sparsetrace.scipy_rules.sparse.classes import (
    assembled,
    dense_result,
    methods,
    refuse,
    refuse_dependent,
)
from sparsetrace.scipy_rules.sparse.elements import (
    SparseElements,
    aligned,
    elements_of_sparse,
    nonzero_among,
)
from sparsetrace.scipy_rules.sparse.operators import elementwise, is_number, operand_of

__all__: list[str] = []


# ------------------------------------------------------------------------- of two arrays
def _extremum(matrix, other, ufunc: np.ufunc) -> Any:
    """``A.maximum(B)`` or ``A.minimum(B)``: of another sparse array, a dense one or a number."""
    other = operand_of(other)
    name = f"A.{ufunc.__name__}"
    if other is None:
        refuse(f"{name} of a sparse array and an object", "it has no rule")
    if scipy.sparse.issparse(other):
        pair = elements_of_sparse(matrix), elements_of_sparse(other)
        return assembled(_without_zeros(arithmetic.extremum(*pair, ufunc)))
    dense = arithmetic.as_dense(elements_of_sparse(matrix))
    if not is_number(other):
        return dense_result(matrix, ufunc(dense, other))
    if contains_traced(other):
        refuse_dependent(name, "of which elements it makes entries depends on the inputs")
    if ufunc(0, other):
        return matrix.__class__(ufunc(dense, other))
    if matrix.format not in ("csr", "csc"):
        matrix = matrix.tocsr()
    result = elementwise(matrix, lambda data: ufunc(data, other))
    return assembled(_without_zeros(elements_of_sparse(result)))


def _without_zeros(a: SparseElements) -> SparseElements:
    """The same without elements that are zero, as SciPy drops them there."""
    structure = a.structure.copy()
    structure.data = structure.data * nonzero_among(a.elements)
    structure.eliminate_zeros()
    return aligned(structure, a.flat)


# ------------------------------------------------------------------------- of one
def _axes(matrix, axis) -> tuple[int, ...]:
    """The axes along which to look."""
    given = range(matrix.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return tuple(sorted({range(matrix.ndim)[int(at)] for at in given}))


def _stored(matrix) -> Any:
    """Where a dense array has elements that are stored."""
    structure = elements_of_sparse(matrix).merged().structure.copy()
    structure.data = np.ones_like(structure.data)
    return structure.toarray() != 0


def _extreme(matrix, ufunc: np.ufunc, axis, out, *, explicit: bool) -> Any:
    if out is not None:
        raise ValueError("Sparse min/max does not support an 'out' parameter.")
    dense = arithmetic.as_dense(elements_of_sparse(matrix))
    axes = _axes(matrix, axis)
    if any(not dense.shape[at] for at in axes):
        raise ValueError("zero-size array to reduction operation")
    if explicit:
        stored, worst = _stored(matrix), -np.inf if ufunc in (np.maximum, np.fmax) else np.inf
        values = ufunc.reduce(np.where(stored, dense, worst), axis=axes)
        values = np.where(stored.any(axis=axes), values, 0.0)
    else:
        values = ufunc.reduce(dense, axis=axes)
    if len(axes) == dense.ndim:
        return values[()]
    if isinstance(matrix, scipy.sparse.sparray):
        return scipy.sparse.coo_array(values)
    return scipy.sparse.coo_matrix(values.reshape([1 if at in axes else -1 for at in (0, 1)]))


def _place(matrix, function: Any, worst: float, axis, out, *, explicit: bool) -> Any:
    if out is not None:
        raise ValueError(f"Sparse {function.__name__} does not support an 'out' parameter.")
    elements = elements_of_sparse(matrix)
    axes = _axes(matrix, axis)
    dense = arithmetic.as_dense(elements)
    if 0 in dense.shape:
        raise ValueError(f"Cannot apply {function.__name__} along a zero-sized dimension.")
    if explicit and len(axes) == dense.ndim:  # a place among the elements that are stored
        return function(elements_of_sparse(matrix.tocoo()).canonical().elements)
    if explicit:
        dense = np.where(_stored(matrix), dense, worst)
    if len(axes) == dense.ndim:
        return function(dense)
    if len(axes) > 1:
        refuse(f"A.{function.__name__}(axis)", "several axes have no rule")
    places = function(dense, axis=axes[0])
    if isinstance(matrix, scipy.sparse.sparray):
        return places
    return dense_result(matrix, places[None] if axes == (0,) else places[:, None])


@methods
class _Extremes:
    def maximum(self: Any, other) -> Any:
        return _extremum(self, other, np.maximum)

    def minimum(self: Any, other) -> Any:
        return _extremum(self, other, np.minimum)

    def max(self: Any, axis=None, out=None, *, explicit=False) -> Any:
        return _extreme(self, np.maximum, axis, out, explicit=explicit)

    def min(self: Any, axis=None, out=None, *, explicit=False) -> Any:
        return _extreme(self, np.minimum, axis, out, explicit=explicit)

    def nanmax(self: Any, axis=None, out=None, *, explicit=False) -> Any:
        return _extreme(self, np.fmax, axis, out, explicit=explicit)

    def nanmin(self: Any, axis=None, out=None, *, explicit=False) -> Any:
        return _extreme(self, np.fmin, axis, out, explicit=explicit)

    def argmax(self: Any, axis=None, out=None, *, explicit=False) -> Any:
        return _place(self, np.argmax, -np.inf, axis, out, explicit=explicit)

    def argmin(self: Any, axis=None, out=None, *, explicit=False) -> Any:
        return _place(self, np.argmin, np.inf, axis, out, explicit=explicit)
