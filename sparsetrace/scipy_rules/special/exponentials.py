"""Logarithms of sums of exponentials, and softmax.

Contract: shifted by the maximum as SciPy does, but taken as a constant, since the shift
cancels; SciPy's own code compares the elements with it, which at a point decides too much.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE
from sparsetrace.operands.operands import dtype_of
from sparsetrace.scipy_rules.registration import Call, array_of, current, lines, made

__all__ = ["TABLE"]


def _shifted(a: Any, axis: Any) -> tuple[Any, Any]:
    """The elements less their maximum, and the maximum."""
    trace = current()
    largest = np.max(a, axis=axis, keepdims=True)
    if trace.local:
        values = np.array(largest._values)
        top = np.where(np.isfinite(values), values, 0)
    else:
        top = made(trace, np.full(largest.shape, OPAQUE, np.int32), largest.dtype)
    return a - top, top


def _logsumexp(
    call: Call,
    a: Any,
    axis: Any = None,
    b: Any = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Any:
    a = array_of(a)
    if b is not None:
        a, b = a + 0 * np.asarray(np.zeros(np.shape(b))), array_of(b)
    shifted, top = _shifted(a, axis)
    powers = np.exp(shifted) if b is None else b * np.exp(shifted)
    total = np.sum(powers, axis=axis, keepdims=True)
    sign = np.sign(total)
    found = np.log(np.abs(total) if return_sign else total) + top
    if not keepdims:
        found, sign = (np.squeeze(part, axis=axis) for part in (found, sign))
    if np.ndim(found) == 0:
        found, sign = found[()], sign[()]
    return (found, sign) if return_sign else found


def _inner(call: Call, a: Any, b: Any, *, axis: Any, return_sign: bool, xp: Any) -> Any:
    """SciPy's own helper: with the dimensions kept, and always with a sign."""
    found, sign = _logsumexp(call, a, axis, b, keepdims=True, return_sign=True)
    if not return_sign and dtype_of(found).kind != "c":
        found = np.where(sign < 0, np.nan, found)
    return found, sign if return_sign else None


def _softmax(call: Call, x: Any, axis: Any = None) -> Any:
    powers = np.exp(_shifted(array_of(x), axis)[0])
    return powers / np.sum(powers, axis=axis, keepdims=True)


def _log_softmax(call: Call, x: Any, axis: Any = None) -> Any:
    shifted, _ = _shifted(array_of(x), axis)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


TABLE = {
    **lines(
        "scipy.special",
        {"logsumexp": _logsumexp, "softmax": _softmax, "log_softmax": _log_softmax},
    ),
    **lines("scipy.special._logsumexp", {"_logsumexp": _inner}),
}
