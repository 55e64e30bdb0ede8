"""Which calls may be made again: errors with attributes, defaults, and iterators."""

import pytest

from sparsetrace.user_code.effects import has_effects

SEEN = []


class WithAttributes(Exception):
    def __init__(self, message, turns=None):
        super().__init__(message)
        self.turns = turns


class Derived(WithAttributes):
    def __init__(self, message):
        super().__init__(message, 3)
        self.point = message


class Noted(Exception):
    def __init__(self, message):
        super().__init__(message)
        SEEN.append(message)


class Counting(Exception):
    made = 0

    def __init__(self):
        type(self).made += 1


class Rebinding(Exception):
    def __init__(self, other):
        self = other
        self.point = 1


class Setting(Exception):
    def __setattr__(self, name, value):
        SEEN.append(name)

    def __init__(self):
        self.point = 1


def read_default(v, options={}):  # noqa: B006
    return v if options else -v


def written_default(v, memo={}):  # noqa: B006
    memo[0] = v
    return v


def passed_default(v, memo=[]):  # noqa: B006
    return written_default(v, memo)


def iterated(v, items):
    for item in items[0]:
        v = v + item
    return v


def raising(cls):
    def f(v):
        if v > 0:
            raise cls("x")
        return v

    return f


@pytest.mark.parametrize("cls", [WithAttributes, Derived])
def test_errors_that_set_their_attributes(cls):
    assert not has_effects(raising(cls), (1.0,))


@pytest.mark.parametrize("cls", [Noted, Counting, Rebinding, Setting])
def test_errors_that_do_more(cls):
    assert has_effects(raising(cls), (1.0,))


def test_defaults():
    assert not has_effects(read_default, (1.0,))
    assert has_effects(written_default, (1.0,))
    assert has_effects(passed_default, (1.0,))


@pytest.mark.parametrize("known", [None, {}])
def test_iterators_within_what_is_given(known):
    assert not has_effects(iterated, (1.0, [[2.0]]), known=known)
    assert has_effects(iterated, (1.0, [iter([2.0])]), known=known)
    assert has_effects(iterated, (1.0, ([iter([2.0])],)), known=known)
    assert not has_effects(iterated, (1.0, [[2.0]]), known=known)
