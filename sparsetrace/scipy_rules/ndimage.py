"""``scipy.ndimage``: linear filters, order statistics of neighbourhoods, interpolation.

Contract: a filter unites the neighbours under its non-zero weights, where weights that
meet at an extended end are added first.  Filters that choose an order statistic are
piecewise linear.  An image that is read at traced coordinates is a function of those.

``correlate1d([{0}, {1}, {2}], [1, 0, 1])  ->  [{0, 1}, {0, 2}, {1, 2}]``
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from sparsetrace.dispatch.operands import contains_traced
from sparsetrace.graph import OPAQUE
from sparsetrace.scipy_rules.calls import (
    Call,
    array_of,
    constant,
    lines,
    matrix_along,
    patterns,
)
from sparsetrace.scipy_rules.points import polynomial_of

__all__ = ["TABLE"]

_EXTENSIONS = {
    "constant": "constant",
    "grid-constant": "constant",
    "grid-mirror": "symmetric",
    "grid-wrap": "wrap",
    "mirror": "reflect",
    "nearest": "edge",
    "reflect": "symmetric",
    "wrap": "wrap",
}
"""The modes of ``np.pad`` that extend an array as those of ``scipy.ndimage`` do."""
_OUTPUTS = "Leave output out, and write out[...] = the result."


def _input(call: Call, x: Any, output: Any, *parameters: Any) -> Any:
    constant(call, parameters, "a parameter of the filter")
    if output is not None and (isinstance(output, np.ndarray) or np.dtype(output).kind != "f"):
        call.refuse("output= has no rule, but for a float type", _OUTPUTS)
    return array_of(x)


def _several(value: Any, count: int) -> list[Any]:
    """One value for each axis."""
    if isinstance(value, str) or not np.iterable(value):
        return [value] * count
    values = list(value)
    if len(values) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return values


def _axes(axes: Any, ndim: int) -> tuple[int, ...]:
    return tuple(range(ndim)) if axes is None else normalize_axis_tuple(axes, ndim)


# ------------------------------------------------------------------- neighbours
def _padding(mode: str, outside: Any = -1) -> dict[str, Any]:
    """Arguments of ``np.pad`` for a mode; for numbers of places, -1 is outside."""
    if mode not in _EXTENSIONS:
        raise RuntimeError("boundary mode not supported")
    options = {"constant_values": outside} if mode.endswith("constant") else {}
    return {"mode": _EXTENSIONS[mode], **options}


def _neighbours(
    shape: Sequence[int], window: Sequence[int], origins: Sequence[int], modes: Sequence[str]
) -> NDArray[np.intp]:
    """The places of each element's neighbours, -1 outside: shape ``(*shape, *window)``."""
    places = np.arange(int(np.prod(shape, dtype=int))).reshape(shape)
    for axis, (size, origin, mode) in enumerate(zip(window, origins, modes, strict=True)):
        before = size // 2 + int(origin)
        if not 0 <= before < size:
            raise ValueError("invalid origin")
        widths = [(0, 0)] * len(shape)
        widths[axis] = (before, size - 1 - before)
        places = np.pad(places, widths, **_padding(mode))
    return sliding_window_view(places, tuple(window))


def _extended(x: Any, axis: int, size: int, origin: int, mode: str, cval: Any) -> Any:
    """An array with what a window of that size reads beyond the ends of an axis."""
    before = size // 2 + int(origin)
    widths = [(0, 0)] * x.ndim
    widths[axis] = (before, size - 1 - before)
    return np.pad(x, widths, **_padding(mode, cval))


def _shifted(
    x: Any, used: Any, origins: Sequence[int], modes: Sequence[str], cval: Any
) -> list[Any]:
    """For each place of a window that is used, the array of all elements' neighbours there."""
    extended = x
    for axis, (size, origin, mode) in enumerate(zip(used.shape, origins, modes, strict=True)):
        if not 0 <= size // 2 + int(origin) < size:
            raise ValueError("invalid origin")
        if size > 1:
            extended = _extended(extended, axis, size, origin, mode, cval)
    return [
        extended[tuple(slice(k, k + n) for k, n in zip(at, x.shape, strict=True))]
        for at in np.argwhere(used).tolist()
    ]


def _correlated(
    x: Any, weights: Any, origins: Sequence[int], modes: Sequence[str], cval: Any
) -> Any:
    """The sum of an array's neighbours, with a constant weight for each."""
    parts = _shifted(x, weights != 0, origins, modes, cval)
    if not parts:
        return x * 0.0
    taps = weights[weights != 0].tolist()
    out = functools.reduce(np.add, map(np.multiply, parts, taps))
    if (weights > 0).any() and (weights < 0).any():
        _cancel(x, out, weights, origins, modes)
    return out


def _cancel(x: Any, out: Any, weights: Any, origins: Sequence[int], modes: Sequence[str]) -> None:
    """Unite again, in place, where weights of one element cancel at an extended end."""
    edge = np.ones(x.shape, bool)
    inner = []
    for n, size, origin in zip(x.shape, weights.shape, origins, strict=True):
        before = size // 2 + int(origin)
        inner.append(slice(before, max(before, n - (size - 1 - before))))
    edge[tuple(inner)] = False
    places = _neighbours(x.shape, weights.shape, origins, modes)[edge].reshape(-1, weights.size)
    rows, taps = np.nonzero((places >= 0) & (weights.reshape(-1) != 0))
    entries = weights.reshape(-1)[taps], (rows, places[rows, taps])
    matrix = scipy.sparse.csr_array(entries, shape=(len(places), x.size))
    cancelled = np.diff(np.append(0, np.cumsum(matrix.data == 0))[matrix.indptr]) > 0
    if cancelled.any():
        found = matrix_along(x.reshape(-1), matrix[np.flatnonzero(cancelled)])
        at = tuple(part[cancelled] for part in np.nonzero(edge))
        out._ids[at] = np.where(out._ids[at] > OPAQUE, np.maximum(found._ids, OPAQUE), out._ids[at])


def _along(x: Any, weights: Any, axis: int, mode: str, cval: Any = 0.0, origin: int = 0) -> Any:
    """A correlation along one axis."""
    weights = np.asarray(weights)
    if weights.ndim != 1 or not len(weights):
        raise RuntimeError("no filter weights given")
    axis = normalize_axis_index(axis, x.ndim)
    weights = np.expand_dims(weights, tuple(i for i in range(x.ndim) if i != axis))
    origins = [origin if i == axis else 0 for i in range(x.ndim)]
    return _correlated(x, weights, origins, [mode] * x.ndim, cval)


# ---------------------------------------------------------------- linear filters
def _correlate1d(
    call: Call,
    input: Any,
    weights: Any,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Any:
    x = _input(call, input, output, weights, cval)
    return _along(x, np.conj(patterns(weights)), axis, mode, cval, origin)


def _convolve1d(
    call: Call,
    input: Any,
    weights: Any,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Any:
    x = _input(call, input, output, weights, cval)
    weights = patterns(weights)[::-1]
    return _along(x, weights, axis, mode, cval, -origin - (len(weights) + 1) % 2)


def _uniform1d(
    call: Call,
    input: Any,
    size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Any:
    x = _input(call, input, output, size, cval)
    return _along(x, np.full(int(size), 1 / int(size)), axis, mode, cval, origin)


def _uniform(
    call: Call,
    input: Any,
    size: Any = 3,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    x = _input(call, input, output, size, cval)
    over = _axes(axes, x.ndim)
    options = (_several(v, len(over)) for v in (size, mode, origin))
    for axis, n, m, o in zip(over, *options, strict=True):
        if n > 1:
            x = _along(x, np.full(int(n), 1 / int(n)), axis, m, cval, o)
    return x.copy()


def _gaussian_weights(sigma: float, order: int, truncate: float, radius: Any) -> NDArray[Any]:
    """A Gaussian's derivative at whole numbers: Hermite's recursion for its polynomial."""
    reach = int(truncate * float(sigma) + 0.5) if radius is None else int(radius)
    places = np.arange(-reach, reach + 1)
    weights = np.exp(-0.5 / (sigma * sigma) * places**2)
    weights /= weights.sum()
    factor = np.polynomial.Polynomial([1.0])
    for _ in range(int(order)):
        factor = factor.deriv() - factor * np.polynomial.Polynomial([0.0, 1 / (sigma * sigma)])
    return (factor(places) * weights)[::-1]


def _gaussian1d(
    call: Call,
    input: Any,
    sigma: float,
    axis: int = -1,
    order: int = 0,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: Any = None,
) -> Any:
    x = _input(call, input, output, sigma, cval)
    return _along(x, _gaussian_weights(sigma, order, truncate, radius), axis, mode, cval)


def _gaussian(
    call: Call,
    input: Any,
    sigma: Any,
    order: Any = 0,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: Any = None,
    axes: Any = None,
) -> Any:
    x = _input(call, input, output, sigma, cval)
    over = _axes(axes, x.ndim)
    options = (_several(v, len(over)) for v in (sigma, order, mode, radius))
    for axis, s, o, m, r in zip(over, *options, strict=True):
        if s > 1e-15:
            x = _along(x, _gaussian_weights(s, o, truncate, r), axis, m, cval)
    return x.copy()


def _edges(across: Sequence[int]) -> Callable[..., Any]:
    """A derivative along one axis, smoothed across the others."""

    def rule(
        call: Call,
        input: Any,
        axis: int = -1,
        output: Any = None,
        mode: Any = "reflect",
        cval: float = 0.0,
    ) -> Any:
        x = _input(call, input, output, cval)
        axis = normalize_axis_index(axis, x.ndim)
        modes = _several(mode, x.ndim)
        x = _along(x, [-1, 0, 1], axis, modes[axis], cval)
        for other in range(x.ndim):
            if other != axis:
                x = _along(x, across, other, modes[other], cval)
        return x

    return rule


def _laplace(
    call: Call,
    input: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    *,
    axes: Any = None,
) -> Any:
    x = _input(call, input, output, cval)
    over = _axes(axes, x.ndim)
    modes = _several(mode, len(over))
    parts = [_along(x, [1, -2, 1], a, m, cval) for a, m in zip(over, modes, strict=True)]
    return sum(parts[1:], start=parts[0]) if parts else x.copy()


def _gaussian_derivatives(
    x: Any, sigma: Any, order: int, mode: Any, cval: float, axes: Any, options: dict[str, Any]
) -> list[Any]:
    """The Gaussian derivatives of one order along each axis."""
    over = _axes(axes, x.ndim)
    sigmas = dict(zip(over, _several(sigma, len(over)), strict=True))
    truncate, radius = options.pop("truncate", 4.0), options.pop("radius", None)
    if options:
        raise TypeError(f"unexpected keyword arguments {sorted(options)}")
    found = []
    for axis, m in zip(over, _several(mode, len(over)), strict=True):
        part = x
        for other, s in sigmas.items():
            if s > 1e-15:
                weights = _gaussian_weights(s, order * (other == axis), truncate, radius)
                part = _along(part, weights, other, m, cval)
        found.append(part)
    return found


def _gaussian_laplace(
    call: Call,
    input: Any,
    sigma: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    *,
    axes: Any = None,
    **kwargs: Any,
) -> Any:
    x = _input(call, input, output, sigma, cval)
    parts = _gaussian_derivatives(x, sigma, 2, mode, cval, axes, kwargs)
    return sum(parts[1:], start=parts[0]) if parts else x.copy()


def _gaussian_gradient(
    call: Call,
    input: Any,
    sigma: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    *,
    axes: Any = None,
    **kwargs: Any,
) -> Any:
    x = _input(call, input, output, sigma, cval)
    parts = _gaussian_derivatives(x, sigma, 1, mode, cval, axes, kwargs)
    return np.sqrt(sum((part**2 for part in parts[1:]), start=parts[0] ** 2)) if parts else x.copy()


def _several_axes(*, convolution: bool) -> Callable[..., Any]:
    def rule(
        call: Call,
        input: Any,
        weights: Any,
        output: Any = None,
        mode: str = "reflect",
        cval: float = 0.0,
        origin: Any = 0,
        *,
        axes: Any = None,
    ) -> Any:
        x = _input(call, input, output, weights, cval)
        over = _axes(axes, x.ndim)
        taps = patterns(weights)
        origins = _several(origin, len(over))
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
        _fitting(call, x.shape, taps.shape, mode, 4)
        return _correlated(x, taps, placed, [mode] * x.ndim, cval)

    return rule


# -------------------------------------------------------------- order statistics
def _extreme1d(choose: np.ufunc) -> Callable[..., Any]:
    def rule(
        call: Call,
        input: Any,
        size: int,
        axis: int = -1,
        output: Any = None,
        mode: str = "reflect",
        cval: float = 0.0,
        origin: int = 0,
    ) -> Any:
        x = _input(call, input, output, size, cval)
        axis = normalize_axis_index(axis, x.ndim)
        return _chosen(x, choose, int(size), axis, mode, cval, origin)

    return rule


def _chosen(
    x: Any, choose: np.ufunc, size: int, axis: int, mode: str, cval: float, origin: int
) -> Any:
    """The extreme of so many neighbours along an axis."""
    shape = [1] * x.ndim
    shape[axis] = size
    origins = [origin if i == axis else 0 for i in range(x.ndim)]
    parts = _shifted(x, np.ones(shape, bool), origins, [mode] * x.ndim, cval)
    return functools.reduce(choose, parts[1:], parts[0].copy())


def _extreme(choose: np.ufunc) -> Callable[..., Any]:
    def rule(
        call: Call,
        input: Any,
        size: Any = None,
        footprint: Any = None,
        output: Any = None,
        mode: Any = "reflect",
        cval: float = 0.0,
        origin: Any = 0,
        *,
        axes: Any = None,
    ) -> Any:
        x = _input(call, input, output, size, footprint, cval)
        if footprint is not None:
            parts = _window(call, x, size, footprint, mode, cval, origin, axes)
            return functools.reduce(choose, parts[1:], parts[0].copy())
        if size is None:
            raise RuntimeError("no footprint provided")
        over = _axes(axes, x.ndim)
        options = (_several(v, len(over)) for v in (size, mode, origin))
        for axis, n, m, o in zip(over, *options, strict=True):
            if n > 1:
                x = _chosen(x, choose, int(n), axis, m, cval, o)
        return x.copy()

    return rule


def _fitting(call: Call, shape: Sequence[int], window: Sequence[int], mode: Any, most: int) -> None:
    """Refuse windows for which SciPy extends an array otherwise than its modes say."""
    small = any(size > most * n for n, size in zip(shape, window, strict=True))
    if small and not str(mode).endswith("constant"):
        call.refuse(
            f"a window of {tuple(window)} is too large for an array of {tuple(shape)}",
            "Extend the array with np.pad first, and cut the result.",
        )


def _window(
    call: Call,
    x: Any,
    size: Any,
    footprint: Any,
    mode: str,
    cval: float,
    origin: Any,
    axes: Any,
    most: int = 4,
) -> list[Any]:
    """The neighbours of all elements, one array for each place of the footprint."""
    over = _axes(axes, x.ndim)
    if footprint is None:
        if size is None:
            raise RuntimeError("no footprint or filter size provided")
        footprint = np.ones([int(n) for n in _several(size, len(over))], bool)
    used = np.asarray(footprint, bool)
    if used.ndim != len(over) or not used.any():
        raise RuntimeError("footprint array has incorrect shape")
    used = np.expand_dims(used, tuple(i for i in range(x.ndim) if i not in over))
    origins = [0] * x.ndim
    for axis, o in zip(over, _several(origin, len(over)), strict=True):
        origins[axis] = o
    _fitting(call, x.shape, used.shape, mode, most)
    return _shifted(x, used, origins, [mode] * x.ndim, cval)


def _ranked(
    call: Call,
    rank_of: Callable[[int], int],
    input: Any,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: Any = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    x = _input(call, input, output, size, footprint, cval)
    parts = _window(call, x, size, footprint, mode, cval, origin, axes, most=1)
    return np.sort(np.stack(parts, axis=-1), axis=-1)[..., rank_of(len(parts))]


def _median(call: Call, input: Any, *args: Any, **options: Any) -> Any:
    return _ranked(call, lambda n: n // 2, input, *args, **options)


def _rank(call: Call, input: Any, rank: int, *args: Any, **options: Any) -> Any:
    return _ranked(call, lambda n: rank + n * (rank < 0), input, *args, **options)


def _percentile(call: Call, input: Any, percentile: float, *args: Any, **options: Any) -> Any:
    part = percentile + 100.0 * (percentile < 0)

    def rank_of(n: int) -> int:
        return n - 1 if part == 100.0 else int(float(n) * part / 100.0)

    return _ranked(call, rank_of, input, *args, **options)


def _medfilt(call: Call, volume: Any, kernel_size: Any = None) -> Any:
    x = np.atleast_1d(array_of(volume))
    sizes = _several(3 if kernel_size is None else kernel_size, x.ndim)
    return _ranked(call, lambda n: n // 2, x, sizes, mode="constant")


def _medfilt2d(call: Call, input: Any, kernel_size: Any = 3) -> Any:
    return _medfilt(call, input, kernel_size)


def _order_filter(call: Call, a: Any, domain: Any, rank: int) -> Any:
    return _ranked(call, lambda n: rank, a, footprint=domain, mode="constant")


# ---------------------------------------------------------------- interpolation
def _coordinates(
    call: Call,
    input: Any,
    coordinates: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
) -> Any:
    """An image between its elements: a polynomial in each coordinate, of degree `order`."""
    if contains_traced(input):
        call.refuse(
            "an image may not depend on the inputs here",
            "Use scipy.interpolate.RegularGridInterpolator, or NumPy indexing.",
        )
    _input(call, (), output, cval)
    places = array_of(coordinates)
    degrees = [int(order)] * len(places)
    return polynomial_of([places[i] for i in range(len(places))], degrees, output or float)


TABLE = lines(
    "scipy.ndimage",
    {
        "convolve": _several_axes(convolution=True),
        "convolve1d": _convolve1d,
        "correlate": _several_axes(convolution=False),
        "correlate1d": _correlate1d,
        "gaussian_filter": _gaussian,
        "gaussian_filter1d": _gaussian1d,
        "gaussian_gradient_magnitude": _gaussian_gradient,
        "gaussian_laplace": _gaussian_laplace,
        "laplace": _laplace,
        "map_coordinates": _coordinates,
        "maximum_filter": _extreme(np.maximum),
        "maximum_filter1d": _extreme1d(np.maximum),
        "median_filter": _median,
        "minimum_filter": _extreme(np.minimum),
        "minimum_filter1d": _extreme1d(np.minimum),
        "percentile_filter": _percentile,
        "prewitt": _edges((1, 1, 1)),
        "rank_filter": _rank,
        "sobel": _edges((1, 2, 1)),
        "uniform_filter": _uniform,
        "uniform_filter1d": _uniform1d,
    },
) | lines(
    "scipy.signal",
    {"medfilt": _medfilt, "medfilt2d": _medfilt2d, "order_filter": _order_filter},
)
