"""``scipy.interpolate``: values at scattered sites, traced or at traced points.

Contract: an interpolator is linear in its values.  At known points its matrix is taken from unit
values, so that its zeros are SciPy's own; at traced points each result depends on its point and
on all values.  Where sites or parameters are traced, it depends on everything jointly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.operands.operands import contains_traced, dtype_of, ids_of, values_of
from sparsetrace.scipy_rules.impulses import along
from sparsetrace.scipy_rules.interpolate.interpolators import class_of, first_axis, placed
from sparsetrace.scipy_rules.interpolate.joined import joined
from sparsetrace.scipy_rules.points import function_of
from sparsetrace.scipy_rules.rule_tools import (
    STATE,
    Call,
    Hidden,
    array_of,
    constant,
    current,
    harmless,
    made,
    makes_objects,
    state_of,
)
from sparsetrace.scipy_rules.whole import total_of, whole

_LARGEST = 4096
"""So many values are replaced by unit values, one after another."""


@dataclass(slots=True)
class _Scattered:
    """An interpolator of traced values.

    Attributes
    ----------
    of_values : callable
        Makes SciPy's own interpolator of plain values.
    values : traced or ordinary array
        Along its first axis one for each site.
    parameters : tuple
        What else is traced of what it was made of.
    """

    of_values: Callable[..., Any]
    values: Any
    parameters: tuple[Any, ...]
    pieces: int
    """The degree of its pieces; 2 where they are no polynomials."""
    local: bool
    """Whether a result depends on the values of near sites alone."""
    filled: bool = False
    """Whether a number stands for what lies outside."""

    def evaluated(self, coordinates: list[Any]) -> Any:
        """At points, of which there is one array for each coordinate."""
        trace = current()
        dtype = np.result_type(dtype_of(self.values), float)
        shape = np.broadcast_shapes(*map(np.shape, coordinates))
        moves, trailing = contains_traced(coordinates), self.values.shape[1:]
        if not (moves or self.parameters) and len(self.values) <= _LARGEST:
            ids = self._of_units(np.stack(coordinates, axis=-1), shape)
        elif self.parameters:
            total = np.asarray(total_of(self.values, self.parameters))
            ids = self._joined(coordinates, np.broadcast_to(total, trailing), 2, shape)
        else:
            total = trace.graph.union_rows(np.moveaxis(ids_of(trace, self.values), 0, -1))
            ids = self._joined(coordinates, np.asarray(total), self.pieces, shape)
        values = None
        if trace.local:
            places = np.stack([np.asarray(values_of(x)) for x in coordinates], axis=-1)
            values = np.asarray(self.of_values(np.asarray(values_of(self.values)))(places))
        return made(trace, np.maximum(ids, OPAQUE), dtype, values)

    def _of_units(self, points, shape) -> Ids:
        outside = {"fill_value": np.nan} if self.filled else {}
        units = np.asarray(self.of_values(np.eye(len(self.values)), **outside)(points))
        units = np.nan_to_num(units).reshape(-1, len(self.values))
        if not self.local:  # weights of sites far away are too small to be sure of
            units = np.repeat(units.any(axis=1, keepdims=True), len(self.values), axis=1)
        matrix = scipy.sparse.csr_array(units * 1.0)
        result = along(array_of(self.values), matrix, 0)
        return ids_of(current(), result).reshape(shape + self.values.shape[1:])

    def _joined(self, coordinates, total: Ids, degree: int, shape) -> Ids:
        trace, behind = current(), (1,) * total.ndim
        operands = [np.reshape(np.broadcast_to(x, shape), shape + behind) for x in coordinates]
        operands.append(made(trace, np.broadcast_to(total, total.shape).copy(), float))
        return np.asarray(ids_of(trace, _piecewise(operands, degree, values=True)))


def _piecewise(operands: list[Any], degree: int, *, values: bool) -> Any:
    """Pieces of a degree in all coordinates together, and linear in the values, if there are."""
    places = len(operands) - values
    varying = [degree > 0] * places + [True] * values
    vanishing = {(places, places)} if values and degree < 3 else set()
    if degree < 2:
        vanishing |= {(i, j) for j in range(places) for i in range(j + 1)}
    return function_of(operands, varying, vanishing, float)


def coordinates_of(args: tuple[Any, ...], d: int) -> list[Any]:
    """The coordinates of points, as SciPy takes them: in one array, in a tuple or apart."""
    points = args[0] if len(args) == 1 else args
    if isinstance(points, tuple) and len(points) == 1:
        points = points[0]
    if isinstance(points, tuple):
        shape = np.broadcast_shapes(*map(np.shape, points))
        return [np.broadcast_to(array_of(x), shape) for x in points]
    array = array_of(points)
    if array.ndim == 1:
        array = array.reshape(-1, d)
    if array.shape[-1] != d:
        raise ValueError("number of dimensions in xi does not match x")
    return [array[..., i] for i in range(d)]


def _made(
    call: Call, self, sites, values, pieces: int, parameters=(), *, local: bool = True, **options
) -> None:
    """Make the object that a constructor of SciPy's makes of plain values."""
    values, trace = array_of(values), current()
    traced = tuple(x for x in (sites, *parameters) if contains_traced(x))
    if traced and not trace.local:
        self.__dict__[STATE] = _Scattered(_unknown, values, traced, pieces, local)
        return
    options = {name: values_of(option) for name, option in options.items()}
    places = tuple(map(values_of, sites)) if isinstance(sites, tuple) else values_of(sites)

    def of_values(plain, **other) -> Any:
        made_of = object.__new__(type(self))
        call.plainly(made_of, places, plain, **options | other)
        return lambda points: _called(made_of, points)

    plain: Any = object.__new__(type(self))
    call.plainly(plain, places, np.zeros(values.shape), **options)
    _hide(call, self, plain, ("points", "tri", "y"))
    self.__dict__[STATE] = _Scattered(
        of_values, values, traced, pieces, local, "fill_value" in options
    )


def _hide(call: Call, holder, plain, shown: tuple[str, ...]) -> None:
    """Give an object the attributes of another one, of which all but a few raise."""
    hidden = Hidden(
        call.name,
        "what an interpolator of traced values is made of is not known here",
        "Call the interpolator itself.",
    )
    for name, value in vars(plain).items():
        known = name in shown or isinstance(value, int | str)
        holder.__dict__[name] = value if known else hidden


def _unknown(plain) -> Any:
    raise AssertionError("sites of unknown place")


def _called(interpolator, points) -> Any:
    """Outside of the trace; one row of coordinates for each point, as `RBFInterpolator` asks."""
    flat = np.asarray(points).reshape(-1, points.shape[-1])
    result = Call("", type(interpolator).__call__).plainly(interpolator, flat)
    return np.asarray(result).reshape(points.shape[:-1] + np.shape(result)[1:])


@makes_objects
def LinearNDInterpolator_init(call, self, points, values, fill_value, rescale):
    constant(call, fill_value, "fill_value", "Use np.where on the result.")
    _made(call, self, points, values, 1, fill_value=fill_value, rescale=rescale)


@makes_objects
def CloughTocher2DInterpolator_init(call, self, points, values, fill_value, tol, maxiter, rescale):
    constant(call, fill_value, "fill_value", "Use np.where on the result.")
    _made(
        call, self, points, values, 2, fill_value=fill_value, tol=tol, maxiter=maxiter,
        rescale=rescale, local=False,
    )  # fmt: skip


@makes_objects
def NearestNDInterpolator_init(call, self, x, y, rescale, tree_options):
    _made(call, self, x, y, 0, rescale=rescale, tree_options=tree_options)


@makes_objects
def RBFInterpolator_init(call, self, y, d, neighbors, smoothing, kernel, epsilon, degree):
    _made(
        call, self, y, d, 2, (smoothing, epsilon), neighbors=neighbors, smoothing=smoothing,
        kernel=kernel, epsilon=epsilon, degree=degree, local=neighbors is not None,
    )  # fmt: skip


def _evaluated(call: Call, self, args: tuple[Any, ...], degree: int) -> Any:
    state = state_of(self)
    if state is not None:
        sites = getattr(self, "points", getattr(self, "y", None))
        d = _dimensions(args) if sites is None else np.shape(sites)[-1]
        return state.evaluated(coordinates_of(args, d))
    sites = self.points if hasattr(self, "points") else self.y
    coordinates = coordinates_of(args, np.shape(sites)[-1])
    values = self.values if hasattr(self, "values") else self.d
    trailing = np.shape(values)[1:] if np.ndim(values) > 1 else ()
    if not hasattr(self, "points"):
        trailing = tuple(self.d_shape)
    elif hasattr(self, "values_shape"):
        trailing = tuple(self.values_shape)
    places = [x.reshape(x.shape + (1,) * len(trailing)) for x in coordinates]
    result = _piecewise(places, degree, values=False)
    shape = result.shape[: result.ndim - len(trailing)] + trailing
    return np.broadcast_to(result, shape).copy()


def _dimensions(args: tuple[Any, ...]) -> int:
    points = args[0] if len(args) == 1 else args
    return len(points) if isinstance(points, tuple) else np.shape(points)[-1]


# ---------------------------------------------------------------- of one coordinate
def _curve(call: Call, self, x, y, axis: int, *, linear: bool, **options) -> None:
    """A curve each value of which depends on all ordinates."""
    if joined(call, self, axis, x, y, **options):
        return
    y, place = first_axis(y, axis)

    def of_values(plain) -> Any:
        own = object.__new__(type(self))
        call.plainly(own, x, plain, **options)
        method = Call("", type(own).__call__)
        return lambda points: method.plainly(own, points[..., 0])

    plain: Any = object.__new__(type(self))
    call.plainly(plain, x, np.linspace(0.5, 1.0, len(y)), **options)
    _hide(call, self, plain, ("xi",))
    state = _Scattered(of_values, y, () if linear else (y,), 2, False)
    self.__dict__[STATE] = _Curve(state, place)


@dataclass(slots=True)
class _Curve:
    """One of a coordinate alone; the axis of its points may be any."""

    scattered: _Scattered
    axis: int

    def evaluated(self, points) -> Any:
        points = array_of(points)
        return placed(self.scattered.evaluated([points]), points.ndim, self.axis)


@makes_objects
def KroghInterpolator_init(call, self, xi, yi, axis):
    _curve(call, self, xi, yi, axis, linear=True)


@makes_objects
@harmless("rng", "random_state")  # in which order the weights are computed
def BarycentricInterpolator_init(call, self, xi, yi, axis, wi=None):
    constant(call, wi, "a weight")
    if yi is None:
        call.refuse("traced sites without ordinates have no rule", "Give it the ordinates.")
    _curve(call, self, xi, yi, axis, linear=True)


@makes_objects
def FloaterHormannInterpolator_init(call, self, points, values, d, axis=0):
    _curve(call, self, points, values, 0, linear=True, d=d)
    if axis:
        call.refuse("axis has no rule", "Use np.moveaxis.")


@makes_objects
def AAA_init(call, self, x, y, rtol, max_terms, clean_up, clean_up_tol, axis=0):
    constant(call, (rtol, max_terms, clean_up_tol), "an option")
    options = {"rtol": rtol, "max_terms": max_terms, "clean_up": clean_up}
    if axis:  # since SciPy 1.17
        call.refuse("axis has no rule", "Use np.moveaxis.")
    _curve(call, self, x, y, 0, linear=False, clean_up_tol=clean_up_tol, **options)


def AAA_call(call, self, z):
    """Also of ``FloaterHormannInterpolator``."""
    state = state_of(self)
    if state is not None:
        return state.evaluated(z)
    return function_of([array_of(z)], [True], (), float)


def barycentric_interpolate(call, xi, yi, x, axis, der):
    if der is not None and np.any(np.asarray(der) != 0):
        return whole(call, xi, yi, x, axis=axis, der=der)
    return class_of("BarycentricInterpolator")(xi, yi, axis=axis)(x)


def krogh_interpolate(call, xi, yi, x, der, axis):
    if np.any(np.asarray(der) != 0):
        return whole(call, xi, yi, x, der=der, axis=axis)
    return class_of("KroghInterpolator")(xi, yi, axis=axis)(x)


def LinearNDInterpolator_call(call, self, args):
    """Also of its kin, whose method it is."""
    smooth = isinstance(self, class_of("CloughTocher2DInterpolator"))
    return _evaluated(call, self, args, 2 if smooth else 1)


def NearestNDInterpolator_call(call, self, args, query_options):
    constant(call, query_options, "an option")
    if state_of(self) is not None and query_options:
        call.refuse("options of the search have no rule for traced values", "Leave them out.")
    return _evaluated(call, self, args, 0)


def RBFInterpolator_call(call, self, x):
    return _evaluated(call, self, (x,), 2)


def griddata(call, points, values, xi, method, fill_value, rescale):
    """By the class that SciPy takes for it."""
    constant(call, fill_value, "fill_value", "Use np.where on the result.")
    places = points[0] if isinstance(points, tuple) and len(points) == 1 else points
    one = np.ndim(places) == 1 or (not isinstance(places, tuple) and np.shape(places)[-1] == 1)
    if one and not isinstance(places, tuple):
        at = xi[0] if isinstance(xi, tuple) else xi
        sites, heights = array_of(places).reshape(-1), array_of(values)
        if not contains_traced(sites):  # traced ones are put in order by the curve
            order = np.argsort(sites)
            sites, heights = sites[order], heights[order]
        fill: Any = "extrapolate" if method == "nearest" else fill_value
        curve = class_of("interp1d")(
            sites, heights, kind=method, axis=0, bounds_error=False, fill_value=fill
        )
        return curve(at)
    if method == "nearest":
        return class_of("NearestNDInterpolator")(points, values, rescale=rescale)(xi)
    names = {"linear": "LinearNDInterpolator", "cubic": "CloughTocher2DInterpolator"}
    if method not in names:
        raise ValueError(f"Unknown interpolation method {method!r}")
    return class_of(names[method])(points, values, fill_value=fill_value, rescale=rescale)(xi)
