"""Writing rows out: gathers of CSR rows, and runs of translates node by node.

Contract: pure index arithmetic, about a nanosecond an entry written.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sparsetrace.graph.graph import Ids
from sparsetrace.propagation.jacobian_stores.sizes import check_entries

__all__ = ["MOST_COPIED", "expand", "gather_rows", "interleaved"]

_COPIED = 2**16
"""From so many entries on SciPy's compiled copy of rows is faster."""
MOST_COPIED = 2**31 - 1
"""More entries it does not count."""
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
) -> tuple[NDArray[np.int64], Ids]:
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
    total_rows = int(lengths.sum())
    width = int(counts[0]) if len(counts) else 0
    uniform = bool((counts == width).all())
    if uniform:
        out_ptr: NDArray[np.int64] = np.arange(total_rows + 1, dtype=np.int64) * width
    else:
        out_ptr = np.zeros(total_rows + 1, np.int64)
        np.cumsum(np.repeat(counts, lengths), out=out_ptr[1:])
    total = int(out_ptr[-1])
    if not total:
        return out_ptr, np.zeros(0, np.int32)
    check_entries(total)
    if total >= _LONG * len(counts):
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
        along = np.arange(length, dtype=np.int32)[:, None]
        growth = steps[lo:hi]
        if (growth == 1).all():
            np.add(along, values[lo:hi], out=block)
        else:
            np.multiply(along, growth, out=block)
            block += values[lo:hi]
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
