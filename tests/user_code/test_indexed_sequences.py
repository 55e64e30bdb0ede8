"""Lists indexed by whole numbers of which nothing is known: one of the indices that they have."""

from __future__ import annotations

import types

import numpy as np
import pytest

import sparsetrace as st
from oracles import dense

TABLE = [1.0, 2.0, 4.0]
model = types.SimpleNamespace(table=(1.0, 3.0, 5.0, 7.0))


def of_a_module(x):
    k = int(x[0] * 3)
    if k < 1:
        k = 1
    return TABLE[k - 1] * x[1] + x[2]


def of_an_object(x):
    k = int(x[0] + 3)
    return model.table[k] * x[1]


def of_traced_numbers(x):
    k = int(x[0])
    rows = [x[1], x[2] * x[3]]
    return rows[k]


def of_a_row(x):
    k = int(x[0])
    rows = [[x[1], x[2]], [x[3], x[4]]]
    return rows[k][1]


def handled(x):
    k = int(x[0])
    rows = [x[1], x[2]]
    try:
        return rows[k]
    except IndexError:
        return x[5]


ROWS = {
    of_a_module: [0, 1, 1, 0, 0, 0],
    of_an_object: [0, 1, 0, 0, 0, 0],
    of_traced_numbers: [0, 1, 1, 1, 0, 0],
    of_a_row: [0, 0, 1, 0, 1, 0],
    handled: [0, 1, 1, 0, 0, 1],
}


@pytest.mark.parametrize("f", ROWS, ids=lambda f: f.__name__)
def test_one_of_the_indices_that_a_list_has(f):
    pattern = st.jacobian_sparsity(f, np.linspace(0.2, 0.7, 6))
    assert dense(pattern).astype(int).tolist() == [ROWS[f]]


def computed(x):
    rows = [[x[1], x[2]], [x[3], x[4]]]
    return rows[0][int(x[0])]


def long(x):
    table = [float(k) for k in range(100)]
    return table[int(x[0])] * x[1]


@pytest.mark.parametrize("f", [computed, long])
def test_what_is_not_known_is_refused(f):
    with pytest.raises(st.ValueDependentError, match="an index or a count"):
        st.jacobian_sparsity(f, np.ones(5))
