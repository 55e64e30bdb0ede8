"""Steps at a point: outcomes without derivative that are others nearby.

Contract: in a local trace a comparison, a mask, an index or a rounded number is that of the point.
Where it is another one as soon as the operands move (numbers compared are equal, a maximum has
several places, a rounded number is whole), the point lies where pieces of the function meet.  What
is chosen there need not belong to any piece: neither ``x > 0`` nor ``x < 0`` holds at 0.  So it is
noted, in ``trace.at_a_step``, and the function is run once more at a point aside
(`sparsetrace.tracing.driver`), in one of the pieces: where the function has a derivative, that is
the piece's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import absolute, arange, asarray, count_nonzero, errstate, finfo, isfinite
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import ZERO
from sparsetrace.operands.operands import contains_traced, ids_of, is_traced, values_of

__all__ = ["aside", "note_comparison", "note_conversion", "note_step", "note_zeros"]

_STEP = 1e-9
"""By how much numbers move, relative to one and to their own size; of float32 by more."""
_SPREAD = 0.6180339887498949
"""Multiples of it differ in their fractions: equal numbers move apart."""


def aside(values: NDArray[Any], sign: float, first: int = 0) -> NDArray[Any]:
    """Floating-point numbers moved a little, each by another amount.

    Examples
    --------
    >>> aside(np.zeros(2), 1.0)
    array([5.00000000e-10, 1.11803399e-09])
    """
    step = max(_STEP, 16 * float(finfo(values.dtype).eps))
    scale = sign * step * (1.0 + _SPREAD * first % 1.0)
    size = 1.0 + absolute(values)
    moves = scale * size * _amounts(values.size).reshape(values.shape)
    return asarray(values + moves, values.dtype)


@lru_cache(maxsize=16)
def _amounts(count: int) -> NDArray[Any]:
    """Different numbers between a half and three halves."""
    amounts = 0.5 + (_SPREAD * arange(count) % 1.0)
    amounts.flags.writeable = False
    return amounts


def note_comparison(trace: Trace, a: Any, b: Any) -> None:
    """Note a comparison of numbers that are equal, or NaN, and depend on the inputs."""
    if trace.at_a_step or a is b:
        return
    left, right = values_of(a), values_of(b)
    same = asarray((left == right) | (left != left) | (right != right))
    if count_nonzero(same):
        depends: Any = False
        for x in (a, b):
            if contains_traced(x) and asarray(values_of(x)).dtype.kind in "fc":
                depends = depends | (ids_of(trace, x) > ZERO)
        trace.at_a_step = bool(count_nonzero(same & depends))


def note_zeros(trace: Trace, x: Any) -> None:
    """Note zeros that depend on the inputs, where others are told from these."""
    if trace.at_a_step:
        return
    values = asarray(values_of(x))
    if values.dtype.kind in "fc":
        zeros = values == 0
        if count_nonzero(zeros):
            trace.at_a_step = bool(count_nonzero(zeros & (ids_of(trace, x) > ZERO)))


def note_step(
    trace: Trace,
    function: Callable[..., Any],
    args: Sequence[Any],
    outcome: Any,
    kwargs: Mapping[str, Any] | None = None,
) -> None:
    """Note an outcome that is another one where the operands move."""
    if trace.at_a_step or trace.dependency:
        return
    named = {} if kwargs is None else kwargs
    if any(map(callable, (*args, *named.values()))):
        return  # what a user's function chooses is noted where it is chosen
    for sign in (1.0, -1.0):
        try:
            with errstate(all="ignore"):
                moved = [_moved(trace, x, sign) for x in args]
                other = function(*moved, **{k: _moved(trace, x, sign) for k, x in named.items()})
        except Exception:  # it has no value there
            continue
        if not _alike(outcome, other):
            trace.at_a_step = True
            return


def note_conversion(trace: Trace, x: Any, outcome: Any) -> None:
    """Note numbers that are converted to whole ones or truth values where these change."""
    kind = asarray(outcome).dtype
    note_step(trace, lambda values: asarray(values).astype(kind), (x,), outcome)


def _moved(trace: Trace, x: Any, sign: float) -> Any:
    """An operand's values, those that depend on the inputs moved."""
    if not is_traced(x):
        if isinstance(x, (list, tuple)) and contains_traced(x):
            return [_moved(trace, item, sign) for item in x]
        return values_of(x)
    values = asarray(values_of(x))
    if values.dtype.kind not in "fc":
        return values_of(x)
    ids = ids_of(trace, x)
    first = int(ids.flat[0]) if ids.size else 0
    finite = np.where(isfinite(values), values, 0)  # an infinity is seldom one nearby
    return np.where(ids > ZERO, aside(finite, sign, first), values)[()]


def _alike(outcome: Any, other: Any) -> bool:
    """Whether two outcomes are the same; numbers that have no derivative."""
    if isinstance(outcome, (list, tuple)):
        if not isinstance(other, (list, tuple)) or len(outcome) != len(other):
            return False
        return all(map(_alike, outcome, other))
    if not isinstance(outcome, (np.ndarray, np.generic, bool, int, float)):
        return True
    first, second = asarray(outcome), asarray(other)
    if first.shape != second.shape:
        return False
    return not count_nonzero((first != second) & ((first == first) | (second == second)))
