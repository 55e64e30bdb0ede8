"""Functions and classes that are compared, or asked for as types, and those that may be called."""

import collections
import types

import numpy as np
import pytest

from sparsetrace.user_code.effects import has_effects

SEEN = []


class Noting:
    """Which making changes something."""

    def __init__(self):
        SEEN.append(self)


class Asking(type):
    def __instancecheck__(cls, instance):
        SEEN.append(instance)
        return False


class Asked(metaclass=Asking):
    pass


def note(v):
    SEEN.append(v)
    return v


HELD = types.SimpleNamespace(Noting=Noting, note=note, Asked=Asked)


def asks(v):
    return -v if isinstance(v, Noting) else v


def asks_for_some(v):
    return -v if isinstance(v, (str, HELD.Noting, np.matrix)) else v


def asks_of_class(v):
    return -v if issubclass(type(v), HELD.Noting) else v


def compares(v):
    return -v if type(v) in (None, HELD.Noting) else v


def compares_functions(v, f=None):
    return -v if f is note or f == HELD.note or f is np.ndarray.__array_ufunc__ else v


def asks_a_class_of_another_kind(v):
    return -v if isinstance(v, Asked) else v


def asks_one_by_another_name(v, isinstance=lambda v, f: f()):
    return -v if isinstance(v, Noting) else v


def calls_one_of_them(v):
    return (Noting, v)[0]()


def chooses(v, f=None):
    one = HELD.note if f is None else f
    return one(v)


def compares_and_calls(v):
    return v if type(v) is HELD.Noting else HELD.note(v)


def takes_an_attribute(v):
    return v if isinstance(v, collections.OrderedDict.fromkeys(v)) else note(v)


@pytest.mark.parametrize(
    "function", [asks, asks_for_some, asks_of_class, compares, compares_functions]
)
def test_what_is_compared_is_not_called(function):
    assert not has_effects(function)


@pytest.mark.parametrize(
    "function",
    [
        asks_a_class_of_another_kind,
        asks_one_by_another_name,
        calls_one_of_them,
        chooses,
        compares_and_calls,
        takes_an_attribute,
    ],
)
def test_what_may_be_called_is_looked_at(function):
    assert has_effects(function)


def test_a_class_that_was_asked_for_is_looked_at_where_it_is_called_too():
    def first(v):
        return v if isinstance(v, Noting) else second(v)

    def second(v):
        return Noting() if v else v

    assert has_effects(first)


class Comparing:
    """Which nothing may ask whether it is equal."""

    def __eq__(self, other):
        SEEN.append(other)
        return False

    __hash__ = None

    def __call__(self, *given):
        return given


COMPARING = Comparing()


def test_nothing_of_the_users_runs():
    def calls(v):
        return COMPARING(v, Noting)

    has_effects(calls)
    assert SEEN == []
