"""What masks pick, where a traced function returns it: ``return x[x > 0]``.

Contract: a Jacobian has one shape, so the pattern is that of all inputs for which the function
returns as many values as for the given arguments.  How many a mask picks then follows from that
number, and of m picked elements of n candidates the i-th is one of the i-th to the (n - m + i)-th.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from sparsetrace.arrays.picked import PickedArray
from sparsetrace.arrays.picks import meet
from sparsetrace.arrays.uncounted import UncountedArray
from sparsetrace.context import Trace
from sparsetrace.graph.graph import Graph, Ids
from sparsetrace.operands.operands import Elements, ids_of

__all__ = ["of_size"]


def of_size(trace: Trace, leaves: Sequence[Any], size: float) -> list[Any]:
    """The arrays and numbers of a result, with as many elements of each as make up its size.

    Parameters
    ----------
    trace : Trace
    leaves : sequence
        Some of them picked.
    size : float
        How many elements all have together; infinite for as many as there may be.

    Returns
    -------
    list
        As given where masks differ.  Where no number fits, all candidates: this is another size.
    """
    picked = [x for x in leaves if isinstance(x, PickedArray)]
    first = picked[0]._pick
    if not all(meet(trace, first, x._pick) for x in picked):
        return list(leaves)
    others = sum(int(np.size(x)) for x in leaves if not isinstance(x, PickedArray))
    each = sum(x._candidates.size // max(x._candidates.shape[x._axis], 1) for x in picked)
    is_any = isinstance(picked[0], UncountedArray)
    count = (size - others) / each if each else 0.0
    if not (0 <= count <= (inf if is_any else len(first)) and count % 1 == 0):
        count = 1 if is_any else len(first)
    return [_of_count(x, int(count)) if isinstance(x, PickedArray) else x for x in leaves]


def _of_count(x: PickedArray, count: int) -> Any:
    """So many elements, each the union of the candidates that it may be.

    In the order of the candidates, which everything keeps that does not take any for each.
    """
    trace = x._trace
    candidates = x._unknown()
    ids = np.moveaxis(np.asarray(ids_of(trace, candidates)), x._axis, -1)
    run = x._pick.run if x._pick.outer is None else None
    if isinstance(x, UncountedArray):
        ids = np.repeat(ids, count, axis=-1)  # each may be any
    elif run is not None:
        ids = ids[..., run(count)]
    else:
        ids = _windows(trace.graph, ids, count)
    if trace.dependency and ids.size:  # which ones they are depends on the whole mask
        every = trace.graph.union_rows(np.asarray(x._pick.every(trace)))
        ids = trace.graph.union(ids, np.broadcast_to(every, ids.shape))
    return trace.wrap(
        Elements(np.array(np.moveaxis(ids, -1, x._axis)), candidates.dtype, keep_array=True)
    )


def _windows(graph: Graph, ids: Ids, count: int) -> Ids:
    """The unions of all parts of neighbours along the last axis, of which there are `count`."""
    n = ids.shape[-1]
    if not count:
        return ids[..., :0]
    width, wide = 1, n - count + 1
    while 2 * width <= wide:
        ids = graph.union(ids[..., :-width], ids[..., width:])
        width *= 2
    if width < wide:
        ids = graph.union(ids[..., :count], ids[..., wide - width :])
    return ids
