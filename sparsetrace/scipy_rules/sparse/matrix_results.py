"""`MatrixResult`: what passes for an np.matrix, which methods of ``csr_matrix`` and its kin give.

Contract: it turns into an array (``np.asarray(m)``, ``m.A``, ``m.A1``); operators, which mean
something else for an np.matrix than for an array, are refused by name, but for those here.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from sparsetrace.errors import UnsupportedError, explain

__all__ = ["MatrixResult"]


class MatrixResult:
    """A traced array of two dimensions that SciPy would return as an np.matrix."""

    __slots__ = ("_traced_data",)
    __array_priority__ = 2e6
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array) -> None:
        self._traced_data = array

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What ``isinstance`` is told."""
        return np.matrix

    @property
    def A(self) -> Any:
        return self._traced_data

    @property
    def A1(self) -> Any:
        return self._traced_data.reshape(-1)

    @property
    def T(self) -> Any:
        return MatrixResult(self._traced_data.T)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._traced_data.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        return 2

    @property
    def size(self) -> int:
        return self._traced_data.size  # type: ignore[no-any-return]

    @property
    def dtype(self) -> Any:
        return self._traced_data.dtype

    def __len__(self) -> int:
        return len(self._traced_data)

    def __neg__(self) -> Any:
        return MatrixResult(-self._traced_data)

    def _with_number(self, ufunc: np.ufunc, *operands) -> Any:
        """An operator that means the same for arrays if the other operand is a number."""
        if any(np.ndim(x) for x in operands if x is not self):
            self.refuse()
        return MatrixResult(ufunc(*(x._traced_data if x is self else x for x in operands)))

    def __add__(self, other) -> Any:
        return self._with_number(np.add, self, other)

    __radd__ = __add__

    def __sub__(self, other) -> Any:
        return self._with_number(np.subtract, self, other)

    def __rsub__(self, other) -> Any:
        return self._with_number(np.subtract, other, self)

    def __mul__(self, other) -> Any:
        return self._with_number(np.multiply, self, other)

    __rmul__ = __mul__

    def __truediv__(self, other) -> Any:
        return self._with_number(np.true_divide, self, other)

    def refuse(self, *args, **kwargs) -> NoReturn:
        raise UnsupportedError(
            explain(
                "an operation on an np.matrix",
                "methods of a sparse matrix gave it, and its operators are not those of arrays",
                "Use np.asarray(m), or sparse arrays (csr_array) in place of sparse matrices.",
            )
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(np.matrix, name):
            raise AttributeError(f"'matrix' object has no attribute {name!r}")
        return self.refuse()

    def __array_ufunc__(self, *args, **kwargs) -> NoReturn:
        self.refuse()


_OPERATORS = "matmul pow floordiv mod".split()
_COMPARISONS = "eq ne lt le gt ge getitem setitem iter bool float".split()
for _name in [*_OPERATORS, *(f"r{name}" for name in _OPERATORS), "rtruediv", *_COMPARISONS]:
    setattr(MatrixResult, f"__{_name}__", MatrixResult.refuse)
