"""NumPy's types of numbers under local names, where code converts traced numbers by them."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import sparsetrace as st
from sparsetrace.errors import EscapeError

X = np.array([0.7, 1.3])
LOADS_TWO = sys.version_info >= (3, 13)
"""Whether one instruction may load two local variables: that cannot be exchanged for another."""


def of_an_array(x):
    kind = x.dtype.type
    return kind(x.sum()) * x[0]


def log_sum_exp(x):
    """As in `arviz_stats`: into an array without axes, and then a number of its type."""
    dtype = np.asarray(x).dtype.type
    out = np.empty((), dtype=dtype)
    np.exp(x).sum(out=out)
    np.log(out, out=out)
    return out if out.shape else dtype(out)


def of_a_number(x):
    kind = type(x[0])
    return kind(x[1]) + kind(2)


def by_default(x, dtype=np.float64):
    return dtype(x[0])


def in_a_closure(x):
    kind = np.float64

    def converted(v):
        return kind(v) if kind is np.float64 else None

    return np.array([converted(v) for v in x])


def beside_others(x):
    """The same name for a function, and for a type of another kind."""
    total = 0.0
    for kind in (np.float64, np.float32, abs, lambda v: v):
        total = total + kind(x[1])
    return total


def of_whole_numbers(x):
    kind = np.int64
    return x[0] * kind(x[1])


PROGRAMS = {
    of_an_array: [[1, 1]],
    log_sum_exp: [[1, 1]],
    of_a_number: [[0, 1]],
    by_default: [[1, 0]],
    in_a_closure: [[1, 0], [0, 1]],
    **({beside_others: [[0, 1]]} if not LOADS_TWO else {}),
    of_whole_numbers: [[1, 0]],
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("local", [False, True])
def test_types_under_local_names_convert_traced_numbers(program, local):
    code, result = program.__code__, program(X)
    pattern = st.jacobian_sparsity(program, X, local=local)
    assert_array_equal(pattern.toarray(), PROGRAMS[program])
    assert program.__code__ is code
    assert_array_equal(program(X), result)


@pytest.mark.skipif(not LOADS_TWO, reason="each name is loaded by itself")
@pytest.mark.parametrize("local", [False, True])
def test_a_name_that_is_loaded_beside_another_is_refused(local):
    with pytest.raises(EscapeError, match=r"in beside_others.* Keep the number as it is"):
        st.jacobian_sparsity(beside_others, X, local=local)


def test_a_name_without_a_value_is_told_as_python_does():
    def f(x):
        if x.size > 2:
            kind = np.float64
        try:
            return kind(x[0])
        except UnboundLocalError as error:
            kind = np.float64
            return kind(x[0]) if "'kind'" in str(error) else x[1]

    assert_array_equal(st.jacobian_sparsity(f, X).toarray(), [[1, 0]])


def test_a_type_that_an_attribute_gives_is_refused():
    with pytest.raises(EscapeError, match="Keep the number as it is"):
        st.jacobian_sparsity(lambda x: x.dtype.type(x[0]), X)
