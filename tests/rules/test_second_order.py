"""The second-order tables against numerical derivatives; everything is read from the lines."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy
from numpy.lib import NumpyVersion
from numpy.typing import NDArray
from rules.test_tables import NAN_BETWEEN_WHOLE_NUMBERS, draw, evaluate, real_inputs, takes_reals
from scipy import special

from oracles import AGREEMENT, ATOL
from sparsetrace.rules import FIRST_ORDER, SECOND_ORDER, Curvature, Cut, Rule, _united
from sparsetrace.rules.numpy_ufuncs import NUMPY_RULES
from sparsetrace.rules.predicates import is_one, is_zero
from sparsetrace.rules.second_numpy import NUMPY_CURVATURES
from sparsetrace.rules.second_order import CurvatureTable, Pair, among, pairs, united
from sparsetrace.rules.second_special import SPECIAL_CURVATURES
from sparsetrace.rules.special_ufuncs import SPECIAL_RULES

#: The steps are these parts of the interval's width.
STEPS = tuple(0.02 / part for part in (1, 2, 4, 8))
#: A second difference adds up to four values; inverses found by iteration are good to ten
#: digits, all other functions to more.
RTOL = 1e-9
#: How many points have to give a number, to say that a derivative is zero at all of them.
ENOUGH = 0.5
#: The same where a constant cuts it: many orders and counts are NaN beside such constants.
ENOUGH_OF_A_CUT = 0.1

#: Constants tried in the operand of a cut, besides those drawn from its interval.
SPECIAL_VALUES = (0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0, -3.0)
#: NumPy's functions are tried at infinities too; some of SciPy's take for ever over them.
INFINITIES = (np.inf, -np.inf)

#: Constants in the search for cuts that have no line.
PLAIN_CONSTANTS = (0.0, 1.0, -1.0, 2.0, 0.5)

#: Beside these constants (of an operand) the tables keep derivatives that measure as zero.
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

SINCE_SCIPY_1_18 = NumpyVersion(scipy.__version__) >= "1.18.0"
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
OLD_SCIPY = NumpyVersion(scipy.__version__) < "1.17.0"

Derivative = list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]

every_line = pytest.mark.parametrize("line", SECOND_ORDER.values(), ids=lambda x: x.ufunc.__name__)
every_cut = pytest.mark.parametrize(
    ("line", "pair", "cut"),
    [
        pytest.param(line, pair, cut, id=f"{line.ufunc.__name__}-{pair}-{cut.operand}")
        for line in SECOND_ORDER.values()
        for pair, cuts in line.cuts.items()
        for cut in cuts
    ],
)


# --- the oracle -------------------------------------------------------------------


def rule_of(line: Curvature) -> Rule:
    """The first-order line, with the domain of the second-order one."""
    rule = FIRST_ORDER[line.ufunc]
    return rule if line.domain is None else replace(rule, domain=line.domain)


def stencil(pair: Pair) -> list[tuple[int, int, int]]:
    """Weights, and how many steps they stand away in either input of the pair."""
    if pair[0] == pair[1]:
        return [(1, 1, 0), (-2, 0, 0), (1, -1, 0)]
    return [(1, 1, 1), (-1, 1, -1), (-1, -1, 1), (1, -1, -1)]


def second_derivative(rule: Rule, inputs: list[NDArray[Any]], pair: Pair) -> Derivative:
    """Per output, at which points the second partial derivative is non-zero, and known.

    It is non-zero where second differences with the steps h, h/2, h/4 and h/8 all exceed
    what rounding makes of the values, and the quotients agree.  With a kink at a distance d
    the quotient is like (h - d) / h**2, and no d makes these agree at three steps; with a
    jump the difference is a constant, and the quotients quadruple.  Four steps take some 64
    jumps for a curve.
    """
    width, other_width = (rule.domain[k][1] - rule.domain[k][0] for k in pair)

    def moved(by: float, other_by: float) -> tuple[NDArray[Any], ...]:
        at = list(inputs)
        at[pair[0]] = at[pair[0]] + by * width
        at[pair[1]] = at[pair[1]] + other_by * other_width
        return evaluate(rule.ufunc, at)

    samples = [
        [(weight, moved(i * step, j * step)) for weight, i, j in stencil(pair)] for step in STEPS
    ]
    return [_judged(samples, output) for output in range(rule.ufunc.nout)]


def _judged(
    samples: list[list[tuple[int, tuple[NDArray[Any], ...]]]], output: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    with np.errstate(all="ignore"):
        weighted = [[(weight, values[output]) for weight, values in s] for s in samples]
        differences = [sum(weight * value for weight, value in s) for s in weighted]
        noise = [RTOL * np.max([np.abs(v) for _, v in s], axis=0) + ATOL for s in weighted]
        defined = np.all([np.isfinite(d) for d in differences], axis=0)
        nonzero = defined.copy()
        for difference, bound in zip(differences, noise, strict=True):
            nonzero &= np.abs(difference) > bound
        quotients = [d * 4.0**power for power, d in enumerate(differences)]
        for wide, narrow in pairwise(quotients):
            nonzero &= np.abs(wide - narrow) <= AGREEMENT * np.abs(narrow)
    return nonzero, defined


def measurable(rule: Rule) -> list[Pair]:
    """Pairs of inputs that can be moved by a small step."""
    nan = NAN_BETWEEN_WHOLE_NUMBERS.get(rule.ufunc, set())
    inputs = set(real_inputs(rule.ufunc)) - nan
    return [pair for pair in pairs(rule.ufunc.nin) if inputs.issuperset(pair)]


@cache
def evidence(
    ufunc: np.ufunc, domain: tuple[tuple[float, float], ...]
) -> tuple[set[tuple[int, Pair]], set[tuple[int, Pair]]]:
    """What numerical derivatives say of one ufunc: (output, pair) non-zero, and known."""
    rule = replace(FIRST_ORDER[ufunc], domain=domain)
    rng = np.random.default_rng(0)
    nonzero, known = set(), set()
    for pair in measurable(rule):
        inputs = draw(rule, rng)
        for k in rule.integers.intersection(pair):
            inputs[k] = inputs[k] + rng.uniform(0.1, 0.9, inputs[k].shape)
        for output, (found, defined) in enumerate(second_derivative(rule, inputs, pair)):
            if found.any():
                nonzero.add((output, pair))
            if defined.mean() >= ENOUGH:
                known.add((output, pair))
    return nonzero, known


def measured(line: Curvature) -> tuple[set[tuple[int, Pair]], set[tuple[int, Pair]]]:
    domain = tuple((float(low), float(high)) for low, high in rule_of(line).domain)
    return evidence(line.ufunc, domain)


def claimed(line: Curvature) -> set[tuple[int, Pair]]:
    return {
        (output, pair)
        for output, letters in enumerate(line.seconds)
        for pair, letter in zip(pairs(line.ufunc.nin), letters, strict=True)
        if letter == "1"
    }


def missing(line: Curvature) -> set[tuple[int, Pair]]:
    return measured(line)[0] - claimed(line)


def extra(line: Curvature) -> set[tuple[int, Pair]]:
    return claimed(line) - measured(line)[0]


def without_evidence(line: Curvature) -> set[tuple[int, Pair]]:
    """Pairs that could be measured, but whose domain gave too few finite values."""
    wanted = {(o, pair) for o in range(line.ufunc.nout) for pair in measurable(rule_of(line))}
    return wanted - measured(line)[1]


# --- the letters ------------------------------------------------------------------


@every_line
def test_nothing_is_missing(line: Curvature) -> None:
    assert not missing(line)


@every_line
def test_nothing_is_extra_unless_it_says_why(line: Curvature) -> None:
    assert bool(extra(line)) == bool(line.conservative)


@every_line
def test_the_domain_gives_evidence(line: Curvature) -> None:
    assert not without_evidence(line)


def contradictions(line: Curvature) -> set[tuple[int, Pair]]:
    """Second derivatives in an input whose first derivative is zero."""
    partials = FIRST_ORDER[line.ufunc].partials
    return {(o, pair) for o, pair in claimed(line) if "0" in {partials[o][k] for k in pair}}


@every_line
def test_a_zero_first_derivative_has_zero_second_ones(line: Curvature) -> None:
    assert not contradictions(line)


def test_a_wrong_letter_is_found() -> None:
    def line(ufunc: np.ufunc, *seconds: str) -> Curvature:
        return replace(SECOND_ORDER[ufunc], seconds=seconds)

    assert missing(line(np.sin, "0")) == {(0, (0, 0))}
    assert extra(line(np.negative, "1")) == {(0, (0, 0))}
    assert missing(line(np.multiply, "000")) == {(0, (0, 1))}
    assert extra(line(np.divide, "111")) == {(0, (0, 0))}
    assert missing(line(special.jv, "011")) == {(0, (0, 0))}
    assert missing(line(special.ellipj, "111", "101", "111", "111")) == {(1, (0, 1))}
    assert extra(line(special.nrdtrisd, "010111")) == {(0, (2, 2))}
    assert contradictions(line(special.expn, "101")) == {(0, (0, 0))}
    assert contradictions(line(np.modf, "0", "1")) == {(1, (0, 0))}


@pytest.mark.parametrize(
    "ufunc", [np.absolute, np.maximum, np.remainder, np.divmod, np.frexp], ids=lambda u: u.__name__
)
def test_kinks_and_jumps_are_no_curvature(ufunc: np.ufunc) -> None:
    rule = FIRST_ORDER[ufunc]
    for seed in range(100):
        inputs = draw(rule, np.random.default_rng(seed))
        for pair in pairs(ufunc.nin):
            assert not any(found.any() for found, _ in second_derivative(rule, inputs, pair))


def test_a_useless_domain_is_found() -> None:
    line = replace(SECOND_ORDER[np.log], domain=[(-2.0, -1.0)])
    assert without_evidence(line) == {(0, (0, 0))}
    assert extra(replace(SECOND_ORDER[special.huber], domain=[(2.0, 3.0), (-1.0, 1.0)])) == {
        (0, (0, 0)),
        (0, (0, 1)),
    }


# --- the cuts ---------------------------------------------------------------------


def constants(rule: Rule, operand: int) -> NDArray[Any]:
    low, high = rule.domain[operand]
    infinities = INFINITIES if rule.ufunc in NUMPY_RULES else ()
    drawn = np.random.default_rng(2).uniform(low, high, 4)
    values = np.array([*SPECIAL_VALUES, *infinities, *drawn])
    if operand in rule.integers or not takes_reals(rule.ufunc, operand):
        values = values[np.isfinite(values) & (values == np.floor(values))]
    return values


def with_constant(rule: Rule, operand: int, constant: float) -> list[NDArray[Any]]:
    inputs = draw(rule, np.random.default_rng(3))
    whole = inputs[operand].dtype.kind == "i"
    inputs[operand] = np.full(len(inputs[operand]), int(constant) if whole else constant)
    return inputs


def beside(rule: Rule, operand: int, constant: float, pair: Pair) -> Derivative:
    """The second derivative where one operand is a constant."""
    return second_derivative(rule, with_constant(rule, operand, constant), pair)


def is_cut_first(rule: Rule, pair: Pair, operand: int, constant: float) -> bool:
    cuts = [rule.cuts[k] for k in pair if k in rule.cuts]
    return any(c.operand == operand and c.vanishes(np.array(constant)) for c in cuts)


def is_cut(line: Curvature, pair: Pair, operand: int, constant: float) -> bool:
    return is_cut_first(FIRST_ORDER[line.ufunc], pair, operand, constant) or any(
        cut.operand == operand and bool(cut.vanishes(np.array(constant)))
        for cut in line.cuts.get(pair, ())
    )


@every_cut
def test_a_cut_is_of_a_curvature(line: Curvature, pair: Pair, cut: Cut) -> None:
    assert pair in {claimed_pair for _, claimed_pair in claimed(line)}


@every_cut
def test_a_cut_repeats_none_of_first_order(line: Curvature, pair: Pair, cut: Cut) -> None:
    rule = FIRST_ORDER[line.ufunc]
    values = constants(rule, cut.operand)
    satisfying = values[cut.vanishes(values)]
    assert not all(is_cut_first(rule, pair, cut.operand, value) for value in satisfying)


@every_cut
def test_the_second_derivative_vanishes(line: Curvature, pair: Pair, cut: Cut) -> None:
    values = constants(rule_of(line), cut.operand)
    satisfying = values[cut.vanishes(values)]
    assert satisfying.size
    for value in satisfying:
        for found, defined in beside(rule_of(line), cut.operand, value, pair):
            assert not found.any(), f"operand {value}"
            if OLD_SCIPY and line.ufunc in NAN_BEFORE_SCIPY_1_17:
                continue
            if not (SINCE_SCIPY_1_18 and line.ufunc in NAN_SINCE_SCIPY_1_18):
                assert defined.mean() >= ENOUGH_OF_A_CUT, f"operand {value}"


@every_cut
def test_the_second_derivative_stays_for_other_constants(
    line: Curvature, pair: Pair, cut: Cut
) -> None:
    rule = rule_of(line)
    values = constants(rule, cut.operand)
    others = [v for v in values if not is_cut(line, pair, cut.operand, v)]
    assert any(found.any() for v in others for found, _ in beside(rule, cut.operand, v, pair))


@pytest.mark.parametrize(
    ("ufunc", "pair", "wrong"),
    [
        (np.power, (0, 0), Cut(1, is_zero)),
        (special.eval_legendre, (1, 1), Cut(0, is_zero)),
    ],
    ids=["power", "eval_legendre"],
)
def test_a_cut_that_first_order_has_is_found(ufunc: np.ufunc, pair: Pair, wrong: Cut) -> None:
    with pytest.raises(AssertionError):
        test_a_cut_repeats_none_of_first_order(SECOND_ORDER[ufunc], pair, wrong)


@pytest.mark.parametrize(
    ("ufunc", "pair", "wrong"),
    [
        (np.hypot, (0, 0), Cut(1, is_one)),
        (special.eval_jacobi, (1, 3), Cut(0, is_one)),
        (special.hyp2f1, (0, 2), Cut(1, is_one)),
    ],
    ids=["hypot", "eval_jacobi", "hyp2f1"],
)
def test_a_wrong_cut_is_found(ufunc: np.ufunc, pair: Pair, wrong: Cut) -> None:
    with pytest.raises(AssertionError, match=r"operand 1\.0"):
        test_the_second_derivative_vanishes(SECOND_ORDER[ufunc], pair, wrong)


def flat_pairs(rule: Rule, operand: int, constant: float, candidates: list[Pair]) -> set[Pair]:
    """Those of the pairs whose second derivatives measure as zero beside a constant."""
    inputs = with_constant(rule, operand, constant)
    few = [x[:8] for x in inputs]
    flat = set()
    for pair in candidates:
        if any(found.any() for found, _ in second_derivative(rule, few, pair)):
            continue
        all_of_them = second_derivative(rule, inputs, pair)
        if not any(f.any() for f, _ in all_of_them) and all(
            d.mean() >= ENOUGH for _, d in all_of_them
        ):
            flat.add(pair)
    return flat


def uncut(line: Curvature) -> set[tuple[int, float, Pair]]:
    """Operand, constant and pair: a derivative is zero, and no cut says so."""
    rule = rule_of(line)
    nonzero = {pair for _, pair in claimed(line)} & set(measurable(rule))
    found = set()
    for operand in range(line.ufunc.nin):
        kept = NO_ONE_SOLUTION.get((line.ufunc, operand), set())
        kept = kept | KEPT.get((line.ufunc, operand), set())
        tried = constants(rule, operand)
        tried = tried[np.isin(tried, PLAIN_CONSTANTS) | np.isinf(tried)]
        for constant in set(tried.tolist()) - kept:
            candidates = [
                pair
                for pair in sorted(nonzero)
                if operand not in pair and not is_cut(line, pair, operand, constant)
            ]
            flat = flat_pairs(rule, operand, constant, candidates)
            found |= {(operand, constant, pair) for pair in flat}
    return found


@every_line
def test_no_cut_is_missing(line: Curvature) -> None:
    if OLD_SCIPY and line.ufunc in SPECIAL_RULES:
        pytest.skip("more searches end at a constant, where SciPy 1.17 gives NaN or infinity")
    if SINCE_SCIPY_1_18 and line.ufunc is special.bdtrik:
        pytest.skip("constant for no trials and for p == 0, where SciPy 1.17 gives NaN")
    assert not uncut(line)


def test_a_missing_cut_is_found() -> None:
    power = replace(SECOND_ORDER[np.power], cuts={})
    assert (1, 1.0, (0, 0)) in uncut(power)
    chebyt = replace(SECOND_ORDER[special.eval_chebyt], cuts={(1, 1): [Cut(0, is_one)]})
    assert uncut(chebyt) == {(1, 1.0, (0, 0)), (0, -1.0, (1, 1))}


# --- the tables -------------------------------------------------------------------


def test_both_orders_have_the_same_ufuncs() -> None:
    assert set(NUMPY_CURVATURES) == set(NUMPY_RULES)
    assert set(SPECIAL_CURVATURES) == set(SPECIAL_RULES)
    assert set(SECOND_ORDER) == set(FIRST_ORDER)
    assert all(line.ufunc is ufunc for ufunc, line in SECOND_ORDER.items())


def test_both_orders_have_the_same_order_of_lines() -> None:
    assert list(SECOND_ORDER) == list(FIRST_ORDER)


def _table_of(ufunc: np.ufunc) -> CurvatureTable:
    table = CurvatureTable()
    table.curvature(ufunc, "1")
    return table


def test_a_ufunc_in_two_tables_is_refused() -> None:
    with pytest.raises(ValueError, match="rules in two tables: sin"):
        _united(NUMPY_CURVATURES, _table_of(np.sin))


def test_a_second_line_is_refused() -> None:
    table = _table_of(np.abs)
    with pytest.raises(ValueError, match="absolute has a second-order rule already"):
        table.curvature(np.absolute, "1")


def test_pairs_are_in_row_order() -> None:
    assert pairs(1) == ((0, 0),)
    assert pairs(2) == ((0, 0), (0, 1), (1, 1))
    for nin in range(1, 6):
        assert len(pairs(nin)) == nin * (nin + 1) // 2
        assert list(pairs(nin)) == list(zip(*np.triu_indices(nin), strict=True))


def test_cuts_of_several_pairs() -> None:
    zero, one = Cut(1, is_zero), Cut(1, is_one)
    assert among("02", zero) == {(0, 0): [zero], (0, 2): [zero], (2, 2): [zero]}
    assert united(among("0", zero), among("02", one)) == {
        (0, 0): [zero, one],
        (0, 2): [one],
        (2, 2): [one],
    }


@pytest.mark.parametrize(
    ("ufunc", "seconds", "cuts", "domain", "message"),
    [
        (np.sin, ("1", "1"), {}, None, "one string per output, 1 wanted"),
        (np.modf, ("1",), {}, None, "one string per output, 2 wanted"),
        (np.multiply, ("01",), {}, None, "one letter 0 or 1 per pair of inputs, 3 wanted"),
        (np.multiply, ("01x",), {}, None, "one letter 0 or 1 per pair of inputs, 3 wanted"),
        (np.power, ("111",), {(1, 0): []}, None, r"\(1, 0\) is no pair of inputs"),
        (np.power, ("111",), {(0, 2): []}, None, r"\(0, 2\) is no pair of inputs"),
        (np.power, ("111",), {(0, 0): [Cut(0, is_one)]}, None, "an operand outside the pair"),
        (np.power, ("111",), {(0, 0): [Cut(2, is_one)]}, None, "an operand outside the pair"),
        (np.sin, ("1",), {}, [(0.0, 1.0), (0.0, 1.0)], "one interval per input, 1 wanted"),
    ],
)
def test_a_malformed_line_is_refused(
    ufunc: np.ufunc, seconds: tuple[str, ...], cuts: Any, domain: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        CurvatureTable().curvature(ufunc, *seconds, cuts=cuts, domain=domain)
