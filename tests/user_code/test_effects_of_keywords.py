"""Calls that hand on the keywords of a function: one of these may say where to write."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.user_code.effects import has_effects

BUFFER = np.zeros(3)
OPTIONS = {"out": BUFFER}
NAME = "o" + "ut"


def total(a, **options):
    return a.sum(**options)


def spread(a, **options):
    return np.std(a, **options)


def by_place(a, *more, **options):
    return np.std(a, *more, **options)


def by_name(a, **options):
    return np.asarray(a, **options)


def deeper(a, **options):
    return spread(a, **options)


def changed(a, **options):
    options = {**options, **OPTIONS}
    return a.sum(**options)


class Reduction:
    def of(self, a, **options):
        return np.einsum("i,i", a, a, **options)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: total(x, axis=0),
        lambda x: spread(x, ddof=1),
        lambda x: deeper(x, ddof=1),
        lambda x: by_name(x, dtype=float),
        lambda x: by_name(x, **OPTIONS),
        lambda x: functools.partial(total, axis=0)(x),
        lambda x: np.pad(x, 1, **{"mode": "edge"}),
        total,
    ],
)
def test_keywords_that_say_nothing_of_that(f):
    assert not has_effects(f, (np.ones(3),))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: total(x, out=BUFFER),
        lambda x: total(x, **OPTIONS),
        lambda x: total(x, **{NAME: BUFFER}),
        lambda x: by_place(x, 0, None, BUFFER),
        lambda x: spread(x, **{NAME: BUFFER}),
        lambda x: deeper(x, out=BUFFER),
        lambda x: x.sum(**OPTIONS),
        lambda x: np.add(*(x, x, BUFFER)),
        lambda x: np.add(*[x, x, BUFFER], **{}),
        lambda x: np.sum(x, **OPTIONS),
        functools.partial(total, out=BUFFER),
        lambda x: Reduction().of(x, out=BUFFER),
        changed,
    ],
)
def test_keywords_that_may_say_where_to_write(f):
    assert has_effects(f, (np.ones(3),))


def test_keywords_that_the_call_itself_is_given():
    assert has_effects(total, (np.ones(3),), {"out": BUFFER})
    assert not has_effects(total, (np.ones(3),), {"axis": 0})


def test_a_mode_of_padding_may_be_a_function_that_changes_something():
    seen = []

    def note(vector, width, axis, options):
        seen.append(axis)

    assert has_effects(lambda x: np.pad(x, 1, note), (np.ones(3),))


def test_all_that_is_written_is_undone_where_that_is_said():
    f = functools.partial(np.add, out=np.zeros(3))
    assert has_effects(lambda x: f(x, x), (np.ones(3),), undoes=True)
    assert not has_effects(lambda x: total(x, out=BUFFER), (np.ones(3),), undoes_all=True)


def test_what_is_written_so_reaches_the_result():
    def f(x):
        kept = np.zeros(())
        for i in range(12):
            if x[i] > 1.0:
                total(x[i : i + 2], out=kept)
        return kept * 2.0, x[0]

    expected = np.zeros((2, 14), bool)
    expected[0, :13] = expected[1, 0] = True
    found = st.jacobian_sparsity(f, np.ones(14)).toarray()
    assert not (expected & ~found).any()


class Stepper:
    def __init__(self, function):
        self.calls, self.function = 0, function


def __advance(stepper):
    """Of two underscores, and no operator: nothing runs it unasked."""
    stepper.calls += 1


def __gt__(stepper, other):
    stepper.calls += 1


@pytest.mark.parametrize("function", [__advance, __gt__])
def test_names_with_two_underscores_at_their_beginning_are_no_operators(function):
    def f(x, stepper):
        return x * 2.0 if x > stepper.calls else x

    reached = {function.__name__: [(function.__code__, globals())]}
    found = has_effects(f, (1.0, Stepper(function)), reached=lambda: reached)
    assert found is (function is __gt__)
