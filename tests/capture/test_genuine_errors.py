"""Errors of the function, of libraries and of the trace are told apart, swallowed or not."""

from __future__ import annotations

import contextlib
import functools

import numpy as np
import pytest
import scipy.linalg

import sparsetrace as st


def test_the_functions_own_errors_pass_unchanged():
    class Mine(Exception):
        pass

    def f(x):
        raise Mine(f"no luck with {type(x)}")

    with pytest.raises(Mine):
        st.jacobian_sparsity(f, np.ones(2))
    with pytest.raises(ValueError, match="reshape"):
        st.jacobian_sparsity(lambda x: x.reshape(3), np.ones(2))
    with pytest.raises(IndexError):
        st.jacobian_sparsity(lambda x: x[5], np.ones(2))


def test_errors_of_libraries_keep_their_cause():
    match = r"scipy\.linalg\.matrix_balance at .*test_genuine_errors"
    with pytest.raises(st.EscapeError, match=match) as caught:
        st.jacobian_sparsity(lambda x: scipy.linalg.matrix_balance(x.reshape(2, 2)), np.ones(4))
    assert isinstance(caught.value.__cause__, (TypeError, ValueError))


def test_a_path_lost_in_a_library_is_not_ignored():
    def f(x):
        if x[0] > 1.0:
            return scipy.linalg.matrix_balance(x.reshape(2, 2))[0]
        return x[:2]

    with pytest.raises(st.EscapeError, match="matrix_balance"):
        st.jacobian_sparsity(f, np.ones(4))


def test_what_floats_refuse_too_may_be_caught():
    def f(x):
        try:
            return sum(x[0])
        except TypeError:
            return x[0] * x[1]

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2


def swallowing_method():
    class Solver:
        def __call__(self, x):
            return self.solve(x)

        def solve(self, x):
            try:
                return scipy.linalg.matrix_balance(x.reshape(2, 2))
            except (ValueError, TypeError):
                return np.zeros(2)

    return Solver()


def swallowing_context():
    def f(x):
        y = np.zeros(2)
        with contextlib.suppress(Exception):
            y = scipy.linalg.matrix_balance(x.reshape(2, 2))
        return y

    return functools.partial(f)


def swallowing_attribute():
    def helper(v):
        try:
            return v.hex()
        except AttributeError:
            return 0.0

    return lambda x: [helper(v) for v in x]


@pytest.mark.parametrize("make", [swallowing_method, swallowing_context, swallowing_attribute])
def test_a_swallowed_escape_fails_the_trace(make):
    with pytest.raises(st.EscapeError):
        st.jacobian_sparsity(make(), np.ones(4))
