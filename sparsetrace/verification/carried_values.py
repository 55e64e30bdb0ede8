"""The values that a trace at a point carried to the outputs, against one plain call.

Contract: one plain call where they are equal but for rounding.  Where they are not, further
calls tell what the difference is: rounding that the function itself amplifies, a function
that never answers the same, or a trace that went another way than the function goes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.errors import VerificationError
from sparsetrace.tracing.arguments import TracedCall
from sparsetrace.tracing.pytree import leaves
from sparsetrace.verification.plain_calls import PlainFunction, numbers_of
from sparsetrace.verification.sampling import alike, warn

__all__ = ["compare_values"]

Vector = NDArray[Any]
_REMEDY = (
    "The trace took another way than the function takes when it is called, and its pattern may "
    "lack entries. Look for what tells the two apart (types, state that the function keeps, "
    "compiled code); verify=False leaves this comparison out."
)


def compare_values(traced_call: TracedCall, values: list[Vector]) -> None:
    """Compare what a trace of the call at a point returned, leaf by leaf, with a plain call.

    Raises
    ------
    VerificationError
        If the numbers, or how many of them there are, differ.
    """
    plain = PlainFunction(traced_call)
    result = plain.first(plain.point)
    if result is None:
        raise VerificationError(
            f"{plain.title}: at the point of the trace a plain call fails ({plain.failure}), "
            f"and the traced one did not. {_REMEDY}"
        )
    shapes = [np.shape(leaf) for leaf in leaves(plain.last)]
    traced_shapes = [leaf.shape for leaf in values]
    carried, eps = numbers_of(values)
    same_shapes = len(shapes) != len(traced_shapes) or shapes == traced_shapes
    if len(carried) == len(result) and same_shapes:
        differ = _differ(carried, result, max(eps, plain.eps))
        if not differ.any():
            return
        again = plain.at(plain.point)
        if again is None or not alike(result, again):
            warn(
                f"{plain.title} is not deterministic: two plain calls at the same point differ, "
                "and what a trace at that point carried could not be compared"
            )
            return
        differ &= ~_amplified(plain, result, carried)
        if not differ.any():
            return
        row = int(np.argmax(differ))
        name = plain.row_name(row)
        raise VerificationError(
            f"{plain.title}: output {name} (row {row}) is {result[row]} when the function is "
            f"called plainly, and {carried[row]} in the trace at the same point. {_REMEDY}",
            row=row,
            row_name=name,
        )
    again = plain.result(plain.point)
    if [np.shape(leaf) for leaf in leaves(again)] != shapes:
        warn(
            f"{plain.title} is not deterministic: two plain calls at the same point return "
            "results of different shapes, and what a trace carried could not be compared"
        )
        return
    raise VerificationError(
        f"{plain.title}: at the point of the trace a plain call returns {len(result)} numbers of "
        f"shape(s) {shapes}, the traced one {len(carried)} of shape(s) {traced_shapes}. {_REMEDY}"
    )


def _differ(carried: Vector, result: Vector, eps: float) -> NDArray[np.bool_]:
    """Where two results differ by more than rounding and another order of summation."""
    sizes = np.abs(result)
    scale = sizes[np.isfinite(sizes)].max(initial=0.0)
    with np.errstate(invalid="ignore"):
        near = np.abs(carried - result) <= max(1e-6, np.sqrt(eps)) * sizes + 1e4 * eps * scale
    same = (carried == result) | (np.isnan(carried) & np.isnan(result))
    return np.asarray(~(same | (near & np.isfinite(sizes))))


def _amplified(plain: PlainFunction, result: Vector, carried: Vector) -> NDArray[np.bool_]:
    """Where inputs that differ in their last digits make as large a difference."""
    largest = np.zeros(len(result))
    for sign in (4.0, -4.0):
        there = plain.at(plain.point + sign * plain.eps * plain.sizes)
        if there is None:
            continue
        with np.errstate(invalid="ignore"):
            change = np.abs(there - result)
        largest = np.maximum(largest, np.where(np.isfinite(change), change, 0))
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(carried - result) <= 1e3 * largest)
