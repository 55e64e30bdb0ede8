"""What sparse arrays with traced data say of themselves, and elements moved and summed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np
import scipy.sparse

from sparsetrace.arrays.matrices import TracedMatrix
from sparsetrace.operands.operands import is_sparse_traced
from sparsetrace.scipy_rules.rule_tools import array_of
from sparsetrace.scipy_rules.sparse import sparse_arithmetic as arithmetic
from sparsetrace.scipy_rules.sparse.classes import (
    assembled,
    become,
    dense_result,
    known,
    methods,
    moved,
    refuse,
    refuse_dependent,
    values_at_point,
)
from sparsetrace.scipy_rules.sparse.elements import ALIGNED, SparseElements
from sparsetrace.scipy_rules.sparse.operators import elementwise, scaled

__all__ = ["known_key"]


class _NotDense:
    """What NumPy finds where it takes a sparse array for an array."""

    _remedy = "NumPy takes a sparse array for one object: use A.toarray()."

    def __init__(self: Any, matrix) -> None:
        self._matrix = matrix
        self._shown_type = matrix.__class__

    @property
    def _values(self: Any) -> Any:
        return values_at_point(self._matrix)


def known_key(key) -> Any:
    """An index of a sparse array, of constants."""
    return known(key, "an index of a sparse array", "it depends on the inputs")


def _refuse_target(call: str, out) -> None:
    if out is not None:
        refuse(f"A.{call}(out=)", "the target has no rule", "Leave out= away.")


@methods
class _Description:
    __hash__ = None  # type: ignore[assignment]

    @property
    def _traced_data(self: Any) -> Any:
        return _NotDense(self)

    def _at_point(self: Any) -> Any:
        return values_at_point(self)

    @property
    def shape(self: Any) -> Any:
        return self._parts.shape

    @shape.setter
    def shape(self: Any, shape) -> None:
        become(self, self._parts.moved(lambda structure: structure.reshape(shape)))

    @property
    def ndim(self: Any) -> int:
        return len(self._parts.shape)

    @property
    def dtype(self: Any) -> Any:
        return self._parts.dtype

    @property
    def nnz(self: Any) -> int:
        return self._parts.structure.nnz  # type: ignore[no-any-return]

    size = nnz

    @property
    def data(self: Any) -> Any:
        if self._parts.format not in ALIGNED:
            refuse(f"A.data of the format {self._parts.format}", "it is no array of numbers")
        return self._parts.elements

    @data.setter
    def data(self: Any, value) -> None:
        value = array_of(value)
        if self._parts.format not in ALIGNED or value.shape != self._parts.data_shape:
            refuse("A.data =", "the new array has another shape", "Make a new sparse array.")
        become(self, SparseElements(self._parts.structure, value))

    def getnnz(self: Any, axis=None) -> Any:
        return self._parts.structure.getnnz(axis)

    def _getnnz(self: Any, axis=None) -> Any:
        return self._parts.structure._getnnz(axis)

    def getformat(self: Any) -> str:
        return self._parts.format  # type: ignore[no-any-return]

    def get_shape(self: Any) -> Any:
        return self._parts.shape

    def check_format(self: Any, full_check: bool = True) -> None:
        self._parts.structure.check_format(full_check)

    def __repr__(self: Any) -> str:
        shape = " x ".join(map(str, self.shape))
        return f"<traced {self.__class__.__name__} {shape}, {self.nnz} stored elements>"

    __str__ = __repr__

    # ------------------------------------------------------------------ refused
    def __bool__(self: Any) -> bool:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. "
            "Use a.any() or a.all()."
        )

    def __len__(self: Any) -> int:
        raise TypeError("sparse array length is ambiguous; use getnnz() or shape[0]")

    def __reduce_ex__(self: Any, protocol) -> NoReturn:
        refuse("pickle of a sparse array", "it would need the values", "Pickle constants.")

    def nonzero(self: Any) -> NoReturn:
        refuse_dependent(
            "A.nonzero()",
            "which elements differ from zero depends on the inputs",
            "Use A.tocoo().coords, the places of the entries.",
        )

    def count_nonzero(self: Any, axis=None) -> NoReturn:
        refuse_dependent(
            "A.count_nonzero()",
            "how many elements differ from zero depends on the inputs",
            "Use A.nnz, the number of entries.",
        )


def _converter(name: str) -> Callable[..., Any]:
    """``A.tocsr(copy=...)`` and its kin, which may give the array itself, or share its data."""

    def convert(self: Any, *args, **options) -> Any:
        if name in ("asformat", f"to{self._parts.format}"):
            structure = self._parts.structure.copy()
            if getattr(structure, name)(*args, **options) is structure:
                return self
        return assembled(self._parts.converted(lambda s: getattr(s, name)(*args, **options)))

    return convert


_NAMES = "asformat tocsr tocsc tocoo todia tolil todok tobsr".split()
methods(type("_Formats", (), {name: _converter(name) for name in _NAMES}))


@methods
class _Layout:
    def toarray(self: Any, order=None, out=None) -> Any:
        _refuse_target("toarray", out)
        return arithmetic.as_dense(self._parts)

    def todense(self: Any, order=None, out=None) -> Any:
        return dense_result(self, self.toarray(order, out))

    @property
    def A(self: Any) -> Any:
        return self.toarray()

    def copy(self: Any) -> Any:
        parts = self._parts
        return assembled(SparseElements(parts.structure.copy(), parts.elements.copy()))

    def __copy__(self: Any) -> Any:
        return assembled(self._parts)

    def __deepcopy__(self: Any, memo) -> Any:
        return self.copy()

    def transpose(self: Any, axes=None, copy: bool = False) -> Any:
        return moved(self, lambda structure: structure.transpose(axes, copy=copy), merge=False)

    @property
    def T(self: Any) -> Any:
        return self.transpose()

    @property
    def mT(self: Any) -> Any:
        """Since SciPy 1.18."""
        if self.ndim < 2:
            raise ValueError(f"Array must be at least 2-dimensional, but it is {self.ndim}-D")
        return self.transpose()

    def getH(self: Any) -> Any:
        return self.transpose().conj()

    def reshape(self: Any, *shape, **options) -> Any:
        return moved(self, lambda structure: structure.reshape(*shape, **options))

    def diagonal(self: Any, k: int = 0) -> Any:
        return moved(self, lambda structure: structure.diagonal(k))

    def getrow(self: Any, i) -> Any:
        return moved(self, lambda structure: structure.getrow(i))

    def getcol(self: Any, j) -> Any:
        return moved(self, lambda structure: structure.getcol(j))

    def _getrow(self: Any, i) -> Any:
        return moved(self, lambda structure: structure._getrow(i))

    def _getcol(self: Any, j) -> Any:
        return moved(self, lambda structure: structure._getcol(j))

    def __getitem__(self: Any, key) -> Any:
        key = known_key(key)
        if not is_sparse_traced(self):  # which the key alone has brought here
            return self[key]
        result = moved(self, lambda structure: structure[key])
        return dense_result(self, result) if isinstance(result, np.ndarray) else result

    def __iter__(self: Any) -> Iterator[Any]:
        return (self[i] for i in range(self.shape[0]))

    # ------------------------------------------------------------------ elements computed
    def conjugate(self: Any, copy: bool = True) -> Any:
        if self.dtype.kind != "c":
            return self.copy() if copy else self
        return elementwise(self, np.conjugate, merge=False)

    conj = conjugate

    @property
    def real(self: Any) -> Any:
        return elementwise(self, lambda data: data.real.copy(), merge=False)

    @property
    def imag(self: Any) -> Any:
        return elementwise(self, lambda data: data.imag.copy(), merge=False)

    def astype(self: Any, dtype, casting="unsafe", copy: bool = True) -> Any:
        if np.dtype(dtype) == self.dtype:
            return self.copy() if copy else self
        result = elementwise(self, lambda data: data.astype(dtype, casting=casting), merge=False)
        if hasattr(result, "sum_duplicates"):
            result.sum_duplicates()
        return result.asformat(self.format)

    def asfptype(self: Any) -> Any:
        return self

    def __round__(self: Any, ndigits: int = 0) -> Any:
        return elementwise(self, lambda data: np.around(data, ndigits))

    # ------------------------------------------------------------------ sums
    def trace(self: Any, offset: int = 0) -> Any:
        return self.diagonal(offset).sum()

    def sum(self: Any, axis=None, dtype=None, out=None) -> Any:
        _refuse_target("sum", out)
        axes = _axes(self, axis)
        if len(axes) == self.ndim:
            total = self._parts.entries()[1].sum()
        elif self.ndim == 2:
            total = arithmetic.sums(self._parts, *axes)
        else:
            total = self.toarray().sum(axis=axes)
        if dtype is not None:
            total = total.astype(dtype)
        if not np.ndim(total) or isinstance(self, scipy.sparse.sparray):
            return total
        return TracedMatrix(total[None] if axes == (0,) else total[:, None])

    def mean(self: Any, axis=None, dtype=None, out=None) -> Any:
        count = np.prod([self.shape[at] for at in _axes(self, axis)])
        return scaled(self, 1.0 / count).sum(axis, dtype, out)


def _axes(matrix, axis) -> tuple[int, ...]:
    """The axes that are summed over."""
    if axis is None:
        return tuple(range(matrix.ndim))
    axes = {int(at) % matrix.ndim for at in (axis if isinstance(axis, tuple) else (axis,))}
    return tuple(sorted(axes))
