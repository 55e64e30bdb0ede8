"""Moves by counts that depend on the inputs: all outcomes, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.unknown_counts import MOVED, case


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


@pytest.mark.parametrize("name", MOVED)
def test_each_element_is_one_of_these(name):
    f, columns = MOVED[name]
    pattern = st.jacobian_sparsity(f, np.ones(6)).toarray()
    expected = np.zeros((len(columns), 6), bool)
    for row, some in zip(expected, columns, strict=True):
        row[list(some)] = True
    np.testing.assert_array_equal(pattern, expected)


REFUSED = {
    "np.delete(x, x[0])": "np.delete",
    "np.insert(x, x[:2].astype(int), 0.0)": "np.insert",
    "np.histogram(x, int(x[0]))": r"np\.histogram",
    "np.repeat(x, int(x[0]))": "an index or a count",
}


@pytest.mark.parametrize("source", REFUSED)
def test_counts_that_decide_a_shape_are_refused(source):
    with pytest.raises(st.TracingError, match=REFUSED[source]):
        st.jacobian_sparsity(eval(f"lambda x: {source}", {"np": np}), np.arange(1.0, 7))


@pytest.mark.parametrize(
    "source", ["np.delete(x, len(x) + np.argmax(x))", "np.insert(x, -9 - np.argmax(x), 0)"]
)
def test_a_place_outside_of_all_is_an_error(source):
    with pytest.raises(IndexError):
        st.jacobian_sparsity(eval(f"lambda x: {source}", {"np": np}), np.ones(6))
    with pytest.raises(TypeError, match="integer"):
        st.jacobian_sparsity(lambda x: np.partition(x, x[0]), np.ones(6))
