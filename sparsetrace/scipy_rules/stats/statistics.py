"""Statistics whose code in SciPy branches on the values; all others are traced through it.

Contract: a result depends on all elements of its sample.
"""

from __future__ import annotations

import numpy as np

from sparsetrace.operands.operands import ids_of, values_of
from sparsetrace.scipy_rules.points import function_of
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    current,
    harmless,
    made,
    makes_objects,
)


def _mean(a, axis, weights, *, keepdims: bool):
    if weights is None:
        return np.mean(a, axis=axis, keepdims=keepdims)
    weights = array_of(weights)
    if weights.ndim < np.ndim(a) and weights.ndim == 1:
        places = [1] * np.ndim(a)
        places[axis] = -1
        weights = np.reshape(weights, places)
    total = np.sum(weights + 0.0 * np.ones(np.shape(a)), axis=axis, keepdims=keepdims)
    return np.sum(weights * a, axis=axis, keepdims=keepdims) / total


@harmless("dtype", "nan_policy")
def hmean(a, axis, weights, keepdims):
    return 1.0 / _mean(1.0 / array_of(a), axis, weights, keepdims=keepdims)


@harmless("dtype", "nan_policy")
def pmean(call: Call, a, p, axis, weights, keepdims):
    p, a = constant(call, p, "p"), array_of(a)
    if p == 0:
        return np.exp(_mean(np.log(a), axis, weights, keepdims=keepdims))
    return _mean(a ** float(p), axis, weights, keepdims=keepdims) ** (1 / p)


@harmless("nan_policy")
@makes_objects
def linregress(call: Call, x, y, alternative):
    """A line through points, linear in y where x is constant."""
    trace = current()
    x, y = array_of(x), array_of(y)
    x_mean, y_mean = np.mean(x), np.mean(y)
    x_off, y_off = x - x_mean, y - y_mean
    x_sum, y_sum = np.sum(x_off**2), np.sum(y_off**2)
    slope = np.sum(x_off * y) / x_sum
    r = np.sum(x_off * y_off) / np.sqrt(x_sum * y_sum)
    results = [slope, y_mean - slope * x_mean, r, 0.0, 0.0, 0.0]
    if len(x) > 2:
        error = np.sqrt((1 - r**2) * y_sum / x_sum / (len(x) - 2))
        results[3] = function_of([r], [True], (), np.dtype(float))
        results[4:] = error, error * np.sqrt(x_sum / len(x) + x_mean**2)
    points = ([0, 1, 2], [0, 1, 3])  # any, to learn of which type the result is
    if trace.local:
        points = values_of(x), values_of(y)
    plain = call.original(*points, alternative=alternative)
    if trace.local:
        values = map(np.asarray, (*plain, plain.intercept_stderr))
        results = [
            made(trace, ids_of(trace, result), float, value, scalar=True)
            for result, value in zip(results, values, strict=True)
        ]
    return type(plain)(*results[:5], intercept_stderr=results[5])
