"""Logarithms of sums of exponentials, and softmax.

Contract: the elements are shifted by their maximum, as in SciPy, but by a maximum that is
taken as a constant, since the shift cancels.  SciPy's own code compares the elements with it,
and at a point such a comparison would cut dependencies that there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.operands.operands import dtype_of
from sparsetrace.scipy_rules.rule_tools import array_of, current, harmless, made


def _shifted(a, axis) -> tuple[Any, Any]:
    """The elements less their maximum, and the maximum."""
    trace = current()
    largest = np.max(a, axis=axis, keepdims=True)
    if trace.local:
        values = np.array(largest._values)
        top = np.where(np.isfinite(values), values, 0)
    else:
        top = made(trace, np.full(largest.shape, trace.graph.opaque, np.int32), largest.dtype)
    return a - top, top


def logsumexp(a, axis, b, keepdims, return_sign):
    a = array_of(a)
    if b is not None:
        a, b = a + 0 * np.asarray(np.zeros(np.shape(b))), array_of(b)
    shifted, top = _shifted(a, axis)
    powers = np.exp(shifted) if b is None else b * np.exp(shifted)
    total = np.sum(powers, axis=axis, keepdims=True)
    sign = np.sign(total)
    result = np.log(np.abs(total) if return_sign else total) + top
    if not keepdims:
        result, sign = (np.squeeze(array, axis=axis) for array in (result, sign))
    if np.ndim(result) == 0:
        result, sign = result[()], sign[()]
    return (result, sign) if return_sign else result


@harmless("xp")  # NumPy, under its name for arrays of any library
def _logsumexp(a, b, axis, return_sign):
    """SciPy's own helper: with the dimensions kept, and always with a sign."""
    result, sign = logsumexp(a, axis, b, keepdims=True, return_sign=True)
    if not return_sign and dtype_of(result).kind != "c":
        result = np.where(sign < 0, np.nan, result)
    return result, sign if return_sign else None


def softmax(x, axis):
    powers = np.exp(_shifted(array_of(x), axis)[0])
    return powers / np.sum(powers, axis=axis, keepdims=True)


def log_softmax(x, axis):
    shifted, _ = _shifted(array_of(x), axis)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
