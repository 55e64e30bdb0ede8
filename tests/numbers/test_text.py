"""The text of traced values: one value, one text; two values, two texts."""

from __future__ import annotations

import re

import numpy as np
import pytest
from outside import Outside

from sparsetrace import jacobian_sparsity

MODES = pytest.mark.parametrize("local", [False, True])


def texts_of(f, x, **options):
    seen = Outside()
    jacobian_sparsity(lambda x: [seen.extend(f(x)), x][1], x, verify=False, **options)
    return list(seen)


@MODES
def test_a_number_keeps_its_text(local):
    def f(x):
        v = x[0] * x[1]
        return str(v), repr(v), f"{v}", format(v), str(v)

    assert len(set(texts_of(f, np.ones(2), local=local))) == 1


@MODES
def test_different_values_have_different_text(local):
    def f(x):
        values = [x[0], 2 * x[0], np.sin(x[0]), x[0] + 1, x[1], x, 2 * x, x[::-1], np.floor(x) + x]
        return [str(v) for v in values] + [f"{v:.3f}" for v in values[:5]]

    found = texts_of(f, np.array([1.3, 2.7]), local=local)
    assert len(set(found)) == len(found)


def test_no_text_comes_a_second_time_in_another_trace():
    first = texts_of(lambda x: [str(x[0]), str(x)], np.ones(2))
    assert not set(first) & set(texts_of(lambda x: [str(x[0]), str(x)], np.ones(2)))


def test_at_a_point_equal_elements_have_equal_text():
    def f(x):
        w = x.copy()
        before = str(w), str(x[0])
        after = str(w), str(x[0])
        w *= 2.0
        return [*before, *after, str(w)]

    a, b, c, d, e = texts_of(f, np.array([0.3, 0.7]), local=True)
    assert (a, b) == (c, d)
    assert e != a


def test_an_array_written_in_place_has_another_text():
    def f(x):
        w = x.copy()
        before = repr(w)
        w *= 2.0  # leaves every index set as it was
        return before, repr(w)

    before, after = texts_of(f, np.ones(2))
    assert before != after


def test_the_readable_part_names_the_inputs():
    def f(x):
        return str(x[0] * x[2]), str(x[:2]), np.array_repr(x[:1]), str(np.floor(x[0]))

    number, array, of_numpy, unknown = texts_of(f, np.ones(3))
    assert re.fullmatch(r"TracedScalar\(\{0, 2\}, value \d+\)", number)
    assert re.fullmatch(r"TracedArray\(\[\{0\}, \{1\}\], value \d+\)", array)
    assert re.fullmatch(r"TracedArray\(\[\{0\}\], value \d+\)", of_numpy)
    assert re.fullmatch(r"TracedScalar\(\{\}, value \d+ depends on the inputs\)", unknown)
