"""``scipy.ndimage``: images at other places, by splines of their elements.

Contract: at a known place a result depends on the elements whose weights are not zero: those
within half the width of a B-spline, and all of an axis where the coefficients of the spline are
computed first (``order > 1``), but for places on an element, where the spline gives it back.
At a traced place it is a polynomial of the place, and the place may be anywhere along its axis.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.operands.operands import contains_traced, dtype_of, ids_of
from sparsetrace.scipy_rules.callbacks import of_values
from sparsetrace.scipy_rules.impulses import LARGEST, along, dense_along, linear
from sparsetrace.scipy_rules.ndimage.neighbours import input_of, several
from sparsetrace.scipy_rules.points import polynomial_of
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    current,
    harmless,
    made,
    makes_objects,
)

_NEAR = 1e-9
"""Places so near to an element, or to the middle of two, are taken to be there."""
_PADDED = 12
"""By how many elements SciPy extends an image before it computes coefficients."""
_SIZE = "Scale by a constant, or compute the places and use scipy.ndimage.map_coordinates."


# ---------------------------------------------------------------- splines of images
def spline_filter1d(call, input, order, axis, output, mode):
    x = input_of(call, input, None if output is np.float64 else output, order)
    axis = normalize_axis_index(axis, x.ndim)
    if order in (0, 1):
        return x.copy()
    if x.shape[axis] > LARGEST:
        return dense_along(x, axis)
    return linear(x, lambda rows: call.original(rows, order, -1, mode=mode), axis)


def spline_filter(call, input, order, output, mode):
    x = input_of(call, input, None if output is np.float64 else output, order)
    if not 2 <= order <= 5:
        raise RuntimeError("spline order not supported")
    along_axis = Call(call.name, call.original.__globals__["spline_filter1d"])
    for axis in range(x.ndim):
        x = spline_filter1d(along_axis, x, order, axis, None, mode)
    return x


@dataclass(frozen=True, slots=True)
class _Spline:
    """How an image is interpolated.

    Attributes
    ----------
    coefficients : bool
        Whether those of the spline are computed first, each from all elements along an axis.
    rounded : bool
        Whether the middle between two elements is known for certain to be one.
    """

    order: int
    mode: str
    coefficients: bool
    rounded: bool = True

    @classmethod
    def of(cls, order, mode: str, prefilter, *, rounded: bool = True) -> _Spline:
        if not 0 <= order <= 5:
            raise RuntimeError("spline order not supported")
        mode = {"grid-mirror": "reflect"}.get(mode, mode)
        return cls(int(order), mode, bool(prefilter) and order > 1, rounded)

    def elements(
        self, place: NDArray[Any], n: int, *, moves: bool
    ) -> tuple[list[NDArray[Any]], list[NDArray[Any]], NDArray[np.bool_]]:
        """What results at places along an axis depend on.

        Returns
        -------
        elements, read : lists of arrays
            Numbers of elements, and whether they have a weight.
        dense : ndarray of bool
            Where they are not these, but all along the axis.
        """
        place, inside = self._mapped(place, n)
        if self.coefficients:
            nearest = np.round(place)
            at = np.abs(place - nearest) <= _NEAR
            dense = ~at | (moves or self.mode == "reflect")  # where SciPy's ends are not exact
            return *self._extended([nearest], [inside], n), dense & inside
        width = (self.order + 1) / 2
        first = np.floor(place - width)
        steps = [first + k for k in range(self.order + 4)]
        if self.order == 0 and self.rounded and not moves:
            steps = [np.floor(place + 0.5)]
        edge = _NEAR if moves or not self.order else -_NEAR
        read = [inside & (np.abs(place - step) < width + edge) for step in steps]
        return *self._extended(steps, read, n), np.zeros(place.shape, bool)

    def _mapped(self, place: NDArray[Any], n: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Places where the image is extended by less than one period, and whether they count."""
        inside = np.ones(place.shape, bool)
        if self.mode == "constant":
            inside = (place >= -_NEAR) & (place <= n - 1 + _NEAR)
        elif self.mode == "wrap":
            beyond = (place < 0) | (place > n - 1)
            place = np.where(beyond, np.mod(place, max(n - 1, 1)), place)
        elif self.mode == "nearest":
            more = _PADDED * self.coefficients
            place = np.clip(place, -more, n - 1 + more)
        elif self.mode == "grid-constant" and self.coefficients:
            inside = (place >= -_PADDED) & (place <= n - 1 + _PADDED)
        return place, inside

    def _extended(
        self, steps: list[NDArray[Any]], read: list[NDArray[Any]], n: int
    ) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
        """The elements of which an extension is made, and whether one is there."""
        mapped, there = [], []
        for step, has in zip(steps, read, strict=True):
            i = step.astype(np.intp)
            if self.mode == "grid-constant":
                has = has & (i >= 0) & (i < n)
            elif self.mode == "reflect":
                i = np.mod(i, 2 * n)
                i = np.minimum(i, 2 * n - 1 - i)
            elif self.mode == "grid-wrap":
                i = np.mod(i, n)
            elif self.mode != "nearest" and n > 1:  # the spline of an image ends as a mirror
                i = np.mod(i, 2 * n - 2)
                i = np.minimum(i, 2 * n - 2 - i)
            mapped.append(np.clip(i, 0, n - 1))
            there.append(has)
        return mapped, there


def _read(x, places: Sequence[Any], shape: tuple[int, ...], spline: _Spline, moving) -> Ids:
    """The ids of what results depend on; a place that is None may be anywhere along its axis."""
    columns, dense = [], []
    for axis, place in enumerate(places):
        n = x.shape[axis]
        if place is None:
            everywhere = np.zeros(shape, np.intp), np.ones(shape, bool)
            columns.append([everywhere])
            dense.append(everywhere[1])
            continue
        elements, read, whole = spline.elements(
            np.broadcast_to(place, shape), n, moves=axis in moving
        )
        columns.append(list(zip(elements, read, strict=True)))
        dense.append(whole)
    ids = np.full(shape, current().graph.opaque, np.int32).reshape(-1)
    number = sum(whole.reshape(-1).astype(int) << axis for axis, whole in enumerate(dense))
    for which in np.unique(number).tolist():
        image = x
        for axis in range(x.ndim):
            if which >> axis & 1:
                image = dense_along(image, axis)
        chosen = np.flatnonzero(number == which)
        matrix = _matrix(x.shape, columns, dense, chosen)
        ids[chosen] = np.maximum(ids_of(current(), along(image.reshape(-1), matrix)), OPAQUE)
    return ids.reshape(shape)


def _matrix(shape: Sequence[int], columns, dense, chosen: NDArray[np.intp]) -> Any:
    """Ones where a result reads an element; along a dense axis the first stands for all."""
    rows, elements = [], []
    for picks in itertools.product(*columns):
        there = np.ones(len(chosen), bool)
        flat = np.zeros(len(chosen), np.intp)
        for n, (at, has), whole in zip(shape, picks, dense, strict=True):
            everywhere = whole.reshape(-1)[chosen]
            there &= has.reshape(-1)[chosen] | everywhere
            flat = flat * n + np.where(everywhere, 0, at.reshape(-1)[chosen])
        rows.append(np.flatnonzero(there))
        elements.append(flat[there])
    joined = np.concatenate(rows), np.concatenate(elements)
    ones = np.ones(len(joined[0]))
    return scipy.sparse.csr_array((ones, joined), shape=(len(chosen), int(np.prod(shape))))


def _at(image, places: Sequence[Any], shape, output, spline: _Spline, cval) -> Any:
    """An image at places, one array of coordinates for each axis; all may be traced."""
    trace = current()
    dtype = dtype_of(image) if output is None else np.dtype(output)
    shape = tuple(shape)
    if dtype.kind not in "fc":
        return made(trace, np.full(shape, trace.graph.opaque, np.int32), dtype)
    moving = [axis for axis, place in enumerate(places) if contains_traced(place)]
    known = [
        of_values(place) if trace.local or not contains_traced(place) else None for place in places
    ]
    operands = [np.broadcast_to(places[axis], shape) for axis in moving]
    if trace.local and not trace.dependency and spline.mode == "constant":
        last = [n - 1 for n in image.shape]
        apart = [abs(of_values(p) - n / 2) - n / 2 for p, n in zip(places, last, strict=True)]
        beyond = functools.reduce(np.maximum, apart) > _NEAR
        operands = [np.where(beyond, 0.0, place) for place in operands]
    degrees = [spline.order] * len(moving)
    if contains_traced(image):
        operands.append(made(trace, _read(image, known, shape, spline, moving), dtype))
        degrees.append(1)
    if contains_traced(cval) and spline.mode.endswith("constant"):
        inside = np.full(shape, spline.mode == "constant")
        for place, n in zip(known, image.shape, strict=True):
            inside &= False if place is None else (place > _NEAR) & (place < n - 1 - _NEAR)
        operands.append(np.where(inside, 0.0, cval))
        degrees.append(1)
    if not operands:
        return made(trace, np.full(shape, trace.graph.opaque, np.int32), dtype)
    return polynomial_of(operands, degrees, dtype)


# ---------------------------------------------------------------- where they are read
def map_coordinates(call, input, coordinates, output, order, mode, cval, prefilter):
    image, places = input_of(call, input, output, order), array_of(coordinates)
    spline = _Spline.of(order, mode, prefilter)
    return _at(image, list(places), places.shape[1:], output, spline, cval)


def _grid(shape: Sequence[int]) -> list[NDArray[Any]]:
    """The places of the elements of an array, one array for each axis."""
    return [axis.astype(float) for axis in np.indices(tuple(shape), sparse=True)]


def shift(call, input, shift, output, order, mode, cval, prefilter):
    image = input_of(call, input, output, order)
    steps = _each(shift, image.ndim)
    places = [grid - step for grid, step in zip(_grid(image.shape), steps, strict=True)]
    return _at(image, places, image.shape, output, _Spline.of(order, mode, prefilter), cval)


def _each(value, count: int) -> list[Any]:
    """One number for each axis, of which some may be traced."""
    if contains_traced(value):
        array = array_of(value)
        return list(array) if array.ndim else [array[()]] * count
    return several(value, count)


def _sizes(call: Call, value, what: str) -> Any:
    """The value of a number that decides sizes."""
    if contains_traced(value) and not current().local:
        call.refuse(f"the size of the result depends on {what}", _SIZE)
    return of_values(value)


def zoom(call, input, zoom, output, order, mode, cval, prefilter, grid_mode=False):
    image = input_of(call, input, output, order)
    factors = several(_sizes(call, zoom, "the factor"), image.ndim)
    shape = [round(n * factor) for n, factor in zip(image.shape, factors, strict=True)]
    if prefilter and all(factor == 1 for factor in factors):
        return image.copy()
    places = []
    for grid, n, m in zip(_grid(shape), image.shape, shape, strict=True):
        less = 0 if grid_mode else 1
        scale = (n - less) / (m - less) if m - less else 1.0
        places.append((grid + 0.5) * scale - 0.5 if grid_mode else grid * scale)
    return _at(image, places, shape, output, _Spline.of(order, mode, prefilter), cval)


def affine_transform(
    call, input, matrix, offset, output_shape, output, order, mode, cval, prefilter
):
    image = input_of(call, input, output, order)
    matrix, d = array_of(matrix), image.ndim
    shape = image.shape if output_shape is None else tuple(output_shape)
    spline = _Spline.of(order, mode, prefilter, rounded=matrix.ndim == 1)
    if matrix.ndim == 2 and matrix.shape[1] == d + 1:
        matrix, offset = matrix[:d, :d], matrix[:d, d]
    offsets, grid = _each(offset, d), _grid(shape)
    if matrix.ndim == 1:
        places = [matrix[i] * grid[i] + offsets[i] for i in range(d)]
    else:
        terms = [[matrix[i, j] * axis for j, axis in enumerate(grid)] for i in range(d)]
        places = [sum(row, start=start) for row, start in zip(terms, offsets, strict=True)]
    return _at(image, places, shape, output, spline, cval)


def rotate(call, input, angle, axes, reshape, output, order, mode, cval, prefilter):
    image = input_of(call, input, output, order)
    pair = sorted(normalize_axis_index(axis, image.ndim) for axis in axes)
    plane = np.array([image.shape[axis] for axis in pair])
    turn = angle * (np.pi / 180)
    c, s = np.cos(turn), np.sin(turn)
    matrix = np.stack([np.stack([c, s]), np.stack([-s, c])])
    if reshape:
        sample = np.zeros(image.shape)
        angle = _sizes(call, angle, "the angle")
        plane_out = np.array(call.plainly(sample, angle, axes, order=0).shape)[pair]
    else:
        plane_out = plane
    offset = (plane - 1) / 2 - matrix @ ((plane_out - 1) / 2)
    shape = list(image.shape)
    shape[pair[0]], shape[pair[1]] = plane_out.tolist()
    grid = _grid(shape)
    inner = [grid[axis] for axis in pair]
    for k, axis in enumerate(pair):
        grid[axis] = matrix[k, 0] * inner[0] + matrix[k, 1] * inner[1] + offset[k]
    spline = _Spline.of(order, mode, prefilter, rounded=False)
    return _at(image, grid, shape, output, spline, cval)


@makes_objects  # the mapping is the user's, and may read traced numbers
@harmless("cval")
def geometric_transform(
    call, input, mapping, output_shape, output, order, mode, cval, prefilter,
    extra_arguments, extra_keywords,
):  # fmt: skip
    image = input_of(call, input, output, order)
    shape = image.shape if output_shape is None else tuple(output_shape)
    options = {"order": order, "mode": mode, "cval": cval, "prefilter": prefilter}
    extra = extra_keywords or {}
    constant(call, output, "output")

    def mapped(place) -> tuple[Any, ...]:
        return tuple(mapping(place, *extra_arguments, **extra))

    places = [mapped(place) for place in np.ndindex(shape)]
    if not contains_traced((image, places, cval)):
        return call.original(image, mapped, output_shape, output, **options)
    coordinates = [
        np.stack([array_of(place[axis]) for place in places]).reshape(shape)
        for axis in range(image.ndim)
    ]
    result = _at(image, coordinates, shape, output, _Spline.of(order, mode, prefilter), cval)
    if not current().local:
        return result
    options["cval"] = of_values(cval)
    values = call.plainly(
        of_values(image),
        lambda place: tuple(map(float, map(of_values, mapped(place)))),
        output_shape,
        output,
        **options,
    )
    return made(current(), ids_of(current(), result), values.dtype, values)
