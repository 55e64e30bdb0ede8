"""Whether a derivative agrees with its function along random directions.

Contract: what is reported is certain: a result that changes although no entry says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.derivatives.methods import COMPLEX_STEP, Bounds, rounding_unit

__all__ = [
    "Comparison",
    "are_close",
    "beside_within",
    "compared",
    "direction",
    "is_slope",
    "takes_complex_numbers",
]

_EPS = float(np.finfo(np.float64).eps)
_STEP = _EPS ** (1 / 3)
_BESIDE = 1e-3
_SAME = 1e-4
"""Relative to the change of all results, real differences agree so well with exact ones."""
_FAR = {"cs": 1e-3, "3-point": 0.1, "2-point": 0.1}
"""Relative to the sizes of what a row adds, products that differ by more are not just inexact."""
_SMALL = {"cs": 1e-8, "3-point": 1e-5, "2-point": 1e-5}
"""Relative to the largest rows and values, and to 1, products are not looked at."""
_MOST = 1e10
"""An imaginary part that results have of their own is larger, divided by the complex step."""

Function = Callable[[Vector], Vector]


@dataclass(frozen=True)
class Comparison:
    """What the function says to a derivative."""

    missing: tuple[int, int] | None = None
    """An entry that the pattern lacks."""
    is_analytic: bool = True
    """False where the complex step gives something else than real differences."""
    is_repeatable: bool = True
    """False where the function gives other values when it is called with the same numbers again."""
    is_consistent: bool = True
    """False where the function's derivative along a direction is far from the matrix's product."""


def direction(x: Vector, seed: int | list[int]) -> Vector:
    """Numbers between 1/2 and 1 times the size of x, with random signs."""
    random = np.random.default_rng(seed)
    signs = random.choice([-1.0, 1.0], size=x.shape)
    result: Vector = signs * random.uniform(0.5, 1.0, size=x.shape) * np.maximum(1.0, np.abs(x))
    return result


def beside_within(x: Vector, bounds: Bounds | None) -> Vector:
    """A move to a point beside, of which nothing special is expected; within the bounds."""
    move = _BESIDE * direction(x, 4)
    if bounds is None:
        return move
    result: Vector = np.clip(x + move, *bounds) - x
    return result


def takes_complex_numbers(function: Function, x: Vector) -> bool:
    """Whether the complex step gives the derivatives that real differences give.

    A function may refuse complex numbers, drop their imaginary parts, or take absolute values
    and conjugates; then it may not.  They are compared beside the point, as where derivatives
    vanish differences are nothing but errors; at the point itself if only there f has values.
    """
    if np.iscomplexobj(x) or not len(x):
        return False
    for at in (x + _BESIDE * direction(x, 4), x):
        answers = [_agrees(function, at, seed) for seed in (0, 1)]
        if None not in answers:
            return all(answers)
    return False


def _agrees(function: Function, x: Vector, seed: int) -> bool | None:
    """Whether the complex step agrees with a central difference along one direction.

    None where neither has a value.
    """
    v = direction(x, seed)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)
            warnings.simplefilter("error", np.exceptions.ComplexWarning)  # which is one, too
            product = function(x + 1j * COMPLEX_STEP * v).copy()  # it may be a buffer
            difference, size = _central(function, x, v, _STEP)
            if product.shape != difference.shape or difference.dtype.kind == "c":
                return False
            exact = product.imag / COMPLEX_STEP
            errors = np.abs(exact - difference)
            allowed = _SAME * np.maximum(np.abs(exact), np.abs(difference)) + 1e-7 * size
            finite = np.isfinite(errors)
            if (errors > allowed)[finite].any():
                # where a derivative vanishes, what is left are the third ones, times step**2
                coarse, _ = _central(function, x, v, 8 * _STEP)
                allowed = np.maximum(allowed, np.abs(exact - coarse) / 16)
    except Exception:
        return None
    return bool((errors <= allowed)[finite].all()) if finite.any() else None


def _central(function: Function, x: Vector, v: Vector, step: float) -> tuple[Vector, float]:
    """The derivative along a direction by central differences, and the size of the results."""
    ahead, behind = function(x + step * v).copy(), function(x - step * v)
    dtype = np.result_type(ahead, np.float64)
    return (ahead.astype(dtype) - behind) / (2 * step), float(np.abs(ahead).max(initial=0.0))


def compared(
    function: Function,
    x: Vector,
    matrix: csr_array,
    method: str,
    bounds: Bounds | None,
    seed: int = 2,
) -> Comparison:
    """A derivative beside its function, by a few calls along a random direction.

    Of an exact derivative one call is complex, and shows entries that are missing; the other is
    real, and shows whether the complex step is right.  Of others they make one real difference, and
    a third call shows whether the function gives the same values again.  Where a real call fails on
    both sides, as beyond the domain, nothing is said.
    """
    if not all(matrix.shape):
        return Comparison()
    v = _within(x, direction(x, seed), bounds)
    with np.errstate(all="ignore"):
        if method == "cs":
            product = function(x + COMPLEX_STEP * 1j * v).copy()
            derivative, base = product.imag / COMPLEX_STEP, product.real
            missing = _missing(function, x, v, matrix, derivative, base, method)
            is_analytic = _is_real_derivative(function, x, v, bounds, product)
            return Comparison(
                missing, is_analytic, is_consistent=_is_near(matrix, v, derivative, base, method)
            )
        base = function(x.copy()).copy()
        if not are_close(base, function(x.copy())):
            return Comparison(is_repeatable=False)
        difference, v = _difference(function, x, v, bounds, _STEP, base)
        if difference is None:
            return Comparison()
        return Comparison(
            _missing(function, x, v, matrix, difference, base, method),
            is_consistent=_is_near(matrix, v, difference, base, method),
        )


def is_slope(
    value: Callable[[Vector], Any], gradient: Vector, x: Vector, bounds: Bounds | None
) -> bool:
    """Whether a gradient is that of a function, as far as two of its values can tell."""
    v = _within(x, direction(x, 5), bounds)
    with np.errstate(all="ignore"):
        ahead, behind = (value(x + side * _STEP * v) for side in (1.0, -1.0))
        error = abs((ahead - behind) / (2 * _STEP) - gradient @ v)
        size = float(np.abs(gradient) @ np.abs(v))
        return not error > _FAR["3-point"] * size + 1e4 * _EPS / _STEP * (abs(ahead) + abs(behind))


def _is_near(matrix: csr_array, v: Vector, derivative: Vector, base: Vector, method: str) -> bool:
    """Whether no row's product is far from what the function says, where that is a number."""
    error, size = np.abs(derivative - matrix @ v), abs(matrix) @ np.abs(v)
    small = _SMALL[method]
    # where the terms of a row cancel, what is left of it is their rounding
    rounding = small * (1.0 + size.max(initial=0.0) + np.abs(base).max(initial=0.0))
    allowed = _FAR[method] * size + rounding
    if method != "cs":
        allowed += 1e-3 * np.abs(base)
    return not (error > allowed)[np.abs(derivative) < _MOST].any()


def are_close(values: Vector, others: Vector) -> bool:
    """Whether differences of such values are not mainly those of one call from the next."""
    if values.shape != others.shape:
        return False
    size = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    change = np.abs(values - others)
    return not (change > np.sqrt(rounding_unit(values)) * size).any()


def _difference(
    function: Function, x: Vector, v: Vector, bounds: Bounds | None, step: float, base: Vector
) -> tuple[Vector | None, Vector]:
    """The one-sided difference along a direction, or along its opposite if only there it works."""
    for side in (v, -v) if bounds is None else (v,):
        try:
            return (function(x + step * side) - base) / step, side
        except Exception:
            continue
    return None, v


def _is_real_derivative(
    function: Function, x: Vector, v: Vector, bounds: Bounds | None, product: Vector
) -> bool:
    """Whether the real difference is that of the complex step, as far as it can tell."""
    if not np.isfinite(x).all():
        return True
    unit = rounding_unit(product)
    step = float(np.sqrt(unit))
    difference, side = _difference(function, x, v, bounds, step, product.real)
    if difference is None:
        return True
    exact = product.imag / COMPLEX_STEP * (1.0 if side is v else -1.0)
    errors = np.abs(difference - exact)
    finite = np.abs(exact[np.isfinite(exact)])
    # where a row vanishes, what is left are the second derivatives and the rounding of its terms
    allowed = 1e-6 * finite.max(initial=0.0) + 1e2 * unit / step * np.abs(product.real)
    allowed += _SAME * np.maximum(np.abs(exact), np.abs(difference))
    return not (errors > allowed)[np.isfinite(errors)].any()


def _missing(
    function: Function,
    x: Vector,
    v: Vector,
    matrix: csr_array,
    derivative: Vector,
    base: Vector,
    method: str,
) -> tuple[int, int] | None:
    """An entry that the matrix lacks, if a derivative along a direction shows it.

    A row whose product disagrees is looked into: the inputs that it has no entry for are moved,
    and its result must not change at all.
    """
    expected = matrix @ v
    size = abs(matrix) @ np.abs(v)
    allowed = 1e-9 * size if method == "cs" else 1e-3 * size + 1e-6 * np.abs(base)
    wrong = np.flatnonzero(np.abs(derivative - expected) > allowed)
    for row in wrong[:3]:
        column = _missing_column(function, x, v, base, matrix, int(row), method)
        if column is not None:
            return int(row), column
    return None


def _missing_column(
    function: Function, x: Vector, v: Vector, base: Vector, matrix: csr_array, row: int, method: str
) -> int | None:
    """By halves, an input without an entry in the row that changes its result."""
    entries = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
    candidates = np.setdiff1d(np.arange(len(x)), entries)
    step = COMPLEX_STEP * 1j if method == "cs" else _STEP
    still = function(x + 0j)[row].imag if method == "cs" else 0.0

    def change(columns: Vector, part: float = 1.0) -> float:
        move = np.zeros(len(x))
        move[columns] = v[columns]
        result = function(x + part * step * move)[row]
        if method == "cs":
            # of a logarithm of negative numbers, say, that is not 0 where nothing moves
            return float(abs(result.imag - still))
        size = float(abs(result - base[row]))
        return size if size > 1e3 * _EPS * abs(base[row]) else 0.0

    # what rounding changes, too, is the smaller half
    while len(candidates) > 1 and change(candidates):
        candidates = max(np.array_split(candidates, 2), key=change)
    if len(candidates) != 1 or not change(candidates):
        return None
    if method != "cs":
        # errors of a function that is itself a difference do not shrink with the step
        whole = change(candidates)
        parts = [change(candidates, part) / (part * whole) for part in (1 / 2, 1 / 4, 1 / 8)]
        if not all(1 / 2 < part < 2 for part in parts):
            return None
    return int(candidates[0])


def _within(x: Vector, v: Vector, bounds: Bounds | None) -> Vector:
    """The direction with signs turned where it would leave the bounds."""
    if bounds is None:
        return v
    lower, upper = bounds
    outside = (x + _STEP * v < lower) | (x + _STEP * v > upper)
    turned = np.where(outside, -v, v)
    fits = (x + _STEP * turned >= lower) & (x + _STEP * turned <= upper)
    result: Vector = np.where(fits, turned, 0.0)
    return result
