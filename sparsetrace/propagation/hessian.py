"""From the graph of a second-order trace to the Hessian's pattern.

Contract: first-order patterns of the nodes that live interactions multiply, by any
store; then their products, by any Hessian store.  What has more entries than are wanted
is kept in intervals, the patterns and the Hessian.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from sparsetrace.errors import GraphSizeError
from sparsetrace.graph.graph import OPAQUE, Graph, Ids
from sparsetrace.graph.interactions import Pair
from sparsetrace.graph.liveness import live_pairs
from sparsetrace.passes.simplify import Program, narrowed, simplify
from sparsetrace.progress import report
from sparsetrace.propagation.executors import by_parts, workers, worth_it
from sparsetrace.propagation.hessian_stores import (
    HESSIAN_STORES,
    Products,
    bands,
    intervals,
    joint_columns,
)
from sparsetrace.propagation.jacobian import first_order, fitting, united
from sparsetrace.propagation.jacobian_stores import Pattern, csr, stretches
from sparsetrace.propagation.jacobian_stores.adaptive import LEAST, SORT, bit_cost, dense_budget
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows
from sparsetrace.propagation.jacobian_stores.intervals import TooManyIntervals
from sparsetrace.propagation.jacobian_stores.runs import find_runs
from sparsetrace.propagation.jacobian_stores.sizes import (
    MOST_ENTRIES,
    TooManyEntries,
    at_most,
    explained_memory,
    fits,
    too_ragged,
)
from sparsetrace.propagation.jacobian_stores.tables import Tables
from sparsetrace.propagation.small import small_hessian

__all__ = ["hessian_pattern"]


def hessian_pattern(
    graph: Graph,
    outputs: Ids,
    store: str = "auto",
    hessian_store: str = "auto",
    most: float = MOST_ENTRIES,
    executor: Any = None,
) -> Pattern | IntervalRows:
    """Pattern of the Hessian of a weighted sum of `outputs`, as CSR index arrays.

    A pattern of more than `most` entries comes as `IntervalRows`.  An executor does what takes
    longer than to be shipped.

    Examples
    --------
    >>> from sparsetrace.graph.interactions import interact
    >>> g = Graph(3, second_order=True)
    >>> x = g.inputs()
    >>> y = interact(g, g.union(x[1:], x[:-1]), [(x[1:], x[:-1])])
    >>> indptr, indices = hessian_pattern(g, y)
    >>> indptr.tolist(), indices.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1])
    """
    n, stores = graph.n_inputs, (store, hessian_store)
    with explained_memory(n, n, most):
        multiplied = live_pairs(graph, outputs)
        if stores == ("auto", "auto") and executor is None:
            small = small_hessian(graph, multiplied)
            if small is None:
                small = _along_stretches(graph, multiplied)
            if small is not None:
                return fitting(small, n)
        program, squares, first, second = _numbered_alike(graph, outputs, multiplied)
        pairs = squares, first, second
        count = sum(map(len, pairs))
        if count and worth_it(executor, program, count):
            with suppress(TooManyEntries):  # which this process holds compressed
                parts = by_parts(executor, _part, _parts(executor, program, pairs, stores, most))
                return fitting(united(parts, n, most), n)
        return fitting(_pattern(program, pairs, *stores), n)


def _along_stretches(graph: Graph, pairs: Sequence[Pair]) -> Pattern | None:
    """The products of nodes of long slices; None where these are few, or depend on too much."""
    if graph.kept is not None:
        return None
    groups = stretches.multiplied(graph.n_inputs, graph.blocks, pairs)
    try:
        return None if groups is None else bands.solve(graph.n_inputs, groups)
    except TooManyEntries:
        return None


def _parts(
    executor: Any,
    program: Program,
    pairs: tuple[Ids, Ids, Ids],
    stores: tuple[str, str],
    most: float,
) -> Iterator[tuple[Any, ...]]:
    """For each part its nodes' program, how many squares and products it has, and the rest."""
    count = workers(executor)
    for some in zip(*(np.array_split(ids, count) for ids in pairs), strict=True):
        if any(map(len, some)):
            yield narrowed(program, np.concatenate(some)), len(some[0]), len(some[1]), stores, most


def _part(
    program: Program, squares: int, products: int, stores: tuple[str, str], most: float
) -> Pattern | None:
    """In a worker: the Hessian of some products, or None where it has too many entries."""
    pairs = np.split(program.outputs, [squares, squares + products])
    with at_most(most):
        try:
            found = _pattern(program, (pairs[0], pairs[1], pairs[2]), *stores)
        except (TooManyEntries, GraphSizeError):
            return None
    return None if isinstance(found, IntervalRows) else found


def _pattern(
    program: Program, pairs: tuple[Ids, Ids, Ids], store: str, hessian_store: str
) -> Pattern | IntervalRows:
    """The Hessian of the squares of nodes, and of the products of others."""
    n, (squares, first, second) = program.n_inputs, pairs
    if not len(squares) and not len(first):
        return np.zeros(n + 1, np.int32), np.zeros(0, np.int32)
    tables = None
    if store in ("auto", "csr") and hessian_store in ("auto", "csr"):
        result, tables = _along_diagonals(program, squares, first, second)
        if result is not None:
            return result
    if len(first):
        nodes, place = _numbered(squares, first, second)
        squares = _distinct(place[squares])
        first, second = _distinct_pairs(place[first], place[second], len(nodes))
        del place
    else:
        nodes = _distinct(squares)
        squares = np.arange(len(nodes), dtype=np.int32)
    factors: Pattern | IntervalRows | None = _read(tables, nodes)
    if factors is None:
        factors = first_order(Program(program.n_inputs, program.blocks, nodes), store)
    del nodes, program, tables
    if not isinstance(factors, IntervalRows):
        report("Hessian", 0, len(squares) + len(first))
        found = _united(Products(n, *factors, squares, first, second), hessian_store)
        if found is not None:
            return found
        factors = IntervalRows.of_csr(n, *factors)
    try:
        return intervals.rows(factors, squares, first, second)
    except TooManyIntervals:
        counts = factors.row_counts()
        crossed = 2 * (counts[first] * counts[second]).sum()
        raise too_ragged(int((counts[squares] ** 2).sum() + crossed)) from None


def _numbered_alike(
    graph: Graph, outputs: Ids, pairs: Sequence[Pair]
) -> tuple[Program, Ids, Ids, Ids]:
    """The nodes that are multiplied with themselves or with one another, and their program."""
    cliques = [left for left, right in pairs if right is left]
    left = [left for left, right in pairs if right is not left]
    right = [right for left, right in pairs if right is not left]
    program = simplify(graph, [*cliques, *left, *right] or outputs[:0])
    count, half = sum(map(len, cliques)), sum(map(len, left))
    shown = program.outputs
    squares, first, second = shown[:count], shown[count : count + half], shown[count + half :]
    same = first == second
    if same.any():
        squares = np.concatenate([squares, first[same]])
        first, second = first[~same], second[~same]
    # nodes that turned out to depend on nothing
    if int(squares.min(initial=OPAQUE + 1)) <= OPAQUE:
        squares = squares[squares > OPAQUE]
    real = np.minimum(first, second) > OPAQUE
    if not real.all():
        first, second = first[real], second[real]
    return program, squares, first, second


def _united(products: Products, hessian_store: str) -> Pattern | IntervalRows | None:
    """The Hessian by the store; None where that would write too many entries."""
    fewer, starts = joint_columns.joined(products) or (products, None)
    if not (fits(2 * fewer.work) or fits(fewer.n**2)):
        return None
    found = HESSIAN_STORES[hessian_store](fewer)
    return found if starts is None else joint_columns.written_out(products.n, starts, *found)


def _along_diagonals(
    program: Program, squares: Ids, first: Ids, second: Ids
) -> tuple[Pattern | None, Tables | None]:
    """The Hessian by runs of nodes, where they are long; else the patterns made for it, if any."""
    result = []
    for columns in ([squares], [first, second]):
        if len(columns[0]):
            runs = find_runs(columns)
            if runs is None:
                return None, None
            result.append((runs, columns))
    try:
        cost = bit_cost(program)
        tables = csr.tabled(program, max(cost, LEAST) / SORT, dense_budget(program, cost))
    except (csr.OverBudget, TooManyEntries):
        return None, None
    groups = []
    for runs, columns in result:
        group = csr.along_runs(tables, runs, columns)
        if group is None:
            return None, tables
        groups.append(group)
    try:
        return bands.solve(program.n_inputs, groups), tables
    except TooManyEntries:
        return None, tables


def _read(tables: Tables | None, nodes: Ids) -> Pattern | None:
    """The patterns of the nodes, where they are made and can be written out."""
    try:
        return None if tables is None else csr.read(tables, nodes)
    except TooManyEntries:
        return None


def _numbered(*id_arrays: Ids) -> tuple[Ids, Ids]:
    """The distinct nodes among all parts, and for each node its place among them."""
    size = max(int(ids.max(initial=OPAQUE)) for ids in id_arrays) + 1
    used = np.zeros(size, bool)
    for ids in id_arrays:
        used[ids] = True
    nodes = np.flatnonzero(used).astype(np.int32)
    place = np.zeros(size, np.int32)
    place[nodes] = np.arange(len(nodes), dtype=np.int32)
    return nodes, place


def _distinct(places: Ids) -> Ids:
    if len(places) < 2 or bool((places[1:] > places[:-1]).all()):
        return places
    used = np.zeros(int(places.max()) + 1, bool)
    used[places] = True
    return np.flatnonzero(used).astype(np.int32)


def _distinct_pairs(first: Ids, second: Ids, size: int) -> tuple[Ids, Ids]:
    """Pairs without repetitions, in either order."""
    if len(first) < 2:
        return first, second
    low, high = np.minimum(first, second), np.maximum(first, second)
    key = low * np.int64(size) + high
    if not (key[1:] > key[:-1]).all():
        key = np.sort(key)
        key = key[np.diff(key, prepend=-1) > 0]
    return (key // size).astype(np.int32), (key % size).astype(np.int32)
