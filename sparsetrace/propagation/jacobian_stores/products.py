"""Unions of CSR rows of nodes as a product of Boolean matrices, which SciPy has compiled.

Contract: the same rows as `tables.unite` gives, sorted and distinct.  One matrix has the nodes
of each row, the other the pattern of each node; their product is the union.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, Ids
from sparsetrace.propagation.jacobian_stores.expand import MOST_COPIED, expand, on_top
from sparsetrace.propagation.jacobian_stores.tables import CsrArrays, Table, Tables

__all__ = ["NodeRows", "node_rows", "product", "united_inputs"]

_FEWEST_NODES = 2048
"""From so many nodes on SciPy's checks cost less than they save."""
_UNUSED = 4
"""So many rows and entries are written at the most for each one that is asked for."""
_SHORT_ROWS = 32
"""Rows of so many entries are sorted one by one; longer ones by transposing them twice."""
_FEW_BOUNDS = 16
_COLUMNS_PER_ENTRY = 8
"""SciPy takes some bytes for each column, whether it has an entry or not."""


@dataclass(slots=True)
class NodeRows:
    """A matrix that has the pattern of each of some nodes; its entries are not written yet.

    Attributes
    ----------
    n : int
        Columns.
    rows : ndarray of int32
        The row of each node.
    counts : ndarray of int64
        How many entries each node has.
    indptr : ndarray of int64
        Where the entries of each row begin, and the end.
    parts : list of Table or range
        Where the entries are, in order: a range is one of inputs.
    """

    n: int
    rows: Ids
    counts: NDArray[np.int64]
    indptr: NDArray[np.int64]
    parts: list[Table | range]

    def matrix(self) -> csr_array:
        """The entries written out."""
        values = [_values(part) for part in self.parts]
        indices = values[0] if len(values) == 1 else np.concatenate(values)
        return _boolean(self.indptr, indices, self.n)


def node_rows(tables: Tables, nodes: Ids) -> NodeRows | None:
    """The patterns of nodes as rows of a matrix; None where a product would not pay."""
    if not len(nodes) or len(nodes) < _FEWEST_NODES:
        return None
    # what a node lies in: 0 constants, 1 inputs, from 2 on the tables
    bounds = np.concatenate([[FIRST_INPUT], tables.bases])
    at = _reached(bounds, nodes)
    touched = np.flatnonzero(np.bincount(at)).tolist()
    shifts = np.zeros(len(bounds) + 1, np.int32)
    parts: list[Table | range] = []
    bounds_of_rows: list[NDArray[np.int64]] = []
    start = 0
    for p in touched:
        part: Table | range = range(0)
        if p == 0:  # one row for all constants, and it is empty
            base, indptr = OPAQUE, np.zeros(2, np.int64)
        elif p == 1:
            base = FIRST_INPUT if touched[0] == 0 else int(nodes.min())
            end = min(int(nodes.max()) + 1, tables.first_node)
            part = range(base - FIRST_INPUT, end - FIRST_INPUT)
            indptr = np.arange(len(part) + 1)
        else:
            part = tables.made(p - 2)
            base, indptr = part.base, part.indptr
            if part.starts is not None:
                lengths = np.diff(part.starts, append=part.size)
                indptr = _cumulated(np.repeat(np.diff(indptr), lengths))
        shifts[p] = start - base
        start += len(indptr) - 1
        parts.append(part)
        bounds_of_rows.append(indptr)
    if touched[0] == 0:
        nodes = np.maximum(nodes, np.int32(OPAQUE))
    rows = nodes + (shifts[touched[0]] if len(touched) == 1 else shifts[at])
    indptr = on_top(bounds_of_rows)
    counts = np.diff(indptr)[rows]
    written, wanted = len(indptr) + int(indptr[-1]), len(nodes) + int(counts.sum())
    if written > _UNUSED * wanted or tables.n > _COLUMNS_PER_ENTRY * wanted:
        return None
    return NodeRows(tables.n, rows, counts, indptr, parts)


def _reached(bounds: NDArray[np.int64], nodes: Ids) -> NDArray[np.integer]:
    """How many of the bounds each node has reached."""
    if len(bounds) > _FEW_BOUNDS:
        return np.searchsorted(bounds.astype(np.int32), nodes, side="right")
    at = np.zeros(len(nodes), np.int8)
    for bound in bounds.tolist():
        at += nodes >= bound
    return at


def _cumulated(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    indptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    return indptr


def _values(part: Table | range) -> Ids:
    if isinstance(part, range):
        return np.arange(part.start, part.stop, dtype=np.int32)
    if part.starts is None:
        return part.values
    lengths = np.diff(part.starts, append=part.size)
    return expand(part.indptr, part.values, part.steps, lengths)[1]


def _boolean(indptr: NDArray[np.int64], indices: Ids, width: int) -> csr_array:
    narrow = len(indices) <= MOST_COPIED  # SciPy wants both of one type
    bounds = indptr.astype(np.int32) if narrow else indptr
    return csr_array((np.ones(len(indices), bool), indices, bounds), (len(indptr) - 1, width))


def product(indptr: NDArray[np.int64], nodes: NodeRows) -> CsrArrays:
    """The union of each CSR row of nodes.

    Examples
    --------
    >>> table = Table(5, 2, np.array([0, 2, 3]), np.array([0, 2, 1], np.int32))
    >>> rows, counts = np.array([1, 0, 1], np.int32), np.array([1, 2, 1])
    >>> nodes = NodeRows(3, rows, counts, table.indptr, [table])
    >>> bounds, values = product(np.array([0, 2, 3]), nodes)
    >>> bounds.tolist(), values.tolist()
    ([0, 3, 4], [0, 1, 2, 1])
    """
    patterns, rows = nodes.matrix(), nodes.rows
    alone = len(rows) == len(indptr) - 1 and (indptr[1:] - indptr[:-1] == 1).all()
    if alone and int(nodes.counts.sum()) <= MOST_COPIED:
        return _arrays(patterns[rows])
    return _arrays(_sorted(_boolean(indptr, rows, patterns.shape[0]) @ patterns))


def united_inputs(indptr: NDArray[np.int64], inputs: Ids, n: int) -> CsrArrays | None:
    """CSR rows of columns, sorted and distinct; None where it would not pay."""
    if len(inputs) < _FEWEST_NODES or n > _COLUMNS_PER_ENTRY * len(inputs):
        return None
    result = _sorted(_boolean(indptr, inputs, n))
    result.sum_duplicates()
    return _arrays(result)


def _sorted(matrix: csr_array) -> csr_array:
    """The same matrix, the entries of each row in order."""
    if matrix.nnz > _SHORT_ROWS * matrix.shape[0]:
        return matrix.tocsc().tocsr()
    matrix.sort_indices()
    return matrix


def _arrays(matrix: csr_array) -> CsrArrays:
    indptr = matrix.indptr.astype(np.int64, copy=False)
    return indptr, matrix.indices.astype(np.int32, copy=False)
