"""Objects that calls return on several paths are one object, whose attributes are united."""

from __future__ import annotations

import functools
import types
import weakref

import numpy as np
import pytest

from cases import returned_objects
from oracles import dense
from sparsetrace import ValueDependentError, jacobian_sparsity
from sparsetrace.capture.object_parts import made_of, parts_of

FEW = np.linspace(0.6, 1.4, 6)
MANY = np.linspace(0.6, 1.4, 40)


def at_points(f, like):
    rng = np.random.default_rng(2)
    points = [like, *rng.uniform(0.4, 1.8, (12, like.size))]
    return np.any([dense(jacobian_sparsity(f, x, local=True)) for x in points], axis=0)


@pytest.mark.parametrize("f", returned_objects.UNITED)
def test_united_objects_lose_nothing_and_add_nothing(f):
    expected = dense(jacobian_sparsity(f, FEW))
    assert np.array_equal(expected, at_points(f, FEW))
    assert np.array_equal(dense(jacobian_sparsity(f, FEW, max_paths=6)), expected)


def test_one_that_others_hold_is_told_from_a_new_one():
    f = returned_objects.one_that_others_hold
    assert np.array_equal(dense(jacobian_sparsity(f, FEW)), at_points(f, FEW))
    with pytest.raises(ValueDependentError, match="max_paths"):
        jacobian_sparsity(f, FEW, max_paths=6)


@pytest.mark.parametrize("f", returned_objects.UNITED)
def test_many_calls_that_return_objects_take_time_in_proportion(f):
    found = dense(jacobian_sparsity(f, MANY, verify=False))
    assert not (at_points(f, MANY) & ~found).any()


@pytest.mark.parametrize("f", returned_objects.LOOPING)
def test_results_that_tell_how_a_loop_ended(f, seen_functions):
    with np.errstate(all="ignore"):
        found = dense(jacobian_sparsity(f, MANY[:8], verify=False))
    assert np.array_equal(found, np.eye(8, dtype=bool))


class Plain:
    pass


class Closing:
    def __del__(self):
        pass


class Slotted(Plain):
    __slots__ = ("a", "b")


def test_an_object_is_made_of_its_parts():
    given = Slotted()
    given.a, given.c = 1.0, [2.0]
    (attributes, slots) = parts_of(given)
    assert (attributes.names, slots.names) == (("c",), ("Slotted.a",))
    made = made_of(Slotted, [{"c": 3.0}, {"Slotted.a": 4.0}])
    assert type(made) is Slotted
    assert (made.a, made.c) == (4.0, 3.0)
    assert not hasattr(made, "b")


class Record(dict):
    def __getitem__(self, key):
        raise AssertionError("nothing of the user's runs")


def test_items_and_attributes_of_a_dictionary_are_parts():
    given = Record(a=1.0)
    given.note = "n"
    items, attributes = parts_of(given)
    assert (items["a"], attributes["note"]) == (1.0, "n")
    made = made_of(Record, [{"a": 2.0}, {"note": "n"}])
    assert type(made) is Record
    assert (dict(made), made.note) == ({"a": 2.0}, "n")
    assert parts_of({1.0: 2.0}) is None


@pytest.mark.parametrize(
    "value",
    [
        *(1.0, (1.0,), [1.0], "a", np.ones(1), Closing(), ValueError("v"), np.random.default_rng),
        functools.partial(max, 1.0),
    ],
)
def test_what_may_be_more_than_its_parts_has_none(value):
    assert parts_of(value) is None


def test_partial_functions_of_two_branches_are_told_apart():
    def f(x):
        scaled = functools.partial(np.multiply, x[0])
        for v in x[1:]:
            if v > 0.6:
                scaled = functools.partial(scaled.func, v)
        return scaled(2.0)

    assert dense(jacobian_sparsity(f, FEW)).all()
    with pytest.raises(ValueDependentError, match="max_paths"):
        jacobian_sparsity(f, MANY)


def test_one_that_is_referred_to_weakly_stays_as_it_is():
    given = Plain()
    reference = weakref.ref(given)
    assert parts_of(given) is None
    del reference
    assert parts_of(given) is not None


def registered(t, known):
    made = types.SimpleNamespace(v=t)
    if t > 1.0:
        made.v = t * 2
    known.append(made)
    return made


def test_one_that_something_else_holds_is_not_replaced():
    def f(x):
        known = []
        made = [registered(a, known) for a in x]
        made[0].v = x[1]
        return np.array([k.v for k in known])

    expected = dense(jacobian_sparsity(f, FEW))
    assert expected[0].tolist() == [False, True, False, False, False, False]
    assert np.array_equal(expected, dense(jacobian_sparsity(f, FEW * 0 + 0.5, local=True)))
