"""``scipy.ndimage``'s measurements of labelled regions, filters by a function, Fourier filters.

Contract: where labels are known, each measurement is a NumPy function of chosen elements.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.graph.graph import Ids
from sparsetrace.operands.operands import contains_traced, dtype_of
from sparsetrace.scipy_rules.callbacks import of_values
from sparsetrace.scipy_rules.ndimage.neighbours import (
    axes_of,
    extended,
    input_of,
    several,
)
from sparsetrace.scipy_rules.ndimage.rank_filters import window_of
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    current,
    harmless,
    made,
    makes_objects,
    spread,
    without_numbers,
)
from sparsetrace.scipy_rules.whole import sample_of_call, total_of, whole


def _regions(call: Call, x, labels, index) -> tuple[list[NDArray[np.bool_]], tuple[int, ...]]:
    """The masks of the regions to measure, and the shape of the result."""
    if not _are_known(labels, index):
        call.refuse("which elements it measures depends on the inputs", "Give constant labels.")
    labels, index = of_values(labels), of_values(index)
    if labels is None:
        return [np.ones(x.shape, bool)], ()
    labels = np.broadcast_to(np.asarray(labels), x.shape)
    if index is None:
        return [labels > 0], ()
    numbers = np.asarray(index)
    return [labels == number for number in numbers.reshape(-1)], numbers.shape


def _are_known(*labels) -> bool:
    trace = current()
    return not contains_traced(labels) or (trace.local and not trace.dependency)


def _measured(measure: Callable[[Any], Any], empty: float = np.nan) -> Callable[..., Any]:
    def rule(call, input, labels, index):
        if not _are_known(labels, index):
            return whole(call, input, labels, index)
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


def _places(ids: Ids, sample) -> Any:
    """Whole numbers in tuples and lists, like the sample."""
    if isinstance(sample, (list, tuple)):
        return type(sample)(_places(ids, item) for item in sample)
    return spread(current(), ids, np.asarray(sample)[()])


@makes_objects
def maximum_position(call, input, labels, index):
    return _places(total_of(input, labels, index), sample_of_call(call, input, labels, index))


minimum_position = maximum_position


@makes_objects
def extrema(call, input, labels, index):
    """The least, the greatest, and where they are."""
    places = sample_of_call(call, input, labels, index)[2:]
    values = [
        rule(Call(call.name, getattr(sys.modules["scipy.ndimage"], name)), input, labels, index)
        for name, rule in (("minimum", minimum), ("maximum", maximum))
    ]
    return *values, *_places(total_of(input, labels, index), places)


def _in_order_of_labels(places, masks, labels, index) -> list[NDArray[np.intp]]:
    """The places of each region, in the order in which SciPy's sort of the labels leaves them."""
    labels, index = of_values(labels), of_values(index)
    if labels is None or index is None:
        return [places[mask] for mask in masks]
    labels = np.broadcast_to(np.asarray(labels), places.shape)
    numbers = np.asarray(index).astype(labels.dtype)
    within = (labels >= numbers.min()) & (labels <= numbers.max())
    order = labels[within].argsort()
    ordered = places[within][order]
    return [ordered[mask[within][order]] for mask in masks]


@makes_objects  # the function may read traced numbers
def labeled_comprehension(call, input, labels, index, func, out_dtype, default, pass_positions):
    x = array_of(input)
    masks, shape = _regions(call, x, labels, index)
    places = _in_order_of_labels(np.arange(x.size).reshape(x.shape), masks, labels, index)
    flat = x.reshape(-1)
    values = [
        default if shape and not p.size else func(flat[p], p) if pass_positions else func(flat[p])
        for p in places
    ]
    if not contains_traced((x, values)):
        return call.plainly(input, labels, index, func, out_dtype, default, pass_positions)
    return np.stack([array_of(value) for value in values]).reshape(shape).astype(out_dtype)


# ---------------------------------------------------------------- filters by a function
@makes_objects
def generic_filter(
    call, input, function, size, footprint, output, mode, cval, origin, extra_arguments,
    extra_keywords, axes=None,
):  # fmt: skip
    """A function of the neighbours of each element."""
    if not contains_traced((input, cval)) and (axes is not None or not callable(function)):
        more = {} if axes is None else {"axes": axes}
        return call.original(
            input, function, size, footprint, output, mode, cval, origin, extra_arguments,
            extra_keywords, **more,
        )  # fmt: skip
    x = input_of(call, input, output, size, footprint)
    if not callable(function):
        call.refuse("a compiled function has no rule", "Give a Python function.")
    neighbours = window_of(x, size, footprint, mode, cval, origin, axes, call)
    windows = np.stack(neighbours, axis=-1).reshape(-1, len(neighbours))
    extra = extra_keywords or {}
    values = [function(window, *extra_arguments, **extra) for window in windows]
    if not contains_traced((x, values)):
        level = 0.0 if contains_traced(cval) else cval  # which no window holds
        return call.plainly(
            input, function, size, footprint, output, mode, level, origin, extra_arguments, extra
        )
    return np.stack([array_of(value) for value in values]).reshape(x.shape)


@makes_objects
def generic_filter1d(
    call, input, function, filter_size, axis, output, mode, cval, origin, extra_arguments,
    extra_keywords,
):  # fmt: skip
    """A function that reads extended lines, and writes into lines."""
    x = input_of(call, input, output, filter_size)
    if not callable(function):
        call.refuse("a compiled function has no rule", "Give a Python function.")
    lines, before = np.moveaxis(x, axis, -1), filter_size // 2 + int(origin)
    widths = [(0, 0)] * (x.ndim - 1) + [(before, filter_size - 1 - before)]
    read = extended(lines, widths, mode, cval)
    trace, extra, results = current(), extra_keywords or {}, []
    for line in read.reshape(-1, read.shape[-1]):
        written = made(trace, np.full(lines.shape[-1], trace.graph.opaque, np.int32), float)
        function(line, written, *extra_arguments, **extra)
        results.append(written)
    return np.moveaxis(np.stack(results).reshape(lines.shape), -1, axis)


@makes_objects
@harmless("batch_memory")
def vectorized_filter(call, input, function, size, footprint, output, mode, cval, origin, axes):
    """A function of the windows of all elements at once."""
    x = input_of(call, input, output, size, footprint)
    if mode == "valid":
        call.refuse("mode='valid' has no rule", "Cut the result of another mode.")
    over = axes_of(axes, x.ndim)
    cval, origin = (0 if value is None else value for value in (cval, origin))
    sizes = None if size is None else [int(n) for n in several(size, len(over))]
    neighbours = window_of(x, sizes, footprint, mode, cval, 0 if origin is None else origin, over)
    windows = np.stack(neighbours, axis=-1)
    if footprint is not None:
        return function(windows, axis=-1)
    windows = windows.reshape(*x.shape, *(sizes or ()))
    return function(windows, axis=tuple(range(-len(over), 0)))


def _derivatives(call: Call, input, derivative, output, mode, cval, arguments, keywords):
    """The user's derivative along each axis; what it is to write into, it returns."""
    x = input_of(call, input, output)
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
def _in_fourier_space(factor: Callable[[Any], Any]) -> Callable[..., Any]:
    """A filter that is a product over the axes: of the frequency times a parameter of each."""

    def rule(call, input, sizes, n, axis, output):
        x = input_of(call, input, None, n, axis)
        if output is not None:
            call.refuse("output= has no rule", "Leave it out.")
        if not contains_traced(sizes):
            ones = np.ones(x.shape, dtype_of(x) if dtype_of(x).kind in "fc" else float)
            return x * call.original(ones, sizes, n, axis)
        halved = normalize_axis_index(axis, x.ndim) if n >= 0 else None
        sizes = np.broadcast_to(array_of(sizes), (x.ndim,))
        turns = []
        for i, count in enumerate(x.shape):
            places = np.fft.fftfreq(count) if i != halved else np.arange(count) / int(n)
            turns.append(sizes[i] * places.reshape((-1,) + (1,) * (x.ndim - 1 - i)))
        return x * without_numbers(factor(turns))

    return rule


def _total(terms: list[Any]) -> Any:
    return functools.reduce(np.add, terms)


_blurred = _in_fourier_space(lambda turns: np.exp(-_total([turn**2 for turn in turns])))
_boxed = _in_fourier_space(lambda turns: functools.reduce(np.multiply, map(np.sinc, turns)))
_turned = _in_fourier_space(lambda turns: np.exp(-2j * np.pi * _total(turns)))


def fourier_gaussian(call, input, sigma, n, axis, output):
    return _blurred(call, input, sigma, n, axis, output)


def fourier_uniform(call, input, size, n, axis, output):
    return _boxed(call, input, size, n, axis, output)


def fourier_ellipsoid(call, input, size, n, axis, output):
    return _blurred(call, input, size, n, axis, output)  # another function of the same radius


def fourier_shift(call, input, shift, n, axis, output):
    return _turned(call, input, shift, n, axis, output)
