"""From the graph to the patterns of outputs, for the nodes that an output needs and no others.

Contract: the graph is simplified (`sparsetrace.passes`), a store solves the program, and the
answer is the same whichever store it is.  A pattern of more entries than are wanted is given as
`IntervalRows`, which share rows and hold stretches of columns, whichever store it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from sparsetrace.errors import InputError
from sparsetrace.graph.graph import Graph, Ids
from sparsetrace.passes.simplify import Program, simplify
from sparsetrace.propagation import joint_inputs
from sparsetrace.propagation.executors import first_order_by_parts, worth_it
from sparsetrace.propagation.jacobian_stores import (
    STORES,
    Pattern,
    adaptive,
    intervals,
    stretches,
)
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows, compared
from sparsetrace.propagation.jacobian_stores.roaring import bitmaps
from sparsetrace.propagation.jacobian_stores.sizes import (
    MOST_ENTRIES,
    TooManyEntries,
    at_most,
    explained_memory,
    fits,
    too_ragged,
)
from sparsetrace.propagation.small import small_program

__all__ = ["first_order", "fitting", "index_sets", "narrow", "propagate", "united"]


def propagate(
    graph: Graph,
    outputs: Ids,
    store: str = "auto",
    most: float = MOST_ENTRIES,
    executor: Any = None,
) -> Pattern | IntervalRows:
    """Patterns of `outputs` (one dimension) as CSR index arrays, by the store named.

    A pattern of more than `most` entries comes as `IntervalRows`.  An executor does what takes
    longer than to be shipped.

    Examples
    --------
    >>> g = Graph(3)
    >>> x = g.inputs()
    >>> indptr, indices = propagate(g, g.union(x[1:], x[:-1]), "roaring")
    >>> indices.tolist()
    [0, 1, 1, 2]
    """
    if store not in STORES:
        raise InputError(f"store={store!r}: choose one of {', '.join(map(repr, STORES))}")
    with explained_memory(len(outputs), graph.n_inputs, most):
        if store == "auto" and executor is None and graph.kept is None:
            program = small_program(graph, outputs)
            if program is not None:
                return fitting(first_order(program, "integers"), graph.n_inputs)
            found = stretches.solve(Program(graph.n_inputs, graph.blocks, outputs))
            if found is not None:
                return narrow(*found)
        return fitting(first_order(simplify(graph, outputs), store, executor), graph.n_inputs)


def first_order(program: Program, store: str, executor: Any = None) -> Pattern | IntervalRows:
    """What the store gives, or intervals where it met too many entries.

    Raises
    ------
    GraphSizeError
        If there are too many intervals, too.
    """
    if store == "auto":
        fewer = joint_inputs.joined(program)
        if fewer is not None:
            found = _solved(fewer[0], store, executor)
            return joint_inputs.written_out(program.n_inputs, fewer[1], found)
    return _solved(program, store, executor)


def _solved(program: Program, store: str, executor: Any) -> Pattern | IntervalRows:
    if worth_it(executor, program):
        with suppress(TooManyEntries):  # which this process holds compressed
            found = adaptive.shared(program) if store == "auto" else None
            return found or first_order_by_parts(executor, program, store)
    try:
        return STORES[store](program)
    except TooManyEntries as error:
        if isinstance(error.rows, IntervalRows):
            return error.rows
        count = error.count
    try:
        return intervals.rows(program)
    except intervals.TooManyIntervals:
        raise too_ragged(count) from None


def fitting(pattern: Pattern | IntervalRows, n: int) -> Pattern | IntervalRows:
    """CSR index arrays where the entries may be written out, else intervals.

    Examples
    --------
    >>> pattern = np.array([0, 2]), np.array([0, 1])
    >>> with at_most(1):
    ...     fitting(pattern, 2).nnz
    2
    """
    if isinstance(pattern, IntervalRows):
        return narrow(*pattern.csr()) if fits(pattern.nnz) else pattern
    if fits(len(pattern[1])):
        return narrow(*pattern)
    return IntervalRows.of_csr(n, *pattern)


def united(
    patterns: Sequence[Pattern | IntervalRows], n: int, most: float = MOST_ENTRIES
) -> Pattern | IntervalRows:
    """The union of patterns of one shape with `n` columns.

    Examples
    --------
    >>> left = np.array([0, 1, 2]), np.array([0, 1])
    >>> right = np.array([0, 1, 1]), np.array([1])
    >>> [array.tolist() for array in united([left, right], 2)]
    [[0, 2, 3], [0, 1, 1]]
    """
    if len(patterns) == 1:
        return patterns[0]
    arrays = [pattern for pattern in patterns if not isinstance(pattern, IntervalRows)]
    if len(arrays) < len(patterns) or sum(len(indices) for _, indices in arrays) > most:
        rows = [p if isinstance(p, IntervalRows) else IntervalRows.of_csr(n, *p) for p in patterns]
        with at_most(most):
            return fitting(reduce(partial(compared, chosen=np.logical_or), rows), n)
    m = len(arrays[0][0]) - 1
    keys = [
        np.repeat(np.arange(m, dtype=np.int64) * n, np.diff(indptr)) + indices
        for indptr, indices in arrays
    ]
    key = np.sort(np.concatenate(keys))
    key = key[np.diff(key, prepend=-1) > 0]
    row = key // max(n, 1)
    indptr = np.zeros(m + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=m), out=indptr[1:])
    return narrow(indptr, (key - row * n).astype(np.int32))


_MOST_NARROW = 2**31 - 1


def narrow(
    indptr: NDArray[np.integer], indices: NDArray[np.integer]
) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """SciPy wants both of one type; the indices are the longer ones."""
    if len(indices) <= _MOST_NARROW:
        indptr = indptr.astype(np.int32, copy=False)
    return indptr, indices


def index_sets(graph: Graph, ids: Ids) -> list[BitMap]:
    """A bitmap of input indices for each id (one dimension, or one id)."""
    return bitmaps(simplify(graph, np.atleast_1d(ids)))
