"""``scipy.ndimage``: linear filters, and interpolation at traced coordinates.

Contract: a filter unites the neighbours under its non-zero weights.  An image that is
read at traced coordinates is a function of those.

``correlate1d([{0}, {1}, {2}], [1, 0, 1])  ->  [{0, 1}, {0, 2}, {1, 2}]``
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.ndimage.neighbours import (
    axes_of,
    check_window,
    correlated,
    function_of,
    input_of,
    several,
)
from sparsetrace.scipy_rules.points import polynomial_of
from sparsetrace.scipy_rules.rule_tools import array_of, harmless, patterns


def _weights(weights):
    """Weights as an array, traced or not."""
    return array_of(weights) if contains_traced(weights) else patterns(weights)


def _along(x, weights, axis: int, mode: str, cval=0.0, origin: int = 0) -> Any:
    """A correlation along one axis."""
    weights = _weights(weights)
    if weights.ndim != 1 or not len(weights):
        raise RuntimeError("no filter weights given")
    axis = normalize_axis_index(axis, x.ndim)
    weights = np.expand_dims(weights, tuple(i for i in range(x.ndim) if i != axis))
    origins = [origin if i == axis else 0 for i in range(x.ndim)]
    return correlated(x, weights, origins, [mode] * x.ndim, cval)


# ---------------------------------------------------------------- linear filters
# Parameters with a default here are not in all supported releases of SciPy.
def correlate1d(call, input, weights, axis, output, mode, cval, origin):
    x = input_of(call, input, output, cval)
    return _along(x, np.conj(_weights(weights)), axis, mode, cval, origin)


def convolve1d(call, input, weights, axis, output, mode, cval, origin):
    x = input_of(call, input, output, cval)
    weights = _weights(weights)[::-1]
    return _along(x, weights, axis, mode, cval, -origin - (len(weights) + 1) % 2)


def uniform_filter1d(call, input, size, axis, output, mode, cval, origin):
    x = input_of(call, input, output, size, cval)
    return _along(x, np.full(int(size), 1 / int(size)), axis, mode, cval, origin)


def uniform_filter(call, input, size, output, mode, cval, origin, axes):
    x = input_of(call, input, output, size, cval)
    over = axes_of(axes, x.ndim)
    options = (several(v, len(over)) for v in (size, mode, origin))
    for axis, n, m, o in zip(over, *options, strict=True):
        if n > 1:
            x = _along(x, np.full(int(n), 1 / int(n)), axis, m, cval, o)
    return x.copy()


def _gaussian_weights(
    sigma: float, order: int, truncate: float, radius: int | None
) -> NDArray[np.floating[Any]]:
    """What SciPy's filter makes of an impulse, read as the weights of a correlation."""
    reach = int(truncate * float(sigma) + 0.5) if radius is None else int(radius)
    impulse = np.zeros(2 * reach + 1)
    impulse[reach] = 1.0
    options = {"order": order, "mode": "constant", "radius": reach}
    weights: NDArray[np.floating[Any]] = function_of("gaussian_filter1d")(impulse, sigma, **options)
    return weights[::-1]


def gaussian_filter1d(call, input, sigma, axis, order, output, mode, cval, truncate, radius):
    x = input_of(call, input, output, sigma, cval)
    return _along(x, _gaussian_weights(sigma, order, truncate, radius), axis, mode, cval)


def gaussian_filter(call, input, sigma, order, output, mode, cval, truncate, radius, axes):
    x = input_of(call, input, output, sigma, cval)
    over = axes_of(axes, x.ndim)
    options = (several(v, len(over)) for v in (sigma, order, mode, radius))
    for axis, s, o, m, r in zip(over, *options, strict=True):
        if s > 1e-15:
            x = _along(x, _gaussian_weights(s, o, truncate, r), axis, m, cval)
    return x.copy()


def _edges(across: Sequence[int]) -> Callable[..., Any]:
    """A derivative along one axis, smoothed across the others."""

    def rule(call, input, axis, output, mode, cval):
        x = input_of(call, input, output, cval)
        axis = normalize_axis_index(axis, x.ndim)
        modes = several(mode, x.ndim)
        x = _along(x, [-1, 0, 1], axis, modes[axis], cval)
        for other in range(x.ndim):
            if other != axis:
                x = _along(x, across, other, modes[other], cval)
        return x

    return rule


prewitt, sobel = _edges((1, 1, 1)), _edges((1, 2, 1))


def laplace(call, input, output, mode, cval, axes=None):
    x = input_of(call, input, output, cval)
    over = axes_of(axes, x.ndim)
    modes = several(mode, len(over))
    terms = [_along(x, [1, -2, 1], a, m, cval) for a, m in zip(over, modes, strict=True)]
    return sum(terms[1:], start=terms[0]) if terms else x.copy()


def _gaussian_derivatives(
    x, sigma, order: int, mode, cval: float, axes, options: dict[str, Any]
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
            if s > 1e-15:
                weights = _gaussian_weights(s, order * (other == axis), truncate, radius)
                derivative = _along(derivative, weights, other, m, cval)
        derivatives.append(derivative)
    return derivatives


def gaussian_laplace(call, input, sigma, output, mode, cval, kwargs, axes=None):
    x = input_of(call, input, output, sigma, cval)
    terms = _gaussian_derivatives(x, sigma, 2, mode, cval, axes, kwargs)
    return sum(terms[1:], start=terms[0]) if terms else x.copy()


def gaussian_gradient_magnitude(call, input, sigma, output, mode, cval, kwargs, axes=None):
    x = input_of(call, input, output, sigma, cval)
    derivatives = _gaussian_derivatives(x, sigma, 1, mode, cval, axes, kwargs)
    return (
        np.sqrt(sum((derivative**2 for derivative in derivatives[1:]), start=derivatives[0] ** 2))
        if derivatives
        else x.copy()
    )


def _several_axes(*, convolution: bool) -> Callable[..., Any]:
    def rule(call, input, weights, output, mode, cval, origin, axes=None):
        x = input_of(call, input, output, cval)
        over = axes_of(axes, x.ndim)
        taps = _weights(weights)
        origins = several(origin, len(over))
        if taps.ndim != len(over):
            raise RuntimeError(f"weights.ndim ({taps.ndim}) must match len(axes) ({len(over)})")
        if convolution:
            taps = taps[(slice(None, None, -1),) * taps.ndim]
            pairs = zip(origins, taps.shape, strict=True)
            origins = [-o - (n + 1) % 2 for o, n in pairs]
        else:
            taps = np.conj(taps)
        rest = tuple(i for i in range(x.ndim) if i not in over)
        taps = np.expand_dims(taps, rest)
        placed = [0] * x.ndim
        for axis, o in zip(over, origins, strict=True):
            placed[axis] = o
        check_window(call, x.shape, taps.shape, mode, 4)
        return correlated(x, taps, placed, [mode] * x.ndim, cval)

    return rule


convolve, correlate = _several_axes(convolution=True), _several_axes(convolution=False)


# ---------------------------------------------------------------- interpolation
@harmless("mode", "prefilter")  # the image is constant
def map_coordinates(call, input, coordinates, output, order, cval):
    """An image between its elements: a polynomial in each coordinate, of degree `order`."""
    if contains_traced(input):
        call.refuse(
            "an image may not depend on the inputs here",
            "Use scipy.interpolate.RegularGridInterpolator, or NumPy indexing.",
        )
    input_of(call, (), output, cval)
    places = array_of(coordinates)
    degrees = [int(order)] * len(places)
    return polynomial_of([places[i] for i in range(len(places))], degrees, output or float)
