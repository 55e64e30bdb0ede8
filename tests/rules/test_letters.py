"""The letters of the records against numerical derivatives, and that no ufunc is left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from measured_ufuncs import (
    NAN_BETWEEN_WHOLE_NUMBERS,
    NO_REAL_LOOP,
    POINTS,
    claimed,
    claimed2,
    draw,
    evaluate,
    first_evidence,
    measurable,
    name_of,
    public_ufuncs,
    real_inputs,
    second_derivative,
    second_evidence,
)
from scipy import special

from sparsetrace.rules import RECORDS, Record, pairs
from sparsetrace.rules.numpy_comparisons import CLIP
from sparsetrace.rules.record import Pair

#: Gufuncs: their outputs depend on whole vectors, so that no letter describes them.
CORE_DIMENSIONS = ("matmul", "matvec", "vecdot", "vecmat")
#: Ufuncs of ``scipy.special`` with core dimensions: none.
GENERALISED: tuple[str, ...] = ()

every_record = pytest.mark.parametrize("record", RECORDS.values(), ids=name_of)


def domain_of(record: Record) -> tuple[tuple[float, float], ...]:
    return tuple((float(low), float(high)) for low, high in record.domain)


def missing(record: Record) -> set[tuple[int, int]]:
    return first_evidence(record.ufunc, domain_of(record))[0] - claimed(record)


def extra(record: Record) -> set[tuple[int, int]]:
    return claimed(record) - first_evidence(record.ufunc, domain_of(record))[0]


def without_evidence(record: Record) -> set[tuple[int, int]]:
    """Pairs that could be measured, but whose domain gave no finite values."""
    unmeasured = NAN_BETWEEN_WHOLE_NUMBERS.get(record.ufunc, set())
    wanted = {
        (j, i)
        for j in range(record.ufunc.nout)
        for i in real_inputs(record.ufunc)
        if i not in unmeasured
    }
    return wanted - first_evidence(record.ufunc, domain_of(record))[1]


def missing2(record: Record) -> set[tuple[int, Pair]]:
    return second_evidence(record.ufunc, domain_of(record))[0] - claimed2(record)


def extra2(record: Record) -> set[tuple[int, Pair]]:
    return claimed2(record) - second_evidence(record.ufunc, domain_of(record))[0]


def without_evidence2(record: Record) -> set[tuple[int, Pair]]:
    """Pairs that could be measured, but whose domain gave too few finite values."""
    wanted = {(o, pair) for o in range(record.ufunc.nout) for pair in measurable(record)}
    return wanted - second_evidence(record.ufunc, domain_of(record))[1]


# --- first order --------------------------------------------------------------------


@every_record
def test_nothing_is_missing(record: Record) -> None:
    assert not missing(record)


@every_record
def test_nothing_is_extra_unless_it_says_why(record: Record) -> None:
    assert bool(extra(record)) == bool(record.conservative)


@every_record
def test_the_domain_gives_evidence(record: Record) -> None:
    assert not without_evidence(record)


def test_whole_number_loops_are_the_named_ones() -> None:
    found = {
        ufunc: positions
        for ufunc in RECORDS
        if (positions := set(range(ufunc.nin)) - set(real_inputs(ufunc)))
    }
    assert found == NO_REAL_LOOP
    for ufunc, positions in NO_REAL_LOOP.items():
        assert not {i for _, i in claimed(RECORDS[ufunc])} & positions


@pytest.mark.parametrize("ufunc", NAN_BETWEEN_WHOLE_NUMBERS, ids=lambda u: u.__name__)
def test_nan_between_whole_numbers(ufunc: np.ufunc) -> None:
    rng = np.random.default_rng(1)
    whole = draw(RECORDS[ufunc], rng)
    assert all(np.isfinite(value).all() for value in evaluate(ufunc, whole))
    for i in NAN_BETWEEN_WHOLE_NUMBERS[ufunc]:
        between = list(whole)
        between[i] = whole[i] + rng.uniform(0.1, 0.9, POINTS)
        assert all(np.isnan(value).all() for value in evaluate(ufunc, between))


def test_a_wrong_letter_is_found() -> None:
    assert missing(replace(RECORDS[np.sin], first=("0",))) == {(0, 0)}
    assert extra(replace(RECORDS[np.floor], first=("1",))) == {(0, 0)}
    assert missing(replace(RECORDS[np.divmod], first=("00", "10"))) == {(1, 1)}
    assert missing(replace(RECORDS[special.jv], first=("01",))) == {(0, 0)}


def test_a_useless_domain_is_found() -> None:
    assert without_evidence(replace(RECORDS[np.log], domain=[(-2.0, -1.0)])) == {(0, 0)}


# --- second order -------------------------------------------------------------------


@every_record
def test_nothing_is_missing_of_second_order(record: Record) -> None:
    assert not missing2(record)


@every_record
def test_nothing_is_extra_of_second_order_unless_it_says_why(record: Record) -> None:
    assert bool(extra2(record)) == bool(record.conservative2)


@every_record
def test_the_domain_gives_evidence_of_second_order(record: Record) -> None:
    assert not without_evidence2(record)


def contradictions(record: Record) -> set[tuple[int, Pair]]:
    """Second derivatives in an input whose first derivative is zero."""
    return {(o, pair) for o, pair in claimed2(record) if "0" in {record.first[o][k] for k in pair}}


@every_record
def test_a_zero_first_derivative_has_zero_second_ones(record: Record) -> None:
    assert not contradictions(record)


def test_a_wrong_letter_of_second_order_is_found() -> None:
    def record(ufunc: np.ufunc, *second: str) -> Record:
        return replace(RECORDS[ufunc], second=second)

    assert missing2(record(np.sin, "0")) == {(0, (0, 0))}
    assert extra2(record(np.negative, "1")) == {(0, (0, 0))}
    assert missing2(record(np.multiply, "000")) == {(0, (0, 1))}
    assert extra2(record(np.divide, "111")) == {(0, (0, 0))}
    assert missing2(record(special.jv, "011")) == {(0, (0, 0))}
    assert missing2(record(special.ellipj, "111", "101", "111", "111")) == {(1, (0, 1))}
    assert extra2(record(special.nrdtrisd, "010111")) == {(0, (2, 2))}
    assert contradictions(record(special.expn, "101")) == {(0, (0, 0))}
    assert contradictions(record(np.modf, "0", "1")) == {(1, (0, 0))}


@pytest.mark.parametrize(
    "ufunc", [np.absolute, np.maximum, np.remainder, np.divmod, np.frexp], ids=lambda u: u.__name__
)
def test_kinks_and_jumps_are_no_curvature(ufunc: np.ufunc) -> None:
    record = RECORDS[ufunc]
    for seed in range(100):
        inputs = draw(record, np.random.default_rng(seed))
        for pair in pairs(ufunc.nin):
            assert not any(found.any() for found, _ in second_derivative(record, inputs, pair))


def test_a_useless_domain_is_found_by_second_order() -> None:
    assert without_evidence2(replace(RECORDS[np.log], domain=[(-2.0, -1.0)])) == {(0, (0, 0))}
    assert extra2(replace(RECORDS[special.huber], domain=[(2.0, 3.0), (-1.0, 1.0)])) == {
        (0, (0, 0)),
        (0, (0, 1)),
    }


# --- completeness -------------------------------------------------------------------


def unlisted(module: ModuleType, listed: Iterable[np.ufunc], exceptions: Iterable[str]) -> set[str]:
    names = {ufunc.__name__ for ufunc in public_ufuncs(module) - set(listed)}
    return names - set(exceptions)


def test_every_ufunc_has_a_record() -> None:
    where = "write an entry for each into the module of its topic in sparsetrace/rules/"
    assert unlisted(np, RECORDS, CORE_DIMENSIONS) == set(), where
    assert unlisted(special, RECORDS, GENERALISED) == set(), where


def test_every_record_is_of_a_public_ufunc() -> None:
    assert set(RECORDS) - public_ufuncs(np) - public_ufuncs(special) <= {CLIP}
    assert all(record.ufunc is ufunc for ufunc, record in RECORDS.items())


def test_a_removed_record_is_found() -> None:
    assert unlisted(np, set(RECORDS) - {np.cbrt}, CORE_DIMENSIONS) == {"cbrt"}
    assert unlisted(special, set(RECORDS) - {special.erf}, GENERALISED) == {"erf"}


def test_the_exceptions_are_gufuncs_without_a_record() -> None:
    for module, names in ((np, CORE_DIMENSIONS), (special, GENERALISED)):
        exceptions = {u for u in public_ufuncs(module) if u.__name__ in names}
        assert exceptions == {u for u in public_ufuncs(module) if u.signature is not None}
        assert not exceptions & set(RECORDS)
