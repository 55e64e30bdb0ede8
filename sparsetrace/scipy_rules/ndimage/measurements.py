"""``scipy.ndimage``'s measurements of labelled regions, filters by a function, Fourier filters.

Contract: labels are constants, so that each measurement is a NumPy function of chosen elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.operands.operands import dtype_of
from sparsetrace.scipy_rules.ndimage.neighbours import input_of
from sparsetrace.scipy_rules.ndimage.rank_filters import window_of
from sparsetrace.scipy_rules.rule_tools import Call, array_of, constant, makes_objects


def _regions(call: Call, x, labels, index) -> tuple[list[NDArray[np.bool_]], tuple[int, ...]]:
    """The masks of the regions to measure, and the shape of the result."""
    constant(call, (labels, index), "a label")
    if labels is None:
        return [np.ones(x.shape, bool)], ()
    labels = np.broadcast_to(np.asarray(labels), x.shape)
    if index is None:
        return [labels > 0], ()
    numbers = np.asarray(index)
    return [labels == number for number in numbers.reshape(-1)], numbers.shape


def _measured(measure: Callable[[Any], Any], empty: float = np.nan) -> Callable[..., Any]:
    def rule(call, input, labels, index):
        x = array_of(input)
        masks, shape = _regions(call, x, labels, index)
        values = [measure(x[mask]) if mask.any() else empty for mask in masks]
        return np.stack([array_of(value) for value in values]).reshape(shape)

    return rule


sum_labels = sum = _measured(np.sum, 0.0)
mean, variance, standard_deviation = _measured(np.mean), _measured(np.var), _measured(np.std)
maximum, minimum, median = _measured(np.max, 0.0), _measured(np.min, 0.0), _measured(np.median)


@makes_objects  # a tuple, or a list of tuples
def center_of_mass(call, input, labels, index):
    x = array_of(input)
    masks, shape = _regions(call, x, labels, index)
    places = np.indices(x.shape)
    centres = [
        tuple((x[mask] * place[mask]).sum() / x[mask].sum() for place in places) for mask in masks
    ]
    return centres if shape else centres[0]


@makes_objects  # the function may read traced numbers
def labeled_comprehension(call, input, labels, index, func, out_dtype, default, pass_positions):
    x = array_of(input)
    masks, shape = _regions(call, x, labels, index)
    places = np.arange(x.size).reshape(x.shape)
    values = [
        func(x[mask], places[mask]) if pass_positions else func(x[mask]) if mask.any() else default
        for mask in masks
    ]
    return np.stack([array_of(value) for value in values]).reshape(shape).astype(out_dtype)


# ---------------------------------------------------------------- filters by a function
@makes_objects
def generic_filter(
    call, input, function, size, footprint, output, mode, cval, origin, extra_arguments,
    extra_keywords, axes=None,
):  # fmt: skip
    """A function of the neighbours of each element."""
    x = input_of(call, input, output, size, footprint, cval)
    if not callable(function):
        call.refuse("a compiled function has no rule", "Give a Python function.")
    neighbours = window_of(call, x, size, footprint, mode, cval, origin, axes)
    windows = np.stack(neighbours, axis=-1).reshape(-1, len(neighbours))
    extra = extra_keywords or {}
    values = [function(window, *extra_arguments, **extra) for window in windows]
    return np.stack([array_of(value) for value in values]).reshape(x.shape)


def _derivatives(call: Call, input, derivative, output, mode, cval, arguments, keywords):
    """The user's derivative along each axis; what it is to write into, it returns."""
    x = input_of(call, input, output, cval)
    modes = [mode] * x.ndim if isinstance(mode, str) else mode
    dtype = np.dtype(float if output is None else output)
    extra = keywords or {}
    return [
        derivative(x, axis, dtype, modes[axis], cval, *arguments, **extra) for axis in range(x.ndim)
    ]


@makes_objects
def generic_laplace(
    call, input, derivative2, output, mode, cval, extra_arguments, extra_keywords, axes=None
):
    if axes is not None:
        call.refuse("axes has no rule", "Leave it out.")
    terms = _derivatives(
        call, input, derivative2, output, mode, cval, extra_arguments, extra_keywords
    )
    return np.sum(np.stack(terms), axis=0)


@makes_objects
def generic_gradient_magnitude(
    call, input, derivative, output, mode, cval, extra_arguments, extra_keywords, axes=None
):
    if axes is not None:
        call.refuse("axes has no rule", "Leave it out.")
    terms = _derivatives(
        call, input, derivative, output, mode, cval, extra_arguments, extra_keywords
    )
    return np.sqrt(np.sum(np.stack(terms) ** 2, axis=0))


# ---------------------------------------------------------------- in Fourier space
def _factors(call, input, number, n, axis, output):
    """Each element times a number that the filter has for its place."""
    x = input_of(call, input, None, number, n, axis)
    if output is not None:
        call.refuse("output= has no rule", "Leave it out.")
    ones = np.ones(x.shape, dtype_of(x) if dtype_of(x).kind in "fc" else float)
    return x * call.original(ones, number, n, axis)


def fourier_gaussian(call, input, sigma, n, axis, output):
    return _factors(call, input, sigma, n, axis, output)


def fourier_uniform(call, input, size, n, axis, output):
    return _factors(call, input, size, n, axis, output)


fourier_ellipsoid = fourier_uniform


def fourier_shift(call, input, shift, n, axis, output):
    return _factors(call, input, shift, n, axis, output)
