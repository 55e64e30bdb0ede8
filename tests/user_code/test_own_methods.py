"""Methods that are called by their names, of objects that are not known."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from sparsetrace.user_code.effects import has_effects
from sparsetrace.user_code.own_methods import OwnMethods
from sparsetrace.user_code.reach import reached


class Tank:
    def __init__(self):
        self.level = 1.0
        self.log = []
        self.on_change = print

    def fall(self):
        return self.level * 9.81

    def drain(self, v):
        self.level = self.level - v

    def report(self):
        print(self.level)

    def chain(self, v):
        return self.fall() + v

    @property
    def depth(self):
        return self.level

    @depth.setter
    def depth(self, value):
        print(value)
        self.level = value

    @property
    def volume(self):
        return self.level

    @volume.setter
    def volume(self, value):
        self.level = value


class Pump:
    def fall(self):
        return 0.0

    def report(self):
        return 0.0


@dataclass(frozen=True)
class Point:
    x: float
    y: float

    def moved(self, v):
        return Point(self.x + v, self.y)

    def __post_init__(self):
        object.__setattr__(self, "y", self.y + 1)


class Guarded:
    def __setattr__(self, name, value):
        print(name)
        object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Sealed:
    x: float

    def __post_init__(self):
        object.__setattr__(Point, "x", 1.0)


def falling(tanks):
    return sum(tank.fall() for tank in tanks)


def reporting(tanks):
    for tank in tanks:
        tank.report()


def draining(tanks):
    for tank in tanks:
        tank.drain(0.5)


def chaining(tanks):
    for tank in tanks:
        tank.chain(0.5)


def unknown(tanks):
    for tank in tanks:
        tank.vanish()


def changing(tanks):
    for tank in tanks:
        tank.on_change(1.0)


def filling(tanks):
    for tank in tanks:
        tank.volume = 1.0


def deepening(tanks):
    for tank in tanks:
        tank.depth = 1.0


def guarding(tanks):
    for tank in tanks:
        tank.level = 1.0


TANKS = [Tank(), Pump()]


@pytest.mark.parametrize(
    ("function", "plainly", "undone"),
    [
        (falling, False, False),
        (chaining, False, False),
        (draining, True, False),
        (filling, True, False),
        (reporting, True, True),
        (unknown, True, True),
        (changing, True, True),
        (deepening, True, True),
    ],
)
def test_methods_of_objects_in_a_list(function, plainly, undone):
    assert has_effects(function, (TANKS,)) is plainly
    assert has_effects(function, (TANKS,), undoes=True, undoes_all=True) is undone


def test_a_class_that_sets_attributes_by_itself():
    assert not has_effects(guarding, (TANKS,), undoes_all=True)
    assert has_effects(guarding, ([*TANKS, Guarded()],), undoes_all=True)


def test_a_frozen_dataclass_sets_what_is_made_alone():
    assert not has_effects(lambda v: Point(v, v).moved(v))
    assert has_effects(lambda v: Sealed(v))


def test_a_name_that_a_library_has_too_is_not_known():
    assert OwnMethods([Tank()]).of_name("fall") == [Tank.fall]
    assert OwnMethods([Tank(), math]).of_name("fall") == [Tank.fall]
    assert OwnMethods([Tank(), math]).of_name("sqrt") is None
    assert OwnMethods([Tank()]).of_name("append") is None
    assert OwnMethods([Tank()]).of_name("depth") is None
    assert OwnMethods([Tank()]).of_name("on_change") is None


class Callback:
    def __init__(self, seen):
        self.seen = seen

    def __call__(self, v):
        self.seen.append(v)
        return v

    def of_self(self, v):
        def scaled(w):
            return w * len(self.seen)

        return scaled(v) if v > 0 else -v


def test_an_object_that_can_be_called_is_not_called_by_all_that_reads_it():
    callback = Callback([])
    assert not has_effects(callback.of_self)
    assert has_effects(lambda v: callback(v))
    assert has_effects(callback)


class Counted:
    def __init__(self, v):
        self.v = v

    def note(self):
        print(self.v)

    @property
    def noted(self):
        self.note()
        return self.v

    def __lt__(self, other):
        self.note()
        return self.v < other

    def less(self, other):
        return self.v < other

    @property
    def halved(self):
        return self.v / 2


def by_property(items, w):
    return [w for item in items if item.noted > w]


def by_operator(items, w):
    return [w for item in items if item < w]


def by_neither(items, w):
    return [w for item in items if item.less(w) and item.halved > w]


@pytest.mark.parametrize(
    ("function", "changes"), [(by_property, True), (by_operator, True), (by_neither, False)]
)
def test_properties_and_operators_that_call_methods_of_their_object(function, changes):
    functions = reached([function, Counted]).by_names
    if function is by_neither:  # an operator that is not used may be run by none
        functions = reached([function, Counted.less, Counted.halved]).by_names
    assert has_effects(function, ([Counted(1.0)], 2.0), reached=functions) is changes


class Slotted:
    __slots__ = ("fall",)


class Finding:
    def __getattr__(self, name):
        return print


@pytest.mark.parametrize("other", [Slotted(), Finding()])
def test_objects_that_may_hold_anything_under_a_name(other):
    if isinstance(other, Slotted):
        other.fall = print
    assert OwnMethods([Tank(), other]).of_name("fall") is None
    assert has_effects(falling, ([*TANKS, other],))


def becomes_another(tank):
    tank.__class__ = Pump


def holds_another(tank, given):
    tank.__dict__ = given


def of_another_shape(array):
    array.shape = (2, 1)


@pytest.mark.parametrize("function", [becomes_another, holds_another, of_another_shape])
def test_an_object_that_becomes_another_one_is_not_undone(function):
    given = (np.zeros(2),) if function is of_another_shape else (Tank(), {})
    assert has_effects(function, given, undoes=True, undoes_all=True)
