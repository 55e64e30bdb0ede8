"""The rule tables against numerical derivatives; everything is read from the lines."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from oracles import nonzero_derivative
from sparsetrace.rules import FIRST_ORDER, Cut, Rule, _united, predicates
from sparsetrace.rules.first_order import RuleTable
from sparsetrace.rules.numpy_ufuncs import NUMPY_RULES
from sparsetrace.rules.special_ufuncs import GENERALISED, SPECIAL_RULES

POINTS = 80
#: Inverses found by iteration are good to about ten digits.
RTOL = 1e-8

#: Gufuncs: their outputs depend on whole vectors, so that no letter describes them.
CORE_DIMENSIONS = ("matmul", "matvec", "vecdot", "vecmat")

#: Inputs that no loop takes as real numbers, hence with no derivative to measure.
#: (np.isnat takes dates alone, which differentiate as little.)
NO_REAL_LOOP = {
    np.isnat: {0},
    np.bitwise_and: {0, 1},
    np.bitwise_or: {0, 1},
    np.bitwise_xor: {0, 1},
    np.bitwise_count: {0},
    np.invert: {0},
    np.left_shift: {0, 1},
    np.right_shift: {0, 1},
    np.gcd: {0, 1},
    np.lcm: {0, 1},
    np.ldexp: {1},
    special.eval_hermite: {0},
    special.eval_hermitenorm: {0},
}

#: Inputs between whole numbers at which the function is NaN, so that it has no
#: derivative either; `test_nan_between_whole_numbers` shows it.
NAN_BETWEEN_WHOLE_NUMBERS = {
    special.lpmv: {0},
    special.mathieu_a: {0},
    special.mathieu_b: {0},
    special.mathieu_cem: {0},
    special.mathieu_sem: {0},
    special.mathieu_modcem1: {0},
    special.mathieu_modcem2: {0},
    special.mathieu_modsem1: {0},
    special.mathieu_modsem2: {0},
    special.pro_cv: {0, 1},
    special.obl_cv: {0, 1},
    special.pro_ang1: {0, 1},
    special.obl_ang1: {0, 1},
    special.pro_rad1: {0, 1},
    special.obl_rad1: {0, 1},
    special.pro_rad2: {0, 1},
    special.obl_rad2: {0, 1},
    special.pro_ang1_cv: {0, 1},
    special.obl_ang1_cv: {0, 1},
    special.pro_rad1_cv: {0, 1},
    special.obl_rad1_cv: {0, 1},
    special.pro_rad2_cv: {0, 1},
    special.obl_rad2_cv: {0, 1},
}

#: Constants tried in the operand of a cut, besides those drawn from its domain.
SPECIAL_VALUES = (0.0, 1.0, -1.0, 0.5, 2.0, -2.5, np.inf, -np.inf)

every_rule = pytest.mark.parametrize("rule", FIRST_ORDER.values(), ids=lambda r: r.ufunc.__name__)
every_cut = pytest.mark.parametrize(
    ("rule", "position", "cut"),
    [(rule, i, cut) for rule in FIRST_ORDER.values() for i, cut in rule.cuts.items()],
    ids=lambda item: item.ufunc.__name__ if isinstance(item, Rule) else None,
)


def takes_reals(ufunc: np.ufunc, position: int) -> bool:
    return any(loop.split("->")[0][position] in "efdgFDG" for loop in ufunc.types)


def real_inputs(ufunc: np.ufunc) -> list[int]:
    return [i for i in range(ufunc.nin) if takes_reals(ufunc, i)]


def draw(rule: Rule, rng: np.random.Generator) -> list[NDArray[Any]]:
    inputs = [rng.uniform(low, high, POINTS) for low, high in rule.domain]
    for i in range(rule.ufunc.nin):
        if i in rule.integers:
            inputs[i] = np.floor(inputs[i])
        if not takes_reals(rule.ufunc, i):
            inputs[i] = inputs[i].astype(int)
    return inputs


def evaluate(ufunc: np.ufunc, inputs: Iterable[Any]) -> tuple[NDArray[Any], ...]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # SciPy says so when it truncates an order to a whole number.
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        outputs = ufunc(*inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return tuple(np.asarray(v) if np.iscomplexobj(v) else np.asarray(v, float) for v in outputs)


def derivative(
    rule: Rule, inputs: list[NDArray[Any]], position: int
) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Per output, at which points the partial derivative is non-zero, and known."""
    low, high = rule.domain[position]
    step = 1e-3 * (high - low)

    def moved(by: float) -> tuple[NDArray[Any], ...]:
        return evaluate(rule.ufunc, [x + by if i == position else x for i, x in enumerate(inputs)])

    steps = [(moved(step / part), moved(-step / part)) for part in (1, 2, 4)]
    return [
        nonzero_derivative(*((above[j], below[j]) for above, below in steps), rtol=RTOL)
        for j in range(rule.ufunc.nout)
    ]


@dataclass(frozen=True)
class Evidence:
    """What numerical derivatives say of one rule: (output, input) pairs."""

    nonzero: set[tuple[int, int]]
    known: set[tuple[int, int]]


def measure(rule: Rule) -> Evidence:
    rng = np.random.default_rng(0)
    nonzero, known = set(), set()
    for i in real_inputs(rule.ufunc):
        inputs = draw(rule, rng)
        if i in rule.integers:
            inputs[i] = inputs[i] + rng.uniform(0.1, 0.9, POINTS)
        for j, (found, defined) in enumerate(derivative(rule, inputs, i)):
            if found.any():
                nonzero.add((j, i))
            if np.count_nonzero(defined) >= POINTS // 2:
                known.add((j, i))
    return Evidence(nonzero, known)


def claimed(rule: Rule) -> set[tuple[int, int]]:
    return {
        (j, i)
        for j, letters in enumerate(rule.partials)
        for i, letter in enumerate(letters)
        if letter == "1"
    }


def missing(rule: Rule) -> set[tuple[int, int]]:
    return measure(rule).nonzero - claimed(rule)


def extra(rule: Rule) -> set[tuple[int, int]]:
    return claimed(rule) - measure(rule).nonzero


def without_evidence(rule: Rule) -> set[tuple[int, int]]:
    """Pairs that could be measured, but whose domain gave no finite values."""
    unmeasured = NAN_BETWEEN_WHOLE_NUMBERS.get(rule.ufunc, set())
    wanted = {
        (j, i)
        for j in range(rule.ufunc.nout)
        for i in real_inputs(rule.ufunc)
        if i not in unmeasured
    }
    return wanted - measure(rule).known


# --- the letters ------------------------------------------------------------------


@every_rule
def test_nothing_is_missing(rule: Rule) -> None:
    assert not missing(rule)


@every_rule
def test_nothing_is_extra_unless_it_says_why(rule: Rule) -> None:
    assert bool(extra(rule)) == bool(rule.conservative)


@every_rule
def test_the_domain_gives_evidence(rule: Rule) -> None:
    assert not without_evidence(rule)


def test_whole_number_loops_are_the_named_ones() -> None:
    found = {
        ufunc: positions
        for ufunc in FIRST_ORDER
        if (positions := set(range(ufunc.nin)) - set(real_inputs(ufunc)))
    }
    assert found == NO_REAL_LOOP
    for ufunc, positions in NO_REAL_LOOP.items():
        assert not {i for _, i in claimed(FIRST_ORDER[ufunc])} & positions


@pytest.mark.parametrize("ufunc", NAN_BETWEEN_WHOLE_NUMBERS, ids=lambda u: u.__name__)
def test_nan_between_whole_numbers(ufunc: np.ufunc) -> None:
    rule = FIRST_ORDER[ufunc]
    rng = np.random.default_rng(1)
    whole = draw(rule, rng)
    assert all(np.isfinite(value).all() for value in evaluate(ufunc, whole))
    for i in NAN_BETWEEN_WHOLE_NUMBERS[ufunc]:
        between = list(whole)
        between[i] = whole[i] + rng.uniform(0.1, 0.9, POINTS)
        assert all(np.isnan(value).all() for value in evaluate(ufunc, between))


def test_a_wrong_letter_is_found() -> None:
    assert missing(replace(FIRST_ORDER[np.sin], partials=("0",))) == {(0, 0)}
    assert extra(replace(FIRST_ORDER[np.floor], partials=("1",))) == {(0, 0)}
    assert missing(replace(FIRST_ORDER[np.divmod], partials=("00", "10"))) == {(1, 1)}
    assert missing(replace(FIRST_ORDER[special.jv], partials=("01",))) == {(0, 0)}


def test_a_useless_domain_is_found() -> None:
    assert without_evidence(replace(FIRST_ORDER[np.log], domain=[(-2.0, -1.0)])) == {(0, 0)}


# --- the cuts ---------------------------------------------------------------------


def operand_values(rule: Rule, cut: Cut, *, satisfying: bool) -> list[float]:
    rng = np.random.default_rng(2)
    low, high = rule.domain[cut.operand]
    values = np.array([*SPECIAL_VALUES, *rng.uniform(low, high, 4)])
    if not takes_reals(rule.ufunc, cut.operand):
        values = values[values == np.floor(values)]
        values = values[np.isfinite(values)].astype(int)
    return list(values[cut.vanishes(values) == satisfying].tolist())


def with_operand(rule: Rule, cut: Cut, value: float) -> list[NDArray[Any]]:
    inputs = draw(rule, np.random.default_rng(3))
    inputs[cut.operand] = np.full(POINTS, value)
    return inputs


def _partly_whole(values: NDArray[Any]) -> NDArray[Any]:
    """Round half of the values: 0 and 1 are where many functions are exceptional."""
    return np.where(np.arange(len(values)) % 4 < 2, np.rint(values), values)


def varies(rule: Rule, position: int, cut: Cut, *, wide: bool) -> bool:
    """Whether the value changes with the argument although the derivative is cut."""
    rng = np.random.default_rng(4)
    low, high = rule.domain[position]
    margin = high - low if wide else 0.0
    for value in operand_values(rule, cut, satisfying=True):
        inputs = with_operand(rule, cut, value)
        inputs = [_partly_whole(x) if i != cut.operand else x for i, x in enumerate(inputs)]
        before = evaluate(rule.ufunc, inputs)
        inputs[position] = _partly_whole(rng.uniform(low - margin, high + margin, POINTS))
        after = evaluate(rule.ufunc, inputs)
        for a, b in zip(before, after, strict=True):
            undefined = np.isnan(a) | np.isnan(b)
            if not (undefined | np.isclose(a, b, rtol=1e-13, atol=0)).all():
                return True
    return False


@every_cut
def test_a_cut_is_of_a_dependency(rule: Rule, position: int, cut: Cut) -> None:
    assert position != cut.operand
    assert any(i == position for _, i in claimed(rule))


@every_cut
def test_the_derivative_vanishes(rule: Rule, position: int, cut: Cut) -> None:
    values = operand_values(rule, cut, satisfying=True)
    assert values
    for value in values:
        for found, defined in derivative(rule, with_operand(rule, cut, value), position):
            assert not found.any(), f"operand {value}"
            assert np.count_nonzero(defined) >= POINTS // 2, f"operand {value}"


@every_cut
def test_the_derivative_stays_for_other_constants(rule: Rule, position: int, cut: Cut) -> None:
    values = operand_values(rule, cut, satisfying=False)
    assert any(
        found.any()
        for value in values
        for found, _ in derivative(rule, with_operand(rule, cut, value), position)
    )


@every_cut
def test_the_value_is_constant_where_claimed(rule: Rule, position: int, cut: Cut) -> None:
    assert not varies(rule, position, cut, wide=False) or not cut.constant
    if not cut.constant:
        assert varies(rule, position, cut, wide=True)


def test_a_wrong_cut_is_found() -> None:
    wrong = replace(FIRST_ORDER[np.multiply], cuts={0: Cut(1, predicates.is_one)})
    with pytest.raises(AssertionError, match=r"operand 1\.0"):
        test_the_derivative_vanishes(wrong, 0, wrong.cuts[0])
    steps = replace(FIRST_ORDER[np.arctan2], cuts={1: Cut(0, predicates.is_zero)})
    with pytest.raises(AssertionError):
        test_the_value_is_constant_where_claimed(steps, 1, steps.cuts[1])


@pytest.mark.parametrize("name", predicates.__all__)
def test_predicates_take_any_number(name: str) -> None:
    predicate = getattr(predicates, name)
    for dtype in (bool, np.uint8, np.int64, np.float32, np.float64, np.complex128):
        for shape in ((), (1,), (2, 3), (0, 2)):
            answer = predicate(np.ones(shape, dtype))
            assert isinstance(answer, np.ndarray)
            assert answer.dtype == bool
            assert answer.shape == shape
    assert not predicate(np.array(np.nan))
    assert not predicate(np.array(complex(np.nan, 0.0)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("is_zero", [0, 0, 1, 0, 0, 0]),
        ("is_one", [0, 0, 0, 1, 0, 0]),
        ("is_zero_or_one", [0, 0, 1, 1, 0, 0]),
        ("is_nonzero", [1, 1, 0, 1, 1, 0]),
        ("is_infinite", [1, 0, 0, 0, 1, 0]),
        ("is_plus_infinity", [0, 0, 0, 0, 1, 0]),
        ("is_minus_infinity", [1, 0, 0, 0, 0, 0]),
        ("is_zero_or_infinite", [1, 0, 1, 0, 1, 0]),
    ],
)
def test_predicates(name: str, expected: list[int]) -> None:
    values = np.array([-np.inf, -2.0, -0.0, 1.0, np.inf, np.nan])
    np.testing.assert_array_equal(getattr(predicates, name)(values), np.array(expected, bool))


# --- completeness -----------------------------------------------------------------


def public_ufuncs(module: ModuleType) -> set[np.ufunc]:
    found = (getattr(module, name) for name in dir(module) if not name.startswith("_"))
    return {item for item in found if isinstance(item, np.ufunc)}


def unlisted(module: ModuleType, listed: Iterable[np.ufunc], exceptions: Iterable[str]) -> set[str]:
    names = {ufunc.__name__ for ufunc in public_ufuncs(module) - set(listed)}
    return names - set(exceptions)


def test_every_ufunc_has_a_line() -> None:
    assert unlisted(np, NUMPY_RULES, CORE_DIMENSIONS) == set()
    assert unlisted(special, SPECIAL_RULES, GENERALISED) == set()


def test_every_line_is_of_a_public_ufunc() -> None:
    assert set(NUMPY_RULES) <= public_ufuncs(np)
    assert set(SPECIAL_RULES) <= public_ufuncs(special)


def test_a_removed_line_is_found() -> None:
    assert unlisted(np, set(NUMPY_RULES) - {np.cbrt}, CORE_DIMENSIONS) == {"cbrt"}
    assert unlisted(special, set(SPECIAL_RULES) - {special.erf}, GENERALISED) == {"erf"}


def test_the_exceptions_are_gufuncs_without_a_line() -> None:
    for module, names in ((np, CORE_DIMENSIONS), (special, GENERALISED)):
        exceptions = {u for u in public_ufuncs(module) if u.__name__ in names}
        assert exceptions == {u for u in public_ufuncs(module) if u.signature is not None}
        assert not exceptions & set(FIRST_ORDER)


def test_the_union_has_both_tables_and_no_ufunc_twice() -> None:
    assert len(FIRST_ORDER) == len(NUMPY_RULES) + len(SPECIAL_RULES)
    assert all(rule.ufunc is ufunc for ufunc, rule in FIRST_ORDER.items())
    with pytest.raises(ValueError, match="rules in two tables: sin"):
        _united(NUMPY_RULES, _table_of(np.sin))


# --- the form of a line -------------------------------------------------------------


def _table_of(ufunc: np.ufunc) -> RuleTable:
    table = RuleTable()
    table.rule(ufunc, "1", domain=[(-1.0, 1.0)])
    return table


def test_a_second_line_is_refused() -> None:
    table = _table_of(np.abs)
    with pytest.raises(ValueError, match="absolute has a rule already"):
        table.rule(np.absolute, "1", domain=[(-1.0, 1.0)])


@pytest.mark.parametrize(
    ("partials", "domain", "message"),
    [
        (("1", "1"), [(0.0, 1.0)], "one string per output"),
        (("11",), [(0.0, 1.0)], "one letter 0 or 1 per input"),
        (("x",), [(0.0, 1.0)], "one letter 0 or 1 per input"),
        (("1",), [(0.0, 1.0), (0.0, 1.0)], "one interval per input"),
    ],
)
def test_a_malformed_line_is_refused(
    partials: tuple[str, ...], domain: list[tuple[float, float]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        RuleTable().rule(np.sin, *partials, domain=domain)
