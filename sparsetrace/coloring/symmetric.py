"""Colorings of symmetric matrices: star colorings, read off, and acyclic ones, by substitution."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.sparse import csr_array

from sparsetrace.coloring.cliques import edge_cliques, sorted_pattern, star_cliques, tree_cliques
from sparsetrace.coloring.coloring import Coloring
from sparsetrace.coloring.counting import count, fewest, renumbered, without_empty
from sparsetrace.coloring.first_fit import Ints, first_fit, recolored, rounds_for
from sparsetrace.coloring.orders import (
    ALL_ORDERS,
    CHEAP_ORDERS,
    FEW,
    SOME,
    check_order,
    rank_of,
    vertex_order,
)
from sparsetrace.coloring.recovery import (
    check_symmetric,
    direct_by_columns,
    needed_colors,
    transposed_places,
)
from sparsetrace.coloring.trees import fewest_possible, with_fewer_colors, without_cycles

__all__ = ["color_acyclic", "color_star"]

_MOST_LOOPED = 500_000
"""Entries up to which ``order="best"`` looks for trees one vertex after the other."""


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
    if order == "best":
        candidates = _by_ranks(entries, star_cliques)
        colors = fewest(_read_from(entries, colors) for colors in candidates)
    else:
        ordered = vertex_order(edge_cliques(entries), order, seed)
        cliques = star_cliques(entries, rank_of(ordered))
        colors = _read_from(entries, first_fit(cliques, ordered))
    return Coloring(entries, "star", colors)


def color_acyclic(pattern: object, order: str = "best", seed: int | None = None) -> Coloring:
    """Color the columns of a symmetric matrix so that no cycle has two colors.

    Entries follow from each other by substitution: fewer colors than `color_star`, but errors of
    the products add up along chains of entries.

    Parameters, result and errors are those of `color_star`.

    Notes
    -----
    Coleman and Cai 1986, "The cyclic coloring problem and estimation of sparse Hessian
    matrices"; Gebremedhin, Tarafdar, Pothen and Walther 2009.  One vertex after the other gets
    a color that closes no cycle.  ``"best"`` starts from triangular colorings (Coleman and More
    1984, section 5), which are quicker and as good on bands and arrows; beyond 500,000 entries
    it ends with them.

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
    if order == "best":
        colors = _fewest_acyclic(entries)
    else:
        colors = without_cycles(entries, vertex_order(edge_cliques(entries), order, seed))
    return Coloring(entries, "acyclic", without_empty(entries, colors))


def _fewest_acyclic(entries: csr_array) -> Ints:
    """The best of triangular colorings and of those by trees."""
    edges = edge_cliques(entries)
    best = fewest(_by_ranks(entries, tree_cliques, large=("natural",)))
    least = fewest_possible(len(np.unique(edges.indices)), edges.shape[0])
    if entries.nnz > _MOST_LOOPED:
        return best
    for name in ALL_ORDERS if entries.nnz <= FEW else CHEAP_ORDERS:
        if count(best) <= least:
            break
        ordered = vertex_order(edges, name)
        if count(best) > least + 1:
            best = fewest((best, without_cycles(entries, ordered)))
        while count(best) > least:
            fewer = with_fewer_colors(entries, ordered, count(best) - 1)
            if fewer is None:
                break
            best = fewer
    return best


def _by_ranks(
    entries: csr_array,
    cliques_of: Callable[[csr_array, Ints], csr_array],
    large: tuple[str, ...] = (),
) -> Iterator[Ints]:
    """Colorings by several ranks of the vertices, each better than the one before or as good.

    Parameters
    ----------
    large : tuple of str
        The orders that are tried on large patterns, besides independent sets.
    """
    edges = edge_cliques(entries)
    names = ALL_ORDERS if entries.nnz <= FEW else CHEAP_ORDERS if entries.nnz <= SOME else large
    ranks = [rank_of(vertex_order(edges, name)) for name in names]
    least = None
    for rank in (_independent_sets(edges), *ranks):
        cliques = cliques_of(entries, rank)
        by_rank = first_fit(cliques, np.argsort(rank))
        colors = recolored(cliques, fewest((by_rank, first_fit(cliques))), rounds_for(cliques))
        if least is None or count(colors) <= least:
            least = count(colors)
            yield colors


def _independent_sets(edges: csr_array) -> Ints:
    """Ranks by the colors of an ordinary coloring, those with vertices of high degree first.

    The last are independent of each other, so that none of them is an early neighbor.
    """
    ordered = vertex_order(edges, "largest_first")
    colors = first_fit(edges, ordered)
    return rank_of(np.argsort(colors, kind="stable"))


def _read_from(entries: csr_array, colors: Ints) -> Ints:
    """The star coloring without the colors that no entry needs to be read from."""
    of_entries, alone = direct_by_columns(entries, colors, "star")
    mirrored = transposed_places(entries)
    first = np.where(alone, of_entries, -1)
    return renumbered(colors, needed_colors(first, first[mirrored], count(colors)))
