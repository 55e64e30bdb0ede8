"""``scipy.signal``'s filters of one axis: recursive ones, smoothers, trends.

Contract: a filter with constant coefficients is linear, and its impulse response says
which outputs an input reaches.  With traced coefficients the recursion itself is run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.operands.implementations import function_named
from sparsetrace.operands.operands import contains_traced, is_traced
from sparsetrace.scipy_rules.impulses import (
    LARGEST,
    along,
    causal,
    dense_along,
    linear,
)
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    current,
    harmless,
    keeps_parts,
    patterns,
    spread,
    unknown,
)
from sparsetrace.scipy_rules.signal.convolution import full_convolution
from sparsetrace.scipy_rules.whole import total_of, whole, whole_if_traced

_ROUNDING = 1e-14


def _impulse(n: int) -> NDArray[Any]:
    impulse = np.zeros(n)
    impulse[:1] = 1.0
    return impulse


@keeps_parts
def lfilter(call, b, a, x, axis, zi=None):
    b, a, x = np.atleast_1d(array_of(b)), np.atleast_1d(array_of(a)), array_of(x)
    axis = normalize_axis_index(axis, x.ndim)
    if zi is not None:
        return _from_state(call, b, a, x, axis, array_of(zi))
    if contains_traced((b, a)):
        return _recursion(b, a, np.moveaxis(x, axis, -1), axis)
    response = call.original(patterns(b), _denominator(a), _impulse(x.shape[axis]))
    return causal(x, response, axis)


def _denominator(a):
    """The coefficients of the recursion; where zeros do not count, of one that never ends."""
    if current().values or len(a) == 1:
        return a
    return np.append(np.abs(a).sum() + 1.0, -np.ones(len(a) - 1))


def _recursion(b, a, x, axis: int) -> Any:
    """``a[0] y[i] = sum_k b[k] x[i - k] - sum_k a[k] y[i - k]``, step by step."""
    n = x.shape[-1]
    kernel = b.reshape((1,) * (x.ndim - 1) + (-1,))
    forced = full_convolution(x, kernel)[..., :n]
    rest = a[1:]
    if not contains_traced(rest) and not patterns(rest).any():
        return np.moveaxis(forced / a[0], -1, axis)
    steps: list[Any] = []
    for i in range(n):
        total = forced[..., i]
        for k in range(1, min(i, len(rest)) + 1):
            total = total - a[k] * steps[i - k]
        steps.append(total / a[0])
    return np.stack(steps, axis=axis) if steps else x


def _from_state(call: Call, b, a, x, axis: int, zi) -> Any:
    """The output and the last state, both linear in the signal and in the first state."""
    n, size = x.shape[axis], max(len(b), len(a)) - 1
    if zi.ndim != x.ndim or zi.shape[axis] != size:
        call.refuse("zi has another shape than x", f"Give it {size} elements along the axis.")
    if contains_traced((b, a)):
        y, state = _stepped(b, a, np.moveaxis(x, axis, -1), np.moveaxis(zi, axis, -1))
        return np.moveaxis(y, -1, axis), np.moveaxis(state, -1, axis)
    b, a = patterns(b), _denominator(a)
    rest, last = call.original(b, a, np.zeros((n, size)), axis=0, zi=np.eye(size))
    _, step = call.original(b, a, np.zeros((1, size)), axis=0, zi=np.eye(size))
    _, state = call.original(b, a, np.ones(1), zi=np.zeros(size))
    states = np.zeros((size, n))
    for i in range(n - 1, -1, -1):
        states[:, i] = state
        state = step @ state
    y = [lfilter(call, b, a, x, axis), _product(rest, zi, axis)]
    z = [_product(states, x, axis), _product(last, zi, axis)]
    shape = np.broadcast_shapes(y[0].shape, y[1].shape)
    return np.broadcast_to(y[0], shape) + y[1], z[0] + z[1]


def _stepped(b, a, x, zi) -> Any:
    """The output and the last state along the last axis, in direct form II transposed.

    ``y[n] = b[0] x[n] + z[0]``, then ``z[k] = b[k+1] x[n] - a[k+1] y[n] + z[k+1]``.
    """
    size = zi.shape[-1]
    b, a = (np.append(c, np.zeros(size + 1 - len(c))) / a[0] for c in (b, a))
    state = [zi[..., k] for k in range(size)] + [0.0]
    steps = []
    for i in range(x.shape[-1]):
        steps.append(b[0] * x[..., i] + state[0])
        for k in range(size):
            state[k] = b[k + 1] * x[..., i] - a[k + 1] * steps[-1] + state[k + 1]
    shape = np.broadcast_shapes(x.shape[:-1], zi.shape[:-1])
    columns = [np.broadcast_to(s, shape) for s in (*steps, *state[:size])]
    joined = np.stack(columns, axis=-1)
    return joined[..., : len(steps)], joined[..., len(steps) :]


def _product(matrix: NDArray[Any], x, axis: int) -> Any:
    """A matrix times each vector along an axis, traced or not."""
    if is_traced(x):
        return along(x, scipy.sparse.csr_array(matrix), axis)
    return np.moveaxis(np.moveaxis(x, axis, -1) @ matrix.T, -1, axis)


@keeps_parts
def sosfilt(call, sos, x, axis, zi):
    x = array_of(x)
    axis = normalize_axis_index(axis, x.ndim)
    if zi is not None or contains_traced(sos):
        return _by_sections(array_of(sos), x, axis, zi)
    return causal(x, call.original(sos, _impulse(x.shape[axis])), axis)


def _by_sections(sos, x, axis: int, zi) -> Any:
    """One section after the other, each with its own state."""
    functions, states = sys.modules["scipy.signal"], []
    for i, section in enumerate(np.atleast_2d(sos)):
        b, a = section[:3], section[3:]
        if zi is None:
            x = functions.lfilter(b, a, x, axis)
        else:
            x, state = functions.lfilter(b, a, x, axis, array_of(zi)[i])
            states.append(state)
    return (x, np.stack(states)) if states else x


def _two_ways(call: Call, x, axis: int, radius: int | None, *args, **options) -> Any:
    """A filter that runs forth and back."""
    x = array_of(x)
    axis = normalize_axis_index(axis, x.ndim)

    def function(signals: NDArray[Any]) -> Any:
        return call.original(*args, signals, **options)

    if radius is None and (x.shape[axis] > LARGEST or not current().values):
        return dense_along(x, axis)
    return linear(x, function, axis, radius, None if radius is None else _ROUNDING)


@keeps_parts
@whole_if_traced("b", "a")
def filtfilt(call, b, a, x, axis, padtype, padlen, method, irlen):
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    options = {"padtype": padtype, "padlen": padlen, "method": method, "irlen": irlen}
    radius = None
    b, a = patterns(b), _denominator(a)
    if not a[1:].any() and method == "pad":
        ends = 3 * max(len(a), len(b)) if padlen is None else int(padlen)
        radius = 2 * len(b) + (ends if padtype else 0)
    return _two_ways(call, x, axis, radius, b, a, **options)


@keeps_parts
def sosfiltfilt(call, sos, x, axis, padtype, padlen):
    if contains_traced(sos):
        sections = np.tile([1.0, 0, 0, 1, 0, 0], (np.shape(sos)[0], 1))
        sample = call.plainly(sections, np.zeros(np.shape(x)), axis, padtype, padlen)
        return spread(current(), total_of(sos, x), sample)
    return _two_ways(call, x, axis, None, sos, padtype=padtype, padlen=padlen)


def savgol_coeffs(call, window_length, polyorder, deriv, delta, pos, use):
    if contains_traced(pos):
        return whole(call, window_length, polyorder, deriv, delta, pos, use)
    return call.original(window_length, polyorder, deriv, 1.0, pos, use) / delta**deriv


@keeps_parts
@whole_if_traced("cval")
def savgol_filter(call, x, window_length, polyorder, deriv, delta, axis, mode, cval):
    x = array_of(x)
    axis = normalize_axis_index(axis, x.ndim)

    def function(signals: NDArray[Any]) -> Any:
        return call.original(signals, window_length, polyorder, deriv, step, -1, mode)

    step = delta
    if contains_traced(delta):
        step, x = 1.0, x * delta**-deriv if deriv else x
    if not is_traced(x):
        return np.moveaxis(function(np.moveaxis(x, axis, -1)), -1, axis)
    result = linear(x, function, axis, int(window_length), _ROUNDING)
    return unknown(result) if mode == "constant" and cval else result


@keeps_parts
@harmless("overwrite_data")
def detrend(call, data, axis, type, bp):
    x = array_of(data)
    axis = normalize_axis_index(axis, x.ndim)
    if type in ("constant", "c"):
        return x - np.mean(x, axis, keepdims=True)
    if type not in ("linear", "l"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    n = x.shape[axis]
    ends = np.unique(np.concatenate([np.atleast_1d(constant(call, bp, "bp")), [0, n]]))
    segments = np.moveaxis(x, axis, -1)
    results = []
    for start, stop in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        segment = segments[..., start:stop]
        if stop - start > LARGEST:
            results.append(dense_along(segment, -1))
            continue
        results.append(linear(segment, call.original, segment.ndim - 1, None, _ROUNDING))
    return np.moveaxis(np.concatenate(results, axis=-1), -1, axis)


@whole_if_traced("cval")
def upfirdn(call, h, x, up, down, axis, mode, cval):
    """``out[k] = sum_i h[k down - i up] x[i]``."""
    h, x = array_of(h), array_of(x)
    if mode != "constant" or cval:
        return whole(call, h, x, up, down, axis, mode, cval)
    axis = normalize_axis_index(axis, x.ndim)
    n, up, down = x.shape[axis], int(up), int(down)
    if contains_traced(h):
        x = np.moveaxis(x, axis, -1)
        place = np.full((n - 1) * up + 1, n)
        place[::up] = np.arange(n)
        spaced = np.concatenate([x, np.zeros((*x.shape[:-1], 1))], axis=-1)[..., place]
        result = full_convolution(spaced, h.reshape((1,) * (x.ndim - 1) + (-1,)))
        return np.moveaxis(result[..., ::down], -1, axis)
    count = -(-((n - 1) * up + len(h)) // down)
    source, tap = np.indices((n, len(h))).reshape(2, -1)
    place = source * up + tap
    kept = (place % down == 0) & (patterns(h)[tap] != 0)
    weights = h[tap[kept]], (place[kept] // down, source[kept])
    return along(x, scipy.sparse.csr_array(weights, shape=(count, n)), axis)


_LEVELS: dict[str, Callable[..., Any]] = {
    name: function_named(function)
    for name, function in (("maximum", "max"), ("median", "median"), ("minimum", "min"))
}
"""What `resample_poly` takes off the samples first, where that is not linear in them."""


@whole_if_traced("window", "cval")
def resample_poly(call, x, up, down, axis, window, padtype, cval):
    x = array_of(x)
    axis = normalize_axis_index(axis, x.ndim)
    if x.shape[axis] > 4 * LARGEST:
        return whole(call, x, up, down, axis, window, padtype, cval)
    level = None
    if padtype in _LEVELS:  # not linear in the samples, which are resampled less their level
        level = _LEVELS[padtype](x, axis=axis, keepdims=True)
        x, padtype = x - level, "constant"

    def function(signals: NDArray[Any]) -> Any:
        return call.original(signals, up, down, -1, window, padtype)

    result = linear(x, function, axis, None, 1e-15)
    if cval:
        result = unknown(result)
    return result if level is None else result + level
