"""Inputs in lists, tuples and dicts: which of them f gets, and which hold no numbers."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse

from cases.shared import Pair, Record
from oracles import assert_same_pattern, numerical_jacobian_pattern
from sparsetrace import InputError, TracedArray, jacobian_sparsity

NESTED = {
    "a tuple": ((np.ones(2), 3.0), lambda t: t[0] * t[1], [[1, 0, 1], [0, 1, 1]]),
    "a list": ([np.ones(2), 3.0], lambda t: t[0] * t[1], [[1, 0, 1], [0, 1, 1]]),
    "a dict": (
        {"b": np.ones(2), "a": 3.0},
        lambda d: d["b"] * d["a"],
        [[1, 0, 1], [0, 1, 1]],
    ),
    "an ordered dict": (
        OrderedDict(b=3.0, a=np.ones(2)),
        lambda d: d["b"] * d["a"],
        [[1, 1, 0], [1, 0, 1]],
    ),
    "a named tuple": (
        Pair(np.ones(2), 3.0),
        lambda p: p.first * p.second,
        [[1, 0, 1], [0, 1, 1]],
    ),
    "deep": (
        {"p": (np.ones(1), [np.ones((1, 2)), {"q": 2.0}])},
        lambda d: d["p"][0] * d["p"][1][1]["q"] + d["p"][1][0][0],
        [[1, 1, 0, 1], [1, 0, 1, 1]],
    ),
    "numbers in a list": ([1.0, 2.0, 3.0], lambda x: x[1:] * 2, np.eye(3)[[1, 2, 1, 2]]),
    "rows of numbers": ([[1.0, 2.0], [3.0, 4.0]], lambda x: x[1], [[0, 0, 1, 0], [0, 0, 0, 1]]),
    "numbers in a tuple": ((1.0, 2.0), lambda t: t[0] * t[1], [[1, 1]]),
    "nothing": ((), lambda t: 1.0, np.zeros((1, 0))),
    "empty parts": ({"a": [], "b": np.ones(1)}, lambda d: d["b"], [[1]]),
}


@pytest.mark.parametrize("name", NESTED)
def test_nested_inputs(name):
    tree, f, expected = NESTED[name]
    assert_same_pattern(jacobian_sparsity(f, tree), np.array(expected))


def test_the_nesting_keeps_its_types():
    def f(tree):
        assert type(tree) is dict
        assert type(tree["pair"]) is Pair
        assert type(tree["list"]) is list
        assert isinstance(tree["pair"].first, TracedArray)
        assert isinstance(tree["list"][0], float)
        return tree["list"][0]

    tree = {"pair": Pair(np.ones(2), 1.0), "list": [2.0, np.ones(1)]}
    assert_same_pattern(jacobian_sparsity(f, tree), [[0, 0, 0, 1, 0]])


@pytest.mark.parametrize(
    "bad",
    [
        None,
        "text",
        b"bytes",
        {1.0, 2.0},
        object(),
        Record(np.ones(2)),
        SimpleNamespace(x=1.0),
        np.array([None, 1.0]),
        np.array(["a"]),
        np.array([1.0, 2.0], object),
        np.array(["2020-01-01"], "datetime64[D]"),
        np.zeros(2, [("a", float)]),
        np.ma.masked_array(np.ones(3), [0, 1, 0]),
        Fraction(1, 2),
        scipy.sparse.eye_array(3),
        (v for v in [1.0, 2.0]),
        [1.0, None],
        {"a": "text"},
        lambda: 1.0,
        iter([1.0]),
    ],
    ids=lambda bad: type(bad).__name__,
)
def test_inputs_that_are_no_numbers(bad):
    with pytest.raises(InputError) as found:
        jacobian_sparsity(lambda x: x, bad)
    assert "number" in str(found.value) or "masked" in str(found.value)


LISTS = {
    "repeated": lambda x: [v**2 for v in (x * 2)[2:]],
    "joined": lambda x: (x + [1.0])[1:],  # noqa: RUF005 - what is tested
    "two joined": lambda x: x + x[::-1],
    "filled": lambda x: x.append(x[0] * x[1]) or x,
    "unpacked": lambda x: (lambda a, b: (b, a))(*x),
    "a count": lambda x: [v * x.__len__() for v in x],
    "as an array": lambda x: np.array(x) * np.asarray(x)[::-1],
    "to numpy": lambda x: np.array([np.sum(x), np.dot(x, [0.0, 1.0])]),
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("options", [{}, {"local": True}])
def test_a_list_stays_a_list(name, options):
    f = LISTS[name]

    def checked(x):
        assert type(x) is list
        return f(x)

    point = [1.5, 2.5]
    expected = numerical_jacobian_pattern(lambda v: f(v.tolist()), np.array(point))
    assert_same_pattern(jacobian_sparsity(checked, point, **options), expected)


def test_nested_and_ragged_lists_stay_so():
    def f(x):
        assert [len(row) for row in x] == [1, 2, 0]
        return x[1] + [x[0][0] * x[1][1]]

    expected = [[0, 1, 0], [0, 0, 1], [1, 0, 1]]
    assert_same_pattern(jacobian_sparsity(f, [[1.0], [2.0, 3], []]), expected)


class Vector(list):
    def __mul__(self, factor):
        return Vector(v * factor for v in self)


def test_a_type_of_list_stays_that_type():
    assert_same_pattern(jacobian_sparsity(lambda x: x * 2, Vector([1.0, 2.0])), np.eye(2))


@pytest.mark.parametrize(
    "given",
    [
        np.matrix([[1.0]]),
        np.ones(2).view(np.recarray),
        Fraction(1, 2),
        Decimal(1),
        array("d", [1.0]),
        Record(np.ones(2)),
        {"nested": [np.matrix([[1.0]])]},
    ],
)
def test_inputs_of_types_with_a_meaning_of_their_own(given):
    with pytest.raises(InputError, match=r"np.asarray|no array of numbers"):
        jacobian_sparsity(lambda x: x, given)
