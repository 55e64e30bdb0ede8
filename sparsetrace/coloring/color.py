"""Colorings of every kind, for direct recovery and for recovery by substitution.

Each is first fit over the cliques of its kind (`sparsetrace.coloring.cliques`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.sparse import csr_array

from sparsetrace.coloring.cliques import (
    bicoloring_cliques,
    edge_cliques,
    sorted_pattern,
    star_cliques,
    tree_cliques,
)
from sparsetrace.coloring.coloring import (
    Coloring,
    check_symmetric,
    direct_by_columns,
    direct_by_rows,
)
from sparsetrace.coloring.first_fit import Ints, first_fit, recolored
from sparsetrace.coloring.orders import ORDERS, check_order, vertex_order
from sparsetrace.coloring.recovery import needed_colors, row_ids, transposed_places

__all__ = [
    "color_acyclic",
    "color_bidirectional",
    "color_columns",
    "color_rows",
    "color_star",
]

_FEW = 5_000
"""Entries up to which ``order="best"`` tries every order."""
_SOME = 100_000
"""Entries up to which it tries several ranks of a symmetric pattern."""
_STATIC = ("natural", "largest_first")
_ALL = tuple(order for order in ORDERS if order not in ("best", "random"))


def color_columns(pattern: object, order: str = "best", seed: int | None = None) -> Coloring:
    """Color columns so that no row has two entries of one color.

    The matrix is recovered from one product a color, such as a directional difference of the
    function whose Jacobian it is (Curtis, Powell and Reid 1974).

    Parameters
    ----------
    pattern : sparse array, array_like
        Shape (m, n); the stored entries of a sparse array, the nonzeros of a dense one.
    order : str, optional
        In which order columns are colored: ``"natural"``, ``"largest_first"``,
        ``"smallest_last"``, ``"incidence_degree"``, ``"dynamic_largest_first"``, ``"random"``;
        ``"best"`` tries the cheap ones, and improves the best result.
    seed : int, optional
        For ``"random"``.

    Returns
    -------
    Coloring

    Raises
    ------
    ValueError
        If `order` is none of these.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.coloring import color_columns
    >>> color_columns(np.tri(6) - np.tri(6, k=-3))
    Coloring of columns: 6 x 6, 15 entries, 3 colors
    """
    check_order(order)
    entries = sorted_pattern(pattern)
    return Coloring(entries, "columns", _distinct_in_rows(entries, order, seed))


def color_rows(pattern: object, order: str = "best", seed: int | None = None) -> Coloring:
    """Color rows so that no column has two entries of one color.

    The matrix is recovered from one product from the left a color, such as a vector-Jacobian
    product.  Parameters, result and errors are those of `color_columns`.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.coloring import color_rows
    >>> color_rows(np.eye(4)[:, [0, 0, 0, 1, 2, 3]])
    Coloring of rows: 4 x 6, 6 entries, 1 color
    """
    check_order(order)
    entries = sorted_pattern(pattern)
    colors = _distinct_in_rows(sorted_pattern(entries.T), order, seed)
    return Coloring(entries, "rows", row_colors=colors)


def color_star(pattern: object, order: str = "best", seed: int | None = None) -> Coloring:
    """Color the columns of a symmetric matrix so that no path of four vertices has two colors.

    Each entry stands alone in one of its two places, and is read off (direct recovery).  Colors
    that no entry is read from are dropped.

    Two neighbors of a vertex have the same color only if both come after it in a ranking of the
    vertices, which is a little more than a star coloring asks for: so the coloring is first fit
    over cliques.  Independent sets as ranks give the fewest colors.

    Parameters
    ----------
    pattern : sparse array, array_like
        Shape (n, n), symmetric: both triangles.
    order, seed : optional
        As in `color_columns`; also the ranking, unless it is ``"best"``.

    Returns
    -------
    Coloring

    Raises
    ------
    ValueError
        If the pattern is not symmetric, or `order` is none of these.

    Notes
    -----
    Coleman and More 1984, "Estimation of sparse Hessian matrices and graph coloring problems";
    Gebremedhin, Manne and Pothen 2005, "What color is your Jacobian?", sections 4 and 6.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.coloring import color_star
    >>> arrow = np.eye(6)
    >>> arrow[0] = arrow[:, 0] = 1
    >>> color_star(arrow)
    Star coloring: 6 x 6, 16 entries, 2 colors
    """
    check_order(order)
    entries = sorted_pattern(pattern)
    check_symmetric(entries)
    candidates = _symmetric(entries, star_cliques, order, seed)
    colors = _fewest(_read_from(entries, colors) for colors in candidates)
    return Coloring(entries, "star", colors)


def color_acyclic(pattern: object, order: str = "best", seed: int | None = None) -> Coloring:
    """Color the columns of a symmetric matrix so that no cycle has two colors.

    Entries follow from each other by substitution: fewer colors than `color_star`, but errors of
    the products add up along chains of entries.

    Parameters, result and errors are those of `color_star`.

    Notes
    -----
    Coleman and Cai 1986, "The cyclic coloring problem and estimation of sparse Hessian
    matrices"; Gebremedhin, Tarafdar, Pothen and Walther 2009.  The coloring is a triangular one
    (Coleman and More 1984, section 5).

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.coloring import color_acyclic
    >>> color_acyclic(np.tri(6, k=1) - np.tri(6, k=-2))
    Acyclic coloring: 6 x 6, 16 entries, 2 colors
    """
    check_order(order)
    entries = sorted_pattern(pattern)
    check_symmetric(entries)
    colors = _fewest(_symmetric(entries, tree_cliques, order, seed, large=("natural",)))
    return Coloring(entries, "acyclic", _without_empty(entries, colors))


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
        longest = max(_longest_row(column_cliques), _longest_row(row_cliques))
        if best is not None and longest >= _count(*best):  # dropped colors seldom make up for that
            continue
        colors = _read_from_both(
            entries,
            first_fit(column_cliques, np.argsort(column_rank, kind="stable")),
            first_fit(row_cliques, np.argsort(row_rank, kind="stable")),
        )
        if best is None or _count(*colors) < _count(*best):
            best = colors
    assert best is not None
    if order == "best":
        if _longest_row(entries) < _count(*best):
            by_columns = _distinct_in_rows(entries, order, seed)
            best = min(best, (by_columns, np.full(rows, -1)), key=_count_both)
        transposed = sorted_pattern(entries.T)
        if _longest_row(transposed) < _count(*best):
            by_rows = _distinct_in_rows(transposed, order, seed)
            best = min(best, (np.full(columns, -1), by_rows), key=_count_both)
    return Coloring(entries, "bidirectional", *best)


def _distinct_in_rows(entries: csr_array, order: str, seed: int | None) -> Ints:
    """Colors of columns that are distinct in each row; -1 for columns without entries."""
    if order != "best":
        colors = first_fit(entries, vertex_order(entries, order, seed))
        return _without_empty(entries, colors)
    best = first_fit(entries)
    for name in _ALL if entries.nnz <= _FEW else _STATIC:
        if _count(best) <= _longest_row(entries):
            break
        best = _fewest((best, first_fit(entries, vertex_order(entries, name))))
    return _without_empty(entries, recolored(entries, best, _rounds(entries)))


def _symmetric(
    entries: csr_array,
    cliques_of: Callable[[csr_array, Ints], csr_array],
    order: str,
    seed: int | None,
    large: tuple[str, ...] = (),
) -> Iterator[Ints]:
    """Colorings by several ranks, or by that of one order.

    Parameters
    ----------
    large : tuple of str
        The orders that are tried on large patterns, besides independent sets.
    """
    edges = edge_cliques(entries)
    if order != "best":
        ordered = vertex_order(edges, order, seed)
        yield first_fit(cliques_of(entries, _rank(ordered)), ordered)
        return
    names = _ALL if entries.nnz <= _FEW else _STATIC if entries.nnz <= _SOME else large
    ranks = [_rank(vertex_order(edges, name)) for name in names]
    fewest = None
    for rank in (_independent_sets(edges), *ranks):
        cliques = cliques_of(entries, rank)
        by_rank = first_fit(cliques, np.argsort(rank))
        colors = recolored(cliques, _fewest((by_rank, first_fit(cliques))), _rounds(cliques))
        if fewest is None or _count(colors) <= fewest:
            fewest = _count(colors)
            yield colors


def _independent_sets(edges: csr_array) -> Ints:
    """Ranks by the colors of an ordinary coloring, those with vertices of high degree first.

    The last are independent of each other, so that none of them is an early neighbor.
    """
    ordered = vertex_order(edges, "largest_first")
    colors = first_fit(edges, ordered)
    return _rank(np.argsort(colors, kind="stable"))


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
        rank = _rank(vertex_order(edges, order, seed))
        yield rank[:rows], rank[rows:]
        return
    degrees = np.concatenate(
        [np.diff(entries.indptr), np.bincount(entries.indices, minlength=columns)]
    )
    is_row = np.arange(rows + columns) < rows
    for bound in _bounds(degrees):
        dense = np.where(degrees > bound, -degrees, 0)
        for columns_last in (False, True):
            rank = _rank(np.lexsort((is_row ^ columns_last, dense)))
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


def _read_from(entries: csr_array, colors: Ints) -> Ints:
    """The star coloring without the colors that no entry needs to be read from."""
    count = _count(colors)
    of_entries, alone = direct_by_columns(entries, colors, "star")
    mirrored = transposed_places(entries)
    first = np.where(alone, of_entries, -1)
    return _renumbered(colors, needed_colors(first, first[mirrored], count))


def _read_from_both(entries: csr_array, columns: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """The same for colors of columns and rows."""
    from_columns, alone_in_row = direct_by_columns(entries, columns, "bidirectional")
    from_rows, alone_in_column = direct_by_rows(entries, rows)
    num_columns, num_rows = _count(columns), _count(rows)
    needed = needed_colors(
        np.where(alone_in_row, from_columns, -1),
        np.where(alone_in_column, from_rows + num_columns, -1),
        num_columns + num_rows,
    )
    return _renumbered(columns, needed[:num_columns]), _renumbered(rows, needed[num_columns:])


def _renumbered(colors: Ints, needed: Ints) -> Ints:
    numbers = np.where(needed, np.cumsum(needed) - 1, -1)
    result: Ints = numbers[colors] if len(numbers) else np.full(len(colors), -1)
    return result


def _without_empty(entries: csr_array, colors: Ints) -> Ints:
    """No color for columns without entries, nor for numbers that only they had."""
    used = np.bincount(entries.indices, minlength=entries.shape[1]) > 0
    needed = np.bincount(colors[used], minlength=_count(colors)) > 0
    return np.where(used, _renumbered(colors, needed), -1)


def _fewest(candidates: Iterator[Ints] | tuple[Ints, ...]) -> Ints:
    return min(candidates, key=_count)


def _longest_row(entries: csr_array) -> int:
    """No coloring of columns has fewer colors."""
    return int(np.diff(entries.indptr).max(initial=0))


def _count_both(colors: tuple[Ints, Ints]) -> int:
    return _count(*colors)


def _count(*colors: Ints) -> int:
    return sum(int(side.max(initial=-1)) + 1 for side in colors)


def _rank(ordered: Ints) -> Ints:
    """The place of each vertex in an order."""
    rank = np.empty(len(ordered), dtype=np.intp)
    rank[ordered] = np.arange(len(ordered))
    return rank


def _rounds(cliques: csr_array) -> int:
    """How often a coloring is improved: what costs little beside the coloring itself."""
    return 6 if cliques.nnz <= 10**6 else 3 if cliques.nnz <= 10**7 else 0
