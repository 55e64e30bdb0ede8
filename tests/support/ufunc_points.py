"""One-sided differences of ufuncs around given points, against what the records say of them.

Around a point every quadrant is measured, with steps of 0.01 and 0.0001: where a second
derivative vanishes its difference falls, where it is infinite it grows, elsewhere it stays.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray
from scipy import special

from sparsetrace.rules import RECORDS
from sparsetrace.rules.numpy_comparisons import CLIP
from sparsetrace.rules.record import Pair

Points = list[NDArray[Any]]
Mask = NDArray[np.bool_]
Predicate = Callable[..., Any]

#: At all combinations of these nothing flat may be missed.
SIMPLE = (-1.0, 0.0, 0.5, 1.0, 2.0)
#: More of them for soundness, by the number of inputs.
VALUES = {
    1: (-3.0, -2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0),
    2: (-2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0),
    3: (-1.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0),
    4: (-1.0, 0.0, 0.5, 1.0, 3.0, 5.0),
}
DEGREES = (-270.0, -180.0, -90.0, -45.0, 0.0, 30.0, 90.0, 180.0, 360.0)
IN_DEGREES = (special.sindg, special.cosdg, special.tandg, special.cotdg)
STEPS = (1e-2, 1e-4)
#: Relative errors of the functions, as far as they are not those of a few operations.
ERROR = 1e-15
SINCE_SCIPY_1_18 = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
INEXACT = {
    special.eval_gegenbauer: 1e-14,
    special.eval_jacobi: 1e-13,
    special.tklmbda: 1e-12,
}

#: Where a function jumps, and is flat on either side.
JUMPS: dict[np.ufunc, Predicate] = {np.arctan2: lambda y, x: (y == 0) & (x < 0)}
if SINCE_SCIPY_1_18:  # computed in another way there, by 1e-11
    JUMPS[special.eval_jacobi] = lambda n, alpha, beta, x: alpha == -1

#: Older versions have other values at the edges of domains, or none.
SCIPY_IS_RECENT = np.lib.NumpyVersion(scipy.__version__) >= "1.17.0"
recent = pytest.mark.skipif(not SCIPY_IS_RECENT, reason="nothing is missed in the newest SciPy")


# --- the oracle -------------------------------------------------------------------


def takes_reals(ufunc: np.ufunc, position: int) -> bool:
    return any(loop.split("->")[0][position] in "efdg" for loop in ufunc.types)


def whole_inputs(ufunc: np.ufunc) -> frozenset[int]:
    """Orders and degrees: SciPy continues some to the reals, nobody differentiates by them."""
    if ufunc.__name__.startswith("eval_"):
        return frozenset((0,))
    return RECORDS[ufunc].integers | ({1} if ufunc is special.lpmv else set())


def curved_inputs(ufunc: np.ufunc) -> list[int]:
    letters = RECORDS[ufunc].first
    return [
        i
        for i in range(ufunc.nin)
        if takes_reals(ufunc, i)
        and i not in whole_inputs(ufunc)
        and any(output[i] == "1" for output in letters)
    ]


def pairs_of(ufunc: np.ufunc) -> list[Pair]:
    return list(combinations_with_replacement(curved_inputs(ufunc), 2))


def as_taken(ufunc: np.ufunc, points: Points) -> Points:
    return [x if takes_reals(ufunc, i) else x.astype(int) for i, x in enumerate(points)]


def grid(ufunc: np.ufunc, values: Sequence[float]) -> Points:
    axes = []
    for i in range(ufunc.nin):
        axis = np.array(DEGREES if ufunc in IN_DEGREES else values)
        if i in whole_inputs(ufunc) or not takes_reals(ufunc, i):
            axis = axis[np.isfinite(axis) & (axis == np.floor(axis)) & (axis >= 0)]
        axes.append(axis)
    return as_taken(ufunc, [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")])


def generic(ufunc: np.ufunc, number: int, seed: int) -> Points:
    rng, record = np.random.default_rng(seed), RECORDS[ufunc]
    points = [rng.uniform(low, high, number) for low, high in record.domain]
    points = [np.floor(x) if i in whole_inputs(ufunc) else x for i, x in enumerate(points)]
    return as_taken(ufunc, points)


def at(points: Points, where: Mask) -> Points:
    return [x[where] for x in points]


def shown(points: Points, where: Mask) -> list[tuple[float, ...]]:
    return [tuple(float(v) for v in point) for point in zip(*at(points, where), strict=True)][:8]


@contextmanager
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # SciPy says so when it truncates an order to a whole number.
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def evaluate(ufunc: np.ufunc, points: Points) -> Points:
    with quiet():
        outputs = ufunc(*points)
    outputs = outputs if ufunc.nout > 1 else (outputs,)
    return [np.asarray(v) if np.iscomplexobj(v) else np.asarray(v, float) for v in outputs]


def moved(points: Points, position: int, by: Any) -> Points:
    return [x + by if i == position else x for i, x in enumerate(points)]


def finite(values: Points) -> Mask:
    return np.all([np.isfinite(v) for v in values], axis=0)


def differences(
    ufunc: np.ufunc, points: Points, pair: Pair, steps: tuple[Any, Any]
) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Second difference quotients per quadrant and output, and what rounding makes of 0."""
    i, j = pair
    found = []
    here = evaluate(ufunc, points)
    for s in (steps[0], -steps[0]):
        one = evaluate(ufunc, moved(points, i, s))
        for t in (s,) if i == j else (steps[1], -steps[1]):
            other = one if i == j else evaluate(ufunc, moved(points, j, t))
            both = evaluate(ufunc, moved(moved(points, i, s), j, t))
            for values in zip(here, one, other, both, strict=True):
                with np.errstate(all="ignore"):
                    a, b, c, d = values
                    size = np.max(np.abs(values), axis=0)
                    noise = 8 * INEXACT.get(ufunc, ERROR) * (1 + size) / np.abs(s * t)
                    quotient = np.where(np.isinf(size), np.inf, (d - b - c + a) / (s * t))
                    found.append((quotient, noise))
    return found


def zero_second(
    ufunc: np.ufunc,
    points: Points,
    pair: Pair,
    *,
    ratio: float = 0.7,
) -> tuple[Mask, Mask]:
    """Where the second derivative is zero in every quadrant of the domain, and known.

    The differences of x**2.5 at 0 fall by 10 from one step to the next, those of
    x**1.3 log x by 2.
    """
    scale = 50.0 if ufunc in IN_DEGREES else 1.0
    wide, narrow = (differences(ufunc, points, pair, (scale * h,) * 2) for h in STEPS)
    zero, known = np.ones(len(points[0]), bool), np.zeros(len(points[0]), bool)
    for (a, _), (b, noise) in zip(wide, narrow, strict=True):
        with np.errstate(all="ignore"):
            defined = np.isfinite(a) & np.isfinite(b)
            zero &= ~defined | (np.abs(b) <= ratio * np.abs(a) + noise)
        known |= defined
    return zero, known & finite(evaluate(ufunc, points))


def is_flat(ufunc: np.ufunc, pair: Pair, points: Points) -> Mask:
    with quiet():
        mask = RECORDS[ufunc].zero2_at(pair, points)
    return np.zeros(len(points[0]), bool) if mask is None else mask


def is_sharp(ufunc: np.ufunc, points: Points, inputs: Sequence[int] | None = None) -> Mask:
    mask = RECORDS[ufunc].infinite2_at(points, inputs)
    return np.zeros(len(points[0]), bool) if mask is None else mask


def is_singular(ufunc: np.ufunc, points: Points) -> Mask:
    with quiet():
        mask = RECORDS[ufunc].infinite_at(points)
    return np.zeros(len(points[0]), bool) if mask is None else np.asarray(mask)


def nowhere(*values: Any) -> Any:
    return np.zeros(len(values[0]), bool)


def everywhere(*values: Any) -> Any:
    return np.ones(len(values[0]), bool)


def among(*points: tuple[float, ...]) -> Predicate:
    def predicate(*values: Any) -> Any:
        here = np.stack(values)
        return np.any([np.all(here == np.array([p]).T, axis=0) for p in points], axis=0)

    return predicate


def unsteady(ufunc: np.ufunc, pair: Pair, points: Points) -> Mask:
    """Where the second derivative does not tend to zero as all inputs approach the point."""
    real = [takes_reals(ufunc, i) and i not in whole_inputs(ufunc) for i in range(ufunc.nin)]
    worst, rounding = [], np.zeros(len(points[0]))
    for size in (1e-1, 1e-3):
        rng = np.random.default_rng(5)
        largest = np.zeros(len(points[0]))
        for _ in range(8):
            near = [
                x + size * rng.uniform(-1, 1, len(x)) if moves else x
                for x, moves in zip(points, real, strict=True)
            ]
            for found, noise in differences(ufunc, near, pair, (0.03 * size,) * 2):
                largest, rounding = np.fmax(largest, np.abs(found)), np.fmax(rounding, noise)
        worst.append(largest)
    return ~(worst[1] <= 0.6 * worst[0] + rounding)


@cache
def simple_scan(ufunc: np.ufunc) -> tuple[Points, dict[Pair, tuple[Mask, Mask, Mask]]]:
    """Per pair whose derivative is not zero everywhere: found flat, zero, and known."""
    points, anywhere = grid(ufunc, SIMPLE), generic(ufunc, 8, seed=3)
    ordinary = ~is_singular(ufunc, points)
    found = {}
    for pair in pairs_of(ufunc):
        zero, known = zero_second(ufunc, anywhere, pair)
        if (known & ~zero).any():
            zero, known = zero_second(ufunc, points, pair)
            found[pair] = (is_flat(ufunc, pair, points), zero, known & ordinary)
    return points, found


CURVED = [u for u in RECORDS if u not in (np.isnat, CLIP) and pairs_of(u)]


def replaced(ufunc: np.ufunc, *special_values: float) -> Points:
    """A grid, and its copies with one input replaced by one of these values."""
    points = grid(ufunc, (-1.0, -0.5, 0.0, 0.5, 1.0, 3.0))
    copies = [points]
    for i in curved_inputs(ufunc):
        for value in special_values:
            copies.append([np.full_like(x, value) if i == j else x for j, x in enumerate(points)])
    return [np.concatenate(columns) for columns in zip(*copies, strict=True)]
