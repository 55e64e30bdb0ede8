"""Writing rows out: gathers of CSR rows, and runs of translates node by node.

Contract: pure index arithmetic, about a nanosecond an entry written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sparsetrace.graph.graph import Ids
from sparsetrace.propagation.jacobian_stores.sizes import check_entries

__all__ = ["MOST_COPIED", "expand", "gather_rows", "interleaved", "on_top"]

_COPIED = 2**16
"""From so many entries on SciPy's compiled copy of rows is faster."""
MOST_COPIED = 2**31 - 1
"""More entries it does not count."""
_SLICE_SIZE = 2**13
"""Entries written at a time."""
_LONG = 4096
"""Runs with this many entries on average are written one by one."""


def gather_rows(
    indptr: NDArray[np.int64], rows: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions of the entries of the rows chosen, and how many each has.

    Examples
    --------
    >>> import numpy as np
    >>> positions, counts = gather_rows(np.array([0, 2, 3]), np.array([1, 0]))
    >>> positions.tolist(), counts.tolist()
    ([2, 0, 1], [1, 2])
    """
    first = indptr[rows]
    counts = indptr[1:][rows] - first
    total = int(counts.sum())
    if len(counts) and total == int(counts[0]) * len(counts) and (counts == counts[0]).all():
        width = int(counts[0])
        positions = first[:, None] + np.arange(width)
        return positions.reshape(-1), counts
    ends = np.cumsum(counts)
    return np.repeat(first - (ends - counts), counts) + np.arange(total), counts


def expand(
    indptr: NDArray[np.int64],
    values: Ids,
    steps: Ids | None,
    lengths: NDArray[np.int64],
) -> tuple[NDArray[np.integer], Ids]:
    """Every run of rows written out: row r stands for ``lengths[r]`` rows.

    Examples
    --------
    >>> import numpy as np
    >>> bounds, entries = expand(np.array([0, 2]), np.array([0, 5], np.int32),
    ...                          np.array([1, 1], np.int32), np.array([3]))
    >>> bounds.tolist(), entries.tolist()
    ([0, 2, 4, 6], [0, 5, 1, 6, 2, 7])
    """
    counts = np.diff(indptr)
    width = int(counts[0]) if len(counts) else 0
    uniform = bool((counts == width).all())
    total = int(counts @ lengths)
    check_entries(total)
    few = total >= _LONG * len(counts)
    out_ptr = _bounds(counts, lengths, total, uniform=uniform, few=few)
    if not total:
        return out_ptr, np.zeros(0, np.int32)
    if few:
        return out_ptr, _one_by_one(indptr, values, steps, lengths, total)
    if uniform:
        return out_ptr, _uniform(values.reshape(-1, width), steps, lengths)
    run = np.repeat(np.arange(len(counts)), lengths)
    if _COPIED <= total <= MOST_COPIED:  # the steps are copied along
        growth = np.ones(len(values), np.int32) if steps is None else steps
        shape = len(counts), int(values.max()) + 1
        rows = csr_array((growth, values, indptr), shape)[run]
        out, growth = rows.indices.astype(np.int32, copy=False), rows.data
    else:
        positions, _ = gather_rows(indptr, run)
        out = values[positions]
        growth = np.zeros(0, np.int32) if steps is None else steps[positions]
    if steps is not None:
        along = np.repeat(_within(lengths), out_ptr[1:] - out_ptr[:-1])
        out += along if (steps == 1).all() else growth * along
    return out_ptr, out


def _bounds(
    counts: NDArray[np.int64], lengths: NDArray[np.int64], total: int, *, uniform: bool, few: bool
) -> NDArray[np.integer]:
    """Where the rows of all runs begin, and the end: by a narrow type where it reaches so far."""
    dtype: Any = np.int32 if total <= np.iinfo(np.int32).max else np.int64
    rows = int(lengths.sum())
    if uniform and len(counts):
        bounds: NDArray[np.integer] = np.arange(rows + 1, dtype=dtype)
        np.multiply(bounds, counts[0], out=bounds, dtype=dtype)
        return bounds
    bounds = np.zeros(rows + 1, dtype)
    if few:
        at = 1
        for count, length in zip(counts.tolist(), lengths.tolist(), strict=True):
            bounds[at : at + length] = count
            at += length
    else:
        bounds[1:] = np.repeat(counts, lengths)
    np.cumsum(bounds, dtype=dtype, out=bounds)
    return bounds


def _within(lengths: NDArray[np.int64]) -> Ids:
    """0, 1, ..., length - 1 for every run."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return (np.arange(total) - np.repeat(ends - lengths, lengths)).astype(np.int32)


def _uniform(values: Ids, steps: Ids | None, lengths: NDArray[np.int64]) -> Ids:
    out = np.repeat(values, lengths, axis=0)
    if steps is not None:
        growth = steps.reshape(values.shape)
        within = _within(lengths)
        step = int(growth[0, 0]) if growth.size else 0
        if (growth[lengths > 1] == step).all():
            out += within[:, None] if step == 1 else (within * np.int32(step))[:, None]
        else:
            out += np.repeat(growth, lengths, axis=0) * within[:, None]
    return out.reshape(-1)


def _one_by_one(
    indptr: NDArray[np.int64],
    values: Ids,
    steps: Ids | None,
    lengths: NDArray[np.int64],
    total: int,
) -> Ids:
    out = np.empty(total, np.int32)
    bounds, at = indptr.tolist(), 0
    for r, length in enumerate(lengths.tolist()):
        lo, hi = bounds[r], bounds[r + 1]
        width = hi - lo
        block = out[at : at + width * length].reshape(length, width)
        at += width * length
        if steps is None or not steps[lo:hi].any():
            block[...] = values[lo:hi]
            continue
        growth = steps[lo:hi]
        if (growth == growth[0]).all():
            _shifted(values[lo:hi], int(growth[0]), block)
        else:
            np.multiply(np.arange(length, dtype=np.int32)[:, None], growth, out=block)
            block += values[lo:hi]
    return out


def _shifted(row: Ids, step: int, out: Ids) -> None:
    """Write a row, and then the same row moved by one step more each time."""
    length, width = out.shape
    count = min(max(_SLICE_SIZE // width, 1), length)
    along = np.arange(0, count * step, step, dtype=np.int32)[:, None]
    first = (along + row).reshape(-1)  # the rows after these are these, moved
    flat = out.reshape(-1)
    for at in range(0, length, count):
        part = flat[at * width : (at + count) * width]
        np.add(first[: len(part)], np.int32(at * step), out=part)


def on_top(bounds: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The row bounds of CSR arrays on top of one another; of their type where it reaches so far.

    Examples
    --------
    >>> on_top([np.array([0, 2]), np.array([0, 1, 3])]).tolist()
    [0, 2, 3, 5]
    """
    if len(bounds) == 1:
        return bounds[0]
    total = sum(int(indptr[-1]) for indptr in bounds)
    dtype = bounds[0].dtype if total <= np.iinfo(np.int32).max else np.dtype(np.int64)
    out = np.zeros(sum(len(indptr) - 1 for indptr in bounds) + 1, dtype)
    at = 1
    for indptr in bounds:
        part = out[at : at + len(indptr) - 1]
        np.add(indptr[1:], out[at - 1], out=part, dtype=dtype)
        at += len(part)
    return out


def interleaved(
    lists: list[tuple[NDArray[np.integer], NDArray[np.integer]]],
) -> tuple[NDArray[np.int64], Ids]:
    """The rows of several CSR arrays in turn: the first of each, the second of each, ...

    Examples
    --------
    >>> import numpy as np
    >>> first = np.array([0, 1, 2]), np.array([3, 4], np.int32)
    >>> second = np.array([0, 2, 3]), np.array([5, 6, 7], np.int32)
    >>> bounds, entries = interleaved([first, second])
    >>> bounds.tolist(), entries.tolist()
    ([0, 1, 3, 4, 5], [3, 5, 6, 4, 7])
    """
    turns = len(lists)
    counts = np.stack([bounds[1:] - bounds[:-1] for bounds, _ in lists], axis=1)
    indptr = np.zeros(counts.size + 1, np.int64)
    np.cumsum(counts.reshape(-1), out=indptr[1:])
    check_entries(int(indptr[-1]))
    entries = np.empty(indptr[-1], np.int32)
    if (counts == counts[0]).all():
        rows = entries.reshape(len(counts), -1) if entries.size else entries
        start = 0
        for (_, values), width in zip(lists, counts[0].tolist(), strict=True):
            if width:
                rows[:, start : start + width] = values.reshape(-1, width)
            start += width
        return indptr, entries
    for j, (bounds, values) in enumerate(lists):
        shift = np.repeat(indptr[j:-1:turns] - bounds[:-1], counts[:, j])
        entries[shift + np.arange(len(values))] = values
    return indptr, entries
