"""Writes into sparse arrays with traced data.

Contract: SciPy writes positions into the structure, where the elements are written to the
array; so the structure grows as SciPy lets it grow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.scipy_rules.rule_tools import array_of
from sparsetrace.scipy_rules.sparse.classes import become, methods
from sparsetrace.scipy_rules.sparse.elements import (
    ALIGNED,
    SparseElements,
    elements_of_sparse,
    gathered,
    nonzero_among,
    numbered,
    settled,
    traced,
)
from sparsetrace.scipy_rules.sparse.sparse_layout import known_key


def _written(matrix, values, write: Callable[[Any, Any], None]) -> None:
    parts = matrix._parts.merged()
    count = parts.flat.size
    if scipy.sparse.issparse(values):
        given = elements_of_sparse(values).merged()
        new, positions = given.flat, given.positions().tocoo()
        positions.data = np.where(positions.data > 0, positions.data + count, 0.0)
    else:
        values = array_of(values)
        new = values.reshape(-1)
        places = np.arange(count + 1.0, count + 1 + new.size)
        positions = (places * nonzero_among(new)).reshape(values.shape)
    structure = parts.structure.copy()
    before = structure.data if parts.format in ALIGNED else None
    write(structure, positions)
    new = new.astype(parts.dtype)
    if before is not None:  # elements that were there, which others may share
        changed = np.nonzero(before != parts.structure.data)
        if len(changed[0]):
            elements = traced(parts.elements)
            elements[changed] = gathered(np.concatenate([parts.flat, new]), before[changed])
            parts = SparseElements(parts.structure, elements)
        if structure.data is before:
            become(matrix, SparseElements(numbered(structure), parts.elements))
            return
    become(matrix, settled(structure, np.concatenate([parts.flat, new])))


def _changed(matrix, change: Callable[[Any], Any]) -> None:
    """What SciPy does in place to positions."""
    parts = matrix._parts.merged()
    structure = parts.positions()
    change(structure)
    become(matrix, settled(structure, parts.flat))


@methods
class _Writing:
    def __setitem__(self: Any, key, value) -> None:
        key = known_key(key)

        def write(structure, positions) -> None:
            structure[key] = positions

        _written(self, value, write)

    def setdiag(self: Any, values, k: int = 0) -> None:
        def write(structure, positions) -> None:
            structure.setdiag(positions, k)

        _written(self, values, write)

    def sum_duplicates(self: Any) -> None:
        parts = self._parts
        if getattr(parts.structure, "has_canonical_format", True):
            return
        if parts.format not in ("csr", "csc") or parts.repeats:
            become(self, parts.canonical())
            return
        parts.structure.sum_duplicates()  # which sorts, also what shares the data
        parts.elements[:] = gathered(parts.elements, parts.structure.data)
        become(self, SparseElements(numbered(parts.structure), parts.elements))

    def sort_indices(self: Any) -> None:
        _changed(self, lambda structure: structure.sort_indices())

    def sorted_indices(self: Any) -> Any:
        result = self.copy()
        result.sort_indices()
        return result

    def eliminate_zeros(self: Any) -> None:
        become(self, self._parts.merged())
        nonzero = nonzero_among(self._parts.flat).reshape(self._parts.data_shape)

        def change(structure) -> None:
            structure.data = structure.data * nonzero
            structure.eliminate_zeros()

        _changed(self, change)

    def resize(self: Any, *shape) -> None:
        _changed(self, lambda structure: structure.resize(*shape))

    def prune(self: Any) -> None:
        """Nothing: no memory is kept."""

    def _deduped_data(self: Any) -> Any:
        self.sum_duplicates()
        return self._parts.elements
