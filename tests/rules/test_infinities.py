"""Where second derivatives are infinite at a point, against second differences that grow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special
from ufunc_points import (
    CURVED,
    ERROR,
    SCIPY_IS_RECENT,
    SIMPLE,
    SINCE_SCIPY_1_18,
    Mask,
    Points,
    Predicate,
    among,
    at,
    differences,
    evaluate,
    finite,
    grid,
    is_sharp,
    is_singular,
    moved,
    nowhere,
    pairs_of,
    quiet,
    recent,
    replaced,
    shown,
)

from cases.kept_points import SEARCHED, SPHEROIDAL, UNSAID
from sparsetrace.rules import RECORDS
from sparsetrace.rules.record import Pair

SHARP = {ufunc: record.infinite2 for ufunc, record in RECORDS.items() if record.infinite2}

ELSEWHERE = (
    {special.nrdtrisd} if SINCE_SCIPY_1_18 else set() if SCIPY_IS_RECENT else {special.fdtri}
)
#: Infinite or NaN itself in this SciPy where it is sharp in others.
SHARP_HERE = {u: pairs for u, pairs in SHARP.items() if u not in ELSEWHERE}
every_sharp_pair = pytest.mark.parametrize(
    ("ufunc", "pair"),
    [(ufunc, pair) for ufunc, known in SHARP_HERE.items() for pair in known],
    ids=lambda item: item.__name__ if isinstance(item, np.ufunc) else "".join(map(str, item)),
)

SHARP_VALUES = {
    1: (-2.0, -1.0, 0.0, 0.5, 1.0, 2.0),
    2: (-2.0, -1.0, -0.5, 0.0, 0.5, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0),
    3: (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0),
    4: (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0),
}
SHRINKING = (1e-2, 1e-3, 1e-4, 1e-5)

#: Whose first derivative is infinite at every such point, of which `infinite` says nothing.
STEEP = tuple(
    getattr(special, name)
    for name in (
        "bdtri ellipe ellipeinc elliprc elliprd elliprf elliprj it2i0k0 it2j0y0 iti0k0 "
        "itj0y0 keip kolmogi mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 mathieu_modsem2 "
        "nbdtri smirnovi spence xlog1py"
    ).split()
)
#: Where SciPy's values are too coarse.
COARSE: dict[np.ufunc, Predicate] = {
    special.hyperu: among((1.5, 0, 0)),
    special.ive: lambda v, z: v < 0,
    special.jve: lambda v, z: v < 0,
    special.mathieu_modcem2: among((0, 0, 3)),
}


def grows(quotients: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> Mask:
    """Whether difference quotients grow from step to step, or are infinite themselves."""
    with np.errstate(all="ignore"):
        growing = np.all(
            [np.abs(b) > 1.05 * np.abs(a) for (a, _), (b, _) in pairwise(quotients)], axis=0
        )
        last, noise = quotients[-1]
        return np.isinf(last) | (growing & (np.abs(last) > 4 * noise))


def second_grows(ufunc: np.ufunc, points: Points, pair: Pair) -> Mask:
    """In some quadrant, for some output that is finite at the point."""
    steps = [differences(ufunc, points, pair, (h, h)) for h in SHRINKING]
    per_quadrant = [grows(quotients) for quotients in zip(*steps, strict=True)]
    return np.any(per_quadrant, axis=0) & finite(evaluate(ufunc, points))


def first_grows(ufunc: np.ufunc, points: Points, position: int) -> Mask:
    here = evaluate(ufunc, points)
    found = np.zeros(len(points[0]), bool)
    for sign in (1, -1):
        there = [evaluate(ufunc, moved(points, position, sign * h)) for h in SHRINKING]
        for output in range(ufunc.nout):
            a = here[output]
            found |= grows(
                [
                    ((b[output] - a) / h, ERROR * (1 + np.abs(a) + np.abs(b[output])) / h)
                    for b, h in zip(there, SHRINKING, strict=True)
                ]
            )
    return found


@cache
def places(ufunc: np.ufunc) -> Points:
    """Where to look for infinite second derivatives: finite, and not singular."""
    points = grid(ufunc, SHARP_VALUES[ufunc.nin])
    ordinary = finite(evaluate(ufunc, points)) & ~is_singular(ufunc, points)
    return at(points, ordinary & ~COARSE.get(ufunc, nowhere)(*points))


def sharp_points(ufunc: np.ufunc, pair: Pair) -> Points:
    points = places(ufunc)
    with quiet():
        mask = RECORDS[ufunc].infinite2[pair](*points)
    return at(points, np.broadcast_to(mask, points[0].shape))


@every_sharp_pair
def test_second_differences_grow_where_it_is_sharp(ufunc: np.ufunc, pair: Pair) -> None:
    points = sharp_points(ufunc, pair)
    assert len(points[0]), "sharp nowhere"
    tame = ~second_grows(ufunc, points, pair)
    assert not tame.any(), f"tame at {shown(points, tame)}"


@pytest.mark.parametrize("ufunc", SHARP_HERE, ids=lambda u: u.__name__)
def test_first_differences_stay_where_it_is_sharp(ufunc: np.ufunc) -> None:
    tame = False
    for pair in RECORDS[ufunc].infinite2:
        points = sharp_points(ufunc, pair)
        steep = first_grows(ufunc, points, pair[0]) | first_grows(ufunc, points, pair[1])
        tame |= bool((~steep).any())
    assert tame == (ufunc not in STEEP)


@cache
def grown(ufunc: np.ufunc) -> tuple[Points, Mask]:
    """Points where something grows although neither `infinite` nor `infinite2` says so."""
    points = grid(ufunc, (*SIMPLE, 1.5))
    found = np.zeros(len(points[0]), bool)
    for pair in pairs_of(ufunc):
        found |= second_grows(ufunc, points, pair) & ~is_sharp(ufunc, points, pair)
    return points, found & ~is_singular(ufunc, points)


@recent
@pytest.mark.parametrize(
    "ufunc",
    [u for u in CURVED if u.__name__ not in (*SEARCHED, *SPHEROIDAL, "hyperu")],
    ids=lambda u: u.__name__,
)
def test_nothing_sharp_is_missed(ufunc: np.ufunc) -> None:
    points, found = grown(ufunc)
    excepted, reason = UNSAID.get(ufunc, (nowhere, ""))
    extra = found & ~excepted(*points)
    assert not extra.any(), f"sharp at {shown(points, extra)}"
    assert found.any() == bool(reason), "the exception is not needed"


@pytest.mark.parametrize(
    ("ufunc", "point", "inputs", "expected"),
    [
        (np.power, (0.0, 1.5), None, True),
        (np.power, (0.0, 2.0), None, False),
        (np.power, (0.0, 1.0), None, True),
        (np.power, (0.0, 1.0), (0,), False),
        (np.power, (0.0, 1.0), (1,), False),
        (np.power, (0j, 1.5), (0,), True),
        (np.power, (1.0, 1.5), None, False),
        (np.power, (np.nan, 1.5), None, False),
        (np.hypot, (0.0, 0.0), None, True),
        (np.hypot, (0.0, 0.0), (0,), False),
        (np.hypot, (0.0, 1.0), None, False),
        (special.jv, (1.0, 0.0), (1,), False),
        (special.jv, (1.5, 0.0), (1,), True),
        (special.gammainc, (1.5, 0.0), (1,), True),
        (special.gammainc, (1.0, 0.0), (1,), False),
        (special.gammainc, (1.0, 0.0), (0, 1), True),
        (special.elliprg, (0.0, 1.0, 2.0), (1, 2), False),
        (special.elliprg, (0.0, 1.0, 2.0), (0, 1), True),
        (np.sin, (0.0,), None, False),
    ],
)
def test_named_sharp_points(
    ufunc: np.ufunc, point: tuple[Any, ...], inputs: tuple[int, ...] | None, expected: bool
) -> None:
    mask = RECORDS[ufunc].infinite2_at([np.array(value) for value in point], inputs)
    assert (mask is not None) == expected
    assert mask is None or (mask.shape == () and bool(mask))


@pytest.mark.parametrize("ufunc", SHARP, ids=lambda u: u.__name__)
def test_nan_is_never_sharp_and_nothing_is_said(ufunc: np.ufunc) -> None:
    points = replaced(ufunc, np.nan, -np.inf, np.inf)
    for i, j in RECORDS[ufunc].infinite2:
        with np.errstate(all="raise"):
            mask = is_sharp(ufunc, points, (i, j))
        assert not (mask & np.isnan(points[i]) & np.isnan(points[j])).any()


# --- what the tests find ---------------------------------------------------------------


def test_a_missing_infinite_point_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    grown.cache_clear()
    monkeypatch.setitem(RECORDS, special.jv, replace(RECORDS[special.jv], infinite2={}))
    with pytest.raises(AssertionError, match=r"sharp at .*\(1\.5, 0\.0\)"):
        test_nothing_sharp_is_missed(special.jv)
    grown.cache_clear()


def test_a_wrong_infinite_point_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {(0, 0): lambda x, y: (x == 0) & (y == 2)}
    monkeypatch.setitem(RECORDS, np.power, replace(RECORDS[np.power], infinite2=wrong))
    with pytest.raises(AssertionError, match=r"tame at \[\(0\.0, 2\.0\)\]"):
        test_second_differences_grow_where_it_is_sharp(np.power, (0, 0))
