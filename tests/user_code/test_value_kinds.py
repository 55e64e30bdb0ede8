"""What calls are given, as far as it decides whether they have side effects."""

from __future__ import annotations

import inspect
import logging
import warnings

import numpy as np
import scipy.linalg

from sparsetrace.user_code.effects import has_effects
from sparsetrace.user_code.value_kinds import kinds_of


class Part:
    def __init__(self, inner):
        self.inner, self.log = inner, logging.getLogger("parts")

    def value(self, v):
        return v if self.inner is None else self.inner.value(v) * 2.0


class Louder(Part):
    def value(self, v):
        self.last = v
        return v


def nested(innermost, depth):
    """An object that holds one that holds one, as a model does."""
    for _ in range(depth):
        innermost = Part(innermost)
    return innermost


def test_objects_made_anew_of_the_same_parts_are_alike():
    first, again = kinds_of([nested(None, 4)]), kinds_of([nested(None, 4)])
    assert first is not None
    assert first == again
    assert hash(first) == hash(again)


def test_what_differs_far_inside_is_told_apart():
    assert kinds_of([nested(Louder(None), 3)]) != kinds_of([nested(None, 4)])
    assert kinds_of([nested(None, 40)]) is None


def test_classes_and_loggers_are_kinds_of_their_own():
    assert kinds_of([Part]) == kinds_of([Part]) != kinds_of([Louder])
    assert kinds_of([logging.getLogger("a")]) != kinds_of([logging.getLogger("b")])


def test_not_more_is_looked_at_than_pays_off():
    wide = [Part([np.sum] * 60) for _ in range(60)]
    assert kinds_of([wide[:3]]) is not None
    assert kinds_of([wide]) is None


class Names:
    """An object that holds the functions of a library under names of its own."""

    def __init__(self, draws, table):
        self.zeros, self.solve, self.warn = np.zeros, scipy.linalg.solve, warnings.warn
        self.draw, self.table = draws.normal, table


def test_functions_of_libraries_and_methods_that_draw_are_kinds_of_their_own():
    def kinds(seed, table):
        return kinds_of([Names(np.random.default_rng(seed), table)])

    assert kinds(1, {"a": np.empty}) is not None
    assert kinds(1, {"a": np.empty}) == kinds(2, {"a": np.empty})
    assert hash(kinds(1, {"a": np.empty})) == hash(kinds(2, {"a": np.empty}))
    assert kinds(1, {"a": np.empty}) != kinds(1, {"a": np.zeros})
    assert kinds_of([scipy.linalg.solve]) != kinds_of([scipy.linalg.inv])
    assert kinds_of([[].append]) is None
    assert kinds_of([np.random.default_rng(1).random]) != kinds_of([np.random.random])


def test_a_function_that_stands_for_another_one_is_no_kind_of_its_own(monkeypatch):
    before = kinds_of([scipy.linalg.solve])
    monkeypatch.setattr(scipy.linalg.solve, "__name__", "inv")
    assert kinds_of([scipy.linalg.solve]) != before


def test_slices_of_numbers_and_signatures_are_of_one_kind():
    assert kinds_of([slice(1, -1)]) == kinds_of([slice(None)]) != kinds_of([[1]])
    assert kinds_of([slice([1])]) is None
    signatures = [inspect.signature(f) for f in (nested, Names)]
    assert kinds_of(signatures[:1]) == kinds_of(signatures[1:]) is not None


def test_many_functions_in_one_object_are_looked_at():
    many = Part(None)
    vars(many).update({f"function_{i}": np.sum for i in range(150)})
    assert kinds_of([many]) is not None


def test_an_answer_serves_objects_made_anew():
    known = {}

    def call(part, v):
        return part.value(v)

    for _ in range(3):
        assert not has_effects(call, (nested(None, 3), 1.0), known=known)
        assert len(known) == 1
    assert has_effects(call, (nested(Louder(None), 2), 1.0), known=known)
    assert len(known) == 2
