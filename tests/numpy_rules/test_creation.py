"""Arrays made after another's shape, conversions, and questions about arrays."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check
from outside import Outside

import sparsetrace as st
from cases.numpy_calls.creation import case
from oracles import assert_same_pattern


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


def test_made_arrays_are_constant():
    def f(x):
        zeros, ones = np.zeros_like(x), np.ones_like(x)
        return zeros * x, (ones - 1) * x, np.zeros_like(x, shape=2) * x[:2]

    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 0


def test_questions_have_plain_answers():
    seen = Outside()

    def f(x):
        y = x.reshape(2, 3)
        answers = {
            "shape": np.shape([x, x]),
            "ndim": (np.ndim(y), np.ndim([x[0], x[1]]), np.ndim(x[0])),
            "size": (np.size(y, 0), np.size(x[0])),
            "scalar": np.min_scalar_type(x),
            "cast": np.can_cast(x, np.float32),
            "shares": np.shares_memory(x, y[1]),
            "apart": np.may_share_memory(x, x.copy()),
            "plain": np.shares_memory(x, np.ones(3)),
            "text": (np.array_repr(x[:1]), np.array_str(x[:1]), np.array2string(x[:1])),
            "contiguous": np.isfortran(y.T),
        }
        seen.append(answers)
        return x

    st.jacobian_sparsity(f, np.ones(6))
    answers = seen[0]
    assert all(text.startswith("TracedArray([{0}], value ") for text in answers.pop("text"))
    assert answers == {
        "shape": (2, 6),
        "ndim": (2, 1, 0),
        "size": (2, 1),
        "scalar": np.dtype(float),
        "cast": False,
        "shares": True,
        "apart": False,
        "plain": False,
        "contiguous": True,
    }


def test_a_real_part_is_constant_where_the_number_is():
    def f(x):
        z = np.concatenate([x, np.array([2j])])
        return z[-1:].real * x[0], z[-1:].imag * x[0]

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(1)), [[0], [1]])


def test_indices_from_shapes():
    def f(x):
        a = x.reshape(3, 3)
        return a[np.tril_indices_from(a)], a[np.triu_indices_from(a, 1)], a[np.diag_indices_from(a)]

    pattern = st.jacobian_sparsity(f, np.ones(9))
    assert pattern.indices.tolist() == [0, 3, 4, 6, 7, 8, 1, 2, 5, 0, 4, 8]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.frombuffer(b"12345678", like=x),
        lambda x: np.fromstring("1 2", sep=" ", like=x),
        lambda x: np.loadtxt(["1 2"], like=x),
        lambda x: np.genfromtxt(["1 2"], like=x),
    ],
)
def test_reading_text_like_a_tracer(f):
    """What is read is constant, so that it needs no `like`."""
    assert st.jacobian_sparsity(lambda x: f(x), np.ones(2)).nnz == 0
