"""Operators of sparse arrays, of which either operand may be constant.

Contract: the functions take any sparse array as the first operand, so that constant ones are
answered as traced ones are; ``*`` is the product of matrices for csr_matrix and its kin.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.arrays.matrices import TracedMatrix, matrix_over
from sparsetrace.dispatch.sparse_operators import reflected
from sparsetrace.operands.operands import (
    check_operators,
    contains_traced,
    is_sparse_traced,
    is_traced,
    values_of,
)
from sparsetrace.scipy_rules.rule_tools import array_of
from sparsetrace.scipy_rules.sparse import sparse_arithmetic as arithmetic
from sparsetrace.scipy_rules.sparse.classes import (
    assembled,
    dense_result,
    methods,
    refuse,
    refuse_dependent,
    values_at_point,
)
from sparsetrace.scipy_rules.sparse.elements import ALIGNED, elements_of_sparse

__all__ = ["elementwise", "is_number", "operand_of", "scaled"]


def is_number(x) -> bool:
    """Whether an operand is one number."""
    if isinstance(x, np.ndarray):
        return not x.ndim
    return is_traced(x) or np.isscalar(x)


def operand_of(x) -> Any:
    """A sparse array, a number or a dense array; None for anything else."""
    if scipy.sparse.issparse(x) or is_number(x):
        return x
    if isinstance(x, np.ma.MaskedArray):
        refuse("an operation of a sparse and a masked array", "what becomes of the mask is unknown")
    check_operators(x)
    return array_of(x) if isinstance(x, (np.ndarray, list, tuple)) else None


def scaled(matrix, number) -> Any:
    """``A * number``."""
    return assembled(elements_of_sparse(matrix).computed(lambda data: data * number))


def elementwise(matrix, compute: Callable[[Any], Any], *, merge: bool = True) -> Any:
    """A function of each element, which is zero at zero.

    SciPy merges and sorts the elements of the operand first, in place; formats without an array
    of elements are converted.
    """
    if matrix.format not in ALIGNED:
        matrix = matrix.tocsr()
    if merge and hasattr(matrix, "sum_duplicates"):
        matrix.sum_duplicates()
    return assembled(elements_of_sparse(matrix).computed(compute))


def _negative(matrix) -> Any:
    if matrix.format == "dok":
        return scaled(matrix, -1)
    return elementwise(matrix, lambda data: -data, merge=False)


def _sum(matrix, other, *, minus: bool = False, swapped: bool = False) -> Any:
    """``A + other``, ``A - other`` or, if swapped, ``other - A``."""
    if type(other) is TracedMatrix:
        result = _sum(matrix, other.A, minus=minus, swapped=swapped)
        return matrix_over(np.asarray(result))
    other = operand_of(other)
    if other is None:
        return NotImplemented
    a = elements_of_sparse(matrix)
    if is_number(other):
        if is_traced(other) or other != 0:
            refuse("a sparse array and a number", "SciPy adds no number but zero to one")
        return _negative(matrix) if swapped else assembled(a.moved(lambda s: s.copy()))
    if scipy.sparse.issparse(other):
        if other.shape != matrix.shape:
            raise ValueError("inconsistent shapes")
        b = elements_of_sparse(other)
        pair = (b, a) if swapped else (a, b)
        return assembled(arithmetic.added(*pair, minus=minus))
    dense = arithmetic.as_dense(a)
    other = np.broadcast_to(other, matrix.shape)
    return dense_result(
        matrix, other - dense if swapped else dense - other if minus else dense + other
    )


def _product(matrix, other, *, swapped: bool = False) -> Any:
    """``A @ other``, or ``other @ A``."""
    if type(other) is TracedMatrix:
        return matrix_over(_product(matrix, other.A, swapped=swapped))
    other = operand_of(other)
    if other is None:
        return NotImplemented
    if is_number(other):
        return scaled(matrix, other)
    if not (is_sparse_traced(matrix) or scipy.sparse.issparse(other)):
        return other @ matrix if swapped else matrix @ other
    a = elements_of_sparse(matrix)
    if matrix.ndim != 2 or (scipy.sparse.issparse(other) and other.ndim != 2):
        return _product_of_vectors(matrix, other, swapped=swapped)
    if swapped:
        a = a.moved(lambda structure: structure.T, merge=False)
        other = other.T
    if scipy.sparse.issparse(other):
        if other.shape[0] != a.shape[1]:
            raise ValueError("matmul: dimension mismatch")
        result = assembled(arithmetic.sparse_product(a, elements_of_sparse(other)))
    else:
        result = arithmetic.dense_product(a, other)
    return result.T if swapped else result


def _product_of_vectors(matrix, other, *, swapped: bool) -> Any:
    """With a sparse array of one dimension, which is computed as a dense one."""
    dense = arithmetic.as_dense(elements_of_sparse(matrix))
    if scipy.sparse.issparse(other):
        if other.ndim != 1 or matrix.ndim != 1:
            refuse("A @ B of sparse arrays of one dimension", "this product has no rule")
        other = arithmetic.as_dense(elements_of_sparse(other))
    return other @ dense if swapped else dense @ other


def _multiply(matrix, other) -> Any:
    """Element by element."""
    other = operand_of(other)
    if other is None:
        return NotImplemented
    if is_number(other):
        return scaled(matrix, other)
    return assembled(arithmetic.multiplied(elements_of_sparse(matrix), other))


@methods
class _Operators:
    def __add__(self: Any, other) -> Any:
        return _sum(self, other)

    __radd__ = __add__

    def __sub__(self: Any, other) -> Any:
        return _sum(self, other, minus=True)

    def __rsub__(self: Any, other) -> Any:
        return _sum(self, other, minus=True, swapped=True)

    def __matmul__(self: Any, other) -> Any:
        if is_number(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return _product(self, other)

    def __rmatmul__(self: Any, other) -> Any:
        if is_number(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return _product(self, other, swapped=True)

    def __mul__(self: Any, other) -> Any:
        elementwise = isinstance(self, scipy.sparse.sparray)
        return _multiply(self, other) if elementwise else _product(self, other)

    def __rmul__(self: Any, other) -> Any:
        elementwise = isinstance(self, scipy.sparse.sparray)
        return _multiply(self, other) if elementwise else _product(self, other, swapped=True)

    def multiply(self: Any, other) -> Any:
        return _multiply(self, other)

    def dot(self: Any, other) -> Any:
        return _product(self, other)

    def __truediv__(self: Any, other) -> Any:
        other = operand_of(other)
        if other is None:
            return NotImplemented
        if scipy.sparse.issparse(other):
            refuse(
                "A / B of two sparse arrays",
                "where B has no entry it is 0 / 0",
                "Divide the data, or use A.multiply(B.power(-1)).",
            )
        return scaled(self, 1 / other) if is_number(other) else _multiply(self, 1 / other)

    def __rtruediv__(self: Any, other) -> Any:
        return NotImplemented

    def __neg__(self: Any) -> Any:
        return _negative(self)

    def power(self: Any, n, dtype=None) -> Any:
        if not contains_traced(n) and (not np.isscalar(n) or not n):
            raise NotImplementedError("zero power is not supported as it would densify the matrix")
        return elementwise(self, lambda data: (data if dtype is None else data.astype(dtype)) ** n)

    def __pow__(self: Any, power) -> Any:
        if isinstance(self, scipy.sparse.sparray):
            return self.power(power)
        if contains_traced(power) or power != int(power) or power < 1:
            refuse("A ** n of a sparse matrix", "n must be a whole number above 0")
        result = self
        for _ in range(int(power) - 1):
            result = result @ self
        return result

    # ------------------------------------------------------------------ in place
    def __imul__(self: Any, other) -> Any:
        if not is_number(other):
            return NotImplemented
        elements = self._parts.elements
        elements *= other
        return self

    def __itruediv__(self: Any, other) -> Any:
        if not is_number(other):
            return NotImplemented
        self *= 1.0 / other
        return self

    def __iadd__(self: Any, other) -> Any:
        if self.format != "lil":  # the others give a new array
            return NotImplemented
        self[:, :] = self + other
        return self

    def __isub__(self: Any, other) -> Any:
        if self.format != "lil":
            return NotImplemented
        self[:, :] = self - other
        return self

    # ------------------------------------------------------------------ ufuncs
    def __array_ufunc__(self: Any, ufunc: np.ufunc, method: str, *inputs, **kwargs) -> Any:
        if method != "__call__" or kwargs or len(inputs) != 1 or ufunc is np.square:
            return reflected(ufunc, method, inputs, kwargs, sys._getframe(1))
        if ufunc not in _UNARY:
            refuse(f"np.{ufunc.__name__} of a sparse array", "SciPy has no such method")
        return _UNARY[ufunc](self)


_FIXED = (
    "sin tan arcsin arctan sinh tanh arcsinh arctanh rint sign expm1 log1p deg2rad rad2deg floor "
    "ceil trunc sqrt"
).split()
"""Functions that are zero at zero, which are methods of sparse arrays too."""


def _elementwise(ufunc) -> Any:
    def method(self: Any) -> Any:
        return elementwise(self, ufunc)

    return method


_UNARY: dict[Any, Any] = {getattr(np, name): _elementwise(getattr(np, name)) for name in _FIXED}
_UNARY[np.negative] = _negative
_UNARY[np.absolute] = _elementwise(abs)
_UNARY[np.conjugate] = _elementwise(np.conjugate)
methods(type("_Ufuncs", (), {name: _UNARY[getattr(np, name)] for name in _FIXED}))
methods(type("_Absolute", (), {"__abs__": _UNARY[np.absolute]}))


# ------------------------------------------------------------------------- comparisons
def _compared(matrix, other, compare: Callable[[Any, Any], Any]) -> Any:
    """At a point, what SciPy gives for the values; it keeps no element that is False."""
    other = operand_of(other)
    if other is None:
        return NotImplemented
    pair = [matrix, other]
    for at, operand in enumerate(pair):
        if not contains_traced(operand):
            continue
        elements = operand._parts.elements if is_sparse_traced(operand) else operand
        if is_traced(compare(elements, 0)):
            refuse_dependent(
                "a comparison of a sparse array",
                "how many elements are True depends on the inputs",
                "Compare A.data, or A.toarray().",
            )
        sparse = is_sparse_traced(operand)
        pair[at] = values_at_point(operand) if sparse else values_of(operand)
    return compare(*pair)


def _comparing(name: str) -> Callable[..., Any]:
    return lambda self, other: _compared(self, other, getattr(operator, name))


_COMPARISONS = "__lt__ __le__ __gt__ __ge__ __eq__ __ne__".split()
methods(type("_Comparisons", (), {name: _comparing(name) for name in _COMPARISONS}))
