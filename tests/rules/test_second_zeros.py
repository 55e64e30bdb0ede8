"""Where second derivatives vanish at a point, against one-sided second differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from measured_ufuncs import name_of, public_ufuncs
from scipy import special
from ufunc_points import (
    CURVED,
    JUMPS,
    STEPS,
    VALUES,
    Mask,
    Points,
    at,
    differences,
    evaluate,
    generic,
    grid,
    is_flat,
    is_sharp,
    is_singular,
    nowhere,
    pairs_of,
    recent,
    replaced,
    shown,
    simple_scan,
    takes_reals,
    unsteady,
    whole_inputs,
    zero_second,
)

from cases.kept_points import KEPT
from sparsetrace.rules import RECORDS, Record, record_of
from sparsetrace.rules.record import Guard, Pair

FLAT = {ufunc: record for ufunc, record in RECORDS.items() if record.zero2}
every_line = pytest.mark.parametrize("record", FLAT.values(), ids=name_of)

# --- soundness ---------------------------------------------------------------------


def at_infinity(record: Record, values: Sequence[float]) -> Points:
    points = grid(record.ufunc, (*values, -np.inf, np.inf))
    return at(points, np.any([np.isinf(x) for x in points], axis=0))


def zero_in_the_limit(ufunc: np.ufunc, points: Points, pair: Pair) -> Mask:
    """Where the derivative falls to zero as the infinite inputs grow.

    Where the value grows with one of the two inputs (log), it must be zero all the way.
    """
    found = []
    for size in (10.0, 1000.0):
        near = [np.where(np.isinf(x), np.sign(x) * size, x).astype(x.dtype) for x in points]
        steps = [1e-2 * np.maximum(1.0, np.abs(near[i])) for i in pair]
        found.append(differences(ufunc, near, pair, (steps[0], steps[1])))
    infinite = np.any([np.isinf(v) for v in evaluate(ufunc, points)], axis=0)
    grows = infinite & np.any([np.isinf(points[i]) for i in pair], axis=0)
    zero = np.ones(len(points[0]), bool)
    for (a, _), (b, noise) in zip(*found, strict=True):
        undefined = np.isnan(a) | np.isnan(b)
        zero &= undefined | (np.abs(b) <= np.where(grows, 0.0, 0.05 * np.abs(a)) + noise)
    return zero


@every_line
def test_nothing_is_wrongly_flat(record: Record) -> None:
    points = grid(record.ufunc, VALUES[record.ufunc.nin])
    jumps = JUMPS.get(record.ufunc, nowhere)
    for pair in record.zero2:
        some = at(points, is_flat(record.ufunc, pair, points))
        zero, known = zero_second(record.ufunc, some, pair)
        wrong = known & ~zero & ~jumps(*some)
        assert not wrong.any(), f"{pair} wrongly flat at {shown(some, wrong)}"


def complex_loop(ufunc: np.ufunc) -> str | None:
    return next((loop for loop in ufunc.types if "D" in loop.split("->")[0]), None)


@pytest.mark.parametrize(
    "record",
    [record for record in FLAT.values() if complex_loop(record.ufunc)],
    ids=name_of,
)
def test_nothing_is_wrongly_flat_off_the_real_axis(record: Record) -> None:
    ufunc, loop = record.ufunc, complex_loop(record.ufunc)
    assert loop is not None
    # Not on the negative axis, where branches are cut.
    axes = {
        "D": np.array([0, 0.5, 1, 1j, -1j, 0.5j, 2j, 1 + 1j, -0.5 + 0.5j]),
        "d": np.array([-1.0, 0.0, 0.5, 1.0, 3.0]),
    }
    points = [x.ravel() for x in np.meshgrid(*(axes[c] for c in loop[: ufunc.nin]), indexing="ij")]
    for i, j in record.zero2:
        some = at(points, is_flat(ufunc, (i, j), points))
        for s in (1, 1j) if loop[i] == "D" else (1,):
            for t in (s,) if i == j else (1, 1j) if loop[j] == "D" else (1,):
                wide, narrow = (differences(ufunc, some, (i, j), (s * h, t * h)) for h in STEPS)
                for (a, _), (b, noise) in zip(wide, narrow, strict=True):
                    defined = np.isfinite(a) & np.isfinite(b)
                    wrong = defined & (np.abs(b) > 0.7 * np.abs(a) + noise)
                    assert not wrong.any(), f"{(i, j)} wrongly flat at {at(some, wrong)}"


@pytest.mark.parametrize(
    "record",
    # SciPy may loop for ever on infinities (hyp1f1), which the guard keeps from it.
    [record for record in FLAT.values() if record.guard is not Guard.FINITE],
    ids=name_of,
)
def test_nothing_is_wrongly_flat_beside_infinities(record: Record) -> None:
    points = at_infinity(record, VALUES[record.ufunc.nin])
    jumps = JUMPS.get(record.ufunc, nowhere)
    for pair in record.zero2:
        some = at(points, is_flat(record.ufunc, pair, points))
        wrong = ~zero_in_the_limit(record.ufunc, some, pair) & ~jumps(*some)
        assert not wrong.any(), f"{pair} wrongly flat at {shown(some, wrong)}"


@every_line
def test_random_points_are_flat_exactly_where_the_derivative_is_zero(record: Record) -> None:
    points = generic(record.ufunc, 40, seed=6)
    # Some derivatives are small by chance, and are not on the way to another point.
    whole = whole_inputs(record.ufunc)
    inner = [
        x if i in whole else (x + 0.37 * low + 0.63 * high) / 2
        for i, (x, (low, high)) in enumerate(zip(points, record.domain, strict=True))
    ]
    for pair in record.zero2:
        found = is_flat(record.ufunc, pair, points)
        zero, known = zero_second(record.ufunc, points, pair)
        wrong = found & known & ~zero
        assert not wrong.any(), f"{pair} wrongly flat at {shown(points, wrong)}"
        missing = known & zero & ~found & np.logical_and(*zero_second(record.ufunc, inner, pair))
        assert not missing.any(), f"{pair} not flat at {shown(points, missing)}"


@every_line
def test_every_predicate_holds_somewhere_and_not_everywhere(record: Record) -> None:
    ufunc, values = record.ufunc, VALUES[record.ufunc.nin]
    if record.guard is not Guard.FINITE:
        values = (*values, -np.inf, np.inf)
    points = grid(ufunc, values)
    for pair in record.zero2:
        found = is_flat(ufunc, pair, points)
        assert not found.all()
        some = at(points, found)
        zero, known = zero_second(ufunc, some, pair)
        beside = np.any([np.isinf(x) for x in some], axis=0)
        assert ((zero & known) | beside).any(), f"{pair} is known to be flat nowhere"


@every_line
def test_predicates_are_of_curved_pairs(record: Record) -> None:
    assert set(record.zero2) <= {*pairs_of(record.ufunc)}
    points = generic(record.ufunc, 40, seed=7)
    for pair in record.zero2:
        zero, known = zero_second(record.ufunc, points, pair)
        assert (known & ~zero).any()


@every_line
def test_what_is_flat_for_some_inputs_alone_is_sharp_for_all(record: Record) -> None:
    """Or it falls so slowly that one cannot tell, like x**0.5 log(x)."""
    ufunc = record.ufunc
    points = grid(ufunc, VALUES[ufunc.nin])
    points = at(points, np.all([x == np.floor(x) for x in points], axis=0))
    rough = is_sharp(ufunc, points) | is_singular(ufunc, points)
    rough |= JUMPS.get(ufunc, nowhere)(*points)
    for pair in record.zero2:
        where = is_flat(ufunc, pair, points) & ~rough
        some = at(points, where)
        found = unsteady(ufunc, pair, some)
        assert not found.any(), f"{pair} at {shown(some, found)}"


# --- what is kept ------------------------------------------------------------------


def missed(ufunc: np.ufunc) -> tuple[Points, dict[Pair, Mask]]:
    points, found = simple_scan(ufunc)
    return points, {pair: zero & known & ~cut for pair, (cut, zero, known) in found.items()}


every_ufunc = pytest.mark.parametrize("ufunc", CURVED, ids=lambda u: u.__name__)


@recent
@every_ufunc
def test_no_simple_flat_point_is_missed(ufunc: np.ufunc) -> None:
    points, missing = missed(ufunc)
    kept, _ = KEPT.get(ufunc, (nowhere, ""))
    for pair, mask in missing.items():
        extra = mask & ~kept(*points)
        assert not extra.any(), f"{pair} is zero at {shown(points, extra)}"


@recent
@pytest.mark.parametrize("ufunc", KEPT, ids=lambda u: u.__name__)
def test_what_is_kept_has_a_reason(ufunc: np.ufunc) -> None:
    points, missing = missed(ufunc)
    kept, reason = KEPT[ufunc]
    assert reason
    assert any((mask & kept(*points)).any() for mask in missing.values())


# --- named points, NaN, types and shapes -----------------------------------------------


@pytest.mark.parametrize(
    ("ufunc", "point", "expected"),
    [
        (np.divide, (0.0, 2.0), {(1, 1)}),
        (np.divide, (0.0, 0.0), set()),
        (np.divide, (1.0, np.inf), {(0, 1), (1, 1)}),
        (np.reciprocal, (-np.inf,), {(0, 0)}),
        (np.square, (0.0,), set()),
        (np.absolute, (0.0,), set()),
        (np.multiply, (0.0, 0.0), set()),
        (np.maximum, (1.0, 2.0), set()),
        (np.power, (2.0, 0.0), {(0, 0)}),
        (np.power, (2.0, 1.0), {(0, 0)}),
        (np.power, (2.0, 2.0), set()),
        (np.power, (1.0, 2.0), set()),
        (np.power, (0.0, 0.0), {(0, 0)}),
        (np.power, (0.0, 1.0), {(0, 0), (1, 1)}),
        (np.power, (0.0, 1.5), {(0, 1), (1, 1)}),
        (np.power, (0.0, 2.0), {(0, 1), (1, 1)}),
        (np.power, (0.0, 2.5), {(0, 0), (0, 1), (1, 1)}),
        (np.power, (0.0, -1.0), set()),
        (np.power, (np.nan, 1.0), set()),
        (np.power, (1.0, np.nan), set()),
        (np.hypot, (0.0, 0.0), set()),
        (np.hypot, (3.0, 0.0), {(0, 0), (0, 1)}),
        (np.hypot, (0.0, -3.0), {(0, 1), (1, 1)}),
        (np.hypot, (3.0, 4.0), set()),
        (np.hypot, (3.0, np.inf), {(0, 0)}),
        (np.hypot, (np.inf, np.inf), set()),
        (np.arctan2, (0.0, 0.0), set()),
        (np.arctan2, (0.0, 2.0), {(0, 0), (1, 1)}),
        (np.arctan2, (2.0, 0.0), {(0, 0), (1, 1)}),
        (np.arctan2, (2.0, -2.0), {(0, 1)}),
        (np.arctan2, (2.0, 3.0), set()),
        (np.arctan2, (2.0, np.inf), {(0, 0), (0, 1), (1, 1)}),
        (np.arctan2, (np.inf, np.inf), set()),
        (np.sin, (0.0,), {(0, 0)}),
        (np.sin, (np.pi,), set()),
        (np.cos, (np.pi / 2,), set()),
        (np.cosh, (0.0,), set()),
        (np.tanh, (0.0,), {(0, 0)}),
        (np.tanh, (np.inf,), {(0, 0)}),
        (np.tanh, (20.0,), set()),
        (np.sinh, (np.inf,), set()),
        (np.exp, (-np.inf,), {(0, 0)}),
        (np.exp, (-800.0,), set()),
        (np.log, (np.inf,), set()),
        (np.logaddexp, (-np.inf, 1.0), {(0, 0), (0, 1), (1, 1)}),
        (np.logaddexp, (np.inf, 1.0), {(1, 1)}),
        (np.logaddexp, (-np.inf, -np.inf), set()),
        (special.expi, (1.0,), {(0, 0)}),
        (special.gammainc, (3.0, 2.0), {(1, 1)}),
        (special.gammainc, (1.0, 1e-20), set()),
        (special.gammainc, (2.0**54, 2.0**54), set()),
        (special.chdtr, (5.0, 3.0), {(1, 1)}),
        (special.huber, (2.0, 1.0), {(0, 0), (0, 1)}),
        (special.huber, (2.0, 2.0), set()),
        (special.huber, (2.0, 3.0), {(1, 1)}),
        (special.jv, (1.0, 0.0), {(0, 0), (1, 1)}),
        (special.jv, (2.0, 0.0), {(0, 0), (0, 1)}),
        (special.jve, (1.0, 0j), {(0, 0)}),
        (special.betainc, (2.0, 2.0, 0.5), {(0, 1), (2, 2)}),
        (special.eval_legendre, (3.0, 0.0), {(1, 1)}),
        (special.eval_legendre, (4.0, 0.0), set()),
        (special.ellipj, (0.0, 0.5), {(0, 1), (1, 1)}),
        (special.pbdv, (-0.5, 0.0), {(1, 1)}),
        (special.sindg, (-540.0,), {(0, 0)}),
    ],
)
def test_named_points(ufunc: np.ufunc, point: tuple[Any, ...], expected: set[Pair]) -> None:
    values = [np.array(value) for value in point]
    found = set()
    for pair in combinations_with_replacement(range(ufunc.nin), 2):
        mask = RECORDS[ufunc].zero2_at(pair, values)
        if mask is not None:
            assert mask.shape == ()
            assert mask
            found.add(pair)
    assert found == expected


@every_line
def test_nan_is_never_flat_and_nothing_is_said(record: Record) -> None:
    infinities = () if record.guard is Guard.FINITE else (-np.inf, np.inf)
    points = replaced(record.ufunc, np.nan, *infinities)
    nan = np.any([np.isnan(x) for x in points], axis=0)
    undefined = np.any([np.isnan(v) for v in evaluate(record.ufunc, points)], axis=0)
    others = replaced(record.ufunc, np.nan, -np.inf, np.inf)
    for pair, predicate in record.zero2.items():
        # pytest turns every warning into an error.
        with np.errstate(all="raise"):
            mask = record.zero2_at(pair, points)
            predicate(*others)
        assert mask is None or not (mask & (nan | undefined)).any()


@every_line
def test_scalars_and_types_agree_with_arrays(record: Record) -> None:
    ufunc = record.ufunc
    points = grid(ufunc, VALUES[ufunc.nin])
    for pair in record.zero2:
        found = is_flat(ufunc, pair, points)
        for index in {int(np.argmax(found)), int(np.argmin(found))}:
            for dtype in (np.float32, np.float64):
                values = [
                    np.asarray(x[index], dtype if takes_reals(ufunc, i) else int)
                    for i, x in enumerate(points)
                ]
                mask = RECORDS[ufunc].zero2_at(pair, values)
                assert (mask is not None) == found[index]
                if mask is not None:
                    assert isinstance(mask, np.ndarray)
                    assert (mask.dtype, mask.shape) == (bool, ())


def test_shapes_are_those_of_the_broadcast_inputs() -> None:
    column, row = np.array([[0.0], [1.0]]), np.array([1.0, 1.5, 3.0])
    power = RECORDS[np.power]
    for mask, expected in [
        (
            RECORDS[np.power].zero2_at((0, 0), [column, row]),
            [[True, False, True], [True, False, False]],
        ),
        (RECORDS[np.divide].zero2_at((1, 1), [column, row]), [[True] * 3, [False] * 3]),
        (power.infinite2_at([column, row]), [[True, True, False], [False] * 3]),
        (RECORDS[special.agm].infinite2_at([column, row]), [[True] * 3, [False] * 3]),
    ]:
        assert mask is not None
        assert mask.tolist() == expected
    assert RECORDS[np.divide].zero2_at((1, 1), [np.zeros((0, 3)), row]) is None
    assert RECORDS[np.power].infinite2_at([np.zeros((0, 3)), row]) is None


def test_constants_may_be_whole_numbers_or_booleans() -> None:
    x = np.array([0.0, 1.0, 2.0])
    for ufunc, pair, other, expected in [
        (np.power, (0, 0), np.array(1), [True, True, True]),
        (np.power, (0, 0), np.array(True), [True, True, True]),
        (np.power, (0, 0), np.array(2), None),
        (np.power, (0, 0), np.array([3, 2, 0]), [True, False, True]),
        (np.hypot, (0, 0), np.array(0), [False, True, True]),
    ]:
        mask = RECORDS[ufunc].zero2_at(pair, [x, other])
        assert (None if mask is None else mask.tolist()) == expected
    assert RECORDS[np.power].infinite2_at([x, np.array(2)]) is None


def test_complex_numbers() -> None:
    zeros, powers = np.zeros(4, complex), np.array([1.5 + 1j, 2 + 1j, 3 + 1j, 1.0])
    assert is_flat(np.power, (0, 0), [zeros, powers]).tolist() == [False, False, True, True]
    assert is_sharp(np.power, [zeros, powers], (0,)).tolist() == [True, False, False, False]
    z = np.array([0j, 1j, complex(0, np.nan)])
    assert is_flat(np.sin, (0, 0), [z]).tolist() == [True, False, False]
    infinities = np.array([complex(np.inf, 0), complex(0, np.inf)])
    assert is_flat(special.erf, (0, 0), [infinities]).tolist() == [True, False]
    unit = [np.array(2), np.array(1.5), np.array(0.5), np.array([1, 1j])]
    assert is_flat(special.eval_jacobi, (2, 2), unit).tolist() == [True, False]
    assert is_flat(special.eval_jacobi, (1, 2), unit).tolist() == [True, False]


# --- what the tests find ---------------------------------------------------------------


def test_unknown_ufuncs_keep_everything() -> None:
    foreign = np.frompyfunc(lambda a: a, 1, 1)
    assert record_of(foreign).zero2_at((0, 0), [np.zeros(2)]) is None
    assert record_of(foreign).infinite2_at([np.zeros(2)]) is None
    assert RECORDS[np.add].zero2_at((0, 1), [np.zeros(2), np.zeros(2)]) is None


@pytest.mark.parametrize("pair", [(1, 0), (0, 2), (-1, 0)])
def test_what_is_no_pair_is_refused(pair: Pair) -> None:
    with pytest.raises(IndexError, match="divide has no pair of inputs"):
        RECORDS[np.divide].zero2_at(pair, [np.zeros(2), np.zeros(2)])
    with pytest.raises(ValueError, match="is no pair of inputs"):
        replace(RECORDS[np.divide], zero2={pair: lambda x, y: x == 0})


def test_every_curved_numpy_ufunc_is_looked_at() -> None:
    """Those without a predicate have second derivatives that are zero nowhere, or everywhere."""
    without = public_ufuncs(np).intersection(CURVED) - set(FLAT)
    nowhere_flat = "cbrt sqrt square log log2 log10 log1p cos cosh arccosh".split()
    curved = {ufunc for ufunc in without if simple_scan(ufunc)[1]}
    piecewise_linear = {getattr(np, name) for name in ("multiply",)}
    assert curved - piecewise_linear == {getattr(np, name) for name in nowhere_flat}


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """For changes of the records, of which no cache may know before or afterwards."""
    simple_scan.cache_clear()
    yield monkeypatch
    simple_scan.cache_clear()


def planted(records: pytest.MonkeyPatch, ufunc: np.ufunc, pair: Pair, predicate: Any) -> Record:
    record = replace(RECORDS[ufunc], zero2={pair: predicate}, inside=None, guard=Guard.NAN)
    records.setitem(RECORDS, ufunc, record)
    return record


def test_a_wrong_predicate_is_found(records: pytest.MonkeyPatch) -> None:
    for ufunc, pair, predicate, point in [
        (np.cosh, (0, 0), lambda x: x == 0, r"\(0\.0,\)"),
        (np.power, (0, 0), lambda x, y: (x == 0) & (y >= 2), r"\(0\.0, 2\.0\)"),
        (special.huber, (0, 1), lambda d, r: np.abs(r) <= d, r"\(0\.5, -0\.5\)"),
        (special.jv, (1, 1), lambda v, z: (z == 0) & (v >= 2), r"\(2\.0, 0\.0\)"),
    ]:
        record = planted(records, ufunc, pair, predicate)
        with pytest.raises(AssertionError, match=f"wrongly flat at .*{point}"):
            test_nothing_is_wrongly_flat(record)
    record = planted(records, special.eval_jacobi, (1, 2), lambda n, a, b, x: np.abs(x) == 1)
    with pytest.raises(AssertionError, match="wrongly flat at"):
        test_nothing_is_wrongly_flat_off_the_real_axis(record)
    record = planted(records, np.log, (0, 0), np.isinf)
    with pytest.raises(AssertionError, match="wrongly flat at"):
        test_nothing_is_wrongly_flat_beside_infinities(record)


def test_a_missing_predicate_is_found(records: pytest.MonkeyPatch) -> None:
    records.setitem(RECORDS, np.tanh, replace(RECORDS[np.tanh], zero2={}))
    with pytest.raises(AssertionError, match=r"\(0, 0\) is zero at \[\(0\.0,\)\]"):
        test_no_simple_flat_point_is_missed(np.tanh)
    record = planted(records, special.huber, (0, 0), lambda d, r: (r > 0) & (r < d))
    with pytest.raises(AssertionError, match="not flat at"):
        test_random_points_are_flat_exactly_where_the_derivative_is_zero(record)


def test_a_missing_infinite_point_is_found(records: pytest.MonkeyPatch) -> None:
    record = replace(RECORDS[special.jv], infinite2={})
    records.setitem(RECORDS, special.jv, record)
    with pytest.raises(AssertionError, match=r"\(1, 1\) at \[\(1\.0, 0\.0\)\]"):
        test_what_is_flat_for_some_inputs_alone_is_sharp_for_all(record)
