"""Lists and dictionaries of a table of which the inputs choose one."""

import copy
import functools

import numpy as np
import pytest
from impatient import impatient

import sparsetrace as st
from cases import chosen_containers as cases
from oracles import assert_covers, assert_same_pattern, dense

pytestmark = pytest.mark.usefixtures("seen_functions")
N = 12
"""More than 2**10 paths."""


@functools.cache  # what is written is put back
def united_at_points(take, f, n):
    rng = np.random.default_rng(0)
    return np.any([dense(take(f, rng.uniform(0.01, 0.99, n), local=True)) for _ in range(25)], 0)


@pytest.mark.parametrize("name", cases.LISTS)
def test_what_is_read_of_a_list_is_the_union(name):
    f = cases.with_rows(cases.LISTS[name])
    pattern = st.jacobian_sparsity(f, np.linspace(0.01, 0.99, N))
    assert_same_pattern(pattern, united_at_points(st.jacobian_sparsity, f, N))


@pytest.mark.parametrize("name", cases.DICTS)
def test_what_is_read_of_a_dictionary_is_the_union(name):
    f = cases.with_names(cases.DICTS[name])
    pattern = st.jacobian_sparsity(f, np.linspace(0.01, 0.99, N))
    assert_same_pattern(pattern, united_at_points(st.jacobian_sparsity, f, N))


@pytest.mark.parametrize("name", ["items", "unpacked", "polyval", "dot"])
def test_second_derivatives(name):
    f = cases.with_rows(cases.LISTS[name])

    def g(x):
        return np.sum(np.array(f(x)))

    pattern = st.hessian_sparsity(g, np.linspace(0.01, 0.99, N))
    assert_same_pattern(pattern, united_at_points(st.hessian_sparsity, g, N))


@pytest.mark.parametrize("attempts", [1, 2, 3])
@pytest.mark.parametrize("name", cases.WRITTEN)
def test_what_is_written_is_not_lost(name, attempts):
    f, x = cases.WRITTEN[name], np.linspace(0.1, 0.9, 3)
    before = copy.deepcopy((cases.ROWS, cases.NAMED))
    expected = united_at_points(st.jacobian_sparsity, f, 3)
    with impatient(attempts):
        try:
            pattern = st.jacobian_sparsity(f, x)
        except st.TracingError:
            pattern = None
    if pattern is not None:
        assert_covers(pattern, expected)
    assert before == (cases.ROWS, cases.NAMED)


@pytest.mark.parametrize("name", cases.WRITTEN)
def test_many_elements_that_write_lose_nothing_either(name):
    f = cases.WRITTEN[name]
    try:
        pattern = st.jacobian_sparsity(f, np.linspace(0.01, 0.99, N))
    except st.TracingError:
        return
    assert_covers(pattern, united_at_points(st.jacobian_sparsity, f, N))


def test_what_is_left_of_a_list_after_the_trace_is_refused():
    held = []

    def f(x):
        for v in x:
            row = cases.ROWS[0] if v < 0.5 else cases.ROWS[1]
            OUTSIDE.add(row)
        return x * 2

    OUTSIDE.keep = held.append
    st.jacobian_sparsity(f, np.linspace(0.01, 0.99, N))
    for row in held:
        if type(row) is not list:
            with pytest.raises(st.TracingError):
                row.append(1.0)


class _Outside:
    """Keeps what a trace puts nowhere back."""

    keep = None

    def add(self, row):
        self.keep(row)


OUTSIDE = _Outside()
