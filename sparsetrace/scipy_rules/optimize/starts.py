"""Whether what a search finds varies with the place where it starts.

Contract: where what is sought is isolated, it does not, but for less than the search's tolerance.
Along a direction in which a function is flat, or of an unknown that nothing reads, the search stays
where it began: ``minimize(lambda v: (v[0] + v[1] - a) ** 2, x0)``.  At a point a second search
tells, from a start aside.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.scipy_rules.rule_tools import current

__all__ = ["aside", "beside_starts", "varies"]

_SHARE = 0.05
"""Of its size, or of 1 if that is more, a number is moved by at most..."""
_SEEN = 0.02
"""...and by more than so much of that a result has moved with it: tolerances are less."""
_STRIDE = 0.5 * (5**0.5 - 1)


def aside(start: Any) -> tuple[Any, float]:
    """Numbers like those of a start, each moved by another amount, and the largest of these.

    Examples
    --------
    >>> moved, most = aside([1.0, -2.0])
    >>> [round(x, 3) for x in moved], round(most, 3)
    ([1.04, -2.062], 0.062)
    """
    values = np.asarray(start) * 1.0
    number = np.arange(1, values.size + 1).reshape(values.shape)
    signs = np.where(number * 2**0.5 % 1 < 0.5, 1, -1)
    amounts = _SHARE * np.maximum(np.abs(values), 1) * (0.5 + 0.5 * (number * _STRIDE % 1))
    moved = values + signs * amounts
    most = float(np.max(amounts, initial=0.0))
    if isinstance(start, list | tuple):
        return type(start)(moved.tolist()), most
    return (moved if np.ndim(start) else moved[()]), most


def varies(found: Any, search: Callable[[], Any], most: float) -> NDArray[np.bool_]:
    """Which numbers of what was found another search finds elsewhere, whose start was moved.

    Parameters
    ----------
    found : ndarray
    search : callable
        The other one; where it fails, all may be elsewhere.
    most : float
        How far its start was moved.
    """
    with warnings.catch_warnings():  # the first search has given the same
        warnings.simplefilter("ignore")
        try:
            again = np.asarray(search())
        except Exception:
            return np.ones(np.shape(found), bool)
    if again.shape != np.shape(found):
        return np.ones(np.shape(found), bool)
    result: NDArray[np.bool_] = np.asarray(~(np.abs(again - found) <= _SEEN * most))
    return result


def beside_starts(ids: Ids, starts: Ids, where: NDArray[np.bool_] | bool = True) -> Ids:
    """The ids of what a search finds, of which some vary with the start too, nonlinearly.

    Parameters
    ----------
    ids : ndarray of int32
    starts : ndarray of int32
        What the start depends on, of shape () or of the shape of `ids`.
    where : bool or ndarray of bool
    """
    graph = current().graph
    both = interact_all(graph, graph.union(ids, np.broadcast_to(starts, ids.shape)))
    return np.where(where, both, ids).astype(np.int32)
