"""Slow, obvious checkers: numerical Jacobian patterns, and assertions on patterns.

Contract: nothing here knows how a trace works.  A function under test takes one
real array and returns a number, an array, or nested tuples, lists and dicts of
them; outputs are counted leaf by leaf in the order in which they are returned, in
C order within each leaf, and inputs in C order.  The functions that return a
pattern are wrong on the side of too few entries alone: an entry that they find is
there, whereas one that is non-zero in a corner of the input domain may escape them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: The smallest change of an output, relative to its size, that is no rounding error.
RTOL = 1e-10
#: The smallest absolute one: x - x.mean() sums to rounding errors of no size at all.
ATOL = 1e-13
#: The same where an input takes quite another value, rather than one close by.
PERTURBATION_ATOL = 1e-11
#: Difference quotients at h, h/2 and h/4 agree this well where a derivative exists;
#: across a jump they double, and rounding errors do anything.
AGREEMENT = 0.05
STEP = 1e-4
#: Second differences are as small as the square of their step: a wider one, finer rounding.
HESSIAN_STEP = 1e-3
HESSIAN_RTOL = 1e-12


def flat_outputs(result: Any) -> NDArray[Any]:
    """All numbers in nested tuples, lists and dicts, as one vector."""
    if type(result) is np.ndarray and result.dtype == float:
        return result.flatten()
    leaves = [np.ravel(leaf) for leaf in _leaves(result)]
    return np.concatenate(leaves) if leaves else np.zeros(0)


def _leaves(result: Any) -> Iterator[NDArray[Any]]:
    if isinstance(result, Mapping):
        result = list(result.values())
    if isinstance(result, list | tuple):
        for item in result:
            yield from _leaves(item)
        return
    leaf = np.asarray(np.ma.filled(result, 0))  # what is masked is no number that could change
    if leaf.dtype == object and isinstance(result, np.ndarray):
        yield from _leaves(leaf.reshape(-1).tolist())
        return
    if leaf.dtype.kind not in "biufc":
        raise TypeError(f"an output of type {type(result).__name__} holds no numbers")
    yield leaf.astype(complex if leaf.dtype.kind == "c" else float)


def numerical_jacobian_pattern(
    f: Callable[[NDArray[Any]], Any],
    x: ArrayLike,
    *,
    points: int = 5,
    seed: int = 0,
    low: float | None = None,
    high: float | None = None,
    rtol: float = RTOL,
    atol: float = ATOL,
    among: ArrayLike | None = None,
) -> NDArray[np.bool_]:
    """Entries of the Jacobian of f that are non-zero at one of several random points.

    Parameters
    ----------
    f : callable
    x : array_like
        Gives the shape; the points lie within 10 % of it, or of 1 if that is more.
    points, seed : int
        How many points to draw, and from which stream.
    low, high : float, optional
        Draw the points from this interval instead.
    rtol, atol : float
        Changes of an output below ``rtol * abs(output) + atol`` count as rounding.
    among : array_like of bool, shape (outputs, inputs), optional
        Look for these entries alone, until all are found; others that are met count as well.

    Returns
    -------
    array of bool, shape (outputs, inputs)

    Raises
    ------
    ValueError
        If an entry is NaN or infinite at every point, so that nothing is known of it.
    """
    found: NDArray[np.bool_] | None = None
    for point in _points(x, points, seed, low, high):
        if found is None:
            shape = len(flat_outputs(f(point.copy()))), point.size
            wanted = np.ones(shape, dtype=bool) if among is None else dense(among)
            found, known = np.zeros(shape, dtype=bool), ~wanted
        for column, index in enumerate(np.ndindex(point.shape)):
            unseen = wanted[:, column] & ~found[:, column]
            if unseen.any():
                nonzero, defined = derivatives_by(
                    f, point, index, rtol=rtol, atol=atol, among=unseen
                )
                found[:, column] |= nonzero
                known[:, column] |= defined
    if found is None:
        raise ValueError("no points were asked for")
    if not known.all():
        raise ValueError(f"not finite at any of {points} points: entries {_entries(~known)}")
    return found


def jacobian_pattern_at(
    f: Callable[[NDArray[Any]], Any],
    x: ArrayLike,
    *,
    rtol: float = RTOL,
    atol: float = ATOL,
    among: ArrayLike | None = None,
) -> NDArray[np.bool_]:
    """Entries of the Jacobian that are non-zero at the very point, the same from both sides.

    Where the sides differ (``maximum(x, 0)`` at 0) there is no derivative, and no entry.
    """
    point = np.array(x, dtype=float)
    centre = flat_outputs(f(point.copy()))
    wanted = np.ones((len(centre), point.size), bool) if among is None else dense(among)
    columns = []
    for column, index in enumerate(np.ndindex(point.shape)):
        if not wanted[:, column].any():
            columns.append(np.zeros(len(centre), dtype=bool))
            continue
        step = STEP * max(1.0, abs(point[index]))
        pairs = [_at_both_sides(f, point, index, step)]
        above, below = pairs[0]
        differs = _differs(above, centre, rtol, atol) & _differs(centre, below, rtol, atol)
        if not (differs & wanted[:, column]).any():
            columns.append(np.zeros(len(centre), dtype=bool))
            continue
        pairs += [_at_both_sides(f, point, index, step / part) for part in (2, 4)]
        sides = [(above, centre) for above, _ in pairs], [(centre, below) for _, below in pairs]
        judged = [nonzero_derivative(*side, rtol=rtol, atol=atol)[0] for side in sides]
        forward, backward = _difference(*sides[0][-1]), _difference(*sides[1][-1])
        with np.errstate(invalid="ignore"):
            same = np.abs(forward - backward) <= AGREEMENT * np.abs(forward)
        columns.append(judged[0] & judged[1] & same)
    return _table(columns, f, point)


def numerical_hessian_pattern(
    f: Callable[[NDArray[Any]], Any],
    x: ArrayLike,
    *,
    points: int = 5,
    seed: int = 0,
    low: float | None = None,
    high: float | None = None,
    rtol: float = HESSIAN_RTOL,
    atol: float = ATOL,
    among: ArrayLike | None = None,
) -> NDArray[np.bool_]:
    """Entries of the Hessian of f that are non-zero at one of several random points.

    Parameters
    ----------
    f : callable
        Takes one real array of any shape, and returns one real number.
    x, points, seed, low, high, rtol, atol
        As for `numerical_jacobian_pattern`.
    among : array_like of bool, shape (n, n), optional
        Look for these entries alone, and for their mirror images.

    Returns
    -------
    array of bool, shape (n, n)
        Symmetric.

    Raises
    ------
    ValueError
        If f returns anything but one real number, or if it is not finite near any of
        the points.
    """
    found: NDArray[np.bool_] | None = None
    for point in _points(x, points, seed, low, high):
        wanted = np.ones((point.size, point.size), bool) if among is None else dense(among)
        wanted = wanted | wanted.T
        if found is None:
            found, known = np.zeros_like(wanted), ~wanted
        nonzero, defined = _second_derivatives(f, point, wanted & ~found, rtol, atol)
        found, known = found | nonzero, known | defined
    if found is None:
        raise ValueError("no points were asked for")
    if not known.all():
        raise ValueError(f"not finite at any of {points} points: entries {_entries(~known)}")
    return found


def hessian_pattern_at(
    f: Callable[[NDArray[Any]], Any],
    x: ArrayLike,
    *,
    rtol: float = HESSIAN_RTOL,
    atol: float = ATOL,
    among: ArrayLike | None = None,
) -> NDArray[np.bool_]:
    """Entries of the Hessian that are non-zero at the very point, the same from all sides."""
    point = np.array(x, dtype=float)
    wanted = np.ones((point.size, point.size), bool) if among is None else dense(among)
    return _second_derivatives(f, point, wanted | wanted.T, rtol, atol)[0]


def _second_derivatives(
    f: Callable[[NDArray[Any]], Any],
    point: NDArray[Any],
    wanted: NDArray[np.bool_],
    rtol: float,
    atol: float,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of the second derivatives wanted are non-zero, and which are defined."""
    steps = HESSIAN_STEP * np.maximum(1.0, np.abs(point.ravel()))
    values: dict[tuple[float, ...], float] = {}

    def value(i: int, along_i: float, j: int, along_j: float) -> float:
        if i == j:
            along_i, along_j = along_i + along_j, 0.0
        moves = ((i, along_i) if along_i else ()) + ((j, along_j) if along_j else ())
        known = values.get(moves)
        if known is None:
            moved = point.copy()
            for index, move in zip(moves[::2], moves[1::2], strict=True):
                moved.flat[index] += move
            known = values[moves] = _one_number(f(moved))
        return known

    nonzero, defined = np.zeros_like(wanted), np.zeros_like(wanted)
    for i, j in np.argwhere(np.triu(wanted)).tolist():
        judged = _bends(lambda a, b, i=i, j=j: value(i, a, j, b), steps[i], steps[j], rtol, atol)
        nonzero[i, j], defined[i, j] = nonzero[j, i], defined[j, i] = judged
    return nonzero, defined


def _bends(
    value: Callable[[float, float], float], step: float, other: float, rtol: float, atol: float
) -> tuple[bool, bool]:
    """Whether a second derivative is non-zero, and whether the values are numbers.

    A second difference in each of the four quadrants around the point, with the steps
    h, h/2 and h/4.  Where the derivative exists the quadrants agree, and the differences grow
    by the square of the step; across a kink they grow as the step does, across a jump not
    at all, and ``maximum(x, 0) ** 2`` at 0 has one in one quadrant alone.
    """
    rows = []
    for part in (1, 2, 4):
        row = []
        for a in (step / part, -step / part):
            for b in (other / part, -other / part):
                terms = value(a, b), value(0.0, 0.0), value(a, 0.0), value(0.0, b)
                if not all(map(isfinite, terms)):
                    return False, False
                difference = (terms[0] - terms[2]) - (terms[3] - terms[1])
                if abs(difference) <= rtol * max(map(abs, terms)) + atol:
                    return False, True
                row.append(difference if (a > 0) == (b > 0) else -difference)
        rows.append(row)
    quotients = [np.array(row) * 4.0**power for power, row in enumerate(rows)]
    agree = all(
        (np.abs(wide - narrow) <= AGREEMENT * np.abs(narrow)).all()
        for wide, narrow in pairwise(quotients)
    )
    quadrants = np.abs(quotients[-1] - quotients[-1][0])
    return agree and bool((quadrants <= AGREEMENT * np.abs(quotients[-1])).all()), True


def _one_number(result: Any) -> float:
    if type(result) is np.float64:
        return float(result)
    numbers = flat_outputs(result)
    if numbers.shape != (1,) or numbers.dtype.kind == "c":
        raise ValueError(f"one real number is wanted, not {numbers.size} of {numbers.dtype}")
    return float(numbers[0])


def perturbation_pattern(
    f: Callable[[NDArray[Any]], Any],
    x: ArrayLike,
    *,
    points: int = 20,
    seed: int = 0,
    low: float | None = None,
    high: float | None = None,
    rtol: float = RTOL,
    atol: float = PERTURBATION_ATOL,
) -> NDArray[np.bool_]:
    """Which output's value changes, beyond rounding, when one input takes another value.

    Unlike the Jacobian's pattern this has the entries of floor, sign, comparisons
    and sorting.  The parameters are those of `numerical_jacobian_pattern`; in each
    point one input after the other is replaced by that of the next point, and by a
    value far away.
    """
    drawn = _points(x, points + 1, seed, low, high)
    found: NDArray[np.bool_] | None = None
    for point, other in pairwise(drawn):
        before = flat_outputs(f(point.copy()))
        columns = []
        for index in np.ndindex(point.shape):
            changed = np.zeros(len(before), dtype=bool)
            values = [other[index]]
            if low is None and high is None:
                values += [point[index] + 3.7, point[index] - 3.7]
            for value in values:
                moved = point.copy()
                moved[index] = value
                changed |= _changed(before, flat_outputs(f(moved)), rtol, atol)
            columns.append(changed)
        pattern = _table(columns, f, point)
        found = pattern if found is None else found | pattern
    if found is None:
        raise ValueError("no points were asked for")
    return found


def _points(
    x: ArrayLike, count: int, seed: int, low: float | None, high: float | None
) -> list[NDArray[Any]]:
    if (low is None) != (high is None):
        raise ValueError("give both of low and high, or neither")
    centre = np.array(x, dtype=float)
    generator = np.random.default_rng(seed)
    if low is not None and high is not None:
        return [generator.uniform(low, high, centre.shape) for _ in range(count)]
    width = 0.1 * np.maximum(1.0, np.abs(centre))
    return [centre + width * generator.uniform(-1.0, 1.0, centre.shape) for _ in range(count)]


def derivatives_by(
    f: Callable[[NDArray[Any]], Any],
    point: NDArray[Any],
    index: tuple[int, ...],
    *,
    rtol: float = RTOL,
    atol: float = ATOL,
    among: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which derivatives with respect to one input are non-zero, and which are defined.

    With `among` those of these outputs alone are looked for.
    """
    step = STEP * max(1.0, abs(point[index]))
    pairs = [_at_both_sides(f, point, index, step)]
    differs = _differs(*pairs[0], rtol, atol)
    if among is not None:
        differs &= among
    if not differs.any():  # smaller steps show nothing more
        return differs, np.isfinite(_difference(*pairs[0]))
    pairs += [_at_both_sides(f, point, index, step / part) for part in (2, 4)]
    return nonzero_derivative(*pairs, rtol=rtol, atol=atol)


def _at_both_sides(
    f: Callable[[NDArray[Any]], Any], point: NDArray[Any], index: tuple[int, ...], step: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    above, below = point.copy(), point.copy()
    above[index] += step
    below[index] -= step
    return flat_outputs(f(above)), flat_outputs(f(below))


def nonzero_derivative(
    *pairs: tuple[NDArray[Any], NDArray[Any]], rtol: float = RTOL, atol: float = ATOL
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Judge central differences taken with the steps h, h/2, h/4, ...

    Parameters
    ----------
    *pairs : (array, array)
        The outputs above and below the point, for each step.
    rtol, atol : float
        As for `numerical_jacobian_pattern`.

    Returns
    -------
    nonzero : array of bool
        Where every difference exceeds rounding and the quotients agree.
    defined : array of bool
        Where the differences are numbers: elsewhere the answer says nothing.
    """
    above, below = (np.array(values) for values in zip(*pairs, strict=True))
    with np.errstate(invalid="ignore"):
        difference = _difference(above, below)
        defined = np.isfinite(difference).all(axis=0)
        nonzero = defined & _exceeds(difference, above, below, rtol, atol).all(axis=0)
        quotients = (difference.T * 2.0 ** np.arange(len(pairs))).T
        wide, narrow = quotients[:-1], quotients[1:]
        nonzero &= (np.abs(wide - narrow) <= AGREEMENT * np.abs(narrow)).all(axis=0)
    return nonzero, defined


def _differs(
    above: NDArray[Any], below: NDArray[Any], rtol: float, atol: float
) -> NDArray[np.bool_]:
    """Where two values differ by more than rounding, both being numbers."""
    with np.errstate(invalid="ignore"):
        return _exceeds(above - below, above, below, rtol, atol)


def _exceeds(
    difference: NDArray[Any], above: NDArray[Any], below: NDArray[Any], rtol: float, atol: float
) -> NDArray[np.bool_]:
    """Where a difference is none of rounding; nowhere where one of the values is infinite."""
    size = np.maximum(np.abs(above), np.abs(below))
    return np.abs(difference) > rtol * size + atol


def _difference(above: NDArray[Any], below: NDArray[Any]) -> NDArray[Any]:
    """Above minus below, and zero where both are the same infinity."""
    with np.errstate(invalid="ignore"):
        difference = above - below
    if np.isnan(difference).any():
        return np.where(above == below, 0.0, difference)
    return difference


def _changed(
    before: NDArray[Any], after: NDArray[Any], rtol: float, atol: float
) -> NDArray[np.bool_]:
    same = before == after
    if same.all():
        return ~same
    size = np.maximum(np.abs(before), np.abs(after))
    with np.errstate(invalid="ignore"):
        close = np.abs(after - before) <= rtol * size + atol
    same |= np.isnan(before) & np.isnan(after)
    return ~(same | (close & np.isfinite(size)))


def _table(
    columns: list[NDArray[np.bool_]], f: Callable[[NDArray[Any]], Any], point: NDArray[Any]
) -> NDArray[np.bool_]:
    if not columns:
        return np.zeros((len(flat_outputs(f(point.copy()))), 0), dtype=bool)
    return np.stack(columns, axis=1)


def dense(pattern: Any) -> NDArray[np.bool_]:
    """A sparse array, a pattern or an array_like, as a dense Boolean matrix."""
    matrix = np.asarray(pattern.toarray() if hasattr(pattern, "toarray") else pattern) != 0
    if matrix.ndim != 2:
        raise ValueError(f"a pattern has two dimensions, not {matrix.ndim}")
    return matrix


def assert_same_pattern(pattern: Any, expected: Any) -> None:
    """The pattern has exactly the expected entries."""
    _compare(dense(pattern), dense(expected), extra_allowed=False)


def assert_covers(pattern: Any, expected: Any) -> None:
    """The pattern has all of the expected entries; it may have more."""
    _compare(dense(pattern), dense(expected), extra_allowed=True)


def _compare(
    pattern: NDArray[np.bool_], expected: NDArray[np.bool_], *, extra_allowed: bool
) -> None:
    if pattern.shape != expected.shape:
        raise AssertionError(f"shape {pattern.shape}, expected {expected.shape}")
    missing, extra = expected & ~pattern, pattern & ~expected
    lines = []
    if missing.any():
        lines.append(f"MISSING (a lost dependency): {_entries(missing)}")
    if extra.any() and not extra_allowed:
        lines.append(f"extra: {_entries(extra)}")
    if lines:
        raise AssertionError("\n".join([*lines, f"shape {pattern.shape}, as (output, input)"]))


def _entries(mask: NDArray[np.bool_], limit: int = 20) -> str:
    entries = [(int(i), int(j)) for i, j in np.argwhere(mask)]
    shown = " ".join(f"({i}, {j})" for i, j in entries[:limit])
    more = f" and {len(entries) - limit} more" if len(entries) > limit else ""
    return f"{len(entries)}: {shown}{more}"
