"""``scipy.signal``: filters made of traced numbers, waveforms.

Contract: a designed filter depends on all numbers that it is designed for.  The leading
coefficients of a transfer function are taken to differ from zero, unless they are zeros known
as such: SciPy looks at their values to strip them.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from sparsetrace.numpy_rules.contraction import Factor
from sparsetrace.numpy_rules.square_systems import differs_from_zero
from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.ndimage import images
from sparsetrace.scipy_rules.rule_tools import Call, array_of, constant, current
from sparsetrace.scipy_rules.whole import at_point, whole, whole_object

butter = buttord = cheby1 = cheb1ord = cheby2 = cheb2ord = ellip = ellipord = bessel = whole
iirfilter = iirnotch = iirpeak = iircomb = gammatone = whole
firwin = firwin2 = firls = remez = minimum_phase = whole
lfilter_zi = sosfilt_zi = residue = residuez = invres = invresz = whole
place_poles, ellipap = whole_object, whole
cspline2d = qspline2d = spline_filter = symiirorder1 = symiirorder2 = whole
iirdesign = unique_roots = at_point
lp2lp = lp2hp = lp2bp = lp2bs = whole
tf2zpk = tf2sos = zpk2sos = sos2tf = sos2zpk = ss2zpk = bilinear = group_delay = whole


def normalize(b, a):
    """Without leading zeros, divided by the first coefficient of the denominator."""
    b, a = np.atleast_2d(array_of(b)), np.atleast_1d(array_of(a))
    if a.ndim != 1:
        raise ValueError("Denominator polynomial must be rank-1 array.")
    a = a[_first(_nonzero(a)) :]
    b = b / a[0]
    b = b[:, min(_first(_nonzero(b).any(axis=0)), b.shape[1] - 1) :]
    return (b[0] if b.shape[0] == 1 else b), np.concatenate([[1.0], a[1:] / a[0]])


def _nonzero(x) -> Any:
    """Which coefficients may differ from zero; SciPy takes those of constants for rounding."""
    if not contains_traced(x):
        return np.abs(x) > 1e-14
    trace = current()
    return differs_from_zero(Factor.of(trace, x))


def _first(mask) -> int:
    found = np.flatnonzero(mask)
    return int(found[0]) if len(found) else len(mask)


def deconvolve(call, signal, divisor):
    signal, divisor = np.atleast_1d(array_of(signal)), np.atleast_1d(array_of(divisor))
    n, m = signal.shape[0], divisor.shape[0]
    if m > n:
        return np.zeros(0), signal
    functions = sys.modules["scipy.signal"]
    impulse = np.zeros(n - m + 1)
    impulse[0] = 1.0
    quotient = functions.lfilter(signal, divisor, impulse)
    remainder = signal - functions.convolve(divisor, quotient, mode="full")
    return quotient, np.concatenate([np.zeros(len(quotient)), remainder[len(quotient) :]])


def lfiltic(b, a, y, x):
    """The state of a filter whose last outputs and inputs were these."""
    b, a = np.atleast_1d(array_of(b)), np.atleast_1d(array_of(a))
    b, a = b / a[0], a / a[0]
    y = np.atleast_1d(array_of(y))
    x = np.zeros(0) if x is None else np.atleast_1d(array_of(x))
    last_y, last_x = len(a) - 1, len(b) - 1
    y = np.concatenate([y[:last_y], np.zeros(max(last_y - len(y), 0))])
    x = np.concatenate([x[:last_x], np.zeros(max(last_x - len(x), 0))])
    state = []
    for m in range(max(last_x, last_y)):
        total: Any = 0.0
        if m < last_x:
            total = total + np.sum(b[m + 1 :] * x[: last_x - m])
        if m < last_y:
            total = total - np.sum(a[m + 1 :] * y[: last_y - m])
        state.append(total)
    return np.stack([array_of(v) for v in state]) if state else np.zeros(0)


def gauss_spline(x, n):
    variance = (array_of(n) + 1) / 12.0
    return np.exp(-(array_of(x) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)


def sepfir2d(call, input, hrow, hcol):
    """Along the rows, then along the columns, of an image with mirrors at its ends."""
    x = array_of(input)
    if x.ndim != 2 or any(np.size(h) > n for h, n in zip((hcol, hrow), x.shape, strict=True)):
        return whole(call, input, hrow, hcol)
    convolve1d = Call(call.name, sys.modules["scipy.ndimage"].convolve1d)
    rows = images.convolve1d(convolve1d, x, hrow, 1, None, "reflect", 0.0, 0)
    return images.convolve1d(convolve1d, rows, hcol, 0, None, "reflect", 0.0, 0)


def tukey(M, alpha, sym):
    """A cosine at each end, as far as the parameter says."""
    count, alpha = int(M) + (not sym), array_of(alpha)
    if int(M) <= 1:
        return np.ones(max(int(M), 0))
    place = np.minimum(np.arange(count), np.arange(count)[::-1])
    ends = 0.5 * (1 - np.cos(2 * np.pi * place / alpha / (count - 1)))
    whole_cosine = 0.5 * (1 - np.cos(2 * np.pi * place / (count - 1)))
    window = np.where(place <= np.floor(alpha * (count - 1) / 2), ends, 1.0)
    return np.where(alpha <= 0, 1.0, np.where(alpha >= 1, whole_cosine, window))[: int(M)]


def get_window(call, window, Nx, fftbins=True):
    if isinstance(window, tuple) and window[0] in ("tukey", "tuk"):
        return sys.modules["scipy.signal.windows"].tukey(Nx, window[1], sym=not fftbins)
    return call.original(window, Nx, fftbins)


def vectorstrength(events, period):
    events, period = array_of(events), array_of(period)
    if events.ndim > 1 or period.ndim > 1:
        raise ValueError("events and period cannot have dimensions more than 1")
    angles = 2 * np.pi * events / np.atleast_1d(period)[:, None]
    vectors = np.stack([np.cos(angles).mean(axis=1), np.sin(angles).mean(axis=1)])
    strength = np.sqrt(vectors[0] ** 2 + vectors[1] ** 2)
    phase = np.arctan2(vectors[1], vectors[0])
    return (strength, phase) if period.ndim else (strength[0], phase[0])


def wiener(call, im, mysize, noise):
    """By the mean and the variance of the elements around each."""
    constant(call, mysize, "a size")
    x = array_of(im)
    sizes = np.broadcast_to(3 if mysize is None else mysize, (x.ndim,))
    correlate, ones = sys.modules["scipy.signal"].correlate, np.ones(sizes)
    mean = correlate(x, ones, "same") / np.prod(sizes)
    variance = correlate(x**2, ones, "same") / np.prod(sizes) - mean**2
    if noise is None:
        noise = np.mean(np.ravel(variance))
    result = (x - mean) * (1 - noise / variance) + mean
    return np.where(variance < noise, mean, result)


def sawtooth(t, width):
    """Two straight pieces in each period."""
    t, width = array_of(t), array_of(width)
    phase = np.mod(t, 2 * np.pi)
    rising = phase / (np.pi * width) - 1
    falling = (np.pi * (width + 1) - phase) / (np.pi * (1 - width))
    result = np.where(phase < width * 2 * np.pi, rising, falling)
    return np.where((width > 1) | (width < 0), np.nan, result)
