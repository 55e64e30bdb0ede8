"""``scipy.fftpack``, the older interface: compiled transforms that ask no backend.

Contract: the complex transforms, and the cosine and sine transforms, are those of ``scipy.fft``;
the others are linear along an axis, and their matrices are their responses to impulses.
"""

from __future__ import annotations

import functools

import numpy as np
import scipy.fft
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.impulses import LARGEST, dense_along, linear
from sparsetrace.scipy_rules.rule_tools import array_of
from sparsetrace.scipy_rules.whole import unknown_of, whole

_ROUNDING = 1e-10
"""Responses up to so many times the largest one are rounding errors of zeros."""


_SOME = (0.6180339887, 0.4142135623, 0.2360679774)
"""Stand for traced numbers, none of which is a multiple of another."""


def _one_axis(call, x, n, axis):
    return getattr(scipy.fft, call.original.__name__)(array_of(x), n, axis)


fft = ifft = _one_axis


def _two_axes(call, x, shape, axes):
    return getattr(scipy.fft, call.original.__name__)(array_of(x), shape, axes)


fft2 = ifft2 = fftn = ifftn = _two_axes


def _trigonometric(call, x, type, n, axis, norm):
    return getattr(scipy.fft, call.original.__name__)(array_of(x), type, n, axis, norm)


dct = idct = dst = idst = _trigonometric


def _trigonometric_axes(call, x, type, shape, axes, norm):
    return getattr(scipy.fft, call.original.__name__)(array_of(x), type, shape, axes, norm)


dctn = idctn = dstn = idstn = _trigonometric_axes


def _real_transform(call, x, n, axis):
    x = array_of(x)
    axis = normalize_axis_index(axis, x.ndim)
    return _by_responses(x, functools.partial(call.original, n=n), axis, n)


rfft = irfft = _real_transform


def _periodic(call, x, **options):
    """A pseudo-differential operator of a periodic sequence."""
    traced = [option for option in options.values() if contains_traced(option)]
    if traced:  # a response to an impulse is zero for all values of an option, or for none
        values = iter(_SOME)
        some = {name: next(values) if contains_traced(v) else v for name, v in options.items()}
        return _periodic(call, array_of(x) * unknown_of(traced), **some)
    call.original(np.zeros(np.shape(x)), **options)  # raises SciPy's own errors
    return _by_responses(array_of(x), functools.partial(call.original, **options), 0)


def _by_responses(x, function, axis, n=None):
    size = x.shape[axis]
    count = size if n is None else n
    if max(size, count) > LARGEST:
        return dense_along(x, axis, count)
    rows = functools.partial(np.apply_along_axis, function, -1)
    return linear(x, rows, axis, tolerance=_ROUNDING)


def diff(call, x, order, period):
    return _periodic(call, x, order=order, period=period)


def shift(call, x, a, period):
    return _periodic(call, x, a=a, period=period)


def tilbert(call, x, h, period):
    return _periodic(call, x, h=h, period=period)


def itilbert(call, x, h, period):
    return _periodic(call, x, h=h, period=period)


def hilbert(call, x):
    return _periodic(call, x)


ihilbert = hilbert


def cs_diff(call, x, a, b, period):
    return _periodic(call, x, a=a, b=b, period=period)


sc_diff = ss_diff = cc_diff = cs_diff


def fht(call, a, dln, mu, offset, bias):
    """``scipy.fft``'s, which depends on all elements along the last axis."""
    n = np.shape(a)[-1]
    if n > LARGEST or contains_traced((dln, mu, offset, bias)):
        return whole(call, a, dln, mu, offset, bias)
    return array_of(a) @ call.original(np.eye(n), dln, mu, offset, bias)


def ifht(call, A, dln, mu, offset, bias):
    return fht(call, A, dln, mu, offset, bias)
