"""The look-up of all records, and how the modules of topics write entries into it.

Contract: one record for each ufunc object; a second one is an error.  The topics of
``scipy.special`` are imported when the first ufunc is looked up that may be one of its own.
"""

from __future__ import annotations

import sys
from collections.abc import ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from threading import RLock
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

_OF_SCIPY = (
    "bessel discrete_distributions distributions elementary elliptic gamma hypergeometric "
    "polynomials".split()
)
"""The topics of ``scipy.special``, each a module of this package."""


class Records(dict[np.ufunc, Record]):
    """Records by their ufuncs; those of ``scipy.special`` come when somebody asks for one.

    None is asked for before ``scipy.special`` is imported, which takes longer than all the rest
    and which many functions do without.  Whoever goes through all records has them all.

    Examples
    --------
    >>> from scipy import special
    >>> RECORDS[special.erf].first
    ('1',)
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._begun = self._complete = False

    def complete(self) -> None:
        """Import what is left."""
        if self._complete:
            return
        with self._lock:  # other threads wait for the records, the topics themselves do not
            if not self._begun:
                self._begun = True
                for topic in _OF_SCIPY:
                    import_module(f"sparsetrace.rules.special_{topic}")
                self._complete = True

    def __contains__(self, function: object) -> bool:
        if dict.__contains__(self, function):
            return True
        if self._complete or "scipy.special" not in sys.modules:
            return False
        self.complete()
        return dict.__contains__(self, function)

    def __missing__(self, function: np.ufunc) -> Record:
        if function not in self:
            raise KeyError(function)
        return self[function]

    def get(self, function: np.ufunc, default: Any = None) -> Any:
        self.__contains__(function)
        return dict.get(self, function, default)

    def __setitem__(self, function: np.ufunc, record: Record) -> None:
        if function in self:  # what comes later would replace it
            dict.__delitem__(self, function)
        dict.__setitem__(self, function, record)

    def __iter__(self) -> Iterator[np.ufunc]:
        self.complete()
        return dict.__iter__(self)

    def __len__(self) -> int:
        self.complete()
        return dict.__len__(self)

    def keys(self) -> KeysView[np.ufunc]:  # type: ignore[override]
        self.complete()
        return dict.keys(self)

    def values(self) -> ValuesView[Record]:  # type: ignore[override]
        self.complete()
        return dict.values(self)

    def items(self) -> ItemsView[np.ufunc, Record]:  # type: ignore[override]
        self.complete()
        return dict.items(self)


RECORDS = Records()
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
    if dict.__contains__(RECORDS, record.ufunc):  # topics ask for no others: they import no topic
        raise ValueError(f"{record.ufunc.__name__} has a record already")
    dict.__setitem__(RECORDS, record.ufunc, record)


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
