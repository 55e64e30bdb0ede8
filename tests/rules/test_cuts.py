"""What constants cut, against numerical derivatives of both orders beside them.

A cut is asked with NaN for every input but one, the operand, or but two.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from measured_ufuncs import (
    ENOUGH,
    OLD_SCIPY,
    POINTS,
    SINCE_SCIPY_1_18,
    Derivative,
    claimed,
    claimed2,
    derivative,
    draw,
    evaluate,
    measurable,
    name_of,
    public_ufuncs,
    second_derivative,
    takes_reals,
)
from numpy.typing import NDArray
from scipy import special

import sparsetrace as st
from sparsetrace.rules import NAN, RECORDS, Record, pairs
from sparsetrace.rules.record import Pair

OF_NUMPY = public_ufuncs(np)
#: Constants tried in the operand of a cut, besides those drawn from its domain.
SPECIAL_VALUES = (0.0, 1.0, -1.0, 0.5, 2.0, -2.5, np.inf, -np.inf)
SECOND_SPECIAL_VALUES = (0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0, -3.0)
#: NumPy's functions are tried at infinities too; some of SciPy's take for ever over them.
INFINITIES = (np.inf, -np.inf)
#: Constants in the search for cuts of which nothing is said, and beside two constants.
PLAIN_CONSTANTS = (0.0, 1.0, -1.0, 2.0, 0.5)
#: How many points have to give a number where a constant cuts a second derivative: many
#: orders and counts are NaN beside such constants.
ENOUGH_OF_A_CUT = 0.1

#: Beside these constants (of an operand) the records keep derivatives that measure as zero.
#: Here a parameter is found by search.  There is no solution, or any number is one, and SciPy
#: gives an end of its search, not the same in all versions.
NO_ONE_SOLUTION: dict[tuple[np.ufunc, int], set[float]] = {
    (special.chndtridf, 0): {0.0},
    (special.chndtrinc, 0): {0.0},
    (special.fdtridfd, 1): {0.0},
    (special.fdtridfd, 2): {0.0, 0.5},
    (special.gdtrib, 2): {0.0},
    (special.ncfdtridfd, 0): {0.5},
    (special.ncfdtridfd, 1): {0.0},
    (special.ncfdtridfd, 3): {0.0, 0.5},
    (special.ncfdtridfn, 0): {0.0},
    (special.ncfdtridfn, 3): {0.0, 1.0, 2.0},
    (special.ncfdtrinc, 2): {0.0},
    (special.ncfdtrinc, 3): {0.0},
    (special.nctdtridf, 0): {0.0},
    (special.nctdtridf, 1): {0.0, -1.0, 2.0},
    (special.nctdtridf, 2): {0.0, -1.0},
    (special.nctdtrinc, 1): {0.0},
    (special.stdtridf, 0): {0.0, 1.0, 0.5},
    (special.stdtridf, 1): {0.0, -1.0, 0.5},
    (special.bdtrin, 1): {0.0, 1.0},
    (special.nbdtrik, 1): {0.0},
    (special.nbdtrik, 2): {0.0, 1.0},
    (special.nbdtrin, 1): {0.0},
    (special.nbdtrin, 2): {0.0, 1.0},
}
#: The same, each for its own reason.
KEPT: dict[tuple[np.ufunc, int], set[float]] = {
    # 0 where the points are; of order nu == 0 it is 1 / (lambda + 1).
    (special.besselpoly, 0): {0.0},
    # Defined for c > 0.  Below, SciPy takes the spherical functions without saying so; at 0
    # the functions of the second kind are infinite, and it gives 1e300.
    (special.pro_ang1_cv, 2): {-1.0},
    (special.obl_ang1_cv, 2): {-1.0},
    (special.pro_rad1_cv, 2): {-1.0},
    (special.obl_rad1_cv, 2): {-1.0},
    (special.pro_rad2_cv, 2): {-1.0, 0.0},
    (special.obl_rad2_cv, 2): {-1.0, 0.0},
}
#: Whose `cut` and `cut2` say in fewer operations what follows from `zero` and `zero2`.
SHORTER = [np.divide, np.power, np.float_power, np.hypot, np.arctan2]
SHORTER += [special.jv, special.jve, special.iv, special.ive]
#: SciPy gives NaN beside the constants of these cuts now.
NAN_SINCE_SCIPY_1_18 = {special.bdtrin}
#: SciPy gave NaN beside the constants of these cuts; now it gives the limit.
NAN_BEFORE_SCIPY_1_17 = {
    special.betainc,
    special.betaincc,
    special.chdtriv,
    special.fdtri,
    special.gdtrib,
}


# --- the cuts that there are ----------------------------------------------------------


def known(record: Record, constants: dict[int, Any]) -> list[Any]:
    return [constants.get(i, NAN) for i in range(record.ufunc.nin)]


def is_cut(record: Record, position: int, constants: dict[int, Any]) -> bool:
    """Whether constants, by operand, cut an input of a record."""
    mask = record.cut_by(position, known(record, constants))
    return mask is not None and bool(mask)


def is_cut2(record: Record, pair: Pair, constants: dict[int, Any]) -> bool:
    """Whether they cut a pair; what they cut of one of its inputs counts."""
    mask = record.cut2_by(pair, known(record, constants))
    if mask is not None and bool(mask):
        return True
    others = {k: value for k, value in constants.items() if k not in pair}
    return any(is_cut(record, i, others) for i in set(pair))


def operand_values(record: Record, operand: int) -> list[Any]:
    rng = np.random.default_rng(2)
    low, high = record.domain[operand]
    values = np.array([*SPECIAL_VALUES, *rng.uniform(low, high, 4)])
    if not takes_reals(record.ufunc, operand):
        values = values[values == np.floor(values)]
        values = values[np.isfinite(values)].astype(int)
    return list(values)


def second_operand_values(record: Record, operand: int) -> list[Any]:
    low, high = record.domain[operand]
    infinities = INFINITIES if record.ufunc in OF_NUMPY else ()
    drawn = np.random.default_rng(2).uniform(low, high, 4)
    values = np.array([*SECOND_SPECIAL_VALUES, *infinities, *drawn])
    if operand in record.integers or not takes_reals(record.ufunc, operand):
        values = values[np.isfinite(values) & (values == np.floor(values))]
    return list(values)


def cutting(record: Record, position: int, operand: int, *, other: bool = False) -> list[Any]:
    """Constants of the operand that cut the input, or the others."""
    values = operand_values(record, operand)
    return [v for v in values if is_cut(record, position, {operand: v}) != other]


def cutting2(record: Record, pair: Pair, operand: int) -> list[Any]:
    """Constants that cut a pair, and neither of its inputs."""
    values = second_operand_values(record, operand)
    values = [v for v in values if is_cut2(record, pair, {operand: v})]
    return [v for v in values if not any(is_cut(record, i, {operand: v}) for i in pair)]


CUTS = [
    (record, i, k)
    for record in RECORDS.values()
    for i in record.cuts
    for k in range(record.ufunc.nin)
    if k != i and cutting(record, i, k)
]
SECOND_CUTS = [
    pytest.param(record, pair, k, id=f"{name_of(record)}-{pair}-{k}")
    for record in RECORDS.values()
    for pair in record.cuts2
    for k in range(record.ufunc.nin)
    if k not in pair and cutting2(record, pair, k)
]
every_record = pytest.mark.parametrize("record", RECORDS.values(), ids=name_of)
every_cut = pytest.mark.parametrize(("record", "position", "operand"), CUTS, ids=name_of)
every_second_cut = pytest.mark.parametrize(("record", "pair", "operand"), SECOND_CUTS)


def with_constants(record: Record, constants: dict[int, Any]) -> list[NDArray[Any]]:
    inputs = draw(record, np.random.default_rng(3))
    for operand, constant in constants.items():
        whole = inputs[operand].dtype.kind == "i"
        inputs[operand] = np.full(POINTS, int(constant) if whole else constant)
    return inputs


def beside(record: Record, position: int, constants: dict[int, Any]) -> Derivative:
    return derivative(record, with_constants(record, constants), position)


def beside2(record: Record, pair: Pair, constants: dict[int, Any]) -> Derivative:
    return second_derivative(record, with_constants(record, constants), pair)


@pytest.mark.parametrize("record", [r for r in RECORDS.values() if r.cuts], ids=name_of)
def test_nothing_known_cuts_nothing(record: Record) -> None:
    nothing = known(record, {})
    for i in record.cuts:
        assert not np.any(record.cut_by(i, nothing))
    for pair in record.cuts2:
        assert not np.any(record.cut2_by(pair, nothing))


@pytest.mark.parametrize("record", [r for r in RECORDS.values() if r.cuts], ids=name_of)
def test_constants_of_any_type_and_shape_are_taken(record: Record) -> None:
    for dtype in (bool, np.uint8, np.int64, np.float32, np.float64):
        for shape in ((), (1,), (2, 3), (0, 2)):
            for operand in range(record.ufunc.nin):
                values = known(record, {operand: np.ones(shape, dtype)})
                masks = [record.cut_by(i, values) for i in record.cuts if i != operand]
                masks += [record.cut2_by(p, values) for p in record.cuts2 if operand not in p]
                for mask in map(np.asarray, masks):
                    assert mask.dtype == bool
                    assert mask.shape in ((), shape)


def test_the_cuts_are_as_many_as_they_were() -> None:
    """A predicate that a domain's condition has been written into cuts nothing any more."""
    assert len(CUTS) >= 127
    assert len(SECOND_CUTS) >= 182


# --- first order ----------------------------------------------------------------------


def _partly_whole(values: NDArray[Any]) -> NDArray[Any]:
    """Round half of the values: 0 and 1 are where many functions are exceptional."""
    return np.where(np.arange(len(values)) % 4 < 2, np.rint(values), values)


def varies(record: Record, position: int, operand: int, *, wide: bool) -> bool:
    """Whether the value changes with the argument although the derivative is cut."""
    rng = np.random.default_rng(4)
    low, high = record.domain[position]
    margin = high - low if wide else 0.0
    for value in cutting(record, position, operand):
        inputs = with_constants(record, {operand: value})
        inputs = [_partly_whole(x) if i != operand else x for i, x in enumerate(inputs)]
        before = evaluate(record.ufunc, inputs)
        inputs[position] = _partly_whole(rng.uniform(low - margin, high + margin, POINTS))
        after = evaluate(record.ufunc, inputs)
        for a, b in zip(before, after, strict=True):
            undefined = np.isnan(a) | np.isnan(b)
            if not (undefined | np.isclose(a, b, rtol=1e-13, atol=0)).all():
                return True
    return False


@every_cut
def test_a_cut_is_of_a_dependency(record: Record, position: int, operand: int) -> None:
    assert any(i == position for _, i in claimed(record)) or is_truth(record)


def is_truth(record: Record) -> bool:
    """Whether the ufunc gives truth values, which some constants decide."""
    return str(record.ufunc.types[0]).endswith("->?")


@pytest.mark.parametrize("ufunc", [np.less, np.greater], ids=lambda u: u.__name__)
def test_what_is_decided_is_so_for_infinities_and_nan_too(ufunc: np.ufunc) -> None:
    record, values = RECORDS[ufunc], np.array([0.0, -2.5, 1e300, np.inf, -np.inf, np.nan])
    for position in record.cuts:
        (infinity,) = cutting(record, position, 1 - position)
        assert not ufunc(*(values if i == position else infinity for i in range(2))).any()


@every_cut
def test_the_derivative_vanishes(record: Record, position: int, operand: int) -> None:
    for value in cutting(record, position, operand):
        for found, defined in beside(record, position, {operand: value}):
            assert not found.any(), f"operand {value}"
            assert np.count_nonzero(defined) >= POINTS // 2, f"operand {value}"


@every_cut
def test_the_derivative_stays_for_other_constants(
    record: Record, position: int, operand: int
) -> None:
    assert is_truth(record) or any(
        found.any()
        for value in cutting(record, position, operand, other=True)
        for found, _ in beside(record, position, {operand: value})
    )


@every_cut
def test_the_value_is_constant_where_claimed(record: Record, position: int, operand: int) -> None:
    stepwise = position in record.stepwise
    assert not varies(record, position, operand, wide=False) or stepwise
    if stepwise:
        assert varies(record, position, operand, wide=True)


def test_a_wrong_cut_is_found() -> None:
    wrong = replace(RECORDS[np.multiply], cut={0: lambda x, y: y == 1})
    with pytest.raises(AssertionError, match=r"operand 1\.0"):
        test_the_derivative_vanishes(wrong, 0, 1)
    steps = replace(RECORDS[np.arctan2], stepwise=frozenset())
    with pytest.raises(AssertionError):
        test_the_value_is_constant_where_claimed(steps, 1, 0)


def test_a_result_is_known_only_if_every_operand_is_or_is_cut() -> None:
    """At x == 0 Wright's function is 1 / gamma(b), whatever a is; but b is unknown."""

    def function(x: NDArray[Any]) -> Any:
        value = special.wright_bessel(x[0], np.floor(x[1]), 0.0)
        return x[2] * (value - 1.0)

    pattern = st.jacobian_sparsity(function, np.array([1.0, 3.0, 1.0]))
    assert pattern.toarray().tolist() == [[False, False, True]]


# --- second order -----------------------------------------------------------------------


@every_second_cut
def test_a_cut_is_of_a_curvature(record: Record, pair: Pair, operand: int) -> None:
    assert pair in {claimed_pair for _, claimed_pair in claimed2(record)}


@pytest.mark.parametrize(
    ("record", "pair"),
    [
        pytest.param(record, pair, id=f"{name_of(record)}-{pair}")
        for record in RECORDS.values()
        for pair in record.cut2
    ],
)
def test_what_is_said_of_constants_follows_from_nothing_else(record: Record, pair: Pair) -> None:
    derived = replace(record, cut2={p: f for p, f in record.cut2.items() if p != pair})
    assert record.ufunc in SHORTER or any(
        is_cut2(record, pair, {k: value}) != is_cut2(derived, pair, {k: value})
        for k in range(record.ufunc.nin)
        if k not in pair
        for value in second_operand_values(record, k)
    )


@pytest.mark.parametrize("ufunc", SHORTER, ids=lambda u: u.__name__)
def test_what_is_said_in_fewer_operations_is_all_that_follows(ufunc: np.ufunc) -> None:
    record = RECORDS[ufunc]
    derived = replace(record, cut={}, cut2={})
    for operand in (0, 1):
        other = 1 - operand
        for value in operand_values(record, operand):
            beside_it = {operand: value}
            assert is_cut(record, other, beside_it) >= is_cut(derived, other, beside_it)
            pair = (other, other)
            assert is_cut2(record, pair, beside_it) >= is_cut2(derived, pair, beside_it)


@every_second_cut
def test_the_second_derivative_vanishes(record: Record, pair: Pair, operand: int) -> None:
    for value in cutting2(record, pair, operand):
        for found, defined in beside2(record, pair, {operand: value}):
            assert not found.any(), f"operand {value}"
            if OLD_SCIPY and record.ufunc in NAN_BEFORE_SCIPY_1_17:
                continue
            if not (SINCE_SCIPY_1_18 and record.ufunc in NAN_SINCE_SCIPY_1_18):
                assert defined.mean() >= ENOUGH_OF_A_CUT, f"operand {value}"


@every_second_cut
def test_the_second_derivative_stays_for_other_constants(
    record: Record, pair: Pair, operand: int
) -> None:
    values = second_operand_values(record, operand)
    others = [v for v in values if not is_cut2(record, pair, {operand: v})]
    assert any(found.any() for v in others for found, _ in beside2(record, pair, {operand: v}))


@pytest.mark.parametrize(
    ("ufunc", "pair", "wrong"),
    [
        (special.powm1, (0, 0), lambda x, y: y == 0),
        (special.eval_legendre, (1, 1), lambda n, x: n == 1),
    ],
    ids=["powm1", "eval_legendre"],
)
def test_a_cut_that_follows_from_another_is_found(ufunc: np.ufunc, pair: Pair, wrong: Any) -> None:
    said = {} if ufunc is special.powm1 else RECORDS[ufunc].cut2
    zero2 = {} if ufunc is special.powm1 else RECORDS[ufunc].zero2
    with pytest.raises(AssertionError):
        test_what_is_said_of_constants_follows_from_nothing_else(
            replace(RECORDS[ufunc], zero2=zero2, cut2={**said, pair: wrong}), pair
        )


@pytest.mark.parametrize(
    ("ufunc", "pair", "operand", "wrong"),
    [
        (np.hypot, (0, 0), 1, lambda x, y: y == 1),
        (special.eval_jacobi, (1, 3), 0, lambda n, alpha, beta, x: n == 1),
        (special.hyp2f1, (0, 2), 1, lambda a, b, c, x: b == 1),
    ],
    ids=["hypot", "eval_jacobi", "hyp2f1"],
)
def test_a_wrong_cut_of_second_order_is_found(
    ufunc: np.ufunc, pair: Pair, operand: int, wrong: Any
) -> None:
    record = replace(RECORDS[ufunc], cut2={pair: wrong})
    with pytest.raises(AssertionError, match=r"operand 1\.0"):
        test_the_second_derivative_vanishes(record, pair, operand)


def flat_pairs(record: Record, operand: int, constant: float, candidates: list[Pair]) -> set[Pair]:
    """Those of the pairs whose second derivatives measure as zero beside a constant."""
    inputs = with_constants(record, {operand: constant})
    few = [x[:8] for x in inputs]
    flat = set()
    for pair in candidates:
        if any(found.any() for found, _ in second_derivative(record, few, pair)):
            continue
        all_of_them = second_derivative(record, inputs, pair)
        if not any(f.any() for f, _ in all_of_them) and all(
            d.mean() >= ENOUGH for _, d in all_of_them
        ):
            flat.add(pair)
    return flat


def uncut(record: Record) -> set[tuple[int, float, Pair]]:
    """Operand, constant and pair: a derivative is zero, and no cut says so."""
    nonzero = {pair for _, pair in claimed2(record)} & set(measurable(record))
    found = set()
    for operand in range(record.ufunc.nin):
        kept = NO_ONE_SOLUTION.get((record.ufunc, operand), set())
        kept = kept | KEPT.get((record.ufunc, operand), set())
        tried = np.array(second_operand_values(record, operand))
        tried = tried[np.isin(tried, PLAIN_CONSTANTS) | np.isinf(tried)]
        for constant in set(tried.tolist()) - kept:
            candidates = [
                pair
                for pair in sorted(nonzero)
                if operand not in pair
                and not is_cut2(record, pair, {operand: np.float64(constant)})
            ]
            flat = flat_pairs(record, operand, constant, candidates)
            found |= {(operand, constant, pair) for pair in flat}
    return found


@every_record
def test_no_cut_is_missing(record: Record) -> None:
    if OLD_SCIPY and record.ufunc not in OF_NUMPY:
        pytest.skip("more searches end at a constant, where SciPy 1.17 gives NaN or infinity")
    if SINCE_SCIPY_1_18 and record.ufunc is special.bdtrik:
        pytest.skip("constant for no trials and for p == 0, where SciPy 1.17 gives NaN")
    assert not uncut(record)


def test_a_missing_cut_is_found() -> None:
    power = replace(RECORDS[np.power], zero2={}, cut2={})
    assert (1, 1.0, (0, 0)) in uncut(power)
    chebyt = RECORDS[special.eval_chebyt]
    chebyt = replace(chebyt, cut2={(1, 1): lambda n, x: n == 1})
    assert uncut(chebyt) == {(1, 1.0, (0, 0)), (0, -1.0, (1, 1))}


# --- beside two constants -----------------------------------------------------------------


def joint(record: Record) -> list[tuple[Any, dict[int, Any]]]:
    """Inputs and pairs of them that two constants cut, and neither of the two alone."""
    found: list[tuple[Any, dict[int, Any]]] = []
    for two in combinations(range(record.ufunc.nin), 2):
        choices = [
            [np.float64(c) for c in PLAIN_CONSTANTS if k not in record.integers or c % 1 == 0]
            for k in two
        ]
        for values in product(*choices):
            both = dict(zip(two, values, strict=True))
            alone = [{k: value} for k, value in both.items()]
            for i in record.cuts:
                elsewhere = i not in two and is_cut(record, i, both)
                if elsewhere and not any(is_cut(record, i, one) for one in alone):
                    found.append((i, both))
            for pair in record.cuts2:
                elsewhere = not set(pair) & set(two) and is_cut2(record, pair, both)
                if elsewhere and not any(is_cut2(record, pair, one) for one in alone):
                    found.append((pair, both))
    return found


OF_MANY = [record for record in RECORDS.values() if record.ufunc.nin > 2 and record.cuts2]


@pytest.mark.parametrize("record", OF_MANY, ids=name_of)
def test_what_two_constants_cut_vanishes(record: Record) -> None:
    for which, constants in joint(record):
        measure = beside2 if isinstance(which, tuple) else beside
        for found, _ in measure(record, which, constants):
            assert not found.any(), f"{which} beside {constants}"


def test_two_constants_cut_what_one_does_not() -> None:
    assert ((2, 2), {0: 1.0, 1: 1.0}) in joint(RECORDS[special.betaincinv])
    assert pairs(3)[-1] == (2, 2)
