"""Where first derivatives vanish at a point, against one-sided derivatives, also at random."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from measured_ufuncs import name_of, public_ufuncs
from numpy.typing import NDArray
from scipy import special
from ufunc_points import Points, Predicate, at, evaluate, moved, quiet, shown, takes_reals

from sparsetrace.rules import NAN, RECORDS, Record, record_of
from sparsetrace.rules.numpy_comparisons import CLIP
from sparsetrace.rules.record import Guard

#: Every input takes each of these values; where only integers will do, the whole ones.
GRID = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0)
DEGREES = (-270.0, -180.0, -90.0, -45.0, 0.0, 30.0, 90.0, 180.0, 360.0)
IN_DEGREES = (special.sindg, special.cosdg)

#: Points where a derivative is zero on both sides, and is kept all the same.
KEPT: dict[Any, tuple[Predicate, str]] = {
    CLIP: (lambda x, low, high: (x == low) & (x == high), "all three tie, and clip(t, t, t) is t"),
}

#: Points that are cut although the derivative is not continuous: an input with the
#: letter 1 jumps, or the function is singular in it, and the others see it held fixed.
SINGULAR: dict[np.ufunc, dict[int, Predicate]] = {
    np.remainder: {1: lambda x, y: x == 0},
    np.divmod: {1: lambda x, y: x == 0},
    np.power: {0: lambda x, y: (x == 0) & (y == 0)},
    np.float_power: {0: lambda x, y: (x == 0) & (y == 0)},
    special.powm1: {0: lambda x, y: (x == 0) & (y == 0)},
    special.xlogy: {1: lambda x, y: (x == 0) & (y == 0)},
    special.xlog1py: {1: lambda x, y: (x == 0) & (y == -1)},
    # Here the derivative does tend to zero, but with the logarithm alone.
    special.agm: {0: lambda x, y: x != 0, 1: lambda x, y: y != 0},
    special.jv: {1: lambda v, z: (v == 0) & (z == 0)},
    special.iv: {1: lambda v, z: (v == 0) & (z == 0)},
}

#: Global cuts that are not taken over: SciPy's own derivatives contradict them.
NOT_TAKEN_OVER = (special.hyperu,)

VANISHING = {ufunc: record for ufunc, record in RECORDS.items() if record.zero}
every_line = pytest.mark.parametrize("record", VANISHING.values(), ids=name_of)
every_numpy_ufunc = pytest.mark.parametrize(
    "ufunc",
    [u for u in RECORDS if u in public_ufuncs(np) or u is CLIP],
    ids=lambda u: u.__name__,
)


# --- the oracle -------------------------------------------------------------------


def differentiable_inputs(ufunc: np.ufunc) -> list[int]:
    return [i for i in range(ufunc.nin) if any(output[i] == "1" for output in RECORDS[ufunc].first)]


def grid(ufunc: np.ufunc, *extra: float) -> Points:
    values = DEGREES if ufunc in IN_DEGREES else GRID
    axes = []
    for i in range(ufunc.nin):
        axis = np.array([*values, *extra])
        if not takes_reals(ufunc, i):
            axis = axis[np.isfinite(axis) & (axis == np.floor(axis))].astype(int)
        axes.append(axis)
    return [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")]


def wide_grid(record: Record, *extra: float) -> Points:
    """With infinities, unless SciPy may loop for ever on them (hyp1f1)."""
    return grid(record.ufunc, *extra, *(() if record.guard is Guard.FINITE else (-np.inf, np.inf)))


def slopes(
    ufunc: np.ufunc, low: Points, high: Points, position: int, width: Any
) -> tuple[Points, Points]:
    """Per output that depends on the input: difference quotients, and the values' sizes."""
    pairs = zip(RECORDS[ufunc].first, evaluate(ufunc, low), evaluate(ufunc, high), strict=True)
    found, sizes = [], []
    with np.errstate(all="ignore"):
        for output, a, b in pairs:
            if output[position] == "1":
                found.append(np.where(a == b, 0.0, b - a) / width)
                sizes.append(np.maximum(np.abs(a), np.abs(b)))
    return found, sizes


def tends_to_zero(wide: Any, narrow: Any, noise: Any, ratio: float) -> Any:
    """Whether a quantity falls with the step, or is nothing but rounding."""
    with np.errstate(all="ignore"):
        return np.isfinite(narrow) & (np.abs(narrow) <= ratio * np.abs(wide) + noise)


def zero_derivative(
    ufunc: np.ufunc, points: Points, position: int, ratio: float
) -> tuple[Any, Any]:
    """Where both one-sided derivatives are zero, and where that is known.

    At the edge of the domain one side is enough.  The derivative is zero if the
    quotients fall with the step: those of x**1.5 at 0 by 30 from one to the other.
    """
    zero = np.ones(len(points[0]), bool)
    known = np.zeros(len(points[0]), bool)
    for side in (1.0, -1.0):
        (wide, _), (narrow, sizes) = (
            slopes(ufunc, points, moved(points, position, side * h), position, side * h)
            for h in (1e-2, 1e-5)
        )
        for a, b, size in zip(wide, narrow, sizes, strict=True):
            defined = ~np.isnan(a) & ~np.isnan(b)
            known |= defined
            noise = 1e-9 * (1.0 + np.where(np.isfinite(size), size, 0.0))
            zero &= ~defined | tends_to_zero(a, b, noise, ratio)
    values = evaluate(ufunc, points)
    return zero, known & np.all([np.isfinite(v) for v in values], axis=0)


def zero_in_the_limit(ufunc: np.ufunc, points: Points, position: int) -> Any:
    """Where the derivative falls to zero as the infinite inputs grow.

    Where the value grows with the input itself (log), it must be zero all the way.
    """
    quotients = []
    for size in (10.0, 1000.0):
        finite = [np.where(np.isinf(x), np.sign(x) * size, x).astype(x.dtype) for x in points]
        h = 1e-3 * np.maximum(1.0, np.abs(finite[position]))
        low, high = moved(finite, position, -h), moved(finite, position, h)
        quotients.append(slopes(ufunc, low, high, position, 2 * h)[0])
    zero = np.ones(len(points[0]), bool)
    values = evaluate(ufunc, points)
    grows = np.isinf(points[position]) & np.any([np.isinf(v) for v in values], axis=0)
    for near, far in zip(*quotients, strict=True):
        zero &= tends_to_zero(near, far, 1e-9, 0.05) & ~(grows & (far != 0))
    return zero


def cut(ufunc: np.ufunc, position: int, points: Points) -> NDArray[np.bool_]:
    with quiet():
        mask = RECORDS[ufunc].zero_at(position, points)
    return np.zeros(len(points[0]), bool) if mask is None else mask


def search(
    ufunc: np.ufunc, position: int, points: Points, *, ratio: float = 0.05
) -> tuple[Any, Any]:
    """Points that are cut wrongly, and points that should have been cut."""
    zero, known = zero_derivative(ufunc, points, position, ratio)
    found = cut(ufunc, position, points)
    return found & known & ~zero, known & zero & ~found


# --- the machine search -------------------------------------------------------------


@every_numpy_ufunc
def test_numpy_is_cut_exactly_where_the_derivative_is_zero(ufunc: np.ufunc) -> None:
    points = grid(ufunc) if ufunc is not np.isnat else [np.zeros(1, "M8[s]")]
    kept, _ = KEPT.get(ufunc, (lambda *values: np.zeros(len(values[0]), bool), ""))
    for i in differentiable_inputs(ufunc):
        wrong, missing = search(ufunc, i, points)
        assert not wrong.any(), f"input {i} wrongly cut at {shown(points, wrong)}"
        missing &= ~kept(*points)
        assert not missing.any(), f"input {i} not cut at {shown(points, missing)}"


@pytest.mark.parametrize("ufunc", [u for u in KEPT if u is not None], ids=lambda u: u.__name__)
def test_the_kept_points_need_their_reason(ufunc: np.ufunc) -> None:
    points = grid(ufunc)
    kept, reason = KEPT[ufunc]
    missing = [search(ufunc, i, points)[1] for i in differentiable_inputs(ufunc)]
    assert reason
    assert np.array_equal(np.any(missing, axis=0), kept(*points))


@every_line
def test_nothing_is_cut_wrongly(record: Record) -> None:
    points = grid(record.ufunc)
    for i, _ in record.zero.items():
        wrong, _ = search(record.ufunc, i, points)
        assert not wrong.any(), f"input {i} wrongly cut at {shown(points, wrong)}"


@every_line
def test_nothing_is_cut_wrongly_beside_infinities(record: Record) -> None:
    points = grid(record.ufunc, -np.inf, np.inf)
    points = at(points, np.any([np.isinf(x) for x in points], axis=0))
    for i, _ in record.zero.items():
        found = cut(record.ufunc, i, points)
        assert not (record.guard is Guard.FINITE and found.any())
        some = at(points, found)
        wrong = ~zero_in_the_limit(record.ufunc, some, i)
        assert not wrong.any(), f"input {i} wrongly cut at {shown(some, wrong)}"


@every_line
def test_every_predicate_holds_somewhere_and_not_everywhere(record: Record) -> None:
    points = wide_grid(record)
    for i, _ in record.zero.items():
        found = cut(record.ufunc, i, points)
        assert found.any()
        assert not found.all()


@every_line
def test_predicates_are_of_dependencies(record: Record) -> None:
    assert {i for i, _ in record.zero.items()} <= set(differentiable_inputs(record.ufunc))


def _unsteady(ufunc: np.ufunc, position: int, points: Points) -> Any:
    """Where the derivative does not tend to zero as all inputs approach the point.

    A partial derivative may be zero at a point where the function is not differentiable
    (agm at the origin, for agm(t, t) is t), and cutting it there loses dependencies.
    """
    # SciPy continues polynomials to real degrees; nobody differentiates by them.
    whole = frozenset((0,)) if ufunc.__name__.startswith("eval_") else RECORDS[ufunc].integers
    real = [takes_reals(ufunc, i) and i not in whole for i in range(ufunc.nin)]
    worst = []
    for size in (1e-2, 1e-5):
        rng = np.random.default_rng(5)
        largest = np.zeros(len(points[0]))
        for _ in range(40):
            near = [
                x + size * rng.uniform(-1, 1, len(x)) if moves else x
                for x, moves in zip(points, real, strict=True)
            ]
            h = 1e-2 * size
            low, high = moved(near, position, -h), moved(near, position, h)
            for slope in slopes(ufunc, low, high, position, 2 * h)[0]:
                largest = np.fmax(largest, np.abs(slope))
        worst.append(largest)
    size = np.max([np.abs(v) for v in evaluate(ufunc, points)], axis=0)
    return ~tends_to_zero(worst[0], worst[1], 1e-5 * (1.0 + size), 0.5)


@every_line
def test_derivatives_are_continuous_where_they_are_cut(record: Record) -> None:
    points = grid(record.ufunc)
    for i, _ in record.zero.items():
        some = at(points, cut(record.ufunc, i, points))
        if not len(some[0]):
            continue
        unsteady = _unsteady(record.ufunc, i, some)
        excepted = SINGULAR.get(record.ufunc, {}).get(i)
        if excepted is not None:
            expected = excepted(*some)
            assert (unsteady & expected).any(), "the exception is not needed"
            unsteady &= ~expected
        assert not unsteady.any(), f"input {i} at {shown(some, unsteady)}"


# --- points at random -----------------------------------------------------------------


@every_line
def test_random_points_are_cut_exactly_where_the_derivative_is_zero(record: Record) -> None:
    rng = np.random.default_rng(6)
    points: Points = [rng.uniform(low, high, 60) for low, high in record.domain]
    points = [np.floor(x) if i in record.integers else x for i, x in enumerate(points)]
    points = [x if takes_reals(record.ufunc, i) else x.astype(int) for i, x in enumerate(points)]
    for i, _ in record.zero.items():
        # A smaller ratio: some derivatives are small by chance, none falls slowly.
        wrong, missing = search(record.ufunc, i, points, ratio=2e-3)
        assert not wrong.any(), f"input {i} wrongly cut at {shown(points, wrong)}"
        assert not missing.any(), f"input {i} not cut at {shown(points, missing)}"


@pytest.mark.parametrize(
    "ufunc",
    [
        u
        for u, record in RECORDS.items()
        if record.cuts and any(map(int, record.first[0])) and u not in NOT_TAKEN_OVER
    ],
    ids=lambda u: u.__name__,
)
def test_local_patterns_have_the_cuts_of_global_ones(ufunc: np.ufunc) -> None:
    rng = np.random.default_rng(7)
    record = RECORDS[ufunc]
    for i, k in product(record.cuts, range(ufunc.nin)):
        values = np.array([0.0, 1.0, -1.0, 2.0, np.inf, -np.inf])
        if not takes_reals(ufunc, k):
            values = values[np.isfinite(values)].astype(int)
        cuts = record.cut_by(i, [values if j == k else NAN for j in range(ufunc.nin)])
        for value in values[cuts] if k != i else ():
            points: Points = [rng.uniform(low, high, 20) for low, high in record.domain]
            points[k] = np.full(20, value)
            defined = np.all([np.isfinite(v) for v in evaluate(ufunc, points)], axis=0)
            found = cut(ufunc, i, points)
            assert (found | ~(defined | np.isinf(value))).all(), f"input {i}, constant {value}"


# --- named points ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ufunc", "point", "expected"),
    [
        (np.multiply, (0.0, 0.0), (True, True)),
        (np.multiply, (2.0, 0.0), (True, False)),
        (np.multiply, (np.inf, 0.0), (False, False)),
        (np.divide, (0.0, 2.0), (False, True)),
        (np.divide, (0.0, 0.0), (False, False)),
        (np.divide, (2.0, np.inf), (True, True)),
        (np.maximum, (1.0, 2.0), (True, False)),
        (np.maximum, (2.0, 2.0), (False, False)),
        (np.maximum, (np.inf, np.inf), (False, False)),
        (np.maximum, (1.0, np.nan), (False, False)),
        (np.fmax, (1.0, np.nan), (False, False)),
        (np.minimum, (1.0, 2.0), (False, True)),
        (np.fmin, (2.0, 2.0), (False, False)),
        (np.hypot, (0.0, 0.0), (False, False)),
        (np.hypot, (0.0, -2.0), (True, False)),
        (np.absolute, (0.0,), (False,)),
        (np.fabs, (0.0,), (False,)),
        (np.sqrt, (0.0,), (False,)),
        (np.sin, (np.pi / 2,), (False,)),
        (np.tanh, (20.0,), (False,)),
        (np.tanh, (-np.inf,), (True,)),
        (np.exp, (-800.0,), (False,)),
        (np.exp, (-np.inf,), (True,)),
        (np.log, (np.inf,), (False,)),
        (np.copysign, (0.0, 1.0), (False, False)),
        (np.heaviside, (0.0, 0.5), (False, False)),
        (np.heaviside, (-1.0, 0.5), (False, True)),
        (np.remainder, (1.0, 2.0), (False, True)),
        (np.remainder, (-1.0, 2.0), (False, False)),
        (np.remainder, (-1.0, -2.0), (False, True)),
        (np.remainder, (-5e-324, 1e308), (False, False)),
        (np.remainder, (2.0, 2.0), (False, False)),
        (np.remainder, (1.0, 0.0), (False, False)),
        (np.fmod, (-1.0, 2.0), (False, True)),
        (np.fmod, (2.0, 2.0), (False, False)),
        (np.divmod, (1.0, 2.0), (False, True)),
        (np.divmod, (5.0, 2.0), (False, False)),
        (np.power, (0.0, 1.0), (False, True)),
        (np.power, (0.0, 0.5), (False, True)),
        (np.power, (0.0, 2.0), (True, True)),
        (np.power, (0.0, 0.0), (True, False)),
        (np.power, (0.0, -1.0), (False, False)),
        (np.power, (1.0, 0.0), (True, True)),
        (np.power, (np.nan, 0.0), (False, False)),
        (np.power, (1.0, np.nan), (False, False)),
        (np.arctan2, (0.0, 0.0), (False, False)),
        (np.arctan2, (0.0, -1.0), (False, True)),
        (np.arctan2, (2.0, 0.0), (True, False)),
        (np.arctan2, (0.0, -np.inf), (False, True)),
        (np.logaddexp, (-np.inf, 1.0), (True, False)),
        (np.logaddexp, (-np.inf, -np.inf), (False, False)),
        (np.logaddexp, (-1e308, 1e308), (False, False)),
        (special.agm, (0.0, 0.0), (False, False)),
        (special.huber, (2.0, 2.0), (True, False)),
        (special.huber, (2.0, 0.0), (True, True)),
        (special.kl_div, (2.0, 2.0), (True, True)),
        (special.kl_div, (0.0, 0.0), (False, False)),
        (special.i0e, (0.0,), (False,)),
        (special.ive, (0.0, 0.0), (False, False)),
        (special.cosdg, (-540.0,), (True,)),
        (special.cosdg, (90.0,), (False,)),
        (special.sindg, (-450.0,), (True,)),
        (special.sindg, (180.0,), (False,)),
    ],
)
def test_named_points(
    ufunc: np.ufunc, point: tuple[float, ...], expected: tuple[bool, ...]
) -> None:
    for i, answer in enumerate(expected):
        mask = RECORDS[ufunc].zero_at(i, [np.array(value) for value in point])
        assert (mask is not None) == answer
        assert mask is None or (mask.shape == () and bool(mask))


@pytest.mark.skipif(CLIP is None, reason="this NumPy has no such ufunc")
@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ((0.5, 0.0, 1.0), (False, True, True)),
        ((-1.0, 0.0, 1.0), (True, False, True)),
        ((2.0, 0.0, 1.0), (True, True, False)),
        ((0.0, 0.0, 1.0), (False, False, True)),
        ((1.0, 0.0, 1.0), (False, True, False)),
        ((0.5, 1.0, 0.0), (True, True, False)),
        ((0.0, 1.0, 1.0), (True, False, False)),
        ((np.nan, 0.0, 1.0), (False, False, False)),
        ((np.nan, 1.0, 0.0), (False, False, False)),
        ((-np.inf, 0.0, np.inf), (True, False, True)),
    ],
)
def test_clip(point: tuple[float, ...], expected: tuple[bool, ...]) -> None:
    assert CLIP is not None
    for i, answer in enumerate(expected):
        assert (RECORDS[CLIP].zero_at(i, [np.array(v) for v in point]) is not None) == answer


# --- NaN, floating-point errors, types and shapes --------------------------------------------


@every_line
def test_nan_is_never_cut_and_nothing_is_said(record: Record) -> None:
    points = wide_grid(record, np.nan)
    nan = np.any([np.isnan(x) for x in points], axis=0)
    for i, _ in record.zero.items():
        # pytest turns every warning into an error.
        with np.errstate(all="raise"):
            mask = record.zero_at(i, points)
        assert mask is not None
        assert not (mask & nan).any()
        undefined = np.any([np.isnan(v) for v in evaluate(record.ufunc, points)], axis=0)
        assert not (mask & undefined).any()


def test_shapes_are_those_of_the_broadcast_inputs() -> None:
    column, row = np.array([[0.0], [1.0]]), np.array([0.0, 1.0, 2.0])
    mask = RECORDS[np.multiply].zero_at(0, [column, row])
    assert mask is not None
    np.testing.assert_array_equal(mask, np.array([[True, False, False]] * 2))
    mask = RECORDS[np.multiply].zero_at(1, [column, row])
    assert mask is not None
    np.testing.assert_array_equal(mask, np.array([[True] * 3, [False] * 3]))
    assert RECORDS[np.multiply].zero_at(0, [np.zeros((0, 3)), row]) is None


@every_line
def test_scalars_arrays_and_other_types(record: Record) -> None:
    points = grid(record.ufunc)
    for i, _ in record.zero.items():
        found = cut(record.ufunc, i, points)
        for index in {int(np.argmax(found)), int(np.argmin(found))}:
            for dtype in (np.float32, np.float64):
                kinds = [
                    dtype if takes_reals(record.ufunc, j) else int for j in range(record.ufunc.nin)
                ]
                values = [np.asarray(x[index], k) for x, k in zip(points, kinds, strict=True)]
                mask = record.zero_at(i, values)
                assert (mask is not None) == found[index]
                if mask is not None:
                    assert isinstance(mask, np.ndarray)
                    assert mask.dtype == bool
                    assert mask.shape == ()


def test_constants_may_be_whole_numbers_or_booleans() -> None:
    x = np.array([0.0, 1.0, 2.0])
    for ufunc, position, other, expected in [
        (np.multiply, 0, np.array([True, False, True]), [False, True, False]),
        (np.power, 0, np.array(2), [True, False, False]),
        (np.power, 0, np.array(0), [True, True, True]),
        (np.maximum, 0, np.array(1), [True, False, False]),
        (np.remainder, 0, np.array(2), None),
        (np.divide, 1, np.array(0), None),
    ]:
        mask = RECORDS[ufunc].zero_at(position, [x, other])
        assert (None if mask is None else mask.tolist()) == expected


def test_complex_numbers() -> None:
    z = np.array([0.0, 1j, 1 + 1j, 2.0])
    w = np.array([0j, 2j, 1 + 2j, 3.0])
    # Real parts that tie decide nothing: they move.
    np.testing.assert_array_equal(
        RECORDS[np.maximum].zero_at(0, [z, w]), [False, False, False, True]
    )
    nan = np.array(complex(0.0, np.nan))
    for ufunc in (np.maximum, np.fmax, np.minimum, np.fmin, np.multiply):
        for i in range(2):
            assert RECORDS[ufunc].zero_at(i, [nan, np.array(1.0)]) is None
            assert RECORDS[ufunc].zero_at(i, [np.array(1.0), nan]) is None
    zeros = np.zeros(4, complex)
    exponents = np.array([1 + 1j, 2 + 1j, 1.5, 1j])
    np.testing.assert_array_equal(
        RECORDS[np.power].zero_at(0, [zeros, exponents]), [False, True, True, False]
    )
    np.testing.assert_array_equal(
        RECORDS[np.multiply].zero_at(1, [z, w]), [True, False, False, False]
    )


# --- what the tests find ------------------------------------------------------------------


def test_unknown_ufuncs_keep_everything() -> None:
    foreign = np.frompyfunc(lambda a: a, 1, 1)
    assert record_of(foreign).zero_at(0, [np.zeros(2)]) is None
    assert RECORDS[np.add].zero_at(0, [np.zeros(2), np.zeros(2)]) is None
    assert RECORDS[np.heaviside].zero_at(0, [np.zeros(2), np.zeros(2)]) is None
    with pytest.raises(IndexError, match="multiply has no input 2"):
        RECORDS[np.multiply].zero_at(2, [np.zeros(2), np.zeros(2)])


def planted(monkeypatch: pytest.MonkeyPatch, ufunc: np.ufunc, zero: dict[int, Any]) -> Record:
    record = replace(RECORDS[ufunc], zero=zero, inside=None, guard=Guard.NAN)
    monkeypatch.setitem(RECORDS, ufunc, record)
    return record


def test_a_wrong_cut_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, np.absolute, {0: lambda x: x == 0})
    wrong, _ = search(np.absolute, 0, grid(np.absolute))
    assert shown(grid(np.absolute), wrong) == [(0.0,)]
    # -trunc(x/y) instead of -floor(x/y): wrong for x < 0 < y.
    planted(monkeypatch, np.remainder, {1: lambda x, y: np.abs(x) < np.abs(y)})
    wrong, _ = search(np.remainder, 1, grid(np.remainder))
    assert (-1.0, 2.0) in shown(grid(np.remainder), wrong)
    planted(monkeypatch, np.maximum, {0: lambda x, y: x <= y})
    wrong, _ = search(np.maximum, 0, grid(np.maximum))
    assert shown(grid(np.maximum), wrong) == [(v, v) for v in GRID]
    record = planted(monkeypatch, np.log, {0: np.isinf})
    with pytest.raises(AssertionError, match="wrongly cut at"):
        test_nothing_is_cut_wrongly_beside_infinities(record)
    record = planted(monkeypatch, special.agm, {0: lambda x, y: y == 0})
    with pytest.raises(AssertionError, match=r"\(0\.0, 0\.0\)"):
        test_derivatives_are_continuous_where_they_are_cut(record)


def test_a_missing_cut_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, np.cos, {})
    with pytest.raises(AssertionError, match=r"not cut at \[\(0\.0,\)\]"):
        test_numpy_is_cut_exactly_where_the_derivative_is_zero(np.cos)
    record = planted(monkeypatch, np.fmod, {1: lambda x, y: (x > 0) & (x < y)})
    with pytest.raises(AssertionError, match="not cut at"):
        test_random_points_are_cut_exactly_where_the_derivative_is_zero(record)
