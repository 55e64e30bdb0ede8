"""What is asked of every pattern, whether its entries are written out or not: counts and rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Counts"]


class Counts:
    """Counts and rows of a pattern in compressed sparse rows."""

    indices: NDArray[Any]
    indptr: NDArray[Any]
    nnz: int
    shape: tuple[int, int]

    @property
    def density(self) -> float:
        """The share of the elements that are entries; 0 if there are no elements.

        Examples
        --------
        >>> from sparsetrace import SparsityPattern
        >>> SparsityPattern([[1, 0], [0, 0]]).density
        0.25
        """
        rows, columns = self.shape
        return self.nnz / (rows * columns) if rows and columns else 0.0

    @property
    def is_dense(self) -> bool:
        """Whether every element is an entry.

        Examples
        --------
        >>> from sparsetrace import SparsityPattern
        >>> SparsityPattern([[1, 0], [1, 1]]).is_dense, SparsityPattern([[1, 1]]).is_dense
        (False, True)
        """
        return self.nnz == self.shape[0] * self.shape[1]

    def row(self, i: int) -> NDArray[Any]:
        """The columns of a row's entries, in order; negative rows count from the end.

        Raises
        ------
        IndexError
            If there is no such row.

        Examples
        --------
        >>> from sparsetrace import SparsityPattern
        >>> SparsityPattern([[1, 0, 1], [0, 1, 0]]).row(0).tolist()
        [0, 2]
        """
        i = self._checked_row(i)
        return self.indices[self.indptr[i] : self.indptr[i + 1]].copy()

    def row_counts(self) -> NDArray[np.int64]:
        """How many entries each row has.

        Examples
        --------
        >>> from sparsetrace import SparsityPattern
        >>> SparsityPattern([[1, 0, 1], [0, 1, 0]]).row_counts().tolist()
        [2, 1]
        """
        return np.diff(self.indptr).astype(np.int64)

    def column_counts(self) -> NDArray[np.int64]:
        """How many entries each column has.

        Examples
        --------
        >>> from sparsetrace import SparsityPattern
        >>> SparsityPattern([[1, 0, 1], [1, 1, 0]]).column_counts().tolist()
        [2, 1, 1]
        """
        return np.bincount(self.indices, minlength=self.shape[1])

    def _checked_row(self, i: int) -> int:
        m = self.shape[0]
        if not -m <= i < m:
            raise IndexError(f"row {i} of {m}")
        return int(i) % m
