"""Functions of an element of each argument: piecewise polynomials at traced points, densities.

Contract: a result depends on its own point alone.  A polynomial of degree 0 in a coordinate
has a first derivative of zero, one of degree 1 a second derivative of zero.  The mixed
derivative in two coordinates may differ from zero where both degrees are positive.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.arrays.picked import PickedArray
from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids
from sparsetrace.graph.interactions import interact
from sparsetrace.operands.operands import ids_of, values_of
from sparsetrace.scipy_rules.rule_tools import current, made

__all__ = ["elementwise", "function_of", "polynomial_of"]

Pair = tuple[int, int]
Values = Callable[[NDArray[Any]], Any]


def polynomial_of(coordinates: Sequence[Any], degrees: Sequence[int], dtype) -> Any:
    """A piecewise polynomial of several coordinates, of these degrees in each of them."""
    varying = [degree > 0 for degree in degrees]
    linear = {(i, i) for i, degree in enumerate(degrees) if degree < 2}
    return function_of(coordinates, varying, linear, dtype)


def function_of(
    operands: Sequence[Any], varying: Sequence[bool], vanishing: Container[Pair], dtype
) -> Any:
    """Any function of the elements of several operands, which broadcast.

    Parameters
    ----------
    operands : sequence of traced or ordinary arrays
    varying : sequence of bool
        Whether the first derivative in each of them differs from zero anywhere.
    vanishing : container of (int, int)
        The pairs ``i <= j`` of operands that vary, whose second derivative is zero everywhere.
    dtype : dtype
    """
    picked = next((x for x in operands if isinstance(x, PickedArray)), None)
    if picked is not None:
        return picked.elementwise(lambda *xs: function_of(xs, varying, vanishing, dtype), operands)
    trace = current()
    ids: list[Ids] = [np.asarray(ids_of(trace, x)) for x in operands]
    shape = np.broadcast_shapes(*(operand_ids.shape for operand_ids in ids))
    used = [
        _in_pieces(trace, np.broadcast_to(each, shape), x, slopes=varies, bends=(i, i) in vanishing)
        for i, (each, x, varies) in enumerate(zip(ids, operands, varying, strict=True))
    ]
    since = trace.graph.size
    out = np.asarray(np.maximum(trace.graph.union_all(used), OPAQUE))
    if trace.second_order:
        pairs = [
            (used[i], used[j])
            for j in range(len(used))
            for i in range(j + 1)
            if varying[i] and varying[j] and (i, j) not in vanishing
        ]
        if pairs:
            out = interact(trace.graph, out, pairs, since)
    return made(trace, out, dtype)


def _in_pieces(trace: Trace, ids: Ids, x: Any, *, slopes: bool, bends: bool) -> Ids:
    """What remains of an operand in which a function is perhaps constant, or linear, in pieces."""
    if not slopes:
        if not trace.dependency:
            return np.full(ids.shape, trace.graph.opaque, np.int32)
        return ids if trace.moving is None else np.asarray(trace.moving.converted(ids))
    return np.asarray(trace.moving.placed(ids, x)) if bends and trace.moving is not None else ids


def elementwise(
    points,
    degrees: NDArray[Any],
    values: Values,
    derivatives: Sequence[Values],
    dtype,
    axis: int = 0,
) -> Any:
    """A piecewise polynomial of one coordinate, of several results for each point.

    Parameters
    ----------
    points : traced array or number
    degrees : ndarray of int
        The degree of each result, of the shape in which they come.
    values : callable
        The results at given points.
    derivatives : two callables
        The first and second derivatives, for a local trace: of both pieces at a break,
        where neither may be cut unless both vanish.
    dtype : dtype
    axis : int
        Where the axes of the points stand among those of the results.
    """
    trace = current()
    at = np.asarray(ids_of(trace, points))
    if trace.moving is not None and (degrees < 2).any():
        at = np.asarray(trace.moving.placed(at, points))
    count, order = degrees.ndim, _order(at.ndim, degrees.ndim, axis)
    ids = np.broadcast_to(at.reshape(at.shape + (1,) * count), at.shape + degrees.shape)
    no_slope, no_second = degrees < 1, degrees < 2
    at_point = None
    if trace.local:
        place = np.asarray(values_of(points))
        at_point = values(place)
        with np.errstate(all="ignore"):
            vanish = [np.asarray(_placed_back(d(place), order) == 0) for d in derivatives]
        no_slope, no_second = no_slope | vanish[0], no_second | vanish[1]
    no_slope, no_second = (
        np.broadcast_to(no_slope, ids.shape),
        np.broadcast_to(no_second, ids.shape),
    )
    if not trace.values:  # the derivatives of constants that change later
        no_slope = np.broadcast_to(degrees < 1, ids.shape)
        no_second = np.broadcast_to(degrees < 2, ids.shape)
    out = np.maximum(ids, OPAQUE)
    if no_slope.any() and not trace.dependency:
        out = np.where(no_slope, np.int32(trace.graph.opaque), out)
    elif no_slope.any() and trace.moving is not None:
        out = np.where(no_slope, trace.moving.converted(out), out)
    if trace.second_order:
        nonlinear = ids
        if no_second.any():
            nonlinear = np.where(no_second, np.int32(trace.graph.opaque), ids)
        if (nonlinear > OPAQUE).any():
            out = interact(trace.graph, out, [(nonlinear, nonlinear)], cut=trace.local)
    if not trace.local and (ids <= ZERO).any():
        known = np.asarray(
            _placed_back(values(trace.graph.known_values(at, np.dtype(float))), order)
        )
        out = np.where(ids <= ZERO, trace.graph.constant(known), out)
    array = out.transpose(order) if order else out
    return made(trace, array, dtype, at_point, scalar=False)


def _order(points: int, results: int, axis: int) -> list[int]:
    """The transposition that moves the axes of the points to their place."""
    if not axis or not points:
        return []
    axes = list(range(points + results))
    return axes[points : points + axis] + axes[:points] + axes[points + axis :]


def _placed_back(x, order: list[int]) -> Any:
    """The inverse of that transposition."""
    return np.transpose(x, np.argsort(order)) if order and np.ndim(x) else x
