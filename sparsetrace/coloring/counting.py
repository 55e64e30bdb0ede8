"""Colors as numbers: how many there are, which are needed, what has each of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, issparse

from sparsetrace.coloring.first_fit import Ints

__all__ = [
    "count",
    "fewest",
    "groups_of",
    "longest_row",
    "renumbered",
    "seeds_of",
    "summed",
    "without_empty",
]


def count(*colors: Ints) -> int:
    """How many colors there are; of several sides together."""
    return sum(int(side.max(initial=-1)) + 1 for side in colors)


def fewest(candidates: Iterable[Ints]) -> Ints:
    """The first of those with the fewest colors."""
    return min(candidates, key=count)


def longest_row(entries: csr_array) -> int:
    """No coloring of columns has fewer colors."""
    return int(np.diff(entries.indptr).max(initial=0))


def renumbered(colors: Ints, needed: Ints) -> Ints:
    """The colors that are needed, from 0 on; -1 for the others."""
    numbers = np.where(needed, np.cumsum(needed) - 1, -1)
    result: Ints = numbers[colors] if len(numbers) else np.full(len(colors), -1)
    return result


def without_empty(entries: csr_array, colors: Ints) -> Ints:
    """No color for columns without entries, nor for numbers that only they had."""
    used = np.bincount(entries.indices, minlength=entries.shape[1]) > 0
    needed = np.bincount(colors[used], minlength=count(colors)) > 0
    return np.where(used, renumbered(colors, needed), -1)


def groups_of(colors: Ints, count: int) -> list[Ints]:
    """What has each color."""
    order = np.argsort(colors, kind="stable")
    bounds = np.searchsorted(colors[order], np.arange(count + 1))
    return [order[start:stop] for start, stop in itertools.pairwise(bounds)]


def summed(matrix: Any, colors: Ints, count: int) -> NDArray[Any]:
    """The sum of each color's columns, shape (rows, count).

    It is the product with `seeds_of`, but what is infinite gets into its own color alone.
    """
    if issparse(matrix):
        entries = coo_array(matrix)
        row, column = entries.coords
        colored = colors[column] >= 0
        places = row[colored], colors[column[colored]]
        shape = matrix.shape[0], count
        result: NDArray[Any] = coo_array((entries.data[colored], places), shape=shape).toarray()
        return result.astype(np.result_type(result, np.float64), copy=False)
    result = np.zeros((matrix.shape[0], count), np.result_type(matrix, np.float64))
    for color, group in enumerate(groups_of(colors, count)):
        result[:, color] = matrix[:, group].sum(axis=1)
    return result


def seeds_of(colors: Ints, count: int) -> NDArray[np.float64]:
    """One vector a color: ones for what has it, shape (len(colors), count)."""
    seeds = np.zeros((len(colors), count))
    colored = np.flatnonzero(colors >= 0)
    seeds[colored, colors[colored]] = 1.0
    return seeds
