"""Colorings of columns, and of rows: each entry is read from a product of its own.

Each is first fit over cliques, which are the rows of the matrix.
"""

from __future__ import annotations

from scipy.sparse import csr_array

from sparsetrace.coloring.cliques import sorted_pattern
from sparsetrace.coloring.coloring import Coloring
from sparsetrace.coloring.counting import count, fewest, longest_row, without_empty
from sparsetrace.coloring.first_fit import Ints, first_fit, recolored, rounds_for
from sparsetrace.coloring.orders import ALL_ORDERS, CHEAP_ORDERS, FEW, check_order, vertex_order

__all__ = ["color_columns", "color_rows", "distinct_in_rows"]


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
    return Coloring(entries, "columns", distinct_in_rows(entries, order, seed))


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
    colors = distinct_in_rows(sorted_pattern(entries.T), order, seed)
    return Coloring(entries, "rows", row_colors=colors)


def distinct_in_rows(entries: csr_array, order: str, seed: int | None) -> Ints:
    """Colors of columns that are distinct in each row; -1 for columns without entries."""
    if order != "best":
        colors = first_fit(entries, vertex_order(entries, order, seed))
        return without_empty(entries, colors)
    best = first_fit(entries)
    for name in ALL_ORDERS if entries.nnz <= FEW else CHEAP_ORDERS:
        if count(best) <= longest_row(entries):
            break
        best = fewest((best, first_fit(entries, vertex_order(entries, name))))
    return without_empty(entries, recolored(entries, best, rounds_for(entries)))
