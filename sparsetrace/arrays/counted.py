"""Arrays of as many elements as a whole number says that the inputs decide: ``np.zeros(m.sum())``.

Contract: they are what a mask picks of an array with as many elements as there are at the most: of
one whose truths the number counts it picks the same as ``x[m]`` does.  Where somebody asks how many
there are, each value of the number is a path, if there are few.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sparsetrace.arrays.picked import PickedArray
from sparsetrace.arrays.picked_shapes import PickedShape
from sparsetrace.arrays.picks import Pick
from sparsetrace.arrays.value_bounds import FEW_VALUES
from sparsetrace.context import Trace
from sparsetrace.errors import INDEX
from sparsetrace.operands.operands import Elements, is_number, is_traced
from sparsetrace.operands.raising import may_raise

__all__ = ["counted_array"]

_MOST = 10_000
"""So many elements there may be."""
_NEGATIVE = partial(ValueError, "negative dimensions are not allowed")


def counted_array(make: Callable[[Any], Any], shape: Any) -> PickedArray | None:
    """What a function makes of a shape with a number of many values; None if there is none.

    Parameters
    ----------
    make : callable
        Gives an ordinary array of a shape of known numbers.
    shape : int, or sequence of int
        Of which one may depend on the inputs.
    """
    if isinstance(shape, PickedShape):
        return _as_many(make, shape)
    numbers = list(shape) if isinstance(shape, (list, tuple)) else [shape]
    places = [i for i, number in enumerate(numbers) if is_traced(number)]
    if len(places) != 1 or not _is_whole(numbers[places[0]]):
        return None
    (place,) = places
    number = numbers[place]
    trace = number._trace
    if (
        trace.local
        or trace.bounds is None
        or trace.masks is None
        or INDEX not in trace.masks.places
    ):
        return None
    pick = _pick(trace, number)
    if pick is None or pick.place in trace.masks.places:
        return None
    numbers[place] = len(pick)
    return _picked(trace, pick, make(tuple(numbers)), place - len(numbers))


def _as_many(make: Callable[[Any], Any], shape: PickedShape) -> PickedArray | None:
    """The same of the shape of what a mask picks, if that may be of many lengths."""
    if len(shape.pick) < FEW_VALUES:
        return None
    made = make(shape.with_length(len(shape.pick)))
    return _picked(shape.trace, shape.pick, made, shape.place - len(shape))


def _picked(trace: Trace, pick: Pick, made: Any, axis: int) -> PickedArray:
    """The elements of an ordinary array that are picked."""
    ids = np.array(trace.graph.constant(made))
    candidates = trace.wrap(Elements(ids, made.dtype, keep_array=True))
    return PickedArray._of(trace, pick, candidates, axis)


def _is_whole(number: Any) -> bool:
    return is_number(number) and number._dtype.kind in "iu"


def _pick(trace: Trace, number: Any) -> Pick | None:
    """What picks so many elements; None if nobody knows how many there are at the most."""
    assert trace.bounds is not None
    assert trace.names is not None
    low, high = trace.bounds.of(number)
    if not high <= _MOST:
        return None
    counted = trace.bounds.counted(number)
    if counted is not None:
        name, ids = counted
        pick = Pick(trace, trace.wrap(Elements(ids.copy(), np.dtype(bool), keep_array=True)))
        pick.name, pick.opposite = name, trace.names.opposites.get(name)
    else:
        if low < 0:
            may_raise(trace, _NEGATIVE)
        pick = Pick(trace, np.arange(max(int(high), 0)) < number)
    pick.number = number
    return pick
