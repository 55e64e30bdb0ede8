"""Every traced function with each of its arguments, against NumPy and the oracles."""

from __future__ import annotations

import inspect
import warnings
from collections import defaultdict
from typing import Any, ClassVar

import numpy as np
import pytest
from expressions import INPUTS, check, function
from numpy.lib import NumpyVersion

from cases.arguments.tables import TABLES
from sparsetrace.numpy_rules.array_manipulation import MOVES
from sparsetrace.operands.implementations import IMPLEMENTED
from sparsetrace.operands.refusals import REFUSED
from sparsetrace.operands.registry import RULES


@pytest.mark.slow
@pytest.mark.parametrize(
    "calls",
    [
        pytest.param(calls, id=f"{title}-{name}")
        for title, table in TABLES.items()
        for name, calls in table.items()
    ],
)
def test_calls(calls):
    found = []
    for call, extra in calls:
        try:
            check(call, extra=extra)
        except Exception as error:
            found.append(f"{call}: {type(error).__name__}: {error}")
    assert not found, "\n".join(found)


# --------------------------------------------------------------- whether none is left out
#: Parameters that say nothing about dependencies.
IGNORED = frozenset("like device subok order kwargs".split())
#: Functions that give what is no number, or take what is no array of numbers.
WITHOUT_NUMBERS = frozenset(
    """
    array2string array_repr array_str can_cast common_type einsum_path frombuffer fromfile
    fromstring genfromtxt loadtxt may_share_memory min_scalar_type result_type shares_memory
    """.split()
)


#: Functions that are given no array, but make one: tests/numpy_rules/test_creation.py.
MAKING = frozenset(
    """
    arange array asanyarray asarray ascontiguousarray asfortranarray empty eye fromfunction fromiter
    full identity ones require tri zeros
    """.split()
)
#: Functions that take no array without elements, or none without dimensions, or that
#: answer nothing but the whole array.
NEVER_EMPTY = frozenset("cond poly roots tensorinv unravel_index".split())
NEVER_WITHOUT_DIMENSIONS = frozenset(
    """
    delete dsplit fliplr histogram2d histogramdd hsplit lexsort multi_dot nonzero poly
    put_along_axis ravel_multi_index roots rot90 sliding_window_view tensorinv triu unravel_index
    unstack vsplit
    """.split()
)


#: What is traced only where all values are known: tests/numpy_rules/test_whole_numbers.py.
OF_KNOWN_VALUES = frozenset(("trim_zeros",))


class Noted(np.ndarray):
    """An array that notes which function is given what."""

    seen: ClassVar[Any] = defaultdict(lambda: defaultdict(set))

    def __array_function__(self, func, types, args, kwargs):
        try:
            bound = inspect.signature(func).bind(*args, **kwargs).arguments
        except ValueError:  # before NumPy 2.4 compiled functions have no signature
            bound = dict(kwargs)
        for name, value in bound.items():
            Noted.seen[func][name] |= kinds(value)
        return super().__array_function__(func, types, args, kwargs)


def kinds(value):
    """What kinds of argument it is, its items included."""
    found = set()
    if isinstance(value, (list, tuple)):
        found |= set().union(*map(kinds, value))
    if isinstance(value, (np.ndarray, np.generic)):
        found |= {"empty"} if value.size == 0 else {"0-d"} if value.ndim == 0 else set()
    if isinstance(value, int) and value < 0:
        found.add("negative")
    return found


since_2_4 = pytest.mark.skipif(
    NumpyVersion(np.__version__) < "2.4.0", reason="older functions take other parameters"
)


@pytest.fixture(scope="module")
def seen():
    """For each function and parameter, what the calls above give."""
    v = np.linspace(0.5, 2.0, INPUTS).view(Noted)
    for table in TABLES.values():
        for call, _ in (call for calls in table.values() for call in calls):
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    function(call)(v)
                except Exception:
                    continue  # an error that the trace raises likewise
    return Noted.seen


def left_out(seen):
    """Functions, and what no call gives them."""
    found = {}
    for f in {*RULES, *MOVES, *IMPLEMENTED} - REFUSED.keys():  # sets are traced at a point
        name, given = f.__name__, seen.get(f, {})
        if name in WITHOUT_NUMBERS | MAKING | OF_KNOWN_VALUES:
            continue
        try:
            parameters = set(inspect.signature(f).parameters)
        except ValueError:  # compiled, before NumPy 2.4
            continue
        gaps = parameters - set(given) - IGNORED
        if not parameters.isdisjoint(("axis", "axes")) and "negative" not in set().union(
            given.get("axis", ()), given.get("axes", ())
        ):
            gaps.add("negative axis")
        every = set().union(*given.values())
        if "empty" not in every and name not in NEVER_EMPTY:
            gaps.add("an empty array")
        if "0-d" not in every and name not in NEVER_WITHOUT_DIMENSIONS:
            gaps.add("an array without dimensions")
        if gaps:
            found[f"{f.__module__}.{name}"] = gaps
    return found


@since_2_4
def test_every_function_is_given_every_argument(seen):
    assert left_out(seen) == {}


@since_2_4
def test_an_argument_left_out_is_found(seen):
    fewer = {**seen, np.sum: {key: seen[np.sum][key] for key in ("a", "axis", "dtype")}}
    assert left_out(fewer) == {"numpy.sum": {"out", "keepdims", "initial", "where"}}
