"""Bidirectional colorings: each entry is read from a product with columns, or with rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from sparsetrace.coloring.cliques import bicoloring_cliques, sorted_pattern
from sparsetrace.coloring.coloring import Coloring
from sparsetrace.coloring.columns import distinct_in_rows
from sparsetrace.coloring.counting import count, longest_row, renumbered
from sparsetrace.coloring.first_fit import Ints, first_fit
from sparsetrace.coloring.orders import check_order, rank_of, vertex_order
from sparsetrace.coloring.recovery import direct_by_columns, direct_by_rows, needed_colors, row_ids

__all__ = ["color_bidirectional"]


def color_bidirectional(pattern: object, order: str = "best", seed: int | None = None) -> Coloring:
    """Color rows and columns so that each entry is read from a product from one side.

    Few dense rows and columns cost a color each, where columns alone would take as many colors as
    the longest row has entries.

    Parameters
    ----------
    pattern : sparse array, array_like
        Shape (m, n).
    order, seed : optional
        As in `color_columns`, of rows and columns together; ``"best"`` places dense rows and
        columns first, for several bounds of what is dense.

    Returns
    -------
    Coloring
        Its `num_colors` counts both sides.

    Raises
    ------
    ValueError
        If `order` is none of these.

    Notes
    -----
    Coleman and Verma 1998, "The efficient computation of sparse Jacobian matrices using automatic
    differentiation"; Gebremedhin, Manne and Pothen 2005, section 5 (star bicoloring).

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.coloring import color_bidirectional
    >>> arrow = np.eye(6)
    >>> arrow[0] = arrow[:, 0] = 1
    >>> color_bidirectional(arrow)
    Bidirectional coloring: 6 x 6, 16 entries, 3 colors (2 of columns, 1 of rows)
    """
    check_order(order)
    entries = sorted_pattern(pattern)
    rows, columns = entries.shape
    best: tuple[Ints, Ints] | None = None
    for row_rank, column_rank in _bicoloring_ranks(entries, order, seed):
        column_cliques, row_cliques = bicoloring_cliques(entries, row_rank, column_rank)
        longest = max(longest_row(column_cliques), longest_row(row_cliques))
        if best is not None and longest >= count(*best):  # dropped colors seldom make up for that
            continue
        colors = _read_from_both(
            entries,
            first_fit(column_cliques, np.argsort(column_rank, kind="stable")),
            first_fit(row_cliques, np.argsort(row_rank, kind="stable")),
        )
        if best is None or count(*colors) < count(*best):
            best = colors
    assert best is not None
    if order == "best":
        if longest_row(entries) < count(*best):
            by_columns = distinct_in_rows(entries, order, seed)
            best = min(best, (by_columns, np.full(rows, -1)), key=_count_both)
        transposed = sorted_pattern(entries.T)
        if longest_row(transposed) < count(*best):
            by_rows = distinct_in_rows(transposed, order, seed)
            best = min(best, (np.full(columns, -1), by_rows), key=_count_both)
    return Coloring(entries, "bidirectional", *best)


def _bicoloring_ranks(
    entries: csr_array, order: str, seed: int | None
) -> Iterator[tuple[Ints, Ints]]:
    """Ranks of rows and columns in one sequence."""
    rows, columns = entries.shape
    if order != "best":
        ends = np.stack([entries.indices + rows, row_ids(entries)])
        edges = csr_array(
            (np.ones(ends.size), ends.T.ravel(), np.arange(0, ends.size + 1, 2)),
            shape=(entries.nnz, rows + columns),
        )
        rank = rank_of(vertex_order(edges, order, seed))
        yield rank[:rows], rank[rows:]
        return
    degrees = np.concatenate(
        [np.diff(entries.indptr), np.bincount(entries.indices, minlength=columns)]
    )
    is_row = np.arange(rows + columns) < rows
    for bound in _bounds(degrees):
        dense = np.where(degrees > bound, -degrees, 0)
        for columns_last in (False, True):
            rank = rank_of(np.lexsort((is_row ^ columns_last, dense)))
            yield rank[:rows], rank[rows:]


def _bounds(degrees: Ints) -> list[int]:
    """From which degree on a row or column may count as dense: none, and others above the usual."""
    highest = int(degrees.max(initial=0))
    usual = 2 * int(np.median(degrees)) if len(degrees) else 0
    if highest <= usual:
        return [highest]
    between = np.unique(degrees[degrees >= max(usual, 1)])
    if len(between) > 6:
        wanted = np.geomspace(between[0], between[-1], 6)
        between = between[np.unique(np.searchsorted(between, wanted).clip(0, len(between) - 1))]
    return sorted({usual, *between.tolist()})


def _read_from_both(entries: csr_array, columns: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """The colors without those that no entry needs to be read from."""
    from_columns, alone_in_row = direct_by_columns(entries, columns, "bidirectional")
    from_rows, alone_in_column = direct_by_rows(entries, rows)
    num_columns, num_rows = count(columns), count(rows)
    needed = needed_colors(
        np.where(alone_in_row, from_columns, -1),
        np.where(alone_in_column, from_rows + num_columns, -1),
        num_columns + num_rows,
    )
    return renumbered(columns, needed[:num_columns]), renumbered(rows, needed[num_columns:])


def _count_both(colors: tuple[Ints, Ints]) -> int:
    return count(*colors)
