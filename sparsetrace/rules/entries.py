"""The look-up of all records, and how the modules of topics write entries into it.

Contract: one record for each ufunc object; a second one is an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from sparsetrace.rules.record import (
    NOTHING,
    Interval,
    Pair,
    Predicate,
    Record,
    nonzero_pairs,
    pairs,
)

__all__ = ["RECORDS", "record_of", "same_as", "ufunc"]

Said = Predicate | Mapping[str, Predicate] | None
"""Predicates by inputs or pairs of inputs: ``{"0 1": f, "2": g}``, ``{"00 01": f}``.

One of a ufunc with a single input needs no mapping."""

RECORDS: dict[np.ufunc, Record] = {}
"""The records, by the ufunc object itself."""


def record_of(function: np.ufunc) -> Record:
    """The record of a ufunc; of an unknown one, that it is nonlinear in everything.

    Examples
    --------
    >>> record_of(np.frompyfunc(lambda x, y: x, 2, 1)).second
    ('111',)
    """
    return RECORDS.get(function) or _unknown(function)


@lru_cache(maxsize=1024)
def _unknown(function: np.ufunc) -> Record:
    nin, nout = function.nin, function.nout
    first, second = ("1" * nin,) * nout, ("1" * len(pairs(nin)),) * nout
    return Record(function, first, second, ((-3.0, 3.0),) * nin)


def ufunc(
    function: np.ufunc,
    first: str | tuple[str, ...],
    second: str | tuple[str, ...] = "",
    *,
    domain: Interval | Sequence[Interval] = (-3.0, 3.0),
    zero: Said = None,
    zero2: Said = None,
    cut: Said = None,
    cut2: Said = None,
    stepwise: str = "",
    infinite: Predicate | None = None,
    infinite2: Said = None,
    integers: str = "",
    **options: Any,
) -> None:
    """Add the record of a ufunc; a second one is an error.

    One string of letters is that of every output, and one interval that of every input.
    `second` is by default non-zero where both first derivatives are.  Inputs and pairs of
    inputs are written as strings: ``integers="01"``, ``zero2={"00 01": f}``.
    """
    nin, nout = function.nin, function.nout
    if isinstance(first, str):
        first = (first,) * nout
    if not second:
        second = tuple(map(nonzero_pairs, first))
    elif isinstance(second, str):
        second = (second,) * nout
    intervals: Any = domain if isinstance(domain[0], tuple) else (domain,) * nin
    _add(
        Record(
            function,
            first,
            second,
            intervals,
            frozenset(map(int, integers)),
            _by_input(zero),
            _by_pair(zero2),
            cut=_by_input(cut),
            cut2=_by_pair(cut2),
            stepwise=frozenset(map(int, stepwise)),
            infinite=infinite,
            infinite2=_by_pair(infinite2),
            **options,
        )
    )


def same_as(function: np.ufunc, other: np.ufunc, **changes: Any) -> None:
    """Add a record that is another ufunc's, but for these fields."""
    _add(replace(RECORDS[other], ufunc=function, **changes))


def _add(record: Record) -> None:
    if record.ufunc in RECORDS:
        raise ValueError(f"{record.ufunc.__name__} has a record already")
    RECORDS[record.ufunc] = record


def _by_input(said: Said) -> dict[int, Predicate]:
    if said is None:
        return NOTHING
    if not isinstance(said, Mapping):
        return {0: said}
    return {int(i): predicate for inputs, predicate in said.items() for i in inputs.split()}


def _by_pair(said: Said) -> dict[Pair, Predicate]:
    if said is None:
        return NOTHING
    if not isinstance(said, Mapping):
        return {(0, 0): said}
    return {
        (int(pair[0]), int(pair[1])): predicate
        for some, predicate in said.items()
        for pair in some.split()
    }
