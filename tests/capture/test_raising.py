"""Errors that only some inputs raise: who catches them, and what a path of its own is made for."""

from __future__ import annotations

import contextlib
import math
import pickle
import sys

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from sparsetrace.user_code.handlers import is_caught


def asked(kind=ValueError):
    """Whether an error of this type would be caught where this is called."""
    return is_caught(kind, sys._getframe(1))


def in_a_try():
    try:
        return asked()
    except ValueError:
        return None


def in_another_try():
    try:
        return asked()
    except (KeyError, OSError):
        return None


def in_finally_alone():
    try:
        return asked()
    finally:
        math.sqrt(1.0)


def raised_again():
    try:
        return asked()
    except ValueError:
        math.sqrt(1.0)
        raise


def made_another_one():
    def inner():
        try:
            return asked()
        except ValueError as error:
            raise RuntimeError("another") from error

    try:
        return inner()
    except RuntimeError:
        return None


def with_errstate():
    with np.errstate(all="ignore"):
        return asked()


def with_suppress():
    with contextlib.suppress(ValueError):
        return asked()
    return None


def by_a_variable(kinds=(KeyError,)):
    try:
        return asked()
    except kinds:
        return None


def in_the_handler():
    try:
        raise KeyError
    except KeyError:
        return asked()


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (in_a_try, True),
        (in_another_try, False),
        (in_finally_alone, False),
        (raised_again, False),
        (made_another_one, True),
        (with_errstate, False),
        (with_suppress, True),
        (by_a_variable, True),
        (in_the_handler, False),
    ],
)
def test_who_catches(f, expected):
    found = Outside()

    def traced(x):
        found.append(f())
        return x

    st.jacobian_sparsity(traced, np.ones(1))
    assert set(found) == {expected}


def test_operations_in_one_try_make_one_path_each():
    def f(x):
        r = x[0]
        try:
            for v in x:
                r = r + math.sqrt(v)
        except ValueError:
            r = r * 2
        return r

    n = 80  # more than are run of a statement alone, whatever max_paths is
    assert st.jacobian_sparsity(f, np.ones(n), max_paths=n + 1).nnz == n
    with pytest.raises(st.ValueDependentError, match="max_paths"):
        st.jacobian_sparsity(f, np.ones(n), max_paths=n - 1)


def test_nothing_is_asked_where_nothing_catches():
    def f(x):
        with np.errstate(all="ignore"):
            return sum(math.log(v) for v in x) + np.sqrt(x).sum()

    assert st.jacobian_sparsity(f, np.ones(30), max_paths=1).nnz == 30


def test_errors_at_a_point_are_those_of_a_plain_call():
    for name in "sqrt log acosh gamma".split():
        with pytest.raises(ValueError, match=r"math domain|expected"):
            st.jacobian_sparsity(
                lambda x, name=name: getattr(math, name)(x[0]), np.array([-1.0]), local=True
            )
    with pytest.raises(OverflowError):
        st.jacobian_sparsity(lambda x: math.exp(x[0]), np.array([1e4]), local=True)
    with pytest.raises(np.linalg.LinAlgError), np.errstate(all="ignore"):
        st.jacobian_sparsity(np.linalg.inv, np.zeros((2, 2)), local=True)


def test_an_error_names_the_decisions_that_led_to_it():
    def f(x):
        if x[0] > 0:
            return float(x[1])
        return x[1]

    with pytest.raises(st.TracingError) as caught:
        st.jacobian_sparsity(f, np.ones(2), capture=False)
    line = f.__code__.co_firstlineno + 1
    assert f"test_raising.py:{line} (in f) True" in caught.value.__notes__[-1]


def test_left_out_goes_with_the_pattern_alone():
    def f(x):
        chosen = [v for v in x if v > 0]
        return chosen[0]

    pattern = st.jacobian_sparsity(f, np.ones(2))
    assert len(pattern.left_out) == 1
    assert "IndexError: list index out of range" in pattern.left_out[0]
    assert pickle.loads(pickle.dumps(pattern)).left_out == ()
    assert st.SparsityPattern(pattern).left_out == ()
    assert st.hessian_sparsity(f, np.ones(2)).left_out == pattern.left_out


def test_the_state_of_numpy_is_as_before():
    def f(x):
        try:
            with np.errstate(all="raise"):
                return np.sqrt(x[0])
        except FloatingPointError:
            return x[1]

    before = np.geterr()
    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2
    assert np.geterr() == before


def test_without_capture_the_state_is_asked_for_each_time():
    def f(x):
        y = x * 2
        with np.errstate(invalid="raise"):
            try:
                return np.sqrt(y[0])
            except FloatingPointError:
                return y[1]

    assert st.jacobian_sparsity(f, np.ones(2), capture=False).nnz == 2
