"""Propagation by an executor: other processes, or other machines.

Contract: a *part* is some rows of the result, with what of the program they need; or, where parts
would need nearly all of it, some columns.  Each part is shipped once, as arrays of whole numbers,
and nothing of the user's is.  The result is that of one process; where a part fails there is none.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from sparsetrace.errors import ExecutorError, TracingError
from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, Block, Columns, Ids, Rows
from sparsetrace.passes.simplify import Program, narrowed
from sparsetrace.propagation.jacobian_stores import STORES, Pattern
from sparsetrace.propagation.jacobian_stores.sizes import (
    TooManyEntries,
    at_most,
    fits,
    most_entries,
)

__all__ = ["by_parts", "first_order_by_parts", "workers", "worth_it"]

_WORTH = 2**18
"""A program with fewer parents is solved sooner than shipped."""
_MOST_SHIPPED = 1.5
"""Parts by rows may have so many times the parents of the whole."""
_PARTS = 2
"""Parts by rows, a worker: they do not all take as long."""


def edges(program: Program) -> int:
    """How many parents the nodes of a program have altogether."""
    return sum(block.edges for block in program.blocks)


def worth_it(executor: Any, program: Program, products: int = 0) -> bool:
    """Whether a program, and products of its nodes, are shipped to an executor, if there is one.

    They are not where they are solved sooner than shipped, nor by a thread of the executor itself,
    which would wait for tasks that may wait for this thread.
    """
    if executor is None or _is_own_thread(executor):
        return False
    return edges(program) + products >= _WORTH


def first_order_by_parts(executor: Any, program: Program, store: str) -> Pattern:
    """What `store` gives for a program, by tasks of an executor.

    Raises
    ------
    TooManyEntries
        If a part has, or all of them have.
    ExecutorError
        If a task is not done, whatever the reason.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from sparsetrace.graph.graph import Graph
    >>> from sparsetrace.passes.simplify import simplify
    >>> g = Graph(3)
    >>> program = simplify(g, g.union(g.inputs()[1:], g.inputs()[:-1]))
    >>> with ThreadPoolExecutor(2) as executor:
    ...     indptr, indices = first_order_by_parts(executor, program, "csr")
    >>> indptr.tolist(), indices.tolist()
    ([0, 2, 4], [0, 1, 1, 2])
    """
    count, most = workers(executor), most_entries()
    rows = [
        narrowed(program, some)
        for some in np.array_split(program.outputs, _PARTS * count)
        if len(some)
    ]
    if sum(map(edges, rows)) <= _MOST_SHIPPED * edges(program):
        return _below(by_parts(executor, _solved, [(part, store, most) for part in rows]))
    ends = np.linspace(0, program.n_inputs, count + 1).astype(int).tolist()
    cuts = [(a, b) for a, b in pairwise(ends) if a < b]
    columns = [(_of_columns(program, a, b), store, most) for a, b in cuts]
    return _beside(by_parts(executor, _solved, columns), [a for a, _ in cuts])


def _is_own_thread(executor: Any) -> bool:
    """Whether this is a thread of the executor, which counts one only after it has started."""
    thread = threading.current_thread()
    prefix = getattr(executor, "_thread_name_prefix", None)
    return thread in getattr(executor, "_threads", ()) or (
        prefix is not None and thread.name.rpartition("_")[0] == str(prefix or executor)
    )


def workers(executor: Any) -> int:
    """How many tasks an executor runs at once, as far as it says."""
    for name in ("num_workers", "_max_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    return os.cpu_count() or 1


def by_parts(
    executor: Any, task: Callable[..., Pattern | None], arguments: Iterable[tuple[Any, ...]]
) -> list[Pattern]:
    """The results of a task for each of some arguments, in their order."""
    futures: list[Any] = []
    try:
        futures += [executor.submit(task, *some) for some in arguments]
        results = [future.result() for future in futures]
    except TracingError:
        raise
    except Exception as error:
        raise ExecutorError(
            f"{type(executor).__name__} did not do its work: "
            f"{type(error).__name__}: {str(error).rstrip('.')}. "
            "Nothing is known of the pattern. A worker that ended may have had too little memory; "
            "an executor that was shut down takes no tasks. Call again with another one, or "
            "without executor=."
        ) from error
    finally:
        for future in futures:
            future.cancel()
    parts = [part for part in results if part is not None]
    if len(parts) < len(results):
        raise TooManyEntries(0)
    return parts


def _solved(program: Program, store: str, most: float) -> Pattern | None:
    """In a worker: the pattern of a part, or None where it has too many entries."""
    with at_most(most):
        try:
            return STORES[store](program)
        except TooManyEntries:
            return None


def _of_columns(program: Program, start: int, stop: int) -> Program:
    """The program with some inputs alone; what depends on none of them stands for nothing."""
    first_node, fewer = FIRST_INPUT + program.n_inputs, program.n_inputs - (stop - start)
    size = max((block.base + block.size for block in program.blocks), default=first_node)
    new = np.arange(size, dtype=np.int32)
    new[first_node:] -= fewer
    new[FIRST_INPUT:first_node] = OPAQUE
    kept = np.arange(FIRST_INPUT, FIRST_INPUT + stop - start, dtype=np.int32)
    new[FIRST_INPUT + start : FIRST_INPUT + stop] = kept

    def moved(ids: Ids) -> Ids:
        result: Ids = new[np.maximum(ids, 0)]  # constants have ids below that
        return result

    blocks: list[Block] = []
    for block in program.blocks:
        if isinstance(block, Columns):
            columns = [moved(ids) for ids in block.columns]
            blocks.append(Columns(block.base - fewer, block.size, columns))
        else:
            parents = moved(block.parents)
            base = block.base - fewer
            blocks.append(Rows(base, block.size, block.indptr, parents, block.sequential))
    return Program(stop - start, blocks, moved(program.outputs))


def _below(parts: Sequence[Pattern]) -> Pattern:
    """Patterns below one another."""
    sizes = [len(indices) for _, indices in parts]
    if not fits(sum(sizes)):
        raise TooManyEntries(sum(sizes))
    starts = np.concatenate([[0], np.cumsum(sizes)])[: len(parts)]
    indptr = [part[0][:-1].astype(np.int64) + s for part, s in zip(parts, starts, strict=True)]
    indices = [np.zeros(0, np.int32), *(part[1] for part in parts)]
    return np.concatenate([*indptr, [sum(sizes)]]).astype(np.int64), np.concatenate(indices)


def _beside(parts: Sequence[Pattern], starts: Sequence[int]) -> Pattern:
    """Patterns beside one another, of which the columns begin so."""
    counts = np.array([np.diff(indptr) for indptr, _ in parts], np.int64)
    if not fits(int(counts.sum())):
        raise TooManyEntries(int(counts.sum()))
    indptr = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    places = indptr[:-1] + np.cumsum(counts, axis=0) - counts
    indices = np.empty(indptr[-1], np.int32)
    for (own, columns), count, place, start in zip(parts, counts, places, starts, strict=True):
        at = np.repeat(place - own[:-1], count) + np.arange(len(columns))
        indices[at] = columns + start
    return indptr, indices
