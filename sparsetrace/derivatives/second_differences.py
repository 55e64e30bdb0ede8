"""Second derivatives of a scalar function from its values, one evaluation a pair of inputs.

Sources: Abramowitz and Stegun 1964, 25.3.23 to 25.3.26 (real differences); Lai and Crassidis
2008, "Extensions of the first and second complex-step derivative approximations".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from sparsetrace.derivatives.compression import real_numbers_refused
from sparsetrace.derivatives.direction_check import direction
from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.derivatives.methods import COMPLEX_STEP, SECOND, Bounds, steps

__all__ = ["first_missing_pair", "numerical_gradient", "second_differences"]

_EPS = float(np.finfo(np.float64).eps)
_STEP_OF_CHECK: dict[str, float] = {
    "cs": _EPS ** (1 / 3),
    "3-point": _EPS ** (1 / 4),
    "2-point": _EPS ** (1 / 4),
}
_AGREES = {"cs": 1e-7, "3-point": 1e-6, "2-point": 1e-4}
"""Relative to the sum of all entries' sizes, second derivatives agree so well."""

Scalar = Callable[[Vector], Any]


def second_differences(
    function: Scalar,
    x: Vector,
    rows: Vector,
    columns: Vector,
    method: str,
    rel_step: ArrayLike | None,
    bounds: Bounds | None,
) -> Vector:
    """The second derivatives by the inputs of each pair.

    By ``"cs"`` one call a pair, and one for each input that is a row: the imaginary part is the
    derivative by the one input, its difference that by the other (error about 1e-8).  By
    ``"3-point"`` two a pair and two an input (1e-8 of the function's size), by ``"2-point"`` one a
    pair and one an input (1e-5 of it).
    """
    if not len(rows):
        return np.zeros(0)
    if method == "cs":
        with real_numbers_refused():
            return _mixed(function, x, rows, columns, rel_step, bounds)
    wanted = SECOND[method] if rel_step is None else rel_step
    if method == "3-point":
        move = steps(x, "3-point", wanted, bounds)
        if move.one_sided is None:
            return _central(function, x, rows, columns, move.first)
        wanted = SECOND["2-point"] if rel_step is None else rel_step
    return _ahead(function, x, rows, columns, steps(x, "2-point", wanted, bounds, reach=2.0).first)


def numerical_gradient(function: Scalar, x: Vector, method: str) -> Vector:
    """The gradient from values: one call an input by the complex step, else two."""
    result = np.empty(len(x))
    move = steps(x, "3-point", None, None).first
    for i in range(len(x)):
        if method == "cs":
            point = x.astype(np.complex128)
            point.imag[i] = COMPLEX_STEP
            result[i] = float(np.imag(function(point))) / COMPLEX_STEP
        else:
            ahead, behind = (_at(function, x, (i, side * move[i])) for side in (1.0, -1.0))
            result[i] = (ahead - behind) / (2 * move[i])
    return result


def _mixed(
    function: Scalar,
    x: Vector,
    rows: Vector,
    columns: Vector,
    rel_step: ArrayLike | None,
    bounds: Bounds | None,
) -> Vector:
    """Im f(x + ih e_i + k e_j) / h is the derivative by x_i, where x_j has moved."""
    step = steps(x, "2-point", rel_step, bounds).first
    base = np.zeros(len(x))

    def derivative(i: int, j: int | None) -> float:
        point = x.astype(np.complex128)
        if j is not None:
            point[j] += step[j]
        point.imag[i] = COMPLEX_STEP
        return float(np.imag(function(point))) / COMPLEX_STEP

    for i in np.unique(rows):
        base[i] = derivative(i, None)
    ahead = np.array([derivative(i, j) for i, j in zip(rows, columns, strict=True)])
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Vector = (ahead - base[rows]) / step[columns]
    return result


def _at(function: Scalar, x: Vector, *moves: tuple[int, float]) -> float:
    point = x.copy()
    for i, move in moves:
        point[i] += move
    return float(function(point))


def _alone(function: Scalar, x: Vector, inputs: Vector, step: Vector) -> Vector:
    """The values where each of these inputs has moved alone; 0 at the others."""
    values = np.zeros(len(x))
    for i in inputs:
        values[i] = _at(function, x, (i, step[i]))
    return values


def _central(function: Scalar, x: Vector, rows: Vector, columns: Vector, step: Vector) -> Vector:
    base, inputs = function(x.copy()), np.unique([rows, columns])
    ahead, behind = (_alone(function, x, inputs, side) for side in (step, -step))
    around = ahead + behind - 2 * base
    values = np.empty(len(rows))
    for k, (i, j) in enumerate(zip(rows, columns, strict=True)):
        if i == j:
            values[k] = around[i]
            continue
        both = _at(function, x, (i, step[i]), (j, step[j])) - 2 * base
        both += _at(function, x, (i, -step[i]), (j, -step[j]))
        values[k] = (both - around[i] - around[j]) / 2
    values /= step[rows] * step[columns]
    return values


def _ahead(function: Scalar, x: Vector, rows: Vector, columns: Vector, step: Vector) -> Vector:
    base, ahead = function(x.copy()), _alone(function, x, np.unique([rows, columns]), step)
    both = [
        _at(function, x, (i, step[i]), (j, step[j])) for i, j in zip(rows, columns, strict=True)
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        values: Vector = np.array(both) - ahead[rows] - ahead[columns] + base
        values /= step[rows] * step[columns]
    return values


def first_missing_pair(
    function: Scalar,
    x: Vector,
    matrix: csr_array,
    method: str,
    bounds: Bounds | None,
    seed: int = 2,
) -> tuple[int, int] | None:
    """A pair that the matrix lacks, if the curvature along a random direction shows it.

    Where it disagrees, the inputs are halved until one pair is left; its derivative must then be
    far more than rounding can make it.
    """
    n = len(x)
    v, h = direction(x, seed), _STEP_OF_CHECK[method]
    if bounds is not None:
        room = np.minimum(x - bounds[0], bounds[1] - x) / 2
        v = np.clip(v, -room / h, room / h)
    size = 0.0  # of what is subtracted

    def curvature(rows: Vector, columns: Vector) -> float:
        """The derivative by a move of these rows and one of these columns."""
        nonlocal size
        first, second = np.zeros(n), np.zeros(n)
        first[rows], second[columns] = v[rows], h * v[columns]
        if method == "cs":
            with real_numbers_refused():
                slopes = [
                    float(np.imag(function(x + side * second + 1j * COMPLEX_STEP * first)))
                    / COMPLEX_STEP
                    for side in (1.0, -1.0)
                ]
            size = max(map(abs, slopes))
            return float(slopes[0] - slopes[1]) / (2 * h)
        first *= h
        if np.array_equal(rows, columns):
            values = [function(x + first), function(x.copy()), function(x - first)]
            size = max(map(abs, values)) / h
            return float(values[0] - 2 * values[1] + values[2]) / h**2
        values = [function(x + i * first + j * second) for i in (1, -1) for j in (1, -1)]
        size = max(map(abs, values)) / h
        return float(values[0] - values[1] - values[2] + values[3]) / (4 * h**2)

    def lost(rows: Vector, columns: Vector) -> float:
        first, second = np.zeros(n), np.zeros(n)
        first[rows], second[columns] = v[rows], v[columns]
        found = abs(curvature(rows, columns) - first @ (matrix @ second))
        allowed = _AGREES[method] * (np.abs(first) @ (abs(matrix) @ np.abs(second)))
        return float(found) if found > allowed + 1e3 * _EPS * size / h else 0.0

    rows = columns = np.arange(n)
    with np.errstate(all="ignore"):
        if not n or not lost(rows, columns):
            return None
        while len(rows) > 1:
            rows = max(np.array_split(rows, 2), key=lambda half: lost(half, columns))
        candidates = np.setdiff1d(columns, matrix[[int(rows[0])]].indices)
        columns = candidates
        while len(columns) > 1:
            columns = max(np.array_split(columns, 2), key=lambda half: lost(rows, half))
        if not len(columns) or not lost(rows, columns):
            return None
    return int(rows[0]), int(columns[0])
