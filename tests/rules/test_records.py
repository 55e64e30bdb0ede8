"""The form of an entry: what may be left out, what is derived, what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import special

from sparsetrace.rules import RECORDS, Cut, pairs, predicates, record_of
from sparsetrace.rules.entries import same_as, ufunc
from sparsetrace.rules.record import Guard, nonzero_pairs


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> np.ufunc:
    """A ufunc of two inputs without a record, and no entry of which stays."""
    for function, record in list(RECORDS.items()):
        monkeypatch.setitem(RECORDS, function, record)
    function = np.frompyfunc(lambda x, y: x, 2, 1)
    monkeypatch.setitem(RECORDS, function, RECORDS[np.add])
    del RECORDS[function]
    return function


def test_what_is_left_out(foreign: np.ufunc) -> None:
    ufunc(foreign, "10")
    record = RECORDS[foreign]
    assert (record.first, record.second) == (("10",), ("100",))
    assert record.domain == ((-3.0, 3.0), (-3.0, 3.0))
    assert not record.cuts
    assert not record.cuts2
    assert not record.integers


def test_one_string_and_one_interval_stand_for_all() -> None:
    record = RECORDS[special.ellipj]
    assert record.first == ("11",) * 4
    assert record.second == ("111",) * 4
    assert RECORDS[np.hypot].domain == ((-3.0, 3.0), (-3.0, 3.0))


def test_inputs_and_pairs_are_written_as_strings(foreign: np.ufunc) -> None:
    def zero(x: Any, y: Any) -> Any:
        return y == 0

    ufunc(foreign, "11", zero={"0 1": zero}, zero2={"00 11": zero}, stepwise="1")
    record = RECORDS[foreign]
    assert record.zero == record.cuts == {0: zero, 1: zero}
    assert record.zero2 == record.cuts2 == {(0, 0): zero, (1, 1): zero}
    assert record.stepwise == {1}


def test_what_is_said_of_constants_takes_the_place_of_what_follows(foreign: np.ufunc) -> None:
    ufunc(
        foreign,
        "11",
        zero={"0": lambda x, y: y == 0, "1": lambda x, y: x == 0},
        cut={"0": lambda x, y: y == 1},
        guard=Guard.NONE,  # the ufunc gives objects
    )
    record, values = RECORDS[foreign], np.array([0.0, 1.0, np.nan])
    assert record.cut_beside(0, values).tolist() == [False, True, False]
    assert record.cut_beside(1, values).tolist() == [True, False, False]
    assert record.zero_at(0, [np.ones(3), values]).tolist() == [True, False, False]
    assert RECORDS[np.add].cut_beside(0, values) is None
    assert record.cut2_by((0, 0), [values, values]) is None


def test_nothing_stands_beside_all_inputs() -> None:
    assert not RECORDS[np.square].cuts
    assert not RECORDS[np.sin].cuts2
    assert set(RECORDS[np.hypot].cuts2) == {(0, 0), (1, 1)}


def test_a_second_record_is_refused() -> None:
    with pytest.raises(ValueError, match="absolute has a record already"):
        ufunc(np.abs, "1")
    with pytest.raises(ValueError, match="absolute has a record already"):
        same_as(np.absolute, np.fabs)


def test_the_record_of_another_ufunc() -> None:
    assert RECORDS[np.fmax] == replace(RECORDS[np.maximum], ufunc=np.fmax)
    assert RECORDS[special.bdtrc].zero2 == RECORDS[special.bdtr].zero2
    with pytest.raises(ValueError, match="one letter 0 or 1 per input, 1 wanted"):
        same_as(np.frompyfunc(lambda x: x, 1, 1), np.add)


def test_an_unknown_ufunc_is_nonlinear_in_everything() -> None:
    foreign = np.frompyfunc(lambda x, y: (x, y), 2, 2)
    record = record_of(foreign)
    assert (record.first, record.second) == (("11",) * 2, ("111",) * 2)
    assert foreign not in RECORDS
    assert record_of(np.add) is RECORDS[np.add]


def test_pairs_are_in_row_order() -> None:
    assert pairs(1) == ((0, 0),)
    assert pairs(2) == ((0, 0), (0, 1), (1, 1))
    for nin in range(1, 6):
        assert len(pairs(nin)) == nin * (nin + 1) // 2
        assert list(pairs(nin)) == list(zip(*np.triu_indices(nin), strict=True))


def test_letters_of_second_order_that_follow() -> None:
    assert nonzero_pairs("1") == "1"
    assert nonzero_pairs("01") == "001"
    assert nonzero_pairs("0011") == "0000000111"


def test_a_cut_of_a_registered_rule() -> None:
    cut = Cut(1, lambda values: values == 0)
    assert cut(np.nan, np.array([0.0, 1.0])).tolist() == [True, False]


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (np.sin, {"first": ("1", "1")}, "one string per output, 1 wanted"),
        (np.sin, {"first": "11"}, "one letter 0 or 1 per input, 1 wanted"),
        (np.sin, {"first": "x"}, "one letter 0 or 1 per input, 1 wanted"),
        (np.sin, {"domain": [(0.0, 1.0), (0.0, 1.0)]}, "one interval per input, 1 wanted"),
        (np.sin, {"second": ("1", "1")}, "one string per output, 1 wanted"),
        (np.modf, {"first": "1", "second": ("1",)}, "one string per output, 2 wanted"),
        (np.multiply, {"second": "01"}, "one letter 0 or 1 per pair of inputs, 3 wanted"),
        (np.multiply, {"second": "01x"}, "one letter 0 or 1 per pair of inputs, 3 wanted"),
        (np.power, {"zero": {"2": np.isnan}}, "2 is no input"),
        (np.power, {"cut": {"2": np.isnan}}, "2 is no input"),
        (np.power, {"zero2": {"10": np.isnan}}, r"\(1, 0\) is no pair of inputs"),
        (np.power, {"cut2": {"02": np.isnan}}, r"\(0, 2\) is no pair of inputs"),
        (np.power, {"infinite2": {"02": np.isnan}}, r"\(0, 2\) is no pair of inputs"),
    ],
)
def test_a_malformed_entry_is_refused(
    function: np.ufunc, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ufunc(function, **{"first": "1" * function.nin, **options})


@pytest.mark.parametrize("name", [n for n in predicates.__all__ if n.startswith("is_")])
def test_predicates_of_values_take_any_number(name: str) -> None:
    predicate = getattr(predicates, name)
    arguments = (1.0,) if name == "is_one_of" else ()
    for dtype in (bool, np.uint8, np.int64, np.float32, np.float64, np.complex128):
        for shape in ((), (1,), (2, 3), (0, 2)):
            answer = np.asarray(predicate(np.ones(shape, dtype), *arguments))
            assert answer.dtype == bool
            assert answer.shape == shape
    assert not predicate(np.array(np.nan), *arguments)
    assert not predicate(np.array(complex(np.nan, 0.0)), *arguments)


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (predicates.at(0), [0, 0, 1, 0, 0, 0]),
        (predicates.at(0, 1), [0, 0, 1, 1, 0, 0]),
        (predicates.at_infinities, [1, 0, 0, 0, 1, 0]),
        (predicates.is_finite_whole, [0, 1, 1, 1, 0, 0]),
        (predicates.is_rough, [0, 0, 0, 0, 0, 0]),
    ],
)
def test_predicates(predicate: Any, expected: list[int]) -> None:
    values = np.array([-np.inf, -2.0, -0.0, 1.0, np.inf, np.nan])
    np.testing.assert_array_equal(predicate(values), np.array(expected, bool))


def test_rough_exponents() -> None:
    exponents = np.array([0.5, 1.0, 1.5, 2.0, 1.5 + 1j])
    assert predicates.is_rough(exponents).tolist() == [True, False, True, False, True]
