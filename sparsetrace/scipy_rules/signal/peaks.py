"""``scipy.signal``'s peaks: where a signal has them, how high and wide they are.

Contract: where they are depends on comparisons, and has no derivative.  At a point a height is
that of an element, a prominence that of a peak above the higher one of its bases, and the side of
a width lies on the line between two elements.  For all inputs everything counts, and any element
may be a peak: those are what a mask picks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.operands.operands import contains_traced, ids_of
from sparsetrace.scipy_rules.callbacks import of_values
from sparsetrace.scipy_rules.rule_tools import Call, array_of, current, made, makes_objects, spread
from sparsetrace.scipy_rules.whole import total_of, unknown_of, whole

_COUNT = "how many peaks there are depends on the values"
_POINT = "Take a pattern at a point with local=True, or peak_prominences of constant places."


@makes_objects
def argrelextrema(call, data, comparator, axis, order, mode):
    return _extrema(call, data, comparator, (comparator, axis, order, mode))


@makes_objects
def argrelmax(call, data, axis, order, mode):
    return _extrema(call, data, np.greater, (axis, order, mode))


@makes_objects
def argrelmin(call, data, axis, order, mode):
    return _extrema(call, data, np.less, (axis, order, mode))


def _extrema(call, data, comparator, options) -> Any:
    """The places at which a comparison with all neighbours holds: globally those of any mask."""
    *_, axis, order, mode = options
    if int(order) != order or order < 1:
        return call.plainly(np.zeros(np.shape(data)), *options)  # which raises
    data = array_of(data)
    places = np.arange(data.shape[axis])
    main = data.take(places, axis=axis, mode=mode)
    found = np.ones(data.shape, dtype=bool)
    for shift in range(1, int(order) + 1):
        for at in (places + shift, places - shift):
            beside = data.take(at, axis=axis, mode=mode)
            found = np.logical_and(found, comparator(main, beside))
    if mode == "clip" and comparator in (np.greater, np.less):
        # at either end an element is compared with itself
        ends = (places == 0) | (places == len(places) - 1)
        ends = ends.reshape([-1 if i == axis % data.ndim else 1 for i in range(data.ndim)])
        found = np.where(ends, False, found)
    return np.nonzero(found)


def _valued(result, values) -> Any:
    """A result with SciPy's own values."""
    trace = current()
    return made(trace, ids_of(trace, array_of(result)), np.asarray(values).dtype, values)


def _is_exact(*known) -> bool:
    """Whether places are known, and what they depend on does not count."""
    trace = current()
    return trace.local and not trace.dependency and not contains_traced(known)


def _prominences(x, peaks, bases) -> Any:
    return x[peaks] - np.maximum(*(x[base] for base in bases))


def _side(x, height, place: NDArray[Any], step: int) -> Any:
    """Where the signal crosses a height, on the line from the element outside to the next one."""
    outer = np.clip((np.ceil if step < 0 else np.floor)(place).astype(int), 0, len(x) - 1)
    inner = np.clip(outer + step, 0, len(x) - 1)
    crosses = (of_values(x)[outer] <= of_values(height)) & (outer != inner)
    rise = np.where(crosses, x[inner] - x[outer], 1.0)
    return outer + step * np.where(crosses, height - x[outer], 0.0) / rise


def _widths(x, peaks, prominences, rel_height, values) -> list[Any]:
    """Widths, the heights at which they are taken, and their sides."""
    height = x[peaks] - prominences * rel_height
    sides = [_side(x, height, place, step) for place, step in zip(values[2:], (1, -1), strict=True)]
    results = sides[1] - sides[0], height, *sides
    return [_valued(result, value) for result, value in zip(results, values, strict=True)]


@makes_objects
def peak_prominences(call, x, peaks, wlen):
    if not _is_exact(peaks, wlen):
        return whole(call, x, peaks, wlen)
    x = array_of(x)
    values, *bases = call.plainly(of_values(x), peaks, wlen)
    return _valued(_prominences(x, peaks, bases), values), *bases


@makes_objects
def peak_widths(call, x, peaks, rel_height, prominence_data, wlen):
    known = [] if prominence_data is None else prominence_data[1:]
    if not _is_exact(peaks, wlen, known):
        return whole(call, x, peaks, rel_height, prominence_data, wlen)
    x = array_of(x)
    if prominence_data is None:
        plainly = call.original.__globals__["peak_prominences"]
        bases = Call(call.name, plainly).plainly(of_values(x), peaks, wlen)[1:]
        prominences = _prominences(x, peaks, bases)
    else:
        prominences, bases = array_of(prominence_data[0]), known
    data = None if prominence_data is None else (of_values(prominences), *bases)
    values = call.plainly(of_values(x), peaks, of_values(rel_height), data, wlen)
    return tuple(_widths(x, peaks, prominences, rel_height, values))


@makes_objects
def find_peaks(
    call, x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size
):
    limits = (height, threshold, distance, prominence, width, wlen, rel_height, plateau_size)
    x = array_of(x)
    if not current().local and x.ndim == 1:
        told = _told(height, threshold, prominence, width, plateau_size)
        return _peaks_of_any_mask(x, limits, told)
    peaks, found = call.plainly(of_values(x), *map(_of_values, limits))
    if not _is_exact():
        total = total_of(x, limits)
        every = {name: spread(current(), total, values) for name, values in found.items()}
        return spread(current(), total, peaks), every
    properties = dict(found)
    if "peak_heights" in found:
        properties["peak_heights"] = x[peaks]
    if "left_thresholds" in found:
        for name, step in (("left_thresholds", -1), ("right_thresholds", 1)):
            properties[name] = _valued(x[peaks] - x[peaks + step], found[name])
    if "prominences" in found:
        result = _prominences(x, peaks, (found["left_bases"], found["right_bases"]))
        properties["prominences"] = _valued(result, found["prominences"])
    if "widths" in found:
        names = ("widths", "width_heights", "left_ips", "right_ips")
        values = [found[name] for name in names]
        widths = _widths(x, peaks, properties["prominences"], rel_height, values)
        properties |= zip(names, widths, strict=True)
    return peaks, properties


def _told(height, threshold, prominence, width, plateau_size) -> set[str]:
    """What is told of each peak where some limits are given."""
    names = {
        "plateau_sizes left_edges right_edges": plateau_size,
        "peak_heights": height,
        "left_thresholds right_thresholds": threshold,
        "prominences left_bases right_bases": width if prominence is None else prominence,
        "widths width_heights left_ips right_ips": width,
    }
    return {name for some, limit in names.items() if limit is not None for name in some.split()}


_WHOLE = frozenset("plateau_sizes left_edges right_edges left_bases right_bases".split())


def _peaks_of_any_mask(x, limits, names: set[str]) -> Any:
    """Any of the elements with neighbours, and what is told of them: that depends on everything."""
    factor = unknown_of(x, limits)
    inner = factor + x[1:-1] > np.maximum(x[:-2], x[2:])
    ends = np.zeros(min(len(x), 2), dtype=bool)
    (peaks,) = np.nonzero(np.concatenate([ends[:1], inner, ends[1:]]))
    found = {}
    for name in names:
        value = factor * x[peaks]
        is_whole = name in _WHOLE
        found[name] = np.clip(np.floor(value), 0, len(x) - 1).astype(int) if is_whole else value
    if "peak_heights" in names:
        found["peak_heights"] = x[peaks]
    for name, step in (("left_thresholds", -1), ("right_thresholds", 1)):
        if name in names:
            found[name] = x[peaks] - x[peaks + step]
    return peaks, found


def _of_values(limit) -> Any:
    """The values of a limit, or of a pair of them."""
    if isinstance(limit, (list, tuple)):
        return type(limit)(map(of_values, limit))
    return of_values(limit)


@makes_objects
def find_peaks_cwt(
    call, vector, widths, wavelet, max_distances, gap_thresh, min_length, min_snr, noise_perc,
    window_size,
):  # fmt: skip
    """Whole numbers, of which it is known at a point how many there are."""
    parameters = (
        widths, wavelet, max_distances, gap_thresh, min_length, min_snr, noise_perc, window_size,
    )  # fmt: skip
    if not current().local:
        call.refuse(_COUNT, _POINT)
    peaks = call.plainly(of_values(array_of(vector)), *map(_of_values, parameters))
    return peaks if _is_exact() else spread(current(), total_of(vector, parameters), peaks)
