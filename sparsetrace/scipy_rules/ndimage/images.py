"""``scipy.ndimage``: linear filters, and interpolation at traced coordinates.

Contract: a filter unites the neighbours under its non-zero weights.  An image that is
read at traced coordinates is a function of those.

``correlate1d([{0}, {1}, {2}], [1, 0, 1])  ->  [{0, 1}, {0, 2}, {1, 2}]``
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.operands.operands import contains_traced, is_traced
from sparsetrace.scipy_rules.callbacks import of_values
from sparsetrace.scipy_rules.impulses import dense_along, linear
from sparsetrace.scipy_rules.ndimage.neighbours import (
    axes_of,
    check_reach,
    input_of,
    several,
    shifted,
)
from sparsetrace.scipy_rules.rule_tools import array_of, current, keeps_parts, patterns
from sparsetrace.scipy_rules.whole import unknown_of


def _filtered(name: str, x, axis: int | None, reach, mode: str, cval, **options) -> Any:
    """SciPy's linear filter of that name, along one axis, or along all with another before them."""
    apply = functools.partial(getattr(sys.modules["scipy.ndimage"], name), mode=mode, **options)
    if is_traced(x):
        result = linear(x, apply, axis, reach, 0.0)
    else:  # an image of constants, whose ends or parameters are traced
        result = (
            apply(x[None])
            if axis is None
            else np.moveaxis(apply(np.moveaxis(x, axis, -1)), -1, axis)
        )
        result = result[0] if axis is None else result
    dtype = np.result_type(x.dtype, 0j if result.dtype.kind == "c" else 0.0)
    if result.dtype != dtype:
        result = result.astype(dtype)
    traced = contains_traced(cval)
    if not traced and not cval:
        return result
    zeros = np.zeros((1, *x.shape) if axis is None else x.shape[axis])
    beyond = apply(zeros, cval=1.0 if traced else cval)
    shape = x.shape if axis is None else (-1,) + (1,) * (x.ndim - 1 - axis)
    beyond = beyond.reshape(shape).astype(dtype)
    return result + (beyond * cval if traced else beyond)


def _correlated(
    x, weights, axes: Sequence[int], origins, mode: str, cval, *, convolution: bool = False
) -> Any:
    """The sum of each element's neighbours along some axes, with a weight for each."""
    weights = array_of(weights) if contains_traced(weights) else patterns(weights)
    origins = several(origins, len(axes))
    if weights.ndim != len(axes) or not weights.size:
        raise RuntimeError(f"weights.ndim ({weights.ndim}) must match len(axes) ({len(axes)})")
    if convolution:
        weights = np.conj(weights[(slice(None, None, -1),) * weights.ndim])
        origins = [-o - (n + 1) % 2 for o, n in zip(origins, weights.shape, strict=True)]
    if len(axes) == 1 and not is_traced(weights):
        reach, options = len(weights) // 2 + abs(origins[0]), {"origin": origins[0]}
        return _filtered("correlate1d", x, axes[0], reach, mode, cval, weights=weights, **options)
    weights = np.expand_dims(weights, tuple(i for i in range(x.ndim) if i not in axes))
    placed = dict(zip(axes, origins, strict=True))
    origins = [placed.get(i, 0) for i in range(x.ndim)]
    if is_traced(weights):
        neighbours = shifted(x, np.ones(weights.shape, bool), origins, mode, cval)
        return functools.reduce(np.add, map(np.multiply, neighbours, np.conj(weights).reshape(-1)))
    reaches = [n // 2 + abs(o) for n, o in zip(weights.shape, origins, strict=True)]
    options = {"weights": weights[None], "origin": [0, *origins]}
    return _filtered("correlate", x, None, reaches, mode, cval, **options)


# ---------------------------------------------------------------- linear filters
# Parameters with a default here are not in all supported releases of SciPy.
@keeps_parts
def correlate1d(call, input, weights, axis, output, mode, cval, origin):
    x = input_of(call, input, output)
    return _correlated(x, weights, axes_of(axis, x.ndim), origin, mode, cval)


@keeps_parts
def convolve1d(call, input, weights, axis, output, mode, cval, origin):
    x = input_of(call, input, output)
    return _correlated(x, weights, axes_of(axis, x.ndim), origin, mode, cval, convolution=True)


def correlate(call, input, weights, output, mode, cval, origin, axes=None, convolution=False):
    x = input_of(call, input, output)
    over = axes_of(axes, x.ndim)
    window = np.shape(weights)
    if len(window) == len(over):
        placed = [
            -o - (n + 1) % 2 if convolution else o
            for o, n in zip(several(origin, len(over)), window, strict=True)
        ]
        check_reach(call, [x.shape[i] for i in over], window, placed, mode)
    return _correlated(x, weights, over, origin, mode, cval, convolution=convolution)


def convolve(call, input, weights, output, mode, cval, origin, axes=None):
    return correlate(call, input, weights, output, mode, cval, origin, axes, convolution=True)


def _mean(x, size: int, axis: int, mode: str, cval, origin: int) -> Any:
    """The mean of so many neighbours along an axis."""
    options = {"size": size, "origin": origin}
    axis = normalize_axis_index(axis, x.ndim)
    return _filtered("uniform_filter1d", x, axis, size // 2 + abs(origin), mode, cval, **options)


@keeps_parts
def uniform_filter1d(call, input, size, axis, output, mode, cval, origin):
    x = input_of(call, input, output, size)
    return _mean(x, int(size), axis, mode, cval, origin)


def uniform_filter(call, input, size, output, mode, cval, origin, axes):
    x = input_of(call, input, output, size)
    over = axes_of(axes, x.ndim)
    options = (several(v, len(over)) for v in (size, mode, origin))
    for axis, n, m, o in zip(over, *options, strict=True):
        if n > 1:
            x = _mean(x, int(n), axis, m, cval, o)
    return x.copy()


def _blurred(x, sigma, axis: int, order: int, mode: str, cval, truncate, radius):
    """A Gaussian, or a derivative of it, along an axis."""
    if contains_traced(sigma):
        return _blurred_by_unknown(x, sigma, axis, mode, cval, truncate, radius)
    reach = int(truncate * float(sigma) + 0.5) if radius is None else int(radius)
    if not current().values:  # a derivative has zeros
        order = 0
    options = {"sigma": sigma, "order": order, "radius": reach}
    axis = normalize_axis_index(axis, x.ndim)
    return _filtered("gaussian_filter1d", x, axis, reach, mode, cval, **options)


def _blurred_by_unknown(x, sigma, axis: int, mode: str, cval, truncate, radius) -> Any:
    """The same of a traced width, which in a global trace reaches all along the axis."""
    weight = unknown_of(sigma)
    if radius is None and not current().local:
        x = np.abs(x) if not is_traced(x) else x
        line = dense_along(x, axis) if is_traced(x) else x.sum(axis, keepdims=True) + 0 * x
        return line * weight + cval * weight
    reach = int(radius) if radius is not None else int(truncate * float(of_values(sigma)) + 0.5)
    weights = np.ones(2 * reach + 1) * weight
    return _correlated(x, weights, axes_of(axis, x.ndim), 0, mode, cval)


@keeps_parts
def gaussian_filter1d(call, input, sigma, axis, order, output, mode, cval, truncate, radius):
    x = input_of(call, input, output)
    return _blurred(x, sigma, axis, order, mode, cval, truncate, radius)


def gaussian_filter(call, input, sigma, order, output, mode, cval, truncate, radius, axes):
    x = input_of(call, input, output)
    over = axes_of(axes, x.ndim)
    options = (several(v, len(over)) for v in (sigma, order, mode, radius))
    for axis, s, o, m, r in zip(over, *options, strict=True):
        if contains_traced(s) or s > 1e-15:
            x = _blurred(x, s, axis, o, m, cval, truncate, r)
    return x.copy()


def _edges(across: Sequence[int]) -> Callable[..., Any]:
    """A derivative along one axis, smoothed across the others."""

    def rule(call, input, axis, output, mode, cval):
        x = input_of(call, input, output)
        axis = normalize_axis_index(axis, x.ndim)
        modes = several(mode, x.ndim)
        x = _correlated(x, [-1, 0, 1], [axis], 0, modes[axis], cval)
        for other in range(x.ndim):
            if other != axis:
                x = _correlated(x, across, [other], 0, modes[other], cval)
        return x

    return rule


prewitt, sobel = _edges((1, 1, 1)), _edges((1, 2, 1))


def laplace(call, input, output, mode, cval, axes=None):
    x = input_of(call, input, output)
    over = axes_of(axes, x.ndim)
    modes = several(mode, len(over))
    terms = [_correlated(x, [1, -2, 1], [a], 0, m, cval) for a, m in zip(over, modes, strict=True)]
    return sum(terms[1:], start=terms[0]) if terms else x.copy()


def _gaussian_derivatives(
    x, sigma, order: int, mode, cval, axes, options: dict[str, Any]
) -> list[Any]:
    """The Gaussian derivatives of one order along each axis."""
    over = axes_of(axes, x.ndim)
    sigmas = dict(zip(over, several(sigma, len(over)), strict=True))
    truncate, radius = options.pop("truncate", 4.0), options.pop("radius", None)
    if options:
        raise TypeError(f"unexpected keyword arguments {sorted(options)}")
    derivatives = []
    for axis, m in zip(over, several(mode, len(over)), strict=True):
        derivative = x
        for other, s in sigmas.items():
            if contains_traced(s) or s > 1e-15:
                o = order * (other == axis)
                derivative = _blurred(derivative, s, other, o, m, cval, truncate, radius)
        derivatives.append(derivative)
    return derivatives


def gaussian_laplace(call, input, sigma, output, mode, cval, kwargs, axes=None):
    x = input_of(call, input, output)
    terms = _gaussian_derivatives(x, sigma, 2, mode, cval, axes, kwargs)
    return sum(terms[1:], start=terms[0]) if terms else x.copy()


def gaussian_gradient_magnitude(call, input, sigma, output, mode, cval, kwargs, axes=None):
    x = input_of(call, input, output)
    derivatives = _gaussian_derivatives(x, sigma, 1, mode, cval, axes, kwargs)
    return (
        np.sqrt(sum((derivative**2 for derivative in derivatives[1:]), start=derivatives[0] ** 2))
        if derivatives
        else x.copy()
    )
