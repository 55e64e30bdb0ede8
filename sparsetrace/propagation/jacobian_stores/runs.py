"""Runs of translates: stretches of a block in which every column is an arithmetic progression.

Contract: pure integer arrays.  In stencil code the parents of consecutive elements are
shifted copies of each other; one row for each run then stands for all of it.  A run
table gives, for each run, where it starts and the columns' values there; inside the
run column j grows by ``steps[j]`` an element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import Ids
from sparsetrace.graph.slices import slices

__all__ = ["Runs", "find_runs", "interleaving", "split_runs"]

_STACKED = 2**20
_COARSE = 4
"""Runs are worth having if they are at least this long on average."""
_MOST_TURNS, _PROBE = 16, 4096
"""Up to so many arrays are found to take turns, by a look at the first elements."""


@dataclass(slots=True)
class Runs:
    """Where the columns of a block are arithmetic progressions.

    Attributes
    ----------
    starts : ndarray of int64, shape (r,)
    lengths : ndarray of int64, shape (r,)
    values : ndarray of int32, shape (r, w)
        The columns at the starts.
    steps : ndarray of int32, shape (r, w)
        Growth an element; zero in runs of length 1.
    """

    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    values: Ids
    steps: NDArray[np.int32]

    @property
    def single(self) -> bool:
        """Whether every run has length 1."""
        return bool(self.lengths.max(initial=1) == 1)


def _dominant(differences: NDArray[np.int32]) -> NDArray[np.int32]:
    """For each row of differences, the median of three: the step if runs are long."""
    m = differences.shape[-1]
    probe = differences[..., [0, m // 2, m - 1]]
    return np.asarray(np.sort(probe, axis=-1)[..., 1])


def _breaks(columns: Sequence[Ids]) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
    """Behind which positions a new run starts, and each column's step; None if they are many."""
    m = len(columns[0])
    if len(columns) * m <= _STACKED:
        stacked = np.array(columns)
        differences = stacked[:, 1:] - stacked[:, :-1]
        steps = _dominant(differences)
        places = np.flatnonzero((differences != steps[:, None]).any(axis=0))
        return None if (len(places) + 1) * _COARSE > m else (places, steps)
    probes = np.array([0, (m - 1) // 2, m - 2])
    steps = np.array([np.sort(column[probes + 1] - column[probes])[1] for column in columns])
    found: list[NDArray[np.int64]] = []
    count = 0
    for some in slices(m - 1):
        broken = np.zeros(1, bool)
        for column, step in zip(columns, steps, strict=True):
            part = column[some.start : some.stop + 1]
            broken = broken | (part[1:] - part[:-1] != step)
        found.append(np.flatnonzero(broken) + some.start)
        count += len(found[-1])
        if (count + 1) * _COARSE > m:
            return None
    return np.concatenate(found), steps


def find_runs(columns: Sequence[Ids]) -> Runs | None:
    """The runs of a block, or None where they are too short to pay.

    Examples
    --------
    >>> import numpy as np
    >>> runs = find_runs([np.array([5, 6, 7, 8, 9, 1, 2, 3, 4], np.int32)])
    >>> runs.starts.tolist(), runs.values[:, 0].tolist(), runs.steps[:, 0].tolist()
    ([0, 5], [5, 1], [1, 1])
    """
    m = len(columns[0])
    if m < 2 * _COARSE:
        return None
    breaks = _breaks(columns)
    if breaks is None:
        return None
    places, steps = breaks
    starts = np.empty(len(places) + 1, np.int64)
    starts[0] = 0
    starts[1:] = places + 1
    return _at(columns, starts, steps, m)


def interleaving(ids: Ids) -> int:
    """How many arrays take turns in `ids`, each a run; 0 if there is no such order.

    As the parts of ``np.stack([u, v], axis=-1)`` do.

    Examples
    --------
    >>> import numpy as np
    >>> interleaving(np.stack([np.arange(2, 34), np.arange(50, 82)], axis=-1).reshape(-1))
    2
    """
    probe = ids[:_PROBE]
    for period in range(2, _MOST_TURNS + 1):
        if len(ids) % period or len(probe) < 2 * _COARSE * period:
            continue
        rises = probe[period:] - probe[:-period] == 1
        if np.count_nonzero(rises) * _COARSE >= (_COARSE - 1) * len(rises):
            return period
    return 0


def _at(
    columns: Sequence[Ids], starts: NDArray[np.int64], steps: NDArray[np.int32], m: int
) -> Runs:
    lengths = _lengths(starts, m)
    values = np.array([column[starts] for column in columns]).T
    growth = np.where(lengths[:, None] > 1, steps, np.int32(0))
    return Runs(starts, lengths, values, growth)


def _lengths(starts: NDArray[np.int64], m: int) -> NDArray[np.int64]:
    lengths = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1] = m - starts[-1]
    return lengths


def split_runs(
    runs: Runs, columns: Sequence[Ids], boundaries: NDArray[np.int64], m: int
) -> Runs | None:
    """Runs cut further so that no column crosses a boundary inside one.

    `boundaries` are sorted node ids; a node and its predecessor on different sides of
    one belong to different runs.  None if the runs become too short to pay.
    """
    cuts = [runs.starts]
    last = runs.values + runs.steps * (runs.lengths[:, None] - 1)
    for j in range(runs.values.shape[1]):
        step = runs.steps[:, j].astype(np.int64)
        moving = np.flatnonzero(step)
        if not len(moving):
            continue
        first, final = runs.values[moving, j], last[moving, j]
        lo = np.searchsorted(boundaries, np.minimum(first, final), side="right")
        hi = np.searchsorted(boundaries, np.maximum(first, final), side="right")
        count = hi - lo
        total = int(count.sum())
        if not total:
            continue
        if total * _COARSE > m:
            return None
        run = np.repeat(moving, count)
        offset = np.arange(total) - np.repeat(np.cumsum(count) - count, count)
        bound = boundaries[np.repeat(lo, count) + offset]
        start, grow = runs.values[run, j].astype(np.int64), step[run]
        up = -((start - bound) // grow)  # first k with start + k * grow >= bound
        down = (start - bound) // -grow + 1  # first k with start - k * |grow| < bound
        cuts.append(runs.starts[run] + np.where(grow > 0, up, down))
    if len(cuts) == 1:
        return runs
    starts = np.sort(np.concatenate(cuts))
    starts = starts[np.diff(starts, prepend=-1) > 0]
    if len(starts) * _COARSE > m:
        return None
    owner = np.searchsorted(runs.starts, starts, side="right") - 1
    lengths = _lengths(starts, m)
    values = np.array([column[starts] for column in columns]).T
    steps = np.where(lengths[:, None] > 1, runs.steps[owner], np.int32(0))
    return Runs(starts, lengths, values, steps)
